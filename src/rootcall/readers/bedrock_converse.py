"""Bedrock Converse: requests with `messages` and `toolConfig`, responses, invocation logs, bare lists, saved streams.

Content blocks have no type: the key tells (`text`, `toolUse`, `toolResult`). Owns how such values are recognised and cut
into traces, and what the blocks mean; `rootcall.readers.bedrock_events` puts streamed responses together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import as_json, below, count_calls, id_of, shape_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.bedrock_events import is_event, streamed
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.trace import Role, Source, Trace

__all__ = ["READER"]

_PARTS: Final = frozenset(
    {"text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint",
     "reasoningContent", "citationsContent", "searchResult"}
)  # fmt: skip
_REQUESTS: Final = ("request", "body", "input", "inputBodyJson")
_RESPONSES: Final = ("response", "output", "outputBodyJson", "body")
_KEYS: Final = frozenset({"toolConfig", "inferenceConfig", "guardrailConfig", "additionalModelRequestFields"})
_USED: Final = frozenset({"messages", "system", "toolConfig", "output", "input", "request", "response", "body"})


class _Row(NamedTuple):
    """Request and answer of one value with their pointers; the answer is one message."""

    request: Mapping[str, Any]
    asked: str
    answer: Mapping[str, Any] | None
    answered: str
    response: Mapping[str, Any]


def _is_block(part: object) -> bool:
    """Tell whether a content block is Bedrock's: no type, and a key that names it."""
    return isinstance(part, Mapping) and "type" not in part and any(k in _PARTS for k in part)


def _is_message(value: object) -> bool:
    """Tell whether a value is a message of blocks, so that an array of them is one conversation."""
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return False
    content = value.get("content")
    return isinstance(content, list) and bool(content) and any(map(_is_block, content))


