"""What many verdicts say together: layers, root causes, tools, the worst traces. Every figure is a function of checks.

A `Tally` takes verdicts one by one and keeps counts, so memory does not grow with the number of traces; `Run` is what
it has counted. Reading, judging and writing to disk are `rootcall.run`'s; printing is the reports'.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from rootcall.consistency import wilson
from rootcall.diagnosis import Finding, Verdict
from rootcall.goldscores import ArgumentScore, ArgumentTally, CaseBook, CaseScores, CaseTally
from rootcall.toolscores import SelectionScores, ToolTally
from rootcall.trace import MESSAGES_LEFT_OUT, Problem, Trace
from rootcall.units import LAYER_NAMES, LayerStatus, Unit, first_tries, units_of

__all__ = ["CauseSummary", "LayerSummary", "Run", "Tally", "ToolSummary"]

WORST_KEPT: Final = 10
PROBLEMS_KEPT: Final = 200
_FAILED: Final = ("error", "refused")
_TOOL_FAULTS: Final = {"arguments/broken-schema": "broken-schema", "arguments/validator": "validator-failed"}


class LayerSummary(msgspec.Struct, frozen=True):
    """One layer over a run. Counts are units on their final attempts; `traces` counts traces by the layer's status."""

    passed: int
    scored: int
    unscored: int
    first_passed: int | None
    first_scored: int | None
    traces: Mapping[str, int]

    @property
    def score(self) -> float | None:
        """Passed of scored units; None when nothing was scored."""
        return self.passed / self.scored if self.scored else None

    @property
    def first_try_score(self) -> float | None:
        """Of all calls, those whose first attempt was in order; for arguments only."""
        return self.first_passed / self.first_scored if self.first_scored and self.first_passed is not None else None

    @property
    def coverage(self) -> float | None:
        """Scored of all units; None when there are no units."""
        units = self.scored + self.unscored
        return self.scored / units if units else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval of the score."""
        return wilson(self.passed, self.scored)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object; `first_try_score` is left out where it has no meaning."""
        out: dict[str, Any] = {
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "passed": self.passed,
            "scored": self.scored,
            "unscored": self.unscored,
            "coverage": self.coverage,
            "traces": dict(self.traces),
        }
        if self.first_scored is not None:
            out["first_try_score"] = self.first_try_score
        return out


class CauseSummary(msgspec.Struct, frozen=True):
    """One root cause of a run: how many traces have it, and the first of them with its finding."""

    layer: str
    rule: str
    tool: str | None
    argument: str | None
    count: int
    example: str
    finding: Finding

    def __str__(self) -> str:
        return str(self.finding)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "layer": self.layer,
            "rule": self.rule,
            "tool": self.tool,
            "argument": self.argument,
            "count": self.count,
            "example": {"trace": self.example, "at": self.finding.at, "message": self.finding.message},
        }


class ToolSummary(msgspec.Struct, frozen=True):
    """One tool over a run: calls, calls that met an error, root causes, and failing units by layer.

    `tool` is None for failing units that belong to no tool, such as a claim that no result supports.
    """

    tool: str | None
    calls: int
    errors: int
    root_causes: int
    failing: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "tool": self.tool,
            "calls": self.calls,
            "errors": self.errors,
            "root_causes": self.root_causes,
            "failing_units": dict(self.failing),
        }


