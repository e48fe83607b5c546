"""OpenAI chat messages and Anthropic messages, from memory into a `TraceBuilder`.

The readers of files use the same functions, so that a trace is the same whichever way it came. Messages are read, never
changed; what does not fit becomes a problem of the trace and the rest is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

import msgspec

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, SCALARS
from rootcall.plainchat import plain_trace
from rootcall.toolspec import read_tools
from rootcall.trace import Problem, Role, Source, Tool, ToolsKnown, Trace

__all__ = [
    "add_anthropic",
    "add_openai",
    "anthropic_trace",
    "as_json",
    "below",
    "builder_for",
    "count_calls",
    "id_of",
    "openai_trace",
    "result_text",
    "shape_of",
    "text_of",
    "word_in",
]

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
_MEMORY: Final = Source()
_SAYING: Final = frozenset({"role", "content"})
_CALLING: Final = frozenset({"role", "content", "tool_calls"})
_CALL_KEYS: Final = ("function_call", "functionCall")
_LISTS_OF_CALLS: Final = frozenset({"tool_calls", "invalid_tool_calls", "tools"})
# LangChain keeps a copy of the calls there.
_NO_CALLS_IN: Final = _LISTS_OF_CALLS | {"additional_kwargs"}
_TEXT_KEYS = ("text", "content", "refusal", "thinking")


def openai_trace(
    messages: object,
    *,
    tools: object = None,
    id: str = "trace",  # noqa: A002 -- the field's own name
    metadata: Mapping[str, Any] | None = None,
    source: Source = _MEMORY,
    format: str = "openai-chat",  # noqa: A002 -- the field's own name
) -> Trace:
    """Build a trace from OpenAI chat messages; see `Trace.from_openai`."""
    read, problems = (None, []) if tools is None else read_tools(tools, source)
    plain = plain_trace(messages, read, tuple(problems), id=id, metadata=metadata, source=source, format=format)
    if plain is not None:
        return plain
    builder = _builder(read, problems, id=id, metadata=metadata, source=source, format=format)
    if isinstance(messages, msgspec.Raw):
        try:
            messages = msgspec.json.decode(messages)
        except (ValueError, RecursionError) as error:
            builder.problem("messages-not-json", f"the text of the messages is not JSON: {error}", source)
            messages = None
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
    source: Source = _MEMORY,
) -> Trace:
    """Build a trace from Anthropic messages; see `Trace.from_anthropic`."""
    builder = builder_for(tools, id=id, metadata=metadata, source=source, format="anthropic-messages")
    add_anthropic(builder, messages, source, system=system)
    return builder.build()


def builder_for(
    tools: object,
    *,
    id: str,  # noqa: A002 -- the field's own name
    metadata: Mapping[str, Any] | None = None,
    source: Source = _MEMORY,
    format: str = "openai-chat",  # noqa: A002 -- as above
    side_tools: Sequence[Tool] | None = None,
) -> TraceBuilder:
    """Start a trace. `tools` are the specs the trace declares; None means none known, then `side_tools` stand in."""
    if tools is None:
        known: ToolsKnown | None = None if side_tools is None else "side_file"
        return TraceBuilder(id, source=source, format=format, tools=side_tools, tools_known=known, metadata=metadata)
    read, problems = read_tools(tools, source)
    return _builder(read, problems, id=id, metadata=metadata, source=source, format=format)


def _builder(tools: tuple[Tool, ...] | None, problems: Sequence[Problem], **about: Any) -> TraceBuilder:
    builder = TraceBuilder(tools=tools, **about)
    for p in problems:
        builder.problem(p.code, p.message, p.source)
    return builder


def word_in(value: Mapping[str, Any], key: str) -> str:
    """Return the text under a key, an empty one when there is none or something else stands there."""
    word = value.get(key)
    return word if isinstance(word, str) else ""


def text_of(content: object) -> str | None:
    """Return the text of a message's content: a text, or parts joined by line breaks; None when there is none.

    Parts that are no text (images, audio, files) and thoughts, which nobody was told, are left out.
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, OBJECTS):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        return None if isinstance(content, bytes) else as_json(content)
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, OBJECTS) and not word_in(part, "type").endswith(("thinking", "reasoning")):
            value = next((part[k] for k in _TEXT_KEYS if isinstance(part.get(k), str)), None)
            if value is not None:
                texts.append(value)
    return "\n".join(texts) if texts else None


