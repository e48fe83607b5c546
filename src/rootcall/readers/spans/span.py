"""One span, whatever container it came in: ids, times, status, attributes, events. A log record is an event of its span.

Owns how the containers write a span: OTLP/JSON in either spelling, an SDK's own JSON, Phoenix and Logfire rows,
spans nested in one another. What its attributes mean belongs to `rootcall.readers.spans.conventions`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.readers.records import Record
from rootcall.trace import Source

__all__ = ["Attributes", "Event", "Span", "is_spans", "spans_in"]

_NS: Final = 10**9
_INTEGER: Final = re.compile(r"-?[0-9]{1,20}")
# The containers' keys for the same thing, camel and snake case, the collector's columns, an SDK's and a vendor's own.
_TRACE: Final = ("traceId", "trace_id", "TraceId", "context.trace_id")
_SPAN: Final = ("spanId", "span_id", "SpanId", "context.span_id")
_PARENT: Final = ("parentSpanId", "parent_span_id", "ParentSpanId", "parent_id", "parentId")
_NAME: Final = ("name", "span_name", "SpanName")
_START: Final = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp", "timestamp",
                 "Timestamp")  # fmt: skip
_END: Final = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp")
_ATTRIBUTES: Final = ("attributes", "span_attributes", "SpanAttributes", "Attributes")
_EVENTS: Final = ("events", "otel_events", "Events")
_MOMENT: Final = ("timeUnixNano", "time_unix_nano", "timestamp", "Timestamp", "event_timestamp", "observedTimeUnixNano",
                  "observed_time_unix_nano", "observed_timestamp")  # fmt: skip
_EVENT_NAME: Final = ("eventName", "event_name", "name", "Name")
_STATUS: Final = ("status_code", "otel_status_code", "StatusCode")
_STATUS_TEXT: Final = ("status_message", "otel_status_message", "StatusMessage")
_RESOURCE_GROUPS: Final = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "batches")
_SCOPE_GROUPS: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs", "scope_logs")
_LEAVES: Final = ("spans", "logRecords", "log_records")
_WRAPPERS: Final = ("data", "spans", "trace", "rows")
_COLUMN: Final = "attributes."
_OTLP_VALUES: Final = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value",
                       "bytesValue", "bytes_value")  # fmt: skip


class Event(NamedTuple):
    """Something said during a span: a span event, or a log record that names the span. `time` is in nanoseconds."""

    name: str
    time: int
    attributes: Attributes
    body: Any = None


class Span(msgspec.Struct, gc=False):
    """A span. Times are nanoseconds since 1970, 0 when not known; `failed` says that its status is an error.

    `known` is False for one that only log records tell of. `order` is its place in the file.
    """

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    failed: bool
    message: str
    attributes: Attributes
    events: list[Event]
    scope: str
    source: Source
    known: bool = True
    order: int = 0


class Attributes:
    """The attributes of a span, flat (`llm.model_name`) or as a tree of objects: both are looked up by dotted name."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def get(self, name: str) -> Any:
        """Return the value of an attribute, None when there is none."""
        values = self.values
        if name in values:
            return values[name]
        head = name.partition(".")[0]
        return _dig(values[head], name[len(head) + 1 :]) if isinstance(values.get(head), Mapping) else None

    def text(self, *names: str) -> str:
        """Return the first of several attributes that is a text with something in it, else an empty one."""
        for name in names:
            value = self.get(name)
            if isinstance(value, str) and value.strip():
                return value
        return ""

    def under(self, name: str) -> Any:
        """Return what stands under a name: the attribute itself, or indexed ones (`name.0.role`) as lists of objects."""
        value = self.get(name)
        if value is not None:
            return _expanded(value)
        prefix = f"{name}."
        below = [(k[len(prefix) :], v) for k, v in self.values.items() if k.startswith(prefix)]
        return _tree(below) if below else None

    def begin(self, prefixes: tuple[str, ...]) -> bool:
        """Tell whether any attribute begins with one of the prefixes."""
        return any(k.startswith(prefixes) for k in self.values) or any(
            isinstance(self.values.get(p.partition(".")[0]), Mapping) and self.get(p.rstrip(".")) is not None
            for p in prefixes
        )


def _dig(value: Any, rest: str) -> Any:
    while isinstance(value, Mapping):
        if rest in value:
            return value[rest]
        head, dot, rest = rest.partition(".")
        if not dot:
            return None
        value = value.get(head)
    return None


