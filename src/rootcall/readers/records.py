"""From lines to JSON records: JSON or JSON Lines, arrays, concatenated values, the data of server-sent events.

A `Stream` is one file as a reader meets it. It knows how its values are contained, shows the first few of them for
detection, and yields `Record`s. A value that cannot be decoded, or that is no JSON (NaN, Infinity), becomes one
`Problem` and the rest is read. What the values mean belongs to the readers.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from rootcall.payload import lone_surrogates, too_long, without_lone_surrogates
from rootcall.readers.content import Damaged, Line, count_call_marks, split_lines
from rootcall.readers.cut import whole_part
from rootcall.readers.protobuf import looks_like_otlp
from rootcall.trace import Problem, Source, Tool

__all__ = ["Container", "Head", "Limits", "Record", "Stream"]

Container = Literal["lines", "document", "array", "binary", "empty"]
"""How values are contained: one a line, one or more over several lines, the elements of one array, or not as text."""

_SAMPLE_LINES: Final = 32
_SAMPLE_BYTES: Final = 1 << 20
_HEAD_VALUES: Final = 8
_BLANK = re.compile(r"[ \t\r\n]*")
_EVENT_FIELD = re.compile(rb"\s*(?:(?:data|event|id|retry):|:)")
_BINARY: Final = (b"PK\x03\x04", b"PAR1", b"SQLite format 3\0", b"%PDF", b"\x89PNG", b"ARROW1", b"BZh9", b"\xfd7zXZ")


class Limits(msgspec.Struct, frozen=True):
    """Caps in bytes, after decompression: one line of JSON Lines, and one JSON document over several lines."""

    line: int = 64 << 20
    document: int = 512 << 20


class Head(NamedTuple):
    """What a reader may look at to recognise its format.

    `values` are the first decoded records (up to eight; the elements, when the file is one array), `start` the first
    bytes after decompression, `file` the path or `<stdin>`.
    """

    values: tuple[Any, ...]
    container: Container
    start: bytes
    file: str


class Record(NamedTuple):
    """One decoded value and where it stands."""

    value: Any
    source: Source


class _Fault(Exception):  # noqa: N818 -- becomes a Problem
    """A text that is no JSON. `end` is where the next value can begin, None when that cannot be told; `at` where it broke."""

    def __init__(self, code: str, message: str, end: int | None = None, at: int = 0) -> None:
        super().__init__(message)
        self.code, self.end, self.at = code, end, at


class _Decoder:
    """Decodes one value after the other, and knows what Python's decoder would pass over."""

    def __init__(self) -> None:
        self._twice: list[str] = []
        self._unheard: list[str] = []
        self._json = json.JSONDecoder(
            object_pairs_hook=self._pairs, parse_constant=self._constant, parse_float=self._float
        )

    def at(self, text: str, start: int) -> tuple[Any, int, list[str]]:
        """Return the value that begins at `start`, where it ends, and the keys that stand twice in one object."""
        self._twice, self._unheard = [], []
        try:
            value, end = self._json.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise _Fault("not-json", _placed(error), at=error.pos) from None
        except RecursionError:
            raise _Fault("nested-too-deeply", "nested too deeply to be read") from None
        except ValueError as error:
            unread = too_long(error)
            raise _Fault("not-json", f"cannot be read: {unread}" if unread else f"not JSON: {error}") from None
        if self._unheard:
            raise _Fault("not-a-number", f"{self._unheard[0]} is no JSON number; null or a text says it", end)
        return value, end, self._twice

    def _pairs(self, items: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(items)
        if len(out) != len(items):
            seen: set[str] = set()
            self._twice += [k for k, _ in items if k in seen or seen.add(k)]  # type: ignore[func-returns-value]
        return out

    def _constant(self, name: str) -> None:
        self._unheard.append(name)

    def _float(self, text: str) -> float:
        value = float(text)
        if math.isinf(value):
            self._unheard.append(text[:40])
        return value


def _placed(error: json.JSONDecodeError) -> str:
    place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
    return f"not JSON: {error.msg.removesuffix(' at')} at {place}"


class Stream:
    """One file as a reader meets it; iterating yields its records once.

    `tools` are specs from a side file (None when there is none), for traces that declare none themselves. `foreign` are the
    lines that the reader took for those of another format; who reads the stream tells of them.
    """

    def __init__(
        self,
        chunks: Iterable[bytes],
        name: str,
        *,
        path: Path | None = None,
        limits: Limits | None = None,
        tools: tuple[Tool, ...] | None = None,
        report: Callable[[Problem], None] = lambda _: None,
    ) -> None:
        self.path, self.name, self.tools = path, name, tools
        self._limits, self._report = limits or Limits(), report
        self._decoder = _Decoder()
        self.foreign: list[Record] = []
        self._damage: Damaged | None = None
        self._damage_told = False
        self._start = self._last = b""
        self._lines = self._guarded(split_lines(self._noting_start(chunks), self._limits.line))
        self._sample, self._complete = self._take_sample()
        self._text: str | None = None
        self._events = False
        self._items: Iterator[Record | Problem] = iter(())
        self._container = self._find_container()
        self._seen: deque[Record | Problem] = deque()
        self.head = Head(tuple(self._first_values()), self._container, self._start, name)

    def set_aside(self, code: str, message: str, source: Source | None = None, *, lost: int = 0) -> None:
        """Report a record that is left out. `lost` counts the calls that are gone with it."""
        self._report(Problem(code, message, source or Source(self.name), lost))

    def pass_over(self, value: object, source: Source) -> None:
        """Take a line for one of another format, as a file holds that was put together of two (see `foreign`)."""
        self.foreign.append(Record(value, source))

    def __iter__(self) -> Iterator[Record]:
        for item in self._all():
            if isinstance(item, Problem):
                self._report(item)
            else:
                yield item

    def content(self) -> Iterator[bytes]:
        """Yield the bytes of a file that is no text, once. It is read in lines, as a text would be, and put together again.

        A stretch without a line feed that is longer than the cap on lines is left out, and named.
        """
        first = True
        lines, self._sample = chain(self._sample, self._lines), []
        for line in lines:
            if line.data is None:
                cap = self._limits.line >> 20
                self._report(Problem("too-large", f"a message is larger than the cap of {cap} MB", Source(self.name)))
                return
            yield line.data if first else b"\n" + line.data
            first = False
        if self._last == b"\n":
            yield b"\n"
        if self._damage is not None:
            self._damage_told = True
            self._report(Problem(self._damage.code, str(self._damage), Source(self.name)))

    def rows(self, is_part: Callable[[Any], bool]) -> Iterator[Record]:
        """Yield the records; an array of parts of one trace (its messages, say) is one record, not many."""
        if self._container == "array" and self.head.values and is_part(self.head.values[0]):
            self._seen.clear()
            self._items = self._values(self._text or "", split=False)
        return iter(self)

    def _all(self) -> Iterator[Record | Problem]:
        while self._seen:
            yield self._seen.popleft()
        yield from self._items
        if self._damage is not None and not self._damage_told:
            self._damage_told = True
            yield Problem(self._damage.code, str(self._damage), Source(self.name))

    def _noting_start(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            if len(self._start) < 4096:
                self._start += chunk[:4096]
            self._last = chunk[-1:] or self._last
            yield chunk

    def _guarded(self, lines: Iterator[Line]) -> Iterator[Line]:
        try:
            yield from lines
        except Damaged as error:
            self._damage = error

    def _take_sample(self) -> tuple[list[Line], bool]:
        sample: list[Line] = []
        size = 0
        for line in self._lines:
            sample.append(line)
            size += line.length
            written = sum(1 for x in sample if x.data is None or x.data.strip())
            if written >= _SAMPLE_LINES or (size >= _SAMPLE_BYTES and written > 1):
                return sample, False
        return sample, True

    def _find_container(self) -> Container:
        """Tell JSON Lines from JSON documents by content, from the first lines only."""
        if self._start.startswith(_BINARY) or looks_like_otlp(self._start):
            return "binary"
        written = [x for x in self._sample if x.data is None or x.data.strip()]
        if not written:
            return "empty"
        first = written[0].data
        self._events = first is not None and _EVENT_FIELD.match(first) is not None
        if first is None or not self._is_document(first, written[1:]):
            self._items = self._from_lines()
            return "lines"
        self._text = self._whole_text()
        if self._text is None:
            return "document"
        start = _skip(self._text, 0)
        array = self._text[start : start + 1] == "["
        self._items = self._values(self._text, split=array)
        return "array" if array else "document"

    def _is_document(self, first: bytes, others: list[Line]) -> bool:
        if _decodes(first):
            return self._complete and not others
        if first.lstrip()[:1] not in (b"[", b"{"):
            return False
        # A value over several lines goes on where the sample ends; a broken line of JSON Lines breaks before that.
        text = b"\n".join(x.data or b"" for x in [Line(0, first.lstrip(), 0), *others]).decode("utf-8", "replace")
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except json.JSONDecodeError as error:
            last = error.lineno > len(others)
            rows = any(x.data is not None and x.data[:1] == b"{" and _decodes(x.data) for x in others)
            return not rows or (last and not self._complete)
        except (RecursionError, ValueError):
            return True
        # Several values on the first line: so they may stand on the others.
        return not others or "\n" in text[:end]

    def _whole_text(self) -> str | None:
        """Join the lines of a document. None when that cannot be; a problem then waits among the items."""
        parts: list[bytes] = []
        size = 0
        for line in chain(self._sample, self._lines):
            size += line.length + 1
            if line.data is None or size > self._limits.document:
                cap = self._limits.line if line.data is None else self._limits.document
                message = f"the JSON document is larger than {cap >> 20} MB; write one trace a line"
                lost = sum(map(count_call_marks, parts))
                self._items = iter([Problem("too-large", message, Source(self.name), lost)])
                return None
            parts.append(line.data)
        data = b"\n".join(parts)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if self._damage is not None and error.start >= len(data) - 3:
                return data[: error.start].decode()  # cut in the middle of a character
            self._items = iter(
                [Problem("not-utf-8", _not_utf8(data, error), Source(self.name), count_call_marks(data))]
            )
            return None

    def _first_values(self) -> Iterator[Any]:
        found = 0
        for item in self._items:
            self._seen.append(item)
            if isinstance(item, Record):
                found += 1
                yield item.value
            if found == _HEAD_VALUES:
                return

    def _from_lines(self) -> Iterator[Record | Problem]:
        lines = chain(self._sample, self._lines)
        self._sample = []
        for line in lines:
            where = Source(self.name, line.number)
            if line.data is None:
                cap = self._limits.line >> 20
                message = f"the line has {line.length:,} bytes, more than the cap of {cap} MB; it is left out"
                yield Problem("line-too-long", message, where, line.calls)
                continue
            data = line.data.strip(b" \t\r\n")
            if self._events:
                data = _event_data(data)
            if not data:
                continue
            try:
                text = data.decode()
            except UnicodeDecodeError as error:
                yield self._faulty(_Fault("not-utf-8", _not_utf8(data, error)), line.damage, where, data)
                continue
            yield from self._values(text, split=False, line=line)

    def _faulty(self, fault: _Fault, damage: Damaged | None, where: Source, data: bytes) -> Problem:
        """The problem of a value that cannot be decoded; where the content broke off in it, that is the reason."""
        code, message = fault.code, str(fault)
        if damage is not None and fault.end is None:
            code, message, self._damage_told = damage.code, f"{damage}; {message}", True
        lost = count_call_marks(data)
        if lost:
            message += f"; {'a call is' if lost == 1 else f'{lost} calls are'} lost with it, or more"
        return Problem(code, message, where, lost)

    def _values(self, text: str, *, split: bool, line: Line | None = None) -> Iterator[Record | Problem]:
        """Yield the values of a text, one after the other; of one array, when `split`, its elements."""
        damage = self._damage if line is None else line.damage
        number = None if line is None else line.number
        at = _skip(text, 0)
        pointer, index = "", 0
        if split:
            at, pointer = _skip(text, at + 1), "/0"
            if text[at : at + 1] == "]":
                yield from self._after_array(text, at, Source(self.name))
                return
        many = False
        while at < len(text):
            if many and line is None and not split:
                number = text.count("\n", 0, at) + 1
            many = True
            where = Source(self.name, number, pointer)
            try:
                value, end, twice = self._decoder.at(text, at)
            except _Fault as fault:
                if not split and line is None and fault.code == "not-json":
                    # Documents begin at the start of a line, what is inside them is indented.
                    following = text.find("\n{", max(fault.at, at + 1))
                    fault.end = following if following >= 0 else None
                data = text[at : fault.end].encode("utf-8", "replace")
                problem = self._faulty(fault, damage, where, data)
                part = None if split or fault.code != "not-json" or fault.end is not None else whole_part(text[at:])
                if part is not None:
                    message = f"{problem.message}; the spans before are kept"
                    yield Problem(problem.code, message, problem.source, part.lost)
                    yield Record(part.value, where)
                    return
                yield problem
                if fault.end is None:
                    return
                end = fault.end
            else:
                yield from self._record(value, where, twice=twice, halves=lone_surrogates(text, at, end))
            at = _skip(text, end)
            if split:
                if text[at : at + 1] != ",":
                    yield from self._after_array(text, at, where)
                    return
                index += 1
                at, pointer = _skip(text, at + 1), f"/{index}"

    def _record(self, value: Any, where: Source, *, twice: list[str], halves: bool) -> Iterator[Record | Problem]:
        if twice:
            named = ", ".join(map(repr, dict.fromkeys(k[:60] for k in twice)))
            yield Problem("duplicate-keys", f"{named} stands twice in one object; the last one counts", where)
        if halves:
            yield Problem("lone-surrogate", "half of a character (a lone surrogate) is replaced by U+FFFD", where)
            value = without_lone_surrogates(value)
        yield Record(value, where)

    def _after_array(self, text: str, at: int, where: Source) -> Iterator[Problem]:
        rest = _skip(text, at + 1)
        if text[at : at + 1] == "]" and rest >= len(text):
            return
        what = "not JSON: the array breaks off here"
        if text[at : at + 1] == "]":
            what = "not JSON: something follows the array"
        elif self._damage is not None:
            return  # the damage is reported, and is the reason
        lost = count_call_marks(text[at:].encode("utf-8", "replace"))
        yield Problem("not-json", f"{what}; the values before are kept", where, lost)


def _event_data(line: bytes) -> bytes:
    """What a line of a server-sent event stream carries; its other fields and the mark of its end carry nothing."""
    field, _, value = line.partition(b":")
    data = value.strip() if field == b"data" else b""
    return b"" if data == b"[DONE]" else data


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _decodes(data: bytes) -> bool:
    """Tell whether a line is a value of its own, however wrong its numbers."""
    try:
        json.loads(data.decode("utf-8", "replace"))
    except RecursionError:
        return True
    except ValueError as error:
        return not isinstance(error, json.JSONDecodeError)
    return True


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    return f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}; convert it to UTF-8"
