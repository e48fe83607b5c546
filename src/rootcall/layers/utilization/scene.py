"""What the judgements of one answer share: its facts, its entities, its holes, and how a ruling is given.

A `Ruling` is what one value of an answer gets. The scene knows when an accusation is allowed: never where a part of the
conversation or of a result is missing, nor after an unresolved error, which is recovery's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rootcall.check import Grade, Status
from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.evidence.units import Unit
from rootcall.evidence.wording import wording
from rootcall.evidence.words import key_words
from rootcall.layers.utilization.answers import Answer, Hole, is_hollow, word_set
from rootcall.layers.utilization.binding import (
    Context,
    agrees,
    comparable,
    entities_of,
    reach,
    says,
    stems,
    value_in_unit,
)
from rootcall.lazypattern import lazy
from rootcall.trace import Call

__all__ = ["Ruling", "Scene", "fail", "hint", "supported", "unscored"]

_WORD: Final = lazy(r"[^\W\d_]+")
_MIXED: Final = lazy(r"(?=.*\d)(?=.*[^\W\d_]{2})")
_ABSENT: Final = lazy(
    r"\b(?:no|not|none|never|nothing|neither|nor|without|unknown|missing|empty|unavailable|unable|cannot)\b|n['’]t\b"
    r"|\bkeine?\b|\bnicht\b|없|않|못|\bning[uú]n|\bno hay|\baucune?\b|\bpas\b|ありません|ない|没有|无",
    re.IGNORECASE,
)


class Ruling(NamedTuple):
    """What one value gets: the rule's name, its status and grade, the sentence, and the fact it is held against."""

    status: Status
    name: str
    grade: Grade
    message: str
    fact: Fact | None = None
    call: Call | None = None


def fail(name: str, message: str, fact: Fact | None = None, call: Call | None = None) -> Ruling:
    """A finding that fails its unit; `call` is the call whose result is misread, where no fact says so."""
    return Ruling("fail", name, "likely", message, fact, call)


def hint(message: str, fact: Fact | None = None) -> Ruling:
    """A finding that is shown and fails nothing."""
    return Ruling("fail", "unsupported", "hint", message, fact)


def unscored(message: str, fact: Fact | None = None) -> Ruling:
    """A value that cannot be decided."""
    return Ruling("unscored", "unsupported", "likely", message, fact)


def supported(message: str, fact: Fact | None = None) -> Ruling:
    """A value that a result holds or that follows from one."""
    return Ruling("pass", "supported", "proof", message, fact)


_BELOW: Final = lazy(
    r"\bminus\b|\bnegative\b|below (?:zero|freezing)|unter (?:null|dem gefrierpunkt)|\bfell\b|\bfall(?:s|en)?\b|\bdrop|\bdown\b|decreas|declin|\blos[st]\w*|\blower"
    r"|overdrawn|\bow(?:e|es|ed|ing)\b|deficit|shortfall|in the red|gefallen|gesunken|verlust|überzogen|im minus|영하|하락|감소|떨어|내렸|손실|마이너스"
    r"|bajo cero|baj[óa]|cayó|pérdida|perdi|descend|moins|baiss|chut|perte|découvert|マイナス|氷点下|下落|下降|零下|亏损",
    re.IGNORECASE,
)


