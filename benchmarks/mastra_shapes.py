"""What do the original tool-call scorer and the corrected one see in messages of each shape?

    python benchmarks/mastra_shapes.py [--json]

Each shape tells the same story: asked for flights, an agent calls `search`, which is expected. Printed are the calls that
each sees, with what became of them where the corrected one says so, and both scores (– where the run is refused). The table
stands in docs/reference/mastra-differences.md. `--json` prints the runs instead, one a line, to give to the original itself.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from rootcall.errors import ScorerError
from rootcall.mastra import (
    create_agent_test_run,
    create_test_message,
    create_tool_call_accuracy_scorer_code,
    extract_tool_calls,
    trace_of,
)

Message = dict[str, Any]
ARGUMENTS = {"day": "2026-12-04"}
FOUND = {"flights": ["KE 701"]}
REFUSED = {"status": 400, "message": "day must be a weekday"}
CALL = {"toolCallId": "c1", "toolName": "search", "args": ARGUMENTS}


def stored(**call: Any) -> list[Message]:
    """One stored message of Mastra with a call among its parts."""
    part = {"type": "tool-invocation", "toolInvocation": {**CALL, **call}}
    message = create_test_message("", "assistant", "m1", parts=[part])
    return [{**message, "createdAt": "2026-12-01T09:00:00Z"}]


def part(**fields: Any) -> list[Message]:
    """One message of the AI SDK, version 5 or later, with a call among its parts."""
    call = {"type": "tool-search", "toolCallId": "c1", "input": ARGUMENTS, **fields}
    return [{"id": "m1", "role": "assistant", "parts": [call]}]


OUTPUTS: dict[str, Any] = {
    "Mastra, call with a result": stored(state="result", result=FOUND),
    "Mastra, call that threw": stored(state="output-error", errorText="day must be a weekday"),
    "Mastra, error told in the result": stored(state="result", result=REFUSED),
    "Mastra, call in the older list only": [
        create_test_message("", "assistant", "m1", tool_invocations=[{**CALL, "state": "result", "result": FOUND}])
    ],
    "Mastra, call without a result": stored(state="call"),
    "Mastra, call that a person denied": stored(state="output-denied"),
    "Mastra, call that awaits approval": stored(state="approval-requested"),
    "Mastra, call still being written": stored(state="partial-call"),
    "AI SDK 4, UI message": [
        {"id": "m1", "role": "assistant", "content": "", "toolInvocations": [{**CALL, "state": "result", "result": FOUND}]}
    ],
    "AI SDK 4, core messages": [
        {"role": "assistant", "content": [{"type": "tool-call", **CALL}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "search", "result": FOUND}]},
    ],
    "AI SDK 5, UI message": part(state="output-available", output=FOUND),
    "AI SDK 5, UI message with a dynamic tool": part(type="dynamic-tool", toolName="search", state="output-available", output=FOUND),
    "AI SDK 5, model messages": [
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "search", "input": ARGUMENTS}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "search", "output": {"type": "json", "value": FOUND}}]},
    ],
    "AI SDK 6, UI message, call that threw": part(state="output-error", errorText="day must be a weekday"),
    "AI SDK 6, UI message, call that a person denied": part(state="output-denied", approval={"id": "a1", "approved": False}),
    "OpenAI": [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": json.dumps(ARGUMENTS)}}]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(FOUND)},
    ],
    "Anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "search", "input": ARGUMENTS}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": json.dumps(FOUND)}]},
    ],
    "a shape nobody knows": [{"kind": "tool", "did": "search"}],
    "a text": "I searched.",
    "no message": [],
}  # fmt: skip


def run_with(output: Any) -> dict[str, Any]:
    """The run of the story with an output."""
    asked = {**create_test_message("Find me a flight.", "user", "m0"), "createdAt": "2026-12-01T09:00:00Z"}
    return create_agent_test_run(input_messages=[asked], output=output, run_id="story")


def seen_by_the_original(run: Mapping[str, Any]) -> str:
    return ", ".join(map(str, extract_tool_calls(run["output"]).tools)) or "nothing"


def seen_here(run: Mapping[str, Any]) -> str:
    try:
        calls = trace_of(run).calls
    except ScorerError:
        return "refused"
    return ", ".join(f"{c.tool}: {c.outcome.replace('_', ' ')}" for c in calls) or "nothing"


def shape_table() -> list[str]:
    """The table in Markdown, a line each."""
    lines = ["| messages | original sees | score | ours sees | score |", "|---|---|---:|---|---:|"]
    for name, output in OUTPUTS.items():
        run = run_with(output)
        found = create_tool_call_accuracy_scorer_code("search").explain(run)
        was, now = ("–" if s is None else f"{s:g}" for s in (found.original, found.corrected))
        refused = "refused" if found.original is None else seen_by_the_original(run)
        lines.append(f"| {name} | {refused} | {was} | {seen_here(run)} | {now} |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the runs, one a line")
    if parser.parse_args().json:
        for output in OUTPUTS.values():
            print(json.dumps({"options": {"expectedTool": "search"}, "run": run_with(output)}))
        return 0
    print("\n".join(shape_table()))
    parting = sum(row.split(" | ")[2] != row.split(" | ")[-1].rstrip(" |") for row in shape_table()[2:])
    print(json.dumps({"shapes": len(OUTPUTS), "parting": parting}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
