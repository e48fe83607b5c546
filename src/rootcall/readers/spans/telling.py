"""From a woven trace to `Trace`: messages, calls and results in order, tools with the steps they were offered in.

Says what is missing and what would capture it. How results are read, and what an outcome is, is decided in
`rootcall.assembly` for all formats alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.jsonvalue import MISSING, canonical
from rootcall.readers.spans import conventions as c
from rootcall.readers.spans.meaning import ToolRun, tool_specs
from rootcall.readers.spans.said import Came, decoded
from rootcall.readers.spans.span import Span
from rootcall.readers.spans.weaving import Entry, Thread, Woven, weave
from rootcall.toolspec import read_tools
from rootcall.trace import Problem, Source, Tool, Trace

__all__ = ["tell"]

_FORMAT: Final = "otel-spans"
_CALLED: Final = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})


def tell(name: str, spans: Sequence[Span], side_tools: Sequence[Tool] | None) -> Trace | None:
    """Build the trace of the spans with one trace id; None when they tell of no model, tool or agent."""
    woven = weave(spans)
    if not woven.entries:
        return None
    return _Telling(name, spans, woven, side_tools).told()


class _Ran(NamedTuple):
    """A call whose result no message tells, but a tool span."""

    call: DraftCall
    thread: Thread
    at: int
    run: ToolRun


class _Telling:
    def __init__(self, name: str, spans: Sequence[Span], woven: Woven, side_tools: Sequence[Tool] | None) -> None:
        self._woven = woven
        self._index = 0
        self._answers = _answers(woven.entries)
        self._answered = {id(call) for call in self._answers.values()}
        self._ran: list[_Ran] = []
        self._many = len({e.agent for e in woven.entries} - {None}) > 1 or len(woven.threads) > 1
        tools, problems = self._tools(spans)
        first = min(spans, key=lambda s: s.order)
        self._builder = TraceBuilder(
            name,
            source=Source(first.source.file, first.source.line, first.source.pointer),
            format=_FORMAT,
            tools=side_tools if tools is None else tools,
            tools_known="side_file" if tools is None and side_tools is not None else None,
            metadata=_metadata(spans, woven),
        )
        for p in problems:
            self._builder.problem(p.code, p.message, p.source)

    def told(self) -> Trace:
        ends = {id(e.thread): n for n, e in enumerate(self._woven.entries)}
        for n, entry in enumerate(self._woven.entries):
            self._finish([r for r in self._ran if r.run.span.start <= entry.at and (
                (r.thread is entry.thread and r.at < entry.at) or ends[id(r.thread)] < n)])  # fmt: skip
            if entry.said.retold and id(entry) not in self._answers and entry.said.role == "tool":
                self._observed(entry)
            elif entry.said.role == "tool":
                self._give(entry.said.results[0], self._answers.get(id(entry)), entry.span, retold=entry.said.retold)
            else:
                self._message(entry)
        self._finish(list(self._ran))
        self._say_what_is_missing()
        return self._builder.build()

    def _message(self, entry: Entry) -> None:
        said, thread = entry.said, entry.thread
        role = "system" if said.role == "user" and thread.nested else said.role
        for call in said.calls:
            call.source = entry.span.source
            run = self._woven.runs.get(id(call))
            if run is None:
                continue
            if not call.captured:
                call.arguments, call.captured = run.arguments, run.arguments is not MISSING
            if not run.pending and id(call) not in self._answered:
                self._ran.append(_Ran(call, thread, entry.at, run))
        self._builder.message(
            role,
            said.text,
            index=self._index,
            calls=said.calls,
            source=entry.span.source,
            agent=entry.agent if self._many else None,
            timestamp=_iso(entry.span.start) if role == "user" else None,
            captured=said.captured,
        )
        if said.lost:
            what = f"{_count(said.lost, 'call')} without the name of a tool"
            self._builder.problem("call-unreadable", what, entry.span.source, lost=said.lost)
            self._builder.partial_calls()
        self._index += 1

    def _observed(self, entry: Entry) -> None:
        """What a framework says came back, where no call is known that it came back from (code ran, for example)."""
        self._builder.message("tool", entry.said.text, index=self._index, source=entry.span.source)
        self._index += 1

    def _finish(self, due: Sequence[_Ran]) -> None:
        """Give the results that only tool spans tell."""
        for ran in due:
            self._give(None, ran.call, ran.run.span)
        if due:
            self._ran = [r for r in self._ran if all(r is not d for d in due)]

    def _give(self, came: Came | None, call: DraftCall | None, span: Span, *, retold: bool = False) -> None:
        run = None if call is None else self._woven.runs.get(id(call))
        text, shown = (None, None) if came is None else (came.text, None)
        hidden = retold or (run is not None and run.flagged and came is not None and _hidden(run.text, came.text))
        if came is not None and run is not None and run.text is not None and hidden:
            text, shown = run.text, came.text
        elif text is None and run is not None:
            text, shown = run.text, run.shown
        flagged = None if came is None else came.flagged
        if run is not None and run.flagged is not None and not flagged:
            flagged = run.flagged
        self._builder.result(
            text,
            index=self._index,
            call_id=came.id if came is not None else None if call is None else call.id,
            tool=None if call is None else call.tool,
            flagged=flagged,
            evidence=run.evidence if run is not None and flagged else None,
            shown=shown,
            source=span.source if run is None else run.span.source,
            to=call,
        )
        self._index += 1

    def _tools(self, spans: Sequence[Span]) -> tuple[tuple[Tool, ...] | None, list[Problem]]:
        """The tools that responses say were offered, with the steps; else those of the agents; None when none says."""
        steps = [e for e in self._woven.entries if e.said.role == "assistant"]
        lists: list[_Offered] = []
        problems: list[Problem] = []
        for n, entry in enumerate(steps):
            specs = None if entry.response is None else tool_specs(entry.response.span)
            if specs is None:
                continue
            tools, found = read_tools(specs, entry.span.source)
            problems += found if not lists or lists[-1].tools != tools else []
            lists.append(_Offered(n, entry.agent if self._many else None, tools))
        if not lists:
            lists = self._of_agents(spans, problems)
        return (_ranged(lists) if lists else None), problems

    def _of_agents(self, spans: Sequence[Span], problems: list[Problem]) -> list[_Offered]:
        described = {}
        for s in spans:
            schema, name = s.attributes.get("gen_ai.tool.json_schema"), s.attributes.text("gen_ai.tool.name")
            if name and schema is not None:
                described[name] = {
                    "name": name,
                    "parameters": schema,
                    "description": s.attributes.text("gen_ai.tool.description"),
                }
        lists = []
        for run in self._woven.agents:
            specs = tool_specs(run.span)
            if specs is not None:
                full = [
                    described.get(s["name"], s) if set(s) == {"name"} else s for s in specs if isinstance(s, Mapping)
                ]
                tools, found = read_tools([_decoded_schema(s) for s in full], run.span.source)
                problems += found
                lists.append(_Offered(0, run.name if self._many else None, tools))
        return lists

    def _say_what_is_missing(self) -> None:
        say = self._builder.problem
        silent = {id(e.response) for e in self._woven.entries if e.response is not None and not e.said.captured}
        empty = [r for r in self._woven.responses if id(r) in silent]
        if empty:
            span = empty[0].span
            say(
                "content-not-captured",
                f"{len(empty)} of {_count(len(self._woven.responses), 'model span')} without content; set {c.setting_for(span)}",
                span.source,
            )
        self._say_what_failed()
        self._say_what_was_cut()
        if not any(e.said.role in ("user", "system") for e in self._woven.entries):
            self._builder.partial_history()
            if not empty:
                span = self._woven.entries[0].span
                what = "no model span says what the model was given"
                if not self._woven.responses:
                    what = "no model span is there, and no agent span has messages"
                say("content-not-captured", f"{what}; to capture it set {c.setting_for(span)}", span.source)
        calls = [call for e in self._woven.entries for call in e.said.calls]
        bare = [call for call in calls if not call.captured]
        if bare:
            setting = (
                c.setting_for(self._woven.runs[id(bare[0])].span)
                if id(bare[0]) in self._woven.runs
                else c.MARKS[-1].setting
            )
            say(
                "arguments-not-captured",
                f"{len(bare)} of {_count(len(calls), 'call')} without arguments; set {setting}",
                bare[0].source,
            )
        unknown = [e for e in self._woven.entries if _calls_missing(e)]
        if unknown:
            self._builder.partial_calls()
            say(
                "calls-not-captured",
                f"{_count(len(unknown), 'response')} called tools that no span names",
                unknown[0].span.source,
            )

    def _say_what_failed(self) -> None:
        say = self._builder.problem
        for r in self._woven.responses:
            if r.output is None and r.span.failed:
                say(
                    "model-failed",
                    f"a model span failed: {r.span.message[:200] or 'no reason is given'}",
                    r.span.source,
                )
            if r.spare:
                lost = sum(len(m.calls) for m in r.spare)
                say(
                    "choices-left-out",
                    f"{len(r.spare)} more answers to one request; the first is read",
                    r.span.source,
                    lost=lost,
                )

    def _say_what_was_cut(self) -> None:
        cut = [r for r in self._woven.responses if r.cut]
        if not cut:
            return
        self._builder.partial_history()
        names = " and ".join(dict.fromkeys(n for r in cut for n in r.cut))
        lost = sum(r.lost for r in cut)
        if lost:
            self._builder.partial_calls()
        self._builder.problem(
            "attribute-cut",
            f"{names} breaks off in {_count(len(cut), 'model span')}, and what stood before that is kept; "
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT or the exporter caps attributes",
            cut[0].span.source,
            lost=lost,
        )


class _Offered(NamedTuple):
    step: int
    agent: str | None
    tools: tuple[Tool, ...]


def _ranged(lists: Sequence[_Offered]) -> tuple[Tool, ...]:
    """Tools with the steps in which they were offered, where an agent's list changed in the middle of the run."""
    found: list[Tool] = []
    for agent in dict.fromkeys(o.agent for o in lists):
        own = [o for o in lists if o.agent == agent]
        if all(o.tools == own[0].tools for o in own):
            found += own[0].tools if agent is None else [msgspec.structs.replace(t, agent=agent) for t in own[0].tools]
            continue
        for n, o in enumerate(own):
            first = 0 if n == 0 else o.step
            last = own[n + 1].step - 1 if n + 1 < len(own) else None
            for t in o.tools:
                old = next(
                    (
                        i
                        for i, f in enumerate(found)
                        if f.agent == agent and f.last_step == first - 1 and _plain(f) == _plain(t)
                    ),
                    None,
                )
                if old is not None and first > 0:
                    found[old] = msgspec.structs.replace(found[old], last_step=last)
                else:
                    found.append(msgspec.structs.replace(t, agent=agent, first_step=first, last_step=last))
    return tuple(found)