def _tree(entries: list[tuple[str, Any]]) -> Any:
    """Build objects and lists from dotted keys; an object whose keys are all numbers is a list."""
    root: dict[str, Any] = {}
    for key, value in entries:
        node = root
        *path, last = key.split(".")
        for part in path:
            inner = node.get(part)
            if not isinstance(inner, dict):
                inner = node[part] = {} if inner is None else {"": inner}
            node = inner
        if isinstance(node.get(last), dict) and not isinstance(value, dict):
            node[last][""] = value
        else:
            node[last] = value
    return _listed(root)


def _listed(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    made = {k: _listed(v) for k, v in node.items()}
    if made and all(k.isdecimal() for k in made):
        return [made[k] for k in sorted(made, key=int)]
    return made


def _expanded(value: Any) -> Any:
    """Phoenix keeps dotted keys inside lists of messages: `{"message.role": …}`."""
    if isinstance(value, list):
        return [_expanded(v) for v in value]
    if isinstance(value, dict) and any("." in k for k in value if isinstance(k, str)):
        return _tree([(str(k), _expanded(v)) for k, v in value.items()])
    return value


def is_spans(value: object) -> bool:
    """Tell whether a value holds spans or log records, in any of the containers."""
    return next(_walk(value, "", "", 0), None) is not None


def spans_in(record: Record) -> Iterator[Span]:
    """Yield the spans and log records of a decoded value; a log record comes as a span that is not `known`."""
    for raw, pointer, scope in _walk(record.value, record.source.pointer, "", 0):
        yield _span(raw, Source(record.source.file, record.source.line, pointer), scope)


def _walk(value: object, pointer: str, scope: str, depth: int) -> Iterator[tuple[Mapping[str, Any], str, str]]:
    """Find what is a span. The stack holds what is still to be looked at, in the order of the file."""
    stack = [(value, pointer, scope, depth)]
    while stack:
        value, pointer, scope, depth = stack.pop()
        if isinstance(value, list):
            found = [(v, f"{pointer}/{i}", scope, depth + 1) for i, v in enumerate(value)]
            stack += reversed(found if depth < 4 else [])
        elif isinstance(value, Mapping):
            if _is_span(value):
                yield value, pointer, scope
                below = [("child_spans", value.get("child_spans"))]
            elif (group := next((k for k in _RESOURCE_GROUPS if isinstance(value.get(k), list)), None)) is not None:
                # A request may carry spans and log records side by side.
                below = [(k, value[k]) for k in _RESOURCE_GROUPS if k == group or isinstance(value.get(k), list)]
            else:
                keys = [k for k in _SCOPE_GROUPS if isinstance(value.get(k), list)]
                keys = keys or [k for k in _LEAVES if isinstance(value.get(k), list)]
                keys = keys or [k for k in _WRAPPERS if isinstance(value.get(k), list | Mapping)]
                scope = _scope(value) or scope
                below = [(k, value[k]) for k in keys]
            found = [
                (v, f"{pointer}/{k}", scope, 0 if k != "data" else depth + 1)
                for k, v in below
                if isinstance(v, list | Mapping) and depth < 8
            ]
            stack += reversed(found)


def _is_span(value: Mapping[str, Any]) -> bool:
    context = value.get("context")
    if isinstance(context, Mapping) and "trace_id" in context:
        return "name" in value or "attributes" in value
    if not any(k in value for k in _SPAN):
        return False
    return any(k in value for k in _TRACE) and any(
        k in value for k in (*_NAME, *_EVENT_NAME, *_ATTRIBUTES, *_START, "body")
    )


def _scope(value: Mapping[str, Any]) -> str:
    scope = next((value[k] for k in ("scope", "instrumentationLibrary", "instrumentation_scope") if k in value), None)
    name = scope.get("name") if isinstance(scope, Mapping) else None
    return name if isinstance(name, str) else ""


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[k] for k in keys if value.get(k) is not None), None)


