"""Formats that are read with a mapping of ours: what such a reader is made of, and nothing of the formats themselves.

The mappings lie in `rootcall/data`, and as examples to change in `examples/mapping`. A mapping is loaded when the first
file is read with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import share
from rootcall.trace import Trace

__all__ = ["shipped_reader"]

_DATA: Final = Path(__file__).parent.parent / "data"


@cache
def _mapped(name: str) -> Reader:
    from rootcall.readers.mapped import mapping_reader
    from rootcall.readers.mapping import load_mapping

    return mapping_reader(load_mapping(_DATA / f"{name}-mapping.yaml"))


def shipped_reader(
    name: str, description: str, is_ours: Callable[[Any], bool], marks: str, lacks: tuple[str, ...]
) -> Reader:
    """Return the reader of a format whose mapping is shipped. `is_ours` tells whether a record is of that format."""

    def detect(head: Head) -> float:
        return share(head, lambda value: 1.0 if is_ours(value) else 0.0)

    def read(stream: Stream) -> Iterator[Trace]:
        return _mapped(name).read(stream)

    return Reader(name, description, detect, read, marks, lacks)
