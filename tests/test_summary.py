"""What many verdicts say together, from checks alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rootcall.check import Check
from rootcall.diagnosis import diagnose
from rootcall.run import score
from rootcall.summary import Run, Tally
from rootcall.trace import Problem, Trace

MakeTrace = Callable[..., Trace]
MakeCheck = Callable[..., Check]


def tally(*judged: tuple[Trace, list[Check]], cases: int | None = None) -> Tally:
    counted = Tally(cases=cases)
    for trace, checks in judged:
        counted.add(trace, diagnose(trace, checks))
    return counted


def test_a_layer_counts_units_not_checks(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    checks = [
        make_check("arguments/format", "pass"),
        make_check("arguments/relative-date", "fail", argument="day"),
        make_check("arguments/format", "pass", unit="arguments:other"),
        make_check("arguments/provenance", "unscored", unit="arguments:third"),
    ]
    layer = tally((make_trace(), checks)).result().layers["arguments"]
    assert (layer.passed, layer.scored, layer.unscored) == (1, 2, 1)
    assert layer.score == 0.5
    assert layer.coverage == pytest.approx(2 / 3)
    assert layer.traces == {"pass": 0, "fail": 1, "unscored": 0, "n/a": 0}


def test_the_counts_agree_with_those_of_the_single_verdicts(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    checks = [
        make_check("recovery/error-unread", "fail", grade="hint"),
        make_check("recovery/error-unread", "unscored", unit="r2"),
        make_check("recovery/retry-loop", "pass", unit="r3"),
    ]
    trace = make_trace()
    verdict = diagnose(trace, checks)
    layer = tally((trace, checks)).result().layers["recovery"]
    assert (layer.scored, layer.unscored) == (verdict.layers["recovery"].scored, verdict.layers["recovery"].unscored)
    assert layer.score == verdict.layers["recovery"].score == 1.0


def test_a_hint_never_makes_a_unit_fail(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    run = tally((make_trace(), [make_check("arguments/provenance", "fail", grade="hint")])).result()
    assert run.traces["fail"] == 0
    assert run.layers["arguments"].scored == 0


def test_first_try_and_final_attempts_are_scored_apart(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    checks = [
        make_check("arguments/format", "fail", attempt="first"),
        make_check("arguments/format", "pass", attempt="final"),
    ]
    layer = tally((make_trace(), checks)).result().layers["arguments"]
    assert layer.score == 1.0
    assert layer.first_try_score == 0.0
    assert "first_try_score" not in tally().result().layers["selection"].to_dict()


def test_causes_are_ranked_by_how_many_traces_they_explain(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    date, other = (
        make_check("arguments/relative-date", "fail", argument="day"),
        make_check("selection/wrong-tool", "fail"),
    )
    run = tally((make_trace("a"), [other]), (make_trace("b"), [date]), (make_trace("c"), [date])).result()
    assert [(c.count, c.layer, c.argument, c.example) for c in run.causes] == [
        (2, "arguments", "day", "b"),
        (1, "selection", None, "a"),
    ]


def test_the_worst_tool_and_the_worst_trace_lead(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    one = [make_check("arguments/format", "fail", tool="cancel", unit="x")]
    two = [make_check("arguments/format", "fail"), make_check("recovery/retry-loop", "fail")]
    run = tally(
        (make_trace("fine"), [make_check("arguments/format", "pass")]), (make_trace("a"), one), (make_trace("b"), two)
    ).result()
    assert [v.trace for v in run.worst] == ["b", "a"]
    search = next(t for t in run.tools if t.tool == "search")
    assert (search.calls, search.root_causes, search.failing) == (3, 1, {"arguments": 1, "recovery": 1})


def test_errors_are_counted_per_tool(make_trace: MakeTrace) -> None:
    trace = make_trace("e", ('{"status": 400, "message": "day must be a date"}', '{"found": 3}'))
    run = tally((trace, [])).result()
    assert [(t.tool, t.calls, t.errors) for t in run.tools] == [("search", 2, 1)]


def test_memory_of_the_worst_traces_is_bounded(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    failing = [make_check("arguments/format", "fail")]
    run = tally(*((make_trace(f"t{i}"), failing) for i in range(30))).result()
    assert [v.trace for v in run.worst] == [f"t{i}" for i in range(10)]
    assert all(c.fails for v in run.worst for c in v.checks)
    assert len(run.verdicts) == 30


def test_calls_in_are_calls_scored_plus_set_aside(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = tally((make_trace(), [make_check("arguments/format", "pass")]))
    counted.not_read([Problem("not-json", "line 3 is cut", lost=2)], {"not-json": 1}, set_aside=1, lost=2)
    run = counted.result()
    assert (run.calls_in, run.calls_scored, run.calls_set_aside) == (3, 1, 2)
    assert run.exit_code == 3


def test_everything_read_leaves_with_0_whatever_the_verdicts(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    assert tally((make_trace(), [make_check("arguments/format", "fail")])).result().exit_code == 0


def test_an_empty_run_is_never_green(make_trace: MakeTrace) -> None:
    assert Tally().result().exit_code == 3
    assert tally((make_trace(), [])).result().exit_code == 3


def test_cases_that_nothing_meets_are_never_green(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    judged = (make_trace(), [make_check("arguments/format", "pass")])
    run = tally(judged, cases=2).result()
    assert (run.exit_code, run.matched, run.unmatched) == (3, 0, 1)
    assert run.to_dict()["cases"] == {"total": 2, "matched": 0, "unmatched_traces": 1}


def test_only_the_first_problems_are_kept_all_are_counted() -> None:
    counted = Tally()
    for i in range(150):
        counted.problem(Problem("orphan-result", str(i)))
    counted.not_read([Problem("not-json", str(i)) for i in range(100)], {"not-json": 350}, set_aside=350, lost=0)
    run = counted.result()
    assert run.problem_counts == {"orphan-result": 150, "not-json": 350}
    assert len(run.problems) == 200


def test_a_run_prints_its_layers_and_causes(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    run: Run = tally((make_trace("a"), [make_check("arguments/relative-date", "fail", argument="day")])).result()
    text = str(run)
    assert text.startswith("1 traces (1 fail), 1 calls scored, 0 set aside")
    assert "1 x arguments · search.day · relative-date" in text
    assert str(Tally().result()).startswith("0 traces (none judged)")


def test_a_broken_schema_is_named_once_in_a_run_and_passes_nothing() -> None:
    broken = {"name": "act", "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}}}
    call = {"id": "c", "function": {"name": "act", "arguments": '{"a": 1.5}'}}
    messages = [{"role": "user", "content": "1.5"}, {"role": "assistant", "tool_calls": [call]}]
    run = score([Trace.from_openai(messages, [broken], id=name) for name in "xyz"])
    (problem,) = run.problems
    assert (problem.code, run.problem_counts) == ("broken-schema", {"broken-schema": 1})
    assert problem.message.startswith("calls of 'act' are not judged by it: the schema is broken (BFCL's type names")
    assert 'write "object"' in problem.message
    assert (run.layers["arguments"].scored, run.layers["arguments"].unscored) == (0, 3)
