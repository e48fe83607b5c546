"""How often does it matter where the corrected tool-call scorer parts from Mastra's?

    python benchmarks/mastra_differences.py PATH... [--bar]

Each PATH is a file or a folder of files. Files of recorded scorer runs (`{"options", "run", …}`, as `mastra_parity.py`
takes them) are scored by both semantics with the options that stand there: how often the score is the same, how often one
of them refuses the run, and which kind of difference moved the score (`explain`; a run may count for several kinds).

All other files are read as traces. Few say what was expected, so an expectation is made from the run itself: the tools of
its own successful calls, in order. A retried call is one, and the same call again counts once. Three ways of writing it down:

    in order     every one of these calls, others between them allowed
    exactly      the same with `strict_mode`
    once each    each tool once, in the order of first successes, others allowed

Runs of tau-bench bring an expectation of others, the gold actions of their task (no action: no call is right). They are scored
against the names of these in order, others allowed: `gold`, and of those with full reward `gold, rewarded`.

Since a run did what is expected in the first three, by construction, a scorer that says 0 does not recognise it, unless `exactly` and
a call that never succeeded stands beside. The floor is a scorer that says 1 always. So the share tells how often the
original cannot see that a run did what it did, and why. It does not tell how often that happens to expectations that
people write, which are often shorter, nor which score is right where the run itself went wrong. The recorded rows are
random on purpose and full of odd shapes: their share is one of code paths, not of practice.

The last line is JSON: `recorded` and `traces` with counts by kind. `--bar` exits with 1 when a run is scored differently
and no reason is given.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rootcall.errors import RootcallError, ScorerError
from rootcall.evidence.intents import intents, same_call
from rootcall.mastra import create_tool_call_accuracy_scorer_code, run_of
from rootcall.mastra.accuracy import Explanation
from rootcall.readers import read
from rootcall.trace import Call, Trace

OPTIONS = {"expectedTool": "expected_tool", "strictMode": "strict_mode", "expectedToolOrder": "expected_tool_order"}
SAME, OTHER = ("both 1", "both 0"), ("0 -> 1", "1 -> 0")
WAYS = ("in order", "exactly", "once each", "gold", "gold, rewarded")
Row = dict[str, Any]


class Tally:
    """Explanations, counted by outcome and by the kinds of difference that moved the score."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.kinds: dict[str, Counter[str]] = {}

    def add(self, found: Explanation) -> None:
        """Count one run."""
        outcome = outcome_of(found)
        self.outcomes[outcome] += 1
        if outcome in OTHER:
            moved: set[str] = {d.kind for d in found.differences if d.moves_score}
            for kind in moved or {"no reason"}:
                self.kinds.setdefault(kind, Counter())[outcome] += 1

    @property
    def total(self) -> int:
        """How many runs there were."""
        return self.outcomes.total()

    @property
    def scored(self) -> int:
        """How many were scored by both."""
        return sum(self.outcomes[o] for o in (*SAME, *OTHER))

    @property
    def parting(self) -> int:
        """How many were scored by both, and not alike."""
        return sum(self.outcomes[o] for o in OTHER)

    def figures(self) -> Row:
        """All of it as JSON."""
        return {
            "runs": self.total,
            "outcomes": dict(self.outcomes),
            "scored_by_both": self.scored,
            "parting": self.parting,
            "parting_share": round(self.parting / self.scored, 4) if self.scored else None,
            "kinds": {kind: dict(n) for kind, n in sorted(self.kinds.items(), key=lambda kv: -kv[1].total())},
        }


def outcome_of(found: Explanation) -> str:
    """What became of a run: the same score, another, or no score from one of the two."""
    if found.original is None or found.corrected is None:
        if found.original is found.corrected:
            return "refused by both"
        return "refused by the original" if found.original is None else "refused here"
    if found.original == found.corrected:
        return f"both {found.original:g}"
    return f"{found.original:g} -> {found.corrected:g}"


def opened(file: Path) -> bytes:
    """The bytes of a file, unpacked."""
    raw = file.read_bytes()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def recorded_rows(file: Path) -> list[Row] | None:
    """The recorded runs of the code scorer in a file, none where they are of another; None where it holds no such runs."""
    if ".jsonl" not in file.suffixes:
        return None
    try:
        rows = [json.loads(line) for line in opened(file).splitlines()]
    except ValueError:
        return None
    if not rows or not all(isinstance(r, dict) and isinstance(r.get("run"), dict) and "options" in r for r in rows):
        return None
    return rows if all(set(row["options"]) <= set(OPTIONS) for row in rows) else []


