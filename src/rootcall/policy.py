"""A policy: what a project says about its tools, which no schema can say and no rule can guess.

Which tool must come before another, which call needs the user's consent, how often a tool may be called and beside
what, and which earlier result an argument is bound by. This module holds the records and reads the paths in them. What
may stand in a file is `rootcall.policyfile`'s, whether a condition holds at a call `rootcall.conditions`'; the findings
are those of the layers selection and arguments.

A path names values: `payment_id` is an argument of the call, `get_user_details.payment_methods[*].id` what an earlier
result holds. After the name of a result, `[n]` picks the n-th from 0, `[-1]` the latest and `[*]` all of them; without
an index it is the latest. Further on, `[*]` reaches every member of a list or an object, `[available=true]` those
members whose field has that value.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from rootcall.check import Grade
from rootcall.errors import PolicyError
from rootcall.evidence.effects import destructive, read_only
from rootcall.trace import Source, Trace, per_trace

if TYPE_CHECKING:
    from rootcall.case import Case
    from rootcall.config import Config

__all__ = [
    "EVERY",
    "Earlier",
    "Place",
    "Policy",
    "PolicyRule",
    "Where",
    "load_policy",
    "named_in",
    "place_named",
    "policies",
]


_MOST_FAULTS: Final = 20


class Earlier(msgspec.Struct, frozen=True):
    """Earlier results under a name: those of some tools, of which `same` tells the ones that are about this call.

    `same` maps a path in the result, else an argument of the call that brought it, to a path at the call that is
    judged; the values at both must meet. Under `other` none of them may. `sent` says what that earlier call must have
    sent: arguments and their tests.
    """

    tools: tuple[str, ...]
    same: Mapping[str, str] = {}
    other: Mapping[str, str] = {}
    sent: Mapping[str, Any] = {}


class PolicyRule(msgspec.Struct, frozen=True):
    """One entry of a policy: what it says about its tools, where `when` holds.

    `tools` are names in which `*` stands for any part; `effect` in their place means all tools that destroy, or write.
    `requires` lists what must have come back well before, each as its alternatives; None: not said. `confirm` True asks for the
    user's yes, `"request"` is content with a request, False asks for none; None: not said. `at_most` counts the calls
    of all its tools that were not refused, `per` value of that argument where one is named, which holds for `requires`
    and `never_with` too. `bound` is a condition that must hold at every call. `grade` None: that of the rule.
    """

    tools: tuple[str, ...] = ()
    effect: Literal["destructive", "write"] | None = None
    when: Mapping[str, Any] = {}
    requires: tuple[tuple[str, ...], ...] | None = None
    confirm: bool | Literal["request"] | None = None
    at_most: int | None = None
    never_with: tuple[str, ...] = ()
    per: str | None = None
    bound: Mapping[str, Any] = {}
    grade: Grade | None = None
    says: str = ""
    source: Source = Source()

    def covers(self, trace: Trace, tool: str) -> bool:
        """Tell whether the rule is about a tool: by its name, or by what its hints, else its name and description say."""
        if self.effect is None:
            return named_in(self.tools, tool)
        offered = trace.tool(tool)
        return destructive(offered, tool) if self.effect == "destructive" else not read_only(offered, tool)

    @property
    def cited(self) -> str:
        """The file, without its folders, and the line or the place in it: what a message names."""
        line = "" if self.source.line is None else f":{self.source.line}"
        return f"{Path(self.source.file).name}{line}{' ' + self.source.pointer if self.source.pointer else ''}"

    def message(self, told: str, *, failed: bool) -> str:
        """What a check says: of a failure the policy's sentence first, then what was found, and always where it stands."""
        return f"{self.says} ({self.cited}): {told}" if failed and self.says else f"{told} ({self.cited})"


class Policy(msgspec.Struct, frozen=True):
    """The rules of a policy, and the names it gives to earlier results."""

    rules: tuple[PolicyRule, ...] = ()
    results: Mapping[str, Earlier] = {}

    def about(self, trace: Trace, tool: str) -> Sequence[PolicyRule]:
        """The rules that are about a tool of a trace, in the order of the file."""
        known = _asked(trace)
        key = id(self), tool
        if key not in known:
            known[key] = self, [rule for rule in self.rules if rule.covers(trace, tool)]
        return known[key][1]

    def tools(self) -> dict[str, Source]:
        """Every tool the policy names, with the first place that does."""
        found: dict[str, Source] = {}
        for rule in self.rules:
            for name in (*rule.tools, *(t for some in rule.requires or () for t in some), *rule.never_with):
                found.setdefault(name, rule.source)
        place = Source(self.rules[0].source.file) if self.rules else Source()
        for earlier in self.results.values():
            for name in earlier.tools:
                found.setdefault(name, place)
        return found

    @classmethod
    def from_dict(cls, data: object) -> Policy:
        """Build a policy from the object of a policy file: a list of rules, or `results` and `rules`.

        Raises:
            PolicyError: something in it cannot be meant; every fault on a line of its own, and after twenty how many more there are.
        """
        from rootcall.policyfile import read_policy

        policy, faults = read_policy(data)
        if faults:
            raise _refused(faults)
        return policy


