"""Dates and times of day as they are written out in a text, as `Mention`s without a reference day.

Words such as "next Friday", which need a day to count from, are `rootcall.evidence.dates`'. A date here is a day of a
month, with its year when that is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from rootcall.evidence.date_words import MONTHS
from rootcall.evidence.mention import Mention
from rootcall.evidence.words import folded
from rootcall.lazypattern import lazy

__all__ = ["NO_LETTER", "dates", "times"]

_NAMES: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
# Every pattern is tried only where digits begin, which is much faster than at every letter of a text.
_DIGITS: Final = lazy(r"\d+")
# Chinese, Japanese and Korean have no space between a word and the digits behind it.
NO_LETTER: Final = r"(?<![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
_BARRED: Final = rf"{NO_LETTER}(?<![\-/.$€£₩¥₹])"
_MONTH_BEFORE: Final = lazy(rf"{_BARRED}(?P<month>{_NAMES})\.?\s(?:the\s)?\Z", re.IGNORECASE)
_LONGEST_BEFORE: Final = max(map(len, MONTHS)) + len(". the ")
_DAY_BEHIND: Final = lazy(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b(?!:\d|\d|\.\d)(?:,?\s(?P<year>\d{4})\b)?", re.IGNORECASE)
_DATE: Final = lazy(
    rf"""{_BARRED}(?:
        (?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})(?:T(?P<clock>\d{{2}}:\d{{2}})[\d:.]*(?:Z|[+\-]\d{{2}}:?\d{{2}})?)?
      | (?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s(?:of\s|de\s)?(?P<m2>{_NAMES})\b\.?(?:,?\s(?:de\s|del\s)?(?P<y2>\d{{4}})\b)?
      | (?:(?P<y4>\d{{4}})[년年]\s?)?(?P<m4>\d{{1,2}})[월月]\s?(?P<d4>\d{{1,2}})[일日号]
      | (?P<d5>\d{{1,2}})\.(?P<m5>\d{{1,2}})\.(?P<y5>\d{{4}}|\d{{2}})?(?!\d)
      | (?P<a6>\d{{1,2}})/(?P<b6>\d{{1,2}})/(?P<y6>\d{{4}}|\d{{2}})(?!\d)
      | (?P<y7>\d{{4}})[/.](?P<m7>\d{{1,2}})[/.](?P<d7>\d{{1,2}})(?!\d)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_HALVES: Final = {"오전": "a", "午前": "a", "上午": "a", "오후": "p", "午後": "p", "下午": "p"}
_HALF_BEFORE: Final = lazy(rf"(?<![\w:.\-+])(?P<half>{'|'.join(_HALVES)})\s?\Z")
_TIME: Final = lazy(
    r"""(?:
        (?P<h1>[01]?\d|2[0-4])[:h](?P<m1>[0-5]\d)(?::[0-5]\d)?(?!\d|:)(?:\s?(?P<ap1>[ap])\.?\s?m\b\.?)?
      | (?P<h2>1[0-2]|0?[1-9])\s?(?P<ap2>[ap])\.?m\b\.?
      | (?P<h3>\d{1,2})[시時点](?!간|間)\s?(?:(?P<m3>\d{1,2})[분分]|(?P<thirty>반|半))?
      | (?P<h4>[01]?\d|2[0-4])(?:[.:](?P<m4>[0-5]\d))?\sUhr\b(?:\s(?P<m5>[0-5]?\d)\b)?
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SPACELESS: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_BARS_TIME: Final = frozenset("_:.-+")


def dates(text: str, day_first: Callable[[str], bool]) -> Iterator[Mention]:
    """Give the dates of a text in order. `day_first` tells whether its language writes "12.10." for a day."""
    end = 0
    for run in _DIGITS.finditer(text):
        start = run.start()
        if start < end:
            continue
        before = _MONTH_BEFORE.search(text, max(end, start - _LONGEST_BEFORE), start)
        behind = _DAY_BEHIND.match(text, start) if before is not None else None
        if before is not None and behind is not None:
            end = behind.end()
            found = _named(text, before, behind)
        elif (m := _DATE.match(text, start)) is not None:
            end = m.end()
            found = _numeric(text, m, day_first)
        else:
            continue
        if found is not None:
            yield found


def _named(text: str, before: re.Match[str], behind: re.Match[str]) -> Mention | None:
    """June 4th, 2026."""
    day, year = int(behind["day"]), behind["year"]
    if not 1 <= day <= 31:
        return None
    start, end = before.start(), behind.end()
    reading = float(MONTHS[folded(before["month"])] * 100 + day)
    return Mention("date", text[start:end], start, end, (reading,), year=int(year) if year else None)


def _numeric(text: str, m: re.Match[str], day_first: Callable[[str], bool]) -> Mention | None:
    g = m.groupdict()
    n = next((i for i in "12457" if g[f"d{i}"]), None)
    if n is not None:
        day, year, raw = int(g[f"d{n}"]), g[f"y{n}"], g[f"m{n}"]
        month = int(raw) if raw.isdigit() else MONTHS[folded(raw)]
        # "12.10." without a year is a day only where dots write days; elsewhere it ends a sentence.
        plausible = 1 <= month <= 12 and 1 <= day <= 31 and (n != "5" or bool(year) or day_first(text))
        readings = [month * 100 + day] if plausible else []
    else:
        # 06/04/2026 is June in one country and April in another.
        a, b, year = int(g["a6"]), int(g["b6"]), g["y6"]
        readings = [x * 100 + y for x, y in ((a, b), (b, a)) if 1 <= x <= 12 and 1 <= y <= 31]
    if not readings:
        return None
    full = None if not year else int(year) + (2000 if len(year) == 2 else 0)
    end = m.start("clock") - 1 if g["clock"] else m.end()
    return Mention("date", text[m.start() : end], m.start(), end, tuple(map(float, readings)), year=full)


def times(text: str) -> Iterator[Mention]:
    """Give the times of day of a text in order."""
    end = 0
    for run in _DIGITS.finditer(text):
        start = run.start()
        m = _TIME.match(text, start) if start >= end else None
        if m is None:
            continue
        before = _HALF_BEFORE.search(text, max(0, start - 3), start)
        previous = text[start - 1 : start]
        if before is None and (previous in _BARS_TIME or (previous.isalnum() and not _SPACELESS.match(previous))):
            continue
        end = m.end()
        half = (m["ap1"] or m["ap2"] or (_HALVES[before["half"]] if before else "")).lower()
        if readings := _minutes(m, half):
            first = before.start() if before else start
            yield Mention("time", text[first:end], first, end, tuple(map(float, readings)))


def _minutes(m: re.Match[str], half: str) -> list[int]:
    """Minutes since midnight, two readings when the half of the day is open; none when it is no time."""
    g = m.groupdict()
    hour = int(next(g[k] for k in ("h1", "h2", "h3", "h4") if g[k] is not None))
    minute = 30 if g["thirty"] else int(next((g[k] for k in ("m1", "m3", "m4", "m5") if g[k]), 0))
    if hour > 24 or minute > 59 or (g["h3"] is not None and hour == 0 and not g["m3"]):
        return []
    if half == "p" and hour < 12:
        return [(hour + 12) * 60 + minute]
    if half == "a" and hour == 12:
        return [minute]
    readings = [hour % 24 * 60 + minute]
    if not half and 1 <= hour <= 12 and (g["h3"] or len(g["h1"] or "00") == 1):
        readings.append((hour % 12 + 12) * 60 + minute)
    return readings