def score_recorded(rows: Sequence[Row], tally: Tally) -> int:
    """Score recorded runs by both semantics; return how many have options that the original does not take."""
    refused = 0
    for row in rows:
        try:
            scorer = create_tool_call_accuracy_scorer_code(**{OPTIONS[k]: v for k, v in row["options"].items()})
        except ScorerError:
            refused += 1
        else:
            tally.add(scorer.explain(row["run"]))
    return refused


def done(trace: Trace) -> list[Call]:
    """The successful calls of a run in order: of each intent the last attempt, the same call once."""
    found: list[Call] = []
    for intent in intents(trace):
        final = intent.final
        if final.outcome in ("ok", "unknown") and not any(same_call(final, c) for c in found):
            found.append(final)
    return sorted(found, key=lambda c: (c.message, c.index))


def score_trace(trace: Trace, tallies: dict[str, Tally]) -> bool:
    """Score a trace against what it did itself, and against gold where it has some; False where it did nothing successfully."""
    run = run_of(trace)

    def add(way: str, order: list[str], *, strict: bool = False) -> None:
        scorer = create_tool_call_accuracy_scorer_code(strict_mode=strict, expected_tool_order=order)
        tallies[way].add(scorer.explain(run))

    gold = trace.metadata.get("gold_actions")
    if isinstance(gold, list):
        names = [action["name"] for action in gold]
        add("gold", names)
        if trace.metadata.get("reward") == 1:
            add("gold, rewarded", names)
    tools = [call.tool for call in done(trace)]
    if tools:
        add("in order", tools)
        add("exactly", tools, strict=True)
        add("once each", list(dict.fromkeys(tools)))
    return bool(tools)


def files_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that are meant, those of a folder by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(f for f in path.iterdir() if {".json", ".jsonl"} & set(f.suffixes))
        else:
            yield path


def key_of(way: str) -> str:
    """The name of a way in the figures."""
    return way.replace(",", "").replace(" ", "_")


def table(name: str, tally: Tally) -> None:
    """Print one tally."""
    print(f"{name}: {tally.total} runs")
    for outcome, n in tally.outcomes.most_common():
        print(f"  {outcome:26} {n:6}  {n / tally.total:6.1%}")
    if tally.scored:
        print(
            f"  another score in {tally.parting} of {tally.scored} that both score, {tally.parting / tally.scored:.1%}"
        )
    for kind, found in sorted(tally.kinds.items(), key=lambda kv: -kv[1].total()):
        print(f"    {kind:20} 0 -> 1: {found['0 -> 1']:5}   1 -> 0: {found['1 -> 0']:5}")


def score_files(paths: Sequence[Path]) -> Row:
    """Score everything, print the tables, return the figures."""
    recorded, ways = Tally(), {way: Tally() for way in WAYS}
    unmade = nothing = traces = repeating = 0
    for file in files_in(paths):
        rows = recorded_rows(file)
        if rows is not None:
            unmade += score_recorded(rows, recorded)
            continue
        try:
            for trace in read(file):
                traces += 1
                nothing += not score_trace(trace, ways)
                tools = [c.tool for c in done(trace)]
                repeating += len(set(tools)) < len(tools)
        except RootcallError as error:
            print(f"left out: {str(error).partition(';')[0]}")
    if recorded.total:
        table("recorded", recorded)
        print(f"  {unmade} more have options of which the original makes no scorer")
    if traces:
        print(
            f"traces: {traces}, of which {nothing} made no successful call; in {repeating} a tool succeeded more than once"
        )
        print("floor of the first three, a scorer that says 1 always: 100.0 % of the rest")
    for way, tally in ways.items():
        if tally.total:
            table(f"  {way}", tally)
    return {
        "recorded": {**recorded.figures(), "no_scorer": unmade},
        "traces": {
            "read": traces,
            "without_success": nothing,
            "tool_repeats": repeating,
            **{key_of(way): tally.figures() for way, tally in ways.items()},
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    parser.add_argument("--bar", action="store_true", help="exit with 1 when a difference has no reason")
    arguments = parser.parse_args()
    missing = next((p for p in arguments.paths if not p.exists()), None)
    if missing is not None:
        sys.exit(f"{missing}: there is no such file or folder")
    found = score_files(arguments.paths)
    print(json.dumps(found))
    parts = [found["recorded"], *(found["traces"][key_of(way)] for way in WAYS)]
    return int(arguments.bar and any("no reason" in part["kinds"] for part in parts))


if __name__ == "__main__":
    sys.exit(main())
