"""Whose identifier is it? A value that stands upstream, but names another thing than the one the user speaks of.

Provenance is content with an identifier that stands anywhere; here the user's words of the turn decide which of several
is meant. They must bind exactly one: by its identifier, or by a word that only its record has among its siblings.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.identities import alike, same_identifier
from rootcall.evidence.origins import alike_before
from rootcall.evidence.provenance import as_written, in_text, user_texts
from rootcall.evidence.words import key_words
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["other_entity"]


@emits(
    Rule(
        name="arguments/other-entity",
        looks_at="Identifiers that stood in an earlier turn or result, against the one thing the user speaks of in this turn: the only "
        'identifier of that kind the user names, or the only record of a list that the user\'s words fit ("the gas contract").',
        why="Both orders are the user's and both identifiers are real, so neither schema nor server objects; the wrong one is "
        "cancelled. Not judged where the user speaks of several or excludes one (instead of, except, both, all, the other), where "
        "the identifier came up in this turn, or where the one that was named is used in this turn as well.",
        fails='user: "redirect PK-70112"; redirect(parcel_id="PK-70110"), which an earlier turn listed',
        passes='redirect(parcel_id="PK-70112")',
        grade="likely",
    )
)
def other_entity(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge identifier arguments against the words of the turn."""
    for s in sent(trace):
        for p in s.places:
            if p.parameter.identifier and isinstance(p.value, str | int) and not isinstance(p.value, bool):
                found = _judged(s, p, str(p.value))
                if found is not None:
                    yield found


# Words that leave one thing out, choose between two, or speak of more than one.
_SEVERAL: Final = lazy(
    r"\b(?:instead|rather than|except|but not|not|both|all|every|each|other|another|rest|remaining|compare|versus|than|same as|like|statt|anstatt|außer|nicht|beide\w*|alle\w*|"
    r"ander\w*|jede\w*|übrige\w*|wie|en lugar|en vez|excepto|ambos|ambas|todos|todas|otr[oa]s?|cada|no|igual que|au lieu|sauf|tous|toutes|les deux|autres?|chaque|pas)\b"
    r"|대신|말고|제외|빼고|둘 다|모두|전부|다른|나머지|각각|代わり|以外|両方|全部|すべて|他の|而不是|除了|两个都|所有|其他|其它",
    re.IGNORECASE,
)
_AGREES: Final = lazy(
    r"\s*(?:yes|yeah|yep|sure|ok(?:ay)?|correct|right|please do|go ahead|do (?:it|that)|that'?s|ja|genau|gerne|sí|si|claro|vale|oui|d'accord|네|예|응|좋아|맞|はい|ええ|是|好)(?![a-zäöüß])",
    re.IGNORECASE,
)


_MOST_CALLS: Final = 40


def _judged(s: Sent, p: Place, value: str) -> Check | None:
    # Who works through a long list in one turn handles more than what the user named.
    many = (c for step in s.trace.turns[s.call.turn].steps for c in step.calls)
    if next(itertools.islice(many, _MOST_CALLS, None), None) is not None:
        return None
    now, _ = user_texts(s.trace, s.call)
    said = "\n".join(now)
    if not said or in_text(value, said.casefold()) or _SEVERAL.search(said):
        return None
    named = [x for text in now for x in alike(value, text)]
    if named:
        meant = named[0] if len({re.sub(r"\W", "", x.casefold()) for x in named}) == 1 else None
        how = "the user said"
    else:
        meant, how = _described(s, p, value, said)
    if meant is None or same_identifier(meant, value):
        return None
    if (named and _came_up(s, value)) or _is_used(s, meant) or any(_AGREES.match(text) for text in now):
        return None
    message = f"{how} {meant}; {p.path} is {shown(p.value)}, which stands for another one"
    return s.check("other-entity", "fail", message, place=p, grade="likely", expected=meant)


def _came_up(s: Sent, value: str) -> bool:
    """The identifier was not there before this turn, or came back in it: it belongs to what is being done now."""
    before = [x for x in alike_before(s.trace, s.call, value) if same_identifier(x, value)]
    here = [
        c.result.text for c in s.trace.turns[s.call.turn].calls
        if c.step < s.call.step and c.result is not None and c.result.text
    ]  # fmt: skip
    return not before or any(in_text(value, text.casefold()) for text in here)


def _is_used(s: Sent, meant: str) -> bool:
    """A call of this turn sends what the user named, so this one may be about what follows from it."""
    return any(
        isinstance(q.value, str | int) and in_text(meant, str(q.value).casefold())
        for other in sent(s.trace)
        if other.call.turn == s.call.turn
        for q in other.places
    )


# ---- records that a word of the user tells apart ------------------------------------------------------------------


def _described(s: Sent, p: Place, value: str, said: str) -> tuple[str | None, str]:
    """The identifier of the one record, among siblings of the sent one, that the user's words fit."""
    for name in dict.fromkeys((p.parameter.name.casefold(), "id")):
        held = [(key, records) for step, key, records in _lists(s.trace).get((name, value), ()) if step < s.call.step]
        if held:
            key, records = held[-1]
            return _fitting(_told_apart(records, key), value, said.casefold())
    return None, ""


_Records = list[dict[str, Any]]


@per_trace
def _lists(trace: Trace) -> Mapping[tuple[str, str], list[tuple[int, str, _Records]]]:
    """The lists of records in results by the name and value of an identifier in them: the step, its key, the records."""
    found: dict[tuple[str, str], list[tuple[int, str, _Records]]] = {}
    for call in trace.calls:
        payload = call.result.payload if call.result is not None and call.error is None else None
        for records in _record_lists(payload):
            for key in records[0]:
                words = key_words(str(key))
                if words and words[-1] in ("id", "number", "code", "no"):
                    for value in {str(r.get(key)) for r in records}:
                        found.setdefault((str(key).casefold(), value), []).append((call.step, key, records))
    return found


def _fitting(records: Mapping[str, tuple[str, ...]], value: str, folded: str) -> tuple[str | None, str]:
    """The one record that the user's words fit, when it is not the sent one."""
    fits: dict[str, str] = {}
    for ident, words in records.items():
        word = next((w for w in words if as_written(w, folded)), None)
        if word is not None:
            fits[ident] = word
    if len(fits) != 1 or value in fits:
        return None, ""
    ident, word = next(iter(fits.items()))
    return ident, f"the user's {shown(word)} is"


def _record_lists(payload: Any) -> Iterator[_Records]:
    stack, seen = [payload], 0
    while stack and seen < 500:
        v = stack.pop()
        seen += 1
        if isinstance(v, dict):
            stack.extend(x for x in v.values() if isinstance(x, dict | list))
        elif isinstance(v, list):
            if 2 <= len(v) <= 20 and all(isinstance(x, dict) and x for x in v):
                yield v
            stack.extend(x for x in v[:50] if isinstance(x, dict | list))


def _told_apart(records: _Records, key: str) -> Mapping[str, tuple[str, ...]]:
    """For each record the short words of its fields that no sibling has; empty when two records share an identifier."""
    idents = [r.get(key) for r in records]
    if not all(isinstance(i, str | int) and not isinstance(i, bool) for i in idents) or len({*map(str, idents)}) < len(
        idents
    ):
        return {}
    texts = [
        {
            v.casefold()
            for k, v in r.items()
            if k != key and isinstance(v, str) and 3 <= len(v) <= 30 and not any(c.isdigit() for c in v)
        }
        for r in records
    ]
    return {
        str(i): tuple(sorted(w for w in own if sum(w in other for other in texts) == 1))
        for i, own in zip(idents, texts, strict=True)
    }
