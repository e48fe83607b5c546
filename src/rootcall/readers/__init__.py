"""The door through which traces come in: paths to `Trace`s, whatever the format, with everything left out named.

    reading = read("runs/*.jsonl.gz", tools="tools.json")
    for trace in reading:
        …
    reading.problems, reading.calls_in, reading.bytes_read

One file of this package is one format (`native`, `openai_chat`, `anthropic_messages`, `tau_bench`, …), `mapped` reads any
other with a mapping; `content` and `records` bring bytes to JSON values, `rows` and `script` turn them into conversations,
`registry` knows the readers, ours and others', and `unknown` says what a file is that none of them reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from rootcall.conversation import count_calls
from rootcall.errors import EmptyInputError, InputError, UnknownFormatError, UsageError
from rootcall.jsonline import encode_line
from rootcall.readers.content import STDIN, Opened
from rootcall.readers.files import Given, Paths, expand
from rootcall.readers.records import Head, Limits, Record, Stream
from rootcall.readers.registry import Reader, all_readers, choose, find_reader
from rootcall.readers.unknown import describe, run_part
from rootcall.trace import Problem, Source, Tool, Trace

__all__ = [
    "Head",
    "Limits",
    "Reader",
    "Reading",
    "Record",
    "Stream",
    "all_readers",
    "find_reader",
    "read",
]

_KEPT_PROBLEMS: Final = 10_000
# Said about what is read all the same.
_NOTES: Final = frozenset({"duplicate-keys", "lone-surrogate", "tool-twice", "files-left-out", "mapping-path-unused"})


def read(
    paths: Paths,
    format: str = "auto",  # noqa: A002 -- the option's own name
    tools: Any = None,
    *,
    mapping: str | Path | Mapping[str, Any] | None = None,
    limits: Limits | None = None,
) -> Reading:
    """Read traces.

    Args:
        paths: one path or several: files, folders (all in them that ends in .json, .jsonl, .ndjson, .gz, .zst or .pb, and all else that
            begins as JSON does), patterns such as `runs/**/*.jsonl`, and `-` for standard input. Each real file is read
            once. Compression is told from content.
        format: the name of a format; `auto` tells it from content, file by file.
        tools: tools for traces that declare none, in any form that `rootcall.load_tools` takes: a file, a place in code,
            specs, Pydantic models, functions. Traces that declare their own get the validators of the models by name.
        mapping: a mapping file, or its value, that says where everything is in a format of one's own; see the guide to
            mappings. It reads every file.
        limits: caps on the size of a line and of a document.

    Returns:
        An iterator of traces that also knows what was left out; see `Reading`.

    Raises:
        InputError: at once, when a path leads nowhere; while reading, when a file as a whole cannot be used
            (`EmptyInputError`, when nothing is in the only one).
        UnknownFormatError: while reading, when no reader recognises a file that was named.
        UsageError: no format has that name, or a mapping is given beside it.
        ConfigError: the mapping is none; one line says where and why.
    """
    return Reading(paths, format, tools, mapping=mapping, limits=limits)


class Reading(Iterator[Trace]):
    """Traces being read, and the account of it. Iterate once.

    `problems` are the records and files set aside, and notes on records that were read all the same; what concerns one
    trace stands in that trace's own problems. Of many problems the first ten thousand are kept, `counts` counts all by
    code. `traces`, `calls_kept` and `calls_lost` count what was read so far; `set_aside` counts the records and files
    left out, `files` those opened. `bytes_total` is None when standard input is read.
    """

    def __init__(
        self,
        paths: Paths,
        format: str = "auto",  # noqa: A002 -- the option's own name
        tools: Any = None,
        *,
        mapping: str | Path | Mapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()
        self.traces = self.calls_kept = self.calls_lost = self.set_aside = self.files = 0
        self._limits = limits or Limits()
        self._afterwards: Callable[[], Iterable[Problem]] = tuple
        self._reader = None if format == "auto" else find_reader(format)
        if mapping is not None:
            self._reader, self._afterwards = _mapped(mapping, self._reader)
        self._given = expand(paths, self._note)
        named = [g.path for g in self._given if g.path is not None]
        self.bytes_total = sum(map(_size, named)) if len(named) == len(self._given) else None
        self._bytes_done = 0
        self._opened: Opened | None = None
        self._tools: tuple[Tool, ...] | None = None
        if tools is not None:
            from rootcall.tools import gather_tools

            self._tools, found = gather_tools(tools)
            for problem in found:
                self._note(problem)
        self._unknown: UnknownFormatError | None = None
        self._traces = self._read_all()

    def __iter__(self) -> Reading:
        return self

    def __next__(self) -> Trace:
        return next(self._traces)

    @property
    def calls_in(self) -> int:
        """Calls in the input so far: those kept in traces and those set aside."""
        return self.calls_kept + self.calls_lost

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, as they lie in the files, for a progress bar."""
        return self._bytes_done + (self._opened.position if self._opened is not None else 0)

    @property
    def _accounted(self) -> int:
        """Grows with every trace and every problem, so that a file that gave neither is noticed."""
        return self.traces + self.counts.total()

    def _note(self, problem: Problem) -> None:
        self.counts[problem.code] += 1
        self.calls_lost += problem.lost
        self.set_aside += problem.code not in _NOTES
        if len(self.problems) < _KEPT_PROBLEMS:
            self.problems.append(problem)

    def _read_all(self) -> Iterator[Trace]:
        for given in self._given:
            try:
                opened = Opened(given.path)
            except OSError as error:
                self._whole_file(
                    given, InputError(f"{given.path or STDIN}: cannot be opened: {error.strerror or error}")
                )
                continue
            self.files += 1
            with opened:
                self._opened = opened
                yield from map(self._counted, self._read_file(given, opened))
            self._bytes_done += opened.position
            self._opened = None
        for problem in self._afterwards():
            self._note(problem)
        if self._unknown is not None and not self.traces and not any(g.named for g in self._given):
            raise self._unknown

    def _read_file(self, given: Given, opened: Opened) -> Iterator[Trace]:
        stream = Stream(
            opened.chunks(),
            opened.name,
            path=given.path,
            limits=self._limits,
            tools=self._tools,
            report=self._note,
        )
        head = stream.head
        before = self._accounted
        if head.container == "empty" or (not head.values and head.start.lstrip()[:1] in (b"{", b"[")):
            for _ in stream:  # damaged as a whole, or nothing but a beginning; the stream says how
                pass
            if before != self._accounted:
                return
        if head.container == "empty" or _no_elements(head):
            what = "is empty" if head.container == "empty" else "is an array without elements"
            self._whole_file(given, EmptyInputError(f"{opened.name}: {what}; a file of traces is wanted"))
            return
        part = run_part(head)
        if part is not None:
            message = (
                f"{opened.name}: a part of a run that was scored: its {part}; read the traces the run was made from"
            )
            self._whole_file(given, UnknownFormatError(message))
            return
        try:
            reader = self._reader or choose(head)
        except UnknownFormatError as error:
            self._whole_file(given, error)
            return
        if reader is None:
            supported = ", ".join(r.name for r in all_readers())
            message = f"{opened.name}: no reader recognises it: {describe(head)}; supported are {supported}; a format of your own is read with --mapping FILE"
            self._whole_file(given, UnknownFormatError(message))
            return
        try:
            yield from reader.read(stream)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 -- a faulty reader must not take the other files with it
            message = (
                f"the reader {reader.name} failed: {type(error).__name__}: {error}; the rest of the file is left out"
            )
            self._note(Problem("reader-failed", message, Source(opened.name)))
        if before == self._accounted:
            self._whole_file(given, InputError(f"{opened.name}: holds no trace: {describe(head)}"))
        if stream.foreign:
            self._note(_foreign(stream.foreign, self._limits))

    def _whole_file(self, given: Given, error: InputError) -> None:
        """A file that as a whole cannot be used: an error when the user named it, a problem when it was found.

        An empty one among others is a problem too, as a shell that lists files names them all.
        """
        if given.named and not (isinstance(error, EmptyInputError) and len(self._given) > 1):
            raise error
        unknown = isinstance(error, UnknownFormatError)
        if isinstance(error, UnknownFormatError) and self._unknown is None:
            self._unknown = error
        # Nothing but its first bytes spoke for a file whose ending says nothing.
        code = "files-left-out" if unknown and given.guessed else "unknown-format" if unknown else "unusable-file"
        name = str(given.path or STDIN)
        self._note(Problem(code, str(error).removeprefix(f"{name}: "), Source(name)))

    def _counted(self, trace: Trace) -> Trace:
        if trace.tools_known == "unknown" and self._tools is not None:
            trace = trace.with_tools(self._tools)
        elif self._tools is not None:
            trace = _with_validators(trace, self._tools)
        self.traces += 1
        self.calls_kept += len(trace.calls)
        self.calls_lost += sum(p.lost for p in trace.problems)
        return trace


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # opening it says why


