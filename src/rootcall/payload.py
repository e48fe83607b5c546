"""From text to a JSON value, with what the decoding tells: state of arguments, duplicate keys, nesting, Python reprs.

Nothing is repaired here. A text that is not JSON stays a text, and the reason is kept. Owns how argument text and
result text are decoded; leaves what an error looks like to `rootcall.toolerror`.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Final, Literal, NamedTuple

from rootcall.jsonvalue import MISSING

__all__ = ["ArgumentState", "Decoded", "Decoding", "decode_arguments", "decode_result", "loads"]

ArgumentState = Literal[
    "object", "json_string", "double_encoded", "not_json", "not_an_object", "duplicate_keys", "scalar", "missing"
]
"""How arguments came. `object` and `json_string` are in order: an object as such, or the text of one."""

Decoding = Literal["json", "nested", "python_repr", "text", "empty", "none"]
"""How a result was decoded. `nested` is JSON inside a JSON string, `none` is content that was not captured."""

_MAX_NESTING: Final = 3
_MAX_REPR: Final = 100_000
_DEEP: Final = 200
_REPR_START = re.compile(r"\s*[\[{(]")


class _Duplicates(list[str]):
    """Keys that stood twice in one object, collected while parsing."""


class Decoded(NamedTuple):
    """A decoded text: the value (or `MISSING`), how it was decoded, what was wrong with it."""

    value: Any
    how: str
    problem: str | None = None


def loads(text: str) -> tuple[Any, list[str]]:
    """Parse JSON and say which keys stood twice. NaN and Infinity raise, as do texts nested too deeply.

    Raises:
        ValueError: the text is not JSON; its message says where and why.
    """
    duplicates = _Duplicates()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(items)
        if len(out) != len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen and key not in duplicates:
                    duplicates.append(key)
                seen.add(key)
        return out

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=_no_constant), duplicates
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _shallow(text: str) -> bool:
    """Tell whether a text may be parsed as a Python literal without exhausting the parser."""
    return len(text) <= _MAX_REPR and text.count("[") + text.count("{") + text.count("(") <= _DEEP


def decode_arguments(sent: object) -> tuple[dict[str, Any] | None, str | None, ArgumentState, str | None]:
    """Decode the arguments of a call as they were sent.

    Args:
        sent: an object, the text of one, or whatever stood there; `MISSING` when nothing did.

    Returns:
        `(arguments, raw text, state, problem)`. Arguments are None unless an object could be read without repair;
        with `duplicate_keys` the object keeps the last of each, with `double_encoded` it is the inner object.
    """
    if sent is MISSING or sent is None:
        return None, None, "missing", "no arguments were sent"
    if isinstance(sent, dict):
        return sent, None, "object", None
    if isinstance(sent, list):
        return None, None, "not_an_object", "arguments are a list, an object is wanted"
    if not isinstance(sent, str):
        return None, None, "scalar", f"arguments are {json.dumps(sent)}, an object is wanted"
    if not sent.strip():
        # Several SDKs stream an empty text for a tool without parameters: nothing was said, so nothing is wrong.
        return {}, sent, "json_string", None
    try:
        value, duplicates = loads(sent)
    except ValueError as error:
        return None, sent, "not_json", f"arguments are not JSON: {error}"
    if isinstance(value, str):
        return _double_encoded(value, sent)
    if isinstance(value, list):
        return None, sent, "not_an_object", "arguments are a list, an object is wanted"
    if not isinstance(value, dict):
        return None, sent, "scalar", f"arguments are {sent.strip()[:60]}, an object is wanted"
    if duplicates:
        return value, sent, "duplicate_keys", f"arguments name {', '.join(map(repr, duplicates))} twice"
    return value, sent, "json_string", None


def _double_encoded(inner: str, sent: str) -> tuple[dict[str, Any] | None, str, ArgumentState, str | None]:
    try:
        value, _ = loads(inner)
    except ValueError:
        return None, sent, "scalar", "arguments are one text, an object is wanted"
    if isinstance(value, dict):
        return value, sent, "double_encoded", "arguments are an object encoded twice"
    return None, sent, "scalar", "arguments are one text, an object is wanted"


def decode_result(text: str | None) -> Decoded:
    """Decode what a tool returned.

    None (not captured) gives `MISSING` and `none`; an empty text gives `MISSING` and `empty`. JSON inside a JSON
    string is opened up to three levels (`nested`). A Python repr of a container is read as literals only, never
    evaluated. Everything else is `text`, with the text itself as the value.
    """
    if text is None:
        return Decoded(MISSING, "none")
    if not text.strip():
        return Decoded(MISSING, "empty")
    if text.lstrip()[0] not in '{["tfn-0123456789':
        return _not_json(text)
    try:
        value, _ = loads(text)
    except ValueError as error:
        return _not_json(text, str(error))
    how = "json"
    for _ in range(_MAX_NESTING):
        if not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
            break
        try:
            value, _ = loads(value)
        except ValueError:
            break
        how = "nested"
    return Decoded(value, how)


def _not_json(text: str, problem: str | None = None) -> Decoded:
    if _REPR_START.match(text) and _shallow(text):
        try:
            value = ast.literal_eval(text.strip())
            json.dumps(value)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return Decoded(text, "text", problem)
        return Decoded(json.loads(json.dumps(value)), "python_repr")
    return Decoded(text, "text", problem if text.lstrip()[:1] in ("{", "[") else None)
