"""Stretches of days and what is counted from them: calendar periods and their parts, distances, from one day to another.

Single days and weekdays, and what readings and spans are, is `rootcall.evidence.dates.calendar`'s.
"""

from __future__ import annotations

from datetime import date, timedelta

from rootcall.evidence.dates.calendar import (
    HALF_YEAR,
    Length,
    Reading,
    Readings,
    Span,
    distinct,
    in_week,
    made,
    month_end,
    month_start,
    moved,
    nth_weekday,
    one,
    week_of,
)

__all__ = [
    "away",
    "between",
    "day_in_year",
    "from_day",
    "lasting",
    "month_in",
    "month_of_year",
    "named_month",
    "named_season",
    "nth_ago",
    "nth_ahead",
    "nth_weekend",
    "of_nights",
    "part_of",
    "period",
    "quarter_in",
    "quarter_of",
    "season_of",
    "some",
    "stretch",
    "week_with",
    "weekday_away",
    "within",
    "year_of",
]

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
    return distinct([*_weekend(r, 1, "next-week"), *_weekend(r, 0, "nearest")])


def nth_weekend(period_: Span, n: int) -> Span | None:
    """The n-th weekend of a month, told by its Saturday."""
    saturday = nth_weekday(period_, n, 5)
    if saturday is None:
        return None
    return Span(
        lambda r: distinct(Reading(x.start, x.start + timedelta(days=1), x.follows) for x in saturday.at(r)),
        grain="weekend",
        kind=saturday.kind,
    )


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
        if (ahead - r).days <= HALF_YEAR:
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
    if period_.grain in ("day", "range", "part", "weekend"):
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
        anchors = anchor.at(r)
        if forward and anchor.weekday is not None:
            # Nobody counts on from the Friday that is past.
            anchors = tuple(a for a in anchors if a.start >= r) or anchors
        return distinct(
            Reading(m.start, m.end, a.follows) for a in anchors for m in moved(a.end if forward else a.start, length)
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


def of_nights(stretch_: Span, length: Length) -> Span | None:
    """A stretch with its number of nights; without readings where it has another number ("3 to 5 May, one night more")."""
    if length.unit != "night" or stretch_.grain != "range":
        return None

    def at(r: date) -> Readings:
        return tuple(x for x in stretch_.at(r) if (x.end - x.start).days == length.days)

    return Span(at, grain="range", kind=stretch_.kind, sure=stretch_.sure, weak=stretch_.weak)


def between(first: Span, last: Span) -> Span:
    """From one day to another. A last day that is not complete is the first such day from the first one on."""

    def at(r: date) -> Readings:
        found: list[Reading] = []
        for b in last.at(r) if _complete(last) else ():
            starts = [a for a in _before(first, b.start, r) if a.start <= b.end and _agree(a, b)]
            found += [Reading(a.start, b.end, a.follows or b.follows) for a in starts]
        if not _complete(last):
            for a in first.at(r):
                ends = [b for b in last.at(a.start) if b.end >= a.start and _agree(a, b)]
                # From Friday to Friday is a week.
                found += [Reading(a.start, b.end, a.follows) for b in ends[:1]]
        # Two parts that were read apart may lie a year apart.
        return distinct([f for f in found if (f.end - f.start).days <= HALF_YEAR] or found)

    return Span(
        at,
        grain="range",
        kind="absolute" if "absolute" in (first.kind, last.kind) else "relative",
        sure=first.sure and last.sure,
        weak=first.weak and last.weak,
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
