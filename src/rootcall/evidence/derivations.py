"""How a sent value can have been made from what stood upstream: a day from words, a unit, a sum, a product, parts.

Owns the making, each with the words that say how and the place it was made from. Where a value stands as it is, is
`rootcall.evidence.origins`'. Small numbers can be made of anything, so arithmetic is only tried for what is not small;
what is found is a way the value can have come about, never a proof that it did.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import msgspec

from rootcall.evidence.clock import reference_days
from rootcall.evidence.dates import clock_times, readings, sent_days
from rootcall.evidence.facts import trace_facts
from rootcall.evidence.number_words import spelled_numbers
from rootcall.evidence.parameters import Parameter
from rootcall.evidence.provenance import in_text, sends
from rootcall.evidence.units import convert, unit_of
from rootcall.evidence.values import amounts, mentions
from rootcall.jsonvalue import walk
from rootcall.lazypattern import lazy
from rootcall.trace import Call, Message, Trace, per_record

__all__ = ["Made", "below", "finite", "made", "number_in"]

_POOL: Final = 60
_SMALL: Final = 12
# What a value is made of stands near; of thousands of results every value would otherwise ask all.
_LATEST: Final = 50


class Made(msgspec.Struct, frozen=True):
    """A way to make a value: in words, and the place of what it was made from (empty: of several)."""

    how: str
    at: str = ""


class _Number(msgspec.Struct, frozen=True):
    """A number that stood before a call: its value, its place, how to name it in a formula, and the field it stands in."""

    value: float
    at: str
    field: str = ""


def made(trace: Trace, call: Call, p: Parameter, value: Any) -> Iterator[Made]:
    """Yield the ways a scalar can have been made, the likeliest first; most values have none."""
    if isinstance(value, str):
        yield from _made_days(trace, call, value)
        number = _numeral(value)
        if number is not None and not p.identifier:
            yield from _made_numbers(trace, call, p, number)
        # An identifier is not made of words; the separators of "acme/web#12" show that it was put together.
        if not p.identifier or not any(c.isdigit() for c in value) or re.search(r"[/#:@]", value):
            yield from _made_of_parts(trace, call, value)
        yield from _made_of_handle(trace, call, value)
    elif not p.identifier and (number := finite(value)) is not None:
        yield from _made_numbers(trace, call, p, number)


def _numeral(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\s*-?\d{1,12}(?:\.\d{1,6})?\s*", value) else None


def _said_before(trace: Trace, call: Call) -> list[Message]:
    """The user's and the system's messages before a call, the latest first."""
    return [m for m in reversed(trace.messages) if m.index < call.message and m.text and m.role in ("user", "system")]


# ---- numbers as texts state them ---------------------------------------------------------------------------------


def number_in(text: str, value: float) -> str | None:
    """Tell how a text states a number: empty in digits, `in words`, `other format` ("1.250,00"); None when it does not."""
    if value.is_integer():
        digits = str(int(value))
        if digits in text and re.search(rf"(?<![\w.,:/-]){digits}(?![\w/:-]|[.,]\d)", text):
            return ""
    spelled = spelled_numbers(text)
    for m in mentions(text):
        if any(w.start <= m.start < w.end and m.word for w in spelled):
            continue  # the "two" of "two dozen"
        if m.kind == "number" and any(math.isclose(value, r, rel_tol=1e-9, abs_tol=1e-12) for r in m.readings):
            return "in words" if m.word else "" if _plainly(value, m.text) else "other format"
    if value.is_integer() and any(w.value == value for w in spelled):
        return "in words"
    return None


def _plainly(value: float, text: str) -> bool:
    return (str(int(value)) if value.is_integer() else str(value)) in text


def _numbers(trace: Trace, call: Call) -> list[_Number]:
    """The numbers before a call, its own arguments' first, then the latest; at most sixty of different values."""
    found: dict[float, _Number] = {}
    for n in itertools.chain(_own(call), _returned(trace, call), _stated(trace, call)):
        if n.value and math.isfinite(n.value) and n.value not in found:
            found[n.value] = n
        if len(found) >= _POOL:
            break
    return list(found.values())


