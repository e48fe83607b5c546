"""Reading with a mapping: which records are one trace, and its elements in the order of their times or of the file.

What a mapping may say is `rootcall.readers.mapping`'s, what becomes of an element `rootcall.readers.mapping_writer`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rootcall.conversation import count_calls
from rootcall.jsonvalue import MISSING
from rootcall.readers.mapping import MessageSource, Paths, TraceMapping
from rootcall.readers.mapping_writer import NO_TIME, Entry, Writer, first_found, scalar_at
from rootcall.readers.paths import Found, Rows, elements, follow
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, start_trace, stem, trace_id, traces
from rootcall.readers.script import Script
from rootcall.readers.unknown import describe
from rootcall.trace import Problem, Source, Trace

__all__ = ["mapping_reader"]


def _entries(mapping: TraceMapping, top: Found) -> list[Entry]:
    """All elements in their order: sources that have times and stand next to each other are put into the order of those."""
    out: list[Entry] = []
    timed: list[Entry] = []
    for source in mapping.sources:
        if source.unless and first_found(source.unless, top, top):
            continue
        found = _elements_of(source, top)
        if source.time:
            timed += found
            continue
        out += sorted(timed, key=lambda e: e.when)
        timed = []
        out += found
    return out + sorted(timed, key=lambda e: e.when)


def _elements_of(source: MessageSource, top: Found) -> list[Entry]:
    found = [e for f in first_found(source.elements, top, top) for e in elements(f)]
    listed = [Entry(source, e, _when(source.time, e, top)) for e in found]
    if source.take:
        listed = sorted(listed, key=lambda e: e.when)
        listed = listed[:1] if source.take == "first" else listed[-1:]
    if not source.each:
        return listed
    return [
        e._replace(element=i) for e in listed for f in first_found(source.each, e.element, top) for i in elements(f)
    ]


def _when(paths: Paths, element: Found, top: Found) -> tuple[int, Any]:
    """A time that can be put in order: numbers first, then texts, elements without one last."""
    value = scalar_at(paths, element, top)
    if value is None or isinstance(value, bool):
        return NO_TIME
    return (1, value) if isinstance(value, str) else (0, value)


def _build(stream: Stream, mapping: TraceMapping, record: Record) -> Trace:
    top = Found(record.value, record.source)
    entries = _entries(mapping, top)
    if not entries:
        paths = ", ".join(p.text for s in mapping.sources for p in s.elements[:1])
        raise UnknownShape(f"the mapping finds no message in it: {paths} lead to nothing in {_seen(record.value)}")
    metadata = {key: value for key, paths in mapping.metadata.items() if (value := _value(paths, top)) is not MISSING}
    offered = ([f for path in paths for f in first_found((path,), top, top)] for paths in mapping.tools)
    tools = [t for f in next(filter(None, offered), []) for t in (f.value if isinstance(f.value, list) else [f.value])]
    name = scalar_at(mapping.id, top, top)
    if name is None:
        name = getattr(record.value, "key", None)
    named = _named(mapping, record.source) if name is None else str(name)[:200]
    row = Row((), tools or None, None, metadata)
    builder = start_trace(stream, row, record.source, mapping.name, id=named)
    writer = Writer(Script(builder), top)
    for entry in entries:
        writer.take(entry)
    writer.flush()
    if not writer.heard:
        builder.partial_history()
    trace = builder.build()
    if trace.completeness.content == "full" or any(m.text for m in trace.messages):
        return trace
    what = (
        "no message has content: the texts the mapping names lead to nothing; was it exported with inputs and outputs?"
    )
    problem = Problem("content-not-captured", what, record.source)
    return msgspec.structs.replace(trace, problems=(*trace.problems, problem))


def _named(mapping: TraceMapping, source: Source) -> str:
    """A name for a trace that has none: the file's, with the line and the place in it."""
    if mapping.whole:
        return stem(source.file)
    inner = source.pointer.rpartition("/")[2]
    return trace_id({}, Source(source.file, source.line)) + (f"-{inner}" if inner else "")


def _value(paths: Paths, top: Found) -> Any:
    found = first_found(paths, top, top)
    return found[0].value if found else MISSING


def _seen(value: object) -> str:
    return describe(Head((value[0] if isinstance(value, Rows) and value else value,), "document", b"", ""))


def _records(stream: Stream, mapping: TraceMapping) -> Iterator[Record]:
    """The traces of a file: its records, what the path to the traces leads to in them, or records gathered by group."""
    if not mapping.whole:
        for record in stream:
            top = Found(record.value, record.source)
            found = [e for f in follow(mapping.trace, top, top) for e in elements(f)] if mapping.trace.steps else [top]
            if not found:
                what = f"{mapping.trace.text} leads to nothing in {_seen(record.value)}; it is left out"
                stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
            yield from (Record(f.value, f.source) for f in found)
        return
    groups: dict[Any, list[Found]] = {}
    for record in stream:
        found_ = Found(record.value, record.source)
        key = scalar_at(mapping.group, found_, found_)
        if mapping.group and key is None:
            what = f"{mapping.group[0].text} leads to nothing in {_seen(record.value)}; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
            continue
        groups.setdefault(key, []).append(found_)
    for key, rows in groups.items():
        yield Record(Rows(rows, key), rows[0].source)


def mapping_reader(mapping: TraceMapping) -> Reader:
    """Return a reader that reads with a mapping. It is chosen by name only: nothing is told from content."""

    def read(stream: Stream) -> Iterator[Trace]:
        return traces(stream, _records(stream, mapping), lambda record: _build(stream, mapping, record))

    return Reader(
        name=mapping.name, description="a format of one's own, read with a mapping", detect=lambda _: 0.0, read=read
    )
