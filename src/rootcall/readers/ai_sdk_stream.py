"""The stream of an AI SDK answer, put together again: chunks of an interface message, or of a model's full stream.

Each message is a trace. Fragments of texts and of arguments are joined by their ids; arguments stay the text that was
sent, even where the SDK mended them. The message itself is read as the saved ones are, by `rootcall.readers.ui_parts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.conversation import count_calls, word_in
from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, start_trace, sure_share, trace_id
from rootcall.readers.script import Script, id_of, value_text
from rootcall.readers.ui_parts import Part, add_parts
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_SURE: Final = ("text-start", "text-delta", "text-end", "tool-input-", "tool-output-", "start-step", "finish-step",
                "reasoning-start", "reasoning-delta", "reasoning-end", "stream-start")  # fmt: skip
_MAYBE: Final = ("start", "finish", "abort", "error", "file", "source", "data-", "message-metadata", "reasoning", "raw",
                 "response-metadata", "tool-approval-", "tool-call", "tool-result", "tool-error", "text", "step-")  # fmt: skip


_ASKING: Final = ("tool-input-start", "tool-input-available", "tool-input-error", "tool-call", "tool-approval-request")
_MASTRA: Final = {
    "tool-call-input-streaming-start": "tool-input-start",
    "tool-call-delta": "tool-input-delta",
    "tool-call-approval": "tool-approval-request",
    "tool-call-suspended": "tool-approval-request",
}


class _Message:
    """One message while its chunks come in."""

    def __init__(self, name: str, at: Source) -> None:
        self.name, self.at = name, at
        self.parts: list[Part] = []
        self.texts: dict[str, list[str]] = {}
        self.said: list[tuple[dict[str, Any], list[str]]] = []
        self.calls: dict[str, dict[str, Any]] = {}
        self.sent: dict[str, list[str]] = {}
        self.backs: dict[str, Source] = {}
        self.approvals: dict[str, str] = {}
        self.faults: list[tuple[str, str, Source, int]] = []
        self.finish: Any = None
        self.ended = False

    def take(self, kind: str, chunk: Mapping[str, Any], at: Source) -> None:
        """Take one chunk; kinds that carry nothing of the run are passed over."""
        inner = chunk.get("payload")  # Mastra wraps the same chunks once more
        if isinstance(inner, Mapping):
            kind, chunk = _MASTRA.get(kind, kind), {**inner, "type": kind}
        name = id_of(chunk.get("toolCallId")) or id_of(chunk.get("id")) or ""
        if kind in ("start-step", "step-start"):
            self.parts.append(Part({"type": "step-start"}, at))
        elif kind in ("text-start", "text-delta", "text"):
            self._text(kind, name, chunk, at)
        elif kind.startswith("tool-"):
            self._tool(kind, name, chunk, at)
        elif kind in ("finish", "abort"):
            self.ended = True
            self.finish = chunk.get("finishReason", kind if kind == "abort" else None) or self.finish
        elif kind == "error":
            told = value_text(chunk.get("errorText", chunk.get("error", "")))
            self.faults.append(("stream-error", f"the stream broke off with an error: {told[:200]}", at, 0))

    def _text(self, kind: str, name: str, chunk: Mapping[str, Any], at: Source) -> None:
        if kind == "text-start" or name not in self.texts:
            part: dict[str, Any] = {"type": "text", "text": ""}
            self.texts[name] = []
            self.said.append((part, self.texts[name]))
            self.parts.append(Part(part, at))
        more = chunk.get("delta", chunk.get("text", chunk.get("textDelta")))
        self.texts[name].append(more if isinstance(more, str) else "")

    def _tool(self, kind: str, name: str, chunk: Mapping[str, Any], at: Source) -> None:
        if kind in _ASKING and name not in self.calls:
            self.calls[name] = {"type": "dynamic-tool", "toolCallId": name, "state": "input-streaming"}
            self.parts.append(Part(self.calls[name], at))
        approval = id_of(chunk.get("approvalId")) or ""
        call = self.calls.get(self.approvals.get(approval, name))
        if call is None:
            self.faults.append(("orphan-result", f"{kind} belongs to no call before it; it is left out", at, 0))
            return
        if isinstance(chunk.get("toolName"), str):
            call.setdefault("toolName", chunk["toolName"])
        if kind == "tool-input-delta":
            more = chunk.get("inputTextDelta", chunk.get("delta", chunk.get("argsTextDelta")))
            self.sent.setdefault(name, []).append(more if isinstance(more, str) else "")
        elif kind in ("tool-input-available", "tool-input-error", "tool-call"):
            call["state"], call["input"] = "input-available", chunk.get("input", chunk.get("args"))
            if kind == "tool-input-error":
                call |= {"state": "output-error", "errorText": chunk.get("errorText", "")}
        elif kind in ("tool-output-available", "tool-result"):
            call |= {"state": "output-available", "output": chunk.get("output", chunk.get("result"))}
            self.backs[name] = at
        elif kind in ("tool-output-error", "tool-error"):
            call |= {"state": "output-error", "errorText": chunk.get("errorText", chunk.get("error", ""))}
            self.backs[name] = at
        elif kind == "tool-output-denied":
            call["state"] = "output-denied"
        elif kind == "tool-approval-request":
            self.approvals |= {approval: name} if approval else {}
            call["state"] = "approval-requested"
            if "args" in chunk:
                call.setdefault("input", chunk["args"])
        elif kind == "tool-approval-response":
            call |= {"state": "approval-responded", "approval": {k: chunk.get(k) for k in ("approved", "reason")}}

    def build(self, stream: Stream) -> Trace:
        """Return the message as a trace."""
        for part, said in self.said:
            part["text"] = "".join(said)
        for name, sent in self.sent.items():
            if name in self.calls and "".join(sent):
                self.calls[name]["input"] = "".join(sent)
        known = {"message_id": self.name} if self.name else {}
        if self.finish is not None:
            known["finish_reason"] = self.finish
        script = Script(
            start_trace(stream, Row((), None, None, known), self.at, "ai-sdk-stream", id=trace_id({}, self.at))
        )
        script.builder.partial_history()
        parts = [p._replace(back=self.backs.get(p.value.get("toolCallId", ""))) for p in self.parts]
        add_parts(script, "assistant", parts, self.at)
        for code, message, at, lost in self.faults:
            script.builder.problem(code, message, at, lost=lost)
        if not self.ended:
            script.builder.problem("stream-cut", "the stream ends before the message does", self.at)
        return script.builder.build()


def _confidence(value: Any) -> float:
    kind = word_in(value, "type") if isinstance(value, Mapping) else ""
    if not kind or "role" in value:
        return 0.0
    wrapped = "runId" in value and isinstance(value.get("payload"), Mapping)
    if kind.startswith(_SURE) or (kind == "start" and "messageId" in value) or (wrapped and kind.startswith(_MAYBE)):
        return 1.0
    return 0.5 if kind.startswith(_MAYBE) else 0.0


def _detect(head: Head) -> float:
    return sure_share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    message: _Message | None = None
    for record in stream:
        chunk, at = record.value, record.source
        kind = word_in(chunk, "type") if isinstance(chunk, Mapping) else ""
        if not kind.startswith(_SURE + _MAYBE):
            stream.set_aside("unknown-shape", "is no chunk of a stream; it is left out", at, lost=count_calls(chunk))
            continue
        if kind == "start":
            name = word_in(chunk, "messageId")
            # A message goes on in a new stream, under its own id, after a person or the browser answered a call.
            if message is not None and (not name or name != message.name):
                yield message.build(stream)
                message = None
            if message is None:
                message = _Message(name, at)
            message.ended = False
            continue
        message = message or _Message("", at)
        message.take(kind, chunk, at)
    if message is not None:
        yield message.build(stream)


READER = Reader(
    name="ai-sdk-stream",
    description="AI SDK and Mastra stream chunks, put together: JSON lines or server-sent events; each message is a trace",
    detect=_detect,
    read=_read,
    marks="chunks of type start-step, text-delta, tool-input-start and tool-output-available",
    lacks=(
        "what the user asked",
        "the tool schemas (give them with --tools)",
        "times",
    ),
)
