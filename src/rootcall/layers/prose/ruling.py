"""What a claim about an entity's field comes to: supported, derived, contradicted and how, or told from nowhere.

Each ruling names the tokens it is about and the facts it rests on. A claim whose subject lacks the field is not ruled on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.layers.prose.claims import Claim
from rootcall.layers.prose.reading import Token
from rootcall.layers.prose.subjects import Named, Reading
from rootcall.layers.prose.world import Entity, World
from rootcall.layers.utilization.binding import says

__all__ = ["Found", "rule_on"]

_POWERS: Final = (10.0, 100.0, 1000.0, 10_000.0, 1_000_000.0)


class Found(msgspec.Struct, frozen=True):
    """What stands at `[start, end)` of the answer: `rule` None is support. `covers` are further places it settles."""

    start: int
    end: int
    rule: str | None
    message: str
    fact: Fact | None = None
    claim: Claim | None = None
    subject: Named | None = None
    scope: bool = False
    covers: tuple[tuple[int, int], ...] = ()


def number_of(fact: Fact | None) -> float | None:
    """The number a fact is, as it stands in the payload."""
    if fact is None or isinstance(fact.value, bool):
        return None
    if isinstance(fact.value, int | float):
        return float(fact.value)
    return fact.values[0][0] if fact.values and len(fact.values) <= 2 else None


def rule_on(
    claim: Claim, world: World, tokens: Sequence[Token], reading: Reading, mentions: Mapping[int, Mention]
) -> list[Found]:
    """Rule on one claim; an empty list where nothing can be said. `mentions` are the values of the text by both their ends."""
    subject = reading.governing[claim.at[0]]
    if claim.form == "score":
        return list(_score(claim, world, tokens, reading))
    if subject is None or subject.entity is None:
        return []
    if claim.form == "margin":
        return list(_margin(claim, world, tokens, reading, subject))
    if claim.form == "pair":
        return list(_pair(claim, world, tokens, subject))
    return list(_field(claim, world, tokens, subject, mentions))


def _field(
    claim: Claim, world: World, tokens: Sequence[Token], subject: Named, mentions: Mapping[int, Mention]
) -> Iterator[Found]:
    entity = subject.entity
    assert entity is not None
    token = tokens[claim.at[0]]
    if claim.sums:
        amount = _amount(entity, claim)
        if amount is not None:
            right = amount[0] == claim.values[0]
            message = f"{token.text} is {amount[1]}" if right else f"{token.text}, but {amount[1]} is {amount[0]:g}"
            end = tokens[claim.last - 1].tail
            yield Found(token.start, end, None if right else "wrong-derivation", message, amount[2], claim, subject)
        return
    key = next((k for k in claim.keys if number_of(entity.fields.get(k)) is not None), None)
    if key is None:
        return
    mention = mentions.get(token.start) or mentions.get(token.tail)
    fact = entity.fields[key]
    if _measured(mention, fact):
        # A value with a unit is compared in that unit, and where it disagrees the rules for units know more.
        if mention is not None and says(mention, fact):
            yield Found(mention.start, mention.end, None, f"{mention.text} is {fact.path}", fact, claim, subject)
        return
    held = number_of(fact)
    if claim.whole and entity.kind in world.in_parts and held is not None and claim.values[0] < held:
        return  # a part of what it has: "scored two goals to level the game"
    yield _compared(claim, tokens, claim.at[0], claim.values[0], key, entity, world, subject)


def _measured(mention: Mention | None, fact: Fact) -> bool:
    """Whether the number is told in another unit than the field has, so that digits alone decide nothing."""
    told = None if mention is None or mention.unit is None else mention.unit.name
    held = {u.name for _, u in fact.values if u is not None}
    return len(fact.values) > 1 or (told not in held if held else told is not None and told != "percent")


def _compared(
    claim: Claim, tokens: Sequence[Token], at: int, said: float, key: str, entity: Entity, world: World, subject: Named
) -> Found:
    token = tokens[at]
    fact = entity.fields[key]
    held = number_of(fact)
    assert held is not None
    span = (
        token.start,
        tokens[claim.last - 1].tail if claim.form == "field" and claim.first == claim.at[0] else token.tail,
    )
    if _agree(said, held, token):
        return Found(*span, None, f"{token.text} is {fact.path}", fact, claim, subject)
    if claim.wider:
        message = f"{token.text} speaks of more than a result holds; {fact.path} is {fact.value!r}"
        return Found(*span, "unsupported", message, fact, claim, subject, scope=True)
    rule, why = _how(said, held, key, entity, world)
    return Found(
        *span, rule, f"{token.text}, but {fact.path} of {entity.label} is {fact.value!r}{why}", fact, claim, subject
    )


def _agree(said: float, held: float, token: Token) -> bool:
    decimals = len(token.text.partition(".")[2]) if token.text[0].isdigit() else 0
    if float(held).is_integer():
        return abs(said - held) < 1e-9
    return abs(said - held) <= 0.5 * 10.0**-decimals + 1e-9


def _how(said: float, held: float, key: str, entity: Entity, world: World) -> tuple[str, str]:
    """The kind of a contradiction: digits in another order, a power of ten, another's value, or one from nowhere."""
    a, b = _digits(said), _digits(held)
    if len(a) == len(b) >= 2 and sorted(a) == sorted(b):
        return "transposed-digits", ""
    if (
        held
        and said
        and len(b.rstrip("0")) > 1
        and any(_near(said / held, p) or _near(held / said, p) for p in _POWERS)
    ):
        return "scale-slip", ""
    others = [e for e in world.siblings(entity) if number_of(e.fields.get(key)) == said]
    if others:
        return "sibling-value", f"; it is {others[0].label}'s" if len(others) == 1 else ""
    return "unsupported", ""


