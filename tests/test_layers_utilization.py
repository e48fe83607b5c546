from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.case import Case
from rootcall.check import Check
from rootcall.config import Config
from rootcall.layers import utilization
from rootcall.layers.utilization.answers import answers, is_hollow, sentences, stem, word_set
from rootcall.trace import Trace


def talk(*turns: Any, tools: Any = None) -> Trace:
    """A text of the user, `(tool, arguments, result)` calls of one step in a list, or `{"say": text}`."""
    messages: list[dict[str, Any]] = []
    for n, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append({"role": "user", "content": turn})
        elif isinstance(turn, dict):
            messages.append({"role": "assistant", "content": turn["say"]})
        else:
            calls = [
                {"id": f"{n}-{i}", "function": {"name": t, "arguments": json.dumps(a)}}
                for i, (t, a, _) in enumerate(turn)
            ]
            messages.append({"role": "assistant", "tool_calls": calls})
            for i, (_, _, r) in enumerate(turn):
                if r is not Ellipsis:
                    text = r if isinstance(r, str) or r is None else json.dumps(r, ensure_ascii=False)
                    messages.append({"role": "tool", "tool_call_id": f"{n}-{i}", "content": text})
    return Trace.from_openai(messages, tools)


def judged(trace: Trace, **expect: Any) -> list[Check]:
    case = Case.from_dict({"expect": expect}) if expect else None
    return [c for rule in utilization.RULES for c in rule(trace, case, Config())]


def failing(trace: Trace, **expect: Any) -> list[str]:
    return [c.rule.partition("/")[2] for c in judged(trace, **expect) if c.fails]


def told(result: Any, answer: str, asked: str = "Tell me.", tool: str = "get", arguments: Any = None) -> list[str]:
    return failing(talk(asked, [(tool, arguments or {}, result)], {"say": answer}))


def passes(result: Any, answer: str, asked: str = "Tell me.") -> bool:
    checks = judged(talk(asked, [("get", {}, result)], {"say": answer}))
    return not any(c.fails for c in checks) and any(c.status == "pass" for c in checks)


PRICE = {"amount_cents": 4500, "currency": "USD"}


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        (PRICE, "It is $45.00."),
        (PRICE, "It is $45."),
        (PRICE, "That makes 45 dollars."),
        (PRICE, "It is 4,500 cents."),
        (PRICE, "Das macht 45,00 $ und ist nicht teuer."),
        ({"share_pct": 85.19}, "The share is 85%."),
        ({"share_pct": 85.19}, "The share is 85.2%."),
        ({"accuracy": 0.852}, "The accuracy is 85.2%."),
        ({"files": 8234}, "There are about 8,000 files."),
        ({"views": 12400}, "The page has 12.4k views."),
        ({"price_krw": 12400}, "가격은 1만 2,400원입니다."),
        ({"max_kg": 20}, "You may bring 20 kg (about 44 lb)."),
        ({"temp_c": 20}, "It is 68 °F."),
        ({"window_minutes": 180}, "The window is 3 hours."),
        ({"start": "2026-11-22T14:30:00-06:00"}, "It starts at 14:30 on 22 November (20:30 UTC)."),
        ({"start": "2026-11-22T14:30:00-06:00"}, "It starts at 2:30 pm."),
        ({"items": [{"p_cents": 100}, {"p_cents": 250}]}, "Together they cost $3.50."),
        ({"high_c": 18, "low_c": 12}, "High 18 °C, low 12 °C, a swing of 6 degrees."),
        ({"temps": [{"temp_c": 10}, {"temp_c": 11}, {"temp_c": 15}]}, "The average is 12 °C."),
        ({"tickets": [{"id": "r-600"}, {"id": "r-601"}]}, "There are two tickets: r-600 and r-601."),
        ({"unit": "kWh", "value": 12.5}, "You used 12.5 kWh."),
        ({"old_usd": 40, "new_usd": 50}, "The price rose by 25 %, from $40 to $50."),
        ({"price_eur": 30, "nights": 3}, "For 3 nights that comes to €90."),
    ],
)
def test_right_answers_are_left_in_peace(result: Any, answer: str) -> None:
    assert passes(result, answer)


