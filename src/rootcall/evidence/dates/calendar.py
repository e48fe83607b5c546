"""Calendar arithmetic: what the parts of a day expression mean, as readings against a reference day.

A `Span` is an expression that is understood but not yet placed: given a reference day it answers with its readings, the
likeliest first. Words and word order are `rootcall.evidence.dates.grammar`'s.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Literal, NamedTuple

import msgspec

__all__ = ["Grain", "Kind", "Length", "Reading", "Span", "between", "day_of_month", "day_of_year", "nearest_to"]

Kind = Literal["relative", "absolute", "vague"]
Grain = Literal["day", "range", "part", "week", "weekend", "month", "quarter", "season", "year"]


class Reading(NamedTuple):
    """One meaning of an expression: its first and last day, and the convention by which it holds.

    `follows` is `nearest` or `next-week` (which Friday is next), `mdy` or `dmy` (03/04/2026), and empty for a meaning
    that hangs on no convention.
    """

    start: date
    end: date
    follows: str = ""


Readings = tuple[Reading, ...]


class Span(msgspec.Struct, frozen=True):
    """A day, or a stretch of days, still to be placed: `at(reference)` gives its readings, the likeliest first.

    `sure` is False where the borders are loose ("early March"). `month`, `day` and `weekday` say what was named, so
    that another part of the expression can complete it; `weak` marks words that are days only in company ("sun").
    """

    at: Callable[[date], Readings]
    grain: Grain = "day"
    kind: Kind = "relative"
    sure: bool = True
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    weak: bool = False
    silent: bool = False


class Length(NamedTuple):
    """So many months and days."""

    months: int = 0
    days: int = 0
    unit: str = "day"

    def times(self, n: int) -> Length:
        """The same length so many times over; negative ones lead back."""
        return Length(self.months * n, self.days * n, self.unit)


def one(start: date, end: date | None = None, follows: str = "") -> Readings:
    """A single reading."""
    return (Reading(start, end or start, follows),)


def distinct(readings: Iterable[Reading]) -> Readings:
    """The readings in order, each meaning once; what holds under two conventions hangs on neither."""
    found: dict[tuple[date, date], str] = {}
    for r in readings:
        key = r.start, r.end
        found[key] = r.follows if found.get(key, r.follows) == r.follows else ""
    return tuple(Reading(*key, follows) for key, follows in found.items())


def made(year: int, month: int, day: int) -> date | None:
    """The day, or None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def month_start(day: date, months: int) -> date:
    """The first of the month so many months away."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def month_end(day: date) -> date:
    """The last day of a day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def moved(day: date, length: Length) -> Readings:
    """The day a length away. Where the month has no such day it is the month's last, or the next month's first."""
    if length.unit == "business":
        return one(_business(day, length.days))
    if not length.months:
        return one(day + timedelta(days=length.days))
    first = month_start(day, length.months)
    same = made(first.year, first.month, day.day)
    days = [same] if same else [month_end(first), month_end(first) + timedelta(days=1)]
    return tuple(Reading(d + timedelta(days=length.days), d + timedelta(days=length.days)) for d in days)


def _business(day: date, days: int) -> date:
    """So many days from Monday to Friday away; public holidays are not known."""
    step = timedelta(days=1 if days > 0 else -1)
    for _ in range(abs(days)):
        day += step
        while day.weekday() >= 5:
            day += step
    return day


# ---- days that are named -----------------------------------------------------------------------------------------

_HALF_YEAR = 183


def absolute(*days: Reading) -> Span:
    """Days that hang on no reference."""
    return Span(lambda r: days, kind="absolute")


def day_of_year(month: int, day: int) -> Span | None:
    """A day without its year: the one ahead, and the one past as well where the one ahead is more than half a year off."""
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(2024, month)[1]:
        return None

    def at(r: date) -> Readings:
        years = [d for n in range(-8, 9) if (d := made(r.year + n, month, day)) is not None]
        ahead, behind = min(d for d in years if d >= r), max((d for d in years if d < r), default=None)
        if behind is None or (ahead - r).days <= _HALF_YEAR:
            return one(ahead)
        return one(ahead) + one(behind)

    return Span(at, kind="absolute", month=month, day=day)


