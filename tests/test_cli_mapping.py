"""`--mapping` on the command line, and the mapping of the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rootcall.cli.main import main

LOG = {"log": [{"who": "user", "says": "Weather?"}, {"who": "bot", "says": "Snow."}]}
MAP = "messages:\n  - {from: log, role: who, roles: {bot: assistant}, text: says}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.jsonl").write_text(json.dumps(LOG))
    (tmp_path / "map.yaml").write_text(MAP)
    return tmp_path


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    code = left.value.code
    assert code is None or isinstance(code, int)
    return code or 0


@pytest.mark.usefixtures("folder")
def test_a_file_of_ones_own_is_scored_and_shown_with_a_mapping(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("score", "runs.jsonl") == 2
    assert "is read with --mapping FILE" in capsys.readouterr().err
    assert run("score", "runs.jsonl", "--mapping", "map.yaml") == 0
    assert "1 trace" in capsys.readouterr().out
    assert run("show", "runs.jsonl", "1", "--mapping", "map.yaml") == 0
    assert "Snow." in capsys.readouterr().out


def test_the_mapping_of_the_configuration_counts_unless_a_format_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rootcall.toml").write_text('mapping = "map.yaml"\n')
    assert run("score", "runs.jsonl") == 0
    (folder / "chat.json").write_text(json.dumps([{"role": r, "content": "Hi"} for r in ("user", "assistant")]))
    assert run("score", "chat.json", "--format", "openai-chat") == 0
    capsys.readouterr()
    assert run("score", "chat.json") == 3
    assert "the mapping finds no message in it" in " ".join(capsys.readouterr().out.split())


def test_a_mistake_in_a_mapping_is_one_line_and_exit_code_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "map.yaml").write_text(MAP.replace("from", "form"))
    assert run("score", "runs.jsonl", "--mapping", "map.yaml") == 2
    assert capsys.readouterr().err.splitlines() == [
        "rootcall: map.yaml: messages[0]: no field is called 'form'; did you mean 'from'?"
    ]
    assert run("score", "runs.jsonl", "--mapping", "map.yaml", "--format", "native") == 2
    assert run("score", "runs.jsonl", "--mapping", "absent.yaml") == 2
