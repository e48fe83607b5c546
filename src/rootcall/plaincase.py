"""The plain case: expected calls with plain values and little else, as most cases are, read in one go.

A shorter way to what `rootcall.casefile` would make of the same object, and never another: whatever is not plain here, and
whatever may be a fault, is left to the reader there, which knows every key and matcher and what to say about them.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Final, Literal

import msgspec

from rootcall.case import Case, ExpectedCall, Extra, Order
from rootcall.casetext import MAX_VALUES, surely_usable
from rootcall.jsonvalue import MISSING, Missing

__all__ = ["plain_case"]

_Scalar = (
    str
    | Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
    | Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
    | bool
    | None
)


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    tool: Annotated[str, msgspec.Meta(min_length=1)]
    # Without objects there is no matcher.
    arguments: dict[str, _Scalar | list[_Scalar]] | Missing = MISSING
    optional: bool = False
    extra_arguments: Literal["allow", "forbid"] = "allow"


class _Expect(msgspec.Struct, forbid_unknown_fields=True):
    calls: list[_Call]
    order: Order = "any"
    extra: Extra | Missing = MISSING


class _Case(msgspec.Struct, forbid_unknown_fields=True):
    expect: _Expect
    id: str | Missing = MISSING
    input: str | Missing = MISSING
    tags: tuple[str, ...] = ()


_decode: Final = msgspec.json.Decoder(_Case).decode


def plain_case(data: Any, name: str) -> Case | None:
    """Build a case from the object of a case file or its JSON text, or return None where it is not plain or has a fault.

    `name` is the id of a case that has none.
    """
    text = isinstance(data, msgspec.Raw)
    try:
        plain = _decode(data) if text else msgspec.convert(data, _Case)
        written = data if text else msgspec.json.encode(plain)
    except (ValueError, RecursionError):  # not plain, no JSON, or text that no encoding can write
        return None
    named = name if plain.id is MISSING else plain.id
    # A value takes a letter and what parts it from the next, so in a short text there are not too many.
    if len(memoryview(written)) > MAX_VALUES or not named.strip():
        return None
    calls, lists = [], bool(plain.tags)
    for c in plain.expect.calls:
        if c.arguments is not MISSING:
            if len(c.arguments) == 1 and next(iter(c.arguments)).startswith("$"):  # a matcher in their place?
                return None
            lists = lists or list in map(type, c.arguments.values())
        calls.append(ExpectedCall(c.tool, c.arguments, c.optional, c.extra_arguments))
    if lists and not text and not surely_usable(data):  # sets were taken for lists; they are none
        return None
    order, extra = plain.expect.order, plain.expect.extra
    return Case(
        id=named,
        input=None if plain.input is MISSING else plain.input,
        tags=plain.tags,
        calls=tuple(calls),
        order=order,
        extra=extra if extra is not MISSING else "forbid" if order == "strict" else "reads",
    )
