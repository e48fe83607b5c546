"""Binding a claim to facts: which values it can be, which entity it speaks of, which field its words name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

import msgspec

from rootcall.evidence.facts import Fact, Record
from rootcall.evidence.mention import Mention, hedge_bounds
from rootcall.evidence.units import Unit, convert
from rootcall.layers.utilization.answers import Answer, word_set
from rootcall.lazypattern import lazy

__all__ = [
    "Context",
    "Entities",
    "agrees",
    "comparable",
    "context_of",
    "entities_of",
    "overlap",
    "reach",
    "says",
    "stems",
    "value_in_unit",
]

_BOUND: Final = lazy(
    r"[,;:()]|\s[-–—]\s|\b(?:and|but|or|while|plus|und|aber|sowie|y|pero|et|mais)\b|(?:하고|이고|며)\s"
)
_PRONOUN: Final = lazy(
    r"\s*(?:it|its|it's|this|that|he|she|they|er|sie|es|das|dies\w*|esta|este|eso|il|elle|ce|그|이|それ|它)\b|\s*(?:이|그)\s",
    re.IGNORECASE,
)
_INDEX: Final = lazy(r"\[(?:\d+|\"[^\"]*\d[^\"]*\")\]|\.[\w-]*\d{3}[\w-]*")
_HALF: Final = 1 + 1e-9
_WORD_CHARACTER: Final = lazy(r"\w")


class Context(msgspec.Struct, frozen=True):
    """The words around a claim: its own segment, left and right, and the whole sentence with the user's question."""

    left: set[str]
    right: set[str]
    sentence: frozenset[str]
    asked: frozenset[str]

    @property
    def near(self) -> set[str]:
        """The words of the claim's own segment."""
        return self.left | self.right


def context_of(answer: Answer, mention: Mention) -> Context:
    """Return the words around a mention. The segment ends at the neighbouring mentions and at clause borders."""
    s = answer.sentence_of(mention.start)
    before = max(
        (m.end for m in answer.mentions if m.end <= mention.start and m.end > s.start and not m.word), default=s.start
    )
    after = min((m.start for m in answer.mentions if m.start >= mention.end and m.start < s.end), default=s.end)
    left = answer.text[before : mention.start]
    right = answer.text[mention.end : after]
    left = _BOUND.split(left)[-1]
    right = _BOUND.split(right)[0]
    return Context(word_set(left), word_set(right), _word_set(s.text), _word_set(answer.question))


@lru_cache(maxsize=256)
def _word_set(text: str) -> frozenset[str]:
    """The words of a text that many claims share."""
    return frozenset(word_set(text))


def comparable(mention: Mention, unit: Unit | None) -> bool:
    """Tell whether a written unit and a field's unit can mean the same quantity; no unit on one side fits any."""
    return mention.unit is None or unit is None or convert(1.0, unit, mention.unit) is not None


def value_in_unit(value: float, unit: Unit | None, mention: Mention) -> float | None:
    """A fact's value in the unit of the claim, or None when they measure different things."""
    if mention.unit is None or unit is None:
        return value
    return convert(value, unit, mention.unit)


def agrees(mention: Mention, value: float) -> bool:
    """Tell whether a claim says a value: equal at the precision shown, or within the hedge."""
    # Whole numbers said as whole numbers are exact; a fraction may be rounded to what is shown, "12.4k" to its hundreds.
    exact = mention.step == 1 and float(value).is_integer()
    tolerance = 0.0 if exact else mention.step / 2
    slack = 1e-9 * abs(value)
    if mention.hedge:
        low, high = hedge_bounds(mention)
        if low - tolerance - slack <= value <= high + tolerance + slack:
            return True
    tolerance = tolerance * _HALF + slack
    return any(abs(reading - value) <= tolerance for reading in mention.readings)


def reach(mention: Mention) -> tuple[float, float]:
    """The lowest and the highest value that can agree with a number at all: a cheap test before `agrees`."""
    ends = [*mention.readings, *(hedge_bounds(mention) if mention.hedge else ())]
    slack = mention.step + 1e-6 * max(abs(e) for e in ends)
    return min(ends) - slack, max(ends) + slack


def says(mention: Mention, fact: Fact) -> bool:
    """Tell whether a claim says a fact's value, in any of the ways the fact can be said."""
    if mention.kind == "number":
        for value, unit in fact.values:
            said = value if mention.unit is None or unit is None else convert(value, unit, mention.unit)
            if said is not None and agrees(mention, said):
                return True
        return False
    if mention.kind == "date":
        return any(_same_date(mention, d) for d in fact.dates)
    if mention.kind == "time":
        return any(not set(mention.readings).isdisjoint(t.readings) for t in fact.times)
    return False


def _same_date(a: Mention, b: Mention) -> bool:
    return bool(set(a.readings) & set(b.readings)) and (a.year is None or b.year is None or a.year == b.year)


