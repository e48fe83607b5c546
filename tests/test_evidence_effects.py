"""What a tool does, told from hints, name and description."""

import json
from typing import Any

import pytest

from rootcall.evidence.effects import (
    creates_each_time,
    destructive,
    effect,
    hands_over,
    idempotency_key,
    idempotent,
    is_pending,
    is_poll,
    name_words,
    read_only,
    result_key,
    says_each_time,
)
from rootcall.trace import Call, Tool, Trace


def trace_of(*steps: tuple[str, Any, Any]) -> Trace:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for i, (tool, arguments, result) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{i}", "function": function}]})
        if result is not None:
            content = result if isinstance(result, str) else json.dumps(result)
            messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": content})
    return Trace.from_openai(messages)


def calls_of(*steps: tuple[str, Any, Any]) -> tuple[Call, ...]:
    return trace_of(*steps).calls


@pytest.mark.parametrize(
    "name",
    ["get_order", "getOrder", "orders.list", "HTTPSearch", "job_status", "partner-search", "주문조회", "order_status"],
)
def test_names_with_a_reading_verb_read(name: str) -> None:
    assert read_only(None, name)


@pytest.mark.parametrize(
    "name",
    ["create_order", "cancelOrder", "orders.delete", "update_status", "send_email", "check_in", "예약취소", "run_sql"],
)
def test_names_with_a_writing_verb_do_not_read(name: str) -> None:
    assert effect(None, name) == "write"
    assert not read_only(None, name)


def test_camel_snake_and_dotted_names_have_the_same_words() -> None:
    assert name_words("getOrderStatus") == name_words("get_order_status") == name_words("get.order-status")


def test_a_name_that_says_nothing_is_unknown_without_a_description() -> None:
    assert effect(None, "frobnicate") == "unknown"
    assert not read_only(None, "frobnicate")


@pytest.mark.parametrize(
    ("name", "description", "wanted"),
    [
        ("forecast_daily", "Forecast for one day.", "read"),
        ("shared_calendar", "Read-only mirror of the calendar.", "read"),
        ("metrics_archive", "Slower store with the same figures.", "read"),
        ("rebooker", "Moves a booking to another day.", "read"),
        ("seatmaker", "Cancels a seat.", "write"),
        ("seatfinder", "Returns free seats.", "read"),
        ("ask_ally", "Wake the engineer on call.", "write"),
        ("도구", "주문을 삭제합니다", "write"),
        ("thing", "Some words that delete a thing", "unknown"),
    ],
)
def test_a_description_decides_where_the_name_does_not(name: str, description: str, wanted: str) -> None:
    if name == "rebooker":  # "moves" is both a noun and a verb, so only the third person tells
        wanted = "write"
    assert effect(Tool(name, description), name) == wanted


def test_hints_beat_name_and_description() -> None:
    assert effect(Tool("delete_all", "Deletes.", hints={"readOnlyHint": True}), "delete_all") == "read"
    assert effect(Tool("get_it", hints={"readOnlyHint": False}), "get_it") == "write"
    assert effect(Tool("get_it", hints={"destructiveHint": True}), "get_it") == "write"
    assert destructive(Tool("tidy", hints={"destructiveHint": True}), "tidy")
    assert not destructive(Tool("delete_x", hints={"destructiveHint": False}), "delete_x")
    assert idempotent(Tool("create_x", hints={"idempotentHint": True}), "create_x")
    assert not creates_each_time(Tool("create_x", hints={"idempotentHint": True}), "create_x")


def test_what_deletes_or_cannot_be_undone_is_destructive() -> None:
    assert destructive(None, "cancel_booking")
    assert destructive(None, "주문삭제")
    assert destructive(Tool("close_account", "Close an account for good."), "close_account")
    assert not destructive(Tool("get_deleted", "Deleted orders."), "get_deleted")
    assert not destructive(None, "update_address")