def _span(raw: Mapping[str, Any], source: Source, scope: str) -> Span:
    context = raw.get("context")
    ids = context if isinstance(context, Mapping) else raw
    trace, own, parent = (_id(_first(v, k)) for v, k in ((ids, _TRACE), (ids, _SPAN), (raw, _PARENT)))
    place = Source(source.file, source.line, source.pointer, own)
    log = "body" in raw or ("eventName" in raw or "event_name" in raw)
    name = _first(raw, _NAME)
    start, end = _nanoseconds(_first(raw, _START)), _nanoseconds(_first(raw, _END))
    scope = scope or _scope(raw) or (raw["scope_name"] if isinstance(raw.get("scope_name"), str) else "")
    if log and "startTimeUnixNano" not in raw:
        event = _event(raw)
        return Span(trace, own, "", "", event.time, 0, False, "", Attributes({}), [event], scope, place, known=False)
    failed, message = _status(raw)
    listed = _first(raw, _EVENTS)
    events = [_event(e) for e in listed if isinstance(e, Mapping)] if isinstance(listed, list) else []
    attributes = Attributes(_attributes(raw))
    return Span(trace, own, parent, name if isinstance(name, str) else "", start, end, failed, message, attributes,
                events, scope, place)  # fmt: skip


def _attributes(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    columns = {k[len(_COLUMN) :]: v for k, v in raw.items() if k.startswith(_COLUMN) and v is not None}
    own = _plain(_first(raw, _ATTRIBUTES))
    values = {**own, **columns} if columns else own
    kind = raw.get("span_kind")
    if isinstance(kind, str) and kind.isupper() and "openinference.span.kind" not in values:
        values = {**values, "openinference.span.kind": kind}  # Phoenix lifts it out of the attributes
    return values


def _plain(value: object) -> Mapping[str, Any]:
    """Attributes as an object: OTLP lists them as `{key, value}`."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, list):
        return {}
    return {e["key"]: _value(e.get("value")) for e in value if isinstance(e, Mapping) and isinstance(e.get("key"), str)}


def _value(value: object) -> Any:
    """An OTLP value as the plain one; integers come as text in OTLP/JSON."""
    if not isinstance(value, Mapping):
        return value
    for key in _OTLP_VALUES:
        if key in value:
            return value[key]
    whole = _first(value, ("intValue", "int_value"))
    if whole is not None:
        return int(whole) if isinstance(whole, str) and _INTEGER.fullmatch(whole) else whole
    inner = _first(value, ("arrayValue", "array_value"))
    if isinstance(inner, Mapping):
        listed = inner.get("values")
        return [_value(v) for v in listed] if isinstance(listed, list) else []
    inner = _first(value, ("kvlistValue", "kvlist_value"))
    return _plain(inner.get("values")) if isinstance(inner, Mapping) else None


def _event(raw: Mapping[str, Any]) -> Event:
    attributes = Attributes(_plain(_first(raw, _ATTRIBUTES)))
    name = _first(raw, _EVENT_NAME)
    if not isinstance(name, str) or not name:
        name = attributes.text("event.name", "name")
    body = raw.get("body")
    return Event(name, _nanoseconds(_first(raw, _MOMENT)), attributes, _value(body))


def _status(raw: Mapping[str, Any]) -> tuple[bool, str]:
    status = raw.get("status")
    code, text = _first(raw, _STATUS), _first(raw, _STATUS_TEXT)
    if isinstance(status, Mapping):
        code = _first(status, ("code", "status_code", "statusCode"))
        text = _first(status, ("message", "description"))
    failed = code.upper().endswith("ERROR") if isinstance(code, str) else bool(code == 2)
    return failed, text if isinstance(text, str) else ""


def _id(value: object) -> str:
    """An id as lower-case hex where it is one: some writers put `0x` before it, some use base64."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return ""
    if value[:2] in ("0x", "0X"):
        return value[2:].lower()
    if len(value) in (12, 24) and value.endswith("="):
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return value
        return data.hex() if len(data) in (8, 16) else value
    return value.lower() if len(value) in (16, 32) else value


def _nanoseconds(value: object) -> int:
    """A moment in nanoseconds: they come as ISO 8601, and as numbers of four sizes. 0 when there is none."""
    if isinstance(value, str):
        text = value.strip()
        if text.isdecimal() and len(text) < 25:
            return _scaled(int(text))
        return _from_iso(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return _scaled(value) if 0 < value < 10**20 else 0


def _scaled(number: float) -> int:
    for most, factor in ((10**11, _NS), (10**14, 10**6), (10**17, 10**3)):
        if number < most:
            return int(number * factor)
    return int(number)


def _from_iso(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * _NS + since.microseconds * 1000
