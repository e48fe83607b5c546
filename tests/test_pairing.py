from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.assignment import align, assign
from rootcall.case import Case
from rootcall.judging import verdict
from rootcall.pairing import pair
from rootcall.trace import Trace


def trace(*calls: tuple[str, Any], parallel: bool = False) -> Trace:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    made = [{"id": f"c{i}", "function": {"name": t, "arguments": json.dumps(a)}} for i, (t, a) in enumerate(calls)]
    for group in [made] if parallel else [[c] for c in made]:
        messages.append({"role": "assistant", "tool_calls": group})
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": '{"ok": 1}'} for c in group]
    return Trace.from_openai(messages)


def case(*calls: tuple[str, Any], **expect: Any) -> Case:
    return Case.from_dict({"expect": {"calls": [{"tool": t, "arguments": a} for t, a in calls], **expect}})


def found(t: Trace, c: Case) -> list[tuple[int, Any]]:
    p = pair(t, c)
    assert p is not None
    return [(x.index, x.intent.final.arguments) for x in p.pairs]


def test_exact_pairs_come_first_whatever_the_order_of_the_gold() -> None:
    t = trace(("w", {"c": "Sejong"}), ("w", {"c": "Sejong"}), parallel=True)
    for order in ([("w", {"c": "Ulsan"}), ("w", {"c": "Sejong"})], [("w", {"c": "Sejong"}), ("w", {"c": "Ulsan"})]):
        p = pair(t, case(*order))
        assert p is not None
        assert len(p.pairs) == 2
        assert not p.missing
        assert not p.extra


def test_each_call_is_used_once() -> None:
    p = pair(trace(("roll", {})), case(("roll", {}), ("roll", {})))
    assert p is not None
    assert (len(p.pairs), len(p.missing)) == (1, 1)


def test_polls_fold_as_far_as_the_gold_does_not_list_them() -> None:
    polled = trace(("job", {"id": 1}), ("job", {"id": 1}), ("job", {"id": 1}))
    once, thrice = pair(polled, case(("job", {"id": 1}))), pair(polled, case(*[("job", {"id": 1})] * 3))
    assert once is not None
    assert thrice is not None
    assert (len(once.pairs), len(once.extra)) == (1, 0)
    assert len(thrice.pairs) == 3
    parallel = pair(trace(("job", {"id": 1}), ("job", {"id": 1}), parallel=True), case(("job", {"id": 1})))
    assert parallel is not None
    assert len(parallel.extra) == 1


def test_the_alternative_that_fits_best_is_taken() -> None:
    c = Case.from_dict({"expect": {"calls": [{"tool": "a"}], "alternatives": [[], [{"tool": "b"}]]}})
    for t, size in ((trace(("a", {})), 1), (trace(), 0), (trace(("b", {})), 1)):
        p = pair(t, c)
        assert p is not None
        assert not p.missing
        assert not p.extra
        assert len(p.expected) == size


def test_nothing_to_pair_where_calls_are_not_judged() -> None:
    assert pair(trace(), Case()) is None
    assert pair(trace(), Case(calls="some")) is None


def test_declared_defaults_are_filled_in_on_both_sides() -> None:
    tools = [{"name": "book", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}}]
    t = Trace.from_openai(
        [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "book", "arguments": '{"n": 1}'}}]}],
        tools,
    )
    assert found(t, case(("book", {}))) == [(0, {"n": 1})]


@pytest.mark.parametrize("shape", [(0, 0), (1, 0), (2, 3), (3, 2), (4, 4)])
def test_assignment_of_any_shape_uses_rows_and_columns_once(shape: tuple[int, int]) -> None:
    n, m = shape
    weights = [[float((i * 7 + j * 3) % 5) for j in range(m)] for i in range(n)]
    chosen = assign(weights)
    assert len(chosen) == (min(n, m) if n and m else 0)
    assert len(set(chosen.values())) == len(chosen)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1, max_size=4)
    )
)
def test_assignment_is_the_best_there_is(weights: list[list[int]]) -> None:
    n, m = len(weights), len(weights[0])
    got = sum(weights[i][j] for i, j in assign(weights).items())
    k = min(n, m)
    best = max(
        sum(weights[i][j] for i, j in zip(rows, columns, strict=True))
        for rows in itertools.combinations(range(n), k)
        for columns in itertools.permutations(range(m), k)
    )
    assert got == best


calls = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 2), max_size=2)), max_size=4
)


@given(calls)
def test_gold_against_itself_leaves_nothing_over(made: list[tuple[str, dict[str, int]]]) -> None:
    p = pair(trace(*made), case(*made))
    assert p is not None
    assert len(p.pairs) == len(made)
    assert not p.missing
    assert not p.extra


@given(calls, calls, st.randoms())
def test_the_order_of_the_gold_never_matters(made: list[Any], wanted: list[Any], random: Any) -> None:
    shuffled = random.sample(wanted, len(wanted))
    a, b = pair(trace(*made), case(*wanted)), pair(trace(*made), case(*shuffled))
    assert a is not None
    assert b is not None
    assert (len(a.pairs), len(a.missing), len(a.extra)) == (len(b.pairs), len(b.missing), len(b.extra))


