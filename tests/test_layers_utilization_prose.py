from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.check import Check
from rootcall.config import Config
from rootcall.glossary import read_glossary
from rootcall.judging import verdict
from rootcall.trace import Trace

WORDS = {
    "fields": {
        "PTS": ["points", "point", "점"],
        "REB": ["rebounds", "리바운드"],
        "AST": "assists",
        "BLK": "blocks",
        "TEAM-PTS": ["points", "point"],
        "TEAM-PTS_QTR1": "first quarter",
        "TEAM-PTS_QTR2": "second quarter",
        "TEAM-FG_PCT": ["percent from the field", "percent"],
        "TEAM-FG3_PCT": "percent from three point range",
        "TEAM-WINS": ["wins", "won"],
        "day": "date as MM_DD_YY",
    },
    "aliases": {"Hawks": ["Atl"]},
    "pairs": [
        {"fields": ["FGM", "FGA"], "words": ["FG", "shooting"]},
        {"fields": ["TEAM-WINS", "TEAM-LOSSES"], "alone": True},
    ],
    "scores": [{"field": "TEAM-PTS", "words": ["defeated"]}],
    "sums": [{"fields": ["TEAM-PTS_QTR1", "TEAM-PTS_QTR2"], "words": ["first half"]}],
    "statements": [
        {"fields": ["PTS", "REB", "AST"], "words": ["double double"], "at_least": 10, "count": 2},
        {"fields": ["START_POSITION"], "words": ["off the bench"], "is": "N/A"},
        {"fields": ["PTS"], "words": ["game high"], "most": "all"},
    ],
    "slots": [{"fields": ["TEAM-PTS"], "words": ["against the", "host the"]}],
}


def player(name: str, team: str, points: int, rebounds: int, assists: int, made: int, tried: int, at: str = "G") -> Any:
    first, _, last = name.partition(" ")
    return {"PLAYER_NAME": name, "FIRST_NAME": first, "SECOND_NAME": last, "TEAM_CITY": team, "PTS": str(points),
            "REB": str(rebounds), "AST": str(assists), "BLK": "0", "FGM": str(made), "FGA": str(tried), "START_POSITION": at}  # fmt: skip


def team(city: str, name: str, points: int, first: int, second: int, wins: int, losses: int, shot: int) -> Any:
    return {"city": city, "name": name, "TEAM-PTS": str(points), "TEAM-PTS_QTR1": str(first), "TEAM-PTS_QTR2": str(second),
            "TEAM-WINS": str(wins), "TEAM-LOSSES": str(losses), "TEAM-FG_PCT": str(shot), "TEAM-FG3_PCT": str(shot - 12)}  # fmt: skip


GAME: Any = {
    "home": team("Atlanta", "Hawks", 105, 29, 30, 41, 9, 48),
    "visitor": team("Boston", "Celtics", 96, 18, 28, 31, 19, 44),
    "day": "02_04_15",
    "players": [
        player("Al Horford", "Atlanta", 21, 13, 4, 10, 24),
        player("Kyle Korver", "Atlanta", 14, 5, 2, 5, 11),
        player("Mike Scott", "Atlanta", 8, 2, 1, 3, 7, "N/A"),
        player("Isaiah Thomas", "Boston", 24, 3, 9, 9, 15),
        player("Avery Bradley", "Boston", 16, 6, 3, 7, 18),
    ],
}


