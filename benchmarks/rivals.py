"""How fast is a verdict beside other evaluators: the same cases, each from its JSON text, each tool in its own process.

    python benchmarks/rivals.py [PATH] [--cases N] [--rounds N] [--cache FOLDER] [--bar]

PATH is a JSONL file (gzip allowed) of BFCL rows with `model_output` and `possible_answer`, or of rows `{"trace", "case"}`;
without it the small data of the tests. Each becomes one line of JSON with the conversation, the reference
conversation, the tools and the case. The rivals are installed, pinned, into scratch environments below the cache folder
(by default in the system's folder for temporary files); what cannot be installed is said by name. Rounds are interleaved,
every round of a tool is a fresh process without a network, and the best counts.

rootcall stands there twice: asked what the others are asked (calls against gold), and with the full verdict over all
layers. `alike` is the share of cases whose pass or fail is that of rootcall's answer to the same question; equality is
not the same everywhere, so it only shows that a tool really judged. `decoding` is json.loads of the line and nothing else.

The last line is JSON: per tool cases_per_s, scored, alike and ratio (to rootcall's answer to the same question; below 1
is slower). `--bar` exits with 1 unless that answer comes faster than every rival's, and five times as fast as agentevals'.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bugcases import load

ROOT = Path(__file__).parent.parent
# The first of these that is there.
SMALL = [ROOT / "tests" / "data" / name for name in ("bfcl_small.jsonl.gz", "faults_small.jsonl.gz")]
WORKER = Path(__file__).with_name("rival_judges.py")
RIVALS = {
    "agentevals": ("agentevals==0.0.9",),
    "deepeval": ("deepeval==4.3.1",),
    "ragas": ("ragas==0.4.3", "langchain-community<0.4"),
    "google-adk": ("google-adk[eval]==2.13.0",),
}
OURS = ("rootcall-gold", "rootcall-full")
FACTOR = 5
Row = dict[str, Any]
# BFCL writes Python's names of types.
TYPES = {"dict": "object", "float": "number", "double": "number", "tuple": "array"}


def tool_calls(made: list[tuple[str, Any]]) -> Row:
    """The message that makes calls."""
    listed = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for i, (name, arguments) in enumerate(made)
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


def json_schema(node: Any) -> Any:
    """A BFCL schema in the words of JSON Schema."""
    if isinstance(node, list):
        return [json_schema(x) for x in node]
    if not isinstance(node, dict):
        return node
    out = {k: json_schema(v) for k, v in node.items()}
    kind = out.get("type")
    if kind == "any":
        del out["type"]
    elif isinstance(kind, str):
        out["type"] = TYPES.get(kind, kind)
    return out


def bfcl_case(row: Row) -> Row | None:
    """A case from a BFCL row, None where its output is no list of calls; of several right values the first is gold."""
    output, question = row["model_output"], row["question"]
    if not isinstance(output, list) or not all(
        isinstance(c, dict) and all(isinstance(v, dict) for v in c.values()) for c in output
    ):
        return None
    gold = [
        (name, {k: v[0] for k, v in arguments.items() if v and v[0] != ""})
        for call in row.get("possible_answer") or ()
        for name, arguments in call.items()
    ]
    sent = [(name, arguments) for call in output for name, arguments in call.items()]
    tools = [{"type": "function", "function": json_schema(f)} for f in row["function"]]
    return judged(row["id"], question[0], [tool_calls(sent)], gold, tools) if gold and len(question) == 1 else None


def trace_case(row: Row) -> Row | None:
    """A case from a trace with a case whose expected calls are plain values, None for others."""
    expected = ((row.get("case") or {}).get("expect") or {}).get("calls")
    if not isinstance(expected, list) or not expected or '{"$' in json.dumps(expected):
        return None
    gold = [(c["tool"], c.get("arguments") or {}) for c in expected]
    messages = row["trace"]["messages"]
    start = next((i for i, m in enumerate(messages) if m["role"] == "assistant"), len(messages))
    try:
        for m in messages:
            for c in m.get("tool_calls") or ():
                json.loads(c["function"]["arguments"])
    except ValueError:  # the others want an object as arguments
        return None
    return judged(row["id"], messages[:start], messages[start:], gold, row["trace"].get("tools") or [])


def judged(name: str, asked: list[Row], answered: list[Row], gold: list[tuple[str, Any]], tools: list[Row]) -> Row:
    calls = [{"tool": tool, "arguments": arguments} for tool, arguments in gold]
    return {
        "id": name,
        "messages": [*asked, *answered],
        "reference": [*asked, tool_calls(gold)],
        "tools": tools,
        "case": {"id": name, "expect": {"calls": calls, "extra": "forbid"}},
    }


def cases(path: Path, most: int) -> Iterator[Row]:
    found = 0
    for row in load(path):
        case = bfcl_case(row) if "model_output" in row else trace_case(row)
        if case is not None and found < most:
            found += 1
            yield case


def installed(name: str, cache: Path) -> tuple[Path | None, str]:
    """The Python of a rival's environment, made where there is none; else None and the reason."""
    folder = cache / "-".join((name, *RIVALS[name][0].split("==")[1:]))
    python, stamp = folder / "bin" / "python", folder / ".installed"
    if stamp.exists():
        return python, ""
    folder.parent.mkdir(parents=True, exist_ok=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *RIVALS[name]],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    stamp.touch()
    return python, ""


