"""The report of a run in a terminal: layers, root causes, tools, the worst traces, what was set aside, what to do next.

Everything shown comes from a `Run`; nothing is computed here but widths. Readable at 80 columns and without colours.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rootcall.diagnosis import Verdict
from rootcall.figures import count
from rootcall.report.selection import headline, selection_blocks
from rootcall.report.words import NARROW, clean, rate, short, table
from rootcall.summary import CauseSummary, LayerSummary, Run

__all__ = ["STATUS_STYLE", "clean", "hanging", "print_run", "rate", "short", "verdict_block"]

STATUS_STYLE = {"pass": "green", "fail": "bold red", "unscored": "yellow", "n/a": "dim"}

_CAUSES_SHOWN = 10
_TOOLS_SHOWN = 10
_WORST_SHOWN = 3
_PROBLEMS_SHOWN = 5


def print_run(
    run: Run, console: Console, *, tools: str | None = None, cases: str | None = None, policy: str | None = None
) -> None:
    """Print the report of a run; `tools` and `cases` are options of the command, for the last line's suggestion."""
    for block in _blocks(run, console.width):
        console.print(block, highlight=False)
        console.print()
    # Not wrapped, so that the command can be copied.
    console.print(_next(run, tools, cases, policy), highlight=False, soft_wrap=True)


def _blocks(run: Run, width: int) -> Iterator[RenderableType]:
    if run.selection.judged:
        yield headline(run)
    yield _head(run)
    if run.total:
        yield _layers(run, width)
    yield from selection_blocks(run, width)
    if run.causes or run.unexplained:
        yield _causes(run, width)
    if any(t.failing or t.root_causes or t.errors for t in run.tools):
        yield _tools(run, width)
    if run.worst:
        yield _worst(run, width)
    if run.problem_counts:
        yield _problems(run, width)


def _head(run: Run) -> Text:
    text = Text()
    text.append(count(run.total, "trace"), "bold")
    for status, n in run.traces.items():
        if n:
            text.append("  ")
            text.append(f"{n:,} {status}", STATUS_STYLE[status])
    if len(run.formats) == 1:
        text.append(f"  read as {next(iter(run.formats))}", "dim")
    elif run.formats:
        text.append("\nread as " + ", ".join(f"{name} {n:,}" for name, n in run.formats.items()), "dim")
    text.append(f"\n{count(run.calls_in, 'call')} in = {run.calls_scored:,} scored + {run.calls_set_aside:,} set aside")
    if run.recovered:
        text.append(f"; {count(run.recovered, 'error')} recovered from")
    if run.not_read:
        text.append(f"; {count(run.not_read, 'part')} of the input not read", "yellow")
    if run.cases is not None:
        text.append(
            f"\n{count(run.cases, 'case')}: {run.matched:,} traces matched, {run.unmatched:,} judged without one"
        )
    if (cases := run.case_scores) is not None:
        answered = f"{cases.answered:,} of {count(cases.book.total, 'case')} answered"
        text.append(f"\n{answered}, {cases.right:,} right ({rate(cases.share.share)} of all)")
        if cases.book.missing:
            text.append(f"; {len(cases.book.missing):,} met by no trace", "yellow")
    return text


def _layers(run: Run, width: int) -> Table:
    listing = table()
    listing.add_column(Text("Layers", "bold underline"), no_wrap=True, style="bold")
    names = ("score", "95 % interval", "n", "coverage", "first try", "traces failing")
    shown = (0, 2, 5) if width < NARROW else range(len(names))
    for i in shown:
        listing.add_column(names[i] if width >= NARROW else names[i].split()[-1], justify="right", no_wrap=True)
    for name, layer in run.layers.items():
        cells = _layer_cells(layer)
        listing.add_row(name, *(cells[i] for i in shown))
    return listing


def _layer_cells(layer: LayerSummary) -> tuple[RenderableType, ...]:
    if not layer.scored:
        state = "unscored" if layer.unscored else "n/a"
        return Text(state, STATUS_STYLE[state]), "", "0", rate(layer.coverage), "", ""
    low, high = layer.interval or (0.0, 1.0)
    score = Text(f"{layer.score:.3f}", "red" if layer.passed < layer.scored else "green")
    failing = layer.traces.get("fail", 0)
    return (
        score,
        f"{low:.3f}-{high:.3f}",
        f"{layer.scored:,}",
        rate(layer.coverage),
        "" if layer.first_try_score is None else f"{layer.first_try_score:.3f}",
        Text(f"{failing:,}", "red" if failing else "dim"),
    )


def _causes(run: Run, width: int) -> Table:
    listing = table("Root causes")
    listing.add_column(justify="right", no_wrap=True, style="bold")
    listing.add_column(overflow="fold")
    for cause in run.causes[:_CAUSES_SHOWN]:
        listing.add_row(f"{cause.count:,} x", _cause(cause, width))
    if len(run.causes) > _CAUSES_SHOWN:
        rest = run.causes[_CAUSES_SHOWN:]
        listing.add_row(f"{sum(c.count for c in rest):,} x", Text(f"{len(rest)} more causes, fewer traces each", "dim"))
    if run.unexplained:
        listing.add_row(f"{run.unexplained:,} x", Text("failed, and no layer explains it", "dim"))
    return listing


def _cause(cause: CauseSummary, width: int) -> Text:
    text = Text(clean(str(cause)), "bold" if cause.layer != "environment" else "")
    text.append(f"\n{clean(cause.example)}: ", "dim")
    text.append(short(cause.finding.message, 2 * (width - 10) - len(cause.example)), "dim")
    return text


