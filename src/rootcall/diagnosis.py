"""From checks to a verdict: layers with status and score, and the one root cause with what follows from it.

A unit is a set of checks about one call, argument, claim or episode. A failing unit A causes a failing unit B when B
retries A's intent, uses A's result, or answers from it; on one call selection causes arguments, and a missing call
causes unsupported claims in its turn. The root cause is the failing unit without a failing cause; of several, the one
with most descendants, then the earliest. Everything here is a function of the trace and its checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from rootcall.check import Check, call_place, message_index
from rootcall.evidence.episodes import environment
from rootcall.evidence.intents import intents
from rootcall.jsonvalue import MISSING, walk
from rootcall.trace import Call, Source, Trace, per_trace
from rootcall.units import LAYER_NAMES, LayerStatus, Unit, first_tries, met_calls, units_of

__all__ = ["Finding", "LayerScore", "Verdict", "diagnose"]


_LAYER_RANK: Final = {name: i for i, name in enumerate(LAYER_NAMES)}
# A value this short stands in too many places to say where it came from.
_TELLING_LENGTH: Final = 4


class LayerScore(msgspec.Struct, frozen=True, gc=False):
    """One layer of one trace. `score` is None when nothing was scored; `first_try_score` is set for arguments only."""

    status: LayerStatus
    score: float | None = None
    scored: int = 0
    unscored: int = 0
    first_try_score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON object; `first_try_score` is left out where it has no meaning."""
        out: dict[str, Any] = {
            "status": self.status,
            "score": self.score,
            "scored": self.scored,
            "unscored": self.unscored,
        }
        if self.first_try_score is not None:
            out["first_try_score"] = self.first_try_score
        return out


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A failing unit in words, or a recovered episode. `layer` may be `environment`, which is nobody's fault."""

    layer: str
    rule: str
    tool: str | None
    argument: str | None
    argument_class: str | None
    error_code: str | None
    at: str
    message: str
    unit: str = ""
    source: Source | None = None

    def __str__(self) -> str:
        place = ".".join(p for p in (self.tool, self.argument) if p)
        return " · ".join(p for p in (self.layer, place, self.rule.partition("/")[2]) if p)


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """One trace judged. Prints as the block a person reads; `to_dict` gives the JSON object of `score --jsonl`."""

    trace: str
    case: str | None
    status: Literal["pass", "fail", "unscored"]
    layers: Mapping[str, LayerScore]
    root_cause: Finding | None
    also: tuple[Finding, ...] = ()
    contributing: tuple[Finding, ...] = ()
    recovered: tuple[Finding, ...] = ()
    checks: tuple[Check, ...] = ()
    calls: int = 0
    metadata: Mapping[str, Any] = {}
    source: Source = Source()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of one trace."""
        built: dict[str, Any] = msgspec.to_builtins(
            {
                "trace": self.trace,
                "case": self.case,
                "status": self.status,
                "layers": {name: layer.to_dict() for name, layer in self.layers.items()},
                "root_cause": self.root_cause,
                "also": self.also,
                "contributing": self.contributing,
                "recovered": self.recovered,
                "checks": self.checks,
                "source": self.source,
            }
        )
        for check in built["checks"]:
            for key in ("span", "fact"):
                if check[key] is None:
                    del check[key]
        return built

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        head = f"{self.trace}  {self.status.upper()}"
        if self.root_cause is None:
            yield head + ("  no layer explains it" if self.status == "fail" else "")
        else:
            yield f"{head}  root cause: {self.root_cause}"
            yield f"  {self.root_cause.at}  {self.root_cause.message}"
        for label, findings in (
            ("contributing", self.contributing),
            ("also", self.also),
            ("recovered", self.recovered),
        ):
            for i, f in enumerate(findings):
                yield f"  {label + ':' if i == 0 else ' ' * (len(label) + 1)} {f}  {f.message}"


def diagnose(trace: Trace, checks: Sequence[Check], *, case: str | None = None) -> Verdict:
    """Return the verdict on a trace from its checks. No checks give n/a everywhere and status `unscored`."""
    units = units_of(checks)
    by_layer: dict[str, list[Unit]] = {}
    failing = []
    for u in units:
        layer = by_layer.get(u.layer)
        if layer is None:
            by_layer[u.layer] = [u]
        else:
            layer.append(u)
        if u.status == "fail" and (u.layer != "trajectory" or u.failing.rule != "trajectory/goal-missed"):
            failing.append(u)
    layers = _NOTHING.copy()
    for name, about in by_layer.items():
        if name in layers:
            layers[name] = _layer(name, about)
    root, contributing, also = _root_cause(trace, failing)
    status = _overall(layers)
    cause = None if root is None else _finding(root)
    if cause is None and status != "fail" and (outage := _environment(trace)) is not None:
        cause, status = outage, "unscored"
    return Verdict(
        trace=trace.id,
        case=case,
        status=status,
        layers=layers,
        root_cause=cause,
        also=tuple(_findings(also)) if also else (),
        contributing=tuple(_findings(contributing)) if contributing else (),
        recovered=tuple(_recovered(by_layer["recovery"])) if "recovery" in by_layer else (),
        checks=tuple(checks),
        calls=sum([len(s.message.calls) for s in trace.steps]),
        metadata=trace.metadata,
        source=trace.source,
    )


def _overall(layers: Mapping[str, LayerScore]) -> Literal["pass", "fail", "unscored"]:
    statuses = [layer.status for layer in layers.values()]
    return "fail" if "fail" in statuses else "pass" if "pass" in statuses else "unscored"


_NOTHING: Final = dict.fromkeys(LAYER_NAMES, LayerScore("n/a"))


def _layer(name: str, units: Sequence[Unit]) -> LayerScore:
    statuses = [u.status for u in units]
    passed, failed = statuses.count("pass"), statuses.count("fail")
    unscored, scored = statuses.count("unscored"), passed + failed
    status: LayerStatus = "fail" if failed else "pass" if passed else "unscored" if unscored else "n/a"
    score = passed / scored if scored else None
    if name == "selection" and scored:
        score = _selection_f1(units, score)
    first = _first_try(units) if name == "arguments" else None
    return LayerScore(status, score, scored, unscored, first)


def _selection_f1(units: Sequence[Unit], share: float | None) -> float | None:
    """F1 of calls against expected ones, where a case says which; else the share of units that pass.

    A call out of order is neither the call expected there nor one of the right calls. 1 where no call was expected and
    none was made.
    """
    hits = missed = false = 0
    for u in units:
        for m in met_calls(u):
            if m.right:
                hits += 1
            else:
                missed += m.expected is not None or m.called is None
                false += m.called is not None
    total = 2 * hits + missed + false
    return 2 * hits / total if total else share


def _first_try(units: Sequence[Unit]) -> float | None:
    statuses = first_tries(units)
    passed = statuses.count("pass")
    scored = passed + statuses.count("fail")
    return passed / scored if scored else None


def _finding(unit: Unit, spoken: Check | None = None) -> Finding:
    if spoken is None:
        spoken = unit.failing
        first = spoken if len(unit.checks) == 1 else unit.first_fault
    else:
        first = spoken
    return Finding(
        layer=spoken.layer,
        rule=spoken.rule,
        tool=first.tool,
        argument=spoken.argument,
        argument_class=spoken.argument_class,
        error_code=first.error_code or spoken.error_code or None,
        at=first.at,
        message=first.message if first.rule == spoken.rule else spoken.message,
        unit=unit.id,
        source=first.source,
    )


def _findings(units: Iterable[Unit]) -> Iterator[Finding]:
    """One finding per rule a unit breaks: an error can be unread and the retries past the cap."""
    for unit in units:
        broken: dict[str, Check] = {}
        for c in unit.deciding:
            if c.fails:
                broken.setdefault(c.rule, c)
        yield from (_finding(unit, c if len(broken) > 1 else None) for c in broken.values())


def _recovered(episodes: Iterable[Unit]) -> Iterator[Finding]:
    """Episodes that ended well are worth seeing: the trace passes, its first attempt did not."""
    for u in episodes:
        if u.status == "pass":
            c = next(c for c in u.deciding if c.status == "pass")
            yield Finding(
                c.layer, c.rule, c.tool, c.argument, c.argument_class, c.error_code, c.at, c.message, u.id, c.source
            )


def _environment(trace: Trace) -> Finding | None:
    outage = environment(trace)
    if outage is None:
        return None
    call = outage.failing[0]
    error = call.error
    return Finding(
        layer="environment",
        rule="environment/outage",
        tool=call.tool,
        argument=None,
        argument_class=None,
        error_code=error.code if error else None,
        at=call.at,
        message=f"{error.message if error else 'no result'}; handled, and the request stayed unmet",
        source=call.source,
    )


# ---- causes ----------------------------------------------------------------------------------------------------


class _Place(msgspec.Struct, gc=False):
    """Where a failing unit stands: the message of its fault, its turn, the intents and calls it is about."""

    message: int
    turn: int
    intents: frozenset[str]
    calls: tuple[Call, ...]
    cites: frozenset[str]


_MOST_ASKED: Final = 300


def _root_cause(trace: Trace, failing: list[Unit]) -> tuple[Unit | None, list[Unit], list[Unit]]:
    """Return the root cause, the failing units that follow from others, and the other causeless ones."""
    if len(failing) < 2:  # none, or one without another to follow from
        return (failing[0] if failing else None), [], []
    places = _places(trace, failing)
    n = len(failing)
    # Every pair is asked, so of thousands of faults only the earliest are: the root cause is among them.
    early = sorted(range(n), key=lambda i: _order(failing[i], places[i]))[:_MOST_ASKED]
    children: list[list[int]] = [[] for _ in range(n)]
    for i in early:
        children[i] = [j for j in early if j != i and _causes(trace, failing[i], places[i], failing[j], places[j])]
    caused = {j for row in children for j in row}
    # A cycle would leave no causeless unit; the earliest then stands for all.
    roots = [i for i in range(n) if i not in caused] or [min(range(n), key=lambda i: _order(failing[i], places[i]))]
    reach = {i: _reach(children, i) for i in roots}
    best = min(roots, key=lambda i: (failing[i].layer == "trajectory", -len(reach[i]), _order(failing[i], places[i])))
    order = sorted(range(n), key=lambda i: _order(failing[i], places[i]))
    contributing = [failing[i] for i in order if i in caused and i != best]
    also = [failing[i] for i in order if i not in caused and i != best]
    return failing[best], contributing, also


def _order(unit: Unit, place: _Place) -> tuple[int, int]:
    return place.message if place.message >= 0 else 1 << 30, _LAYER_RANK.get(unit.layer, 9)


def _reach(children: list[list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    stack = [start]
    while stack:
        for j in children[stack.pop()]:
            if j not in seen:
                seen.add(j)
                stack.append(j)
    return seen - {start}


def _places(trace: Trace, failing: Iterable[Unit]) -> list[_Place]:
    by_call = {c.at: (i.id, c) for i in intents(trace) for c in i.attempts}
    turn_of = {m.index: m.turn for m in trace.messages}
    out = []
    for unit in failing:
        ats = {call_place(c.at) for c in unit.checks if c.fails} | {unit.id.partition(":")[2]}
        found = [by_call[at] for at in ats if at in by_call]
        message = message_index(unit.first_fault.at)
        out.append(
            _Place(
                message=message,
                turn=turn_of.get(message, -1),
                intents=frozenset(i for i, _ in found),
                calls=tuple(sorted((c for _, c in found), key=lambda c: (c.message, c.index))),
                cites=frozenset(x for c in unit.checks for x in c.causes),
            )
        )
    return out


def _causes(trace: Trace, a: Unit, pa: _Place, b: Unit, pb: _Place) -> bool:
    if pa.message > pb.message >= 0:
        return False
    if b.layer == "trajectory":
        return a.layer != "trajectory" and pa.turn == pb.turn
    if a.id in pb.cites or any(c.at in pb.cites for c in pa.calls):
        return a.layer != b.layer or (a.layer == "arguments" and pa.message < pb.message)
    if pa.intents & pb.intents:
        return _LAYER_RANK[a.layer] < _LAYER_RANK[b.layer]
    same_turn = pa.turn == pb.turn
    if b.layer == "utilization" and same_turn and a.layer in ("selection", "recovery"):
        # A missing call leaves claims without a source; an error that was passed over is told as a success.
        return a.failing.rule in ("selection/missing", "selection/wrong-tool", "selection/unparsed-call") or (
            a.layer == "recovery" and not pb.cites
        )
    return any(_uses(trace, x, y) for x in pa.calls for y in pb.calls)


def _uses(trace: Trace, a: Call, b: Call) -> bool:
    """Tell whether a later call sends a value that only an earlier call's result holds."""
    if a.step >= b.step or a.result is None or a.result.payload is MISSING or b.arguments is None:
        return False
    sent = _sent_texts(trace, b) & _held_texts(trace, a)
    if not sent:
        return False
    upstream = " ".join(m.text for m in trace.messages if m.text and m.role != "tool" and m.index < b.message)
    return any(v not in upstream for v in sent)


@per_trace
def _texts(trace: Trace) -> dict[tuple[str, str], frozenset[str]]:
    """The texts that calls hold, as they are asked for: every pair of faults asks for those of two."""
    return {}


def _held_texts(trace: Trace, call: Call) -> frozenset[str]:
    """The texts in a call's result that are long enough to say where they came from."""
    known = _texts(trace)
    key = ("held", call.at)
    if key not in known:
        payload = call.result.payload if call.result is not None else MISSING
        found = (v for _, v in walk(payload) if isinstance(v, str) and len(v) >= _TELLING_LENGTH)
        known[key] = frozenset(found)
    return known[key]


def _sent_texts(trace: Trace, call: Call) -> frozenset[str]:
    """The texts among a call's arguments."""
    known = _texts(trace)
    key = ("sent", call.at)
    if key not in known:
        known[key] = frozenset(v for _, v in walk(call.arguments) if isinstance(v, str))
    return known[key]
