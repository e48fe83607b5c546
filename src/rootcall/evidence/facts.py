"""What tools returned, as facts that claims can be bound to: a value with its field, its record and its call.

A payload is flattened into `Fact`s. A fact knows its path, the words of its field, its value as people would say it
(`amount_cents: 4500` is $45.00), and its record: the nearest enclosing object, with the texts that name it. Binding a
claim to a fact, and what a difference means, is utilization's work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from rootcall.evidence.mention import Mention
from rootcall.evidence.texts import structured, zipped
from rootcall.evidence.units import Unit, unit_of_key, unit_of_text
from rootcall.evidence.values import mentions
from rootcall.evidence.words import key_words
from rootcall.jsonvalue import MISSING, join_path
from rootcall.payload import decode_prefix
from rootcall.trace import Call, Trace, per_trace

__all__ = ["TRANSPORT", "Fact", "Record", "facts_of", "is_state", "payload_of", "trace_facts"]

_MAX_FACTS: Final = 20_000
_MAX_NAMES: Final = 12
_DIGIT: Final = re.compile(r"\d")
_GENERIC: Final = frozenset(
    {
        "value",
        "data",
        "result",
        "results",
        "item",
        "items",
        "the",
        "of",
        "per",
        "in",
        "id",
        "ids",
        "list",
        "info",
        "details",
    }
)
_STATE_KEYS: Final = frozenset(
    {"status", "state", "stage", "condition", "sky", "phase", "severity", "priority", "상태"}
)
_VAGUE: Final = frozenset({"count", "total", "number", "amount", "size", "length", "sum", "matches", "hits", "found"})
_CURRENCY_KEYS: Final = ("currency", "currency_code", "currencyCode", "ccy", "waehrung", "통화")
_UNIT_KEYS: Final = ("unit", "units", "uom", "einheit", "unite", "unité", "unidad", "단위", "単位", "单位")
# Fields about the answering of the request, not about what was asked.
TRANSPORT: Final = frozenset(
    {
        "request_id", "requestid", "took_ms", "api_version", "cached", "links", "etag", "sync_token", "trace_id", "traceid", "generation", "cursor",
        "next", "self", "href", "latency_ms", "elapsed_ms", "version", "page_size", "per_page", "total_pages", "next_page", "has_more", "more",
        "region_served", "cache_hit", "ttl", "revision", "checksum", "hash", "schema_version", "request", "meta",
        "_links", "_meta", "warnings", "debug", "rate_limit", "quota", "provider", "cluster",
    }
)  # fmt: skip
_RATIO_WORDS: Final = frozenset(
    {"rate", "ratio", "share", "accuracy", "probability", "confidence", "precision", "recall", "fraction", "utilization", "utilisation", "load", "score",
     "margin", "discount", "growth", "coverage", "portion", "anteil", "quote", "비율", "정확도"}
)  # fmt: skip


class Record(msgspec.Struct, frozen=True, gc=False):
    """An object of a payload. `names` are the texts that tell it from its siblings, its ancestors' last."""

    call: Call
    path: str
    names: tuple[str, ...]
    parent: str | None = None


class Fact(msgspec.Struct, frozen=True, gc=False):
    """One scalar of a payload, or the length of one of its lists (`count` True).

    `values` are the numbers the scalar can be said as, each with its unit (None: none known); `mention` holds a date or
    a time. `words` are the field's words without units and generic ones, `field` the path with list indexes removed.
    """

    call: Call
    path: str
    field: str
    words: tuple[str, ...]
    value: Any
    record: Record
    values: tuple[tuple[float, Unit | None], ...] = ()
    dates: tuple[Mention, ...] = ()
    times: tuple[Mention, ...] = ()
    count: bool = False
    transport: bool = False


def payload_of(call: Call) -> Any:
    """The decoded payload of a call that came back well, `MISSING` otherwise; of a cut one the part that was kept."""
    if call.result is None or call.outcome not in ("ok", "unknown"):
        return MISSING
    payload = call.result.payload
    if call.result.truncated and isinstance(payload, str) and (kept := decode_prefix(payload)) is not MISSING:
        return kept
    if isinstance(payload, str) and (shown := structured(payload)) is not MISSING:
        return shown
    return payload


