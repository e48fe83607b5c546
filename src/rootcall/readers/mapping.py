"""Mapping files: where the messages, calls, results and tools of a format of one's own are, as paths.

Owns what may stand in such a file and what is said of a mistake in it. Paths are `rootcall.readers.paths`', reading with a
mapping is `rootcall.readers.mapped`'. The guide to mappings has the whole grammar.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Final

import msgspec

from rootcall.casetext import yaml_items
from rootcall.errors import ConfigError
from rootcall.readers.paths import Path, parse_path

__all__ = ["CallFields", "MessageSource", "ResultFields", "TraceMapping", "load_mapping", "read_mapping"]

Paths = tuple[Path, ...]
"""Alternatives: the first that leads to something counts."""

WORDS: Final = ("user", "assistant", "system", "tool")
_TOP: Final = ("name", "trace", "group", "id", "metadata", "tools", "messages")
_SOURCE: Final = (
    "from", "time", "take", "each", "unless", "role", "roles", "text", "calls", "call", "result", "agent", "optional",
)  # fmt: skip
_CALL: Final = (
    "tool", "without", "id", "arguments", "result", "error", "failed", "status", "denied", "ended", "step", "agent",
)  # fmt: skip
_RESULT: Final = ("id", "tool", "text", "error", "failed", "status")


class ResultFields(msgspec.Struct, frozen=True):
    """Where a result has its call's id or tool, its content, and what says that it is an error."""

    id: Paths = ()
    tool: Paths = ()
    text: Paths = ()
    error: Paths = ()
    failed: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    status: Paths = ()


class CallFields(msgspec.Struct, frozen=True):
    """Where a call has its tool, id and arguments, and its result where both stand together.

    `ended` leads to something where the call came to its end, whether or not its result was kept.
    """

    tool: Paths
    without: tuple[str, ...] = ()
    id: Paths = ()
    arguments: Paths = ()
    result: Paths = ()
    error: Paths = ()
    failed: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    denied: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    ended: Paths = ()
    status: Paths = ()
    step: Paths = ()
    agent: Paths = ()


class MessageSource(msgspec.Struct, frozen=True):
    """One kind of elements: where they are, and what they say. `optional` says that it may well find none."""

    elements: Paths
    time: Paths = ()
    take: str = ""
    each: Paths = ()
    unless: Paths = ()
    role: tuple[Path | str, ...] = ()
    roles: Mapping[str, str] = {}
    text: Paths = ()
    calls: Paths = ()
    call: CallFields | None = None
    result: ResultFields | None = None
    agent: Paths = ()
    optional: bool = False


class TraceMapping(msgspec.Struct, frozen=True):
    """A mapping. `whole` says that all records of a file are one trace, `group` by what they fall into traces.

    Of `tools` the first alternative counts that leads to something; one may be several paths, whose tools are taken together.
    """

    name: str
    trace: Path
    whole: bool
    group: Paths
    id: Paths
    metadata: Mapping[str, Paths]
    tools: tuple[Paths, ...]
    sources: tuple[MessageSource, ...]


class _Form:
    """One object of a mapping file while it is read; every mistake is one line with its place."""

    def __init__(self, value: object, place: str, known: tuple[str, ...]) -> None:
        if not isinstance(value, Mapping):
            raise _Wrong(place, f"an object is wanted, got {_shape(value)}")
        self.value, self.place = value, place
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise _Wrong(place, f"no field is called {str(key)!r}; {hint}")

    def at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def paths(self, key: str, *, needed: bool = False) -> Paths:
        value = self.value.get(key)
        if value is None:
            if needed:
                raise _Wrong(self.place, f"{key} is wanted, a path or a list of paths")
            return ()
        return tuple(_path(v, self.at(key)) for v in (value if isinstance(value, list) else [value]))

    def alternatives(self, key: str) -> tuple[Paths, ...]:
        value = self.value.get(key)
        listed = [] if value is None else value if isinstance(value, list) else [value]
        place = self.at(key)
        return tuple(tuple(_path(p, place) for p in (v if isinstance(v, list) else [v])) for v in listed)

    def words(self, key: str) -> tuple[str, ...]:
        value = self.value.get(key, [])
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(v, str) for v in listed):
            raise _Wrong(self.at(key), f"a text or a list of texts is wanted, got {_shape(value)}")
        return tuple(listed)

    def table(self, key: str) -> Mapping[str, Any]:
        value = self.value.get(key, {})
        if not isinstance(value, Mapping):
            raise _Wrong(self.at(key), f"an object is wanted, got {_shape(value)}")
        return value

    def conditions(self, key: str) -> tuple[tuple[Path, tuple[str, ...]], ...]:
        out = []
        for path, wanted in self.table(key).items():
            listed = wanted if isinstance(wanted, list) else [wanted]
            if any(isinstance(w, list | Mapping) for w in listed):
                raise _Wrong(self.at(key), f"{path}: a value or a list of values is wanted, got {_shape(wanted)}")
            words = tuple(w if isinstance(w, str) else msgspec.json.encode(w).decode() for w in listed)
            out.append((_path(path, self.at(key), named=f"{self.at(key)}.{path}"), words))
        return tuple(out)


class _Wrong(Exception):  # noqa: N818 -- becomes a ConfigError with the file's name
    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}" if place else why)


