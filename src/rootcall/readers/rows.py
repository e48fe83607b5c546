"""What the readers of chat formats share: the shapes of a row, whose messages they are, ids and metadata.

Exports, logs and data sets wrap the same messages in many ways: a row with columns, a request, a response, both side by
side. Here such a value becomes a `Row`; turning messages into a trace belongs to `rootcall.conversation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, Literal, NamedTuple

from rootcall.assembly import TraceBuilder
from rootcall.conversation import builder_for, count_calls, word_in
from rootcall.payload import loads
from rootcall.readers.content import STDIN
from rootcall.readers.records import Head, Record, Stream
from rootcall.trace import Source, Trace

__all__ = [
    "Row", "Segment", "UnknownShape", "family", "is_message", "parse_row", "start_trace", "stem",
    "sure_share", "trace_id", "traces",
]  # fmt: skip

Family = Literal["openai", "anthropic", "either", "foreign"]

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_ID_KEYS: Final = ("id", "trace_id", "custom_id", "conversation_id", "session_id", "run_id")
_OPENAI_KEYS: Final = ("tool_calls", "function_call", "tool_call_id")
_OPENAI_PARTS: Final = frozenset({"image_url", "input_audio", "refusal"})
_ANTHROPIC_PARTS: Final = ("tool_use", "tool_result", "thinking", "document", "search_result")
# Parts of formats that look like these but put their calls elsewhere; read as chat, their calls would be lost.
_FOREIGN_PARTS: Final = frozenset(
    {
        "tool-call",
        "tool-result",
        "tool-invocation",
        "tool_call",
        "output_text",
        "input_text",
        "function_call",
        "function_result",
    }
)
_FOREIGN_PART_KEYS: Final = ("toolUse", "toolResult", "value")
_FOREIGN_KEYS: Final = ("parts", "contents", "toolInvocations", "lc")


class UnknownShape(Exception):  # noqa: N818 -- caught by `traces` and reported as a problem
    """A record is no row of the format; the text says what it is instead."""


class Segment(NamedTuple):
    """A run of messages and where it stands in the row (see `rootcall.conversation.add_openai`)."""

    pointer: str
    messages: list[Any]
    alone: bool = False


class Row(NamedTuple):
    """A value that holds one conversation: its messages, tools (None when it has none), system prompt, and the rest."""

    segments: tuple[Segment, ...]
    tools: Any = None
    system: Any = None
    rest: Mapping[str, Any] = {}

    @property
    def messages(self) -> Iterator[Any]:
        """All messages in their order."""
        return (m for s in self.segments for m in s.messages)


def is_message(value: object) -> bool:
    """Tell whether a value is a message, so that an array of them is one conversation."""
    return isinstance(value, Mapping) and isinstance(value.get("role"), str) and not _has_messages(value)


def _has_messages(value: Mapping[str, Any]) -> bool:
    return "messages" in value or "traj" in value


def parse_row(value: object) -> Row | None:
    """Find the conversation in a value, None when there is none.

    A list is the messages themselves. An object holds `messages`, or a `request` (or `body`) that does, or the
    `response` to it, or both; `prompt` and `completion` as lists of messages; or is one response itself.
    """
    if isinstance(value, list):
        return Row((Segment("", value),)) if any(isinstance(m, Mapping) for m in value) else None
    if not isinstance(value, Mapping):
        return None
    asked, base, used = _request(value)
    segments: list[Segment] = []
    messages = _unwrapped(asked.get("messages"))
    if isinstance(messages, list):
        segments.append(Segment(f"{base}/messages", messages))
    elif isinstance(value.get("prompt"), list) and all(map(is_message, value["prompt"])):
        segments.append(Segment("/prompt", value["prompt"]))
        used.add("prompt")
        if isinstance(value.get("completion"), list):
            segments.append(Segment("/completion", value["completion"]))
            used.add("completion")
    for name in ("response", "output", ""):
        answer = value.get(name) if name else value
        answered = _response(answer, f"/{name}" if name else "")
        if answered is not None:
            segments.append(answered)
            used |= {name} if name else {"choices", "content", "role", "type"}
            break
    if not segments:
        return None
    tools = next((asked[k] for k in ("tools", "functions") if asked.get(k) is not None), value.get("tools"))
    rest = {k: v for k, v in {**value, **asked}.items() if k not in used}
    return Row(tuple(segments), _unwrapped(tools), asked.get("system"), rest)


def _request(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], str, set[str]]:
    used = {"messages", "tools", "functions", "system"}
    if "messages" not in value:
        for name in ("request", "body", "input"):
            inner = value.get(name)
            if isinstance(inner, Mapping) and "messages" in inner:
                return inner, f"/{name}", used | {name}
    return value, "", used


def _response(answer: object, pointer: str) -> Segment | None:
    """The message of a response object: OpenAI's first choice, or an Anthropic message."""
    if not isinstance(answer, Mapping):
        return None
    inner = answer.get("body")
    if isinstance(inner, Mapping):
        answer, pointer = inner, f"{pointer}/body"
    choices = answer.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return Segment(f"{pointer}/choices/0/message", [message], alone=True) if isinstance(message, Mapping) else None
    if answer.get("type") == "message" and isinstance(answer.get("content"), list | str):
        return Segment(pointer, [answer], alone=True)
    return None


