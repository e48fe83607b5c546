"""What a trajectory costs, what it does that is forbidden, and how it deals with tools that fail, as Mastra counts it.

Three functions over a trajectory (see `rootcall.mastra.trajectories`): budgets and calls made twice, a blacklist, and
retries. Arguments of calls are compared for the first alone, so that a corrected call and the same call again are both a
retry. Results and odd cases are those of `@mastra/evals` 1.10.2: what it cannot read raises `ScorerError` here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.jsonvalue import describe
from rootcall.mastra.coercion import absent, as_number, elements, field, identity, item, length, objects, plus
from rootcall.mastra.javascript import double, is_number, same, stringify, truthy
from rootcall.mastra.trajectories import Record, listed_names, step_names, within_one

__all__ = [
    "Blacklist",
    "Efficiency",
    "RedundantCall",
    "RetryPattern",
    "ToolFailures",
    "above_zero",
    "check_blacklist",
    "check_efficiency",
    "check_tool_failures",
]

_CALLS: Final = ("tool_call", "mcp_tool_call")
_COSTS: Final = 0.2
_MAX_RETRIES: Final = 2


class RedundantCall(Record, frozen=True, kw_only=True):
    """A call that says what the one before it said: its name, and its place among the steps, from 0."""

    name: Any = UNSET
    index: int


class Efficiency(Record, frozen=True, kw_only=True):
    """What a trajectory costs. `score` is the mean of 0 to 1 over each budget and, if asked for, the calls made twice.

    Tokens are those of all model generations, nested ones too; steps and milliseconds those of the top level.
    """

    score: float
    total_steps: int
    over_step_budget: bool
    total_tokens: Any
    over_token_budget: bool
    total_duration_ms: Any
    over_duration_budget: bool
    redundant_calls: list[RedundantCall]


class Blacklist(Record, frozen=True, kw_only=True):
    """What of the forbidden was done: `score` is 0 when anything was, else 1."""

    score: float
    violated_tools: list[Any]
    violated_sequences: list[Any]


class RetryPattern(Record, frozen=True, kw_only=True):
    """A tool called again right after it had failed, `retry_count` times in a row.

    `fell_back_to_alternative` when its last call failed too and another tool was called next, `alternative_tool`.
    """

    tool_name: Any = UNSET
    retry_count: int
    fell_back_to_alternative: bool
    alternative_tool: Any = UNSET
    eventually_succeeded: bool


class ToolFailures(Record, frozen=True, kw_only=True):
    """How tools that fail are dealt with: 0.2 is taken off the score, which begins at 1, for each retry too many."""

    score: float
    patterns: list[RetryPattern]
    total_retries: int
    excessive_retry_tools: list[Any]


def check_efficiency(
    trajectory: object,
    *,
    max_steps: object = UNSET,
    max_total_tokens: object = UNSET,
    max_total_duration_ms: object = UNSET,
    no_redundant_calls: object = True,
) -> Efficiency:
    """Judge a trajectory by budgets, and by calls that repeat the one before word for word.

    A budget that is kept counts 1, one that is exceeded loses the share by which it is, down to 0. Each repeated call costs
    0.2. The score is the mean, 1 where nothing is asked for.

    Args:
        trajectory: the trajectory that was taken.
        max_steps: how many steps the top level may have.
        max_total_tokens: how many tokens all model generations may take, prompt and completion.
        max_total_duration_ms: how long it may take, by `totalDurationMs` or else by the sum of the steps' `durationMs`.
        no_redundant_calls: whether calls with the name, type and arguments of the step right before are counted.

    Raises:
        ScorerError: a budget is no finite number from 0 up (None is none either; leave it out); tokens or durations are to be
            judged and were not measured, or not by such numbers; the steps are no list, or a step is null.
    """
    budgets = {"maxSteps": max_steps, "maxTotalTokens": max_total_tokens, "maxTotalDurationMs": max_total_duration_ms}
    for name, budget in budgets.items():
        if budget is not UNSET and not _measured(budget):
            raise ScorerError(
                f"{name}: expected a finite number from 0 up, got {describe(budget)}; correct it or leave it out"
            )
    steps = elements(field(trajectory, "steps"), "steps")
    total_steps = length(field(trajectory, "steps"))
    tokens = _tokens(steps, judged=max_total_tokens is not UNSET)
    duration = _duration(trajectory, judged=max_total_duration_ms is not UNSET)
    counted = no_redundant_calls is UNSET or truthy(no_redundant_calls)
    redundant = _redundant(steps) if counted else []
    used = {"maxSteps": total_steps, "maxTotalTokens": tokens, "maxTotalDurationMs": duration}
    shares = {name: _kept(used[name], budget) for name, budget in budgets.items() if budget is not UNSET}
    over = {name: double(used[name]) > double(budgets[name]) for name in shares}
    marks = [*shares.values()] + [max(0.0, 1 - len(redundant) * _COSTS)] * counted
    return Efficiency(
        score=within_one(_total(marks) / len(marks) if marks else 1.0),
        total_steps=total_steps,
        over_step_budget=over.get("maxSteps", False),
        total_tokens=tokens,
        over_token_budget=over.get("maxTotalTokens", False),
        total_duration_ms=duration,
        over_duration_budget=over.get("maxTotalDurationMs", False),
        redundant_calls=redundant,
    )


def check_blacklist(
    trajectory: object, *, blacklisted_tools: object = (), blacklisted_sequences: object = ()
) -> Blacklist:
    """Look for forbidden tools, and for forbidden sequences of names with nothing in between; on the top level alone.

    Args:
        trajectory: the trajectory that was taken.
        blacklisted_tools: names that no step may have.
        blacklisted_sequences: lists of names that may not follow upon one another; an empty one forbids nothing.

    Raises:
        ScorerError: the steps or what is forbidden are no list, or a step or a sequence is null.
    """
    names = step_names(trajectory)
    taken = {identity(name) for name in names}
    tools = [t for t in elements(_given(blacklisted_tools), "blacklistedTools") if identity(t) in taken]
    sequences = [s for s in elements(_given(blacklisted_sequences), "blacklistedSequences") if _occurs(s, names)]
    return Blacklist(score=0.0 if tools or sequences else 1.0, violated_tools=tools, violated_sequences=sequences)


def check_tool_failures(trajectory: object, *, max_retries_per_tool: object = _MAX_RETRIES) -> ToolFailures:
    """Look for tools that were called again right after they had failed; steps that are no calls are passed over.

    A call failed when its `success` is false. A single failure, or one that another tool follows, is no retry.

    Args:
        trajectory: the trajectory that was taken.
        max_retries_per_tool: how many retries in a row cost nothing.

    Raises:
        ScorerError: the steps are no list, or a step is null.
    """
    steps = objects(field(trajectory, "steps"), "steps")
    calls = [s for s in steps if field(s, "stepType") in _CALLS]
    patterns = []
    start = 0
    while start < len(calls):
        name = field(calls[start], "name")
        end = start + 1
        while end < len(calls) and same(field(calls[end], "name"), name):
            end += 1
        retries = sum(_failed(call) for call in calls[start : end - 1])
        if retries:
            following = calls[end] if end < len(calls) else UNSET
            patterns.append(_pattern(name, retries, _failed(calls[end - 1]), following))
        start = end
    allowed = as_number(_MAX_RETRIES if max_retries_per_tool is UNSET else max_retries_per_tool) if patterns else 0.0
    excess = _total([above_zero(p.retry_count - allowed) for p in patterns])
    return ToolFailures(
        score=within_one(above_zero(1 - excess * _COSTS)),
        patterns=patterns,
        total_retries=sum(p.retry_count for p in patterns),
        excessive_retry_tools=listed_names([p.tool_name for p in patterns if p.retry_count > allowed]),
    )


def above_zero(x: float) -> float:
    """Return the number, 0 for one below; NaN stays."""
    return x if math.isnan(x) else max(0.0, x)


def _given(value: object) -> object:
    return () if value is UNSET else value


def _measured(value: object) -> bool:
    return is_number(value) and math.isfinite(double(value)) and double(value) >= 0


def _total(values: list[float]) -> float:
    """The sum from left to right, as written: `sum` would round less."""
    total = 0.0
    for value in values:
        total += value
    return total


def _kept(used: object, budget: object) -> float:
    over, limit = double(used) - double(budget), double(budget)
    if over <= 0:
        return 1.0
    # A budget of 0 divides to infinity, one of -0 to minus infinity, by which the mean is as good as can be.
    return max(0.0, 1 - (over / limit if limit else math.copysign(math.inf, limit)))


def _tokens(steps: list[Any], *, judged: bool) -> Any:
    """The tokens of all model generations, summed from the last step to the first, children before what stands before them."""
    total: Any = 0
    generations = 0
    remaining = list(steps)
    while remaining:
        step = remaining.pop()
        if same(field(step, "stepType"), "model_generation"):
            generations += 1
            prompt, completion = field(step, "promptTokens"), field(step, "completionTokens")
            if judged and not (_measured(prompt) and _measured(completion)):
                raise ScorerError(
                    f"maxTotalTokens: the model generation {describe(field(step, 'name'))} has no token counts to judge by"
                )
            total = plus(total, plus(0 if absent(prompt) else prompt, 0 if absent(completion) else completion))
        children = field(step, "children")
        if truthy(children):
            remaining += elements(children, "children")
    if judged and not (generations and _measured(total)):
        raise ScorerError(
            "maxTotalTokens: no model generation with token counts to judge by; measure them or leave the budget out"
        )
    return total


def _duration(trajectory: object, *, judged: bool) -> Any:
    whole = field(trajectory, "totalDurationMs")
    if absent(whole):
        total: Any = 0
        steps = objects(field(trajectory, "steps"), "steps")
        for step in steps:
            own = field(step, "durationMs")
            total = plus(total, 0 if absent(own) else own)
        measured = whole is UNSET and bool(steps) and all(_measured(field(step, "durationMs")) for step in steps)
    else:
        total, measured = whole, True
    if judged and not (measured and _measured(total)):
        raise ScorerError("maxTotalDurationMs: no durations to judge by; measure them or leave the budget out")
    return total


def _redundant(steps: list[Any]) -> list[RedundantCall]:
    found = []
    for index, (before, step) in enumerate(pairwise(steps), 1):
        alike = all(same(field(before, key), field(step, key)) for key in ("name", "stepType"))
        if (
            alike
            and field(step, "stepType") in _CALLS
            and stringify(field(before, "toolArgs")) == stringify(field(step, "toolArgs"))
        ):
            found.append(RedundantCall(name=field(step, "name"), index=index))
    return found


def _occurs(sequence: object, names: list[Any]) -> bool:
    """Tell whether the names follow upon one another; an object with a `length` is read like a list, as the original does."""
    wanted = length(sequence)
    if same(wanted, 0):
        return False
    size = as_number(wanted)
    start = 0
    while start <= len(names) - size:
        n = 0
        while n < size and same(item(names, start + n), item(sequence, n)):
            n += 1
        if n >= size:
            return True
        start += 1
    return False


def _failed(call: Mapping[str, Any]) -> bool:
    return field(call, "success") is False


def _pattern(name: Any, retries: int, failed_at_last: bool, following: object) -> RetryPattern:
    fell_back = failed_at_last and following is not UNSET
    return RetryPattern(
        tool_name=name,
        retry_count=retries,
        fell_back_to_alternative=fell_back,
        alternative_tool=field(following, "name") if fell_back else UNSET,
        eventually_succeeded=not failed_at_last,
    )
