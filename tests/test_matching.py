from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.jsonvalue import MISSING
from rootcall.matching import compare, describe


@pytest.mark.parametrize(
    ("expected", "yes", "no"),
    [
        ({"$any": True}, 0, MISSING),
        ({"$absent": True}, MISSING, None),
        ({"$one_of": ["a", {"$absent": True}]}, MISSING, "b"),
        ({"$not": "a"}, "b", "a"),
        ({"$casefold": "STRASSE"}, "straße", "strasse!"),
        ({"$regex": "^A-\\d+$"}, "A-12", "B-12"),
        ({"$contains": "milk"}, "buy milk", "buy bread"),
        ({"$contains": 2}, [1, 2], [1, 3]),
        ({"$range": [1, 9]}, 9, 10),
        ({"$range": [None, 9]}, -4, True),
        ({"$approx": [100, 0.05]}, 104, 106),
        ({"$unordered": [1, {"$any": True}]}, [5, 1], [5, 6]),
        ({"$literal": {"$any": True}}, {"$any": True}, 1),
        ({"a": {"$any": True}, "b": 1}, {"a": 0, "b": 1.0}, {"a": 0, "b": 2}),
        ([{"$range": [0, 1]}, 2], [1, 2], [2, 2]),
        (1, 1.0, True),
        ("é", "e\u0301", "e"),
        ({"a": None}, {"a": None}, {}),
    ],
)
def test_meets_and_does_not(expected: Any, yes: Any, no: Any) -> None:
    assert compare(expected, yes).result == "match"
    assert compare(expected, no).result == "mismatch"


@pytest.mark.parametrize("name", ["$date", "$instant", "$from", "$judge"])
def test_what_a_value_alone_cannot_decide_is_undecided(name: str) -> None:
    assert compare({name: "x"}, "x").result == "undecided"
    assert compare({"$not": {name: "x"}}, "x").result == "undecided"
    assert compare({"$one_of": ["y", {name: "x"}]}, "x").result == "undecided"
    assert compare({"a": {name: "x"}}, {"a": 1}).result == "undecided"


def test_reasons_say_what_was_wanted_and_what_came() -> None:
    assert compare(2, "2").reason == 'expected 2, got "2": text where a number is wanted'
    assert compare({"a": {"b": 1}}, {"a": {"b": 2}}).reason == "a.b: expected 1, got 2"
    assert compare(1, MISSING).reason == "expected 1, got nothing"
    assert compare({"a": {"$any": True}}, 3).reason == "expected an object, got 3"
    assert compare([{"$any": True}], 3).reason == "expected a list of 1, got 3"


def test_long_values_are_cut_in_messages() -> None:
    assert len(describe("x" * 500)) == 80
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert describe(deep) == "a deeply nested value"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=4).filter(lambda k: not k.startswith("$")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_every_value_meets_itself(value: Any) -> None:
    assert compare(value, value).result == "match"
