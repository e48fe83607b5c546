from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.config import DateConventions
from rootcall.jsonvalue import MISSING
from rootcall.matching import Context, _assignable, compare, describe
from rootcall.trace import Trace


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
        # bounds are inclusive as equality is, and integers are exact at any size
        ({"$range": [0, 0.3]}, 0.1 + 0.2, 0.3001),
        ({"$range": [0.1 + 0.2, None]}, 0.3, 0.2999),
        ({"$approx": [0.3, 0.0]}, 0.1 + 0.2, 0.3001),
        ({"$approx": [10**400, 0.0]}, 10**400, 10**400 + 1),
        ({"$approx": [10**400, 0.1]}, 10**400 + 10**398, 1.5),
        ({"$approx": [1, 0.5]}, 1.5, 10**400),
        ({"$range": [2**53, None]}, 2**53, 2**53 - 1),
        ({"$range": [None, 10**400]}, 10**400, 10**400 + 1),
        ({"$approx": [1, 0.5]}, 1, float("inf")),
        # a pattern sees text as equality does, and `$` is the very end
        ({"$regex": "^caf\u00e9$"}, "cafe\u0301", "cafe"),
        ({"$regex": "^cafe\u0301$"}, "caf\u00e9", "cafe"),
        ({"$regex": "^A-[0-9]+$"}, "A-12", "A-12\n"),
        ({"$regex": r"^\p{L}+$"}, "여행", "12"),
        ({"$regex": "^(a+)+$"}, "a" * 40, "a" * 40 + "!"),
        ({"$regex": "(?i)^(?!b)a(?=c)"}, "AC", "Ab"),
        ({"$regex": "a"}, "\ud800a", "\ud800b"),
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


def test_members_of_a_long_list_are_assigned_one_to_one() -> None:
    """The last member finds its place only when all the others move by one."""
    n = 3000
    table = [["mismatch"] * n for _ in range(n)]
    for i in range(n):
        table[i][i] = "match"
        table[i][max(i - 1, 0)] = "match"
    table[0][0], table[0][n - 1] = "mismatch", "match"
    assert _assignable(table, ("match",))
    table[0][n - 1] = "mismatch"
    assert not _assignable(table, ("match",))


def test_a_pattern_that_takes_too_long_is_undecided() -> None:
    found = compare({"$regex": r"^(a|a)*b\1$"}, "a" * 40 + "!")
    assert found.result == "undecided"
    assert "the pattern takes too long" in found.reason


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


# ---- what lies outside the value: the reference time, and earlier results


def spoken(*, reference: str | None = "2026-11-30T09:00:00+09:00", quote: Any = None) -> Context:
    """A trace in which `find` came back before `book` was called."""
    quote = (
        {"slots": [{"day": "2026-12-04", "price": 100.0}], "odd key": [7], "name": "Straße"} if quote is None else quote
    )
    messages: list[dict[str, Any]] = [{"role": "user", "content": "book it"}]
    for tool, content in (("find", json.dumps(quote)), ("find", "[]"), ("book", '"done"'), ("find", '{"late": 1}')):
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": tool, "function": {"name": tool, "arguments": "{}"}}]}
        )
        messages.append({"role": "tool", "tool_call_id": tool, "content": content})
    trace = Trace.from_openai(messages, metadata={"reference_time": reference} if reference else None)
    return Context(trace, next(c for c in trace.calls if c.tool == "book"))


