"""How long does judging take: traces read and scored in all layers, per trace and in all.

    python benchmarks/speed.py PATH [--tools FILE] [--rounds N] [--bar SECONDS]

The best of N rounds counts, since other work on the machine only ever adds. The last line is JSON: traces, calls,
read_s, judge_s, total_s. `--bar` exits with 1 when the whole takes longer than that many seconds per 200 traces.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from rootcall.judging import rules, verdict
from rootcall.readers import read


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--tools", type=Path, help="tool specs, where the traces carry none")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bar", type=float, help="seconds allowed per 200 traces")
    options = parser.parse_args()
    rules()  # loading the rules is start-up, measured by startup.py
    reading, judging, traces, calls = [], [], 0, 0
    for _ in range(options.rounds):
        began = time.perf_counter()
        read_traces = list(read(options.path, tools=options.tools))
        reading.append(time.perf_counter() - began)
        began = time.perf_counter()
        verdicts = [verdict(t) for t in read_traces]
        judging.append(time.perf_counter() - began)
        traces, calls = len(verdicts), sum(v.calls for v in verdicts)
    total = min(a + b for a, b in zip(reading, judging, strict=True))
    print(
        f"{traces} traces, {calls} calls: read {min(reading):.2f} s, judged {min(judging):.2f} s, best of {options.rounds}"
    )
    figures = {"traces": traces, "calls": calls, "read_s": min(reading), "judge_s": min(judging), "total_s": total}
    print(json.dumps({k: round(v, 3) for k, v in figures.items()}))
    return int(options.bar is not None and total > options.bar * max(traces, 1) / 200)


if __name__ == "__main__":
    sys.exit(main())
