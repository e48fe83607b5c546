"""OTLP as protobuf: the wire format of its dozen messages, decoded into the objects that OTLP/JSON has.

Only the fields that rootcall reads are named here, as a table; others are passed over. Owns how a file frames its
messages as well: one message, several one after the other (which is one message to protobuf), or each with its length
before it, as four bytes (the collector's file exporter) or as a varint (protobuf's own delimited streams). One
`ResourceSpans` is decoded at a time. The table stands for the whole dependency: protobuf's generated classes for OTLP
take 90 ms to import and hold a message as a whole.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

__all__ = ["Broken", "looks_like_otlp", "requests"]

Kind = Literal["text", "hex", "fixed", "int", "double", "bool", "bytes", "message", "any", "attributes"]


class _Field(NamedTuple):
    name: str
    kind: Kind
    table: str = ""
    repeated: bool = False


_ATTRIBUTES: Final = _Field("attributes", "attributes")
_SCOPED: Final = _Field("scope", "message", "scope")
_TABLES: Final[Mapping[str, Mapping[int, _Field]]] = {
    "resource": {1: _ATTRIBUTES},
    "scope": {1: _Field("name", "text"), 2: _Field("version", "text")},
    "group": {1: _Field("resource", "message", "resource"), 2: _Field("scoped", "message", "scoped", repeated=True)},
    "scoped": {1: _SCOPED, 2: _Field("items", "message", "item", repeated=True)},
    "span": {
        1: _Field("traceId", "hex"), 2: _Field("spanId", "hex"), 4: _Field("parentSpanId", "hex"),
        5: _Field("name", "text"), 7: _Field("startTimeUnixNano", "fixed"), 8: _Field("endTimeUnixNano", "fixed"),
        9: _ATTRIBUTES, 11: _Field("events", "message", "event", repeated=True), 15: _Field("status", "message", "status"),
    },
    "event": {1: _Field("timeUnixNano", "fixed"), 2: _Field("name", "text"), 3: _ATTRIBUTES},
    "status": {2: _Field("message", "text"), 3: _Field("code", "int")},
    "log": {
        1: _Field("timeUnixNano", "fixed"), 5: _Field("body", "any"), 6: _ATTRIBUTES, 9: _Field("traceId", "hex"),
        10: _Field("spanId", "hex"), 11: _Field("observedTimeUnixNano", "fixed"), 12: _Field("eventName", "text"),
    },
}  # fmt: skip
_DEEP: Final = 100
_HEAD: Final = 64
_LONGEST: Final = 1 << 31
_BLANK: Final = frozenset(b"\t\n\r ")


class Broken(Exception):  # noqa: N818 -- caught by the reader and reported as a problem
    """The bytes are no protobuf from here on."""


def looks_like_otlp(start: bytes) -> bool:
    """Tell whether the first bytes of a file are an OTLP request in protobuf, however it is framed.

    A text is never taken for one: within the first bytes a message has control characters that no JSON has.
    """
    if not any(b < 0x20 and b not in _BLANK for b in start[:_HEAD]):
        return False
    return any(_begins_group(start, at) for at in _framings(start).values())


def _framings(start: bytes) -> dict[str, int]:
    """Where the first group could begin, by framing."""
    found = {"bare": 0, "fixed": 4}
    with suppress(Broken):
        found["varint"] = _varint(start, 0)[1]
    return found


def _begins_group(data: bytes, at: int) -> bool:
    """Tell whether a request begins here: a group, in it a resource or a scope, in that nothing too long."""
    try:
        for tags in ((0x0A,), (0x0A, 0x12)):
            if at >= len(data) or data[at] not in tags:
                return False
            length, at = _varint(data, at + 1)
            if tags == (0x0A,):
                outer = length
        return 0 <= length < outer < _LONGEST
    except Broken:
        return False


def requests(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the groups of a file as objects: `{"resourceSpans": [one]}` or `{"resourceLogs": [one]}`.

    Raises:
        Broken: the bytes break off or are no protobuf; what stood before was given out.
    """
    window = _Window(iter(chunks))
    window.need(_HEAD, at_most=True)
    framings = _framings(bytes(window.data[: _HEAD * 64]))
    framing = next(
        (name for name in ("bare", "fixed", "varint") if _begins_group(bytes(window.data), framings.get(name, 0))),
        "bare",
    )
    while window.need(1, at_most=True):
        if framing == "fixed":
            size = int.from_bytes(window.take(4), "big")
            yield from _groups(window.take(size))
        elif framing == "varint":
            yield from _groups(window.take(window.varint()))
        else:
            tag = window.varint()
            if tag == 0x0A:
                yield _group(window.take(window.varint()))
            elif tag & 7 == 2:
                window.take(window.varint())
            else:
                raise Broken("a field that no OTLP request has")


