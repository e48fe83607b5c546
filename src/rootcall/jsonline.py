"""One record as one line of JSON, whatever is in it. Owns the edges where the fast encoder gives up."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

__all__ = ["encode_line"]

_encode = msgspec.json.Encoder().encode


def encode_line(record: object) -> bytes:
    """Return a record as a line of JSON that ends in a newline.

    NaN and infinities become null, as JSON has none. Lone surrogates are written as escapes, integers at any size.
    """
    try:
        return _encode(record) + b"\n"
    except (UnicodeEncodeError, OverflowError, ValueError):
        plain: Any = msgspec.to_builtins(record, order=None)
        return json.dumps(_finite(plain), ensure_ascii=True, separators=(",", ":"), default=str).encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value
