"""The class of an argument is set before judging: over real schemas no value changes it, right or wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.config import Config
from rootcall.evidence.argument_class import argument_class
from rootcall.evidence.schema_forms import normalized
from rootcall.layers.arguments import RULES
from rootcall.tools import load_tools
from rootcall.trace import Tool, Trace

HERE = Path(__file__).parent
AIRLINE = load_tools(HERE.parent / "src/rootcall/data/tau-airline-tools.json")
BFCL = [
    Tool(f["name"], f["description"], normalized(f["parameters"]))
    for f in map(
        json.loads, gzip.decompress((HERE / "data/bfcl_functions.jsonl.gz").read_bytes()).decode().splitlines()
    )
]
TOOLS = [t for t in (*AIRLINE, *BFCL) if isinstance(t.schema, dict) and t.schema.get("properties")]
USERS = ("Book it for next Friday, for 2 people, order A-17.", "On 3 October, $54.20, please.", "Go on.")
RIGHT: dict[Any, Any] = {
    "string": "A-17", "integer": 2, "number": 1.5, "boolean": True, "array": [], "object": {}, None: "x",
}  # fmt: skip
WRONG: tuple[Any, ...] = (
    None,
    "next Friday",
    "2",
    2,
    -1.5,
    True,
    [],
    ["x"],
    {},
    {"a": [1]},
    "",
    "2026-10-03",
    "$54.20",
)


def right_value(schema: dict[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    return RIGHT.get(kind[0] if isinstance(kind, list) else kind, "x")


def classes(tool: Tool, arguments: dict[str, Any], user: str) -> dict[str, set[Any]]:
    """The class of every argument, as the evidence says and as every check about it says."""
    call = {"id": "c", "function": {"name": tool.name, "arguments": json.dumps(arguments)}}
    messages = [{"role": "user", "content": user}, {"role": "assistant", "tool_calls": [call]}]
    trace = Trace.from_openai(messages, [tool])
    found = {name: {argument_class(trace, trace.calls[0], name)} for name in tool.schema["properties"]}
    for check in (c for rule in RULES for c in rule(trace, None, Config())):
        top = check.unit.removeprefix(f"argument:{trace.calls[0].at}.") if check.argument else ""
        if top in found:
            found[top].add(check.argument_class)
    return found


@pytest.mark.parametrize("tool", TOOLS, ids=lambda t: t.name)
@pytest.mark.parametrize("user", USERS)
def test_right_wrong_and_missing_values_have_one_class(tool: Tool, user: str) -> None:
    properties = tool.schema["properties"]
    right = {name: right_value(schema) for name, schema in properties.items()}
    before = classes(tool, right, user)
    assert all(len(kinds) == 1 for kinds in before.values())
    for name in properties:
        for value in WRONG:
            assert classes(tool, {**right, name: value}, user)[name] == before[name]
        assert classes(tool, {k: v for k, v in right.items() if k != name}, user)[name] == before[name]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TOOLS), st.data())
def test_no_arguments_change_a_class(tool: Tool, data: st.DataObject) -> None:
    right = {name: right_value(schema) for name, schema in tool.schema["properties"].items()}
    sent = {name: data.draw(json_values) for name in right if data.draw(st.booleans())}
    assert classes(tool, sent, USERS[0]) == classes(tool, right, USERS[0])