class _Window:
    """The part of a stream that is being read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.data = bytearray()

    def need(self, size: int, *, at_most: bool = False) -> bool:
        """Read on until there are that many bytes. With `at_most` fewer will do, and none is told by False."""
        while len(self.data) < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                if at_most:
                    return bool(self.data)
                raise Broken("the message ends before its end; the file was cut short")
            self.data += chunk
        return True

    def take(self, size: int) -> bytes:
        if not 0 <= size < _LONGEST:
            raise Broken("a length that no OTLP message has")
        self.need(size)
        found = bytes(memoryview(self.data)[:size])
        del self.data[:size]
        return found

    def varint(self) -> int:
        self.need(10, at_most=True)
        value, at = _varint(self.data, 0)
        del self.data[:at]
        return value


def _varint(data: bytes | bytearray, at: int) -> tuple[int, int]:
    value = shift = 0
    for place in range(at, min(at + 10, len(data))):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + 1
        shift += 7
    raise Broken("a number that does not end")


def _fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yield `(field, wire type, value)`; values are numbers or bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        value: Any
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            value = data[at : at + size]
            if len(value) != size:
                raise Broken("a field is longer than its message")
            at += size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value = data[at : at + size]
            if len(value) != size:
                raise Broken("a field is longer than its message")
            at += size
        else:
            raise Broken("a field of a kind that protobuf does not have")
        yield tag >> 3, kind, value


def _groups(request: bytes) -> Iterator[dict[str, Any]]:
    for field, kind, value in _fields(request):
        if field == 1 and kind == 2:
            yield _group(value)


def _group(data: bytes) -> dict[str, Any]:
    group = _message(data, "group", 0)
    logs = any("body" in i or "eventName" in i for s in group.get("scoped", []) for i in s.get("items", []))
    scopes, items, groups = (
        ("scopeLogs", "logRecords", "resourceLogs") if logs else ("scopeSpans", "spans", "resourceSpans")
    )
    scoped = [{"scope": s.get("scope", {}), items: s.get("items", [])} for s in group.get("scoped", [])]
    return {groups: [{"resource": group.get("resource", {}), scopes: scoped}]}


def _message(data: bytes, table: str, depth: int) -> dict[str, Any]:
    if table == "item":
        table = _item_table(data)
        if not table:
            return {}
    known = _TABLES[table]
    found: dict[str, Any] = {}
    for number, wire, value in _fields(data):
        field = known.get(number)
        if field is None or not _fits(field.kind, wire):
            continue
        if field.kind == "attributes":
            key, inner = _pair(value, depth + 1)
            found.setdefault("attributes", {})[key] = inner
            continue
        plain = _plain(value, field, depth + 1)
        if field.repeated:
            found.setdefault(field.name, []).append(plain)
        else:
            found[field.name] = plain
    return found


def _item_table(data: bytes) -> str:
    """A span begins with the sixteen bytes of its trace id, a log record with a time; anything else is neither."""
    for number, wire, value in _fields(data):
        if number == 1:
            return "span" if wire == 2 and len(value) == 16 else "log" if wire == 1 else ""
        if number in (2, 3, 5, 11):
            return "log"
    return "log"


def _fits(kind: Kind, wire: int) -> bool:
    return wire == {"fixed": 1, "int": 0}.get(kind, 2)


def _plain(value: Any, field: _Field, depth: int) -> Any:
    if field.kind == "text":
        return value.decode("utf-8", "replace")
    if field.kind == "hex":
        return value.hex()
    if field.kind == "fixed":
        return int.from_bytes(value, "little")
    if field.kind == "message":
        return _message(value, field.table, depth)
    if field.kind == "any":
        return {"kvlistValue": None} if depth > _DEEP else _wrapped(_any(value, depth))
    return value


def _wrapped(value: Any) -> Any:
    """An object as OTLP/JSON would have it, so that it is not taken for one of its own wrappers."""
    return (
        {"kvlistValue": {"values": [{"key": k, "value": _wrapped(v)} for k, v in value.items()]}}
        if isinstance(value, dict)
        else value
    )


def _pair(data: bytes, depth: int) -> tuple[str, Any]:
    key, value = "", None
    for number, wire, inner in _fields(data):
        if wire == 2 and number == 1:
            key = inner.decode("utf-8", "replace")
        elif wire == 2 and number == 2:
            value = _any(inner, depth + 1)
    return key, value


def _any(data: bytes, depth: int) -> Any:
    if depth > _DEEP:
        raise Broken("nested too deeply to be read")
    for number, wire, value in _fields(data):
        if number == 1 and wire == 2:
            return value.decode("utf-8", "replace")
        if number == 2 and wire == 0:
            return bool(value)
        if number == 3 and wire == 0:
            return value - (1 << 64) if value >= 1 << 63 else value
        if number == 4 and wire == 1:
            return struct.unpack("<d", value)[0]
        if number == 5 and wire == 2:
            return [_any(v, depth + 1) for n, w, v in _fields(value) if n == 1 and w == 2]
        if number == 6 and wire == 2:
            return dict(_pair(v, depth + 1) for n, w, v in _fields(value) if n == 1 and w == 2)
        if number == 7 and wire == 2:
            return value.hex()
    return None
