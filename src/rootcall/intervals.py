"""Numbers that a `$range` or an `$approx` and a schema take: which to try, and whether there can be none.

Reckons exactly, with fractions. Whether a number is in fact taken is asked of the matcher and of the schema by
`rootcall.witness`; here stands only what follows from bounds, `multipleOf` and `integer`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

__all__ = ["numbers_in"]


class _Bound(NamedTuple):
    """An end of an interval."""

    value: Fraction
    excluded: bool = False


def numbers_in(
    name: str, operand: Sequence[Any], schema: Mapping[str, Any], *, whole: bool
) -> tuple[list[int | float], bool]:
    """Return numbers to try, the likeliest first, and whether it is certain that no number meets both.

    Args:
        name: `$range` or `$approx`.
        operand: its operand, without matchers in it.
        schema: the schema of the place, references followed.
        whole: the schema wants an integer.
    """
    own_low, own_high = _approx(*operand) if name == "$approx" else _range(*operand)
    if own_low is not None and own_high is not None and own_low.value > own_high.value:
        return [], False  # a fault of the operand, which has a name of its own
    lows = [b for b in (own_low, _bound(schema, "minimum"), _bound(schema, "exclusiveMinimum")) if b is not None]
    highs = [b for b in (own_high, _bound(schema, "maximum"), _bound(schema, "exclusiveMaximum")) if b is not None]
    low = max(lows, default=None)
    high = min(highs, key=lambda b: (b.value, not b.excluded), default=None)
    step = _step(schema, whole=whole)
    wanted = [Fraction(operand[0])] if name == "$approx" else []
    tried = [n for f in _tried(wanted, low, high, step) if (n := _number(f)) is not None]
    return list(dict.fromkeys(tried)), _empty(low, high, step)


def _range(low: Any, high: Any) -> tuple[_Bound | None, _Bound | None]:
    return (None if low is None else _Bound(Fraction(low))), (None if high is None else _Bound(Fraction(high)))


def _approx(value: Any, tolerance: Any) -> tuple[_Bound | None, _Bound | None]:
    """From where to where numbers differ from a value by no more than a part of the larger one."""
    middle, part = Fraction(value), Fraction(tolerance)
    if part >= 1:
        return None, None
    ends = sorted((middle * (1 - part), middle / (1 - part)))
    return _Bound(ends[0]), _Bound(ends[1])


def _bound(schema: Mapping[str, Any], key: str) -> _Bound | None:
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return _Bound(Fraction(value), key.startswith("exclusive"))


def _step(schema: Mapping[str, Any], *, whole: bool) -> Fraction | None:
    """What numbers must be multiples of, or None."""
    given = schema.get("multipleOf")
    fits = isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given) and given > 0
    steps = ([Fraction(str(given))] if fits else []) + ([Fraction(1)] if whole else [])
    if len(steps) == 2:
        a, b = steps
        return Fraction(math.lcm(a.numerator, b.numerator), math.gcd(a.denominator, b.denominator))
    return steps[0] if steps else None


def _tried(
    wanted: list[Fraction], low: _Bound | None, high: _Bound | None, step: Fraction | None
) -> Iterator[Fraction]:
    ends = [b.value for b in (low, high) if b is not None] or [Fraction(0)]
    near = [*wanted, *ends]
    if len(ends) == 2:
        near.append((ends[0] + ends[1]) / 2)
    near += [ends[0] + 1, ends[-1] - 1]
    for size in (step, Fraction(1)):
        if size is not None:
            for f in near:
                yield from (n * size for n in (round(f / size), math.ceil(f / size), math.floor(f / size)))
                yield from ((math.floor(f / size) + n) * size for n in (-1, 2))
    yield from near


def _number(value: Fraction) -> int | float | None:
    if value.denominator == 1:
        return int(value)
    try:
        return float(value)
    except OverflowError:
        return None


def _empty(low: _Bound | None, high: _Bound | None, step: Fraction | None) -> bool:
    if low is None or high is None:
        return False
    if low.value > high.value or (low.value == high.value and (low.excluded or high.excluded)):
        return True
    if step is None:
        return False
    first = math.ceil(low.value / step) * step
    if low.excluded and first == low.value:
        first += step
    return first > high.value or (first == high.value and high.excluded)
