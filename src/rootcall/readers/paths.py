"""Paths into JSON values, as mappings write them: `observations[type=TOOL].input.city`, `$.trace.id`, `.`.

A path begins at an element, with `$` at the whole trace. `a.b` goes into an object, `'a.b'` names a key with a dot in it,
`[0]` and `[-1]` pick from a list, `[*]` takes all of it, `[type=TOOL]` and `[type!=TOOL]` keep those elements of a list whose
member is, or is not, that value. A key after a list is looked for in each of its elements. Text that is JSON is opened on
the way; `::json` at the end opens it there too. Owns this grammar and nothing else; a path is never run as code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.conversation import below
from rootcall.payload import loads
from rootcall.trace import Source

__all__ = ["Found", "Path", "Rows", "Trail", "Whole", "elements", "follow", "parse_path", "same_word"]

_KEY = re.compile(r"'((?:[^']|'')*)'|([^\s.\[\]'=!]+)")
_INDEX = re.compile(r"-?\d+\Z")
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,2})?\Z")
_LONGEST_INDEX: Final = 9


class Found(NamedTuple):
    """A value and where it stands."""

    value: Any
    source: Source


class Rows(list[Any]):
    """A list whose elements stand apart: records of one trace (with what they share), or those that a filter kept."""

    def __init__(self, found: list[Found], key: object = None) -> None:
        super().__init__(f.value for f in found)
        self.sources = [f.source for f in found]
        self.key = key


class _Step(NamedTuple):
    """One step: a key, an index, all elements, or a filter (`keys` and the text they must equal, or not)."""

    kind: str
    key: str = ""
    number: int = 0
    keys: tuple[str, ...] = ()
    value: str = ""
    equal: bool = True


class Path(NamedTuple):
    """A parsed path. `top` says that it begins at the whole trace, `place` where it stands in its mapping."""

    text: str
    top: bool
    steps: tuple[_Step, ...]
    opened: bool = False
    place: str = ""


class Trail:
    """Which paths were followed, and which of them ever led to something, be it null or an empty list.

    A path is known by being the same object: two that are written alike stand in two places.
    """

    def __init__(self) -> None:
        self.asked: dict[int, Path] = {}
        self.led: set[int] = set()
        self.traces = 0

    def went(self, path: Path, *, led: bool) -> None:
        """Note that a path was followed."""
        self.asked[id(path)] = path
        if led:
            self.led.add(id(path))

    def ever(self, paths: Iterable[Path]) -> bool:
        """Tell whether one of the paths led to something."""
        return any(id(p) in self.led for p in paths)

    def in_vain(self, paths: Iterable[Path]) -> bool:
        """Tell whether paths were followed, and none of them ever led to anything."""
        followed = [id(p) for p in paths if id(p) in self.asked]
        return bool(followed) and self.led.isdisjoint(followed)


class Whole(NamedTuple):
    """The whole trace, at which paths with `$` begin, and the trail of those that are followed in it."""

    value: Any
    source: Source
    trail: Trail


def parse_path(text: str, place: str = "") -> Path:
    """Parse a path.

    Args:
        text: the path.
        place: where it stands in its mapping.

    Raises:
        ValueError: it is none; the message says what is wanted and where.
    """
    rest, opened = (text.removesuffix("::json"), True) if text.endswith("::json") else (text, False)
    top = rest.startswith("$")
    at = 1 if top else 0
    if rest in (".", "$", ""):
        if not text:
            raise ValueError("a path is wanted, got an empty text")
        return Path(text, top, (), opened, place)
    steps: list[_Step] = []
    while at < len(rest):
        if rest[at] == "[":
            end = _closing(rest, at)
            steps.append(_bracket(rest[at + 1 : end], text))
            at = end + 1
            continue
        if rest[at] == "." and (steps or top or at == 0):
            at += 1
        elif steps or top:
            raise ValueError(f"{text!r}: a dot or a bracket is wanted at {rest[at:][:20]!r}")
        found = _KEY.match(rest, at)
        if found is None:
            raise ValueError(
                f"{text!r}: a key is wanted at {rest[at:][:20]!r}" if rest[at:] else f"{text!r}: ends in a dot"
            )
        if "::" in (found.group(2) or ""):
            raise ValueError(
                f"{text!r}: after a double colon json is wanted, at the end; a key that has one stands in quotes"
            )
        steps.append(_Step("key", _key(found)))
        at = found.end()
    return Path(text, top, tuple(steps), opened, place)


def _key(found: re.Match[str]) -> str:
    return found.group(2) if found.group(1) is None else found.group(1).replace("''", "'")


def _closing(text: str, at: int) -> int:
    quoted = False
    for n in range(at + 1, len(text)):
        if text[n] == "'":
            quoted = not quoted
        elif text[n] == "]" and not quoted:
            return n
    raise ValueError(f"{text!r}: a bracket is opened and not closed")


def _bracket(inner: str, text: str) -> _Step:
    if inner == "*":
        return _Step("all")
    if _INDEX.match(inner):
        if len(inner) > _LONGEST_INDEX:
            raise ValueError(f"{text!r}: [{inner[:20]}…] is no index that a list can have")
        return _Step("index", number=int(inner))
    keys: list[str] = []
    at = 0
    while found := _KEY.match(inner, at):
        keys.append(_key(found))
        at = found.end()
        if inner[at : at + 1] != ".":
            break
        at += 1
    equal = inner[at : at + 2] != "!="
    if not keys or (equal and inner[at : at + 1] != "="):
        raise ValueError(f"{text!r}: [{inner}] is no number, no * and no key=value")
    value = inner[at + (1 if equal else 2) :]
    if len(value) > 1 and value[0] == value[-1] == "'":
        value = value[1:-1].replace("''", "'")
    return _Step("filter", keys=tuple(keys), value=value, equal=equal)


def follow(path: Path, element: Found | Whole, top: Whole) -> list[Found]:
    """Return all values that a path leads to, in the order of the file; none where it leads nowhere."""
    start = top if path.top else element
    found = [Found(start.value, start.source)]
    for step in path.steps:
        found = [g for f in found for g in _taken(step, Found(_opened(f.value), f.source))]
    top.trail.went(path, led=bool(found))
    return [Found(_opened(f.value, texts=True), f.source) for f in found] if path.opened else found


def _taken(step: _Step, at: Found) -> Iterator[Found]:
    if step.kind == "key":
        if isinstance(at.value, Mapping):
            if step.key in at.value:
                yield Found(at.value[step.key], below(at.source, "/" + step.key.replace("~", "~0").replace("/", "~1")))
        elif isinstance(at.value, list):
            for element in elements(at):
                inner = Found(_opened(element.value), element.source)
                if isinstance(inner.value, Mapping):
                    yield from _taken(step, inner)
    elif isinstance(at.value, list):
        if step.kind == "all":
            yield from elements(at)
        elif step.kind == "index":
            if -len(at.value) <= step.number < len(at.value):
                yield list(elements(at))[step.number]
        else:
            kept = [e for e in elements(at) if _holds(step, e) == step.equal]
            if kept:
                yield Found(Rows(kept), at.source)


def elements(at: Found) -> Iterator[Found]:
    """The elements of a list with their places; a value that is no list is its own only element."""
    if isinstance(at.value, Rows):
        yield from map(Found, at.value, at.value.sources)
    elif isinstance(at.value, list):
        for n, value in enumerate(at.value):
            yield Found(value, below(at.source, f"/{n}"))
    else:
        yield at


def _holds(step: _Step, element: Found) -> bool:
    value: Any = element.value
    for key in step.keys:
        value = _opened(value)
        if not isinstance(value, Mapping) or key not in value:
            return step.value == "null"
        value = value[key]
    return same_word(value, step.value)


def same_word(value: object, word: str) -> bool:
    """Tell whether a value is what a word of a mapping says: a text, or a number, true, false or null as JSON writes it."""
    if isinstance(value, str):
        return value == word or (value[:1] == '"' and value == json.dumps(word))
    if isinstance(value, int | float) and not isinstance(value, bool) and _NUMBER.match(word):
        return bool(value == loads(word)[0])
    return not isinstance(value, list | Mapping) and json.dumps(value) == word


def _opened(value: Any, *, texts: bool = False) -> Any:
    """What a JSON text holds; any other value, and text that is no JSON, as it is."""
    if not isinstance(value, str) or (not texts and value.lstrip()[:1] not in ("{", "[")):
        return value
    try:
        return loads(value)[0]
    except ValueError:
        return value
