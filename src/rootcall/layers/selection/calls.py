"""Calls against what was offered and what a case expects.

From the trace alone: tools that were not offered, call text left unparsed. With a case: missing, wrong, surplus,
forbidden calls, and their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from rootcall.case import Case, ExpectedCall
from rootcall.check import NO_CALL, Check, Rule, call_fields, emits
from rootcall.config import Config
from rootcall.evidence.effects import read_only
from rootcall.evidence.intents import Intent, attempt_of, intent_of, intents, same_call
from rootcall.jsonvalue import MISSING, walk
from rootcall.layers.selection.consent import long_words
from rootcall.layers.selection.without_call import BEHAVIOUR, done_instead, reply_check
from rootcall.pairing import Pairing, pair
from rootcall.trace import Call, Trace, Turn

__all__ = ["against_case", "responses", "tool_not_offered"]

# ---- from the trace alone --------------------------------------------------------------------------------------


@emits(
    Rule(
        name="selection/tool-not-offered",
        looks_at="Whether the called tool is among the tools offered in that step. Names are compared exactly.",
        why="A model that invents a tool, or spells one its own way, gets an error at best. The call is never repaired "
        "before it is scored.",
        fails="get_order(...) where lookup_order is offered",
        passes="lookup_order(...) where lookup_order is offered",
    )
)
def tool_not_offered(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check every call against the tools of its step; unscored where the tools are not known."""
    for call in trace.calls:
        fields = {**call_fields(trace, call), "attempt": attempt_of(trace, call), "unit": _unit(trace, call)}
        offered = trace.offered(call.step, call.agent)
        if offered is None:
            yield Check(layer="selection", rule="selection/tool-not-offered", status="unscored",
                        message="the offered tools are not known", **fields)  # fmt: skip
        elif call.tool in offered:
            yield Check(layer="selection", rule="selection/tool-not-offered", status="pass", **fields)
        else:
            near = _nearest(call.tool, offered)
            hint = f"; the nearest offered name is {near}" if near else ""
            yield Check(layer="selection", rule="selection/tool-not-offered", status="fail", got=call.tool, expected=near or MISSING,
                        message=f"{call.tool} is not among the {len(offered)} offered tools{hint}", **fields)  # fmt: skip


def _unit(trace: Trace, call: Call) -> str:
    return f"call:{intent_of(trace, call).id}"


def _nearest(name: str, offered: Iterable[str]) -> str | None:
    import difflib

    found = difflib.get_close_matches(name, list(offered), n=1)
    return found[0] if found else None


_CALL_TEXT: Final = re.compile(
    r"<tool_call>|<\|?tool_calls?\|?>|<function[=_ ]|<function_calls>|<invoke\b|\[TOOL_CALLS\]|<\|python_tag\|>|<\|channel\|>commentary to="
    r"|```(?:tool_code|tool_call)\b|\A\s*(?:```(?:json)?\s*)?\{\s*\"(?:name|tool|function|tool_name|action)\"\s*:\s*\"[\w.\-]+\"\s*,"
    r"\s*\"(?:arguments|parameters|args|input|tool_input|action_input)\"\s*:",
)