class Run(msgspec.Struct, frozen=True):
    """Many verdicts, counted. Prints as a short summary; `to_dict` gives the JSON object.

    `calls_in` = `calls_scored` + `calls_set_aside`, always. `formats` says how many traces came in which. `not_read` counts what no trace could be made of (lines,
    files). `unexplained` counts failing traces without a root cause, `unmatched` traces judged without a case although
    cases were given. `selection` has the figures of single tools and leads with the worst of them, `arguments` the
    strata that the cases judge, `case_scores` how the set of cases fared; it is None where the cases are not known.
    `verdicts` holds every verdict when the run was made with `keep=True`.
    """

    traces: Mapping[str, int]
    calls_scored: int
    calls_set_aside: int
    layers: Mapping[str, LayerSummary]
    causes: tuple[CauseSummary, ...]
    tools: tuple[ToolSummary, ...]
    worst: tuple[Verdict, ...]
    recovered: int
    unexplained: int
    problems: tuple[Problem, ...]
    problem_counts: Mapping[str, int]
    selection: SelectionScores
    arguments: tuple[ArgumentScore, ...] = ()
    case_scores: CaseScores | None = None
    formats: Mapping[str, int] = {}
    not_read: int = 0
    cases: int | None = None
    matched: int = 0
    unmatched: int = 0
    verdicts: tuple[Verdict, ...] = ()

    @property
    def total(self) -> int:
        """How many traces were judged."""
        return sum(self.traces.values())

    @property
    def calls_in(self) -> int:
        """How many calls came in."""
        return self.calls_scored + self.calls_set_aside

    @property
    def exit_code(self) -> int:
        """0 when everything was read, 3 when something was set aside, or nothing was scored at all.

        Cases none of which a trace met, a trace that two cases claim or that names a case there is not, and a case whose
        gold is wrong count as set aside; so does a message of a trace that is left out.
        """
        scored = any(layer.scored for layer in self.layers.values())
        cases_idle = self.cases is not None and self.matched == 0
        # Each of these leaves a trace without the gold that was meant for it, or without a message.
        told = ("case-ambiguous", "case-unknown", "gold-wrong", *MESSAGES_LEFT_OUT)
        lost = any(self.problem_counts.get(code) for code in told)
        aside = self.not_read or self.calls_set_aside or lost
        return 3 if aside or cases_idle or not scored else 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of a run, without the single verdicts."""
        out: dict[str, Any] = {
            "traces": {"total": self.total, **self.traces},
            "formats": dict(self.formats),
            "calls": {"in": self.calls_in, "scored": self.calls_scored, "set_aside": self.calls_set_aside},
            "layers": {name: layer.to_dict() for name, layer in self.layers.items()},
            "root_causes": [c.to_dict() for c in self.causes],
            "tools": [t.to_dict() for t in self.tools],
            "selection": self.selection.to_dict(),
            "arguments": [a.to_dict() for a in self.arguments],
            "worst": [_headline(v) for v in self.worst],
            "recovered": self.recovered,
            "unexplained": self.unexplained,
            "not_read": self.not_read,
            "problems": {"counts": dict(self.problem_counts), "first": msgspec.to_builtins(self.problems)},
        }
        if self.cases is not None:
            out["cases"] = {"total": self.cases, "matched": self.matched, "unmatched_traces": self.unmatched}
            if self.case_scores is not None:
                out["cases"] |= self.case_scores.to_dict()
        return out

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {status}" for status, n in self.traces.items() if n) or "none judged"
        lines = [str(self.selection)] if self.selection.judged else []
        lines += [f"{self.total} traces ({counts}), {self.calls_scored} calls scored, {self.calls_set_aside} set aside"]
        for name, layer in self.layers.items():
            score = "  n/a" if layer.score is None else f"{layer.score:.3f}"
            lines.append(f"  {name:<12} {score}  {layer.scored} scored, {layer.unscored} unscored")
        lines += [f"  {cause.count} x {cause}  (e.g. {cause.example})" for cause in self.causes[:5]]
        return "\n".join(lines)


def _headline(verdict: Verdict) -> dict[str, Any]:
    cause = verdict.root_cause
    return {
        "trace": verdict.trace,
        "source": str(verdict.source),
        "status": verdict.status,
        "root_cause": None if cause is None else msgspec.to_builtins(cause),
    }


class Tally:
    """Counts verdicts as they come. `result()` may be asked for at any time."""

    def __init__(self, *, keep: bool = True, cases: int | None = None) -> None:
        self._keep, self._cases = keep, cases
        self._traces: Counter[str] = Counter({"pass": 0, "fail": 0, "unscored": 0})
        self._formats: Counter[str] = Counter()
        self._layers = {name: _LayerCount() for name in LAYER_NAMES}
        self._causes: dict[tuple[str, str, str | None, str | None], list[Any]] = {}
        self._tools: dict[str | None, _ToolCount] = {}
        self._selection, self._arguments, self._by_case = ToolTally(), ArgumentTally(), CaseTally()
        self._book: CaseBook | None = None
        self._worst: list[tuple[tuple[int, ...], Verdict]] = []
        self._problems: list[Problem] = []
        self._problem_counts: Counter[str] = Counter()
        self.lost = 0
        """Calls set aside so far."""
        self._calls = self._not_read = self._recovered = self._unexplained = self._matched = self._unmatched = 0
        self._verdicts: list[Verdict] = []
        self._faulty: set[tuple[str, str | None]] = set()

    def add(self, trace: Trace, verdict: Verdict) -> None:
        """Count one judged trace: its calls, its checks, its root cause and its problems."""
        self._traces[verdict.status] += 1
        self._formats[trace.format] += 1
        self._calls += len(trace.calls)
        self._recovered += len(verdict.recovered)
        self._unexplained += verdict.status == "fail" and verdict.root_cause is None
        if self._cases is not None:
            self._matched += verdict.case is not None
            self._unmatched += verdict.case is None
        for problem in (*trace.problems, *self._tool_faults(verdict)):
            self.problem(problem)
        for call in trace.calls:
            count = self._tool(call.tool)
            count.calls += 1
            count.errors += call.outcome in _FAILED
        units = units_of(verdict.checks)
        self._count_units(verdict, units)
        self._selection.add(trace, verdict, units)
        self._arguments.add(units)
        self._by_case.add(verdict)
        self._count_cause(verdict)
        self._rank(verdict)
        if self._keep:
            self._verdicts.append(verdict)

    def problem(self, problem: Problem) -> None:
        """Count something noted about a trace or a case."""
        self._problem_counts[problem.code] += 1
        self.lost += problem.lost
        if len(self._problems) < PROBLEMS_KEPT:
            self._problems.append(problem)

    def expect(self, book: CaseBook) -> None:
        """Say what the cases expect, so that those which no trace met are counted too."""
        self._book = book

    def not_read(self, problems: Iterable[Problem], counts: Mapping[str, int], *, set_aside: int, lost: int) -> None:
        """Count what a reader left out.

        Args:
            problems: the first of its problems; `counts` has all of them by code.
            counts: how many problems of each code there were.
            set_aside: how many records and files no trace could be made of.
            lost: how many calls went with them.
        """
        self._problem_counts.update(counts)
        self._not_read += set_aside
        self.lost += lost
        self._problems += list(problems)[: PROBLEMS_KEPT - len(self._problems)]

    def result(self) -> Run:
        """The run so far."""
        causes = [
            CauseSummary(layer, rule, tool, argument, count, example, finding)
            for (layer, rule, tool, argument), (count, example, finding) in self._causes.items()
        ]
        tools = [ToolSummary(n, t.calls, t.errors, t.causes, dict(t.failing)) for n, t in self._tools.items()]
        worst = sorted(self._worst, key=lambda entry: entry[0], reverse=True)
        return Run(
            traces=dict(self._traces),
            calls_scored=self._calls,
            calls_set_aside=self.lost,
            layers={name: count.result(first=name == "arguments") for name, count in self._layers.items()},
            causes=tuple(sorted(causes, key=lambda c: -c.count)),
            tools=tuple(sorted(tools, key=_badness)),
            worst=tuple(verdict for _, verdict in worst),
            recovered=self._recovered,
            unexplained=self._unexplained,
            problems=tuple(self._problems),
            problem_counts=dict(self._problem_counts),
            selection=self._selection.result(self._book),
            arguments=self._arguments.result(),
            case_scores=None if self._book is None else self._by_case.result(self._book),
            formats=dict(self._formats.most_common()),
            not_read=self._not_read,
            cases=self._cases,
            matched=self._matched,
            unmatched=self._unmatched,
            verdicts=tuple(self._verdicts),
        )

    def _tool(self, name: str | None) -> _ToolCount:
        return self._tools.setdefault(name, _ToolCount())

    def _count_units(self, verdict: Verdict, units: Iterable[Unit]) -> None:
        for name, layer in verdict.layers.items():
            if name in self._layers:
                self._layers[name].traces[layer.status] += 1
        for unit in units:
            count = self._layers.get(unit.layer)
            if count is None:
                continue
            count.units[unit.status] += 1
            if unit.status == "fail":
                spoken = unit.failing
                self._tool(spoken.tool or spoken.expected_tool).failing[unit.layer] += 1
        self._layers["arguments"].first.update(first_tries(u for u in units if u.layer == "arguments"))

    def _tool_faults(self, verdict: Verdict) -> Iterator[Problem]:
        """What is wrong with a tool and leaves its calls unscored, once a tool: a broken schema, a validator that raises."""
        for check in verdict.checks:
            code = _TOOL_FAULTS.get(check.rule) if check.status == "unscored" else None
            if code is not None and (code, check.tool) not in self._faulty:
                self._faulty.add((code, check.tool))
                what = f"calls of {check.tool!r} are not judged by it: {check.message}"
                yield Problem(code, what, check.source or verdict.source)

    def _count_cause(self, verdict: Verdict) -> None:
        cause = verdict.root_cause
        if cause is None:
            return
        key = (cause.layer, cause.rule, cause.tool, cause.argument)
        self._causes.setdefault(key, [0, verdict.trace, cause])[0] += 1
        self._tool(cause.tool).causes += cause.layer != "environment"

    def _rank(self, verdict: Verdict) -> None:
        """Keep the worst failing traces: with a root cause, most failing layers, most failing units, the earliest."""
        if verdict.status != "fail":
            return
        layers = sum(1 for layer in verdict.layers.values() if layer.status == "fail")
        findings = len(verdict.contributing) + len(verdict.also)
        rank = (verdict.root_cause is not None, layers, findings, -sum(self._traces.values()))
        # Of the checks only the failing ones stay, so that a kept trace is small.
        entry = (rank, msgspec.structs.replace(verdict, checks=tuple(c for c in verdict.checks if c.fails)))
        if len(self._worst) < WORST_KEPT:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)


class _LayerCount:
    def __init__(self) -> None:
        self.units: Counter[LayerStatus] = Counter()
        self.first: Counter[LayerStatus] = Counter()
        self.traces: Counter[str] = Counter({"pass": 0, "fail": 0, "unscored": 0, "n/a": 0})

    def result(self, *, first: bool) -> LayerSummary:
        passed, failed = self.units["pass"], self.units["fail"]
        return LayerSummary(
            passed=passed,
            scored=passed + failed,
            unscored=self.units["unscored"],
            first_passed=self.first["pass"] if first else None,
            first_scored=self.first["pass"] + self.first["fail"] if first else None,
            traces=dict(self.traces),
        )


class _ToolCount:
    def __init__(self) -> None:
        self.calls = self.errors = self.causes = 0
        self.failing: Counter[str] = Counter()


def _badness(tool: ToolSummary) -> tuple[Any, ...]:
    return -tool.root_causes, -sum(tool.failing.values()), -tool.errors, -tool.calls, tool.tool or "~"