@pytest.mark.parametrize(
    ("result", "answer", "rule"),
    [
        (PRICE, "It is $54.00.", "transposed-digits"),
        (PRICE, "It is $4,500.", "scale-slip"),
        ({"amount": 4500}, "It is $45.00.", "scale-slip"),
        ({"accuracy": 0.852}, "The accuracy is 8.52%.", "scale-slip"),
        ({"total_eur": 4183}, "The total is 4.183 euros.", "scale-slip"),
        ({"max_kg": 20}, "You may bring 20 lb.", "wrong-unit"),
        ({"valid_days": 16}, "It is valid for 16 weeks.", "wrong-unit"),
        ({"high_c": 18, "low_c": 12}, "The high is 12 °C.", "sibling-value"),
        ({"day": "2026-06-03"}, "It leaves on 4 June.", "shifted-date"),
        ({"day": "2026-06-03"}, "It leaves on 3 June 2027.", "shifted-date"),
        ({"fee_usd": 48, "extra_usd": 55}, "The fee is $48 and the extra $55, so $112 altogether.", "wrong-derivation"),
        ({"total_cents": 91400}, "It cost $1,887.00.", "unsupported"),
        ({"files": 8234}, "There are about 9,000 files.", "unsupported"),
        ({"departs": "09:10"}, "It departs at 09:50.", "unsupported"),
        ({"departs": "09:10"}, "It departs at 10:09.", "transposed-digits"),
        ({"tickets": [{"id": "r-709"}]}, "The last ticket is r-790.", "transposed-digits"),
        ({"tickets": [{"id": "r-709"}]}, "The last ticket is r-855.", "unsupported"),
        ({"deals": []}, "There are two: Alpha and Beta, worth $37,300 together.", "empty-as-found"),
        ({"name": "Ann", "revenue_cents": None, "seats": 3, "age": 9}, "The revenue is $19,610.", "absent-as-known"),
        ({"refundable": True}, "It is not refundable.", "flipped-attribute"),
        ({"healthy": False}, "The service reports healthy.", "flipped-attribute"),
        ({"on_time": True}, "The train is running late.", "flipped-attribute"),
        ({"auto_renew": False}, "Auto-renewal is on.", "flipped-attribute"),
        ({"raining": False}, "It is raining.", "flipped-attribute"),
    ],
)
def test_wrong_answers_are_named(result: Any, answer: str, rule: str) -> None:
    assert rule in told(result, answer)


def test_the_only_amount_of_another_member_is_a_sibling() -> None:
    slots = {"slots": [{"start": "11:40", "price_cents": 5678}, {"start": "16:10", "price_cents": 7178}]}
    assert told(slots, "Booked at 11:40. It costs €71.78.") == ["sibling-value"]
    assert told(slots, "Booked at 11:40. It costs €56.78.") == []
    assert told(slots, "There are two: 11:40 for €56.78 and 16:10 for €71.78.") == []


def test_hedges_cover_their_side() -> None:
    assert told({"fee_cents": 48333}, "The fee is a little over $400.") == []
    assert told({"fee_cents": 48333}, "The fee is almost $400.") != []


def test_flags_in_other_scripts_and_words_for_required() -> None:
    assert told({"결제": False}, "결제되었습니다.") == ["flipped-attribute"]
    assert told({"결제": False}, "아직 결제되지 않았습니다.") == []
    assert told({"gesperrt": False}, "Der Ausweis ist nicht gesperrt.") == []
    assert told({"gesperrt": False}, "Der Ausweis ist gesperrt.") == ["flipped-attribute"]
    assert told({"fastingRequired": False}, "You need to come fasting.") == ["flipped-attribute"]
    assert told({"playable": True}, "It may not be played in your country.") == ["flipped-attribute"]
    assert told({"isError": False, "n": 3}, "The log holds one upload error.") == []


def test_what_is_made_up_over_one_of_several_results_is_charged_to_that_call() -> None:
    both = [("sensors", {"block": "south"}, {"sensors": []}), ("survey", {"block": "south"}, {"area_ha": 37.1})]
    t = talk("Which sensor is weakest?", both, {"say": "sn-8925 is the weakest. The survey covers 37.1 hectares."})
    assert [(c.rule, c.tool) for c in judged(t) if c.fails] == [("utilization/empty-as-found", "sensors")]


