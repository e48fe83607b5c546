"""Numbers misread: the wrong decimal mark, a multiplier or a dozen left out, a word heard as another, a result's unit.

Adds to `arguments/unit-slip` the amounts that a result stated in another unit; those the user stated are
`rootcall.layers.arguments.amounts`'.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.derivations import finite, number_in
from rootcall.evidence.facts import Fact, trace_facts
from rootcall.evidence.mention import Mention
from rootcall.evidence.number_words import Spelled, spelled_numbers
from rootcall.evidence.provenance import user_texts
from rootcall.evidence.units import Unit, convert, unit_of
from rootcall.evidence.values import amounts, mentions
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import Hinted
from rootcall.trace import Trace, per_trace

__all__ = ["marks_misread", "number_misread", "unit_slip_of_result"]


class _Stated(msgspec.Struct, frozen=True):
    """A number the user stated: its right readings, and what it becomes when it is misread, in the unit wanted."""

    text: str
    right: tuple[float, ...]
    wrong: tuple[float, ...]


@emits(
    Rule(
        name="arguments/number-misread",
        looks_at='Numbers against the one number of the turn they can be a misreading of: the decimal mark of another country ("1.250,00" '
        'sent as 1.25, "72,5" as 725), a multiplier or a dozen left out ("54 Tsd." as 54, "two dozen" as 2), a number word '
        "taken for another (thirteen as 30, einundzwanzig as 12).",
        why="The digits look right, so nobody notices. Not judged where the sent number stands in the conversation or a result as it "
        "is, where a country's reading gives it (1.250 may be either), or where two numbers could have given it.",
        fails='user: "1.250,00 Euro"; pay(amount=1.25)',
        passes="pay(amount=1250)",
        grade="likely",
    )
)
def number_misread(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge numeric arguments against the user's numbers of the turn."""
    for s in sent(trace):
        for p in s.places:
            number = _quantity(p)
            if number is not None and number != 0:
                found = _misread(s, p, number)
                if found is not None:
                    yield found


_ONE_FIGURE: Final = re.compile(r"\D*\d+(?:[.,'’\u00a0\u202f ]\d+)+\D*")


def marks_misread(s: Sent, p: Place, said: str) -> bool:
    """Tell whether `number-misread` finds an argument, where what was said is one figure with marks: no unit slipped then."""
    number = _quantity(p)
    return number is not None and _ONE_FIGURE.fullmatch(said) is not None and _misread(s, p, number) is not None


def _quantity(p: Place) -> float | None:
    """The number an argument holds, when it is a quantity: no identifier, code or day."""
    if p.parameter.identifier or p.parameter.day or p.parameter.common_code or p.parameter.schema.get("enum"):
        return None
    if p.parameter.types and not p.parameter.types & {"number", "integer"}:
        return None
    if isinstance(p.value, str):
        return float(p.value) if re.fullmatch(r"-?\d{1,12}(?:\.\d{1,6})?", p.value) else None
    return finite(p.value)


_IN_THOUSANDS: Final = Hinted(
    r"\b(?:thousands?|millions?|tausend|millionen|miles|millones|milliers|k)\b|천|만|百万|千|万",
    "thousand tausend mil k",
)


def _misread(s: Sent, p: Place, number: float) -> Check | None:
    now, earlier = user_texts(s.trace, s.call)
    if not now or _IN_THOUSANDS.search(p.parameter.description):
        return None
    unit = unit_of(p.parameter)
    stated = [x for text in now for x in _stated(text, unit)]
    if not any(_is(number, w) for x in stated for w in x.wrong):
        return None
    if any(_is(number, r) for x in stated for r in x.right) or any(
        number_in(text, number) is not None for text in (*now, *earlier)
    ):
        return None
    others = [n for q in s.places if q.path != p.path and (n := finite(q.value)) is not None]
    free = [x for x in stated if not any(_is(o, r) for o in others for r in x.right)]
    meant = [x for x in free if any(_is(number, w) for w in x.wrong)]
    if len(meant) != 1 or _is_known(s, p, number):
        return None
    right = meant[0].right[0]
    expected = int(right) if right.is_integer() else right
    message = f"the user said {shown(meant[0].text)}, which is {expected}; {p.path} is {shown(p.value)}"
    return s.check("number-misread", "fail", message, place=p, grade="likely", expected=expected)


