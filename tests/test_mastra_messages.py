"""Stored messages: made for tests, read for what they say, and every odd shape as the original takes it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mastra_rows import code, same
from rootcall.errors import ScorerError
from rootcall.mastra import (
    assistant_text,
    create_agent_test_run,
    create_test_message,
    create_tool_invocation,
    create_trajectory_test_run,
    extract_tool_calls,
    extract_tool_results,
    extract_trajectory,
    user_text,
)

DATA = Path(__file__).parent / "data" / "mastra"
ODD = [json.loads(line) for line in gzip.decompress((DATA / "odd.jsonl.gz").read_bytes()).splitlines()]


def recorded(row: dict[str, Any], name: str) -> Any:
    return row[name] or {"value": None}


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("calls", lambda run: msgspec.to_builtins(extract_tool_calls(run["output"]))),
        ("results", lambda run: msgspec.to_builtins(extract_tool_results(run["output"]))),
        ("steps", lambda run: extract_trajectory(run["output"])["steps"]),
        ("user", lambda run: user_text(run["input"])),
        ("said", lambda run: assistant_text(run["output"])),
    ],
)
def test_odd_shapes_are_read_as_the_original_reads_them(name: str, read: Any) -> None:
    errors = 0
    for row in ODD:
        try:
            found = {"value": read(row["run"])}
        except ScorerError:
            found, errors = {"error": True}, errors + 1
        assert same(found, recorded(row, name)), row["id"]
    assert (errors > 0) == (name in ("calls", "results", "steps"))


def test_odd_runs_are_scored_as_the_original_scores_them() -> None:
    assert {row["id"]: fault for row in ODD if (fault := code(row))} == {}
    assert sum("error" in row for row in ODD) > 10


def test_messages_and_runs_for_tests() -> None:
    call = create_tool_invocation("c1", "weather", {"city": "Seoul"}, {"sky": "clear"})
    assert call == {
        "toolCallId": "c1",
        "toolName": "weather",
        "args": {"city": "Seoul"},
        "result": {"sky": "clear"},
        "state": "result",
    }
    failed = create_tool_invocation("c2", "weather", {}, state="output-error", error_text="no city", is_error=True)
    assert failed == {
        "toolCallId": "c2",
        "toolName": "weather",
        "args": {},
        "state": "output-error",
        "errorText": "no city",
        "isError": True,
    }
    message = create_test_message("Clear.", "assistant", tool_invocations=[call, failed])
    assert message["content"]["parts"] == [{"type": "text", "text": "Clear."}]
    # As in the original, what says that a call failed is not kept in this list.
    assert message["content"]["toolInvocations"][1] == {
        k: v for k, v in failed.items() if k not in ("errorText", "isError")
    }
    assert "toolInvocations" not in create_test_message("x", "user")["content"]
    run = create_agent_test_run(output=[message], input_messages=[create_test_message("Weather?", "user")], run_id="r")
    assert run["runId"] == "r"
    assert set(run["input"]) == {"inputMessages", "rememberedMessages", "systemMessages", "taggedSystemMessages"}
    assert (user_text(run["input"]), assistant_text(run["output"])) == ("Weather?", "Clear.")
    json.dumps(run)


def test_a_run_for_trajectories() -> None:
    run = create_trajectory_test_run(trajectory={"steps": []}, expected_trajectory={"steps": []})
    assert run["output"] == run["expectedTrajectory"] == {"steps": []}
    assert "expectedTrajectory" not in create_trajectory_test_run(trajectory={"steps": []})
    assert run["runId"] != create_trajectory_test_run(trajectory={"steps": []})["runId"]


def test_signals_have_the_role_of_what_they_signal() -> None:
    def signal(**content: Any) -> dict[str, Any]:
        return {"role": "signal", "content": {"metadata": content, "content": "hi"}}

    assert user_text({"inputMessages": [signal(signal={"tagName": "user"})]}) == "hi"
    assert user_text({"inputMessages": [signal(signal={"type": "user"})]}) == "hi"
    assert user_text({"inputMessages": [signal(signal=3)]}) is None
    assert user_text({"inputMessages": [{**signal(), "type": "user"}]}) == "hi"
