"""Spans of one trace together, in bounded memory: when a trace is given out, and what comes of spans that are late."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import Limits, read
from rootcall.readers.records import Record
from rootcall.readers.spans import gathering
from rootcall.readers.spans.gathering import gather, merged
from rootcall.readers.spans.span import Span, spans_in
from rootcall.trace import Source
from spanmaking import ASKED, USER, chat, otlp, span, text, told


def made(*raw: dict[str, Any]) -> list[Span]:
    return list(spans_in(Record(otlp(*raw), Source())))


def trace(n: int) -> str:
    return f"{n:032x}"


def test_a_trace_with_its_root_is_given_out_when_nothing_more_comes() -> None:
    first = [span(1, 0, trace=trace(1)), span(2, 1, of=1, trace=trace(1))]
    others = [span(n, n, of=9, trace=trace(2)) for n in range(3, 1000)]
    given = gather(made(*first, *others), patience=100)
    assert (next(given).trace, len(next(given).spans)) == (trace(1), 997)


def test_a_trace_without_a_root_waits_longer() -> None:
    rootless = [span(1, 0, of=7, trace=trace(1))]
    others = [span(n, n, trace=trace(2)) for n in range(2, 400)]
    late = [span(999, 1, of=7, trace=trace(1))]
    given = list(gather(made(*rootless, *others, *late), patience=100))
    assert sorted((g.trace, len(g.spans), g.part) for g in given) == [(trace(1), 2, 0), (trace(2), 398, 0)]


def test_where_too_much_is_held_the_quietest_goes_first() -> None:
    big = "x" * 10_000
    spans = made(
        *(span(n, n, of=9, trace=trace(n % 4), note=big) for n in range(40)),
        span(50, 50, of=9, trace=trace(1), note=big),
    )
    given = list(gather(spans, most=100_000))
    assert len(given) > 4
    assert sum(len(g.spans) for g in given) == 41
    assert {g.trace for g in given} == {trace(n) for n in range(4)}
    held = max(len(g.spans) for g in given)
    assert held < 11


def test_spans_that_come_late_are_a_trace_of_their_own_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_PATIENCE", 10)
    monkeypatch.setattr("rootcall.readers.spans.gather", lambda spans: gather(spans, patience=10))
    early = chat(1, 0, [USER], ASKED, trace=trace(1))
    late = chat(2, 5, [USER, ASKED, told("snow", "c1")], text("assistant", "Snow."), trace=trace(1))
    between = [chat(n, n, [USER], text("assistant", "x"), trace=trace(2)) for n in range(10, 800)]
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(otlp(s)) for s in (early, *between, late)))
    reading = read(tmp_path / "x.jsonl")
    assert [t.id for t in reading] == [trace(1), trace(2), f"{trace(1)}-2"]
    assert [p.code for p in reading.problems] == ["trace-in-parts"]


def test_a_span_written_twice_counts_once_and_the_fuller_one_stays() -> None:
    started = {**span(1, 0), "endTimeUnixNano": "0"}
    ended = span(1, 0, gen_ai__operation__name="chat")
    (one,) = merged(made(started, ended, ended))
    assert one.attributes.get("gen_ai.operation.name") == "chat"


def test_log_records_join_their_span_whichever_comes_first() -> None:
    log = {
        "traceId": trace(1),
        "spanId": f"{1:016x}",
        "timeUnixNano": "5",
        "eventName": "gen_ai.user.message",
        "body": {"stringValue": "x"},
    }
    logs = list(spans_in(Record({"resourceLogs": [{"scopeLogs": [{"logRecords": [log, log]}]}]}, Source())))
    for spans in ([*logs, *made(span(1, 0, trace=trace(1)))], [*made(span(1, 0, trace=trace(1))), *logs]):
        (one,) = merged(spans)
        assert one.known
        assert [e.name for e in one.events] == ["gen_ai.user.message"]


def test_spans_without_ids_are_kept() -> None:
    nameless = [{**span(1, n), "spanId": ""} for n in range(3)]
    assert len(merged(made(*nameless))) == 3


def test_a_message_over_the_cap_is_named(tmp_path: Path) -> None:
    start = bytes.fromhex("0aff010a020a000afe01") + b"\x01" * 5000
    (tmp_path / "x.pb").write_bytes(start)
    reading = read(tmp_path / "x.pb", format="otel-spans", limits=Limits(line=1000))
    assert list(reading) == []
    assert "too-large" in reading.counts


def test_spans_of_a_web_server_before_those_of_a_model_do_not_hide_them(tmp_path: Path) -> None:
    def line(s: dict[str, Any]) -> dict[str, Any]:
        own = {a["key"]: a["value"].get("stringValue") for a in s["attributes"]}
        return {"name": "n", "context": {"trace_id": s["traceId"], "span_id": s["spanId"]}, "parent_id": None, "attributes": own, "resource": {},
                "start_time": "2026-12-01T00:00:00Z"}  # fmt: skip

    web = [line(span(n, n, http__method="GET", trace=trace(n))) for n in range(1, 20)]
    (tmp_path / "x.jsonl").write_text(
        "\n".join(map(json.dumps, [*web, line(chat(30, 1, [USER], text("assistant", "x")))]))
    )
    assert [len(t.messages) for t in read(tmp_path / "x.jsonl")] == [2]
