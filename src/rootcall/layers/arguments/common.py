"""What every rule of the arguments layer works on: each attempt with its tool, schema and places, and how a check is made.

A unit is one argument of an intent; nested places belong to the unit of their top-level argument. Every attempt at an
intent is looked at, so that the verdict can judge the last one and count the first ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from rootcall.check import ArgumentClass, Attempt, Check, Grade, Status
from rootcall.evidence.argument_class import argument_classes
from rootcall.evidence.intents import intents
from rootcall.evidence.parameters import Parameter, parameter_at, parameters
from rootcall.evidence.schema import CompiledSchema, compile_schema, shown
from rootcall.jsonvalue import MISSING, join_path, walk
from rootcall.trace import Call, Tool, Trace, per_record, per_trace

__all__ = ["Place", "Sent", "sent", "shown"]

_MOST_PLACES = 400


class Place(msgspec.Struct, frozen=True, gc=False):
    """One scalar in the arguments: its path, its top-level argument, and what the tool says about the place."""

    path: str
    top: str
    value: Any
    parameter: Parameter


class Sent(msgspec.Struct, frozen=True, gc=False):
    """One attempt at an intent: the call, its tool when known, its compiled schema, its places in document order.

    `class_of` gives the class of a top-level argument.
    """

    trace: Trace
    call: Call
    intent: str
    attempt: Attempt
    attempts: tuple[Call, ...]
    tool: Tool | None
    schema: CompiledSchema | None
    table: Mapping[str, Parameter]
    places: tuple[Place, ...]
    class_of: Callable[[str], ArgumentClass]

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments as sent; empty when none could be read."""
        return self.call.arguments or {}

    def parameter(self, name: str) -> Parameter:
        """What the tool says about a top-level argument."""
        return parameter_at(self.table, join_path("", name), self.tool, name, self.call.tool)

    def check(
        self,
        rule: str,
        status: Status,
        message: str,
        *,
        place: Place | None = None,
        top: str | None = None,
        path: str | None = None,
        grade: Grade = "proof",
        expected: Any = MISSING,
        got: Any = MISSING,
        question: str | None = None,
        causes: tuple[str, ...] = (),
    ) -> Check:
        """Make a check about a place, about an argument (`top`, `path`), or, without either, about the arguments as a whole.

        A failing check about a place got its value.
        """
        call = self.call
        if place is not None:
            top, path = place.top, place.path
            got = place.value if status == "fail" and got is MISSING else got
        where = path or (join_path("", top) if top is not None else None)
        error = call.error if status == "fail" else None
        return Check(
            layer="arguments",
            rule=f"arguments/{rule}",
            status=status,
            grade=grade,
            unit=self.unit(top),
            tool=call.tool,
            argument=where,
            argument_class=None if top is None else self.class_of(top),
            error_code=None if error is None else error.label,
            attempt=self.attempt,
            agent=call.agent,
            at=call.at if where is None else f"{call.at}.arguments.{where}",
            source=call.source,
            expected=expected,
            got=got,
            message=message,
            question=question,
            causes=causes,
        )

    def unit(self, top: str | None) -> str:
        """The unit of a top-level argument, or of the arguments as a whole."""
        return f"argument:{self.intent}" if top is None else f"argument:{self.intent}.{top}"


@per_trace
def sent(trace: Trace) -> tuple[Sent, ...]:
    """Return every attempt at every intent of a trace, in order of intents."""
    return tuple(_attempts(trace))


def _attempts(trace: Trace) -> Iterator[Sent]:
    for intent in intents(trace):
        n = len(intent.attempts)
        for i, call in enumerate(intent.attempts):
            attempt: Attempt = "only" if n == 1 else "first" if i == 0 else "final" if i == n - 1 else "retry"
            tool = _tool(trace, call)
            schema = None if tool is None else _compiled(tool)
            table = parameters(tool)
            places = tuple(_places(call, tool, table))
            class_of = argument_classes(trace, call)
            yield Sent(trace, call, intent.id, attempt, intent.attempts, tool, schema, table, places, class_of)


@per_record
def _compiled(tool: Tool) -> CompiledSchema | None:
    return None if tool.schema is None else compile_schema(tool.schema)


def _tool(trace: Trace, call: Call) -> Tool | None:
    offered = trace.offered(call.step, call.agent)
    return trace.tool(call.tool) if offered is None else offered.get(call.tool)


def _places(call: Call, tool: Tool | None, table: Mapping[str, Parameter]) -> Iterator[Place]:
    left = _MOST_PLACES
    for top, value in (call.arguments or {}).items():
        root = join_path("", str(top))
        if not isinstance(value, dict | list):
            yield Place(root, top, value, parameter_at(table, root, tool, top, call.tool))
            continue
        for path, scalar in walk(value, root):
            left -= 1
            if left < 0:
                return
            if isinstance(scalar, dict | list):
                continue
            name = path.rsplit(".", 1)[-1].partition("[")[0] or top
            yield Place(path, top, scalar, parameter_at(table, path, tool, name, call.tool))