class Scene:
    """One answer with what its values are judged against."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.facts = answer.facts or answer.older
        self.entities = entities_of(answer, self.facts)
        self.drifting = not answer.turn_calls
        self.hollow = bool(answer.turn_calls) and is_hollow(answer.turn_calls[-1])
        self.uncaptured = any(c.result is not None and c.result.text is None for c in answer.turn_calls)
        known = (*answer.facts, *answer.older)
        self._moments = {"date": [f for f in known if f.dates], "time": [f for f in known if f.times]}
        self._numbers: dict[Unit | None, list[tuple[float, int, Fact]]] = {}
        for n, f in enumerate(known):
            for value, unit in f.values:
                self._numbers.setdefault(unit, []).append((value, n, f))
        names = {f.words[:2] for f in self.facts if not f.transport}
        self.field_words = {w for words in names for w in stems(words)}
        self._names = list(_repeated_texts(answer))

    def saying(self, mention: Mention) -> list[Fact]:
        """The facts that hold a value, in the order of the results."""
        if mention.kind != "number":
            return [f for f in self._moments.get(mention.kind, ()) if says(mention, f)]
        low, high = reach(mention)
        below = low > 0 and self._says_below(mention)
        found: dict[int, Fact] = {}
        for unit, values in self._numbers.items():
            if not comparable(mention, unit):
                continue
            for value, n, f in values:
                said = value_in_unit(value, unit, mention)
                if said is None:
                    continue
                said = abs(said) if below else said
                if low <= said <= high and agrees(mention, said):
                    found[n] = f
                elif mention.percent and unit is None and 0 < abs(said) < 1:
                    # A fraction without a unit is a share of something, whatever its field is called.
                    share = 100 * said
                    if low <= share <= high and agrees(mention, share):
                        found[n] = f
        return [found[n] for n in sorted(found)]

    def _says_below(self, mention: Mention) -> bool:
        """Whether the words around a value give it the minus: "minus 7", "7 below zero", "fell by 2 %"."""
        return _BELOW.search(self.answer.sentence_of(mention.start).text) is not None

    @property
    def accusing(self) -> bool:
        """Whether "stands nowhere" can be said at all."""
        return self.answer.complete and not self.answer.cut and not self.answer.unresolved

    @property
    def unsupported(self) -> str:
        """The name of a value that contradicts a result: in a turn without calls the answer has drifted."""
        return "drift" if self.drifting else "unsupported"

    def part_of_name(self, mention: Mention) -> bool:
        """Whether a value stands inside a longer text that a result gave ("1:1 with Ivy")."""
        length = mention.end - mention.start
        return any(start <= mention.start and mention.end <= end and end - start > length for start, end in self._names)

    def members(self, mention: Mention) -> set[tuple[str, str]]:
        """The list members that the other values of the answer speak of: those a value agrees with and no sibling does."""
        found: set[tuple[str, str]] = set()
        for m in self.answer.mentions:
            if m is mention or m.word:
                continue
            held = self.saying(m) if m.kind != "code" else self._coded(m)
            listed = {(f.record.call.at, f.record.path) for f in held if f.record.path.endswith("]")}
            if len(listed) == 1:
                found |= listed
        return found

    def _coded(self, mention: Mention) -> list[Fact]:
        plain = mention.text.lstrip("#").lower()
        return [f for f in self.facts if isinstance(f.value, str) and f.value.lower().lstrip("#") == plain]

    def plans(self, mention: Mention) -> bool:
        """Whether the sentence only says what the agent is about to do: a plan claims nothing about a result."""
        return wording(self.answer.sentence_of(mention.start).text).intends

    def repeated(self, mention: Mention) -> bool:
        """Whether the user, the system message, a tool's words or a call's arguments said the value before."""
        number = mention.kind == "number"
        # Four digits and more without a unit are an account or a card, or the end of one, rather than a figure.
        long = number and mention.unit is None and re.fullmatch(r"\d{4,}", mention.text) is not None
        if long and self.answer.upstream.matches(rf"{mention.text}(?!\d)"):
            return True
        return any(
            _same_number(mention, m) if number else _same_moment(mention, m)
            for m in self.answer.said
            if m.kind == mention.kind
        )

    def segment(self, mention: Mention) -> str:
        """The text between the values before and after a claim, within its sentence."""
        answer, s = self.answer, self.answer.sentence_of(mention.start)
        before = max((m.end for m in answer.mentions if s.start < m.end <= mention.start), default=s.start)
        after = min((m.start for m in answer.mentions if mention.end <= m.start < s.end), default=s.end)
        return answer.text[before:after]

    def hole(self, mention: Mention, context: Context) -> Hole | None:
        """The hole of a payload that a claim fills in, if one is about what the claim is about."""
        for hole in self.answer.holes:
            named = word_set(key_words(hole.words[0])) if hole.words else set()
            if mention.unit is None:
                if named & self._beside(mention):
                    return hole
            elif (hole.unit is not None and comparable(mention, hole.unit)) or named & (context.near | context.asked):
                return hole
        return self.answer.holes[0] if self.hollow and self.answer.holes else None

    def _beside(self, mention: Mention) -> set[str]:
        """The words right before and right behind a value: what a bare number counts."""
        text = self.answer.text
        before = _WORD.findall(text[: mention.start])[-1:]
        return word_set([*before, *_WORD.findall(text[mention.end : mention.end + 40])[:1]])

    def from_nothing(self, mention: Mention, hole: Hole) -> Ruling | None:
        """The ruling on a value told although the payload has nothing there; None when the sentence says so."""
        s = self.answer.sentence_of(mention.start)
        if _ABSENT.search(s.text) or s.question or not self.accusing:
            return None
        name = "empty-as-found" if self.hollow or hole.empty_list else "absent-as-known"
        place = hole.path or "the result"
        return fail(name, f"{mention.text} is told, but {place} of {hole.call.tool} holds nothing", call=hole.call)

    def only_figure(self, mention: Mention, fact: Fact) -> bool:
        """Whether a sentence names the record of a fact that is the only figure there: then nothing missing matters."""
        if self.answer.unresolved or self.answer.cut or not self.answer.captured:
            return False
        text = self.answer.sentence_of(mention.start).text.lower()
        if not any(len(n) > 2 and n.lower() in text for n in fact.record.names):
            return False
        return (
            sum(1 for f in self.facts if f.record is fact.record and f.values and not f.transport and not f.count) == 1
        )

    def undecided(self, mention: Mention) -> Ruling:
        """The ruling on a value that is bound to nothing."""
        return unscored(f"{mention.text} is bound to no field of a result")

    def incomplete(self, mention: Mention, fact: Fact) -> Ruling:
        """The ruling on a value that something missing could hold."""
        return unscored(f"{mention.text} cannot be decided: a part of the conversation is missing", fact)


def _same_number(mention: Mention, m: Mention) -> bool:
    value = value_in_unit(m.readings[0], m.unit, mention)
    return value is not None and (agrees(mention, value) or any(agrees(mention, r) for r in m.readings[1:]))


def _same_moment(mention: Mention, m: Mention) -> bool:
    years = m.year is None or mention.year is None or m.year == mention.year
    return years and not set(m.readings).isdisjoint(mention.readings)


def _repeated_texts(answer: Answer) -> Iterator[tuple[int, int]]:
    """Where an answer repeats a text of a payload that holds digits besides letters."""
    text = answer.text.lower()
    seen: set[str] = set()
    for f in (*answer.facts, *answer.older):
        value = f.value
        if not isinstance(value, str) or value in seen or f.dates or not 3 <= len(value) <= 200:
            continue
        seen.add(value)
        start = text.find(value.lower()) if _MIXED.search(value) else -1
        while start >= 0:
            yield start, start + len(value)
            start = text.find(value.lower(), start + 1)
