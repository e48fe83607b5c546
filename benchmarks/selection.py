"""Do the figures of selection tell agents apart that answer the same questions in one way each?

    python benchmarks/selection.py PATH

PATH holds rows of When2Call: a question, its tools, the right behaviour (`tool_call`, `request_for_info`,
`cannot_answer`) and a written answer of each kind. Every agent answers all rows in its own way; a case expects the
row's tool, or no call. Precision, recall and F1 are compared with those counted from the rows themselves. The last line
is JSON: rows, per agent micro_f1, false_calls, missed_calls and the sentence, and whether all counts agree.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rootcall.case import Case, Cases
from rootcall.run import score
from rootcall.toolscores import SelectionScores
from rootcall.trace import Trace

Row = dict[str, Any]
AGENTS: dict[str, Callable[[Row], str]] = {
    "as labelled": lambda row: str(row["correct_answer"]),
    "always calls": lambda _: "tool_call",
    "never calls": lambda _: "direct",
}


def read_rows(path: Path) -> list[Row]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def wanted(row: Row) -> list[str]:
    """The tools a right agent calls."""
    return [json.loads(row["target_tool"])["name"]] if row["correct_answer"] == "tool_call" else []


def called(row: Row, kind: str) -> list[dict[str, Any]]:
    """The calls of a written answer."""
    return [json.loads(row["answers"][kind])] if kind == "tool_call" else []


def trace(row: Row, kind: str) -> Trace:
    calls = [
        {"id": "1", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}} for c in called(row, kind)
    ]
    answer = (
        {"role": "assistant", "tool_calls": calls} if calls else {"role": "assistant", "content": row["answers"][kind]}
    )
    tools = [{"function": json.loads(t)} for t in row["tools"]]
    return Trace.from_openai(
        [{"role": "user", "content": row["question"]}, answer], tools, id=row["uuid"], metadata={"case_id": row["uuid"]}
    )


def agrees(scores: SelectionScores, pairs: Iterable[tuple[list[str], list[str]]]) -> bool:
    """Whether the counts of every tool are those counted from pairs of wanted and made calls, one call at most each."""
    counts: dict[str, list[int]] = {}
    for want, made in pairs:
        for name in want:
            counts.setdefault(name, [0, 0, 0])[0] += 1
        for name in made:
            counts.setdefault(name, [0, 0, 0])[1] += 1
            counts[name][2] += name in want
    return {t.tool: [t.expected, t.calls, t.right] for t in scores.tools} == counts


def judge(rows: list[Row], answer: Callable[[Row], str]) -> dict[str, Any]:
    """Score one agent."""
    cases = [{"id": r["uuid"], "expect": {"calls": [{"tool": t} for t in wanted(r)]}} for r in rows]
    scores = score((trace(r, answer(r)) for r in rows), Cases(map(Case.from_dict, cases)), keep=False).selection
    made = [[c["name"] for c in called(r, answer(r))] for r in rows]
    return {
        "micro_f1": scores.micro.f1.value,
        "false_calls": scores.false_calls.share,
        "missed_calls": scores.missed.share,
        "summary": str(scores),
        "agrees": agrees(scores, zip(map(wanted, rows), made, strict=True)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    rows = read_rows(parser.parse_args().path)
    found = {name: judge(rows, answer) for name, answer in AGENTS.items()}
    print(f"{len(rows)} rows, {sum(1 for r in rows if wanted(r))} want a call")
    for name, figures in found.items():
        print(f"{name:<13} {figures['summary']}")
    agree = all(figures.pop("agrees") for figures in found.values())
    print(json.dumps({"rows": len(rows), "agents": found, "counts_agree": agree}))
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main())
