from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall import judging
from rootcall.case import Case
from rootcall.check import Check, Rule, call_place, emits, message_index
from rootcall.config import Config, ToolConfig
from rootcall.errors import ConfigError
from rootcall.judging import rule_functions, rules, verdict
from rootcall.trace import Trace

FLIGHT = {
    t["id"]: t
    for t in map(
        json.loads, (Path(__file__).parent.parent / "src/rootcall/data/flight.jsonl").read_text("utf-8").splitlines()
    )
}


def flight(name: str) -> Trace:
    t = FLIGHT[name]
    return Trace.from_openai(t["messages"], t["tools"], id=name, metadata=t["metadata"])


def test_the_flight_that_never_recovers() -> None:
    v = verdict(flight("flight"))
    assert v.status == "fail"
    r = v.root_cause
    assert r is not None
    assert (r.layer, r.rule, r.tool, r.argument) == (
        "arguments",
        "arguments/relative-date",
        "search_flights",
        "departure_date",
    )
    assert (r.argument_class, r.error_code, r.at) == (
        "date-relative",
        "400",
        "messages[1].calls[0].arguments.departure_date",
    )
    assert [f.rule for f in v.contributing] == ["recovery/error-unread", "recovery/retry-loop"]


def test_its_recovered_twin() -> None:
    v = verdict(flight("recovered"))
    assert v.status == "pass"
    assert v.layers["arguments"].first_try_score == 0
    assert len(v.recovered) == 1
    assert all(layer.status in ("pass", "n/a") for layer in v.layers.values())


def test_the_clean_run_the_greeting_and_the_misread_price() -> None:
    assert verdict(flight("clean")).status == "pass"
    assert verdict(flight("greeting")).status == "pass"
    misread = verdict(flight("misread"))
    assert misread.root_cause is not None
    assert (misread.root_cause.layer, misread.root_cause.tool) == ("utilization", "search_flights")
    assert "$281.50" in misread.root_cause.message
    assert "21850" in misread.root_cause.message


def test_a_case_by_name_and_exact_arguments() -> None:
    wanted = {"origin": "ICN", "destination": "NRT", "departure_date": "2026-12-04"}
    case = Case.from_dict({"id": "c", "expect": {"calls": [{"tool": "search_flights", "arguments": wanted}]}})
    assert verdict(flight("clean"), case).status == "pass"
    other = Case.from_dict(
        {"id": "c", "expect": {"calls": [{"tool": "search_flights", "arguments": {**wanted, "origin": "GMP"}}]}}
    )
    v = verdict(flight("clean"), other)
    assert v.root_cause is not None
    assert (v.case, v.root_cause.rule, v.root_cause.argument) == ("c", "arguments/value-mismatch", "origin")
    assert v.root_cause.message == 'expected "GMP", got "ICN"'


def test_rules_can_be_selected_ignored_and_set_per_tool() -> None:
    only = verdict(flight("flight"), config=Config(select=("recovery",)))
    assert only.root_cause is not None
    assert only.root_cause.layer == "recovery"
    assert only.layers["arguments"].status == "n/a"
    without = verdict(flight("flight"), config=Config(ignore=("arguments", "recovery/retry-loop")))
    assert [c.rule for c in without.checks if c.fails] == ["recovery/error-unread"]
    at_tool = Config(tools={"search_flights": ToolConfig(ignore=("arguments", "recovery"))})
    assert verdict(flight("flight"), config=at_tool).status == "pass"


def test_an_unknown_rule_in_a_configuration_is_one_clear_error() -> None:
    with pytest.raises(
        ConfigError,
        match=r"no rule or layer is called 'arguments/relativ-date'; did you mean 'arguments/relative-date'\?",
    ):
        verdict(flight("clean"), config=Config(ignore=("arguments/relativ-date",)))


