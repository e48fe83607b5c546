"""Whatever stands in spans: traces or named problems, every call kept or counted as lost, nothing twice."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.errors import RootcallError
from rootcall.readers import read

TRACES = Path(__file__).parent.parent / "data" / "traces"
FILES = sorted((TRACES / "spans").glob("*.json*.gz"))
SMALL = [f for f in FILES if not f.name.startswith("trail")]

quiet = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
values = st.recursive(
    scalars | st.sampled_from(["[", '{"a"', "[[]]", "LLM", "__REDACTED__", '[{"role": "tool"}]', '[{"parts": [{}]}]']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def load(file: Path) -> list[Any]:
    text = gzip.decompress(file.read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()] if ".jsonl" in file.name else [json.loads(text)]


LOADED = {f.name: load(f) for f in SMALL}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for k, v in items for p in places(v, (*path, k)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    value[path[0]] = replaced(value[path[0]], path[1:], new)
    return value


def read_any(file: Path, rows: list[Any], form: str) -> None:
    file.write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8", errors="surrogatepass")
    try:
        reading = read(file, format=form)
        traces = list(reading)
    except RootcallError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert "reader-failed" not in reading.counts, reading.problems
    assert traces or reading.problems
    assert reading.calls_in == sum(len(t.calls) + sum(p.lost for p in t.problems) for t in traces) + sum(
        p.lost for p in reading.problems
    )
    for trace in traces:
        assert len({c.at for c in trace.calls}) == len(trace.calls)


@quiet
@given(data=st.data())
def test_any_value_anywhere_in_a_real_file(tmp_path: Path, data: Any) -> None:
    rows = copy.deepcopy(LOADED[data.draw(st.sampled_from(sorted(LOADED)))])
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(rows)[1:] or [()]))
        rows = replaced(rows, path, data.draw(values)) if path else rows
    read_any(tmp_path / "x.jsonl", rows, data.draw(st.sampled_from(["auto", "otel-spans"])))


@quiet
@given(data=st.data())
def test_any_value_inside_the_json_texts_of_attributes(tmp_path: Path, data: Any) -> None:
    """Messages lie as text in attributes; there, too, anything may stand."""
    rows = copy.deepcopy(LOADED[data.draw(st.sampled_from(sorted(LOADED)))])
    texts = [p for p in places(rows) if p and isinstance(inner := _at(rows, p), str) and inner[:1] in ("[", "{")]
    if not texts:
        return
    path = data.draw(st.sampled_from(texts))
    message = json.loads(_at(rows, path)) if _is_json(_at(rows, path)) else []
    inside = data.draw(st.sampled_from(places(message)))
    changed = json.dumps(replaced(message, inside, data.draw(values)))
    rows = replaced(
        rows, path, changed[: data.draw(st.integers(0, len(changed)))] if data.draw(st.booleans()) else changed
    )
    read_any(tmp_path / "x.jsonl", rows, "otel-spans")


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@quiet
@given(data=st.data())
def test_the_order_of_spans_in_the_file_does_not_matter(tmp_path: Path, data: Any) -> None:
    names = [n for n in sorted(LOADED) if ".jsonl" in n]
    rows = LOADED[data.draw(st.sampled_from(names))]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, data.draw(st.permutations(rows)))))
    (one,), (two,) = read(tmp_path / "a.jsonl"), read(tmp_path / "b.jsonl")
    assert [(m.role, m.text, m.agent, m.source.span) for m in one.messages] == [
        (m.role, m.text, m.agent, m.source.span) for m in two.messages
    ]
    assert [(c.tool, c.arguments, c.outcome) for c in one.calls] == [
        (c.tool, c.arguments, c.outcome) for c in two.calls
    ]


@pytest.mark.parametrize("name", [n for n in sorted(LOADED) if ".jsonl" in n])
def test_a_span_that_is_missing_never_makes_two_calls_out_of_one(tmp_path: Path, name: str) -> None:
    """Exporters drop spans: each of a file in its turn."""
    rows = LOADED[name]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (whole,) = read(tmp_path / "a.jsonl")
    for gone in range(len(rows)):
        (tmp_path / "b.jsonl").write_text("\n".join(json.dumps(r) for n, r in enumerate(rows) if n != gone))
        try:
            traces = list(read(tmp_path / "b.jsonl"))
        except RootcallError:
            continue
        assert sum(len(t.calls) for t in traces) <= len(whole.calls), gone


@pytest.mark.parametrize("depth", [50, 400, 990, 5000])
def test_any_depth(tmp_path: Path, depth: int) -> None:
    deep = '{"a": [' * depth + "1" + "]}" * depth
    text = json.dumps(deep)
    shapes = [
        '{"resourceSpans": DEEP}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "b", "name": "n", "attributes": DEEP}]}]}]}',
        '{"traceId": "a", "spanId": "b", "name": "n", "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": DEEP}}',
        f'{{"traceId": "a", "spanId": "b", "name": "n", "attributes": {{"gen_ai.operation.name": "chat", "gen_ai.output.messages": {text}}}}}',
        f'{{"traceId": "a", "spanId": "b", "name": "n", "attributes": {{"gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": {text}, "output.value": {text}}}}}',
        '{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": "a", "spanId": "b", "eventName": "gen_ai.choice", "body": DEEP}]}]}]}',
    ]  # fmt: skip
    for shape in shapes:
        for form in ("auto", "otel-spans"):
            (tmp_path / "x.jsonl").write_text("\n".join([shape.replace("DEEP", deep)] * 2))
            try:
                reading = read(tmp_path / "x.jsonl", format=form)
                list(reading)
            except RootcallError:
                continue
            assert "reader-failed" not in reading.counts, (shape[:80], reading.problems)


def test_nested_child_spans_of_any_depth_are_read(tmp_path: Path) -> None:
    span = '{"trace_id": "t", "span_id": "s%d", "span_name": "n", "span_attributes": {"openinference.span.kind": "LLM"}, "child_spans": ['
    (tmp_path / "x.json").write_text("".join(span % n for n in range(200)) + "]}" * 200)
    (trace,) = read(tmp_path / "x.json")
    assert trace.problems[0].code == "content-not-captured"
