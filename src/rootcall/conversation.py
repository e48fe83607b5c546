"""OpenAI chat messages and Anthropic messages, from memory into a `TraceBuilder`.

The readers of files use the same functions, so that a trace is the same whichever way it came. Messages are read, never
changed; what does not fit becomes a problem of the trace and the rest is kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rootcall.assembly import DraftCall, TraceBuilder, read_tools
from rootcall.jsonvalue import MISSING
from rootcall.trace import Role, Source, Trace

__all__ = ["add_anthropic", "add_openai", "anthropic_trace", "openai_trace", "text_of"]

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TEXT_KEYS = ("text", "content", "refusal", "thinking")


def openai_trace(
    messages: object,
    *,
    tools: object = None,
    id: str = "trace",  # noqa: A002 -- the field's own name
    metadata: Mapping[str, Any] | None = None,
    source: Source = Source(),
    format: str = "openai-chat",  # noqa: A002 -- the field's own name
) -> Trace:
    """Build a trace from OpenAI chat messages; see `Trace.from_openai`."""
    builder = _builder(tools, id, metadata, source, format)
    if messages is not None:
        add_openai(builder, messages, source)
    return builder.build()


def anthropic_trace(
    messages: object,
    *,
    tools: object = None,
    system: object = None,
    id: str = "trace",  # noqa: A002 -- the field's own name
    metadata: Mapping[str, Any] | None = None,
    source: Source = Source(),
) -> Trace:
    """Build a trace from Anthropic messages; see `Trace.from_anthropic`."""
    builder = _builder(tools, id, metadata, source, "anthropic-messages")
    add_anthropic(builder, messages, source, system=system)
    return builder.build()


def _builder(
    tools: object,
    id: str,
    metadata: Mapping[str, Any] | None,
    source: Source,
    format: str,  # noqa: A002 -- as above
) -> TraceBuilder:
    if tools is None:
        return TraceBuilder(id, source=source, format=format, metadata=metadata)
    read, problems = read_tools(tools, source)
    builder = TraceBuilder(id, source=source, format=format, tools=read, metadata=metadata)
    for p in problems:
        builder.problem(p.code, p.message, p.source)
    return builder


def text_of(content: object) -> str | None:
    """Return the text of a message's content: a text, or parts joined by line breaks; None when there is none.

    Parts that are no text (images, audio, files) are left out.
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        return None if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False)
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            value = next((part[k] for k in _TEXT_KEYS if isinstance(part.get(k), str)), None)
            if value is not None:
                texts.append(value)
    return "\n".join(texts) if texts else None


def _result_text(content: object) -> str | None:
    """The text of a tool result: objects are kept as JSON, so that nothing a tool returned is lost."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(
        isinstance(p, str) or (isinstance(p, Mapping) and isinstance(p.get("text"), str)) for p in content
    ):
        return text_of(content) if content else "[]"
    return json.dumps(content, ensure_ascii=False, default=str)


def _at(source: Source, pointer: str) -> Source:
    return Source(source.file, source.line, source.pointer + pointer)


def add_openai(builder: TraceBuilder, messages: object, source: Source, *, pointer: str = "/messages") -> None:
    """Add OpenAI chat messages. `pointer` says where the list stands below `source`."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        builder.problem("messages-not-a-list", "messages must be a list", source)
        return
    for i, m in enumerate(messages):
        where = _at(source, f"{pointer}/{i}")
        if not isinstance(m, Mapping):
            builder.problem("message-unreadable", f"messages[{i}] must be an object, got {_shape(m)}", where)
            continue
        role = _ROLES.get(str(m.get("role", "")).lower())
        if role is None:
            builder.problem("role-unknown", f"messages[{i}] has role {m.get('role')!r}; it is left out", where)
        elif role == "tool":
            call_id = m.get("tool_call_id")
            name = m.get("name")
            builder.result(
                _result_text(m.get("content")),
                index=i,
                call_id=call_id if isinstance(call_id, str) else None,
                tool=name if isinstance(name, str) and not isinstance(call_id, str) else None,
                source=where,
            )
        else:
            _openai_message(builder, m, role, i, where)


def _openai_message(builder: TraceBuilder, m: Mapping[str, Any], role: Role, i: int, where: Source) -> None:
    calls = _openai_calls(builder, m, i, where) if role == "assistant" else []
    text = text_of(m.get("content"))
    if text is None and isinstance(m.get("refusal"), str):
        text = m["refusal"]
    timestamp = m.get("timestamp", m.get("created_at"))
    builder.message(
        role,
        text,
        index=i,
        calls=calls,
        source=where,
        agent=m["name"] if role == "assistant" and isinstance(m.get("name"), str) else None,
        timestamp=str(timestamp) if timestamp is not None else None,
        captured=text is not None or bool(calls),
    )


