"""A trajectory against what is expected of it as a whole: steps, budgets, blacklist, retries, and the same within its steps.

An expectation is Mastra's: `{"steps", "ordering", "allowRepeatedSteps", "maxSteps", "maxTotalTokens", "maxTotalDurationMs",
"noRedundantCalls", "blacklistedTools", "blacklistedSequences", "maxRetriesPerTool"}`, all of them optional; an expected step
that has one in its `children` is judged by it inside the step that was taken. This module owns which dimensions are judged
and how they become one score; each dimension belongs to `rootcall.mastra.trajectories` and `rootcall.mastra.conduct`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec import UNSET

from rootcall.jsonvalue import Missing
from rootcall.mastra.coercion import absent, as_number, elements, field, length, objects, sized
from rootcall.mastra.conduct import (
    Blacklist,
    Efficiency,
    ToolFailures,
    above_zero,
    check_blacklist,
    check_efficiency,
    check_tool_failures,
)
from rootcall.mastra.javascript import round_half_up, same, truthy
from rootcall.mastra.trajectories import Comparison, Record, compare_trajectories, listed_names

__all__ = ["Level", "StepFindings", "Weights", "judge_level", "judge_within", "level_score", "overall", "two_decimals", "violated"]  # fmt: skip

_OWN_SHARE: Final = 0.7
_WITHIN_SHARE: Final = 0.3


class Weights(NamedTuple):
    """What each dimension weighs. Only their proportions matter, among the dimensions that were judged."""

    accuracy: float = 0.4
    efficiency: float = 0.3
    tool_failures: float = 0.2
    blacklist: float = 0.1

    @classmethod
    def of(cls, given: object) -> Weights:
        """Read weights from `{"accuracy", "efficiency", "toolFailures", "blacklist"}`; one below 0 counts as 0."""
        usual = cls()
        found = [field(given, key) for key in ("accuracy", "efficiency", "toolFailures", "blacklist")]
        return cls(*(above_zero(as_number(u if absent(w) else w)) for u, w in zip(usual, found, strict=True)))


class Level(NamedTuple):
    """What was found of a trajectory itself, without its steps' inside. `UNSET` is what the expectation says nothing of."""

    accuracy: Comparison | Missing
    efficiency: Efficiency | Missing
    blacklist: Blacklist | Missing
    tool_failures: ToolFailures


class StepFindings(Record, frozen=True, kw_only=True):
    """What was found inside a step of which something is expected; of a step that was not taken, the accuracy alone."""

    step_name: Any = UNSET
    score: float
    accuracy: Comparison | Missing = UNSET
    efficiency: Efficiency | Missing = UNSET
    blacklist: Blacklist | Missing = UNSET
    tool_failures: ToolFailures | Missing = UNSET
    nested: list[StepFindings] | Missing = UNSET


def judge_level(trajectory: object, expectation: object) -> Level:
    """Judge a trajectory in each dimension of which the expectation says something, and its retries in any case.

    Raises:
        ScorerError: as in the functions of the dimensions.
    """
    steps = field(expectation, "steps")
    accuracy: Comparison | Missing = UNSET
    if truthy(steps):
        accuracy = compare_trajectories(
            trajectory,
            {"steps": steps},
            ordering=field(expectation, "ordering"),
            allow_repeated_steps=_or(field(expectation, "allowRepeatedSteps"), True),
        )
    budgets = [
        field(expectation, key) for key in ("maxSteps", "maxTotalTokens", "maxTotalDurationMs", "noRedundantCalls")
    ]
    efficiency: Efficiency | Missing = UNSET
    if any(b is not UNSET for b in budgets):
        efficiency = check_efficiency(
            trajectory,
            max_steps=budgets[0],
            max_total_tokens=budgets[1],
            max_total_duration_ms=budgets[2],
            no_redundant_calls=_or(budgets[3], True),
        )
    tools, sequences = field(expectation, "blacklistedTools"), field(expectation, "blacklistedSequences")
    blacklist: Blacklist | Missing = UNSET
    if sized(tools) or sized(sequences):
        blacklist = check_blacklist(trajectory, blacklisted_tools=tools, blacklisted_sequences=sequences)
    retries = _or(field(expectation, "maxRetriesPerTool"), UNSET)
    return Level(accuracy, efficiency, blacklist, check_tool_failures(trajectory, max_retries_per_tool=retries))


