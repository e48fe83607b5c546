"""Each value an answer states, bound to a field of a payload: supported, derived, contradicted or unsupported.

"The number stands somewhere in the payload" is no grounding: a claim is bound to an entity and a field by the words
around it and by its unit. A claim that only repeats what the user, the system message or a call said is no claim about
a result and is not a unit. Where a part of the conversation was not captured, nothing is called unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from rootcall.case import Case
from rootcall.check import Check, emits
from rootcall.config import Config
from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.glossary import Glossary, glossary_of
from rootcall.jsonvalue import MISSING
from rootcall.layers.prose import Found, findings, glossed, names_a_record
from rootcall.layers.utilization.answers import LIMIT, MOST_VALUES, Answer, answers, word_set
from rootcall.layers.utilization.binding import (
    Context,
    comparable,
    context_of,
    field_words,
    inside,
    kind_of,
    overlap,
)
from rootcall.layers.utilization.catalogue import CATALOGUE
from rootcall.layers.utilization.derived import announced, derives
from rootcall.layers.utilization.moments import code_ruling, date_ruling, time_ruling
from rootcall.layers.utilization.numbers import number_ruling
from rootcall.layers.utilization.scene import Ruling, Scene, fail, supported
from rootcall.lazypattern import lazy
from rootcall.trace import Trace

__all__ = ["grounding"]

_COMPARED: Final = lazy(
    r"\bthan\b|\w{3,}est\b|\b(?:most|least|best|worst|next|other|another|second|remaining|rest|same|instead|from|until"
    r"|before|was|previously|old)\b|보다|가장|\bals\b|\bque\b",
    re.IGNORECASE,
)
_YES: Final = lazy(
    r"\s*(?:yes|yeah|yep|sure|correct|right|exactly|absolutely|ja\b|genau|네|예\b|맞|sí|oui|はい|是的)", re.IGNORECASE
)
_LIMIT: Final = lazy(
    r"limit|budget|under|below|within|at most|max|less than|up to|stay|no more|höchstens|unter|이하|미만|예산|한도|menos de"
    r"|moins de",
    re.IGNORECASE,
)


_BEHIND: Final = re.compile(r"(?:(?!\b(?:and|or|und|oder|y|o|et|ou)\b)[^,.;:()\n、。]){0,24}", re.IGNORECASE)


@emits(*CATALOGUE)
def grounding(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge every value of every answer that follows a call."""
    glossary = glossary_of(config)
    for given in answers(trace):
        answer = given if glossary is None else _in_words(given, glossary)
        if answer.more:
            yield _left_out(answer)
        bound = _bound(trace, answer, glossary)
        if not answer.mentions and not bound:
            continue
        scene = Scene(answer)
        taken = [span for f in bound for span in ((f.start, f.end), *f.covers)]
        rulings = (
            (m, _rule_on(scene, m))
            for m in answer.mentions
            if not scene.part_of_name(m) and not any(start < m.end and m.start < end for start, end in taken)
        )
        n = 0
        for mention, ruling in rulings:
            if ruling is not None:
                yield _check(scene, mention, n, ruling)
                n += 1
        for found in bound:
            yield _bound_check(answer, found, n)
            n += 1


def _in_words(answer: Answer, glossary: Glossary) -> Answer:
    facts, older = (glossed(f, glossary) for f in (answer.facts, answer.older))
    return msgspec.structs.replace(answer, facts=facts, older=older)


def _bound(trace: Trace, answer: Answer, glossary: Glossary | None) -> list[Found]:
    """What can be said by entity and field; nothing where something is missing that could say otherwise."""
    facts = answer.facts or answer.older
    if not facts or answer.unresolved or not names_a_record(trace, answer, glossary):
        return []
    found = findings(answer.text, answer.sentences, facts, glossary, answer.upstream.holds, answer.mentions)
    accusing = answer.complete and not answer.cut
    return [f for f in found if f.rule is None or accusing]


