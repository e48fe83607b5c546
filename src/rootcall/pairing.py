"""Expected calls against the calls a trace made: which belongs to which.

A maximum-weight assignment: exact pairs first, each call used once, independent of the order in which the gold is
written. Calls are intents (a failed attempt folds into its retry), and identical polls of one turn fold into one where
the gold does not list the repeats. What pairing means for a layer is decided there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from rootcall.case import Case, ExpectedCall
from rootcall.evidence.intents import Intent, call_key, intents
from rootcall.jsonvalue import MISSING
from rootcall.matching import compare
from rootcall.trace import Tool, Trace, per_record, per_trace

__all__ = ["Pair", "Pairing", "assign", "filled", "pair"]

_SAME_TOOL: Final = 1000.0
_EXACT: Final = 500.0


class Pair(msgspec.Struct, frozen=True):
    """An expected call and the intent that met it. `index` is its place in the gold."""

    expected: ExpectedCall
    index: int
    intent: Intent


class Pairing(msgspec.Struct, frozen=True):
    """The outcome for one list of expected calls: pairs, what is missing (optional calls excluded), what is left."""

    pairs: tuple[Pair, ...]
    missing: tuple[tuple[int, ExpectedCall], ...]
    extra: tuple[Intent, ...]
    expected: tuple[ExpectedCall, ...]


def pair(trace: Trace, case: Case) -> Pairing | None:
    """Pair a trace with the expected list it meets best; None when the case does not judge calls or wants `"some"`.

    Of several alternatives the one with the fewest missing, surplus and unequal calls counts; on a tie the first.
    """
    if case.calls is None or case.calls == "some":
        return None
    known = _pairings(trace).get(id(case))
    if known is not None:  # selection and arguments ask alike
        return known[1]
    options = [case.calls, *case.alternatives]
    found = [_pair(trace, expected) for expected in options]
    best = found[0] if len(found) == 1 else min(found, key=_distance)
    _pairings(trace)[id(case)] = case, best
    return best


@per_trace
def _pairings(trace: Trace) -> dict[int, tuple[Case, Pairing]]:
    """The pairings of a trace that were asked for, by the identity of the case, which stays alive here."""
    return {}


def _distance(p: Pairing) -> float:
    unequal = sum(1 for x in p.pairs if _agreement(x.expected, x.intent, None) < 1)
    return 2.0 * len(p.missing) + 2.0 * len(p.extra) + unequal


def _pair(trace: Trace, expected: tuple[ExpectedCall, ...]) -> Pairing:
    actual = _folded(trace, expected)
    chosen = _chosen(trace, expected, actual)
    used = set(chosen.values())
    return Pairing(
        pairs=tuple([Pair(expected[i], i, actual[j]) for i, j in sorted(chosen.items())]),
        missing=tuple([(i, e) for i, e in enumerate(expected) if i not in chosen and not e.optional]),
        extra=tuple([a for j, a in enumerate(actual) if j not in used]),
        expected=expected,
    )


def _chosen(trace: Trace, expected: Sequence[ExpectedCall], actual: Sequence[Intent]) -> dict[int, int]:
    """Which expected call is met by which intent, both by their index."""
    candidates = [(i, j) for i, e in enumerate(expected) for j, a in enumerate(actual) if e.tool == a.final.tool]
    only = dict(candidates)
    if len(only) == len(candidates) == len(set(only.values())):
        return only  # each has one candidate at most, as in most cases: there is nothing to weigh
    weights = [[_weight(e, i, a, j, trace) for j, a in enumerate(actual)] for i, e in enumerate(expected)]
    return {i: j for i, j in assign(weights).items() if weights[i][j] >= _SAME_TOOL / 2}


def _folded(trace: Trace, expected: Sequence[ExpectedCall]) -> list[Intent]:
    """Fold identical calls of later steps of a turn into the first, as far as the gold does not list the repeats."""
    every = intents(trace)
    if len({i.final.tool for i in every}) == len(every):  # no two can be identical
        return list(every)
    kept: list[Intent] = []
    groups: dict[tuple[int, str], list[Intent]] = {}
    for intent in every:
        group = groups.setdefault((intent.final.turn, call_key(trace, intent.final)), [])
        wanted = sum(1 for e in expected if _agreement(e, intent, trace) == 1) if group else 1
        if not group or len(group) < wanted or any(g.final.step == intent.final.step for g in group):
            kept.append(intent)
            group.append(intent)
    return kept


def _weight(e: ExpectedCall, i: int, a: Intent, j: int, trace: Trace) -> float:
    if e.tool != a.final.tool:
        return 0.0
    agreement = _agreement(e, a, trace)
    # Among equal pairs keep the order of both lists, so that repeats are not paired crosswise.
    return (
        _SAME_TOOL
        + 100.0 * agreement
        + (_EXACT if agreement == 1 else 0.0)
        - 0.01 * abs(i - j)
        - (0.5 if e.optional else 0.0)
    )


def _agreement(e: ExpectedCall, a: Intent, trace: Trace | None) -> float:
    """Share of expected arguments an intent's final attempt meets; 1 when the gold names none."""
    if e.tool != a.final.tool:
        return 0.0
    if e.arguments is MISSING:
        return 1.0
    sent = a.final.arguments
    if sent is None:
        return 0.0
    defaults = _defaults(trace, e.tool) if trace is not None else {}
    wanted, got = filled(e.arguments, defaults), filled(sent, defaults)
    keys = set(wanted) if wanted and e.extra_arguments == "allow" and e.arguments else {*wanted, *got}
    if not keys:
        return 1.0
    met = sum(1 for k in keys if compare(wanted.get(k, MISSING), got.get(k, MISSING)).result != "mismatch")
    return met / len(keys)


