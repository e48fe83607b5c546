"""Formats of messages and items: files counted by hand, the same run from each container, and any damage to them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rootcall.errors import RootcallError
from rootcall.judging import verdict
from rootcall.readers import Head, all_readers, read
from rootcall.readers.content import Opened
from rootcall.readers.records import Stream

TRACES = Path(__file__).parent / "data" / "traces"
FLIGHT = "I found KE703 on 2026-12-04 for $182.40. Tokyo will be 11°C and cloudy."
HELLO = "Hello! I can search flights and check the weather. Where would you like to go?"
OFFERED = ("search_flights", "get_weather")


class Counted(NamedTuple):
    """What a person finds in a file. `tools` None: the format does not say which were offered."""

    file: str
    form: str
    traces: int
    calls: int
    results: int
    errors: int
    answer: str | None
    tools: tuple[str, ...] | None


COUNTED = [
    Counted("responses_flight.json", "openai-responses", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("responses_nocall.json", "openai-responses", 1, 0, 0, 0, HELLO, OFFERED),
    Counted("agents_input_list.json", "openai-responses", 1, 3, 3, 1, FLIGHT, None),
    Counted("responses_hosted.json", "openai-responses", 1, 7, 5, 1, None,
            ("web_search_preview", "file_search", "code_interpreter", "image_generation", "book", "roll")),
    Counted("agents_chat.jsonl", "openai-agents", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("agents_nocall.jsonl", "openai-agents", 1, 0, 0, 0, HELLO, OFFERED),
    Counted("agents_responses.jsonl", "openai-agents", 1, 3, 3, 1, None, OFFERED),
    Counted("agents_not_captured.jsonl", "openai-agents", 1, 3, 0, 1, None, OFFERED),
    Counted("agents_as_tool.jsonl", "openai-agents", 1, 2, 2, 0, "Tokyo has 11 °C and clouds.",
            ("ask_weather", "search_flights", "get_weather")),
    Counted("run_state_flight.json", "openai-run-state", 1, 3, 3, 1, FLIGHT, None),
    Counted("run_state_1_13.json", "openai-run-state", 1, 1, 0, 0, None, None),
    Counted("run_state_1_9.json", "openai-run-state", 1, 1, 1, 0, None, None),
    Counted("bedrock_flight.json", "bedrock-converse", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("bedrock_nocall.json", "bedrock-converse", 1, 0, 0, 0, HELLO + " ", OFFERED),
    Counted("bedrock_response.json", "bedrock-converse", 1, 1, 0, 0, None, None),
    Counted("bedrock_stream.txt", "bedrock-converse", 1, 1, 0, 0, None, None),
    Counted("gemini_flight.json", "gemini-contents", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("gemini_nocall.json", "gemini-contents", 1, 0, 0, 0, HELLO, OFFERED),
    Counted("gemini_python.json", "gemini-contents", 1, 3, 3, 1, FLIGHT, (*OFFERED, "google_search", "code_execution")),
    Counted("gemini_automatic.json", "gemini-contents", 1, 3, 3, 1, FLIGHT, None),
    Counted("langchain_dumpd.json", "langchain", 1, 3, 3, 1, FLIGHT, None),
    Counted("langchain_to_dict.json", "langchain", 1, 3, 3, 1, FLIGHT, None),
    Counted("langchain_model_dump.json", "langchain", 1, 3, 3, 1, FLIGHT, None),
    Counted("langchain_openai.json", "openai-chat", 1, 3, 3, 1, FLIGHT, None),
    Counted("langchain_nocall.json", "langchain", 1, 0, 0, 0, HELLO, None),
    Counted("langsmith_batch.json", "langsmith", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("langsmith_tracer.jsonl", "langsmith", 1, 3, 3, 1, FLIGHT, OFFERED),
    Counted("langsmith_raised.jsonl", "langsmith", 1, 2, 2, 1, None, OFFERED),
    Counted("langsmith_agent_in_tool.jsonl", "langsmith", 1, 3, 3, 0, "Tokyo: 11 °C; KE703.",
            ("ask_weather", "search_flights", "get_weather")),
    Counted("langsmith_two_agents.jsonl", "langsmith", 1, 2, 2, 0, "KE703 it is", ("get_weather", "search_flights")),
    Counted("langsmith_nocall.jsonl", "langsmith", 1, 0, 0, 0, HELLO, OFFERED),
    Counted("langsmith_js.json", "langsmith", 1, 0, 0, 0, "Howdy! How can I assist you today?", None),
    Counted("langsmith_py_stream.json", "langsmith", 1, 0, 0, 0, "Howdy! How can I assist you today?", None),
    Counted("langsmith_traceable.json", "langsmith", 1, 2, 2, 1, "11 °C", None),
    Counted("langgraph_updates.jsonl", "langchain", 1, 3, 3, 1, FLIGHT, None),
]  # fmt: skip
# The same run: two calls side by side, the first with a relative date, which fails; a corrected call; an answer.
SAME_RUN = [c.file for c in COUNTED if c.answer == FLIGHT]


@pytest.mark.parametrize("counted", COUNTED, ids=lambda c: c.file)
def test_a_file_holds_what_a_person_counts_in_it(counted: Counted) -> None:
    reading = read(TRACES / counted.file)
    traces = list(reading)
    assert reading.problems == []
    assert [t.format for t in traces] == [counted.form] * counted.traces
    calls = [c for t in traces for c in t.calls]
    assert len(calls) == counted.calls == reading.calls_in
    assert sum(c.result is not None and c.result.text is not None for c in calls) == counted.results
    assert sum(c.outcome == "error" for c in calls) == counted.errors
    answer = traces[-1].turns[-1].answer
    assert (answer.text if answer is not None else None) == counted.answer
    for trace in traces:
        if counted.tools is None:
            assert trace.tools_known == "unknown"
        else:
            assert (trace.tools_known, tuple(t.name for t in trace.tools)) == ("declared", counted.tools)


@pytest.mark.parametrize("file", SAME_RUN)
def test_the_same_run_gets_the_same_verdict_from_each_container(file: str) -> None:
    (trace,) = read(TRACES / file)
    assert [(c.tool, dict(c.arguments or {}), c.outcome, c.step, c.turn) for c in trace.calls] == [
        ("search_flights", {"origin": "ICN", "destination": "NRT", "departure_date": "next Friday"}, "error", 0, 0),
        ("get_weather", {"city": "Tokyo"}, "ok", 0, 0),
        ("search_flights", {"origin": "ICN", "destination": "NRT", "departure_date": "2026-12-04"}, "ok", 1, 0),
    ]
    found = verdict(trace)
    assert (found.status, found.root_cause) == ("pass", None)
    assert [c.rule for c in found.recovered] == ["recovery/handled"]
    assert {n: found.layers[n].status for n in ("arguments", "utilization", "recovery")} == {
        "arguments": "pass", "utilization": "pass", "recovery": "pass",
    }  # fmt: skip
    assert found.layers["selection"].status == ("unscored" if trace.tools_known == "unknown" else "pass")


@pytest.mark.parametrize("file", sorted({c.file for c in COUNTED}))
def test_no_other_reader_is_as_sure(file: str) -> None:
    counted = next(c for c in COUNTED if c.file == file)
    sure = sorted(((r.detect(_head(TRACES / file)), r.name) for r in all_readers()), reverse=True)
    assert sure[0][1] == counted.form
    assert sure[0][0] > sure[1][0] or sure[1][0] == 0


def _head(file: Path) -> Head:
    with Opened(file) as opened:
        return Stream(opened.chunks(), opened.name, path=file).head


def _read(file: Path) -> None:
    """Traces or named problems, and every call accounted for."""
    try:
        reading = read(file)
        traces = list(reading)
    except RootcallError:
        return
    assert "reader-failed" not in reading.counts, reading.problems
    assert traces or reading.problems
    assert reading.calls_in == sum(len(t.calls) + sum(p.lost for p in t.problems) for t in traces) + sum(
        p.lost for p in reading.problems
    )


@pytest.mark.parametrize("file", sorted({c.file for c in COUNTED}))
def test_a_file_cut_anywhere_is_named(tmp_path: Path, file: str) -> None:
    data = (TRACES / file).read_bytes()
    chance = random.Random(file)
    for n in range(50):
        cut = tmp_path / f"{n}"
        cut.write_bytes(data[: chance.randrange(len(data))])
        _read(cut)


ODD: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "x",
    "{}",
    [],
    {},
    [None],
    [[]],
    {"type": 1},
    {"role": []},
    ["text"],
    [{"text": 1}],
]


def _mutated(value: Any, chance: random.Random) -> Any:
    """The value with one part of it replaced, removed or wrapped."""
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        v = stack.pop()
        keys = list(v) if isinstance(v, dict) else list(range(len(v))) if isinstance(v, list) else []
        places += [(v, k) for k in keys]
        stack += [v[k] for k in keys]
    if not places:
        return chance.choice(ODD)
    holder, key = chance.choice(places)
    how = chance.randrange(4)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = [holder[key]]
    else:
        holder[key] = json.loads(json.dumps(chance.choice(ODD)))
    return value


@pytest.mark.parametrize("file", sorted({c.file for c in COUNTED}))
def test_a_wrong_value_anywhere_never_raises(tmp_path: Path, file: str) -> None:
    text = (TRACES / file).read_text("utf-8")
    lines = text.splitlines() if file.endswith((".jsonl", ".txt")) else [text]
    chance = random.Random(file)
    for n in range(60):
        values = [json.loads(line) for line in lines]
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(values))
            values[at] = _mutated(values[at], chance)
        odd = tmp_path / f"{n}"
        odd.write_text("\n".join(map(json.dumps, values)))
        _read(odd)
