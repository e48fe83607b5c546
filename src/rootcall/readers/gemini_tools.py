"""Gemini's tools as other readers take them: without what a dump left empty, schemas in the spelling of JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from rootcall.readers.spelling import camel, snake, spelled

__all__ = ["hosted_name", "plain_tools"]

# The keys of a schema whose values are named by the tool's author.
_NAMED: Final = ("properties", "defs", "$defs", "definitions")
_SCHEMAS: Final = ("anyOf", "items", "additionalProperties", "prefixItems", "oneOf", "allOf")


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
    kept = {camel(k): v for k, v in declared.items() if v is not None}
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
        name = {"defs": "$defs", "ref": "$ref"}.get(key, camel(key))
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
    return snake(kind)
