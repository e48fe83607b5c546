"""Claude Code: session files, exported sessions (`loglines`), and the lines of `--output-format stream-json`.

Owns how lines become messages: consecutive lines with one message id are one message, each sub-agent is a trace of its own,
words of the harness are no words of the user. Lines are taken in the order of the file: their `parentUuid` leads astray
after a session was resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.conversation import below, count_calls
from rootcall.readers.claude_chain import Chain
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import share, stem
from rootcall.readers.script import stamp
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_SPOKEN: Final = ("user", "assistant")
_KEPT: Final = (("cwd", "cwd"), ("gitBranch", "git_branch"), ("version", "version"), ("claude_code_version", "version"))


class _Log:
    """The sessions of one file."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.chains: dict[tuple[str, str], Chain] = {}
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
        elif not _confidence(line) and kind != "summary":
            self.stream.pass_over(line, at)

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

    def _compacted(self, chain: Chain, at: Source) -> None:
        chain.flush()
        if not chain.script.next:
            chain.script.builder.partial_history()
        chain.script.builder.problem("compacted", "from here on the model saw a summary of what came before", at)

    def _ended(self, chain: Chain, line: Mapping[str, Any], at: Source) -> None:
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

    def _chain(self, session: str, line: Mapping[str, Any], at: Source, *, tools: Any = None) -> Chain:
        """The conversation a line belongs to; a new one when it is the first of it."""
        agent = self._agent(line)
        key = session, agent
        if key not in self.chains:
            name = session or stem(self.stream.name)
            chain = Chain(self.stream, f"{name}/{agent}" if agent else name, at, tools, agent or None)
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
