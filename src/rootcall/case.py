"""A task and what a right run looks like: expected calls, facts the answer must hold, tags, reference time.

An object with exactly one key that starts with `$` is a matcher; `{"$literal": x}` is x. This module holds cases and
says what is one; comparing values with them is `rootcall.pairing`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from rootcall.errors import CaseError
from rootcall.jsonvalue import MISSING

__all__ = ["Case", "ExpectedCall", "matcher"]

MATCHERS = (
    "$one_of", "$regex", "$range", "$approx", "$casefold", "$unordered", "$contains", "$date", "$instant", "$from", "$any",
    "$absent", "$not", "$says", "$judge", "$literal",
)  # fmt: skip


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call a right run makes. `arguments` MISSING: not judged; `{}`: none are sent."""

    tool: str
    arguments: Any = MISSING
    optional: bool = False
    extra_arguments: Literal["allow", "forbid"] = "allow"


class Case(msgspec.Struct, frozen=True):
    """What is expected of a trace. `calls` None: not judged; `"some"`: any call; `()`: the no-call bucket."""

    id: str = "case"
    input: str | None = None
    reference_time: str | None = None
    tags: tuple[str, ...] = ()
    tools: Any = None
    must_pass: bool = False
    calls: tuple[ExpectedCall, ...] | Literal["some"] | None = None
    alternatives: tuple[tuple[ExpectedCall, ...], ...] = ()
    order: Literal["any", "in_order", "strict"] = "any"
    extra: Literal["reads", "allow", "forbid"] = "reads"
    forbid: tuple[str, ...] = ()
    errors: Mapping[str, Mapping[str, Any]] = {}
    answer: tuple[Any, ...] = ()
    goal: Any = None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, id: str = "case") -> Case:  # noqa: A002 -- the field's own name
        """Build a case from the object of a case file.

        Raises:
            CaseError: something in it cannot be meant; says what was wanted and what came.
        """
        expect = data.get("expect", {})
        if not isinstance(expect, Mapping):
            raise CaseError(f"case {data.get('id', id)!r}: expect must be an object")
        name = str(data.get("id", id))
        order = expect.get("order", "any")
        extra = expect.get("extra", "forbid" if order == "strict" else "reads")
        _one_of(name, "order", order, ("any", "in_order", "strict"))
        _one_of(name, "extra", extra, ("reads", "allow", "forbid"))
        calls = expect.get("calls")
        return cls(
            id=name,
            input=data.get("input"),
            reference_time=None if data.get("reference_time") is None else str(data["reference_time"]),
            tags=tuple(data.get("tags", ())),
            tools=data.get("tools"),
            must_pass=bool(data.get("must_pass", False)),
            calls=calls if calls is None or calls == "some" else _calls(name, calls),
            alternatives=tuple(_calls(name, alternative) for alternative in expect.get("alternatives", ())),
            order=order,
            extra=extra,
            forbid=tuple(expect.get("forbid", ())),
            errors=expect.get("errors", {}),
            answer=tuple(expect.get("answer", ())),
            goal=expect.get("goal"),
        )


def _one_of(case: str, key: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise CaseError(f"case {case!r}: {key} must be one of {', '.join(allowed)}, got {value!r}")


def _calls(case: str, listed: object) -> tuple[ExpectedCall, ...]:
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise CaseError(f'case {case!r}: calls must be a list, "some" or left out, got {listed!r}')
    calls = []
    for i, item in enumerate(listed):
        if not isinstance(item, Mapping) or not isinstance(item.get("tool"), str):
            raise CaseError(f"case {case!r}: calls[{i}] must be an object with a tool")
        arguments = item.get("arguments", MISSING)
        if arguments is not MISSING and not isinstance(arguments, Mapping):
            raise CaseError(f"case {case!r}: calls[{i}].arguments must be an object, got {arguments!r}")
        extra = item.get("extra_arguments", "allow")
        _one_of(case, f"calls[{i}].extra_arguments", extra, ("allow", "forbid"))
        calls.append(ExpectedCall(item["tool"], arguments, bool(item.get("optional", False)), extra))
    return tuple(calls)


def matcher(value: object) -> tuple[str, Any] | None:
    """Return `(name, operand)` when a value is a matcher: an object with exactly one key that starts with `$`."""
    if isinstance(value, Mapping) and len(value) == 1:
        key, operand = next(iter(value.items()))
        if isinstance(key, str) and key.startswith("$"):
            return key, operand
    return None
