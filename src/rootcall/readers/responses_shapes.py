"""The shapes in which OpenAI Responses are kept: a request, a response, both side by side, a page that the API lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from rootcall.conversation import word_in
from rootcall.readers.items import is_item, kind_of

__all__ = ["USED", "Row", "listed", "newest_first", "parse"]

_REQUESTS: Final = ("request", "body", "input")
_RESPONSES: Final = ("response", "output", "body")
USED: Final = frozenset({"input", "output", "instructions", "tools", "data", "object", *_REQUESTS, *_RESPONSES})


class Row(NamedTuple):
    """What one value holds: the request and the response, each with its pointer; either may be missing."""

    request: Mapping[str, Any]
    asked: str
    response: Mapping[str, Any]
    answered: str


def _is_request(value: object) -> bool:
    if not isinstance(value, Mapping) or "messages" in value:
        return False
    given = value.get("input")
    if isinstance(given, str):
        return "model" in value or "instructions" in value
    return isinstance(given, list) and any(isinstance(v, Mapping) and kind_of(v) for v in given)


def _is_response(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("output"), list):
        return False
    return value.get("object") == "response" or any(map(is_item, value["output"]))


def parse(value: object) -> Row | None:
    """Find request and response in a value, None when neither is there."""
    if not isinstance(value, Mapping):
        return None
    request: Mapping[str, Any] = {}
    response: Mapping[str, Any] = {}
    asked = answered = ""
    if _is_request(value):
        request = value
    else:
        found = next((n for n in _REQUESTS if _is_request(value.get(n))), None)
        if found is not None:
            request, asked = value[found], f"/{found}"
    if _is_response(value):
        response = value
    else:
        for name in _RESPONSES:
            inner, pointer = value.get(name), f"/{name}"
            if isinstance(inner, Mapping) and not _is_response(inner):
                inner, pointer = inner.get("body"), f"{pointer}/body"
            if isinstance(inner, Mapping) and _is_response(inner):
                response, answered = inner, pointer
                break
    return Row(request, asked, response, answered) if request or response else None


def listed(value: object) -> list[Any] | None:
    """The items of a page that the API lists; it lists the newest first."""
    if not isinstance(value, Mapping) or value.get("object") != "list" or not isinstance(value.get("data"), list):
        return None
    return value["data"] if any(map(is_item, value["data"])) else None


def newest_first(items: list[Any]) -> bool:
    """Tell whether a list runs backwards: an output stands before its call, or an answer before what was asked."""
    called: set[str] = set()
    for v in items:
        if not isinstance(v, Mapping):
            continue
        if kind_of(v).endswith("_call"):
            called.add(word_in(v, "call_id"))
        elif kind_of(v).endswith("_output"):
            return word_in(v, "call_id") not in called
    said = [word_in(v, "role") for v in items if isinstance(v, Mapping)]
    roles = [r for r in said if r in ("user", "assistant")]
    return len(roles) > 1 and roles[0] == "assistant" and roles[-1] == "user"
