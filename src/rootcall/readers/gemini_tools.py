"""Gemini's two spellings, and its tools as other readers take them: REST writes camel case, Python's dumps snake case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["either", "hosted_name", "plain_tools", "spelled"]

_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# The keys of a schema whose values are named by the tool's author.
_NAMED: Final = ("properties", "defs", "$defs", "definitions")
_SCHEMAS: Final = ("anyOf", "items", "additionalProperties", "prefixItems", "oneOf", "allOf")


def spelled(value: Mapping[str, Any], camel: str) -> str:
    """The key as a value spells it."""
    return camel if camel in value else _HUMP.sub("_", camel).lower()


def either(value: Mapping[str, Any], camel: str) -> Any:
    """The value under a key in either spelling; None when it is not there."""
    found = value.get(camel)
    return value.get(_HUMP.sub("_", camel).lower()) if found is None else found


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(w.capitalize() for w in rest) if head else key


def plain_tools(tools: object) -> Any:
    """Tools without the keys that a dump left empty, their schemas in the spelling of JSON Schema."""
    if isinstance(tools, Mapping):
        tools = [tools]
    if not isinstance(tools, list):
        return tools
    out: list[Any] = []
    for tool in tools:
        if not isinstance(tool, Mapping):
            out.append(tool)
            continue
        kept = {k: v for k, v in tool.items() if v is not None}
        declared = kept.pop(spelled(kept, "functionDeclarations"), None)
        if isinstance(declared, list):
            out.append({"functionDeclarations": [_declaration(d) for d in declared]})
        # One object may hold several tools of the provider's own.
        named = "name" in kept or "function" in kept
        out += [kept] if named else [{k: {}} for k in kept]
    return out


def _declaration(declared: object) -> Any:
    if not isinstance(declared, Mapping):
        return declared
    kept = {_camel(k): v for k, v in declared.items() if v is not None}
    if "parameters" in kept:
        kept["parameters"] = _schema(kept["parameters"])
    return kept


def _schema(schema: object) -> Any:
    """An OpenAPI schema, of whose keys a dump wrote all that there are, the empty ones too."""
    if isinstance(schema, list):
        return [_schema(s) for s in schema]
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if value is None and key not in ("default", "const", "example"):
            continue
        if value is None and "type" in schema and "any_of" in schema:
            continue  # a dump: nothing was said
        name = {"defs": "$defs", "ref": "$ref"}.get(key, _camel(key))
        if key in _NAMED and isinstance(value, Mapping):
            out[name] = {n: _schema(s) for n, s in value.items()}
        elif name in _SCHEMAS:
            out[name] = _schema(value)
        else:
            out[name] = value
    return out


def hosted_name(kind: str, declared: tuple[str, ...]) -> str:
    """The name under which a tool of the provider's is declared, however it is spelled; else in snake case."""
    plain = re.sub(r"[^a-z]", "", kind.lower())
    for name in declared:
        if plain.startswith(re.sub(r"[^a-z]", "", name.lower())):
            return name
    return _HUMP.sub("_", kind).lower()