def _is(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def _is_known(s: Sent, p: Place, number: float) -> bool:
    """The number is the schema's default, or stands in an earlier result."""
    if p.parameter.schema.get("default") == number:
        return True
    facts = trace_facts(s.trace)
    return any(
        finite(f.value) == number for call in s.trace.calls if call.step < s.call.step for f in facts.get(call.at, ())
    )


@functools.lru_cache(maxsize=4096)
def _stated(text: str, unit: Unit | None) -> tuple[_Stated, ...]:
    """The numbers of a text that a numeric argument of a unit, or of none, can have been made of."""
    return tuple(_numbers_of(text, unit))


def _numbers_of(text: str, unit: Unit | None) -> Iterator[_Stated]:
    spelled = spelled_numbers(text)
    for m in mentions(text):
        if m.kind != "number" or any(w.start <= m.start < w.end for w in spelled):
            continue
        factor = 1.0
        if unit is not None:
            if m.unit is None or (wanted := convert(1.0, m.unit, unit)) is None or "temperature" in unit.dimension:
                continue
            factor = wanted
        right = {abs(r) for r in m.readings} | {r for a in amounts(text) if a.start == m.start for r in a.readings}
        yield _in_unit(m.text, right, _misreadings(m), factor, unit)
    if unit is None:
        yield from (_Stated(w.text, (float(w.value),), tuple(_misheard(w))) for w in spelled)


def _in_unit(text: str, right: set[float], wrong: set[float], factor: float, unit: Unit | None) -> _Stated:
    """Readings in the unit wanted; a misreading is cut to whole units where a minor unit is wanted."""
    first = [r * factor for r in sorted(right, reverse=True)]
    cut = {float(f(w * factor)) for w in wrong for f in (round, math.floor)} if factor > 1 else set()
    misread = {w * factor for w in wrong} | cut
    return _Stated(text, tuple(first), tuple(w for w in misread if w and not any(_is(w, r) for r in first)))


_AMOUNT: Final = re.compile(r"\d[\d.,'’\u00a0\u202f ]*\d|\d")
_MARK: Final = re.compile(r"[.,]")


def _misreadings(m: Mention) -> set[float]:
    """What the digits of a number become under other marks, or without its multiplier."""
    found: set[float] = set()
    digits = _AMOUNT.findall(m.text)
    if not digits:
        return found
    plain = re.sub(r"[^\d.,]", "", digits[0])
    parts = _MARK.split(plain)
    if 1 < len(parts) <= 4 and all(parts):
        # Two decimals without the mark may be a count of cents that nobody announced; without a unit it may be a version.
        if m.unit is not None and not (len(parts[-1]) == 2 and m.unit.dimension.startswith("money")):
            found.add(float("".join(parts)))
        found.update(float(f"{''.join(parts[:i])}.{parts[i]}") for i in range(1, len(parts)))
        found.update(float(f"{''.join(parts[:i])}.{''.join(parts[i:])}") for i in range(1, len(parts)))
    small = float(".".join(parts)) if len(parts) <= 2 else math.inf
    # 298K is a temperature before it is thousands, and 5M a length.
    money = m.unit is not None and m.unit.dimension.startswith("money")
    if abs(m.readings[0]) >= 100 * small and (money or not re.search(r"\d[A-Za-z]", m.text)):
        found.add(small)
        if len(digits) > 1 and len(parts) == 1:
            rest = re.sub(r"\D", "", digits[1])
            found.update((float(f"{plain}.{rest}"), float(plain + rest)))
    return found


def _misheard(word: Spelled) -> Iterator[float]:
    """The numbers a number word is taken for: thirteen and thirty, einundzwanzig and zwölf, a dozen left out."""
    n = word.value
    if n % 12 == 0 and re.search(r"do[zc]en|dutzend|docena|douzaine", word.text, re.IGNORECASE):
        yield from (float(x) for x in {n // 12, n // 12 * 10} if x and x != n)
    elif 13 <= n <= 19:
        yield float((n - 10) * 10)
    elif 30 <= n <= 90 and n % 10 == 0:
        yield float(n // 10 + 10)
    elif n > 20 and n % 11 and n % 10 and "und" in word.text.casefold():
        yield float(n % 10 * 10 + n // 10)


@emits("arguments/unit-slip")
def unit_slip_of_result(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge numbers with a unit against the fields of earlier results: the digits were copied, not converted."""
    for s in sent(trace):
        for p in s.places:
            unit = unit_of(p.parameter)
            number = _quantity(p) if unit is not None else None
            if unit is not None and number is not None and (abs(number) > 12 or not number.is_integer()):
                found = _copied(s, p, unit, number)
                if found is not None:
                    yield found


class _Measured(NamedTuple):
    """The numbers of all results: by the number as it stands, and by what it measures in base units."""

    by_number: dict[float, list[tuple[Fact, float, Unit | None]]]
    by_size: dict[tuple[str, float], list[Fact]]


@per_trace
def _measured(trace: Trace) -> _Measured:
    found = _Measured({}, {})
    for facts in trace_facts(trace).values():
        for f in facts:
            for value, of in () if f.count or f.transport else f.values:
                found.by_number.setdefault(value, []).append((f, value, of))
                if of is not None:
                    key = of.dimension.partition(":")[0], _rounded(value * of.factor)
                    found.by_size.setdefault(key, []).append(f)
    return found


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")


def _copied(s: Sent, p: Place, unit: Unit, number: float) -> Check | None:
    kind = unit.dimension.partition(":")[0]
    if kind == "temperature":
        return None
    measured = _measured(s.trace)
    if any(f.call.step < s.call.step for f in measured.by_size.get((kind, _rounded(number * unit.factor)), ())):
        return None  # it stands there in the unit wanted
    slips: dict[float, str] = {}
    for f, value, of in measured.by_number.get(number, ()):
        if f.call.step < s.call.step:
            wanted = None if of is None else convert(value, of, unit)
            if of is None or wanted is None:
                return None
            slips[wanted] = f"the result of {f.call.tool} has {f.field} {value:g} in {of.name}"
    now, earlier = user_texts(s.trace, s.call)
    if slips and any(number_in(text, number) is not None for text in (*now, *earlier)):
        return None
    if len(slips) != 1:
        return None
    wanted, said = next(iter(slips.items()))
    expected = int(wanted) if wanted.is_integer() else wanted
    message = f"{p.path} wants {unit.name}; {said}, {shown(p.value)} was sent unconverted"
    return s.check("unit-slip", "fail", message, place=p, grade="likely", expected=expected)
