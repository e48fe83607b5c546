"""Are the Mastra-compatible scorers equal to the original? Every recorded result of `@mastra/evals` 1.10.2 against ours.

    python benchmarks/mastra_parity.py FOLDER [--bar]

FOLDER holds `code`, `trajectory`, `trajectory_utils`, `llm`, `llm_trajectory` and `extract_checks` as `.jsonl.gz` or
`.jsonl`; those that are missing are named. Compared are the score, the whole result of preparing, what was extracted, and
the place of an error (construction or run, and the step that failed). The first rows that differ are printed.

The last line is JSON: `equal` and `total`, and both for each file. `--bar` exits with 1 unless every row is equal.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mastra_rows import CHECKERS

SHOWN = 3


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file."""
    text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    yield from map(json.loads, text.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bar", action="store_true", help="exit with 1 unless all rows are equal")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, int]] = {}
    for name, check in CHECKERS.items():
        file = next((f for end in (".jsonl.gz", ".jsonl") if (f := arguments.folder / f"{name}{end}").exists()), None)
        if file is None:
            print(f"{name:<18} is not in {arguments.folder}")
            continue
        equal = total = 0
        for row in rows(file):
            total += 1
            fault = check(row)
            equal += not fault
            if fault and total - equal <= SHOWN:
                print(f"  {name} {row['id']}: {fault}")
        figures[name] = {"equal": equal, "total": total}
        print(f"{name:<18} {equal:>6} of {total:>6} equal")
    equal, total = (sum(f[key] for f in figures.values()) for key in ("equal", "total"))
    print(json.dumps({"equal": equal, "total": total, "files": figures}))
    return int(arguments.bar and (equal < total or not total or len(figures) < len(CHECKERS)))


if __name__ == "__main__":
    sys.exit(main())
