"""Arguments against a case: value equality and matchers, with a reason per argument.

Schema faults are separate checks; here only the value counts. Declared schema defaults are filled in on both sides. An
argument the gold does not mention is not judged, except `null`, which fails unless null is its declared default, and
except where the gold wants no other arguments (`arguments: {}`, `extra_arguments: forbid`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Attempt, Check, Rule, Status, call_fields, emits
from rootcall.config import Config
from rootcall.evidence.argument_class import argument_classes
from rootcall.evidence.schema import compile_schema
from rootcall.jsonvalue import MISSING, OBJECTS, PLAIN, equal
from rootcall.matching import Comparison, Context, describe
from rootcall.pairing import Pair, compare_argument, defaults_of, pair
from rootcall.trace import Call, Tool, Trace, per_record

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
def value_mismatch(trace: Trace, case: Case | None, config: Config) -> list[Check]:
    """Compare the attempts of every paired intent with the expected call; undecided matchers give unscored checks."""
    found: list[Check] = []
    paired = pair(trace, case) if case is not None else None
    if case is None or paired is None:
        return found
    for p in paired.pairs:
        if p.expected.arguments is MISSING:
            continue
        attempts = p.intent.attempts
        last = len(attempts) - 1
        for n, call in enumerate(attempts):
            attempt: Attempt = "only" if last == 0 else "first" if n == 0 else "final" if n == last else "retry"
            if call.arguments is None:
                found.append(_unreadable(trace, p, call, attempt))
            else:
                found += _compared(Context(trace, call, config.dates), case, p, call, call.arguments, attempt)
    return found


def _unreadable(trace: Trace, p: Pair, call: Call, attempt: Attempt) -> Check:
    status: Status = "unscored" if call.state == "not_captured" else "fail"
    return Check(layer="arguments", rule="arguments/value-mismatch", status=status, unit=f"argument:{p.intent.id}", expected=p.expected.arguments,
                 got=call.raw if call.raw is not None else MISSING, message=call.problem or "no arguments could be read", attempt=attempt,
                 **call_fields(trace, call))  # fmt: skip


def _compared(
    context: Context, case: Case, p: Pair, call: Call, arguments: Mapping[str, Any], attempt: Attempt
) -> list[Check]:
    trace, gold = context.trace, p.expected.arguments
    tool = trace.tool(call.tool)
    defaults, declared = (defaults_of(tool), _declared(tool)) if tool else ({}, {})
    class_of, unit, of_pair, at = (
        argument_classes(trace, call), f"argument:{p.intent.id}.", f"{case.id}/{p.index}/", f"{call.at}.arguments.",
    )  # fmt: skip
    checks = []
    for name in {**defaults, **gold, **arguments}:
        if name not in gold and not _judged(p, name, arguments, defaults):
            continue
        default = defaults.get(name, MISSING)
        expected, sent = gold.get(name, default), arguments.get(name, default)
        if type(expected) is type(sent) and type(expected) in PLAIN and expected == sent:
            status: Status = "pass"
            message = f"{describe(sent)} is what the case expects"
        else:
            found = _comparison(gold, arguments, name, defaults, context, declared.get(name), tool)
            status = _STATUSES[found.result]
            message = found.reason if status != "pass" else f"{describe(sent)} is what the case expects"
        checks.append(Check(
            layer="arguments", rule="arguments/value-mismatch", status=status, unit=unit + name, argument=name,
            argument_class=class_of(name), expected=expected, got=sent, pair=of_pair + name, message=message,
            question="argument-meant" if status == "unscored" else None,
            tool=call.tool, agent=call.agent, at=at + name, source=call.source, attempt=attempt,
        ))  # fmt: skip
    return checks


def _comparison(
    gold: Mapping[str, Any],
    arguments: Mapping[str, Any],
    name: str,
    defaults: Mapping[str, Any],
    context: Context,
    schema: object,
    tool: Tool | None,
) -> Comparison:
    found = compare_argument(gold, arguments, name, defaults, context, schema)
    if found.result != "mismatch":
        return found
    default = defaults.get(name, MISSING)
    if _same_instant(schema, gold.get(name, default), arguments.get(name, default)):
        return Comparison("match")
    if context.call is not None and _only_the_server_knew(tool, context.call, name):
        return Comparison("undecided", f"{found.reason}; only the error body states the rule, so the next move decides")
    return found


_STATUSES: Final[Mapping[str, Status]] = {"match": "pass", "mismatch": "fail", "undecided": "unscored"}


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


@per_record
def _declared(tool: Tool) -> Mapping[str, Any]:
    """The schemas a tool declares for its top-level arguments."""
    schema = tool.schema
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


def _judged(p: Pair, name: str, sent: Mapping[str, Any], defaults: Mapping[str, Any]) -> bool:
    """Whether an argument that the gold does not mention is judged all the same."""
    if name not in sent:
        return False
    if not p.expected.arguments or p.expected.extra_arguments == "forbid":
        return not equal(sent[name], defaults.get(name, MISSING))
    return sent[name] is None and not (name in defaults and defaults[name] is None)
