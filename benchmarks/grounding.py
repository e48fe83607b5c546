"""Are wrong values and names found in long prose that was written from a payload, and right ones left in peace?

    python benchmarks/grounding.py PATH [--glossary FILE] [--half A|B] [--misses] [--bar]

PATH is a JSONL file (gzip allowed) of one of two shapes, told by its keys. Each row becomes a trace: a user's request, one
call whose result is the payload, the text as the answer; the failing utilization checks are what is reported.

Box scores (`tokens`, `text_detok`, `payload`, `spans` by token with a type): a report counts for a gold error when they
share a token, each gold error and each report once (a maximum matching). Recall is over gold errors of a type, precision
over all reports against gold errors of all types. A report is a NUMBER when its first word is a number, digits or letters, a
NAME when it begins with a capital letter, else a WORD; the precision of NUMBER and NAME is over the reports of that type,
held against gold errors of every type. Beside it stands the floor of value presence: a number that stands nowhere in the payload.

Quintd (`output`, `payload`, `human`, `gpt4`, `domain`): F1 over the characters of INCORRECT spans, summed over rows,
against the human's spans, with the figure of GPT-4's spans of the same file beside it.

Intervals are the middle 95 % of 1,000 draws, by row for box scores, by payload for Quintd. The last line is JSON.
`--half` keeps rows with an even (A) or odd (B) index. `--bar` exits with 1 below the bars written down here.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bugcases import load
from rootcall.config import Config
from rootcall.glossary import load_glossary
from rootcall.judging import verdict
from rootcall.trace import Trace

BARS = {"number_name_recall": 0.60, "number_name_precision": 0.75}
DRAWS = 1_000
GLOSSARIES = {"ice_hockey": Path(__file__).with_name("grounding_hockey.yaml")}
Row = dict[str, Any]
Span = tuple[int, int]

NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "a",
    "an",
    "no",
    "pair",
    "trio",
]


class Counted(NamedTuple):
    """One row: gold errors with their type, reports with their type, and which of each the matching pairs."""

    gold: list[tuple[Span, str]]
    reports: list[tuple[Span, str]]
    found: set[int]
    right: set[int]
    scored: int
    unscored: int


def trace_of(name: str, payload: Any, answer: str, request: str) -> Trace:
    """A run that asked one tool and answered from what it returned."""
    call = {"id": "call_1", "type": "function", "function": {"name": "get_data", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": request},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(payload, ensure_ascii=False)},
        {"role": "assistant", "content": answer},
    ]
    return Trace.from_openai(messages, id=name)


def reported(trace: Trace, config: Config | None) -> tuple[list[Span], int, int]:
    """The spans of failing utilization checks in the answer, and how many of its units were scored and not."""
    judged = verdict(trace, config=config)
    at = trace.messages[-1].at
    spans = {
        c.span for c in judged.checks if c.layer == "utilization" and c.fails and c.span is not None and c.at == at
    }
    layer = judged.layers["utilization"]
    return sorted(spans), layer.scored, layer.unscored


# ---- box scores ------------------------------------------------------------------------------------------------


def places(tokens: Sequence[str], text: str) -> list[Span]:
    """Where the tokens stand in the text, in order. Marks may differ between the two ("DJ" for "D.J."), letters may not.

    Raises:
        ValueError: a token does not stand there.
    """
    found, at = [], 0
    for token in tokens:
        start = end = -1
        for letter in token:
            here = text.find(letter, at)
            if here < 0 or any(c.isalnum() for c in text[at:here]):
                if letter.isalnum():
                    raise ValueError(f"token {token!r} does not stand in the text behind character {at}")
                continue
            start = here if start < 0 else start
            at = end = here + 1
        found.append((max(start, 0), max(end, 0)))
    return found


def to_tokens(span: Span, where: Sequence[Span]) -> Span | None:
    """The tokens a span of characters touches, as `[first, last)`."""
    touched = [i for i, (start, end) in enumerate(where) if start < span[1] and span[0] < end]
    return (touched[0], touched[-1] + 1) if touched else None


def matched(gold: Sequence[Span], reports: Sequence[Span]) -> dict[int, int]:
    """A maximum matching of gold errors and reports that share a token, as report by gold error."""
    taken: dict[int, int] = {}

    def place(g: int, seen: set[int]) -> bool:
        for r, (start, end) in enumerate(reports):
            if r in seen or not (start < gold[g][1] and gold[g][0] < end):
                continue
            seen.add(r)
            if r not in taken or place(taken[r], seen):
                taken[r] = g
                return True
        return False

    for g in range(len(gold)):
        place(g, set())
    return {g: r for r, g in taken.items()}


def type_of(words: Sequence[str]) -> str:
    first = words[0]
    if first[0].isdigit() or first.lower().partition("-")[0] in NUMBERS:
        return "NUMBER"
    return "NAME" if first[0].isupper() else "WORD"


def count(row: Row, spans: Iterable[Span], scored: int = 0, unscored: int = 0) -> Counted:
    """Hold the reported character spans of a row against its gold errors."""
    where = places(row["tokens"], row["text_detok"])
    gold = [((s["tok_start"], s["tok_end"]), s["type"]) for s in row["spans"]]
    found = sorted({t for s in spans if (t := to_tokens(s, where)) is not None})
    reports = [(t, type_of(row["tokens"][t[0] : t[1]])) for t in found]
    pairs = matched([g for g, _ in gold], [r for r, _ in reports])
    return Counted(gold, reports, set(pairs), set(pairs.values()), scored, unscored)


def figures(rows: Sequence[Counted]) -> dict[str, float | None]:
    """Recall by type of gold error and precision by type of report, over all rows together."""

    def recall(*types: str) -> float | None:
        hits = [g in row.found for row in rows for g, (_, kind) in enumerate(row.gold) if not types or kind in types]
        return share(hits)

    def precision(*types: str) -> float | None:
        hits = [r in row.right for row in rows for r, (_, kind) in enumerate(row.reports) if not types or kind in types]
        return share(hits)

    scored, unscored = sum(row.scored for row in rows), sum(row.unscored for row in rows)
    return {
        "recall": recall(),
        "precision": precision(),
        "number_recall": recall("NUMBER"),
        "name_recall": recall("NAME"),
        "word_recall": recall("WORD"),
        "number_precision": precision("NUMBER"),
        "name_precision": precision("NAME"),
        "word_precision": precision("WORD"),
        "number_name_recall": recall("NUMBER", "NAME"),
        "number_name_precision": precision("NUMBER", "NAME"),
        "coverage": round(scored / (scored + unscored), 4) if scored + unscored else None,
    }


def share(hits: Sequence[bool]) -> float | None:
    return round(sum(hits) / len(hits), 4) if hits else None


def absent_numbers(row: Row) -> list[Span]:
    """The floor: numbers in digits or letters whose value stands nowhere in the payload."""
    values = {"zero": "0", "one": "1", **{w: str(n) for n, w in enumerate(NUMBERS[2:21], 2)}}
    held = set(re.findall(r"\d+", json.dumps(row["payload"])))
    numbers = [(m.span(), values.get(m[0], m[0])) for m in re.finditer(r"\d+|[a-z]+", row["text_detok"])]
    return [span for span, n in numbers if n.isdigit() and str(int(n)) not in held]


def box_scores(rows: Sequence[Row], config: Config | None, *, misses: bool) -> dict[str, Any]:
    counted = []
    for row in rows:
        spans, scored, unscored = reported(
            trace_of(row["id"], row["payload"], row["text_detok"], "Write a report of this game."), config
        )
        counted.append(count(row, spans, scored, unscored))
        if misses:
            print_misses(row, counted[-1])
    floor = [count(row, absent_numbers(row)) for row in rows]
    print(
        f"{len(rows)} rows, {sum(len(c.gold) for c in counted)} gold errors, {sum(len(c.reports) for c in counted)} reports"
    )
    print(
        "a report counts for a gold error when they share a token; each gold error and each report once (maximum matching)"
    )
    result = figures(counted)
    low_high = intervals(counted, figures)
    beside = figures(floor)
    print(f"\n{'':24} {'here':>22}   number that stands nowhere in the payload")
    for name, value in result.items():
        shown = "" if value is None else f"{value:.3f}" + "{:>16}".format("[{:.3f},{:.3f}]".format(*low_high[name]))
        other = beside[name]
        print(f"{name:24} {shown:>22}   {'' if other is None or name == 'coverage' else f'{other:.3f}'}")
    return {
        k: v for k, v in result.items() if not k.startswith("word") and k not in ("number_precision", "name_precision")
    }


def print_misses(row: Row, c: Counted) -> None:
    print(f"\n{row['id']}")
    for g, ((start, end), kind) in enumerate(c.gold):
        if g not in c.found:
            print(f"  missed {kind:7} {' '.join(row['tokens'][max(0, start - 6) : start])} [{' '.join(row['tokens'][start:end])}]"
                  f" {' '.join(row['tokens'][end : end + 6])}  -> {row['spans'][g]['correction']}")  # fmt: skip
    for r, ((start, end), kind) in enumerate(c.reports):
        if r not in c.right:
            print(f"  false  {kind:7} {' '.join(row['tokens'][max(0, start - 8) : start])} [{' '.join(row['tokens'][start:end])}]"
                  f" {' '.join(row['tokens'][end : end + 6])}")  # fmt: skip


# ---- Quintd ----------------------------------------------------------------------------------------------------


class Overlap(NamedTuple):
    """Characters of one text: in both, only reported, only gold."""

    both: int
    only_reported: int
    only_gold: int


def overlap(gold: Iterable[Span], reports: Iterable[Span]) -> Overlap:
    wanted = {i for start, end in gold for i in range(start, end)}
    said = {i for start, end in reports for i in range(start, end)}
    return Overlap(len(wanted & said), len(said - wanted), len(wanted - said))


@functools.cache
def domain_config(domain: str) -> Config | None:
    path = GLOSSARIES.get(domain)
    return None if path is None else Config(glossary=load_glossary(path))


def f1(rows: Iterable[Overlap]) -> float | None:
    both, only_reported, only_gold = (sum(x) for x in zip(*rows, strict=True))
    whole = 2 * both + only_reported + only_gold
    return round(2 * both / whole, 4) if whole else None


def incorrect(spans: Iterable[dict[str, Any]]) -> list[Span]:
    return [(s["start"], s["end"]) for s in spans if s["type"] == "INCORRECT"]


def quintd(rows: Sequence[Row], config: Config | None, *, misses: bool) -> dict[str, Any]:
    ours: dict[str, dict[int, list[Overlap]]] = defaultdict(lambda: defaultdict(list))
    theirs: dict[str, dict[int, list[Overlap]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        trace = trace_of(row["id"], row["payload"], row["output"], "Write about this data.")
        spans, _, _ = reported(trace, config or domain_config(row["domain"]))
        gold = [s for annotator in row["human"] for s in incorrect(annotator["spans"])]
        domain: str = {"ice_hockey": "hockey", "gsmarena": "phones"}.get(row["domain"]) or row["domain"]
        ours[domain][row["idx"]].append(overlap(gold, spans))
        theirs[domain][row["idx"]].append(overlap(gold, incorrect(row["gpt4"])))
        if misses:
            print(f"\n{row['id']}")
            for name, found, other in (("missed", gold, spans), ("false ", spans, gold)):
                for start, end in found:
                    if not any(a < end and start < b for a, b in other):
                        text = row["output"]
                        print(
                            f"  {name} {text[max(0, start - 50) : start]!r} [{text[start:end]!r}] {text[end : end + 30]!r}"
                        )
    result: dict[str, Any] = {}
    print(f"glossaries: {', '.join(f'{d} {p.name}' for d, p in GLOSSARIES.items()) if config is None else 'as given'}")
    print("F1 over the characters of INCORRECT spans, summed over rows, against one annotator a row")
    for domain, by_payload in sorted(ours.items()):
        groups = list(by_payload.values())
        value = f1([o for g in groups for o in g])
        flat = [o for g in groups for o in g]
        said = sum(o.both + o.only_reported for o in flat)
        wanted = sum(o.both + o.only_gold for o in flat)
        precision = sum(o.both for o in flat) / said if said else 0.0
        recall = sum(o.both for o in flat) / wanted if wanted else 0.0
        low, high = bounds(groups, lambda drawn: f1([o for g in drawn for o in g]))
        gpt4 = f1([o for g in theirs[domain].values() for o in g])
        print(
            f"{domain:8} {len(flat):4} rows  F1 {value} [{low:.3f},{high:.3f}]  precision {precision:.3f} recall {recall:.3f}   GPT-4 {gpt4}"
        )
        result[f"char_f1_{domain}"] = value
        result[f"gpt4_char_f1_{domain}"] = gpt4
    return result


# ---- intervals -------------------------------------------------------------------------------------------------


def intervals(
    rows: Sequence[Counted], of: Callable[[Sequence[Counted]], dict[str, float | None]]
) -> dict[str, tuple[float, float]]:
    """The middle 95 % of every figure over draws of the rows."""
    draw = random.Random(7)
    drawn = [of(draw.choices(rows, k=len(rows))) for _ in range(DRAWS)]
    return {name: middle([v for d in drawn if (v := d[name]) is not None]) for name in drawn[0]}


def bounds(
    groups: Sequence[list[Overlap]], of: Callable[[Sequence[list[Overlap]]], float | None]
) -> tuple[float, float]:
    draw = random.Random(7)
    return middle([of(draw.choices(groups, k=len(groups))) or 0.0 for _ in range(DRAWS)])


def middle(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values) or [0.0]
    return ordered[int(0.025 * (len(ordered) - 1))], ordered[int(0.975 * (len(ordered) - 1))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--glossary", type=Path, help="the project's words, YAML or JSON")
    parser.add_argument("--half", choices=("A", "B"), help="rows with an even (A) or odd (B) index only")
    parser.add_argument("--misses", action="store_true", help="list what was missed and what was reported wrongly")
    parser.add_argument("--bar", action="store_true", help="exit with 1 below the bars")
    options = parser.parse_args()
    rows = load(options.path)
    if options.half:
        rows = rows[0 if options.half == "A" else 1 :: 2]
    config = None
    if options.glossary is not None:
        config = Config(glossary=load_glossary(options.glossary))
    judge = box_scores if "tokens" in rows[0] else quintd
    result = judge(rows, config, misses=options.misses)
    print(json.dumps(result))
    return int(options.bar and any((result.get(name, bar) or 0.0) < bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