@per_trace
def _asked(trace: Trace) -> dict[tuple[int, str], tuple[Policy, Sequence[PolicyRule]]]:
    """What was asked about the trace at hand, with the policy, so that no other one gets its identity meanwhile."""
    return {}


@functools.lru_cache(maxsize=4096)
def named_in(names: tuple[str, ...], tool: str) -> bool:
    """Tell whether one of some names means a tool; `*` in them stands for any part of its name."""
    return any(n == tool or ("*" in n and _pattern(n).fullmatch(tool) is not None) for n in names)


@functools.lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, name.split("*"))))


def load_policy(path: Path | str) -> Policy:
    """Read a policy file, YAML or JSON.

    Raises:
        PolicyError: the file cannot be read, or something in it cannot be meant. The faults are named at once, the first
            twenty each with file and line.
    """
    from rootcall.policyfile import read_policy_file

    policy, faults = read_policy_file(Path(path))
    if faults:
        raise _refused(faults)
    return policy


def _refused(faults: Sequence[str]) -> PolicyError:
    more = [f"and {len(faults) - _MOST_FAULTS:,} more faults in the policy"] if len(faults) > _MOST_FAULTS else []
    return PolicyError("\n".join([*faults[:_MOST_FAULTS], *more]))


def policies(case: Case | None, config: Config) -> tuple[Policy, ...]:
    """The policies a trace is judged by: that of the configuration, then those of its case.

    Raises:
        PolicyError: the configuration names a file that is no policy.
    """
    own: tuple[Policy, ...] = case.policies if case is not None else ()
    if config.policy is None:
        return own
    general = config.policy if isinstance(config.policy, Policy) else _loaded(str(config.policy))
    return (general, *own)


@functools.lru_cache(maxsize=8)  # a configuration names its file for every trace
def _loaded(path: str) -> Policy:
    return load_policy(path)


# ---- paths -------------------------------------------------------------------------------------------------------


class Where(NamedTuple):
    """A step to those members whose field has a value."""

    key: str
    value: Any


EVERY: Final = "*"
"""The step to all members. A key is a tuple of one text, so that a key called `*` is another thing."""


class Place(NamedTuple):
    """A path that was read: the name it begins with, and its steps: a key `(text,)`, an index, `EVERY` or a `Where`."""

    root: str
    steps: tuple[tuple[str] | int | str | Where, ...]


_ROOT: Final = re.compile(r"[^\W\d][\w-]*")
_STEP: Final = re.compile(
    r"\.(?P<key>[^.\[\]\"=]+)|\[(?P<every>\*)\]|\[(?P<index>-?\d{1,6})\]|\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]"
    r"|\[(?P<field>[\w-]+)=(?P<value>[^\[\]]*)\]"
)


@functools.lru_cache(maxsize=4096)
def place_named(text: str) -> Place | None:
    """Read a path; None when it is not written as one.

    Example: `place_named("order.items[*].item_id")` is `Place("order", (("items",), EVERY, ("item_id",)))`.
    """
    root = _ROOT.match(text)
    if root is None:
        return None
    at, steps = root.end(), list[Any]()
    while at < len(text):
        m = _STEP.match(text, at)
        if m is None:
            return None
        at = m.end()
        if m["every"]:
            steps.append(EVERY)
        elif m["index"] is not None:
            steps.append(int(m["index"]))
        elif m["field"] is not None:
            steps.append(Where(m["field"], _scalar(m["value"])))
        else:
            steps.append((m["key"] if m["key"] is not None else re.sub(r"\\(.)", r"\1", m["quoted"]),))
    return Place(root.group(), tuple(steps))


def _scalar(text: str) -> Any:
    """The value of a filter: JSON's `true`, `3` and `"a"`, else the text as it stands."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict | list) else value
