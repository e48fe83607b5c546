"""A value that meets a piece of gold: what an agent would send that did just what the case asks.

Scoring such values against the gold they come from shows gold that nothing can meet. Where a matcher leaves the value
open (`$from`, `$judge`, most patterns) the answer is `OPEN`, and the place is not tried. Whether what comes out is
sound is `rootcall.lint`'s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from rootcall.case import Case, matcher
from rootcall.evidence.schema_forms import resolve
from rootcall.jsonvalue import MISSING
from rootcall.matching import Context, compare, days_meant
from rootcall.trace import Trace

__all__ = ["OPEN", "Wanted", "choices", "witness"]


class _Open:
    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()
"""No value can be given without more than the gold holds."""


class Wanted(NamedTuple):
    """Where a piece of gold stands: its case, the schema of the place, and the whole schema for references."""

    case: Case
    schema: Mapping[str, Any]
    root: Mapping[str, Any]

    def below(self, key: str | int) -> Wanted:
        """The same for a member."""
        inner = self.schema.get("items") if isinstance(key, int) else (self.schema.get("properties") or {}).get(key)
        return self._replace(schema=resolve(inner, self.root))

    @property
    def types(self) -> tuple[str, ...]:
        """The declared types; none when any will do."""
        kind = self.schema.get("type")
        return (kind,) if isinstance(kind, str) else tuple(k for k in kind or () if isinstance(k, str))


def choices(gold: object, wanted: Wanted) -> list[Any]:
    """The values of a piece of gold, one for each way a top-level `$one_of` offers; else the one witness."""
    found = matcher(gold)
    if found is not None and found[0] == "$one_of":
        return [value for option in found[1] for value in choices(option, wanted)]
    return [witness(gold, wanted)]


def witness(gold: object, wanted: Wanted) -> Any:
    """Return a value that meets the gold, `MISSING` where it wants the argument left out, `OPEN` where none can be given."""
    found = matcher(gold)
    if found is not None:
        return _meeting(found[0], found[1], wanted)
    if isinstance(gold, Mapping):
        members = {k: witness(v, wanted.below(str(k))) for k, v in gold.items()}
        return OPEN if OPEN in members.values() else {k: v for k, v in members.items() if v is not MISSING}
    if isinstance(gold, Sequence) and not isinstance(gold, str | bytes):
        return _listed(gold, wanted)
    return gold


def _listed(gold: Sequence[object], wanted: Wanted) -> Any:
    members = [witness(v, wanted.below(0)) for v in gold]
    return OPEN if any(m is OPEN or m is MISSING for m in members) else members


def _meeting(name: str, operand: Any, wanted: Wanted) -> Any:
    match name:
        case "$literal":
            return operand
        case "$absent":
            return MISSING
        case "$one_of":
            values = [witness(o, wanted) for o in operand]
            return next((v for v in values if v is not OPEN), OPEN)
        case "$unordered":
            return _listed(operand, wanted)
        case "$range":
            return _between(operand, wanted)
        case "$approx":
            value, tolerance = operand
            near = round(value) if _is_number(value) and abs(value) < 1e300 else value
            whole = "integer" in wanted.types and _is_number(tolerance) and math.isclose(near, value, rel_tol=tolerance)
            return near if whole else value if _is_number(value) else OPEN
        case "$contains" if "array" in wanted.types:
            return _listed([operand], wanted)
        case "$casefold" | "$contains" | "$regex" | "$not":
            return _offered(name, operand, wanted)
        case "$date":
            return _day(operand, wanted)
    return OPEN


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _between(bounds: Sequence[Any], wanted: Wanted) -> Any:
    low, high = bounds
    if not all(b is None or _is_number(b) for b in bounds):
        return OPEN
    if low is None or high is None:
        return low if high is None else high
    whole = math.ceil(low)
    return whole if whole <= high else low


def _offered(name: str, operand: Any, wanted: Wanted) -> Any:
    """Of the values the schema lists, one that meets the matcher; else the operand itself where it is an example."""
    listed = wanted.schema.get("enum")
    if not isinstance(listed, list) and wanted.types == ("boolean",):
        listed = [True, False]
    if isinstance(listed, list) and listed:
        # Of a closed list none of which meets the gold, any value shows that nothing can.
        return next((v for v in listed if compare({name: operand}, v).result != "mismatch"), listed[0])
    return operand if name == "$casefold" and isinstance(operand, str) else OPEN


def _day(operand: Any, wanted: Wanted) -> Any:
    """The first day the words mean; open for tools that want something else than a text of a date."""
    if (
        not isinstance(operand, str)
        or wanted.types not in ((), ("string",))
        or wanted.schema.get("format") == "date-time"
    ):
        return OPEN
    days = days_meant(operand, Context(wanted.case.fill(Trace("gold"))))
    return min(days).isoformat() if days else OPEN
