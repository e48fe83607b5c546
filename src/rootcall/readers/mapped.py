"""Reading with a mapping: elements become messages, calls and results, in the order of their times or of the file.

A call told twice, by the model's response and by the run of the tool, is one call. Owns the order of elements and which
of them belong to one model response; what a mapping may say is `rootcall.readers.mapping`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, cast

from rootcall.assembly import DraftCall
from rootcall.conversation import count_calls
from rootcall.jsonvalue import MISSING, equal
from rootcall.payload import decode_arguments
from rootcall.readers.mapping import CallFields, MessageSource, Paths, ResultFields, TraceMapping
from rootcall.readers.paths import Found, Path, Rows, elements, follow, same_word
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, start_trace, stem, trace_id, traces
from rootcall.readers.script import Script, id_of, role_of, said_in, stamp, value_text
from rootcall.readers.unknown import describe
from rootcall.trace import Role, Source, Trace

__all__ = ["mapping_reader"]

_NO_TIME: Final = (2, "")


class _Entry(NamedTuple):
    """One element with what is to be made of it, and when it was."""

    source: MessageSource
    element: Found
    when: tuple[int, Any]


class _Back(NamedTuple):
    """What came back from a call."""

    text: str | None
    failed: bool | None
    status: int | None
    source: Source


class _Asked:
    """A call that waits to be written down, with its result when that is known."""

    def __init__(self, draft: DraftCall, back: _Back | None, step: object) -> None:
        self.draft, self.back, self.step = draft, back, step

    def same(self, other: _Asked) -> bool:
        """Whether the other call is this one, told again by the run of the tool."""
        if self.back is not None or self.draft.tool != other.draft.tool:
            return False
        if self.draft.id is not None and other.draft.id is not None:
            return self.draft.id == other.draft.id
        mine, theirs = (decode_arguments(d.arguments)[0] for d in (self.draft, other.draft))
        return equal(mine, theirs)


class _Writer:
    """Writes a trace from entries. Calls collect in the response they belong to until the next message."""

    def __init__(self, script: Script, top: Found) -> None:
        self.script, self.top = script, top
        self.open: list[_Asked] | None = None
        self.said: str | None = None
        self.led = self.heard = False
        self.at = Source()
        self.agent: str | None = None
        self.time: str | None = None

    def take(self, entry: _Entry) -> None:
        """Take one entry."""
        source, element = entry.source, entry.element
        role = self._role(source, element)
        if source.role and role is None:
            return
        time = None if entry.when == _NO_TIME else stamp(entry.when[1])
        agent = _word(source.agent, element, self.top)
        if role in ("user", "system"):
            self.flush()
            self.heard = self.heard or role == "user"
            self.script.say(cast("Role", role), self._text(source.text, element), source=element.source, timestamp=time)
        elif role == "assistant":
            self.flush()
            self.open, self.led, self.at, self.agent, self.time = [], True, element.source, agent, time
            self.said = self._text(source.text, element) if source.text or not source.calls else None
            for found in _first(source.calls, element, self.top):
                for one in elements(found):
                    assert source.call is not None
                    self.call(source.call, one)
        elif role == "tool" and source.result is None:
            what = "a tool message, but the mapping has no result for it; it is left out"
            self.script.builder.problem("result-unmapped", what, element.source)
        elif role is None and source.call is not None:
            self.call(source.call, element, agent=agent, time=time)
        elif source.result is not None:
            self.result(source.result, element)

    def _role(self, source: MessageSource, element: Found) -> str | None:
        for given in source.role:
            if isinstance(given, str):
                return given
            for found in follow(given, element, self.top):
                if isinstance(found.value, str):
                    role = source.roles.get(found.value) or role_of({"role": found.value})
                    if role is None:
                        what = f"role {found.value[:40]!r} is none that is known; name it under roles"
                        lost = count_calls(element.value)
                        self.script.builder.problem("role-unknown", what, found.source, lost=lost)
                    return role
        if source.role:
            what = f"no role: {', '.join(p.text for p in source.role if isinstance(p, Path))} leads to nothing"
            self.script.builder.problem("role-missing", what, element.source, lost=count_calls(element.value))
        return None

    def _text(self, paths: Paths, element: Found) -> str | None:
        if not paths:
            return said_in(element.value)
        for path in paths:
            texts = [t for f in follow(path, element, self.top) if (t := said_in(f.value)) is not None]
            if texts:
                return "\n".join(texts)
        return None

    def call(self, fields: CallFields, element: Found, *, agent: str | None = None, time: str | None = None) -> None:
        """Take a call: its own, or another telling of one that the open response has already."""
        tool = _word(fields.tool, element, self.top)
        if not tool:
            what = f"a call names no tool: {', '.join(p.text for p in fields.tool)} leads to no text; it is left out"
            self.script.builder.problem("call-unreadable", what, element.source, lost=1)
            return
        prefix = next((w for w in fields.without if w and tool.startswith(w)), "")
        draft = DraftCall(
            tool.removeprefix(prefix) or tool,
            next((f.value for f in _first(fields.arguments, element, self.top)), MISSING),
            _id(fields.id, element, self.top),
            element.source,
            agent=_word(fields.agent, element, self.top) or agent,
            denied=_holds(fields.denied, element, self.top),
        )
        asked = _Asked(draft, self._back(fields, element), _scalar(fields.step, element, self.top))
        if self.open is not None:
            told = next((a for a in self.open if a.same(asked)), None)
            if told is not None and asked.back is not None:
                told.back, told.draft.denied = asked.back, told.draft.denied or draft.denied
                return
            last = self.open[-1].step if self.open else None
            if not self.led and (asked.step is None or asked.step != last):
                self.flush()
        if self.open is None:
            self.open, self.led, self.said = [], False, None
            self.at, self.agent, self.time = element.source, agent, time
        self.open.append(asked)

    def _back(self, fields: CallFields | ResultFields, element: Found) -> _Back | None:
        """The result that stands with a call, or that an element is; None when there is none."""
        paths = fields.result if isinstance(fields, CallFields) else fields.text
        found = _first(paths, element, self.top)
        # Null in the place of a result says that there was one, whose content is not there.
        found = found or [f for path in paths for f in follow(path, element, self.top)]
        failed = _holds(fields.failed, element, self.top)
        error = self._text(fields.error, element) if fields.error else None
        failed = failed or bool(error and not fields.failed)
        number = _scalar(fields.status, element, self.top)
        status = number if isinstance(number, int) and not isinstance(number, bool) else None
        if not found and not failed and status is None:
            return None
        text = next((value_text(f.value) for f in found if f.value is not None), error if failed else None)
        place = next((f.source for f in found), element.source)
        return _Back(text, True if failed else None, status, place)

    def result(self, fields: ResultFields, element: Found) -> None:
        """Take a result that stands apart from its call."""
        back = self._back(fields, element) or _Back(None, None, None, element.source)
        call_id, tool = _id(fields.id, element, self.top), _word(fields.tool, element, self.top)
        self.flush()
        self._answer(back, call_id, tool)

    def _answer(self, back: _Back, call_id: str | None, tool: str | None) -> None:
        self.script.answer(
            back.text, call_id=call_id, tool=tool, flagged=back.failed, status=back.status, source=back.source
        )

    def flush(self) -> None:
        """Write down the open response."""
        asked, self.open = self.open, None
        if asked is None:
            return
        calls = [a.draft for a in asked]
        self.script.say("assistant", self.said, calls, source=self.at, agent=self.agent, timestamp=self.time)
        for n, a in enumerate(asked):
            if a.back is not None:
                # A call without an id is told from the others by one of our own, which does not stay.
                own, a.draft.id = a.draft.id, a.draft.id or f"#{self.script.next}.{n}"
                self._answer(a.back, a.draft.id, None)
                a.draft.id = own


def _first(paths: Paths, element: Found, top: Found) -> list[Found]:
    """What the first path that leads to something leads to; null is nothing."""
    for path in paths:
        found = [f for f in follow(path, element, top) if f.value is not None]
        if found:
            return found
    return []


def _scalar(paths: Paths, element: Found, top: Found) -> Any:
    """The first single value."""
    found = (f.value for path in paths for f in follow(path, element, top))
    return next((v for v in found if isinstance(v, str | int | float)), None)


def _word(paths: Paths, element: Found, top: Found) -> str | None:
    value = _scalar(paths, element, top)
    return value if isinstance(value, str) and value else None


def _id(paths: Paths, element: Found, top: Found) -> str | None:
    return id_of(_scalar(paths, element, top))


def _holds(conditions: Iterable[tuple[Path, tuple[str, ...]]], element: Found, top: Found) -> bool:
    return any(same_word(f.value, w) for path, words in conditions for f in follow(path, element, top) for w in words)


def _entries(mapping: TraceMapping, top: Found) -> list[_Entry]:
    """All elements in their order: sources that have times and stand next to each other are put into the order of those."""
    out: list[_Entry] = []
    timed: list[_Entry] = []
    for source in mapping.sources:
        if source.unless and _first(source.unless, top, top):
            continue
        found = _elements_of(source, top)
        if source.time:
            timed += found
            continue
        out += sorted(timed, key=lambda e: e.when)
        timed = []
        out += found
    return out + sorted(timed, key=lambda e: e.when)


def _elements_of(source: MessageSource, top: Found) -> list[_Entry]:
    found = [e for f in _first(source.elements, top, top) for e in elements(f)]
    listed = [_Entry(source, e, _when(source.time, e, top)) for e in found]
    if source.take:
        listed = sorted(listed, key=lambda e: e.when)
        listed = listed[:1] if source.take == "first" else listed[-1:]
    if not source.each:
        return listed
    return [e._replace(element=i) for e in listed for f in _first(source.each, e.element, top) for i in elements(f)]


def _when(paths: Paths, element: Found, top: Found) -> tuple[int, Any]:
    """A time that can be put in order: numbers first, then texts, elements without one last."""
    value = _scalar(paths, element, top)
    if value is None or isinstance(value, bool):
        return _NO_TIME
    return (1, value) if isinstance(value, str) else (0, value)


def _build(stream: Stream, mapping: TraceMapping, record: Record) -> Trace:
    top = Found(record.value, record.source)
    entries = _entries(mapping, top)
    if not entries:
        paths = ", ".join(p.text for s in mapping.sources for p in s.elements[:1])
        raise UnknownShape(f"the mapping finds no message in it: {paths} lead to nothing in {_seen(record.value)}")
    metadata = {key: value for key, paths in mapping.metadata.items() if (value := _value(paths, top)) is not MISSING}
    tools = [t for f in _first(mapping.tools, top, top) for t in (f.value if isinstance(f.value, list) else [f.value])]
    name = _scalar(mapping.id, top, top)
    if name is None:
        name = getattr(record.value, "key", None)
    named = _named(mapping, record.source) if name is None else str(name)[:200]
    row = Row((), tools or None, None, metadata)
    builder = start_trace(stream, row, record.source, mapping.name, id=named)
    writer = _Writer(Script(builder), top)
    for entry in entries:
        writer.take(entry)
    writer.flush()
    if not writer.heard:
        builder.partial_history()
    return builder.build()


def _named(mapping: TraceMapping, source: Source) -> str:
    """A name for a trace that has none: the file's, with the line and the place in it."""
    if mapping.whole:
        return stem(source.file)
    inner = source.pointer.rpartition("/")[2]
    return trace_id({}, Source(source.file, source.line)) + (f"-{inner}" if inner else "")


def _value(paths: Paths, top: Found) -> Any:
    found = _first(paths, top, top)
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
        key = _scalar(mapping.group, found_, found_)
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
