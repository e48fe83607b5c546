"""The form of dates in arguments: relative words for a date, forms only the description states, contradicted offsets.

Whether a day is the one the user spoke of is `rootcall.layers.arguments.spoken`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from rootcall.case import Case
from rootcall.check import Check, Grade, Rule, emits
from rootcall.config import Config
from rootcall.evidence.clock import Zone, zones
from rootcall.evidence.dates import Expression, clock_times, instant, no_such_day, relative_phrase, sent_days
from rootcall.evidence.parameters import Parameter
from rootcall.evidence.provenance import user_texts
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace

__all__ = ["described_form", "relative_date", "timezone_slip"]

_NATURAL: Final = lazy(
    r"natural[- ]language|free[- ]?(?:text|form)|human[- ]readable|plain (?:english|words|language)|relative (?:date|time|day|expression|"
    r"phrase)|any (?:date )?format|fuzzy|자연어|상대|umgangssprach|relativ|lenguaje natural|langage naturel|自然言語|自然语言",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="arguments/relative-date",
        looks_at='Date arguments whose whole value is a relative expression ("next Friday", "in five days", 내일, "morgen") while '
        "the schema's format or pattern, the tool's words (ISO, YYYY-MM-DD) or the argument's name want a calendar date.",
        why="A server has no notion of the user's today. One refuses, another resolves it to some day; the model had the date "
        "at hand and was told the form beforehand. Arguments whose own words allow natural language are left alone.",
        fails='search_flights(departure_date="next Friday")   format: date',
        passes='search_flights(departure_date="2026-12-04")',
    )
)
def relative_date(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge every date argument that holds text."""
    for s in sent(trace):
        for p in s.places:
            if p.parameter.day in ("date", "date-time") and isinstance(p.value, str):
                yield _relative(s, p)


def _relative(s: Sent, p: Place) -> Check:
    phrase = relative_phrase(p.value)
    if phrase is None:
        return s.check("relative-date", "pass", f"{p.path} is no relative expression", place=p)
    if _allows_words(p.parameter, phrase):
        message = f"{p.path} is relative, which the tool's own words allow"
        return s.check("relative-date", "pass", message, place=p)
    grade: Grade = "proof" if p.parameter.day_by in ("schema", "words") else "likely"
    wanted = "a date-time" if p.parameter.day == "date-time" else "a calendar date"
    message = f"{p.path} wants {wanted}, got the relative expression {shown(p.value)}"
    return s.check("relative-date", "fail", message, place=p, grade=grade, expected=p.parameter.day)


def _allows_words(parameter: Parameter, phrase: Expression) -> bool:
    said = parameter.description
    if _NATURAL.search(said) or phrase.text.casefold() in said.casefold():
        return True
    examples = [str(e) for e in (parameter.schema.get("examples") or []) if isinstance(e, str)]
    examples += [v for k in ("default", "example") if isinstance(v := parameter.schema.get(k), str)]
    if any(relative_phrase(e) is not None for e in examples):
        return True
    # A description that itself gives a relative example ("e.g. tomorrow") invites more of them.
    quoted = re.findall(
        r"[\"'`“‘]([^\"'`”’]{2,30})[\"'`”’]|(?:e\.g\.,?|such as|like|for example,?)\s+([\w ]{2,30})", said
    )
    return any(relative_phrase((a or b).strip()) is not None for a, b in quoted) or (
        parameter.day_by == "name" and _NATURAL.search(parameter.tool_description) is not None
    )


_DESCRIBED: Final = lazy(r"YYYY-MM-DD|\bISO[ -]?8601\b(?! duration)", re.IGNORECASE)
_OTHER_FORMS: Final = lazy(r"\b(?:DD[./-]MM|MM[./-]DD|or\b|epoch|unix)", re.IGNORECASE)


