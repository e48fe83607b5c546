"""From a path or standard input to lines of UTF-8: opening, decompression, character encodings, caps.

Compression and encoding are told by the first bytes, never by a file's name. Memory is bounded: compressed data is
inflated a few bytes at a time, and a line past the cap is passed over without being kept. What JSON is belongs to
`rootcall.readers.records`.
"""

from __future__ import annotations

import codecs
import errno
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, NamedTuple

__all__ = ["STDIN", "Damaged", "Line", "Opened", "count_call_marks", "split_lines"]

STDIN: Final = "<stdin>"

_CHUNK: Final = 1 << 18
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
# The most a compressed piece can grow to is about 16 MB for gzip and 32 MB for zstd, so that a small hostile file
# cannot fill the memory.
_GZIP_PIECE: Final = 1 << 14
_ZSTD_PIECE: Final = 1 << 10
# The longest first: a UTF-32 mark begins with a UTF-16 one.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What is sent to a tool, with its beginning; and the parts that ask for one, with the id that follows.
_SENT = re.compile(rb'"arg(?:ument)?s"\s*:\s*("(?:[^"\\]|\\.){0,300}|[^}\]]{0,300})')
_PART = re.compile(
    rb'(?:"toolUse"\s*:\s*\{|"type"\s*:\s*"(?:[a-z_]*tool_use|custom_tool_call|dynamic-tool|'
    rb'tool-(?!result"|error"|input-|output-|approval-)[^"]+)")(?:[^}]{0,60}?"(?:id|toolUseId|toolCallId|call_id)"\s*:\s*"([^"]+)")?'
)


class Damaged(Exception):  # noqa: N818 -- a state of the input, caught by the stream and reported as a problem
    """The content ends or breaks before its end. What stood before was already given out."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Line(NamedTuple):
    """One line without its line break.

    `data` is None when it was longer than the cap; `calls` then counts its calls. `damage` says that the content broke
    off in this line.
    """

    number: int
    data: bytes | None
    length: int
    calls: int = 0
    damage: Damaged | None = None


def count_call_marks(data: bytes) -> int:
    """Count the tool calls in a text that cannot be decoded, by the marks they leave; inner, escaped JSON is no call.

    Spans and states repeat the history before them, so the same arguments and the same id count once: there were at least
    so many calls.
    """
    if b'"chat.completion.chunk"' in data and b'"name"' not in data:
        return 0  # it goes on with a call that has begun before
    sent = {value.translate(None, b' \t\r\n"\\{}') for value in _SENT.findall(data)}
    parts = [m.group(1) for m in _PART.finditer(data)]
    return max(len(sent), len({p for p in parts if p}) + sum(not p for p in parts))


class Opened:
    """An open file or standard input. `position` is how many bytes of it were read, compressed as they lie there."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = STDIN if path is None else str(path)
        self.position = 0
        if path is None and sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed")
        self._file: BinaryIO = sys.stdin.buffer if path is None else path.open("rb")

    def __enter__(self) -> Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.path is not None:
            self._file.close()

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise Damaged("unreadable", f"reading stopped: {error.strerror or error}") from None
        self.position += len(data)
        return data

    def chunks(self) -> Iterator[bytes]:
        """Yield the content, decompressed and as UTF-8 (not yet checked for validity).

        Raises:
            Damaged: after everything that could be read was given out.
        """
        head = self._read(_CHUNK)
        if head.startswith(_GZIP):
            yield from _transcoded(_inflated(self._pieces(head, _GZIP_PIECE), _gzip_decoder, _GZIP))
        elif head.startswith(_ZSTD):
            yield from _transcoded(_inflated(self._pieces(head, _ZSTD_PIECE), _zstd_decoder, _ZSTD))
        else:
            yield from _transcoded(self._pieces(head, _CHUNK))

    def _pieces(self, head: bytes, size: int) -> Iterator[bytes]:
        data = head
        while data:
            for start in range(0, len(data), size):
                yield data[start : start + size]
            data = self._read(_CHUNK)


