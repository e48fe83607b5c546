"""The words of days, by language. What they mean together is `rootcall.evidence.dates.grammar`'s.

A line `category value: word word` gives words their category; `_` stands for a blank inside a word of several parts, a
word may have several categories, and `~` marks abbreviations that are days only in company of another part ("sun").
English and Korean are covered well, German, Spanish, French, Japanese and Chinese in their common forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rootcall.evidence.dates.words_eastern import JA, KO, ZH
from rootcall.evidence.dates.words_latin import DASHES, DE, EN, ES, FR

__all__ = ["EASTERN", "LATIN", "TENS", "Entries"]

Entries = Mapping[str, tuple[tuple[str, object], ...]]

TENS: Final = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}


def _entries(text: str) -> Entries:
    found: dict[str, list[tuple[str, object]]] = {}
    for line in text.strip().splitlines():
        head, _, words = line.partition(" :") if " : " in line else line.partition(":")
        category, _, raw = head.strip().partition(" ")
        for word in words.split():
            weak = len(word) > 1 and word.endswith("~")
            value: object = int(raw) if raw.lstrip("-").isdigit() else raw
            key = word.removesuffix("~") if weak else word
            meanings = found.setdefault(key.replace("_", " "), [])
            meanings.append((f"{category}~" if weak else category, value))
            if (category, raw) == ("unit", "weekend"):
                # The one unit that is a stretch of days by itself; where there are articles, with one.
                meanings.append(("wkend" if word[0].isascii() else "bare_wkend", ""))
    return {word: tuple(meanings) for word, meanings in found.items()}


def _postposed(entries: Entries) -> Entries:
    """Spanish and French put `next` behind the noun as well."""
    return {
        word: (*meanings, *(("pmod", value) for category, value in meanings if category == "mod"))
        for word, meanings in entries.items()
    }


LATIN: Final[Mapping[str, Entries]] = {
    "en": _entries(EN),
    "de": _entries(DE + DASHES),
    "es": _postposed(_entries(ES + DASHES)),
    "fr": _postposed(_entries(FR + DASHES)),
}
EASTERN: Final[Mapping[str, Entries]] = {name: _entries(text) for name, text in (("ko", KO), ("ja", JA), ("zh", ZH))}
