"""OpenAI Agents SDK traces: the objects `trace` and `trace.span` that its tracing exports, one a line or in lists.

Chat models leave `generation` spans with the whole history in each; Responses models leave `response` spans with an id
and no content, so that only the calls are known, from the spans of the functions. Owns both; what is new in a history is
told by `rootcall.readers.replay`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from rootcall.assembly import DraftCall
from rootcall.conversation import as_json, below, count_calls, id_of, shape_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.entries import Entry, entries_of, items_entries
from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.replay import Heard, Ran, Replay
from rootcall.readers.rows import Row, share, start_trace
from rootcall.trace import Source, Tool, Trace

__all__ = ["READER"]

_OBJECTS: Final = ("trace", "trace.span")
_RESPONSES: Final = (
    "spans of Responses models hold the id of a response and no content: what the user asked and what was answered is not "
    "here; save RunResult.to_input_list() or the responses beside it"
)
_SWITCHED_OFF: Final = (
    "inputs and outputs are left out of the spans; trace_include_sensitive_data=True in the RunConfig captures them"
)


_REDACTED: Final = "redacted"
_DEEPEST: Final = 500
# Tools that the provider runs: their calls leave no span.
_HOSTED: Final = re.compile(r"web_search|file_search|code_interpreter|image_generation|hosted_mcp|tool_search")


class _Span(msgspec.Struct, eq=False):
    """A span: its record, its data, and those below it."""

    value: Mapping[str, Any]
    source: Source
    number: int
    kind: str
    parent: _Span | None = None

    @property
    def data(self) -> Mapping[str, Any]:
        data = self.value.get("span_data")
        return data if isinstance(data, Mapping) else {}

    @property
    def begun(self) -> tuple[str, int]:
        return word_in(self.value, "started_at"), self.number

    @property
    def ended(self) -> tuple[str, int]:
        return word_in(self.value, "ended_at") or word_in(self.value, "started_at"), self.number

    def above(self, kind: str) -> _Span | None:
        """The nearest span of a kind that this one lies in."""
        seen = {self.number}
        span = self.parent
        while span is not None and span.number not in seen and len(seen) < _DEEPEST:
            if span.kind == kind:
                return span
            seen.add(span.number)
            span = span.parent
        return None

    @property
    def agent(self) -> str | None:
        """The name of the agent whose span this is."""
        agent = self if self.kind == "agent" else self.above("agent")
        return None if agent is None else word_in(agent.data, "name") or None


class _Group:
    """The records of one trace."""

    def __init__(self) -> None:
        self.trace: Mapping[str, Any] | None = None
        self.source: Source | None = None
        self.spans: list[_Span] = []


def _is_ours(value: object) -> bool:
    return isinstance(value, Mapping) and word_in(value, "object") in _OBJECTS and isinstance(value.get("id"), str)


def _listed(value: object) -> list[tuple[str, Any]]:
    """The objects in a record, each with its pointer: the exporter sends lists of them under `data`."""
    if isinstance(value, Mapping) and isinstance(value.get("data"), list) and "object" not in value:
        return [(f"/data/{i}", v) for i, v in enumerate(value["data"])]
    if isinstance(value, list):
        return [(f"/{i}", v) for i, v in enumerate(value)]
    return [("", value)]


def _confidence(value: Any) -> float:
    listed = _listed(value)
    return 1.0 if listed and any(_is_ours(v) for _, v in listed) else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    groups: dict[str, _Group] = {}
    number = 0
    for record in stream:
        for pointer, value in _listed(record.value):
            source = below(record.source, pointer)
            number += 1
            name = _add(stream, groups, value, source, number)
            # The SDK tells of a trace when it ends; exporters that tell when it begins say so before its spans.
            if name is not None and groups[name].spans:
                yield from _built(stream, name, groups.pop(name))
    for name, group in groups.items():
        yield from _built(stream, name, group)


def _add(stream: Stream, groups: dict[str, _Group], value: object, source: Source, number: int) -> str | None:
    """Sort a record into its trace. Returns the id of the trace where the record is the trace itself."""
    if not isinstance(value, Mapping) or not _is_ours(value):
        what = f"is no trace or trace.span of the Agents SDK but {shape_of(value)}; it is left out"
        stream.set_aside("unknown-shape", what, source, lost=count_calls(value))
        return None
    if value["object"] == "trace":
        group = groups.setdefault(value["id"], _Group())
        group.trace, group.source = value, source
        return str(value["id"])
    group = groups.setdefault(id_of(value.get("trace_id")) or "", _Group())
    group.source = group.source or source
    data = value.get("span_data")
    kind = word_in(data, "type") if isinstance(data, Mapping) else ""
    group.spans.append(_Span(value, Source(source.file, source.line, source.pointer, value["id"]), number, kind))
    return None


def _built(stream: Stream, name: str, group: _Group) -> Iterator[Trace]:
    try:
        yield _build(stream, name, group)
    except RecursionError:
        lost = count_calls([s.value for s in group.spans])
        stream.set_aside("nested-too-deeply", "nested too deeply to be read", group.source, lost=lost)


def _build(stream: Stream, name: str, group: _Group) -> Trace:
    spans = sorted(group.spans, key=lambda s: s.begun)
    by_id = {s.source.span: s for s in reversed(spans)}
    for s in spans:
        s.parent = by_id.get(word_in(s.value, "parent_id"))
    about = group.trace or {}
    own = about.get("metadata")
    rest = {k: about[k] for k in ("workflow_name", "group_id") if about.get(k) is not None}
    models = {m: None for s in spans if (m := word_in(s.data, "model"))}
    if models:
        rest["model"] = next(iter(models))
    rest["metadata"] = own if isinstance(own, Mapping) else {}
    tools = list(_tools(spans, stream.tools)) if any(s.kind == "agent" for s in spans) else None
    source = group.source or Source(stream.name)
    builder = start_trace(stream, Row((), tools, None, rest), source, "openai-agents", id=name or None)
    replay, memory = Replay(builder), Heard()
    bare: set[int] = set()
    for s, tools_below in _events(spans):
        if tools_below is None:
            run = _run(s, bare=s.number in bare)
            if run is not None:
                replay.ran(run)
            continue
        if s.kind == "response" or _is_empty(s):
            bare |= {t.number for t in tools_below}
        _model_call(replay, memory, s, tools_below)
    replay.close()
    for s in spans:
        if isinstance(s.value.get("error"), Mapping) and s.kind not in ("function", "handoff"):
            builder.problem("span-error", f"{s.kind or 'a'} span: {word_in(s.value['error'], 'message')}", s.source)
    if any(s.kind == "response" for s in spans):
        builder.problem("content-not-captured", _RESPONSES, source)
        if any(_HOSTED.match(t.name) for t in tools or ()):
            builder.partial_calls()
    if any(_is_empty(s) for s in spans if s.kind == "generation"):
        builder.problem("content-not-captured", _SWITCHED_OFF, source)
    return builder.build()


def _tools(spans: list[_Span], given: Iterable[Tool] | None) -> Iterator[Tool]:
    """What agents were offered. Their spans hold names only, so that specs from a side file are put in for them."""
    agents: dict[str, dict[str, None]] = {}
    for s in spans:
        if s.kind == "agent":
            names = agents.setdefault(word_in(s.data, "name"), {})
            listed = s.data.get("tools")
            names |= {t: None for t in listed if isinstance(t, str) and t} if isinstance(listed, list) else {}
            others = s.data.get("handoffs")
            names |= {_handoff(h): None for h in others if isinstance(h, str)} if isinstance(others, list) else {}
    known = {t.name: t for t in given or ()}
    for agent, names in agents.items():
        for n in names:
            tool = known.get(n) or Tool(n)
            yield tool if len(agents) == 1 else msgspec.structs.replace(tool, agent=agent)


def _handoff(agent: str) -> str:
    """The name of the tool by which the SDK hands over to an agent, unless it was given another one."""
    return re.sub(r"[^a-zA-Z0-9]", "_", f"transfer_to_{agent}").lower()


def _is_empty(s: _Span) -> bool:
    return s.data.get("input") is None and s.data.get("output") is None


def _events(spans: list[_Span]) -> Iterator[tuple[_Span, tuple[_Span, ...] | None]]:
    """What happened, in order: model calls where they began, tool runs where they ended.

    Beside a model call stand the tool spans below the same turn; None beside every other span.
    """
    events: list[tuple[tuple[str, int], _Span, tuple[_Span, ...] | None]] = []
    last: dict[int, _Span] = {}
    below_model: dict[int, list[_Span]] = {}
    for s in spans:
        parent = -1 if s.parent is None else s.parent.number
        if s.kind in ("generation", "response"):
            last[parent] = s
            below_model[s.number] = []
        elif s.kind in ("function", "handoff") and parent in last:
            below_model[last[parent].number].append(s)
    for s in spans:
        if s.number in below_model:
            events.append((s.begun, s, tuple(below_model[s.number])))
        else:
            events.append((s.ended, s, None))
    events.sort(key=lambda e: e[0])
    return ((s, calls) for _, s, calls in events)


def _model_call(replay: Replay, memory: Heard, s: _Span, tools: tuple[_Span, ...]) -> None:
    begun = word_in(s.value, "started_at") or None
    if s.kind == "response" or _is_empty(s):
        runs = [r for t in tools if (r := _run(t, bare=True)) is not None]
        calls = tuple([DraftCall(r.tool, r.arguments, r.call_id, r.source, captured=r.captured) for r in runs])
        replay.said(Entry("assistant", None, s.source, calls, agent=s.agent, timestamp=begun, captured=False))
        return
    given = s.data.get("input")
    listed = [{"role": "user", "content": given}] if isinstance(given, str) else given
    told = (
        memory.entries(listed, lambda m, i: entries_of(m, _inner(s, f"/input/{i}"))) if isinstance(listed, list) else []
    )
    replay.heard(told, nested=s.above("function") is not None)
    output = s.data.get("output")
    for i, m in enumerate(output if isinstance(output, list) else ()):
        place = _inner(s, f"/output/{i}")
        found = _answer(m, place, s.agent)
        for e in found or [Entry("assistant", None, place, agent=s.agent, captured=False, lost=count_calls(m))]:
            replay.said(e._replace(timestamp=begun))


def _inner(s: _Span, pointer: str) -> Source:
    return below(s.source, f"/span_data{pointer}")


def _answer(value: object, source: Source, agent: str | None) -> list[Entry]:
    """What a model answered: a chat message; of a streamed call, a Responses object."""
    items = value.get("output") if isinstance(value, Mapping) else None
    found = items_entries(items, below(source, "/output"), agent=agent) if isinstance(items, list) else []
    return found or [e for e in entries_of(value, source, agent=agent) if e.role == "assistant"]


def _run(s: _Span, *, bare: bool) -> Ran | None:
    """The tool run that a span tells of, None for other spans.

    With `bare` nobody else tells of the call, so that it has the id of the span.
    """
    error, detail = s.value.get("error"), None
    if isinstance(error, Mapping):
        detail = error.get("data")
    detail = detail if isinstance(detail, Mapping) else {}
    told = word_in(s.value, "ended_at") or None
    if s.kind == "handoff":
        tool = _handoff(word_in(s.data, "to_agent"))
        return Ran(tool, s.source, {}, call_id=s.source.span, agent=s.agent, timestamp=told) if bare else None
    if s.kind != "function":
        if not word_in(detail, "tool_name"):
            return None
        text = word_in(error, "message") if isinstance(error, Mapping) else None
        return Ran(detail["tool_name"], s.source, text=text, flagged=True, evidence="span error", agent=s.agent)
    given, output = s.data.get("input"), s.data.get("output")
    shown = output if output is None or isinstance(output, str) else as_json(output)
    said = word_in(detail, "error")
    text = said if said and _REDACTED not in said else shown
    return Ran(
        word_in(s.data, "name") or "function",
        s.source,
        MISSING if given is None else given,
        text=text,
        shown=None if text == shown else shown,
        call_id=s.source.span if bare else None,
        flagged=True if error else None,
        evidence="span error" if error else None,
        agent=s.agent,
        timestamp=told,
        captured=given is not None or output is not None,
        own=_is_own(s),
    )


def _is_own(s: _Span) -> bool:
    """Tell whether a function was called by an agent, and not from within another function."""
    function, agent = s.above("function"), s.above("agent")
    return function is None or (agent is not None and agent.above("function") is function)


READER = Reader(
    name="openai-agents",
    description="OpenAI Agents SDK traces: trace and trace.span objects, one a line or in lists",
    detect=_detect,
    read=_read,
    marks='"object": "trace.span" with span_data',
    lacks=(
        "the tool schemas (names only; give them with --tools)",
        "what was asked and answered, where a Responses model was used",
        "the text of a tool error, unless the SDK was told not to redact it",
        "calls of hosted tools",
    ),
)
