"""The spans of one trace, woven into one conversation: which messages are new, which tool run belongs to which call.

Every model span repeats the history before it, tool spans and agent spans tell the same calls once more. A message is
new when the conversation does not hold it yet, in its order; ids have no say in that, since they are reused. A tool run
finds its call by id among the latest responses before it, else by name and arguments; one that no response announced
(code called the tool, or no model span was exported) is a call of the response before it.

Agents below a tool or below another agent that speaks itself are sub-agents: their conversation is a thread of its own,
and what they are told comes from an agent, not from the user: it stands as a system message. What a span says is read
by `rootcall.readers.spans.meaning`; here the records are only put together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from rootcall.assembly import DraftCall
from rootcall.jsonvalue import MISSING
from rootcall.payload import decode_arguments
from rootcall.readers.spans.conventions import RESPONSE, Kind, kind_of
from rootcall.readers.spans.meaning import AgentRun, Histories, Response, ToolRun, agent_run, response, tool_run
from rootcall.readers.spans.said import Said, comparable, flat
from rootcall.readers.spans.span import Span

__all__ = ["Entry", "Thread", "Woven", "weave"]

_FAR: Final = 1 << 80
_ALL: Final = object()
# How far on a message that is written otherwise is looked for.
_NEAR: Final = 20


class Entry(msgspec.Struct, eq=False, gc=False):
    """A message in its place. `at` is when the response began to which it belongs; `span` is where it was read.

    `response` is None for a message that a response was given, or that no model span told.
    """

    said: Said
    thread: Thread
    agent: str | None
    at: int
    span: Span
    response: Response | None = None


class Thread:
    """One agent's conversation so far, to tell new messages from repeated ones."""

    def __init__(self, owner: str, agent: str | None, *, nested: bool) -> None:
        self.owner, self.agent, self.nested = owner, agent, nested
        self.said: list[Said] = []
        self._spoken: list[Said] = []
        self._places: dict[tuple[Any, ...], list[int]] = {}

    def knows(self, spoken: Sequence[Said]) -> bool:
        """Tell whether messages go on with this conversation: their first two begin as it does.

        For a sub-agent the first words do not tell, as they are often the user's own.
        """
        mine = self._spoken
        if len(spoken) < 2 or len(mine) < 2:
            return False
        return any(m.text or m.calls for m in mine) and all(map(_same, mine, spoken))

    def begins(self, spoken: Sequence[Said]) -> bool:
        """Tell whether messages begin with the first thing said here by anyone but the system."""
        mine = self._spoken
        return bool(spoken and mine and mine[0].text) and _same(mine[0], spoken[0])

    def unseen(self, messages: Iterable[Said]) -> Iterator[Said]:
        """Yield what is new among messages that a model was given; the others are passed over in their order."""
        at = 0
        spoke = any(s.role == "assistant" for s in self.said)
        for m in messages:
            if m.role == "assistant" and m.retold and spoke:
                continue  # the response itself was read
            spoke = spoke or (m.role == "assistant" and not m.retold)
            place = self._find(m, at)
            if place is not None:
                at = place + 1
            elif self._part_of(m, at):
                at += 1
            elif not self._part_of(m, at - 1):
                yield m

    def clear(self) -> None:
        """Forget the conversation."""
        self.said.clear()
        self._spoken.clear()
        self._places.clear()

    def add(self, said: Said) -> None:
        """Go on with the conversation."""
        self._places.setdefault(said.key, []).append(len(self.said))
        self.said.append(said)
        if len(self._spoken) < 2 and said.role != "system":
            self._spoken.append(said)

    def _find(self, m: Said, at: int) -> int | None:
        if at < len(self.said) and _same(self.said[at], m):
            return at
        places = self._places.get(m.key, [])
        n = bisect_left(places, at)
        if n < len(places):
            return places[n]
        if m.role == "assistant":
            near = range(at, min(at + _NEAR, len(self.said)))
            return next((i for i in near if _same(self.said[i], m)), None)
        return None

    def _part_of(self, m: Said, at: int) -> bool:
        """Some histories tell the calls of one response one by one."""
        if m.role != "assistant" or not m.calls or not 0 <= at < len(self.said):
            return False
        whole = self.said[at]
        return whole.role == "assistant" and all(any(_same_call(a, b) for a in whole.calls) for b in m.calls)


def _spoken(messages: Iterable[Said]) -> list[Said]:
    """The first two messages that are not the system's."""
    return list(islice((m for m in messages if m.role != "system"), 2))


