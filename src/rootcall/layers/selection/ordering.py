"""Which tools must come before others, how often a tool may be called, and which may not go together.

What a policy says about a tool goes first: where one names what a tool requires, the words of the tools' descriptions
and of the system message are not asked about it. Without a policy only `policy-requires` has anything to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Rule, call_fields, emits
from rootcall.conditions import At, holds
from rootcall.config import Config
from rootcall.evidence.argument_names import without_argument
from rootcall.evidence.intents import attempt_of, intent_of, intents
from rootcall.jsonvalue import MISSING, describe, equal
from rootcall.policy import Policy, PolicyRule, named_in, policies
from rootcall.trace import Call, Tool, Trace, per_record

__all__ = ["limits", "policy_requires"]

_REFUSED: Final = ("error", "refused")

# "must be done before X", "call this before X", "only after Y", in a tool's own words or the system message.
_FIRST: Final = re.compile(r"\b(?:before|prior to|ahead of)\b", re.IGNORECASE)
_AFTER: Final = re.compile(
    r"\b(?:after|once|requires?(?: a)?(?: prior| previous)?(?: call (?:to|of))?|needs)\b", re.IGNORECASE
)
_STRICT: Final = re.compile(
    r"\b(?:must|always|required?|requires|only|never|first|mandatory|has to|have to|need(?:s|ed)?)\b", re.IGNORECASE
)


@emits(
    Rule(
        name="selection/policy-requires",
        looks_at="Tools that must come after another: where a policy says what a tool `requires`, else where the tools' own descriptions "
        "or the system message put two tools in an order by name. By a policy the other must have come back well, with the same value of the argument "
        "that `per` names; such a finding is proof.",
        why="A right tool at the wrong time is a wrong choice: rebooting before draining, booking before checking.",
        fails='reboot_node(...) though drain_node says "must be done before reboot_node" and was not called',
        passes="drain_node(...), then reboot_node(...)",
        grade="likely",
    )
)
def policy_requires(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check every call of a tool that another must precede; the other must have run ok, or have been tried, before it."""
    ruling = policies(case, config)
    for policy in ruling:
        yield from _by_policy(trace, policy)
    needs = _orders(trace)
    if not needs:
        return
    for intent in intents(trace):
        call = intent.first
        if any(rule.requires is not None for policy in ruling for rule in policy.about(trace, call.tool)):
            continue
        for needed, words in needs.get(call.tool, ()):
            before = any(c.tool == needed and c.step < call.step for c in trace.calls)
            yield Check(
                layer="selection", rule="selection/policy-requires", status="pass" if before else "fail", grade="likely",
                unit=f"call:{intent.id}", expected=needed, message=f"{needed} came first" if before else
                f"{call.tool} was called without {needed} before it; the rule: {words}", **call_fields(trace, call),
            )  # fmt: skip


def _orders(trace: Trace) -> dict[str, list[tuple[str, str]]]:
    """Return tool → [(tool that must come first, the sentence that says so)]."""
    strict = [(t.name, sentence) for t in trace.tools for sentence in _described_rules(t)]
    said = [m.text for m in trace.messages if m.role == "system" and m.text]
    ruled: list[tuple[str | None, str]] = [
        *strict,
        *((None, sentence) for text in said for sentence in _rules_in(text)),
    ]
    found: dict[str, list[tuple[str, str]]] = {}
    names = {t.name for t in trace.tools} if ruled else set()
    for own, sentence in ruled:
        for later, first in _order_in(sentence, own, names):
            if later != first:
                found.setdefault(later, []).append((first, sentence.strip()[:160]))
    return found


@per_record
def _described_rules(tool: Tool) -> tuple[str, ...]:
    return tuple(_rules_in(tool.description))


def _rules_in(text: str) -> Iterator[str]:
    """The sentences that say what must be. What goes on for too long is no sentence."""
    for sentence in re.split(r"(?<=[.!?;。])\s+|\n", text):
        if len(sentence) <= 2000 and _STRICT.search(sentence):
            yield sentence


