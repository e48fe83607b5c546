"""What a span tells: a model's response, a tool's run, an agent's run. One record each, whatever the convention.

The names come from `rootcall.readers.spans.conventions`, the shapes of messages from `rootcall.readers.spans.said`. How
the spans of a trace fit together is `rootcall.readers.spans.weaving`'s.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from rootcall.error_words import WITHHELD
from rootcall.jsonvalue import MISSING
from rootcall.payload import decode_result
from rootcall.readers.spans import conventions as c
from rootcall.readers.spans.said import Said, decoded, flat, message_in, result_text, said_in, whole_or_cut
from rootcall.readers.spans.span import Attributes, Event, Span

__all__ = ["AgentRun", "Histories", "Response", "ToolRun", "agent_run", "response", "tool_run", "tool_specs"]

# A call in the JSON text of an answer, whole or not.
_CALL_MARK: Final = re.compile(r'"type"\s*:\s*"(?:tool_call|tool_use|function)"|"toolUse"\s*:')
_NAMED: Final = ("execute_tool ", "running tool: ", "running tool ")
# What frameworks put around the arguments a tool was called with, and around what it returned.
_CALLED_WITH: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
_SENT_IN: Final = ("kwargs", "inputs")
_RETURNED_IN: Final = ("output", "data", "kwargs", "update")
_DEFERRED: Final = "pydantic_ai.tool.deferral.name"
# A tool message as LangChain writes it.
_TOOL_MESSAGE: Final = frozenset(
    {"content", "type", "status", "tool_call_id", "name", "id", "artifact", "additional_kwargs", "response_metadata"}
)


class Response(msgspec.Struct, gc=False):
    """What one model span says. `inputs`, each result a message of its own, hold the system prompt too; `output` is None where the model gave none.

    `captured` tells whether the span holds messages at all; `spare` are other answers to the same request, `cut` the
    attributes whose JSON text breaks off, and `lost` the calls that were in the part that is gone.
    """

    span: Span
    inputs: list[Said]
    output: Said | None
    captured: bool
    finish: tuple[str, ...] = ()
    spare: list[Said] = []
    cut: list[str] = []
    lost: int = 0


class ToolRun(msgspec.Struct, gc=False):
    """What one tool span says. `arguments` are MISSING and `text` is None where they were not captured.

    `shown` is what the model was told where the span says both that and what the tool threw.
    `bare` is the value where only that was kept of the arguments, without its name. `pending` says that the call waits
    for someone's approval.
    """

    span: Span
    tool: str
    id: str | None
    arguments: Any
    bare: str | None
    text: str | None
    flagged: bool | None
    evidence: str | None
    pending: bool = False
    shown: str | None = None


class AgentRun(msgspec.Struct, gc=False):
    """What one agent span says: its name, and the conversation where no model span tells it."""

    span: Span
    name: str
    history: list[Said]


class Histories:
    """The histories read last, as text with their messages: the next span mostly repeats one and goes on.

    Then only what is new is decoded, and the messages are the same objects.
    """

    _KEPT: Final = 16

    def __init__(self) -> None:
        self._read: list[tuple[str, list[Said]]] = []

    def said_in(self, text: str) -> list[Said] | None:
        """Return the messages of a JSON list in text; None when it is no such thing."""
        if text[:1] != "[" or text[-1:] != "]":
            return None
        before = next((r for r in reversed(self._read) if len(r[0]) > 2 and text.startswith(r[0][:-1])), None)
        rest, known = text, []
        if before is not None:
            rest, known = text[len(before[0]) - 1 :].lstrip(), before[1]
            if rest[:1] == ",":
                rest = f"[{rest[1:]}"
            elif rest != "]":
                return None
        value = [] if rest == "]" else decoded(rest)
        if not isinstance(value, list) or not all(isinstance(m, Mapping) for m in value):
            return None
        found = [*known, *flat(said_in(value))] if value else known
        self._read = [*self._read[-self._KEPT :], (text, found)]
        return found


def response(span: Span, histories: Histories | None = None) -> Response:
    """Read a model span."""
    attributes, cut = span.attributes, []  # type: tuple[Attributes, list[str]]
    told = attributes.get(c.INPUT[0])
    known = histories.said_in(told) if histories is not None and isinstance(told, str) else None
    inputs = known or flat(_messages(attributes, c.INPUT, "", cut))
    output = _messages(attributes, c.OUTPUT, "assistant", cut)
    system = _messages(attributes, c.SYSTEM, "system", cut)
    from_events = _from_events(span.events, attributes)
    inputs, output, system = inputs or flat(from_events[0]), output or from_events[1], system or from_events[2]
    if not inputs and not output:
        inputs, output = _from_values(attributes, cut)
        inputs = flat(inputs)
    captured = bool(inputs or output)
    if system and not any(m.role == "system" for m in inputs):
        inputs = [*system, *inputs]
    output, spare = _chosen(output)
    merged = _merged(output)
    if merged is not None and not all(call.captured for call in merged.calls):
        _fill(merged, _merged(_from_values(attributes, [])[1]))
    finish = attributes.under(c.FINISH[0]) or attributes.text(*c.FINISH[1:])
    reasons = tuple(f for f in (finish if isinstance(finish, list) else [finish]) if isinstance(f, str) and f)
    gone = [str(attributes.get(n)) for n in (*c.OUTPUT, "output.value") if n in cut]
    kept = 0 if merged is None else len(merged.calls) + merged.lost
    lost = max(0, sum(len(_CALL_MARK.findall(t)) for t in gone) - kept)
    return Response(span, inputs, merged, captured, reasons, spare, cut, lost)


def _messages(attributes: Attributes, names: Iterable[str], role: str, cut: list[str] | None = None) -> list[Said]:
    """The messages under the first of some attributes that holds any; those whose text breaks off are added to `cut`."""
    for name in names:
        value, broken = whole_or_cut(attributes.under(name))
        if broken and cut is not None:
            cut.append(name)
        if value in (None, "", []):
            continue
        found = said_in(value, role)
        if found:
            return found
    return []


def _from_events(events: list[Event], attributes: Attributes) -> tuple[list[Said], list[Said], list[Said]]:
    """The messages that events say: input, output, system instructions."""
    inputs: list[Said] = []
    output: list[Said] = []
    system: list[Said] = []
    for name, values in [*_listed_events(attributes), *((e.name, _event_values(e)) for e in events)]:
        if name in c.INPUT_EVENTS:
            carried = Attributes(values)
            inputs += _messages(carried, c.INPUT, "")
            output += _messages(carried, c.OUTPUT, "assistant")
            system += _messages(carried, c.SYSTEM, "system")
        elif name in c.SAID_EVENTS:
            role = c.SAID_EVENTS[name]
            (output if role == "choice" else inputs).append(message_in(_with_content(values), role))
    return inputs, output, system


def _event_values(event: Event) -> Mapping[str, Any]:
    """What an event says: its attributes and its body, which some keep as JSON text in an attribute."""
    body = event.body if event.body is not None else decoded(event.attributes.get(c.EVENT_BODY))
    return {**event.attributes.values, **body} if isinstance(body, Mapping) else event.attributes.values


def _with_content(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first events kept their text under the names of the attributes of the time."""
    for key in ("gen_ai.prompt", "gen_ai.completion"):
        if key in values and "content" not in values:
            return {**values, "content": values[key]}
    return values


