"""Seeded faults: is the root cause named at the right layer and place, and is a good trace left in peace?

    python benchmarks/faults.py PATH [--bar] [--kinds] [--misses]

PATH is a JSONL file (gzip allowed) of rows `{"id", "kind", "trace", "case", "label"}` where a label holds `clean`,
`root_cause {layer, tool, argument, message_index}`, `accept {tools, arguments, message_indices}` and `needs` ("trace" or
"case"). Rows with `needs: trace` are judged twice: with their case where they have one, and alone (`trace_only`).

Printed: per kind the share of right layers, places and arguments, false alarms on clean kinds, trivial floors, and last
one line of JSON: layer_accuracy, place_accuracy, argument_accuracy, false_alarm, balanced, coverage, and the same under
trace_only and needs_case. `layer`: the layer of the root cause is the label's. `place`: tool and message index too. `argument`: over
rows whose label names one. `needs_case`: the same figures over rows that only a case can decide. `balanced`: mean of layer accuracy over fault kinds and silence over clean kinds. `coverage`:
share of utilization units that were scored. `--bar` exits with 1 below the bars written down here.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from bugcases import load
from rootcall.case import Case
from rootcall.check import message_index
from rootcall.consistency import wilson
from rootcall.diagnosis import Verdict
from rootcall.judging import verdict
from rootcall.trace import Trace

BARS = {"layer_accuracy": 0.65, "false_alarm": 0.10}
GOLD_BARS = {"layer_accuracy": 0.92, "argument_accuracy": 0.90, "false_alarm": 0.02}
Row = dict[str, Any]
Said = dict[str, Any] | None


def judge(row: Row, *, with_case: bool) -> Verdict:
    """Judge one row; only its trace and, if wanted, its case are read."""
    t = row["trace"]
    trace = Trace.from_openai(t["messages"], t.get("tools"), id=row["id"], metadata=t.get("metadata"))
    case = Case.from_dict(row["case"], id=row["id"]) if with_case and row.get("case") else None
    return verdict(trace, case)


def said(v: Verdict) -> Said:
    """What a verdict names as the root cause, in the terms of the labels; None when it names none."""
    if v.root_cause is None:
        return {"layer": "other", "tool": None, "argument": None, "message_index": -1} if v.status == "fail" else None
    r = v.root_cause
    return {"layer": r.layer, "tool": r.tool, "argument": r.argument, "message_index": message_index(r.at)}


def marks(row: Row, answer: Said) -> dict[str, bool | None]:
    """Score one answer against a label; None where a mark does not apply."""
    label = row["label"]
    if label["clean"]:
        return {"layer": None, "place": None, "argument": None, "alarm": answer is not None}
    want, accept = label["root_cause"], label.get("accept") or {}
    a = answer or {}
    layer = a.get("layer") == want["layer"]
    tool = a.get("tool") in (want["tool"], *accept.get("tools", ()))
    place = a.get("message_index") in (want["message_index"], *accept.get("message_indices", ()))
    argument = None
    if want["argument"] is not None:
        got = a.get("argument")
        # A nested place belongs to its top-level argument.
        top = got.partition(".")[0].partition("[")[0] if isinstance(got, str) else got
        argument = layer and (got in (want["argument"], *accept.get("arguments", ())) or top == want["argument"])
    return {"layer": layer, "place": layer and tool and place, "argument": argument, "alarm": None}


def share(values: list[bool]) -> float | None:
    """The share of true values; None of none."""
    return round(sum(values) / len(values), 4) if values else None


def figures(scored: list[tuple[Row, dict[str, bool | None]]], coverage: float | None) -> dict[str, float | None]:
    """The handful of numbers of one table."""
    kinds: dict[tuple[bool, str], list[bool]] = defaultdict(list)
    for row, m in scored:
        clean = row["label"]["clean"]
        kinds[clean, row["kind"]].append(not m["alarm"] if clean else bool(m["layer"]))
    fault = [sum(v) / len(v) for (clean, _), v in kinds.items() if not clean]
    quiet = [sum(v) / len(v) for (clean, _), v in kinds.items() if clean]
    balanced = (sum(fault) / len(fault) + sum(quiet) / len(quiet)) / 2 if fault and quiet else None
    pick = {
        name: [bool(m[name]) for _, m in scored if m[name] is not None]
        for name in ("layer", "place", "argument", "alarm")
    }
    return {
        "layer_accuracy": share(pick["layer"]),
        "place_accuracy": share(pick["place"]),
        "argument_accuracy": share(pick["argument"]),
        "false_alarm": share(pick["alarm"]),
        "balanced": None if balanced is None else round(balanced, 4),
        "coverage": coverage,
    }


def coverage_of(verdicts: list[Verdict]) -> float | None:
    """Share of utilization units that were scored."""
    scored = sum(v.layers["utilization"].scored for v in verdicts)
    total = scored + sum(v.layers["utilization"].unscored for v in verdicts)
    return round(scored / total, 4) if total else None


def floors(rows: list[Row]) -> list[tuple[str, dict[str, float | None]]]:
    """What trivial answers reach: everything clean; the first call's arguments; the first error, blamed on one layer."""

    def clean(row: Row) -> Said:
        return None

    def first_call(row: Row) -> Said:
        for i, m in enumerate(row["trace"]["messages"]):
            if m.get("tool_calls"):
                return {
                    "layer": "arguments",
                    "tool": m["tool_calls"][0]["function"]["name"],
                    "argument": None,
                    "message_index": i,
                }
        return None

    def first_error(layer: str) -> Any:
        def answer(row: Row) -> Said:
            t = row["trace"]
            trace = Trace.from_openai(t["messages"], t.get("tools"))
            bad = next((c for c in trace.calls if c.outcome == "error"), None)
            return (
                None
                if bad is None
                else {"layer": layer, "tool": bad.tool, "argument": None, "message_index": bad.message}
            )

        return answer

    named = [("always clean", clean), ("always arguments", first_call), ("first error: arguments", first_error("arguments")),
             ("first error: recovery", first_error("recovery"))]  # fmt: skip
    return [(name, figures([(r, marks(r, f(r))) for r in rows], None)) for name, f in named]