def level_score(level: Level, weights: Weights) -> float:
    """Return the mean of the dimensions judged, by weight; retries count where there were any. 1 where nothing weighs."""
    marks = [
        (weight, found.score)
        for weight, found in (
            (weights.accuracy, level.accuracy),
            (weights.efficiency, level.efficiency),
            (weights.tool_failures, level.tool_failures if level.tool_failures.patterns else UNSET),
            (weights.blacklist, level.blacklist),
        )
        if found is not UNSET
    ]
    whole = mean = 0.0
    for weight, _ in marks:
        whole += weight
    if not whole > 0:
        return 1.0
    for weight, score in marks:
        mean += weight / whole * score
    return mean


def overall(level: Level, within: list[StepFindings], weights: Weights) -> float:
    """Return the score of a level with what was found within its steps: 0 where anything forbidden was done, not rounded."""
    if level.blacklist is not UNSET and level.blacklist.score == 0:
        return 0.0
    own = level_score(level, weights)
    if not within:
        return own
    if any(violated(found) for found in within):
        return 0.0
    total = 0.0
    for found in within:
        total += found.score
    return _OWN_SHARE * own + _WITHIN_SHARE * (total / len(within))


def judge_within(expected_steps: object, steps: list[Any], weights: Weights) -> list[StepFindings]:
    """Judge the inside of each step of which the expected one says something in its `children`.

    The step is the first of its name, and of its type where that is expected, that no expected step before has taken. What
    is missing scores 0.

    Raises:
        ScorerError: as in `judge_level`.
    """
    found = []
    free = dict(enumerate(steps))
    for wanted in elements(expected_steps, "steps"):
        expectation = field(wanted, "children")
        if not truthy(expectation):
            continue
        place = next((n for n, step in free.items() if _is_meant(step, wanted)), None)
        step = UNSET if place is None else free.pop(place)
        found.append(_inside(step, wanted, weights) if truthy(step) else _missing(wanted))
    return found


def violated(found: StepFindings) -> bool:
    """Tell whether anything forbidden was done inside a step, at any depth."""
    if found.blacklist is not UNSET and found.blacklist.score == 0:
        return True
    return found.nested is not UNSET and any(violated(inner) for inner in found.nested)


def two_decimals(score: float) -> float:
    """Round as Mastra rounds a score over several dimensions: without the addend of its other scores."""
    return round_half_up(score * 100) / 100


def _inside(step: object, wanted: object, weights: Weights) -> StepFindings:
    expectation = field(wanted, "children")
    taken = _or(field(step, "children"), [])
    level = judge_level({"steps": taken, "totalDurationMs": field(step, "durationMs")}, expectation)
    expected_steps = field(expectation, "steps")
    nested = judge_within(expected_steps, taken, weights) if truthy(expected_steps) else []
    forbidden = level.blacklist is not UNSET and level.blacklist.score == 0
    return StepFindings(
        step_name=field(wanted, "name"),
        score=two_decimals(overall(level, nested, weights)),
        accuracy=level.accuracy,
        efficiency=level.efficiency,
        blacklist=level.blacklist,
        tool_failures=level.tool_failures,
        nested=nested if nested or forbidden else UNSET,
    )


def _missing(wanted: object) -> StepFindings:
    steps = field(field(wanted, "children"), "steps")
    expected = 0 if absent(steps) else _or(length(steps), 0)
    accuracy: Comparison | Missing = UNSET
    if as_number(expected) > 0:
        names = [field(step, "name") for step in objects(steps, "steps")]
        accuracy = Comparison(
            score=0.0,
            matched_steps=0,
            total_expected_steps=len(names),
            total_actual_steps=0,
            missing_steps=listed_names(names),
            extra_steps=[],
            out_of_order_steps=[],
            repeated_steps=[],
        )
    return StepFindings(step_name=field(wanted, "name"), score=0.0, accuracy=accuracy)


def _is_meant(step: object, wanted: object) -> bool:
    wanted_type = field(wanted, "stepType")
    named = same(field(step, "name"), field(wanted, "name"))
    return named and (not truthy(wanted_type) or same(field(step, "stepType"), wanted_type))


def _or(value: object, otherwise: Any) -> Any:
    return otherwise if absent(value) else value
