"""Values as people write them: numbers, money, percentages, quantities with units, dates, times and codes in a text.

Owns the reading of numbers and codes, and which reading wins where several could be made. A number can have several
readings ("1.074" is a thousand in German and a little over one in English); the language of the text decides which
come first. Dates and times are read by `rootcall.evidence.moments`. What a mention is compared with, and what a
difference means, is left to the layers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from rootcall.evidence.date_words import NUMBERS
from rootcall.evidence.mention import Hedge, Mention
from rootcall.evidence.moments import NO_LETTER, dates, times
from rootcall.evidence.units import CURRENCY_CODES, CURRENCY_SIGNS, TEXT_UNITS, Unit, unit_of_text
from rootcall.evidence.words import folded, word_set
from rootcall.lazypattern import Caseless, lazy

__all__ = ["amounts", "comma_decimal", "mentions"]

_MULTIPLIERS: Final[Mapping[str, float]] = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "천": 1e3, "千": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6,
    "millionen": 1e6, "millones": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9, "mrd": 1e9, "만": 1e4, "십만": 1e5, "백만": 1e6,
    "천만": 1e7, "백억": 1e10, "천억": 1e11, "万": 1e4, "萬": 1e4, "억": 1e8, "億": 1e8, "亿": 1e8, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
# "one" is a pronoun more often than a number, "once" and "quince" are English words.
_COUNTS: Final = {
    word: n for word, n in NUMBERS.items()
    if n != 1 and word[0] < "ɐ" and " " not in word and word not in ("once", "quince", "couple")
}  # fmt: skip
# Written out in the usual cases, which is much faster than to ignore case.
_COUNT_WORD: Final = lazy(
    rf"\b(?:{'|'.join(form for word in _COUNTS for form in (word, word.capitalize(), word.upper()))})\b"
)
_KOREAN_COUNT: Final = lazy(r"(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?:개|건|명|곳|대|번|권|장|마리|가지)")

_DIGITS: Final = lazy(r"\d+")
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
# What stands before the first digit of a number, and what it is with all that stands behind.
_BEFORE: Final = lazy(
    rf"{NO_LETTER}(?<![.,:/\-])(?P<code>{CURRENCY_CODES})?\s?(?P<sign>[-−+](?=\s?(?:{CURRENCY_SIGNS})|\Z))?(?P<symbol>{CURRENCY_SIGNS})?\s?(?P<inner>[-−])?\Z",
    re.IGNORECASE,
)
_NUMBER: Final = lazy(
    rf"(?P<amount>{_AMOUNT})"
    rf"(?:(?P<cjk>천억|백억|천만|백만|십만|[천만억千万萬億亿])(?:\s?(?P<rest>{_AMOUNT})(?P<cjk2>천만|백만|십만|[천만千万]|))?"
    r"|(?:\s?(?P<multiplier>thousand|million|millions|millionen|millones|billion|Mio|Mrd|Tsd|lakh|crore)\b\.?|(?P<tight>[kKMB]|bn|mn)(?![\w/])))?"
    rf"(?:[\s\u00a0\u202f\-]?(?P<unit>{TEXT_UNITS})|\s?(?P<short>[shdgtml](?![\w/'’-])|°))?"
    # A digit or letter right behind means that this is part of a code (seat 29B), not a number.
    r"(?![A-Za-z\d_])",
    re.IGNORECASE,
)
_HEDGE: Final = lazy(
    r"(?:(?P<over>\b(?:(?:just|a little|slightly|well) (?:over|above)|over|more than|at least|upwards of|gut|über|mehr als|más de|plus de)\b|넘는)"
    r"|(?P<under>\b(?:(?:just|a little|slightly) (?:under|below)|under|less than|almost|nearly|knapp|fast|unter|weniger als|casi"
    r"|menos de|presque|près de|moins de)\b|거의)"
    r"|(?P<about>\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|close to|etwa|ungefähr|rund|unos|unas|aproximadamente"
    r"|environ|à peu près)|약|대략|~|≈|およそ|約|大约|约))\s*\Z",
    re.IGNORECASE,
)
# Digits that are no values: links, addresses, telephone numbers, each tried only where its mark stands in the text.
_NO_VALUES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("//", lazy(r"https?://\S+")),
    ("www.", lazy(r"www\.\S+")),
    ("@", lazy(r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+")),
    ("+", lazy(r"\+\d[\d\s().\-]{6,}\d")),
    ("-", lazy(r"\b\d{1,2}-\d{3}-\d{3}-\d{4}\b|\(\d{3}\)\s?\d{3}-\d{4}|\b\d{3}-\d{3,4}-\d{4}\b")),
    ("24/7", lazy(r"\b24/7\b")),
)
_NO_NUMBERS: Final = (
    lazy(r"\bout of (?:5|10|20|100)\b|\d+점 ?만점", re.IGNORECASE),  # what a score is counted in
    lazy(r"\bv\d+(?:\.\d+)+\b|\b\d+(?:\.\d+){2,}\b"),  # a version
    lazy(r"(?<![\w.,])\d+(?:st|nd|rd|th)\b|\b\d+(?:번째|위)|第\d+", re.IGNORECASE),  # an ordinal
    lazy(r"(?m)^[ \t]*(?:[-*•][ \t]*)?\(?\d{1,2}[.)]\s|(?<=\s)\(?\d{1,2}\)\s"),  # the number of a list
)
_CODE: Final = lazy(
    r"(?<![\w@./])#?(?=[\w\-]{0,80}\d)(?=[\w\-]{0,80}[A-Za-z])[A-Za-z0-9]+(?:[_\-][A-Za-z0-9]+)*(?![\w@]|\.\w)|(?<!\w)#\w*\d\w*"
)
_MEASURE_CODE: Final = lazy(
    rf"\d+(?:[a-z]{{1,3}}|{TEXT_UNITS})\Z|[a-z]{{1,2}}\d{{1,2}}\Z|\d+x\d+\Z|\d+-[a-z]+(?:-[a-z]+)*\Z", re.IGNORECASE
)
_WORD: Final = lazy(r"[^\W\d_]+")
_COMMA_WORDS: Final = word_set(
    "der die das und ist sind nicht für beträgt ein eine mit von el los las es una por para con está le les des est une pour avec "
    "vous dans il het een niet voor della sono uma não com och är jest nie"
)
_POINT_WORDS: Final = word_set("the is are and for of to your you with was has have it at on in there a")


@lru_cache(maxsize=1024)
def comma_decimal(text: str) -> bool:
    """Tell whether a text is in a language that writes 1.074,50 (German, French, Spanish …) rather than 1,074.50."""
    words = _WORD.findall(text.lower())
    return sum(w in _COMMA_WORDS for w in words) > sum(w in _POINT_WORDS for w in words)


class _Taken:
    """The stretches of a text that a reading has used up."""

    def __init__(self, text: str) -> None:
        self.used = bytearray(len(text) + 1)

    def take(self, spans: Iterable[re.Match[str]]) -> None:
        for m in spans:
            self.used[m.start() : m.end()] = b"\1" * (m.end() - m.start())

    def keep(self, items: Iterable[Mention]) -> Iterator[Mention]:
        """Those of the items that are still free, each used up in turn."""
        for item in items:
            if self.used.find(1, item.start, item.end) < 0:
                self.used[item.start : item.end] = b"\1" * (item.end - item.start)
                yield item


@lru_cache(maxsize=8_192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return all values that stand in a text, in order, without overlaps. An empty text gives none.

    Only the first twenty thousand characters are read.
    """
    text = text[:20_000]
    if _DIGITS.search(text) is None:
        return tuple(_words(text))
    taken = _Taken(text)
    for mark, pattern in _NO_VALUES:
        if mark in text:
            taken.take(pattern.finditer(text))
    found = [*taken.keep(dates(text, comma_decimal)), *taken.keep(times(text))]
    for pattern in _NO_NUMBERS:
        taken.take(pattern.finditer(text))
    for items in (_codes(text), _numbers(text), _words(text)):
        found += taken.keep(items)
    return tuple(sorted(found, key=lambda m: m.start))


