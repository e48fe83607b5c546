"""Each value an answer states, bound to a field of a payload: supported, derived, contradicted or unsupported.

"The number stands somewhere in the payload" is no grounding: a claim is bound to an entity and a field by the words
around it and by its unit. A claim that only repeats what the user, the system message or a call said is no claim about
a result and is not a unit. Where a part of the conversation was not captured, nothing is called unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Grade, Rule, Status, emits
from rootcall.config import Config
from rootcall.evidence.facts import Fact
from rootcall.evidence.values import Mention, digits, key_words
from rootcall.evidence.wording import wording
from rootcall.jsonvalue import MISSING
from rootcall.layers.utilization.answers import Answer, Hole, answers, is_hollow, word_set
from rootcall.layers.utilization.binding import (
    Context,
    Entities,
    agrees,
    comparable,
    context_of,
    entities_of,
    field_words,
    inside,
    kind_of,
    overlap,
    says,
    value_in_unit,
)
from rootcall.layers.utilization.derived import announced, derivable, derives
from rootcall.trace import Trace

__all__ = ["grounding"]

_SHIFT_DAYS: Final = 7
# Unit and field both speak for the binding.
_FIRM: Final = 4.0
_WORD: Final = re.compile(r"[^\W\d_]+")
_MIXED: Final = re.compile(r"(?=.*\d)(?=.*[^\W\d_]{2})")
_ZONE: Final = re.compile(r"\b(?:UTC|GMT|[ECMP][SD]?T|CE?S?T|KST|JST|local|Ortszeit)\b|현지|時間帯", re.IGNORECASE)
_COMPARED: Final = re.compile(
    r"\bthan\b|\w{3,}est\b|\b(?:most|least|best|worst|next|other|another|second|remaining|rest|same|instead|from|until|before|was|previously|old)\b|보다|가장|\bals\b|\bque\b",
    re.IGNORECASE,
)
_YES: Final = re.compile(
    r"\s*(?:yes|yeah|yep|sure|correct|right|exactly|absolutely|ja\b|genau|네|예\b|맞|sí|oui|はい|是的)", re.IGNORECASE
)
_LIMIT: Final = re.compile(
    r"limit|budget|under|below|within|at most|max|less than|up to|stay|no more|höchstens|unter|이하|미만|예산|한도|menos de|moins de",
    re.IGNORECASE,
)
_ABSENT: Final = re.compile(
    r"\b(?:no|not|none|never|nothing|neither|nor|without|unknown|missing|empty|unavailable|unable|cannot)\b|n['’]t\b|\bkeine?\b|\bnicht\b|없|않|못|\bning[uú]n|\bno hay|\baucune?\b|\bpas\b|ありません|ない|没有|无",
    re.IGNORECASE,
)  # fmt: skip


def _rule(name: str, looks_at: str, why: str, fails: str, passes: str, grade: Grade = "likely") -> Rule:
    return Rule(name=f"utilization/{name}", looks_at=looks_at, why=why, fails=fails, passes=passes, grade=grade)


_RULES: Final = (
    _rule(
        "supported",
        "A value in an answer that agrees with the field it is bound to, at the precision shown, or follows from facts by announced arithmetic.",
        "It is the pass beside the faults below, so that a share of supported claims exists.",
        "(never fails; its failures have the names below)",
        'amount_cents: 4500 told as "$45.00", "$45" or "4,500 cents"',
    ),
    _rule(
        "transposed-digits",
        "A number that has the digits of the bound field in another order.",
        "The commonest slip in copying; every digit is right, so a quick look passes it.",
        'amount_cents: 4500 told as "$54.00"',
        'amount_cents: 4500 told as "$45.00"',
    ),
    _rule(
        "scale-slip",
        "A number that differs from the bound field by a power of ten, or takes minor units for major ones.",
        "Cents told as dollars are a hundred times too much; a ratio told as a percentage without the factor a hundred times too little.",
        'amount_cents: 4500 told as "$4,500"',
        'amount: 4500 told as "$4,500.00"',
    ),
    _rule(
        "sibling-value",
        "A value that is in the payload, but in another field or record than the one the words name.",
        "It is why a search for the number in the payload finds almost no wrong numbers.",
        'high_c: 18, low_c: 12 told as "high 12 °C"',
        'high_c: 18, low_c: 12 told as "high 18 °C, low 12 °C"',
    ),
    _rule(
        "shifted-date",
        "A date a few days, or a year, away from the date of the bound field.",
        "A booking told for the wrong day is missed.",
        'date: 2026-06-03 told as "4 June"',
        'date: 2026-06-03 told as "3 June"',
    ),
    _rule(
        "wrong-unit",
        "A number that is the field's, under a unit that is not.",
        "20 kg and 20 lb are two bags.",
        'max_kg: 20 told as "20 lb"',
        'max_kg: 20 told as "20 kg" or "about 44 lb"',
    ),
    _rule(
        "wrong-derivation",
        "A value that words announce as derived (total, difference, average …) and that no such arithmetic over the facts gives.",
        "Sums are where right parts become a wrong whole.",
        'change_fee 48 and fare_difference 55, "so $112.00 altogether"',
        '"so $103.00 altogether"',
    ),
    _rule(
        "unsupported",
        "A value bound to a field by its words or unit that neither this field nor anything said before holds.",
        "It is made up, whatever it looks like.",
        'total_paid 914.00 told as "the booking cost $1,887.00"',
        '"the booking cost $914.00"',
    ),
    _rule(
        "drift",
        "A value in a later turn that contradicts what an earlier result holds.",
        "Answers are right at first and wander when asked again.",
        'duration_minutes: 180, told rightly in turn 1, "225 minutes" in turn 2',
        '"180 minutes" in both turns',
    ),
    _rule(
        "empty-as-found",
        "Values told as found although the result was empty.",
        "An empty list is an answer; inventing entries is worse than saying so.",
        'deals: [] told as "there are two: Expansion and Data add-on"',
        '"there are no deals at that stage"',
    ),
    _rule(
        "absent-as-known",
        "Values told although the field is null, was left out, or no result came back at all.",
        "What is not there cannot be read.",
        'arr_cents: null told as "$19,610.00 a year"',
        '"the record has no revenue figure"',
    ),
)


@emits(*_RULES)
def grounding(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge every value of every answer that follows a call."""
    for answer in answers(trace):
        if not answer.mentions:
            continue
        yield from _Judge(answer).checks()


