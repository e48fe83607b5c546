"""Error episodes: from a call that failed to how the matter ended. What happened, without saying whether it was right.

An episode belongs to one intent: all attempts at one thing, of which at least one failed. Its end is looked for over
the whole turn and, where the intent goes on, over later turns: a success often comes two or more calls later, with a
call in between that made it possible, and the right move is often to ask the user. Judgement is `layers.recovery`'s;
only `environment` says one thing about blame, that an outage and not the agent left a request unmet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from rootcall.evidence.effects import effect, hands_over, name_words, read_only
from rootcall.evidence.intents import Intent, changed_arguments, intents, same_call
from rootcall.evidence.wording import Wording, wording
from rootcall.evidence.words import word_set
from rootcall.jsonvalue import canonical, walk
from rootcall.toolerror import ToolError
from rootcall.trace import Call, Message, Trace, Turn, per_trace

__all__ = [
    "Ending",
    "Episode",
    "Repeat",
    "about_call",
    "changes",
    "echoes",
    "environment",
    "episodes",
    "is_transient",
    "named_arguments",
    "reaction_of",
    "request_of",
]

Ending = Literal[
    "corrected", "retried", "fallback", "escalated", "asked", "gave_up_honestly", "claimed_success", "abandoned", "open"
]
"""How an episode ended. `fallback` is another route that gave what was wanted; `abandoned` tells nothing of the failure."""

FAILED: Final = ("error", "refused")
_INVITES = re.compile(
    r"\b(try|retry) (again|later|in|after|shortly|it)|\b(please|you (can|may)) retry\b|retry[- ]after|later erneut|später|"
    r"잠시 후|다시 시도|más tarde|réessay|稍后|しばらく",
    re.IGNORECASE,
)


class Repeat(msgspec.Struct, frozen=True):
    """A call sent again unchanged after it had failed. `nth` counts identical attempts in a row, this one included.

    `excused` says that something stood between the two that can have changed the outcome: a word of the user, or
    another call that went through.
    """

    call: Call
    before: Call
    nth: int
    excused: bool = False


class Episode(msgspec.Struct, frozen=True):
    """What followed a failing call.

    `failing` are the attempts that failed, `others` the calls of other intents after the first failure in the turn of
    the last one, `answers` the texts that closed a turn whose last attempt had failed, each with that attempt.
    `resolved`: the thing was got in the end; `unmet`: it was not, as far as the trace tells. `transient` speaks of the
    last error. `retried`: an attempt was sent again unchanged after a transient error. `rerouted`: another call was
    tried afterwards, a hand-over included. `handled`: tried again or otherwise, and told honestly with a next step or
    handed over.
    """

    intent: Intent
    failing: tuple[Call, ...]
    repeats: tuple[Repeat, ...]
    others: tuple[Call, ...]
    answers: tuple[tuple[Call, Message], ...]
    handover: Call | None
    said: Wording | None
    ending: Ending
    resolved: bool
    transient: bool
    retried: bool
    rerouted: bool

    @property
    def first(self) -> Call:
        """The first attempt that failed; its place names the episode."""
        return self.failing[0]

    @property
    def last(self) -> Call:
        """The last attempt that failed."""
        return self.failing[-1]

    @property
    def unit(self) -> str:
        """The unit that checks about this episode share."""
        return f"episode:{self.failing[0].at}"

    @property
    def error_code(self) -> str | None:
        """The code of the first error: what the body itself says, else the HTTP status."""
        error = self.failing[0].error
        return None if error is None else error.label

    @property
    def answer(self) -> Message | None:
        """The answer that closed the turn of the last failing attempt, where there was one."""
        return self.answers[-1][1] if self.answers and self.answers[-1][0] is self.last else None

    @property
    def unmet(self) -> bool:
        """The thing was not got, as far as the trace tells."""
        return not self.resolved and self.ending != "open"

    @property
    def handled(self) -> bool:
        """Tried again or another way, and then handed over or told honestly with a next step."""
        if self.resolved:
            return True
        said = self.said
        told = said is not None and (said.admits or said.hands_over) and (said.offers or said.asks or said.hands_over)
        return (self.retried or self.rerouted) and (self.handover is not None or told)


def is_transient(error: ToolError | None) -> bool | None:
    """Tell whether sending the same call again can help: True, False, or None when the error does not say.

    A lock or a conflict whose message asks for another try is transient.
    """
    if error is None:
        return None
    if error.retryable is False and error.kind == "conflict" and _INVITES.search(error.message):
        return True
    return error.retryable


def named_arguments(call: Call, schema: object = None) -> tuple[str, ...]:
    """Return the arguments that the error of a call names, as they are called in the call or its schema."""
    error = call.error
    if error is None or not error.fields:
        return ()
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    known = {*(call.arguments or {}), *(properties if isinstance(properties, Mapping) else ())}
    nested = {
        _plain(part)
        for path, _ in walk(call.arguments or {})
        for part in re.split(r"[.\[\]]", path)
        if part.strip("\"'")
    }
    by_plain = {_plain(k): k for k in known}
    found = [by_plain.get(_plain(f)) or (f if _plain(f) in nested else None) for f in error.fields]
    return tuple(dict.fromkeys(f for f in found if f))


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


@per_trace
def episodes(trace: Trace) -> tuple[Episode, ...]:
    """Return the error episodes of a trace in the order of their first failing calls."""
    if not any(c.outcome in FAILED for c in trace.calls):  # as in most traces
        return ()
    found = [_episode(trace, i) for i in intents(trace) if any(c.outcome in FAILED for c in i.attempts)]
    return tuple(sorted(found, key=lambda e: (e.first.step, e.first.index)))


def _episode(trace: Trace, intent: Intent) -> Episode:
    failing = tuple(c for c in intent.attempts if c.outcome in FAILED)
    last = failing[-1]
    turn = _turn(trace, last.turn)
    own = {c.at for c in intent.attempts}
    start = next(c for c in failing if c.turn == last.turn)
    others = tuple(c for c in turn.calls if c.at not in own and c.step > start.step) if turn else ()
    handover = next((c for c in others if hands_over(trace.tool(c.tool), c.tool) and c.outcome != "error"), None)
    repeats = tuple(_repeats(trace, intent))
    answers = tuple(_answers(trace, intent))
    message = answers[-1][1] if answers and answers[-1][0] is last else None
    said = wording(message.text) if message is not None and message.text else None
    ending = (
        "escalated" if handover is not None and intent.final is last else _ending(trace, intent, others, said, message)
    )
    return Episode(
        intent=intent,
        failing=failing,
        repeats=repeats,
        others=others,
        answers=answers,
        handover=handover,
        said=said,
        ending=ending,
        resolved=ending in ("corrected", "retried", "fallback"),
        transient=is_transient(last.error) is True,
        retried=any(is_transient(r.before.error) for r in repeats),
        rerouted=any(c.step > last.step for c in others),
    )


def _turn(trace: Trace, index: int) -> Turn | None:
    return next((t for t in trace.turns if t.index == index), None)


def _repeats(trace: Trace, intent: Intent) -> Iterator[Repeat]:
    """Identical attempts after a failing one, with how many in a row within a turn."""
    counts: dict[str, int] = {}
    for i, call in enumerate(intent.attempts):
        before = next((b for b in reversed(intent.attempts[:i]) if same_call(b, call)), None)
        if before is None or before.outcome not in FAILED:
            counts[call.at] = 1
            continue
        excused = before.turn != call.turn or _changed_between(trace, before, call)
        counts[call.at] = 1 if before.turn != call.turn else counts[before.at] + 1
        yield Repeat(call, before, counts[call.at], excused)


def _changed_between(trace: Trace, before: Call, after: Call) -> bool:
    """Tell whether a call in between can have changed the outcome.

    A write that went through can; a read only where the error depends on a state (a lock, an unknown error) and not on
    the call itself. Thinking and reckoning change nothing.
    """
    error = before.error
    settled = error is not None and error.kind in ("validation", "not_found", "permission", "refused", "unknown_tool")
    for call in trace.calls:
        if not before.step < call.step < after.step or call.outcome in FAILED or same_call(call, before):
            continue
        if _INNER & set(name_words(call.tool)):
            continue
        if not read_only(trace.tool(call.tool), call.tool) or (not settled and call.outcome == "ok"):
            return True
    return False


_INNER: Final = word_set("think thought reason reflect plan calculate calculator calc compute math scratchpad")


def _answers(trace: Trace, intent: Intent) -> Iterator[tuple[Call, Message]]:
    """The last attempt of each turn, where it failed, with the text that closed the turn."""
    last_of_turn = {c.turn: c for c in intent.attempts}
    for index, call in last_of_turn.items():
        turn = _turn(trace, index)
        if call.outcome in FAILED and turn is not None:
            message = turn.answer
            if message is not None and message.text and message.text.strip():
                yield call, message


def _ending(
    trace: Trace,
    intent: Intent,
    others: Sequence[Call],
    said: Wording | None,
    message: Message | None,
) -> Ending:
    final = intent.final
    if final.outcome not in FAILED and final.outcome != "no_result":
        return "retried" if same_call(_last_failing(intent), final) else "corrected"
    admitted = said is not None and (said.admits or said.language is None)
    if any(_another_route(trace, final, c, admitted) for c in others):
        return "fallback"
    if said is None or message is None:
        return "open"
    if said.admits:
        return "asked" if said.asks else "gave_up_honestly"
    # A write told as done stays that, whatever is asked afterwards; after a read, "I have found none" is no such claim.
    writes = effect(trace.tool(final.tool), final.tool) != "read"
    if said.claims and writes:
        return "claimed_success"
    if said.asks or said.offers:
        return "asked"
    if said.hands_over:
        return "escalated"
    quiet = not said.intends and not said.explains and said.language is not None
    if (
        quiet
        and about_call(final, message.text or "", request_of(trace, final))
        and not echoes(final, message.text or "")
    ):
        return "claimed_success"
    return "abandoned"


def _last_failing(intent: Intent) -> Call:
    return next(c for c in reversed(intent.attempts) if c.outcome in FAILED)


def _another_route(trace: Trace, failed: Call, other: Call, admitted: bool) -> bool:
    """Tell whether a later call that went through can have given what the failing one was to give.

    It must do the same kind of thing. Where the answer admits a failure it must also be about the same matter.
    """
    if other.outcome in FAILED or other.outcome == "no_result":
        return False
    wanted, got = (effect(trace.tool(c.tool), c.tool) for c in (failed, other))
    if "unknown" not in (wanted, got) and wanted != got:
        return False
    return not admitted or _related(trace, failed, other)


def _related(trace: Trace, a: Call, b: Call) -> bool:
    tool = trace.tool(b.tool)
    if tool is not None and re.search(rf"\b{re.escape(a.tool)}\b", tool.description):
        return True
    p, q = set(name_words(a.tool)), set(name_words(b.tool))
    if 2 * len(p & q) >= len(p | q):
        return True
    x, y = ({canonical(v) for _, v in walk(c.arguments or {}) if _telling(v)} for c in (a, b))
    return bool(x & y)


def _telling(value: object) -> bool:
    return (isinstance(value, str) and len(value) > 1) or (
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 20
    )


_COMMON: Final = word_set(
    """
    the and for with from into your you our new all any get set add data item items info details name type user
    status date time value text list create update send delete book make check find search save store
    """
)

_FILLERS: Final = word_set(
    """
    this that they them then than there with have been will would could should what when where which while
    please also just like want need more most some very much here hello thanks thank your yours mine give tell
    know error request eine einen nicht bitte para como esta pour dans avec
    """
)


def about_call(call: Call, text: str, request: str = "") -> bool:
    """Tell whether a text speaks of what a call was to do.

    A word of its name or a value it sent stands in it, or two telling words of the user's request do.
    """
    said = set(_tokens(text))
    if _subject(call) & said:
        return True
    asked = {w for w in _tokens(request) if len(w) > 3 and w not in _COMMON and w not in _FILLERS}
    return len(asked & said) > 1


def request_of(trace: Trace, call: Call) -> str:
    """Return what the user said at the start of a call's turn; empty when nothing was."""
    turn = _turn(trace, call.turn)
    return (turn.user.text or "") if turn is not None and turn.user is not None else ""


