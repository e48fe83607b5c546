"""The calls of one stored message: its parts and its older list of invocations, brought together.

Mastra and version 4 of the AI SDK keep each call twice, in `parts` and in `toolInvocations`, and neither list is complete:
a call that threw stands in the parts only, what an older version stored in the list only. The order is that of
`@mastra/evals` 1.10.2, whose scorers count these calls. A pure function, for the readers and for the scorers alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["COUNTED_STATES", "Invocation", "counted_calls", "merged_invocations"]

COUNTED_STATES = frozenset({"result", "call", "output-error"})
"""The states that Mastra's scorers count; calls being written, awaiting approval or denied are none to them."""


class Invocation(NamedTuple):
    """One call: the object that tells it, and its place in `parts` or, where it stands only there, in `toolInvocations`."""

    value: Mapping[str, Any]
    part: int | None = None
    listed: int | None = None


def merged_invocations(content: object) -> list[Invocation]:
    """Return the calls of a message's content in order.

    Of a call in both lists, told by its id, the part counts. One that only the older list has comes before the next call
    that both have, else last. Calls without an id are never taken for one another; content of another shape has none.
    """
    if not isinstance(content, Mapping):
        return []
    inside = [
        Invocation(p["toolInvocation"], part=n)
        for n, p in enumerate(_objects(content.get("parts")))
        if p.get("type") == "tool-invocation" and isinstance(p.get("toolInvocation"), Mapping)
    ]
    listed = [Invocation(v, listed=n) for n, v in enumerate(_objects(content.get("toolInvocations"))) if v]
    known = {_id(i) for i in inside}
    known.discard(None)
    places = {_id(i): n for n, i in enumerate(listed)}
    out: list[Invocation] = []
    at = 0
    for invocation in inside:
        place = places.get(_id(invocation)) if _id(invocation) is not None else None
        if place is not None:
            out += [i for i in listed[at:place] if _id(i) not in known]
            at = max(at, place + 1)
        out.append(invocation)
    return out + [i for i in listed[at:] if _id(i) not in known]


def counted_calls(content: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield `(index, invocation)` of the calls that Mastra's scorers count; the index counts those passed over too."""
    for n, invocation in enumerate(merged_invocations(content)):
        name = invocation.value.get("toolName")
        if isinstance(name, str) and name and invocation.value.get("state") in COUNTED_STATES:
            yield n, invocation.value


def _objects(values: object) -> list[Mapping[str, Any]]:
    """The elements of a list; one that is no object keeps its place, empty."""
    return [v if isinstance(v, Mapping) else {} for v in values] if isinstance(values, list) else []


def _id(invocation: Invocation) -> str | float | None:
    """What tells a call from another, None where nothing does."""
    value = invocation.value.get("toolCallId")
    return value if isinstance(value, str | int | float) and value else None
