"""How BFCL's checker turns Java and JavaScript texts into values, with every place where it does not.

In those two languages all values of a call arrive as texts. What its patterns do not know stays the text it was, which
the type check then refuses unless the gold is a text too. Facts observed on bfcl-eval 2026.3.23; the readings that a
person would give the same texts are `rootcall.bfcl.literals`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["JAVASCRIPT_TYPES", "JAVA_TYPES", "NESTED", "Unsupported", "java_value", "javascript_value"]

JAVA_TYPES: Final[Mapping[str, type]] = {
    "byte": int, "short": int, "integer": int, "long": int, "float": float, "double": float, "boolean": bool, "char": str,
    "String": str, "any": str, "Array": list, "ArrayList": list, "Queue": list, "Stack": list, "Set": set,
    "HashMap": dict, "Hashtable": dict,
}  # fmt: skip
JAVASCRIPT_TYPES: Final[Mapping[str, type]] = {
    "String": str, "integer": int, "float": float, "Bigint": int, "Boolean": bool, "dict": dict, "array": list, "any": str,
}  # fmt: skip
NESTED: Final = ("Array", "ArrayList", "array")
"""Types whose members are checked too, in these two languages."""

# Patterns over a text longer than this could take minutes; it stays a text.
_LONGEST: Final = 10_000

_WHOLE: Final = re.compile(r"^-?\d+$")
_LONG: Final = re.compile(r"^(-?\d+)[lL]$")
_BIGINT: Final = re.compile(r"^-?\d+n$")
_DOUBLE: Final = re.compile(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
_FLOAT: Final = re.compile(r"^(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[fF]$")
_FRACTION: Final = re.compile(r"^-?\d+(\.\d+)?$")

_AS_LIST: Final = re.compile(r"new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)")
_ADDING: Final = re.compile(r"new\s+ArrayList<\w*>\(\)\s*\{\{(.+?)\}\}", re.DOTALL)
_ADD: Final = re.compile(r"add\((.+?)\)")
_NEW_LIST: Final = re.compile(r"new\s+ArrayList<\w*>\(\)")
_NEW_ARRAY: Final = re.compile(r"new\s+\w+\[\]\s*\{(.*?)\}")
_PUTTING: Final = re.compile(r"new\s+HashMap<.*?>\s*\(\)\s*\{([^}]*)\}", re.DOTALL)
_PUT: Final = re.compile(r"put\(\"(.*?)\",\s*(.*?)\)")
_NEW_MAP: Final = re.compile(r"new\s+HashMap<.*?>\s*\(\)")

_TABLE_START: Final = re.compile(r"(?P<list>\[\s*\[)|new\s+Array\(\s*\[")
_TABLE_NEXT: Final = re.compile(r"\s*(?:,\s*(?P<row>\[)|(?P<end>[\])]))")
_ROW: Final = re.compile(r"\[(.*?)\]")
_LIST: Final = re.compile(r"\[(?P<a>.*?)\]|new\s+Array\((?P<b>.*?)\)")
_OBJECT: Final = re.compile(r"\{(.*?)\}")
_MEMBER: Final = re.compile(r"(?P<key>[^:]+):\s*(?P<value>.*?)(?:,\s*(?=[^,]+:)|$)")


class Unsupported(Exception):  # noqa: N818 -- the checker stops here; `rootcall.bfcl.checker` says so
    """The official converter raises for this type."""


def _bare(text: str) -> Any:
    """A text as an integer, else as a fraction, else as it is."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


# --- Java -------------------------------------------------------------------------------------------------------------


def java_value(text: str, kind: str, nested: str | None = None) -> Any:
    """Convert the text of a Java value of BFCL's type `kind`; `nested` is the type of a list's members.

    A long needs its L and a float its f; characters, strings and `any` are never converted.

    Raises:
        Unsupported: sets, queues, stacks and hash tables are not implemented there.
        ValueError: an integer of too many digits.
    """
    if kind in ("Set", "Hashtable", "Queue", "Stack"):
        raise Unsupported(f"{kind} is not implemented")
    if len(text) > _LONGEST:
        return text
    match kind:
        case "byte" | "short" | "integer":
            return int(text) if _WHOLE.match(text) else text
        case "long":
            return int(found[1]) if (found := _LONG.match(text)) else text
        case "float":
            return float(found[1]) if (found := _FLOAT.match(text)) else text
        case "double":
            return float(text) if _DOUBLE.match(text) else text
        case "boolean":
            return text == "true" if text in ("true", "false") else text
        case "ArrayList":
            return _array_list(text, _member(nested))
        case "Array":
            found = _NEW_ARRAY.search(text)
            items = found[1].split(",") if found else []
            return [java_value(i.strip(), str(nested)) for i in items if i.strip()] if found else text
        case "HashMap":
            return _hash_map(text)
    return text


