from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.check import Check
from rootcall.diagnosis import diagnose
from rootcall.jsonvalue import MISSING
from rootcall.trace import Trace
from rootcall.units import first_tries, units_of

REFUSED = '{"status": 400, "message": "day must be a date"}'


def talk(*turns: Any) -> Trace:
    messages: list[dict[str, Any]] = []
    for n, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append({"role": "user", "content": turn})
        elif isinstance(turn, dict):
            messages.append({"role": "assistant", "content": turn["say"]})
        else:
            tool, arguments, result = turn
            messages.append(
                {
                    "role": "assistant",
                    "tool_calls": [{"id": str(n), "function": {"name": tool, "arguments": json.dumps(arguments)}}],
                }
            )
            messages.append({"role": "tool", "tool_call_id": str(n), "content": result})
    return Trace.from_openai(messages)


def check(rule: str, status: Any, unit: str, at: str, **fields: Any) -> Check:
    return Check(layer=rule.partition("/")[0], rule=rule, status=status, unit=unit, at=at, **fields)  # type: ignore[arg-type]


BASE = talk("go", ("a", {"day": "x"}, REFUSED), ("b", {"id": "n-17"}, '{"price": 3}'), {"say": "3"})
A, B = "messages[1].calls[0]", "messages[3].calls[0]"


def test_no_checks_are_no_verdict() -> None:
    v = diagnose(BASE, [])
    assert v.status == "unscored"
    assert {layer.status for layer in v.layers.values()} == {"n/a"}
    assert v.root_cause is None


@pytest.mark.parametrize(
    ("statuses", "layer", "score"),
    [
        (["pass", "pass"], "pass", 1.0),
        (["pass", "fail"], "fail", 0.5),
        (["unscored"], "unscored", None),
        (["unscored", "pass"], "pass", 1.0),
        ([], "n/a", None),
    ],
)
def test_a_layer_is_a_function_of_its_units(statuses: list[str], layer: str, score: float | None) -> None:
    v = diagnose(BASE, [check("arguments/schema", s, f"u{i}", A) for i, s in enumerate(statuses)])
    assert (v.layers["arguments"].status, v.layers["arguments"].score) == (layer, score)


def test_a_hint_is_shown_and_fails_nothing() -> None:
    v = diagnose(
        BASE, [check("arguments/provenance", "fail", "u", A, grade="hint"), check("arguments/schema", "pass", "u", A)]
    )
    assert v.status == "pass"
    assert len(v.checks) == 2


def test_the_final_attempt_decides_and_the_first_one_makes_the_first_try_score() -> None:
    checks = [
        check("arguments/format", "fail", f"argument:{A}.day", f"{A}.arguments.day", attempt="first"),
        check("arguments/schema", "pass", f"argument:{A}.day", f"{B}.arguments.day", attempt="final"),
        check("arguments/schema", "pass", f"argument:{A}.to", f"{A}.arguments.to", attempt="first"),
        check("arguments/schema", "pass", f"argument:{A}.to", f"{B}.arguments.to", attempt="final"),
    ]
    v = diagnose(BASE, checks)
    assert (v.status, v.layers["arguments"].score, v.layers["arguments"].first_try_score) == ("pass", 1.0, 0.0)
    assert first_tries(units_of(checks)) == ["fail"]


def test_the_root_cause_points_at_the_first_attempt_that_had_the_fault() -> None:
    checks = [
        check(
            "arguments/format", "fail", "argument:u", f"{B}.arguments.day", attempt="final", argument="day", tool="a"
        ),
        check(
            "arguments/format",
            "fail",
            "argument:u",
            f"{A}.arguments.day",
            attempt="first",
            argument="day",
            tool="a",
            error_code="400",
        ),
    ]
    v = diagnose(BASE, checks)
    assert v.root_cause is not None
    assert (v.root_cause.at, v.root_cause.error_code) == (f"{A}.arguments.day", "400")


def test_on_one_call_selection_causes_arguments_and_arguments_cause_recovery() -> None:
    checks = [
        check("recovery/error-unread", "fail", f"episode:{A}", A),
        check("recovery/retry-loop", "fail", f"episode:{A}", A),
        check("arguments/format", "fail", f"argument:{A}.day", f"{A}.arguments.day"),
        check("selection/surplus", "fail", f"call:{A}", A),
    ]
    v = diagnose(BASE, checks)
    assert v.root_cause is not None
    assert v.root_cause.layer == "selection"
    assert [f.rule for f in v.contributing] == ["arguments/format", "recovery/error-unread", "recovery/retry-loop"]
    assert v.also == ()


def test_a_claim_follows_from_the_call_it_reads() -> None:
    checks = [
        check("utilization/unsupported", "fail", "claim:1", "messages[5]", causes=(B,)),
        check("arguments/provenance", "fail", f"argument:{B}.id", f"{B}.arguments.id"),
    ]
    v = diagnose(BASE, checks)
    assert v.root_cause is not None
    assert v.root_cause.rule == "arguments/provenance"
    assert [f.layer for f in v.contributing] == ["utilization"]


def test_a_missing_call_causes_the_claims_of_its_turn() -> None:
    checks = [
        check("utilization/unsupported", "fail", "claim:1", "messages[5]"),
        check("selection/missing", "fail", "missing:0", "messages[5]", expected_tool="c"),
    ]
    v = diagnose(BASE, checks)
    assert v.root_cause is not None
    assert v.root_cause.rule == "selection/missing"


