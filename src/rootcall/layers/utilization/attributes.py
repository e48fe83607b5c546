"""Flags and states an answer tells: is it refundable, is the room free, is the ticket closed?

A clause is bound to a flag when it holds the words of the flag's field (or an opposite from a small table), to a state
when it names one record and one word of the field's vocabulary. A claim fails only when every record it can speak of
says the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.facts import Fact, is_state
from rootcall.evidence.words import key_words
from rootcall.layers.utilization.answers import Answer, Sentence, answers, stem
from rootcall.layers.utilization.binding import Entities, entities_of, inside
from rootcall.lazypattern import lazy
from rootcall.trace import Trace

__all__ = ["told_attributes"]

_STATE: Final = lazy(r"[^\W\d][\w \-]{3,24}|[가-힣]{2,8}")
_NEGATION: Final = lazy(
    r"\b(?:not|no|never|neither|nor|without|isn['’]?t|aren['’]?t|wasn['’]?t|weren['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|can['’]?t|cannot|won['’]?t|hasn['’]?t|"
    r"nicht|kein|keine|keinen|ohne|nie|no es|sin|ne|pas|aucun|sans)\b|않|없|아니|안\s|ない|ません|不|没",
    re.IGNORECASE,
)
_CLAUSE: Final = lazy(
    r"[,;:()]\s*|\s[-–—]\s|\s(?:and|but|while|although|und|aber|y|pero|et|mais)\s|하고\s|이고\s|지만\s"
)
_CONDITION: Final = lazy(
    r"\b(?:if|whether|unless|would|could|should|might|when|once|until|before|wenn|ob|falls|würde|könnte|si|cuando|quand)\b|면\s|경우",
    re.IGNORECASE,
)
_STATING: Final = lazy(
    r"\b(?:is|are|was|were|be|been|isn|aren|wasn|weren|remains?|stays?|seems?|looks?|reports?|shows?|has|have|had|ist|sind|war|wurde|está|están|es|son|est|sont)\b|['’](?:s|re)\b|:",
    re.IGNORECASE,
)
_FUNCTION: Final = r"(?:is|are|was|were|be|been|has|have|had|can|will|not|and|but|or|for|from|with|until|till|since|after|before|today|tomorrow|now|again|yet|also|only|at|by)\b"
_ALL: Final = lazy(
    r"\b(?:both|all|each|every|either|beide|alle|ambos|todos|tous|les deux)\b|모두|둘 다|전부", re.IGNORECASE
)
_NONE: Final = lazy(r"\b(?:neither|none|keine[rs]?|ninguno|aucun)\b", re.IGNORECASE)

# Words that say yes or no about a field without naming it, by a word of the field's name.
_OPPOSITES: Final[Mapping[str, tuple[str, str]]] = {
    "on time": (r"on time|on schedule|punctual|pünktlich|정시", r"\blate\b|delay|behind schedule|verspät|지연|늦"),
    "delayed": (r"delay|\blate\b|지연", r"on time|on schedule|정시"),
    "raining": (r"\brain(?:ing|s)?\b|\bwet\b|regnet|비가 (?:오|와|내)", r"\bdry\b|no rain|trocken"),
    "free": (r"\bfree\b|available|vacant|\bfrei\b|비어|사용 가능|libre", r"\btaken\b|occupied|\bbusy\b|(?:is|are|fully|already) booked|unavailable|belegt|사용 중|ocupad|occupé"),
    "available": (r"\bavailable\b|in stock|\bfree\b|verfügbar|가능|disponible", r"unavailable|sold out|out of stock|\btaken\b|ausverkauft|nicht verfügbar|품절|agotad|épuisé"),
    "in stock": (r"in stock|available|lieferbar|재고가 있", r"out of stock|sold out|unavailable|ausverkauft|품절"),
    "healthy": (r"(?<!un)\bhealthy\b|정상", r"\bunhealthy\b|비정상"),
    "open": (r"\bopen(?:s|ed)?\b|geöffnet|열려|영업 중|abiert|ouvert", r"\bclosed\b|\bshut\b|geschlossen|닫|cerrad|fermé"),
    "active": (r"(?<!in)\bactive\b|enabled|aktiv\b|활성", r"\binactive\b|disabled|deactivated|inaktiv|비활성"),
    "enabled": (r"\benabled\b|\bon\b|\bactive\b|켜", r"\bdisabled\b|\boff\b|inactive|꺼"),
    "private": (r"\bprivate\b|privat\b|비공개", r"\bpublic\b|öffentlich|공개"),
    "public": (r"\bpublic\b|öffentlich", r"\bprivate\b|privat\b"),
    "paid": (r"\bpaid\b|bezahlt|결제 완료", r"\bunpaid\b|outstanding|미결제"),
    "included": (r"\bincluded\b|\bincludes\b|inklusive|inbegriffen|포함|incluid|inclus", r"\bexcluded\b|\bextra\b|불포함"),
    "required": (r"\bneeds?\b|\bmust\b|ha(?:ve|s) to|required|necessary|mandatory|müssen|muss\b|erforderlich|필요|해야|necesit|obligator|doit\b|obligatoire",
                 r"optional|not required|nicht nötig|facultati"),
    "allowed": (r"\ballowed\b|\bpermitted\b|erlaubt|가능|허용|permitid|autorisé", r"\bforbidden\b|\bprohibited\b|verboten|불가|prohibid|interdit"),
}  # fmt: skip
_SWITCH: Final = ((r"\bon\b|enabled|active|\bein\b|aktiv|켜", r"\boff\b|disabled|inactive|\baus\b|꺼"),)
# Flags about the answering of the call rather than about what was asked.
_META: Final = frozenset({"error", "errors", "ok", "success", "successful", "fehler", "truncated", "partial"})
_QUIET: Final = frozenset({"is", "has", "have", "was", "are", "can", "flag"})


class _Clause(msgspec.Struct, frozen=True):
    text: str
    start: int
    end: int
    sentence: Sentence


@emits(
    Rule(
        name="utilization/flipped-attribute",
        looks_at="Flags and states of results, told in an answer: refundable or not, free or taken, open or closed.",
        why="One small word turns the answer round, and no number is wrong.",
        fails='refundable: true told as "it is not refundable"',
        passes='"it is refundable"',
        grade="likely",
    ),
    "utilization/supported",
)
def told_attributes(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge every clause that tells a flag or a state of a result before it."""
    for answer in answers(trace):
        if answer.unresolved:
            continue
        facts = answer.facts or answer.older
        flags = _by_field(
            f
            for f in facts
            if isinstance(f.value, bool) and not f.transport and not _META & set(key_words(f.field.rpartition(".")[2]))
        )
        states = _by_field(f for f in facts if isinstance(f.value, str) and _is_state(f))
        if not flags and not states:
            continue
        entities = entities_of(answer, facts)
        n = 0
        for clause in _clauses(answer):
            for check in (*_flags(answer, clause, flags, entities), *_states(answer, clause, states, entities)):
                yield msgspec.structs.replace(check, unit=f"claim:{answer.message.at}#attribute-{n}")
                n += 1