def _codes(text: str) -> Iterator[Mention]:
    for m in _CODE.finditer(text):
        code = m.group(0)
        plain = code.lstrip("#")
        if sum(ch.isdigit() for ch in plain) < 2 or len(plain) < 4 or _MEASURE_CODE.match(plain):
            continue
        yield Mention("code", code, m.start(), m.end())


def _numbers(text: str) -> Iterator[Mention]:
    end = 0
    for run in _DIGITS.finditer(text):
        at = run.start()
        if at < end:
            continue
        before = _BEFORE.search(text, max(end, at - 12), at)
        m = _NUMBER.match(text, at) if before is not None else None
        if before is None or m is None:
            continue
        end = m.end()
        if (found := _number(text, before, m)) is not None:
            yield found


def _number(text: str, before: re.Match[str], m: re.Match[str]) -> Mention | None:
    readings = _readings(m["amount"], text)
    decimals = _decimals(m["amount"], readings[0])
    scale = 1.0
    if (m["tight"] or "").lower() in ("b", "m") and decimals == 0 and not (before["symbol"] or before["code"]):
        return None  # "29B" is a seat or a size; "2.9B" and "$29B" are numbers
    if m["cjk"]:
        scale = _MULTIPLIERS[m["cjk"]]
        rest = _readings(m["rest"], text)[0] * _MULTIPLIERS.get(m["cjk2"] or "", 1.0) if m["rest"] else 0.0
        readings = [r * scale + rest for r in readings]
        scale = 1.0 if m["rest"] else scale
    elif m["multiplier"] or m["tight"]:
        scale = _MULTIPLIERS[folded(m["multiplier"] or m["tight"])]
        readings = [r * scale for r in readings]
    if (before["sign"] or "").strip("+") or before["inner"]:
        readings = [-r for r in readings]
    if not math.isfinite(readings[0]):
        return None  # hundreds of digits are no number that anyone reads
    start = next((before.start(name) for name in ("code", "sign", "symbol") if before[name]), m.start())
    return Mention(
        "number", text[start : m.end()].strip(), start, m.end(), tuple(dict.fromkeys(readings)),
        unit=_unit(m["unit"], before["code"], before["symbol"], m["short"]), decimals=decimals,
        step=scale * 10.0**-decimals, hedge=_hedge(text, start),
    )  # fmt: skip