def _path(value: object, place: str, *, named: str = "") -> Path:
    if not isinstance(value, str):
        raise _Wrong(place, f"a path is wanted, got {_shape(value)}")
    try:
        return parse_path(value, named or place)
    except ValueError as error:
        raise _Wrong(place, str(error)) from None


def _shape(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "an object"
    if value == []:
        return "an empty list"
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")


def load_mapping(file: str | FilePath) -> TraceMapping:
    """Read a mapping file, YAML or JSON.

    Raises:
        ConfigError: the file cannot be read, or is no mapping; one line with the place.
    """
    try:
        text = FilePath(file).read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ConfigError(f"{file}: not UTF-8: {error}") from None
    documents = list(yaml_items(text))
    for line, value in documents:
        if isinstance(value, ValueError):
            raise ConfigError(f"{file}:{line}: {value}")
    begun = next((x for x in map(str.strip, text.splitlines()) if x and not x.startswith(("#", "---"))), "")
    if begun.startswith(("- ", "[")) or begun == "-":
        raise ConfigError(f"{file}: one object is wanted, got a list; see the guide to mappings")
    if len(documents) != 1:
        raise ConfigError(f"{file}: one object is wanted, got {len(documents) or 'nothing'}; see the guide to mappings")
    return read_mapping(documents[0][1], str(file), name=FilePath(file).stem)


def read_mapping(value: object, file: str = "<mapping>", *, name: str = "mapping") -> TraceMapping:
    """Read a mapping from its value. `file` stands before what is said of a mistake, `name` is the format's name.

    Raises:
        ConfigError: it is no mapping.
    """
    try:
        return _mapping(value, name)
    except _Wrong as wrong:
        raise ConfigError(f"{file}: {wrong}") from None


def _mapping(value: object, name: str) -> TraceMapping:
    form = _Form(value, "", _TOP)
    sources = form.value.get("messages")
    if not isinstance(sources, list) or not sources:
        raise _Wrong("messages", f"a list is wanted that says where the messages are, got {_shape(sources)}")
    whole = form.value.get("trace") == "file" or "group" in form.value
    if "group" in form.value and form.value.get("trace", "file") != "file":
        raise _Wrong("group", "records are grouped from the whole file; leave out trace")
    named = form.value.get("name", name)
    if not isinstance(named, str) or not named:
        raise _Wrong("name", f"a text is wanted, got {_shape(named)}")
    metadata = form.table("metadata")
    inner = _Form(metadata, "metadata", tuple(metadata))
    return TraceMapping(
        named,
        parse_path("$") if whole else (form.paths("trace") or (parse_path("$"),))[0],
        whole,
        form.paths("group"),
        form.paths("id"),
        {str(k): inner.paths(k) for k in metadata},
        form.alternatives("tools"),
        tuple(_source(s, f"messages[{n}]") for n, s in enumerate(sources)),
    )


def _source(value: object, place: str) -> MessageSource:
    form = _Form(value, place, _SOURCE)
    take = form.value.get("take", "")
    if take not in ("", "first", "last"):
        raise _Wrong(form.at("take"), f"first or last is wanted, got {take!r}")
    call = _call(form.value["call"], form.at("call")) if "call" in form.value else None
    result = _result(form.value["result"], form.at("result")) if "result" in form.value else None
    if "role" not in form.value and call is None and result is None:
        raise _Wrong(place, "role, call or result is wanted, to say what these elements are")
    if "calls" in form.value and call is None:
        raise _Wrong(place, "calls is given and call is not; call says where their tool and arguments are")
    if "calls" in form.value and "role" not in form.value:
        raise _Wrong(place, "calls stand in a message; role is wanted (assistant)")
    given = form.value.get("role", [])
    role = tuple(
        r if isinstance(r, str) and r in WORDS else _path(r, form.at("role"))
        for r in (given if isinstance(given, list) else [given])
    )
    roles = {str(k): v for k, v in form.table("roles").items()}
    for theirs, ours in roles.items():
        if ours not in WORDS:
            raise _Wrong(form.at("roles"), f"{theirs}: one of {', '.join(WORDS)} is wanted, got {ours!r}")
    optional = form.value.get("optional", False)
    if not isinstance(optional, bool):
        raise _Wrong(form.at("optional"), f"true or false is wanted, got {_shape(optional)}")
    return MessageSource(
        form.paths("from", needed=True), form.paths("time"), take, form.paths("each"), form.paths("unless"), role, roles,
        form.paths("text"), form.paths("calls"), call, result, form.paths("agent"), optional,
    )  # fmt: skip


def _call(value: object, place: str) -> CallFields:
    form = _Form(value, place, _CALL)
    return CallFields(
        form.paths("tool", needed=True), form.words("without"), form.paths("id"), form.paths("arguments"),
        form.paths("result"), form.paths("error"), form.conditions("failed"), form.conditions("denied"),
        form.paths("ended"), form.paths("status"), form.paths("step"), form.paths("agent"),
    )  # fmt: skip


def _result(value: object, place: str) -> ResultFields:
    form = _Form(value, place, _RESULT)
    return ResultFields(
        form.paths("id"), form.paths("tool"), form.paths("text", needed=True), form.paths("error"),
        form.conditions("failed"), form.paths("status"),
    )  # fmt: skip
