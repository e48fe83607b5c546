"""Days in arguments against the days the user spoke of: one day, or the first and the last of a stretch.

What words may mean is a set of readings, taken against the reference time of the trace; a project can declare which of
two conventions holds. Only a value outside the whole set is wrong, and only where exactly one date, or one stretch of
days, was spoken of.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import date, timedelta, timezone
from typing import Final

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config, DateConventions
from rootcall.evidence.clock import reference_days, zones
from rootcall.evidence.dates import Expression, Reading, clock_times, instant, no_such_day, readings, sent_days
from rootcall.evidence.provenance import upstream, user_texts
from rootcall.evidence.words import word_set
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace

__all__ = ["wrong_date"]

_ONLY_RANGE: Final = word_set("since until before after min max earliest latest")
_FIRST: Final = word_set(
    "start starts from begin begins beginning checkin pickup outbound arrival arrive depart departure departing"
)
_LAST: Final = word_set("end ends to until finish checkout dropoff return returning inbound departure leave leaving")


@emits(
    Rule(
        name="arguments/wrong-date",
        looks_at="Calendar dates that were sent, against the one date the user spoke of in that turn, or the one stretch "
        '("from the 3rd to the 5th of May", "Friday for three nights") for a start and an end; resolved from the reference '
        "time (metadata, system message, timestamp; never the wall clock) into every reading of the words. Which Friday is "
        "next, and whether 03/04 is in March or April, a project declares under `[tool.rootcall.dates]`.",
        why="An off-by-one day is valid by every schema and books the wrong flight. Judged only when one date is in play: one "
        "clear expression, the date arguments it fills, and the sent day stands nowhere else; otherwise there is no judgement.",
        fails='today is Saturday 2026-02-21; user: "in ten days"; sent 2026-03-04',
        passes='today is Monday 2026-11-30; user: "next Friday"; sent 2026-12-04 or 2026-12-11',
        grade="likely",
    )
)
def wrong_date(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge date arguments against the user's words."""
    for s in sent(trace):
        dated = [p for p in s.places if p.parameter.day in ("date", "date-time") and sent_days(p.value) is not None]
        if len(dated) == 1:
            found = _day_judged(s, dated[0], config.dates)
            if found is not None:
                yield found
        elif len(dated) == 2:
            yield from _pair_judged(s, dated[0], dated[1], config.dates)
        elif not dated:
            yield from _unreal_judged(s, config.dates)


def _day_judged(s: Sent, p: Place, conventions: DateConventions) -> Check | None:
    spoken = _spoken(s, conventions)
    day = sent_days(p.value)
    if spoken is None or day is None:
        return None
    wanted = spoken.days
    if spoken.grain == "range":
        role = _role(p)
        if not role:
            return None
        wanted = frozenset(r.start if role == "first" else r.end for r in spoken.readings)
    if _local_days(s, p.value, day) & wanted:
        message = f"{p.path} is {day}, a reading of {shown(spoken.text)}"
        return s.check("wrong-date", "pass", message, place=p)
    if not _bound(s, [p], p, day) or _clock_moves(s, day, wanted):
        return None
    return _failed(s, p, day, spoken, wanted)


def _unreal_judged(s: Sent, conventions: DateConventions) -> Iterator[Check]:
    """Judge the one date argument whose value is written as a date, but is none (`0000-01-01`)."""
    declared = [q for q in s.table.values() if q.day in ("date", "date-time")]
    unreal = [p for p in s.places if p.parameter.day in ("date", "date-time") and no_such_day(p.value)]
    spoken = _spoken(s, conventions) if len(unreal) == len(declared) == 1 else None
    if spoken is not None:
        wanted = sorted(d.isoformat() for d in spoken.days)
        message = f"the user said {shown(spoken.text)}; {unreal[0].path} is {unreal[0].value}, which is no day of the calendar"
        yield s.check("wrong-date", "fail", message, place=unreal[0], grade="likely", expected=wanted)


