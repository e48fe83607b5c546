"""Arguments against a case: value equality and matchers, with a reason per argument.

Schema faults are separate checks; here only the value counts. Declared schema defaults are filled in on both sides. An
argument the gold does not mention is not judged, except `null`, which fails unless null is its declared default, and
except where the gold wants no other arguments (`arguments: {}`, `extra_arguments: forbid`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Rule, call_fields, emits
from rootcall.config import Config
from rootcall.evidence.argument_class import argument_class
from rootcall.evidence.schema import compile_schema
from rootcall.jsonvalue import MISSING, OBJECTS, equal
from rootcall.matching import Comparison, Context, describe
from rootcall.pairing import Pair, compare_argument, defaults_of, pair
from rootcall.trace import Call, Tool, Trace

__all__ = ["value_mismatch"]


@emits(
    Rule(
        name="arguments/value-mismatch",
        looks_at="Each expected argument of a paired call: JSON-typed equality, or the matcher the case names.",
        why="A schema cannot know that the user said Busan. `true` is not 1, `null` is not absent, 1 is 1.0, key order is nothing.",
        fails='expected {"city": "Busan"}, got {"city": "Pusan"}',
        passes='expected {"n": 1}, got {"n": 1.0}',
    )
)
def value_mismatch(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Compare the attempts of every paired intent with the expected call; undecided matchers give unscored checks."""
    paired = pair(trace, case) if case is not None else None
    if case is None or paired is None:
        return
    for p in paired.pairs:
        if p.expected.arguments is MISSING:
            continue
        attempts = p.intent.attempts
        for n, call in enumerate(attempts):
            attempt = (
                "only" if len(attempts) == 1 else "first" if n == 0 else "final" if n == len(attempts) - 1 else "retry"
            )
            yield from _compared(trace, case, p, call, attempt)


def _compared(trace: Trace, case: Case, p: Pair, call: Call, attempt: Any) -> Iterator[Check]:
    if call.arguments is None:
        status: Any = "unscored" if call.state == "not_captured" else "fail"
        yield Check(layer="arguments", rule="arguments/value-mismatch", status=status, unit=f"argument:{p.intent.id}", expected=p.expected.arguments,
                    got=call.raw if call.raw is not None else MISSING, message=call.problem or "no arguments could be read", attempt=attempt,
                    **call_fields(trace, call))  # fmt: skip
        return
    tool = trace.tool(call.tool)
    defaults = defaults_of(tool) if tool else {}
    gold, context, declared = p.expected.arguments, Context(trace, call), _declared(tool)
    for name in {**defaults, **gold, **call.arguments}:
        if not _judged(p, name, call.arguments, defaults):
            continue
        default, schema = defaults.get(name, MISSING), declared.get(name)
        expected, sent = gold.get(name, default), call.arguments.get(name, default)
        found = compare_argument(gold, call.arguments, name, defaults, context, schema)
        if found.result == "mismatch" and _same_instant(schema, expected, sent):
            found = Comparison("match")
        if found.result == "mismatch" and _only_the_server_knew(tool, call, name):
            found = Comparison(
                "undecided", f"{found.reason}; only the error body states the rule, so the next move decides"
            )
        status = _STATUSES[found.result]
        yield Check(
            layer="arguments", rule="arguments/value-mismatch", status=status, unit=f"argument:{p.intent.id}.{name}", argument=name,
            argument_class=argument_class(trace, call, name), expected=expected, got=sent, pair=f"{case.id}/{p.index}/{name}",
            message=found.reason if found.result != "match" else f"{describe(sent)} is what the case expects",
            question="argument-meant" if found.result == "undecided" else None,
            tool=call.tool, agent=call.agent, at=f"{call.at}.arguments.{name}", source=call.source, attempt=attempt,
        )  # fmt: skip


_STATUSES: Final = {"match": "pass", "mismatch": "fail", "undecided": "unscored"}


def _only_the_server_knew(tool: Tool | None, call: Call, name: str) -> bool:
    """Whether the server rejected this very argument by a rule that the schema does not state.

    Such a call is blameless, against gold too. Tool words and conversation are other rules' work; if they rule the value
    out, theirs is the failing check.
    """
    error = call.error
    if (
        error is None
        or error.retryable is True
        or error.kind not in ("validation", "other")
        or name not in error.fields
    ):
        return False
    stated = compile_schema(tool.schema).faults(call.arguments or {}) if tool is not None and tool.schema else ()
    return not any(f.path[:1] == (name,) for f in stated or ())


def _same_instant(schema: object, expected: object, sent: object) -> bool:
    """Where the schema says `format: date-time`, two stamps with offsets are one value when they are one instant."""
    if not isinstance(schema, OBJECTS) or schema.get("format") != "date-time":
        return False
    a, b = _instant(expected), _instant(sent)
    return a is not None and a == b


def _declared(tool: Tool | None) -> Mapping[str, Any]:
    """The schemas a tool declares for its top-level arguments."""
    schema = tool.schema if tool is not None else None
    properties = schema.get("properties") if isinstance(schema, OBJECTS) else None
    return properties if isinstance(properties, OBJECTS) else {}


def _instant(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        stamp = datetime.fromisoformat(value)
    except ValueError:
        return None
    return stamp if stamp.tzinfo is not None else None


def _judged(p: Pair, name: str, sent: Any, defaults: dict[str, Any]) -> bool:
    if name in p.expected.arguments:
        return True
    if name not in sent:
        return False
    if not p.expected.arguments or p.expected.extra_arguments == "forbid":
        return not equal(sent[name], defaults.get(name, MISSING))
    return sent[name] is None and not (name in defaults and defaults[name] is None)
