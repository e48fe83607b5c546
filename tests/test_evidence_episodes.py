"""Error episodes: what followed a failing call, over the turn and beyond."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.evidence.episodes import (
    Episode,
    about_call,
    changes,
    echoes,
    environment,
    episodes,
    is_transient,
    named_arguments,
    reaction_of,
    request_of,
)
from rootcall.toolerror import ToolError, detect_error
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"
OUTAGE = '{"status": 503, "message": "service unavailable"}'
BAD_DAY = '{"status": 400, "message": "day must be ISO 8601"}'
ROWS = [json.loads(line) for line in (DATA / "recovery.jsonl").read_text("utf-8").splitlines()]


def trace_of(*parts: Any, tools: Any = None) -> Trace:
    """A text is the user's if it ends a turn, `>text` the agent's; a triple is a call with its result."""
    messages: list[dict[str, Any]] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            role = "assistant" if part.startswith(">") else "user"
            messages.append({"role": role, "content": part.lstrip(">")})
            continue
        tool, arguments, result = part
        function = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{i}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": result})
    return Trace.from_openai(messages, tools)


def only(*parts: Any, tools: Any = None) -> Episode:
    (episode,) = episodes(trace_of(*parts, tools=tools))
    return episode


def row_trace(row: dict[str, Any]) -> Trace:
    t = row["trace"]
    return Trace.from_openai(t["messages"], t["tools"], id=row["id"], metadata=t.get("metadata"))


@pytest.mark.parametrize(
    ("kind", "endings"),
    [
        ("c_backoff", {"retried"}),
        ("c_corrected_retry", {"corrected"}),
        ("c_escalation", {"escalated"}),
        ("c_fallback", {"fallback"}),
        ("c_safe_resend", {"retried"}),
        ("rec_success_claimed", {"claimed_success"}),
        ("rec_gave_up", {"gave_up_honestly"}),
    ],
)
def test_seeded_episodes_end_as_they_were_made(kind: str, endings: set[str]) -> None:
    traces = [row_trace(r) for r in ROWS if r["kind"] == kind]
    assert len(traces) == 2
    assert {e.ending for t in traces for e in episodes(t)} == endings


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"] == "env_outage"], ids=lambda r: r["id"])
def test_a_well_handled_outage_is_the_environments(row: dict[str, Any]) -> None:
    found = environment(row_trace(row))
    assert found is not None
    assert found.first.message == row["label"]["root_cause"]["message_index"]
    assert found.unmet
    assert found.handled


@pytest.mark.parametrize("row", [r for r in ROWS if r["kind"].startswith("c_")], ids=lambda r: r["id"])
def test_a_clean_run_is_never_the_environments(row: dict[str, Any]) -> None:
    assert environment(row_trace(row)) is None


def test_tau_errors_end_in_a_correction_or_a_word_to_the_user() -> None:
    rows = [json.loads(line) for line in (DATA / "traces" / "tau_airline.jsonl").read_text("utf-8").splitlines()]
    found = [e for r in rows for e in episodes(Trace.from_openai(r["messages"]))]
    assert all(e.ending not in ("claimed_success", "abandoned") for e in found)


def test_a_success_two_calls_later_is_a_correction_with_a_call_in_between() -> None:
    found = only(
        "go", ("find", {"day": "Fri"}, BAD_DAY), ("get_time", {}, '{"now": 1}'), ("find", {"day": "2"}, "{}"), ">ok"
    )
    assert found.ending == "corrected"
    assert found.resolved
    assert not found.unmet
    assert found.handled


def test_the_user_may_give_what_was_missing_in_a_later_turn() -> None:
    found = only(
        "go", ("find", {"day": "Fri"}, BAD_DAY), ">Which day?", "27 March", ("find", {"day": "2"}, "{}"), ">Found."
    )
    assert found.ending == "corrected"


def test_asking_ends_an_episode() -> None:
    found = only("go", ("find", {"day": "Fri"}, BAD_DAY), ">Which day do you mean?")
    assert found.ending == "asked"
    assert found.unmet
    assert not found.handled


def test_a_hand_over_in_words_alone_is_one() -> None:
    assert only("go", ("update_x", {"a": "b"}, OUTAGE), ">A colleague will get back to you.").ending == "escalated"


def test_an_answer_beside_the_point_abandons_the_matter() -> None:
    assert only("go", ("update_x", {"a": "b"}, OUTAGE), ">The weather is lovely.").ending == "abandoned"


def test_a_trace_that_ends_in_a_failing_call_is_open() -> None:
    found = only("go", ("find", {"day": "Fri"}, BAD_DAY))
    assert found.ending == "open"
    assert not found.unmet
    assert found.answer is None


def test_another_tool_that_gave_it_is_a_fallback() -> None:
    found = only("go", ("get_a", {"id": "A-1"}, OUTAGE), ("get_b", {"id": "A-1"}, '{"x": 1}'), ">It is 1.")
    assert found.ending == "fallback"
    assert found.rerouted


def test_an_admission_beside_an_unrelated_call_is_no_fallback() -> None:
    parts = ("go", ("get_price", {"id": "A-1"}, OUTAGE), ("list_news", {"topic": "zz"}, "[]"), ">I couldn't get it.")
    assert only(*parts).ending == "gave_up_honestly"


def test_a_tool_that_names_the_other_is_related() -> None:
    tools = [{"name": "get_b", "description": "Copy of get_a."}]
    parts = ("go", ("get_a", {"id": "A-1"}, OUTAGE), ("get_b", {}, "[1]"), ">The first source failed; the copy says 1.")
    assert only(*parts, tools=tools).ending == "fallback"


def test_a_read_does_not_stand_in_for_a_write() -> None:
    parts = ("go", ("update_a", {"id": "A-1"}, OUTAGE), ("get_a", {"id": "A-1"}, "{}"), ">Sorry, it failed.")
    assert only(*parts).ending == "gave_up_honestly"


def test_identical_attempts_are_counted_within_a_turn() -> None:
    call = ("get_a", {"id": "A-1"}, OUTAGE)
    found = only("go", call, call, ">Down. Try again?", "yes", call, call, ">Still down, sorry.")
    assert [(r.nth, r.excused) for r in found.repeats] == [(2, False), (1, True), (2, False)]
    assert found.retried


def test_a_write_in_between_excuses_a_repeat_and_thinking_does_not() -> None:
    call = ("get_a", {"id": "A-1"}, '{"status": 403, "message": "forbidden"}')
    excused = only("go", call, ("login", {"user": "u"}, '{"token": "t"}'), call, ">Sorry, it failed.")
    thought = only("go", call, ("think", {"thought": "hm"}, '"hm"'), call, ">Sorry, it failed.")
    assert [r.excused for r in excused.repeats] == [True]
    assert [r.excused for r in thought.repeats] == [False]


def test_a_read_in_between_excuses_only_what_depends_on_a_state() -> None:
    read = ("get_state", {"id": "s"}, '{"locked": false}')
    locked = ("update_a", {"id": "A-1"}, '{"status": 423, "message": "locked"}')
    invalid = ("update_a", {"id": "A-1"}, '{"status": 400, "message": "id is invalid"}')
    assert [r.excused for r in only("go", locked, read, locked, ">Sorry, failed.").repeats] == [True]
    assert [r.excused for r in only("go", invalid, read, invalid, ">Sorry, failed.").repeats] == [False]


def test_an_outage_needs_another_try_to_be_the_environments() -> None:
    call = ("get_a", {"id": "A-1"}, OUTAGE)
    told = ">I couldn't reach the service. Shall I try again later?"
    assert environment(trace_of("go", call, told)) is None
    assert environment(trace_of("go", call, call, told)) is not None
    assert environment(trace_of("go", call, call, ">It is 5 now.")) is None


def test_a_refusal_handed_over_is_not_the_environments() -> None:
    call = ("get_a", {"id": "A-1"}, '{"status": 403, "message": "forbidden"}')
    over = ("transfer_to_human", {"summary": "x"}, '{"ticket": "T"}')
    assert environment(trace_of("go", call, over, ">A colleague will take over.")) is None


def test_transience_follows_the_error_and_an_invitation() -> None:
    assert is_transient(None) is None
    assert is_transient(ToolError("server", "down", retryable=True)) is True
    assert is_transient(ToolError("other", "odd")) is None
    assert is_transient(ToolError("conflict", "locked", retryable=False)) is False
    assert is_transient(ToolError("conflict", "locked, please retry later", retryable=False)) is True


def test_named_arguments_are_called_as_the_call_or_the_schema_calls_them() -> None:
    found = only("go", ("find", {"pageSize": 500}, '{"status": 400, "field": "page_size", "message": "too large"}'))
    assert named_arguments(found.first) == ("pageSize",)
    found = only("go", ("find", {"filter": {"limit": 5}}, '{"status": 400, "field": "limit", "message": "too large"}'))
    assert named_arguments(found.first) == ("limit",)
    found = only("go", ("find", {}, '{"status": 400, "field": "day", "message": "missing"}'))
    assert named_arguments(found.first) == ()
    assert named_arguments(found.first, {"properties": {"day": {}}}) == ("day",)
    (ok,) = trace_of("go", ("find", {}, "{}")).calls
    assert named_arguments(ok) == ()


def test_changes_name_nested_parts_too() -> None:
    a, b = trace_of(
        "go", ("f", {"x": {"limit": 5, "k": 1}, "y": 2}, "{}"), ("f", {"x": {"limit": 6, "k": 1}, "y": 2}, "{}")
    ).calls
    assert changes(a, b) == {"x", "limit"}


def test_a_text_is_about_a_call_by_its_values_its_name_or_the_request() -> None:
    trace = trace_of("Put the keynote rehearsal in", ("update_gift_note", {"place": "Larch"}, "Error: odd"))
    (call,) = trace.calls
    assert about_call(call, "It is now in Larch")
    assert about_call(call, "The gift is on the order")
    assert not about_call(call, "Lovely weather")
    assert about_call(call, "The keynote rehearsal is in", request_of(trace, call))


def test_an_answer_can_echo_the_error() -> None:
    refused = '{"error": "amount above the refundable ceiling"}'
    (call, ok) = trace_of("go", ("refund", {"id": "1"}, refused), ("refund", {"id": "2"}, "{}")).calls
    assert echoes(call, "The refundable ceiling is 50")
    assert not echoes(call, "Your refund is there")
    assert not echoes(ok, "anything")


def test_error_codes_come_from_the_body_or_the_status() -> None:
    assert only("go", ("f", {}, OUTAGE)).error_code == "503"
    assert only("go", ("f", {}, '{"ok": false, "code": "LOCKED", "message": "locked"}')).error_code == "LOCKED"
    assert only("go", ("f", {}, "Error: odd")).error_code is None


def test_reactions_have_the_words_of_cases() -> None:
    assert reaction_of("corrected") == "correct"
    assert reaction_of("claimed_success") is None


@settings(deadline=None)  # the first text in a language compiles its words
@given(st.text(max_size=40), st.sampled_from(["Error: x", OUTAGE, BAD_DAY, "{}", ""]), st.integers(1, 4))
def test_episodes_exist_exactly_where_calls_failed(answer: str, result: str, n: int) -> None:
    trace = trace_of("go", *[("f", {"a": 1}, result)] * n, ">" + answer)
    failed = detect_error(result, json.loads(result) if result.startswith("{") else result) is not None
    assert bool(episodes(trace)) == failed
    assert sum(len(e.failing) for e in episodes(trace)) == (n if failed else 0)
