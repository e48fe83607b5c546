"""Is the gold right? Every case played against itself, its values against the schemas, its parts against each other.

A wrong gold fails the runs that are right, and nobody looks for the fault there. `lint` names all faults of a suite at
once, each with its case, its place and file and line. An error makes the gold unusable as it stands; a warning is a
doubt. Faults of grammar (unknown keys, operands no matcher can use) are `rootcall.casefile`'s.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from rootcall.case import Case, Cases, ExpectedCall, matcher, place_of
from rootcall.check import Grade, Rule
from rootcall.config import Config
from rootcall.evidence.clock import moment_of
from rootcall.evidence.dates import readings
from rootcall.evidence.schema import CompiledSchema, compile_schema, path_text
from rootcall.evidence.schema_forms import resolve
from rootcall.jsonvalue import MISSING, canonical, equal, join_path
from rootcall.judging import rules, verdict
from rootcall.matching import Context, days_meant, describe
from rootcall.trace import Source, Tool, Trace
from rootcall.witness import OPEN, Wanted, choices, witness

__all__ = ["RULES", "GoldFault", "explained", "lint", "lint_case", "unusable"]


def _rule(name: str, looks_at: str, why: str, fails: str, passes: str, grade: Grade = "proof") -> Rule:
    return Rule(name=f"gold/{name}", looks_at=looks_at, why=why, fails=fails, passes=passes, grade=grade)


RULES: Final = (
    _rule(
        "unknown-tool",
        "Tools that expected calls, `forbid`, `errors` and `$from` name, against the offered ones. Names are compared exactly.",
        "No run can call a tool it was not offered, so every run fails, the right ones too.",
        "math.factorial expected where math_factorial is offered",
        "math_factorial expected",
    ),
    _rule(
        "schema-invalid",
        "Each expected value, and each way a `$one_of` offers, against the tool's JSON Schema.",
        "A run that sends what the gold wants breaks the schema, one that keeps the schema misses the gold.",
        'limit: "ten"   where the schema wants an integer',
        "limit: 10",
    ),
    _rule(
        "impossible",
        "Matchers that no value meets, required arguments the gold forbids, `$from` of a result that cannot be there yet.",
        "No output passes. Every run fails at this place for ever.",
        "unit: {$one_of: []}",
        "unit: {$one_of: [celsius, metric]}",
    ),
    _rule(
        "contradiction",
        "Parts of a case that cannot both be met.",
        "One of the two fails whatever the run does.",
        "forbid: [delete_user] beside an expected delete_user",
        "forbid: [delete_account] beside an expected delete_user",
    ),
    _rule(
        "not-itself",
        "The expected calls played as a run: scored against the case they come from, they must be all right.",
        "A gold that fails itself fails everyone.",
        "(whatever else makes the gold fail against itself)",
        "every list of expected calls scores 1.0 against its case",
    ),
    _rule(
        "judges-nothing",
        "Cases that any run passes: only optional calls, or none, where all extra calls are allowed.",
        "A gold that passes anything shows green over a broken agent.",
        "calls: [], extra: allow",
        "calls: []",
    ),
    _rule(
        "unreadable-date",
        "The operands of `$date` and `$instant`.",
        "What cannot be read is never decided: the argument stays unscored in every run.",
        "{$date: the day we spoke of}",
        "{$date: next friday}",
    ),
    _rule(
        "needs-reference-time",
        "Relative days in `$date` where the case has no reference_time.",
        "Only traces that bring a reference time of their own can be judged against it.",
        "{$date: next friday} without reference_time",
        "reference_time: 2026-11-30T09:00:00+09:00",
        "hint",
    ),
    _rule(
        "undeclared-argument",
        "Expected arguments that the tool's schema does not declare, where it does not say that others are refused.",
        "Mostly a misspelt name: a run that uses the declared one misses the gold.",
        "departure: …   where departure_date is declared",
        "departure_date: …",
        "hint",
    ),
    _rule(
        "unreachable",
        "Alternatives that say what an earlier one says, and single ways of a `$one_of` that repeat or break the schema.",
        "They look like leeway and give none.",
        "alternatives: [[{tool: a}], [{tool: a}]]",
        "alternatives: [[{tool: a}], [{tool: b}]]",
        "hint",
    ),
    _rule(
        "duplicate",
        "Cases with the same input, tools and reference time, whether their gold is the same or another.",
        "A trace that names no case meets both, and is then judged by neither. With two golds one of them is wrong, unless "
        "what is said later in the conversation differs.",
        'two cases with the input "Book it"',
        "one of them",
        "hint",
    ),
    _rule(
        "tool-schema",
        "The schemas of the tools a case expects.",
        "The arguments of a tool with a broken schema stay unscored by every schema rule.",
        '{"type": "objekt"}',
        '{"type": "object"}',
        "hint",
    ),
)  # fmt: skip
_BY_CODE: Final = {rule.name: rule for rule in RULES}


def explained() -> dict[str, Rule]:
    """Everything that can be explained: the rules of the layers, then those of the gold."""
    return {**rules(), **_BY_CODE}


class GoldFault(msgspec.Struct, frozen=True):
    """Something wrong with the gold: the rule that says so, the case, the place in it, file and line."""

    rule: str
    case: str
    at: str
    message: str
    source: Source = Source()

    @property
    def severity(self) -> Literal["error", "warning"]:
        """An error makes the gold unusable as it stands."""
        return "warning" if _BY_CODE[self.rule].grade == "hint" else "error"

    def __str__(self) -> str:
        where = f"case {self.case!r}: {self.at}" if self.at else f"case {self.case!r}"
        return f"{self.source}: {self.severity}: {where}: {self.message} ({self.rule})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON object."""
        return {"severity": self.severity, **msgspec.to_builtins(self)}


