"""The events of Bedrock's `ConverseStream`, one a line, put together to the responses they are pieces of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.conversation import count_calls, shape_of, word_in
from rootcall.readers.records import Stream
from rootcall.trace import Source

__all__ = ["Streamed", "is_event", "streamed"]

_EVENTS: Final = (
    "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata",
)  # fmt: skip


class Streamed(NamedTuple):
    """A response: its message as Converse gives it, what came beside it, and whether its end was there.

    A call whose beginning or end never came is no part of it, since half an argument text is none; `lost` counts them.
    """

    message: Mapping[str, Any]
    rest: Mapping[str, Any]
    source: Source
    whole: bool
    lost: int


def is_event(value: object) -> bool:
    """Tell whether a value is one event: an object with the one key that names it."""
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in _EVENTS


class _Response:
    """A response that is put together from its events."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.role = "assistant"
        self.blocks: dict[int, dict[str, Any]] = {}
        self.pieces: dict[int, list[str]] = {}
        self.open: set[int] = set()
        self.unnamed: set[int] = set()
        self.stopped = False
        self.rest: dict[str, Any] = {}

    def add(self, kind: str, body: Mapping[str, Any]) -> None:
        number = body.get("contentBlockIndex")
        at = number if isinstance(number, int) else 0
        if kind == "messageStart":
            self.role = word_in(body, "role") or self.role
        elif kind == "contentBlockStart":
            start = body.get("start")
            use = start.get("toolUse") if isinstance(start, Mapping) else None
            self.blocks[at] = {"toolUse": use} if isinstance(use, Mapping) else {}
            self.pieces[at] = []
            self.open.add(at)
        elif kind == "contentBlockDelta":
            self._delta(at, body.get("delta"))
        elif kind == "contentBlockStop":
            self.open.discard(at)
        elif kind == "messageStop":
            self.stopped = True
            self.rest["stopReason"] = body.get("stopReason")
        else:
            self.rest |= {k: v for k, v in body.items() if k in ("usage", "metrics")}

    def _delta(self, at: int, delta: object) -> None:
        block = self.blocks.setdefault(at, {})
        self.open.add(at)
        if not isinstance(delta, Mapping):
            return
        use = delta.get("toolUse")
        pieces = self.pieces.setdefault(at, [])
        if isinstance(delta.get("text"), str):
            pieces.append(delta["text"])
        elif isinstance(use, Mapping) and "toolUse" not in block:
            self.unnamed.add(at)
        elif isinstance(use, Mapping) and isinstance(use.get("input"), str):
            pieces.append(use["input"])

    def _whole(self, at: int, block: dict[str, Any]) -> dict[str, Any]:
        text = "".join(self.pieces.get(at, ()))
        if "toolUse" in block:
            return {"toolUse": {**block["toolUse"], "input": text}}
        return {"text": text} if text else {}

    @property
    def begun(self) -> bool:
        return bool(self.blocks) or self.stopped

    def build(self) -> Streamed:
        cut = [at for at in sorted(self.open) if "toolUse" in self.blocks[at]]
        content = [self._whole(at, block) for at, block in sorted(self.blocks.items()) if at not in cut]
        message = {"role": self.role, "content": content}
        return Streamed(message, self.rest, self.source, self.stopped, len(cut) + len(self.unnamed))


def streamed(stream: Stream) -> Iterator[Streamed]:
    """Put responses together; the next one begins with its `messageStart`, or with a block after the last one's end."""
    answer: _Response | None = None
    for record in stream:
        if not is_event(record.value):
            what = f"is no event of a Bedrock stream but {shape_of(record.value)}; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
            continue
        kind, body = next(iter(record.value.items()))
        begins = kind == "messageStart" or (kind == "contentBlockStart" and answer is not None and answer.stopped)
        if answer is not None and answer.begun and begins:
            yield answer.build()
            answer = None
        answer = answer or _Response(record.source)
        if isinstance(body, Mapping):
            answer.add(kind, body)
        else:
            stream.set_aside("unknown-shape", f"{kind} must be an object, got {shape_of(body)}", record.source)
    if answer is not None and answer.begun:
        yield answer.build()
