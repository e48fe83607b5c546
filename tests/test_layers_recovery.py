"""The recovery layer: real and seeded episodes first, then every rule with a trace that fails and one that passes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.case import Case
from rootcall.check import Check, catalogue, message_index
from rootcall.config import Config
from rootcall.layers.recovery import RULES
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(line) for line in (DATA / "recovery.jsonl").read_text("utf-8").splitlines()]
OUTAGE = '{"status": 503, "message": "service unavailable"}'
TIMEOUT = '{"status": 504, "message": "request timed out after 30 s"}'
BAD_DAY = '{"status": 400, "message": "day must be ISO 8601"}'
FORBIDDEN = '{"status": 403, "message": "forbidden"}'
ODD = "Error: the amounts do not add up"
SORRY = ">Sorry, I could not get it."


def trace_of(*parts: Any, tools: Any = None) -> Trace:
    """A text is the user's, `>text` the agent's; a triple is a call with its result."""
    messages: list[dict[str, Any]] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            messages.append({"role": "assistant" if part.startswith(">") else "user", "content": part.lstrip(">")})
            continue
        tool, arguments, result = part
        function = {"name": tool, "arguments": json.dumps(arguments)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{i}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": result})
    return Trace.from_openai(messages, tools)


def judge(trace: Trace, case: Case | None = None, config: Config | None = None) -> list[Check]:
    return [c for rule in RULES for c in rule(trace, case, config or Config())]


def failing(*parts: Any, tools: Any = None, case: Case | None = None, config: Config | None = None) -> dict[str, str]:
    """The failing rules with their places."""
    checks = judge(trace_of(*parts, tools=tools), case, config)
    return {c.rule.partition("/")[2]: c.at for c in checks if c.fails}


def hints(*parts: Any) -> set[str]:
    return {c.rule.partition("/")[2] for c in judge(trace_of(*parts)) if c.status == "fail" and c.grade == "hint"}


def row_checks(row: dict[str, Any]) -> list[Check]:
    t = row["trace"]
    return judge(Trace.from_openai(t["messages"], t["tools"], id=row["id"], metadata=t.get("metadata")))


@pytest.mark.parametrize(
    "row",
    [r for r in ROWS if (r["label"]["root_cause"] or {}).get("layer") == "recovery"],
    ids=lambda r: f"{r['kind']}-{r['id']}",
)
def test_a_seeded_wrong_reaction_is_found_at_its_place(row: dict[str, Any]) -> None:
    root, accepted = row["label"]["root_cause"], row["label"]["accept"]["message_indices"]
    found = [c for c in row_checks(row) if c.fails]
    assert min(message_index(c.at) for c in found) in {root["message_index"], *accepted}
    assert any(c.tool == root["tool"] and c.error_code == root["error_code"] for c in found)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r["label"]["clean"] or r["kind"] == "env_outage"], ids=lambda r: f"{r['kind']}-{r['id']}"
)
def test_a_right_reaction_is_left_in_peace(row: dict[str, Any]) -> None:
    assert [c for c in row_checks(row) if c.fails] == []


def test_the_flight_pair() -> None:
    lines = (DATA / "traces" / "flight.jsonl").read_text("utf-8").splitlines()
    flights = [Trace.from_openai(r["messages"], r.get("tools"), id=r["id"]) for r in map(json.loads, lines)]
    found = [{c.rule for c in judge(t) if c.fails} for t in flights]
    assert {"recovery/error-unread", "recovery/retry-loop"} in found
    handled = [c for t in flights for c in judge(t) if c.rule == "recovery/handled"]
    assert [c.status for c in handled] == ["pass"]
    assert "corrected" in handled[0].message


def test_tau_runs_are_judged_without_a_false_accusation() -> None:
    rows = [json.loads(line) for line in (DATA / "traces" / "tau_airline.jsonl").read_text("utf-8").splitlines()]
    checks = [c for r in rows for c in judge(Trace.from_openai(r["messages"]))]
    assert checks
    assert [c.rule for c in checks if c.fails] == []


def test_without_a_failing_call_there_is_nothing_to_judge() -> None:
    assert judge(trace_of("go", ("get_a", {}, '{"error": null}'), ">ok")) == []


def test_every_rule_is_documented() -> None:
    rules = catalogue(RULES)
    assert len(rules) == 14
    assert all(r.looks_at and r.why and r.fails and r.passes for r in rules.values())


def test_an_unread_error_is_placed_at_the_first_repeat_and_names_the_field() -> None:
    call = ("find", {"day": "Fri"}, BAD_DAY)
    (check,) = [c for c in judge(trace_of("go", call, call, SORRY)) if c.fails]
    assert (check.rule, check.at, check.argument) == ("recovery/error-unread", "messages[3].calls[0]", "day")
    assert (check.error_code, check.unit, check.attempt) == ("400", "episode:messages[1].calls[0]", "final")
    assert failing("go", call, ("find", {"day": "2026-03-27"}, "{}"), ">Found.") == {}


def test_an_error_the_model_never_saw_was_not_unread() -> None:
    call = ("find", {"day": "Fri"}, "An error occurred while running the tool. Please try again.")
    assert failing("go", call, call, SORRY) == {}


def test_an_error_that_says_nothing_of_retrying_allows_one() -> None:
    call = ("find", {"day": "Fri"}, ODD)
    assert failing("go", call, call, SORRY) == {}
    (check,) = [c for c in judge(trace_of("go", call, call, call, SORRY)) if c.fails]
    assert (check.rule, check.grade, check.at) == ("recovery/error-unread", "likely", "messages[5].calls[0]")


def test_a_loop_is_past_the_cap() -> None:
    call = ("find", {"day": "Fri"}, BAD_DAY)
    assert "retry-loop" not in failing("go", *[call] * 3, SORRY)
    assert failing("go", *[call] * 5, SORRY)["retry-loop"] == "messages[7].calls[0]"
    wide = Config(rules={"recovery/retry-loop": {"cap": 9}})
    assert "retry-loop" not in failing("go", *[call] * 5, SORRY, config=wide)


def test_a_storm_is_past_the_cap_and_a_patient_retry_is_not() -> None:
    call = ("get_a", {"id": "A-1"}, OUTAGE)
    assert failing("go", *[call] * 5, SORRY) == {}
    assert failing("go", *[call] * 7, SORRY) == {"retry-cap": "messages[11].calls[0]"}
    assert failing("go", *[call] * 3, SORRY, config=Config(rules={"recovery/retry-cap": {"cap": 2}})) == {
        "retry-cap": "messages[5].calls[0]"
    }


def test_polling_is_no_loop() -> None:
    assert judge(trace_of("go", *[("job_status", {"id": 1}, '{"state": "running"}')] * 9, ">Still running.")) == []


def test_a_refused_access_is_not_asked_for_again() -> None:
    call = ("reboot_node", {"id": "n1"}, FORBIDDEN)
    assert failing("go", call, call, SORRY) == {"auth-retried": "messages[3].calls[0]"}
    assert failing("go", call, SORRY) == {}
    assert failing("go", call, ("login", {"user": "u"}, '{"token": "t"}'), call, SORRY) == {}


def test_a_refusal_and_a_lock_are_not_tried_again_unless_invited() -> None:
    blocked = ("send_email", {"to": "a"}, '{"error": "blocked by policy: external mail"}')
    locked = ("update_a", {"id": "1"}, '{"status": 423, "message": "record is locked"}')
    invited = ("update_a", {"id": "1"}, '{"status": 409, "message": "busy, please retry in a moment"}')
    assert failing("go", blocked, blocked, SORRY) == {"refused-retried": "messages[3].calls[0]"}
    assert failing("go", locked, locked, SORRY) == {"refused-retried": "messages[3].calls[0]"}
    assert failing("go", invited, invited, SORRY) == {}


def test_two_dead_ends_in_turn_are_a_loop() -> None:
    a = ("get_a", {"id": "A-1"}, FORBIDDEN)
    b = ("copy_a", {"id": "A-1"}, '{"status": 404, "message": "not found"}')
    assert failing("go", a, b, a, b, SORRY)["alternating-loop"] == "messages[5].calls[0]"
    assert "alternating-loop" not in failing("go", a, b, SORRY)


def test_a_change_elsewhere_that_meets_the_same_error_is_unrelated() -> None:
    def call(result: str = BAD_DAY, **more: Any) -> Any:
        return ("find", {"day": "Fri", **more}, result)

    (check,) = [c for c in judge(trace_of("go", call(), call(sort="new"), SORRY)) if c.fails]
    assert (check.rule, check.at, check.argument) == ("recovery/unrelated-change", "messages[3].calls[0]", "day")
    assert failing("go", call(), call("{}", sort="new"), ">Found.") == {}
    other = '{"status": 400, "message": "sort must be up or down"}'
    assert failing("go", call(), call(other, sort="new"), SORRY) == {}
    assert failing("go", call(), ("find", {"day": "Sat"}, BAD_DAY), SORRY) == {}


CREATE = [{"name": "create_order", "description": "Every call creates another order."}]


def test_a_blind_second_write_after_a_timeout_may_be_a_duplicate() -> None:
    lost, made = ("create_order", {"sku": "S1"}, TIMEOUT), ("create_order", {"sku": "S1"}, '{"id": "O1"}')
    assert failing("go", lost, made, ">Order O1 is in.", tools=CREATE) == {
        "duplicate-side-effect": "messages[3].calls[0]"
    }
    assert failing("go", lost, ("list_orders", {}, "[]"), made, ">Order O1 is in.", tools=CREATE) == {}
    keyed = [("create_order", {"sku": "S1", "idempotency_key": "k"}, r) for r in (TIMEOUT, '{"id": "O1"}')]
    assert failing("go", *keyed, ">Order O1 is in.", tools=CREATE) == {}
    other_key = ("create_order", {"sku": "S1", "idempotency_key": "k"}, TIMEOUT)
    assert failing("go", other_key, other_key, SORRY) == {}


def test_a_write_that_sets_a_value_may_be_sent_again() -> None:
    calls = [("scale_service", {"n": 3}, TIMEOUT), ("scale_service", {"n": 3}, '{"n": 3}')]
    assert failing("go", *calls, ">Scaled to 3.") == {}


def test_an_unclear_failure_of_a_write_is_a_hint_and_a_rejected_one_is_nothing() -> None:
    made = ("create_order", {"sku": "S1"}, '{"id": "O1"}')
    server = ("create_order", {"sku": "S1"}, '{"status": 500, "message": "internal server error"}')
    limited = ("create_order", {"sku": "S1"}, '{"status": 429, "message": "too many requests"}')
    assert hints("go", server, made, ">Order O1 is in.") == {"duplicate-side-effect"}
    assert hints("go", limited, made, ">Order O1 is in.") == set()


@pytest.mark.parametrize(
    "answer",
    [
        ">Room Maple is booked for you.",
        ">All set!",
        ">Maple it is, from nine to ten.",
        ">회의실 Maple 예약이 완료되었습니다.",
        ">Der Raum Maple wurde gebucht.",
        ">Your workshop on Tuesday has a place now.",
    ],
)
def test_a_failed_write_told_as_done_is_a_claim(answer: str) -> None:
    call = ("book_room", {"room": "Maple"}, OUTAGE)
    assert failing("Book a workshop place for Tuesday", call, answer) == {"success-claimed-after-error": "messages[3]"}


@pytest.mark.parametrize(
    "answer",
    [
        ">Room Maple could not be booked. Shall I try again later?",
        ">Shall I take another room than Maple?",
        ">Maple can be booked only with the approval of the office.",
        ">One moment, I'm looking for another room than Maple.",
        ">I have asked a colleague to book Maple, they will get back to you.",
        ">Забронировано.",
    ],
)
def test_an_honest_word_is_no_claim(answer: str) -> None:
    call = ("book_room", {"room": "Maple"}, '{"status": 422, "message": "approval of the office is needed"}')
    assert failing("Book room Maple", call, answer) == {}


def test_with_another_write_done_the_claim_must_be_about_the_failed_one() -> None:
    drained = ("drain_node", {"id": "n1"}, '{"state": "drained"}')
    failed = ("reboot_node", {"id": "n1"}, '{"status": 500, "message": "internal error"}')
    parts = ("Drain n1 and reboot it", drained, failed)
    assert "success-claimed-after-error" in failing(*parts, ">Node n1 has been rebooted.")
    assert failing(*parts, ">Node n1 has been drained.") == {}
    assert "success-claimed-after-error" in hints(*parts, ">Node n1 has been drained.")


def test_after_a_failed_read_a_new_number_is_a_claim() -> None:
    call = ("get_price", {"item": "lamp"}, OUTAGE)
    assert failing("What is the lamp?", call, ">The lamp is 39.90 dollars.") == {
        "success-claimed-after-error": "messages[3]"
    }
    assert failing("Is the lamp 20?", call, ">The lamp is 20 dollars.") == {}
    assert failing("What is the lamp?", call, ("list_items", {}, '[{"lamp": 39.9}]'), ">The lamp is 39.90.") == {}


def test_a_claim_that_a_later_turn_made_good_was_still_false() -> None:
    bad, good = ("book_room", {"room": "Maple"}, BAD_DAY), ("book_room", {"room": "Maple", "day": "2"}, "{}")
    assert failing("go", bad, ">Maple is booked.", "sure?", good, ">Now Maple is booked.") == {
        "success-claimed-after-error": "messages[3]"
    }


def test_giving_up_on_an_outage_at_once_is_a_fault() -> None:
    call = ("get_a", {"id": "A-1"}, OUTAGE)
    assert failing("go", call, SORRY) == {"gave-up": "messages[3]"}
    assert failing("go", call, ">죄송하지만 결과를 가져오지 못했습니다.") == {"gave-up": "messages[3]"}
    assert failing("go", call, ">I could not get it. Shall I try again?") == {}
    assert failing("go", call, call, SORRY) == {}
    assert failing("go", call, ("copy_a", {"id": "A-1"}, OUTAGE), SORRY).keys() == {"gave-up"}
    assert failing("go", call, ("transfer_to_human", {}, "{}"), ">A colleague takes over.") == {}


def test_in_a_language_we_cannot_read_giving_up_is_unscored() -> None:
    checks = judge(trace_of("go", ("get_a", {"id": "A-1"}, OUTAGE), ">Не получилось."))
    assert [c.status for c in checks if c.rule == "recovery/gave-up"] == ["unscored"]
    assert [c for c in checks if c.fails] == []


def test_stopping_after_an_argument_error_is_a_hint() -> None:
    assert hints("go", ("find", {"day": "Fri"}, BAD_DAY), SORRY) == {"stopped-after-error"}
    assert hints("go", ("find", {"day": "Fri"}, BAD_DAY), ">Which day?") == set()


def test_silence_about_an_error_is_a_hint() -> None:
    assert hints("go", ("update_a", {"id": "A-1"}, ODD), ">The weather is lovely.") == {"error-not-told"}


def test_an_episode_without_an_end_is_unscored() -> None:
    (check,) = judge(trace_of("go", ("find", {"day": "Fri"}, BAD_DAY)))
    assert (check.rule, check.status) == ("recovery/handled", "unscored")


def case_of(**errors: Any) -> Case:
    return Case(errors={"find": errors})


def test_a_case_says_which_reaction_is_right() -> None:
    asked = ("go", ("find", {"day": "Fri"}, BAD_DAY), ">Which day do you mean?")
    fixed = ("go", ("find", {"day": "Fri"}, BAD_DAY), ("find", {"day": "2"}, "{}"), ">Found.")
    correct = Case(errors={"find": {"400": "correct"}})
    assert failing(*asked, case=correct) == {"unexpected-reaction": "messages[3]"}
    assert failing(*fixed, case=correct) == {}
    assert failing(*asked, case=Case(errors={"find": {"400": ["ask", "report"]}})) == {}
    assert failing(*asked, case=Case(errors={"find": {"*": "report"}})) == {"unexpected-reaction": "messages[3]"}
    assert failing(*asked, case=Case(errors={"find": {"500": "retry"}})) == {}
    assert failing(*asked, case=Case(errors={"find": {"400": 7}, "other": 1})) == {}
    assert failing(*asked, case=Case(errors={"other": {"400": "retry"}})) == {}


def test_a_case_that_wants_a_retry_allows_it() -> None:
    call = ("find", {"day": "Fri"}, BAD_DAY)
    assert failing("go", call, call, SORRY, case=Case(errors={"find": {"400": "retry"}})) == {}
    over = ("transfer_to_human", {}, "{}")
    assert failing("go", call, over, ">Over.", case=Case(errors={"find": {"400": "escalate"}})) == {}


def test_a_denied_call_without_a_result_is_an_episode() -> None:
    from rootcall.assembly import DraftCall, TraceBuilder

    builder = TraceBuilder("t")
    builder.message("user", "go", index=0)
    for i in (1, 2):
        builder.message("assistant", None, index=i, calls=[DraftCall("send", {"to": "a"}, denied=True)])
    builder.message("assistant", "It was not sent, sorry.", index=3)
    (check,) = [c for c in judge(builder.build()) if c.fails]
    assert (check.rule, check.at) == ("recovery/refused-retried", "messages[2].calls[0]")


def test_rules_can_be_switched_off() -> None:
    call = ("find", {"day": "Fri"}, BAD_DAY)
    checks = judge(trace_of("go", call, call, SORRY), config=Config(ignore=("recovery/error-unread",)))
    assert [c.status for c in checks if c.rule == "recovery/handled"] == ["pass"]


RESULTS = st.sampled_from([OUTAGE, TIMEOUT, BAD_DAY, FORBIDDEN, ODD, "{}", "", '{"error": "blocked by policy"}'])
ARGUMENTS = st.dictionaries(st.sampled_from(["day", "id"]), st.sampled_from([1, "Fri", None, ["x"], {"a": 1}]))


@settings(deadline=None)  # the first text in a language compiles its words
@given(
    st.lists(st.tuples(st.sampled_from(["find", "create_a", "전송"]), ARGUMENTS, RESULTS), max_size=7),
    st.text(max_size=30),
)
def test_every_episode_is_judged_once_and_nothing_raises(calls: list[Any], answer: str) -> None:
    trace = trace_of("go", *calls, ">" + answer)
    units: dict[str, set[str]] = {}
    for check in judge(trace):
        units.setdefault(check.unit, set()).add("fail" if check.fails else check.rule)
    for rules in units.values():
        assert ("fail" in rules) != ("recovery/handled" in rules)
