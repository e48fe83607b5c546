"""Writing traces: what is read back is the same trace up to what the form can hold, and what it cannot hold is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.errors import InputError
from rootcall.export import FORMS, export
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Call, Trace

TRACES = Path(__file__).parent / "data" / "traces"


def _all() -> list[Trace]:
    found = []
    for file in sorted(TRACES.iterdir()):
        try:
            found += list(read(file))
        except InputError:  # files of this folder that no reader takes are the business of other tests
            continue
    return found


def _back(row: dict[str, Any], tmp_path: Path, form: str) -> Trace:
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    (trace,) = read(tmp_path / "x.jsonl", format=form)
    return trace


def _kept(call: Call) -> tuple[Any, ...]:
    text = call.result.text if call.result is not None else None
    return call.tool, call.arguments, call.step, call.turn, call.result is None, text


@pytest.mark.parametrize("form", FORMS)
def test_a_trace_written_and_read_back_is_the_same(form: Any, tmp_path: Path) -> None:
    traces = _all()
    assert len(traces) > 25
    for trace in traces:
        row, lost = export(trace, form)
        again = _back(row, tmp_path, form)
        assert [_kept(c) for c in again.calls] == [_kept(c) for c in trace.calls], trace.id
        said = [(m.role, m.text) for m in trace.messages if m.role != "tool"]
        assert [(m.role, m.text) for m in again.messages if m.role != "tool"] == said
        assert len(again.tools) == len({t.name for t in trace.tools})
        if form == "native":
            assert (again.id, again.metadata) == (trace.id, trace.metadata)
        if not lost:
            assert [c.outcome for c in again.calls] == [c.outcome for c in trace.calls]


def test_the_verdict_is_the_same_from_both_containers(tmp_path: Path) -> None:
    for trace in read(TRACES / "flight.jsonl"):
        judged = verdict(_back(export(trace).row, tmp_path, "native"))
        before = verdict(trace)
        assert judged.status == before.status
        causes = [dict(v.to_dict()["root_cause"] or {}, source=None) for v in (judged, before)]
        assert causes[0] == causes[1]


def test_native_then_chat_then_native_keeps_what_chat_can_hold(tmp_path: Path) -> None:
    for start in _all():
        first = _back(export(start).row, tmp_path, "native")
        chat = _back(export(first, "openai-chat").row, tmp_path, "openai-chat")
        again = _back(export(chat).row, tmp_path, "native")
        assert [_kept(c) for c in again.calls] == [_kept(c) for c in first.calls], start.id
        assert [(m.role, m.text) for m in again.messages] == [(m.role, m.text) for m in first.messages], start.id
        assert [(t.name, t.schema) for t in again.tools] == [(t.name, t.schema) for t in first.tools], start.id


def _trace(*messages: dict[str, Any], **more: Any) -> Trace:
    return Trace.from_openai(messages, **more)


CALL = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}


def test_calls_without_an_id_get_one_that_no_other_has() -> None:
    named = {"role": "assistant", "tool_calls": [{"id": "call_1", "function": {"name": "g", "arguments": "{}"}}]}
    trace = _trace(
        CALL, {"role": "tool", "content": "1"}, named, {"role": "tool", "tool_call_id": "call_1", "content": "2"}
    )
    messages = export(trace).row["messages"]
    assert [m["tool_calls"][0]["id"] for m in messages if "tool_calls" in m] == ["call_2", "call_1"]
    assert [m["tool_call_id"] for m in messages if m["role"] == "tool"] == ["call_2", "call_1"]


def test_arguments_are_written_as_they_were_sent() -> None:
    for sent in ('{"a": 1, "a": 2}', "{'a': 1", '"{\\"a\\": 1}"', "", "[1]", "5"):
        call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": sent}}]}
        for form in FORMS:
            assert export(_trace(call), form).row["messages"][0]["tool_calls"][0]["function"]["arguments"] == sent
    assert export(_trace(CALL)).row["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    chat = export(_trace(CALL), "openai-chat").row["messages"][0]["tool_calls"][0]["function"]
    assert chat["arguments"] == '{"a": 1}'


def test_what_a_form_cannot_hold_is_counted() -> None:
    flagged = {"role": "tool", "tool_call_id": "1", "content": "odd", "is_error": True}
    call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    tools = [{"type": "function", "function": {"name": "f", "annotations": {"readOnlyHint": True}}}]
    trace = _trace(
        {"role": "user", "content": "x", "timestamp": "2026-01-01"},
        call,
        flagged,
        tools=tools,
        metadata={"case_id": "1"},
    )
    assert not export(trace).lost
    assert export(trace).row["messages"][2]["is_error"] is True
    lost = export(trace, "openai-chat").lost
    assert lost == {"time of a message": 1, "flag of an error": 1, "hint of a tool": 1, "metadata": 1}
    listed = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": [1]}}]}
    assert export(_trace(listed)).lost == {"arguments that are no object": 1}
    orphan = {"role": "tool", "tool_call_id": "9", "content": "?"}
    assert export(_trace(orphan)).lost == {"result that belongs to no call": 1}


def test_nothing_written_is_an_empty_list() -> None:
    assert export(_trace()).row == {"id": "trace", "messages": []}
    assert export(_trace(tools=[]), "openai-chat").row == {"id": "trace", "messages": [], "tools": []}


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["user", "assistant", "tool", "system"]),
                "content": st.none() | st.text(max_size=5),
            },
            optional={
                "tool_call_id": st.sampled_from("12"),
                "tool_calls": st.lists(
                    st.fixed_dictionaries(
                        {"id": st.sampled_from([None, "1", "2"]), "function": st.just({"name": "f", "arguments": "{}"})}
                    ),
                    max_size=3,
                ),
            },
        ),
        max_size=8,
    )
)
def test_writing_twice_writes_the_same(messages: list[dict[str, Any]]) -> None:
    for form in FORMS:
        once = export(_trace(*messages), form).row
        twice = export(_trace(*once["messages"]), form).row
        assert twice["messages"] == once["messages"]
