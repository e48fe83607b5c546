"""Does a value meet what a case expects? Equality, or a named matcher, with the reason for a no.

`compare` answers `match`, `mismatch`, or `undecided` where the trace does not hold what a matcher needs (a reference
time, an earlier result) or only a judge can tell; those become unscored checks with a question, never a pass. What
counts as a matcher, and that its operand can be meant, is `rootcall.casefile`'s; here they are trusted.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

from rootcall.case import matcher, place_of
from rootcall.config import DateConventions
from rootcall.evidence.clock import moment_of, reference_days, reference_moment
from rootcall.evidence.dates import ANY, clock_times, phrase, readings, sent_days
from rootcall.evidence.facts import payload_of
from rootcall.evidence.patterns import TooCostly, searched
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, SCALARS, describe, difference, equal, join_path, json_type
from rootcall.trace import Call, Trace

__all__ = ["Comparison", "Context", "compare", "days_meant", "describe", "earlier_result", "member_schema"]


class Comparison(NamedTuple):
    """What comparing gave, and why: `expected 2, got "2": text where the schema wants an integer`."""

    result: Literal["match", "mismatch", "undecided"]
    reason: str = ""


class Context(NamedTuple):
    """What a matcher may look at besides the value: the trace, and the call that sent the value (None: the end).

    `conventions` say which meanings of a day in words count.
    """

    trace: Trace
    call: Call | None = None
    conventions: DateConventions = ANY

    @property
    def message(self) -> int:
        """The index of the message in which the value was sent."""
        return self.call.message if self.call is not None else len(self.trace.messages)


_MATCH: Final = Comparison("match")


def compare(expected: object, got: object, context: Context | None = None, schema: object = None) -> Comparison:
    """Compare a sent value (or `MISSING`) with an expected value or matcher, at any depth.

    Args:
        expected: the gold: a JSON value, a matcher, or a mixture.
        got: what was sent.
        context: where it was sent. Without it relative dates and earlier results are undecided.
        schema: the JSON Schema of the value, for the reason only.
    """
    if isinstance(expected, SCALARS):  # the commonest; only an object can be a matcher
        alike = type(expected) is type(got) and expected == got
        return _MATCH if alike else _plain(expected, got, schema)
    found = matcher(expected)
    if found is not None:
        return _matcher(found[0], found[1], got, context)
    if isinstance(expected, OBJECTS) and _holds_matcher(expected):
        return _object(expected, got, context, schema)
    if _is_list(expected) and _holds_matcher(expected):
        return _list(expected, got, context, schema)  # type: ignore[arg-type]
    return _plain(expected, got, schema)


def _plain(expected: object, got: object, schema: object) -> Comparison:
    where = difference(expected, got)
    return _MATCH if where is None else Comparison("mismatch", _reason(*where, schema))


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))


def _holds_matcher(value: object) -> bool:
    stack = [value]
    while stack:
        v = stack.pop()
        if isinstance(v, SCALARS):
            continue
        if matcher(v) is not None:
            return True
        if isinstance(v, OBJECTS):
            stack += v.values()
        elif _is_list(v):
            stack += v  # type: ignore[arg-type]
    return False


def _worst(parts: list[tuple[str, Comparison]]) -> Comparison:
    for path, part in parts:
        if part.result == "mismatch":
            return Comparison("mismatch", _nested(path, part.reason))
    for path, part in parts:
        if part.result == "undecided":
            return Comparison("undecided", _nested(path, part.reason))
    return _MATCH


def _nested(path: str, reason: str) -> str:
    """Put a step before the path that a reason begins with, so that it reads `a.b: …` and not `a: b: …`."""
    inner, colon, rest = reason.partition(": expected ")
    if colon and " " not in inner:
        return f"{path}{'' if inner.startswith('[') else '.'}{inner}: expected {rest}"
    return f"{path}: {reason}"


def _object(expected: Mapping[str, object], got: object, context: Context | None, schema: object) -> Comparison:
    if not isinstance(got, Mapping):
        return Comparison("mismatch", f"expected an object, got {describe(got)}")
    keys = [*expected, *(k for k in got if k not in expected)]
    return _worst(
        [
            (
                join_path("", str(k)),
                compare(expected.get(k, MISSING), got.get(k, MISSING), context, member_schema(schema, str(k))),
            )
            for k in keys
        ]
    )


def _list(expected: Sequence[object], got: object, context: Context | None, schema: object) -> Comparison:
    if not _is_list(got) or len(got) != len(expected):  # type: ignore[arg-type]
        return Comparison("mismatch", f"expected a list of {len(expected)}, got {describe(got)}")
    pairs = zip(expected, got, strict=True)  # type: ignore[call-overload]
    return _worst([(f"[{i}]", compare(e, g, context, member_schema(schema, i))) for i, (e, g) in enumerate(pairs)])


def _yes_no(yes: bool, reason: str) -> Comparison:
    return _MATCH if yes else Comparison("mismatch", reason)


def _undecided(reason: str) -> Comparison:
    return Comparison("undecided", reason)


def _matcher(name: str, operand: Any, got: object, context: Context | None) -> Comparison:
    if name in _COMPOSED:
        return _composed(name, operand, got, context)
    if name == "$from":
        found = earlier_result(operand, context)
        if found is MISSING:
            return _undecided(f"there is no {operand} to take the value from")
        where = difference(found, got)
        return _MATCH if where is None else Comparison("mismatch", f"{_reason(*where)} (the value of {operand})")
    if name == "$judge":
        return _undecided(f"only a judge can tell: {operand}")
    operand = _filled(operand, context)
    if operand is MISSING:
        return _undecided(f"there is no earlier result that {name} speaks of")
    said = f"expected {name} {describe(operand)}, got {describe(got)}"
    if name == "$date":
        return _day(str(operand), got, context)
    if name == "$instant":
        return _instant(str(operand), got, context)
    if name == "$regex":
        return _pattern(str(operand), got, said)
    return _yes_no(_holds(name, operand, got), said)


# Those whose operands are values to compare with, matchers included.
_COMPOSED: Final = frozenset({"$one_of", "$not", "$unordered", "$contains", "$says", "$any", "$absent", "$literal"})


def _composed(name: str, operand: Any, got: object, context: Context | None) -> Comparison:
    said = f"expected {name} {describe(operand)}, got {describe(got)}"
    match name:
        case "$literal":
            return _yes_no(equal(operand, got), said)
        case "$any":
            return _yes_no(got is not MISSING, said)
        case "$absent":
            return _yes_no(got is MISSING, said)
        case "$one_of":
            return _any_of([compare(o, got, context) for o in operand], said)
        case "$not":
            inner = compare(operand, got, context)
            return inner if inner.result == "undecided" else _yes_no(inner.result == "mismatch", said)
        case "$unordered":
            if not _is_list(got) or len(got) != len(operand):  # type: ignore[arg-type]
                return Comparison("mismatch", said)
            return _one_to_one(operand, list(got), said, context)  # type: ignore[call-overload]
        case "$contains" if _is_list(got):
            return _any_of([compare(operand, g, context) for g in got], said)  # type: ignore[attr-defined]
    operand = _filled(operand, context)
    if operand is MISSING:
        return _undecided(f"there is no earlier result that {name} speaks of")
    return _yes_no(_part_of(operand, got), said)


def _any_of(parts: list[Comparison], said: str) -> Comparison:
    if any(p.result == "match" for p in parts):
        return _MATCH
    return next((p for p in parts if p.result == "undecided"), Comparison("mismatch", said))


def _part_of(part: object, got: object) -> bool:
    if not isinstance(got, str) or not isinstance(part, str):
        return False
    return unicodedata.normalize("NFC", part) in unicodedata.normalize("NFC", got)


def _one_to_one(expected: Sequence[object], got: list[object], said: str, context: Context | None) -> Comparison:
    """Whether members can be assigned one to one, so that order never matters; undecided ones only where they decide."""
    table: list[list[str]] = [[compare(e, g, context).result for g in got] for e in expected]
    if _assignable(table, ("match",)):
        return _MATCH
    if _assignable(table, ("match", "undecided")):
        return _undecided(f"{said}; a member is not decided")
    return Comparison("mismatch", said)


def _assignable(table: list[list[str]], good: tuple[str, ...]) -> bool:
    """Tell whether every row has a column of its own, by augmenting paths."""
    columns = [[c for c, result in enumerate(row) if result in good] for row in table]
    owner: dict[int, int] = {}
    held: dict[int, int] = {}
    return all(_assign(row, columns, owner, held) for row in range(len(table)))


def _assign(row: int, columns: list[list[int]], owner: dict[int, int], held: dict[int, int]) -> bool:
    """Give a row a column, where others can move over; without recursion, since a list may be long."""
    reached: dict[int, int] = {}
    rows = [row]
    for current in rows:
        for column in columns[current]:
            if column in reached:
                continue
            reached[column] = current
            if column in owner:
                rows.append(owner[column])
                continue
            free: int | None = column
            while free is not None:
                taker = reached[free]
                before = held.get(taker)
                owner[free], held[taker] = taker, free
                free = before
            return True
    return False


def _filled(operand: Any, context: Context | None) -> Any:
    """An operand with `$from` in it replaced by the earlier value; `MISSING` when there is none."""
    found = matcher(operand)
    if found is not None and found[0] == "$from":
        return earlier_result(found[1], context)
    if _is_list(operand):
        filled = [_filled(o, context) for o in operand]
        return MISSING if any(f is MISSING for f in filled) else filled
    return operand


def _holds(name: str, operand: Any, got: object) -> bool:
    if name == "$casefold":
        return isinstance(got, str) and isinstance(operand, str) and _folded(operand) == _folded(got)
    if not _is_number(got):
        return False
    if name == "$range":
        low, high = operand
        return (low is None or (_is_number(low) and (low <= got or equal(low, got)))) and (
            high is None or (_is_number(high) and (got <= high or equal(got, high)))
        )
    value, tolerance = operand
    return _is_number(value) and _is_number(tolerance) and _close(got, value, tolerance)  # type: ignore[arg-type]


def _close(a: float, b: float, tolerance: float) -> bool:
    """Whether two numbers are equal within a part of the larger one; integers of any size are taken exactly."""
    if equal(a, b):
        return True
    if tolerance < 0 or not all(isinstance(x, int) or math.isfinite(x) for x in (a, b, tolerance)):
        return False
    if max(abs(a), abs(b)) < _EXACT:
        return math.isclose(a, b, rel_tol=tolerance)
    x, y = Fraction(a), Fraction(b)
    return abs(x - y) <= Fraction(tolerance) * max(abs(x), abs(y))


_EXACT: Final = 2**53


def _pattern(pattern: str, got: object, said: str) -> Comparison:
    if not isinstance(got, str):
        return Comparison("mismatch", said)
    try:
        return _yes_no(searched(pattern, got), said)
    except TooCostly:
        return _undecided(f"{said}: the pattern takes too long on this text; write it without repeats inside repeats")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


# ---- earlier results ---------------------------------------------------------------------------------------------


def earlier_result(place: object, context: Context | None) -> Any:
    """The value at `tool[n].path`: in the n-th result (from 0) that came back well before the call; `MISSING` when none."""
    parsed = place_of(place)
    if parsed is None or context is None:
        return MISSING
    tool, n, path = parsed
    before = [c for c in context.trace.calls if c.tool == tool and c.message < context.message]
    payloads = [p for c in before if (p := payload_of(c)) is not MISSING]
    value: Any = payloads[n] if n < len(payloads) else MISSING
    for key in path:
        if isinstance(value, Mapping):
            value = value.get(key, MISSING)
        elif _is_list(value) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return MISSING
    return value


# ---- days and moments --------------------------------------------------------------------------------------------


def _day(wanted: str, got: object, context: Context | None) -> Comparison:
    """The same calendar day, however it is written; words are read against the reference time, in all their readings."""
    days = days_meant(wanted, context)
    if not days:
        return _undecided(f"{describe(wanted)} cannot be read as a day, or not without a reference time")
    conventions = context.conventions if context is not None else ANY
    sent = _days_of(got, (), conventions) if isinstance(got, str) else frozenset[date]()
    listed = " or ".join(str(d) for d in sorted(days)[:4]) + (" or later" if len(days) > 4 else "")
    said = f"expected {describe(wanted)}, which is {listed}, got {describe(got)}"
    if sent and not sent <= days and sent & days:
        return _undecided(f"{said}, which may be several days")
    return _yes_no(bool(sent) and sent <= days, said)


def days_meant(wanted: str, context: Context | None) -> frozenset[date]:
    """The days the operand of `$date` means at a place; none when it is no day, or the reference time is not known."""
    if context is None:
        return _days_of(wanted, ())
    return _days_of(wanted, reference_days(context.trace, context.message), context.conventions)


def _days_of(value: object, references: tuple[date, ...], conventions: DateConventions = ANY) -> frozenset[date]:
    """The days a text as a whole means; none when it is no date, or a relative one without references."""
    day = sent_days(value)
    if day is not None:
        return frozenset({day})
    found = phrase(str(value), *references)
    return frozenset() if found is None else found.under(conventions).days


def _instant(wanted: str, got: object, context: Context | None) -> Comparison:
    """The same moment, whatever its offset; a text without one is read at the offset of the reference time."""
    home = reference_moment(context.trace) if context is not None else None
    offset = home.utcoffset() if home is not None else None
    moments = _moments_of(wanted, context, offset)
    if not moments:
        return _undecided(f"{describe(wanted)} cannot be read as a moment")
    said = f"expected the moment {describe(wanted)}, got {describe(got)}"
    sent = moment_of(got)
    if sent is None:
        return Comparison("mismatch", said)
    if sent.tzinfo is None and offset is not None:
        sent = sent.replace(tzinfo=_zone(offset))
    if (sent.tzinfo is None) != (moments[0].tzinfo is None):
        return _undecided(f"{said}; one of them says no offset, and the reference time neither")
    return _yes_no(sent in moments, said)


def _zone(offset: timedelta) -> Any:
    from datetime import timezone

    return timezone(offset)


def _moments_of(wanted: str, context: Context | None, offset: timedelta | None) -> list[datetime]:
    moment = moment_of(wanted)
    if moment is not None:
        found = [moment]
    else:
        references = reference_days(context.trace, context.message) if context is not None else ()
        times = sorted(clock_times(wanted))
        expressions = readings(wanted, *references)
        conventions = context.conventions if context is not None else ANY
        days = sorted(expressions[0].under(conventions).days) if len(expressions) == 1 else []
        found = [datetime(d.year, d.month, d.day, h, m) for d in days for h, m in times]  # noqa: DTZ001 -- the offset follows
    if offset is not None:
        return [m if m.tzinfo is not None else m.replace(tzinfo=_zone(offset)) for m in found]
    return found


# ---- reasons -----------------------------------------------------------------------------------------------------


def _reason(path: str, expected: object, got: object, schema: object = None) -> str:
    said = f"expected {describe(expected)}, got {describe(got)}"
    kinds = json_type(expected), json_type(got)
    if expected is not MISSING and got is not MISSING and kinds[0] != kinds[1] and set(kinds) != {"integer", "number"}:
        declared = _declared(schema, path)
        wanted = f"the schema wants {_ARTICLES[declared]}" if declared else f"{_NOUNS[kinds[0]]} is wanted"
        said += f": {_NOUNS[kinds[1]]} where {wanted}"
    return f"{path}: {said}" if path else said


def member_schema(schema: object, key: str | int) -> object:
    """The schema of a member, as far as plain `properties` and `items` tell."""
    if not isinstance(schema, Mapping):
        return None
    if isinstance(key, int):
        return schema.get("items")
    properties = schema.get("properties")
    return properties.get(key) if isinstance(properties, Mapping) else None


def _declared(schema: object, path: str) -> str | None:
    """The one type a schema declares at a path, or None."""
    for index, name in re.findall(r"\[(\d+)\]|([^.\[\]\"]+)", path):
        schema = member_schema(schema, int(index) if index else name)
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) and kind in _ARTICLES else None


_NOUNS: Final = {
    "null": "null", "boolean": "a boolean", "integer": "a number", "number": "a number", "string": "text",
    "array": "a list", "object": "an object", "missing": "nothing",
}  # fmt: skip
_ARTICLES: Final = {
    "null": "null", "boolean": "a boolean", "integer": "an integer", "number": "a number", "string": "a string",
    "array": "an array", "object": "an object",
}  # fmt: skip
