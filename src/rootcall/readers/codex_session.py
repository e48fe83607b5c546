"""One Codex thread being written down: items come in, and become messages when a model response is over.

Owns where a response ends (at the next result, or at the next words that are not the model's) and how a command's exit
code is read. Where the items come from belongs to `rootcall.readers.codex` and `rootcall.readers.codex_events`.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.assembly import DraftCall
from rootcall.readers.records import Stream
from rootcall.readers.rows import Row, start_trace, stem
from rootcall.readers.script import Script, said_in
from rootcall.trace import Source, Trace

__all__ = ["End", "Session", "ended"]

# Texts in user messages that the harness put there.
_HARNESS: Final = re.compile(r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill|collaboration_mode|"
                             r"subagent_notification|model_switch)\b|# AGENTS\.md instructions)")  # fmt: skip


class End(NamedTuple):
    """How a call ended, as the interface was told."""

    failed: bool | None
    denied: bool = False


class Session:
    """One thread: items come in, and become messages when a response is over."""

    def __init__(self, stream: Stream, source: Source, name: str = "") -> None:
        self.script = Script(start_trace(stream, Row((), None), source, "codex", id=name or stem(stream.name)))
        self.metadata: dict[str, Any] = {"session_id": name} if name else {}
        self.items = 0
        self._said: list[tuple[Any, Source]] = []
        self._calls: list[DraftCall] = []
        self._time: str | None = None

    def part(self, said: Any, at: Source, time: str | None) -> None:
        """Add what the model said to its current response; words after its calls begin the next one."""
        if self._calls:
            self.flush()
        self._time = self._time or time
        self._said.append((said, at))

    def call(self, tool: str, arguments: Any, call_id: str | None, at: Source, time: str | None) -> None:
        """Add a call to the current response."""
        if not tool:
            self.script.builder.problem("call-unreadable", "a call names no tool; it is left out", at, lost=1)
            return
        draft = DraftCall(tool, arguments, call_id, at)
        self._time = self._time or time
        self._calls.append(draft)
        if call_id is not None:
            self.script.asked[call_id] = draft

    def flush(self) -> None:
        """End the current response."""
        said, calls, time = self._said, self._calls, self._time
        self._said, self._calls, self._time = [], [], None
        if not said and not calls:
            return
        texts = [t for t in (said_in(s) for s, _ in said) if t]
        text = "\n".join(texts) if texts else (None if calls else "")
        at = said[0][1] if said else (calls[0].source or Source())
        self.script.say("assistant", text, calls, source=at, timestamp=time)

    def answer(self, text: str | None, call_id: str | None, at: Source, end: End, **more: Any) -> None:
        """Add a result; the response is over then."""
        self.flush()
        if end.denied and call_id in self.script.asked:
            self.script.asked[call_id].denied = True
        self.script.answer(text, call_id=call_id, flagged=end.failed, source=at, **more)

    def tell(self, role: Any, content: Any, at: Source, time: str | None) -> None:
        """Add a message that is not the model's."""
        self.flush()
        text = said_in(content)
        meant = role == "user" and not _HARNESS.match(text or "")
        self.script.say("user" if meant else "system", text, source=at, timestamp=time)

    def build(self) -> Trace:
        """End the thread and return its trace."""
        self.flush()
        trace = self.script.builder.build()
        return msgspec.structs.replace(trace, metadata={**self.metadata, **trace.metadata})


def ended(code: object, output: object) -> End:
    """A command that leaves with 1 and says nothing answers "no"; any other code but 0 is a failure."""
    if isinstance(code, bool) or not isinstance(code, int):
        return End(None)
    return End(True if code != 0 and not (code == 1 and not str(output or "").strip()) else None)
