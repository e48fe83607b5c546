"""A run on disk: a folder with a manifest and numbered parts, written while scoring and read back one trace at a time.

    RUN/manifest.json              schema version, rootcall version, config, inputs, tool-schema hashes, counts, problems
    RUN/traces/part-00000.jsonl    one trace a line: the record itself, so that every place still points where it did
    RUN/verdicts/part-00000.jsonl  one verdict a line, without its checks
    RUN/checks/part-00000.jsonl    one check a line, with the id and the number of its trace

Line n of the traces and line n of the verdicts belong together. The three folders are tables that other programs can
read; a change that would break them raises `SCHEMA_VERSION`. What the lines say together is `rootcall.summary`'s.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from rootcall.check import Check
from rootcall.config import Config
from rootcall.diagnosis import Finding, LayerScore, Verdict
from rootcall.errors import InputError, UsageError
from rootcall.jsonline import encode_line
from rootcall.jsonvalue import MISSING
from rootcall.trace import Completeness, Message, Problem, Source, Step, Tool, ToolsKnown, Trace, Turn

__all__ = ["SCHEMA_VERSION", "RunWriter", "is_run", "read_manifest", "read_pairs", "tool_hashes"]

SCHEMA_VERSION: Final = 1
PART_SIZE: Final = 10_000
TABLES: Final = ("traces", "verdicts", "checks")


class _StoredTrace(msgspec.Struct):
    """A trace without its repetitions: steps and turns name messages by their position."""

    id: str
    messages: list[Message]
    steps: list[tuple[int, int, int | Message]]
    turns: list[tuple[int, int | None, list[int]]]
    tools: list[Tool]
    tools_known: ToolsKnown
    metadata: dict[str, Any]
    completeness: Completeness
    problems: list[Problem]
    format: str
    source: Source


class _StoredVerdict(msgspec.Struct):
    trace: str
    case: str | None
    status: Any
    layers: dict[str, LayerScore]
    root_cause: Finding | None
    also: tuple[Finding, ...]
    contributing: tuple[Finding, ...]
    recovered: tuple[Finding, ...]
    number: int = 0
    calls: int = 0


class _StoredCheck(msgspec.Struct):
    trace: str
    number: int
    check: Check


def _store_trace(trace: Trace) -> _StoredTrace:
    position = {id(m): i for i, m in enumerate(trace.messages)}
    by_step = {s.index: i for i, s in enumerate(trace.steps)}
    return _StoredTrace(
        id=trace.id,
        messages=list(trace.messages),
        steps=[(s.index, s.turn, position.get(id(s.message), s.message)) for s in trace.steps],
        turns=[
            (t.index, None if t.user is None else position[id(t.user)], [by_step[s.index] for s in t.steps])
            for t in trace.turns
        ],
        tools=[t if t.validator is MISSING else msgspec.structs.replace(t, validator=MISSING) for t in trace.tools],
        tools_known=trace.tools_known,
        metadata=dict(trace.metadata),
        completeness=trace.completeness,
        problems=list(trace.problems),
        format=trace.format,
        source=trace.source,
    )


def _load_trace(stored: _StoredTrace) -> Trace:
    messages = tuple(stored.messages)
    steps = tuple(Step(i, turn, messages[m] if isinstance(m, int) else m) for i, turn, m in stored.steps)
    turns = tuple(
        Turn(i, None if user is None else messages[user], tuple(steps[s] for s in of)) for i, user, of in stored.turns
    )
    return Trace(
        id=stored.id,
        messages=messages,
        steps=steps,
        turns=turns,
        tools=tuple(stored.tools),
        tools_known=stored.tools_known,
        metadata=stored.metadata,
        completeness=stored.completeness,
        problems=tuple(stored.problems),
        format=stored.format,
        source=stored.source,
    )


def tool_hashes(tools: Mapping[str, Tool]) -> dict[str, str]:
    """Return sha256 of each tool's description, schema and hints, so that a changed tool shows between two runs."""
    return {
        name: hashlib.sha256(
            json.dumps([t.description, t.schema, dict(t.hints)], sort_keys=True, default=str).encode()
        ).hexdigest()
        for name, t in sorted(tools.items())
    }


