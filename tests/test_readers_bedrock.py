"""Bedrock Converse: containers, statuses of results, server tools, and streams put together from their events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
USER = {"role": "user", "content": [{"text": "Weather in Gimje?"}]}
USE = {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Gimje"}}}
ASKED = {"role": "assistant", "content": [{"text": "Let me look."}, USE]}
ANSWER = {"role": "assistant", "content": [{"text": "Snow."}]}


def told(status: str | None, *content: Any, to: str = "t1") -> dict[str, Any]:
    result: dict[str, Any] = {"toolUseId": to, "content": list(content)}
    return {"role": "user", "content": [{"toolResult": result | ({"status": status} if status else {})}]}


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "bedrock-converse"
    return trace


RESPONSE = {"output": {"message": ASKED}, "stopReason": "tool_use", "usage": {"totalTokens": 3}}
REQUEST = {"system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}], "messages": [USER]}


@pytest.mark.parametrize(
    ("value", "pointer", "messages"),
    [
        ([USER, ASKED], "/1/content/1", 2),
        ({"messages": [USER, ASKED]}, "/messages/1/content/1", 2),
        (RESPONSE, "/output/message/content/1", 1),
        ({"request": REQUEST, "response": RESPONSE}, "/response/output/message/content/1", 3),
        ({**REQUEST, "response": RESPONSE}, "/response/output/message/content/1", 3),
        (
            {
                "schemaType": "ModelInvocationLog",
                "operation": "Converse",
                "requestId": "r-1",
                "input": {"inputBodyJson": REQUEST},
                "output": {"outputBodyJson": RESPONSE},
            },
            "/output/outputBodyJson/output/message/content/1",
            3,
        ),
    ],
)
def test_every_container(written: Any, value: Any, pointer: str, messages: int) -> None:
    trace = only(written(value))
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.id, call.source.pointer) == ("weather", {"city": "Gimje"}, "t1", pointer)
    assert len(trace.messages) == messages
    assert trace.steps[0].message.text == "Let me look."
    if messages == 3:
        assert (trace.messages[0].role, trace.messages[0].text) == ("system", "Be brief.")
        assert trace.metadata["stopReason"] == "tool_use"


@pytest.mark.parametrize(
    ("status", "content", "outcome", "text"),
    [
        ("success", [{"json": {"sky": "snow"}}], "ok", '{"sky": "snow"}'),
        ("success", [{"text": "snow"}, {"text": "ice"}], "ok", "snow\nice"),
        (
            "success",
            [{"text": "see"}, {"image": {"format": "png"}}],
            "ok",
            '[{"text": "see"}, {"image": {"format": "png"}}]',
        ),
        ("error", [{"text": "no such city"}], "error", "no such city"),
        (None, [{"text": "Error: no such city"}], "error", "Error: no such city"),
        (None, [{"text": "snow"}], "ok", "snow"),
        ("success", [], "unknown", ""),
    ],
)
def test_a_result_says_by_its_status_whether_it_failed(
    written: Any, status: str | None, content: list[Any], outcome: str, text: str
) -> None:
    (call,) = only(written([USER, ASKED, told(status, *content), ANSWER])).calls
    assert call.result is not None
    assert (call.outcome, call.result.text) == (outcome, text)


def test_results_in_another_order_and_words_beside_them(written: Any) -> None:
    second = {"toolUse": {"toolUseId": "t2", "name": "weather", "input": {"city": "Jeju"}}}
    asked = {"role": "assistant", "content": [USE, second]}
    results = told("success", {"text": "two"}, to="t2")["content"] + told("success", {"text": "one"})["content"]
    said = {"role": "user", "content": [*results, {"text": "And tomorrow?"}]}
    trace = only(written([USER, asked, said, ANSWER]))
    assert [c.result and c.result.text for c in trace.calls] == ["one", "two"]
    assert len(trace.turns) == 2
    assert trace.turns[1].user is not None
    assert trace.turns[1].user.text == "And tomorrow?"


def test_ids_that_are_used_again(written: Any) -> None:
    trace = only(written([USER, ASKED, told(None, {"text": "one"}), ASKED, told(None, {"text": "two"})]))
    assert [c.result and c.result.text for c in trace.calls] == ["one", "two"]
    assert [p.code for p in trace.problems] == ["reused-call-id"]


def test_a_server_tool_answers_in_the_same_message(written: Any) -> None:
    use = {"toolUse": {**USE["toolUse"], "type": "server_tool_use"}}
    both = {"role": "assistant", "content": [use, told("success", {"text": "snow"})["content"][0], {"text": "Snow."}]}
    trace = only(written([USER, both]))
    assert [(c.tool, c.outcome) for c in trace.calls] == [("weather", "ok")]


def test_thoughts_are_left_out_and_citations_kept(written: Any) -> None:
    blocks = [
        {"reasoningContent": {"reasoningText": {"text": "hm"}}},
        {"citationsContent": {"content": [{"text": "Snow, says the bureau."}], "citations": []}},
        {"guardContent": {"text": {"text": "guarded"}}},
    ]
    trace = only(written([USER, {"role": "assistant", "content": blocks}]))
    assert trace.messages[1].text == "Snow, says the bureau.\nguarded"


def test_tools_cache_points_and_system_tools(written: Any) -> None:
    config = {
        "tools": [
            {"toolSpec": {"name": "weather", "inputSchema": {"json": {"type": "object"}}}},
            {"cachePoint": {"type": "default"}},
            {"systemTool": {"name": "nova_grounding"}},
        ]
    }
    trace = only(written({**REQUEST, "toolConfig": config}))
    assert [(t.name, t.schema) for t in trace.tools] == [("weather", {"type": "object"}), ("nova_grounding", None)]
    assert only(written({**REQUEST, "inferenceConfig": {}})).tools_known == "declared"
    assert only(written(REQUEST)).tools_known == "unknown"


@pytest.mark.parametrize(
    ("block", "role", "code", "lost"),
    [
        ({"toolUse": {"toolUseId": "x", "input": {}}}, "assistant", "call-unreadable", 1),
        ({"toolUse": [1]}, "assistant", "call-unreadable", 1),
        (USE, "user", "call-unreadable", 1),
        ({"text": "x"}, "narrator", "message-unreadable", 0),
    ],
)
def test_what_cannot_be_read_is_named(written: Any, block: Any, role: str, code: str, lost: int) -> None:
    trace = only(written([USER, ASKED, {"role": role, "content": [block]}]))
    assert [(p.code, p.lost) for p in trace.problems] == [(code, lost)]


def test_lines_of_another_shape_are_set_aside(written: Any) -> None:
    reading = written([USER, ASKED], {"rows": 1}, [3], [USER, ASKED])
    assert len(list(reading)) == 2
    assert [p.code for p in reading.problems] == ["unknown-shape", "unknown-shape"]


def test_a_stream_is_put_together() -> None:
    trace = only(read(TRACES / "bedrock_stream.txt"))
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.raw, call.id) == (
        "test-tool", {"value": "Sparkle Day"}, '{"value":"Sparkle Day"}', "tool-use-id",
    )  # fmt: skip
    assert trace.metadata["stopReason"] == "tool_use"
    assert trace.problems == ()


START = {"messageStart": {"role": "assistant"}}
BEGIN = {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": "weather"}}}}
SAYS = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Let me "}}}
SENDS = {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"city": "Jeju"}'}}}}
ENDS = [{"contentBlockStop": {"contentBlockIndex": n}} for n in (0, 1)]
STOP = {"messageStop": {"stopReason": "tool_use"}}


def test_text_and_calls_of_a_stream_may_come_mixed(written: Any) -> None:
    more = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "look."}}}
    trace = only(written(START, SAYS, BEGIN, SENDS, more, *ENDS, STOP))
    assert trace.steps[0].message.text == "Let me look."
    assert [c.arguments for c in trace.calls] == [{"city": "Jeju"}]
    two = list(written(START, SAYS, STOP, START, BEGIN, SENDS, *ENDS, STOP))
    assert [(t.source.line, len(t.calls)) for t in two] == [(1, 0), (4, 1)]


def test_a_stream_that_breaks_off_loses_the_call_it_broke_in(written: Any) -> None:
    reading = written(START, SAYS, BEGIN, SENDS)
    trace = only(reading)
    assert (trace.calls, trace.messages[0].text) == ((), "Let me ")
    assert [(p.code, p.lost) for p in trace.problems] == [("stream-cut", 1)]
    assert reading.calls_in == 1
    assert trace.completeness.calls == "partial"
    unnamed = only(written(START, SENDS, *ENDS, STOP))
    assert [(p.code, p.lost) for p in unnamed.problems] == [("stream-cut", 1)]
    odd = written(START, SAYS, 3, {"messageStop": 1})
    assert len(list(odd)) == 1
    assert [p.code for p in odd.problems] == ["unknown-shape", "unknown-shape"]
