"""Where Mastra's scorer and the corrected one part, and why: one agent, its messages stored in three ways.

    python examples/mastra/explain_run.py

It prints:

    a call and its correction
      original 0.0, corrected 1.0
      retries-are-one: a failed call and its retry are one intent, judged on its last attempt: pay
    a call that a person denied
      original 0.0, corrected 1.0
      uncounted-calls: the original does not count every attempt; left out are pay (refused)
    messages of OpenAI
      original 0.0, corrected 1.0
      unseen-messages: the original sees no call in messages of this shape; 1 were made: pay
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    create_tool_invocation,
)

Message = dict[str, Any]


def stored(*calls: Message) -> list[Message]:
    """Messages as Mastra stores them, one for each call."""
    parts = [{"type": "tool-invocation", "toolInvocation": call} for call in calls]
    return [create_test_message("", "assistant", f"m{n}", parts=[part]) for n, part in enumerate(parts)]


def outputs() -> dict[str, Sequence[Message]]:
    """What three agents left behind, by what it is."""
    refused = {"status": 400, "error": "amount must be a number"}
    openai = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": '{"amount": 20}'}}
    return {
        "a call and its correction": stored(
            create_tool_invocation("c1", "pay", {"amount": "20 euros"}, refused),
            create_tool_invocation("c2", "pay", {"amount": 20}, {"paid": True}),
        ),
        "a call that a person denied": stored(
            create_tool_invocation("c1", "pay", {"amount": 20}, state="output-denied")
        ),
        "messages of OpenAI": [
            {"role": "assistant", "content": None, "tool_calls": [openai]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"paid": true}'},
        ],
    }


def main() -> None:
    """Score each by both semantics and print what makes the difference."""
    scorer = create_tool_call_accuracy_scorer_code(expected_tool="pay", strict_mode=True)
    asked = [create_test_message("Pay 20 euros to Ms Kim.", "user")]
    for name, output in outputs().items():
        found = scorer.explain(create_agent_test_run(input_messages=asked, output=list(output)))
        print(name)
        print(f"  original {found.original}, corrected {found.corrected}")
        for difference in found.differences:
            print(f"  {difference.kind}: {difference.message}")


if __name__ == "__main__":
    main()
