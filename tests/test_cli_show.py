"""`rootcall show`, `explain`, `formats` and `demo`."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rootcall.cli.main import main
from rootcall.judging import rules

CaptureFixture = pytest.CaptureFixture[str]


def run(capfd: CaptureFixture, *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


@pytest.fixture
def flight(bundled: Path) -> Path:
    return bundled / "flight.jsonl"


@pytest.mark.parametrize("named", ["flight", "fli", "1"])
def test_a_trace_is_named_by_id_by_its_beginning_or_by_number(capfd: CaptureFixture, flight: Path, named: str) -> None:
    code, out, err = run(capfd, "show", flight, named)
    assert (code, err) == (0, "")
    assert 'search_flights(origin="ICN"' in out
    assert "✗ arguments/relative-date departure_date" in out
    assert "flight FAIL root cause: arguments · search_flights.departure_date · relative-date" in " ".join(out.split())


def test_short_shows_the_verdict_only(capfd: CaptureFixture, flight: Path) -> None:
    out = run(capfd, "show", flight, "recovered", "--short")[1]
    assert "search_flights(" not in out
    assert "recovered  PASS" in out


def test_a_run_shows_its_traces_as_they_were_judged(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    run(capfd, "score", flight, "--out", tmp_path / "run", "--ignore", "arguments", "-q")
    code, out, _ = run(capfd, "show", tmp_path / "run", "misread")
    assert code == 0
    assert "misread  FAIL" in out
    assert "arguments n/a" in out


def test_a_case_is_used(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(
        '{"id": "x", "input": "hello!", "expect": {"calls": [{"tool": "search_flights"}]}}\n'
    )
    assert "greeting  PASS" in run(capfd, "show", flight, "greeting", "--short")[1]
    assert "greeting  FAIL" in run(capfd, "show", flight, "greeting", "--short", "--cases", tmp_path / "c.jsonl")[1]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("fligth", "has no trace 'fligth'; did you mean 'flight'?"),
        ("zzz", "has no trace 'zzz'; it holds 5, the first is 'flight'"),
        ("9", "has no trace '9'"),
    ],
)
def test_a_trace_that_is_not_there_is_one_line(capfd: CaptureFixture, flight: Path, named: str, said: str) -> None:
    code, out, err = run(capfd, "show", flight, named)
    assert (code, out) == (2, "")
    assert said in err


def test_one_of_several_traces_with_the_same_id_says_so(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(flight.read_bytes() * 2)
    code, out, err = run(capfd, "show", twice, "flight", "--short")
    assert (code, "flight  FAIL" in out) == (0, True)
    assert err == f"rootcall: 2 traces of {twice} are called 'flight': by number 1, 6; this is the first\n"


def test_a_beginning_of_several_lists_them(capfd: CaptureFixture, bundled: Path) -> None:
    code, _, err = run(capfd, "show", bundled / "tau-airline.jsonl.gz", "2", "--short")
    assert code == 0  # a number: the second trace
    code, _, err = run(capfd, "show", bundled / "tau-airline.jsonl.gz", "2-")
    assert code == 0  # only one begins so
    code, _, err = run(capfd, "show", bundled / "tau-airline.jsonl.gz", "")
    assert code == 2
    assert "12 traces of" in err
    assert "…" in err


def test_explain_lists_all_rules_by_layer(capfd: CaptureFixture) -> None:
    code, out, _ = run(capfd, "explain")
    assert code == 0
    for layer in ("selection", "arguments", "utilization", "recovery", "trajectory"):
        assert f"\n{layer}\n" in f"\n{out}"
    for name in rules():
        assert f"  {name.partition('/')[2]}  " in out


def test_explain_lists_one_layer(capfd: CaptureFixture) -> None:
    out = run(capfd, "explain", "recovery")[1]
    assert "retry-loop" in out
    assert "relative-date" not in out


def test_explain_prints_every_rule(capfd: CaptureFixture) -> None:
    for name, rule in rules().items():
        code, out, _ = run(capfd, "explain", name)
        assert code == 0
        assert out.startswith(name)
        for heading in ("looks at", "why", "fails", "passes"):
            assert f"\n{heading}\n" in out
        for option in rule.options:
            assert f"{option} = " in out


def test_the_name_after_the_slash_is_enough(capfd: CaptureFixture) -> None:
    assert run(capfd, "explain", "relative-date")[1].startswith("arguments/relative-date")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("arguments/relativ-date", "did you mean 'arguments/relative-date'?"),
        ("retry-lop", "did you mean 'recovery/retry-loop'?"),
        ("xyzzy", "`rootcall explain` lists the rules"),
    ],
)
def test_an_unknown_rule_is_one_line(capfd: CaptureFixture, named: str, said: str) -> None:
    code, out, err = run(capfd, "explain", named)
    assert (code, out) == (2, "")
    assert said in err


def test_a_short_name_of_two_layers_asks_for_the_whole(capfd: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = rules()["arguments/relative-date"]
    twice = {
        f"{layer}/same": msgspec.structs.replace(rule, name=f"{layer}/same") for layer in ("selection", "recovery")
    }
    monkeypatch.setattr("rootcall.cli.explain.explained", lambda: twice)
    code, _, err = run(capfd, "explain", "same")
    assert code == 2
    assert "a rule of several layers: selection/same, recovery/same" in err


def test_formats_lists_every_reader(capfd: CaptureFixture) -> None:
    code, out, _ = run(capfd, "formats")
    assert code == 0
    for name in ("native", "openai-chat", "anthropic-messages", "tau-bench", "bfcl-multi-turn"):
        assert f"\n{name} " in f"\n{out}"


def test_formats_tells_about_one(capfd: CaptureFixture) -> None:
    code, out, _ = run(capfd, "formats", "tau-bench")
    assert code == 0
    assert "recognised by       rows with traj and reward" in out
    assert "has no place for    the tool schemas (give them with --tools)" in out
    assert "nothing that rootcall asks for" in run(capfd, "formats", "native")[1]
    code, _, err = run(capfd, "formats", "nativ")
    assert code == 2
    assert "no format is called 'nativ'" in err


def test_the_demo_shows_the_pair_real_runs_and_what_to_try_next(
    capfd: CaptureFixture, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bundled)
    code, out, err = run(capfd, "demo")
    assert (code, err) == (0, "")
    assert "flight  FAIL  root cause: arguments" in out
    assert "recovered  PASS" in out
    assert "12 traces" in out
    assert "rootcall show flight.jsonl flight\n" in out


def test_a_policy_is_used(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("- {tool: search_flights, at_most: 0, says: Never search}\n")
    code, out, _ = run(capfd, "show", flight, "clean", "--policy", tmp_path / "p.yaml")
    assert code == 0
    assert "Never search (p.yaml:1): search_flights is never right here" in " ".join(out.split())
