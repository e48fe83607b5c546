"""Where BFCL's verdict and ours part, over a run: counts, and the first traces of each kind."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rootcall.bfcl import Result, check, from_bfcl, judged
from rootcall.case import Cases
from rootcall.diagnosis import Verdict
from rootcall.trace import Trace

__all__ = ["KINDS", "Beside", "Parting"]

KINDS: Final = ("both pass", "both fail", "only BFCL fails", "only rootcall fails")
_KEPT: Final = 5


class Parting(msgspec.Struct, frozen=True):
    """One trace on which the two verdicts were compared."""

    trace: str
    bfcl: Result
    rootcall: Result

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        if self.bfcl.valid == self.rootcall.valid:
            return KINDS[0] if self.bfcl.valid else KINDS[1]
        return KINDS[3] if self.bfcl.valid else KINDS[2]


class Beside:
    """Both verdicts on each trace of a run. `counts` counts all kinds, `first` keeps the first five traces of each.

    Traces without a case, or whose case is not BFCL's, are counted in `without` and left out.
    """

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._by_id = {c.id: c for c in cases}
        self.counts: dict[str, int] = dict.fromkeys(KINDS, 0)
        self.first: dict[str, list[Parting]] = {kind: [] for kind in KINDS}
        self.without = 0

    def look(self, trace: Trace, verdict: Verdict) -> dict[str, Any] | None:
        """Compare the two verdicts on a trace; return BFCL's as a JSON object, None where it has none."""
        # A gold that a right run would fail has no part in our verdict, and decides BFCL's all the same.
        case = self._by_id[verdict.case] if verdict.case is not None else self._cases.find(trace)[0]
        if case is None or from_bfcl(case) is None:
            self.without += 1
            return None
        found = Parting(trace.id, check(case, trace), judged(verdict))
        self.counts[found.kind] += 1
        if len(self.first[found.kind]) < _KEPT:
            self.first[found.kind].append(found)
        return found.bfcl.to_dict()
