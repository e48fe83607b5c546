"""The records of results as an answer can speak of them: their names, their fields, their kind, and whose they are.

An `Entity` is an object of a payload, or several objects that a common first word of their keys ties together
(`homeTeam`, `homeScore`). Entities of one kind have alike fields and are told apart by their names. Everything is made of
facts in one walk over them; nothing here reads the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from rootcall.evidence.facts import Fact, Record, trace_facts
from rootcall.evidence.units import unit_of_text
from rootcall.evidence.words import key_words, word_set
from rootcall.glossary import Glossary
from rootcall.layers.prose.reading import Phrasebook, words_of
from rootcall.trace import Trace, per_trace

__all__ = ["ORDINALS", "Entity", "World", "key_of", "name_words", "world_of"]

_NAMING: Final = word_set(
    "name title label surname nickname firstname lastname fullname first last second short full city"
)
_PERSON: Final = word_set(
    "first last surname player person employee customer user patient guest passenger author driver student"
)
ORDINALS: Final = (
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_LAST_KEY: Final = re.compile(r"\[\"((?:[^\"\\]|\\.)*)\"\]\Z|([^.\[\]]+)\Z")
_INDEX: Final = re.compile(r"\[\d+\]")
_MOST_ENTITIES: Final = 2_000
_LONGEST_NAME: Final = 60


class Entity(msgspec.Struct, gc=False):
    """A record that an answer can name. `fields` maps a key to its fact; `owner` is the entity it belongs to."""

    at: str
    kind: str
    fields: dict[str, Fact]
    names: list[str]
    roles: tuple[str, ...] = ()
    person: bool = False
    owner: Entity | None = None

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return self.names[0] if self.names else self.at


class World:
    """The entities of results with the phrases for their names and fields."""

    def __init__(self, entities: Sequence[Entity], glossary: Glossary) -> None:
        self.entities = entities
        self.glossary = glossary
        self.kinds: dict[str, list[Entity]] = {}
        for e in entities:
            self.kinds.setdefault(e.kind, []).append(e)
        self.names: Phrasebook[tuple[int, int]] = Phrasebook(_names(entities, glossary))
        self.fields: Phrasebook[str] = Phrasebook(_field_phrases(entities, glossary))
        self.pairs: Phrasebook[int] = Phrasebook(
            (words_of(w), i) for i, pair in enumerate(glossary.pairs) for w in pair.words
        )
        parts = {k for (first, *_), keys in self.fields.items() if first in ORDINALS for k in keys}
        self.in_parts = {e.kind for e in entities if not parts.isdisjoint(e.fields)}
        self.beating: Phrasebook[int] = Phrasebook(
            (words_of(w), i) for i, s in enumerate(glossary.scores) for w in s.words
        )
        self.shares: dict[tuple[str, ...], list[str]] = {}
        for key, phrases in glossary.fields.items():
            for phrase in phrases:
                if "percent" in ((words := words_of(phrase))[:1] + words[-1:]):
                    self.shares.setdefault(words, []).append(key)
        self.sums: Phrasebook[int] = Phrasebook((words_of(w), i) for i, s in enumerate(glossary.sums) for w in s.words)

    def siblings(self, entity: Entity) -> list[Entity]:
        """The other entities of its kind."""
        return [e for e in self.kinds[entity.kind] if e is not entity]


def world_of(facts: Sequence[Fact], glossary: Glossary | None) -> World | None:
    """Build the world of some facts, or return None where they hold no two records of a kind with names."""
    words = glossary or Glossary()
    entities = _named(_entities(facts), words)
    return World(entities, words) if entities else None


def _entities(facts: Sequence[Fact]) -> list[Entity]:
    """One entity per record, fields by their own key; of records tied together a key that stands twice has its record's before it."""
    by_record: dict[tuple[str, str], dict[str, Fact]] = {}
    own: dict[str, Fact] = {}
    last: Record | None = None
    for f in facts:
        if f.count or f.transport:
            continue
        if f.record is not last:
            last = f.record
            own = by_record.setdefault((last.call.at, last.path), {})
        own[_key_in(f.path, len(last.path))] = f
    grouped: dict[tuple[str, str], dict[str, Fact]] = {}
    roles: dict[tuple[str, str], list[str]] = {}
    for (call, path), prefix in _prefixes(list(by_record)).items():
        merged = grouped.setdefault((call, prefix or path), {})
        if prefix:
            roles.setdefault((call, prefix), []).append(" ".join(key_words(key_of(path))))
        for key, f in by_record[call, path].items():
            merged[f"{key_of(path)} {key}" if prefix and key in merged else key] = f
    return [
        Entity(f"{call}#{path}", _kind(call, path, fields), fields, [], tuple(roles.get((call, path), ())))
        for (call, path), fields in list(grouped.items())[:_MOST_ENTITIES]
    ]


