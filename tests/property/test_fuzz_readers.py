"""Whatever the bytes are: traces, named problems or one clear error; never another exception, never a changed input."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.errors import RootcallError
from rootcall.jsonvalue import equal
from rootcall.readers import read, registry
from rootcall.trace import Trace

TRACES = Path(__file__).parent.parent / "data" / "traces"
FORMATS = ("auto", *registry._OURS)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
words = st.sampled_from(
    [
        "role", "content", "messages", "tool_calls", "function", "name", "arguments", "id", "tool_call_id", "type", "text",
        "traj", "reward", "task_id", "tools", "system", "input", "tool_use_id", "is_error", "choices", "message", "metadata",
        "response", "request", "body", "prompt", "completion", "parts", "function_call",
    ]
)  # fmt: skip
told = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "system",
        "function",
        "tool_use",
        "tool_result",
        "text",
        "message",
        "{}",
        '{"a": 1}',
        "[",
        "x",
    ]
)
values = st.recursive(
    scalars | told,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=5), inner, max_size=5),
    max_leaves=25,
)
call = st.fixed_dictionaries(
    {},
    optional={
        "id": values,
        "type": told,
        "function": values | st.fixed_dictionaries({"name": told, "arguments": values}),
    },
)
block = st.fixed_dictionaries(
    {"type": told},
    optional={"id": told, "name": values, "input": values, "tool_use_id": told, "content": values, "text": values},
)
message = st.fixed_dictionaries(
    {"role": told},
    optional={
        "content": values | st.lists(block, max_size=3),
        "tool_calls": values | st.lists(call, max_size=3),
        "tool_call_id": values,
        "function_call": values,
        "name": values,
        "is_error": values,
        "audio": values,
    },
)
messages = st.lists(message | values, max_size=6)
rows = values | messages | st.fixed_dictionaries(
    {"messages": messages},
    optional={"tools": values, "id": values, "metadata": values, "reward": values, "task_id": values, "system": values},
)  # fmt: skip

quiet = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def read_any(file: Path, data: bytes, form: str = "auto") -> None:
    file.write_bytes(data)
    try:
        reading = read(file, format=form)
        traces = list(reading)
    except RootcallError:
        return
    assert "reader-failed" not in reading.counts, reading.problems
    assert reading.calls_in == sum(len(t.calls) + sum(p.lost for p in t.problems) for t in traces) + sum(
        p.lost for p in reading.problems
    )
    assert traces or reading.problems
    for problem in reading.problems:
        assert problem.code
        assert problem.message
        assert problem.source.file == str(file)


@quiet
@given(data=st.binary(max_size=400))
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    read_any(tmp_path / "x", data)


@quiet
@given(lines=st.lists(rows.map(json.dumps) | st.text(max_size=30), max_size=4), form=st.sampled_from(FORMATS))
def test_any_lines(tmp_path: Path, lines: list[str], form: str) -> None:
    read_any(tmp_path / "x.jsonl", "\n".join(lines).encode("utf-8", "surrogatepass"), form)


@quiet
@given(value=rows | st.lists(rows, max_size=4), indent=st.none() | st.integers(0, 2))
def test_any_document(tmp_path: Path, value: Any, indent: int | None) -> None:
    read_any(tmp_path / "x.json", json.dumps(value, indent=indent).encode())


@quiet
@given(
    name=st.sampled_from(
        ["flight.jsonl", "tau_airline.jsonl", "tau_airline_original.json", "anthropic_programmatic.json"]
    ),
    pack=st.sampled_from([bytes, gzip.compress, zstandard.compress]),
    cut=st.floats(0, 1),
    wound=st.binary(max_size=3),
)
def test_any_damage_to_a_real_file(tmp_path: Path, name: str, pack: Any, cut: float, wound: bytes) -> None:
    data = pack((TRACES / name).read_bytes())
    at = int(len(data) * cut)
    read_any(tmp_path / "cut", data[:at])
    read_any(tmp_path / "wounded", data[:at] + wound + data[at + len(wound) :])


@pytest.mark.parametrize("depth", [100, 300, 500, 900, 990, 5000])
@pytest.mark.parametrize("form", FORMATS)
def test_any_depth(tmp_path: Path, depth: int, form: str) -> None:
    deep = '{"a": [' * depth + "1" + "]}" * depth
    shapes = [
        "DEEP",
        '{"messages": DEEP}',
        '{"messages": [{"role": "user", "content": DEEP}]}',
        '{"messages": [{"role": "tool", "content": DEEP, "tool_calls": 1}], "task_id": 1, "reward": DEEP}',
        '{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "f", "input": DEEP}]}]}',
        '{"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": DEEP}}]}]}',
        '{"messages": [{"role": "user", "content": "x"}], "tools": DEEP, "metadata": DEEP}',
    ]
    for shape in shapes:
        read_any(tmp_path / "x.jsonl", "\n".join([shape.replace("DEEP", deep)] * 2).encode(), form)


@quiet
@given(given_messages=messages | values, tools=values | st.lists(values, max_size=3))
def test_messages_in_memory_never_raise_and_stay_as_they_were(given_messages: Any, tools: Any) -> None:
    before = copy.deepcopy((given_messages, tools))
    for build in (Trace.from_openai, Trace.from_anthropic):
        trace = build(given_messages, tools)
        assert isinstance(trace, Trace)
        assert all(c.at.startswith("messages[") for c in trace.calls)
    assert equal([*before], [given_messages, tools])


@quiet
@given(row=rows)
def test_a_file_and_its_messages_in_memory_give_the_same_calls(tmp_path: Path, row: Any) -> None:
    if not isinstance(row, dict) or not isinstance(row.get("messages"), list):
        return
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(row))
    try:
        traces = [t for t in read(file) if t.format == "openai-chat"]
    except RootcallError:
        return
    for trace in traces:
        again = Trace.from_openai(row["messages"])
        assert [(c.tool, c.at, c.outcome) for c in trace.calls] == [(c.tool, c.at, c.outcome) for c in again.calls]