def _same(a: Said, b: Said) -> bool:
    """Tell whether two messages are the same one, although a history writes it otherwise than the response did."""
    if a is b:
        return True
    if a.role != b.role:
        return False
    if a.key == b.key:
        return True
    if a.role == "tool":
        # In its place, so that reused ids do no harm: agents shorten old results to save room.
        return a.results[0].id is not None and a.results[0].id == b.results[0].id
    if a.role != "assistant":
        return False
    if not a.captured and not a.calls:
        a.take(b)
        return True
    if a.calls or b.calls:
        return len(a.calls) == len(b.calls) and all(map(_same_call, a.calls, b.calls))
    return bool(a.text and b.text) and _spaceless(a.text)[:400] == _spaceless(b.text)[:400]


def _spaceless(text: str | None) -> str:
    return "".join((text or "").split())


def _same_call(a: DraftCall, b: DraftCall) -> bool:
    return a.tool == b.tool and (
        (a.id is not None and a.id == b.id) or comparable(a.arguments) == comparable(b.arguments)
    )


class Woven(msgspec.Struct, gc=False):
    """What became of the spans of a trace: entries in order, the run of each call by the call's identity, the agents.

    `responses` are the model spans that tell of a response of their own; `agents` the agent spans.
    """

    entries: list[Entry]
    runs: dict[int, ToolRun]
    threads: list[Thread]
    responses: list[Response]
    agents: list[AgentRun]


def weave(spans: Sequence[Span]) -> Woven:
    """Put the spans of one trace together."""
    return _Weaver(spans).woven()