def _key_in(path: str, begin: int) -> str:
    """The key of a fact in its record, whose path has a length."""
    rest = path[begin:]
    if rest[:1] == ".":
        rest = rest[1:]
    return key_of(path) if "[" in rest else rest


@lru_cache(maxsize=65_536)
def key_of(path: str) -> str:
    """The last key of a path, without indexes."""
    m = _LAST_KEY.search(_INDEX.sub("", path))
    return "" if m is None else str(m.group(2) if m.group(1) is None else m.group(1))


@per_trace
def name_words(trace: Trace) -> dict[str, frozenset[str]]:
    """For each call the first and last words of the names of its records, of kinds that have more than one.

    An answer that holds none of them names no record, and needs no world: the cheap question before all others.
    """
    by_call = {at: _entities(facts) for at, facts in trace_facts(trace).items()}
    kinds = Counter(e.kind for entities in by_call.values() for e in entities)
    return {
        at: frozenset(w for e in entities if kinds[e.kind] > 1 for w in _name_words(e))
        for at, entities in by_call.items()
    }


def _name_words(entity: Entity) -> Iterator[str]:
    for role in entity.roles:
        yield from role.split()
    for key, f in entity.fields.items():
        value = f.value
        if isinstance(value, str) and 1 < len(value) <= _LONGEST_NAME and _by_its_name(key):
            words = words_of(value)
            yield from (*words[:1], *words[-1:])


