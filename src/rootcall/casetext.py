"""The text of a case file as JSON values, each with its line: JSON, JSON lines, or YAML with the values of JSON.

YAML brings anchors, tags and keys of any kind. What JSON cannot hold is refused here, as are values that are nested or
unfold without measure, so that whoever takes a case may walk it. What may stand in a case is `rootcall.casefile`'s.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rootcall.jsonvalue import join_path
from rootcall.payload import Unread, loads

if TYPE_CHECKING:
    import yaml

__all__ = [
    "MAX_DEPTH",
    "MAX_VALUES",
    "Lines",
    "json_items",
    "lines_under",
    "second_document",
    "surely_usable",
    "unusable_value",
    "yaml_items",
]

MAX_DEPTH: Final = 100
"""How deeply a case may be nested. Nobody reads such gold, and whoever walks it may do so by recursion."""

MAX_VALUES: Final = 200_000
"""How many values a case may hold, those that an alias repeats included."""

_MAX_BITS: Final = int(4300 * math.log2(10))  # what Python writes as digits by default


def surely_usable(value: Any) -> bool:
    """Tell at a quick look whether a value is one that a case can hold; False where a closer look is needed.

    It passes plain JSON of some measure, which nearly every case is, and makes out no places as `unusable_value` does.
    """
    level, seen = [value], 1
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for found in level:
            kind = type(found)
            if kind is dict:
                below += found.values()
                if not _are_texts(found):
                    return False
            elif kind is list:
                below += found
            elif kind not in _SURELY or not _SURELY[kind](found):
                return False
        if not below:
            return True
        level, seen = below, seen + len(below)
        if seen > MAX_VALUES:
            return False
    return False


def _are_texts(keys: Iterable[Any]) -> bool:
    try:
        return _encodes("".join(keys))
    except TypeError:  # a key that is no text
        return False


def unusable_value(value: object, *, leaves: bool = True, name: str = "a case") -> str | None:
    """Say why a value is none that a case can hold, with its place, or None: only JSON values of some measure are.

    With `leaves` False only the measure counts: tools may be given as functions and models. `name` is what the value as a
    whole is called.
    """
    stack: list[tuple[str, object, int]] = [("", value, 0)]
    seen = 0
    while stack:
        path, found, depth = stack.pop()
        seen += 1
        if depth > MAX_DEPTH:
            return f"nested more than {MAX_DEPTH} deep at {path[:60]}…"
        if seen > MAX_VALUES:
            return f"holds more than {MAX_VALUES:,} values"
        if isinstance(found, Mapping):
            for key, inner in found.items():
                wrong = _unusable_key(path or name, key)
                if leaves and wrong is not None:
                    return wrong
                stack.append((join_path(path, str(key)), inner, depth + 1))
        elif isinstance(found, Sequence) and not isinstance(found, str | bytes | bytearray | range):
            stack += [(f"{path}[{i}]", inner, depth + 1) for i, inner in enumerate(found)]
        elif leaves and (wrong := _unusable_scalar(found)) is not None:
            return f"{path or name} {wrong}"
    return None


def _unusable_key(path: str, key: object) -> str | None:
    if isinstance(key, str):
        return None if _encodes(key) else f"a key of {path} is no Unicode text"
    if isinstance(key, int) and not isinstance(key, bool) and _CODES.match(path):
        return None
    return f"the keys of {path} must be texts, got {str(key)[:40]}; put it in quotes"


# `{404: ask}` is the natural way to write it, and means one thing only.
_CODES: Final = re.compile(r"expect\.errors(\.|\[\").+\Z")


def _unusable_scalar(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if _encodes(value) else "is no Unicode text: half of a character stands in it"
    if isinstance(value, int):
        return None if value.bit_length() < _MAX_BITS else "is an integer of more than 4,300 digits"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"is {value}, which is no number of JSON"
    return f"is a {type(value).__name__}, which is no value of JSON"


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


_SURELY: Final[Mapping[type, Callable[[Any], bool]]] = {
    str: _encodes, int: lambda n: n.bit_length() < _MAX_BITS, float: math.isfinite, bool: lambda _: True, NoneType: lambda _: True,
}  # fmt: skip


# ---- JSON --------------------------------------------------------------------------------------------------------


def json_items(text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of every case in JSON or JSON lines; a ValueError in place of a value that cannot be read."""
    try:
        whole, duplicates = loads(text)
    except ValueError as error:
        filled = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(filled) > 1 and text.lstrip()[:1] == "[":
            yield getattr(error, "lineno", 1), _not_read(error)
            return
        for number, line in filled:
            try:
                yield number, _without_doubles(*loads(line))
            except ValueError as wrong:
                yield number, _not_read(wrong)
        return
    if duplicates:
        yield 1, _without_doubles(whole, duplicates)
    elif isinstance(whole, list):
        yield from _members(text, whole)
    else:
        yield 1, whole


