"""Trajectory: whether the goal was reached, and whether the way there was straight.

Above the four layers. The goal is taken from the reward that the environment recorded; the way is read from the trace:
too many steps in one turn, reads repeated for nothing, rounds that change nothing. Whether a single call was right is
the layers' to say, and a failing call that is repeated is recovery's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Rule, RuleFunction, call_fields, emits
from rootcall.config import Config
from rootcall.evidence.effects import is_pending, name_words, read_only, result_key
from rootcall.evidence.intents import attempt_of, call_key
from rootcall.evidence.words import word_set
from rootcall.trace import Call, Step, Trace, Turn

__all__ = ["RULES", "compounding", "steps", "steps_of"]

REACHED: Final = 1e-6
STEP_LIMIT: Final = 5
ROUNDS: Final = 3
_ASKS_STATE: Final = word_set("status poll wait progress state track await sleep job")

GOAL = Rule(
    name="trajectory/goal-missed",
    looks_at="The reward that the environment recorded (`metadata.reward`): 1, within a millionth, is reached.",
    why="All layers can look clean while the end state is wrong; the environment knows.",
    fails="metadata: {reward: 0.0}",
    passes="metadata: {reward: 1.0}",
)
TOO_MANY = Rule(
    name="trajectory/too-many-steps",
    looks_at="Steps with calls within one turn, retries and polls folded, beyond a limit.",
    why="Success falls with every step: at 0.95 a step, eight steps succeed two times in three. A long turn is worth "
    "splitting, or a tool that does several steps in one.",
    fails="nine steps with calls between the user's question and the answer",
    passes="three steps, or five polls of one job",
    grade="hint",
    options={"limit": (STEP_LIMIT, "steps with calls in one turn that are still fine")},
)
REDUNDANT = Rule(
    name="trajectory/redundant-call",
    looks_at="The same successful read again within a turn, with the same result and no write in between.",
    why="It costs time and money and brings nothing. Polling is not meant, nor a later turn in which the user asks again.",
    fails="get_order('A1'), get_user('U1'), get_order('A1') in one turn, the order unchanged",
    passes="job_status('J1') -> queued, then job_status('J1') -> done",
    grade="hint",
)
NO_PROGRESS = Rule(
    name="trajectory/no-progress-loop",
    looks_at="The same calls with the same results over and over within a turn, three rounds or more.",
    why="The agent goes round in a circle without an error to stop it.",
    fails="search('x') -> [], list() -> [...], three times over",
    passes="search('x') -> [], search('y') -> [], search('z') -> [...]",
    grade="likely",
    options={"rounds": (ROUNDS, "rounds from which on it is a loop")},
)


@emits(GOAL)
def goal_missed(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Read the recorded reward; without one nothing is said, and one that is no number is unscored."""
    if "reward" not in trace.metadata or trace.metadata["reward"] is None:
        return
    reward = trace.metadata["reward"]
    at = trace.messages[-1].at if trace.messages else "messages"
    fields: dict[str, Any] = {"layer": "trajectory", "rule": GOAL.name, "unit": "trajectory:goal", "at": at,
                              "source": trace.source, "expected": 1}  # fmt: skip
    if not isinstance(reward, int | float) or math.isnan(reward):
        yield Check(status="unscored", message=f"the recorded reward is {reward!r}, a number is wanted", **fields)
    elif abs(reward - 1) <= REACHED:
        yield Check(status="pass", got=reward, message="the recorded reward is 1", **fields)
    else:
        yield Check(status="fail", got=reward, message=f"the recorded reward is {reward:g}, 1 is the goal", **fields)


