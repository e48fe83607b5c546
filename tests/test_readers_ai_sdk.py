"""The AI SDK, versions 4 to 7: every shape it saves gives the same run, and what it leaves out is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall import verdict
from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
ASKED = {"role": "user", "content": "Weather in Gimje?"}
SAID = {"role": "assistant", "content": [{"type": "text", "text": "Snow."}]}


def call(n: int = 1, tool: str = "weather", **more: Any) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": f"c{n}", "toolName": tool, "input": {"city": "Gimje"}, **more}


def result(n: int = 1, tool: str = "weather", **output: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": f"c{n}", "toolName": tool, "output": output}


def ui(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "m1", "role": "assistant", "parts": list(parts)}


def tool(state: str, n: int = 1, name: str = "tool-weather", **more: Any) -> dict[str, Any]:
    return {"type": name, "toolCallId": f"c{n}", "state": state, **more}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*values: Any) -> Trace:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(json.dumps(v) for v in values))
        reading = read(file)
        (trace,) = reading
        assert reading.problems == []
        assert trace.format == "ai-sdk"
        return trace

    return write


def outcomes(trace: Trace) -> list[tuple[str, int, str]]:
    return [(c.tool, c.step, c.outcome) for c in trace.calls]


# Counted by hand: calls, results, errors, tools known; the last answer begins so.
@pytest.mark.parametrize(
    ("name", "calls", "results", "errors", "answer"),
    [
        ("v4_core_messages", 2, 2, 0, "I found KE703"),
        ("v5_model_messages", 5, 5, 3, "I found KE703"),
        ("v6_model_messages", 5, 5, 3, "I found KE703"),
        ("v7_model_messages", 0, 0, 0, "I found KE703"),
        ("v7_steps", 5, 5, 3, "I found KE703"),
        ("v7_ui_messages", 5, 5, 3, "I found KE703"),
    ],
)
def test_what_the_sdk_saved_is_read_whole(name: str, calls: int, results: int, errors: int, answer: str) -> None:
    reading = read(TRACES / f"ai_sdk_{name}.json")
    (trace,) = reading
    assert (trace.format, trace.tools_known, reading.problems) == ("ai-sdk", "unknown", [])
    assert len(trace.calls) == reading.calls_in == calls
    assert sum(c.result is not None for c in trace.calls) == results
    assert sum(c.outcome == "error" for c in trace.calls) == errors
    last = trace.turns[-1].answer
    assert last is not None
    assert (last.text or "").startswith(answer)


@pytest.mark.parametrize("name", ["v5_model_messages", "v6_model_messages", "v7_steps", "v7_ui_messages"])
def test_the_same_run_has_the_same_calls_and_the_same_verdict(name: str) -> None:
    (trace,) = read(TRACES / f"ai_sdk_{name}.json")
    assert outcomes(trace) == [
        ("search_flights", 0, "error"),
        ("get_weather", 0, "ok"),
        ("search_flights", 1, "error"),
        ("search_flights", 2, "error"),
        ("search_flights", 3, "ok"),
    ]
    # The fourth call was sent as a text that is cut short; version 6 keeps it in the error only.
    broken = trace.calls[3]
    assert (broken.state, broken.raw) == (
        "not_json",
        '{"origin":"ICN","destination":"NRT","departure_date":"2026-12-04"',
    )
    v = verdict(trace)
    assert v.root_cause is None
    assert {k: x.status for k, x in v.layers.items() if x.status == "pass"} == {
        "arguments": "pass", "utilization": "pass", "recovery": "pass",
    }  # fmt: skip
    assert [r.layer for r in v.recovered if r.layer == "recovery"] == ["recovery"]
    assert {c.rule for c in v.checks if c.status == "fail"} == {"arguments/not-json", "arguments/relative-date"}


def test_places_lead_to_the_part_in_the_file() -> None:
    (model,) = read(TRACES / "ai_sdk_v5_model_messages.json")
    assert [c.at for c in model.calls][:3] == ["messages[2].calls[0]", "messages[2].calls[1]", "messages[4].calls[0]"]
    assert model.calls[1].source.pointer == "/2/content/2"
    assert model.calls[1].result is not None
    assert model.calls[1].result.source.pointer == "/3/content/1"
    (shown,) = read(TRACES / "ai_sdk_v7_ui_messages.json")
    assert shown.calls[2].source.pointer == "/1/parts/5"
    assert len({c.at for c in shown.calls}) == 5


def test_an_error_saved_as_an_empty_object_is_an_error_whose_text_is_missing() -> None:
    (trace,) = read(TRACES / "ai_sdk_v7_steps.json")
    assert [p.code for p in trace.problems] == ["error-text-left-out"]
    error = trace.calls[0].error
    assert error is not None
    assert (error.message, error.visible, trace.completeness.results) == ("", None, "partial")
    assert trace.completeness.history == "partial"  # steps do not hold what was asked


def test_a_run_saved_by_the_old_name_of_version_7_is_told() -> None:
    (trace,) = read(TRACES / "ai_sdk_v7_model_messages.json")
    (problem,) = trace.problems
    assert (problem.code, problem.source.pointer) == ("last-step-only", "/2")
    assert "result.responseMessages" in problem.message


def test_an_answer_that_states_nothing_new_is_not_suspected(written: Any) -> None:
    system = {"role": "system", "content": "Today is 2026-11-30."}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Today is 2026-11-30. What else?"}]}
    assert written([system, ASKED, said]).problems == ()


def test_a_whole_result_of_version_7_counts_its_fullest_list(written: Any) -> None:
    steps = [
        {"content": [call(), result(type="json", value=1)], "finishReason": "tool-calls"},
        {"content": SAID["content"], "finishReason": "stop"},
    ]
    full = [
        {"role": "assistant", "content": [call()]},
        {"role": "tool", "content": [result(type="json", value=1)]},
        SAID,
    ]
    last = {"messages": [SAID]}
    for value in (
        {"text": "Snow.", "steps": steps, "response": last},
        {"messages": [ASKED], "responseMessages": full, "response": last, "steps": steps},
        {"prompt": "Weather in Gimje?", "response": {"messages": full}},
    ):
        trace = written(value)
        assert outcomes(trace) == [("weather", 0, "ok")]
        assert trace.turns[-1].answer is not None
        assert trace.problems == ()
    # A chat that holds the response already is not read twice.
    assert len(written({"messages": [ASKED, *full], "responseMessages": full}).calls) == 1


def test_what_was_asked_and_what_came_of_it_are_put_together_once(written: Any) -> None:
    full = [
        {"role": "assistant", "content": [call()]},
        {"role": "tool", "content": [result(type="json", value=1)]},
        SAID,
    ]
    steps = [{"content": [call(), result(type="json", value=1)], "finishReason": "tool-calls"},
             {"content": SAID["content"], "finishReason": "stop"}]  # fmt: skip
    earlier = [ASKED, SAID, ASKED]
    for value, messages in (
        ({"messages": [ASKED, *full], "steps": steps}, 4),
        ({"messages": [ASKED], "steps": steps}, 4),
        ({"messages": earlier, "response": {"messages": full}}, 6),
        ({"messages": [ASKED, SAID], "steps": steps}, 4),  # saved by the old name of version 7
        ({"messages": [ASKED, *full[:2]], "response": {"messages": [SAID]}}, 4),
    ):
        trace = written(value)
        assert (outcomes(trace), len(trace.messages)) == ([("weather", len(trace.steps) - 2, "ok")], messages), value
        assert trace.completeness.history == "full"


@pytest.mark.parametrize(
    ("output", "outcome", "text"),
    [
        ({"type": "text", "value": "snow"}, "ok", "snow"),
        ({"type": "json", "value": {"sky": "snow"}}, "ok", '{"sky": "snow"}'),
        ({"type": "json", "value": None}, "ok", "null"),
        ({"type": "content", "value": [{"type": "text", "text": "snow"}]}, "ok", "snow"),
        ({"type": "error-text", "value": "400 city"}, "error", "400 city"),
        ({"type": "error-json", "value": {"code": 400}}, "error", '{"code": 400}'),
        ({"type": "execution-denied", "reason": "not now"}, "refused", "not now"),
        ({"type": "execution-denied"}, "refused", "Tool execution denied."),
    ],
)
def test_every_kind_of_output(written: Any, output: dict[str, Any], outcome: str, text: str) -> None:
    trace = written(
        [ASKED, {"role": "assistant", "content": [call()]}, {"role": "tool", "content": [result(**output)]}]
    )
    (made,) = trace.calls
    assert made.result is not None
    assert (made.outcome, made.result.text) == (outcome, text)
    assert (made.error is not None and made.error.kind == "refused") == (outcome == "refused")


def test_an_approval_that_was_refused_or_never_came(written: Any) -> None:
    asked = {
        "role": "assistant",
        "content": [call(), {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c1"}],
    }
    assert outcomes(written([ASKED, asked])) == [("weather", 0, "no_result")]
    no = {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "a", "approved": False}]}
    assert outcomes(written([ASKED, asked, no])) == [("weather", 0, "refused")]
    yes = {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "a", "approved": True}]}
    assert outcomes(written([ASKED, asked, yes])) == [("weather", 0, "no_result")]


def test_a_tool_of_the_provider_answers_inside_the_message(written: Any) -> None:
    parts = [call(providerExecuted=True), result(type="json", value={"sky": "snow"}), SAID["content"][0]]
    trace = written([ASKED, {"role": "assistant", "content": parts}])
    assert outcomes(trace) == [("weather", 0, "ok")]
    assert trace.steps[0].message.text == "Snow."


@pytest.mark.parametrize(
    ("part", "outcome", "arguments"),
    [
        (tool("input-available", input={"a": 1}), "no_result", {"a": 1}),
        (tool("input-streaming", input={"a": 1}), "no_result", {"a": 1}),
        (tool("approval-requested", input={"a": 1}, approval={"id": "x"}), "no_result", {"a": 1}),
        (tool("approval-responded", input={}, approval={"id": "x", "approved": False}), "refused", {}),
        (tool("output-denied", input={}, approval={"id": "x", "approved": False, "reason": "no"}), "refused", {}),
        (tool("output-available", input={"a": 1}, output={"ok": 1}), "ok", {"a": 1}),
        (tool("output-available", input={"a": 1}, output=""), "unknown", {"a": 1}),
        (tool("output-error", input={"a": 1}, errorText="boom"), "error", {"a": 1}),
        (tool("output-error", rawInput='{"a": ', errorText="boom"), "error", None),
        (tool("output-error", input={}, rawInput='{"a": ', errorText="boom"), "error", None),
        (tool("output-available", name="dynamic-tool", toolName="weather", input={"a": 1}, output=1), "ok", {"a": 1}),
        ({"type": "tool-invocation", "toolInvocation":
          {"state": "call", "toolCallId": "c1", "toolName": "weather", "args": {"a": 1}}}, "no_result", {"a": 1}),
        ({"type": "tool-invocation", "toolInvocation":
          {"state": "result", "toolCallId": "c1", "toolName": "weather", "args": {"a": 1}, "result": 4}}, "ok", {"a": 1}),
    ],
)  # fmt: skip
def test_every_state_of_a_part(written: Any, part: dict[str, Any], outcome: str, arguments: Any) -> None:
    trace = written(
        [{"role": "user", "parts": [{"type": "text", "text": "Weather?"}]}, ui({"type": "step-start"}, part)]
    )
    (made,) = trace.calls
    assert (made.tool, made.outcome, made.arguments) == ("weather", outcome, arguments)
    assert made.source.pointer == "/1/parts/1"
    unfinished = part.get("state") == "input-streaming"
    assert [p.code for p in trace.problems] == (["call-unfinished"] if unfinished else [])


def test_steps_of_one_message_are_told_apart(written: Any) -> None:
    ok, bad = {"input": {}, "output": 1}, {"input": {}, "errorText": "400"}
    marked = [tool("output-error", 1, **bad), {"type": "step-start"}, tool("output-available", 2, **ok)]
    assert [c.step for c in written([ui({"type": "step-start"}, *marked)]).calls] == [0, 1]
    # Without marks: two calls are parallel, until one takes up a tool that has just failed, or text follows an outcome.
    parallel = [tool("output-available", 1, **ok), tool("output-available", 2, **ok)]
    assert [c.step for c in written([ui(*parallel)]).calls] == [0, 0]
    assert [c.step for c in written([ui(tool("output-error", 1, **bad), tool("output-available", 2, **ok))]).calls] == [
        0,
        1,
    ]
    trace = written([ui(*parallel, {"type": "text", "text": "Done."})])
    assert trace.turns[-1].answer is not None
    assert len(trace.steps) == 2


def test_version_4_messages_keep_each_call_twice_and_it_is_read_once(written: Any) -> None:
    invocation = {"state": "result", "toolCallId": "c1", "toolName": "weather", "args": {}, "result": "snow", "step": 0}
    parts = [{"type": "step-start"}, {"type": "tool-invocation", "toolInvocation": invocation}, {"type": "step-start"},
             {"type": "text", "text": "Snow."}]  # fmt: skip
    trace = written([{**ASKED, "parts": []}, {**ui(*parts), "content": "Snow.", "toolInvocations": [invocation]}])
    assert outcomes(trace) == [("weather", 0, "ok")]
    # Before there were parts, the list was all there was.
    second = {**invocation, "toolCallId": "c2", "step": 1}
    old = {"role": "assistant", "content": "Snow.", "toolInvocations": [invocation, second]}
    trace = written([ASKED, old])
    assert outcomes(trace) == [("weather", 0, "ok"), ("weather", 1, "ok")]
    assert trace.calls[0].source.pointer == "/1/toolInvocations/0"
    assert trace.turns[-1].answer is not None
    assert trace.turns[-1].answer.text == "Snow."


def test_steps_of_version_4_have_no_content_list(written: Any) -> None:
    step = {"stepType": "initial", "text": "", "toolCalls": [{"toolCallId": "c1", "toolName": "weather", "args": {"a": 1}}],
            "toolResults": [{"toolCallId": "c1", "toolName": "weather", "args": {"a": 1}, "result": {"sky": "snow"}}],
            "finishReason": "tool-calls"}  # fmt: skip
    end = {"stepType": "tool-result", "text": "Snow.", "toolCalls": [], "toolResults": [], "finishReason": "stop"}
    trace = written({"steps": [step, end], "prompt": "Weather?"})
    assert outcomes(trace) == [("weather", 0, "ok")]
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]


def test_tools_by_name_are_known_and_schemas_of_libraries_are_not_taken_for_json_schema(written: Any) -> None:
    tools = {
        "weather": {"description": "d", "inputSchema": {"jsonSchema": {"type": "object", "properties": {"city": {}}}}},
        "other": {"description": "d", "inputSchema": {"_def": {"typeName": "ZodObject"}, "~standard": {}}},
    }
    trace = written({"messages": [ASKED, {"role": "assistant", "content": [call()]}], "tools": tools})
    assert trace.tools_known == "declared"
    assert [(t.name, t.schema) for t in trace.tools] == [
        ("weather", {"type": "object", "properties": {"city": {}}}),
        ("other", None),
    ]


def test_misfits_are_named_and_counted(tmp_path: Path) -> None:
    good = [ASKED, {"role": "assistant", "content": [call()]}]
    odd = [
        3,
        {"role": "x", "content": [call()]},
        {"role": "user", "content": [call()]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c9"}]},
        {"role": "assistant", "content": [call()]},
    ]
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join(json.dumps(v) for v in (good, odd, {"rows": 1})))
    reading = Reading(file)
    _, trace = reading
    assert [(p.code, p.lost) for p in trace.problems] == [
        ("message-unreadable", 0),
        ("role-unknown", 1),
        ("calls-misplaced", 1),
        ("call-unreadable", 1),
    ]
    assert [c.at for c in trace.calls] == ["messages[4].calls[0]"]
    assert (reading.calls_kept, reading.calls_in) == (2, 5)
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 3)]


def test_a_chat_without_a_call_is_recognised_by_its_parts(written: Any) -> None:
    said = [
        {"role": "user", "parts": [{"type": "text", "text": "Hi"}]},
        ui({"type": "text", "text": "Hello.", "state": "done"}),
    ]
    trace = written(said)
    assert (trace.calls, [m.text for m in trace.messages]) == ((), ["Hi", "Hello."])
    assert written({"id": "chat-1", "messages": said}).id == "chat-1"
