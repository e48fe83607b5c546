"""The forms in which tool schemas occur: which draft one is, whether it is sound, and what it says to a reader.

Owns two ways of taking a schema. `prepared` is for judging: the draft is told from `$schema`, forms that can mean one
thing only are brought into it (OpenAPI's `nullable`, Gemini's upper-case types, the list form of `items`), and whatever is
broken is named and never guessed at. `normalized` and `resolve` are for reading what a tool says about its arguments; they
are generous, since nothing fails by them. Asking a schema about arguments is `rootcall.evidence.schema`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import unquote

from rootcall.jsonvalue import OBJECTS, join_path, json_type

__all__ = ["Draft", "Prepared", "normalized", "prepared", "resolve", "unfolded"]

Draft = Literal["4", "6", "7", "2019-09", "2020-12"]

TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
# What other vocabularies call them: BFCL, Python, Java, JavaScript.
_OTHER_TYPES: Final[Mapping[str, str]] = {
    "dict": "object", "map": "object", "hashmap": "object", "hashtable": "object",
    "list": "array", "tuple": "array", "arraylist": "array", "set": "array",
    "str": "string", "char": "string", "text": "string",
    "int": "integer", "long": "integer", "short": "integer", "byte": "integer", "bigint": "integer",
    "float": "number", "double": "number", "decimal": "number",
    "bool": "boolean", "none": "null", "nonetype": "null",
}  # fmt: skip
_ONE: Final = (
    "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
_MANY: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
_HOLDERS: Final = frozenset({*_ONE, *_MANY, *_NAMED})
# Keywords that have one form in all drafts and hold no other part.
_SAYING: Final = frozenset({"type", "description", "title", "default"})
_SIMPLE: Final = _SAYING | {"enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "examples"}
_BOUNDS: Final = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_UNIONS: Final = ("$ref", "anyOf", "oneOf", "allOf", "enum", "const")


# --- for judging -----------------------------------------------------------------------------------------------------


class Prepared(NamedTuple):
    """A schema as the validator of its draft takes it, or the reason why it cannot be used."""

    schema: Any
    draft: Draft
    problem: str | None = None


def prepared(schema: Any) -> Prepared:
    """Bring a schema into the form of its draft, in place: `schema` must be a copy that nobody else holds.

    Without `$schema`, or with one that is not known, it is 2020-12, and what only an older draft or OpenAPI writes is
    read as meant there. Named as broken are: what is neither object nor boolean, types that JSON Schema does not
    have, and references that lead nowhere. Other faults are the validator's to find.
    """
    if not isinstance(schema, dict | bool):
        return Prepared(schema, "2020-12", f"the schema is broken: an object is wanted, {json_type(schema)} came")
    if isinstance(schema, bool):
        return Prepared(schema, "2020-12")
    declared = schema.pop("$schema", None)
    draft = _draft(declared)
    found = list(_mended(schema, declared=draft is not None))
    problem = None
    if found:
        more = f", and {len(found) - 1} more such faults" if len(found) > 1 else ""
        whose = " (BFCL's type names; map them first)" if any('"dict"' in f for f in found) else ""
        problem = f"the schema is broken{whose}: {found[0]}{more}"
    return Prepared(schema, draft or "2020-12", problem)


def _draft(declared: object) -> Draft | None:
    if not isinstance(declared, str):
        return None
    for mark, draft in _DRAFTS.items():
        if mark in declared:
            return draft
    return None


_DRAFTS: Final[Mapping[str, Draft]] = {
    "json-schema.org/draft-04": "4", "json-schema.org/draft-06": "6", "json-schema.org/draft-07": "7",
    "json-schema.org/draft/2019-09": "2019-09", "json-schema.org/draft/2020-12": "2020-12",
}  # fmt: skip


def _mended(root: dict[str, Any], *, declared: bool) -> Iterator[str]:
    """Walk every part of a schema, those that references lead to included; mend it in place and yield its faults."""
    stack: list[tuple[Any, str]] = [(root, "")]
    seen: set[int] = set()
    based: bool | None = None
    while stack:
        node, path = stack.pop()
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        reference = node.get("$ref")
        if isinstance(reference, str) and based is None:
            based = _has_bases(root)
        if isinstance(reference, str) and not based:
            fault, target = _followed(reference, root)
            if fault:
                yield f"$ref at {path or 'its top'} {fault}"
            stack.append((target, reference))
        yield from _types(node, path)
        yield from _required(node, path)
        if not declared:
            _to_2020(node)
        if node.get("additionalProperties") is False:
            node.setdefault("properties", {})  # so that the undeclared ones are named
        stack += reversed([*_parts(node, path)])
        # Last, since it moves the node's content into a branch; the parts keep their identity.
        _nullable(node)


def _has_bases(root: dict[str, Any]) -> bool:
    """Whether parts have an `$id`: references count from there then, and only the validator can follow them."""
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("$id", node.get("id")), str):
                return True
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return False


def _followed(reference: str, root: dict[str, Any]) -> tuple[str | None, Any]:
    """What is wrong with a reference, or None, and where it leads. Anchors are left to the validator."""
    if reference == "#":
        return None, root
    if reference.startswith("#/"):
        target = _target(reference, root)
        return ("leads nowhere: " + reference if target is None else None), target
    if "://" in reference and "json-schema.org" not in reference:
        return f"leads out of the schema to {reference}, and nothing is fetched; put it under $defs", None
    return None, None


def _types(node: dict[str, Any], path: str) -> Iterator[str]:
    if "type" not in node:
        return
    listed = node["type"]
    names = listed if isinstance(listed, list) else [listed]
    known = [t.lower() for t in names if isinstance(t, str) and t.lower() in TYPES]
    if len(known) == len(names) and names:
        unique = list(dict.fromkeys(known))
        node["type"] = unique if isinstance(listed, list) else unique[0]
        return
    place = join_path(path, "type")
    for name in names:
        if not isinstance(name, str):
            yield f"{place} is a value of type {json_type(name)}, the name of a type is wanted"
        elif name.lower() not in TYPES:
            other = _OTHER_TYPES.get(name.lower())
            advice = f'write "{other}"' if other else f"it has {', '.join(TYPES)}; leave `type` out where any will do"
            yield f'"{name[:40]}" at {place} is no type of JSON Schema; {advice}'
    if not names:
        yield f"{place} is an empty list; leave `type` out where any will do"


def _required(node: dict[str, Any], path: str) -> Iterator[str]:
    listed = node.get("required")
    if isinstance(listed, bool):
        yield f"required at {path or 'its top'} is {str(listed).lower()}; it is a list of names, and stands beside `properties`"
    elif listed == []:
        del node["required"]  # draft 4 forbids the empty list, which means nothing anywhere


def _to_2020(node: dict[str, Any]) -> None:
    """Forms of older drafts that mean nothing else in 2020-12: the list form of `items`, boolean exclusive bounds."""
    if isinstance(node.get("items"), list) and "prefixItems" not in node:
        node["prefixItems"] = node.pop("items")
        if not node["prefixItems"]:
            del node["prefixItems"]
        if "additionalItems" in node:
            node["items"] = node.pop("additionalItems")
    for exclusive, plain in _BOUNDS:
        if isinstance(node.get(exclusive), bool):
            on = node.pop(exclusive)
            if on and plain in node:
                node[exclusive] = node.pop(plain)


def _nullable(node: dict[str, Any]) -> None:
    """OpenAPI 3.0 says `nullable: true` beside the type; a reference, a union or an enum then takes null as well."""
    if node.pop("nullable", None) is not True:
        return
    listed = node.get("type")
    if any(k in node for k in _UNIONS):
        kept = {k: node.pop(k) for k in [*node] if k not in ("description", "title", "default", "$defs", "definitions")}
        node["anyOf"] = [kept, {"type": "null"}]
    elif listed is not None:
        types = listed if isinstance(listed, list) else [listed]
        node["type"] = list(dict.fromkeys([*types, "null"]))


def _parts(node: dict[str, Any], path: str) -> Iterator[tuple[Any, str]]:
    if node.keys().isdisjoint(_HOLDERS):  # as most parts are: a type and a description
        return
    for key in _ONE:
        part = node.get(key)
        if isinstance(part, dict):
            yield part, join_path(path, key)
        elif isinstance(part, list):  # `items` of the drafts that have it as a list
            yield from ((p, f"{join_path(path, key)}[{i}]") for i, p in enumerate(part))
    for key in _MANY:
        branches = node.get(key)
        if isinstance(branches, list):
            yield from ((b, f"{join_path(path, key)}[{i}]") for i, b in enumerate(branches))
    for key in _NAMED:
        named = node.get(key)
        if isinstance(named, dict):
            yield from (
                (p, join_path(join_path(path, key), str(name))) for name, p in named.items() if not _in_order(p)
            )


def _in_order(part: Any) -> bool:
    """Tell whether there is nothing to mend in a part, as in most: a type, a description, perhaps an enum or bounds."""
    return isinstance(part, dict) and _SIMPLE.issuperset(part) and part.get("type", "string") in TYPES


def unfolded(node: Any, root: Mapping[str, Any], sizes: dict[str, int]) -> int:
    """How many parts a schema has once every local reference is followed; one that leads back to itself ends there."""
    if isinstance(node, list):
        return sum(unfolded(x, root, sizes) for x in node)
    if not isinstance(node, Mapping):
        return 1
    size = 1 + sum(unfolded(v, root, sizes) for k, v in node.items() if k not in ("$defs", "definitions"))
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        if reference not in sizes:
            sizes[reference] = 0
            sizes[reference] = unfolded(_target(reference, root), root, sizes)
        size += sizes[reference]
    return size


def _target(reference: str, root: Mapping[str, Any]) -> Any:
    target: Any = root
    for part in reference[1:].split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(target, list):
            target = target[int(key)] if key.isdecimal() and int(key) < len(target) else None
        else:
            target = target.get(key) if isinstance(target, Mapping) else None
    return target


# --- for reading -----------------------------------------------------------------------------------------------------

_DEPTH: Final = 40
_READ_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_READ: Final = frozenset({*_ONE, *_MANY, *_READ_NAMED})


def normalized(schema: Any, depth: int = 0) -> Any:
    """Return a schema as JSON Schema 2020-12 has it. The input is not changed.

    Types of other vocabularies get their JSON Schema name, unknown ones are dropped (what is unknown is not judged);
    `nullable` becomes a type, a boolean `exclusiveMinimum` a number, `required: true` on a property moves to its parent.
    """
    if not isinstance(schema, OBJECTS):
        return schema if isinstance(schema, bool) or depth == 0 else {}
    if depth > _DEPTH:
        return {}
    if _SAYING.issuperset(schema) and schema.get("type", "string") in TYPES:  # as most parts are: in form already
        return dict(schema)
    out = {k: v for k, v in schema.items() if k not in ("$schema", "nullable")}
    _normalize_type(out, nullable=schema.get("nullable") is True)
    _normalize_bounds(out)
    if isinstance(out.get("items"), list):
        out["prefixItems"] = out.pop("items")
    for key in out.keys() & _READ:
        part = out[key]
        if key in _ONE:
            out[key] = normalized(part, depth + 1)
        elif key in _MANY and isinstance(part, list) and part:
            out[key] = [normalized(b, depth + 1) for b in part]
        elif key in _READ_NAMED and isinstance(part, OBJECTS):
            out[key] = {str(k): normalized(v, depth + 1) for k, v in part.items()}
        else:
            del out[key]
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
    types = [_type_name(t) for t in named]
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
    for exclusive, plain in _BOUNDS:
        if isinstance(out.get(exclusive), bool):
            on = out.pop(exclusive)
            if on and plain in out:
                out[exclusive] = out.pop(plain)


def _normalize_required(out: dict[str, Any], schema: Mapping[str, Any]) -> None:
    listed = out.get("required")
    required = [str(r) for r in listed] if isinstance(listed, list) else []
    properties = schema.get("properties")
    if isinstance(properties, OBJECTS):
        required += [str(k) for k, v in properties.items() if isinstance(v, OBJECTS) and v.get("required") is True]
    if required:
        out["required"] = list(dict.fromkeys(required))
    else:
        out.pop("required", None)


def resolve(schema: Any, root: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """Follow local references and take the one branch of a nullable union, so that a reader sees what is wanted."""
    if not isinstance(schema, OBJECTS) or depth > 8:
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


def _type_name(name: object) -> str | None:
    lower = str(name).lower()
    return lower if lower in TYPES else _OTHER_TYPES.get(lower)
