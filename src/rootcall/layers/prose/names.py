"""Names and days of an answer: whose a record is said to be, who stands where a record must, which weekday is told.

A name is accused when the payload knows its owner and another one is told, when it stands in a place that only records of
the payload (or somebody the user spoke of) can fill, and a weekday when the one date of the payload is another day.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.evidence.words import word_set
from rootcall.glossary import Glossary
from rootcall.layers.prose.reading import Phrasebook, Token, words_of
from rootcall.layers.prose.ruling import Found
from rootcall.layers.prose.subjects import Named, Reading
from rootcall.layers.prose.world import World

__all__ = ["DAYS", "belongings", "days", "strangers"]

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FOR: Final = word_set("for of")
_LED: Final = word_set("led lead leads leading paced spearheaded carried guided powered captained")
_BY: Final = word_set("by behind")
_BETWEEN: Final = word_set(
    "the a duo of trio pair his teammate star guard forward center rookie performance strong from"
)
_MEMBER: Final = word_set("player players starter starters reserve reserves")
_LATER: Final = word_set("will next await travel head remain up return continue look")
_LONGEST: Final = 4


# ---- whose a record is -----------------------------------------------------------------------------------------


def belongings(tokens: Sequence[Token], names: Sequence[Named], reading: Reading) -> Iterator[Found]:
    """Groups a member is told to be of that are not its own: "X led the way for B", "B were led by X", "B's X"."""
    for a, b in _couples(tokens, names, reading):
        member, group = a.entity, b.entity
        assert member is not None
        assert group is not None
        owner = member.owner
        if owner is None or owner.kind != group.kind or not group.names:
            continue
        start, end = tokens[b.first].start, tokens[b.last - 1].tail
        fact = next((f for f in member.fields.values() if isinstance(f.value, str) and _same(f, owner.names)), None)
        if owner is group:
            yield Found(start, end, None, f"{member.label} is of {owner.label}", fact, None, a)
        else:
            yield Found(
                start, end, "sibling-value", f"{member.label} is of {owner.label}, not of {group.label}", fact, None, a
            )


def _same(f: Fact, names: Sequence[str]) -> bool:
    return isinstance(f.value, str) and any(f.value.casefold() == n.casefold() for n in names)


def _couples(tokens: Sequence[Token], names: Sequence[Named], reading: Reading) -> Iterator[tuple[Named, Named]]:
    """A member and the group that the words put it in, as (member, group)."""
    for n, b in enumerate(names):
        if b.entity is None:
            continue
        before = b.first - 1
        while before >= 0 and tokens[before].norm in ("the", "host", "visiting", "only", "other"):
            before -= 1
        subject = reading.governing[before] if before >= 0 else None
        same_sentence = subject is not None and reading.sentence_of[subject.first] == reading.sentence_of[b.first]
        if subject is not None and subject.entity is not None and same_sentence and subject.first < b.first:
            member = b.last < len(tokens) and tokens[b.last].norm in _MEMBER
            led = before >= 0 and tokens[before].norm in _LED
            way = before > 1 and tokens[before].norm in _FOR and _led_before(tokens, before)
            if subject.entity.kind != b.entity.kind and (member or led or way):
                yield subject, b
        a = names[n + 1] if n + 1 < len(names) else None
        if a is None or a.entity is None or a.entity.kind == b.entity.kind:
            continue
        if reading.sentence_of[a.first] == reading.sentence_of[b.first] and _joined_by(tokens, b, a):
            yield a, b


def _led_before(tokens: Sequence[Token], i: int) -> bool:
    return any(tokens[j].norm in _LED or tokens[j].norm in ("scorer", "man") for j in range(max(0, i - 4), i))


def _joined_by(tokens: Sequence[Token], group: Named, member: Named) -> bool:
    """Whether the words say that a member is of a group: "B were led by (the duo of) X", "B's X"."""
    between = [t.norm for t in tokens[group.last : member.first]]
    if not between:
        return tokens[group.last - 1].owning
    if len(between) > 9 or not _BY & set(between) or not _LED & set(between):
        return False
    last = max(i for i, w in enumerate(between) if w in _BY)
    return all(w in _BETWEEN for w in between[last + 1 :])


# ---- strangers -------------------------------------------------------------------------------------------------


def strangers(
    tokens: Sequence[Token], world: World, names: Sequence[Named], reading: Reading, known: Callable[[str], bool]
) -> Iterator[Found]:
    """Names in a place of the glossary that only a record's name fills, and that no source holds."""
    book: Phrasebook[int] = Phrasebook((words_of(w), i) for i, s in enumerate(world.glossary.slots) for w in s.words)
    if not book and not world.beating:
        return
    by_first = {n.first: n for n in names}
    yield from _against_themselves(tokens, world, names, reading)
    for _, last, _ in book.all(tokens):
        named = by_first.get(last)
        if named is not None:
            governing = reading.governing[last - 1]
            if named.entity is not None and governing is not None and governing.entity is named.entity:
                yield Found(tokens[named.first].start, tokens[named.last - 1].tail, "unsupported",
                            f"{named.entity.label} is set against itself", None, None, governing)  # fmt: skip
            continue
        end = last
        while end < len(tokens) and end - last < _LONGEST and _proper(tokens[end]):
            end += 1
        if end == last:
            continue
        told = " ".join(t.text for t in tokens[last:end])
        if not known(told.lower()) and not known(tokens[end - 1].text.lower()):
            yield Found(tokens[last].start, tokens[end - 1].tail, "unsupported", f"{told} stands in no source")


