"""Mastra: runs of its scorers, stored messages, and the steps and whole output of an agent.

Owns which lists hold the conversation and how stored messages fall into threads. The calls of a message come from
`rootcall.readers.invocations`, its parts from `rootcall.readers.ui_parts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.conversation import below, count_calls, word_in
from rootcall.payload import loads
from rootcall.readers.model_parts import Placed, add_message, add_steps, chosen_lists
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, is_message, start_trace, trace_id, traces
from rootcall.readers.script import Script, readable, role_of, said_in, stamp
from rootcall.readers.ui_parts import Part, add_parts, message_parts
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_LISTS: Final = (("messages",), ("response", "dbMessages"), ("dbMessages",), ("response", "messages"), ("steps",))
_ASKED: Final = ("systemMessages", "rememberedMessages", "inputMessages")
_READ: Final = frozenset({"input", "output", "messages", "dbMessages", "response", "steps", "text", "toolCalls", "toolResults",
                          "preprocessStepResult", "analyzeStepResult", "tools"})  # fmt: skip


class _Thread(NamedTuple):
    """Stored messages that belong together, each with its place."""

    name: str | None
    messages: list[tuple[Any, Source]]


class _Steps(NamedTuple):
    """The steps of a run that stand one a line, each with its place."""

    steps: list[tuple[Any, Source]]


def _is_stored(value: object) -> bool:
    """Tell whether a value is a message as Mastra stores it: content is an object with parts, or with invocations."""
    if not isinstance(value, Mapping) or not isinstance(value.get("role"), str):
        return False
    content = value.get("content")
    return isinstance(content, Mapping) and (
        isinstance(content.get("parts"), list) or content.get("format") in (2, 3) or isinstance(content.get("toolInvocations"), list)
    )  # fmt: skip


def _is_step(value: object) -> bool:
    if not isinstance(value, Mapping) or "role" in value:
        return False
    return isinstance(value.get("toolCalls"), list) and isinstance(value.get("toolResults"), list)


def _wrapped(value: Any) -> bool:
    """Tell whether a step is surely Mastra's: its calls are wrapped in a payload."""
    return _is_step(value) and any(isinstance(c, Mapping) and "payload" in c for c in value["toolCalls"])


def _decoded(value: Any) -> Any:
    """Databases keep the input and output of a run as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value)[0]
        except ValueError:
            return value
    return value


def _is_run(value: Any) -> bool:
    asked = _decoded(value.get("input")) if isinstance(value, Mapping) else None
    return isinstance(asked, Mapping) and isinstance(asked.get("inputMessages"), list)


def _listed(value: Mapping[str, Any]) -> tuple[Placed, ...]:
    """The lists of a whole output that hold the run; none when they are not Mastra's."""
    found: list[Placed] = []
    for path in _LISTS:
        inner: Any = value
        for key in path:
            inner = inner.get(key) if isinstance(inner, Mapping) else None
        if isinstance(inner, list) and inner:
            found.append((f"/{'/'.join(path)}", inner))
    if not any(_is_stored(v) or _wrapped(v) for _, values in found for v in values):
        return ()
    asked = found.pop(0) if found[0][0] == "/messages" else None
    return chosen_lists(asked, found, _calls_in)


def _calls_in(values: list[Any]) -> int:
    return sum(len(v["toolCalls"]) if _is_step(v) else count_calls(_without_list(v)) for v in values)


def _without_list(message: Any) -> Any:
    content = message.get("content") if isinstance(message, Mapping) else None
    return content.get("parts") or content.get("toolInvocations") if isinstance(content, Mapping) else content


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        return 1.0 if any(_is_stored(v) or _wrapped(v) for v in value) else 0.0
    if not isinstance(value, Mapping):
        return 0.0
    return 1.0 if _is_run(value) or _is_stored(value) or _listed(value) else 0.0


def _detect(head: Head) -> float:
    values: list[Any] = list(head.values)
    if head.container == "array" and values and (is_message(values[0]) or _is_step(values[0])):
        values = [values]
    if any(map(_wrapped, values)) and all(map(_is_step, values)):
        return 1.0
    good = sum(_confidence(v) for v in values)
    return (good / len(values)) ** 0.5 if values else 0.0


def _gathered(stream: Stream) -> Iterator[Record]:
    """The records, where stored messages of one thread are one record, wherever they stand in the file, and all steps one."""
    threads: dict[str | None, list[tuple[Any, Source]]] = {}
    steps: list[tuple[Any, Source]] = []
    for record in stream.rows(lambda v: is_message(v) or _is_step(v)):
        value = record.value
        if _is_stored(value):
            threads.setdefault(_thread_of(value), []).append((value, record.source))
        elif _is_step(value):
            steps.append((value, record.source))
        elif isinstance(value, list) and any(map(_is_stored, value)):
            inner: dict[str | None, list[tuple[Any, Source]]] = {}
            for n, message in enumerate(value):
                name = _thread_of(message) or (next(iter(inner), None) if not isinstance(message, Mapping) else None)
                inner.setdefault(name, []).append((message, below(record.source, f"/{n}")))
            for name, messages in inner.items():
                yield Record(_Thread(name, messages), record.source)
        else:
            yield record
    for name, messages in threads.items():
        yield Record(_Thread(name, messages), messages[0][1])
    if steps:
        yield Record(_Steps(steps), Source(steps[0][1].file))


def _thread_of(message: object) -> str | None:
    return (
        (word_in(message, "threadId") or word_in(message, "thread_id") or None)
        if isinstance(message, Mapping)
        else None
    )


