"""`rootcall cases`: what is done with case files before anything is scored."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from rootcall.case import Cases
from rootcall.casefile import read_case_file
from rootcall.cli.common import FileName
from rootcall.errors import CaseError, UsageError
from rootcall.jsonline import encode_line
from rootcall.lint import GoldFault, lint
from rootcall.tools import load_tools


@click.group()
def cases() -> None:
    """Check case files, or make them from a benchmark."""


@cases.command("lint")
@click.argument("files", metavar="FILE...", type=FileName(), nargs=-1, required=True)
@click.option("--tools", metavar="FILE", type=FileName(), help="Tool specs, for cases that bring none of their own.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a fault on stdout.")
def lint_(files: Sequence[str], tools: str | None, as_json: bool) -> int:
    """Check the gold of the case FILEs: against itself, the tools' schemas, and its own other parts.

    Exit code 0: no error (there may be warnings). 1: the gold has errors. 2: a file or a case in it cannot be
    read; the other cases are checked all the same.
    """
    offered = load_tools(tools) if tools is not None else None
    found: list[GoldFault] = []
    refused: list[str] = []
    total = blind = 0
    for name in files:
        try:
            read, wrong = read_case_file(Path(name))
        except CaseError as error:
            read, wrong = [], str(error).splitlines()
        refused += wrong
        if not read:
            continue
        # The sound cases are looked at even where others are refused, so that everything is said at once.
        loaded = Cases((case for case, _ in read), source=name, places={case.id: place for case, place in read})
        total += len(loaded)
        blind += sum(case.tools is None for case in loaded) if offered is None else 0
        found += lint(loaded, offered)
    for fault in found:
        click.echo(json.dumps(fault.to_dict(), ensure_ascii=False) if as_json else str(fault))
    errors = sum(f.severity == "error" for f in found)
    counts = f"{_count(total, 'case')}, {_count(errors, 'error')}, {_count(len(found) - errors, 'warning')}"
    note = f"; {blind} without tools, whose names and schemas were not looked at (--tools FILE)" if blind else ""
    left_out = f"; {_count(len(refused), 'fault')} in cases that could not be read" if refused else ""
    if total or not refused:
        click.echo(counts + left_out + note, err=as_json)
    if refused:
        raise CaseError("\n".join(dict.fromkeys(refused)))
    return 1 if errors else 0


@cases.group("import")
def import_() -> None:
    """Turn the gold of a benchmark into a case file."""


@import_.command()
@click.argument("files", metavar="FILE...", type=FileName(), nargs=-1, required=True)
@click.option("--output", "-o", metavar="OUT", type=FileName(), help="The case file (JSONL); default: stdout.")
@click.option("--underscores", is_flag=True, help="The model was offered names with _ for each dot.")
def bfcl(files: Sequence[str], output: str | None, underscores: bool) -> int:
    """Import BFCL's single-turn questions with their possible answers, joined by id.

    FILEs are BFCL's question files and those of possible_answer/, in any order, or rows that hold both.

    Exit code 0: every row became a case. 3: some did not; they are listed. 2: none did.
    """
    from rootcall.bfcl import import_files

    if output is not None and any(
        Path(f).exists() and Path(output).exists() and Path(output).samefile(f) for f in files
    ):
        raise UsageError(f"-o {output}: would overwrite an input; name another file")
    made = import_files(files, dots_as_underscores=underscores)
    lines = b"".join(map(encode_line, made.cases))
    if output is None:
        sys.stdout.buffer.write(lines)
    else:
        try:
            Path(output).write_bytes(lines)
        except OSError as error:
            raise UsageError(f"-o {output}: cannot be written: {error.strerror}") from None
    for problem in made.problems:
        click.echo(str(problem), err=True)
    click.echo(f"{len(made.cases):,} cases, {len(made.problems):,} rows left out", err=True)
    return 3 if made.problems else 0


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
