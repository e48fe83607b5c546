"""Names that only a policy or the configuration has: a tool, an argument or a result that no trace knows is a slip.

A slip makes a rule pass over every trace in silence, so each is told once for a run, with the nearest name. What a file
may hold is `rootcall.policyfile`'s; that a check which rests on such a name stays unscored is `rootcall.conditions`'s.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from rootcall.case import Case, matcher
from rootcall.config import Config
from rootcall.evidence.argument_names import argument_names
from rootcall.evidence.clock import moment_of
from rootcall.evidence.facts import payload_of
from rootcall.jsonvalue import LISTS, OBJECTS
from rootcall.policy import EVERY, Place, Policy, PolicyRule, Where, named_in, place_named, policies
from rootcall.trace import Problem, Source, Trace

__all__ = ["NameCheck"]

_MOST: Final = 500
_LIKE: Final = 0.8  # a field that is only sometimes there is no slip; one that is nearly another is


class NameCheck:
    """Looks at every trace of a run, and tells in the end which names nothing has."""

    def __init__(self) -> None:
        self._policies: dict[int, Policy] = {}
        self._configured: dict[str, set[str]] = {}
        self._known = False
        self._there = set[str]()
        self._arguments: dict[str, set[str]] = {}
        self._declared = set[str]()
        self._open = set[str]()
        self._by_effect: dict[int, set[str]] = {}
        self._fields: dict[tuple[int, str], _Field] = {}

    def look(self, trace: Trace, case: Case | None, config: Config) -> None:
        """Take in a trace before it is judged."""
        found = policies(case, config)
        for name, tool in config.tools.items():
            self._configured.setdefault(name, set()).update(tool.arguments)
        if not found and not config.tools:
            return
        filled = trace if case is None else case.fill(trace)
        new = {*(t.name for t in filled.tools), *(c.tool for c in trace.calls)} - self._there
        for policy in found:
            if id(policy) not in self._policies:
                self._policies[id(policy)] = policy
                self._fields.update(((id(policy), f.path), f) for f in _fields(policy))
                new = {*new, *self._there}
            for rule in policy.rules:
                if rule.effect is not None:
                    self._by_effect.setdefault(id(rule), set()).update(t for t in new if rule.covers(filled, t))
        self._take(filled, trace)

    def _take(self, filled: Trace, trace: Trace) -> None:
        self._known = self._known or filled.tools_known in ("declared", "side_file")
        for tool in filled.tools:
            self._there.add(tool.name)
            named = argument_names(tool)
            if named is None:
                self._open.add(tool.name)
                continue
            self._declared.add(tool.name)
            self._arguments.setdefault(tool.name, set()).update(named)
        for call in trace.calls:
            self._there.add(call.tool)
            self._arguments.setdefault(call.tool, set()).update(call.arguments or ())
            for key, field in [*self._fields.items()]:
                if (call.tool == field.root or named_in(field.tools, call.tool)) and field.reached(payload_of(call)):
                    del self._fields[key]

    def problems(self) -> Iterator[Problem]:
        """A problem for every name that nothing has; none where no trace says which tools there are."""
        if not self._known:
            return
        for policy in self._policies.values():
            for name, place in policy.tools().items():
                if not any(named_in((name,), tool) for tool in self._there):
                    what = f"the policy names {name!r}, which no trace offers{_near(name, self._there)}"
                    yield Problem("policy-unknown-tool", what, place)
            yield from self._hidden(policy)
            told = set[tuple[str, str, str]]()
            for problem in self._unknown(policy):
                key = problem.code, problem.message, problem.source.file
                if key not in told:
                    told.add(key)
                    yield problem
        yield from (p for f in self._fields.values() for p in f.problems())
        yield from self._config()

    def _hidden(self, policy: Policy) -> Iterator[Problem]:
        for name, earlier in policy.results.items():
            if name in self._there and not named_in(earlier.tools, name):
                what = f"the policy gives the name of the tool {name!r} to results of {' or '.join(earlier.tools)}, so no path reaches that tool's own; take another name"
                yield Problem("policy-result-hides-tool", what, _file(policy))

    def _unknown(self, policy: Policy) -> Iterator[Problem]:
        for rule in policy.rules:
            covered = self._covered(rule)
            if rule.per is not None:
                groups = [covered, *([*self._named(some)] for some in (*(rule.requires or ()), rule.never_with))]
                lacking = [tools for tools in groups if self._lack(tools, rule.per)]
                if lacking:
                    yield self._argument(rule.per, lacking[0], rule.source)
            for path in _reachable(rule, policy):
                place = place_named(path)
                if place is None or place.root in policy.results or place.root in self._there:
                    continue
                if self._lack(covered, place.root):
                    yield self._root(place, covered, policy, rule.source)
        for name, earlier in policy.results.items():
            tools = [*self._named(earlier.tools)]
            for sent in earlier.sent:
                if self._lack(tools, sent):
                    yield self._argument(sent, tools, _file(policy), f" in results.{name}.sent")

    def _covered(self, rule: PolicyRule) -> list[str]:
        return sorted(self._by_effect.get(id(rule), ())) if rule.effect is not None else [*self._named(rule.tools)]

    def _named(self, names: tuple[str, ...]) -> Iterator[str]:
        return (tool for tool in sorted(self._there) if named_in(names, tool))

    def _lack(self, tools: Sequence[str], name: str) -> bool:
        """Whether it is known of all the tools, and there are some, that none has an argument."""
        told = all(t in self._declared and t not in self._open for t in tools)
        return bool(tools) and told and not any(name in self._arguments[t] for t in tools)

    def _argument(self, name: str, tools: Sequence[str], place: Source, where: str = "") -> Problem:
        near = _near(name, {a for t in tools for a in self._arguments[t]})
        what = f"the policy names the argument {name!r}{where}, which {_none_of(tools)}{near}"
        return Problem("policy-unknown-argument", what, place)

    def _root(self, path: Place, tools: Sequence[str], policy: Policy, place: Source) -> Problem:
        """What a path begins with is no argument: whether one was meant, or a result, the nearest name tells."""
        arguments = {a for t in tools for a in self._arguments[t]}
        others = {*policy.results, *self._there} - arguments
        near = difflib.get_close_matches(path.root, sorted(arguments | others), n=1)
        if (near and near[0] in arguments) or (not near and not path.steps):
            return self._argument(path.root, tools, place)
        what = (
            f"the policy reads {path.root!r}, which is no name of a result, no tool and no argument of {_some(tools)}"
        )
        return Problem("policy-unknown-result", what + _near(path.root, others), place)

    def _config(self) -> Iterator[Problem]:
        for name, arguments in self._configured.items():
            if name not in self._there:
                what = f"the configuration names the tool {name!r}, which no trace offers or calls{_near(name, self._there)}"
                yield Problem("config-unknown-tool", what, Source(f"[tools.{name}]"))
                continue
            for argument in sorted(arguments):
                if self._lack([name], argument):
                    near = _near(argument, self._arguments[name])
                    what = f"the configuration names the argument {argument!r}, which {_none_of([name])}{near}"
                    yield Problem("config-unknown-argument", what, Source(f"[tools.{name}.arguments.{argument}]"))


class _Field:
    """What a policy reads in results: the path is a slip when no result ever has it, and nearly has it."""

    def __init__(self, path: str, root: str, tools: tuple[str, ...], steps: Sequence[Any], source: Source) -> None:
        self.path, self.root, self.tools, self.steps, self.source = path, root, tools, steps, source
        self._missed: dict[str, set[str]] = {}

    def reached(self, payload: Any) -> bool:
        """Whether a result has what the path leads to; the keys beside the first that is not there are kept."""
        values = [payload]
        for step in self.steps:
            inner = [v for value in values for v in _inside(value, step)][:_MOST]
            if not inner:
                beside = self._missed.setdefault(step[0], set()) if _is_key(step) else set[str]()
                beside.update(k for v in values if isinstance(v, OBJECTS) for k in [*v][:_MOST] if len(beside) < _MOST)
                return False
            values = inner
        return bool(values)

    def problems(self) -> Iterator[Problem]:
        for key, beside in self._missed.items():
            near = difflib.get_close_matches(key, sorted(beside), n=1, cutoff=_LIKE)
            if near:
                tools = " or ".join(self.tools) or self.root
                what = (
                    f"the policy reads {self.path!r}, but no result of {tools} holds {key!r}; did you mean {near[0]!r}?"
                )
                yield Problem("policy-unknown-result", what, self.source)


def _is_key(step: Any) -> bool:
    return isinstance(step, tuple) and not isinstance(step, Where)


def _inside(value: Any, step: Any) -> list[Any]:
    if _is_key(step):
        return [value[step[0]]] if isinstance(value, OBJECTS) and step[0] in value else []
    members = [*value.values()] if isinstance(value, OBJECTS) else [*value] if _is_list(value) else []
    if isinstance(step, int):
        return members[:1] if _is_list(value) else []
    return members if step == EVERY else [m for m in members if isinstance(m, OBJECTS)]


def _fields(policy: Policy) -> Iterator[_Field]:
    """Every path of a policy that reads a field of earlier results, once."""
    seen = set[str]()
    for rule in policy.rules:
        for path in _reachable(rule, policy):
            place = place_named(path)
            if path in seen or place is None:
                continue
            seen.add(path)
            earlier = policy.results.get(place.root)
            steps = (
                place.steps[1:]
                if place.steps and (isinstance(place.steps[0], int) or place.steps[0] == EVERY)
                else place.steps
            )
            if steps:
                yield _Field(path, "" if earlier else place.root, earlier.tools if earlier else (), steps, rule.source)


def _reachable(rule: PolicyRule, policy: Policy) -> Iterator[str]:
    """The paths of a rule, and those by which the results they name are found at its calls."""
    stack, seen = [*_paths(rule.when), *_paths(rule.bound)], set[str]()
    while stack:
        path = stack.pop(0)
        if path in seen:
            continue
        seen.add(path)
        yield path
        place = place_named(path)
        earlier = policy.results.get(place.root) if place is not None else None
        if earlier is not None:
            stack += [*earlier.same.values(), *earlier.other.values()]


def _paths(condition: Mapping[str, Any]) -> Iterator[str]:
    for path, test in condition.items():
        if path == "any":
            for option in test:
                yield from _paths(option)
            continue
        yield path
        if not isinstance(test, OBJECTS) or matcher(test) is not None:
            continue
        for name, operand in test.items():
            if name in ("in", "not_in", "after", "before"):
                yield from [operand] if isinstance(operand, str) and moment_of(operand) is None else []
            elif name != "count":
                yield from _operands(operand)


def _operands(amount: Any) -> Iterator[str]:
    """The paths that an amount is made of."""
    if isinstance(amount, str):
        yield amount
    elif isinstance(amount, OBJECTS):
        for name, part in amount.items():
            yield from (p for v in part.values() for p in _operands(v)) if name == "of" else _operands(part)
    elif _is_list(amount):
        for part in amount:
            yield from _operands(part)


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, str | bytes)


def _file(policy: Policy) -> Source:
    return Source(policy.rules[0].source.file) if policy.rules else Source()


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _some(tools: Sequence[str]) -> str:
    return " or ".join(tools[:3]) + (f" or {len(tools) - 3} more" if len(tools) > 3 else "")


def _none_of(tools: Sequence[str]) -> str:
    return f"{tools[0]} does not have" if len(tools) == 1 else f"none of {_some(tools).replace(' or ', ', ')} has"
