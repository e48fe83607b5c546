"""A recorded result of the original against ours, row by row: what differs, in words, "" when nothing does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rootcall.errors import ScorerError, ScorerRunError
from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_call_accuracy_scorer_llm,
    create_tool_invocation,
    extract_tool_calls,
    extract_tool_results,
    extract_trajectory,
)

Row = Mapping[str, Any]
_OPTIONS = {"expectedTool": "expected_tool", "strictMode": "strict_mode", "expectedToolOrder": "expected_tool_order"}
_CAMEL = {"preprocess": "preprocess", "analyze": "analyze", "generate_score": "generateScore", "generate_reason": "generateReason"}  # fmt: skip


def code(row: Row) -> str:
    """The code scorer: construction, run, the whole of its preparation, the score."""
    options = {_OPTIONS[key]: value for key, value in row["options"].items()}
    try:
        scorer = create_tool_call_accuracy_scorer_code(**options)
    except ScorerError:
        return differs("place", row, {"phase": "construct"})
    try:
        result = scorer.run_sync(row["run"])
    except ScorerRunError as error:
        return differs("place", row, {"phase": "run", "failedStep": _CAMEL[error.failed_step]})
    return compared(row, result.to_dict())


def llm(row: Row) -> str:
    """The judge-based scorer, with a judge that answers what was recorded."""
    calls = [create_tool_invocation(f"c{n}", tool, {}, {}) for n, tool in enumerate(row["toolsCalled"])]
    output = [create_test_message("done", "assistant", tool_invocations=calls)]
    run = create_agent_test_run(output=output, input_messages=[create_test_message("weather?", "user")])
    answer = row["rawAnalyzeText"] if "rawAnalyzeText" in row else json.dumps(row["analysis"])
    asked: list[str] = []

    def judge(prompt: str, schema: object) -> str:
        asked.append(prompt)
        return "because" if schema is None else answer

    try:
        result = create_tool_call_accuracy_scorer_llm(judge, []).run_sync(run)
    except ScorerRunError as error:
        wrong = differs("place", row, {"failedStep": _CAMEL[error.failed_step]})
        return wrong or ("" if row["modelCalls"] == len(asked) else f"the model was called {len(asked)} times")
    found = result.to_dict()
    wanted = row.get("result", {})
    if wanted and found["analyzeStepResult"] != wanted["analyzeStepResult"]:
        return f"analysis: {found['analyzeStepResult']}"
    if wanted and wanted["generateReasonPromptScoreLine"] not in found["generateReasonPrompt"].splitlines():
        return f"score in the prompt: {found['generateReasonPrompt']}"
    return compared(row, found)


def compared(row: Row, found: Mapping[str, Any]) -> str:
    """Compare score and preparation; a row with an error wants one."""
    if "error" in row:
        return f"an error was wanted at {row['error'].get('phase') or row['error'].get('failedStep')}, none came"
    wanted = row["result"]
    if not same(found.get("score"), wanted.get("score")):
        return f"score {found.get('score')}, wanted {wanted.get('score')}"
    if not same(found.get("preprocessStepResult"), wanted.get("preprocessStepResult")):
        return (
            f"{json.dumps(found.get('preprocessStepResult'))}, wanted {json.dumps(wanted.get('preprocessStepResult'))}"
        )
    return ""


def differs(what: str, row: Row, place: Mapping[str, str]) -> str:
    """Compare the place of an error; a row without one wants none."""
    wanted = row.get("error")
    if wanted is None:
        return f"{what}: an error at {dict(place)}, none was wanted"
    wrong = {key: wanted.get(key) for key, value in place.items() if wanted.get(key) != value}
    return f"{what}: {dict(place)}, wanted {wrong}" if wrong else ""


def same(a: Any, b: Any) -> bool:
    """Equality of JSON values where 1 is 1.0 and true is not 1."""
    return bool(_typed(a) == _typed(b))


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, Mapping):
        return {k: _typed(v) for k, v in value.items()}
    return [_typed(v) for v in value] if isinstance(value, list) else value


def extraction(row: Row) -> str:
    """What is extracted from an output: calls, results, steps."""
    for name, extract in EXTRACTORS.items():
        try:
            found = {"value": extract(row["output"])}
        except ScorerError:
            found = {"error": True}
        wanted = row[name] if "value" in row[name] else {"error": True}
        if not same(found, wanted):
            return f"{name}: {json.dumps(found)}, wanted {json.dumps(wanted)}"
    return ""


EXTRACTORS: dict[str, Callable[[Any], Any]] = {
    "toolCalls": lambda output: msgspec.to_builtins(extract_tool_calls(output)),
    "toolResults": lambda output: msgspec.to_builtins(extract_tool_results(output)),
    "trajectorySteps": lambda output: extract_trajectory(output)["steps"],
}
CHECKERS: dict[str, Callable[[Row], str]] = {"code": code, "llm": llm, "extract_checks": extraction}
