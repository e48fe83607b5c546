"""Java and JavaScript literals read as a person reads them: the JSON value a text stands for, by the declared type.

BFCL sends the values of these two languages as texts (`"5L"`, `"new int[]{1, 2}"`, `"{a: 'x'}"`). For our own verdict
they are decoded before anything is compared: suffixes of numbers go, quotes go, lists and maps are built from the usual
constructors. What is no literal (a variable, a constant such as `TimeUnit.SECONDS`) stays the text it is, and the schema
decides about it. Nothing is evaluated. The official readings are `rootcall.bfcl.official_literals`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from rootcall.jsonvalue import MISSING
from rootcall.payload import without_lone_surrogates

__all__ = ["decode", "decode_arguments"]

_LONGEST: Final = 50_000
_DEEPEST: Final = 40

_INTEGERS: Final = frozenset({"byte", "short", "integer", "long", "bigint"})
_FRACTIONS: Final = frozenset({"float", "double", "number"})
_TEXTS: Final = frozenset({"string", "char"})
_LISTS: Final = frozenset({"array", "arraylist", "set", "queue", "stack", "tuple", "list"})
_OBJECTS: Final = frozenset({"hashmap", "hashtable", "dict", "object", "map"})

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)"
    r"|(?P<number>[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[lLfFdDn]?)(?![\w.])"
    r"|(?P<word>[A-Za-z_$][\w$]*(?:\s*\.\s*[A-Za-z_$][\w$]*)*)|(?P<mark>[\[\]{}(),:;<>]))"
)
_GENERIC: Final = re.compile(r"\s*<[\w\s,.<>?\[\]]*?>\s*(?=\()")
_ESCAPES: Final[Mapping[str, str]] = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN: Final = re.compile(r"\s*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*\Z")
_WORDS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None, "undefined": None}
_LISTING: Final = frozenset({"Arrays.asList", "List.of", "Set.of", "Array.of", "Arrays.stream", "Stream.of"})
_EMPTY_LIST: Final = frozenset({"Collections.emptyList", "Collections.emptySet"})
_LIST_CLASS: Final = re.compile(r"(?:\w+\.)*(?:\w*List|\w*Set|Stack|\w*Queue|\w*Deque|Vector|Array)\Z")
_MAP_CLASS: Final = re.compile(r"(?:\w+\.)*(?:\w*Map|Hashtable|Properties|Object)\Z")


class _NoLiteral(Exception):  # noqa: N818 -- caught by `_literal`
    """The text is not one literal."""


def decode_arguments(arguments: Mapping[str, Any], parameters: object) -> dict[str, Any]:
    """Decode the texts of a call by the properties of its tool's parameters (BFCL's or JSON Schema's types).

    A value that is no text, and one whose argument is not declared, stays as it is.
    """
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    known = properties if isinstance(properties, Mapping) else {}
    return {name: decode(value, known[name]) if name in known else value for name, value in arguments.items()}


def decode(value: Any, schema: object) -> Any:
    """Return the JSON value a text stands for under a schema with BFCL's types; members of lists by their own type.

    A text that is no literal of the type stays as it is, and so does every value that is no text. Never raises.
    """
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    kind = kind.lower() if isinstance(kind, str) else "any"
    if isinstance(value, list) and kind in _LISTS:
        return [_member_value(v, _items(schema)) for v in value]
    if not isinstance(value, str):
        return value
    found = _literal(value)
    if found is MISSING or not _is_of(found, kind) or (kind == "any" and _suffixed(found, value)):
        return value
    if isinstance(found, list):
        return [_member_value(v, _items(schema)) for v in found]
    return found


def _member_value(value: Any, schema: object) -> Any:
    """A member of a list by its own type; a text that may be one was unquoted with the list, and stays."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    text = isinstance(value, str) and (not isinstance(kind, str) or kind.lower() in {*_TEXTS, "any"})
    return value if text else decode(value, schema)


def _suffixed(found: Any, text: str) -> bool:
    """Where any type is right, only a plainly written number is one: `10d` may be ten days, `007` a name."""
    return isinstance(found, int | float) and not isinstance(found, bool) and not _PLAIN.match(text)


def _items(schema: object) -> object:
    return schema.get("items") if isinstance(schema, Mapping) else None


def _is_of(value: Any, kind: str) -> bool:
    if kind in _INTEGERS:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind in _FRACTIONS:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in _TEXTS:
        return isinstance(value, str)
    if kind in _LISTS:
        return isinstance(value, list)
    return isinstance(value, dict) if kind in _OBJECTS else value is not None


