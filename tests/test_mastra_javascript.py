"""JSON values as JavaScript has them: truth, equality, text, rounding, and how values of a wrong shape are read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.mastra import coercion
from rootcall.mastra.javascript import number_text, round_half_up, round_two, same, stringify, truthy, units

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=3), v, max_size=4))


@pytest.mark.parametrize("value", [None, UNSET, False, 0, 0.0, -0.0, "", math.nan])
def test_what_is_false(value: Any) -> None:
    assert truthy(value) is False


@pytest.mark.parametrize("value", [True, 1, -1, 0.1, "0", "false", " ", [], {}, math.inf, 10**400])
def test_what_is_true(value: Any) -> None:
    assert truthy(value) is True


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (2**53 + 1, "9007199254740992"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (123456789012345680000, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (1.25e300, "1.25e+300"),
        (5e-324, "5e-324"),
        (100, "100"),
        (math.inf, "Infinity"),
        (-(10**400), "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_numbers_as_they_are_printed(number: float, text: str) -> None:
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"b":1,"a":[true,null,"x"]}'),
        ({"b": 1, "2": 1, "1": 2, "01": 3, "-1": 4}, '{"1":2,"2":1,"b":1,"01":3,"-1":4}'),
        ({"4294967295": 1, "4294967294": 2}, '{"4294967294":2,"4294967295":1}'),
        ({"4294967296": 1, "10": 2, "9": 3}, '{"9":3,"10":2,"4294967296":1}'),
        ({"²": 1, "٣": 2, "": 3}, '{"²":1,"٣":2,"":3}'),
        ([1.0, 10**400, 2**53 + 1], "[1,null,9007199254740992]"),
        ('a"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é', '"a\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028é"'),
        ("\ud83d", '"\\ud83d"'),
        ("\ud83d\ude00\ude00", '"😀\\ude00"'),
        ({}, "{}"),
        ([[], {}], "[[],{}]"),
        ({"a": UNSET, "b": [UNSET]}, '{"b":[null]}'),
        (UNSET, None),
    ],
)
def test_values_as_they_are_printed(value: Any, text: str | None) -> None:
    assert stringify(value) == text


def test_nesting_of_any_depth_is_printed() -> None:
    deep: Any = 1
    for _ in range(20_000):
        deep = [deep]
    assert stringify(deep) == "[" * 20_000 + "1" + "]" * 20_000


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(TypeError, match="expected a JSON value, got set"):
        stringify({1, 2})


@given(VALUES)
def test_the_text_is_json_of_the_same_value(value: Any) -> None:
    def doubles(v: Any) -> Any:
        if isinstance(v, dict):
            return {k: doubles(x) for k, x in v.items()}
        if isinstance(v, list):
            return [doubles(x) for x in v]
        return float(v) if isinstance(v, int | float) and not isinstance(v, bool) else v

    text = stringify(value)
    assert text is not None
    assert doubles(json.loads(text)) == doubles(value)
    assert stringify(json.loads(text)) == text


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (0, "", False),
        (None, UNSET, False),
        (None, None, True),
        (2**53, 2**53 + 1, True),
        (10**400, 10**401, True),
        (math.nan, math.nan, False),
        ("é", "e\u0301", False),
        ("\ud83d\ude00", "😀", True),
        ([], [], False),
        ({}, {}, False),
    ],
)
def test_strict_equality(a: Any, b: Any, alike: bool) -> None:
    assert same(a, b) is alike
    assert same(b, a) is alike
    if alike:
        assert coercion.identity(a) == coercion.identity(b)


def test_a_list_is_itself() -> None:
    one: list[int] = []
    assert same(one, one)
    assert coercion.identity(one) == coercion.identity(one)
    assert coercion.identity(one) != coercion.identity([])
    assert len({coercion.identity(v) for v in (1, True, "1", None, UNSET, 0, False, "")}) == 8


@pytest.mark.parametrize(
    ("x", "whole"), [(2.5, 3), (-2.5, -2), (0.49999999999999994, 0), (-0.5, 0), (1e300, 1e300), (math.inf, math.inf)]
)
def test_halves_are_rounded_up(x: float, whole: float) -> None:
    assert round_half_up(x) == whole


def test_two_decimals_with_the_addend() -> None:
    assert [round_two(x) for x in (1 / 8, 5 / 8, 1.005, 0.145, 2 / 3, 0.0)] == [0.13, 0.63, 1.01, 0.15, 0.67, 0.0]
    assert round(1 / 8, 2) == 0.12  # which is why
    assert math.isnan(round_two(math.nan))


def test_characters_beyond_the_plane_count_twice() -> None:
    assert len(units("a😀")) == 3
    assert units("é") == "é"
    assert coercion.length("a😀") == 3
    assert coercion.item("a😀", 1) == "\ud83d"


# --- values of a wrong shape ------------------------------------------------------------------------------------------


def test_only_objects_have_fields() -> None:
    assert coercion.field({"a": 1}, "a") == 1
    assert [coercion.field(v, "a") for v in ({}, [1], "a", 5, True)] == [UNSET] * 5
    for nothing, word in ((None, "null"), (UNSET, "nothing")):
        with pytest.raises(ScorerError, match=f"expected an object with 'a', got {word}"):
            coercion.field(nothing, "a")


def test_lengths() -> None:
    assert [coercion.length(v) for v in ([1, 2], "ab", {"length": "7"}, {}, 5)] == [2, 2, "7", UNSET, UNSET]
    given: list[Any] = [[1], "a", {"length": "2"}, [], "", {}, 5, True, None, UNSET]
    assert [coercion.sized(v) for v in given] == [True] * 3 + [False] * 7


def test_items() -> None:
    assert [coercion.item(v, 1) for v in ([1, 2], (1, 2), "ab", {"1": 2}, [1], 5)] == [2, 2, "b", 2, UNSET, UNSET]


def test_loops_go_through_lists_and_texts_alone() -> None:
    assert coercion.elements("a😀", "x") == ["a", "😀"]
    assert coercion.elements((1, None), "x") == [1, None]
    with pytest.raises(ScorerError, match="children: expected a list, got object"):
        coercion.elements({}, "children")
    with pytest.raises(ScorerError, match=r"steps\[1\]: expected an object, got null"):
        coercion.objects([0, None], "steps")
    with pytest.raises(ScorerError, match="steps: expected a list, got string"):
        coercion.objects("ab", "steps")


def test_what_an_object_takes_over() -> None:
    assert coercion.properties("a😀") == {"0": "a", "1": "\ud83d", "2": "\ude00"}
    assert coercion.properties([5]) == {"0": 5}
    assert coercion.properties({"a": 1}) == {"a": 1}
    assert coercion.properties(5) == {}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (None, 0.0),
        (True, 1.0),
        ("", 0.0),
        (" 12 ", 12.0),
        ("\u00a01e3\ufeff", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0x10", 16.0),
        ("0b11", 3.0),
        ("-Infinity", -math.inf),
        ([], 0.0),
        (["7"], 7.0),
        ([None], 0.0),
    ],
)
def test_values_as_numbers(value: Any, number: float) -> None:
    assert coercion.as_number(value) == number


@pytest.mark.parametrize("value", [UNSET, "abc", "1_0", "-0x10", "1e", "١", {}, [1, 2], "infinity", "\x1c1"])
def test_values_that_are_no_number(value: Any) -> None:
    assert math.isnan(coercion.as_number(value))


def test_values_as_text() -> None:
    given: list[Any] = ["a", None, UNSET, True, False, 1.0, [1, [None, 2]], {}]
    assert [coercion.as_text(v) for v in given] == [
        "a", "null", "undefined", "true", "false", "1", "1,,2", "[object Object]",
    ]  # fmt: skip
    assert coercion.joined([None, 1, UNSET], "-") == "-1-"
    with pytest.raises(ScorerError, match="'toString'"):
        coercion.as_text([{"toString": 1}])


@pytest.mark.parametrize(
    ("a", "b", "total"),
    [(1, 2, 3), (1, 0.5, 1.5), (0, True, 1), (1, "2", "12"), ([], 1, "1"), ({}, 0, "[object Object]0")],
)
def test_sums(a: Any, b: Any, total: Any) -> None:
    found = coercion.plus(a, b)
    assert found == total
    assert type(found) is type(total)


def test_sums_beyond_exact_integers_are_doubles() -> None:
    assert coercion.plus(2**53, 1) == 2.0**53
