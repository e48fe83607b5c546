"""LangChain and LangGraph messages: lists and states in any of LangChain's encodings, updates of a graph one a line.

Owns how such values are recognised and cut into traces; a message is read by `rootcall.readers.entries`. What
`convert_to_openai_messages` writes is OpenAI chat, and read as that: the status of a tool message is lost in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rootcall.assembly import TraceBuilder
from rootcall.conversation import below, count_calls, shape_of, word_in
from rootcall.readers.entries import add_entry, entries_of, langchain_message
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_HOLDERS: Final = ("values", "output", "outputs", "state")


def _is_message(value: object) -> bool:
    """Tell whether a value is a message, so that an array of them is one conversation."""
    return langchain_message(value) is not None


def _messages_of(value: object) -> tuple[list[Any], str] | None:
    """The messages in a value and their pointer: a list, a graph's state, a snapshot of one."""
    if isinstance(value, list):
        return (value, "") if any(map(_is_message, value)) else None
    if not isinstance(value, Mapping):
        return None
    messages = value.get("messages")
    if isinstance(messages, list) and any(map(_is_message, messages)):
        return messages, "/messages"
    for name in _HOLDERS:
        inner = value.get(name)
        found = _messages_of(inner) if isinstance(inner, Mapping) else None
        if found is not None:
            return found[0], f"/{name}{found[1]}"
    return None


def _updates_of(value: object) -> list[tuple[str, str, list[Any]]]:
    """The messages that nodes of a graph added, as streaming with `stream_mode="updates"` gives them: node, pointer, list."""
    out = []
    for node, update in value.items() if isinstance(value, Mapping) else ():
        messages = update.get("messages") if isinstance(update, Mapping) else None
        messages = [messages] if _is_message(messages) else messages
        if isinstance(messages, list) and messages and all(map(_is_message, messages)) and node not in _HOLDERS:
            out.append((str(node), f"/{node}/messages", messages))
    return out


def _confidence(value: Any) -> float:
    found = _messages_of(value)
    if found is None:
        return 0.0
    # What `dumpd` and `message_to_dict` write has no other reading.
    return 1.0 if any(m is not None and m.pointer for m in map(langchain_message, found[0])) else 0.95


def _detect(head: Head) -> float:
    if _is_one_list(head):
        return _confidence(list(head.values))
    if _is_graph_stream(head):
        return 0.95
    return share(head, _confidence)


def _is_one_list(head: Head) -> bool:
    """Tell whether a file is one array of messages; beside LangChain's own, plain ones and pairs of texts may stand in it."""
    if head.container != "array" or not any(map(_is_message, head.values)):
        return False
    return not any(isinstance(v, Mapping) and "messages" in v for v in head.values)


def _is_graph_stream(head: Head) -> bool:
    """Tell whether a file holds updates of one graph, one a line."""
    return head.container == "lines" and bool(head.values) and all(map(_updates_of, head.values))


def _build(stream: Stream, record: Record) -> Trace:
    value, source = record
    found = _messages_of(value)
    if found is None:
        raise UnknownShape("holds no LangChain messages; it is left out")
    messages, pointer = found
    rest = (
        {k: v for k, v in value.items() if k not in ("messages", "tools", *_HOLDERS)}
        if isinstance(value, Mapping)
        else {}
    )
    own = _own_metadata(messages)
    if own and "model" not in rest:
        rest["model"] = own
    tools = value.get("tools") if isinstance(value, Mapping) else None
    builder = start_trace(stream, Row((), tools, None, rest), source, "langchain")
    for i, m in enumerate(messages):
        _add(builder, m, i, below(source, f"{pointer}/{i}"))
    return builder.build()


def _own_metadata(messages: list[Any]) -> str:
    """The name of the model that the first answer carries."""
    for m in messages:
        found = langchain_message(m)
        about = found.fields.get("response_metadata") if found is not None else None
        named = word_in(about, "model_name") or word_in(about, "model") if isinstance(about, Mapping) else ""
        if named:
            return named
    return ""


def _add(builder: TraceBuilder, m: Any, i: int, where: Source, agent: str | None = None) -> None:
    found = langchain_message(m)
    if found is not None and found.kind == "remove":
        builder.partial_history()
        builder.problem("history-elsewhere", f"messages[{i}] removed an earlier message", where)
        return
    entries = entries_of(m, where, agent=agent)
    if not entries:
        what = f"messages[{i}] is {shape_of(m)} that is no LangChain message of a known kind; it is left out"
        builder.problem("message-unreadable", what, where, lost=count_calls(m))
    for e in entries:
        add_entry(builder, e, i)


def _updates(stream: Stream) -> Iterator[Trace]:
    """A file of a graph's updates is one run. What the user asked is not in it: only what nodes added."""
    builder = start_trace(stream, Row((), None, None, {}), Source(stream.name), "langchain")
    builder.partial_history()
    builder.problem("history-elsewhere", "updates hold what a graph added, not the messages that it was given")
    number = 0
    for record in stream:
        updates = _updates_of(record.value)
        if not updates and not (isinstance(record.value, Mapping) and record.value):
            what = f"is no update of a graph but {shape_of(record.value)}; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
        for node, pointer, messages in updates:
            agent = None if node in ("agent", "model", "tools") else node
            for i, m in enumerate(messages):
                _add(builder, m, number, below(record.source, f"{pointer}/{i}"), agent)
                number += 1
    yield builder.build()


def _latest(records: Iterable[Record]) -> Iterator[Record]:
    """Of states in which one goes on with the one before it, as `stream_mode="values"` and checkpoints give, the last."""
    pending: Record | None = None
    held: list[Any] = []
    for record in records:
        found = _messages_of(record.value)
        messages = found[0] if found is not None else []
        if pending is not None and not (held and len(messages) > len(held) and messages[: len(held)] == held):
            yield pending
        pending, held = record, messages
    if pending is not None:
        yield pending


def _read(stream: Stream) -> Iterator[Trace]:
    if _is_graph_stream(stream.head):
        return _updates(stream)
    one = _is_one_list(stream.head)
    return traces(stream, _latest(stream.rows(lambda _: one)), lambda record: _build(stream, record))


READER = Reader(
    name="langchain",
    description="LangChain and LangGraph messages: dumpd, message_to_dict, model_dump; lists, states, graph updates",
    detect=_detect,
    read=_read,
    marks='"lc" with "constructor", or messages of type human, ai and tool',
    lacks=(
        "the tool schemas (give them with --tools)",
        "times",
    ),
)
