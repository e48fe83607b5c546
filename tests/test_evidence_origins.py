"""Where a sent value came from: real runs first, then each kind of origin, then what holds for any value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.origins import Origin, argument_origins, origin, origins
from rootcall.evidence.parameters import parameter_at, parameters
from rootcall.readers import read
from rootcall.trace import Trace


def said(name: str, arguments: Any, call_id: str = "c") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


def result(content: Any, call_id: str = "c") -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def tool(name: str, properties: dict[str, Any], description: str = "") -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def of_last(
    messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None, **metadata: Any
) -> dict[str, str]:
    """The origins of the last call's arguments as they are shown."""
    trace = Trace.from_openai(messages, tools, metadata={"reference_time": "2026-11-30T09:00:00+09:00", **metadata})
    return {path: str(o) for path, o in argument_origins(trace, trace.calls[-1])}


def of_words(text: str, value: Any, name: str = "x", schema: dict[str, Any] | None = None) -> str:
    tools = [tool("act", {name: schema or {}})]
    return of_last([user(text), said("act", {name: value})], tools)[name]


# ---- real runs -----------------------------------------------------------------------------------------------------


def test_a_booking_is_traced_back_to_what_it_was_made_of(bundled: Path) -> None:
    traces = list(read(bundled / "tau-airline.jsonl.gz", "auto", bundled / "tau-airline-tools.json"))
    run = next(t for t in traces if t.id == "0-0")
    booking = next(c for c in run.calls if c.tool == "book_reservation")
    found = dict(argument_origins(run, booking))
    assert str(found["user_id"]) == "user, messages[3]"
    assert found["flights[0].date"] == Origin("computed", "messages[1]", 'date of "May 20th"')
    assert found["flights[0].flight_number"].kind == "user"
    assert found["passengers[0].dob"].at == "messages[6].calls[0].result.dob"
    assert str(found["passengers[0].dob"]) == "get_user_details result .dob, messages[6]"
    assert (
        found["payment_methods[0].payment_id"].at
        == "messages[6].calls[0].result.payment_methods.certificate_7504069.id"
    )


def test_nearly_every_value_of_real_runs_has_an_origin(bundled: Path) -> None:
    traces = read(bundled / "tau-airline.jsonl.gz", "auto", bundled / "tau-airline-tools.json")
    kinds = [o.kind for t in traces for c in t.calls for _, o in argument_origins(t, c)]
    assert len(kinds) > 200
    assert kinds.count("nowhere") <= 0.02 * len(kinds)


# ---- each kind -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("order FW-511361 please", "FW-511361", "user, messages[0]"),
        ("fly from icn", "ICN", "user, messages[0] (other case)"),
        ("order fw 511361", "FW-511361", "user, messages[0] (other spelling)"),
        ("제주에 두 명 호텔", "제주", "user, messages[0]"),
        ("a table for two", 2, "user, messages[0] (in words)"),
        ("zwei Karten bitte", 2, "user, messages[0] (in words)"),
        ("transfer 1.234,50 € heute noch", 1234.5, "user, messages[0] (other format)"),
        ("buy 12 of them", 12, "user, messages[0]"),
        ("order 120 of them", 12, "nowhere"),
        ("version 3.12 of it", 12, "nowhere"),
    ],
)
def test_what_the_user_said_in_any_writing(text: str, value: Any, shown: str) -> None:
    assert of_words(text, value) == shown


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("leave next Friday", "2026-12-04", 'computed: date of "next Friday", messages[0]'),
        ("on May 20", "2026-05-20T00:00", 'computed: date of "May 20", messages[0]'),
        ("am 3. Oktober 2026", "2026-10-03", 'computed: date of "3. Oktober 2026", messages[0]'),
        ("내일 출발", "2026-12-01", 'computed: date of "내일", messages[0]'),
        ("at 2 pm", "14:00", "computed: the time of day in 24 hours, messages[0]"),
        ("what is on?", "2026-11-30", "computed: today, the reference time"),
    ],
)
def test_days_are_traced_to_the_words_that_mean_them(text: str, value: str, shown: str) -> None:
    assert of_words(text, value, "date", {"type": "string", "format": "date"}) == shown


def test_an_amount_is_traced_through_its_unit() -> None:
    assert of_words("refund $64.00", 6400, "amount_cents", {"type": "integer"}) == (
        'computed: "$64.00" in cents, messages[0]'
    )


def test_results_are_named_by_their_path_and_the_field_of_the_same_name_goes_first() -> None:
    messages = [
        user("the first one"),
        said("search", {}),
        result({"flights": [{"near": "F-100200", "id": "F-100200", "price": 64.5}]}),
        said("book", {"id": "F-100200", "price": 64.5}),
    ]
    assert of_last(messages) == {
        "id": "search result .flights[0].id, messages[1]",
        "price": "search result .flights[0].price, messages[1]",
    }