def _order_in(sentence: str, own: str | None, names: set[str]) -> Iterator[tuple[str, str]]:
    """Yield `(later, first)` pairs a strict sentence states about tools it names."""
    mentioned = [(m.start(), m.group(0)) for m in re.finditer(r"[A-Za-z_][\w.\-]*\w", sentence) if m.group(0) in names]
    for marker, flipped in ((_FIRST, False), (_AFTER, True)):
        for m in marker.finditer(sentence):
            behind = [n for at, n in mentioned if at >= m.end() and at - m.end() < 40]
            ahead = [n for at, n in mentioned if at < m.start()]
            subject = ahead[-1] if ahead else own
            if behind and subject is not None:
                yield (subject, behind[0]) if flipped else (behind[0], subject)


# ---- by a policy -------------------------------------------------------------------------------------------------


def _by_policy(trace: Trace, policy: Policy) -> Iterator[Check]:
    for call in trace.calls:
        for rule in policy.about(trace, call.tool):
            if not rule.requires:
                continue
            applies = holds(rule.when, At(trace, call, policy), every=False)
            if applies.result == "unknown":
                yield _check(trace, call, rule, "policy-requires", "unscored", applies.reason)
            elif applies.result == "yes":
                for needed in rule.requires:
                    yield _required(trace, call, rule, needed)


def _required(trace: Trace, call: Call, rule: PolicyRule, needed: tuple[str, ...]) -> Check:
    told = " or ".join(needed)
    before = [c for c in trace.calls if named_in(needed, c.tool) and c.step < call.step]
    tried = [c for c in before if _same_case(c, call, rule.per)]
    if any(c.outcome in ("ok", "unknown") for c in tried):
        return _check(trace, call, rule, "policy-requires", "pass", f"{told} came first", expected=told)
    lost = _without(trace, (call, *([] if tried else before)), rule.per)
    if lost:
        return _check(trace, call, rule, "policy-requires", "unscored", lost, expected=told)
    about = _with_value(call, rule.per)
    lacking = (
        f"{told}{about} came first, but brought no result ({tried[-1].at})"
        if tried
        else f"no {told}{about} came before it"
    )
    return _check(trace, call, rule, "policy-requires", "fail", f"{call.tool}: {lacking}", expected=told)


