"""`rootcall demo`: scores the traces that come with rootcall, the flight pair first, and says what to try next."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rootcall.cli.common import console
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.report.terminal import print_run, verdict_block
from rootcall.run import score

_DATA = Path(__file__).parent.parent / "data"
_FLIGHT = _DATA / "flight.jsonl"
_AIRLINE = _DATA / "tau-airline.jsonl.gz"
_TOOLS = _DATA / "tau-airline-tools.json"

_STORY = {
    "flight": 'The user wants a flight "next Friday". The agent picks the right tool, sends the words as the date, gets a '
    "400 that says what is wanted, sends the same call again and again, and apologises.",
    "recovered": "The same first call, the same 400. This agent reads it and sends the date: the error is recovered from, "
    "and the trace passes.",
    "misread": "The call is right and the result is right. The answer turns 21850 cents into $281.50.",
}


@click.command()
def demo() -> int:
    """Score traces that come with rootcall: a flight agent, and real runs of tau-bench's airline agent."""
    out = console()
    flights = {t.id: t for t in read(_here(_FLIGHT))}
    _heading(out, "1. One agent, three ways to go wrong or right")
    for name, story in _STORY.items():
        out.print(Padding(Text(story, "dim"), (1, 0, 0, 0)))
        out.print(verdict_block(verdict(flights[name]), out.width))
    _heading(out, "2. Real runs: tau-bench airline, gpt-4o, what the published traces say")
    out.print()
    print_run(score(read(_here(_AIRLINE), tools=_TOOLS), keep=False), out, tools=str(_here(_TOOLS)))
    _heading(out, "3. What to try next")
    out.print()
    for command, what in (
        (f"rootcall show {quote(str(_here(_FLIGHT)))} flight", "that trace with its checks beside the messages"),
        ("rootcall explain arguments/relative-date", "what that rule looks at, and why"),
        ("rootcall score YOUR_TRACES.jsonl", "your own traces; `rootcall formats` lists what can be read"),
    ):
        out.print(Text(command, "bold"), soft_wrap=True)
        out.print(Text(f"  {what}", "dim"))
    return 0


def _heading(out: Console, text: str) -> None:
    out.print(Text(f"\n{text}", "bold underline"))


def _here(path: Path) -> Path:
    """The shortest way to say a path from the current folder."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