def test_a_call_that_sends_what_only_an_earlier_result_held_follows_from_it() -> None:
    t = talk("go", ("find", {"q": "x"}, '{"id": "n-1799"}'), ("get", {"id": "n-1799"}, "{}"), {"say": "ok"})
    checks = [
        check("arguments/value-mismatch", "fail", f"argument:{t.calls[0].at}.q", f"{t.calls[0].at}.arguments.q"),
        check("arguments/value-mismatch", "fail", f"argument:{t.calls[1].at}.id", f"{t.calls[1].at}.arguments.id"),
    ]
    v = diagnose(t, checks)
    assert v.root_cause is not None
    assert v.root_cause.at.startswith(t.calls[0].at)
    assert len(v.contributing) == 1


def test_of_several_causeless_units_the_one_with_most_descendants_counts_then_the_earliest() -> None:
    lone = check("arguments/schema", "fail", f"argument:{A}.day", f"{A}.arguments.day")
    parent = check("arguments/provenance", "fail", f"argument:{B}.id", f"{B}.arguments.id")
    child = check("utilization/unsupported", "fail", "claim:1", "messages[5]", causes=(B,))
    more = diagnose(BASE, [lone, parent, child])
    assert more.root_cause is not None
    assert more.root_cause.rule == "arguments/provenance"
    assert [f.rule for f in more.also] == ["arguments/schema"]
    earliest = diagnose(BASE, [parent, lone])
    assert earliest.root_cause is not None
    assert earliest.root_cause.rule == "arguments/schema"


def test_a_missed_goal_that_no_layer_explains_has_no_root_cause() -> None:
    v = diagnose(BASE, [check("trajectory/goal-missed", "fail", "trajectory:goal", "messages[5]")])
    assert (v.status, v.root_cause) == ("fail", None)
    assert "no layer explains it" in str(v)


def test_an_outage_is_nobodys_fault() -> None:
    down = '{"status": 503, "message": "service unavailable"}'
    t = talk("go", ("a", {}, down), ("a", {}, down), {"say": "The service is down. Shall I try again later?"})
    v = diagnose(t, [check("selection/tool-not-offered", "pass", f"call:{t.calls[0].at}", t.calls[0].at)])
    assert v.status == "unscored"
    assert v.root_cause is not None
    assert (v.root_cause.layer, v.root_cause.tool, v.root_cause.at) == ("environment", "a", "messages[1].calls[0]")


def test_selection_scores_calls_against_expected_ones_as_f1() -> None:
    checks = [
        check("selection/expected", "pass", "u1", A, tool="a", expected_tool="a"),
        check("selection/surplus", "fail", "u2", B, tool="b"),
        check("selection/missing", "fail", "u3", "messages[5]", tool="c", expected_tool="c"),
    ]
    assert diagnose(BASE, checks).layers["selection"].score == pytest.approx(2 / (2 + 1 + 1))


def test_an_expected_call_that_was_not_made_is_missed_and_no_false_call() -> None:
    checks = [
        check("selection/expected", "pass", "u1", A, tool="a", expected_tool="a"),
        check("selection/missing", "fail", "u2", "messages[5]", tool="a", expected_tool="a"),
    ]
    assert diagnose(BASE, checks).layers["selection"].score == pytest.approx(0.6667, abs=1e-4)


def test_a_call_out_of_order_does_not_leave_the_score_at_one() -> None:
    checks = [
        check("selection/expected", "pass", "u1", A, tool="a", expected_tool="a"),
        check("selection/out-of-order", "fail", "u2", B, tool="b", expected_tool="b"),
    ]
    assert diagnose(BASE, checks).layers["selection"].score == 0.5


def test_a_call_that_is_forbidden_and_expected_counts_once() -> None:
    checks = [
        check("selection/forbidden", "fail", "u1", A, tool="a"),
        check("selection/expected", "pass", "u1", A, tool="a", expected_tool="a"),
    ]
    verdict = diagnose(BASE, checks)
    assert (verdict.status, verdict.layers["selection"].score) == ("fail", 1.0)


def test_a_right_abstention_scores_one_and_a_wanted_call_that_was_not_made_nothing() -> None:
    right = [check("selection/expected", "pass", "no-call", "messages[1]")]
    some = [check("selection/missing", "fail", "missing:some", "messages[1]")]
    assert diagnose(BASE, right).layers["selection"].score == 1.0
    assert diagnose(BASE, some).layers["selection"].score == 0.0


def test_a_verdict_becomes_the_json_of_one_trace() -> None:
    v = diagnose(
        BASE,
        [
            check(
                "arguments/format",
                "fail",
                f"argument:{A}.day",
                f"{A}.arguments.day",
                tool="a",
                argument="day",
                got="x",
                message="m",
            )
        ],
        case="c1",
    )
    d = json.loads(json.dumps(v.to_dict()))
    assert (d["trace"], d["case"], d["status"]) == ("trace", "c1", "fail")
    assert d["layers"]["arguments"] == {
        "status": "fail",
        "score": 0.0,
        "scored": 1,
        "unscored": 0,
        "first_try_score": 0.0,
    }
    assert "first_try_score" not in d["layers"]["recovery"]
    assert d["root_cause"]["argument"] == "day"
    assert d["checks"][0]["got"] == "x"
    assert "expected" not in d["checks"][0]
    assert MISSING is not None
    assert str(v).startswith("trace  FAIL  root cause: arguments · a.day · format\n")
