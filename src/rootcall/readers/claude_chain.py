"""One conversation of a Claude Code session being written down: the main one, or that of a sub-agent.

Owns what a line of the model or of the user says: consecutive lines with one message id are one message, results come in
any order, words of the harness are no words of the user. Which lines belong together is `rootcall.readers.claude_code`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rootcall.assembly import DraftCall
from rootcall.conversation import below, count_calls, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.records import Stream
from rootcall.readers.rows import Row, start_trace
from rootcall.readers.script import Script, id_of, said_in, value_text
from rootcall.trace import Source, Trace

__all__ = ["Chain"]

# Texts in user messages that nobody typed: output of local commands, reminders, interruptions.
_HARNESS: Final = re.compile(
    r"\s*(?:<(?:local-command-std(?:out|err)|bash-std(?:out|err)|system-reminder|task-notification|local-command-caveat)\b|"
    r"Caveat: The messages below were generated|\[Request interrupted by user)"
)
_DENIED: Final = re.compile(
    r"(?:Error: )?(?:User rejected|The user doesn't want to (?:proceed|take this action)|Claude requested permissions? to|"
    r"Permission to use .{1,80} (?:has been|was) denied|This command requires approval)"
)


class Chain:
    """One conversation of a session: the main one, or that of a sub-agent."""

    def __init__(self, stream: Stream, name: str, source: Source, tools: Any = None, agent: str | None = None) -> None:
        self.script = Script(start_trace(stream, Row((), tools), source, "claude-code", id=name))
        self.agent = agent
        self.metadata: dict[str, Any] = {}
        self.seen: dict[str, int] = {}
        self.repeated = 0
        self._id: str | None = None
        self._blocks: list[tuple[Any, Source]] = []
        self._time: str | None = None

    def assistant(self, message: Mapping[str, Any], at: Source, time: str | None) -> None:
        """Take a line of the model, which may go on with the message of the line before."""
        name = id_of(message.get("id"))
        if name is None or name != self._id:
            self.flush()
        if not self._blocks:
            self._id, self._time = name, time
        if isinstance(message.get("model"), str) and message["model"] != "<synthetic>":
            self.metadata.setdefault("model", message["model"])
        content = message["content"]
        blocks = [content] if isinstance(content, str) else content
        place = below(at, "/message/content")
        self._blocks += [
            (b, place if isinstance(content, str) else below(place, f"/{n}")) for n, b in enumerate(blocks)
        ]
        if not self._blocks:
            self._blocks.append(("", at))

    def flush(self) -> None:
        """End the message that is being collected."""
        blocks, self._blocks, self._id = self._blocks, [], None
        if not blocks:
            return
        calls: list[DraftCall] = []
        results: list[tuple[Mapping[str, Any], Source]] = []
        said: list[Any] = []
        for block, place in blocks:
            kind = word_in(block, "type") if isinstance(block, Mapping) else "text"
            if kind.endswith("tool_use"):
                calls += self._call(block, place)
            elif kind.endswith("tool_result"):
                results.append((block, place))
            elif not kind.endswith("thinking"):
                said.append(block)
        text = said_in(said)
        place = blocks[0][1]
        self.script.say(
            "assistant", text or (None if calls else text), calls, source=place, agent=self.agent, timestamp=self._time
        )
        for block, place in results:
            self.result(block, place, None)

    def _call(self, block: Mapping[str, Any], place: Source) -> list[DraftCall]:
        tool = word_in(block, "name")
        if not tool:
            self.script.builder.problem(
                "call-unreadable", "a tool_use block names no tool; it is left out", place, lost=1
            )
            return []
        draft = DraftCall(tool, block.get("input", MISSING), id_of(block.get("id")), place)
        if draft.id is not None:
            self.script.asked[draft.id] = draft
        return [draft]

    def user(self, message: Mapping[str, Any], line: Mapping[str, Any], at: Source, time: str | None) -> None:
        """Take a line of the user, which often is nothing but the result of a call."""
        self.flush()
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        place = below(at, "/message/content")
        said: list[Any] = []
        for n, block in enumerate(blocks):
            if isinstance(block, Mapping) and word_in(block, "type").endswith("tool_result"):
                self.result(block, below(place, f"/{n}"), line.get("toolUseResult", line.get("tool_use_result")))
            else:
                said.append(block)
        if said or not blocks:
            text = said_in(said if isinstance(content, list) else content)
            meant = not (
                line.get("isMeta") is True or line.get("isCompactSummary") is True or _HARNESS.match(text or "")
            )
            self.script.say("user" if meant else "system", text, source=at, timestamp=time)
        lost = count_calls(said)
        if lost:
            self.script.builder.problem("calls-misplaced", f"a user cannot call tools; {lost} left out", at, lost=lost)

    def result(self, block: Mapping[str, Any], place: Source, beside: object) -> None:
        """Take what came back from a call. `beside` is the harness's own record of it, of which only the flags count."""
        text = value_text(block["content"]) if block.get("content") is not None else ""
        call_id = id_of(block.get("tool_use_id"))
        flagged = block["is_error"] if isinstance(block.get("is_error"), bool) else None
        if isinstance(block.get("content"), Mapping) and word_in(block["content"], "type").endswith("error"):
            flagged = True
        if (
            flagged
            and (_DENIED.match(text) or (isinstance(beside, str) and _DENIED.match(beside)))
            and call_id in self.script.asked
        ):
            self.script.asked[call_id].denied = True
        stopped = isinstance(beside, Mapping) and beside.get("interrupted") is True
        self.script.answer(
            text,
            call_id=call_id,
            flagged=True if flagged or stopped else flagged,
            evidence="interrupted" if stopped and not flagged else None,
            source=place,
        )

    def deny(self, listed: object) -> None:
        """Mark the calls that a result line lists as denied."""
        for one in listed if isinstance(listed, list) else []:
            name = id_of(one.get("tool_use_id")) if isinstance(one, Mapping) else None
            if name in self.script.asked:
                self.script.asked[name].denied = True

    def build(self) -> Trace:
        """End the conversation and return its trace."""
        self.flush()
        if self.repeated:
            what = f"{self.repeated} lines stand in the file more than once; each is read once"
            self.script.builder.problem("lines-repeated", what)
        trace = self.script.builder.build()
        return msgspec.structs.replace(trace, metadata={**self.metadata, **trace.metadata})
