"""Messages of two families into traces: every shape of content, call and result; what does not fit is named."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rootcall.conversation import count_calls, text_of
from rootcall.trace import Trace

CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q": "x"}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def openai(*messages: Any, **options: Any) -> Trace:
    before = copy.deepcopy(messages)
    trace = Trace.from_openai(list(messages), **options)
    assert messages == before
    return trace


def anthropic(*messages: Any, **options: Any) -> Trace:
    before = copy.deepcopy(messages)
    trace = Trace.from_anthropic(list(messages), **options)
    assert messages == before
    return trace


def codes(trace: Trace) -> list[tuple[str, int]]:
    return [(p.code, p.lost) for p in trace.problems]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, None),
        ("a", "a"),
        ("", ""),
        ([], None),
        (["a", "b"], "a\nb"),
        ([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}, {"text": "b"}], "a\nb"),
        ({"type": "text", "text": "a"}, "a"),
        ([{"type": "refusal", "refusal": "no"}], "no"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}], "a"),
        ([{"type": "reasoning", "text": "hm"}], None),
        ([{"content": "a"}], "a"),
        ([1, None], None),
        (5, "5"),
        (True, "true"),
        (b"bytes", None),
        (object, None),
    ],
)
def test_text_of_any_content(content: Any, text: str | None) -> None:
    if content is object:
        assert text_of(object()) is not None
    else:
        assert text_of(content) == text


def test_roles_have_several_names() -> None:
    roles = ["developer", "human", "model", "User"]
    assert [m.role for m in openai(*({"role": r, "content": "x"} for r in roles)).messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


@pytest.mark.parametrize(
    ("message", "tool", "arguments", "state"),
    [
        ({"tool_calls": [CALL]}, "find", {"q": "x"}, "json_string"),
        ({"tool_calls": [{"function": {"name": "find", "arguments": {"q": 1}}}]}, "find", {"q": 1}, "object"),
        ({"tool_calls": [{"name": "find", "args": {"q": 1}}]}, "find", {"q": 1}, "object"),
        ({"function_call": {"name": "find", "arguments": "{}"}}, "find", {}, "json_string"),
        (
            {"tool_calls": [{"type": "custom", "custom": {"name": "sql", "input": "select 1"}}]},
            "sql",
            {"input": "select 1"},
            "object",
        ),
        ({"tool_calls": [{"function": {"name": "find"}}]}, "find", None, "missing"),
        ({"tool_calls": [{"function": {"name": "find", "arguments": "{q"}}]}, "find", None, "not_json"),
    ],
)
def test_calls_in_every_openai_shape(message: dict[str, Any], tool: str, arguments: Any, state: str) -> None:
    trace = openai({"role": "assistant", **message})
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.state) == (tool, arguments, state)
    assert trace.problems == ()


def test_a_result_finds_its_call_by_id_by_name_or_by_order() -> None:
    old = {"role": "assistant", "function_call": {"name": "find", "arguments": "{}"}}
    by_name = openai(old, {"role": "function", "name": "find", "content": "a"})
    assert (by_name.calls[0].result and by_name.calls[0].result.joined) == "name"
    by_order = openai(old, {"role": "tool", "content": "a"})
    assert (by_order.calls[0].result and by_order.calls[0].result.joined) == "order"
    counted = openai(
        {"role": "assistant", "tool_calls": [{**CALL, "id": 7}]}, {"role": "tool", "tool_call_id": 7, "content": "a"}
    )
    assert (counted.calls[0].id, counted.calls[0].result and counted.calls[0].result.joined) == ("7", "id")


@pytest.mark.parametrize(
    ("content", "text", "payload"),
    [
        ('{"a": 1}', '{"a": 1}', {"a": 1}),
        ({"a": "é"}, '{"a": "é"}', {"a": "é"}),
        ([{"type": "text", "text": '{"a": 1}'}], '{"a": 1}', {"a": 1}),
        ([], "[]", []),
        ([{"type": "image_url"}], '[{"type": "image_url"}]', [{"type": "image_url"}]),
        (7, "7", 7),
    ],
)
def test_the_content_of_a_result_is_kept_whatever_it_is(content: Any, text: str, payload: Any) -> None:
    trace = openai(ASKED, {"role": "tool", "tool_call_id": "c", "content": content})
    result = trace.calls[0].result
    assert result is not None
    assert (result.text, result.payload) == (text, payload)


@pytest.mark.parametrize("key", ["is_error", "isError", "error"])
def test_a_flag_beside_an_openai_result_counts(key: str) -> None:
    trace = openai(ASKED, {"role": "tool", "tool_call_id": "c", "content": "busy", key: True})
    assert (trace.calls[0].outcome, trace.calls[0].evidence) == ("error", "flag")
    calm = openai(ASKED, {"role": "tool", "tool_call_id": "c", "content": "busy", key: False})
    assert calm.calls[0].outcome == "ok"


def test_content_that_was_not_captured_is_not_an_empty_one() -> None:
    trace = openai(ASKED, {"role": "tool", "tool_call_id": "c", "content": None})
    assert (trace.calls[0].outcome, trace.calls[0].result is not None) == ("unknown", True)
    assert trace.completeness.results == "none"
    said = openai({"role": "system"}, {"role": "user", "content": "x"}, {"role": "assistant", "content": "y"})
    assert said.completeness.content == "partial"
    unsaid = openai({"role": "user"}, {"role": "assistant", "content": None})
    assert unsaid.completeness.content == "none"


def test_what_else_an_assistant_may_say() -> None:
    assert openai({"role": "assistant", "content": None, "refusal": "no"}).messages[0].text == "no"
    assert openai({"role": "assistant", "audio": {"transcript": "hello"}}).messages[0].text == "hello"
    named = openai({"role": "assistant", "content": "x", "name": "planner", "timestamp": "2026-11-30"}).messages[0]
    assert (named.agent, named.timestamp) == ("planner", "2026-11-30")
    assert openai({"role": "user", "content": "x", "created_at": 5}).messages[0].timestamp == "5"
    assert openai({"role": "user", "content": "x", "timestamp": {}}).messages[0].timestamp is None


@pytest.mark.parametrize(
    ("message", "code", "lost"),
    [
        (3, "message-unreadable", 0),
        (None, "message-unreadable", 0),
        ([{"tool_calls": [CALL]}], "message-unreadable", 1),
        ({"content": "x"}, "role-unknown", 0),
        ({"role": "narrator", "tool_calls": [CALL, CALL]}, "role-unknown", 2),
        ({"role": ["user"]}, "role-unknown", 0),
        ({"role": "assistant", "tool_calls": {"a": 1}}, "calls-not-a-list", 1),
        ({"role": "assistant", "tool_calls": "find"}, "calls-not-a-list", 1),
        ({"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}, "call-unreadable", 1),
        ({"role": "assistant", "tool_calls": [{"function": {"name": ""}}]}, "call-unreadable", 1),
        ({"role": "assistant", "tool_calls": ["find"]}, "call-unreadable", 1),
        ({"role": "user", "content": "x", "tool_calls": [CALL]}, "calls-misplaced", 1),
        ({"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}, "calls-misplaced", 1),
        ({"role": "assistant", "content": ["text", {"toolUse": {"name": "f"}}]}, "calls-misplaced", 1),
        ({"role": "tool", "tool_call_id": "nobody", "content": "x"}, "orphan-result", 0),
    ],
)
def test_what_does_not_fit_an_openai_list_is_named_with_its_calls(message: Any, code: str, lost: int) -> None:
    trace = openai({"role": "user", "content": "before"}, message, {"role": "assistant", "content": "after"})
    assert codes(trace) == [(code, lost)]
    assert trace.problems[0].source.pointer.startswith("/messages/1")
    assert [m.text for m in trace.messages if m.text in ("before", "after")] == ["before", "after"]


@pytest.mark.parametrize("messages", ["text", 3, {"role": "user"}, True])
def test_messages_must_be_a_list(messages: Any) -> None:
    for build in (Trace.from_openai, Trace.from_anthropic):
        assert codes(build(messages)) == [("messages-not-a-list", 0)]


def test_anthropic_blocks_become_calls_results_and_text() -> None:
    use = {"type": "tool_use", "id": "u1", "name": "find", "input": {"q": 1}}
    both = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "u1", "content": [{"type": "text", "text": "ok"}]},
            {"type": "text", "text": "and?"},
        ],
    }
    trace = anthropic(
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}, use],
        },
        both,
        {"role": "assistant", "content": "fine"},
        system=[{"type": "text", "text": "s1"}, {"type": "text", "text": "s2"}],
    )
    assert [(m.role, m.text) for m in trace.messages] == [
        ("system", "s1\ns2"),
        ("user", "go"),
        ("assistant", "I look."),
        ("tool", "ok"),
        ("user", "and?"),
        ("assistant", "fine"),
    ]
    (call,) = trace.calls
    assert (call.arguments, call.state, call.outcome, call.source.pointer) == (
        {"q": 1},
        "object",
        "ok",
        "/messages/1/content/2",
    )
    assert len(trace.turns) == 2
    assert trace.problems == ()


def test_a_server_tool_answers_inside_the_same_message() -> None:
    content = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s",
            "content": {"type": "web_search_tool_result_error", "error_code": "x"},
        },
        {"type": "server_tool_use", "id": "r", "name": "web_search", "input": {}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "r",
            "content": [{"type": "web_search_result", "title": "t"}],
        },
        {"type": "text", "text": "found"},
    ]
    trace = anthropic({"role": "user", "content": "q"}, {"role": "assistant", "content": content})
    assert [c.outcome for c in trace.calls] == ["error", "ok"]


def test_an_anthropic_result_without_content_said_nothing() -> None:
    use = {"type": "tool_use", "id": "u", "name": "f", "input": {}}
    silent = anthropic(
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u"}]},
    )
    assert (silent.calls[0].outcome, silent.calls[0].evidence) == ("unknown", "empty result")
    cut = anthropic(
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u", "content": None}]},
    )
    assert cut.calls[0].evidence == "content not captured"


@pytest.mark.parametrize(
    ("message", "code", "lost"),
    [
        ("x", "message-unreadable", 0),
        ({"role": "tool", "content": "x"}, "role-unknown", 0),
        ({"role": "nobody", "content": [{"type": "tool_use"}]}, "role-unknown", 1),
        ({"role": "assistant", "content": [{"type": "tool_use", "input": {}}]}, "call-unreadable", 1),
        ({"role": "assistant", "content": [{"type": "tool_use", "name": ""}]}, "call-unreadable", 1),
        ({"role": "user", "content": [{"type": "tool_use", "name": "f"}]}, "calls-misplaced", 1),
        ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, "orphan-result", 0),
    ],
)
def test_what_does_not_fit_an_anthropic_list_is_named_with_its_calls(message: Any, code: str, lost: int) -> None:
    assert codes(anthropic(message)) == [(code, lost)]


def test_unusual_anthropic_messages_are_read() -> None:
    trace = anthropic({"role": "user", "content": None}, {"role": "assistant", "content": ["plain", {"type": "image"}]})
    assert [m.text for m in trace.messages] == [None, "plain"]
    assert trace.completeness.content == "partial"


def test_tools_that_cannot_be_read_are_problems_of_the_trace() -> None:
    assert codes(openai(tools=[{"description": "no name"}])) == [("tool-unreadable", 0)]
    assert codes(openai(tools="x")) == [("tools-not-a-list", 0)]


def test_calls_are_counted_in_every_shape() -> None:
    shapes = [
        ASKED,
        {"function_call": {"name": "f"}},
        {"content": [{"type": "tool_use"}, {"type": "tool-call"}, {"toolUse": {}}, {"type": "text"}]},
        {"tool_calls": "odd", "tools": [{"function_call": {}}]},
        "tool_calls",
    ]
    assert count_calls(shapes) == 5


def test_a_value_too_deep_for_json_does_not_raise() -> None:
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    told = {"role": "tool", "tool_call_id": "c", "content": deep}
    sent = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": deep}}}] * 2}
    trace = Trace.from_openai(
        [ASKED, told, sent, {"role": "tool", "content": "x"}, {"role": "user", "content": {"text": deep}}]
    )
    assert trace.calls[0].result is not None
    assert "cannot be written as JSON" in (trace.calls[0].result.text or "")
