"""BFCL multi-turn rows as traces: turns, steps, results, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.jsonvalue import MISSING
from rootcall.readers import Reading, read
from rootcall.readers.bfcl import turns_of
from rootcall.trace import Trace

FILE = Path(__file__).parent / "data" / "traces" / "bfcl_multi_turn.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


def one(tmp_path: Path, **change: Any) -> Trace:
    row = {
        "id": "multi_turn_base_x",
        "question": [[{"role": "user", "content": "First."}], [{"role": "user", "content": "Second."}]],
        "ground_truth": [["cd(folder='a')", "ls()"], ["sort('b.txt')"]],
        "ground_truth_results": [['{"cwd": "a"}', "None"], ['{"error": "no such file"}']],
        "involved_classes": ["Files"],
        **change,
    }
    file = tmp_path / "row.json"
    file.write_text(json.dumps(row))
    (trace,) = read(file)
    return trace


def test_rows_are_recognised_and_nothing_is_lost() -> None:
    reading = read(FILE)
    traces = list(reading)
    assert {t.format for t in traces} == {"bfcl-multi-turn"}
    assert [t.id for t in traces] == [r["id"] for r in ROWS]
    gold = sum(len(turn) for r in ROWS for turn in r["ground_truth"])
    assert reading.calls_in == reading.calls_kept == gold
    assert reading.set_aside == 0
    for trace, row in zip(traces, ROWS, strict=True):
        assert [len(t.calls) for t in trace.turns] == [len(turn) for turn in row["ground_truth"]]
        assert all(c.outcome == "ok" for c in trace.calls)
        assert trace.tools_known == "unknown"
        assert "verdicts" not in trace.metadata


def test_each_call_is_a_step_with_its_own_result(tmp_path: Path) -> None:
    trace = one(tmp_path)
    assert [(c.tool, c.arguments, c.turn, c.step) for c in trace.calls] == [
        ("cd", {"folder": "a"}, 0, 0),
        ("ls", {}, 0, 1),
        ("sort", {"0": "b.txt"}, 1, 2),
    ]
    assert [m.role for m in trace.messages] == [
        "user", "assistant", "tool", "assistant", "tool", "user", "assistant", "tool"
    ]  # fmt: skip
    assert [c.at for c in trace.calls] == ["messages[1].calls[0]", "messages[3].calls[0]", "messages[6].calls[0]"]
    assert trace.calls[0].source.pointer == "/ground_truth/0/0"
    assert trace.metadata["involved_classes"] == ["Files"]


def test_none_is_ok_without_content_and_errors_are_errors(tmp_path: Path) -> None:
    trace = one(tmp_path)
    first, second, third = trace.calls
    assert (first.outcome, first.result and first.result.payload) == ("ok", {"cwd": "a"})
    assert (second.outcome, second.result and second.result.payload) == ("ok", None)
    assert third.outcome == "error"
    failed = one(tmp_path, ground_truth_results=[["Error during execution: boom", "[]"], []])
    assert [c.outcome for c in failed.calls] == ["error", "ok", "no_result"]
    assert failed.calls[2].result is None
    assert failed.calls[1].result is not None
    assert failed.calls[1].result.payload is not MISSING


def test_positional_arguments_stand_under_their_position_and_are_said(tmp_path: Path) -> None:
    (problem,) = one(tmp_path).problems
    assert (problem.code, problem.source.pointer) == ("positional-arguments", "/ground_truth/1/0")
    assert "sort: 1 arguments without a name" in problem.message


def test_a_text_that_is_no_call_is_a_problem_and_counts_as_lost(tmp_path: Path) -> None:
    trace = one(tmp_path, ground_truth=[["cd(folder=", "ls()"], ["f(), g()"]])
    assert [c.tool for c in trace.calls] == ["ls"]
    assert [p.code for p in trace.problems if p.lost] == ["call-unreadable", "call-unreadable"]
    assert trace.messages[1].text == "cd(folder="
    assert trace.calls[0].outcome == "ok"
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "None", "results stay with their own calls"


def test_more_results_or_turns_than_calls_are_kept_or_named(tmp_path: Path) -> None:
    trace = one(tmp_path, ground_truth_results=[["1", "2", "3"]])
    assert "turn 0 has 2 calls and 3 results" in " ".join(p.message for p in trace.problems)
    assert len(one(tmp_path, ground_truth=[["ls()"], []]).turns) == 2
    assert len(one(tmp_path, question=[[{"role": "user", "content": "Only one."}]]).calls) == 3
    assert [c.outcome for c in one(tmp_path, ground_truth_results=None).calls] == ["no_result"] * 3


@pytest.mark.parametrize(
    "value",
    [
        {"id": "x", "ground_truth": [["ls()"]]},
        {"question": [[{"role": "user", "content": "?"}]], "function": []},
        {"question": [], "ground_truth": []},
        {"question": [], "ground_truth": [{"f": {"a": [1]}}]},
        {"question": "?", "ground_truth": [["ls()"]]},
        {"question": [], "ground_truth": [[1]]},
        {"messages": [{"role": "user", "content": "hi"}], "ground_truth": [["ls()"]]},
        [],
        None,
    ],
)
def test_other_shapes_are_not_taken(value: Any) -> None:
    assert turns_of(value) is None


def test_other_rows_of_the_file_are_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n" + json.dumps({"id": "other"}) + "\n")
    reading = Reading(file)
    assert len(list(reading)) == 1
    assert reading.counts == {"unknown-shape": 1}


def test_other_formats_are_recognised_as_before() -> None:
    for name, form in (
        ("flight.jsonl", "native"),
        ("tau_airline.jsonl", "tau-bench"),
        ("openai_cookbook_drone.jsonl", "openai-chat"),
    ):
        assert {t.format for t in read(FILE.parent / name)} == {form}


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["f()", "f(1)", "g(a=[1])", "None", '{"error": 1}', "Error during execution"]
)
JSON = st.recursive(
    st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "error", "id"]), inner, max_size=3), max_leaves=8
)  # fmt: skip


@given(st.lists(JSON, max_size=3), st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=3), JSON)
def test_no_row_raises_and_every_call_is_accounted_for(question: Any, turns: list[list[str]], results: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "r.json"
        file.write_text(json.dumps({"question": question, "ground_truth": turns, "ground_truth_results": results}))
        reading = read(file)
        list(reading)
    assert "reader-failed" not in reading.counts
    assert reading.calls_in == sum(len(turn) for turn in turns)
