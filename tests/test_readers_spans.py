"""Spans: every container and convention gives the same conversation; each call, run and repetition counts once."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rootcall
from rootcall.readers import read

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
    Counted("openllmetry_langgraph.jsonl", 3, 3, 1, "KE703, 11C.", 2),
    # No model span at all: three tool spans below an agent's, without content and with.
    Counted("otel-genai_openai_agents_default.jsonl", 3, 3, 1, None, 0),
    Counted("otel-genai_openai_agents_span_only.jsonl", 3, 3, 1, None, 0),
    # An agent that writes code and asks another one in it: five tool spans, one of them failed, no answer but by a tool.
    Counted("openinference_smolagents.jsonl", 5, 5, 1, None, 0),
    Counted("openinference_smolagents_without_model_spans.jsonl", 5, 5, 1, "KE703, 11C.", 0),
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
    answers = [m.text for m in trace.messages if m.role == "assistant" and not m.calls]
    assert (answers[-1] if answers else None) == counted.answer or (answers[-1] or "").strip() == counted.answer
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


def kinds_in(spans: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The ids of the spans of a tree, by what kind they say they are of."""
    found: dict[str, set[str]] = {}
    while spans:
        s, *spans = spans
        found.setdefault(s["span_attributes"].get("openinference.span.kind", ""), set()).add(s["span_id"])
        spans += s["child_spans"]
    return found


# Two of the four were labelled by hand (TRAIL): at which span something went wrong.
@pytest.mark.parametrize(
    ("file", "labelled"),
    [
        ("trail_0ebe673d.json", {"29f141a7c2556206"}),
        ("trail_1427b326.json", {"1d70eddc9ca746fa"}),
        ("trail_4ae16319.json", set()),
        ("trail_5e5dc94e.json", set()),
    ],
)
def test_labels_made_elsewhere_find_the_messages_of_a_trail_trace(file: str, labelled: set[str]) -> None:
    (trace,) = read(SPANS / f"{file}.gz")
    kinds = kinds_in(json.loads(gzip.decompress((SPANS / f"{file}.gz").read_bytes()))["spans"])
    assert {kind: len(ids) for kind, ids in kinds.items()} == {"": 4, "AGENT": 1, "CHAIN": 1, "LLM": 4, "TOOL": 1}
    assert {m.source.span for m in trace.messages if m.role == "assistant"} == kinds["LLM"]
    assert {c.result.source.span for c in trace.calls if c.result} == kinds["TOOL"]
    assert labelled <= kinds["LLM"]


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


def test_tool_spans_without_model_spans_keep_parallel_calls_in_one_step() -> None:
    (silent,) = read(SPANS / "otel-genai_openai_agents_default.jsonl.gz")
    assert {p.code for p in silent.problems} == {"content-not-captured", "arguments-not-captured"}
    (said,) = read(SPANS / "otel-genai_openai_agents_span_only.jsonl.gz")
    assert [len(s.calls) for s in said.steps] == [len(s.calls) for s in silent.steps] == [2, 1]
    assert [c.outcome for c in said.calls] == ["error", "ok", "ok"]
    error = said.calls[0].error
    assert error is not None
    assert error.visible is False, "the model was shown a sentence of the SDK in its place"
    assert rootcall.verdict(said).status == "pass", "the first attempt failed, its correction passed"


@pytest.mark.parametrize("first", ["traces", "logs"])
def test_spans_and_the_logs_that_hold_their_messages_are_one_trace_in_one_file(tmp_path: Path, first: str) -> None:
    names = sorted(("traces", "logs"), key=lambda n: n != first)
    both = [gzip.decompress((SPANS / f"otel-genai_otlp_{n}_default_v1.30.json.gz").read_bytes()) for n in names]
    (tmp_path / "both.json").write_bytes(b"\n".join(both))
    (trace,) = read(tmp_path / "both.json")
    assert trace.problems == ()
    assert [(c.tool, c.outcome) for c in trace.calls] == [
        ("search_flights", "error"),
        ("get_weather", "ok"),
        ("search_flights", "ok"),
    ]
    assert trace.metadata["model"] == "gpt-5-mini", "the spans say that, and only they"


@pytest.mark.parametrize("file", ["openinference_smolagents", "openinference_smolagents_without_model_spans"])
def test_calls_made_in_code_belong_to_the_response_that_wrote_it(file: str) -> None:
    (trace,) = read(SPANS / f"{file}.jsonl.gz")
    assert sorted((c.tool, c.agent, c.outcome) for c in trace.calls) == [
        ("final_answer", "CodeAgent.run", "ok"), ("final_answer", "flight_agent.run", "ok"), ("get_weather", "CodeAgent.run", "ok"),
        ("search_flights", "flight_agent.run", "error"), ("search_flights", "flight_agent.run", "ok"),
    ]  # fmt: skip
    assert {json.dumps(c.arguments) for c in trace.calls if c.tool == "get_weather"} == {'{"city": "Tokyo"}'}
    assert [m.role for m in trace.messages if m.agent == "flight_agent.run" and m.role != "assistant"].count(
        "user"
    ) == 0
    assert len(trace.turns) == 1
    failed = next(c for c in trace.calls if c.outcome == "error")
    assert failed.result is not None
    assert failed.result.text == "400 departure_date must be ISO 8601"


def test_content_that_was_not_captured_is_said_with_what_would_capture_it() -> None:
    for name in ("otlp_traces_default_v1.30.json", "sdk_to_json_traces_default_v1.30.jsonl"):
        (trace,) = read(SPANS / f"otel-genai_{name}.gz")
        assert (trace.completeness.content, trace.completeness.calls) == ("none", "partial")
        said = {p.code: p.message for p in trace.problems}
        assert set(said) == {"content-not-captured", "calls-not-captured"}
        for word in ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY", "3 of 3 model spans", "log events",
                     "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"):  # fmt: skip
            assert word in said["content-not-captured"]
        assert said["calls-not-captured"].startswith("2 responses")
        verdict = rootcall.verdict(trace)
        assert verdict.status == "unscored"
        assert {layer.status for layer in verdict.layers.values()} == {"n/a"}


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
