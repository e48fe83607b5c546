"""How far the steps that were taken are the steps that were expected, as Mastra counts them.

A trajectory is `{"steps": [{"stepType", "name", "children"?, …}], "totalDurationMs"?}` and an expected step
`{"name", "stepType"?, …}`, plain objects in Mastra's names. This module owns when a step fits an expected one and the three
ways of comparing; what a trajectory costs and what it must not do is `rootcall.mastra.conduct`. Results and odd cases are
those of `@mastra/evals` 1.10.2: what it cannot read raises `ScorerError` here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.mastra.coercion import absent, field, identity, length, objects
from rootcall.mastra.javascript import round_two, same, stringify, truthy

__all__ = ["Comparison", "Record", "compare_trajectories", "listed_names", "step_names", "within_one"]

_REPEAT_COSTS: Final = 0.1
_SURPLUS_COSTS: Final = 0.5

_COMPARED: Final = {
    "tool_call": ("toolArgs", "toolResult", "success"),
    "mcp_tool_call": ("toolArgs", "toolResult", "mcpServer", "success"),
    "model_generation": ("modelId", "promptTokens", "completionTokens", "finishReason"),
    "agent_run": ("agentId",),
    "workflow_step": ("stepId", "status", "output"),
    "workflow_run": ("workflowId", "status"),
    "workflow_conditional": ("conditionCount", "selectedSteps"),
    "workflow_parallel": ("branchCount", "parallelSteps"),
    "workflow_loop": ("loopType", "totalIterations"),
    "workflow_sleep": ("sleepDurationMs", "sleepType"),
    "workflow_wait_event": ("eventName", "eventReceived"),
    "processor_run": ("processorId",),
}

# The original looks a type up in an object, which has these fields of its own; it then fails on what it finds.
_UNUSABLE: Final = frozenset(
    {
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    }
)  # fmt: skip


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a function of this package found. A field that is `UNSET` does not exist."""

    def to_dict(self) -> dict[str, Any]:
        """The record in Mastra's own names, without the fields that do not exist."""
        return dict(msgspec.to_builtins(self))


class Comparison(Record, frozen=True, kw_only=True):
    """How far a trajectory is the expected one; `score` is 0 to 1, in two decimals.

    `matched_steps` counts expected steps that were found; `missing_steps` names those that were not, `extra_steps` what was
    taken without being expected, `out_of_order_steps` what was expected and taken elsewhere, `repeated_steps` each name
    that was taken more than once. A step without a name stands as None.
    """

    score: float
    matched_steps: int
    total_expected_steps: int
    total_actual_steps: int
    missing_steps: list[Any]
    extra_steps: list[Any]
    out_of_order_steps: list[Any]
    repeated_steps: list[Any]


class _Steps(NamedTuple):
    """Steps, their names, and for each name what tells it from others."""

    steps: list[Any]
    names: list[Any]
    keys: list[object]


class _Matching(NamedTuple):
    """The places at which expected steps were found, and the names found out of order."""

    found: set[int]
    misplaced: Sequence[Any] = ()


def compare_trajectories(
    actual: object, expected: object, *, ordering: object = "relaxed", allow_repeated_steps: object = True
) -> Comparison:
    """Compare the steps taken with those expected.

        compare_trajectories({"steps": [{"name": "a"}, {"name": "b"}]}, {"steps": [{"name": "b"}]}).score  # 1.0

    A step fits an expected one of the same name. Where the expected one names a `stepType`, that must be the same, and
    so must each of the fields that this type is compared by and the expected step has: for a call `toolArgs`, `toolResult`
    and `success`. Without a `stepType` only names are compared. Fields are equal when their JSON text is, so the order
    of keys counts.

    Args:
        actual: the trajectory that was taken.
        expected: what was expected, with `steps`.
        ordering: `strict` compares place by place, and half of the share of surplus steps is taken off; `unordered` finds
            each expected step anywhere; anything else finds them one after the other, with others in between.
        allow_repeated_steps: where it is false, each name taken more than once costs 0.1.

    Returns:
        The comparison. When nothing is expected the score is 1 for an empty trajectory and 0 for any other.

    Raises:
        ScorerError: `steps` is no list on either side, or a step is null; a step's type is the name of a field that every
            object of JavaScript has.
    """
    wanted_steps = field(expected, "steps")
    if same(length(wanted_steps), 0):
        taken = step_names(actual)
        return _comparison(
            0.0 if taken else 1.0, _Matching(set()), missing=[], extra=taken, repeated=[], wanted=0, taken=len(taken)
        )
    actual_steps = _steps(field(actual, "steps"), "steps taken")
    wanted = _steps(wanted_steps, "steps expected")
    if same(ordering, "strict"):
        matching = _place_by_place(actual_steps, wanted)
    elif same(ordering, "unordered"):
        matching = _anywhere(actual_steps, wanted)
    else:
        matching = _one_after_another(actual_steps, wanted)
    score = len(matching.found) / len(wanted.steps)
    surplus = len(actual_steps.steps) - len(wanted.steps)
    if same(ordering, "strict") and surplus > 0:
        score = max(0.0, score - surplus / len(wanted.steps) * _SURPLUS_COSTS)
    repeated = _repeated(actual_steps)
    if repeated and not (allow_repeated_steps is UNSET or truthy(allow_repeated_steps)):
        score = max(0.0, score - len(repeated) * _REPEAT_COSTS)
    expected_keys = set(wanted.keys)
    return _comparison(
        score,
        matching,
        missing=[name for n, name in enumerate(wanted.names) if n not in matching.found],
        extra=[
            name for name, key in zip(actual_steps.names, actual_steps.keys, strict=True) if key not in expected_keys
        ],
        repeated=repeated,
        wanted=len(wanted.steps),
        taken=len(actual_steps.steps),
    )


