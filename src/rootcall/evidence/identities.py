"""Identifiers of one kind: which others of its shape a text holds, and which of them an identifier nearly is.

`PT-40817` and `PT-50022` are of one shape: the same letters, about as many digits. `K7PQ2Z` and `M1ZS6D` are: as many
capitals and digits. A word is of no shape. Owns shapes and near misses; what follows from them the arguments layer says.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Final

__all__ = ["alike", "nearest", "same_identifier", "squeezed"]

_PREFIXED: Final = re.compile(r"#?([A-Za-z][A-Za-z_-]{0,23}?)[-_#: ]?(\d{2,16})\Z")
_DIGITS: Final = re.compile(r"#?(\d{5,18})\Z")
_CODE: Final = re.compile(r"(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{5,10}\Z")
_SEPARATORS: Final = re.compile(r"[\W_]+")


@functools.lru_cache(maxsize=4096)
def _shape(value: str) -> re.Pattern[str] | None:
    """The pattern of identifiers that look like this one; None for what has no shape of its own."""
    value = value.strip()
    if m := _DIGITS.match(value):
        return re.compile(rf"(?<![\w.,$€£#/:-])#?\d{{{len(m.group(1))}}}(?![\w/:-]|[.,]\d)")
    if _CODE.match(value):
        return re.compile(rf"(?<![\w-])(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{{{len(value)}}}(?![A-Za-z0-9_-])")
    if m := _PREFIXED.match(value):
        letters = r"[-_ ]?".join(re.escape(w) for w in re.split(r"[-_ ]+", m.group(1)) if w)
        n = len(m.group(2))
        return re.compile(
            rf"(?<![A-Za-z0-9_-])#?{letters}[-_#: ]?\d{{{max(2, n - 1)},{n + 1}}}(?![A-Za-z0-9_]|-\d)", re.IGNORECASE
        )
    return None


@functools.lru_cache(maxsize=4096)
def alike(value: str, text: str) -> tuple[str, ...]:
    """Return the identifiers in a text that have the shape of a value, itself included, each once, as written."""
    shape = _shape(value)
    if shape is None:
        return ()
    found: dict[str, str] = {}
    for m in shape.finditer(text[:20_000]):
        found.setdefault(squeezed(m.group()), m.group())
    return tuple(found.values())


def same_identifier(a: str, b: str) -> bool:
    """Tell whether two texts are one identifier: case and separators do not matter."""
    return squeezed(a) == squeezed(b)


@functools.lru_cache(maxsize=4096)
def squeezed(text: str) -> str:
    """An identifier without case and separators: two that are the same thing have it in common."""
    return _SEPARATORS.sub("", text.casefold())


def nearest(value: str, others: Iterable[str]) -> str | None:
    """Return the one identifier that a value nearly is: one character or two neighbours apart; None of none or several."""
    wanted = squeezed(value)
    near = {o for o in others if _near(wanted, squeezed(o))}
    return near.pop() if len(near) == 1 else None


def _near(a: str, b: str) -> bool:
    if a == b or abs(len(a) - len(b)) > 1 or min(len(a), len(b)) < 4:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) == len(b):
        if a[start + 1 :] == b[start + 1 :]:
            return True
        return a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return longer[start + 1 :] == shorter[start:]
