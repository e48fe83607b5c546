"""What is told although nothing was there: no call, no result, an empty result, names that stand nowhere.

The values of an answer over empty results are judged in `claims`; here stand the texts that need no value to be
wrong, and facts a case wants the answer to hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from rootcall.case import Case, matcher, place_of
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.facts import payload_of, trace_facts
from rootcall.evidence.patterns import TooCostly, searched
from rootcall.evidence.values import mentions
from rootcall.jsonvalue import MISSING, join_path
from rootcall.layers.utilization.answers import Answer, answers, is_hollow
from rootcall.layers.utilization.binding import agrees
from rootcall.lazypattern import lazy
from rootcall.matching import describe
from rootcall.trace import Call, Trace

__all__ = ["missing_fact", "told_without_result", "unread_payload"]

_TOOL_SAID: Final = lazy(
    r"\b(?:the|your|our)\s+(?:\w+\s)?(?:tool|search|lookup|query|api|function|database)\s(?:call\s|result\s|results\s)?(?:returned|returns|shows?|showed|says|said|reports?|reported|found|gave)\b"
    r"|\b(?:according to|based on|as per) the (?:tool|search|api|query|lookup)(?:'s)? (?:results?|output|response)\b"
    r"|(?:도구|검색|조회) 결과(?:에 따르면|는|를 보면)|das (?:tool|werkzeug) (?:hat|lieferte|meldet)",
    re.IGNORECASE,
)
_ABSENT: Final = lazy(
    r"\b(?:no|not|none|nothing|neither|nor|without|unknown|missing|empty|unavailable|unable|cannot|yet|sorry|afraid|unfortunately|fail(?:ed)?|waiting|pending|try|trying|"
    r"asked|requested|moment|check|checking|let me|one second)\b|n['’]t\b|\?|…\s*\Z|\bkeine?\b|\bnicht\b|leider|없|않|못|잠시|확인|\bno hay\b|\baucune?\b|\bpas\b|ありません|ない|没有|无",
    re.IGNORECASE,
)
_QUOTED: Final = lazy(r"['‘“\"「]([^'’”\"「」]{2,60})['’”\"」]")
_NAME: Final = lazy(r"(?<![.!?]\s)(?<!\A)\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)+")


@emits("utilization/absent-as-known")
def told_without_result(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge answers that rest on nothing: no call in the whole trace, or only calls without a result in the turn."""
    if not trace.calls and trace.completeness.history == "full":
        for step in trace.steps:
            found = _TOOL_SAID.search(step.message.text or "")
            if found is not None:
                yield Check(
                    layer="utilization", rule="utilization/absent-as-known", status="fail", grade="likely", unit=f"claim:{step.message.at}#told", at=step.message.at,
                    source=step.message.source, got=found.group(0), span=found.span(), message=f"{found.group(0)!r} is told, but no tool ran",
                )  # fmt: skip
        return
    for answer in answers(trace):
        silent = [c for c in answer.turn_calls if c.outcome == "no_result"]
        if not silent or answer.unresolved or answer.message.calls:
            continue
        yield from _silent(answer, silent)


def _silent(answer: Answer, silent: list[Call]) -> Iterator[Check]:
    """Claims in sentences about a call that never came back."""
    alone = len(silent) == len(answer.turn_calls)
    for n, s in enumerate(answer.sentences):
        about = [c for c in silent if alone or _spoken_of(c, answer, s.text)]
        if not about or _ABSENT.search(s.text):
            continue
        values = [m for m in mentions(s.text) if not any(set(m.readings) & set(x.readings) for x in answer.said)]
        if not values:
            continue
        c = about[0]
        yield Check(
            layer="utilization", rule="utilization/absent-as-known", status="fail", grade="likely", unit=f"claim:{answer.message.at}#silent-{n}", at=answer.message.at,
            source=answer.message.source, tool=c.tool, got=s.text.strip()[:120], message=f"{values[0].text} is told, but {c.tool} brought no result", causes=(c.at,),
            span=(s.start + values[0].start, s.start + values[0].end),
        )  # fmt: skip


def _spoken_of(call: Call, answer: Answer, text: str) -> bool:
    """Whether a sentence names an argument of the silent call that no call with a result shares."""
    others = {
        str(v).lower()
        for c in answer.turn_calls
        if c.at != call.at and c.result is not None
        for v in (c.arguments or {}).values()
    }
    own = {str(v).lower() for v in (call.arguments or {}).values() if isinstance(v, str)} - others
    return any(len(v) > 1 and v in text.lower() for v in own)


