"""JSON values: what equal means, canonical and short text, paths, and the absence of a value.

This module owns equality for the whole project. Anything looser than what stands here is a named matcher of a case.

Equality (`equal`): numbers by value (1 = 1.0, and two numbers within a relative 1e-9 when one of them is a fraction),
integers exactly at any size, `true` is never 1, `null` is never absent, text in Unicode normal form C, key order never
matters, list order always does.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from msgspec import UNSET, UnsetType

__all__ = ["MISSING", "Missing", "canonical", "describe", "difference", "equal", "join_path", "json_type", "walk"]

RELATIVE_TOLERANCE: Final = 1e-9

_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*\Z")


MISSING: Final = UNSET
"""No value at all, which is another thing than `null`. Records leave it out when they are written."""

Missing = UnsetType

# For isinstance. The built-in type stands first: it is what nearly every value is, and asking an abstract class is slow.
OBJECTS: Final = (dict, Mapping)
LISTS: Final = (list, tuple, Sequence)
SCALARS: Final = (str, int, float, NoneType)
# The exact types of most scalars: two values of one of them are equal when Python says so.
PLAIN: Final = frozenset(SCALARS) | {bool}


def json_type(value: object) -> str:
    """Name a value as JSON Schema does: `null boolean integer number string array object`, else `missing`.

    A float with a whole value is an `integer`, as in JSON Schema 2020-12.
    """
    named = _TYPE_NAMES.get(type(value))
    if named is not None:
        return named
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, OBJECTS):
        return "object"
    if isinstance(value, LISTS):
        return "array"
    return "missing"


_TYPE_NAMES: Final[Mapping[type, str]] = {
    NoneType: "null", bool: "boolean", int: "integer", str: "string", dict: "object", list: "array",
}  # fmt: skip


def _numbers_equal(a: float, b: float) -> bool:
    if _exactly_whole(a) and _exactly_whole(b):
        return a == b
    try:
        return a == b or math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    except OverflowError:  # an integer too large for a float equals no fraction
        return False


def _exactly_whole(x: float) -> bool:
    """Tell whether a number is an integer beyond doubt; a float of 2^53 or more may have been rounded to one."""
    return isinstance(x, int) or (x.is_integer() and abs(x) < 2**53)


def _text_equal(a: str, b: str) -> bool:
    if a == b or (a.isascii() and b.isascii()):
        return a == b
    return unicodedata.normalize("NFC", a) == unicodedata.normalize("NFC", b)


def equal(a: object, b: object) -> bool:
    """Tell whether two JSON values are the same value.

    `MISSING` equals only itself. NaN equals NaN, so that a value always equals itself. Nesting of any depth is walked
    without recursion. Never raises on JSON values.
    """
    return difference(a, b) is None


def difference(a: object, b: object) -> tuple[str, object, object] | None:
    """Return the first place where two values differ as `(path, a there, b there)`, or None when they are equal."""
    if isinstance(a, SCALARS):  # most of what is compared: nothing to walk
        return None if _scalars_equal(a, b) else ("", a, b)
    stack: list[tuple[str, object, object]] = [("", a, b)]
    while stack:
        path, x, y = stack.pop()
        if x is y:
            continue
        if isinstance(x, SCALARS) or isinstance(y, SCALARS):
            if not _scalars_equal(x, y):
                return path, x, y
        elif isinstance(x, OBJECTS) and isinstance(y, OBJECTS):
            x, y = _by_plain_key(x), _by_plain_key(y)
            keys = reversed({**x, **y})
            stack += [(join_path(path, k), x.get(k, MISSING), y.get(k, MISSING)) for k in keys]
        elif _is_list(x) and _is_list(y):
            n = max(len(x), len(y))  # type: ignore[arg-type]
            stack += [(join_path(path, i), _item(x, i), _item(y, i)) for i in reversed(range(n))]
        else:
            return path, x, y
    return None


def _by_plain_key(value: Mapping[Any, object]) -> Mapping[str, object]:
    """The members by their keys as text in normal form C."""
    try:
        if "".join(value).isascii():  # all keys in one look; such text is in normal form
            return value
    except TypeError:  # a key that is no text
        pass
    return {unicodedata.normalize("NFC", str(k)): v for k, v in value.items()}


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))


def _item(values: Any, i: int) -> object:
    return values[i] if i < len(values) else MISSING


def _scalars_equal(x: object, y: object) -> bool:
    if isinstance(x, str):
        return isinstance(y, str) and _text_equal(x, y)
    if isinstance(x, bool) or isinstance(y, bool):
        return x is y
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return _numbers_equal(x, y) or (x != x and y != y)  # noqa: PLR0124 -- NaN is the value that differs from itself
    return x is None and y is None


def canonical(value: object) -> str:
    """Return a text that is the same for equal values and differs for unequal ones, up to the 1e-9 of fractions.

    Used to group identical calls. Depth is bounded only by memory.
    """
    out: list[str] = []
    stack: list[object] = [value]
    while stack:
        v = stack.pop()
        if isinstance(v, _Raw):
            out.append(v.text)
        elif isinstance(v, SCALARS):
            out.append(_scalar_text(v))
        elif isinstance(v, OBJECTS):
            named = _by_plain_key(v)
            parts: list[object] = [_Raw("{")]
            for k in sorted(named):
                x = named[k]
                if isinstance(x, SCALARS):
                    parts.append(_Raw(f"{k!r}:{_scalar_text(x)},"))
                else:
                    parts += [_Raw(f"{k!r}:"), x, _Raw(",")]
            stack += reversed([*parts, _Raw("}")])
        elif _is_list(v):
            listed: list[object] = [_Raw("[")]
            for x in v:  # type: ignore[attr-defined]
                listed += [x, _Raw(",")]
            stack += reversed([*listed, _Raw("]")])
        else:
            out.append(_scalar_text(v))
    return "".join(out)


class _Raw:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _scalar_text(v: object) -> str:
    if isinstance(v, bool) or v is None:
        return repr(v)
    if isinstance(v, float):
        if v.is_integer():
            return str(int(v))
        return f"{v:.9e}"
    if isinstance(v, str):
        return repr(v if v.isascii() else unicodedata.normalize("NFC", v))
    return repr(v)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=str)


def describe(value: object, limit: int = 80) -> str:
    """A value as short JSON for a message; `nothing` for `MISSING`."""
    if value is MISSING:
        return "nothing"
    try:
        # The encoder sets itself up anew for whatever is no text.
        text = repr(value) if type(value) is int else _ENCODER.encode(value)
    except (RecursionError, ValueError):
        return "a deeply nested value"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def join_path(path: str, key: str | int) -> str:
    """Append a key or an index to a path: `a`, `a.b`, `a[0]`, `a["odd key"]`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if (key.isascii() and key.isidentifier()) or _PLAIN_KEY.match(key):
        return f"{path}.{key}" if path else key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{escaped}"]'


def walk(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield `(path, scalar)` for every scalar below a value, in document order; empty containers yield themselves."""
    stack: list[tuple[str, object]] = [(path, value)]
    while stack:
        where, v = stack.pop()
        if isinstance(v, SCALARS):
            yield where, v
        elif isinstance(v, OBJECTS) and v:
            stack += reversed([(join_path(where, str(k)), x) for k, x in v.items()])
        elif _is_list(v) and len(v):  # type: ignore[arg-type]
            stack += reversed([(join_path(where, i), x) for i, x in enumerate(v)])  # type: ignore[arg-type, var-annotated]
        else:
            yield where, v
