"""Gemini contents: both spellings, joins without ids, code execution, candidates, streamed chunks, broken calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.evidence.schema import compile_schema
from rootcall.readers import Reading, read
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"
USER = {"role": "user", "parts": [{"text": "Weather in Gimje?"}]}
CALL = {"functionCall": {"name": "weather", "args": {"city": "Gimje"}}}
ASKED = {"role": "model", "parts": [{"text": "Let me look."}, CALL]}
TOLD = {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"result": {"sky": "snow"}}}}]}
ANSWER = {"role": "model", "parts": [{"text": "Snow."}]}
ALL = [USER, ASKED, TOLD, ANSWER]
RESPONSE = {"candidates": [{"content": ASKED, "finishReason": "STOP"}], "responseId": "r1", "modelVersion": "g"}


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert reading.problems == []
    assert trace.format == "gemini-contents"
    return trace


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (ALL, "/1/parts/1"),
        ({"contents": ALL}, "/contents/1/parts/1"),
        ({"key": "k", "request": {"contents": ALL}}, "/request/contents/1/parts/1"),
        (RESPONSE, "/candidates/0/content/parts/1"),
        ({"request": {"contents": [USER]}, "response": RESPONSE}, "/response/candidates/0/content/parts/1"),
        (
            {"full_request": {"contents": USER}, "full_response": RESPONSE},
            "/full_response/candidates/0/content/parts/1",
        ),
        (
            {"request": {"contents": "Weather in Gimje?"}, "response": RESPONSE},
            "/response/candidates/0/content/parts/1",
        ),
    ],
)
def test_every_container(written: Any, value: Any, pointer: str) -> None:
    trace = only(written(value))
    (call,) = trace.calls
    assert (call.tool, call.arguments, call.source.pointer) == ("weather", {"city": "Gimje"}, pointer)
    assert trace.steps[0].message.text == "Let me look."
    if len(trace.messages) == 4:
        assert (call.outcome, call.result and call.result.payload) == ("ok", {"sky": "snow"})
        assert call.result is not None
        assert (call.result.joined, call.result.text) == ("name", '{"result": {"sky": "snow"}}')
    if "response" in str(pointer) and len(trace.messages) == 2:
        assert trace.messages[0].text == "Weather in Gimje?"


def test_pythons_dump_is_the_same_run_as_rests() -> None:
    (rest,), (python,) = read(TRACES / "gemini_flight.json"), read(TRACES / "gemini_python.json")
    assert [(m.role, m.text) for m in rest.messages] == [(m.role, m.text) for m in python.messages]
    assert [(c.tool, c.arguments, c.outcome) for c in rest.calls] == [
        (c.tool, c.arguments, c.outcome) for c in python.calls
    ]
    assert [t.name for t in python.tools] == ["search_flights", "get_weather", "google_search", "code_execution"]
    schema = python.tools[1].schema
    assert schema["properties"]["day"] == {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}
    assert schema["properties"]["city"] == {"type": "STRING", "minLength": 1}
    assert schema["required"] == ["city"]
    assert compile_schema(schema).problem is None


def test_calls_that_the_sdk_carried_out_itself_stand_in_the_response() -> None:
    (trace,) = read(TRACES / "gemini_automatic.json")
    assert len(trace.calls) == 3
    assert trace.calls[0].source.pointer == "/automatic_function_calling_history/1/parts/1"
    assert trace.metadata["model_version"] == "gemini-3-flash"
    assert trace.turns[0].answer is not None


def test_results_without_ids_take_the_oldest_open_call_of_their_name(written: Any) -> None:
    other = {"functionCall": {"name": "tides", "args": {}}}
    second = {"functionCall": {"name": "weather", "args": {"city": "Jeju"}}}
    told = [
        {"functionResponse": {"name": n, "response": {"result": r}}}
        for n, r in (("tides", "low"), ("weather", "a"), ("weather", "b"))
    ]
    trace = only(
        written([USER, {"role": "model", "parts": [CALL, other, second]}, {"role": "function", "parts": told}])
    )
    assert [(c.tool, c.result and c.result.payload) for c in trace.calls] == [
        ("weather", "a"),
        ("tides", "low"),
        ("weather", "b"),
    ]


def test_ids_are_used_where_they_stand_on_both_sides_or_one(written: Any) -> None:
    one, two = ({"functionCall": {**CALL["functionCall"], "id": i}} for i in ("a", "b"))
    told = [{"functionResponse": {"id": i, "name": "weather", "response": {"output": i}}} for i in ("b", "a")]
    both = only(written([USER, {"role": "model", "parts": [one, two]}, {"role": "user", "parts": told}]))
    assert [c.result and c.result.payload for c in both.calls] == ["a", "b"]
    asked_without = only(written([USER, ASKED, {"role": "user", "parts": told[:1]}]))
    assert [c.outcome for c in asked_without.calls] == ["ok"]


@pytest.mark.parametrize(
    ("response", "outcome", "payload"),
    [
        ({"error": "no such city"}, "error", {"error": "no such city"}),
        ({"result": {"error": "no such city"}}, "error", {"error": "no such city"}),
        ({"result": '{"sky": "snow"}'}, "ok", {"sky": "snow"}),
        ({"output": "snow"}, "ok", "snow"),
        ({"sky": "snow", "result": 1}, "ok", {"sky": "snow", "result": 1}),
        ({"result": None}, "ok", None),
        ({}, "ok", {}),
    ],
)
def test_what_a_response_holds(written: Any, response: Any, outcome: str, payload: Any) -> None:
    told = {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": response}}]}
    (call,) = only(written([USER, ASKED, told])).calls
    assert call.result is not None
    assert (call.outcome, call.result.payload) == (outcome, payload)


def test_a_response_that_was_left_out_is_unknown(written: Any) -> None:
    told = {"role": "user", "parts": [{"functionResponse": {"name": "weather"}}]}
    (call,) = only(written([USER, ASKED, told])).calls
    assert call.outcome == "unknown"


def test_code_that_the_provider_ran_is_a_call_and_what_follows_a_step_of_its_own(written: Any) -> None:
    parts = [
        {"text": "I compute. "},
        {"executableCode": {"language": "PYTHON", "code": "print(1/0)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError: division by zero"}},
        {"executable_code": {"language": "PYTHON", "code": "print(1)"}},
        {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "It is 1."},
    ]
    value = {"contents": [USER, {"role": "model", "parts": parts}], "tools": [{"codeExecution": {}}]}
    trace = only(written(value))
    assert [(c.tool, c.outcome, c.step) for c in trace.calls] == [
        ("codeExecution", "error", 0),
        ("codeExecution", "ok", 1),
    ]
    assert trace.calls[0].arguments == {"code": "print(1/0)", "language": "PYTHON"}
    assert trace.turns[0].answer is not None
    assert trace.turns[0].answer.text == "It is 1."
    bare = only(written([USER, {"role": "model", "parts": parts}]))
    assert bare.calls[0].tool == "code_execution"


def test_server_tools_in_parts_of_their_own(written: Any) -> None:
    parts = [
        {"toolCall": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["snow"]}}},
        {"toolResponse": {"id": "s", "toolType": "GOOGLE_SEARCH_WEB", "response": {"hits": 3}}},
    ]
    trace = only(written({"contents": [USER, {"role": "model", "parts": parts}], "tools": [{"googleSearch": {}}]}))
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [("googleSearch", {"queries": ["snow"]}, "ok")]


def test_thoughts_are_left_out_and_pieces_are_joined(written: Any) -> None:
    pieces = [
        {"role": "model", "parts": [{"text": "secret", "thought": True}, {"text": "It "}]},
        {"role": "model", "parts": [{"text": "snows."}]},
        {"role": "model", "parts": [CALL]},
    ]
    trace = only(written([USER, *pieces]))
    assert len(trace.steps) == 1
    assert trace.steps[0].message.text == "It snows."
    assert len(trace.calls) == 1


def test_chunks_of_one_streamed_response_are_one_trace(written: Any) -> None:
    def chunk(name: str, *parts: Any) -> Any:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}}], "responseId": name}

    traces = list(
        written(chunk("a", {"text": "It "}), chunk("a", {"text": "snows."}, CALL), chunk("b", {"text": "Hi"}))
    )
    assert [(t.id, t.messages[0].text, len(t.calls)) for t in traces] == [("a", "It snows.", 1), ("b", "Hi", 0)]
    assert traces[0].calls[0].source.line == 2


def test_chunks_without_an_id_go_on_until_one_says_why_it_ended(written: Any) -> None:
    def chunk(reason: str | None, *parts: Any) -> Any:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}]}

    rows = [
        chunk(None, {"text": "It "}),
        chunk("STOP", {"text": "snows."}, CALL),
        chunk("STOP", {"text": "Hi"}),
        chunk("STOP", CALL),
    ]
    traces = list(written(*rows))
    assert [(t.messages[0].text, len(t.calls)) for t in traces] == [("It snows.", 1), ("Hi", 0), (None, 1)]


def test_a_call_without_arguments_sends_an_empty_object(written: Any) -> None:
    (call,) = only(written([USER, {"role": "model", "parts": [{"functionCall": {"name": "now", "args": None}}]}])).calls
    assert (call.arguments, call.state) == ({}, "object")


def test_a_malformed_call_is_said_and_other_candidates_are_named(written: Any) -> None:
    broken = {
        "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print(weather(",
        "content": {},
    }
    trace = only(written({"candidates": [broken, {"content": ASKED}]}))
    assert trace.messages[0].text == "Malformed function call: print(weather("
    assert [(p.code, p.lost) for p in trace.problems] == [("choices-left-out", 1), ("response-incomplete", 0)]


def test_instructions_in_every_form(written: Any) -> None:
    for told in ("Be brief.", {"parts": [{"text": "Be brief."}]}, [{"text": "Be brief."}], ["Be brief."]):
        trace = only(written({"contents": ALL, "config": {"system_instruction": told}}))
        assert (trace.messages[0].role, trace.messages[0].text) == ("system", "Be brief.")
        assert trace.messages[0].source.pointer == "/config/system_instruction"


@pytest.mark.parametrize(
    ("content", "code", "lost"),
    [
        ({"role": "narrator", "parts": []}, "message-unreadable", 0),
        (3, "message-unreadable", 0),
        ({"role": "user", "parts": [CALL]}, "calls-misplaced", 1),
        ({"role": "model", "parts": [{"functionCall": {"args": {}}}]}, "call-unreadable", 1),
        ({"role": "model", "parts": [{"functionCall": [1]}]}, "call-unreadable", 1),
        ({"role": "model", "parts": [[CALL]]}, "part-unreadable", 1),
    ],
)
def test_what_cannot_be_read_is_named(written: Any, content: Any, code: str, lost: int) -> None:
    trace = only(written([*ALL, content]))
    assert (code, lost) in [(p.code, p.lost) for p in trace.problems]
    assert len(trace.calls) == 1


def test_lines_of_another_shape_are_set_aside(written: Any) -> None:
    reading = written(ALL, {"rows": 1}, [3], {"contents": ALL})
    assert len(list(reading)) == 2
    assert [p.code for p in reading.problems] == ["unknown-shape", "unknown-shape"]
