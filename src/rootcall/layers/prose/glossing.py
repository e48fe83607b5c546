"""Facts in the words of a project's glossary: what the numbers of a field count."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from rootcall.evidence.facts import Fact
from rootcall.evidence.units import Unit, unit_of_text
from rootcall.glossary import Glossary
from rootcall.layers.prose.world import key_of

__all__ = ["glossed", "unit_told"]


@lru_cache(maxsize=16_384)
def unit_told(phrase: str) -> Unit | None:
    """The unit at the end of a phrase: "amount in cents"."""
    _, found, tail = phrase.rpartition(" in ")
    return unit_of_text(tail) if found else None


def glossed(facts: Iterable[Fact], glossary: Glossary) -> tuple[Fact, ...]:
    """Facts with the unit that the glossary gives their numbers.

    Its words are left to the rules that bind by entity and field: alone they would bind too much.
    """
    return tuple(_glossed(f, said) if (said := glossary.fields.get(key_of(f.path))) else f for f in facts)


def _glossed(fact: Fact, said: tuple[str, ...]) -> Fact:
    unit = next((u for u in map(unit_told, said) if u is not None), None)
    value = fact.value
    if unit is None or isinstance(value, bool) or not isinstance(value, int | float):
        return fact
    number = float(value)
    minor = unit.dimension == "money:?"
    values = ((number / 100, Unit("money", "money:?")), (number, unit)) if minor else ((number, unit),)
    return msgspec.structs.replace(fact, values=values)