def result_text(content: object) -> str | None:
    """Return the text of a tool result: objects are kept as JSON, so that nothing a tool returned is lost."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(
        isinstance(p, str) or (isinstance(p, OBJECTS) and isinstance(p.get("text"), str)) for p in content
    ):
        return text_of(content) if content else "[]"
    return as_json(content)


def as_json(value: object) -> str:
    """Write a value as JSON text; what JSON cannot hold is written as its `str`."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, TypeError, ValueError):  # too deep for JSON, or no JSON at all
        return f"<{type(value).__name__} that cannot be written as JSON>"


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))


def id_of(value: object) -> str | None:
    """Return an id, None when it is none: ids are texts; some servers count instead."""
    if isinstance(value, int) and not isinstance(value, bool):
        return as_json(value)
    return value if isinstance(value, str) else None


def count_calls(value: object) -> int:
    """Count the calls in messages of any chat shape, to say how many are lost when a value is left out."""
    found = 0
    stack = [value]
    while stack:
        v = stack.pop()
        if _is_list(v):
            stack += v
        elif isinstance(v, OBJECTS):
            listed, broken = v.get("tool_calls"), v.get("invalid_tool_calls")
            asked = len(listed) if _is_list(listed) else 0
            asked += len(broken) if _is_list(broken) else 0
            if not asked:
                asked = int(any(isinstance(v.get(k), OBJECTS) for k in _CALL_KEYS))
            found += asked + int(_is_call_part(v))
            passed = _NO_CALLS_IN if asked else _LISTS_OF_CALLS
            stack += [x for k, x in v.items() if k not in passed and not isinstance(x, SCALARS)]
    return found


def _is_call_part(part: object) -> bool:
    """Tell whether a content part asks for a tool, in any of the families of formats."""
    if not isinstance(part, OBJECTS):
        return False
    kind = word_in(part, "type")
    if kind.endswith(("tool_use", "tool-call", "tool_call", "function_call", "tool-invocation", "shell_call")):
        return True
    return "toolUse" in part or (
        "state" in part and "toolCallId" in part and kind.startswith(("tool-", "dynamic-tool"))
    )


def below(source: Source, pointer: str) -> Source:
    """Return the place that a JSON pointer leads to from another place."""
    return Source(source.file, source.line, source.pointer + pointer, source.span)


def add_openai(
    builder: TraceBuilder,
    messages: object,
    source: Source,
    *,
    pointer: str = "/messages",
    first: int = 0,
    alone: bool = False,
) -> None:
    """Add OpenAI chat messages.

    `pointer` says where the list stands below `source`; with `alone`, where its one message stands. `first` is the
    index of the first message, for lists that continue another.
    """
    for i, m, where in _readable(builder, messages, source, pointer, first, alone=alone):
        role = _role_of(m)
        if role is None:
            _unknown_role(builder, m, i, where)
        elif role == "tool":
            call_id, name = id_of(m.get("tool_call_id")), m.get("name")
            builder.result(
                result_text(m.get("content")),
                index=i,
                call_id=call_id,
                tool=name if isinstance(name, str) and call_id is None else None,
                flagged=True if any(m.get(k) is True for k in ("is_error", "isError", "error")) else None,
                source=where,
            )
        else:
            _openai_message(builder, m, role, i, where)