def _own(call: Call) -> Iterator[_Number]:
    """How long the lists of the call are, and the numbers it sends."""
    for name, value in (call.arguments or {}).items():
        if isinstance(value, list) and value:
            yield _Number(float(len(value)), "", f"number of {name}")
        elif (number := finite(value)) is not None:
            yield _Number(number, "", str(name))


def _stated(trace: Trace, call: Call) -> Iterator[_Number]:
    for m in _said_before(trace, call):
        if m.role == "user":
            for mention in mentions(m.text or ""):
                if mention.kind == "number":
                    yield from (_Number(r, m.at) for r in mention.readings[:1])


def _returned(trace: Trace, call: Call) -> Iterator[_Number]:
    for earlier in _earlier(trace, call):
        yield from _in_result(earlier)[:200]


def _earlier(trace: Trace, call: Call) -> Iterator[Call]:
    """The calls of earlier steps that something came back from, the latest first, at most fifty."""
    before = (c for c in reversed(trace.calls) if c.step < call.step and c.result is not None)
    return itertools.islice(before, _LATEST)


@per_record
def _in_result(call: Call) -> tuple[_Number, ...]:
    """The numbers of a result, at most two thousand."""
    return tuple(itertools.islice(_numbers_returned(call), 2000))


def _numbers_returned(call: Call) -> Iterator[_Number]:
    payload = call.result.payload if call.result is not None else None
    place = f"{call.at}.result"
    if not isinstance(payload, dict | list):
        if isinstance(payload, str):
            yield from (_Number(m.readings[0], place) for m in mentions(payload) if m.kind == "number")
        elif (number := finite(payload)) is not None:
            yield _Number(number, place)
        return
    for path, value in walk(payload):
        number = _numeral(value) if isinstance(value, str) else finite(value)
        if number is not None:
            yield _Number(number, below(place, path), re.sub(r"\[\d+\]", "[]", path))


