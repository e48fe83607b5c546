"""Is each trace file read as what it is: its format, traces, calls, results, errors and final answers?

    python benchmarks/formats.py FOLDER [--table FILE] [--bar] [--speed [MB]]

FOLDER holds trace files of many formats, in folders or not. Each is read by its content alone, or refused with its name.
The table, counted by hand by someone who had not seen the readers, says what should come out: `file`, `format` (empty: refused), `traces`, `calls`, `results`, `errors`,
`answered`, tab-separated, and a `note`. A trace is answered where its last response is a text without calls. A file that the table does not know is read and not judged. Every file that is read
is also cut at fifty places (seeded) and read again: nothing may be raised but what a user is told, and calls in
must be calls kept and calls set aside.

With `--speed` each format is read in large: the sample with the most calls again and again, each time with other ids, up to
so many megabytes (8), and a quarter of that. Beside it stands json.loads of the same lines alone, in the same run, and how many
times the time of the quarter the whole took for each byte: 1 says that time grows with size. Times are of the processor.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from growing import WAYS, pieces
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


class Speed(NamedTuple):
    """How fast a format is read: megabytes a second by rootcall and by json.loads, and the time of a byte against a quarter's."""

    format: str
    calls: int
    ours: float
    theirs: float
    growth: float


def speed(found: list[tuple[Found, Path]], megabytes: float, folder: Path) -> Iterator[Speed]:
    """Read each format in large. A format whose copies do not hold what they should is named on stderr."""
    for name in sorted({one[0].format for one in found}):
        samples = sorted((one for one in found if one[0].format == name), key=weight, reverse=True)
        fits = next((x for x in ((f, fitting(c, f, folder)) for c, f in samples) if x[1]), None)
        if fits is None or fits[1] is None:
            print(f"{name}: copies of its samples hold something else; not measured", file=sys.stderr)
            continue
        values, make = pieces(fits[0]), fits[1]
        calls = next(c.counts[1] for c, f in samples if f == fits[0])
        unit = len(make(values, 1).encode())
        copies = [max(1, round(share * megabytes * 1e6 / unit)) for share in (1, 0.25)]
        large, quarter = (written(make(values, n), folder) for n in copies)
        ours, theirs = seconds(read_all, large), seconds(decode, large)
        size, part = large.stat().st_size, quarter.stat().st_size
        growth = (ours / size) / (seconds(read_all, quarter) / part)
        yield Speed(name, calls * copies[0], size / ours / 1e6, size / theirs / 1e6, growth)


def fitting(wanted: Found, file: Path, folder: Path) -> Callable[[list[Any], int], str] | None:
    """The way of putting copies together in which three of them hold three times the traces and calls."""
    for make in WAYS.values():
        found = found_in(written(make(pieces(file), 3), folder))
        if found.format == wanted.format and found.counts[:2] == tuple(3 * n for n in wanted.counts[:2]):
            return make
    return None


def weight(one: tuple[Found, Path]) -> tuple[int, int]:
    """The sample with the most calls is the most telling one."""
    return one[0].counts[1], one[1].stat().st_size


def written(text: str, folder: Path) -> Path:
    file = folder / f"{len(text)}.jsonl"
    file.write_text(text, "utf-8")
    return file


def seconds(job: Callable[[Path], None], file: Path) -> float:
    """The processor time of a job, the best of three."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        job(file)
        best = min(best, time.process_time() - began)
    return best


def read_all(file: Path) -> None:
    for _ in read(file):
        pass


def decode(file: Path) -> None:
    text = file.read_text("utf-8")
    for line in text.splitlines() if text[:1] != "[" or "\n" in text else (text,):
        json.loads(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--seed", type=int, default=0, help="of the places where files are cut")
    parser.add_argument(
        "--bar", action="store_true", help="fail when a file comes out wrong, or a cut one is not borne"
    )
    parser.add_argument(
        "--speed", type=float, nargs="?", const=8.0, default=0.0, metavar="MB", help="also measure reading in large"
    )
    options = parser.parse_args()
    table = wanted(options.table)
    files = sorted(f for f in options.folder.rglob("*") if f.is_file() and f.name != "INDEX.tsv")
    wrong, damaged, refused, unknown = [], [], 0, 0
    kept: list[tuple[Found, Path]] = []
    print(f"{'file':62} {'format':20} " + " ".join(f"{c:>8}" for c in COUNTS))
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            name = file.relative_to(options.folder).as_posix()
            found, should = found_in(file), table.get(name)
            unknown += should is None
            good = should is None or (found.format, found.counts) == (should.format, should.counts)
            mark = "" if good else f"  WRONG, wanted {should.format or 'refused'} {' '.join(map(str, should.counts))}"  # type: ignore[union-attr]
            if found.format:
                kept.append((found, file))
                damaged += cut(file, Path(folder), options.seed)
                print(f"{name:62.62} {found.format:20} " + " ".join(f"{c:8}" for c in found.counts) + mark)
            else:
                refused += 1
                print(f"{name:62.62} refused: {found.said.partition('; supported')[0][:90]}{mark}")
            wrong += [] if good else [name]
    print("\n".join(["", *damaged]) if damaged else "")
    speeds = []
    if options.speed:
        print(f"{'format':20} {'calls':>8} {'MB/s':>8} {'json.loads':>11} {'ratio':>7} {'growth':>7}")
        with tempfile.TemporaryDirectory() as folder:
            for row in speed(kept, options.speed, Path(folder)):
                speeds.append(row)
                numbers = f"{row.ours:8.1f} {row.theirs:11.1f} {row.ours / row.theirs:7.3f} {row.growth:7.2f}"
                print(f"{row.format:20} {row.calls:8,} {numbers}", flush=True)
    figures: dict[str, Any] = {"files": len(files), "read": len(kept), "refused": refused, "wrong": len(wrong), "not_in_table": unknown,
               "cuts": CUTS * len(kept), "cuts_not_borne": len(damaged)}  # fmt: skip
    if speeds:
        figures["speed"] = {r.format: [round(r.ours, 2), round(r.theirs, 1), round(r.growth, 2)] for r in speeds}
    print(json.dumps(figures))
    return int(options.bar and bool(wrong or damaged))


if __name__ == "__main__":
    sys.exit(main())
