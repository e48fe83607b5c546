"""The readers there are: ours by name, others' through the entry points `rootcall.readers`; choosing one by content.

Ours are imported when their turn comes, and the entry points of installed packages are listed only when a format is
not one of ours, or when none of ours is certain. Otherwise ours have no privilege: the highest confidence wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Final

import msgspec

from rootcall.errors import UnknownFormatError, UsageError
from rootcall.readers.records import Head, Stream
from rootcall.trace import Trace

__all__ = ["GROUP", "Reader", "all_readers", "choose", "find_reader"]

GROUP: Final = "rootcall.readers"

_OURS: Final[Mapping[str, str]] = {
    "native": "rootcall.readers.native",
    "tau-bench": "rootcall.readers.tau_bench",
    "bfcl-multi-turn": "rootcall.readers.bfcl",
    "langfuse": "rootcall.readers.langfuse",
    "mlflow": "rootcall.readers.mlflow",
    "claude-code": "rootcall.readers.claude_code",
    "codex": "rootcall.readers.codex",
    "mastra": "rootcall.readers.mastra",
    "openai-stream": "rootcall.readers.openai_stream",
    "anthropic-stream": "rootcall.readers.anthropic_stream",
    "ai-sdk-stream": "rootcall.readers.ai_sdk_stream",
    "ai-sdk": "rootcall.readers.ai_sdk",
    "openai-agents": "rootcall.readers.openai_agents",
    "openai-run-state": "rootcall.readers.openai_run_state",
    "langsmith": "rootcall.readers.langsmith",
    "openai-responses": "rootcall.readers.openai_responses",
    "bedrock-converse": "rootcall.readers.bedrock_converse",
    "gemini-contents": "rootcall.readers.gemini_contents",
    "langchain": "rootcall.readers.langchain",
    "otel-spans": "rootcall.readers.spans",
    "pydantic-ai": "rootcall.readers.pydantic_ai",
    "openai-chat": "rootcall.readers.openai_chat",
    "anthropic-messages": "rootcall.readers.anthropic_messages",
}
_CERTAIN: Final = 1.0


class Reader(msgspec.Struct, frozen=True):
    """A trace format.

    `detect` looks at the head of a file and returns a confidence: 0 not mine, 0.5 readable as mine, 0.9 it has marks of
    mine, 1 no other format looks like this. `read` yields traces from a stream; it names what it cannot read with
    `Stream.set_aside` and never raises because of content. `marks` says in a few words by what a file is recognised, and
    `lacks` what the format has no place for, so that a user knows why a check stayed unscored.
    """

    name: str
    description: str
    detect: Callable[[Head], float]
    read: Callable[[Stream], Iterator[Trace]]
    marks: str = ""
    lacks: tuple[str, ...] = ()


@cache
def _ours(name: str) -> Reader:
    reader = import_module(_OURS[name]).READER
    assert isinstance(reader, Reader)
    return reader


@cache
def _others() -> tuple[Reader, ...]:
    """The readers of installed packages, in the order of their names.

    Raises:
        UsageError: one of them cannot be imported; its package is named.
    """
    from importlib.metadata import entry_points

    found = []
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if point.value.partition(":")[0] in _OURS.values():
            continue
        try:
            reader = point.load()
        except Exception as error:  # noqa: BLE001 -- whatever another package does when it is imported
            raise UsageError(f"the reader {point.name!r} ({point.value}) cannot be imported: {error}") from None
        if not isinstance(reader, Reader):
            raise UsageError(f"the reader {point.name!r} ({point.value}) must be a Reader, got {type(reader).__name__}")
        found.append(reader)
    return tuple(found)


def all_readers() -> tuple[Reader, ...]:
    """All readers there are, ours first."""
    return (*map(_ours, _OURS), *_others())


def find_reader(name: str) -> Reader:
    """Return the reader of a format.

    Raises:
        UsageError: there is no such format; the message lists those there are.
    """
    if name in _OURS:
        return _ours(name)
    found = next((r for r in _others() if r.name == name), None)
    if found is None:
        known = ", ".join(r.name for r in all_readers())
        raise UsageError(f"no format is called {name!r}; there are {known}, and auto")
    return found


def choose(head: Head) -> Reader | None:
    """Return the reader that is surest of a file's head, or None when none recognises it.

    Raises:
        UnknownFormatError: two readers are equally sure; the message names them.
    """
    sure = [(reader.detect(head), reader) for reader in map(_ours, _OURS)]
    if max(confidence for confidence, _ in sure) < _CERTAIN:
        sure += [(reader.detect(head), reader) for reader in _others()]
    most = max(confidence for confidence, _ in sure)
    best = [reader for confidence, reader in sure if confidence == most]
    if most <= 0:
        return None
    if len(best) > 1:
        names = " and ".join(r.name for r in best)
        raise UnknownFormatError(f"{head.file}: could be {names} alike; say which with --format")
    return best[0]