def lint(cases: Cases, tools: Sequence[Tool] | None = None) -> list[GoldFault]:
    """Return every fault of the gold of a suite, in order of cases.

    Args:
        cases: the suite.
        tools: what is offered in cases that bring no tools of their own; None: not known, and then neither tools nor
            schemas are looked at.
    """
    found: list[GoldFault] = []
    for case in cases:
        found += lint_case(case, tools, cases.source_of(case))
    return found + list(_between_cases(cases, tools))


def lint_case(case: Case, tools: Sequence[Tool] | None = None, source: Source | None = None) -> list[GoldFault]:
    """Return the faults of one case; `tools` as in `lint`, `source` where it stands."""
    linter = _Linter(case, case.tools if case.tools is not None else tools, source or Source())
    return list(dict.fromkeys(linter.faults()))


def unusable(case: Case, tools: Sequence[Tool] | None) -> GoldFault | None:
    """Return the fault for which a run can rightly meet none of the lists of calls a case offers; None when it can.

    Gold that judges nothing counts too: it would pass whatever a run does.
    """
    errors = [f for f in lint_case(case, tools) if f.severity == "error"]
    nothing = next((f for f in errors if f.rule == "gold/judges-nothing"), None)
    wrong = {where: [f for f in errors if f.at == where or f.at.startswith(f"{where}[")] for where, _ in _options(case)}
    if nothing is None and wrong and all(wrong.values()):
        return next(iter(wrong.values()))[0]
    return nothing


