"""From messages in any format to one `Trace`: joins results to calls, cuts steps and turns, finds outcomes.

Every reader hands its messages to a `TraceBuilder` in the order in which they stood; what is decided here is therefore
decided once: a result takes the oldest open call with its id (ids are reused in real data), a malformed call stays a
call, a call without a result is `no_result`, a payload is decoded and read for an error, and whatever could not be
kept becomes a `Problem`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal

import msgspec

from rootcall.jsonvalue import MISSING, OBJECTS
from rootcall.payload import ArgumentState, decode_arguments, decode_result, opened
from rootcall.toolerror import detect_error
from rootcall.trace import (
    Call,
    Completeness,
    Extent,
    Message,
    Outcome,
    Problem,
    Result,
    Role,
    Source,
    Step,
    Tool,
    ToolsKnown,
    Trace,
    Turn,
    all_described,
)

__all__ = ["DraftCall", "TraceBuilder", "completeness_of", "turns_of"]

_MEMORY: Final = Source()
_NOT_CAPTURED: Final = None, None, "not_captured", "the arguments were not captured"

# How tools and traces say that a text goes on. The mark must end the text, or stand in brackets.
_CUT: Final = re.compile(
    r"(?:\.{3}|…)\s*(?:[<\[(]\s*)?(?:truncated|output truncated|cut|gekürzt|생략|\d+ (?:more )?(?:characters|chars|bytes|lines|tokens)"
    r"[^>\])]{0,30})?\s*[>\])]?\s*\Z|[<\[(](?:output |content |result )?truncated[^>\])]{0,60}[>\])]|Warning: Truncated output",
    re.IGNORECASE,
)


class DraftCall(msgspec.Struct, gc=False):
    """A call as a format has it. `arguments` is an object, the text of one, or whatever stood there; MISSING if nothing.

    `denied` says that the call was never carried out because a person or a policy said no, `captured` False that the
    format left the arguments out.
    """

    tool: str
    arguments: Any = MISSING
    id: str | None = None
    source: Source | None = None
    agent: str | None = None
    denied: bool = False
    captured: bool = True


class _Open(msgspec.Struct, eq=False, gc=False):
    draft: DraftCall
    message: int
    index: int
    step: int
    turn: int
    source: Source
    result: Result | None = None
    _decoded: tuple[dict[str, Any] | None, str | None, ArgumentState, str | None] | None = None

    @property
    def decoded(self) -> tuple[dict[str, Any] | None, str | None, ArgumentState, str | None]:
        """The arguments as `decode_arguments` gives them; asked for by the result and again at the end."""
        if self._decoded is None:
            kept = self.draft.captured
            self._decoded = decode_arguments(self.draft.arguments) if kept else _NOT_CAPTURED
        return self._decoded


class _Waiting:
    """The calls that have no result yet, oldest first, found by id, by tool or by the draft itself.

    A session may leave thousands of calls without a result, so that no look-up goes through all of them.
    """

    def __init__(self) -> None:
        self._calls: dict[int, _Open] = {}
        self._ids: dict[str, dict[int, _Open]] = {}
        self._tools: dict[str, dict[int, _Open]] = {}
        self._drafts: dict[int, int] = {}

    def add(self, number: int, call: _Open) -> None:
        """Add a call. Numbers grow."""
        draft = call.draft
        self._calls[number] = call
        self._tools.setdefault(draft.tool, {})[number] = call
        self._drafts[id(draft)] = number
        if draft.id is not None:
            self._ids.setdefault(draft.id, {})[number] = call

    def take(self, number: int) -> _Open:
        """Take a call out."""
        call = self._calls.pop(number)
        draft = call.draft
        self._drafts.pop(id(draft), None)
        for key, index in ((draft.tool, self._tools), (draft.id, self._ids)):
            same = index.get(key) if key is not None else None
            if key is not None and same is not None:
                same.pop(number, None)
                if not same:
                    del index[key]
        return call

    def with_id(self, call_id: str) -> Mapping[int, _Open]:
        """The calls with an id."""
        return self._ids.get(call_id, {})

    def oldest(self, tool: str | None) -> int | None:
        """The number of the oldest call, or of the oldest of a tool."""
        return next(iter(self._calls if tool is None else self._tools.get(tool, ())), None)

    def number_of(self, draft: DraftCall) -> int | None:
        """The number of the very call."""
        return self._drafts.get(id(draft))

    @property
    def named(self) -> bool:
        """Whether one of them has an id."""
        return any(self._ids)


class TraceBuilder:
    """Collects messages and results in order and builds the trace. Not to be used after `build`."""

    def __init__(
        self,
        id: str,  # noqa: A002 -- the field's own name
        *,
        source: Source = _MEMORY,
        format: str = "native",  # noqa: A002 -- the field's own name
        tools: Iterable[Tool] | None = None,
        tools_known: ToolsKnown | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._id, self._source, self._format = id, source, format
        self._tools = tuple(tools or ())
        self._tools_known: ToolsKnown = tools_known or ("unknown" if tools is None else "declared")
        self._metadata = dict(metadata or {})
        self._messages: list[Message] = []  # those with calls get them at the end, when the results are there
        self._calling: dict[int, list[_Open]] = {}
        self._users: dict[int, int] = {}
        self._steps: list[list[int]] = []
        self._open = _Waiting()
        self._all: list[_Open] = []
        self._ids: set[str | None] = set()
        self._problems: list[Problem] = []
        self._turn = -1
        self._uncaptured = 0
        self._unsaid = 0
        self._history: Extent = "full"
        self._calls: Extent = "full"
        self._names: dict[str, tuple[str, ...]] = {}

    def problem(self, code: str, message: str, source: Source | None = None, *, lost: int = 0) -> None:
        """Record something that could not be read. `lost` counts the calls that are gone with it."""
        self._problems.append(Problem(code, message, source or self._source, lost))

    def partial_history(self) -> None:
        """Say that messages are missing before or between those given."""
        self._history = "partial"

    def partial_calls(self) -> None:
        """Say that calls were made which the trace does not hold."""
        self._calls = "partial"

    def message(
        self,
        role: Role,
        text: str | None,
        *,
        index: int,
        calls: Sequence[DraftCall] = (),
        source: Source | None = None,
        agent: str | None = None,
        timestamp: str | None = None,
        captured: bool = True,
        same_step: bool = False,
    ) -> None:
        """Add a message. `index` is its place in the raw list; `captured` False says its content was left out.

        A user message opens a turn, an assistant message is a step (unless `same_step` continues the last one).
        """
        where = source or self._source
        place = len(self._messages)
        if role == "user" or (self._turn < 0 and role == "assistant"):
            self._turn += 1
        turn = max(self._turn, 0)
        if role == "assistant":
            if same_step and self._steps:
                self._steps[-1].append(place)
            else:
                self._steps.append([place])
        elif role == "user":
            self._users[turn] = place
        if not captured:
            self._uncaptured += 1
            self._unsaid += role in ("user", "assistant")
        if calls:
            step = len(self._steps) - 1
            made = [_Open(c, index, n, step, turn, c.source or where) for n, c in enumerate(calls)]
            self._calling[place] = made
            for n, call in enumerate(made, len(self._all)):
                self._open.add(n, call)
                self._ids.add(call.draft.id)
            self._all += made
        self._messages.append(Message(_place(index), index, role, text, (), turn, agent, timestamp, where))

    def result(
        self,
        text: str | None,
        *,
        index: int,
        call_id: str | None = None,
        tool: str | None = None,
        flagged: bool | None = None,
        status: int | None = None,
        evidence: str | None = None,
        shown: str | None = None,
        payload: object = MISSING,
        truncated: bool = False,
        source: Source | None = None,
        add_message: bool = True,
        to: DraftCall | None = None,
    ) -> None:
        """Add what came back from a call.

        Args:
            text: its content; None when it was not captured.
            index: the place of its message in the raw list.
            call_id: takes the oldest open call with that id; without one, the oldest open call of `tool`, else the
                oldest open call of the last step.
            tool: the tool's name, where the format repeats it.
            flagged: what the format says about an error; None when it says nothing.
            status: an HTTP status the format carries beside the content.
            evidence: how to name the flag in reports.
            shown: what the model saw, where that differs from `text`.
            payload: a decoded value the format has beside the text.
            truncated: the format says that the content was cut.
            source: where it stands.
            add_message: also keep it as a message of role `tool`.
            to: the very call, where the format knows more about it than its id.
        """
        where = source or self._source
        if add_message:
            turn = max(self._turn, 0)
            self._messages.append(Message(_place(index), index, "tool", text, (), turn, None, None, where))
        call, joined = self._take(call_id, tool) if to is None else self._take_this(to, call_id)
        if call is None:
            named = f"for call id {call_id!r} " if call_id else ""
            self.problem("orphan-result", f"a tool result {named}has no open call before it", where)
            return
        decoded = decode_result(text)
        value, decoding = (decoded.value, decoded.how) if payload is MISSING else (payload, "json")
        names = self._argument_names(call)
        if call.draft.denied and flagged is None:
            flagged = True
        error = detect_error(text, value, flagged=flagged, status=status, names=names, evidence=evidence, shown=shown)
        if call.draft.denied and error is not None:
            error = msgspec.structs.replace(error, kind="refused", retryable=False)
        call.result = Result(
            at=f"messages[{index}]",
            message=index,
            call_id=call_id,
            text=text,
            payload=opened(value) if error is None else value,
            decoding=decoding,
            shown=text if shown is None else shown,
            truncated=truncated or _is_cut(text, decoded.how, decoded.problem),
            error=error,
            joined=joined,
            source=where,
        )

    def _take(
        self, call_id: str | None, tool: str | None
    ) -> tuple[_Open | None, Literal["id", "id_order", "name", "order", "none"]]:
        if call_id is not None:
            same = self._open.with_id(call_id)
            if same:
                joined: Literal["id", "id_order"] = "id" if len(same) == 1 else "id_order"
                return self._open.take(next(iter(same))), joined
            if call_id in self._ids or self._open.named:
                return None, "none"
        oldest = self._open.oldest(tool)
        if oldest is None:
            return None, "none"
        return self._open.take(oldest), "order" if tool is None else "name"

    def _take_this(
        self, draft: DraftCall, call_id: str | None
    ) -> tuple[_Open | None, Literal["id", "id_order", "name", "order", "none"]]:
        number = self._open.number_of(draft)
        if number is None:
            return None, "none"
        same = len(self._open.with_id(call_id)) if call_id is not None and draft.id == call_id else 0
        return self._open.take(number), "name" if not same else "id" if same == 1 else "id_order"

    def _argument_names(self, call: _Open) -> tuple[str, ...]:
        declared = self._names.get(call.draft.tool)
        if declared is None:
            declared = next((_property_names(t.schema) for t in self._tools if t.name == call.draft.tool), ())
            self._names[call.draft.tool] = declared
        sent = call.decoded[0] or {}
        return tuple(dict.fromkeys([*declared, *sent]))

    def build(self) -> Trace:
        """Return the trace."""
        ids = [c.draft.id for c in self._all if c.draft.id]
        reused: set[str | None] = set()
        if len({*ids}) < len(ids):
            reused.update(i for i, n in Counter(ids).items() if n > 1)
        if reused:
            self.problem(
                "reused-call-id", f"{len(reused)} call ids name more than one call; results were joined in order"
            )
        messages = self._messages
        for place, made in self._calling.items():
            m = messages[place]
            calls = tuple([self._call(c, reused, m.agent) for c in made])
            messages[place] = Message(m.at, m.index, m.role, m.text, calls, m.turn, m.agent, m.timestamp, m.source)
        steps = tuple([_step(i, [messages[p] for p in places]) for i, places in enumerate(self._steps)])
        users = {turn: messages[place] for turn, place in self._users.items()}
        return Trace(
            id=self._id,
            messages=tuple(messages),
            steps=steps,
            turns=turns_of(users, steps),
            tools=self._tools,
            tools_known=self._tools_known,
            metadata=self._metadata,
            completeness=self._completeness(),
            problems=tuple(self._problems),
            format=self._format,
            source=self._source,
        )

    def _call(self, c: _Open, reused: AbstractSet[str | None], agent: str | None) -> Call:
        arguments, raw, state, problem = c.decoded
        outcome, evidence = _outcome(c)
        draft = c.draft
        return Call(
            at=f"messages[{c.message}].calls[{c.index}]",
            message=c.message,
            index=c.index,
            tool=draft.tool,
            arguments=arguments,
            state=state,
            raw=raw,
            problem=problem,
            id=draft.id,
            id_reused=draft.id in reused,
            step=c.step,
            turn=c.turn,
            outcome=outcome,
            evidence=evidence,
            result=c.result,
            agent=draft.agent or agent,
            source=c.source,
        )

    def _completeness(self) -> Completeness:
        missing = [c for c in self._all if c.result is None or c.result.text is None]
        results: Extent = "full" if not missing else "partial" if len(missing) < len(self._all) else "none"
        content: Extent = "full"
        if self._uncaptured:
            said = [m for m in self._messages if m.role in ("user", "assistant")]
            content = "none" if self._unsaid >= len(said) else "partial"
        return completeness_of(self._tools_known, self._tools, content, results, self._history, self._calls)


def completeness_of(
    known: ToolsKnown,
    tools: tuple[Tool, ...],
    content: Extent = "full",
    results: Extent = "full",
    history: Extent = "full",
    calls: Extent = "full",
) -> Completeness:
    """How complete a trace is, whose tools are known in this way; `partial` where a schema is missing or was inferred."""
    extent: Extent = "full" if known in ("declared", "side_file") else "none"
    if known == "inferred" or not all_described(tools):
        extent = "partial"
    return Completeness(content, extent, results, history, calls)


def _property_names(schema: object) -> tuple[str, ...]:
    properties = schema.get("properties") if isinstance(schema, OBJECTS) else None
    return tuple(properties) if isinstance(properties, OBJECTS) else ()


def _is_cut(text: str | None, decoding: str, problem: str | None) -> bool:
    if not text:
        return False
    if decoding == "text" and problem is not None and text.lstrip()[:1] in ("{", "["):
        return _ends_early(text) or _CUT.search(text[-200:]) is not None
    return decoding == "text" and _CUT.search(text[-200:]) is not None


def _ends_early(text: str) -> bool:
    """Tell whether a text that begins as JSON has more brackets open than closed at its end."""
    depth, quoted, escaped = 0, False, False
    for ch in text:
        if escaped:
            escaped = False
        elif ch == "\\":
            escaped = quoted
        elif ch == '"':
            quoted = not quoted
        elif not quoted and ch in "{[":
            depth += 1
        elif not quoted and ch in "}]":
            depth -= 1
    return depth > 0


def _outcome(c: _Open) -> tuple[Outcome, str]:
    if c.draft.denied:
        return "refused", "flag"
    if c.result is None:
        return "no_result", "no result follows"
    error = c.result.error
    if error is not None:
        return ("refused" if error.kind == "refused" else "error"), error.evidence
    if c.result.text is None and c.result.payload is MISSING:
        return "unknown", "content not captured"
    if c.result.decoding == "empty":
        return "unknown", "empty result"
    return "ok", "payload" if c.result.decoding != "text" else "text"


def _place(index: int) -> str:
    return f"messages[{index}]" if index >= 0 else "system"


def _step(index: int, messages: Sequence[Message]) -> Step:
    """A step of one message, or of several that continue each other: the last of them, with the calls of all."""
    last = messages[-1]
    if len(messages) > 1:
        last = msgspec.structs.replace(last, calls=tuple([c for m in messages for c in m.calls]))
    return Step(index, last.turn, last)


def turns_of(users: Mapping[int, Message], steps: Sequence[Step]) -> tuple[Turn, ...]:
    """The turns that begin with users' messages, by their index, and those that steps alone are in."""
    if len(users) == len(steps) == 1 and steps[0].turn in users:  # a question and its answer
        n = steps[0].turn
        return (Turn(n, users[n], tuple(steps)),)
    by_turn: dict[int, list[Step]] = {n: [] for n in users}
    for s in steps:
        by_turn.setdefault(s.turn, []).append(s)
    return tuple([Turn(n, users.get(n), tuple(by_turn[n])) for n in sorted(by_turn)])
