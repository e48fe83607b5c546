"""Messages as the AI SDK sends them to a model, and its steps: parts for calls, parts for results, approvals between them.

Mastra's steps and older stored messages are the same. Owns what these parts say; which list of a file holds them belongs
to the readers, messages of the interface to `rootcall.readers.ui_parts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rootcall.assembly import DraftCall
from rootcall.conversation import below, count_calls, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.script import Script, id_of, readable, role_of, said_in, stamp, value_text
from rootcall.readers.ui_parts import DENIED_TEXT, Part, add_parts, message_parts, parts_of
from rootcall.trace import Source

__all__ = ["Placed", "add_message", "add_messages", "add_steps", "chosen_lists"]

# Version 6 keeps `{}` in place of input that was not JSON; what was sent stands in the error.
_NOT_JSON = re.compile(r"Invalid input for tool .{1,200}?JSON parsing failed: Text: (.*)\.\nError message: ", re.DOTALL)
Placed = tuple[str, list[Any]]
"""A list and the JSON pointer to it."""

_OUTPUTS: Final = frozenset({"text", "json", "error-text", "error-json", "content"})


def chosen_lists(
    asked: Placed | None, answers: Sequence[Placed], calls_in: Callable[[list[Any]], int]
) -> tuple[Placed, ...]:
    """Choose the lists that hold a run: what was asked, and the fullest of those that hold what came of it.

    A result keeps the same run several times, and not always whole: from version 7 of the AI SDK on `response.messages` is
    the last step alone. Of lists with as many calls the first counts. Where the messages that were asked end with an
    answer, they hold the run already, unless another list has more calls.
    """
    if not answers:
        return () if asked is None else (asked,)
    most = max(answers, key=lambda a: calls_in(a[1]))
    if asked is None:
        return (most,)
    roles = [role_of(m) if isinstance(m, Mapping) else None for m in asked[1]]
    if roles and roles[-1] == "assistant":
        if calls_in(asked[1]) >= calls_in(most[1]):
            return (asked,)
        last = max((n for n, role in enumerate(roles) if role == "user"), default=-1)
        asked = asked[0], asked[1][: last + 1]
    return asked, most


def add_messages(script: Script, messages: object, place: Source) -> None:
    """Add messages of either kind. Where each is one message of the conversation, indices are those of the list."""
    first = script.next
    for i, m, where in readable(script.builder, messages, place):
        script.next = max(script.next, first + i)
        add_message(script, m, where)


def add_message(script: Script, m: Mapping[str, Any], where: Source) -> None:
    """Add one message, of a model or of an interface, that stands at a place."""
    role = role_of(m)
    if role is None:
        said = f"role {str(m['role'])[:40]!r}" if "role" in m else "no role"
        script.builder.problem("role-unknown", f"a message has {said}; it is left out", where, lost=count_calls(m))
    elif "parts" in m or "toolInvocations" in m:
        at = stamp(m.get("createdAt"))
        add_parts(script, "assistant" if role == "tool" else role, message_parts(m, where), where, timestamp=at)
    else:
        _add_model_message(script, m, where)


def _add_model_message(
    script: Script,
    m: Mapping[str, Any],
    where: Source,
    parts: list[Part] | None = None,
) -> None:
    """Add one message at the running number. `parts` stand in for its content, where a format keeps them elsewhere."""
    role, content = role_of(m), m.get("content")
    assert role is not None
    if parts is None:
        parts = parts_of(content, below(where, "/content")) if isinstance(content, list) else []
    else:
        content = parts
    calls: list[DraftCall] = []
    results: list[Part] = []
    said: list[Any] = []
    for part in parts:
        kind = word_in(part.value, "type") if isinstance(part.value, Mapping) else ""
        if kind == "tool-call":
            calls += _model_call(script, part)
        elif kind in ("tool-result", "tool-error"):
            results.append(part)
        elif kind == "tool-approval-request":
            asked = script.asked.get(id_of(part.value.get("toolCallId")) or "")
            request = id_of(part.value.get("approvalId"))
            if asked is not None and request is not None:
                script.approvals[request] = asked
        elif kind == "tool-approval-response":
            request = id_of(part.value.get("approvalId"))
            if part.value.get("approved") is False and request in script.approvals:
                script.approvals[request].denied = True
        else:
            said.append(part.value)
    text = said_in(said if isinstance(content, list) else content)
    if calls and role != "assistant":
        what = f"a message of role {role} cannot call tools; {len(calls)} left out"
        script.builder.problem("calls-misplaced", what, where, lost=len(calls))
        calls = []
    index = script.next
    if role != "tool":
        script.say(role, text or (None if calls else text), calls, source=where, timestamp=stamp(m.get("createdAt")))
    for part in results:
        _model_result(script, part, index)
    script.next = index + 1


def _model_call(script: Script, part: Part) -> list[DraftCall]:
    value = part.value
    tool, call_id = word_in(value, "toolName"), id_of(value.get("toolCallId"))
    if not tool:
        script.builder.problem("call-unreadable", "a tool-call part names no tool; it is left out", part.source, lost=1)
        return []
    error = value.get("error")
    sent = error.get("toolInput") if value.get("invalid") is True and isinstance(error, Mapping) else None
    arguments = next((value[k] for k in ("input", "args") if value.get(k) is not None), MISSING)
    if isinstance(sent, str) and not isinstance(arguments, str) and arguments in (MISSING, {}):
        arguments = sent  # the text as it was sent, which the SDK could not read
    draft = DraftCall(tool, arguments, call_id, part.source)
    if call_id is not None:
        script.asked[call_id] = draft
    return [draft]


def _model_result(script: Script, part: Part, index: int) -> None:
    value = part.value
    call_id, tool = id_of(value.get("toolCallId")), word_in(value, "toolName") or None
    text, flagged, payload = _outcome(value)
    output = value.get("output")
    denied = isinstance(output, Mapping) and output.get("type") == "execution-denied"
    if denied and call_id in script.asked:
        script.asked[call_id].denied = True
    asked = script.asked.get(call_id or "")
    if flagged and asked is not None and asked.arguments == {} and (told := _NOT_JSON.match(text or "")):
        asked.arguments = told.group(1)
    if text is None:
        what = "the error of a call was saved as an empty object, without its text; save the messages, or error.message"
        script.builder.problem("error-text-left-out", what, part.source)
    script.builder.result(text, index=index, call_id=call_id, tool=tool, flagged=flagged, payload=payload,
                          evidence="denied" if denied else None, source=part.source)  # fmt: skip


def _outcome(value: Mapping[str, Any]) -> tuple[str | None, bool | None, Any]:
    """The text, whether the format flags it as an error, and the payload where it is an object. Text None: not saved."""
    if value.get("type") == "tool-error":
        error = value.get("error")
        if isinstance(error, Mapping) and not error:
            return None, True, MISSING
        return value_text(error), True, MISSING
    output = value.get("output", MISSING)
    kind = word_in(output, "type") if isinstance(output, Mapping) else ""
    if kind == "execution-denied":
        return word_in(output, "reason") or DENIED_TEXT, True, MISSING
    if kind in _OUTPUTS and "value" in output:
        inner = output["value"]
        failed = True if kind.startswith("error") else None
        return value_text(inner), failed, inner if isinstance(inner, dict) else MISSING
    if output is MISSING:
        output = value.get("result", MISSING)
    flagged = True if value.get("isError") is True else None
    return value_text(output), flagged, output if isinstance(output, dict) else MISSING


def add_steps(script: Script, steps: list[Any], place: Source, places: Sequence[Source] = ()) -> None:
    """Add steps: each is one model response with what came back from its calls.

    `places` says where each stands, when that is not `place` with its number. A call that came to nothing, although the run went on, threw: some versions then keep no result.
    """
    listed = list(readable(script.builder, steps, place, "steps"))
    for n, (i, step, here) in enumerate(listed):
        where = places[i] if places else here
        parts = None if isinstance(step.get("content"), list) else _step_parts(step, where)
        _add_model_message(script, {"role": "assistant", "content": step.get("content")}, where, parts)
        if parts is not None and n + 1 < len(listed):
            back = {id_of(p.value.get("toolCallId")) for p in parts if p.value["type"] not in ("text", "tool-call")}
            for p in parts:
                if p.value["type"] == "tool-call" and id_of(p.value.get("toolCallId")) not in back:
                    what = "steps keep no result of a call that threw; save the messages of the run, which do"
                    script.builder.problem("result-left-out", what, p.source)
                    script.builder.result(
                        None,
                        index=script.next - 1,
                        call_id=id_of(p.value.get("toolCallId")),
                        flagged=True,
                        evidence="no result in a run that went on",
                        source=p.source,
                        add_message=False,
                    )


def _step_parts(step: Mapping[str, Any], where: Source) -> list[Part]:
    """The parts of a step that has a text and lists of calls and results in place of content."""
    parts = []
    if isinstance(step.get("text"), str) and step["text"]:
        parts.append(Part({"type": "text", "text": step["text"]}, below(where, "/text")))
    for key, kind in (("toolCalls", "tool-call"), ("toolResults", "tool-result")):
        for n, value in enumerate(step[key] if isinstance(step.get(key), list) else []):
            if isinstance(value, Mapping):
                inner = value.get("payload")
                told = inner if isinstance(inner, Mapping) else value
                stated = word_in(value, "type") or kind
                parts.append(Part({**told, "type": stated}, below(where, f"/{key}/{n}")))
    return parts
