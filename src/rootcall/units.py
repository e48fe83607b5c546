"""Checks grouped into units: one call, argument, claim or episode each, with its status.

What a score, a finding and a regression count is units, never single checks. Owns which attempts decide, and what the
units of selection say about expected and actual calls. What caused what is `rootcall.diagnosis`'.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from rootcall.check import Check, call_place, message_index

__all__ = ["LAYER_NAMES", "LayerStatus", "Met", "Unit", "first_tries", "met_calls", "status_of", "units_of"]

LAYER_NAMES: Final = ("selection", "arguments", "utilization", "recovery", "trajectory")
LayerStatus = Literal["pass", "fail", "unscored", "n/a"]

_DECIDING: Final = ("only", "final")
_FIRST: Final = ("only", "first")
_GRADE_RANK: Final = {"proof": 0, "likely": 1, "hint": 2}


class Unit(msgspec.Struct, frozen=True, gc=False):
    """All checks of a layer about one call, argument, claim or episode.

    `deciding` are those that decide: of the final attempt, and of an episode, which is about all attempts, every one.
    `status` is theirs; n/a when none decides.
    """

    id: str
    layer: str
    checks: Sequence[Check]
    deciding: Sequence[Check]
    status: LayerStatus

    @property
    def failing(self) -> Check:
        """The check that speaks for a failing unit: the surest of the deciding ones, then the first."""
        if len(self.deciding) == 1:
            return self.deciding[0]
        failing = [c for c in self.deciding if c.fails]
        return failing[0] if len(failing) == 1 else min(failing, key=lambda c: _GRADE_RANK[c.grade])

    @property
    def first_fault(self) -> Check:
        """The first attempt that had the fault: a root cause points there."""
        spoken = self.failing
        same = [c for c in self.checks if c.fails and c.argument == spoken.argument] or [spoken]
        if len(same) == 1:
            return same[0]
        return min(same, key=lambda c: message_index(c.at) if message_index(c.at) >= 0 else 1 << 30)


def status_of(checks: Iterable[Check]) -> LayerStatus:
    """Fail when one fails, else pass when one passed, else unscored when one could not be decided, else n/a."""
    found: LayerStatus = "n/a"
    for c in checks:
        status = c.status
        if status == "pass":
            found = "pass"
        elif status == "unscored":
            if found == "n/a":
                found = "unscored"
        elif c.grade != "hint":
            return "fail"
    return found


def units_of(checks: Iterable[Check]) -> list[Unit]:
    """Group checks into units, in order of first appearance.

    Arguments of a call that the case did not want are no unit while they are in order: a wrong call must not raise the
    score of the arguments layer.
    """
    found: dict[tuple[str, str], list[Check]] = {}
    unwanted: set[str | None] = set()
    for c in checks:
        key = c.layer, c.unit
        if key in found:
            found[key].append(c)
        else:
            found[key] = [c]
        if c.status == "fail" and c.rule in _UNWANTED:
            unwanted.add(call_place(c.unit.removeprefix("call:")))
    units = [_unit(layer, name, about) for (layer, name), about in found.items()]
    if not unwanted:
        return units
    return [u for u in units if u.layer != "arguments" or u.status == "fail" or _call_of(u) not in unwanted]


def _unit(layer: str, name: str, checks: list[Check]) -> Unit:
    if len(checks) == 1:  # as most are
        c = checks[0]
        if c.attempt in _DECIDING or layer == "recovery":
            return Unit(name, layer, checks, checks, c.status if c.status != "fail" or c.grade != "hint" else "n/a")
        return Unit(name, layer, checks, (), "n/a")
    deciding = checks if layer == "recovery" else [c for c in checks if c.attempt in _DECIDING]
    return Unit(name, layer, checks, deciding, status_of(deciding))


_UNWANTED: Final = frozenset({"selection/surplus", "selection/wrong-tool", "selection/forbidden"})


def _call_of(argument: Unit) -> str | None:
    """The place of the call whose argument a unit is about."""
    return call_place(argument.id.removeprefix("argument:"))


_GOLD_RULES: Final = frozenset(
    f"selection/{name}" for name in ("expected", "missing", "wrong-tool", "surplus", "forbidden", "out-of-order")
)


class Met(NamedTuple):
    """An expected tool, the tool that was called for it, and whether that was right. None is no call on that side.

    `(None, None)` is a right abstention, or, when not right, a call of any tool that was wanted and not made.
    """

    expected: str | None
    called: str | None
    right: bool
    rule: str


def met_calls(unit: Unit) -> list[Met]:
    """Return what a unit of the selection layer says about expected and actual calls; empty without a case.

    A call counts once: what the gold says about it goes before its being forbidden, so a forbidden call that also
    stands in for an expected one is not two calls.
    """
    gold = [c for c in unit.deciding if c.rule in _GOLD_RULES and c.status != "unscored"]
    if len(gold) > 1:
        gold = [c for c in gold if c.rule != "selection/forbidden"] or gold[:1]
    return [Met(c.expected_tool, None if c.rule == "selection/missing" else c.tool, not c.fails, c.rule) for c in gold]


def first_tries(units: Iterable[Unit]) -> list[LayerStatus]:
    """The status of each intent's first attempt; one wrong argument makes a wrong attempt."""
    first: dict[str, list[Check]] = {}
    for u in units:
        intent = call_place(u.id.partition(":")[2]) or u.id
        tried = first.get(intent)
        if tried is None:
            tried = first[intent] = []
        for c in u.checks:
            if c.attempt in _FIRST:
                tried.append(c)
    return [status_of(checks) for checks in first.values()]