def checks(answer: str, payload: Any = None, words: Any = WORDS, asked: str = "Write a report.") -> list[Check]:
    call = {"id": "c", "type": "function", "function": {"name": "get_game", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": json.dumps(payload or GAME, ensure_ascii=False)},
        {"role": "assistant", "content": answer},
    ]
    config = None
    if words is not None:
        glossary, faults = read_glossary(words)
        assert faults == []
        config = Config(glossary=glossary)
    return [c for c in verdict(Trace.from_openai(messages), config=config).checks if c.layer == "utilization"]


def wrong(answer: str, **given: Any) -> list[tuple[str, str]]:
    """The rule and the text of every failing claim."""
    return [(c.rule.partition("/")[2], str(c.got)) for c in checks(answer, **given) if c.fails]


RIGHT_AND_WRONG = [
    ("Al Horford had 21 points.", "Al Horford had 24 points.", "sibling-value", "24 points"),
    ("Al Horford had 21 points.", "Al Horford had 12 points.", "transposed-digits", "12 points"),
    ("Al Horford had 21 points.", "Al Horford had 210 points.", "scale-slip", "210 points"),
    ("Horford posted a 21-point, 13-rebound double-double.", "Horford posted a 21-point, 17-rebound double-double.",
     "unsupported", "17-rebound"),
    ("Thomas scored 24 points, three rebounds and nine assists.", "Thomas scored 24 points, seven rebounds and nine assists.",
     "unsupported", "seven rebounds"),
    ("The Celtics were led by Isaiah Thomas, who scored 24 points.", "The Celtics were led by Isaiah Thomas, who scored 25 points.",
     "unsupported", "25 points"),
    ("Isaiah Thomas led Boston. He finished with nine assists.", "Isaiah Thomas led Boston. He finished with eight assists.",
     "unsupported", "eight assists"),
    ("Bradley added 16 points, six rebounds and no blocks.", "Bradley added 16 points, six rebounds and a block.",
     "unsupported", "a block"),
    ("Korver (14 points) helped Horford, who had 21 points.", "Korver (21 points) helped Horford, who had 21 points.",
     "sibling-value", "21 points"),
    ("Thomas had 24 points (9-15 FG).", "Thomas had 24 points (9-18 FG).", "sibling-value", "18"),
    ("Thomas had 24 points on 9-of-15 shooting.", "Thomas had 24 points on 8-of-15 shooting.", "unsupported", "8"),
    ("The Hawks (41-9) beat Boston.", "The Hawks (31-9) beat Boston.", "sibling-value", "31"),
    ("The Hawks shot 48 percent from the field.", "The Hawks shot 44 percent from the field.", "sibling-value", "44 percent"),
    ("The Hawks held the Celtics to 44 percent from the field and 32 percent from three-point range.",
     "The Hawks held the Celtics to 44 percent from the field and 36 percent from three-point range.", "sibling-value", "36 percent"),
    ("The Hawks defeated the Celtics, 105-96.", "The Hawks defeated the Celtics, 105-98.", "unsupported", "98"),
    ("The Hawks led the Celtics 29-18 in the first quarter.", "The Hawks met the Celtics, 29-17 in the first quarter.",
     "unsupported", "17"),
    ("The Hawks outplayed the Celtics 59-46 in the first half.", "The Hawks outplayed the Celtics 58-46 in the first half.",
     "wrong-derivation", "58"),
    ("The Hawks scored 59 points in the first half.", "The Hawks scored 49 points in the first half.", "wrong-derivation",
     "49 points in the first half"),
    ("The Hawks came out with a 9-point win over the Celtics.", "The Hawks came out with a 19-point win over the Celtics.",
     "wrong-derivation", "19"),
    ("The Celtics were led by Isaiah Thomas.", "The Hawks were led by Isaiah Thomas.", "sibling-value", "Hawks"),
    ("Isaiah Thomas led the way for Boston.", "Isaiah Thomas led the way for Atlanta.", "sibling-value", "Atlanta"),
    ("The Hawks beat Boston on Wednesday.", "The Hawks beat Boston on Friday.", "shifted-date", "Friday"),
    ("The Hawks played well against the Celtics.", "The Hawks played well against the Chicago Bulls.", "unsupported", "Chicago Bulls"),
    ("Mike Scott had eight points off the bench.", "Kyle Korver had 14 points off the bench.", "flipped-attribute", "off the bench"),
    ("Thomas had a game-high 24 points.", "Horford had a game-high 21 points.", "flipped-attribute", "game-high"),
    ("Horford had a double-double.", "Korver had a double-double.", "flipped-attribute", "double-double"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "false", "rule", "told"), RIGHT_AND_WRONG)
def test_a_wrong_claim_fails_and_its_right_twin_passes(right: str, false: str, rule: str, told: str) -> None:
    assert wrong(right) == []
    assert any(c.status == "pass" for c in checks(right)) or "against" in right
    assert wrong(false) == [(rule, told)]


def test_a_verb_that_turns_the_score_round() -> None:
    assert wrong("The Hawks defeated the Celtics, 105-96.") == []
    assert wrong("The Celtics defeated the Hawks, 96-105.") == [("flipped-attribute", "defeated")]


def test_a_name_with_the_values_of_another_is_the_mistake() -> None:
    assert wrong("Kyle Korver had 24 points, three rebounds and nine assists.") == [("sibling-value", "Kyle Korver")]


@pytest.mark.parametrize(
    "answer",
    [
        "Al Horford and Kyle Korver had 35 points.",  # of both: nobody governs
        "He had 30 points.",  # nobody is named
        "Horford shot over 20 percent.",  # no such field, and a bound
        "The reporter wrote 12 pages about Horford.",  # pages are no field
        "Horford had more than 20 points.",  # a bound
    ],
)
def test_what_is_not_bound_by_entity_and_field_is_left_alone(answer: str) -> None:
    assert wrong(answer) == []


def test_an_object_takes_nothing_over() -> None:
    assert wrong("Horford dominated Bradley with 21 points and 13 rebounds.") == []
    assert wrong("The Hawks beat the Celtics and Horford finished with 13 rebounds.") == []


def test_more_than_a_result_holds_is_unsupported() -> None:
    found = wrong("Thomas had 24 points. He has combined for 45 points over his last two games.")
    assert found == [("unsupported", "45 points")]


def test_what_the_user_said_is_a_source() -> None:
    false = "The Hawks played well against the Chicago Bulls."
    assert wrong(false, asked="How did they do against the Chicago Bulls?") == []
    assert wrong("The Hawks beat Boston on Friday.", asked="I missed the game on Friday.") == []


KOREAN: Any = {"players": [{"name": "김민수", "PTS": 18, "REB": 7}, {"name": "이영호", "PTS": 25, "REB": 12}]}


def test_korean_particles_say_who_is_spoken_of() -> None:
    right = "김민수는 18점, 7리바운드를 기록했고 이영호가 25점을 넣었습니다."
    assert wrong(right, payload=KOREAN) == []
    assert [c.got for c in checks(right, KOREAN) if c.status == "pass"] == ["18점", "7리바운드", "25점"]
    assert wrong("김민수는 18점, 7리바운드를 기록했고 이영호가 52점을 넣었습니다.", payload=KOREAN) == [
        ("transposed-digits", "52점")
    ]
    assert wrong("김민수는 이영호를 상대로 7리바운드를 잡았습니다.", payload=KOREAN) == []
    assert wrong("김민수는 25점, 12리바운드를 기록했습니다.", payload=KOREAN) == [("sibling-value", "김민수")]


def test_a_unit_of_the_glossary_is_the_unit_of_the_field() -> None:
    payload = {"orders": [{"name": "Mug", "amt": 4500}, {"name": "Lamp", "amt": 1250}]}
    words = {"fields": {"amt": "amount in cents"}}
    assert wrong("The amount of the Mug is $45.00.", payload=payload, words=words) == []
    assert wrong("The amount of the Mug is $54.00.", payload=payload, words=words) == [("transposed-digits", "$54.00")]


def test_without_a_glossary_the_names_of_fields_are_the_words() -> None:
    payload = {"rooms": [{"name": "Rose", "guests": 4, "floor": 2}, {"name": "Iris", "guests": 6, "floor": 3}]}
    assert wrong("Rose takes 4 guests, Iris takes 6 guests.", payload=payload, words=None) == []
    assert wrong("Rose takes 6 guests.", payload=payload, words=None) == [("sibling-value", "6 guests")]


def test_records_tied_by_the_beginning_of_their_keys_are_one() -> None:
    payload = {
        "homeTeam": {"name": "Tappara", "country": "Finland"},
        "awayTeam": {"name": "Jokerit", "country": "Finland"},
        "homeScore": {"total": 4, "period1": 2},
        "awayScore": {"total": 1, "period1": 1},
    }
    words = {"fields": {"total": "goals"}}
    assert wrong("Tappara scored 4 goals, 2 goals in the first period.", payload=payload, words=words) == []
    found = wrong("Jokerit scored 2 goals in the first period.", payload=payload, words=words)
    assert found == [("sibling-value", "2 goals in the first period")]
    assert wrong("The home team scored 3 goals in the first period.", payload=payload, words=words) == [
        ("unsupported", "3 goals in the first period")
    ]


def test_a_claim_says_where_it_stands_and_what_it_is_held_against() -> None:
    answer = "Al Horford had 12 points."
    (check,) = [c for c in checks(answer) if c.fails]
    assert check.span is not None
    assert answer[slice(*check.span)] == "12 points"
    assert check.fact == "players[0].PTS"
    assert check.expected == "21"


def test_places_are_left_out_of_json_where_there_are_none() -> None:
    trace = Trace.from_openai(
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "The tool returned 3."}]
    )
    written = verdict(trace).to_dict()["checks"]
    assert any("span" in c for c in written)
    assert all(c.get("span", ()) is not None and c.get("fact", "") is not None for c in written)


