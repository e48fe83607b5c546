"""Is each trace file read as what it is: its format, traces, calls, results, errors and final answers?

    python benchmarks/formats.py FOLDER [--table FILE] [--bar]

FOLDER holds trace files of many formats, in folders or not. Each is read by its content alone, or refused with its name.
The table, counted by hand by someone who had not seen the readers, says what should come out: `file`, `format` (empty: refused), `traces`, `calls`, `results`, `errors`,
`answered`, tab-separated, and a `note`. A trace is answered where its last response is a text without calls. A file that the table does not know is read and not judged. Every file that is read
is also cut at fifty places (seeded) and read again: nothing may be raised but what a user is told, and calls in
must be calls kept and calls set aside. Beside it stands reading speed, with json.loads of the same bytes alone.

`wrong` counts files that came out otherwise than the table says. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from rootcall.errors import InputError
from rootcall.readers import Reading, read
from rootcall.trace import Trace

TABLE = Path(__file__).parent / "formats.tsv"
CUTS = 50
COUNTS = ("traces", "calls", "results", "errors", "answered")


class Found(NamedTuple):
    """What came out of a file; no format where it was refused, and then why."""

    format: str
    counts: tuple[int, ...]
    said: str = ""


def found_in(file: Path) -> Found:
    try:
        traces = list(read(file))
    except InputError as error:
        return Found("", (0,) * len(COUNTS), str(error).removeprefix(f"{file}: "))
    formats = sorted({t.format for t in traces})
    return Found(" ".join(formats), tuple(sum(column) for column in zip(*map(counted, traces), strict=True)))


def counted(trace: Trace) -> tuple[int, ...]:
    results = [c for c in trace.calls if c.result is not None]
    answered = trace.steps and not trace.steps[-1].calls and trace.steps[-1].message.text
    return 1, len(trace.calls), len(results), sum(c.error is not None for c in results), int(bool(answered))


def wanted(table: Path) -> dict[str, Found]:
    with table.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {r["file"]: Found(r["format"], tuple(int(r[c] or 0) for c in COUNTS)) for r in rows}


def cut(file: Path, folder: Path, seed: int) -> list[str]:
    """Read a file cut at fifty places; returns what went wrong."""
    data, wrong = file.read_bytes(), []
    target = folder / f"cut{file.suffix}"
    for at in random.Random(f"{seed} {file.name}").sample(range(1, max(len(data), CUTS + 1)), CUTS):
        target.write_bytes(data[:at])
        try:
            reading = read(target)
            traces = list(reading)
        except InputError:
            continue  # named, in one line
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is the finding
            wrong.append(f"{file.name} cut at {at}: {type(error).__name__}: {error}")
            continue
        wrong += [f"{file.name} cut at {at}: {what}" for what in amiss(reading, traces)]
    return wrong


def amiss(reading: Reading, traces: list[Trace]) -> list[str]:
    kept = sum(len(t.calls) for t in traces)
    lost = sum(p.lost for t in traces for p in t.problems) + sum(p.lost for p in reading.problems)
    out = [] if reading.calls_in == kept + lost else [f"{reading.calls_in} calls in, {kept} kept, {lost} set aside"]
    return [*out, *(["a reader failed"] if "reader-failed" in reading.counts else [])]


def speed(files: list[tuple[str, Path]]) -> list[tuple[str, float, float]]:
    """Megabytes a second of each format, of its largest file, by rootcall and by json.loads alone; best of five."""
    largest: dict[str, Path] = {}
    for name, file in files:
        if name not in largest or file.stat().st_size > largest[name].stat().st_size:
            largest[name] = file
    return [(name, rate(file, read_all), rate(file, decode)) for name, file in sorted(largest.items())]


def rate(file: Path, job: object) -> float:
    assert callable(job)
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        job(file)
        best = min(best, time.perf_counter() - began)
    return file.stat().st_size / best / 1e6


def read_all(file: Path) -> None:
    for _ in read(file):
        pass


def decode(file: Path) -> None:
    text = file.read_text("utf-8", "replace")
    try:
        json.loads(text)
    except ValueError:
        for line in text.splitlines():
            try:
                json.loads(line.removeprefix("data: "))
            except ValueError:
                continue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--seed", type=int, default=0, help="of the places where files are cut")
    parser.add_argument(
        "--bar", action="store_true", help="fail when a file comes out wrong, or a cut one is not borne"
    )
    options = parser.parse_args()
    table = wanted(options.table)
    files = sorted(f for f in options.folder.rglob("*") if f.is_file() and f.name != "INDEX.tsv")
    wrong, damaged, refused, unknown = [], [], 0, 0
    kept: list[tuple[str, Path]] = []
    print(f"{'file':62} {'format':20} " + " ".join(f"{c:>8}" for c in COUNTS))
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            name = file.relative_to(options.folder).as_posix()
            found, should = found_in(file), table.get(name)
            unknown += should is None
            good = should is None or (found.format, found.counts) == (should.format, should.counts)
            mark = "" if good else f"  WRONG, wanted {should.format or 'refused'} {' '.join(map(str, should.counts))}"  # type: ignore[union-attr]
            if found.format:
                kept.append((found.format, file))
                damaged += cut(file, Path(folder), options.seed)
                print(f"{name:62.62} {found.format:20} " + " ".join(f"{c:8}" for c in found.counts) + mark)
            else:
                refused += 1
                print(f"{name:62.62} refused: {found.said.partition('; supported')[0][:90]}{mark}")
            wrong += [] if good else [name]
    print("\n".join(["", *damaged]) if damaged else "")
    print(f"{'format':20} {'MB/s':>8} {'json.loads':>11} {'ratio':>7}")
    for name, ours, theirs in speed(kept):
        print(f"{name:20} {ours:8.1f} {theirs:11.1f} {ours / theirs:7.2f}")
    figures = {"files": len(files), "read": len(kept), "refused": refused, "wrong": len(wrong), "not_in_table": unknown,
               "cuts": CUTS * len(kept), "cuts_not_borne": len(damaged)}  # fmt: skip
    print(json.dumps(figures))
    return int(options.bar and bool(wrong or damaged))


if __name__ == "__main__":
    sys.exit(main())
