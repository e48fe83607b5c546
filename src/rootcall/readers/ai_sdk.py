"""The Vercel AI SDK, versions 4 to 7: model messages, messages of the interface, steps, and whole results.

Owns the shapes and which list of a result holds the run; parts of interface messages are read by
`rootcall.readers.ui_parts`, stream chunks by `rootcall.readers.ai_sdk_stream`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.conversation import below, count_calls, word_in
from rootcall.readers.model_parts import add_messages, add_steps, chosen_lists
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, is_message, start_trace, traces
from rootcall.readers.script import Script, role_of
from rootcall.readers.ui_parts import is_tool_part
from rootcall.trace import Problem, Source, Trace

__all__ = ["READER", "last_step_only"]

_CALL_PARTS: Final = frozenset(
    {"tool-call", "tool-result", "tool-error", "tool-approval-request", "tool-approval-response"}
)
_SAID: Final = frozenset({"text", "reasoning", "file", "step-start"})
_PLAIN_PART: Final = frozenset({"type", "text", "providerOptions", "providerMetadata", "state"})
# Where a result keeps what the model wrote, the fullest first.
_ANSWERS: Final = (("responseMessages",), ("response", "messages"), ("steps",))
_READ: Final = frozenset({"messages", "responseMessages", "steps", "tools", "system", "instructions", "prompt", "request",
                          "toolCalls", "toolResults", "content", "text", "reasoning", "responseMessage"})  # fmt: skip
# What an answer can hardly have from itself: amounts, times and codes with a digit.
_DATUM = re.compile(r"\w*\d[\w.,:-]*\w|\d")


class _Found(NamedTuple):
    """The lists that hold a conversation, each with its JSON pointer, and the object around them."""

    lists: tuple[tuple[str, list[Any]], ...]
    around: Mapping[str, Any] = {}


def _is_step(value: object) -> bool:
    """Tell whether a value is a step of `generateText`: what one model response said, called and got back."""
    if not isinstance(value, Mapping) or "role" in value or not ("finishReason" in value or "stepType" in value):
        return False
    return _is_parts(value.get("content")) or (
        isinstance(value.get("toolCalls"), list)
        and all("payload" not in c for c in value["toolCalls"] if isinstance(c, Mapping))
    )


def _is_mastra_step(value: object) -> bool:
    """Mastra's steps look the same from outside; their calls are wrapped once more."""
    calls = value.get("toolCalls") if isinstance(value, Mapping) else None
    return isinstance(calls, list) and any(isinstance(c, Mapping) and "payload" in c for c in calls)


def _is_parts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(p, Mapping) and "type" in p for p in value)


def _find(value: object) -> _Found | None:
    if isinstance(value, list):
        known = any(is_message(v) or _is_step(v) for v in value) and not any(map(_is_mastra_step, value))
        return _Found((("", value),)) if known else None
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("steps"), list) and any(_is_mastra_step(s) for s in value["steps"]):
        return None
    asked = ("/messages", value["messages"]) if isinstance(value.get("messages"), list) else None
    answers = [(f"/{'/'.join(path)}", found) for path in _ANSWERS if isinstance(found := _at(value, path), list)]
    if not answers and isinstance(value.get("responseMessage"), Mapping):
        answers = [("/responseMessage", [value["responseMessage"]])]
    lists = chosen_lists(asked, answers, _calls_in)
    return _Found(lists, value) if lists else None


