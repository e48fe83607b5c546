"""Times of day in arguments against the one time the user spoke of.

Offsets and zones are `rootcall.layers.arguments.days`' (`timezone-slip`); where a zone is stated at all, a different
clock time may be a conversion, and there is no judgement here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.clock import zones
from rootcall.evidence.mention import Mention
from rootcall.evidence.provenance import user_texts
from rootcall.evidence.worded_times import spoken_times
from rootcall.evidence.words import key_words, word_set
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["wrong_time"]

_CLOCK: Final = lazy(r"(\d{1,2}):(\d\d)(?::\d\d(?:\.\d+)?)?(?:\s?([ap])\.?m\.?)?", re.IGNORECASE)
_LOCAL: Final = lazy(r"\d{4}-\d\d-\d\d[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)")
_HALF: Final = lazy(r"[ap]\.?\s?m\b|noon|midday|midnight|오전|오후|午前|午後|上午|下午", re.IGNORECASE)
# Words by which the time that was said is a bound, a starting point or one of several, and not the one to send.
_MOVED: Final = lazy(
    r"\b(?:after|before|until|till|by|since|from|to|between|around|about|approximately|or|not|instead|earlier|later|than|past|within|"
    r"hours?|minutes?|min|mins|half|quarter|noon|midday|midnight|delay\w*|moved?|changed?|was|were|every|each|"
    r"nach|vor|bis|ab|seit|zwischen|oder|nicht|statt|früher|später|stunden?|minuten?|halb|viertel|gegen|jeden|"
    r"después|antes|hasta|desde|entre|sobre|no|horas?|minutos?|media|cuarto|cada|"
    r"après|avant|jusqu\w*|depuis|vers|pas|demie|quart|chaque|"
    r"clos(?:e|es|ed|ing)|open(?:s|ed|ing)?|ends?|ended|finish\w*|lands?|landing|as\s+(?:late|early|soon)|latest|earliest|"
    r"schließ\w*|schliess\w*|öffne\w*|geöffnet|offen|endet|spätestens|frühestens|cierr\w+|abr[ea]\w*|abierto|termina|ferm\w+|ouvr\w+|ouvert\w*|finit)\b|"
    r"이후|이전|까지|부터|전에|후에|뒤에|말고|쯤|정도|또는|아니|시간|분\s*(?:전|후|뒤)|반에?|から|まで|以降|以前|前|後|ごろ|頃|之前|之后|以后|以前|左右|或|半|"
    r"닫|마감|영업|문\s?열|오픈|끝나|도착|閉店|開店|営業|終わ|到着|关门|關門|开门|打烊|营业|營業|结束",
    re.IGNORECASE,
)
# What is set apart from the time that was said on purpose: a reminder comes before the meeting, an end after the start.
_APART: Final = word_set(
    "alarm alarms remind reminder reminders notify notification wake leave departure depart arrival arrive pickup end until to due deadline cutoff close closing"
)
_ZONE: Final = lazy(r"\b(?:UTC|GMT|Z|[A-Z]{2,4}T)\b|\btime ?zone\b|\blocal time\b|현지|\b[A-Z]\w+ time\b")


@emits(
    Rule(
        name="arguments/wrong-time",
        looks_at="The one time of day that was sent (`15:00`, `2026-12-04T15:00` without an offset), against the one time of day "
        "the user spoke of in that turn. Where morning or evening was left open both are right.",
        why="An hour is lost as easily as a day, and no schema sees it. Judged only when one time is in play: one time in the "
        "user's words without a word that bounds or moves it, no other time said before, no zone stated, one such argument.",
        fails='user: "a table at 7pm"; sent time="20:00"',
        passes='user: "a table at 7pm"; sent time="19:00"',
        grade="likely",
    )
)
def wrong_time(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge arguments that are a time of day against the user's words."""
    for s in sent(trace):
        timed = [(p, minutes) for p in s.places if (minutes := _minutes(p)) is not None]
        declared = [q for q in s.table.values() if q.day in ("time", "date-time")]
        if len(timed) == 1 and len(declared) <= 1:
            found = _judged(s, *timed[0])
            if found is not None:
                yield found


