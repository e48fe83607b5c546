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
    if given["semantics"] != "rootcall":
        raise UsageError(f"--semantics {given['semantics']} has no meaning with --scorer, which shows both of its own")
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
        if own["expected_tool"] is not None and not own["expected_tool"].strip():
            raise UsageError("--expected-tool is empty; name the tool that must be called")
        order = None if own["order"] is None else _names(own["order"])
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
    beside = [*batch.problems, *batch.unused()]
    if not given["quiet"]:
        print_scores(
            batch, scorer, [*reading.problems, *beside, *batch.unknown()], console(stderr=given["jsonl"] == "-")
        )
    unscored = any(row.found.corrected is None for row in batch.scored)
    return 3 if reading.set_aside or beside or unscored or not batch.scored else 0


def _names(order: str) -> list[str]:
    """The names of an order; an empty text says that no call is right.

    Raises:
        UsageError: a name between commas is empty.
    """
    names = [name.strip() for name in order.split(",")] if order.strip() else []
    if not all(names):
        raise UsageError(f"--order {order!r}: a name is empty; write A,B with names between commas, or '' for no call")
    return names
