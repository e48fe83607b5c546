"""Is it told rightly what an agent did where it called nothing: answered, asked, refused, escalated?

    python benchmarks/behaviour.py PATH [--replies FILE] [--errors] [--bar]

PATH holds rows of When2Call: a question, its tools and a written answer of each kind; `direct` is an answer,
`request_for_info` asks, `cannot_answer` refuses. FILE holds replies with their language, the user's words and the
behaviour. What stays unsure counts as wrong in every F1. Beside it stand two floors: always the most frequent
behaviour, and three patterns for can't, for a question mark and for a colleague. A hash of the row's id splits PATH
into the half that was looked at while the words were written and the half that was not. With --bar it fails below a
macro-F1 of .95 on PATH and .85 on FILE. The last line is JSON.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from rootcall.evidence.behaviour import behaviour

BAR: Final = 0.95
REPLIES_BAR: Final = 0.85
ACTS: Final = ("answered", "asked", "refused", "escalated")
LABELS: Final = {"direct": "answered", "request_for_info": "asked", "cannot_answer": "refused"}


class Reply(NamedTuple):
    """One labelled reply; `group` is its language or its half of the rows."""

    id: str
    group: str
    request: str
    text: str
    act: str


def read_lines(path: Path) -> list[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def when2call(path: Path) -> list[Reply]:
    found = []
    for row in read_lines(path):
        half = "seen" if hashlib.sha256(row["uuid"].encode()).digest()[0] % 2 == 0 else "held out"
        found += [Reply(row["uuid"], half, row["question"], row["answers"][k], act) for k, act in LABELS.items()]
    return found


def replies(path: Path) -> list[Reply]:
    return [Reply(str(r["id"]), r["lang"], r.get("user") or "", r["reply"], r["behaviour"]) for r in read_lines(path)]


def three_patterns(reply: Reply) -> str:
    """The floor that anyone writes in a minute."""
    if re.search(
        r"can['’]?t|cannot|unable|\bkann .*nicht|nicht möglich|no (puedo|es posible)|수 없|불가|できません|かねます",
        reply.text,
        re.IGNORECASE,
    ):
        return "refused"
    if re.search(r"colleague|agent|team|kolleg|compañer|agente|담당자|상담원|担当", reply.text, re.IGNORECASE):
        return "escalated"
    return "asked" if re.search(r"[?？]", reply.text) else "answered"


def ours(reply: Reply) -> str | None:
    return behaviour(reply.text, reply.request).known


def figures(found: Sequence[tuple[str, str | None]]) -> dict[str, Any]:
    """Macro-F1 over the behaviours that occur among the labels, accuracy and coverage."""
    acts = [a for a in ACTS if any(want == a for want, _ in found)]
    f1 = {}
    for a in acts:
        right = sum(want == got == a for want, got in found)
        total = sum(want == a for want, _ in found) + sum(got == a for _, got in found)
        f1[a] = 2 * right / total if total else 0.0
    return {
        "n": len(found),
        "macro_f1": round(sum(f1.values()) / len(f1), 4) if f1 else None,
        "f1": {a: round(v, 4) for a, v in f1.items()},
        "accuracy": round(sum(want == got for want, got in found) / len(found), 4) if found else None,
        "coverage": round(sum(got is not None for _, got in found) / len(found), 4) if found else None,
    }


def judge(rows: Sequence[Reply], name: str, errors: str | None) -> dict[str, Any]:
    """Print a table of one set of replies and return its figures."""
    most = Counter(r.act for r in rows).most_common(1)[0][0]
    ways: dict[str, Callable[[Reply], str | None]] = {
        "rootcall": ours,
        "three patterns": three_patterns,
        "majority": lambda _: most,
    }
    by_way = {way: [(r.act, tell(r)) for r in rows] for way, tell in ways.items()}
    print(f"{name}: {len(rows)} replies")
    for way, found in by_way.items():
        f = figures(found)
        print(f"  {way:<15} macro-F1 {f['macro_f1']:.3f}  accuracy {f['accuracy']:.3f}  coverage {f['coverage']:.3f}")
    counts = Counter(by_way["rootcall"])
    print(f"  {'as labelled':<12}" + "".join(f"{a:>11}" for a in (*ACTS, "unsure")))
    for want in ACTS:
        if any(r.act == want for r in rows):
            print(f"  {want:<12}" + "".join(f"{counts[want, got]:>11}" for got in (*ACTS, None)))
    groups = {g: figures([(r.act, ours(r)) for r in rows if r.group == g]) for g in sorted({r.group for r in rows})}
    for g, f in groups.items():
        print(
            f"  {g:<15} macro-F1 {f['macro_f1']:.3f}  accuracy {f['accuracy']:.3f}  coverage {f['coverage']:.3f}  n {f['n']}"
        )
    for r in rows:
        if errors is not None and r.group != "held out" and ours(r) != r.act:
            print(
                f"    {r.id[:12]} {r.group}: {r.act}, told {behaviour(r.text, r.request)}\n      {r.request[:120]!r}\n      {r.text!r}"
            )
    whole = figures(by_way["rootcall"])
    return {
        **whole,
        "floor_majority": figures(by_way["majority"])["macro_f1"],
        "floor_three_patterns": figures(by_way["three patterns"])["macro_f1"],
        "groups": {g: {k: f[k] for k in ("n", "macro_f1", "coverage")} for g, f in groups.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--replies", type=Path, help="replies in several languages, one JSON object a line")
    parser.add_argument(
        "--errors", action="store_const", const="", help="print what was told wrongly, never of the held-out half"
    )
    parser.add_argument("--bar", action="store_true", help="fail below the bars")
    options = parser.parse_args()
    if options.path is None and options.replies is None:
        parser.error("give rows of When2Call, --replies FILE, or both")
    found: dict[str, Any] = {}
    met = True
    if options.path is not None:
        found = judge(when2call(options.path), "When2Call", options.errors)
        met = found["macro_f1"] >= BAR
    if options.replies is not None:
        told = judge(replies(options.replies), "replies", options.errors)
        found = {**found, "replies": told} if found else told
        met = met and told["macro_f1"] >= REPLIES_BAR
    print(json.dumps(found))
    return int(options.bar and not met)


if __name__ == "__main__":
    sys.exit(main())
