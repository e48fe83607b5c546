"""Spans: every container and convention gives the same conversation; each call, run and repetition counts once."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rootcall
from rootcall.readers import Reading, read
from rootcall.trace import Trace

SPANS = Path(__file__).parent / "data" / "traces" / "spans"
ANSWER = "I found KE703 on 2026-12-04 for $182.40. Tokyo will be 11°C and cloudy."
HELLO = "Hello! I can search flights and check the weather. Where would you like to go?"


class Counted(NamedTuple):
    """What a person counted in a file: calls, results, errors, the last words, the tools named in it."""

    file: str
    calls: int
    results: int
    errors: int
    answer: str | None
    tools: int


# Counted by hand in the files. The scenario: two parallel calls, the first fails with a 400, a corrected call, an answer.
FILES = [
    Counted("openinference_otlp_openai_chat.json", 3, 3, 1, ANSWER, 2),
    Counted("openinference_sdk_to_json_openai_chat.jsonl", 3, 3, 1, ANSWER, 2),
    Counted("openllmetry_otlp_openai_chat.json", 3, 3, 1, ANSWER, 2),
    Counted("otel-genai_otlp_logs_default_v1.30.json", 3, 3, 1, ANSWER, 0),
    Counted("otel-genai_otlp_traces_default_v1.30.json", 0, 0, 0, None, 0),
    Counted("otel-genai_otlp_traces_latest_experimental.json", 3, 3, 1, ANSWER, 0),
    Counted("otel-genai_sdk_to_json_traces_default_v1.30.jsonl", 0, 0, 0, None, 0),
    Counted("otel-genai_sdk_to_json_traces_latest_experimental.jsonl", 3, 3, 1, ANSWER, 0),
    Counted("pydantic-ai_otel_spans_instrumentation_v3.jsonl", 3, 3, 1, ANSWER, 2),
    Counted("pydantic-ai_nocall_otel_spans_instrumentation_v2.jsonl", 0, 0, 0, HELLO, 2),
    Counted("pydantic-ai_nocall_otel_spans_instrumentation_v5.jsonl", 0, 0, 0, HELLO, 2),
    Counted("strands_nocall_otel_spans.jsonl", 0, 0, 0, HELLO, 2),
    # An agent that asks a sub-agent (one call of its own) beside a call that fails; then the corrected call.
    Counted("pydantic-ai_subagent_v2.jsonl", 5, 5, 1, "KE703, 11C.", 4),
    Counted("pydantic-ai_subagent_v5.jsonl", 5, 5, 1, "KE703, 11C.", 4),
    Counted("pydantic-ai_subagent_v6.jsonl", 5, 5, 1, "KE703, 11C.", 4),
    Counted("pydantic-ai_subagent_v5_nocontent.jsonl", 5, 5, 1, None, 4),
    Counted("strands_subagent.jsonl", 4, 4, 1, "KE703, 11C.", 3),
    Counted("strands_subagent_latest.jsonl", 4, 4, 1, "KE703, 11C.", 3),
    Counted("strands_subagent_redacted.jsonl", 4, 4, 1, None, 3),
    Counted("openinference_langgraph.jsonl", 3, 3, 1, "KE703, 11C.", 2),
    # Eleven spans each: four of the program, an agent, four model spans, one step, one tool span without an output.
    Counted("trail_0ebe673d.json", 1, 1, 0, "FINAL ANSWER: right", 0),
    Counted("trail_1427b326.json", 1, 1, 0, "FINAL ANSWER: 3", 0),
    Counted("trail_4ae16319.json", 1, 1, 0, "FINAL ANSWER: 30", 0),
    Counted("trail_5e5dc94e.json", 1, 1, 0, "FINAL ANSWER: 6", 0),
]
SCENARIO = [c.file for c in FILES if c.answer == ANSWER]


@pytest.mark.parametrize("counted", FILES, ids=lambda c: c.file)
def test_what_a_person_counted(counted: Counted) -> None:
    reading = read(SPANS / f"{counted.file}.gz")
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "otel-spans"
    assert len(trace.calls) == reading.calls_in == counted.calls
    assert sum(c.result is not None for c in trace.calls) == counted.results
    assert sum(c.outcome == "error" for c in trace.calls) == counted.errors
    assert (trace.messages[-1].text or "").strip() == (counted.answer or "")
    assert len(trace.tools) == counted.tools


@pytest.mark.parametrize("file", SCENARIO)
def test_the_same_run_gives_the_same_conversation_and_verdict(file: str) -> None:
    (trace,) = read(SPANS / f"{file}.gz")
    assert [m.role for m in trace.messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert [len(s.calls) for s in trace.steps] == [2, 1, 0]
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [
        ("search_flights", {"origin": "ICN", "destination": "NRT", "departure_date": "next Friday"}, "error"),
        ("get_weather", {"city": "Tokyo"}, "ok"),
        ("search_flights", {"origin": "ICN", "destination": "NRT", "departure_date": "2026-12-04"}, "ok"),
    ]
    assert trace.calls[0].error is not None
    assert trace.calls[0].error.fields == ("departure_date",)
    assert {c.result.joined for c in trace.calls if c.result} == {"id"}
    assert len({c.source.span for c in trace.calls}) == 2
    verdict = rootcall.verdict(trace.with_tools(_tools()))
    assert (verdict.status, verdict.root_cause) == ("pass", None)
    assert {n: layer.status for n, layer in verdict.layers.items()} == {
        "selection": "pass", "arguments": "pass", "utilization": "pass", "recovery": "pass", "trajectory": "n/a",
    }  # fmt: skip


def _tools() -> Any:
    (trace,) = read(SPANS / "openinference_otlp_openai_chat.json.gz")
    return trace.tools


def test_calls_point_at_the_spans_that_made_them() -> None:
    (trace,) = read(SPANS / "pydantic-ai_otel_spans_instrumentation_v3.jsonl.gz")
    assert [c.source.span for c in trace.calls] == ["719d920afafe5594", "719d920afafe5594", "bb4b6b23caddf672"]
    assert [c.source.line for c in trace.calls] == [1, 1, 4]
    assert [c.result.source.span for c in trace.calls if c.result][:2] == ["6f5abc53e15b97a3", "428497214e3ad64e"]
    assert str(trace.calls[0].source).endswith(":1 span 719d920afafe5594")
    (document,) = read(SPANS / "openinference_otlp_openai_chat.json.gz")
    assert document.calls[0].source.pointer == "/resourceSpans/0/scopeSpans/0/spans/0"


def test_a_trail_trace_keeps_its_span_ids_agent_and_tool_run() -> None:
    (trace,) = read(SPANS / "trail_0ebe673d.json.gz")
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.outcome) == ("final_answer", {"answer": "right"}, "unknown")
    assert call.agent == "CodeAgent.run"
    assert call.source.span == "9dfa48b84b860b85", "the response in whose code the tool was called"
    assert call.result is not None
    assert call.result.source.span == "ecc4e15abed97adb"
    assert call.result.text is None, "the span holds no output"
    assert {m.source.span for m in trace.messages if m.role == "assistant"} == {
        "f71a82ea675d637d", "29f141a7c2556206", "9dfa48b84b860b85", "05168be1bb804a8d",
    }  # fmt: skip


@pytest.mark.parametrize("file", [c.file for c in FILES if "subagent" in c.file and c.answer])
def test_a_real_sub_agent_keeps_its_own_thread(file: str) -> None:
    (trace,) = read(SPANS / f"{file}.gz")
    assert {c.tool: c.agent for c in trace.calls} == {
        "search_flights": "main", "ask_weather": "main", "get_weather": "weather_agent", **({"boom": "main"} if len(trace.calls) == 5 else {}),
    }  # fmt: skip
    assert [m.role for m in trace.messages if m.agent == "weather_agent"] == [
        "system",
        "system",
        "assistant",
        "assistant",
    ]
    assert len(trace.turns) == 1
    inner = next(c for c in trace.calls if c.tool == "get_weather")
    assert inner.result is not None
    assert inner.result.payload == {"city": "Tokyo", "temp_c": 11}
    assert rootcall.verdict(trace).status == "pass"


@pytest.mark.parametrize(
    ("file", "setting"),
    [
        ("pydantic-ai_subagent_v5_nocontent.jsonl", "InstrumentationSettings(include_content=True)"),
        ("strands_subagent_redacted.jsonl", "gen_ai_unredacted_attributes"),
    ],
)
def test_a_real_run_without_content_keeps_its_calls_and_scores_none_of_it(file: str, setting: str) -> None:
    (trace,) = read(SPANS / f"{file}.gz")
    assert {p.code for p in trace.problems} == {"content-not-captured", "arguments-not-captured"}
    assert all(setting in p.message for p in trace.problems)
    assert {c.state for c in trace.calls} == {"not_captured"}
    assert all(m.text is None for m in trace.messages if m.role != "tool")
    verdict = rootcall.verdict(trace)
    assert {n: layer.status for n, layer in verdict.layers.items()} == {
        "selection": "pass", "arguments": "unscored", "utilization": "n/a", "recovery": "unscored", "trajectory": "n/a",
    }  # fmt: skip


def test_content_that_was_not_captured_is_said_with_what_would_capture_it() -> None:
    for name in ("otlp_traces_default_v1.30.json", "sdk_to_json_traces_default_v1.30.jsonl"):
        (trace,) = read(SPANS / f"otel-genai_{name}.gz")
        assert (trace.completeness.content, trace.completeness.calls) == ("none", "partial")
        said = {p.code: p.message for p in trace.problems}
        assert set(said) == {"content-not-captured", "calls-not-captured"}
        for word in ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY", "3 model spans of 3", "log events",
                     "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"):  # fmt: skip
            assert word in said["content-not-captured"]
        assert said["calls-not-captured"].startswith("2 responses")
        verdict = rootcall.verdict(trace)
        assert verdict.status == "unscored"
        assert {layer.status for layer in verdict.layers.values()} == {"n/a"}


# ---- spans made by hand ------------------------------------------------------------------------------------------

Span = dict[str, Any]
TRACE = "0af7651916cd43dd8448eb211c80319c"


def any_value(value: Any) -> Any:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(v) for v in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": any_value(v)} for k, v in value.items()]}}
    return {"stringValue": value}


def span(id: int, at: float = 0, *, of: int | None = None, failed: str | None = None, trace: str = TRACE,  # noqa: A002
         happened: list[tuple[str, dict[str, Any]]] = [], name: str = "s", lasts: float = 0.5, **attributes: Any) -> Span:  # noqa: B006  # fmt: skip
    """A span as OTLP/JSON has it; a double underscore in the name of an attribute is a dot."""
    start = 1_796_062_978_000_000_000 + int(at * 10**9)
    return {
        "traceId": trace, "spanId": f"{id:016x}", **({} if of is None else {"parentSpanId": f"{of:016x}"}),
        "name": name, "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + int(lasts * 10**9)),
        "attributes": [{"key": k.replace("__", "."), "value": any_value(v)} for k, v in attributes.items()],
        "events": [{"name": n, "timeUnixNano": str(start),
                    "attributes": [{"key": k, "value": any_value(v)} for k, v in a.items()]} for n, a in happened],
        "status": {"code": 2, "message": failed} if failed else {},
    }  # fmt: skip


def otlp(*spans: Span) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "t"}, "spans": list(spans)}]}]}


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def asks(*calls: tuple[str, Any, str | None]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "name": n, "arguments": a, **({"id": i} if i else {})} for n, a, i in calls]
    return {"role": "assistant", "parts": parts}


def told(response: Any, id: str | None = None) -> dict[str, Any]:  # noqa: A002
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "response": response, **({"id": id} if id else {})}],
    }


def chat(id: int, at: float, given: list[Any], answered: Any, **fields: Any) -> Span:  # noqa: A002
    messages = {"gen_ai.input.messages": json.dumps(given)}
    if answered is not None:
        messages["gen_ai.output.messages"] = json.dumps([answered])
    return span(id, at, **{"gen_ai__operation__name": "chat", **messages, **fields})


def ran(id: int, at: float, tool: str, arguments: Any, back: Any, **fields: Any) -> Span:  # noqa: A002
    own = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": tool}
    if arguments is not None:
        own["gen_ai__tool__call__arguments"] = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if back is not None:
        own["gen_ai__tool__call__result"] = back
    return span(id, at, **{**own, **fields})


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Reading]:
    def write(*values: Any, name: str = "x.jsonl") -> Reading:
        (tmp_path / name).write_text("\n".join(json.dumps(v) for v in values))
        return read(tmp_path / name)

    return write


def only(reading: Reading, *, problems: tuple[str, ...] = ()) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert tuple(p.code for p in trace.problems) == problems
    return trace


def calls(trace: Trace) -> list[tuple[Any, ...]]:
    return [(c.tool, c.arguments, c.outcome) for c in trace.calls]


USER = text("user", "Weather in Gimje?")
ASKED = asks(("weather", {"city": "Gimje"}, "c1"))


def test_a_call_told_by_model_tool_and_agent_spans_is_one(written: Any) -> None:
    history = [USER, ASKED, told("snow", "c1"), text("assistant", "Snow.")]
    agent = span(1, 0, lasts=9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="a",
                 **{"pydantic_ai.all_messages": json.dumps(history)})  # fmt: skip
    trace = only(
        written(otlp(chat(2, 1, [USER], ASKED, of=1), ran(3, 2, "weather", {"city": "Gimje"}, "snow", of=1, gen_ai__tool__call__id="c1"),
                     chat(4, 3, history[:3], history[3], of=1), agent)))  # fmt: skip
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.calls[0].agent is None
    assert trace.metadata["agents"] == ["a"]


def test_only_an_agent_span_tells_the_whole_run(written: Any) -> None:
    history = [USER, ASKED, told("snow", "c1"), text("assistant", "Snow.")]
    trace = only(
        written(
            otlp(span(1, gen_ai__operation__name="invoke_agent", **{"pydantic_ai.all_messages": json.dumps(history)}))
        )
    )
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert trace.turns[0].answer is not None


def test_tool_spans_without_model_spans_are_steps_by_their_times(written: Any) -> None:
    agent = span(1, 0, lasts=9, openinference__span__kind="AGENT", agent__name="a",
                 **{"input.value": "Weather?", "output.value": "Snow."})  # fmt: skip
    tool = {"openinference__span__kind": "TOOL", "tool__name": "weather"}
    trace = only(written(otlp(
        agent,
        span(2, 1, of=1, lasts=2, **tool, **{"input.value": '{"city": "Gimje"}', "output.value": "snow"}),
        span(3, 2, of=1, lasts=2, **tool, **{"input.value": '{"city": "Seoul"}', "output.value": "sun"}),
        span(4, 5, of=1, **tool, **{"input.value": "Tokyo", "output.value": "rain"}),
    )), problems=("arguments-not-captured",))  # fmt: skip
    assert [[c.arguments for c in s.calls] for s in trace.steps] == [[{"city": "Gimje"}, {"city": "Seoul"}], [None], []]
    assert [m.text for m in trace.messages if m.role != "tool"] == ["Weather?", None, None, "Snow."]
    assert [c.result.text for c in trace.calls if c.result] == ["snow", "sun", "rain"]
    assert trace.calls[2].state == "not_captured", "only the bare value was kept, without its name"
    failing = [c for c in rootcall.verdict(trace).checks if c.status == "fail"]
    assert failing == []


def test_repeated_history_counts_once_although_ids_are_reused(written: Any) -> None:
    first, second = asks(("weather", {"city": "Gimje"}, "id")), asks(("weather", {"city": "Seoul"}, "id"))
    history = [USER, first, told("snow", "id"), second, told("sun", "id"), text("assistant", "Snow and sun.")]
    trace = only(
        written(otlp(*(chat(n, n, history[: 2 * n + 1], history[2 * n + 1]) for n in range(3)))),
        problems=("reused-call-id",),
    )
    assert [(c.arguments, c.result.text) for c in trace.calls if c.result and c.arguments] == [
        ({"city": "Gimje"}, "snow"), ({"city": "Seoul"}, "sun"),
    ]  # fmt: skip


def test_the_same_call_twice_in_a_row_is_two_calls(written: Any) -> None:
    history = [USER, ASKED, told("busy", "c1"), ASKED, told("snow", "c1"), text("assistant", "Snow.")]
    trace = only(
        written(otlp(*(chat(n, n, history[: 2 * n + 1], history[2 * n + 1]) for n in range(3)))),
        problems=("reused-call-id",),
    )
    assert [c.result.text for c in trace.calls if c.result] == ["busy", "snow"]


def test_a_history_that_writes_an_answer_otherwise_is_still_the_same_answer(written: Any) -> None:
    answer = {"role": "assistant", "parts": [
        {"type": "reasoning", "content": "hm"}, {"type": "text", "content": "Let me  look.\n"},
        {"type": "tool_call", "name": "weather", "id": "c1", "arguments": '{"city":"Gimje"}'}]}  # fmt: skip
    trace = only(
        written(
            otlp(chat(1, 0, [USER], answer), chat(2, 1, [USER, ASKED, told("snow", "c1")], text("assistant", "Snow.")))
        )
    )
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert trace.messages[1].text == "Let me  look.\n"


def test_calls_told_one_by_one_in_the_history_are_those_of_one_response(written: Any) -> None:
    both = asks(("weather", {"city": "Gimje"}, "a"), ("weather", {"city": "Seoul"}, "b"))
    apart = [asks(("weather", {"city": "Gimje"}, "a")), asks(("weather", {"city": "Seoul"}, "b"))]
    trace = only(
        written(
            otlp(
                chat(1, 0, [USER], both),
                chat(2, 1, [USER, *apart, told("snow", "a"), told("sun", "b")], text("assistant", "x")),
            )
        )
    )
    assert [len(s.calls) for s in trace.steps] == [2, 0]


def test_a_shortened_history_adds_only_what_is_new(written: Any) -> None:
    history = [text("system", "s"), USER, text("assistant", "Snow."), text("user", "And Seoul?")]
    trace = only(written(otlp(
        chat(1, 0, history[:2], history[2]),
        chat(2, 1, [history[0], history[3]], text("assistant", "Sun.")),
        chat(3, 2, [history[0], text("user", "And Seoul?"), text("assistant", "Sun."), text("user", "And Seoul?")], text("assistant", "Rain.")),
    )))  # fmt: skip
    assert [m.text for m in trace.messages] == [
        "s",
        "Weather in Gimje?",
        "Snow.",
        "And Seoul?",
        "Sun.",
        "And Seoul?",
        "Rain.",
    ]
    assert len(trace.turns) == 3


def test_spans_are_read_by_time_not_by_their_place_in_the_file(written: Any) -> None:
    history = [USER, ASKED, told("snow", "c1")]
    trace = only(written(otlp(chat(2, 2, history, text("assistant", "Snow."))), otlp(chat(1, 1, [USER], ASKED))))
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.calls[0].source.line == 2


@pytest.mark.parametrize("ids", [True, False])
def test_parallel_runs_of_one_tool_find_their_own_call(written: Any, ids: bool) -> None:
    made = asks(
        ("weather", {"city": "Gimje"}, "a" if ids else None), ("weather", {"city": "Seoul"}, "b" if ids else None)
    )
    runs = [ran(3, 2.0, "weather", {"city": "Seoul"}, "sun", **({"gen_ai__tool__call__id": "b"} if ids else {})),
            ran(4, 2.1, "weather", {"city": "Gimje"}, "snow", **({"gen_ai__tool__call__id": "a"} if ids else {}))]  # fmt: skip
    trace = only(written(otlp(chat(1, 1, [USER], made), *runs)))
    assert [(c.arguments, c.result.text) for c in trace.calls if c.result] == [
        ({"city": "Gimje"}, "snow"), ({"city": "Seoul"}, "sun"),
    ]  # fmt: skip


def test_what_a_tool_threw_is_kept_apart_from_what_the_model_was_shown(written: Any) -> None:
    shown = "Error: Function failed."
    failed = ran(2, 1.5, "weather", {"city": "Gimje"}, None, failed="", gen_ai__tool__call__id="c1",
                 happened=[("exception", {"exception.type": "ValueError", "exception.message": "city must be Korean"})])  # fmt: skip
    failed["status"] = {"code": 2}
    trace = only(
        written(
            otlp(
                chat(1, 1, [USER], ASKED),
                failed,
                chat(3, 2, [USER, ASKED, told(shown, "c1")], text("assistant", "Sorry.")),
            )
        )
    )
    (call,) = trace.calls
    assert call.result is not None
    assert call.error is not None
    assert (call.outcome, call.result.text, call.result.shown) == ("error", "city must be Korean", shown)
    assert call.error.visible is False
    assert call.evidence == "span status"


def test_an_error_that_the_model_read_is_told_once(written: Any) -> None:
    failed = ran(
        2, 1.5, "weather", {"city": "Gimje"}, None, failed="ValueError: no such city", gen_ai__tool__call__id="c1"
    )
    trace = only(written(otlp(chat(1, 1, [USER], ASKED), failed, chat(3, 2, [USER, ASKED, told("Error: ValueError: no such city", "c1")], None))),
                 problems=("content-not-captured",))  # fmt: skip
    (call,) = trace.calls
    assert call.result is not None
    assert call.result.text == call.result.shown == "Error: ValueError: no such city"
    assert call.error is not None
    assert call.error.visible is True


def test_a_call_that_waits_for_approval_has_no_result(written: Any) -> None:
    waiting = ran(2, 1.5, "weather", {"city": "Gimje"}, None, failed="x", gen_ai__tool__call__id="c1",
                  **{"pydantic_ai.tool.deferral.name": "ApprovalRequired"})  # fmt: skip
    assert calls(only(written(otlp(chat(1, 1, [USER], ASKED), waiting)))) == [
        ("weather", {"city": "Gimje"}, "no_result")
    ]


def test_two_instrumentations_of_one_response_are_one_response(written: Any) -> None:
    outer = {"openinference__span__kind": "LLM", "llm.input_messages.0.message.role": "user",
             "llm.input_messages.0.message.content": "Weather in Gimje?", "llm.output_messages.0.message.role": "assistant",
             "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
             "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city": "Gimje"}'}  # fmt: skip
    trace = only(written(otlp(span(1, 0, lasts=2, **outer), chat(2, 0.1, [USER], ASKED, of=1),
                              ran(3, 3, "weather", {"city": "Gimje"}, "snow"),
                              span(4, 3.1, of=3, openinference__span__kind="TOOL", tool__name="weather"))))  # fmt: skip
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert trace.metadata["conventions"] == ["gen-ai", "openinference"]


def test_a_sub_agent_speaks_in_its_own_thread_within_the_turn(written: Any) -> None:
    asked = asks(("ask_weather", {"task": "Gimje"}, "c1"))
    sub = [text("system", "You know the weather."), text("user", "Gimje")]
    inner = asks(("weather", {"city": "Gimje"}, "c1"))
    tools = [json.dumps([{"name": n, "parameters": {"type": "object"}}]) for n in ("ask_weather", "weather")]
    defined = [{"gen_ai.tool.definitions": t} for t in tools]
    trace = only(written(otlp(
        span(1, 0, lasts=30, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="main"),
        chat(2, 1, [USER], asked, of=1, **defined[0]),
        ran(3, 2, "ask_weather", {"task": "Gimje"}, "It snows.", of=1, lasts=10, gen_ai__tool__call__id="c1"),
        span(4, 3, of=3, lasts=8, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="sub"),
        chat(5, 4, sub, inner, of=4, **defined[1]),
        ran(6, 5, "weather", {"city": "Gimje"}, "snow", of=4, gen_ai__tool__call__id="c1"),
        chat(7, 6, [*sub, inner, told("snow", "c1")], text("assistant", "It snows."), of=4, **defined[1]),
        chat(8, 20, [USER, asked, told("It snows.", "c1")], text("assistant", "Snow."), of=1, **defined[0]),
    )), problems=("reused-call-id",))  # fmt: skip
    assert [(c.tool, c.agent, c.outcome, c.result.text) for c in trace.calls if c.result] == [
        ("ask_weather", "main", "ok", "It snows."), ("weather", "sub", "ok", "snow"),
    ]  # fmt: skip
    assert [(m.role, m.agent) for m in trace.messages if m.role in ("user", "system")] == [
        ("user", "main"), ("system", "sub"), ("system", "sub"),
    ]  # fmt: skip
    assert len(trace.turns) == 1
    assert trace.turns[0].answer is not None
    assert trace.turns[0].answer.text == "Snow."
    assert [set(trace.offered(c.step, c.agent) or ()) for c in trace.calls] == [{"ask_weather"}, {"weather"}]


def test_a_handoff_goes_on_in_the_same_conversation(written: Any) -> None:
    over = asks(("transfer_to_b", {}, "c1"))
    agents = [
        span(n, at, lasts=5, gen_ai__operation__name="invoke_agent", gen_ai__agent__name=a)
        for n, at, a in ((1, 0, "a"), (2, 10, "b"))
    ]
    trace = only(
        written(
            otlp(
                *agents,
                chat(3, 1, [USER], over, of=1),
                chat(4, 11, [USER, over, told("ok", "c1")], text("assistant", "Hi."), of=2),
            )
        )
    )
    assert [(m.role, m.agent) for m in trace.messages] == [
        ("user", "a"),
        ("assistant", "a"),
        ("tool", None),
        ("assistant", "b"),
    ]
    assert calls(trace) == [("transfer_to_b", {}, "ok")]


def test_tools_that_change_in_the_middle_are_known_by_step(written: Any) -> None:
    spec = [{"name": "weather", "parameters": {"type": "object"}}, {"name": "rain", "parameters": {"type": "object"}}]
    history = [USER, ASKED, told("snow", "c1"), text("assistant", "x"), text("user", "y"), text("assistant", "z")]
    trace = only(written(otlp(*(
        chat(n, n, history[: 2 * n + 1], history[2 * n + 1], **{"gen_ai.tool.definitions": json.dumps(t)})
        for n, t in enumerate([spec[:1], spec, spec[1:]])
    ))))  # fmt: skip
    assert [set(trace.offered(n) or ()) for n in range(3)] == [{"weather"}, {"weather", "rain"}, {"rain"}]
    assert len(trace.tools) == 2


@pytest.mark.parametrize("form", ["prompt", "log", "event", "details", "value", "events attribute"])
def test_every_generation_of_the_conventions_says_the_same(written: Any, form: str) -> None:
    sent = '{"city": "Gimje"}'
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": sent}}
    after = [
        {"role": "user", "content": "Weather in Gimje?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "snow"},
    ]
    spans = []
    logs = []
    for n, (given, answer) in enumerate(
        [(after[:1], {"role": "assistant", "tool_calls": [call]}), (after, {"role": "assistant", "content": "Snow."})]
    ):
        own: dict[str, Any] = {"gen_ai__operation__name": "chat"}
        events: list[tuple[str, dict[str, Any]]] = []
        said = [
            (
                f"gen_ai.{m['role']}.message",
                {
                    **{k: v for k, v in m.items() if k not in ("role", "tool_call_id")},
                    **({"id": "c1"} if m["role"] == "tool" else {}),
                },
            )
            for m in given
        ]
        said.append(("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": answer}))
        if form == "prompt":
            own = {"llm__request__type": "chat"}
            for i, m in enumerate(given):
                own |= {f"gen_ai.prompt.{i}.{k}": v for k, v in m.items() if isinstance(v, str)}
                own |= {
                    f"gen_ai.prompt.{i}.tool_calls.0.{k}": v
                    for c in m.get("tool_calls", [])
                    for k, v in {"id": "c1", **c["function"]}.items()
                }  # type: ignore[attr-defined]
            own |= {f"gen_ai.completion.0.{k}": v for k, v in answer.items() if isinstance(v, str)}
            own |= {
                f"gen_ai.completion.0.tool_calls.0.{k}": v
                for c in answer.get("tool_calls", [])
                for k, v in {"id": "c1", **c["function"]}.items()
            }  # type: ignore[attr-defined]
            own["gen_ai.completion.0.finish_reason"] = "stop"
        elif form == "log":
            logs += [
                {
                    "traceId": TRACE,
                    "spanId": f"{n + 1:016x}",
                    "timeUnixNano": str(n),
                    "eventName": e,
                    "body": any_value(b),
                }
                for e, b in said
            ]
        elif form == "event":
            events = [
                (e, {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in b.items()}) for e, b in said
            ]
        elif form == "events attribute":
            own["events"] = json.dumps([{"event.name": e, **b} for e, b in said])
        elif form == "value":
            own = {
                "openinference__span__kind": "LLM",
                "input.value": json.dumps({"model": "m", "messages": given}),
                "output.value": json.dumps({"choices": [{"message": answer}]}),
            }
        else:
            parts = [USER, ASKED, told("snow", "c1")][: len(given)]
            final = text("assistant", "Snow.") if n else ASKED
            events = [("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": json.dumps(parts)}),
                      ("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": json.dumps([final])})]  # fmt: skip
        spans.append(span(n + 1, n, happened=events, **own))
    values: list[Any] = [otlp(*spans)]
    if logs:
        values.insert(0, {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]})
    trace = only(written(*values))
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert [(c.tool, c.arguments, c.id, c.result.text) for c in trace.calls if c.result] == [
        ("weather", {"city": "Gimje"}, "c1", "snow")
    ]
    assert trace.messages[-1].text == "Snow."


def test_strands_tool_spans_give_status_result_and_schema(written: Any) -> None:
    strands = {"gen_ai__system": "strands-agents"}
    use = json.dumps(
        [{"text": "Looking."}, {"toolUse": {"name": "weather", "toolUseId": "t1", "input": {"city": "Gimje"}}}]
    )
    back = json.dumps([{"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": "no such city"}]}}])
    trace = only(written(otlp(
        span(1, 0, lasts=9, gen_ai__operation__name="invoke_agent", **strands, gen_ai__agent__name="S", **{"gen_ai.agent.tools": '["weather"]'}),
        span(2, 1, of=1, gen_ai__operation__name="chat", **strands,
             happened=[("gen_ai.user.message", {"content": '[{"text": "Weather in Gimje?"}]'}), ("gen_ai.choice", {"finish_reason": "tool_use", "message": use})]),
        span(3, 2, of=1, name="execute_tool weather", failed="no such city", gen_ai__operation__name="execute_tool", **strands,
             **{"gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "t1", "gen_ai.tool.status": "error",
                "gen_ai.tool.json_schema": '{"type": "object", "properties": {"city": {"type": "string"}}}'},
             happened=[("gen_ai.tool.message", {"role": "tool", "content": '{"city": "Gimje"}', "id": "t1"}),
                     ("gen_ai.choice", {"message": '[{"text": "no such city"}]', "id": "t1"})]),
        span(4, 3, of=1, gen_ai__operation__name="chat", **strands,
             happened=[("gen_ai.user.message", {"content": '[{"text": "Weather in Gimje?"}]'}), ("gen_ai.assistant.message", {"content": use}),
                     ("gen_ai.tool.message", {"content": back}), ("gen_ai.choice", {"finish_reason": "end_turn", "message": '[{"text": "Sorry."}]'})]),
    )))  # fmt: skip
    assert calls(trace) == [("weather", {"city": "Gimje"}, "error")]
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "no such city"
    assert trace.tools[0].schema["properties"] == {"city": {"type": "string"}}
    assert [m.text for m in trace.messages] == ["Weather in Gimje?", "Looking.", "no such city", "Sorry."]


def test_openllmetry_tool_spans_wrap_arguments_and_results(written: Any) -> None:
    run = span(2, 2, traceloop__span__kind="tool", traceloop__entity__name="weather",
               **{"traceloop.entity.input": '{"args": [], "kwargs": {"city": "Gimje"}}',
                  "traceloop.entity.output": '{"output": {"type": "tool", "content": "snow", "status": "success"}, "kwargs": {}}'})  # fmt: skip
    trace = only(written(otlp(chat(1, 1, [USER], ASKED), run)))
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "snow"


def test_a_langchain_tool_span_that_says_ok_still_tells_the_error(written: Any) -> None:
    message = {
        "type": "tool",
        "data": {"content": "Error: no such city", "type": "tool", "status": "error", "tool_call_id": "c1"},
    }
    run = span(
        2,
        2,
        openinference__span__kind="TOOL",
        tool__name="weather",
        **{"input.value": "Gimje", "output.value": json.dumps(message)},
    )
    run["status"] = {"code": "STATUS_CODE_OK"}
    trace = only(written(otlp(chat(1, 1, [USER], ASKED), run)))
    assert trace.calls[0].result is not None
    assert (trace.calls[0].outcome, trace.calls[0].result.text) == ("error", "Error: no such city")


# ---- containers --------------------------------------------------------------------------------------------------


def snake(value: Any) -> Any:
    if isinstance(value, list):
        return [snake(v) for v in value]
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): snake(v) for k, v in value.items()}
    return value


def in_base64(value: Any) -> Any:
    if isinstance(value, list):
        return [in_base64(v) for v in value]
    if isinstance(value, dict):
        ids = ("traceId", "spanId", "parentSpanId")
        return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in ids else in_base64(v) for k, v in value.items()}
    return value


def as_row(s: Span, **more: Any) -> dict[str, Any]:
    """As Phoenix returns spans: ids below `context`, times as ISO texts, the kind lifted out."""
    own = {a["key"]: a["value"].get("stringValue") for a in s["attributes"]}
    kind = own.pop("openinference.span.kind", "UNKNOWN")
    at = "2026-12-01T00:00:0{}.5+00:00"
    return {"name": "n", "context": {"trace_id": s["traceId"], "span_id": s["spanId"]}, "parent_id": s.get("parentSpanId"),
            "span_kind": kind, "start_time": at.format(int(s["spanId"], 16)), "end_time": at.format(9), "status_code": "OK",
            "attributes": own, "events": [], **more}  # fmt: skip


def llm(id: int, given: list[dict[str, Any]], answer: dict[str, Any]) -> Span:  # noqa: A002
    flat: dict[str, Any] = {"openinference__span__kind": "LLM"}
    for where, listed in (("input", given), ("output", [answer])):
        for i, m in enumerate(listed):
            flat |= {f"llm.{where}_messages.{i}.message.{k}": v for k, v in m.items() if isinstance(v, str)}
            for j, c in enumerate(m.get("tool_calls", [])):
                base = f"llm.{where}_messages.{i}.message.tool_calls.{j}.tool_call"
                flat |= {f"{base}.id": c[2], f"{base}.function.name": c[0], f"{base}.function.arguments": c[1]}
    return span(id, id, **flat)


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        node = root
        for part in path:
            node = node.setdefault(part, {})
        node[last] = value

    def listed(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        inner = {k: listed(v) for k, v in node.items()}
        return [inner[k] for k in sorted(inner, key=int)] if inner and all(k.isdigit() for k in inner) else inner

    return listed(root)  # type: ignore[no-any-return]


def test_every_container_holds_the_same_trace(written: Any) -> None:
    asked = {"role": "assistant", "tool_calls": [("weather", '{"city": "Gimje"}', "c1")]}
    user = {"role": "user", "content": "Weather?"}
    spans = [
        llm(1, [user], asked),
        llm(
            2,
            [user, asked, {"role": "tool", "tool_call_id": "c1", "content": "snow"}],
            {"role": "assistant", "content": "Snow."},
        ),
    ]
    rows = [as_row(s) for s in spans]
    columns = [{"context.trace_id": r["context"]["trace_id"], "context.span_id": r["context"]["span_id"], "parent_id": None, "name": "n",
                "span_kind": r["span_kind"], "start_time": 1796062978000 + n, **{f"attributes.{k}": v for k, v in r["attributes"].items()}} for n, r in enumerate(rows)]  # fmt: skip
    whole = otlp(*spans)
    apart = [otlp(s) for s in spans]
    forms: dict[str, list[Any]] = {
        "one document": [whole], "one request a line": apart, "snake case": [snake(whole)], "base64 ids": [in_base64(whole)],
        "below data": [{"data": rows, "next_cursor": None}], "rows": rows, "an array": [rows], "columns": columns,
        "a tree of attributes": [{**r, "attributes": nested(r["attributes"])} for r in rows],
        "below trace": [{"trace": whole}], "batches": [{"batches": whole["resourceSpans"]}],
        "nested spans": [{"trace_id": TRACE, "spans": [{"trace_id": TRACE, "span_id": "1" * 16, "span_name": "main", "span_attributes": {}, "child_spans": rows}]}],
    }  # fmt: skip
    for form, values in forms.items():
        trace = only(written(*values))
        assert trace.id == TRACE, form
        assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")], form
        assert [m.text for m in trace.messages] == ["Weather?", None, "snow", "Snow."], form
        assert {m.source.span for m in trace.messages} == {f"{1:016x}", f"{2:016x}"}, form


def test_traces_that_lie_between_one_another_are_told_apart(written: Any) -> None:
    others = [f"{n:032x}" for n in (1, 2, 3)]
    lines = [otlp(chat(n + 1, n, [USER], ASKED, trace=t)) for n, t in enumerate(others)]
    lines += [
        otlp(chat(n + 5, n + 5, [USER, ASKED, told("snow", "c1")], text("assistant", "Snow."), trace=t))
        for n, t in enumerate(others)
    ]
    reading = written(*lines)
    assert [(t.id, len(t.calls), len(t.messages)) for t in reading] == [(t, 1, 4) for t in others]


def test_a_line_that_holds_no_spans_is_named(written: Any) -> None:
    reading = written(otlp(chat(1, 0, [USER], ASKED)), {"hello": 1}, otlp(chat(1, 0, [USER], ASKED, trace="b" * 32)))
    assert len(list(reading)) == 2
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 2)]


# ---- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [c.file for c in FILES])
def test_a_file_cut_anywhere_gives_traces_and_named_problems(tmp_path: Path, file: str) -> None:
    data = gzip.decompress((SPANS / f"{file}.gz").read_bytes())
    dice = random.Random(file)
    for _ in range(50):
        (tmp_path / "cut").write_bytes(data[: dice.randrange(40, len(data))])
        try:
            reading = read(tmp_path / "cut")
            traces = list(reading)
        except rootcall.RootcallError as error:
            assert "\n" not in str(error)  # noqa: PT017
            continue
        assert "reader-failed" not in reading.counts, reading.problems
        assert traces or reading.problems
        assert reading.calls_in == reading.calls_kept + reading.calls_lost


def test_an_attribute_that_was_cut_keeps_what_stood_before_and_counts_the_lost(written: Any) -> None:
    first = chat(1, 0, [USER], asks(("weather", {"city": "Gimje"}, "c1"), ("weather", {"city": "Seoul"}, "c2")))
    output = next(a for a in first["attributes"] if a["key"] == "gen_ai.output.messages")
    output["value"]["stringValue"] = output["value"]["stringValue"][:-20]
    reading = written(otlp(first))
    trace = only(reading, problems=("attribute-cut", "arguments-not-captured"))
    assert [(c.arguments, c.state) for c in trace.calls] == [({"city": "Gimje"}, "object"), (None, "not_captured")]
    assert trace.completeness.history == "partial"
    assert "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT" in trace.problems[0].message
    output["value"]["stringValue"] = output["value"]["stringValue"][:141]
    reading = written(otlp(first))
    trace = only(reading, problems=("call-unreadable", "attribute-cut"))
    assert [c.arguments for c in trace.calls] == [{"city": "Gimje"}]
    assert trace.completeness.calls == "partial"
    assert (reading.calls_kept, reading.calls_lost) == (1, 1)


def cases(folder: Path, *expected: Any) -> Any:
    (folder / "cases.jsonl").write_text(
        "\n".join(json.dumps({"id": f"c{n}", "input": "x", "expect": {"calls": e}}) for n, e in enumerate(expected))
    )
    return rootcall.load_cases(folder / "cases.jsonl")


def test_what_was_not_captured_is_never_scored(written: Any, tmp_path: Path) -> None:
    failed = {"failed": "boom", "gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "weather"}
    silent = {"gen_ai__operation__name": "chat", "gen_ai__response__finish_reasons": ["tool_calls"]}
    tools = {"gen_ai.tool.definitions": '[{"name": "weather", "parameters": {"type": "object", "required": ["city"]}}]'}
    trace = only(
        written(otlp(*(s for n in range(5) for s in (span(n * 2 + 1, n * 2, **silent, **tools), span(n * 2 + 2, n * 2 + 1, **failed))))),
        problems=("content-not-captured", "arguments-not-captured"),
    )  # fmt: skip
    assert [(c.arguments, c.state, c.outcome) for c in trace.calls] == [(None, "not_captured", "error")] * 5
    (case,) = cases(tmp_path, [{"tool": "weather", "arguments": {"city": "Gimje"}}])
    for verdict in (rootcall.verdict(trace), rootcall.verdict(trace, case)):
        assert {c.rule for c in verdict.checks if c.status == "fail" and c.layer == "arguments"} == set()
        assert {c.rule for c in verdict.checks if c.rule == "arguments/not-json"} == {"arguments/not-json"}


def test_a_call_that_no_span_names_is_not_missing(written: Any, tmp_path: Path) -> None:
    trace = only(
        written(otlp(span(1, gen_ai__operation__name="chat", gen_ai__response__finish_reasons=["tool_calls"]))),
        problems=("content-not-captured", "calls-not-captured"),
    )
    for case in cases(tmp_path, [{"tool": "weather"}], [], "some"):
        verdict = rootcall.verdict(trace, case)
        assert verdict.layers["selection"].status == "unscored", case


@pytest.mark.parametrize("indent", [None, 1])
def test_the_whole_spans_of_a_document_that_breaks_off_are_read(tmp_path: Path, indent: int | None) -> None:
    first = [chat(1, 0, [USER], ASKED), chat(2, 1, [USER, ASKED, told("snow", "c1")], text("assistant", "Snow."))]
    second = chat(3, 0, [USER], asks(("weather", {"city": "Seoul"}, "x")), trace="f" * 32)
    whole = json.dumps(otlp(*first, second), indent=indent)
    ends = whole.index("f" * 32)
    for cut in (ends + 40, len(whole) - 3):
        (tmp_path / "x.json").write_text(whole[:cut])
        reading = read(tmp_path / "x.json")
        traces = list(reading)
        assert [len(t.calls) for t in traces] == ([1] if cut == ends + 40 else [1, 1])
        (problem,) = reading.problems
        assert problem.code == "not-json"
        assert problem.message.endswith("the spans before are kept")
    (tmp_path / "x.json").write_text(whole[: whole.index("Seoul") + 40])
    reading = read(tmp_path / "x.json")
    assert [len(t.calls) for t in reading] == [1]
    assert (reading.calls_lost, reading.calls_in) == (1, 2)


def test_a_tool_of_the_provider_is_a_call_with_its_own_result(written: Any) -> None:
    answer = {"role": "assistant", "parts": [
        {"type": "server_tool_call", "id": "s1", "name": "code_interpreter", "server_tool_call": {"type": "code_interpreter", "code": "1+1"}},
        {"type": "server_tool_call_response", "id": "s1", "server_tool_call_response": {"type": "code_interpreter", "output": "2"}},
        {"type": "text", "content": "2"}]}  # fmt: skip
    trace = only(written(otlp(chat(1, 0, [USER], answer))))
    assert calls(trace) == [("code_interpreter", {"code": "1+1"}, "ok")]
    assert trace.messages[1].text == "2"


def test_attributes_of_rootcall_are_metadata(written: Any) -> None:
    root = span(9, lasts=9, **{"rootcall.case_id": "flight", "rootcall.trial": 2})
    trace = only(written(otlp(root, chat(1, 1, [USER], text("assistant", "x"), of=9))))
    assert (trace.metadata["case_id"], trace.metadata["trial"]) == ("flight", 2)


def test_arguments_of_a_tool_are_not_taken_for_a_wrapping(written: Any) -> None:
    own = {"args": [1], "kwargs": {"a": 2}}
    trace = only(written(otlp(ran(1, 0, "run", own, "ok"))))
    assert trace.calls[0].arguments == own


def test_a_trace_without_a_model_or_a_tool_is_none(written: Any, tmp_path: Path) -> None:
    web = span(1, name="GET /", http__method="GET", trace="c" * 32)
    assert [t.id for t in written(otlp(chat(2, 0, [USER], text("assistant", "x")), web))] == [TRACE]
    with pytest.raises(rootcall.RootcallError, match="holds no trace"):
        list(written(otlp(web)))
