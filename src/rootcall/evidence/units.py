"""Units: one table of what they measure, their names in text and in the names of fields and arguments, and conversion.

Owns money (major and minor units), time, share, mass, length and the other dimensions that tools speak of. Where values
stand in a text, and how their digits are read, is `rootcall.evidence.values`'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from rootcall.evidence.parameters import Parameter
from rootcall.evidence.words import folded, key_words, word_set

__all__ = [
    "CURRENCY_CODES",
    "CURRENCY_SIGNS",
    "TEXT_UNITS",
    "Unit",
    "convert",
    "unit_of",
    "unit_of_key",
    "unit_of_text",
]


class Unit(msgspec.Struct, frozen=True):
    """A unit: what it measures and how many base units it is.

    The base of `time` is the second, of `mass` the kilogram, of `length` the metre, of `percent` one per cent, of
    `money:EUR` the euro. A dimension that ends in `:?` is open: cents of some currency, degrees of some scale, pounds of
    weight or sterling; `convert` lets it meet each of them. `scaled` says that it counts in thousands or millions of a unit.
    """

    name: str
    dimension: str
    factor: float = 1.0
    scaled: bool = False


# name, dimension, factor, its words (`_` for a blank). A word that stands twice belongs to the later row.
_ROWS: Final[tuple[tuple[str, str, float, str], ...]] = (
    ("USD", "money:USD", 1, "$ us$ usd dollar dollars bucks 달러 dólares 美元 ドル"),
    ("EUR", "money:EUR", 1, "€ eur euro euros 유로 ユーロ 欧元"),
    ("GBP", "money:GBP", 1, "£ gbp sterling 파운드"),
    ("KRW", "money:KRW", 1, "₩ krw 원 won"),
    ("JPY", "money:JPY", 1, "jpy 円 yen 엔"),
    ("CNY", "money:CNY", 1, "cny rmb 元 yuan 위안"),
    ("¥", "money:¥", 1, "¥"),
    ("CHF", "money:CHF", 1, "chf franken"),
    ("INR", "money:INR", 1, "₹ inr rupees"),
    ("CAD", "money:CAD", 1, "c$ ca$ cad"),
    ("AUD", "money:AUD", 1, "a$ au$ aud"),
    ("SEK", "money:SEK", 1, "sek kr kronor"),
    ("BRL", "money:BRL", 1, "r$ brl reais"),
    ("MXN", "money:MXN", 1, "mxn pesos"),
    ("cents", "money:?", 0.01, "cents cent ¢ pence öre øre centimes centime centavos centavo céntimos céntimo centimos centimo centesimi centesimo groszy grosz kopecks haléřů 센트"),
    ("PLN", "money:PLN", 1, "pln zł zloty złotych"),
    ("NOK", "money:NOK", 1, "nok"),
    ("DKK", "money:DKK", 1, "dkk"),
    ("CZK", "money:CZK", 1, "czk kč"),
    ("percent", "percent", 1, "% pct percent percentage prozent per_cent 퍼센트 프로 por_ciento pour_cent ％ パーセント"),
    ("milliseconds", "time", 0.001, "ms millis millisecond milliseconds msec 밀리초"),
    ("seconds", "time", 1, "s sec secs second seconds sekunde sekunden 초 segundos secondes 秒"),
    ("minutes", "time", 60, "min mins minute minutes minuten 분 minuto minutos 分 分钟 分鐘 分間"),
    ("hours", "time", 3600, "h hr hrs hour hours stunde stunden std 시간 hora horas heure heures 時間 小时 小時"),
    ("days", "time", 86400, "d day days tag tage tagen 일 día días jour jours 日間 天"),
    ("weeks", "time", 604800, "week weeks woche wochen 주 semana semanas semaine semaines 週間 周"),
    ("months", "time", 2629800, "month months monat monate monaten 개월 mes meses mois ヶ月 个月"),
    ("years", "time", 31557600, "year years yr yrs jahr jahre jahren 년 año años ans 年間"),
    ("milligrams", "mass", 1e-6, "mg milligram milligrams"),
    ("grams", "mass", 0.001, "g gram grams gramm gramos grammes 그램"),
    ("kilograms", "mass", 1, "kg kilo kilos kilogram kilograms kilogramm 킬로그램 公斤"),
    ("tonnes", "mass", 1000, "t tonne tonnes tons 톤"),
    ("ounces", "mass", 0.028349523, "oz ounce ounces"),
    ("pounds", "mass", 0.45359237, "lb lbs"),
    ("pounds", "mass:?", 0.45359237, "pound pounds"),
    ("millimetres", "length", 0.001, "mm millimeter millimeters millimetres 밀리미터 밀리"),
    ("centimetres", "length", 0.01, "cm centimeter centimeters centimetre centimetres 센티미터 센티"),
    ("metres", "length", 1, "m meter meters metre metres 미터 metros mètres 米"),
    ("kilometres", "length", 1000, "km kilometer kilometers kilometre kilometres 킬로미터 公里"),
    ("miles", "length", 1609.344, "mi mile miles 마일"),
    ("feet", "length", 0.3048, "ft foot feet"),
    ("inches", "length", 0.0254, "inch inches"),
    ("km/h", "speed", 1, "km/h kmh kph km/std 킬로"),
    ("mph", "speed", 1.609344, "mph mi/h"),
    ("m/s", "speed", 3.6, "m/s mps"),
    ("knots", "speed", 1.852, "kn knots kt kts"),
    ("degrees Celsius", "temperature:c", 1, "°c ℃ celsius degc cel 도 度"),
    ("degrees Fahrenheit", "temperature:f", 1, "°f ℉ fahrenheit degf"),
    ("degrees", "temperature:?", 1, "degrees degree ° grad grados degrés"),
    ("bytes", "data", 1, "byte bytes 바이트"),
    ("kilobytes", "data", 1e3, "kb kilobytes"),
    ("megabytes", "data", 1e6, "mb megabyte megabytes"),
    ("gigabytes", "data", 1e9, "gb gigabyte gigabytes 기가"),
    ("terabytes", "data", 1e12, "tb terabyte terabytes"),
    ("hectopascals", "pressure", 1, "hpa mbar"),
    ("litres", "volume", 1, "l liter liters litre litres 리터"),
    ("millilitres", "volume", 0.001, "ml milliliter milliliters millilitres"),
    ("square metres", "area", 1, "m² m2 sqm 제곱미터 quadratmeter"),
    ("hectares", "area", 1e4, "ha hectare hectares hektar 헥타르 hectáreas"),
    ("acres", "area", 4046.8564, "acre acres 에이커"),
    ("square kilometres", "area", 1e6, "km² km2"),
    ("watt hours", "energy", 1e-3, "wh"),
    ("kilowatt hours", "energy", 1, "kwh"),
    ("megawatt hours", "energy", 1e3, "mwh"),
    ("watts", "power", 1e-3, "watt watts"),
    ("kilowatts", "power", 1, "kw kilowatt kilowatts"),
    ("kilovolt-amperes", "apparent power", 1, "kva"),
)  # fmt: skip
_UNITS: Final[Mapping[str, Unit]] = {
    word.replace("_", " "): Unit(name, dimension, factor)
    for name, dimension, factor, words in _ROWS
    for word in words.split()
}
# A bare letter is a unit only right behind a digit or in a field's name, never as a word of its own.
_LETTERS: Final = word_set("s h d g t m l °")
# What ends the name of a field or an argument, or stands in a field for the unit, beside the words themselves.
_SHORT: Final[Mapping[str, str]] = {"c": "°c", "f": "°f", "minor": "cents"}
# Words that are a unit behind a number or at the end of a name, and often something else where they stand alone.
_NOT_ALONE: Final = _LETTERS | word_set(
    "second minute hour day week month year mes ans foot feet pound pounds % ms ¢ min std tag won grad mi kn kr kt "
    "분 일 주 도 엔 초 元 分 秒 天 周 米 度"
)
# Words that end a field's name for another reason: a standard deviation, what was won, a label, a gradient.
_NOT_IN_NAMES: Final = word_set("std won tag grad")
_MANY: Final[Mapping[str, float]] = {
    "thousand": 1e3, "thousands": 1e3, "000": 1e3, "000s": 1e3, "tausend": 1e3, "tsd": 1e3, "miles de": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6,
    "mio": 1e6, "millionen": 1e6, "millones de": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "mrd": 1e9, "milliarden": 1e9,
    "천": 1e3, "만": 1e4, "백만": 1e6, "천만": 1e7, "억": 1e8, "십억": 1e9, "千": 1e3, "万": 1e4, "百万": 1e6, "億": 1e8, "亿": 1e8, "十億": 1e9,
}  # fmt: skip
_WORDED: Final = "|".join(sorted((w for w in _MANY if w[0].isascii()), key=len, reverse=True))
_JOINED: Final = "|".join(sorted((w for w in _MANY if not w[0].isascii()), key=len, reverse=True))
# Without the base unit behind or before it a number word is no unit.
_SCALED: Final = re.compile(
    rf"(?:in )?(?:(?P<many>{_WORDED})\.?(?: of)? |(?P<cjk>{_JOINED})\s?)(?P<after>\S+)|(?P<before>\S+) (?:in )?(?P<last>{_WORDED})\.?"
)
_LONGEST_SCALED: Final = 24
_FRACTION: Final = Unit("fraction", "percent", 100)
_MINOR: Final = re.compile(r"\b(?:minor (?:currency )?units?|smallest (?:currency )?unit)\b", re.IGNORECASE)


def _pattern(words: list[str]) -> str:
    """Words as alternatives of a pattern, the longest first; one that ends in a Latin letter ends there in the text."""
    return "|".join(
        re.escape(w).replace(r"\ ", r"\s") + (r"\b" if w[-1].isascii() and w[-1].isalnum() else "")
        for w in sorted(words, key=lambda w: (-len(w), w))
    )


# Pieces of patterns, to be compiled without regard to case: the units behind a number, the signs and codes before one.
TEXT_UNITS: Final = _pattern([w for w in _UNITS if w not in _LETTERS])
CURRENCY_SIGNS: Final = _pattern(
    [w for w, u in _UNITS.items() if u.dimension.startswith("money:") and w[-1] in "$€£₩¥₹"]
)
CURRENCY_CODES: Final = "|".join(
    sorted(u.name for u in set(_UNITS.values()) if u.dimension == f"money:{u.name}" and u.name != "¥")
)


def unit_of_text(text: str) -> Unit | None:
    """Return the unit a word is, or None. "million USD", "EUR thousands" and "백만원" are units that count in many."""
    word = folded(text.strip())
    known = _UNITS.get(_SHORT.get(word, word))
    if known is not None or len(word) > _LONGEST_SCALED:
        return known
    m = _SCALED.fullmatch(word)
    base = _UNITS.get(m["before"] or m["after"]) if m is not None else None
    if m is None or base is None:
        return None
    many = _MANY[m["many"] or m["last"] or m["cjk"]]
    return Unit(f"{word} of {base.name}", base.dimension, base.factor * many, scaled=True)


def _unit_of_words(words: tuple[str, ...]) -> Unit | None:
    """The unit that the last words of a name of several words state."""
    if words[-2:] in (("km", "h"), ("m", "s")):
        return _UNITS["/".join(words[-2:])]
    return None if words[-1] in _NOT_IN_NAMES else unit_of_text(words[-1])


@lru_cache(maxsize=65_536)
def unit_of_key(key: str) -> Unit | None:
    """Return the unit a field's name states in its last words, or None: `amount_cents`, `max_kg`, `windKmh`."""
    words = key_words(key)
    return _unit_of_words(words) if len(words) > 1 or (words and len(words[0]) > 2) else None


