"""`rootcall score`: reports, machine output, exit codes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rootcall.cli.common import with_progress
from rootcall.cli.main import main
from rootcall.readers import read
from rootcall.run import load_run

CaptureFixture = pytest.CaptureFixture[str]


def run(capfd: CaptureFixture, *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["score", *map(str, arguments)])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


@pytest.fixture
def flight(bundled: Path) -> Path:
    return bundled / "flight.jsonl"


def test_the_report_goes_to_stdout_and_nothing_to_stderr(capfd: CaptureFixture, flight: Path) -> None:
    code, out, err = run(capfd, flight)
    assert (code, err) == (0, "")
    assert "5 traces  3 pass  2 fail" in out
    assert "arguments · search_flights.departure_date · relative-date" in out
    assert out.splitlines()[-1] == f"Next: rootcall show {flight} flight"
    assert "\x1b" not in out
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_jsonl_to_stdout_is_one_object_a_trace_and_nothing_else(capfd: CaptureFixture, flight: Path) -> None:
    code, out, err = run(capfd, flight, "--jsonl", "-")
    assert code == 0
    objects = [json.loads(line) for line in out.splitlines()]
    assert [o["trace"] for o in objects] == ["flight", "recovered", "clean", "misread", "greeting"]
    assert "5 traces" in err
    first = objects[0]
    assert first["status"] == "fail"
    assert set(first["layers"]) == {"selection", "arguments", "utilization", "recovery", "trajectory"}
    cause = first["root_cause"]
    assert cause["layer"] == "arguments"
    assert (cause["argument"], cause["argument_class"], cause["error_code"]) == (
        "departure_date",
        "date-relative",
        "400",
    )
    assert {f["rule"] for f in first["contributing"]} == {"recovery/error-unread", "recovery/retry-loop"}
    assert objects[1]["layers"]["arguments"] == {
        "status": "pass", "score": 1.0, "scored": 3, "unscored": 0, "first_try_score": 0.0,
    }  # fmt: skip
    assert len(objects[1]["recovered"]) == 1


def test_jsonl_to_a_file_leaves_the_report_on_stdout(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    code, out, _ = run(capfd, flight, "--jsonl", tmp_path / "v.jsonl")
    assert code == 0
    assert "5 traces" in out
    assert len((tmp_path / "v.jsonl").read_text().splitlines()) == 5


def test_quiet_says_nothing(capfd: CaptureFixture, flight: Path) -> None:
    assert run(capfd, flight, "--quiet") == (0, "", "")


def test_out_writes_a_run(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    code, _, err = run(capfd, flight, "--out", tmp_path / "run")
    assert code == 0
    assert err == f"The run is in {tmp_path / 'run'}\n"
    assert load_run(tmp_path / "run").total == 5


def test_something_set_aside_is_exit_code_3_and_named(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(flight.read_text() + '{"broken\n')
    code, out, _ = run(capfd, file)
    assert code == 3
    assert "1 part of the input not read" in " ".join(out.split())
    assert "t.jsonl:6" in out.replace("\n", "").replace(" ", "")


def test_a_file_of_nothing_scorable_is_exit_code_3(capfd: CaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"messages": [{"role": "user", "content": "hi"}], "tools": []}')
    assert run(capfd, tmp_path / "t.json")[0] == 3


@pytest.mark.parametrize("content", ["", " \n\n", "[]"])
def test_an_input_without_anything_in_it_is_exit_code_3(
    capfd: CaptureFixture, tmp_path: Path, flight: Path, content: str
) -> None:
    (tmp_path / "t.jsonl").write_text(content)
    code, out, err = run(capfd, tmp_path / "t.jsonl")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "a file of traces is wanted" in err
    code, out, _ = run(capfd, flight, tmp_path / "t.jsonl")
    assert code == 3
    assert out.startswith("5 traces")


def test_a_mistake_beats_everything_that_was_set_aside(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(flight.read_text() + "{broken\n")
    (tmp_path / "poem.txt").write_text("roses are red\n")
    code, _, err = run(capfd, tmp_path / "t.jsonl", tmp_path / "poem.txt")
    assert code == 2
    assert "supported are" in err


def test_select_and_ignore_narrow_what_is_looked_at(capfd: CaptureFixture, flight: Path) -> None:
    _, out, _ = run(capfd, flight, "--select", "utilization", "--jsonl", "-", "-q")
    layers = {check["layer"] for line in out.splitlines() for check in json.loads(line)["checks"]}
    assert layers == {"utilization"}
    _, out, _ = run(capfd, flight, "--ignore", "arguments,recovery", "--jsonl", "-", "-q")
    layers = {check["layer"] for line in out.splitlines() for check in json.loads(line)["checks"]}
    assert layers.isdisjoint({"arguments", "recovery"})


def test_a_configuration_file_is_used(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('ignore = ["utilization"]\n')
    _, out, _ = run(capfd, flight, "--config", tmp_path / "c.toml", "--jsonl", "-", "-q")
    assert json.loads(out.splitlines()[3])["status"] == "pass"
    code, _, err = run(capfd, flight, "--config", tmp_path / "none.toml")
    assert code == 2
    assert "cannot be read" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ignore", "arguments/relativ-date"], "did you mean 'arguments/relative-date'?"),
        (["--format", "nativ"], "no format is called 'nativ'"),
        (["--tools", "none.json"], "none.json"),
        (["--cases", "none.jsonl"], "none.jsonl: cannot be read"),
        (["--jsonl", "/nowhere/at/all"], "--jsonl /nowhere/at/all: cannot be written"),
        (["--out", __file__], "this is a file"),
    ],
)
def test_options_that_cannot_be_meant_are_one_line(
    capfd: CaptureFixture, flight: Path, arguments: list[str], said: str
) -> None:
    code, out, err = run(capfd, flight, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_cases_are_paired_and_what_met_none_is_listed(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    cases = tmp_path / "c.yaml"
    cases.write_text(
        "- {id: hello, input: hello!, expect: {calls: []}}\n- {id: never, input: nobody says this, expect: {calls: []}}\n"
    )
    code, out, _ = run(capfd, flight, "--cases", cases)
    assert code == 0
    assert "2 cases: 1 traces matched, 4 judged without one" in out
    assert "case-none" in out
    assert "case 'never' was met by no trace" in " ".join(out.split())


def test_standard_input_is_read(capfd: CaptureFixture, flight: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(flight.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, _ = run(capfd, "-")
    assert code == 0
    assert out.splitlines()[-1].startswith("Next: rootcall explain arguments/relative-date")


def test_progress_is_shown_on_a_terminal_only(
    flight: Path, monkeypatch: pytest.MonkeyPatch, capfd: CaptureFixture
) -> None:
    with with_progress(read(flight)) as traces:
        assert len(list(traces)) == 5
    assert capfd.readouterr().err == ""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal: Any = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with with_progress(read(flight)) as traces:
        assert len(list(traces)) == 5
    assert "5 traces" in terminal.getvalue()
    with with_progress(reading := read(flight), quiet=True) as traces:
        assert traces is reading


def test_verdicts_are_never_written_over_what_is_read(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_bytes(flight.read_bytes())
    code, _, err = run(capfd, own, "--jsonl", own)
    assert (code, err) == (2, f"rootcall: --jsonl {own}: would overwrite the input {own}; name another file\n")
    assert own.read_bytes() == flight.read_bytes()


def test_nothing_is_written_over_a_file_found_in_a_folder_or_by_a_pattern(
    capfd: CaptureFixture, flight: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    own = folder / "own.jsonl"
    own.write_bytes(flight.read_bytes())
    for given in (str(folder), str(folder / "*.jsonl"), str(tmp_path / "**" / "own*")):
        code, _, err = run(capfd, given, "--jsonl", own)
        assert (code, "would overwrite the input" in err) == (2, True), given
        assert "it is read with its folder, so name a file outside of that" in err
        with pytest.raises(SystemExit) as left:
            main(["convert", given, "--out", str(own)])
        assert (left.value.code, "would overwrite the input" in capfd.readouterr().err) == (2, True), given
    code, _, err = run(capfd, tmp_path, "--out", folder)
    assert (code, f"the input {own} stands in it" in err) == (2, True)
    assert own.read_bytes() == flight.read_bytes()
    assert run(capfd, folder, "--jsonl", folder / "new.jsonl", "--quiet")[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_a_full_disk_is_one_line(flight: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [Path(sys.executable).with_name("rootcall"), "score", flight]
        done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("rootcall: the output cannot be written: No space left")
    assert len(done.stderr.splitlines()) == 1


def test_a_run_is_no_input(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    assert run(capfd, flight, "--out", tmp_path / "run", "--quiet")[0] == 0
    code, _, err = run(capfd, tmp_path / "run")
    assert (code, "a run that was scored" in err) == (2, True)


def test_a_policy_is_named_on_the_command_line_and_in_the_suggestion(capfd: CaptureFixture, bundled: Path) -> None:
    tools, policy = bundled / "tau-airline-tools.json", bundled / "tau-airline-policy.yaml"
    code, out, err = run(capfd, bundled / "tau-airline.jsonl.gz", "--tools", tools, "--policy", policy)
    assert (code, err) == (0, "")
    assert "arguments · book_reservation.nonfree_baggages · policy-bound" in out
    assert out.splitlines()[-1].endswith(f"--tools {tools} --policy {policy}")


def test_a_policy_that_cannot_be_meant_is_told_before_anything_is_read(
    capfd: CaptureFixture, flight: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text("- tool: a\n  requries: b\n- tool: c\n  at_most: 1.5\n")
    code, out, err = run(capfd, flight, "--policy", policy)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert first == f"rootcall: {policy}:1: unknown key requries; did you mean 'requires'?"
    assert second == f"rootcall: {policy}:3: at_most must be a whole number from 0, got 1.5"


def test_a_tool_that_only_the_policy_names_is_noted_and_changes_no_exit_code(
    capfd: CaptureFixture, flight: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text("- tool: search_flight\n  at_most: 9\n")
    code, out, _ = run(capfd, flight, "--policy", policy)
    assert code == 0
    assert f"{policy}:1:thepolicynames'search_flight'" in "".join(out.split())


def test_the_policy_of_the_configuration_is_used_and_the_command_line_goes_before_it(
    capfd: CaptureFixture, flight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "never.yaml").write_text("- {tool: search_flights, at_most: 0, says: Never search}\n")
    (tmp_path / "always.yaml").write_text("- {tool: search_flights, at_most: 99}\n")
    (tmp_path / "rootcall.toml").write_text('policy = "never.yaml"\n')
    assert "policy-at-most" in run(capfd, flight)[1]
    assert "policy-at-most" not in run(capfd, flight, "--policy", "always.yaml")[1]


def test_the_verdicts_are_not_written_over_the_policy(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text("- {tool: a, at_most: 1}\n")
    code, _, err = run(capfd, flight, "--policy", policy, "--jsonl", policy)
    assert code == 2
    assert "would overwrite the input" in err


def test_a_run_is_written_with_its_policy_and_read_back(capfd: CaptureFixture, flight: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text("- {tool: search_flights, at_most: 0, says: Never search}\n")
    run(capfd, flight, "--policy", policy, "--out", tmp_path / "run", "-q")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["config"]["policy"]["rules"][0]["says"] == "Never search"
    assert load_run(tmp_path / "run").traces["fail"] >= 4


@pytest.mark.parametrize(
    "option", ["--policy", "--config", "--cases", "--tools", "--mapping", "--out", "--jsonl", None]
)
def test_an_empty_name_is_refused_and_not_left_out_in_silence(
    capfd: CaptureFixture, flight: Path, option: str | None
) -> None:
    code, out, err = run(capfd, *((flight, option, "") if option else ("",)))
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert f"'{option or 'FILE...'}': the name is empty" in line


def test_an_unknown_rule_of_the_configuration_is_told_with_its_file(
    capfd: CaptureFixture, flight: Path, tmp_path: Path
) -> None:
    file = tmp_path / "rootcall.toml"
    file.write_text('[rules."recovery/retry-cup"]\ncap = 4\n', "utf-8")
    code, _, err = run(capfd, flight, "--config", file)
    told = "no rule or layer is called 'recovery/retry-cup'; did you mean 'recovery/retry-cap'?"
    assert (code, err) == (2, f"rootcall: {file}: {told}\n")
    assert run(capfd, flight, "--select", "recovery/retry-cup")[2] == f"rootcall: {told}\n"
