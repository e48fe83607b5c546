"""The native trace line: OpenAI chat messages with an id, tools and metadata that has a meaning.

    {"id": "flight-42", "messages": […], "tools": […], "metadata": {"case_id": …, "trial": …, "reference_time": …}}

A superset of the OpenAI chat shape; `content: null` on a tool message says that the content was not captured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.readers.openai_chat import add_row, openai_row
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import family, is_message, parse_row, share, start_trace, traces
from rootcall.trace import Trace

__all__ = ["READER"]

_KEYS: Final = frozenset({"id", "messages", "tools", "metadata"})
_MEANT: Final = frozenset({"case_id", "trial", "reference_time", "reward"})


def _confidence(value: Any) -> float:
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
        return 0.0
    row = parse_row(value)
    if row is None or family(row) not in ("openai", "either"):
        return 0.0
    metadata = value.get("metadata")
    meant = isinstance(metadata, Mapping) and not _MEANT.isdisjoint(metadata)
    return 0.95 if meant or ("id" in value and set(value) <= _KEYS) else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _build(stream: Stream, record: Record) -> Trace:
    row = openai_row(record)
    builder = start_trace(stream, row, record.source, "native")
    add_row(builder, row, record.source)
    return builder.build()


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream.rows(is_message), lambda record: _build(stream, record))


READER = Reader(
    name="native",
    description="rootcall's own trace line: OpenAI chat messages with id, tools and metadata",
    detect=_detect,
    read=_read,
    marks="an object with messages and one of id, tools or metadata, a line each",
)