class _Linter:
    """Looks at one case."""

    def __init__(self, case: Case, tools: Sequence[Tool] | None, source: Source) -> None:
        self.case, self.source = case, source
        self.tools = None if tools is None else {t.name: t for t in tools}

    def fault(self, code: str, at: str, message: str) -> GoldFault:
        return GoldFault(f"gold/{code}", self.case.id, at, message, self.source)

    def faults(self) -> Iterator[GoldFault]:
        case = self.case
        yield from self.settings()
        for where, expected in _options(case):
            found = [f for i, call in enumerate(expected) for f in self.call(f"{where}[{i}]", call, expected, i)]
            yield from found
            # What is wrong with a single value shows again when the calls are played.
            if not any(f.severity == "error" for f in found):
                yield from self.played(where, expected)
        for i, wanted in enumerate(case.answer):
            yield from self.value(f"expect.answer[{i}]", wanted, None)
        yield from self.answers()
        for where, name in [(f"expect.forbid[{i}]", n) for i, n in enumerate(case.forbid)] + [
            (f"expect.errors.{n}", n) for n in case.errors
        ]:
            yield from self.tool_known(where, name)

    # ---- the case as a whole

    def settings(self) -> Iterator[GoldFault]:
        case = self.case
        if case.order == "strict" and case.extra != "forbid":
            yield self.fault(
                "contradiction", "expect.extra", f"order strict allows no extra calls, extra says {case.extra}"
            )
        if case.calls == "some" and case.alternatives:
            yield self.fault(
                "contradiction",
                "expect.alternatives",
                'calls "some" takes any call; alternatives have no say beside it',
            )
        free = case.extra == "allow" and any(all(c.optional for c in option) for option in case.options)
        if free and not (case.forbid or case.errors or case.answer):
            yield self.fault("judges-nothing", "expect", "every run passes: no call is required and any is allowed")
        seen: dict[str, str] = {}
        for where, expected in _options(case):
            key = _key(expected)
            if key in seen:
                yield self.fault("unreachable", where, f"says the same as {seen[key]}")
            seen.setdefault(key, where)

    def answers(self) -> Iterator[GoldFault]:
        """Facts that the answer must hold and must not hold."""
        wanted = {_said(a) for a in self.case.answer if (found := matcher(a)) is None or found[0] != "$not"}
        for i, fact in enumerate(self.case.answer):
            found = matcher(fact)
            if found is not None and found[0] == "$not" and _said(found[1]) in wanted:
                yield self.fault(
                    "contradiction", f"expect.answer[{i}]", f"{describe(found[1])} must be said and must not"
                )

    def tool_known(self, at: str, name: str) -> Iterator[GoldFault]:
        if self.tools is not None and name not in self.tools:
            folded = {t.casefold(): t for t in self.tools}
            near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
            hint = (
                f"did you mean {folded[near[0]]!r}?"
                if near
                else f"offered are {', '.join(list(self.tools)[:8]) or 'none'}"
            )
            yield self.fault("unknown-tool", at, f"{name!r} is not among the {len(self.tools)} offered tools; {hint}")

    # ---- one expected call

    def call(self, at: str, call: ExpectedCall, expected: Sequence[ExpectedCall], index: int) -> Iterator[GoldFault]:
        yield from self.tool_known(at, call.tool)
        if call.tool in self.case.forbid:
            yield self.fault("contradiction", at, f"{call.tool} is expected and stands in forbid")
        if call.arguments is MISSING:
            return
        for name, gold in call.arguments.items():
            yield from self.value(join_path(f"{at}.arguments", name), gold, (expected, index))
        tool = (self.tools or {}).get(call.tool)
        if tool is None or tool.schema is None:
            return
        compiled = compile_schema(tool.schema)
        if compiled.problem is not None:
            yield self.fault("tool-schema", at, f"{call.tool}: {compiled.problem}; its calls stay unscored")
            return
        yield from self.against_schema(at, call, compiled)

    def against_schema(self, at: str, call: ExpectedCall, compiled: CompiledSchema) -> Iterator[GoldFault]:
        root = compiled.schema if isinstance(compiled.schema, Mapping) else {}
        top = resolve(root, root)
        declared = top.get("properties")
        declared = declared if isinstance(declared, Mapping) else {}
        required = [r for r in top.get("required") or () if isinstance(r, str)]
        for name, gold in call.arguments.items():
            place = join_path(f"{at}.arguments", name)
            top_level = resolve(declared.get(name), root)
            values = choices(gold, Wanted(self.case, top_level, root))
            sent = [v for v in values if v is not OPEN and v is not MISSING]
            default = top_level.get("default", MISSING)
            # A default that breaks its own schema is the schema's fault.
            wrong = {
                i: m
                for i, v in enumerate(sent)
                if not equal(v, default) and (m := _schema_fault(compiled, name, v)) is not None
            }
            if wrong and len(wrong) == len(values):
                yield self.fault("schema-invalid", place, f"{call.tool}: {next(iter(wrong.values()))}")
            for i, message in wrong.items() if len(wrong) < len(values) else ():
                yield self.fault("unreachable", place, f"{describe(sent[i])} is one way, but {message}")
            if name in required and values and all(v is MISSING for v in values):
                yield self.fault("impossible", place, f"{call.tool} requires {name}, and the gold wants it left out")
            elif name in required and any(v is MISSING for v in values):
                yield self.fault("unreachable", place, f"leaving it out is one way, but {call.tool} requires {name}")
            if declared and name not in declared and sent and not wrong and not _open_ended(top):
                near = difflib.get_close_matches(name, declared, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"declared are {', '.join(list(declared)[:8])}"
                yield self.fault("undeclared-argument", place, f"{call.tool} declares no {name}; {hint}")
        if not call.arguments or call.extra_arguments == "forbid":
            for name in required:
                if name not in call.arguments:
                    yield self.fault(
                        "impossible",
                        f"{at}.arguments",
                        f"{call.tool} requires {name}, and the gold allows no argument it does not name",
                    )

    # ---- one value

    def value(self, at: str, gold: object, call: tuple[Sequence[ExpectedCall], int] | None) -> Iterator[GoldFault]:
        """Look at every matcher in a value; `call` is its list of expected calls and its place there."""
        stack: list[tuple[str, object]] = [(at, gold)]
        while stack:
            where, value = stack.pop()
            found = matcher(value)
            if found is not None:
                yield from self.one_matcher(where, found[0], found[1], call)
                if found[0] not in ("$literal", "$from"):
                    stack.append((where, found[1]))
            elif isinstance(value, Mapping):
                stack += [(join_path(where, str(k)), v) for k, v in value.items()]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                stack += [(where, v) for v in value]

    def one_matcher(
        self, at: str, name: str, operand: Any, call: tuple[Sequence[ExpectedCall], int] | None
    ) -> Iterator[GoldFault]:
        if name == "$one_of":
            if not operand:
                yield self.fault("impossible", at, "no value is one of none")
            keys = [canonical(o) for o in operand]
            for i, key in enumerate(keys):
                if key in keys[:i]:
                    yield self.fault("unreachable", at, f"{describe(operand[i])} stands twice in $one_of")
        elif name == "$range" and all(isinstance(b, int | float) for b in operand) and operand[0] > operand[1]:
            yield self.fault(
                "impossible", at, f"no number lies between {operand[0]} and {operand[1]}; the lower bound comes first"
            )
        elif name == "$not" and canonical(operand) == canonical({"$any": True}):
            yield self.fault("impossible", at, "no value is not any; write {$absent: true}")
        elif name in ("$date", "$instant") and isinstance(operand, str):
            yield from self.day(at, name, operand)
        elif name == "$from":
            yield from self.earlier(at, operand, call)

    def day(self, at: str, name: str, operand: str) -> Iterator[GoldFault]:
        if name == "$instant" and moment_of(operand) is not None:
            return
        if days_meant(operand, Context(self.case.fill(Trace("gold")))):
            return
        found = readings(operand)
        if len(found) != 1 or found[0].kind == "vague":
            yield self.fault("unreadable-date", at, f"{name} {describe(operand)} cannot be read as one day")
        else:
            yield self.fault("needs-reference-time", at, f"{describe(operand)} means a day only with a reference_time")

    def earlier(self, at: str, operand: object, call: tuple[Sequence[ExpectedCall], int] | None) -> Iterator[GoldFault]:
        """Whether the result a `$from` speaks of can be there when it is needed."""
        place = place_of(operand)
        if place is None:
            return
        tool, n, _ = place
        unknown = list(self.tool_known(at, tool))
        yield from unknown
        if unknown or call is None or self.case.extra != "forbid":
            return  # in the answer, and where extra calls are free, other calls can bring it
        expected, index = call
        before = expected[:index] if self.case.order != "any" else [e for i, e in enumerate(expected) if i != index]
        if sum(e.tool == tool for e in before) <= n:
            yield self.fault(
                "impossible",
                at,
                f"{operand}: the gold has no result number {n} of {tool} before this call, and forbids others",
            )

    # ---- the gold as a run

    def played(self, where: str, expected: Sequence[ExpectedCall]) -> Iterator[GoldFault]:
        """Score a list of expected calls against itself."""
        sent, wanted = zip(*(self._sent(c) for c in expected), strict=True) if expected else ((), ())
        trace = _run(self.case, sent, self.tools)
        case = msgspec.structs.replace(self.case, calls=tuple(wanted), alternatives=(), tools=None, answer=())
        for check in verdict(trace, case, _GOLD_ONLY).checks:
            if check.fails:
                yield self.fault("not-itself", where, f"played as a run it fails {check.rule}: {check.message}")

    def _sent(self, call: ExpectedCall) -> tuple[tuple[str, dict[str, Any]], ExpectedCall]:
        """What an agent sends that does as expected, and the expectation without what is left open."""
        if call.arguments is MISSING:
            return (call.tool, {}), call
        tool = (self.tools or {}).get(call.tool)
        root = compile_schema(tool.schema).schema if tool is not None and tool.schema is not None else {}
        top = Wanted(self.case, resolve(root, root), root)
        values = {name: witness(gold, top.below(name)) for name, gold in call.arguments.items()}
        wanted = {name: gold for name, gold in call.arguments.items() if values[name] is not OPEN}
        # Without any judged argument left, `{}` would say that none may be sent.
        rest: Any = wanted if wanted or not call.arguments else MISSING
        sent = {name: v for name, v in values.items() if v is not OPEN and v is not MISSING}
        return (call.tool, sent), msgspec.structs.replace(call, arguments=rest)


_GOLD_ONLY: Final = Config(
    select=(
        "selection/expected", "selection/missing", "selection/wrong-tool", "selection/surplus", "selection/forbidden",
        "selection/out-of-order", "arguments/value-mismatch",
    )
)  # fmt: skip


def _run(case: Case, sent: Iterable[tuple[str, Mapping[str, Any]]], tools: Mapping[str, Tool] | None) -> Trace:
    messages: list[dict[str, Any]] = [{"role": "user", "content": case.input or ""}]
    for i, (tool, arguments) in enumerate(sent):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{i}", "type": "function", "function": function}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": None})
    trace = Trace.from_openai(messages, id=case.id)
    if tools is None:
        return trace
    return msgspec.structs.replace(trace, tools=tuple(tools.values()), tools_known="declared")