# ---- properties ------------------------------------------------------------------------------------------------

SENTENCES = [right for right, *_ in RIGHT_AND_WRONG]
counts = st.integers(min_value=0, max_value=99)


@given(st.sampled_from(SENTENCES), st.integers(0, 999))
@settings(max_examples=40, deadline=None)
def test_an_unrelated_field_never_turns_support_into_contradiction(answer: str, value: int) -> None:
    payload = json.loads(json.dumps(GAME))
    for p in payload["players"]:
        p["jersey"] = value
    payload["attendance"] = value
    assert wrong(answer, payload=payload) == []


@given(st.sampled_from(RIGHT_AND_WRONG), st.text("BCDFGKLMNPRSTVZ", min_size=5, max_size=9))
@settings(max_examples=40, deadline=None)
def test_an_entity_renamed_everywhere_changes_nothing(row: tuple[str, str, str, str], letters: str) -> None:
    name = "Q" + letters.lower()
    payload = json.loads(json.dumps(GAME).replace("Horford", name))
    for answer in row[:2]:
        before = [(c.rule, c.status, c.fact) for c in checks(answer)]
        after = [(c.rule, c.status, c.fact) for c in checks(answer.replace("Horford", name), payload)]
        assert before == after


@given(st.integers(10, 98))
@settings(max_examples=40, deadline=None)
def test_two_unequal_digits_of_a_unique_value_transposed_are_never_supported(value: int) -> None:
    turned = int(str(value)[::-1])
    payload = json.loads(json.dumps(GAME))
    payload["players"][0]["PTS"] = str(value)
    if turned == value or any(p["PTS"] == str(turned) for p in payload["players"]) or value % 10 == 0:
        return
    assert wrong(f"Al Horford had {value} points.", payload=payload) == []
    assert wrong(f"Al Horford had {turned} points.", payload=payload) == [("transposed-digits", f"{turned} points")]