def _is_request(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
        return False
    config = value.get("toolConfig")
    return any(map(_is_message, value["messages"])) or (isinstance(config, Mapping) and "tools" in config)


def _answer_of(value: object) -> tuple[Mapping[str, Any], str] | None:
    """The message of a response, with its pointer."""
    output = value.get("output") if isinstance(value, Mapping) else None
    message = output.get("message") if isinstance(output, Mapping) else None
    return (message, "/output/message") if _is_message(message) and isinstance(message, Mapping) else None


def _parse(value: object) -> _Row | None:
    """Find request and response in a value, None when neither is there."""
    if not isinstance(value, Mapping):
        return None
    request: Mapping[str, Any] = {}
    asked = ""
    for pointer, inner in _within(value, _REQUESTS):
        if _is_request(inner):
            request, asked = inner, pointer
            break
    for pointer, inner in _within(value, _RESPONSES):
        found = _answer_of(inner)
        if found is not None:
            return _Row(request, asked, found[0], pointer + found[1], inner)
    return _Row(request, asked, None, "", {}) if request else None


def _within(value: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The value itself, what stands under the names, and under them once more, as in invocation logs."""
    yield "", value
    for name in names:
        inner = value.get(name)
        if isinstance(inner, Mapping):
            yield f"/{name}", inner
            yield from ((f"/{name}/{n}", inner[n]) for n in names if isinstance(inner.get(n), Mapping))


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        messages = [v for v in value if isinstance(v, Mapping) and isinstance(v.get("role"), str)]
        return 0.95 if any(map(_is_message, messages)) else 0.0
    row = _parse(value)
    if row is None:
        return 0.0
    marked = row.answer is not None or not _KEYS.isdisjoint(row.request)
    return 1.0 if marked else 0.95


def _is_stream(head: Head) -> bool:
    """Tell whether a file holds the events of a streamed response, most of its lines at least."""
    events = [v for v in head.values if is_event(v)]
    told = any(next(iter(v)).startswith(("contentBlock", "messageSt")) for v in events)
    return told and 2 * len(events) >= len(head.values)


def _detect(head: Head) -> float:
    if _is_stream(head):
        return 1.0
    if head.container == "array" and head.values and _is_message(head.values[0]):
        return 0.95
    return share(head, _confidence)


def _build(stream: Stream, record: Record) -> Trace:
    value, source = record
    if isinstance(value, list):
        if not any(map(_is_message, value)):
            raise UnknownShape("holds no Bedrock messages; it is left out")
        return _finish(
            stream, record, Row((), None, None, {}), [(v, below(source, f"/{i}")) for i, v in enumerate(value)]
        )
    row = _parse(value)
    if row is None:
        raise UnknownShape("holds no Bedrock messages; it is left out")
    place = below(source, f"{row.asked}/messages")
    listed = row.request.get("messages")
    messages = [(v, below(place, f"/{i}")) for i, v in enumerate(listed if isinstance(listed, list) else ())]
    if row.answer is not None:
        messages.append((row.answer, below(source, row.answered)))
    rest = {k: v for k, v in {**value, **row.response, **row.request}.items() if k not in _USED}
    if isinstance(value.get("requestId"), str):
        rest["id"] = value["requestId"]
    system = (row.request["system"], below(source, f"{row.asked}/system")) if row.request.get("system") else None
    return _finish(stream, record, Row((), _tools(row.request, value), None, rest), messages, system)


def _tools(*places: Mapping[str, Any]) -> Any:
    """The tool specs; cache points among them are none, and system tools are known by their name."""
    for place in places:
        config = place.get("toolConfig")
        listed = config.get("tools") if isinstance(config, Mapping) else None
        if isinstance(listed, list):
            return [t.get("systemTool", t) if isinstance(t, Mapping) else t
                    for t in listed if not (isinstance(t, Mapping) and "cachePoint" in t)]  # fmt: skip
    # Converse needs the specs in every request that offers tools or holds calls.
    asked = next((p for p in places if isinstance(p.get("messages"), list)), None)
    return [] if asked is not None and not _KEYS.isdisjoint(asked) else None


def _finish(
    stream: Stream,
    record: Record,
    row: Row,
    messages: list[tuple[Any, Source]],
    system: tuple[Any, Source] | None = None,
) -> Trace:
    builder = start_trace(stream, row, record.source, "bedrock-converse")
    if system is not None and (text := _text(system[0])) is not None:
        builder.message("system", text, index=-1, source=system[1])
    for i, (m, where) in enumerate(messages):
        _add_message(builder, m, i, where)
    return builder.build()


def _text(blocks: object) -> str | None:
    """The texts of blocks joined by line breaks; None when there is none. Thoughts, images and files are left out."""
    if isinstance(blocks, str):
        return blocks
    texts = []
    for b in blocks if isinstance(blocks, list) else ():
        if not isinstance(b, Mapping):
            continue
        for key in ("text", "guardContent", "citationsContent"):
            inner = b.get(key)
            if isinstance(inner, str):
                texts.append(inner)
            elif isinstance(inner, Mapping):
                said = inner.get("text", inner.get("content"))
                found = word_in(said, "text") if isinstance(said, Mapping) else _text(said)
                texts += [found] if found else []
    return "\n".join(texts) if texts else None


def _add_message(builder: TraceBuilder, m: Any, i: int, where: Source) -> None:
    role = word_in(m, "role").lower() if isinstance(m, Mapping) else ""
    if role not in ("user", "assistant", "system"):
        what = f"has role {role[:60]!r}" if role else f"is {shape_of(m)} without a role"
        builder.problem("message-unreadable", f"messages[{i}] {what}; it is left out", where, lost=count_calls(m))
        return
    content = m.get("content")
    blocks = content if isinstance(content, list) else []
    calls: list[DraftCall] = []
    results: list[tuple[Mapping[str, Any], Source]] = []
    for n, block in enumerate(blocks):
        place = below(where, f"/content/{n}")
        use, told = (block.get("toolUse"), block.get("toolResult")) if isinstance(block, Mapping) else (None, None)
        if isinstance(use, Mapping):
            name = word_in(use, "name")
            if name and role == "assistant":
                calls.append(DraftCall(name, use.get("input", MISSING), id_of(use.get("toolUseId")), place))
            else:
                what = f"a message of role {role} cannot call tools" if name else "a call names no tool"
                builder.problem("call-unreadable", f"messages[{i}].content[{n}]: {what}", place, lost=1)
        elif use is not None:
            builder.problem("call-unreadable", f"messages[{i}].content[{n}]: toolUse is {shape_of(use)}", place, lost=1)
        elif isinstance(told, Mapping):
            results.append((told, place))
    text = _text(content)
    if role == "assistant":
        builder.message("assistant", text, index=i, calls=calls, source=where, captured=bool(text or calls or results))
    for told, place in results:
        _add_result(builder, told, i, place)
    if role != "assistant" and (text is not None or not results):
        said: Role = "user" if role == "user" else "system"
        builder.message(said, text, index=i, source=where, captured=text is not None)


def _add_result(builder: TraceBuilder, told: Mapping[str, Any], i: int, place: Source) -> None:
    """A result: `status` is `error`, `success`, or left out by models that know none."""
    status = word_in(told, "status")
    builder.result(
        _result_text(told.get("content")),
        index=i,
        call_id=id_of(told.get("toolUseId")),
        flagged={"error": True, "success": False}.get(status),
        evidence="status" if status == "error" else None,
        source=place,
    )


def _result_text(content: object) -> str | None:
    """The text of a result: one JSON block as its JSON, texts joined, and everything as it stands where they are mixed."""
    blocks = content if isinstance(content, list) else []
    if not isinstance(content, list):
        return None if content is None else content if isinstance(content, str) else as_json(content)
    if len(blocks) == 1 and isinstance(blocks[0], Mapping) and "json" in blocks[0]:
        return as_json(blocks[0]["json"])
    if all(isinstance(b, Mapping) and isinstance(b.get("text"), str) for b in blocks):
        return "\n".join(b["text"] for b in blocks)
    return as_json(blocks)


def _answered(stream: Stream) -> Iterator[Trace]:
    """A trace for each response that a stream holds."""
    for found in streamed(stream):
        builder = start_trace(stream, Row((), None, None, found.rest), found.source, "bedrock-converse")
        if found.lost or not found.whole:
            what = f"the stream does not hold the whole response; {found.lost} calls are not complete"
            builder.problem("stream-cut", what, found.source, lost=found.lost)
            builder.partial_calls()
        if found.message["content"] or found.whole:
            _add_message(builder, found.message, 0, found.source)
        yield builder.build()


def _read(stream: Stream) -> Iterator[Trace]:
    if _is_stream(stream.head):
        return _answered(stream)
    rows: Iterable[Record] = stream.rows(_is_message)
    return traces(stream, rows, lambda record: _build(stream, record))


READER = Reader(
    name="bedrock-converse",
    description="Bedrock Converse: requests with toolConfig, responses, invocation logs, lists of messages, streams",
    detect=_detect,
    read=_read,
    marks="content blocks without a type: text, toolUse, toolResult; toolConfig",
    lacks=("times",),
)