@per_trace
def trace_facts(trace: Trace) -> dict[str, tuple[Fact, ...]]:
    """Return the facts of every call that came back well, by the call's place."""
    found: dict[str, tuple[Fact, ...]] = {}
    # A call that sends an id speaks of what an earlier result named under that id.
    named: dict[str, tuple[str, ...]] = {}
    for c in trace.calls:
        if payload_of(c) is MISSING:
            continue
        known = tuple(n for v in (c.arguments or {}).values() if isinstance(v, str) for n in named.get(v.lower(), ()))
        found[c.at] = tuple(facts_of(c, known))
        for record in {id(f.record): f.record for f in found[c.at]}.values():
            if len(record.names) <= _MAX_NAMES:
                named.update({n.lower(): record.names for n in record.names if _DIGIT.search(n)})
    return found


def facts_of(call: Call, known: tuple[str, ...] = ()) -> list[Fact]:
    """Return the facts a call's result holds, in document order, at most twenty thousand of them.

    `known` are further names of what the call is about.
    """
    payload = payload_of(call)
    if payload is MISSING:
        return []
    own = tuple(str(v) for v in (call.arguments or {}).values() if isinstance(v, str) and _names_something(v))
    top = Record(call, "", (*_naming(payload), *own, *known))
    found: list[Fact] = []
    subject = _words(call.tool, ())
    for fact in _flatten(call, payload, top):
        # `count` says what it counts only together with the tool: count_orders.
        vague = bool(fact.words) and fact.words[0] in _VAGUE and len(fact.words) == 1
        found.append(msgspec.structs.replace(fact, words=(*fact.words, *subject)) if vague else fact)
        if len(found) >= _MAX_FACTS:
            break
    return found


def _naming(value: object) -> tuple[str, ...]:
    """The texts directly inside an object that can name it; a state does not."""
    if not isinstance(value, dict):
        return ()
    return tuple(
        str(v)
        for k, v in value.items()
        if isinstance(v, str) and str(k).lower() not in TRANSPORT and not is_state(str(k)) and _names_something(v)
    )


@lru_cache(maxsize=16_384)
def is_state(key: str) -> bool:
    """Tell whether a field's name says that it holds a state: `status`, `order_state`, `sky`."""
    last = key_words(key)[-1:]
    return bool(last) and last[0] in _STATE_KEYS


def _keyed_by(path: str) -> tuple[str, ...]:
    """The id under which an object stands, when it stands under one."""
    m = _LAST_KEY.search(path)
    key = m.group(1) or m.group(2) if m else ""
    return (key,) if key and _is_id(key) else ()


# Longer than this, digits in quotes are an id.
_PLAIN: Final = re.compile(r"\s*-?\d{1,6}(?:\.\d+)?\s*")
_LONG: Final = re.compile(r"\s*\d{7,}\s*")
_LAST_KEY: Final = re.compile(r"\[\"([^\"]+)\"\]\Z|\.([\w-]+)\Z")
_DATE_LIKE: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d")


def _names_something(text: str) -> bool:
    return 1 < len(text) <= 80 and _DATE_LIKE.match(text) is None and any(ch.isalpha() for ch in text)


@lru_cache(maxsize=16_384)
def _step(key: str) -> tuple[str, bool]:
    """How a key continues a path, and whether it is about transport."""
    return join_path("x", key)[1:], key.lower() in TRANSPORT


@lru_cache(maxsize=16_384)
def _is_id(key: str) -> bool:
    """Tell whether a key is an id rather than a field's name: objects keyed by id are lists in disguise."""
    return (sum(ch.isdigit() for ch in key) >= 3 and not key.islower()) or key.isdigit()


def _flatten(call: Call, payload: object, top: Record) -> Iterator[Fact]:
    stack: list[tuple[str, str, tuple[str, ...], object, Record, Mapping[str, Any], bool]] = [
        ("", "", (), payload, top, {}, False)
    ]
    while stack:
        path, field, words, value, record, owner, transport = stack.pop()
        if isinstance(value, dict):
            value = zipped(value)
            if len(value) > 1 and all(_is_id(str(k)) for k in value):
                size = len(value)
                yield Fact(
                    call, path, field, words, size, record, ((float(size), None),), count=True, transport=transport
                )
            inner = record if not path else Record(call, path, (*_naming(value), *_keyed_by(path)), record.path)
            children = []
            for key, child in value.items():
                name = str(key)
                step, hidden = _step(name)
                lead = step if path or step[0] != "." else step[1:]
                below, own = ("[]", words) if _is_id(name) else (step, _words(name, words))
                children.append(
                    (path + lead, (field + below).lstrip("."), own, child, inner, value, transport or hidden)
                )
            stack += reversed(children)
        elif isinstance(value, list):
            yield Fact(
                call,
                path,
                field,
                words,
                len(value),
                record,
                ((float(len(value)), None),),
                count=True,
                transport=transport,
            )
            stack += reversed(
                [(f"{path}[{i}]", field + "[]", words, v, record, owner, transport) for i, v in enumerate(value)]
            )
        elif value is not None and value is not MISSING:
            yield _scalar(call, path, field, words, value, record, owner, transport)


