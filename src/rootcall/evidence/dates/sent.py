"""Days, moments and times of day as they are sent or said outright: ISO values and clock times."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Final

from rootcall.lazypattern import lazy

__all__ = ["clock_times", "instant", "no_such_day", "sent_days"]

_SENT: Final = lazy(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?=\Z|[T\s])")
_COMPACT: Final = lazy(r"(\d{4})(\d\d)(\d\d)\Z")


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def sent_days(value: object) -> date | None:
    """Return the calendar day of a sent value (`2026-05-01`, with or without a time), or None when it is no such date."""
    if not isinstance(value, str):
        return None
    m = _SENT.match(value) or _COMPACT.match(value)
    return _day(*(int(g) for g in m.groups())) if m else None


def no_such_day(value: object) -> bool:
    """Tell whether a sent value is written as a date that no calendar has: `2026-02-30`, `0000-01-01`."""
    m = _SENT.match(value) if isinstance(value, str) else None
    return m is not None and _day(*(int(g) for g in m.groups())) is None


def instant(value: object) -> datetime | None:
    """Return the moment of an ISO date-time with an offset, or None."""
    if not isinstance(value, str) or len(value) < 16 or value[10:11] not in ("T", "t", " "):
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo is not None else None


_CLOCK: Final = lazy(
    r"(?<![\d:.,$€£+-])(?:(?P<h>\d{1,2})(?:[:.h](?P<m>\d\d))?\s*(?P<half>a\.?m\b|p\.?m\b)|(?P<h2>[01]?\d|2[0-3]):(?P<m2>[0-5]\d)(?!\d)"
    r"|(?P<h3>\d{1,2})\s*(?:Uhr|時|点|點|heures?|h\b)(?:\s*(?P<m3>[0-5]\d))?)"
    r"|(?P<ko>오전|오후|아침|저녁|밤|上午|下午|午前|午後|晚上)\s*(?P<h4>\d{1,2})\s*[시時点點](?:\s*(?P<m4>\d{1,2})\s*[분分])?|\b(?P<noon>noon|midday)\b",
    re.IGNORECASE,
)  # fmt: skip


def _group(m: re.Match[str], *names: str) -> str | None:
    found = m.groupdict()
    return next((found[n] for n in names if found.get(n)), None)


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
