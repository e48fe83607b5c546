"""One record, one line, whatever is in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.jsonline import encode_line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_an_ordinary_record_is_one_line_of_utf_8() -> None:
    assert encode_line({"a": "요청", "b": [1, 2.5, None]}) == '{"a":"요청","b":[1,2.5,null]}\n'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_json_does_not_have_become_null(value: float) -> None:
    assert json.loads(encode_line({"x": value})) == {"x": None}
    assert json.loads(encode_line({"x": [value], "broken": "\ud800"}))["x"] == [None]


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    line = encode_line({"text": "broken \ud83d emoji"})
    assert line.isascii()
    assert json.loads(line) == {"text": "broken \ud83d emoji"}


def test_integers_keep_all_their_digits() -> None:
    assert json.loads(encode_line({"n": 12345678901234567890123})) == {"n": 12345678901234567890123}
    assert json.loads(encode_line({"n": 12345678901234567890123, "s": "\udfff"}))["n"] == 12345678901234567890123


@given(JSON)
def test_any_json_gives_one_line_that_can_be_read_back(value: Any) -> None:
    line = encode_line({"value": value})
    assert line.count(b"\n") == 1
    json.loads(line)
