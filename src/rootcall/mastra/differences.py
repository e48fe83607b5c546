"""Why the two semantics part in a run: the names of its calls are followed from one reading to the other.

The original's names, all attempts that the trace holds, and intents (a retry is one) are scored by the original's rule in
turn, then by the corrected rule; each step that moves the score is a reason, and is told with the calls it is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

import msgspec

from rootcall.errors import RootcallError
from rootcall.evidence.intents import intents
from rootcall.jsonvalue import MISSING
from rootcall.mastra.corrected import Expectation
from rootcall.mastra.extraction import ToolCallInfo
from rootcall.mastra.runs import trace_of
from rootcall.mastra.scorer import ScorerResult
from rootcall.mastra.tool_calls import names_accuracy
from rootcall.trace import Call, Trace

__all__ = ["Difference", "DifferenceKind", "Options", "code_differences", "judged_differences"]


DifferenceKind = Literal[
    "refused-by-original", "refused-here", "unseen-messages", "uncounted-calls", "retries-are-one",
    "no-call-expected", "first-occurrence", "repeats", "polls-are-one", "steps-are-sets", "expectation-in-run", "not-offered",
    "missing-tools", "unreconciled", "graded",
]  # fmt: skip
"""Why a run is scored differently; the reference page on differences has an example of each."""


class Options(msgspec.Struct, frozen=True):
    """The options of a code scorer as they were given."""

    tool: Any
    strict: Any
    order: Any


class Difference(msgspec.Struct, frozen=True, rename="camel"):
    """A point in which the two semantics part in a run: its kind, a sentence, and whether it moved the score."""

    kind: DifferenceKind
    message: str
    moves_score: bool = True


def code_differences(
    run: Mapping[str, Any], options: Options, was: ScorerResult | None, now: ScorerResult | None
) -> Iterator[Difference]:
    """Say where the code scorers part; nothing where either could not read the run, the error says that already."""
    if was is None or now is None:
        return
    trace = trace_of(run)
    expected = Expectation.of(options.tool, options.order, strict=options.strict)
    own = expected.in_run(run)
    if own != expected:
        yield Difference(
            "expectation-in-run", "the run brings an expectation of its own, which the original does not know"
        )
    seen: list[Any] = was.preprocess_step_result.actual_tools
    attempts = [c.tool for c in trace.calls]
    # An intent stands where its last attempt does, since that is the one that is judged.
    finals = sorted((i.final for i in intents(trace)), key=lambda c: (c.message, c.index))
    wanted = [c.tool for c in finals]
    scores = [_by_names(names, own) for names in (seen, attempts, wanted)]
    if attempts != seen:
        yield from _unseen(run, trace, was, moves=scores[0] != scores[1])
    if wanted != attempts:
        retried = sorted((Counter(attempts) - Counter(wanted)).keys())
        yield Difference("retries-are-one", f"a failed call and its retry are one intent, judged on its last attempt: {', '.join(retried)}", scores[1] != scores[2])  # fmt: skip
    if now.score is not MISSING and now.score != scores[2]:
        yield _by_rule(own, now, len(wanted))


def _by_names(names: Sequence[Any], expected: Expectation) -> float:
    return names_accuracy(names, expected.tool, expected.order, expected.strict)


def _unseen(run: Mapping[str, Any], trace: Trace, was: ScorerResult, *, moves: bool) -> Iterator[Difference]:
    seen: list[Any] = was.preprocess_step_result.actual_tools
    attempts = [c.tool for c in trace.calls]
    left = Counter(attempts) - Counter(map(str, seen))
    if left and not any(_is_stored(m) for m in _output(run)):
        yield Difference("unseen-messages", f"the original sees no call in messages of this shape; {len(attempts)} were made: {', '.join(attempts)}", moves)  # fmt: skip
    elif left:
        states = [
            f"{c.tool} ({c.outcome.replace('_', ' ')})"
            for c in _left_out(trace.calls, was.preprocess_step_result.tool_call_infos)
        ]
        yield Difference("uncounted-calls", f"the original does not count every attempt; left out are {', '.join(states)}", moves)  # fmt: skip


def _left_out(calls: Sequence[Call], infos: Sequence[ToolCallInfo]) -> list[Call]:
    """The calls that the original does not count: of one tool those whose ids it has not seen, then the last."""
    ids = Counter((str(i.tool_name), str(i.tool_call_id)) for i in infos)
    unknown = []
    for call in calls:
        if ids[call.tool, str(call.id)] > 0:
            ids[call.tool, str(call.id)] -= 1
        else:
            unknown.append(call)
    without_id = Counter(tool for tool, _ in ids.elements())
    left = []
    for call in unknown:
        if without_id[call.tool] > 0:
            without_id[call.tool] -= 1
        else:
            left.append(call)
    return left


def _output(run: Mapping[str, Any]) -> Sequence[Any]:
    output = run.get("output")
    return output if isinstance(output, list) else ()


def _is_stored(message: object) -> bool:
    return isinstance(message, Mapping) and isinstance(message.get("content"), Mapping)


def _by_rule(expected: Expectation, now: ScorerResult, made: int) -> Difference:
    """The reason where the same names are scored differently."""
    findings = now.preprocess_step_result.findings
    if any(f.rule == "selection/tool-not-offered" for f in findings):
        return Difference("not-offered", "; ".join(f.message for f in findings))
    if expected.order == ():
        why = (
            f"no call is right here, and {made} were made; an empty order is none to the original, which looks at expected_tool alone"
            if made
            else "no call is right here; the original scores a run without a call 0 always"
        )
        return Difference("no-call-expected", why)
    if expected.order is not None and not expected.strict:
        if len(set(expected.order)) < len(expected.order):
            return Difference("repeats", "the order names a tool twice; the original looks at first calls only and can never find that")  # fmt: skip
        return Difference("first-occurrence", "the tools stand in the order, but not with their first calls, at which alone the original looks")  # fmt: skip
    if made > len(expected.order or ("",)):
        return Difference("polls-are-one", "the same call again, while the answer was pending or to read, is one")
    return Difference("steps-are-sets", "calls of one step have no order among themselves")


def judged_differences(
    run: Mapping[str, Any], was: ScorerResult | None, now: ScorerResult | None
) -> Iterator[Difference]:
    """Say where the judge-based scorers part, as far as rules and not two answers of a judge are the reason."""
    if was is not None:
        analysis, made = was.analyze_step_result, was.preprocess_step_result.actual_tools
        told = [e["toolCalled"] for e in analysis.get("evaluations") or []]
        if Counter(told) != Counter(map(str, made)) and (told or made):
            yield Difference("unreconciled", f"the judge evaluated {_names(told)}, the calls are {_names(made)}; the original scores what was evaluated")  # fmt: skip
        if told and analysis.get("missingTools"):
            yield Difference("missing-tools", f"missing are {_names(analysis['missingTools'])}, which the original leaves out of the score where there are evaluations")  # fmt: skip
        with suppress(RootcallError):  # a run that cannot be read is told by the error of the corrected scorer
            trace = trace_of(run)
            if [c.tool for c in trace.calls] != made:
                yield from _unseen(run, trace, was, moves=True)
    if now is not None:
        useful = [n for n, e in now.analyze_step_result["evaluations"].items() if e["appropriateness"] == "useful"]
        if useful:
            yield Difference("graded", f"useful, though another tool would have been the better choice: {_names(useful)}; the original knows right and wrong only")  # fmt: skip


def _names(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values)) or "none"