def with_year(span: Span, year: int) -> Span | None:
    """A day of a month in a year."""
    if span.month is None or span.day is None:
        return None
    found = made(year, span.month, span.day)
    return absolute(Reading(found, found)) if found else None


def day_of_month(day: int) -> Span | None:
    """`the 21st`: the one ahead; where that of this month is past, this one too."""
    if not 1 <= day <= 31:
        return None

    def at(r: date) -> Readings:
        months = [month_start(r, n) for n in range(-2, 3)]
        days = [d for m in months if (d := made(m.year, m.month, day)) is not None]
        ahead = min(d for d in days if d >= r)
        past = made(r.year, r.month, day)
        return one(ahead) + (one(past) if past and past < r else ())

    return Span(at, day=day)


def day_in(period: Span, day: int) -> Span | None:
    """The so-manieth of a month."""
    if not 1 <= day <= 31 or period.grain != "month":
        return None

    def at(r: date) -> Readings:
        months = period.at(r)
        return distinct(
            Reading(d, d, m.follows) for m in months if (d := made(m.start.year, m.start.month, day)) is not None
        )

    return Span(at, kind=period.kind)


# ---- weekdays and weeks ------------------------------------------------------------------------------------------


def week_of(day: date, weeks: int = 0) -> date:
    """The Monday of the week so many weeks away."""
    return day - timedelta(days=day.weekday()) + timedelta(weeks=weeks)


def in_week(r: date, weeks: int, weekday: int, follows: str = "", *, sunday_first: bool = True) -> list[Reading]:
    """The weekday of the calendar week so many weeks away, for weeks that begin on Monday and on Sunday."""
    monday = week_of(r, weeks) + timedelta(days=weekday)
    sunday = r - timedelta(days=(r.weekday() + 1) % 7) + timedelta(weeks=weeks, days=(weekday + 1) % 7)
    return [Reading(d, d, follows) for d in ((monday, sunday) if sunday_first else (monday,))]


def weekday(day: int, modifier: str = "", *, weak: bool = False) -> Span:
    """A weekday, with what a word such as `next` does to it. A bare one is ahead or, in a report, just past."""

    def at(r: date) -> Readings:
        on_or_after = r + timedelta(days=(day - r.weekday()) % 7)
        after = on_or_after if on_or_after > r else r + timedelta(days=7)
        before = after - timedelta(days=7) if on_or_after > r else r - timedelta(days=7)
        # Said on a Sunday, the next calendar week is the one that begins tomorrow or the one after.
        sunday = r.weekday() == 6
        if modifier == "next":
            return distinct([Reading(after, after, "nearest"), *in_week(r, 1, day, "next-week", sunday_first=sunday)])
        if modifier == "last":
            return distinct(
                [Reading(before, before, "nearest"), *in_week(r, -1, day, "next-week", sunday_first=sunday)]
            )
        if modifier == "this":
            nearest = Reading(on_or_after, on_or_after, "nearest")
            return distinct([nearest, *in_week(r, 0, day, "next-week", sunday_first=sunday)])
        if modifier == "after":
            return distinct([*in_week(r, 2, day, "next-week"), *one(after + timedelta(days=7), follows="nearest")])
        if modifier == "coming":
            return one(after) if on_or_after > r else one(after) + one(r)
        return one(after) + one(before) if on_or_after > r else one(after) + one(r)

    return Span(at, weekday=day, weak=weak)


def weekday_in(period: Span, day: int) -> Span | None:
    """The weekday of a week."""
    if period.grain != "week":
        return None

    def at(r: date) -> Readings:
        return distinct(
            Reading(d, d, w.follows)
            for w in period.at(r)
            for d in (w.start + timedelta(days=day), *([w.start - timedelta(days=1)] if day == 6 else []))
            if (w.end - w.start).days == 6
        )

    return Span(at, kind=period.kind)


def nth_weekday(period: Span, n: int, day: int) -> Span | None:
    """The n-th weekday of a month or a year, counted from its end where n is negative."""
    if period.grain not in ("month", "year", "quarter"):
        return None

    def at(r: date) -> Readings:
        found = []
        for p in period.at(r):
            first = p.start + timedelta(days=(day - p.start.weekday()) % 7)
            last = p.end - timedelta(days=(p.end.weekday() - day) % 7)
            d = first + timedelta(weeks=n - 1) if n > 0 else last + timedelta(weeks=n + 1)
            if p.start <= d <= p.end:
                found.append(Reading(d, d, p.follows))
        return distinct(found)

    return Span(at, kind=period.kind)


