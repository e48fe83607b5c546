"""What JavaScript makes of JSON values, as far as Mastra's scorers depend on it.

This module owns truth, strict equality, rounding and the one text of a JSON value as JavaScript has them. The project's own
equality is in `rootcall.jsonvalue` and differs on purpose: here key order counts, numbers are doubles and a list equals only
itself. A value that is not there is `UNSET` (JavaScript's undefined), which is another thing than `None`. Pure functions
that never raise on JSON values of any depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring
from typing import Final

from msgspec import UNSET

from rootcall.readers.invocations import double, truthy

__all__ = ["double", "is_number", "number_text", "round_half_up", "round_two", "same", "stringify", "truthy", "units"]

_LARGEST_INDEX: Final = 2**32 - 2
_EPSILON: Final = 2.0**-52
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def same(a: object, b: object) -> bool:
    """Tell whether `a === b`: scalars of one type by value, numbers as doubles, lists and objects only when identical.

    `True` is not 1, 1 is 1.0, 2^53 + 1 is 2^53, NaN is not itself.
    """
    if isinstance(a, str) and isinstance(b, str):  # first, since names are compared most
        return a == b or units(a) == units(b)
    if is_number(a) and is_number(b):
        return double(a) == double(b)
    return a is b


def stringify(value: object) -> str | None:
    """Return the text of `JSON.stringify(value)`, None for a value that is not there.

    The order of keys is kept, but array indexes (`"0"` to `"4294967294"`) come first, ascending. Numbers stand as the double
    they become: 1.0 as `1`, -0 as `0`, 2^53 + 1 as `9007199254740992`, one too large for a double as `null`.
    """
    if value is UNSET:
        return None
    out: list[str] = []
    open_ends: list[tuple[Iterator[tuple[str, object]], str]] = []
    prefix, current = "", value
    while True:
        out.append(prefix)
        if isinstance(current, Mapping):
            out.append("{")
            open_ends.append((_members(current), "}"))
        elif isinstance(current, list | tuple):
            out.append("[")
            open_ends.append((_items(current), "]"))
        else:
            out.append(_scalar(current))
        while open_ends:
            rest, closing = open_ends[-1]
            following = next(rest, None)
            if following is not None:
                prefix, current = following
                break
            out.append(closing)
            open_ends.pop()
        else:
            return "".join(out)


def round_half_up(x: float) -> float:
    """Return the nearest whole number, of two alike the greater (`Math.round`): 2.5 to 3, -2.5 to -2. NaN and infinity stay."""
    if not math.isfinite(x):
        return x
    below = math.floor(x)
    return float(below + 1 if x - below >= 0.5 else below)


def round_two(x: float) -> float:
    """Return two decimals as Mastra's helper rounds them: a 2^-52 is added first, so that 1.005 becomes 1.01."""
    return round_half_up((x + _EPSILON) * 100) / 100


def is_number(value: object) -> bool:
    """Tell whether JavaScript calls the value a number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_text(value: float) -> str:
    """Return a number as JavaScript prints it: `1`, `0.1`, `1e+21`, `1e-7`, `NaN`, `-Infinity`."""
    x = double(value)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    if x == 0:
        return "0"
    sign = "-" if x < 0 else ""
    mantissa, _, exponent = repr(abs(x)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = int(exponent or 0) + (len(whole) if whole != "0" else len(digits) - len(fraction))
    digits = digits.rstrip("0")
    return sign + _placed(digits, point)


def units(text: str) -> str:
    """Return the text as JavaScript counts it: a character beyond U+FFFF as its two halves."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    halves = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(halves[i] | halves[i + 1] << 8) for i in range(0, len(halves), 2))


def _placed(digits: str, point: int) -> str:
    """Digits with their decimal point or exponent, by the bounds of ECMAScript's Number::toString."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{point - 1:+d}"


def _scalar(value: object) -> str:
    if value is None or value is UNSET:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value) if math.isfinite(double(value)) else "null"
    if isinstance(value, str):
        return _quoted(value)
    raise TypeError(f"expected a JSON value, got {type(value).__name__}; give what json.loads returns")


def _quoted(text: str) -> str:
    quoted = encode_basestring(text)
    if not _SURROGATE.search(quoted):
        return quoted
    quoted = quoted.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "surrogatepass"
    )  # joins halves side by side
    return "".join(f"\\u{ord(c):x}" if "\ud800" <= c <= "\udfff" else c for c in quoted)


def _items(values: list[object] | tuple[object, ...]) -> Iterator[tuple[str, object]]:
    for n, value in enumerate(values):
        yield ("," if n else ""), value


def _members(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    present = [(k, v) for k, v in values.items() if v is not UNSET]
    indexes = sorted((m for m in present if _is_index(m[0])), key=lambda m: int(m[0]))
    ordered = indexes + [m for m in present if not _is_index(m[0])] if indexes else present
    for n, (key, value) in enumerate(ordered):
        yield f"{',' if n else ''}{_quoted(key)}:", value


def _is_index(key: str) -> bool:
    """Tell whether a key is an array index, written without leading zeros."""
    if not (key.isascii() and key.isdigit() and len(key) <= 10):
        return False
    return (key == "0" or key[0] != "0") and int(key) <= _LARGEST_INDEX
