"""A code scorer over many traces: one expectation for all, or that of each trace's case, and both semantics side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from rootcall.case import Case, Cases
from rootcall.errors import UsageError
from rootcall.mastra.accuracy import Explanation, create_tool_call_accuracy_scorer_code
from rootcall.mastra.corrected import Expectation
from rootcall.trace import Problem, Source, Trace

__all__ = ["SCORERS", "Batch", "Scored", "expectation_in"]

SCORERS: Final = ("mastra:tool-call-accuracy-code",)


class Scored(msgspec.Struct, frozen=True):
    """One trace scored by both semantics."""

    trace: str
    case: str | None
    expected: Expectation
    found: Explanation

    def to_dict(self, scorer: str) -> dict[str, Any]:
        """The line of a trace: what was expected, both scores, and where they part."""
        told = [msgspec.structs.asdict(d) for d in self.found.differences]
        errors = {"original_error": self.found.original_error, "corrected_error": self.found.corrected_error}
        return {
            "trace": self.trace,
            "case": self.case,
            "scorer": scorer,
            "expected": msgspec.structs.asdict(self.expected),
            "original": self.found.original,
            "corrected": self.found.corrected,
            "agree": self.found.agree,
            "differences": told,
            **{name: error for name, error in errors.items() if error is not None},
        }


class Batch:
    """Scores traces one by one and counts. `problems` say which were left out and why, so that none is lost quietly."""

    def __init__(self, expected: Expectation | None, cases: Cases | None) -> None:
        """Give the one expectation of all traces, or the cases that say each one's.

        Raises:
            UsageError: neither is given, or both.
        """
        if (expected is None) == (cases is None):
            what = "both are given" if expected is not None else "neither is given"
            raise UsageError(
                f"a scorer takes what is expected from its options or from --cases, and {what}; give one of them"
            )
        self._expected, self._cases = expected, cases
        self.scored: list[Scored] = []
        self.problems: list[Problem] = []
        self._tools: set[str] = set()
        self._wanted: dict[str, Trace] = {}

    def score(self, trace: Trace) -> Scored | None:
        """Score a trace; None, and a problem kept, where nothing says what is expected of it."""
        expected, case = self._expected, None
        self._tools.update((*(c.tool for c in trace.calls), *(t.name for t in trace.tools)))
        if self._cases is not None:
            case, problem = self._cases.find(trace)
            expected, why = expectation_in(case) if case is not None else (None, "")
            if expected is None:
                what = f"trace {trace.id!r} was not scored: {why}"
                self.problems.append(problem or Problem("no-expectation", what, trace.source))
                return None
        assert expected is not None
        for name in (expected.tool, *(expected.order or ())):
            if name is not None:
                self._wanted.setdefault(name, trace)
        scorer = create_tool_call_accuracy_scorer_code(
            expected.tool,
            expected.strict,
            None if expected.order is None else list(expected.order),
            semantics="rootcall",
        )
        found = Scored(trace.id, case.id if case is not None else None, expected, scorer.explain(trace))
        self.scored.append(found)
        return found

    def unknown(self) -> list[Problem]:
        """A note for every expected name that no trace calls or offers: it may be misspelt."""
        found = []
        for name, trace in self._wanted.items():
            if name not in self._tools:
                near = get_close_matches(name, sorted(self._tools), n=1)
                hint = f"; the nearest name is {near[0]}" if near else ""
                found.append(
                    Problem("tool-unknown", f"no trace calls or offers {name!r}{hint}", Source(trace.source.file))
                )
        return found

    def unused(self) -> list[Problem]:
        """A problem for every case that no trace has met."""
        return [] if self._cases is None else self._cases.unused()

    def means(self) -> Mapping[str, tuple[float | None, int]]:
        """The mean score of each semantics and over how many traces it stands; None over none."""
        found = {}
        for name in ("original", "corrected"):
            scores = [s for row in self.scored if (s := getattr(row.found, name)) is not None]
            found[name] = (sum(scores) / len(scores) if scores else None), len(scores)
        return found

    def kinds(self) -> Counter[str]:
        """How many traces each kind of difference moved the score of."""
        return Counter(
            kind for row in self.parting() for kind in {d.kind for d in row.found.differences if d.moves_score}
        )

    def parting(self) -> Iterator[Scored]:
        """The traces in which the two semantics do not give the same score."""
        return (row for row in self.scored if not row.found.agree)


def expectation_in(case: Case) -> tuple[Expectation | None, str]:
    """What a case expects in terms of names alone; None and why, where they cannot say it."""
    if case.calls is None or case.calls == "some" or case.alternatives:
        what = "has alternatives" if case.alternatives else "lists no calls" if case.calls is None else "wants any call"
        return None, f"case {case.id!r} {what}, and this scorer knows one list of names"
    if any(e.optional for e in case.calls) or case.forbid:
        return (
            None,
            f"case {case.id!r} has {'forbidden' if case.forbid else 'optional'} calls, which this scorer does not know",
        )
    names = tuple(e.tool for e in case.calls)
    strict = case.order == "strict" or case.extra == "forbid"
    if len(names) == 1:
        return Expectation(names[0], None, strict), ""
    if names and case.order == "any":
        return (
            None,
            f"case {case.id!r} wants {len(names)} calls in any order, which this scorer cannot say; give order: in_order",
        )
    return Expectation(None, names, strict), ""
