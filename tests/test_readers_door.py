"""The door: which files are read, with which reader and tools, and what the account says afterwards."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import zstandard

from rootcall.errors import EmptyInputError, InputError, UnknownFormatError, UsageError
from rootcall.readers import Head, Limits, Reader, Reading, Stream, all_readers, read, registry
from rootcall.tools import load_tools
from rootcall.trace import Tool, Trace

TRACES = Path(__file__).parent / "data" / "traces"
ROW = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}
CALL = {
    "messages": [
        {"role": "user", "content": "now"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
    ]
}


def line(value: Any) -> str:
    return json.dumps(value) + "\n"


def test_files_folders_and_patterns_are_read_in_order_and_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.jsonl").write_text(line(ROW))
    (tmp_path / "a.json").write_text(json.dumps(ROW))
    (tmp_path / "sub" / "c.ndjson").write_text(line(ROW))
    (tmp_path / "notes.txt").write_text("not read from a folder")
    assert [t.id for t in read(tmp_path)] == ["a", "b", "c"]
    assert [t.id for t in read([tmp_path / "b.jsonl", str(tmp_path), tmp_path / "b.jsonl"])] == ["b", "a", "c"]
    assert [t.id for t in read(str(tmp_path / "**" / "*.ndjson"))] == ["c"]


def test_files_with_other_endings_are_read_by_what_they_hold_and_the_rest_is_counted(tmp_path: Path) -> None:
    for name in ("agent.log", "c.jsonl.1", "no-ending", "b.JSONL"):
        (tmp_path / name).write_text(line(ROW))
    (tmp_path / "z.zstd").write_bytes(zstandard.compress(line(ROW).encode()))
    (tmp_path / "u.log").write_bytes(line(ROW).encode("utf-16"))
    (tmp_path / "notes.md").write_text("# notes")
    (tmp_path / "table.csv").write_text("a,b")
    (tmp_path / "other.csv").write_text("[section]")
    (tmp_path / "tables.toml").write_text("[[package]]\nname = 1")
    (tmp_path / "list.txt").write_text(json.dumps([ROW["messages"]]))
    (tmp_path / ".hidden").write_text("nothing of a trace")
    (tmp_path / "settings.cfg").write_text('{"editor": "vi"}')
    reading = read(tmp_path)
    assert sorted(t.source.file.rpartition("/")[2] for t in reading) == [
        "agent.log", "b.JSONL", "c.jsonl.1", "list.txt", "no-ending", "u.log", "z.zstd",
    ]  # fmt: skip
    assert [p.code for p in reading.problems] == ["files-left-out"] * 2
    assert reading.problems[0].message == (
        "4 files with other endings do not begin as JSON, plain, gzip or zstd, and are left out (.csv 2, .md 1, .toml 1)"
    )
    assert reading.problems[1].source.file.endswith("settings.cfg")
    assert reading.set_aside == 0


def test_a_folder_without_traces_says_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# notes")
    with pytest.raises(
        InputError, match=r"the folder holds no trace file \(.*\); 1 file with another ending .* \(.md 1\)"
    ):
        read(tmp_path)


def test_links_are_followed_and_each_real_file_is_read_once(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.jsonl").write_text(line(ROW))
    (runs / "a.jsonl").write_text(line(ROW))
    (runs / "same.jsonl").hardlink_to(runs / "a.jsonl")
    for name, target in (
        ("self", "."),
        ("up", ".."),
        ("far", "../elsewhere"),
        ("gone", "nowhere"),
        ("x", "y"),
        ("y", "x"),
    ):
        (runs / name).symlink_to(target)
    for paths in (
        runs,
        str(runs / "**" / "*.jsonl"),
        str(runs / "**"),
        [runs, runs / "far", runs / "self" / "a.jsonl"],
    ):
        assert sorted(t.id for t in read(paths)) == ["a", "b"], paths
    assert [t.id for t in read([runs / ".." / "runs" / "a.jsonl", runs / "a.jsonl"])] == ["a"]


def test_patterns_pick_as_a_shell_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/x.jsonl", "a/.h.jsonl", "b/x.jsonl", "b/deep/er/y.jsonl", ".c/z.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(line(ROW))
    monkeypatch.chdir(tmp_path)

    def picked(pattern: str) -> list[str]:
        return [t.source.file for t in read(pattern)]

    assert picked("*/x.jsonl") == ["a/x.jsonl", "b/x.jsonl"]
    assert picked("[ab]/?.jsonl") == ["a/x.jsonl", "b/x.jsonl"]
    assert picked("**/*.jsonl") == ["a/x.jsonl", "b/deep/er/y.jsonl", "b/x.jsonl"]
    assert picked("b/**/er/*") == ["b/deep/er/y.jsonl"]
    assert picked(".c/*") == [".c/z.jsonl"]
    assert picked("a/.*.jsonl") == ["a/.h.jsonl"]
    with pytest.raises(InputError, match="no file matches"):
        read("nowhere/**/*.jsonl")


def test_a_folder_that_cannot_be_read_is_a_problem_and_an_error_when_it_is_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.jsonl").write_text(line(ROW))
    scan = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    for paths in (tmp_path, str(tmp_path / "**" / "*.jsonl")):
        reading = read(paths)
        assert [t.id for t in reading] == ["a"]
        assert [(p.code, p.source.file) for p in reading.problems] == [("unreadable-folder", str(tmp_path / "shut"))]
        assert reading.set_aside == 1
    for path in (tmp_path / "shut", str(tmp_path / "shut" / "*.jsonl")):
        with pytest.raises(InputError, match="shut: the folder cannot be read: Permission denied"):
            read(path)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line(ROW).encode())))
    reading = read("-")
    (trace,) = reading
    assert trace.id == "stdin"
    assert trace.source.file == "<stdin>"
    assert reading.bytes_total is None
    assert reading.bytes_read == len(line(ROW))


@pytest.mark.parametrize("name", ["plain.jsonl", "wrong-name.gz", "no-name"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
def test_compression_is_told_from_content_not_from_the_name(tmp_path: Path, name: str, pack: Any) -> None:
    file = tmp_path / name
    file.write_bytes(pack(line(ROW).encode() * 3))
    reading = read(file)
    assert len(list(reading)) == 3
    assert reading.bytes_read == reading.bytes_total == file.stat().st_size


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere.jsonl", "no such file"),
        ("*.nothing", "no file matches"),
        ("a\0b", "no such file"),
        (".", "no trace"),
    ],
)
def test_a_path_that_leads_nowhere_is_one_clear_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=said) as raised:
        read(path)
    assert "\n" not in str(raised.value)


def test_no_path_is_an_error() -> None:
    with pytest.raises(InputError, match="no file is given"):
        read([])


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text(" \n\n")
    with pytest.raises(EmptyInputError, match="is empty"):
        list(read(tmp_path / "empty.jsonl"))


def test_an_empty_file_among_others_is_set_aside_and_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "b.json").write_text(" [\n] ")
    (tmp_path / "c.json").write_text(json.dumps(ROW))
    reading = read(sorted(tmp_path.iterdir()))
    assert len(list(reading)) == 1
    assert [(p.code, Path(p.source.file).name) for p in reading.problems] == [
        ("unusable-file", "a.jsonl"), ("unusable-file", "b.json"),
    ]  # fmt: skip


def test_an_unreadable_file_is_an_error_when_named_and_a_problem_when_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROW))
    (tmp_path / "b.json").write_text(json.dumps(ROW))
    opened = Path.open

    def refuse(self: Path, *args: Any, **options: Any) -> Any:
        if self.name == "a.json":
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **options)

    monkeypatch.setattr(Path, "open", refuse)
    reading = read(tmp_path)
    assert [t.id for t in reading] == ["b"]
    assert [p.code for p in reading.problems] == ["unusable-file"]
    with pytest.raises(InputError, match="Permission denied"):
        list(read(tmp_path / "a.json"))


def test_an_unknown_file_names_what_was_seen_and_what_is_supported(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"alpha": 1, "beta": [2]}')
    with pytest.raises(UnknownFormatError) as raised:
        list(read(tmp_path / "x.json"))
    for word in ("x.json", "an object with the keys alpha, beta", "native", "tau-bench", "openai-chat", "anthropic"):
        assert word in str(raised.value)


def test_a_folder_with_an_unknown_file_reads_the_others_and_names_it(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(line(ROW))
    (tmp_path / "tools.json").write_text('[{"name": "f"}]')
    reading = read(tmp_path)
    assert len(list(reading)) == 1
    assert [(p.code, p.source.file) for p in reading.problems] == [("unknown-format", str(tmp_path / "tools.json"))]
    assert reading.set_aside == 1


def test_a_folder_of_unknown_files_only_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"name": "f"}]')
    with pytest.raises(UnknownFormatError, match=r"tools\.json"):
        list(read(tmp_path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('data: {"a": 1}\n\ndata: [DONE]\n', "server-sent event stream"),
        ('{"resourceSpans": []}', "OTLP"),
        ('{"tasks": [], "simulations": []}', "tau2-bench"),
        ('{"timestamp": "2026", "info": {}, "tasks": []}', "tau2-bench results without their simulations"),
        ('{"span_tree": []}', "a tree of Braintrust spans"),
        ('{"raw": "x", "tasks_output": []}', "the output of a CrewAI crew"),
        ('[{"task": "x", "task_images": null}]', "the memory of a smolagents agent"),
        ('{"history": [], "mistake_agent": "x"}', "a row of Who&When"),
        ('[{"query": "x", "expected_tool_use": []}]', "a Google ADK eval set of the older kind"),
        ('{"events": [], "current_agent_name": "x"}', "a Google ADK session of the older kind"),
        ('{"messages": [{"role": "user", "content": [{"type": "text", "value": "x"}]}]}', "LLaMA-Factory"),
        ("[[]]", "an array of a list of 0"),
        ("{}", "an object without keys"),
        ('[["a"]]', "first a text"),
        ("true", "a boolean"),
        ("3", "a number"),
        ("plain words", "text that is no JSON, beginning 'plain words'"),
        ("PK\x03\x04zip", "a zip archive"),
        ("PAR1data", "a Parquet file"),
    ],
)
def test_what_is_no_trace_is_called_by_its_name(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "x").write_text(content)
    with pytest.raises(UnknownFormatError, match=said):
        list(read(tmp_path / "x"))


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_archive_is_called_by_its_name(tmp_path: Path, mode: str) -> None:
    (tmp_path / "x.jsonl").write_text(line(ROW))
    with tarfile.open(tmp_path / "x.archive", mode) as archive:  # type: ignore[call-overload]
        archive.add(tmp_path / "x.jsonl", "x.jsonl")
    with pytest.raises(UnknownFormatError, match="a tar archive; unpack it first"):
        list(read(tmp_path / "x.archive"))


@pytest.mark.parametrize(
    ("name", "said"),
    [("tau_fewshot_display.jsonl", "few-shot rows")],
)
def test_real_files_that_hold_no_trace_are_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(UnknownFormatError, match=said):
        list(read(TRACES / name))


def test_damaged_json_is_a_problem_and_no_unknown_format(tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text(json.dumps(CALL, indent=1)[:-30])
    reading = read(tmp_path / "cut.json")
    assert list(reading) == []
    assert [p.code for p in reading.problems] == ["not-json"]
    assert reading.calls_in == reading.calls_lost == 1


def test_an_empty_array_holds_no_trace(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    for form in ("auto", "native"):
        with pytest.raises(EmptyInputError, match="an array without elements"):
            list(read(tmp_path / "x.json", format=form))


def test_a_named_format_is_used_and_misfits_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(line(ROW) + line({"no": "messages"}))
    reading = read(tmp_path / "x.jsonl", format="anthropic-messages")
    assert [t.format for t in reading] == ["anthropic-messages"]
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 2)]
    with pytest.raises(UsageError, match="no format is called 'openai'; there are native"):
        read(tmp_path / "x.jsonl", format="openai")


def test_calls_in_are_calls_kept_plus_calls_set_aside(tmp_path: Path) -> None:
    nan = line(CALL).replace('"now"', "NaN")
    foreign = line({"messages": [*CALL["messages"], {"role": "user", "parts": []}]})
    unnamed = line({"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]})
    (tmp_path / "x.jsonl").write_text(line(CALL) + nan + foreign + unnamed + line(CALL)[:-10] + "\n" + line(CALL))
    reading = read(tmp_path / "x.jsonl")
    kept = sum(len(t.calls) for t in reading)
    assert (kept, reading.calls_kept, reading.calls_lost, reading.calls_in) == (2, 2, 4, 6)
    assert [(p.code, p.source.line, p.lost) for p in reading.problems] == [
        ("not-a-number", 2, 1),
        ("unknown-shape", 3, 1),
        ("not-json", 5, 1),
    ]
    assert reading.set_aside == 3


@pytest.mark.parametrize(
    ("first", "second", "kept", "lost", "other"),
    [
        ("claude_code_session.jsonl", "codex_exec_events.jsonl", 3, 2, "codex"),
        ("codex_exec_events.jsonl", "claude_code_session.jsonl", 2, 3, "claude-code"),
    ],
)
def test_a_file_of_two_formats_is_read_as_the_first_and_the_calls_of_the_other_are_set_aside(
    tmp_path: Path, first: str, second: str, kept: int, lost: int, other: str
) -> None:
    file = tmp_path / "both.jsonl"
    begun = (TRACES / first).read_text().rstrip("\n") + "\n"
    file.write_text(begun + (TRACES / second).read_text())
    reading = read(file)
    assert sum(len(t.calls) for t in reading) == kept
    (problem,) = reading.problems
    assert (problem.code, problem.lost, problem.source.line) == ("foreign-lines", lost, begun.count("\n") + 1)
    assert f"are of the format {other}" in problem.message
    assert (reading.set_aside, reading.calls_in) == (1, kept + lost)


def test_lines_of_no_format_among_those_of_a_session_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "both.jsonl"
    odd = {"type": "x", "tool_calls": [{}, {}]}
    file.write_text((TRACES / "codex_exec_events.jsonl").read_text().rstrip("\n") + "\n" + line(odd))
    reading = read(file)
    assert len(list(reading)) == 1
    assert [(p.code, p.lost) for p in reading.problems] == [("foreign-lines", 2)]
    assert "from here on 1 line is of another format" in reading.problems[0].message


def test_notes_do_not_count_as_set_aside(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": "a", "id": "b", "messages": [{"role": "user", "content": "\\ud800"}]}\n')
    reading = read(tmp_path / "x.jsonl")
    (trace,) = reading
    assert trace.id == "b"
    assert trace.messages[0].text == "�"
    assert [p.code for p in reading.problems] == ["duplicate-keys", "lone-surrogate"]
    assert reading.set_aside == 0


def test_many_problems_are_counted_and_not_all_kept(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(line(ROW) + "{]\n" * 10_050)
    reading = read(tmp_path / "x.jsonl")
    assert len(list(reading)) == 1
    assert len(reading.problems) == 10_000
    assert reading.counts == {"not-json": 10_050}
    assert reading.set_aside == 10_050


def test_side_tools_fill_in_only_where_a_trace_declares_none(tmp_path: Path) -> None:
    own = {**CALL, "tools": [{"type": "function", "function": {"name": "own", "parameters": {}}}]}
    (tmp_path / "x.jsonl").write_text(line(CALL) + line(own) + line({**CALL, "tools": []}))
    (tmp_path / "tools.json").write_text('[{"name": "f", "input_schema": {"type": "object"}}]')
    without, declared, none = read(tmp_path / "x.jsonl", tools=tmp_path / "tools.json")
    assert (without.tools_known, [t.name for t in without.tools]) == ("side_file", ["f"])
    assert without.completeness.tools == "full"
    assert (declared.tools_known, [t.name for t in declared.tools]) == ("declared", ["own"])
    assert (none.tools_known, none.tools) == ("declared", ())
    given = next(read(tmp_path / "x.jsonl", tools=[Tool("g")]))
    assert (given.tools_known, [t.name for t in given.tools]) == ("side_file", ["g"])


def test_side_tools_name_the_argument_an_error_speaks_of(tmp_path: Path) -> None:
    messages = [*CALL["messages"], {"role": "tool", "tool_call_id": "1", "content": "Error: day is required"}]
    (tmp_path / "x.jsonl").write_text(line({"messages": messages}))
    tools = [{"name": "f", "inputSchema": {"type": "object", "properties": {"day": {}}}}]
    (tmp_path / "tools.json").write_text(json.dumps({"jsonrpc": "2.0", "result": {"tools": tools}}))
    (trace,) = read(tmp_path / "x.jsonl", tools=str(tmp_path / "tools.json"))
    assert trace.calls[0].error is not None
    assert trace.calls[0].error.fields == ("day",)


def test_tools_are_loaded_in_every_shape(tmp_path: Path) -> None:
    assert len(load_tools(TRACES / "tools_airline.json")) == 14
    rows = tmp_path / "tools.jsonl"
    rows.write_text('{"name": "a", "input_schema": {}}\n{"name": "b", "inputSchema": {"type": "object"}}\n')
    assert [t.name for t in load_tools(rows)] == ["a", "b"]
    rows.write_text('{"name": "only", "input_schema": {}}')
    assert [t.name for t in load_tools(rows)] == ["only"]
    rows.write_text('{"tools": [{"name": "a"}, {"name": "a", "description": "twice"}]}')
    assert [t.description for t in load_tools(rows)] == ["twice"]
    (tmp_path / "t.jsonl").write_text(line(ROW))
    reading = read(tmp_path / "t.jsonl", tools=rows)
    assert [p.code for p in reading.problems] == ["tool-twice"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file"),
        ("{}", "holds no tool specs"),
        ("nonsense", "holds no tool specs: not JSON"),
        ("[]", "holds no tool specs"),
        ('[{"name": "a"}, {"description": "b"}]', r"tools\[1\] has no name"),
    ],
)
def test_a_file_that_holds_no_tools_is_an_error(tmp_path: Path, content: str | None, said: str) -> None:
    file = tmp_path / "tools.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=said):
        load_tools(file)


def test_importing_the_door_loads_nothing_heavy() -> None:
    code = "import rootcall.readers, sys; print([m for m in ('zstandard', 'importlib.metadata') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_our_format_by_name_lists_no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_others", lambda: pytest.fail("entry points were listed"))
    assert len(list(Reading(TRACES / "flight.jsonl", format="native"))) == 5
    assert len(list(read(TRACES / "tau_airline.jsonl"))) == 6, "tau-bench is certain, so auto does not look further"


def _entry_points(monkeypatch: pytest.MonkeyPatch, **found: Any) -> None:
    ours = EntryPoint("native", "rootcall.readers.native:READER", registry.GROUP)
    points = [ours]
    for name, value in found.items():
        monkeypatch.setitem(sys.modules, f"other_{name}", type("Module", (), {"READER": value}))
        points.append(EntryPoint(name, f"other_{name}:READER", registry.GROUP))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    monkeypatch.setattr(registry, "_others", registry._others.__wrapped__)


def test_a_reader_of_another_package_is_used_like_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def detect(head: Head) -> float:
        return 1.0 if head.values and "acme" in head.values[0] else 0.0

    def read_all(stream: Stream) -> Any:
        for record in stream:
            yield Trace(record.value["acme"])

    _entry_points(monkeypatch, acme=Reader("acme", "Acme's own", detect, read_all))
    (tmp_path / "x.jsonl").write_text('{"acme": "one", "messages": [{"role": "user", "content": "hi"}]}\n')
    (trace,) = read(tmp_path / "x.jsonl", tools=[Tool("t")])
    assert (trace.id, trace.tools_known, trace.completeness.tools) == ("one", "side_file", "partial")
    assert next(read(tmp_path / "x.jsonl", format="acme")).id == "one"
    assert [r.name for r in all_readers()][-1] == "acme"


def test_two_readers_alike_are_named_and_none_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alike = {n: Reader(n, "", lambda _: 0.99, lambda _: iter([Trace("x")])) for n in ("acme", "apex")}
    _entry_points(monkeypatch, **alike)
    (tmp_path / "x.jsonl").write_text(line(ROW))
    with pytest.raises(UnknownFormatError, match=r"x\.jsonl: could be acme and apex alike; say which with --format"):
        list(read(tmp_path / "x.jsonl"))
    assert next(read(tmp_path / "x.jsonl", format="apex")).id == "x"
    (tmp_path / "y.jsonl").write_text(line({**CALL, "metadata": {"case_id": "1"}}))
    reading = read(tmp_path)
    with pytest.raises(UnknownFormatError, match="could be acme and apex"):
        list(reading)


def test_a_faulty_reader_is_named_and_the_other_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_all(stream: Stream) -> Any:
        yield Trace("first")
        raise KeyError("oops")

    _entry_points(monkeypatch, bad=Reader("bad", "", lambda _: 0.0, read_all))
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text(line(ROW))
    reading = read(tmp_path, format="bad")
    assert [t.id for t in reading] == ["first", "first"]
    assert reading.counts == {"reader-failed": 2}
    assert "the reader bad failed: KeyError" in reading.problems[0].message


def test_a_reader_may_say_that_a_file_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_all(stream: Stream) -> Any:
        raise InputError("no key")
        yield

    _entry_points(monkeypatch, strict=Reader("strict", "", lambda _: 0.0, read_all))
    (tmp_path / "x.jsonl").write_text(line(ROW))
    with pytest.raises(InputError, match="no key"):
        list(read(tmp_path / "x.jsonl", format="strict"))


@pytest.mark.parametrize(("value", "said"), [("no reader", "must be a Reader, got str"), (None, "cannot be imported")])
def test_a_reader_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, value: Any, said: str) -> None:
    _entry_points(monkeypatch, broken=value)
    if value is None:
        monkeypatch.delitem(sys.modules, "other_broken")
    with pytest.raises(UsageError, match=f"reader 'broken'.*{said}"):
        all_readers()


def test_limits_are_the_callers_to_choose(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(line(CALL) * 2 + line({**CALL, "padding": "x" * 5000}))
    reading = read(tmp_path / "x.jsonl", limits=Limits(line=1000))
    assert len(list(reading)) == 2
    assert [(p.code, p.source.line, p.lost) for p in reading.problems] == [("line-too-long", 3, 1)]


def test_a_file_that_gives_nothing_is_said_so_although_others_had_problems(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{bad\n" + line(ROW))
    (tmp_path / "b.json").write_text("[]")
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"")[:-4])
    (tmp_path / "d.json").write_text("")
    reading = read(tmp_path)
    assert len(list(reading)) == 1
    assert [(p.code, Path(p.source.file).name) for p in reading.problems] == [
        ("not-json", "a.jsonl"),
        ("unusable-file", "b.json"),
        ("truncated", "c.jsonl.gz"),
        ("unusable-file", "d.json"),
    ]
    assert reading.files == 4


def test_a_named_format_that_finds_no_trace_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"type": "start"}')
    with pytest.raises(InputError, match="holds no trace"):
        list(read(tmp_path / "x.json", format="codex"))


def test_a_path_that_the_system_refuses_is_an_error() -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        read("x" * 5000)
