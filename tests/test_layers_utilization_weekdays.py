"""Weekdays beside dates, bills of quantities and prices, units that count in many, and whose a value in a list is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.evidence.units import unit_of_text
from rootcall.judging import verdict
from rootcall.trace import Trace


def told(answer: str, payload: Any, question: str = "How is it?") -> list[tuple[str, str]]:
    """The failing claims of an answer: rule and what was told."""
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    trace = Trace.from_openai(
        [
            {"role": "user", "content": question},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": json.dumps(payload, ensure_ascii=False)},
            {"role": "assistant", "content": answer},
        ]
    )
    return [
        (c.rule.partition("/")[2], str(c.got))
        for c in verdict(trace).checks
        if c.layer == "utilization" and c.status == "fail" and c.grade != "hint"
    ]


EXAM = {"exam": "chemistry", "date": "2026-11-25"}  # a Wednesday


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("It is on Wednesday, 25 November.", "It is on Friday, 25 November."),
        ("It is on Wed., November 25.", "It is on Thu., November 25."),
        ("It is on November 25 (Wed).", "It is on November 25 (Fri)."),
        ("It is on 25 November 2026, a Wednesday.", "It is on 25 November 2026, a Tuesday."),
        ("Sie ist am Mittwoch, 25. November 2026.", "Sie ist am Freitag, 25. November 2026."),
        ("Es el miércoles 25 de noviembre.", "Es el viernes 25 de noviembre."),
        ("시험은 11월 25일(수)입니다.", "시험은 11월 25일(목)입니다."),
        ("試験は11月25日(水)です。", "試験は11月25日(木)です。"),
    ],
)
def test_a_weekday_beside_a_date(right: str, wrong: str) -> None:
    assert told(right, EXAM) == []
    assert [rule for rule, _ in told(wrong, EXAM)] == ["shifted-date"]


@pytest.mark.parametrize(
    "answer",
    [
        "It is on Friday.",  # bound to no date
        "It is on 25 November; on Friday there is none.",
        "Sun damage was found on 25 November.",
        "They met on 25 November (Monday Club).",
    ],
)
def test_a_weekday_that_stands_elsewhere_is_not_judged(answer: str) -> None:
    assert told(answer, EXAM) == []


def test_without_a_year_nothing_is_known_of_a_weekday() -> None:
    assert told("It is on Friday, 25 November.", {"exam": "chemistry", "room": 3}) == []
    two = {"exams": [{"date": "2026-11-25"}, {"date": "2025-11-25"}]}
    assert told("It is on Friday, 25 November.", two) == []
    assert told("It is on Friday, 30 February 2026.", two) == []


ORDER = {
    "items": [
        {"name": "keyboard", "qty": 2, "unit_cents": 7490},
        {"name": "mouse", "qty": 3, "unit_cents": 3250},
        {"name": "cable", "qty": 5, "unit_cents": 899},
    ],
    "shipping_cents": 595,
    "discount_cents": 1500,
    "currency": "USD",
}


def test_bills() -> None:
    assert told("The goods add up to $292.25, so the total charge is $283.20.", ORDER) == []
    assert told("The total is $292.25 plus $5.95 for shipping.", ORDER) == []
    assert [rule for rule, _ in told("The goods add up to $294.25 in total.", ORDER)] == ["wrong-derivation"]


def test_shares_written_as_fractions() -> None:
    player = {"name": "Nadia Kowal", "three_point_pct": 0.387, "free_throw_pct": 0.912}
    assert told("She made 38.7% of her three-pointers and 91.2% of her free throws.", player) == []
    assert told("She made 37.8% of her three-pointers.", player) == [("transposed-digits", "37.8%")]


def test_units_that_count_in_many() -> None:
    figures = {"name": "한빛소재", "unit": "백만원", "revenue": 352000, "employees": 1180}
    assert told("매출은 3,520억 원이고 직원은 1,180명입니다.", figures) == []
    assert told("Revenue was $352 million.", {"unit": "USD millions", "revenue": 352}) == []
    assert told("Revenue was $352 billion.", {"unit": "USD millions", "revenue": 352}) != []


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        ("백만원", "money:KRW", 1e6),
        ("million USD", "money:USD", 1e6),
        ("EUR thousands", "money:EUR", 1e3),
        ("in millions of USD", "money:USD", 1e6),
        ("億円", "money:JPY", 1e8),
        ("thousand things", None, None),
        ("만", None, None),
    ],
)
def test_names_of_such_units(text: str, dimension: str | None, factor: float | None) -> None:
    unit = unit_of_text(text)
    assert (None if unit is None else (unit.dimension, unit.factor, unit.scaled)) == (
        None if dimension is None else (dimension, factor, True)
    )


def test_a_name_right_behind_a_value_says_whose_it_is() -> None:
    stock = {"stores": [{"store": "Dublin", "qty": 14}, {"store": "Cork", "qty": 6}]}
    assert told("There are 14 in Dublin, 6 in Cork.", stock) == []
    assert told("Dublin has 6.", stock) == [("sibling-value", "6")]


def test_many_digits_in_another_order_are_a_slip_wherever_they_stand() -> None:
    assets = [{"symbol": s, "amount": a, "usd": u} for s, a, u in (("BTC", "0.04718200", 2893.15), ("ETH", "1.25", 3310.4), ("USDC", "540.00", 540.0), ("SOL", "12.5", 1800.0))]  # fmt: skip
    assert told("You hold 0.047182 BTC and 1.25 ETH.", {"assets": assets}) == []
    assert told("You hold 0.041782 BTC and 1.25 ETH.", {"assets": assets}) == [("transposed-digits", "0.041782")]


def test_what_a_score_is_counted_in_is_no_claim() -> None:
    grades = {"subjects": [{"name": "Maths", "score": 88}, {"name": "Music", "score": 96}]}
    assert told("Out of 100 she has 88 in Maths and 96 in Music.", grades) == []