def _digits(value: float) -> str:
    return re.sub(r"\D", "", f"{value:g}")


def _near(a: float, b: float) -> bool:
    return abs(a / b - 1) < 1e-6


def _pair(claim: Claim, world: World, tokens: Sequence[Token], subject: Named) -> Iterator[Found]:
    entity = subject.entity
    assert entity is not None
    for key, index, said in zip(claim.keys, claim.at, claim.values, strict=True):
        if number_of(entity.fields.get(key)) is not None:
            yield _compared(claim, tokens, index, said, key, entity, world, subject)


# ---- two records -----------------------------------------------------------------------------------------------


def _rivals(claim: Claim, world: World, reading: Reading) -> tuple[Named, Named] | None:
    """The two records of one kind that a pair sets against each other: named in its sentence, or the only two there are."""
    sentence = reading.sentence_of[claim.at[0]]
    keys = claim.keys or claim.sums[0]
    named: dict[int, Named] = {}
    for n in reading.names[sentence]:
        if n.first < claim.at[0] and n.entity is not None and any(k in n.entity.fields for k in keys):
            named[id(n.entity)] = n
    governing = reading.governing[claim.at[0]]
    if governing is not None and governing.entity is not None and any(k in governing.entity.fields for k in keys):
        named.setdefault(id(governing.entity), governing)
    found = list(named.values())
    if len(found) > 2:
        found = sorted(found, key=lambda n: n.first)[-2:]
    if len(found) == 2 and governing is not None and governing.entity is found[1].entity:
        found.reverse()
    if len(found) == 1 and found[0].entity is not None and len(others := world.siblings(found[0].entity)) == 1:
        found.append(Named(found[0].first, found[0].last, (others[0],)))
    if len(found) != 2:
        return None
    return found[0], found[1]


def _amount(entity: Entity, claim: Claim) -> tuple[float, str, Fact] | None:
    """What an entity has of the field or the sum a pair is about, with its path."""
    for keys in claim.sums:
        parts = [number_of(entity.fields.get(k)) for k in keys]
        if all(p is not None for p in parts):
            paths = " + ".join(entity.fields[k].path for k in keys)
            return sum(p for p in parts if p is not None), paths, entity.fields[keys[0]]
    for key in claim.keys:
        value = number_of(entity.fields.get(key))
        if value is not None:
            return value, entity.fields[key].path, entity.fields[key]
    return None


