"""Selection over a run, tool by tool: which tool was called where which was expected, and which of them to lead with.

A `ToolTally` takes verdicts one by one and keeps the counts of a matrix, so memory grows with the tools and not with
the traces; `SelectionScores` is what it has counted. Everything is a function of the checks of `selection`, judged on
final attempts: a retry is one call. What a check means is the layer's, the score of one trace `rootcall.diagnosis`'.

A mean hides a rare tool: of 28 tools one can fall from 0.95 to 0.40 while the mean moves by 0.01. So the tools are
ranked, and the report leads with the worst; see `SelectionScores.ranking`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from rootcall.check import NO_CALL
from rootcall.diagnosis import Verdict
from rootcall.evidence.behaviour import ACTS
from rootcall.figures import FEW, Cell, Mean, Means, Rate, ToolScore, concern, count, figure
from rootcall.goldscores import CaseBook
from rootcall.trace import Source, Trace
from rootcall.units import Met, Unit, met_calls

__all__ = ["UNPARSED", "Lead", "SelectionScores", "ToolTally"]

UNPARSED: Final = "(unparsed)"
"""Stands for the tool of a call whose text was left unparsed and names none."""

LeadKind = Literal["tool", "unexpected-tool", "no-call", "missed-calls"]


class Lead(msgspec.Struct, frozen=True):
    """One entry of the ranking: a tool, a tool that no case expects, the no-call bucket, or calls missed everywhere.

    `score` is F1 for a tool, for the others the share of traces without the fault, with its 95 % interval. `few`: the n
    is too small to tell.
    """

    kind: LeadKind
    tool: str | None
    score: float
    interval: tuple[float, float]
    n: int

    @property
    def few(self) -> bool:
        """Whether there are too few units to be sure."""
        return self.n < FEW

    @property
    def worry(self) -> float:
        """What it is ranked by, the lowest first; see `rootcall.figures.concern`."""
        return concern(self.score, self.interval, self.n)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return {**built, "interval": list(self.interval), "few": self.few}


class SelectionScores(msgspec.Struct, frozen=True):
    """Selection over a run. Prints as one sentence about the worst; `to_dict` gives the JSON object.

    `judged` counts traces whose calls a case judges; it is 0 without cases, and then only `not_offered` and
    `never_called` say something. `cells` is the confusion matrix with its diagonal; the cell of no call and no call
    counts right abstentions. `strayed` says how many traces called a tool where it was not expected, `drawn` how many
    did so where no call was right; `no_call` is the share of these that rightly called nothing. `missed` are traces
    that wanted a call and made none, `unparsed` of them left the text of one. `disordered` counts expected calls out of
    order: they are right calls here and fail their trace. `otherwise` counts traces with the right calls that break
    another rule of selection. `abstained` says how often the no-call bucket was answered, asked, refused or escalated,
    `instead` the same of the missed calls; what could not be read is in neither. `uncalled` counts the traces without any
    call, judged or not, by what their last reply did; `unread` where that could not be told. `book` is what the cases
    expect, None when they are not known.
    """

    judged: int
    cells: tuple[Cell, ...]
    strayed: Mapping[str, int]
    no_call: Rate
    drawn: Mapping[str, int]
    missed: Rate
    unparsed: int
    disordered: int
    otherwise: int
    abstained: Mapping[str, int]
    instead: Mapping[str, int]
    uncalled: Mapping[str, int]
    not_offered: Rate
    offered: tuple[str, ...]
    called: tuple[str, ...]
    book: CaseBook | None = None

    # ---- the matrix and what follows from it -----------------------------------------------------------------

    @property
    def tools(self) -> tuple[ToolScore, ...]:
        """Every tool that was expected or called where a case judges calls; the expected ones first, worst first."""
        expected, calls, right = self._margins()
        missing = self.book.missing_expects if self.book else {}
        found = [
            ToolScore(t, expected[t], calls[t], right[t], self.strayed.get(t, 0), missing.get(t, 0))
            for t in {*expected, *calls, *missing}
        ]
        return tuple(sorted(found, key=_worst_first))

    def _margins(self) -> tuple[Counter[str], Counter[str], Counter[str]]:
        expected: Counter[str] = Counter()
        calls: Counter[str] = Counter()
        right: Counter[str] = Counter()
        for cell in self.cells:
            if cell.expected is not None:
                expected[cell.expected] += cell.count
            if cell.called is not None:
                calls[cell.called] += cell.count
            if cell.expected is not None and cell.expected == cell.called:
                right[cell.expected] += cell.count
        return expected, calls, right

    @property
    def confusions(self) -> tuple[Cell, ...]:
        """The cells off the diagonal, the most frequent first."""
        off = [c for c in self.cells if c.expected != c.called]
        return tuple(sorted(off, key=lambda c: (-c.count, str(c))))

    @property
    def macro(self) -> Means:
        """Plain means over the tools that were expected. Precision leaves out those of them that were never called."""
        return self._means(lambda _: 1)

    @property
    def weighted(self) -> Means:
        """The same means, each tool weighted with how often it was expected."""
        return self._means(lambda t: t.expected)

    def _means(self, weight: Callable[[ToolScore], int]) -> Means:
        tools = [t for t in self.tools if t.expected]

        def mean(of: Callable[[ToolScore], float | None]) -> Mean:
            entering = [(v, weight(t)) for t in tools if (v := of(t)) is not None]
            total = sum(w for _, w in entering)
            return Mean(math.fsum(v * w for v, w in entering) / total if total else None, len(entering))

        return Means(mean(lambda t: t.precision.share), mean(lambda t: t.recall.share), mean(lambda t: t.f1))

    @property
    def micro(self) -> Means:
        """The figures of all calls together, of whatever tool: a call that no case expects lowers precision and F1."""
        expected, calls, right = (sum(c.values()) for c in self._margins())
        whole = ToolScore("", expected, calls, right)
        return Means(Mean(whole.precision.share, calls), Mean(whole.recall.share, expected), Mean(whole.f1, whole.n))

    @property
    def false_calls(self) -> Rate:
        """Of the traces in which no call was right, those that called something."""
        return Rate(self.no_call.n - self.no_call.count, self.no_call.n)

    @property
    def unexpected(self) -> tuple[ToolScore, ...]:
        """The tools that were called where a case judges calls, and that no case expects; the most called first."""
        known = self.book.expects if self.book else {}
        found = [t for t in self.tools if t.calls and not t.expected and t.tool not in known]
        return tuple(sorted(found, key=lambda t: (-t.calls, t.tool)))

    @property
    def never_called(self) -> tuple[str, ...]:
        """The tools that were offered in some trace and called in none."""
        called = set(self.called)
        return tuple(t for t in self.offered if t not in called)

    @property
    def never_expected(self) -> tuple[str, ...]:
        """The tools that were offered in some trace, and that no case expects; empty where nothing was judged."""
        if not self.judged:
            return ()
        known = {*(self.book.expects if self.book else ()), *(c.expected for c in self.cells)}
        return tuple(t for t in self.offered if t not in known)

    @property
    def never_exercised(self) -> tuple[str, ...]:
        """The tools that were offered, and neither expected by a case nor called: nothing is known about them."""
        called = set(self.called)
        return tuple(t for t in self.never_expected if t not in called)

    # ---- the worst -------------------------------------------------------------------------------------------

    @property
    def ranking(self) -> tuple[Lead, ...]:
        """What is wrong, the worst first; empty when nothing is.

        Each tool competes with its F1, the no-call bucket with the share of its traces that called nothing, and a tool
        that no case expects with the share of judged traces that did not call it where it was wrong (its F1 is 0
        however rare it is). They are ranked by `figures.concern`: the mean of how bad it looks and how good it can
        still be; with fewer than 5 units the look counts for nothing. On a tie the larger n goes first.

        One fault is told once, and before the tools that suffer from it:

        - Where at least half of the no-call traces call something, the tool most of them call (when it is called where
          it should not be at least as often as it is missed) and the tools that lose most of their missed calls to it
          stand behind the bucket.
        - Where at least half of the traces that want a call make none, and no tool has half of what is missed, the
          missed calls compete as well, and the tools that lose most of theirs to silence stand behind them.
        """
        bucket, silence = self._bucket(), self._silence()
        behind: dict[str | None, Lead] = {}
        if silence is not None:
            behind |= dict.fromkeys(self._losing_to(None), silence)
        if bucket is not None and not bucket.few and bucket.score <= 0.5:
            behind |= dict.fromkeys(self._drawn_away(), bucket)
        leads = [*self._tool_leads(), *(lead for lead in (bucket, silence) if lead is not None)]

        def order(lead: Lead) -> tuple[Any, ...]:
            first = behind.get(lead.tool) if lead.kind in ("tool", "unexpected-tool") else None
            worry = max(lead.worry, first.worry) if first is not None else lead.worry
            return worry, first is not None, lead.kind != NO_CALL, -lead.n, lead.tool or ""

        return tuple(sorted(leads, key=order))

    def _tool_leads(self) -> Iterator[Lead]:
        for t in self.tools:
            if t.expected:
                if t.f1 is not None and t.f1_interval is not None and t.f1 < 1:
                    yield Lead("tool", t.tool, t.f1, t.f1_interval, t.n)
            elif t.strayed:
                yield from _lead("unexpected-tool", t.tool, Rate(self.judged - t.strayed, self.judged))

    def _bucket(self) -> Lead | None:
        return next(_lead(NO_CALL, self.favourite, self.no_call), None)

    def _silence(self) -> Lead | None:
        """The missed calls as a fault of their own, where it is not that of one tool."""
        lost = self._lost_to(None)
        lead = next(_lead("missed-calls", None, Rate(self.missed.n - self.missed.count, self.missed.n)), None)
        general = bool(lost) and 2 * max(lost.values()) < sum(lost.values())
        return lead if lead is not None and general and not lead.few and lead.score <= 0.5 else None

    @property
    def example(self) -> Cell | None:
        """The most frequent confusion of what leads the ranking, with the first trace that has it."""
        lead = next(iter(self.ranking), None)
        if lead is None:
            return None
        if lead.kind == NO_CALL:
            return next(c for c in self.confusions if c.expected is None and c.called == lead.tool)
        if lead.kind == "missed-calls":
            return next(c for c in self.confusions if c.called is None)
        return next(c for c in self.confusions if lead.tool in (c.expected, c.called))

    @property
    def favourite(self) -> str | None:
        """The tool that most traces called although no call was right; of several the first by name."""
        return min(self.drawn, key=lambda t: (-self.drawn[t], t), default=None)

    def _lost_to(self, called: str | None) -> Counter[str]:
        """How often each tool was expected where another one, or with None nothing, was called."""
        return Counter({c.expected: c.count for c in self.confusions if c.called == called and c.expected is not None})

    def _losing_to(self, called: str | None) -> set[str | None]:
        """The tools that lose most of their missed calls to one tool, or with None to silence."""
        lost = self._lost_to(called)
        return {t.tool for t in self.tools if 2 * lost[t.tool] > t.expected - t.right > 0}

    def _drawn_away(self) -> set[str | None]:
        """The tools whose faults are that of the no-call bucket: its favourite, and those that lose their calls to it."""
        own = {t.tool for t in self.tools if t.tool == self.favourite and t.calls >= t.expected}
        return self._losing_to(self.favourite) | own

    # ---- in words --------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        if not self.judged:
            return "selection: no trace met a case that says which calls are right"
        return f"selection: {self._worst_words() or self._other_words()}"

    def _worst_words(self) -> str | None:
        lead = next(iter(self.ranking), None)
        if lead is None:
            return None
        if lead.kind == "no-call":
            f = self.false_calls
            times = self.drawn[lead.tool or ""]
            whom = (
                f"{_times(times)} {lead.tool}"
                if 2 * times >= f.count
                else f"spread over {count(len(self.drawn), 'tool')}"
            )
            return f"false calls lead: {f.count:,} of {f.n:,} no-call traces called something, {whom}{_doubt(lead)}"
        if lead.kind == "missed-calls":
            return f"missed calls lead: {self._missed_words()}"
        if lead.kind == "unexpected-tool":
            strayed = self.strayed.get(lead.tool or "", 0)
            return f"{lead.tool} leads: {strayed:,} of {self.judged:,} traces called it, and no case expects it{_doubt(lead)}"
        t = next(t for t in self.tools if t.tool == lead.tool)
        n = sum(1 for t in self.tools if t.n)
        place = f"is the worst of {n:,} tools, F1" if n > 1 else "is the only tool, F1"
        low, high = (figure(end) for end in lead.interval)
        means = f"mean {figure(self.macro.f1.value)} macro, {figure(self.micro.f1.value)} micro"
        return f"{t.tool} {place} {figure(lead.score)} ({t.expected:,} expected, {t.calls:,} called, 95 % {low}-{high}){_doubt(lead)}; {means}"

    def _missed_words(self) -> str:
        return f"{self.missed.count:,} of {self.missed.n:,} traces that wanted a call made none"

    def _other_words(self) -> str:
        """No tool has a fault; what else can be wrong, or that nothing is."""
        wrong = []
        if self.missed.count:
            wrong.append(self._missed_words())
        if self.disordered:
            wrong.append(f"{count(self.disordered, 'expected call')} came out of order")
        if self.otherwise:
            wrong.append(f"the right calls were made; {count(self.otherwise, 'trace')} broke another rule of selection")
        if wrong:
            return "; ".join(wrong)
        tools = [t for t in self.tools if t.expected]
        calls = f"{count(sum(t.expected for t in tools), 'expected call')} of {count(len(tools), 'tool')}"
        parts = [calls] if tools else []
        parts += [count(self.no_call.n, "right abstention")] if self.no_call.n else []
        return f"nothing wrong in {count(self.judged, 'trace')}" + (f": {', '.join(parts)}" if parts else "")

    def to_dict(self) -> dict[str, Any]:
        """The JSON object. Lists of tools are complete; undefined figures are null."""
        book = self.book
        return {
            "summary": str(self),
            "judged": self.judged,
            "ranking": [lead.to_dict() for lead in self.ranking],
            "tools": [t.to_dict() for t in self.tools],
            "means": msgspec.to_builtins({"macro": self.macro, "micro": self.micro, "weighted": self.weighted}),
            "confusion": [c.to_dict() for c in self.cells],
            "false_calls": {
                **self.false_calls.to_dict(),
                "tools": dict(self.drawn),
                "abstained": dict(self.abstained),
                "missing": book.missing_no_call if book else 0,
            },
            "missed_calls": {
                **self.missed.to_dict(),
                "unparsed": self.unparsed,
                "instead": dict(self.instead),
                "missing": book.missing_wanted if book else 0,
            },
            "without_a_call": dict(self.uncalled),
            "out_of_order": self.disordered,
            "broken_otherwise": self.otherwise,
            "not_offered": self.not_offered.to_dict(),
            "unexpected": [t.tool for t in self.unexpected],
            "never_called": list(self.never_called),
            "never_expected": list(self.never_expected),
            "never_exercised": list(self.never_exercised),
        }


def _worst_first(t: ToolScore) -> tuple[Any, ...]:
    f1, ends = t.f1, t.f1_interval
    # Among flawless tools the interval would put the rare ones first; nothing is wrong with either.
    worry = 1.0 if f1 is None or ends is None or f1 == 1 else concern(f1, ends, t.n)
    return not t.expected, worry, -t.n, t.tool


def _lead(kind: LeadKind, tool: str | None, kept: Rate) -> Iterator[Lead]:
    """The entry of a share of traces without a fault; none when there is no fault."""
    if kept.share is not None and kept.interval is not None and kept.count < kept.n:
        yield Lead(kind, tool, kept.share, kept.interval, kept.n)


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _doubt(lead: Lead) -> str:
    return "; too few to be sure" if lead.few else ""


class ToolTally:
    """Counts the selection checks of verdicts as they come. `result()` may be asked for at any time."""

    def __init__(self) -> None:
        self._cells: Counter[tuple[str | None, str | None]] = Counter()
        self._first: dict[tuple[str | None, str | None], tuple[str, Source]] = {}
        self._strayed: Counter[str] = Counter()
        self._drawn: Counter[str] = Counter()
        self._offered: set[str] = set()
        self._called: set[str] = set()
        self._judged = self._no_call = self._abstained = 0
        self._wanted = self._missed = self._unparsed = self._disordered = self._otherwise = 0
        self._known = self._foreign = 0
        self._acted: Counter[str] = Counter()
        self._instead: Counter[str] = Counter()
        self._uncalled: Counter[str] = Counter()

    def add(self, trace: Trace, verdict: Verdict, units: Iterable[Unit]) -> None:
        """Count one judged trace; `units` are those of its verdict."""
        if trace.tools_known != "unknown":
            self._offered.update(t.name for t in trace.tools)
        self._called.update(c.tool for c in trace.calls)
        if not trace.calls and (replies := [c for c in verdict.checks if c.rule == "selection/behaviour"]):
            self._uncalled[replies[-1].got if isinstance(replies[-1].got, str) else "unread"] += 1
        selection = [u for u in units if u.layer == "selection"]
        self._count_offered(selection)
        met = [m for u in selection for m in met_calls(u)]
        if not met:
            return
        self._judged += 1
        strayed = {m.called or UNPARSED for m in met if _stray(m)}
        self._strayed.update(strayed)
        self._disordered += sum(1 for m in met if m.rule == "selection/out-of-order")
        self._otherwise += all(m.right for m in met) and verdict.layers["selection"].status == "fail"
        if any((c.pair or "").endswith(f"/{NO_CALL}") for c in verdict.checks if c.layer == "selection"):
            self._no_call += 1
            self._abstained += not strayed
            self._acted.update(_act(verdict, "selection/expected"))
            self._drawn.update(strayed)
        for key in filter(None, map(_cell, met)):
            self._cells[key] += 1
            self._first.setdefault(key, (verdict.trace, verdict.source))
        self._count_missed(trace, met, selection)
        if not trace.calls:
            self._instead.update(_act(verdict, "selection/missing"))

    def _count_offered(self, selection: Iterable[Unit]) -> None:
        for u in selection:
            for c in u.deciding:
                if c.rule == "selection/tool-not-offered" and c.status != "unscored":
                    self._known += 1
                    self._foreign += c.fails

    def _count_missed(self, trace: Trace, met: list[Met], selection: list[Unit]) -> None:
        if not any(_wanted(m) for m in met):
            return
        self._wanted += 1
        if not trace.calls:
            self._missed += 1
            self._unparsed += any(
                c.rule == "selection/unparsed-call" and c.fails for u in selection for c in u.deciding
            )

    def result(self, book: CaseBook | None = None) -> SelectionScores:
        """The figures so far; `book` is what the cases expect, where they are known."""
        cells = [Cell(*key, n, *self._first[key]) for key, n in self._cells.items()]
        return SelectionScores(
            judged=self._judged,
            cells=tuple(
                sorted(cells, key=lambda c: (c.expected is None, c.expected or "", c.called is None, c.called or ""))
            ),
            strayed=dict(sorted(self._strayed.items())),
            no_call=Rate(self._abstained, self._no_call),
            drawn=dict(sorted(self._drawn.items(), key=lambda item: (-item[1], item[0]))),
            missed=Rate(self._missed, self._wanted),
            unparsed=self._unparsed,
            disordered=self._disordered,
            otherwise=self._otherwise,
            abstained=_by_act(self._acted),
            instead=_by_act(self._instead),
            uncalled={k: self._uncalled[k] for k in (*ACTS, "unread") if self._uncalled[k]},
            not_offered=Rate(self._foreign, self._known),
            offered=tuple(sorted(self._offered)),
            called=tuple(sorted(self._called)),
            book=book,
        )


def _act(verdict: Verdict, rule: str) -> Iterator[str]:
    """What the agent did where it called nothing, as the first check of a rule says."""
    found = (c.got for c in verdict.checks if c.rule == rule and isinstance(c.got, str) and c.got in ACTS)
    yield from itertools.islice(found, 1)


def _by_act(counts: Mapping[str, int]) -> dict[str, int]:
    return {act: counts[act] for act in ACTS if counts[act]}


def _stray(m: Met) -> bool:
    """Whether something was called that was not expected there."""
    unparsed = m.rule == "selection/surplus" and m.called is None
    return unparsed or (m.called is not None and not m.right and m.called != m.expected)


def _cell(m: Met) -> tuple[str | None, str | None] | None:
    """The cell of the matrix; None where a case wants some call, whichever: no tool was expected there."""
    if _stray(m):
        return m.expected, m.called or UNPARSED
    if m.expected is not None:
        return m.expected, m.called
    return (None, None) if m.right and m.called is None else None


def _wanted(m: Met) -> bool:
    """Whether a call was wanted there: of one tool, or, where the case says so, of any."""
    some = m.right if m.called is not None else m.rule == "selection/missing"
    return m.expected is not None or some
