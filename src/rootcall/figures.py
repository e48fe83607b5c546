"""Figures that carry how sure they are: a share with its n and interval, a tool's precision, recall and F1.

They are made of counts; what is counted is said where they are made. Undefined figures (0 of 0) are None, never 0.
`concern` says which of several figures to worry about first.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rootcall.consistency import wilson
from rootcall.trace import Source

__all__ = ["FEW", "Cell", "Mean", "Means", "Rate", "ToolScore", "concern", "count", "figure"]

FEW: Final = 5
"""With fewer units than this, how bad a share looks counts for nothing."""


class Rate(msgspec.Struct, frozen=True):
    """`count` of `n`. The share is None, never 0, where n is 0."""

    count: int
    n: int

    @property
    def share(self) -> float | None:
        """The share, between 0 and 1; None when there is nothing to take it of."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % Wilson interval of the share."""
        return wilson(self.count, self.n)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object: `rate`, `interval`, `count`, `n`."""
        return {
            "rate": self.share,
            "interval": list(self.interval) if self.interval else None,
            "count": self.count,
            "n": self.n,
        }


def concern(share: float, interval: tuple[float, float], n: int) -> float:
    """Return how good something is at best, to rank by: lowest is worst. Between 0 and 1.

    It is the mean of how it looks (the share) and of the best it can still be (the upper end of its interval). With
    fewer than `FEW` units the look counts for nothing and 1 stands in its place: 0 of 1 (0.90) never goes before 30
    of 50 (0.66), while 0 of 4 (0.74) goes before 999 of 1000 (1.00).
    """
    return ((share if n >= FEW else 1.0) + interval[1]) / 2


class Cell(msgspec.Struct, frozen=True):
    """How often a tool was called where another, the same, or none was expected. None is no call on that side.

    `trace` and `source` are those of the first trace in which it happened.
    """

    expected: str | None
    called: str | None
    count: int
    trace: str = ""
    source: Source = Source()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object, with its example."""
        example = {"trace": self.trace, "source": str(self.source)}
        return {"expected": self.expected, "called": self.called, "count": self.count, "example": example}

    def __str__(self) -> str:
        return f"{self.called or 'nothing'} called where {self.expected or 'nothing'} was expected"


class ToolScore(msgspec.Struct, frozen=True):
    """One tool against the cases: how often it was expected, called, and both.

    `calls` counts judged calls: reads that a case lets pass beside the expected calls are in no count. `strayed` counts
    the traces that called it where it was not expected, `missing` its expected calls in cases that no trace met.
    Undefined figures (0 of 0) are None.
    """

    tool: str
    expected: int
    calls: int
    right: int
    strayed: int = 0
    missing: int = 0

    @property
    def recall(self) -> Rate:
        """Of the expected calls, those that were made."""
        return Rate(self.right, self.expected)

    @property
    def precision(self) -> Rate:
        """Of the calls made, those that were expected."""
        return Rate(self.right, self.calls)

    @property
    def n(self) -> int:
        """How many calls F1 is about: expected or made, those that are both counted once."""
        return self.expected + self.calls - self.right

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, 2 * right / (expected + calls)."""
        both = self.expected + self.calls
        return 2 * self.right / both if both else None

    @property
    def f1_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of F1.

        F1 = 2J / (1 + J), where J is the share of right calls in all that were expected or made. J is a plain share,
        so it has a Wilson interval, and F1 grows with it, so the ends of that interval give those of F1.
        """
        ends = wilson(self.right, self.n)
        return None if ends is None else (_f1_of(ends[0]), _f1_of(ends[1]))

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {
            "tool": self.tool,
            "f1": self.f1,
            "f1_interval": list(self.f1_interval) if self.f1_interval else None,
            "precision": self.precision.share,
            "precision_interval": list(self.precision.interval) if self.precision.interval else None,
            "recall": self.recall.share,
            "recall_interval": list(self.recall.interval) if self.recall.interval else None,
            "expected": self.expected,
            "calls": self.calls,
            "right": self.right,
            "strayed_traces": self.strayed,
            "missing": self.missing,
        }


def _f1_of(share: float) -> float:
    return 2 * share / (1 + share)


class Mean(msgspec.Struct, frozen=True):
    """A mean and how much entered it; None without anything."""

    value: float | None
    n: int


class Means(msgspec.Struct, frozen=True):
    """Means over tools. `n` is tools for `macro` and `weighted`, calls for `micro`."""

    precision: Mean
    recall: Mean
    f1: Mean


def figure(value: float | None) -> str:
    """A share with two digits. What is not quite 1 never reads as 1.00, what is not quite 0 never as 0.00."""
    if value is None:
        return "n/a"
    text = f"{value:.2f}"
    return "0.99" if text == "1.00" and value < 1 else "0.01" if text == "0.00" and value > 0 else text


def count(n: int, noun: str) -> str:
    """A number with its noun, in the plural where it is not 1."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
