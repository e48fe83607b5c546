"""Recovery: what the agent did after a tool failed. One unit per error episode.

Transient errors (408, 425, 429, 5xx, timeouts) are nobody's fault: trying again within a cap, another route, handing
over or an honest word with a next step are all right. After any other client error the same call again is wrong, and
the first wrong reaction is the place. What is said after an unresolved error belongs here; what an answer makes of a
result that came back is utilization's. A failing call itself is judged by selection and arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Attempt, Check, Grade, Rule, RuleFunction, Status, emits, source_of
from rootcall.config import Config
from rootcall.evidence.effects import creates_each_time, idempotency_key, read_only, says_each_time
from rootcall.evidence.episodes import FAILED, Episode, changes, episodes, is_transient, named_arguments, reaction_of
from rootcall.evidence.intents import attempt_of, changed_arguments, same_call
from rootcall.evidence.wording import wording
from rootcall.jsonvalue import MISSING
from rootcall.layers.recovery.catalogue import (
    ALTERNATING,
    AUTH_RETRIED,
    CLAIMED,
    DUPLICATE,
    ERROR_UNREAD,
    GAVE_UP,
    HANDLED,
    LOOP_CAP,
    NOT_TOLD,
    REFUSED_RETRIED,
    RETRY_CAP,
    RETRY_LOOP,
    STOPPED,
    STORM_CAP,
    UNEXPECTED,
    UNRELATED,
)  # fmt: skip
from rootcall.layers.recovery.claims import claim
from rootcall.toolerror import ToolError
from rootcall.trace import Call, Message, Trace

__all__ = ["RULES"]


_ENDINGS: Final[Mapping[str, str]] = {
    "corrected": "corrected: the call was changed and went through",
    "retried": "the same call went through later",
    "fallback": "another route was taken",
    "escalated": "handed over",
    "asked": "the user was asked",
    "gave_up_honestly": "the failure was told",
    "claimed_success": "the answer does not mention the failure",
    "abandoned": "left there",
    "open": "the trace ends before the agent said anything",
}


@emits(
    HANDLED, ERROR_UNREAD, RETRY_LOOP, RETRY_CAP, AUTH_RETRIED, REFUSED_RETRIED, ALTERNATING, UNRELATED, DUPLICATE, CLAIMED,
    GAVE_UP, STOPPED, NOT_TOLD, UNEXPECTED,
)  # fmt: skip
def recovery(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge every error episode of a trace; without a failing call there is nothing to judge."""
    for episode in episodes(trace):
        allowed = _allowed(case, episode)
        found = [c for c in _faults(trace, episode, allowed, config) if config.runs(c.rule, c.tool, c.argument)]
        yield from found
        if any(c.fails for c in found):
            continue
        final = episode.intent.final
        if episode.ending == "open" and allowed is None:
            yield _check(trace, episode, HANDLED, "unscored", episode.last, _story(episode))
        elif final.outcome == "unknown" and final.result is not None and final.result.text is None:
            yield _check(trace, episode, HANDLED, "unscored", final, "what the last attempt brought was not captured")
        else:
            yield _check(trace, episode, HANDLED, "pass", episode.first, _story(episode))


def _faults(trace: Trace, episode: Episode, allowed: frozenset[str] | None, config: Config) -> Iterator[Check]:
    if allowed is None or "retry" not in allowed:
        yield from _unchanged(trace, episode)
    yield from _past_caps(trace, episode, config)
    yield from _alternating(trace, episode)
    yield from _unrelated(trace, episode)
    yield from _duplicate(trace, episode)
    yield from _claimed(trace, episode)
    yield from _gave_up(trace, episode)
    yield from _hints(trace, episode)
    if allowed is not None:
        yield from _unexpected(trace, episode, allowed)


def _unchanged(trace: Trace, episode: Episode) -> Iterator[Check]:
    """The first identical retry of a permanent error, under the name that fits the error."""
    for repeat in episode.repeats:
        error = repeat.before.error
        if repeat.excused or is_transient(error) is True or (error is not None and error.visible is False):
            continue
        if _unsure(error) and repeat.nth <= 2:
            continue
        rule = ERROR_UNREAD
        if error is None or error.kind in ("refused", "conflict"):
            rule = REFUSED_RETRIED
        elif error.kind == "permission":
            rule = AUTH_RETRIED
        yield _check(
            trace,
            episode,
            rule,
            "fail",
            repeat.call,
            f"{repeat.call.tool} was sent again unchanged after {_words(error)}",
            grade="likely" if _unsure(error) else "proof",
            argument=_argument(trace, repeat.before),
            expected="another reaction",
            got=_times(repeat.nth),
        )
        return


def _unsure(error: ToolError | None) -> bool:
    return error is not None and error.retryable is None