def test_every_rule_that_is_named_documents_itself() -> None:
    known = rules()
    for t in FLIGHT:
        assert {c.rule for c in verdict(flight(t)).checks} <= set(known)
    for name, rule in known.items():
        assert rule.layer == name.partition("/")[0]
        assert all(len(text) > 4 for text in (rule.looks_at, rule.why, rule.fails, rule.passes)), name


def test_a_users_rule_is_a_rule_like_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    @emits(
        Rule(
            name="selection/too-chatty",
            looks_at="answers",
            why="because",
            fails="a long answer",
            passes="a short answer",
        )
    )
    def chatty(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
        yield Check(layer="selection", rule="selection/too-chatty", status="fail", unit="chat", at="messages[0]")

    monkeypatch.setattr(EntryPoint, "load", lambda self: chatty)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [EntryPoint("chatty", "my.rules:chatty", group)]
    )
    rule_functions.cache_clear()
    try:
        assert "selection/too-chatty" in rules()
        v = verdict(flight("greeting"))
        assert v.root_cause is not None
        assert v.root_cause.rule == "selection/too-chatty"
    finally:
        rule_functions.cache_clear()


def test_a_rule_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no.such.module:rule", "rootcall.rules")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [broken])
    rule_functions.cache_clear()
    try:
        with pytest.raises(ConfigError, match=r"rule 'broken' \(no\.such\.module:rule\) cannot be loaded"):
            judging.rules()
    finally:
        rule_functions.cache_clear()


def test_places_can_be_taken_apart() -> None:
    assert message_index("messages[3].calls[0].arguments.day") == 3
    assert call_place("messages[3].calls[0].arguments.day") == "messages[3].calls[0]"
    assert message_index("system") == -1
    assert call_place("messages[3]") is None


# ---- properties ------------------------------------------------------------------------------------------------

text = st.text(max_size=30) | st.sampled_from(
    ["$4.50", "next Friday", "Error: no", '{"status": 400, "message": "day"}', "10%", "[]", "{}", "2026-05-04"]
)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
call = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", None, 3]),
        "function": st.fixed_dictionaries(
            {"name": st.sampled_from(["get", "set_x", ""]), "arguments": json_value | json_value.map(json.dumps)}
        ),
    }
)
message = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "assistant"]), "content": text | json_value}),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": st.none() | text, "tool_calls": st.lists(call, max_size=3)}
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("tool"),
            "tool_call_id": st.sampled_from(["a", "b"]),
            "content": text | json_value.map(json.dumps),
        }
    ),
)
tools = st.none() | st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["get", "set_x"]), "parameters": json_value}), max_size=2
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(message | json_value, max_size=6), tools, st.none() | st.dictionaries(text, json_value, max_size=2))
def test_any_conversation_gets_a_verdict_and_stays_unchanged(messages: list[Any], specs: Any, metadata: Any) -> None:
    before = copy.deepcopy((messages, specs, metadata))
    v = verdict(Trace.from_openai(messages, specs, metadata=metadata))
    assert (messages, specs, metadata) == before
    assert all(layer.score is None or 0 <= layer.score <= 1 for layer in v.layers.values())
    json.dumps(v.to_dict())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["get", "set_x"]),
            st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 9), max_size=2),
        ),
        max_size=4,
    )
)
def test_gold_against_itself_is_one(calls: list[Any]) -> None:
    made = [{"id": f"c{i}", "function": {"name": t, "arguments": json.dumps(a)}} for i, (t, a) in enumerate(calls)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for c in made:
        messages += [
            {"role": "assistant", "tool_calls": [c]},
            {"role": "tool", "tool_call_id": c["id"], "content": '{"done": true}'},
        ]
    case = Case.from_dict({"expect": {"calls": [{"tool": t, "arguments": a} for t, a in calls], "order": "strict"}})
    v = verdict(Trace.from_openai([*messages, {"role": "assistant", "content": "Done."}]), case)
    assert v.layers["selection"].score == 1
    assert v.layers["arguments"].score in (1, None)
