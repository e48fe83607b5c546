"""What a tool's JSON Schema says about the arguments that were sent: one named fault per keyword, at its path.

Owns normalising schemas as they occur in the wild (BFCL's `dict` and `float`, upper-case types, OpenAPI's `nullable`,
older drafts) and translating the validator's errors into the names of the arguments layer. Nothing is repaired: only
the schema is read generously, the arguments are taken as they came. A schema that cannot be compiled is a problem of
the schema, not of the call. Whether a fault matters is decided by the layer.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from rootcall.evidence.words import word_set
from rootcall.jsonvalue import MISSING, join_path, json_type

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

__all__ = ["CompiledSchema", "Fault", "compile_schema", "normalized", "numeric_text", "path_text", "resolve"]

Path = tuple[str | int, ...]


class Fault(msgspec.Struct, frozen=True):
    """One keyword that the arguments break.

    `rule` is the name without the layer (`missing-required`, `enum-case`); `path` leads from the arguments object to
    the place, which for a missing or an undeclared property includes that property. `grade` is less than proof where
    servers commonly tolerate what the letter of the schema forbids.
    """

    rule: str
    path: Path
    message: str
    expected: Any = MISSING
    got: Any = MISSING
    grade: Literal["proof", "likely", "hint"] = "proof"


class CompiledSchema:
    """A schema ready to be asked. `problem` says why it cannot be used; then `faults` knows nothing."""

    def __init__(self, schema: Any, validator: Any, problem: str | None) -> None:
        self.schema = schema
        self.problem = problem
        self._validator = validator

    def faults(self, arguments: Mapping[str, Any]) -> tuple[Fault, ...] | None:
        """Return what the arguments break, in document order; None when that cannot be decided.

        It cannot where the schema is unusable, or the arguments are nested too deeply or are no Unicode text.
        """
        if self._validator is None:
            return None
        try:
            if self._validator.is_valid(arguments):
                return ()
            found = [f for e in self._validator.iter_errors(arguments) for f in _translated(e)]
        except (ValueError, TypeError, OverflowError, RecursionError):
            return None
        return tuple(_without_echoes(found))


def compile_schema(schema: Any) -> CompiledSchema:
    """Compile the schema of a tool's arguments; equal schemas are compiled once per process."""
    try:
        return _compiled(json.dumps(schema, sort_keys=True))
    except (TypeError, ValueError, RecursionError):
        return CompiledSchema({}, None, "the schema is not JSON")


@functools.lru_cache(maxsize=2048)
def _compiled(text: str) -> CompiledSchema:
    import jsonschema_rs

    schema = normalized(json.loads(text))
    if isinstance(schema, dict) and _unfolded(schema, schema, {}) > _MOST_UNFOLDED:
        return CompiledSchema(schema, None, "the schema refers to its own parts so often that asking it has no end")
    try:
        validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True, offline=True)
    except (ValueError, TypeError) as error:
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        return CompiledSchema(schema if isinstance(schema, dict) else {}, None, f"the schema is invalid: {reason}")
    return CompiledSchema(schema if isinstance(schema, dict) else {}, validator, None)


_MOST_UNFOLDED: Final = 1_000_000


def _unfolded(node: Any, root: Mapping[str, Any], sizes: dict[str, int]) -> int:
    """How many parts a schema has once every local reference is followed; one that leads back to itself ends there."""
    if isinstance(node, list):
        return sum(_unfolded(x, root, sizes) for x in node)
    if not isinstance(node, Mapping):
        return 1
    size = 1 + sum(_unfolded(v, root, sizes) for k, v in node.items() if k not in ("$defs", "definitions"))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        if reference not in sizes:
            sizes[reference] = 0
            sizes[reference] = _unfolded(_target(reference, root), root, sizes)
        size += sizes[reference]
    return size


def _target(reference: str, root: Mapping[str, Any]) -> Any:
    target: Any = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, Mapping) else None
    return target


# --- schemas as they occur -------------------------------------------------------------------------------------------

