"""A run on disk: what is written comes back the same, and nothing of anybody else is overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rootcall.check import Check
from rootcall.config import Config
from rootcall.diagnosis import Verdict, diagnose
from rootcall.errors import InputError, UsageError
from rootcall.runfolder import RunWriter, read_manifest, read_pairs, tool_hashes
from rootcall.trace import Tool, Trace

MakeTrace = Callable[..., Trace]
MakeCheck = Callable[..., Check]


def write(folder: Path, pairs: list[tuple[Trace, Verdict]], *, part_size: int = 10_000) -> None:
    with RunWriter(folder, part_size=part_size) as writer:
        for trace, verdict in pairs:
            writer.add(trace, verdict)
        writer.finish("1.2.3", Config(ignore=("recovery",)), ["a.jsonl"], {"not_read": 0})


@pytest.fixture
def pairs(make_trace: MakeTrace, make_check: MakeCheck) -> list[tuple[Trace, Verdict]]:
    failing = make_trace(
        "failing", ('{"status": 400, "message": "day must be a date"}', None, "plain text"), case_id="x"
    )
    checks = [
        make_check("arguments/format", "fail", argument="day", got="2026-12-01"),
        make_check("selection/missing", "pass"),
    ]
    quiet = make_trace("quiet", ())
    return [
        (failing, diagnose(failing, checks)),
        (quiet, diagnose(quiet, [])),
        (failing, diagnose(failing, checks[:1])),
    ]


def test_what_is_written_comes_back_the_same(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path / "run", pairs)
    assert list(read_pairs(tmp_path / "run")) == pairs


def test_parts_are_numbered_and_read_in_order(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs, part_size=1)
    for table in ("traces", "verdicts", "checks"):
        assert sorted(p.name for p in (tmp_path / table).iterdir()) == [f"part-0000{i}.jsonl" for i in range(3)]
    assert list(read_pairs(tmp_path)) == pairs


def test_the_manifest_says_how_the_run_was_made(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs)
    manifest = read_manifest(tmp_path)
    assert manifest["schema_version"] == 1
    assert manifest["rootcall"] == "1.2.3"
    assert manifest["config"]["ignore"] == ["recovery"]
    assert manifest["inputs"] == ["a.jsonl"]
    assert len(manifest["tools"]["search"]) == 64


def test_a_changed_schema_changes_its_hash_and_key_order_does_not() -> None:
    one = tool_hashes({"t": Tool("t", "d", {"type": "object", "required": ["a"]})})
    same = tool_hashes({"t": Tool("t", "d", {"required": ["a"], "type": "object"})})
    other = tool_hashes({"t": Tool("t", "d", {"type": "object", "required": ["b"]})})
    assert one == same != other


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("ten years")
    with pytest.raises(UsageError, match="not empty and holds no run"):
        RunWriter(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_with_foreign_files_in_it_is_left_alone(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs)
    (tmp_path / "notes.md").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        RunWriter(tmp_path)
    assert list(read_pairs(tmp_path)) == pairs


def test_somebody_elses_manifest_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "an app"}')
    with pytest.raises(InputError, match="not the manifest of a run"):
        RunWriter(tmp_path)
    assert (tmp_path / "manifest.json").exists()


def test_an_old_run_is_replaced_whole(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs, part_size=1)
    write(tmp_path, pairs[:1])
    assert list(read_pairs(tmp_path)) == pairs[:1]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(UsageError, match="this is a file"):
        RunWriter(tmp_path / "f")
    with pytest.raises(UsageError, match="cannot be written"):
        RunWriter(tmp_path / "f" / "below")


def test_a_run_that_was_cut_off_is_no_run(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    with RunWriter(tmp_path) as writer:
        writer.add(*pairs[0])
    with pytest.raises(InputError, match=r"manifest\.json is missing"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "cannot be read"), ("[]", "not the manifest"), (json.dumps({"schema_version": 99}), "schema version 99")],
)
def test_a_manifest_that_cannot_be_meant_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_manifest(tmp_path)


def test_a_damaged_line_is_named_with_file_and_line(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs)
    part = tmp_path / "traces" / "part-00000.jsonl"
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(lines[0] + b"{broken\n")
    with pytest.raises(InputError, match=r"part-00000\.jsonl:2: damaged"):
        list(read_pairs(tmp_path))


def test_a_missing_line_is_damage_too(tmp_path: Path, pairs: list[tuple[Trace, Verdict]]) -> None:
    write(tmp_path, pairs)
    part = tmp_path / "verdicts" / "part-00000.jsonl"
    part.write_bytes(part.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(InputError, match="differ in length"):
        list(read_pairs(tmp_path))
