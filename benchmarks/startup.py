"""How long `import rootcall` takes over bare Python, and `rootcall --version` in all. Medians; the last line is JSON.

    python benchmarks/startup.py [--bar] [--rounds N]

Bytecode is kept in a scratch folder, as it is kept by default, whatever this machine's settings are: the first start of all
compiles, and no median counts it.

With `--bar` it leaves with 1 when a median is over its bar: 100 ms for the import, 200 ms for the command. The bars
hold on an idle core; the best of three rounds counts, so that a busy moment does not decide.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 7
BARS = {"import_ms": 100.0, "version_ms": 200.0}


def milliseconds(folder: str, *command: str) -> float:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {
        "PYTHONPYCACHEPREFIX": folder
    }
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def measure(folder: str) -> dict[str, float]:
    bare = milliseconds(folder, sys.executable, "-c", "pass")
    imported = milliseconds(folder, sys.executable, "-c", "import rootcall")
    # The names people import first: they load the records, the reader's door and the pipeline.
    everything = milliseconds(folder, sys.executable, "-c", "from rootcall import Trace, read, score, verdict")
    version = milliseconds(folder, str(Path(sys.executable).with_name("rootcall")), "--version")
    return {
        "bare_ms": bare,
        "import_ms": max(0.0, imported - bare),
        "api_ms": max(0.0, everything - bare),
        "version_ms": version,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bar", action="store_true", help="leave with 1 when a median is over its bar")
    parser.add_argument("--rounds", type=int, default=3, help="the best of this many rounds counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = [measure(folder) for _ in range(max(1, options.rounds))]
    best = {name: round(min(r[name] for r in rounds), 1) for name in rounds[0]}
    print(f"{'what':<44} {'ms':>7}   bar")
    for name, what in (
        ("bare_ms", "bare Python"),
        ("import_ms", "import rootcall, over bare Python"),
        ("api_ms", "import of read, verdict, score, over bare"),
        ("version_ms", "rootcall --version, in all"),
    ):
        print(f"{what:<44} {best[name]:>7.1f}   {BARS.get(name, '')}")
    print(json.dumps(best))
    over = [name for name, limit in BARS.items() if best[name] > limit]
    return 1 if options.bar and over else 0


if __name__ == "__main__":
    sys.exit(main())