class _Judge:
    """Judges the values of one answer; holds what they share."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.facts = answer.facts or answer.older
        self.entities: Entities = entities_of(answer, answer.facts or answer.older)
        self.drifting = not answer.turn_calls
        self.hollow = bool(answer.turn_calls) and is_hollow(answer.turn_calls[-1])
        known = (*answer.facts, *answer.older)
        self.sayable: dict[str, list[Fact]] = {
            "number": [f for f in known if f.values],
            "date": [f for f in known if f.dates],
            "time": [f for f in known if f.times],
        }
        self.quoted = _quoted(answer)
        self.uncaptured = any(c.result is not None and c.result.text is None for c in answer.turn_calls)
        self.field_words = {w for f in self.facts if not f.transport for w in field_words(f, 2)}

    def checks(self) -> Iterator[Check]:
        n = 0
        for mention in self.answer.mentions:
            # A number inside a name that a result gave ("1:1 with Ivy") is part of the name.
            if any(
                start <= mention.start and mention.end <= end and end - start > mention.end - mention.start
                for start, end in self.quoted
            ):
                continue
            found = self._judge(mention)
            if found is not None:
                yield self._check(mention, n, *found)
                n += 1

    def _check(
        self, mention: Mention, n: int, status: Status, name: str, grade: Grade, message: str, fact: Fact | None
    ) -> Check:
        answer = self.answer
        call = fact.call if fact is not None else answer.turn_calls[-1] if answer.turn_calls else answer.calls[-1]
        return Check(
            layer="utilization", rule=f"utilization/{name}", status=status, grade=grade, unit=f"claim:{answer.message.at}#{n}", at=answer.message.at,
            source=answer.message.source, tool=call.tool, agent=answer.message.agent, message=message, got=mention.text,
            expected=fact.value if fact is not None and isinstance(fact.value, str | int | float) else MISSING, causes=(call.at,),
            question="claim-grounded" if status == "unscored" else None,
        )  # fmt: skip

    # ---- one claim ---------------------------------------------------------------------------------------------

    def _judge(self, mention: Mention) -> tuple[Status, str, Grade, str, Fact | None] | None:
        """Return `(status, rule, grade, message, fact)`, or None when the value is no claim about a result."""
        if mention.kind == "code":
            return self._code(mention)
        context = context_of(self.answer, mention)
        hits = [f for f in self.sayable[mention.kind] if says(mention, f)]
        if hits:
            return self._conflict(mention, context, hits) or self._supported(mention, hits, context)
        if self._repeated(mention):
            return self._affirmed(mention, context)
        if wording(self.answer.sentence_of(mention.start).text).intends:
            return None  # a plan ("I'll search for 23 May") claims nothing about a result
        how = derives(self.answer, mention)
        if how is not None:
            return "pass", "supported", "proof", f"{mention.text}: {how}", None
        if mention.kind == "date":
            return self._date(mention, context)
        if mention.kind == "time":
            return self._time(mention, context)
        return self._number(mention, context)

    def _supported(
        self, mention: Mention, hits: Sequence[Fact], context: Context
    ) -> tuple[Status, str, Grade, str, Fact | None] | None:
        best = max(hits, key=lambda f: overlap(f, context.near))
        if mention.word and best.transport:
            return None
        return "pass", "supported", "proof", f"{mention.text} is {best.path}", best

    def _conflict(
        self, mention: Mention, context: Context, hits: Sequence[Fact]
    ) -> tuple[Status, str, Grade, str, Fact | None] | None:
        """A value that agrees with some field, while the words name another field or record that says otherwise."""
        # "fare difference" names a field; it announces no arithmetic.
        segment = " ".join(w for w in self._segment(mention).split() if not word_set(w) & self.field_words)
        if (
            mention.word
            or _COMPARED.search(segment)
            or announced(self.answer, mention, segment) & {"difference", "mean"}
        ):
            return None
        ids = self.entities.of(self.answer, mention.start)
        if ids and not any(inside(f, ids) for f in hits):
            # Every place that holds the value must be a sibling of the named one; a value that is also elsewhere tells nothing.
            kinds, fields = {kind_of(h.record) for h in hits}, {h.field for h in hits}
            rivals = [f for f in self.facts if inside(f, ids) and kinds == {kind_of(f.record)} and f.field in fields]
            if rivals and not self._repeated(mention):
                f = rivals[0]
                return (
                    "fail",
                    "sibling-value",
                    "likely",
                    f"{mention.text} is {hits[0].path}; here {f.path} is {f.value!r}",
                    f,
                )
        return self._other_field(mention, context, hits)

    def _segment(self, mention: Mention) -> str:
        """The text between the values before and after a claim, within its sentence."""
        answer, s = self.answer, self.answer.sentence_of(mention.start)
        before = max((m.end for m in answer.mentions if s.start < m.end <= mention.start), default=s.start)
        after = min((m.start for m in answer.mentions if mention.end <= m.start < s.end), default=s.end)
        return answer.text[before:after]

    def _other_field(
        self, mention: Mention, context: Context, hits: Sequence[Fact]
    ) -> tuple[Status, str, Grade, str, Fact | None] | None:
        if mention.unit is None and mention.kind == "number":
            return None
        named = [
            f
            for f in self.facts
            if not f.transport and not f.count and self._comparable(mention, f) and _names(f, context)
        ]
        own = [h for h in hits if _names(h, context) or h.path == ""]
        if not named or own or any(h.record != f.record for h in hits for f in named) or self._repeated(mention):
            return None
        f = named[0]
        return (
            "fail",
            "sibling-value",
            "likely",
            f"{mention.text} is {hits[0].path}; the words name {f.path}, which is {f.value!r}",
            f,
        )

    def _comparable(self, mention: Mention, f: Fact) -> bool:
        if mention.kind == "date":
            return bool(f.dates)
        if mention.kind == "time":
            return bool(f.times)
        return any(u is not None and comparable(mention, u) for _, u in f.values)

    def _repeated(self, mention: Mention) -> bool:
        """Whether the user, the system message, a tool's words or a call's arguments said the value before."""
        if mention.kind == "number" and mention.unit is None and re.fullmatch(r"\d{4,}", mention.text):
            # An account or card number, or the end of one, rather than a figure.
            if self.answer.upstream.matches(rf"{mention.text}(?!\d)"):
                return True
        for m in self.answer.said:
            if m.kind != mention.kind:
                continue
            if m.kind == "number":
                value = value_in_unit(m.readings[0], m.unit, mention)
                if value is not None and (agrees(mention, value) or any(agrees(mention, r) for r in m.readings[1:])):
                    return True
            elif set(m.readings) & set(mention.readings) and (
                m.year is None or mention.year is None or m.year == mention.year
            ):
                return True
        return False

    def _affirmed(self, mention: Mention, context: Context) -> tuple[Status, str, Grade, str, Fact | None] | None:
        """A yes to a figure of the user's that the result contradicts; otherwise a repetition is no claim."""
        s = self.answer.sentence_of(mention.start)
        if not _YES.match(s.text) or _LIMIT.search(self.answer.question) or mention.unit is None:
            return None
        rivals = [
            f for f in self.facts if self._comparable(mention, f) and overlap(f, context.sentence | context.asked)
        ]
        if len({f.path for f in rivals}) != 1:
            return None
        f = rivals[0]
        return (
            "fail",
            "drift" if self.drifting else "unsupported",
            "likely",
            f"yes to {mention.text}, but {f.path} is {f.value!r}",
            f,
        )

    # ---- what stands nowhere -----------------------------------------------------------------------------------

    def _number(self, mention: Mention, context: Context) -> tuple[Status, str, Grade, str, Fact | None] | None:
        candidates = self._candidates(mention, context)
        related = self._related(mention, context, candidates)
        if related is not None:
            return related
        if (hole := self._hole(mention, context)) is not None:
            return self._told_from_nothing(mention, hole)
        bound = [(score, f) for score, f in candidates if score > 0]
        if not bound:
            undecided = mention.unit is not None or self.uncaptured
            return self._undecided(mention) if undecided and not mention.word else None
        fact = bound[0][1]
        if not self._may_accuse(mention) and not self._only_figure(mention, fact):
            return (
                "unscored",
                "unsupported",
                "likely",
                f"{mention.text} cannot be decided: a part of the conversation is missing",
                fact,
            )
        kinds = announced(self.answer, mention)
        if kinds & {"sum", "difference", "mean"} and mention.unit is not None and self._has_parts(mention):
            return (
                "fail",
                "wrong-derivation",
                "likely",
                f"{mention.text} follows from no {' or '.join(sorted(kinds))} of the values told or returned",
                fact,
            )
        if bound[0][0] < _FIRM and derivable(self.answer, mention) is not None:
            return (
                "fail",
                "unsupported",
                "hint",
                f"{mention.text} would follow only from arithmetic that no word announces",
                fact,
            )
        if self.answer.sentence_of(mention.start).question or mention.hedged and bound[0][0] < 2:
            return "fail", "unsupported", "hint", f"{mention.text} stands nowhere upstream", fact
        name = "drift" if self.drifting else "unsupported"
        return "fail", name, "likely", f"{mention.text} stands nowhere; {fact.path} is {fact.value!r}", fact

    def _candidates(self, mention: Mention, context: Context) -> list[tuple[float, Fact]]:
        """Facts a claim can be about, the best bound first, with how well: unit, field words, entity."""
        ids = self.entities.of(self.answer, mention.start)
        short = len(word_set(self.answer.text)) <= 4
        out: list[tuple[float, Fact]] = []
        for f in self.facts:
            if f.transport or not any(comparable(mention, u) for _, u in f.values):
                continue
            near = overlap(f, context.near) or (overlap(f, context.asked) if short or self.drifting else 0)
            same_unit = mention.unit is not None and any(u is not None and comparable(mention, u) for _, u in f.values)
            if mention.unit is not None and not same_unit and not near:
                continue
            score = (
                2.0 * near
                + (2.0 if same_unit else 0.0)
                + (0.5 * overlap(f, context.sentence))
                + (1.5 if ids and inside(f, ids) else 0.0)
            )
            if mention.unit is None and not near:
                score = 0.5 if short or self._only_figure(mention, f) else 0.0
            if mention.word and not (f.count and near):
                score = 0.0
            out.append((score, f))
        return sorted(out, key=lambda x: -x[0])

    def _related(
        self, mention: Mention, context: Context, candidates: Sequence[tuple[float, Fact]]
    ) -> tuple[Status, str, Grade, str, Fact | None] | None:
        """A slip of digits, scale or unit against a fact that the claim can be about."""
        if mention.word:
            return None
        alone = len([1 for _, f in candidates if not f.count]) <= 3
        for score, f in candidates:
            if score <= 0 and not alone:
                continue
            for value, unit in f.values:
                slip = self._slip(mention, value, unit, score)
                if slip is not None:
                    return "fail", slip, "likely", f"{mention.text}, but {f.path} is {f.value!r}", f
        return self._wrong_unit(mention, context)

    def _slip(self, mention: Mention, value: float, unit: Any, score: float) -> str | None:
        said = mention.readings[0]
        converted = value_in_unit(value, unit, mention)
        if converted is None or converted == 0 or said == 0 or (unit is not None and mention.unit is not None and unit.dimension != mention.unit.dimension and
                                                                not unit.dimension.startswith("money")):  # fmt: skip
            return None
        ratio = abs(said / converted)
        for power in (10, 100, 1000, 10_000, 1_000_000, 0.1, 0.01, 0.001, 0.0001, 0.000001):
            # One power of ten between small whole numbers is chance; a hundred or a thousand, or the same unit, is not.
            strong = mention.unit is not None or abs(said) >= 1000 or score >= 2
            if (
                abs(ratio / power - 1) < 1e-6
                and strong
                and len(digits(converted, 6).rstrip("0")) > (1 if mention.unit is None else 0)
            ):
                return "scale-slip"
        shown = digits(said, mention.decimals)
        wanted = digits(converted, mention.decimals)
        if (
            len(shown) == len(wanted) >= 2
            and shown != wanted
            and sorted(shown) == sorted(wanted)
            and len(set(shown)) > 1
        ):
            return "transposed-digits"
        return None

    def _wrong_unit(self, mention: Mention, context: Context) -> tuple[Status, str, Grade, str, Fact | None] | None:
        if mention.unit is None:
            return None
        for f in self.facts:
            for value, unit in f.values:
                if unit is None or unit.name == mention.unit.name or unit.dimension.startswith("money") or f.transport:
                    continue
                kin = unit.dimension.partition(":")[0] == mention.unit.dimension.partition(":")[0]
                if kin and agrees(mention, value) and (mention.readings[0] != 1 or overlap(f, context.near)):
                    return "fail", "wrong-unit", "likely", f"{mention.text}, but {f.path} is {f.value!r}", f
        return None

    def _hole(self, mention: Mention, context: Context) -> Hole | None:
        """The hole of a payload that a claim fills in, if one is about what the claim is about."""
        for hole in self.answer.holes:
            same_unit = hole.unit is not None and mention.unit is not None and comparable(mention, hole.unit)
            if same_unit or (
                mention.unit is not None
                and hole.words
                and word_set(key_words(hole.words[0])) & (context.near | context.asked)
            ):
                return hole
            if mention.unit is None and hole.words and word_set(key_words(hole.words[0])) & self._beside(mention):
                return hole
        return self.answer.holes[0] if self.hollow and self.answer.holes else None

    def _beside(self, mention: Mention) -> set[str]:
        """The words right before and right behind a value: what a bare number counts."""
        text = self.answer.text
        before, behind = (
            _WORD.findall(text[: mention.start])[-1:],
            _WORD.findall(text[mention.end : mention.end + 40])[:1],
        )
        return word_set([*before, *behind])

    def _told_from_nothing(self, mention: Mention, hole: Hole) -> tuple[Status, str, Grade, str, Fact | None] | None:
        s = self.answer.sentence_of(mention.start)
        if _ABSENT.search(s.text) or s.question or not self._may_accuse(mention):
            return None
        name = "empty-as-found" if self.hollow else "absent-as-known"
        where = hole.path or "the result"
        return "fail", name, "likely", f"{mention.text} is told, but {where} of {hole.call.tool} holds nothing", None

    def _may_accuse(self, mention: Mention) -> bool:
        answer = self.answer
        return answer.complete and not answer.cut and not answer.unresolved

    def _only_figure(self, mention: Mention, fact: Fact) -> bool:
        """Whether a sentence names the record of a fact that is the only figure there: then nothing missing can matter."""
        if self.answer.unresolved or self.answer.cut:
            return False
        text = self.answer.sentence_of(mention.start).text.lower()
        named = any(len(n) > 2 and n.lower() in text for n in fact.record.names)
        figures = [f for f in self.facts if f.record == fact.record and f.values and not f.transport and not f.count]
        return named and len(figures) == 1

    def _undecided(self, mention: Mention) -> tuple[Status, str, Grade, str, Fact | None]:
        return "unscored", "unsupported", "likely", f"{mention.text} is bound to no field of a result", None

    def _has_parts(self, mention: Mention) -> bool:
        """Whether at least two values of the same quantity were told or returned, so that a derivation can be checked."""
        told = [
            m
            for m in self.answer.mentions
            if m is not mention and m.kind == "number" and m.unit is not None and comparable(mention, m.unit)
        ]
        returned = [f for f in self.facts if any(u is not None and comparable(mention, u) for _, u in f.values)]
        return len(told) >= 2 or len(returned) >= 2

    # ---- dates, times, codes -----------------------------------------------------------------------------------

    def _date(self, mention: Mention, context: Context) -> tuple[Status, str, Grade, str, Fact | None] | None:
        if (hole := self._hole(mention, context)) is not None:
            return self._told_from_nothing(mention, hole)
        dated = [f for f in self.facts if f.dates and not f.transport]
        near = [
            (abs(gap), f)
            for f in dated
            for d in f.dates
            if (gap := _gap(mention, d)) is not None and 0 < abs(gap) <= _SHIFT_DAYS
        ]
        if near and not self.answer.unresolved:
            gap, f = min(near, key=lambda x: x[0])
            return "fail", "shifted-date", "likely", f"{mention.text}, but {f.path} is {f.value!r}: {gap} days apart", f
        if any(set(d.readings) & set(mention.readings) for f in dated for d in f.dates):
            f = next(f for f in dated for d in f.dates if set(d.readings) & set(mention.readings))
            return "fail", "shifted-date", "likely", f"{mention.text}, but {f.path} is {f.value!r}: another year", f
        bound = [f for f in dated if overlap(f, context.near)]
        if bound and self._may_accuse(mention) and len(dated) == 1:
            return (
                "fail",
                "drift" if self.drifting else "unsupported",
                "likely",
                f"{mention.text}, but {bound[0].path} is {bound[0].value!r}",
                bound[0],
            )
        return self._undecided(mention) if dated else None

    def _time(self, mention: Mention, context: Context) -> tuple[Status, str, Grade, str, Fact | None] | None:
        if (hole := self._hole(mention, context)) is not None:
            return self._told_from_nothing(mention, hole)
        timed = [f for f in self.facts if f.times and not f.transport]
        zone = _ZONE.search(self.answer.sentence_of(mention.start).text) is not None
        for f in timed:
            for t in f.times:
                shown, wanted = (
                    f"{int(mention.readings[0]):04d}",
                    [f"{int(r) // 60:02d}{int(r) % 60:02d}" for r in t.readings],
                )
                clock = f"{int(mention.readings[0]) // 60:02d}{int(mention.readings[0]) % 60:02d}"
                if shown and any(sorted(clock) == sorted(w) and clock != w for w in wanted) and not zone:
                    return "fail", "transposed-digits", "likely", f"{mention.text}, but {f.path} is {f.value!r}", f
        bound = [
            f
            for f in timed
            if overlap(f, context.near) or len(timed) == 1 or self.drifting and overlap(f, context.asked)
        ]
        if bound and self._may_accuse(mention) and not zone and not self._spans(mention, timed):
            return (
                "fail",
                "drift" if self.drifting else "unsupported",
                "likely",
                f"{mention.text} stands nowhere; {bound[0].path} is {bound[0].value!r}",
                bound[0],
            )
        return self._undecided(mention) if timed else None

    def _spans(self, mention: Mention, timed: Sequence[Fact]) -> bool:
        """Whether a time is a start plus a duration that a result or the user gave."""
        lengths = {
            v * u.factor / 60 for f in self.facts for v, u in f.values if u is not None and u.dimension == "time"
        }
        lengths |= {
            m.readings[0] * m.unit.factor / 60
            for m in (*self.answer.said, *self.answer.mentions)
            if m.unit is not None and m.unit.dimension == "time"
        }
        starts = {r for f in timed for t in f.times for r in t.readings}
        return any((s + sign * n) % 1440 in mention.readings for s in starts for n in lengths for sign in (1, -1))

    def _code(self, mention: Mention) -> tuple[Status, str, Grade, str, Fact | None] | None:
        plain = mention.text.lstrip("#").lower()
        if self.answer.upstream.holds(plain):
            fact = next(
                (
                    f
                    for f in (*self.answer.facts, *self.answer.older)
                    if isinstance(f.value, str) and f.value.lower().lstrip("#") == plain
                ),
                None,
            )
            return None if fact is None else ("pass", "supported", "proof", f"{mention.text} is {fact.path}", fact)
        shape = re.sub(r"[a-z]", "a", re.sub(r"\d", "0", plain))
        kin = [
            f
            for f in self.facts
            if isinstance(f.value, str)
            and re.sub(r"[a-z]", "a", re.sub(r"\d", "0", f.value.lower().lstrip("#"))) == shape
        ]
        if self.hollow and self.answer.holes and self._may_accuse(mention):
            return self._told_from_nothing(mention, self.answer.holes[0])
        if not kin or wording(self.answer.sentence_of(mention.start).text).intends:
            return self._undecided(mention)
        if not self._may_accuse(mention):
            return (
                "unscored",
                "unsupported",
                "likely",
                f"{mention.text} cannot be decided: a part of the conversation is missing",
                kin[0],
            )
        swapped = next((f for f in kin if sorted(str(f.value).lower().lstrip("#")) == sorted(plain)), None)
        if swapped is not None:
            return (
                "fail",
                "transposed-digits",
                "likely",
                f"{mention.text}, but {swapped.path} is {swapped.value!r}",
                swapped,
            )
        return (
            "fail",
            "unsupported",
            "likely",
            f"{mention.text} stands nowhere; {kin[0].path} is {kin[0].value!r}",
            kin[0],
        )


