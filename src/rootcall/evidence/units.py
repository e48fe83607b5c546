"""Amounts with units: which unit an argument wants, and which amounts a text states.

Owns the conversion of money (major and minor units), time, share, mass, length and data size where an argument names its
unit. Numbers inside answers and payloads are not read here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from rootcall.evidence.date_words import NUMBERS
from rootcall.evidence.parameters import Parameter

__all__ = ["Amount", "Unit", "amounts", "unit_of"]


class Unit(msgspec.Struct, frozen=True):
    """A unit: its dimension and how many base units it holds (cents, seconds, whole, kilograms, metres, bytes)."""

    name: str
    dimension: str
    factor: float


class Amount(msgspec.Struct, frozen=True):
    """An amount in a text. `values` holds every reading of the digits (`1.250` is 1250 or 1.25)."""

    text: str
    values: frozenset[float]
    unit: Unit


def _table() -> dict[str, Unit]:
    rows: tuple[tuple[str, str, float, str], ...] = (
        ("cents", "money", 1, "cents cent ¢ pence centavos centimes 센트"),
        ("dollars", "money", 100, "dollars dollar bucks usd euros euro eur pounds gbp aud cad chf 달러 유로 ドル 美元 欧元 franken"),
        ("milliseconds", "time", 0.001, "milliseconds millisecond millis ms msec 밀리초"),
        ("seconds", "time", 1, "seconds second secs sec sekunden sekunde segundos secondes 초 秒"),
        ("minutes", "time", 60, "minutes minute mins minuten minutos 분 分 分鐘 分钟"),
        ("hours", "time", 3600, "hours hour hrs hr h stunden stunde horas hora heures heure 시간 時間 小时 小時"),
        ("days", "time", 86400, "days day tage tagen tag días día jours jour"),
        ("weeks", "time", 604800, "weeks week wochen woche semanas semaines"),
        ("percent", "share", 0.01, "percent pct percentage prozent por_ciento pour_cent % 퍼센트 パーセント"),
        ("fraction", "share", 1, "fraction ratio"),
        ("months", "time", 2629800, "months month monate monat meses mes mois"),
        ("years", "time", 31557600, "years year jahre jahr años año ans"),
        ("litres", "volume", 1, "liters litres liter litre l"),
        ("millilitres", "volume", 0.001, "milliliters millilitres milliliter ml"),
        ("milligrams", "mass", 1e-6, "milligrams milligram mg"),
        ("kilograms", "mass", 1, "kilograms kilogram kg kilos kilo kilogramm"),
        ("grams", "mass", 0.001, "grams gram gramm gramos grammes g"),
        ("pounds of weight", "mass", 0.45359237, "lbs lb"),
        ("kilometres", "length", 1000, "kilometers kilometres kilometer kilometre km"),
        ("metres", "length", 1, "meters metres meter metre"),
        ("centimetres", "length", 0.01, "centimeters centimetres centimeter cm"),
        ("millimetres", "length", 0.001, "millimeters millimetres mm"),
        ("miles", "length", 1609.344, "miles mile"),
        ("feet", "length", 0.3048, "feet foot ft"),
        ("kilobytes", "data", 1e3, "kilobytes kb"),
        ("megabytes", "data", 1e6, "megabytes mb"),
        ("gigabytes", "data", 1e9, "gigabytes gb"),
        ("terabytes", "data", 1e12, "terabytes tb"),
        ("bytes", "data", 1, "bytes"),
    )  # fmt: skip
    return {
        word.replace("_", " "): Unit(name, dimension, factor)
        for name, dimension, factor, words in rows
        for word in words.split()
    }


_UNITS: Final[Mapping[str, Unit]] = _table()
_MINOR: Final = re.compile(r"\b(?:minor (?:currency )?units?|smallest (?:currency )?unit)\b", re.IGNORECASE)
# Short words that end a name but would be something else in a sentence.
_NAME_ONLY: Final = {
    "min": _UNITS["minutes"],
    "minor": _UNITS["cents"],
    "s": _UNITS["seconds"],
    "m": _UNITS["metres"],
    "h": _UNITS["hours"],
}
_NOT_IN_WORDS: Final = frozenset(
    {
        "second",
        "minute",
        "day",
        "week",
        "month",
        "year",
        "mes",
        "ans",
        "hour",
        "foot",
        "feet",
        "pounds",
        "%",
        "ms",
        "¢",
        "g",
        "h",
        "l",
    }
)


@functools.lru_cache(maxsize=4096)
def _unit(tokens: tuple[str, ...], description: str) -> Unit | None:
    last = tokens[-1] if tokens else ""
    if last in _NAME_ONLY and len(tokens) > 1:
        return _NAME_ONLY[last]
    if last in _UNITS and (len(tokens) > 1 or last not in _NOT_IN_WORDS):
        return _UNITS[last]
    if len(description) > 160:
        return None
    if _MINOR.search(description):
        return _UNITS["cents"]
    words = re.findall(r"[^\W\d_]+", description.lower())
    found = {_UNITS[w].name: _UNITS[w] for w in words if w in _UNITS and w not in _NOT_IN_WORDS}
    return next(iter(found.values())) if len(found) == 1 else None


def unit_of(parameter: Parameter) -> Unit | None:
    """Return the unit a numeric argument wants, from the end of its name or the one unit its description names."""
    if parameter.types and not parameter.types & {"number", "integer"}:
        return None
    return _unit(parameter.tokens, parameter.description)


_WORDS: Final = "|".join(
    sorted((re.escape(w).replace(r"\ ", r"\s+") for w in _UNITS if w not in ("%", "¢")), key=len, reverse=True)
)
_DIGITS: Final = r"\d+(?:[.,\s]\d{3})*(?:[.,]\d+)?|\d+"
_SPELLED: Final = "|".join(w for w in sorted(NUMBERS, key=len, reverse=True) if w.isalpha() and len(w) > 1)
_MONEY: Final = re.compile(
    rf"(?:US|A|C)?[$€£]\s?(?P<a>{_DIGITS})\s?(?P<k>k|million|m)?\b|(?P<b>{_DIGITS})\s?(?P<k2>k)?\s?[€£$](?![\d])",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    rf"(?<![\w.,$€£-])(?P<n>{_DIGITS}|(?:{_SPELLED})|half\s+an?|an|a)[\s-]?(?P<unit>{_WORDS})(?![A-Za-z])|(?<![\w.,-])(?P<p>{_DIGITS})\s?(?P<sign>[%¢])",
    re.IGNORECASE,
)


@functools.lru_cache(maxsize=4096)
def amounts(text: str) -> tuple[Amount, ...]:
    """Return the amounts with a unit that a text states ("$64.00", "3 hours", "half an hour", "35 %")."""
    text = text[:20_000]
    found: list[Amount] = []
    for m in _MONEY.finditer(text):
        scale = {"k": 1e3, "m": 1e6, "million": 1e6}.get((m.group("k") or m.group("k2") or "").lower(), 1.0)
        values = frozenset(v * scale for v in _values(m.group("a") or m.group("b")))
        found.append(Amount(m.group().strip(), values, _UNITS["dollars"]))
    for m in _AMOUNT.finditer(text):
        word = m.group("unit") or m.group("sign")
        unit = _UNITS[re.sub(r"\s+", " ", word.lower())]
        number = (m.group("n") or m.group("p")).lower()
        found.append(Amount(m.group().strip(), _values(number), unit))
    return tuple(found)


def _values(number: str) -> frozenset[float]:
    """All readings of a number as written: thousands separators and decimal marks differ by country."""
    if number.startswith("half"):
        return frozenset({0.5})
    if not number[0].isdigit():
        return frozenset({float(NUMBERS.get(number, 1))})
    plain = re.sub(r"\s", "", number)
    marks = re.findall(r"[.,]", plain)
    found = set()
    if not marks:
        found.add(float(plain))
    elif len(set(marks)) == 2:
        grouping = marks[0]
        found.add(float(plain.replace(grouping, "").replace(marks[-1], ".")))
    else:
        tail = len(plain) - plain.rfind(marks[0]) - 1
        if len(marks) == 1 and tail != 3:
            found.add(float(plain.replace(",", ".")))
        elif len(marks) == 1:
            found |= {float(plain.replace(marks[0], "")), float(plain.replace(",", "."))}
        else:
            found.add(float(plain.replace(marks[0], "")))
    return frozenset(found)