_TYPES: Final[Mapping[str, str]] = {
    "object": "object", "dict": "object", "map": "object", "hashmap": "object", "hashtable": "object",
    "array": "array", "list": "array", "tuple": "array", "arraylist": "array", "set": "array",
    "string": "string", "str": "string", "char": "string", "text": "string",
    "integer": "integer", "int": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer",
    "number": "number", "float": "number", "double": "number", "decimal": "number",
    "boolean": "boolean", "bool": "boolean", "null": "null", "none": "null", "nonetype": "null",
}  # fmt: skip
_ONE: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_MANY: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_DEPTH: Final = 40


def normalized(schema: Any, depth: int = 0) -> Any:
    """Return a schema as JSON Schema 2020-12 has it. The input is not changed.

    Types of other vocabularies get their JSON Schema name, unknown ones are dropped (what is unknown is not judged);
    `nullable` becomes a type, a boolean `exclusiveMinimum` a number, `required: true` on a property moves to its parent.
    """
    if not isinstance(schema, Mapping):
        return schema if isinstance(schema, bool) or depth == 0 else {}
    if depth > _DEPTH:
        return {}
    out = {k: v for k, v in schema.items() if k not in ("$schema", "nullable")}
    _normalize_type(out, nullable=schema.get("nullable") is True)
    _normalize_bounds(out)
    if isinstance(out.get("items"), list):
        out["prefixItems"] = out.pop("items")
    for key in _ONE:
        if key in out:
            out[key] = normalized(out[key], depth + 1)
    for key in _MANY:
        if key in out:
            branches = out[key]
            if isinstance(branches, list) and branches:
                out[key] = [normalized(b, depth + 1) for b in branches]
            else:
                del out[key]
    for key in _NAMED:
        if isinstance(out.get(key), Mapping):
            out[key] = {str(k): normalized(v, depth + 1) for k, v in out[key].items()}
        else:
            out.pop(key, None)
    _normalize_required(out, schema)
    if out.get("additionalProperties") is False:
        out.setdefault("properties", {})  # so that the undeclared ones are named
    return out


def _normalize_type(out: dict[str, Any], *, nullable: bool) -> None:
    if "enum" in out and not (isinstance(out["enum"], list) and out["enum"]):
        del out["enum"]
    if "type" not in out:
        return
    named = out["type"] if isinstance(out["type"], list) else [out["type"]]
    types = [_TYPES.get(str(t).lower()) for t in named]
    if not types or None in types:
        del out["type"]
        return
    if nullable:
        types.append("null")
        if "enum" in out and None not in out["enum"]:
            out["enum"] = [*out["enum"], None]
    unique = list(dict.fromkeys(types))
    out["type"] = unique if len(unique) > 1 else unique[0]


def _normalize_bounds(out: dict[str, Any]) -> None:
    for exclusive, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(out.get(exclusive), bool):
            on = out.pop(exclusive)
            if on and plain in out:
                out[exclusive] = out.pop(plain)


def _normalize_required(out: dict[str, Any], schema: Mapping[str, Any]) -> None:
    listed = out.get("required")
    required = [str(r) for r in listed] if isinstance(listed, list) else []
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        required += [str(k) for k, v in properties.items() if isinstance(v, Mapping) and v.get("required") is True]
    if required:
        out["required"] = list(dict.fromkeys(required))
    else:
        out.pop("required", None)


