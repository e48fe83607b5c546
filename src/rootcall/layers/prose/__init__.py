"""Claims of long prose, bound to an entity and a field: what `claims` of the layer leaves open where answers are reports.

`world` makes entities of facts, `reading` tokens of a text, `subjects` says what each token speaks of, `claims` finds the
numbers with their field words, `ruling` holds them against the facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.glossary import Glossary
from rootcall.layers.prose.claims import claims_in
from rootcall.layers.prose.glossing import glossed
from rootcall.layers.prose.names import DAYS, belongings, days, strangers
from rootcall.layers.prose.reading import Token, norm, tokens_of
from rootcall.layers.prose.ruling import Found, misnamed, rule_on
from rootcall.layers.prose.statements import statements
from rootcall.layers.prose.subjects import named_in, read_subjects
from rootcall.layers.prose.world import World, name_words, world_of
from rootcall.layers.utilization.answers import Answer, Sentence
from rootcall.trace import Trace

__all__ = ["Found", "findings", "glossed", "names_a_record"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def names_a_record(trace: Trace, answer: Answer, glossary: Glossary | None) -> bool:
    """Whether a word of an answer may be a record's name: the cheap question before all others."""
    if glossary is not None:
        return True  # it may name what the fields do not
    by_call = name_words(trace)
    names = {w for c in (answer.turn_calls if answer.facts else answer.calls) for w in by_call.get(c.at, ())}
    if not names:
        return False
    text = answer.text
    if not text.isascii():
        return any(n in text.lower() for n in names)
    return not names.isdisjoint(map(norm, _WORD.findall(text)))


def _tells(tokens: Sequence[Token], world: World) -> bool:
    """Whether an answer has words for a field, a weekday or whose a record is: without them nothing is bound."""
    words = {w for t in tokens for w in (t.norm, t.stem)}
    return (
        world.fields.begins_in(words) or not words.isdisjoint(DAYS) or any(e.owner is not None for e in world.entities)
    )


def findings(
    text: str,
    sentences: Sequence[Sentence],
    facts: Sequence[Fact],
    glossary: Glossary | None,
    known: Callable[[str], bool],
    mentions: Sequence[Mention] = (),
) -> list[Found]:
    """What can be said of an answer's claims by entity and field, in the order of the text.

    `mentions` are the values that stand in it, `known` tells whether a lower-case text stands in a source that is no result.
    """
    world = world_of(facts, glossary)
    if world is None:
        return []
    tokens = tokens_of(text)
    names = named_in(tokens, world)
    if not names:
        return []
    if glossary is None and not _tells(tokens, world):
        return []
    reading = read_subjects(tokens, sentences, names)
    by_end = {m.end: m for m in mentions if m.kind == "number"} | {m.start: m for m in mentions if m.kind == "number"}
    taken = {i for n in names for i in range(n.first, n.last)}
    found = [f for c in claims_in(tokens, world, taken) for f in rule_on(c, world, tokens, reading, by_end)]
    named, replaced = misnamed(found, world, tokens)
    told = [
        *named,
        *(f for n, f in enumerate(found) if n not in replaced),
        *belongings(tokens, names, reading),
        *strangers(tokens, world, names, reading, known),
        *days(tokens, world, reading, facts, known),
        *statements(tokens, world, reading),
    ]
    by_place: dict[tuple[int, int], Found] = {}
    for f in told:
        if (f.start, f.end) not in by_place or f.rule is not None:
            by_place[f.start, f.end] = f
    return sorted(by_place.values(), key=lambda f: (f.start, f.end))
