"""What one agent run did: messages, calls, results, offered tools. The record everything else is a function of.

A `Trace` is built by a reader or from memory (`Trace.from_openai`, `Trace.from_anthropic`) and never changed
afterwards. It holds what the four layers need and no common trace format has alone: the raw argument text and its
state, the outcome of each call with the evidence for it, a structured error, which tools were offered when and whether
that is known, the place in the source of every object, and how complete the trace is.

Places: `at` is a path a person can follow, such as `messages[3].calls[0]`; `messages[i]` indexes the raw list of
messages, system messages included. `Source` says where that list stands: file, line, JSON pointer.

The records hold no cycles, so the garbage collector need not look at them (`gc=False`): it would at every few traces.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from rootcall.jsonvalue import MISSING
from rootcall.payload import ArgumentState
from rootcall.toolerror import ToolError

__all__ = [
    "MESSAGES_LEFT_OUT",
    "Call",
    "Completeness",
    "Message",
    "Outcome",
    "Problem",
    "Rejection",
    "Result",
    "Source",
    "Step",
    "Tool",
    "Trace",
    "Turn",
    "all_described",
    "per_record",
    "per_trace",
]

Outcome = Literal["ok", "error", "refused", "no_result", "unknown"]
"""What became of a call. Requested is not executed: `no_result` never came back, `unknown` came back saying nothing."""

Role = Literal["system", "user", "assistant", "tool"]
Extent = Literal["full", "partial", "none"]
ToolsKnown = Literal["declared", "side_file", "inferred", "unknown"]


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where an object stands in the input: file (or `<memory>`, `<stdin>`), line from 1, JSON pointer in that line.

    `span` is the id of the span in formats made of spans, so that what others say of a span can be joined.
    """

    file: str = "<memory>"
    line: int | None = None
    pointer: str = ""
    span: str = ""

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        place = f" span {self.span}" if self.span else f"#{self.pointer}" if self.pointer else ""
        return f"{self.file}{line}{place}"


class Problem(msgspec.Struct, frozen=True, gc=False):
    """Something wrong with the input, said once and named: never an exception, never silent.

    `code` is kebab case (`not-json`, `orphan-result`). `lost` counts the calls that could not be kept, so that calls
    in equal calls scored plus calls set aside.
    """

    code: str
    message: str
    source: Source = Source()
    lost: int = 0

    def __str__(self) -> str:
        return f"{self.source}: {self.code}: {self.message}"

    @property
    def left_out(self) -> bool:
        """Whether calls or a whole message are gone with it, so that what is judged is not all that was there."""
        return self.lost > 0 or self.code in MESSAGES_LEFT_OUT


MESSAGES_LEFT_OUT: Final = frozenset(
    {
        "message-unreadable",
        "messages-not-a-list",
        "messages-not-json",
        "result-unmapped",
        "role-missing",
        "role-unknown",
    }
)
"""Codes of problems by which a whole message of a trace is left out."""


class Rejection(msgspec.Struct, frozen=True):
    """One thing a tool's own validator holds against the arguments.

    `path` leads from the arguments object to the place, a missing key included; empty for the arguments as a whole.
    `rule` names the rule of the arguments layer that fits (`missing-required`, `range`), else `validator`. `expected`
    is the wanted JSON type under `wrong-type`, or the bound.
    """

    message: str
    path: tuple[str | int, ...] = ()
    rule: str = "validator"
    expected: Any = MISSING
    got: Any = MISSING


class Tool(msgspec.Struct, frozen=True):
    """An offered tool. `schema` is the JSON Schema of its arguments, None when not known.

    `hints` are the MCP annotations (`readOnlyHint`, `idempotentHint`, `destructiveHint`). `first_step` and `last_step`
    bound the steps in which the tool was offered; None means to the end. `agent` is the one agent it was offered to, where
    agents have lists of their own; None means to all. `validator` is the tool's own code that judges arguments,
    `(arguments) -> Sequence[Rejection]`; it lives in memory only and is left out where a trace is written.
    """

    name: str
    description: str = ""
    schema: Any = None
    hints: Mapping[str, Any] = {}
    output_schema: Any = None
    first_step: int = 0
    last_step: int | None = None
    agent: str | None = None
    validator: Any = MISSING


