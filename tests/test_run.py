"""Scoring many traces: in memory, to a folder, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rootcall
from rootcall.case import Case, Cases
from rootcall.config import Config
from rootcall.errors import ConfigError, InputError, UsageError
from rootcall.run import load_run, read_run, score
from rootcall.trace import Trace

MakeTrace = Callable[..., Trace]


def flights(bundled: Path) -> rootcall.Run:
    return score(rootcall.read(bundled / "flight.jsonl"))


def test_the_flight_traces_show_where_the_agent_broke(bundled: Path) -> None:
    run = flights(bundled)
    assert {v.trace: v.status for v in run.verdicts} == {
        "flight": "fail",
        "recovered": "pass",
        "clean": "pass",
        "misread": "fail",
        "greeting": "pass",
    }
    assert (run.calls_in, run.calls_scored, run.calls_set_aside) == (9, 9, 0)
    assert {(c.layer, c.argument) for c in run.causes if c.layer == "arguments"} == {("arguments", "departure_date")}
    assert {c.layer for c in run.causes} == {"arguments", "utilization"}
    assert run.recovered == 1
    assert run.exit_code == 0


def test_real_runs_are_scored_without_loss(bundled: Path) -> None:
    run = score(rootcall.read(bundled / "tau-airline.jsonl.gz", tools=bundled / "tau-airline-tools.json"))
    assert run.total == 12
    assert run.calls_in == run.calls_scored == 93
    assert sum(t.calls for t in run.tools) == 93
    assert sum(t.errors for t in run.tools) == 20


@pytest.mark.parametrize("file", ["flight.jsonl", "tau-airline.jsonl.gz"])
def test_the_figures_of_a_run_are_the_sums_of_its_verdicts(bundled: Path, file: str) -> None:
    run = score(rootcall.read(bundled / file, tools=bundled / "tau-airline-tools.json"))
    for name, layer in run.layers.items():
        single = [v.layers[name] for v in run.verdicts]
        assert layer.scored == sum(s.scored for s in single)
        assert layer.unscored == sum(s.unscored for s in single)
        assert layer.passed == round(sum(s.score * s.scored for s in single if s.score is not None))
        assert layer.traces["fail"] == sum(s.status == "fail" for s in single)


def test_first_tries_of_a_single_trace_are_those_of_its_verdict(bundled: Path) -> None:
    for trace in rootcall.read(bundled / "tau-airline.jsonl.gz", tools=bundled / "tau-airline-tools.json"):
        run = score([trace])
        assert run.layers["arguments"].first_try_score == run.verdicts[0].layers["arguments"].first_try_score


def test_a_run_comes_back_from_disk_the_same(bundled: Path, tmp_path: Path) -> None:
    made = score(rootcall.read(bundled / "flight.jsonl"), out=tmp_path / "run", inputs=["flight.jsonl"])
    assert load_run(tmp_path / "run") == made
    assert load_run(tmp_path / "run", keep=False).verdicts == ()
    assert [t.id for t, _ in read_run(tmp_path / "run")] == [v.trace for v in made.verdicts]
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["inputs"] == ["flight.jsonl"]
    assert manifest["summary"] == json.loads(json.dumps(made.to_dict()))
    assert set(manifest["tools"]) == {"search_flights", "book_flight"}


def test_what_was_not_read_is_kept_with_the_run(bundled: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text((bundled / "flight.jsonl").read_text() + "{broken\n")
    made = score(rootcall.read(file), out=tmp_path / "run")
    assert made.not_read == 1
    assert made.exit_code == 3
    back = load_run(tmp_path / "run")
    assert (back.not_read, back.problem_counts, back.problems) == (1, made.problem_counts, made.problems)


def test_calls_that_a_trace_lost_are_set_aside_once(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "function": {"name": "t", "arguments": "{}"}}, {"id": "b", "function": {}}],
        },
        {"role": "assistant", "content": "done"},
    ]
    (tmp_path / "t.jsonl").write_text(json.dumps({"id": "x", "messages": messages}) + "\n")
    reading = rootcall.read(tmp_path / "t.jsonl")
    run = score(reading)
    assert (run.calls_in, run.calls_scored, run.calls_set_aside) == (reading.calls_in, 1, 1)
    in_memory = score([Trace.from_openai(messages)])
    assert (in_memory.calls_in, in_memory.calls_set_aside) == (2, 1)


def test_without_keep_no_verdicts_are_held_but_all_are_seen(make_trace: MakeTrace) -> None:
    seen: list[str] = []
    run = score((make_trace(f"t{i}") for i in range(3)), keep=False, on_verdict=lambda t, v: seen.append(v.trace))
    assert run.verdicts == ()
    assert seen == ["t0", "t1", "t2"]


def test_traces_meet_their_cases(make_trace: MakeTrace) -> None:
    expected = Case.from_dict({"id": "c", "input": "Search for t.", "expect": {"calls": [{"tool": "search"}]}})
    forbidden = Case.from_dict({"id": "d", "expect": {"calls": []}})
    run = score([make_trace("t"), make_trace("u"), make_trace("v", case_id="d")], Cases([expected, forbidden]))
    assert [v.case for v in run.verdicts] == ["c", None, "d"]
    assert (run.matched, run.unmatched) == (2, 1)
    assert run.problem_counts["case-none"] == 1
    assert run.verdicts[0].layers["selection"].status == "pass"
    assert run.verdicts[2].layers["selection"].status == "fail"


def test_a_layer_that_is_ignored_is_not_scored(make_trace: MakeTrace) -> None:
    run = score([make_trace()], config=Config(ignore=("selection",)))
    assert run.layers["selection"].scored == 0


def test_an_unknown_rule_in_the_configuration_stops_the_run(make_trace: MakeTrace) -> None:
    with pytest.raises(ConfigError, match="did you mean"):
        score([make_trace()], config=Config(ignore=("arguments/relativ-date",)))


def test_nothing_is_judged_when_the_folder_cannot_be_used(make_trace: MakeTrace, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(UsageError):
        score([make_trace()], out=tmp_path)


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run here"):
        load_run(tmp_path)
    with pytest.raises(InputError, match="no run here"):
        list(read_run(tmp_path / "none"))


def test_scoring_does_not_change_its_input(make_trace: MakeTrace) -> None:
    trace, same = make_trace(), make_trace()
    score([trace])
    assert trace == same


def test_one_file_scored_twice_gives_the_same_run(bundled: Path) -> None:
    assert flights(bundled) == flights(bundled)


def test_a_rule_that_raises_costs_its_trace_and_says_so(bundled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = rootcall.verdict

    def fails(trace: Trace, *rest: Any) -> rootcall.Verdict:
        if trace.id == "recovered":
            raise IndexError("list index out of range")
        return judged(trace, *rest)

    monkeypatch.setattr("rootcall.run.judge_trace", fails)
    run = flights(bundled)
    assert [v.trace for v in run.verdicts] == ["flight", "clean", "misread", "greeting"]
    assert (run.calls_in, run.calls_scored, run.calls_set_aside, run.exit_code) == (9, 7, 2, 3)
    (problem,) = [p for p in run.problems if p.code == "rule-failed"]
    assert "'recovered' was not judged" in problem.message
    assert "IndexError: list index out of range" in problem.message


def test_a_trace_that_names_a_case_there_is_not_is_no_clean_run(make_trace: MakeTrace) -> None:
    cases = Cases([Case.from_dict({"id": "a", "expect": {"calls": [{"tool": "search"}]}})])
    known, typo = make_trace("t", case_id="a"), make_trace("t", case_id="typo")
    assert score([known], cases).exit_code == 0
    assert score([known, typo], cases).exit_code == 3
