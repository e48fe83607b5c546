"""A task and what a right run looks like: expected calls, facts the answer must hold, tags, reference time.

An object with exactly one key that starts with `$` is a matcher; `{"$literal": x}` is x. This module holds cases and
says what is one; comparing values with them is `rootcall.pairing`'s. It also loads case files and says which case a
trace meets.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from rootcall.errors import CaseError
from rootcall.jsonvalue import LISTS, MISSING, OBJECTS
from rootcall.payload import loads
from rootcall.trace import Problem, Source, Trace

__all__ = ["Case", "Cases", "ExpectedCall", "load_cases", "matcher"]

MATCHERS = (
    "$one_of", "$regex", "$range", "$approx", "$casefold", "$unordered", "$contains", "$date", "$instant", "$from", "$any",
    "$absent", "$not", "$says", "$judge", "$literal",
)  # fmt: skip


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call a right run makes. `arguments` MISSING: not judged; `{}`: none are sent."""

    tool: str
    arguments: Any = MISSING
    optional: bool = False
    extra_arguments: Literal["allow", "forbid"] = "allow"


class Case(msgspec.Struct, frozen=True):
    """What is expected of a trace. `calls` None: not judged; `"some"`: any call; `()`: the no-call bucket."""

    id: str = "case"
    input: str | None = None
    reference_time: str | None = None
    tags: tuple[str, ...] = ()
    tools: Any = None
    must_pass: bool = False
    calls: tuple[ExpectedCall, ...] | Literal["some"] | None = None
    alternatives: tuple[tuple[ExpectedCall, ...], ...] = ()
    order: Literal["any", "in_order", "strict"] = "any"
    extra: Literal["reads", "allow", "forbid"] = "reads"
    forbid: tuple[str, ...] = ()
    errors: Mapping[str, Mapping[str, Any]] = {}
    answer: tuple[Any, ...] = ()
    goal: Any = None
    metadata: Mapping[str, Any] = {}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, id: str = "case") -> Case:  # noqa: A002 -- the field's own name
        """Build a case from the object of a case file.

        Raises:
            CaseError: something in it cannot be meant; says what was wanted and what came.
        """
        name = str(data.get("id", id))
        _known(name, "", data, _CASE_KEYS)
        expect = data.get("expect", {})
        if not isinstance(expect, OBJECTS):
            raise CaseError(f"case {name!r}: expect must be an object")
        _known(name, "expect.", expect, _EXPECT_KEYS)
        order = expect.get("order", "any")
        extra = expect.get("extra", "forbid" if order == "strict" else "reads")
        _one_of(name, "order", order, ("any", "in_order", "strict"))
        _one_of(name, "extra", extra, ("reads", "allow", "forbid"))
        calls = expect.get("calls")
        return cls(
            id=name,
            input=data.get("input"),
            reference_time=None if data.get("reference_time") is None else str(data["reference_time"]),
            tags=tuple(data.get("tags", ())),
            tools=data.get("tools"),
            must_pass=bool(data.get("must_pass", False)),
            calls=calls if calls is None or calls == "some" else _calls(name, calls),
            alternatives=tuple(_calls(name, alternative) for alternative in expect.get("alternatives", ())),
            order=order,
            extra=extra,
            forbid=tuple(expect.get("forbid", ())),
            errors=expect.get("errors", {}),
            answer=tuple(expect.get("answer", ())),
            goal=expect.get("goal"),
            metadata=data.get("metadata", {}),
        )


_CASE_KEYS: Final = ("id", "input", "reference_time", "tags", "tools", "must_pass", "expect", "metadata")
_EXPECT_KEYS: Final = ("calls", "alternatives", "order", "extra", "forbid", "errors", "answer", "goal")
_CALL_KEYS: Final = ("tool", "arguments", "optional", "extra_arguments")