@emits(
    Rule(
        name="utilization/payload-ignored",
        looks_at="Answers over an empty result that tell names or quoted things found nowhere upstream, without a word that says nothing was found.",
        why="The result was not read; the answer comes from memory or from nowhere.",
        fails="terms: [] told as \"in use: 'pain relief' and 'sleep aid'\"",
        passes='"no search terms are in use"',
        grade="likely",
    ),
    "utilization/supported",
)
def unread_payload(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge answers whose last result said that nothing was found."""
    for answer in answers(trace):
        if not answer.turn_calls or answer.message.calls or not is_hollow(answer.turn_calls[-1]) or answer.cut:
            continue
        call = answer.turn_calls[-1]
        fields: dict[str, Any] = {"unit": f"claim:{answer.message.at}#hollow", "at": answer.message.at, "source": answer.message.source, "tool": call.tool,
                                  "causes": (call.at,), "grade": "likely"}  # fmt: skip
        if _ABSENT.search(answer.text):
            yield Check(
                layer="utilization",
                rule="utilization/supported",
                status="pass",
                message="told as not found, as it was",
                **fields,
            )
            continue
        told = [(m.group(1), m.span(1)) for m in _QUOTED.finditer(answer.text)]
        told += [(m.group(0), m.span()) for m in _NAME.finditer(answer.text)]
        new = [t for t in told if not answer.upstream.holds(t[0].lower())]
        if new and answer.complete:
            yield Check(layer="utilization", rule="utilization/payload-ignored", status="fail", got=new[0][0], span=new[0][1], **fields,
                        message=f"{new[0][0]!r} is told, but the result of {call.tool} is empty")  # fmt: skip


@emits(
    Rule(
        name="utilization/missing-fact",
        looks_at="What a case says the answer must hold (`answer`), read in the last answer: `$says` values by meaning, `$not` for what must not be said.",
        why="An answer can be free of errors and still not answer.",
        fails='answer: [{$says: "cannot be refunded"}], answered "One moment…"',
        passes='"Ticket T5 is non-refundable, so it cannot be refunded."',
    )
)
def missing_fact(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge the final answer against the facts a case wants."""
    if case is None or not case.answer:
        return
    final = next((s.message for s in reversed(trace.steps) if s.message.text), None)
    text = (final.text or "") if final is not None else ""
    at = final.at if final is not None else "messages"
    for n, wanted in enumerate(case.answer):
        found = _says(wanted, text, trace)
        yield Check(
            layer="utilization", rule="utilization/missing-fact", status="unscored" if found is None else "pass" if found else "fail", unit=f"fact:{n}", at=at,
            source=final.source if final is not None else trace.source, expected=wanted, pair=f"{case.id}/answer/{n}",
            question="answer-says" if found is None else None,
            message=f"{describe(wanted)}: {'cannot be decided by rule' if found is None else 'met' if found else 'not met by the answer'}",
        )  # fmt: skip


def _says(wanted: object, text: str, trace: Trace) -> bool | None:
    """Whether a text says what is wanted; None when no rule can tell."""
    found = matcher(wanted)
    if found is None:
        return _holds(wanted, text)
    name, operand = found
    if name == "$not":
        inner = _says(operand, text, trace)
        return None if inner is None else not inner
    if name == "$says":
        return _says(operand, text, trace) if matcher(operand) is not None else _holds(operand, text)
    if name == "$from":
        return _holds_fact(str(operand), text, trace)
    if name == "$one_of":
        parts = [_says(o, text, trace) for o in operand]
        return True if True in parts else None if None in parts else False
    if name in ("$regex", "$contains", "$casefold"):
        return _found(name, operand, text)
    if name == "$literal":
        return _holds(operand, text)
    return None


def _found(name: str, operand: object, text: str) -> bool | None:
    if not isinstance(operand, str):
        return None
    if name == "$regex":
        try:
            return searched(operand, text)
        except TooCostly:
            return None
    return operand in text if name == "$contains" else operand.casefold() in text.casefold()


def _holds(wanted: object, text: str) -> bool:
    """A value is said when a mention of the text agrees with one of its readings, or its words stand in the text."""
    said = str(wanted)
    values = (
        mentions(said) if not isinstance(wanted, int | float) or isinstance(wanted, bool) else mentions(f"{wanted}")
    )
    if len(values) == 1 and values[0].text.strip() == said.strip() and values[0].readings:
        return any(m.kind == values[0].kind and agrees(m, values[0].readings[0]) for m in mentions(text))
    return _stands_in(said, text)


def _stands_in(said: str, text: str) -> bool:
    """Whether words stand in a text as words: "Ann" does not stand in "Hannah". Scripts that join words are searched as they are."""
    wanted, read = (unicodedata.normalize("NFC", " ".join(t.casefold().split())) for t in (said, text))
    if not wanted:
        return False
    before = r"(?<![^\W_])" if _SPACED.match(wanted[0]) else ""
    behind = r"(?![^\W_])" if _SPACED.match(wanted[-1]) else ""
    return re.search(before + re.escape(wanted) + behind, read) is not None


# Letters and digits of scripts that put a space between words: Latin, Greek, Cyrillic.
_SPACED: Final = lazy(r"[0-9A-Za-z\u00aa-\u052f\u1e00-\u1fff]")


def _holds_fact(path: str, text: str, trace: Trace) -> bool | None:
    """`tool[n].path` of an earlier result, told in any of the ways it can be told."""
    from rootcall.layers.utilization.binding import says

    place = place_of(path)
    calls = [c for c in trace.calls if place is not None and c.tool == place[0] and payload_of(c) is not MISSING]
    if place is None or place[1] >= len(calls):
        return None
    inner = ""
    for step in place[2]:
        inner = join_path(inner, step)
    fact = next((f for f in trace_facts(trace).get(calls[place[1]].at, ()) if f.path == inner and not f.count), None)
    if fact is None:
        return None
    if isinstance(fact.value, str):
        if not fact.value.strip():
            return None  # an empty text is said by every answer
        if _stands_in(fact.value, text):
            return True
    return any(says(mention, fact) for mention in mentions(text))
