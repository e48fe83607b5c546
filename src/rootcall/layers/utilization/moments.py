"""Dates, times and codes that no field holds."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.layers.utilization.binding import Context, overlap
from rootcall.layers.utilization.scene import Ruling, Scene, fail, supported
from rootcall.lazypattern import lazy

__all__ = ["code_ruling", "date_ruling", "time_ruling"]

_SHIFT_DAYS: Final = 7
_DAYS: Final = frozenset({"night", "nights", "days", "day", "weeks", "nächte", "tage", "noches", "nuits", "박", "일"})
_NIGHTS: Final = lazy(r"(\d{1,3})[\s-]*(?:nights?|nächte|noches?|nuits?|박)", re.IGNORECASE)
_TODAY: Final = lazy(
    r"\btoday(?:'s)?\b|current (?:date|time|day)|\bas of\b|\bheute\b|\bstand\b|오늘|\bhoy\b|aujourd|今日|今天",
    re.IGNORECASE,
)
_ZONE: Final = lazy(r"\b(?:UTC|GMT|[ECMP][SD]?T|CE?S?T|KST|JST|local|Ortszeit)\b|현지|時間帯", re.IGNORECASE)


def date_ruling(scene: Scene, mention: Mention, context: Context) -> Ruling | None:
    """Rule on a date that agrees with no fact: near a returned one it is shifted, else it is rarely decidable."""
    if (hole := scene.hole(mention, context)) is not None:
        return scene.from_nothing(mention, hole)
    dated = [f for f in scene.facts if f.dates and not f.transport]
    if dated and (_TODAY.search(scene.answer.sentence_of(mention.start).text) or _days_on(scene, mention, dated)):
        return scene.undecided(mention)
    gaps = [(abs(gap), i) for i, f in enumerate(dated) for d in f.dates if (gap := _gap(mention, d)) is not None]
    near = min((g for g in gaps if 0 < g[0] <= _SHIFT_DAYS), default=None)
    if near is not None:
        f = dated[near[1]]
        if not scene.accusing:
            return scene.incomplete(mention, f)
        return fail("shifted-date", f"{mention.text}, but {f.path} is {f.value!r}: {near[0]} days apart", f)
    same_day = next((f for f in dated for d in f.dates if not set(d.readings).isdisjoint(mention.readings)), None)
    if same_day is not None and scene.accusing:
        return fail(
            "shifted-date", f"{mention.text}, but {same_day.path} is {same_day.value!r}: another year", same_day
        )
    if len(dated) == 1 and overlap(dated[0], context.near) and scene.accusing:
        return fail(scene.unsupported, f"{mention.text}, but {dated[0].path} is {dated[0].value!r}", dated[0])
    return scene.undecided(mention) if dated else None


def _days_on(scene: Scene, mention: Mention, dated: Sequence[Fact]) -> bool:
    """Whether a date is a returned one plus or minus a number of days, nights or weeks that somebody gave."""
    spans = {
        round(v * (u.factor / 86_400 if u is not None else 1))
        for f in scene.facts
        for v, u in f.values[:1]
        if (u is not None and u.dimension == "time") or set(f.words[:1]) & _DAYS
    }
    for m in (*scene.answer.said, *scene.answer.mentions):
        if m.kind == "number" and m.readings and m.unit is not None and m.unit.dimension == "time":
            spans.add(round(m.readings[0] * m.unit.factor / 86_400))
    spans |= {round(m.readings[0]) for m in scene.answer.said if m.kind == "number" and m.end == 0 and m.readings} | {
        int(n) for n in _NIGHTS.findall(f"{scene.answer.question}\n{scene.answer.text}")
    }
    spans = {n for n in spans if 0 < n <= 366}
    return any(gap is not None and abs(gap) in spans for f in dated for d in f.dates for gap in (_gap(mention, d),))


def time_ruling(scene: Scene, mention: Mention, context: Context) -> Ruling | None:
    """Rule on a time that agrees with no fact; a sentence that names a zone may have converted it."""
    if (hole := scene.hole(mention, context)) is not None:
        return scene.from_nothing(mention, hole)
    timed = [f for f in scene.facts if f.times and not f.transport]
    zone = _ZONE.search(scene.answer.sentence_of(mention.start).text) is not None
    shown = _clock(mention.readings[0])
    swapped = next((f for f in timed for t in f.times for r in t.readings if sorted(_clock(r)) == sorted(shown)), None)
    if swapped is not None and not zone:
        return fail("transposed-digits", f"{mention.text}, but {swapped.path} is {swapped.value!r}", swapped)
    bound = [
        f for f in timed if len(timed) == 1 or overlap(f, context.near | (context.asked if scene.drifting else set()))
    ]
    if bound and scene.accusing and not zone and not _spans(scene, mention, timed):
        f = bound[0]
        return fail(scene.unsupported, f"{mention.text} stands nowhere; {f.path} is {f.value!r}", f)
    return scene.undecided(mention) if timed else None


def _clock(minutes: float) -> str:
    return f"{int(minutes) // 60:02d}{int(minutes) % 60:02d}"


def _spans(scene: Scene, mention: Mention, timed: Sequence[Fact]) -> bool:
    """Whether a time is a start plus or minus a duration that a result, the user or the answer gave."""
    lengths = {v * u.factor / 60 for f in scene.facts for v, u in f.values if u is not None and u.dimension == "time"}
    spoken = (m for m in (*scene.answer.said, *scene.answer.mentions) if m.unit is not None)
    lengths |= {m.readings[0] * m.unit.factor / 60 for m in spoken if m.unit is not None and m.unit.dimension == "time"}
    starts = {r for f in timed for t in f.times for r in t.readings}
    return any((s + sign * n) % 1440 in mention.readings for s in starts for n in lengths for sign in (1, -1))


def code_ruling(scene: Scene, mention: Mention) -> Ruling | None:
    """Rule on a code (an id, a flight, an order number): it stands upstream, or it must look like one that does."""
    answer, plain = scene.answer, _plain(mention.text)
    if answer.upstream.holds(plain):
        fact = next(
            (f for f in (*answer.facts, *answer.older) if isinstance(f.value, str) and _plain(f.value) == plain), None
        )
        return None if fact is None else supported(f"{mention.text} is {fact.path}", fact)
    kin = [f for f in scene.facts if isinstance(f.value, str) and _shape(_plain(f.value)) == _shape(plain)]
    empty = next((h for h in answer.holes if h.empty_list), None)
    if empty is not None and scene.accusing and (scene.hollow or not kin):
        return scene.from_nothing(mention, empty)
    if not kin or scene.plans(mention):
        return scene.undecided(mention)
    if not scene.accusing:
        return scene.incomplete(mention, kin[0])
    swapped = next((f for f in kin if sorted(_plain(f.value)) == sorted(plain)), None)
    if swapped is not None:
        return fail("transposed-digits", f"{mention.text}, but {swapped.path} is {swapped.value!r}", swapped)
    return fail("unsupported", f"{mention.text} stands nowhere; {kin[0].path} is {kin[0].value!r}", kin[0])


def _plain(code: str) -> str:
    return code.lstrip("#").lower()


def _shape(code: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", code))


def _gap(mention: Mention, other: Mention) -> int | None:
    """Days between two day-and-month dates of one year, the shorter way round; None when they cannot be compared."""
    if mention.year is not None and other.year is not None and abs(mention.year - other.year) > 1:
        return None
    year = other.year or mention.year or 2024
    gaps: list[int] = []
    for a in mention.readings:
        for b in other.readings:
            try:
                x = dt.date(mention.year or year, int(a) // 100, int(a) % 100)
                y = dt.date(other.year or year, int(b) // 100, int(b) % 100)
            except ValueError:
                continue
            gap = (x - y).days
            if mention.year is None and abs(gap) > 183:
                gap -= 365 if gap > 0 else -365
            gaps.append(gap)
    return min(gaps, key=abs, default=None)
