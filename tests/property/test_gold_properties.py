"""What holds for every gold: it scores 1 against itself, its order is nothing, and no call is counted twice."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.case import Case
from rootcall.diagnosis import Verdict
from rootcall.evidence.schema import compile_schema
from rootcall.judging import verdict
from rootcall.lint import lint_case
from rootcall.matching import compare
from rootcall.pairing import pair
from rootcall.trace import Trace

SLOW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

# ---- tools and calls that keep their schemas

leaf = st.sampled_from(
    [
        ({"type": "string"}, st.text(max_size=6)),
        ({"type": "integer"}, st.integers(-(2**60), 2**60)),
        ({"type": "number"}, st.integers(-99, 99) | st.floats(-1e9, 1e9)),
        ({"type": "boolean"}, st.booleans()),
        ({"type": "string", "enum": ["a", "b"]}, st.sampled_from(["a", "b"])),
        ({"type": ["integer", "null"]}, st.none() | st.integers(0, 9)),
        ({"type": "array", "items": {"type": "integer"}}, st.lists(st.integers(0, 3), max_size=3)),
        ({"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]}, st.fixed_dictionaries({"k": st.text(max_size=3)})),
    ]
)  # fmt: skip
names = st.sampled_from(["x", "y", "zeta"])


@st.composite
def tools_and_calls(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[tuple[str, dict[str, Any]]]]:
    """Up to three tools, and up to five calls whose arguments keep the schemas."""
    tools, values = [], {}
    for i in range(draw(st.integers(1, 3))):
        properties = draw(st.dictionaries(names, leaf, max_size=3))
        required = draw(st.lists(st.sampled_from(sorted(properties) or ["x"]), unique=True)) if properties else []
        name = f"set_{'abc'[i]}"
        schema = {"type": "object", "properties": {k: s for k, (s, _) in properties.items()}, "required": required}
        tools.append({"name": name, "parameters": schema})
        values[name] = (properties, required)
    calls = []
    for _ in range(draw(st.integers(0, 5))):
        name = draw(st.sampled_from(sorted(values)))
        properties, required = values[name]
        sent = {k: draw(v) for k, (_, v) in properties.items() if k in required or draw(st.booleans())}
        calls.append((name, sent))
    return tools, calls


def run(calls: list[tuple[str, Any]], tools: list[dict[str, Any]], *, parallel: bool = False) -> Trace:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Please."}]
    made = [{"id": f"c{i}", "function": {"name": n, "arguments": json.dumps(a)}} for i, (n, a) in enumerate(calls)]
    for group in [made] if parallel and made else [[c] for c in made]:
        messages.append({"role": "assistant", "tool_calls": group})
        messages += [{"role": "tool", "tool_call_id": c["id"], "content": "done"} for c in group]
    return Trace.from_openai([*messages, {"role": "assistant", "content": "Done."}], tools)


def gold(calls: list[tuple[str, Any]], **expect: Any) -> Case:
    return Case.from_dict({"expect": {"calls": [{"tool": n, "arguments": a} for n, a in calls], **expect}})


def scores(v: Verdict) -> tuple[float | None, float | None]:
    return v.layers["selection"].score, v.layers["arguments"].score


def against_gold(v: Verdict) -> list[str]:
    """What fails of selection and arguments; policy and provenance look at the conversation, which is none here."""
    rules = (
        "selection/expected",
        "selection/missing",
        "selection/wrong-tool",
        "selection/surplus",
        "selection/out-of-order",
    )
    return [c.rule for c in v.checks if c.fails and (c.rule in rules or c.rule == "arguments/value-mismatch")]


@SLOW
@given(tools_and_calls(), st.booleans(), st.sampled_from(["any", "in_order", "strict"]))
def test_gold_against_itself_scores_1(made: Any, parallel: bool, order: str) -> None:
    tools, calls = made
    case = gold(calls, order=order)
    assert all(compile_schema(t["parameters"]).faults(a) == () for t in tools for n, a in calls if n == t["name"])
    v = verdict(run(calls, tools, parallel=parallel), case)
    assert against_gold(v) == []
    assert v.layers["selection"].score == 1.0
    assert v.layers["arguments"].score in (1.0, None)
    # The lint says the same of it.
    assert lint_case(case, Trace.from_openai([], tools).tools) == []


@SLOW
@given(tools_and_calls(), tools_and_calls(), st.randoms(use_true_random=False))
def test_the_order_of_gold_never_moves_a_score(made: Any, wanted: Any, random: Any) -> None:
    tools, calls = made
    expected = wanted[1]
    shuffled = random.sample(expected, len(expected))
    trace = run(calls, tools)
    assert scores(verdict(trace, gold(expected))) == scores(verdict(trace, gold(shuffled)))


@SLOW
@given(tools_and_calls(), tools_and_calls())
def test_each_call_is_used_once(made: Any, wanted: Any) -> None:
    tools, calls = made
    found = pair(run(calls, tools), gold(wanted[1]))
    assert found is not None
    used = [p.intent.id for p in found.pairs] + [i.id for i in found.extra]
    assert len(used) == len(set(used))
    assert len(found.pairs) + len(found.missing) == len(wanted[1])


def recall(trace: Trace, case: Case) -> float:
    found = pair(trace, case)
    assert found is not None
    return len(found.pairs) / len(found.expected) if found.expected else 1.0


@SLOW
@given(tools_and_calls(), tools_and_calls(), st.data())
def test_a_right_call_never_lowers_recall(made: Any, wanted: Any, data: st.DataObject) -> None:
    tools, calls = made
    expected = wanted[1]
    if not expected:
        return
    right = data.draw(st.sampled_from(expected))
    case = gold(expected)
    assert recall(run([*calls, right], tools), case) >= recall(run(calls, tools), case)


@SLOW
@given(tools_and_calls(), tools_and_calls(), st.data())
def test_a_wrong_call_never_raises_a_score(made: Any, wanted: Any, data: st.DataObject) -> None:
    tools, calls = made
    extra = {"name": "erase_disk", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    case = gold(wanted[1])
    at = data.draw(st.integers(0, len(calls)))
    wrong = [*calls[:at], ("erase_disk", data.draw(st.sampled_from([{}, {"n": 1}]))), *calls[at:]]
    before, after = verdict(run(calls, [*tools, extra]), case), verdict(run(wrong, [*tools, extra]), case)
    for b, a in zip(scores(before), scores(after), strict=True):
        assert a is None or b is None or a <= b
    assert after.layers["selection"].status == "fail"


@SLOW
@given(tools_and_calls(), tools_and_calls())
def test_scoring_against_gold_changes_neither_case_nor_trace(made: Any, wanted: Any) -> None:
    tools, calls = made
    trace, case = run(calls, tools), gold(wanted[1])
    before = copy.deepcopy((trace, case))
    verdict(trace, case)
    assert (trace, case) == before


bounds = st.integers(-12, 12) | st.sampled_from([0.5, 2.5, -1.25, 0.3, 7.001])
number_gold = st.builds(lambda a, b: {"$range": sorted((a, b))}, bounds, bounds) | st.builds(
    lambda a, b: {"$approx": [a, b]}, bounds, st.sampled_from([0, 0.1, 0.5, 1, 2])
)
number_schema = st.fixed_dictionaries(
    {"type": st.sampled_from(["integer", "number"])},
    optional={
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), bounds),
        "multipleOf": st.sampled_from([1, 2, 5, 0.5, 0.25, 1.5]),
    },
)
TEXTS = ("ab", "AB", "aB", "Ab", "xaby", "b", "a", "abab", "", "XABX")
text_gold = st.builds(
    lambda name, t: {name: t}, st.sampled_from(["$casefold", "$contains", "$regex"]), st.sampled_from(TEXTS)
)
text_schema = st.fixed_dictionaries(
    {"type": st.just("string")},
    optional={
        "minLength": st.integers(0, 4),
        "maxLength": st.integers(0, 4),
        "enum": st.lists(st.sampled_from(TEXTS), min_size=1),
        "pattern": st.sampled_from(["^a", "B$", "x"]),
    },
)


@SLOW
@given(st.tuples(number_gold, number_schema) | st.tuples(text_gold, text_schema))
def test_what_some_value_meets_is_no_error(pair_of: tuple[dict[str, Any], dict[str, Any]]) -> None:
    gold, schema = pair_of
    parameters = {"type": "object", "properties": {"x": schema}}
    case = Case.from_dict(
        {
            "tools": [{"name": "t", "parameters": parameters}],
            "expect": {"calls": [{"tool": "t", "arguments": {"x": gold}}]},
        }
    )
    errors = [f for f in lint_case(case) if f.severity == "error"]
    tried = [n / 4 for n in range(-100, 101)] + [0.3, 7.001, *TEXTS]
    met = [v for v in tried if compare(gold, v).result == "match" and not compile_schema(schema).faults(v)]  # type: ignore[arg-type]
    assert not (errors and met), (errors, met[:3])
    assert {f.rule for f in errors} <= {"gold/schema-invalid"}
