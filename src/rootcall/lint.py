"""Is the gold right? Every case played against itself, its values against the schemas, its parts against each other.

A wrong gold fails the runs that are right, and nobody looks for the fault there. `lint` names all faults of a suite at
once, each with its case, its place and file and line. An error makes the gold unusable as it stands; a warning is a
doubt. Faults of grammar (unknown keys, operands no matcher can use) are `rootcall.casefile`'s.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

import msgspec

from rootcall.case import Case, Cases, ExpectedCall, matcher, place_of
from rootcall.config import Config
from rootcall.error_words import ErrorKind
from rootcall.evidence.clock import moment_of
from rootcall.evidence.dates import readings
from rootcall.evidence.effects import read_only
from rootcall.evidence.schema import CompiledSchema, Fault, compile_schema, path_text
from rootcall.evidence.schema_forms import resolve
from rootcall.goldrules import RULES, GoldFault, explained
from rootcall.jsonvalue import MISSING, canonical, describe, equal, join_path
from rootcall.judging import verdict
from rootcall.matching import Context, days_meant
from rootcall.trace import Source, Tool, Trace
from rootcall.witness import OPEN, Never, Wanted, ways, witness

__all__ = ["RULES", "GoldFault", "explained", "lint", "lint_case", "unusable"]


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
            (join_path("expect.errors", n), n) for n in case.errors
        ]:
            yield from self.tool_known(where, name)
        for tool, by_code in case.errors.items():
            for code in by_code:
                yield from self.error_code(join_path(join_path("expect.errors", tool), str(code)), str(code))

    def error_code(self, at: str, code: str) -> Iterator[GoldFault]:
        """Whether a key of `errors` can name an error: a status, a kind, `*`, or a code as servers write them."""
        if code in ("*", *_ERROR_KINDS) or _CODE.fullmatch(code):
            folded = code.replace("-", "_")
            if folded in _ERROR_KINDS and code != folded:
                yield self.fault("unknown-error-code", at, f"no error is {code!r}; did you mean {folded!r}?")
            return
        near = difflib.get_close_matches(code.lower().replace("-", "_"), _ERROR_KINDS, n=1)
        hint = (
            f"did you mean {near[0]!r}?" if near else f"a status (404), a code, *, or one of {', '.join(_ERROR_KINDS)}"
        )
        yield self.fault("unknown-error-code", at, f"no error is {code!r}; {hint}")

    # ---- the case as a whole

    def settings(self) -> Iterator[GoldFault]:
        case = self.case
        if case.goal is not None:
            yield self.fault(
                "not-judged-yet", "expect.goal", "no rule reads goal; put what the answer must hold in answer"
            )
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
        if case.calls == "some" and self.tools is not None and all(t in case.forbid for t in self.tools):
            offered = "every offered tool stands in forbid" if self.tools else "no tool is offered"
            yield self.fault("contradiction", "expect.calls", f'calls "some" wants a call, and {offered}')
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
            found = ways(gold, Wanted(self.case, top_level, root))
            values = [v for _, v in found]
            sent = [v for v in values if not _unsent(v)]
            # A default that breaks its own schema is the schema's fault.
            default = top_level.get("default", MISSING)
            broken = [(way, m) for way, v in found if not equal(v, default) and (m := _breaks(compiled, name, way, v))]
            if broken and len(broken) == len(values):
                yield self.fault("schema-invalid", place, f"{call.tool}: {broken[0][1]}")
            for way, message in broken if len(broken) < len(values) else ():
                yield self.fault("unreachable", place, f"{describe(way)} is one way, but {message}")
            if top_level.get("format") == "date" and self.case.reference_time is None and _moment_meant(gold):
                message = f"{describe(gold)} where {call.tool} wants a day: which day it is shows only a reference_time"
                yield self.fault("needs-reference-time", place, message)
            if name in required and values and all(v is MISSING for v in values):
                yield self.fault(
                    "impossible", place, f"{call.tool} requires {name}, and only leaving it out meets the gold"
                )
            elif name in required and any(v is MISSING for v in values):
                yield self.fault("unreachable", place, f"leaving it out is one way, but {call.tool} requires {name}")
            if declared and name not in declared and sent and not broken and not _open_ended(top):
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
                if found[0] in ("$one_of", "$range", "$approx"):
                    stack += [(where, o) for o in found[1]]
                elif found[0] not in ("$literal", "$from"):
                    stack.append((where, found[1]))
            elif isinstance(value, Mapping):
                stack += [(join_path(where, str(k)), v) for k, v in value.items()]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                stack += [(where, v) for v in value]
                yield from self.members(where, value)

    def members(self, at: str, values: Sequence[object]) -> Iterator[GoldFault]:
        """A member of a list is there, or the list is another."""
        if any((matcher(v) or ("",))[0] == "$absent" for v in values):
            yield self.fault(
                "impossible", at, "a member of a list is never absent; write one list without it in $one_of"
            )

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
        elif name == "$contains":
            yield from self.members(at, [operand])
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
        if len(found) != 1 or found[0].kind == "vague" or self.case.reference_time is not None:
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
        free = self.case.extra == "allow" or (
            self.case.extra == "reads" and (self.tools is None or read_only(self.tools.get(tool), tool))
        )
        if unknown or call is None or free:
            return  # in the answer, and where extra calls are free, other calls can bring it
        expected, index = call
        before = expected[:index] if self.case.order != "any" else [e for i, e in enumerate(expected) if i != index]
        count = sum(e.tool == tool for e in before)
        if count == 0 or (self.case.extra == "forbid" and count <= n):
            why = "forbids others" if self.case.extra == "forbid" else "allows extra calls of read-only tools alone"
            yield self.fault(
                "impossible", at, f"{operand}: the gold has no result number {n} of {tool} before this call, and {why}"
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
        wanted = {
            name: gold for name, gold in call.arguments.items() if values[name] is MISSING or not _unsent(values[name])
        }
        # Without any judged argument left, `{}` would say that none may be sent.
        rest: Any = wanted if wanted or not call.arguments else MISSING
        sent = {name: v for name, v in values.items() if not _unsent(v)}
        return (call.tool, sent), msgspec.structs.replace(call, arguments=rest)


_ERROR_KINDS: Final = get_args(ErrorKind)
# A status, another number, capitals (E404, RATE_LIMITED), a class (ThrottlingException), parts (card-declined, a.b).
_CODE: Final = re.compile(
    r"[1-5]\d\d|-?\d{4,}|-\d+|[A-Z][A-Z0-9]*([-_.][A-Z0-9]+)*|[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*|\d{1,2}"
    r"|[a-z][A-Za-z0-9]*([-_.:/][A-Za-z0-9]+)+"
)

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


def _unsent(value: object) -> bool:
    return value is OPEN or value is MISSING or isinstance(value, Never)


def _breaks(compiled: CompiledSchema, name: str, way: object, value: Any) -> str | None:
    """What every value that meets a way of the gold breaks at its own argument, or None.

    Nothing else is sent, so what else is required does not count. Where a matcher leaves a choice, another value may do.
    """
    if _unsent(value):
        return value.reason if isinstance(value, Never) else None
    for fault in compiled.faults({name: value}) or ():
        if fault.path and fault.path[0] == name and fault.grade != "hint" and _settled(way, fault):
            return f"{path_text(fault.path)}: {fault.message}" if not fault.message.startswith(name) else fault.message
    return None


def _settled(way: object, fault: Fault) -> bool:
    """Whether the gold leaves no choice at the place of a fault."""
    for key in fault.path[1:]:
        name, operand = matcher(way) or ("", way)
        if name == "$literal" or (name == "$one_of" and not _chosen(operand)):
            return True
        if name == "$contains":
            way = operand
            continue
        if name not in ("", "$unordered"):
            return False
        inner = _member(operand, key)
        if inner is MISSING:
            return True  # what the gold has not, as a whole
        way = inner
    name, operand = matcher(way) or ("", way)
    if name == "$one_of":
        return not _chosen(operand)
    return name == "$literal" or (name in ("", "$unordered") and (fault.rule in _OF_SHAPE or not _chosen(operand)))


def _member(value: object, key: str | int) -> object:
    if isinstance(value, Mapping):
        return value.get(key, MISSING)
    if isinstance(value, Sequence) and not isinstance(value, str) and isinstance(key, int) and key < len(value):
        return value[key]
    return MISSING


_OF_SHAPE: Final = ("wrong-type", "null-not-allowed", "missing-required", "unknown-argument")


def _chosen(value: object) -> bool:
    """Whether a matcher stands anywhere in a value."""
    if matcher(value) is not None:
        return True
    inner = value.values() if isinstance(value, Mapping) else value
    return isinstance(inner, Iterable) and not isinstance(inner, str) and any(_chosen(v) for v in inner)


def _moment_meant(gold: object) -> bool:
    found = matcher(gold)
    return found is not None and found[0] == "$instant" and moment_of(found[1]) is not None


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