def _not_read(error: ValueError) -> ValueError:
    return ValueError(f"cannot be read: {error}" if isinstance(error, Unread) else f"not JSON: {error}")


def _without_doubles(value: Any, duplicates: Sequence[str]) -> Any:
    if duplicates:
        return ValueError(f"key {duplicates[0]!r} stands twice in one object; only one of them would count")
    return value


def _members(text: str, values: list[Any]) -> Iterator[tuple[int, Any]]:
    """Each member of a JSON list with the line in which it begins."""
    decoder, at = json.JSONDecoder(), text.index("[") + 1
    for value in values:
        while text[at] in " \t\r\n,":
            at += 1
        yield text.count("\n", 0, at) + 1, value
        at = decoder.raw_decode(text, at)[1]


# ---- YAML --------------------------------------------------------------------------------------------------------

_TAG: Final = "tag:yaml.org,2002:"
_TOO_DEEP: Final = "!nested-too-deeply"
_SCALARS: Final = (
    ("bool", re.compile(r"(?:true|false)\Z"), "tf"),
    ("null", re.compile(r"(?:null|~|)\Z"), "n~"),
    ("int", re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), "-0123456789"),
    ("float", re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z"), "-0123456789"),
    ("merge", re.compile(r"<<\Z"), "<"),
)
_READS: Final[Mapping[str, re.Pattern[str]]] = {name: pattern for name, pattern, _ in _SCALARS}


class _Refused(Exception):  # noqa: N818 -- caught where it is raised
    """A node of YAML that is no value of a case, and its line."""

    def __init__(self, node: yaml.Node, why: str) -> None:
        super().__init__(why)
        self.line: int = node.start_mark.line + 1