class RunWriter:
    """Writes a run while it is made. A context manager; without `finish` the folder has no manifest and is no run.

    Raises:
        UsageError: the folder exists, is not empty and holds no run of ours; nothing is touched then.
    """

    def __init__(self, folder: Path, *, part_size: int = PART_SIZE) -> None:
        self._folder, self._part_size, self._number = folder, part_size, 0
        self._files: dict[str, IO[bytes]] = {}
        self._tools: dict[str, Tool] = {}
        _make_room(folder)

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, trace: Trace, verdict: Verdict) -> None:
        """Append one trace with its verdict and checks."""
        if self._number % self._part_size == 0:
            self._next_part(self._number // self._part_size)
        record = verdict.to_dict()
        checks = record.pop("checks")
        record |= {"number": self._number, "calls": verdict.calls}
        self._write("traces", _store_trace(trace))
        self._write("verdicts", record)
        for check in checks:
            self._write("checks", {"trace": verdict.trace, "number": self._number, "check": check})
        self._tools |= {t.name: t for t in trace.tools}
        self._number += 1

    def finish(self, version: str, config: Config, inputs: list[str], counts: Mapping[str, Any]) -> None:
        """Write the manifest: the run is complete then. `counts` is the run's own `to_dict()`."""
        manifest = {
            "schema_version": SCHEMA_VERSION,
            "rootcall": version,
            "config": msgspec.to_builtins(config),
            "inputs": inputs,
            "tools": tool_hashes(self._tools),
            "summary": counts,
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
        (self._folder / "manifest.json").write_text(text + "\n", "utf-8")

    def _next_part(self, part: int) -> None:
        self.__exit__()
        self._files = {t: (self._folder / t / f"part-{part:05}.jsonl").open("wb") for t in TABLES}

    def _write(self, table: str, record: object) -> None:
        self._files[table].write(encode_line(record))


def _make_room(folder: Path) -> None:
    """Create the tables' folders. An old run of ours is replaced; anything else that is there is left alone."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: this is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()):
        if not is_run(folder):
            raise UsageError(f"--out {folder}: the folder is not empty and holds no run; name another one")
        read_manifest(folder)
        (folder / "manifest.json").unlink()
        for table in TABLES:
            for part in (folder / table).glob("part-*.jsonl"):
                part.unlink()
    try:
        for table in TABLES:
            (folder / table).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {folder}: cannot be written: {error.strerror}") from None


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds a finished run and nothing else; one that cannot be read is none."""
    try:
        return (folder / "manifest.json").is_file() and not {p.name for p in folder.iterdir()} - {
            *TABLES,
            "manifest.json",
        }
    except OSError:
        return False


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a run.

    Raises:
        InputError: there is none, it cannot be read, or it comes from a newer rootcall.
    """
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder}: no run here (manifest.json is missing); `rootcall score … --out` makes one"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    version = manifest.get("schema_version") if isinstance(manifest, dict) else None
    if not isinstance(version, int):
        raise InputError(f"{path}: this is not the manifest of a run (schema_version is missing)")
    if version > SCHEMA_VERSION:
        raise InputError(f"{path}: schema version {version}, this rootcall reads up to {SCHEMA_VERSION}; update it")
    return manifest  # type: ignore[no-any-return]


def read_pairs(folder: Path) -> Iterator[tuple[Trace, Verdict]]:
    """Yield the traces of a run with their verdicts, in the order in which they were scored.

    Raises:
        InputError: a part is damaged, with file and line, or lines are missing.
    """
    checks = _lines(folder, "checks", _StoredCheck)
    ahead = next(checks, None)
    traces = _lines(folder, "traces", _StoredTrace)
    for stored, v in zip_longest(traces, _lines(folder, "verdicts", _StoredVerdict)):
        if stored is None or v is None:
            raise InputError(f"{folder}: damaged: traces and verdicts differ in length")
        own: list[Check] = []
        while ahead is not None and ahead.number == v.number:
            own.append(ahead.check)
            ahead = next(checks, None)
        trace = _load_trace(stored)
        yield (
            trace,
            Verdict(
                trace=v.trace, case=v.case, status=v.status, layers=v.layers, root_cause=v.root_cause, also=v.also,
                contributing=v.contributing, recovered=v.recovered, checks=tuple(own), calls=v.calls,
                metadata=trace.metadata, source=trace.source,
            ),
        )  # fmt: skip


def _lines(folder: Path, table: str, kind: type[Any]) -> Iterator[Any]:
    decode = msgspec.json.Decoder(kind).decode
    for part in sorted((folder / table).glob("part-*.jsonl")):
        with part.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield decode(line)
                except msgspec.DecodeError as error:
                    raise InputError(f"{part}:{number}: damaged: {error}") from None