def _pair_judged(s: Sent, a: Place, b: Place, conventions: DateConventions) -> Iterator[Check]:
    """Judge a start and an end against the one stretch of days that was spoken of."""
    ordered = _ordered(a, b)
    spoken = _spoken(s, conventions)
    if ordered is None or spoken is None or spoken.grain != "range":
        return
    days = [_local_days(s, p.value, d) if (d := sent_days(p.value)) else frozenset[date]() for p in ordered]

    def met(r: Reading) -> list[bool]:
        return [r.start in days[0], r.end in days[1]]

    best = max(spoken.readings, key=lambda r: sum(met(r)))
    for p, right, wanted in zip(ordered, met(best), (best.start, best.end), strict=True):
        day = sent_days(p.value)
        if right:
            yield s.check("wrong-date", "pass", f"{p.path} is {day}, as in {shown(spoken.text)}", place=p)
        elif day is not None and _bound(s, [a, b], p, day) and not _behind(p, day, wanted):
            yield _failed(s, p, day, spoken, frozenset({wanted}))


_EXCLUSIVE: Final = lazy(r"\bexclu\w+|not includ\w+|day after the last", re.IGNORECASE)


def _behind(p: Place, day: date, wanted: date) -> bool:
    """Whether an end is the day behind the last one, as its description wants."""
    return day - wanted == timedelta(days=1) and _EXCLUSIVE.search(p.parameter.description) is not None


def _failed(s: Sent, p: Place, day: date, spoken: Expression, days: frozenset[date]) -> Check:
    wanted = sorted(d.isoformat() for d in days if abs((d - day).days) < 200) or sorted(d.isoformat() for d in days)
    means = f"{' or '.join(wanted[:4])}"
    message = f"the user said {shown(spoken.text)}, which is {means}; {p.path} is {day.isoformat()}"
    return s.check("wrong-date", "fail", message, place=p, grade="likely", expected=wanted)


def _words(p: Place) -> frozenset[str]:
    """The words of a place's name; `check_in` is one word."""
    tokens = list(p.parameter.tokens)
    joined = {a + b for a, b in itertools.pairwise(tokens)}
    return frozenset({*tokens, *joined})


def _role(p: Place) -> str:
    """Whether an argument is the `first` or the `last` day of a stretch, by its name; empty where it may be either."""
    words = _words(p)
    first, last = bool(words & _FIRST), bool(words & _LAST)
    return "" if first == last else "first" if first else "last"


def _ordered(a: Place, b: Place) -> tuple[Place, Place] | None:
    """The two places as first and last day. A departure is the last day beside an arrival, the first beside a return."""
    for x, y in ((a, b), (b, a)):
        if (_words(x) & _FIRST and _role(y) == "last") or (_role(x) == "first" and _words(y) & _LAST):
            return x, y
    return None


def _local_days(s: Sent, value: str, day: date) -> frozenset[date]:
    """The days a sent moment may be at the user's place: an evening in Chicago is tomorrow in UTC."""
    moment = instant(value)
    if moment is None:
        return frozenset({day})
    texts = [m.text for m in s.trace.messages if m.text and m.role in ("system", "user") and m.index < s.call.message]
    offsets = [o for text in texts for z in zones(text) if (o := z.offset(moment)) is not None] or [-720, 840]
    return frozenset({day, *(moment.astimezone(timezone(timedelta(minutes=o))).date() for o in offsets)})


# Words that tie a date to something that was, not to what is asked for now.
_OTHER_EVENT: Final = lazy(
    r"\b(?:birth\w*|born|dob|expir\w+|issued|placed|ordered|bought|purchased|paid|received|arrived|delivered|original\w*|previous\w*|old|"
    r"current\w*|already|was|were|had|since|geboren|geburt\w*|bestellt|gekauft|nacido|nacimiento|comprad\w+|né|née|naissance|achet\w+)\b|"
    r"생년월일|생일|주문한|구매한|샀|誕生|生年月日|注文した|生日|出生|订购",
    re.IGNORECASE,
)


