"""From a `Trace` back to a row that others read: the native line, or plain OpenAI chat.

Owns the writing and the account of what the wanted form has no place for. Nothing is repaired on the way: argument text
is written as it was sent, a call without a result stays without one, and a result whose content was not captured is
written as null.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from rootcall.trace import Call, Message, Tool, Trace

__all__ = ["FORMS", "JUDGED", "Exported", "Form", "export"]

Form = Literal["native", "openai-chat"]
FORMS: Final[tuple[Form, ...]] = ("native", "openai-chat")


JUDGED: Final = frozenset(
    {
        "flag of an error", "flag that a call was denied", "metadata", "tool that was not offered to all in every step",
        "hint of a tool", "text that the model saw instead of the result", "that arguments were not captured",
    }
)  # fmt: skip
"""What of an account verdicts are made from: without it a trace can be judged otherwise."""


class Exported(NamedTuple):
    """A row, and what it could not hold: how many of each kind of thing, in words."""

    row: dict[str, Any]
    lost: Counter[str]


def export(trace: Trace, form: Form = "native") -> Exported:
    """Write a trace as a row of messages.

    Args:
        trace: it is not changed.
        form: `native` keeps the id, the metadata, the flags of errors, agents and times; `openai-chat` is what the API takes
            and gives, messages and tools with arguments as text, and beside them the id of the trace.

    Returns:
        The row, ready for JSON, and the account of what was left out. Calls without an id get one, since a result must
        name its call. A trace without messages gives an empty list.

    Example: `export(Trace.from_openai(messages)).row["messages"]` are messages that read as the same trace.
    """
    writer = _Writer(trace, native=form == "native")
    messages = list(writer.messages())
    row: dict[str, Any] = {"id": trace.id, "messages": messages}
    if trace.tools_known != "unknown":
        row["tools"] = [writer.tool(t) for t in trace.tools]
    if writer.native and trace.metadata:
        row["metadata"] = dict(trace.metadata)
    elif trace.metadata:
        writer.lost["metadata"] += 1
    return Exported(row, writer.lost)


class _Writer:
    """One trace being written; `lost` counts as it goes."""

    def __init__(self, trace: Trace, *, native: bool) -> None:
        self.native, self.lost = native, Counter[str]()
        self._trace = trace
        self._ids = _ids(trace.calls)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Messages in their order; results that stood inside another message follow their calls."""
        answers = _answers(self._trace)
        told = {id(call) for call in answers.values()}
        for m in self._trace.messages:
            if m.role != "tool":
                yield self._said(m)
                for call in m.calls:
                    if call.result is not None and id(call) not in told:
                        yield self._result(call)
            elif id(m) in answers:
                yield self._result(answers[id(m)])
            else:
                self.lost["result that belongs to no call"] += 1

    def _said(self, m: Message) -> dict[str, Any]:
        out: dict[str, Any] = {"role": m.role, "content": m.text}
        if m.calls:
            out["tool_calls"] = [self._call(c) for c in m.calls]
        if m.agent is not None:
            out["name"] = m.agent
        if m.timestamp is not None and self.native:
            out["timestamp"] = m.timestamp
        elif m.timestamp is not None:
            self.lost["time of a message"] += 1
        return out

    def _call(self, call: Call) -> dict[str, Any]:
        function: dict[str, Any] = {"name": call.tool}
        if call.raw is not None:
            function["arguments"] = call.raw
        elif call.arguments is not None:
            function["arguments"] = call.arguments if self.native else json.dumps(call.arguments, ensure_ascii=False)
        elif call.state == "not_captured":
            self.lost["that arguments were not captured"] += 1
        elif call.state != "missing":
            self.lost["arguments that are no object"] += 1
        if call.outcome == "refused" and call.evidence == "flag":
            self.lost["flag that a call was denied"] += 1
        return {"id": self._ids[id(call)], "type": "function", "function": function}

    def _result(self, call: Call) -> dict[str, Any]:
        result = call.result
        assert result is not None
        out: dict[str, Any] = {"role": "tool", "tool_call_id": self._ids[id(call)], "content": result.text}
        if result.error is not None and result.error.evidence not in SEEN_IN_TEXT:
            if self.native:
                out["is_error"] = True
            else:
                self.lost["flag of an error"] += 1
        if result.shown != result.text:
            self.lost["text that the model saw instead of the result"] += 1
        return out

    def tool(self, tool: Tool) -> dict[str, Any]:
        """A tool as the API has it; its hints are MCP annotations."""
        if tool.first_step or tool.last_step is not None or tool.agent is not None:
            self.lost["tool that was not offered to all in every step"] += 1
        function: dict[str, Any] = {"name": tool.name}
        if tool.description:
            function["description"] = tool.description
        if tool.schema is not None:
            function["parameters"] = tool.schema
        if tool.hints and self.native:
            function["annotations"] = dict(tool.hints)
        elif tool.hints:
            self.lost["hint of a tool"] += len(tool.hints)
        return {"type": "function", "function": function}


SEEN_IN_TEXT: Final = frozenset({"payload", "text"})
"""Evidence of an error that stands in the result itself, so that it is kept without a flag."""


def _ids(calls: Sequence[Call]) -> Mapping[int, str]:
    """The id of each call; those without one get the first free `call_N`."""
    taken = {c.id for c in calls}
    free = (name for n in range(1, 2 * len(calls) + 1) if (name := f"call_{n}") not in taken)
    return {id(c): c.id if c.id is not None else next(free) for c in calls}


def _answers(trace: Trace) -> Mapping[int, Call]:
    """Which call each tool message answers. Several results may stand at one index: their texts tell them apart."""
    waiting: dict[int, list[Call]] = {}
    for call in trace.calls:
        if call.result is not None:
            waiting.setdefault(call.result.message, []).append(call)
    found = {}
    for m in trace.messages:
        here = waiting.get(m.index, []) if m.role == "tool" else []
        answered = next((c for c in here if c.result is not None and c.result.text == m.text), None)
        if answered is not None:
            here.remove(answered)
            found[id(m)] = answered
    return found
