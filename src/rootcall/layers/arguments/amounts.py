"""Numbers in arguments: amounts left in another unit than the argument wants, and bounds the tool states in words."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.provenance import user_texts
from rootcall.evidence.units import Unit, convert, unit_of
from rootcall.evidence.values import amounts
from rootcall.evidence.words import key_words
from rootcall.jsonvalue import walk
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.layers.arguments.numerals import marks_misread
from rootcall.layers.arguments.policy import bounded_arguments
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["policy_bound", "unit_slip"]


def _number(value: Any) -> float | None:
    """A sent number, numeric text included: its type is another rule's business."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        value = value.strip()
        if not re.fullmatch(r"-?\d{1,15}(\.\d+)?", value):
            return None
    if isinstance(value, int | float | str):
        try:
            number = float(value)
        except (OverflowError, ValueError):
            return None
        return number if math.isfinite(number) else None
    return None


@emits(
    Rule(
        name="arguments/unit-slip",
        looks_at="Numbers whose argument names its unit (`amount_cents`, `window_minutes`, `weight_kg`, or the description) against the "
        "amounts the user stated in another unit of the same kind: the digits were copied, not converted.",
        why="$64.00 sent as 64 cents is a valid integer and a refund of nothing. A number that the user or a result also states "
        "in the wanted unit is not judged.",
        fails='user: "refund my $64.00"; issue_refund(amount_cents=64)',
        passes="issue_refund(amount_cents=6400)",
        grade="likely",
    )
)
def unit_slip(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge numbers with a unit against the user's words, this turn's before earlier ones."""
    for s in sent(trace):
        for p in s.places:
            unit = unit_of(p.parameter)
            number = _number(p.value) if unit is not None else None
            if unit is not None and number is not None:
                found = _slipped(s, p, unit, number)
                if found is not None:
                    yield found


class _Stated(msgspec.Struct, frozen=True):
    """An amount the user stated: its readings as said and in the unit wanted, and whether the two units are the same."""

    text: str
    said: tuple[float, ...]
    wanted: tuple[float, ...]
    same: bool


def _stated(texts: tuple[str, ...], unit: Unit) -> list[_Stated]:
    """The amounts in texts that measure what a unit measures."""
    found = []
    for m in (m for text in texts for m in amounts(text)):
        # What "cents" of a currency without minor units would be is not for us to say.
        if m.unit is None or (unit.dimension == "money:?" and m.unit.name in ("KRW", "JPY")):
            continue
        if wanted := [w for r in m.readings if (w := convert(r, m.unit, unit)) is not None]:
            found.append(_Stated(m.text, m.readings, tuple(wanted), m.unit.name == unit.name))
    return found


def _slipped(s: Sent, p: Place, unit: Unit, number: float) -> Check | None:
    now, earlier = user_texts(s.trace, s.call)
    for texts in (now, earlier):
        stated = _stated(texts, unit)
        if any(_near(number, v) for a in stated for v in a.wanted):
            message = f"{p.path} is an amount the user stated, in {unit.name}"
            return s.check("unit-slip", "pass", message, place=p)
        if any(not a.same for a in stated) and _stated_bare(texts, number, stated):
            return None
        if len(stated) == 1 and (slip := _scaled(s, p, unit, number, stated[0])) is not None:
            return slip
        for a in stated:
            if a.same or not any(_near(number, v) for v in a.said):
                continue
            if unit.dimension.startswith("money") and _without_cents(texts):
                return None
            if _in_results(s, p, number):
                return None
            wanted = [int(r) if r.is_integer() else r for r in sorted(a.wanted)]
            message = (
                f"{p.path} wants {unit.name}; the user said {shown(a.text)}, {shown(p.value)} was sent unconverted"
            )
            expected = wanted[0] if len(wanted) == 1 else wanted
            return s.check("unit-slip", "fail", message, place=p, grade="likely", expected=expected)
    return None


def _scaled(s: Sent, p: Place, unit: Unit, number: float, a: _Stated) -> Check | None:
    """The one amount the user stated, sent a hundred or more times too small or too large: 8만 8,000원 sent as 88."""
    wanted = a.wanted[0]
    if not wanted or not number or not a.same or _in_results(s, p, number):
        return None
    if not any(_near(number * power, wanted) for power in (100, 1000, 10_000, 0.01, 0.001, 0.0001)):
        return None
    if abs(number) < abs(wanted) and marks_misread(s, p, a.text):
        return None
    message = f"{p.path} wants {unit.name}; the user said {shown(a.text)}, {shown(p.value)} was sent"
    expected = int(wanted) if wanted.is_integer() else wanted
    return s.check("unit-slip", "fail", message, place=p, grade="likely", expected=expected)


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def _without_cents(texts: tuple[str, ...]) -> bool:
    """Yen and won have no minor unit in use; what "cents" would mean there is not for us to say."""
    return any(re.search(r"[₩¥]|\b(?:KRW|JPY|VND|CLP)\b|원|円", text) for text in texts)


def _stated_bare(texts: tuple[str, ...], number: float, stated: list[_Stated]) -> bool:
    """The number also stands in the user's words without these amounts' units ("3 hours, 3 of us")."""
    written = {str(int(number)), f"{int(number):,}"} if number.is_integer() else {str(number)}
    rest = "\n".join(texts)
    for a in sorted(stated, key=lambda a: -len(a.text)):
        rest = rest.replace(a.text, " ")
    return any(re.search(rf"(?<![\w.,$€£-]){re.escape(w)}(?![\w-]|[.,]\d)", rest) for w in written)


def _in_results(s: Sent, p: Place, number: float) -> bool:
    """An earlier result names this very number under a key that speaks of the same thing or the same unit."""
    own = set(p.parameter.tokens)
    return any(step < s.call.step and own & set(key_words(key)) for step, key in _keyed(s.trace).get(number, ()))


@per_trace
def _keyed(trace: Trace) -> dict[float, list[tuple[int, str]]]:
    """The numbers of all results, of each the first two thousand values, with their keys and the steps of their calls."""
    found: dict[float, list[tuple[int, str]]] = {}
    for call in trace.calls:
        if call.result is None or not isinstance(call.result.payload, dict | list):
            continue
        for path, value in itertools.islice(walk(call.result.payload), _MOST_SCALARS):
            if isinstance(value, int | float) and not isinstance(value, bool):
                key = re.split(r"[.\[]", re.sub(r"\[\d+\]", "", path))[-1]
                found.setdefault(value, []).append((call.step, key))
    return found


_MOST_SCALARS: Final = 2001


_N: Final = r"(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)"
_NOT_A_VALUE: Final = (
    r"(?!\s*(?:[-–]?\s*(?:characters?|chars?|digits?|letters?|words?|decimals?|decimal|places|lines|bytes|times|calls|requests|"
    r"items?|entries|elements|results|per\b|자리|글자|자\b|zeichen|stellen|ziffern))|[-–/.:]?\d|%\s*of)"
)
_UPPER: Final = lazy(
    rf"\b(?:at most|max(?:imum|\.)?(?:\s+(?:value|allowed|of|is))*:?|no more than|not (?:more than|exceed(?:ing)?)|must not exceed|up to|"
    rf"höchstens|maximal|max|como máximo|máximo|au maximum|maximum de)\s*(?:is\s+|of\s+|=\s*|:\s*)?{_N}{_NOT_A_VALUE}|최대\s*{_N}{_NOT_A_VALUE}|"
    rf"(?<![\d.]){_N}\s*(?:or (?:less|fewer|below)|이하|以下)",
    re.IGNORECASE,
)
_LOWER: Final = lazy(
    rf"\b(?:at least|min(?:imum|\.)?(?:\s+(?:value|allowed|of|is))*:?|no (?:less|fewer) than|not less than|mindestens|como mínimo|mínimo|"
    rf"au minimum)\s*(?:is\s+|of\s+|=\s*|:\s*)?{_N}{_NOT_A_VALUE}|최소\s*{_N}{_NOT_A_VALUE}|(?<![\d.]){_N}\s*(?:or (?:more|above)|이상|以上)",
    re.IGNORECASE,
)
_BETWEEN: Final = lazy(
    rf"\b(?:between|from|zwischen|entre|von)\s+{_N}\s+(?:and|to|und|y|et|bis)\s+{_N}{_NOT_A_VALUE}|"
    rf"(?:^|[\s(,:]){_N}\s*(?:-|–|\.\.\.?|~)\s*{_N}(?=\s*(?:$|[),;]|\.(?:\s|$)|inclusive)){_NOT_A_VALUE}",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="arguments/policy-bound",
        looks_at='Numbers against a bound that the argument\'s description states in words ("at most 25", "between 1 and 9", "0-100", '
        "최대 10) while the schema has no keyword for it. Where a policy bounds an argument, by a list, a limit or what earlier results hold, the "
        "policy is asked instead, and a finding is proof.",
        why="The bound was readable before the call, in words, in the house's rules or in what a tool had just returned; the schema does not enforce it.",
        fails='limit: "How many, at most 25"; sent 100',
        passes="sent 25",
        grade="likely",
    )
)
def policy_bound(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge numbers against the words of their argument. Bounds on characters, digits or calls are left alone."""
    ruled = bounded_arguments(trace, case, config)
    for s in sent(trace):
        for p in s.places:
            if (s.call.tool, p.top) in ruled:
                continue
            if not p.parameter.description or not p.parameter.types & {"integer", "number"}:
                continue
            number = _number(p.value)
            if number is None:
                continue
            low, high = _bounds(p.parameter.description)
            if low is None and high is None:
                continue
            outside = (high is not None and number > high) or (low is not None and number < low)
            wanted = " and ".join(
                w
                for w in (
                    f"at least {low:g}" if low is not None else "",
                    f"at most {high:g}" if high is not None else "",
                )
                if w
            )
            if outside:
                message = f"{p.path} is {shown(p.value)}; its description asks for {wanted}"
                yield s.check("policy-bound", "fail", message, place=p, grade="likely", expected=wanted)
            else:
                yield s.check("policy-bound", "pass", f"{p.path} is {wanted}", place=p)


@functools.lru_cache(maxsize=4096)
def _bounds(description: str) -> tuple[float | None, float | None]:
    """The one lower and upper bound a description states; contradicting or unordered ones say nothing."""
    if re.search(r"\d", description) is None:
        return None, None
    low: set[float] = set()
    high: set[float] = set()
    for m in _BETWEEN.finditer(description):
        a, b = (_plain(g) for g in m.groups() if g)
        # Two years or a falling pair are no bounds.
        if a < b and not (1900 <= a <= 2100 and 1900 <= b <= 2100):
            low.add(a)
            high.add(b)
    for pattern, found in ((_UPPER, high), (_LOWER, low)):
        for m in pattern.finditer(description):
            found.update(_plain(g) for g in m.groups() if g)
    lower = next(iter(low)) if len(low) == 1 else None
    upper = next(iter(high)) if len(high) == 1 else None
    return (lower, upper) if lower is None or upper is None or lower <= upper else (None, None)


def _plain(text: str) -> float:
    return float(text.replace(",", ""))