@given(
    counts,
    st.sampled_from(
        [
            "Al Horford had {} points.",
            "Horford's {} points led the team.",
            "Horford posted a {}-point night.",
            "points of Horford: {}",
        ]
    ),
)
@settings(max_examples=40, deadline=None)
def test_a_value_rendered_is_supported(value: int, form: str) -> None:
    payload = json.loads(json.dumps(GAME))
    payload["players"][0]["PTS"] = str(value)
    assert wrong(form.format(value), payload=payload) == []


def test_time_grows_with_the_text_and_the_payload_and_not_faster() -> None:
    def spent(n: int) -> float:
        names = [f"Sm{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(n)]
        payload = {"players": [{"PLAYER_NAME": f"Anna {name}", "PTS": i % 40} for i, name in enumerate(names)]}
        answer = " ".join(f"{name} had {i % 40} points." for i, name in enumerate(names[: n // 4]))
        began = time.process_time()
        checks(answer, payload)
        return time.process_time() - began

    spent(200)
    # Sixteen times as much takes sixteen times as long, not 256 times; the rest is room for a busy machine.
    assert min(spent(3200) for _ in range(2)) < 90 * max(min(spent(200) for _ in range(4)), 0.005)


@pytest.mark.parametrize(
    "payload", [{"": {"": False}}, {"a": [{"": "x"}, {"": "y"}]}, {"homeX": {"name": 1}, "awayX": {"name": []}}]
)
def test_odd_payloads_break_nothing(payload: Any) -> None:
    answer = "The X of y had 3 points on Friday, and x 4."
    for words in (WORDS, None):
        for check in checks(answer, payload, words):
            assert check.span is None or 0 <= check.span[0] < check.span[1] <= len(answer)


def test_a_flag_without_a_name_is_spoken_of_by_nobody() -> None:
    assert wrong("It had points, and that is all.", payload={"": {"": False}}, words=None) == []


def test_rows_of_a_table_of_names_and_values_are_no_siblings() -> None:
    payload = {
        "specs": [
            {"name": "Chipset", "value": "Helio G85 (12 nm)"},
            {"name": "Internal", "value": "256GB 8GB RAM"},
            {"name": "Colors", "value": "Black"},
            {"name": "Price", "value": "650 EUR"},
        ]
    }
    answer = "It has the Helio G85 (12 nm) with 256GB of storage. The phone is available in Black and costs 650 EUR."
    assert wrong(answer, payload=payload, words=None) == []
