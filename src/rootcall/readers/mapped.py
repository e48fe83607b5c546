"""Reading with a mapping: which records are one trace, and its elements in the order of their times or of the file.

What a mapping may say is `rootcall.readers.mapping`'s, what becomes of an element `rootcall.readers.mapping_writer`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from rootcall.conversation import count_calls
from rootcall.jsonvalue import MISSING
from rootcall.readers.mapping import MessageSource, Paths, TraceMapping
from rootcall.readers.mapping_writer import NO_TIME, Entry, Writer, first_found, scalar_at
from rootcall.readers.paths import Found, Path, Rows, Trail, Whole, elements, follow
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, start_trace, stem, trace_id, traces
from rootcall.readers.script import Script
from rootcall.readers.unknown import describe
from rootcall.trace import Problem, Source, Trace

__all__ = ["mapping_reader", "unfound"]

# These lead to the messages and the calls themselves.
_CARRYING: Final = frozenset({"from", "each", "calls"})
_HELD: Final = 1_000


def _entries(mapping: TraceMapping, top: Whole) -> list[Entry]:
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


def _elements_of(source: MessageSource, top: Whole) -> list[Entry]:
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


def _when(paths: Paths, element: Found | Whole, top: Whole) -> tuple[int, Any]:
    """A time that can be put in order: numbers first, then texts, elements without one last."""
    value = scalar_at(paths, element, top)
    if value is None or isinstance(value, bool):
        return NO_TIME
    return (1, value) if isinstance(value, str) else (0, value)


def _build(stream: Stream, mapping: TraceMapping, record: Record, trail: Trail) -> Trace:
    top = Whole(record.value, record.source, trail)
    entries = _entries(mapping, top)
    if not entries:
        raise UnknownShape(f"the mapping finds no message in it: {_missed(mapping, top)} in {_seen(record.value)}")
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


def _missed(mapping: TraceMapping, top: Whole) -> str:
    """Which paths lead to no element."""
    nothing, said = [], []
    for source in mapping.sources:
        found = first_found(source.elements, top, top)
        if not found:
            nothing.append(source.elements[0].text)
        elif not any(True for f in found for _ in elements(f)):
            said.append(f"{source.elements[0].text} leads to an empty list")
        elif source.each:
            said.append(
                f"{source.elements[0].text} leads to something, but in it each, {source.each[0].text}, to nothing"
            )
    return "; ".join([f"{', '.join(nothing)} lead to nothing"] * bool(nothing) + said)


def _named(mapping: TraceMapping, source: Source) -> str:
    """A name for a trace that has none: the file's, with the line and the place in it."""
    if mapping.whole:
        return stem(source.file)
    inner = source.pointer.rpartition("/")[2]
    return trace_id({}, Source(source.file, source.line)) + (f"-{inner}" if inner else "")


def _value(paths: Paths, top: Whole) -> Any:
    found = first_found(paths, top, top)
    return found[0].value if found else MISSING


def _seen(value: object) -> str:
    return describe(Head((value[0] if isinstance(value, Rows) and value else value,), "document", b"", ""))


def _records(stream: Stream, mapping: TraceMapping, trail: Trail) -> Iterator[Record]:
    """The traces of a file: its records, what the path to the traces leads to in them, or records gathered by group."""
    if not mapping.whole:
        for record in stream:
            top = Whole(record.value, record.source, trail)
            here = [Found(record.value, record.source)]
            found = [e for f in follow(mapping.trace, top, top) for e in elements(f)] if mapping.trace.steps else here
            if not found:
                what = f"{mapping.trace.text} leads to nothing in {_seen(record.value)}; it is left out"
                stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
            yield from (Record(f.value, f.source) for f in found)
        return
    groups: dict[Any, list[Found]] = {}
    for record in stream:
        top = Whole(record.value, record.source, trail)
        key = scalar_at(mapping.group, top, top)
        if mapping.group and key is None:
            what = f"{mapping.group[0].text} leads to nothing in {_seen(record.value)}; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
            continue
        groups.setdefault(key, []).append(Found(record.value, record.source))
    for key, rows in groups.items():
        yield Record(Rows(rows, key), rows[0].source)


def _read(stream: Stream, mapping: TraceMapping, trail: Trail) -> Iterator[Trace]:
    """Read a file. Traces wait, up to a bound, until it is known whether any call of their kind has arguments.

    A call without is one without arguments where others have some, and one whose arguments were not captured where none has.
    """
    arguments = [s.call.arguments for s in mapping.sources if s.call is not None]
    held: list[tuple[Record, Trace, int]] = []
    record = Record(None, Source(stream.name))

    def build(one: Record) -> Trace:
        nonlocal record
        record = one
        trail.traces += 1
        return _build(stream, mapping, one, trail)

    def known() -> int:
        return sum(map(trail.ever, arguments))

    def released() -> Iterator[Trace]:
        now = known()
        for one, built, then in held:
            yield built if then == now else _build(stream, mapping, one, trail)
        held.clear()

    before = known()
    for trace in traces(stream, _records(stream, mapping, trail), build):
        held.append((record, trace, before))
        before = known()
        if len(held) >= _HELD or not any(map(trail.in_vain, arguments)):
            yield from released()
    yield from released()


def unfound(mapping: TraceMapping, trail: Trail, file: str) -> Iterator[Problem]:
    """What is to be said of a mapping once everything was read: a problem for each place in it that led to nothing.

    Alternatives at one place are one; what an optional entry does not find is not told. `file` is the mapping's name.
    """
    places: dict[str, list[Path]] = {}
    for path in trail.asked.values():
        places.setdefault(path.place, []).append(path)
    optional = tuple(f"messages[{n}]." for n, s in enumerate(mapping.sources) if s.optional)
    for place, paths in places.items():
        if (
            not trail.traces
            or place in ("", "trace", "group")
            or place.startswith(optional)
            or not trail.in_vain(paths)
        ):
            continue
        named = ", ".join(p.text for p in paths)
        every = "the only record" if trail.traces == 1 else f"any of {trail.traces} records"
        what = f"{place}: {named} {'leads' if len(paths) == 1 else 'lead'} to nothing in {every}"
        carrying = place.rpartition(".")[2] in _CARRYING
        what += "; where that can be, optional: true in the entry says so" if carrying else ""
        yield Problem("mapping-path-lost" if carrying else "mapping-path-unused", what, Source(file))


def mapping_reader(mapping: TraceMapping, trail: Trail | None = None) -> Reader:
    """Return a reader that reads with a mapping. It is chosen by name only: nothing is told from content.

    `trail` learns which paths of the mapping led to something, over all files that are read (see `unfound`).
    """

    def read(stream: Stream) -> Iterator[Trace]:
        return _read(stream, mapping, Trail() if trail is None else trail)

    return Reader(
        name=mapping.name, description="a format of one's own, read with a mapping", detect=lambda _: 0.0, read=read
    )
