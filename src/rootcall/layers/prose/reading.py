"""An answer as tokens: words, numbers and marks with their places, and the phrases of a table found among them.

Hyphens separate ("18-point" is a number and a word), case and a plural s do not count in phrases. What the tokens speak of
is the business of the other modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Final, Generic, TypeVar

import msgspec

__all__ = ["NUMBER_WORDS", "SUBJECT_PARTICLES", "Phrasebook", "Token", "norm", "tokens_of", "words_of"]

NUMBER_WORDS: Final[Mapping[str, float]] = {
    **{
        word: float(n)
        for n, word in enumerate(
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
        )
    },
    "thirty": 30.0, "forty": 40.0, "fifty": 50.0,
}  # fmt: skip

_TOKEN: Final = re.compile(
    r"(?P<counted>\d[\d,.]*(?=[가-힣]))|(?P<word>\d+[^\W\d_]+|[^\W\d_]\.(?:[^\W\d_]\.)+|[^\W\d_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"|(?P<space>\s+)|(?P<mark>.)",
    re.DOTALL,
)
_POSSESSIVE: Final = re.compile(r"['’]s?\Z", re.IGNORECASE)


# What Korean joins to a noun, the longest first, and what of it makes the noun what the sentence speaks of.
_PARTICLES: Final = (
    "이었습니다", "였습니다", "에게서", "에서는", "입니다", "에게", "에서", "으로", "께서", "보다", "이고", "이며", "이다", "은", "는", "이", "가",
    "을", "를", "의", "와", "과", "도", "로", "에", "만",
)  # fmt: skip
SUBJECT_PARTICLES: Final = frozenset({"은", "는", "이", "가", "도", "께서", "의"})
_HANGUL: Final = re.compile(r"[가-힣]{2,}\Z")


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, a number or a mark at `[start, end)`; `norm` is the form that phrases are compared in.

    `value` is the number it is, in digits or letters. `owning` tells a possessive: "Thomas's" is `thomas`. `stem` is a Korean
    word without its particle, else the norm, and `particle` what was left off.
    """

    text: str
    norm: str
    start: int
    end: int
    value: float | None = None
    owning: bool = False
    glued: bool = False
    stem: str = ""
    particle: str = ""

    @property
    def tail(self) -> int:
        """Where it ends without its particle."""
        return self.end - len(self.particle)

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter or a digit."""
        return self.text[0].isalnum()


@lru_cache(maxsize=65_536)
def norm(word: str) -> str:
    """A word in the form phrases are compared in: lower case, without dots and a plural s."""
    plain = word.lower().replace(".", "").replace("’", "'")
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is")) else plain


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text in order; blanks are left out, and `glued` tells that none stood before."""
    out: list[Token] = []
    spaced = True
    for m in _TOKEN.finditer(text):
        if m.lastgroup == "space":
            spaced = True
            continue
        found, start, end = m.group(), m.start(), m.end()
        if m.lastgroup == "word":
            owning = _POSSESSIVE.search(found) is not None
            bare = _POSSESSIVE.sub("", found) if owning else found
            value = NUMBER_WORDS.get(found.lower())
            out.append(Token(found, norm(bare), start, end, value, owning, not spaced, *_parted(found)))
        elif m.lastgroup in ("number", "counted"):
            out.append(Token(found, found, start, end, _float(found), glued=not spaced))
        # "Celtics' win": the mark behind an s is the possessive of the word before.
        elif found in "'’" and out and not spaced and out[-1].text[-1:] in "sS":
            out[-1] = msgspec.structs.replace(out[-1], owning=True)
        else:
            out.append(Token(found, found, start, end, glued=not spaced))
        spaced = False
    return out


def _float(text: str) -> float | None:
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return None


def _parted(word: str) -> tuple[str, str]:
    """A Korean word as its stem and the particle joined to it; nothing for other words, and for a single syllable."""
    if word.isascii() or not _HANGUL.match(word):
        return "", ""
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) > len(particle):
            return word[: -len(particle)], particle
    return "", ""


@lru_cache(maxsize=16_384)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words of a phrase as they are compared; hyphens and marks are left out."""
    return tuple(t.norm for t in tokens_of(phrase) if t.is_word)


T = TypeVar("T")


class Phrasebook(Generic[T]):
    """What phrases mean, found by their first word, the longest first."""

    def __init__(self, phrases: Iterable[tuple[Sequence[str], T]]) -> None:
        found: dict[tuple[str, ...], list[T]] = {}
        for words, meaning in phrases:
            if words:
                meant = found.setdefault(tuple(words), [])
                if meaning not in meant:
                    meant.append(meaning)
        self._by_first: dict[str, list[tuple[tuple[str, ...], list[T]]]] = {}
        for key in sorted(found, key=len, reverse=True):
            self._by_first.setdefault(key[0], []).append((key, found[key]))

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def begins_in(self, words: Set[str]) -> bool:
        """Whether the first word of some phrase is among words."""
        return not words.isdisjoint(self._by_first)

    def items(self) -> Iterator[tuple[tuple[str, ...], list[T]]]:
        """All phrases with what they mean."""
        for entries in self._by_first.values():
            yield from entries

    def at(self, tokens: Sequence[Token], i: int) -> tuple[int, list[T]] | None:
        """The longest phrase that begins at a token: the index behind it, and what it means."""
        token = tokens[i]
        for first in (token.norm, token.stem) if token.stem else (token.norm,):
            for words, meant in self._by_first.get(first, ()):
                end = _ends(tokens, i, words)
                if end is not None:
                    return end, meant
        return None

    def all(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int, list[T]]]:
        """All phrases of a text from left to right without overlaps, as `[first, last)` of tokens and what they mean."""
        if not self:
            return
        end = 0
        for i, token in enumerate(tokens):
            if i < end or (token.norm not in self._by_first and token.stem not in self._by_first):
                continue
            found = self.at(tokens, i)
            if found is not None:
                end = found[0]
                yield i, *found


def _ends(tokens: Sequence[Token], i: int, words: Sequence[str]) -> int | None:
    """The index behind the last word of a phrase that begins at a token; hyphens between its words are passed over."""
    for n, word in enumerate(words):
        while n and i < len(tokens) and tokens[i].text in "-–":
            i += 1
        if i >= len(tokens) or (tokens[i].norm != word and tokens[i].stem != word):
            return None
        i += 1
    return i