def _listed_events(attributes: Attributes) -> list[tuple[str, Mapping[str, Any]]]:
    """Events kept as one attribute, as pydantic-ai did at first."""
    listed = decoded(attributes.get("events"))
    if not isinstance(listed, list):
        return []
    named = [(e.get("event.name"), e) for e in listed if isinstance(e, Mapping)]
    return [(n, e) for n, e in named if isinstance(n, str)]


def _from_values(attributes: Attributes, cut: list[str]) -> tuple[list[Said], list[Said]]:
    """OpenInference's `input.value` and `output.value`: a request and its response as they were."""
    (asked, first), (answered, second) = (whole_or_cut(attributes.get(n)) for n in ("input.value", "output.value"))
    cut += [n for n, broken in (("input.value", first), ("output.value", second)) if broken]
    if isinstance(answered, Mapping) and isinstance(choices := answered.get("choices"), list):
        answered = choices[:1]
    inputs = said_in(asked, "" if isinstance(asked, Mapping | list) else "user") if _speaks(asked) else []
    return inputs, said_in(answered, "assistant") if _speaks(answered) else []


def _speaks(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip()) and value not in c.REDACTED
    if isinstance(value, list):
        return any(isinstance(v, Mapping) and ("role" in v or "message" in v) for v in value)
    return isinstance(value, Mapping) and ("role" in value or isinstance(value.get("messages"), list))


def _chosen(output: list[Said]) -> tuple[list[Said], list[Said]]:
    """Several answers to one request are told by each having ended; else they are parts of one answer."""
    if len(output) > 1 and all(m.ended for m in output):
        return output[:1], output[1:]
    return output, []


def _merged(output: list[Said]) -> Said | None:
    spoken = [m for m in output if m.role == "assistant"]
    if not spoken:
        return None
    if len(spoken) == 1:
        return spoken[0]
    texts = [m.text for m in spoken if m.text]
    return Said(
        "assistant",
        "\n".join(texts) if texts else None,
        [call for m in spoken for call in m.calls],
        [r for m in spoken for r in m.results],
        any(m.captured for m in spoken),
        lost=sum(m.lost for m in spoken),
    )


