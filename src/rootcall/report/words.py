"""What all terminal reports share: texts that cannot steer a terminal, shares in words, tables without lines."""

from __future__ import annotations

import re
from typing import Final

from rich.table import Table

__all__ = ["NARROW", "clean", "rate", "short", "table"]

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


NARROW: Final = 60
"""Below this width tables leave out what the JSON has as well."""


def table(title: str | None = None) -> Table:
    """A table without lines: under a title without a header, or with a header."""
    return Table(
        title=title, title_justify="left", title_style="bold underline", box=None, show_header=title is None,
        header_style="dim", pad_edge=False, padding=(0, 2, 0, 0),
    )  # fmt: skip


def rate(share: float | None) -> str:
    """A share in per cent; 99.96 % never reads as 100 %."""
    if share is None:
        return ""
    text = f"{100 * share:.0f} %"
    return "> 99 %" if text == "100 %" and share < 1 else "< 1 %" if text == "0 %" and share > 0 else text


def clean(text: str) -> str:
    """A text without what could steer a terminal (escape sequences, bells) or not be written (lone surrogates)."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def short(text: str, limit: int) -> str:
    """A text on one line, clean, cut to a length; the cut shows."""
    line = clean(" ".join(text.split()))
    return line if len(line) <= max(limit, 20) else line[: max(limit, 20) - 1] + "…"
