"""From paths to files: folders, patterns and standard input, each real file once, and what of them is left out.

Owns which files are meant, and the account of those that are not read. Links are followed, each folder once, so that one
that leads back into itself ends. What a file holds belongs to `rootcall.readers.content` and to the readers; here the first
bytes are looked at of files whose ending says nothing.
"""

from __future__ import annotations

import fnmatch
import glob as globbing
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from rootcall.errors import InputError
from rootcall.readers.content import Damaged, Opened
from rootcall.readers.protobuf import looks_like_otlp
from rootcall.trace import Problem, Source

__all__ = ["SUFFIXES", "Given", "Paths", "expand"]

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".gz", ".zst", ".pb")
"""Endings of the files of a folder that are read whatever is in them."""

Paths = str | Path | Iterable[str | Path]

_HEAD: Final = 512
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
# The beginning of an object, of an array of objects or arrays, or of server-sent events.
_TRACES = re.compile(rb'\s*(?:(?:\[\s*){0,2}\{\s*["}]|data:\s*\{|event:\s*[\w.]+\s*\n\s*data:)')


class Given(NamedTuple):
    """A file to read. `named` tells whether the user named it, or it was found in a folder or by a pattern.

    `guessed`: its ending says nothing, and its first bytes look like JSON.
    """

    path: Path | None
    named: bool
    guessed: bool = False


def expand(paths: Paths, report: Callable[[Problem], None] = lambda _: None) -> list[Given]:
    """List the files that paths mean, each once, in the order given; those of a folder by name.

    A file is known by what it is, not by its name: links and other spellings of a path are the same file. `report` is
    given folders that cannot be read, and a note on the files of a folder that are left out.

    Raises:
        InputError: a path leads nowhere, or no path is given.
    """
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    found: dict[object, Given] = {}
    for path in listed:
        for given in _expand_one(path, report):
            key = _identity(given.path)
            first = found.setdefault(key, given)
            if given.named and not first.named:
                found[key] = first._replace(named=True, guessed=False)
    if not found:
        raise InputError("no file is given; name a file, a folder, a pattern, or - for standard input")
    return list(found.values())


def _identity(path: Path | None) -> object:
    if path is None:
        return None
    try:
        known = path.stat()
    except OSError:
        return path
    return (known.st_dev, known.st_ino) if known.st_ino else path.resolve()


def _expand_one(path: str | Path, report: Callable[[Problem], None]) -> list[Given]:
    if str(path) == "-":
        return [Given(None, named=True)]
    place, walk = Path(path), _Walk(report)
    try:
        if place.is_dir():
            return _of_folder(place, walk)
        if place.exists():
            return [Given(place, named=True)]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{str(place)!r}: cannot be opened: {why}") from None
    if not globbing.has_magic(str(path)):
        raise InputError(f"{place}: there is no such file or folder")
    files = [f for f in walk.matching(str(path)) if _is_file(f)]
    if not files:
        raise InputError(f"{path}: {walk.first_refused or 'no file matches the pattern'}")
    return [Given(f, named=False) for f in sorted(set(files))]


def _of_folder(place: Path, walk: _Walk) -> list[Given]:
    """The files of a folder that are read: those whose ending says so, and others that begin as JSON does.

    Raises:
        InputError: there are none.
    """
    given, others = [], Counter[str]()
    for file in walk.files(place):
        if file.suffix.lower() in SUFFIXES:
            given.append(Given(file, named=False))
        elif file.name.startswith("."):
            continue
        elif _begins_as_json(file):
            given.append(Given(file, named=False, guessed=True))
        else:
            others[file.suffix or file.name] += 1
    left_out = _told(others)
    if not given:
        none = f"the folder holds no trace file ({' '.join(SUFFIXES)})"
        raise InputError(f"{place}: {'; '.join(filter(None, (walk.first_refused or none, left_out)))}")
    if others:
        walk.report(Problem("files-left-out", left_out, Source(str(place))))
    return sorted(given)


def _told(others: Counter[str]) -> str:
    if not others:
        return ""
    few = ", ".join(f"{ending} {n}" for ending, n in others.most_common(8))
    more = f" and {len(others) - 8} more endings" if len(others) > 8 else ""
    total = others.total()
    what = "file with another ending does not begin" if total == 1 else "files with other endings do not begin"
    return f"{total} {what} as JSON, plain, gzip or zstd, and {'is' if total == 1 else 'are'} left out ({few}{more})"


def _begins_as_json(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
        if head.startswith(_PACKED) or b"\0" in head[:4]:
            with Opened(file) as content:
                head = next(content.chunks(), b"")
    except Damaged:
        return False
    except OSError:
        return True  # what is in it cannot be told; opening it says why
    return _TRACES.match(head) is not None or looks_like_otlp(head)


def _is_file(path: Path) -> bool:
    """Tell whether a file is there; one that may not be looked at is taken for one, and opening it says why."""
    try:
        return path.is_file()
    except OSError:
        return True


class _Walk:
    """Going through folders. `refused` says of each that cannot be read why."""

    def __init__(self, report: Callable[[Problem], None]) -> None:
        self.report = report
        self.refused: dict[Path, str] = {}

    @property
    def first_refused(self) -> str:
        """What is said of the first folder that cannot be read; empty when all can."""
        return next((f"{folder}: {what}" for folder, what in self.refused.items()), "")

    def files(self, top: Path) -> list[Path]:
        """All files of a folder and of those in it, by name."""
        folders = self._folders(top)
        return sorted(Path(entry.path) for _, entries in folders for entry in entries if _is_file(Path(entry.path)))

    def matching(self, pattern: str) -> Iterator[Path]:
        """The paths that a pattern matches; `**` stands for any folders, of which hidden ones are left out."""
        parts = Path(pattern).parts
        if parts and Path(parts[0]).is_absolute():
            yield from self._matching(Path(parts[0]), parts[1:])
        else:
            yield from self._matching(Path(), parts)

    def _matching(self, at: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        if not parts:
            yield at
            return
        part, rest = parts[0], parts[1:]
        if part == "**":
            for folder, entries in self._folders(at, hidden=False):
                if rest:
                    yield from self._matching(folder, rest)
                else:
                    yield from (Path(e.path) for e in entries)
        elif globbing.has_magic(part):
            for entry in self._entries(at):
                shown = part.startswith(".") or not entry.name.startswith(".")
                if shown and fnmatch.fnmatch(entry.name, part) and (not rest or _is_folder(entry)):
                    yield from self._matching(at / entry.name, rest)
        elif not rest or (at / part).is_dir():
            yield from self._matching(at / part, rest)

    def _folders(self, top: Path, *, hidden: bool = True) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
        """A folder and all in it with what they hold, each once, those that links lead to last."""
        waiting, linked = [top], list[Path]()
        seen: set[object] = set()
        while waiting or linked:
            folder = waiting.pop() if waiting else linked.pop(0)
            known = _identity(folder)
            if known in seen:
                continue
            seen.add(known)
            entries = self._entries(folder)
            for entry in entries:
                if (hidden or not entry.name.startswith(".")) and _is_folder(entry):
                    (linked if entry.is_symlink() else waiting).append(folder / entry.name)
            yield folder, entries

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as found:
                return sorted(found, key=lambda e: e.name)
        except OSError as error:
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                return []
            what = f"the folder cannot be read: {error.strerror or error}"
            if folder not in self.refused:
                self.refused[folder] = what
                self.report(Problem("unreadable-folder", what, Source(str(folder))))
            return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
