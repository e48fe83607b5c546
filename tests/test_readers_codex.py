"""Codex: rollouts whose items stand twice, older flat files, and the events of `codex exec --json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
META = {
    "type": "session_meta",
    "timestamp": "2026-11-30T09:00:00Z",
    "payload": {"id": "s1", "cwd": "/home/dev", "cli_version": "0.1"},
}


def item(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "response_item", "timestamp": "2026-11-30T09:00:01Z", "payload": {"type": kind, **more}}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **more}}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def call(n: int, name: str = "shell", **arguments: Any) -> dict[str, Any]:
    return item("function_call", name=name, arguments=json.dumps(arguments or {"command": ["ls"]}), call_id=f"c{n}")


def back(n: int, output: Any = "a.txt") -> dict[str, Any]:
    return item("function_call_output", call_id=f"c{n}", output=output)


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*lines: Any) -> Reading:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
        return read(file, format="codex")

    return write


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "codex"
    return trace


def outcomes(trace: Trace) -> list[tuple[str, int, str]]:
    return [(c.tool, c.step, c.outcome) for c in trace.calls]


def test_the_events_of_a_real_run() -> None:
    reading = read(TRACES / "codex_exec_events.jsonl")
    trace = only(reading)
    assert trace.id == "01a22db5-6d0b-7561-a423-4c99edbb7ea2"
    # Counted by hand: two commands, the second one fails with exit code 1, an answer; the user's words are not there.
    assert outcomes(trace) == [("command_execution", 0, "ok"), ("command_execution", 1, "error")]
    assert trace.calls[1].arguments == {"command": "/bin/bash -lc 'cat missing.txt'"}
    assert (trace.calls[1].evidence, trace.calls[1].source.line) == ("exit code", 7)
    assert trace.calls[1].result is not None
    assert trace.calls[1].result.source.line == 8
    assert [m.role for m in trace.messages] == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert trace.completeness.history == "partial"
    assert [p.code for p in trace.problems] == ["harness-error"]


def test_a_rollout_is_read_once_although_each_item_stands_twice(written: Any) -> None:
    trace = only(written(
        META,
        said("developer", "Be brief."),
        said("user", "<environment_context><cwd>/home/dev</cwd></environment_context>"),
        said("user", "List files"),
        event("user_message", message="List files"),
        {"type": "turn_context", "payload": {"model": "gpt-x"}},
        item("reasoning", summary=[]),
        said("assistant", "I look."),
        event("agent_message", message="I look."),
        call(1),
        call(2, "read", path="b"),
        event("exec_command_end", call_id="c2", exit_code=2, aggregated_output="no b"),
        back(2, "no b"),
        back(1),
        event("item_completed", item={"type": "CommandExecution", "id": "c1", "status": "completed", "exit_code": 0}),
        said("assistant", "a.txt"),
        event("task_complete", last_agent_message="a.txt"),
    ))  # fmt: skip
    assert trace.id == "s1"
    assert [m.role for m in trace.messages] == ["system", "system", "user", "assistant", "tool", "tool", "assistant"]
    assert outcomes(trace) == [("shell", 0, "ok"), ("read", 0, "error")]
    assert (trace.calls[0].source.line, trace.calls[0].source.pointer) == (10, "/payload")
    assert trace.metadata == {"session_id": "s1", "cwd": "/home/dev", "version": "0.1", "model": "gpt-x"}
    assert trace.turns[-1].answer is not None
    assert trace.messages[2].timestamp == "2026-11-30T09:00:01Z"


@pytest.mark.parametrize(
    ("output", "more", "outcome"),
    [
        ("a.txt", [], "ok"),
        ({"content": "a.txt", "success": True}, [], "ok"),
        ({"content": "boom", "success": False}, [], "error"),
        ([{"type": "input_text", "text": "a.txt"}], [], "ok"),
        (json.dumps({"output": "a", "metadata": {"exit_code": 0}}), [], "ok"),
        (json.dumps({"output": "no such file", "metadata": {"exit_code": 1}}), [], "error"),
        (json.dumps({"output": "", "metadata": {"exit_code": 1}}), [], "ok"),
        ("Process exited with code 2\nOutput:\nboom", [], "error"),
        ("Process exited with code 0\nOutput:\na", [], "ok"),
        ("x", [event("exec_command_end", call_id="c1", exit_code=127)], "error"),
        ("x", [event("patch_apply_end", call_id="c1", success=False)], "error"),
        ("x", [event("mcp_tool_call_end", call_id="c1", result={"Err": "no"})], "error"),
        ("x", [event("item_completed", item={"id": "c1", "type": "CommandExecution", "status": "failed"})], "error"),
        (
            "x",
            [event("item_completed", item={"id": "c1", "type": "CommandExecution", "status": "declined"})],
            "refused",
        ),
    ],
)
def test_how_a_command_ended(written: Any, output: Any, more: list[Any], outcome: str) -> None:
    assert outcomes(only(written(META, said("user", "Do."), call(1), back(1, output), *more))) == [
        ("shell", 0, outcome)
    ]
    # What the interface was told may stand before the result, too.
    assert outcomes(only(written(META, said("user", "Do."), call(1), *more, back(1, output)))) == [
        ("shell", 0, outcome)
    ]


def test_other_kinds_of_calls(written: Any) -> None:
    trace = only(written(
        META,
        said("user", "Do."),
        item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c1"),
        item("custom_tool_call_output", call_id="c1", output="ok"),
        item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["ls"]}, status="completed"),
        item("function_call_output", call_id="c2", output="a"),
        item("web_search_call", id="w", action={"type": "search", "query": "x"}, status="completed"),
        item("function_call", name="shell", arguments="{", call_id="c3"),
        item("function_call", arguments="{}", call_id="c4"),
    ))  # fmt: skip
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [
        ("apply_patch", {"input": "*** Begin Patch"}, "ok"),
        ("local_shell", {"type": "exec", "command": ["ls"]}, "ok"),
        ("web_search", {"type": "search", "query": "x"}, "unknown"),
        ("shell", None, "no_result"),
    ]
    assert trace.calls[3].state == "not_json"
    assert [(p.code, p.lost) for p in trace.problems] == [("call-unreadable", 1)]


def test_older_flat_files(written: Any) -> None:
    header = {"id": "old", "timestamp": "2025-06-01T10:00:00Z", "instructions": "Be brief.", "git": {}}
    lines = [
        said("user", "List")["payload"],
        said("assistant", "Yes.")["payload"],
        call(1)["payload"],
        back(1)["payload"],
    ]
    trace = only(written(header, {"record_type": "state"}, *lines, {"record_type": "state"}))
    assert (trace.id, outcomes(trace)) == ("old", [("shell", 0, "ok")])
    assert [m.text for m in trace.messages] == ["Be brief.", "List", "Yes.", "a.txt"]
    assert trace.calls[0].source.pointer == ""


def test_a_rollout_without_model_messages_falls_back_to_what_was_shown(written: Any) -> None:
    trace = only(
        written(META, event("user_message", message="List"), call(1), back(1), event("agent_message", message="a.txt"))
    )
    assert [(m.role, m.text) for m in trace.messages if m.role != "tool"] == [
        ("user", "List"),
        ("assistant", None),
        ("assistant", "a.txt"),
    ]


def test_threads_of_one_file_and_the_header_of_a_fork(written: Any) -> None:
    fork = {"type": "session_meta", "payload": {"id": "parent"}}
    second = {"type": "session_meta", "payload": {"id": "s2", "source": {"subagent": {"thread_spawn": {}}}}}
    one, two = written(META, fork, said("user", "One"), call(1), second, said("user", "Two"))
    assert [(t.id, len(t.calls)) for t in (one, two)] == [("s1", 1), ("s2", 0)]
    assert "subagent" in two.metadata


def test_a_compacted_thread_says_so(written: Any) -> None:
    compacted = {"type": "compacted", "payload": {"message": "summary"}}
    trace = only(written(META, compacted, said("user", "Go on."), said("assistant", "Yes.")))
    assert ([p.code for p in trace.problems], trace.completeness.history) == (["compacted"], "partial")
    trace = only(written(META, said("user", "Go."), compacted, said("assistant", "Yes.")))
    assert trace.completeness.history == "full"


def test_events_of_parallel_and_other_work(written: Any) -> None:
    def work(kind: str, n: int, sort: str, **more: Any) -> dict[str, Any]:
        return {"type": f"item.{kind}", "item": {"id": f"i{n}", "type": sort, **more}}

    mcp = {"server": "docs", "tool": "search", "arguments": {"q": "x"}}
    trace = only(written(
        {"type": "thread.started", "thread_id": "t"},
        work("started", 1, "command_execution", command="a", status="in_progress"),
        work("started", 2, "mcp_tool_call", **mcp, status="in_progress"),
        work("updated", 2, "mcp_tool_call", **mcp, status="in_progress"),
        work("completed", 2, "mcp_tool_call", **mcp, status="completed", result={"content": [{"type": "text", "text": "found"}]}),
        work("completed", 1, "command_execution", command="a", aggregated_output="", exit_code=1, status="failed"),
        work("completed", 3, "file_change", changes=[{"path": "a", "kind": "add"}], status="failed"),
        work("completed", 4, "web_search", query="x"),
        work("completed", 5, "mcp_tool_call", **mcp, status="failed", error={"message": "no server"}),
        work("started", 6, "command_execution", command="b", status="in_progress"),
        work("completed", 7, "command_execution", command="rm", status="declined", exit_code=None, aggregated_output=""),
        {"type": "turn.failed", "error": {"message": "out of tokens"}},
    ))  # fmt: skip
    assert outcomes(trace) == [
        ("command_execution", 0, "unknown"),
        ("search", 0, "ok"),
        ("file_change", 1, "error"),
        ("web_search", 2, "unknown"),
        ("search", 3, "error"),
        ("command_execution", 4, "no_result"),
        ("command_execution", 4, "refused"),
    ]
    assert [(p.code, p.message) for p in trace.problems] == [("turn-failed", "the turn failed: out of tokens")]


def test_bad_lines_are_named_with_their_place_and_their_calls(written: Any) -> None:
    reading = written(
        META,
        3,
        "[1",
        {"silly": 1},
        said("user", "x"),
        '{"type": "response_item", "payload": {"type": "function_call", "arguments": "',
        call(1),
    )
    (trace,) = reading
    assert len(trace.calls) == 1
    assert [(p.code, p.source.line, p.lost) for p in reading.problems] == [
        ("unknown-shape", 2, 0),
        ("not-json", 3, 0),
        ("unknown-shape", 4, 0),
        ("not-json", 6, 1),
    ]
    assert reading.calls_in == 2
