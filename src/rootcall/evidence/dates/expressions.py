"""The day expressions of a text, placed against the reference day, and how a sent day is graded against one."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from datetime import date
from typing import Final, Literal

import msgspec

from rootcall.config import DateConventions
from rootcall.evidence.dates.calendar import Grain, Kind, Reading, Span, distinct
from rootcall.evidence.dates.counting import counts
from rootcall.evidence.dates.fallback import elsewhere
from rootcall.evidence.dates.grammar import parse
from rootcall.evidence.dates.lexing import islands
from rootcall.evidence.dates.sent import sent_days
from rootcall.lazypattern import lazy

__all__ = ["ANY", "Expression", "Graded", "grade", "phrase", "readings", "relative_phrase"]

Graded = Literal["exact", "acceptable", "wrong"]
ANY: Final = DateConventions()


class Expression(msgspec.Struct, frozen=True):
    """Words that mean a day, or a stretch of days.

    `start` and `end` bound the words in the text. `readings` holds every meaning, the likeliest first, and `days` all
    their days; both are empty when the words cannot be resolved (no reference day, a holiday, "the day after"). `kind`
    is `relative` when the meaning hangs on the day of speaking. `grain` is `day`, a calendar period, a `part` of one, or
    `range` for words that give a first and a last day. `clear` is False when a neighbouring word changes the meaning
    ("before Friday", "Friday or Saturday") or the borders are loose ("early March").
    """

    text: str
    start: int
    end: int
    kind: Kind
    readings: tuple[Reading, ...] = ()
    clear: bool = True
    grain: Grain = "day"

    @property
    def days(self) -> frozenset[date]:
        """Every day of every reading; of a stretch that has no end in sight the first years."""
        return _days(self.readings)

    def under(self, conventions: DateConventions) -> Expression:
        """The expression with the readings that the declared conventions leave; what is not declared leaves all."""
        ruled_out = _ruled_out(conventions)
        left = tuple(r for r in self.readings if r.follows not in ruled_out)
        return self if len(left) == len(self.readings) else msgspec.structs.replace(self, readings=left)


_LONGEST: Final = 1500


@functools.lru_cache(maxsize=2048)
def _days(found: tuple[Reading, ...]) -> frozenset[date]:
    return frozenset(
        date.fromordinal(n)
        for r in found
        for n in range(r.start.toordinal(), min(r.end.toordinal(), r.start.toordinal() + _LONGEST) + 1)
    )


_OTHER: Final = {"nearest": "next-week", "next-week": "nearest", "mdy": "dmy", "dmy": "mdy"}


def _ruled_out(conventions: DateConventions) -> tuple[str, ...]:
    return tuple(_OTHER[c] for c in (conventions.next, conventions.order) if c in _OTHER)


def grade(value: date | str | tuple[date, date], expression: Expression, conventions: DateConventions = ANY) -> Graded:
    """Grade a sent day, or a first and a last day, against what was said.

    `exact`: the likeliest reading under the declared conventions; `acceptable`: another reading they leave; `wrong`: no
    reading. A single day is right anywhere within a stretch. A text that is no calendar day, and an expression without
    readings, are `wrong`: ask `expression.readings` and `sent_days` first where that matters.

    Example: today is Monday 2026-11-30, the words are "next Friday": 2026-12-11 is exact, 2026-12-04 acceptable.
    """
    if isinstance(value, str):
        day = sent_days(value)
        if day is None:
            return "wrong"
        value = day
    for i, r in enumerate(expression.under(conventions).readings):
        if (r.start, r.end) == value if isinstance(value, tuple) else r.start <= value <= r.end:
            return "acceptable" if i else "exact"
    return "wrong"


def readings(text: str, *references: date) -> tuple[Expression, ...]:
    """Return the day expressions of a text in order, read against one or more possible reference days.

    Without a reference only dates with a year have readings. Overlapping matches give the longest.

    Example: `readings("next Friday", date(2026, 11, 30))[0].days` holds 4 and 11 December 2026.
    """
    return _readings(text[:20_000], references)


@functools.lru_cache(maxsize=4096)
def _readings(text: str, references: tuple[date, ...]) -> tuple[Expression, ...]:
    found: list[Expression] = []
    for start, end, language, span in _spans(text):
        placed = _placed(span, references, language)
        before, behind = text[max(0, start - 40) : start], text[end : end + 40]
        clear = span.kind != "vague" and span.sure and not _BEFORE.search(before) and not _BEHIND.match(behind)
        found.append(Expression(text[start:end], start, end, span.kind, placed, clear, span.grain))
    return tuple(found)


@functools.lru_cache(maxsize=4096)
def _spans(text: str) -> list[tuple[int, int, str, Span]]:
    """The longest spans that do not overlap, from left to right; of equally long ones the first, by the earlier rule."""
    candidates: list[tuple[int, int, int, int, str, Span]] = []
    for island in islands(text):
        for f in parse(island):
            start, end = island.tokens[f.first].start, island.tokens[f.behind - 1].end
            if (not f.span.weak or _accepted(text, start, end, island.language, f.span)) and not _greeting(
                text, start, end
            ):
                candidates.append((start - end, start, end, f.rank, island.language, f.span))
    chosen: list[tuple[int, int, str, Span]] = []
    # What was chosen before is as long or longer, so that it covers an end of whatever it overlaps.
    covered = bytearray(len(text) + 1)
    for _, start, end, _, language, span in sorted(candidates, key=lambda x: x[:4]):
        if not covered[start] and not covered[end - 1]:
            covered[start:end] = b"\1" * (end - start)
            chosen.append((start, end, language, span))
    return sorted((x for x in chosen if not x[3].silent), key=lambda x: x[0])


_NEAREST_FIRST: Final = frozenset(("es", "fr", "ja"))
_NO_YEAR: Final = date(2000, 2, 29)


def _placed(span: Span, references: Iterable[date], language: str) -> tuple[Reading, ...]:
    """The readings against all references; a day with its year needs none."""
    found: list[Reading] = []
    known = tuple(references)
    for r in known or (_NO_YEAR,):
        try:
            here = span.at(r)
            if not known and here != span.at(_NO_YEAR.replace(year=2010, month=7, day=15)):
                return ()
        except (OverflowError, ValueError):
            continue
        found += here
    placed = distinct(found)
    if language in _NEAREST_FIRST:
        placed = tuple(sorted(placed, key=lambda r: r.follows == "next-week"))
    return placed


_ON: Final = lazy(r"\b(?:on|by|until|till|from|for|before|after|am|el|al|le)\s+(?:the\s+)?\Z", re.IGNORECASE)
_CLOSED: Final = lazy(
    r"\s*(?:\Z|[.,;:!?)\]]|(?:at|for|to|in|and|or|by|please|if|from|with|um|por|a\s+las|à|y|et|und)\b|\d{1,2}\s*(?::|[ap]m))",
    re.IGNORECASE,
)
# In Korean and Japanese 3일 and 3日 are three days as well, unless a particle says when.
_PARTICLE: Final = lazy(r"\s?(?:에(?!\s?걸)|날|부터|까지|자\b|로\b|に(?!わた)|の|から|まで|は|、|[(（])")


def _accepted(text: str, start: int, end: int, language: str, span: Span) -> bool:
    """Whether words that mean a day only in the right place ("the 5th", "3일", "sun") stand there."""
    if not re.search(r"\w", text[:start] + text[end:]):
        return True
    said = text[start:end]
    if span.grain == "range":
        return re.search(r"\d(?:\.|st|nd|rd|th|er|日|일|号|號)", said) is not None
    if span.day is None or not re.search(r"\d", said):
        return False
    if not said.isascii() and said[-1] in "일日号號":
        return said[-1] in "号號" or _PARTICLE.match(text[end : end + 6]) is not None
    # The point of "2. Gleis" belongs to its number.
    point = language == "de" and text[end : end + 1] == "."
    if not _CLOSED.match(text[end : end + 20]) or counts(text, end + point, language):
        return False
    number = re.search(r"\d+\Z", said)
    return number is None or _ON.search(text[max(0, start - 12) : start] + said[: number.start()]) is not None


_GREETING: Final = lazy(
    r"(?:\b(?:guten|am|jeden|heute|gestern|übermorgen|de\s+la|por\s+la|esta|la|cada)\s+)\Z", re.IGNORECASE
)


def _greeting(text: str, start: int, end: int) -> bool:
    """`Guten Morgen` and `por la mañana` are mornings, not tomorrow."""
    return (
        text[start:end].lower() in ("morgen", "mañana")
        and _GREETING.search(text[max(0, start - 20) : start]) is not None
    )


# Words that, right before or behind a day, make it a bound, a choice or a starting point instead of the day meant.
_BEFORE: Final = lazy(
    r"(?:\b(?:after|before|until|till|by|since|from|starting|between|through|to|not|except|than|instead\s+of|around|about|"
    r"week\s+of|or|and|every|each|bis|nach|vor|seit|ab|spätestens|oder|und|después\s+del?|antes\s+del?|hasta|desde|"
    r"après|avant|jusqu'?(?:à|au)?|d'ici|depuis|was|were)(?:\s+(?:the|on|el|le|dem|den))?\s*|[-–~/]\s*)\Z",
    re.IGNORECASE,
)
_BEHIND: Final = lazy(
    r"\s*(?:(?:or|and|to|through|until|till|instead|onwards?|at\s+the\s+latest|more|extra|longer|bis|oder|und|mehr|länger|hasta|o|y|más|ou|et|de\s+plus)\b|더|[-–~/]\s*\d"
    r"|,?\s*(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b|부터|까지|이후|이전|전까지|또는|이나|나\s|~|から|まで|以降|以前|之前|之后|以后|或)",
    re.IGNORECASE,
)
_FILLER: Final = lazy(
    r"(?:[\s,.()!]|\b(?:the|on|at|by|for|in|of|am|pm|a\.m|p\.m|um|uhr|el|la|le|las|los|du|de|por|à|a|den|dem|noon|midnight|"
    r"morning|afternoon|evening|night|nachmittag|vormittag|abend|früh|tarde|noche|matin|soir|après-midi)\b|"
    r"\d{1,2}(?::\d\d){0,2}\s*(?:am|pm|h|uhr)?\b|오전|오후|아침|저녁|밤|정오|에|까지|의|午前|午後|上午|下午|早上|晚上|\d{1,2}[시時点點](?:\d{1,2}[분分])?)*\Z",
    re.IGNORECASE,
)


def phrase(text: str, *references: date) -> Expression | None:
    """Return the one expression of a text that is known to be about a day, in more languages than `readings` knows.

    None when the text holds none or several. Use it for short texts only: `rootcall.evidence.dates.fallback` says why.
    """
    found = readings(text, *references)
    if found:
        return found[0] if len(found) == 1 else None
    other = elsewhere(text, references)
    if other is None:
        return None
    kind: Kind = "relative" if other.relative else "absolute"
    return Expression(text, 0, len(text), kind, distinct(Reading(d, d) for d in other.days))


def relative_phrase(value: str) -> Expression | None:
    """Return the expression when a text as a whole is a relative date ("next Friday", "내일", "tomorrow at 3pm")."""
    if not value.strip() or len(value) > 60:
        return None
    found = phrase(value)
    if found is None or found.kind == "absolute":
        return None
    rest = value[: found.start] + " " + value[found.end :]
    return found if _FILLER.match(rest) else None
