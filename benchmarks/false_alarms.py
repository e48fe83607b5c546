"""False alarms in the wild: every argument finding on runs nobody planted a fault in, and what two readers say of them.

    python benchmarks/false_alarms.py PATH… [--tools FILE] [--system FILE] [--layer NAME] [--hints] [--list]
                                      [--sample N --seed S --sheet FILE]
    python benchmarks/false_alarms.py --answers FILE_A FILE_B --sheet FILE [--bar]

Each PATH is a file that rootcall reads, gzip or plain; `PATH=TOOLS` gives it tools of its own. `--system` is a JSON object
of texts by key: tau rows whose system message has only the key of a `policy` get that text, since the model had it. Listed
are the failing checks of grade `likely` and `proof` (with `--hints` also hints), one for each place and rule, split by
whether the run was rewarded.

`--sheet` writes a sample, one JSON object a line: `{"id", "path", "trace", "rewarded", "at", "tool", "argument", "rule",
"grade", "message", "expected", "got", "before", "schema", "call", "result"}`, where `before` is the conversation up to the
call, its long texts cut in the middle unless the finding is about what stands in them. A reader sees that and nothing else, and writes a file of lines
`{"id", "answer": "right" | "wrong" | "unclear", "why"}`. Fewer findings than wanted are taken all.

With two answer files: precision of each reader and of both, by rule, and Cohen's kappa. An `unclear` finding counts as
wrong. Kappa is 1 where both readers give the same one answer to everything: nothing is left for chance to explain, and
the usual formula would divide nought by nought. `--bar` fails where both found less than nine in ten right. The last line
is one JSON object. Beside this file lie the sheet of seed 7 on three published files of tau-bench runs, and its answers.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rootcall.check import Check, call_place
from rootcall.consistency import wilson
from rootcall.jsonvalue import MISSING
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Message, Trace

Row = dict[str, Any]
ANSWERS = ("right", "wrong", "unclear")
LONGEST = 1500
BAR = 0.90
# What these say can only be told from all that stood before.
OF_THE_WHOLE = ("arguments/provenance", "arguments/other-entity", "arguments/placeholder")


# --- findings ---------------------------------------------------------------------------------------------------------


def traces(path: str, tools: str | None, system: dict[str, str] | None) -> Iterator[Trace]:
    """Read one file; rows whose system message is only a key get its text first."""
    name, _, own = path.partition("=")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(name) if system is None else filled(Path(name), system, Path(folder))
        yield from read(source, "auto", own or tools)


def filled(path: Path, system: dict[str, str], folder: Path) -> Path:
    """Write the file again with the texts that its `policy` keys stand for."""
    raw = path.read_bytes()
    lines = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8").splitlines()
    target = folder / path.name.removesuffix(".gz")
    rows = [json.loads(line) for line in lines if line.strip()]
    for message in (m for row in rows for m in row.get("messages", ())):
        if message.get("policy") in system:
            message["content"] = system[message.pop("policy")]
    target.write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return target


def findings(trace: Trace, layer: str, *, hints: bool) -> list[Check]:
    """The failing checks of a layer, one for each place and rule."""
    failing = [c for c in verdict(trace).checks if c.layer == layer and c.status == "fail" and (hints or c.fails)]
    return list({(c.rule, c.at): c for c in failing}.values())


def rewarded(trace: Trace) -> bool | None:
    reward = trace.metadata.get("reward")
    return None if not isinstance(reward, int | float) else reward >= 1


def collect(options: argparse.Namespace) -> tuple[list[Row], Counter[str]]:
    """All findings as rows of a sheet, and how many traces and calls they were found in."""
    system = None if options.system is None else json.loads(options.system.read_text("utf-8"))
    rows: list[Row] = []
    seen: Counter[str] = Counter()
    for path in options.paths:
        for trace in traces(path, options.tools, system):
            seen.update({"traces": 1, "calls": len(trace.calls), "rewarded": int(rewarded(trace) is True)})
            failing = findings(trace, options.layer, hints=options.hints)
            rows += [as_row(Path(path.partition("=")[0]).name, trace, check) for check in failing]
    for n, row in enumerate(rows):
        row["id"] = f"f{n + 1:04d}"
    return rows, seen


def as_row(path: str, trace: Trace, check: Check) -> Row:
    """A finding with what a reader needs to decide."""
    place = call_place(check.at)
    call = next((c for c in trace.calls if c.at == place), None)
    tool = trace.tool(check.tool or "")
    until = len(trace.messages) if call is None else call.message
    return {
        "id": "",
        "path": path,
        "trace": trace.id,
        "rewarded": rewarded(trace),
        "at": check.at,
        "tool": check.tool,
        "argument": check.argument,
        "rule": check.rule,
        "grade": check.grade,
        "attempt": check.attempt,
        "message": check.message,
        "expected": None if check.expected is MISSING else check.expected,
        "got": None if check.got is MISSING else check.got,
        "before": [spoken(m, 100_000 if check.rule in OF_THE_WHOLE else LONGEST) for m in trace.messages[:until]],
        "schema": None if tool is None else {"description": tool.description, "parameters": tool.schema},
        "call": None if call is None else call.arguments if call.arguments is not None else call.raw,
        "result": None if call is None or call.result is None else cut(call.result.text or ""),
    }


def spoken(message: Message, longest: int) -> str:
    """One message as a line of a sheet."""
    made = [
        f"-> {c.tool}({c.raw if c.arguments is None else json.dumps(c.arguments, ensure_ascii=False)})"
        for c in message.calls
    ]
    return f"[{message.index}] {message.role}: {cut(' '.join([message.text or '', *made]).strip(), longest)}"


def cut(text: str, longest: int = LONGEST) -> str:
    """A long text without its middle."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} […{len(text) - longest} characters…] {text[-half:]}"


