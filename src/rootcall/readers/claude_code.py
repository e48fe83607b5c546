"""Claude Code: session files, exported sessions (`loglines`), and the lines of `--output-format stream-json`.

Owns how lines become messages: consecutive lines with one message id are one message, each sub-agent is a trace of its own,
words of the harness are no words of the user. Lines are taken in the order of the file: their `parentUuid` leads astray
after a session was resumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from rootcall.assembly import DraftCall
from rootcall.conversation import count_calls, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, share, start_trace, stem
from rootcall.readers.script import Script, below, id_of, said_in, stamp, value_text
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_SPOKEN: Final = ("user", "assistant")
# Texts in user messages that nobody typed: output of local commands, reminders, interruptions.
_HARNESS: Final = re.compile(
    r"\s*(?:<(?:local-command-std(?:out|err)|bash-std(?:out|err)|system-reminder|task-notification|local-command-caveat)\b|"
    r"Caveat: The messages below were generated|\[Request interrupted by user)"
)
_DENIED: Final = re.compile(
    r"(?:Error: )?(?:User rejected|The user doesn't want to (?:proceed|take this action)|Claude requested permissions? to|"
    r"Permission to use .{1,80} (?:has been|was) denied|This command requires approval)"
)
_KEPT: Final = (("cwd", "cwd"), ("gitBranch", "git_branch"), ("version", "version"), ("claude_code_version", "version"))


class _Chain:
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
        self.flush()
        if self.repeated:
            what = f"{self.repeated} lines stand in the file more than once; each is read once"
            self.script.builder.problem("lines-repeated", what)
        trace = self.script.builder.build()
        return msgspec.structs.replace(trace, metadata={**self.metadata, **trace.metadata})


class _Log:
    """The sessions of one file."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.chains: dict[tuple[str, str], _Chain] = {}
        self.roots: dict[str, str] = {}
        self.last = ""

    def take(self, line: Any, at: Source) -> None:
        """Take one line; one that cannot be read is set aside."""
        kind = line.get("type") if isinstance(line, Mapping) else None
        if not isinstance(kind, str):
            what = "is no line of a session: an object with a type is wanted; it is left out"
            self.stream.set_aside("unknown-shape", what, at, lost=count_calls(line))
            return
        session = next((line[k] for k in ("sessionId", "session_id") if isinstance(line.get(k), str)), self.last)
        self.last = session
        if kind in _SPOKEN:
            message = line.get("message")
            if not isinstance(message, Mapping) or not isinstance(message.get("content"), str | list):
                what = f"the {kind} line has no message with content; it is left out"
                self.stream.set_aside("message-unreadable", what, at, lost=count_calls(line))
                return
            self._spoken(kind, message, line, session, at)
        elif kind == "system" and line.get("subtype") == "init":
            self._chain(session, line, at, tools=_offered(line))
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self._compacted(self._chain(session, line, at), at)
        elif kind == "result" and ("subtype" in line or "result" in line):
            self._ended(self._chain(session, line, at), line, at)
        elif kind == "attachment" and isinstance(line.get("attachment"), Mapping):
            queued = line["attachment"]
            if queued.get("type") == "queued_command" and isinstance(queued.get("prompt"), str):
                chain = self._chain(session, line, at)
                chain.user({"content": queued["prompt"]}, line, at, stamp(line.get("timestamp")))

    def _spoken(self, kind: str, message: Mapping[str, Any], line: Mapping[str, Any], session: str, at: Source) -> None:
        chain = self._chain(session, line, at)
        name = line.get("uuid")
        if isinstance(name, str):
            mark = hash(repr(message))
            if chain.seen.get(name) == mark:
                chain.repeated += 1
                return
            chain.seen[name] = mark
        time = stamp(line.get("timestamp"))
        if kind == "assistant":
            if "session_id" in line and not chain.script.next:
                chain.script.builder.partial_history()  # what was asked is not part of this output
            chain.assistant(message, at, time)
            return
        if line.get("isCompactSummary") is True:
            self._compacted(chain, at)
        chain.user(message, line, at, time)

    def _compacted(self, chain: _Chain, at: Source) -> None:
        chain.flush()
        if not chain.script.next:
            chain.script.builder.partial_history()
        chain.script.builder.problem("compacted", "from here on the model saw a summary of what came before", at)

    def _ended(self, chain: _Chain, line: Mapping[str, Any], at: Source) -> None:
        chain.flush()
        chain.deny(line.get("permission_denials"))
        for key in ("subtype", "stop_reason", "num_turns"):
            if line.get(key) is not None:
                chain.metadata["outcome" if key == "subtype" else key] = line[key]
        if not chain.script.next and isinstance(line.get("result"), str):
            chain.script.builder.partial_history()
            chain.script.say("assistant", line["result"], source=below(at, "/result"))
            what = "only the final answer is here, no calls; run with --output-format stream-json --verbose"
            chain.script.builder.problem("answer-only", what, at)

    def _chain(self, session: str, line: Mapping[str, Any], at: Source, *, tools: Any = None) -> _Chain:
        """The conversation a line belongs to; a new one when it is the first of it."""
        agent = self._agent(line)
        key = session, agent
        if key not in self.chains:
            name = session or stem(self.stream.name)
            chain = _Chain(self.stream, f"{name}/{agent}" if agent else name, at, tools, agent or None)
            chain.metadata |= {"session_id": session} if session else {}
            chain.metadata |= {"agent": agent} if agent else {}
            self.chains[key] = chain
        chain = self.chains[key]
        for key_, kept in _KEPT:
            if isinstance(line.get(key_), str):
                chain.metadata.setdefault(kept, line[key_])
        return chain

    def _agent(self, line: Mapping[str, Any]) -> str:
        """The sub-agent a line belongs to, empty for the main conversation.

        Older sessions only mark the line; the first line of its chain then stands for the sub-agent.
        """
        named = line.get("parent_tool_use_id") or (line.get("agentId") if line.get("isSidechain") is True else None)
        if isinstance(named, str):
            return named
        if line.get("isSidechain") is not True:
            return ""
        parent, own = str(line.get("parentUuid")), str(line.get("uuid"))
        root = self.roots.get(parent) or (
            own if line.get("parentUuid") is None or not self.roots else [*self.roots.values()][-1]
        )
        self.roots[own] = root
        return root


