"""The check, atom of everything, and the catalogue of rules.

A check is one thing looked at, in one layer, with its status, its place and the evidence. Scores, regressions, the
report and the gate are functions of checks, so a number and the sentence beside it cannot disagree.

A rule is a plain function `(Trace, Case | None, Config) -> Iterable[Check]` that says with `@emits` which rules it can
name. Ours have no privilege over a user's (entry point group `rootcall.rules`). Each rule documents itself; that text
is what `rootcall explain` prints and what the reference page is made of.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeVar

import msgspec

from rootcall.jsonvalue import MISSING
from rootcall.trace import Call, Source, Trace

__all__ = [
    "NO_CALL",
    "ArgumentClass",
    "Attempt",
    "Check",
    "Grade",
    "Layer",
    "Rule",
    "Status",
    "call_place",
    "catalogue",
    "emits",
    "emitted",
    "message_index",
]

Layer = Literal["selection", "arguments", "utilization", "recovery", "trajectory"]
Status = Literal["pass", "fail", "unscored"]
Grade = Literal["proof", "likely", "hint"]
"""How sure a finding is. `proof` and `likely` fail a trace; a `hint` is shown and never does."""

Attempt = Literal["only", "first", "retry", "final"]
ArgumentClass = Literal[
    "date-relative", "date-absolute", "time", "id-from-user", "id-from-result", "enum", "number", "money", "quantity",
    "boolean", "name", "text", "list", "object",
]  # fmt: skip
"""What kind of value was wanted; set before judging, so it is the same on passes and failures."""

NO_CALL: Final = "no-call"
"""The last part of the `pair` of what is found in a case in which no call is right (the no-call bucket)."""


class Check(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing looked at.

    `unit` is the call, argument, claim or episode the check is about; all its checks share it. `at` is the path in the
    raw messages, `source` the file and line. `expected` and `got` are JSON values, left out when there is none.
    `pair` (case / expected call / argument, or case / `no-call`) is how two runs are compared; `question` names the rubric that could decide
    an unscored check. `causes` names units this one follows from, where the rule itself knows (a claim that reads the
    result of a call names that call). `span` is where the value of an answer stands, in characters of the text of the
    message at `at`; `fact` is the path in the payload of the call of `causes` that it is held against. Both are left out
    of JSON where there is none.
    """

    layer: Layer
    rule: str
    status: Status
    unit: str
    at: str
    message: str = ""
    grade: Grade = "proof"
    tool: str | None = None
    expected_tool: str | None = None
    argument: str | None = None
    argument_class: ArgumentClass | None = None
    error_code: str | None = None
    attempt: Attempt = "only"
    agent: str | None = None
    pair: str | None = None
    source: Source | None = None
    expected: Any = MISSING
    got: Any = MISSING
    question: str | None = None
    causes: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
    fact: str | None = None

    @property
    def fails(self) -> bool:
        """Tell whether this check makes its unit fail: a hint never does."""
        return self.status == "fail" and self.grade != "hint"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """The documentation of a rule: what it looks at, why it matters, an example that fails, one that passes.

    `options` maps an option's name to `(default, what it does)`.
    """

    name: str
    looks_at: str
    why: str
    fails: str
    passes: str
    grade: Grade = "proof"
    options: Mapping[str, tuple[Any, str]] = {}

    @property
    def layer(self) -> str:
        """The layer the rule belongs to."""
        return self.name.partition("/")[0]


RuleFunction = Callable[..., Iterable[Check]]
F = TypeVar("F", bound=RuleFunction)


def emits(*rules: Rule | str) -> Callable[[F], F]:
    """Say which rules a function can name; they become part of the catalogue.

    A rule that another function documents is given by its name. A function none of whose rules is on is not called.
    """

    def mark(function: F) -> F:
        function.rules = tuple(r for r in rules if isinstance(r, Rule))  # type: ignore[attr-defined]
        function.emits = frozenset(r if isinstance(r, str) else r.name for r in rules)  # type: ignore[attr-defined]
        return function

    return mark


def emitted(function: RuleFunction) -> frozenset[str] | None:
    """The names of the rules a function can name, None when it does not say."""
    return getattr(function, "emits", None)


def catalogue(functions: Iterable[RuleFunction]) -> dict[str, Rule]:
    """Return all rules that functions can name, by name, in order of layer and name."""
    found: dict[str, Rule] = {}
    for function in functions:
        for rule in getattr(function, "rules", ()):
            found.setdefault(rule.name, rule)
    order = ("selection", "arguments", "utilization", "recovery", "trajectory")
    return dict(sorted(found.items(), key=lambda kv: (order.index(kv[1].layer) if kv[1].layer in order else 9, kv[0])))


_MESSAGE = re.compile(r"messages\[(-?\d+)\](?:\.calls\[(\d+)\])?")


@functools.lru_cache(maxsize=4096)  # the same few places are asked about for every trace
def message_index(at: str) -> int:
    """Return the index of the message a path points into; -1 when it points into none."""
    found = _MESSAGE.match(at)
    return int(found.group(1)) if found else -1


@functools.lru_cache(maxsize=4096)
def call_place(at: str) -> str | None:
    """Return the path of the call that a path points into, or None."""
    found = _MESSAGE.match(at)
    return found.group(0) if found and found.group(2) is not None else None


def call_fields(trace: Trace, call: Call) -> dict[str, Any]:
    """The fields a check about a call always carries: tool, agent, place and source."""
    return {"tool": call.tool, "agent": call.agent, "at": call.at, "source": source_of(trace, call)}


def source_of(trace: Trace, call: Call | None = None) -> Source:
    """File, line and pointer of a call, else of the trace."""
    return trace.source if call is None else call.source
