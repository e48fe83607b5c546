"""Numbers written in letters: "thirteen", "einundzwanzig", "two dozen", 열세, "treinta y cinco".

Owns the words for 0 to 100 and for dozens in English, German, Spanish, French and Korean, and digits read aloud one after
the other. Digits, and what is read as a day or an amount, are other modules' business. "One" and its like are no numbers
of their own: they are articles more often.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from rootcall.evidence.words import folded
from rootcall.lazypattern import Caseless, lazy

__all__ = ["Spelled", "spelled_digits", "spelled_numbers"]


class Spelled(msgspec.Struct, frozen=True, gc=False):
    """A number in letters at `[start, end)` of a text."""

    value: int
    text: str
    start: int
    end: int


_ENGLISH: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ENGLISH_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GERMAN: Final = [
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_GERMAN_TENS: Final = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
_SPANISH: Final = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
_SPANISH_TENS: Final = ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
_FRENCH: Final = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
]
_FRENCH_TENS: Final = ["vingt", "trente", "quarante", "cinquante", "soixante"]
_KOREAN_UNITS: Final = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_KOREAN_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_SINO: Final = ("", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")


def _table() -> Mapping[str, int]:
    found: dict[str, int] = {}
    for n in range(2, 100):
        tens, unit = divmod(n, 10)
        for word in (
            *_english(n, tens, unit),
            _german(n, tens, unit),
            _spanish(n, tens, unit),
            *_french(n, tens, unit),
        ):
            found[word] = n
    found |= {
        "hundred": 100,
        "one hundred": 100,
        "a hundred": 100,
        "hundert": 100,
        "einhundert": 100,
        "cien": 100,
        "cent": 100,
    }
    # "six" and "cent" are words of other languages, and so are "once" and "quince".
    for word in ("cent", "once", "quince", "sept"):
        found.pop(word, None)
    return found


def _english(n: int, tens: int, unit: int) -> tuple[str, ...]:
    if n < 20:
        return (_ENGLISH[n],)
    first = _ENGLISH_TENS[tens - 2]
    return (f"{first}-{_ENGLISH[unit]}", f"{first} {_ENGLISH[unit]}") if unit else (first,)


def _german(n: int, tens: int, unit: int) -> str:
    if n < 20:
        return _GERMAN[n]
    return f"{_GERMAN[unit]}und{_GERMAN_TENS[tens - 2]}" if unit else _GERMAN_TENS[tens - 2]


def _spanish(n: int, tens: int, unit: int) -> str:
    if n < 30:
        return _SPANISH[n]
    return f"{_SPANISH_TENS[tens - 3]} y {_SPANISH[unit]}" if unit else _SPANISH_TENS[tens - 3]


def _french(n: int, tens: int, unit: int) -> tuple[str, ...]:
    if n < 20:
        return (_FRENCH[n],)
    if n >= 60:
        first, rest = ("soixante", n - 60) if n < 80 else ("quatre-vingt", n - 80)
    else:
        first, rest = _FRENCH_TENS[tens - 2], unit
    if rest == 0:
        return (first, first + "s") if n == 80 else (first,)
    word = _FRENCH[rest]
    return (f"{first}-{word}", f"{first} et {word}") if rest in (1, 11) and n < 80 else (f"{first}-{word}",)


def _korean() -> Mapping[str, int]:
    native = {f"{_KOREAN_TENS[t]}{_KOREAN_UNITS[u]}": 10 * t + u for t in range(10) for u in range(10) if t or u}
    sino = {
        f"{_SINO[t] if t > 1 else ''}십{_SINO[u]}": 10 * t + u for t in range(1, 10) for u in range(10)
    }  # a lone syllable is a word too often
    return {**native, **sino, "스무": 20}


_WORDS: Final = _table()
_KOREAN: Final = _korean()
_DOZENS: Final = ("dozen", "dutzend", "docena", "douzaine")
_DOZEN: Final = r"(?:dozens?|dutzend|docenas?|douzaines?)"
_LATIN: Final = Caseless(
    rf"(?<![\w-])(?:(?P<half>half a|ein halbes|media|une demi-)\s?(?={_DOZEN})|(?:(?P<n>\d{{1,2}})|(?P<word>{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))}"
    rf"|an?|ein|una|une))(?![\w-])\s?)(?P<dozen>{_DOZEN})?(?![\w-])"
)
# Of each number the longest of its words ("hundred", "twenty"): a text without any and without a dozen holds no number.
_TELLING: Final = frozenset(max(re.findall(r"[a-z]+", word), key=len) for word in _WORDS if word.isascii())
_COUNTERS: Final = "개|건|명|분|곳|대|번|권|장|마리|가지|박|일|시간|상자|박스|켤레|병|잔|살|인분|자루|송이|매|부"
_HANGUL: Final = lazy(
    rf"(?<![가-힣])(?P<word>{'|'.join(sorted(_KOREAN, key=len, reverse=True))})\s?(?=(?:{_COUNTERS}))"
)


@functools.lru_cache(maxsize=4096)
def spelled_numbers(text: str) -> tuple[Spelled, ...]:
    """Return the numbers a text writes in letters, dozens included, in order; of the first twenty thousand characters."""
    return tuple(sorted(_found(text[:20_000]), key=lambda s: s.start))


def _found(text: str) -> Iterator[Spelled]:
    if text.isascii():
        lowered = text.lower()
        if _TELLING.isdisjoint(re.findall(r"[a-z]+", lowered)) and not any(d in lowered for d in _DOZENS):
            return
    for m in _LATIN.finditer(text):
        dozen = m.group("dozen")
        word = folded(m.group("word") or "")
        if dozen:
            value = 6 if m.group("half") else 12 * int(m.group("n") or _WORDS.get(word, 1))
        elif word in _WORDS:
            value = _WORDS[word]
        else:
            continue
        yield Spelled(value, text[m.start() : m.end()].strip(), m.start(), m.end())
    if not text.isascii():
        for m in _HANGUL.finditer(text):
            yield Spelled(_KOREAN[m.group("word")], m.group().strip(), m.start(), m.end())


_ALOUD: Final[Mapping[str, str]] = {
    **{word: str(n) for word, n in _WORDS.items() if n < 100},
    "oh": "0", "zero": "0", "null": "0", "cero": "0", "zéro": "0", "one": "1", "eins": "1", "uno": "1", "un": "1", "zwo": "2",
    **dict(zip("공영일이삼사오육칠팔구", "00123456789", strict=True)),
}  # fmt: skip
_ALOUD_WORD: Final = "|".join(sorted(map(re.escape, _ALOUD), key=len, reverse=True))
_RUN_ALOUD: Final = lazy(rf"(?<!\w)(?:(?:{_ALOUD_WORD})[\s,.-]{{0,2}}){{2,20}}(?!\w)", re.IGNORECASE)
_ONE_ALOUD: Final = lazy(rf"(?:{_ALOUD_WORD})", re.IGNORECASE)


@functools.lru_cache(maxsize=1024)
def spelled_digits(text: str) -> tuple[str, ...]:
    """Return the digits that a text reads aloud: "four seven one one" and "forty-seven eleven" are both 4711."""
    runs = (m.group() for m in _RUN_ALOUD.finditer(text[:20_000]))
    return tuple("".join(_ALOUD[folded(w)] for w in _ONE_ALOUD.findall(run)) for run in runs)
