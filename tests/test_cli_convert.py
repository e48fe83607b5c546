"""`rootcall convert`: what is written where, and what is said about what did not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rootcall.cli.main import main
from rootcall.readers import read

TRACES = Path(__file__).parent / "data" / "traces"
CaptureFixture = pytest.CaptureFixture[str]


def run(capfd: CaptureFixture, *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["convert", *map(str, arguments)])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


def test_any_format_becomes_native_lines(capfd: CaptureFixture, tmp_path: Path) -> None:
    code, out, err = run(capfd, TRACES / "tau_airline.jsonl")
    before = list(read(TRACES / "tau_airline.jsonl"))
    (tmp_path / "x.jsonl").write_text(out)
    after = list(read(tmp_path / "x.jsonl"))
    assert code == 0
    assert [t.id for t in after] == [t.id for t in before]
    assert {t.format for t in after} == {"native"}
    assert f"{len(before)} traces, {sum(len(t.calls) for t in before)} calls written as native" in err


def test_what_chat_cannot_hold_is_said(capfd: CaptureFixture, tmp_path: Path) -> None:
    out = tmp_path / "chat.jsonl"
    code, printed, err = run(capfd, TRACES / "tau_airline.jsonl", "--to", "openai-chat", "--out", out)
    assert (code, printed) == (0, "")
    assert "openai-chat has no place for: metadata (6)" in err
    assert "can be judged otherwise than what was read" in err
    assert set(json.loads(out.read_text().splitlines()[0])) == {"id", "messages"}
    assert [t.id for t in read(out)] == [t.id for t in read(TRACES / "tau_airline.jsonl")]


def test_the_mapping_of_the_configuration_is_used_as_by_score(
    capfd: CaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.jsonl").write_text(json.dumps({"log": [{"who": "user", "says": "Hi."}]}))
    Path("map.yaml").write_text("messages:\n  - {from: log, role: who, text: says}\n")
    assert run(capfd, "x.jsonl")[0] == 2
    Path("own.toml").write_text('mapping = "map.yaml"\n')
    assert run(capfd, "x.jsonl", "--config", "own.toml")[0] == 0
    Path("own.toml").rename("rootcall.toml")
    code, out, _ = run(capfd, "x.jsonl")
    assert (code, json.loads(out)["messages"]) == (0, [{"role": "user", "content": "Hi."}])
    assert run(capfd, "x.jsonl", "--format", "native")[0] == 3


def test_a_message_that_is_left_out_is_named(capfd: CaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "hi"}, {"role": "ghost", "content": "?"}]}\n'
    )
    code, _, err = run(capfd, tmp_path / "x.jsonl")
    assert code == 3
    assert "x.jsonl#/messages/1: role-unknown" in err


def test_a_run_is_no_input(capfd: CaptureFixture, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["score", str(TRACES / "flight.jsonl"), "--out", str(tmp_path / "run"), "--quiet"])
    for given, said in (
        (tmp_path / "run", "a run that was scored; convert the traces it was made from"),
        (tmp_path / "run" / "traces" / "part-00000.jsonl", "a part of a run that was scored: its traces"),
        (tmp_path / "run" / "verdicts" / "part-00000.jsonl", "a part of a run that was scored: its verdicts"),
        (tmp_path / "run" / "checks" / "part-00000.jsonl", "a part of a run that was scored: its checks"),
        (tmp_path / "run" / "manifest.json", "a part of a run that was scored: its manifest"),
    ):
        code, out, err = run(capfd, given)
        assert (code, out) == (2, ""), given
        assert said in err
    assert run(capfd, tmp_path)[0] == 2


def test_what_is_set_aside_is_named_and_the_exit_code_says_so(capfd: CaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"messages": [{"role": "user", "content": "hi"}]}\n' + "{broken\n" * 25)
    code, out, err = run(capfd, tmp_path / "x.jsonl")
    assert code == 3
    assert len(out.splitlines()) == 1
    assert "x.jsonl:2: not-json" in err
    assert "and 5 more problems" in err


def test_mistakes_are_one_line(capfd: CaptureFixture, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    for arguments, said in (
        ([file, "--out", file], f"--out {file}: would overwrite the input {file}"),
        ([file, "--out", tmp_path / "no" / "y"], "cannot be written: No such file or directory"),
        ([file, "--to", "xml"], "'xml' is not one of 'native', 'openai-chat'"),
        ([tmp_path / "gone"], "there is no such file or folder"),
    ):
        code, _, err = run(capfd, *arguments)
        assert code == 2
        assert said in err
        assert err.count("\n") == 1