class Result(msgspec.Struct, frozen=True, gc=False):
    """What came back from a call.

    `text` is the content as captured (None: there was a result, its content was not captured). `payload` is the
    decoded value, `MISSING` when there is none, the text itself when it is not JSON; `decoding` says how it came about.
    `shown` is what the model was shown of it (the same text unless a format tells otherwise). `truncated` says that
    the content was cut in the trace, or before the model saw it. `joined` says how result and call found each other.
    """

    at: str
    message: int
    call_id: str | None = None
    text: str | None = None
    payload: Any = MISSING
    decoding: str = "none"
    shown: str | None = None
    truncated: bool = False
    error: ToolError | None = None
    joined: Literal["id", "id_order", "name", "order", "none"] = "id"
    source: Source = Source()


class Call(msgspec.Struct, frozen=True, gc=False):
    """One requested tool use.

    `arguments` is the object as sent, never repaired; None when none could be read (see `state` and `problem`). `raw`
    is the argument text where the format has one. `step` and `turn` index `Trace.steps` and `Trace.turns`; calls of one
    step are parallel and unordered. `id_reused` marks an id that another call of the trace has too.
    """

    at: str
    message: int
    index: int
    tool: str
    arguments: Mapping[str, Any] | None
    state: ArgumentState
    raw: str | None = None
    problem: str | None = None
    id: str | None = None
    id_reused: bool = False
    step: int = 0
    turn: int = 0
    outcome: Outcome = "unknown"
    evidence: str = ""
    result: Result | None = None
    agent: str | None = None
    source: Source = Source()

    @property
    def error(self) -> ToolError | None:
        """The structured error this call met, or None."""
        return self.result.error if self.result is not None else None


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message of the raw list. `text` is None where the content was not captured or there was none."""

    at: str
    index: int
    role: Role
    text: str | None = None
    calls: tuple[Call, ...] = ()
    turn: int = 0
    agent: str | None = None
    timestamp: str | None = None
    source: Source = Source()


class Step(msgspec.Struct, frozen=True, gc=False):
    """One model response: its text and its calls. A response without calls is a step too."""

    index: int
    turn: int
    message: Message

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of this response, parallel and unordered."""
        return self.message.calls


class Turn(msgspec.Struct, frozen=True, gc=False):
    """From a user message to the final answer to it. `user` is None when the trace starts with the assistant."""

    index: int
    user: Message | None
    steps: tuple[Step, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls of the turn in the order in which they stand."""
        return tuple(c for s in self.steps for c in s.calls)

    @property
    def answer(self) -> Message | None:
        """The last response without calls, or None when the turn ends in calls."""
        if self.steps and not self.steps[-1].calls:
            return self.steps[-1].message
        return None


class Completeness(msgspec.Struct, frozen=True, gc=False):
    """How much of the run the trace holds: message content, tool specs, results, history, calls."""

    content: Extent = "full"
    tools: Extent = "none"
    results: Extent = "full"
    history: Extent = "full"
    calls: Extent = "full"


class Trace(msgspec.Struct, frozen=True, weakref=True):
    """One agent run.

    `metadata` is free; `case_id`, `trial`, `reference_time`, `reward`, `model` and `tags` have a meaning.
    `tools_known` says where the tool list comes from; with `unknown` no call is judged against it.
    """

    id: str
    messages: tuple[Message, ...] = ()
    steps: tuple[Step, ...] = ()
    turns: tuple[Turn, ...] = ()
    tools: tuple[Tool, ...] = ()
    tools_known: ToolsKnown = "unknown"
    metadata: Mapping[str, Any] = {}
    completeness: Completeness = Completeness()
    problems: tuple[Problem, ...] = ()
    format: str = "native"
    source: Source = Source()

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls in the order in which they stand."""
        return _calls(self)

    def offered(self, step: int, agent: str | None = None) -> Mapping[str, Tool] | None:
        """Return the tools offered in a step, to an agent where agents have lists of their own, by name; None when not known."""
        if self.tools_known == "unknown":
            return None
        named = _named(self.tools)
        if named.always:
            return named.last
        return {
            t.name: t
            for t in self.tools
            if t.first_step <= step and (t.last_step is None or step <= t.last_step) and t.agent in (None, agent)
        }

    def with_tools(self, tools: Sequence[Tool]) -> Trace:
        """Return the trace with tools from elsewhere than itself: a file beside it, or its case."""
        extent: Extent = "full" if all_described(tuple(tools)) else "partial"
        completeness = msgspec.structs.replace(self.completeness, tools=extent)
        return msgspec.structs.replace(self, tools=tuple(tools), tools_known="side_file", completeness=completeness)

    def tool(self, name: str) -> Tool | None:
        """Return the tool of that name, or None. Of several versions the last one."""
        return _named(self.tools).last.get(name)

    @classmethod
    def from_openai(
        cls,
        messages: Sequence[Mapping[str, Any]] | msgspec.Raw,
        tools: Sequence[Any] | msgspec.Raw | None = None,
        *,
        id: str = "trace",  # noqa: A002 -- the field's own name
        metadata: Mapping[str, Any] | None = None,
    ) -> Trace:
        """Build a trace from OpenAI chat messages in memory.

        Args:
            messages: the conversation, tool messages included; it is not changed. Its JSON text as `msgspec.Raw` is
                read faster.
            tools: tool specs in any shape that `rootcall.load_tools` takes, Pydantic models and functions included; None
                when not known, `[]` when none were offered. As `msgspec.Raw`, the text of them, they are decoded once
                for all traces that carry the same text.
            id: the name of the trace in reports.
            metadata: `case_id`, `trial`, `reference_time`, `reward`, `model`, `tags` and whatever else.

        Returns:
            A trace; what could not be read stands in its `problems`. No messages give a trace without steps.
        """
        import rootcall.conversation  # by its module: that is much faster from the second time on

        return rootcall.conversation.openai_trace(messages, tools=tools, id=id, metadata=metadata)

    @classmethod
    def from_anthropic(
        cls,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Any] | None = None,
        *,
        system: object = None,
        id: str = "trace",  # noqa: A002 -- the field's own name
        metadata: Mapping[str, Any] | None = None,
    ) -> Trace:
        """Build a trace from Anthropic messages in memory; `system` is the system prompt, a text or text blocks.

        The other arguments, the result and the edges are those of `from_openai`.
        """
        from rootcall.conversation import anthropic_trace

        return anthropic_trace(messages, tools=tools, system=system, id=id, metadata=metadata)


