"""Large files of a format, made of a small one: its records again and again, each time with other ids.

For `formats.py`, which measures on them how fast a format is read: on samples of a few kB only fixed costs show. How the
records are put together is tried out: the first way counts in which three copies hold three times the traces and the calls.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["WAYS", "pieces"]

_ID = re.compile(r"(?=.*\d)[\w.:+/=-]{4,}\Z")
_HEX = re.compile(r"(0x)?[0-9a-f]{16,}\Z")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_LONG = 16


def pieces(file: Path) -> list[Any]:
    """The values of a file: its lines (of an event stream, their data), or the one document that it is."""
    text = file.read_text("utf-8")
    try:
        return [json.loads(text)]
    except ValueError:
        lines = (line.removeprefix("data: ").strip() for line in text.splitlines())
        return [json.loads(line) for line in lines if line[:1] in ("{", "[")]


def _ids(value: Any) -> Iterator[str]:
    """All texts with a digit that stand under a key that ends in id."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for k, v in inner:
        if isinstance(v, str):
            if isinstance(k, str) and k.lower().endswith("id") and _ID.match(v):
                yield v
        else:
            yield from _ids(v)


def _other(text: str, number: int) -> str:
    """Another id of the same kind."""
    fresh = hashlib.sha256(f"{text} {number}".encode()).hexdigest()
    if _UUID.match(text):
        return f"{fresh[:8]}-{fresh[8:12]}-{fresh[12:16]}-{fresh[16:20]}-{fresh[20:32]}"
    if _HEX.match(text):
        return text[:2] + fresh[: len(text) - 2] if text.startswith("0x") else fresh[: len(text)]
    return f"{text[: max(len(text) - 8, 1)]}{fresh[:8]}"


def _copies(values: list[Any], times: int) -> Iterator[str]:
    """The values as lines of JSON, so many times over, each time with other ids; what refers to an id still does."""
    texts = [json.dumps(v, ensure_ascii=False) for v in values]
    known = sorted(set(_ids(values)), key=len, reverse=True)
    # A short id may be a part of any word; a long one is written into other texts too.
    found = re.compile("|".join(re.escape(i if len(i) >= _LONG else f'"{i}"') for i in known)) if known else None
    for n in range(times):
        fresh = {i: _other(i, n) for i in known}

        def other(m: re.Match[str], fresh: dict[str, str] = fresh) -> str:
            return fresh[m[0]] if m[0][0] != '"' else f'"{fresh[m[0][1:-1]]}"'

        yield from (t if found is None else found.sub(other, t) for t in texts)


def _elements(values: list[Any]) -> list[Any]:
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


WAYS: dict[str, Callable[[list[Any], int], str]] = {
    "lines": lambda values, times: "\n".join(_copies(values, times)),
    "lines of elements": lambda values, times: "\n".join(_copies(_elements(values), times)),
    "array": lambda values, times: f"[{','.join(_copies(_elements(values), times))}]",
}
"""How so many copies of the values of a file are put together."""
