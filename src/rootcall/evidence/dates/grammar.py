"""How the words of a day expression go together: rules over categories, parsed bottom-up over one island of words.

A rule says which category a sequence of categories makes and what it means; categories that only hold words together
are not handed over. `x?` may be missing, `x|y` is either. Rules are shared by all languages: what differs is which
words have which category. Where several rules read the same words, the earlier rule wins.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.evidence.dates import calendar as c
from rootcall.evidence.dates import stretches as t
from rootcall.evidence.dates.calendar import Length, Reading, Span
from rootcall.evidence.dates.lexing import Island
from rootcall.evidence.words import word_set

__all__ = ["Found", "parse"]


class Found(NamedTuple):
    """A span and the tokens it covers."""

    first: int
    behind: int
    rank: int
    span: Span


Meaning = Callable[..., Any]
_GLUE: Final = word_set(
    "the of in on at from to and between for after before ago hence preago every approx within a closest time comma open close "
    "pfrom pto poss pafter ordmark gmark ymark mmark dmark umonth timew dash sep later part few business half during weeklater bday wkend bare_wkend"
)
_UNITS: Final = {
    "day": (0, 1), "night": (0, 1), "week": (0, 7), "fortnight": (0, 14), "month": (1, 0), "quarter": (3, 0), "year": (12, 0),
}  # fmt: skip
_STEPS: Final = {"next": 1, "this": 0, "last": -1, "coming": 1, "after": 2, "following": 1}


def _length(n: int, unit: str) -> Length | None:
    if unit not in _UNITS or not 0 <= n <= 4000:
        return None
    months, days = _UNITS[unit]
    return Length(months * n, days * n, unit)


def _two_lengths(n: int, unit: str, m: int, smaller: str) -> Length | None:
    """`1 year 2 months`; nights and days (3박 4일) are the same stretch twice."""
    a, b = _length(n, unit), _length(m, smaller)
    if a is None or b is None or "night" in (unit, smaller) or (a.months, a.days) <= (b.months, b.days):
        return None
    return Length(a.months + b.months, a.days + b.days, smaller)


def _period(modifier: str, unit: str) -> Span | None:
    return None if unit in ("day", "night", "fortnight") else t.period(unit, _STEPS[modifier], modifier)


def _named_period(value: str) -> Span | None:
    unit, step = re.split(r"(?=[+-])", value)
    return t.period(unit, int(step))


def _year(n: int) -> int | None:
    return n if 1900 <= n <= 2199 else None


def _marked_year(n: int) -> int | None:
    return n + 2000 if n < 100 else _year(n)


def _short_year(span: Span, n: int) -> Span | None:
    return c.with_year(span, _full_year(n)) if 13 <= n <= 99 else None


def _season(modifier: str, index: int) -> Span:
    return t.named_season(index, _STEPS[modifier])


def _modified(modifier: str, weekday: int) -> Span:
    return c.weekday(weekday, "coming" if modifier == "following" else modifier)


def _part(modifier: str) -> Span | None:
    return {"this": t.away(Length()), "last": t.away(Length(0, -1))}.get(modifier)


def _weekday_in(span: Span, weekday: int) -> Span | None:
    return c.weekday_in(span, weekday)


def _together(span: Span, weekday: int) -> Span | None:
    if span.weekday is not None:
        return None
    return c.agreeing(span, weekday)


def _nth_unit(n: int, unit: str, period: Span) -> Span | None:
    if unit == "week":
        return c.nth_week(period, n)
    return c.nth_day(period, n) if unit == "day" else None


def _beyond(unit: str, anchor: Span, sign: int) -> Span | None:
    return t.from_day(anchor, Length(0, sign)) if unit == "day" else None


def _from_number(n: int, last: Span) -> Span | None:
    """`the 13th to 15 July`: the first day takes its month from the last."""
    if not 1 <= n <= 31 or last.weekday is not None:
        return None

    def at(r: date) -> tuple[Reading, ...]:
        found = []
        for b in last.at(r):
            month = c.month_start(b.start, 0 if n <= b.start.day else -1)
            start = c.made(month.year, month.month, n)
            if start is not None:
                found.append(Reading(start, b.end, b.follows))
        return c.distinct(found)

    return Span(at, grain="range", kind=last.kind, sure=last.sure, weak=last.weak)


def _to_number(first: Span, n: int) -> Span | None:
    if first.weekday is not None or (first.kind == "relative" and first.day is None):
        return None
    last = c.day_of_month(n)
    if last is not None and first.weak:
        last = _weak(last)
    return None if last is None else t.between(first, last)


def _to_day(first: Span, last: Span) -> Span | None:
    """`12월 10일부터 13일`: until the 13th; a number that is no later day (`10일부터 3일`) counts days, as another rule reads it."""
    if last.weak and last.day is not None and (first.day is None or last.day <= first.day):
        return None
    return t.between(first, last)


def _numbers(a: int, b: int) -> Span | None:
    first, last = c.day_of_month(a), c.day_of_month(b)
    return None if first is None or last is None else _weak(t.between(first, last))


def _in_year(span: Span, year: int) -> Span | None:
    found = span.at(date(year, 1, 1))[:1]
    return Span(lambda r: found, grain="range", kind="absolute", sure=span.sure)


def _weekly(weekday: int, unit: str) -> Span | None:
    """`Friday week`."""
    return t.from_day(c.weekday(weekday, "coming"), Length(0, 7)) if unit == "week" else None


def _vague(*_: object) -> Span:
    return Span(lambda r: (), kind="vague")


def _silent(*_: object) -> Span:
    return Span(lambda r: (), kind="vague", silent=True)


def _written(value: tuple[tuple[int, ...], str, str]) -> Span | None:
    """A date in figures: `2026-05-01`, `3/4/2026`, `3.4.`; which comes first, day or month, depends on the language."""
    parts, sign, language = value
    if len(parts) == 3 and parts[0] > 31:
        return _days([(_full_year(parts[0]), parts[1], parts[2], "")])
    a, b = parts[:2]
    day_first = sign == "." or language in ("de", "es", "fr")
    orders = (
        [(b, a, "dmy"), (a, b, "mdy")]
        if sign == "." and language == "en"
        else [(b, a, "dmy")]
        if day_first
        else [(a, b, "mdy"), (b, a, "dmy")]
    )
    if len(parts) == 3:
        year = _full_year(parts[2])
        found = [(year, m, d, o) for m, d, o in orders]
        if language in ("ko", "ja", "zh") and parts[2] <= 31:
            found.insert(0, (_full_year(a), b, parts[2], ""))
        valid = [f for f in found if c.made(*f[:3]) is not None]
        # A point writes the day first wherever that gives a day.
        return _days(valid[:1] if sign == "." else valid)
    if not day_first and language != "en":
        orders = orders[:1]
    spans = [(s, o) for m, d, o in orders if (s := c.day_of_year(m, d)) is not None]
    return _either(spans) if spans else None


def _full_year(n: int) -> int:
    """A year of two figures is one of 1969 to 2068, as in POSIX."""
    return n if n >= 100 else n + (1900 if n >= 69 else 2000)


def _days(found: list[tuple[int, int, int, str]]) -> Span | None:
    days = [(day, order) for y, m, d, order in found if (day := c.made(y, m, d)) is not None]
    readings = c.distinct(Reading(day, day, order if len(days) > 1 else "") for day, order in days)
    return Span(lambda r: readings, kind="absolute") if readings else None


def _either(spans: list[tuple[Span, str]]) -> Span:
    if len(spans) == 1:
        return spans[0][0]

    def at(r: date) -> tuple[Reading, ...]:
        return c.distinct(Reading(x.start, x.end, order) for s, order in spans for x in s.at(r)[:1])

    first = spans[0][0]
    return Span(at, kind="absolute", month=first.month, day=first.day)


def _weak(span: Span | None) -> Span | None:
    return None if span is None else msgspec.structs.replace(span, weak=True)


def _loose(span: Span) -> Span:
    return msgspec.structs.replace(span, sure=False)


_RULES: Final[tuple[tuple[str, str, Meaning], ...]] = (
    # numbers
    ("num", "tens dash? num", lambda a, n: a + n if 0 < n < 10 else None),
    ("ord", "tens dash? ord", lambda a, n: a + n if 0 < n < 10 else None),
    ("ord", "ordmark num gmark?", lambda n: n),
    ("ord", "dord", lambda n: n),
    ("year", "num", _year),
    ("year", "num ymark", _marked_year),
    ("year", "thousand and? num", lambda k, n: k + n if n < 100 else None),
    ("year", "tens num", lambda a, n: 2000 + n if a == 20 and 10 <= n <= 19 else None),
    ("year", "tens tens num?", lambda a, b, n=0: 2000 + b + n if a == 20 and n < 10 else None),
    ("mon", "num mmark", lambda n: n if 1 <= n <= 12 else None),
    ("dom", "num dmark", lambda n: n if 1 <= n <= 31 else None),
    ("w", "wd|wd~", lambda w: w),
    ("dur", "num of? gmark? unit", _length),
    ("dur", "num business unit", lambda n, u: Length(0, n, "business") if u == "day" and n <= 400 else None),
    ("dur", "a unit", lambda u: _length(1, u)),
    ("dur", "days", lambda n: Length(0, n)),
    ("dur", "num bday", lambda n: Length(0, n, "business") if n <= 400 else None),
    ("dur", "num unit num unit", _two_lengths),
    ("dur", "dur and dur", lambda a, b: Length(a.months + b.months, a.days + b.days, b.unit)),
    # months, weeks, years
    ("mper", "mon", t.named_month),
    ("mper", "mon comma? of? year", t.month_of_year),
    ("mper", "year of? mon", lambda y, m: t.month_of_year(m, y)),
    ("mper", "per of|poss? mon", t.month_in),
    ("mper", "mon of? per", lambda m, p: t.month_in(p, m)),
    ("per", "mod unit", _period),
    ("per", "the mod unit", _period),
    ("per", "the? unit pmod", lambda u, m: _period(m, u)),
    ("per", "the? unit pafter", lambda u: _period("after", u)),
    ("per", "period", _named_period),
    ("per", "wmod unit", lambda k, u: None if u in ("day", "night") else t.period(u, k)),
    ("per", "wmod umonth", lambda k: t.period("month", k)),
    ("per", "the wkend", lambda: t.period("weekend", 0)),
    ("per", "on wkend", lambda: t.period("weekend", 0)),
    ("per", "bare_wkend", lambda: t.period("weekend", 0)),
    ("per", "wkend", lambda: _weak(t.period("weekend", 0))),
    ("per", "the? ord wkend of|in the? per|mper|per0", lambda n, p: t.nth_weekend(p, n)),
    ("per0", "the|of unit", lambda u: _period("this", u)),
    ("per", "mod season", _season),
    ("per", "the? season pmod", lambda s, m: _season(m, s)),
    ("per", "mod mon", lambda k, m: _loose(t.named_month(m, _STEPS[k]))),
    ("per", "mon pmod", lambda m, k: _loose(t.named_month(m, _STEPS[k]))),
    ("per", "in mper", _loose),
    ("per", "mon comma? of? year", lambda m, y: _loose(p) if (p := t.month_of_year(m, y)) else None),
    ("per", "year of? mon", lambda y, m: _loose(p) if (p := t.month_of_year(m, y)) else None),
    ("per", "per poss mon", t.month_in),
    ("per", "the? unit of mper", lambda u, m: _loose(m) if u == "month" else None),
    ("per", "season of? year", t.season_of),
    ("per", "unit year", lambda u, y: t.year_of(y) if u == "year" else None),
    ("per", "the? ord unit of? year", lambda n, u, y: t.quarter_of(y, n) if u == "quarter" else None),
    ("per", "the? ord unit of? per", lambda n, u, p: t.quarter_in(p, n) if u == "quarter" else None),
    ("per", "the? ord half of? the? per|mper|per0", lambda n, p: t.part_of(p, f"half{n}") if n in (1, 2) else None),
    ("per", "the? unit of the? day", lambda u, d: t.week_with(d, u)),
    ("per", "the? ord unit of|in? the? per|mper|per0", _nth_unit),
    ("per", "per|mper of? ord unit", lambda p, n, u: _nth_unit(n, u, p) if u == "week" else None),
    ("per", "edge dash mper", lambda e, p: t.part_of(p, e)),
    ("per", "the? edge of? the? approx? per|mper|per0", lambda e, p: t.part_of(p, e)),
    ("per", "per|mper of? edge", lambda p, e: t.part_of(p, e) if e in ("start", "middle", "end") else None),
    ("per", "the? unit edge", lambda u, e: t.part_of(p, e) if (p := _period("this", u)) and e in ("start", "end") else None),
    ("per", "edge unit", lambda e, u: t.part_of(p, e) if (p := _period("this", u)) and e in ("all", "end", "start") else None),
    ("per", "the? bom", lambda e: t.part_of(t.period("month", 0), e)),  # type: ignore[arg-type]
    ("rng", "the? mod dur", lambda m, d: t.stretch(d, -1 if m == "last" else 1)),
    ("rng", "the? dur pmod", lambda d, m: t.stretch(d, -1 if m == "last" else 1)),
    ("rng", "the? mod few unit", lambda m, u: t.stretch(d, -1 if m == "last" else 1) if (d := _length(3, u)) else None),
    ("rng", "within the? mod? dur", lambda *v: t.within(v[-1])),
    # days of a month
    ("md", "the? bnum|ord of|sep? the? mon", lambda d, m: c.day_of_year(m, d)),
    ("md", "mon the|sep? fig|ord|dom", c.day_of_year),
    ("day", "md", lambda d: d),
    ("day", "md comma? of? year", c.with_year),
    ("day", "year of? md", lambda y, d: c.with_year(d, y)),
    ("day", "md comma|poss? yy", _short_year),
    ("day", "num sep mon sep year", lambda d, m, y: c.with_year(md, y) if (md := c.day_of_year(m, d)) else None),
    ("day", "num sep mon sep num", lambda d, m, y: c.with_year(md, _full_year(y)) if (md := c.day_of_year(m, d)) else None),
    ("day", "md of? per", lambda d, p: t.day_in_year(p, d)),
    ("day", "per of? md", t.day_in_year),
    ("day", "date", _written),
    ("day", "on|from|to|before fraction", _written),
    ("day", "fraction to fraction", lambda a, b: None),
    ("day", "on the? lord", c.day_of_month),
    ("day", "dom", lambda n: _weak(c.day_of_month(n))),
    ("day", "on the? unit? num|ord", lambda *v: _weak(c.day_of_month(v[-1])) if v[0] == "day" or len(v) == 1 else None),
    ("day", "the num", lambda n: _weak(c.day_of_month(n))),
    ("day", "the? ord", lambda n: _weak(c.day_of_month(n))),
    ("day", "the? ord|dom of|in? the? per|per0", lambda n, p: c.day_in(p, n)),
    ("day", "the bnum of|in? the? per|per0", lambda n, p: c.day_in(p, n)),
    ("day", "bnum of the? per|per0", lambda n, p: c.day_in(p, n)),
    ("day", "per of|on? the? lnum|ord|dom", c.day_in),
    ("day", "the? ord unit of|in? the? per|mper|per0", lambda n, u, p: c.nth_day(p, n) if u == "day" else None),
    ("day", "per|mper of? ord unit", lambda p, n, u: c.nth_day(p, n) if u == "day" else None),
    ("day", "the? ord to? mod w of|in the? per|mper|per0", lambda n, m, w, p: c.nth_weekday(p, -n, w) if m == "last" else None),
    ("day", "the? ord w of|in the? per|mper|per0", lambda n, w, p: c.nth_weekday(p, n, w)),
    ("day", "per|mper of? ord w", c.nth_weekday),
    # weekdays
    ("day", "wd", c.weekday),
    ("day", "wd~", lambda w: c.weekday(w, weak=True)),
    ("day", "on wd~", c.weekday),
    ("day", "the? mod w", _modified),
    ("day", "the? w pmod", lambda w, m: _modified(m, w)),
    ("day", "w mod", lambda w, m: _modified(m, w) if m in ("next", "last", "coming") else None),
    ("day", "the? mod w comma? the? day", lambda m, w, d: None if d.weak else _together(d, w)),
    ("day", "the? w pafter", lambda w: c.weekday(w, "after")),
    ("day", "w of|from|comma? the? per", lambda w, p: _weekday_in(p, w)),
    ("day", "per of|on|poss|comma? the? w", _weekday_in),
    ("day", "wmod wd", lambda k, w: _weekday_in(p, w) if (p := t.period("week", k)) else None),
    ("day", "w in dur", t.weekday_away),
    ("day", "in dur on? w", lambda d, w: t.weekday_away(w, d)),
    ("day", "w dur hence", t.weekday_away),
    ("day", "dur ago on? w", lambda d, w: t.weekday_away(w, d.times(-1))),
    ("day", "dur on w", lambda d, w: t.from_day(c.weekday(w, "coming"), d)),
    ("day", "w unit", _weekly),
    ("day", "w weeklater", lambda w: _weekly(w, "week")),
    ("day", "w comma? the? day", lambda w, d: None if d.weak else _together(d, w)),
    ("day", "w comma? the? nord|dord|dom", lambda w, n: _together(d, w) if (d := c.day_of_month(n)) else None),
    ("day", "w the ord", lambda w, n: _together(d, w) if (d := c.day_of_month(n)) else None),
    ("day", "on? w comma? fig", lambda w, n: _weak(_together(d, w)) if (d := c.day_of_month(n)) else None),
    ("day", "day comma? w", lambda d, w: None if d.weak else _together(d, w)),
    ("day", "fraction open w|kwd close", lambda f, w: _together(d, w) if (d := _written(f)) else None),
    ("day", "dom open w|kwd close", lambda n, w: _together(d, w) if (d := c.day_of_month(n)) else None),
    ("day", "day open w|kwd close", _together),
    ("day", "num wds|w hence", t.nth_ahead),
    ("day", "in num wds", t.nth_ahead),
    ("day", "num wds|w ago", t.nth_ago),
    ("day", "the? w after the? day", lambda w, d: c.beside(w, d, 1)),
    ("day", "the? w before the? day", lambda w, d: c.beside(w, d, -1)),
    ("day", "the? closest w to the? day", lambda w, d: c.nearest_to(w, d, 1)),
    ("day", "the? w closest to the? day", lambda w, d: c.nearest_to(w, d, 1)),
    ("day", "the? ord closest w to the? day", lambda n, w, d: c.nearest_to(w, d, n)),
    ("day", "the? w before mod", lambda w, m: c.weekday_before_last(w) if m == "last" else None),
    # distances and neighbours
    ("day", "rel", lambda n: t.away(Length(0, n))),
    ("day", "mod part", _part),
    ("day", "mod unit", lambda m, u: t.away(Length()) if (m, u) == ("this", "day") else None),
    ("day", "day of? part", lambda d: d),
    ("day", "day in the? part", lambda d: d),
    ("day", "the? part of? the? day", lambda d: d),
    ("day", "in dur", t.away),
    ("day", "in dur poss? timew", t.away),
    ("day", "dur hence", t.away),
    ("day", "dur ago rel", lambda d, n: None if n else t.away(d.times(-1))),
    ("day", "dur ago", lambda d: t.away(d.times(-1))),
    ("day", "preago dur", lambda d: t.away(d.times(-1))),
    ("day", "the? unit from day", lambda u, a: t.from_day(a, n) if u == "week" and (n := _length(1, u)) else None),
    ("day", "dur from|after the? day", lambda d, a: None if d.unit == "night" else t.from_day(a, d)),
    ("day", "dur before the? day", lambda d, a: t.from_day(a, d.times(-1))),
    ("day", "day pfrom? dur hence", t.from_day),
    ("day", "day pfrom? dur ago", lambda a, d: t.from_day(a, d.times(-1))),
    ("day", "day in dur", t.from_day),
    ("day", "the? unit after the? day", lambda u, a: _beyond(u, a, 1)),
    ("day", "the? unit before the? day", lambda u, a: _beyond(u, a, -1)),
    ("per", "in few unit", lambda u: t.some(u, 1)),
    ("per", "few unit hence", lambda u: t.some(u, 1)),
    ("per", "few unit ago", lambda u: t.some(u, -1)),
    ("per", "preago few unit", lambda u: t.some(u, -1)),
    # from one day to another
    ("rng", "from? the? bnum|ord to|pfrom the? day pto?", _from_number),
    ("rng", "between the? bnum|ord and the? day", _from_number),
    ("rng", "from? day to day pto?", t.between),
    ("rng", "between day and|to day", t.between),
    ("rng", "day pfrom day pto", t.between),
    ("rng", "day pfrom day", _to_day),
    ("rng", "fraction to|pfrom fraction pto?", lambda a, b: t.between(x, y) if (x := _written(a)) and (y := _written(b)) else None),
    ("rng", "from? day to the? lnum|ord|dom pto?", _to_number),
    ("rng", "day pfrom num|ord|dom pto", _to_number),
    ("rng", "from the? bnum to the? lnum", _numbers),
    ("rng", "rng comma? of? year", _in_year),
    ("rng", "day for dur", t.lasting),
    ("rng", "from day for dur", t.lasting),
    ("rng", "for dur from|on day", lambda d, s: t.lasting(s, d)),
    ("rng", "for dur comma? from day", lambda d, s: t.lasting(s, d)),
    ("rng", "day pfrom dur", t.lasting),
    ("rng", "day comma? dur", lambda s, d: t.lasting(s, d) if d.unit == "night" else None),
    ("rng", "rng comma? for? dur", t.of_nights),
    ("rng", "dur from|on day", lambda d, s: t.lasting(s, d) if d.unit == "night" else None),
    # what is a day, but nobody can say which
    ("no", "vague", _vague),
    ("no", "bnum|ord of? mon fig", _vague),
    ("no", "the? ord w", _vague),
    ("no", "dur dur", _silent),
    ("no", "dur during", _silent),
    ("no", "every num? w|unit", _vague),
    ("no", "w|unit every", _vague),
    ("no", "wds", _vague),
    ("no", "dur later", _vague),
)  # fmt: skip


class _State(dict[str, "_State"]):
    """A place in the tree of all rules, by the categories passed so far."""

    __slots__ = ("ends",)

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[tuple[int, str, Meaning]] = []


def _variants(pattern: str) -> Iterator[tuple[str, ...]]:
    choices = []
    for word in pattern.split():
        options: list[str | None] = list(word.removesuffix("?").split("|"))
        choices.append([*options, None] if word.endswith("?") else options)
    for chosen in itertools.product(*choices):
        yield tuple(w for w in chosen if w is not None)


def _tree() -> _State:
    root = _State()
    for rank, (made, pattern, meaning) in enumerate(_RULES):
        for variant in dict.fromkeys(_variants(pattern)):
            state = root
            for category in variant:
                state = state.setdefault(category, _State())
            state.ends.append((rank, made, meaning))
    return root


_TREE: Final = _tree()
_OUTPUT: Final = frozenset(("day", "per", "rng", "no"))
_MOST: Final = 200

Item = tuple[str, int, Any]  # category, behind, value


def parse(island: Island) -> list[Found]:
    """Return every span the rules find in an island, in order of their beginning."""
    count = len(island.tokens)
    items: list[list[Item]] = [[] for _ in range(count + 1)]
    found: list[Found] = []
    for first in range(count - 1, -1, -1):
        here: list[Item] = [(cat, first + 1, value) for cat, value in island.tokens[first].meanings]
        here += [(cat, end, value) for i, end, meanings in island.joined if i == first for cat, value in meanings]
        seen: set[tuple[int, int]] = set()
        items[first] = here
        for cat, behind, value in here:  # grows while it is read
            state = _TREE.get(cat)
            if state is None:
                continue
            for rank, made, meaning, end, values in _completions(state, behind, _handed(cat, value), items):
                if len(here) > _MOST or (rank, end) in seen:
                    continue
                result = meaning(*values)
                if result is None:
                    continue
                seen.add((rank, end))
                here.append((made, end, result))
                if made in _OUTPUT:
                    found.append(Found(first, end, rank, result))
    return found


def _handed(category: str, value: Any) -> tuple[Any, ...]:
    return () if category in _GLUE else (value,)


def _completions(
    state: _State, at: int, values: tuple[Any, ...], items: list[list[Item]]
) -> Iterator[tuple[int, str, Meaning, int, tuple[Any, ...]]]:
    for rank, made, meaning in state.ends:
        yield rank, made, meaning, at, values
    if not state:
        return
    for cat, behind, value in items[at] if at < len(items) else ():
        following = state.get(cat)
        if following is not None:
            yield from _completions(following, behind, (*values, *_handed(cat, value)), items)
