"""Spans made by hand, for the tests of what is read from them."""

from __future__ import annotations

import json
from typing import Any

from rootcall.readers import Reading
from rootcall.trace import Trace

Span = dict[str, Any]
TRACE = "0af7651916cd43dd8448eb211c80319c"


def any_value(value: Any) -> Any:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(v) for v in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": any_value(v)} for k, v in value.items()]}}
    return {"stringValue": value}


def span(id: int, at: float = 0, *, of: int | None = None, failed: str | None = None, trace: str = TRACE,  # noqa: A002
         happened: list[tuple[str, dict[str, Any]]] = [], name: str = "s", lasts: float = 0.5, **attributes: Any) -> Span:  # noqa: B006  # fmt: skip
    """A span as OTLP/JSON has it; a double underscore in the name of an attribute is a dot."""
    start = 1_796_062_978_000_000_000 + int(at * 10**9)
    return {
        "traceId": trace, "spanId": f"{id:016x}", **({} if of is None else {"parentSpanId": f"{of:016x}"}),
        "name": name, "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + int(lasts * 10**9)),
        "attributes": [{"key": k.replace("__", "."), "value": any_value(v)} for k, v in attributes.items()],
        "events": [{"name": n, "timeUnixNano": str(start),
                    "attributes": [{"key": k, "value": any_value(v)} for k, v in a.items()]} for n, a in happened],
        "status": {"code": 2, "message": failed} if failed else {},
    }  # fmt: skip


def otlp(*spans: Span) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "t"}, "spans": list(spans)}]}]}


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def asks(*calls: tuple[str, Any, str | None]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "name": n, "arguments": a, **({"id": i} if i else {})} for n, a, i in calls]
    return {"role": "assistant", "parts": parts}


def told(response: Any, id: str | None = None) -> dict[str, Any]:  # noqa: A002
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "response": response, **({"id": id} if id else {})}],
    }


def chat(id: int, at: float, given: list[Any], answered: Any, **fields: Any) -> Span:  # noqa: A002
    messages = {"gen_ai.input.messages": json.dumps(given)}
    if answered is not None:
        messages["gen_ai.output.messages"] = json.dumps([answered])
    return span(id, at, **{"gen_ai__operation__name": "chat", **messages, **fields})


def ran(id: int, at: float, tool: str, arguments: Any, back: Any, **fields: Any) -> Span:  # noqa: A002
    own = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": tool}
    if arguments is not None:
        own["gen_ai__tool__call__arguments"] = arguments if isinstance(arguments, str) else json.dumps(arguments)
    if back is not None:
        own["gen_ai__tool__call__result"] = back
    return span(id, at, **{**own, **fields})


def only(reading: Reading, *, problems: tuple[str, ...] = ()) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert tuple(p.code for p in trace.problems) == problems
    return trace


def calls(trace: Trace) -> list[tuple[Any, ...]]:
    return [(c.tool, c.arguments, c.outcome) for c in trace.calls]


USER = text("user", "Weather in Gimje?")
ASKED = asks(("weather", {"city": "Gimje"}, "c1"))