class _Weaver:
    def __init__(self, spans: Sequence[Span]) -> None:
        self._by_id = {s.id: s for s in spans if s.id}
        self._kinds: dict[int, Kind] = {id(s): kind_of(s) for s in spans}
        self._depths: dict[str, int] = {}
        self._spans = sorted(spans, key=lambda s: (_begin(s), self._depth(s), s.order))
        self._agents = [agent_run(s) for s in self._of_kind("agent")]
        self._names = {a.span.id: a.name for a in self._agents}
        self._speaking: set[str] = set()
        self._threads: list[Thread] = []
        self._owned: dict[str, Thread] = {}
        self._entries: list[Entry] = []
        self._told: set[int] = set()

    def woven(self) -> Woven:
        responses = self._responses()
        owners = [self._owner(r.span) for r in responses]
        self._speaking = {o.id for r, o in zip(responses, owners, strict=True) if r.captured and o is not None}
        for r, owner in zip(responses, owners, strict=True):
            lost = self._lost(r) if owner is None else None
            self._follow(lost or self._thread(r.inputs, owner), r)
        self._silent_agents()
        runs = self._run_calls()
        return Woven(self._entries, runs, self._threads, responses, self._agents)

    def _of_kind(self, kind: Kind) -> Iterator[Span]:
        return (s for s in self._spans if self._kinds[id(s)] == kind)

    def _ancestors(self, span: Span) -> Iterator[Span]:
        seen = {span.id}
        while (parent := self._by_id.get(span.parent)) is not None and parent.id not in seen:
            seen.add(parent.id)
            yield parent
            span = parent

    def _depth(self, span: Span) -> int:
        found = self._depths.get(span.id)
        if found is None:
            found = self._depths[span.id] = sum(1 for _ in self._ancestors(span))
        return found

    def _owner(self, span: Span) -> Span | None:
        """The agent a span belongs to, or the tool in which it ran."""
        return next((a for a in self._ancestors(span) if self._kinds[id(a)] in ("agent", "tool")), None)

    def _lost(self, r: Response) -> Thread | None:
        """The conversation of a span whose parents are missing, by how it begins."""
        top = [r.span, *self._ancestors(r.span)][-1]
        return next((t for t in reversed(self._threads) if t.begins(_spoken(r.inputs))), None) if top.parent else None

    def _nested(self, owner: Span | None) -> bool:
        """Tell whether an agent works for another one: below a tool, or below an agent that speaks itself."""
        if owner is None:
            return False
        above = self._ancestors(owner)
        return self._kinds[id(owner)] == "tool" or any(
            self._kinds[id(a)] == "tool" or (self._kinds[id(a)] == "agent" and a.id in self._speaking) for a in above
        )

    def _responses(self) -> list[Response]:
        """Read the model spans, one for each response: two instrumentations tell of the same one inside one another."""
        found: list[Response] = []
        histories = Histories()
        places: dict[int, int] = {}
        told: dict[str, Span] = {}
        for span in self._of_kind("model"):
            r = response(span, histories)
            same = self._outer(span)
            name = span.attributes.text(*RESPONSE)
            if same is None and name and name in told and told[name].end > span.start > 0:
                same = told[name]
            if same is None:
                places[id(span)] = len(found)
                found.append(r)
                told[name] = span
                continue
            place = places[id(span)] = places[id(same)]
            if not found[place].captured or (found[place].output is None and r.output is not None):
                found[place] = r
        return found

    def _outer(self, span: Span) -> Span | None:
        """The model span around a model span, with no agent or tool between them."""
        for ancestor in self._ancestors(span):
            kind = self._kinds[id(ancestor)]
            if kind != "other":
                return ancestor if kind == "model" and _begin(ancestor) <= _begin(span) else None
        return None

    def _thread(self, inputs: list[Said], owner: Span | None, silent: Collection[str] = ()) -> Thread:
        """Find the conversation a response belongs to: its agent's, or the one its history goes on with.

        `silent` are agents of which only their own spans tell; those below them with other words are theirs.
        """
        key = "" if owner is None else owner.id
        agent = None if owner is None else self._names.get(key)
        if key in self._owned:
            return self._owned[key]
        spoken = _spoken(inputs)
        nested = self._nested(owner) or (
            owner is not None
            and any(a.id in silent for a in self._ancestors(owner))
            and not any(t.begins(spoken) for t in self._threads)
        )
        for thread in reversed(self._threads) if len(spoken) > 1 or not nested else ():
            if thread.knows(spoken) or (not nested and not thread.nested and thread.begins(spoken)):
                if self._owned.get(thread.owner) is thread:
                    del self._owned[thread.owner]
                thread.owner, thread.agent = key, agent or thread.agent
                self._owned[key] = thread
                return thread
        return self._new_thread(key, agent, nested=nested)

    def _new_thread(self, owner: str, agent: str | None, *, nested: bool) -> Thread:
        thread = self._owned[owner] = Thread(owner, agent, nested=nested)
        self._threads.append(thread)
        return thread

    def _follow(self, thread: Thread, r: Response) -> None:
        at = _begin(r.span)
        for m in list(thread.unseen(r.inputs)):
            if m.calls:
                if id(m) in self._told:  # a history two conversations share; a call belongs to one of them
                    m = m.copy()  # noqa: PLW2901
                self._told.add(id(m))
            thread.add(m)
            self._entries.append(Entry(m, thread, thread.agent, at, r.span))
        if r.output is None and (r.span.failed or not r.span.known):
            return
        for part in flat([r.output or Said("assistant", captured=False)]):
            thread.add(part)
            self._entries.append(Entry(part, thread, thread.agent, at, r.span, r if part.role == "assistant" else None))

    def _silent_agents(self) -> None:
        """Take the conversation from the agent span where no model span below it tells it."""
        told = {a.id for s in self._speaking for a in (self._by_id[s], *self._ancestors(self._by_id[s]))}
        silent = {run.span.id for run in self._agents if run.history and run.span.id not in told}
        for run in self._agents:
            if run.span.id not in silent or run.span.id in told:
                continue
            told.update(a.id for a in self._ancestors(run.span))
            thread = self._thread(run.history, run.span, silent)
            if not any(e.said.captured for e in self._entries if e.thread is thread):
                # Its responses carry nothing; the history has them all.
                self._entries = [e for e in self._entries if e.thread is not thread]
                thread.clear()
            history = list(thread.unseen(run.history))
            answers = not any(m.calls for m in history)
            for n, m in enumerate(history):
                thread.add(m)
                last = answers and n == len(history) - 1 and m.role == "assistant" and run.span.end
                self._entries.append(Entry(m, thread, thread.agent, last or _begin(run.span), run.span))
        self._entries.sort(key=lambda e: e.at)

    def _run_calls(self) -> dict[int, ToolRun]:
        """Find the call of each tool run; a run that nobody announced becomes a call."""
        runs: dict[int, ToolRun] = {}
        told: dict[tuple[str, str], list[ToolRun]] = {}
        waiting: dict[str, _Waiting] = {}
        for entry in self._entries:
            for asked in entry.said.calls:
                waiting.setdefault(asked.tool, _Waiting()).add(entry, asked)
        for span in self._of_kind("tool"):
            run = tool_run(span)
            announced = self._announced(run, waiting.get(run.tool) or _Waiting())
            if announced is None and self._told_already(run, told):
                continue
            for key in (f"span {run.span.id}", f"call {run.id}"):
                told.setdefault((run.tool, key), []).append(run)
            call = announced
            if call is None:
                call = DraftCall(run.tool, run.arguments, run.id, captured=run.arguments is not MISSING)
                self._attach(call, run, runs)
            runs[id(call)] = run
        self._entries.sort(key=lambda e: e.at)
        return runs

    def _announced(self, run: ToolRun, waiting: _Waiting) -> DraftCall | None:
        """Take the call a run belongs to out of those of its tool: by id, its agent, arguments, of the latest response."""
        owner, begin = self._owner(run.span), _begin(run.span)
        sent = None if run.arguments is MISSING else comparable(run.arguments)
        best: tuple[tuple[bool, bool, bool, int, int], int] | None = None
        for number, entry, call in waiting.before(run.id, begin):
            named = run.id is not None and run.id == call.id
            if best is not None and best[0] > (named, owner is not None, True, -abs(begin - entry.at), 0):
                if entry.response is not None:
                    break  # those that follow are of earlier responses
                continue
            alike = named or (_has_bare(run, call) if sent is None else waiting.sent(number) == sent)
            # The span of a response may be missing: then its calls stand in the history of a later one.
            if entry.at > begin and not alike:
                continue
            here = owner is not None and entry.thread.owner == owner.id
            rank = named, here, alike, -abs(begin - entry.at), -number
            if best is None or rank > best[0]:
                best = rank, number
        return None if best is None else waiting.take(best[1])

    def _told_already(self, run: ToolRun, told: dict[tuple[str, str], list[ToolRun]]) -> bool:
        """Tell whether another span tells of the same run: around it, or at the same time under the same id."""
        above = (told.get((run.tool, f"span {a.id}"), []) for a in self._ancestors(run.span))
        if any(above):
            return True
        same = told.get((run.tool, f"call {run.id}"), []) if run.id is not None else []
        return any(other.span.start <= run.span.start <= other.span.end for other in same)

    def _attach(self, call: DraftCall, run: ToolRun, runs: dict[int, ToolRun]) -> None:
        """Add a call that no response announced to the response before it, else to one of its own."""
        owner, at = self._owner(run.span), _begin(run.span)
        thread = None if owner is None else self._owned.get(owner.id)
        thread = thread or next((t for t in self._threads if not t.nested), None)
        if thread is None:
            name = None if owner is None else self._names.get(owner.id)
            thread = self._new_thread("" if owner is None else owner.id, name, nested=False)
        entry = next(
            (e for e in reversed(self._entries) if e.at <= at and e.thread is thread and e.said.role == "assistant"),
            None,
        )
        if entry is not None and entry.response is None:
            # No model span tells where one response ends: what ran at the same time belongs to one.
            last = runs.get(id(entry.said.calls[-1])) if entry.said.calls else None
            entry = entry if last is not None and run.span.start < last.span.end else None
        if entry is None:
            entry = Entry(Said("assistant"), thread, thread.agent, at, run.span)
            insort(self._entries, entry, key=lambda e: e.at)
        entry.said.calls.append(call)


