"""The pipeline of one trace: layers, then diagnosis.

Rule functions are called with `(trace, case, config)`, those none of whose rules is on anywhere are not; their checks are
kept when the configuration lets their rule run at their tool and argument. Users' rules come from the entry point group
`rootcall.rules` and are treated alike.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, NamedTuple

from rootcall import trajectory
from rootcall.case import Case
from rootcall.check import Check, Rule, RuleFunction, catalogue, emitted
from rootcall.config import Config
from rootcall.diagnosis import Verdict, diagnose
from rootcall.errors import ConfigError
from rootcall.layers import arguments, recovery, selection, utilization
from rootcall.trace import Trace

__all__ = ["options", "rule_functions", "rules", "verdict"]

_DEFAULT = Config()


@cache
def rule_functions() -> tuple[RuleFunction, ...]:
    """All rule functions, ours in order of layers, then those of installed packages.

    Raises:
        ConfigError: an installed package declares a rule that cannot be loaded.
    """
    from importlib.metadata import entry_points

    ours = (*selection.RULES, *arguments.RULES, *utilization.RULES, *recovery.RULES, *trajectory.RULES)
    theirs = []
    for entry in entry_points(group="rootcall.rules"):
        try:
            theirs.append(entry.load())
        except Exception as error:
            raise ConfigError(f"rule {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    return (*ours, *theirs)


def rules() -> dict[str, Rule]:
    """The catalogue: every rule that can be named, by name, in order of layer."""
    return catalogue(rule_functions())


def options() -> dict[str, dict[str, Any]]:
    """The options of every rule with their defaults, by the rule's name."""
    return _options(rule_functions())


@cache  # asked for every trace; by the functions, since tests and plugins bring others
def _options(functions: tuple[RuleFunction, ...]) -> dict[str, dict[str, Any]]:
    found = catalogue(functions).items()
    return {name: {o: default for o, (default, _) in rule.options.items()} for name, rule in found}


def verdict(trace: Trace, case: Case | None = None, config: Config | None = None) -> Verdict:
    """Judge one trace, alone or against a case.

    The trace is not changed, and no JSON in it makes this raise. A trace without messages gives n/a in every layer and
    the status `unscored`.

    Raises:
        ConfigError: the configuration names an unknown rule, or an option of another type than the rule's.
    """
    plan = _plan(_DEFAULT if config is None else config, rule_functions())
    if case is not None:
        trace = case.fill(trace)
    config, everywhere = plan.config, plan.everywhere
    checks: list[Check] = []
    for function in plan.called:
        checks += [
            c
            for c in function(trace, case, config)
            if c.rule in everywhere or config.runs(c.rule, c.tool or c.expected_tool, c.argument)
        ]
    return diagnose(trace, checks, case=case.id if case else None)


class _Plan(NamedTuple):
    """What a configuration means for the rule functions at hand: which are called, which rules need no asking."""

    config: Config
    functions: tuple[RuleFunction, ...]
    called: tuple[RuleFunction, ...]
    everywhere: frozenset[str]


class _Last(threading.local):
    plan: _Plan | None = None


_last = _Last()


def _plan(config: Config, functions: tuple[RuleFunction, ...]) -> _Plan:
    """Return the plan of a configuration, which is that of the trace before in all but the first of a run."""
    last = _last.plan
    if last is not None and last.config is config and last.functions is functions:
        return last
    config.require_known(_options(functions))
    known = catalogue(functions)
    on = {name for name in known if config.anywhere(name)}
    called = tuple(f for f in functions if (declared := emitted(f)) is None or not declared.isdisjoint(on))
    _last.plan = _Plan(config, functions, called, frozenset(name for name in on if config.everywhere(name)))
    return _last.plan
