"""A value that stands in a text, as a record, and what its digits allow: hedges and precision."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from rootcall.evidence.units import Unit

__all__ = ["Mention", "digits", "hedge_bounds"]

Kind = Literal["number", "date", "time", "code"]
Hedge = Literal["", "about", "over", "under"]


class Mention(msgspec.Struct, frozen=True, gc=False):
    """A value that stands in a text at `[start, end)`.

    For numbers `readings` holds the possible values, the likeliest first, in the written unit; `decimals` is the number
    of decimals shown, `step` the size of the last digit shown (0.01, 1, 100 for "12.4k" …), `hedge` what a word
    before it says about its exactness, `word` whether it is written in letters. For dates `readings` is
    `(month * 100 + day,)` and `year` the year or None; for times minutes since midnight, two readings when a.m. or p.m.
    is open.
    """

    kind: Kind
    text: str
    start: int
    end: int
    readings: tuple[float, ...] = ()
    unit: Unit | None = None
    decimals: int = 0
    step: float = 1.0
    hedge: Hedge = ""
    year: int | None = None
    word: bool = False

    @property
    def percent(self) -> bool:
        """Whether it is written as a percentage."""
        return self.unit is not None and self.unit.dimension == "percent"


def hedge_bounds(mention: Mention) -> tuple[float, float]:
    """The values a hedged number covers, by its last digit that is not a trailing zero.

    "About 8,000" is 7,500 to 8,500, "over 400" is 400 to 500, "almost 400" is 300 to 400.
    """
    value, step = mention.readings[0], mention.step
    size = abs(value)
    while size and math.isclose(math.fmod(size, step * 10), 0.0, abs_tol=step * 1e-6) and step * 10 <= size:
        step *= 10
    if mention.hedge == "about":
        return value - step / 2, value + step / 2
    return (value, value + step) if mention.hedge == "over" else (value - step, value)


def digits(value: float, decimals: int) -> str:
    """The digits of a number as shown, without marks and leading zeros: `digits(45.0, 2)` → `4500`."""
    return f"{abs(value):.{decimals}f}".replace(".", "").lstrip("0")