def once(python: Path, name: str, lines: Path) -> tuple[Row | None, str]:
    """One round of a tool in a process of its own; None and the reason when it broke off."""
    command = [str(python), str(WORKER), name, str(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=lines.parent)
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    result: Row = json.loads(done.stdout.splitlines()[-1])
    return result, ""


def rounds(pythons: dict[str, Path], lines: Path, n: int) -> dict[str, Row]:
    """The best round of each tool; the rounds of the tools take turns, so that a busy minute hits all alike."""
    best: dict[str, Row] = {}
    for _ in range(n):
        for name, python in list(pythons.items()):
            result, reason = once(python, name, lines)
            if result is None:
                if name in OURS:
                    sys.exit(f"{name} broke off: {reason}")
                print(f"{name} broke off: {reason}")
                del pythons[name]
            elif name not in best or result["seconds"] < best[name]["seconds"]:
                best[name] = result
    return best


def figures(best: dict[str, Row]) -> dict[str, Row]:
    """Speed, ratio and agreement of each tool."""
    ours = best[OURS[0]]
    speed = {name: sum(d != "2" for d in r["passed"]) / r["seconds"] for name, r in best.items()}
    out: dict[str, Row] = {}
    for name, r in best.items():
        both = [(a, b) for a, b in zip(r["passed"], ours["passed"], strict=True) if "2" not in (a, b)]
        alike = sum(a == b for a, b in both) / len(both) if both and name != "decoding" else None
        out[name] = {
            "cases_per_s": round(speed[name]),
            "ratio": round(speed[name] / speed[OURS[0]], 3),
            "scored": len(both),
            "passed": r["passed"].count("1"),
            "alike": None if alike is None else round(alike, 4),
        }
    return out


def meets(found: dict[str, Row]) -> bool:
    """Whether rootcall's answer is the fastest, and FACTOR times as fast as that of agentevals."""
    rivals = {name: found[name]["ratio"] for name in RIVALS if name in found}
    return len(rivals) == len(RIVALS) and max(rivals.values()) < 1 and rivals["agentevals"] * FACTOR <= 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?", default=next(p for p in SMALL if p.exists()))
    parser.add_argument("--cases", type=int, default=2000, help="how many cases at most")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "rootcall-rivals")
    parser.add_argument("--only", nargs="*", choices=[*RIVALS], default=[*RIVALS], help="these rivals, or none")
    parser.add_argument("--bar", action="store_true", help="exit with 1 unless rootcall is that much faster")
    options = parser.parse_args()
    pythons = dict.fromkeys((*OURS, "decoding"), Path(sys.executable))
    for name in options.only:
        python, reason = installed(name, options.cache)
        if python is None:
            print(f"{name} cannot be installed: {reason}")
        else:
            pythons[name] = python
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "cases.jsonl"
        rows = list(cases(options.path, options.cases))
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        found = figures(rounds(pythons, lines, max(1, options.rounds)))
    print(f"{len(rows)} cases of {options.path.name}, each from its JSON text; best of {options.rounds} rounds")
    print(f"  {'tool':16} {'cases/s':>9}  {'ratio':>7}  {'scored':>6}  {'passed':>6}  {'alike':>6}")
    for name, f in found.items():
        alike = "" if f["alike"] is None else f"{f['alike']:.3f}"
        print(f"  {name:16} {f['cases_per_s']:9,}  {f['ratio']:7.3f}  {f['scored']:6}  {f['passed']:6}  {alike:>6}")
    print(json.dumps(found))
    return int(options.bar and not meets(found))


if __name__ == "__main__":
    sys.exit(main())
