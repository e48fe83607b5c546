"""LangSmith runs: batches in two parts, trees, traces mixed in a file, tool messages as Python's text, raised and handled errors."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.readers.reprs import exception_text, message_of
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
T0 = "2026-11-30T09:00:0"


def one(name: str) -> Trace:
    reading = read(TRACES / name)
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "langsmith"
    return trace


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(x) for x in (TRACES / name).read_text("utf-8").splitlines()]


def run(name: str, kind: str, number: int, parent: str | None = "root", **fields: Any) -> dict[str, Any]:
    return {
        "id": f"{name}-{number}" if parent else "root",
        "trace_id": "root",
        "parent_run_id": parent,
        "name": name,
        "run_type": kind,
        "start_time": f"{T0}{number}+00:00",
        "end_time": f"{T0}{number}.5+00:00",
        **fields,
    }


def asked(*calls: tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    listed = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for n, a, i in calls]
    return {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": listed}}]}


USER = {"role": "user", "content": "Weather in Gimje?"}
ROOT = run("agent", "chain", 0, None, inputs={"messages": [USER]}, outputs={})
FIRST = run("model", "llm", 1, inputs={"messages": [USER]}, outputs=asked(("weather", {"city": "Gimje"}, "c1")))


def test_the_history_in_each_model_run_is_told_once() -> None:
    trace = one("langsmith_batch.json")
    assert [m.role for m in trace.messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert trace.id == "01a22fad-79a1-7651-b242-32cddc014e6d"
    assert (trace.metadata["name"], trace.metadata["model"]) == ("LangGraph", "gpt-5-mini")
    call = trace.calls[0]
    assert (call.id, call.outcome, call.evidence, call.error and call.error.code) == (
        "call_1",
        "error",
        "run error",
        "400",
    )
    assert call.source.pointer == "/post/2/outputs/generations/0/0/message/kwargs/tool_calls/0"
    assert call.source.span == "01a22fad-79ce-766f-8dff-50b4729b89a4"
    assert trace.messages[2].timestamp == "2026-12-01T03:37:07.790553+00:00"


def test_prompts_as_one_text_and_messages_as_pythons_text_are_the_same_run() -> None:
    batch, tracer = one("langsmith_batch.json"), one("langsmith_tracer.jsonl")
    assert [(c.tool, c.arguments, c.outcome, c.step, c.result and c.result.text) for c in batch.calls] == [
        (c.tool, c.arguments, c.outcome, c.step, c.result and c.result.text) for c in tracer.calls
    ]
    assert [t.name for t in tracer.tools] == ["search_flights", "get_weather"]
    assert tracer.calls[1].result is not None
    assert tracer.calls[1].result.payload == {"city": "Tokyo", "temp_c": 11, "sky": "cloudy"}
    assert tracer.messages[0].text == "You are a travel assistant. Today is 2026-11-30."


def test_an_error_that_nobody_handled_ends_the_run() -> None:
    trace = one("langsmith_raised.jsonl")
    assert [(c.tool, c.outcome) for c in trace.calls] == [("search_flights", "error"), ("get_weather", "ok")]
    assert [p.code for p in trace.problems] == ["run-failed"]
    root = verdict(trace).root_cause
    assert root is not None
    assert (root.rule, root.argument) == ("arguments/relative-date", "departure_date")


def test_an_error_that_was_handled_is_told_by_the_status_of_its_message(written: Any) -> None:
    said = "content='no such city' name='weather' tool_call_id='c1' status='error'"
    (trace,) = written(
        ROOT,
        FIRST,
        run("weather", "tool", 2, inputs={"input": "{'city': 'Gimje'}"}, outputs={"output": said}, error=None),
    )
    (call,) = trace.calls
    assert (call.outcome, call.evidence, call.result and call.result.text) == ("error", "status", "no such city")


def test_what_the_framework_told_the_model_is_kept_apart_from_what_was_raised(written: Any) -> None:
    tool = run("weather", "tool", 2, inputs={"city": "Gimje"}, outputs=None, error="KeyError('Gimje')Traceback (most recent call last)…",
               extra={"tool_call_id": "c1"})  # fmt: skip
    told = {"role": "tool", "tool_call_id": "c1", "content": "Error: tool failed."}
    again = [USER, FIRST["outputs"]["choices"][0]["message"], told]
    second = run("model", "llm", 3, inputs={"messages": again}, outputs={"role": "assistant", "content": "Sorry."})
    (trace,) = written(ROOT, FIRST, tool, second)
    (call,) = trace.calls
    assert call.result is not None
    assert (call.result.text, call.result.shown) == ("Gimje", "Error: tool failed.")
    assert call.outcome == "error"
    assert trace.turns[0].answer is not None
    assert trace.turns[0].answer.text == "Sorry."


def test_two_parts_of_a_run_are_one_and_javascript_names_it_by_its_order() -> None:
    trace = one("langsmith_js.json")
    assert trace.id == "dc34609e-3eeb-459d-bc2a-6fedb01d2e6e"
    assert [m.text for m in trace.messages] == ["howdy", "Howdy! How can I assist you today?"]
    assert trace.messages[1].timestamp == "2024-10-13T07:05:37.170000+00:00"
    assert trace.messages[1].source.pointer == "/patch/0/outputs/choices/0/message"
    assert len(one("langsmith_py_stream.json").messages) == 2


def test_parts_may_come_in_batches_of_their_own(written: Any) -> None:
    whole = [ROOT, FIRST, run("weather", "tool", 2, inputs={"city": "Gimje"}, outputs={"output": "snow"})]
    posts = [{k: v for k, v in r.items() if k not in ("outputs", "end_time")} for r in whole]
    patches = [
        {"id": r["id"], "outputs": r["outputs"], "end_time": r["end_time"], "inputs": {}} for r in reversed(whole)
    ]
    (trace,) = written({"post": posts, "patch": []}, {"post": [], "patch": patches})
    assert [(c.tool, c.outcome, c.result and c.result.text) for c in trace.calls] == [("weather", "ok", "snow")]


def test_the_order_of_the_lines_does_not_matter_and_traces_may_be_mixed(tmp_path: Path) -> None:
    mixed = lines("langsmith_tracer.jsonl") + lines("langsmith_raised.jsonl")
    random.Random(3).shuffle(mixed)
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join(map(json.dumps, mixed)))
    found = {t.id: [(c.tool, c.outcome, c.step) for c in t.calls] for t in read(file)}
    for name in ("langsmith_tracer.jsonl", "langsmith_raised.jsonl"):
        straight = one(name)
        assert found[straight.id] == [(c.tool, c.outcome, c.step) for c in straight.calls]


def test_trees_and_lists_of_runs(written: Any) -> None:
    child = {k: v for k, v in FIRST.items() if k not in ("parent_run_id", "trace_id")}
    tree = {**ROOT, "child_runs": [{**child, "child_runs": []}]}
    (trace,) = written(tree)
    assert [c.source.pointer for c in trace.calls] == ["/child_runs/0/outputs/choices/0/message/tool_calls/0"]
    for value in ({"runs": [ROOT, FIRST]}, [ROOT, FIRST]):
        (trace,) = written(value)
        assert len(trace.calls) == 1


def test_tools_that_code_ran_before_it_asked_a_model() -> None:
    trace = one("langsmith_traceable.json")
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [
        ("weather_t", {"city": "Tokyo"}, "ok"),
        ("bad_t", {"city": "X"}, "error"),
    ]
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert trace.turns[0].answer is not None
    assert trace.calls[1].error is not None
    assert trace.calls[1].error.message == "404 no such city"


def test_runs_without_a_model_are_told_by_the_whole_run(written: Any) -> None:
    tool = run("weather", "tool", 1, inputs={"city": "Gimje"}, outputs={"output": "snow"})
    (trace,) = written({**ROOT, "inputs": {"question": "Weather?"}, "outputs": {"answer": "Snow."}}, tool)
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Weather?"), ("assistant", None), ("tool", "snow"), ("assistant", "Snow."),
    ]  # fmt: skip
    human = {"type": "human", "content": "Weather?"}
    ai = {"type": "ai", "content": "", "tool_calls": [{"name": "weather", "args": {"city": "Gimje"}, "id": "c1"}]}
    heard = {"type": "tool", "content": "snow", "tool_call_id": "c1", "name": "weather"}
    alone = {
        **ROOT,
        "inputs": {"messages": [human]},
        "outputs": {"messages": [human, ai, heard, {"type": "ai", "content": "Snow."}]},
    }
    for runs in ([alone], [alone, {**tool, "extra": {"tool_call_id": "c1"}}]):
        (trace,) = written(*runs)
        assert [(c.tool, c.outcome) for c in trace.calls] == [("weather", "ok")]
        assert len(trace.messages) == 4


def test_a_tool_inside_a_tool_is_no_call_of_the_model(written: Any) -> None:
    outer = run(
        "weather", "tool", 2, inputs={"city": "Gimje"}, outputs={"output": "snow"}, extra={"tool_call_id": "c1"}
    )
    inner = run("geocode", "tool", 3, "weather-2", inputs={"city": "Gimje"}, outputs={"output": "35,126"})
    (trace,) = written(ROOT, FIRST, outer, inner)
    assert [c.tool for c in trace.calls] == ["weather"]


def test_a_model_run_around_a_model_run_is_one_call(written: Any) -> None:
    inner = {**FIRST, "id": "inner", "parent_run_id": FIRST["id"]}
    (trace,) = written(ROOT, FIRST, inner)
    assert [(c.tool, c.source.span) for c in trace.calls] == [("weather", "inner")]


def test_an_agent_inside_a_tool_has_calls_and_no_turn_of_its_own(written: Any) -> None:
    outer = run("weather", "tool", 2, inputs={"city": "Gimje"}, outputs={"output": "snow"}, end_time=f"{T0}8+00:00",
                extra={"tool_call_id": "c1"})  # fmt: skip
    told = {"role": "user", "content": "Look up Gimje"}
    inner = run(
        "model", "llm", 3, "weather-2", inputs={"messages": [told]}, outputs=asked(("geocode", {"q": "Gimje"}, "c2"))
    )
    place = run(
        "geocode",
        "tool",
        4,
        "weather-2",
        inputs={"q": "Gimje"},
        outputs={"output": "35,126"},
        extra={"tool_call_id": "c2"},
    )
    (trace,) = written(ROOT, FIRST, outer, inner, place)
    assert [(c.tool, c.outcome, c.turn) for c in trace.calls] == [("weather", "ok", 0), ("geocode", "ok", 0)]
    assert len(trace.turns) == 1


def test_agents_of_a_real_run_in_a_tool_and_one_after_the_other() -> None:
    inside = one("langsmith_agent_in_tool.jsonl")
    assert [(c.tool, c.agent, c.step, c.outcome) for c in inside.calls] == [
        ("ask_weather", "boss", 0, "ok"),
        ("search_flights", "boss", 0, "ok"),
        ("get_weather", "expert", 1, "ok"),
    ]
    assert [(t.name, t.agent) for t in inside.tools] == [
        ("ask_weather", "boss"), ("search_flights", "boss"), ("get_weather", "expert"),
    ]  # fmt: skip
    assert len(inside.turns) == 1
    assert inside.turns[0].answer is not None
    assert inside.turns[0].answer.text == "Tokyo: 11 °C; KE703."
    after = one("langsmith_two_agents.jsonl")
    assert [(c.tool, c.agent, c.outcome) for c in after.calls] == [
        ("get_weather", "one", "ok"),
        ("search_flights", "two", "ok"),
    ]
    assert [m.text for m in after.messages if m.role == "user"] == ["Weather in Seoul, then a flight"]
    for trace in (inside, after):
        assert verdict(trace).layers["selection"].status == "pass"


def test_a_real_run_that_waits_for_a_person_has_an_open_call() -> None:
    trace = one("langsmith_paused.jsonl")
    assert [(c.tool, c.outcome) for c in trace.calls] == [("search_flights", "no_result")]
    assert trace.problems == ()


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [
        ({"city": "Gimje"}, {"city": "Gimje"}),
        ({"input": "{'city': 'Gimje'}"}, {"city": "Gimje"}),
        ({"input": '{"city": "Gimje"}'}, {"city": "Gimje"}),
        (
            {"input": '{"name": "weather", "args": {"city": "Gimje"}, "id": "c1", "type": "tool_call"}'},
            {"city": "Gimje"},
        ),
        ({"input": "Gimje"}, {"input": "Gimje"}),
    ],
)
def test_what_a_tool_was_given(written: Any, inputs: Any, arguments: Any) -> None:
    (trace,) = written(ROOT, run("weather", "tool", 1, inputs=inputs, outputs={"output": "snow"}))
    assert [c.arguments for c in trace.calls] == [arguments]


@pytest.mark.parametrize(
    "outputs",
    [
        {"role": "assistant", "content": "Snow."},
        {"output": {"role": "assistant", "content": "Snow."}},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Snow."}]},
        {
            "object": "response",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Snow."}]}],
        },
        {"generations": [[{"text": "Snow.", "message": {"type": "ai", "data": {"content": "Snow."}}}]]},
        {"generations": [[{"text": "Snow."}]]},
        {
            "output": "content='Snow.' additional_kwargs={} response_metadata={} id='r' tool_calls=[] invalid_tool_calls=[]"
        },
        {"messages": [{"role": "assistant", "content": "Snow."}]},
    ],
)
def test_what_a_model_gave_in_the_words_of_each_library(written: Any, outputs: Any) -> None:
    (trace,) = written(ROOT, run("model", "llm", 1, inputs={"messages": [USER]}, outputs=outputs))
    assert [m.text for m in trace.messages] == ["Weather in Gimje?", "Snow."]


def test_inputs_of_responses_and_anthropic(written: Any) -> None:
    items = [USER, {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c", "output": "snow"}]  # fmt: skip
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Snow."}]}]
    model = run("model", "llm", 1, inputs={"input": items, "instructions": "Be brief."}, outputs={"output": output})
    (trace,) = written(ROOT, model)
    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [c.outcome for c in trace.calls] == ["ok"]
    use = {"type": "tool_use", "id": "t", "name": "weather", "input": {}}
    told = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "bad", "is_error": True}],
    }
    messages = [USER, {"role": "assistant", "content": [use]}, told]
    (trace,) = written(
        ROOT, run("model", "llm", 1, inputs={"system": "Be brief.", "messages": messages}, outputs=output[0])
    )
    assert trace.messages[0].text == "Be brief."
    assert [c.outcome for c in trace.calls] == ["error"]


def test_agents_with_names_have_tools_of_their_own(written: Any) -> None:
    def model(number: int, agent: str, tool: str) -> Any:
        tools = [{"type": "function", "function": {"name": tool, "parameters": {}}}]
        extra = {"metadata": {"lc_agent_name": agent}, "invocation_params": {"tools": tools}}
        return run(
            "model", "llm", number, inputs={"messages": [USER]}, outputs=asked((tool, {}, f"c{number}")), extra=extra
        )

    (trace,) = written(ROOT, model(1, "one", "a"), model(2, "two", "b"))
    assert [(t.name, t.agent) for t in trace.tools] == [("a", "one"), ("b", "two")]
    assert [c.agent for c in trace.calls] == ["one", "two"]


def test_a_run_that_waits_for_a_person_has_not_failed(written: Any) -> None:
    tool = run(
        "weather", "tool", 2, inputs={"city": "Gimje"}, outputs={}, error="GraphInterrupt((Interrupt(value='ok?'),))"
    )
    (trace,) = written({**ROOT, "error": "GraphInterrupt()"}, FIRST, tool)
    assert [c.outcome for c in trace.calls] == ["no_result"]
    assert trace.problems == ()


def test_hidden_inputs_and_outputs_are_said(written: Any) -> None:
    (trace,) = written(
        {**ROOT, "inputs": {}, "outputs": {}},
        run("model", "llm", 1, inputs={}, outputs={}),
        run("weather", "tool", 2, inputs={}, outputs={}),
    )
    assert [(c.tool, c.state, c.outcome) for c in trace.calls] == [("weather", "not_captured", "unknown")]
    assert ["LANGSMITH_HIDE_INPUTS" in p.message for p in trace.problems] == [True]


def test_a_model_that_failed_or_speaks_in_an_unknown_form_is_named(written: Any) -> None:
    (trace,) = written(
        ROOT,
        run("model", "llm", 1, inputs={"messages": [USER]}, outputs=None, error="RateLimitError('slow down')"),
        run("model", "llm", 2, inputs={"messages": [USER]}, outputs={"riddle": {"a": 1}}),
    )
    assert [p.code for p in trace.problems] == ["model-failed", "message-unreadable"]
    assert "slow down" in trace.problems[0].message
    assert len(trace.messages) == 2


def test_what_is_no_run_is_set_aside(written: Any) -> None:
    reading = written(ROOT, FIRST, 3, {"rows": 1}, {"post": [3], "patch": []})
    assert len(list(reading)) == 1
    assert [(p.code, p.source.line) for p in reading.problems] == [
        ("unknown-shape", 3),
        ("unknown-shape", 4),
        ("unknown-shape", 5),
    ]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "content='a' name='f' tool_call_id='c' status='error'",
            {"content": "a", "name": "f", "tool_call_id": "c", "status": "error"},
        ),
        ("content=\"it's\" tool_call_id='c'", {"content": "it's", "tool_call_id": "c"}),
        (r"content='a\'b\n' tool_call_id='c'", {"content": "a'b\n", "tool_call_id": "c"}),
        ("ToolMessage(content='a', tool_call_id='c')", {"kind": "ToolMessage", "content": "a", "tool_call_id": "c"}),
        (
            "content=[{'type': 'text', 'text': ')('}] tool_calls=[{'name': 'f'}]",
            {"content": [{"type": "text", "text": ")("}], "tool_calls": [{"name": "f"}]},
        ),
        ("content='a' artifact=<object at 0x1> status='error'", {"content": "a"}),
        ("content=open('x') status='error'", None),
        ("content=" + "[" * 200 + "]" * 200, None),
        ("content='never ends", None),
        ("content=" + "'\\" * 60_000, None),
        ("content=[" + "'\\" * 60_000, None),
        ("contents='a'", None),
        ("free text", None),
        ("content='" + "a" * 200_000 + "'", None),
    ],
)
def test_messages_as_pythons_text_are_read_as_literals_only(text: str, fields: Any) -> None:
    assert message_of(text) == fields


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ValueError('no such city')Traceback (most recent call last):\n  File", "no such city"),
        ('ValueError("it\'s")', "it's"),
        ("KeyError(3)", "KeyError(3)"),
        ("Error: plain words", "Error: plain words"),
        ("ValueError('')", "ValueError('')"),
        ("Traceback (most recent call last):\nKeyError: 1", "Traceback (most recent call last):\nKeyError: 1"),
    ],
)
def test_what_an_exception_says(text: str, said: str) -> None:
    assert exception_text(text) == said
