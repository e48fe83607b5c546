"""BFCL's questions, functions and possible answers as cases of ours.

Owns the translation: functions become tool specs in OpenAI's shape with JSON Schema types, possible answers become
expected calls whose arguments are matchers. Questions and answers are joined by id, and whatever stays without its other
half is named. The row as BFCL has it is kept in the case's metadata, for BFCL's own verdict. Comparing is not done here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from rootcall.bfcl.literals import decode
from rootcall.errors import InputError
from rootcall.jsonvalue import MISSING, canonical, equal
from rootcall.readers.content import Opened
from rootcall.readers.records import Stream
from rootcall.trace import Problem, Source

__all__ = ["Imported", "case_of", "import_files", "import_rows", "tool_of"]

_TYPES: Final[Mapping[str, str]] = {
    "dict": "object", "hashmap": "object", "hashtable": "object", "object": "object",
    "array": "array", "arraylist": "array", "list": "array", "tuple": "array", "set": "array", "queue": "array",
    "stack": "array", "string": "string", "str": "string", "char": "string", "integer": "integer", "int": "integer",
    "byte": "integer", "short": "integer", "long": "integer", "bigint": "integer", "float": "number", "double": "number",
    "number": "number", "boolean": "boolean", "bool": "boolean", "null": "null",
}  # fmt: skip
_SINGLE: Final = re.compile(r"simple|multiple|parallel|relevance|java|python|sql|rest")
_OTHER: Final = re.compile(r"multi_turn|memory|web_search|agentic|format_sensitivity")
_VERSION: Final = re.compile(r"\ABFCL_v\d+_")

Row = Mapping[str, Any]


class Imported(msgspec.Struct, frozen=True):
    """Cases as case files have them (see `rootcall.case.Case.from_dict`), and what was left out."""

    cases: tuple[dict[str, Any], ...] = ()
    problems: tuple[Problem, ...] = ()


class _NoCase(Exception):  # noqa: N818 -- caught below and reported as a problem
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


# --- tools ------------------------------------------------------------------------------------------------------------


def tool_of(function: Row, *, dots_as_underscores: bool = False, literals: bool = False) -> dict[str, Any]:
    """Return a function as a tool spec in OpenAI's shape, with JSON Schema types; `any` and unknown types are dropped.

    With `literals` declared defaults are Java or JavaScript texts, and decoded.
    """
    name = str(function.get("name", ""))
    return {
        "type": "function",
        "function": {
            "name": name.replace(".", "_") if dots_as_underscores else name,
            "description": str(function.get("description", "")),
            "parameters": _schema(function.get("parameters", {}), literals),
        },
    }


def _schema(node: object, literals: bool) -> Any:
    """A schema with the types of JSON Schema, at every depth. Keywords are kept; values and texts are not looked into."""
    if not isinstance(node, Mapping):
        return node if isinstance(node, bool) else {}
    out = {k: v for k, v in node.items() if k != "type"}
    kind = node.get("type")
    if literals and "default" in node:
        out["default"] = decode(node["default"], node)
    if isinstance(kind, str) and kind.lower() in _TYPES:
        out = {"type": _TYPES[kind.lower()], **out}
    if isinstance(out.get("properties"), Mapping):
        out["properties"] = {name: _schema(inner, literals) for name, inner in out["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), Mapping):
            out[key] = _schema(out[key], literals)
    return out


# --- gold -------------------------------------------------------------------------------------------------------------


def _calls(row: Row, functions: Sequence[Row], language: bool, underscores: bool) -> list[dict[str, Any]]:
    answer = row.get("possible_answer")
    if not isinstance(answer, list):
        raise _NoCase("answer-unreadable", "the possible answer must be a list of calls")
    calls = []
    for i, item in enumerate(answer):
        if not isinstance(item, Mapping) or len(item) != 1 or not isinstance(next(iter(item.values())), Mapping):
            raise _NoCase("answer-unreadable", f"call {i} of the possible answer must be an object of one name")
        name, gold = next(iter(item.items()))
        spec = next((f for f in functions if f.get("name") == name), {})
        parameters = spec.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        known = properties if isinstance(properties, Mapping) else {}
        arguments = {key: _argument(options, known.get(key), language) for key, options in gold.items()}
        tool = name.replace(".", "_") if underscores else name
        calls.append({"tool": tool, "arguments": arguments, "extra_arguments": "forbid"})
    return calls


def _argument(options: object, schema: object, language: bool) -> Any:
    """The matcher of one argument: its options; the plain value where there is one; `$absent` where it may be left out."""
    declared = schema if isinstance(schema, Mapping) else {}
    listed = options if isinstance(options, list) else [options]
    kind = str(declared.get("type", "any")).lower()

    if language:
        listed = [form for option in listed for form in _forms(option, declared)]

    def value(option: object) -> Any:
        return _option(decode(option, declared) if language else option, kind, declared)

    return _one_of(listed, value, decode(_default(declared), declared) if language else _default(declared))


def _forms(option: Any, schema: Row) -> tuple[Any, ...]:
    """An option, and its text where that is no literal of the declared type: all values arrive as texts there."""
    if isinstance(option, str | Mapping):
        return (option,)
    text = json.dumps(option, ensure_ascii=False)
    return (option,) if equal(decode(text, schema), option) or isinstance(option, list) else (option, text)


def _default(schema: object) -> Any:
    return schema.get("default", MISSING) if isinstance(schema, Mapping) else MISSING


def _one_of(options: list[Any], value: Any, default: Any = MISSING) -> Any:
    """Options as a matcher. A declared default says the same as leaving the argument out, so it comes with `$absent`."""
    omissible = any(o == "" for o in options)
    accepted = [value(o) for o in options if not (isinstance(o, str) and o == "")]
    if omissible:
        accepted = [{"$absent": True}, *([] if default is MISSING else [_plain(default)]), *accepted]
    accepted = list({canonical(a): a for a in accepted}.values())
    return accepted[0] if len(accepted) == 1 else {"$one_of": accepted}


def _option(option: Any, kind: str, schema: Row) -> Any:
    """An option as a value; objects, and objects in a list, hold options of their own one level down."""
    kind = _TYPES.get(kind, "any")
    if kind == "object" and isinstance(option, Mapping):
        return _members(option, schema)
    if kind == "array" and isinstance(option, list):
        items = schema.get("items")
        inner = str(items.get("type", "any")).lower() if isinstance(items, Mapping) else "any"
        if _TYPES.get(inner) == "object":
            return [_members(o, items) if isinstance(o, Mapping) else _plain(o) for o in option]
    return _plain(option)


def _members(option: Row, schema: object) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    known = properties if isinstance(properties, Mapping) else {}
    found = {
        k: _one_of(v, _plain, _default(known.get(k))) if isinstance(v, list) else _plain(v) for k, v in option.items()
    }
    # Of an object with one key that looks like a matcher, the key is meant.
    return found if not _looks_like_a_matcher(found) else {"$literal": {k: _first(v) for k, v in option.items()}}


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _looks_like_a_matcher(value: object) -> bool:
    return isinstance(value, Mapping) and any(str(key).startswith("$") for key in value)


def _plain(value: Any) -> Any:
    """A value that means itself, also where it looks like a matcher."""
    if _looks_like_a_matcher(value):
        return {"$literal": value}
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


# --- cases ------------------------------------------------------------------------------------------------------------


def case_of(row: Row) -> dict[str, Any]:
    """Return one row, its answer beside its question, as a case.

    Keys: `id`, `question`, `function`, `possible_answer`; `category` (default: from the id), and
    `name_dots_as_underscores` where the model was offered `a.b` as `a_b`.

    Raises:
        InputError: the row is none; says what is missing.
    """
    try:
        return _case(row)
    except _NoCase as error:
        raise InputError(str(error)) from None


def _case(row: Row) -> dict[str, Any]:
    functions = row.get("function")
    if isinstance(functions, Mapping):
        functions = [functions]
    if not isinstance(functions, list) or not all(isinstance(f, Mapping) for f in functions):
        raise _NoCase("question-unreadable", "function must be a list of specs")
    if not all(isinstance(name := f.get("name"), str) and name for f in functions):
        raise _NoCase("question-unreadable", "each function must have a name")
    category = str(row.get("category") or _category(str(row.get("id", ""))))
    if _OTHER.search(category) or not _SINGLE.search(category):
        raise _NoCase("category-unknown", f"category {category!r} is not a single-turn one; there are no rules for it")
    underscores = row.get("name_dots_as_underscores") is True
    expect: dict[str, Any] = {"extra": "forbid"}
    if "irrelevance" in category:
        expect["calls"] = []
    elif "relevance" in category:
        expect = {"calls": "some"}
    else:
        language = "java" in category
        expect["calls"] = _calls(row, functions, language, underscores)
    kept = {"category": category} | {k: row.get(k) for k in ("question", "function", "possible_answer")}
    if underscores:
        kept["dots_as_underscores"] = True
    case = {
        "id": str(row["id"]),
        "tags": [category],
        "tools": [tool_of(f, dots_as_underscores=underscores, literals="java" in category) for f in functions],
        "expect": expect,
        "metadata": {"bfcl": kept},
    }
    said = _said(row.get("question"))
    return case if said is None else {"id": case["id"], "input": said, **case}


def _category(id: str) -> str:  # noqa: A002 -- the row's own name
    """`live_simple_106-63-0` and `BFCL_v4_live_simple.json` are of the category `live_simple`."""
    return _VERSION.sub("", id).removesuffix(".json").rpartition("_")[0]


def _said(question: object) -> str | None:
    """The first user message: what a trace is known by."""
    stack = [question]
    while stack:
        node = stack.pop(0)
        if isinstance(node, list):
            stack = [*node, *stack]
        elif isinstance(node, Mapping) and node.get("role") == "user" and isinstance(node.get("content"), str):
            return str(node["content"])
    return None


def import_rows(rows: Iterable[tuple[Any, Source]], *, dots_as_underscores: bool = False) -> Imported:
    """Turn rows into cases: questions with their answers, and questions and answers apart, joined by id.

    Rows are told apart by their keys: a question has `question` and `function`, an answer `ground_truth` alone, a whole
    row both (or `possible_answer`). What has no other half, no id, or an id that was there before is a problem.
    """
    questions: dict[str, tuple[Row, Source]] = {}
    answers: dict[str, tuple[Row, Source]] = {}
    problems: list[Problem] = []
    for row, source in rows:
        if not isinstance(row, Mapping) or "id" not in row:
            problems.append(Problem("no-row", "a row must be an object with an id", source))
            continue
        kind = questions if "function" in row else answers
        if kind is answers and "ground_truth" not in row:
            problems.append(Problem("no-row", f"{row['id']}: neither a function nor a ground_truth", source))
        elif str(row["id"]) in kind:
            problems.append(Problem("id-twice", f"{row['id']} was there before; the first is taken", source))
        else:
            kind[str(row["id"])] = row, source
    cases = list(_joined(questions, answers, problems, dots_as_underscores))
    for name, (_, source) in answers.items():
        if name not in questions:
            problems.append(Problem("question-missing", f"{name} has an answer and no question", source))
    return Imported(tuple(cases), tuple(problems))


def _joined(
    questions: Mapping[str, tuple[Row, Source]],
    answers: Mapping[str, tuple[Row, Source]],
    problems: list[Problem],
    dots_as_underscores: bool,
) -> Iterator[dict[str, Any]]:
    for name, (row, source) in questions.items():
        whole = dict(row)
        if dots_as_underscores:
            whole["name_dots_as_underscores"] = True
        if name in answers:
            whole["possible_answer"] = answers[name][0]["ground_truth"]
        elif "possible_answer" not in whole and "ground_truth" in whole:
            whole["possible_answer"] = whole["ground_truth"]
        if "possible_answer" not in whole and "relevance" not in str(whole.get("category") or _category(name)):
            problems.append(Problem("answer-missing", f"{name} has a question and no answer", source))
            continue
        try:
            yield _case(whole)
        except _NoCase as error:
            problems.append(Problem(error.code, f"{name}: {error}", source))
        except RecursionError:
            problems.append(Problem("nested-too-deeply", f"{name}: nested too deeply to be read", source))


def import_files(paths: Iterable[Path | str], *, dots_as_underscores: bool = False) -> Imported:
    """Read BFCL's files: whole rows, or question files and the files of `possible_answer/` beside them; plain or gzip.

    Raises:
        InputError: a file cannot be read, or there is no case in any of them.
    """
    problems: list[Problem] = []
    named = [Path(p) for p in paths]
    made = import_rows(_rows(named, problems), dots_as_underscores=dots_as_underscores)
    problems += made.problems
    if not made.cases:
        first = f": {problems[0]}" if problems else ""
        raise InputError(f"{', '.join(map(str, named))}: no BFCL case{first}")
    return Imported(made.cases, tuple(problems))


def _rows(paths: Iterable[Path], problems: list[Problem]) -> Iterator[tuple[Any, Source]]:
    for path in paths:
        try:
            with Opened(path) as opened:
                stream = Stream(opened.chunks(), opened.name, path=path, report=problems.append)
                for record in stream:
                    yield record.value, record.source
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