def _offered(line: Mapping[str, Any]) -> Any:
    """The tools that the first line of an output names; with deferred tools more are offered than stand there."""
    names = line.get("tools")
    if not isinstance(names, list) or "ToolSearch" in names:
        return None
    return [{"name": n} for n in names if isinstance(n, str) and n]


def _confidence(value: Any) -> float:
    if not isinstance(value, Mapping):
        return 0.0
    if isinstance(value.get("loglines"), list):
        return 1.0
    kind = value.get("type")
    if not isinstance(kind, str) or "projectHash" in value:
        return 0.0
    session = isinstance(value.get("sessionId"), str) or isinstance(value.get("session_id"), str)
    if kind in _SPOKEN and "message" in value and (session or "parentUuid" in value):
        return 1.0
    if kind == "system" and value.get("subtype") == "init" and session:
        return 1.0
    return 0.9 if session or "leafUuid" in value or kind == "file-history-snapshot" else 0.0


def _lines(stream: Stream) -> Iterator[Record]:
    for record in stream:
        if isinstance(record.value, Mapping) and isinstance(record.value.get("loglines"), list):
            for n, line in enumerate(record.value["loglines"]):
                yield Record(line, below(record.source, f"/loglines/{n}"))
        else:
            yield record


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    log = _Log(stream)
    for record in _lines(stream):
        try:
            log.take(record.value, record.source)
        except RecursionError:
            lost = count_calls(record.value)
            stream.set_aside("nested-too-deeply", "nested too deeply to be read", record.source, lost=lost)
    for key in list(log.chains):
        yield log.chains.pop(key).build()


READER = Reader(
    name="claude-code",
    description="Claude Code: session files, stream-json output, exported sessions; each sub-agent a trace of its own",
    detect=_detect,
    read=_read,
    marks="lines with type, message and sessionId (or session_id); an object with loglines",
    lacks=(
        "the tool schemas (give them with --tools)",
        "in stream-json output: what the user asked",
    ),
)