@emits(TOO_MANY)
def too_many_steps(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Give a hint for every turn with more steps than the limit."""
    limit = config.option(TOO_MANY.name, "limit", STEP_LIMIT)
    for turn in trace.turns:
        if len(turn.steps) <= limit:
            continue
        counted = steps_of(trace, turn)
        if len(counted) > limit:
            call = counted[limit].calls[0]
            message = f"{len(counted)} steps with calls in one turn, retries and polls folded (limit {limit})"
            yield Check(layer="trajectory", rule=TOO_MANY.name, status="fail", grade="hint", unit=f"trajectory:turn:{turn.index}",
                        message=message, expected=limit, got=len(counted), **call_fields(trace, call))  # fmt: skip


@emits(REDUNDANT)
def redundant_call(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Give a hint for every read that was repeated for nothing."""
    for turn in trace.turns:
        if len(turn.calls) < 2:
            continue
        seen: dict[str, Call] = {}
        for call in turn.calls:
            if not read_only(trace.tool(call.tool), call.tool):
                seen.clear()
                continue
            if call.outcome != "ok":
                continue
            before = seen.get(call_key(trace, call))
            seen[call_key(trace, call)] = call
            if before is None or _polls(before) or result_key(before) != result_key(call):
                continue
            message = f"{call.tool} had given the same result at {before.at}, and nothing was changed since"
            yield Check(layer="trajectory", rule=REDUNDANT.name, status="fail", grade="hint",
                        unit=f"trajectory:call:{call.at}", message=message, **call_fields(trace, call))  # fmt: skip


@emits(NO_PROGRESS)
def no_progress_loop(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Find the first circle of each turn: steps that repeat, results included, as often as the option says."""
    rounds = max(2, config.option(NO_PROGRESS.name, "rounds", ROUNDS))
    for turn in trace.turns:
        found = _circle(trace, turn, rounds)
        if found is None:
            continue
        call, length = found
        names = "a step" if length == 1 else f"{length} steps"
        message = f"{names} with the same calls and results {rounds} times or more, from {call.tool} on"
        yield Check(layer="trajectory", rule=NO_PROGRESS.name, status="fail", grade="likely",
                    unit=f"trajectory:loop:{turn.index}", message=message, **call_fields(trace, call))  # fmt: skip


def _circle(trace: Trace, turn: Turn, rounds: int) -> tuple[Call, int] | None:
    """The first call of the round that is one too many, and how many steps a round has."""
    with_calls = [s for s in turn.steps if s.calls]
    if len(with_calls) < rounds:
        return None
    asked = Counter(call_key(trace, c) for s in with_calls for c in s.calls)
    # Results are compared only where a call was made often enough: payloads are large, circles are rare.
    keys = [
        _step_key(trace, s) if all(asked[call_key(trace, c)] >= rounds for c in s.calls) else None for s in with_calls
    ]
    for start in range(len(keys)):
        for length in range(1, min(6, (len(keys) - start) // rounds) + 1):
            first = keys[start : start + length]
            if None in first or first * rounds != keys[start : start + length * rounds]:
                continue
            return with_calls[start + length * (rounds - 1)].calls[0], length
    return None


def _step_key(trace: Trace, step: Step) -> str | None:
    """What a step did and got; None when one of its calls failed, polled or has no result to compare."""
    if any(c.outcome != "ok" or _polls(c) for c in step.calls):
        return None
    return " & ".join(sorted(f"{call_key(trace, c)} -> {result_key(c)}" for c in step.calls))


def _polls(call: Call) -> bool:
    return is_pending(call) or any(w in _ASKS_STATE for w in name_words(call.tool))


def steps_of(trace: Trace, turn: Turn) -> Sequence[Step]:
    """Return the steps of a turn that have calls, without those that only retry or poll what came before."""
    counted, seen = [], set()
    for step in turn.steps:
        fresh = [c for c in step.calls if attempt_of(trace, c) in ("only", "first") and call_key(trace, c) not in seen]
        seen |= {call_key(trace, c) for c in step.calls}
        if fresh:
            counted.append(step)
    return counted


def steps(trace: Trace) -> int:
    """Return how many steps with calls a trace took, retries and polls folded."""
    return sum(len(steps_of(trace, t)) for t in trace.turns)


def compounding(per_step: float, n: int) -> float:
    """Return the success of `n` steps in a row when each succeeds with probability `per_step`: 0.95 and 8 give 0.66.

    Raises:
        ValueError: `per_step` is not between 0 and 1, or `n` is negative.
    """
    if not 0 <= per_step <= 1:
        raise ValueError(f"per_step must be between 0 and 1, got {per_step}")
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    return float(per_step**n)


RULES: tuple[RuleFunction, ...] = (goal_missed, too_many_steps, redundant_call, no_progress_loop)
"""The rules of the trajectory."""
