"""`rootcall score`: judge traces, print the report, write one object a trace or a run folder where asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rootcall.case import Cases, load_cases
from rootcall.cli.common import (
    FileName,
    configuration,
    console,
    keep_inputs,
    lines_to,
    mapping_of,
    mapping_option,
    reading_options,
    refuse_runs,
    rule_options,
    with_progress,
)
from rootcall.cli.scorers import run_scorer, scorer_options
from rootcall.diagnosis import Verdict
from rootcall.errors import UsageError
from rootcall.readers import read
from rootcall.report.terminal import print_run
from rootcall.run import score as score_traces
from rootcall.trace import Trace

if TYPE_CHECKING:
    from rootcall.bfcl.beside import Beside


@click.command()
@click.argument("files", metavar="FILE...", type=FileName(), nargs=-1, required=True)
@click.option("--cases", metavar="FILE", type=FileName(), help="What right runs look like: JSONL, JSON or YAML.")
@reading_options
@mapping_option
@click.option(
    "--jsonl",
    metavar="FILE",
    type=FileName(),
    help="Write one object a trace; `-` is stdout, the report goes to stderr then.",
)
@click.option("--out", metavar="FOLDER", type=FileName(), help="Write the run to a folder.")
@rule_options
@click.option(
    "--semantics",
    metavar="NAME",
    type=click.Choice(["rootcall", "bfcl"]),
    default="rootcall",
    help="`bfcl` puts BFCL's verdict beside ours; its cases are wanted.",
)
@scorer_options
@click.option("--quiet", "-q", is_flag=True, help="No report and no progress bar.")
def score(
    files: Sequence[str],
    cases: str | None,
    format_: str,
    mapping: str | None,
    tools: str | None,
    jsonl: str | None,
    out: str | None,
    config: str | None,
    select: Sequence[str],
    ignore: Sequence[str],
    policy: str | None,
    glossary: str | None,
    semantics: str,
    quiet: bool,
    **scorer: Any,
) -> int:
    """Judge the traces in FILEs (also folders, globs, `-` for stdin) and report which layer broke.

    Exit code 0: everything was read, whatever the verdicts. 3: something was set aside, or nothing was scored.
    2: the command or a file as a whole is wrong.
    """
    refuse_runs(files, "score the traces it was made from, or `rootcall show FOLDER TRACE`")
    for option, output in (("--jsonl", jsonl), ("--out", out)):
        keep_inputs(option, output, files, (tools, cases, config, policy, mapping, glossary))
    by_scorer = run_scorer(files, scorer["scorer"], click.get_current_context().params)
    if by_scorer is not None:
        return by_scorer
    chosen = configuration(config, select, ignore, policy, glossary)
    loaded = load_cases(cases) if cases else None
    beside = _beside(loaded) if semantics == "bfcl" else None
    reading = read(files, format_, tools, mapping=mapping_of(mapping, format_, chosen))
    with ExitStack() as stack:
        shown = stack.enter_context(with_progress(reading, quiet=quiet))
        run = score_traces(
            shown,
            loaded,
            config=chosen,
            out=Path(out) if out else None,
            on_verdict=_line_writer(stack, jsonl, beside),
            reading=reading,
            inputs=list(files),
            keep=False,
        )
    if not quiet:
        print_run(run, console(stderr=jsonl == "-"), tools=tools, cases=cases, policy=policy)
        if beside is not None:
            from rootcall.report.bfcl import print_beside

            print_beside(beside, console(stderr=jsonl == "-"))
    if out and not quiet:
        click.echo(f"The run is in {out}", err=True)
    return run.exit_code


def _beside(cases: Cases | None) -> Beside:
    """What compares BFCL's verdict with ours; only cases imported from BFCL have one."""
    if cases is None:
        raise UsageError("--semantics bfcl needs --cases FILE with cases of `rootcall cases import bfcl`")
    from rootcall.bfcl.beside import Beside

    return Beside(cases)


def _line_writer(
    stack: ExitStack, jsonl: str | None, beside: Beside | None
) -> Callable[[Trace, Verdict], object] | None:
    """What writes one verdict a line to a file or to stdout, or None when nobody asked."""
    to_file = lines_to(stack, jsonl)
    if to_file is None:
        return None if beside is None else beside.look

    def write(trace: Trace, verdict: Verdict) -> None:
        line = verdict.to_dict()
        to_file(line if beside is None else {**line, "bfcl": beside.look(trace, verdict)})

    return write