def yaml_items(text: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of every case, as `json_items` does; dates and times stay texts, `no` and `on` are words."""
    import yaml

    try:
        loader = _loader(text)
        values = _Values(loader)
        while loader.check_node():
            document: Any = loader.get_node()
            listed = isinstance(document, yaml.SequenceNode) and document.tag == f"{_TAG}seq"
            for node in document.value if listed else [document]:
                try:
                    values.measure(node)
                    yield node.start_mark.line + 1, values.of(node)
                except _Refused as refused:
                    yield refused.line, ValueError(str(refused))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        yield line, ValueError(f"not YAML: the character U+{int(error.character):04X} may not stand in it")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        yield mark.line + 1 if mark else 1, ValueError(f"not YAML: {getattr(error, 'problem', None) or error}")
    except (ValueError, RecursionError) as error:  # a number of a directive or an escape beyond all measure
        yield 1, ValueError(f"not YAML: {str(error)[:100]}")


class Lines(NamedTuple):
    """Where things stand in a text: the line of each key of an object, and of each member of a list."""

    keys: Mapping[str, int] = {}
    members: Sequence[int] = ()


def lines_under(text: str, *paths: Sequence[str]) -> list[Lines]:
    """The lines of what stands under each path of keys, outer first; keys that are not there are passed over.

    For text that `yaml_items` or `json_items` has read. JSON is read as the YAML it is; where it is none, no line is told.
    """
    import yaml

    try:
        top: Any = _loader(text).get_single_node()
    except (yaml.YAMLError, ValueError, RecursionError):
        return [Lines()] * len(paths)
    found = []
    for path in paths:
        node = top
        for key in path:
            if isinstance(node, yaml.MappingNode):
                node = next((v for k, v in node.value if k.value == key), node)
        keys = (
            {str(k.value): k.start_mark.line + 1 for k, _ in node.value} if isinstance(node, yaml.MappingNode) else {}
        )
        members = [n.start_mark.line + 1 for n in node.value] if isinstance(node, yaml.SequenceNode) else []
        found.append(Lines(keys, members))
    return found


def second_document(text: str) -> int | None:
    """The line in which a second document of YAML begins; None where there is one alone, or where it cannot be told."""
    import yaml

    if re.search(r"^(?:---|\.\.\.)", text, re.MULTILINE) is None:
        return None
    try:
        marks = [e.start_mark for e in yaml.parse(text, yaml.SafeLoader) if isinstance(e, yaml.DocumentStartEvent)]
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return marks[1].line + 1 if len(marks) > 1 and marks[1] is not None else None


def _loader(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Composes nodes with the scalars of JSON. What is nested too deeply becomes one node that says so."""

        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.depth > MAX_DEPTH + 2 and not self.check_event(yaml.AliasEvent):
                return self.skipped()
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

        def fetch_flow_collection_start(self, token: Any) -> None:
            # The scanner looks at every open bracket for every token: far beyond measure, reading has no end.
            if self.flow_level > 5 * MAX_DEPTH:
                raise yaml.scanner.ScannerError(None, None, "nested too deeply", self.get_mark())
            super().fetch_flow_collection_start(token)

        def skipped(self) -> Any:
            start = event = self.get_event()  # type: ignore[no-untyped-call]
            opened = 0
            while True:
                opened += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                if not opened:
                    return yaml.ScalarNode(_TOO_DEEP, "", start.start_mark, event.end_mark)
                event = self.get_event()  # type: ignore[no-untyped-call]

    Loader.yaml_implicit_resolvers = {}
    for name, pattern, first in _SCALARS:
        starts = [*first, ""] if name == "null" else list(first)
        Loader.add_implicit_resolver(f"{_TAG}{name}", pattern, starts)
    return Loader(text)


class _Values:
    """Makes values of nodes. A node that aliases repeat is made once."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []  # so that no other node gets the identity of one that was made
        self.sizes: dict[int, tuple[int, int]] = {}

    def measure(self, top: Any) -> None:
        """Refuse what holds itself, unfolds into too many values, or is nested too deeply."""
        self.kept.append(top)
        stack, within = [(top, False)], set[int]()
        while stack:
            node, left = stack.pop()
            if id(node) in self.sizes:
                continue
            inner = _inside(node)
            if not left:
                if id(node) in within:
                    raise _Refused(node, "an anchor holds itself, so it has no end")
                within.add(id(node))
                stack += [(node, True), *((n, False) for n in inner)]
                continue
            if any(id(n) not in self.sizes for n in inner):
                raise _Refused(node, "an anchor holds itself, so it has no end")
            sizes = [self.sizes[id(n)] for n in inner]
            size, depth = 1 + sum(s for s, _ in sizes), 1 + max((d for _, d in sizes), default=-1)
            if size > MAX_VALUES:
                raise _Refused(node, f"holds more than {MAX_VALUES:,} values once its aliases are followed")
            if depth > MAX_DEPTH or node.tag == _TOO_DEEP:
                raise _Refused(top, f"nested more than {MAX_DEPTH} deep")
            self.sizes[id(node)] = size, depth
            within.discard(id(node))

    def of(self, node: Any) -> Any:
        """The value of a node that was measured."""
        if id(node) not in self.made:
            self.made[id(node)] = self._of(node)
        return self.made[id(node)]

    def _of(self, node: Any) -> Any:
        import yaml

        kind = node.tag.removeprefix(_TAG)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return [self.of(n) for n in node.value]
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return self._object(node)
        if isinstance(node, yaml.ScalarNode) and kind == "str":
            return node.value
        if isinstance(node, yaml.ScalarNode) and kind in ("bool", "null", "int", "float"):
            return _scalar(node, kind)
        written = node.tag.replace(_TAG, "!!")
        raise _Refused(
            node, f"{written} makes no value of JSON; only objects, lists, texts, numbers, true, false, null do"
        )

    def _object(self, node: Any) -> dict[Any, Any]:
        import yaml

        own = [k.value for k, _ in node.value if isinstance(k, yaml.ScalarNode) and k.tag != f"{_TAG}merge"]
        twice = next((k for i, k in enumerate(own) if k in own[:i]), None) if len({*own}) < len(own) else None
        if twice is not None:
            raise _Refused(node, f"key {twice!r} stands twice in one object")
        try:
            self.loader.flatten_mapping(node)
        except yaml.constructor.ConstructorError as error:
            raise _Refused(node, str(error.problem)) from None
        out: dict[Any, Any] = {}
        for key, inner in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Refused(key, "a key must be a text")
            out[self.of(key)] = self.of(inner)
        return out


def _inside(node: Any) -> list[Any]:
    """The nodes directly inside a node, keys included."""
    if isinstance(node.value, str):
        return []
    return [n for part in node.value for n in (part if isinstance(part, tuple) else (part,))]


def _scalar(node: Any, kind: str) -> Any:
    text: str = node.value
    if not _READS[kind].match(text):
        raise _Refused(node, f"{text[:40]!r} is no {kind} as JSON writes it")
    if kind == "bool":
        return text == "true"
    if kind == "null":
        return None
    if kind == "int" and len(text) > (sys.get_int_max_str_digits() or len(text)):
        raise _Refused(node, f"an integer of {len(text):,} digits cannot be read")
    return int(text) if kind == "int" else float(text)