def _unwrapped(value: object) -> Any:
    """Some data sets keep lists as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return loads(value)[0]
        except ValueError:
            return value
    return value


def family(row: Row) -> Family:
    """Tell whose messages a row holds. `either` says that both read it alike, `foreign` that it is neither's."""
    openai = anthropic = known = 0
    for m in row.messages:
        if not isinstance(m, Mapping):
            continue
        content = m.get("content")
        if any(k in m for k in _FOREIGN_KEYS) or (isinstance(content, Mapping) and "parts" in content):
            return "foreign"
        known += word_in(m, "role").lower() in _ROLES
        openai += any(k in m for k in _OPENAI_KEYS) or word_in(m, "role") in ("tool", "function", "developer")
        anthropic += m.get("type") == "message" or "stop_reason" in m
        for part in content if isinstance(content, list) else ():
            kind = word_in(part, "type") if isinstance(part, Mapping) else "text"
            if kind in _FOREIGN_PARTS or (isinstance(part, Mapping) and any(k in part for k in _FOREIGN_PART_KEYS)):
                return "foreign"
            openai += kind in _OPENAI_PARTS
            anthropic += kind.endswith(_ANTHROPIC_PARTS)
    if not known:
        return "foreign"
    if not openai and not anthropic:
        openai, anthropic = _hints(row)
    if openai == anthropic:
        return "either"
    return "openai" if openai > anthropic else "anthropic"


def _hints(row: Row) -> tuple[int, int]:
    """What stands beside the messages, when they themselves do not tell."""
    specs = [t for t in row.tools if isinstance(t, Mapping)] if isinstance(row.tools, list) else []
    anthropic = row.system is not None or any("input_schema" in t for t in specs)
    anthropic = anthropic or word_in(row.rest, "model").startswith("claude")
    openai = any("function" in t for t in specs) or any(isinstance(m, Mapping) and m.get("role") == "system"
                                                        for m in row.messages)  # fmt: skip
    return int(openai), int(anthropic)


def share(head: Head, confidence: Callable[[Any], float]) -> float:
    """The highest confidence in one of the first values, times the share of values that are recognised at all."""
    values: Iterable[Any] = head.values
    if head.container == "array" and head.values and is_message(head.values[0]):
        values = [list(head.values)]
    found = [confidence(v) for v in values]
    good = [c for c in found if c > 0]
    return max(good) * (len(good) / len(found)) ** 0.5 if good else 0.0


def sure_share(head: Head, confidence: Callable[[Any], float]) -> float:
    """As `share`, but 0 where no value is surely of the format: formats whose lesser marks others have too."""
    return share(head, confidence) if any(confidence(v) == 1.0 for v in head.values) else 0.0


def stem(file: str) -> str:
    """A file's name without its endings, for ids."""
    return "stdin" if file == STDIN else PurePath(file).name.partition(".")[0] or "trace"


def trace_id(row: Mapping[str, Any], source: Source) -> str:
    """The id a row gives itself, else the file's name with the line or the index in its array."""
    for key in _ID_KEYS:
        value = row.get(key)
        if (isinstance(value, str) and value.strip()) or (isinstance(value, int) and not isinstance(value, bool)):
            return str(value)[:200]
    place = source.pointer.strip("/") or ("" if source.line is None else str(source.line))
    return f"{stem(source.file)}-{place}" if place else stem(source.file)


def start_trace(stream: Stream, row: Row, source: Source, form: str, *, id: str | None = None) -> TraceBuilder:  # noqa: A002
    """Start the trace of a row: its own tools or those of the side file, and all its other columns as metadata."""
    own = _unwrapped(row.rest.get("metadata"))
    rest = {k: v for k, v in row.rest.items() if k not in ("id", "metadata")}
    metadata = {**rest, **own} if isinstance(own, Mapping) else rest
    return builder_for(
        row.tools,
        id=id or trace_id(row.rest, source),
        metadata=metadata,
        source=source,
        format=form,
        side_tools=stream.tools,
    )


def traces(stream: Stream, records: Iterable[Record], build: Callable[[Record], Trace]) -> Iterator[Trace]:
    """Build a trace from each record; a record of another shape, or one nested too deeply, is set aside."""
    for record in records:
        try:
            trace = build(record)
        except UnknownShape as error:
            lost = count_calls(record.value)
            stream.set_aside("unknown-shape", str(error), record.source, lost=lost)
        except RecursionError:
            lost = count_calls(record.value)
            stream.set_aside("nested-too-deeply", "nested too deeply to be read", record.source, lost=lost)
        else:
            yield trace
