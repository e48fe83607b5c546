"""Java and JavaScript literals read properly: by declared type, and left alone where they are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.bfcl.literals import decode, decode_arguments


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("long", "5L", 5),
        ("long", "5", 5),
        ("integer", "-12", -12),
        ("Bigint", "12345678901234567890n", 12345678901234567890),
        ("float", "2.5f", 2.5),
        ("double", "1e3", 1000.0),
        ("double", "3", 3),
        ("boolean", "true", True),
        ("Boolean", "false", False),
        ("char", "'c'", "c"),
        ("String", '"say \\"hi\\"\\n"', 'say "hi"\n'),
        ("String", "'x'", "x"),
        ("String", "x y", "x y"),
        ("String", "\"\\u00e9\"", "é"),
        ("String", "", ""),
        ("Array", "new int[]{1, 2}", [1, 2]),
        ("Array", 'new String[] { "a", "b" }', ["a", "b"]),
        ("Array", "[1, 2]", [1, 2]),
        ("ArrayList", 'new ArrayList<>(Arrays.asList("a", "b"))', ["a", "b"]),
        ("ArrayList", "new ArrayList<Integer>() {{ add(1); add(2); }}", [1, 2]),
        ("ArrayList", "List.of(1, 2)", [1, 2]),
        ("ArrayList", "new ArrayList<>()", []),
        ("Set", "new HashSet<>(Arrays.asList(1, 2))", [1, 2]),
        ("HashMap", 'new HashMap<String, List<Integer>>() {{ put("k", Arrays.asList(1, 2)); put("l", true); }}', {"k": [1, 2], "l": True}),
        ("HashMap", 'Map.of("k", 1)', {"k": 1}),
        ("Hashtable", "new Hashtable<>()", {}),
        ("HashMap", '{"k": 1}', {"k": 1}),
        ("dict", "{a: 1, 'b': [true, null], c: {d: 'x'}}", {"a": 1, "b": [True, None], "c": {"d": "x"}}),
        ("array", "new Array(1, 'x')", [1, "x"]),
        ("array", "[[1, 2], [3]]", [[1, 2], [3]]),
        ("array", "['a', element, Level.HIGH]", ["a", "element", "Level.HIGH"]),
        ("any", "10", 10),
        ("any", "true", True),
        ("any", "'x'", "x"),
    ],
)  # fmt: skip
def test_a_literal_of_the_declared_type_has_its_value(kind: str, text: str, value: Any) -> None:
    found = decode(text, {"type": kind})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("integer", "ResultSet.TYPE_FORWARD_ONLY"), ("integer", "5.5"), ("integer", '"5"'), ("boolean", "1"), ("array", "items"),
        ("array", "[1, 2"), ("array", "new Foo(1)"), ("array", "[f(x)]"), ("dict", "{a}"), ("dict", "[1]"), ("HashMap", 'Map.of("k")'),
        ("any", "10d"), ("any", "007"), ("any", "2024-05-01"), ("any", "1.2.3"), ("any", "new Runnable()"), ("any", "null"),
        ("double", "1e999"), ("long", "9" * 5000), ("array", "[" * 500), ("String", "it's"), ("String", "'a' + 'b'"),
    ],
)  # fmt: skip
def test_what_is_no_literal_of_the_type_stays_the_text_it_is(kind: str, text: str) -> None:
    assert decode(text, {"type": kind}) == text


def test_members_are_read_by_their_own_type_and_other_values_stay() -> None:
    listed = {"type": "array", "items": {"type": "long"}}
    assert decode(["5L", 6], listed) == [5, 6]
    assert decode(5, {"type": "String"}) == 5
    assert decode(None, {"type": "long"}) is None
    assert decode("5", None) == 5


def test_arguments_are_decoded_by_the_tools_parameters() -> None:
    parameters = {"type": "dict", "properties": {"n": {"type": "long"}, "s": {"type": "String"}}}
    assert decode_arguments({"n": "5L", "s": '"x"', "other": "5L"}, parameters) == {"n": 5, "s": "x", "other": "5L"}
    assert decode_arguments({"n": "5L"}, None) == {"n": "5L"}


KINDS = st.sampled_from(["integer", "double", "String", "boolean", "Array", "HashMap", "dict", "any", "?"])


@given(KINDS, st.text() | st.text("[]{}()<>,:;'\"\\newMapArylis1.5Lf- \n"))
def test_no_text_raises_and_a_value_is_decoded_once(kind: str, text: str) -> None:
    value = decode(text, {"type": kind})
    assert decode(text, {"type": kind}) == value
    if kind in ("integer", "boolean", "Array", "HashMap") and not isinstance(value, str):
        assert decode(value, {"type": kind}) == value


PLAIN = st.recursive(
    st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("abc é'"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc", min_size=1), PLAIN, max_size=4))
def test_json_is_a_literal_too(value: dict[str, Any]) -> None:
    assert decode(json.dumps(value), {"type": "dict"}) == value
