"""BFCL: is its checker's verdict reproduced, and where do we part from it?

    python benchmarks/bfcl.py [PATH] [--bar] [--table] [--misses]

PATH is a JSONL file, gzip or plain, of rows `{"id", "category", "mutation", "question", "function", "possible_answer",
"model_output", "official_valid", "official_error_type", "name_dots_as_underscores"}`, or of multi-turn rows with
`ground_truth` and the `verdicts` on mutated trajectories. For each category and each kind of mutation: how many the official
checker accepts, how many our reproduction of it, how many rootcall. `--table` prints the same as Markdown, and without a
PATH only the quirks, which are made by hand. `--misses` lists rows whose verdict or error type is not reproduced, and every
gold row that fails a check of ours. The last line is JSON; `--bar` exits with 1 when less than 99.9 % of the verdicts are
reproduced, or a gold fails its own value check.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rootcall.bfcl import case_of, check, judged, trace_of
from rootcall.calltext import parse_calls
from rootcall.case import Case
from rootcall.check import Check
from rootcall.judging import verdict
from rootcall.readers.bfcl import turns_of
from rootcall.trace import Trace

BAR = 0.999
Row = dict[str, Any]

# The rules that speak for the schema: each keyword's own.
SCHEMA_RULES = tuple(
    f"arguments/{name}"
    for name in (
        "wrong-type", "number-as-string", "boolean-as-string", "null-not-allowed", "enum-unknown", "enum-case", "range", "pattern",
        "length", "items", "schema", "missing-required", "unknown-argument",
    )
)  # fmt: skip

# Why the verdicts part on a kind of mutation. What is not listed never parted when this was written.
REASONS = {
    "args_as_string": "arguments as JSON text are how OpenAI sends them; whether they are right is told by their values",
    "call": "BFCL looks at no argument in its relevance categories; the values break the schema",
    "date_slash": "BFCL strips `/` and `-` before it compares; the format is another",
    "date_dmy": "BFCL strips the separators, and day and month are both 01",
    "dict_case_and_float": "BFCL folds the case of texts in objects",
    "float_as_int": "the gold breaks its own schema, see below",
    "float_eps": "BFCL has no tolerance; numbers within 1e-9 are one number",
    "gold": "Java and JavaScript literals that BFCL's patterns do not read; golds that break their own schema",
    "gold_alt_option": "a Java literal; golds that break their own schema or the tool's description",
    "gold_explicit_optional": "golds that break their own schema",
    "calls_reversed": "golds that break their own schema",
    "int_as_float": "BFCL wants the exact type; 5.0 is an integer in JSON Schema",
    "list_int_as_float": "as above, in a list",
    "list_string_case": "BFCL folds the case of texts in lists",
    "optional_empty_string": "in BFCL's gold an empty text says that the argument may be left out, and is accepted as a value too",
    "optional_schema_default": "a declared default sent is the same as none sent",
    "string_case": "BFCL folds the case of texts",
    "string_dots_hyphens": "BFCL strips space and `, . / - _ * ^` before it compares",
    "string_typo": "two neighbours were swapped, one of them a space or a mark that BFCL strips: `Ne wYork`",
}


class Judged(NamedTuple):
    """One row with the three verdicts on it."""

    row: Row
    equal: bool
    bfcl: bool
    ours: bool
    failing: tuple[Check, ...]


def load(path: Path) -> Iterator[Row]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    return (json.loads(line) for line in text.splitlines() if line.strip())


# --- single-turn rows -------------------------------------------------------------------------------------------------


def judge(row: Row) -> Judged:
    """The official verdict reproduced, and ours."""
    case = Case.from_dict(case_of(row))
    official = check(case, row["model_output"])
    found = verdict(trace_of(case, row["model_output"]), case)
    same = (official.valid, official.error_type) == (row["official_valid"], row["official_error_type"])
    failing = tuple(c for c in found.checks if c.fails and c.layer in ("selection", "arguments"))
    return Judged(row, same, official.valid, judged(found).valid, failing)


def is_gold(row: Row) -> bool:
    return str(row["mutation"]).startswith("gold")


def refused(golds: Iterable[Judged], *, schema: bool) -> dict[str, list[str]]:
    """Golds that we refuse though they are sent as they stand: row → argument and rule.

    With `schema` those that break their own tool's schema, else those that another rule speaks against.
    """
    found: dict[str, list[str]] = {}
    for j in golds:
        names = [f"{c.argument or c.tool} {c.rule}" for c in j.failing if (c.rule in SCHEMA_RULES) == schema]
        if names:
            found[j.row["id"]] = list(dict.fromkeys(names))
    return found


def first_options(found: Iterable[str]) -> list[str]:
    """Of rows, those that send the first option of everything: there the gold itself is at fault, not one option of it."""
    return sorted(name.removesuffix("#gold") for name in found if name.endswith("#gold"))


def print_groups(rows: Sequence[Judged], key: str, *, table: bool) -> None:
    """One line for each category or mutation."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for j in rows:
        groups[j.row[key]].append(j)
    head = (key, "n", "official", "bfcl", "rootcall", "only BFCL passes", "only rootcall passes")
    print_line((*head, *(("why they part",) if table and key == "mutation" else ())), table=table)
    if table:
        print("|---|" + "---:|" * (len(head) - 1) + ("---|" if key == "mutation" else ""))
    for name in sorted(groups):
        group = groups[name]
        cells = (
            name, len(group), sum(j.row["official_valid"] for j in group), sum(j.bfcl for j in group), sum(j.ours for j in group),
            sum(j.bfcl and not j.ours for j in group), sum(j.ours and not j.bfcl for j in group),
        )  # fmt: skip
        parted = cells[5] or cells[6]
        why = (REASONS.get(name, "see --misses") if parted else "",) if table and key == "mutation" else ()
        print_line((*cells, *why), table=table)
    print()


