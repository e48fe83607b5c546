"""`rootcall show`: one trace with its checks beside the messages."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import click

from rootcall.case import load_cases
from rootcall.cli.common import (
    FileName,
    configuration,
    console,
    mapping_of,
    mapping_option,
    reading_options,
    rule_options,
)
from rootcall.errors import UsageError
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.report.transcript import print_transcript, print_verdict
from rootcall.run import read_run
from rootcall.trace import Trace


@click.command()
@click.argument("file", metavar="FILE", type=FileName())
@click.argument("trace", metavar="TRACE")
@click.option("--cases", metavar="FILE", type=FileName(), help="What right runs look like: JSONL, JSON or YAML.")
@reading_options
@mapping_option
@rule_options
@click.option("--short", is_flag=True, help="Show only the verdict.")
@click.option("--full", is_flag=True, help="Show texts, results and passing checks whole.")
def show(
    file: str,
    trace: str,
    cases: str | None,
    format_: str,
    mapping: str | None,
    tools: str | None,
    config: str | None,
    select: Sequence[str],
    ignore: Sequence[str],
    policy: str | None,
    glossary: str | None,
    short: bool,
    full: bool,
) -> int:
    """Print one trace of FILE with its checks beside the messages.

    TRACE is an id, the beginning of one, or a number counted from 1. FILE may be the folder of a run; its verdict is
    shown as it was written then.
    """
    if Path(file, "manifest.json").is_file():
        pairs = list(read_run(file))
        found = _find([t for t, _ in pairs], trace, file)
        judged = next(v for t, v in pairs if t is found)
    else:
        chosen = configuration(config, select, ignore, policy, glossary)
        loaded = load_cases(cases) if cases else None
        found = _find(list(read(file, format_, tools, mapping=mapping_of(mapping, format_, chosen))), trace, file)
        judged = verdict(found, loaded.find(found)[0] if loaded is not None else None, chosen)
    if short:
        print_verdict(judged, console())
    else:
        print_transcript(found, judged, console(), full=full)
    return 0


def _find(traces: Sequence[Trace], wanted: str, file: str) -> Trace:
    """The trace of that id, of that number, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or several; says which are near.
    """
    exact = [t for t in traces if t.id == wanted]
    if len(exact) > 1:
        numbers = ", ".join(str(n) for n, t in enumerate(traces, 1) if t.id == wanted)
        click.echo(
            f"rootcall: {len(exact)} traces of {file} are called {wanted!r}: by number {numbers}; this is the first",
            err=True,
        )
    if exact:
        return exact[0]
    if wanted.isdecimal() and 1 <= int(wanted) <= len(traces):
        return traces[int(wanted) - 1]
    starting = [t for t in traces if t.id.startswith(wanted)]
    if len(starting) == 1:
        return starting[0]
    if starting:
        some = ", ".join(t.id for t in starting[:5])
        raise UsageError(
            f"{len(starting)} traces of {file} begin with {wanted!r}: {some}{' …' if len(starting) > 5 else ''}"
        )
    near = difflib.get_close_matches(wanted, [t.id for t in traces], n=1)
    hint = (
        f"; did you mean {near[0]!r}?"
        if near
        else f"; it holds {len(traces)}, the first is {traces[0].id!r}"
        if traces
        else ""
    )
    raise UsageError(f"{file} has no trace {wanted!r}{hint}")
