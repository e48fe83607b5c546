"""A task and what a right run looks like: expected calls, facts the answer must hold, tags, reference time.

An object with exactly one key that starts with `$` is a matcher; `{"$literal": x}` is x. This module holds the records
and says which case a trace meets. What may stand in a case file, and reading one, is `rootcall.casefile`'s; comparing
values with the gold is `rootcall.matching`'s and `rootcall.pairing`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from rootcall.errors import CaseError
from rootcall.jsonvalue import MISSING, OBJECTS
from rootcall.policy import Policy
from rootcall.trace import Problem, Source, Tool, Trace

__all__ = ["Case", "Cases", "ExpectedCall", "load_cases", "matcher", "place_of"]

Order = Literal["any", "in_order", "strict"]
Extra = Literal["reads", "allow", "forbid"]


class ExpectedCall(msgspec.Struct, frozen=True, gc=False):
    """A call a right run makes. `arguments` MISSING: not judged; `{}`: none are sent."""

    tool: str
    arguments: Any = MISSING
    optional: bool = False
    extra_arguments: Literal["allow", "forbid"] = "allow"


class Case(msgspec.Struct, frozen=True, gc=False):
    """What is expected of a trace.

    `calls` None: not judged; `"some"`: any call; `()`: the no-call bucket. `tools` None: those of the trace.
    `goal` is kept as it stands: no rule reads it yet, so it is nothing to judge by. `policies` hold for its traces
    beside that of the configuration: its own, and what its file says for all its cases.
    """

    id: str = "case"
    input: str | None = None
    reference_time: str | None = None
    tags: tuple[str, ...] = ()
    tools: tuple[Tool, ...] | None = None
    must_pass: bool = False
    calls: tuple[ExpectedCall, ...] | Literal["some"] | None = None
    alternatives: tuple[tuple[ExpectedCall, ...], ...] = ()
    order: Order = "any"
    extra: Extra = "reads"
    forbid: tuple[str, ...] = ()
    errors: Mapping[str, Mapping[str, Any]] = {}
    answer: tuple[Any, ...] = ()
    goal: Any = None
    metadata: Mapping[str, Any] = {}
    policies: tuple[Policy, ...] = ()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | msgspec.Raw, *, id: str = "case") -> Case:  # noqa: A002 -- the field's own name
        """Build a case from the object of a case file, or from the JSON text of one as `msgspec.Raw`, which is faster.

        Raises:
            CaseError: something in it cannot be meant; every fault on a line of its own, what was wanted and what came.
        """
        import rootcall.casefile  # by its module: that is much faster from the second time on

        case, faults = rootcall.casefile.read_case(data, name=id)
        if case is None:
            raise CaseError("\n".join(faults))
        return case

    @property
    def options(self) -> tuple[tuple[ExpectedCall, ...], ...]:
        """The lists of calls a right run may make; none where calls are not judged by a list."""
        own = () if self.calls is None or self.calls == "some" else (self.calls,)
        return (*own, *self.alternatives)

    def fill(self, trace: Trace) -> Trace:
        """Return the trace with what only the case knows: its tools and reference time, where the trace says none."""
        if self.tools is not None and trace.tools_known == "unknown":
            trace = trace.with_tools(self.tools)
        if self.reference_time is not None and trace.metadata.get("reference_time") is None:
            metadata = {**trace.metadata, "reference_time": self.reference_time}
            trace = msgspec.structs.replace(trace, metadata=metadata)
        return trace


def matcher(value: object) -> tuple[str, Any] | None:
    """Return `(name, operand)` when a value is a matcher: an object with exactly one key that starts with `$`."""
    if isinstance(value, OBJECTS) and len(value) == 1:
        key, operand = next(iter(value.items()))
        if isinstance(key, str) and key.startswith("$"):
            return key, operand
    return None


_PLACE: Final = re.compile(
    r"(?P<tool>[^\[\]]+)\[(?P<n>\d{1,6})\](?P<path>(?:\.?[^.\[\]\"]+|\[\d+\]|\[\"(?:[^\"\\]|\\.)*\"\])*)\Z"
)
_STEP: Final = re.compile(r"\.?(?P<key>[^.\[\]\"]+)|\[(?P<index>\d+)\]|\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]")


def place_of(text: object) -> tuple[str, int, tuple[str | int, ...]] | None:
    """Read `tool[n].path`, the place of an earlier result, as (tool, n, steps); None when it is not written so.

    Example: `place_of("search[0].flights[1].price")` is `("search", 0, ("flights", 1, "price"))`.
    """
    found = _PLACE.match(text) if isinstance(text, str) else None
    if found is None:
        return None
    steps: list[str | int] = []
    for m in _STEP.finditer(found["path"]):
        if m["index"] is not None:
            steps.append(int(m["index"]))
        else:
            steps.append(m["key"] if m["key"] is not None else re.sub(r"\\(.)", r"\1", m["quoted"]))
    return found["tool"], int(found["n"]), tuple(steps)


class Cases:
    """The cases of a suite, and which of them a trace meets. `places` says where each stands, by its id.

    Raises:
        CaseError: two cases have the same id.
    """

    def __init__(
        self, cases: Iterable[Case], *, source: str = "<memory>", places: Mapping[str, Source] | None = None
    ) -> None:
        self._source = Source(source)
        self._places = dict(places or {})
        self._by_id: dict[str, Case] = {}
        self._by_input: dict[str, list[Case]] = {}
        self._met: set[str] = set()
        for case in cases:
            if case.id in self._by_id:
                raise CaseError(f"{source}: two cases are called {case.id!r}; ids must be unique")
            self._by_id[case.id] = case
            if case.input is not None:
                self._by_input.setdefault(" ".join(case.input.split()), []).append(case)

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Case]:
        return iter(self._by_id.values())

    def source_of(self, case: Case) -> Source:
        """Where a case stands: its file and line, as far as known."""
        return self._places.get(case.id, self._source)

    def find(self, trace: Trace) -> tuple[Case | None, Problem | None]:
        """Return the case a trace meets, or None and the problem that says why there is none.

        A `case_id` in the metadata decides alone, also when no case has it. Without one, the first user message must
        be the input of exactly one case, white space aside.
        """
        named = trace.metadata.get("case_id")
        if named is not None:
            case = self._by_id.get(str(named))
            if case is None:
                return None, Problem(
                    "case-unknown", f"trace {trace.id!r} names case {named!r}, there is none", trace.source
                )
            self._met.add(case.id)
            return case, None
        said = next((m.text for m in trace.messages if m.role == "user"), None)
        found = self._by_input.get(" ".join((said or "").split()), []) if said else []
        if len(found) > 1:
            ids = ", ".join(c.id for c in found)
            return None, Problem("case-ambiguous", f"trace {trace.id!r} meets {len(found)} cases: {ids}", trace.source)
        if not found:
            return None, Problem("case-none", f"trace {trace.id!r} meets no case", trace.source)
        self._met.add(found[0].id)
        return found[0], None

    def unmet(self) -> list[Case]:
        """The cases that no trace has met so far."""
        return [case for case in self if case.id not in self._met]

    def unused(self) -> list[Problem]:
        """A problem for every case that no trace has met so far."""
        return [Problem("case-unused", f"case {c.id!r} was met by no trace", self.source_of(c)) for c in self.unmet()]


def load_cases(path: Path | str) -> Cases:
    """Read a case file: JSONL (one case a line), JSON (one case, or a list) or YAML (the same, several documents too).

    Raises:
        CaseError: the file cannot be read, or a case in it cannot be meant. All faults of the file are named at once,
            each with file and line.
    """
    from rootcall.casefile import read_case_file

    found, faults = read_case_file(Path(path))
    if faults:
        raise CaseError("\n".join(faults))
    return Cases([case for case, _ in found], source=str(path), places={case.id: place for case, place in found})
