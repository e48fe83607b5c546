"""`rootcall score --scorer NAME`: a scorer of names over traces of any format, with both semantics side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar

import click

from rootcall.case import load_cases
from rootcall.cli.common import console, lines_to, with_progress
from rootcall.errors import UsageError
from rootcall.readers import read

__all__ = ["run_scorer", "scorer_options"]

F = TypeVar("F", bound=Callable[..., Any])

# Written out, so that the scorers are imported only when one is asked for.
_NAMES = ("mastra:tool-call-accuracy-code",)


def scorer_options(command: F) -> F:
    """Add the options of scorers."""
    for option in (
        click.option(
            "--order", metavar="A,B", help="With --scorer: the tools that must be called, in order; '' for none."
        ),
        click.option("--strict", is_flag=True, help="With --scorer: nothing beside what is expected."),
        click.option("--expected-tool", metavar="NAME", help="With --scorer: the tool that must be called."),
        click.option(
            "--scorer", type=click.Choice(_NAMES), help="Score names as Mastra does, and say where we differ."
        ),
    ):
        command = option(command)
    return command


def run_scorer(files: Sequence[str], scorer: str | None, given: Mapping[str, Any]) -> int | None:
    """Run the scorer that the options of `score` ask for; None when they ask for none.

    Raises:
        UsageError: an option of scorers stands without one, or beside one that it has no meaning for.
    """
    own = {name: given[name] for name in ("expected_tool", "strict", "order")}
    if scorer is None:
        without = next((name for name, value in own.items() if value not in (None, False)), None)
        if without is not None:
            raise UsageError(f"--{without.replace('_', '-')} belongs to a scorer; add --scorer {_NAMES[0]}")
        return None
    for name in ("out", "policy", "glossary", "select", "ignore", "config"):
        if given[name]:
            raise UsageError(
                f"--{name} has no meaning with --scorer, which looks at names of tools alone; leave it out"
            )
    from rootcall.mastra.batch import Batch
    from rootcall.mastra.corrected import Expectation
    from rootcall.report.scorer import print_scores

    expected = None
    if own["expected_tool"] is not None or own["order"] is not None:
        order = None if own["order"] is None else [n.strip() for n in own["order"].split(",") if n.strip()]
        expected = Expectation.of(own["expected_tool"], order, strict=own["strict"])
    elif own["strict"]:
        raise UsageError(
            "--strict alone expects nothing; add --expected-tool NAME or --order A,B (a case says strict itself)"
        )
    batch = Batch(expected, load_cases(given["cases"]) if given["cases"] else None)
    reading = read(files, given["format_"], given["tools"], mapping=given["mapping"])
    with ExitStack() as stack:
        write = lines_to(stack, given["jsonl"])
        for trace in stack.enter_context(with_progress(reading, quiet=given["quiet"])):
            scored = batch.score(trace)
            if scored is not None and write is not None:
                write(scored.to_dict(scorer))
    problems = [*reading.problems, *batch.problems, *batch.unused()]
    if not given["quiet"]:
        print_scores(batch, scorer, problems, console(stderr=given["jsonl"] == "-"))
    unscored = any(row.found.corrected is None for row in batch.scored)
    return 3 if problems or unscored or not batch.scored else 0
