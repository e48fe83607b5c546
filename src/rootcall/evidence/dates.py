"""Days that a text speaks of, each as a set of readings against a reference day.

"Next Friday" is a convention: some mean the nearest Friday, some the Friday of the next calendar week (which begins on
Sunday or on Monday). Nobody asked which, so an expression has a set of readings and a value is wrong only when it lies
outside the whole set. Owns the calendar arithmetic and the clock times; the words stand in
`rootcall.evidence.date_words`, the reference day comes from `rootcall.evidence.clock`. Never reads the wall clock.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final, Literal

import msgspec

from rootcall.evidence.date_words import (
    EASTERN_PATTERNS,
    MONTHS,
    NUMBERS,
    OFFSETS,
    PATTERNS,
    UNITS,
    WEEKDAYS,
    modifier_of,
)
from rootcall.evidence.words import folded

__all__ = ["Expression", "clock_times", "instant", "readings", "relative_phrase", "sent_days"]

Kind = Literal["relative", "absolute", "vague"]


class Expression(msgspec.Struct, frozen=True):
    """Words that mean a day, or a stretch of days.

    `start` and `end` bound the words in the text. `days` holds every reading; it is empty when the words cannot be
    resolved (no reference day, a holiday, "the day after"). `kind` is `relative` when the meaning hangs on the day of
    speaking. `clear` is False when a neighbouring word changes the meaning ("before Friday", "Friday or Saturday").
    """

    text: str
    start: int
    end: int
    kind: Kind
    days: frozenset[date] = frozenset()
    clear: bool = True


def readings(text: str, *references: date) -> tuple[Expression, ...]:
    """Return the day expressions of a text in order, read against one or more possible reference days.

    Without a reference only dates with a year have readings. Overlapping matches give the longest.

    Example: `readings("next Friday", date(2026, 11, 30))[0].days` holds 4 and 11 December 2026.
    """
    return _readings(text[:20_000], references)


@functools.lru_cache(maxsize=4096)
def _readings(text: str, references: tuple[date, ...]) -> tuple[Expression, ...]:
    patterns = PATTERNS if text.isascii() else PATTERNS + EASTERN_PATTERNS
    matches = [
        (m.start(), -m.end(), order, name, m) for order, (name, p) in enumerate(patterns) for m in p.finditer(text)
    ]
    found: list[Expression] = []
    for start, end, _, name, m in sorted(matches, key=lambda x: x[:3]):
        if found and start < found[-1].end:
            continue
        if name == "offset" and _not_a_day(text, m):
            continue
        days = _days(name, m, references)
        if days is None:
            continue
        kind: Kind = "absolute" if name in ("date", "numeric") else "vague" if name == "vague" else "relative"
        clear = kind != "vague" and not _BEFORE.search(text[:start][-40:]) and not _BEHIND.match(text[-end:])
        found.append(Expression(m.group(), start, -end, kind, days, clear))
    return tuple(found)


# Words that, right before or behind a day, make it a bound, a choice or a starting point instead of the day meant.
_BEFORE: Final = re.compile(
    r"(?:\b(?:after|before|until|till|by|since|from|starting|between|through|to|not|except|than|instead\s+of|around|about|"
    r"week\s+of|or|and|every|each|bis|nach|vor|seit|ab|spätestens|oder|und|después\s+del?|antes\s+del?|hasta|desde|"
    r"après|avant|jusqu'?(?:à|au)?|depuis|was|were)(?:\s+(?:the|on|el|le|dem|den))?\s*|[-–~/]\s*)\Z",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"\s*(?:(?:or|and|to|through|until|till|instead|onwards?|at\s+the\s+latest|bis|oder|und|hasta|o|y|ou|et)\b|[-–~/]\s*\d"
    r"|,?\s*(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b|부터|까지|이후|이전|전까지|또는|이나|나\s|~|から|まで|以降|以前|之前|之后|以后|或)",
    re.IGNORECASE,
)
_MORNING_BEFORE: Final = re.compile(
    r"(?:\b(?:guten|am|jeden|heute|gestern|übermorgen|de\s+la|por\s+la|esta|la|cada)\s+)\Z", re.IGNORECASE
)


def _not_a_day(text: str, m: re.Match[str]) -> bool:
    """`Guten Morgen` and `por la mañana` are mornings, not tomorrow."""
    return (
        m.group("word").lower() in ("morgen", "mañana") and _MORNING_BEFORE.search(text[: m.start()][-20:]) is not None
    )


def _group(m: re.Match[str], *names: str) -> str | None:
    found = m.groupdict()
    return next((found[n] for n in names if found.get(n)), None)


def _days(name: str, m: re.Match[str], references: tuple[date, ...]) -> frozenset[date] | None:
    """The readings of a match; None when it is no day at all (month 13)."""
    try:
        if name in ("date", "numeric"):
            return _absolute(m, references)
        return frozenset(d for r in references for d in _RELATIVE[name](m, r))
    except (OverflowError, ValueError):
        return frozenset()


def _absolute(m: re.Match[str], references: tuple[date, ...]) -> frozenset[date] | None:
    groups = m.groupdict()
    year = groups.get("y")
    if groups.get("sep"):
        a, b, y = int(groups["a"]), int(groups["b"]), int(groups["y"])
        y += 2000 if y < 100 else 0
        pairs = [(y, b, a)] if groups["sep"] == "." else [(y, a, b), (y, b, a)]
    else:
        month = MONTHS[folded(groups["month"])] if groups.get("month") else int(groups["m"])
        years = [int(year)] if year else sorted({r.year + k for r in references for k in (-1, 0, 1)})
        if not 1 <= month <= 12 or not 1 <= int(groups["d"]) <= 31:
            return None
        pairs = [(y, month, int(groups["d"])) for y in years]
    found = frozenset(d for p in pairs if (d := _day(*p)) is not None)
    return found if found or not year else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _offset(m: re.Match[str], r: date) -> set[date]:
    return {r + timedelta(days=OFFSETS[re.sub(r"\s+", " ", folded(m.group("word")))])}


def _distance(m: re.Match[str], r: date, sign: int) -> set[date]:
    word = folded(_group(m, "n", "n2") or "1")
    n = sign * (int(word) if word.isdigit() else NUMBERS[re.sub(r"\s+", " ", word)])
    unit = UNITS[folded(_group(m, "unit", "unit2") or "day")]
    if unit in ("month", "year"):
        return _months(r, n * (12 if unit == "year" else 1))
    return {r + timedelta(days=n * {"day": 1, "week": 7, "fortnight": 14}[unit])}


def _months(r: date, n: int) -> set[date]:
    """So many months on: the same day of the month, or its last where there is no such day; a day of grace."""
    first = date(r.year + (r.month - 1 + n) // 12, (r.month - 1 + n) % 12 + 1, 1)
    same = _day(first.year, first.month, r.day) or _last_of_month(first)
    return {same + timedelta(days=k) for k in (-1, 0, 1)}


def _last_of_month(d: date) -> date:
    return (d.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _week_days(r: date, weeks: int, weekday: int) -> set[date]:
    """The weekday of the calendar week so many weeks away, for weeks that begin on Monday and on Sunday."""
    monday = r - timedelta(days=r.weekday()) + timedelta(weeks=weeks)
    sunday = r - timedelta(days=(r.weekday() + 1) % 7) + timedelta(weeks=weeks)
    return {monday + timedelta(days=weekday), sunday + timedelta(days=(weekday + 1) % 7)}


def _weekday(m: re.Match[str], r: date) -> set[date]:
    weekday = WEEKDAYS[folded(m.group("wd"))]
    on_or_after = r + timedelta(days=(weekday - r.weekday()) % 7)
    after = on_or_after if on_or_after > r else r + timedelta(days=7)
    before = after - timedelta(days=7) if after - timedelta(days=7) < r else r - timedelta(days=7)
    modifier = modifier_of(m.groupdict().get("mod"))
    if modifier == "next":
        return {after} | _week_days(r, 1, weekday)
    if modifier == "this":
        return {on_or_after} | _week_days(r, 0, weekday)
    if modifier == "coming":
        return {on_or_after, after}
    if modifier == "last":
        return {before} | _week_days(r, -1, weekday)
    # A bare weekday may be the one ahead or, in a report, the one just past.
    return {on_or_after, after, before}


def _weekday_in_week(m: re.Match[str], r: date) -> set[date]:
    modifier = modifier_of(m.groupdict().get("mod")) or "next"
    weeks = {"next": 1, "this": 0, "last": -1, "after": 2}.get(modifier, 1)
    return _week_days(r, weeks, WEEKDAYS[folded(m.group("wd"))])


def _weekday_after_next(m: re.Match[str], r: date) -> set[date]:
    weekday = WEEKDAYS[folded(_group(m, "wd", "wd2", "wd3") or "")]
    nearest = r + timedelta(days=(weekday - r.weekday()) % 7)
    return {nearest + timedelta(days=7), nearest + timedelta(days=14)} | _week_days(r, 2, weekday)


def _weekend(m: re.Match[str], r: date) -> set[date]:
    saturday = r + timedelta(days=(5 - r.weekday()) % 7)
    if r.weekday() == 6:
        saturday = r - timedelta(days=1)
    weeks = {"next": (0, 1), "this": (0,), "coming": (0, 1), "last": (-1,)}.get(
        modifier_of(_group(m, "mod", "mod2", "mod3")), (0, 1)
    )
    return {saturday + timedelta(days=7 * w + k) for w in weeks for k in (-1, 0, 1)}


def _period(m: re.Match[str], r: date) -> set[date]:
    modifier = modifier_of(_group(m, "mod", "mod2", "mod3"))
    step = {"next": 1, "this": 0, "last": -1, "after": 2, "coming": 1}.get(modifier, 0)
    word = folded(_group(m, "unit", "unit2", "unit3") or "")
    if UNITS.get(word) == "week" or word in ("주", "週", "周", "星期", "semaine"):
        return {d for weekday in range(7) for d in _week_days(r, step, weekday)} | {r + timedelta(weeks=step)}
    if UNITS.get(word) == "month" or word in ("달", "月"):
        first = date(r.year + (r.month - 1 + step) // 12, (r.month - 1 + step) % 12 + 1, 1)
        return {first + timedelta(days=k) for k in range(_last_of_month(first).day)}
    year = date(r.year + step, 1, 1)
    return {year + timedelta(days=k) for k in range(366)}


_RELATIVE: Final[dict[str, Callable[[re.Match[str], date], set[date]]]] = {
    "offset": _offset,
    "ahead": lambda m, r: _distance(m, r, 1),
    "ago": lambda m, r: _distance(m, r, -1),
    "weekday": _weekday,
    "weekday_in_week": _weekday_in_week,
    "weekday_after_next": _weekday_after_next,
    "weekend": _weekend,
    "period": _period,
    "vague": lambda m, r: set(),
}

_FILLER: Final = re.compile(
    r"(?:[\s,.()!]|\b(?:the|on|at|by|for|in|of|am|pm|a\.m|p\.m|um|uhr|el|la|le|las|los|du|de|por|à|a|den|dem|noon|midnight|"
    r"morning|afternoon|evening|night|nachmittag|vormittag|abend|früh|tarde|noche|matin|soir|après-midi)\b|"
    r"\d{1,2}(?::\d\d){0,2}\s*(?:am|pm|h|uhr)?\b|오전|오후|아침|저녁|밤|정오|에|까지|의|午前|午後|上午|下午|早上|晚上|\d{1,2}[시時点點](?:\d{1,2}[분分])?)*\Z",
    re.IGNORECASE,
)


def relative_phrase(value: str) -> Expression | None:
    """Return the expression when a text as a whole is a relative date ("next Friday", "내일", "tomorrow at 3pm")."""
    if not value.strip() or len(value) > 60:
        return None
    found = readings(value)
    relative = [e for e in found if e.kind != "absolute"]
    if len(found) != 1 or not relative:
        return None
    rest = value[: relative[0].start] + " " + value[relative[0].end :]
    return relative[0] if _FILLER.match(rest) else None


_SENT: Final = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=\Z|[T\s])")
_COMPACT: Final = re.compile(r"(\d{4})(\d\d)(\d\d)\Z")


def sent_days(value: object) -> date | None:
    """Return the calendar day of a sent value (`2026-05-01`, with or without a time), or None when it is no such date."""
    if not isinstance(value, str):
        return None
    m = _SENT.match(value) or _COMPACT.match(value)
    return _day(*(int(g) for g in m.groups())) if m else None


def instant(value: object) -> datetime | None:
    """Return the moment of an ISO date-time with an offset, or None."""
    if not isinstance(value, str) or len(value) < 16 or value[10:11] not in ("T", "t", " "):
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo is not None else None


_CLOCK: Final = re.compile(
    r"(?<![\d:.,$€£+-])(?:(?P<h>\d{1,2})(?:[:.h](?P<m>\d\d))?\s*(?P<half>a\.?m\b|p\.?m\b)|(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?!\d)"
    r"|(?P<h3>\d{1,2})\s*(?:Uhr|時|点|點|heures?|h\b)(?:\s*(?P<m3>[0-5]\d))?)"
    r"|(?P<ko>오전|오후|아침|저녁|밤|上午|下午|午前|午後|晚上)\s*(?P<h4>\d{1,2})\s*[시時点點](?:\s*(?P<m4>\d{1,2})\s*[분分])?|\b(?P<noon>noon|midday)\b",
    re.IGNORECASE,
)  # fmt: skip


def clock_times(text: str) -> frozenset[tuple[int, int]]:
    """Return the times of day a text names, as (hour, minute) on a 24-hour clock; ambiguous ones in both readings."""
    found: set[tuple[int, int]] = set()
    for m in _CLOCK.finditer(text):
        if m.group("noon"):
            found.add((12, 0))
            continue
        hour = int(_group(m, "h", "h2", "h3", "h4") or 0)
        minute = int(_group(m, "m", "m2", "m3", "m4") or 0)
        half = (_group(m, "half") or "").lower().replace(".", "")
        korean = _group(m, "ko") or ""
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
        elif korean in ("오후", "저녁", "밤", "下午", "午後", "晚上") and hour < 12:
            hour += 12
        if hour < 24 and minute < 60:
            found.add((hour, minute))
    return frozenset(found)
