"""The tool-call scorers with rootcall's semantics: what a call is, what order means, and what a judge must answer.

Names are compared by the rules of the selection layer, on a trace that any reader made, so nothing is judged in two ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from rootcall.case import Case, ExpectedCall
from rootcall.check import Check
from rootcall.config import Config
from rootcall.errors import ScorerError
from rootcall.evidence.intents import intents
from rootcall.jsonvalue import MISSING
from rootcall.layers.selection.calls import against_case, tool_not_offered
from rootcall.mastra.extraction import ToolCallInfo
from rootcall.mastra.prompts import GRADES, graded_prompt, graded_schema, reason_prompt, tool_lines
from rootcall.mastra.runs import as_text, trace_of
from rootcall.mastra.scorer import NotScorable, PromptStep, Scorer, StepContext, not_scorable
from rootcall.tools import load_tools
from rootcall.trace import Trace

__all__ = ["CorrectedAccuracy", "Expectation", "Finding", "corrected_code", "corrected_llm", "graded_accuracy"]

S = TypeVar("S", bound=Scorer)
_CONFIG = Config()


class Expectation(msgspec.Struct, frozen=True, rename="camel"):
    """What is right: one tool, an order of tools, or, with an empty order, no call at all. `strict`: nothing beside it."""

    tool: str | None = None
    order: tuple[str, ...] | None = None
    strict: bool = False

    @classmethod
    def of(cls, tool: Any, order: Any, *, strict: Any) -> Expectation:
        """Read the options of a scorer.

        Raises:
            ScorerError: a name is no text, or the order no list of names.
        """
        if tool not in (None, MISSING) and not isinstance(tool, str):
            raise ScorerError(f"expected_tool must be a name, got {type(tool).__name__}")
        if not isinstance(strict, bool) and strict is not None:
            raise ScorerError(f"strict_mode must be True or False, got {type(strict).__name__}")
        if order in (None, MISSING):
            order = None
        elif not isinstance(order, Sequence) or isinstance(order, str) or not all(isinstance(t, str) for t in order):
            raise ScorerError("expected_tool_order must be a list of names; [] means that no call is right")
        return cls(tool or None, None if order is None else tuple(order), bool(strict))

    def in_run(self, run: Mapping[str, Any]) -> Expectation:
        """What a run itself expects by `expectedTool`, `expectedToolOrder` and `strictMode`, else what the scorer does."""
        if not any(key in run for key in ("expectedTool", "expectedToolOrder", "strictMode")):
            return self
        own = "expectedTool" in run or "expectedToolOrder" in run
        tool = run.get("expectedTool") if own else self.tool
        order = run.get("expectedToolOrder") if own else self.order
        return Expectation.of(tool, order, strict=run.get("strictMode", self.strict))

    def case(self) -> Case:
        """The case that says the same.

        Raises:
            ScorerError: nothing is expected.
        """
        if self.tool is None and self.order is None:
            raise ScorerError(
                "neither the scorer nor the run says what is expected; give expected_tool, or expected_tool_order ([] for no call)"
            )
        names = (self.tool,) if self.order is None else self.order
        order: Literal["any", "in_order", "strict"] = "in_order"
        if self.order is None or self.strict:
            order = "any" if self.order is None else "strict"
        calls = tuple(ExpectedCall(str(name)) for name in names)
        return Case("expected", calls=calls, order=order, extra="forbid" if self.strict or not names else "allow")


class Finding(msgspec.Struct, frozen=True, rename="camel"):
    """Why a run does not meet its expectation: the rule of the selection layer, the call, and a sentence."""

    rule: str
    message: str
    tool: str | None
    at: str


class CorrectedAccuracy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the corrected code scorer saw; the names are those of the original, `findings` say what is wrong.

    `actual_tools` are all attempts, those denied or left pending included; `correct_tool_called` and `correct_order_called`
    are None where the run leaves them open.
    """

    expected_tool: str | None
    expected_tool_order: tuple[str, ...] | None
    strict_mode: bool
    actual_tools: list[str]
    has_tool_calls: bool
    correct_tool_called: bool | None
    correct_order_called: bool | None
    tool_call_infos: list[ToolCallInfo]
    findings: list[Finding]
    unscored: str | None = None