def _quoted(answer: Answer) -> list[tuple[int, int]]:
    """Where an answer repeats a text of a payload that holds digits besides letters."""
    text = answer.text.lower()
    spans: list[tuple[int, int]] = []
    seen: set[str] = set()
    for f in (*answer.facts, *answer.older):
        value = f.value
        if (
            not isinstance(value, str)
            or not 3 <= len(value) <= 200
            or value in seen
            or f.dates
            or not _MIXED.search(value)
        ):
            continue
        seen.add(value)
        start = text.find(value.lower())
        while start >= 0:
            spans.append((start, start + len(value)))
            start = text.find(value.lower(), start + 1)
    return spans


def _names(f: Fact, context: Context) -> bool:
    """Whether the words right before a claim name a fact's own field."""
    return bool(field_words(f, 2) & context.left)


def _gap(mention: Mention, other: Mention) -> int | None:
    """Days between two day-and-month dates of one year, the shorter way round; None when they cannot be compared."""
    if mention.year is not None and other.year is not None and abs(mention.year - other.year) > 1:
        return None
    import datetime

    year = other.year or mention.year or 2024
    best: int | None = None
    for a in mention.readings:
        for b in other.readings:
            try:
                x = datetime.date(mention.year or year, int(a) // 100, int(a) % 100)
                y = datetime.date(other.year or year, int(b) // 100, int(b) % 100)
            except ValueError:
                continue
            gap = (x - y).days
            if mention.year is None and abs(gap) > 183:
                gap -= 365 * (1 if gap > 0 else -1)
            best = gap if best is None or abs(gap) < abs(best) else best
    return best
