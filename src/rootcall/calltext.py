"""Calls written as Python text, such as `[math.factorial(number=5), f(a=[1, -2], b={'k': None})]`, read without running them.

Owns the way from such a text to names and arguments. The text is parsed and walked, never evaluated: literals, lists,
tuples, objects with text keys, a sign before a number, and the names `true`, `false`, `null` have a value here; whatever
else stands for an argument makes the whole text one named problem. Positional arguments have no name, so they keep their
position. What a format makes of the calls is left to its reader.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rootcall.payload import without_lone_surrogates

__all__ = ["CallText", "ParsedCall", "parse_calls"]

_LONGEST: Final = 200_000
_DEEPEST: Final = 200
_BRACKET: Final = re.compile(r"[\[\](){}]")
_NAMES: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}


class ParsedCall(msgspec.Struct, frozen=True):
    """One call of a text: dotted name, arguments by name, and those sent without a name in their order."""

    name: str
    arguments: Mapping[str, Any] = {}
    positional: tuple[Any, ...] = ()

    @property
    def placed(self) -> dict[str, Any]:
        """All arguments in one object; those without a name stand under their position, "0" for the first."""
        return {**{str(i): value for i, value in enumerate(self.positional)}, **self.arguments}


class CallText(msgspec.Struct, frozen=True):
    """What a text says: its calls, or the one problem for which none of it was taken."""

    calls: tuple[ParsedCall, ...] = ()
    problem: str | None = None


class _Unread(Exception):  # noqa: N818 -- caught below and returned as the problem
    """Something in the text has no value here."""


def parse_calls(text: str, *, tuples: bool = False) -> CallText:
    """Read a list of calls, with or without its brackets, or a single call. An empty list gives no calls.

    A tuple becomes a list unless `tuples`. Never raises, whatever the text: what is no list of calls, too long
    (200,000 characters) or nested too deeply (200 brackets) is said in `problem`.
    """
    try:
        return CallText(tuple(_call(node, tuples=tuples) for node in _nodes(text.strip())))
    except _Unread as error:
        return CallText(problem=str(error))
    except SyntaxError as error:
        return CallText(problem=f"not a list of calls: {error.msg} at character {error.offset or 1}")
    except (RecursionError, MemoryError):
        return CallText(problem="nested too deeply to be read")
    except ValueError as error:  # null bytes, half of a character
        return CallText(problem=f"not a list of calls: {str(error)[:80]}")


def _nodes(text: str) -> list[ast.expr]:
    if not text:
        raise _Unread("no text, a list of calls is wanted")
    if len(text) > _LONGEST:
        raise _Unread(f"{len(text):,} characters, at most {_LONGEST:,} are read")
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[({" else -1
        if depth > _DEEPEST:
            raise _Unread("nested too deeply to be read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a model's text is nobody's business
        body = ast.parse(text, mode="eval").body
    return body.elts if isinstance(body, ast.List | ast.Tuple) else [body]


def _call(node: ast.expr, *, tuples: bool) -> ParsedCall:
    if not isinstance(node, ast.Call):
        raise _Unread(f"{_shown(node)} where a call is wanted")
    name = _dotted(node.func)
    arguments: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise _Unread(f"{name}: ** has no value here")
        if keyword.arg in arguments:
            raise _Unread(f"{name}: {keyword.arg} is sent twice")
        arguments[keyword.arg] = _value(keyword.value, f"{name}.{keyword.arg}", tuples)
    positional = tuple(_value(a, f"{name}[{i}]", tuples) for i, a in enumerate(node.args))
    return ParsedCall(name, arguments, positional)


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise _Unread(f"{_shown(node)} where the name of a tool is wanted")
    return ".".join([node.id, *reversed(parts)])


def _value(node: ast.expr, where: str, tuples: bool) -> Any:
    match node:
        case ast.Constant(value=str() as text):
            return without_lone_surrogates(text)
        case ast.Constant(value=bool() | int() | None):
            return node.value
        case ast.Constant(value=float() as number):
            if math.isinf(number):
                raise _Unread(f"{where}: a number too large to be one")
            return number
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.List(elts=items):
            return [_value(item, where, tuples) for item in items]
        case ast.Tuple(elts=items):
            listed = [_value(item, where, tuples) for item in items]
            return tuple(listed) if tuples else listed
        case ast.Dict(keys=keys, values=values):
            return {_key(k, where): _value(v, where, tuples) for k, v in zip(keys, values, strict=True)}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)):
            if not isinstance(number, bool):
                value = _value(node.operand, where, tuples)
                return -value if isinstance(sign, ast.USub) else value
    raise _Unread(f"{where}: {_shown(node)} has no value here")


def _key(node: ast.expr | None, where: str) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return str(without_lone_surrogates(node.value))
    raise _Unread(f"{where}: {'**' if node is None else _shown(node)} where a text is wanted as a key")


_WORDS: Final[Mapping[type[ast.expr], str]] = {
    ast.Call: "a call", ast.Attribute: "a name", ast.BinOp: "a calculation", ast.UnaryOp: "a calculation",
    ast.BoolOp: "a condition", ast.Compare: "a condition", ast.JoinedStr: "a text to be filled in", ast.Set: "a set",
    ast.Starred: "*", ast.List: "a list", ast.Tuple: "a list", ast.Dict: "an object", ast.Constant: "a literal",
}  # fmt: skip


def _shown(node: ast.expr) -> str:
    return f"the name {node.id}" if isinstance(node, ast.Name) else _WORDS.get(type(node), "an expression")
