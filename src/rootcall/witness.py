"""A value that meets a piece of gold and the tool's schema: what an agent would send that did just what the case asks.

Scoring such values against the gold they come from shows gold that nothing can meet. The answer is `OPEN` where no value
can be named and none can be excluded (`$from`, `$judge`, most patterns), and `Never` where it is certain that no value meets
both: a right run may send any value that does, not just the first one thought of. Numbers are `rootcall.intervals`'s.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple

from rootcall.case import Case, matcher
from rootcall.evidence.clock import moment_of
from rootcall.evidence.schema import compile_schema
from rootcall.evidence.schema_forms import resolve
from rootcall.intervals import numbers_in
from rootcall.jsonvalue import MISSING, describe
from rootcall.matching import Context, compare, days_meant
from rootcall.trace import Trace

__all__ = ["OPEN", "Never", "Wanted", "ways", "witness"]


class _Open:
    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()
"""No value can be given without more than the gold holds, and none can be excluded."""


class Never(NamedTuple):
    """No value meets both the gold and the schema, and why."""

    reason: str


class Wanted(NamedTuple):
    """Where a piece of gold stands: its case, the schema of the place, and the whole schema for references."""

    case: Case
    schema: Mapping[str, Any]
    root: Mapping[str, Any]

    def below(self, key: str | int) -> Wanted:
        """The same for a member."""
        named = self.schema.get("properties")
        inner = self.schema.get("items") if isinstance(key, int) else (named or {}).get(key) if _object(named) else None
        return self._replace(schema=resolve(inner, self.root))

    @property
    def types(self) -> tuple[str, ...]:
        """The declared types; none when any will do."""
        kind = self.schema.get("type")
        return (kind,) if isinstance(kind, str) else tuple(k for k in kind or () if isinstance(k, str))

    @property
    def listed(self) -> list[Any] | None:
        """The values of a closed list of the schema, or None."""
        if "const" in self.schema:
            return [self.schema["const"]]
        if self.types == ("boolean",):
            return [True, False]
        found = self.schema.get("enum")
        return found if isinstance(found, list) and found else None

    def admits(self, value: object) -> bool | None:
        """Whether the schema of the place takes a value; None when that cannot be asked."""
        if not self.schema:
            return True
        shared = {k: self.root[k] for k in ("$defs", "definitions") if k in self.root}
        faults = compile_schema({**shared, **self.schema}).faults(value)  # type: ignore[arg-type]
        return None if faults is None else all(f.grade == "hint" for f in faults)

    @property
    def context(self) -> Context:
        """What a matcher can look at: of the trace only what the case knows."""
        return Context(self.case.fill(Trace("gold")))


def _object(value: object) -> bool:
    return isinstance(value, Mapping)


def ways(gold: object, wanted: Wanted) -> list[tuple[object, Any]]:
    """The ways a top-level `$one_of` offers, each with its witness; else the gold itself with the one witness."""
    found = matcher(gold)
    if found is not None and found[0] == "$one_of":
        return [way for option in found[1] for way in ways(option, wanted)]
    return [(gold, witness(gold, wanted))]


def witness(gold: object, wanted: Wanted) -> Any:
    """Return a value that meets the gold, `MISSING` where it wants the argument left out, else `OPEN` or a `Never`.

    Plain values are their own witness, whatever the schema says of them.
    """
    found = matcher(gold)
    if found is not None:
        return _meeting(found[0], found[1], wanted)
    if isinstance(gold, Mapping):
        members = {k: witness(v, wanted.below(str(k))) for k, v in gold.items()}
        odd = _undone(members.values())
        return odd if odd is not None else {k: v for k, v in members.items() if v is not MISSING}
    if isinstance(gold, Sequence) and not isinstance(gold, str | bytes):
        return _members(gold, wanted)
    return gold


def _undone(members: Iterable[Any]) -> Any:
    """The `Never` or `OPEN` among members, which then holds for the whole; None when all have a witness."""
    found = [m for m in members if m is OPEN or isinstance(m, Never)]
    return next((m for m in found if m is not OPEN), found[0] if found else None)


def _members(gold: Sequence[object], wanted: Wanted) -> Any:
    if "prefixItems" in wanted.schema:
        return OPEN if any(matcher(g) for g in gold) else list(gold)
    members = [OPEN if (m := witness(g, wanted.below(0))) is MISSING else m for g in gold]
    odd = _undone(members)
    return members if odd is None else odd


# The JSON types of the values that can meet a matcher.
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "$regex": ("string",), "$casefold": ("string",), "$date": ("string",), "$instant": ("string", "number", "integer"),
    "$range": ("number", "integer"), "$approx": ("number", "integer"), "$unordered": ("array",),
    "$contains": ("string", "array"),
}  # fmt: skip

_WORDS: Final = {"string": "a text", "number": "a number", "array": "a list"}


def _meeting(name: str, operand: Any, wanted: Wanted) -> Any:
    kinds = _KINDS.get(name, ())
    if name == "$contains" and not isinstance(operand, str) and (matcher(operand) or ("",))[0] != "$from":
        kinds = ("array",)
    if kinds and wanted.types and not {*kinds} & {*wanted.types}:
        met = " or ".join(_WORDS[k] for k in kinds if k != "integer")
        return Never(f"{describe({name: operand})} is met by {met} only, the schema wants {' or '.join(wanted.types)}")
    match name:
        case "$literal":
            return operand
        case "$absent":
            return MISSING
        case "$one_of":
            return _first([witness(o, wanted) for o in operand], wanted)
        case "$not":
            # Leaving an argument out meets it too.
            found = _of_list(name, operand, wanted)
            return MISSING if isinstance(found, Never) else OPEN if found is None else found
        case "$unordered":
            return _members(operand, wanted)
    if not kinds:
        return OPEN
    listed = _of_list(name, operand, wanted)
    return listed if listed is not None else _unlisted(name, operand, wanted)


def _first(values: Sequence[Any], wanted: Wanted) -> Any:
    """Of the witnesses of several ways the one to send."""
    real = [v for v in values if v is not OPEN and v is not MISSING and not isinstance(v, Never)]
    sound = next((v for v in real if wanted.admits(v) is not False), OPEN)
    if sound is not OPEN or OPEN in values or not values:
        return sound
    return MISSING if MISSING in values else real[0] if real else values[0]


def _of_list(name: str, operand: Any, wanted: Wanted) -> Any:
    """Of the values the schema lists one that meets the matcher; None when it lists none."""
    if wanted.listed is None:
        return None
    results = [(v, compare({name: operand}, v, wanted.context).result) for v in wanted.listed]
    sound = [(v, r) for v, r in results if r != "mismatch" and wanted.admits(v) is not False]
    if not sound:
        return Never(f"none of the values that the schema lists meets {describe({name: operand})}")
    return next((v for v, r in sound if r == "match"), OPEN)


def _unlisted(name: str, operand: Any, wanted: Wanted) -> Any:
    match name:
        case "$range" | "$approx":
            return _number(name, operand, wanted)
        case "$casefold":
            return _casefolded(operand, wanted)
        case "$contains":
            return _containing(operand, wanted)
        case "$date":
            return _day(operand, wanted)
        case "$instant":
            return _moment(operand, wanted)
    return OPEN


def _number(name: str, operand: Sequence[Any], wanted: Wanted) -> Any:
    if any(matcher(o) for o in operand):
        return OPEN
    tried, empty = numbers_in(name, operand, wanted.schema, whole="number" not in wanted.types and bool(wanted.types))
    for number in tried:
        if compare({name: operand}, number).result == "match" and wanted.admits(number):
            return number
    if not empty:
        return OPEN
    keys = ("type", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")
    says = ", ".join(f"{k} {describe(wanted.schema[k])}" for k in keys if k in wanted.schema)
    return Never(f"no number meets both {describe({name: operand})} and the schema: {says}")


def _casefolded(operand: Any, wanted: Wanted) -> Any:
    if not isinstance(operand, str):
        return OPEN
    for text in (operand, operand.lower(), operand.upper(), operand.title(), operand.capitalize()):
        if compare({"$casefold": operand}, text).result == "match" and wanted.admits(text):
            return text
    # A character may fold to three, and be written as several.
    return _by_length(
        {"$casefold": operand}, -(-len(operand) // 3), len(operand) if operand.isascii() else None, wanted
    )


def _containing(operand: Any, wanted: Wanted) -> Any:
    if wanted.types == ("array",):
        inner = witness(operand, wanted.below(0))
        if isinstance(inner, Never):
            return inner
        known = inner is not OPEN and inner is not MISSING and "prefixItems" not in wanted.schema
        return [inner] if known and (wanted.admits([inner]) or wanted.below(0).admits(inner) is False) else OPEN
    if isinstance(operand, str) and "array" not in wanted.types:
        if wanted.types and wanted.admits(operand):
            return operand
        least = len(operand) if operand.isascii() else -(-len(unicodedata.normalize("NFC", operand)) // 3)
        return _by_length({"$contains": operand}, least, None, wanted)
    return OPEN


def _by_length(gold: object, least: int, most: int | None, wanted: Wanted) -> Any:
    """A `Never` when the lengths that the schema and the gold allow have nothing in common, else `OPEN`."""
    shortest, longest = wanted.schema.get("minLength"), wanted.schema.get("maxLength")
    if wanted.types == ("string",):
        if isinstance(longest, int) and least > longest:
            return Never(
                f"a text that meets {describe(gold)} is longer than the {longest} characters the schema allows"
            )
        if isinstance(shortest, int) and most is not None and most < shortest:
            return Never(
                f"a text that meets {describe(gold)} is shorter than the {shortest} characters the schema wants"
            )
    return OPEN


def _day(operand: Any, wanted: Wanted) -> Any:
    """The first day the words mean that the schema takes; open for tools that want it in another form."""
    if not isinstance(operand, str):
        return OPEN
    days = sorted(days_meant(operand, wanted.context))
    return next((d.isoformat() for d in days if wanted.admits(d.isoformat())), OPEN)


def _moment(operand: Any, wanted: Wanted) -> Any:
    """Where the schema wants a day, whether midnight of one is the moment; open elsewhere."""
    moment = moment_of(operand)
    if moment is None or wanted.schema.get("format") != "date" or wanted.types != ("string",):
        return OPEN
    try:
        days = [(moment + timedelta(days=n)).date().isoformat() for n in (-1, 0, 1)]
    except OverflowError:
        return OPEN
    results = {d: compare({"$instant": operand}, d, wanted.context).result for d in days}
    if all(r == "mismatch" for r in results.values()):
        return Never(f"{describe({'$instant': operand})} is a moment, the schema wants a day")
    return next((d for d, r in results.items() if r == "match"), OPEN)