@emits(
    Rule(
        name="selection/unparsed-call",
        looks_at="Whether a response without a parsed call holds the text of one: tool-call tags, or a JSON object with a "
        "tool's name and arguments.",
        why="A call that failed to parse is a call that never ran. Counting it as an abstention hides the fault, and on "
        "irrelevance sets even rewards it.",
        fails='<tool_call>{"name": "get_weather", "arguments": {"city": "Seoul"}}</tool_call> as the answer\'s text',
        passes="an answer in words",
    ),
    BEHAVIOUR,
)
def responses(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Check the responses without calls: is one a call left unparsed, and, where no call was made at all, what they did."""
    unparsed = list(_unparsed_call(trace))
    yield from unparsed
    if trace.calls or any(c.status == "fail" for c in unparsed):
        return
    spoken = {c.at for c in unparsed}
    for turn in trace.turns:
        if turn.answer is not None and turn.answer.at in spoken:
            yield reply_check(turn, turn.answer)


def _unparsed_call(trace: Trace) -> Iterator[Check]:
    """Check the text of every response without calls that ends a turn, so that a right abstention is scored too."""
    for turn in trace.turns:
        for step in turn.steps:
            text = step.message.text
            if step.calls or text is None:
                continue
            found = _call_text(text, trace)
            last = step is turn.steps[-1]
            if found is None and not (last and not turn.calls):
                continue
            yield Check(
                layer="selection", rule="selection/unparsed-call", status="pass" if found is None else "fail", unit=f"response:{step.message.at}",
                at=step.message.at, source=step.message.source, tool=found or None, got=MISSING if found is None else text[:200],
                message="the text of a tool call was left unparsed; nothing was called" if found is not None else "the text of no call stands in it",
            )  # fmt: skip


def _call_text(text: str, trace: Trace) -> str | None:
    """Return the tool an unparsed call names ("" when it names none), or None when the text holds no call."""
    found = _CALL_TEXT.search(text)
    if found is None:
        named = re.match(r"\[?\s*([A-Za-z_][\w.]*)\((?:\s*\w+\s*=[^)]*)?\)\s*\]?\Z", text.strip())
        return named.group(1) if named and trace.tool(named.group(1)) else None
    name = re.search(
        r"\"(?:name|tool|function|tool_name|action)\"\s*:\s*\"([\w.\-]+)\"|<(?:invoke name|function)=\"?([\w.\-]+)",
        text,
    )
    return next((g for g in name.groups() if g), "") if name else ""


# ---- against a case --------------------------------------------------------------------------------------------


@emits(
    Rule(
        name="selection/expected",
        looks_at="An expected call and the call that met it.",
        why="It is the pass beside `missing`, `wrong-tool` and `surplus`, so that precision and recall have a denominator.",
        fails="(never fails; its failures have the names below)",
        passes="get_weather expected, get_weather called",
    ),
    Rule(
        name="selection/missing",
        looks_at="Expected calls that were not made.",
        why="An agent that talks instead of acting completes nothing, whatever it says.",
        fails="calls: [scale_service], and the agent only listed instances",
        passes="every expected call that is not optional was made",
    ),
    Rule(
        name="selection/wrong-tool",
        looks_at="A call that stands in the place of an expected call of another tool.",
        why="The confusion of two tools is a fact about their descriptions; a count of misses does not show it.",
        fails="read_wiki(...) where list_instances was expected",
        passes="list_instances(...)",
    ),
    Rule(
        name="selection/surplus",
        looks_at="Calls beyond the expected ones. Extra reads are free in a turn in which an expected call was made, unless `extra: forbid`; "
        "under `calls: []` every call is surplus.",
        why="A surplus write changes the world; a call in the no-call bucket is a false call, whatever its arguments.",
        fails="terminate_instance(...) where only list_instances and scale_service were expected",
        passes="an extra list_instances(...) before the expected scale_service(...)",
    ),
    Rule(
        name="selection/forbidden",
        looks_at="Calls of tools that the case forbids.",
        why="Some tools must never be touched in a task, however good the rest was.",
        fails="cancel_booking(...) under forbid: [cancel_booking]",
        passes="no call of a forbidden tool",
    ),
    Rule(
        name="selection/out-of-order",
        looks_at="The order of steps of the expected calls, under `order: in_order` or `strict`. Calls of one step are a set.",
        why="A check after the fact checks nothing.",
        fails="merge_contacts in step 1, check_duplicates in step 2, expected the other way round",
        passes="both in the expected order, or in one step",
    ),
)  # fmt: skip
def against_case(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Compare the calls of a trace with a case; where calls were made that the trace does not hold, none is missing."""
    if case is None:
        return
    for check in _against(trace, case):
        unknown = trace.completeness.calls != "full" and (
            check.rule in ("selection/missing", "selection/wrong-tool") or check.unit == NO_CALL
        )
        if unknown:
            why = "calls were made that the trace does not hold"
            check = msgspec.structs.replace(check, status="unscored", message=why)  # noqa: PLW2901
        yield check


def _against(trace: Trace, case: Case) -> Iterator[Check]:
    paired = pair(trace, case)
    if case.forbid:
        yield from _forbidden(trace, case, paired)
    if case.calls == "some":
        yield from _some(trace)
    if paired is None:
        return
    order = _inversions(paired, case)
    for p in paired.pairs:
        rule, status, message = "selection/expected", "pass", ""
        if p.index in order:
            rule, status = "selection/out-of-order", "fail"
            message = f"{p.expected.tool} came before {order[p.index]}; the case wants the opposite order"
        yield _gold(trace, rule, status, p.intent.final, message=message, expected_tool=p.expected.tool, pair=f"{case.id}/{p.index}",
                    intent=p.intent)  # fmt: skip
    if paired.missing or paired.extra:
        yield from _unmet(trace, case, paired)
    if not paired.expected and not trace.calls:
        yield from _no_call(trace, case)


def _gold(
    trace: Trace,
    rule: str,
    status: Any,
    call: Call,
    *,
    message: str,
    intent: Intent,
    expected_tool: str | None = None,
    pair: str | None = None,
) -> Check:
    return Check(layer="selection", rule=rule, status=status, unit=f"call:{intent.id}", message=message, expected_tool=expected_tool,
                 pair=pair, tool=call.tool, agent=call.agent, at=call.at, source=call.source)  # fmt: skip


def _no_call(trace: Trace, case: Case) -> Iterator[Check]:
    """The right abstention; a call left unparsed is a call all the same, never an abstention."""
    unparsed = [c for c in _unparsed_call(trace) if c.status == "fail"]
    pair = f"{case.id}/{NO_CALL}"
    for c in unparsed:
        yield Check(layer="selection", rule="selection/surplus", status="fail", unit=c.unit, at=c.at, source=c.source, tool=c.tool, pair=pair,
                    message="no call was right in this case, and the text of one stands in the answer")  # fmt: skip
    if not unparsed:
        done, words = done_instead(trace.turns[-1] if trace.turns else None)
        yield Check(layer="selection", rule="selection/expected", status="pass", unit=NO_CALL, at=_last(trace), source=trace.source, pair=pair,
                    got=done, message=_with("no call was right, and none was made", words))  # fmt: skip


def _instead(trace: Trace, turn: Turn | None) -> tuple[Any, str]:
    """What was done at the end of a turn instead of a call; a call left unparsed is no answer."""
    if turn is not None and turn.answer is not None and _call_text(turn.answer.text or "", trace) is not None:
        return MISSING, "left the text of a call unparsed"
    return done_instead(turn)


def _with(message: str, done: str) -> str:
    """A finding with what the agent did instead, where that is known."""
    return f"{message}; the agent {done}" if done else message


def _last(trace: Trace) -> str:
    return trace.messages[-1].at if trace.messages else "messages"


def _some(trace: Trace) -> Iterator[Check]:
    if trace.calls:
        intent = intents(trace)[0]
        yield _gold(trace, "selection/expected", "pass", intent.final, message="any call was right", intent=intent)
    else:
        done, words = _instead(trace, trace.turns[-1] if trace.turns else None)
        yield Check(layer="selection", rule="selection/missing", status="fail", unit="missing:some", at=_last(trace), source=trace.source,
                    got=done, message=_with("some call was needed, none was made", words))  # fmt: skip


def _forbidden(trace: Trace, case: Case, paired: Pairing | None) -> Iterator[Check]:
    for intent in intents(trace):
        if intent.final.tool in case.forbid:
            yield _gold(trace, "selection/forbidden", "fail", intent.final, intent=intent, pair=_bucket(case, paired),
                        message=f"{intent.final.tool} is forbidden in this case")  # fmt: skip


def _bucket(case: Case, paired: Pairing | None) -> str | None:
    """The pair of a call in a case in which no call is right; elsewhere a call beyond the gold has none."""
    return f"{case.id}/{NO_CALL}" if paired is not None and not paired.expected else None


def _inversions(paired: Pairing, case: Case) -> dict[int, str]:
    """Return the expected calls that came too early, with the tool that should have come before each."""
    if case.order == "any":
        return {}
    found: dict[int, str] = {}
    for early in paired.pairs:
        for late in paired.pairs:
            if late.index < early.index and late.intent.first.step > early.intent.final.step:
                found.setdefault(early.index, late.expected.tool)
    return found


def _unmet(trace: Trace, case: Case, paired: Pairing) -> Iterator[Check]:
    """Missing and surplus calls; a surplus call where a missing one was due is the wrong tool in its place."""
    met_turns = {p.intent.final.turn for p in paired.pairs}
    extra = [i for i in paired.extra if i.final.tool not in case.forbid]
    left = [i for i in extra if not _free(trace, case, paired, i, met_turns)]
    for index, e in paired.missing:
        due = _turns_due(trace, paired, index, e)
        # A read is free beside the right calls; where one of them is missing, it may be what was called instead.
        stand_in = next((i for t in due for i in left if i.final.turn == t.index), None)
        if stand_in is None and case.extra == "reads":
            stand_in = next((i for t in due[:1] for i in extra if i.final.turn == t.index), None)
        if stand_in is not None:
            left = [i for i in left if i is not stand_in]
            extra.remove(stand_in)
            yield _gold(trace, "selection/wrong-tool", "fail", stand_in.final, intent=stand_in, expected_tool=e.tool, pair=f"{case.id}/{index}",
                        message=f"{stand_in.final.tool} was called where {e.tool} was expected")  # fmt: skip
            continue
        closing = due[0].steps[-1].message if due and due[0].steps else None
        done, words = _instead(trace, due[0] if due else None)
        yield Check(layer="selection", rule="selection/missing", status="fail", unit=f"missing:{index}", at=closing.at if closing else _last(trace),
                    source=closing.source if closing else trace.source, tool=e.tool, expected_tool=e.tool, pair=f"{case.id}/{index}",
                    got=done, message=_with(f"{e.tool} was expected and never called", words))  # fmt: skip
    for i in left:
        message = "no call was right in this case" if not paired.expected else "a call beyond the expected ones"
        yield _gold(trace, "selection/surplus", "fail", i.final, intent=i, message=f"{i.final.tool}: {message}",
                    pair=_bucket(case, paired))  # fmt: skip


def _free(trace: Trace, case: Case, paired: Pairing, intent: Intent, met_turns: set[int]) -> bool:
    if case.extra == "allow":
        return True
    if case.extra == "forbid" or not paired.expected:
        return False
    if not read_only(trace.tool(intent.final.tool), intent.final.tool):
        return False
    # Looking again at what was rightly read is free in a later turn too: the user may have asked for it.
    return intent.final.turn in met_turns or any(same_call(p.intent.final, intent.final) for p in paired.pairs)


def _turns_due(trace: Trace, paired: Pairing, index: int, e: ExpectedCall) -> list[Turn]:
    """Return the turns in which a missing call can have been due, the likeliest first.

    They lie between its paired neighbours. First come turns whose user message speaks of its values or of the words of
    its name, then the turn of the expected call before it, then the others in order.
    """
    before = [p.intent.final.turn for p in paired.pairs if p.index < index]
    after = [p.intent.final.turn for p in paired.pairs if p.index > index]
    low, high = max(before, default=0), min(after, default=trace.turns[-1].index if trace.turns else 0)
    values = [str(v) for _, v in walk(e.arguments)] if e.arguments is not MISSING else []
    name = long_words(e.tool)

    def likely(turn: Turn) -> tuple[int, bool, int]:
        text = turn.user.text if turn.user is not None and turn.user.text else ""
        spoken = sum(1 for v in values if len(v) > 1 and v in text) + sum(1 for w in name if w[:4] in text.lower())
        return spoken, bool(before) and turn.index == low, -turn.index

    return sorted((t for t in trace.turns if low <= t.index <= max(low, high)), key=likely, reverse=True)
