"""Regular expressions of ours that cost nothing where they are not needed: compiled on first use, and asked last.

`lazy` is `re.compile` put off, for the large ones: compiling all of them takes longer than judging a hundred traces. A
`Hinted` pattern has pieces of text beside it, without one of which it is found nowhere; looking for those first is ten
times as fast, and most texts hold none. A `Caseless` one is a long list of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

__all__ = ["Caseless", "Hinted", "lazy"]

_USED: Final = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "pattern", "flags")


class _Lazy:
    """Stands for a compiled pattern until something is asked of it; from then on it has the methods of that pattern."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _USED:
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        self.__dict__.update({n: getattr(compiled, n) for n in _USED})
        return self.__dict__[name]


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` would, for asking it by its own methods: not for `re.sub(pattern, …)` and its like."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class Hinted:
    """A pattern without regard to case, and pieces of text one of which stands wherever it is found.

    The pieces are in lower case and count for ASCII text only: elsewhere letters have other forms that a pattern takes
    for the same, so such a text is asked at once, and a piece that is not ASCII need not be named.
    """

    __slots__ = ("pattern", "pieces")

    def __init__(self, pattern: str, pieces: str) -> None:
        self.pattern = lazy(pattern, re.IGNORECASE)
        self.pieces = tuple(piece.replace("_", " ") for piece in pieces.split())

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match, None when there is none."""
        if text.isascii():
            lowered = text.lower()
            for piece in self.pieces:
                if piece in lowered:
                    break
            else:
                return None
        return self.pattern.search(text)


class Caseless:
    """A pattern without regard to case, for long lists of alternatives: several times as fast on ASCII text.

    Such a text is asked in lower case by the pattern as it stands, which therefore has no capitals of its own. A match
    then holds lower-case text; what the text itself says is at its place.
    """

    __slots__ = ("_exact", "_folding")

    def __init__(self, pattern: str) -> None:
        self._exact, self._folding = lazy(pattern), lazy(pattern, re.IGNORECASE)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches in order."""
        return self._exact.finditer(text.lower()) if text.isascii() else self._folding.finditer(text)