def _fill(said: Said, whole: Said | None) -> None:
    """Take arguments from the response as it was, where the indexed attributes leave them out (smolagents' objects)."""
    if whole is None or [call.tool for call in whole.calls] != [call.tool for call in said.calls]:
        return
    for call, full in zip(said.calls, whole.calls, strict=True):
        if not call.captured:
            call.arguments, call.captured = full.arguments, full.captured


def tool_run(span: Span) -> ToolRun:
    """Read a tool span."""
    attributes = span.attributes
    name = attributes.text(*c.TOOL_NAME) or next(
        (span.name[len(p) :] for p in _NAMED if span.name.startswith(p)), span.name
    )
    named, sent = next(((n, v) for n in c.TOOL_ARGUMENTS if (v := attributes.under(n)) is not None), ("", None))
    back = next((v for v in map(attributes.under, c.TOOL_RESULT) if v is not None), None)
    status = attributes.text("gen_ai.tool.status")
    call_id = attributes.text(*c.CALL_ID) or None
    for name_said, values in ((e.name, _event_values(e)) for e in span.events):
        if name_said == "gen_ai.tool.message" and sent is None:
            sent = values.get("content")
        elif name_said == "gen_ai.choice" and back is None:
            back = values.get("message")
        elif name_said in c.INPUT_EVENTS:
            sent, back = _from_details(Attributes(values), sent, back)
    arguments, bare = _arguments(sent, attributes if named in c.WRAPPED else None)
    text, said = _returned(back, blocks=any(v.name == "strands" for v in c.conventions_of(span)))
    failed = span.failed or status == "error" or said is True or bool(attributes.text("error.type"))
    pending = attributes.get(_DEFERRED) is not None
    shown = None
    if failed and (text is None or WITHHELD.match(text)):
        thrown = _exception(span)
        if text is not None and thrown is not None and text.strip() not in thrown:
            text, shown = thrown, text
        elif text is None:
            text = thrown
    flagged = True if failed else (False if status == "success" or said is False else None)
    return ToolRun(
        span, name or "tool", call_id, arguments, bare, text, flagged, "span status" if failed else None, pending, shown
    )


def _from_details(carried: Attributes, sent: Any, back: Any) -> tuple[Any, Any]:
    for message in _messages(carried, c.INPUT, "tool"):
        if message.calls and sent is None and message.calls[0].arguments is not MISSING:
            sent = message.calls[0].arguments
    for message in _messages(carried, c.OUTPUT, "tool"):
        if message.results and back is None:
            back = message.results[0].text
    return sent, back


def _arguments(sent: Any, attributes: Attributes | None) -> tuple[Any, str | None]:
    """The arguments of a run as an object or the text of one, else MISSING with the bare value that was kept.

    `attributes` are given where a framework may have put its own wrapping around them.
    """
    if sent is None or (isinstance(sent, str) and sent in c.REDACTED):
        return MISSING, None
    value = decoded(sent)
    if isinstance(value, Mapping):
        own = "input_str" in value and "metadata" in value  # LangChain's callback, whatever attribute it stands in
        wrapped = own or (attributes is not None and (set(value) <= _CALLED_WITH or "input_str" in value))
        return _unwrapped(value, attributes) if wrapped else sent, None
    if isinstance(sent, str):
        # Frameworks print their own arguments in Python's manner; the model never sent that text.
        printed = decode_result(sent)
        if printed.how == "python_repr" and isinstance(printed.value, dict):
            return printed.value, None
        return MISSING, sent
    return MISSING, str(sent)


def _unwrapped(value: Mapping[str, Any], attributes: Attributes | None) -> Any:
    """Arguments as a function got them: by name, and by place where the tool says what its parameters are called."""
    keys = ("inputs",) if "input_str" in value else _SENT_IN
    named: Mapping[str, Any] = next((value[k] for k in keys if isinstance(value.get(k), Mapping)), {})
    if "input_str" in value and not named:
        printed = decode_result(str(value["input_str"]))
        return printed.value if isinstance(printed.value, dict) else MISSING
    placed = value.get("args")
    if not isinstance(placed, list) or not placed:
        return dict(named)
    declared = None if attributes is None else decoded(attributes.get("tool.parameters"))
    names = list(declared.get("properties", declared)) if isinstance(declared, Mapping) else []
    if len(placed) > len(names):
        return MISSING if not named else dict(named)
    return {**dict(zip(names, placed, strict=False)), **named}


