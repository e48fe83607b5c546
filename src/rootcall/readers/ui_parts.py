"""Messages made of parts, as chat interfaces keep them: a call and its outcome in one part, several steps in a message.

The AI SDK (versions 4 to 7) and Mastra share these parts: `tool-invocation` with an invocation inside, `tool-<name>` and
`dynamic-tool` with the outcome beside the input. Owns what such a part says and where one model response ends and the
next begins; which messages there are belongs to the readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from rootcall.assembly import DraftCall
from rootcall.conversation import below, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.invocations import Invocation, merged_invocations
from rootcall.readers.script import Script, id_of, said_in, value_text
from rootcall.trace import Role, Source

__all__ = [
    "DENIED_TEXT",
    "Asked",
    "Part",
    "add_parts",
    "invocation_in",
    "is_tool_part",
    "message_parts",
    "parts_of",
    "read_part",
]

DENIED_TEXT: Final = "Tool execution denied."
"""What a model is told when nobody gave a reason."""

_UNFINISHED: Final = frozenset({"partial-call", "input-streaming"})
_STATES: Final = frozenset(
    {
        "partial-call", "call", "result", "input-streaming", "input-available", "approval-requested", "approval-responded",
        "output-available", "output-error", "output-denied",
    }
)  # fmt: skip


class Part(NamedTuple):
    """One part of a message and where it stands; `back` is where its outcome stands, when that is elsewhere."""

    value: Any
    source: Source
    back: Source | None = None


class Asked(NamedTuple):
    """A call as one part tells it. `output` is MISSING where none came; `failed` is the text of an error, None if none."""

    tool: str
    arguments: Any
    id: str | None = None
    output: Any = MISSING
    failed: str | None = None
    flagged: bool | None = None
    denied: bool = False
    reason: str | None = None
    unfinished: bool = False
    step: object = None

    @property
    def settled(self) -> bool:
        """Whether something came back."""
        return self.output is not MISSING or self.failed is not None or self.denied

    @property
    def went_wrong(self) -> bool:
        """Whether what came back is told as a failure."""
        return self.failed is not None or self.denied or self.flagged is True or _says_error(self.output)


def _says_error(output: object) -> bool:
    return isinstance(output, Mapping) and (bool(output.get("error")) or output.get("isError") is True)


def is_tool_part(part: object) -> bool:
    """Tell whether a part is a call with its outcome."""
    if not isinstance(part, Mapping):
        return False
    kind = word_in(part, "type")
    if kind == "tool-invocation":
        return isinstance(part.get("toolInvocation"), Mapping)
    return (kind == "dynamic-tool" or kind.startswith("tool-")) and (
        word_in(part, "state") in _STATES
        or ("toolCallId" in part and not kind.startswith(("tool-call", "tool-result")))
    )


def invocation_in(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object that holds a part's call: the invocation inside, or the part itself."""
    inner = part.get("toolInvocation")
    return inner if isinstance(inner, Mapping) else part


def read_part(part: Mapping[str, Any]) -> Asked | None:
    """Read a call from a part or from a bare invocation; None when it names no tool."""
    call = invocation_in(part)
    kind = word_in(call, "type")
    tool = word_in(call, "toolName") or (kind.removeprefix("tool-") if kind.startswith("tool-") else "")
    if not tool or (tool == "invocation" and kind == "tool-invocation"):
        return None
    state = word_in(call, "state")
    approval = call.get("approval")
    approval = approval if isinstance(approval, Mapping) else {}
    denied = state == "output-denied" or (state == "approval-responded" and approval.get("approved") is False)
    output: Any = MISSING
    failed: str | None = None
    if state == "output-error" or (state not in _STATES and isinstance(call.get("errorText"), str)):
        failed = value_text(call.get("errorText", ""))
    elif not denied and (state in ("result", "output-available") or state not in _STATES):
        given = state in ("result", "output-available")
        output = next((call[k] for k in ("output", "result") if k in call), "" if given else MISSING)
    reason = approval.get("reason", call.get("reason"))
    return Asked(
        tool,
        _arguments(call),
        id_of(call.get("toolCallId")),
        output,
        failed,
        True if call.get("isError") is True else None,
        denied,
        reason if isinstance(reason, str) and reason else None,
        state in _UNFINISHED,
        call.get("step"),
    )


def _arguments(call: Mapping[str, Any]) -> Any:
    """What was sent. `rawInput` is the text of input that could not be read, and then the input beside it is made up."""
    if call.get("rawInput") is not None and (call.get("input") in (None, {}) or call.get("state") == "output-error"):
        return call["rawInput"]
    return next((call[k] for k in ("input", "args", "arguments") if call.get(k) is not None), MISSING)


class _Group:
    """What belongs to one model response, and which of its tools have failed so far."""

    def __init__(self) -> None:
        self.said: list[Part] = []
        self.calls: list[tuple[Asked, Part]] = []
        self.settled = False
        self.failed: set[str] = set()

    def add(self, part: Part, asked: Asked | None) -> None:
        """Add a text, or a call."""
        if asked is None:
            self.said.append(part)
            return
        self.calls.append((asked, part))
        self.settled = self.settled or asked.settled
        if asked.went_wrong:
            self.failed.add(asked.tool)

    def ends_before(self, asked: Asked | None) -> bool:
        """Tell whether a text, or a call, belongs to the next response."""
        if asked is None:
            return self.settled
        last = self.calls[-1][0].step if self.calls else None
        if asked.step is not None and last is not None:
            return bool(last != asked.step)
        return asked.tool in self.failed


