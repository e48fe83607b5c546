"""The formats: recognised by content, read with their ids, tools, places and metadata; misfits are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"

USER = {"role": "user", "content": "Weather in Gimje?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Gimje"}'}}
ASKED = [USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
TOLD = {"role": "tool", "tool_call_id": "c1", "content": '{"sky": "snow"}'}
ANSWER = {"role": "assistant", "content": "Snow."}
USE = {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Gimje"}}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "snow"}]}
BLOCKS = [USER, {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, USE]}, RESULT]


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*values: Any, name: str = "x.jsonl") -> Reading:
        file = tmp_path / name
        file.write_text("\n".join(json.dumps(v) for v in values))
        return read(file)

    return write


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    return trace


def test_the_flight_traces_are_native() -> None:
    traces = list(read(TRACES / "flight.jsonl"))
    assert [(t.id, t.format, len(t.calls)) for t in traces] == [
        ("flight", "native", 5),
        ("recovered", "native", 2),
        ("clean", "native", 1),
        ("misread", "native", 1),
        ("greeting", "native", 0),
    ]
    first = traces[0]
    assert first.tools_known == "declared"
    assert {c.outcome for c in first.calls} == {"error"}
    assert {c.error.code for c in first.calls if c.error} == {"400"} or first.calls[0].error is not None
    assert first.calls[0].source.line == 1
    assert first.calls[0].source.pointer == "/messages/1/tool_calls/0"
    assert "reference_time" in first.metadata


def test_tau_bench_rows_are_read_with_their_reward_and_case() -> None:
    reading = read(TRACES / "tau_airline.jsonl", tools=TRACES / "tools_airline.json")
    traces = list(reading)
    assert [t.id for t in traces] == ["39-1", "45-2", "24-1", "13-1", "15-2", "12-3"]
    assert [t.metadata["case_id"] for t in traces][:2] == ["airline-39", "airline-45"]
    assert [t.metadata["reward"] for t in traces] == [0, 0, 1, 1, 1, 1]
    assert traces[0].metadata["trial"] == 1
    assert traces[0].metadata["model"].startswith("gpt-4o")
    assert traces[0].metadata["policy"] == "403729c573"
    assert traces[0].messages[0].role == "system"
    assert traces[0].messages[0].text is None
    assert {t.completeness.content for t in traces} == {"partial"}
    assert {t.tools_known for t in traces} == {"side_file"}
    assert reading.calls_in == reading.calls_kept == 19
    errors = [c for t in traces for c in t.calls if c.outcome == "error"]
    assert len(errors) == 2


def test_results_find_their_own_call_although_ids_are_reused() -> None:
    traces = [t for t in read(TRACES / "tau_airline.jsonl") if any(c.id_reused for c in t.calls)]
    assert len(traces) == 3
    rows = [json.loads(x) for x in (TRACES / "tau_airline.jsonl").read_text("utf-8").splitlines()]
    for trace, row in zip(traces, rows, strict=False):
        assert "reused-call-id" in {p.code for p in trace.problems}
        for call in trace.calls:
            assert call.result is not None
            # In these runs every result stands right after its call.
            assert call.result.message == call.message + 1
            assert call.result.text == row["messages"][call.result.message]["content"]


def test_arguments_that_are_not_json_stay_calls() -> None:
    calls = [c for t in read(TRACES / "tau_retail_not_json.jsonl") for c in t.calls]
    assert len(calls) == 16
    broken = [c for c in calls if c.state == "not_json"]
    assert len(broken) == 3
    for call in broken:
        assert call.arguments is None
        assert call.raw
        assert call.problem
        assert call.problem.startswith("arguments are not JSON")


def test_the_original_tau_bench_list_is_read() -> None:
    one, two = read(TRACES / "tau_airline_original.json")
    assert (one.id, one.format, len(one.calls)) == ("1-0", "tau-bench", 0)
    assert (two.id, len(two.calls), two.metadata["case_id"], two.metadata["reward"]) == ("11-0", 10, "airline-11", 1.0)
    assert two.completeness.content == "full"
    assert two.calls[0].source.pointer.startswith("/1/traj/")
    assert two.source.pointer == "/1"
    assert "info" in two.metadata
    assert "traj" not in two.metadata


def test_a_tau_bench_run_of_an_unknown_domain_has_its_task_as_case(written: Any) -> None:
    run = {"task_id": 7, "reward": 0.5, "messages": ASKED}
    trace = only(written(run))
    assert (trace.id, trace.format, trace.metadata["case_id"], trace.metadata["trial"]) == ("7-0", "tau-bench", "7", 0)
    reading = written(run, {"task_id": 8, "reward": 1})
    assert len(list(reading)) == 1
    assert [p.code for p in reading.problems] == ["unknown-shape"]


def test_cookbook_rows_are_openai_chat() -> None:
    traces = list(read(TRACES / "openai_cookbook_drone.jsonl"))
    assert [t.id for t in traces] == [f"openai_cookbook_drone-{n}" for n in (1, 2, 3)]
    assert [[c.state for c in t.calls] for t in traces] == [["json_string"], ["json_string"], ["double_encoded"]]
    assert {t.tools_known for t in traces} == {"declared"}
    assert {c.outcome for t in traces for c in t.calls} == {"no_result"}
    assert traces[0].metadata == {"parallel_tool_calls": False}


@pytest.mark.parametrize(
    ("name", "form"), [("openai_nocall", "openai-chat"), ("anthropic_nocall", "anthropic-messages")]
)
def test_conversations_without_a_call_are_recognised(name: str, form: str) -> None:
    (trace,) = read(TRACES / f"{name}.json")
    assert (trace.id, trace.format, trace.calls) == (name, form, ())
    assert trace.tools_known == "declared"
    assert [t.name for t in trace.tools] == ["search_flights", "get_weather"]
    assert all(t.schema is not None for t in trace.tools)
    assert [m.role for m in trace.messages] == ["system", "user", "assistant"]
    assert len(trace.turns) == 1
    assert trace.turns[0].answer is not None


def test_a_single_anthropic_response_is_a_trace() -> None:
    (trace,) = read(TRACES / "anthropic_programmatic.json")
    assert trace.id == "msg_01LPPbjvqcSgBPfApMEiJ4qv"
    assert trace.format == "anthropic-messages"
    assert [c.tool for c in trace.calls] == ["code_execution", "rollDie", "rollDie", "rollDie", "rollDie"] or len(
        trace.calls
    ) == 5
    assert trace.calls[0].source.pointer == "/content/1"
    assert trace.metadata["model"].startswith("claude")


@pytest.mark.parametrize(
    ("value", "form", "pointer"),
    [
        ({"messages": [*ASKED, TOLD, ANSWER]}, "openai-chat", "/messages/1/tool_calls/0"),
        ([*ASKED, TOLD, ANSWER], "openai-chat", "/1/tool_calls/0"),
        ({"id": "r", "messages": json.dumps([*ASKED, TOLD, ANSWER])}, "openai-chat", "/messages/1/tool_calls/0"),
        ({"id": "r", "messages": [*ASKED, TOLD, ANSWER]}, "native", "/messages/1/tool_calls/0"),
        ({"messages": [*ASKED, TOLD, ANSWER], "metadata": {"trial": 1}}, "native", "/messages/1/tool_calls/0"),
        ({"prompt": [USER], "completion": [*ASKED[1:], TOLD, ANSWER]}, "openai-chat", "/completion/0/tool_calls/0"),
        ({"request": {"messages": [*ASKED, TOLD, ANSWER]}}, "openai-chat", "/request/messages/1/tool_calls/0"),
        (
            {"messages": [USER], "response": {"choices": [{"message": ASKED[1]}]}},
            "openai-chat",
            "/response/choices/0/message/tool_calls/0",
        ),
        (
            {"custom_id": "b", "response": {"status_code": 200, "body": {"choices": [{"message": ASKED[1]}]}}},
            "openai-chat",
            "/response/body/choices/0/message/tool_calls/0",
        ),
        (
            {"object": "chat.completion", "choices": [{"message": ASKED[1]}]},
            "openai-chat",
            "/choices/0/message/tool_calls/0",
        ),
        ({"messages": BLOCKS}, "anthropic-messages", "/messages/1/content/1"),
        (BLOCKS, "anthropic-messages", "/1/content/1"),
        ({"type": "message", "role": "assistant", "content": [USE]}, "anthropic-messages", "/content/0"),
        (
            {"request": {"messages": [USER]}, "response": {"type": "message", "role": "assistant", "content": [USE]}},
            "anthropic-messages",
            "/response/content/0",
        ),
    ],
)
def test_every_shape_a_conversation_comes_in(written: Any, value: Any, form: str, pointer: str) -> None:
    trace = only(written(value))
    assert trace.format == form
    (call,) = trace.calls
    assert (call.tool, call.arguments) == ("weather", {"city": "Gimje"})
    assert call.source.pointer == pointer
    assert call.message == trace.messages[-1].index or trace.messages[call.message].calls == (call,)


def test_indices_go_on_from_request_to_response(written: Any) -> None:
    trace = only(written({"messages": [USER, ANSWER, USER], "response": {"choices": [{"message": ASKED[1]}]}}))
    assert [m.index for m in trace.messages] == [0, 1, 2, 3]
    assert trace.calls[0].at == "messages[3].calls[0]"


def test_bare_lists_stand_one_a_line_or_alone(written: Any) -> None:
    lines = list(written([USER, ANSWER], [*ASKED, TOLD, ANSWER]))
    assert [(t.id, len(t.calls)) for t in lines] == [("x-1", 0), ("x-2", 1)]
    assert only(written([USER, ANSWER])).id == "x"
    array = list(written([{"messages": [USER]}, {"messages": ASKED}]))
    assert [t.id for t in array] == ["x-0", "x-1"]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ({"id": "a"}, "a"),
        ({"id": 7}, "7"),
        ({"trace_id": "t"}, "t"),
        ({"custom_id": "c"}, "c"),
        ({"id": "  "}, "x"),
        ({"id": True}, "x"),
        ({"id": ["a"]}, "x"),
    ],
)
def test_a_trace_is_called_by_its_own_id(written: Any, row: dict[str, Any], name: str) -> None:
    assert only(written({**row, "messages": [USER, ANSWER]})).id == name


def test_other_columns_are_metadata_and_metadata_wins(written: Any) -> None:
    row = {"messages": [USER], "model": "m", "reward": 1, "tags": ["a"], "metadata": {"reward": 0, "case_id": "c"}}
    assert only(written(row)).metadata == {"model": "m", "reward": 0, "tags": ["a"], "case_id": "c"}
    assert only(written({"messages": [USER], "metadata": '{"case_id": "d"}'})).metadata == {"case_id": "d"}
    assert only(written({"messages": [USER], "metadata": "free text"})).metadata == {}


@pytest.mark.parametrize(
    "tools", [[{"type": "function", "function": {"name": "f"}}], '[{"name": "f"}]', [{"name": "f"}]]
)
def test_tools_of_a_row_are_read_as_lists_texts_and_functions(written: Any, tools: Any) -> None:
    for key in ("tools", "functions"):
        trace = only(written({"messages": ASKED, key: tools}))
        assert (trace.tools_known, [t.name for t in trace.tools]) == ("declared", ["f"])
    assert only(written({"messages": ASKED, "tools": None})).tools_known == "unknown"
    (broken,) = written({"messages": ASKED, "tools": "[not json"})
    assert [p.code for p in broken.problems] == ["tools-not-a-list"]


def test_further_choices_are_named_with_their_calls(written: Any) -> None:
    row = {"messages": [USER], "response": {"choices": [{"message": ANSWER}, {"message": ASKED[1]}]}}
    reading = written(row)
    (trace,) = reading
    assert [(p.code, p.lost) for p in trace.problems] == [("choices-left-out", 1)]
    assert (reading.calls_kept, reading.calls_in) == (0, 1)


@pytest.mark.parametrize(
    ("good", "odd", "said"),
    [
        ({"messages": ASKED}, {"messages": BLOCKS}, "holds Anthropic messages"),
        ({"messages": BLOCKS}, {"messages": ASKED}, "holds OpenAI messages"),
        ({"messages": ASKED}, {"rows": 1}, "holds no list of messages"),
        ({"messages": BLOCKS}, {"rows": 1}, "holds no list of messages"),
        ({"messages": BLOCKS}, [{"role": "user", "parts": []}], "messages of another format"),
        ({"messages": ASKED}, {"messages": [{"role": "x"}]}, "messages of another format"),
        ({"messages": ASKED}, {"choices": [{"delta": {}}]}, "holds no list of messages"),
        ({"messages": ASKED}, 3, "holds no list of messages"),
        ({"messages": ASKED}, [3], "holds no list of messages"),
    ],
)
def test_a_line_of_another_shape_is_one_named_problem(written: Any, good: Any, odd: Any, said: str) -> None:
    reading = written(good, odd, good)
    assert [t.source.line for t in reading] == [1, 3]
    (problem,) = reading.problems
    assert (problem.code, problem.source.line) == ("unknown-shape", 2)
    assert said in problem.message


def test_messages_a_mere_hint_tells_apart(written: Any) -> None:
    assert only(written({"messages": [USER, ANSWER], "system": "s"})).format == "anthropic-messages"
    assert only(written({"messages": [USER, ANSWER], "model": "claude-x"})).format == "anthropic-messages"
    assert only(written({"messages": [USER, ANSWER], "tools": [{"name": "f", "input_schema": {}}]})).format == (
        "anthropic-messages"
    )
    assert only(written({"messages": [{"role": "system", "content": "s"}, USER]})).format == "openai-chat"
    assert only(written([USER, ANSWER])).format == "openai-chat"


def test_a_record_too_deep_for_the_trace_is_set_aside(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = written({"messages": ASKED}, {"messages": ASKED}, {"messages": [USER]})

    def too_deep(builder: Any, messages: Any, *args: Any, **options: Any) -> None:
        if len(messages) > 1:
            raise RecursionError

    monkeypatch.setattr("rootcall.readers.openai_chat.add_openai", too_deep)
    assert [t.source.line for t in reading] == [3]
    assert [(p.code, p.lost) for p in reading.problems] == [("nested-too-deeply", 1)] * 2


def test_the_same_run_in_openai_and_anthropic_shape_is_the_same_trace(written: Any) -> None:
    openai = only(written({"messages": [*ASKED, {**TOLD, "content": "snow"}, ANSWER]}))
    anthropic = only(written({"messages": [USER, {"role": "assistant", "content": [USE]}, RESULT, ANSWER]}))
    for one, two in zip(openai.calls, anthropic.calls, strict=True):
        assert (one.tool, one.arguments, one.outcome, one.step, one.turn) == (
            two.tool,
            two.arguments,
            two.outcome,
            two.step,
            two.turn,
        )
        assert one.result is not None
        assert two.result is not None
        assert one.result.text == two.result.text
    assert [m.role for m in openai.messages] == [m.role for m in anthropic.messages]
    assert [len(t.steps) for t in openai.turns] == [len(t.steps) for t in anthropic.turns]
