"""Case files: what may stand in a case, and reading one from YAML, JSONL or JSON with the line of each case.

A key nobody reads, an operand no matcher can use and a value of the wrong kind are faults, since each would make an
expectation pass in silence. All faults of a file are collected. Whether the gold makes sense (schema-valid, offered
tools, no contradiction) is `rootcall.lint`'s.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.case import Case, ExpectedCall, matcher, place_of
from rootcall.casetext import json_items, surely_usable, unusable_value, yaml_items
from rootcall.errors import CaseError, InputError, PolicyError
from rootcall.evidence.clock import moment_of
from rootcall.evidence.patterns import pattern_fault
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS, SCALARS, describe, join_path
from rootcall.plaincase import plain_case
from rootcall.policy import Policy
from rootcall.policyfile import read_policy, read_policy_file
from rootcall.tools import load_tools
from rootcall.toolspec import read_tools
from rootcall.trace import Source, Tool

__all__ = ["CRITERIA", "REACTIONS", "read_case", "read_case_file"]

CRITERIA: Final = ("calls", "alternatives", "forbid", "errors", "answer")
"""What can be expected. A case without any of them, or with empty ones, would pass whatever a run does."""

REACTIONS: Final = ("correct", "retry", "fallback", "escalate", "ask", "report")
"""The words for what an agent may do after an error."""

# Dictionaries, for their order in messages and for the quick look of `known`.
_CASE_KEYS: Final = dict.fromkeys(
    ("id", "input", "reference_time", "tags", "tools", "must_pass", "policy", "expect", "metadata")
)
_EXPECT_KEYS: Final = dict.fromkeys((*CRITERIA, "goal", "order", "extra"))
_CALL_KEYS: Final = dict.fromkeys(("tool", "arguments", "optional", "extra_arguments"))


def read_case(
    data: object,
    *,
    name: str = "case",
    folder: Path | None = None,
    source: Source | None = None,
) -> tuple[Case | None, list[str]]:
    """Build a case from the object of a case file.

    Args:
        data: the object, or its JSON text as `msgspec.Raw`.
        name: the id of a case that has none.
        folder: where a relative path in `tools` or `policy` begins; None: the current folder.
        source: where the case stands, for what it says in `policy`.

    Returns:
        The case, or None and its faults: each a line that says what was wanted, what came, and at which key.
    """
    plain = plain_case(data, name)
    if plain is not None:
        return plain, []
    if isinstance(data, msgspec.Raw):
        try:
            data = msgspec.json.decode(data)
        except (ValueError, RecursionError) as error:
            return None, [f"case {name!r}: not JSON: {error}"]
    if not isinstance(data, OBJECTS):
        return None, [f"a case must be an object, got {describe(data)}"]
    wrong = None if surely_usable(data) else _unusable(data)
    if wrong is not None:
        return None, [f"case {name!r}: {wrong}"]
    given = data.get("id", name)
    reader = _Reader(str(given), folder, source or Source())
    if not isinstance(given, str | int) or isinstance(given, bool) or not str(given).strip():
        reader.fault(f"id must be a text, got {describe(given)}")
    case = reader.case(data)
    return (None, reader.faults) if reader.faults else (case, [])


def _unusable(data: Mapping[str, Any]) -> str | None:
    """What makes a value no case, with its place; tools may be functions and models, and are measured only."""
    wrong = unusable_value({k: v for k, v in data.items() if k != "tools"})
    if wrong is None and not isinstance(data.get("tools"), str):
        wrong = unusable_value(data.get("tools"), leaves=False)
    return wrong


class _Reader:
    """Reads one case and collects what is wrong with it."""

    def __init__(self, name: str, folder: Path | None, source: Source) -> None:
        self.name, self.folder, self.source = name, folder, source
        self.faults: list[str] = []

    def fault(self, text: str) -> None:
        self.faults.append(f"case {self.name!r}: {text}")

    def known(self, where: str, data: Mapping[str, Any], known: Mapping[str, None]) -> None:
        if data.keys() <= known.keys():
            return
        for key in data:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
                shown = key if str(key).isprintable() else describe(key)
                self.fault(f"unknown key {where}{shown}; {hint}")

    def value(
        self, data: Mapping[str, Any], key: str, kind: type | tuple[type, ...], noun: str, default: Any, where: str = ""
    ) -> Any:
        """The value of a key when it is of a kind, else the default and a fault. `null` is no value of any kind."""
        if key not in data:
            return default
        found = data[key]
        if not isinstance(found, kind) or (kind is not bool and isinstance(found, bool)):
            self.fault(f"{where}{key} must be {noun}, got {describe(found)}")
            return default
        return found

    def one_of(self, data: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str, where: str) -> Any:
        found = data.get(key, default)
        if found not in allowed:
            self.fault(f"{where}{key} must be one of {', '.join(allowed)}, got {describe(found)}")
            return default
        return found

    def texts(self, data: Mapping[str, Any], key: str, where: str = "") -> tuple[str, ...]:
        if key not in data:
            return ()
        found = data[key]
        if not _is_list(found) or not all(isinstance(x, str) for x in found):
            self.fault(f"{where}{key} must be a list of texts, got {describe(found)}")
            return ()
        return tuple(found)

    def listed(self, data: Mapping[str, Any], key: str) -> Sequence[Any]:
        if key not in data:
            return ()
        found = data[key]
        if not _is_list(found):
            self.fault(f"expect.{key} must be a list, got {describe(found)}")
            return ()
        return found  # type: ignore[no-any-return]

    def case(self, data: Mapping[str, Any]) -> Case:
        self.known("", data, _CASE_KEYS)
        expect = self.value(data, "expect", OBJECTS, "an object", {})
        self.known("expect.", expect, _EXPECT_KEYS)
        if not any(_says(key, expect[key]) for key in CRITERIA if key in expect):
            empty = ", ".join(key for key in CRITERIA if key in expect)
            advice = f"{empty} must not be empty" if empty else f"give one of {', '.join(CRITERIA)}"
            self.fault(f"expect says nothing to judge by; {advice}")
        order = self.one_of(expect, "order", ("any", "in_order", "strict"), "any", "expect.")
        extra = "forbid" if order == "strict" else "reads"
        return Case(
            id=self.name,
            input=self.value(data, "input", str, "a text", None),
            reference_time=self.reference_time(data),
            tags=self.texts(data, "tags"),
            tools=self.tools(data),
            must_pass=self.value(data, "must_pass", bool, "true or false", default=False),
            calls=self.calls(expect),
            alternatives=self.alternatives(expect),
            order=order,
            extra=self.one_of(expect, "extra", ("reads", "allow", "forbid"), extra, "expect."),
            forbid=self.texts(expect, "forbid", "expect."),
            errors=self.errors(expect),
            answer=self.answer(expect),
            goal=expect.get("goal"),
            metadata=self.value(data, "metadata", OBJECTS, "an object", {}),
            policies=self.policies(data),
        )

    def policies(self, data: Mapping[str, Any]) -> tuple[Policy, ...]:
        """What the case says of its tools: rules, or the path of a policy file beside the case file."""
        if "policy" not in data:
            return ()
        policy, faults = _policy(data["policy"], self.folder, self.source)
        for fault in faults:
            self.fault(fault)
        return (policy,)

    def reference_time(self, data: Mapping[str, Any]) -> str | None:
        given = data.get("reference_time")
        if given is not None and moment_of(given) is None:
            self.fault(f"reference_time must be a time like 2026-11-30T09:00:00+09:00, got {describe(given)}")
        return None if given is None else str(given)

    def tools(self, data: Mapping[str, Any]) -> tuple[Tool, ...] | None:
        """The tools of the case itself: specs, or the path of a file of them beside the case file."""
        given = data.get("tools")
        if given is None:
            return None
        if isinstance(given, str):
            path = (self.folder or Path()) / given
            if not _is_file(path):
                # A case file runs no code: a place in code is for the command line and for Python alone.
                self.fault(f"tools: {path}: there is no such file")
                return None
            try:
                return load_tools(path)
            except InputError as error:
                self.fault(f"tools: {error}")
                return None
        try:
            tools, problems = read_tools(given)
        except InputError as error:
            self.fault(f"tools: {error}")
            return None
        for problem in problems:
            self.fault(f"tools: {problem.message}")
        return tools

    def calls(self, expect: Mapping[str, Any]) -> Any:
        found = expect.get("calls", MISSING)
        if found is MISSING:
            return None
        if found == "some":
            return "some"
        if not _is_list(found):
            self.fault(
                f'expect.calls must be a list ([] is the no-call bucket), "some", or left out, got {describe(found)}'
            )
            return None
        return tuple(self.call(f"expect.calls[{i}]", item) for i, item in enumerate(found))

    def alternatives(self, expect: Mapping[str, Any]) -> tuple[tuple[ExpectedCall, ...], ...]:
        out = []
        for i, listed in enumerate(self.listed(expect, "alternatives")):
            where = f"expect.alternatives[{i}]"
            if not _is_list(listed):
                self.fault(f"{where} must be a list of calls, got {describe(listed)}")
                continue
            out.append(tuple(self.call(f"{where}[{j}]", item) for j, item in enumerate(listed)))
        return tuple(out)

    def call(self, where: str, item: object) -> ExpectedCall:
        if not isinstance(item, OBJECTS) or not isinstance(item.get("tool"), str) or not item["tool"]:
            self.fault(f"{where} must be an object with a tool, got {describe(item)}")
            return ExpectedCall("")
        self.known(f"{where}.", item, _CALL_KEYS)
        # `null` would read as "none" to some and as "any" to others.
        arguments = self.value(
            item, "arguments", OBJECTS, "an object ({} for none; leave it out for any)", MISSING, f"{where}."
        )
        if arguments is not MISSING:
            alone = matcher(arguments)
            # An argument may be called `$filter`; one that is called `$any` was meant as a matcher.
            if alone is not None and alone[0] in _OPERANDS:
                self.fault(f"{where}.arguments must name arguments; a matcher stands for the value of one")
            for key, wanted in arguments.items():
                if not isinstance(wanted, SCALARS):  # only an object can be a matcher
                    self.gold(f"{where}.arguments.{key}", wanted)
        optional = self.value(item, "optional", bool, "true or false", default=False, where=f"{where}.")
        extra = self.one_of(item, "extra_arguments", ("allow", "forbid"), "allow", f"{where}.")
        return ExpectedCall(item["tool"], arguments, optional, extra)

    def errors(self, expect: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
        found = self.value(expect, "errors", OBJECTS, "an object of tools", {}, "expect.")
        for tool, by_code in found.items():
            where = f"expect.errors.{tool}"
            if not isinstance(by_code, Mapping):
                self.fault(
                    f'{where} must be an object of error codes, like {{"503": ["retry", "escalate"]}}, got {describe(by_code)}'
                )
                continue
            for code, wanted in by_code.items():
                listed = [wanted] if isinstance(wanted, str) else wanted
                if not _is_list(listed) or not listed or not all(w in REACTIONS for w in listed):
                    self.fault(f"{where}.{code} must be one or more of {', '.join(REACTIONS)}, got {describe(wanted)}")
        return {
            tool: {str(code): wanted for code, wanted in by_code.items()}
            for tool, by_code in found.items()
            if isinstance(by_code, Mapping)
        }

    def answer(self, expect: Mapping[str, Any]) -> tuple[Any, ...]:
        found = tuple(self.listed(expect, "answer"))
        for i, wanted in enumerate(found):
            if matcher(wanted) is None and not _fact(wanted):
                self.fault(f"expect.answer[{i}] must be a text, a number or a matcher, got {describe(wanted)}")
            self.gold(f"expect.answer[{i}]", wanted, answer=True)
        return found

    def gold(self, where: str, wanted: object, *, answer: bool = False) -> None:
        """Check every matcher in a value of the gold."""
        stack: list[tuple[str, object]] = [(where, wanted)]
        while stack:
            at, value = stack.pop()
            found = matcher(value)
            if found is not None:
                if found[0] == "$says" and not answer:
                    self.fault(f"{at}: $says is for expect.answer; in arguments use $contains or $regex")
                problem = operand_fault(*found)
                if problem is not None:
                    self.fault(f"{at}: {problem}")
                elif found[0] not in ("$literal", "$regex", "$judge", "$from"):
                    stack.append((f"{at}.{found[0]}", found[1]))
            elif isinstance(value, Mapping):
                odd = next((k for k in value if isinstance(k, str) and k.startswith("$")), None)
                if odd is not None:
                    self.fault(
                        f"{at}: {odd} must stand alone in its object to be a matcher; write {{$literal: …}} for an object with such a key"
                    )
                stack += reversed([(join_path(at, str(k)), v) for k, v in value.items()])
            elif _is_list(value):
                stack += reversed([(f"{at}[{i}]", v) for i, v in enumerate(value)])  # type: ignore[arg-type, var-annotated]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for any file
        return False


def _fact(value: object) -> bool:
    """Whether an answer can say a plain value: no answer says a list, an object, true or null."""
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _says(key: str, value: object) -> bool:
    """Whether a criterion says anything. An empty list of calls does: no call is right."""
    if key == "errors":
        return not isinstance(value, Mapping) or any(value.values())
    return key == "calls" or value not in ([], ())


# ---- the operands of matchers ------------------------------------------------------------------------------------


class _Operand(NamedTuple):
    """What the operand of a matcher must be, in words, and the test for it."""

    wanted: str
    test: Callable[[Any], bool]


def _is_list(value: object) -> bool:
    return isinstance(value, LISTS) and not isinstance(value, (str, bytes))


def _number(value: object) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)) or _from(value)


def _from(value: object) -> bool:
    found = matcher(value)
    return found is not None and found[0] == "$from"


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _bounds(value: Any) -> bool:
    return (
        _is_list(value)
        and len(value) == 2
        and all(v is None or _number(v) for v in value)
        and any(v is not None for v in value)
    )


_OPERANDS: Final[Mapping[str, _Operand]] = {
    "$one_of": _Operand("a list of values", _is_list),
    "$regex": _Operand("a regular expression", lambda v: isinstance(v, str)),
    "$range": _Operand("two numbers [low, high], one of which may be null", _bounds),
    "$approx": _Operand(
        "a number and a relative tolerance, like [100, 0.05]",
        lambda v: _is_list(v) and len(v) == 2 and _number(v[0]) and _number(v[1]) and (_from(v[1]) or v[1] >= 0),
    ),
    "$casefold": _Operand("a text", lambda v: isinstance(v, str) or _from(v)),
    "$unordered": _Operand("a list of values", _is_list),
    "$contains": _Operand("a part of the text or a member of the list", lambda _: True),
    "$date": _Operand('a day, like 2026-12-04 or "next friday"', lambda v: _text(v) or _from(v)),
    "$instant": _Operand("a moment, like 2026-12-04T09:00:00+09:00", lambda v: _text(v) or _from(v)),
    "$from": _Operand(
        "the place of an earlier result, like search_flights[0].flights[0].price", lambda v: place_of(v) is not None
    ),
    "$any": _Operand("true", lambda v: v is True),
    "$absent": _Operand("true", lambda v: v is True),
    "$not": _Operand("a value or a matcher", lambda _: True),
    "$says": _Operand(
        "what the answer says: a text, a number or a matcher",
        lambda v: not isinstance(v, bool) and v is not None and not _is_list(v) and v != "",
    ),
    "$judge": _Operand("a question", _text),
    "$literal": _Operand("any value", lambda _: True),
}


def operand_fault(name: str, operand: object) -> str | None:
    """What is wrong with a matcher, or None."""
    known = _OPERANDS.get(name)
    if known is None:
        near = difflib.get_close_matches(name, _OPERANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_OPERANDS)}"
        return f"unknown matcher {name}; {hint} Write {{$literal: …}} for an object with such a key"
    if not known.test(operand):
        return f"{name} wants {known.wanted}, got {describe(operand)}"
    wrong = pattern_fault(str(operand)) if name == "$regex" else None
    return f"$regex {describe(operand)}: {wrong}" if wrong is not None else None


# ---- files -------------------------------------------------------------------------------------------------------


def read_case_file(path: Path) -> tuple[list[tuple[Case, Source]], list[str]]:
    """Read a case file: JSONL (one case a line), JSON (one case, or a list) or YAML (the same, several documents too).

    What stands among the cases and has the key `policy` alone holds for all of them.

    Returns:
        The sound cases with their places, and every fault as `file:line: what`.

    Raises:
        CaseError: the file cannot be read, or holds no case at all.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: not UTF-8 (byte {error.start})") from None
    found: list[tuple[Case, Source]] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    shared: list[Policy] = []
    n = 0
    for line, item in (yaml_items if path.suffix.lower() in (".yaml", ".yml") else json_items)(text):
        n += 1
        if isinstance(item, ValueError):
            faults.append(f"{path}:{line}: {item}")
            continue
        if isinstance(item, OBJECTS) and list(item) == ["policy"]:
            policy, wrong = _policy(item["policy"], path.parent, Source(str(path), line))
            faults += [f"{path}:{line}: {w}" for w in wrong]
            shared.append(policy)
            n -= 1
            continue
        case, wrong = read_case(item, name=f"case-{n}", folder=path.parent, source=Source(str(path), line))
        faults += [f"{path}:{line}: {w}" for w in wrong]
        if case is None:
            continue
        if case.id in lines:
            faults.append(
                f"{path}:{line}: two cases are called {case.id!r} (the other in line {lines[case.id]}); ids must be unique"
            )
            continue
        lines[case.id] = line
        found.append((case, Source(str(path), line)))
    if not n:
        raise CaseError(f"{path}: holds no case")
    if shared:
        found = [(msgspec.structs.replace(c, policies=(*shared, *c.policies)), place) for c, place in found]
    return found, faults


def _policy(given: object, folder: Path | None, source: Source) -> tuple[Policy, list[str]]:
    """The policy under the key `policy`: rules, or the path of a file of them."""
    if not isinstance(given, str):
        return read_policy(given, source=source, where="policy: ")
    try:
        return read_policy_file((folder or Path()) / given)
    except PolicyError as error:
        return Policy(), [f"policy: {error}"]
