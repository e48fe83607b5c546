"""Stored messages: made for tests, and read for what they say.

The functions of Mastra's scorer utilities, with the same messages in the same shape: plain objects, as they lie in a
database or in JSON.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rootcall.jsonvalue import MISSING

__all__ = [
    "assistant_text",
    "create_agent_test_run",
    "create_test_message",
    "create_tool_invocation",
    "create_trajectory_test_run",
    "message_text",
    "user_text",
]

Object = dict[str, Any]


def create_tool_invocation(
    tool_call_id: str,
    tool_name: str,
    args: Mapping[str, Any],
    result: Any = MISSING,
    state: str = "result",
    error_text: str | None = None,
    is_error: bool | None = None,
) -> Object:
    """Make a call with its outcome, as stored messages hold it.

    `state` is one of `partial-call call result approval-requested approval-responded output-error output-denied`; a result,
    an error's text and its flag stand in it only where they are given.
    """
    made: Object = {"toolCallId": tool_call_id, "toolName": tool_name, "args": args}
    if result is not MISSING:
        made["result"] = result
    made["state"] = state
    if error_text is not None:
        made["errorText"] = error_text
    if is_error is not None:
        made["isError"] = is_error
    return made


def create_test_message(
    content: str,
    role: str,
    id: str = "test-message",  # noqa: A002 -- the field's own name
    tool_invocations: Iterable[Mapping[str, Any]] = (),
    parts: Sequence[Mapping[str, Any]] | None = None,
) -> Object:
    """Make a stored message: text, calls in the older list, or parts of one's own.

    Of each call the id, name, arguments, result and state are kept; an error's text and flag are not, as in the
    original: give such calls as parts `{"type": "tool-invocation", "toolInvocation": …}`.
    """
    inside: Object = {
        "format": 2,
        "parts": [{"type": "text", "text": content}] if parts is None else list(parts),
        "content": content,
    }
    kept = ("toolCallId", "toolName", "args", "result", "state")
    calls = [{k: call[k] for k in kept if k in call} for call in tool_invocations]
    if calls:
        inside["toolInvocations"] = calls
    return {"id": id, "role": role, "content": inside, "createdAt": datetime.now(UTC).isoformat()}


def create_agent_test_run(
    *,
    output: Any,
    input_messages: Sequence[Any] = (),
    remembered_messages: Sequence[Any] = (),
    system_messages: Sequence[Any] = (),
    tagged_system_messages: Mapping[str, Any] | None = None,
    run_id: str | None = None,
) -> Object:
    """Make a run as scorers get it: `{"input": {…}, "output": …, "runId": …}`; the id is a new one where none is given."""
    return {
        "input": {
            "inputMessages": list(input_messages),
            "rememberedMessages": list(remembered_messages),
            "systemMessages": list(system_messages),
            "taggedSystemMessages": dict(tagged_system_messages or {}),
        },
        "output": output,
        "runId": run_id or str(uuid.uuid4()),
    }


def create_trajectory_test_run(
    *,
    trajectory: Mapping[str, Any],
    expected_trajectory: Mapping[str, Any] | None = None,
    input_messages: Sequence[Any] = (),
    remembered_messages: Sequence[Any] = (),
    system_messages: Sequence[Any] = (),
    tagged_system_messages: Mapping[str, Any] | None = None,
    run_id: str | None = None,
) -> Object:
    """Make a run for the trajectory scorers: the output is a trajectory, what is expected of it stands beside."""
    run = create_agent_test_run(
        output=trajectory,
        input_messages=input_messages,
        remembered_messages=remembered_messages,
        system_messages=system_messages,
        tagged_system_messages=tagged_system_messages,
        run_id=run_id,
    )
    return run if expected_trajectory is None else {**run, "expectedTrajectory": expected_trajectory}


def message_text(message: object) -> str | None:
    """The text of a message of any stored shape: its content, else its text or body, else the last text among its parts.

    None where it says nothing; an empty text is nothing.
    """
    if isinstance(message, str):
        return message or None
    if isinstance(message, list):
        said = [
            p["text"]
            for p in message
            if isinstance(p, Mapping) and p.get("type") == "text" and isinstance(p.get("text"), str)
        ]
        return said[-1] if said else None
    if not isinstance(message, Mapping):
        return None
    found = message_text(message.get("content"))
    for key in ("text", "body"):
        value = message.get(key)
        if found is None and isinstance(value, str) and value:
            found = value
    parts = message.get("parts")
    return message_text(parts) if found is None and isinstance(parts, list) else found


def user_text(run_input: object) -> str | None:
    """What the user first asked in a run's input; also where that is a text, or has `messages`, `prompt` or `text`."""
    if isinstance(run_input, str):
        return run_input
    if not isinstance(run_input, Mapping):
        return None
    for key in ("inputMessages", "messages"):
        messages = run_input.get(key)
        asked = next((m for m in messages if _role(m) == "user"), None) if isinstance(messages, list) else None
        said = message_text(asked)
        if said is not None:
            return said
    for key in ("prompt", "text"):
        if isinstance(run_input.get(key), str):
            return str(run_input[key])
    found = (message_text(run_input.get(key)) for key in ("content", "input", "user"))
    return next((said for said in found if said is not None), None)


def assistant_text(run_output: object) -> str | None:
    """What the agent last said in a run's output, a list of messages, one message or a text; None where it said nothing."""
    if isinstance(run_output, str):
        return run_output
    if isinstance(run_output, list):
        said = (message_text(m) for m in reversed(run_output) if _role(m) == "assistant")
        return next((text for text in said if text), None)
    if isinstance(run_output, Mapping) and run_output.get("role", "assistant") == "assistant":
        return message_text(run_output)
    return None


def _role(message: object) -> str | None:
    """The role of a message; of a signal, the kind of signal it is."""
    if not isinstance(message, Mapping):
        return None
    role = message.get("role")
    if role != "signal":
        return role if isinstance(role, str) else None
    content = message.get("content")
    metadata = content.get("metadata") if isinstance(content, Mapping) else None
    signal = metadata.get("signal") if isinstance(metadata, Mapping) else None
    named = [signal.get(k) for k in ("tagName", "type")] if isinstance(signal, Mapping) else []
    return next((n for n in (*named, message.get("type")) if isinstance(n, str)), None)
