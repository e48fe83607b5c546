"""Mastra: runs, stored messages and steps; both lists of calls together, and what became of each call."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rootcall import verdict
from rootcall.readers import Reading, read
from rootcall.readers.invocations import counted_calls, merged_invocations
from rootcall.trace import Trace

TRACES = Path(__file__).parent / "data" / "traces"


def invocation(n: int = 1, state: str = "result", tool: str = "weather", **more: Any) -> dict[str, Any]:
    result = {"result": {"sky": "snow"}} if state == "result" else {}
    return {"toolCallId": f"c{n}", "toolName": tool, "args": {"city": "Gimje"}, "state": state, **result, **more}


def part(n: int = 1, state: str = "result", **more: Any) -> dict[str, Any]:
    return {"type": "tool-invocation", "toolInvocation": invocation(n, state, **more)}


def stored(*parts: dict[str, Any], role: str = "assistant", **content: Any) -> dict[str, Any]:
    return {
        "id": "m",
        "role": role,
        "content": {"format": 2, "parts": list(parts), **content},
        "createdAt": "2026-11-30",
    }


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


ASKED = stored(text("Weather in Gimje?"), role="user")


def run(*output: Any, **more: Any) -> dict[str, Any]:
    return {"input": {"inputMessages": [ASKED], "systemMessages": []}, "output": list(output), **more}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*values: Any) -> list[Trace]:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(json.dumps(v) for v in values))
        reading = read(file)
        found = list(reading)
        assert reading.problems == []
        assert {t.format for t in found} == {"mastra"}
        return found

    return write


def outcomes(trace: Trace) -> list[tuple[str | None, int, str]]:
    return [(c.id, c.step, c.outcome) for c in trace.calls]


# Counted by hand: the thrown call stands in the parts only, and the steps keep no result of it.
@pytest.mark.parametrize(
    ("name", "results", "history", "problems"),
    [
        ("scorer_run", 4, "full", []),
        ("response_db_messages", 4, "partial", []),
        ("steps", 3, "partial", ["result-left-out"]),
    ],
)
def test_what_mastra_saved_is_read_whole(name: str, results: int, history: str, problems: list[str]) -> None:
    reading = read(TRACES / f"mastra_{name}.json")
    (trace,) = reading
    assert (trace.format, trace.tools_known, reading.problems) == ("mastra", "unknown", [])
    assert outcomes(trace) == [("call_1", 0, "error"), ("call_2", 0, "ok"), ("call_3", 1, "error"), ("call_5", 2, "ok")]
    assert sum(c.result is not None and c.result.text is not None for c in trace.calls) == results
    assert [p.code for p in trace.problems] == problems
    assert trace.completeness.history == history
    answer = trace.turns[-1].answer
    assert answer is not None
    assert (answer.text or "").startswith("I found KE703")
    assert trace.calls[2].error is not None
    assert (trace.calls[2].error.kind, trace.calls[2].error.fields) == ("validation", ("departure_date",))
    v = verdict(trace)
    assert (v.status, v.root_cause, v.layers["recovery"].status) == ("pass", None, "pass")
    assert {(c.rule, c.argument) for c in v.checks if c.status == "fail"} == {
        ("arguments/relative-date", "departure_date")
    }


def test_places_lead_to_the_part() -> None:
    (trace,) = read(TRACES / "mastra_scorer_run.json")
    assert trace.calls[0].source.pointer == "/output/0/content/parts/1"
    assert [m.role for m in trace.messages[:2]] == ["system", "user"]
    assert trace.messages[1].timestamp == "2026-11-30T18:36:50.773Z"
    assert [c.at for c in trace.calls][:3] == ["messages[2].calls[0]", "messages[2].calls[1]", "messages[5].calls[0]"]


def test_calls_are_extracted_as_the_scorers_extract_them() -> None:
    rows = [json.loads(x) for x in gzip.decompress((TRACES / "mastra_extracted.jsonl.gz").read_bytes()).splitlines()]
    for row in rows:
        found = [
            [call["toolName"], call.get("toolCallId") or f"{i}-{n}", i, n]
            for i, message in enumerate(row["output"])
            for n, call in counted_calls(message.get("content") if isinstance(message, dict) else None)
        ]
        assert found == row["calls"], row["id"]
    assert sum(len(r["calls"]) for r in rows) > 100


def test_the_union_of_both_lists() -> None:
    def ids(content: Any) -> list[tuple[str, bool]]:
        return [(i.value.get("toolCallId"), i.part is not None) for i in merged_invocations(content)]

    content = {"parts": [text("a"), part(2), part(4)], "toolInvocations": [invocation(n) for n in (1, 2, 3, 4, 5)]}
    assert ids(content) == [("c1", False), ("c2", True), ("c3", False), ("c4", True), ("c5", False)]
    nameless = {"parts": [part(1, toolCallId="")], "toolInvocations": [invocation(1, toolCallId="")]}
    assert ids(nameless) == [("", True), ("", False)]
    assert [ids(x) for x in (None, [], {}, {"parts": 3, "toolInvocations": [None, 0]})] == [[], [], [], []]
    odd = {"parts": [{"type": "tool-invocation", "toolInvocation": "x"}], "toolInvocations": [None, 4, {}]}
    assert [(i.part, i.listed) for i in merged_invocations(odd)] == [(0, None), (None, 1), (None, 2)]
    typed = {
        "parts": [part(1, toolCallId=1)],
        "toolInvocations": [invocation(1, toolCallId=i) for i in ("1", True, 1.0)],
    }
    assert ids(typed) == [("1", False), (True, False), (1, True)]


@pytest.mark.parametrize(
    ("state", "more", "outcome"),
    [
        ("result", {}, "ok"),
        ("result", {"result": {"error": True, "message": "no"}}, "error"),
        ("result", {"isError": True, "result": "no"}, "error"),
        ("result", {"result": {"status": 400, "message": "city"}}, "error"),
        ("call", {}, "no_result"),
        ("partial-call", {}, "no_result"),
        ("output-error", {"errorText": "boom"}, "error"),
        ("output-denied", {}, "refused"),
        ("approval-requested", {}, "no_result"),
        ("approval-responded", {"approval": {"id": "a", "approved": False}}, "refused"),
        ("approval-responded", {"approval": {"id": "a", "approved": True}}, "no_result"),
    ],
)
def test_what_became_of_a_call(written: Any, state: str, more: dict[str, Any], outcome: str) -> None:
    for message in (stored(part(1, state, **more)), stored(toolInvocations=[invocation(1, state, **more)])):
        (trace,) = written(run(message))
        assert outcomes(trace) == [("c1", 0, outcome)]


def test_a_call_of_the_older_list_only_stands_where_it_belongs(written: Any) -> None:
    both = stored(
        text("One moment."),
        part(1),
        {"type": "step-start"},
        part(3),
        toolInvocations=[invocation(1), invocation(2), invocation(3)],
    )
    (trace,) = written(run(both))
    assert outcomes(trace) == [("c1", 0, "ok"), ("c2", 1, "ok"), ("c3", 1, "ok")]
    assert [c.source.pointer.rpartition("content")[2] for c in trace.calls] == [
        "/parts/1",
        "/toolInvocations/1",
        "/parts/3",
    ]
    # A list alone: calls in their order, then the answer to them.
    (trace,) = written(run(stored(text("Snow."), toolInvocations=[invocation(1), invocation(2)], content="Snow.")))
    assert outcomes(trace) == [("c1", 0, "ok"), ("c2", 1, "ok")]
    assert trace.turns[-1].answer is not None
    # While a call is open, the text came before it.
    (trace,) = written(run(stored(text("One moment."), toolInvocations=[invocation(1, "call")])))
    assert trace.turns[-1].answer is None


def test_a_call_that_waits_in_the_metadata_only_is_a_call(written: Any) -> None:
    waiting = {"pendingToolApprovals": {"c7": {"toolCallId": "c7", "toolName": "book", "args": {"id": 1}}}}
    (trace,) = written(run(stored(text("May I?"), metadata=waiting)))
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [("book", {"id": 1}, "no_result")]
    (trace,) = written(run(stored(part(7, "call"), metadata=waiting)))
    assert len(trace.calls) == 1


def test_parts_of_the_newer_interface_are_calls_too(written: Any) -> None:
    new = {
        "type": "tool-weather",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"a": 1},
        "output": {"sky": "snow"},
    }
    message = {"role": "assistant", "content": {"format": 3, "parts": [new]}}
    (trace,) = written(run(message))
    assert [(c.tool, c.arguments, c.outcome) for c in trace.calls] == [("weather", {"a": 1}, "ok")]


def test_messages_that_memory_brought_back_come_before(written: Any) -> None:
    early = [stored(text("Hello"), role="user"), stored(text("Hi."))]
    value = run(stored(text("Snow.")), runId="r1")
    value["input"] |= {"rememberedMessages": [*early, ASKED], "taggedSystemMessages": {"memory": [{"role": "system", "content": "t"}]},
                       "systemMessages": [{"role": "system", "content": "s"}]}  # fmt: skip
    (trace,) = written(value)
    assert trace.id == "r1"
    assert [m.text for m in trace.messages] == ["s", "t", "Hello", "Hi.", "Weather in Gimje?", "Snow."]
    # A database keeps both as text.
    stringed = {**value, "input": json.dumps(value["input"]), "output": json.dumps(value["output"])}
    assert [m.text for m in written(stringed)[0].messages] == [m.text for m in trace.messages]


def test_stored_messages_fall_into_their_threads(written: Any, tmp_path: Path) -> None:
    rows = [{**ASKED, "threadId": "t1"}, {**ASKED, "threadId": "t2"}, {**stored(part()), "threadId": "t1"}]
    one, two = written(*rows)
    assert [(t.id, len(t.calls), t.source.line) for t in (one, two)] == [("t1", 1, 1), ("t2", 0, 2)]
    assert one.calls[0].source.line == 3
    assert [t.id for t in written(rows)] == ["t1", "t2"]
    (whole,) = written({"messages": [ASKED, stored(part())], "id": "chat"})
    assert (whole.id, whole.calls[0].source.pointer) == ("chat", "/messages/1/content/parts/0")


def test_of_a_whole_output_the_fullest_list_counts(written: Any) -> None:
    steps = [{"text": "", "toolCalls": [{"payload": invocation(1, "call")}], "toolResults": [], "finishReason": "tool-calls"},
             {"text": "Snow.", "toolCalls": [], "toolResults": [], "finishReason": "stop"}]  # fmt: skip
    db = [stored(part(1, "output-error", errorText="boom"), {"type": "step-start"}, text("Snow."))]
    for value in ({"steps": steps, "response": {"dbMessages": db}}, {"messages": db, "steps": steps, "text": "Snow."}):
        (trace,) = written(value)
        assert outcomes(trace) == [("c1", 0, "error")]
        assert trace.problems == ()
    (trace,) = written({"steps": steps, "text": "Snow."})
    assert (outcomes(trace), [p.code for p in trace.problems]) == ([("c1", 0, "error")], ["result-left-out"])


def test_what_was_asked_stays_before_what_came_of_it(written: Any) -> None:
    db = [stored(part(), {"type": "step-start"}, text("Snow."))]
    for value in (
        {"messages": [ASKED], "response": {"dbMessages": db}},
        {"messages": [ASKED, *db], "response": {"dbMessages": db}},
        {"messages": [{"role": "user", "content": "Weather in Gimje?"}], "response": {"dbMessages": db}},
    ):
        (trace,) = written(value)
        assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
        assert (outcomes(trace), trace.completeness.history) == ([("c1", 0, "ok")], "full")


def test_misfits_are_named_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    odd = run(
        4,
        {"role": "robot", "content": {"parts": [part(1)]}},
        stored(part(2), role="user"),
        stored(part(3, toolName="")),
        stored(part(4)),
    )
    file.write_text(
        "\n".join(json.dumps(v) for v in (odd, run(output=None) | {"output": None}, {"rows": 1}, [ASKED, None]))
    )
    reading = Reading(file)
    one, two, three = reading
    assert [(p.code, p.lost) for p in one.problems] == [
        ("message-unreadable", 0),
        ("role-unknown", 1),
        ("calls-misplaced", 1),
        ("call-unreadable", 1),
    ]
    assert [(c.id, c.outcome) for c in one.calls] == [("c4", "ok")]
    assert [p.code for p in two.problems] == ["output-missing"]
    assert [p.code for p in three.problems] == ["message-unreadable"]
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 3)]
    assert reading.calls_in == 4


def test_a_list_of_steps_is_the_same_run_in_every_container(tmp_path: Path) -> None:
    steps = json.loads((TRACES / "mastra_steps.json").read_text())

    def outcomes(name: str, content: str) -> list[tuple[str, str, int | None]]:
        (tmp_path / name).write_text(content)
        (trace,) = read(tmp_path / name)
        assert trace.format == "mastra"
        return [(c.tool, c.outcome, c.source.line) for c in trace.calls]

    alone = outcomes("a.json", json.dumps(steps))
    assert outcomes("b.json", json.dumps([steps])) == alone
    assert outcomes("c.json", json.dumps({"steps": steps})) == alone
    lines = outcomes("d.jsonl", "\n".join(json.dumps(s) for s in steps))
    assert [x[:2] for x in lines] == [x[:2] for x in alone]
    assert lines[0][2] == 1
    assert lines[-1][2] == max(n for n, s in enumerate(steps, 1) if s["toolCalls"])
