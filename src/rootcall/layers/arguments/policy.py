"""Arguments against the bounds of a policy: values that earlier results, lists and limits allow.

The bound that an argument's own description states in words is `amounts`'s, and is not asked about an argument that a
policy bounds. Whether a condition holds is `rootcall.conditions`'.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rootcall.case import Case
from rootcall.check import Check, emits
from rootcall.conditions import Answer, At, argument_of, holds
from rootcall.config import Config
from rootcall.jsonvalue import MISSING
from rootcall.layers.arguments.common import Sent, sent
from rootcall.policy import EVERY, Policy, PolicyRule, place_named, policies
from rootcall.trace import Trace

__all__ = ["bounded_arguments", "bounds"]


@emits("arguments/policy-bound")
def bounds(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check every attempt at a call that a policy bounds; unscored where no earlier result tells."""
    for policy in policies(case, config):
        for s in sent(trace):
            for rule in policy.about(s.trace, s.call.tool):
                if rule.bound:
                    yield from _bound(s, policy, rule)


def _bound(s: Sent, policy: Policy, rule: PolicyRule) -> Iterator[Check]:
    at = At(s.trace, s.call, policy)
    applies = holds(rule.when, at, every=False)
    if applies.result == "no":
        return
    for path, test in rule.bound.items():
        top = _top(path, test, at)
        if applies.result == "unknown":
            yield _check(s, rule, "unscored", applies, top)
            continue
        answer = holds({path: test}, at, every=True)
        status = {"yes": "pass", "no": "fail", "unknown": "unscored"}[answer.result]
        yield _check(s, rule, status, answer, top)


def _check(s: Sent, rule: PolicyRule, status: Any, answer: Answer, top: str | None) -> Check:
    read = f" (read at {', '.join(c.at for c in answer.results)})" if answer.results and status != "pass" else ""
    told = f"{answer.reason}{read}" if status != "pass" else "it is as the policy wants it"
    message = rule.message(told, failed=status == "fail")
    place = place_named(answer.path)
    # A count is about the argument as a whole, and no place can be followed to a star.
    inside = top is not None and place is not None and place.root == top and EVERY not in place.steps
    return s.check(
        "policy-bound",
        status,
        message,
        top=top,
        path=answer.path if inside and status == "fail" else None,
        grade=rule.grade or "proof",
        got=answer.got if status == "fail" else MISSING,
    )


def _top(path: str, test: Any, at: At) -> str | None:
    """The argument that a bound is about; None when it is about none that was sent."""
    if path == "any":
        named = [_top(p, t, at) for option in test for p, t in option.items()]
        return next((name for name in named if name is not None), None)
    name = argument_of(path, at.policy)
    return name if name in (at.call.arguments or {}) else None


def bounded_arguments(trace: Trace, case: Case | None, config: Config) -> frozenset[tuple[str, str]]:
    """The arguments that a policy bounds by name, each with its tool, of the tools that the trace calls."""
    found = set[tuple[str, str]]()
    for policy in policies(case, config):
        for tool in {c.tool for c in trace.calls}:
            paths = [path for rule in policy.about(trace, tool) for path in _paths(rule.bound)]
            found |= {(tool, name) for path in paths if (name := argument_of(path, policy)) is not None}
    return frozenset(found)


def _paths(condition: Any) -> Iterator[str]:
    for path, test in condition.items():
        if path != "any":
            yield path
            continue
        for option in test:
            yield from _paths(option)
