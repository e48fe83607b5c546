"""A run of a scorer and a trace: either from the other.

Any run in a shape that rootcall reads becomes a `Trace`, by the very readers of files; and any trace becomes a run in
Mastra's stored messages, so that its scorers can look at traces of every format.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rootcall.conversation import count_calls
from rootcall.errors import ScorerError
from rootcall.export import SEEN_IN_TEXT
from rootcall.jsonvalue import MISSING
from rootcall.mastra.messages import message_text
from rootcall.readers.records import Stream
from rootcall.readers.registry import choose
from rootcall.trace import Call, Message, Problem, Trace

__all__ = ["TraceRun", "run_of", "trace_of"]

# Named so by the readers: something of the run was not understood, so a score would be about another run.
_UNREADABLE: Final = frozenset({
    "call-unreadable", "calls-misplaced", "history-elsewhere", "message-unreadable", "messages-not-a-list", "messages-not-json",
    "output-missing", "part-unreadable", "role-missing", "role-unknown",
})  # fmt: skip


class TraceRun(dict[str, Any]):
    """A run made from a trace, which it keeps: `run["input"]`, `run["output"]` and `run["runId"]` are as Mastra stores them."""

    def __init__(self, trace: Trace, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.trace = trace


def run_of(trace: Trace) -> TraceRun:
    """Write a trace as a run in stored messages, which the original scorers understand.

    What the agent said and called is the output, the rest is the input. A call whose error was flagged is in state
    `output-error`, one that failed in its result's words alone is a `result`, a refused one `output-denied`, and one
    without a result is left in `call`.
    """
    by_role: dict[str, list[dict[str, Any]]] = {"user": [], "system": [], "assistant": []}
    for message in trace.messages:
        if message.role in by_role:
            by_role[message.role].append(_stored(message))
    asked = {
        "inputMessages": by_role["user"],
        "rememberedMessages": [],
        "systemMessages": by_role["system"],
        "taggedSystemMessages": {},
    }
    return TraceRun(trace, {"runId": trace.id, "input": asked, "output": by_role["assistant"]})


def _stored(message: Message) -> dict[str, Any]:
    text = message.text or ""
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text or not message.calls else []
    parts += [{"type": "tool-invocation", "toolInvocation": _invocation(call)} for call in message.calls]
    return {"id": message.at, "role": message.role, "content": {"format": 2, "parts": parts, "content": text}, "createdAt": message.timestamp}  # fmt: skip


def _invocation(call: Call) -> dict[str, Any]:
    made: dict[str, Any] = {"toolCallId": call.id or call.at, "toolName": call.tool}
    made["args"] = call.arguments if call.arguments is not None else call.raw
    result, error = call.result, call.error
    if call.outcome == "refused" and call.evidence == "flag":
        return {**made, "state": "output-denied"}
    if result is None:
        return {**made, "state": "call"}
    if error is not None and error.evidence not in SEEN_IN_TEXT:
        return {**made, "state": "output-error", "errorText": result.text}
    return {**made, "state": "result", "result": result.text if result.payload is MISSING else result.payload}


def trace_of(run: Mapping[str, Any] | Trace) -> Trace:
    """Read a run as a trace: stored messages of Mastra, messages of the AI SDK or of OpenAI, or any row that a reader knows.

    Raises:
        ScorerError: no reader knows its shape, it is not one run, or part of it could not be read; one line says what.
    """
    if isinstance(run, Trace):
        return run
    if isinstance(run, TraceRun):
        return run.trace
    found: list[Problem] = []
    try:
        text = msgspec.json.encode(_row(run))
    except RecursionError:
        raise ScorerError("the run is no JSON: it is nested too deep, or holds itself") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ScorerError(f"the run is no JSON: {error}") from None
    stream = Stream([text], "run", report=found.append)
    reader = choose(stream.head)
    if reader is None:
        raise ScorerError(
            "the run has a shape that no reader knows; wanted are `input` and `output` with stored messages, or a row that `rootcall formats` lists"
        )
    traces = list(reader.read(stream))
    if len(traces) != 1:
        why = f": {found[0].message}" if found else ""
        raise ScorerError(f"the run was read as {len(traces)} traces of format {reader.name}, one is wanted{why}")
    trace = traces[0]
    held, wanted = len(trace.calls) + sum(p.lost for p in trace.problems), count_calls(run.get("output"))
    if held < wanted:  # a shape that a reader takes for text
        raise ScorerError(f"the run cannot be scored: {wanted} calls stand in its output, {held} were understood")
    wrong = next((p for p in (*found, *trace.problems) if p.lost or p.code in _UNREADABLE), None)
    if wrong is not None:
        raise ScorerError(f"the run cannot be scored: {wrong.source.pointer or 'in it'}: {wrong.message}")
    return trace


def _row(run: Mapping[str, Any]) -> Any:
    """The run as a file would hold it; one whose output is in messages of a chat API, as a row of these."""
    asked, output = run.get("input"), run.get("output")
    if not isinstance(asked, Mapping) or "output" not in run:
        return run
    if not isinstance(output, list | tuple) or not output:
        came = "an empty list" if isinstance(output, list | tuple) else type(output).__name__
        raise ScorerError(f"output must be a list of messages, got {came}; a run without messages cannot be scored")
    if not any(map(_is_chat, output)):
        return {k: v for k, v in run.items() if k in ("runId", "input", "output", "tools")}
    before = [*(asked.get("systemMessages") or ()), *(asked.get("inputMessages") or ())]
    plain = [{"role": m.get("role"), "content": message_text(m) or ""} for m in before if isinstance(m, Mapping)]
    row = {"id": run.get("runId") or "run", "messages": [*plain, *output]}
    return {**row, "tools": run["tools"]} if "tools" in run else row


def _is_chat(message: object) -> bool:
    """Tell whether a message is one of OpenAI's or Anthropic's, which stored messages never are."""
    if not isinstance(message, Mapping):
        return False
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    named = any(isinstance(b, Mapping) and b.get("type") in ("tool_use", "tool_result") for b in blocks)
    return named or "tool_calls" in message or "tool_call_id" in message


def as_text(call: Call) -> str:
    """A call in one line: name, arguments, what became of it."""
    sent = call.raw if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
    return f"{call.tool}({sent if sent is not None else ''}) -> {call.outcome}"
