"""Which arguments a tool has: those its schema names, and those its calls send.

An argument that neither has is a slip of whoever names it. Whether a value that was sent fits is `evidence.schema`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rootcall.jsonvalue import LISTS, OBJECTS
from rootcall.trace import Tool, Trace, per_record, per_trace

__all__ = ["argument_names", "has_argument", "without_argument"]

_MOST: Final = 2000
_PARTS: Final = ("allOf", "anyOf", "oneOf")
_WHERE: Final = ("if", "then", "else")


def has_argument(trace: Trace, tool: str, name: str) -> bool | None:
    """Tell whether a tool has an argument: a call of the trace sent it, or its schema names it; None where none is known."""
    if name in _sent(trace).get(tool, ()):
        return True
    offered = trace.tool(tool)
    if offered is None or not isinstance(offered.schema, OBJECTS):
        return None
    named = argument_names(offered)
    return named is None or name in named


def without_argument(trace: Trace, tool: str, name: str) -> str:
    """Say that a tool is not known to have an argument, so that nothing can be told by its value; else an empty text."""
    known = has_argument(trace, tool, name)
    if known is None:
        return f"no call of {tool} sends {name}, and no schema tells whether it is an argument"
    return "" if known else f"{tool} has no argument {name}"


@per_trace
def _sent(trace: Trace) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for call in trace.calls:
        found.setdefault(call.tool, set()).update(call.arguments or ())
    return found


@per_record
def argument_names(tool: Tool) -> frozenset[str] | None:
    """The arguments a tool's schema names; None where there is no telling: no schema, or one that takes any others.

    Names under `allOf`, `anyOf`, `oneOf`, `if` and inner references count. A schema that says nothing of other arguments
    is taken to name all there are.
    """
    if not isinstance(tool.schema, OBJECTS):
        return None
    found, stack, seen = set[str](), [tool.schema], set[int]()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if part.get("patternProperties") or part.get("additionalProperties") not in (None, False) or len(seen) > _MOST:
            return None
        named = part.get("properties")
        found.update(named if isinstance(named, OBJECTS) else ())
        inner = [p for key in _PARTS if isinstance(part.get(key), LISTS) for p in part[key]]
        inner += [part[key] for key in _WHERE if key in part]
        if "$ref" in part:
            target = _referred(tool.schema, part["$ref"])
            if target is None:
                return None
            inner.append(target)
        stack += [p for p in inner if isinstance(p, OBJECTS)]
    return frozenset(found)


def _referred(schema: Mapping[str, Any], reference: object) -> Mapping[str, Any] | None:
    """The part an inner reference like `#/$defs/x` leads to."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    at: Any = schema
    for key in reference[1:].split("/")[1:]:
        at = at.get(key.replace("~1", "/").replace("~0", "~")) if isinstance(at, OBJECTS) else None
    return at if isinstance(at, OBJECTS) else None
