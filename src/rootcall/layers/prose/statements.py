"""Words of the glossary that say something about a record's fields: a double-double, off the bench, game-high.

Each is held against the entity that governs the words, and against nothing where it lacks the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.glossary import Statement
from rootcall.layers.prose.reading import Phrasebook, Token, words_of
from rootcall.layers.prose.ruling import Found, number_of
from rootcall.layers.prose.subjects import Named, Reading
from rootcall.layers.prose.world import Entity, World

__all__ = ["statements"]


def statements(tokens: Sequence[Token], world: World, reading: Reading) -> Iterator[Found]:
    """Rule on every statement of an answer that has one subject."""
    book: Phrasebook[int] = Phrasebook(
        (words_of(w), i) for i, s in enumerate(world.glossary.statements) for w in s.words
    )
    named: set[int] = set()
    before: tuple[int, Statement] | None = None
    covered: tuple[int, int] = (0, -1)
    previous: Named | None = None
    latest: Named | None = None
    for first in range(len(tokens) if book else 0):
        governing = reading.governing[first]
        if governing is not None and first > governing.last + _RUN:
            named |= {id(e) for e in governing.entities}
        if governing is not None and governing.entity is not None and governing.entity.owner is not None:
            if latest is not None and latest.entity is not governing.entity:
                previous = latest
            latest = governing
        found = book.at(tokens, first)
        if found is None:
            continue
        last, told = found[0], world.glossary.statements[found[1][0]]
        if first < covered[0] and found[1][0] == covered[1]:
            continue
        covered = last, found[1][0]
        subject = _subject(tokens, reading, last)
        if subject is None or subject.entity is None:
            continue
        if told.same:
            yield from _same_group(tokens, subject, previous, reading)
            continue
        yield from _told(tokens, (first, last), told, subject, world, named)
        only = _only_other(tokens, first)
        if only is not None and told.at_least is not None:
            extra = before[1] if before is not None and only < before[0] else None
            yield from _alone(tokens, only, told, extra, subject, world)
        before = first, told


# So far behind a name it counts as told.
_RUN: Final = 12


def _subject(tokens: Sequence[Token], reading: Reading, last: int) -> Named | None:
    """What a statement speaks of: "were led by X" and "the only one was X" of the name behind, any other of the one that governs it."""
    for i in range(last, min(last + 4, len(tokens) - 1)):
        named = reading.governing[i + 1]
        if tokens[i].norm in ("was", "is", "were") and named is not None and named.first == i + 1:
            return named
    behind = reading.governing[last] if last < len(tokens) else None
    if behind is not None and behind.first == last and tokens[last - 1].norm == "by":
        return behind
    return reading.governing[last - 1]


def _same_group(tokens: Sequence[Token], subject: Named, previous: Named | None, reading: Reading) -> Iterator[Found]:
    """A record told as one more of the group of the one before; where a group is named in between, nothing is said."""
    entity = subject.entity
    assert entity is not None
    if previous is None or previous.entity is None or entity.owner is None or previous.entity.owner is entity.owner:
        return
    owner = previous.entity.owner
    first, last = reading.sentence_of[previous.first], reading.sentence_of[subject.first]
    between = (
        n for names in reading.names[first : last + 1] for n in names if previous.last <= n.first <= subject.first
    )
    if owner is None or any(n.entity is not None and n.entity.kind == owner.kind for n in between):
        return
    yield Found(tokens[subject.first].start, tokens[subject.last - 1].tail, "sibling-value",
                f"{entity.label} is of {entity.owner.label}, not of {owner.label} as {previous.entity.label}", None, None, subject)  # fmt: skip


def _told(
    tokens: Sequence[Token], at: tuple[int, int], told: Statement, subject: Named, world: World, named: set[int]
) -> Iterator[Found]:
    assert subject.entity is not None
    held = _holds(told, subject.entity, world, named)
    if held is None:
        return
    right, fact = held
    first, last = at
    text = " ".join(t.text for t in tokens[first:last])
    span = (tokens[first].start, tokens[first if told.where else last - 1].tail)
    if right:
        yield Found(*span, None, f"{text}: {fact.path} is {fact.value!r}", fact, None, subject)
    else:
        message = f"{text}, but {fact.path} of {subject.entity.label} is {fact.value!r}"
        yield Found(*span, "flipped-attribute", message, fact, None, subject)


def _only_other(tokens: Sequence[Token], first: int) -> int | None:
    """Where "only other" stands before a statement, in its clause."""
    for i in range(first - 1, max(0, first - 9), -1):
        if tokens[i].text in ",.;":
            return None
        if tokens[i].norm == "other" and tokens[i - 1].norm == "only":
            return i - 1
    return None


def _alone(
    tokens: Sequence[Token], only: int, told: Statement, extra: Statement | None, subject: Named, world: World
) -> Iterator[Found]:
    """As in "The only other starter in double figures": of its group there are two, no more."""
    entity = subject.entity
    assert entity is not None
    group = [e for e in world.kinds[entity.kind] if e.owner is entity.owner]
    parts = [told] if extra is None or extra.at_least is not None or extra.most is not None else [told, extra]
    fitting = [e for e in group if all((held := _holds(s, e, world, set())) is not None and held[0] for s in parts)]
    if entity.owner is not None and len(fitting) > 2:
        fact = fitting[0].fields[told.fields[0]]
        yield Found(tokens[only].start, tokens[only + 1].tail, "flipped-attribute",
                    f"the only other one, but there are {len(fitting)}: {', '.join(e.label for e in fitting[:6])}", fact, None, subject)  # fmt: skip


def _holds(told: Statement, entity: Entity, world: World, named: set[int]) -> tuple[bool, Fact] | None:
    """Whether a statement is true of an entity, with a fact that shows it; None where it lacks the fields."""
    facts = [entity.fields[k] for k in told.fields if k in entity.fields]
    if not facts:
        return None
    if told.is_ is not None or told.is_not is not None:
        wanted = told.is_ if told.is_ is not None else told.is_not
        same = str(facts[0].value) == wanted
        return (same if told.is_ is not None else not same), facts[0]
    own = [number_of(f) for f in facts]
    if any(v is None for v in own):
        return None
    values = [v for v in own if v is not None]
    if told.at_least is not None:
        reached = [v >= told.at_least for v in values]
        short = next((f for f, r in zip(facts, reached, strict=True) if not r), facts[0])
        return sum(reached) >= told.count, short
    if told.most != "all" and entity.owner is None:
        return None
    rivals = [e for e in world.kinds[entity.kind] if told.most == "all" or e.owner is entity.owner]
    rivals = [e for e in rivals if _kept(e, told) and (told.most != "rest" or id(e) not in named)]
    if told.most == "rest" and id(entity) in named:
        return None
    if told.rank > 1:
        above = sum((v := number_of(e.fields.get(told.fields[0]))) is not None and v > values[0] for e in rivals)
        level = sum(number_of(e.fields.get(told.fields[0])) == values[0] for e in rivals)
        return above < told.rank <= above + level, facts[0]
    most = max((v for e in rivals if (v := number_of(e.fields.get(told.fields[0]))) is not None), default=None)
    return None if most is None else (values[0] >= most, facts[0])


def _kept(entity: Entity, told: Statement) -> bool:
    return all(k in entity.fields and str(entity.fields[k].value) == v for k, v in told.where.items())
