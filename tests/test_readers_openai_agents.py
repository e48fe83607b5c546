"""OpenAI Agents SDK: traces with and without content, handoffs, agents as tools, errors; run states and approvals."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rootcall.case import Case
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"


def one(name: str, **options: Any) -> Trace:
    reading = read(TRACES / name, **options)
    (trace,) = reading
    assert reading.problems == []
    return trace


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(x) for x in (TRACES / name).read_text("utf-8").splitlines()]


def test_a_history_that_each_span_repeats_is_told_once() -> None:
    text = (TRACES / "agents_chat.jsonl").read_text("utf-8")
    assert text.count('"search_flights"') > 6
    trace = one("agents_chat.jsonl")
    assert [m.role for m in trace.messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert [len(s.calls) for s in trace.steps] == [2, 1, 0]
    assert (trace.id, trace.metadata["workflow_name"]) == ("trace_f93c4c7db2bb40bfaaee4188640e50ee", "Agent workflow")
    call = trace.calls[0]
    assert (call.id, call.agent, call.outcome, call.evidence) == ("call_1", "travel", "error", "span error")
    assert call.source.span == "span_2c8ac2f3180443cc81b72e03"
    assert (call.source.line, call.source.pointer) == (1, "/span_data/output/0/tool_calls/0")
    assert call.result is not None
    assert call.result.source.span == "span_078208cd6d0a4d029a926b49"
    assert trace.messages[2].timestamp == "2026-12-01T03:14:50.184480+00:00"


def test_an_error_that_the_sdk_hid_was_not_visible_to_the_model() -> None:
    for name in ("agents_chat.jsonl", "agents_responses.jsonl"):
        error = one(name).calls[0].error
        assert error is not None
        assert error.visible is False


def test_an_error_that_is_not_redacted_is_kept_apart_from_what_the_model_saw(written: Any) -> None:
    spans = lines("agents_chat.jsonl")
    spans[1]["error"]["data"]["error"] = "400 Bad Request: departure_date must be ISO 8601"
    (trace,) = written(*spans)
    call = trace.calls[0]
    assert call.result is not None
    assert call.result.text == "400 Bad Request: departure_date must be ISO 8601"
    assert call.result.shown == "An error occurred while running the tool. Please try again."
    assert call.error is not None
    assert (call.error.code, call.error.fields, call.error.visible) == ("400", ("departure_date",), False)


def test_spans_of_a_responses_model_hold_calls_and_say_what_they_lack() -> None:
    trace = one("agents_responses.jsonl")
    assert [(c.tool, c.outcome, c.step, c.id) for c in trace.calls] == [
        ("search_flights", "error", 0, "span_7413584346f9465c9ec98206"),
        ("get_weather", "ok", 0, "span_43f4d36f41f44fc78df3f0a6"),
        ("search_flights", "ok", 1, "span_27e7850f95474bd6a0afce4e"),
    ]
    assert len(trace.steps) == 3
    assert trace.completeness.content == "none"
    (problem,) = trace.problems
    assert problem.code == "content-not-captured"
    assert "to_input_list" in problem.message
    found = verdict(trace)
    assert [c.rule for c in found.recovered] == ["recovery/handled"]
    assert found.layers["utilization"].status == "n/a"


def test_inputs_and_outputs_that_were_switched_off_are_not_judged() -> None:
    trace = one("agents_not_captured.jsonl")
    assert [(c.tool, c.state, c.outcome) for c in trace.calls] == [
        ("search_flights", "not_captured", "error"),
        ("get_weather", "not_captured", "unknown"),
        ("search_flights", "not_captured", "unknown"),
    ]
    assert (trace.completeness.content, trace.completeness.results) == ("none", "none")
    assert ["trace_include_sensitive_data" in p.message for p in trace.problems] == [True]
    assert verdict(trace).layers["arguments"].status == "unscored"


def test_a_handoff_is_a_call_and_each_agent_has_its_own_tools() -> None:
    trace = one("agents_handoff.jsonl")
    assert [(c.tool, c.agent, c.outcome) for c in trace.calls] == [
        ("transfer_to_weather_expert", "triage", "ok"),
        ("get_weather", "weather expert", "ok"),
    ]
    assert [(t.name, t.agent) for t in trace.tools] == [
        ("search_flights", "triage"),
        ("transfer_to_weather_expert", "triage"),
        ("get_weather", "weather expert"),
    ]
    assert [m.role for m in trace.messages].count("user") == 1
    assert verdict(trace).layers["selection"].status == "pass"


def test_a_handoff_without_content_is_known_from_its_span(written: Any) -> None:
    spans = lines("agents_handoff.jsonl")
    for s in spans:
        if s["object"] == "trace.span" and s["span_data"]["type"] == "generation":
            s["span_data"] = {"type": "response", "response_id": "r"}
    (trace,) = written(*spans)
    assert [(c.tool, c.outcome) for c in trace.calls] == [
        ("transfer_to_weather_expert", "unknown"),
        ("get_weather", "ok"),
    ]


def test_an_agent_behind_a_tool_speaks_within_the_users_turn() -> None:
    trace = one("agents_as_tool.jsonl")
    assert [(c.tool, c.agent, c.outcome, c.result and c.result.text) for c in trace.calls] == [
        ("ask_weather", "boss", "ok", "11 °C, cloudy"),
        ("get_weather", "weather expert", "ok", "{'city': 'Tokyo', 'temp_c': 11, 'sky': 'cloudy'}"),
    ]
    assert len(trace.turns) == 1
    assert trace.turns[0].answer is not None
    assert trace.turns[0].answer.text == "Tokyo has 11 °C and clouds."


def test_a_tool_that_does_not_exist_ended_the_run() -> None:
    trace = one("agents_unknown_tool.jsonl")
    assert [(c.tool, c.outcome) for c in trace.calls] == [("get_wether", "error")]
    assert trace.calls[0].error is not None
    assert trace.calls[0].error.kind == "unknown_tool"
    assert [p.code for p in trace.problems] == ["span-error"]
    root = verdict(trace).root_cause
    assert root is not None
    assert root.rule == "selection/tool-not-offered"


def test_names_of_tools_get_their_schema_from_a_side_file(tmp_path: Path) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text('[{"name": "get_weather", "parameters": {"type": "object"}}, {"name": "not_offered"}]')
    trace = one("agents_chat.jsonl", tools=tools)
    assert [(t.name, t.schema is not None) for t in trace.tools] == [("search_flights", False), ("get_weather", True)]


def test_the_order_of_the_lines_does_not_matter_and_traces_may_be_mixed(tmp_path: Path) -> None:
    mixed = lines("agents_chat.jsonl")[:-1] + lines("agents_handoff.jsonl")[:-1]
    random.Random(1).shuffle(mixed)
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join(map(json.dumps, mixed)))
    traces = {t.id: t for t in read(file)}
    for name in ("agents_chat.jsonl", "agents_handoff.jsonl"):
        straight = one(name)
        assert [(c.tool, c.arguments, c.outcome, c.step) for c in traces[straight.id].calls] == [
            (c.tool, c.arguments, c.outcome, c.step) for c in straight.calls
        ]


def test_lists_as_the_exporter_sends_them(written: Any) -> None:
    spans = lines("agents_chat.jsonl")
    for value in ({"data": spans}, {"data": [spans[-1], *spans[:-1]]}):
        (trace,) = written(value)
        assert len(trace.calls) == 3
        assert trace.calls[0].source.pointer.startswith("/data/")


def test_a_stream_yields_a_trace_when_it_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(
        (TRACES / "agents_chat.jsonl").read_text("utf-8") + (TRACES / "agents_handoff.jsonl").read_text("utf-8")
    )
    assert [len(t.calls) for t in read(file)] == [3, 2]


def test_a_function_that_no_model_asked_for_is_a_call_and_one_inside_a_function_is_none(written: Any) -> None:
    spans = lines("agents_chat.jsonl")
    spans = [s for s in spans if s["object"] == "trace" or s["span_data"]["type"] != "generation"]
    inner = json.loads(json.dumps(spans[0]))
    inner |= {"id": "span_inner", "parent_id": spans[0]["id"]}
    inner["span_data"]["name"] = "helper"
    (trace,) = written(inner, *spans)
    assert [c.tool for c in trace.calls] == ["search_flights", "get_weather", "search_flights"]


def test_a_line_that_is_no_span_is_set_aside(written: Any) -> None:
    reading = written(*lines("agents_chat.jsonl"), 3, {"object": "trace.span"})
    assert len(list(reading)) == 1
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 13), ("unknown-shape", 14)]


@pytest.mark.parametrize(
    ("name", "calls", "outcomes"),
    [
        ("run_state_flight.json", ["search_flights", "get_weather", "search_flights"], ["error", "ok", "ok"]),
        ("run_state_pending.json", ["wipe"], ["no_result"]),
        ("run_state_rejected.json", ["wipe"], ["refused"]),
        ("run_state_after_rejection.json", ["wipe"], ["refused"]),
        ("run_state_1_13.json", ["historical_approval"], ["no_result"]),
        ("run_state_1_9.json", ["custom_lookup"], ["ok"]),
    ],
)
def test_run_states(name: str, calls: list[str], outcomes: list[str]) -> None:
    trace = one(name)
    assert trace.format == "openai-run-state"
    assert [c.tool for c in trace.calls] == calls
    assert [c.outcome for c in trace.calls] == outcomes
    assert trace.tools_known == "unknown"
    assert {c.agent for c in trace.calls} <= {"travel", "op", "compat-agent"}


def test_run_states_of_other_ages(written: Any) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "wipe", "arguments": "{}"}
    state = {"$schemaVersion": "1.0", "original_input": [{"role": "user", "content": "Wipe"}], "generated_items": []}
    (bare,) = written({**state, "model_responses": [{"output": [call]}]})
    assert [c.source.pointer for c in bare.calls] == ["/model_responses/0/output/0"]
    item = {"type": "tool_approval_item", "raw_item": call, "agent": {"name": "a"}}
    refused = {"context": {"approvals": {"wipe": {"approved": [], "rejected": True}}}}
    (always,) = written({**state, "generated_items": [item], **refused})
    assert [(c.outcome, c.agent) for c in always.calls] == [("refused", "a")]
    (one_of,) = written({**state, "generated_items": [item], "context": {"approvals": {"wipe": {"rejected": ["c"]}}}})
    assert [c.outcome for c in one_of.calls] == ["refused"]
    (odd,) = written({**state, "original_input": 3, "previous_response_id": "r"})
    assert [p.code for p in odd.problems] == ["messages-not-a-list"]
    assert odd.completeness.history == "partial"
    reading = written(state, {"$schemaVersion": "1.0"}, state)
    assert len(list(reading)) == 2
    assert [p.code for p in reading.problems] == ["unknown-shape"]


def test_the_run_state_of_javascript_is_read_too(written: Any) -> None:
    def item(kind: str, **raw: Any) -> dict[str, Any]:
        return {"type": kind, "rawItem": raw, "agent": {"name": "a"}}

    call = {"type": "function_call", "callId": "c", "name": "wipe", "arguments": "{}", "status": "completed"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}
    state = {
        "$schemaVersion": "1.0",
        "originalInput": "Wipe",
        "currentAgent": {"name": "a"},
        "generatedItems": [
            item("tool_call_item", **call),
            item("tool_approval_item", **call),
            item(
                "tool_call_output_item",
                type="function_call_result",
                callId="c",
                output={"type": "text", "text": "wiped"},
            ),
            item("message_output_item", **said),
        ],
        "context": {"approvals": {}},
    }
    (trace,) = written(state)
    assert [(c.tool, c.outcome, c.agent, c.result and c.result.text) for c in trace.calls] == [
        ("wipe", "ok", "a", "wiped")
    ]
    assert trace.calls[0].source.pointer == "/generatedItems/0/rawItem"
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert trace.metadata["current_agent"] == "a"


def test_what_was_not_captured_is_not_held_against_a_case() -> None:
    case = Case.from_dict({"id": "k", "expect": {"calls": [{"tool": "get_weather", "arguments": {"city": "Tokyo"}}]}})
    found = verdict(one("agents_not_captured.jsonl"), case)
    assert found.layers["arguments"].status == "unscored"
    assert one("agents_responses.jsonl").completeness.calls == "full"


def test_calls_of_hosted_tools_leave_no_span_and_are_not_missed(written: Any) -> None:
    spans = lines("agents_responses.jsonl")
    for s in spans:
        if s["object"] == "trace.span" and s["span_data"]["type"] == "agent":
            s["span_data"]["tools"].append("web_search")
    (trace,) = written(*spans)
    assert trace.completeness.calls == "partial"
    case = Case.from_dict({"id": "k", "expect": {"calls": [{"tool": "web_search"}]}})
    assert "selection/missing" not in {c.rule for c in verdict(trace, case).checks if c.status == "fail"}