def _returned(back: Any, *, blocks: bool) -> tuple[str | None, bool | None]:
    """The text of what a tool returned, out of the messages frameworks wrap it in, and whether those say it failed.

    `blocks` says that results come as content blocks by convention.
    """
    if back is None or (isinstance(back, str) and back in c.REDACTED):
        return None, None
    value, flagged = decoded(back), None
    opened = False
    for _ in range(4):
        if not isinstance(value, Mapping):
            break
        if value.get("status") in ("error", "success") and "content" in value:
            flagged = value["status"] == "error"
        message = value.get("type") in ("tool", "ToolMessage") or value.get("lc") == 1
        if "content" in value and (message or "tool_call_id" in value) and set(value) <= _TOOL_MESSAGE:
            return result_text(value["content"]), flagged
        inner = next((value[k] for k in _RETURNED_IN if isinstance(value.get(k), Mapping)), None) if message else None
        if inner is None and set(value) == {"output", "kwargs"}:
            inner = decoded(value["output"])
        if inner is None:
            break
        value, opened = inner, True
    if isinstance(back, str) and not opened and not (blocks and isinstance(value, list)):
        return back, flagged
    return result_text(value), flagged


def _exception(span: Span) -> str | None:
    """What was thrown, in the words of its event or of the status."""
    for event in span.events:
        if event.name.rpartition(".")[2] == "exception":
            said = event.attributes.text("exception.message")
            kind = event.attributes.text("exception.type").rpartition(".")[2]
            if said or kind:
                return said or kind
    return span.message or span.attributes.text("exception.message", "error.message") or None


def agent_run(span: Span) -> AgentRun:
    """Read an agent span."""
    attributes = span.attributes
    name = attributes.text(*c.AGENT) or span.name.removeprefix("invoke_agent ")
    history = _messages(attributes, c.HISTORY, "")
    if history and attributes.under("gen_ai.output.messages") is not None and attributes.get(c.HISTORY[0]) is None:
        history += _messages(attributes, ("gen_ai.output.messages",), "assistant")
    if not history:
        listed = decoded(attributes.get("all_messages_events"))
        if isinstance(listed, list):
            carried = Attributes({"events": listed})
            inputs, output, _ = _from_events([], carried)
            history = inputs + output
    if not history:
        inputs, output, system = _from_events(span.events, Attributes({}))
        history = [*system, *inputs, *output]
    if not history:
        history = _task(attributes)
    return AgentRun(span, name, flat(history))


def _task(attributes: Attributes) -> list[Said]:
    asked = next((v for v in map(attributes.get, c.TASK) if v is not None), None)
    answered = next((v for v in map(attributes.get, c.ANSWER) if v is not None), None)
    value = decoded(asked)
    if isinstance(value, Mapping) and not _speaks(value):
        value = next(
            (value[k] for k in ("task", "input", "query", "question", "prompt") if isinstance(value.get(k), str)), None
        )
    found = said_in(value, "user") if _speaks(value) else []
    if isinstance(answered, str) and answered not in c.REDACTED and answered.strip():
        found.append(Said("assistant", answered))
    return found


def tool_specs(span: Span) -> Any:
    """Return the tool specs a span carries, in a shape that `read_tools` takes; None when it carries none."""
    attributes = span.attributes
    for name in c.TOOLS:
        value = attributes.under(name)
        if isinstance(value, str) and name == c.TOOLS[0]:
            specs = _specs_in(value)
            if specs is not None:
                return specs
        value = decoded(value)
        if isinstance(value, Mapping) and "function_tools" in value:
            value = [
                t
                for k in ("function_tools", "output_tools")
                for t in value.get(k) or ()
                if isinstance(value.get(k), list)
            ]
        elif isinstance(value, Mapping):
            value = [value] if "name" in value or "function" in value else None
        if not isinstance(value, list) or not value:
            continue
        specs = [s for s in (_spec(decoded(t)) for t in value) if s is not None]
        if specs:
            return specs
    return None


@functools.lru_cache(maxsize=64)
def _specs_in(text: str) -> list[Any] | None:
    """The specs in a JSON text: every span of an agent repeats it. The list is shared, and read only."""
    value = decoded(text)
    specs = [s for s in (_spec(decoded(t)) for t in value) if s is not None] if isinstance(value, list) else []
    return specs or None


def _spec(value: Any) -> Any:
    if isinstance(value, Mapping):
        inner = next((value[k] for k in ("tool", "json_schema", "tool.json_schema") if k in value), None)
        if inner is not None and "name" not in value:
            return _spec(decoded(inner.get("json_schema", inner) if isinstance(inner, Mapping) else inner))
        if isinstance(value.get("parameters"), str):
            value = {**value, "parameters": decoded(value["parameters"])}
        return value
    return {"name": value} if isinstance(value, str) and value else None
