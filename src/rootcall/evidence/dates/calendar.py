"""Calendar arithmetic: what the parts of a day expression mean, as readings against a reference day.

A `Span` is an expression that is understood but not yet placed: given a reference day it answers with its readings, the
likeliest first. Words and word order are `rootcall.evidence.dates.grammar`'s.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final, Literal, NamedTuple

import msgspec

__all__ = [
    "HALF_YEAR",
    "Grain",
    "Kind",
    "Length",
    "Reading",
    "Readings",
    "Span",
    "absolute",
    "agreeing",
    "beside",
    "day_in",
    "day_of_month",
    "day_of_year",
    "distinct",
    "in_week",
    "made",
    "month_end",
    "month_start",
    "moved",
    "nearest_to",
    "nth_day",
    "nth_week",
    "nth_weekday",
    "one",
    "week_of",
    "weekday",
    "weekday_before_last",
    "weekday_in",
    "with_year",
]

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

HALF_YEAR: Final = 183


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
        if behind is None or (ahead - r).days <= HALF_YEAR:
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
            return distinct([*in_week(r, 1, day, "next-week", sunday_first=sunday), Reading(after, after, "nearest")])
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
        found = []
        for w in period.at(r):
            d = w.start + timedelta(days=(day - w.start.weekday()) % 7)
            # Where weeks begin on Sunday, that of the week is the one before its Monday.
            before = [w.start - timedelta(days=1)] if day == 6 and w.start.weekday() == 0 else []
            found += [Reading(x, x, w.follows) for x in (d, *before) if (w.end - w.start).days == 6]
        return distinct(found)

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