def _tools(run: Run, width: int) -> Table:
    listing = table()
    listing.add_column(Text("Tools", "bold underline"), overflow="fold", style="bold")
    columns = ("calls", "errors", "causes", "sel.", "arg.", "util.", "rec.")[: 3 if width < NARROW else None]
    for name in columns:
        listing.add_column(name, justify="right", no_wrap=True)
    layers = ("selection", "arguments", "utilization", "recovery")
    # A finding of the trajectory belongs to no tool, and the table has no column for it.
    listed = [t for t in run.tools if t.tool is not None or any(t.failing.get(name) for name in layers)]
    for tool in listed[:_TOOLS_SHOWN]:
        counts = (tool.calls, tool.errors, tool.root_causes, *(tool.failing.get(name, 0) for name in layers))
        cells = [Text(f"{n:,}", "" if n else "dim") for n in counts[: len(columns)]]
        listing.add_row(clean(tool.tool or "(no tool)"), *cells)
    if len(listed) > _TOOLS_SHOWN:
        listing.add_row(Text(f"{len(listed) - _TOOLS_SHOWN} more", "dim"))
    return listing


def _worst(run: Run, width: int) -> RenderableType:
    blocks: list[RenderableType] = [Text("Worst traces", "bold underline")]
    for i, verdict in enumerate(run.worst[:_WORST_SHOWN]):
        blocks.append(Padding(verdict_block(verdict, width, findings=3), (1 if i else 0, 0, 0, 0)))
    if (more := run.traces.get("fail", 0) - _WORST_SHOWN) > 0:
        blocks.append(Padding(Text(f"{more:,} more failed; --jsonl FILE lists them all", "dim"), (1, 0, 0, 0)))
    return Group(*blocks)


def verdict_block(verdict: Verdict, width: int, *, findings: int = 100) -> RenderableType:
    """One verdict as a block: status, root cause, its place and evidence, what follows from it, what else is wrong."""
    head = Text.assemble(
        (clean(verdict.trace), "bold"), "  ", (verdict.status.upper(), STATUS_STYLE[verdict.status]), "  "
    )
    cause = verdict.root_cause
    reason = Text()
    rows: list[RenderableType] = [hanging(head, reason)]
    if cause is not None:
        reason.append("root cause: ")
        reason.append(clean(str(cause)), "bold")
        where = Text(clean(cause.at), "cyan")
        where.append(f"  {verdict.source}", "dim")
        rows += [hanging("  ", where), hanging("  ", Text(short(cause.message, 3 * width)))]
    elif verdict.status == "fail":
        reason.append("no layer explains it")
        rows += [hanging("  ", Text(f"{c.rule}  {short(c.message, 2 * width)}")) for c in verdict.checks if c.fails]
    groups = (("contributing", verdict.contributing), ("also", verdict.also), ("recovered", verdict.recovered))
    for label, group in groups:
        for i, finding in enumerate(group[:findings]):
            text = Text(clean(str(finding)))
            text.append(f"  {short(finding.message, 2 * width)}", "dim")
            rows.append(hanging(f"  {'' if i else label:<14}", text))
        if len(group) > findings:
            rows.append(hanging(" " * 16, Text(f"and {len(group) - findings} more", "dim")))
    return Group(*rows)


def hanging(mark: str | Text, text: Text, style: str = "dim") -> Table:
    """A text that wraps under its own beginning, with a mark to the left of it."""
    left = Text(mark, style) if isinstance(mark, str) else mark
    grid = Table.grid()
    # A mark of more than half a narrow screen would leave no room for the text.
    grid.add_column(overflow="fold", width=min(left.cell_len, 40))
    grid.add_column(overflow="fold")
    grid.add_row(left, text)
    return grid


def _problems(run: Run, width: int) -> Table:
    """What was wrong with the input: each kind once with its count and its first places."""
    listing = table("Set aside and noted")
    listing.add_column(justify="right", no_wrap=True, style="bold")
    listing.add_column(overflow="fold")
    first = {code: list(group) for code, group in groupby(sorted(run.problems, key=lambda p: p.code), lambda p: p.code)}
    for code, n in sorted(run.problem_counts.items(), key=lambda item: -item[1]):
        text = Text(code, "yellow")
        shown = first.get(code, [])[: 1 if len(run.problem_counts) > _PROBLEMS_SHOWN else 2]
        for problem in shown:
            text.append(f"\n{problem.source}: {short(problem.message, 2 * width)}", "dim")
        listing.add_row(f"{n:,} x", text)
    return listing


def _next(run: Run, tools: str | None, cases: str | None, policy: str | None) -> Text:
    """The last line: the command that shows an example of what leads, else the worst trace, or what else makes sense."""
    if not run.total:
        return Text("Nothing was scored. `rootcall formats` lists what can be read.")
    verdict = run.worst[0] if run.worst else None
    if verdict is None:
        return Text("No layer failed. `rootcall explain` lists what was looked for.")
    example = run.selection.example
    trace, source = (verdict.trace, verdict.source) if example is None else (example.trace, example.source)
    if source.file in ("<memory>", "<stdin>"):
        rule = run.causes[0].rule if run.causes else ""
        return Text.assemble("Next: ", (f"rootcall explain {rule}".rstrip(), "bold"))
    given = (("--cases", cases), ("--tools", tools), ("--policy", policy))
    words = ["rootcall", "show", source.file, clean(trace), *(w for name, v in given if v for w in (name, v))]
    return Text.assemble("Next: ", (shlex.join(words), "bold"))
