"""Public bug reports against evaluators, rewritten as rows: how many get the verdict they should?

    python benchmarks/bugcases.py PATH [--bar] [--misses]

PATH is a JSONL file of rows `{"id", "layer", "trace" or "file", "case", "expect"}`. A row is right when every
expectation is met: the status of each layer named, the rule or argument that some failing check must carry, and the
layer of the root cause (null: there is none; left out: not looked at). The floor is an evaluator that never finds a fault.
The last line is JSON: `right`, `total`, the same for the rows without a case, for those about selection or arguments
with one (`against_gold`), and per layer. `--bar` exits with 1 where one against gold is not met, or fewer without a
case than the bar.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from rootcall.case import Case
from rootcall.diagnosis import Verdict
from rootcall.errors import RootcallError
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Trace

BAR = 0.75
Row = dict[str, Any]


def load(path: Path) -> list[Row]:
    """Read the rows of a JSONL file, gzip or plain."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def trace_of(row: Row) -> Trace | None:
    """The trace of a row: in memory, or written to a file and read back; None when its format is not read."""
    if "trace" in row:
        t = row["trace"]
        return Trace.from_openai(t["messages"], t.get("tools"), id=t.get("id", row["id"]), metadata=t.get("metadata"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / row["file"]["name"]
        path.write_text(row["file"]["text"], "utf-8")
        try:
            return next(iter(read(path)), None)
        except RootcallError:
            return None


def faults(row: Row, v: Verdict | None) -> list[str]:
    """The expectations of a row that a verdict does not meet."""
    if v is None:
        return ["the file is not read"]
    expect, out = row["expect"], []
    failing = [c for c in v.checks if c.status == "fail"]
    for layer, wanted in expect["layers"].items():
        if v.layers[layer].status != wanted:
            out.append(f"{layer}: wanted {wanted}, got {v.layers[layer].status}")
    if expect.get("rule") and not any(c.rule == expect["rule"] for c in failing):
        out.append(f"no failing check of {expect['rule']}, got {sorted({c.rule for c in failing})}")
    if expect.get("argument") and not any(c.argument == expect["argument"] for c in failing):
        out.append(f"no failing check on argument {expect['argument']}")
    if "root_cause_layer" in expect:
        got = v.root_cause.layer if v.root_cause else None
        if got != expect["root_cause_layer"]:
            out.append(f"root cause: wanted {expect['root_cause_layer']}, got {got}")
    return out


def judge(row: Row) -> Verdict | None:
    """The verdict on a row, None when its file is not read."""
    trace = trace_of(row)
    return None if trace is None else verdict(trace, Case.from_dict(row["case"], id=row["id"]) if row["case"] else None)


def passes_everything(row: Row) -> bool:
    """Whether an evaluator that never finds a fault would meet the row."""
    expect = row["expect"]
    return "fail" not in expect["layers"].values() and not expect.get("rule") and not expect.get("root_cause_layer")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--bar", action="store_true", help="exit with 1 below the bar")
    parser.add_argument("--misses", action="store_true", help="list the rows that are not met, with the reason")
    options = parser.parse_args()
    rows = load(options.path)
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for row in rows:
        found = faults(row, judge(row))
        keys = ["all", row["layer"]]
        if row["case"] is None:
            keys.append("without_case")
        elif row["layer"] in ("selection", "arguments"):
            keys.append("against_gold")
        total.update(keys)
        if not found:
            right.update(keys)
        elif options.misses:
            print(f"  {row['id']:14} {'case' if row['case'] else 'alone'}  {'; '.join(found)}")
    floor = sum(passes_everything(r) for r in rows if r["case"] is None)
    print(f"{'rows':14} {'right':>6} {'total':>6}")
    layer_names = sorted({row["layer"] for row in rows})
    for name in ("all", "without_case", "against_gold", *layer_names):
        print(f"{name:14} {right[name]:6} {total[name]:6}  {right[name] / max(total[name], 1):.3f}")
    print(f"floor on rows without a case, everything passes: {floor} of {total['without_case']}")
    layers = {k: {"right": right[k], "total": total[k]} for k in layer_names}
    result = {
        "right": right["all"],
        "total": total["all"],
        "without_case": {"right": right["without_case"], "total": total["without_case"], "floor": floor},
        "against_gold": {"right": right["against_gold"], "total": total["against_gold"]},
        "layers": layers,
    }
    print(json.dumps(result))
    missed = right["against_gold"] < total["against_gold"] or right["without_case"] < BAR * total["without_case"]
    return int(options.bar and missed)


if __name__ == "__main__":
    sys.exit(main())