@emits("arguments/format")
def described_form(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge dates whose form only the description states (YYYY-MM-DD, ISO 8601); it is the rule `format` in words.

    Slashes for hyphens are a hint: every parser reads them. Relative expressions are another rule's business.
    """
    for s in sent(trace):
        for p in s.places:
            said = p.parameter.description
            if p.parameter.day_by != "words" or not isinstance(p.value, str) or not p.value.strip():
                continue
            if (
                not _DESCRIBED.search(said)
                or _OTHER_FORMS.search(_DESCRIBED.sub("", said))
                or relative_phrase(p.value) is not None
            ):
                continue
            if re.match(r"\d{4}-?\d\d-?\d\d(?!\d)", p.value.strip()) and not no_such_day(p.value):
                continue
            grade: Grade = "hint" if sent_days(p.value) is not None or not re.search(r"\d", p.value) else "likely"
            message = f"{p.path} is described as {shown(_DESCRIBED.search(said).group())}, got {shown(p.value)}"  # type: ignore[union-attr]
            yield s.check("format", "fail", message, place=p, grade=grade)


@emits(
    Rule(
        name="arguments/timezone-slip",
        looks_at="Date-times with an offset whose clock time is the one the user named, against the offset the conversation states "
        'for the place ("at UTC-05:00", an IANA zone). The same instant in another offset passes.',
        why="Right digits, wrong instant: the meeting lands five hours off, and the calendar accepts it. Where no zone is "
        "stated, or the host knows no zone data, there is no judgement.",
        fails='Chicago is at UTC-05:00; user: "9:00am Chicago time"; sent 2026-08-25T09:00:00Z',
        passes="2026-08-25T09:00:00-05:00 or 2026-08-25T14:00:00Z",
        grade="likely",
    )
)
def timezone_slip(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge date-times with an offset against the stated zone."""
    for s in sent(trace):
        for p in s.places:
            moment = instant(p.value)
            if moment is not None:
                found = _zone_judged(s, p, moment)
                if found is not None:
                    yield found


_UTC_WORDS: Final = lazy(r"\b(?:utc|gmt|zulu)\b(?!\s*[+-]\s*\d)", re.IGNORECASE)
_OWN_TIME: Final = lazy(
    r"\b(?:(?P<place>[A-Z][\w.'-]+(?: [A-Z][\w.'-]+)?) time\b|(?P<own>(?:my|our|local) time\b|현지 시간|Ortszeit|hora local|heure locale)|[A-Z]{2,4}T\b"
    r"|(?P<place2>[가-힣]{2,8})\s*(?:시간|시각)(?=으로|\s|,|\.|$)|(?:hora de|heure de)\s+(?P<place3>[A-Z]\w+))"
)


_ELSEWHERE: Final = lazy(r"\b(?:in|at|from|to|over)\s+(?:the\s+)?[A-Z]\w+|에서|で|在")


def _zone_judged(s: Sent, p: Place, moment: datetime) -> Check | None:
    now, earlier = user_texts(s.trace, s.call)
    said = "\n".join(now)
    if (moment.hour, moment.minute) not in clock_times(said) or _UTC_WORDS.search(said):
        return None
    system = [m.text for m in s.trace.messages if m.role == "system" and m.text]
    stated = [z for text in (*system, *earlier, *now) for z in zones(text)]
    named = _OWN_TIME.search(said)
    stated, certain = _for_place(stated, named)
    offsets = {z.offset(moment) for z in stated}
    away = moment.utcoffset()
    if not offsets or None in offsets or away is None:
        return None
    sent_offset = int(away.total_seconds() // 60)
    if sent_offset in offsets:
        message = f"{p.path} has the offset that was stated"
        return s.check("timezone-slip", "pass", message, place=p)
    # Without "Chicago time" the words mean the stated zone, unless they name a place of their own.
    grade: Grade = "likely" if certain or not _ELSEWHERE.search(said) else "hint"
    wanted = [_offset_text(o) for o in sorted(o for o in offsets if o is not None)]
    message = (
        f"{p.path} is {moment.strftime('%H:%M')} at {_offset_text(sent_offset)}; the place is at {' or '.join(wanted)}"
    )
    return s.check("timezone-slip", "fail", message, place=p, grade=grade, expected=wanted)


def _for_place(stated: list[Zone], named: re.Match[str] | None) -> tuple[list[Zone], bool]:
    """The zones that hold for the user's words, and whether the user tied the time to them.

    A named place must stand beside a stated zone. A zone name says more than fixed offsets, which change with summer time.
    """
    place = None
    if named is not None:
        place = named.group("place") or named.group("place2") or named.group("place3")
    if named is not None and place is None and named.group("own") is None:
        return [], False
    if place is not None:
        stated = [z for z in stated if place.lower() in z.near.lower().replace("_", " ")]
    by_name = {z.name for z in stated if z.name is not None}
    if len(by_name) > 1:
        return [], False
    if by_name:
        stated = [z for z in stated if z.name is not None]
    return stated, named is not None


def _offset_text(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
