"""Days in words: sets of readings, in a few languages, against a reference day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.clock import reference_days, zones
from rootcall.evidence.dates import clock_times, instant, readings, relative_phrase, sent_days
from rootcall.trace import Trace

MONDAY = date(2026, 11, 30)


def days(text: str, reference: date = MONDAY) -> list[str]:
    found = readings(text, reference)
    assert len(found) == 1, found
    return sorted(d.isoformat() for d in found[0].days)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("today", ["2026-11-30"]),
        ("the day after tomorrow", ["2026-12-02"]),
        ("in ten days", ["2026-12-10"]),
        ("in a week", ["2026-12-07"]),
        ("in 2 weeks' time", ["2026-12-14"]),
        ("3 days from now", ["2026-12-03"]),
        ("two weeks ago", ["2026-11-16"]),
        ("next Friday", ["2026-12-04", "2026-12-11"]),
        ("this Friday", ["2026-12-04"]),
        ("coming Monday", ["2026-11-30", "2026-12-07"]),
        ("last Friday", ["2026-11-27"]),
        ("Friday next week", ["2026-12-11"]),
        ("Friday after next", ["2026-12-11", "2026-12-18"]),
        ("on Sunday", ["2026-11-29", "2026-12-06"]),
        ("this weekend", ["2026-12-04", "2026-12-05", "2026-12-06"]),
        ("내일", ["2026-12-01"]),
        ("모레", ["2026-12-02"]),
        ("3일 뒤", ["2026-12-03"]),
        ("이틀 후", ["2026-12-02"]),
        ("일주일 전", ["2026-11-23"]),
        ("다음 주 금요일", ["2026-12-11"]),
        ("다음 금요일", ["2026-12-04", "2026-12-11"]),
        ("übermorgen", ["2026-12-02"]),
        ("nächsten Freitag", ["2026-12-04", "2026-12-11"]),
        ("in drei Tagen", ["2026-12-03"]),
        ("vor zwei Wochen", ["2026-11-16"]),
        ("pasado mañana", ["2026-12-02"]),
        ("el próximo viernes", ["2026-12-04", "2026-12-11"]),
        ("viernes de la próxima semana", ["2026-12-11"]),
        ("après-demain", ["2026-12-02"]),
        ("vendredi prochain", ["2026-12-04", "2026-12-11"]),
        ("dans cinq jours", ["2026-12-05"]),
        ("明後日", ["2026-12-02"]),
        ("来週の金曜日", ["2026-12-11"]),
        ("三日後", ["2026-12-03"]),
        ("下周五", ["2026-12-11"]),
        ("后天", ["2026-12-02"]),
        ("3天前", ["2026-11-27"]),
        ("on 2026-05-01", ["2026-05-01"]),
        ("3 October 2026", ["2026-10-03"]),
        ("October 3rd, 2026", ["2026-10-03"]),
        ("3. Oktober 2026", ["2026-10-03"]),
        ("3 de octubre de 2026", ["2026-10-03"]),
        ("2026년 10월 3일", ["2026-10-03"]),
        ("3.10.2026", ["2026-10-03"]),
        ("10/3/26", ["2026-03-10", "2026-10-03"]),
        ("July 10", ["2026-07-10", "2027-07-10"]),
        ("December 10", ["2026-12-10"]),
        ("in one month", ["2026-12-30"]),
        ("Monday the 14th", ["2026-12-14"]),
    ],
)
def test_words_have_their_readings(text: str, wanted: list[str]) -> None:
    assert days(text) == wanted


@pytest.mark.parametrize("reference", [MONDAY + timedelta(days=n) for n in range(7)])
def test_next_friday_is_the_nearest_or_that_of_the_next_calendar_week(reference: date) -> None:
    found = readings("next Friday", reference)[0].days
    nearest = next(reference + timedelta(days=n) for n in range(1, 8) if (reference + timedelta(days=n)).weekday() == 4)
    next_week = reference - timedelta(days=reference.weekday()) + timedelta(days=11)
    assert {nearest, next_week} <= found
    assert all(d.weekday() == 4 and 0 < (d - reference).days <= 14 for d in found)


def test_periods_hold_all_their_days() -> None:
    assert len(readings("next month", MONDAY)[0].days) == 31
    assert date(2026, 12, 9) in readings("next week", MONDAY)[0].days
    assert date(2027, 7, 1) in readings("next year", MONDAY)[0].days
    assert date(2026, 12, 9) in readings("다음 주에", MONDAY)[0].days
    assert readings("next weekend", date(2026, 12, 6))[0].days >= {date(2026, 12, 12)}


@pytest.mark.parametrize(
    "text",
    ["before Friday", "Friday or Saturday", "by 3 October", "early May", "from Monday", "금요일까지", "end of the month", "bis Freitag"],
)  # fmt: skip
def test_a_neighbour_that_changes_the_meaning_makes_it_unclear(text: str) -> None:
    assert not any(e.clear for e in readings(text, MONDAY))


@pytest.mark.parametrize(
    "text", ["the day after", "at Christmas", "three days later", "every Friday", "the second Monday"]
)
def test_what_cannot_be_resolved_is_seen_and_has_no_readings(text: str) -> None:
    found = readings(text, MONDAY)
    assert found
    assert all(e.kind == "vague" and not e.days for e in found)


@pytest.mark.parametrize(
    "text",
    ["Guten Morgen", "por la mañana", "version 1.2.3 is out", "13/45/2026", "안내일정", "the Sun is hot", "99 May"],
)
def test_what_is_no_day_is_not_read_as_one(text: str) -> None:
    assert not [e for e in readings(text, MONDAY) if e.days]


def test_without_a_reference_only_full_dates_are_known() -> None:
    assert readings("next Friday")[0].days == frozenset()
    assert readings("July 10")[0].days == frozenset()
    assert readings("July 10, 2026")[0].days == {date(2026, 7, 10)}


def test_arithmetic_at_the_edge_of_the_calendar_gives_no_readings() -> None:
    assert readings("in 900 years", date(9999, 12, 31))[0].days == frozenset()


@pytest.mark.parametrize(
    "value",
    [
        "next Friday",
        "tomorrow",
        "in five days",
        "내일 오후 3시",
        "Tomorrow at 3pm",
        "morgen um 15 Uhr",
        "demain",
        "Friday",
    ],
)
def test_a_relative_phrase_is_one_as_a_whole(value: str) -> None:
    assert relative_phrase(value) is not None


@pytest.mark.parametrize(
    "value",
    ["", "2026-05-01", "3 October", "notes for tomorrow's call", "Friday or Saturday", "London", "x" * 80, "12"],
)
def test_other_texts_are_no_relative_phrase(value: str) -> None:
    assert relative_phrase(value) is None


def test_sent_values_have_a_day_or_an_instant() -> None:
    assert sent_days("2026-05-01T10:00:00Z") == date(2026, 5, 1)
    assert sent_days("20260501") == date(2026, 5, 1)
    assert [sent_days(v) for v in ("2026-13-01", "tomorrow", None, 20260501)] == [None] * 4
    moment = instant("2026-05-01T10:00:00-05:00")
    assert moment is not None
    assert moment.hour == 10
    assert [instant(v) for v in ("2026-05-01", "2026-05-01T10:00:00", "2026-05-01T99:00:00Z", 5)] == [None] * 4


@pytest.mark.parametrize("text", ["5 APRİL", "next ſunday", "in ſıx dayſ", "yeſterday"])
def test_letters_that_only_look_like_i_and_s_are_read_as_these(text: str) -> None:
    assert days(text) == days(text.translate(str.maketrans("ſİı", "sIi")))


def test_clock_times_in_several_forms() -> None:
    text = "9am, 12:15pm, 15:30, noon, 오후 3시 5분, 下午4点, 18 Uhr"
    assert clock_times(text) == {(9, 0), (12, 15), (15, 30), (12, 0), (15, 5), (16, 0), (18, 0)}
    assert clock_times("it costs $12:30, 25:99") == frozenset()


def trace(*messages: tuple[str, str], **metadata: object) -> Trace:
    return Trace.from_openai([{"role": r, "content": c} for r, c in messages], metadata=metadata)


def test_the_reference_day_comes_from_metadata_system_or_timestamp() -> None:
    assert reference_days(trace(("user", "hi"), reference_time="2026-11-30T23:00:00+09:00"), 0) == (MONDAY,)
    assert reference_days(trace(("system", "Today is Monday, 30 November 2026."), ("user", "hi")), 1) == (MONDAY,)
    both = trace(("system", "Date: 2026-12-01."), ("user", "hi"), reference_time="2026-11-30")
    assert reference_days(both, 1) == (MONDAY, date(2026, 12, 1))
    stamped = Trace.from_openai([{"role": "user", "content": "hi", "timestamp": "2026-11-30T20:00:00Z"}])
    assert reference_days(stamped, 0) == (MONDAY, date(2026, 12, 1))
    epoch = Trace.from_openai([{"role": "user", "content": "hi", "timestamp": 1796040000}])
    assert MONDAY in reference_days(epoch, 0)


@pytest.mark.parametrize("given", ["soon", True, [], None, "9" * 13])
def test_an_unknown_reference_is_no_day(given: object) -> None:
    found = reference_days(trace(("system", "Your update is ready."), ("user", "hi"), reference_time=given), 1)
    assert found == () or given == "9" * 13


def test_zones_are_read_with_their_sentence() -> None:
    found = zones("Pat is in Chicago. Chicago is at UTC-05:00 in summer. Berlin: Europe/Berlin, GMT+1.")
    assert [(z.name, z.minutes) for z in found] == [("Europe/Berlin", None), (None, -300), (None, 60)]
    assert "Chicago" in found[1].near
    moment = instant("2026-07-01T10:00:00+02:00")
    assert moment is not None
    assert found[1].offset(moment) == -300
    assert found[0].offset(moment) in (120, None)
    assert zones("Europe/Nowhere_Here")[0].offset(moment) is None


@given(st.text(max_size=60), st.dates())
def test_any_text_and_day_can_be_read(text: str, reference: date) -> None:
    for e in readings(text, reference):
        assert text[e.start : e.end] == e.text
    relative_phrase(text)
    clock_times(text)


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2200, 1, 1)), st.integers(1, 300))
def test_so_many_days_ahead_is_exact(reference: date, n: int) -> None:
    assert readings(f"in {n} days", reference)[0].days == {reference + timedelta(days=n)}
