"""Codex: rollout files, the flat lines of older versions, and the events of `codex exec --json`.

Owns how items become model responses. A rollout holds each item twice: what the model saw (`response_item`) is read, what
the interface showed (`event_msg`) only adds how a command ended. Items between two results are one response.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.conversation import below, count_calls, word_in
from rootcall.jsonvalue import MISSING
from rootcall.payload import loads
from rootcall.readers.codex_events import Events
from rootcall.readers.codex_session import End, Session, ended
from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import sure_share
from rootcall.readers.script import id_of, role_of, stamp, value_text
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_ROLLOUT: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_ITEMS: Final = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
        "local_shell_call", "local_shell_call_output", "web_search_call", "tool_search_call", "tool_search_output",
        "image_generation_call", "compaction", "ghost_snapshot",
    }
)  # fmt: skip
_EXEC: Final = re.compile(r"(?:thread|turn|item)\.[a-z_.]+\Z")


def _exit_of(text: object) -> End:
    """How a command ended, from the object that older versions write as the output of a call."""
    if not isinstance(text, str) or not text.startswith("{"):
        return End(None)
    try:
        told = loads(text)[0]
    except ValueError:
        return End(None)
    inner = told.get("metadata") if isinstance(told, Mapping) else None
    code = inner.get("exit_code") if isinstance(inner, Mapping) else None
    return ended(code, told.get("output") if isinstance(told, Mapping) else None)


def _end_in(payload: Mapping[str, Any]) -> tuple[str, End] | None:
    """The end of a call among the events of the interface: its id, and how it went."""
    item = payload.get("item") if payload.get("type") == "item_completed" else payload
    if not isinstance(item, Mapping):
        return None
    name = id_of(item.get("call_id")) or id_of(item.get("id"))
    kind = word_in(payload, "type")
    if name is None or not (kind == "item_completed" or kind.endswith("_end")):
        return None
    status = word_in(item, "status")
    if status in ("declined", "denied"):
        return name, End(True, denied=True)
    result = item.get("result")
    wrong = isinstance(result, Mapping) and ("Err" in result or result.get("isError") is True)
    code, output = item.get("exit_code"), item.get("aggregated_output", item.get("stdout"))
    if not isinstance(code, int) and (status == "failed" or item.get("success") is False or wrong):
        return name, End(True)
    return name, ended(code, output)


class _Log:
    """The threads of one file, in whichever of the three forms its lines are."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.session: Session | None = None
        self.ends: dict[str, End] = {}
        self.waiting: list[tuple[Mapping[str, Any], Source, str | None]] = []
        self.events: Events | None = None

    def take(self, value: Any, at: Source) -> Iterator[Trace]:
        """Take one line; a new thread gives out the one before."""
        kind = word_in(value, "type") if isinstance(value, Mapping) else ""
        if not isinstance(value, Mapping) or not (kind or "record_type" in value or _is_header(value)):
            what = "is no line of a session; it is left out"
            self.stream.set_aside("unknown-shape", what, at, lost=count_calls(value))
        elif kind in _ROLLOUT and isinstance(value.get("payload"), Mapping):
            yield from self._rollout(kind, value["payload"], at, stamp(value.get("timestamp")))
        elif kind in _ITEMS:
            self.waiting.append((value, at, stamp(value.get("timestamp"))))
        elif _EXEC.match(kind) or kind == "error":
            if kind == "thread.started":
                yield from self._begin(value, at)
                self._current(at).script.builder.partial_history()
            if self.events is None:
                self.events = Events(self._current(at))
            self.events.take(kind, value, at)
        elif _is_header(value):
            yield from self._begin(value, at)
        elif "record_type" not in value and not isinstance(value.get("payload"), Mapping):
            self.stream.pass_over(value, at)

    def _rollout(self, kind: str, payload: Mapping[str, Any], at: Source, time: str | None) -> Iterator[Trace]:
        place = below(at, "/payload")
        if kind == "session_meta":
            yield from self._begin(payload, at)
        elif kind == "turn_context" and isinstance(payload.get("model"), str):
            self._current(at).metadata.setdefault("model", payload["model"])
        elif kind == "response_item":
            self.waiting.append((payload, place, time))
        elif kind == "compacted":
            self.waiting.append(({"type": "compaction"}, at, time))
        elif kind == "event_msg":
            end = _end_in(payload)
            if end is not None and (end[1].failed or end[0] not in self.ends):
                self.ends[end[0]] = end[1]
            elif payload.get("type") in ("user_message", "agent_message"):
                self.waiting.append((payload, place, time))

    def _begin(self, header: Mapping[str, Any], at: Source) -> Iterator[Trace]:
        """A header begins a thread. One that follows at once is that of the thread it was forked from."""
        if self.session is not None and not self.waiting and not self.session.items:
            return
        if self.session is not None or self.waiting:
            yield self.finish()
        self.session = Session(self.stream, at, (id_of(header.get("id")) or id_of(header.get("thread_id")) or "")[:200])
        for key, kept in (("cwd", "cwd"), ("cli_version", "version"), ("agent_nickname", "agent")):
            if isinstance(header.get(key), str):
                self.session.metadata[kept] = header[key]
        told = header.get("source")
        if isinstance(told, Mapping) and "subagent" in told:
            self.session.metadata["subagent"] = told["subagent"]
        words = header.get("instructions", header.get("base_instructions"))
        words = words.get("text") if isinstance(words, Mapping) else words
        if isinstance(words, str) and words:
            self.session.tell("system", words, at, None)

    def _current(self, at: Source) -> Session:
        if self.session is None:
            self.session = Session(self.stream, at)
        return self.session

    def finish(self) -> Trace:
        """Write down the items of the thread, now that the end of each call is known."""
        first = self.waiting[0][1] if self.waiting else Source(self.stream.name)
        session = self._current(Source(first.file, first.line))
        full = any(word_in(item, "type") == "message" for item, _, _ in self.waiting)
        for item, at, time in self.waiting:
            _add_item(session, item, at, time, self.ends, events=not full)
        self.session, self.waiting, self.ends, self.events = None, [], {}, None
        return session.build()