def print_line(cells: Sequence[object], *, table: bool) -> None:
    if table:
        print("| " + " | ".join(str(c) for c in cells) + " |")
    else:
        print(
            f"{cells[0]!s:24}"
            + "".join(f"{c!s:>{max(len(str(h)) + 2, 9)}}" for c, h in zip(cells[1:], _HEADS, strict=False))
        )


_HEADS = ("n", "official", "bfcl", "rootcall", "only BFCL passes", "only rootcall passes")


def single(rows: Iterable[Row], options: argparse.Namespace) -> int:
    found = [judge(row) for row in rows]
    for key in ("category", "mutation"):
        print_groups(found, key, table=options.table)
    golds = [j for j in found if is_gold(j.row)]
    broken, spoken_against = refused(golds, schema=True), refused(golds, schema=False)
    if options.misses:
        for j in found:
            if not j.equal:
                print(f"  {j.row['id']}: official {j.row['official_error_type']}, not reproduced")
        for name, why in (*broken.items(), *spoken_against.items()):
            print(f"  {name}: {'; '.join(why)}")
    equal = sum(j.equal for j in found)
    value_ok = sum(not any(c.rule == "arguments/value-mismatch" for c in j.failing) for j in golds)
    result = {
        "equal": equal, "total": len(found), "rate": round(equal / len(found), 6) if found else None,
        "gold_value_ok": value_ok, "gold_total": len(golds), "gold_conflicts": first_options(broken),
        "option_conflicts": sorted(n for n in broken if not n.endswith("#gold")), "gold_spoken_against": sorted(spoken_against),
    }  # fmt: skip
    print(json.dumps(result))
    return int(options.bar and (not found or equal < BAR * len(found) or value_ok < len(golds)))


# --- quirks, by hand --------------------------------------------------------------------------------------------------


class Quirk(NamedTuple):
    """A response on which the verdicts part, or a gold that nothing meets."""

    name: str
    category: str
    properties: dict[str, Any]
    gold: list[dict[str, Any]] | None
    response: Any
    why: str


def _one(kind: str, gold: Any, sent: Any, **more: Any) -> tuple[dict[str, Any], list[Any], list[Any]]:
    return {"a": {"type": kind, **more}}, [{"f": {"a": gold}}], [{"f": {"a": sent}}]


def _quirk(name: str, why: str, kind: str, gold: Any, sent: Any, category: str = "simple_python", **more: Any) -> Quirk:
    return Quirk(name, category, *_one(kind, gold, sent, **more), why)


UNPARSED = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
QUIRKS = (
    _quirk('"1.5" for "15"', "the point is stripped", "string", ["15"], "1.5"),
    _quirk('"-5" for "5"', "the sign is stripped", "string", ["5"], "-5"),
    _quirk('"2023-1-11" for "2023-11-1"', "the separators are stripped", "string", ["2023-11-1"], "2023-1-11"),
    _quirk('"2024/05/01" for "2024-05-01"', "the separators are stripped", "string", ["2024-05-01"], "2024/05/01"),
    _quirk("a declared default, sent", "the gold does not list it", "integer", [""], 10, default=10),
    _quirk("null where nothing may be sent", "null is another thing than nothing", "integer", [1, ""], None),
    _quirk("an empty text where nothing may be sent", "the mark is a value too", "string", ["x", ""], ""),
    _quirk("[1] for [1.0]", "members are of the exact type", "array", [[1.0]], [1], items={"type": "float"}),
    _quirk("{k: true} for {k: 1}", "equality is Python's", "dict", [{"k": [1]}], {"k": True}),
    _quirk("0.1 + 0.2 for 0.3", "no tolerance", "float", [0.3], 0.30000000000000004),
    Quirk("an unparsed call where none is right", "irrelevance", {"a": {"type": "integer"}}, None, UNPARSED,
          "what cannot be decoded counts as an abstention"),
    Quirk("an unparsed call where one is right", "simple_python", {"a": {"type": "integer"}}, [{"f": {"a": [1]}}], UNPARSED,
          "both refuse it"),
    Quirk("calls 1, 2 for the golds {1 or 2}, {1}", "parallel", {"a": {"type": "integer"}},
          [{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}], [{"f": {"a": 1}}, {"f": {"a": 2}}], "the first fit is taken, for worse"),
    _quirk("a Java long without its L", "its pattern wants the L", "long", [5], "5", "simple_java"),
    _quirk("any value where the gold is empty", "no option is accepted", "string", [], "x"),
)  # fmt: skip


