"""Inputs of absurd size or shape: they get a verdict in the time the rest of the suite has, and what is cut is said."""

from __future__ import annotations

import cProfile
import json
from typing import Any

import pytest

from rootcall import Trace, verdict
from rootcall.config import Config
from rootcall.diagnosis import Verdict
from rootcall.evidence.schema import compile_schema


def judged(answer: str, payload: Any = None, schema: Any = None, arguments: Any = None, question: str = "?") -> Verdict:
    function = {"name": "get", "arguments": json.dumps(arguments or {"a": 1})}
    messages = [
        {"role": "user", "content": question},
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": json.dumps(payload or {"price": 5})},
        {"role": "assistant", "content": answer},
    ]
    tools = [{"type": "function", "function": {"name": "get", "parameters": schema or {"type": "object"}}}]
    return verdict(Trace.from_openai(messages, tools=tools))


@pytest.mark.parametrize(
    "text",
    ["1.1" * 60_000, "1-" * 100_000, "1 " * 100_000, "\n" * 300_000, " " * 300_000, "| 1 | 2 |\n" * 40_000,
     "2026-01-01 " * 30_000, "a" * 300_000, "(" * 200_000, "not " * 60_000, "$" * 200_000],
)  # fmt: skip
def test_a_text_without_end_in_an_answer_a_question_and_a_result(text: str) -> None:
    assert judged(text).calls == 1
    assert judged("It costs 5.", question=text).calls == 1
    assert judged("It costs 5.", payload={"price": 5, "note": text}).calls == 1


def test_what_a_very_long_answer_leaves_unjudged_is_said() -> None:
    payload = {"prices": [{"id": n, "price": 1000 + n} for n in range(900)]}
    found = judged(" ".join(f"Item {n} costs {1000 + n}." for n in range(900)), payload)
    left = [c for c in found.checks if c.unit.endswith("#more")]
    assert [(c.status, c.layer) for c in left] == [("unscored", "utilization")]
    assert not [c for c in judged("It costs 5.").checks if c.unit.endswith("#more")]
    assert [c for c in judged("word " * 5000 + "It costs 7.").checks if c.unit.endswith("#more")]


def test_a_code_far_back_in_a_long_message_stands_upstream() -> None:
    found = judged("Your order AB-9921 costs 5.", {"price": 5, "order": "CD-1234"}, question="word " * 5000 + "AB-9921")
    assert [c for c in found.checks if c.fails] == []


def test_thousands_of_faults_in_one_call_have_one_root_cause() -> None:
    properties = {f"p{n}": {"type": "string"} for n in range(3000)}
    found = judged(
        "Done.", schema={"type": "object", "properties": properties}, arguments={f"p{n}": n for n in range(3000)}
    )
    assert found.root_cause is not None
    assert found.root_cause.layer == "arguments"
    assert len(found.also) + len(found.contributing) == 2999


def test_a_schema_that_unfolds_without_end_is_not_asked() -> None:
    defs: dict[str, Any] = {"n0": {"type": "string"}}
    for n in range(1, 40):
        defs[f"n{n}"] = {"anyOf": [{"$ref": f"#/$defs/n{n - 1}"}] * 2}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n39"}}, "$defs": defs}
    assert "no end" in (compile_schema(schema).problem or "")
    assert judged("Done.", schema=schema, arguments={"a": 5}).calls == 1
    itself = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    assert compile_schema(itself).problem is None


@pytest.mark.parametrize("key", ["true", "is", "", "_", "1", "is_not"])
def test_a_flag_whose_name_has_no_words(key: str) -> None:
    assert judged("It is not true.", payload={key: True, "other": False}).calls == 1


FLIGHTS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "search_flights",
            "parameters": {
                "type": "object",
                "properties": {
                    "origin": {"type": "string"},
                    "destination": {"type": "string"},
                    "departure_date": {"type": "string", "format": "date"},
                    "time": {"type": "string"},
                },
            },
        },
    }
]


def conversation(turns: int) -> Trace:
    """A trip asked for again and again: a day that stands nowhere, a time another than the one that was said."""
    arguments = {"origin": "Oslo", "destination": "Rome", "departure_date": "2026-12-05", "time": "20:00"}
    function = {"name": "search_flights", "arguments": json.dumps(arguments)}
    messages: list[dict[str, Any]] = []
    for n in range(turns):
        messages += [
            {"role": "user", "content": f"flight from Oslo to Rome next Friday at 7pm and {turns * 1000 + n} others"},
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", "type": "function", "function": function}]},
            {
                "role": "tool",
                "tool_call_id": f"c{n}",
                "content": json.dumps({"flights": [{"id": f"KE{n}", "price": n}]}),
            },
            {"role": "assistant", "content": f"KE{n} costs {n}."},
        ]
    return Trace.from_openai(messages, tools=FLIGHTS)


def work(turns: int) -> int:
    """How many functions are called to judge the arguments of a conversation."""
    trace, profile = conversation(turns), cProfile.Profile()
    profile.enable()
    verdict(trace, config=Config(select=("arguments",)))
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def test_the_arguments_of_a_long_conversation_take_work_that_grows_with_its_length() -> None:
    work(5)
    assert work(320) < 2.6 * work(160)


def test_an_answer_is_compared_with_the_latest_calls_and_accused_of_nothing_beyond() -> None:
    found = verdict(conversation(320))
    late = [c for c in found.checks if c.layer == "utilization" and c.at == "messages[1279]"]
    assert {c.status for c in late} == {"pass"}
    assert not [c for c in found.checks if c.layer == "utilization" and c.fails]