T = TypeVar("T")


class _Last(threading.local):
    kept: tuple[Trace | None, dict[Any, Any]] = None, {}


_last = _Last()


def per_trace(function: Callable[[Trace], T]) -> Callable[[Trace], T]:
    """Keep the result of a pure function for the trace at hand, so that several rules can ask for the same evidence.

    Only one trace per thread is remembered: traces are judged one after the other, and memory stays flat.
    """

    def cached(trace: Trace) -> T:
        known, values = _last.kept
        if known is not trace:
            values = {}
            _last.kept = trace, values
        if function in values:
            return values[function]  # type: ignore[no-any-return]
        value = values[function] = function(trace)
        return value

    return functools.update_wrapper(cached, function)


@per_trace
def _calls(trace: Trace) -> tuple[Call, ...]:
    return tuple([c for s in trace.steps for c in s.calls])


R = TypeVar("R")
_MOST_RECORDS: Final = 2048


def per_record(function: Callable[[R], T]) -> Callable[[R], T]:
    """Keep the results of a pure function for the frozen records it was asked about, such as the tools of an agent.

    It goes by identity: tools are shared by the traces of an agent (see `rootcall.assembly.read_tools`), and comparing
    their schemas would take longer than what is saved. A record stays alive while its result is kept; when there are
    too many all are let go.
    """
    kept: dict[int, tuple[R, T]] = {}

    def cached(record: R) -> T:
        found = kept.get(id(record))
        if found is not None:
            return found[1]
        if len(kept) >= _MOST_RECORDS:
            kept.clear()
        value = function(record)
        kept[id(record)] = record, value
        return value

    return functools.update_wrapper(cached, function)


class _Named(NamedTuple):
    """A list of tools by their names, of several versions the last; `always`: each is offered to all in every step."""

    last: Mapping[str, Tool]
    always: bool


@per_record
def _named(tools: tuple[Tool, ...]) -> _Named:
    always = all(t.first_step == 0 and t.last_step is None and t.agent is None for t in tools)
    return _Named(MappingProxyType({t.name: t for t in tools}), always)  # it is handed out, so nobody may change it


@per_record
def all_described(tools: tuple[Tool, ...]) -> bool:
    """Tell whether the schema of every tool is known."""
    return all(t.schema is not None for t in tools)