def resolve(schema: Any, root: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """Follow local references and take the one branch of a nullable union, so that a reader sees what is wanted."""
    if not isinstance(schema, Mapping) or depth > 8:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        followed = resolve(_target(reference, root), root, depth + 1)
        return {**followed, **{k: v for k, v in schema.items() if k != "$ref"}}
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            real = [b for b in branches if not (isinstance(b, Mapping) and b.get("type") == "null")]
            if len(real) == 1:
                rest = {k: v for k, v in schema.items() if k != key}
                return {**resolve(real[0], root, depth + 1), **rest}
    return schema


# --- errors into faults ----------------------------------------------------------------------------------------------

_RULES: Final[Mapping[str, str]] = {
    "minimum": "range", "maximum": "range", "exclusiveMinimum": "range", "exclusiveMaximum": "range",
    "multipleOf": "range", "pattern": "pattern", "minLength": "length", "maxLength": "length", "minItems": "items",
    "maxItems": "items", "uniqueItems": "items", "contains": "items", "format": "format",
}  # fmt: skip
_BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "at least {0}", "maximum": "at most {0}", "exclusiveMinimum": "more than {0}",
    "exclusiveMaximum": "less than {0}", "multipleOf": "a multiple of {0}", "minLength": "at least {0} characters long",
    "maxLength": "at most {0} characters long", "minItems": "at least {0} entries long",
    "maxItems": "at most {0} entries long", "pattern": "text of the form {0}", "format": "a {0}",
}  # fmt: skip
_NUMBER: Final = re.compile(r"\s*[-+]?(\d{1,3}(,\d{3})+|\d+)?([.,]\d+)?([eE][-+]?\d+)?\s*%?\s*\Z")
_NUMBER_WORDS: Final = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred "
    "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 eins zwei drei vier fünf sechs sieben acht neun zehn uno dos tres cuatro cinco "
    "seis siete ocho nueve diez un deux trois quatre cinq sept huit neuf dix 一 二 三 四 五 六 七 八 九 十 两"
)
_BOOLEAN_WORDS: Final = word_set("true false yes no on off")


def numeric_text(text: str) -> bool:
    """Tell whether a text is a number written out: digits in a usual form, or a small number word."""
    return (any(c.isdigit() for c in text) and _NUMBER.match(text) is not None) or (
        text.strip().lower() in _NUMBER_WORDS
    )


def path_text(path: Path) -> str:
    """Write a path as `where.age` or `flights[0].date`."""
    return functools.reduce(join_path, path, "")


