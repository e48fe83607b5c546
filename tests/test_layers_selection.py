from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.case import Case
from rootcall.check import Check
from rootcall.config import Config
from rootcall.jsonvalue import MISSING
from rootcall.layers import selection
from rootcall.trace import Trace


def tool(name: str, description: str = "", **hints: Any) -> dict[str, Any]:
    return {
        "function": {"name": name, "description": description, "parameters": {"type": "object"}, "annotations": hints}
    }


def talk(*turns: Any, tools: list[dict[str, Any]] | None = None, system: str | None = None) -> Trace:
    """Turns are texts of the user, tuples of calls `(tool, arguments)` for a step, or `{"say": text}` for an answer."""
    messages: list[dict[str, Any]] = [] if system is None else [{"role": "system", "content": system}]
    for n, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append({"role": "user", "content": turn})
        elif isinstance(turn, dict):
            messages.append({"role": "assistant", "content": turn["say"]})
        else:
            made = [
                {"id": f"{n}-{i}", "function": {"name": t, "arguments": json.dumps(a)}} for i, (t, a) in enumerate(turn)
            ]
            messages.append({"role": "assistant", "tool_calls": made})
            messages += [{"role": "tool", "tool_call_id": c["id"], "content": '{"done": 1}'} for c in made]
    return Trace.from_openai(messages, tools)


def judged(trace: Trace, expect: dict[str, Any] | None = None) -> list[Check]:
    case = None if expect is None else Case.from_dict({"expect": expect})
    return [c for rule in selection.RULES for c in rule(trace, case, Config())]


def failing(trace: Trace, expect: dict[str, Any] | None = None) -> list[tuple[str, str | None]]:
    return [(c.rule.partition("/")[2], c.tool) for c in judged(trace, expect) if c.status == "fail"]


def test_a_tool_that_is_not_offered_fails_and_the_nearest_name_is_shown() -> None:
    t = talk("5!", [("math.factorial", {"n": 5})], tools=[tool("math_factorial")])
    (c,) = [c for c in judged(t) if c.rule == "selection/tool-not-offered"]
    assert (c.status, c.expected) == ("fail", "math_factorial")
    assert "the nearest offered name is math_factorial" in c.message


def test_unknown_tools_leave_the_call_unscored_and_an_empty_list_does_not() -> None:
    assert [c.status for c in judged(talk("hi", [("a", {})]))] == ["unscored"]
    assert failing(talk("hi", [("a", {})], tools=[])) == [("tool-not-offered", "a")]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Seoul"}}</tool_call>',
        '{"name": "get_weather", "arguments": {"city": "Seoul"}}',
        '```json\n{"tool": "get_weather", "args": {"city": "Seoul"}}\n```',
        "[TOOL_CALLS] get_weather",
        '<function=get_weather>{"city": "Seoul"}</function>',
        'get_weather(city="Seoul")',
    ],
)
def test_the_text_of_a_call_is_a_call_that_never_ran(text: str) -> None:
    assert ("unparsed-call", "get_weather") in failing(
        talk("weather?", {"say": text}, tools=[tool("get_weather")])
    ) or (
        "unparsed-call",
        None,
    ) in failing(talk("weather?", {"say": text}, tools=[tool("get_weather")]))


@pytest.mark.parametrize("text", ["It is sunny.", "Use print(x) to show x.", '{"temperature": 21}', "Call me (later)"])
def test_an_answer_in_words_is_no_unparsed_call(text: str) -> None:
    c, read = judged(talk("weather?", {"say": text}, tools=[tool("get_weather")]))
    assert read.rule == "selection/behaviour"
    assert (c.rule, c.status) == ("selection/unparsed-call", "pass")


def test_a_tool_that_must_come_first_is_named_by_the_tools_own_words() -> None:
    tools = [tool("drain", "Move work off a node. Must be done before reboot."), tool("reboot")]
    assert failing(talk("reboot n1", [("reboot", {})], tools=tools)) == [("policy-requires", "reboot")]
    assert failing(talk("reboot n1", [("drain", {})], [("reboot", {})], tools=tools)) == []
    assert failing(talk("reboot n1", [("drain", {}), ("reboot", {})], tools=tools)) == [("policy-requires", "reboot")]


def test_a_system_message_can_order_tools_as_well() -> None:
    tools = [tool("check_stock"), tool("place_order")]
    rule = "Always call check_stock before place_order."
    assert failing(talk("order", [("place_order", {})], tools=tools, system=rule)) == [
        ("policy-requires", "place_order")
    ]
    after = "place_order is only allowed after check_stock."
    assert failing(talk("order", [("place_order", {})], tools=tools, system=after)) == [
        ("policy-requires", "place_order")
    ]
    assert (
        failing(
            talk("order", [("place_order", {})], tools=tools, system="check_stock runs before place_order most days")
        )
        == []
    )