def overlap(fact: Fact, words: AbstractSet[str]) -> int:
    """How many words of a fact's field stand among words; its own name counts double over the objects it stands in."""
    return len(field_words(fact) & words)


@lru_cache(maxsize=20_000)
def stems(words: tuple[str, ...]) -> frozenset[str]:
    """The reduced words of a name."""
    return frozenset(word_set(words))


def field_words(fact: Fact, first: int | None = None) -> frozenset[str]:
    """The reduced words of a fact's field; `first` limits them to its own name."""
    return stems(fact.words[:first])


# ---- entities --------------------------------------------------------------------------------------------------


class Entities(msgspec.Struct, frozen=True):
    """The records that an answer can speak of by name, and where the names stand: `(start, end, record ids)`."""

    spans: tuple[tuple[int, int, frozenset[str]], ...]

    def of(self, answer: Answer, start: int) -> frozenset[str]:
        """The records that a claim at `[start, end)` speaks of; empty when its sentence names none.

        The nearest name before it in the sentence counts; a sentence that names none and begins with a pronoun takes
        over the first name of the sentence before.
        """
        s = answer.sentence_of(start)
        inside = [x for x in self.spans if s.start <= x[0] < s.end]
        before = [x for x in inside if x[1] <= start]
        if before:
            return before[-1][2]
        if inside:
            return frozenset()
        return self._carried(answer, s.start)

    def _carried(self, answer: Answer, start: int) -> frozenset[str]:
        previous = [x for x in answer.sentences if x.end <= start]
        if not previous or not _PRONOUN.match(answer.text[start : start + 24]):
            return frozenset()
        named = [x for x in self.spans if previous[-1].start <= x[0] < previous[-1].end]
        return named[0][2] if named else frozenset()


def record_id(record: Record) -> str:
    """A record's identity: its call and its path in the payload."""
    return f"{record.call.at}#{record.path}"


def kind_of(record: Record) -> tuple[str, str]:
    """What sort of record it is: its tool, and its path without indexes and ids."""
    return record.call.tool, _pattern(record.path)


@lru_cache(maxsize=16_384)
def _pattern(path: str) -> str:
    return _INDEX.sub("[]", path)


def entities_of(answer: Answer, facts: Sequence[Fact]) -> Entities:
    """Find the names of records in an answer. A name counts when it tells records of one kind apart."""
    owners: dict[str, set[str]] = {}
    kinds: dict[str, set[str]] = {}
    for record in _records(facts):
        # Parallel calls of one tool are siblings as wholes; members of a list are siblings within their own result.
        kind = record.call.tool if not record.path else f"{record.call.at}#{kind_of(record)[1]}"
        ident = record_id(record)
        kinds.setdefault(kind, set()).add(ident)
        for name in record.names:
            owners.setdefault(name.lower(), set()).add(ident)
    several = {r for ids in kinds.values() if len(ids) > 1 for r in ids}
    text = answer.text.lower()
    spans: list[tuple[int, int, frozenset[str]]] = []
    for name, ids in owners.items():
        telling = frozenset(ids & several)
        if len(name) < 2 or name not in text or not telling:
            continue
        shared = [k for k in kinds.values() if len(telling & k) > 1]
        # A name that all siblings share (a currency, a status) tells nothing; one that some share speaks of one of them,
        # and nobody knows of which.
        if any(k <= telling for k in shared):
            continue
        if shared:
            telling = frozenset()
        spans += [(start, start + len(name), telling) for start in _words_at(text, name)]
    return Entities(tuple(_longest(spans)))


def _words_at(text: str, name: str) -> Iterator[int]:
    """Where a name stands in a text, not as a part of a longer word."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (start and _WORD_CHARACTER.match(text, start - 1)) and not _WORD_CHARACTER.match(text, end):
            yield start
            start = text.find(name, end)
        else:
            start = text.find(name, start + 1)


def _records(facts: Iterable[Fact]) -> list[Record]:
    held = {id(f.record): f.record for f in facts if not f.transport}
    return list({(r.call.at, r.path): r for r in held.values()}.values())


def _longest(spans: list[tuple[int, int, frozenset[str]]]) -> list[tuple[int, int, frozenset[str]]]:
    """Keep the longest of overlapping names; equal places join their records."""
    joined: dict[tuple[int, int], frozenset[str]] = {}
    for start, end, ids in spans:
        joined[start, end] = joined.get((start, end), frozenset()) | ids
    out: list[tuple[int, int, frozenset[str]]] = []
    for (start, end), ids in sorted(joined.items(), key=lambda x: (x[0][0], -x[0][1])):
        if not out or start >= out[-1][1]:
            out.append((start, end, ids))
    return out


def inside(fact: Fact, ids: frozenset[str]) -> bool:
    """Tell whether a fact belongs to one of some records, or to an object below one."""
    own = record_id(fact.record)
    return own in ids or any(own.startswith((i + ".", i + "[")) or (i.endswith("#") and own.startswith(i)) for i in ids)