def nth_day(period: Span, n: int) -> Span | None:
    """The n-th day of a period, counted from its end where n is negative."""
    if period.grain == "day":
        return None

    def at(r: date) -> Readings:
        days = [(p.start + timedelta(days=n - 1) if n > 0 else p.end + timedelta(days=n + 1), p) for p in period.at(r)]
        return distinct(Reading(d, d, p.follows) for d, p in days if p.start <= d <= p.end)

    return Span(at, kind=period.kind)


def nth_week(period: Span, n: int) -> Span | None:
    """The n-th week of a month: its days from the first on by sevens, or its last seven."""
    if period.grain != "month":
        return None

    def at(r: date) -> Readings:
        found = []
        for p in period.at(r):
            start = p.start + timedelta(weeks=n - 1) if n > 0 else week_of(p.end)
            calendar_week = week_of(p.start + timedelta(weeks=n - 1)) if n > 0 else start
            found += [
                Reading(start, start + timedelta(days=6)),
                Reading(calendar_week, calendar_week + timedelta(days=6)),
            ]
        return distinct(found)

    return Span(at, grain="week", kind=period.kind, sure=False)


def beside(weekday_: int, anchor: Span, sign: int) -> Span:
    """The first such weekday after a day, or the last before it."""

    def at(r: date) -> Readings:
        found = []
        for a in anchor.at(r):
            gap = (weekday_ - a.end.weekday()) % 7 or 7
            back = (a.start.weekday() - weekday_) % 7 or 7
            d = a.end + timedelta(days=gap) if sign > 0 else a.start - timedelta(days=back)
            found.append(Reading(d, d, a.follows))
        return distinct(found)

    return Span(at, kind=anchor.kind)


def nearest_to(weekday_: int, anchor: Span, n: int) -> Span | None:
    """The weekday closest to a day, or the n-th closest."""
    if not 1 <= n <= 9:
        return None

    def at(r: date) -> Readings:
        found = []
        for a in anchor.at(r):
            first = a.start + timedelta(days=(weekday_ - a.start.weekday()) % 7)
            days = sorted((first + timedelta(weeks=k) for k in range(-10, 10)), key=lambda d: abs((d - a.start).days))
            found.append(Reading(days[n - 1], days[n - 1], a.follows))
        return distinct(found)

    return Span(at, kind=anchor.kind)


def weekday_before_last(day: int) -> Span:
    """`the Friday before last`: a week before the last one, under either meaning of last."""
    last = weekday(day, "last")
    week = timedelta(weeks=1)
    return Span(lambda r: tuple(Reading(x.start - week, x.end - week, x.follows) for x in last.at(r)))


def agreeing(span: Span, weekday_: int) -> Span | None:
    """A date with its weekday beside it: the readings on which both agree.

    Where no reading does, people rather mistake the weekday than the date: the date stays a reading behind the next one
    on which both agree.
    """
    if span.grain != "day":
        return None

    def at(r: date) -> Readings:
        found = span.at(r)
        agreed = tuple(f for f in found if f.start.weekday() == weekday_)
        if agreed or span.day is None:
            return agreed or found
        if span.month is not None:
            days = [made(r.year + n, span.month, span.day) for n in (0, 1, -1)]
        else:
            days = [made(m.year, m.month, span.day) for n in range(13) for m in [month_start(r, n)]]
        fitting = [d for d in days if d is not None and d.weekday() == weekday_ and (span.month or d >= r)]
        return distinct([*(Reading(d, d) for d in fitting[:1]), *found[:1]])

    return Span(at, kind=span.kind, month=span.month, day=span.day)


# ---- periods -----------------------------------------------------------------------------------------------------

_SEASON_ENDS = (20, 23, 20, 20)
_SEASONS = ((3, 20), (6, 21), (9, 23), (12, 21))