def _gzip_decoder() -> Any:
    import zlib

    return zlib.decompressobj(wbits=31)


def _zstd_decoder() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()


def _inflated(pieces: Iterable[bytes], make: Callable[[], Any], magic: bytes) -> Iterator[bytes]:
    """Decompress members one after the other, as `cat a.gz b.gz` and parallel compressors write them."""
    decoder = make()
    between = b""  # what stands after a finished member, until it is clear what it is
    for piece in pieces:
        data = between + piece
        between = b""
        while data:
            if decoder.eof:
                data = data.lstrip(b"\0")
                if len(data) < len(magic) and magic.startswith(data):
                    between = data
                    break
                if not data.startswith(magic):
                    raise Damaged("trailing-bytes", "bytes that are not compressed follow the compressed content")
                decoder = make()
            try:
                out = decoder.decompress(data)
            except MemoryError:
                raise Damaged("damaged", "the compressed content needs more memory than there is") from None
            except Exception as error:
                if type(error).__name__ not in ("error", "ZstdError"):
                    raise
                raise Damaged("damaged", f"the compressed content is damaged: {error}") from None
            if out:
                yield out
            data = decoder.unused_data if decoder.eof else b""
    if not decoder.eof:
        raise Damaged("truncated", "the compressed file ends before its end; it was cut short")
    if between:
        raise Damaged("trailing-bytes", "bytes that are not compressed follow the compressed content")


def _transcoded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield UTF-8 whatever Unicode encoding the content is in, without a byte-order mark."""
    stream = iter(chunks)
    head = b""
    try:
        for chunk in stream:
            head += chunk
            if len(head) >= 4:
                break
    except Damaged:
        yield head
        raise
    mark, encoding = next(((m, e) for m, e in _MARKS if head.startswith(m)), (b"", _unmarked(head)))
    if encoding == "utf-8":
        if len(head) > len(mark):
            yield head[len(mark) :]
        yield from stream
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        yield decoder.decode(head).encode()
        for chunk in stream:
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        raise Damaged("not-unicode", f"the content begins as {encoding.upper()} but does not go on as such") from None


def _unmarked(head: bytes) -> str:
    """JSON begins with an ASCII character, so zero bytes beside the first one tell the encoding."""
    if any(b and b < 0x20 and b not in b"\t\n\r" for b in head[:4]):
        return "utf-8"  # a control character: no text at all
    if len(head) >= 2 and head[0] and not head[1]:
        return "utf-32-le" if head[2:4] == b"\0\0" else "utf-16-le"
    if len(head) >= 2 and not head[0] and head[1]:
        return "utf-16-be"
    return "utf-32-be" if head[:3] == b"\0\0\0" and head[3:4].strip(b"\0") else "utf-8"


def split_lines(chunks: Iterable[bytes], limit: int) -> Iterator[Line]:
    """Cut content into lines at line feeds. A line longer than `limit` bytes is passed over and given without its data.

    Raises:
        Damaged: the content breaks off; the line it broke in is given out first.
    """
    pending: list[bytes] = []
    number, size, calls = 1, 0, 0
    damage: Damaged | None = None
    stream = iter(chunks)
    while True:
        try:
            chunk = next(stream, None)
        except Damaged as error:
            damage, chunk = error, None
        if chunk is None:
            break
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            yield _line(number, [*pending, piece], size + len(piece), limit, calls)
            number, pending, size, calls = number + 1, [], 0, 0
        size += len(rest)
        if size > limit:
            calls += sum(map(count_call_marks, [*pending, rest]))
            pending = []
        elif rest:
            pending.append(rest)
    if size:
        yield _line(number, pending, size, limit, calls)._replace(damage=damage)
    if damage is not None:
        raise damage


def _line(number: int, pieces: list[bytes], size: int, limit: int, calls: int) -> Line:
    if size > limit:
        return Line(number, None, size, calls + sum(map(count_call_marks, pieces)))
    return Line(number, b"".join(pieces), size)
