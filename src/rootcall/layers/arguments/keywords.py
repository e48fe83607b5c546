"""Do the arguments fit the tool's JSON Schema? Each keyword is a rule of its own.

The faults come from `rootcall.evidence.schema`; here they become checks on the unit of their top-level argument. Where
no schema is known, or the tool's schema is broken, the argument is unscored by these rules, never passed and never failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Grade, Rule, emits
from rootcall.config import Config
from rootcall.evidence.schema import Fault, path_text
from rootcall.layers.arguments.common import Sent, sent
from rootcall.trace import Trace

__all__ = ["keywords"]


def _rule(name: str, looks_at: str, why: str, fails: str, passes: str, grade: Grade = "proof") -> Rule:
    return Rule(name=f"arguments/{name}", looks_at=looks_at, why=why, fails=fails, passes=passes, grade=grade)


@emits(
    _rule(
        "missing-required",
        "Arguments the schema requires, nested ones too (`where.age`), also by dependentRequired, or by then and else.",
        "The tool cannot run without them; a lenient server fills in a guess. Required is required even where a default is "
        "declared.",
        "get_metrics(window_minutes=240)   service is required",
        'get_metrics(service="mailer", window_minutes=240)',
    ),
    _rule(
        "wrong-type",
        "The JSON type of each value against `type`. Of a union (anyOf, oneOf), the branch that fits best is looked into.",
        "A list where a text is wanted, an object as JSON text: the tool reads something else than was meant.",
        'ids: "a, b"   an array is wanted',
        'ids: ["a", "b"]',
    ),
    _rule(
        "number-as-string",
        "Numeric text, or a number word, where a number or an integer is wanted.",
        "The commonest slip of type. Many servers coerce it, strict ones refuse, and some compare it as text.",
        'replicas: "12"',
        "replicas: 12",
    ),
    _rule(
        "boolean-as-string",
        "The words true, false, yes, no as text where a boolean is wanted.",
        'In most languages the text "false" counts as true.',
        'notify: "false"',
        "notify: false",
    ),
    _rule(
        "null-not-allowed",
        "`null` where the schema does not allow it. An argument left out is another thing than null.",
        "Null often erases a value that leaving the argument out would have kept. A hint only where null is the declared default.",
        "limit: null   for {type: integer}",
        "limit left out",
    ),
    _rule(
        "enum-unknown",
        "Values against `enum` and `const`.",
        "The tool has no such choice; a lenient server falls back to a default nobody asked for.",
        'units: "fahrenheit"   of metric, imperial',
        'units: "imperial"',
    ),
    _rule(
        "enum-case",
        "A value that differs from one choice of the `enum` only in case, spaces, hyphens or underscores.",
        "The meaning was right, the spelling was not; kept apart so that it can be weighed apart.",
        'cabin: "Business"   of economy, business',
        'cabin: "business"',
    ),
    _rule(
        "format",
        "`format` of texts: date, date-time, time, email, uuid, uri, ipv4 and the like; unknown formats are not judged.",
        "The schema said how to write it. A date-time without offset is `likely` only: many servers tolerate it.",
        'day: "2026-2-3"   a date is wanted',
        'day: "2026-02-03"',
    ),
    _rule(
        "range",
        "Numbers against minimum, maximum, their exclusive forms, and multipleOf.",
        "The bound was readable before the call.",
        "passengers: 12   at most 9",
        "passengers: 4",
    ),
    _rule(
        "pattern",
        "Texts against `pattern`; a pattern too expensive to try out is not judged.",
        "A value of another shape cannot be the identifier or code that is meant.",
        'offer_id: "2971"   ^OF-[0-9]{5}$ is wanted',
        'offer_id: "OF-02971"',
    ),
    _rule(
        "length",
        "Texts against minLength and maxLength.",
        "Text that is too long is cut or refused.",
        'code: "ABCDE"   at most 3 characters',
        'code: "ABC"',
    ),
    _rule(
        "items",
        "Lists against minItems, maxItems, uniqueItems, contains, and entries beyond those that prefixItems lists.",
        "The number and uniqueness of entries is part of what the tool promises to handle.",
        "tags: []   at least one",
        'tags: ["new"]',
    ),
    _rule(
        "unknown-argument",
        "Arguments the schema does not declare. A fault under `additionalProperties: false` or `unevaluatedProperties: false`, "
        "otherwise a hint.",
        "An invented option is dropped silently or refused, and what it was to do does not happen.",
        'search(query="x", sort_by="price")   sort_by is not declared',
        'search(query="x")',
    ),
    _rule(
        "schema",
        "Everything else a schema can say (oneOf, not, propertyNames and so on). Its pass means: all keywords hold. "
        "Unscored where the tool or its schema is not known.",
        "A schema is the contract of the tool.",
        'target: {"email": "a@b.c", "phone": "1"}   exactly one is wanted',
        'target: {"email": "a@b.c"}',
    ),
    _rule(
        "broken-schema",
        "The schema of the tool itself. Where it is no JSON Schema its calls are unscored by all rules about the schema; "
        "the report names each such schema once.",
        "A broken schema can neither pass nor fail a call, and providers refuse it or read something else into it. Types "
        "such as BFCL's `dict`, `required` as a text, a pattern that does not parse, a `$ref` that leads nowhere.",
        '{"type": "dict", "properties": {"n": {"type": "int"}}}   unscored, never failed',
        '{"type": "object", "properties": {"n": {"type": "integer"}}}',
    ),
)
def keywords(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge the arguments of each attempt against the schema of its tool."""
    for s in sent(trace):
        if s.call.arguments is not None:
            yield from _judged(s)


