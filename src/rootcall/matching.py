"""Does a value meet what a case expects? Equality, or a named matcher, with the reason for a no.

`compare` answers `match`, `mismatch`, or `undecided` for matchers that need what a value alone does not hold (a
reference time, an earlier result, a judge); those become unscored checks with a question, never a pass.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from rootcall.case import matcher
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, SCALARS, difference, equal, json_type

__all__ = ["Comparison", "compare", "describe"]

_UNDECIDED: Final = ("$date", "$instant", "$from", "$says", "$judge")


class Comparison(NamedTuple):
    """What comparing gave, and why: `expected 2, got "2": text where a number is wanted`."""

    result: Literal["match", "mismatch", "undecided"]
    reason: str = ""


_MATCH: Final = Comparison("match")


def compare(expected: object, got: object) -> Comparison:
    """Compare a sent value (or `MISSING`) with an expected value or matcher, at any depth."""
    if isinstance(expected, SCALARS):  # the commonest; only an object can be a matcher
        return _plain(expected, got)
    found = matcher(expected)
    if found is not None:
        return _matcher(found[0], found[1], got)
    if isinstance(expected, OBJECTS) and _holds_matcher(expected):
        return _object(expected, got)
    if _is_list(expected) and _holds_matcher(expected):
        return _list(expected, got)  # type: ignore[arg-type]
    return _plain(expected, got)


def _plain(expected: object, got: object) -> Comparison:
    where = difference(expected, got)
    if where is None:
        return _MATCH
    return Comparison("mismatch", _reason(*where))


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
            return Comparison("mismatch", f"{path}: {part.reason}")
    return next((part for _, part in parts if part.result == "undecided"), _MATCH)


def _object(expected: Mapping[str, object], got: object) -> Comparison:
    if not isinstance(got, Mapping):
        return Comparison("mismatch", f"expected an object, got {describe(got)}")
    keys = [*expected, *(k for k in got if k not in expected)]
    return _worst([(str(k), compare(expected.get(k, MISSING), got.get(k, MISSING))) for k in keys])


def _list(expected: Sequence[object], got: object) -> Comparison:
    if not _is_list(got) or len(got) != len(expected):  # type: ignore[arg-type]
        return Comparison("mismatch", f"expected a list of {len(expected)}, got {describe(got)}")
    return _worst([(f"[{i}]", compare(e, g)) for i, (e, g) in enumerate(zip(expected, got, strict=True))])  # type: ignore[call-overload]


def _yes_no(yes: bool, reason: str) -> Comparison:
    return _MATCH if yes else Comparison("mismatch", reason)


def _matcher(name: str, operand: Any, got: object) -> Comparison:
    said = f"expected {name} {describe(operand)}, got {describe(got)}"
    match name:
        case "$literal":
            return _yes_no(equal(operand, got), said)
        case "$any":
            return _yes_no(got is not MISSING, said)
        case "$absent":
            return _yes_no((got is MISSING) == bool(operand), said)
        case "$one_of":
            parts = [compare(o, got) for o in operand]
            if any(p.result == "match" for p in parts):
                return _MATCH
            return next((p for p in parts if p.result == "undecided"), Comparison("mismatch", said))
        case "$not":
            inner = compare(operand, got)
            return inner if inner.result == "undecided" else _yes_no(inner.result == "mismatch", said)
        case "$casefold":
            return _yes_no(isinstance(got, str) and _folded(str(operand)) == _folded(got), said)
        case "$regex":
            return _yes_no(isinstance(got, str) and re.search(str(operand), got) is not None, said)
        case "$contains":
            return _yes_no(_contains(operand, got), said)
        case "$range" | "$approx" | "$unordered":
            return _numeric_or_set(name, operand, got, said)
    if name in _UNDECIDED:
        return Comparison("undecided", f"{name} is not decided by the value alone")
    return Comparison("undecided", f"unknown matcher {name}")


def _numeric_or_set(name: str, operand: Any, got: object, said: str) -> Comparison:
    if name == "$unordered":
        if not _is_list(got) or len(got) != len(operand):  # type: ignore[arg-type]
            return Comparison("mismatch", said)
        return _yes_no(_assignable(operand, list(got)), said)  # type: ignore[call-overload]
    if not isinstance(got, int | float) or isinstance(got, bool):
        return Comparison("mismatch", said)
    if name == "$range":
        low, high = operand
        return _yes_no((low is None or low <= got) and (high is None or got <= high), said)
    value, tolerance = operand
    return _yes_no(math.isclose(got, value, rel_tol=tolerance), said)


def _assignable(expected: Sequence[object], got: list[object]) -> bool:
    """Tell whether a one-to-one assignment of equal members exists (augmenting paths, so order never matters)."""
    owner: dict[int, int] = {}

    def assign(i: int, seen: set[int]) -> bool:
        for j, value in enumerate(got):
            if j not in seen and compare(expected[i], value).result == "match":
                seen.add(j)
                if j not in owner or assign(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    return all(assign(i, set()) for i in range(len(expected)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _contains(part: object, got: object) -> bool:
    if isinstance(got, str):
        return isinstance(part, str) and unicodedata.normalize("NFC", part) in unicodedata.normalize("NFC", got)
    if _is_list(got):
        return any(compare(part, g).result == "match" for g in got)  # type: ignore[attr-defined]
    return False


def _reason(path: str, expected: object, got: object) -> str:
    said = f"expected {describe(expected)}, got {describe(got)}"
    kinds = json_type(expected), json_type(got)
    if expected is not MISSING and got is not MISSING and kinds[0] != kinds[1] and set(kinds) != {"integer", "number"}:
        said += f": {_noun(kinds[1])} where {_noun(kinds[0])} is wanted"
    return f"{path}: {said}" if path else said


_NOUNS: Final = {
    "null": "null", "boolean": "a boolean", "integer": "a number", "number": "a number", "string": "a text",
    "array": "a list", "object": "an object", "missing": "nothing",
}  # fmt: skip


def _noun(kind: str) -> str:
    return _NOUNS[kind]


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)


def describe(value: object, limit: int = 80) -> str:
    """A value as short JSON for a message; `nothing` for `MISSING`."""
    if value is MISSING:
        return "nothing"
    try:
        text = _ENCODER.encode(value)
    except (RecursionError, ValueError):
        return "a deeply nested value"
    return text if len(text) <= limit else text[: limit - 1] + "…"
