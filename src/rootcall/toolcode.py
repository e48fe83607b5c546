"""Tools from a program's own objects: Pydantic models, TypeAdapters and functions, with their validators.

Owns turning one such object into a `Tool` whose `validator` runs the object's own validation, and reading what Pydantic
says against a call into `Rejection`s. Schema and validation are Pydantic's, imported when first used; no function is
ever called. Whether a rejection says more than the schema did is decided by the arguments layer.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from rootcall.errors import UsageError
from rootcall.jsonvalue import MISSING, json_type
from rootcall.trace import Rejection, Tool

__all__ = ["is_code", "tool_from_code"]

EXTRA: Final = "pip install 'rootcall[pydantic]'"


def is_code(value: object) -> bool:
    """Tell whether a value is an object that `tool_from_code` takes. Loads nothing."""
    if isinstance(value, str | bytes | Mapping | Sequence) or value is None:
        return False
    return (
        inspect.isroutine(value)
        or isinstance(value, functools.partial)
        or inspect.isclass(value)
        or _is_adapter(value)
        or _held(value) is not None
        or callable(getattr(value, "model_dump", None))
        or callable(value)
    )


def tool_from_code(value: object, name: str = "") -> Tool:
    """Make a tool of a Pydantic model, a TypeAdapter, a function, or an object of a framework that holds one of them.

    Args:
        value: the object. A model is named after its class, a function after itself; the docstring describes it.
        name: the name it is given from outside; a TypeAdapter and a lambda have none of their own.

    Raises:
        UsageError: no schema can be made of it, it has no name, or pydantic is missing.
    """
    if isinstance(value, Tool):
        return msgspec.structs.replace(value, name=name) if name else value
    held = _held(value)
    if held is not None:
        return _of_framework(value, held, name)
    if not inspect.isclass(value) and callable(getattr(value, "model_dump", None)):  # MCP's and providers' own records
        from rootcall.toolspec import read_tools

        tools, _ = read_tools([value.model_dump(mode="json", by_alias=True, exclude_none=True)])  # type: ignore[attr-defined]
        if not tools:
            raise UsageError(
                f"{_called(value)}: an instance that is no tool spec; give its class, a spec or a function"
            )
        return msgspec.structs.replace(tools[0], name=name) if name else tools[0]
    adapter: Any = None
    if _is_adapter(value) or inspect.isclass(value):
        adapter, named, words = _of_type(value)
    else:
        named, words = _function_name(value), inspect.getdoc(_function(value)) or ""
        adapter = _of_function(value, words)
        words = _summary(words)
    name = name or named
    if not name:
        raise UsageError(f"{_called(value)} has no name of its own; give it as {{'name': …}}")
    schema = _json_schema(adapter, name)
    return Tool(name, words or schema.get("description", ""), schema, validator=PydanticValidator(adapter))


def _held(value: object) -> object:
    """The model or schema that a framework's tool holds (LangChain and CrewAI; OpenAI's agents), or None."""
    if inspect.isclass(value):
        return None
    return next((h for n in ("args_schema", "params_json_schema") if (h := getattr(value, n, None)) is not None), None)


def _of_framework(value: object, held: object, name: str) -> Tool:
    inner = Tool("", schema=dict(held)) if isinstance(held, Mapping) else tool_from_code(held)
    named, words = getattr(value, "name", ""), getattr(value, "description", "")
    return msgspec.structs.replace(
        inner,
        name=name or (named if isinstance(named, str) else ""),
        description=words if isinstance(words, str) else "",
    )


def _is_adapter(value: object) -> bool:
    pydantic = sys.modules.get("pydantic")  # who made an adapter has imported it
    return pydantic is not None and isinstance(value, pydantic.TypeAdapter)


def _pydantic(wanted_for: str) -> Any:
    try:
        import pydantic
    except ImportError:
        raise UsageError(f"{wanted_for}: making a tool of it needs pydantic 2: {EXTRA}") from None
    if int(pydantic.VERSION.partition(".")[0]) < 2:
        raise UsageError(f"{wanted_for}: pydantic 2 is wanted, {pydantic.VERSION} is installed: {EXTRA}")
    return pydantic


def _called(value: object) -> str:
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return str(name)


def _of_type(value: object) -> tuple[Any, str, str]:
    """A model, a dataclass or a TypedDict, and a TypeAdapter of one: its adapter, name and words."""
    pydantic = _pydantic(_called(value))
    if _is_adapter(value):
        return value, "", ""
    if not hasattr(value, "model_json_schema") and (
        hasattr(value, "__fields__") or not hasattr(value, "__annotations__")
    ):
        raise UsageError(
            f"{_called(value)}: a class of this kind is no tool; a Pydantic 2 model or a function is wanted"
        )
    try:
        adapter = pydantic.TypeAdapter(value)
    except pydantic.errors.PydanticUserError as error:
        raise UsageError(f"{_called(value)}: no tool can be made of it: {_line(error)}") from None
    return adapter, value.__name__, inspect.cleandoc(vars(value).get("__doc__") or "")  # type: ignore[attr-defined]


def _line(error: Exception) -> str:
    """The first sentence of an error: Pydantic goes on with advice about its own settings."""
    return (str(error).splitlines() or [type(error).__name__])[0].partition(". ")[0].rstrip(".")


# --- functions -------------------------------------------------------------------------------------------------------


def _function(value: Any) -> Any:
    while isinstance(value, functools.partial):
        value = value.func
    return value if inspect.isroutine(value) else type(value).__call__


def _function_name(value: Any) -> str:
    while isinstance(value, functools.partial):
        value = value.func
    name = getattr(value, "__name__", "")
    return name if name.isidentifier() else ""


def _of_function(value: Any, words: str) -> Any:
    """An adapter for the arguments of a function. The function itself is not called."""
    called = _called(value)
    pydantic = _pydantic(called)
    try:
        signature = inspect.signature(value)
        hints = typing.get_type_hints(_function(value), include_extras=True)
    except (NameError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{called}: its signature cannot be read: {_line(error)}") from None
    said = dict(_parameter_words(words))
    fields: dict[str, Any] = {}
    extra = "forbid"
    for i, p in enumerate(signature.parameters.values()):
        if p.kind is p.VAR_KEYWORD:
            extra = "allow"
        if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) or (i == 0 and p.name in ("self", "cls")):
            continue
        # Fields by number, since a parameter may be called as a method of the model is (`json`, `copy`).
        about = _hint_words(hints.get(p.name)) or said.get(p.name)
        field = pydantic.Field(alias=p.name, title=p.name, **({"description": about} if about else {}))
        hint = hints.get(p.name, Any)
        fields[f"parameter_{i}"] = (typing.Annotated[hint, field], ... if p.default is p.empty else p.default)
    config = pydantic.ConfigDict(extra=extra)
    try:
        return pydantic.TypeAdapter(pydantic.create_model(_function_name(value) or "tool", __config__=config, **fields))
    except pydantic.errors.PydanticUserError as error:
        raise UsageError(f"{called}: its hints have no JSON Schema: {_line(error)}; or give a spec") from None


def _hint_words(hint: object) -> str | None:
    """The text in `Annotated[int, "how many"]`, or of `Doc("how many")`."""
    for entry in getattr(hint, "__metadata__", ()):
        words = entry if isinstance(entry, str) else getattr(entry, "documentation", None)
        if isinstance(words, str):
            return words
    return None


_SECTION: Final = re.compile(r"^(?:Args|Arguments|Parameters|Params):\s*$", re.MULTILINE)
_ENTRY: Final = re.compile(
    r"^(?P<indent> +)\*{0,2}(?P<name>\w+)\s*(?:\([^)\n]*\))?:\s*(?P<text>.*(?:\n(?P=indent) +.*)*)", re.MULTILINE
)
_FIELD: Final = re.compile(r"^:param (?:[\w\[\], |.]+ )?(?P<name>\w+):\s*(?P<text>.*(?:\n +.*)*)", re.MULTILINE)
_END: Final = re.compile(r"\n(?=\S)")


def _parameter_words(doc: str) -> Iterator[tuple[str, str]]:
    """What a docstring says about each parameter, in Google's manner (`Args:`) or Sphinx's (`:param x:`)."""
    section = _SECTION.search(doc)
    entries = _ENTRY.finditer(_END.split(doc[section.end() :].lstrip("\n"), maxsplit=1)[0]) if section else ()
    for found in (*entries, *_FIELD.finditer(doc)):
        yield found["name"], " ".join(found["text"].split())


def _summary(doc: str) -> str:
    """A docstring up to where its parameters are listed."""
    starts = [found.start() for found in (_SECTION.search(doc), _FIELD.search(doc)) if found is not None]
    return doc[: min(starts, default=len(doc))].strip()


# --- schema and validation -------------------------------------------------------------------------------------------


def _json_schema(adapter: Any, name: str) -> Any:
    from pydantic.errors import PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        # A default that JSON cannot hold is left out; that needs no warning.
        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012 -- the library's own type

    try:
        schema = adapter.json_schema(by_alias=True, schema_generator=Quiet)
    except PydanticUserError as error:
        raise UsageError(f"{name}: no JSON Schema can be made of it: {_line(error)}; or give a spec") from None
    if schema.get("type", "object") != "object":
        raise UsageError(f"{name}: its values are of type {schema['type']}; the arguments of a tool are an object")
    return schema


class PydanticValidator:
    """Runs the validation of a model on arguments, as they would come from JSON, and says what it rejects."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter

    def __call__(self, arguments: Mapping[str, Any]) -> tuple[Rejection, ...]:
        """Return what the model rejects. The arguments are written to JSON first, so that nothing can change them.

        Raises:
            Exception: whatever the user's own code raises, other than what Pydantic takes as a rejection.
        """
        from pydantic import ValidationError

        text = json.dumps(arguments)
        try:
            self._adapter.validate_json(text)
        except ValidationError as error:
            found = error.errors(include_url=False)
        else:
            return ()
        if any(e["type"] == "json_invalid" for e in found):
            raise ValueError("the arguments are no JSON that Pydantic reads")
        return tuple(_rejections(found, arguments))