def test_a_value_of_another_record_is_a_sibling() -> None:
    payload = {"events": [{"title": "Standup", "minutes": 60}, {"title": "Review", "minutes": 90}]}
    assert told(payload, "Standup takes 90 minutes.") == ["sibling-value"]
    assert told(payload, "Standup takes 60 minutes, Review 90 minutes.") == []
    assert told(payload, "The longest takes 90 minutes.") == []


def test_parallel_calls_are_siblings_by_their_arguments() -> None:
    calls = [("get", {"city": "Ulsan"}, {"temp_c": 15}), ("get", {"city": "Sejong"}, {"temp_c": 11})]
    assert failing(talk("?", calls, {"say": "Ulsan has 11 °C, Sejong 11 °C."})) == ["sibling-value"]
    assert failing(talk("?", calls, {"say": "Ulsan has 15 °C, Sejong 11 °C."})) == []


def test_a_name_found_earlier_stands_for_the_id_a_call_sends() -> None:
    found = [
        (
            "find",
            {"q": "Duluth and Tulsa"},
            {"places": [{"name": "Duluth", "id": "ST11"}, {"name": "Tulsa", "id": "ST22"}]},
        )
    ]
    both = [("now", {"id": "ST11"}, {"temp_c": 16}), ("now", {"id": "ST22"}, {"temp_c": 28})]
    assert failing(talk("?", found, both, {"say": "Duluth has 16 °C, Tulsa 16 °C."})) == ["sibling-value"]


def test_what_the_user_said_is_no_claim_unless_a_yes_confirms_it() -> None:
    fare = {"fare": "YL", "bag_kg": 15}
    asked = "So a bag of 23 kg is fine?"
    assert told(fare, "Yes, 23 kg is included.", asked) == ["unsupported"]
    assert told(fare, "No, only 15 kg is included.", asked) == []
    assert (
        told({"price_usd": 196}, "Yes, that keeps you below your limit of $900.", "Is it under my limit of $900?") == []
    )


def test_a_later_turn_that_contradicts_the_result_has_drifted() -> None:
    first = [("get", {}, {"duration_minutes": 180})]
    t = talk("Book it.", first, {"say": "Booked for 180 minutes."}, "How long was it?", {"say": "225 minutes."})
    assert failing(t) == ["drift"]
    assert (
        failing(
            talk("Book it.", first, {"say": "Booked for 180 minutes."}, "How long was it?", {"say": "180 minutes."})
        )
        == []
    )


