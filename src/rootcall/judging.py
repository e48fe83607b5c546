"""The pipeline of one trace: layers, then diagnosis.

Every rule function is called with `(trace, case, config)`; its checks are kept when the configuration lets their rule
run at their tool and argument. Users' rules come from the entry point group `rootcall.rules` and are treated alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from rootcall import trajectory
from rootcall.case import Case
from rootcall.check import Check, Rule, RuleFunction, catalogue
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
    config = _DEFAULT if config is None else config
    if config is not _DEFAULT:
        config.require_known(options())
    if case is not None:
        trace = case.fill(trace)
    return diagnose(trace, tuple(_checks(trace, case, config)), case=case.id if case else None)


def _checks(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    for function in rule_functions():
        for check in function(trace, case, config):
            if config is _DEFAULT or config.runs(check.rule, check.tool or check.expected_tool, check.argument):
                yield check