def test_value_setting_writes_are_idempotent_and_creating_ones_are_not() -> None:
    assert idempotent(None, "set_volume")
    assert idempotent(None, "scale_service")
    assert idempotent(None, "get_order")
    assert idempotent(Tool("put_it", "Safe to retry."), "put_it")
    assert not idempotent(None, "create_order")
    assert not idempotent(Tool("set_note", "Every call adds another note."), "set_note")


def test_creation_is_told_by_words_or_by_the_verb() -> None:
    said = Tool("start_backup", "Start a backup. Every call starts another job.")
    assert says_each_time(said)
    assert creates_each_time(said, "start_backup")
    assert creates_each_time(Tool("pay", "Not idempotent: a new payment each."), "pay")
    assert creates_each_time(None, "send_email")
    assert creates_each_time(None, "문자전송")
    assert not creates_each_time(None, "update_order")
    assert not creates_each_time(None, "get_order")
    assert not creates_each_time(Tool("create_key", "Idempotent."), "create_key")
    assert not creates_each_time(None, "transfer_to_human_agent")
    assert not says_each_time(None)


def test_hand_over_is_told_by_name_or_description() -> None:
    assert hands_over(None, "transfer_to_human_agents")
    assert hands_over(None, "escalateCase")
    assert hands_over(Tool("ask_ivy", "Hand over to a human assistant."), "ask_ivy")
    assert not hands_over(Tool("get_agent", "Look up the human agent of a case."), "get_agent")
    assert not hands_over(None, "create_order")


def test_an_idempotency_key_is_known_by_name_or_description() -> None:
    (call,) = calls_of(("pay", {"amount": 5, "Idempotency-Key": "k1"}, {"ok": 1}))
    assert idempotency_key(call) == "k1"
    (call,) = calls_of(("pay", {"amount": 5, "ref": "r7"}, {"ok": 1}))
    schema = {"properties": {"ref": {"description": "A repeated ref is booked once only"}}}
    assert idempotency_key(call, Tool("pay", schema=schema)) == "r7"
    assert idempotency_key(call) is None
    (call,) = calls_of(("pay", {"request_id": ""}, {"ok": 1}))
    assert idempotency_key(call) is None


def test_polling_is_the_same_call_with_a_pending_or_a_changing_result() -> None:
    assert is_poll(calls_of(("get_job", {"id": 1}, {"state": "queued"}), ("get_job", {"id": 1}, {"state": "queued"})))
    assert is_poll(calls_of(("get_temp", {}, {"t": 1}), ("get_temp", {}, {"t": 2})))
    assert is_poll(calls_of(("job_status", {}, {"s": "x"}), ("job_status", {}, {"s": "x"})))
    assert not is_poll(calls_of(("get_temp", {}, {"t": 1}), ("get_temp", {}, {"t": 1})))
    assert not is_poll(calls_of(("get_temp", {"a": 1}, {"t": 1}), ("get_temp", {"a": 2}, {"t": 2})))
    assert not is_poll(calls_of(("get_temp", {}, "Error: 503 down"), ("get_temp", {}, "Error: 503 down")))
    assert not is_poll(calls_of(("get_temp", {}, {"t": 1})))


def test_results_are_the_same_whatever_request_id_and_timing_say() -> None:
    a, b, c = calls_of(
        ("g", {}, {"x": 1, "request_id": "a", "took_ms": 4}),
        ("g", {}, {"x": 1, "request_id": "b"}),
        ("g", {}, {"x": 2}),
    )
    assert result_key(a) == result_key(b) != result_key(c)


def test_calls_without_a_result_have_a_key_and_are_not_pending() -> None:
    none, empty = calls_of(("g", {}, None), ("h", {}, ""))
    assert result_key(none) != result_key(empty)
    assert not is_pending(none)
    (big,) = calls_of(("g", {}, list(range(300))))
    assert not is_pending(big)
