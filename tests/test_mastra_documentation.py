"""The examples of the original's documentation of tool call accuracy, in Python, with the scores that it promises.

Where a judge is needed, a stand-in answers as the example says a model did. Two of the promised scores cannot come of the
original's own arithmetic; what comes instead stands here too.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from mastra_shapes import shape_table
from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_call_accuracy_scorer_llm,
    create_tool_invocation,
)
from rootcall.mastra.accuracy import SEMANTICS, Semantics
from rootcall.mastra.differences import DifferenceKind

DIFFERENCES = Path(__file__).parent.parent / "docs" / "reference" / "mastra-differences.md"

WEATHER, CALENDAR, SEARCH = AVAILABLE = [
    {"name": "weather-tool", "description": "The current weather of any place"},
    {"name": "calendar-tool", "description": "Events and appointments"},
    {"name": "search-tool", "description": "The web, for anything"},
]
Called = tuple[str, Mapping[str, Any], Mapping[str, Any]]

WEATHER_CALL: Called = ("weather-tool", {"location": "New York"}, {"temperature": "72°F", "condition": "sunny"})
SEARCH_CALL: Called = ("search-tool", {"query": "Tokyo weather"}, {"results": ["Tokyo: 18 °C"]})
AUTH: Called = ("auth-tool", {"token": "abc123"}, {"authenticated": True})
LOG: Called = ("log-tool", {"message": "fetch begins"}, {"logged": True})
FETCH: Called = ("fetch-tool", {"endpoint": "/data"}, {"data": ["item1"]})

both = pytest.mark.parametrize("semantics", SEMANTICS)


def run(asked: str, said: str, *calls: Called) -> dict[str, Any]:
    """A run of one question and one message that answers it with calls."""
    made = [create_tool_invocation(f"call-{n}", name, args, result) for n, (name, args, result) in enumerate(calls, 1)]
    return create_agent_test_run(
        input_messages=[create_test_message(asked, "user", "input-1")],
        output=[create_test_message(said, "assistant", "output-1", tool_invocations=made)],
    )


def judge(
    evaluations: Mapping[str, bool | str], missing: list[str] | None = None
) -> Callable[[str, Mapping[str, Any] | None], str]:
    """A judge that always answers the same, in the shape it is asked for."""

    def answer(prompt: str, schema: Mapping[str, Any] | None) -> str:
        if schema is None:
            return "Because of the evaluations."
        if "missingTools" in schema["required"]:  # graded: one answer for each call, by its id
            graded = {
                f"c{n}": {"appropriateness": word, "reasoning": "so"} for n, word in enumerate(evaluations.values())
            }
            return json.dumps({"evaluations": graded, "missingTools": missing or []})
        told = [
            {"toolCalled": tool, "wasAppropriate": appropriate, "reasoning": "so"}
            for tool, appropriate in evaluations.items()
        ]
        return json.dumps({"evaluations": told, "missingTools": missing or []})

    return answer


@both
def test_the_right_tool(semantics: Semantics) -> None:
    scorer = create_tool_call_accuracy_scorer_code("weather-tool", semantics=semantics)
    result = scorer.run_sync(run("How is the weather in New York today?", "I will look.", WEATHER_CALL))
    assert result.score == 1
    assert result.preprocess_step_result.correct_tool_called is True


@both
def test_strictly_one_tool_where_two_were_called(semantics: Semantics) -> None:
    scorer = create_tool_call_accuracy_scorer_code("weather-tool", strict_mode=True, semantics=semantics)
    result = scorer.run_sync(run("How is the weather?", "One moment.", SEARCH_CALL, WEATHER_CALL))
    assert result.score == 0
    assert result.preprocess_step_result.actual_tools == ["search-tool", "weather-tool"]


@both
def test_strictly_in_order(semantics: Semantics) -> None:
    scorer = create_tool_call_accuracy_scorer_code(
        "auth-tool",  # of no account beside an order
        strict_mode=True,
        expected_tool_order=["auth-tool", "fetch-tool"],
        semantics=semantics,
    )
    assert scorer.run_sync(run("My data, please.", "I will fetch it.", AUTH, FETCH)).score == 1
    assert scorer.run_sync(run("My data, please.", "I will fetch it.", AUTH, LOG, FETCH)).score == 0


@both
def test_in_order_with_another_tool_between(semantics: Semantics) -> None:
    scorer = create_tool_call_accuracy_scorer_code(
        "auth-tool", strict_mode=False, expected_tool_order=["auth-tool", "fetch-tool"], semantics=semantics
    )
    result = scorer.run_sync(run("My data, please.", "I will fetch it.", AUTH, LOG, FETCH))
    assert result.score == 1
    assert result.preprocess_step_result.correct_order_called is True


def test_a_judge_finds_the_right_tool_appropriate() -> None:
    asked = run("Is it warm in San Francisco today?", "I will look.", WEATHER_CALL)
    result = create_tool_call_accuracy_scorer_llm(judge({"weather-tool": True}), AVAILABLE).run_sync(asked)
    assert (result.score, result.reason) == (1.0, "Because of the evaluations.")
    ours = create_tool_call_accuracy_scorer_llm(judge({"weather-tool": "right"}), AVAILABLE, semantics="rootcall")
    assert ours.run_sync(asked).score == 1.0


def test_asking_back_was_right_where_the_request_was_vague() -> None:
    asked = run("Can you help me?", "Gladly! What is it about?")
    for semantics in SEMANTICS:
        scorer = create_tool_call_accuracy_scorer_llm(judge({}), AVAILABLE, semantics=semantics)
        assert scorer.run_sync(asked).score == 1.0


def test_both_scorers_on_the_same_data() -> None:
    asked = run("How is the weather?", "I will look.", ("search-tool", {"query": "weather"}, {"results": []}))
    code = create_tool_call_accuracy_scorer_code("weather-tool", strict_mode=False)
    llm = create_tool_call_accuracy_scorer_llm(judge({"search-tool": False}), [WEATHER, SEARCH])

    async def together() -> tuple[Any, Any]:
        first, second = await asyncio.gather(code.run(asked), llm.run(asked))
        return first.score, second.score

    assert asyncio.run(together()) == (0, 0.0)


@pytest.mark.parametrize("appropriate", [True, False])
def test_half_a_point_for_one_call_cannot_come_of_the_originals_arithmetic(appropriate: bool) -> None:
    asked = run("How is the weather in Tokyo?", "I will search.", SEARCH_CALL)
    result = create_tool_call_accuracy_scorer_llm(judge({"search-tool": appropriate}), AVAILABLE).run_sync(asked)
    assert result.score == float(appropriate)


def test_half_a_point_for_a_useful_call_under_our_semantics() -> None:
    asked = run("How is the weather in Tokyo?", "I will search.", SEARCH_CALL)
    scorer = create_tool_call_accuracy_scorer_llm(judge({"search-tool": "useful"}), AVAILABLE, semantics="rootcall")
    assert scorer.run_sync(asked).score == 0.5
    found = create_tool_call_accuracy_scorer_llm(
        judge({"search-tool": "useful"}, ["weather-tool"]), AVAILABLE, semantics="rootcall"
    )
    assert found.run_sync(asked).score == 0.25


def test_every_kind_of_difference_has_its_section_with_a_run() -> None:
    sections = re.split(r"^### (\S+)$", DIFFERENCES.read_text("utf-8"), flags=re.MULTILINE)
    told = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert set(told) == set(get_args(DifferenceKind))
    for kind, text in told.items():
        assert f"  {kind}: " in text, kind


def test_the_table_of_shapes_is_the_printed_one() -> None:
    assert "\n".join(shape_table()) in DIFFERENCES.read_text("utf-8")
