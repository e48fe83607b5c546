"""`rootcall convert`: traces of any format as native lines or as OpenAI chat, with an account of what did not fit."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import click

from rootcall.cli.common import FileName, keep_inputs, mapping_option, reading_options, refuse_runs, with_progress
from rootcall.errors import UsageError
from rootcall.export import FORMS, Form, export
from rootcall.jsonline import encode_line
from rootcall.readers import read


@click.command()
@click.argument("files", metavar="FILE...", type=FileName(), nargs=-1, required=True)
@click.option("--to", "form", type=click.Choice(FORMS), default="native", show_default=True, help="The form to write.")
@click.option(
    "--out", metavar="FILE", type=FileName(), default="-", help="Where to write; `-` is stdout.", show_default=True
)
@reading_options
@mapping_option
def convert(files: Sequence[str], form: Form, out: str, format_: str, tools: str | None, mapping: str | None) -> int:
    """Write the traces in FILEs as one JSON object a line: rootcall's own form, or OpenAI chat.

    Exit code 0: everything was read. 3: something was set aside, or nothing was written. What the form has no place for
    is counted on stderr.
    """
    refuse_runs(files, "convert the traces it was made from")
    keep_inputs("--out", out, files, (tools, mapping))
    reading = read(files, format_, tools, mapping=mapping)
    lost: Counter[str] = Counter()
    traces = calls = 0
    with ExitStack() as stack:
        file = _opened(stack, out)
        for trace in stack.enter_context(with_progress(reading, quiet=out == "-")):
            row, left_out = export(trace, form)
            file.write(encode_line(row))
            lost += left_out
            traces, calls = traces + 1, calls + len(trace.calls)
    click.echo(f"{traces} traces, {calls} calls written as {form}", err=True)
    for what, n in sorted(lost.items()):
        click.echo(f"{form} has no place for: {what} ({n})", err=True)
    for problem in reading.problems[:20]:
        click.echo(str(problem), err=True)
    if len(reading.problems) > 20:
        click.echo(f"and {reading.counts.total() - 20} more problems", err=True)
    return 3 if reading.set_aside or not traces else 0


def _opened(stack: ExitStack, out: str) -> IO[bytes]:
    if out == "-":
        stack.callback(sys.stdout.buffer.flush)
        return sys.stdout.buffer
    try:
        return stack.enter_context(Path(out).open("wb"))
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be written: {error.strerror}") from None
