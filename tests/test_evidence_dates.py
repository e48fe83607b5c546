"""Days in words: sets of readings, in a few languages, against a reference day."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dates as benchmark
from bugcases import load
from rootcall.config import DateConventions
from rootcall.evidence.clock import reference_days, zones
from rootcall.evidence.dates import (
    Expression,
    clock_times,
    grade,
    instant,
    phrase,
    readings,
    relative_phrase,
    sent_days,
)
from rootcall.evidence.dates.fallback import _NO_DAY, _parsed
from rootcall.evidence.dates.lexicon import EASTERN, LATIN
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


def stretches(text: str, reference: date = MONDAY) -> list[str]:
    found = readings(text, reference)
    assert len(found) == 1, found
    return [f"{r.start}..{r.end}" if r.start != r.end else str(r.start) for r in found[0].readings]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("two weeks from Friday", ["2026-12-18"]),
        ("three days before March 10th", ["2027-03-07"]),
        ("the day after the 5th of January", ["2027-01-06"]),
        ("two Fridays ago", ["2026-11-20"]),
        ("the last Friday of January", ["2027-01-29"]),
        ("second to last Friday of January", ["2027-01-22"]),
        ("the first Monday of next month", ["2026-12-07"]),
        ("the last day of February 2028", ["2028-02-29"]),
        ("the twenty-first of January", ["2027-01-21"]),
        ("January 5th of next year", ["2027-01-05"]),
        ("the 3rd of next month", ["2026-12-03"]),
        ("the Monday closest to January 6", ["2027-01-04"]),
        ("the Friday before last", ["2026-11-20"]),
        ("5 business days from now", ["2026-12-07"]),
        ("a week ago today", ["2026-11-23"]),
        ("Tuesday the 8th", ["2026-12-08"]),
        ("Thursday the 15th", ["2027-04-15", "2026-12-15"]),
        ("31-Oct-74", ["1974-10-31"]),
        ("Oct.31,2026", ["2026-10-31"]),
        ("31/Oct/2026", ["2026-10-31"]),
        ("31/10/2026", ["2026-10-31"]),
        ("the week of Dec 14", ["2026-12-14..2026-12-20"]),
        ("the end of next month", ["2026-12-21..2026-12-31"]),
        ("early March", ["2027-03-01..2027-03-10"]),
        ("second quarter of 2027", ["2027-04-01..2027-06-30"]),
        ("summer 2027", ["2027-06-21..2027-09-23"]),
        ("last winter", ["2025-12-21..2026-03-20"]),
        ("in a few days", ["2026-12-02..2026-12-05"]),
        ("the next three days", ["2026-12-01..2026-12-03"]),
        ("the first weekend of May", ["2027-05-01..2027-05-02"]),
        ("on the weekend", ["2026-12-05..2026-12-06", "2026-12-04..2026-12-06"]),
        ("주말에", ["2026-12-05..2026-12-06", "2026-12-04..2026-12-06"]),
        ("mid-March", ["2027-03-11..2027-03-20"]),
        ("1 year 2 months from now", ["2028-01-30"]),
        ("next Tuesday, December 8th", ["2026-12-08"]),
        ("12월 셋째 주 화요일", ["2026-12-15"]),
        ("the weekend of December 12", ["2026-12-12..2026-12-13", "2026-12-11..2026-12-13"]),
        ("다음 달 둘째 금요일", ["2026-12-11"]),
        ("이천이십육년 십이월 삼일", ["2026-12-03"]),
        ("3월 3일부터 이틀 뒤", ["2027-03-05"]),
        ("12월 4일(금)", ["2026-12-04"]),
        ("이번 주 토요일", ["2026-12-05"]),
        ("来月の第一月曜日", ["2026-12-07"]),
        ("二〇二六年十二月四日", ["2026-12-04"]),
        ("下个月15号", ["2026-12-15"]),
        ("nächste Woche Mittwoch", ["2026-12-09"]),
        ("am letzten Freitag im Januar", ["2027-01-29"]),
        ("Freitagabend", ["2026-12-04", "2026-11-27"]),
        ("el primer lunes de febrero", ["2027-02-01"]),
        ("lundi en huit", ["2026-12-14", "2026-12-07"]),
    ],
)
def test_words_are_put_together(text: str, wanted: list[str]) -> None:
    assert stretches(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "from the 13th to the 15th of December", "from 13 to 15 December", "December 13-15", "Dec 13 - Dec 15, 2026",
        "between December 13 and December 15", "between the 13th and 15th of December", "13th to 15th", "from Dec 13 for 2 nights",
        "2 nights from Dec 13", "vom 13. bis 15. Dezember", "zwischen dem 13. und 15. Dezember", "del 13 al 15 de diciembre",
        "entre el 13 y el 15 de diciembre", "du 13 au 15 décembre", "entre le 13 et le 15 décembre", "12월 13일부터 15일까지",
        "12월 13일 2박", "12月13日から15日まで", "从12月13号到15号", "2026-12-13 to 2026-12-15",
    ],
)  # fmt: skip
def test_a_stretch_has_its_first_and_last_day(text: str) -> None:
    assert stretches(text)[0] == "2026-12-13..2026-12-15"
    assert readings(text, MONDAY)[0].grain == "range"
    assert readings(text, MONDAY)[0].clear


def test_a_stretch_of_weekdays_is_the_one_ahead_first() -> None:
    assert stretches("Friday to Sunday")[0] == "2026-12-04..2026-12-06"
    assert stretches("Monday to Wednesday next week") == ["2026-12-07..2026-12-09"]
    assert stretches("tomorrow through Friday") == ["2026-12-01..2026-12-04"]


@pytest.mark.parametrize(
    "text",
    [
        "this Friday, first class", "from the first to the second airport", "from 2 to 4 adults", "the second option",
        "el martes a las 3", "3일 휴가를 신청해", "3박 4일 여행", "3일 동안", "ask monday.com", "open 24/7", "one weekend", "at 12:30 - 3 people",
        "the week", "I sat in the sun", "the 3 of us", "1/2 cup",
    ],
)  # fmt: skip
def test_numbers_and_ordinals_are_days_only_in_their_place(text: str) -> None:
    assert all(not any(c.isdigit() for c in e.text) and e.grain == "day" for e in readings(text, MONDAY))
    assert [e.text for e in readings(text, MONDAY)] in ([], ["this Friday"], ["martes"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12월 10일부터 두 명", "12월 10일"),
        ("12월 10일부터 3명 예약", "12월 10일"),
        ("12月10日から2名で", "12月10日"),
        ("12月10日到2人", "12月10日"),
        ("ab 10. Dezember zwei Personen", "10. Dezember"),
        ("am 3. Mai drei Erwachsene", "3. Mai"),
        ("du 10 décembre deux personnes", "10 décembre"),
        ("on 5 March 30 people", "5 March"),
        ("on 5 March, 30 people", "5 March"),
        ("from December 10 to 2 friends", "December 10"),
        ("a table for two May 5", "May 5"),
        ("a table for 2 next month", "next month"),
        ("le deux mars", "le deux mars"),
        ("the December 10 flight", "December 10"),
    ],
)
def test_a_number_that_counts_is_no_day(text: str, wanted: str) -> None:
    assert [e.text for e in readings(text, MONDAY)] == [wanted]


@pytest.mark.parametrize(
    "text",
    ["4월 3명", "5月三个人", "December 2 people", "book May 5 rooms", "am 2. Gleis", "on the 5th floor", "room 12/14",
     "dezember zwei", "two March"],
)  # fmt: skip
def test_a_number_of_things_is_no_day_of_a_month(text: str) -> None:
    assert readings(text, MONDAY) == ()


@pytest.mark.parametrize(
    ("text", "clear"), [("on 5 March '30", True), ("on 5 March, 30.", True), ("on 5 March 30 of us", False)]
)
def test_a_year_of_two_figures_stands_apart_or_ends_the_sentence(text: str, clear: bool) -> None:
    [found] = readings(text, MONDAY)
    assert found.clear == clear
    assert [r.start.year for r in found.readings] == ([2030] if clear else [])


@pytest.mark.parametrize("text", ["12월 10일부터 3일", "12월 10일부터 3일간", "12月10日から3日", "12월 10일부터 사흘"])
def test_days_after_a_first_day_are_so_many_days(text: str) -> None:
    assert stretches(text) == ["2026-12-10..2026-12-13", "2026-12-10..2026-12-12"]


def test_a_later_day_of_the_month_after_a_first_day_ends_the_stretch() -> None:
    for text in ("12월 10일부터 13일", "12월 10일부터 13일까지", "12月10日から13日まで"):
        assert stretches(text) == ["2026-12-10..2026-12-13"]
    assert stretches("12월 30일부터 2일까지") == ["2026-12-30..2027-01-02"]
    assert stretches("다음주 금요일부터 3일") == ["2026-12-11..2026-12-14", "2026-12-11..2026-12-13"]


def test_a_stretch_with_its_nights_is_that_stretch_and_with_other_nights_none() -> None:
    for text in (
        "vom 3. bis 5. Dezember, zwei Nächte",
        "from 3 to 5 December for 2 nights",
        "12월 3일부터 5일까지 2박",
    ):
        assert stretches(text) == ["2026-12-03..2026-12-05"]
    for text in ("from 3 to 5 December, 3 nights", "del 3 al 5 de diciembre, una noche más"):
        assert stretches(text) == []


def test_a_long_text_of_days_costs_no_more_a_day_than_a_short_one() -> None:
    text = "12월 10일부터 " * 3000
    started = time.process_time()
    assert len(readings(text, MONDAY)) > 1000
    # A second on a slow machine; comparing every day with every other took ten times that.
    assert time.process_time() - started < 3


def test_which_friday_is_next_can_be_declared() -> None:
    spoken = readings("next Friday", MONDAY)[0]
    nearest, next_week = date(2026, 12, 4), date(2026, 12, 11)
    assert [grade(d, spoken) for d in (next_week, nearest, date(2026, 12, 5))] == ["exact", "acceptable", "wrong"]
    declared = DateConventions(next="nearest")
    assert [grade(d, spoken, declared) for d in (nearest, next_week)] == ["exact", "wrong"]
    assert grade(nearest, spoken, DateConventions(next="next-week")) == "wrong"
    assert spoken.under(declared).days == {nearest}
    assert grade("2026-12-04T10:00:00Z", spoken, declared) == "exact"
    assert grade("next Friday", spoken, declared) == "wrong"


def test_languages_with_a_clear_convention_have_it_first() -> None:
    for text in ("el próximo viernes", "vendredi prochain", "次の金曜日"):
        assert readings(text, MONDAY)[0].readings[0].start == date(2026, 12, 4)


def test_the_order_of_day_and_month_can_be_declared() -> None:
    spoken = readings("on 03/04/2026", MONDAY)[0]
    march, april = date(2026, 3, 4), date(2026, 4, 3)
    assert [grade(d, spoken) for d in (march, april)] == ["exact", "acceptable"]
    assert [grade(d, spoken, DateConventions(order="dmy")) for d in (march, april)] == ["wrong", "exact"]
    assert grade(april, spoken, DateConventions(order="mdy")) == "wrong"
    assert readings("le 03/04/2026", MONDAY)[0].days == {april}
    assert readings("from 03/04/2026 to 05/04/2026", MONDAY)[0].under(DateConventions(order="dmy")).days >= {april}


def test_a_stretch_is_graded_by_both_ends_and_a_day_within_it() -> None:
    spoken = readings("from the 3rd to the 5th of December", MONDAY)[0]
    assert grade((date(2026, 12, 3), date(2026, 12, 5)), spoken) == "exact"
    assert grade((date(2026, 12, 3), date(2026, 12, 6)), spoken) == "wrong"
    assert grade(date(2026, 12, 4), spoken) == "exact"
    assert grade(date(2026, 12, 4), Expression("soon", 0, 4, "vague")) == "wrong"


@pytest.mark.parametrize(
    ("text", "day"),
    [("domani", "2026-12-01"), ("amanhã", "2026-12-01"), ("послезавтра", "2026-12-02"), ("tra 3 giorni", "2026-12-03"), ("yarın", "2026-12-01")],
)  # fmt: skip
def test_phrases_of_other_languages_are_read_by_dateparser(text: str, day: str) -> None:
    found = phrase(text, MONDAY)
    assert found is not None
    assert (found.kind, found.days) == ("relative", {date.fromisoformat(day)})
    assert relative_phrase(text) is not None


@pytest.mark.parametrize("text", ["London", "economy", "confirmed", "gate 12", "maggio", "any day", "ABC", "x" * 50])
def test_other_phrases_are_no_day_in_any_language(text: str) -> None:
    assert phrase(text, MONDAY) is None


def test_a_day_of_a_month_in_another_language_is_absolute() -> None:
    found = phrase("12 maggio 2027")
    assert found is not None
    assert (found.kind, found.days) == ("absolute", {date(2027, 5, 12)})
    assert relative_phrase("12 maggio 2027") is None


@pytest.mark.parametrize(
    "text", ["YYYY", "YYYY-MM-DD", "MM/DD/YYYY", "null", "None", "ANY", "dontcare", "unknown", "TBD", "n/a"]
)
def test_forms_and_stand_ins_are_no_day_and_dateparser_says_so_too(text: str) -> None:
    assert _NO_DAY.fullmatch(text)
    assert _parsed(text, MONDAY) is None


@pytest.mark.parametrize("text", ["domani", "n/a domani", "12 maggio 2027", "any day"])
def test_other_phrases_are_asked(text: str) -> None:
    assert not _NO_DAY.fullmatch(text)


def test_dateparser_is_imported_only_when_it_is_asked() -> None:
    code = (
        "import sys; from rootcall.evidence.dates import readings, phrase; readings('am 3. Mai'); phrase('YYYY-MM-DD');"
        "sys.exit('dateparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("name", "floor"), [("date_sentences.jsonl", 0.97), ("duckling_days.jsonl.gz", 0.95)])
def test_the_meaning_of_many_expressions(name: str, floor: float) -> None:
    rows, left_out = benchmark.chosen(load(Path(__file__).parent / "data" / name))
    figures = benchmark.tally(rows, lambda row: benchmark.ours(row, DateConventions())).figures()
    assert len(rows) >= 70
    assert figures["acceptable"] >= floor
    assert figures["wrong"] <= 0.03
    assert figures["mean_set"] <= 1.5
    assert figures["shifted"] >= 0.95
    assert len(left_out) == (6 if "duckling" in name else 0)


RELATIVE = (
    "Friday", "next Friday", "last Friday", "this Tuesday", "Friday next week", "two weeks from Monday", "tomorrow", "3 days ago",
    "next week", "this weekend", "Friday to Sunday", "Friday in two weeks", "다음 주 금요일", "지난 화요일", "nächsten Freitag",
    "el próximo viernes", "vendredi prochain", "来週の金曜日", "下周五", "in a fortnight", "5 business days from now",
)  # fmt: skip


@given(st.sampled_from(RELATIVE), st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_a_week_later_every_relative_reading_is_a_week_later(text: str, reference: date) -> None:
    week = timedelta(weeks=1)
    now, later = readings(text, reference)[0].readings, readings(text, reference + week)[0].readings
    assert [(r.start + week, r.end + week, r.follows) for r in now] == [tuple(r) for r in later]


@given(st.sampled_from(("3 May 2031", "2031-05-03", "05/03/2031", "3. Mai 2031", "2031년 5월 3일")), st.dates())
def test_a_day_with_its_year_hangs_on_no_reference(text: str, reference: date) -> None:
    assert readings(text, reference)[0].readings == readings(text)[0].readings


WORDS = {
    name: [*sorted(entries), "3", "15", "2027", "3rd", "31/12", "9am", "2026-12-04"]
    for name, entries in {**LATIN, **EASTERN}.items()
}


@settings(max_examples=600)
@given(st.sampled_from(sorted(WORDS)).flatmap(lambda n: st.lists(st.sampled_from(WORDS[n]), max_size=10)), st.dates())
def test_any_run_of_date_words_is_read_and_placed_in_the_text(words: list[str], reference: date) -> None:
    text = " ".join(words)
    end = 0
    for e in readings(text, reference):
        assert end <= e.start < e.end
        assert text[e.start : e.end] == e.text
        assert all(r.start <= r.end for r in e.readings)
        end = e.end


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.dates(date(2000, 1, 1), date(2068, 1, 1)))
def test_every_written_form_of_a_day_means_it(day: date, reference: date) -> None:
    forms = (
        day.isoformat(),
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day}. {day:%m}. {day.year}",
        f"{day.year}년 {day.month}월 {day.day}일",
    )
    for form in forms:
        assert day in {d for e in readings(re.sub(r"\. ", ".", form), reference) for d in e.days}


def test_no_reading_hangs_on_the_wall_clock() -> None:
    code = (
        "import datetime as d, sys\n"
        "class Never(d.datetime):\n"
        "    now = today = utcnow = classmethod(lambda *a, **k: 1 / 0)\n"
        "class Day(d.date):\n"
        "    today = classmethod(lambda *a: 1 / 0)\n"
        "from rootcall.evidence import dates\n"
        "from rootcall.evidence.dates import calendar, expressions, lexing, sent, stretches\n"
        "for m in (calendar, expressions, sent, stretches):\n"
        "    m.date = Day if hasattr(m, 'date') else None\n"
        "    m.datetime = Never if hasattr(m, 'datetime') else None\n"
        "r = d.date(2026, 11, 30)\n"
        "for t in ('next Friday', 'July 10', 'in 3 months', '5 December', 'the 3rd', '내일', 'Friday to Sunday'):\n"
        "    assert dates.readings(t, r)[0].days, t\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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
