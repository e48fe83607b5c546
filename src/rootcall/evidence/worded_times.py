"""Times of day in words, English and German: "half past seven", "quarter to eight", "halb acht", "noon".

Times in figures are `rootcall.evidence.moments`'; both together are `spoken_times`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootcall.evidence.mention import Mention
from rootcall.evidence.moments import times
from rootcall.evidence.words import folded
from rootcall.lazypattern import lazy

__all__ = ["spoken_times"]

_HOURS: Final = {
    word: n
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for n, word in enumerate(words.split(), 1)
}
_HOUR: Final = rf"(?:(?P<word>{'|'.join(_HOURS)})\b|(?P<figure>1[0-2]|[1-9])(?![\d:.,]\d|\d))"
_PARTS: Final = {
    "half past": 30, "quarter past": 15, "quarter after": 15, "quarter to": -15, "quarter before": -15,
    "halb": -30, "viertel nach": 15, "viertel vor": -15, "dreiviertel": -15,
}  # fmt: skip
# Noon with a capital is a name.
_WORDED: Final = lazy(
    rf"\b(?:(?P<part>{'|'.join(p.replace(' ', r'[ ]') for p in _PARTS)})\s{_HOUR}(?:\s?(?P<half>[ap])\.?m\b\.?)?|(?P<noon>(?-i:noon|midday))\b|(?P<midnight>(?-i:midnight))\b)",
    re.IGNORECASE,
)


def spoken_times(text: str) -> Iterator[Mention]:
    """Give the times of day of a text, in words and in figures, in order.

    A time in words without its half of the day has its reading in the morning; noon is 720, midnight 0.
    """
    worded = [_mention(m) for m in _WORDED.finditer(text)]
    plain = [p for p in times(text) if all(p.end <= w.start or p.start >= w.end for w in worded)]
    yield from sorted((*worded, *plain), key=lambda m: m.start)


def _mention(m: re.Match[str]) -> Mention:
    if m["part"] is None:
        minutes = 720 if m["noon"] else 0
    else:
        hour = _HOURS[folded(m["word"])] if m["word"] else int(m["figure"])
        if m["half"]:
            hour = hour % 12 + (12 if m["half"].lower() == "p" else 0)
        minutes = (hour * 60 + _PARTS[folded(m["part"])]) % 1440
    return Mention("time", m.group(), m.start(), m.end(), (float(minutes),))