def shown(value: Any, limit: int = 60) -> str:
    """Write a value as short JSON text for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "a value nested too deeply"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _translated(error: ValidationError) -> Iterator[Fault]:
    kind = error.kind.name
    path: Path = tuple(error.instance_path)
    got = error.instance
    if type(error.kind).__name__ in ("BacktrackLimitExceeded", "RegexEngineFailure"):
        return  # the pattern could not be tried to the end: that is no fault of the value
    if kind == "required":
        name = error.kind.value
        yield Fault("missing-required", (*path, name), f"{path_text((*path, name))} is required and was not sent")
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        for name in error.kind.value:
            value = got.get(name, MISSING) if isinstance(got, Mapping) else MISSING
            message = f"{path_text((*path, name))} is not an argument of this tool"
            yield Fault("unknown-argument", (*path, name), message, got=value)
    elif kind == "falseSchema" and path:
        yield Fault("unknown-argument", path, f"{path_text(path)} is not allowed by the schema", got=got)
    elif kind == "type":
        yield _type_fault(path, list(error.kind.value), got)
    elif kind in ("enum", "const"):
        yield _enum_fault(path, error.kind.value if kind == "enum" else [error.kind.value], got)
    elif kind in ("anyOf", "oneOf"):
        yield from _union_faults(path, error)
    elif kind in _RULES:
        limit = error.kind.value
        wanted = _BOUNDS.get(kind, "valid under {0}").format(limit if isinstance(limit, str | int | float) else kind)
        local = kind == "format" and limit == "date-time" and _local_time(got)
        message = f"{_name(path)} must be {wanted}, got {shown(got)}"
        yield Fault(_RULES[kind], path, message, limit, got, "likely" if local else "proof")
    else:
        message = f"{_name(path)} breaks {kind} of the schema: {error.message[:160]}"
        yield Fault("schema", path, message, got=got)


_ARTICLES: Final[Mapping[str, str]] = {
    "integer": "an integer", "object": "an object", "array": "an array", "null": "null",
}  # fmt: skip


def _local_time(value: Any) -> bool:
    """A date-time without offset breaks RFC 3339, which many servers tolerate: less than proof."""
    return isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\Z", value) is not None


def _name(path: Path) -> str:
    return path_text(path) or "the arguments object"


def _type_fault(path: Path, types: Sequence[str], got: Any) -> Fault:
    wanted = " or ".join(_ARTICLES.get(t, f"a {t}") for t in types)
    expected = types[0] if len(types) == 1 else list(types)
    rule = "wrong-type"
    if got is None:
        rule = "null-not-allowed"
    elif isinstance(got, str) and {"number", "integer"} & set(types) and numeric_text(got):
        rule = "number-as-string"
    elif isinstance(got, str) and "boolean" in types and got.strip().lower() in _BOOLEAN_WORDS:
        rule = "boolean-as-string"
    came = "null" if got is None else f"the {json_type(got)} {shown(got)}"
    return Fault(rule, path, f"{_name(path)} must be {wanted}, got {came}", expected, got)


_SEPARATORS: Final = re.compile(r"[\s_\-./]+")


def _folded(value: str) -> str:
    return _SEPARATORS.sub("", value).casefold()


def _enum_fault(path: Path, options: Sequence[Any], got: Any) -> Fault:
    wanted = ", ".join(shown(o, 30) for o in options[:12]) + (", …" if len(options) > 12 else "")
    message = f"{_name(path)} must be one of {wanted}, got {shown(got)}"
    if got is None:
        return Fault("null-not-allowed", path, message, list(options), got)
    if isinstance(got, str):
        near = [o for o in options if isinstance(o, str) and _folded(o) == _folded(got)]
        if near:
            message = f"{_name(path)} is {shown(got)}, which differs from {shown(near[0])} only in its spelling"
            return Fault("enum-case", path, message, near[0], got)
        if numeric_text(got) and any(not isinstance(o, str | bool) and str(o) == got.strip() for o in options):
            return Fault("number-as-string", path, message, list(options), got)
    return Fault("enum-unknown", path, message, list(options), got)


def _union_faults(path: Path, error: ValidationError) -> Iterator[Fault]:
    """A union is reported as its fitting branch would be: the one whose type is that of the value."""
    branches: list[list[ValidationError]] = getattr(error.kind, "context", None) or []
    failed = [b for b in branches if b]
    if len(failed) < len(branches) or not failed:
        message = f"{_name(path)} fits several forms of the schema at once, one is wanted"
        yield Fault("schema", path, message, got=error.instance)
        return
    typed = [[e for e in b if e.kind.name == "type" and tuple(e.instance_path) == path] for b in failed]
    viable = [b for b, wrong in zip(failed, typed, strict=True) if not wrong]
    if not viable:
        types = dict.fromkeys(t for wrong in typed for t in wrong[0].kind.value)
        yield _type_fault(path, list(types), error.instance)
    elif len(viable) == 1:
        for inner in viable[0]:
            yield from _translated(inner)
    elif all(len(b) == 1 and b[0].kind.name in ("enum", "const") for b in viable):
        options = [o for b in viable for o in (b[0].kind.value if b[0].kind.name == "enum" else [b[0].kind.value])]
        yield _enum_fault(path, options, error.instance)
    else:
        message = f"{_name(path)} fits none of the {len(branches)} forms of the schema: {shown(error.instance)}"
        yield Fault("schema", path, message, got=error.instance)


def _without_echoes(faults: Sequence[Fault]) -> Iterator[Fault]:
    """Where the type is wrong, the enum and the bounds of the same place say nothing new."""
    typed = {f.path for f in faults if f.rule in ("wrong-type", "null-not-allowed", "number-as-string")}
    seen: set[tuple[str, Path]] = set()
    for f in faults:
        if (f.rule, f.path) in seen or (f.path in typed and f.rule in ("enum-unknown", "range", "length", "schema")):
            continue
        seen.add((f.rule, f.path))
        yield f