def _score(claim: Claim, world: World, tokens: Sequence[Token], reading: Reading) -> Iterator[Found]:
    rivals = _rivals(claim, world, reading)
    if rivals is None or rivals[0].entity is None or rivals[1].entity is None:
        return
    first, second = _amount(rivals[0].entity, claim), _amount(rivals[1].entity, claim)
    if first is None or second is None:
        return
    a, b = claim.values
    if _plain(claim, world) and first[0] < second[0]:
        first, second, rivals = second, first, (rivals[1], rivals[0])
    held = (first, second)
    spans = [(tokens[i].start, tokens[i].tail) for i in claim.at]
    yield from _winner(claim, world, tokens, reading)
    if (a, b) in ((first[0], second[0]), (second[0], first[0])):
        swapped = (a, b) != (first[0], second[0]) and bool(claim.sums or not _plain(claim, world))
        for n, (start, end) in enumerate(spans):
            if not swapped:
                yield Found(
                    start, end, None, f"{tokens[claim.at[n]].text} is {held[n][1]}", held[n][2], claim, rivals[n]
                )
        if swapped:
            for named, own in zip(rivals, held, strict=True):
                if named.first < claim.at[0]:
                    yield Found(tokens[named.first].start, tokens[named.last - 1].tail, "sibling-value",
                                f"the values are told the other way round: {own[1]} is {own[0]:g}", own[2], claim, named)  # fmt: skip
        return
    right = _kept(claim, held)
    for n, (start, end) in enumerate(spans):
        kept = right[n]
        own = held[n if kept is None else kept]
        text = tokens[claim.at[n]].text
        if kept is not None:
            yield Found(start, end, None, f"{text} is {own[1]}", own[2], claim, rivals[n])
            continue
        other = held[1 - r] if (r := right[1 - n]) is not None else own
        rule = "wrong-derivation" if claim.sums else "unsupported"
        yield Found(start, end, rule, f"{text}, but {other[1]} is {other[0]:g}", other[2], claim, rivals[n])


def _winner(claim: Claim, world: World, tokens: Sequence[Token], reading: Reading) -> Iterator[Found]:
    """The word before a pair that says who had more: "A defeated B, 103-104"."""
    sentence = reading.sentence_of[claim.at[0]]
    i = claim.at[0] - 1
    while i >= 0 and reading.sentence_of[i] == sentence and claim.at[0] - i < 24:
        found = world.beating.at(tokens, i)
        if found is not None:
            break
        if tokens[i].text in ";(" and tokens[i + 1].value is None:
            return
        i -= 1
    else:
        return
    if i < 0 or (found := world.beating.at(tokens, i)) is None:
        return
    winner = reading.governing[i]
    if winner is None or winner.entity is None:
        return
    own = _amount(winner.entity, claim)
    loser = next((n.entity for n in reading.names[sentence] if i < n.first < claim.at[0] and n.entity is not None
                  and n.entity.kind == winner.entity.kind and n.entity is not winner.entity), None)  # fmt: skip
    other = _amount(loser, claim) if loser is not None else None
    if own is None or other is None or loser is None or own[0] > other[0]:
        return
    if not _plain(claim, world) and claim.values == (other[0], own[0]):
        return  # the values are right and the names are the other way round
    text = " ".join(t.text for t in tokens[i : found[0]])
    message = f"{text}, but {own[1]} is {own[0]:g} and {other[1]} is {other[0]:g}"
    yield Found(tokens[i].start, tokens[found[0] - 1].end, "flipped-attribute", message, own[2], None, winner)