def _clauses(answer: Answer) -> Iterator[_Clause]:
    for s in answer.sentences:
        if s.question:
            continue
        start = 0
        for m in [*_CLAUSE.finditer(s.text), None]:
            end = m.start() if m is not None else len(s.text)
            text = s.text[start:end]
            if text.strip() and not _CONDITION.search(text):
                yield _Clause(text, s.start + start, s.start + end, s)
            start = m.end() if m is not None else end


def _by_field(facts: Iterable[Fact]) -> list[list[Fact]]:
    fields: dict[tuple[str, str], list[Fact]] = {}
    for f in facts:
        fields.setdefault((f.call.tool, f.field), []).append(f)
    return list(fields.values())


def _is_state(f: Fact) -> bool:
    return is_state(f.field.rpartition(".")[2]) and _STATE.fullmatch(f.value) is not None


def _flags(answer: Answer, clause: _Clause, fields: Sequence[list[Fact]], entities: Entities) -> Iterator[Check]:
    for flags in fields:
        told = _polarity(clause.text, flags[0])
        if told is None or _attributive(clause.text, flags[0]):
            continue
        about = _about(answer, clause, flags, entities)
        if not about:
            continue
        wrong = [f for f in about if f.value is not told]
        agreed = [f for f in about if f.value is told]
        if _ALL.search(clause.text) or _NONE.search(clause.text):
            agreed = [] if wrong else agreed
        f = (agreed or wrong)[0]
        if agreed:
            yield _check(answer, f, "pass", f"{clause.text.strip()!r} is {f.path}: {str(f.value).lower()}", clause)
        else:
            yield _check(answer, f, "fail", f"{clause.text.strip()!r}, but {f.path} is {str(f.value).lower()}", clause)


def _check(answer: Answer, f: Fact, status: str, message: str, clause: _Clause) -> Check:
    return Check(
        layer="utilization", rule="utilization/flipped-attribute" if status == "fail" else "utilization/supported", status=status,  # type: ignore[arg-type]
        grade="likely", unit="", at=answer.message.at, source=answer.message.source, tool=f.call.tool, agent=answer.message.agent, message=message,
        expected=f.value, got=clause.text.strip()[:120], causes=(f.call.at,), span=_told_at(clause), fact=f.path or None,
    )  # fmt: skip


