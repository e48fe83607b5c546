"""How fast does the code scorer for tool calls run beside the original in node, on the same runs?

    python benchmarks/mastra_speed.py [PATH] [--runs N] [--rounds N] [--cache FOLDER] [--bar]

PATH is a JSONL file (gzip allowed) of recorded runs `{"options", "run", "result"}`, without it the small data of the
tests; runs that the original refuses are left out. `@mastra/evals` 1.10.2 and `@mastra/core` 1.71.0 are installed with npm
into the cache folder (by default in the system's folder for temporary files) when they are not there; without node or npm
that is said, and the original's figure is missing.

Both hold their scorers and the parsed runs in memory, score them one after the other, and have scored all of them once before
the clock starts. Rounds are interleaved, so that a busy minute hits both, and the best counts. Ours is `run_sync` with
Mastra's semantics. `equal` is how many of the scores are the same in both, so that it shows that both did the work.

The last line is JSON: runs, runs_per_s of both (null where it is missing), ratio, equal. `--bar` exits with 1 when ours is
not ten times as fast; a missing figure is no failure.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bugcases import load
from mastra_differences import OPTIONS
from rootcall.mastra import create_tool_call_accuracy_scorer_code

SMALL = Path(__file__).parent.parent / "tests" / "data" / "mastra" / "code.jsonl.gz"
WORKER = Path(__file__).with_suffix(".mjs")
PACKAGES = {"@mastra/evals": "1.10.2", "@mastra/core": "1.71.0"}
FACTOR = 10
Row = dict[str, Any]


def scored_rows(path: Path, most: int) -> list[Row]:
    """The recorded runs that have a score, from over the whole file when there are more than wanted."""
    rows = [{"options": r["options"], "run": r["run"]} for r in load(path) if "result" in r]
    return rows[:: max(1, len(rows) // most)][:most]


def installed(cache: Path) -> str:
    """Install the original into the cache folder where it is not there; "" or why that is not possible."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"there is no {program} on this machine"
    if versions(cache) == PACKAGES:
        return ""
    cache.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(cache), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cache)
    if done.returncode:
        return f"npm: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
    return "" if versions(cache) == PACKAGES else f"npm has installed other versions: {versions(cache)}"


def versions(cache: Path) -> dict[str, str]:
    """The versions of the original's packages in a folder, as far as they are there."""
    files = {name: cache / "node_modules" / name / "package.json" for name in PACKAGES}
    return {name: json.loads(file.read_text("utf-8"))["version"] for name, file in files.items() if file.exists()}


class Original:
    """The original in a node process of its own, warm once it is made."""

    def __init__(self, cache: Path, rows: Path) -> None:
        worker = cache / WORKER.name  # node looks for packages from where the script lies
        shutil.copyfile(WORKER, worker)
        self._process = subprocess.Popen(
            ["node", str(worker), str(rows)],
            cwd=cache,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "MASTRA_TELEMETRY_DISABLED": "1"},
        )
        self._answer()

    def round(self) -> tuple[float, list[Any]]:
        """Score all runs once: seconds and scores."""
        assert self._process.stdin is not None
        self._process.stdin.write("once more\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> tuple[float, list[Any]]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"the original broke off with exit code {self._process.wait()}")
        found = json.loads(line)
        return found["seconds"], found["scores"]


class Ours:
    """Ours in this process, warm once it is made."""

    def __init__(self, rows: list[Row]) -> None:
        self._work = [
            (create_tool_call_accuracy_scorer_code(**{OPTIONS[k]: v for k, v in row["options"].items()}), row["run"])
            for row in rows
        ]
        self.round()

    def round(self) -> tuple[float, list[Any]]:
        """Score all runs once: seconds and scores."""
        began = time.perf_counter()
        scores = [scorer.run_sync(run).score for scorer, run in self._work]
        return time.perf_counter() - began, scores


def measure(rows: list[Row], cache: Path | None, rounds: int) -> Row:
    """Both speeds, the best of the rounds; without a cache folder ours alone."""
    with ExitStack() as stack:
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "rows.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        ours, original = Ours(rows), Original(cache, file) if cache is not None else None
        if original is not None:
            stack.callback(original.close)
        times: dict[str, list[float]] = {"rootcall": [], "mastra": []}
        equal = None
        for _ in range(max(1, rounds)):
            seconds, scores = ours.round()
            times["rootcall"].append(seconds)
            if original is not None:
                seconds, theirs = original.round()
                times["mastra"].append(seconds)
                equal = sum(a == b for a, b in zip(scores, theirs, strict=True))
    speed = {name: len(rows) / min(taken) if taken else None for name, taken in times.items()}
    we, they = speed["rootcall"], speed["mastra"]
    return {
        "runs": len(rows),
        "runs_per_s": {name: None if s is None else round(s) for name, s in speed.items()},
        "ratio": round(we / they, 1) if we and they else None,
        "equal": equal,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?", default=SMALL)
    parser.add_argument("--runs", type=int, default=1000, help="how many runs at most")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "rootcall-mastra")
    parser.add_argument("--ours", action="store_true", help="leave the original out")
    parser.add_argument("--bar", action="store_true", help="exit with 1 unless ours is ten times as fast")
    options = parser.parse_args()
    rows = scored_rows(options.path, max(1, options.runs)) if options.path.exists() else []
    if not rows:
        sys.exit(f"{options.path}: wanted is a JSONL file of recorded runs with results, there is none")
    missing = "it was not asked for" if options.ours else installed(options.cache)
    found = measure(rows, None if missing else options.cache, options.rounds)
    print(
        f"{found['runs']} runs of {options.path.name}, one after the other, warm; best of {max(1, options.rounds)} rounds"
    )
    for name, label in (("rootcall", "rootcall.mastra"), ("mastra", "@mastra/evals 1.10.2")):
        speed = found["runs_per_s"][name]
        print(f"  {label:22} {'missing: ' + missing if speed is None else f'{speed:,} runs/s'}")
    if found["ratio"] is not None:
        print(f"  ours is {found['ratio']} times as fast; {found['equal']} of {found['runs']} scores are equal")
    print(json.dumps(found))
    return int(options.bar and found["ratio"] is not None and found["ratio"] < FACTOR)


if __name__ == "__main__":
    sys.exit(main())
