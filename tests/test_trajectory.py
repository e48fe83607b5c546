"""Above the layers: the goal, and whether the way was straight."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.check import Check
from rootcall.config import Config
from rootcall.trace import Trace
from rootcall.trajectory import RULES, compounding, steps


def trace_of(*parts: Any, **metadata: Any) -> Trace:
    messages: list[dict[str, Any]] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            messages.append({"role": "assistant" if part.startswith(">") else "user", "content": part.lstrip(">")})
            continue
        tool, arguments, result = part
        function = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{i}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": json.dumps(result)})
    return Trace.from_openai(messages, metadata=metadata)


def checks_of(trace: Trace, config: Config | None = None) -> list[Check]:
    return [c for rule in RULES for c in rule(trace, None, config or Config())]


def names_of(trace: Trace) -> list[str]:
    return [c.rule.partition("/")[2] for c in checks_of(trace)]


@pytest.mark.parametrize(
    ("reward", "status"),
    [
        (1, "pass"),
        (1.0, "pass"),
        (1 - 1e-7, "pass"),
        (True, "pass"),
        (0, "fail"),
        (0.999, "fail"),
        (math.nan, "unscored"),
        ("1", "unscored"),
    ],
)
def test_the_recorded_reward_is_the_goal(reward: Any, status: str) -> None:
    (check,) = checks_of(trace_of("go", ">done", reward=reward))
    assert (check.rule, check.status, check.unit) == ("trajectory/goal-missed", status, "trajectory:goal")
    assert check.at == "messages[1]"


def test_without_a_reward_nothing_is_said() -> None:
    assert checks_of(trace_of("go", ">done")) == []
    assert checks_of(trace_of("go", ">done", reward=None)) == []


def test_a_reward_without_messages_is_judged() -> None:
    (check,) = checks_of(Trace.from_openai([], metadata={"reward": 0}))
    assert check.status == "fail"


def test_more_than_five_steps_in_one_turn_are_a_hint() -> None:
    six = [("get_a", {"i": i}, {"x": i}) for i in range(6)]
    (check,) = checks_of(trace_of("go", *six, ">done"))
    assert (check.rule, check.grade, check.got) == ("trajectory/too-many-steps", "hint", 6)
    assert not check.fails
    assert checks_of(trace_of("go", *six[:5], ">done")) == []
    assert checks_of(trace_of("go", *six[:3], ">so far", "more", *six[3:], ">done")) == []
    assert checks_of(trace_of("go", *six, ">done"), Config(rules={"trajectory/too-many-steps": {"limit": 6}})) == []


def test_retries_and_polls_fold_into_one_step() -> None:
    polls = [("job_status", {"id": 1}, {"state": "running"})] * 6
    retries = [("get_a", {"id": 1}, {"status": 503, "message": "down"})] * 2 + [("get_a", {"id": 1}, {"x": 1})]
    trace = trace_of("go", *polls, *retries, ">done")
    assert steps(trace) == 2
    assert checks_of(trace) == []


def test_a_read_repeated_for_nothing_is_a_hint() -> None:
    read, other = ("get_a", {"id": 1}, {"x": 1}), ("get_b", {"id": 1}, {"y": 1})
    (check,) = checks_of(trace_of("go", read, other, read, ">done"))
    assert (check.rule, check.grade, check.at) == ("trajectory/redundant-call", "hint", "messages[5].calls[0]")


@pytest.mark.parametrize(
    "between",
    [("update_a", {"id": 1}, {"ok": True}), ">It is 1."],
    ids=["a write", "another turn"],
)
def test_a_read_again_after_a_write_or_for_the_user_is_fine(between: Any) -> None:
    read = ("get_a", {"id": 1}, {"x": 1})
    parts = (between, "again?") if isinstance(between, str) else (between,)
    assert checks_of(trace_of("go", read, *parts, read, ">done")) == []


def test_a_read_with_another_result_or_a_pending_one_is_fine() -> None:
    assert checks_of(trace_of("go", ("get_a", {}, {"x": 1}), ("get_a", {}, {"x": 2}), ">done")) == []
    assert checks_of(trace_of("go", *[("get_a", {}, {"state": "queued"})] * 4, ">done")) == []
    assert checks_of(trace_of("go", *[("get_a", {}, {"status": 503, "message": "down"})] * 3, ">done")) == []


def test_three_rounds_of_the_same_are_a_loop() -> None:
    pair = [("set_a", {"v": 1}, {"v": 1}), ("get_b", {"q": "x"}, {"hits": []})]
    (check,) = [c for c in checks_of(trace_of("go", *pair * 3, ">done")) if c.fails]
    assert (check.rule, check.at) == ("trajectory/no-progress-loop", "messages[9].calls[0]")
    assert "no-progress-loop" not in names_of(trace_of("go", *pair * 2, ">done"))
    assert "no-progress-loop" not in names_of(
        trace_of("go", *[("get_b", {"q": i}, {"hits": []}) for i in range(3)], ">done")
    )


def test_polling_and_failing_calls_are_no_such_loop() -> None:
    assert "no-progress-loop" not in names_of(trace_of("go", *[("job_status", {"id": 1}, {"s": "z"})] * 5, ">done"))
    assert "no-progress-loop" not in names_of(trace_of("go", *[("get_a", {}, {"error": "odd"})] * 5, ">done"))


def test_compounding_is_the_power_of_the_step() -> None:
    assert compounding(0.95, 8) == pytest.approx(0.6634, abs=1e-4)
    assert compounding(0.5, 0) == 1
    with pytest.raises(ValueError, match="between 0 and 1"):
        compounding(1.5, 2)
    with pytest.raises(ValueError, match="negative"):
        compounding(0.5, -1)


@given(st.floats(0, 1), st.integers(0, 50))
def test_more_steps_never_help(per_step: float, n: int) -> None:
    assert compounding(per_step, n + 1) <= compounding(per_step, n)
