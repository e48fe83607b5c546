"""From text to a JSON value, with what the decoding tells: state of arguments, duplicate keys, nesting, Python reprs.

Nothing is repaired here. A text that is not JSON stays a text, and the reason is kept. Owns how argument text and
result text are decoded; leaves what an error looks like to `rootcall.toolerror`.
"""

from __future__ import annotations

import ast
import json
import math
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import msgspec

from rootcall.jsonvalue import MISSING

__all__ = [
    "ArgumentState",
    "Decoded",
    "Decoding",
    "Unread",
    "decode_arguments",
    "decode_result",
    "loads",
    "lone_surrogates",
    "opened",
    "too_long",
    "without_lone_surrogates",
]

ArgumentState = Literal[
    "object", "json_string", "double_encoded", "not_json", "not_an_object", "duplicate_keys", "scalar", "missing",
    "not_captured",
]  # fmt: skip
"""How arguments came. `object` and `json_string` are in order: an object as such, or the text of one. `not_captured`
were sent, and the format left them out, or they are beyond what is read: nothing about them can be judged."""

Decoding = Literal["json", "nested", "python_repr", "text", "empty", "none"]
"""How a result was decoded. `nested` is JSON inside a JSON string, `none` is content that was not captured."""

_MAX_NESTING: Final = 3
_MAX_REPR: Final = 100_000
_DEEP: Final = 200
_REPR_START = re.compile(r"\s*[\[{(]")
_BRACKET = re.compile(r"[\[\](){}]")
# Half of a character, as an escape: the other half stands neither after it nor before it.
_HALF = re.compile(
    r"\\u[dD][89aAbB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89aAbB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


class Decoded(NamedTuple):
    """A decoded text: the value (or `MISSING`), how it was decoded, what was wrong with it."""

    value: Any
    how: str
    problem: str | None = None


class Unread(ValueError):  # noqa: N818 -- it says what became of the text
    """What is JSON, as far as it was read, and is beyond all measure: nested too deeply, or a number of too many digits."""


def loads(text: str) -> tuple[Any, list[str]]:
    """Parse JSON and say which keys stood twice. NaN, Infinity and 1e999 raise, as do texts nested too deeply.

    Half of a surrogate pair, which no encoding can write, is replaced by U+FFFD.

    Raises:
        ValueError: the text is not JSON; its message says where and why. `Unread`: it may be, and is not read.
    """
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    duplicates: list[str] = []
    try:
        try:
            value = _decoded(text)
        except _Twice:
            value, duplicates = _with_duplicates(text)
        return (without_lone_surrogates(value) if "\\u" in text and lone_surrogates(text) else value), duplicates
    except RecursionError:
        raise Unread("it is nested too deeply") from None
    except ValueError as error:
        raise too_long(error) or error from None


def too_long(error: ValueError) -> Unread | None:
    """What Python's refusal of an integer means for JSON, which sets no limit; None for any other error."""
    # The exception has no type of its own, and a function for every integer would make reading slower by a quarter.
    told = "int_max_str_digits" in str(error) and not isinstance(error, json.JSONDecodeError)
    return Unread(f"an integer of more than {sys.get_int_max_str_digits():,} digits stands in it") if told else None


def _decoded(text: str) -> Any:
    try:
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except StopIteration:  # no value begins there
        pass
    return _DECODER.decode(text)  # white space around it, or no JSON: the slower way knows what to say


class _Twice(Exception):  # noqa: N818 -- caught where it is raised
    """A key stands twice in one object."""


def _with_duplicates(text: str) -> tuple[Any, list[str]]:
    duplicates: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in items:
            if key in seen and key not in duplicates:
                duplicates.append(key)
            seen.add(key)
        return dict(items)

    return json.loads(text, object_pairs_hook=pairs, parse_constant=_no_constant, parse_float=_finite), duplicates


def _once_each(items: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(items)
    if len(out) != len(items):
        raise _Twice
    return out


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


# Made once, as making a decoder takes longer than decoding the arguments of a call. It therefore holds no state: the
# rare text with a key that stands twice is read again to say which.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_no_constant, parse_float=_finite)
_scan: Final[Callable[[str, int], tuple[Any, int]]] = _DECODER.scan_once  # type: ignore[attr-defined]


def lone_surrogates(text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether a JSON text holds half of a surrogate pair as an escape."""
    # The plain search is much faster, and hardly any text holds such an escape.
    end = len(text) if end is None else end
    return text.find("\\u", start, end) >= 0 and _HALF.search(text, start, end) is not None


def without_lone_surrogates(value: Any) -> Any:
    """Return a JSON value with every half of a surrogate pair replaced by U+FFFD, since no encoding can write it.

    Raises:
        RecursionError: the value is nested too deeply.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {without_lone_surrogates(k): without_lone_surrogates(v) for k, v in value.items()}
    if isinstance(value, list):
        return [without_lone_surrogates(v) for v in value]
    return value


def _shallow(text: str) -> bool:
    """Tell whether a text may be parsed as a Python literal without exhausting the parser."""
    if len(text) > _MAX_REPR:
        return False
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[({" else -1
        deepest = max(deepest, depth)
    return deepest <= _DEEP


def decode_arguments(sent: object) -> tuple[dict[str, Any] | None, str | None, ArgumentState, str | None]:
    """Decode the arguments of a call as they were sent.

    Args:
        sent: an object, the text of one, or whatever stood there; `MISSING` when nothing did.

    Returns:
        `(arguments, raw text, state, problem)`. Arguments are None unless an object could be read without repair;
        with `duplicate_keys` the object keeps the last of each, with `double_encoded` it is the inner object.
    """
    if isinstance(sent, str):
        return _decode_text(sent)
    if sent is MISSING or sent is None:
        return None, None, "missing", "no arguments were sent"
    if isinstance(sent, dict):
        return sent, None, "object", None
    if isinstance(sent, list):
        return None, None, "not_an_object", "arguments are a list, an object is wanted"
    return None, None, "scalar", f"arguments are {json.dumps(sent)}, an object is wanted"


def _decode_text(sent: str) -> tuple[dict[str, Any] | None, str, ArgumentState, str | None]:
    flat = _flat_object(sent)
    if flat is not None:
        return flat, sent, "json_string", None
    if not sent.strip():
        # Several SDKs stream an empty text for a tool without parameters: nothing was said, so nothing is wrong.
        return {}, sent, "json_string", None
    try:
        value, duplicates = loads(sent)
    except Unread as error:
        return _unread(sent.strip(), sent, error)
    except ValueError as error:
        return None, sent, "not_json", f"arguments are not JSON: {error}"
    if isinstance(value, dict):
        if duplicates:
            return value, sent, "duplicate_keys", f"arguments name {', '.join(map(repr, duplicates))} twice"
        return value, sent, "json_string", None
    if isinstance(value, str):
        return _double_encoded(value, sent)
    if isinstance(value, list):
        return None, sent, "not_an_object", "arguments are a list, an object is wanted"
    return None, sent, "scalar", f"arguments are {sent.strip()[:60]}, an object is wanted"


def _unread(text: str, sent: str, error: Unread) -> tuple[None, str, ArgumentState, str]:
    """What can be told of arguments that were not read to their end: how they begin and end."""
    if text[0] in "{[" and text[-1] != {"{": "}", "[": "]"}[text[0]]:
        return None, sent, "not_json", f"arguments are not JSON: they break off, and {error}"
    if text[0] != "{":
        state: ArgumentState = "not_an_object" if text[0] == "[" else "scalar"
        return None, sent, state, f"arguments are no object, and could not be read: {error}"
    return None, sent, "not_captured", f"arguments could not be read: {error}"


_quick: Final = msgspec.json.Decoder().decode


def _flat_object(text: str) -> dict[str, Any] | None:
    """The object of a JSON text without escapes that holds as many colons as members, None for any other text.

    This is most arguments, and the quick decoder says all about it: no key stands twice, no half of a character is in it.
    """
    if "\\" in text:
        return None
    try:
        value = _quick(text)
    except (msgspec.DecodeError, ValueError, RecursionError):  # the other decoder knows what to say
        return None
    return value if type(value) is dict and len(value) == text.count(":") else None


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
    inner = value
    for _ in range(_MAX_NESTING):
        if not (isinstance(inner, str) and inner.lstrip()[:1] in ("{", "[", '"')):
            break
        try:
            inner, _ = loads(inner)
        except ValueError:
            break
    # A text that merely stands in quotes is a text; what is opened must be a container in the end.
    return Decoded(inner, "nested") if inner is not value and isinstance(inner, dict | list) else Decoded(value, "json")


def _not_json(text: str, problem: str | None = None) -> Decoded:
    if _REPR_START.match(text) and _shallow(text):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an odd escape in a tool's text is nobody's business
                value = ast.literal_eval(text.strip())
            plain = json.loads(json.dumps(value, allow_nan=False))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return Decoded(text, "text", problem)
        return Decoded(plain, "python_repr")
    return Decoded(text, "text", problem if text.lstrip()[:1] in ("{", "[") else None)


def decode_prefix(text: str) -> Any:
    """Decode the complete part of a JSON text that was cut off, or return `MISSING`.

    For results only, where the part that was kept is still evidence: whole members stay, the one that was cut goes.
    """
    closers: list[str] = []
    best: tuple[int, str] | None = None
    quoted = escaped = False
    for i, ch in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = ch == "\\", ch != '"'
        elif ch == '"':
            quoted = True
        elif ch in "{[":
            closers.append("}" if ch == "{" else "]")
        elif ch in "}]":
            if not closers or closers.pop() != ch:
                break
            best = i + 1, "".join(reversed(closers))
        elif ch == "," and closers:
            best = i, "".join(reversed(closers))
    if best is None:
        return MISSING
    try:
        return loads(text[: best[0]] + best[1])[0]
    except ValueError:
        return MISSING


def opened(value: Any) -> Any:
    """Open MCP content blocks that hold one text: the decoded text, or the value as it was when there is nothing to open.

    `structuredContent` beside them is what the tool returned, and comes first.
    """
    if isinstance(value, dict):
        structured = value.get("structuredContent")
        if isinstance(structured, dict | list):
            return structured
        blocks = (
            value.get("content")
            if not set(value) - {"content", "isError", "is_error", "_meta", "structuredContent"}
            else None
        )
    else:
        blocks = value
    if not isinstance(blocks, list) or len(blocks) != 1:
        return value
    block = blocks[0]
    if not isinstance(block, dict) or block.get("type") != "text" or not isinstance(block.get("text"), str):
        return value
    inner = decode_result(block["text"]).value
    return value if inner is MISSING else inner
