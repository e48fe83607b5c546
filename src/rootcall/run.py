"""Scores many traces: `score()` in memory or to a folder, and `load_run()` to have a run back.

Owns the loop and what meets what (a trace and its case, a verdict and the disk). Counting is `rootcall.summary`'s,
the layout on disk `rootcall.runfolder`'s.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec

from rootcall import __version__
from rootcall.case import Case, Cases
from rootcall.config import Config
from rootcall.diagnosis import Verdict
from rootcall.errors import RootcallError
from rootcall.goldscores import CaseBook, case_book
from rootcall.judging import verdict as judge_trace
from rootcall.lint import GoldFault, unusable
from rootcall.namecheck import NameCheck
from rootcall.readers import Reading
from rootcall.runfolder import RunWriter, read_manifest, read_pairs
from rootcall.summary import Run, Tally
from rootcall.trace import Problem, Tool, Trace

__all__ = ["load_run", "read_run", "score"]


def score(
    traces: Iterable[Trace],
    cases: Cases | None = None,
    *,
    config: Config | None = None,
    out: Path | str | None = None,
    on_verdict: Callable[[Trace, Verdict], object] | None = None,
    reading: Reading | None = None,
    inputs: Sequence[str] = (),
    keep: bool = True,
) -> Run:
    """Judge traces one after the other and count what they say.

    Args:
        traces: any iterable; it is read once and never held.
        cases: what right runs look like; a trace meets its case by `metadata.case_id`, else by its first user message.
            A trace that meets none is judged alone, one that two cases claim too, and one whose case has a gold that
            would fail a right run (see `rootcall.lint`); all are listed, never guessed.
        config: the rules that run, their options and the policy; the default runs all rules, and knows no policy.
        out: a folder to write the run to while scoring (see `rootcall.runfolder`).
        on_verdict: called with each trace and its verdict as soon as it is judged.
        reading: what the traces come from, where `traces` is not that itself; it knows what was left out.
        inputs: the names of the inputs, for the manifest.
        keep: hold all verdicts in `Run.verdicts`. Without it memory does not grow with the number of traces.

    Raises:
        ConfigError: the configuration names an unknown rule or a wrong type.
        UsageError: `out` is a folder that holds something else.

    A trace whose rule raises is set aside with the problem `rule-failed`; `verdict` lets the exception through.
    """
    config = config or Config()
    if reading is None and isinstance(traces, Reading):
        reading = traces
    tally = Tally(keep=keep, cases=None if cases is None else len(cases))
    writer = RunWriter(Path(out)) if out is not None else None
    bugs: list[Problem] = []
    gold, named = _Gold(cases), NameCheck()
    with writer or nullcontext():
        for trace in traces:
            case, problem = gold.meet(trace)
            if problem is not None:
                tally.problem(problem)
            named.look(trace, case, config)
            try:
                verdict = judge_trace(trace, case, config)
            except RootcallError:
                raise
            except Exception as error:  # noqa: BLE001 -- a rule's bug costs its trace, which is set aside, not the run
                bugs.append(_bug(trace, error))
                continue
            tally.add(trace, verdict)
            if writer is not None:
                writer.add(trace, verdict)
            if on_verdict is not None:
                on_verdict(trace, verdict)
        _add_left_out(tally, reading, cases, bugs)
        for problem in named.problems():
            tally.problem(problem)
        run = tally.result()
        if writer is not None:
            writer.finish(__version__, config, list(inputs), run.to_dict())
    return run


class _Gold:
    """The cases of a run, each looked at once before the first trace is judged by it."""

    def __init__(self, cases: Cases | None) -> None:
        self._cases = cases
        self._known: dict[str, tuple[tuple[Tool, ...] | None, GoldFault | None]] = {}

    def meet(self, trace: Trace) -> tuple[Case | None, Problem | None]:
        """The case a trace is judged by; none where it meets none, or one whose gold would fail a right run."""
        case, problem = self._cases.find(trace) if self._cases is not None else (None, None)
        if case is None or self._cases is None:
            return None, problem
        tools = trace.tools if trace.tools_known != "unknown" else case.tools
        known = self._known.get(case.id)
        if known is None or (known[0] is not tools and known[0] != tools):
            known = self._known[case.id] = (tools, unusable(msgspec.structs.replace(case, tools=None), tools))
        fault = known[1]
        if fault is None:
            return case, None
        what = f"the gold of case {case.id!r} is wrong, so trace {trace.id!r} was judged without it: {fault.at}: {fault.message}"
        return None, Problem("gold-wrong", what, self._cases.source_of(case))


def _bug(trace: Trace, error: Exception) -> Problem:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    what = f"trace {trace.id!r} was not judged, a bug in a rule: {type(error).__name__}: {error} ({place}); please report it"
    return Problem("rule-failed", what, trace.source, lost=len(trace.calls))


def _add_left_out(tally: Tally, reading: Reading | None, cases: Cases | None, bugs: Sequence[Problem]) -> None:
    """Count what was not read or not judged, and the cases that no trace met."""
    if reading is not None:
        # What a trace lost stands among its own problems and is counted with it.
        lost = reading.calls_lost - tally.lost
        tally.not_read(reading.problems, reading.counts, set_aside=reading.set_aside, lost=lost)
    counts = Counter(b.code for b in bugs)
    tally.not_read(bugs, counts, set_aside=len(bugs), lost=sum(b.lost for b in bugs))
    if cases is not None:
        tally.expect(case_book(cases))
        for problem in cases.unused():
            tally.problem(problem)


def read_run(folder: Path | str) -> Iterator[tuple[Trace, Verdict]]:
    """Yield the traces of a run on disk with their verdicts.

    Raises:
        InputError: no run is there, or a part of it is damaged.
    """
    read_manifest(Path(folder))
    yield from read_pairs(Path(folder))


def load_run(folder: Path | str, *, keep: bool = True) -> Run:
    """Return a run from disk. Its figures are counted again from its checks; what was not read comes from the manifest.

    Raises:
        InputError: no run is there, or a part of it is damaged.
    """
    counts = read_manifest(Path(folder)).get("summary", {})
    cases = counts.get("cases", {})
    tally = Tally(keep=keep, cases=cases.get("total"))
    if "missing" in cases:
        tally.expect(msgspec.convert(cases, CaseBook))
    for trace, verdict in read_pairs(Path(folder)):
        tally.add(trace, verdict)
    aside = counts.get("problems", {})
    return msgspec.structs.replace(
        tally.result(),
        calls_set_aside=counts.get("calls", {}).get("set_aside", 0),
        not_read=counts.get("not_read", 0),
        problem_counts=aside.get("counts", {}),
        problems=msgspec.convert(aside.get("first", []), tuple[Problem, ...]),
    )
