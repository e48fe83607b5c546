"""How far the cases were answered, and how the arguments fared against what the cases expect.

Owns the coverage of a set of cases and the strata of the arguments layer (tool, argument, class of the value wanted).
The figures of selection are `rootcall.toolscores`'. A case that no trace met never vanishes from a rate: it stands in
the denominator of `CaseScores` and is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from rootcall.case import Case, Cases
from rootcall.diagnosis import Verdict
from rootcall.figures import Rate, concern
from rootcall.units import Unit, status_of

__all__ = ["ArgumentScore", "ArgumentTally", "CaseBook", "CaseScores", "CaseTally", "case_book"]

_GOLD_RULE: Final = "arguments/value-mismatch"
_WORST_OF_A_CASE: Final = ("pass", "unscored", "fail")


# ---- cases -----------------------------------------------------------------------------------------------------


class CaseBook(msgspec.Struct, frozen=True):
    """What a set of cases expects, and what of it no trace met.

    `expects` maps a tool to the cases that expect it somewhere, alternatives and optional calls included.
    `missing_expects` counts the expected calls of the missing cases' first lists, `missing_no_call` the missing cases
    in which no call is right, `missing_wanted` those that want one.
    """

    total: int
    missing: tuple[str, ...]
    expects: Mapping[str, int]
    missing_expects: Mapping[str, int]
    missing_no_call: int
    missing_wanted: int


def case_book(cases: Cases) -> CaseBook:
    """Return what cases expect, after all traces have been matched with them."""
    expects: Counter[str] = Counter()
    for case in cases:
        expects.update({call.tool for listed in _lists(case) for call in listed})
    missing = cases.unmet()
    unmet = Counter(e.tool for c in missing if isinstance(c.calls, tuple) for e in c.calls if not e.optional)
    return CaseBook(
        total=len(cases),
        missing=tuple(c.id for c in missing),
        expects=dict(sorted(expects.items())),
        missing_expects=dict(sorted(unmet.items())),
        missing_no_call=sum(1 for c in missing if c.calls == ()),
        missing_wanted=sum(1 for c in missing if c.calls),
    )


def _lists(case: Case) -> Iterable[Sequence[Any]]:
    return (case.calls if isinstance(case.calls, tuple) else (), *case.alternatives)


class CaseScores(msgspec.Struct, frozen=True):
    """How a set of cases fared: `right` + `failed` + `unscored` + missing = `total`.

    A case is right when every trace that met it passes; it failed when one fails.
    """

    right: int
    failed: int
    book: CaseBook

    @property
    def answered(self) -> int:
        """How many cases some trace met."""
        return self.book.total - len(self.book.missing)

    @property
    def unscored(self) -> int:
        """Answered cases that are neither right nor failed: nothing could be scored, or the trace was set aside."""
        return self.answered - self.right - self.failed

    @property
    def share(self) -> Rate:
        """Right cases of all cases in the set, whether met or not."""
        return Rate(self.right, self.book.total)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object; `missing` has the ids of all cases that no trace met."""
        return {
            "answered": self.answered,
            "right": self.right,
            "failed": self.failed,
            "unscored": self.unscored,
            "right_of_all": self.share.to_dict(),
            "missing": list(self.book.missing),
            "expects": dict(self.book.expects),
            "missing_expects": dict(self.book.missing_expects),
            "missing_no_call": self.book.missing_no_call,
            "missing_wanted": self.book.missing_wanted,
        }


class CaseTally:
    """Keeps the worst status of each case. Memory grows with the cases, not with the traces."""

    def __init__(self) -> None:
        self._status: dict[str, int] = {}

    def add(self, verdict: Verdict) -> None:
        """Count the verdict on one trace that met a case."""
        if verdict.case is not None:
            worst = _WORST_OF_A_CASE.index(verdict.status)
            self._status[verdict.case] = max(worst, self._status.get(verdict.case, 0))

    def result(self, book: CaseBook) -> CaseScores:
        """The cases so far."""
        counts = Counter(self._status.values())
        return CaseScores(right=counts[0], failed=counts[2], book=book)


# ---- arguments -------------------------------------------------------------------------------------------------


class ArgumentScore(msgspec.Struct, frozen=True):
    """One stratum of the arguments layer against the cases: a tool's argument, by the class of the value wanted.

    Counts are units on their final attempts; `unscored` ones (a matcher that needs a judge, a rule only the server
    knew) are in no share. `argument` is None for calls whose arguments could not be read at all.
    """

    tool: str
    argument: str | None
    argument_class: str | None
    passed: int
    scored: int
    unscored: int

    @property
    def rate(self) -> Rate:
        """Passed of scored units."""
        return Rate(self.passed, self.scored)

    @property
    def name(self) -> str:
        """The tool and its argument, as a path."""
        return self.tool if self.argument is None else f"{self.tool}.{self.argument}"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "tool": self.tool,
            "argument": self.argument,
            "argument_class": self.argument_class,
            "score": self.rate.share,
            "interval": list(self.rate.interval) if self.rate.interval else None,
            "passed": self.passed,
            "scored": self.scored,
            "unscored": self.unscored,
        }


class ArgumentTally:
    """Counts what the units of the arguments layer say against the cases."""

    def __init__(self) -> None:
        self._strata: dict[tuple[str, str | None, str | None], Counter[str]] = {}

    def add(self, units: Iterable[Unit]) -> None:
        """Count the units of one verdict; those about which no case says anything count nowhere."""
        for unit in units:
            gold = [c for c in unit.deciding if c.rule == _GOLD_RULE] if unit.layer == "arguments" else []
            if gold:
                key = (gold[0].tool or "", gold[0].argument, gold[0].argument_class)
                self._strata.setdefault(key, Counter())[status_of(gold)] += 1

    def result(self) -> tuple[ArgumentScore, ...]:
        """The strata so far, the worst first (see `concern`); those without a scored unit come last."""
        found = [
            ArgumentScore(*key, n["pass"], n["pass"] + n["fail"], n["unscored"]) for key, n in self._strata.items()
        ]
        return tuple(sorted(found, key=_worst_first))


def _worst_first(score: ArgumentScore) -> tuple[Any, ...]:
    rate = score.rate
    if rate.share is None or rate.interval is None:
        return 2.0, 0.0, 0, score.name, score.argument_class or ""
    # Among strata without a fault the interval would rank the small ones first; there the larger one tells more.
    flawless = score.passed == score.scored
    return (
        1.0 if flawless else concern(rate.share, rate.interval, rate.n),
        rate.share,
        -rate.n,
        score.name,
        score.argument_class or "",
    )
