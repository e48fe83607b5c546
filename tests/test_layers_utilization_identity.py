"""A result about somebody else: found where it is told as if it were the right one, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.judging import verdict
from rootcall.trace import Trace


def told(answer: str, result: Any, sent: Any = "W-1001", tool: str = "get_order", name: str = "order_id") -> list[Any]:
    call = {"id": "1", "function": {"name": tool, "arguments": json.dumps({name: sent})}}
    trace = Trace.from_openai(
        [
            {"role": "user", "content": f"What is the total of {sent}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": json.dumps(result)},
            {"role": "assistant", "content": answer},
        ]
    )
    return [c for c in verdict(trace).checks if c.rule == "utilization/other-identity"]


OTHER = {"order_id": "W-2002", "total": 48.5, "status": "shipped"}


def test_another_order_told_as_the_one_asked_for_is_found() -> None:
    (check,) = told("Your total is $48.50.", OTHER)
    assert (check.status, check.grade, check.tool, check.argument) == ("fail", "likely", "get_order", "order_id")
    assert (check.expected, check.got) == ("W-1001", "W-2002")
    assert (
        check.message == "get_order was asked for order_id W-1001 and answered for W-2002; the answer does not say so"
    )


@pytest.mark.parametrize(
    ("answer", "result", "sent"),
    [
        ("Ihre Bestellung ist shipped.", OTHER, "W-1001"),
        ("합계는 $48.50입니다.", {"order": OTHER}, "W-1001"),
        ("It is shipped.", {"customer_id": 40817, "status": "shipped"}, 50022),
    ],
)
def test_in_other_words_and_shapes_too(answer: str, result: Any, sent: Any) -> None:
    name = "customer_id" if isinstance(sent, int) else "order_id"
    assert [c.status for c in told(answer, result, sent, name=name)] == ["fail"]


@pytest.mark.parametrize(
    ("answer", "result", "sent", "tool"),
    [
        ("Your total is $48.50.", {**OTHER, "order_id": "w1001"}, "W-1001", "get_order"),  # written otherwise
        ("The result is for another order, W-2002.", OTHER, "W-1001", "get_order"),  # noticed
        ("The system returned a different order.", OTHER, "W-1001", "get_order"),
        ("I could not find your order.", OTHER, "W-1001", "get_order"),  # nothing of it is told
        (
            "Your total is $48.50.",
            {**OTHER, "replaces": "W-1001"},
            "W-1001",
            "get_order",
        ),  # it says how they belong together
        (
            "Your total is $48.50.",
            {**OTHER, "order_id": "8f14e45f"},
            "W-1001",
            "get_order",
        ),  # an identifier of another kind
        (
            "Your total is $48.50.",
            {"id": "W-2002", "total": 48.5},
            "W-1001",
            "get_order",
        ),  # not under the name that was sent
        ("The new order costs $48.50.", OTHER, "W-1001", "copy_order"),  # a write makes another one
        ("Your total is $48.50.", [OTHER], "W-1001", "get_order"),
        ("Your total is $48.50.", "shipped", "W-1001", "get_order"),
        ("Your total is $48.50.", {**OTHER, "order_id": None}, "W-1001", "get_order"),
    ],
)
def test_what_may_be_right_is_left_alone(answer: str, result: Any, sent: Any, tool: str) -> None:
    assert told(answer, result, sent, tool) == []


def test_it_is_the_root_cause() -> None:
    call = {"id": "1", "function": {"name": "get_order", "arguments": '{"order_id": "W-1001"}'}}
    trace = Trace.from_openai(
        [
            {"role": "user", "content": "What is the total of order W-1001?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": json.dumps(OTHER)},
            {"role": "assistant", "content": "The total of your order is $48.50."},
        ]
    )
    cause = verdict(trace).root_cause
    assert cause is not None
    assert (cause.layer, cause.rule) == ("utilization", "utilization/other-identity")