def _build(stream: Stream, record: Record) -> Trace:
    value = record.value
    if isinstance(value, _Thread):
        return _build_thread(stream, value, record.source)
    if isinstance(value, _Steps):
        script = _script(stream, {}, record.source, None)
        script.builder.partial_history()
        add_steps(script, [step for step, _ in value.steps], record.source, [place for _, place in value.steps])
        return script.builder.build()
    if isinstance(value, list) and any(map(_is_step, value)):
        return _build_lists(stream, {}, (("", value),), record.source)
    if isinstance(value, Mapping) and _is_run(value):
        return _build_run(stream, value, record.source)
    listed = _listed(value) if isinstance(value, Mapping) else ()
    if not listed:
        raise UnknownShape("holds no run, no messages and no steps of Mastra; it is left out")
    return _build_lists(stream, value, listed, record.source)


def _script(stream: Stream, value: Mapping[str, Any], source: Source, name: str | None) -> Script:
    rest = {k: v for k, v in value.items() if k not in _READ}
    named = name or (
        value["runId"] if isinstance(value.get("runId"), str) and value["runId"] else trace_id(value, source)
    )
    return Script(start_trace(stream, Row((), value.get("tools"), None, rest), source, "mastra", id=named[:200]))


def _build_thread(stream: Stream, thread: _Thread, source: Source) -> Trace:
    script = _script(stream, {}, source, thread.name)
    if not any(role_of(m) == "user" for m, _ in thread.messages if isinstance(m, Mapping)):
        script.builder.partial_history()
    for message, where in thread.messages:
        _add_stored(script, message, where)
    return script.builder.build()


def _build_lists(stream: Stream, value: Mapping[str, Any], lists: tuple[Placed, ...], source: Source) -> Trace:
    script = _script(stream, value, source, None)
    if not any(role_of(m) == "user" for _, values in lists for m in values if isinstance(m, Mapping)):
        script.builder.partial_history()
    for pointer, values in lists:
        place = below(source, pointer)
        if any(map(_is_step, values)):
            add_steps(script, values, place)
        else:
            for n, message in enumerate(values):
                _add_stored(script, message, below(place, f"/{n}"))
    return script.builder.build()


def _build_run(stream: Stream, value: Mapping[str, Any], source: Source) -> Trace:
    """A run as its scorers get it: instructions, what memory brought back, what was asked, what the agent did."""
    script = _script(stream, value, source, None)
    asked, output = _decoded(value.get("input")), _decoded(value.get("output"))
    seen: list[Any] = []
    for key in _ASKED:
        place = below(source, f"/input/{key}")
        for _, message, where in readable(script.builder, asked.get(key, []), place, key):
            if message not in seen:  # memory brings back what was just asked
                seen.append(message)
                _add_stored(script, message, where)
        tagged = asked.get("taggedSystemMessages")
        if key == "systemMessages" and isinstance(tagged, Mapping):
            for tag, messages in tagged.items():
                for n, message in enumerate(messages if isinstance(messages, list) else []):
                    _add_stored(script, message, below(source, f"/input/taggedSystemMessages/{tag}/{n}"))
    if output is None:
        script.builder.problem("output-missing", "the run has no output", source)
    else:
        for _, message, where in readable(script.builder, output, below(source, "/output"), "output"):
            _add_stored(script, message, where)
    return script.builder.build()


def _add_stored(script: Script, message: Any, where: Source) -> None:
    """Add one message: as Mastra stores it, or as the AI SDK writes it, which older versions kept."""
    content = message.get("content") if isinstance(message, Mapping) else None
    role = role_of(message) if isinstance(message, Mapping) else None
    if not isinstance(message, Mapping):
        what = "a message must be an object; it is left out"
        script.builder.problem("message-unreadable", what, where, lost=count_calls(message))
        return
    if not isinstance(content, Mapping) or role is None:
        add_message(script, message, where)
        return
    place = below(where, "/content")
    parts = message_parts(content, place) + _pending(content, place)
    if role == "assistant" or parts:
        add_parts(
            script, "assistant" if role == "tool" else role, parts, where, timestamp=stamp(message.get("createdAt"))
        )
    else:
        script.say(role, said_in(content.get("content")), source=where, timestamp=stamp(message.get("createdAt")))


def _pending(content: Mapping[str, Any], place: Source) -> list[Part]:
    """Calls that wait for a person and stand in the metadata only."""
    metadata = content.get("metadata")
    waiting = metadata.get("pendingToolApprovals") if isinstance(metadata, Mapping) else None
    if not isinstance(waiting, Mapping):
        return []
    known = str(content.get("parts")) + str(content.get("toolInvocations"))
    out = []
    for key, call in waiting.items():
        if isinstance(call, Mapping) and call.get("toolName") and repr(call.get("toolCallId")) not in known:
            part = {"type": "tool-invocation", "toolInvocation": {**call, "state": "approval-requested"}}
            out.append(Part(part, below(place, f"/metadata/pendingToolApprovals/{key}")))
    return out


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, _gathered(stream), lambda record: _build(stream, record))


READER = Reader(
    name="mastra",
    description="Mastra: scorer runs, stored messages by thread, steps and output of an agent",
    detect=_detect,
    read=_read,
    marks="messages whose content has parts and a format, runs with input.inputMessages, steps with a payload in each call",
    lacks=(
        "the tool schemas (give them with --tools)",
        "in steps: the result of a call that threw; the messages have it",
    ),
)