# --- what readers say -------------------------------------------------------------------------------------------------


def sheet_rows(path: Path) -> list[Row]:
    """The findings of a sheet, gzip or plain."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def answers(path: Path, wanted: set[str]) -> dict[str, str]:
    """A reader's answers by finding.

    Raises:
        SystemExit: an answer is missing, doubled, about no finding of the sheet, or none of the three.
    """
    found: dict[str, str] = {}
    for n, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            row = json.loads(line)
            if row["id"] in found or row["id"] not in wanted or row["answer"] not in ANSWERS:
                raise SystemExit(
                    f"{path}:{n}: wanted one answer of {', '.join(ANSWERS)} for a finding of the sheet, got {line}"
                )
            found[row["id"]] = row["answer"]
    if missing := sorted(wanted - found.keys()):
        raise SystemExit(f"{path}: {len(missing)} findings have no answer, the first is {missing[0]}")
    return found


def kappa(a: Sequence[str], b: Sequence[str]) -> float | None:
    """Cohen's kappa (1960) of two readers' answers; None of none, 1 where both gave one same answer to everything."""
    if not a:
        return None
    n = len(a)
    agreed = sum(x == y for x, y in zip(a, b, strict=True)) / n
    first, second = Counter(a), Counter(b)
    chance = sum(first[k] * second[k] for k in first) / n**2
    return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def share(right: int, n: int) -> str:
    if not n:
        return "-"
    low, high = wilson(right, n) or (0.0, 1.0)
    return f"{right / n:.3f} [{low:.3f}, {high:.3f}]"


def adjudicate(sheet: Sequence[Row], a: dict[str, str], b: dict[str, str]) -> Row:
    """Print precision by rule and agreement; return the figures."""
    print(f"{'rule':32} {'n':>4}  {'reader A':>22}  {'reader B':>22}  {'both':>22}")
    groups = {"all": list(sheet)} | {
        r: [x for x in sheet if x["rule"] == r] for r in sorted({x["rule"] for x in sheet})
    }
    for name, rows in groups.items():
        counts = [sum(x == "right" for x in (by[r["id"]] for r in rows)) for by in (a, b)]
        both = sum(a[r["id"]] == b[r["id"]] == "right" for r in rows)
        print(f"{name:32} {len(rows):4}  " + "  ".join(f"{share(c, len(rows)):>22}" for c in (*counts, both)))
    ids = [r["id"] for r in sheet]
    said_a, said_b = [a[i] for i in ids], [b[i] for i in ids]
    agreement = kappa(said_a, said_b)
    for i in ids:
        if not a[i] == b[i] == "right":
            row = next(r for r in sheet if r["id"] == i)
            print(f"  {i} {row['trace']} {row['at']} {row['rule']}: A {a[i]}, B {b[i]}: {row['message']}")
    n = len(ids)
    return {
        "findings": n,
        "precision_a": precision(said_a),
        "precision_b": precision(said_b),
        "precision_both": precision(["right" if x == y == "right" else "wrong" for x, y in zip(said_a, said_b, strict=True)]),
        "agreed": None if not n else round(sum(x == y for x, y in zip(said_a, said_b, strict=True)) / n, 4),
        "kappa": None if agreement is None else round(agreement, 4),
    }  # fmt: skip


def precision(said: Sequence[str]) -> float | None:
    return round(sum(x == "right" for x in said) / len(said), 4) if said else None


# --- the command ------------------------------------------------------------------------------------------------------


def survey(options: argparse.Namespace) -> Row:
    """List findings, count them, write the sheet."""
    rows, seen = collect(options)
    if options.list:
        for r in rows:
            mark = {True: "rewarded", False: "unrewarded", None: "no reward"}[r["rewarded"]]
            print(f"{r['path']} {r['trace']} ({mark}) {r['at']} {r['rule']} {r['grade']}: {r['message']}")
    counts = Counter((r["rule"], r["grade"], r["rewarded"]) for r in rows)
    print(f"{'rule':32} {'grade':7} {'rewarded':>9} {'unrewarded':>11} {'no reward':>10}")
    for rule, grade in sorted({(r["rule"], r["grade"]) for r in rows}):
        cells = [counts[rule, grade, x] for x in (True, False, None)]
        print(f"{rule:32} {grade:7} {cells[0]:9} {cells[1]:11} {cells[2]:10}")
    print(f"{len(rows)} findings in {seen['traces']} traces ({seen['rewarded']} rewarded), {seen['calls']} calls")
    figures: Row = {
        "traces": seen["traces"], "calls": seen["calls"], "findings": len(rows),
        "by_rule": dict(sorted(Counter(r["rule"] for r in rows).items())),
        "rewarded_traces_with_findings": len({(r["path"], r["trace"]) for r in rows if r["rewarded"]}),
    }  # fmt: skip
    if options.sheet is not None:
        sample = rows if len(rows) <= options.sample else random.Random(options.seed).sample(rows, options.sample)
        options.sheet.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in sample), "utf-8")
        figures["sampled"] = len(sample)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file of traces, or PATH=TOOLS")
    parser.add_argument("--tools", help="the tools of all files that name none")
    parser.add_argument("--system", type=Path, help="texts of system messages by key")
    parser.add_argument("--layer", default="arguments")
    parser.add_argument("--hints", action="store_true", help="hints as well")
    parser.add_argument("--list", action="store_true", help="print every finding")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sheet", type=Path, help="write the sample there, or, with answers, read it")
    parser.add_argument("--bar", action="store_true", help="fail below the wanted precision")
    parser.add_argument("--answers", type=Path, nargs=2, metavar=("A", "B"))
    options = parser.parse_args()
    if options.answers is not None:
        if options.sheet is None:
            parser.error("--answers need the --sheet they are about")
        sheet = sheet_rows(options.sheet)
        ids = {r["id"] for r in sheet}
        figures = adjudicate(sheet, *(answers(path, ids) for path in options.answers))
        print(json.dumps(figures))
        return int(options.bar and not (figures["precision_both"] or 0) >= BAR)
    if not options.paths:
        parser.error("no file of traces is given")
    print(json.dumps(survey(options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
