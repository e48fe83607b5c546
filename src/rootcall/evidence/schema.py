"""What a tool's JSON Schema says about the arguments that were sent: one named fault per keyword, at its path.

Owns asking the validator of the schema's draft, and translating its errors into the names of the arguments layer. A
schema is brought into its form by `rootcall.evidence.schema_forms`. Nothing is repaired: the arguments are taken as they
came, and a schema that is broken is a problem of the schema, not of the call. Whether a fault matters is decided by the
layer.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from rootcall.evidence.schema_forms import prepared, unfolded
from rootcall.evidence.words import word_set
from rootcall.jsonvalue import MISSING, join_path, json_type

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

__all__ = ["CompiledSchema", "Fault", "compile_schema", "numeric_text", "path_text", "shown", "type_fault"]

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
    """A schema ready to be asked. `problem` says why it cannot be used; then `faults` knows nothing, and `schema` is empty."""

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
    except RecursionError:
        return CompiledSchema({}, None, "the schema is nested too deeply")
    except (TypeError, ValueError):
        return CompiledSchema({}, None, "the schema is not JSON")


_VALIDATORS: Final[Mapping[str, str]] = {
    "4": "Draft4Validator", "6": "Draft6Validator", "7": "Draft7Validator", "2019-09": "Draft201909Validator",
    "2020-12": "Draft202012Validator",
}  # fmt: skip
_MOST_UNFOLDED: Final = 1_000_000


@functools.lru_cache(maxsize=2048)
def _compiled(text: str) -> CompiledSchema:
    import jsonschema_rs

    schema, draft, problem = prepared(json.loads(text))
    read = schema if isinstance(schema, dict) else {}
    # Without references a schema has no more parts than letters.
    may_unfold = "$ref" in text or len(text) > _MOST_UNFOLDED
    if problem is None and may_unfold and unfolded(schema, read, {}) > _MOST_UNFOLDED:
        problem = "the schema refers to its own parts so often that asking it has no end"
    if problem is not None:
        return CompiledSchema({}, None, problem)
    try:
        validator = getattr(jsonschema_rs, _VALIDATORS[draft])(schema, validate_formats=True, offline=True)
    except jsonschema_rs.ValidationError as error:
        place = path_text(tuple(error.instance_path))
        return CompiledSchema({}, None, f"the schema is broken{' at ' if place else ''}{place}: {_first_line(error)}")
    except (ValueError, TypeError) as error:
        return CompiledSchema({}, None, f"the schema is broken: {_first_line(error)}")
    return CompiledSchema(read, validator, None)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["unknown reason"])[0][:200]


# --- errors into faults ----------------------------------------------------------------------------------------------

_RULES: Final[Mapping[str, str]] = {
    "minimum": "range", "maximum": "range", "exclusiveMinimum": "range", "exclusiveMaximum": "range",
    "multipleOf": "range", "pattern": "pattern", "minLength": "length", "maxLength": "length", "minItems": "items",
    "maxItems": "items", "uniqueItems": "items", "contains": "items", "minContains": "items", "maxContains": "items",
    "additionalItems": "items", "unevaluatedItems": "items", "format": "format", "minProperties": "schema",
    "maxProperties": "schema",
}  # fmt: skip
_BOUNDS: Final[Mapping[str, str]] = {
    "minimum": "be at least {0}", "maximum": "be at most {0}", "exclusiveMinimum": "be more than {0}",
    "exclusiveMaximum": "be less than {0}", "multipleOf": "be a multiple of {0}",
    "minLength": "be at least {0} characters long", "maxLength": "be at most {0} characters long",
    "minItems": "have at least {0} entries", "maxItems": "have at most {0} entries",
    "uniqueItems": "have no entry twice", "contains": "have an entry of the form that `contains` asks for",
    "minContains": "have more entries of the form that `contains` asks for",
    "maxContains": "have fewer entries of the form that `contains` asks for",
    "additionalItems": "have no entries beyond the listed ones",
    "unevaluatedItems": "have no entries beyond the listed ones", "pattern": "be text of the form {0}",
    "format": "be a {0}", "minProperties": "have at least {0} keys", "maxProperties": "have at most {0} keys",
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
        yield _missing_fault(path, error)
    elif kind in ("additionalProperties", "unevaluatedProperties"):
        for name in error.kind.value:
            value = got.get(name, MISSING) if isinstance(got, Mapping) else MISSING
            message = f"{path_text((*path, name))} is not an argument of this tool"
            yield Fault("unknown-argument", (*path, name), message, got=value)
    elif kind == "falseSchema":
        yield _false_fault(path, error)
    elif kind == "type":
        yield type_fault(path, list(error.kind.value), got)
    elif kind in ("enum", "const"):
        yield _enum_fault(path, error.kind.value if kind == "enum" else [error.kind.value], got)
    elif kind in ("anyOf", "oneOf"):
        yield from _union_faults(path, error)
    elif kind == "propertyNames":
        name = error.kind.value.instance
        message = f"{path_text((*path, name))} has a name that the schema does not allow"
        yield Fault("schema", (*path, name), message, got=name)
    elif kind in _RULES:
        yield _bound_fault(path, error)
    else:
        message = f"{_name(path)} breaks {kind} of the schema: {error.message[:160]}"
        yield Fault("schema", path, message, got=got)


def _missing_fault(path: Path, error: ValidationError) -> Fault:
    name = error.kind.value
    place = (*path, name)
    message = f"{path_text(place)} is required and was not sent"
    by = list(error.schema_path)
    if by[-1] in ("dependentRequired", "dependencies"):
        message = f"{path_text(place)} is required beside what was sent, by {by[-1]}, and was not sent"
    elif any(step in ("then", "else") for step in by):
        message = f"{path_text(place)} is required with these values and was not sent"
    return Fault("missing-required", place, message)


def _false_fault(path: Path, error: ValidationError) -> Fault:
    if not path:
        by = next((str(s) for s in reversed(list(error.schema_path)) if isinstance(s, str)), "")
        message = f"the schema allows no such arguments{f' (`{by}` is false)' if by else ''}"
        return Fault("schema", path, message, got=error.instance)
    if isinstance(path[-1], int):
        message = f"{path_text(path)} is an entry beyond those that the schema lists"
        return Fault("items", path, message, got=error.instance)
    return Fault("unknown-argument", path, f"{path_text(path)} is not allowed by the schema", got=error.instance)


def _bound_fault(path: Path, error: ValidationError) -> Fault:
    kind, got = error.kind.name, error.instance
    if kind == "contains":
        kind = str(list(error.schema_path)[-1])
    limit = getattr(error.kind, "value", None)
    wanted = _BOUNDS[kind].format(limit if isinstance(limit, str | int | float) else kind)
    local = kind == "format" and limit == "date-time" and _local_time(got)
    message = f"{_name(path)} must {wanted}, got {shown(got)}"
    expected = limit if isinstance(limit, str | int | float) else MISSING
    return Fault(_RULES[kind], path, message, expected, got, "likely" if local else "proof")


_ARTICLES: Final[Mapping[str, str]] = {
    "integer": "an integer", "object": "an object", "array": "an array", "null": "null",
}  # fmt: skip


def _local_time(value: Any) -> bool:
    """A date-time without offset breaks RFC 3339, which many servers tolerate: less than proof."""
    return isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\Z", value) is not None


def _name(path: Path) -> str:
    return path_text(path) or "the arguments object"


def type_fault(path: Path, types: Sequence[str], got: Any) -> Fault:
    """The fault of a value whose JSON type is none of those wanted."""
    wanted = " or ".join(_ARTICLES.get(t, f"a {t}") for t in types)
    expected: Any = types[0] if len(types) == 1 else list(types)
    place, rule = _name(path), "wrong-type"
    if got is None:
        return Fault("null-not-allowed", path, f"{place} must be {wanted}, got null", expected, got)
    message = f"{place} must be {wanted}, got the {json_type(got)} {shown(got)}"
    meant: Any = MISSING
    if isinstance(got, str) and {"number", "integer"} & set(types) and numeric_text(got):
        rule, meant = "number-as-string", _plain_number(got)
    elif isinstance(got, str) and "boolean" in types and got.strip().lower() in _BOOLEAN_WORDS:
        rule, meant = "boolean-as-string", {"true": True, "false": False}.get(got.strip().lower(), MISSING)
    if meant is not MISSING:
        message = f"{place}: expected {shown(meant)}, got {shown(got)}: text where the schema wants {wanted}"
    return Fault(rule, path, message, expected, got)


def _plain_number(text: str) -> Any:
    """The number that a text spells in digits as JSON does, so that there is no doubt which is meant; else MISSING."""
    try:
        value = json.loads(text)
    except ValueError:
        return MISSING
    return value if isinstance(value, int | float) and not isinstance(value, bool) else MISSING


_SEPARATORS: Final = re.compile(r"[\s_\-./]+")


def _folded(value: str) -> str:
    return _SEPARATORS.sub("", value).casefold()


def _enum_fault(path: Path, options: Sequence[Any], got: Any) -> Fault:
    wanted = ", ".join(shown(o, 30) for o in options[:12]) + (", …" if len(options) > 12 else "")
    message = f"{_name(path)} must be {wanted if len(options) == 1 else f'one of {wanted}'}, got {shown(got)}"
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
    """A union is reported as the branch that fits best would be: first by the type of the value, then by its faults."""
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
        yield type_fault(path, list(types), error.instance)
    elif all(len(b) == 1 and b[0].kind.name in ("enum", "const") and tuple(b[0].instance_path) == path for b in viable):
        options = [o for b in viable for o in (b[0].kind.value if b[0].kind.name == "enum" else [b[0].kind.value])]
        yield _enum_fault(path, options, error.instance)
    else:
        costs = [_misfit(b, path) for b in viable]
        best = [b for b, cost in zip(viable, costs, strict=True) if cost == min(costs)]
        if len(best) == 1:
            for inner in best[0]:
                yield from _translated(inner)
            return
        message = f"{_name(path)} fits none of the {len(branches)} forms of the schema: {shown(error.instance)}"
        yield Fault("schema", path, message, got=error.instance)


_SHAPE: Final = ("required", "additionalProperties", "unevaluatedProperties", "falseSchema")


def _misfit(branch: Sequence[ValidationError], path: Path) -> tuple[int, int, int]:
    """How badly a branch fits: by its marks (a `kind` of another branch), then by its keys, then by all its faults."""
    marks = sum(e.kind.name in ("const", "enum") and len(e.instance_path) == len(path) + 1 for e in branch)
    keys = sum(e.kind.name in _SHAPE for e in branch)
    return marks, keys, len(branch)


def _without_echoes(faults: Sequence[Fault]) -> Iterator[Fault]:
    """Where the type is wrong, the enum and the bounds of the same place say nothing new."""
    typed = {
        f.path for f in faults if f.rule in ("wrong-type", "null-not-allowed", "number-as-string", "boolean-as-string")
    }
    seen: set[tuple[str, Path]] = set()
    for f in faults:
        if (f.rule, f.path) in seen or (f.path in typed and f.rule in ("enum-unknown", "range", "length", "schema")):
            continue
        seen.add((f.rule, f.path))
        yield f