def _hedge(text: str, start: int) -> Hedge:
    found = _HEDGE.search(text, max(0, start - 24), start)
    return "" if found is None else "over" if found["over"] else "under" if found["under"] else "about"


def _unit(*names: str | None) -> Unit | None:
    return next((unit for name in names if name and (unit := unit_of_text(name)) is not None), None)


def _readings(amount: str, text: str) -> list[float]:
    """The values a number written in a text can have, the likeliest first."""
    plain = re.sub(r"[ \u00a0\u202f'’]", "", amount)
    dot, comma = plain.rfind("."), plain.rfind(",")
    if dot < 0 and comma < 0:
        return [float(plain)]
    mark = "." if dot > comma else ","
    if dot >= 0 and comma >= 0:
        return [_decimal(plain, mark)]
    if re.fullmatch(rf"\d{{1,3}}(?:\{mark}\d{{3}})+", plain) is None:
        return [_decimal(plain, mark)]
    whole = float(plain.replace(mark, ""))
    if plain.count(mark) > 1:
        return [whole]
    # The mark groups in one language and begins the decimals in another: "1,074" in English, "1.074" in German.
    groups = not plain.startswith("0") and (mark == ",") != comma_decimal(text)
    return [whole, _decimal(plain, mark)] if groups else [_decimal(plain, mark)]


def _decimal(plain: str, mark: str) -> float:
    other = "," if mark == "." else "."
    return float(plain.replace(other, "").replace(mark, "."))


def _decimals(amount: str, value: float) -> int:
    tail = re.search(r"[.,](\d+)\Z", amount)
    if tail is None or (value.is_integer() and len(tail.group(1)) == 3 and value >= 1000):
        return 0
    return len(tail.group(1))


def _words(text: str) -> Iterator[Mention]:
    for m in _COUNT_WORD.finditer(text):
        yield Mention("number", m.group(0), m.start(), m.end(), (float(_COUNTS[m.group(0).lower()]),), word=True)
    if not text.isascii():
        for m in _KOREAN_COUNT.finditer(text):
            yield Mention("number", m.group(0), m.start(), m.end(), (float(NUMBERS[m.group(1)]),), word=True)


# ---- amounts ---------------------------------------------------------------------------------------------------

_SPELLED: Final = Caseless(
    rf"(?<![\w.,$€£-])(?P<n>half\s+an?|{'|'.join(sorted((re.escape(w) for w in NUMBERS if len(w) > 1 or w == 'a'), key=len, reverse=True))})"
    rf"[\s-]?(?P<unit>(?=[^\W\d_])(?:{TEXT_UNITS}))(?![A-Za-z])"
)  # fmt: skip


@lru_cache(maxsize=4096)
def amounts(text: str) -> tuple[Mention, ...]:
    """Return the numbers with a unit that a text states, those in letters too ("two hours", "half an hour").

    Unlike `mentions` this gives every reading a number can have in any country: "1.250 €" is 1250 or 1.25. Signs are
    left out. Only the first twenty thousand characters are read.
    """
    text = text[:20_000]
    found = [_in_any_country(m) for m in mentions(text) if m.unit is not None]
    for m in _SPELLED.finditer(text):
        number = folded(m["n"])
        value = 0.5 if number.startswith("half") else float(NUMBERS[number])
        found.append(
            Mention("number", text[m.start() : m.end()], *m.span(), (value,), unit_of_text(m["unit"]), word=True)
        )
    return tuple(found)


def _in_any_country(m: Mention) -> Mention:
    readings = [abs(r) for r in m.readings]
    # Three decimals behind at most three digits may be thousands.
    if len(readings) == 1 and m.decimals == 3 and readings[0] < 1e6 * m.step:
        readings.append(readings[0] * 1000)
    return msgspec.structs.replace(m, readings=tuple(readings))
