"""Saved runs of agents, cut anywhere and changed anywhere: traces, named problems or one clear error, and no call lost quietly."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall import verdict
from rootcall.errors import RootcallError
from rootcall.readers import Reading, read

TRACES = Path(__file__).parent.parent / "data" / "traces"
# Each file with its reader and the calls in it, counted by hand.
FILES = {
    "ai_sdk_v4_core_messages.json": ("ai-sdk", 2),
    "ai_sdk_v5_model_messages.json": ("ai-sdk", 5),
    "ai_sdk_v6_model_messages.json": ("ai-sdk", 5),
    "ai_sdk_v7_model_messages.json": ("ai-sdk", 0),
    "ai_sdk_v7_steps.json": ("ai-sdk", 5),
    "ai_sdk_v7_ui_messages.json": ("ai-sdk", 5),
    "ai_sdk_v5_ui_stream.jsonl": ("ai-sdk-stream", 5),
    "ai_sdk_v6_ui_stream.jsonl": ("ai-sdk-stream", 5),
    "anthropic_chunks.txt": ("anthropic-stream", 1),
    "openai_chunks.txt": ("openai-stream", 1),
    "mistral_chunks.txt": ("openai-stream", 1),
    "claude_code_loglines.json": ("claude-code", 12),
    "claude_code_session.jsonl": ("claude-code", 3),
    "claude_code_summary.jsonl": ("claude-code", 2),
    "codex_exec_events.jsonl": ("codex", 2),
    "langfuse_agent_framework.json": ("langfuse", 1),
    "langfuse_assistants.json": ("langfuse", 0),
    "langfuse_autogen.json": ("langfuse", 0),
    "mlflow_nocall.json": ("mlflow", 0),
    "mastra_response_db_messages.json": ("mastra", 4),
    "mastra_scorer_run.json": ("mastra", 4),
    "mastra_steps.json": ("mastra", 4),
}
ODD: list[Any] = [
    None,
    True,
    3,
    -1.5,
    "",
    "x",
    [],
    {},
    [1],
    {"a": 1},
    ["x"],
    {"type": "text"},
    [{"type": "tool_use"}],
    [[]],
]


def whole(reading: Reading) -> bool:
    """Read everything; whatever could not be read must be named."""
    said = ""
    traces = []
    try:
        traces = list(reading)
    except RootcallError as error:
        said = str(error)
    if said:
        assert "\n" not in said
        return False
    assert traces or reading.problems
    assert reading.calls_in == reading.calls_kept + reading.calls_lost
    assert [p.message for p in reading.problems if p.code == "reader-failed"] == []
    for trace in traces:
        assert len({c.at for c in trace.calls}) == len(trace.calls)
        verdict(trace)
    return True


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_recognised_and_whole(name: str) -> None:
    form, calls = FILES[name]
    reading = read(TRACES / name)
    assert {t.format for t in reading} == {form}
    assert (reading.calls_kept, reading.calls_lost, reading.set_aside) == (calls, 0, 0)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_is_read_up_to_there(name: str, tmp_path: Path) -> None:
    data = (TRACES / name).read_bytes()
    chosen = random.Random(name)
    form, calls = FILES[name]
    for _ in range(50):
        cut = chosen.randrange(1, len(data) - 1)
        file = tmp_path / "cut"
        file.write_bytes(data[:cut])
        reading = read(file, format=form)
        if whole(reading):
            told = reading.problems or any(t.problems for t in read(file, format=form)) or reading.calls_in == calls
            lines = name.endswith(("jsonl", "txt"))
            assert told or lines
            # In text that is no JSON calls are counted by their marks, and some formats write a call several times.
            assert reading.calls_in <= calls or not lines
        whole(read(file))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value where something else can be put."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        v = stack.pop()
        keys = list(v) if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else []
        found += [(v, k) for k in keys]
        stack += [v[k] for k in keys]
    return found


@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_a_changed_file_never_raises(name: str, tmp_path: Path, seed: int) -> None:
    text = (TRACES / name).read_text("utf-8")
    lines = not name.endswith("json")
    changed = [json.loads(x) for x in text.splitlines() if x.strip()] if lines else json.loads(text)
    chosen = random.Random(seed)
    for _ in range(chosen.randint(1, 6)):
        holder, key = chosen.choice(places(changed) or [([None], 0)])
        if chosen.random() < 0.3 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = copy.deepcopy(chosen.choice(ODD))
    file = tmp_path / "changed"
    file.write_text("\n".join(map(json.dumps, changed)) if lines else json.dumps(changed), "utf-8")
    whole(read(file))
    whole(read(file, format=FILES[name][0]))


names = st.sampled_from(
    [
        "name", "trace", "group", "id", "metadata", "tools", "messages", "from", "time", "take", "each", "unless", "role", "roles",
        "text", "calls", "call", "result", "agent", "tool", "arguments", "failed", "status", "error",
    ]
)  # fmt: skip
paths = st.sampled_from(
    ["a", "a.b", ".", "$", "a[0]", "a[x=1].b", "a[*]::json", "a..b", "a[", "user", "first", "file", ""]
)
mappings = st.recursive(
    paths | st.none() | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
contents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(['{"b": 1}', "user", "assistant"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3),
    max_leaves=15,
)
sources = st.fixed_dictionaries(
    {"from": paths, "role": paths},
    optional={"text": paths, "time": paths, "each": paths, "take": st.just("last"), "calls": paths, "agent": paths,
              "call": st.fixed_dictionaries({"tool": paths}, optional={"id": paths, "arguments": paths, "result": paths, "status": paths}),
              "result": st.fixed_dictionaries({"text": paths}, optional={"id": paths, "tool": paths, "error": paths})},
)  # fmt: skip


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    mapping=mappings | st.fixed_dictionaries({"messages": st.lists(sources, min_size=1, max_size=3)}), value=contents
)
def test_any_mapping_on_any_value(tmp_path: Path, mapping: Any, value: Any) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(value), "utf-8")
    said = ""
    try:
        reading = read(file, mapping=mapping if isinstance(mapping, dict) else {"messages": mapping})
        whole(reading)
    except RootcallError as error:
        said = str(error)
    assert "\n" not in said
