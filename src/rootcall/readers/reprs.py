"""LangChain messages that were saved as Python's text of them: read as literals, never evaluated.

Run trees that are written with `default=str` hold `content='…' name='search' tool_call_id='call_1' status='error'` where
a tool message stood. Only the literals after each name are read, and only of texts of a bounded length.
"""

from __future__ import annotations

import ast
import contextlib
import re
import warnings
from typing import Any, Final

__all__ = ["exception_text", "message_of"]

_MOST: Final = 200_000
_NAME: Final = re.compile(r"[\s,]*([A-Za-z_]\w*)=")
_STRING: Final = re.compile(r"[rbuRBU]{0,2}('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.DOTALL)
_WORD: Final = re.compile(r"[-+\w.]+")
_CLASS: Final = re.compile(r"\s*(\w*Message(?:Chunk)?)\(")
_EXCEPTION: Final = re.compile(r"\s*[A-Za-z_][\w.]*\((?=['\"])")
_KEPT: Final = ("content", "name", "id", "tool_call_id", "status", "tool_calls", "invalid_tool_calls", "type")
_DEEP: Final = 100


def message_of(text: str) -> dict[str, Any] | None:
    """The fields of a message from its text, `content` among them; None when the text is no message's.

    What a field holds beside literals is left out. `kind` is set where the text names the class.
    """
    named = _CLASS.match(text) if len(text) <= _MOST else None
    if len(text) > _MOST or not (named or text.startswith("content=")):
        return None
    out: dict[str, Any] = {}
    at = named.end() if named else 0
    while found := _NAME.match(text, at):
        end = _value_end(text, found.end())
        if end is None:
            break
        if found.group(1) in _KEPT:
            with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
                out[found.group(1)] = _literal(text[found.end() : end])
        at = end
    if "content" not in out:
        return None
    if named:
        out["kind"] = named.group(1)
    return out


def exception_text(text: str) -> str:
    """What an exception says, from its text: `ValueError('no such city')Traceback…` gives `no such city`."""
    head = text.partition("Traceback (most recent call last)")[0].strip() or text
    opened = _EXCEPTION.match(head)
    inner = _STRING.match(head, opened.end()) if opened and len(head) <= _MOST else None
    if inner is None:
        return head
    try:
        said = _literal(inner.group())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return head
    return said if isinstance(said, str) and said else head


def _literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in somebody's text
        return ast.literal_eval(text)


def _value_end(text: str, at: int) -> int | None:
    """Where the literal that begins at `at` ends: a string, a word, or brackets with all that is in them."""
    if string := _STRING.match(text, at):
        return string.end()
    if text[at : at + 1] not in ("[", "{", "("):
        word = _WORD.match(text, at)
        return word.end() if word else None
    depth = 0
    while at < len(text):
        string = _STRING.match(text, at)
        if string:
            at = string.end()
            continue
        if text[at] in "'\"":
            return None  # a string without an end: looking for it again at every quote would take for ever
        depth += (text[at] in "[{(") - (text[at] in "]})")
        if depth > _DEEP:
            return None
        at += 1
        if depth == 0:
            return at
    return None
