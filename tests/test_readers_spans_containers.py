"""Every container of spans holds the same trace: OTLP in its spellings, rows, columns, trees, spans in one another."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from spanmaking import ASKED, TRACE, USER, Span, calls, chat, only, otlp, span, text, told


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Reading]:
    def write(*values: Any, name: str = "x.jsonl") -> Reading:
        (tmp_path / name).write_text("\n".join(json.dumps(v) for v in values))
        return read(tmp_path / name)

    return write


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


def dotted(row: dict[str, Any]) -> dict[str, Any]:
    """As a data frame of Phoenix writes its rows: lists of messages whose keys keep their dots."""

    def message(m: dict[str, Any]) -> dict[str, Any]:
        calls = [{f"tool_call.{k}" if k == "id" else f"tool_call.function.{k}": v for k, v in {"id": c["tool_call"]["id"], **c["tool_call"]["function"]}.items()}
                 for c in m.pop("tool_calls", [])]  # fmt: skip
        return {**{f"message.{k}": v for k, v in m.items()}, **({"message.tool_calls": calls} if calls else {})}

    tree = nested(row["attributes"])["llm"]
    lists = {
        f"attributes.llm.{k}": [message(m["message"]) for m in tree[k]] for k in ("input_messages", "output_messages")
    }
    ids = {f"context.{k}": v for k, v in row["context"].items()}
    return {
        **ids,
        **lists,
        "name": "n",
        "span_kind": "LLM",
        "parent_id": row["parent_id"],
        "start_time": row["start_time"],
        "attributes.llm.model_name": None,
    }


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
        "columns of lists": [dotted(r) for r in rows],
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
