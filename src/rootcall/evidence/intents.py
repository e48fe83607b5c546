"""Which calls are attempts at the same thing. A retry is one intent with a first and a final attempt.

A call continues an intent when the intent's last attempt failed (error or refusal) in an earlier step, the tool is the
same (or the earlier name was unknown to the harness), and the arguments are the same, differ in what the error names,
or still agree somewhere. After a success an intent is closed: the same call again is a repeat, not a retry.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rootcall.check import Attempt
from rootcall.jsonvalue import MISSING, canonical, equal
from rootcall.trace import Call, Trace, per_trace

__all__ = ["Intent", "attempt_of", "changed_arguments", "intent_of", "intents", "same_call"]

_FAILED = ("error", "refused")


class Intent(msgspec.Struct, frozen=True, gc=False):
    """One thing the agent wanted from a tool, with all attempts at it, oldest first."""

    attempts: tuple[Call, ...]

    @property
    def first(self) -> Call:
        """The first attempt; its place names the intent."""
        return self.attempts[0]

    @property
    def final(self) -> Call:
        """The last attempt; a layer is judged on it."""
        return self.attempts[-1]

    @property
    def id(self) -> str:
        """The place of the first attempt."""
        return self.attempts[0].at


def same_call(a: Call, b: Call) -> bool:
    """Tell whether two calls are identical: same tool, equal arguments (or the same unreadable text).

    What was not captured is not known to be the same.
    """
    if a.tool != b.tool or (a.state == "not_captured" and a is not b):
        return False
    if a.arguments is None or b.arguments is None:
        return a.arguments is b.arguments and a.raw == b.raw
    return equal(a.arguments, b.arguments)


def changed_arguments(a: Call, b: Call) -> set[str]:
    """Return the top-level arguments in which two calls differ."""
    x, y = a.arguments or {}, b.arguments or {}
    return {k for k in {**x, **y} if not equal(x.get(k, MISSING), y.get(k, MISSING))}


def _likeness(before: Call, after: Call) -> float:
    """How much a call looks like another attempt at an earlier one: 0 not at all, 1 the same call."""
    if after.step <= before.step or after.agent != before.agent:
        return 0.0
    error = before.error
    if before.tool != after.tool:
        unknown = error is not None and error.kind == "unknown_tool"
        return 0.6 if unknown and equal(before.arguments or {}, after.arguments or {}) else 0.0
    if same_call(before, after):
        return 1.0
    near = after.turn == before.turn
    if before.arguments is None or after.arguments is None:
        return 0.8 if near else 0.0
    changed = changed_arguments(before, after)
    if error is not None and error.fields and changed <= set(error.fields):
        return 0.9
    keys = {**before.arguments, **after.arguments}
    agree = (len(keys) - len(changed)) / len(keys) if keys else 1.0
    if near:
        # With one argument there is nothing left to agree on; the same turn and tool are then enough.
        return (
            0.3 + 0.5 * agree if agree > 0 or len(keys) == 1 or _kept_keys(before.arguments, after.arguments) else 0.1
        )
    return 0.5 * agree if agree >= 0.5 else 0.0


def _kept_keys(a: Mapping[str, object], b: Mapping[str, object]) -> bool:
    return set(a) == set(b)


@per_trace
def intents(trace: Trace) -> tuple[Intent, ...]:
    """Return the intents of a trace in the order of their first attempts. Every call belongs to exactly one."""
    groups: list[list[Call]] = []
    failed: list[list[Call]] = []  # those whose last attempt failed: after a success nothing is added to a group
    for step in trace.steps:
        if not failed:
            new = [[call] for call in step.calls]
            groups += new
            failed = [g for g in new if g[-1].outcome in _FAILED]
            continue
        open_groups = [g for g in failed if g[-1].step < step.index]
        new = []
        for call in step.calls:
            scored = [(_likeness(g[-1], call), -i) for i, g in enumerate(open_groups)]
            best = max(scored, default=(0.0, 0))
            if best[0] > 0:
                open_groups.pop(-best[1]).append(call)
            else:
                new.append([call])
        groups += new
        failed = [g for g in (*failed, *new) if g[-1].outcome in _FAILED]
    return tuple([Intent(tuple(g)) for g in groups])


@per_trace
def _by_place(trace: Trace) -> dict[str, tuple[Intent, Attempt]]:
    found: dict[str, tuple[Intent, Attempt]] = {}
    for intent in intents(trace):
        n = len(intent.attempts)
        for i, call in enumerate(intent.attempts):
            attempt: Attempt = "only" if n == 1 else "first" if i == 0 else "final" if i == n - 1 else "retry"
            found[call.at] = (intent, attempt)
    return found


def intent_of(trace: Trace, call: Call) -> Intent:
    """Return the intent a call belongs to."""
    return _by_place(trace)[call.at][0]


def attempt_of(trace: Trace, call: Call) -> Attempt:
    """Return which attempt at its intent a call is."""
    return _by_place(trace)[call.at][1]


def call_key(trace: Trace, call: Call) -> str:
    """Return a text that is the same for identical calls of a trace."""
    return call_keys(trace)[call.at]


@per_trace
def call_keys(trace: Trace) -> Mapping[str, str]:
    """Return the key of every call of a trace, by its place."""
    return {c.at: f"{c.tool}({_written(c)})" for c in trace.calls}


def _written(call: Call) -> str | None:
    if call.state == "not_captured":
        return call.at  # whether it is the same as another one is not known
    return canonical(call.arguments) if call.arguments is not None else call.raw