def _openai_calls(builder: TraceBuilder, m: Mapping[str, Any], i: int, where: Source) -> list[DraftCall]:
    listed = m.get("tool_calls")
    if listed is None and isinstance(m.get("function_call"), Mapping):
        listed = [{"function": m["function_call"]}]
    if listed is None:
        return []
    if not isinstance(listed, Sequence) or isinstance(listed, str | bytes):
        builder.problem(
            "calls-not-a-list", f"messages[{i}].tool_calls must be a list, got {_shape(listed)}", where, lost=1
        )
        return []
    calls = []
    for n, c in enumerate(listed):
        place = _at(where, f"/tool_calls/{n}")
        body = (
            next((c[k] for k in ("function", "custom") if isinstance(c.get(k), Mapping)), c)
            if isinstance(c, Mapping)
            else None
        )
        name = body.get("name") if isinstance(body, Mapping) else None
        if not isinstance(c, Mapping) or not isinstance(body, Mapping) or not isinstance(name, str) or not name:
            builder.problem("call-unreadable", f"messages[{i}].tool_calls[{n}] names no tool", place, lost=1)
            continue
        arguments = body.get("arguments", body.get("input", body.get("args", MISSING)))
        call_id = c.get("id")
        calls.append(DraftCall(name, arguments, call_id if isinstance(call_id, str) else None, place))
    return calls


def add_anthropic(
    builder: TraceBuilder, messages: object, source: Source, *, system: object = None, pointer: str = "/messages"
) -> None:
    """Add Anthropic messages; a system prompt comes first and has no place in the list (index -1)."""
    if system is not None and (text := text_of(system)) is not None:
        builder.message("system", text, index=-1, source=_at(source, "/system"))
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        builder.problem("messages-not-a-list", "messages must be a list", source)
        return
    for i, m in enumerate(messages):
        where = _at(source, f"{pointer}/{i}")
        if not isinstance(m, Mapping):
            builder.problem("message-unreadable", f"messages[{i}] must be an object, got {_shape(m)}", where)
            continue
        role = _ROLES.get(str(m.get("role", "")).lower())
        if role is None or role == "tool":
            builder.problem("role-unknown", f"messages[{i}] has role {m.get('role')!r}; it is left out", where)
            continue
        _anthropic_message(builder, m, role, i, where)


def _anthropic_message(builder: TraceBuilder, m: Mapping[str, Any], role: Role, i: int, where: Source) -> None:
    content = m.get("content")
    blocks = content if isinstance(content, Sequence) and not isinstance(content, str | bytes) else None
    if blocks is None:
        text = text_of(content)
        builder.message(role, text, index=i, source=where, captured=text is not None)
        return
    texts: list[object] = []
    calls: list[DraftCall] = []
    results: list[tuple[Mapping[str, Any], Source]] = []
    for n, block in enumerate(blocks):
        place = _at(where, f"/content/{n}")
        kind = str(block.get("type", "")) if isinstance(block, Mapping) else "text"
        if isinstance(block, Mapping) and kind.endswith("tool_use"):
            if not isinstance(block.get("name"), str):
                builder.problem("call-unreadable", f"messages[{i}].content[{n}] names no tool", place, lost=1)
                continue
            call_id = block.get("id")
            calls.append(
                DraftCall(
                    block["name"], block.get("input", MISSING), call_id if isinstance(call_id, str) else None, place
                )
            )
        elif isinstance(block, Mapping) and kind.endswith("tool_result"):
            results.append((block, place))
        elif not kind.endswith("thinking"):
            texts.append(block)
    text = text_of(texts)
    if role == "assistant":
        # Server tools answer inside the same message; their results follow the calls they belong to.
        builder.message(role, text, index=i, calls=calls, source=where, captured=bool(text or calls or results))
    for block, place in results:
        _anthropic_result(builder, block, i, place)
    if role != "assistant" and (text is not None or not results):
        builder.message(role, text, index=i, source=where, captured=text is not None)


def _anthropic_result(builder: TraceBuilder, block: Mapping[str, Any], i: int, place: Source) -> None:
    content = block.get("content")
    flagged = block.get("is_error")
    if isinstance(content, Mapping) and str(content.get("type", "")).endswith("error"):
        flagged = True
    call_id = block.get("tool_use_id")
    builder.result(
        # `content` may be left out by design: the tool said nothing.
        _result_text(content) if "content" in block else "",
        index=i,
        call_id=call_id if isinstance(call_id, str) else None,
        flagged=flagged if isinstance(flagged, bool) else None,
        source=place,
    )


def _shape(value: object) -> str:
    if value is None:
        return "null"
    return {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}.get(type(value), "a number")
