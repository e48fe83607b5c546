"""The part of a run's report that cases make possible: tools by F1, false and missed calls, confusions, arguments.

Everything shown comes from a `Run`; nothing is computed here but widths. It leads with the worst, since a mean hides a
rare tool. Readable at 40 columns: what does not fit there is left to the JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rootcall.figures import FEW, Rate, ToolScore, count, figure
from rootcall.report.words import NARROW, clean, short, table
from rootcall.summary import Run
from rootcall.toolscores import SelectionScores

__all__ = ["headline", "selection_blocks"]

_TOOLS_SHOWN = 10
_CONFUSIONS_SHOWN = 8
_SINGLES_SHOWN = 3
_ARGUMENTS_SHOWN = 8
_NAMES_SHOWN = 5


def headline(run: Run) -> Text:
    """The first line of a report: the worst of the selection layer in one sentence."""
    return Text(clean(str(run.selection)), "bold red" if run.selection.ranking else "bold")


def selection_blocks(run: Run, width: int) -> Iterator[RenderableType]:
    """The blocks of a run that was judged against cases; without cases only what was done where nothing was called."""
    scores = run.selection
    if scores.judged:
        if any(t.n for t in scores.tools):
            yield _tools(scores, width)
        yield _rates(run, width)
        if scores.confusions:
            yield _confusions(scores, width)
    if set(scores.uncalled) - {"unread"} and not scores.judged:
        n = count(sum(scores.uncalled.values()), "trace")
        yield Text(f"Without a call: {n}{_acted(':', scores.uncalled)}")
    if run.arguments:
        yield _arguments(run, width)


def _tools(scores: SelectionScores, width: int) -> Table:
    """The expected tools, the worst first: F1 with its interval, and the counts of both shares."""
    tools = [t for t in scores.tools if t.expected]
    narrow = width < NARROW
    listing = table()
    listing.add_column(Text("Tools by F1", "bold underline"), overflow="fold", style="bold")
    for name in ("F1", "recall") if narrow else ("F1", "95 %", "recall", "precision"):
        listing.add_column(name, justify="right", no_wrap=True)
    for t in tools[:_TOOLS_SHOWN]:
        cells = (_score(t), _interval(t.f1_interval), _of(t.recall), _of(t.precision))
        listing.add_row(clean(t.tool), *(cells[::2] if narrow else cells))
    if len(tools) > _TOOLS_SHOWN:
        rest = tools[_TOOLS_SHOWN:]
        flawless = all(t.f1 == 1 for t in rest)
        listing.add_row(Text(f"{len(rest):,} more{', without a fault' if flawless else ''}", "dim"))
    return listing


def _score(t: ToolScore) -> Text:
    return Text(figure(t.f1), "green" if t.f1 == 1 else "yellow" if t.n < FEW else "red")


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{figure(ends[0])}-{figure(ends[1])}"


def _of(rate: Rate) -> str:
    return f"{rate.count:,}/{rate.n:,}" if rate.n else "-"


def _rates(run: Run, width: int) -> Table:
    """What is no figure of a single expected tool, a line each."""
    listing = table("Selection against the cases")
    listing.add_column(no_wrap=True, style="bold")
    listing.add_column(overflow="fold")
    for name, text in _rate_lines(run.selection, width):
        listing.add_row(name, text)
    return listing


def _rate_lines(scores: SelectionScores, width: int) -> Iterator[tuple[str, Text]]:
    macro, micro, weighted = scores.macro.f1, scores.micro.f1, scores.weighted.f1
    if macro.n:
        means = f"F1 {figure(macro.value)} macro ({count(macro.n, 'tool')}), {figure(micro.value)} micro ({count(micro.n, 'call')})"
        yield "means", Text(f"{means}, {figure(weighted.value)} weighted")
    if scores.no_call.n:
        drawn = [f"{tool} {n:,}" for tool, n in scores.drawn.items()]
        text = _rate_text(scores.false_calls, "no-call trace", "called something")
        text.append(f": {_names(drawn, width)}" if drawn else "")
        text.append(_acted("; without a call", scores.abstained), "dim")
        yield "false calls", text
    if scores.missed.n:
        text = _rate_text(scores.missed, "trace", "that wanted a call made none")
        text.append(f"; {scores.unparsed:,} left the text of one unparsed" if scores.unparsed else "")
        text.append(_acted("; instead", scores.instead))
        yield "missed calls", text
    if scores.disordered:
        yield "order", Text(f"{count(scores.disordered, 'expected call')} came out of order", "red")
    if scores.unexpected:
        names = [f"{t.tool} {t.calls:,}" for t in scores.unexpected]
        yield "unexpected", Text(f"called and expected by no case: {_names(names, width)}", "red")
    if scores.never_exercised:
        yield "untested", Text(f"offered, never expected, never called: {_names(scores.never_exercised, width)}", "dim")
    if scores.book is not None and scores.book.missing:
        yield "no trace", Text(_missing(scores, width), "yellow")


def _rate_text(rate: Rate, noun: str, what: str) -> Text:
    text = Text(f"{rate.count:,} of {count(rate.n, noun)} {what}", "red" if rate.count else "")
    text.append(f" ({figure(rate.share)}, 95 % {_interval(rate.interval)})", "dim")
    return text


def _acted(where: str, counts: Mapping[str, int]) -> str:
    """What was done where nothing was called: `; instead asked 3, refused 1`."""
    return f"{where} {', '.join(f'{act} {n:,}' for act, n in counts.items())}" if counts else ""


def _missing(scores: SelectionScores, width: int) -> str:
    """The cases that no trace met, and how many expected calls stand in them; those are in no figure above."""
    assert scores.book is not None
    book = scores.book
    unmet = sum(book.missing_expects.values())
    tail = f", with {count(unmet, 'expected call')}" if unmet else ""
    return f"{len(book.missing):,} of {count(book.total, 'case')}{tail}: {_names(book.missing, width)}"


def _names(names: Sequence[str], width: int) -> str:
    shown = ", ".join(short(n, width) for n in names[:_NAMES_SHOWN])
    return shown if len(names) <= _NAMES_SHOWN else f"{shown} and {len(names) - _NAMES_SHOWN:,} more"


def _confusions(scores: SelectionScores, width: int) -> Table:
    listing = table("Confusions")
    listing.add_column(justify="right", no_wrap=True, style="bold")
    listing.add_column(overflow="fold")
    # What happened once is told only where little else did.
    first = scores.confusions[:_CONFUSIONS_SHOWN]
    shown = [cell for i, cell in enumerate(first) if cell.count > 1 or i < _SINGLES_SHOWN]
    for cell in shown:
        text = Text(short(str(cell), 3 * width))
        text.append(f"  {short(cell.trace, width)}", "dim")
        listing.add_row(f"{cell.count:,} x", text)
    if rest := scores.confusions[len(shown) :]:
        listing.add_row(f"{sum(c.count for c in rest):,} x", Text(f"{count(len(rest), 'other pair')}", "dim"))
    return listing


def _arguments(run: Run, width: int) -> RenderableType:
    """The arguments that the cases judge, by the class of the value wanted, as far as one of them failed."""
    faulty = [a for a in run.arguments if a.passed < a.scored]
    scored, unscored = sum(a.scored for a in run.arguments), sum(a.unscored for a in run.arguments)
    open_ones = f"; {unscored:,} unscored" if unscored else ""
    if not faulty:
        return Text(
            f"All {scored:,} arguments that the cases judge are right{open_ones}"
            if scored
            else f"No argument could be judged{open_ones}"
        )
    narrow = width < NARROW
    listing = table()
    listing.add_column(Text("Arguments against the cases", "bold underline"), overflow="fold", style="bold")
    for name in ("right",) if narrow else ("wanted", "right", "95 %"):
        listing.add_column(name, justify="left" if name == "wanted" else "right", no_wrap=True)
    for a in faulty[:_ARGUMENTS_SHOWN]:
        cells = (a.argument_class or "", _of(a.rate), _interval(a.rate.interval))
        name = a.name if a.argument is not None else f"{a.tool} (unreadable)"
        listing.add_row(clean(name), *(cells[1:2] if narrow else cells))
    rest = len(faulty) - _ARGUMENTS_SHOWN
    fine = f"{scored - sum(a.scored for a in faulty):,} others right{open_ones}"
    listing.add_row(Text(f"{rest:,} more; {fine}" if rest > 0 else fine, "dim"))
    return listing
