"""Whole phrases in languages the grammar does not know, read by dateparser.

It is asked for short phrases only, where a date is wanted and the grammar found nothing: it knows no ambiguity, takes
milliseconds a phrase, and in running text it finds days in words that are none. The languages are those people book and
plan in that have no grammar of ours; with all of its two hundred a phrase that is no date costs seconds.
"""

from __future__ import annotations

import functools
import re
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

__all__ = ["Elsewhere", "elsewhere"]

LANGUAGES: Final = (
    "it", "pt", "nl", "ru", "pl", "tr", "sv", "da", "cs", "uk", "fi", "el", "vi", "id", "th", "ar", "he", "hi",
)  # fmt: skip
_LONGEST: Final = 40
_MOST_WORDS: Final = 6
# Forms of a date (YYYY-MM-DD) and words that stand for one which is not there: a day in none of `LANGUAGES`, and common
# where a date is wanted. They are not worth asking, since the first question of a process takes half a second.
_NO_DAY: Final = re.compile(
    r".*?([^\W\d_])\1\1.*|(?:null|none|nil|any|all|dontcare|unknown|undefined|unspecified|empty|string|date|tbd|tba|todo|n/a)",
    re.IGNORECASE,
)
# Any two days whose distance no phrase brings about by itself.
_SOME_DAY: Final = date(2026, 3, 11)
_APART: Final = timedelta(days=397)


class Elsewhere(NamedTuple):
    """A phrase that means a day: whether that day hangs on the day of speaking, and the day, where it is known."""

    relative: bool
    days: tuple[date, ...]


@functools.lru_cache(maxsize=4096)
def elsewhere(text: str, references: tuple[date, ...]) -> Elsewhere | None:
    """Return what a whole phrase means, or None when it is no day in any of `LANGUAGES`."""
    phrase = text.strip()
    words = phrase.split()
    if not 2 < len(phrase) <= _LONGEST or len(words) > _MOST_WORDS or not re.search(r"[^\W\d_]{3}", phrase):
        return None
    if _NO_DAY.fullmatch(phrase):
        return None
    day, other = _parsed(phrase, _SOME_DAY), _parsed(phrase, _SOME_DAY + _APART)
    if day is None or other is None:
        return None
    if other == day:
        return Elsewhere(False, (day,))
    # A day without its year moves too, but not with the day of speaking.
    relative = other - day == _APART
    return Elsewhere(relative, tuple(dict.fromkeys(d for r in references if (d := _parsed(phrase, r)) is not None)))


def _parsed(phrase: str, reference: date) -> date | None:
    import dateparser

    settings: Any = {
        "RELATIVE_BASE": datetime(reference.year, reference.month, reference.day),  # noqa: DTZ001 -- a day, not a moment
        "PREFER_DATES_FROM": "future",
        "REQUIRE_PARTS": ["day", "month"],
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    found = dateparser.parse(phrase, languages=list(LANGUAGES), settings=settings)
    return None if found is None else found.date()
