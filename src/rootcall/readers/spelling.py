"""Keys that the same format spells in camel case or in snake case, by the language that wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

__all__ = ["camel", "either", "snake", "spelled"]

_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(512)
def snake(key: str) -> str:
    """A key in snake case: `functionCall` becomes `function_call`."""
    return _HUMP.sub("_", key).lower()


def camel(key: str) -> str:
    """A key in camel case: `function_call` becomes `functionCall`."""
    head, *rest = key.split("_")
    return head + "".join(w.capitalize() for w in rest) if head else key


def spelled(value: Mapping[str, Any], camel_key: str) -> str:
    """The key as a value spells it; in snake case where it has neither."""
    return camel_key if camel_key in value else snake(camel_key)


def either(value: Mapping[str, Any], camel_key: str) -> Any:
    """The value under a key in either spelling; None when it is not there."""
    found = value.get(camel_key)
    return value.get(snake(camel_key)) if found is None else found