def _readable(
    builder: TraceBuilder, messages: object, source: Source, pointer: str, first: int, *, alone: bool
) -> Iterator[tuple[int, Mapping[str, Any], Source]]:
    """Yield `(index, message, place)`; what is no message becomes a problem."""
    if not _is_list(messages):
        what = f"messages must be a list, got {shape_of(messages)}"
        builder.problem("messages-not-a-list", what, source, lost=count_calls(messages))
        return
    base = source.pointer + pointer
    for n, m in enumerate(messages):
        i, where = first + n, Source(source.file, source.line, base if alone else f"{base}/{n}")
        if isinstance(m, OBJECTS):
            yield i, m, where
        else:
            what = f"messages[{i}] must be an object, got {shape_of(m)}"
            builder.problem("message-unreadable", what, where, lost=count_calls(m))


def _role_of(m: Mapping[str, Any]) -> Role | None:
    said = word_in(m, "role")
    return _ROLES.get(said) or _ROLES.get(said.lower())


def _unknown_role(builder: TraceBuilder, m: Mapping[str, Any], i: int, where: Source) -> None:
    said = f"role {as_json(m['role'])[:60]}" if "role" in m else "no role"
    builder.problem("role-unknown", f"messages[{i}] has {said}; it is left out", where, lost=count_calls(m))


def _openai_message(builder: TraceBuilder, m: Mapping[str, Any], role: Role, i: int, where: Source) -> None:
    content = m.get("content")
    if isinstance(content, str) and m.keys() <= _SAYING:  # as most messages are
        builder.message(role, content, index=i, source=where)
        return
    calls = _openai_calls(builder, m, i, where) if role == "assistant" else ()
    if calls and (content is None or isinstance(content, str)) and m.keys() <= _CALLING:  # as most of the others
        builder.message(role, content, index=i, calls=calls, source=where)
        return
    text = text_of(content)
    parts = 0 if text is content else sum(map(_is_call_part, content)) if _is_list(content) else 0
    if role == "assistant":
        elsewhere = parts
    else:
        elsewhere = 0 if text is content and m.keys() <= _SAYING else count_calls(m)
    if elsewhere:
        what = "calls stand among the content parts" if parts else f"a message of role {role} cannot call tools"
        builder.problem("calls-misplaced", f"messages[{i}]: {what}; {elsewhere} left out", where, lost=elsewhere)
    if text is None:
        text = _said_otherwise(m)
    timestamp = m.get("timestamp", m.get("created_at"))
    builder.message(
        role,
        text,
        index=i,
        calls=calls,
        source=where,
        agent=m["name"] if role == "assistant" and isinstance(m.get("name"), str) else None,
        timestamp=None if timestamp is None or not isinstance(timestamp, SCALARS) else str(timestamp),
        captured=text is not None or bool(calls),
    )


def _said_otherwise(m: Mapping[str, Any]) -> str | None:
    """The text of a message without content: a refusal, or what was spoken."""
    refusal, audio = m.get("refusal"), m.get("audio")
    if refusal is None and audio is None:
        return None
    if isinstance(refusal, str):
        return refusal
    transcript = audio.get("transcript") if isinstance(audio, OBJECTS) else None
    return transcript if isinstance(transcript, str) else None


def _openai_calls(builder: TraceBuilder, m: Mapping[str, Any], i: int, where: Source) -> Sequence[DraftCall]:
    listed = m.get("tool_calls")
    if listed is None and isinstance(m.get("function_call"), OBJECTS):
        listed = [{"function": m["function_call"]}]
    if listed is None:
        return []
    if not _is_list(listed):
        builder.problem(
            "calls-not-a-list", f"messages[{i}].tool_calls must be a list, got {shape_of(listed)}", where, lost=1
        )
        return []
    calls = []
    for n, c in enumerate(listed):
        place = below(where, f"/tool_calls/{n}")
        body = _call_body(c) if isinstance(c, OBJECTS) else {}
        name = body.get("name")
        if not isinstance(name, str) or not name:
            builder.problem("call-unreadable", f"messages[{i}].tool_calls[{n}] names no tool", place, lost=1)
            continue
        arguments = body["arguments"] if "arguments" in body else body.get("input", body.get("args", MISSING))
        if body is c.get("custom") and isinstance(arguments, str):
            arguments = {"input": arguments}  # a custom tool takes free text, which is not JSON and need not be
        calls.append(DraftCall(name, arguments, id_of(c.get("id")), place))
    return calls


