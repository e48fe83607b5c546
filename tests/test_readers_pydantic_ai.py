"""pydantic-ai message histories: counted by hand in a real file, then each of the format's own turns."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rootcall
from rootcall.readers import Reading, read
from rootcall.trace import Trace

FILE = Path(__file__).parent / "data" / "traces" / "pydantic_ai_all_messages.json"

USER = {
    "kind": "request",
    "parts": [{"part_kind": "user-prompt", "content": "Weather in Gimje?", "timestamp": "2026-12-01T00:00:00Z"}],
}
DONE = {"kind": "response", "parts": [{"part_kind": "text", "content": "Snow."}]}


def asks(*calls: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "response",
        "model_name": "m",
        "parts": [
            {"part_kind": "tool-call", "tool_name": "weather", "tool_call_id": "c1", "args": '{"city": "Gimje"}', **c}
            for c in calls or ({},)
        ],
    }


def back(**fields: Any) -> dict[str, Any]:
    part = {"part_kind": "tool-return", "tool_name": "weather", "tool_call_id": "c1", "content": "snow", **fields}
    return {"kind": "request", "parts": [part]}


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Reading]:
    def write(*rows: Any) -> Reading:
        (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return read(tmp_path / "x.jsonl")

    return write


def only(reading: Reading, *problems: str) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert tuple(p.code for p in trace.problems) == problems
    assert trace.format == "pydantic-ai"
    return trace


def test_a_real_history_has_what_a_person_counted() -> None:
    trace = only(read(FILE))
    assert [m.role for m in trace.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [(c.tool, c.outcome, c.evidence) for c in trace.calls] == [
        ("search_flights", "error", "retried"), ("get_weather", "ok", "payload"), ("search_flights", "ok", "payload"),
    ]  # fmt: skip
    assert [len(s.calls) for s in trace.steps] == [2, 1, 0]
    assert trace.calls[0].source.pointer == "/1/parts/1"
    assert trace.calls[2].result is not None
    assert trace.calls[2].result.payload["flights"][0]["id"] == "KE703"
    assert trace.messages[1].timestamp == "2026-11-30T18:29:15.780986Z"
    assert trace.id.startswith("01a22db7")
    assert trace.metadata == {"model": "gpt-5-mini"}
    assert trace.tools_known == "unknown"


def test_it_gives_the_verdict_that_its_spans_give() -> None:
    (spans,) = read(FILE.parent / "spans" / "pydantic-ai_otel_spans_instrumentation_v3.jsonl.gz")
    (history,) = read(FILE, tools=spans.tools)
    one, two = rootcall.verdict(spans), rootcall.verdict(history)
    assert one.status == two.status == "pass"
    assert {n: (v.status, v.score) for n, v in one.layers.items()} == {
        n: (v.status, v.score) for n, v in two.layers.items()
    }
    assert [(c.rule, c.status, c.argument) for c in one.checks] == [(c.rule, c.status, c.argument) for c in two.checks]


@pytest.mark.parametrize(
    ("fields", "outcome", "evidence"),
    [
        ({"outcome": "success"}, "ok", "text"),
        ({"outcome": "failed", "content": "no such city"}, "error", "failed"),
        ({"outcome": "retried", "content": "no such city"}, "error", "retried"),
        ({"outcome": "denied", "content": "The tool call was denied."}, "refused", "flag"),
        ({"outcome": "interrupted", "content": "x"}, "no_result", "no result follows"),
        ({"content": {"error": "no such city"}}, "error", "payload"),
        ({"content": None}, "unknown", "content not captured"),
    ],
)
def test_the_outcome_of_a_call_is_told_by_its_return(
    written: Any, fields: dict[str, Any], outcome: str, evidence: str
) -> None:
    (call,) = only(written([USER, asks(), back(**fields), DONE])).calls
    assert (call.outcome, call.evidence) == (outcome, evidence)


def test_a_retry_prompt_is_an_error_of_its_call_or_words_to_the_model(written: Any) -> None:
    told = [{"type": "missing", "loc": ["city"], "msg": "Field required", "input": {}}]
    prompt = {
        "kind": "request",
        "parts": [{"part_kind": "retry-prompt", "tool_name": "weather", "tool_call_id": "c1", "content": told}],
    }
    (call,) = only(written([USER, asks({"args": {}}), prompt, DONE])).calls
    assert call.error is not None
    assert (call.outcome, call.evidence, call.error.fields) == ("error", "retry-prompt", ("city",))
    free = {
        "kind": "request",
        "parts": [{"part_kind": "retry-prompt", "tool_name": None, "content": "Plain text is not allowed."}],
    }
    trace = only(written([USER, DONE, free, DONE]))
    assert [m.role for m in trace.messages] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize(
    ("args", "state"),
    [
        ('{"a": 1}', "json_string"),
        ({"a": 1}, "object"),
        ("{", "not_json"),
        ("", "json_string"),
        (None, "missing"),
        ("3", "scalar"),
    ],
)
def test_arguments_stay_as_they_were_sent(written: Any, args: Any, state: str) -> None:
    assert only(written([USER, asks({"args": args})])).calls[0].state == state


def test_a_tool_at_the_provider_answers_in_the_same_message(written: Any) -> None:
    parts = [{"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": {"q": "x"}, "tool_call_id": "b1"},
             {"part_kind": "builtin-tool-return", "tool_name": "web_search", "content": {"hits": 1}, "tool_call_id": "b1"},
             {"part_kind": "thinking", "content": "hm"}, {"part_kind": "text", "content": "One hit."}]  # fmt: skip
    trace = only(written([USER, {"kind": "response", "parts": parts}]))
    assert [(c.tool, c.outcome) for c in trace.calls] == [("web_search", "ok")]
    assert trace.messages[1].text == "One hit."


def test_instructions_are_a_system_message_once(written: Any) -> None:
    trace = only(
        written([{**USER, "instructions": "Be brief."}, asks(), {**back(), "instructions": "Be brief."}, DONE])
    )
    assert [(m.role, m.text) for m in trace.messages if m.role == "system"] == [("system", "Be brief.")]


def test_rows_that_hold_a_history_are_traces_with_their_own_id_and_tools(written: Any) -> None:
    tools = [{"name": "weather", "parameters": {"type": "object"}}]
    rows = [
        {"id": f"r{n}", "messages": [USER, asks(), back(), DONE], "tools": tools, "metadata": {"case_id": "c"}}
        for n in range(2)
    ]
    traces = list(written(*rows))
    assert [(t.id, t.format, t.tools_known, t.metadata["case_id"]) for t in traces] == [
        ("r0", "pydantic-ai", "declared", "c"),
        ("r1", "pydantic-ai", "declared", "c"),
    ]
    assert traces[0].calls[0].source.pointer == "/messages/1/parts/0"


def test_a_conversation_without_a_call_is_recognised(written: Any) -> None:
    assert only(written([USER, DONE])).calls == ()


def test_what_is_no_message_is_named_with_its_calls(written: Any) -> None:
    odd = {"kind": "neither", "parts": [{"part_kind": "tool-call"}]}
    nameless = {"kind": "response", "parts": [{"part_kind": "tool-call", "args": "{}"}, "x"]}
    misplaced = {"kind": "request", "parts": [{"part_kind": "tool-call", "tool_name": "f"}, 3]}
    reading = written([USER, odd, 7, nameless, misplaced, DONE])
    trace = only(
        reading,
        "message-unreadable",
        "message-unreadable",
        "call-unreadable",
        "part-unreadable",
        "calls-misplaced",
        "part-unreadable",
    )
    assert trace.calls == ()
    assert reading.calls_lost == 3


def test_a_file_cut_anywhere_gives_named_problems(tmp_path: Path) -> None:
    data, dice = FILE.read_bytes(), random.Random(3)
    for _ in range(50):
        (tmp_path / "cut").write_bytes(data[: dice.randrange(40, len(data))])
        reading = read(tmp_path / "cut")
        list(reading)
        assert "reader-failed" not in reading.counts
        assert reading.counts