def _prefixes(records: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """For each record the common beginning it shares with others: `homeTeam` and `homeScore` are `home`, as `awayTeam` is."""
    by_parent: dict[tuple[str, str], dict[str, dict[tuple[str, ...], str]]] = {}
    out: dict[tuple[str, str], str] = {}
    for call, path in records:
        out[call, path] = ""
        words = key_words(key_of(path))
        parent = path[: len(path) - len(key_of(path))]
        if len(words) > 1 and not path.endswith("]"):
            by_parent.setdefault((call, parent), {}).setdefault(words[0], {})[words[1:]] = path
    for (call, parent), heads in by_parent.items():
        alike = [h for h, tails in heads.items() if any(o != h and set(heads[o]) == set(tails) for o in heads)]
        for head in alike:
            for path in heads[head].values():
                out[call, path] = parent + head
    return out


def _kind(call: str, path: str, fields: Mapping[str, Fact]) -> str:
    """What sort of record it is: members of one list are, and objects beside each other with the same keys."""
    place = _INDEX.sub("[]", path)
    if not path:
        return next((f.call.tool for f in fields.values()), call)  # calls of one tool are siblings as wholes
    if place.endswith("[]"):
        return f"{call}#{place}"
    parent = place[: len(place) - len(key_of(place))]
    return f"{call}#{parent}{{{','.join(sorted(fields))}}}"


def _named(entities: list[Entity], glossary: Glossary) -> list[Entity]:
    """Give entities their names and owners; those of a kind in which nothing has a name are left out."""
    kinds: dict[str, list[Entity]] = {}
    for e in entities:
        kinds.setdefault(e.kind, []).append(e)
    kept: list[Entity] = []
    for group in kinds.values():
        if len(group) < 2:
            continue
        for key in {k: None for e in group for k in e.fields}:
            if not _names_records(key, glossary):
                continue
            values = [str(f.value) for e in group if (f := e.fields.get(key)) is not None and isinstance(f.value, str)]
            if len(values) > 1 and 2 * len(set(values)) <= len(values):
                continue  # shared by siblings: a class, not a name
            for e in group:
                f = e.fields.get(key)
                if (
                    f is not None
                    and isinstance(f.value, str)
                    and 1 < len(f.value) <= _LONGEST_NAME
                    and f.value not in e.names
                ):
                    e.names.append(f.value)
        person = any(_PERSON & set(key_words(k)) for k in group[0].fields)
        if any(e.names for e in group):
            for e in group:
                e.names.sort(key=len, reverse=True)
                e.person = person
            kept += [e for e in group if e.names]
    _own(kept, glossary)
    return kept


def _names_records(key: str, glossary: Glossary) -> bool:
    return key in glossary.names or _by_its_name(key)


@lru_cache(maxsize=16_384)
def _by_its_name(key: str) -> bool:
    words = key_words(key)
    return not _NAMING.isdisjoint(words[:1] + words[-1:])


def _own(entities: Sequence[Entity], glossary: Glossary) -> None:
    """Say of each entity which entity of another kind a text of it names, where it is one alone."""
    by_name: dict[str, list[Entity]] = {}
    for e in entities:
        for name in e.names:
            for alias in (name, *glossary.aliases.get(name, ())):
                by_name.setdefault(alias.casefold(), []).append(e)
    for e in entities:
        for key, f in e.fields.items():
            if not isinstance(f.value, str) or f.value in e.names or e.owner is not None:
                continue
            named = {id(o): o for o in by_name.get(f.value.casefold(), ()) if o.kind != e.kind}
            if len(named) == 1 and key_words(key):
                e.owner = next(iter(named.values()))


def _names(entities: Sequence[Entity], glossary: Glossary) -> Iterator[tuple[Sequence[str], tuple[int, int]]]:
    """Phrases for names with the entity's index and a rank.

    0 is a whole name, 1 its last part, 2 its first, 3 the key it stands under. Digits alone name nothing.
    """
    for i, e in enumerate(entities):
        for role in e.roles:
            yield words_of(role), (i, 3)
        for name in e.names:
            for alias in (name, *glossary.aliases.get(name, ())):
                words = words_of(alias)
                if len(words) > 1 or _telling(words):
                    yield words, (i, 0 if len(words) > 1 else 1)
            words = words_of(name)
            if words and words[-1] in ("jr", "sr", "ii", "iii", "iv"):
                yield words[:-1], (i, 0)
                words = words[:-1]
            if len(words) > 1:
                parts = ((words[-1:], 1), (words[-2:], 1), (words[:1], 2))
                yield from ((part, (i, rank)) for part, rank in parts if _telling(part))


def _telling(words: Sequence[str]) -> bool:
    return (len(words) > 0 and not words[-1][0].isdigit()) or any(w[0].isdigit() and not w.isdigit() for w in words)


def _without_unit(phrase: str) -> str:
    head, found, tail = phrase.rpartition(" in ")
    return head if found and unit_of_text(tail) is not None else phrase


def _field_phrases(entities: Sequence[Entity], glossary: Glossary) -> Iterator[tuple[Sequence[str], str]]:
    keys = {k: None for e in entities for k, f in e.fields.items() if f.values and not isinstance(f.value, bool)}
    for key in keys:
        said = glossary.fields.get(key)
        if said is not None:
            for phrase in said:
                if " as " not in phrase:
                    yield words_of(_without_unit(phrase)), key
            continue
        words = key_words(key)
        digits = [w for w in words if w.isdigit()]
        if len(digits) == 1 and words[-1] == digits[0] and int(digits[0]) < len(ORDINALS) and len(words) > 1:
            yield words_of(f"{ORDINALS[int(digits[0])]} {' '.join(words[:-1])}"), key
        elif words and len("".join(words)) > 2:
            yield words_of(" ".join(words)), key
