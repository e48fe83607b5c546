"""`rootcall convert`: traces of any format as native lines or as OpenAI chat, with an account of what did not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

import click

from rootcall.cli.common import (
    FileName,
    configuration,
    keep_inputs,
    mapping_of,
    mapping_option,
    opened,
    reading_options,
    refuse_runs,
    with_progress,
)
from rootcall.export import FORMS, JUDGED, Form, export
from rootcall.jsonline import encode_line
from rootcall.readers import read
from rootcall.trace import Problem


@click.command()
@click.argument("files", metavar="FILE...", type=FileName(), nargs=-1, required=True)
@click.option("--to", "form", type=click.Choice(FORMS), default="native", show_default=True, help="The form to write.")
@click.option(
    "--out", metavar="FILE", type=FileName(), default="-", help="Where to write; `-` is stdout.", show_default=True
)
@reading_options
@mapping_option
@click.option(
    "--config",
    metavar="FILE",
    type=FileName(),
    help="Configuration, whose mapping is used; default: rootcall.toml or pyproject.",
)
def convert(
    files: Sequence[str],
    form: Form,
    out: str,
    format_: str,
    tools: str | None,
    mapping: str | None,
    config: str | None,
) -> int:
    """Write the traces in FILEs as one JSON object a line: rootcall's own form, or OpenAI chat.

    Exit code 0: everything was read. 3: something was set aside, or nothing was written. What the form has no place for
    is counted on stderr.
    """
    refuse_runs(files, "convert the traces it was made from")
    keep_inputs("--out", out, files, (tools, mapping, config))
    used = mapping_of(mapping, format_, configuration(config, (), ()))
    reading = read(files, format_, tools, mapping=used)
    lost: Counter[str] = Counter()
    traces = calls = 0
    problems: list[Problem] = []
    with ExitStack() as stack:
        file = opened(stack, "--out", out)
        for trace in stack.enter_context(with_progress(reading, quiet=out == "-")):
            row, left_out = export(trace, form)
            file.write(encode_line(row))
            lost += left_out
            traces, calls = traces + 1, calls + len(trace.calls)
            problems += (p for p in trace.problems if p.left_out)
    _account(form, lost, traces, calls)
    aside = reading.set_aside or problems
    problems = [*reading.problems, *problems]
    for problem in problems[:20]:
        click.echo(str(problem), err=True)
    more = reading.counts.total() - len(reading.problems) + len(problems) - 20
    if more > 0:
        click.echo(f"and {more} more problems", err=True)
    return 3 if aside or not traces else 0


def _account(form: Form, lost: Counter[str], traces: int, calls: int) -> None:
    """Say what was written, and what the form had no place for."""
    click.echo(f"{traces} traces, {calls} calls written as {form}", err=True)
    for what, n in sorted(lost.items()):
        click.echo(f"{form} has no place for: {what} ({n})", err=True)
    if not JUDGED.isdisjoint(lost):
        click.echo(
            "verdicts are made from that too: what is written can be judged otherwise than what was read", err=True
        )
