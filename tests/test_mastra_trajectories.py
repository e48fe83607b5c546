"""Steps against expected steps, costs, blacklist and retries: the recorded rows, then each rule, then any JSON."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastra_rows import CHECKERS
from rootcall.errors import ScorerError
from rootcall.mastra import check_blacklist, check_efficiency, check_tool_failures, compare_trajectories

DATA = Path(__file__).parent / "data" / "mastra"
FUNCTIONS: Any = (check_efficiency, check_blacklist, check_tool_failures)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines()]


def steps(*found: Any, **more: Any) -> dict[str, Any]:
    """A trajectory; a name stands for a step that has nothing else."""
    return {"steps": [{"name": step} if isinstance(step, str) else step for step in found], **more}


def call(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"stepType": "tool_call", "name": name, **more}


def score(actual: Any, expected: Any, **options: Any) -> float:
    return compare_trajectories(steps(*actual), steps(*expected), **options).score


@pytest.mark.parametrize("name", ["trajectory", "trajectory_utils", "llm_trajectory"])
def test_recorded_results_of_the_original(name: str) -> None:
    found = rows(name)
    assert {row["id"]: fault for row in found if (fault := CHECKERS[name](row))} == {}
    assert len(found) >= 40


def test_odd_shapes_are_judged_as_the_original_judges_them() -> None:
    found = rows("odd_trajectories")
    assert {row["id"]: fault for row in found if (fault := CHECKERS[row["file"]](row))} == {}
    assert sum("error" in row for row in found) > 20


def test_a_recorded_result_that_differs_is_told() -> None:
    row = next(r for r in rows("trajectory") if "result" in r)
    assert CHECKERS["trajectory"]({**row, "result": {**row["result"], "score": 0.123}})
    assert CHECKERS["trajectory"]({**row, "error": {"failedStep": "preprocess"}})
    failed = next(r for r in rows("trajectory") if "error" in r)
    assert CHECKERS["trajectory"]({**failed, "error": {"failedStep": "generateScore"}})
    row = copy.deepcopy(next(r for r in rows("trajectory_utils") if "value" in r["efficiency"]))
    row["efficiency"]["value"]["totalSteps"] += 1
    assert CHECKERS["trajectory_utils"](row)
    row = rows("llm_trajectory")[0]
    assert CHECKERS["llm_trajectory"]({**row, "result": {**row["result"], "score": 0.123}})


# --- steps against expected steps -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected", "strict", "relaxed", "unordered"),
    [
        ("ab", "ab", 1.0, 1.0, 1.0),
        ("ba", "ab", 0.0, 0.5, 1.0),
        ("axb", "ab", 0.25, 1.0, 1.0),
        ("a", "ab", 0.5, 0.5, 0.5),
        ("abab", "ab", 0.5, 1.0, 1.0),
        ("aa", "aa", 1.0, 1.0, 1.0),
        ("a", "aa", 0.5, 0.5, 0.5),
        ("", "ab", 0.0, 0.0, 0.0),
        ("a", "abcdefgh", 0.13, 0.13, 0.13),
        ("", "", 1.0, 1.0, 1.0),
        ("a", "", 0.0, 0.0, 0.0),
    ],
)
def test_the_three_ways_of_comparing(
    actual: str, expected: str, strict: float, relaxed: float, unordered: float
) -> None:
    found = [score(actual, expected, ordering=o) for o in ("strict", "relaxed", "unordered")]
    assert found == [strict, relaxed, unordered]


def test_relaxed_is_the_way_unless_another_is_asked_for() -> None:
    assert score("axb", "ab") == score("axb", "ab", ordering="anything") == score("axb", "ab", ordering=None) == 1.0


def test_what_a_comparison_tells() -> None:
    found = compare_trajectories(steps(*"baxx"), steps(*"abc"))
    assert found.to_dict() == {
        "score": 0.33,
        "matchedSteps": 1,
        "totalExpectedSteps": 3,
        "totalActualSteps": 4,
        "missingSteps": ["b", "c"],
        "extraSteps": ["x", "x"],
        "outOfOrderSteps": ["b"],
        "repeatedSteps": ["x"],
    }


def test_each_repeated_name_costs_a_tenth() -> None:
    assert score("aabb", "ab", allow_repeated_steps=False) == 0.8
    assert score("aaaa", "a", allow_repeated_steps=False) == 0.9
    assert score("aabb", "ab", allow_repeated_steps=None) == 0.8
    assert score("aabb", "ab") == 1.0


@pytest.mark.parametrize(
    ("taken", "wanted", "fits"),
    [
        (call(toolArgs={"q": 1}), {"name": "a", "toolArgs": {"q": 2}}, True),  # without a type only the name counts
        (call(toolArgs={"q": 1}), call(toolArgs={"q": 2}), False),
        (call(toolArgs={"q": 1}), call(toolArgs={"q": 1.0}), True),
        (call(toolArgs={"q": 2**53}), call(toolArgs={"q": 2**53 + 1}), True),
        (call(toolArgs={"q": True}), call(toolArgs={"q": 1}), False),
        (call(toolArgs={"a": 1, "b": 2}), call(toolArgs={"b": 2, "a": 1}), False),  # the order of keys counts
        (call(toolArgs={"1": 1, "2": 2}), call(toolArgs={"2": 2, "1": 1}), True),  # but not of indexes
        (call(toolArgs={"q": "é"}), call(toolArgs={"q": "e\u0301"}), False),
        (call(), call(toolArgs={}), False),
        (call(toolArgs={}), call(), True),
        (call(success=False), call(success=True), False),
        (call(toolResult=None), call(toolResult=None), True),
        ({"name": "a", "stepType": "mcp_tool_call", "mcpServer": "m"}, {"name": "a", "stepType": "mcp_tool_call", "mcpServer": "n"}, False),
        ({"name": "a", "stepType": "provider_tool_call", "toolArgs": 1}, {"name": "a", "stepType": "provider_tool_call", "toolArgs": 2}, True),
        (call(), {"name": "a", "stepType": "agent_run"}, False),
        ({"name": "a"}, {"name": "a", "stepType": ""}, True),
        ({"name": "a", "stepType": "new"}, {"name": "a", "stepType": "new", "toolArgs": 1}, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ordering", ["strict", "relaxed", "unordered"])
def test_when_a_step_fits(taken: Any, wanted: Any, fits: bool, ordering: str) -> None:
    assert score([taken], [wanted], ordering=ordering) == float(fits)


def test_a_step_that_does_not_fit_leaves_the_place_to_a_later_one() -> None:
    taken = [call(toolArgs={"q": 1}), call(toolArgs={"q": 2})]
    assert score(taken, [call(toolArgs={"q": 2})]) == 1.0
    assert score(taken, taken[::-1]) == 0.5
    assert score(taken, taken[::-1], ordering="unordered") == 1.0


@pytest.mark.parametrize("ordering", ["strict", "relaxed", "unordered"])
def test_a_type_that_every_object_has_is_named(ordering: str) -> None:
    odd = {"name": "a", "stepType": "constructor"}
    with pytest.raises(ScorerError, match="stepType: 'constructor'"):
        score([odd], [odd], ordering=ordering)
    assert score([odd], [{"name": "a"}], ordering=ordering) == 1.0
    assert score([call()], [odd], ordering=ordering) == 0.0


def test_steps_without_a_name_have_the_same_one() -> None:
    found = compare_trajectories(steps({}, {"stepType": "x"}), steps({}, {"name": "b"}))
    assert (found.matched_steps, found.missing_steps, found.repeated_steps) == (1, ["b"], [None])
    # Strictly they are even found beyond the end of the steps taken.
    assert score("a", ["a", {}], ordering="strict") == 1.0


def test_what_is_no_step_has_no_name() -> None:
    assert score([0, [], False], [{}, {}, {}]) == 1.0
    assert score([{"name": "a"}], [5]) == 0.0


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (None, steps("a"), "expected an object with 'steps', got null"),
        (steps("a"), None, "expected an object with 'steps', got null"),
        ({}, steps("a"), "steps taken: expected a list, got nothing"),
        (steps("a"), {}, "expected an object with 'length', got nothing"),
        (steps("a"), {"steps": "ab"}, "steps expected: expected a list, got string"),
        ({"steps": [None]}, steps("a"), r"steps taken\[0\]: expected an object, got null"),
        (steps("a"), {"steps": [{}, None]}, r"steps expected\[1\]"),
        ({"steps": "a"}, {"steps": []}, "steps: expected a list"),
    ],
)
def test_steps_that_cannot_be_read_are_named(actual: Any, expected: Any, message: str) -> None:
    with pytest.raises(ScorerError, match=message):
        compare_trajectories(actual, expected)


# --- costs ------------------------------------------------------------------------------------------------------------


def generation(prompt: Any, completion: Any, **more: Any) -> dict[str, Any]:
    return {
        "stepType": "model_generation",
        "name": "gen",
        "promptTokens": prompt,
        "completionTokens": completion,
        **more,
    }


@pytest.mark.parametrize(("budget", "mark"), [(4, 1.0), (3, 0.67), (2, 0.0), (1, 0.0), (0, 0.0), (-0.0, 1.0)])
def test_a_budget_loses_the_share_by_which_it_is_exceeded(budget: float, mark: float) -> None:
    found = check_efficiency(steps(*"abcd"), max_steps=budget, no_redundant_calls=False)
    assert (found.score, found.over_step_budget) == (mark, budget < 4)


def test_tokens_are_those_of_all_generations() -> None:
    nested = {"stepType": "agent_run", "name": "sub", "children": [generation(3, 4, children=[generation(0, 1)])]}
    found = check_efficiency(steps(generation(1, 1), nested), max_total_tokens=5, no_redundant_calls=False)
    assert (found.total_tokens, found.over_token_budget, found.score) == (10, True, 0.0)


def test_durations_are_told_or_summed() -> None:
    timed = steps({"name": "a", "durationMs": 100}, {"name": "b", "durationMs": 200})
    assert check_efficiency(timed, max_total_duration_ms=200).total_duration_ms == 300
    told = check_efficiency({**timed, "totalDurationMs": 50}, max_total_duration_ms=200)
    assert (told.total_duration_ms, told.over_duration_budget) == (50, False)


def test_the_same_call_right_after_is_redundant() -> None:
    a, b = call(toolArgs={"q": 1}), call(toolArgs={"q": 2})
    found = check_efficiency(steps(a, a, b, a, a, call(), call()))
    assert [c.to_dict() for c in found.redundant_calls] == [{"name": "a", "index": n} for n in (1, 4, 6)]
    assert found.score == 0.4
    assert check_efficiency(steps(*[{"name": "a", "stepType": "agent_run"}] * 2)).redundant_calls == []
    assert check_efficiency(steps(a, a), no_redundant_calls=False).score == 1.0


def test_the_score_is_the_mean_over_what_is_asked_for() -> None:
    a = call(durationMs=10)
    found = check_efficiency(steps(a, a), max_steps=1, max_total_duration_ms=100)
    assert found.score == 0.6  # 0, 1 and 0.8


@pytest.mark.parametrize("budget", [None, -1, "5", True, [], 10**400, float("nan")])
@pytest.mark.parametrize("name", ["max_steps", "max_total_tokens", "max_total_duration_ms"])
def test_a_budget_is_a_finite_number_from_0_up(name: str, budget: Any) -> None:
    with pytest.raises(ScorerError, match="expected a finite number from 0 up"):
        check_efficiency(steps(generation(1, 1, durationMs=1)), **{name: budget})


@pytest.mark.parametrize(
    ("trajectory", "options"),
    [
        (steps("a"), {"max_total_tokens": 5}),
        (steps(generation(1, None)), {"max_total_tokens": 5}),
        (steps(generation("1", 2)), {"max_total_tokens": 5}),
        (steps(generation(1e308, 1e308)), {"max_total_tokens": 5}),
        (steps("a"), {"max_total_duration_ms": 5}),
        (steps(), {"max_total_duration_ms": 5}),
        (steps(totalDurationMs=None), {"max_total_duration_ms": 5}),
        (steps({"name": "a", "durationMs": 1}, "b"), {"max_total_duration_ms": 5}),
        ({"steps": None}, {}),
        ({"steps": [None]}, {}),
        (steps({"children": 5}), {}),
    ],
)
def test_what_was_not_measured_is_not_judged(trajectory: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ScorerError):
        check_efficiency(trajectory, **options)


def test_measurements_nobody_judges_are_added_up_as_they_come() -> None:
    found = check_efficiency(steps(generation("12", None), totalDurationMs="soon"))
    assert (found.total_tokens, found.total_duration_ms) == ("0120", "soon")


# --- the forbidden ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tools", "sequences", "violated"),
    [
        (["c"], [], ([], [])),
        (["c", "b"], [], (["b"], [])),
        ([], [["a", "b"]], ([], [["a", "b"]])),
        ([], [["a", "c"], []], ([], [])),
        ([], [["b", "a"], ["b"]], ([], [["b", "a"], ["b"]])),
        ([], [["a", "b", "a", "b"]], ([], [])),
        ("ab", ["ba"], (["a", "b"], ["ba"])),  # a text is its letters
    ],
)
def test_what_is_forbidden(tools: Any, sequences: Any, violated: Any) -> None:
    found = check_blacklist(steps(*"aba"), blacklisted_tools=tools, blacklisted_sequences=sequences)
    assert (found.violated_tools, found.violated_sequences) == violated
    assert found.score == float(violated == ([], []))


@pytest.mark.parametrize(
    "options", [{"blacklisted_tools": None}, {"blacklisted_sequences": 5}, {"blacklisted_sequences": [None]}]
)
def test_a_blacklist_that_cannot_be_read_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(ScorerError):
        check_blacklist(steps("a"), **options)


def test_only_the_top_level_is_looked_at() -> None:
    assert check_blacklist(steps({"name": "a", "children": [{"name": "b"}]}), blacklisted_tools=["b"]).score == 1.0


# --- retries ----------------------------------------------------------------------------------------------------------


def outcomes(text: str) -> dict[str, Any]:
    """Calls written as letters, a failed one as a capital."""
    return steps(*[call(c.lower(), success=c.islower(), toolArgs={"n": n}) for n, c in enumerate(text)])


@pytest.mark.parametrize(
    ("calls", "mark", "pattern"),
    [
        ("", 1.0, None),
        ("A", 1.0, None),
        ("Ab", 1.0, None),
        ("aa", 1.0, None),
        ("Aa", 1.0, {"toolName": "a", "retryCount": 1, "fellBackToAlternative": False, "eventuallySucceeded": True}),
        ("AAAAb", 0.8, {"toolName": "a", "retryCount": 3, "fellBackToAlternative": True, "alternativeTool": "b", "eventuallySucceeded": False}),
        ("AaAAA", 0.8, {"toolName": "a", "retryCount": 3, "fellBackToAlternative": False, "eventuallySucceeded": False}),
        ("AAAAAAAAAAA", 0.0, {"toolName": "a", "retryCount": 10, "fellBackToAlternative": False, "eventuallySucceeded": False}),
    ],
)  # fmt: skip
def test_retries(calls: str, mark: float, pattern: Any) -> None:
    found = check_tool_failures(outcomes(calls))
    assert found.score == mark
    assert [p.to_dict() for p in found.patterns] == ([pattern] if pattern else [])
    assert found.excessive_retry_tools == (["a"] if pattern and pattern["retryCount"] > 2 else [])


def test_a_corrected_call_is_a_retry_like_any_other() -> None:
    again, corrected = (
        steps(call(success=False, toolArgs={"q": 1}), call(success=True, toolArgs={"q": n})) for n in (1, 2)
    )
    assert check_tool_failures(again) == check_tool_failures(corrected)


def test_steps_between_calls_are_passed_over() -> None:
    found = check_tool_failures(steps(call(success=False), "thinking", call(success=False)), max_retries_per_tool=0)
    assert (found.score, found.total_retries) == (0.8, 1)
    assert check_tool_failures(outcomes("AA"), max_retries_per_tool=None).score == 0.8


# --- any JSON ---------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "stepType": st.sampled_from(["tool_call", "model_generation", "agent_run"]),
        "toolArgs": st.dictionaries(NAMES, st.integers(0, 2)),
        "success": st.booleans(),
        "durationMs": st.integers(0, 9),
    },
)
TRAJECTORIES = st.fixed_dictionaries({"steps": st.lists(STEPS, max_size=6)})
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda v: (
        st.lists(v, max_size=4)
        | st.dictionaries(st.sampled_from(["steps", "name", "stepType", "children", "length", "durationMs"]), v)
    ),
    max_leaves=12,
)


@given(TRAJECTORIES, st.sampled_from(["strict", "relaxed", "unordered"]))
def test_what_was_expected_is_found(trajectory: Any, ordering: str) -> None:
    before = copy.deepcopy(trajectory)
    found = compare_trajectories(trajectory, copy.deepcopy(trajectory), ordering=ordering)
    assert (found.score, found.missing_steps, found.extra_steps) == (1.0, [], [])
    assert trajectory == before


@given(TRAJECTORIES, TRAJECTORIES)
def test_every_score_is_a_share(actual: Any, expected: Any) -> None:
    for ordering in ("strict", "relaxed", "unordered"):
        for repeated in (True, False):
            found = compare_trajectories(actual, expected, ordering=ordering, allow_repeated_steps=repeated)
            assert 0.0 <= found.score <= 1.0
            assert found.matched_steps + len(found.missing_steps) == len(expected["steps"])
    assert score(actual["steps"], expected["steps"], ordering="unordered") >= score(actual["steps"], expected["steps"])
    for function in FUNCTIONS:
        assert 0.0 <= function(actual).score <= 1.0


@given(ODD, ODD)
def test_any_value_is_judged_or_named(actual: Any, expected: Any) -> None:
    for judge in (*FUNCTIONS, lambda value: compare_trajectories(value, expected)):
        try:
            found = judge(actual)
        except ScorerError as error:
            message = str(error)
        else:
            assert 0.0 <= found.score <= 1.0
            continue
        assert "\n" not in message