def _literal(text: str) -> Any:
    """The value of a text that is one literal, else `MISSING`."""
    if len(text) > _LONGEST:
        return MISSING
    reader = _Reader(text)
    try:
        value = reader.value(0)
        reader.end()
    except _NoLiteral:
        return MISSING
    return value


class _Reader:
    """A recursive descent over the literals of both languages; their differences do not matter for the values."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def _next(self) -> tuple[str, str]:
        found = _TOKEN.match(self._text, self._at)
        if found is None or found.lastgroup is None:
            raise _NoLiteral
        self._at = found.end()
        return found.lastgroup, found[found.lastgroup]

    def _peek(self) -> str:
        found = _TOKEN.match(self._text, self._at)
        return found[found.lastgroup] if found is not None and found.lastgroup is not None else ""

    def _take(self, mark: str) -> None:
        if self._next()[1] != mark:
            raise _NoLiteral

    def _have(self, mark: str) -> bool:
        if self._peek() != mark:
            return False
        self._next()
        return True

    def end(self) -> None:
        """Nothing but a semicolon may follow."""
        self._have(";")
        if self._text[self._at :].strip():
            raise _NoLiteral

    def value(self, depth: int) -> Any:
        """Read one value."""
        if depth > _DEEPEST:
            raise _NoLiteral
        kind, found = self._next()
        if kind == "text":
            return _unescaped(found[1:-1])
        if kind == "number":
            return _number(found)
        if kind == "word":
            return self._word(found, depth)
        if found == "[":
            return self._members("]", depth)
        if found == "{":
            return self._object(depth)
        raise _NoLiteral

    def _members(self, closing: str, depth: int) -> list[Any]:
        """Read values up to a closing mark; a name among them (a variable, a constant) is its own text."""
        out: list[Any] = []
        while not self._have(closing):
            out.append(self._member(depth + 1))
            if not self._have(","):
                self._take(closing)
                break
        return out

    def _member(self, depth: int) -> Any:
        start = self._at
        try:
            return self.value(depth)
        except _NoLiteral:
            self._at = start
            kind, token = self._next()
            if kind != "word" or self._peek() not in (",", "]", "}", ")"):
                raise
            return token

    def _object(self, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while not self._have("}"):
            kind, key = self._next()
            if kind == "mark":
                raise _NoLiteral
            self._take(":")
            out[_unescaped(key[1:-1]) if kind == "text" else key] = self._member(depth + 1)
            if not self._have(","):
                self._take("}")
                break
        return out

    def _word(self, word: str, depth: int) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        if word == "new":
            return self._new(depth)
        name = re.sub(r"\s", "", word)
        if name in _LISTING or name in _EMPTY_LIST or name in ("Map.of", "Collections.emptyMap"):
            self._take("(")
            members = self._members(")", depth)
            return _paired(members) if "Map" in name else members
        raise _NoLiteral

    def _new(self, depth: int) -> Any:
        kind, name = self._next()
        if kind != "word":
            raise _NoLiteral
        if self._have("["):
            self._take("]")
            self._take("{")
            return self._members("}", depth)
        if generic := _GENERIC.match(self._text, self._at):
            self._at = generic.end()
        self._take("(")
        members = self._members(")", depth)
        if _MAP_CLASS.match(name):
            out = members[0] if len(members) == 1 and isinstance(members[0], dict) else {}
            return {**out, **_paired(self._body("put", 2, depth))}
        if (
            name in ("String", "Integer", "Long", "Double", "Float", "Boolean", "Number", "BigInt")
            and len(members) == 1
        ):
            return members[0]
        if not _LIST_CLASS.match(name):
            raise _NoLiteral
        listed = members[0] if name != "Array" and len(members) == 1 and isinstance(members[0], list) else members
        return [*listed, *self._body("add", 1, depth)]

    def _body(self, method: str, n: int, depth: int) -> list[Any]:
        """Read `{{ put("a", 1); put("b", 2); }}`, or nothing where no body follows."""
        out: list[Any] = []
        if not self._have("{"):
            return out
        if self._have("{"):
            while not self._have("}"):
                if self._next()[1] != method:
                    raise _NoLiteral
                self._take("(")
                members = self._members(")", depth)
                if len(members) != n:
                    raise _NoLiteral
                out += members
                self._take(";")
        self._take("}")
        return out


def _paired(members: list[Any]) -> dict[str, Any]:
    if len(members) % 2:
        raise _NoLiteral
    return {str(key): value for key, value in zip(members[::2], members[1::2], strict=True)}


def _number(token: str) -> int | float:
    digits = token.rstrip("lLfFdDn").replace("_", "")
    try:
        return int(digits)
    except ValueError:
        value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _NoLiteral
    return value


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2])

    return str(without_lone_surrogates(_ESCAPE.sub(plain, text)))
