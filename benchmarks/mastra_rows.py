"""A recorded result of the original against ours, row by row: what differs, in words, "" when nothing does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rootcall.errors import ScorerError, ScorerRunError
from rootcall.mastra import (
    check_blacklist,
    check_efficiency,
    check_tool_failures,
    checks,
    compare_trajectories,
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_call_accuracy_scorer_llm,
    create_tool_invocation,
    create_trajectory_accuracy_scorer_code,
    create_trajectory_accuracy_scorer_llm,
    create_trajectory_scorer_code,
    create_trajectory_test_run,
    extract_tool_calls,
    extract_tool_results,
    extract_trajectory,
)
from rootcall.mastra.javascript import double, units
from rootcall.mastra.trajectories import Record

Row = Mapping[str, Any]
_OPTIONS = {"expectedTool": "expected_tool", "strictMode": "strict_mode", "expectedToolOrder": "expected_tool_order"}
_BUDGETS = {"maxSteps": "max_steps", "maxTotalTokens": "max_total_tokens", "maxTotalDurationMs": "max_total_duration_ms", "noRedundantCalls": "no_redundant_calls"}  # fmt: skip
_FORBIDDEN = {"blacklistedTools": "blacklisted_tools", "blacklistedSequences": "blacklisted_sequences"}
_COMPARISON = {"ordering": "ordering", "allowRepeatedSteps": "allow_repeated_steps"}
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
    """Equality of JSON values as JavaScript writes them: 1 is 1.0, true is not 1, what no double holds is null."""
    return bool(_typed(a) == _typed(b))


def _typed(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float):
        return double(value) if math.isfinite(double(value)) else None
    if isinstance(value, Mapping):
        return {units(k): _typed(v) for k, v in value.items()}
    if isinstance(value, str):
        return units(value)
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


def trajectory(row: Row) -> str:
    """The two scorers of trajectories by rule: construction, run, the whole of their preparation, the score."""
    options = row["options"]
    try:
        if row["scorer"] == "createTrajectoryAccuracyScorerCode":
            scorer = create_trajectory_accuracy_scorer_code(
                options.get("expectedTrajectory"), options.get("comparisonOptions")
            )
        else:
            scorer = create_trajectory_scorer_code(options.get("defaults"), options.get("weights"))
    except ScorerError:
        return differs("place", row, {"phase": "construct"})
    try:
        result = scorer.run_sync(row["run"])
    except ScorerRunError as error:
        return differs("place", row, {"failedStep": _CAMEL[error.failed_step]})
    found = {**result.to_dict(), "preprocessStepResult": _unworded(result.preprocess_step_result.to_dict())}
    if "result" not in row:
        return compared(row, found)
    prepared = _unworded(row["result"].get("preprocessStepResult"))
    return compared({**row, "result": {**row["result"], "preprocessStepResult": prepared}}, found)


def _unworded(prepared: Mapping[str, Any]) -> dict[str, Any]:
    """A preparation without the trajectory it repeats; an error in it counts, its words are our own."""
    kept = {key: value for key, value in prepared.items() if key != "actualTrajectory"}
    return {**kept, "error": True} if "error" in kept else kept


def trajectory_utils(row: Row) -> str:
    """The four functions over a trajectory: what they return, or that they raise."""
    taken = row["trajectory"]
    functions: dict[str, tuple[Callable[..., Record], Mapping[str, str]]] = {
        "efficiency": (check_efficiency, _BUDGETS),
        "blacklist": (check_blacklist, _FORBIDDEN),
        "toolFailures": (check_tool_failures, {"maxRetriesPerTool": "max_retries_per_tool"}),
        "compare": (compare_trajectories, _COMPARISON),
    }
    for name, (function, names) in functions.items():
        recorded = row.get(name)
        if recorded is None:
            continue
        given = [taken, recorded["expected"]] if name == "compare" else [taken]
        options = {names[key]: value for key, value in recorded["options"].items()}
        try:
            found: dict[str, Any] = {"value": function(*given, **options).to_dict()}
        except ScorerError:
            found = {"error": True}
        wanted = {"value": recorded["value"]} if "value" in recorded else {"error": True}
        if not same(found, wanted):
            return f"{name}: {json.dumps(found)}, wanted {json.dumps(wanted)}"
    return ""


def llm_trajectory(row: Row) -> str:
    """The scorer of trajectories by a judge, with one that answers what was recorded."""
    answer = json.dumps(row["analysis"])
    scorer = create_trajectory_accuracy_scorer_llm(lambda _prompt, schema: "because" if schema is None else answer)
    try:
        result = scorer.run_sync(create_trajectory_test_run(trajectory={"steps": []}))
    except ScorerRunError as error:
        return differs("place", row, {"failedStep": _CAMEL[error.failed_step]})
    if "error" not in row and not same(result.analyze_step_result, row["result"]["analyzeStepResult"]):
        return f"analysis: {result.analyze_step_result}"
    prepared = row.get("result", {}).get("preprocessStepResult")
    return compared(row, {"score": result.score, "preprocessStepResult": prepared})


def quick_checks(row: Row) -> str:
    """The checks over calls: score and preparation."""
    params = row["params"]
    made = {
        "calledTool": checks.called_tool(params["name"], params["times"]),
        "didNotCall": checks.did_not_call(params["name"]),
        "toolOrder": checks.tool_order(params["order"]),
        "maxToolCalls": checks.max_tool_calls(params["max"]),
        "usedNoTools": checks.used_no_tools(),
        "noToolErrors": checks.no_tool_errors(),
    }
    for name, outcome in row["checks"].items():
        recorded = outcome if "error" in outcome else {"result": outcome}
        try:
            result = made[name].run_sync({"output": row["output"]})
        except ScorerRunError as error:
            fault = differs("place", recorded, {"failedStep": _CAMEL[error.failed_step]})
        else:
            fault = compared(recorded, result.to_dict())
        if fault:
            return f"{name}: {fault}"
    return ""


def extract_checks(row: Row) -> str:
    """What is extracted from an output, and the checks over it."""
    return extraction(row) or quick_checks(row)


EXTRACTORS: dict[str, Callable[[Any], Any]] = {
    "toolCalls": lambda output: msgspec.to_builtins(extract_tool_calls(output)),
    "toolResults": lambda output: msgspec.to_builtins(extract_tool_results(output)),
    "trajectorySteps": lambda output: extract_trajectory(output)["steps"],
}
CHECKERS: dict[str, Callable[[Row], str]] = {
    "code": code,
    "trajectory": trajectory,
    "trajectory_utils": trajectory_utils,
    "llm": llm,
    "llm_trajectory": llm_trajectory,
    "extract_checks": extract_checks,
}
