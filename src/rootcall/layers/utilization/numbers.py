"""A number that no field holds: a slip against the field it is bound to, a wrong derivation, or made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention, digits
from rootcall.evidence.units import Unit
from rootcall.layers.utilization.answers import word_set
from rootcall.layers.utilization.binding import Context, agrees, comparable, inside, overlap, value_in_unit
from rootcall.layers.utilization.derived import announced, derivable
from rootcall.layers.utilization.scene import Ruling, Scene, fail, hint

__all__ = ["number_ruling"]

# The unit and a second thing, field or entity, speak for the binding.
_FIRM: Final = 3.5
# A permutation of five given digits is met by chance once in a thousand values.
_TELLING_DIGITS: Final = 5
_POWERS: Final = (10, 100, 1000, 10_000, 1_000_000, 0.1, 0.01, 0.001, 0.0001, 0.000001)


def number_ruling(scene: Scene, mention: Mention, context: Context) -> Ruling | None:
    """Rule on a number that agrees with no fact and repeats nothing; None when it is no claim about a result."""
    candidates = _candidates(scene, mention, context)
    slip = None if mention.word else _slip_among(candidates, mention) or _wrong_unit(scene, mention, context)
    if slip is not None:
        return slip
    if (hole := scene.hole(mention, context)) is not None:
        return scene.from_nothing(mention, hole)
    bound = [(score, f) for score, f in candidates if score > 0]
    if not bound:
        said_of_something = mention.unit is not None or scene.uncaptured
        return scene.undecided(mention) if said_of_something and not mention.word else None
    score, fact = bound[0]
    if not scene.accusing and not scene.only_figure(mention, fact):
        return scene.incomplete(mention, fact)
    return _made_up(scene, mention, score, fact)


def _made_up(scene: Scene, mention: Mention, score: float, fact: Fact) -> Ruling:
    kinds = announced(scene.answer, mention)
    if kinds & {"sum", "difference", "mean"} and mention.unit is not None and _has_parts(scene, mention):
        ways = " or ".join(sorted(kinds))
        return fail("wrong-derivation", f"{mention.text} follows from no {ways} of the values told or returned", fact)
    if (score < _FIRM or mention.percent) and derivable(scene.answer, mention) is not None:
        return hint(f"{mention.text} would follow only from arithmetic that no word announces", fact)
    if scene.answer.sentence_of(mention.start).question or (mention.hedge and score < 2):
        return hint(f"{mention.text} stands nowhere upstream", fact)
    return fail(scene.unsupported, f"{mention.text} stands nowhere; {fact.path} is {fact.value!r}", fact)


def _candidates(scene: Scene, mention: Mention, context: Context) -> list[tuple[float, Fact]]:
    """Facts a number can be about, the best bound first, with how well: unit, field words, entity."""
    ids = scene.entities.of(scene.answer, mention.start)
    short = len(word_set(scene.answer.text)) <= 4
    out: list[tuple[float, Fact]] = []
    for f in scene.facts:
        if f.transport or not any(comparable(mention, u) for _, u in f.values):
            continue
        near = overlap(f, context.near) or (overlap(f, context.asked) if short or scene.drifting else 0)
        same_unit = mention.unit is not None and any(u is not None and comparable(mention, u) for _, u in f.values)
        if mention.unit is not None and not same_unit and not near and any(u is not None for _, u in f.values):
            continue
        score = 2.0 * near + (2.0 if same_unit else 0.0) + 0.5 * overlap(f, context.sentence)
        score += 1.5 if ids and inside(f, ids) else 0.0
        score += 1.5 if scene.drifting and near and overlap(f, context.asked) else 0.0
        if mention.unit is not None and not same_unit and not near:
            score = 0.0  # a bare number of the payload, good for a slip where there are few
        elif mention.unit is None and not near:
            score = 0.5 if short or scene.only_figure(mention, f) else 0.0
        if mention.word and not (f.count and near):
            score = 0.0
        out.append((score, f))
    return sorted(out, key=lambda x: -x[0])


def _slip_among(candidates: Sequence[tuple[float, Fact]], mention: Mention) -> Ruling | None:
    """A slip of digits or scale against a fact the number can be about; unbound facts count where there are few."""
    few = sum(1 for _, f in candidates if not f.count) <= 3
    for score, f in candidates:
        if score <= 0 and not few:
            continue
        for value, unit in f.values:
            name = _slip(mention, value, unit, score)
            if name is not None:
                return fail(name, f"{mention.text}, but {f.path} is {f.value!r}", f)
    return None if few else _long_slip(candidates, mention)


def _long_slip(candidates: Sequence[tuple[float, Fact]], mention: Mention) -> Ruling | None:
    """The digits of one value in another order, of so many digits that no other value has them by chance."""
    shown = digits(mention.readings[0], mention.decimals)
    if len(shown) < _TELLING_DIGITS or len(set(shown)) < 3:
        return None
    alike = {}
    for _, f in candidates:
        held = [v for value, unit in f.values if (v := value_in_unit(value, unit, mention)) is not None]
        if any(sorted(digits(v, mention.decimals)) == sorted(shown) for v in held):
            alike[f.path] = f
    if len(alike) != 1:
        return None
    f = next(iter(alike.values()))
    return fail("transposed-digits", f"{mention.text}, but {f.path} is {f.value!r}", f)


def _slip(mention: Mention, value: float, unit: Unit | None, score: float) -> str | None:
    said = mention.readings[0]
    converted = value_in_unit(value, unit, mention)
    if not converted or not said:
        return None
    kinds = {u.dimension for u in (unit, mention.unit) if u is not None}
    if len(kinds) > 1 and not all(k.startswith("money") for k in kinds):
        return None  # a converted temperature or the like: its digits and its scale mean nothing
    # One power of ten between small whole numbers is chance; in the same unit, or bound by words, it is not.
    telling = mention.unit is not None or abs(said) >= 1000 or score >= 2
    figures = len(digits(converted, 6).rstrip("0"))
    if telling and figures > (1 if mention.unit is None else 0):
        ratio = abs(said / converted)
        if any(abs(ratio / power - 1) < 1e-6 for power in _POWERS):
            return "scale-slip"
    shown, wanted = digits(said, mention.decimals), digits(converted, mention.decimals)
    same_digits = len(shown) == len(wanted) >= 2 and sorted(shown) == sorted(wanted)
    return "transposed-digits" if same_digits and shown != wanted else None


def _wrong_unit(scene: Scene, mention: Mention, context: Context) -> Ruling | None:
    if mention.unit is None:
        return None
    measured = mention.unit.dimension.partition(":")[0]
    for f in scene.facts:
        for value, unit in f.values:
            if unit is None or unit.name == mention.unit.name or f.transport or measured == "money":
                continue
            kin = unit.dimension.partition(":")[0] == measured
            if kin and agrees(mention, value) and (mention.readings[0] != 1 or overlap(f, context.near)):
                return fail("wrong-unit", f"{mention.text}, but {f.path} is {f.value!r}", f)
    return None


def _has_parts(scene: Scene, mention: Mention) -> bool:
    """Whether at least two values of the same quantity were told or returned, so that a derivation can be checked."""
    told = [m for m in scene.answer.mentions if m is not mention and m.kind == "number" and m.unit is not None]
    returned = [f for f in scene.facts if any(u is not None and comparable(mention, u) for _, u in f.values)]
    return sum(1 for m in told if comparable(mention, m.unit)) >= 2 or len(returned) >= 2