def step_names(trajectory: object) -> list[Any]:
    """Return the names of a trajectory's steps, `UNSET` for a step without one.

    Raises:
        ScorerError: its `steps` are no list, or a step is null.
    """
    return [field(step, "name") for step in objects(field(trajectory, "steps"), "steps")]


def listed_names(names: Sequence[Any]) -> list[Any]:
    """Return names as they stand in a list of JSON, where one that does not exist is null."""
    return [None if absent(name) else name for name in names]


def within_one(score: float) -> float:
    """Return a score not below 0 nor above 1, in two decimals; NaN stays."""
    return round_two(min(max(score, 0.0), 1.0))


def _comparison(
    score: float,
    matching: _Matching,
    *,
    missing: list[Any],
    extra: list[Any],
    repeated: list[Any],
    wanted: int,
    taken: int,
) -> Comparison:
    return Comparison(
        score=within_one(score),
        matched_steps=len(matching.found),
        total_expected_steps=wanted,
        total_actual_steps=taken,
        missing_steps=listed_names(missing),
        extra_steps=listed_names(extra),
        out_of_order_steps=listed_names(matching.misplaced),
        repeated_steps=listed_names(repeated),
    )


def _steps(value: object, what: str) -> _Steps:
    steps = objects(value, what)
    names = [field(step, "name") for step in steps]
    return _Steps(steps, names, [identity(name) for name in names])


def _repeated(actual: _Steps) -> list[Any]:
    counts: dict[object, int] = {}
    named: dict[object, Any] = {}
    for name, key in zip(actual.names, actual.keys, strict=True):
        named.setdefault(key, name)
        counts[key] = counts.get(key, 0) + 1
    return [named[key] for key, count in counts.items() if count > 1]


def _place_by_place(actual: _Steps, wanted: _Steps) -> _Matching:
    found: set[int] = set()
    misplaced = []
    expected_keys = set(wanted.keys)
    beyond = identity(UNSET)
    for n in range(max(len(actual.steps), len(wanted.steps))):
        key = actual.keys[n] if n < len(actual.keys) else beyond
        # Beyond the end there is a step without a name on that side, which is the same name as that of a nameless step.
        if key == (wanted.keys[n] if n < len(wanted.keys) else beyond):
            if n >= min(len(actual.steps), len(wanted.steps)) or _named_fits(actual.steps[n], wanted.steps[n]):
                found.add(n)
        elif n < len(actual.names) and truthy(actual.names[n]) and key in expected_keys:
            misplaced.append(actual.names[n])
    return _Matching(found, misplaced)


def _one_after_another(actual: _Steps, wanted: _Steps) -> _Matching:
    found: set[int] = set()
    misplaced = []
    taken_keys = set(actual.keys)
    start = 0
    for n, key in enumerate(wanted.keys):
        place = next(
            (i for i in _places(actual.keys, key, start) if _named_fits(actual.steps[i], wanted.steps[n])), None
        )
        if place is not None:
            found.add(n)
            start = place + 1
        elif key in taken_keys:
            misplaced.append(wanted.names[n])
    return _Matching(found, misplaced)


def _places(keys: list[object], key: object, start: int) -> Iterator[int]:
    return (i for i in range(start, len(keys)) if keys[i] == key)


def _anywhere(actual: _Steps, wanted: _Steps) -> _Matching:
    found: set[int] = set()
    free = dict(enumerate(actual.keys))
    for n, key in enumerate(wanted.keys):
        place = next((i for i, k in free.items() if k == key and _fits(actual.steps[i], wanted.steps[n])), None)
        if place is not None:
            found.add(n)
            del free[place]
    return _Matching(found)


def _named_fits(step: object, wanted: object) -> bool:
    """Tell whether a step fits an expected one of its name; where either is 0, "" or false, the name is all there is."""
    return not (truthy(step) and truthy(wanted)) or _fits(step, wanted)


def _fits(step: object, wanted: object) -> bool:
    """Tell whether a step fits an expected one of its name in type and in the fields compared."""
    wanted_type = field(wanted, "stepType")
    if not truthy(wanted_type):
        return True
    if not same(field(step, "stepType"), wanted_type):
        return False
    if not isinstance(wanted_type, str):
        return True
    if wanted_type in _UNUSABLE:
        raise ScorerError(f"stepType: {wanted_type!r} is no type that steps can be compared by; give one of Mastra's")
    for key in _COMPARED.get(wanted_type, ()):
        expected = field(wanted, key)
        if expected is not UNSET and stringify(field(step, key)) != stringify(expected):
            return False
    return True