def _defaults(trace: Trace, tool: str) -> Mapping[str, Any]:
    found = trace.tool(tool)
    return defaults_of(found) if found is not None else {}


@per_record
def defaults_of(tool: Tool) -> dict[str, Any]:
    """The defaults a tool declares for its top-level arguments."""
    return declared_defaults(tool.schema)


def declared_defaults(schema: object) -> dict[str, Any]:
    """The defaults a schema declares for top-level arguments."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {k: p["default"] for k, p in properties.items() if isinstance(p, Mapping) and "default" in p}


def filled(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with declared defaults filled in, so that an explicit default equals no argument."""
    return {**defaults, **arguments}


def assign(weights: Sequence[Sequence[float]]) -> dict[int, int]:
    """Return the assignment row → column of maximum total weight, each row and column used at most once.

    The Hungarian method with potentials, O(n²·m). An empty matrix gives no pairs. Rows beyond the number of columns
    stay unassigned.
    """
    n = len(weights)
    m = len(weights[0]) if n else 0
    if not n or not m:
        return {}
    if n > m:
        flipped = assign([[weights[i][j] for i in range(n)] for j in range(m)])
        return {i: j for j, i in flipped.items()}
    row_potential, column_potential = [0.0] * (n + 1), [0.0] * (m + 1)
    owner = [0] * (m + 1)
    for i in range(1, n + 1):
        _augment(weights, i, row_potential, column_potential, owner)
    return {owner[j] - 1: j - 1 for j in range(1, m + 1) if owner[j]}


def _augment(weights: Sequence[Sequence[float]], row: int, u: list[float], v: list[float], owner: list[int]) -> None:
    m = len(v) - 1
    slack, back, done = [float("inf")] * (m + 1), [0] * (m + 1), [False] * (m + 1)
    owner[0], column = row, 0
    while owner[column]:
        done[column] = True
        i, delta, following = owner[column], float("inf"), 0
        for j in range(1, m + 1):
            if done[j]:
                continue
            reduced = -weights[i - 1][j - 1] - u[i] - v[j]
            if reduced < slack[j]:
                slack[j], back[j] = reduced, column
            if slack[j] < delta:
                delta, following = slack[j], j
        for j in range(m + 1):
            if done[j]:
                u[owner[j]] += delta
                v[j] -= delta
            else:
                slack[j] -= delta
        column = following
    while column:
        owner[column] = owner[back[column]]
        column = back[column]
