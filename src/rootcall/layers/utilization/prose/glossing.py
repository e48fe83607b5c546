"""Facts in the words of a project's glossary: what a field is called, and what its numbers count."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from rootcall.evidence.facts import Fact
from rootcall.evidence.units import Unit, unit_of_text
from rootcall.glossary import Glossary
from rootcall.layers.utilization.prose.reading import words_of
from rootcall.layers.utilization.prose.world import key_of

__all__ = ["glossed", "phrase_and_unit"]


@lru_cache(maxsize=16_384)
def phrase_and_unit(phrase: str) -> tuple[str, Unit | None]:
    """Part "amount in cents" into "amount" and the unit; a phrase that ends in no unit comes back whole."""
    head, found, tail = phrase.rpartition(" in ")
    unit = unit_of_text(tail) if found else None
    return (phrase, None) if unit is None else (head, unit)


def glossed(facts: Iterable[Fact], glossary: Glossary) -> tuple[Fact, ...]:
    """Facts with the glossary's words added to their own, and with the unit it gives their numbers."""
    return tuple(_glossed(f, said) if (said := glossary.fields.get(key_of(f.path))) else f for f in facts)


def _glossed(fact: Fact, said: tuple[str, ...]) -> Fact:
    parts = [phrase_and_unit(p) for p in said if " as " not in p]
    words = tuple(dict.fromkeys((*(w for phrase, _ in parts for w in words_of(phrase)), *fact.words)))
    unit = next((u for _, u in parts if u is not None), None)
    value = fact.value
    if unit is None or isinstance(value, bool) or not isinstance(value, int | float):
        return msgspec.structs.replace(fact, words=words)
    number = float(value)
    minor = unit.dimension == "money:?"
    values = ((number / 100, Unit("money", "money:?")), (number, unit)) if minor else ((number, unit),)
    return msgspec.structs.replace(fact, words=words, values=values)
