from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.mention import Mention, digits, hedge_bounds
from rootcall.evidence.units import convert, unit_of_key, unit_of_text
from rootcall.evidence.values import amounts, mentions
from rootcall.evidence.words import key_words


def only(text: str) -> Mention:
    found = mentions(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("$218.50", 218.5, "USD"),
        ("218.50 USD", 218.5, "USD"),
        ("USD 45.00", 45.0, "USD"),
        ("US$45", 45.0, "USD"),
        ("4,500 cents", 4500.0, "cents"),
        ("12.4k", 12_400.0, None),
        ("12.4M", 12_400_000.0, None),
        ("$29B", 29e9, "USD"),
        ("85.2%", 85.2, "percent"),
        ("1 074", 1074.0, None),
        ("1,074", 1074.0, None),
        ("4만 5,000원", 45_000.0, "KRW"),
        ("1억 2천만원", 120_000_000.0, "KRW"),
        ("3만원", 30_000.0, "KRW"),
        ("24°C", 24.0, "degrees Celsius"),
        ("670 s", 670.0, "seconds"),
        ("3.5h", 3.5, "hours"),
        ("−5 °C", -5.0, "degrees Celsius"),
        ("16 weeks", 16.0, "weeks"),
        ("2 million euros", 2_000_000.0, "EUR"),
    ],
)
def test_reads_numbers_with_their_units(text: str, value: float, unit: str | None) -> None:
    m = only(text)
    assert m.readings[0] == value
    assert (m.unit.name if m.unit else None) == unit


def test_a_dot_groups_thousands_in_german_and_not_in_english() -> None:
    assert only("Die Summe beträgt 4.183 Euro.").readings[0] == 4183
    assert only("The total is 4.183 euros.").readings == (4.183,)
    assert only("Das kostet 1.074,50 Euro und ist nicht teuer.").readings == (1074.5,)
    assert only("It is 1,074.50 euros.").readings == (1074.5,)
    assert only("Das sind 45,00 €.").readings == (45.0,)


@pytest.mark.parametrize(
    "text",
    [
        "29B",
        "seat 20C",
        "call +1 800 555 0142",
        "see https://example.com/12/34",
        "the 2nd one",
        "v1.2.3",
        "open 24/7",
        "a@b12.example",
        "about " + "9" * 400,
    ],
)
def test_codes_ordinals_phones_and_links_are_no_numbers(text: str) -> None:
    assert [m for m in mentions(text) if m.kind == "number"] == []


def test_list_numbers_are_no_values() -> None:
    assert mentions("1. first\n2. second") == ()


def test_number_words_count_and_one_is_a_pronoun() -> None:
    assert [m.readings[0] for m in mentions("two of them, and one more")] == [2]
    assert [m.readings[0] for m in mentions("예약 세 건이 있습니다")] == [3]


def test_hedges_say_on_which_side_the_value_lies() -> None:
    assert only("up to 20 lb").hedge == ""
    assert hedge_bounds(only("about 8,000 files")) == (7500, 8500)
    assert hedge_bounds(only("about 12")) == (11.5, 12.5)
    assert hedge_bounds(only("a little over $400")) == (400, 500)
    assert hedge_bounds(only("almost 400")) == (300, 400)
    assert hedge_bounds(only("knapp 30 Euro")) == (20, 30)


@pytest.mark.parametrize(
    ("text", "day", "year"),
    [
        ("on 4 December", 1204, None),
        ("June 4th, 2026", 604, 2026),
        ("2026-06-04", 604, 2026),
        ("am 3. Oktober 2026", 1003, 2026),
        ("3 de octubre", 1003, None),
        ("10월 3일", 1003, None),
        ("2026年6月4日", 604, 2026),
        ("04.06.2026", 604, 2026),
    ],
)
def test_reads_dates(text: str, day: int, year: int | None) -> None:
    m = only(text)
    assert (m.kind, m.readings, m.year) == ("date", (float(day),), year)


