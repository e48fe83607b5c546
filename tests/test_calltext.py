"""Calls written as text: what has a value, what is one named problem, and that nothing is ever run or raised."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.calltext import ParsedCall, parse_calls


def calls(text: str, **options: Any) -> list[tuple[str, dict[str, Any], tuple[Any, ...]]]:
    found = parse_calls(text, **options)
    assert found.problem is None, found.problem
    return [(c.name, dict(c.arguments), c.positional) for c in found.calls]


def test_a_list_of_calls_gives_names_and_arguments() -> None:
    text = "[math.factorial(number=5), f(a=[1, -2.5], b={'k': None, 'l': [true, false, null]}, c=\"it's\")]"
    assert calls(text) == [
        ("math.factorial", {"number": 5}, ()),
        ("f", {"a": [1, -2.5], "b": {"k": None, "l": [True, False, None]}, "c": "it's"}, ()),
    ]


@pytest.mark.parametrize("text", ["f(a=1)", "[f(a=1)]", " [ f( a = 1 ) ]\n", "(f(a=1))", "f(a=1),"])
def test_brackets_and_space_do_not_matter(text: str) -> None:
    assert calls(text) == [("f", {"a": 1}, ())]


def test_an_empty_list_is_no_call_and_no_problem() -> None:
    assert calls("[]") == []


def test_positional_arguments_keep_their_position() -> None:
    assert calls("sort('a.txt', 2, reverse=True)") == [("sort", {"reverse": True}, ("a.txt", 2))]
    assert ParsedCall("f", {"k": 1}, ("x", "y")).placed == {"0": "x", "1": "y", "k": 1}


def test_a_tuple_is_a_list_unless_it_is_asked_for() -> None:
    assert calls("f(a=(1, (2,)))") == [("f", {"a": [1, [2]]}, ())]
    assert calls("f(a=(1, (2,)))", tuples=True) == [("f", {"a": (1, (2,))}, ())]


def test_a_sign_stands_before_a_number_only() -> None:
    assert calls("f(a=-5, b=+5, c=-0.5)") == [("f", {"a": -5, "b": 5, "c": -0.5}, ())]
    assert parse_calls("f(a=-True)").problem == "f.a: a calculation has no value here"
    assert parse_calls("f(a=--5)").problem == "f.a: a calculation has no value here"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no text"),
        ("The weather is fine.", "not a list of calls"),
        ("f(a=g(b=1))", "f.a: a call has no value"),
        ("f(a=b)", "f.a: the name b has no value"),
        ("f(a=TimeUnit.SECONDS)", "f.a: a name"),
        ("f(a=1 + 2)", "f.a: a calculation"),
        ("f(a=not True)", "f.a: a calculation"),
        ("f(a=1 < 2)", "f.a: a condition"),
        ("f(a=f'{x}')", "f.a: a text to be filled in"),
        ("f(a={1, 2})", "f.a: a set"),
        ("f(a={1: 2})", "f.a: a literal where a text is wanted as a key"),
        ("f(a={**b})", r"f.a: \*\* where a text"),
        ("f(a=b'x')", "f.a: a literal has no value"),
        ("f(a=1j)", "f.a: a literal has no value"),
        ("f(a=1e999)", "f.a: a number too large"),
        ("f(a=[x for x in y])", "f.a: an expression"),
        ("f(**k)", r"f: \*\* has no value"),
        ("f(*k)", r"f\[0\]: \* has no value"),
        ("f(a=1, a=2)", "f: a is sent twice"),
        ("f(from=1)", "not a list of calls"),
        ("[f()] + [g()]", "a calculation where a call is wanted"),
        ("[1]", "a literal where a call is wanted"),
        ("(lambda: 1)()", "an expression where the name of a tool is wanted"),
        ("f()()", "a call where the name of a tool is wanted"),
        ("f(a=1\0)", "not a list of calls"),
        ("f(a='\ud800')", "not a list of calls"),
        ("[" * 5000, "nested too deeply"),
        ("f(a=" + "-" * 5000 + "1)", "nested too deeply|calculation"),
        ("f(a=" + "1+" * 50_000 + "1)", "nested too deeply"),
        ("a" + ".b" * 50_000 + "()", "nested too deeply"),
        ("f(a=" + "9" * 5000 + ")", "not a list of calls"),
        ("f(a='" + "x" * 200_000 + "')", "at most 200,000"),
    ],
    ids=lambda x: x[:20],
)  # fmt: skip
def test_whatever_else_stands_there_is_one_named_problem(text: str, problem: str) -> None:
    found = parse_calls(text)
    assert found.calls == ()
    assert found.problem is not None
    assert re.search(problem, found.problem), found.problem


def test_half_a_character_becomes_the_replacement_mark() -> None:
    assert calls(r"f(a='\ud800x', b={'\udfff': 1})") == [("f", {"a": "\ufffdx", "b": {"\ufffd": 1}}, ())]


def test_nothing_is_run(tmp_path: Any) -> None:
    target = tmp_path / "made"
    parse_calls(f"f(a=open({str(target)!r}, 'w'))")
    parse_calls(f"open({str(target)!r}, 'w')")
    assert not target.exists()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["a", "bc", "d_1"]), VALUES))
def test_what_python_writes_is_read_back(arguments: dict[str, Any]) -> None:
    text = f"[t.f({', '.join(f'{k}={v!r}' for k, v in arguments.items())})]"
    assert calls(text) == [("t.f", arguments, ())]


@given(st.text() | st.text(alphabet="f(a=[]{}'\",:-1.) \n" + string.ascii_lowercase, max_size=60))
def test_no_text_raises(text: str) -> None:
    found = parse_calls(text)
    assert found.problem is None or found.calls == ()