def quirk_table() -> Iterator[str]:
    """The quirks as lines of Markdown, judged now."""
    yield "| response | BFCL | rootcall | why |"
    yield "|---|---|---|---|"
    for quirk in QUIRKS:
        parameters = {"type": "dict", "properties": quirk.properties, "required": []}
        function = {"name": "f", "description": "A tool.", "parameters": parameters}
        question = [[{"role": "user", "content": "Do it."}]]
        row = {"id": "quirk_0", "category": quirk.category, "question": question, "function": [function]}
        case = Case.from_dict(case_of({**row, "possible_answer": quirk.gold}))
        both = [check(case, quirk.response, semantics) for semantics in ("bfcl", "rootcall")]
        shown = ["passes" if r.valid else f"`{r.error_type}`" for r in both]
        yield f"| {quirk.name} | {shown[0]} | {shown[1]} | {quirk.why} |"


# --- multi-turn rows --------------------------------------------------------------------------------------------------


def gold_case(row: Row) -> Case:
    """All gold calls of a row, each with all its arguments; extra reads are free."""
    calls = [c for turn in turns_of(row) or () for text in turn for c in parse_calls(text).calls]
    listed = [{"tool": c.name, "arguments": c.placed, "extra_arguments": "forbid"} for c in calls]
    return Case.from_dict({"id": row["id"], "expect": {"calls": listed}})


def trajectory(row: Row, turns: list[list[list[str]]]) -> Trace:
    """A trace of user turns and calls, step by step; what the calls returned is not known."""
    messages: list[dict[str, Any]] = []
    for t in range(max(len(row["question"]), len(turns))):
        messages += row["question"][t] if t < len(row["question"]) else []
        for step in turns[t] if t < len(turns) else ():
            calls = [{"function": {"name": c.name, "arguments": c.placed}} for x in step for c in parse_calls(x).calls]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
    return Trace.from_openai(messages, id=row["id"])


def multi(rows: Iterable[Row], options: argparse.Namespace) -> int:
    count: dict[str, Counter[str]] = defaultdict(Counter)
    golds = gold_ok = 0
    for row in rows:
        case = gold_case(row)
        steps = [[[text] for text in turn] for turn in turns_of(row) or ()]
        found = verdict(trajectory(row, steps), case)
        golds += 1
        gold_ok += not any(c.fails and c.rule == "arguments/value-mismatch" for c in found.checks)
        for name, mutated in row.get("verdicts", {}).items():
            ours = judged(verdict(trajectory(row, mutated["model_calls"]), case))
            kind = count[name.partition(" ")[0]]
            kind.update(("n", *(["official"] if mutated["valid"] else []), *(["rootcall"] if ours.valid else [])))
            kind[
                {(True, False): "only BFCL", (False, True): "only rootcall"}.get(
                    (mutated["valid"], ours.valid), "agree"
                )
            ] += 1
            if options.misses and mutated["valid"] != ours.valid:
                print(
                    f"  {row['id']} {name}: official {mutated['error_type']}, rootcall {ours.error_type} {ours.message}"
                )
    columns = ("n", "official", "rootcall", "agree", "only BFCL", "only rootcall")
    print_line(("mutation", *columns), table=options.table)
    if options.table:
        print("|---|" + "---:|" * len(columns))
    for name in sorted(count):
        print_line((name, *(count[name][c] for c in columns)), table=options.table)
    agree, total = (sum(c[k] for c in count.values()) for k in ("agree", "n"))
    print(json.dumps({"agree": agree, "total": total, "gold_value_ok": gold_ok, "gold_total": golds}))
    return int(options.bar and (not golds or gold_ok < golds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--bar", action="store_true", help="exit with 1 below the bar")
    parser.add_argument("--table", action="store_true", help="print Markdown")
    parser.add_argument("--misses", action="store_true", help="list what is not met, with the reason")
    options = parser.parse_args()
    for line in quirk_table():
        print(line)
    print()
    if options.path is None:
        return 0
    rows = list(load(options.path))
    return (multi if rows and turns_of(rows[0]) is not None else single)(rows, options)


if __name__ == "__main__":
    sys.exit(main())