def table(title: str, scored: list[tuple[Row, dict[str, bool | None]]], *, kinds: bool) -> None:
    """Print one table: per kind when wanted, then per layer."""
    print(f"\n{title}")
    groups: dict[tuple[bool, str], list[dict[str, bool | None]]] = defaultdict(list)
    for row, m in scored:
        label = row["label"]
        name = row["kind"] if kinds else ("clean" if label["clean"] else label["root_cause"]["layer"])
        groups[label["clean"], name].append(m)
    print(
        f"  {'kind' if kinds else 'root layer':28} {'n':>4}  {'layer':>22}  {'place':>6}  {'argument':>8}  {'alarm':>6}"
    )
    for (_, name), ms in sorted(groups.items()):
        cells = {k: [bool(m[k]) for m in ms if m[k] is not None] for k in ("layer", "place", "argument", "alarm")}
        shown = {k: "" if (s := share(v)) is None else f"{s:.3f}" for k, v in cells.items()}
        if cells["layer"]:
            low, high = wilson(sum(cells["layer"]), len(cells["layer"])) or (0.0, 1.0)
            shown["layer"] += f" [{low:.3f},{high:.3f}]"
        print(
            f"  {name:28} {len(ms):4}  {shown['layer']:>22}  {shown['place']:>6}  {shown['argument']:>8}  {shown['alarm']:>6}"
        )


def run(rows: list[Row], *, with_case: bool) -> tuple[list[tuple[Row, dict[str, bool | None]]], list[Verdict]]:
    verdicts = [judge(r, with_case=with_case) for r in rows]
    return [(r, marks(r, said(v))) for r, v in zip(rows, verdicts, strict=True)], verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--bar", action="store_true", help="exit with 1 below the bars")
    parser.add_argument("--kinds", action="store_true", help="a row per kind instead of per layer")
    parser.add_argument("--misses", action="store_true", help="list the rows that were judged wrongly")
    options = parser.parse_args()
    rows = load(options.path)
    began = time.perf_counter()
    scored, verdicts = run(rows, with_case=True)
    alone, alone_verdicts = run([r for r in rows if r["label"]["needs"] == "trace"], with_case=False)
    spent = time.perf_counter() - began
    table("all rows, with their case where they have one", scored, kinds=options.kinds)
    gold = [(r, m) for r, m in scored if r["label"]["needs"] == "case"]
    table("rows that only a case can decide", gold, kinds=options.kinds)
    table("rows decidable from the trace, alone", alone, kinds=options.kinds)
    if options.misses:
        for (row, m), v in (*zip(scored, verdicts, strict=True), *zip(alone, alone_verdicts, strict=True)):
            if m["alarm"] or m["layer"] is False or m["place"] is False or m["argument"] is False:
                print(f"  {row['id']} {row['kind']}: {row['label']['root_cause']} got {said(v)} {v.root_cause.rule if v.root_cause else ''}"
                      f" {v.root_cause.message if v.root_cause else ''}")  # fmt: skip
    print("\ntrivial floors")
    for name, f in floors(rows):
        print(f"  {name:24} " + "  ".join(f"{k} {v:.3f}" for k, v in f.items() if v is not None))
    print(f"\n{len(rows)} rows and {len(alone)} again alone in {spent:.1f} s")
    result: dict[str, Any] = figures(scored, coverage_of(verdicts))
    result["trace_only"] = figures(alone, coverage_of(alone_verdicts))
    result["needs_case"] = figures(gold, None)
    print(json.dumps(result))
    return int(options.bar and not meets(result))


def meets(result: dict[str, Any]) -> bool:
    """Whether the bars are met by the rows judged alone, and by those that only a case can decide, where there are any."""
    for figure, bars in ((result["trace_only"], BARS), (result["needs_case"], GOLD_BARS)):
        for name, bar in bars.items():
            found = figure[name]
            if found is not None and (found > bar if name == "false_alarm" else found < bar):
                return False
    return True


if __name__ == "__main__":
    sys.exit(main())
