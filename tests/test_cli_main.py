"""The command line as a whole: help, mistakes, exit codes, streams."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rootcall import __version__
from rootcall.cli import main as main_module
from rootcall.cli.main import COMMANDS, main

Run = tuple[int, str, str]


def run(capfd: pytest.CaptureFixture[str], *arguments: str | Path) -> Run:
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


def test_the_version_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "--version") == (0, f"rootcall {__version__}\n", "")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(capfd: pytest.CaptureFixture[str], flag: str) -> None:
    code, out, err = run(capfd, flag)
    assert (code, err) == (0, "")
    for name, line in COMMANDS.items():
        assert f"{name}" in out
        assert line in out
    assert "\b" not in out
    assert "\n  rootcall demo  " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(capfd: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capfd, command, "--help")
    assert code == 0
    assert out.startswith(f"Usage: rootcall {command}")


def test_without_a_command_help_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd)
    assert (code, out) == (2, "")
    assert "Commands:" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["scroe", "x"], "no command is called 'scroe'; did you mean 'score'?"),
        (["zzz"], "no command is called 'zzz'; the commands are demo, score, show, cases, explain, formats, convert"),
        (["score"], "Missing argument 'FILE...'; see `rootcall score --help`"),
        (["score", "none.jsonl"], "none.jsonl: there is no such file or folder"),
        (["score", "--formt", "native", "x"], "--formt"),
        (["--nope"], "--nope"),
        (["show", "x"], "Missing argument 'TRACE'"),
    ],
)
def test_a_mistake_is_one_clear_line_and_exit_code_2(
    capfd: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("rootcall: ")
    assert said in err


def test_a_bug_of_ours_says_how_to_report_it(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> int:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(main_module.cli, "main", broken)
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 70  # 1 would read as a finding
    err = capfd.readouterr().err
    assert err.startswith("rootcall: this is a bug in rootcall; please report it")
    assert err.endswith("ZeroDivisionError: ours\n")


def test_the_module_is_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["rootcall", "--version"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("rootcall", run_name="__main__")
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("rootcall ")


def test_commands_are_known_by_name_without_importing_them() -> None:
    context = click.Context(main_module.cli)
    assert main_module.cli.list_commands(context) == list(COMMANDS)
    assert main_module.cli.get_command(context, "nothing") is None


def test_an_interrupt_is_no_traceback(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module.cli, "main", interrupted)
    assert run(capfd) == (130, "", "rootcall: interrupted\n")


@pytest.mark.parametrize(("options", "start"), [("--jsonl - -q", '{"trace":"'), ("", "12 traces ")])
def test_a_reader_that_has_seen_enough_is_no_traceback(bundled: Path, options: str, start: str) -> None:
    command = f'"{sys.executable}" -c "from rootcall.cli.main import main; main()" score "$1" {options} | head -c 10; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", bundled / "tau-airline.jsonl.gz"], capture_output=True, text=True, check=True
    )
    assert done.stdout == start
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="closes streams as a shell does")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ('score "$1" >&-', 0, ""),
        ('score "$1" --jsonl - -q >&-', 2, "rootcall: --jsonl -: standard output is closed; name a file\n"),
        ('convert "$1" >&-', 2, "rootcall: --out -: standard output is closed; name a file\n"),
        ("score - <&-", 2, "rootcall: <stdin>: cannot be opened: it is closed\n"),
        ("formats >&- 2>&-", 0, ""),
    ],
)
def test_a_closed_stream_is_no_traceback(bundled: Path, command: str, code: int, said: str) -> None:
    line = f'"{sys.executable}" -c "from rootcall.cli.main import main; main()" {command}'
    done = subprocess.run(
        ["bash", "-c", line, "bash", bundled / "flight.jsonl"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (code, said)


def test_a_terminal_without_utf_8_gets_no_traceback(bundled: Path) -> None:
    code = "from rootcall.cli.main import main; main()"
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, "score", bundled / "flight.jsonl"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