def period(unit: str, step: int, modifier: str = "") -> Span | None:
    """A calendar period so many away: `next week` is ("week", 1)."""
    at = {
        "week": _week, "month": _month, "quarter": _quarter, "year": _year, "season": _season, "weekend": _weekend,
    }.get(unit)  # fmt: skip
    if unit == "day":
        return Span(lambda r: one(r + timedelta(days=step)))
    if at is None:
        return None
    if unit == "weekend" and modifier == "next":
        return Span(_next_weekend, grain="weekend")
    return Span(lambda r: at(r, step), grain=unit)  # type: ignore[arg-type]


def _week(r: date, step: int) -> Readings:
    monday = week_of(r, step)
    found = one(monday, monday + timedelta(days=6))
    if r.weekday() == 6:
        sunday = r + timedelta(weeks=step)
        found += one(sunday, sunday + timedelta(days=6))
    return found


def _month(r: date, step: int) -> Readings:
    first = month_start(r, step)
    return one(first, month_end(first))


def _quarter(r: date, step: int) -> Readings:
    first = month_start(r, step * 3 - (r.month - 1) % 3)
    return one(first, month_end(month_start(first, 2)))


def _year(r: date, step: int) -> Readings:
    return one(date(r.year + step, 1, 1), date(r.year + step, 12, 31))


def _season(r: date, step: int) -> Readings:
    starts = [date(y, m, d) for y in range(r.year - 2, r.year + 3) for m, d in _SEASONS]
    i = max(k for k, s in enumerate(starts) if s <= r) + step
    return one(starts[i], starts[i + 1] - timedelta(days=1)) if 0 <= i < len(starts) - 1 else ()


def _weekend(r: date, step: int, follows: str = "") -> Readings:
    saturday = week_of(r, step) + timedelta(days=5)
    sunday = saturday + timedelta(days=1)
    return one(saturday, sunday, follows) + one(saturday - timedelta(days=1), sunday, follows)


def _next_weekend(r: date) -> Readings:
    if r.weekday() >= 5:
        return _weekend(r, 1)
    return distinct([*_weekend(r, 0, "nearest"), *_weekend(r, 1, "next-week")])


def named_season(index: int, step: int | None) -> Span:
    """Spring, summer, autumn or winter of the northern half: that of a modifier, or the one ahead or running."""

    def at(r: date) -> Readings:
        month, day = _SEASONS[index]
        starts = [date(y, month, day) for y in range(r.year - 2, r.year + 3)]
        ends = [month_start(s, 3).replace(day=_SEASON_ENDS[index]) for s in starts]
        i = next(k for k, e in enumerate(ends) if e >= r) + (step or 0)
        return one(starts[i], ends[i]) if 0 <= i < len(starts) else ()

    return Span(at, grain="season", sure=False)


def named_month(month: int, step: int | None = None) -> Span:
    """A month without its year: the one running or ahead, and the one past where that is nearer."""

    def at(r: date) -> Readings:
        first = date(r.year, month, 1)
        ahead = first if month_end(first) >= r else month_start(first, 12)
        behind = month_start(ahead, -12)
        if step is not None:
            chosen = {-1: ahead if ahead == first and month < r.month else behind}.get(step, ahead)
            return one(chosen, month_end(chosen))
        if (ahead - r).days <= _HALF_YEAR:
            return one(ahead, month_end(ahead))
        return one(ahead, month_end(ahead)) + one(behind, month_end(behind))

    return Span(at, grain="month", month=month)


def month_of_year(month: int, year: int) -> Span | None:
    """A month of a year."""
    first = made(year, month, 1)
    if first is None:
        return None
    readings = one(first, month_end(first))
    return Span(lambda r: readings, grain="month", kind="absolute")


def season_of(index: int, year: int) -> Span:
    """A season of a year; the winter of a year begins in it."""
    month, day = _SEASONS[index]
    start = date(year, month, day)
    found = one(start, month_start(start, 3).replace(day=_SEASON_ENDS[index]))
    return Span(lambda r: found, grain="season", kind="absolute", sure=False)


def year_of(year: int) -> Span:
    """A year in figures."""
    found = one(date(year, 1, 1), date(year, 12, 31))
    return Span(lambda r: found, grain="year", kind="absolute")