def _past_caps(trace: Trace, episode: Episode, config: Config) -> Iterator[Check]:
    done: set[str] = set()
    for repeat in episode.repeats:
        transient = is_transient(repeat.before.error) is True
        rule, default = (RETRY_CAP, STORM_CAP) if transient else (RETRY_LOOP, LOOP_CAP)
        cap = config.option(rule.name, "cap", default, repeat.call.tool)
        if repeat.nth <= cap or rule.name in done or (repeat.excused and not transient):
            continue
        done.add(rule.name)
        total = max(r.nth for r in episode.repeats if same_call(r.call, repeat.call))
        yield _check(
            trace,
            episode,
            rule,
            "fail",
            repeat.call,
            f"{repeat.call.tool} was sent {_times(total)} unchanged (cap {cap}) after {_words(repeat.before.error)}",
            argument=_argument(trace, repeat.before),
            expected=cap,
            got=total,
        )


def _alternating(trace: Trace, episode: Episode) -> Iterator[Check]:
    """A B A B: a repeat of this episode with another failing call in between that is repeated afterwards."""
    for repeat in episode.repeats:
        if repeat.excused or is_transient(repeat.before.error) is True:
            continue
        between = [c for c in trace.calls if repeat.before.step < c.step < repeat.call.step]
        after = [c for c in trace.calls if c.step > repeat.call.step and c.turn == repeat.call.turn]
        circle = [
            c
            for c in between
            if c.outcome in FAILED
            and is_transient(c.error) is not True
            and not same_call(c, repeat.call)
            and any(same_call(c, a) and a.outcome in FAILED for a in after)
        ]
        if circle and len(circle) == len(between):
            names = ", ".join(dict.fromkeys([repeat.call.tool, *(c.tool for c in circle)]))
            message = f"the same failing calls were tried in turn: {names}"
            yield _check(trace, episode, ALTERNATING, "fail", repeat.call, message)
            return


def _unrelated(trace: Trace, episode: Episode) -> Iterator[Check]:
    attempts = episode.intent.attempts
    for before, after in pairwise(attempts):
        error, again = before.error, after.error
        if error is None or again is None or error.visible is False or is_transient(error) is True:
            continue
        if (
            before.tool != after.tool
            or before.turn != after.turn
            or error.kind not in ("validation", "not_found", "other")
        ):
            continue
        named = named_arguments(before, _schema(trace, before))
        changed = changes(before, after)
        # The same error again shows that the change led nowhere; any other outcome is progress.
        if not named or not changed or changed & set(named) or (again.kind, again.fields) != (error.kind, error.fields):
            continue
        shown = ", ".join(sorted(changed_arguments(before, after)))
        yield _check(
            trace,
            episode,
            UNRELATED,
            "fail",
            after,
            f"the error named {', '.join(named)}; the retry changed {shown} and met the same error",
            argument=named[0],
            expected=list(named),
            got=sorted(changed),
        )
        return


def _duplicate(trace: Trace, episode: Episode) -> Iterator[Check]:
    for repeat in episode.repeats:
        call, before = repeat.call, repeat.before
        tool, error = trace.tool(call.tool), repeat.before.error
        if error is None or not creates_each_time(tool, call.tool) or (repeat.excused and call.turn == before.turn):
            continue
        lost = error.kind == "timeout" or _CUT_OFF.search(error.message) is not None
        if not lost and (error.kind != "server" or error.status in (429, 503)):
            continue
        key = idempotency_key(call, tool)
        if (key is not None and key == idempotency_key(before, tool)) or _state_read(trace, before, call):
            continue
        sure = lost and call.turn == before.turn
        said = "its description says that every call makes another one" if says_each_time(tool) else "it creates"
        yield _check(
            trace,
            episode,
            DUPLICATE,
            "fail",
            call,
            f"{call.tool} was sent again after {_words(error)} without a look at the state or an idempotency key; {said}",
            grade="likely" if sure else "hint",
        )
        return


_CUT_OFF = re.compile(
    r"connection (was )?(reset|lost|closed|aborted)|ECONNRESET|broken pipe|no response|gateway time|socket hang ?up|"
    r"verbindung .{0,20}(abgebrochen|verloren)|응답이? ?없|연결이? ?(끊|종료)",
    re.IGNORECASE,
)


def _state_read(trace: Trace, before: Call, after: Call) -> bool:
    return any(
        before.step < c.step < after.step and c.outcome == "ok" and read_only(trace.tool(c.tool), c.tool)
        for c in trace.calls
    )


def _claimed(trace: Trace, episode: Episode) -> Iterator[Check]:
    for failed, message in episode.answers:
        said = wording(message.text or "")
        grade = claim(trace, failed, message, said)
        if grade is None or (failed is episode.last and episode.ending in ("fallback", "escalated")):
            continue
        yield _check(
            trace,
            episode,
            CLAIMED,
            "fail",
            message,
            f"the answer tells it as done, but {failed.tool} had failed: {_words(failed.error)}",
            grade=grade,
            expected="the failure told",
            got=(message.text or "")[:200],
        )
        return


