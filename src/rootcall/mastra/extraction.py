"""What the scorers see of stored messages: calls, results, steps.

The lists of a message are brought together by `rootcall.readers.invocations`, as for the reader of such messages. Owns
which of them count, in the words and with the odd cases of `@mastra/evals` 1.10.2: a shape it cannot walk through is an
error there and here, one it merely does not know holds no calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from rootcall.errors import ScorerError
from rootcall.jsonvalue import MISSING
from rootcall.readers.invocations import counted_calls, merged_invocations, truthy

__all__ = ["ToolCallInfo", "ToolCalls", "ToolResult", "extract_tool_calls", "extract_tool_results", "extract_trajectory", "walkable"]  # fmt: skip

_ABSENT: Final = (None, MISSING)


class ToolCallInfo(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A call and its place: the message, and the call's number in that message, those passed over included.

    A call without an id goes by `"<message>-<invocation>"`.
    """

    tool_name: Any
    tool_call_id: Any
    message_index: int
    invocation_index: int


class ToolCalls(msgspec.Struct, frozen=True, rename="camel"):
    """The calls of an output in order: the names alone, and each with its place."""

    tools: list[Any]
    tool_call_infos: list[ToolCallInfo]


class ToolResult(msgspec.Struct, frozen=True, rename="camel"):
    """A result with the call it belongs to. The id is empty and the arguments are `{}` where the call has none."""

    tool_name: Any = MISSING
    tool_call_id: Any = ""
    args: Any = {}
    result: Any = None


def extract_tool_calls(output: object) -> ToolCalls:
    """Return the calls of stored messages.

    Counted are calls with a name whose state is `result`, `call` or `output-error`; one being written, awaiting approval
    or denied is none. Messages of another shape hold no calls, `[]` and an output that is no list give none.

    Raises:
        ScorerError: the output is null, the parts of a message or its invocations are no list, or a part is null.
    """
    if output is None:
        raise ScorerError("the output is null; a list of messages is wanted")
    infos = [
        ToolCallInfo(call["toolName"], _id_of(call, f"{index}-{n}"), index, n)
        for index, content in _contents(output)
        for n, call in counted_calls(content)
    ]
    return ToolCalls([i.tool_name for i in infos], infos)


def extract_tool_results(output: object) -> list[ToolResult]:
    """Return what came back from tools: of calls in state `result` that have one, null included.

    Raises:
        ScorerError: as in `extract_tool_calls`; also where the output is no list.
    """
    _require_list(output)
    found = []
    for _, content in _contents(output):
        for invocation in merged_invocations(content):
            value = invocation.value
            if value.get("state") == "result" and "result" in value:
                args = value.get("args")
                name = value.get("toolName", MISSING)
                found.append(ToolResult(name, _id_of(value, ""), args if truthy(args) else {}, value["result"]))
    return found


def extract_trajectory(output: object) -> dict[str, Any]:
    """Return the steps of stored messages as a trajectory: `{"steps": […], "rawOutput": output}` in Mastra's names.

    A step is `{stepType: "tool_call", name, toolArgs?, toolResult?, success}` for each call that counts. Arguments and
    results that are no object stand in `{"value": …}`; null and absent ones are left out. Successful is what has a result
    that is not flagged as an error, so an error told inside a result is a success here.

    Raises:
        ScorerError: as in `extract_tool_results`.
    """
    _require_list(output)
    steps = []
    for _, content in _contents(output):
        for _, call in counted_calls(content):
            state = call["state"]
            step = {"stepType": "tool_call", "name": call["toolName"]}
            for key, value in (
                ("toolArgs", call.get("args")),
                ("toolResult", call.get("result") if state == "result" else None),
            ):
                if value is not None:
                    step[key] = value if isinstance(value, Mapping) else {"value": value}
            step["success"] = state == "result" and call.get("isError") is not True
            steps.append(step)
    return {"steps": steps, "rawOutput": output}


def _id_of(call: Mapping[str, Any], otherwise: str) -> Any:
    found = call.get("toolCallId")
    return found if truthy(found) else otherwise


def _require_list(output: object) -> None:
    if not isinstance(output, Sequence):
        raise ScorerError(f"the output must be a list of messages, got {type(output).__name__}")


def _contents(output: object) -> Iterator[tuple[int, Any]]:
    """Each message's index and content, where it can hold calls."""
    if not isinstance(output, Sequence) or isinstance(output, str):
        return
    for index, message in enumerate(output):
        content = message.get("content") if isinstance(message, Mapping) else None
        if isinstance(content, Mapping):
            fault = walkable(content)
            if fault:
                raise ScorerError(f"output[{index}].content.{fault}")
            yield index, content


def walkable(content: Mapping[str, Any]) -> str:
    """What in a message's content the original cannot walk through, with its place; "" when nothing."""
    parts = content.get("parts")
    if parts is not None:
        if not isinstance(parts, list):
            return f"parts: must be a list, got {type(parts).__name__}"
        if None in parts:
            return f"parts[{parts.index(None)}]: is null; a part is an object"
    listed = content.get("toolInvocations")
    if listed is not None and not isinstance(listed, list):
        return f"toolInvocations: must be a list, got {type(listed).__name__}"
    return ""
