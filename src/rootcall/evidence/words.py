"""Words of names and word lists: `departureDate` and `departure_date` as words, a rule's list split at blanks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["folded", "key_words", "word_set"]

_SPLIT: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=65_536)
def key_words(key: str) -> tuple[str, ...]:
    """Split the name of a field or an argument into lower-case words: `pricePerPerson_cents` → `price per person cents`."""
    return tuple(w.lower() for w in _SPLIT.findall(key))


# Letters that a pattern takes for i and s when it ignores case, and that `lower` leaves as they are.
_LIKE_ASCII: Final = str.maketrans("İıſ", "iis")


def folded(word: str) -> str:
    """Return a word that a pattern found without regard to case as the key it has in a table."""
    return word.translate(_LIKE_ASCII).lower()


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by blanks."""
    return frozenset(text.split())