def quarter_of(year: int, n: int) -> Span | None:
    """The n-th quarter of a year."""
    return quarter_in(year_of(year), n)


def quarter_in(period_: Span, n: int) -> Span | None:
    """The n-th quarter of a year that is told by a modifier."""
    if period_.grain != "year" or not 1 <= n <= 4:
        return None

    def at(r: date) -> Readings:
        starts = [(month_start(p.start, 3 * n - 3), p) for p in period_.at(r)]
        return tuple(Reading(s, month_end(month_start(s, 2)), p.follows) for s, p in starts)

    return Span(at, grain="quarter", kind=period_.kind)


def month_in(period_: Span, month: int) -> Span | None:
    """A month of a year that is told by a modifier: `May next year`."""
    if period_.grain != "year":
        return None

    def at(r: date) -> Readings:
        return tuple(
            Reading(f, month_end(f), p.follows) for p in period_.at(r) for f in [p.start.replace(month=month, day=1)]
        )

    return Span(at, grain="month")


def day_in_year(period_: Span, span: Span) -> Span | None:
    """A day of a month in a year that is told by a modifier: `May 4 of next year`."""
    if period_.grain != "year" or span.month is None or span.day is None:
        return None
    month, day = span.month, span.day

    def at(r: date) -> Readings:
        return distinct(Reading(d, d) for p in period_.at(r) if (d := made(p.start.year, month, day)) is not None)

    return Span(at)


def part_of(period_: Span, part: str) -> Span | None:
    """The beginning, middle, end or rest of a period; where it begins is loose, so such a span is not sure."""
    if period_.grain in ("day", "range", "part"):
        return None

    def at(r: date) -> Readings:
        return distinct(_part(p, part, period_.grain, r) for p in period_.at(r))

    return Span(at, grain="part", kind=period_.kind, sure=False)


