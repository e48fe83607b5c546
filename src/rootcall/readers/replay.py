"""One conversation out of the records of model calls that each repeat what came before, and of tool runs beside them.

Traces and run trees tell the same call many times: in the response that asked for it, in the input of every later model
call, and as a run of the tool. What is new in an input is told by its beginning: an input that goes on where a known
history ended adds what follows it. Ids have no say in that, since they are reused. A tool run finds its call by id, else
by name and arguments. A format's own words become `Entry` and `Ran` in its reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.jsonvalue import MISSING, canonical
from rootcall.payload import decode_arguments
from rootcall.readers.entries import Entry, add_entry
from rootcall.trace import Source

__all__ = ["Heard", "Ran", "Replay"]


class Ran(NamedTuple):
    """A tool run: what the tool was given and said, and what the model was `shown` of it where that is known.

    `own` False: it is a part of another tool's run, so that it is no call unless a model asked for it.
    """

    tool: str
    source: Source
    arguments: Any = MISSING
    text: str | None = None
    shown: str | None = None
    call_id: str | None = None
    flagged: bool | None = None
    evidence: str | None = None
    agent: str | None = None
    timestamp: str | None = None
    captured: bool = True
    own: bool = True


class _Asked(msgspec.Struct, eq=False, gc=False):
    """A call that a model asked for, with its arguments in one form."""

    draft: DraftCall
    arguments: str


# Calls without a result are forgotten when there are too many, so that searching them stays cheap.
_MOST_WAITING: Final = 1024
# Of histories that begin alike (a model asked the same a thousand times) so many are looked at.
_HISTORIES_SEARCHED: Final = 64
# As many agents can speak in turn before a history is read anew.
_INPUTS_KEPT: Final = 8


class Heard:
    """Reads the messages that models were given, each once: the next input repeats those before it."""

    def __init__(self) -> None:
        self._inputs: list[tuple[Sequence[Any], list[list[Entry]]]] = []

    def entries(self, values: Sequence[Any], read: Callable[[Any, int], list[Entry]]) -> list[Entry]:
        """The entries of messages. `read` gives those of one, with its place in the list."""
        known: list[list[Entry]] = []
        for before, found in reversed(self._inputs):
            same = _common(before, values)
            if same > len(known):
                known = found[:same]
            if same == len(before):
                break
        out = known + [read(v, i) for i, v in enumerate(values) if i >= len(known)]
        self._inputs = [*self._inputs[1 - _INPUTS_KEPT :], (values, out)]
        return [e for entries in out for e in entries]


class Replay:
    """Puts the conversation together. Hand over everything in the order in which it happened, then `close`."""

    def __init__(self, builder: TraceBuilder) -> None:
        self._builder = builder
        self._number = 0
        self._histories: list[list[object]] = []
        self._by_first: dict[object, list[list[object]]] = {}
        self._current: list[object] = []
        self._told: Counter[object] = Counter()
        self._systems: set[tuple[str | None, str | None]] = set()
        # Calls by what is still to come for them: a result, one that a model heard, a run of the tool.
        self._unanswered: list[_Asked] = []
        self._unheard: list[_Asked] = []
        self._unrun: list[_Asked] = []
        self._ran: list[Ran] = []
        self._keys: dict[int, tuple[Entry, object]] = {}

    def heard(self, entries: Sequence[Entry], *, nested: bool = False) -> None:
        """Take what a model call was given. What a `nested` agent is told comes from an agent, not from the user."""
        for e in entries:
            if e.role == "system" and (e.text, None) not in self._systems:
                self._systems.add((e.text, None))
                self._message(e)
        said = [e for e in entries if e.role != "system"]
        if not said:
            return
        keys = [self._key_of(e) for e in said]
        known, branched = self._known(keys)
        spent: Counter[object] = Counter(keys[:known] if branched else ())
        for e, key in zip(said[known:], keys[known:], strict=True):
            spent[key] += 1
            if branched and spent[key] <= self._told[key]:
                continue
            self._told[key] += 1
            self._entry(e._replace(role="system") if nested and e.role == "user" else e)

    def said(self, entry: Entry) -> None:
        """Take what the model call gave; a result in it is that of a tool which the provider ran."""
        if entry.role != "tool":
            self._flush()
        key = _key(entry)
        self._current.append(key)
        self._told[key] += 1
        self._entry(entry)

    def ran(self, run: Ran) -> None:
        """Take a tool run that ended. Its result is added when a model hears it, or something else is said."""
        self._ran.append(run)

    def close(self) -> None:
        """Add the results that no model heard."""
        self._flush()

    def _key_of(self, e: Entry) -> object:
        """The key of an entry, which is made once for those that `Heard` gives again."""
        found = self._keys.get(id(e))
        if found is None:
            found = self._keys[id(e)] = e, _key(e)
        return found[1]

    def _known(self, keys: list[object]) -> tuple[int, bool]:
        """How many of the keys an earlier history holds, and whether that history went another way after them."""
        alike = self._by_first.setdefault(keys[0], [])
        best: list[object] | None = None
        for h in alike[-_HISTORIES_SEARCHED:]:
            if len(h) <= len(keys) and keys[: len(h)] == h and (best is None or len(h) > len(best)):
                best = h
        if best is not None:
            known = len(best)
            best[:] = keys
            self._current = best
            return known, False
        ends = max((_overlap(h, keys) for h in self._histories[-_INPUTS_KEPT:]), default=0)
        begins = max((_common(h, keys) for h in alike[-_HISTORIES_SEARCHED:]), default=0)
        branched = bool(self._histories)
        self._current = list(keys)
        self._histories.append(self._current)
        alike.append(self._current)
        return (ends, True) if ends > begins else (begins, branched)

    def _entry(self, e: Entry) -> None:
        if e.role == "tool":
            self._result(e)
            return
        if e.role == "user":
            self._flush()
        self._message(e)

    def _message(self, e: Entry) -> None:
        add_entry(self._builder, e, self._number)
        self._number += 1
        asked = [_Asked(c, _written(c.arguments)) for c in e.calls]
        for waiting in (self._unanswered, self._unheard, self._unrun):
            waiting.extend(asked)
            del waiting[:-_MOST_WAITING]

    def _result(self, e: Entry) -> None:
        """The result as a model heard it, with what the run of the tool tells besides."""
        asked = self._find(e.call_id, e.tool, None, self._unheard)
        if asked is not None:
            self._unheard.remove(asked)
            if asked not in self._unanswered:
                return
        run = self._run_of(asked) if asked is not None else None
        text, flagged, shown, evidence = e.text, e.flagged, None, None
        if run is not None and run.flagged:
            flagged, evidence = True, run.evidence
            # What the tool said reached the model, be it within a sentence; else it was hidden.
            if run.text and run.text not in (e.text or ""):
                text, shown = run.text, e.text
        elif text is None and run is not None:
            text = run.text
        self._add(asked, e.call_id, e.tool, text, flagged, shown, evidence, e.source if run is None else run.source)

    def _flush(self) -> None:
        runs, self._ran = self._ran, []
        for run in runs:
            asked = self._find(run.call_id, run.tool, _written(run.arguments), self._unanswered)
            if asked is None:
                if not run.own or self._heard_before(run):
                    continue
                if run.arguments is MISSING and run.captured:
                    what = f"{run.tool} was asked for by nobody whose words are here, and with which arguments is not known"
                    self._builder.problem("call-unreadable", what, run.source, lost=1)
                    self._builder.partial_calls()
                    continue
                asked = self._unasked(run)
            self._take_run(asked)
            self._add(asked, run.call_id, run.tool, run.text, run.flagged, run.shown, run.evidence, run.source)

    def _heard_before(self, run: Ran) -> bool:
        """Tell whether the result of a run was heard before the run was told of, and remember that it was."""
        sent = _written(run.arguments)
        for a in self._unrun:
            same = a.draft.id == run.call_id if run.call_id else a.draft.tool == run.tool and a.arguments == sent
            if same and a not in self._unheard:
                self._unrun.remove(a)
                return True
        return False

    def _take_run(self, asked: _Asked) -> None:
        if asked in self._unrun:
            self._unrun.remove(asked)

    def _unasked(self, run: Ran) -> _Asked:
        """A run that no response asked for is a call all the same: code made it, or the model's words are not here."""
        draft = DraftCall(run.tool, run.arguments, run.call_id, run.source, run.agent, captured=run.captured)
        self._message(Entry("assistant", None, run.source, (draft,), agent=run.agent, timestamp=run.timestamp))
        return self._unanswered[-1]

    def _add(
        self,
        asked: _Asked | None,
        call_id: str | None,
        tool: str | None,
        text: str | None,
        flagged: bool | None,
        shown: str | None,
        evidence: str | None,
        source: Source,
    ) -> None:
        if asked is not None and asked in self._unanswered:
            self._unanswered.remove(asked)
        self._builder.result(
            text,
            index=self._number,
            call_id=call_id if call_id is not None or asked is None else asked.draft.id,
            tool=tool,
            flagged=flagged,
            shown=shown,
            evidence=evidence,
            source=source,
            to=None if asked is None else asked.draft,
        )
        self._number += 1

    def _run_of(self, asked: _Asked) -> Ran | None:
        """Take the tool run that belongs to a call out of those that wait."""
        same = [r for r in self._ran if r.call_id is not None and r.call_id == asked.draft.id]
        if not same:
            named = [
                r for r in self._ran if r.tool == asked.draft.tool and (r.call_id is None or asked.draft.id is None)
            ]
            same = [r for r in named if _written(r.arguments) == asked.arguments] or named
        if not same:
            return None
        self._ran.remove(same[0])
        self._take_run(asked)
        return same[0]

    @staticmethod
    def _find(call_id: str | None, tool: str | None, arguments: str | None, among: Sequence[_Asked]) -> _Asked | None:
        """The oldest call with that id, else of that tool with those arguments, else of that tool."""
        if call_id is not None:
            same = next((a for a in among if a.draft.id == call_id), None)
            if same is not None:
                return same
            among = [a for a in among if a.draft.id is None]
        named = [a for a in among if tool is None or a.draft.tool == tool]
        return next((a for a in named if a.arguments == arguments), None) or next(iter(named), None)


def _written(arguments: object) -> str:
    """Arguments in one form, whether they came as an object or as the text of one."""
    decoded, raw, _, _ = decode_arguments(arguments)
    return canonical(decoded) if decoded is not None else raw or ""


def _key(e: Entry) -> object:
    """What makes two messages the same one, wherever they were written down."""
    if e.role == "tool":
        return e.role, e.call_id or e.tool
    # What was said beside calls is often written down in another form the second time.
    text = "" if e.calls else (e.text or "").strip()
    return e.role, text, tuple([(c.tool, _written(c.arguments)) for c in e.calls])


def _common(history: Sequence[object], keys: Sequence[object]) -> int:
    found = 0
    for a, b in zip(history, keys, strict=False):
        if a != b:
            break
        found += 1
    return found


def _overlap(history: list[object], keys: list[object]) -> int:
    """How many keys stand at the end of a history whose beginning was cut off."""
    for n in range(min(len(history), len(keys)), 0, -1):
        if history[-n:] == keys[:n]:
            return n
    return 0