def paid(*results: str, name: str = "transfer", gold: int = 1, **tool: Any) -> tuple[int, int]:
    """Pairs and calls beyond the gold where a tool is called again and again with the same arguments."""
    calls = [{"id": f"c{i}", "function": {"name": name, "arguments": '{"n": 1}'}} for i in range(len(results))]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for call_made, result in zip(calls, results, strict=True):
        messages += [
            {"role": "assistant", "tool_calls": [call_made]},
            {"role": "tool", "tool_call_id": call_made["id"], "content": result},
        ]
    found = pair(Trace.from_openai(messages, [{"name": name, **tool}]), case(*[(name, {"n": 1})] * gold))
    assert found is not None
    return len(found.pairs), len(found.extra)


def test_a_write_made_twice_is_no_poll() -> None:
    assert paid('{"tx": "T1"}', '{"tx": "T2"}') == (1, 1)
    assert paid('{"tx": "T1"}', '{"tx": "T2"}', '{"tx": "T3"}', gold=2) == (2, 1)
    assert paid('{"tx": "T1"}', '{"tx": "T2"}', name="pay_out", annotations={"readOnlyHint": False}) == (1, 1)


def test_reads_settings_and_what_is_still_under_way_are_polled() -> None:
    assert paid('{"state": "a"}', '{"state": "b"}', name="get_state") == (1, 0)
    assert paid('{"ok": true}', '{"ok": true}', name="set_level") == (1, 0)
    assert paid('{"status": "pending"}', '{"tx": "T1"}') == (1, 0)


DURATION = {"name": "plan", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 30}}}}


@pytest.mark.parametrize(
    ("gold", "sent", "met"),
    [
        ({"$absent": True}, {}, True),
        ({"$absent": True}, {"n": 30}, True),
        ({"$absent": True}, {"n": 45}, False),
        ({"$one_of": [45, {"$absent": True}]}, {}, True),
        ({"$one_of": [45, 60]}, {}, False),
        ({"$not": {"$absent": True}}, {}, True),
        (30, {}, True),
        (45, {}, False),
    ],
)
def test_a_declared_default_and_no_argument_are_one(gold: Any, sent: Any, met: bool) -> None:
    call_made = {"id": "c", "function": {"name": "plan", "arguments": json.dumps(sent)}}
    t = Trace.from_openai(
        [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [call_made]}], [DURATION]
    )
    failing = [
        c for c in verdict(t, case(("plan", {"n": gold}))).checks if c.rule == "arguments/value-mismatch" and c.fails
    ]
    assert (failing == []) is met


def stepped(*tools: str) -> Trace:
    """A trace whose calls stand in steps of their own; a text of several letters is one step."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for n, step in enumerate(tools):
        calls = [{"id": f"{n}{t}", "function": {"name": t, "arguments": f'{{"n": {n}}}'}} for t in step]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": f"{n}{t}", "content": "{}"} for t in step]
    return Trace.from_openai(messages)


@pytest.mark.parametrize(
    ("gold", "made", "right"),
    [
        ("ab", ["b", "a", "b"], True),
        ("abc", ["c", "b", "a", "b", "c"], True),
        ("ab", ["b", "ab", "a"], True),
        ("ab", ["b", "a"], False),
        ("aba", ["a", "b", "b", "a"], True),
        ("abb", ["b", "a", "b"], False),
    ],
)
def test_of_equal_calls_those_in_order_are_meant(gold: str, made: list[str], right: bool) -> None:
    expect = {"calls": [{"tool": t} for t in gold], "order": "in_order", "extra": "allow"}
    found = verdict(stepped(*made), Case.from_dict({"expect": expect}))
    failed = {c.rule for c in found.checks if c.layer == "selection" and c.status == "fail"}
    assert (not failed) == right
    # An order that nothing keeps costs the order, never a pair: "missing" is said only of what was not called.
    assert (
        "selection/missing" not in failed
        or sum(map(len, made)) < len(gold)
        or gold.count("b") > "".join(made).count("b")
    )


def test_an_order_does_not_outweigh_right_arguments() -> None:
    calls = [{"tool": "a", "arguments": {"n": 1}}, {"tool": "b", "arguments": {"n": 0}}]
    expect = {"calls": calls, "order": "in_order", "extra": "allow"}
    found = pair(stepped("b", "a", "b"), Case.from_dict({"expect": expect}))
    assert found is not None
    assert [p.intent.final.step for p in found.pairs] == [1, 0]


def test_lists_too_long_to_align_are_not() -> None:
    assert align([[1.0] * 100] * 100, [[j] for j in range(100)]) is None
    assert align([], []) == {}
    assert align([[0.0]], [[0]]) == {}
    assert align([[1.0, 0.0], [0.0, 1.0]], [[1], [0]]) in ({0: 0}, {1: 1})
    assert align([[1.0, 0.0], [0.0, 1.0]], [[1, 0]]) == {0: 0, 1: 1}
