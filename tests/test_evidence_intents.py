from __future__ import annotations

import json
from typing import Any

from rootcall.evidence.intents import attempt_of, call_key, changed_arguments, intent_of, intents, same_call
from rootcall.trace import Trace


def trace(*steps: list[tuple[str, Any, str | None]] | str) -> Trace:
    """Steps are lists of `(tool, arguments, result)`; a text is a user message."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for n, step in enumerate(steps):
        if isinstance(step, str):
            messages.append({"role": "user", "content": step})
            continue
        calls = [
            {"id": f"{n}-{i}", "function": {"name": t, "arguments": a if isinstance(a, str) else json.dumps(a)}}
            for i, (t, a, _) in enumerate(step)
        ]
        messages.append({"role": "assistant", "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": f"{n}-{i}", "content": r}
            for i, (_, _, r) in enumerate(step)
            if r is not None
        ]
    return Trace.from_openai(messages)


BAD = '{"status": 400, "message": "day must be a date"}'
OK = '{"found": 1}'


def sizes(t: Trace) -> list[int]:
    return [len(i.attempts) for i in intents(t)]


def test_a_corrected_call_is_one_intent_with_a_first_and_a_final_attempt() -> None:
    t = trace([("search", {"day": "friday", "to": "NRT"}, BAD)], [("search", {"day": "2026-12-04", "to": "NRT"}, OK)])
    assert sizes(t) == [2]
    assert [attempt_of(t, c) for c in t.calls] == ["first", "final"]
    assert intent_of(t, t.calls[1]).id == t.calls[0].at
    assert changed_arguments(*t.calls) == {"day"}


def test_the_same_call_after_success_is_a_repeat_not_a_retry() -> None:
    t = trace([("roll", {}, OK)], [("roll", {}, OK)])
    assert sizes(t) == [1, 1]
    assert same_call(*t.calls)
    assert [attempt_of(t, c) for c in t.calls] == ["only", "only"]


def test_calls_of_one_step_are_never_retries_of_each_other() -> None:
    assert sizes(trace([("search", {"day": "x"}, BAD), ("search", {"day": "x"}, BAD)])) == [1, 1]


def test_each_failed_parallel_call_takes_its_own_retry() -> None:
    t = trace(
        [("search", {"to": "A", "day": "x"}, BAD), ("search", {"to": "B", "day": "x"}, BAD)],
        [("search", {"to": "B", "day": "1"}, OK), ("search", {"to": "A", "day": "1"}, OK)],
    )
    assert [[c.arguments["to"] for c in i.attempts if c.arguments] for i in intents(t)] == [["A", "A"], ["B", "B"]]


def test_another_tool_is_another_intent_unless_the_first_name_was_unknown() -> None:
    unknown = "Error: unknown tool math.factorial"
    assert sizes(trace([("search", {"n": 5}, BAD)], [("find", {"n": 5}, OK)])) == [1, 1]
    assert sizes(trace([("math.factorial", {"n": 5}, unknown)], [("math_factorial", {"n": 5}, OK)])) == [2]


def test_a_repaired_text_continues_the_call_that_could_not_be_parsed() -> None:
    t = trace([("search", '{"day": "x"', "Error: arguments are not valid JSON")], [("search", {"day": "1"}, OK)])
    assert sizes(t) == [2]
    assert call_key(t, t.calls[0]) != call_key(t, t.calls[1])
    assert not same_call(*t.calls)


def test_a_retry_after_the_user_answered_needs_more_likeness() -> None:
    near = trace([("get", {"id": 1, "zone": "eu"}, BAD)], "it is 2", [("get", {"id": 2, "zone": "eu"}, OK)])
    far = trace([("get", {"id": 1, "zone": "eu"}, BAD)], "something else", [("get", {"id": 9, "zone": "us"}, OK)])
    assert sizes(near) == [2]
    assert sizes(far) == [1, 1]