def test_a_destructive_call_needs_a_word_of_the_user() -> None:
    tools = [tool("delete_contact", "Delete a contact for good.")]
    assert failing(talk("change the phone number", [("delete_contact", {})], tools=tools)) == [
        ("policy-confirm", "delete_contact")
    ]
    assert failing(talk("delete the contact", [("delete_contact", {})], tools=tools)) == []
    asked = talk(
        "I have two of her", {"say": "Shall I delete one?"}, "yes please", [("delete_contact", {})], tools=tools
    )
    assert failing(asked) == []
    korean = talk("그 연락처를 삭제해 줘", [("delete_contact", {})], tools=tools)
    assert failing(korean) == []


def test_without_the_users_words_consent_is_unscored() -> None:
    t = Trace.from_openai(
        [
            {"role": "user", "content": None},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "delete_all"}}]},
        ]
    )
    assert [c.status for c in judged(t) if c.rule == "selection/policy-confirm"] == ["unscored"]


READ, WRITE = tool("get_x", "Read x."), tool("set_x", "Change x.")
TOOLS = [READ, WRITE, tool("send_x", "Send x.")]


@pytest.mark.parametrize(
    ("steps", "expect", "faults"),
    [
        ([[("get_x", {})]], {"calls": [{"tool": "get_x"}]}, []),
        ([], {"calls": [{"tool": "get_x"}]}, [("missing", "get_x")]),
        ([[("send_x", {})]], {"calls": [{"tool": "set_x"}]}, [("wrong-tool", "send_x")]),
        ([[("get_x", {})], [("set_x", {})]], {"calls": [{"tool": "set_x"}]}, []),
        ([[("get_x", {})], [("set_x", {})]], {"calls": [{"tool": "set_x"}], "extra": "forbid"}, [("surplus", "get_x")]),
        ([[("send_x", {})], [("set_x", {})]], {"calls": [{"tool": "set_x"}]}, [("surplus", "send_x")]),
        ([[("send_x", {})], [("set_x", {})]], {"calls": [{"tool": "set_x"}], "extra": "allow"}, []),
        ([[("get_x", {})]], {"calls": []}, [("surplus", "get_x")]),
        ([], {"calls": []}, []),
        ([], {"calls": "some"}, [("missing", None)]),
        ([[("get_x", {})]], {"calls": "some"}, []),
        ([[("get_x", {})]], {"forbid": ["get_x"]}, [("forbidden", "get_x")]),
        ([[("get_x", {})]], {"calls": [{"tool": "get_x"}], "forbid": ["get_x"]}, [("forbidden", "get_x")]),
        (
            [[("set_x", {})], [("get_x", {})]],
            {"calls": [{"tool": "get_x"}, {"tool": "set_x"}], "order": "in_order"},
            [("out-of-order", "set_x")],
        ),
        ([[("set_x", {}), ("get_x", {})]], {"calls": [{"tool": "get_x"}, {"tool": "set_x"}], "order": "strict"}, []),
        ([[("set_x", {})], [("get_x", {})]], {"calls": [{"tool": "get_x"}, {"tool": "set_x"}]}, []),
        (
            [[("set_x", {})]],
            {"calls": [{"tool": "get_x", "optional": True}, {"tool": "set_x"}], "order": "in_order"},
            [],
        ),
    ],
)
def test_calls_against_a_case(steps: list[Any], expect: dict[str, Any], faults: list[Any]) -> None:
    assert failing(talk("do x", *steps, {"say": "done"}, tools=TOOLS), expect) == faults


def test_the_same_case_with_nothing_over_scores_a_pass() -> None:
    (c,) = [
        c
        for c in judged(talk("do x", [("get_x", {})], {"say": "done"}, tools=TOOLS), {"calls": [{"tool": "get_x"}]})
        if c.rule == "selection/expected"
    ]
    assert (c.status, c.expected_tool, c.pair) == ("pass", "get_x", "case/0")
    (none,) = [
        c for c in judged(talk("hi", {"say": "hello"}, tools=TOOLS), {"calls": []}) if c.rule == "selection/expected"
    ]
    assert none.unit == "no-call"