def corrected_code(scorer: S, expected: Expectation) -> S:
    """Give a scorer the steps of the code scorer with rootcall's semantics."""

    def preprocess(context: StepContext) -> CorrectedAccuracy:
        expectation = expected.in_run(context.run)
        return look(_with_tools(trace_of(context.run), context.run), expectation)

    def score(context: StepContext) -> float | NotScorable:
        seen: CorrectedAccuracy = context.results.preprocess_step_result
        if seen.findings:
            return 0.0
        return not_scorable(seen.unscored) if seen.unscored else 1.0

    def reason(context: StepContext) -> str:
        seen: CorrectedAccuracy = context.results.preprocess_step_result
        return "; ".join(f.message for f in seen.findings) or "the calls are those that were expected"

    return scorer.preprocess(preprocess).generate_score(score).generate_reason(reason)


def look(trace: Trace, expected: Expectation) -> CorrectedAccuracy:
    """Compare a trace with an expectation by the selection layer's rules."""
    case = expected.case()
    checks = list(against_case(trace, case, _CONFIG))
    if trace.tools_known != "unknown":
        checks += [c for c in tool_not_offered(trace, case, _CONFIG) if c.status == "fail"]
    failed = [c for c in checks if c.status == "fail"]
    open_ = next((c.message for c in checks if c.status == "unscored"), None)
    called = _passed([c for c in failed if c.rule != "selection/out-of-order"], open_)
    return CorrectedAccuracy(
        expected_tool=expected.tool,
        expected_tool_order=expected.order,
        strict_mode=expected.strict,
        actual_tools=[c.tool for c in trace.calls],
        has_tool_calls=bool(trace.calls),
        correct_tool_called=called,
        correct_order_called=None if expected.order is None else _passed(failed, open_),
        tool_call_infos=[
            ToolCallInfo(c.tool, c.id or f"{c.message}-{c.index}", c.message, c.index) for c in trace.calls
        ],
        findings=[Finding(c.rule, c.message, c.tool or c.expected_tool, c.at) for c in failed],
        unscored=open_,
    )


def _passed(failed: Sequence[Check], open_: str | None) -> bool | None:
    return False if failed else None if open_ else True


def _with_tools(trace: Trace, run: Mapping[str, Any]) -> Trace:
    """The trace with the tools that its run offers under `availableTools`."""
    offered = run.get("availableTools")
    return trace.with_tools(load_tools(_specs(offered))) if offered is not None else trace


def _specs(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tools as the original takes them, with an id or a name, as specs that rootcall reads."""
    return [{**t, "name": t.get("name") or t.get("id")} for t in tools]


def corrected_llm(scorer: S, available_tools: Sequence[Mapping[str, Any]]) -> S:
    """Give a scorer with a judge the steps of the judge-based scorer with rootcall's semantics."""

    def preprocess(context: StepContext) -> dict[str, Any]:
        trace = trace_of(context.run)
        if not trace.messages:
            raise ScorerError("the run holds no message; there is nothing to judge")
        offered = context.run.get("availableTools", available_tools)
        calls = {f"c{n}": as_text(i.final) for n, i in enumerate(intents(trace))}
        return {
            "actualTools": [i.final.tool for i in intents(trace)],
            "hasToolCalls": bool(calls),
            "calls": calls,
            "asked": "\n\n".join(t.user.text or "" for t in trace.turns if t.user is not None),
            "said": next((m.text for m in reversed(trace.messages) if m.role == "assistant" and m.text), ""),
            "tools": tool_lines(offered or [{"name": t.name, "description": t.description} for t in trace.tools]),
        }

    def question(context: StepContext) -> str:
        seen = context.results.preprocess_step_result
        return graded_prompt(seen["asked"], seen["said"], seen["calls"], seen["tools"])

    def why(context: StepContext) -> str:
        return reason_prompt(
            context.results.preprocess_step_result["asked"], context.score, context.results.analyze_step_result
        )

    schema = lambda context: graded_schema(context.results.preprocess_step_result["calls"])  # noqa: E731 -- read where it is used
    return (
        scorer.preprocess(preprocess)
        .analyze(PromptStep("How good was each call?", question, schema))
        .generate_score(lambda context: graded_accuracy(context.results.analyze_step_result))
        .generate_reason(PromptStep("Why this score?", why))
    )


def graded_accuracy(analysis: Mapping[str, Any]) -> float:
    """Score graded calls: their mean worth (right 1, useful 0.5, wrong 0), where each missing tool counts as a wrong call.

    1.0 without calls when nothing is missing.
    """
    worths = [GRADES[e["appropriateness"]] for e in analysis["evaluations"].values()]
    count = len(worths) + len(analysis["missingTools"])
    return sum(worths) / count if count else 1.0
