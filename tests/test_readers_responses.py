"""OpenAI Responses items: every container they come in, hosted tools, approvals, and what is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.errors import UnknownFormatError
from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"

USER = {"role": "user", "content": "Weather in Gimje?"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": '{"city": "Gimje"}'}
TOLD = {"type": "function_call_output", "call_id": "c1", "output": '{"sky": "snow"}'}
ANSWER = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Snow."}]}
ITEMS = [USER, CALL, TOLD, ANSWER]
RESPONSE = {"object": "response", "id": "resp_1", "model": "m", "output": [CALL]}


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "openai-responses"
    return trace


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"input": ITEMS}, "/input/1"),
        (ITEMS, "/1"),
        ({"model": "m", "input": "Weather in Gimje?", "output": [CALL, TOLD, ANSWER]}, "/output/0"),
        ({"request": {"input": [USER]}, "response": RESPONSE}, "/response/output/0"),
        ({"body": {"input": [USER]}, "response": {"status_code": 200, "body": RESPONSE}}, "/response/body/output/0"),
        ({"custom_id": "b", "response": {"status_code": 200, "body": RESPONSE}}, "/response/body/output/0"),
        ({"type": "response.completed", "response": RESPONSE}, "/response/output/0"),
        (RESPONSE, "/output/0"),
        ({"object": "list", "data": ITEMS}, "/data/1"),
        ({"object": "list", "data": ITEMS[::-1]}, "/data/2"),
    ],
)
def test_every_container(written: Any, value: Any, pointer: str) -> None:
    trace = only(written(value))
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.id, call.source.pointer) == ("weather", {"city": "Gimje"}, "c1", pointer)
    if len(trace.messages) == 4:
        assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
        assert [m.index for m in trace.messages] == [0, 1, 2, 3]
        assert call.outcome == "ok"
        answer = trace.turns[0].answer
        assert answer is not None
        assert answer.text == "Snow."


def test_one_item_a_line_is_one_conversation(written: Any) -> None:
    trace = only(written(*ITEMS))
    assert len(trace.calls) == 1
    assert (trace.calls[0].source.line, trace.calls[0].outcome) == (2, "ok")


def test_plain_messages_alone_belong_to_another_format(written: Any) -> None:
    assert next(written([USER, {"role": "assistant", "content": "Hi"}])).format == "openai-chat"
    assert only(written({"instructions": "x", "input": [USER, {"role": "assistant", "content": "Hi"}]})).calls == ()


@pytest.mark.parametrize(
    "row",
    [
        {"model": "m", "input": "2 + 2?", "output": "4"},
        {"instructions": "Add.", "input": "2 + 2?", "output": "4"},
        {"id": 1, "input": [USER], "target": "snow"},
    ],
)
def test_rows_of_data_sets_with_an_input_are_no_requests(written: Any, row: Any) -> None:
    with pytest.raises(UnknownFormatError):
        list(written(row))


def test_names_metadata_and_what_the_server_keeps(written: Any) -> None:
    value = {**RESPONSE, "previous_response_id": "resp_0", "metadata": {"case_id": "k"}, "instructions": "Be brief."}
    trace = only(written({"custom_id": "row", "response": {"body": value}, "metadata": {"trial": 2}}))
    assert trace.id == "row"
    assert (trace.metadata["case_id"], trace.metadata["trial"], trace.metadata["model"]) == ("k", 2, "m")
    assert (trace.messages[0].role, trace.messages[0].text) == ("system", "Be brief.")
    assert trace.completeness.history == "partial"
    assert [p.code for p in trace.problems] == ["history-elsewhere"]


def test_calls_of_one_response_are_one_step_with_what_was_said(written: Any) -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me look."}]}
    second = {**CALL, "call_id": "c2", "arguments": "{}"}
    trace = only(written([USER, {"type": "reasoning", "summary": []}, said, CALL, second, TOLD, ANSWER]))
    assert [len(s.calls) for s in trace.steps] == [2, 0]
    assert trace.steps[0].message.text == "Let me look."
    assert trace.steps[0].message.index == 2
    assert [c.outcome for c in trace.calls] == ["ok", "no_result"]


def test_results_find_their_call_by_item_id_reused_id_or_order(written: Any) -> None:
    bare = {k: v for k, v in CALL.items() if k != "call_id"}
    assert only(written([USER, bare, {**TOLD, "call_id": "fc_1"}])).calls[0].outcome == "ok"
    again = [USER, CALL, {**TOLD, "output": "one"}, CALL, {**TOLD, "output": "two"}]
    assert [c.result and c.result.text for c in only(written(again)).calls] == ["one", "two"]
    shell = {"type": "local_shell_call", "id": "ls_1", "call_id": "c9", "action": {"type": "exec", "command": ["ls"]}}
    shown = {"type": "local_shell_call_output", "id": "ls_1", "output": "a.txt"}
    call = only(written([USER, shell, shown])).calls[0]
    assert (call.tool, call.arguments, call.outcome) == ("local_shell", {"type": "exec", "command": ["ls"]}, "ok")


def test_hosted_tools_answer_in_their_own_item() -> None:
    (trace,) = read(TRACES / "responses_hosted.json")
    assert trace.id == "resp_1"
    assert [(c.tool, c.outcome, c.step) for c in trace.calls] == [
        ("web_search_preview", "unknown", 0),
        ("file_search", "ok", 0),
        ("code_interpreter", "ok", 1),
        ("roll", "error", 1),
        ("roll", "ok", 2),
        ("image_generation", "ok", 2),
        ("book", "no_result", 3),
    ]
    assert trace.calls[0].arguments == {"type": "search", "query": "dice odds"}
    assert trace.calls[3].error is not None
    assert trace.calls[3].error.message == "expression must be 1d6+0"
    assert trace.calls[2].result is not None
    assert trace.calls[2].result.text == "0.1667\n<image>"
    assert [t.name for t in trace.tools] == [
        "web_search_preview", "file_search", "code_interpreter", "image_generation", "book", "roll",
    ]  # fmt: skip
    assert trace.tools[-1].hints == {"readOnlyHint": True}
    (problem,) = trace.problems
    assert problem.code == "content-not-captured"
    assert "web_search_call.action.sources" in problem.message


def test_an_answer_after_a_hosted_tool_is_an_answer(written: Any) -> None:
    search = {"type": "web_search_call", "id": "ws", "status": "failed", "action": {"type": "search", "query": "q"}}
    trace = only(written([USER, search, ANSWER]))
    assert trace.calls[0].outcome == "error"
    assert trace.turns[0].answer is not None
    waiting = only(written([USER, {**search, "status": "searching"}]))
    assert waiting.calls[0].outcome == "no_result"


def test_approvals_pending_given_and_refused(written: Any) -> None:
    asked = {"type": "mcp_approval_request", "id": "r1", "name": "wipe", "arguments": "{}", "server_label": "s"}
    yes = {"type": "mcp_approval_response", "approval_request_id": "r1", "approve": True}
    done = {
        "type": "mcp_call",
        "id": "m1",
        "approval_request_id": "r1",
        "name": "wipe",
        "arguments": "{}",
        "output": "ok",
    }
    tools = [{"type": "mcp", "server_label": "s"}]
    pending = only(written({"input": [USER, asked], "tools": tools}))
    assert [c.outcome for c in pending.calls] == ["no_result"]
    assert [t.name for t in pending.tools] == ["wipe"]
    given = only(written([USER, asked, yes, done]))
    assert [(c.tool, c.outcome, c.step) for c in given.calls] == [("wipe", "ok", 0)]
    refused = only(written([USER, asked, {**yes, "approve": False}]))
    assert [c.outcome for c in refused.calls] == ["refused"]
    alone = only(written([USER, done]))
    assert [(c.tool, c.outcome) for c in alone.calls] == [("wipe", "ok")]


def test_tools_the_client_runs_besides_functions(written: Any) -> None:
    custom = {"type": "custom_tool_call", "call_id": "k", "name": "sql", "input": "select 1"}
    shell = {"type": "shell_call", "call_id": "s", "action": {"commands": ["false"], "timeout_ms": None}}
    out = {"stdout": "", "stderr": "no such file", "outcome": {"type": "exit", "exit_code": 2}}
    slow = {"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}
    patch = {"type": "apply_patch_call", "call_id": "p", "operation": {"type": "delete_file", "path": "a"}}
    trace = only(
        written(
            [
                USER,
                custom,
                {"type": "custom_tool_call_output", "call_id": "k", "output": [{"type": "input_text", "text": "1"}]},
                shell,
                {"type": "shell_call_output", "call_id": "s", "output": [out]},
                {**shell, "call_id": "t"},
                {"type": "shell_call_output", "call_id": "t", "output": [slow]},
                patch,
                {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": "no file a"},
            ]
        )
    )
    assert [(c.tool, c.outcome) for c in trace.calls] == [
        ("sql", "ok"), ("shell", "error"), ("shell", "error"), ("apply_patch", "error"),
    ]  # fmt: skip
    assert trace.calls[0].arguments == {"input": "select 1"}
    assert trace.calls[1].arguments == {"commands": ["false"]}
    assert trace.calls[1].error is not None
    assert trace.calls[1].error.code == "2"


def test_an_item_type_of_tomorrow_is_read_as_a_call(written: Any) -> None:
    new = {"type": "teleport_call", "id": "t1", "status": "completed", "target": "Mars", "result": "done"}
    call = only(written([USER, CALL, TOLD, new, ANSWER])).calls[1]
    assert (call.tool, call.arguments, call.outcome) == ("teleport", {"target": "Mars"}, "ok")
    odd = only(written([USER, CALL, {"type": "mood", "is": "good"}]))
    assert [(p.code, p.source.pointer) for p in odd.problems] == [("item-unknown", "/2")]


def test_tools_of_namespaces_and_of_a_search(written: Any) -> None:
    tools = [
        {"type": "namespace", "name": "crm", "tools": [{"type": "function", "name": "weather", "parameters": {}}]},
        {"type": "tool_search"},
    ]
    found = {"type": "tool_search_output", "call_id": "q", "tools": [{"type": "function", "name": "late"}]}
    trace = only(
        written(
            {
                "input": [USER, {"type": "tool_search_call", "call_id": "q", "arguments": {}}, found, CALL],
                "tools": tools,
            }
        )
    )
    assert [t.name for t in trace.tools] == ["weather", "late"]


@pytest.mark.parametrize(
    ("item", "code", "lost"),
    [
        (3, "item-unreadable", 0),
        ([CALL], "item-unreadable", 1),
        ({"type": "function_call", "arguments": "{}"}, "call-unreadable", 1),
        ({"role": "narrator", "content": "x"}, "role-unknown", 0),
        ({"type": "item_reference", "id": "msg_9"}, "history-elsewhere", 0),
        ({"type": "compaction", "encrypted_content": "x"}, "history-elsewhere", 0),
        ({"type": "function_call_output", "call_id": "zz", "output": "x"}, "orphan-result", 0),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(written: Any, item: Any, code: str, lost: int) -> None:
    reading = written([USER, CALL, TOLD, item, ANSWER])
    trace = only(reading)
    assert [(p.code, p.lost, p.source.pointer) for p in trace.problems] == [(code, lost, "/3")]
    assert len(trace.calls) == 1
    assert reading.calls_in == 1 + lost


def test_a_response_that_broke_off_says_why(written: Any) -> None:
    broken = {**RESPONSE, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    (problem,) = only(written(broken)).problems
    assert (problem.code, problem.message) == ("response-incomplete", "the response is incomplete: max_output_tokens")


def test_rows_that_follow_each_other_are_one_run(written: Any) -> None:
    one = {"request": {"input": [USER], "tools": [{"type": "function", "name": "weather"}]}, "response": RESPONSE}
    two = {
        "request": {"input": [TOLD], "previous_response_id": "resp_1"},
        "response": {"object": "response", "id": "resp_2", "output": [ANSWER]},
    }
    other = {"request": {"input": [USER]}, "response": {"object": "response", "id": "resp_9", "output": [ANSWER]}}
    first, second = written(one, other, two)
    assert [(c.tool, c.outcome) for c in first.calls] == [("weather", "ok")]
    assert [m.role for m in first.messages] == ["user", "assistant", "tool", "assistant"]
    assert [m.source.line for m in first.messages] == [1, 1, 3, 3]
    assert first.completeness.history == "full"
    assert [t.name for t in first.tools] == ["weather"]
    assert second.calls == ()
    (alone,) = written(two)
    assert {p.code for p in alone.problems} == {"history-elsewhere", "orphan-result"}


def test_a_streamed_response_is_taken_from_its_last_event(written: Any) -> None:
    events = [
        {"type": "response.created", "response": {"object": "response", "id": "resp_1", "output": []}},
        {"type": "response.output_item.added", "item": {**CALL, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "delta": '{"city": '},
        {"type": "response.output_item.done", "item": CALL},
    ]
    trace = only(written(*events, {"type": "response.completed", "response": RESPONSE}))
    assert [(c.tool, c.arguments, c.source.line) for c in trace.calls] == [("weather", {"city": "Gimje"}, 5)]
    assert trace.problems == ()
    begun = {"type": "response.output_item.added", "item": {**CALL, "id": "fc_2", "arguments": ""}}
    reading = written(*events, begun)
    cut = only(reading)
    assert [c.arguments for c in cut.calls] == [{"city": "Gimje"}]
    assert [(p.code, p.lost) for p in cut.problems] == [("stream-cut", 1)]
    assert reading.calls_in == 2
    nothing = written(*events[:3])
    assert list(nothing) == []
    assert [(p.code, p.lost) for p in nothing.problems] == [("stream-cut", 1)]
    odd = written(*events, 3, {"type": "response.completed", "response": RESPONSE})
    assert len(list(odd)) == 1
    assert [p.code for p in odd.problems] == ["unknown-shape"]


def test_a_line_that_holds_no_items_is_set_aside(written: Any) -> None:
    reading = written({"input": ITEMS}, {"rows": 1}, {"input": ITEMS})
    assert len(list(reading)) == 2
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 2)]