def _part(p: Reading, part: str, grain: str, r: date) -> Reading:
    if part == "rest":
        return Reading(max(r, p.start), p.end, p.follows)
    if part == "all":
        return p
    if part.startswith("half"):
        middle = p.start + ((p.end - p.start) / 2)
        day = timedelta(days=1)
        return Reading(p.start, middle, p.follows) if part == "half1" else Reading(middle + day, p.end, p.follows)
    if grain == "month":
        borders = {"start": (1, 10), "middle": (11, 20), "end": (21, p.end.day)}[part]
        return Reading(p.start.replace(day=borders[0]), p.start.replace(day=borders[1]), p.follows)
    if grain == "week":
        first, last = {"start": (0, 2), "middle": (2, 4), "end": (4, 6)}[part]
        return Reading(p.start + timedelta(days=first), p.start + timedelta(days=last), p.follows)
    third = timedelta(days=((p.end - p.start).days + 1) // 3)
    day = timedelta(days=1)
    return {
        "start": Reading(p.start, p.start + third - day, p.follows),
        "middle": Reading(p.start + third, p.end - third, p.follows),
        "end": Reading(p.end - third + day, p.end, p.follows),
    }[part]


# ---- distances and stretches -------------------------------------------------------------------------------------


def away(length: Length, *, sure: bool = True) -> Span:
    """So far from the reference."""
    return Span(lambda r: moved(r, length), sure=sure)


def from_day(anchor: Span, length: Length) -> Span:
    """So far from another day; from the last day of a stretch on, or back from its first."""
    forward = length.months + length.days > 0

    def at(r: date) -> Readings:
        return distinct(
            Reading(m.start, m.end, a.follows)
            for a in anchor.at(r)
            for m in moved(a.end if forward else a.start, length)
        )

    return Span(at, kind=anchor.kind, sure=anchor.sure)


def weekday_away(weekday_: int, length: Length) -> Span | None:
    """`Friday in two weeks`: of the calendar week that lies so far ahead, or so far from the nearest one."""
    if length.months or length.days % 7:
        return None
    weeks = length.days // 7

    def at(r: date) -> Readings:
        ahead = r + timedelta(days=(weekday_ - r.weekday()) % 7)
        return distinct([*in_week(r, weeks, weekday_, sunday_first=False), *one(ahead + timedelta(weeks=weeks))])

    return Span(at)


def nth_ahead(n: int, weekday_: int) -> Span:
    """`three Fridays from now`; who does not count that of this week lands in the n-th week from now."""

    def at(r: date) -> Readings:
        counted = r + timedelta(days=((weekday_ - r.weekday()) % 7 or 7) + 7 * (n - 1))
        return distinct([Reading(counted, counted), *in_week(r, n, weekday_, sunday_first=False)])

    return Span(at)


def nth_ago(n: int, weekday_: int) -> Span:
    """`two Tuesdays ago`."""
    return Span(lambda r: one(r - timedelta(days=((r.weekday() - weekday_) % 7 or 7) + 7 * (n - 1))))


def stretch(length: Length, sign: int) -> Span:
    """`the next three days`, `the last two weeks`: without today; loose, for many count today."""

    def at(r: date) -> Readings:
        far = moved(r, length.times(sign))[0].start
        day = timedelta(days=1)
        return one(r + day, far) if sign > 0 else one(far, r - day)

    return Span(at, grain="range", sure=False)


def some(unit: str, sign: int) -> Span | None:
    """`in a few days`: two to five."""
    days = {"day": 1, "week": 7}.get(unit)
    if days is None:
        return None

    def at(r: date) -> Readings:
        near, far = (r + timedelta(days=sign * n * days) for n in (2, 5))
        return one(min(near, far), max(near, far))

    return Span(at, grain="part", sure=False)


def within(length: Length) -> Span:
    """From today to so far ahead."""
    return Span(lambda r: one(r, moved(r, length)[0].start), grain="range", sure=False)


def week_with(anchor: Span, unit: str) -> Span | None:
    """`the week of May 4`: the calendar week that holds the day, or the week that begins with it; a weekend likewise."""
    if unit == "weekend":
        return Span(
            lambda r: distinct(x for a in anchor.at(r) for x in _weekend(a.start, 0, a.follows)), grain="weekend"
        )
    if unit != "week":
        return None

    def at(r: date) -> Readings:
        return distinct(
            Reading(s, s + timedelta(days=6), a.follows) for a in anchor.at(r) for s in (week_of(a.start), a.start)
        )

    return Span(at, grain="week", kind=anchor.kind)


def lasting(start: Span, length: Length) -> Span:
    """From a day on for so long: nights end with the day after the last, days with the last or the day after."""

    def at(r: date) -> Readings:
        found = [Reading(s.start, m.start, s.follows) for s in start.at(r) for m in moved(s.start, length)]
        if length.unit == "day":
            found += [Reading(f.start, f.end - timedelta(days=1), f.follows) for f in found if f.end > f.start]
        return distinct(found)

    return Span(at, grain="range", kind=start.kind, sure=start.sure)


def between(first: Span, last: Span) -> Span:
    """From one day to another. A last day that is not complete is the first such day from the first one on."""

    def at(r: date) -> Readings:
        found = []
        for b in last.at(r) if _complete(last) else ():
            for a in _before(first, b.start, r):
                if a.start <= b.end and _agree(a, b):
                    found.append(Reading(a.start, b.end, a.follows or b.follows))
        if not _complete(last):
            for a in first.at(r):
                ends = [b for b in last.at(a.start) if b.end >= a.start and _agree(a, b)]
                # From Friday to Friday is a week.
                found += [Reading(a.start, b.end, a.follows) for b in ends[:1]]
        return distinct(found)

    return Span(
        at,
        grain="range",
        kind="absolute" if "absolute" in (first.kind, last.kind) else "relative",
        sure=first.sure and last.sure,
    )


def _complete(span: Span) -> bool:
    return span.month is None and span.day is None and span.weekday is None


def _before(first: Span, end: date, r: date) -> Readings:
    """The readings of a first day; one without its year takes that of the end, a weekday is the last one before."""
    if first.weekday is not None:
        day = end - timedelta(days=(end.weekday() - first.weekday) % 7)
        return one(day)
    if first.month is None or first.day is None:
        return first.at(r)
    years = [d for n in (0, -1) if (d := made(end.year + n, first.month, first.day)) is not None and d <= end]
    return one(years[0]) if years else ()


def _agree(a: Reading, b: Reading) -> bool:
    return not a.follows or not b.follows or a.follows == b.follows
