"""When and where a conversation takes place: the reference day, and the time zone it states.

The reference day comes from the trace's metadata, else from a date the system message states, else from the timestamp
of the user's message, else it is unknown. The wall clock is never read.
"""

from __future__ import annotations

import functools
import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from rootcall.evidence.dates import readings
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["Zone", "moment_of", "reference_days", "reference_moment", "zones"]

_SAYS_TODAY: Final = lazy(
    r"today(?:'s\s+date)?(?:\s+is)?|current\s+(?:date(?:\s*(?:and|/|&)?\s*time)?|day|time)|\bdate(?:\s+is)?\b|\bnow\b|오늘|현재|heute|datum|"
    r"hoy|fecha|aujourd'hui|date du jour|今日|本日|現在|今天|当前|目前",
    re.IGNORECASE,
)


def reference_days(trace: Trace, message: int) -> tuple[date, ...]:
    """Return the days that may be "today" for a message; empty when unknown.

    More than one where sources differ, or where a bare UTC timestamp leaves the day at the user's place open.
    """
    stated = _stated(trace)
    return stated or _stamped(trace, message)


@per_trace
def _stated(trace: Trace) -> tuple[date, ...]:
    days: list[date] = []
    given = trace.metadata.get("reference_time") if trace.metadata else None
    if given is not None and (moment := moment_of(given)) is not None:
        days.append(moment.date())
    for m in trace.messages:
        if m.role == "system" and m.text:
            days += _today_in(m.text)
    return tuple(dict.fromkeys(days))


@functools.lru_cache(maxsize=256)
def _today_in(text: str) -> tuple[date, ...]:
    """The day a system message calls today: a full date shortly after words that say so."""
    for anchor in _SAYS_TODAY.finditer(text):
        found = readings(text[anchor.end() : anchor.end() + 45])
        absolute = [e for e in found if e.kind == "absolute" and len(e.days) == 1 and e.start <= 20]
        if absolute:
            return tuple(absolute[0].days)
    return ()


def reference_moment(trace: Trace) -> datetime | None:
    """Return the moment the metadata give as the reference time, else that of the last user message, else None."""
    given = moment_of(trace.metadata.get("reference_time")) if trace.metadata else None
    stamps = [m.timestamp for m in trace.messages if m.timestamp and m.role == "user"]
    return given or (moment_of(stamps[-1]) if stamps else None)


def moment_of(value: object) -> datetime | None:
    """Return the moment of an ISO text or of a count of seconds or milliseconds; without an offset where none is told."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    try:
        if re.fullmatch(r"\d{9,13}(\.\d+)?", text):
            number = float(text)
            return datetime.fromtimestamp(number / 1000 if number > 1e11 else number, tz=UTC)
        return datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None


def _stamped(trace: Trace, message: int) -> tuple[date, ...]:
    stamps = [m.timestamp for m in trace.messages if m.timestamp and m.index <= message and m.role == "user"]
    moment = moment_of(stamps[-1]) if stamps else None
    if moment is None:
        return ()
    # A timestamp tells the day where the clock stood; the user may live a day ahead or behind.
    return tuple(sorted({moment.date(), (moment + timedelta(hours=14)).date(), (moment - timedelta(hours=12)).date()}))


class Zone(msgspec.Struct, frozen=True):
    """A time zone a text states: an IANA name or a fixed offset in minutes, and the sentence it stands in."""

    name: str | None
    minutes: int | None
    near: str

    def offset(self, moment: datetime) -> int | None:
        """Return the offset in minutes at a local time; None where the host has no zone data."""
        if self.minutes is not None:
            return self.minutes
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            away = ZoneInfo(self.name or "").utcoffset(moment.replace(tzinfo=None))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return None
        return None if away is None else int(away.total_seconds() // 60)


_IANA: Final = lazy(
    r"\b(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z][A-Za-z]+(?:[_/-][A-Za-z]+)*"
)
_FIXED: Final = lazy(r"\b(?:UTC|GMT)\s*(?P<sign>[+\-−–])\s*(?P<h>\d{1,2})(?::?(?P<m>\d\d))?(?!\d)")  # fmt: skip


@functools.lru_cache(maxsize=1024)
def zones(text: str) -> tuple[Zone, ...]:
    """Return the time zones a text states, each with the sentence it stands in."""
    found = [Zone(m.group(), None, _sentence(text, m.start(), m.end())) for m in _IANA.finditer(text)]
    for m in _FIXED.finditer(text):
        minutes = int(m.group("h")) * 60 + int(m.group("m") or 0)
        signed = minutes if m.group("sign") == "+" else -minutes
        found.append(Zone(None, signed, _sentence(text, m.start(), m.end())))
    return tuple(found)


_SENTENCE_END: Final = lazy(r"[.!?](?=\s)|\n")


def _sentence(text: str, start: int, end: int) -> str:
    before = [m.end() for m in _SENTENCE_END.finditer(text, 0, start)]
    behind = _SENTENCE_END.search(text, end)
    return text[before[-1] if before else 0 : behind.start() if behind else len(text)][:500]
