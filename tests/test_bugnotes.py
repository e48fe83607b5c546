"""Public bug reports that are no single trace: what was given, and what is right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.case import Case
from rootcall.jsonvalue import MISSING, equal
from rootcall.judging import verdict
from rootcall.trace import Trace


def call(tool: str, arguments: Any = None, **message: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments or {})}
    return {"role": "assistant", "tool_calls": [{"id": f"c-{tool}", "function": function}], **message}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


@pytest.mark.parametrize(("wanted", "made", "f1"), [(2, 2, 1.0), (2, 1, 2 / 3), (1, 2, 2 / 3), (0, 0, 1.0)])
def test_equal_calls_are_counted_as_a_multiset(wanted: int, made: int, f1: float) -> None:
    roll = {
        "role": "assistant",
        "tool_calls": [{"id": f"c{i}", "function": {"name": "roll", "arguments": "{}"}} for i in range(made)],
    }
    trace = Trace.from_openai([{"role": "user", "content": "Roll."}, *([roll] if made else [])])
    case = Case.from_dict({"expect": {"calls": [{"tool": "roll"}] * wanted, "extra": "forbid"}})
    assert verdict(trace, case).layers["selection"].score == pytest.approx(f1)


def talk(helper: str) -> Trace:
    """A leader delegates, and a helper with a list of its own calls a tool."""
    messages = [
        {"role": "user", "content": "Refund order A7, please."},
        call("delegate", {"to": "billing"}, name="leader"),
        {"role": "tool", "tool_call_id": "c-delegate", "content": "on it"},
        call("refund_order", {"order": "A7"}, name=helper),
        {"role": "tool", "tool_call_id": "c-refund_order", "content": '{"refunded": true}'},
        {"role": "assistant", "content": "Order A7 has been refunded."},
    ]
    order = {"type": "string"}
    tools = [{**tool("delegate"), "agent": "leader"}, {**tool("refund_order", order=order), "agent": "helper"}]
    return Trace.from_openai(messages, tools)


def not_offered(trace: Trace) -> list[str | None]:
    return [c.tool for c in verdict(trace).checks if c.rule == "selection/tool-not-offered" and c.fails]


def test_each_call_is_judged_by_the_tools_of_the_agent_that_made_it() -> None:
    assert not_offered(talk("helper")) == []
    assert not_offered(talk("leader")) == ["refund_order"]


def test_two_agents_may_have_a_tool_of_one_name_each() -> None:
    narrow, wide = tool("find", q={"type": "string"}), tool("find", q={"type": "integer"})
    messages = [{"role": "user", "content": "Find 7."}, call("find", {"q": 7}, name="b")]
    trace = Trace.from_openai(messages, [{**narrow, "agent": "a"}, {**wide, "agent": "b"}])
    assert not trace.problems
    assert [c.rule for c in verdict(trace).checks if c.fails and c.layer == "arguments"] == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from("xyz"), json_values, max_size=3)


@settings(deadline=None)
@given(arguments, arguments)
def test_a_call_that_scores_1_lists_no_failure_and_what_fails_says_gold_and_call(gold: Any, sent: Any) -> None:
    trace = Trace.from_openai([{"role": "user", "content": "Go."}, call("t", sent)])
    case = Case.from_dict({"expect": {"calls": [{"tool": "t", "arguments": gold}]}})
    found = verdict(trace, case)
    failing = [c for c in found.checks if c.rule == "arguments/value-mismatch" and c.fails]
    if found.layers["arguments"].score == 1.0:
        assert failing == []
    for c in failing:
        assert c.argument is not None
        assert equal(c.expected, gold.get(c.argument, MISSING))
        assert equal(c.got, sent.get(c.argument, MISSING))
        assert not equal(c.expected, c.got)