def finite(value: object) -> float | None:
    """Return a JSON number as a float, None for anything else, flags and numbers beyond any quantity included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def below(place: str, path: str) -> str:
    """Append a path to a place: `x` and `[0].a` give `x[0].a`."""
    return place if not path else f"{place}{path}" if path.startswith("[") else f"{place}.{path}"


def _made_numbers(trace: Trace, call: Call, p: Parameter, value: float) -> Iterator[Made]:
    yield from _converted(trace, call, p, value)
    for name, held in (call.arguments or {}).items():
        if isinstance(held, list) and held and len(held) == value and name != p.name:
            yield Made(f"number of {name}")
    unit = unit_of(p)
    money = unit is not None and unit.dimension.startswith("money")
    if abs(value) <= _SMALL and value.is_integer() and not money:
        return
    pool = _numbers(trace, call)
    yield from itertools.islice(itertools.chain(_totals(trace, call, value), _pairs(pool, value)), 3)


def _converted(trace: Trace, call: Call, p: Parameter, value: float) -> Iterator[Made]:
    """An amount the user stated in another unit."""
    unit = unit_of(p)
    if unit is None:
        return
    for m in _said_before(trace, call):
        for a in amounts(m.text or "") if m.role == "user" else ():
            wanted = [w for r in a.readings if a.unit is not None and (w := convert(r, a.unit, unit)) is not None]
            if any(math.isclose(value, w, rel_tol=1e-6) for w in wanted):
                yield Made(f'"{a.text}" in {unit.name}', m.at)
    facts = trace_facts(trace)
    for earlier in _earlier(trace, call):
        for f in facts.get(earlier.at, ()):
            for held, of in f.values:
                wanted_there = None if of is None or of.name == unit.name else convert(held, of, unit)
                if of is not None and wanted_there is not None and math.isclose(value, wanted_there, rel_tol=1e-6):
                    yield Made(f"{held:g} {of.name} in {unit.name}", below(f"{earlier.at}.result", f.path))


def _totals(trace: Trace, call: Call, value: float) -> Iterator[Made]:
    """The sum of one field over a list, and how many entries a list has."""
    for earlier in _earlier(trace, call):
        for field, n, total in _sums(earlier):
            if math.isclose(total, value, rel_tol=1e-9):
                yield Made(f"sum of {n} x {field}", f"{earlier.at}.result")


@per_record
def _sums(call: Call) -> tuple[tuple[str, int, float], ...]:
    """The fields that a list of a result repeats: how often, and their sum."""
    fields: dict[str, list[float]] = {}
    for n in _in_result(call):
        if "[]" in n.field:
            fields.setdefault(n.field, []).append(n.value)
    return tuple((field, len(held), sum(held)) for field, held in fields.items() if len(held) > 1)


def _pairs(pool: list[_Number], value: float) -> Iterator[Made]:
    """Product, sum, difference and share of two numbers, and a sum of two times a small count."""
    counts = [n for n in pool if n.value.is_integer() and 2 <= n.value <= 9]
    for a, b in itertools.combinations(sorted(pool, key=lambda n: -n.value), 2):
        if value in (a.value, b.value) or b.value <= 1:
            continue
        sign = _sign(a.value, b.value, value)
        if sign:
            formula = f"{b.value:g} % of {a.value:g}" if sign == "%" else f"{a.value:g} {sign} {b.value:g}"
            yield Made(formula + (" %" if sign in ("plus", "less") else ""), a.at or b.at)
        if b.value > _SMALL:
            yield from (
                Made(f"({a.value:g} + {b.value:g}) x {n.value:g}", a.at or b.at)
                for n in counts
                if _same((a.value + b.value) * n.value, value)
            )


def _sign(high: float, low: float, value: float) -> str:
    """How two numbers make a third; a sum or a difference with a small count is mostly chance, so it is none."""
    if _same(high * low, value):
        return "x"
    if low > _SMALL or not low.is_integer():
        if _same(high + low, value):
            return "+"
        if _same(high - low, value):
            return "-"
    if not 1 < low < 100:
        return ""
    if _same(high * low / 100, value):
        return "%"
    return "plus" if _same(high * (1 + low / 100), value) else "less" if _same(high * (1 - low / 100), value) else ""


def _same(a: float, b: float) -> bool:
    """Equal as amounts are: to the hundredth where they have one."""
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=0.0 if b.is_integer() else 0.005)


# ---- days --------------------------------------------------------------------------------------------------------


def _made_days(trace: Trace, call: Call, value: str) -> Iterator[Made]:
    day = sent_days(value)
    if day is None:
        yield from _made_times(trace, call, value)
        return
    references = reference_days(trace, call.message)
    for m in _said_before(trace, call):
        if m.role != "user":
            continue
        for e in readings(m.text or "", *references):
            if day in e.days:
                yield Made(f'date of "{_short(e.text)}"', m.at)
        for mention in mentions(m.text or ""):
            same = mention.kind == "date" and mention.readings[:1] == (day.month * 100 + day.day,)
            if same and mention.year in (None, day.year):
                yield Made(f'date of "{_short(mention.text)}"', m.at)
    if day in references:
        yield Made("today, the reference time")
    yield from _days_in_results(trace, call, day)
    yield from _steps(trace, call, day, references)


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def _made_times(trace: Trace, call: Call, value: str) -> Iterator[Made]:
    m = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?", value.strip())
    if m is None:
        return
    clock = int(m.group(1)), int(m.group(2))
    for said in _said_before(trace, call):
        if said.role == "user" and clock in clock_times(said.text or ""):
            yield Made("the time of day in 24 hours", said.at)


def _days_in_results(trace: Trace, call: Call, day: date) -> Iterator[Made]:
    """The same day in another form in a result ("05/20/2026", "20 May 2026", a time stamp)."""
    for earlier in _earlier(trace, call):
        if sends(day.isoformat(), earlier):
            continue
        payload = earlier.result.payload if earlier.result is not None else None
        held = walk(payload) if isinstance(payload, dict | list) else [("", payload)]
        for path, text in itertools.islice(held, 2000):
            if not isinstance(text, str) or not 6 <= len(text) <= 4000:
                continue
            if sent_days(text) == day or any(day in e.days and len(e.days) <= 2 for e in readings(text)):
                how = "the day of a time stamp" if sent_days(text) == day else "the day in another format"
                yield Made(how, below(f"{earlier.at}.result", path))
                return


_NIGHTS: Final = lazy(r"\b(\d{1,3})[\s-]*(?:nights?|Nächte|noches|nuits)\b|(\d{1,2})\s*박")
_NEXT_DAY: Final = lazy(
    r"\b(?:(?:next|following|previous|prior) day|day (?:before|after|later|earlier)|(?:nächsten|folgenden) Tag|Tag (?:später|früher|davor|danach)|día (?:siguiente|anterior|"
    r"antes|después)|jour (?:suivant|précédent)|lendemain)\b|다음 ?날|전날|하루|翌日|前日|第二天|前一天",
    re.IGNORECASE,
)


def _steps(trace: Trace, call: Call, day: date, references: tuple[date, ...]) -> Iterator[Made]:
    """Another day of the conversation and a number of days or weeks that the user named."""
    texts = [(m.at, m.text or "") for m in _said_before(trace, call) if m.role == "user"]
    lengths = {n: at for at, text in reversed(texts) for n in _lengths(text)}
    if not lengths:
        return
    known = [d for v in (call.arguments or {}).values() if (d := sent_days(v)) is not None and d != day]
    known += [d for _, text in texts for e in readings(text, *references) if len(e.days) <= 3 for d in e.days]
    known += [*references, *_result_days(trace, call)]
    for start, (days, at) in itertools.product(dict.fromkeys(known), sorted(lengths.items())):
        for sign in (1, -1):
            if days and abs((day - start).days) == days and (day > start) == (sign > 0):
                yield Made(f"{start} {'+' if sign > 0 else '-'} {days} day{'s' if days > 1 else ''}", at)


def _lengths(text: str) -> set[int]:
    """The numbers of days a text speaks of: "three days", "two weeks", "4 nights", "the next day"."""
    found = {
        int(r * a.unit.factor / 86400)
        for a in amounts(text)
        if a.unit is not None and a.unit.name in ("days", "weeks")
        for r in a.readings
        if 0 < r < 4000
    }
    found |= {int(m.group(1) or m.group(2)) for m in _NIGHTS.finditer(text)}
    return found | {1} if _NEXT_DAY.search(text) else found


def _result_days(trace: Trace, call: Call) -> Iterator[date]:
    """The days that stand in the latest results, at most twenty."""
    found: dict[date, None] = {}
    for earlier in _earlier(trace, call):
        payload = earlier.result.payload if earlier.result is not None else None
        if isinstance(payload, dict | list):
            held = (sent_days(v) for _, v in itertools.islice(walk(payload), 500) if isinstance(v, str))
            found.update((d, None) for d in held if d is not None)
        if len(found) >= 20:
            break
    return itertools.islice(found, 20)


# ---- parts -------------------------------------------------------------------------------------------------------

_HANDLE: Final = lazy(r"[\w.+-]+@|@\w+")


def _made_of_handle(trace: Trace, call: Call, value: str) -> Iterator[Made]:
    """A name that is a part of an address or a handle ("Ada" of adalovelace@…)."""
    wanted = value.strip().casefold()
    if len(wanted) < 3 or not wanted.isalpha():
        return
    for m in _said_before(trace, call):
        if any(wanted in handle.casefold() for handle in _HANDLE.findall(m.text or "")):
            yield Made("part of an address", m.at)


_PART: Final = lazy(r"[^\W_]+")


def _made_of_parts(trace: Trace, call: Call, value: str) -> Iterator[Made]:
    """A text put together of words that all stand upstream, each somewhere ("acme/web#12", "ada.lovelace@…")."""
    parts = [w for w in _PART.findall(value) if len(w) > 1 or w.isdigit()]
    if not 2 <= len(parts) <= 12 or len(value) > 120:
        return
    places: dict[str, None] = {}
    for part in parts:
        place = _place_of(trace, call, part)
        if place is None:
            return
        places[place] = None
    yield Made("put together" if len(places) > 1 else "from its words", ", ".join(itertools.islice(places, 2)))


def _place_of(trace: Trace, call: Call, part: str) -> str | None:
    for m in _said_before(trace, call):
        if in_text(part, (m.text or "").casefold()):
            return m.at
    for earlier in _earlier(trace, call):
        text = earlier.result.text if earlier.result is not None else None
        if text and in_text(part, text.casefold()):
            return f"{earlier.at}.result"
    return None
