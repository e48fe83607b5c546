"""The short ways for plain cases and plain chats lead where the readers do, whatever they are given."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall import casefile, conversation
from rootcall.case import Case
from rootcall.casefile import read_case
from rootcall.errors import CaseError
from rootcall.payload import decode_arguments, loads
from rootcall.plaincase import plain_case
from rootcall.plainchat import plain_trace
from rootcall.trace import Source, Trace

DATA = Path(__file__).parent.parent / "data"
MANY = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just("\ud800") | st.just(2**70)
)
odd = st.recursive(
    scalars | st.just({"$any": True}) | st.just({"$nope": 1}) | st.just({1: 2}) | st.just({"a", "b"}) | st.just(("a",)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "$any", "é"]), inner, max_size=2),
    max_leaves=4,
)


def mostly(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What usually stands there, and now and then something else."""
    return st.integers(0, 11).flatmap(lambda n: odd if n == 0 else usual)


def some_of(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={name: mostly(part) for name, part in parts.items()})


plain_values = scalars | st.lists(st.integers() | st.text(max_size=3), max_size=3)
calls = st.lists(
    mostly(
        st.fixed_dictionaries(
            {"tool": mostly(st.sampled_from("tu"))},
            optional={
                "arguments": mostly(
                    st.dictionaries(st.sampled_from(["a", "b", "$a", "$any"]), plain_values | odd, max_size=3)
                ),
                "optional": mostly(st.booleans()),
                "extra_arguments": mostly(st.sampled_from(["allow", "forbid"])),
            },
        )
    ),
    max_size=2,
)
expectations = st.fixed_dictionaries(
    {"calls": mostly(calls)},
    optional={
        "order": mostly(st.sampled_from(["any", "in_order", "strict"])),
        "extra": mostly(st.sampled_from(["reads", "allow", "forbid"])),
        "forbid": mostly(st.just(["u"])),
        "goal": odd,
    },
)
cases = st.fixed_dictionaries(
    {"expect": mostly(expectations)},
    optional={
        "id": mostly(st.text(max_size=3)),
        "input": mostly(st.text(max_size=3)),
        "tags": mostly(st.lists(st.text(max_size=2), max_size=2)),
        "metadata": odd,
        "must_pass": mostly(st.booleans()),
    },
)
argument_texts = (
    st.dictionaries(st.text(max_size=3), plain_values | odd, max_size=3).map(lambda v: _text(v) or "{}")
    | st.sampled_from(
        ["", " ", "{", '{"a": 1, "a": 2}', '{"a" : 1,"a": 2}', '{"a": "x:y"}', '{"a": {"b": 1}}', "[1]", '"{}"']
    )
    | st.sampled_from(
        ['{"a": "\\ud800"}', '{"a": 1e999}', '{"a": NaN}', '{"a": 01}', '\ufeff{"a": 1}', ' {"a": -0.0}\n']
    )
)
messages = st.lists(
    mostly(
        some_of(
            role=st.sampled_from(["system", "user", "assistant", "assistant", "tool", "User"]),
            content=st.none() | st.text(max_size=3),
            tool_calls=st.lists(
                mostly(
                    some_of(
                        id=st.sampled_from(["x", "y", "z", ""]),
                        type=st.just("function"),
                        function=some_of(name=st.sampled_from(["t", "u", ""]), arguments=argument_texts),
                    )
                ),
                max_size=2,
            ),
        )
        | st.just({"role": "user", "content": "Hello."})
    ),
    max_size=4,
)


