"""Where a value could have come from, what a tool says of its arguments, and the class of an argument."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.argument_class import argument_class
from rootcall.evidence.parameters import parameters
from rootcall.evidence.provenance import complete_before, in_text, upstream, user_texts
from rootcall.evidence.units import unit_of
from rootcall.evidence.values import amounts
from rootcall.evidence.words import key_words
from rootcall.trace import Tool, Trace


def call(name: str, arguments: Any, call_id: str = "c") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def said(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(content: Any, call_id: str = "c") -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": content if isinstance(content, str | None) else json.dumps(content),
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("FW-123", "my order fw-123."),
        ("FW-123", "order FW 123, please"),
        ("fw123", "order FW-123"),
        ("FW-123456", "order 123456"),
        ("123456", "order FW-123456"),
        ("TCK-0042", "ticket 42"),
        ("M1ZS6D", "주문 M1ZS6D입니다"),
        ("a@b.example", "write to A@B.example!"),
        ("#", "the sign #"),
    ],
)
def test_an_identifier_is_found_in_any_usual_spelling(value: str, text: str) -> None:
    assert in_text(value, text.casefold())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("FW-123", "order FW-1234"),
        ("123", "order 91234"),
        ("ev_42", "ev_42cd5a"),
        ("AC-1", "order XAC-1"),
        ("FW-366698", "order FW-511361"),
        ("", "anything"),
        ("x" * 90, "anything"),
    ],
)
def test_a_part_of_a_longer_identifier_is_not_the_value(value: str, text: str) -> None:
    assert not in_text(value, text.casefold())


def conversation() -> Trace:
    tools = [
        {
            "type": "function",
            "function": {
                "name": "get",
                "description": "Reads one. Special value ROOT-1.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "enum": ["ENUM-7"], "default": 12345},
                        "who": {"type": "string"},
                    },
                },
            },
        }
    ]
    return Trace.from_openai(
        [
            {"role": "system", "content": "The desk is DESK-9."},
            {"role": "user", "content": "order A-100"},
            said(call("get", {"id": "A-100"}, "c1"), call("get", {"id": "P-200"}, "c2")),
            result({"id": "A-100", "parcel": "P-200"}, "c1"),
            result({"id": "P-200"}, "c2"),
            {"role": "assistant", "content": "Your code is Q-300."},
            {"role": "user", "content": "go on"},
            said(call("get", {"id": "P-200"}, "c3")),
            result("{}", "c3"),
        ],
        tools,
    )


def test_upstream_is_what_stood_before_the_call() -> None:
    trace = conversation()
    known = upstream(trace)
    first, parallel, later = trace.calls
    assert known.has("A-100", first)
    assert known.has("DESK-9", first)
    assert not known.has("P-200", parallel), "a parallel result is not known yet"
    assert known.has("P-200", later), "an earlier result is"
    assert not known.has("Q-300", later), "the assistant's own text is no source"
    assert known.has("ROOT-1", first)
    assert known.has("ENUM-7", first)
    assert known.has("12345", first)
    assert not known.has("string", first), "the vocabulary of JSON Schema is no value"
    assert known.has_literal("enum-7", first)
    assert not known.has_literal("desk-9", first)


def test_an_echo_is_no_source() -> None:
    trace = Trace.from_openai(
        [
            {"role": "user", "content": "my order please"},
            said(call("get", {"id": "Z-999"}, "c1")),
            result("order Z-999 not found", "c1"),
            said(call("get", {"id": "Z-999"}, "c2")),
            result("order Z-999 not found", "c2"),
        ]
    )
    assert not upstream(trace).has("Z-999", trace.calls[1])


def test_what_was_not_captured_is_said() -> None:
    whole = conversation()
    assert complete_before(whole, whole.calls[2]) is None
    blank = Trace.from_openai([{"role": "user"}, said(call("get", {"id": "1"}))])
    assert "conversation" in (complete_before(blank, blank.calls[0]) or "")
    lost = Trace.from_openai([{"role": "user", "content": "x"}, said(call("get", {}, "a")), said(call("get", {}, "b"))])
    assert "not captured" in (complete_before(lost, lost.calls[1]) or "")
    cut = Trace.from_openai(
        [
            {"role": "user", "content": "x"},
            said(call("get", {}, "a")),
            result('{"a": [1, 2', "a"),
            said(call("get", {}, "b")),
        ]
    )
    assert complete_before(cut, cut.calls[1])


def test_user_texts_are_split_by_turn() -> None:
    trace = conversation()
    assert user_texts(trace, trace.calls[0]) == (("order A-100",), ())
    assert user_texts(trace, trace.calls[2]) == (("go on",), ("order A-100",))


def table(properties: dict[str, Any], name: str = "act", description: str = "") -> dict[str, Any]:
    return dict(parameters(Tool(name, description, {"type": "object", "properties": properties})))


def test_names_are_split_into_words() -> None:
    assert key_words("departureDate") == ("departure", "date")
    assert key_words("API_key2") == ("api", "key", "2")


@pytest.mark.parametrize(
    ("name", "schema", "wanted"),
    [
        ("order_id", {"type": "string"}, "strong"),
        ("orderId", {"type": "integer"}, "strong"),
        ("record_locator", {"type": "string"}, "strong"),
        ("locker", {"type": "string", "description": "Locker code"}, "strong"),
        ("kunde", {"type": "string", "description": "Kundennummer"}, "strong"),
        ("target", {"type": "string", "description": "계좌 번호"}, "strong"),
        ("email", {"type": "string"}, "weak"),
        ("flight_number", {"type": "string"}, "strong"),
        ("number_of_guests", {"type": "integer", "description": "Number of guests"}, ""),
        ("currency_code", {"type": "string"}, ""),
        ("origin", {"type": "string", "description": "IATA code"}, ""),
        ("zip", {"type": "string"}, ""),
        ("query", {"type": "string", "description": "Order id or words"}, ""),
        ("callback", {"type": "string", "description": "The function to process the transaction ID"}, ""),
        ("status_id", {"type": "string", "enum": ["a"]}, ""),
        ("code", {"type": "string", "description": "Python code to run"}, ""),
        ("has_id", {"type": "boolean"}, ""),
    ],
)
def test_identifiers_are_known_by_name_and_words(name: str, schema: dict[str, Any], wanted: str) -> None:
    assert table({name: schema})[name].identifier == wanted


def test_identifiers_the_caller_chooses() -> None:
    assert table({"key": {"type": "string", "description": "Key chosen by the caller"}})["key"].caller_chosen
    assert table({"idempotency_key": {"type": "string"}})["idempotency_key"].caller_chosen
    assert table({"alert_id": {"type": "string"}}, "create_alert")["alert_id"].caller_chosen
    assert not table({"station_id": {"type": "string"}}, "create_alert")["station_id"].caller_chosen
    assert not table({"email": {"type": "string"}}, "create_alert")["email"].caller_chosen


@pytest.mark.parametrize(
    ("name", "schema", "about", "wanted"),
    [
        ("x", {"type": "string", "format": "date"}, "", ("date", "schema")),
        ("x", {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "", ("date", "schema")),
        ("day", {"type": "string", "description": "YYYY-MM-DD"}, "", ("date", "words")),
        ("at", {"type": "string", "description": "ISO 8601 date-time"}, "", ("date-time", "words")),
        ("start_date", {"type": "string"}, "Dates are ISO 8601.", ("date", "words")),
        ("due_date", {"type": "string"}, "", ("date", "name")),
        ("start_time", {"type": "string"}, "", ("time", "name")),
        ("when", {"type": "string", "description": "Date of arrival"}, "", ("date", "name")),
        ("day", {"type": "string", "description": "Day of the week"}, "", ("", "")),
        ("day", {"type": "integer"}, "", ("", "")),
        ("length", {"type": "string", "description": "ISO 8601 duration"}, "", ("", "")),
    ],
)
def test_dates_are_known_by_schema_words_or_name(name: str, schema: Any, about: str, wanted: tuple[str, str]) -> None:
    p = table({name: schema}, description=about)[name]
    assert (p.day, p.day_by) == wanted


def test_nested_places_and_lists_are_known() -> None:
    found = table(
        {
            "ids": {"type": "array", "items": {"type": "string"}, "description": "Contact ids"},
            "legs": {
                "type": "array",
                "items": {"type": "object", "properties": {"date": {"type": "string", "format": "date"}}},
            },
        }
    )
    assert found["ids[]"].identifier == "strong"
    assert found["legs[].date"].day == "date"
    assert parameters(None) == {}
    assert parameters(Tool("x", "", {"a": {1}})) == {}
    assert parameters(Tool("x", "", 5)) == {}


@pytest.mark.parametrize(
    ("name", "schema", "wanted"),
    [
        ("amount_cents", {"type": "integer"}, "cents"),
        ("amount", {"type": "integer", "description": "Value in cents"}, "cents"),
        ("amount", {"type": "number", "description": "In the smallest currency unit"}, "cents"),
        ("window_minutes", {"type": "integer"}, "minutes"),
        ("duration_min", {"type": "integer"}, "minutes"),
        ("min_price", {"type": "integer"}, None),
        ("weight_kg", {"type": "number"}, "kilograms"),
        ("note", {"type": "string", "description": "in minutes"}, None),
        ("limit", {"type": "integer", "description": "x" * 200}, None),
        ("wait", {"type": "integer", "description": "minutes or hours"}, None),
    ],
)
def test_units_are_known_by_name_or_words(name: str, schema: Any, wanted: str | None) -> None:
    unit = unit_of(table({name: schema})[name])
    assert (unit.name if unit else None) == wanted


def test_amounts_in_text() -> None:
    found = {
        a.text: (sorted(a.readings), a.unit.name)
        for a in amounts("$8,400 and 45,00 €, 3 hours, half an hour, 35 %, $8.4k, 1.250,50 euros, 1,250,000 dollars")
        if a.unit is not None
    }
    assert found["$8,400"] == ([8.4, 8400.0], "USD")
    assert found["45,00 €"] == ([45.0], "EUR")
    assert found["3 hours"] == ([3.0], "hours")
    assert found["half an hour"] == ([0.5], "hours")
    assert found["35 %"] == ([35.0], "percent")
    assert found["$8.4k"] == ([8400.0], "USD")
    assert found["1.250,50 euros"] == ([1250.5], "EUR")
    assert found["1,250,000 dollars"] == ([1250000.0], "USD")


def classed(name: str, schema: Any, *, user: str = "please", value: Any = "x", description: str = "") -> str:
    tools = [
        {
            "name": "act",
            "description": description,
            "parameters": {"type": "object", "properties": {name: schema} if schema is not None else {}},
        }
    ]
    trace = Trace.from_openai([{"role": "user", "content": user}, said(call("act", {name: value}))], tools)
    return argument_class(trace, trace.calls[0], name)


@pytest.mark.parametrize(
    ("name", "schema", "wanted"),
    [
        ("cabin", {"type": "string", "enum": ["a"]}, "enum"),
        ("start_time", {"type": "string"}, "time"),
        ("tags", {"type": "array"}, "list"),
        ("where", {"type": "object"}, "object"),
        ("notify", {"type": "boolean"}, "boolean"),
        ("order_id", {"type": "string"}, "id-from-user"),
        ("offer_id", {"type": "string", "description": "Offer id from a search"}, "id-from-result"),
        ("amount_cents", {"type": "integer"}, "money"),
        ("window_minutes", {"type": "integer"}, "quantity"),
        ("guests", {"type": "integer"}, "quantity"),
        ("threshold", {"type": "number"}, "number"),
        ("city", {"type": "string"}, "name"),
        ("body", {"type": "string"}, "text"),
    ],
)
def test_each_argument_has_a_class(name: str, schema: Any, wanted: str) -> None:
    assert classed(name, schema) == wanted


def test_the_class_of_a_date_follows_the_users_words() -> None:
    schema = {"type": "string", "format": "date"}
    assert classed("day", schema, user="next Friday") == "date-relative"
    assert classed("day", schema, user="on 3 October") == "date-absolute"
    assert classed("day", schema, user="soon, at Christmas") == "date-absolute"


def test_the_class_does_not_depend_on_the_value_sent() -> None:
    schema = {"type": "string", "format": "date"}
    assert {classed("day", schema, user="next Friday", value=v) for v in ("next Friday", "2026-12-04", 5, None)} == {
        "date-relative"
    }


def test_without_a_schema_the_name_decides_and_never_the_value() -> None:
    wanted = {"x": "text", "refund_amount": "money", "guests": "quantity", "city": "name", "order_id": "id-from-user"}
    for name, kind in wanted.items():
        assert {classed(name, None, value=v) for v in (1, [1], {}, True, None, "t")} == {kind}


def test_an_error_that_names_the_argument_does_not_change_the_class_of_the_retry() -> None:
    refused = {"error": {"code": 404, "message": "no such order"}, "order_id": "A-1"}
    trace = Trace.from_openai(
        [
            {"role": "user", "content": "where is my order A-12?"},
            said(call("track", {"order_id": "A-1"}, "a")),
            result(refused, "a"),
            said(call("track", {"order_id": "A-12"}, "b")),
        ],
        [{"name": "track", "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}}}],
    )
    assert [argument_class(trace, c, "order_id") for c in trace.calls] == ["id-from-user", "id-from-user"]


def test_an_identifier_that_results_hold_is_wanted_from_them_unless_the_user_gave_it() -> None:
    def after(user: str) -> str:
        trace = Trace.from_openai(
            [
                {"role": "user", "content": user},
                said(call("find", {"q": "x"}, "a")),
                result({"items": [{"parcel_id": "PK-88213", "n": 1}]}, "a"),
                said(call("track", {"parcel_id": "PK-88213"}, "b")),
            ]
        )
        return argument_class(trace, trace.calls[1], "parcel_id")

    assert after("where is it?") == "id-from-result"
    assert after("where is PK-88213?") == "id-from-user"


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_value_can_be_looked_for(value: str, text: str) -> None:
    in_text(value, text.casefold())
    amounts(text)
    key_words(text)


@given(st.from_regex(r"[A-Z]{2}-[0-9]{5}", fullmatch=True), st.text(max_size=20))
def test_a_value_that_stands_alone_is_always_found(value: str, around: str) -> None:
    assert in_text(value, f"{around} {value} {around}".casefold())