def _told_at(clause: _Clause) -> tuple[int, int]:
    """Where a clause stands, without the blanks around it."""
    start = clause.start + len(clause.text) - len(clause.text.lstrip())
    return start, start + len(clause.text.strip())


def _about(answer: Answer, clause: _Clause, flags: Sequence[Fact], entities: Entities) -> list[Fact]:
    """The records a clause surely speaks of: those it names, the carried one, all under a word for all, an only one.

    "Here are the available options" speaks of some of many; then nothing is judged.
    """
    named = [x for x in entities.spans if clause.start <= x[0] < clause.end]
    if named:
        return [f for f in flags if any(inside(f, ids) for _, _, ids in named)]
    if _ALL.search(clause.text) or _NONE.search(clause.text) or len(flags) == 1:
        return list(flags)
    ids = entities.of(answer, clause.start)
    return [f for f in flags if ids and inside(f, ids)]


def _polarity(text: str, flag: Fact) -> bool | None:
    """What a clause says about a flag: True, False, or None when it says nothing about it."""
    words = [w for w in key_words(flag.field.rpartition(".")[2]) if w not in _QUIET] or list(
        key_words(flag.field.rpartition(".")[2])
    )
    if not words:
        return None  # a key without a word is spoken of by nobody
    lower = text.lower()
    negated = _NEGATION.search(lower) is not None
    for word in (" ".join(words), *words):
        opposite = _OPPOSITES.get(word)
        if opposite is None:
            continue
        yes, no = re.search(opposite[0], lower), re.search(opposite[1], lower)
        if no is not None and (yes is None or no.start() <= yes.start() <= no.end()):
            return negated and _NEGATION.search(no.group(0)) is None and "no rain" not in lower
        rest = [w for w in words if w != word] if word in words else []
        if yes is not None and _holds(lower, rest):
            return not negated
    if not _holds(lower, words):
        return None
    for on, off in _SWITCH:
        if re.search(off, lower):
            return negated
        if re.search(on, lower) and len(words) > 1:
            return not negated
    head = words[0] if words else ""
    if head and re.search(rf"\b(?:un|non-?|in|im|ir|dis){re.escape(head[:5])}", lower):
        return negated
    return not negated


def _attributive(text: str, flag: Fact) -> bool:
    """Whether the word of a flag only picks things out ("the cheapest available seat") and states nothing."""
    word = key_words(flag.field.rpartition(".")[2])[-1:]
    found = (
        re.search(rf"\b(?:un|in|non-?)?{re.escape(word[0][:6])}\w*\s+(?!{_FUNCTION})[a-z]{{3,}}", text.lower())
        if word and word[0].isascii()
        else None
    )
    return found is not None and _STATING.search(text[: found.start()]) is None


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether every word of a field's name stands in a clause, in whatever form, the prefixed negations included."""
    if any(not w.isascii() and w not in text for w in words):
        return False  # scripts that join endings to words: the name must stand as it is
    words = [w for w in words if w.isascii()]
    stems = {stem(w) for w in re.findall(r"[^\W_]+", text)}
    spread = {s for w in stems for s in (w, re.sub(r"^(?:un|non|in|im|ir|dis)", "", w))}
    return all(any(stem(w)[:6] == s[:6] and len(s) > 2 for s in spread) for w in words)


def _states(answer: Answer, clause: _Clause, fields: Sequence[list[Fact]], entities: Entities) -> Iterator[Check]:
    """A state word of the field's vocabulary in a clause that speaks of exactly one record with another state."""
    lower = clause.text.lower()
    for states in fields:
        vocabulary = {str(f.value).lower() for f in states}
        told = [
            v
            for v in vocabulary
            if re.search(rf"(?<!\w){re.escape(v.replace('_', ' '))}(?!\w)", lower.replace("_", " "))
        ]
        if (
            len(told) != 1
            or _NEGATION.search(lower)
            or re.search(rf"\b(?:can|be|to|could|will|get|any)\b[^,]{{0,12}}{re.escape(told[0])}", lower)
        ):
            continue
        named = [ids for start, _, ids in entities.spans if clause.start <= start < clause.end] or [
            entities.of(answer, clause.start)
        ]
        about = [f for f in states if any(inside(f, ids) for ids in named if ids)]
        if len(about) != 1:
            continue
        f = about[0]
        if str(f.value).lower() == told[0]:
            yield _check(answer, f, "pass", f"{told[0]!r} is {f.path}", clause)
        else:
            yield _check(answer, f, "fail", f"told as {told[0]!r}, but {f.path} is {f.value!r}", clause)