def _text(value: Any) -> str | None:
    """The JSON text of a value, None when it has none or would be another value in it."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return None
    return text if repr(loads(text)[0]) == repr(value) else None


def read_the_long_way(data: Any, name: str = "case") -> tuple[Case | None, list[str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(casefile, "plain_case", lambda data, name: None)
        return read_case(data, name=name)


def built_the_long_way(said: Any, tools: Any = None) -> Trace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversation, "plain_trace", lambda *_, **__: None)
        return Trace.from_openai(said, tools, id="t", metadata={"n": 1})


@MANY
@given(cases | odd)
def test_a_case_is_the_same_by_the_short_way(data: Any) -> None:
    long = read_the_long_way(data)
    assert repr(read_case(data)) == repr(long)
    text = _text(data)
    if text is not None:
        assert repr(read_case(msgspec.Raw(text.encode()))) == repr(long)


@MANY
@given(messages)
def test_a_trace_is_the_same_by_the_short_way(said: Any) -> None:
    long = built_the_long_way(said)
    assert repr(Trace.from_openai(said, id="t", metadata={"n": 1})) == repr(long)
    text = _text(said)
    if text is not None:
        assert repr(Trace.from_openai(msgspec.Raw(text.encode()), id="t", metadata={"n": 1})) == repr(long)


@MANY
@given(argument_texts | st.text(max_size=12))
def test_argument_texts_are_the_objects_that_the_thorough_decoder_reads(text: str) -> None:
    arguments, raw, state, _ = decode_arguments(text)
    assert raw == text
    if state == "json_string" and text.strip():
        value, twice = loads(text)
        assert (repr(arguments), twice) == (repr(value), [])


def calling(*ids: Any, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    listed = [{"id": i, "function": {"name": "t", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": listed, **more}


@pytest.mark.parametrize(
    "said",
    [
        [calling("x", "x")],
        [calling("x"), calling("x")],
        [calling(None, None)],
        [calling("")],
        [calling(1)],
        [calling("x"), {"role": "tool", "tool_call_id": "x", "content": "3"}],
        [calling("x", name="me")],
        [calling("x", refusal="No.")],
        [calling()],
        [{"role": "assistant", "content": None}],
        [{"role": "user"}],
        [{"role": "user", "content": "Go.", "tool_calls": []}],
        [{"role": "user", "content": "Go.", "tool_calls": [{"function": {"name": "t", "arguments": "{}"}}]}],
        [{"role": "user", "content": [{"type": "text", "text": "Go."}]}],
        [{"role": "Developer", "content": "Go."}],
        [{"role": "system", "content": "Be."}, calling("x"), {"role": "user", "content": "Go."}, calling("y")],
        [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Go."}],
        [{"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "", "arguments": "{}"}}]}],
        [{"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "t"}}]}],
        [{"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "t", "arguments": {"a": 1}}}]}],
        [calling("x", arguments='{"a": 1, "a": 2}'), calling("y", arguments="{"), calling("z", arguments="")],
        ({"role": "user", "content": "Go."},),
        {"role": "user", "content": "Go."},
        "Go.",
        None,
        [],
    ],
)
def test_what_is_almost_plain_gives_the_same_trace(said: Any) -> None:
    assert repr(Trace.from_openai(said, id="t", metadata={"n": 1})) == repr(built_the_long_way(said))


@pytest.mark.parametrize(
    "arguments",
    [
        {"$any": True},
        {"$filter": "x"},
        {"$any": True, "a": 1},
        {"a": {"$any": True}},
        {"a": {"b": 1}},
        {"a": {"x", "y"}},
        {"a": {1: 2}},
        {"a": [{"$nope": 1}]},
        {"a": [[1]]},
        {"a": [1.0, None, True, "é"]},
        {"a": float("nan")},
        {"a": -float("inf")},
        {"a": 10**5000},
        {"a": "\ud800"},
        {"\ud800": 1},
        {1: 1},
        {},
        [],
        None,
    ],
)
def test_what_is_almost_plain_gives_the_same_case(arguments: Any) -> None:
    data = {"expect": {"calls": [{"tool": "t", "arguments": arguments}]}}
    assert repr(read_case(data)) == repr(read_the_long_way(data))


@pytest.mark.parametrize(
    "more",
    [
        {"tags": {"x", "y"}},
        {"tags": ["x"]},
        {"tags": "x"},
        {"input": None},
        {"id": " "},
        {"id": 3},
        {"id": None},
        {"ids": "x"},
        {"must_pass": True},
        {"expect": {"calls": []}},
        {"expect": {"calls": "some"}},
        {"expect": {"calls": None}},
        {"expect": {"calls": [{"tool": ""}]}},
        {"expect": {"calls": [{"tool": "t", "optional": 1}]}},
        {"expect": {"calls": [{"tool": "t", "optional": True}], "order": "strict"}},
        {"expect": {"calls": [], "order": "strict", "extra": "allow"}},
        {"expect": {"calls": [], "forbid": ["u"]}},
        {"expect": {"calls": [{"tool": "t", "arguments": {"a": [0] * 200_001}}]}},
        {"expect": {"calls": [{"tool": "t", "arguments": {str(i): 0 for i in range(200_001)}}]}},
    ],
)
def test_what_else_a_case_may_say_gives_the_same_case(more: dict[str, Any]) -> None:
    data = {"expect": {"calls": [{"tool": "t"}]}, **more}
    assert repr(read_case(data)) == repr(read_the_long_way(data))


def test_real_rows_are_the_same_by_the_short_way_and_take_it() -> None:
    short = 0
    for name in ("faults_small.jsonl.gz", "faults_arguments.jsonl.gz", "right_answers.jsonl.gz", "wrong_runs.jsonl.gz"):
        for line in gzip.decompress((DATA / name).read_bytes()).decode("utf-8").splitlines():
            row = json.loads(line)
            t = row.get("trace", row)
            for end in (len(t["messages"]), 2):  # the second is often a question and the calls it was answered with
                said, tools = t["messages"][:end], t.get("tools")
                assert Trace.from_openai(said, tools, id="t", metadata={"n": 1}) == built_the_long_way(said, tools)
                short += plain_trace(said, None, (), id="t", metadata=None, source=Source(), format="x") is not None
            if row.get("case"):
                assert read_case(row["case"], name="c") == read_the_long_way(row["case"], "c")
                short += plain_case(row["case"], "c") is not None
    assert short > 100


def test_text_that_is_no_json_is_named() -> None:
    for text in (b"[{", b"", b"\xff", b"[1e999]"):
        trace = Trace.from_openai(msgspec.Raw(text))
        assert [p.code for p in trace.problems] == ["messages-not-json"]
        with pytest.raises(CaseError, match="not JSON"):
            Case.from_dict(msgspec.Raw(text))
    assert [p.code for p in Trace.from_openai(msgspec.Raw(b"{}")).problems] == ["messages-not-a-list"]
