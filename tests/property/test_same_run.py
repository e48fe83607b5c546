"""The same run, written down by hand in each format, is read as the same trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.readers import read
from rootcall.trace import Trace
from spanmaking import asks, otlp, ran, text
from spanmaking import chat as model_span
from spanmaking import told as told_part

WORDS = ("snow", "rain", "a map", "der Zug", "기차표")


class Called(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    failed: bool
    returned: dict[str, Any]
    id: str = ""


class Step(NamedTuple):
    text: str | None
    calls: list[Called]


class Turn(NamedTuple):
    asked: str
    steps: list[Step]
    answer: str


arguments = st.dictionaries(
    st.sampled_from(["city", "day", "n"]),
    st.sampled_from(WORDS) | st.integers(0, 99) | st.booleans() | st.lists(st.sampled_from(WORDS), max_size=2),
    max_size=3,
)
called = st.builds(
    Called,
    st.sampled_from(["weather", "trains"]),
    arguments,
    st.booleans(),
    st.dictionaries(st.sampled_from(["sky", "seats"]), st.integers(0, 9), min_size=1),
)
steps = st.lists(
    st.builds(Step, st.none() | st.sampled_from(WORDS), st.lists(called, min_size=1, max_size=3)), max_size=3
)
turns = st.lists(st.builds(Turn, st.sampled_from(WORDS), steps, st.sampled_from(WORDS)), min_size=1, max_size=3)


def numbered(run: list[Turn], *, reused: bool) -> list[Turn]:
    """The run with ids for its calls: each its own, or the same ones in every step, as some servers count."""
    out, n = [], 0
    for turn in run:
        made = []
        for step in turn.steps:
            calls = []
            for i, c in enumerate(step.calls):
                n += 1
                calls.append(c._replace(id=f"call_{i if reused else n}"))
            made.append(step._replace(calls=calls))
        out.append(turn._replace(steps=made))
    return out


ERROR = "Error: 404 no such place"


def result_text(c: Called) -> str:
    return ERROR if c.failed else json.dumps(c.returned)


def chat(run: list[Turn]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for turn in run:
        out.append({"role": "user", "content": turn.asked})
        for step in turn.steps:
            calls = [
                {"id": c.id, "type": "function", "function": {"name": c.tool, "arguments": json.dumps(c.arguments)}}
                for c in step.calls
            ]
            out.append({"role": "assistant", "content": step.text, "tool_calls": calls})
            out += [{"role": "tool", "tool_call_id": c.id, "content": result_text(c)} for c in step.calls]
        out.append({"role": "assistant", "content": turn.answer})
    return out


def openai_chat(run: list[Turn]) -> list[Any]:
    return [{"messages": chat(run)}]


def anthropic(run: list[Turn]) -> list[Any]:
    out: list[Any] = []
    for turn in run:
        out.append({"role": "user", "content": turn.asked})
        for step in turn.steps:
            text = [{"type": "text", "text": step.text}] if step.text else []
            uses = [{"type": "tool_use", "id": c.id, "name": c.tool, "input": c.arguments} for c in step.calls]
            told = [
                {"type": "tool_result", "tool_use_id": c.id, "content": result_text(c), "is_error": c.failed}
                for c in step.calls
            ]
            out += [{"role": "assistant", "content": text + uses}, {"role": "user", "content": told}]
        out.append({"role": "assistant", "content": [{"type": "text", "text": turn.answer}]})
    return [{"system": None, "model": "claude-x", "messages": out}]


def responses(run: list[Turn]) -> list[Any]:
    def said(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    out: list[Any] = []
    for turn in run:
        out.append({"role": "user", "content": turn.asked})
        for step in turn.steps:
            out += [said(step.text)] if step.text else []
            out += [
                {"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": json.dumps(c.arguments)}
                for c in step.calls
            ]
            out += [{"type": "function_call_output", "call_id": c.id, "output": result_text(c)} for c in step.calls]
        out.append(said(turn.answer))
    return [{"instructions": None, "input": out}]


def bedrock(run: list[Turn]) -> list[Any]:
    out: list[Any] = []
    for turn in run:
        out.append({"role": "user", "content": [{"text": turn.asked}]})
        for step in turn.steps:
            text = [{"text": step.text}] if step.text else []
            uses = [{"toolUse": {"toolUseId": c.id, "name": c.tool, "input": c.arguments}} for c in step.calls]
            told = []
            for c in step.calls:
                content = [{"text": ERROR}] if c.failed else [{"json": c.returned}]
                told.append(
                    {
                        "toolResult": {
                            "toolUseId": c.id,
                            "content": content,
                            "status": "error" if c.failed else "success",
                        }
                    }
                )
            out += [{"role": "assistant", "content": text + uses}, {"role": "user", "content": told}]
        out.append({"role": "assistant", "content": [{"text": turn.answer}]})
    return [out]


def gemini(run: list[Turn]) -> list[Any]:
    out: list[Any] = []
    for turn in run:
        out.append({"role": "user", "parts": [{"text": turn.asked}]})
        for step in turn.steps:
            text: list[Any] = [{"text": step.text}] if step.text else []
            calls = [{"functionCall": {"name": c.tool, "args": c.arguments}} for c in step.calls]
            told = []
            for c in step.calls:
                response = {"error": ERROR} if c.failed else {"result": c.returned}
                told.append({"functionResponse": {"name": c.tool, "response": response}})
            out += [{"role": "model", "parts": text + calls}, {"role": "user", "parts": told}]
        out.append({"role": "model", "parts": [{"text": turn.answer}]})
    return [{"contents": out}]


def langchain_messages(run: list[Turn]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for turn in run:
        out.append({"type": "human", "content": turn.asked, "additional_kwargs": {}})
        for step in turn.steps:
            calls = [{"name": c.tool, "args": c.arguments, "id": c.id, "type": "tool_call"} for c in step.calls]
            out.append({"type": "ai", "content": step.text or "", "tool_calls": calls, "invalid_tool_calls": []})
            for c in step.calls:
                status = "error" if c.failed else "success"
                out.append(
                    {"type": "tool", "content": result_text(c), "tool_call_id": c.id, "name": c.tool, "status": status}
                )
        out.append({"type": "ai", "content": turn.answer, "tool_calls": []})
    return out


def langchain(run: list[Turn]) -> list[Any]:
    kinds = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    return [
        [
            {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kinds[m["type"]]], "kwargs": m}
            for m in langchain_messages(run)
        ]
    ]


def langsmith(run: list[Turn]) -> list[Any]:
    """One run a line: each model run is given the whole history once more, each tool is a run of its own."""
    rows: list[Any] = [{"id": "root", "trace_id": "root", "name": "agent", "run_type": "chain", "start_time": 0}]
    messages = langchain_messages(run)
    clock = 1_700_000_000_000
    for i, m in enumerate(messages):
        clock += 10
        about = {"trace_id": "root", "parent_run_id": "root", "start_time": clock, "end_time": clock + 5, "error": None}
        if m["type"] == "ai":
            outputs = {"generations": [[{"text": m["content"], "message": {"type": "ai", "data": m}}]]}
            rows.append(
                {
                    **about,
                    "id": f"m{i}",
                    "name": "model",
                    "run_type": "llm",
                    "inputs": {"messages": [messages[:i]]},
                    "outputs": outputs,
                }
            )
        elif m["type"] == "tool":
            asked = next(x for x in reversed(messages[:i]) if x["type"] == "ai")
            call = asked["tool_calls"][_place(messages, i)]
            said = {
                "output": f"content={m['content']!r} name={m['name']!r} tool_call_id={m['tool_call_id']!r} status={m['status']!r}"
            }
            extra = {"tool_call_id": m["tool_call_id"]}
            rows.append(
                {
                    **about,
                    "id": f"t{i}",
                    "name": m["name"],
                    "run_type": "tool",
                    "inputs": call["args"],
                    "outputs": said,
                    "extra": extra,
                }
            )
    return rows


def _place(messages: list[dict[str, Any]], i: int) -> int:
    """Which of the calls before it a tool message answers."""
    n = 0
    while messages[i - 1 - n]["type"] == "tool":
        n += 1
    return n


def agents(run: list[Turn]) -> list[Any]:
    """Spans of a chat model with its whole history in each, and of each function."""
    rows: list[Any] = []
    messages = chat(run)
    clock = 0

    def span(kind: str, **data: Any) -> dict[str, Any]:
        nonlocal clock
        clock += 2
        times = {
            "started_at": f"2026-12-01T09:00:00.{clock:06}+00:00",
            "ended_at": f"2026-12-01T09:00:00.{clock + 1:06}+00:00",
        }
        return {"object": "trace.span", "id": f"s{clock}", "trace_id": "t", "parent_id": "turn", **times,
                "error": None, "span_data": {"type": kind, **data}}  # fmt: skip

    for i, m in enumerate(messages):
        if m["role"] == "assistant":
            rows.append(span("generation", input=messages[:i], output=[m], model="m"))
        elif m["role"] == "tool":
            asked = next(x for x in reversed(messages[:i]) if x["role"] == "assistant")
            n = 0
            while messages[i - 1 - n]["role"] == "tool":
                n += 1
            function = asked["tool_calls"][n]["function"]
            rows.append(span("function", name=function["name"], input=function["arguments"], output=m["content"]))
    return [*rows, {"object": "trace", "id": "t", "workflow_name": "w", "metadata": None}]


def native(run: list[Turn]) -> list[Any]:
    return [{"id": "x", "messages": chat(run), "tools": [], "metadata": {"trial": 0}}]


def tau_bench(run: list[Turn]) -> list[Any]:
    return [{"task_id": 1, "trial": 0, "reward": 1.0, "traj": chat(run)}]


def pydantic_ai(run: list[Turn]) -> list[Any]:
    out: list[Any] = []
    for turn in run:
        out.append({"kind": "request", "parts": [{"part_kind": "user-prompt", "content": turn.asked}]})
        for step in turn.steps:
            parts: list[Any] = [{"part_kind": "text", "content": step.text}] if step.text else []
            told: list[Any] = []
            for c in step.calls:
                own = {"tool_name": c.tool, "tool_call_id": c.id}
                parts.append({"part_kind": "tool-call", "args": json.dumps(c.arguments), **own})
                back: Any = ERROR if c.failed else c.returned
                outcome = "failed" if c.failed else "success"
                told.append({"part_kind": "tool-return", "content": back, "outcome": outcome, **own})
            out += [{"kind": "response", "parts": parts}, {"kind": "request", "parts": told}]
        out.append({"kind": "response", "parts": [{"part_kind": "text", "content": turn.answer}]})
    return [out]


def genai_spans(run: list[Turn]) -> list[Any]:
    """Spans of a chat model with its whole history in each, and of each tool, not in the order of time."""
    history: list[Any] = []
    rows: list[Any] = []
    for turn in run:
        history.append(text("user", turn.asked))
        for step in turn.steps:
            asked = asks(*((c.tool, c.arguments, c.id) for c in step.calls))
            if step.text:
                asked["parts"].insert(0, {"type": "text", "content": step.text})
            rows.append(model_span(len(rows) + 1, len(rows), history, asked))
            for c in step.calls:
                failed = {"failed": ERROR} if c.failed else {}
                back = None if c.failed else json.dumps(c.returned)
                rows.append(
                    ran(len(rows) + 1, len(rows), c.tool, c.arguments, back, gen_ai__tool__call__id=c.id, **failed)
                )
            history = [*history, asked, *(told_part(result_text(c), c.id) for c in step.calls)]
        answer = text("assistant", turn.answer)
        rows.append(model_span(len(rows) + 1, len(rows), history, answer))
        history = [*history, answer]
    return [otlp(*reversed(rows))]


def observed(run: list[Turn]) -> tuple[list[tuple[list[Any], Any]], list[Called]]:
    """Each request with its answer, and the calls that ran after it; of the first turn alone."""
    messages = chat(run[:1])
    asked = [(messages[:i], m) for i, m in enumerate(messages) if m["role"] == "assistant"]
    return asked, [c for s in run[0].steps for c in s.calls]


def langfuse(run: list[Turn]) -> list[Any]:
    requests, made = observed(run)
    rows: list[Any] = []

    def row(kind: str, **fields: Any) -> None:
        at = f"2026-12-01T09:{len(rows) // 60:02}:{len(rows) % 60:02}.000Z"
        rows.append({"id": f"o{len(rows)}", "type": kind, "startTime": at, "endTime": at, "level": "DEFAULT", **fields})

    for history, answer in requests:
        row("GENERATION", input=history, output={"choices": [{"message": answer}]})
        for c in made[: len(answer.get("tool_calls", ()))]:
            failed = {"level": "ERROR", "statusMessage": ERROR, "output": None}
            own = {"attributes": {"gen_ai.tool.call.id": c.id}}
            row(
                "TOOL", name=c.tool, input=c.arguments, metadata=own, **(failed if c.failed else {"output": c.returned})
            )
        made = made[len(answer.get("tool_calls", ())) :]
    return [{"trace": {"id": "t"}, "observations": rows[::-1]}]


def mlflow(run: list[Turn]) -> list[Any]:
    requests, made = observed(run)
    rows: list[Any] = []

    def row(kind: str, sent: Any, got: Any, **fields: Any) -> None:
        at = (len(rows) + 1) * 10**9
        given = {"spanType": kind, "spanInputs": sent, "spanOutputs": got}
        attributes = {f"mlflow.{k}": json.dumps(v) for k, v in given.items()}
        rows.append({"name": "model", "start_time_unix_nano": at, "end_time_unix_nano": at + 5, "attributes": attributes,
                     "status": {"code": "STATUS_CODE_OK"}, **fields})  # fmt: skip

    for history, answer in requests:
        row("CHAT_MODEL", {"messages": history}, {"choices": [{"message": answer}]})
        for c in made[: len(answer.get("tool_calls", ()))]:
            failed = {"status": {"code": "STATUS_CODE_ERROR", "message": ERROR}}
            row("TOOL", c.arguments, None if c.failed else c.returned, name=c.tool, **(failed if c.failed else {}))
        made = made[len(answer.get("tool_calls", ())) :]
    return [{"info": {"trace_id": "tr-1"}, "data": {"spans": rows[::-1]}}]


# A trace of these is one turn.
ONE_TURN = frozenset({"langfuse", "mlflow"})
FORMATS: dict[str, Callable[[list[Turn]], list[Any]]] = {
    "openai-chat": openai_chat,
    "anthropic-messages": anthropic,
    "openai-responses": responses,
    "bedrock-converse": bedrock,
    "gemini-contents": gemini,
    "langchain": langchain,
    "langsmith": langsmith,
    "openai-agents": agents,
    "native": native,
    "tau-bench": tau_bench,
    "pydantic-ai": pydantic_ai,
    "otel-spans": genai_spans,
    "langfuse": langfuse,
    "mlflow": mlflow,
}


def told(trace: Trace) -> tuple[list[Any], list[Any], list[Any]]:
    """What must be the same whatever the format: what was said, the calls, and what came back from them."""
    said = [(m.role, m.text or None) for m in trace.messages if m.role != "tool"]
    calls = [(c.tool, dict(c.arguments or {}), c.outcome, c.step, c.turn) for c in trace.calls]
    returned = [None if c.outcome == "error" or c.result is None else c.result.payload for c in trace.calls]
    return said, calls, returned


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(run=turns, reused=st.booleans())
def test_the_same_run_is_the_same_trace(tmp_path: Path, form: str, run: list[Turn], reused: bool) -> None:
    run = numbered(run[:1] if form in ONE_TURN else run, reused=reused)
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(json.dumps(v, ensure_ascii=False) for v in FORMATS[form](run)), "utf-8")
    reading = read(file, format=form)
    (trace,) = reading
    assert reading.problems == []
    assert {p.code for p in trace.problems} <= {"reused-call-id"}
    said, calls, returned = told(trace)
    wanted = [("user", t.asked) for t in run]
    assert [s for s in said if s[0] == "user"] == wanted
    assert [s[1] for s in said if s[0] == "assistant"] == [
        text for t in run for text in (*(s.text for s in t.steps), t.answer)
    ]
    step, expected = 0, []
    for n, t in enumerate(run):
        for s in t.steps:
            expected += [(c.tool, c.arguments, "error" if c.failed else "ok", step, n) for c in s.calls]
            step += 1
        step += 1
    assert calls == expected
    assert returned == [None if c.failed else c.returned for t in run for s in t.steps for c in s.calls]