def _known(case: str, where: str, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse a key nobody reads: a misspelt expectation would pass in silence."""
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
            raise CaseError(f"case {case!r}: unknown key {where}{key}; {hint}")


def _one_of(case: str, key: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise CaseError(f"case {case!r}: {key} must be one of {', '.join(allowed)}, got {value!r}")


def _calls(case: str, listed: object) -> tuple[ExpectedCall, ...]:
    if not isinstance(listed, LISTS) or isinstance(listed, str):
        raise CaseError(f'case {case!r}: calls must be a list, "some" or left out, got {listed!r}')
    calls = []
    for i, item in enumerate(listed):
        if not isinstance(item, OBJECTS) or not isinstance(item.get("tool"), str):
            raise CaseError(f"case {case!r}: calls[{i}] must be an object with a tool")
        _known(case, f"expect.calls[{i}].", item, _CALL_KEYS)
        arguments = item.get("arguments", MISSING)
        if arguments is not MISSING and not isinstance(arguments, OBJECTS):
            raise CaseError(f"case {case!r}: calls[{i}].arguments must be an object, got {arguments!r}")
        extra = item.get("extra_arguments", "allow")
        _one_of(case, f"calls[{i}].extra_arguments", extra, ("allow", "forbid"))
        calls.append(ExpectedCall(item["tool"], arguments, bool(item.get("optional", False)), extra))
    return tuple(calls)


def matcher(value: object) -> tuple[str, Any] | None:
    """Return `(name, operand)` when a value is a matcher: an object with exactly one key that starts with `$`."""
    if isinstance(value, OBJECTS) and len(value) == 1:
        key, operand = next(iter(value.items()))
        if isinstance(key, str) and key.startswith("$"):
            return key, operand
    return None


class Cases:
    """The cases of a suite, and which of them a trace meets.

    Raises:
        CaseError: two cases have the same id.
    """

    def __init__(self, cases: Iterable[Case], *, source: str = "<memory>") -> None:
        self._source = Source(source)
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

    def unused(self) -> list[Problem]:
        """A problem for every case that no trace has met so far."""
        return [
            Problem("case-unused", f"case {name!r} was met by no trace", self._source)
            for name in self._by_id
            if name not in self._met
        ]


def load_cases(path: Path | str) -> Cases:
    """Read a case file: JSONL (one case a line), JSON (one case, or a list) or YAML (the same, several documents too).

    Raises:
        CaseError: the file cannot be read, or a case in it cannot be meant. All faults of the file are named at once.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: not UTF-8 (byte {error.start})") from None
    read = _yaml_items if path.suffix in (".yaml", ".yml") else _json_items
    cases: list[Case] = []
    faults: list[str] = []
    for place, item in read(text):
        try:
            if isinstance(item, ValueError):
                raise CaseError(str(item))
            if not isinstance(item, Mapping):
                raise CaseError("a case must be an object")
            cases.append(Case.from_dict(item, id=f"case-{len(cases) + len(faults) + 1}"))
        except CaseError as error:
            faults.append(f"{path}{place}: {error}")
    if faults:
        raise CaseError("\n".join(faults))
    if not cases:
        raise CaseError(f"{path}: holds no case")
    return Cases(cases, source=str(path))


def _json_items(text: str) -> Iterator[tuple[str, Any]]:
    try:
        whole = loads(text)[0]
    except ValueError:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield f":{number}", loads(line)[0]
                except ValueError as error:
                    yield f":{number}", ValueError(f"not JSON: {error}")
        return
    for i, item in enumerate(whole if isinstance(whole, list) else [whole]):
        yield f"[{i}]" if isinstance(whole, list) else "", item


def _yaml_items(text: str) -> Iterator[tuple[str, Any]]:
    """YAML with the scalars of JSON: dates and times stay texts, `no` and `on` are words, `007` is an id."""
    import yaml

    class Loader(yaml.SafeLoader):
        """A safe loader that knows these scalars only."""

    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in (
        ("bool", r"true|false", "tf"),
        ("null", r"null|~|", "n~"),
        ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
        ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
        ("merge", r"<<", "<"),
    ):
        starts = [*first, ""] if tag == "null" else list(first)
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), starts)
    try:
        documents = list(yaml.load_all(text, Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        yield where, ValueError(f"not YAML: {getattr(error, 'problem', None) or error}")
        return
    for document in documents:
        for i, item in enumerate(document if isinstance(document, list) else [document]):
            yield f"[{i}]" if isinstance(document, list) else "", item
