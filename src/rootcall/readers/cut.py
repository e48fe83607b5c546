"""An OTLP document that breaks off: the spans before the break, whole.

A document is one JSON value, so that nothing of it can be decoded once its end is missing; yet it is nothing but a list
of spans, and those before the break are as good as ever. Values of other shapes are left to `rootcall.readers.records`.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from rootcall.payload import loads

__all__ = ["Part", "whole_part"]

_OTLP = re.compile(r'\s*\{\s*"(?:resourceSpans|resource_spans|resourceLogs|resource_logs)"\s*:')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]', re.DOTALL)
_CLOSERS: Final = {"{": "}", "[": "]"}
# Lists of groups, of scopes, of spans; between two elements that many brackets are open.
_BETWEEN: Final = (2, 4, 6)
_CALL_MARK = re.compile(r'\\*"arguments\\*"\s*:|\\*"type\\*"\s*:\s*\\*"[a-z_]*tool_use\\*"')
_LARGEST: Final = 64 << 20


class Part(NamedTuple):
    """What could be kept of a document, and how many calls the rest had by the marks they leave."""

    value: Any
    lost: int


def whole_part(text: str) -> Part | None:
    """Return the part of an OTLP document whose spans are whole; None for other texts, and when there is none."""
    if len(text) > _LARGEST or _OTLP.match(text) is None:
        return None
    stack: list[str] = []
    end, closers = 0, ""
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in _CLOSERS:
            stack.append(sign)
        elif sign in ("}", "]"):
            if not stack or _CLOSERS[stack.pop()] != sign:
                break
            if sign == "}" and len(stack) in _BETWEEN:
                end, closers = token.end(), "".join(_CLOSERS[s] for s in reversed(stack))
    if not end:
        return None
    try:
        value, _ = loads(text[:end] + closers)
    except ValueError:
        return None
    return Part(value, len(_CALL_MARK.findall(text, end)))
