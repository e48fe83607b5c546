"""The scorers of trajectories: where the expectation comes from, how dimensions become one score, and what is said of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from rootcall.errors import ScorerError, ScorerRunError
from rootcall.mastra import (
    ScorerResult,
    create_test_message,
    create_trajectory_accuracy_scorer_code,
    create_trajectory_accuracy_scorer_llm,
    create_trajectory_scorer_code,
    create_trajectory_test_run,
    extract_trajectory,
)
from rootcall.mastra.levels import Weights, two_decimals
from rootcall.mastra.trajectory_judge import judged_score


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"stepType": "tool_call", "name": name, **more}


def steps(names: str, **more: Any) -> dict[str, Any]:
    return {"steps": [call(name) for name in names], **more}


def accuracy(taken: Any, expected: Any = None, options: Any = None, *, item: Any = None) -> ScorerResult:
    run = create_trajectory_test_run(trajectory=taken, expected_trajectory=item)
    return create_trajectory_accuracy_scorer_code(expected, options).run_sync(run)


def unified(taken: Any, defaults: Any = None, weights: Any = None, *, item: Any = None) -> ScorerResult:
    run = create_trajectory_test_run(trajectory=taken, expected_trajectory=item)
    return create_trajectory_scorer_code(defaults, weights).run_sync(run)


# --- the steps alone --------------------------------------------------------------------------------------------------


def test_steps_are_expected_by_the_scorer_or_by_the_run() -> None:
    assert accuracy(steps("ab"), steps("ab")["steps"]).score == 1.0
    assert accuracy(steps("ab"), item={"steps": [{"name": "b"}, {"name": "c"}]}).score == 0.5
    assert accuracy(steps("ab"), [{"name": "a"}], item={"steps": [{"name": "c"}]}).score == 1.0


def test_without_an_expectation_the_score_is_0_and_the_reason_stands_in_the_result() -> None:
    for item in (None, {}, {"steps": None}, {"maxSteps": 3}):
        result = accuracy(steps("ab"), item=item)
        found = result.preprocess_step_result.to_dict()
        assert result.score == 0.0
        assert "nothing is expected" in found.pop("error")
        assert found == {"actualTrajectory": steps("ab"), "actualStepNames": ["a", "b"], "expectedStepNames": []}


def test_expecting_no_steps_is_an_expectation() -> None:
    assert accuracy(steps(""), []).score == 1.0
    assert accuracy(steps("a"), []).score == 0.0


def test_the_options_of_the_run_stand_before_those_of_the_scorer() -> None:
    wanted, taken = steps("ab")["steps"], steps("axb")
    assert accuracy(taken, wanted, {"ordering": "strict"}).score == 0.25
    assert accuracy(taken, wanted, {"ordering": "strict"}, item={"ordering": "relaxed"}).score == 1.0
    assert accuracy(taken, wanted, {"ordering": "strict"}, item={"ordering": None}).score == 0.25
    assert accuracy(steps("aa"), steps("aa")["steps"], {"allowRepeatedSteps": False}).score == 0.9
    assert accuracy(steps("aa"), steps("aa")["steps"], item={"allowRepeatedSteps": False}).score == 0.9


def test_a_trajectory_as_an_expectation_says_what_each_step_says_but_not_what_it_took() -> None:
    taken = {
        "steps": [call("a", durationMs=5, metadata={"m": 1}, toolArgs={"q": 1}, children=[call("b", durationMs=9)])]
    }
    before = copy.deepcopy(taken)
    result = accuracy(taken, taken)
    expected = [call("a", toolArgs={"q": 1}, children={"steps": [call("b")]})]
    assert result.preprocess_step_result.expected_trajectory == {"steps": expected}
    assert result.score == 1.0
    assert taken == before


@pytest.mark.parametrize(
    "expected", [{}, {"steps": "ab"}, {"steps": [None]}, [None], 5, {"steps": [{"children": "ab"}]}]
)
def test_an_expectation_that_cannot_be_read_is_named_at_once(expected: Any) -> None:
    with pytest.raises(ScorerError) as raised:
        create_trajectory_accuracy_scorer_code(expected)
    assert not isinstance(raised.value, ScorerRunError)


@pytest.mark.parametrize("output", [None, {}, {"steps": None}, {"steps": [None]}, [], "steps"])
def test_a_trajectory_that_cannot_be_read_fails_its_step(output: Any) -> None:
    for scorer in (create_trajectory_accuracy_scorer_code(), create_trajectory_scorer_code()):
        with pytest.raises(ScorerRunError) as raised:
            scorer.run_sync({"output": output})
        assert (raised.value.failed_step, raised.value.completed_steps) == ("preprocess", [])


# --- all dimensions ---------------------------------------------------------------------------------------------------


def failing(names: str) -> dict[str, Any]:
    return {"steps": [call(name, success=False) for name in names]}


def test_only_what_is_expected_of_counts() -> None:
    assert unified(steps("ab")).score == 1.0
    assert unified(steps("ab"), {"steps": [{"name": "a"}, {"name": "c"}]}).score == 0.5
    assert unified(steps("abcd"), {"maxSteps": 3, "noRedundantCalls": False}).score == 0.67
    assert unified(failing("aaaa")).score == 0.8


@pytest.mark.parametrize(
    ("weights", "score"),
    [
        (None, 0.56),  # 0.4 * 0.5 + 0.3 * 0.48 + 0.2 * 0.6 + 0.1 * 1
        ({"accuracy": 1, "efficiency": 0, "toolFailures": 0, "blacklist": 0}, 0.5),
        ({"accuracy": 5, "efficiency": 5, "toolFailures": 0, "blacklist": 0}, 0.49),
        ({"accuracy": "0.7", "efficiency": None, "toolFailures": 0, "blacklist": 0}, 0.49),
        ({"accuracy": -5, "efficiency": -1, "toolFailures": -1}, 1.0),
        ({"accuracy": 0, "efficiency": 0, "toolFailures": 0, "blacklist": 0}, 1.0),
    ],
)
def test_the_dimensions_are_weighed(weights: Any, score: float) -> None:
    expected = {"steps": [{"name": "a"}, {"name": "c"}], "maxSteps": 4, "blacklistedTools": ["z"]}
    found = unified(failing("aaaaa"), expected, weights)
    prepared = found.preprocess_step_result
    dimensions = (prepared.accuracy, prepared.efficiency, prepared.tool_failures, prepared.blacklist)
    assert [d.score for d in dimensions] == [0.5, 0.48, 0.6, 1.0]
    assert found.score == score


def test_weights_are_read_from_an_object() -> None:
    assert Weights.of({}) == Weights.of("weights") == Weights()
    with pytest.raises(ScorerError):
        Weights.of({"accuracy": {"toString": 1}})


def test_the_last_rounding_has_no_addend() -> None:
    assert two_decimals(0.145) == 0.14
    assert two_decimals(0.125) == 0.13


def test_the_run_stands_before_the_defaults_field_by_field() -> None:
    defaults = {"steps": [{"name": "z"}], "maxSteps": 1}
    result = unified(steps("ab"), defaults, item={"steps": [{"name": "a"}], "ordering": "strict"})
    assert result.preprocess_step_result.config == {"steps": [{"name": "a"}], "maxSteps": 1, "ordering": "strict"}
    assert result.score == 0.5  # 0.5 for a of a, b, strictly; 0.5 for two steps where one is allowed
    assert unified(steps("ab"), defaults, item={"steps": None, "maxSteps": 2}).score == 1.0


def test_a_null_budget_is_an_error_and_null_elsewhere_is_nothing() -> None:
    assert unified(steps("ab"), {"ordering": None, "allowRepeatedSteps": None, "maxRetriesPerTool": None}).score == 1.0
    with pytest.raises(ScorerRunError, match="maxSteps"):
        unified(steps("ab"), {"maxSteps": None})


def test_anything_forbidden_makes_it_0() -> None:
    result = unified(steps("ab"), {"steps": [{"name": "a"}, {"name": "b"}], "blacklistedSequences": [["a", "b"]]})
    assert result.score == 0.0
    assert result.reason == "Score 0.\nForbidden and done: in a row a, b."
    assert unified(steps("ab"), {"blacklistedTools": ["b"]}).reason == "Score 0.\nForbidden and done: the tools b."


def test_a_forbidden_sequence_that_is_no_list_fails_the_reason() -> None:
    with pytest.raises(ScorerRunError) as raised:
        unified(steps("ab"), {"blacklistedSequences": ["ab"]})
    assert (raised.value.failed_step, raised.value.completed_steps) == (
        "generate_reason",
        ["preprocess", "generate_score"],
    )


# --- within steps -----------------------------------------------------------------------------------------------------


def parent(names: str, **more: Any) -> dict[str, Any]:
    return {"steps": [{"stepType": "agent_run", "name": "sub", "children": [call(name) for name in names], **more}]}


def within(**expected: Any) -> dict[str, Any]:
    return {"steps": [{"name": "sub", "children": expected}]}


@pytest.mark.parametrize(
    ("taken", "expected", "inner", "outer"),
    [
        (parent("ab"), within(steps=[{"name": "a"}, {"name": "b"}]), 1.0, 1.0),
        (parent("a"), within(steps=[{"name": "a"}, {"name": "b"}]), 0.5, 0.85),
        (parent("ab"), within(maxSteps=1), 0.5, 0.85),
        (parent("ab"), within(blacklistedTools=["b"]), 0.0, 0.0),
        (parent("ab", durationMs=9), within(maxTotalDurationMs=6, noRedundantCalls=False), 0.5, 0.85),
        (steps("x"), within(steps=[{"name": "a"}]), 0.0, 0.0),
        (parent("ab"), within(), 1.0, 1.0),
    ],
)
def test_what_is_expected_within_a_step(taken: Any, expected: Any, inner: float, outer: float) -> None:
    result = unified(taken, expected)
    assert [(n.step_name, n.score) for n in result.preprocess_step_result.nested] == [("sub", inner)]
    assert result.score == outer


def test_where_nothing_is_said_of_a_step_nothing_is_found_within() -> None:
    for nothing in (None, False, 0, ""):
        assert (
            unified(parent("a"), {"steps": [{"name": "sub", "children": nothing}]}).preprocess_step_result.nested
            is UNSET
        )


def test_an_empty_expectation_within_a_step_is_one() -> None:
    found = unified(parent("ab"), {"steps": [{"name": "sub", "children": {"ordering": "strict"}}]})
    assert [n.to_dict().keys() for n in found.preprocess_step_result.nested] == [{"stepName", "score", "toolFailures"}]


def test_a_step_that_was_not_taken_has_its_accuracy_alone() -> None:
    found = unified(steps("x"), within(steps=[{"name": "a"}, {}])).preprocess_step_result.nested[0].to_dict()
    assert found == {
        "stepName": "sub",
        "score": 0.0,
        "accuracy": {
            "score": 0.0,
            "matchedSteps": 0,
            "totalExpectedSteps": 2,
            "totalActualSteps": 0,
            "missingSteps": ["a", None],
            "extraSteps": [],
            "outOfOrderSteps": [],
            "repeatedSteps": [],
        },
    }
    assert unified(steps("x"), within(maxSteps=1)).preprocess_step_result.nested[0].to_dict() == {
        "stepName": "sub",
        "score": 0.0,
    }


def test_what_is_forbidden_at_any_depth_makes_it_0() -> None:
    deep = {"steps": [{"name": "sub", "children": [{"name": "inner", "children": [{"name": "bad"}]}]}]}
    inner = {"name": "inner", "children": {"blacklistedTools": ["bad"]}}
    result = unified(deep, within(steps=[inner]))
    nested = result.preprocess_step_result.nested[0]
    assert (result.score, nested.score, nested.nested[0].score) == (0.0, 0.0, 0.0)
    assert nested.nested[0].to_dict()["nested"] == []  # kept where something forbidden was done, else left out
    assert result.reason == "Score 0.\nSomething forbidden was done within sub."


def test_each_expected_step_has_a_step_of_its_own() -> None:
    taken = {"steps": [*parent("a")["steps"], *parent("b")["steps"]]}
    wanted = {"name": "sub", "stepType": "agent_run", "children": {"steps": [{"name": "b"}]}}
    nested = unified(taken, {"steps": [wanted, wanted, wanted]}).preprocess_step_result.nested
    assert [n.score for n in nested] == [0.0, 1.0, 0.0]


# --- the same failure in four forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "scores"),
    [
        ({"state": "output-error", "errorText": "400"}, (1.0, 0.8, 0.93, 0.76)),
        ({"state": "result", "result": {"status": 400, "message": "bad date"}}, (1.0, 1.0, 1.0, 0.74)),
        ({"state": "result", "result": {"error": "bad date"}}, (1.0, 1.0, 1.0, 0.74)),
        ({"state": "result", "result": "bad date", "isError": True}, (1.0, 0.8, 0.93, 0.76)),
    ],
)
def test_the_same_call_failing_four_times(outcome: dict[str, Any], scores: tuple[float, ...]) -> None:
    calls = [
        {"toolCallId": f"c{n}", "toolName": "search_flights", "args": {"date": "next Friday"}, **outcome}
        for n in range(4)
    ]
    parts = [{"type": "tool-invocation", "toolInvocation": invocation} for invocation in calls]
    taken = extract_trajectory([create_test_message("I give up", "assistant", parts=parts)])
    expected = [{"name": "search_flights"}]
    assert scores == (
        accuracy(taken, expected).score,
        unified(taken).score,
        unified(taken, {"steps": expected}).score,
        unified(taken, {"steps": expected, "noRedundantCalls": True}).score,
    )


def test_the_reason_has_a_line_for_each_dimension() -> None:
    taken = {"steps": [*failing("aaaa")["steps"], *parent("xy")["steps"]], "totalDurationMs": 5}
    expected = {
        "steps": [{"name": "b"}, {"name": "a"}, *within(steps=[{"name": "z"}])["steps"]],
        "maxSteps": 4,
        "maxTotalDurationMs": 1,
    }
    result = unified(taken, expected)
    assert result.reason == "\n".join(
        [
            "Score 0.42.",
            "Accuracy 0.67: 2 of 3 expected steps were taken; not taken: b.",
            "Efficiency 0.38: 5 steps are too many; 5 ms are too long; the same call again: a, a, a.",
            "Tool failures 0.8: 3 retries; too often a.",
            "Within steps: sub 0.",
        ]
    )
    assert unified(steps("ab"), {"maxSteps": 5}).reason == "Score 1.\nEfficiency 1: nothing was wasted."


# --- a judge ----------------------------------------------------------------------------------------------------------


def judgement(*marks: tuple[bool, bool], **more: Any) -> dict[str, Any]:
    said = [{"stepName": "a", "wasNecessary": n, "wasInOrder": o, "reasoning": ""} for n, o in marks]
    return {"stepEvaluations": said, "overallAssessment": "", **more}


@pytest.mark.parametrize(
    ("analysis", "score"),
    [
        (judgement(), 1.0),
        (judgement(extraSteps=["b"]), 0.5),
        (judgement(missingSteps=["b"], extraSteps=["b"]), 0.0),
        (judgement((True, True)), 0.9),
        (judgement((True, False), (False, True)), 0.45),
        (judgement((True, True), missingSteps=["b"]), 0.85),
        (judgement((False, False), missingSteps=["b"]), 0.0),
        (judgement((True, True), missingSteps=[], extraSteps=["a"] * 9), 0.9),
    ],
)
def test_the_score_of_a_judgement(analysis: dict[str, Any], score: float) -> None:
    assert judged_score(analysis) == score


def judged(taken: Any, expected: Any = None, answer: Any = None, **run: Any) -> tuple[ScorerResult, list[str]]:
    asked: list[str] = []

    def judge(prompt: str, schema: Any) -> Any:
        asked.append(prompt)
        return "because" if schema is None else judgement((True, True)) if answer is None else answer

    made = {**create_trajectory_test_run(trajectory=taken), **run}
    return create_trajectory_accuracy_scorer_llm(judge, expected).run_sync(made), asked


def test_the_judge_is_shown_steps_request_and_answer() -> None:
    taken = {
        "steps": [
            call("a", toolArgs={"2": 1, "1": 1.0}, toolResult="x", children=[{"stepType": "workflow_step", "name": "b", "output": [1]}]),
            {"stepType": "model_generation", "name": "gen", "modelId": "m", "toolArgs": 1},
            {"stepType": "agent_run", "name": "sub"},
        ],
        "rawOutput": [create_test_message("here you are", "assistant")],
    }  # fmt: skip
    run = create_trajectory_test_run(trajectory=taken, input_messages=[create_test_message("find it", "user")])
    result, asked = judged(taken, **run)
    lines = [
        '1. [tool_call] a (args: {"1":1,"2":1}, result: "x")',
        "  1. [workflow_step] b (output: [1])",
        "2. [model_generation] gen (model: m)",
        "3. [agent_run] sub",
    ]
    assert result.preprocess_step_result.actual_trajectory_formatted == "\n".join(lines)
    assert (result.score, result.reason, len(asked)) == (0.9, "because", 2)
    assert all(said in asked[0] for said in ("find it", "here you are", *lines, "No steps are laid down"))
    assert "Score: 0.9 of 1" in asked[1]
    assert "expectedTrajectoryFormatted" not in result.to_dict()["preprocessStepResult"]


def test_the_judge_is_shown_what_is_expected() -> None:
    wanted = [{"name": "a", "stepType": "tool_call", "toolArgs": {"q": 1}, "children": {"steps": [{"name": "b"}]}}]
    shown = '1. [tool_call] a ({"toolArgs":{"q":1}})\n  1. b'
    for result, asked in (judged(steps("a"), wanted), judged(steps("a"), expectedTrajectory={"steps": wanted})):
        assert result.preprocess_step_result.expected_trajectory_formatted == shown
        assert shown in asked[0]
        assert "No steps are laid down" not in asked[0]
    result, asked = judged(steps(""), steps("a"), expectedTrajectory={"steps": wanted})
    assert result.preprocess_step_result.expected_trajectory_formatted == "1. [tool_call] a"
    assert "(none)" in asked[0]
    assert (
        "expectedTrajectoryFormatted"
        not in judged(steps("a"), expectedTrajectory={"steps": []})[0].to_dict()["preprocessStepResult"]
    )


def test_a_judgement_that_is_none_fails_the_analysis() -> None:
    with pytest.raises(ScorerRunError) as raised:
        judged(steps("a"), answer={"stepEvaluations": [{"stepName": "a"}], "overallAssessment": ""})
    assert (raised.value.failed_step, raised.value.completed_steps) == ("analyze", ["preprocess"])


# --- any JSON ---------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(
    [
        "steps",
        "name",
        "stepType",
        "children",
        "ordering",
        "maxSteps",
        "blacklistedTools",
        "length",
        "durationMs",
        "success",
    ]
)
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from(["a", "tool_call", ""]),
    lambda v: st.lists(v, max_size=4) | st.dictionaries(KEYS, v, max_size=4),
    max_leaves=15,
)


@given(ODD, ODD, ODD)
def test_any_value_is_scored_or_its_step_named(taken: Any, expected: Any, item: Any) -> None:
    run = {"output": taken, "expectedTrajectory": item}
    before = copy.deepcopy((run, expected))
    for make in (create_trajectory_scorer_code, create_trajectory_accuracy_scorer_code):
        try:
            scorer = make(expected)
        except ScorerError:
            continue
        try:
            score = scorer.run_sync(run).score
        except ScorerRunError as error:
            cause = error.__cause__
        else:
            assert 0.0 <= score <= 1.0
            continue
        assert isinstance(cause, ScorerError)
        assert "\n" not in str(cause)
    assert (run, expected) == before