def _judged(s: Sent) -> Iterator[Check]:
    faults = s.schema.faults(s.arguments) if s.schema is not None else None
    if faults is None:
        yield from _undecided(s)
        return
    failed = {_top(f) for f in faults}
    for f in faults:
        owner = _top(f)
        where = path_text(f.path) or None
        yield s.check(
            f.rule, "fail", f.message, top=owner, path=where, grade=_grade(s, f), expected=f.expected, got=f.got
        )
    declared = _declared(s)
    for top in s.arguments:
        if top in failed:
            continue
        if declared and top not in declared:
            message = f"{top} is not among the declared arguments ({', '.join(list(declared)[:8])})"
            yield s.check("unknown-argument", "fail", message, top=top, grade="hint", got=s.arguments[top])
        yield s.check("schema", "pass", f"{top} fits the schema", top=top)


def _undecided(s: Sent) -> Iterator[Check]:
    if s.schema is not None and s.schema.problem is not None:
        # A call without arguments says so too: otherwise nothing would tell that its schema was not asked.
        for top in s.arguments or (None,):
            yield s.check("broken-schema", "unscored", s.schema.problem, top=top)
        return
    known = s.schema is not None
    reason = "the arguments cannot be checked against the schema" if known else "no schema of this tool is known"
    for top in s.arguments:
        yield s.check("schema", "unscored", reason, top=top)


def _top(fault: Fault) -> str | None:
    return str(fault.path[0]) if fault.path else None


_OPEN: Final = (
    "patternProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$dynamicRef",
    "if",
    "dependentSchemas",
    "unevaluatedProperties",
)


def _declared(s: Sent) -> Mapping[str, Any]:
    """The declared properties, where undeclared ones would be odd: no patterns, no unions, some properties."""
    schema = s.schema.schema if s.schema is not None else {}
    if any(k in schema for k in _OPEN) or isinstance(schema.get("additionalProperties"), dict):
        return {}
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _grade(s: Sent, fault: Fault) -> Grade:
    if fault.rule == "null-not-allowed":
        parameter = s.table.get(path_text(fault.path))
        if parameter is not None and parameter.schema.get("default", 0) is None:
            return "hint"  # null is the declared default: the schema contradicts itself
    return fault.grade
