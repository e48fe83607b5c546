"""Public bug reports that are decided by what a format carries: each is put to every container that can carry it."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Trace
from spanmaking import asks, chat, otlp, ran, span, text, told

TRACES = Path(__file__).parent / "data" / "traces"
ORDER = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
TASK = {"type": "object", "properties": {"to": {"type": "string"}}}
USER = {"role": "user", "content": "Refund order A7, please."}
DONE = "Order A7 has been refunded."


def offered(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def chat_call(name: str, arguments: dict[str, Any], id: str) -> dict[str, Any]:  # noqa: A002
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


# A leader that is offered `delegate` alone, a helper that is offered `refund_order` alone: `who` makes the refund.


def native(who: str) -> list[Any]:
    messages = [
        USER,
        {**chat_call("delegate", {"to": "helper"}, "c1"), "name": "leader"},
        {"role": "tool", "tool_call_id": "c1", "content": "on it"},
        {**chat_call("refund_order", {"order": "A7"}, "c2"), "name": who},
        {"role": "tool", "tool_call_id": "c2", "content": '{"refunded": true}'},
        {"role": "assistant", "content": DONE, "name": "leader"},
    ]
    tools = [
        {**offered("delegate", TASK), "agent": "leader"},
        {**offered("refund_order", ORDER), "agent": "helper"},
    ]
    return [{"id": "x", "messages": messages, "tools": tools}]


def agents_trace(who: str) -> list[Any]:
    def row(n: int, parent: str, kind: str, **data: Any) -> dict[str, Any]:
        times = {"started_at": f"2026-12-01T09:00:{n:02}+00:00", "ended_at": f"2026-12-01T09:00:{n + 1:02}+00:00"}
        return {"object": "trace.span", "id": f"s{n}", "trace_id": "t", "parent_id": parent, **times,
                "error": None, "span_data": {"type": kind, **data}}  # fmt: skip

    asked = chat_call("delegate", {"to": "helper"}, "c1")
    refund = chat_call("refund_order", {"order": "A7"}, "c2")
    parents = {"leader": "s1", "helper": "s4"}
    return [
        row(1, "", "agent", name="leader", tools=["delegate"], handoffs=[]),
        row(2, "s1", "generation", input=[USER], output=[asked]),
        row(3, "s1", "function", name="delegate", input='{"to": "helper"}', output="on it"),
        row(4, "", "agent", name="helper", tools=["refund_order"], handoffs=[]),
        row(5, parents[who], "generation",
            input=[USER, asked, {"role": "tool", "tool_call_id": "c1", "content": "on it"}], output=[refund]),
        row(6, parents[who], "function", name="refund_order", input='{"order": "A7"}', output='{"refunded": true}'),
        {"object": "trace", "id": "t", "workflow_name": "w"},
    ]  # fmt: skip


def langsmith(who: str) -> list[Any]:
    def row(name: str, kind: str, n: int, **fields: Any) -> dict[str, Any]:
        times = {"start_time": f"2026-12-01T09:00:{n:02}+00:00", "end_time": f"2026-12-01T09:00:{n:02}.5+00:00"}
        return {"id": f"r{n}", "trace_id": "r0", "parent_run_id": "r0" if n else None, "name": name, "run_type": kind,
                "error": None, **times, **fields}  # fmt: skip

    def model(n: int, agent: str, given: list[Any], answer: dict[str, Any]) -> dict[str, Any]:
        tools = [offered("delegate", TASK) if agent == "leader" else offered("refund_order", ORDER)]
        extra = {"metadata": {"lc_agent_name": agent}, "invocation_params": {"tools": tools}}
        return row(
            "model", "llm", n, inputs={"messages": given}, outputs={"choices": [{"message": answer}]}, extra=extra
        )

    asked = chat_call("delegate", {"to": "helper"}, "c1")
    refund = chat_call("refund_order", {"order": "A7"}, "c2")
    answers = [{"role": "tool", "tool_call_id": "c1", "content": "on it"},
               {"role": "tool", "tool_call_id": "c2", "content": '{"refunded": true}'}]  # fmt: skip
    history = [USER, asked, answers[0], refund, answers[1]]
    other = "leader" if who == "helper" else "helper"
    return [
        row("agent", "chain", 0, inputs={"messages": [USER]}, outputs={}),
        model(1, "leader", history[:1], asked),
        row("delegate", "tool", 2, inputs={"to": "helper"}, outputs={"output": "on it"}),
        model(3, who, history[:3], refund),
        row("refund_order", "tool", 4, inputs={"order": "A7"}, outputs={"output": '{"refunded": true}'}),
        model(5, other, history, {"role": "assistant", "content": DONE}),
    ]


def genai_spans(who: str) -> list[Any]:
    asked, refund = asks(("delegate", {"to": "helper"}, "c1")), asks(("refund_order", {"order": "A7"}, "c2"))
    history = [text("user", USER["content"]), asked, told("on it", "c1"), refund, told({"refunded": True}, "c2")]
    tools = {
        "leader": json.dumps([{"type": "function", "name": "delegate", "parameters": TASK}]),
        "helper": json.dumps([{"type": "function", "name": "refund_order", "parameters": ORDER}]),
    }
    places = {"leader": 1, "helper": 4}

    def model(n: int, at: float, agent: str, given: list[Any], answer: Any) -> dict[str, Any]:
        return chat(n, at, given, answer, of=places[agent], **{"gen_ai.tool.definitions": tools[agent]})

    other = "leader" if who == "helper" else "helper"
    return [otlp(
        span(1, 0, lasts=20, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="leader"),
        model(2, 1, "leader", history[:1], asked),
        ran(3, 2, "delegate", {"to": "helper"}, "on it", of=1, gen_ai__tool__call__id="c1"),
        span(4, 4, lasts=10, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="helper"),
        model(5, 5, who, history[:3], refund),
        ran(6, 6, "refund_order", {"order": "A7"}, '{"refunded": true}', of=places[who], gen_ai__tool__call__id="c2"),
        model(7, 8, other, history, text("assistant", DONE)),
    )]  # fmt: skip


def openinference_spans(who: str) -> list[Any]:
    def said(prefix: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for i, m in enumerate(messages):
            at = f"{prefix}.{i}.message"
            out[f"{at}.role"] = m["role"]
            if m.get("content") is not None:
                out[f"{at}.content"] = m["content"]
            if "tool_call_id" in m:
                out[f"{at}.tool_call_id"] = m["tool_call_id"]
            for j, c in enumerate(m.get("tool_calls", [])):
                out[f"{at}.tool_calls.{j}.tool_call.id"] = c["id"]
                out |= {f"{at}.tool_calls.{j}.tool_call.function.{k}": v for k, v in c["function"].items()}
        return out

    def model(n: int, at: float, agent: str, given: list[Any], answer: Any) -> dict[str, Any]:
        tool = offered("delegate", TASK) if agent == "leader" else offered("refund_order", ORDER)
        fields = {**said("llm.input_messages", given), **said("llm.output_messages", [answer]),
                  "llm.tools.0.tool.json_schema": json.dumps(tool)}  # fmt: skip
        return span(n, at, of=places[agent], openinference__span__kind="LLM", **fields)

    def tool(n: int, at: float, of: int, name: str, given: str, back: str) -> dict[str, Any]:
        values = {"input.value": given, "output.value": back}
        return span(n, at, of=of, openinference__span__kind="TOOL", tool__name=name, **values)

    places = {"leader": 1, "helper": 4}
    asked, refund = chat_call("delegate", {"to": "helper"}, "c1"), chat_call("refund_order", {"order": "A7"}, "c2")
    history = [USER, asked, {"role": "tool", "tool_call_id": "c1", "content": "on it"}, refund,
               {"role": "tool", "tool_call_id": "c2", "content": '{"refunded": true}'}]  # fmt: skip
    other = "leader" if who == "helper" else "helper"
    return [otlp(
        span(1, 0, lasts=20, openinference__span__kind="AGENT", agent__name="leader"),
        model(2, 1, "leader", history[:1], asked),
        tool(3, 2, 1, "delegate", '{"to": "helper"}', "on it"),
        span(4, 4, lasts=10, openinference__span__kind="AGENT", agent__name="helper"),
        model(5, 5, who, history[:3], refund),
        tool(6, 6, places[who], "refund_order", '{"order": "A7"}', '{"refunded": true}'),
        model(7, 8, other, history, {"role": "assistant", "content": DONE}),
    )]  # fmt: skip


TEAMS: dict[str, Callable[[str], list[Any]]] = {
    "native": native,
    "openai-agents": agents_trace,
    "langsmith": langsmith,
    "spans of the GenAI convention": genai_spans,
    "spans of OpenInference": openinference_spans,
}


def one(tmp_path: Path, values: list[Any]) -> Trace:
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join(map(json.dumps, values)), "utf-8")
    reading = read(file)
    (trace,) = reading
    assert reading.problems == []
    return trace


def not_offered(trace: Trace) -> list[str | None]:
    return [c.tool for c in verdict(trace).checks if c.rule == "selection/tool-not-offered" and c.fails]


@pytest.mark.parametrize("container", TEAMS)
def test_each_call_is_judged_by_the_tools_of_the_agent_that_made_it(container: str, tmp_path: Path) -> None:
    trace = one(tmp_path, TEAMS[container]("helper"))
    assert [(c.tool, c.agent, c.outcome) for c in trace.calls] == [
        ("delegate", "leader", "ok"), ("refund_order", "helper", "ok"),
    ]  # fmt: skip
    assert sorted((t.name, t.agent) for t in trace.tools) == [("delegate", "leader"), ("refund_order", "helper")]
    assert not_offered(trace) == []
    beyond = one(tmp_path, TEAMS[container]("leader"))
    assert [(c.tool, c.agent) for c in beyond.calls] == [("delegate", "leader"), ("refund_order", "leader")]
    assert not_offered(beyond) == ["refund_order"]


# Real runs of several agents, and which two tools of different agents are exchanged in the lists of what was offered.
REAL = {
    "agents_as_tool.jsonl": ("ask_weather", "get_weather"),
    "langsmith_agent_in_tool.jsonl": ("ask_weather", "get_weather"),
    "langsmith_two_agents.jsonl": ("search_flights", "get_weather"),
    "spans/pydantic-ai_subagent_v2.jsonl.gz": ("ask_weather", "get_weather"),
    "spans/pydantic-ai_subagent_v5.jsonl.gz": ("ask_weather", "get_weather"),
    "spans/pydantic-ai_subagent_v6.jsonl.gz": ("ask_weather", "get_weather"),
    "spans/strands_subagent.jsonl.gz": ("ask_weather", "get_weather"),
    "spans/strands_subagent_latest.jsonl.gz": ("ask_weather", "get_weather"),
}
LISTS = frozenset(
    {"tools", "gen_ai.tool.definitions", "gen_ai.agent.tools", "model_request_parameters", "function_tools"}
)


def exchanged(value: Any, pair: tuple[str, str], *, inside: bool = False) -> Any:
    """The value with two names exchanged in every list of tools."""
    if isinstance(value, dict):
        named = value.get("key") in LISTS
        return {k: exchanged(v, pair, inside=inside or named or k in LISTS) for k, v in value.items()}
    if isinstance(value, list):
        return [exchanged(v, pair, inside=inside) for v in value]
    if isinstance(value, str) and inside:
        a, b = pair
        return value.replace(a, "\0").replace(b, a).replace("\0", b)
    return value


@pytest.mark.parametrize("file", REAL)
def test_a_real_helpers_call_passes_by_its_own_tools_and_fails_by_those_of_another(file: str, tmp_path: Path) -> None:
    data = (TRACES / file).read_bytes()
    rows = [json.loads(x) for x in (gzip.decompress(data) if file.endswith(".gz") else data).splitlines()]
    assert not_offered(one(tmp_path, rows)) == []
    assert sorted(filter(None, not_offered(one(tmp_path, exchanged(rows, REAL[file]))))) == sorted(REAL[file])


# A tool ran, its span came to an end, and neither a status nor an output stands in it.


def no_status(value: dict[str, Any], status: Any = None) -> dict[str, Any]:
    return {**value, "status": {} if status is None else status}


def silent_genai(status: Any) -> list[Any]:
    asked = asks(("refund_order", {"order": "A7"}, "c1"))
    run = ran(2, 2, "refund_order", {"order": "A7"}, None, gen_ai__tool__call__id="c1")
    return [otlp(chat(1, 1, [text("user", USER["content"])], asked), no_status(run, status))]


def silent_genai_alone(status: Any) -> list[Any]:
    return [otlp(no_status(ran(2, 2, "refund_order", {"order": "A7"}, None), status))]


def silent_openinference(status: Any) -> list[Any]:
    asked = asks(("refund_order", {"order": "A7"}, "c1"))
    run = span(2, 2, openinference__span__kind="TOOL", tool__name="refund_order", **{"input.value": '{"order": "A7"}'})
    return [otlp(chat(1, 1, [text("user", USER["content"])], asked), no_status(run, status))]


def silent_openllmetry(status: Any) -> list[Any]:
    asked = asks(("refund_order", {"order": "A7"}, "c1"))
    run = span(2, 2, traceloop__span__kind="tool", traceloop__entity__name="refund_order",
               **{"traceloop.entity.input": '{"kwargs": {"order": "A7"}}'})  # fmt: skip
    return [otlp(chat(1, 1, [text("user", USER["content"])], asked), no_status(run, status))]


def silent_sdk_json(status: Any) -> list[Any]:
    """Spans as an SDK prints them: the status is a word."""
    (document,) = silent_genai(status)
    out = []
    for s in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        plain = {a["key"]: a["value"]["stringValue"] for a in s["attributes"]}
        out.append({"name": s["name"], "context": {"trace_id": f"0x{s['traceId']}", "span_id": f"0x{s['spanId']}"},
                    "parent_id": None, "start_time": s["startTimeUnixNano"], "end_time": s["endTimeUnixNano"],
                    "status": {"status_code": "UNSET"}, "attributes": plain, "events": [], "resource": {}})  # fmt: skip
    return out


def silent_mlflow(status: Any) -> list[Any]:
    def row(kind: str, n: int, **sent: Any) -> dict[str, Any]:
        attributes = {f"mlflow.{k}": json.dumps(v) for k, v in {"spanType": kind, **sent}.items()}
        return {"name": "refund_order", "start_time_unix_nano": n * 10**18, "end_time_unix_nano": n * 10**18 + 5,
                "attributes": attributes, "status": {"code": "STATUS_CODE_UNSET"}}  # fmt: skip

    answer = {"choices": [{"message": chat_call("refund_order", {"order": "A7"}, "c1")}]}
    spans = [
        row("CHAT_MODEL", 1, spanInputs={"messages": [USER]}, spanOutputs=answer),
        row("TOOL", 2, spanInputs={"order": "A7"}),
    ]
    return [{"info": {"trace_id": "tr-1"}, "data": {"spans": spans}}]


def silent_langfuse(status: Any, **output: Any) -> list[Any]:
    def row(kind: str, n: int, **fields: Any) -> dict[str, Any]:
        return {"id": f"o{n}", "type": kind, "startTime": f"2026-12-01T09:00:0{n}.000Z", "level": "DEFAULT",
                "statusMessage": None, **fields}  # fmt: skip

    answer = {"choices": [{"message": chat_call("refund_order", {"order": "A7"}, "c1")}]}
    observations = [
        row("TOOL", 2, name="refund_order", input={"order": "A7"}, **(output or {"output": None})),
        row("GENERATION", 1, input=[USER], output=answer),
    ]
    return [{"trace": {"id": "t"}, "observations": observations}]


def silent_langfuse_downloaded(status: Any) -> list[Any]:
    """Its pages give files that leave empty fields out."""
    return silent_langfuse(status, endTime="2026-12-01T09:00:03.000Z")


def silent_langsmith(status: Any) -> list[Any]:
    rows = langsmith("leader")[:3]
    rows[2] = {**rows[2], "outputs": None}
    return rows


def silent_agents(status: Any) -> list[Any]:
    rows = agents_trace("leader")
    rows[2]["span_data"]["output"] = None
    return [*rows[:3], rows[-1]]


SILENT: dict[str, Callable[[Any], list[Any]]] = {
    "genai": silent_genai,
    "genai, no model span": silent_genai_alone,
    "openinference": silent_openinference,
    "openllmetry": silent_openllmetry,
    "sdk json": silent_sdk_json,
    "mlflow": silent_mlflow,
    "langfuse": silent_langfuse,
    "langfuse, downloaded": silent_langfuse_downloaded,
    "langsmith": silent_langsmith,
    "openai-agents": silent_agents,
}


@pytest.mark.parametrize("container", SILENT)
@pytest.mark.parametrize("status", [{}, {"code": 0}, {"code": "STATUS_CODE_UNSET"}], ids=["none", "0", "word"])
def test_a_span_without_a_status_and_an_output_is_neither_ok_nor_an_error(
    container: str, status: Any, tmp_path: Path
) -> None:
    trace = one(tmp_path, SILENT[container](status))
    (call,) = trace.calls
    assert call.outcome == "unknown"
    assert call.result is not None
    assert call.result.text is None, "the call came to its end, and what it gave was not captured"
    found = verdict(trace)
    assert found.layers["recovery"].status not in ("pass", "fail")
    assert found.root_cause is None or found.root_cause.layer != "recovery"


def test_a_tool_that_has_not_ended_has_no_result(tmp_path: Path) -> None:
    (export,) = silent_langfuse(None, startTime="2026-12-01T09:00:02.000Z")
    assert [c.outcome for c in one(tmp_path, [export]).calls] == ["no_result"]
    (trace,) = silent_mlflow(None)
    del trace["data"]["spans"][1]["end_time_unix_nano"]
    assert [c.outcome for c in one(tmp_path, [trace]).calls] == ["no_result"]


MALFORMED: list[list[Any]] = [
    [USER, {"role": "assistant", "tool_calls": [{"id": 7, "function": "refund"}, None, "x"]}, {"role": "tool"}, 4, None],
    [USER, {**chat_call("refund_order", {}, "c"), "tool_calls": [{"function": {"name": "a", "arguments": "{bad"}}]}],
    [{"role": ["user"], "content": {"a": [1]}}, {"role": "tool", "tool_call_id": {"x": 1}, "content": [None, {"text": 2}]}],
]  # fmt: skip


def test_judging_leaves_what_it_was_given_as_it_was() -> None:
    rows = [json.loads(x) for x in (TRACES / "flight.jsonl").read_text("utf-8").splitlines()]
    statuses = set()
    for given in [*rows, *({"messages": m, "tools": [offered("refund_order", ORDER)]} for m in MALFORMED)]:
        before = copy.deepcopy(given)
        trace = Trace.from_openai(given["messages"], given["tools"], metadata=given.get("metadata"))
        statuses.add(verdict(trace).status)
        verdict(trace)
        assert given == before
    assert statuses >= {"pass", "fail"}


def test_the_first_attempt_and_the_corrected_one_are_told_apart_in_each_container(tmp_path: Path) -> None:
    """The same two numbers, whatever the run was written in: the first attempt failed, its correction passed."""
    files = [
        "responses_flight.json", "agents_chat.jsonl", "bedrock_flight.json", "gemini_flight.json", "langchain_dumpd.json",
        "langsmith_batch.json", "spans/openinference_otlp_openai_chat.json.gz",
        "spans/otel-genai_otlp_traces_latest_experimental.json.gz", "pydantic_ai_all_messages.json",
    ]  # fmt: skip
    (described,) = read(TRACES / "responses_flight.json")
    for file in files:
        (trace,) = read(TRACES / file)
        found = verdict(trace.with_tools(described.tools))
        arguments = found.layers["arguments"]
        assert (arguments.score, arguments.first_try_score) == (1.0, 0.5), file
        assert [c.rule for c in found.recovered] == ["recovery/handled"], file