def _member(nested: str | None) -> Callable[[str], Any]:
    """How a member of an ArrayList is read: of texts and characters the quotes go, whatever stands there."""
    return lambda text: text[1:-1] if nested in ("char", "String") else java_value(text, str(nested))


def _array_list(text: str, member: Callable[[str], Any]) -> Any:
    if found := _AS_LIST.search(text):
        return [member(item.strip()) for item in found[1].split(",")]
    if found := _ADDING.search(text):
        return [member(item.strip()) for item in _ADD.findall(found[1])]
    return [] if _NEW_LIST.search(text) else text


def _hash_map(text: str) -> Any:
    if found := _PUTTING.search(text):
        return {key: _java_bare(value.strip()) for key, value in _PUT.findall(found[1])}
    return {} if _NEW_MAP.search(text) else text


def _java_bare(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    if _LONG.match(text):
        return int(text[:-1])
    if found := _FLOAT.match(text):
        return float(found[1])
    return _bare(text)


# --- JavaScript -------------------------------------------------------------------------------------------------------


def javascript_value(text: str, kind: str, nested: str | None = None) -> Any:
    """Convert the text of a JavaScript value of BFCL's type `kind`; `nested` is the type of a list's members.

    A string loses its quotes, a Bigint needs its n, `any` is never converted.

    Raises:
        ValueError: a Bigint followed by a line end, or an integer of too many digits.
    """
    if len(text) > _LONGEST:
        return text
    match kind:
        case "String":
            quoted = any(text.startswith(q) and text.endswith(q) for q in ('"', "'"))
            return text[1:-1] if quoted else text
        case "integer":
            return int(text) if _WHOLE.match(text) else text
        case "float":
            return float(text) if _FRACTION.match(text) else text
        case "Bigint":
            return int(text[:-1]) if _BIGINT.match(text) else text
        case "Boolean":
            return text == "true" if text in ("true", "false") else text
        case "array":
            return _javascript_list(text.strip(), nested)
        case "dict":
            return _javascript_object(text.strip())
    return text


def _javascript_list(text: str, nested: str | None) -> Any:
    end = _table_end(text)
    if end is not None:
        rows = [row.strip() for row in _ROW.findall(text[:end])]
        rows[0] = rows[0].removeprefix("[")
        return [[_javascript_bare(item) for item in row.split(",")] for row in rows]
    found = _LIST.match(text)
    if found is None:
        return text
    inner = (found["a"] if found["a"] is not None else found["b"]).strip()
    items = [item.strip() for item in inner.split(",")] if inner else []
    if nested is None:
        return [_javascript_bare(item) for item in items]
    try:
        # The converter hands "String" down beside a quoted member, where only a list would look at it.
        return [javascript_value(i, nested, "String" if i.startswith(("'", '"')) else None) for i in items]
    except ValueError:
        return text


def _table_end(text: str) -> int | None:
    """Where a list of lists ends that begins the text, or None. A row may hold brackets when nothing else fits."""
    start = _TABLE_START.match(text)
    if start is None:
        return None
    closing = "]" if start["list"] else ")"
    dead: set[int] = set()
    open_rows = [start.end()]
    while open_rows:
        at = _row_end(text, open_rows[-1])
        if at is None or at in dead:
            # Every later bracket was tried from here as well: a shorter row before this one cannot help.
            open_rows.pop()
            continue
        dead.add(at)
        open_rows[-1] = at + 1
        following = _TABLE_NEXT.match(text, at + 1)
        if following is None:
            continue
        if following["row"]:
            open_rows.append(following.end())
        elif following["end"] == closing:
            return following.end()
    return None


def _row_end(text: str, start: int) -> int | None:
    at = text.find("]", start)
    return None if at < 0 or "\n" in text[start:at] else at


def _javascript_object(text: str) -> Any:
    if text == "{}":
        return {}
    found = _OBJECT.match(text)
    if found is None:
        return text
    out: dict[str, Any] = {}
    for member in _MEMBER.finditer(found[1]):
        key, value = member["key"].strip().strip("'\""), member["value"].strip()
        if value.startswith("[") and value.endswith("]"):
            out[key] = _javascript_list(value, None)
        else:
            out[key] = _javascript_bare(value.strip("'\""))
    return out


def _javascript_bare(text: str) -> Any:
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if any(text.startswith(q) and text.endswith(q) for q in ('"', "'")):
        return text[1:-1]
    return _bare(text)