def _bound_check(answer: Answer, found: Found, n: int) -> Check:
    call = found.fact.call if found.fact is not None else (answer.turn_calls or answer.calls)[-1]
    value = found.fact.value if found.fact is not None else None
    return Check(
        layer="utilization",
        rule=f"utilization/{found.rule or 'supported'}",
        status="fail" if found.rule else "pass",
        grade="likely" if found.rule else "proof",
        unit=f"claim:{answer.message.at}#{n}",
        at=answer.message.at,
        source=answer.message.source,
        tool=call.tool,
        agent=answer.message.agent,
        message=found.message,
        got=answer.text[found.start : found.end],
        expected=value if isinstance(value, str | int | float) else MISSING,
        causes=(call.at,),
        span=(found.start, found.end),
        fact=None if found.fact is None else found.fact.path or None,
    )


def _left_out(answer: Answer) -> Check:
    return Check(
        layer="utilization",
        rule="utilization/unsupported",
        status="unscored",
        grade="likely",
        unit=f"claim:{answer.message.at}#more",
        at=answer.message.at,
        source=answer.message.source,
        agent=answer.message.agent,
        message=f"a very long answer: only its first {MOST_VALUES} values in its first {LIMIT:,} characters were judged",
    )


def _check(scene: Scene, mention: Mention, n: int, ruling: Ruling) -> Check:
    answer, fact = scene.answer, ruling.fact
    call = ruling.call or (fact.call if fact is not None else (answer.turn_calls or answer.calls)[-1])
    return Check(
        layer="utilization",
        rule=f"utilization/{ruling.name}",
        status=ruling.status,
        grade=ruling.grade,
        unit=f"claim:{answer.message.at}#{n}",
        at=answer.message.at,
        source=answer.message.source,
        tool=call.tool,
        agent=answer.message.agent,
        message=ruling.message,
        got=mention.text,
        expected=fact.value if fact is not None and isinstance(fact.value, str | int | float) else MISSING,
        causes=(call.at,),
        span=(mention.start, mention.end),
        fact=None if fact is None else fact.path or None,
        question="claim-grounded" if ruling.status == "unscored" else None,
    )


def _rule_on(scene: Scene, mention: Mention) -> Ruling | None:
    """Rule on one value; None when it is no claim about a result."""
    if mention.kind == "code":
        return code_ruling(scene, mention)
    context = context_of(scene.answer, mention)
    hits = scene.saying(mention)
    if hits:
        return _conflict(scene, mention, context, hits) or _supported(mention, hits, context)
    if scene.repeated(mention):
        return _affirmed(scene, mention, context)
    if scene.plans(mention):
        return None
    how = derives(scene.answer, mention)
    if how is not None:
        return supported(f"{mention.text}: {how}")
    if mention.kind == "date":
        return date_ruling(scene, mention, context)
    return (time_ruling if mention.kind == "time" else number_ruling)(scene, mention, context)


def _supported(mention: Mention, hits: Sequence[Fact], context: Context) -> Ruling | None:
    best = max(hits, key=lambda f: overlap(f, context.near))
    return None if mention.word and best.transport else supported(f"{mention.text} is {best.path}", best)


def _conflict(scene: Scene, mention: Mention, context: Context, hits: Sequence[Fact]) -> Ruling | None:
    """A value that agrees with some field, while the words name another field or record that says otherwise."""
    if mention.word:
        return None
    rival = (
        _other_record(scene, mention, hits)
        or _other_field(scene, mention, context, hits)
        or _other_member(scene, mention, hits)
    )
    return None if rival is None or scene.repeated(mention) or _compared(scene, mention) else rival


def _compared(scene: Scene, mention: Mention) -> bool:
    """Whether the words around a value set values against each other: then a second field is named on purpose."""
    # "fare difference" names a field; it announces no arithmetic.
    segment = " ".join(w for w in scene.segment(mention).split() if not word_set(w) & scene.field_words)
    if _COMPARED.search(segment):
        return True
    return bool(announced(scene.answer, mention, segment) & {"difference", "mean"})


