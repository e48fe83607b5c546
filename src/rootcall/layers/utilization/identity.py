"""A result that answers for another identity than the one asked, told as if it were the right one.

A server can look up the wrong record, a cache can mix up two, and a token can belong to somebody else. Judged are reads whose
result says itself whose it is, under the very name the identifier was sent by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.effects import read_only
from rootcall.evidence.identities import alike, same_identifier
from rootcall.evidence.values import mentions
from rootcall.evidence.words import key_words, word_set
from rootcall.jsonvalue import walk
from rootcall.layers.utilization.answers import Answer, answers
from rootcall.trace import Call, Trace

__all__ = ["other_identity"]

_IDENTIFIES: Final = word_set("id ids number no code key ref reference uuid email")
# The answer itself says that something is not as asked.
_NOTICED: Final = re.compile(
    r"\b(?:different|another|other|instead|mismatch|wrong|does(?:n['’]t| not) match|not the one|ander\w*|stattdessen|falsch\w*|otr[oa]s?|distint[oa]s?|"
    r"autres?|différent\w*)\b|다른|대신|일치하지|別の|違う|异|不同|其他",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="utilization/other-identity",
        looks_at="A read whose result holds, under the name of an identifier that was sent, another identifier of that kind, and an "
        "answer that tells values of that result without a word about it.",
        why="The payload is grounded and the answer quotes it rightly, about somebody else's order. Results that hold the identifier "
        "asked for anywhere, writes, and answers that name the other identifier or say that it differs are left alone.",
        fails='get_order(order_id="W-1001") -> {"order_id": "W-2002", "total": 40}; "Your total is $40."',
        passes='get_order(order_id="W-1001") -> {"order_id": "W-1001", "total": 40}; "Your total is $40."',
        grade="likely",
    )
)
def other_identity(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge the answers over results that are about somebody else."""
    for answer in answers(trace):
        for call in answer.turn_calls:
            found = _other(trace, call)
            if found is not None and not _told(answer, found[2]) and _used(answer, call):
                name, asked, got = found
                yield Check(
                    layer="utilization", rule="utilization/other-identity", status="fail", grade="likely", unit=f"claim:{answer.message.at}#identity-{call.at}",
                    at=answer.message.at, source=answer.message.source, tool=call.tool, argument=name, expected=asked, got=got, causes=(call.at,),
                    message=f"{call.tool} was asked for {name} {asked} and answered for {got}; the answer does not say so",
                )  # fmt: skip


def _other(trace: Trace, call: Call) -> tuple[str, str, str] | None:
    """The identifier that was sent, and the other one that the result holds under the same name."""
    if call.outcome != "ok" or call.result is None or not call.arguments:
        return None
    record = _record(call.result.payload)
    if record is None or not read_only(trace.tool(call.tool), call.tool):
        return None
    for name, sent in call.arguments.items():
        got = record.get(name)
        if (
            not isinstance(sent, str | int)
            or not isinstance(got, str | int)
            or isinstance(sent, bool)
            or isinstance(got, bool)
        ):
            continue
        asked, answered = str(sent), str(got)
        if _IDENTIFIES.isdisjoint(key_words(name)) or same_identifier(asked, answered):
            continue
        # Another kind of identifier (a number for a code) is another way to name the same thing.
        if any(same_identifier(answered, x) for x in alike(asked, answered)) and not _holds(call.result.payload, asked):
            return name, asked, answered
    return None


def _record(payload: Any) -> Mapping[str, Any] | None:
    """The record that a result is: an object, or the only object in it (`{"order": {…}}`)."""
    if not isinstance(payload, Mapping):
        return None
    inner = list(payload.values())
    return inner[0] if len(inner) == 1 and isinstance(inner[0], Mapping) else payload


def _holds(payload: Any, asked: str) -> bool:
    return any(isinstance(v, str | int) and same_identifier(str(v), asked) for _, v in walk(payload))


def _told(answer: Answer, other: str) -> bool:
    text = answer.message.text or ""
    return _NOTICED.search(text) is not None or other.casefold() in text.casefold()


def _used(answer: Answer, call: Call) -> bool:
    """Whether the answer tells a value or a text that this result holds and the user did not say."""
    assert call.result is not None
    text = (answer.message.text or "").casefold()
    said = {r for m in answer.said for r in m.readings}
    told = {r for m in mentions(answer.message.text or "") for r in m.readings} - said
    return any(
        (isinstance(v, str) and len(v) > 3 and v.casefold() in text) or (isinstance(v, int | float) and v in told)
        for _, v in walk(call.result.payload)
    )
