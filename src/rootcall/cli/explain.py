"""`rootcall explain`: the documentation of a rule, or the list of all rules by layer."""

from __future__ import annotations

import difflib
from itertools import groupby

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rootcall.check import Rule
from rootcall.cli.common import console
from rootcall.errors import UsageError
from rootcall.lint import explained

_LABELS = (("looks at", "looks_at"), ("why", "why"), ("fails", "fails"), ("passes", "passes"))


@click.command()
@click.argument("rule", metavar="[RULE]", required=False)
def explain(rule: str | None) -> int:
    """Print what RULE looks at, why, and examples; without RULE, list all rules by layer."""
    known = explained()
    out = console()
    if rule is None:
        _list(out, known)
    elif any(name.partition("/")[0] == rule for name in known):
        _list(out, {name: r for name, r in known.items() if r.layer == rule})
    else:
        _print(out, _find(known, rule))
    return 0


def _find(known: dict[str, Rule], wanted: str) -> Rule:
    """A rule by its name; the part after the slash is enough where only one rule has it."""
    if wanted in known:
        return known[wanted]
    short = [r for name, r in known.items() if name.partition("/")[2] == wanted]
    if len(short) == 1:
        return short[0]
    if short:
        raise UsageError(f"{wanted!r} is a rule of several layers: {', '.join(r.name for r in short)}")
    names = {name: name for name in known} | {name.partition("/")[2]: name for name in known}
    near = difflib.get_close_matches(wanted, names, n=1)
    hint = f"did you mean {names[near[0]]!r}?" if near else "`rootcall explain` lists the rules"
    raise UsageError(f"no rule is called {wanted!r}; {hint}")


def _list(out: Console, known: dict[str, Rule]) -> None:
    width = max(len(rule.name.partition("/")[2]) for rule in known.values()) + 2
    for layer, members in groupby(known.values(), key=lambda r: r.layer):
        out.print(Text(layer, "bold"))
        for rule in members:
            hint = " (hint)" if rule.grade == "hint" else ""
            line = Text(f"  {rule.name.partition('/')[2]:<{width}}")
            line.append(f"{_first_sentence(rule.looks_at)}{hint}", "dim")
            line.truncate(out.width, overflow="ellipsis")
            out.print(line)
    out.print(Text("\n`rootcall explain RULE` tells more about one of them.", "dim"))


def _print(out: Console, rule: Rule) -> None:
    out.print(
        Text(rule.name, "bold"),
        Text({"proof": "", "likely": "likely", "hint": "hint, never fails a trace"}[rule.grade]),
    )
    for label, field in _LABELS:
        out.print(Text(f"\n{label}", "bold"))
        out.print(Padding(Text(getattr(rule, field).strip()), (0, 0, 0, 2)))
    if rule.options:
        out.print(Text("\noptions", "bold"))
    for name, (default, what) in rule.options.items():
        line = Text(f"{name} = {default!r}")
        line.append(f"  {what}", "dim")
        out.print(Padding(line, (0, 0, 0, 2)))
    if rule.options:
        out.print(Text(f'\nset in rootcall.toml: [rules."{rule.name}"]', "dim"))


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".")
