"""One run, scored by rule and by a judge: was the right tool called, and was what was called appropriate?

    python examples/mastra/both_scorers.py

The judge is a stand-in that knows one thing, so that this runs without a model: put your own in its place, any callable
`(prompt, schema)`, which may be async. It prints:

    by rule    0.0  called: search-tool
    by judge   0.0  The weather tool answers the question, a search does so at most by chance.
    corrected  0.5  The weather tool answers the question, a search does so at most by chance.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_call_accuracy_scorer_llm,
    create_tool_invocation,
)

TOOLS = [
    {"name": "weather-tool", "description": "The weather of a place, now and for a week"},
    {"name": "search-tool", "description": "The web, for anything"},
]


async def judge(prompt: str, schema: Mapping[str, Any] | None) -> object:
    """Find a search for the weather useful at most; the schema says which of the two scorers asks."""
    if schema is None:
        return "The weather tool answers the question, a search does so at most by chance."
    if schema["properties"]["evaluations"]["type"] == "array":
        evaluation = {"toolCalled": "search-tool", "wasAppropriate": False, "reasoning": "There is a tool for this."}
        return {"evaluations": [evaluation], "missingTools": []}
    grade = {"appropriateness": "useful", "reasoning": "It may find the weather."}
    calls = schema["properties"]["evaluations"]["required"]
    return {"evaluations": dict.fromkeys(calls, grade), "missingTools": []}


async def main() -> None:
    """Score one run three times."""
    call = create_tool_invocation("c1", "search-tool", {"query": "weather Gimje"}, {"results": []})
    run = create_agent_test_run(
        input_messages=[create_test_message("How is the weather in Gimje?", "user")],
        output=[create_test_message("I will look.", "assistant", tool_invocations=[call])],
    )
    code = create_tool_call_accuracy_scorer_code(expected_tool="weather-tool")
    llm = create_tool_call_accuracy_scorer_llm(judge, TOOLS)
    corrected = create_tool_call_accuracy_scorer_llm(judge, TOOLS, semantics="rootcall")
    by_rule, by_judge, by_ours = await asyncio.gather(code.run(run), llm.run(run), corrected.run(run))
    print("by rule   ", by_rule.score, " called:", *by_rule.preprocess_step_result.actual_tools)
    print("by judge  ", by_judge.score, "", by_judge.reason)
    print("corrected ", by_ours.score, "", by_ours.reason)


if __name__ == "__main__":
    asyncio.run(main())
