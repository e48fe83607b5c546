"""Results that are tables or lists of fields written as text: `Key: value` lines, simple YAML, CSV, JSON kept partly.

Tools for people answer in such texts. They are read into the values they show, so that claims can be bound to them; a
text that has no such form stays a text. Values stay as written, except that a dash or an empty place is nothing.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any, Final

from rootcall.jsonvalue import MISSING

__all__ = ["structured", "zipped"]

_FIELD: Final = re.compile(
    r"(?P<indent>\s*)(?P<dash>-\s+)?(?P<key>[^\W\d][^:=\n|,;]{0,39}?)\s*[:：=]\s*(?P<value>.*)\Z"
)
_NOTHING: Final = frozenset(
    {"", "-", "–", "—", "n/a", "na", "none", "null", "nil", "~", "k. a.", "없음", "ninguno", "aucun", "keine"}
)
_LINES: Final = 400
_HEADS: Final = (
    "columns",
    "fields",
    "headers",
    "header",
    "cols",
    "keys",
    "schema",
    "spalten",
    "colonnes",
    "columnas",
    "열",
    "필드",
)


def structured(text: str) -> Any:
    """Return the object or the list of objects a text shows, or `MISSING`.

    CSV needs a header and two columns; `key: value` needs two lines of it, and at most one other line in three.
    """
    lines = [line for line in text.splitlines()[:_LINES] if line.strip()]
    if len(lines) < 2:
        return MISSING
    table = _csv(lines)
    return table if table is not MISSING else _fields(lines)


def _csv(lines: list[str]) -> Any:
    for mark in (";", "\t", "|", ","):
        rows = list(csv.reader(io.StringIO("\n".join(line.strip().strip("|") for line in lines)), delimiter=mark))
        rows = [r for r in rows if not all(set(c.strip()) <= {"-", ":", "="} for c in r)]
        width = len(rows[0]) if rows else 0
        names = [c.strip() for c in rows[0]] if rows else []
        if width < 2 or len(rows) < 2 or any(len(r) != width for r in rows) or not all(_is_name(n) for n in names):
            continue
        return [dict(zip(names, map(_value, row), strict=True)) for row in rows[1:]]
    return MISSING


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[^\W\d][\w .()%/\-]{0,39}", text) is not None


def _fields(lines: list[str]) -> Any:
    """An object of fields; a key without a value opens a list of objects (`- key: value`) or an object."""
    top: dict[str, Any] = {}
    items: list[dict[str, Any]] | None = None
    opened = ""
    others = 0
    for line in lines:
        m = _FIELD.match(line)
        if m is None:
            others += 1
            continue
        key, value = m["key"].strip(" *_#"), _value(m["value"].strip().strip("*_"))
        if m["dash"] and opened:
            items = top[opened] if isinstance(top.get(opened), list) else []
            top[opened] = items
            items.append({key: value})
        elif m["indent"] and items:
            items[-1][key] = value
        elif m["indent"] and opened and isinstance(top.get(opened), dict):
            top[opened][key] = value
        else:
            items, opened = None, key if value is None and not m["value"].strip() else ""
            top[key] = {} if opened else value
    found = len(lines) - others
    return top if found >= 2 and others * 3 <= len(lines) else MISSING


def _value(text: str) -> Any:
    """A number where the text is a plain one, None where it says nothing, yes and no as flags, else the text."""
    plain = text.strip()
    if plain.lower() in _NOTHING:
        return None
    if re.fullmatch(r"-?\d{1,15}", plain):
        return int(plain)
    if re.fullmatch(r"-?\d{1,12}\.\d{1,6}", plain):
        return float(plain)
    flag = {"true": True, "yes": True, "ja": True, "sí": True, "si": True, "oui": True, "예": True, "네": True,
            "false": False, "no": False, "nein": False, "non": False, "아니요": False}.get(plain.lower())  # fmt: skip
    if plain in ("[]", "{}"):
        return [] if plain == "[]" else {}
    return plain if flag is None else flag


def zipped(owner: dict[str, Any]) -> dict[str, Any]:
    """Give the rows of a table their column names: `{"rows": [[1, 2]], "columns": ["a", "b"]}` → rows of objects.

    An object without such a pair comes back as it is.
    """
    for name in _HEADS:
        heads = owner.get(name)
        if not isinstance(heads, list) or not heads or not all(isinstance(h, str) for h in heads):
            continue
        tables = {
            key: [dict(zip(heads, row, strict=True)) for row in rows]
            for key, rows in owner.items()
            if isinstance(rows, list) and rows and all(isinstance(r, list) and len(r) == len(heads) for r in rows)
        }
        if tables:
            return {**{k: v for k, v in owner.items() if k != name}, **tables}
    return owner