@pytest.mark.parametrize(
    ("expected", "yes", "no"),
    [
        # The fourth and the eleventh are both "next Friday", by two conventions; a third day is not.
        ({"$date": "next friday"}, "2026-12-04", "2026-12-05"),
        ({"$date": "next friday"}, "2026-12-11", "next friday"),
        ({"$date": "next friday"}, "Dec 4, 2026", "Dec 6, 2026"),
        ({"$date": "2026-12-04"}, "2026-12-04T18:00:00+09:00", "2026-12-03"),
        ({"$date": "내일"}, "2026-12-01", "2026-11-30"),
        ({"$date": "tomorrow"}, "2026-12-01", 20261201),
        ({"$date": {"$from": "find[0].slots[0].day"}}, "4 December 2026", "5 December 2026"),
        ({"$instant": "2026-12-04T09:00:00+09:00"}, "2026-12-04T00:00:00Z", "2026-12-04T09:00:00Z"),
        ({"$instant": "2026-12-04T00:00:00Z"}, "2026-12-04T09:00:00", "2026-12-04T00:00:00"),
        ({"$instant": "2026-12-04T00:00:00Z"}, 1796342400, 1796342401),
        ({"$instant": "2026-12-04T00:00:00Z"}, 1796342400000, "noon"),
        ({"$instant": "tomorrow at 3pm"}, "2026-12-01T15:00:00+09:00", "2026-12-01T15:00:00Z"),
        ({"$from": "find[0].slots[0].price"}, 100, "100"),
        ({"$from": 'find[0]["odd key"][0]'}, 7.0, 8),
        ({"$from": "find[1]"}, [], {}),
        ({"$approx": [{"$from": "find[0].slots[0].price"}, 0.05]}, 104, 106),
        ({"$range": [{"$from": "find[0].slots[0].price"}, None]}, 100, 99),
        ({"$casefold": {"$from": "find[0].name"}}, "STRASSE", "GASSE"),
        ({"$contains": {"$from": "find[0].name"}}, "Lange Straße 1", "Lange Gasse 1"),
        ({"$unordered": [{"$from": "find[0].slots[0].price"}, {"$date": "tomorrow"}]}, ["2026-12-01", 100], [100, 100]),
        ({"$not": {"$from": "find[0].slots[0].price"}}, 99, 100),
        ({"a": [{"$from": "find[0].slots[0].price"}]}, {"a": [100]}, {"a": [101]}),
    ],
)
def test_meets_and_does_not_in_its_conversation(expected: Any, yes: Any, no: Any) -> None:
    assert compare(expected, yes, spoken()).result == "match"
    assert compare(expected, no, spoken()).result == "mismatch"


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        ({"$date": "soonish"}, "2026-12-04", "cannot be read as a day"),
        ({"$instant": "soonish"}, "2026-12-04", "cannot be read as a moment"),
        ({"$date": "2026-03-04"}, "03/04/2026", "may be several days"),
        ({"$from": "find[2].late"}, 1, "there is no find[2].late"),
        ({"$from": "find[0].slots[4]"}, 1, "there is no find[0].slots[4]"),
        ({"$from": "find[0].slots.price"}, 1, "there is no find[0].slots.price"),
        ({"$approx": [{"$from": "find[9].x"}, 0.1]}, 1, "no earlier result that $approx speaks of"),
        ({"$contains": {"$from": "find[9].x"}}, "x", "no earlier result that $contains speaks of"),
        ({"$judge": "the user's home?"}, "Bonn", "only a judge can tell: the user's home?"),
        ({"$unordered": [1, {"$judge": "the other one?"}]}, [5, 1], "a member is not decided"),
        ({"a": {"b": {"$judge": "x?"}}}, {"a": {"b": 1}}, "a: b: only a judge"),
    ],
)
def test_what_the_trace_does_not_hold_is_undecided_and_says_why(expected: Any, got: Any, said: str) -> None:
    found = compare(expected, got, spoken())
    assert found.result == "undecided"
    assert said in found.reason


def test_a_relative_day_needs_a_reference_time() -> None:
    assert compare({"$date": "tomorrow"}, "2026-12-01", spoken(reference=None)).result == "undecided"
    assert compare({"$date": "2026-12-01"}, "2026-12-01").result == "match"


def test_moments_without_any_offset_are_compared_as_they_stand() -> None:
    home = spoken(reference=None)
    assert compare({"$instant": "2026-12-04T09:00:00"}, "2026-12-04T09:00:00", home).result == "match"
    assert compare({"$instant": "2026-12-04T09:00:00Z"}, "2026-12-04T09:00:00", home).result == "undecided"


def test_a_mismatch_decides_over_an_undecided_member() -> None:
    assert compare({"a": {"$judge": "x?"}, "b": 1}, {"a": 1, "b": 2}).result == "mismatch"
    assert compare({"$unordered": [1, {"$judge": "x?"}]}, [2, 3]).result == "mismatch"


def test_reasons_name_what_the_schema_wants() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "l": {"type": "array", "items": {"type": "boolean"}}, "u": {"type": ["integer", "null"]}},
    }  # fmt: skip
    assert (
        compare(2, "2", None, {"type": "integer"}).reason
        == 'expected 2, got "2": text where the schema wants an integer'
    )
    assert (
        compare({"n": 2}, {"n": "2"}, None, schema).reason
        == 'n: expected 2, got "2": text where the schema wants an integer'
    )
    assert (
        compare({"l": [True]}, {"l": [1]}, None, schema).reason
        == "l[0]: expected true, got 1: a number where the schema wants a boolean"
    )
    assert (
        compare({"n": {"$one_of": [2]}, "l": [1]}, {"n": 2, "l": [2]}, None, schema).reason == "l[0]: expected 1, got 2"
    )
    assert compare({"a": {"b": [{"$any": True}, 1]}}, {"a": {"b": [0, 2]}}).reason == "a.b[1]: expected 1, got 2"
    assert "text where a number is wanted" in compare({"u": 2}, {"u": "2"}, None, schema).reason


def test_the_declared_convention_decides_a_day_in_words() -> None:
    context = spoken()
    nearest = context._replace(conventions=DateConventions(next="nearest"))
    assert compare({"$date": "next friday"}, "2026-12-11", context).result == "match"
    assert compare({"$date": "next friday"}, "2026-12-11", nearest).result == "mismatch"
    assert compare({"$date": "next friday"}, "2026-12-04", nearest).result == "match"
    american = context._replace(conventions=DateConventions(order="mdy"))
    assert compare({"$date": "2026-03-04"}, "03/04/2026", american).result == "match"
    assert compare({"$date": "domani"}, "2026-12-01", context).result == "match"
    assert compare({"$instant": "next friday 9am"}, "2026-12-11T09:00:00+09:00", nearest).result == "mismatch"