def _plain(tool: Tool) -> str:
    return canonical([tool.name, tool.description, tool.schema])


def _decoded_schema(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    value = decoded(spec.get("parameters"))
    if isinstance(value, Mapping):
        value = value.get("json", value.get("inputSchema", value))
    return {**spec, "parameters": value} if "parameters" in spec else spec


def _answers(entries: Sequence[Entry]) -> dict[int, DraftCall]:
    """The call of each result: of the open ones in its conversation the oldest with its id, else of its tool, else any."""
    open_calls: dict[int, list[DraftCall]] = {}
    found: dict[int, DraftCall] = {}
    for entry in entries:
        here = open_calls.setdefault(id(entry.thread), [])
        if entry.said.role == "tool":
            came = entry.said.results[0]
            named = came.id is not None and any(call.id is not None for call in here)
            call = next((c for c in here if (c.id == came.id if named else came.tool in (None, c.tool))), None)
            if entry.said.retold and not named and len(here) > 1:
                call = None  # what a framework tells of several calls is of none of them
            if call is not None:
                here[:] = [c for c in here if c is not call]
                found[id(entry)] = call
        else:
            here += entry.said.calls
    return found


def _calls_missing(entry: Entry) -> bool:
    return (
        entry.response is not None
        and not entry.said.captured
        and not entry.said.calls
        and not _CALLED.isdisjoint(entry.response.finish)
    )


def _hidden(told: str | None, seen: str | None) -> bool:
    """Tell whether what a tool said is not part of what the model was shown."""
    if not told:
        return False
    if seen is None:
        return False
    return "".join(told.split()) not in "".join(seen.split())


def _metadata(spans: Sequence[Span], woven: Woven) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for s in spans:
        kept |= {k.removeprefix(c.OWN): v for k, v in s.attributes.values.items() if k.startswith(c.OWN)}
    for name, keys in (("model", c.MODEL), ("conversation_id", c.CONVERSATION)):
        value = next((v for s in spans if (v := s.attributes.text(*keys))), "")
        if value:
            kept[name] = value
    agents = list(dict.fromkeys(a for e in woven.entries if (a := e.agent) is not None))
    if agents:
        kept["agents"] = agents
    kept["conventions"] = sorted({v.name for s in spans for v in c.conventions_of(s)})
    start = min((s.start for s in spans if s.start), default=0)
    if start:
        kept["started_at"] = _iso(start)
    return kept


def _iso(nanoseconds: int) -> str | None:
    if not 0 < nanoseconds < 253_402_300_800 * 10**9:
        return None
    return datetime.fromtimestamp(nanoseconds / 10**9, tz=UTC).isoformat()


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
