"""Word lists as the rules write them: one text, split at blanks."""

from __future__ import annotations

__all__ = ["word_set"]


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by blanks."""
    return frozenset(text.split())