def _at(value: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = value
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _calls_in(values: list[Any]) -> int:
    return count_calls(
        [v.get("content") or v.get("toolCalls") or v.get("parts") for v in values if isinstance(v, Mapping)]
    )


def _confidence(value: Any) -> float:
    found = _find(value)
    if found is None:
        return 0.0
    sure = [_sureness(v) for _, values in found.lists for v in values if isinstance(v, Mapping)]
    if not sure or None in sure:
        return 0.0
    best = max(s for s in sure if s is not None)
    return best or _only_said(found)


def _sureness(m: Mapping[str, Any]) -> float | None:
    """How surely a message or step is the AI SDK's: 0 when it could be anybody's, None when it is somebody else's."""
    if _is_step(m):
        return 1.0
    if (
        isinstance(m.get("content"), Mapping)
        or "tool_calls" in m
        or "tool_call_id" in m
        or "contents" in m
        or "lc" in m
    ):
        return None
    if "parts" in m:
        parts = m["parts"] if isinstance(m["parts"], list) else []
        if any(is_tool_part(p) for p in parts):
            return 1.0
        return 0.9 if all(isinstance(p, Mapping) and _is_ui_part(p) for p in parts) else None
    if isinstance(m.get("toolInvocations"), list):
        return 1.0
    kinds = (
        {word_in(p, "type") for p in m["content"] if isinstance(p, Mapping)}
        if isinstance(m.get("content"), list)
        else set()
    )
    return 1.0 if kinds & _CALL_PARTS else 0.0


def _is_ui_part(part: Mapping[str, Any]) -> bool:
    kind = word_in(part, "type")
    if kind in ("text", "reasoning"):
        return isinstance(part.get("text", part.get("reasoning")), str)
    return kind in _SAID or kind.startswith(("source", "data-"))


def _only_said(found: _Found) -> float:
    """Messages without a call, written as the SDK writes them: a system message in the list, answers as lists of parts."""
    messages = [m for _, values in found.lists for m in values if isinstance(m, Mapping)]
    answers = [m.get("content") for m in messages if m.get("role") == "assistant"]
    if not answers or "tools" in found.around or not any(m.get("role") == "system" for m in messages):
        return 0.0
    if not all(set(m) <= {"role", "content", "id", "providerOptions"} for m in messages):
        return 0.0
    plain = all(
        _is_parts(a) and a and all(set(p) <= _PLAIN_PART and word_in(p, "type") in _SAID for p in a) for a in answers
    )
    return 0.92 if plain else 0.0


def _detect(head: Head) -> float:
    values: list[Any] = list(head.values)
    if head.container == "array" and values and (is_message(values[0]) or _is_step(values[0])):
        values = [values]
    found = [_confidence(v) for v in values]
    good = [c for c in found if c > 0]
    return max(good) * (len(good) / len(found)) ** 0.5 if good else 0.0


def _build(stream: Stream, record: Record) -> Trace:
    found = _find(record.value)
    if found is None:
        raise UnknownShape("holds no messages and no steps of the AI SDK; it is left out")
    if _confidence(record.value) == 0 and any(
        _sureness(v) is None for _, vs in found.lists for v in vs if isinstance(v, Mapping)
    ):
        raise UnknownShape("holds messages of another format; it is left out")
    around = found.around
    rest = {k: v for k, v in around.items() if k not in _READ}
    if isinstance(rest.get("response"), Mapping):
        rest["response"] = {k: v for k, v in rest["response"].items() if k not in ("messages", "body")}
    builder = start_trace(stream, Row((), _tools(around.get("tools")), None, rest), record.source, "ai-sdk")
    script = Script(builder)
    _add_asked(script, found, record.source)
    for pointer, values in found.lists:
        place = below(record.source, pointer)
        first = next((v for v in values if isinstance(v, Mapping)), {})
        if _is_step(first):
            add_steps(script, values, place)
        else:
            add_messages(script, values, place)
    trace = builder.build()
    return last_step_only(trace)


def _tools(tools: Any) -> Any:
    """Tools by name, whose schemas may stand inside `jsonSchema`; what a schema library left behind is no schema."""
    if not isinstance(tools, Mapping):
        return tools
    return [{"name": name, **_tool(t)} if isinstance(t, Mapping) else t for name, t in tools.items()]


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(tool)
    for key in ("inputSchema", "parameters"):
        schema = out.get(key)
        if isinstance(schema, Mapping):
            inner = schema.get("jsonSchema")
            if isinstance(inner, Mapping):
                out[key] = inner
            elif (
                not {"type", "properties", "$ref", "anyOf", "oneOf", "allOf"} & set(schema)
                or "_def" in schema
                or "def" in schema
            ):
                del out[key]
    return out


def _add_asked(script: Script, found: _Found, source: Source) -> None:
    """What a result says about its request beside the messages: the instructions, and a prompt that is one text."""
    roles = {role_of(m) for _, values in found.lists for m in values if isinstance(m, Mapping)}
    for key in ("system", "instructions"):
        if isinstance(found.around.get(key), str) and "system" not in roles:
            script.say("system", found.around[key], source=below(source, f"/{key}"))
            break
    if isinstance(found.around.get("prompt"), str) and "user" not in roles:
        script.say("user", found.around["prompt"], source=below(source, "/prompt"))
    elif "user" not in roles:
        script.builder.partial_history()  # steps and response messages do not hold what was asked


def last_step_only(trace: Trace) -> Trace:
    """Note where an answer states what no message before it holds although no call is there.

    From version 7 on `result.response.messages` is the last step alone: saved as before, a run looks as if no tool was
    called. It may as well be invention, so nothing but the note changes.
    """
    answer = next((m for m in reversed(trace.messages) if m.role == "assistant"), None)
    if trace.calls or answer is None or not answer.text:
        return trace
    before = " ".join(m.text for m in trace.messages if m is not answer and m.text)
    new = [d for d in dict.fromkeys(_DATUM.findall(answer.text)) if d.strip(".,:-") not in before]
    if len(new) < 2:
        return trace
    what = (
        f"no call is here, yet the answer states {', '.join(new[:3])}: in AI SDK 7 result.response.messages holds the last "
        "step only; save result.responseMessages"
    )
    problem = Problem("last-step-only", what, answer.source)
    return msgspec.structs.replace(trace, problems=(*trace.problems, problem))


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream.rows(lambda v: is_message(v) or _is_step(v)), lambda record: _build(stream, record))


READER = Reader(
    name="ai-sdk",
    description="Vercel AI SDK 4 to 7: model messages, interface messages, steps, results of generateText",
    detect=_detect,
    read=_read,
    marks="parts of type tool-call with toolCallId, tool-<name> with state, or tool-invocation; steps with finishReason",
    lacks=(
        "the tool schemas in messages (give them with --tools)",
        "times, in model messages",
    ),
)
