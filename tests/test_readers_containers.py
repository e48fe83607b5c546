"""The same run through every container of logs: the same calls, the same outcomes, the same verdict."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall import verdict
from rootcall.readers import read
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"
Messages = list[dict[str, Any]]


def plain(row: dict[str, Any]) -> bool:
    """Whether a row has nothing that one of the containers has no place for."""
    calls = [c for m in row["messages"] for c in m.get("tool_calls") or []]
    texts = all(
        isinstance(m.get("content"), str) or (m["role"] == "assistant" and m.get("content") is None)
        for m in row["messages"]
    )
    named = all(isinstance(c, dict) and c.get("id") and isinstance(c["function"].get("arguments"), str) for c in calls)
    joined = all(m.get("tool_call_id") for m in row["messages"] if m["role"] == "tool")
    return texts and named and joined and isinstance(row.get("tools"), list)


def rows() -> list[dict[str, Any]]:
    found = [json.loads(x) for x in (DATA / "traces" / "flight.jsonl").read_text("utf-8").splitlines()]
    cases = gzip.decompress((DATA / "bugcases.jsonl.gz").read_bytes()).splitlines()
    found += [
        {**r["trace"], "id": r["id"]} for r in map(json.loads, cases) if "trace" in r and r["layer"] == "recovery"
    ]
    return [r for r in found if plain(r)]


def said(m: dict[str, Any], kind: str = "text") -> Messages:
    return [] if m.get("content") is None else [{"type": kind, "text": m["content"]}]


def asked(m: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in m.get("tool_calls") or []]


def model_messages(messages: Messages) -> list[Any]:
    out: Messages = []
    for m in messages:
        parts = said(m) + [{"type": "tool-call", "toolCallId": i, "toolName": n, "input": a} for i, n, a in asked(m)]
        if m["role"] == "tool":
            told = {
                "type": "tool-result",
                "toolCallId": m["tool_call_id"],
                "output": {"type": "text", "value": m["content"]},
            }
            parts = [told]
        out.append({"role": m["role"], "content": parts if m["role"] in ("assistant", "tool") else m["content"]})
    return [out]


def parts_of(messages: Messages, part: Callable[[str, str, str, str | None], dict[str, Any]]) -> Messages:
    """Messages of an interface: all that the assistant does in a turn is one message of parts."""
    back: dict[str, list[str]] = defaultdict(list)
    for m in messages:
        if m["role"] == "tool":
            back[m["tool_call_id"]].append(m["content"])
    out: Messages = []
    for m in messages:
        if m["role"] == "assistant":
            if not out or out[-1]["role"] != "assistant":
                out.append({"role": "assistant", "parts": []})
            out[-1]["parts"] += [{"type": "step-start"}, *said(m)]
            out[-1]["parts"] += [part(i, n, a, back[i].pop(0) if back[i] else None) for i, n, a in asked(m)]
        elif m["role"] != "tool":
            out.append({"role": m["role"], "parts": said(m)})
    return out


def interface_messages(messages: Messages) -> list[Any]:
    def part(i: str, name: str, arguments: str, got: str | None) -> dict[str, Any]:
        end = {"state": "input-available"} if got is None else {"state": "output-available", "output": got}
        return {"type": f"tool-{name}", "toolCallId": i, "input": arguments, **end}

    return [parts_of(messages, part)]


def mastra_messages(messages: Messages) -> list[Any]:
    def part(i: str, name: str, arguments: str, got: str | None) -> dict[str, Any]:
        end = {"state": "call"} if got is None else {"state": "result", "result": got}
        return {
            "type": "tool-invocation",
            "toolInvocation": {"toolCallId": i, "toolName": name, "args": arguments, **end},
        }

    def stored(m: dict[str, Any]) -> dict[str, Any]:
        calls = [p["toolInvocation"] for p in m["parts"] if p["type"] == "tool-invocation"]
        return {"role": m["role"], "content": {"format": 2, "parts": m["parts"], "toolInvocations": calls}}

    return [[stored(m) for m in parts_of(messages, part)]]


def claude_lines(messages: Messages) -> list[Any]:
    out = []
    for n, m in enumerate(messages):
        blocks = said(m) + [{"type": "tool_use", "id": i, "name": name, "input": a} for i, name, a in asked(m)]
        if m["role"] == "tool":
            blocks = [{"type": "tool_result", "tool_use_id": m["tool_call_id"], "content": m["content"]}]
        kind = "assistant" if m["role"] == "assistant" else "user"
        lines = [[b] for b in blocks] if kind == "assistant" else [blocks]
        for content in lines:
            message = {"role": kind, "content": content, **({"id": f"m{n}"} if kind == "assistant" else {})}
            out.append({"type": kind, "sessionId": "s", "isMeta": m["role"] == "system", "message": message})
    return out


def codex_lines(messages: Messages) -> list[Any]:
    items: Messages = []
    for m in messages:
        if m["role"] == "tool":
            items.append({"type": "function_call_output", "call_id": m["tool_call_id"], "output": m["content"]})
            continue
        if m.get("content") is not None:
            items.append({"type": "message", "role": m["role"], "content": said(m, "output_text")})
        items += [{"type": "function_call", "call_id": i, "name": n, "arguments": a} for i, n, a in asked(m)]
    return [{"type": "session_meta", "payload": {"id": "s"}}, *({"type": "response_item", "payload": i} for i in items)]


MAPPING = {
    "messages": [
        {
            "from": "m",
            "role": "role",
            "text": "content",
            "calls": "tool_calls",
            "call": {"tool": "function.name", "id": "id", "arguments": "function.arguments"},
            "result": {"id": "tool_call_id", "text": "content"},
        }
    ]
}
CONTAINERS: dict[str, tuple[Callable[[Messages], list[Any]], dict[str, Any]]] = {
    "model messages": (model_messages, {"format": "ai-sdk"}),
    "interface messages": (interface_messages, {"format": "ai-sdk"}),
    "mastra": (mastra_messages, {"format": "mastra"}),
    "claude code": (claude_lines, {"format": "claude-code"}),
    "codex": (codex_lines, {"format": "codex"}),
    "mapping": (lambda messages: [{"m": messages}], {"mapping": MAPPING}),
}


def seen(trace: Trace) -> list[Any]:
    return [
        (c.tool, c.arguments, c.state, c.outcome, c.step, c.turn, c.result.text if c.result else None)
        for c in trace.calls
    ]


def found(trace: Trace) -> Any:
    v = verdict(trace)
    cause = v.root_cause
    return v.status, {k: x.status for k, x in v.layers.items()}, cause and (cause.rule, cause.tool, cause.argument)


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_same_run_is_the_same_trace_and_gets_the_same_verdict(container: str, tmp_path: Path) -> None:
    write, how = CONTAINERS[container]
    file, tools = tmp_path / "run.jsonl", tmp_path / "tools.json"
    told = rows()
    assert len(told) > 15
    for row in told:
        metadata = {k: v for k, v in (row.get("metadata") or {}).items() if k != "case_id"}
        chat = Trace.from_openai(row["messages"], row["tools"], metadata=metadata)
        file.write_text("\n".join(map(json.dumps, write(row["messages"]))), "utf-8")
        tools.write_text(json.dumps(row["tools"]), "utf-8")
        (trace,) = read(file, tools=tools, **how)
        assert seen(trace) == seen(chat), row["id"]
        assert [p.code for p in trace.problems] == [p.code for p in chat.problems], row["id"]
        if "reference_time" not in metadata:
            assert found(trace) == found(chat), row["id"]
