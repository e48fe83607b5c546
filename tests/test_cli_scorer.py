"""`rootcall score --scorer`: one expectation for all traces or that of each case, both semantics side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.case import Case
from rootcall.cli.main import main
from rootcall.mastra.batch import Batch, expectation_in

CaptureFixture = pytest.CaptureFixture[str]
NAME = "mastra:tool-call-accuracy-code"


def run(capfd: CaptureFixture, *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["score", *map(str, arguments)])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


def row(name: str, *tools: str, **metadata: Any) -> dict[str, Any]:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": t, "arguments": f'{{"n": {n}}}'}}
        for n, t in enumerate(tools)
    ]
    said = [
        message
        for call in calls
        for message in (
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": '{"ok": true}'},
        )
    ]
    return {
        "id": name,
        "messages": [{"role": "user", "content": f"do {name}"}, *said, {"role": "assistant", "content": "Done."}],
        "metadata": metadata,
    }


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    file = tmp_path / "traces.jsonl"
    rows = [row("one", "a", "b"), row("two", "b", "a", "b"), row("three")]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_both_scores_and_why_they_part(capfd: CaptureFixture, traces: Path) -> None:
    code, out, err = run(capfd, traces, "--scorer", NAME, "--order", "a, b")
    assert (code, err) == (0, "")
    assert "mastra 1.10.2  mean 0.333 over 3" in out
    assert "rootcall       mean 0.667 over 3" in out
    assert "they part in 1 of 3" in out
    assert "1  first-occurrence" in out


def test_lines(capfd: CaptureFixture, traces: Path, tmp_path: Path) -> None:
    code, out, err = run(capfd, traces, "--scorer", NAME, "--expected-tool", "a", "--jsonl", "-")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(r["trace"], r["original"], r["corrected"], r["agree"]) for r in rows] == [
        ("one", 1, 1, True),
        ("two", 1, 1, True),
        ("three", 0, 0, True),
    ]
    assert rows[0]["expected"] == {"tool": "a", "order": None, "strict": False}
    assert (code, rows[0]["scorer"], rows[0]["differences"]) == (0, NAME, [])
    assert "they part in 0 of 3" in err
    code, out, err = run(capfd, traces, "--scorer", NAME, "--order", "", "-q", "--jsonl", tmp_path / "x.jsonl")
    assert (code, out, err) == (0, "", "")
    scores = [(r["original"], r["corrected"]) for r in map(json.loads, (tmp_path / "x.jsonl").read_text().splitlines())]
    assert scores == [(0, 0), (0, 0), (0, 1)]


def test_expectations_of_cases(capfd: CaptureFixture, traces: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    rows = [
        {"id": "x", "input": "do one", "expect": {"calls": [{"tool": "a"}], "extra": "forbid"}},
        {"id": "y", "input": "do two", "expect": {"calls": [{"tool": "a"}, {"tool": "b"}], "order": "in_order"}},
        {"id": "z", "input": "do three", "expect": {"calls": "some"}},
    ]
    cases.write_text("\n".join(map(json.dumps, rows)))
    code, out, _ = run(capfd, traces, "--scorer", NAME, "--cases", cases, "--jsonl", tmp_path / "out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(r["case"], r["original"], r["corrected"]) for r in found] == [("x", 0, 0), ("y", 0, 1)]
    assert code == 3
    assert "trace 'three' was not scored: case 'z' wants any call" in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scorer", NAME], "neither is given; give one of them"),
        (["--scorer", NAME, "--strict"], "--strict alone expects nothing"),
        (["--scorer", NAME, "--expected-tool", "a", "--out", "x"], "--out has no meaning with --scorer"),
        (["--scorer", NAME, "--expected-tool", "a", "--select", "arguments"], "--select has no meaning"),
        (["--scorer", NAME, "--expected-tool", "a", "--jsonl", "/no/such/folder/x"], "cannot be written"),
        (["--scorer", NAME, "--expected-tool", " "], "--expected-tool is empty"),
        (["--scorer", NAME, "--order", ","], "a name is empty"),
        (["--scorer", NAME, "--order", "a,,b"], "a name is empty"),
        (
            ["--scorer", NAME, "--expected-tool", "a", "--semantics", "bfcl"],
            "--semantics bfcl has no meaning with --scorer",
        ),
        (["--expected-tool", "a"], "--expected-tool belongs to a scorer; add --scorer"),
        (["--order", ""], "--order belongs to a scorer"),
        (["--scorer", "mine"], "'mine' is not"),
    ],
)
def test_options_that_cannot_be_meant(capfd: CaptureFixture, traces: Path, options: list[str], message: str) -> None:
    code, out, err = run(capfd, traces, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_what_is_left_out_shows_in_the_exit_code(capfd: CaptureFixture, traces: Path) -> None:
    traces.write_text(traces.read_text() + "\n{broken")
    code, out, _ = run(capfd, traces, "--scorer", NAME, "--expected-tool", "a")
    assert code == 3
    assert "traces.jsonl:4" in out.replace("\n", "").replace(" ", "")


def test_a_name_that_nothing_calls_or_offers_is_noted(capfd: CaptureFixture, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(row("one", "search_flights")))
    code, out, _ = run(capfd, file, "--scorer", NAME, "--expected-tool", "search_flight")
    assert code == 0
    assert "no trace calls or offers 'search_flight'; the nearest name is search_flights" in " ".join(out.split())


def test_many_parting_traces_are_cut_and_counted(capfd: CaptureFixture, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join(json.dumps(row(f"t{n}", "b", "a", "b")) for n in range(30)))
    _, out, _ = run(capfd, file, "--scorer", NAME, "--order", "a,b")
    assert "they part in 30 of 30" in out
    assert "… 10 more traces; --jsonl FILE has them all" in out


def test_what_names_alone_can_say_of_a_case() -> None:
    def of(**expect: Any) -> Any:
        found, why = expectation_in(Case.from_dict({"id": "c", "expect": expect}))
        return (found.tool, found.order, found.strict) if found is not None else why

    a, b = {"tool": "a"}, {"tool": "b"}
    assert of(calls=[a]) == ("a", None, False)
    assert of(calls=[a], order="strict") == ("a", None, True)
    assert of(calls=[a, b], order="in_order") == (None, ("a", "b"), False)
    assert of(calls=[a, b], order="strict") == (None, ("a", "b"), True)
    assert of(calls=[]) == (None, (), False)
    assert of(calls=[a, b]) == "case 'c' wants 2 calls in any order, which this scorer cannot say; give order: in_order"
    assert "has alternatives" in of(calls=[a], alternatives=[[b]])
    assert "optional calls" in of(calls=[a, {"tool": "b", "optional": True}])
    assert "forbidden calls" in of(calls=[a], forbid=["b"])
    assert "lists no calls" in of(answer=[{"$says": "x"}])


def test_a_batch_without_traces_has_no_mean() -> None:
    from rootcall.mastra.corrected import Expectation

    assert Batch(Expectation("a"), None).means() == {"original": (None, 0), "corrected": (None, 0)}
