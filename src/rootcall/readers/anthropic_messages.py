"""Anthropic messages: requests with `system`, `messages` and `tools`, bare lists of messages, single responses.

Owns how such values are recognised and cut into traces; the blocks themselves are read by `rootcall.conversation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rootcall.conversation import add_anthropic
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import UnknownShape, family, is_message, parse_row, share, start_trace, traces
from rootcall.trace import Trace

__all__ = ["READER"]


def _confidence(value: Any) -> float:
    row = parse_row(value)
    whose = None if row is None else family(row)
    return {"anthropic": 0.9, "either": 0.4}.get(whose or "", 0.0)


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _build(stream: Stream, record: Record) -> Trace:
    row = parse_row(record.value)
    if row is None:
        raise UnknownShape("holds no list of messages; it is left out")
    whose = family(row)
    if whose == "openai":
        raise UnknownShape("holds OpenAI messages among Anthropic ones; read it with the format openai-chat")
    if whose == "foreign":
        raise UnknownShape("holds messages of another format; it is left out")
    builder = start_trace(stream, row, record.source, "anthropic-messages")
    at = 0
    for segment in row.segments:
        add_anthropic(
            builder,
            segment.messages,
            record.source,
            system=row.system if at == 0 else None,
            pointer=segment.pointer,
            first=at,
            alone=segment.alone,
        )
        at += len(segment.messages)
    return builder.build()


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream.rows(is_message), lambda record: _build(stream, record))


READER = Reader(
    name="anthropic-messages",
    description="Anthropic messages: requests with system, messages and tools, bare lists, single responses",
    detect=_detect,
    read=_read,
    marks="messages whose content has tool_use or tool_result blocks, or tools with input_schema",
    lacks=("times",),
)
