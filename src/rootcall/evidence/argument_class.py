"""What kind of value an argument wanted: the class by which arguments are compared between runs.

The class is set before anything is judged, from the tool's schema and words, the user's words, and, for identifiers,
from what stood upstream. It never looks at the value sent, nor at errors that values met, so it is the same on passes and
failures, on first attempts and retries. Where no type is declared the name of the argument decides.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable
from typing import Any, Final

from rootcall.check import ArgumentClass
from rootcall.evidence.dates import readings
from rootcall.evidence.parameters import Parameter, parameter_at, parameters
from rootcall.evidence.provenance import in_text, user_texts
from rootcall.evidence.units import unit_of
from rootcall.evidence.words import key_words, word_set
from rootcall.jsonvalue import join_path
from rootcall.trace import Call, Tool, Trace, per_record, per_trace

__all__ = ["argument_class", "argument_classes"]

_FROM_A_TOOL: Final = re.compile(
    r"\b(?:from|returned by|result of)\b.{0,40}?\b(?:search|get|find|list|lookup|result|\w+_\w+)", re.IGNORECASE
)

_MONEY: Final = word_set("price amount cost fee total budget salary balance payment refund usd eur deposit fare rent")
_QUANTITY: Final = word_set(
    "quantity qty count passengers guests adults children travelers travellers people nights days hours minutes seconds rows "
    "size limit seats copies replicas units length width height weight distance duration retries attempts items"
)
_NAMES: Final = word_set(
    "name names city town place location street room recipient sender author owner user customer guest passenger country "
    "destination origin hotel restaurant service database team person contact to from"
)


def argument_class(trace: Trace, call: Call, name: str) -> ArgumentClass:
    """Return the class of a top-level argument of a call, whether it was sent or not."""
    return argument_classes(trace, call)(name)


def argument_classes(trace: Trace, call: Call) -> Callable[[str], ArgumentClass]:
    """Return what gives the class of each argument of a call by its name, for who asks for several."""
    offered = trace.offered(call.step, call.agent)
    tool = trace.tool(call.tool) if offered is None else offered.get(call.tool)
    known = {} if tool is None else _known_classes(tool)

    def of(name: str) -> ArgumentClass:
        return known[name] if name in known else _class_of(trace, call, name, tool, known)

    return of


def _class_of(trace: Trace, call: Call, name: str, tool: Tool | None, known: dict[str, ArgumentClass]) -> ArgumentClass:
    p = parameter_at(parameters(tool), join_path("", name), tool, name, call.tool)
    found = _declared_class(p)
    if found is not None:
        if p.declared:
            known[name] = found
        return found
    asked, place = _by_place(trace), (call.at, p.path)
    if place not in asked:
        asked[place] = _class_in(p, trace, call)
    return asked[place]


@per_record
def _known_classes(tool: Tool) -> dict[str, ArgumentClass]:
    """The classes of declared top-level arguments that the tool alone says, as they are asked for."""
    return {}


@per_trace
def _by_place(trace: Trace) -> dict[tuple[str, str], ArgumentClass]:
    """The classes that the conversation has a word in: several rules ask about one argument."""
    return {}


def _class_in(p: Parameter, trace: Trace, call: Call) -> ArgumentClass:
    if p.day:
        return "date-relative" if _spoken_relatively(trace, call) else "date-absolute"
    return "id-from-result" if _known_to_results(trace, call, p) else "id-from-user"


@per_record
def _declared_class(p: Parameter) -> ArgumentClass | None:
    """The class as far as the tool alone says it; None where the conversation has a word in it: days, identifiers."""
    if p.schema.get("enum") or "const" in p.schema:
        return "enum"
    if p.day == "time":
        return "time"
    if p.day:
        return None
    if p.types in ({"array"}, {"array", "null"}):
        return "list"
    if p.types and p.types <= {"object", "null"}:
        return "object"
    if p.types and p.types <= {"boolean", "null"}:
        return "boolean"
    if p.identifier:
        return None
    if p.types and p.types <= {"number", "integer", "null"}:
        return _numeric_class(p)
    if not p.types and not p.free_text and (numeric := _numeric_class(p)) != "number":
        return numeric
    if p.free_text:
        return "text"
    return "name" if any(t in _NAMES for t in p.tokens) else "text"


def _numeric_class(p: Parameter) -> ArgumentClass:
    unit = unit_of(p)
    if (unit is not None and unit.dimension.startswith("money")) or any(t in _MONEY for t in p.tokens):
        return "money"
    if unit is not None and unit.dimension != "percent":
        return "quantity"
    counted = re.search(r"\b(?:number of|how many|count of)\b", p.description, re.IGNORECASE)
    return "quantity" if counted or any(t in _QUANTITY for t in p.tokens) else "number"


def _spoken_relatively(trace: Trace, call: Call) -> bool:
    """The user's last words about a day before the call decide: "next Friday" or "3 October"."""
    now, earlier = user_texts(trace, call)
    for text in (*reversed(now), *reversed(earlier)):
        found = [e for e in readings(text) if e.kind != "vague"]
        if found:
            return any(e.kind == "relative" for e in found)
    return False


@per_trace
def _result_keys(trace: Trace) -> dict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """For each key that results hold, as words, the steps of those results with the first values under it."""
    held: dict[tuple[str, ...], list[tuple[int, tuple[str, ...]]]] = {}
    for call in trace.calls:
        # What an error says of an argument would set a retry apart from its first attempt.
        if call.result is not None and call.error is None and isinstance(call.result.payload, dict | list):
            for key, values in _keys(call.result.payload).items():
                held.setdefault(key, []).append((call.step, values))
    return held


def _keys(payload: Any) -> dict[tuple[str, ...], tuple[str, ...]]:
    keys: dict[str, list[str]] = {}
    stack = [payload]
    while stack and len(keys) < 500:
        v = stack.pop()
        if isinstance(v, dict):
            for k, x in v.items():
                values = keys.setdefault(str(k)[:60], [])
                if isinstance(x, str) and len(values) < 5:
                    values.append(x)
            stack.extend(x for x in v.values() if isinstance(x, dict | list))
        elif isinstance(v, list):
            stack.extend(x for x in v[:50] if isinstance(x, dict | list))
    return {_entity(k): tuple(v) for k, v in keys.items()}


@functools.lru_cache(maxsize=8192)
def _entity(name: str) -> tuple[str, ...]:
    """The words of a name without their plural, so that `item_ids` is found under `item_id`."""
    return tuple(t.rstrip("s") for t in key_words(name))


_LATEST: Final = 50


def _known_to_results(trace: Trace, call: Call, p: Parameter) -> bool:
    """An identifier is wanted from a result when results name it and the user did not give it."""
    if _FROM_A_TOOL.search(p.description):
        return True
    naming = _result_keys(trace).get(_entity(p.name), [])
    last = bisect.bisect_left(naming, call.step, key=lambda r: r[0])
    # The latest results say enough; of thousands every call would otherwise ask all.
    held = [values for _, values in reversed(naming[max(last - _LATEST, 0) : last])]
    if not held:
        return False
    now, earlier = user_texts(trace, call)
    said = "\n".join((*earlier, *now)).casefold()
    asked = _asked(trace)
    for value in dict.fromkeys(v for found in held for v in found):
        if (value, said) not in asked:
            asked[value, said] = in_text(value, said)
        if asked[value, said]:
            return False
    return True


@per_trace
def _asked(trace: Trace) -> dict[tuple[str, str], bool]:
    """Whether a value stands in the user's words: the calls of a long turn ask the same over and over."""
    return {}
