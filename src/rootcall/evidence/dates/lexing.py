"""Cuts a text into the islands of words that may speak of days, each word with what it may be.

An island is a run of known words, numbers and signs with nothing else between them; only islands are parsed, so that a
long text costs little more than its words. Korean, Japanese and Chinese are cut by the longest known word.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rootcall.evidence.dates.counting import COUNTERS, counts
from rootcall.evidence.dates.lexicon import EASTERN, LATIN, TENS, Entries
from rootcall.evidence.words import folded, word_set
from rootcall.lazypattern import lazy

__all__ = ["Island", "Token", "islands"]

Meaning = tuple[str, object]


class Token(NamedTuple):
    """A word or sign at its place, with the categories and values it may have."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


class Island(NamedTuple):
    """Tokens that follow each other; `joined` gives words of several parts as (first, behind the last, meanings)."""

    tokens: tuple[Token, ...]
    joined: tuple[tuple[int, int, tuple[Meaning, ...]], ...]
    language: str


_EASTERN_LETTERS: Final = r"\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
# Case means nothing to the eastern letters, and compiling such a set takes three times as long without regard to it.
_TOKEN: Final = lazy(
    rf"""(?P<iso>(?<![\d.-])\d{{4}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}(?!\d)(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?)
  | (?P<full>(?<![\d./-])\d{{1,2}}(?P<s2>[/.-])\d{{1,2}}(?P=s2)(?:\d{{4}}|\d{{2}})(?![\d/-]))
  | (?P<dotted>(?<![\d.])\d{{1,2}}\.\s?\d{{1,2}}\.(?!\d))
  | (?P<slashed>(?<![\d./-])\d{{1,2}}\s?/\s?\d{{1,2}}(?![\d/]))
  | (?P<time>(?<![\d.:-])(?:\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\d{{1,2}}(?:\.\d\d)?\s?[ap]\.?m\b\.?
      |\d{{1,2}}(?:[.:]\d\d)?\s?(?:uhr|heures?|h|o['’]clock)\b(?:\s?\d\d\b)?|\d{{1,2}}\s?[시時点點时](?!간|間)(?:\s?\d{{1,2}}\s?[분分]|반|半)?))
  | (?P<ord>\d{{1,2}}\s?(?:st|nd|rd|th|er|re|º|ª)(?![^\W_]))
  | (?P<num>\d+)
  | (?P<eastern>(?-i:[{_EASTERN_LETTERS}]+))
  | (?P<word>(?-i:[^\W\d_{_EASTERN_LETTERS}]+(?:['’][^\W\d_{_EASTERN_LETTERS}]+)?))
  | (?P<sign>[^\w\s])""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTS: Final = lazy(r"[^\W\d_]+(?:['’][^\W\d_]+)?['’]?|[^\w\s]")
_SEEDS: Final = word_set("wd wd~ wds mon rel date period days bom vague bday wkend bare_wkend")
_HALF_SEEDS: Final = word_set("unit mmark dmark ymark ord season on the fraction")
# Not in the lexicons, but words that tell the languages apart.
_TELLING: Final = {
    "en": "i you is my we please can want need with have this would it be an by was me",
    "de": "ich nicht ist mit bitte wir für mein meine möchte und kann zum zur einen die",
    "es": "quiero por favor para con mi una me que necesito reserva puedes y los",
    "fr": "je vous pour avec mon ma veux une réserver s'il nous est les et",
}


def _index(
    entries: Entries,
) -> tuple[dict[str, tuple[Meaning, ...]], dict[str, list[tuple[tuple[str, ...], tuple[Meaning, ...]]]]]:
    """The words of one part, and those of several by their first part."""
    single: dict[str, tuple[Meaning, ...]] = {}
    several: dict[str, list[tuple[tuple[str, ...], tuple[Meaning, ...]]]] = {}
    for word, meanings in entries.items():
        parts = _PARTS.findall(word)
        if len(parts) == 1:
            single[word] = meanings
        else:
            several.setdefault(parts[0], []).append((tuple(parts[1:]), meanings))
    for word, value in TENS.items():
        if "tomorrow" in single:
            single[word] = (("tens", value), ("num", value))
    return single, several


_LATIN: Final = {name: _index(entries) for name, entries in LATIN.items()}


def _votes() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, (single, several) in _LATIN.items():
        for word in {*single, *several, *_TELLING[name].split()}:
            found.setdefault(word, []).append(name)
    return {word: tuple(names) for word, names in found.items()}


_VOTES: Final = _votes()
_SEED_WORDS: Final = frozenset(
    word
    for single, several in _LATIN.values()
    for word, meanings in (*single.items(), *((w, m) for w, entries in several.items() for _, m in entries))
    if any(c in _SEEDS or c in ("unit", "ord", "season") for c, _ in meanings)
)
_LETTERS: Final = lazy(r"[a-z]+")
# Figures that may be a day where no word is: 2026-05-01, 3/4, 21st, on 15.
_FIGURES: Final = lazy(
    r"\d\s?[/.-]\s?\d|\b\d\d?\.\s|\d\s?(?:st|nd|rd|th|er|re)\b|\b(?:on|the|am|el|le|au|al)\s+\d|\A\W*\d\d?\W*\Z|(?:tag|mittwoch)(?:morgen|vor|mit|nach|abend)",
    re.IGNORECASE,
)
_EASTERN: Final = {
    name: (lazy("|".join(sorted(map(re.escape, entries), key=len, reverse=True))), entries)
    for name, entries in EASTERN.items()
}
_HAN_NUMBER: Final = lazy(r"[〇零一二两兩三四五六七八九十百千]+")
_SINO_NUMBER: Final = lazy(r"[일이삼사오육칠팔구십백천영공]+(?=\s?(?:년|월|일|주|개월|박))")
_DIGITS: Final = {c: i % 10 for s in ("〇一二三四五六七八九", "零壹两", "영일이삼사오육칠팔구", "공") for i, c in enumerate(s)} | {
    "两": 2, "兩": 2,
}  # fmt: skip
_POWERS: Final = {"十": 10, "百": 100, "千": 1000, "십": 10, "백": 100, "천": 1000}


_DASHED: Final = lazy(r"\s*\d{1,2}\s?-\s?\d{1,2}\s*")


def islands(text: str) -> Iterator[Island]:
    """Give the islands of a text, for each language it may be in."""
    if _DASHED.fullmatch(text):
        text = text.replace("-", "/")
    if text.isascii() and _SEED_WORDS.isdisjoint(_LETTERS.findall(text.lower())) and not _FIGURES.search(text):
        return
    matches = list(_TOKEN.finditer(text))
    kinds = [(_kind(m), m) for m in matches]
    words = [folded(m.group()).replace("’", "'") if kind == "word" else m.group() for kind, m in kinds]
    for language in _languages(text, kinds, words):
        yield from _in_language(text, kinds, words, language)


def _kind(m: re.Match[str]) -> str:
    return next(
        k
        for k in ("word", "sign", "num", "eastern", "ord", "time", "iso", "full", "slashed", "dotted")
        if m[k] is not None
    )


def _languages(text: str, kinds: Sequence[tuple[str, re.Match[str]]], words: Sequence[str]) -> tuple[str, ...]:
    if any(kind == "eastern" for kind, _ in kinds):
        if re.search(r"[가-힣]", text):
            return ("ko",)
        return ("ja",) if re.search(r"[ぁ-ゟ゠-ヿ]", text) else ("zh", "ja")
    votes: Counter[str] = Counter()
    for (kind, _), word in zip(kinds, words, strict=True):
        if kind == "word":
            for key in {word, *word.split("'")}:
                votes.update(_VOTES.get(key, ()))
    if not votes:
        return ("en",)
    most = max(votes.values())
    return tuple(name for name in LATIN if votes[name] == most)


def _in_language(
    text: str, kinds: Sequence[tuple[str, re.Match[str]]], words: Sequence[str], language: str
) -> Iterator[Island]:
    single, several = _LATIN["en" if language in _EASTERN else language]
    tokens: list[Token] = []
    names: list[str] = []
    joined: dict[int, list[tuple[int, tuple[Meaning, ...]]]] = {}
    for i, (kind, m) in enumerate(kinds):
        if kind == "eastern":
            cut = list(_cut(text, m.start(), m.end(), language))
            tokens += cut
            names += [""] * len(cut)
        elif words[i] == "." and tokens and tokens[-1].end == m.start() and _abbreviates(tokens[-1], text):
            continue
        elif kind == "sign" and words[i] in EASTERN.get(language, {}):
            tokens.append(Token(m.start(), m.end(), EASTERN[language][words[i]]))
            names.append("")
        elif kind in ("word", "sign"):
            added = _split(words[i], m, single, several)
            tokens += added
            names += [text[t.start : t.end].lower() if len(added) > 1 else words[i] for t in added]
        else:
            tokens.append(Token(m.start(), m.end(), _number(text, kind, m, language)))
            names.append("")
    if language in _SAYS_NUMBERS:
        tokens = [t._replace(meanings=_said_before_month(t.meanings)) for t in tokens]
    names = [folded(n).replace("’", "'") for n in names]
    for i, name in enumerate(names):
        for rest, meanings in several.get(name, ()) if name else ():
            if tuple(names[i + 1 : i + 1 + len(rest)]) == rest:
                end = i + 1 + len(rest)
                if meanings[0][0] == "bar":
                    tokens[i:end] = [t._replace(meanings=()) for t in tokens[i:end]]
                else:
                    joined.setdefault(i, []).append((end, meanings))
    yield from _grouped(tokens, joined, language)


# Where the day of a month is a plain number word: diez de diciembre, dix décembre.
_SAYS_NUMBERS: Final = frozenset(("es", "fr"))


def _said_before_month(meanings: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    said = [("bnum", value) for category, value in meanings if category == "num"]
    return meanings if any(c == "bnum" for c, _ in meanings) else (*meanings, *said)


def _abbreviates(token: Token, text: str) -> bool:
    """Whether a point belongs to what stands before it: `Feb.`, `fri.`, `3.`."""
    categories = {c for c, _ in token.meanings}
    short = token.end - token.start <= 5 and text[token.start : token.end].lower() not in ("today", "march", "april")
    return "dord" in categories or (short and not categories.isdisjoint(("mon", "wd", "wd~")))


def _split(
    word: str,
    m: re.Match[str],
    single: dict[str, tuple[Meaning, ...]],
    several: dict[str, list[tuple[tuple[str, ...], tuple[Meaning, ...]]]],
) -> list[Token]:
    """One token, or two where an apostrophe joins an article or a genitive: `d'octobre`, `week's`."""
    if word == "'":
        return [Token(m.start(), m.end(), (("poss", ""),))]
    known = single.get(word)
    if known is not None or "'" not in word or word in several:
        if _IN_ADDRESS.match(m.string, m.end()):
            return [Token(m.start(), m.end(), ())]
        return [Token(m.start(), m.end(), known or _compound(word))]
    first, _, second = word.partition("'")
    cut = m.start() + len(first) + 1
    if second == "s":
        return [Token(m.start(), cut - 1, single.get(first, ())), Token(cut - 1, m.end(), (("poss", ""),))]
    return [Token(m.start(), cut, single.get(f"{first}'", ())), Token(cut, m.end(), single.get(second, ()))]


# monday.com is no Monday.
_IN_ADDRESS: Final = lazy(r"(?:\.[a-z]{2,}|@)(?![a-z]*\s*\d)")
_COMPOUND: Final = lazy(
    r"(?P<day>montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?:morgen|vormittag|mittag|nachmittag|abend|nacht)"
)


def _compound(word: str) -> tuple[Meaning, ...]:
    """Freitagabend."""
    m = _COMPOUND.fullmatch(word)
    return LATIN["de"][m["day"]] if m else ()


_ATTACHED: Final = lazy(rf"[{_EASTERN_LETTERS}]")
_ENDED: Final = lazy(r"\s*(?:\Z|[.,;:!?)\]])")
# Room 12/14 and platform 3/15 are no days.
_NUMBERED: Final = lazy(
    r"(?:\b(?:rooms?|gates?|pages?|apartment|apt|suite|unit|platforms?|tracks?|seats?|rows?|bus|line|version|section|chapter|score|ratio|"
    r"size|lot|block|building|house|no|number|zimmer|raum|gleis|seite|nr|tor|sitz|reihe|linie|habitación|sala|página|puerta|andén|"
    r"número|chambre|salle|porte|quai|voie|numéro)\.?|호실|객실|방|号室|房间)\s*\Z",
    re.IGNORECASE,
)
# No day: $5, #5, 2:5, 1.5, v_5; but 31/Oct/1974 and Jun.20.
_BARS_NUMBER: Final = lazy(r"(?:[$€£¥₩#:_+]|(?<!\w)/|(?<![^\W\d_])\.)\Z")
_ENDS_NUMBER: Final = lazy(r"[.:]\d|,\d{3}(?!\d)|[%_]")


def _number(text: str, kind: str, m: re.Match[str], language: str) -> tuple[Meaning, ...]:
    raw, behind = m.group(), text[m.end() : m.end() + 5]
    if kind == "time":
        return (("time", ""),)
    if kind == "ord":
        number = int(re.sub(r"\D", "", raw))
        ordinal: tuple[Meaning, ...] = (("ord", number), ("nord", number))
        return ordinal if counts(text, m.end(), language) else (*ordinal, ("lord", number))
    if kind == "num":
        if len(raw) > 4 or _BARS_NUMBER.search(text, max(0, m.start() - 2), m.start()) or _ENDS_NUMBER.match(behind):
            return ()
        return tuple(_figures(text, m, language))
    parts = tuple(int(p) for p in re.findall(r"\d+", raw[:10] if kind == "iso" else raw))
    if kind == "slashed":
        whole = text.strip() == raw.strip()
        if parts in ((24, 7), (50, 50)) or 0 in parts:
            return ()
        whole = whole or (12 < max(parts) <= 31 and not _NUMBERED.search(text, max(0, m.start() - 16), m.start()))
        return (("date", (parts, "/", language)) if whole else ("fraction", (parts, "/", language)),)
    if kind == "dotted":
        return (("date", (parts, ".", language)),) if language == "de" else ()
    return (("date", (parts[:3], m["s1"] or m["s2"], language)),)


def _figures(text: str, m: re.Match[str], language: str) -> Iterator[Meaning]:
    """What a number in figures may be: a day before its month (`bnum`) or behind it (`fig`), the last of a stretch, a year."""
    number = int(m.group())
    yield ("num", number)
    if len(m.group()) > 2:
        return
    yield ("bnum", number)
    ordinal = text[m.end() : m.end() + 1] == "." and language == "de"
    if ordinal:
        yield ("dord", number)
    if not counts(text, m.end() + ordinal, language):
        yield from (("lord", number),) if ordinal else ()
        yield ("lnum", number)
    if not COUNTERS.match(text, m.end()) and not _ATTACHED.match(text, m.end()):
        yield ("fig", number)
    if _ENDED.match(text, m.end()):
        yield ("yy", number)


def _cut(text: str, start: int, end: int, language: str) -> Iterator[Token]:
    """The longest known words of a run of Eastern letters; what is not known is a token without meanings."""
    pattern, entries = _EASTERN.get(language, _EASTERN["ko"])
    numbers = _SINO_NUMBER if language == "ko" else _HAN_NUMBER
    at = start
    while at < end:
        known, number = pattern.match(text, at, end), numbers.match(text, at)
        length = max(known.end() if known else 0, min(number.end(), end) if number else 0)
        if not length:
            # A Korean word is known from its beginning or not at all.
            far = end if language == "ko" else at + 1
            yield Token(at, far, ())
            at = far
            continue
        meanings: tuple[Meaning, ...] = entries[known.group()] if known and known.end() == length else ()
        if number and number.end() >= length:
            meanings = (("num", _value(number.group())), *meanings)
        yield Token(at, length, meanings)
        at = length


@functools.lru_cache(maxsize=1024)
def _value(numeral: str) -> int:
    """`二十三`, `이십오`, `二〇二六`."""
    if not any(c in _POWERS for c in numeral):
        return int("".join(str(_DIGITS[c]) for c in numeral[:6]))
    total, digit = 0, 0
    for c in numeral:
        if c in _POWERS:
            total, digit = total + (digit or 1) * _POWERS[c], 0
        else:
            digit = _DIGITS[c]
    return total + digit


_LONGEST: Final = 24


def _grouped(
    tokens: list[Token], joined: dict[int, list[tuple[int, tuple[Meaning, ...]]]], language: str
) -> Iterator[Island]:
    """Runs of tokens that mean something, kept where they may hold a day."""
    covered = {k for i, ends in joined.items() for end, _ in ends for k in range(i, end)}
    first = 0
    while first < len(tokens):
        if not tokens[first].meanings and first not in covered:
            first += 1
            continue
        last = first
        while last < len(tokens) and (tokens[last].meanings or last in covered) and last - first < _LONGEST:
            last += 1
        inside = [
            (i - first, end - first, m) for i in range(first, last) for end, m in joined.get(i, ()) if end <= last
        ]
        categories = {c for t in tokens[first:last] for c, _ in t.meanings} | {c for _, _, m in inside for c, _ in m}
        if (
            not _SEEDS.isdisjoint(categories)
            or (last - first > 1 and not _HALF_SEEDS.isdisjoint(categories))
            or categories & {"ord", "dord"}
        ):
            yield Island(tuple(tokens[first:last]), tuple(inside), language)
        first = last