@lru_cache(maxsize=16_384)
def _words(key: str, parents: tuple[str, ...]) -> tuple[str, ...]:
    own = tuple(w for w in key_words(key) if w not in _GENERIC and (unit_of_key(f"x_{w}") is None or len(w) > 3))
    # A field called `amount` or `max` says little without the object it stands in.
    return tuple(dict.fromkeys((*own, *parents[:2])))


def _scalar(
    call: Call,
    path: str,
    field: str,
    words: tuple[str, ...],
    value: object,
    record: Record,
    owner: Mapping[str, Any],
    transport: bool,
) -> Fact:
    key = field.rpartition(".")[2].replace("[]", "") or field
    values: tuple[tuple[float, Unit | None], ...] = ()
    dates: tuple[Mention, ...] = ()
    times: tuple[Mention, ...] = ()
    if isinstance(value, bool):
        pass
    elif isinstance(value, int | float):
        values = _sayings(key, float(value) if abs(value) < 1e300 else 0.0, owner)
    elif isinstance(value, str) and len(value) <= 4000:
        found = mentions(value)
        dates = tuple(m for m in found if m.kind == "date")
        times = (*(m for m in found if m.kind == "time"), *_clocks(value))
        if _PLAIN.fullmatch(value):
            values = _sayings(key, float(value.strip()), owner)  # `float` knows less white space than `\s`
        elif not _LONG.fullmatch(value):
            values = tuple((r, m.unit) for m in found if m.kind == "number" for r in m.readings)
    return Fact(call, path, field, words, value, record, values, dates, times, transport=transport)


_STAMP: Final = re.compile(r"T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+\-]\d\d:?\d\d)?")


def _clocks(value: str) -> tuple[Mention, ...]:
    """The times an ISO stamp can be said as: its local clock, and UTC."""
    m = _STAMP.search(value)
    if m is None:
        return ()
    local = int(m.group(1)) * 60 + int(m.group(2))
    readings = [float(local)]
    offset = m.group(3)
    if offset and offset != "Z":
        sign = -1 if offset[0] == "-" else 1
        minutes = sign * (int(offset[1:3]) * 60 + int(offset[-2:]))
        readings.append(float((local - minutes) % 1440))
    return (Mention("time", m.group(0), m.start(), m.end(), tuple(readings)),)


def _sayings(key: str, number: float, owner: Mapping[str, Any]) -> tuple[tuple[float, Unit | None], ...]:
    """The ways a number in a field can be said: 4500 cents is 45 dollars, a ratio of 0.852 is 85.2 per cent."""
    unit = unit_of_key(key)
    beside = _beside(owner, key)
    if unit is not None and unit.dimension == "money:?":
        currency = beside if beside is not None and beside.dimension.startswith("money") else Unit("money", "money:?")
        return ((number / 100, currency), (number, unit))
    if unit is None:
        unit = beside
    said: list[tuple[float, Unit | None]] = [(number, unit)]
    words = set(key_words(key))
    if unit is not None and unit.dimension == "percent" and 0 < abs(number) <= 1:
        said.append((number * 100, unit))  # `three_point_pct: 0.387` is 38.7 per cent as often as 0.387
    elif unit is not None and unit.scaled:
        said.append((number, None))  # "in millions" is said of some numbers of the record, not of its counts
    if unit is None and abs(number) <= 1 and words & _RATIO_WORDS:
        said.append((number * 100, unit_of_text("%")))
    return tuple(said)


@lru_cache(maxsize=16_384)
def _unit_fields(key: str) -> tuple[str, ...]:
    """The fields that can hold the unit of the number in a field, the nearest name first."""
    own = (f"{key}{u}" for u in ("_unit", "Unit", "_currency", "Currency", "_uom"))
    return (*own, *_UNIT_KEYS, *_CURRENCY_KEYS)


def _beside(owner: Mapping[str, Any], key: str) -> Unit | None:
    """The unit or currency that stands in a field of its own beside the number."""
    base = key_words(key)
    for name in _unit_fields(key):
        if name not in owner:
            continue
        said = owner[name]
        if isinstance(said, str) and (unit := unit_of_text(said)) is not None:
            if (
                name in _CURRENCY_KEYS
                and base
                and base[-1] in ("id", "count", "qty", "quantity", "number", "nights", "left", "stops")
            ):
                continue
            return unit
    return None