def _add_item(
    session: Session, item: Mapping[str, Any], at: Source, time: str | None, ends: Mapping[str, End], *, events: bool
) -> None:
    kind, call_id = word_in(item, "type"), id_of(item.get("call_id"))
    session.items += 1
    if kind == "message":
        role = role_of(item)
        if role == "assistant":
            session.part(item.get("content"), at, time)
        else:
            session.tell(role, item.get("content"), at, time)
    elif events and kind in ("user_message", "agent_message"):
        if kind == "agent_message":
            session.part(item.get("message"), at, time)
        else:
            session.tell("user", item.get("message"), at, time)
    elif kind == "function_call":
        session.call(word_in(item, "name"), item.get("arguments", MISSING), call_id, at, time)
    elif kind == "custom_tool_call":
        session.call(word_in(item, "name"), {"input": item["input"]} if "input" in item else MISSING, call_id, at, time)
    elif kind in ("local_shell_call", "web_search_call", "tool_search_call", "image_generation_call"):
        name = call_id or id_of(item.get("id"))
        session.call(kind.removesuffix("_call"), item.get("action", item.get("arguments", MISSING)), name, at, time)
        if kind == "web_search_call":
            session.answer(None, name, at, End(True if item.get("status") == "failed" else None))
    elif kind.endswith("_output"):
        _add_output(session, item, call_id, at, ends)
    elif kind == "compaction":
        session.flush()
        session.script.builder.problem("compacted", "from here on the model saw a summary of what came before", at)
        if not session.script.next:
            session.script.builder.partial_history()


def _add_output(
    session: Session, item: Mapping[str, Any], call_id: str | None, at: Source, ends: Mapping[str, End]
) -> None:
    output = item.get("output", item.get("tools"))
    success = None
    if isinstance(output, Mapping) and ("content" in output or "success" in output):
        success, output = output.get("success"), output.get("content", output.get("body"))
    text = value_text(output) if output is not None else None
    end = ends.get(call_id or "", End(None))
    if end.failed is None:
        end = End(True) if success is False else _exit_of(text)
    session.answer(text, call_id, at, end, evidence="exit code" if end.failed and not end.denied else None)


def _is_header(value: Mapping[str, Any]) -> bool:
    """The first line of an older file: an id and a time, and what it was started with."""
    return (
        "id" in value and "timestamp" in value and ("instructions" in value or "git" in value) and "type" not in value
    )


def _confidence(value: Any) -> float:
    if not isinstance(value, Mapping):
        return 0.0
    kind = word_in(value, "type")
    if kind in _ROLLOUT and isinstance(value.get("payload"), Mapping):
        return 1.0
    if _is_header(value) or value.get("record_type") == "state":
        return 1.0
    if kind in ("thread.started", "turn.started", "turn.completed", "turn.failed") or (
        kind.startswith("item.") and isinstance(value.get("item"), Mapping)
    ):
        return 1.0
    return 0.3 if kind in _ITEMS else 0.0


def _detect(head: Head) -> float:
    return sure_share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    log = _Log(stream)
    for record in stream:
        try:
            yield from log.take(record.value, record.source)
        except RecursionError:
            lost = count_calls(record.value)
            stream.set_aside("nested-too-deeply", "nested too deeply to be read", record.source, lost=lost)
    if log.session is not None or log.waiting:
        yield log.finish()


READER = Reader(
    name="codex",
    description="Codex: rollout files, older flat session files, events of codex exec --json",
    detect=_detect,
    read=_read,
    marks="lines with type and payload; a header with id and instructions; lines of type thread.started and item.completed",
    lacks=(
        "the tool schemas (give them with --tools)",
        "in the events of codex exec --json: what the user asked, and the names the model knows its tools by",
    ),
)
