"""What can be wrong with the gold: the rules, and the record of a fault. Looking for faults is `rootcall.lint`'s."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from rootcall.check import Grade, Rule
from rootcall.judging import rules
from rootcall.trace import Source

__all__ = ["RULES", "GoldFault", "explained"]


def _rule(name: str, looks_at: str, why: str, fails: str, passes: str, grade: Grade = "proof") -> Rule:
    return Rule(name=f"gold/{name}", looks_at=looks_at, why=why, fails=fails, passes=passes, grade=grade)


RULES: Final = (
    _rule(
        "unknown-tool",
        "Tools that expected calls, `forbid`, `errors` and `$from` name, against the offered ones. Names are compared exactly.",
        "No run can call a tool it was not offered, so every run fails, the right ones too.",
        "math.factorial expected where math_factorial is offered",
        "math_factorial expected",
    ),
    _rule(
        "schema-invalid",
        "Each expected value, each way a `$one_of` offers, and whether any value meets both a matcher and the tool's JSON Schema.",
        "A run that sends what the gold wants breaks the schema, one that keeps the schema misses the gold.",
        'limit: "ten"   where the schema wants an integer',
        "limit: 10",
    ),
    _rule(
        "impossible",
        "Matchers that no value meets, required arguments the gold forbids, `$from` of a result that cannot be there yet: "
        "no expected call brings it, and an extra one may not be made (under `extra: reads` only read-only tools may).",
        "No output passes. Every run fails at this place for ever.",
        "unit: {$one_of: []}",
        "unit: {$one_of: [celsius, metric]}",
    ),
    _rule(
        "contradiction",
        "Parts of a case that cannot both be met.",
        "One of the two fails whatever the run does.",
        "forbid: [delete_user] beside an expected delete_user",
        "forbid: [delete_account] beside an expected delete_user",
    ),
    _rule(
        "not-itself",
        "The expected calls played as a run: scored against the case they come from, they must be all right.",
        "A gold that fails itself fails everyone.",
        "(whatever else makes the gold fail against itself)",
        "every list of expected calls scores 1.0 against its case",
    ),
    _rule(
        "judges-nothing",
        "Cases that any run passes: only optional calls, or none, where all extra calls are allowed.",
        "A gold that passes anything shows green over a broken agent.",
        "calls: [], extra: allow",
        "calls: []",
    ),
    _rule(
        "unreadable-date",
        "The operands of `$date` and `$instant`.",
        "What cannot be read is never decided: the argument stays unscored in every run.",
        "{$date: the day we spoke of}",
        "{$date: next friday}",
    ),
    _rule(
        "needs-reference-time",
        "Relative days in `$date` where the case has no reference_time.",
        "Only traces that bring a reference time of their own can be judged against it.",
        "{$date: next friday} without reference_time",
        "reference_time: 2026-11-30T09:00:00+09:00",
        "hint",
    ),
    _rule(
        "not-judged-yet",
        "`goal`, which no rule reads: a trace brings its reward itself, as metadata.reward.",
        "An expectation that is written down looks as if it were held to.",
        "goal: {reward: 1}",
        "answer: [{$says: $218.50}]",
        "hint",
    ),
    _rule(
        "unknown-error-code",
        "The keys under `errors`: a status of three digits, a kind of error, a code of the server's own (`RATE_LIMITED`, "
        "`card-declined`, `ThrottlingException`, `-32602`), or `*`.",
        "What matches no error says nothing: the reaction stays unjudged.",
        'errors: {create_event: {"4xx": ask}}',
        'errors: {create_event: {"400": ask, validation: ask}}',
        "hint",
    ),
    _rule(
        "undeclared-argument",
        "Expected arguments that the tool's schema does not declare, where it does not say that others are refused.",
        "Mostly a misspelt name: a run that uses the declared one misses the gold.",
        "departure: …   where departure_date is declared",
        "departure_date: …",
        "hint",
    ),
    _rule(
        "unreachable",
        "Alternatives that say what an earlier one says, and single ways of a `$one_of` that repeat or break the schema.",
        "They look like leeway and give none.",
        "alternatives: [[{tool: a}], [{tool: a}]]",
        "alternatives: [[{tool: a}], [{tool: b}]]",
        "hint",
    ),
    _rule(
        "duplicate",
        "Cases with the same input, tools and reference time, whether their gold is the same or another.",
        "A trace that names no case meets both, and is then judged by neither. With two golds one of them is wrong, unless "
        "what is said later in the conversation differs.",
        'two cases with the input "Book it"',
        "one of them",
        "hint",
    ),
    _rule(
        "tool-schema",
        "The schemas of the tools a case expects.",
        "The arguments of a tool with a broken schema stay unscored by every schema rule.",
        '{"type": "objekt"}',
        '{"type": "object"}',
        "hint",
    ),
)  # fmt: skip
_BY_CODE: Final = {rule.name: rule for rule in RULES}


def explained() -> dict[str, Rule]:
    """Everything that can be explained: the rules of the layers, then those of the gold."""
    return {**rules(), **_BY_CODE}


class GoldFault(msgspec.Struct, frozen=True):
    """Something wrong with the gold: the rule that says so, the case, the place in it, file and line."""

    rule: str
    case: str
    at: str
    message: str
    source: Source = Source()

    @property
    def severity(self) -> Literal["error", "warning"]:
        """An error makes the gold unusable as it stands."""
        return "warning" if _BY_CODE[self.rule].grade == "hint" else "error"

    def __str__(self) -> str:
        where = f"case {self.case!r}: {self.at}" if self.at else f"case {self.case!r}"
        return f"{self.source}: {self.severity}: {where}: {self.message} ({self.rule})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {"severity": self.severity, **msgspec.to_builtins(self)}
