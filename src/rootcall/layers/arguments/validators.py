"""Do the tool's own validators take the arguments? What they reject beyond the schema becomes a check.

The validator comes with the tool (`Tool.validator`); `rootcall.toolcode` makes one of a Pydantic model. Here its
rejections get the names of this layer, without those whose place the schema's rules have spoken about already.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.evidence.schema import path_text, type_fault
from rootcall.jsonvalue import MISSING
from rootcall.layers.arguments.common import Sent, sent
from rootcall.layers.arguments.keywords import keywords
from rootcall.trace import Rejection, Trace

__all__ = ["validators"]

_OTHERS = frozenset(rule.name.partition("/")[2] for rule in keywords.rules)  # type: ignore[attr-defined]

_LONGEST = 300


@emits(
    Rule(
        name="arguments/validator",
        looks_at="The arguments against the tool's own validators: those of a Pydantic model given as the tool, or "
        "`Tool.validator`. A rejection that another rule names (a missing key, a bound, a pattern) is reported under that "
        "rule. What the schema's rules said about the same place is not said again. Unscored where a validator itself fails.",
        why="Rules that JSON Schema cannot say (an end after its start, a checksum, one of two keys) stand in the code of "
        "the tool, which would refuse the call.",
        fails='start: "2026-12-04", end: "2026-12-01"   the model\'s validator: end must not be before start',
        passes='start: "2026-12-01", end: "2026-12-04"',
    ),
)
def validators(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge each attempt by the validator of its tool, where the tool has one."""
    for s in sent(trace):
        if s.call.arguments is not None and s.tool is not None and s.tool.validator is not MISSING:
            yield from _judged(s)


def _judged(s: Sent) -> Iterator[Check]:
    assert s.tool is not None
    try:
        # A copy: what a validator does to it stays there.
        rejections: Sequence[Rejection] = tuple(s.tool.validator(copy.deepcopy(dict(s.arguments))))
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- the user's own code may raise anything
        said = f"{type(error).__name__}: {error}".splitlines()[0][:_LONGEST]
        yield s.check("validator", "unscored", f"the validator of {s.tool.name} raised {said}")
        return
    if not rejections:
        for top in s.arguments:
            yield s.check("validator", "pass", f"the validator of {s.tool.name} takes {top}", top=top)
        return
    faults = s.schema.faults(s.arguments) if s.schema is not None else None
    spoken = {f.path for f in faults or ()}
    seen: set[tuple[str, tuple[str | int, ...]]] = set()
    for r in rejections:
        if (r.rule, r.path) not in seen and not _is_said(r.path, spoken):
            seen.add((r.rule, r.path))
            yield _rejected(s, r)


def _is_said(path: tuple[str | int, ...], spoken: set[tuple[str | int, ...]]) -> bool:
    """Whether the schema has spoken about the place or about what holds it."""
    return path in spoken or any(path[:n] in spoken for n in range(1, len(path)))


def _rejected(s: Sent, rejection: Rejection) -> Check:
    path = rejection.path
    rule = rejection.rule if rejection.rule in _OTHERS else "validator"
    if rule == "wrong-type" and isinstance(rejection.expected, str):
        rule = type_fault(path, [rejection.expected], rejection.got).rule
    where = path_text(path) or None
    said = " ".join(rejection.message.split())[:_LONGEST]
    return s.check(
        rule,
        "fail",
        f"{where or 'the arguments'}: {said} (the validator of {s.call.tool})",
        top=str(path[0]) if path else None,
        path=where,
        expected=rejection.expected,
        got=rejection.got,
    )
