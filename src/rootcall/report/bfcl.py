"""The table under a report that says where BFCL's verdict and ours part, with the first traces of each kind."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rootcall.bfcl.beside import KINDS, Beside, Parting
from rootcall.report.terminal import clean, short

__all__ = ["print_beside"]

_SHOWN = 3


def print_beside(beside: Beside, console: Console) -> None:
    """Print the counts of all kinds, and the first traces of those on which the verdicts part."""
    table = Table(
        title="BFCL and rootcall", title_justify="left", title_style="bold underline", box=None, show_header=False,
        pad_edge=False, padding=(0, 2, 0, 0),
    )  # fmt: skip
    table.add_column(justify="right", no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for kind in KINDS:
        text = Text(kind)
        for found in beside.first[kind][:_SHOWN] if kind.startswith("only") else ():
            text.append(f"\n{clean(found.trace)}: {_reason(found, console.width)}", "dim")
        table.add_row(f"{beside.counts[kind]:,}", text)
    if beside.without:
        table.add_row(f"{beside.without:,}", Text("without a case of BFCL's; its verdict is not known", "yellow"))
    console.print()
    console.print(table, highlight=False)


def _reason(found: Parting, width: int) -> str:
    failed = found.rootcall if found.bfcl.valid else found.bfcl
    return short(f"{failed.error_type}  {failed.message or ''}", 2 * (width - 10) - len(found.trace))