def add_parts(
    script: Script,
    role: Role,
    parts: Iterable[Part],
    place: Source,
    *,
    agent: str | None = None,
    timestamp: str | None = None,
) -> None:
    """Add a message made of parts. `place` is where the message stands."""
    listed = list(parts)
    if role != "assistant":
        misplaced = sum(is_tool_part(p.value) for p in listed)
        if misplaced:
            what = f"a message of role {role} cannot call tools; {misplaced} left out"
            script.builder.problem("calls-misplaced", what, place, lost=misplaced)
        said = said_in([p.value for p in listed if not is_tool_part(p.value)])
        script.say(role, said, source=place, timestamp=timestamp)
        return
    for group in _groups(script, listed) or [_Group()]:
        calls = [_draft(asked, part.source) for asked, part in group.calls]
        text = said_in([p.value for p in group.said])
        first = group.said[0] if text and group.said else group.calls[0][1] if calls else Part(None, place)
        script.say(
            role, text or (None if calls else text), calls, source=first.source, agent=agent, timestamp=timestamp
        )
        for asked, part in group.calls:
            _add_outcome(script, asked, part.back or part.source)


def _draft(asked: Asked, source: Source) -> DraftCall:
    return DraftCall(asked.tool, asked.arguments, asked.id, source, denied=asked.denied)


def _add_outcome(script: Script, asked: Asked, where: Source) -> None:
    if asked.unfinished:
        what = f"the arguments of {asked.tool} were still being written when this was saved"
        script.builder.problem("call-unfinished", what, where)
    if asked.denied:
        script.answer(asked.reason or DENIED_TEXT, call_id=asked.id, tool=asked.tool, evidence="denied", source=where)
    elif asked.failed is not None:
        script.answer(
            asked.failed, call_id=asked.id, tool=asked.tool, flagged=True, evidence="output-error", source=where
        )
    elif asked.output is not MISSING:
        payload = asked.output if isinstance(asked.output, dict) else MISSING
        script.answer(value_text(asked.output), call_id=asked.id, tool=asked.tool, flagged=asked.flagged, payload=payload,
                      source=where)  # fmt: skip


def _groups(script: Script, parts: list[Part]) -> list[_Group]:
    """Cut parts into model responses.

    Marks decide where there are any (`step-start`, numbered steps). Without them a text after an outcome begins the next
    response, and so does a call to a tool that has just failed, since only then can the model have known.
    """
    marked = any(isinstance(p.value, Mapping) and p.value.get("type") == "step-start" for p in parts)
    groups: list[_Group] = []
    begin = True
    for part in parts:
        value = part.value
        if isinstance(value, Mapping) and value.get("type") == "step-start":
            begin = True
            continue
        asked = read_part(value) if is_tool_part(value) else None
        if asked is None and is_tool_part(value):
            script.builder.problem("call-unreadable", "a call names no tool; it is left out", part.source, lost=1)
            continue
        if asked is None and said_in([value]) is None:
            continue  # sources, files, data for the interface
        if not begin and not marked and groups[-1].ends_before(asked):
            begin = True
        if begin:
            groups.append(_Group())
            begin = False
        groups[-1].add(part, asked)
    return groups


def parts_of(values: list[Any], place: Source) -> list[Part]:
    """The parts of a list with their places."""
    return [Part(v, below(place, f"/{n}")) for n, v in enumerate(values)]


def message_parts(content: Mapping[str, Any], place: Source) -> list[Part]:
    """The parts of a message's content, with the calls that only its older list of invocations has.

    Those come before the next call that both lists have. Where there are no parts with calls, the list was all there was:
    its calls follow each other, before the text when all came to something, else after it.
    """
    values = content["parts"] if isinstance(content.get("parts"), list) else []
    parts = parts_of(values, below(place, "/parts"))
    if not any(isinstance(v, Mapping) and v.get("type") == "text" for v in values) and not parts:
        text = content.get("content")
        parts = (
            [Part({"type": "text", "text": text}, below(place, "/content"))] if isinstance(text, str) and text else []
        )
    known = {id_of(invocation_in(v).get("toolCallId")) for v in values if is_tool_part(v)}
    merged = merged_invocations(content)
    if not known:
        return _listed_only(merged, parts, place)
    out: list[Part] = []
    waiting: list[Part] = []
    at = 0
    for invocation in merged:
        if invocation.part is not None:
            out += [*parts[at : invocation.part], *waiting, parts[invocation.part]]
            at, waiting = invocation.part + 1, []
        elif id_of(invocation.value.get("toolCallId")) not in known - {None}:
            waiting.append(_listed(invocation, place))
    return [*out, *waiting, *parts[at:]] if at else [*parts, *waiting]


def _listed(invocation: Invocation, place: Source) -> Part:
    part = {"type": "tool-invocation", "toolInvocation": invocation.value}
    return Part(part, below(place, f"/toolInvocations/{invocation.listed}"))


def _listed_only(merged: list[Invocation], parts: list[Part], place: Source) -> list[Part]:
    if not merged:
        return parts
    mark = Part({"type": "step-start"}, place)
    numbered = all(i.value.get("step") is not None for i in merged)
    calls = [p for i in merged for p in ((_listed(i, place),) if numbered else (_listed(i, place), mark))]
    asked = [read_part(i.value) for i in merged]
    settled = all(a is None or a.settled for a in asked)
    return calls + parts if settled else parts + calls
