"""How long does judging take: traces read and scored in all layers, in fresh processes.

    python benchmarks/speed.py PATH [--tools FILE] [--rounds N] [--bar SECONDS]

Every round is a process of its own, so that nothing is remembered from the round before; the best counts, since other
work on the machine only ever adds. Beside it stands a fixed piece of work, ten million additions, to compare machines by.
The last line is JSON: traces, calls, read_s, judge_s, total_s, additions_s. `--bar` exits with 1 when total_s is longer
than that many seconds per 200 traces.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from rootcall.judging import rules, verdict
from rootcall.readers import read


def additions() -> float:
    began = time.perf_counter()
    total = 0
    for i in range(10_000_000):
        total += i
    return time.perf_counter() - began


def once(path: Path, tools: Path | None) -> dict[str, float]:
    """Read and judge a file in this process."""
    before = additions()
    rules()  # loading the rules is start-up, measured by startup.py
    began = time.perf_counter()
    traces = list(read(path, tools=tools))
    read_s = time.perf_counter() - began
    verdicts = [verdict(t) for t in traces]
    total_s = time.perf_counter() - began
    return {
        "traces": len(verdicts),
        "calls": sum(v.calls for v in verdicts),
        "read_s": read_s,
        "judge_s": total_s - read_s,
        "total_s": total_s,
        "additions_s": min(before, additions()),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--tools", type=Path, help="tool specs, where the traces carry none")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bar", type=float, help="seconds allowed per 200 traces")
    parser.add_argument("--once", action="store_true", help="one round in this process; JSON only")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(once(options.path, options.tools)))
        return 0
    command = [sys.executable, __file__, str(options.path), "--once"]
    command += ["--tools", str(options.tools)] if options.tools else []
    rounds = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(max(1, options.rounds))
    ]
    best = {name: min(r[name] for r in rounds) for name in rounds[0]}
    print(
        f"{best['traces']} traces, {best['calls']} calls: read {best['read_s']:.2f} s, judged {best['judge_s']:.2f} s,"
        f" best of {len(rounds)}; ten million additions {best['additions_s']:.2f} s"
    )
    print(json.dumps({k: round(v, 3) for k, v in best.items()}))
    return int(options.bar is not None and best["total_s"] > options.bar * max(best["traces"], 1) / 200)


if __name__ == "__main__":
    sys.exit(main())