def _minutes(p: Place) -> int | None:
    """The minutes since midnight a value says, where its argument wants a time and it says no offset."""
    if p.parameter.day not in ("time", "date-time") or not isinstance(p.value, str):
        return None
    local = _LOCAL.fullmatch(p.value.strip())
    m = _CLOCK.fullmatch(local.group(1) if local else p.value.strip())
    if m is None:
        return None
    hour, minute, half = int(m.group(1)), int(m.group(2)), (m.group(3) or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour * 60 + minute if hour < 24 and minute < 60 else None


def _judged(s: Sent, p: Place, minutes: int) -> Check | None:
    now, _ = user_texts(s.trace, s.call)
    said = [(text, m) for text in now for m in spoken_times(text)]
    if len(said) != 1:
        return None
    text, spoken = said[0]
    meant = _meant(text, spoken)
    if minutes in meant:
        message = f"{p.path} is {_clock(minutes)}, a reading of {shown(spoken.text)}"
        return s.check("wrong-time", "pass", message, place=p)
    # A half hour is part of its time ("오후 3시 반").
    moved = _MOVED.search(text, 0, spoken.start) or _MOVED.search(text, spoken.end)
    if moved or _ZONE.search(text) or _first_zone(s.trace) < s.call.message or _set_apart(s, p):
        return None
    # A time that anybody named before, or that a result held, may be the one that was agreed on.
    others = (t for t in _named(s.trace).get(minutes, ()) if t.message < s.call.message)
    if any(t.text not in now or t.kind == "result" or (t.kind == "user" and t.turn != s.call.turn) for t in others):
        return None
    wanted = sorted(_clock(r) for r in meant)
    message = f"the user said {shown(spoken.text)}, which is {' or '.join(wanted)}; {p.path} is {_clock(minutes)}"
    return s.check("wrong-time", "fail", message, place=p, grade="likely", expected=wanted)


class _Text(NamedTuple):
    """A message, or the result of the call in it, that names a time of day."""

    kind: str
    text: str
    message: int
    turn: int


@per_trace
def _first_zone(trace: Trace) -> float:
    """The first message that states a zone; infinite when none does."""
    return next((m.index for m in trace.messages if m.text and zones(m.text)), math.inf)


@per_trace
def _named(trace: Trace) -> dict[int, list[_Text]]:
    """The messages and results that name a time of day, by the minutes since midnight it may mean."""
    said = [_Text(m.role, m.text, m.index, m.turn) for m in trace.messages if m.text]
    said += [_Text("result", c.result.text or "", c.message, c.turn) for c in trace.calls if c.result is not None]
    found: dict[int, list[_Text]] = {}
    for text in said:
        for minutes in {n for m in spoken_times(text.text) for n in _meant(text.text, m)}:
            found.setdefault(minutes, []).append(text)
    return found


@per_trace
def _tried(trace: Trace) -> dict[tuple[int, str, str], set[int]]:
    """The times of day that were sent in a turn, by the turn, the tool and the path."""
    found: dict[tuple[int, str, str], set[int]] = {}
    for s in sent(trace):
        for p in s.places:
            minutes = _minutes(p)
            if minutes is not None:
                found.setdefault((s.call.turn, s.call.tool, p.path), set()).add(minutes)
    return found


def _set_apart(s: Sent, p: Place) -> bool:
    """Whether another time than the spoken one is wanted by the argument or the tool, or several were tried in the turn."""
    if not _APART.isdisjoint((*p.parameter.tokens, *key_words(s.call.tool))):
        return True
    return len(_tried(s.trace)[s.call.turn, s.call.tool, p.path]) > 1


# The part of the day beside a time, which leaves one of its halves: 7:30 in the evening, abends um 7:30, 저녁 7시.
_EARLY: Final = (
    lazy(r"\s*(?:in\s+the\s+morning|morgens|früh|vormittags|de\s+la\s+mañana|du\s+matin)\b", re.IGNORECASE),
    lazy(r"(?:\b(?:morgens|vormittags)(?:\s+um)?|아침|새벽|朝|早上|凌晨)\s*\Z", re.IGNORECASE),
)
_LATE: Final = (
    lazy(
        r"\s*(?:in\s+the\s+(?:afternoon|evening)|nachmittags|abends|de\s+la\s+tarde|de\s+l['’]après-midi|du\s+soir)\b",
        re.IGNORECASE,
    ),
    lazy(r"(?:\b(?:nachmittags|abends)(?:\s+um)?|저녁|夕方|傍晚)\s*\Z", re.IGNORECASE),
)


def _meant(text: str, spoken: Mention) -> frozenset[int]:
    """The minutes since midnight a time may mean; half past seven without its half of the day is morning and evening."""
    readings = {round(r) for r in spoken.readings}
    if _HALF.search(spoken.text):
        return frozenset(readings)
    readings |= {(r + 720) % 1440 for r in readings if r < 780}
    before = text[max(0, spoken.start - 20) : spoken.start]
    for (behind_it, before_it), half in ((_EARLY, 0), (_LATE, 1)):
        if behind_it.match(text, spoken.end) or before_it.search(before):
            return frozenset(r for r in readings if r // 720 == half) or frozenset(readings)
    return frozenset(readings)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
