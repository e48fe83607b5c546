"""Spans into one conversation: each call, run and repetition counts once, whatever tells of it; what is missing is said."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rootcall
from rootcall.readers import Reading, read
from spanmaking import ASKED, TRACE, USER, any_value, asks, calls, chat, only, otlp, ran, span, text, told


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Reading]:
    def write(*values: Any, name: str = "x.jsonl") -> Reading:
        (tmp_path / name).write_text("\n".join(json.dumps(v) for v in values))
        return read(tmp_path / name)

    return write


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


@pytest.mark.parametrize(
    "form", ["prompt", "log", "event", "content attribute", "details", "value", "events attribute"]
)
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
        elif form == "content attribute":
            events = [(e, {"gen_ai.event.content": json.dumps(b)}) for e, b in said]
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
    trace = only(written(otlp(chat(2, 0, [USER], text("assistant", "x")), ran(1, 1, "run", own, "ok"))))
    assert trace.calls[0].arguments == own


def test_a_trace_without_a_model_or_a_tool_is_none(written: Any, tmp_path: Path) -> None:
    web = span(1, name="GET /", http__method="GET", trace="c" * 32)
    assert [t.id for t in written(otlp(chat(2, 0, [USER], text("assistant", "x")), web))] == [TRACE]
    with pytest.raises(rootcall.RootcallError, match="holds no trace"):
        list(written(otlp(web)))


def test_tool_spans_alone_say_that_the_conversation_is_missing(written: Any) -> None:
    agent = span(9, lasts=9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="a")
    trace = only(
        written(otlp(agent, ran(1, 1, "weather", {"city": "Gimje"}, "snow", of=9))), problems=("content-not-captured",)
    )
    assert trace.completeness.history == "partial"
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert not [c for c in rootcall.verdict(trace).checks if c.status == "fail"]


def test_a_span_that_says_what_was_thrown_and_what_was_shown_keeps_both(written: Any) -> None:
    shown = "An error occurred while running the tool. Please try again."
    failed = ran(2, 1, "weather", {"city": "Gimje"}, shown, failed="ValueError: city must be Korean")
    (call,) = only(written(otlp(chat(1, 0, [USER], ASKED), failed))).calls
    assert call.result is not None
    assert call.error is not None
    assert (call.result.text, call.result.shown, call.error.visible) == (
        "ValueError: city must be Korean",
        shown,
        False,
    )


def test_what_langchain_puts_around_arguments_is_taken_off(written: Any) -> None:
    sent = {
        "input_str": "{'city': 'Gimje'}",
        "tags": [],
        "metadata": {},
        "inputs": {"city": "Gimje"},
        "kwargs": {"color": "green"},
    }
    bare = {"input_str": "{'city': 'Seoul'}", "tags": [], "metadata": {}}
    trace = only(
        written(
            otlp(
                chat(1, 0, [USER], text("assistant", "x")),
                ran(2, 1, "weather", sent, "a"),
                ran(3, 2, "weather", bare, '{"output": 3}'),
            )
        )
    )
    assert [c.arguments for c in trace.calls] == [{"city": "Gimje"}, {"city": "Seoul"}]
    assert trace.calls[1].result is not None
    assert trace.calls[1].result.text == '{"output": 3}'


def test_hidden_inputs_are_said_and_judge_nothing(written: Any) -> None:
    hidden = {"openinference__span__kind": "LLM", "input.value": "__REDACTED__", "llm.output_messages.0.message.role": "assistant",
              "llm.output_messages.0.message.content": "It is 31 °C in Gimje."}  # fmt: skip
    trace = only(written(otlp(span(1, **hidden))), problems=("content-not-captured",))
    assert "OPENINFERENCE_HIDE_INPUTS=false" in trace.problems[0].message
    assert trace.completeness.history == "partial"
    assert not [c for c in rootcall.verdict(trace).checks if c.status == "fail"]


def test_smolagents_retells_calls_in_words_and_leaves_arguments_out_of_the_indexed_ones(written: Any) -> None:
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_x", "type": "function", "function": {"name": "weather", "arguments": {"city": "Gimje"}}}
        ],
    }
    base = {
        "openinference__span__kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Weather?",
    }
    first = {**base, "output.value": json.dumps(asked), "llm.output_messages.0.message.role": "assistant",
             "llm.output_messages.0.message.tool_calls.0.tool_call.id": "call_x",
             "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather"}  # fmt: skip
    retold = "Calling tools:\n[{'id': 'call_x', 'type': 'function', 'function': {'name': 'weather', 'arguments': {'city': 'Gimje'}}}]"
    code = "Calling tools:\n[{'id': 'call_2', 'type': 'function', 'function': {'name': 'python_interpreter', 'arguments': 'print(1)'}}]"
    history = [("tool-call", retold), ("tool-response", "Call id: call_x\nObservation:\nsnow"), ("tool-call", code),
               ("tool-response", "Call id: call_2\nError:\nCode execution failed")]  # fmt: skip
    second = {
        **base,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Snow.",
    }
    for n, (role, words) in enumerate(history, 1):
        second |= {f"llm.input_messages.{n}.message.role": role, f"llm.input_messages.{n}.message.content": words}
    run = span(
        2,
        1,
        openinference__span__kind="TOOL",
        tool__name="weather",
        **{"input.value": '{"args": [], "kwargs": {"city": "Gimje"}}', "output.value": "snow"},
    )
    trace = only(written(otlp(span(1, 0, **first), run, span(3, 2, **second))))
    assert calls(trace) == [("weather", {"city": "Gimje"}, "ok")]
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "snow"
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Weather?"), ("assistant", None), ("tool", "snow"), ("tool", "Code execution failed"), ("assistant", "Snow."),
    ]  # fmt: skip
    (alone,) = written(otlp(span(3, 2, **second)))
    assert [c.tool for c in alone.calls] == ["weather", "python_interpreter"], "history from before the trace"


def half_of_the_tools_ran_in_sight(turns: int) -> list[Any]:
    out = []
    for n in range(turns):
        out.append(chat(2 * n + 2, n * 3, [USER], asks(("weather", {"city": f"c{n}"}, f"c{n}"))))
        out += [ran(2 * n + 3, n * 3 + 1, "weather", {"city": f"c{n}"}, "snow")] if n % 2 else []
    return out


def a_sub_agent_each_time(turns: int) -> list[Any]:
    out = [span(1, 0, lasts=turns * 30, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="main")]
    for n in range(turns):
        k, at = 4 * n + 2, n * 30
        out.append(chat(k, at, [USER], asks(("ask", {"t": f"c{n}"}, f"c{n}")), of=1))
        out.append(ran(k + 1, at + 1, "ask", {"t": f"c{n}"}, "snow", of=1, lasts=20, gen_ai__tool__call__id=f"c{n}"))
        agent = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "sub"}
        out.append(span(k + 2, at + 2, of=k + 1, lasts=15, **agent))
        out.append(chat(k + 3, at + 3, [text("user", f"c{n}")], text("assistant", "snow"), of=k + 2))
    return out


@pytest.mark.parametrize("made", [half_of_the_tools_ran_in_sight, a_sub_agent_each_time])
def test_a_trace_of_many_spans_takes_time_in_proportion_to_them(written: Any, made: Callable[[int], list[Any]]) -> None:
    def seconds(turns: int) -> float:
        reading = written(otlp(*made(turns)), name=f"{turns}.json")
        began = time.process_time()
        (trace,) = reading
        assert len(trace.calls) == turns
        assert {c.outcome for c in trace.calls} <= {"ok", "no_result"}
        return time.process_time() - began

    # Sixteen times as many take sixteen times as long, not 256 times; the rest is room for a busy machine.
    assert min(seconds(1600) for _ in range(2)) < 90 * max(min(seconds(100) for _ in range(4)), 0.005)


def test_of_calls_alike_without_ids_a_run_is_of_the_latest_response(written: Any) -> None:
    same = ("weather", {"city": "Gimje"})
    trace = only(written(otlp(
        chat(1, 1, [USER], asks((*same, "c1"))), chat(2, 2, [USER], asks((*same, "c2"), (*same, "c3"))),
        ran(3, 3, *same, "snow"), ran(4, 4, "weather", {"city": "Seoul"}, "sun"), ran(5, 5, *same, "rain"),
    )))  # fmt: skip
    assert [c.result and c.result.text for c in trace.calls] == ["rain", "snow", "sun"]
