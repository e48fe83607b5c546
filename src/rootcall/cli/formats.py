"""`rootcall formats`: what can be read, and how it is recognised."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from rootcall.cli.common import console
from rootcall.readers import Reader, all_readers, find_reader
from rootcall.report.terminal import hanging


@click.command()
@click.argument("name", required=False)
def formats(name: str | None) -> int:
    """List the trace formats that can be read, or tell how NAME is recognised and what it cannot carry.

    The format is told from the content, or named with --format.
    """
    out = console()
    if name is not None:
        _one(find_reader(name), out)
        return 0
    for reader in all_readers():
        out.print(hanging(f"{reader.name:<20}", Text(reader.description), "bold"))
    for line in (
        "\nEach as JSON or JSONL, plain, gzip or zstd; files, folders, patterns, or - for standard input.",
        "Tools for traces without them: --tools FILE (OpenAI, Anthropic, MCP or Gemini specs) or package.module:NAME.",
        "How one is recognised and what it has no place for: rootcall formats NAME.",
    ):
        out.print(Text(line, "dim"))
    return 0


def _one(reader: Reader, out: Console) -> None:
    out.print(hanging(f"{reader.name:<20}", Text(reader.description), "bold"))
    lacks = reader.lacks or ("nothing that rootcall asks for",)
    marks = [
        ("recognised by", reader.marks or "not told"),
        ("has no place for", lacks[0]),
        *(("", x) for x in lacks[1:]),
    ]
    for mark, text in marks:
        out.print(hanging(f"{mark:<20}", Text(text)))
