"""OpenAI chat: rows with `messages` and `tools`, bare lists of messages, data set rows, requests and responses.

Owns how such rows are recognised and cut into traces; the messages themselves are read by `rootcall.conversation`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rootcall.assembly import TraceBuilder
from rootcall.conversation import add_openai, count_calls
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, family, is_message, parse_row, share, start_trace, traces
from rootcall.trace import Source, Trace

__all__ = ["READER", "add_row", "openai_row"]


def _confidence(value: Any) -> float:
    row = parse_row(value)
    whose = None if row is None else family(row)
    return {"openai": 0.9, "either": 0.5}.get(whose or "", 0.0)


def _detect(head: Head) -> float:
    return share(head, _confidence)


def openai_row(record: Record) -> Row:
    """Return the row of a record.

    Raises:
        UnknownShape: it holds no OpenAI conversation.
    """
    row = parse_row(record.value)
    if row is None:
        raise UnknownShape("holds no list of messages; it is left out")
    whose = family(row)
    if whose == "anthropic":
        raise UnknownShape("holds Anthropic messages among OpenAI ones; read it with the format anthropic-messages")
    if whose == "foreign":
        raise UnknownShape("holds messages of another format; it is left out")
    return row


def add_row(builder: TraceBuilder, row: Row, source: Source) -> None:
    """Add all messages of a row; choices after the first are named, since they are other answers to the same request."""
    at = 0
    for segment in row.segments:
        add_openai(builder, segment.messages, source, pointer=segment.pointer, first=at, alone=segment.alone)
        at += len(segment.messages)


def _build(stream: Stream, record: Record) -> Trace:
    row = openai_row(record)
    builder = start_trace(stream, row, record.source, "openai-chat")
    add_row(builder, row, record.source)
    spare = _spare_choices(record.value)
    if spare:
        message = f"{len(spare)} more choices answer the same request; the first one is read"
        builder.problem("choices-left-out", message, record.source, lost=count_calls(spare))
    return builder.build()


def _spare_choices(value: object) -> list[Any]:
    for name in ("response", "output", "body"):
        if isinstance(value, Mapping) and isinstance(value.get(name), Mapping) and "choices" not in value:
            value = value[name]
    choices = value.get("choices") if isinstance(value, Mapping) else None
    return choices[1:] if isinstance(choices, list) else []


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream.rows(is_message), lambda record: _build(stream, record))


READER = Reader(
    name="openai-chat",
    description="OpenAI chat messages: rows with messages and tools, bare lists, data set rows, requests and responses",
    detect=_detect,
    read=_read,
    marks="messages with role, and tool_calls or role tool",
    lacks=(
        "a flag for a tool error: only its text says so",
        "times",
    ),
)