def _call_body(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of a call that names the tool: below `function` or `custom`, else the call itself."""
    for key in ("function", "custom"):
        if isinstance(body := call.get(key), OBJECTS):
            return body
    return call


def add_anthropic(
    builder: TraceBuilder,
    messages: object,
    source: Source,
    *,
    system: object = None,
    pointer: str = "/messages",
    first: int = 0,
    alone: bool = False,
) -> None:
    """Add Anthropic messages; a system prompt comes first and has no place in the list (index -1).

    `pointer`, `first` and `alone` are as for `add_openai`.
    """
    if system is not None and (text := text_of(system)) is not None:
        builder.message("system", text, index=-1, source=below(source, "/system"))
    for i, m, where in _readable(builder, messages, source, pointer, first, alone=alone):
        role = _role_of(m)
        if role is None or role == "tool":
            _unknown_role(builder, m, i, where)
        else:
            _anthropic_message(builder, m, role, i, where)


def _anthropic_message(builder: TraceBuilder, m: Mapping[str, Any], role: Role, i: int, where: Source) -> None:
    content = m.get("content")
    blocks = content if _is_list(content) else None
    if blocks is None:
        text = text_of(content)
        builder.message(role, text, index=i, source=where, captured=text is not None)
        return
    texts: list[object] = []
    calls: list[DraftCall] = []
    results: list[tuple[Mapping[str, Any], Source]] = []
    for n, block in enumerate(blocks):
        place = below(where, f"/content/{n}")
        kind = word_in(block, "type") if isinstance(block, OBJECTS) else "text"
        if isinstance(block, OBJECTS) and kind.endswith("tool_use"):
            if not isinstance(block.get("name"), str) or not block["name"]:
                builder.problem("call-unreadable", f"messages[{i}].content[{n}] names no tool", place, lost=1)
                continue
            calls.append(DraftCall(block["name"], block.get("input", MISSING), id_of(block.get("id")), place))
        elif isinstance(block, OBJECTS) and kind.endswith("tool_result"):
            results.append((block, place))
        elif not kind.endswith("thinking"):
            texts.append(block)
    text = text_of(texts)
    if role == "assistant":
        # Server tools answer inside the same message; their results follow the calls they belong to.
        builder.message(role, text, index=i, calls=calls, source=where, captured=bool(text or calls or results))
    elif calls:
        message = f"messages[{i}]: a message of role {role} cannot call tools; {len(calls)} left out"
        builder.problem("calls-misplaced", message, where, lost=len(calls))
    for block, place in results:
        _anthropic_result(builder, block, i, place)
    if role != "assistant" and (text is not None or not results):
        builder.message(role, text, index=i, source=where, captured=text is not None)


def _anthropic_result(builder: TraceBuilder, block: Mapping[str, Any], i: int, place: Source) -> None:
    content = block.get("content")
    flagged = block.get("is_error")
    if isinstance(content, OBJECTS) and word_in(content, "type").endswith("error"):
        flagged = True
    builder.result(
        # `content` may be left out by design: the tool said nothing.
        result_text(content) if "content" in block else "",
        index=i,
        call_id=id_of(block.get("tool_use_id")),
        flagged=flagged if isinstance(flagged, bool) else None,
        source=place,
    )


def shape_of(value: object) -> str:
    """Name what stands where something else was wanted, for messages to users."""
    if value is None:
        return "null"
    return {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}.get(type(value), "a number")