def _rejections(errors: Sequence[Mapping[str, Any]], arguments: Mapping[str, Any]) -> Iterator[Rejection]:
    placed = [(e, *_place(e["loc"], arguments)) for e in errors]
    for error, path, _ in _of_best_branch(placed):
        message = re.sub(r"\A(?:Value error|Assertion failed), ", "", error["msg"])
        rule, expected = _rule(error["type"], error.get("ctx") or {})
        if error["type"] in _MISSING:
            path = (*path, error["loc"][-1])  # noqa: PLW2901 -- the key that is not there ends the path
        got = MISSING if error["type"] in _MISSING else error.get("input", MISSING)
        yield Rejection(message, path, rule, expected, got if json_type(got) != "missing" else MISSING)


_Placed = tuple[Mapping[str, Any], tuple[str | int, ...], str]


def _place(loc: Sequence[str | int], arguments: object) -> tuple[tuple[str | int, ...], str]:
    """The path in the arguments, and the first label of a union's branch: labels are what the arguments do not hold."""
    path: list[str | int] = []
    value: Any = arguments
    branch = ""
    for n, step in enumerate(loc, 1):
        if step in value if isinstance(value, Mapping) else isinstance(value, list) and step in range(len(value)):
            path.append(step)
            value = value[step]
        elif not branch and (n < len(loc) or not isinstance(value, Mapping)):
            branch = f"{len(path)}:{step}"
    return tuple(path), branch


