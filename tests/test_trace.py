"""The record of a run, built from memory: messages, steps, turns, places."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import msgspec
import pytest

from rootcall.trace import Problem, Source, Tool, Trace, per_trace

CALL = {"id": "c", "function": {"name": "find", "arguments": '{"q": "x"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "one"},
    {"role": "assistant", "content": "looking", "tool_calls": [CALL, {**CALL, "id": "d"}]},
    {"role": "tool", "tool_call_id": "d", "content": "second"},
    {"role": "tool", "tool_call_id": "c", "content": "Error: first"},
    {"role": "assistant", "content": "done"},
    {"role": "user", "content": "two"},
    {"role": "assistant", "tool_calls": [CALL]},
]


def test_steps_and_turns_are_cut_at_responses_and_user_messages() -> None:
    trace = Trace.from_openai(MESSAGES, id="t", metadata={"trial": 1})
    assert trace.id == "t"
    assert trace.metadata == {"trial": 1}
    assert [m.role for m in trace.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert [len(s.calls) for s in trace.steps] == [2, 0, 1]
    assert [(t.user.text if t.user else None, len(t.steps), len(t.calls)) for t in trace.turns] == [
        ("one", 2, 2),
        ("two", 1, 1),
    ]
    assert [t.answer.text if t.answer else None for t in trace.turns] == ["done", None]
    assert [c.at for c in trace.calls] == ["messages[2].calls[0]", "messages[2].calls[1]", "messages[7].calls[0]"]
    assert [(c.step, c.turn) for c in trace.calls] == [(0, 0), (0, 0), (2, 1)]
    assert [c.outcome for c in trace.calls] == ["error", "ok", "no_result"]
    assert trace.calls[0].error is not None
    assert trace.calls[1].error is trace.calls[2].error is None


def test_a_trace_that_starts_with_the_assistant_has_a_turn_without_user() -> None:
    trace = Trace.from_openai([{"role": "assistant", "content": "Hi"}, {"role": "user", "content": "x"}])
    assert [(t.user is None, len(t.steps)) for t in trace.turns] == [(True, 1), (False, 0)]
    assert trace.turns[1].answer is None


def test_no_messages_give_no_steps() -> None:
    for empty in ([], None):
        trace = Trace.from_openai(empty)  # type: ignore[arg-type]
        assert (trace.steps, trace.turns, trace.calls, trace.problems) == ((), (), (), ())


def test_tools_not_known_and_none_offered_are_two_things() -> None:
    assert Trace.from_openai(MESSAGES).offered(0) is None
    assert Trace.from_openai(MESSAGES, tools=[]).offered(0) == {}
    known = Trace.from_openai(MESSAGES, tools=[{"name": "find"}])
    assert list(known.offered(0) or ()) == ["find"]
    assert known.tool("find") is not None
    assert known.tool("other") is None


def test_what_was_offered_cannot_be_changed_for_other_traces() -> None:
    trace = Trace.from_openai(MESSAGES, tools=[{"name": "find"}])
    offered = trace.offered(0)
    assert offered is not None
    with pytest.raises(TypeError):
        offered["other"] = Tool("other")  # type: ignore[index]
    assert trace.tool("other") is None


def test_tools_are_offered_within_their_steps() -> None:
    tools = (Tool("a", last_step=1), Tool("b", first_step=1), Tool("a", "new", first_step=2))
    trace = Trace("t", tools=tools, tools_known="declared")
    assert [sorted(trace.offered(n) or ()) for n in range(3)] == [["a"], ["a", "b"], ["a", "b"]]
    assert trace.tool("a") == tools[2]


def test_a_trace_from_anthropic_messages() -> None:
    use = {"type": "tool_use", "id": "u", "name": "find", "input": {"q": "x"}}
    told = {"type": "tool_result", "tool_use_id": "u", "content": "no", "is_error": True}
    trace = Trace.from_anthropic(
        [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [told]},
        ],
        [{"name": "find", "input_schema": {"type": "object"}}],
        system="be kind",
    )
    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "tool"]
    assert (trace.messages[0].at, trace.messages[0].text) == ("system", "be kind")
    assert trace.calls[0].outcome == "error"
    assert trace.calls[0].evidence == "flag"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (Source(), "<memory>"),
        (Source("f"), "f"),
        (Source("f", 3), "f:3"),
        (Source("f", 3, "/a/0"), "f:3#/a/0"),
        (Source("f", None, "/a"), "f#/a"),
    ],
)
def test_a_source_is_written_as_people_write_places(source: Source, text: str) -> None:
    assert str(source) == text
    assert str(Problem("code", "says", source)) == f"{text}: code: says"


def test_records_cannot_be_changed() -> None:
    trace = Trace.from_openai(MESSAGES)
    with pytest.raises(AttributeError):
        trace.id = "other"  # type: ignore[misc]
    assert msgspec.json.decode(msgspec.json.encode(trace))["id"] == "trace"


def test_what_is_known_of_a_trace_is_worked_out_once() -> None:
    asked: list[str] = []

    @per_trace
    def first_tool(trace: Trace) -> str | None:
        """The first tool."""
        asked.append(trace.id)
        return trace.calls[0].tool if trace.calls else None

    one, two = Trace.from_openai(MESSAGES, id="one"), Trace("two")
    assert [first_tool(one), first_tool(one), first_tool(two), first_tool(two), first_tool(one)] == [
        "find",
        "find",
        None,
        None,
        "find",
    ]
    assert asked == ["one", "two", "one"]
    assert first_tool.__doc__ == "The first tool."
    assert first_tool.__name__ == "first_tool"


def test_a_forgotten_trace_can_be_collected() -> None:
    trace = Trace("gone")
    held = weakref.ref(trace)
    del trace
    gc.collect()
    assert held() is None