def _against_themselves(
    tokens: Sequence[Token], world: World, names: Sequence[Named], reading: Reading
) -> Iterator[Found]:
    """As in "The Knicks got off to a quick start, outscoring the Knicks": nobody outscores or holds itself."""
    by_first = {n.first: n for n in names}
    for _, last, _ in world.beating.all(tokens):
        i = last + 1 if last < len(tokens) and tokens[last].norm == "the" else last
        named = by_first.get(i)
        governing = reading.governing[last - 1]
        if (
            named is not None
            and named.entity is not None
            and governing is not None
            and governing.entity is named.entity
        ):
            yield Found(tokens[named.first].start, tokens[named.last - 1].tail, "unsupported",
                        f"{named.entity.label} is set against itself", None, None, governing)  # fmt: skip


def _proper(token: Token) -> bool:
    return token.text[0].isupper() or (token.text[0].isdigit() and token.value is None and token.is_word)


# ---- weekdays --------------------------------------------------------------------------------------------------


def days(
    tokens: Sequence[Token], world: World, reading: Reading, facts: Sequence[Fact], known: Callable[[str], bool]
) -> Iterator[Found]:
    """Weekdays that are not the day of the one date the results hold."""
    if not any(t.norm in DAYS for t in tokens):
        return
    dated = _dates(facts, world.glossary)
    if len({d for d, _ in dated}) != 1:
        return
    day, fact = dated[0]
    right = DAYS[day.weekday()]
    slots: Phrasebook[int] = Phrasebook((words_of(w), i) for i, s in enumerate(world.glossary.slots) for w in s.words)
    by_sentence: dict[int, list[int]] = {}
    for i, _ in enumerate(tokens):
        by_sentence.setdefault(reading.sentence_of[i], []).append(i)
    for i, t in enumerate(tokens):
        said = t.norm
        if said not in DAYS or not t.text[0].isupper() or known(said):
            continue
        sentence = by_sentence[reading.sentence_of[i]]
        later = any(tokens[j].norm in _LATER for j in sentence)
        if not reading.names[reading.sentence_of[i]] and not later:
            continue
        span = (t.start, t.start + len(said))
        if later:
            if any(slots.at(tokens, j) is not None for j in sentence):
                yield Found(
                    *span,
                    "unsupported",
                    f"{t.text[: len(said)]} stands in no source; {fact.path} is {fact.value!r}",
                    fact,
                )
        elif said == right:
            yield Found(*span, None, f"{t.text[: len(said)]} is {fact.path}", fact)
        else:
            yield Found(
                *span,
                "shifted-date",
                f"{t.text[: len(said)]}, but {fact.path} is {fact.value!r}, a {right.capitalize()}",
                fact,
            )


def _dates(facts: Sequence[Fact], glossary: Glossary) -> list[tuple[dt.date, Fact]]:
    """The days that facts hold, with their year: written out, or in the form the glossary gives."""
    from rootcall.layers.prose.world import key_of

    out: list[tuple[dt.date, Fact]] = []
    for f in facts:
        if f.transport or not isinstance(f.value, str) or len(f.value) > 60:
            continue
        forms = (
            [w.partition(" as ")[2] for w in glossary.fields.get(key_of(f.path), ()) if " as " in w]
            if glossary.fields
            else []
        )
        found = [d for form in forms if (d := _read(f.value, form)) is not None]
        written = (m for m in f.dates if m.year is not None and len(m.readings) == 1)
        found += [d for m in written if (d := _day(m.year or 0, int(m.readings[0]))) is not None]
        out += [(d, f) for d in found[:1]]
    return out


def _day(year: int, reading: int) -> dt.date | None:
    try:
        return dt.date(year, reading // 100, reading % 100)
    except ValueError:
        return None


def _read(value: str, form: str) -> dt.date | None:
    """A date in a form such as MM_DD_YY; two digits of a year are of this century."""
    pattern = re.escape(form)
    for part, name in (("YYYY", "y4"), ("YY", "y2"), ("MM", "m"), ("DD", "d")):
        pattern = pattern.replace(part, rf"(?P<{name}>\d{{{len(part)}}})", 1)
    m = re.fullmatch(pattern, value.strip())
    g = m.groupdict() if m else {}
    year = g.get("y4") or (f"20{g['y2']}" if g.get("y2") else None)
    if year is None or "m" not in g or "d" not in g:
        return None
    return _day(int(year), int(g["m"]) * 100 + int(g["d"]))
