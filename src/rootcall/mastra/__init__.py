"""Mastra's tool-call scorers in Python: the same names, options, results and numbers, and corrected ones beside them.

    from rootcall.mastra import create_tool_call_accuracy_scorer_code
    scorer = create_tool_call_accuracy_scorer_code(expected_tool="weather-tool")
    scorer.run_sync(run).score

"Mastra-compatible" means `@mastra/evals` 1.10.2 with `@mastra/core` 1.71.0. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rootcall.mastra import checks as checks
    from rootcall.mastra.accuracy import create_tool_call_accuracy_scorer_code as create_tool_call_accuracy_scorer_code
    from rootcall.mastra.accuracy import create_tool_call_accuracy_scorer_llm as create_tool_call_accuracy_scorer_llm
    from rootcall.mastra.conduct import check_blacklist as check_blacklist
    from rootcall.mastra.conduct import check_efficiency as check_efficiency
    from rootcall.mastra.conduct import check_tool_failures as check_tool_failures
    from rootcall.mastra.extraction import extract_tool_calls as extract_tool_calls
    from rootcall.mastra.extraction import extract_tool_results as extract_tool_results
    from rootcall.mastra.extraction import extract_trajectory as extract_trajectory
    from rootcall.mastra.messages import assistant_text as assistant_text
    from rootcall.mastra.messages import create_agent_test_run as create_agent_test_run
    from rootcall.mastra.messages import create_test_message as create_test_message
    from rootcall.mastra.messages import create_tool_invocation as create_tool_invocation
    from rootcall.mastra.messages import create_trajectory_test_run as create_trajectory_test_run
    from rootcall.mastra.messages import user_text as user_text
    from rootcall.mastra.runs import run_of as run_of
    from rootcall.mastra.runs import trace_of as trace_of
    from rootcall.mastra.scorer import Judge as Judge
    from rootcall.mastra.scorer import PromptStep as PromptStep
    from rootcall.mastra.scorer import Scorer as Scorer
    from rootcall.mastra.scorer import ScorerResult as ScorerResult
    from rootcall.mastra.scorer import StepContext as StepContext
    from rootcall.mastra.scorer import create_scorer as create_scorer
    from rootcall.mastra.scorer import not_scorable as not_scorable
    from rootcall.mastra.trajectories import compare_trajectories as compare_trajectories
    from rootcall.mastra.trajectory_judge import (
        create_trajectory_accuracy_scorer_llm as create_trajectory_accuracy_scorer_llm,
    )
    from rootcall.mastra.trajectory_scorers import (
        create_trajectory_accuracy_scorer_code as create_trajectory_accuracy_scorer_code,
    )
    from rootcall.mastra.trajectory_scorers import create_trajectory_scorer_code as create_trajectory_scorer_code

_HOME = {
    "Judge": "scorer",
    "PromptStep": "scorer",
    "Scorer": "scorer",
    "ScorerResult": "scorer",
    "StepContext": "scorer",
    "assistant_text": "messages",
    "check_blacklist": "conduct",
    "check_efficiency": "conduct",
    "check_tool_failures": "conduct",
    "compare_trajectories": "trajectories",
    "create_agent_test_run": "messages",
    "create_scorer": "scorer",
    "create_test_message": "messages",
    "create_tool_call_accuracy_scorer_code": "accuracy",
    "create_tool_call_accuracy_scorer_llm": "accuracy",
    "create_tool_invocation": "messages",
    "create_trajectory_accuracy_scorer_code": "trajectory_scorers",
    "create_trajectory_accuracy_scorer_llm": "trajectory_judge",
    "create_trajectory_scorer_code": "trajectory_scorers",
    "create_trajectory_test_run": "messages",
    "extract_tool_calls": "extraction",
    "extract_tool_results": "extraction",
    "extract_trajectory": "extraction",
    "not_scorable": "scorer",
    "run_of": "runs",
    "trace_of": "runs",
    "user_text": "messages",
}

__all__ = [*_HOME, "checks"]  # noqa: PLE0604 -- every name of the table is a text


def __getattr__(name: str) -> Any:
    if name == "checks":
        return import_module("rootcall.mastra.checks")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rootcall.mastra' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rootcall.mastra.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