def echoes(call: Call, text: str) -> bool:
    """Tell whether a text repeats what the error of a call said: two telling words of it, beyond what the call sent."""
    if call.error is None:
        return False
    own = {w for w in _tokens(call.error.message) if len(w) > 3 and w not in _FILLERS} - _subject(call)
    return len(own & set(_tokens(text))) > 1


def _subject(call: Call) -> set[str]:
    words = {w for w in name_words(call.tool)[1:] if len(w) > 2 and w not in _COMMON}
    for _, value in walk(call.arguments or {}):
        if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
            words |= {w for w in _tokens(str(value)) if (len(w) > 2 or w.isdigit()) and w not in _COMMON}
    return words


def _tokens(text: str) -> list[str]:
    return [w.lower() for w in re.findall(r"[^\W_]+", text[:4000])]


def environment(trace: Trace) -> Episode | None:
    """Return the first episode in which an outage left a request unmet although the agent handled it well, or None.

    The last error must be transient; the agent must have tried again or another way, and then handed over, or told it
    honestly with a next step. A permission or a lock that was handed over is no outage. Whether the agent made a
    mistake on the way is not looked at here: ask the checks of the episode.
    """
    return next((e for e in episodes(trace) if e.transient and e.unmet and e.handled), None)


def changes(before: Call, after: Call) -> set[str]:
    """Return the arguments in which two attempts differ: top-level names, and the names of nested parts."""
    top = changed_arguments(before, after)
    parts: set[str] = set(top)
    x, y = (dict(walk({k: (c.arguments or {}).get(k) for k in top})) for c in (before, after))
    for path in {**x, **y}:
        if path not in x or path not in y or canonical(x[path]) != canonical(y[path]):
            parts |= {p for p in re.split(r"[.\[\]]", path) if p and not p.isdigit()}
    return parts


def reaction_of(ending: Ending) -> str | None:
    """Return the word a case uses for an ending: `correct retry fallback escalate ask report`, None for no reaction."""
    words: dict[str, Any] = {
        "corrected": "correct", "retried": "retry", "fallback": "fallback", "escalated": "escalate", "asked": "ask",
        "gave_up_honestly": "report",
    }  # fmt: skip
    found = words.get(ending)
    return found if isinstance(found, str) else None