def _other_record(scene: Scene, mention: Mention, hits: Sequence[Fact]) -> Ruling | None:
    """A value of one record under the name of its sibling."""
    ids = scene.entities.of(scene.answer, mention.start)
    if not ids or any(inside(f, ids) for f in hits):
        return None
    # "14 in Dublin, 6 in Cork": a name right behind a value says whose it is, whatever was named before.
    behind = _BEHIND.match(scene.answer.text, mention.end)
    said = behind.group().casefold() if behind is not None else ""
    if any(len(n) > 1 and n.casefold() in said for f in hits for n in f.record.names):
        return None
    # Every place that holds the value must be a sibling of the named one; a value that stands elsewhere tells nothing.
    kinds, fields = {kind_of(h.record) for h in hits}, {h.field for h in hits}
    if any(_of_a_table(field) for field in fields):
        return None
    f = next((f for f in scene.facts if inside(f, ids) and kinds == {kind_of(f.record)} and f.field in fields), None)
    if f is None:
        return None
    return fail("sibling-value", f"{mention.text} is {hits[0].path}; here {f.path} is {f.value!r}", f)


def _of_a_table(field: str) -> bool:
    """Whether a field is a side of a table of names and values: its rows are other things, not others of a kind."""
    return field.rpartition(".")[2] in ("name", "value", "key", "label")


def _other_member(scene: Scene, mention: Mention, hits: Sequence[Fact]) -> Ruling | None:
    """The only amount of its kind in an answer, of one list member, while the other values all speak of another member."""
    alike = [m for m in scene.answer.mentions if m.unit is not None and comparable(mention, m.unit)]
    if mention.unit is None or len(alike) != 1:
        return None
    members = {(h.record.call.at, h.record.path) for h in hits}
    spoken = scene.members(mention)
    if len(members) != 1 or len(spoken) != 1 or members == spoken or not hits[0].record.path.endswith("]"):
        return None
    if _of_a_table(hits[0].field):
        return None
    (member,) = spoken
    same = (f for f in scene.facts if (f.record.call.at, f.record.path) == member and f.field == hits[0].field)
    f = next(same, None)
    if f is None or kind_of(f.record) != kind_of(hits[0].record):
        return None
    return fail(
        "sibling-value", f"{mention.text} is {hits[0].path}; the answer speaks of {f.path}, which is {f.value!r}", f
    )


def _other_field(scene: Scene, mention: Mention, context: Context, hits: Sequence[Fact]) -> Ruling | None:
    """A value of a record's one field under the words that name its other field."""
    if mention.unit is None and mention.kind == "number":
        return None
    if not context.left or any(field_words(h, 2) & context.left or not h.path for h in hits):
        return None
    fields = [f for f in scene.facts if not f.transport and not f.count and field_words(f, 2) & context.left]
    named = [f for f in fields if _comparable(mention, f)]
    if not named or any(h.record != f.record for h in hits for f in named):
        return None
    f = named[0]
    return fail("sibling-value", f"{mention.text} is {hits[0].path}; the words name {f.path}, which is {f.value!r}", f)


def _comparable(mention: Mention, f: Fact) -> bool:
    if mention.kind == "date":
        return bool(f.dates)
    if mention.kind == "time":
        return bool(f.times)
    return any(u is not None and comparable(mention, u) for _, u in f.values)


def _affirmed(scene: Scene, mention: Mention, context: Context) -> Ruling | None:
    """A yes to a figure of the user's that the result contradicts; any other repetition is no claim."""
    s = scene.answer.sentence_of(mention.start)
    if not _YES.match(s.text) or _LIMIT.search(scene.answer.question) or mention.unit is None:
        return None
    spoken = context.sentence | context.asked
    rivals = {f.path: f for f in scene.facts if _comparable(mention, f) and overlap(f, spoken)}
    if len(rivals) != 1:
        return None
    (f,) = rivals.values()
    return fail(scene.unsupported, f"yes to {mention.text}, but {f.path} is {f.value!r}", f)