# Words that widen or move what was said by days of their own: plus one extra night, the night before, 하루 더.
_WIDENED: Final = lazy(
    r"\b(?:add|adding|plus|extra|additional|another|more)\b(?:\s+\w+){0,3}?\s+(?:nights?|days?|weeks?)\b|"
    r"\b(?:nights?|days?|weeks?|evening|morning)\s+(?:before\w*|earlier|early|sooner|later|after\w*|longer|extra|more|prior|ahead|either\s+side)\b|"
    r"\b(?:exten(?:d\w*|sion)|prolong\w*|verlänger\w*|ampli\w+|alarg\w+|vorabend|vortag|veille|lendemain|previous\s+(?:night|day|evening)|"
    r"(?:zusätzlich\w*|extra|weitere\w*|noch\s+eine?n?)\s+(?:nacht|tag|nächte|tage)|"
    r"(?:nacht|nächte|tage?)\s+(?:mehr|länger|früher|später|zuvor|vorher|davor|danach|extra|zusätzlich)|"
    r"(?:noches?|días?|dias?)\s+(?:más|extra|adicional\w*|antes|después|anterior|siguiente)|otra\s+noche|"
    r"(?:nuits?|jours?)\s+(?:de\s+plus|supplémentaires?|avant|après|plus\s+t(?:ôt|ard)|suivante?|précédente?))\b|"
    r"(?:하루|이틀|[일두한]\s?박|\d\s?박|\d\s?일)\s?(?:더|추가|일찍|먼저|늦게|전에|뒤에|후에|앞서)|추가\s?(?:숙박|\d?\s?박)|전날|다음\s?날|연장|"
    r"前日|翌日|前泊|後泊|延泊|延長|もう[一1]?[泊日晩]|泊追加|前一[天晚]|后一[天晚]|後一[天晚]|多住|加[一1][天晚]|再住|提前|延[长長]",
    re.IGNORECASE,
)


def _spoken(s: Sent, conventions: DateConventions) -> Expression | None:
    """The one date the user spoke of in this turn, when it is clear, as far as the declared conventions leave it open."""
    now, _ = user_texts(s.trace, s.call)
    references = reference_days(s.trace, s.call.message)
    found = [(text, e) for text in now for e in readings(text, *references)]
    if len(found) != 1 or not found[0][1].clear:
        return None
    text, spoken = found[0]
    if _OTHER_EVENT.search(text[max(0, spoken.start - 50) : spoken.end + 15]):
        return None
    if _WIDENED.search(text, 0, spoken.start) or _WIDENED.search(text, spoken.end):
        return None
    left = spoken.under(conventions)
    return left if left.readings else None


def _is_day(q: Place) -> bool:
    """Whether a place wants or holds a date; a time of day beside a date is no second one."""
    return q.parameter.day in ("date", "date-time") or (q.parameter.day == "time" and sent_days(q.value) is not None)


_SMALL_HOURS: Final = 5


def _clock_moves(s: Sent, day: date, wanted: frozenset[date]) -> bool:
    """Whether a time of day sent beside a date may have moved it by a day.

    The small hours belong to the night before ("tonight at 1 am"); a time nobody said, where a zone is stated, may be
    another zone's.
    """
    if all(abs((day - w).days) != 1 for w in wanted):
        return False
    now, _ = user_texts(s.trace, s.call)
    said = frozenset[tuple[int, int]]().union(*(clock_times(text) for text in now))
    zoned = any(zones(m.text) for m in s.trace.messages if m.text and m.index < s.call.message)
    sent_times = [clock_times(q.value) for q in s.places if q.parameter.day == "time" and isinstance(q.value, str)]
    return any(t and (min(t)[0] < _SMALL_HOURS or (zoned and t.isdisjoint(said))) for t in sent_times)


def _bound(s: Sent, judged: list[Place], p: Place, day: date) -> bool:
    """Tell whether nothing but the spoken date can have given this day; `judged` are the places it speaks of."""
    if set(p.parameter.tokens) & _ONLY_RANGE or day in reference_days(s.trace, s.call.message):
        return False
    tops = {q.top for q in judged}
    if any(_is_day(q) and q.top not in tops for q in s.places):
        return False
    declared = [q for q in s.table.values() if q.day in ("date", "date-time")]
    if len(declared) > len(judged):
        return False
    _, earlier = user_texts(s.trace, s.call)
    references = reference_days(s.trace, s.call.message)
    # A day spoken of before that cannot be resolved may be the one meant.
    if any(day in e.days or not e.days for text in earlier for e in readings(text, *references)):
        return False
    if upstream(s.trace).has(day.isoformat(), s.call):
        return False
    # Several days tried with one tool in one turn are a search around the date, not a slip.
    return not any(
        other.call.turn == s.call.turn and other.call.tool == s.call.tool and sent_days(q.value) not in (None, day)
        for other in sent(s.trace)
        for q in other.places
        if q.path == p.path
    )