class _Waiting:
    """The calls of one tool that no run was found for yet, by the time of their entries, so that a run looks at few of them.

    Each stands in two lists: with those of its id, and with all.
    """

    def __init__(self) -> None:
        self._calls: list[tuple[Entry, DraftCall]] = []
        self._sent: dict[int, str] = {}
        self._told: dict[object, list[int]] = {}
        self._retold: dict[object, list[int]] = {}

    def add(self, entry: Entry, call: DraftCall) -> None:
        """Add a call; entries come in the order of their times."""
        number = len(self._calls)
        self._calls.append((entry, call))
        index = self._index(number)
        for key in (call.id, _ALL):
            index.setdefault(key, []).append(number)

    def _index(self, number: int) -> dict[object, list[int]]:
        """Calls that a response told, of which a run knows only those before it, apart from those that only a history tells."""
        return self._retold if self._calls[number][0].response is None else self._told

    def before(self, call_id: str | None, begin: int) -> Iterator[tuple[int, Entry, DraftCall]]:
        """The calls that a run of that time may belong to: those with its id or without one; a run without an id, to any.

        Those that a response told come last, the latest first.
        """
        for key in (_ALL,) if call_id is None else (call_id, None):
            for number in self._retold.get(key, ()):
                yield number, *self._calls[number]
            told = self._told.get(key, [])
            end = bisect_right(told, begin, key=lambda number: self._calls[number][0].at)
            for place in range(end - 1, -1, -1):
                yield told[place], *self._calls[told[place]]

    def sent(self, number: int) -> str:
        """The arguments of a call, as what is alike is compared."""
        if number not in self._sent:
            self._sent[number] = comparable(self._calls[number][1].arguments)
        return self._sent[number]

    def take(self, number: int) -> DraftCall:
        """Take a call out, by its number."""
        call = self._calls[number][1]
        index = self._index(number)
        for key in (call.id, _ALL):
            del index[key][bisect_left(index[key], number)]
        return call


def _begin(span: Span) -> int:
    return span.start or _FAR


def _has_bare(run: ToolRun, call: DraftCall) -> bool:
    """Tell whether a call has the bare value among its arguments that is all a run says of them."""
    value, _, _, _ = decode_arguments(call.arguments)
    return run.bare is not None and value is not None and run.bare in map(str, value.values())
