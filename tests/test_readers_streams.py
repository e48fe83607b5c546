"""Streams are put together: fragments joined, one message a trace, what broke off named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall import verdict
from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*events: Any, sse: bool = False) -> Reading:
        file = tmp_path / "x.txt"
        lines = [x if isinstance(x, str) else json.dumps(x) for x in events]
        if sse:
            lines = [f"event: {json.loads(x)['type']}\ndata: {x}\n" for x in lines] + [
                "data: [DONE]",
                ": ping",
                "id: 3",
            ]
        file.write_text("\n".join(lines))
        return read(file)

    return write


def only(reading: Reading, form: str) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == form
    return trace


# --- Anthropic


def start(n: int = 1) -> dict[str, Any]:
    return {
        "type": "message_start",
        "message": {"id": f"msg_{n}", "role": "assistant", "model": "claude-x", "content": []},
    }


def opened(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def used(index: int, name: str = "weather", **more: Any) -> dict[str, Any]:
    return opened(index, type="tool_use", id=f"t{index}", name=name, input={}, **more)


def more(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def sent(index: int, text: str) -> dict[str, Any]:
    return more(index, type="input_json_delta", partial_json=text)


def shut(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


END = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]


def test_a_real_stream_of_a_tool_without_arguments() -> None:
    trace = only(read(TRACES / "anthropic_chunks.txt"), "anthropic-stream")
    assert trace.id == "msg_01GE2RKp1VYsPzdFs3sS9z5S"
    assert trace.messages[0].text == "I'll update the issue list for you."
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.state, call.outcome) == ("updateIssueList", {}, "object", "no_result")
    assert call.source.line == 8
    assert trace.metadata["stop_reason"] == "tool_use"
    assert trace.completeness.history == "partial"
    assert trace.problems == ()


@pytest.mark.parametrize("sse", [False, True])
def test_fragments_of_two_calls_interleave(written: Any, sse: bool) -> None:
    events = [start(), used(0), used(1, "news"), sent(0, ""), sent(1, '{"city": "Dong'), {"type": "ping"}, sent(0, '{"city": "Gim'),
              sent(1, 'hae"}'), sent(0, 'je"}'), shut(0), shut(1), *END]  # fmt: skip
    trace = only(written(*events, sse=sse), "anthropic-stream")
    assert [(c.tool, c.arguments, c.raw, c.step) for c in trace.calls] == [
        ("weather", {"city": "Gimje"}, '{"city": "Gimje"}', 0),
        ("news", {"city": "Donghae"}, '{"city": "Donghae"}', 0),
    ]
    assert trace.problems == ()


def test_texts_thoughts_and_tools_of_the_provider(written: Any) -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "snow"}]}
    events = [start(), opened(0, type="thinking", thinking=""), more(0, type="thinking_delta", thinking="hm"), shut(0),
              opened(1, type="server_tool_use", id="t1", name="web_search", input={}), sent(1, '{"q": 1}'), shut(1),
              opened(2, **found), shut(2), opened(3, type="text", text="It "), more(3, type="text_delta", text="snows."), shut(3), *END]  # fmt: skip
    trace = only(written(*events), "anthropic-stream")
    assert trace.messages[0].text == "It snows."
    assert [(c.tool, c.outcome) for c in trace.calls] == [("web_search", "ok")]


def test_each_response_is_a_trace_and_a_cut_one_says_so(written: Any) -> None:
    whole = [used(0), sent(0, '{"a": 1}'), shut(0), *END]
    cut = [used(0), sent(0, '{"a": ')]
    one, two, three = written(start(1), *whole, start(2), *cut, start(3), *whole)
    assert [t.id for t in (one, two, three)] == ["msg_1", "msg_2", "msg_3"]
    assert [c.state for t in (one, two, three) for c in t.calls] == ["json_string", "not_json", "json_string"]
    assert [[p.code for p in t.problems] for t in (one, two, three)] == [[], ["stream-cut"], []]


def test_a_stream_that_lost_its_beginning_or_failed(written: Any) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reading = written(sent(7, "x"), used(0), opened(1, type="tool_use"), sent(0, "{}"), 3, {"type": "odd"}, error)
    (trace,) = reading
    assert [c.tool for c in trace.calls] == ["weather"]
    assert [(p.code, p.lost) for p in trace.problems] == [
        ("call-unreadable", 1),
        ("fragment-without-start", 0),
        ("stream-error", 0),
        ("stream-cut", 0),
    ]
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 5), ("unknown-shape", 6)]


# --- OpenAI


def part(*deltas: Any, finish: str | None = None, id: str = "r1", **more: Any) -> dict[str, Any]:  # noqa: A002
    choices = [{"index": n, "delta": d, "finish_reason": finish} for n, d in enumerate(deltas)]
    return {"id": id, "object": "chat.completion.chunk", "model": "m", "choices": choices, **more}


def piece(arguments: str, index: int | None = 0, name: str | None = None, id: str | None = None) -> dict[str, Any]:  # noqa: A002
    function = {"arguments": arguments, **({"name": name} if name is not None else {})}
    own = {"index": index, "id": id}
    return {"tool_calls": [{"function": function, **{k: v for k, v in own.items() if v is not None}}]}


def called(trace: Trace) -> list[tuple[Any, ...]]:
    return [(c.tool, c.id, c.arguments, c.step) for c in trace.calls]


def test_a_real_stream_of_chat_chunks() -> None:
    trace = only(read(TRACES / "openai_chunks.txt"), "openai-stream")
    assert trace.id == "chatcmpl-E6yvi7cuDcHZEHTMxcLDyf3CMKIO2"
    assert trace.messages[0].text == "PRE_TOOL"
    assert called(trace) == [("weather", "call_NZa7xqfefoaMI2YYHowVXVlU", {}, 0)]
    assert (trace.calls[0].raw, trace.calls[0].source.line) == ("{}", 4)
    assert (trace.metadata["model"], trace.metadata["finish_reason"]) == ("gpt-4o-2024-08-06", "tool_calls")
    assert trace.metadata["usage"]["total_tokens"] == 70
    assert trace.messages[0].timestamp == "2026-07-29T13:48:10+00:00"
    assert trace.completeness.history == "partial"
    assert trace.problems == ()


def test_a_real_stream_of_a_server_that_leaves_the_index_out() -> None:
    trace = only(read(TRACES / "mistral_chunks.txt"), "openai-stream")
    assert called(trace) == [("weather", "gSIMJiOkT", {"location": "San Francisco"}, 0)]
    assert trace.problems == ()


TWO = [("weather", "c1", {"city": "Gimje"}, 0), ("weather", "c2", {"city": "Donghae"}, 0)]


@pytest.mark.parametrize(
    "pieces",
    [
        [piece("", 0, "weather", "c1"), piece("", 1, "weather", "c2"), piece('{"city": "Dong', 1), piece('{"city": "Gim'),
         piece('hae"}', 1), piece('je"}')],
        [piece('{"city": "Gimje"}', 3, "weather", "c1"), piece('{"city": "Donghae"}', 5, "weather", "c2")],
        [piece('{"city": "Gimje"}', 0, "weather", "c1"), piece('{"city": "Donghae"}', 0, "weather", "c2")],
        [piece('{"city": "Gim', None, "weather", "c1"), piece('je"}', None), piece('{"city": "Donghae"}', None, "weather", "c2")],
        [piece("", 0, "weather", "c1"), piece('{"city": "Gim', 0, ""), piece('je"}', 0, "", ""), piece('{"city":', 1, "weather", "c2"),
         piece('"Donghae"}', 1, "weather", "c2")],
    ],
    ids=["side by side", "whole", "one index, two ids", "no index", "names again or empty"],
)  # fmt: skip
@pytest.mark.parametrize("sse", [False, True])
def test_two_calls_however_their_fragments_are_told_apart(written: Any, pieces: list[Any], sse: bool) -> None:
    events = [part({"role": "assistant", "content": ""}), *map(part, pieces), part({}, finish="tool_calls")]
    if sse:
        reading = written(*(f"data: {json.dumps(e)}\n" for e in events), "data: [DONE]")
    else:
        reading = written(*events)
    trace = only(reading, "openai-stream")
    assert called(trace) == TWO
    assert trace.problems == ()


def test_whole_calls_without_ids_under_one_index_are_two_calls(written: Any) -> None:
    two = [piece('{"city": "Gimje"}', 0, "weather"), piece('{"city": "Donghae"}', 0, "weather")]
    trace = only(written(*map(part, two), part({}, finish="stop")), "openai-stream")
    assert [c.arguments for c in trace.calls] == [{"city": "Gimje"}, {"city": "Donghae"}]


def test_an_older_call_plain_input_a_refusal_and_content_in_parts(written: Any) -> None:
    trace = only(
        written(
            part({"content": [{"type": "text", "text": "It "}]}),
            part({"content": "snows.", "refusal": None}),
            part({"function_call": {"name": "weather", "arguments": '{"city": '}}),
            part({"function_call": {"arguments": '"Gimje"}'}}),
            part(
                {"tool_calls": [{"index": 0, "id": "c2", "type": "custom", "custom": {"name": "sql", "input": "sel"}}]}
            ),
            part({"tool_calls": [{"index": 0, "custom": {"input": "ect 1"}}]}, finish="tool_calls"),
        ),
        "openai-stream",
    )
    assert trace.messages[0].text == "It snows."
    assert called(trace) == [("weather", None, {"city": "Gimje"}, 0), ("sql", "c2", {"input": "select 1"}, 0)]
    refused = only(written(part({"refusal": "I cannot."}, finish="stop")), "openai-stream")
    assert refused.messages[0].text == "I cannot."


def test_responses_side_by_side_and_one_after_the_other_under_one_id(written: Any) -> None:
    reading = written(
        {"id": "", "object": "", "choices": [], "model": ""},
        part({"content": "a"}, id="x"), part({"content": "b"}, id="y"), part({"content": "A"}, id="x"),
        part({}, id="x", finish="stop"), part({"content": "B"}, id="y", finish="stop"),
        part({"role": "assistant", "content": "again"}, id="y"), part({}, id="y", finish="stop"),
        {"id": "y", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}},
    )  # fmt: skip
    traces = list(reading)
    assert [(t.id, t.messages[0].text) for t in traces] == [("x", "aA"), ("y", "bB"), ("y", "again")]
    assert [t.metadata.get("usage") for t in traces] == [None, None, {"total_tokens": 3}]
    assert reading.problems == []
    assert [t.problems for t in traces] == [(), (), ()]


def test_a_server_that_says_why_it_ended_in_every_chunk_gives_one_response(written: Any) -> None:
    chunks = [part({"role": "assistant", "content": "a"}, finish="stop"), part({"content": "b"}, finish="stop")]
    assert only(written(*chunks), "openai-stream").messages[0].text == "ab"


def test_further_choices_are_counted_and_left_out(written: Any) -> None:
    call = piece("{}", 0, "weather", "c1")
    reading = written(part({"content": "one"}, call), part({}, {}, finish="stop"))
    (trace,) = reading
    assert (trace.messages[0].text, trace.calls) == ("one", ())
    assert [(p.code, p.lost) for p in trace.problems] == [("choices-left-out", 1)]
    assert reading.calls_in == reading.calls_lost == 1


def test_a_stream_of_chunks_that_broke_off_or_is_damaged(written: Any) -> None:
    reading = written(
        part(piece('{"a": ', 0, "weather", "c1")),
        part(piece("{}", 1)),
        part({"tool_calls": [None]}),
        {"odd": 1},
        {"error": {"message": "Overloaded"}},
    )
    (trace,) = reading
    assert [(c.tool, c.state) for c in trace.calls] == [("weather", "not_json")]
    assert [(p.code, p.lost) for p in trace.problems] == [
        ("call-unreadable", 1),
        ("fragment-unreadable", 0),
        ("stream-error", 0),
        ("stream-cut", 0),
    ]
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 4)]
    assert reading.calls_in == 2


def test_streams_that_never_ended_do_not_pile_up(written: Any) -> None:
    traces = list(written(*(part({"content": str(n)}, id=f"r{n}") for n in range(250))))
    assert [t.messages[0].text for t in traces] == [str(n) for n in range(250)]
    assert {p.code for t in traces for p in t.problems} == {"stream-cut"}


def test_chunks_in_an_array_are_read_and_whole_responses_are_not_taken_for_them(tmp_path: Path) -> None:
    chunks = [part({"content": "Hi"}), part({}, finish="stop")]
    (tmp_path / "x.json").write_text(json.dumps(chunks))
    assert only(read(tmp_path / "x.json"), "openai-stream").messages[0].text == "Hi"
    whole = {"id": "r", "choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    (tmp_path / "y.jsonl").write_text(json.dumps(whole))
    assert only(read(tmp_path / "y.jsonl"), "openai-chat").messages[0].text == "Hi"


# --- AI SDK


def chunk(kind: str, n: int | None = None, **given: Any) -> dict[str, Any]:
    return {"type": kind, **({} if n is None else {"toolCallId": f"c{n}"}), **given}


def outcomes(trace: Trace) -> list[tuple[str, int, str]]:
    return [(c.tool, c.step, c.outcome) for c in trace.calls]


@pytest.mark.parametrize("version", ["v5", "v6"])
def test_the_stream_is_the_same_run_as_the_saved_message(version: str) -> None:
    trace = only(read(TRACES / f"ai_sdk_{version}_ui_stream.jsonl"), "ai-sdk-stream")
    (saved,) = read(TRACES / "ai_sdk_v7_ui_messages.json")
    assert outcomes(trace) == outcomes(saved)
    assert [c.arguments for c in trace.calls] == [c.arguments for c in saved.calls]
    assert [m.role for m in trace.messages] == [m.role for m in saved.messages][1:]
    answer = trace.turns[-1].answer
    assert answer is not None
    assert (answer.text or "").startswith("I found KE703")
    # Counted in the file: the call begins in line 6, its error stands in line 12, the answer begins in line 34.
    first = trace.calls[0]
    assert first.result is not None
    assert (first.source.line, first.result.source.line, answer.source.line) == (6, 12, 34)
    assert trace.metadata == {"message_id": "msg-1", "finish_reason": "stop"}
    v = verdict(trace)
    assert (v.root_cause, v.layers["recovery"].status) == (None, "pass")
    assert {c.rule for c in v.checks if c.status == "fail"} == {"arguments/not-json", "arguments/relative-date"}


def begun(n: int = 1) -> list[dict[str, Any]]:
    return [chunk("start", messageId="m"), chunk("start-step"), chunk("tool-input-start", n, toolName="weather")]


def given(n: int = 1, **more: Any) -> dict[str, Any]:
    return chunk("tool-input-available", n, toolName="weather", input={"city": "Gimje"}, **more)


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ([chunk("tool-output-available", 1, output={"sky": "snow"})], "ok"),
        (
            [
                chunk("tool-output-available", 1, output="…", preliminary=True),
                chunk("tool-output-available", 1, output="snow"),
            ],
            "ok",
        ),
        ([chunk("tool-output-error", 1, errorText="boom")], "error"),
        ([chunk("tool-output-denied", 1)], "refused"),
        ([chunk("tool-approval-request", 1, approvalId="a")], "no_result"),
        (
            [
                chunk("tool-approval-request", 1, approvalId="a"),
                chunk("tool-approval-response", approvalId="a", approved=False),
            ],
            "refused",
        ),
        ([chunk("tool-result", 1, toolName="weather", output="snow")], "ok"),
        ([chunk("tool-error", 1, toolName="weather", error="boom")], "error"),
        ([], "no_result"),
    ],
)
@pytest.mark.parametrize("sse", [False, True])
def test_what_became_of_a_streamed_call(written: Any, end: list[Any], outcome: str, sse: bool) -> None:
    trace = only(written(*begun(), given(), *end, chunk("finish"), sse=sse), "ai-sdk-stream")
    assert outcomes(trace) == [("weather", 0, outcome)]
    assert trace.calls[0].arguments == {"city": "Gimje"}
    assert trace.problems == ()


def test_the_arguments_are_what_was_sent_not_what_was_made_of_it(written: Any) -> None:
    deltas = [chunk("tool-input-delta", 1, inputTextDelta=x) for x in ('{"city": "Gim', 'je", "city": "Gimje"}')]
    trace = only(written(*begun(), *deltas, given(), chunk("finish")), "ai-sdk-stream")
    assert (trace.calls[0].state, trace.calls[0].raw) == ("duplicate_keys", '{"city": "Gimje", "city": "Gimje"}')
    cut = only(written(*begun(), deltas[0]), "ai-sdk-stream")
    assert cut.calls[0].state == "not_json"
    assert [p.code for p in cut.problems] == ["call-unfinished", "stream-cut"]


def test_messages_follow_each_other_and_one_may_go_on(written: Any) -> None:
    first = [*begun(), given(), chunk("finish")]
    on = [chunk("start", messageId="m"), chunk("tool-output-available", 1, output="snow"), chunk("finish")]
    (trace,) = written(*first, *on)
    assert outcomes(trace) == [("weather", 0, "ok")]
    one, two = written(*first, chunk("start", messageId="n"), chunk("text-delta", id="0", delta="Hi"), chunk("finish"))
    assert [t.metadata["message_id"] for t in (one, two)] == ["m", "n"]
    assert [t.id for t in (one, two)] == ["x-1", "x-6"]


def test_the_full_stream_of_a_model_is_read_too(written: Any) -> None:
    trace = only(written(
        {"type": "start"}, {"type": "start-step"}, {"type": "tool-input-start", "id": "c1", "toolName": "weather"},
        {"type": "tool-input-delta", "id": "c1", "delta": '{"city": "Gimje"}'}, {"type": "tool-input-end", "id": "c1"},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": {"city": "Gimje"}},
        {"type": "tool-result", "toolCallId": "c1", "toolName": "weather", "output": "snow"},
        {"type": "finish-step"}, {"type": "start-step"}, {"type": "text-start", "id": "0"},
        {"type": "text-delta", "id": "0", "text": "Sn"}, {"type": "text-delta", "id": "0", "text": "ow."}, {"type": "finish"},
    ), "ai-sdk-stream")  # fmt: skip
    assert outcomes(trace) == [("weather", 0, "ok")]
    assert trace.turns[-1].answer is not None
    assert trace.turns[-1].answer.text == "Snow."


def test_the_chunks_of_mastra_are_wrapped_once_more(written: Any) -> None:
    def wrapped(kind: str, **payload: Any) -> dict[str, Any]:
        return {"type": kind, "runId": "r", "from": "AGENT", "payload": payload}

    trace = only(written(
        wrapped("start"), wrapped("step-start", messageId="m"),
        wrapped("tool-call-input-streaming-start", toolCallId="c1", toolName="weather"),
        wrapped("tool-call-delta", toolCallId="c1", argsTextDelta='{"city": "Gimje"}'),
        wrapped("tool-call", toolCallId="c1", toolName="weather", args={"city": "Gimje"}),
        wrapped("tool-error", toolCallId="c1", toolName="weather", error="400 city"),
        wrapped("step-finish"), wrapped("step-start"),
        wrapped("tool-call-approval", toolCallId="c2", toolName="book", args={"id": 1}),
        wrapped("step-finish"), wrapped("step-start"), wrapped("text-delta", id="0", text="May I?"), wrapped("finish"),
    ), "ai-sdk-stream")  # fmt: skip
    assert outcomes(trace) == [("weather", 0, "error"), ("book", 1, "no_result")]
    assert [c.arguments for c in trace.calls] == [{"city": "Gimje"}, {"id": 1}]
    assert trace.messages[-1].text == "May I?"


def test_faults_of_a_stream_are_named(written: Any) -> None:
    reading = written(
        *begun(),
        given(),
        4,
        chunk("odd"),
        chunk("tool-output-available", 9, output=1),
        chunk("error", errorText="boom"),
    )
    (trace,) = reading
    assert [p.code for p in trace.problems] == ["orphan-result", "stream-error", "stream-cut"]
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 5), ("unknown-shape", 6)]
