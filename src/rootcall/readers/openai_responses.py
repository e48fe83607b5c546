"""OpenAI Responses: requests with `input` and `tools`, response objects, both side by side, bare lists of items.

Owns how such values are recognised and cut into traces; the items themselves are read by `rootcall.readers.items`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.conversation import below, count_calls, text_of, word_in
from rootcall.readers.items import Item, add_items, expanded_tools, is_item, kind_of
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_REQUESTS: Final = ("request", "body", "input")
_RESPONSES: Final = ("response", "output", "body")
_USED: Final = frozenset({"input", "output", "instructions", "tools", "data", "object", *_REQUESTS, *_RESPONSES})
_EARLIER: Final = ("previous_response_id", "conversation")


class _Row(NamedTuple):
    """What one value holds: the request and the response, each with its pointer; either may be missing."""

    request: Mapping[str, Any]
    asked: str
    response: Mapping[str, Any]
    answered: str


def _is_request(value: object) -> bool:
    if not isinstance(value, Mapping) or "messages" in value:
        return False
    given = value.get("input")
    if isinstance(given, str):
        return "model" in value or "instructions" in value
    return isinstance(given, list) and any(isinstance(v, Mapping) and kind_of(v) for v in given)


def _is_response(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("output"), list):
        return False
    return value.get("object") == "response" or any(map(is_item, value["output"]))


def _parse(value: object) -> _Row | None:
    """Find request and response in a value, None when neither is there."""
    if not isinstance(value, Mapping):
        return None
    request: Mapping[str, Any] = {}
    response: Mapping[str, Any] = {}
    asked = answered = ""
    if _is_request(value):
        request = value
    else:
        found = next((n for n in _REQUESTS if _is_request(value.get(n))), None)
        if found is not None:
            request, asked = value[found], f"/{found}"
    if _is_response(value):
        response = value
    else:
        for name in _RESPONSES:
            inner, pointer = value.get(name), f"/{name}"
            if isinstance(inner, Mapping) and not _is_response(inner):
                inner, pointer = inner.get("body"), f"{pointer}/body"
            if isinstance(inner, Mapping) and _is_response(inner):
                response, answered = inner, pointer
                break
    return _Row(request, asked, response, answered) if request or response else None


def _listed(value: object) -> list[Any] | None:
    """The items of a page that the API lists; it lists the newest first."""
    if not isinstance(value, Mapping) or value.get("object") != "list" or not isinstance(value.get("data"), list):
        return None
    return value["data"] if any(map(is_item, value["data"])) else None


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        return 0.95 if any(map(is_item, value)) else 0.0
    if _listed(value) is not None:
        return 0.95
    row = _parse(value)
    if row is None:
        return 0.0
    if row.response.get("object") == "response":
        return 1.0
    items = [*_items_in(row.request.get("input")), *_items_in(row.response.get("output"))]
    marked = any(map(is_item, items)) or "instructions" in row.request
    return 0.95 if marked else 0.6


def _items_in(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _detect(head: Head) -> float:
    if head.container == "array" and head.values and _is_part(head.values[0]):
        return _confidence(list(head.values))
    if head.container == "lines" and _one_a_line(head):
        # Coding agents log items one a line too, among lines of their own.
        return 0.7 if any(map(is_item, head.values)) else 0.0
    return share(head, _confidence)


def _is_part(value: object) -> bool:
    """Tell whether a value is an item, so that an array of them is one conversation."""
    if not isinstance(value, Mapping) or _parse(value) is not None:
        return False
    return is_item(value) or isinstance(value.get("role"), str)


def _one_a_line(head: Head) -> bool:
    return bool(head.values) and all(map(_is_part, head.values))


def _build(stream: Stream, record: Record) -> Trace:
    value, source = record
    listed = value if isinstance(value, list) else _listed(value)
    if listed is not None:
        pointer = "" if listed is value else "/data"
        items = [Item(v, below(source, f"{pointer}/{i}"), i) for i, v in enumerate(listed)]
        if listed is not value and _newest_first(listed):
            items = [i._replace(number=len(items) - 1 - i.number) for i in reversed(items)]
        tools = None if listed is value else value.get("tools")
        rest = {} if listed is value else {k: v for k, v in value.items() if k not in _USED}
        return _finish(stream, source, items, tools, rest)
    row = _parse(value)
    if row is None:
        raise UnknownShape("holds no list of Responses items; it is left out")
    return _build_row(stream, record, row)


def _build_row(stream: Stream, record: Record, row: _Row) -> Trace:
    value, source = record
    items: list[Item] = []
    given = row.request.get("input")
    place = below(source, f"{row.asked}/input")
    if isinstance(given, str):
        items.append(Item({"role": "user", "content": given}, place, 0))
    items += [Item(v, below(place, f"/{i}"), i) for i, v in enumerate(_items_in(given))]
    first, place = len(items), below(source, f"{row.answered}/output")
    items += [Item(v, below(place, f"/{i}"), first + i) for i, v in enumerate(_items_in(row.response.get("output")))]
    merged = {**value, **row.response, **row.request}
    rest = {k: v for k, v in merged.items() if k not in _USED}
    own = [d["metadata"] for d in (value, row.request, row.response) if isinstance(d.get("metadata"), Mapping)]
    rest["metadata"] = {k: v for d in reversed(own) for k, v in d.items()}
    for key in ("custom_id", "id"):
        if isinstance(value.get(key), str):
            rest["id"] = value[key]
            break
    tools = next((d["tools"] for d in (row.request, row.response, value) if d.get("tools") is not None), None)
    told = next(
        ((d, p) for d, p in ((row.request, row.asked), (row.response, row.answered)) if d.get("instructions")), None
    )
    system = (told[0]["instructions"], below(source, f"{told[1]}/instructions")) if told else None
    return _finish(stream, source, items, tools, rest, system=system, response=row.response)


def _finish(
    stream: Stream,
    source: Source,
    items: list[Item],
    tools: object,
    rest: Mapping[str, Any],
    *,
    system: tuple[Any, Source] | None = None,
    response: Mapping[str, Any] | None = None,
) -> Trace:
    specs = expanded_tools(tools, [i.value for i in items])
    builder = start_trace(stream, Row((), specs, None, rest), source, "openai-responses")
    if system is not None and (text := _told(system[0])) is not None:
        builder.message("system", text, index=-1, source=system[1])
    if any(rest.get(k) for k in _EARLIER):
        builder.partial_history()
        what = "earlier turns are kept by the server; only those that stand here are read"
        builder.problem("history-elsewhere", what, source)
    add_items(builder, items, tools=tools)
    answer = response or {}
    if word_in(answer, "status") in ("failed", "incomplete", "cancelled"):
        why = answer.get("error") or answer.get("incomplete_details") or {}
        reason = (
            next((why[k] for k in ("message", "reason") if word_in(why, k)), "") if isinstance(why, Mapping) else ""
        )
        said = f"the response is {answer['status']}" + (f": {reason[:200]}" if reason else "")
        builder.problem("response-incomplete", said, source)
    return builder.build()


def _told(instructions: object) -> str | None:
    """Instructions are a text, or messages."""
    if not isinstance(instructions, list):
        return text_of(instructions)
    texts = [text_of(m.get("content")) for m in instructions if isinstance(m, Mapping)]
    return "\n".join(t for t in texts if t) or None


def _newest_first(items: list[Any]) -> bool:
    """Tell whether a list runs backwards: an output stands before its call, or an answer before what was asked."""
    called: set[str] = set()
    for v in items:
        if not isinstance(v, Mapping):
            continue
        if kind_of(v).endswith("_call"):
            called.add(word_in(v, "call_id"))
        elif kind_of(v).endswith("_output"):
            return word_in(v, "call_id") not in called
    said = [word_in(v, "role") for v in items if isinstance(v, Mapping)]
    roles = [r for r in said if r in ("user", "assistant")]
    return len(roles) > 1 and roles[0] == "assistant" and roles[-1] == "user"


def _gathered(stream: Stream) -> Iterator[Trace]:
    """A file of one item a line is one conversation."""
    items: list[Item] = []
    for record in stream:
        items.append(Item(record.value, record.source, len(items)))
    try:
        yield _finish(stream, Source(stream.name), items, None, {})
    except RecursionError:
        lost = count_calls([i.value for i in items])
        stream.set_aside("nested-too-deeply", "nested too deeply to be read", lost=lost)


def _read(stream: Stream) -> Iterator[Trace]:
    if stream.head.container == "lines" and _one_a_line(stream.head):
        return _gathered(stream)
    rows: Iterable[Record] = stream.rows(_is_part)
    return traces(stream, rows, lambda record: _build(stream, record))


READER = Reader(
    name="openai-responses",
    description="OpenAI Responses: requests with input and tools, response objects, lists of items",
    detect=_detect,
    read=_read,
    marks='items of type function_call and function_call_output, or "object": "response"',
    lacks=(
        "a flag for a tool error: only its text says so",
        "what most hosted tools returned, unless the request asked for it with include",
        "times",
    ),
)
