"""Bytes to lines: compression, encodings, damage, caps."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from rootcall.readers.content import Damaged, Opened, count_call_marks, split_lines

TEXT = "".join(f'{{"n": {i}, "텍스트": "값"}}\n' for i in range(50_000)).encode()


def content(tmp_path: Path, data: bytes) -> bytes:
    file = tmp_path / "f"
    file.write_bytes(data)
    with Opened(file) as opened:
        return b"".join(opened.chunks())


def damaged(tmp_path: Path, data: bytes) -> tuple[bytes, str]:
    file = tmp_path / "f"
    file.write_bytes(data)
    found = []
    with Opened(file) as opened, pytest.raises(Damaged) as raised:
        found.extend(opened.chunks())
    return b"".join(found), raised.value.code


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
def test_content_is_decompressed(tmp_path: Path, pack: Any) -> None:
    assert content(tmp_path, pack(TEXT)) == TEXT
    assert content(tmp_path, pack(b"x")) == b"x"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_members_one_after_the_other_are_one_content(tmp_path: Path, pack: Any) -> None:
    assert content(tmp_path, pack(b"a") + pack(TEXT) + pack(b"") + pack(b"b")) == b"a" + TEXT + b"b"


def test_zero_bytes_may_pad_a_gzip_file(tmp_path: Path) -> None:
    assert content(tmp_path, gzip.compress(b"a") + b"\0" * 600) == b"a"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_truncated_file_gives_what_it_has_and_says_so(tmp_path: Path, pack: Any) -> None:
    packed = pack(TEXT)
    found, code = damaged(tmp_path, packed[: len(packed) // 2])
    assert code == "truncated"
    assert len(found) > len(TEXT) // 10
    assert TEXT.startswith(found)
    assert damaged(tmp_path, packed[:-1])[1] == "truncated"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_bytes_after_the_end_and_damage_inside_are_named(tmp_path: Path, pack: Any) -> None:
    assert damaged(tmp_path, pack(b"a") + b"tail of text") == (b"a", "trailing-bytes")
    assert damaged(tmp_path, pack(b"a") + pack(b"b")[:1]) == (b"a", "trailing-bytes")
    checked = zstandard.ZstdCompressor(write_checksum=True).compress  # zstd's own default notices less
    packed = bytearray(gzip.compress(TEXT) if pack is gzip.compress else checked(TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 40] = b"\xff" * 40
    assert damaged(tmp_path, bytes(packed))[1] == "damaged"


def test_an_unexpected_error_of_a_decoder_is_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Decoder:
        eof = False
        raises: Exception = KeyError("bug")

        def decompress(self, _: bytes) -> bytes:
            raise self.raises

    monkeypatch.setattr("rootcall.readers.content._gzip_decoder", Decoder)
    with pytest.raises(KeyError):
        content(tmp_path, gzip.compress(b"a"))
    monkeypatch.setattr(Decoder, "raises", MemoryError())
    assert damaged(tmp_path, gzip.compress(b"a")) == (b"", "damaged")


def test_a_device_error_is_damage(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a")
    with Opened(tmp_path / "f") as opened:

        def fail(_: int) -> bytes:
            raise OSError(5, "Input/output error")

        opened._file.read = fail  # type: ignore[method-assign]
        with pytest.raises(Damaged, match="Input/output error"):
            list(opened.chunks())


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_every_unicode_encoding_is_read_with_and_without_mark(tmp_path: Path, encoding: str) -> None:
    assert content(tmp_path, TEXT.decode().encode(encoding)) == TEXT
    assert content(tmp_path, "{}".encode(encoding)) == b"{}"
    assert content(tmp_path, gzip.compress("{}".encode(encoding))) == b"{}"


def test_content_that_stops_being_utf16_is_damage(tmp_path: Path) -> None:
    assert damaged(tmp_path, "{}".encode("utf-16") + b"\x00\xd8" * 3)[1] == "not-unicode"


def test_a_line_may_be_cut_anywhere_between_chunks() -> None:
    data = b'one\n\n{"x": "y"}\r\nlast'
    for size in range(1, len(data) + 1):
        chunks = [data[i : i + size] for i in range(0, len(data), size)]
        lines = list(split_lines(chunks, 100))
        assert [(x.number, x.data) for x in lines] == [(1, b"one"), (2, b""), (3, b'{"x": "y"}\r'), (4, b"last")]


def test_a_line_past_the_cap_is_passed_over_and_its_calls_counted() -> None:
    call = b'{"name": "f", "arguments": "{}"}'
    other = b'{"name": "f", "arguments": "{1}"}'
    chunks = [b"a\n", call + other + call, b"x" * 50, call, b"\nb\n", b"y" * 99]
    lines = list(split_lines(chunks, 60))
    assert [(x.number, x.data, x.length, x.calls) for x in lines] == [
        (1, b"a", 1, 0),
        (2, None, 3 * len(call) + len(other) + 50, 3),
        (3, b"b", 1, 0),
        (4, None, 99, 0),
    ]


def test_the_line_in_which_content_breaks_off_is_given_out_first() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"a\nb"
        raise Damaged("truncated", "cut")

    lines = split_lines(chunks(), 10)
    assert next(lines).damage is None
    last = next(lines)
    assert (last.data, last.damage is not None) == (b"b", True)
    with pytest.raises(Damaged):
        next(lines)


def test_call_marks_are_counted_but_not_those_inside_text() -> None:
    assert count_call_marks(rb'{"function": {"arguments": "{\"arguments\": 1}"}}') == 1
    assert (
        count_call_marks(b'{"type": "server_tool_use"}, {"type": "tool_use", "id": "a"}, {"type": "tool_result"}') == 2
    )


def test_calls_that_a_text_tells_again_are_counted_once() -> None:
    sent, same, other = rb'"arguments": "{\"a\": 1}"', b'"args": { "a": 1 }', b'"args": {"a": 2}'
    assert count_call_marks(b", ".join([sent, same, sent, other, same])) == 2
    part = b'{"type": "tool-invocation", "toolInvocation": {"toolCallId": "%s", "args": {"a": %d}}}'
    assert count_call_marks(part % (b"x", 1) + part % (b"y", 2) + part % (b"x", 1)) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux counts it")
def test_a_200_mb_line_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    row = b'{"messages": [{"role": "user", "content": "hi"}]}\n'
    file = tmp_path / "big.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=1) as out:
        out.write(row + b'{"messages": "')
        for _ in range(200):
            out.write(b"x" * (1 << 20))
        out.write(b'"}\n' + row)
    code = (
        "import resource, sys; from rootcall.readers import read\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "r = read(sys.argv[1]); n = len(list(r)); after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(n, [p.code for p in r.problems], (after - before) >> 10)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    count, code_seen, grown = done.stdout.split()
    assert (count, code_seen) == ("2", "['line-too-long']")
    assert int(grown) < 200, "the line must never be held whole"
