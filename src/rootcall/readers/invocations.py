"""The calls of one stored message: its parts and its older list of invocations, brought together.

Mastra and version 4 of the AI SDK keep each call twice, in `parts` and in `toolInvocations`, and neither list is complete:
a call that threw stands in the parts only, what an older version stored in the list only. The order is that of
`@mastra/evals` 1.10.2, whose scorers count these calls. A pure function, for the readers and for the scorers alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

__all__ = ["COUNTED_STATES", "Invocation", "counted_calls", "double", "merged_invocations", "truthy"]

COUNTED_STATES = frozenset({"result", "call", "output-error"})
"""The states that Mastra's scorers count; calls being written, awaiting approval or denied are none to them."""


class Invocation(NamedTuple):
    """One call: the object that tells it, and its place in `parts` or, where it stands only there, in `toolInvocations`.

    `value` is empty where something else than an object stands in its place: it tells no call, but keeps its number.
    """

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
        Invocation(_object(p["toolInvocation"]), n)
        for n, p in enumerate(_list(content.get("parts")))
        if isinstance(p, Mapping) and p.get("type") == "tool-invocation" and truthy(p.get("toolInvocation"))
    ]
    older = _list(content.get("toolInvocations"))
    if not older:
        return inside
    known = {_id(i.value) for i in inside} - {None} if inside else set()
    places = {_id(v): n for n, v in enumerate(older) if isinstance(v, Mapping)}
    out: list[Invocation] = []
    at = 0
    for invocation in inside:
        identity = _id(invocation.value)
        place = places.get(identity) if identity is not None else None
        if place is not None and place >= at:
            out += _only_listed(older, known, at, place)
            at = place + 1
        out.append(invocation)
    return out + _only_listed(older, known, at, len(older))


def counted_calls(content: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield `(index, invocation)` of the calls that Mastra's scorers count; the index counts those passed over too."""
    for n, invocation in enumerate(merged_invocations(content)):
        state = invocation.value.get("state")
        if truthy(invocation.value.get("toolName")) and isinstance(state, str) and state in COUNTED_STATES:
            yield n, invocation.value


def _only_listed(older: list[Any], known: set[Any], start: int, end: int) -> list[Invocation]:
    return [
        Invocation(value, None, n)
        for n, v in enumerate(older[start:end], start)
        if truthy(v) and _id(value := _object(v)) not in known
    ]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, Any]:
    if type(value) is dict:  # nearly always, and much cheaper to tell
        return value
    return value if isinstance(value, Mapping) else {}


def truthy(value: object) -> bool:
    """Tell whether JavaScript takes a value for true: not `UNSET`, None, False, 0, NaN and ""; all lists and objects it does."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0 and value == value  # noqa: PLR0124 -- NaN is not itself
    return value is not UNSET and value is not None and value != ""


def _id(value: Mapping[str, Any]) -> tuple[type, object] | None:
    """What tells a call from another, None where nothing does. A number, a text and a truth value are never the same."""
    found = value.get("toolCallId")
    if isinstance(found, bool) or not truthy(found):
        return (bool, True) if found is True else None
    if isinstance(found, str):
        return str, found
    return (float, double(found)) if isinstance(found, int | float) else (object, id(found))


def double(value: object) -> float:
    """Return a number as JavaScript holds it: a double, infinite where an integer is beyond all of them."""
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
