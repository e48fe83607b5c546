"""Do the bundled tau-bench policies find what breaks them, and nothing else?

    python benchmarks/policy.py PATH... [--sheet FILE] [--bar]

PATHs hold tau-bench runs of the domains airline and retail with their rewards; tools are read from
`tools-tau-bench-DOMAIN.json` beside them where the runs bring none. The sheet, made by hand before the policies were
run, names violating runs that the reward punishes, each with its call, the sentence and how it was read, and rewarded
runs drawn by a seed. Below stand all findings in rewarded runs: the sheet says of each whether it is a true violation that the
reward lets pass, or a false alarm; one it does not know is `unread`. Hints are counted apart. The last line is JSON.
`--bar` exits with 1 when a violation of the sheet is not found, a rewarded run of the sheet is accused, or a run of it
is not among the PATHs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import rootcall
from rootcall.check import Check
from rootcall.config import Config
from rootcall.judging import verdict
from rootcall.policy import load_policy
from rootcall.readers import read

DATA = Path(rootcall.__file__).parent / "data"
SHEET = Path(__file__).with_name("policy_sheet.jsonl")
RULES = (
    "selection/policy-requires",
    "selection/policy-confirm",
    "selection/policy-at-most",
    "selection/policy-never-with",
    "arguments/policy-bound",
)


class Judged(NamedTuple):
    """A run with what the policy holds against it."""

    name: str
    rewarded: bool
    checks: int
    findings: list[Check]
    hints: list[Check]


def judge(paths: Iterable[Path]) -> Iterator[Judged]:
    """Judge every run by the policy of its domain, and by nothing else."""
    configs: dict[str, Config] = {}
    for path in paths:
        for trace in read(path):
            domain = str(trace.metadata.get("domain"))
            if domain not in configs:
                configs[domain] = Config(policy=load_policy(DATA / f"tau-{domain}-policy.yaml"), select=RULES)
            beside = path.parent / f"tools-tau-bench-{domain}.json"
            bare = trace.tools_known == "unknown" and beside.is_file()
            judged = verdict(trace.with_tools(tools_of(beside)) if bare else trace, config=configs[domain])
            failing = [c for c in judged.checks if decides(c)]
            yield Judged(
                f"{domain} {trace.id}",
                float(trace.metadata.get("reward") or 0) > 1 - 1e-6,
                len(judged.checks),
                [c for c in failing if c.fails],
                [c for c in failing if not c.fails],
            )


def decides(check: Check) -> bool:
    return check.status == "fail" and check.attempt in ("only", "final")


_tools: dict[Path, Any] = {}


def tools_of(path: Path) -> Any:
    if path not in _tools:
        _tools[path] = rootcall.load_tools(path)
    return _tools[path]


def call_of(check: Check) -> str:
    return check.at.partition(".arguments")[0]


def table(runs: list[Judged]) -> dict[str, dict[str, int]]:
    """Findings and runs with one, by rule and reward."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for run in runs:
        side = "rewarded" if run.rewarded else "unrewarded"
        for check in run.findings:
            counted[check.rule][f"{side}_findings"] += 1
        for rule in {c.rule for c in run.findings}:
            counted[rule][f"{side}_runs"] += 1
    keys = ("unrewarded_findings", "unrewarded_runs", "rewarded_findings", "rewarded_runs")
    return {rule: {key: counted[rule][key] for key in keys} for rule in RULES}


def report(runs: list[Judged], sheet: list[dict[str, Any]]) -> dict[str, Any]:
    by_name = {run.name: run for run in runs}
    picked = [row for row in sheet if row["kind"] == "violates"]
    found = 0
    print("violations of the sheet")
    for row in picked:
        run = by_name.get(row["trace"])
        hit = run is not None and any(c.rule == row["rule"] and call_of(c) == row["at"] for c in run.findings)
        found += hit
        print(
            f"  {'found ' if hit else 'MISSED' if run else 'absent'}  {row['trace']:<16} {row['at']:<22} {row['sentence']}"
        )
    drawn = [row["trace"] for row in sheet if row["kind"] == "rewarded"]
    accused = [name for name in drawn if name in by_name and by_name[name].findings]
    looked_at = sum(name in by_name and by_name[name].checks > 0 for name in drawn)
    print(f"\nrewarded runs of the sheet: {len(accused)} of {len(drawn)} accused {' '.join(accused)}")
    print(f"  in {looked_at} of them there was something to check; the others call no tool that the policy speaks of")
    rows = table(runs)
    print(f"\n{'rule':<30} {'unrewarded':>16} {'rewarded':>16}   findings (runs)")
    for rule, n in rows.items():
        left = f"{n['unrewarded_findings']} ({n['unrewarded_runs']})"
        print(f"{rule:<30} {left:>16} {n['rewarded_findings']:>10} ({n['rewarded_runs']})")
    rewarded = [run for run in runs if run.rewarded]
    read_as = {(row["trace"], row["at"]): row for row in sheet if row["kind"] == "finding"}
    verdicts = Counter[str]()
    print(f"\nfindings in rewarded runs, {sum(1 for r in rewarded if r.checks)} of which had something to check")
    for run in rewarded:
        for at in dict.fromkeys(call_of(c) for c in run.findings):
            row = read_as.get((run.name, at), {"verdict": "unread", "reading": ""})
            verdicts[row["verdict"]] += 1
            print(f"  {row['verdict']:<6}  {run.name:<16} {at:<22} {row['reading']}")
    return {
        "runs": len(runs),
        "found": found,
        "of": len(picked),
        "rewarded_accused": len(accused),
        "rewarded_of": len(drawn),
        "rewarded_looked_at": looked_at,
        "absent": sum(name not in by_name for name in [*drawn, *(row["trace"] for row in picked)]),
        "all_unrewarded": {
            "runs": len(runs) - len(rewarded),
            "accused": sum(1 for r in runs if r.findings and not r.rewarded),
        },
        "all_rewarded": {
            "runs": len(rewarded),
            "looked_at": sum(1 for r in rewarded if r.checks),
            "accused": sum(1 for r in rewarded if r.findings),
            "calls": {verdict: verdicts[verdict] for verdict in ("true", "false", "unread")},
            "runs_with_hints": sum(1 for r in rewarded if r.hints),
        },
        "rules": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--sheet", type=Path, default=SHEET, help="the runs read by hand")
    parser.add_argument("--bar", action="store_true", help="exit with 1 unless all are found and none is accused")
    options = parser.parse_args()
    sheet = [msgspec.json.decode(line) for line in options.sheet.read_text("utf-8").splitlines()]
    figures = report(list(judge(options.paths)), sheet)
    print(json.dumps(figures))
    missed = figures["found"] < figures["of"] or figures["rewarded_accused"] or figures["absent"]
    return int(options.bar and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
