"""LangChain and LangGraph messages: encodings, states, streams of a graph, invalid calls, server tools, odd messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
HUMAN = {"type": "human", "content": "Weather in Gimje?", "additional_kwargs": {}}
CALL = {"type": "tool_call", "name": "weather", "args": {"city": "Gimje"}, "id": "c1"}
AI = {
    "type": "ai",
    "content": "Let me look.",
    "tool_calls": [CALL],
    "invalid_tool_calls": [],
    "response_metadata": {"model_name": "m"},
}
TOOL = {"type": "tool", "content": '{"sky": "snow"}', "tool_call_id": "c1", "name": "weather", "status": "success"}
ANSWER = {"type": "ai", "content": "Snow.", "tool_calls": []}
ALL = [HUMAN, AI, TOOL, ANSWER]


def constructed(message: dict[str, Any]) -> dict[str, Any]:
    name = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[message["type"]]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": message}


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "langchain"
    return trace


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (ALL, "/1/tool_calls/0"),
        (list(map(constructed, ALL)), "/1/kwargs/tool_calls/0"),
        ([{"type": m["type"], "data": m} for m in ALL], "/1/data/tool_calls/0"),
        ({"messages": ALL}, "/messages/1/tool_calls/0"),
        ({"values": {"messages": ALL}, "next": [], "config": {}}, "/values/messages/1/tool_calls/0"),
        ({"input": "x", "output": {"messages": ALL}}, "/output/messages/1/tool_calls/0"),
        ([{"role": "user", "content": "Weather in Gimje?"}, *ALL[1:]], "/1/tool_calls/0"),
        ([["human", "Weather in Gimje?"], *ALL[1:]], "/1/tool_calls/0"),
    ],
)
def test_every_encoding_and_container(written: Any, value: Any, pointer: str) -> None:
    trace = only(written(value))
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.id, call.source.pointer) == ("weather", {"city": "Gimje"}, "c1", pointer)
    assert call.outcome == "ok"
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.steps[0].message.text == "Let me look."
    assert trace.metadata["model"] == "m"


def test_the_status_of_a_tool_message_is_the_flag(written: Any) -> None:
    failed = {**TOOL, "content": "no idea", "status": "error"}
    (call,) = only(written([HUMAN, AI, failed])).calls
    assert (call.outcome, call.evidence) == ("error", "flag")
    quiet = {**TOOL, "content": "Error: ToolException('no such city')"}
    (call,) = only(written([HUMAN, AI, quiet])).calls
    assert (call.outcome, call.evidence) == ("error", "text")


def test_calls_whose_arguments_did_not_parse_stay_calls(written: Any) -> None:
    broken = {"type": "invalid_tool_call", "name": "weather", "args": '{"city": ', "id": "c2", "error": "bad JSON"}
    trace = only(written([HUMAN, {**AI, "invalid_tool_calls": [broken]}]))
    assert [(c.state, c.raw) for c in trace.calls] == [("object", None), ("not_json", '{"city": ')]


def test_calls_are_counted_once_however_often_they_are_written(written: Any) -> None:
    raw = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Gimje"}'}}
    block = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Gimje"}}
    thrice = {
        **AI,
        "additional_kwargs": {"tool_calls": [raw]},
        "content": [{"type": "text", "text": "Let me look."}, block],
    }
    assert len(only(written([HUMAN, thrice, TOOL])).calls) == 1
    older = {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [raw]}}
    (call,) = only(written([HUMAN, older, TOOL])).calls
    assert call.source.pointer == "/1/additional_kwargs/tool_calls/0"
    oldest = {
        "type": "ai",
        "content": "",
        "additional_kwargs": {"function_call": {"name": "weather", "arguments": "{}"}},
    }
    function = {"type": "function", "name": "weather", "content": "snow", "additional_kwargs": {}}
    assert [c.outcome for c in only(written([HUMAN, oldest, function])).calls] == ["ok"]
    blocks_only = {"type": "ai", "content": [block], "additional_kwargs": {}}
    assert len(only(written([HUMAN, blocks_only, TOOL])).calls) == 1


def test_server_tools_answer_inside_a_message(written: Any) -> None:
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "snow"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s1",
            "content": [{"title": "Snow", "url": "https://x.example"}],
        },
        {"type": "server_tool_call", "id": "s2", "name": "code", "args": {"a": 1}},
        {"type": "server_tool_result", "tool_call_id": "s2", "output": "boom", "status": "error"},
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "It snows."},
    ]
    trace = only(written([HUMAN, {"type": "ai", "content": content, "tool_calls": []}]))
    assert [(c.tool, c.arguments, c.outcome, c.step) for c in trace.calls] == [
        ("web_search", {"query": "snow"}, "ok", 0),
        ("code", {"a": 1}, "error", 1),
    ]
    assert trace.turns[0].answer is not None
    assert trace.turns[0].answer.text == "It snows."


def test_agents_have_names_and_chat_messages_roles(written: Any) -> None:
    chat = {"type": "chat", "role": "user", "content": "Hi", "additional_kwargs": {}}
    trace = only(written([chat, {**AI, "name": "meteorologist"}]))
    assert trace.messages[0].role == "user"
    assert trace.calls[0].agent == "meteorologist"


def test_chunks_of_messages_are_messages(written: Any) -> None:
    chunk = {**AI, "type": "AIMessageChunk", "tool_call_chunks": []}
    assert len(only(written([HUMAN, chunk])).calls) == 1


def test_states_that_go_on_with_each_other_are_one_run(written: Any) -> None:
    states = [{"messages": ALL[:n]} for n in (1, 2, 3, 4)]
    trace = only(written(*states))
    assert (len(trace.messages), trace.source.line) == (4, 4)
    two = list(written(*states[:2], {"messages": [ANSWER, ANSWER]}))
    assert [len(t.messages) for t in two] == [2, 2]
    twice = list(written({"messages": ALL}, {"messages": ALL}))
    assert len(twice) == 2


def test_updates_of_a_graph_are_one_run_without_its_question() -> None:
    (trace,) = read(TRACES / "langgraph_updates.jsonl")
    assert [(c.tool, c.outcome) for c in trace.calls] == [
        ("search_flights", "error"), ("get_weather", "ok"), ("search_flights", "ok"),
    ]  # fmt: skip
    assert trace.calls[2].source.line == 4
    assert trace.completeness.history == "partial"
    assert [p.code for p in trace.problems] == ["history-elsewhere"]


def test_updates_name_the_node_and_pass_over_other_lines(written: Any) -> None:
    reading = written({"expert": {"messages": AI}}, {"tools": {"messages": [TOOL]}})
    trace = only(reading)
    assert trace.calls[0].agent == "expert"


@pytest.mark.parametrize(
    ("message", "code", "lost"),
    [
        (3, "message-unreadable", 0),
        ({"type": "narrator", "content": "x", "tool_calls": [CALL]}, "message-unreadable", 1),
        ({"type": "ai", "content": "", "tool_calls": [{"args": {}}, 3]}, "call-unreadable", 2),
        ({"type": "remove", "content": "", "id": "m1", "additional_kwargs": {}}, "history-elsewhere", 0),
    ],
)
def test_what_cannot_be_read_is_named(written: Any, message: Any, code: str, lost: int) -> None:
    trace = only(written([*ALL, message]))
    assert [(p.code, p.lost) for p in trace.problems] == [(code, lost)]
    assert len(trace.calls) == 1


def test_lines_of_another_shape_are_set_aside(written: Any) -> None:
    reading = written({"messages": ALL}, {"rows": 1}, {"messages": ALL[:2]})
    assert len(list(reading)) == 2
    assert [p.code for p in reading.problems] == ["unknown-shape"]
