"""The stream of an Anthropic response, put together again: events as JSON lines or as server-sent events.

Each response is a trace: the fragments of a block are joined by its index until the block ends. What a block says is read
as in whole messages; what was asked, and the results of the calls, are not part of a response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.assembly import DraftCall
from rootcall.conversation import count_calls, word_in
from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, start_trace, sure_share, trace_id
from rootcall.readers.script import Script, id_of, said_in, value_text
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_EVENTS: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)


class _Block:
    """One content block while its fragments come in."""

    def __init__(self, block: Mapping[str, Any], at: Source) -> None:
        self.block, self.at = block, at
        self.text: list[str] = []
        self.input: list[str] = []
        self.ended = False

    def take(self, delta: Mapping[str, Any]) -> None:
        """Take one fragment."""
        for key, kept in (("text", self.text), ("partial_json", self.input)):
            if isinstance(delta.get(key), str):
                kept.append(delta[key])

    @property
    def arguments(self) -> Any:
        """The arguments as they were sent: the joined text, or what the block began with when nothing followed."""
        return "".join(self.input) or self.block.get("input", {})


class _Response:
    """One response while it comes in."""

    def __init__(self, message: Mapping[str, Any], at: Source) -> None:
        self.message, self.at = message, at
        self.blocks: dict[object, _Block] = {}
        self.delta: dict[str, Any] = {}
        self.ended = False
        self.faults: list[tuple[str, str, Source]] = []

    def take(self, kind: str, event: Mapping[str, Any], at: Source) -> None:
        """Take one event."""
        index = id_of(event.get("index"))
        if kind == "content_block_start" and isinstance(event.get("content_block"), Mapping):
            self.blocks[index] = _Block(event["content_block"], at)
        elif kind == "content_block_delta" and isinstance(event.get("delta"), Mapping):
            if index not in self.blocks:
                self.faults.append(("fragment-without-start", "a fragment belongs to no block; it is left out", at))
            else:
                self.blocks[index].take(event["delta"])
        elif kind == "content_block_stop" and index in self.blocks:
            self.blocks[index].ended = True
        elif kind == "message_delta" and isinstance(event.get("delta"), Mapping):
            self.delta |= event["delta"]
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            error = event.get("error")
            told = word_in(error, "message") if isinstance(error, Mapping) else ""
            self.faults.append(("stream-error", f"the stream broke off with an error: {told[:200]}", at))

    def build(self, stream: Stream) -> Trace:
        """Return the response as a trace."""
        known = {
            k: v for k, v in {**self.message, **self.delta}.items() if k in ("id", "model", "stop_reason", "usage")
        }
        name = trace_id(known, self.at)
        script = Script(start_trace(stream, Row((), None, None, known), self.at, "anthropic-stream", id=name))
        script.builder.partial_history()
        said: list[Any] = []
        calls: list[DraftCall] = []
        results: list[_Block] = []
        for block in self.blocks.values():
            kind = word_in(block.block, "type")
            if kind.endswith("tool_use"):
                calls += _call(script, block)
            elif kind.endswith("tool_result"):
                results.append(block)
            elif not kind.endswith("thinking"):
                said.append({**block.block, "text": word_in(block.block, "text") + "".join(block.text)})
        text = said_in(said)
        script.say("assistant", text or (None if calls else text), calls, source=self.at)
        for block in results:
            content = block.block.get("content")
            failed = block.block.get("is_error") is True or (
                isinstance(content, Mapping) and word_in(content, "type").endswith("error")
            )
            call_id = id_of(block.block.get("tool_use_id"))
            script.answer(value_text(content), call_id=call_id, flagged=True if failed else None, source=block.at)
        for code, message, at in self.faults:
            script.builder.problem(code, message, at)
        if not self.ended or not all(b.ended for b in self.blocks.values()):
            script.builder.problem("stream-cut", "the stream ends before the response does", self.at)
        return script.builder.build()


def _call(script: Script, block: _Block) -> list[DraftCall]:
    tool = word_in(block.block, "name")
    if not tool:
        script.builder.problem("call-unreadable", "a tool_use block names no tool; it is left out", block.at, lost=1)
        return []
    return [DraftCall(tool, block.arguments, id_of(block.block.get("id")), block.at)]


def _confidence(value: Any) -> float:
    kind = word_in(value, "type") if isinstance(value, Mapping) else ""
    if kind in _EVENTS and not (kind == "message_start" and not isinstance(value.get("message"), Mapping)):
        return 1.0
    return 0.5 if kind == "ping" or (kind == "error" and isinstance(value.get("error"), Mapping)) else 0.0


def _detect(head: Head) -> float:
    return sure_share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    response: _Response | None = None
    for record in stream:
        event, at = record.value, record.source
        kind = word_in(event, "type") if isinstance(event, Mapping) else ""
        if not kind or (kind not in _EVENTS and kind not in ("ping", "error")):
            what = "is no event of a response; it is left out"
            stream.set_aside("unknown-shape", what, at, lost=count_calls(event))
            continue
        if kind == "message_start":
            if response is not None:
                yield response.build(stream)
            message = event.get("message")
            response = _Response(message if isinstance(message, Mapping) else {}, at)
        elif kind != "ping":
            response = response or _Response({}, at)
            response.take(kind, event, at)
            if response.ended:
                yield response.build(stream)
                response = None
    if response is not None:
        yield response.build(stream)


READER = Reader(
    name="anthropic-stream",
    description="Anthropic stream events, put together: JSON lines or server-sent events; each response is a trace",
    detect=_detect,
    read=_read,
    marks="events message_start, content_block_start and content_block_delta",
    lacks=(
        "what the user asked, and the results of the calls",
        "the tool schemas (give them with --tools)",
        "times",
    ),
)
