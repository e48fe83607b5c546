"""OTLP as protobuf: the bytes other programs write, in every framing, give what OTLP/JSON gives; damage is named."""

from __future__ import annotations

import gzip
import io
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.readers import read
from rootcall.readers.protobuf import Broken, looks_like_otlp, requests
from rootcall.trace import Trace

SPANS = Path(__file__).parent / "data" / "traces" / "spans"
# Written by OpenTelemetry's own classes for protobuf.
TRACES = gzip.decompress((SPANS / "openllmetry_otlp_openai_chat.pb.gz").read_bytes())
LOGS = gzip.decompress((SPANS / "otel-genai_otlp_logs_default_v1.30.pb.gz").read_bytes())


def varint(number: int) -> bytes:
    out = b""
    while number > 0x7F:
        out, number = out + bytes([number & 0x7F | 0x80]), number >> 7
    return out + bytes([number])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def facts(trace: Trace) -> Any:
    return [
        (m.role, m.text, m.timestamp, m.source.span, [(c.tool, c.arguments, c.id, c.outcome) for c in m.calls])
        for m in trace.messages
    ]


FRAMES: dict[str, Callable[[bytes], bytes]] = {
    "bare": lambda b: b,
    "four bytes": lambda b: struct.pack(">I", len(b)) + b,
    "varint": lambda b: varint(len(b)) + b,
    "gzip": gzip.compress,
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("data", "twin"), [(TRACES, "openllmetry_otlp_openai_chat"), (LOGS, "otel-genai_otlp_logs_default_v1.30")]
)
def test_protobuf_gives_what_json_gives_in_every_framing(tmp_path: Path, frame: str, data: bytes, twin: str) -> None:
    (tmp_path / "x").write_bytes(FRAMES[frame](data) * 2)  # exported twice, as after a retry
    reading = read(tmp_path / "x")
    (trace,) = reading
    (expected,) = read(SPANS / f"{twin}.json.gz")
    assert reading.problems == []
    assert (trace.id, trace.metadata, facts(trace)) == (expected.id, expected.metadata, facts(expected))
    assert trace.tools == expected.tools
    assert len(trace.calls) == 3


def test_protobuf_is_read_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TRACES)))
    (trace,) = read("-")
    assert len(trace.calls) == 3


def test_every_kind_of_value_is_decoded() -> None:
    values = {
        "text": field(1, "ß".encode()), "yes": field(2, 1), "whole": field(3, (1 << 64) - 7),
        "real": b"\x21" + struct.pack("<d", 0.5), "list": field(5, field(1, field(3, 1)) + field(1, field(1, b"a"))),
        "object": field(6, field(1, field(1, b"k") + field(2, field(2, 0)))), "bytes": field(7, b"\xff"), "none": b"",
    }  # fmt: skip
    attributes = b"".join(field(9, field(1, k.encode()) + field(2, v)) for k, v in values.items())
    span = (
        field(1, b"\1" * 16)
        + field(2, b"\2" * 8)
        + field(5, b"n")
        + attributes
        + field(99, b"new")
        + b"\x85\x01"
        + b"\0" * 4
    )
    (request,) = requests([field(1, field(1, b"") + field(2, field(2, span)))])
    (found,) = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert found["attributes"] == {
        "text": "ß", "yes": True, "whole": -7, "real": 0.5, "list": [1, "a"], "object": {"k": False}, "bytes": "ff", "none": None,
    }  # fmt: skip
    assert (found["traceId"], found["spanId"], found["name"]) == ("01" * 16, "02" * 8, "n")


@pytest.mark.parametrize(
    "start",
    [b"", b"\n\n\n{", b"\n \n\t\n[", b"\n{\n\"a\": 1}", b"{}", b"PK\x03\x04", b"\0{\0\"", b"\n\x05\n\x09aaa", b"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x00\x00\x00\x09\x0a"],
)  # fmt: skip
def test_a_text_is_never_taken_for_protobuf(start: bytes) -> None:
    assert not looks_like_otlp(start)


def test_metrics_hold_no_spans(tmp_path: Path) -> None:
    metric = field(1, b"http.requests") + field(2, b"count")
    (tmp_path / "m.pb").write_bytes(
        field(1, field(1, field(1, field(1, b"a") + field(2, field(1, b"b")))) + field(2, field(2, metric)))
    )
    reading = read(tmp_path / "m.pb")
    assert list(reading) == []
    assert [p.code for p in reading.problems] == ["unknown-shape"]


def test_a_file_cut_anywhere_keeps_the_groups_before(tmp_path: Path) -> None:
    dice = random.Random(7)
    for _ in range(50):
        (tmp_path / "x").write_bytes((TRACES + TRACES)[: len(TRACES) + dice.randrange(1, len(TRACES))])
        reading = read(tmp_path / "x")
        assert [len(t.calls) for t in reading] == [3]
        assert [p.code for p in reading.problems] == ["not-protobuf"]


def test_a_hostile_length_or_depth_is_named() -> None:
    with pytest.raises(Broken, match="a length"):
        list(requests([b"\n\xff\xff\xff\xff\xff\x7f"]))
    deep = field(1, b"x")
    for _ in range(500):
        deep = field(5, field(1, deep))
    span = field(1, b"\1" * 16) + field(9, field(1, b"k") + field(2, deep))
    with pytest.raises(Broken, match="too deeply"):
        list(requests([field(1, field(2, field(2, span)))]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1), wound=st.binary(min_size=1, max_size=4), data=st.sampled_from([TRACES, LOGS]))
def test_any_damage_gives_traces_and_named_problems(tmp_path: Path, at: float, wound: bytes, data: bytes) -> None:
    place = 64 + int((len(data) - 64) * at)
    (tmp_path / "x").write_bytes(data[:place] + wound + data[place + len(wound) :])
    reading = read(tmp_path / "x")
    traces = list(reading)
    assert "reader-failed" not in reading.counts, reading.problems
    assert traces or reading.problems