def _options(case: Case) -> Iterator[tuple[str, tuple[ExpectedCall, ...]]]:
    if case.calls is not None and case.calls != "some":
        yield "expect.calls", case.calls
    for i, expected in enumerate(case.alternatives):
        yield f"expect.alternatives[{i}]", expected


def _key(expected: Iterable[ExpectedCall]) -> str:
    return "\n".join(sorted(canonical(msgspec.to_builtins(e)) for e in expected))


def _said(fact: object) -> str:
    found = matcher(fact)
    return canonical(found[1] if found is not None and found[0] == "$says" else fact)


def _open_ended(schema: Mapping[str, Any]) -> bool:
    """Whether a schema takes arguments it does not name."""
    others = any(k in schema for k in ("patternProperties", "anyOf", "oneOf", "allOf", "if"))
    return others or schema.get("additionalProperties") not in (None, False)


def _schema_fault(compiled: CompiledSchema, name: str, value: object) -> str | None:
    """What a value breaks at its own argument; nothing else is sent, so what else is required does not count."""
    for fault in compiled.faults({name: value}) or ():
        if fault.path and fault.path[0] == name and fault.grade != "hint":
            return f"{path_text(fault.path)}: {fault.message}" if not fault.message.startswith(name) else fault.message
    return None


def _between_cases(cases: Cases, tools: Sequence[Tool] | None) -> Iterator[GoldFault]:
    """Cases that a trace without a case_id cannot tell apart."""
    by_input: dict[str, list[Case]] = {}
    for case in cases:
        if case.input is not None:
            by_input.setdefault(" ".join(case.input.split()), []).append(case)
    for group in by_input.values():
        first: dict[str, Case] = {}
        for case in group:
            offered = case.tools if case.tools is not None else tuple(tools or ())
            key = canonical([msgspec.to_builtins(offered), case.reference_time])
            other = first.setdefault(key, case)
            if other is case:
                continue
            what = "the same gold" if _gold_key(case) == _gold_key(other) else "another gold"
            message = f"has the input and tools of case {other.id!r}, and {what}"
            yield GoldFault("gold/duplicate", case.id, "", message, cases.source_of(case))


def _gold_key(case: Case) -> str:
    plain = msgspec.structs.replace(case, id="", tags=(), must_pass=False, metadata={}, tools=None)
    return canonical(msgspec.to_builtins(plain))
