"""The words for days in a few languages, as patterns. What they mean as calendar days is `rootcall.evidence.dates`.

English and Korean are covered well, German, Spanish, French, Japanese and Chinese in their common forms. A pattern that
is not here is simply not seen; a later layer may put a general parser underneath. Words that mean a day but cannot be
resolved (a holiday, "the day after") are listed too: a text that holds one is not clear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["EASTERN_PATTERNS", "MONTHS", "NUMBERS", "OFFSETS", "PATTERNS", "UNITS", "WEEKDAYS", "modifier_of"]


def _index(groups: str) -> dict[str, int]:
    """`"monday montag,tuesday dienstag"` gives the index of the group for each word."""
    return {word.replace("_", " "): i for i, group in enumerate(groups.split(",")) for word in group.split()}


OFFSETS: Final[Mapping[str, int]] = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "tmrw": 1,
    "tomorrow's": 1, "today's": 0, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2, "overmorrow": 2,
    "오늘": 0, "내일": 1, "모레": 2, "내일모레": 2, "글피": 3, "어제": -1, "그제": -2, "그저께": -2, "엊그제": -2,
    "heute": 0, "morgen": 1, "übermorgen": 2, "gestern": -1, "vorgestern": -2,
    "hoy": 0, "mañana": 1, "pasado mañana": 2, "ayer": -1, "anteayer": -2,
    "aujourd'hui": 0, "aujourd’hui": 0, "demain": 1, "après-demain": 2, "après demain": 2, "hier": -1, "avant-hier": -2,
    "今日": 0, "本日": 0, "明日": 1, "あした": 1, "明後日": 2, "あさって": 2, "昨日": -1, "一昨日": -2, "おととい": -2,
    "今天": 0, "明天": 1, "后天": 2, "後天": 2, "大后天": 3, "大後天": 3, "昨天": -1, "前天": -2,
}  # fmt: skip

_LONG_WEEKDAYS: Final[Mapping[str, int]] = _index(
    "monday montag lunes lundi 월요일 月曜日 月曜 星期一 周一 週一 礼拜一,"
    "tuesday dienstag martes mardi 화요일 火曜日 火曜 星期二 周二 週二 礼拜二,"
    "wednesday mittwoch miércoles miercoles mercredi 수요일 水曜日 水曜 星期三 周三 週三 礼拜三,"
    "thursday donnerstag jueves jeudi 목요일 木曜日 木曜 星期四 周四 週四 礼拜四,"
    "friday freitag viernes vendredi 금요일 金曜日 金曜 星期五 周五 週五 礼拜五,"
    "saturday samstag sonnabend sábado sabado samedi 토요일 土曜日 土曜 星期六 周六 週六 礼拜六,"
    "sunday sonntag domingo dimanche 일요일 日曜日 日曜 星期日 星期天 周日 週日 周天 礼拜天"
)
_SHORT_WEEKDAYS: Final[Mapping[str, int]] = _index("mon,tue tues,wed,thu thur thurs,fri,sat,sun")
WEEKDAYS: Final[Mapping[str, int]] = {
    **_LONG_WEEKDAYS,
    **_SHORT_WEEKDAYS,
    **_index("一 月,二 火,三 水,四 木,五 金,六 土,日 天"),
}

MONTHS: Final[Mapping[str, int]] = {
    w: i + 1
    for w, i in _index(
        "january jan januar jänner enero ene janvier janv,february feb februar febrero février févr fevrier,"
        "march mar märz maerz marzo mars,april apr abril abr avril avr,may mai mayo,june jun juni junio juin,"
        "july jul juli julio juil juillet,august aug agosto ago août aout,september sept sep septiembre septembre,"
        "october oct oktober okt octubre octobre,november nov noviembre novembre,"
        "december dec dezember dez diciembre dic décembre déc decembre"
    ).items()
}

NUMBERS: Final[Mapping[str, int]] = {
    **_index(
        "zero,a an one ein eine einem einer un una une uno,two zwei dos deux couple couple_of a_couple_of,"
        "three drei tres trois,four vier cuatro quatre,five fünf cinco cinq,six sechs seis,seven sieben siete sept,"
        "eight acht ocho huit,nine neun nueve neuf,ten zehn diez dix,eleven elf once onze,twelve zwölf doce douze"
    ),
    "fourteen": 14, "vierzehn": 14, "quince": 15, "quinze": 15, "fifteen": 15, "twenty": 20, "thirty": 30,
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9, "열흘": 10, "보름": 15,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "일": 1,
    **_index("〇,一 壱,二 两 兩,三,四,五,六,七,八,九,十"),
}  # fmt: skip

UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        [
            "day",
            "days",
            "tag",
            "tage",
            "tagen",
            "día",
            "días",
            "dia",
            "dias",
            "jour",
            "jours",
            "일",
            "日",
            "天",
            "日間",
        ],
        "day",
    ),
    **dict.fromkeys(
        [
            "week",
            "weeks",
            "woche",
            "wochen",
            "semana",
            "semanas",
            "semaine",
            "semaines",
            "주",
            "주일",
            "週",
            "週間",
            "周",
            "星期",
        ],
        "week",
    ),
    **dict.fromkeys(["fortnight", "fortnights"], "fortnight"),
    **dict.fromkeys(
        [
            "month",
            "months",
            "monat",
            "monate",
            "monaten",
            "mes",
            "meses",
            "mois",
            "개월",
            "달",
            "か月",
            "ヶ月",
            "カ月",
            "个月",
            "個月",
        ],
        "month",
    ),
    **dict.fromkeys(["year", "years", "jahr", "jahre", "jahren", "año", "años", "an", "ans", "년", "年"], "year"),
}

_MODIFIERS: Final[Mapping[str, str]] = {
    "next": r"next|nächste[nrsm]?|naechste[nrsm]?|próxim[oa]s?|proxim[oa]|prochaine?|que viene|다음|下个|下個|下|来|來|次の",
    "coming": r"this coming|the coming|coming|upcoming|kommende[nrsm]?|돌아오는|오는|今度の",
    "this": r"this|diese[nrsm]?|est[ea]|cet|cette|ce|이번|금|这个|這個|这|這|本|今",
    "last": r"last|past|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?|pasad[oa]|derni(?:er|ère)|지난|저번|上个|上個|上|先|前の",
    "after": r"다다음|再来|下下|nach dem nächsten",
}  # fmt: skip


def modifier_of(word: str | None) -> str:
    """Return what a word such as `next` or `nächsten` does to a weekday: `next coming this last after`, else ``."""
    if word:
        for name, pattern in _MODIFIERS.items():
            if re.fullmatch(pattern, word.strip(), re.IGNORECASE):
                return name
    return ""


def _words(words: Mapping[str, object], *, latin: bool) -> str:
    chosen = [w for w in words if w.isascii() or _is_latin(w)] if latin else [w for w in words if not _is_latin(w)]
    return "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in sorted(chosen, key=len, reverse=True))


def _is_latin(word: str) -> bool:
    return all(c < "ɐ" or c == "’" for c in word)


_MOD: Final = "|".join(_MODIFIERS.values())
_LATIN_DAY: Final = _words(_LONG_WEEKDAYS, latin=True)
_SHORT_DAY: Final = "|".join(_SHORT_WEEKDAYS)
_MONTH: Final = _words(MONTHS, latin=True)
_NUMBER: Final = rf"\d{{1,3}}|{_words(NUMBERS, latin=True)}"
_UNIT: Final = _words(UNITS, latin=True)
_KO_NUMBER: Final = r"\d{1,3}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|일"
_CJK_NUMBER: Final = r"\d{1,3}|[一二两兩三四五六七八九十]"
_NTH: Final = r"(?:st|nd|rd|th|\.|er|º)?"


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# name of the reading, pattern; named groups: word n unit mod wd y month m d
PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    # in order: absolute days, neighbours of today, distances, weekdays, whole periods, days that cannot be resolved here
    ("date", _p(r"(?<![\d-])(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)")),
    ("numeric", _p(r"(?<![\d./-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})(?![\d/-])")),
    ("date", _p(rf"\b(?P<d>\d{{1,2}}){_NTH}[\s-]*(?:(?:of|de|du)\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s*(?:(?:de|del)\s+)?(?P<y>\d{{4}})\b)?")),
    ("date", _p(rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)(?:,?\s*(?P<y>\d{{4}})\b)?")),
    ("offset", _p(rf"(?<![\w'-])(?:the\s+)?(?P<word>{_words(OFFSETS, latin=True)})(?![\w-])")),
    ("ahead", _p(rf"\b(?:in|dentro\s+de|en|dans)\s+(?P<n>{_NUMBER})\s+(?P<unit>{_UNIT})(?:'?\s+time)?\b(?!\s+(?:from|after|before))")),
    ("ahead", _p(rf"\b(?P<n>{_NUMBER})\s+(?P<unit>{_UNIT})\s+(?:from\s+(?:now|today)|hence)\b")),
    ("ago", _p(rf"\b(?P<n>{_NUMBER})\s+(?P<unit>{_UNIT})\s+ago\b|\b(?:vor|hace|il\s+y\s+a)\s+(?P<n2>{_NUMBER})\s+(?P<unit2>{_UNIT})\b")),
    ("weekday_in_week", _p(rf"\b(?P<wd>{_LATIN_DAY}|{_SHORT_DAY})\s+(?:of\s+)?(?P<mod>next|this|last|nächste[rn]?|diese[rn]?|letzte[rn]?)\s+(?:week|woche)\b")),
    ("weekday_in_week", _p(rf"\b(?P<mod>next|this|last|nächste|diese|letzte)\s+(?:week|woche)(?:\s+on|\s+am)?,?\s+(?P<wd>{_LATIN_DAY}|{_SHORT_DAY})\b")),
    ("weekday_in_week", _p(rf"\b(?P<wd>{_LATIN_DAY})\s+de\s+(?:la\s+)?(?:(?P<mod>próxima|esta|proxima)\s+semana|semana\s+que\s+viene)\b")),
    ("weekday_after_next", _p(rf"\b(?P<wd>{_LATIN_DAY})\s+after\s+next\b|\ba\s+week\s+from\s+(?:this\s+|next\s+)?(?P<wd2>{_LATIN_DAY})\b|\b(?P<wd3>{_LATIN_DAY})\s+week\b")),
    ("weekday", _p(rf"(?<!\w)(?:(?P<mod>{_MOD})\s+)(?P<wd>{_LATIN_DAY}|{_SHORT_DAY})\b")),
    ("weekday", _p(rf"\b(?P<wd>{_LATIN_DAY})\s+(?P<mod>prochain|dernier|próximo|pasado|que viene)\b")),
    ("weekday", _p(rf"\b(?P<wd>{_LATIN_DAY})\b(?!s)")),
    ("weekday", _p(rf"\bon\s+(?P<wd>{_SHORT_DAY})\b")),
    ("weekend", _p(rf"\b(?:(?P<mod>{_MOD})\s+)?(?:weekend|wochenende|fin\s+de\s+semana|week-end)\b(?:\s+(?P<mod2>prochain|que\s+viene))?")),
    ("period", _p(rf"\b(?P<mod>{_MOD})\s+(?P<unit>week|month|year|woche|monat|jahr|semana|mes|año)\b|\b(?P<unit2>semana|semaine|mes|mois|año|année)\s+(?P<mod2>prochaine?|que\s+viene|dernière)\b")),
    ("vague", _p(r"\b(?:the\s+)?(?:same|following|next|previous|prior|other)\s+(?:day|date|morning|evening)\b|\b(?:day|week|month)s?\s+(?:after|before|later|earlier|prior)\b")),
    ("vague", _p(r"\b(?:end|start|beginning|middle)\s+of\s+(?:the\s+|this\s+|next\s+)?(?:week|month|year|quarter)\b|\b(?:within|within\s+the\s+next|(?:over\s+the\s+)?(?:past|last|next))\s+(?:\d+|[a-z]+)\s+(?:days|weeks|months|years)\b")),
    ("vague", _p(r"\b(?:christmas(?:\s+eve)?|new\s+year(?:'?s)?(?:\s+(?:day|eve))?|easter|thanksgiving|halloween|valentine'?s(?:\s+day)?|black\s+friday|labor\s+day|memorial\s+day|weihnachten|silvester|ostern|navidad|noël|pâques)\b|추석|설날|성탄절|크리스마스|春节|お正月")),
    ("vague", _p(rf"\b(?:early|mid|late)[\s-]+(?:{_MONTH})\b|\bon\s+the\s+\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:as\s+soon\s+as\s+possible|asap|soon)\b|(?:이|월)말|초순|중순|하순")),
    ("vague", _p(rf"\b(?:in|this|next|last)\s+(?:{_MONTH})\b|\bevery\s+(?:{_LATIN_DAY}|day|week)\b|\b(?:{_LATIN_DAY})s\b")),
)  # fmt: skip
# The same for Korean, Japanese and Chinese; only looked for in texts that are not plain ASCII.
EASTERN_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("date", _p(r"(?:(?P<y>\d{4})\s*[년年]\s*)?(?P<m>\d{1,2})\s*[월月]\s*(?P<d>\d{1,2})\s*[일日号號]")),
    ("offset", _p(rf"(?<![가-힣])(?P<word>{_words(OFFSETS, latin=False)})")),
    ("ahead", _p(rf"(?<![\d가-힣])(?P<n>{_KO_NUMBER})\s*(?P<unit>일|주일|주|개월|달|년)\s*(?:후|뒤)(?!부터)")),
    ("ago", _p(rf"(?<![\d가-힣])(?P<n>{_KO_NUMBER})\s*(?P<unit>일|주일|주|개월|달|년)\s*전")),
    ("ahead", _p(r"(?<![가-힣])(?P<n>하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름)\s*(?:후|뒤)")),
    ("ahead", _p(rf"(?P<n>{_CJK_NUMBER})\s*(?P<unit>日|週間|か月|ヶ月|カ月|年|天|周|週|星期|个月|個月)\s*[后後]")),
    ("ago", _p(rf"(?P<n>{_CJK_NUMBER})\s*(?P<unit>日|週間|か月|ヶ月|カ月|年|天|周|週|星期|个月|個月)\s*前")),
    ("weekday_in_week", _p(r"(?P<mod>다다음|다음|이번|지난|차)\s*주\s*(?:의\s*)?(?P<wd>[월화수목금토일]요일)")),
    ("weekday", _p(r"(?:(?P<mod>다음|이번|지난|오는|돌아오는)\s*)?(?P<wd>[월화수목금토일]요일)")),
    ("weekday_in_week", _p(r"(?P<mod>再来|来|今|先)週の?\s*(?P<wd>[月火水木金土日])曜日?")),
    ("weekday", _p(r"(?:(?P<mod>次の|今度の|前の)\s*)?(?P<wd>[月火水木金土日])曜日?")),
    ("weekday_in_week", _p(r"(?P<mod>下下|下个|下個|下|这个|這個|这|這|本|上个|上個|上)(?:周|週|星期|礼拜)(?P<wd>[一二三四五六日天])")),
    ("weekday", _p(r"(?:周|週|星期|礼拜)(?P<wd>[一二三四五六日天])")),
    ("weekend", _p(r"(?P<mod>다음|이번|지난)\s*(?:주\s*)?주말|(?P<mod2>来|今|先)週末|(?P<mod3>下|这|本|上)(?:个|個)?周末|주말|周末|週末")),
    ("period", _p(r"(?P<mod>다다음|다음|이번|지난)\s*(?P<unit>주|달|해)(?![가-힣]*요일|말)|(?P<mod2>来|今|先)(?P<unit2>週|月|年)|(?P<mod3>下|这|本|上)(?:个|個)?(?P<unit3>周|星期|月)")),
    ("vague", _p(r"매주|매일")),
)  # fmt: skip
