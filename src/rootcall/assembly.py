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

__all__ = ["DraftCall", "TraceBuilder"]

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


class _Draft(msgspec.Struct, gc=False):
    index: int
    role: Role
    text: str | None
    calls: list[_Open]
    turn: int
    source: Source
    agent: str | None
    timestamp: str | None
    step: int | None


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
        self._drafts: list[_Draft] = []
        self._open: list[_Open] = []
        self._all: list[_Open] = []
        self._problems: list[Problem] = []
        self._turn = -1
        self._steps = 0
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
        if role == "user" or (self._turn < 0 and role == "assistant"):
            self._turn += 1
        step = None
        if role == "assistant":
            if not (same_step and self._steps):
                self._steps += 1
            step = self._steps - 1
        if not captured:
            self._uncaptured += 1
            self._unsaid += role in ("user", "assistant")
        turn = max(self._turn, 0)
        made = []
        if calls:
            made = [_Open(c, index, n, self._steps - 1, turn, c.source or where) for n, c in enumerate(calls)]
            self._open += made
            self._all += made
        self._drafts.append(_Draft(index, role, text, made, turn, where, agent, timestamp, step))

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
            self._drafts.append(_Draft(index, "tool", text, [], max(self._turn, 0), where, None, None, None))
        call, joined = self._take(call_id, tool) if to is None else self._take_this(to, call_id)
        if call is None:
            named = f"for call id {call_id!r} " if call_id else ""
            self.problem("orphan-result", f"a tool result {named}has no open call before it", where)
            return
        decoded = decode_result(text)
        value, decoding = (decoded.value, decoded.how) if payload is MISSING else (payload, "json")
        names = self._argument_names(call)
        error = detect_error(text, value, flagged=flagged, status=status, names=names, evidence=evidence, shown=shown)
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
            same = [c for c in self._open if c.draft.id == call_id]
            if same:
                self._open.remove(same[0])
                return same[0], "id" if len(same) == 1 else "id_order"
            if any(c.draft.id == call_id for c in self._all) or any(c.draft.id for c in self._open):
                return None, "none"
        candidates = [c for c in self._open if tool is None or c.draft.tool == tool]
        if not candidates:
            return None, "none"
        self._open.remove(candidates[0])
        return candidates[0], "order" if tool is None else "name"

    def _take_this(
        self, draft: DraftCall, call_id: str | None
    ) -> tuple[_Open | None, Literal["id", "id_order", "name", "order", "none"]]:
        call = next((c for c in self._open if c.draft is draft), None)
        if call is None:
            return None, "none"
        same = call_id is not None and draft.id == call_id
        alone = sum(c.draft.id == call_id for c in self._open) == 1
        self._open.remove(call)
        return call, ("id" if alone else "id_order") if same else "name"

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
        messages: list[Message] = []
        steps: dict[int, Step] = {}
        for d in self._drafts:
            calls = tuple([self._call(c, reused, d.agent) for c in d.calls]) if d.calls else ()
            m = Message(
                at=f"messages[{d.index}]" if d.index >= 0 else "system",
                index=d.index,
                role=d.role,
                text=d.text,
                calls=calls,
                turn=d.turn,
                agent=d.agent,
                timestamp=d.timestamp,
                source=d.source,
            )
            messages.append(m)
            if d.step is not None:
                before = steps.get(d.step)
                if before is not None:
                    m = msgspec.structs.replace(m, calls=before.calls + calls)
                steps[d.step] = Step(d.step, d.turn, m)
        ordered = tuple(steps.values())
        return Trace(
            id=self._id,
            messages=tuple(messages),
            steps=ordered,
            turns=_turns(messages, ordered),
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
        return Call(
            at=f"messages[{c.message}].calls[{c.index}]",
            message=c.message,
            index=c.index,
            tool=c.draft.tool,
            arguments=arguments,
            state=state,
            raw=raw,
            problem=problem,
            id=c.draft.id,
            id_reused=c.draft.id in reused,
            step=c.step,
            turn=c.turn,
            outcome=outcome,
            evidence=evidence,
            result=c.result,
            agent=c.draft.agent or agent,
            source=c.source,
        )

    def _completeness(self) -> Completeness:
        missing = [c for c in self._all if c.result is None or c.result.text is None]
        results: Extent = "full" if not missing else "partial" if len(missing) < len(self._all) else "none"
        content: Extent = "full"
        if self._uncaptured:
            said = [d for d in self._drafts if d.role in ("user", "assistant")]
            content = "none" if self._unsaid >= len(said) else "partial"
        tools: Extent = "full" if self._tools_known in ("declared", "side_file") else "none"
        if self._tools_known == "inferred" or not all_described(self._tools):
            tools = "partial"
        return Completeness(content, tools, results, self._history, self._calls)


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


def _turns(messages: Sequence[Message], steps: Sequence[Step]) -> tuple[Turn, ...]:
    users: dict[int, Message] = {}
    for m in messages:
        if m.role == "user":
            users.setdefault(m.turn, m)
    by_turn: dict[int, list[Step]] = {n: [] for n in users}
    for s in steps:
        by_turn.setdefault(s.turn, []).append(s)
    return tuple([Turn(n, users.get(n), tuple(by_turn[n])) for n in sorted(by_turn)])
