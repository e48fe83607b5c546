"""Tool specs in any shape to `Tool`s: the one reader of what a trace, a file or a program says about its tools.

Owns the shapes: OpenAI chat and Responses, Anthropic, MCP `tools/list`, Gemini's function declarations, Bedrock's
`toolSpec`, bare `{name, parameters}` objects. Models and functions are handed to `rootcall.toolcode`, files and places in
code are `rootcall.tools`'. Schemas are taken as they stand: whether one is sound is judged where it is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from rootcall.jsonvalue import OBJECTS
from rootcall.toolcode import is_code, tool_from_code
from rootcall.trace import Problem, Source, Tool

__all__ = ["read_tools"]

_MEMORY: Final = Source()
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
_BODIES: Final = ("function", "custom", "toolSpec")
_WRAPPERS: Final = ("tools", "result", "functions", *_DECLARATIONS, "toolConfig", "tool_config")
_SCHEMAS: Final = (
    "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema",
    "paramsJsonSchema", "params_json_schema",
)  # fmt: skip


def read_tools(specs: object, source: Source = _MEMORY) -> tuple[tuple[Tool, ...], list[Problem]]:
    """Read tool specs, mixed as they come.

    Args:
        specs: a list of specs, an object that holds one (`{"tools": […]}`, a JSON-RPC response), an object of specs by
            name, or one spec. A spec may also be a `Tool`, a Pydantic model, a TypeAdapter by name, or a function. The
            JSON text of specs as `msgspec.Raw` is decoded once for all traces that carry the same text.
        source: where they stand, for problems.

    Returns:
        The tools, and a problem for every spec that could not be read. Of two tools with one name the last counts,
        and a problem says so.

    Raises:
        UsageError: a model or a function that no schema can be made of, or pydantic is missing for it.
    """
    if isinstance(specs, msgspec.Raw) or (type(specs) is list and all(type(s) is dict for s in specs)):
        try:
            tools, faults = _tools_in(msgspec.json.encode(specs))
            return tools, [Problem(code, message, source) for code, message in faults]
        except (TypeError, ValueError, RecursionError):  # no JSON: read as it is
            pass
    tools, faults = _read_tools(specs)
    return tools, [Problem(code, message, source) for code, message in faults]


Faults = tuple[tuple[str, str], ...]


@functools.lru_cache(maxsize=256)
def _tools_in(text: bytes) -> tuple[tuple[Tool, ...], Faults]:
    """The tools in a JSON text. The traces of one agent offer the same tools: they are read once, and shared.

    They are read from the text, so that they stay as they are when the caller's own lists change.
    """
    return _read_tools(msgspec.json.decode(text))


def _read_tools(specs: object) -> tuple[tuple[Tool, ...], Faults]:
    """The tools, and the code and message of each problem."""
    listed = _listed(specs)
    if listed is None:
        return (), (("tools-not-a-list", "tools must be a list of tool specs"),)
    faults: list[tuple[str, str]] = []
    tools: dict[tuple[str, str | None], Tool] = {}
    for place, name, spec in _entries(listed):
        tool = _read_tool(spec, name)
        if tool is None:
            faults.append(("tool-unreadable", f"{place} {_lack(spec)}; it is left out"))
            continue
        key = tool.name, tool.agent
        if key in tools and tools[key] != tool:
            faults.append(("tool-twice", f"tool {tool.name!r} is described twice; the last one counts"))
        tools[key] = tool
    return tuple(tools.values()), tuple(faults)


def _lack(spec: object) -> str:
    return (
        "has no name"
        if isinstance(spec, Mapping | str)
        else f"is no tool spec but a value of type {type(spec).__name__}"
    )


def _listed(specs: object) -> list[tuple[str, object]] | None:
    """The specs one by one, each with the name it is given from outside (mostly none); None when there are none."""
    for _ in range(4):
        if isinstance(specs, OBJECTS) and not _is_spec(specs):
            inner = next((specs[k] for k in _WRAPPERS if k in specs), None)
            if inner is None and _is_named(specs):
                return [(str(name), spec) for name, spec in specs.items()]
            specs = inner
    if type(specs) is list:
        return [("", spec) for spec in specs]
    if isinstance(specs, Mapping | Tool) or is_code(specs):
        return [("", specs)]
    if not isinstance(specs, Iterable) or isinstance(specs, str | bytes | Mapping):
        return None
    return [("", spec) for spec in specs]


def _is_spec(value: Mapping[Any, Any]) -> bool:
    return any(k in value and not isinstance(value[k], list) for k in ("name", "function", "toolSpec"))


def _is_named(value: Mapping[Any, Any]) -> bool:
    """Tell whether an object holds tools by their names, as programs keep them."""
    return bool(value) and all(
        isinstance(v, Tool) or is_code(v) or (isinstance(v, Mapping) and any(k in v for k in _SCHEMAS))
        for v in value.values()
    )


def _entries(listed: list[tuple[str, object]]) -> Iterator[tuple[str, str, object]]:
    """Each spec with its place; a Gemini tool holds several."""
    for i, (name, spec) in enumerate(listed):
        inner = next((spec[k] for k in _DECLARATIONS if k in spec), None) if isinstance(spec, OBJECTS) else None
        if isinstance(inner, list):
            yield from ((f"tools[{i}].functionDeclarations[{j}]", "", s) for j, s in enumerate(inner))
        else:
            yield f"tools[{i}]", name, spec


def _read_tool(spec: object, given: str) -> Tool | None:
    if isinstance(spec, str):
        return Tool(spec) if spec else None
    if not isinstance(spec, OBJECTS):
        return tool_from_code(spec, given) if isinstance(spec, Tool) or is_code(spec) else None
    inner = next((v for k in _BODIES if (v := spec.get(k)) is not None and isinstance(v, OBJECTS)), spec)
    name = inner.get("name") or given or _built_in(spec)
    if not isinstance(name, str) or not name:
        return None
    hints = inner.get("annotations", spec.get("annotations"))
    description = inner.get("description")
    agent = inner.get("agent", spec.get("agent"))
    return Tool(
        name=name,
        description=description if isinstance(description, str) else "",
        schema=_schema(inner),
        hints=dict(hints) if hints is not None and isinstance(hints, OBJECTS) else {},
        output_schema=inner.get("outputSchema"),
        agent=agent if isinstance(agent, str) and agent else None,
    )


def _schema(body: Mapping[str, Any]) -> Any:
    schema = next((body[k] for k in _SCHEMAS if k in body), None)
    if isinstance(schema, OBJECTS) and len(schema) == 1 and "json" in schema:  # Bedrock
        return schema["json"]
    return schema


def _built_in(spec: Mapping[str, Any]) -> object:
    """Tools that providers run themselves have a type (`{"type": "web_search"}`) or are a key (`{"googleSearch": {}}`)."""
    kind = spec.get("type")
    if "name" not in spec and isinstance(kind, str) and kind not in ("function", "custom", "object"):
        return kind
    return next(iter(spec)) if len(spec) == 1 and next(iter(spec.values())) == {} else None