def test_a_slashed_date_has_two_readings_and_money_is_no_date() -> None:
    assert only("06/04/2026").readings == (604.0, 406.0)
    assert only("$12.10.").kind == "number"
    assert mentions("99.99.2026") == ()


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("09:10", (550,)),
        ("9:10", (550, 1270)),
        ("9:10 pm", (1270,)),
        ("3pm", (900,)),
        ("12 am", (0,)),
        ("오후 3시 30분", (930,)),
        ("14 Uhr", (840,)),
        ("오전 10시 반", (630,)),
    ],
)
def test_reads_times(text: str, minutes: tuple[int, ...]) -> None:
    m = only(text)
    assert (m.kind, m.readings) == ("time", tuple(map(float, minutes)))


def test_codes_need_letters_and_two_digits() -> None:
    assert [m.text for m in mentions("ticket r-709, flight KE701, order #W2378156")] == ["r-709", "KE701", "#W2378156"]
    assert mentions("b2 and c3po") == ()


def test_names_of_fields_carry_units() -> None:
    assert key_words("pricePerPerson_cents") == ("price", "per", "person", "cents")
    assert unit_of_key("wind_km_h") == unit_of_text("km/h")
    assert unit_of_key("amount_cents") == unit_of_text("cents")
    assert unit_of_key("id") is None
    assert unit_of_key("temp_c") == unit_of_text("°c")


def test_converts_within_a_dimension_only() -> None:
    kg, lb, c, f, day, week = (unit_of_text(u) for u in ("kg", "lb", "°c", "°f", "days", "weeks"))
    assert kg
    assert lb
    assert c
    assert f
    assert day
    assert week
    assert convert(20, kg, lb) == pytest.approx(44.09, abs=0.01)
    assert convert(20, c, f) == 68
    assert convert(68, f, c) == 20
    assert convert(16, day, week) == pytest.approx(2.2857, abs=1e-4)
    assert convert(1, kg, day) is None


def test_pounds_are_weight_or_sterling_and_open_units_meet_each_of_their_kind() -> None:
    pounds, lb, gbp, cents, usd = (unit_of_text(u) for u in ("pounds", "lb", "£", "cents", "$"))
    assert pounds
    assert lb
    assert gbp
    assert cents
    assert usd
    assert convert(45, pounds, lb) == 45
    assert convert(45, pounds, gbp) == 45
    assert convert(45, pounds, cents) == 4500
    assert convert(4500, cents, pounds) == 45
    assert convert(45, pounds, usd) is None
    assert convert(45, lb, gbp) is None
    assert convert(45, usd, cents) == 4500


def test_amounts_count_in_letters_and_in_any_country() -> None:
    found = {m.text: m.readings for m in amounts("two hours, half an hour, a week, -$5, $1.250, 30minutes, 3 left")}
    assert found == {
        "two hours": (2.0,),
        "half an hour": (0.5,),
        "a week": (1.0,),
        "-$5": (5.0,),
        "$1.250": (1.25, 1250.0),
        "30minutes": (30.0,),
    }


@pytest.mark.parametrize("text", ["auguſt 5", "5 APRİL", "5 thouſand", "ſix dayſ", "ten mınutes"])
def test_letters_that_only_look_like_i_and_s_are_read_as_these(text: str) -> None:
    plain = text.translate(str.maketrans("ſİı", "sIi"))
    assert [m.readings for m in mentions(text)] == [m.readings for m in mentions(plain)] or "ſix" in text
    assert [m.readings for m in amounts(text)] == [m.readings for m in amounts(plain)]


def test_digits_are_without_marks_and_leading_zeros() -> None:
    assert digits(45.0, 2) == "4500"
    assert digits(0.05, 2) == "5"


@given(st.text(max_size=200))
def test_never_raises_and_mentions_do_not_overlap(text: str) -> None:
    found = mentions(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert all(0 <= m.start < m.end <= len(text) for m in found)


@given(st.integers(0, 10**7))
def test_a_grouped_number_reads_as_itself(n: int) -> None:
    assert only(f"There are {n:,} of them").readings[0] == n
