"""A coverage-guided search for bytes that break reading or judging.

    make fuzz                                    ten minutes, from the real files of the tests
    python benchmarks/fuzz.py [SECONDS] [CORPUS]

Any input must end in traces with verdicts, named problems, or one clear line: no other exception, no more than twenty
seconds and two gigabytes for one input, calls in are calls kept and calls set aside. What breaks this is written to
`crash-…` in the current folder and belongs into the tests. It needs atheris (`pip install '.[fuzz]'`).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["rootcall"]):
    from rootcall.errors import InputError
    from rootcall.judging import verdict
    from rootcall.readers import all_readers, read

SEEDS = Path(__file__).parent.parent / "tests" / "data" / "traces"
LARGEST = 20_000
FOLDER = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
FORMATS = ("auto", "auto", *(r.name for r in all_readers()))


def one(data: bytes) -> None:
    """Read one input as the format its first byte picks, mostly by its content, and judge what came out."""
    file = FOLDER / "x"
    file.write_bytes(data[1:])
    try:
        reading = read(file, format=FORMATS[data[0] % len(FORMATS)] if data else "auto")
        traces = list(reading)
    except InputError:
        return
    if "reader-failed" in reading.counts:
        raise AssertionError(str(reading.problems[-1]))
    kept = sum(len(t.calls) for t in traces)
    lost = sum(p.lost for t in traces for p in t.problems) + sum(p.lost for p in reading.problems)
    if reading.calls_in != kept + lost:
        raise AssertionError(f"{reading.calls_in} calls in, {kept} kept, {lost} set aside")
    for trace in traces[:5]:
        verdict(trace).to_dict()


def seeds(folder: Path) -> None:
    """Put the small real files into the corpus, each behind a byte that says `auto`."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in SEEDS.rglob("*"):
        if file.is_file() and file.stat().st_size <= LARGEST:
            (folder / file.name).write_bytes(b"\0" + file.read_bytes())


def words(file: Path) -> None:
    """A dictionary of the keys of the real files, which no search would find."""
    import re

    found = {
        k for f in SEEDS.rglob("*") if f.is_file() for k in re.findall(rb'"([A-Za-z_.$-]{2,40})"\s*:', f.read_bytes())
    }
    file.write_bytes(b"".join(b'"\\"' + k + b'\\":"\n' for k in sorted(found)))


def main() -> None:
    given: list[Any] = sys.argv[1:]
    seconds = int(given[0]) if given else 600
    corpus = Path(given[1]) if len(given) > 1 else FOLDER.with_name(f"{FOLDER.name}-corpus")
    seeds(corpus)
    words(FOLDER / "words")
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LARGEST}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        f"-dict={FOLDER / 'words'}",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