def _foreign(lines: list[Record], limits: Limits) -> Problem:
    """What is said of lines of another format than the file's: which it seems to be, and the calls that it tells of."""
    calls = sum(count_calls(line.value) for line in lines)
    reader = None
    try:
        stream = Stream([b"".join(encode_line(x.value) for x in lines)], lines[0].source.file, limits=limits)
        reader = choose(stream.head)
        calls = max(calls, sum(len(t.calls) for t in reader.read(stream)) if reader is not None else 0)
    except (InputError, RecursionError):
        pass  # then the marks of calls are what is known
    what = "1 line is" if len(lines) == 1 else f"{len(lines)} lines are"
    kind = "another format" if reader is None else f"the format {reader.name}"
    message = (
        f"from here on {what} of {kind} and left out; a file is read as one format: put each into a file of its own"
    )
    return Problem("foreign-lines", message, lines[0].source, calls)


def _no_elements(head: Head) -> bool:
    return (
        head.container == "array" and not head.values and "".join(head.start.decode("utf-8", "replace").split()) == "[]"
    )


def _mapped(
    mapping: str | Path | Mapping[str, Any], named: Reader | None
) -> tuple[Reader, Callable[[], Iterator[Problem]]]:
    """The reader of a mapping, and what says, once everything was read, which of its paths led to nothing."""
    from rootcall.readers.mapped import mapping_reader, unfound
    from rootcall.readers.mapping import load_mapping, read_mapping
    from rootcall.readers.paths import Trail

    if named is not None:
        raise UsageError(f"the format {named.name} and a mapping are given; one of them says how a file is read")
    file = "<mapping>" if isinstance(mapping, Mapping) else str(mapping)
    read_as = read_mapping(mapping) if isinstance(mapping, Mapping) else load_mapping(mapping)
    trail = Trail()
    return mapping_reader(read_as, trail), lambda: unfound(read_as, trail, file)


def _with_validators(trace: Trace, tools: tuple[Tool, ...]) -> Trace:
    from rootcall.tools import with_validators

    kept = with_validators(trace.tools, tools)
    return trace if kept is trace.tools else msgspec.structs.replace(trace, tools=kept)