def _gave_up(trace: Trace, episode: Episode) -> Iterator[Check]:
    message, said = episode.answer, episode.said
    if not episode.transient or message is None or said is None or episode.resolved:
        return
    if episode.retried or episode.rerouted or len(_same_turn(episode)) > 1:
        return
    if said.offers or said.asks or said.hands_over or said.intends or said.claims:
        return
    if said.language is None:
        text = f"{_words(episode.last.error)} was not retried; whether the answer offers a next step cannot be read"
        yield _check(trace, episode, GAVE_UP, "unscored", message, text, question="offers-next-step")
        return
    if said.admits:
        text = f"{_words(episode.last.error)} was not retried, and the answer offers no next step"
        got = (message.text or "")[:200]
        yield _check(trace, episode, GAVE_UP, "fail", message, text, expected="a retry or a next step", got=got)


def _same_turn(episode: Episode) -> list[Call]:
    return [c for c in episode.intent.attempts if c.turn == episode.last.turn]


def _hints(trace: Trace, episode: Episode) -> Iterator[Check]:
    message, error = episode.answer, episode.last.error
    if message is None or episode.said is None or error is None:
        return
    if episode.ending == "gave_up_honestly" and error.kind == "validation" and len(_same_turn(episode)) == 1:
        text = f"stopped after {_words(error)} without a correction or a question"
        yield _check(
            trace, episode, STOPPED, "fail", message, text, grade="hint", argument=_argument(trace, episode.last)
        )
    if episode.ending == "abandoned" and episode.said.language is not None:
        yield _check(trace, episode, NOT_TOLD, "fail", message, f"nothing is said of {_words(error)}", grade="hint")


def _allowed(case: Case | None, episode: Episode) -> frozenset[str] | None:
    """The reactions a case allows for the tool and first error of an episode; None when it says nothing."""
    by_tool: Any = case.errors if case is not None else None
    by_code = by_tool.get(episode.first.tool) if isinstance(by_tool, Mapping) else None
    if not isinstance(by_code, Mapping):
        return None
    error = episode.first.error
    names = {episode.error_code, *((str(error.status), error.kind, error.code) if error is not None else ()), "*"}
    wanted = next((v for k, v in by_code.items() if str(k) in names), None)
    listed = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(listed, list | tuple):
        return None
    return frozenset(str(w) for w in listed)


def _unexpected(trace: Trace, episode: Episode, allowed: frozenset[str]) -> Iterator[Check]:
    shown = _reactions(trace, episode)
    if shown & allowed:
        return
    place: Call | Message = episode.answer or episode.last
    text = (
        f"expected {' or '.join(sorted(allowed))} after {_words(episode.first.error)}, got {_ENDINGS[episode.ending]}"
    )
    got = sorted(shown)
    yield _check(trace, episode, UNEXPECTED, "fail", place, text, expected=sorted(allowed), got=got)


def _reactions(trace: Trace, episode: Episode) -> frozenset[str]:
    found = {reaction_of(episode.ending)}
    if episode.repeats:
        found.add("retry")
    if episode.handover is not None:
        found.add("escalate")
    said = episode.said
    if said is not None and not episode.resolved:
        found |= {"ask"} if said.asks else set()
        found |= {"report"} if said.admits else set()
    return frozenset(f for f in found if f)


def _schema(trace: Trace, call: Call) -> Any:
    tool = trace.tool(call.tool)
    return tool.schema if tool is not None else None


def _argument(trace: Trace, call: Call) -> str | None:
    return next(iter(named_arguments(call, _schema(trace, call))), None)


def _words(error: ToolError | None) -> str:
    if error is None:
        return "a refusal"
    text = " ".join(error.message.split())
    short = text if len(text) <= 120 else text[:117] + "..."
    return " ".join(p for p in (error.label, f'"{short}"' if short else error.kind) if p)


def _times(n: int) -> str:
    return "once" if n == 1 else "twice" if n == 2 else f"{n} times"


def _story(episode: Episode) -> str:
    n = len(episode.intent.attempts)
    attempts = "" if n == 1 else f", {n} attempts"
    return f"{_words(episode.first.error)}: {_ENDINGS[episode.ending]}{attempts}"


def _check(
    trace: Trace,
    episode: Episode,
    rule: Rule,
    status: Status,
    place: Call | Message,
    message: str,
    *,
    grade: Grade | None = None,
    argument: str | None = None,
    expected: Any = MISSING,
    got: Any = MISSING,
    question: str | None = None,
) -> Check:
    attempt: Attempt = attempt_of(trace, place) if isinstance(place, Call) else "final"
    return Check(
        layer="recovery",
        rule=rule.name,
        status=status,
        unit=episode.unit,
        at=place.at,
        message=message,
        grade=grade or rule.grade,
        tool=episode.first.tool,
        argument=argument,
        error_code=episode.error_code,
        attempt=attempt,
        agent=place.agent,
        source=source_of(trace, place) if isinstance(place, Call) else place.source,
        expected=expected,
        got=got,
        question=question,
    )


RULES: tuple[RuleFunction, ...] = (recovery,)
"""The rules of this layer."""