@emits(
    Rule(
        name="selection/policy-at-most",
        looks_at="How often a tool was called, where a policy says `at_most`: in the trace, or for each value of the argument that `per` names. "
        "Calls that came back with an error or were refused use nothing up. `at_most: 0` under `when` says that a call is never right there.",
        why="Some things can be done once: an exchange, a discount, an escalation. The second call is a fault whatever it sends.",
        fails="modify_pending_order_items(order_id=A) twice, under at_most: 1, per: order_id",
        passes="modify_pending_order_items(order_id=A), then modify_pending_order_items(order_id=B)",
    ),
    Rule(
        name="selection/policy-never-with",
        looks_at="Two tools in one trace that a policy keeps apart with `never_with`: for each value of the argument that `per` names, where it names "
        "one. The later of the two calls is the fault; one that came back with an error or was refused keeps nothing from coming after it.",
        why="A return closes the exchange of the same order; who does the one has decided against the other.",
        fails="return_delivered_order_items(order_id=A), then exchange_delivered_order_items(order_id=A)",
        passes="the same of two orders, under per: order_id",
    ),
)
def limits(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check every call of a tool that a policy limits or keeps apart from others, in the order in which they stand."""
    for policy in policies(case, config):
        for rule in policy.rules:
            if rule.at_most is not None:
                yield from _limited(trace, policy, rule)
            if rule.never_with:
                yield from _apart(trace, policy, rule)


def _limited(trace: Trace, policy: Policy, rule: PolicyRule) -> Iterator[Check]:
    done: list[Call] = []
    limit = rule.at_most or 0
    for call in trace.calls:
        if not rule.covers(trace, call.tool):
            continue
        applies = holds(rule.when, At(trace, call, policy), every=False)
        if applies.result == "unknown":
            yield _check(trace, call, rule, "policy-at-most", "unscored", applies.reason)
        if applies.result != "yes":
            continue
        lost = _without(trace, (call,), rule.per) if limit else ""
        if lost:
            yield _check(trace, call, rule, "policy-at-most", "unscored", lost)
            continue
        before = [c for c in done if _same_case(c, call, rule.per)]
        if len(before) < limit:
            yield _check(
                trace, call, rule, "policy-at-most", "pass", f"call {len(before) + 1} of {limit} that may be made"
            )
        elif not limit:
            where = "".join(f", {c.at}" for c in applies.results[-1:])
            yield _check(
                trace, call, rule, "policy-at-most", "fail", f"{call.tool} is never right here{_told(rule)}{where}"
            )
        else:
            told = f"{call.tool}{_with_value(call, rule.per)} is call {len(before) + 1}, at most {limit} may be made (the last: {before[-1].at})"
            yield _check(trace, call, rule, "policy-at-most", "fail", told)
        if call.outcome not in _REFUSED:
            done.append(call)


def _told(rule: PolicyRule) -> str:
    """What `when` asks for, in short."""
    return f", where {describe(dict(rule.when), 200)}" if rule.when else ""


def _apart(trace: Trace, policy: Policy, rule: PolicyRule) -> Iterator[Check]:
    done: list[Call] = []
    for call in trace.calls:
        own, other = rule.covers(trace, call.tool), named_in(rule.never_with, call.tool)
        if not own and not other:
            continue
        applies = holds(rule.when, At(trace, call, policy), every=False).result if own else "yes"
        if applies == "unknown":
            yield _check(trace, call, rule, "policy-never-with", "unscored", "it is not known whether the rule applies")
        if applies != "yes":
            continue
        apart = [c for c in done if (named_in(rule.never_with, c.tool) if own else rule.covers(trace, c.tool))]
        before = [c for c in apart if _same_case(c, call, rule.per)]
        lost = _without(trace, (call, *apart), rule.per) if (own or apart) and not before else ""
        if lost:
            yield _check(trace, call, rule, "policy-never-with", "unscored", lost)
        elif before:
            told = f"{call.tool}{_with_value(call, rule.per)} was called after {before[0].tool} ({before[0].at}); the two never go together"
            yield _check(trace, call, rule, "policy-never-with", "fail", told, got=before[0].tool)
        elif own:
            yield _check(
                trace, call, rule, "policy-never-with", "pass", f"no {' or '.join(rule.never_with)} came before it"
            )
        if call.outcome not in _REFUSED:
            done.append(call)


def _same_case(a: Call, b: Call, per: str | None) -> bool:
    """Whether two calls are about the same value of an argument; one that does not send it is about none."""
    if per is None:
        return True
    value = (b.arguments or {}).get(per, MISSING)
    return value is not MISSING and equal((a.arguments or {}).get(per, MISSING), value)


def _without(trace: Trace, calls: Iterable[Call], per: str | None) -> str:
    """The first of some calls whose tool has no such argument, in words: nothing can be told by its value."""
    if per is None:
        return ""
    for call in calls:
        if call.arguments is None and call.state != "missing":
            return f"what {call.tool} was sent could not be read"
        lost = without_argument(trace, call.tool, per)
        if lost:
            return lost
    return ""


def _with_value(call: Call, per: str | None) -> str:
    if per is None:
        return ""
    value = (call.arguments or {}).get(per, MISSING)
    return f" with its {per}, which was not sent," if value is MISSING else f" with {per} {describe(value)}"


def _check(
    trace: Trace,
    call: Call,
    rule: PolicyRule,
    name: str,
    status: Any,
    told: str,
    *,
    expected: Any = MISSING,
    got: Any = MISSING,
) -> Check:
    """A check about a call by a rule of a policy; every attempt has its own, and the last one decides."""
    message = rule.message(told, failed=status == "fail")
    return Check(layer="selection", rule=f"selection/{name}", status=status, grade=rule.grade or "proof", attempt=attempt_of(trace, call),
                 unit=f"call:{intent_of(trace, call).id}", expected=expected, got=got, message=message, **call_fields(trace, call))  # fmt: skip
