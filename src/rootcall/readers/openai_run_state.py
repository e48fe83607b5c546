"""OpenAI Agents SDK run states: what a run that waits for an approval, or has ended, is saved as, in Python or JavaScript.

Owns which of the lists in a state is the run, and what became of approvals; the items are read by
`rootcall.readers.items`. Which tools were offered is not in a state: it names only those of the last response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rootcall.conversation import below, word_in
from rootcall.readers.items import Item, add_items, kind_of
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.readers.spelling import either, spelled
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_APPROVAL = "tool_approval_item"


def _is_state(value: object) -> bool:
    return isinstance(value, Mapping) and "$schemaVersion" in value and spelled(value, "originalInput") in value


def _confidence(value: Any) -> float:
    return 1.0 if _is_state(value) else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    found = either(value, key)
    return found if isinstance(found, list) else []


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = either(value, key)
    return found if isinstance(found, Mapping) else {}


def _build(stream: Stream, record: Record) -> Trace:
    value, source = record
    if not _is_state(value):
        raise UnknownShape("is no run state: $schemaVersion and original_input are wanted; it is left out")
    rest = {k: value[k] for k in ("$schemaVersion", "current_turn", "max_turns") if k in value}
    rest["current_agent"] = word_in(_object(value, "currentAgent"), "name")
    about = _object(value, "trace")
    own = about.get("metadata")
    rest["metadata"] = own if isinstance(own, Mapping) else {}
    named = word_in(about, "id") or None
    builder = start_trace(stream, Row((), None, None, rest), source, "openai-run-state", id=named)
    given = either(value, "originalInput")
    place = below(source, f"/{spelled(value, 'originalInput')}")
    items = [Item({"role": "user", "content": given}, place, 0)] if isinstance(given, str) else []
    items += [Item(v, below(place, f"/{i}"), i) for i, v in enumerate(given if isinstance(given, list) else ())]
    for v, where, agent in _made(value, source):
        items.append(Item(v, where, len(items), agent))
    if not isinstance(given, str | list):
        builder.problem("messages-not-a-list", "original_input must be a text or a list of items", place)
    add_items(builder, items, denied=_denied(value, items))
    if either(value, "previousResponseId") or either(value, "conversationId"):
        builder.partial_history()
    return builder.build()


def _made(value: Mapping[str, Any], source: Source) -> Iterator[tuple[Any, Source, str | None]]:
    """The items of the run with their places and agents.

    The session's list is whole where a handoff shortened the generated one; states before it was kept have the other.
    """
    generated, session = _list(value, "generatedItems"), _list(value, "sessionItems")
    longer = len(session) >= len(generated) and bool(session)
    key, listed = ("sessionItems", session) if longer else ("generatedItems", generated)
    key = spelled(value, key)
    if not listed:
        responses = spelled(value, "modelResponses")
        for i, response in enumerate(_list(value, "modelResponses")):
            for j, item in enumerate(_list(response, "output") if isinstance(response, Mapping) else ()):
                yield _snake(item), below(source, f"/{responses}/{i}/output/{j}"), None
        return
    called = {_call_id(v) for v in listed if isinstance(v, Mapping) and v.get("type") != _APPROVAL}
    for i, v in enumerate(listed):
        place = below(source, f"/{key}/{i}")
        if not isinstance(v, Mapping):
            yield v, place, None
        elif v.get("type") != _APPROVAL or _call_id(v) not in called:
            agent = word_in(_object(v, "agent"), "name") or None
            yield _snake(either(v, "rawItem")), below(place, f"/{spelled(v, 'rawItem')}"), agent


def _call_id(item: Mapping[str, Any]) -> str:
    raw = _object(item, "rawItem")
    return word_in(raw, "call_id") or word_in(raw, "callId") or word_in(raw, "id")


def _snake(item: Any) -> Any:
    """An item as the API spells it: the SDK for JavaScript has names of its own."""
    if not isinstance(item, Mapping) or "callId" not in item:
        return item
    kind = word_in(item, "type")
    return {**item, "call_id": item["callId"], "type": kind.replace("_result", "_output")}


def _denied(value: Mapping[str, Any], items: list[Item]) -> set[str]:
    """The ids of the calls that a person refused: by id, or all calls of a tool."""
    context = _object(value, "context")
    newer = [r for r in _list(context, "functionToolApprovals") if isinstance(r, Mapping)]
    records: list[tuple[Any, Any]] = [*_object(context, "approvals").items()]
    records += [(r.get("tool_key"), r.get("decision")) for r in newer]
    out: set[str] = set()
    for tool, record in records:
        rejected = record.get("rejected") if isinstance(record, Mapping) else None
        if isinstance(rejected, list):
            out |= {r for r in rejected if isinstance(r, str)}
        elif rejected is True:
            for v in (i.value for i in items):
                if isinstance(v, Mapping) and v.get("name") == tool and kind_of(v).endswith("_call"):
                    out.add(word_in(v, "call_id") or word_in(v, "id"))
    return out


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream, lambda record: _build(stream, record))


READER = Reader(
    name="openai-run-state",
    description="OpenAI Agents SDK run states: runs that wait for an approval or have ended",
    detect=_detect,
    read=_read,
    marks="$schemaVersion and original_input",
    lacks=(
        "the tool schemas (give them with --tools)",
        "the agents' instructions",
        "the text of a tool error, where the SDK hid it from the model",
    ),
)