def test_keys_of_objects_are_places_too() -> None:
    messages = [user("go"), said("read", {}), result({"cards": {"card_42": {"brand": "x"}}}), said("pay", {"card_id": "card_42"})]  # fmt: skip
    assert of_last(messages) == {"card_id": "read result .cards.card_42, messages[1]"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (129.0, "computed: 64.5 x 2, messages[1].calls[0].result.flights[0].price"),
        (94.5, "computed: sum of 2 x flights[].price, messages[1].calls[0].result"),
        (34.5, "computed: 64.5 - 30, messages[1].calls[0].result.flights[0].price"),
        (31.37, "nowhere"),
    ],
)
def test_arithmetic_is_written_out(value: float, shown: str) -> None:
    messages = [
        user("for 2 people"),
        said("search", {}),
        result({"flights": [{"price": 64.5}, {"price": 30}]}),
        said("pay", {"total": value}),
    ]
    assert of_last(messages) == {"total": shown}


def test_days_are_counted_from_a_day_that_stands_there() -> None:
    messages = [
        user("move it one day later"),
        said("read", {"x": "?"}),
        result({"day": "2026-12-18"}),
        said("search", {"date": "2026-12-19"}),
    ]
    assert of_last(messages) == {"date": "computed: 2026-12-18 + 1 day, messages[0]"}


def test_an_echo_is_no_origin_and_the_model_s_own_words_are_named() -> None:
    messages = [
        user("my order"),
        said("get", {"order_id": "Z-99912"}, "1"),
        result("order Z-99912 not found", "1"),
        said("get", {"order_id": "Z-99912"}, "2"),
    ]
    assert of_last(messages) == {"order_id": "nowhere (first sent by the model, messages[1].calls[0])"}


def test_schema_tool_text_system_and_choices() -> None:
    properties = {
        "page": {"type": "integer", "default": 25},
        "sort": {"type": "string", "enum": ["price", "time", "stops"]},
        "all": {"type": "boolean"},
        "desk": {"type": "string"},
        "who": {"type": "string", "description": "An agent, such as agent_smith"},
        "origin_airport": {"type": "string"},
        "idempotency_key": {"type": "string"},
        "note": {"type": "string"},
        "clear": {"type": ["string", "null"]},
        "unknown_id": {"type": "string"},
    }
    sent = {
        "page": 25, "sort": "stops", "all": True, "desk": "DESK-9", "who": "agent_smith", "origin_airport": "ICN",
        "idempotency_key": "9f-1", "note": "Kind regards from us", "clear": None, "unknown_id": "U-4711",
    }  # fmt: skip
    messages = [{"role": "system", "content": "You are DESK-9."}, user("hello"), said("act", sent)]
    assert of_last(messages, [tool("act", properties)]) == {
        "page": "schema default",
        "sort": "choice (one of 3 in the schema)",
        "all": "choice (true or false)",
        "desk": "system, messages[0]",
        "who": "tool text of act",
        "origin_airport": "a code anybody knows",
        "idempotency_key": "the caller's choice",
        "note": "the model's own words",
        "clear": "choice (null)",
        "unknown_id": "nowhere",
    }


def test_several_places_come_the_nearest_first() -> None:
    trace = Trace.from_openai(
        [user("order A-100"), {"role": "assistant", "content": "?"}, user("yes, A-100"), said("get", {"id": "A-100"})]
    )
    found = origins(trace, trace.calls[0], parameter_at({}, "id", None, "id"), "A-100")
    assert [o.at for o in found] == ["messages[2]", "messages[0]"]


def test_an_identifier_is_not_made_of_words() -> None:
    assert of_words("my credit card ending in 7334", "credit_card_7334", "payment_id", {"type": "string"}) == "nowhere"
    assert of_words("PR 12 in acme/web", "acme/web#12", "ref", {"type": "string"}).startswith(
        "computed: from its words"
    )


# ---- any value -----------------------------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(values, st.text(max_size=60), values)
def test_any_value_has_an_origin_that_can_be_shown(value: Any, text: str, returned: Any) -> None:
    trace = Trace.from_openai(
        [user(text), said("a", {"x": 1}), result(json.dumps(returned)), said("b", {"v": value})],
        [tool("b", {"v": {"default": 3, "enum": [1, "a"]}})],
    )
    call = trace.calls[-1]
    p = parameter_at(parameters(trace.tool("b")), "v", trace.tool("b"), "v")
    assert str(origin(trace, call, p, value))
    for _, found in argument_origins(trace, call):
        assert str(found)


@given(st.from_regex(r"[A-Z]{2}-[0-9]{5}", fullmatch=True), st.text(alphabet="abc ", max_size=20))
def test_what_the_user_wrote_is_the_users(value: str, around: str) -> None:
    assert of_words(f"{around} {value} {around}", value).startswith("user, messages[0]")