def _kept(claim: Claim, held: Sequence[tuple[float, str, Fact]]) -> list[int | None]:
    """For each number of a pair the record whose value it is; each record at most once, its own first."""
    out: list[int | None] = [None, None]
    used: set[int] = set()
    for n in (0, 1):
        if claim.values[n] == held[n][0]:
            out[n] = n
            used.add(n)
    for n in (0, 1):
        if out[n] is None and claim.values[n] == held[1 - n][0] and 1 - n not in used:
            out[n] = 1 - n
            used.add(1 - n)
    return out


def _plain(claim: Claim, world: World) -> bool:
    """Whether a pair is the score itself, which is told larger number first as often as first named first."""
    return set(claim.keys) <= {s.field for s in world.glossary.scores}


def _margin(claim: Claim, world: World, tokens: Sequence[Token], reading: Reading, subject: Named) -> Iterator[Found]:
    entity = subject.entity
    assert entity is not None
    others = world.siblings(entity)
    if len(others) != 1:
        return
    key = next((k for k in claim.keys if number_of(entity.fields.get(k)) is not None), None)
    if key is None:
        return
    a, b = number_of(entity.fields[key]), number_of(others[0].fields.get(key))
    if a is None or b is None:
        return
    token = tokens[claim.at[0]]
    paths = f"{entity.fields[key].path} - {others[0].fields[key].path}"
    if abs(a - b) == claim.values[0]:
        yield Found(token.start, token.tail, None, f"{token.text} is {paths}", entity.fields[key], claim, subject)
    else:
        yield Found(token.start, token.tail, "wrong-derivation", f"{token.text}, but {paths} is {a - b:g}",
                    entity.fields[key], claim, subject)  # fmt: skip


def misnamed(found: Sequence[Found], world: World, tokens: Sequence[Token]) -> tuple[list[Found], set[int]]:
    """Names whose claims are all another's: the name is the mistake, not each of the numbers.

    Returns:
        A finding at each such name, and the indexes of the findings it replaces.
    """
    by_name: dict[int, list[int]] = {}
    for n, f in enumerate(found):
        if f.subject is not None and f.claim is not None and f.claim.form in ("field", "pair") and not f.scope:
            if f.claim.sums or (f.claim.form == "pair" and f.claim.last == f.claim.at[1] + 1):
                continue
            by_name.setdefault(f.subject.first, []).append(n)
    out: list[Found] = []
    replaced: set[int] = set()
    for indexes in by_name.values():
        subject = found[indexes[0]].subject
        assert subject is not None
        wrong = [n for n in indexes if found[n].rule is not None]
        if subject.entity is None or not wrong or (len(wrong) < 2 and len(indexes) < 3):
            continue
        told = [(f.claim.values[f.claim.at.index(i)], k) for n in indexes if (f := found[n]).claim for i, k in _said(f)]
        other = _fits(told, subject.entity, world)
        if other is None:
            continue
        first = found[wrong[0]]
        assert first.fact is not None
        out.append(Found(tokens[subject.first].start, tokens[subject.last - 1].tail, "sibling-value",
                         f"{subject.entity.label} is told with the values of {other.label}", first.fact, None, subject,
                         covers=tuple((found[n].start, found[n].end) for n in indexes)))  # fmt: skip
        replaced |= set(indexes)
    return out, replaced


def _said(f: Found) -> Iterator[tuple[int, str]]:
    """Each number of a finding's own token with the key it is held against."""
    assert f.claim is not None
    assert f.fact is not None
    from rootcall.layers.prose.world import key_of

    key = key_of(f.fact.path)
    if f.claim.form == "pair":
        yield f.claim.at[f.claim.keys.index(key)] if key in f.claim.keys else f.claim.at[0], key
    else:
        yield f.claim.at[0], key


def _fits(told: Sequence[tuple[float, str]], entity: Entity, world: World) -> Entity | None:
    """The one other entity of the kind whose fields hold all that is told."""
    if len({k for _, k in told}) < 2:
        return None
    fitting = [e for e in world.siblings(entity) if all(number_of(e.fields.get(k)) == v for v, k in told)]
    return fitting[0] if len(fitting) == 1 else None