def test_a_missing_call_is_placed_in_the_turn_that_spoke_of_it() -> None:
    t = talk(
        "read x",
        [("get_x", {})],
        {"say": "x is 1"},
        "now send it to Bob",
        {"say": "sure"},
        "thanks",
        {"say": "welcome"},
        tools=TOOLS,
    )
    (c,) = [
        c
        for c in judged(t, {"calls": [{"tool": "get_x"}, {"tool": "send_x", "arguments": {"to": "Bob"}}]})
        if c.status == "fail"
    ]
    assert (c.rule, c.at) == ("selection/missing", "messages[5]")


def test_an_empty_trace_misses_what_is_expected_and_nothing_raises() -> None:
    empty = Trace.from_openai([])
    assert failing(empty, {"calls": [{"tool": "get_x"}]}) == [("missing", "get_x")]
    assert failing(empty) == []


SEARCH = [tool("search_flights")]


@pytest.mark.parametrize(
    ("say", "done"),
    [
        ("On which day would you like to fly?", "asked"),
        ("I'm sorry, I can't look up flights.", "refused"),
        ("The cheapest flight is KE701 at 9:40.", "answered"),
        ("I've passed this on to a colleague, who will call you.", "escalated"),
    ],
)
def test_a_missed_call_says_what_the_agent_did_instead(say: str, done: str) -> None:
    (c,) = [
        c
        for c in judged(
            talk("Find me a flight to Busan", {"say": say}, tools=SEARCH), {"calls": [{"tool": "search_flights"}]}
        )
        if c.rule == "selection/missing"
    ]
    assert (c.status, c.got) == ("fail", done)
    assert c.message.startswith(f"search_flights was expected and never called; the agent {done}: ")
    assert c.message.partition(f"{done}: ")[2].strip("'\"") in say


def test_a_missed_call_of_any_tool_says_it_too() -> None:
    (c,) = [c for c in judged(talk("Book it", {"say": "Which one?"}), {"calls": "some"}) if c.status == "fail"]
    assert c.message == "some call was needed, none was made; the agent asked: 'Which one?'"


def test_a_right_abstention_says_what_was_done() -> None:
    trace = talk("What is the capital of Peru?", {"say": "The capital of Peru is Lima."}, tools=SEARCH)
    (c,) = [c for c in judged(trace, {"calls": []}) if c.rule == "selection/expected"]
    assert (c.status, c.got) == ("pass", "answered")
    assert c.message == "no call was right, and none was made; the agent answered: 'The capital of Peru is Lima.'"


def test_a_call_missed_after_another_one_says_what_the_turn_ended_with() -> None:
    trace = talk("Find and book a flight", [("search_flights", {})], {"say": "Which of the two shall I book?"})
    gold = {"calls": [{"tool": "search_flights"}, {"tool": "book"}]}
    (c,) = [c for c in judged(trace, gold) if c.rule == "selection/missing"]
    assert c.got == "asked"


def test_a_reply_that_cannot_be_read_is_unscored_and_guessed_nowhere() -> None:
    trace = talk("Cari penerbangan", {"say": "Tidak ada penerbangan hari ini."}, tools=SEARCH)
    found = judged(trace, {"calls": [{"tool": "search_flights"}]})
    (read,) = [c for c in found if c.rule == "selection/behaviour"]
    assert (read.status, read.question, read.grade) == ("unscored", "behaviour", "hint")
    (missing,) = [c for c in found if c.rule == "selection/missing"]
    assert missing.message == "search_flights was expected and never called"
    assert missing.got is MISSING


def test_behaviour_is_told_of_traces_without_calls_only() -> None:
    rules = [c.rule for c in judged(talk("hi", {"say": "Hello!"}, "Lima?", {"say": "It is in Peru."}, tools=SEARCH))]
    assert rules.count("selection/behaviour") == 2
    called = talk("hi", {"say": "Hello!"}, "Lima?", [("search_flights", {})], {"say": "It is in Peru."}, tools=SEARCH)
    assert "selection/behaviour" not in [c.rule for c in judged(called)]
    written = talk("weather?", {"say": '{"name": "search_flights", "arguments": {}}'}, tools=SEARCH)
    assert "selection/behaviour" not in [c.rule for c in judged(written)]


def test_the_text_of_a_call_is_no_answer_instead_of_one() -> None:
    trace = talk("weather?", {"say": '{"name": "search_flights", "arguments": {}}'}, tools=SEARCH)
    for expect in ({"calls": [{"tool": "search_flights"}]}, {"calls": "some"}):
        (missing,) = [c for c in judged(trace, expect) if c.rule == "selection/missing"]
        assert missing.message.endswith("; the agent left the text of a call unparsed")
        assert missing.got is MISSING
