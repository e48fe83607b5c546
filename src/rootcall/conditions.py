"""Does a condition of a policy hold at a call? Yes, no, or unknown, with the earlier results it was read from.

A condition is an object of paths and tests, all of which must hold; `any` holds when one of its conditions does. A test
is a value or a matcher, as in a case, or relations to other values: `in`, `not_in`, `same_as`, `at_least`, `at_most`,
`after`, `before`, and `count` for how many values there are. Where no earlier result tells, the answer is unknown, which
is never a yes. How a path is written is `rootcall.policy`'s, what may stand in a test `rootcall.policyfile`'s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple

from rootcall.case import matcher
from rootcall.evidence.argument_names import has_argument, without_argument
from rootcall.evidence.clock import moment_of
from rootcall.evidence.facts import payload_of
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, describe, equal, join_path
from rootcall.matching import Context, compare
from rootcall.policy import EVERY, Earlier, Policy, Where, named_in, place_named
from rootcall.trace import Call, Trace

__all__ = ["Answer", "At", "argument_of", "holds", "values_at"]


class At(NamedTuple):
    """Where a condition is asked: the call of a trace, and the policy whose names its paths use."""

    trace: Trace
    call: Call
    policy: Policy


class Answer(NamedTuple):
    """What was found. `path` and `got` tell the value that decided a no, `results` the calls whose results were read."""

    result: Literal["yes", "no", "unknown"]
    reason: str = ""
    path: str = ""
    got: Any = MISSING
    results: tuple[Call, ...] = ()


class Values(NamedTuple):
    """What a path reaches: each value with its place, and the calls whose results were read; or why there is none.

    An argument of which no schema tells whether the tool has it is both: it was not sent, and nothing else is known.
    `none` marks that all results of a kind were asked for and none came: nothing can be told of them but their number.
    """

    found: tuple[tuple[str, Any], ...] = ()
    results: tuple[Call, ...] = ()
    absent: str = ""
    argument: bool = False
    none: bool = False


_MOST: Final = 5000


def holds(condition: Mapping[str, Any], at: At, *, every: bool) -> Answer:
    """Tell whether a condition holds at a call.

    Args:
        condition: paths and tests, as `rootcall.policyfile` has let through; an empty one holds.
        at: the call, its trace and the policy.
        every: whether all values that a path reaches must pass, or one is enough. An argument that was not sent
            passes where all must, if the tool has it: that it is wanted is the schema's to say.
    """
    answers = [
        _any(test, at, every) if path == "any" else _one(path, test, at, every) for path, test in condition.items()
    ]
    return _all(answers)


def _all(answers: Sequence[Answer]) -> Answer:
    for wanted in ("no", "unknown"):
        for answer in answers:
            if answer.result == wanted:
                return answer
    return Answer("yes", results=_merged(a.results for a in answers))


def _any(options: Sequence[Mapping[str, Any]], at: At, every: bool) -> Answer:
    answers = [holds(option, at, every=every) for option in options]
    for wanted in ("yes", "unknown"):
        for answer in answers:
            if answer.result == wanted:
                return answer
    reasons = "; ".join(dict.fromkeys(a.reason for a in answers))
    return Answer("no", reasons, answers[0].path, answers[0].got, _merged(a.results for a in answers))


def _merged(calls: Iterable[Sequence[Call]]) -> tuple[Call, ...]:
    return tuple({c.at: c for some in calls for c in some}.values())


def _one(path: str, test: Any, at: At, every: bool) -> Answer:
    values = values_at(path, at)
    relations = test if isinstance(test, OBJECTS) and matcher(test) is None else None
    counted = relations is not None and "count" in relations
    if values.absent and not (counted and values.none) and not (values.found and _asks_absence(test)):
        return Answer("unknown", values.absent, path)
    if relations is not None and counted:
        return _counted(path, relations, values, at)
    answers = []
    for where, value in values.found:
        if value is MISSING and values.argument and every:
            continue
        answer = _test(test, where, value, values, at) if relations is None else _relations(relations, where, value, at)
        answers.append(answer._replace(path=where, got=value, results=_merged((values.results, answer.results))))
    if every:
        return _all(answers) if answers else Answer("yes", results=values.results)
    for wanted in ("yes", "unknown"):
        for answer in answers:
            if answer.result == wanted:
                return answer
    return answers[0] if answers else Answer("no", f"{path} holds nothing", path, results=values.results)


def _test(wanted: Any, where: str, value: Any, values: Values, at: At) -> Answer:
    if value is MISSING and not values.argument and matcher(wanted) is None:
        return Answer("unknown", f"there is no {where}")
    compared = compare(wanted, value, Context(at.trace, at.call))
    if compared.result == "match":
        return Answer("yes")
    if compared.result == "undecided":
        return Answer("unknown", f"{where}: {compared.reason}")
    return Answer("no", f"{where} is {describe(value)}, {_wanted(wanted)}")


def _asks_absence(test: Any) -> bool:
    found = matcher(test)
    return found is not None and (found[0] == "$absent" or (found[0] == "$not" and _asks_absence(found[1])))


def _wanted(test: Any) -> str:
    found = matcher(test)
    if found is not None and found[0] == "$not":
        return f"which is not {describe(test)}" if matcher(found[1]) else f"and must not be {describe(found[1])}"
    return f"not {describe(test)}"


# ---- relations ---------------------------------------------------------------------------------------------------


def _relations(relations: Mapping[str, Any], where: str, value: Any, at: At) -> Answer:
    if value is MISSING:
        return Answer("unknown", f"there is no {where}")
    return _all([_RELATED[name](operand, where, value, at) for name, operand in relations.items()])


def _in(operand: Any, where: str, value: Any, at: At) -> Answer:
    among = _among(operand, value, at)
    if among.result != "no":
        return among
    return among._replace(reason=f"{where} is {describe(value)}, which is not {among.reason}")


def _not_in(operand: Any, where: str, value: Any, at: At) -> Answer:
    among = _among(operand, value, at)
    if among.result == "yes":
        return among._replace(result="no", reason=f"{where} is {describe(value)}, which is {among.reason}")
    return among._replace(result="yes") if among.result == "no" else among


def _among(operand: Any, value: Any, at: At) -> Answer:
    """Whether a value is one of a list or of what a path reaches; the reason says what there is to be one of."""
    if not isinstance(operand, str):
        results = [compare(o, value, Context(at.trace, at.call)).result for o in operand]
        found: Literal["yes", "no", "unknown"]
        found = "yes" if "match" in results else "unknown" if "undecided" in results else "no"
        return Answer(found, f"among {describe(list(operand))}")
    values = values_at(operand, at)
    if values.absent:
        return Answer("unknown", values.absent)
    yes = any(equal(v, value) for _, v in values.found)
    listed = describe([v for _, v in values.found if v is not MISSING])
    return Answer("yes" if yes else "no", f"among {operand}: {listed}", results=values.results)


def _same_as(operand: Any, where: str, value: Any, at: At) -> Answer:
    if isinstance(operand, str):
        return _in(operand, where, value, at)
    return _numeric(operand, where, value, at, "not", equal)


def _at_least(operand: Any, where: str, value: Any, at: At) -> Answer:
    return _numeric(operand, where, value, at, "less than", lambda a, b: a >= b or equal(a, b))


def _at_most(operand: Any, where: str, value: Any, at: At) -> Answer:
    return _numeric(operand, where, value, at, "more than", lambda a, b: a <= b or equal(a, b))


def _numeric(
    operand: Any, where: str, value: Any, at: At, failing: str, passes: Callable[[float, float], bool]
) -> Answer:
    wanted = _amount(operand, at)
    if wanted.value is None:
        return Answer("unknown", wanted.absent, results=wanted.results)
    if not _is_number(value):
        return Answer("unknown", f"{where} is {describe(value)}, which is no number")
    if passes(value, wanted.value):
        return Answer("yes", results=wanted.results)
    return Answer(
        "no", f"{where} is {describe(value)}, {failing} {describe(_whole(wanted.value))}", results=wanted.results
    )


def _after(operand: Any, where: str, value: Any, at: At) -> Answer:
    return _in_time(operand, where, value, at, "not after", lambda a, b: a > b)


def _before(operand: Any, where: str, value: Any, at: At) -> Answer:
    return _in_time(operand, where, value, at, "not before", lambda a, b: a < b)


def _in_time(
    operand: str, where: str, value: Any, at: At, failing: str, passes: Callable[[datetime, datetime], bool]
) -> Answer:
    results: tuple[Call, ...] = ()
    moment = moment_of(operand)
    if moment is None:
        values = values_at(operand, at)
        if values.absent or len(values.found) != 1:
            return Answer("unknown", values.absent or f"{operand} is not one moment")
        moment, results = moment_of(values.found[0][1]), values.results
    own = moment_of(value)
    if own is None or moment is None:
        return Answer("unknown", f"{where} is {describe(value)}, which cannot be read as a moment")
    if (own.tzinfo is None) != (moment.tzinfo is None):
        # One of them tells no offset: both are read at the same place.
        own, moment = own.replace(tzinfo=UTC), moment.replace(tzinfo=UTC)
    if passes(own, moment):
        return Answer("yes", results=results)
    return Answer("no", f"{where} is {describe(value)}, {failing} {moment.isoformat()}", results=results)


_RELATED: Final[Mapping[str, Callable[[Any, str, Any, At], Answer]]] = {
    "in": _in,
    "not_in": _not_in,
    "same_as": _same_as,
    "at_least": _at_least,
    "at_most": _at_most,
    "after": _after,
    "before": _before,
}


def _counted(path: str, relations: Mapping[str, Any], values: Values, at: At) -> Answer:
    """How many values there are, or how many pass the test that `count` names."""
    test = relations["count"]
    there = [(where, value) for where, value in values.found if value is not MISSING]
    answers = [Answer("yes") if test is True else _test(test, where, value, values, at) for where, value in there]
    if any(a.result == "unknown" for a in answers):
        return next(a for a in answers if a.result == "unknown")._replace(path=path)
    if values.argument and values.found and not there:
        return Answer("yes")
    n = sum(a.result == "yes" for a in answers)
    told = f"the number of {path}" if test is True else f"the number of {path} that are {describe(test)}"
    rest = {name: operand for name, operand in relations.items() if name != "count"}
    answer = _relations(rest, told, n, at)
    return answer._replace(path=path, got=n, results=_merged((values.results, answer.results)))


# ---- amounts -----------------------------------------------------------------------------------------------------


class _Amount(NamedTuple):
    value: float | None
    absent: str = ""
    results: tuple[Call, ...] = ()


def _amount(operand: Any, at: At) -> _Amount:
    """A number, the number a path leads to, or one that is made of others; None with the reason why it is not known."""
    if _is_number(operand):
        return _Amount(operand)
    if isinstance(operand, str):
        values = values_at(operand, at)
        numbers = [v for _, v in values.found if _is_number(v)]
        if values.absent or len(numbers) != 1:
            return _Amount(None, values.absent or f"{operand} is not one number")
        return _Amount(numbers[0], results=values.results)
    kind = next(k for k in operand if k != "of")
    if kind == "pick":
        return _picked(operand, at)
    if kind in ("count", "sum"):
        return _gathered(kind, operand[kind], at)
    parts = [_amount(part, at) for part in operand[kind]]
    missing = next((p for p in parts if p.value is None), None)
    if missing is not None:
        return missing
    made = _MADE[kind]([p.value for p in parts if p.value is not None])
    return _Amount(made, results=_merged(p.results for p in parts))


def _gathered(kind: str, path: str, at: At) -> _Amount:
    values = values_at(path, at)
    there = [v for _, v in values.found if v is not MISSING]
    if values.absent and not values.none:
        return _Amount(None, values.absent)
    if kind == "count":
        return _Amount(len(there), results=values.results)
    if not all(_is_number(v) for v in there):
        return _Amount(None, f"{path} holds what is no number")
    return _Amount(math.fsum(there), results=values.results)


def _picked(operand: Mapping[str, Any], at: At) -> _Amount:
    values = values_at(operand["pick"], at)
    if values.absent or len(values.found) != 1:
        return _Amount(None, values.absent or f"{operand['pick']} is not one value")
    value = values.found[0][1]
    found = next((part for key, part in operand["of"].items() if equal(str(key), value)), None)
    if found is None:
        return _Amount(None, f"{operand['pick']} is {describe(value)}, which the table does not have")
    amount = _amount(found, at)
    return amount._replace(results=_merged((values.results, amount.results)))


_MADE: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "plus": sum,
    "minus": lambda parts: parts[0] - parts[1],
    "times": math.prod,
    "larger": max,
    "smaller": min,
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: float) -> float:
    return int(value) if math.isfinite(value) and value == int(value) else value


# ---- paths -------------------------------------------------------------------------------------------------------


def values_at(path: str, at: At) -> Values:
    """What a path reaches at a call: in its arguments, or in the results that came back well before it.

    A name of the policy's `results` goes first, then an argument that was sent, then a tool of the trace; what is none
    of them is an argument that was not sent, of which nothing can be told unless the tool has it.
    """
    place = place_named(path)
    if place is None:
        return Values(absent=f"{path} is no path")
    earlier = _earlier(place.root, at)
    if earlier is None:
        if at.call.arguments is None and at.call.state != "missing":
            return Values(absent=f"what {at.call.tool} was sent could not be read", argument=True)
        arguments = at.call.arguments or {}
        if place.root not in arguments and (lost := without_argument(at.trace, at.call.tool, place.root)):
            untold = has_argument(at.trace, at.call.tool, place.root) is None
            return Values(((path, MISSING),) if untold else (), absent=lost, argument=True)
        return Values(_walked(place.root, arguments.get(place.root, MISSING), place.steps), argument=True)
    steps = place.steps
    which: Any = -1
    if steps and (isinstance(steps[0], int) or steps[0] == EVERY):
        which, steps = steps[0], steps[1:]
    calls, absent = _results(earlier, at)
    if calls is None:
        return Values(absent=absent)
    if not calls:
        return Values(absent=absent, none=which == EVERY)
    if which != EVERY:
        if not -len(calls) <= which < len(calls):
            return Values(absent=f"only {len(calls)} results of {' or '.join(earlier.tools)} came before it")
        calls = [calls[which]]
    found = [value for call in calls for value in _walked(place.root, payload_of(call), steps)]
    return Values(tuple(found[:_MOST]), tuple(calls))


def _earlier(root: str, at: At) -> Earlier | None:
    named = at.policy.results.get(root)
    if named is not None:
        return named
    if root in (at.call.arguments or {}):
        return None
    known = at.trace.tool(root) is not None or any(c.tool == root for c in at.trace.calls)
    return Earlier((root,)) if known else None


def _results(earlier: Earlier, at: At) -> tuple[list[Call] | None, str]:
    """The calls that came back well before the judged one and are about the same thing, oldest first; why there are none.

    None in place of a list: it is not known what they would have to be about.
    """
    wanted: list[tuple[str, tuple[Any, ...], bool]] = []
    for paths, alike in ((earlier.same, True), (earlier.other, False)):
        for own, path in paths.items():
            values = values_at(path, at)
            if values.absent:
                return None, values.absent
            wanted.append((own, tuple(v for _, v in values.found if v is not MISSING), alike))
    before = [c for c in at.trace.calls if named_in(earlier.tools, c.tool) and c.message < at.call.message]
    calls = [c for c in before if payload_of(c) is not MISSING and all(_about(c, *w) for w in wanted)]
    if earlier.sent:
        calls = [c for c in calls if all(_sent(c, name, test, at) for name, test in earlier.sent.items())]
    told = ", ".join(
        f"{own} {'' if alike else 'other than '}{' or '.join(describe(v) for v in values) or 'nothing'}"
        for own, values, alike in wanted
    )
    return calls, f"no result of {' or '.join(earlier.tools)}{' with ' + told if told else ''} came before it"


def _sent(call: Call, name: str, test: Any, at: At) -> bool:
    return compare(test, (call.arguments or {}).get(name, MISSING), Context(at.trace, at.call)).result == "match"


def _about(call: Call, path: str, wanted: Sequence[Any], alike: bool) -> bool:
    """Whether a result, else an argument of its call, has one of some values at a path; or other values than these."""
    place = place_named(path)
    if place is None:
        return False
    payload = payload_of(call)
    inside = payload if isinstance(payload, OBJECTS) else {}
    for source in (inside, call.arguments or {}):
        found = [v for _, v in _walked(place.root, source.get(place.root, MISSING), place.steps) if v is not MISSING]
        if found:
            return any(equal(v, w) for v in found for w in wanted) is alike
    return False


def _walked(where: str, value: Any, steps: Sequence[Any]) -> tuple[tuple[str, Any], ...]:
    """Every place that steps lead to, with its value; a step that leads nowhere gives `MISSING`."""
    reached = [(where, value)]
    for step in steps:
        reached = [inner for at, v in reached for inner in _stepped(at, v, step)][:_MOST]
    return tuple(reached)


def _stepped(where: str, value: Any, step: Any) -> list[tuple[str, Any]]:
    if value is MISSING:
        return [(where, MISSING)]
    if step == EVERY or isinstance(step, Where):
        members = _members(where, value)
        if members is None:
            return [(f"{where}[*]", MISSING)]
        if step == EVERY:
            return members
        return [(at, m) for at, m in members if isinstance(m, OBJECTS) and equal(m.get(step.key, MISSING), step.value)]
    if isinstance(step, int):
        there = _is_list(value) and -len(value) <= step < len(value)
        return [(f"{where}[{step}]", value[step] if there else MISSING)]
    key = step[0]
    return [(join_path(where, key), value.get(key, MISSING) if isinstance(value, OBJECTS) else MISSING)]


def _members(where: str, value: Any) -> list[tuple[str, Any]] | None:
    if isinstance(value, OBJECTS):
        return [(join_path(where, str(k)), v) for k, v in value.items()]
    if _is_list(value):
        return [(f"{where}[{i}]", v) for i, v in enumerate(value)]
    return None


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))


def argument_of(path: str, policy: Policy) -> str | None:
    """The argument a path is about: its own root, or the one by which its earlier result is found; None when there is none."""
    place = place_named(path)
    for _ in range(len(policy.results) + 1):
        if place is None:
            return None
        earlier = policy.results.get(place.root)
        if earlier is None:
            return place.root
        place = place_named(next(iter(earlier.same.values()), ""))
    return None