def unit_of(parameter: Parameter) -> Unit | None:
    """Return the unit a numeric argument wants, from the end of its name or the one unit its description names."""
    if parameter.types and not parameter.types & {"number", "integer"}:
        return None
    return _wanted(parameter.tokens, parameter.description)


@lru_cache(maxsize=4096)
def _wanted(words: tuple[str, ...], description: str) -> Unit | None:
    named = _unit_of_words(words) if len(words) > 1 else _alone(words[0]) if words else None
    if named is None and words and words[-1] in ("fraction", "ratio"):
        named = _FRACTION
    if named is not None or len(description) > 160:
        return named
    if _MINOR.search(description):
        return _UNITS["cents"]
    found = {u for w in re.findall(r"[^\W\d_]+", description.lower()) if (u := _alone(w)) is not None}
    return found.pop() if len(found) == 1 else None


def _alone(word: str) -> Unit | None:
    """The unit that a word means wherever it stands."""
    if word in ("fraction", "ratio"):
        return _FRACTION
    return None if word in _NOT_ALONE else _UNITS.get(word)


def convert(value: float, of: Unit, to: Unit) -> float | None:
    """Convert a value between units of one dimension, °C and °F included; None when they measure different things."""
    if of.dimension == to.dimension:
        return value * of.factor / to.factor
    pair = (of.dimension, to.dimension)
    if pair == ("temperature:c", "temperature:f"):
        return value * 9 / 5 + 32
    if pair == ("temperature:f", "temperature:c"):
        return (value - 32) * 5 / 9
    kinds = {d.partition(":")[0] for d in pair}
    if len(kinds) == 1 and (kinds == {"mass"} or any(d.endswith(":?") for d in pair)):
        return value * of.factor / to.factor
    if set(pair) in ({"money:¥", "money:JPY"}, {"money:¥", "money:CNY"}):
        return value
    return _sterling(value, of, to)


def _sterling(value: float, of: Unit, to: Unit) -> float | None:
    """Pounds that may be money, to or from sterling or its pence."""
    money, weight = ("money:GBP", "money:?"), "mass:?"
    if of.dimension == weight and to.dimension in money:
        return value / to.factor
    return value * of.factor if to.dimension == weight and of.dimension in money else None
