"""Claude Code: lines become messages, results find their calls in any order, sub-agents stand apart, bad lines are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"


def line(kind: str, content: Any, *, id: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    message = {"role": kind, "content": content, **({"id": id} if id else {})}
    return {"type": kind, "message": message, "sessionId": "s", "timestamp": "2026-11-30T09:00:00Z", **more}


def use(n: int, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"t{n}", "name": name, "input": given or {"command": "ls"}}


def back(n: int, content: Any = "a.txt", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"t{n}", "content": content, **more}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*lines: Any) -> Reading:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
        return read(file, format="claude-code")

    return write


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    return trace


def outcomes(trace: Trace) -> list[tuple[str, int, str]]:
    return [(c.tool, c.step, c.outcome) for c in trace.calls]


# Counted by hand: calls, errors, turns; the last answer begins so.
@pytest.mark.parametrize(
    ("name", "trace_id", "calls", "errors", "turns", "answer"),
    [
        ("session.jsonl", "375b271a-8d28-4d7f-ae98-d0bf276e23d1", 3, 1, 1, "notes.txt says hello"),
        ("loglines.json", "claude_code_loglines", 12, 1, 5, "Added multiply function!"),
        ("summary.jsonl", "test-session-id", 2, 0, 2, "Done! The hello function"),
    ],
)
def test_real_sessions(name: str, trace_id: str, calls: int, errors: int, turns: int, answer: str) -> None:
    reading = read(TRACES / f"claude_code_{name}")
    (trace,) = reading
    assert (trace.format, trace.id, trace.tools_known, reading.problems) == ("claude-code", trace_id, "unknown", [])
    assert len(trace.calls) == reading.calls_in == calls
    assert all(c.result is not None for c in trace.calls)
    assert sum(c.outcome == "error" for c in trace.calls) == errors
    assert len(trace.turns) == turns
    last = trace.turns[-1].answer
    assert last is not None
    assert (last.text or "").startswith(answer)


def test_lines_of_one_message_are_one_step_and_results_come_in_any_order() -> None:
    (trace,) = read(TRACES / "claude_code_session.jsonl")
    assert outcomes(trace) == [("Bash", 0, "ok"), ("Read", 0, "error"), ("Read", 1, "ok")]
    assert trace.steps[0].message.text == "I'll list the files and read both notes."
    first, second = trace.calls[:2]
    assert (first.source.line, first.source.pointer, second.source.line) == (7, "/message/content/0", 8)
    assert first.result is not None
    assert second.result is not None
    assert (first.result.source.line, second.result.source.line) == (10, 9)
    assert second.error is not None
    assert second.error.kind == "not_found"
    assert trace.metadata["model"] == "claude-sonnet-4-5"
    assert trace.metadata["version"] == "2.1.197"
    assert trace.messages[0].timestamp is not None


def test_only_consecutive_lines_with_one_id_are_one_message(written: Any) -> None:
    ask = line("user", "Look.")
    apart = [line("assistant", [use(1)], id="m"), line("user", [back(1)]), line("assistant", [use(2)], id="m")]
    assert [c.step for c in only(written(ask, *apart)).calls] == [0, 1]
    noise = {"type": "file-history-snapshot", "sessionId": "s"}
    together = [line("assistant", [text("So.")], id="m"), noise, line("assistant", [use(1)], id="m"),
                line("assistant", [use(2)], id="m"), line("user", [back(2, "b")]), line("user", [back(1, "a")])]  # fmt: skip
    trace = only(written(ask, *together))
    assert [c.step for c in trace.calls] == [0, 0]
    assert [c.result.text for c in trace.calls if c.result] == ["a", "b"]
    # Without an id each line is a message.
    assert [c.step for c in only(written(ask, line("assistant", [use(1)]), line("assistant", [use(2)]))).calls] == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("result", "beside", "outcome"),
    [
        (back(1), None, "ok"),
        (back(1, is_error=False), None, "ok"),
        (back(1, "boom", is_error=True), "Error: boom", "error"),
        (back(1, "Error: boom"), None, "error"),
        (back(1, ""), {"stdout": "", "interrupted": False}, "unknown"),
        (back(1, "a"), {"stdout": "a", "interrupted": True}, "error"),
        (
            back(1, "The user doesn't want to proceed with this tool use.", is_error=True),
            "User rejected tool use",
            "refused",
        ),
        (back(1, "Permission to use Bash has been denied.", is_error=True), None, "refused"),
        (back(1, [text("a"), text("b")]), None, "ok"),
        (
            back(1, [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]),
            None,
            "ok",
        ),
    ],
)
def test_what_came_back(written: Any, result: Any, beside: Any, outcome: str) -> None:
    more = {} if beside is None else {"toolUseResult": beside}
    trace = only(written(line("user", "Look."), line("assistant", [use(1)]), line("user", [result], **more)))
    assert outcomes(trace) == [("Bash", 0, outcome)]
    (call,) = trace.calls
    assert call.result is not None
    assert "AAAA" not in (call.result.text or "")


def test_sub_agents_are_traces_of_their_own(written: Any) -> None:
    main = [line("user", "Do it."), line("assistant", [use(1, "Task", prompt="find")], id="m1")]
    inner = [line("user", "find", isSidechain=True, parentUuid=None, uuid="u1"),
             line("assistant", [use(2)], isSidechain=True, parentUuid="u1", uuid="u2", id="m2")]  # fmt: skip
    other = [line("user", "also", isSidechain=True, parentUuid=None, uuid="v1")]
    more = [line("user", [back(2)], isSidechain=True, parentUuid="u2", uuid="u3"), line("user", [back(1, "found")])]
    a, b, c = written(*main, *inner, *other, *more, line("assistant", [text("Found.")]))
    assert [t.id for t in (a, b, c)] == ["s", "s/u1", "s/v1"]
    assert (outcomes(a), outcomes(b), outcomes(c)) == ([("Task", 0, "ok")], [("Bash", 0, "ok")], [])
    assert (b.metadata["agent"], b.calls[0].agent, b.turns[0].user.text) == ("u1", "u1", "find")  # type: ignore[union-attr]
    assert "agent" not in a.metadata
    # Newer sessions keep them in files of their own and name them.
    (d,) = written(
        line("user", "find", isSidechain=True, agentId="a1f"),
        line("assistant", [use(1)], isSidechain=True, agentId="a1f"),
    )
    assert d.id == "s/a1f"


def test_words_of_the_harness_are_not_the_users(written: Any) -> None:
    trace = only(written(
        line("user", "Caveat: The messages below were generated by the user while running local commands.", isMeta=True),
        line("user", "<local-command-stdout>ok</local-command-stdout>"),
        line("user", "Look."),
        line("assistant", [use(1)]),
        line("user", [back(1, "The user doesn't want to take this action right now.", is_error=True), text("[Request interrupted by user]")]),
        line("user", "summary of it all", isCompactSummary=True),
        line("assistant", [text("On we go.")]),
    ))  # fmt: skip
    assert [m.role for m in trace.messages] == [
        "system",
        "system",
        "user",
        "assistant",
        "tool",
        "system",
        "system",
        "assistant",
    ]
    assert len(trace.turns) == 1
    assert [p.code for p in trace.problems] == ["compacted"]
    assert trace.completeness.history == "full"


def test_a_session_that_begins_with_a_summary_lacks_its_history(written: Any) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "sessionId": "s"}
    for first in ([boundary], [line("user", "what was", isCompactSummary=True)]):
        trace = only(written(*first, line("user", "Go on."), line("assistant", [text("Yes.")])))
        assert trace.completeness.history == "partial"


def test_lines_written_again_are_read_once_and_counted(written: Any) -> None:
    lines = [
        line("user", "Look.", uuid="1"),
        line("assistant", [use(1)], id="m", uuid="2"),
        line("user", [back(1)], uuid="3"),
    ]
    trace = only(written(*lines, *lines, line("assistant", [text("Done.")], uuid="4")))
    assert outcomes(trace) == [("Bash", 0, "ok")]
    (problem,) = trace.problems
    assert (problem.code, problem.message.startswith("3 lines")) == ("lines-repeated", True)


def test_the_output_of_a_run_without_a_terminal(written: Any) -> None:
    def out(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        made = line(kind, content, session_id="x", parent_tool_use_id=None, **more)
        del made["sessionId"]
        return made

    init = {"type": "system", "subtype": "init", "session_id": "x", "tools": ["Bash", "Task"], "model": "m"}
    lines = [
        init,
        out("assistant", [use(1), use(3)], id="m1"),
        {"type": "stream_event", "session_id": "x", "event": {"type": "ping"}},
        out("user", [back(1, "Claude requested permissions to use Bash, but you haven't granted it yet.", is_error=True)]),
        {**out("assistant", [use(2)], id="m2"), "parent_tool_use_id": "t3"},
        out("user", [back(3, "no", is_error=True)]),
        out("assistant", [text("I may not.")], id="m3"),
        {"type": "result", "subtype": "success", "session_id": "x", "result": "I may not.", "num_turns": 2,
         "permission_denials": [{"tool_name": "Bash", "tool_use_id": "t3"}]},
    ]  # fmt: skip
    main, inner = written(*lines)
    assert outcomes(main) == [("Bash", 0, "refused"), ("Bash", 0, "refused")]
    assert (main.id, main.tools_known, [t.name for t in main.tools]) == ("x", "declared", ["Bash", "Task"])
    assert (main.completeness.tools, main.completeness.history) == ("partial", "partial")
    assert main.metadata["outcome"] == "success"
    assert (inner.id, inner.tools_known, len(inner.calls)) == ("x/t3", "unknown", 1)
    # Where tools are deferred, the first line does not name them all.
    main, *_ = written({**init, "tools": ["Bash", "ToolSearch"]}, *lines[1:])
    assert main.tools_known == "unknown"
    only_answer = only(written(lines[-1]))
    assert ([p.code for p in only_answer.problems], only_answer.messages[0].text) == (["answer-only"], "I may not.")


def test_bad_lines_are_named_with_their_place_and_their_calls(written: Any) -> None:
    misspelt = line("assistant", [use(9)])
    misspelt["message"]["contenst"] = misspelt["message"].pop("content")
    reading = written(
        line("user", "Look."),
        '"massive error"',
        {"silly": "this"},
        42,
        [1],
        misspelt,
        line("user", "x") | {"message": "error"},
        '{"type": "assistant", "message": {"content": [{"type": "tool_use"',
        line("assistant", [use(1), {"type": "tool_use", "id": "t8"}, "said", 3]),
        {"type": "unheard-of", "sessionId": "s"},
    )
    (trace,) = reading
    assert [(p.code, p.source.line, p.lost) for p in reading.problems] == [
        ("unknown-shape", 2, 0),
        ("unknown-shape", 3, 0),
        ("unknown-shape", 4, 0),
        ("unknown-shape", 5, 0),
        ("message-unreadable", 6, 1),
        ("message-unreadable", 7, 0),
        ("not-json", 8, 1),
    ]
    assert [(p.code, p.lost) for p in trace.problems] == [("call-unreadable", 1)]
    assert (reading.calls_kept, reading.calls_in) == (1, 4)
    assert trace.steps[0].message.text == "said"


def test_several_sessions_in_one_file_are_told_apart(written: Any) -> None:
    a, b = written(line("user", "One"), line("user", "Two", sessionId="z"), line("assistant", [text("1")]))
    assert [(t.id, len(t.messages)) for t in (a, b)] == [("s", 2), ("z", 1)]