def test_what_was_not_captured_leaves_the_claim_unscored() -> None:
    checks = judged(talk("?", [("get", {}, None)], {"say": "37 are left."}))
    assert [(c.status, c.question) for c in checks] == [("unscored", "claim-grounded")]
    no_user = Trace.from_openai(
        [
            {"role": "user", "content": None},
            {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "get", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": '{"price_usd": 3, "fee_usd": 4}'},
            {"role": "assistant", "content": "The price is $77."},
        ]
    )
    assert [c.status for c in judged(no_user)] == ["unscored"]


def test_a_cut_result_decides_only_what_was_kept() -> None:
    cut = '{"tickets": [{"id": "r-600", "state": "open"}, {"id": "r-601", "state": "closed"}, {"id": "r-6…[truncated, 900 characters left out]'
    assert [c.status for c in judged(talk("?", [("list", {}, cut)], {"say": "The last ticket is r-709."}))] == [
        "unscored"
    ]
    assert "flipped-attribute" in told(cut, "The first ticket, r-600, is closed.")
    assert told(cut, "The first ticket, r-600, is open.") == []


def test_after_an_unresolved_error_the_answer_belongs_to_recovery() -> None:
    t = talk("?", [("get", {}, {"price_usd": 3})], [("buy", {}, "Error: card declined")], {"say": "You paid $99."})
    assert failing(t) == []


def test_a_plan_is_no_claim() -> None:
    t = talk("Move me.", [("get", {}, {"day": "2026-05-22"})], {"say": "I'll search for flights on May 23."})
    assert failing(t) == []


def test_attributive_and_conditional_words_tell_nothing() -> None:
    variants = {"variants": {"872265": {"available": False}, "859389": {"available": True}}}
    assert told(variants, "Here are the available options.") == []
    assert told({"available": False}, "I will take the cheapest available one for you.") == []
    assert told({"refundable": False}, "If it is refundable you will get it back.") == []
    assert told({"refundable": False}, "Is it refundable?") == []
    assert told({"refundable": False}, "It is non-refundable.") == []


def test_all_and_neither_speak_of_every_record() -> None:
    both = [("get", {"s": "a1"}, {"healthy": False}), ("get", {"s": "b2"}, {"healthy": True})]
    assert failing(talk("?", both, {"say": "Both report healthy."})) == ["flipped-attribute"]
    assert failing(talk("?", both, {"say": "b2 is healthy, a1 is unhealthy."})) == []


def test_a_state_is_read_from_the_named_record() -> None:
    states = {"orders": [{"id": "W-100", "status": "pending"}, {"id": "W-200", "status": "delivered"}]}
    assert told(states, "Order W-100 was delivered.") == ["flipped-attribute"]
    assert told(states, "Order W-100 is pending, W-200 was delivered.") == []
    assert told(states, "Order W-100 can be delivered tomorrow.") == []


def test_calls_without_a_result_support_nothing() -> None:
    calls = [("get", {"city": "Taean"}, {"temp_c": 24}), ("get", {"city": "Dangjin"}, ...)]
    assert "absent-as-known" in failing(talk("?", calls, {"say": "Taean: 24 °C. Dangjin: 19 °C."}))
    assert failing(talk("?", calls, {"say": "Taean: 24 °C. For Dangjin I got no answer."})) == []
    assert failing(talk("?", [("get", {"city": "Taean"}, ...)], {"say": "It is 24 °C in Taean."})) == [
        "absent-as-known"
    ]


def test_a_tool_that_never_ran_returned_nothing() -> None:
    assert failing(talk("?", {"say": "The tool returned two terms."})) == ["absent-as-known"]
    assert judged(talk("?", {"say": "Hello! What can I do for you?"})) == []


def test_names_told_over_an_empty_result_stand_nowhere() -> None:
    assert told({"terms": []}, "In use are 'pain relief' and 'sleep aid'.") == ["payload-ignored"]
    assert told({"terms": []}, "No search terms are in use.") == []
    assert told("", "Noted.", tool="think") == []


@pytest.mark.parametrize(
    ("answer", "wanted", "status"),
    [
        ("It cannot be refunded.", {"$says": "cannot be refunded"}, "pass"),
        ("One moment.", {"$says": "cannot be refunded"}, "fail"),
        ("Ann, hello!", {"$says": "Ann"}, "pass"),
        ("Hannah is here.", {"$says": "Ann"}, "fail"),
        ("It will reopen; closed now.", {"$says": "open"}, "fail"),
        ("서울에는 비가 옵니다.", {"$says": "서울"}, "pass"),
        ("Das Café ist zu.", {"$says": "cafe\u0301"}, "pass"),
        ("Rainy.", {"$one_of": [{"$says": "rainy"}, {"$says": "wet"}]}, "pass"),
        ("Sunny.", {"$one_of": [{"$says": "rainy"}, {"$regex": "^W"}]}, "fail"),
        ("Wet.", {"$says": {"$regex": "^W"}}, "pass"),
        ("Wet.", {"$says": {"$contains": "et."}}, "pass"),
        ("Wet.", {"$says": {"$casefold": "WET"}}, "pass"),
        ("Wet.", {"$judge": "friendly?"}, "unscored"),
        ("a" * 40 + "!", {"$regex": "^(a+)+$"}, "fail"),
        ("a" * 40 + "!", {"$regex": r"^(a|a)*b\1$"}, "unscored"),
        ("The rent is 1380 euros.", {"$says": "1,380"}, "pass"),
        ("The rent is 1,830 euros.", {"$says": "1,380"}, "fail"),
        ("It is $45.00.", {"$says": {"$from": "get[0].amount_cents"}}, "pass"),
        ("It is $54.00.", {"$says": {"$from": "get[0].amount_cents"}}, "fail"),
        ("It is in USD.", {"$says": {"$from": "get[0].currency"}}, "pass"),
        ("It is $45.00.", {"$not": {"$says": "$54.00"}}, "pass"),
        ("It is $45.00.", {"$says": {"$from": "get[7].amount_cents"}}, "unscored"),
        ("It is $45.00.", {"$judge": "is it polite?"}, "unscored"),
        ("It is $45.00.", {"$not": {"$judge": "is it polite?"}}, "unscored"),
        ("It is 45.", 45, "pass"),
        ("plain words", "plain words", "pass"),
    ],
)
def test_facts_a_case_wants_in_the_answer(answer: str, wanted: Any, status: str) -> None:
    checks = judged(talk("?", [("get", {}, PRICE)], {"say": answer}), answer=[wanted])
    assert [c.status for c in checks if c.rule == "utilization/missing-fact"] == [status]


def test_a_trace_without_an_answer_misses_its_facts() -> None:
    checks = judged(Trace.from_openai([]), answer=[{"$says": "x"}])
    assert [(c.rule, c.status, c.at) for c in checks] == [("utilization/missing-fact", "fail", "messages")]


def test_a_repeated_call_is_judged_on_its_latest_result() -> None:
    t = talk(
        "?",
        [("job", {"id": 1}, {"progress_pct": 47})],
        [("job", {"id": 1}, {"progress_pct": 100})],
        {"say": "It is at 100%."},
    )
    assert failing(t) == []
    (answer,) = answers(t)
    assert [f.value for f in answer.facts] == [100]
    assert [f.value for f in answer.older] == [47]


def test_checks_point_at_the_answer_and_the_call_it_reads() -> None:
    (c,) = [c for c in judged(talk("?", [("get", {}, PRICE)], {"say": "It is $54.00."})) if c.fails]
    assert (c.at, c.tool, c.got, c.expected, c.causes) == (
        "messages[3]",
        "get",
        "$54.00",
        4500,
        ("messages[1].calls[0]",),
    )


def test_hollow_results() -> None:
    def hollow(result: Any, arguments: Any = None) -> bool:
        return is_hollow(talk("?", [("get", arguments or {}, result)], {"say": "x"}).calls[0])

    assert hollow({"rows": [], "count": 0})
    assert hollow({"station": "S1", "observed": None}, {"station": "S1"})
    assert hollow([])
    assert not hollow({"rows": [{"a": 1}], "extra": []})
    assert not hollow({"a": None, "b": 4.5, "c": "something"})
    assert not hollow({"done": True})
    assert not hollow("no such thing")
    assert not hollow("")


def test_sentences_and_words() -> None:
    found = sentences("It costs $4.50. Is that fine?\n- yes; no")
    assert [s.text for s in found] == ["It costs $4.50.", "Is that fine?", "- yes", "no"]
    assert [s.question for s in found] == [False, True, False, False]
    assert sentences("") == (sentences("")[0],)
    assert stem("departing") == stem("departure")
    assert word_set("The fares") == {"the", "price"}


@pytest.mark.parametrize(
    ("payload", "right", "wrong"),
    [
        ({"humidity": 0.45}, "Humidity is 45 %.", "Humidity is 54 %."),
        ({"uptime": 0.9993}, "It was up 99.93% of the time.", "The uptime was 93.99%."),
        ({"temp_c": -7}, "It is minus 7 °C.", "It is minus 9 °C."),
        ({"temp_c": -7}, "It is 7 degrees below zero.", "It is 17 degrees below zero."),
        ({"change_pct": -2.0}, "It fell by 2 %.", "It fell by 12 %."),
        ({"balance_usd": -120.5}, "You are overdrawn by $120.50.", "You are overdrawn by $210.50."),
    ],
)
def test_a_value_may_be_said_as_a_share_or_with_its_sign_in_words(payload: Any, right: str, wrong: str) -> None:
    assert told(payload, right) == []
    assert told(payload, wrong) != []


def test_what_is_left_of_a_hundred_and_what_follows_by_days_is_no_fault() -> None:
    assert told({"used_pct": 64}, "36 % are free.") == []
    assert told({"passed": 180, "failed": 20}, "The pass rate is 90 %.") == []
    stay = {"check_in": "2026-09-18", "nights": 3}
    assert told(stay, "You check out on 21 September.") == []
    assert told(stay, "You check in on 20 September.") == ["shifted-date"]
    assert told({"date": "2026-05-19"}, "Today is 15 May 2026.") == []


def test_a_name_that_some_siblings_share_speaks_of_none_of_them() -> None:
    items = [
        {"name": "Vacuum", "price": 622.12},
        {"name": "Purifier", "price": 473.43},
        {"name": "Vacuum", "price": 652.61},
    ]
    assert told({"items": items}, "The purifier ($473.43) and the vacuum ($622.12) go back.") == []
