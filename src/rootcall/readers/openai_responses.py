"""OpenAI Responses: requests with `input` and `tools`, response objects, both side by side, bare lists of items.

Also streams of a response's events, and rows that each name the response they follow. Owns how such values are recognised
and cut into traces; the items themselves are read by `rootcall.readers.items`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rootcall.conversation import below, count_calls, shape_of, text_of, word_in
from rootcall.readers.items import Item, add_items, expanded_tools, is_item, kind_of
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.responses_shapes import USED, Row, listed, newest_first, parse
from rootcall.readers.rows import Row as Started
from rootcall.readers.rows import UnknownShape, share, start_trace, traces
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_EARLIER: Final = ("previous_response_id", "conversation")


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        return 0.95 if any(map(is_item, value)) else 0.0
    if listed(value) is not None:
        return 0.95
    row = parse(value)
    if row is None:
        return 0.0
    if row.response.get("object") == "response":
        return 1.0
    items = [*_items_in(row.request.get("input")), *_items_in(row.response.get("output"))]
    if any(map(is_item, items)):
        return 0.95
    if row.response or isinstance(row.request.get("tools"), list):
        return 0.9
    # What was asked alone: many data sets have an input, requests have instructions or a model beside messages.
    listed_input = isinstance(row.request.get("input"), list)
    return 0.95 if listed_input and ("instructions" in row.request or "model" in row.request) else 0.0


def _items_in(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _detect(head: Head) -> float:
    if _is_stream(head):
        return 1.0
    if head.container == "array" and head.values and _is_part(head.values[0]):
        return _confidence(list(head.values))
    if head.container == "lines" and _one_a_line(head):
        # Coding agents log items one a line too, among lines of their own.
        return 0.7 if any(map(is_item, head.values)) else 0.0
    return share(head, _confidence)


def _is_part(value: object) -> bool:
    """Tell whether a value is an item, so that an array of them is one conversation."""
    if not isinstance(value, Mapping) or parse(value) is not None:
        return False
    return is_item(value) or isinstance(value.get("role"), str)


def _one_a_line(head: Head) -> bool:
    return bool(head.values) and all(map(_is_part, head.values))


def _build(stream: Stream, record: Record) -> Trace:
    value, source = record
    values = value if isinstance(value, list) else listed(value)
    if values is not None:
        pointer = "" if values is value else "/data"
        items = [Item(v, below(source, f"{pointer}/{i}"), i) for i, v in enumerate(values)]
        if values is not value and newest_first(values):
            items = [i._replace(number=len(items) - 1 - i.number) for i in reversed(items)]
        tools = None if values is value else value.get("tools")
        rest = {} if values is value else {k: v for k, v in value.items() if k not in USED}
        return _finish(stream, source, items, tools, rest)
    row = parse(value)
    if row is None:
        raise UnknownShape("holds no list of Responses items; it is left out")
    return _build_rows(stream, [(record, row)])


def _build_rows(stream: Stream, rows: list[tuple[Record, Row]]) -> Trace:
    """The trace of a row, or of several of which each goes on where the one before it ended."""
    items: list[Item] = []
    rest: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for record, row in rows:
        items += _items_of(record, row, len(items))
        rest = {**record.value, **row.response, **row.request, **rest}
        for holder in (row.response, row.request, record.value):
            metadata = holder.get("metadata")
            own |= metadata if isinstance(metadata, Mapping) else {}
    (value, source), first = rows[0]
    earlier = [k for k in _EARLIER if not (first.request.get(k) or first.response.get(k))]
    rest = {k: v for k, v in rest.items() if k not in USED and k not in earlier} | {"metadata": own}
    named = next((value[k] for k in ("custom_id", "id") if isinstance(value.get(k), str)), None)
    if named is not None:
        rest["id"] = named
    holders = [d for r, row in rows for d in (row.request, row.response, r.value)]
    tools = next((d["tools"] for d in holders if d.get("tools") is not None), None)
    places = ((first.request, first.asked), (first.response, first.answered))
    told = next(((d, p) for d, p in places if d.get("instructions")), None)
    system = (told[0]["instructions"], below(source, f"{told[1]}/instructions")) if told else None
    return _finish(stream, source, items, tools, rest, system=system, response=rows[-1][1].response)


def _items_of(record: Record, row: Row, number: int) -> Iterator[Item]:
    """The items of a row in their order: what was asked, and what was answered."""
    given, place = row.request.get("input"), below(record.source, f"{row.asked}/input")
    if isinstance(given, str):
        yield Item({"role": "user", "content": given}, place, number)
        number += 1
    for i, v in enumerate(_items_in(given)):
        yield Item(v, below(place, f"/{i}"), number)
        number += 1
    place = below(record.source, f"{row.answered}/output")
    for i, v in enumerate(_items_in(row.response.get("output"))):
        yield Item(v, below(place, f"/{i}"), number)
        number += 1


def _finish(
    stream: Stream,
    source: Source,
    items: list[Item],
    tools: object,
    rest: Mapping[str, Any],
    *,
    system: tuple[Any, Source] | None = None,
    response: Mapping[str, Any] | None = None,
    lost: int | None = None,
) -> Trace:
    specs = expanded_tools(tools, [i.value for i in items])
    builder = start_trace(stream, Started((), specs, None, rest), source, "openai-responses")
    if system is not None and (text := _told(system[0])) is not None:
        builder.message("system", text, index=-1, source=system[1])
    if any(rest.get(k) for k in _EARLIER):
        builder.partial_history()
        what = "earlier turns are kept by the server; only those that stand here are read"
        builder.problem("history-elsewhere", what, source)
    add_items(builder, items, tools=tools)
    if lost is not None:
        what = f"the stream ends before the response does; {lost} calls are not complete"
        builder.problem("stream-cut", what, source, lost=lost)
        builder.partial_calls()
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


def _is_event(value: object) -> bool:
    """Tell whether a value is an event of a streamed response."""
    return isinstance(value, Mapping) and word_in(value, "type").startswith("response.")


def _is_stream(head: Head) -> bool:
    events = sum(map(_is_event, head.values))
    return head.container != "array" and events > 0 and 2 * events >= len(head.values)


def _streamed(stream: Stream) -> Iterator[Trace]:
    """A trace for each response of a stream: its last event holds it whole; of one that broke off, the finished items."""
    done: list[Item] = []
    begun: dict[str, int] = {}
    for record in stream:
        value = record.value
        kind = word_in(value, "type") if isinstance(value, Mapping) else ""
        if not _is_event(value):
            what = f"is no event of a streamed response but {shape_of(value)}; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(value))
        elif kind in ("response.completed", "response.incomplete", "response.failed") and parse(value) is not None:
            done, begun = [], {}
            yield from traces(stream, [record], lambda r: _build(stream, r))
        elif isinstance(item := value.get("item"), Mapping):
            if kind == "response.output_item.added":
                begun[word_in(item, "id")] = int(kind_of(item).endswith("_call"))
            elif kind == "response.output_item.done":
                begun.pop(word_in(item, "id"), None)
                done.append(Item(item, below(record.source, "/item"), len(done)))
    if done:
        yield _finish(stream, done[0].source, done, None, {}, lost=sum(begun.values()))
    elif begun:
        what = "the stream ends before anything in the response is complete"
        stream.set_aside("stream-cut", what, lost=sum(begun.values()))


def _chained(stream: Stream) -> Iterator[Trace]:
    """Rows that name the response they follow are one run with it: the server keeps what came before."""
    runs: list[list[tuple[Record, Row]]] = []
    last: dict[str, list[tuple[Record, Row]]] = {}
    for record in stream:
        row = parse(record.value)
        if row is None:
            yield from traces(stream, [record], lambda r: _build(stream, r))
            continue
        before = word_in(row.request, "previous_response_id") or word_in(row.response, "previous_response_id")
        run = last.pop(before, None)
        if run is None:
            runs.append(run := [])
        run.append((record, row))
        if word_in(row.response, "id"):
            last[row.response["id"]] = run
    for run in runs:
        yield from traces(stream, [run[0][0]], lambda _, rows=run: _build_rows(stream, rows))  # type: ignore[misc]


def _names_earlier(value: object) -> bool:
    row = parse(value)
    return row is not None and any(word_in(d, "previous_response_id") for d in (row.request, row.response))


def _read(stream: Stream) -> Iterator[Trace]:
    if _is_stream(stream.head):
        return _streamed(stream)
    if any(map(_names_earlier, stream.head.values)):
        return _chained(stream)
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
