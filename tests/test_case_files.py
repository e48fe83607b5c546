"""Case files, and which case a trace meets: never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall.case import Case, Cases, load_cases
from rootcall.errors import CaseError
from rootcall.trace import Trace

MakeTrace = Callable[..., Trace]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


ONE = {"id": "a", "input": "Search for t.", "expect": {"calls": [{"tool": "search"}]}}
TWO = {"id": "b", "expect": {"calls": []}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.jsonl", f"{json.dumps(ONE)}\n\n{json.dumps(TWO)}\n"),
        ("c.json", json.dumps([ONE, TWO], indent=1)),
        (
            "c.yaml",
            "- id: a\n  input: Search for t.\n  expect: {calls: [{tool: search}]}\n- {id: b, expect: {calls: []}}\n",
        ),
        ("c.yml", "id: a\ninput: Search for t.\nexpect:\n  calls: [{tool: search}]\n---\nid: b\nexpect: {calls: []}\n"),
        ("bom.jsonl", f"\ufeff{json.dumps(ONE)}\n{json.dumps(TWO)}"),
    ],
)
def test_the_same_cases_come_from_every_kind_of_file(tmp_path: Path, name: str, text: str) -> None:
    cases = list(load_cases(write(tmp_path, name, text)))
    assert cases == [Case.from_dict(ONE), Case.from_dict(TWO)]


def test_a_single_case_is_a_file_too(tmp_path: Path) -> None:
    assert len(load_cases(write(tmp_path, "one.json", json.dumps(ONE)))) == 1


def test_yaml_words_and_dates_stay_what_they_look_like(tmp_path: Path) -> None:
    text = """
id: a
reference_time: 2026-11-30T09:00:00+09:00
expect: {calls: [{tool: t, arguments: {country: NO, day: 2026-12-04, at: 12:30, on: yes, really: true, n: 3, x: -1.5e3, none: null, empty: , id: 007}}]}
"""
    case = next(iter(load_cases(write(tmp_path, "c.yaml", text))))
    assert case.reference_time == "2026-11-30T09:00:00+09:00"
    assert case.calls[0].arguments == {  # type: ignore[index, union-attr]
        "country": "NO", "day": "2026-12-04", "at": "12:30", "on": "yes", "really": True, "n": 3, "x": -1500.0,
        "none": None, "empty": None, "id": "007",
    }  # fmt: skip


def test_yaml_never_builds_objects(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="not YAML"):
        load_cases(write(tmp_path, "c.yaml", "!!python/object/apply:os.getcwd []"))


def test_all_faults_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "c.jsonl",
        '{"id": "a", "expect": {"calls": []}}\n{broken\n[]\n{"id": "d", "expect": {"calls": 1, "order": "sideways"}}\n',
    )
    with pytest.raises(CaseError) as caught:
        load_cases(path)
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [f"{path}:2", f"{path}:3", f"{path}:4", f"{path}:4"]
    assert "order must be one of" in lines[2]
    assert "expect.calls must be a list" in lines[3]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.jsonl", "", "holds no case"),
        ("c.yaml", "a: [", "not YAML"),
        (
            "c.jsonl",
            '{"id": "a", "expect": {"calls": []}}\n{"id": "a", "expect": {"calls": []}}',
            r"c.jsonl:2: two cases are called 'a' \(the other in line 1\)",
        ),
    ],
)
def test_a_file_that_cannot_be_meant_says_why(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(CaseError, match=said):
        load_cases(write(tmp_path, name, text))


def test_a_file_that_is_not_there_or_not_text_says_so(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read"):
        load_cases(tmp_path / "none.jsonl")
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseError, match="not UTF-8"):
        load_cases(tmp_path / "b.jsonl")


def test_a_trace_meets_the_case_it_names_else_that_of_its_first_words(make_trace: MakeTrace) -> None:
    cases = Cases([Case("a", input="Search  for t."), Case("b")])
    assert cases.find(make_trace("t", case_id="b"))[0] == Case("b")
    assert cases.find(make_trace("t"))[0] == Case("a", input="Search  for t.")


def test_a_named_case_decides_alone(make_trace: MakeTrace) -> None:
    case, problem = Cases([Case("a", input="Search for t.")]).find(make_trace("t", case_id="gone"))
    assert case is None
    assert problem is not None
    assert problem.code == "case-unknown"


def test_a_trace_that_two_cases_claim_gets_none(make_trace: MakeTrace) -> None:
    case, problem = Cases([Case("a", input="Search for t."), Case("b", input="Search for t.")]).find(make_trace("t"))
    assert case is None
    assert problem is not None
    assert problem.code == "case-ambiguous"
    assert "a, b" in problem.message


def test_a_trace_that_meets_none_is_named(make_trace: MakeTrace) -> None:
    for trace in (make_trace("other"), Trace("empty")):
        case, problem = Cases([Case("a", input="Search for t.")]).find(trace)
        assert case is None
        assert problem is not None
        assert problem.code == "case-none"


def test_cases_that_no_trace_met_are_listed(make_trace: MakeTrace) -> None:
    cases = Cases([Case("a", input="Search for t."), Case("b")])
    cases.find(make_trace("t"))
    assert [p.message for p in cases.unused()] == ["case 'b' was met by no trace"]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"expects": {"calls": []}}, "unknown key expects; did you mean 'expect'"),
        ({"expect": {"call": []}}, "unknown key expect.call; did you mean 'calls'"),
        (
            {"expect": {"calls": [{"tool": "t", "argumets": {}}]}},
            "unknown key expect.calls[0].argumets; did you mean 'arguments'",
        ),
        ({"zzzz": 1}, "the keys are id, input"),
    ],
)
def test_a_misspelt_key_is_refused_rather_than_passed_in_silence(case: dict[str, Any], said: str) -> None:
    with pytest.raises(CaseError, match=re.escape(said)):
        Case.from_dict(case)
