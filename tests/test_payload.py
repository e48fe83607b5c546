"""Text to values: argument states, result decodings, and what decoding passes over elsewhere."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.jsonvalue import MISSING, equal
from rootcall.payload import (
    Unread,
    decode_arguments,
    decode_prefix,
    decode_result,
    loads,
    lone_surrogates,
    without_lone_surrogates,
)


@pytest.mark.parametrize(
    ("sent", "arguments", "state"),
    [
        ({"a": 1}, {"a": 1}, "object"),
        ('{"a": 1}', {"a": 1}, "json_string"),
        ("{}", {}, "json_string"),
        ("", {}, "json_string"),
        ("  ", {}, "json_string"),
        (json.dumps('{"a": 1}'), {"a": 1}, "double_encoded"),
        ('{"a": 1, "a": 2}', {"a": 2}, "duplicate_keys"),
        ('{"a": 1', None, "not_json"),
        ("{'a': 1}", None, "not_json"),
        ('{"a": NaN}', None, "not_json"),
        ('{"a": 1e999}', None, "not_json"),
        ('{"a": 1} {"b": 2}', None, "not_json"),
        ("[" * 5000 + "]" * 5000, None, "not_an_object"),
        ('{"a":' * 5000 + "1" + "}" * 5000, None, "not_captured"),
        ('{"a":' * 5000, None, "not_json"),
        ('{"a": ' + "9" * 5000 + "}", None, "not_captured"),
        ("9" * 5000, None, "scalar"),
        ("[1]", None, "not_an_object"),
        ([1], None, "not_an_object"),
        ("3", None, "scalar"),
        ("null", None, "scalar"),
        ('"text"', None, "scalar"),
        ('"[1]"', None, "scalar"),
        (3, None, "scalar"),
        (True, None, "scalar"),
        (None, None, "missing"),
        (MISSING, None, "missing"),
    ],
)
def test_the_state_of_arguments(sent: Any, arguments: Any, state: str) -> None:
    found, raw, found_state, problem = decode_arguments(sent)
    assert (found, found_state) == (arguments, state)
    assert raw == (sent if isinstance(sent, str) else None)
    assert (problem is None) == (state in ("object", "json_string"))


def test_a_problem_of_arguments_says_where_and_what() -> None:
    assert decode_arguments('{"a": 1,}')[3] == (
        "arguments are not JSON: Expecting property name enclosed in double quotes: line 1 column 9 (char 8)"
    )
    assert decode_arguments('{"a": 1, "a": 2, "b": 1, "b": 2}')[3] == "arguments name 'a', 'b' twice"
    assert decode_arguments(False)[3] == "arguments are false, an object is wanted"


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        (None, MISSING, "none"),
        ("", MISSING, "empty"),
        (" \n", MISSING, "empty"),
        ('{"a": 1}', {"a": 1}, "json"),
        ("[1, 2]", [1, 2], "json"),
        ("3.5", 3.5, "json"),
        ("-3", -3, "json"),
        ("null", None, "json"),
        ("true", True, "json"),
        ('"text"', "text", "json"),
        (json.dumps('{"a": 1}'), {"a": 1}, "nested"),
        (json.dumps(json.dumps(json.dumps("[1]"))), [1], "nested"),
        (json.dumps('"quoted"'), '"quoted"', "json"),
        (json.dumps("[not json"), "[not json", "json"),
        ("{'a': None, 'b': (1, 2), 'c': True}", {"a": None, "b": [1, 2], "c": True}, "python_repr"),
        ("[('x', 1)]", [["x", 1]], "python_repr"),
        (repr([{"n": i} for i in range(500)]), [{"n": i} for i in range(500)], "python_repr"),
        ("{1, 2}", "{1, 2}", "text"),
        ("{'a': __import__('os')}", "{'a': __import__('os')}", "text"),
        ("{'a': 1e999}", "{'a': 1e999}", "text"),
        ("[" * 300 + "'x'" + "]" * 300, "[" * 300 + "'x'" + "]" * 300, "text"),
        ("['" + "x" * 100_000 + "']", "['" + "x" * 100_000 + "']", "text"),
        ("plain words", "plain words", "text"),
        ("true story", "true story", "text"),
        ("3 flights", "3 flights", "text"),
        ("NaN", "NaN", "text"),
        ('{"a": NaN}', '{"a": NaN}', "text"),
        ('{"a": 1', '{"a": 1', "text"),
    ],
)
def test_how_a_result_is_decoded(text: str | None, value: Any, how: str) -> None:
    decoded = decode_result(text)
    assert decoded.how == how
    assert decoded.value is value if value is MISSING else equal(decoded.value, value)


def test_only_what_begins_as_json_has_a_json_problem() -> None:
    assert decode_result('{"a": 1').problem is not None
    assert decode_result("3 flights").problem is None
    assert decode_result("words").problem is None


def test_odd_escapes_in_a_repr_warn_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert decode_result(r"{'path': 'C:\d'}").value == {"path": "C:\\d"}


def test_loads_tells_keys_that_stand_twice_once_each() -> None:
    assert loads('{"a": 1, "a": 2, "a": 3, "b": {"c": 1, "c": 2}}') == ({"a": 3, "b": {"c": 2}}, ["c", "a"])
    for wrong in ("NaN", "-Infinity", "1e999", "{", "[" * 5000, "9" * 5000):
        with pytest.raises(ValueError, match=r"\S"):
            loads(wrong)


def test_numbers_keep_their_digits() -> None:
    assert loads("[9007199254740993, 123456789012345678901234567890, 1.0]")[0] == [
        9007199254740993,
        123456789012345678901234567890,
        1.0,
    ]


@pytest.mark.parametrize(
    ("text", "half", "value"),
    [
        (r'"\ud83d\ude00"', False, "😀"),
        (r'"\ud83d"', True, "�"),
        (r'"\ude00 x"', True, "� x"),
        (r'{"\ud83d": ["\ude00\ud83d"]}', True, {"�": ["��"]}),
        (r'"\\ud83d"', True, "\\ud83d"),
        ('"plain"', False, "plain"),
    ],
)
def test_half_a_character_is_replaced(text: str, half: bool, value: Any) -> None:
    assert lone_surrogates(text) is half
    assert loads(text)[0] == value
    json.dumps(loads(text)[0], ensure_ascii=False).encode()


def test_what_is_whole_stays_the_same() -> None:
    value = {"é": [1, None, "😀", True, 1.5]}
    assert without_lone_surrogates(value) == value


@given(st.text())
def test_any_text_decodes_without_an_exception(text: str) -> None:
    arguments, raw, _, _ = decode_arguments(text)
    assert raw == text
    assert arguments is None or isinstance(arguments, dict)
    decode_result(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_and_repr_round_trips(value: Any) -> None:
    assert equal(decode_result(json.dumps(value)).value, value) or isinstance(value, str)
    if isinstance(value, list | dict) and value:
        assert (
            equal(decode_result(repr(value)).value, value) or "\\u" in json.dumps(value) or len(repr(value)) > 100_000
        )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": 2, "c', {"a": 1, "b": 2}),
        ('[{"a": 1}, {"a": 2}, {"a"', [{"a": 1}, {"a": 2}]),
        ('{"a": {"b": [1, 2]}, "c": "x,y', {"a": {"b": [1, 2]}}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": "q\\"],", "b', {"a": 'q"],'}),
        ('{"a": 1', MISSING),
        ("words", MISSING),
        ('{"a": [1}, 2', MISSING),
        ('{"a": x, "b', MISSING),
    ],
)
def test_what_was_kept_of_a_cut_text_is_whole_members_only(text: str, value: Any) -> None:
    assert decode_prefix(text) == value or decode_prefix(text) is value


@given(
    st.dictionaries(st.text(max_size=3), st.lists(st.integers() | st.text(max_size=3), max_size=3), max_size=3),
    st.data(),
)
def test_a_cut_text_never_gives_what_was_not_there(value: dict[str, Any], data: Any) -> None:
    text = json.dumps(value)
    kept = decode_prefix(text[: data.draw(st.integers(0, len(text)))])
    if kept is not MISSING:
        assert set(kept) <= set(value)
        assert all(value[k][: len(v)] == v for k, v in kept.items())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": ' + "9" * 5000 + "}", "an integer of more than 4,300 digits stands in it"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "it is nested too deeply"),
    ],
)
def test_json_beyond_all_measure_is_not_called_broken(text: str, told: str) -> None:
    with pytest.raises(Unread, match=told):
        loads(text)
    assert decode_arguments(text)[3] == f"arguments could not be read: {told}"
    assert decode_result(text).problem == told
