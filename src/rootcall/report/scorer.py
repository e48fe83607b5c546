"""The report of a scorer over traces: both scores of each, and why they part."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rootcall.figures import count
from rootcall.mastra.batch import Batch, Scored
from rootcall.report.terminal import clean, short
from rootcall.trace import Problem

__all__ = ["print_scores"]

_SHOWN = 20
_PROBLEMS = 5


def print_scores(batch: Batch, scorer: str, problems: list[Problem], console: Console) -> None:
    """Print the means, the traces in which the semantics part (the first twenty), and what was left out."""
    console.print(Text.assemble((scorer, "bold"), f"  {count(len(batch.scored), 'trace')}"))
    for name, (mean, n) in batch.means().items():
        label = "mastra 1.10.2" if name == "original" else "rootcall"
        console.print(f"  {label:<14} mean {'–' if mean is None else f'{mean:.3f}'} over {n:,}", highlight=False)
    parting = list(batch.parting())
    console.print(f"  they part in {len(parting):,} of {len(batch.scored):,}", highlight=False)
    for kind, n in batch.kinds().most_common():
        console.print(f"    {n:>5,}  {kind}", highlight=False)
    if batch.scored:
        console.print()
        console.print(_rows(parting or batch.scored, console.width, all_=not parting), highlight=False)
    left = len(parting or batch.scored) - _SHOWN
    if left > 0:
        console.print(f"  … {count(left, 'more trace')}; --jsonl FILE has them all", style="dim", highlight=False)
    for problem in problems[:_PROBLEMS]:
        console.print(Text(f"  {short(clean(str(problem)), 4 * console.width)}", "yellow"), highlight=False)
    if len(problems) > _PROBLEMS:
        console.print(f"  … {count(len(problems) - _PROBLEMS, 'more problem')}", style="dim", highlight=False)


def _rows(rows: list[Scored], width: int, *, all_: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    table.add_column("trace", no_wrap=True, max_width=max(12, width // 3))
    table.add_column("mastra", justify="right")
    table.add_column("rootcall", justify="right")
    table.add_column("" if all_ else "why", overflow="fold")
    for row in rows[:_SHOWN]:
        why = "; ".join(f"{d.kind}: {d.message}" for d in row.found.differences if d.moves_score)
        table.add_row(
            clean(row.trace),
            _score(row.found.original),
            _score(row.found.corrected),
            Text(short(clean(why), 3 * width)),
        )
    return table


def _score(score: float | None) -> Text:
    return Text("–", "yellow") if score is None else Text(f"{score:g}", "green" if score == 1 else "red")
