"""Mastra's scorers of trajectories by rule: the steps alone, and all dimensions in one score.

The run of such a scorer has a trajectory as `output`, and perhaps an `expectedTrajectory` of its own. This module owns where
the expectation comes from, what the steps of the scorers hand on, and the reason in words; what is judged belongs to
`rootcall.mastra.trajectories` and `rootcall.mastra.levels`, the judge by a model to `rootcall.mastra.trajectory_judge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.jsonvalue import Missing
from rootcall.mastra.coercion import absent, as_text, field, joined, objects, properties, sized
from rootcall.mastra.conduct import Blacklist, Efficiency, ToolFailures
from rootcall.mastra.javascript import number_text, truthy
from rootcall.mastra.levels import (
    Level,
    StepFindings,
    Weights,
    judge_level,
    judge_within,
    overall,
    two_decimals,
    violated,
)
from rootcall.mastra.scorer import Scorer, StepContext, create_scorer
from rootcall.mastra.trajectories import Comparison, Record, compare_trajectories, listed_names, step_names

__all__ = [
    "AccuracyFindings",
    "TrajectoryFindings",
    "create_trajectory_accuracy_scorer_code",
    "create_trajectory_scorer_code",
    "expected_steps",
]

Object = Mapping[str, Any]

_NOT_EXPECTED: Final = ("durationMs", "metadata", "children")
_NO_EXPECTATION: Final = (
    "nothing is expected: give expected_trajectory to the scorer, or expectedTrajectory with steps to the run"
)


class AccuracyFindings(Record, frozen=True, kw_only=True):
    """What the accuracy scorer found. Without an expectation there is an `error` in place of a comparison, and the score is 0."""

    actual_trajectory: Any
    expected_trajectory: dict[str, Any] | Missing = UNSET
    comparison: Comparison | Missing = UNSET
    actual_step_names: list[Any]
    expected_step_names: list[Any]
    error: str | Missing = UNSET


class TrajectoryFindings(Record, frozen=True, kw_only=True):
    """What the scorer of all dimensions found, and the expectation it judged by. `UNSET` is what nothing is expected of."""

    accuracy: Comparison | Missing = UNSET
    efficiency: Efficiency | Missing = UNSET
    blacklist: Blacklist | Missing = UNSET
    tool_failures: ToolFailures
    nested: list[StepFindings] | Missing = UNSET
    config: dict[str, Any]


def create_trajectory_accuracy_scorer_code(
    expected_trajectory: Object | Sequence[Object] | None = None, comparison_options: Object | None = None
) -> Scorer:
    """Make the scorer `code-trajectory-accuracy-scorer`: how far the steps taken are those expected.

        scorer = create_trajectory_accuracy_scorer_code([{"name": "search"}], {"ordering": "strict"})
        scorer.run_sync(create_trajectory_test_run(trajectory={"steps": [{"name": "search"}]})).score  # 1.0

    Args:
        expected_trajectory: a list of expected steps, or a trajectory whose steps are expected; where it is None, the
            `steps` of the run's `expectedTrajectory` are.
        comparison_options: `{"ordering", "allowRepeatedSteps"}` as in `compare_trajectories`; those of the run's
            `expectedTrajectory` stand before them.

    Raises:
        ScorerError: the expected steps are no list, or one is null.
    """
    static = expected_steps(expected_trajectory)
    options = {} if comparison_options is None else comparison_options
    ordering, repeated = field(options, "ordering"), field(options, "allowRepeatedSteps")

    def preprocess(context: StepContext) -> AccuracyFindings:
        output, item = _output(context), context.run.get("expectedTrajectory", UNSET)
        steps = field(item, "steps") if static is UNSET and truthy(item) else static
        if not truthy(steps):
            return AccuracyFindings(
                actual_trajectory=output,
                actual_step_names=listed_names(step_names(output)),
                expected_step_names=[],
                error=_NO_EXPECTATION,
            )
        comparison = compare_trajectories(
            output,
            {"steps": steps},
            ordering=_first(_optional(item, "ordering"), ordering),
            allow_repeated_steps=_first(_optional(item, "allowRepeatedSteps"), repeated),
        )
        return AccuracyFindings(
            actual_trajectory=output,
            expected_trajectory={"steps": steps},
            comparison=comparison,
            actual_step_names=listed_names(step_names(output)),
            expected_step_names=listed_names(step_names({"steps": steps})),
        )

    def score(context: StepContext) -> float:
        comparison = context.results.preprocess_step_result.comparison
        return 0.0 if comparison is UNSET else float(comparison.score)

    way = "relaxed" if ordering is UNSET else as_text(ordering)
    wanted = "expected of the run" if static is UNSET else joined(step_names({"steps": static}), ", ")
    description = f"How far the steps taken are the steps {wanted} ({way})"
    scorer = create_scorer("code-trajectory-accuracy-scorer", description, name="Trajectory Accuracy Scorer")
    return scorer.preprocess(preprocess).generate_score(score)


def create_trajectory_scorer_code(defaults: Object | None = None, weights: Object | None = None) -> Scorer:
    """Make the scorer `code-trajectory-scorer`: steps, budgets, blacklist and retries in one score with a reason.

        scorer = create_trajectory_scorer_code({"steps": [{"name": "search"}], "maxSteps": 2, "blacklistedTools": ["pay"]})
        scorer.run_sync(create_trajectory_test_run(trajectory={"steps": [{"name": "search"}]})).score  # 1.0

    The score is the mean of the dimensions of which anything is expected, by weight; what was found inside steps counts for
    0.3 of it. Anything forbidden makes it 0, and where nothing is expected it is 1.

    Args:
        defaults: what is expected of every trajectory (see `rootcall.mastra.levels`); the fields of the run's
            `expectedTrajectory` stand before these.
        weights: `{"accuracy": 0.4, "efficiency": 0.3, "toolFailures": 0.2, "blacklist": 0.1}`, in which any may be left out.

    Raises:
        ScorerError: a weight is an object with a field `toString`, which no number can be read from.
    """
    usual = properties({} if defaults is None else defaults)
    weighing = Weights.of({} if weights is None else weights)

    def preprocess(context: StepContext) -> TrajectoryFindings:
        output = _output(context)
        config = {**usual, **properties(context.run.get("expectedTrajectory", UNSET))}
        level = judge_level(output, config)
        steps = config.get("steps", UNSET)
        within = judge_within(steps, objects(field(output, "steps"), "steps"), weighing) if sized(steps) else []
        return TrajectoryFindings(
            accuracy=level.accuracy,
            efficiency=level.efficiency,
            blacklist=level.blacklist,
            tool_failures=level.tool_failures,
            nested=within or UNSET,
            config=config,
        )

    def score(context: StepContext) -> float:
        found: TrajectoryFindings = context.results.preprocess_step_result
        level = Level(found.accuracy, found.efficiency, found.blacklist, found.tool_failures)
        return two_decimals(overall(level, found.nested or [], weighing))

    description = "How far a trajectory is what is expected of it: steps, budgets, blacklist, retries"
    scorer = create_scorer("code-trajectory-scorer", description, name="Trajectory Scorer")
    return scorer.preprocess(preprocess).generate_score(score).generate_reason(_reason)


def expected_steps(trajectory: object) -> list[Any] | Missing:
    """Return what a list or a trajectory given as an expectation expects, `UNSET` for None.

    A list is what it is. Of a trajectory's steps, what they took and their `metadata` are left out, and what they consist of
    is expected inside them.

    Raises:
        ScorerError: the steps are no list, or one of a trajectory is null.
    """
    if absent(trajectory):
        return UNSET
    if isinstance(trajectory, list | tuple):
        return list(trajectory)
    return [_as_expected(step) for step in objects(field(trajectory, "steps"), "expected steps")]


def _as_expected(step: object) -> dict[str, Any]:
    kept = {key: value for key, value in properties(step).items() if key not in _NOT_EXPECTED}
    children = field(step, "children")
    if sized(children):
        kept["children"] = {"steps": [_as_expected(child) for child in objects(children, "children")]}
    return kept


def _output(context: StepContext) -> Any:
    return context.run.get("output", UNSET)


def _optional(value: object, key: str) -> Any:
    return UNSET if absent(value) else field(value, key)


def _first(value: object, otherwise: Any) -> Any:
    return otherwise if absent(value) else value


def _reason(context: StepContext) -> str:
    """What the score comes from, a line for each dimension."""
    found: TrajectoryFindings = context.results.preprocess_step_result
    lines = [f"Score {number_text(context.score)}."]
    within = found.nested or []
    if found.blacklist is not UNSET and found.blacklist.score == 0:
        return "\n".join([*lines, _forbidden(found.blacklist)])
    if any(violated(step) for step in within):
        names = joined((step.step_name for step in within if violated(step)), ", ")
        return "\n".join([*lines, f"Something forbidden was done within {names}."])
    if found.accuracy is not UNSET:
        lines.append(_accuracy(found.accuracy))
    if found.efficiency is not UNSET:
        lines.append(_efficiency(found.efficiency))
    if found.tool_failures.patterns:
        lines.append(_failures(found.tool_failures))
    if within:
        inside = ", ".join(f"{as_text(step.step_name)} {number_text(step.score)}" for step in within)
        lines.append(f"Within steps: {inside}.")
    return "\n".join(lines)


def _forbidden(found: Blacklist) -> str:
    done = []
    if found.violated_tools:
        done.append(f"the tools {joined(found.violated_tools, ', ')}")
    if found.violated_sequences:
        for sequence in found.violated_sequences:
            if not isinstance(sequence, list | tuple):
                raise ScorerError(
                    "blacklistedSequences: expected lists of names, got another value; give each sequence as a list"
                )
        done.append(f"in a row {'; '.join(joined(sequence, ', ') for sequence in found.violated_sequences)}")
    return f"Forbidden and done: {', and '.join(done)}."


def _accuracy(found: Comparison) -> str:
    details = [f"{found.matched_steps} of {found.total_expected_steps} expected steps were taken"]
    for words, names in (
        ("not taken", found.missing_steps),
        ("not expected", found.extra_steps),
        ("taken elsewhere", found.out_of_order_steps),
    ):
        if names:
            details.append(f"{words}: {joined(names, ', ')}")
    return f"Accuracy {number_text(found.score)}: {'; '.join(details)}."


def _efficiency(found: Efficiency) -> str:
    details = []
    if found.over_step_budget:
        details.append(f"{found.total_steps} steps are too many")
    if found.over_token_budget:
        details.append(f"{as_text(found.total_tokens)} tokens are too many")
    if found.over_duration_budget:
        details.append(f"{as_text(found.total_duration_ms)} ms are too long")
    if found.redundant_calls:
        details.append(f"the same call again: {joined((call.name for call in found.redundant_calls), ', ')}")
    return f"Efficiency {number_text(found.score)}: {'; '.join(details) or 'nothing was wasted'}."


def _failures(found: ToolFailures) -> str:
    too_many = f"; too often {joined(found.excessive_retry_tools, ', ')}" if found.excessive_retry_tools else ""
    return f"Tool failures {number_text(found.score)}: {found.total_retries} retries{too_many}."