def _of_best_branch(placed: Sequence[_Placed]) -> Iterator[_Placed]:
    """Of a union Pydantic lists what each branch rejects; the branch with the fewest faults of shape was meant."""
    groups: dict[tuple[Any, ...], dict[str, list[_Placed]]] = {}
    for entry in placed:
        _, path, branch = entry
        depth = int(branch.partition(":")[0]) if branch else len(path)
        groups.setdefault((bool(branch), path[:depth]), {}).setdefault(branch, []).append(entry)
    for (of_union, _), branches in groups.items():
        if not of_union:
            yield from (entry for entries in branches.values() for entry in entries)
            continue
        yield from min(branches.values(), key=lambda es: (sum(_is_shape(e[0]["type"]) for e in es), len(es)))


_MISSING: Final = ("missing", "missing_argument", "missing_keyword_only_argument", "missing_positional_only_argument")
_EXTRA_KEYS: Final = ("extra_forbidden", "unexpected_keyword_argument", "unexpected_positional_argument")
_EXACT: Final[Mapping[str, str]] = {
    "literal_error": "enum-unknown", "enum": "enum-unknown", "string_pattern_mismatch": "pattern",
    "string_too_short": "length", "string_too_long": "length", "bytes_too_short": "length", "bytes_too_long": "length",
    "too_short": "items", "too_long": "items", "set_item_not_hashable": "items",
    "greater_than": "range", "greater_than_equal": "range", "less_than": "range", "less_than_equal": "range",
    "multiple_of": "range", "finite_number": "range", "decimal_max_digits": "range", "decimal_max_places": "range",
    "decimal_whole_digits": "range", "int_parsing_size": "range",
    "union_tag_invalid": "enum-unknown", "union_tag_not_found": "schema",
}  # fmt: skip
_BOUNDS: Final = ("ge", "gt", "le", "lt", "multiple_of", "pattern", "min_length", "max_length", "expected")
_FORMATS: Final = ("date", "datetime", "time", "timezone", "uuid", "url", "ip")
# The first word of an error's type, and the JSON type that was wanted.
_TYPES: Final[Mapping[str, str]] = {
    "int": "integer", "float": "number", "decimal": "number", "bool": "boolean", "string": "string", "bytes": "string",
    "list": "array", "tuple": "array", "set": "array", "frozen": "array", "iterable": "array", "dict": "object",
    "mapping": "object", "model": "object", "dataclass": "object", "none": "null",
}  # fmt: skip


def _is_shape(kind: str) -> bool:
    return kind in _MISSING or kind in _EXTRA_KEYS or kind.endswith(("_type", "_parsing"))


def _rule(kind: str, context: Mapping[str, Any]) -> tuple[str, Any]:
    """The rule of the arguments layer for a type of Pydantic's errors, and what was wanted."""
    if kind in _MISSING:
        return "missing-required", MISSING
    if kind in _EXTRA_KEYS:
        return "unknown-argument", MISSING
    if kind in _EXACT:
        bound = next((context[k] for k in _BOUNDS if isinstance(context.get(k), str | int | float)), MISSING)
        return _EXACT[kind], bound
    first = kind.partition("_")[0]
    if first in _FORMATS:
        return "format", MISSING
    if first in _TYPES and kind.rpartition("_")[2] in ("type", "parsing", "float", "required", "attributes"):
        return "wrong-type", _TYPES[first]
    return "validator", MISSING
