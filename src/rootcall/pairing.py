"""Expected calls against the calls a trace made: which belongs to which.

A maximum-weight assignment: exact pairs first, each call used once, independent of the order in which the gold is
written. Calls are intents (a failed attempt folds into its retry), and identical polls of one turn fold into one where
the gold does not list the repeats. What pairing means for a layer is decided there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from rootcall.assignment import align, assign
from rootcall.case import Case, ExpectedCall
from rootcall.evidence.effects import effect, idempotent, is_pending
from rootcall.evidence.intents import Intent, call_key, intents
from rootcall.jsonvalue import MISSING, canonical, equal
from rootcall.matching import Comparison, Context, compare
from rootcall.trace import Tool, Trace, per_record, per_trace

__all__ = ["Pair", "Pairing", "compare_argument", "declared_defaults", "defaults_of", "pair"]


class Pair(msgspec.Struct, frozen=True, gc=False):
    """An expected call and the intent that met it. `index` is its place in the gold."""

    expected: ExpectedCall
    index: int
    intent: Intent


class Pairing(msgspec.Struct, frozen=True, gc=False):
    """The outcome for one list of expected calls: pairs, what is missing (optional calls excluded), what is left."""

    pairs: tuple[Pair, ...]
    missing: tuple[tuple[int, ExpectedCall], ...]
    extra: tuple[Intent, ...]
    expected: tuple[ExpectedCall, ...]


def pair(trace: Trace, case: Case) -> Pairing | None:
    """Pair a trace with the expected list it meets best; None when the case does not judge calls or wants `"some"`.

    Of several alternatives the one with the fewest missing, surplus and unequal calls counts; on a tie the first.
    """
    pairings = _pairings(trace)
    known = pairings.get(id(case))
    if known is not None:  # selection and arguments ask alike
        return known[1]
    options = case.options
    if not options:
        return None
    if len(options) == 1:
        best = _pair(trace, case, options[0])
    else:
        best = min([_pair(trace, case, expected) for expected in options], key=lambda p: _distance(p, trace))
    pairings[id(case)] = case, best
    return best


@per_trace
def _pairings(trace: Trace) -> dict[int, tuple[Case, Pairing]]:
    """The pairings of a trace that were asked for, by the identity of the case, which stays alive here."""
    return {}


def _distance(p: Pairing, trace: Trace) -> float:
    unequal = sum(1 for x in p.pairs if _agreement(x.expected, x.intent, trace) < 1)
    return 2.0 * len(p.missing) + 2.0 * len(p.extra) + unequal


def _pair(trace: Trace, case: Case, expected: tuple[ExpectedCall, ...]) -> Pairing:
    actual = _folded(trace, expected)
    chosen = _chosen(trace, case, expected, actual)
    pairs = tuple([Pair(expected[i], i, actual[j]) for i, j in sorted(chosen.items())])
    if len(pairs) == len(expected) == len(actual):
        return Pairing(pairs, (), (), expected)
    used = set(chosen.values())
    return Pairing(
        pairs=pairs,
        missing=tuple([(i, e) for i, e in enumerate(expected) if i not in chosen and not e.optional]),
        extra=tuple([a for j, a in enumerate(actual) if j not in used]),
        expected=expected,
    )


def _chosen(trace: Trace, case: Case, expected: Sequence[ExpectedCall], actual: Sequence[Intent]) -> dict[int, int]:
    """Which expected call is met by which intent, both by their index."""
    if len(expected) == len(actual) == 1:
        return {0: 0} if expected[0].tool == actual[0].final.tool else {}
    place = {a.final.tool: j for j, a in enumerate(actual)}
    if len(place) == len(actual) and len({e.tool for e in expected}) == len(expected):
        # Each has one candidate at most, as in most cases: there is nothing to weigh.
        return {i: place[e.tool] for i, e in enumerate(expected) if e.tool in place}
    # Between equally good pairs the gold decides by what it says, not by where it stands, unless its order has a meaning.
    listed: Sequence[int] = range(len(expected))
    if case.order == "any":
        listed = sorted(listed, key=lambda i: _content(expected[i]))
    # Only calls of one tool can be a pair, so each tool is a small assignment of its own.
    rows: dict[str, list[int]] = {}
    for i in listed:
        rows.setdefault(expected[i].tool, []).append(i)
    columns: dict[str, list[int]] = {}
    for j, a in enumerate(actual):
        columns.setdefault(a.final.tool, []).append(j)
    chosen = {}
    for tool, wanted in rows.items():
        made = columns.get(tool, [])
        for i, j in _assigned(trace, [expected[i] for i in wanted], [actual[j] for j in made]).items():
            chosen[wanted[i]] = made[j]
    if case.order != "any" and _inverted(chosen, actual):
        return _in_order(trace, expected, actual, chosen)
    return chosen


def _inverted(chosen: Mapping[int, int], actual: Sequence[Intent]) -> bool:
    steps = [actual[j].final.step for _, j in sorted(chosen.items())]
    return any(a > b for a, b in pairwise(steps))


def _in_order(
    trace: Trace, expected: Sequence[ExpectedCall], actual: Sequence[Intent], chosen: dict[int, int]
) -> dict[int, int]:
    """Pairs as good as those chosen that keep the order of the gold, where there are any: of equal calls, which one is meant is open."""
    exact = min(len(expected), len(actual)) + 1.0
    weights = [
        [_weight(_agreement(e, a, trace), exact, e.optional) if e.tool == a.final.tool else 0.0 for a in actual]
        for e in expected
    ]
    groups: dict[int, list[int]] = {}
    for j, a in sorted(enumerate(actual), key=lambda item: item[1].final.step):
        groups.setdefault(a.final.step, []).append(j)
    aligned = align(weights, list(groups.values()))
    if aligned is None:
        return chosen
    before, after = (sum(weights[i][j] for i, j in pairs.items()) for pairs in (chosen, aligned))
    return aligned if after >= before - 1e-6 else chosen


def _content(e: ExpectedCall) -> str:
    return "" if e.arguments is MISSING else canonical(e.arguments)


def _assigned(trace: Trace, expected: Sequence[ExpectedCall], actual: Sequence[Intent]) -> dict[int, int]:
    if not actual:
        return {}
    if len(expected) == 1 and len(actual) == 1:
        return {0: 0}
    # One exact pair outweighs any number of half-right ones, and their agreement outweighs what only breaks ties.
    exact = min(len(expected), len(actual)) + 1.0
    return assign(
        [
            [_weight(_agreement(e, a, trace), exact, abs(i - j) + 100 * e.optional) for j, a in enumerate(actual)]
            for i, e in enumerate(expected)
        ]
    )


def _weight(agreement: float, exact: float, tie: int) -> float:
    """The worth of a pair. Among equals the order of both lists is kept; a required call comes before an optional one."""
    return 2 * exact * exact + agreement + (exact if agreement == 1 else 0.0) - 1e-7 * tie


def _folded(trace: Trace, expected: Sequence[ExpectedCall]) -> Sequence[Intent]:
    """Fold identical calls of later steps of a turn into the first, as far as the gold does not list the repeats."""
    every = intents(trace)
    if len(every) < 2 or len({i.final.tool for i in every}) == len(every):  # no two can be identical
        return every
    kept: list[Intent] = []
    groups: dict[tuple[int, str], list[Intent]] = {}
    for intent in every:
        group = groups.setdefault((intent.final.turn, call_key(trace, intent.final)), [])
        wanted = sum(1 for e in expected if _agreement(e, intent, trace) == 1) if group else 1
        parallel = any(g.final.step == intent.final.step for g in group)
        if not group or len(group) < wanted or parallel or _acts_again(trace, group[-1]):
            kept.append(intent)
            group.append(intent)
    return kept


def _acts_again(trace: Trace, before: Intent) -> bool:
    """Whether the same call again does another thing: a second transfer is no poll, unless the first is still under way."""
    call = before.final
    tool = trace.tool(call.tool)
    return effect(tool, call.tool) == "write" and not idempotent(tool, call.tool) and not is_pending(call)


def _agreement(e: ExpectedCall, a: Intent, trace: Trace) -> float:
    """Share of expected arguments an intent's final attempt meets; 1 when the gold names none."""
    if e.tool != a.final.tool:
        return 0.0
    if e.arguments is MISSING:
        return 1.0
    sent = a.final.arguments
    if sent is None:
        return 0.0
    defaults = _defaults(trace, e.tool)
    wanted = {**defaults, **e.arguments}
    keys = set(wanted) if wanted and e.extra_arguments == "allow" and e.arguments else {*wanted, *sent}
    if not keys:
        return 1.0
    context = Context(trace, a.final)
    met = sum(1 for k in keys if compare_argument(e.arguments, sent, k, defaults, context).result != "mismatch")
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


def compare_argument(
    gold: Mapping[str, Any],
    sent: Mapping[str, Any],
    name: str,
    defaults: Mapping[str, Any],
    context: Context,
    schema: object = None,
) -> Comparison:
    """Compare one argument with the gold. To send a declared default and to leave it out are the same, on both sides."""
    default = defaults.get(name, MISSING)
    expected, got = gold.get(name, default), sent.get(name, default)
    found = compare(expected, got, context, schema)
    if found.result == "mismatch" and default is not MISSING and equal(got, default):
        # `{$absent: true}` is met by the default, too: what was left out was filled in above.
        without = compare(expected, MISSING, context, schema)
        return without if without.result != "mismatch" else found
    return found
