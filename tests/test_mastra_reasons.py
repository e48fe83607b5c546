"""Where the two semantics part, the reason that `explain` gives is what happened in that run."""

from __future__ import annotations

from typing import Any

from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_invocation,
)

ASKED = [create_test_message("Please.", "user")]


def made(*calls: tuple[str, str]) -> dict[str, Any]:
    """A run with calls of a tool in a state."""
    parts = [
        {"type": "tool-invocation", "toolInvocation": create_tool_invocation(f"c{n}", tool, {}, {"n": n}, state)}
        for n, (tool, state) in enumerate(calls)
    ]
    return create_agent_test_run(input_messages=ASKED, output=[create_test_message("Done.", "assistant", parts=parts)])


def test_only_the_calls_that_are_not_counted_are_named() -> None:
    run = made(("pay", "result"), ("pay", "output-denied"), ("look", "result"))
    found = create_tool_call_accuracy_scorer_code("pay", strict_mode=True).explain(run)
    told = [d.message for d in found.differences if d.kind == "uncounted-calls"]
    assert told == ["the original does not count every attempt; left out are pay (refused)"]


def test_a_call_where_none_is_right_is_told_as_such() -> None:
    scorer = create_tool_call_accuracy_scorer_code("pay", expected_tool_order=[])
    called = scorer.explain(made(("pay", "result")))
    assert (called.original, called.corrected) == (1.0, 0.0)
    assert called.differences[0].message.startswith("no call is right here, and 1 were made")
    silent = scorer.explain(made())
    assert (silent.original, silent.corrected) == (0.0, 1.0)
    assert silent.differences[0].message.endswith("scores a run without a call 0 always")


def test_an_intent_stands_where_its_last_attempt_does() -> None:
    output = [
        create_test_message("", "assistant", f"m{n}", parts=[{"type": "tool-invocation", "toolInvocation": call}])
        for n, call in enumerate(
            [
                create_tool_invocation(
                    "c0", "pay", {"to": "a"}, state="output-error", error_text="400: iban is wanted"
                ),
                create_tool_invocation("c1", "look", {"name": "a"}, {"iban": "b"}),
                create_tool_invocation("c2", "pay", {"to": "b"}, {"paid": True}),
            ]
        )
    ]
    run = create_agent_test_run(input_messages=ASKED, output=output)
    for strict in (True, False):
        scorer = create_tool_call_accuracy_scorer_code(strict_mode=strict, expected_tool_order=["look", "pay"])
        found = scorer.explain(run)
        assert (found.original, found.corrected) == (0.0, 1.0)
        assert [d.kind for d in found.differences if d.moves_score] == ["retries-are-one"]


def test_options_that_only_the_original_takes_leave_the_other_without_a_score() -> None:
    found = create_tool_call_accuracy_scorer_code(1).explain(made(("pay", "result")))  # type: ignore[arg-type]
    assert (found.original, found.corrected) == (0.0, None)
    assert found.corrected_error == "expected_tool must be a name, got int"
