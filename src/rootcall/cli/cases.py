"""`rootcall cases`: what there is to do with case files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from rootcall.errors import UsageError
from rootcall.jsonline import encode_line


@click.group()
def cases() -> None:
    """Make case files from what others call gold."""


@cases.group("import")
def import_() -> None:
    """Turn the gold of a benchmark into a case file."""


@import_.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--output", "-o", metavar="OUT", type=click.Path(), help="The case file (JSONL); default: stdout.")
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
