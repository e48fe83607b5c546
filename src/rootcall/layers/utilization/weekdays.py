"""A weekday told beside a date: the calendar knows whether they belong together, whatever a result holds.

Only a date whose year is written, or stands with that day in a result or upstream, is judged. A weekday that stands alone is
bound to no date here.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final

from rootcall.case import Case
from rootcall.check import Check, emits
from rootcall.config import Config
from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.layers.utilization.answers import Answer, answers
from rootcall.lazypattern import lazy
from rootcall.trace import Trace

__all__ = ["weekdays_told"]

_NAMES: Final = (
    "monday mon montag lunes lundi 월요일 월 月曜日 月曜 月 星期一 周一",
    "tuesday tues tue dienstag martes mardi 화요일 화 火曜日 火曜 火 星期二 周二",
    "wednesday weds wed mittwoch miércoles miercoles mercredi 수요일 수 水曜日 水曜 水 星期三 周三",
    "thursday thurs thur thu donnerstag jueves jeudi 목요일 목 木曜日 木曜 木 星期四 周四",
    "friday fri freitag viernes vendredi 금요일 금 金曜日 金曜 金 星期五 周五",
    "saturday sat samstag sonnabend sábado sabado samedi 토요일 토 土曜日 土曜 土 星期六 周六",
    "sunday sun sonntag domingo dimanche 일요일 일 日曜日 日曜 日 星期日 星期天 周日",
)
_DAY: Final = {name: n for n, names in enumerate(_NAMES) for name in names.split()}
_LONG: Final = "|".join(sorted((w for w in _DAY if len(w) > 1), key=len, reverse=True))
_LETTER: Final = "".join(w for w in _DAY if len(w) == 1)
# "Friday, 25 November", "Friday the 25th of", "viernes 25 de"; and "11월 18일(수)", "18 November (Wed.)", "18 November, a Wednesday".
_BEFORE: Final = lazy(rf"(?<![^\W\d_])(?P<day>{_LONG})\.?,?\s(?:the\s|den\s|dem\s|el\s|le\s|día\s)?\Z", re.IGNORECASE)
_BEHIND: Final = lazy(
    rf"\s?[(（](?:(?P<letter>[{_LETTER}])|(?P<day>{_LONG})\.?)[)）]|,?\s(?:a\s|ein\s|un\s)?(?P<next>{_LONG})(?![^\W\d_])", re.IGNORECASE
)  # fmt: skip
_LONGEST: Final = 24
_ENGLISH: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@emits("utilization/shifted-date", "utilization/supported")
def weekdays_told(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check every weekday that an answer tells right beside a date."""
    for answer in answers(trace):
        if answer.unresolved:
            continue
        for n, mention in enumerate(m for m in answer.mentions if m.kind == "date" and len(m.readings) == 1):
            said = _beside(answer.text, mention)
            dated = _year_of(answer, mention) if said is not None else None
            if said is not None and dated is not None:
                yield from _check(answer, mention, n, said, dated)


def _beside(text: str, mention: Mention) -> tuple[int, int, int] | None:
    """The weekday right before or behind a date, as its number, Monday 0, and where it stands."""
    before = _BEFORE.search(text, max(0, mention.start - _LONGEST), mention.start)
    if before is not None:
        return _DAY[before["day"].lower()], *before.span("day")
    behind = _BEHIND.match(text, mention.end)
    if behind is None:
        return None
    group = next(g for g in ("letter", "day", "next") if behind[g])
    return _DAY[behind[group].lower()], *behind.span(group)


def _year_of(answer: Answer, mention: Mention) -> tuple[int, Fact | None] | None:
    """The year of a date, and the fact that holds it; None where none is known, or several are."""
    held = [
        (d.year, f)
        for f in (*answer.facts, *answer.older)
        for d in f.dates
        if d.readings == mention.readings and d.year
    ]
    if mention.year is not None:
        return mention.year, next((f for year, f in held if year == mention.year), None)
    years = {year for year, _ in held} or {
        m.year for m in answer.said if m.kind == "date" and m.readings == mention.readings and m.year
    }
    if len(years) != 1:
        return None
    return next(iter(years)), held[0][1] if held else None


def _check(
    answer: Answer, mention: Mention, n: int, said: tuple[int, int, int], dated: tuple[int, Fact | None]
) -> Iterator[Check]:
    day, start, end = said
    year, fact = dated
    try:
        right = dt.date(year, int(mention.readings[0]) // 100, int(mention.readings[0]) % 100)
    except ValueError:
        return
    call = fact.call if fact is not None else (answer.turn_calls or answer.calls)[-1]
    wrong = right.weekday() != day
    told = answer.text[start:end]
    yield Check(
        layer="utilization",
        rule="utilization/shifted-date" if wrong else "utilization/supported",
        status="fail" if wrong else "pass",
        grade="likely" if wrong else "proof",
        unit=f"weekday:{answer.message.at}#{n}",
        at=answer.message.at,
        source=answer.message.source,
        tool=call.tool,
        agent=answer.message.agent,
        message=f"{told}, but {right.isoformat()} is a {_ENGLISH[right.weekday()]}"
        if wrong
        else f"{right.isoformat()} is a {_ENGLISH[day]}",
        got=told,
        causes=(call.at,),
        span=(start, end),
        fact=None if fact is None else fact.path or None,
    )
