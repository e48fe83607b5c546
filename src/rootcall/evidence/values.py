"""Values as people write them: numbers, money, percentages, quantities with units, dates, times and codes in a text.

Owns the reading of text into `Mention`s and of names such as `amount_cents` into units. A number can have several
readings ("1.074" is a thousand in German and a little over one in English); the language of the text decides which
come first. What a mention is compared with, and what a difference means, is left to the layers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal

import msgspec

__all__ = [
    "Mention", "Unit", "comma_decimal", "convert", "digits", "hedge_tolerance", "key_words", "mentions", "same_day", "unit_of_key",
    "unit_of_text",
]  # fmt: skip

Kind = Literal["number", "date", "time", "code"]


class Unit(msgspec.Struct, frozen=True):
    """A unit: what it measures and how many base units it is (`money` has the currency as its base)."""

    name: str
    dimension: str
    factor: float = 1.0


class Mention(msgspec.Struct, frozen=True):
    """A value that stands in a text at `[start, end)`.

    For numbers `readings` holds the possible values, the likeliest first, in the written unit; `decimals` is the number
    of decimals shown, `step` the size of the last digit shown (0.01, 1, 100 for "12.4k" …), `hedged` whether a word
    such as "about" stands before it. For dates `readings` is `(month * 100 + day,)` and `year` the year or None; for
    times minutes since midnight, two readings when a.m. or p.m. is open.
    """

    kind: Kind
    text: str
    start: int
    end: int
    readings: tuple[float, ...] = ()
    unit: Unit | None = None
    decimals: int = 0
    step: float = 1.0
    hedged: bool = False
    year: int | None = None
    word: bool = False


def _units() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def add(dimension: str, factor: float, *names: str) -> None:
        unit = Unit(names[0], dimension, factor)
        for name in names:
            table[name] = unit

    for currency, names in _CURRENCIES.items():
        for name in names:
            table[name] = Unit(currency, f"money:{currency}")
    add("money:?", 0.01, "cents", "cent", "¢", "minor", "pence", "p.", "öre", "centimes", "céntimos", "센트")
    add(
        "percent",
        1,
        "%",
        "pct",
        "percent",
        "percentage",
        "prozent",
        "per cent",
        "퍼센트",
        "프로",
        "por ciento",
        "pour cent",
        "％",
        "パーセント",
    )
    add("time", 0.001, "ms", "millis", "millisecond", "milliseconds", "msec", "밀리초")
    add("time", 1, "s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "초", "segundos", "secondes", "秒")
    add("time", 60, "min", "mins", "minute", "minutes", "minuten", "분", "minuto", "minutos", "分", "分钟", "分間")
    add(
        "time",
        3600,
        "h",
        "hr",
        "hrs",
        "hour",
        "hours",
        "stunde",
        "stunden",
        "std",
        "시간",
        "hora",
        "horas",
        "heure",
        "heures",
        "時間",
        "小时",
    )
    add("time", 86400, "d", "day", "days", "tag", "tage", "tagen", "일", "día", "días", "jour", "jours", "日間", "天")
    add(
        "time",
        604800,
        "week",
        "weeks",
        "woche",
        "wochen",
        "주",
        "semana",
        "semanas",
        "semaine",
        "semaines",
        "週間",
        "周",
    )
    add(
        "time", 2629800, "month", "months", "monat", "monate", "monaten", "개월", "mes", "meses", "mois", "ヶ月", "个月"
    )
    add("time", 31557600, "year", "years", "yr", "yrs", "jahr", "jahre", "jahren", "년", "año", "años", "ans", "年間")
    add("mass", 0.001, "g", "gram", "grams", "gramm", "그램")
    add("mass", 1, "kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm", "킬로그램", "킬로", "公斤")
    add("mass", 0.45359237, "lb", "lbs", "pound", "pounds")
    add("mass", 0.028349523, "oz", "ounce", "ounces")
    add("mass", 1000, "t", "tonne", "tonnes", "tons", "톤")
    add("length", 0.001, "mm", "millimeter", "millimeters", "millimetres", "밀리미터", "밀리")
    add("length", 0.01, "cm", "centimeters", "centimetres", "센티미터", "센티")
    add("length", 1, "m", "meter", "meters", "metre", "metres", "미터", "metros", "mètres", "米")
    add("length", 1000, "km", "kilometer", "kilometers", "kilometre", "kilometres", "킬로미터", "公里")
    add("length", 1609.344, "mi", "mile", "miles", "마일")
    add("length", 0.3048, "ft", "foot", "feet")
    add("length", 0.0254, "inch", "inches")
    add("speed", 1, "km/h", "kmh", "kph", "km/std", "킬로")
    add("speed", 1.609344, "mph", "mi/h")
    add("speed", 3.6, "m/s", "mps")
    add("speed", 1.852, "kn", "knots", "kt", "kts")
    add("temperature:c", 1, "°c", "℃", "celsius", "degc", "도", "度")
    add("temperature:f", 1, "°f", "℉", "fahrenheit", "degf")
    add("temperature:?", 1, "degrees", "degree", "°", "grad", "grados", "degrés")
    add("data", 1, "byte", "bytes", "바이트")
    add("data", 1e3, "kb", "kilobytes")
    add("data", 1e6, "mb", "megabyte", "megabytes")
    add("data", 1e9, "gb", "gigabyte", "gigabytes", "기가")
    add("data", 1e12, "tb", "terabyte", "terabytes")
    add("pressure", 1, "hpa", "mbar")
    add("volume", 1, "l", "liter", "liters", "litre", "litres", "리터")
    add("volume", 0.001, "ml", "milliliter", "milliliters")
    add("area", 1, "m²", "m2", "sqm", "제곱미터")
    add("energy", 1, "kwh")
    add("power", 1, "kw")
    return table


_CURRENCIES: Final[Mapping[str, tuple[str, ...]]] = {
    "USD": ("$", "us$", "usd", "dollar", "dollars", "달러", "dólares", "美元", "ドル"),
    "EUR": ("€", "eur", "euro", "euros", "유로", "ユーロ", "欧元"),
    "GBP": ("£", "gbp", "sterling", "파운드"),
    "KRW": ("₩", "krw", "원", "won"),
    "JPY": ("jpy", "円", "yen", "엔"),
    "CNY": ("cny", "rmb", "元", "yuan", "위안"),
    "¥": ("¥",),
    "CHF": ("chf", "franken"),
    "INR": ("₹", "inr", "rupees"),
    "CAD": ("cad",),
    "AUD": ("aud",),
    "SEK": ("sek", "kr", "kronor"),
    "BRL": ("r$", "brl", "reais"),
    "MXN": ("mxn", "pesos"),
}
_UNITS: Final = _units()
# A bare letter is a unit only right behind a digit or in a field's name, never as a word of its own.
_SHORT_UNITS: Final = frozenset({"s", "h", "d", "g", "t", "m", "l", "p.", "°", "in"})

_MULTIPLIERS: Final[Mapping[str, float]] = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "mil": 1e3, "mille": 1e3, "천": 1e3, "千": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6,
    "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9, "mrd": 1e9, "만": 1e4,
    "십만": 1e5, "백만": 1e6, "천만": 1e7, "백억": 1e10, "천억": 1e11, "万": 1e4, "萬": 1e4, "억": 1e8, "億": 1e8, "亿": 1e8, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_NUMBER_WORDS: Final[Mapping[str, int]] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "deux": 2, "trois": 3,
    "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
}  # fmt: skip
_KOREAN_COUNTS: Final[Mapping[str, int]] = {
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10,
}  # fmt: skip

_DIGIT: Final = re.compile(r"\d")
_COUNT_WORD: Final = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_SYMBOL = r"US\$|R\$|[$€£₩¥₹]"
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_UNIT_NAMES = "|".join(
    sorted(
        (
            re.escape(n) + (r"\b" if n[-1].isascii() and n[-1].isalpha() else "")
            for n in _UNITS
            if n not in _SHORT_UNITS
        ),
        key=len,
        reverse=True,
    )
)
_NUMBER: Final = re.compile(
    rf"(?<![\w.,:/\-])(?P<code>USD|EUR|GBP|KRW|JPY|CNY|CHF|INR|CAD|AUD|SEK)?\s?(?P<sign>[-−+](?=[\d$€£₩¥₹UR]|\s?{_SYMBOL}))?(?P<symbol>{_SYMBOL})?\s?(?P<inner>[-−](?=\d))?"
    rf"(?P<amount>{_AMOUNT})"
    rf"(?:(?P<cjk>천억|백억|천만|백만|십만|[천만억千万萬億亿])(?:\s?(?P<rest>{_AMOUNT})(?P<cjk2>천만|백만|십만|[천만千万]|))?"
    r"|(?:\s?(?P<multiplier>thousand|million|millions|millionen|millones|billion|Mio|Mrd|Tsd|lakh|crore)\b\.?|(?P<tight>[kKMB]|bn|mn)(?![\w/])))?"
    rf"(?:[\s\u00a0\u202f\-]?(?P<unit>{_UNIT_NAMES})|\s?(?P<short>[shdgtml](?![\w/'’])|°))?"
    # A digit or letter right behind means that this is part of a code (seat 29B), not a number.
    r"(?![A-Za-z\d_])",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.?|close to|just (?:over|under|above|below)|"
    r"a little (?:over|under)|etwa|ungefähr|rund|knapp|fast|gut|unos|unas|"
    r"aproximadamente|casi|environ|presque|près de|à peu près)|약|대략|거의|~|≈|およそ|約|大约|约)\s*\Z",
    re.IGNORECASE,
)
_SKIP: Final = re.compile(
    r"https?://\S+|www\.\S+|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+|\+\d[\d\s().\-]{6,}\d|\b\d{1,2}-\d{3}-\d{3}-\d{4}\b|\(\d{3}\)\s?\d{3}-\d{4}|\b\d{3}-\d{3,4}-\d{4}\b"
    r"|\b24/7\b",
)
_VERSION: Final = re.compile(r"\bv\d+(?:\.\d+)+\b|\b\d+(?:\.\d+){2,}\b")
_ORDINAL: Final = re.compile(r"(?<![\w.,])\d+(?:st|nd|rd|th)\b|\b\d+(?:번째|위)|第\d+", re.IGNORECASE)
_ENUMERATOR: Final = re.compile(r"(?m)^\s*(?:[-*•]\s*)?\(?\d{1,2}[.)]\s|(?<=\s)\(?\d{1,2}\)\s")
_CODE: Final = re.compile(
    r"(?<![\w@./])#?(?=[\w\-]*\d)(?=[\w\-]*[A-Za-z])[A-Za-z0-9]+(?:[_\-][A-Za-z0-9]+)*(?![\w@]|\.\w)|(?<!\w)#\w*\d\w*"
)
_MEASURE_CODE: Final = re.compile(
    r"\d+(?:st|nd|rd|th|[ap]m|[a-z]{1,3})\Z|[a-z]{1,2}\d{1,2}\Z|\d+x\d+\Z|\d+-[a-z]+(?:-[a-z]+)*\Z", re.IGNORECASE
)

_MONTHS: Final[Mapping[str, int]] = {
    name: i
    for i, names in enumerate(
        (
            "january jan januar enero ene janvier janv jänner",
            "february feb februar febrero février févr fevrier",
            "march mar märz maerz marzo mars",
            "april apr abril abr avril avr",
            "may mai mayo",
            "june jun juni junio juin",
            "july jul juli julio juil juillet",
            "august aug agosto ago août aout",
            "september sep sept septiembre septembre",
            "october oct oktober okt octubre octobre",
            "november nov noviembre novembre",
            "december dec dezember dez diciembre dic décembre déc decembre",
        ),
        1,
    )
    for name in names.split()
}
_MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE: Final = re.compile(
    rf"""(?<![\w\-/.$€£₩¥₹])(?:
        (?P<iso>(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}}))(?:T(?P<clock>\d{{2}}:\d{{2}})[\d:.]*(?:Z|[+\-]\d{{2}}:?\d{{2}})?)?
      | (?P<d2>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s(?:of\s|de\s)?(?P<m2>{_MONTH_NAMES})\b\.?(?:,?\s(?:de\s|del\s)?(?P<y2>\d{{4}})\b)?
      | (?P<m3>{_MONTH_NAMES})\.?\s(?:the\s)?(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|\d|\.\d)(?:,?\s(?P<y3>\d{{4}})\b)?
      | (?:(?P<y4>\d{{4}})[년年]\s?)?(?P<m4>\d{{1,2}})[월月]\s?(?P<d4>\d{{1,2}})[일日号]
      | (?P<d5>\d{{1,2}})\.(?P<m5>\d{{1,2}})\.(?P<y5>\d{{4}}|\d{{2}})?(?!\d)
      | (?P<a6>\d{{1,2}})/(?P<b6>\d{{1,2}})/(?P<y6>\d{{4}}|\d{{2}})(?!\d)
      | (?P<y7>\d{{4}})[/.](?P<m7>\d{{1,2}})[/.](?P<d7>\d{{1,2}})(?!\d)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_TIME: Final = re.compile(
    r"""(?<![\w:.\-+])(?:
        (?P<ko>오전|오후|午前|午後|上午|下午)?\s?(?P<h1>[01]?\d|2[0-4])[:h](?P<m1>[0-5]\d)(?::[0-5]\d)?(?!\d|:)(?:\s?(?P<ap1>[ap])\.?\s?m\b\.?)?
      | (?P<h2>1[0-2]|0?[1-9])\s?(?P<ap2>[ap])\.?m\b\.?
      | (?P<ko3>오전|오후|午前|午後|上午|下午)?\s?(?P<h3>\d{1,2})[시時点](?!간|間)\s?(?:(?P<m3>\d{1,2})[분分]|(?P<half>반|半))?
      | (?P<h4>[01]?\d|2[0-4])(?:[.:](?P<m4>[0-5]\d))?\sUhr\b(?:\s(?P<m5>[0-5]?\d)\b)?
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_COMMA_WORDS: Final = re.compile(
    r"\b(?:der|die|das|und|ist|sind|nicht|für|beträgt|ein|eine|mit|von|el|los|las|es|una|por|para|con|está|le|les|des|est|une|pour|avec"
    r"|vous|dans|il|het|een|niet|voor|della|sono|uma|não|com|och|är|jest|nie)\b",
    re.IGNORECASE,
)
_ENGLISH_WORDS: Final = re.compile(
    r"\b(?:the|is|are|and|for|of|to|your|you|with|was|has|have|it|at|on|in|there|a)\b", re.IGNORECASE
)


def comma_decimal(text: str) -> bool:
    """Tell whether a text is in a language that writes 1.074,50 (German, French, Spanish …) rather than 1,074.50."""
    return len(_COMMA_WORDS.findall(text)) > len(_ENGLISH_WORDS.findall(text))


@lru_cache(maxsize=8_192)
def mentions(text: str) -> tuple[Mention, ...]:
    """Return all values that stand in a text, in order, without overlaps. An empty text gives none."""
    if not text:
        return ()
    if _DIGIT.search(text) is None:
        return tuple(_words(text))
    taken: list[tuple[int, int]] = [m.span() for m in _SKIP.finditer(text)]
    found: list[Mention] = []

    def free(start: int, end: int) -> bool:
        return all(end <= s or start >= e for s, e in taken)

    def keep(items: Iterator[Mention]) -> None:
        for item in items:
            if free(item.start, item.end):
                taken.append((item.start, item.end))
                found.append(item)

    keep(_dates(text))
    keep(_times(text))
    taken += [m.span() for m in _VERSION.finditer(text)]
    taken += [m.span() for m in _ORDINAL.finditer(text)]
    taken += [m.span() for m in _ENUMERATOR.finditer(text)]
    keep(_codes(text))
    keep(_numbers(text))
    keep(_words(text))
    return tuple(sorted(found, key=lambda m: m.start))


def _dates(text: str) -> Iterator[Mention]:
    for m in _DATE.finditer(text):
        g = m.groupdict()
        n = next((i for i in "123457" if g.get(f"d{i}")), None)
        if n is not None:
            day, year, raw = int(g[f"d{n}"]), g.get(f"y{n}"), g[f"m{n}"]
            month = int(raw) if raw.isdigit() else _MONTHS[raw.lower()]
            # "12.10." without a year is a day only where dots write days; elsewhere it ends a sentence.
            plausible = 1 <= month <= 12 and 1 <= day <= 31 and (n != "5" or bool(year) or comma_decimal(text))
            readings = [month * 100 + day] if plausible else []
        else:
            # 06/04/2026 is June in one country and April in another.
            a, b, year = int(g["a6"]), int(g["b6"]), g["y6"]
            readings = [x * 100 + y for x, y in ((a, b), (b, a)) if 1 <= x <= 12 and 1 <= y <= 31]
        if readings:
            full = None if not year else int(year) + (2000 if len(year) == 2 else 0)
            clock = g.get("clock")
            end = m.end() if not clock else m.start("clock") - 1
            yield Mention("date", text[m.start() : end], m.start(), end, tuple(map(float, readings)), year=full)


def _times(text: str) -> Iterator[Mention]:
    for m in _TIME.finditer(text):
        g = m.groupdict()
        hour = int(next(g[k] for k in ("h1", "h2", "h3", "h4") if g[k] is not None))
        minute = 30 if g["half"] else int(next((g[k] for k in ("m1", "m3", "m4", "m5") if g[k]), 0))
        half = (
            g["ap1"]
            or g["ap2"]
            or {"오전": "a", "午前": "a", "上午": "a", "오후": "p", "午後": "p", "下午": "p"}.get(
                g["ko"] or g["ko3"] or "", ""
            )
        ).lower()
        if hour > 24 or minute > 59 or (g["h3"] is not None and hour == 0 and not g["m3"]):
            continue
        if half == "p" and hour < 12:
            readings = [(hour + 12) * 60 + minute]
        elif half == "a" and hour == 12:
            readings = [minute]
        else:
            readings = [hour % 24 * 60 + minute]
            if not half and 1 <= hour <= 12 and (g["h3"] or len(g["h1"] or "00") == 1):
                readings.append((hour % 12 + 12) * 60 + minute)
        yield Mention("time", m.group(0), m.start(), m.end(), tuple(map(float, readings)))


def _codes(text: str) -> Iterator[Mention]:
    for m in _CODE.finditer(text):
        code = m.group(0)
        plain = code.lstrip("#")
        if sum(ch.isdigit() for ch in plain) < 2 or len(plain) < 4 or _MEASURE_CODE.match(plain):
            continue
        yield Mention("code", code, m.start(), m.end())


def _numbers(text: str) -> Iterator[Mention]:
    comma = comma_decimal(text)
    for m in _NUMBER.finditer(text):
        g = m.groupdict()
        readings = _readings(g["amount"], comma)
        decimals = _decimals(g["amount"], readings[0])
        scale = 1.0
        if (g["tight"] or "").lower() in ("b", "m") and decimals == 0 and not (g["symbol"] or g["code"]):
            continue  # "29B" is a seat or a size; "2.9B" and "$29B" are numbers
        if g["cjk"]:
            scale = _MULTIPLIERS[g["cjk"]]
            rest = _readings(g["rest"], comma)[0] * _MULTIPLIERS.get(g["cjk2"] or "", 1.0) if g["rest"] else 0.0
            readings = [r * scale + rest for r in readings]
            scale = 1.0 if g["rest"] else scale
        elif g["multiplier"] or g["tight"]:
            scale = _MULTIPLIERS[(g["multiplier"] or g["tight"]).lower()]
            readings = [r * scale for r in readings]
        negative = bool((g["sign"] or "").strip("+") or g["inner"])
        if negative:
            readings = [-r for r in readings]
        start = (
            m.start("code")
            if g["code"]
            else m.start("sign")
            if g["sign"]
            else m.start("symbol")
            if g["symbol"]
            else m.start("amount")
        )
        yield Mention(
            "number", text[start : m.end()].strip(), start, m.end(), tuple(dict.fromkeys(readings)),
            unit=_unit(g), decimals=decimals, step=scale * 10.0**-decimals, hedged=_HEDGE.search(text[max(0, start - 24) : start]) is not None,
        )  # fmt: skip


def _unit(g: Mapping[str, str | None]) -> Unit | None:
    for name in (g["unit"], g["code"], g["symbol"], g["short"]):
        if name and (unit := _UNITS.get(name.lower())) is not None:
            return unit
    return None


def _readings(amount: str, comma: bool) -> list[float]:
    """The values a written number can have, the likeliest first."""
    text = re.sub(r"[ \u00a0\u202f'’]", "", amount)
    dot, sep = text.rfind("."), text.rfind(",")
    if dot >= 0 and sep >= 0:
        decimal = "." if dot > sep else ","
        return [_plain(text, decimal)]
    if dot < 0 and sep < 0:
        return [float(text)]
    mark = "." if dot >= 0 else ","
    grouped = re.fullmatch(rf"\d{{1,3}}(?:\{mark}\d{{3}})+", text) is not None
    if not grouped:
        return [_plain(text, mark)]
    whole = float(text.replace(mark, ""))
    if text.count(mark) > 1 or (text.startswith("0") is False and (mark == ",") != comma):
        # The mark groups in this language; "1,074" in English, "1.074" in German.
        return [whole] if text.count(mark) > 1 else [whole, _plain(text, mark)]
    return [_plain(text, mark)]


def _plain(text: str, decimal: str) -> float:
    other = "," if decimal == "." else "."
    return float(text.replace(other, "").replace(decimal, "."))


def _decimals(amount: str, value: float) -> int:
    tail = re.search(r"[.,](\d+)\Z", amount)
    if tail is None or (value.is_integer() and len(tail.group(1)) == 3 and value >= 1000):
        return 0
    return len(tail.group(1))


def _words(text: str) -> Iterator[Mention]:
    for m in _COUNT_WORD.finditer(text):
        value = _NUMBER_WORDS[m.group(0).lower()]
        # "one" is a pronoun more often than a number.
        if value != 1:
            yield Mention("number", m.group(0), m.start(), m.end(), (float(value),), word=True)
    for m in re.finditer(r"(한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?:개|건|명|곳|대|번|권|장|마리|가지)", text):
        yield Mention("number", m.group(0), m.start(), m.end(), (float(_KOREAN_COUNTS[m.group(1)]),), word=True)


# ---- names of fields -------------------------------------------------------------------------------------------

_SPLIT: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_KEY_UNITS: Final[Mapping[str, str]] = {
    "c": "°c", "f": "°f", "pct": "%", "percent": "%", "percentage": "%", "s": "s", "h": "h", "m": "m", "d": "d", "g": "g", "l": "l",
    "kmh": "km/h", "eur": "eur", "usd": "usd", "won": "krw", "cents": "cents", "cent": "cents", "minor": "cents", "pence": "cents",
}  # fmt: skip


@lru_cache(maxsize=65_536)
def key_words(key: str) -> tuple[str, ...]:
    """Split a field's name into lower-case words: `pricePerPerson_cents` → `price per person cents`."""
    return tuple(w.lower() for w in _SPLIT.findall(key))


@lru_cache(maxsize=65_536)
def unit_of_key(key: str) -> Unit | None:
    """Return the unit a field's name states in its last words, or None: `amount_cents`, `max_kg`, `windKmh`."""
    words = key_words(key)
    if len(words) >= 2 and words[-2:] in (("km", "h"), ("m", "s")):
        return _UNITS["km/h" if words[-2] == "km" else "m/s"]
    if not words or (len(words) == 1 and len(words[0]) < 3):
        return None
    return unit_of_text(words[-1])


def unit_of_text(text: str) -> Unit | None:
    """Return the unit a word is, or None."""
    word = text.strip().lower()
    return _UNITS.get(_KEY_UNITS.get(word, word))


def convert(value: float, of: Unit, to: Unit) -> float | None:
    """Convert a value between units of one dimension, °C and °F included; None when they measure different things."""
    if of.dimension == to.dimension:
        return value * of.factor / to.factor
    pair = (of.dimension, to.dimension)
    if pair == ("temperature:c", "temperature:f"):
        return value * 9 / 5 + 32
    if pair == ("temperature:f", "temperature:c"):
        return (value - 32) * 5 / 9
    if {d.partition(":")[0] for d in pair} == {"money"} and any(d.endswith(":?") for d in pair):
        return value * of.factor / to.factor
    if {d.partition(":")[0] for d in pair} == {"temperature"}:
        return value
    if {"money:¥"} < set(pair) and {"money:JPY", "money:CNY"} & set(pair):
        return value
    return None


def hedge_tolerance(mention: Mention) -> float:
    """How far a hedged number may be off: half of its last digit that is not a trailing zero ("about 8,000" → 500)."""
    value, step = abs(mention.readings[0]), mention.step
    while value and math.isclose(math.fmod(value, step * 10), 0.0, abs_tol=step * 1e-6) and step * 10 <= value:
        step *= 10
    return step / 2


def digits(value: float, decimals: int) -> str:
    """The digits of a number as shown, without marks and leading zeros: `digits(45.0, 2)` → `4500`."""
    return f"{abs(value):.{decimals}f}".replace(".", "").lstrip("0")


def same_day(mention: Mention, month: int, day: int, year: int | None) -> bool:
    """Tell whether a date mention can be that day; a year left open fits any."""
    return float(month * 100 + day) in mention.readings and (
        mention.year is None or year is None or mention.year == year
    )
