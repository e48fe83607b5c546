"""How JavaScript reads JSON values of any shape: a field, a length, the elements; and what it makes of them as number or text.

The scorers are given what a user stored, and the original walks through much that nobody meant: a list where an object was
wanted has no fields, a text has a length. What it cannot walk through raises `ScorerError` here, in one line. Truth,
equality and rounding belong to `rootcall.mastra.javascript`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.jsonvalue import json_type
from rootcall.mastra.javascript import double, is_number, number_text, truthy, units

__all__ = ["SPACE", "absent", "as_number", "as_text", "elements", "field", "identity", "item", "joined", "length", "objects", "plus", "properties", "sized"]  # fmt: skip

SPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The characters that are white space, as they stand between the brackets of a regular expression."""

_DECIMAL: Final = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\Z")
_BASED: Final = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)\Z")
_EDGES: Final = re.compile(f"\\A[{SPACE}]+|[{SPACE}]+\\Z")


def absent(value: object) -> bool:
    """Tell whether the value is null or not there: what `??` and `?.` pass over."""
    return value is None or value is UNSET


def field(value: object, key: str) -> Any:
    """Return the field of an object, `UNSET` where it has none; a list, a text and other scalars have none.

    Raises:
        ScorerError: the value is null or not there.
    """
    if isinstance(value, Mapping):
        return value.get(key, UNSET)
    if absent(value):
        raise ScorerError(f"expected an object with {key!r}, got {_type(value)}; give an object in its place")
    return UNSET


def length(value: object) -> Any:
    """Return how many elements a list or UTF-16 units a text has; of an object whatever stands in its `length`.

    Raises:
        ScorerError: the value is null or not there.
    """
    if isinstance(value, str):
        return len(units(value))
    return len(value) if isinstance(value, list | tuple) else field(value, "length")


def sized(value: object) -> bool:
    """Tell whether the value is there and longer than nothing."""
    return truthy(value) and as_number(length(value)) > 0


def item(value: object, index: int) -> Any:
    """Return the element at an index, from 0; `UNSET` where there is none."""
    if isinstance(value, str):
        value = units(value)
    if isinstance(value, Mapping):
        return value.get(str(index), UNSET)
    return value[index] if isinstance(value, list | tuple | str) and index < len(value) else UNSET


def elements(value: object, what: str) -> list[Any]:
    """Return what a loop over the value goes through: the elements of a list, the characters of a text.

    Raises:
        ScorerError: it is neither; `what` names it.
    """
    if isinstance(value, str):
        return list(value)
    if isinstance(value, list | tuple):
        return list(value)
    raise ScorerError(f"{what}: expected a list, got {_type(value)}")


def objects(value: object, what: str) -> list[Any]:
    """Return the elements of a list, none of which is null.

    Raises:
        ScorerError: it is no list, or an element is null; `what` names it.
    """
    if not isinstance(value, list | tuple):
        raise ScorerError(f"{what}: expected a list, got {_type(value)}")
    for n, element in enumerate(value):
        if absent(element):
            raise ScorerError(f"{what}[{n}]: expected an object, got null")
    return list(value)


def properties(value: object) -> dict[str, Any]:
    """Return what an object takes over that is built from the value: its fields, the elements of a list or text by index."""
    if isinstance(value, str):
        value = units(value)
    if isinstance(value, list | tuple | str):
        return {str(n): element for n, element in enumerate(value)}
    return dict(value) if isinstance(value, Mapping) else {}


def identity(value: object) -> object:
    """Return what tells the value from others in a set, as in JavaScript's: scalars by value, lists and objects themselves."""
    if isinstance(value, bool) or absent(value):
        return bool, value
    if is_number(value):
        return float, double(value)
    return (str, units(value)) if isinstance(value, str) else (object, id(value))


def as_text(value: object) -> str:
    """Return the text that stands for the value in a sentence: `null`, `1`, the elements of a list joined by commas.

    Raises:
        ScorerError: an object has a field `toString`, which is not the function that would be asked for its text.
    """
    if isinstance(value, str):
        return value
    if absent(value):
        return "null" if value is None else "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, list | tuple):
        return joined(value, ",")
    if isinstance(value, Mapping) and "toString" in value:
        raise ScorerError("an object with a field 'toString' has no text; expected a text in its place")
    return "[object Object]"


def joined(values: Iterable[object], separator: str) -> str:
    """Join the texts of values; null ones have none.

    Raises:
        ScorerError: as in `as_text`.
    """
    return separator.join("" if absent(v) else as_text(v) for v in values)


def as_number(value: object) -> float:
    """Return the value as a number: null and "" as 0, true as 1, a text as what it says; NaN where it says none.

    Raises:
        ScorerError: as in `as_text`.
    """
    if is_number(value):
        return double(value)
    if absent(value):
        return 0.0 if value is None else math.nan
    if isinstance(value, bool):
        return float(value)
    text = _EDGES.sub("", as_text(value))
    if not text:
        return 0.0
    if _DECIMAL.match(text):
        return float(text)
    return double(int(text, 0)) if _BASED.match(text) else math.nan


def plus(a: object, b: object) -> Any:
    """Return `a + b`: the sum of numbers, whole where both are; one text where either is a text, a list or an object.

    Raises:
        ScorerError: as in `as_text`.
    """
    if any(isinstance(v, str | list | tuple | Mapping) for v in (a, b)):
        return as_text(a) + as_text(b)
    total = as_number(a) + as_number(b)
    return int(total) if isinstance(a, int) and isinstance(b, int) and abs(total) < 2**53 else total


def _type(value: object) -> str:
    return "nothing" if value is UNSET else json_type(value)
