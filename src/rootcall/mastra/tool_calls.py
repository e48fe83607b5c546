"""The tool-call-accuracy scorers as `@mastra/evals` 1.10.2 has them: one compares names, one asks a judge.

Owns the original's rules, its odd cases included; extraction, rounding and the chain of steps are elsewhere, the corrected
rules in `rootcall.mastra.corrected`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from rootcall.errors import ScorerError
from rootcall.jsonvalue import MISSING, Missing
from rootcall.mastra.extraction import ToolCallInfo, extract_tool_calls
from rootcall.mastra.javascript import round_two, same, truthy
from rootcall.mastra.messages import assistant_text, user_text
from rootcall.mastra.prompts import ANALYSIS_SCHEMA, analysis_prompt, reason_prompt, tool_lines
from rootcall.mastra.scorer import PromptStep, Scorer, StepContext

__all__ = [
    "CODE_ID",
    "LLM_ID",
    "JudgedToolCalls",
    "ToolCallAccuracy",
    "judged_accuracy",
    "names_accuracy",
    "original_code",
    "original_llm",
    "tools_in_order",
]

CODE_ID: Final = "code-tool-call-accuracy-scorer"
LLM_ID: Final = "llm-tool-call-accuracy-scorer"


S = TypeVar("S", bound=Scorer)


class ToolCallAccuracy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the code scorer saw: the expectation, the calls, and whether they met it.

    `correct_order_called` is None where no order is expected; an expectation that was not given is MISSING.
    """

    actual_tools: list[Any]
    strict_mode: Any
    has_tool_calls: bool
    correct_tool_called: bool
    tool_call_infos: list[ToolCallInfo]
    correct_order_called: bool | None
    expected_tool: str | Missing | None = MISSING
    expected_tool_order: Sequence[str] | Missing | None = MISSING


class JudgedToolCalls(msgspec.Struct, frozen=True, rename="camel"):
    """What the judge-based scorer saw before it asked."""

    actual_tools: list[Any]
    has_tool_calls: bool
    tool_call_infos: list[ToolCallInfo]


def original_code(scorer: S, expected_tool: Any, strict_mode: Any, expected_tool_order: Any) -> S:
    """Give a scorer the steps of the original code scorer.

    Raises:
        ScorerError: neither a tool nor an order is expected, or the order is no list.
    """
    if not truthy(expected_tool) and not truthy(expected_tool_order):
        raise ScorerError(
            "expected_tool or expected_tool_order must be given, neither was; name the tool that is right"
        )
    ordered = bool(truthy(expected_tool_order))
    if ordered and not isinstance(expected_tool_order, list | tuple):
        raise ScorerError(f"expected_tool_order must be a list of names, got {type(expected_tool_order).__name__}")

    def preprocess(context: StepContext) -> ToolCallAccuracy:
        require_messages(context.run)
        calls = extract_tool_calls(context.run["output"])
        tools = calls.tools
        return ToolCallAccuracy(
            expected_tool=expected_tool,
            actual_tools=tools,
            strict_mode=strict_mode,
            expected_tool_order=expected_tool_order,
            has_tool_calls=bool(tools),
            correct_tool_called=truthy(expected_tool) and _called(tools, expected_tool, strict_mode),
            tool_call_infos=calls.tool_call_infos,
            correct_order_called=tools_in_order(tools, expected_tool_order, strict_mode) if ordered else None,
        )

    def score(context: StepContext) -> float:
        seen: ToolCallAccuracy = context.results.preprocess_step_result
        by_order = ordered and len(expected_tool_order) > 0
        return float(seen.has_tool_calls and bool(seen.correct_order_called if by_order else seen.correct_tool_called))

    return scorer.preprocess(preprocess).generate_score(score)


def names_accuracy(tools: Sequence[Any], expected: Any, order: Any, strict: Any) -> float:
    """Score names as the original does: 0 without a call, then by the order, else by the tool."""
    if not tools:
        return 0.0
    if truthy(order) and len(order) > 0:
        return float(tools_in_order(tools, order, strict))
    return float(truthy(expected) and _called(tools, expected, strict))


def tools_in_order(tools: Sequence[Any], order: Sequence[Any], strict: Any) -> bool:
    """Tell whether the original finds tools in order: strictly, the same list; else each one's first call after that before.

    So an order that names a tool twice is never met, unless strictly.
    """
    if truthy(strict):
        return len(tools) == len(order) and all(map(same, tools, order))
    firsts = []
    for wanted in order:
        first = next((n for n, tool in enumerate(tools) if same(tool, wanted)), None)
        if first is None:
            return False
        firsts.append(first)
    return all(a < b for a, b in itertools.pairwise(firsts))


def _called(tools: Sequence[Any], expected: Any, strict: Any) -> bool:
    if truthy(strict):
        return len(tools) == 1 and same(tools[0], expected)
    return any(same(tool, expected) for tool in tools)


def require_messages(run: Mapping[str, Any]) -> None:
    """Require what the original requires of a run: messages that were asked, and an output that is not empty.

    Raises:
        ScorerError: one of them is absent, null or empty.
    """
    asked, output = run.get("input"), run.get("output")
    messages = asked.get("inputMessages") if isinstance(asked, Mapping) else None
    for name, value in (("input.inputMessages", messages), ("output", output)):
        if not truthy(value) or (isinstance(value, str | Sequence) and len(value) == 0):
            raise ScorerError(f"{name} must hold messages, and is {'empty' if value is not None else 'absent'}")


def original_llm(scorer: S, available_tools: Sequence[Mapping[str, Any]]) -> S:
    """Give a scorer with a judge the steps of the original judge-based scorer."""
    lines = tool_lines(available_tools)

    def preprocess(context: StepContext) -> JudgedToolCalls:
        require_messages(context.run)
        calls = extract_tool_calls(context.run["output"])
        return JudgedToolCalls(calls.tools, bool(calls.tools), calls.tool_call_infos)

    def question(context: StepContext) -> str:
        seen: JudgedToolCalls = context.results.preprocess_step_result
        asked, said = user_text(context.run["input"]), assistant_text(context.run["output"])
        return analysis_prompt(asked or "", said or "", [str(t) for t in seen.actual_tools], lines)

    def why(context: StepContext) -> str:
        found = context.results.analyze_step_result
        return reason_prompt(user_text(context.run["input"]) or "", context.score, found)

    return (
        scorer.preprocess(preprocess)
        .analyze(PromptStep("Is each call appropriate?", question, ANALYSIS_SCHEMA))
        .generate_score(lambda context: judged_accuracy(context.results.analyze_step_result))
        .generate_reason(PromptStep("Why this score?", why))
    )


def judged_accuracy(analysis: Mapping[str, Any]) -> float:
    """Score a judge's analysis as the original does: the share of appropriate evaluations, to two decimals.

    Without evaluations 0.0 where tools are missing, else 1.0; beside evaluations, missing tools change nothing.
    """
    evaluations = analysis.get("evaluations") or []
    if not evaluations:
        return 0.0 if analysis.get("missingTools") else 1.0
    return round_two(sum(1 for e in evaluations if e["wasAppropriate"]) / len(evaluations))
