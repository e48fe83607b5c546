"""Selection over a run: precision, recall and F1 of each tool, false and missed calls, and which of them leads."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.case import Case, Cases
from rootcall.config import Config
from rootcall.figures import Rate, ToolScore, concern, figure
from rootcall.report.selection import selection_blocks
from rootcall.run import load_run, score
from rootcall.summary import Run
from rootcall.toolscores import UNPARSED, SelectionScores
from rootcall.trace import Trace

RARE = "refund_order"
TOOLS = [RARE, "search", *(f"send_form_{i}" for i in range(26))]


NAMES = st.lists(st.sampled_from(["search", "send_form_1", "send_form_2"]), max_size=3)
ROWS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4)


def offer(names: list[str]) -> list[dict[str, Any]]:
    return [{"function": {"name": n, "parameters": {"type": "object"}}} for n in names]


def judged(rows: list[tuple[Any, Any]], tools: list[str] | None = None, **options: Any) -> Run:
    """Score one trace a row. A row is the expectation and the calls of one step (or a text that the agent answers).

    A list of tools stands for the expected calls; a dict is the `expect` object itself.
    """
    traces, cases = [], []
    for i, (expect, made) in enumerate(rows):
        gold = expect if isinstance(expect, dict) else {"calls": [{"tool": t} for t in expect], "extra": "forbid"}
        cases.append(Case.from_dict({"id": f"c{i}", "expect": gold}))
        traces.append(talk(f"c{i}", made, tools))
    return score(traces, Cases(cases), **options)


def talk(case: str, made: Any, tools: list[str] | None = None) -> Trace:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please."}]
    if made and not isinstance(made, str):
        calls = [{"id": f"k{n}", "function": {"name": t, "arguments": "{}"}} for n, t in enumerate(made)]
        messages.append({"role": "assistant", "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": "done"} for c in calls]
    messages.append({"role": "assistant", "content": made if isinstance(made, str) else "Well."})
    return Trace.from_openai(messages, offer(tools or TOOLS), id=case, metadata={"case_id": case})


def tool(run: Run, name: str) -> ToolScore:
    return next(t for t in run.selection.tools if t.tool == name)


def cells(run: Run) -> dict[tuple[str | None, str | None], int]:
    return {(c.expected, c.called): c.count for c in run.selection.cells}


def suite(right_refunds: int) -> list[tuple[Any, Any]]:
    """28 tools, the rare one 20 times, the others 40 times, each of them with two faults of its own."""
    rows: list[tuple[Any, Any]] = []
    for i, name in enumerate(TOOLS[1:]):
        rows += [([name], [name])] * 38 + [([name], [TOOLS[1:][i - 1]]), ([name], [])]
    return [*rows, *[([RARE], [RARE])] * right_refunds, *[([RARE], [])] * (20 - right_refunds)]


# ---- the matrix ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wanted", "made", "f1"), [(2, 2, 1.0), (2, 1, 0.6667), (1, 2, 0.6667)])
def test_equal_calls_count_as_often_as_they_are_wanted_and_made(wanted: int, made: int, f1: float) -> None:
    run = judged([([RARE] * wanted, [RARE] * made)])
    assert tool(run, RARE).f1 == pytest.approx(f1, abs=1e-4)
    assert run.verdicts[0].layers["selection"].score == pytest.approx(f1, abs=1e-4)


def test_each_finding_has_its_cell() -> None:
    rows = [
        (["send_form_1"], ["send_form_1"]),
        (["send_form_1"], ["send_form_2"]),
        (["send_form_1"], []),
        ([], ["send_form_2"]),
        ([], []),
    ]
    run = judged(rows)
    assert cells(run) == {
        ("send_form_1", "send_form_1"): 1,
        ("send_form_1", "send_form_2"): 1,
        ("send_form_1", None): 1,
        (None, "send_form_2"): 1,
        (None, None): 1,
    }
    assert [str(c) for c in run.selection.confusions] == [
        "nothing called where send_form_1 was expected",
        "send_form_2 called where nothing was expected",
        "send_form_2 called where send_form_1 was expected",
    ]
    one = tool(run, "send_form_1")
    assert (one.expected, one.calls, one.right) == (3, 1, 1)
    assert (one.precision.share, one.recall.share) == (1.0, pytest.approx(1 / 3))


def test_a_call_out_of_order_is_the_right_tool_here_and_still_told() -> None:
    order = {"calls": [{"tool": "send_form_1"}, {"tool": "send_form_2"}], "order": "in_order"}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please."}]
    for n in (2, 1):
        messages.append(
            {
                "role": "assistant",
                "tool_calls": [{"id": f"k{n}", "function": {"name": f"send_form_{n}", "arguments": "{}"}}],
            }
        )
        messages.append({"role": "tool", "tool_call_id": f"k{n}", "content": "done"})
    run = score(
        [Trace.from_openai(messages, offer(TOOLS), metadata={"case_id": "c"})],
        Cases([Case.from_dict({"id": "c", "expect": order})]),
    )
    assert run.selection.micro.f1.value == 1.0
    assert run.selection.disordered == 1
    assert str(run.selection) == "selection: 1 expected call came out of order"


def test_a_forbidden_call_is_a_false_call_and_counts_once() -> None:
    run = judged([({"calls": [{"tool": "send_form_1"}], "forbid": [RARE]}, ["send_form_1", RARE])])
    assert cells(run) == {("send_form_1", "send_form_1"): 1, (None, RARE): 1}
    both = judged([({"calls": [{"tool": RARE}], "forbid": [RARE]}, [RARE])])
    assert both.problem_counts == {"gold-wrong": 1}


def test_a_case_that_wants_some_call_expects_no_tool_and_can_be_missed() -> None:
    run = judged([({"calls": "some"}, ["search"]), ({"calls": "some"}, [])])
    assert cells(run) == {}
    assert run.selection.missed == Rate(1, 2)
    assert run.selection.micro.f1.value is None
    assert str(run.selection) == "selection: 1 of 2 traces that wanted a call made none"


def test_a_retry_is_one_call() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please."}]
    for n, said in enumerate(['{"status": 503, "error": "unavailable"}', "done"]):
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"k{n}", "function": {"name": RARE, "arguments": "{}"}}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"k{n}", "content": said})
    case = Case.from_dict({"id": "c", "expect": {"calls": [{"tool": RARE}], "extra": "forbid"}})
    run = score([Trace.from_openai(messages, offer(TOOLS), metadata={"case_id": "c"})], Cases([case]))
    assert cells(run) == {(RARE, RARE): 1}


def test_a_read_that_a_case_lets_pass_is_in_no_count() -> None:
    run = judged([({"calls": [{"tool": RARE}]}, [RARE, "search"])])
    assert cells(run) == {(RARE, RARE): 1}


# ---- means -----------------------------------------------------------------------------------------------------


def test_means_come_with_what_entered_them() -> None:
    rows = [*[(["send_form_1"], ["send_form_1"])] * 90, *[(["send_form_1"], [])] * 10, *[(["send_form_2"], [])] * 2]
    scores = judged(rows).selection
    assert (scores.micro.recall.value, scores.micro.recall.n) == (pytest.approx(0.8824, abs=1e-4), 102)
    assert (scores.macro.recall.value, scores.macro.recall.n) == (pytest.approx(0.45), 2)
    assert (scores.weighted.recall.value, scores.weighted.recall.n) == (pytest.approx(0.8824, abs=1e-4), 2)
    assert scores.macro.precision.n == 1


def test_what_is_undefined_is_none_and_never_0() -> None:
    scores = judged([([], [])]).selection
    assert (scores.macro.f1.value, scores.micro.f1.value, scores.weighted.f1.value) == (None, None, None)
    assert scores.tools == ()
    assert judged([(["search"], [])]).selection.tools[0].precision.share is None
    assert judged([([], ["search"])]).selection.tools[0].recall.share is None
    assert judged([([], [])]).verdicts[0].layers["selection"].score == 1.0


def test_a_call_that_no_case_expects_lowers_the_micro_mean_and_no_macro_mean() -> None:
    scores = judged([(["search"], ["search"]), ([], [RARE])]).selection
    assert scores.macro.f1.value == 1.0
    assert scores.micro.f1.value == pytest.approx(2 / 3)
    assert [t.tool for t in scores.unexpected] == [RARE]


def test_the_interval_of_f1_is_that_of_the_share_of_right_calls() -> None:
    t = ToolScore("t", expected=20, calls=9, right=5)
    low, high = t.f1_interval or (0.0, 0.0)
    assert low < (t.f1 or 0.0) < high
    assert t.n == 24
    j = 5 / 24
    assert t.f1 == pytest.approx(2 * j / (1 + j))
    assert ToolScore("t", 3, 3, 3).f1_interval == (pytest.approx(0.609, abs=1e-3), 1.0)
    assert ToolScore("t", 0, 0, 0).f1_interval is None


# ---- the worst -------------------------------------------------------------------------------------------------


def test_a_rare_tool_that_falls_leads_though_the_mean_hardly_moves() -> None:
    before, after = judged(suite(19), keep=False), judged(suite(5), keep=False)
    assert tool(before, RARE).f1 == pytest.approx(38 / 39)
    assert tool(after, RARE).f1 == pytest.approx(0.4)
    moved = (before.selection.micro.f1.value or 0) - (after.selection.micro.f1.value or 0)
    assert 0 < moved < 0.011
    assert before.selection.ranking[0].tool != RARE
    assert after.selection.ranking[0].tool == RARE
    assert str(after.selection).startswith(
        f"selection: {RARE} is the worst of 28 tools, F1 0.40 (20 expected, 5 called, 95 % 0."
    )


def test_a_tool_seen_once_does_not_shout_down_one_that_fails_often() -> None:
    rows = [*[(["send_form_1"], ["send_form_1"])] * 30, *[(["send_form_1"], [])] * 20, (["send_form_2"], [])]
    first, second = judged(rows).selection.ranking
    assert (first.tool, first.few) == ("send_form_1", False)
    assert (second.tool, second.few, second.score) == ("send_form_2", True, 0.0)


def test_few_calls_are_named_as_few_where_nothing_else_is_wrong() -> None:
    rows = [*[(["send_form_1"], ["send_form_1"])] * 30, (["send_form_2"], [])]
    assert "send_form_2 is the worst of 2 tools" in str(judged(rows).selection)
    assert "too few to be sure" in str(judged(rows).selection)


def test_how_good_something_can_still_be_ranks_it() -> None:
    def worry(right: int, n: int) -> float:
        rate = Rate(right, n)
        assert rate.share is not None
        assert rate.interval is not None
        return concern(rate.share, rate.interval, n)

    assert worry(30, 50) < worry(0, 1)
    assert worry(0, 4) < worry(999, 1000)
    assert worry(8, 20) < worry(800, 1000)


@pytest.mark.parametrize("bucket", [5, 10, 40])
def test_an_agent_that_searches_for_everything_leads_with_false_calls(bucket: int) -> None:
    rows = [*[(["search"], ["search"])] * 10, *[([], ["search"])] * bucket]
    rows += [([name], ["search"]) for name in TOOLS if name != "search" for _ in range(20)]
    scores = judged(rows, keep=False).selection
    assert (scores.ranking[0].kind, scores.ranking[0].tool) == ("no-call", "search")
    assert (
        str(scores)
        == f"selection: false calls lead: {bucket} of {bucket} no-call traces called something, {bucket} times search"
    )


def test_false_calls_lead_beside_right_calls_too() -> None:
    rows = [*[([RARE], [RARE])] * 60, *[([], ["search"])] * 29, ([], [RARE]), ([], ["send_form_1"]), *[([], [])] * 9]
    scores = judged(rows).selection
    assert str(scores) == "selection: false calls lead: 31 of 40 no-call traces called something, 29 times search"
    assert scores.false_calls == Rate(31, 40)
    assert scores.drawn == {"search": 29, RARE: 1, "send_form_1": 1}


def test_an_agent_that_only_talks_leads_with_missed_calls() -> None:
    rows = [([name], []) for name in TOOLS[:6] for _ in range(4)] + [([TOOLS[7]], [TOOLS[7]])] * 6
    scores = judged(rows).selection
    assert str(scores) == "selection: missed calls lead: 24 of 30 traces that wanted a call made none"
    assert [lead.kind for lead in scores.ranking] == ["missed-calls", *["tool"] * 6]
    assert scores.example is not None
    assert scores.example.called is None


def test_calls_of_one_tool_that_are_missed_are_that_tools_fault() -> None:
    rows = [*[([RARE], [])] * 20, (["search"], []), *[(["search"], ["search"])] * 9]
    assert judged(rows).selection.ranking[0].tool == RARE


def test_false_calls_that_are_spread_name_no_tool() -> None:
    rows = [([], [name]) for name in TOOLS[:6]]
    assert (
        str(judged(rows).selection)
        == "selection: false calls lead: 6 of 6 no-call traces called something, spread over 6 tools"
    )


def test_a_few_false_calls_do_not_hide_a_tool_that_fails() -> None:
    rows = [*[(["search"], [RARE])] * 15, *[(["search"], ["search"])] * 5, *[([], [])] * 38, *[([], ["search"])] * 2]
    assert judged(rows).selection.ranking[0].tool == "search"
    assert judged(rows).selection.ranking[0].kind == "tool"


def test_a_tool_that_no_case_expects_is_ranked_by_how_many_traces_called_it() -> None:
    rows = [*[(["send_form_1"], ["send_form_1", RARE])] * 40, *[(["send_form_1"], ["send_form_1"])] * 20]
    scores = judged(rows).selection
    assert (scores.ranking[0].kind, scores.ranking[0].tool, scores.ranking[0].n) == ("unexpected-tool", RARE, 60)
    assert str(scores) == "selection: refund_order leads: 40 of 60 traces called it, and no case expects it"


@given(ROWS)
@settings(deadline=None)
def test_what_leads_has_an_example(rows: list[tuple[list[str], list[str]]]) -> None:
    run = judged(rows)
    example = run.selection.example
    assert (example is None) == (not run.selection.ranking)
    if example is not None:
        lead, verdict = run.selection.ranking[0], next(v for v in run.verdicts if v.trace == example.trace)
        assert verdict.status == "fail"
        assert lead.tool in (example.expected, example.called) or lead.kind == "missed-calls"


def test_a_run_without_a_fault_says_so() -> None:
    scores = judged([(["search"], ["search"]), ([], [])]).selection
    assert scores.ranking == ()
    assert str(scores) == "selection: nothing wrong in 2 traces: 1 expected call of 1 tool, 1 right abstention"


def test_a_run_that_breaks_another_rule_is_not_without_a_fault() -> None:
    run = judged([(["delete_order"], ["delete_order"])], ["delete_order"])
    assert run.verdicts[0].layers["selection"].status == "fail"
    assert str(run.selection) == "selection: the right calls were made; 1 trace broke another rule of selection"


# ---- calls that are none, tools nobody uses --------------------------------------------------------------------


def test_the_text_of_a_call_is_no_abstention() -> None:
    text = '<tool_call>{"name": "search", "arguments": {}}</tool_call>'
    run = judged([([], text), ([], "[TOOL_CALLS]"), (["search"], text)])
    assert run.selection.false_calls == Rate(2, 2)
    assert run.selection.drawn == {UNPARSED: 1, "search": 1}
    assert (run.selection.missed, run.selection.unparsed) == (Rate(1, 1), 1)
    assert run.verdicts[0].layers["selection"].score == 0.0
    assert run.verdicts[0].layers["selection"].scored == 1


def test_tools_that_nobody_uses_are_named() -> None:
    cases = {"calls": [{"tool": "search"}], "alternatives": [[{"tool": "send_form_0"}]]}
    scores = judged(
        [(cases, ["search"]), (["search"], ["search", "send_form_1"])],
        ["search", "send_form_0", "send_form_1", "send_form_2"],
    ).selection
    assert scores.never_called == ("send_form_0", "send_form_2")
    assert scores.never_expected == ("send_form_1", "send_form_2")
    assert scores.never_exercised == ("send_form_2",)


def test_without_cases_only_the_offer_can_be_judged() -> None:
    traces = [talk("a", ["search", "serch"], ["search", "send_form_1"]), talk("b", [], ["search"])]
    scores = score(traces).selection
    assert scores.judged == 0
    assert scores.not_offered == Rate(1, 2)
    assert scores.never_called == ("send_form_1",)
    assert (scores.never_expected, scores.ranking, scores.cells) == ((), (), ())
    assert str(scores) == "selection: no trace met a case that says which calls are right"
    assert not str(score(traces)).startswith("selection:")


def test_rules_that_do_not_run_give_no_figure() -> None:
    assert judged([(["search"], [])], config=Config(ignore=("selection",))).selection.judged == 0


# ---- the cases in the set --------------------------------------------------------------------------------------


def test_the_denominator_is_the_cases_in_the_set() -> None:
    expect = {"expect": {"calls": [{"tool": "search"}]}}
    cases = Cases([Case.from_dict({"id": f"c{i}", **expect}) for i in range(4441)])
    traces = (talk(f"c{i}", ["search"] if i < 4000 else [], ["search"]) for i in range(4391))
    run = score(traces, cases, keep=False)
    assert run.case_scores is not None
    assert (run.case_scores.answered, run.case_scores.right, run.case_scores.failed) == (4391, 4000, 391)
    assert run.case_scores.share == Rate(4000, 4441)
    assert run.case_scores.share.share == pytest.approx(0.9007, abs=1e-4)
    found = run.to_dict()
    assert found["cases"]["missing"] == [f"c{i}" for i in range(4391, 4441)]
    assert tool(run, "search").missing == 50
    assert found["selection"]["missed_calls"] == {
        "rate": 391 / 4391,
        "interval": pytest.approx([0.0809, 0.0978], abs=1e-3),
        "count": 391,
        "n": 4391,
        "unparsed": 0,
        "instead": {},
        "missing": 50,
    }


def test_a_case_is_right_when_each_of_its_traces_is() -> None:
    cases = Cases([Case.from_dict({"id": i, "expect": {"calls": [{"tool": "search"}]}}) for i in ("a", "b", "c")])
    run = score([talk("a", ["search"]), talk("a", []), talk("b", ["search"]), talk("b", ["search"])], cases)
    assert run.case_scores is not None
    assert (run.case_scores.right, run.case_scores.failed, run.case_scores.unscored) == (1, 1, 0)
    assert run.case_scores.book.missing == ("c",)


def test_no_call_cases_that_no_trace_met_are_counted_apart() -> None:
    cases = Cases([Case.from_dict({"id": i, "expect": {"calls": []}}) for i in ("a", "b")])
    found = score([talk("a", [])], cases).to_dict()["selection"]["false_calls"]
    assert (found["count"], found["n"], found["missing"]) == (0, 1, 1)


# ---- arguments -------------------------------------------------------------------------------------------------


def test_arguments_are_counted_by_tool_argument_and_class_worst_first() -> None:
    def trace(i: int, sent: dict[str, Any]) -> Trace:
        calls = [{"id": "k", "function": {"name": "book", "arguments": json.dumps(sent)}}]
        messages = [{"role": "user", "content": "Two seats to Busan."}, {"role": "assistant", "tool_calls": calls},
                    {"role": "tool", "tool_call_id": "k", "content": "done"}, {"role": "assistant", "content": "Done."}]  # fmt: skip
        schema = {
            "type": "object",
            "properties": {"city": {"type": "string"}, "seats": {"type": "integer"}, "why": {"type": "string"}},
        }
        return Trace.from_openai(
            messages, [{"function": {"name": "book", "parameters": schema}}], id=str(i), metadata={"case_id": str(i)}
        )

    gold = {"city": "Busan", "seats": 2, "why": {"$judge": "Is it a reason?"}}
    cases = Cases(
        [Case.from_dict({"id": str(i), "expect": {"calls": [{"tool": "book", "arguments": gold}]}}) for i in range(10)]
    )
    run = score(
        [
            trace(i, {"city": "Busan" if i < 9 else "Pusan", "seats": 2 if i < 4 else 3, "why": "work"})
            for i in range(10)
        ],
        cases,
    )
    found = [(a.argument, a.passed, a.scored, a.unscored) for a in run.arguments]
    assert found == [("seats", 4, 10, 0), ("city", 9, 10, 0), ("why", 0, 0, 10)]
    assert run.arguments[0].argument_class is not None
    assert run.to_dict()["arguments"][2]["score"] is None


# ---- properties ------------------------------------------------------------------------------------------------


def oracle(rows: list[tuple[list[str], list[str]]]) -> dict[str, tuple[int, int, int]]:
    """Multisets: how often each tool was expected, called, and both, trace by trace."""
    expected: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for wanted, made in rows:
        expected.update(wanted)
        calls.update(made)
        right.update(Counter(wanted) & Counter(made))
    return {t: (expected[t], calls[t], right[t]) for t in {*expected, *calls}}


@settings(deadline=None)
@given(ROWS)
def test_the_counts_are_those_of_multisets(rows: list[tuple[list[str], list[str]]]) -> None:
    scores = judged(rows).selection
    assert {t.tool: (t.expected, t.calls, t.right) for t in scores.tools} == oracle(rows)
    surplus = sum(c.count for c in scores.cells if c.expected is None and c.called is not None)
    abstained = sum(c.count for c in scores.cells if c.expected is None and c.called is None)
    assert sum(c.count for c in scores.cells) == sum(len(w) for w, _ in rows) + surplus + abstained
    assert abstained == sum(1 for w, m in rows if not w and not m)
    assert scores.false_calls == Rate(sum(1 for w, m in rows if not w and m), sum(1 for w, _ in rows if not w))
    assert scores.missed == Rate(sum(1 for w, m in rows if w and not m), sum(1 for w, _ in rows if w))


@settings(deadline=None)
@given(ROWS)
def test_figures_agree_with_the_definitions(rows: list[tuple[list[str], list[str]]]) -> None:
    scores = judged(rows).selection
    for t in scores.tools:
        precision = t.right / t.calls if t.calls else None
        recall = t.right / t.expected if t.expected else None
        assert (t.precision.share, t.recall.share) == (precision, recall)
        if precision and recall:
            assert t.f1 == pytest.approx(2 * precision * recall / (precision + recall))
        assert 0 <= (t.f1 or 0) <= 1
        low, high = t.f1_interval or (0.0, 1.0)
        assert low <= (t.f1 or 0) + 1e-12
        assert (t.f1 or 0) <= high + 1e-12
    supported = [t for t in scores.tools if t.expected]
    mean = sum(t.f1 or 0 for t in supported) / len(supported) if supported else None
    assert scores.macro.f1.value == (None if mean is None else pytest.approx(mean))


@settings(deadline=None)
@given(ROWS)
def test_the_f1_of_a_trace_is_that_of_its_multisets(rows: list[tuple[list[str], list[str]]]) -> None:
    for (wanted, made), verdict in zip(rows, judged(rows).verdicts, strict=True):
        both = len(wanted) + len(made)
        right = sum((Counter(wanted) & Counter(made)).values())
        assert verdict.layers["selection"].score == pytest.approx(2 * right / both if both else 1.0)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_gold_and_of_traces_never_matters(rows: list[tuple[list[str], list[str]]], random: Any) -> None:
    shuffled = [(random.sample(w, len(w)), m) for w, m in rows]
    random.shuffle(shuffled)
    one, other = judged(rows).selection, judged(shuffled).selection
    assert (one.tools, one.macro, one.micro, one.ranking, str(one)) == (
        other.tools,
        other.macro,
        other.micro,
        other.ranking,
        str(other),
    )


@settings(deadline=None)
@given(ROWS, st.sampled_from(["search", "send_form_1"]))
def test_a_right_call_lowers_no_recall_and_a_wrong_one_raises_nothing(
    rows: list[tuple[list[str], list[str]]], name: str
) -> None:
    wanted, made = rows[0]
    more = judged([(wanted, [*made, name]), *rows[1:]]).selection
    before = judged(rows).selection
    right = Counter(wanted)[name] > Counter(made)[name]
    was = {t.tool: t for t in before.tools}
    for t in more.tools:
        old = was.get(t.tool, ToolScore(t.tool, 0, 0, 0))
        if right:
            assert (t.recall.share or 0) >= (old.recall.share or 0)
        else:
            assert (t.recall.share or 0) <= (old.recall.share or 0)
            assert (t.precision.share or 0) <= (old.precision.share or 0) + 1e-12
            assert (t.f1 or 0) <= (old.f1 or 0) + 1e-12
    if not right:
        assert (more.micro.f1.value or 0) <= (before.micro.f1.value or 0) + 1e-12


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1.00"), (0.9991, "0.99"), (0.0, "0.00"), (0.001, "0.01"), (0.404, "0.40"), (None, "n/a")],
)
def test_what_is_not_quite_one_never_reads_as_one(value: float | None, shown: str) -> None:
    assert figure(value) == shown


def test_all_of_it_comes_back_from_disk(tmp_path: Path) -> None:
    run = judged([*[(["search"], ["search"])] * 3, (["search"], [RARE]), ([], ["search"])], out=tmp_path / "run")
    back = load_run(tmp_path / "run")
    assert back == run
    assert isinstance(back.selection, SelectionScores)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["summary"]["selection"] == run.selection.to_dict()
    assert manifest["summary"]["cases"] == run.to_dict()["cases"]


def test_without_cases_it_is_told_what_was_done_where_nothing_was_called() -> None:
    replies = ["The order has shipped.", "Which order do you mean?", "Which one?", "Tidak ada penerbangan."]
    traces = [
        Trace.from_openai([{"role": "user", "content": "Where is it?"}, {"role": "assistant", "content": r}], id=str(i))
        for i, r in enumerate(replies)
    ]
    run = score(traces)
    assert run.selection.uncalled == {"answered": 1, "asked": 2, "unread": 1}
    assert run.selection.to_dict()["without_a_call"] == {"answered": 1, "asked": 2, "unread": 1}
    (block,) = selection_blocks(run, 80)
    assert str(block) == "Without a call: 4 traces: answered 1, asked 2, unread 1"
    assert list(selection_blocks(score(traces[3:]), 80)) == [], "nothing could be read, so there is nothing to tell"
