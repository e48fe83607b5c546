"""Tool-call accuracy: equal to the recorded results of the original, corrected beside it, and why the two part."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastra_rows import CHECKERS
from rootcall.errors import ScorerError, ScorerRunError, UsageError
from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_call_accuracy_scorer_llm,
    run_of,
    trace_of,
)
from rootcall.readers import read
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize("name", ["code", "llm", "extract_checks"])
def test_recorded_results_of_the_original(name: str) -> None:
    rows = [
        json.loads(line) for line in gzip.decompress((DATA / "mastra" / f"{name}.jsonl.gz").read_bytes()).splitlines()
    ]
    faults = {row["id"]: fault for row in rows if (fault := CHECKERS[name](row))}
    assert faults == {}
    assert len(rows) >= 70


def part(state: str = "result", tool: str = "a", n: int = 0, **more: Any) -> dict[str, Any]:
    call = {"toolCallId": f"c{n}", "toolName": tool, "args": {"n": n}, "state": state, **more}
    return {"type": "tool-invocation", "toolInvocation": call}


def run(*parts: dict[str, Any], output: Any = None, **more: Any) -> dict[str, Any]:
    """A run whose calls are steps of their own."""
    stepped = [p for call in parts for p in ({"type": "step-start"}, call)]
    said = create_test_message("done", "assistant", parts=[*stepped, {"type": "text", "text": "done"}])
    made = create_agent_test_run(
        input_messages=[create_test_message("hi", "user")], output=[said] if output is None else output
    )
    return {**made, **more}


def called(names: str, **more: Any) -> dict[str, Any]:
    return run(*[part(tool=name, n=n, result={"ok": n}) for n, name in enumerate(names)], **more)


def explained(value: Any, **options: Any) -> tuple[float | None, float | None, list[str]]:
    options.setdefault("expected_tool", "a")
    found = create_tool_call_accuracy_scorer_code(**options).explain(value)
    return found.original, found.corrected, [d.kind for d in found.differences]


@pytest.mark.parametrize(
    ("order", "names", "strict", "scores"),
    [
        ("ab", "bab", False, (0, 1, ["first-occurrence"])),
        ("aa", "aa", False, (0, 1, ["repeats"])),
        ("aba", "aba", False, (0, 1, ["repeats"])),
        ("bab", "abab", False, (0, 1, ["repeats"])),
        ("ab", "ba", False, (0, 0, [])),
        ("ab", "acb", False, (1, 1, [])),
        ("ab", "acb", True, (0, 0, [])),
        ("aa", "aa", True, (1, 1, [])),
        ("", "", False, (0, 1, ["no-call-expected"])),
        ("", "a", False, (0, 0, [])),
    ],
)
def test_orders(order: str, names: str, strict: bool, scores: tuple[int, int, list[str]]) -> None:
    assert explained(called(names), expected_tool=None, expected_tool_order=list(order), strict_mode=strict) == scores


@given(st.text("abc", max_size=4), st.text("abc", max_size=7))
def test_the_corrected_flexible_order_is_a_subsequence(order: str, names: str) -> None:
    rest = iter(names)
    subsequence = all(any(name == wanted for name in rest) for wanted in order) and (bool(order) or not names)
    scorer = create_tool_call_accuracy_scorer_code(expected_tool_order=list(order), semantics="rootcall")
    result = scorer.run_sync(called(names))
    assert result.score == float(subsequence)
    assert bool(result.preprocess_step_result.findings) == (not subsequence)


@given(st.text("ab", max_size=4), st.booleans())
def test_of_one_tool_both_say_the_same_where_nothing_is_special(names: str, strict: bool) -> None:
    original, corrected, kinds = explained(called(names), strict_mode=strict)
    assert original == corrected
    assert kinds == []


THROWN = part("output-error", errorText="boom")
SHAPES: dict[str, tuple[Any, tuple[float | None, float | None, list[str]]]] = {
    "thrown": (run(THROWN), (1, 1, [])),
    "denied": (run(part("output-denied")), (0, 1, ["uncounted-calls"])),
    "pending approval": (run(part("approval-requested")), (0, 1, ["uncounted-calls"])),
    "still being written": (run(part("partial-call")), (0, 1, ["uncounted-calls"])),
    "in-band error": (run(part(result={"status": 400, "message": "bad"})), (1, 1, [])),
    "ai sdk 4": (
        run(output=[{"role": "assistant", "content": "x", "toolInvocations": [part(result=1)["toolInvocation"]]}]),
        (0, 1, ["unseen-messages"]),
    ),
    "ai sdk 5": (
        run(output=[{"role": "assistant", "parts": [{"type": "tool-a", "toolCallId": "1", "state": "output-available", "input": {}, "output": 1}]}]),
        (0, 1, ["unseen-messages"]),
    ),
    "ai sdk 6": (
        run(output=[{"role": "assistant", "parts": [{"type": "dynamic-tool", "toolName": "a", "toolCallId": "1", "state": "output-error", "input": {}, "errorText": "x"}]}]),
        (0, 1, ["unseen-messages"]),
    ),
    "openai": (
        run(output=[
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        ]),
        (0, 1, ["unseen-messages"]),
    ),
    "anthropic": (
        run(output=[
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "a", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]},
        ]),
        (0, 1, ["unseen-messages"]),
    ),
    "unknown message": (run(output=[{"foo": 1}]), (0, None, ["refused-here"])),
    "no list": (run(output="hello"), (0, None, ["refused-here"])),
    "empty": (run(output=[]), (None, None, ["refused-by-original", "refused-here"])),
    "call of the user": (
        run(output=[create_test_message("x", "user", parts=[part()]), create_test_message("y", "assistant")]),
        (1, None, ["refused-here"]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_messages(shape: str) -> None:
    value, wanted = SHAPES[shape]
    assert explained(value) == wanted


def test_a_retry_is_one_call() -> None:
    failed = part(n=1, tool="a", result={"status": 400, "error": "n must be 2"})
    corrected = part(n=2, tool="a", result={"ok": 1})
    assert explained(run(failed, corrected), strict_mode=True) == (0, 1, ["retries-are-one"])
    assert explained(called("aa"), strict_mode=True) == (0, 0, [])


def test_calls_of_one_step_have_no_order() -> None:
    both = create_test_message("x", "assistant", parts=[part(tool="b", n=1, result=1), part(tool="a", n=2, result=1)])
    value = run(output=[both])
    assert explained(value, expected_tool=None, expected_tool_order=["a", "b"], strict_mode=True) == (
        0,
        1,
        ["steps-are-sets"],
    )


def test_a_run_may_bring_its_own_expectation_and_tools() -> None:
    scorer = create_tool_call_accuracy_scorer_code(semantics="rootcall")
    assert scorer.run_sync(called("a", expectedTool="a")).score == 1
    assert scorer.run_sync(called("ab", expectedTool="a", strictMode=True)).score == 0
    assert scorer.run_sync(called("a", expectedToolOrder=[])).score == 0
    offered = [{"id": "a", "description": "A"}]
    result = scorer.run_sync(called("ab", expectedTool="a", availableTools=offered))
    assert result.score == 0
    assert result.reason == "b is not among the 1 offered tools"
    assert explained(called("ab", availableTools=offered)) == (1, 0, ["not-offered"])
    assert explained(called("b", expectedTool="b")) == (0, 1, ["expectation-in-run"])
    with pytest.raises(ScorerRunError, match="neither the scorer nor the run says what is expected"):
        scorer.run_sync(called("a"))


def test_the_corrected_result_names_what_is_wrong() -> None:
    result = create_tool_call_accuracy_scorer_code("a", semantics="rootcall").run_sync(called("b"))
    found = result.to_dict()
    assert found["score"] == 0
    assert found["preprocessStepResult"]["findings"][0]["rule"] == "selection/missing"
    assert found["preprocessStepResult"]["correctToolCalled"] is False
    assert found["preprocessStepResult"]["correctOrderCalled"] is None
    assert found["preprocessStepResult"]["actualTools"] == ["b"]
    assert "a" in found["reason"]


def test_options_that_cannot_be_meant() -> None:
    with pytest.raises(ScorerError, match="neither was"):
        create_tool_call_accuracy_scorer_code("", False, None)
    with pytest.raises(ScorerError, match="must be a list of names, got str"):
        create_tool_call_accuracy_scorer_code(expected_tool_order="ab")
    with pytest.raises(UsageError, match=r"semantics must be one of mastra-1.10.2, rootcall, got 'mine'"):
        create_tool_call_accuracy_scorer_code("a", semantics="mine")  # type: ignore[arg-type]
    with pytest.raises(ScorerError, match="expected_tool must be a name, got int"):
        create_tool_call_accuracy_scorer_code(3, semantics="rootcall")  # type: ignore[arg-type]
    with pytest.raises(ScorerError, match=r"\[\] means that no call is right"):
        create_tool_call_accuracy_scorer_code(expected_tool_order="a", semantics="rootcall")


# ---- the judge -------------------------------------------------------------------------------------------------


def graded(run_: Any, grades: list[str], missing: list[str]) -> Any:
    def model(prompt: str, schema: Any) -> Any:
        if schema is None:
            return "so it is"
        if "wasAppropriate" in json.dumps(schema):
            evaluations = [{"toolCalled": "a", "wasAppropriate": g == "right", "reasoning": ""} for g in grades]
            return {"evaluations": evaluations, "missingTools": missing}
        evaluations = {f"c{n}": {"appropriateness": g, "reasoning": ""} for n, g in enumerate(grades)}
        return {"evaluations": evaluations, "missingTools": missing}

    return create_tool_call_accuracy_scorer_llm(model, [{"name": "a", "description": "A"}], semantics="rootcall")


@pytest.mark.parametrize(
    ("names", "grades", "missing", "score"),
    [
        ("a", ["right"], [], 1.0),
        ("a", ["useful"], [], 0.5),
        ("a", ["wrong"], [], 0.0),
        ("aa", ["right", "useful"], [], 0.75),
        ("a", ["right"], ["b"], 0.5),
        ("", [], [], 1.0),
        ("", [], ["b"], 0.0),
    ],
)
def test_grades_and_missing_tools(names: str, grades: list[str], missing: list[str], score: float) -> None:
    value = called(names)
    result = graded(value, grades, missing).run_sync(value)
    assert result.score == score
    assert result.reason == "so it is"
    assert "a({" in result.analyze_prompt if names else "none" in result.analyze_prompt


def test_every_call_is_graded_exactly_once() -> None:
    for grades in (["right"], ["right", "right", "right"]):
        with pytest.raises(ScorerRunError, match="analyze failed: the judge did not answer as asked"):
            graded(called("aa"), grades, []).run_sync(called("aa"))


def test_why_judged_scores_part() -> None:
    def kinds(value: Any, grades: list[str], missing: list[str]) -> tuple[Any, Any, list[str]]:
        found = graded(value, grades, missing).explain(value)
        return found.original, found.corrected, [d.kind for d in found.differences]

    assert kinds(called("a"), ["right"], []) == (1, 1, [])
    assert kinds(called("a"), ["useful"], []) == (0, 0.5, ["graded"])
    assert kinds(called("a"), ["right"], ["b"]) == (1, 0.5, ["missing-tools"])
    assert kinds(called("b"), ["right"], []) == (1, 1, ["unreconciled"])
    assert kinds(run(part("output-denied")), ["right"], [])[2] == ["unreconciled", "uncounted-calls"]


def test_a_judge_that_fails_leaves_no_score() -> None:
    scorer = create_tool_call_accuracy_scorer_llm(lambda p, s: "?", [])
    found = scorer.explain(called("a"))
    assert (found.original, found.corrected, found.agree) == (None, None, False)
    assert found.to_dict()["differences"][0]["kind"] == "refused-by-original"
    assert "the judge did not answer" in str(found.corrected_error)


# ---- traces ----------------------------------------------------------------------------------------------------


def test_a_trace_of_any_format_is_scored(bundled: Path) -> None:
    scorer = create_tool_call_accuracy_scorer_code("search_flights")
    scores = {trace.id: scorer.run_sync(trace).score for trace in read(bundled / "flight.jsonl")}
    assert scores["flight"] == 1
    assert scores["greeting"] == 0


@pytest.mark.parametrize("file", sorted((DATA / "traces").glob("*flight*.json*")), ids=lambda f: f.name)
def test_a_trace_written_as_a_run_reads_as_the_same_calls(file: Path) -> None:
    for trace in read(file):
        value = dict(run_of(trace))  # without the trace it was made from
        again = trace_of(json.loads(msgspec.json.encode(value)))
        assert [(c.tool, c.arguments) for c in again.calls] == [(c.tool, c.arguments) for c in trace.calls]
        assert [c.outcome == "ok" for c in again.calls] == [c.outcome == "ok" for c in trace.calls]


def test_what_is_no_run() -> None:
    for value, message in (
        ({"input": {"inputMessages": []}, "output": 3}, "output must be a list of messages, got int"),
        ({"what": 1}, "a shape that no reader knows"),
        ({"input": {"inputMessages": [object()]}, "output": [{"role": "assistant"}]}, "the run is no JSON"),
    ):
        with pytest.raises(ScorerError, match=message):
            trace_of(value)
    trace = Trace.from_openai([{"role": "user", "content": "hi"}])
    assert trace_of(trace) is trace
    assert trace_of(run_of(trace)) is trace


def test_states_of_written_calls() -> None:
    def messages(**result: Any) -> Any:
        call = {"id": "1", "type": "function", "function": {"name": "a", "arguments": '{"x": 1}'}}
        back = [{"role": "tool", "tool_call_id": "1", **result}] if result else []
        return [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]}, *back]

    def state(value: Any) -> Any:
        made = run_of(Trace.from_openai(value))["output"][0]["content"]["parts"][0]["toolInvocation"]
        return {k: v for k, v in made.items() if k not in ("toolCallId", "toolName", "args")}

    assert state(messages(content='{"ok": 1}')) == {"state": "result", "result": {"ok": 1}}
    assert state(messages()) == {"state": "call"}
    assert state(messages(content="no", is_error=True)) == {"state": "output-error", "errorText": "no"}
    assert state(messages(content='{"status": 400, "message": "bad"}'))["state"] == "result"
