"""Whatever stands in a policy file gives a policy or named faults, and a policy that was let through judges any trace."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import rootcall
from rootcall.config import Config
from rootcall.errors import PolicyError
from rootcall.policy import load_policy, place_named
from rootcall.policyfile import AMOUNTS, RELATIONS, read_policy
from rootcall.trace import Trace

SLOW = settings(max_examples=200, deadline=None)
WORDS = st.sampled_from(
    ["tool", "when", "requires", "confirm", "at_most", "never_with", "per", "bound", "grade", "says", "results", "rules", "of", "same",
     "sent", "any", "search", "day", "day[*].x", "search.found", "r", "$regex", "$not", "$one_of", *RELATIONS, *AMOUNTS]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=15,
)
PATHS = st.sampled_from(
    ["day", "day[*]", "day[0].x", "r", "search.found", "search[*].r[*]", "search[0]", "search[x=1].y", "nothing[*].z"]
)
AMOUNT = st.recursive(
    st.integers(-2, 3) | st.floats(allow_nan=False, allow_infinity=False) | PATHS,
    lambda inner: st.one_of(
        st.builds(lambda k, p: {k: p}, st.sampled_from(["count", "sum"]), PATHS),
        st.builds(
            lambda k, a, b: {k: [a, b]}, st.sampled_from(["plus", "minus", "times", "larger", "smaller"]), inner, inner
        ),
        st.builds(lambda p, a: {"pick": p, "of": {"2": a, "a": a}}, PATHS, inner),
    ),
    max_leaves=6,
)
TEST = st.one_of(
    st.integers(0, 3) | st.text(max_size=2) | st.none() | st.booleans(),
    st.builds(lambda k, a: {k: a}, st.sampled_from(["at_least", "at_most", "same_as"]), AMOUNT),
    st.builds(lambda a: {"count": True, "at_most": a}, AMOUNT),
    st.builds(lambda a: {"count": {"$regex": "b"}, "at_least": a}, AMOUNT),
    st.builds(lambda k, p: {k: p}, st.sampled_from(["in", "not_in", "after", "before"]), PATHS),
    st.builds(lambda v: {"in": [v, {"$not": v}]}, st.integers(0, 3)),
)
CONDITION = st.dictionaries(PATHS, TEST, min_size=1, max_size=2)
CONDITION |= st.builds(lambda a, b: {"any": [a, b]}, CONDITION, CONDITION)
RULES = st.fixed_dictionaries(
    {"tool": st.just("search"), "bound": CONDITION, "at_most": st.integers(0, 2)},
    optional={
        "when": CONDITION,
        "requires": WORDS.filter(lambda w: w != "search"),
        "per": WORDS,
        "confirm": st.sampled_from([True, "request"]),
    },
)


@SLOW
@given(VALUES)
def test_any_value_gives_a_policy_or_faults(value: Any) -> None:
    policy, faults = read_policy(value)
    assert faults or all(rule.tools for rule in policy.rules)


@SLOW
@given(st.lists(RULES, max_size=3))
def test_a_policy_that_was_let_through_judges(rules: list[Any]) -> None:
    policy, faults = read_policy(rules)
    assert faults == []
    call = {"id": "1", "function": {"name": "search", "arguments": '{"day": [{"x": 1}, "b"], "r": 2}'}}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Search."}]
    messages += [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"found": 3, "r": ["a"]}'},
    ] * 2
    rootcall.verdict(Trace.from_openai(messages), config=Config(policy=policy))


@SLOW
@given(st.binary(max_size=60))
def test_any_bytes_give_a_policy_or_an_error_of_ours(tmp_path_factory: Any, content: bytes) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "p.yaml"
    path.write_bytes(content)
    with suppress(PolicyError):
        load_policy(path)


@given(st.text(max_size=12))
def test_any_text_is_a_path_or_none(text: str) -> None:
    place = place_named(text)
    assert place is None or text.startswith(place.root)
