"""`rootcall formats`: what can be read, and how it is recognised."""

from __future__ import annotations

import click
from rich.text import Text

from rootcall.cli.common import console
from rootcall.readers import all_readers
from rootcall.report.terminal import hanging


@click.command()
def formats() -> int:
    """List the trace formats that can be read. The format is told from the content, or named with --format."""
    out = console()
    for reader in all_readers():
        out.print(hanging(f"{reader.name:<20}", Text(reader.description), "bold"))
    out.print(
        Text("\nEach as JSON or JSONL, plain, gzip or zstd; files, folders, patterns, or - for standard input.", "dim")
    )
    out.print(
        Text(
            "Tools for traces without them: --tools FILE (OpenAI, Anthropic, MCP or Gemini specs) or package.module:NAME.",
            "dim",
        )
    )
    return 0
