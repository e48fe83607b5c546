"""JSON values: equality, the first difference, canonical text, paths."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.jsonvalue import MISSING, canonical, difference, equal, join_path, json_type, walk

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(scalars, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=4), x, max_size=4))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (0.1 + 0.2, 0.3),
        (2**60, 2**60),
        (1.1e23, 110000000000000000000000),
        (-0.0, 0),
        ("é", "é"),
        ({"é": 1}, {"é": 1}),
        ({"a": 1, "b": [2, None]}, {"b": [2.0, None], "a": 1}),
        ([], ()),
        (MISSING, MISSING),
        (math.nan, math.nan),
        (math.inf, math.inf),
        ([[[[]]]], [[[[]]]]),
    ],
)
def test_equal_values(a: Any, b: Any) -> None:
    assert equal(a, b)
    assert equal(b, a)
    assert difference(a, b) is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (0, False),
        (0, None),
        ("1", 1),
        ("", None),
        (None, MISSING),
        ({"a": None}, {}),
        (2**53, 2**53 + 1),
        (10**9, 10**9 + 1),
        (10**9 * 1.0, 10**9 + 1),
        (10**400, 1e300),
        (10**400, 1.5),
        (0, 1e-12),
        (1.0, 1.00000001),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([], {}),
        ("a", "A"),
        (math.inf, -math.inf),
        (math.nan, 1),
        ("text", ["text"]),
    ],
)
def test_unequal_values(a: Any, b: Any) -> None:
    assert not equal(a, b)
    assert not equal(b, a)
    assert difference(a, b) is not None


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ({"a": 1, "b": 1}, {"a": 2, "b": 2}, ("a", 1, 2)),
        ([1, 2, 3], [1, 5, 6], ("[1]", 2, 5)),
        ({"a": [{"b c": 1}]}, {"a": [{"b c": 2}]}, ('a[0]["b c"]', 1, 2)),
        ({"a": 1}, {"a": 1, "z": 0}, ("z", MISSING, 0)),
        ([1], [], ("[0]", 1, MISSING)),
        (1, 2, ("", 1, 2)),
        ({"a": {"x": 1}, "b": 1}, {"a": {"x": 2}, "b": 2}, ("a.x", 1, 2)),
    ],
)
def test_the_first_difference_is_named(a: Any, b: Any, found: tuple[str, Any, Any]) -> None:
    assert difference(a, b) == found


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"), (True, "boolean"), (1, "integer"), (1.0, "integer"), (1.5, "number"), (math.inf, "number"),
        ("a", "string"), ({}, "object"), ([], "array"), ((), "array"), (MISSING, "missing"), (object(), "missing"),
    ],
)  # fmt: skip
def test_types_are_those_of_json_schema(value: Any, name: str) -> None:
    assert json_type(value) == name


@pytest.mark.parametrize(
    ("path", "key", "joined"),
    [
        ("", "a", "a"), ("a", "b", "a.b"), ("a", 0, "a[0]"), ("", 2, "[2]"), ("a", "b-c", "a.b-c"), ("a", "1", 'a["1"]'),
        ("", "b c", '["b c"]'), ("a", 'x"y\\', 'a["x\\"y\\\\"]'), ("a", "", 'a[""]'), ("a", "b\n", 'a["b\n"]'),
    ],
)  # fmt: skip
def test_paths(path: str, key: str | int, joined: str) -> None:
    assert join_path(path, key) == joined


def test_walk_yields_scalars_in_document_order() -> None:
    value = {"a": 1, "b": [True, {"c": None}, [], {}], "d": "x"}
    assert list(walk(value)) == [("a", 1), ("b[0]", True), ("b[1].c", None), ("b[2]", []), ("b[3]", {}), ("d", "x")]
    assert list(walk(5, "top")) == [("top", 5)]
    assert list(walk([])) == [("", [])]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        (0.1 + 0.2, 0.3, True),
        ("é", "é", True),
        (1, True, False),
        ("1", 1, False),
        (None, "None", False),
        ([[1], 2], [1, [2]], False),
        ({"a": [1]}, {"a": {"0": 1}}, False),
        (2**53, 2**53 + 1, False),
        ([], {}, False),
        ("a,b", ["a", "b"], False),
    ],
)
def test_canonical_text_is_the_same_for_equal_values_only(a: Any, b: Any, same: bool) -> None:
    assert (canonical(a) == canonical(b)) is same


def test_depth_is_no_limit() -> None:
    deep: Any = 1
    other: Any = 2
    for _ in range(20_000):
        deep, other = [deep], {"a": other}
    assert equal(deep, deep)
    assert not equal(deep, other)
    assert len(canonical(deep)) > 20_000
    assert len(list(walk(deep))) == 1


@given(values)
def test_a_value_equals_itself_and_its_copy(value: Any) -> None:
    copy = json.loads(json.dumps(value))
    assert equal(value, copy)
    assert canonical(value) == canonical(value)


@given(values, values)
def test_equality_is_symmetric_and_agrees_with_the_difference(a: Any, b: Any) -> None:
    assert equal(a, b) == equal(b, a) == (difference(a, b) is None)


@given(st.dictionaries(st.text(max_size=3), scalars, max_size=5))
def test_key_order_never_matters(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert equal(value, turned) or len({canonical(k) for k in value}) < len(value)
    assert canonical(value) == canonical(turned) or len({canonical(k) for k in value}) < len(value)
