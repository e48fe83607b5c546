"""The arguments layer from the trace alone: what fails, what passes, and what is left alone."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.check import Check, catalogue, message_index
from rootcall.config import Config, DateConventions
from rootcall.layers.arguments import RULES
from rootcall.trace import Trace

HERE = Path(__file__).parent
FAULTS = [
    json.loads(line)
    for line in gzip.decompress((HERE / "data" / "faults_arguments.jsonl.gz").read_bytes()).decode().splitlines()
]
FLIGHT = {
    row["id"]: row
    for row in map(json.loads, (HERE.parent / "src/rootcall/data/flight.jsonl").read_text("utf-8").splitlines())
}


def judged(trace: Trace, config: Config | None = None) -> list[Check]:
    return [c for rule in RULES for c in rule(trace, None, config or Config())]


def of_row(row: dict[str, Any]) -> list[Check]:
    trace = Trace.from_openai(row["messages"], row.get("tools"), id=row["id"], metadata=row.get("metadata"))
    return judged(trace)


def final_failures(checks: list[Check]) -> list[Check]:
    return [c for c in checks if c.fails and c.attempt in ("only", "final")]


def call(arguments: Any, name: str = "act", call_id: str = "c") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def said(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def tool(properties: dict[str, Any], *, description: str = "", name: str = "act", **schema: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, **schema}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def one(
    properties: dict[str, Any] | None,
    arguments: Any,
    user: str | list[str] = "please",
    *,
    system: str | None = None,
    description: str = "",
    config: Config | None = None,
    **metadata: Any,
) -> dict[str, tuple[str, str]]:
    """The checks that do not pass, by rule, as (argument, status or grade)."""
    users = [user] if isinstance(user, str) else user
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for n, text in enumerate(users):
        messages.append({"role": "user", "content": text})
        if n < len(users) - 1:
            messages.append({"role": "assistant", "content": "Yes?"})
    messages += [said(call(arguments)), {"role": "tool", "tool_call_id": "c", "content": "{}"}]
    tools = None if properties is None else [tool(properties, description=description)]
    checks = judged(Trace.from_openai(messages, tools, metadata=metadata), config)
    return {
        c.rule.partition("/")[2]: (c.argument or "", c.grade if c.status == "fail" else c.status)
        for c in checks
        if c.status != "pass"
    }


DAY = {"type": "string", "format": "date"}
TEXT = {"type": "string"}
ID = {"type": "string", "description": "Order id"}


# --- real traces ----------------------------------------------------------------------------------------------------


def test_the_flight_trace_fails_for_its_relative_date() -> None:
    failing = [c for c in of_row(FLIGHT["flight"]) if c.fails]
    first = failing[0]
    assert (first.rule, first.argument, first.argument_class) == (
        "arguments/relative-date",
        "departure_date",
        "date-relative",
    )
    assert first.error_code == "400"
    assert first.at == "messages[1].calls[0].arguments.departure_date"
    assert {c.attempt for c in failing} == {"first", "retry", "final"}
    assert {c.unit for c in failing} == {"argument:messages[1].calls[0].departure_date"}


def test_its_recovered_twin_fails_at_first_only() -> None:
    checks = of_row(FLIGHT["recovered"])
    assert {c.attempt for c in checks if c.fails} == {"first"}
    passed = [c for c in checks if c.status == "pass" and c.attempt == "final" and c.argument == "departure_date"]
    assert passed
    assert {c.argument_class for c in checks if c.argument == "departure_date"} == {"date-relative"}


@pytest.mark.parametrize("row", FAULTS, ids=lambda r: f"{r['kind']}-{r['id']}")
def test_seeded_faults_are_found_and_clean_rows_left_in_peace(row: dict[str, Any]) -> None:
    failing = final_failures(of_row(row["trace"]))
    root = row["label"]["root_cause"]
    if root is None:
        assert failing == []
    else:
        places = {(c.tool, c.argument, message_index(c.at)) for c in failing}
        assert (root["tool"], root["argument"], root["message_index"]) in places


# --- the whole of the arguments ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"a": 1,}', "not-json"),
        ("{'a': 1}", "not-json"),
        ("[1]", "not-json"),
        ("7", "not-json"),
        (json.dumps(json.dumps({"a": 1})), "double-encoded"),
        ('{"a": 1, "a": 2}', "duplicate-keys"),
    ],
)
def test_arguments_that_are_no_object_fail_as_a_whole(text: str, rule: str) -> None:
    assert one({"a": {"type": "integer"}}, text)[rule] == ("", "proof")


def test_missing_arguments_fail_only_where_some_are_required() -> None:
    def without(tools: Any) -> list[tuple[str, str]]:
        c = {"id": "c", "type": "function", "function": {"name": "act"}}
        return [
            (x.rule, x.status) for x in judged(Trace.from_openai([{"role": "user", "content": "x"}, said(c)], tools))
        ]

    assert without([tool({"a": TEXT}, required=["a"])]) == [("arguments/not-json", "fail")]
    assert without([tool({"a": TEXT})]) == [("arguments/not-json", "pass")]
    assert without(None) == [("arguments/not-json", "unscored")]


def test_an_unreadable_first_attempt_is_a_unit_that_its_retry_passes() -> None:
    messages = [
        {"role": "user", "content": "go"},
        said(call('{"a": 1', call_id="1")),
        {"role": "tool", "tool_call_id": "1", "content": "Error: invalid JSON"},
        said(call({"a": 1}, call_id="2")),
        {"role": "tool", "tool_call_id": "2", "content": "{}"},
    ]
    checks = judged(Trace.from_openai(messages, [tool({"a": {"type": "integer"}})]))
    whole = [(c.attempt, c.status) for c in checks if c.unit == "argument:messages[1].calls[0]"]
    assert whole == [("first", "fail"), ("final", "pass")]
    assert final_failures(checks) == []


# --- schema ------------------------------------------------------------------------------------------------------------


def test_each_argument_has_a_check_when_nothing_fails() -> None:
    messages = [{"role": "user", "content": "5"}, said(call({"a": 5, "b": "x"}))]
    checks = judged(Trace.from_openai(messages, [tool({"a": {"type": "integer"}, "b": TEXT})]))
    assert {c.argument for c in checks if c.status == "pass"} == {"a", "b"}
    assert not [c for c in checks if c.status != "pass"]


def test_a_nested_fault_belongs_to_its_top_level_argument() -> None:
    where = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}
    messages = [{"role": "user", "content": "5"}, said(call({"where": {}}))]
    (failing,) = [c for c in judged(Trace.from_openai(messages, [tool({"where": where})])) if c.fails]
    assert failing.unit == "argument:messages[1].calls[0].where"
    assert failing.argument == "where.age"
    assert failing.at == "messages[1].calls[0].arguments.where.age"
    assert failing.argument_class == "object"


def test_unknown_schemas_leave_arguments_unscored() -> None:
    assert one(None, {"note": "x"}) == {"schema": ("note", "unscored")}


@pytest.mark.parametrize("broken", [{"type": "string", "pattern": "(["}, {"type": "dict"}, {"$ref": "#/$defs/none"}])
def test_a_broken_schema_leaves_its_calls_unscored(broken: dict[str, Any]) -> None:
    assert one({"note": broken}, {"note": "x"}) == {"broken-schema": ("note", "unscored")}
    assert one({"note": broken}, {}) == {"broken-schema": ("", "unscored")}
    rules = {"schema", "broken-schema", "missing-required", "wrong-type", "unknown-argument"}
    messages = [{"role": "user", "content": "x"}, said(call({"note": 1, "other": 2}), call('{"note": ', call_id="d"))]
    checks = judged(Trace.from_openai(messages, [tool({"note": broken}, required=["z"], additionalProperties=False)]))
    of_schema = [c for c in checks if c.rule.partition("/")[2] in rules]
    assert {c.status for c in of_schema} == {"unscored"}
    assert {c.argument for c in of_schema} == {"note", "other"}


def test_a_call_without_arguments_to_a_tool_with_a_broken_schema_is_unscored() -> None:
    wordless = {"id": "c", "type": "function", "function": {"name": "act"}}
    messages = [{"role": "user", "content": "x"}, said(wordless)]
    (found,) = judged(Trace.from_openai(messages, [tool({"a": {"type": "dict"}}, required=["a"])]))
    assert (found.rule, found.status) == ("arguments/not-json", "unscored")
    assert "BFCL" in found.message


def test_a_tool_that_is_not_offered_is_not_judged_by_a_schema() -> None:
    messages = [{"role": "user", "content": "x"}, said(call({"a": 1}, name="other"))]
    statuses = {c.status for c in judged(Trace.from_openai(messages, [tool({"a": TEXT})]))}
    assert statuses == {"unscored"}


def test_undeclared_arguments_are_faults_only_where_the_schema_is_closed() -> None:
    assert one({"a": TEXT}, {"a": "x", "verbose": True}) == {"unknown-argument": ("verbose", "hint")}
    closed = [tool({"a": TEXT}, additionalProperties=False)]
    messages = [{"role": "user", "content": "x"}, said(call({"a": "x", "verbose": True}))]
    assert [c.grade for c in judged(Trace.from_openai(messages, closed)) if c.fails] == ["proof"]
    open_tool = [tool({"a": TEXT}, additionalProperties={"type": "boolean"})]
    assert not [c for c in judged(Trace.from_openai(messages, open_tool)) if c.status == "fail"]


def test_a_null_that_is_the_declared_default_is_a_hint_and_required_stays_required() -> None:
    assert one({"a": {"type": "string", "default": None}}, {"a": None}) == {"null-not-allowed": ("a", "hint")}
    with_default = [tool({"a": {"type": "string", "default": "x"}}, required=["a"])]
    messages = [{"role": "user", "content": "x"}, said(call({}))]
    assert [c.grade for c in judged(Trace.from_openai(messages, with_default)) if c.status == "fail"] == ["proof"]


# --- days ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", ["next Friday", "내일", "다음 주 금요일", "nächsten Freitag", "mañana", "demain", "明日", "明天"]
)
def test_a_relative_date_fails_where_a_date_is_wanted(value: str) -> None:
    assert one({"day": DAY}, {"day": value})["relative-date"] == ("day", "proof")
    assert one({"due_date": TEXT}, {"due_date": value})["relative-date"] == ("due_date", "likely")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "description": "Date in natural language"},
        {"type": "string", "description": "YYYY-MM-DD or 'tomorrow'"},
        {"type": "string", "description": "Date, e.g. next Monday"},
        {"type": "string", "description": "Date", "examples": ["today"]},
        {"type": "string", "enum": ["today", "tomorrow"]},
        {"type": "string", "description": "Day of the week"},
    ],
)
def test_relative_dates_pass_where_the_tool_takes_them(schema: dict[str, Any]) -> None:
    assert "relative-date" not in one({"date": schema}, {"date": "tomorrow"})


def test_a_form_that_only_the_description_states_counts() -> None:
    described = {"date": {"type": "string", "description": "Date in the format YYYY-MM-DD"}}
    assert one(described, {"date": "13-12-2019"}) == {"format": ("date", "likely")}
    assert one(described, {"date": "2019/12/13"})["format"] == ("date", "hint")
    assert one(described, {"date": "any"}) == {"format": ("date", "hint")}
    assert "format" not in one(described, {"date": "2019-12-13"})
    assert one({"date": {"type": "string", "description": "YYYY-MM-DD or DD.MM.YYYY"}}, {"date": "13.12.2019"}) == {}


NOW = "2026-11-30T09:00:00+09:00"  # a Monday


def test_a_date_outside_every_reading_fails() -> None:
    day = {"day": DAY}
    assert one(day, {"day": "2026-12-05"}, "fly next Friday", reference_time=NOW) == {"wrong-date": ("day", "likely")}
    for right in ("2026-12-04", "2026-12-11"):
        assert one(day, {"day": right}, "fly next Friday", reference_time=NOW) == {}
    assert one(day, {"day": "2026-10-04"}, "on 3 October", reference_time=NOW) == {"wrong-date": ("day", "likely")}
    assert one(day, {"day": "2027-10-03"}, "on 3 October", reference_time=NOW) == {}


@pytest.mark.parametrize(
    "user",
    [
        "fly next Friday or Saturday",
        "fly before Friday",
        "the Friday after Christmas",
        "no day named",
        ["it was on 5 December", "book it for next Friday"],
        ["around Christmas", "book it for next Friday"],
        "her date of birth is April 12, 2001, please search",
        "I ordered it last Friday, where is it?",
        "next Friday, order 2026-12-05",
    ],
)
def test_no_judgement_on_a_date_that_is_not_clearly_bound(user: str | list[str]) -> None:
    found = one({"day": DAY}, {"day": "2026-12-05"}, user, reference_time=NOW)
    assert not [r for r, (_, grade) in found.items() if grade != "hint"]


STAY = {"check_in": DAY, "check_out": DAY}
STAYED = "a room from the 3rd to the 5th of December"


def test_a_stretch_of_days_is_held_against_start_and_end() -> None:
    right = {"check_in": "2026-12-03", "check_out": "2026-12-05"}
    assert one(STAY, right, STAYED, reference_time=NOW) == {}
    late = {**right, "check_out": "2026-12-06"}
    assert one(STAY, late, STAYED, reference_time=NOW) == {"wrong-date": ("check_out", "likely")}
    early = {**right, "check_in": "2026-12-02"}
    assert one(STAY, early, STAYED, reference_time=NOW) == {"wrong-date": ("check_in", "likely")}
    for words in ("Friday for two nights please", "12월 4일부터 6일까지 예약해줘", "vom 4. bis 6. Dezember bitte"):
        found = one(STAY, {"check_in": "2026-12-04", "check_out": "2026-12-06"}, words, reference_time=NOW)
        assert found == {}
        found = one(STAY, {"check_in": "2026-12-04", "check_out": "2026-12-07"}, words, reference_time=NOW)
        assert found == {"wrong-date": ("check_out", "likely")}


@pytest.mark.parametrize(
    ("names", "first", "last"),
    [
        (("start_date", "end_date"), "start_date", "end_date"),
        (("to_date", "from_date"), "from_date", "to_date"),
        (("departure_date", "return_date"), "departure_date", "return_date"),
        (("departure_date", "arrival_date"), "arrival_date", "departure_date"),
        (("pickup_date", "dropoff_date"), "pickup_date", "dropoff_date"),
    ],
)
def test_names_tell_the_first_day_from_the_last(names: tuple[str, str], first: str, last: str) -> None:
    both = dict.fromkeys(names, DAY)
    assert one(both, {first: "2026-12-03", last: "2026-12-05"}, STAYED, reference_time=NOW) == {}
    found = one(both, {first: "2026-12-03", last: "2026-12-08"}, STAYED, reference_time=NOW)
    assert found == {"wrong-date": (last, "likely")}


def test_one_argument_that_is_a_start_is_held_against_the_first_day() -> None:
    start = {"check_in": DAY, "nights": {"type": "integer"}}
    assert one(start, {"check_in": "2026-12-03", "nights": 2}, STAYED, reference_time=NOW) == {}
    found = one(start, {"check_in": "2026-12-04", "nights": 2}, STAYED, reference_time=NOW)
    assert found == {"wrong-date": ("check_in", "likely")}


@pytest.mark.parametrize(
    ("schema", "sent", "user"),
    [
        ({"day": DAY, "other_day": DAY}, ("2026-12-09", "2026-12-10"), STAYED),  # names tell nothing
        (STAY, ("2026-12-09", "2026-12-10"), "next Friday"),  # no stretch
        (STAY, ("2026-12-09", "2026-12-10"), f"{STAYED}, or better the 9th"),  # two expressions
        (STAY, ("2026-12-09", "2026-12-10"), "some time in the next three days"),  # loose
        (STAY, ("2026-12-09", "2026-12-10"), [f"Not 2026-12-09 to 2026-12-10, {STAYED}", "go on"]),  # said before
        ({**STAY, "deadline": DAY}, ("2026-12-09", "2026-12-10"), STAYED),  # a third date is offered
        ({"day": DAY}, ("2026-12-09",), STAYED),  # one argument that may be either end
    ],
)
def test_no_judgement_on_a_stretch_that_is_not_clearly_bound(
    schema: dict[str, Any], sent: tuple[str, ...], user: str | list[str]
) -> None:
    assert one(schema, dict(zip(schema, sent, strict=False)), user, reference_time=NOW) == {}


def test_an_end_described_as_exclusive_may_be_the_day_behind() -> None:
    end = {**DAY, "description": "End date, exclusive"}
    sent = {"start": "2026-12-03", "end": "2026-12-06"}
    assert one({"start": DAY, "end": end}, sent, STAYED, reference_time=NOW) == {}
    assert one({"start": DAY, "end": DAY}, sent, STAYED, reference_time=NOW) == {"wrong-date": ("end", "likely")}


def test_a_declared_convention_leaves_one_friday() -> None:
    def rules(user: str, day: str, **declared: Any) -> set[str]:
        messages = [{"role": "user", "content": user}, said(call({"day": day}))]
        trace = Trace.from_openai(messages, [tool({"day": DAY})], metadata={"reference_time": NOW})
        return {c.rule for c in judged(trace, Config(dates=DateConventions(**declared))) if c.fails}

    wrong = {"arguments/wrong-date"}
    assert rules("next Friday", "2026-12-11") == rules("next Friday", "2026-12-04") == set()
    assert rules("next Friday", "2026-12-11", next="nearest") == wrong
    assert rules("next Friday", "2026-12-04", next="nearest") == set()
    assert rules("next Friday", "2026-12-04", next="next-week") == wrong
    assert rules("on 04/12/2026", "2026-12-04") == rules("on 04/12/2026", "2026-04-12") == set()
    assert rules("on 04/12/2026", "2026-04-12", order="dmy") == wrong
    assert rules("on 04/12/2026", "2026-12-04", order="mdy") == wrong


def test_no_judgement_where_two_dates_are_wanted() -> None:
    both = {"day": DAY, "return_day": DAY}
    assert one(both, {"day": "2026-12-05"}, "next Friday", reference_time=NOW) == {}
    assert one(both, {"day": "2026-12-05", "return_day": "2026-12-20"}, "next Friday", reference_time=NOW) == {}


def test_no_judgement_on_a_date_without_a_reference() -> None:
    assert one({"day": DAY}, {"day": "2026-12-05"}, "next Friday") == {}


def test_no_judgement_on_bounds_todays_date_or_a_search_around_the_day() -> None:
    assert one({"since_date": DAY}, {"since_date": "2026-12-05"}, "next Friday", reference_time=NOW) == {}
    assert one({"day": DAY}, {"day": "2026-11-30"}, "next Friday", reference_time=NOW) == {}
    messages = [
        {"role": "user", "content": "fly next Friday"},
        said(call({"day": "2026-12-04"}, call_id="1"), call({"day": "2026-12-05"}, call_id="2")),
    ]
    assert not final_failures(
        judged(Trace.from_openai(messages, [tool({"day": DAY})], metadata={"reference_time": NOW}))
    )


MOMENT = {"start": {"type": "string", "format": "date-time"}}
CHICAGO = "Chicago is at UTC-05:00 from 8 March to 31 October 2026 and at UTC-06:00 otherwise."


def test_an_evening_here_may_be_tomorrow_in_utc() -> None:
    system = f"Today is 2026-08-18. {CHICAGO}"
    assert one(MOMENT, {"start": "2026-08-20T01:00:00Z"}, "tomorrow at 8pm Chicago time", system=system) == {}
    assert one(MOMENT, {"start": "2026-08-20T01:00:00Z"}, "tomorrow evening", reference_time="2026-08-18") == {}
    found = one(MOMENT, {"start": "2026-08-22T01:00:00Z"}, "tomorrow at 8pm Chicago time", system=system)
    assert found == {"wrong-date": ("start", "likely")}


TIME = {"time": {"type": "string", "description": "HH:MM"}}


@pytest.mark.parametrize(
    ("user", "right", "wrong"),
    [
        ("a table at 7pm", ["19:00", "7:00 PM"], ["20:00", "07:00", "19:30"]),
        ("a table at 7:30", ["19:30", "07:30"], ["20:30"]),
        ("a table at 19:30", ["19:30"], ["07:30", "20:30"]),
        ("오후 3시 자리 하나", ["15:00"], ["16:00", "03:00"]),
        ("einen Tisch um 18 Uhr", ["18:00"], ["17:00"]),
        ("下午3点的位子", ["15:00"], ["13:00"]),
    ],
)
def test_a_time_of_day_that_was_not_the_one_spoken_of_fails(user: str, right: list[str], wrong: list[str]) -> None:
    for value in right:
        assert "wrong-time" not in one(TIME, {"time": value}, user)
    for value in wrong:
        assert one(TIME, {"time": value}, user)["wrong-time"] == ("time", "likely")


@pytest.mark.parametrize(
    ("sent", "user"),
    [
        ("20:00", "a table after 7pm"),
        ("20:00", "between 7pm and 9pm"),
        ("20:00", "a table at 7pm or later"),
        ("20:00", ["could it be 20:00?", "a table at 7pm"]),
        ("20:00", "half past 7pm"),
        ("20:00", "a table at 7pm EST"),
        ("20:00", "one hour behind my 7pm flight"),
        ("20:00", "a table tonight"),
        ("evening", "a table at 7pm"),
        ("25:00", "a table at 7pm"),
    ],
)
def test_no_judgement_on_a_time_that_is_not_clearly_bound(sent: str, user: str | list[str]) -> None:
    assert "wrong-time" not in one(TIME, {"time": sent}, user)


def test_no_judgement_on_times_set_apart_from_the_spoken_one() -> None:
    text = {"type": "string"}
    assert one({"reminder_time": text}, {"reminder_time": "18:45"}, "tell me of the call at 7pm") == {}
    assert one({"end_time": text}, {"end_time": "20:00"}, "a call at 7pm") == {}
    both = {"start_time": text, "end_time": text}
    assert one(both, {"start_time": "18:00", "end_time": "20:00"}, "a call at 7pm") == {}
    assert one(TIME, {"time": "18:00"}, "a table at 7pm", system="We are in America/Chicago.") == {}


def test_the_users_clock_time_in_another_offset_fails() -> None:
    user = "on 25 August at 9:00am Chicago time"
    wrong = {"timezone-slip": ("start", "likely")}
    assert one(MOMENT, {"start": "2026-08-25T09:00:00Z"}, user, system=CHICAGO) == wrong
    assert one(MOMENT, {"start": "2026-08-25T09:00:00-08:00"}, user, system=CHICAGO) == wrong
    assert one(MOMENT, {"start": "2026-08-25T09:00:00-05:00"}, user, system=CHICAGO) == {}
    assert one(MOMENT, {"start": "2026-08-25T14:00:00Z"}, user, system=CHICAGO) == {}
    assert one(MOMENT, {"start": "2026-08-25T09:00:00Z"}, "at 9:00am", system=CHICAGO) == wrong
    seoul = "사용자는 서울에 있습니다. 서울은 UTC+9입니다."
    assert one(MOMENT, {"start": "2026-08-25T15:00:00Z"}, "서울 시간 오후 3시에 잡아줘", system=seoul) == wrong


@pytest.mark.parametrize(
    ("user", "system"),
    [
        ("at 9:00am UTC", CHICAGO),
        ("at 9:00am London time", CHICAGO),
        ("at 9:00am EST", CHICAGO),
        ("at 9:00am", "No zone here."),
        ("at 10:00am Chicago time", CHICAGO),
        ("at 9:00am", "Use America/Chicago, or Europe/Berlin for Ada."),
        ("at 9:00am", "Use America/Nowhere."),
    ],
)
def test_no_judgement_on_a_time_whose_zone_is_open(user: str, system: str) -> None:
    assert one(MOMENT, {"start": "2026-08-25T09:00:00Z"}, user, system=system) == {}


def test_a_time_at_another_place_is_a_hint() -> None:
    found = one(MOMENT, {"start": "2026-08-25T09:00:00+01:00"}, "a table in London at 9:00am", system=CHICAGO)
    assert found == {"timezone-slip": ("start", "hint")}


# --- where values come from -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["<order_id>", "{{order_id}}", "YOUR_ORDER_ID", "${ORDER_ID}", "[order_id]"])
def test_a_template_is_a_placeholder_beyond_doubt(value: str) -> None:
    assert one({"order_id": ID}, {"order_id": value}, "my order A-17")["placeholder"] == ("order_id", "proof")


@pytest.mark.parametrize(
    "value",
    [
        "me",
        "mine",
        "current_user",
        "string",
        "order_id",
        "customer_id",
        "TBD",
        "n/a",
        "null",
        "example_order",
        "order",
        "xxx",
        "12345",
        "A123",
    ],
)
def test_a_word_or_counting_digits_in_place_of_an_identifier(value: str) -> None:
    assert one({"order_id": ID}, {"order_id": value}, "send me my order")["placeholder"] == ("order_id", "likely")


@pytest.mark.parametrize(
    ("schema", "value", "user"),
    [
        ({"type": "string", "description": 'User id, or "me" for the signed-in user'}, "me", "show my mail"),
        ({"type": "string", "default": "me"}, "me", "show my mail"),
        ({"type": "string", "enum": ["me", "all"]}, "me", "show my mail"),
        ({"type": "string"}, "12345", "my user is 12345"),
        ({"type": "string"}, "K7PQ2Z", "K7PQ2Z please"),
    ],
)
def test_a_literal_that_is_offered_or_stated_is_no_placeholder(schema: Any, value: str, user: str) -> None:
    assert one({"user_id": schema}, {"user_id": value}, user) == {}


def test_placeholders_can_be_allowed_by_configuration() -> None:
    config = Config(rules={"arguments/placeholder": {"allow": ["me"]}})
    assert "placeholder" not in one({"user_id": TEXT}, {"user_id": "me"}, "my mail", config=config)


def test_text_is_not_taken_for_a_placeholder() -> None:
    assert one({"body": TEXT, "name": TEXT}, {"body": "<b>", "name": "Me"}, "x") == {}
    assert one({"city": TEXT}, {"city": "<city>"}, "x") == {"placeholder": ("city", "hint")}


def test_an_invented_identifier_fails_and_its_repeat_names_the_first() -> None:
    assert one({"order_id": ID}, {"order_id": "FW-366698"}, "order FW-511361") == {"provenance": ("order_id", "likely")}
    messages = [
        {"role": "user", "content": "order FW-511361"},
        said(call({"order_id": "FW-366698"}, call_id="1")),
        {"role": "tool", "tool_call_id": "1", "content": '{"order_id": "FW-366698", "lines": 2}'},
        said(call({"order_id": "FW-366698"}, call_id="2", name="other")),
    ]
    failing = [c for c in judged(Trace.from_openai(messages)) if c.rule == "arguments/provenance" and c.fails]
    assert [c.causes for c in failing] == [(), ("argument:messages[1].calls[0].order_id",)]


def test_parallel_calls_cannot_know_each_others_results() -> None:
    messages = [
        {"role": "user", "content": "where is order Z4?"},
        said(call({"order_id": "Z4"}, call_id="1"), call({"parcel_id": "PK-88213"}, call_id="2")),
        {"role": "tool", "tool_call_id": "1", "content": '{"parcel_id": "PK-88213"}'},
        {"role": "tool", "tool_call_id": "2", "content": "{}"},
    ]
    assert [c.argument for c in final_failures(judged(Trace.from_openai(messages)))] == ["parcel_id"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ids", ["FW-511361"]),
        ("order_id", 511361),
        ("idempotency_key", "9f1c-77"),
        ("currency_code", "USD"),
        ("airport_code", "ICN"),
        ("query", "FW-999999"),
        ("url", "https://x.example/999999"),
        ("user_id", "abc"),
        ("email", "ada.lovelace@engine.example"),
        ("order_id", "a whole sentence with 12345 words"),
    ],
)
def test_what_is_stated_chosen_or_common_is_not_invented(name: str, value: Any) -> None:
    user = "order FW-511361 for Ada Lovelace at engine.example"
    assert not [
        r for r, (_, grade) in one({name: {}}, {name: value}, user).items() if grade not in ("hint", "unscored")
    ]


def test_an_invented_address_or_number_fails_and_words_are_a_hint() -> None:
    assert one({"email": TEXT}, {"email": "bob@x.example"}, "mail him")["provenance"] == ("email", "likely")
    assert one({"order_id": {"type": "integer"}}, {"order_id": 48213}, "my order")["provenance"] == (
        "order_id",
        "likely",
    )
    assert one({"order_id": {"type": "integer"}}, {"order_id": 3}, "my order")["provenance"] == ("order_id", "hint")
    assert one({"plan_id": TEXT}, {"plan_id": "premium"}, "upgrade")["provenance"] == ("plan_id", "hint")
    assert one({"cache_token": TEXT, "key": TEXT}, {"key": "top9"}, "x")["provenance"] == ("key", "hint")


@pytest.mark.parametrize("name", ["to", "recipient", "recipients", "cc", "address"])
def test_an_address_and_a_number_are_known_by_their_shape(name: str) -> None:
    for value in ("anna.schmidt@gmail.com", "+491705551234", "+49 170 5551234"):
        assert one({name: TEXT}, {name: value}, "Send Anna the invoice") == {"provenance": (name, "likely")}
        assert one({name: TEXT}, {name: value}, f"Send it to {value}") == {}
    assert one({name: TEXT}, {name: "anna@example.com"}, "Send it to Anna")["placeholder"] == (name, "likely")
    assert one({name: TEXT}, {name: "Anna"}, "Send it to Berta") == {}


def test_an_address_that_was_spelled_out_and_a_number_said_at_home_are_known() -> None:
    assert one({"to": TEXT}, {"to": "bob@example.com"}, "mail bob at example dot com") == {}
    assert one({"phone": TEXT}, {"phone": "+49 170 5551234"}, "call 0170/555 1234") == {}
    assert one({"to": TEXT}, {"to": "+14155550123"}, "text (415) 555-0123") == {}
    assert one({"phone": TEXT}, {"phone": "+49 170 5551234"}, "call him")["provenance"] == ("phone", "likely")
    assert one({"note": TEXT}, {"note": "anna.schmidt@gmail.com"}, "note that")["provenance"] == ("note", "hint")
    assert one({"to": TEXT}, {"to": "2026-12-01"}, "x") == {}


def test_a_misread_decimal_mark_is_named_as_one() -> None:
    amount = {"amount": {"type": "number", "description": "amount in EUR"}}
    found = one(amount, {"amount": 1.2345}, "Bezahle die Rechnung über 1.234,50 Euro.")
    assert found["number-misread"] == ("amount", "likely")
    assert "unit-slip" not in found
    assert "unit-slip" in one(amount, {"amount": 123450}, "Bezahle die Rechnung über 1.234,50 Euro.")


def test_an_identifier_the_caller_chose_is_known_from_then_on() -> None:
    messages = [
        {"role": "user", "content": "make one"},
        said(call({"alert_id": "al-4711"}, name="create_alert", call_id="1")),
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        said(call({"alert_id": "al-4711"}, name="get_alert", call_id="2")),
    ]
    assert final_failures(judged(Trace.from_openai(messages))) == []


def test_provenance_is_unscored_where_something_was_not_captured() -> None:
    messages = [
        {"role": "user", "content": "go"},
        said(call({}, call_id="1", name="find")),
        {"role": "tool", "tool_call_id": "1", "content": None},
        said(call({"order_id": "FW-366698"}, call_id="2")),
    ]
    found = [(c.status, c.grade) for c in judged(Trace.from_openai(messages)) if c.rule == "arguments/provenance"]
    assert [status for status, _ in found] == ["unscored"]


# --- amounts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "user"),
    [
        ("amount_cents", 64, "refund my $64.00"),
        ("amount_cents", "8400", "book $8,400"),
        ("amount_cents", 45, "refund 45,00 €"),
        ("window_minutes", 3, "the last 3 hours"),
        ("duration_minutes", 2, "two hours with Ada"),
        ("timeout_ms", 30, "wait 30 seconds"),
        ("weight_kg", 500, "it weighs 500 g, I mean 500 grams"),
        ("term_months", 2, "a loan over 2 years"),
    ],
)
def test_digits_copied_from_another_unit_fail(name: str, value: Any, user: str) -> None:
    assert one({name: {"type": ["number", "string"]}}, {name: value}, user)["unit-slip"] == (name, "likely")


@pytest.mark.parametrize(
    ("name", "value", "user"),
    [
        ("amount_cents", 6400, "refund my $64.00"),
        ("amount_cents", 64, "$64.00 in total; refund 64 cents"),
        ("amount_cents", 64, "refund $64.00, item 64"),
        ("amount_cents", 64, "64원 환불, $64 아님"),
        ("window_minutes", 180, "the last 3 hours"),
        ("window_minutes", 3, "the last 3 minutes"),
        ("window_minutes", 5, "the last 3 hours"),
        ("window_minutes", True, "the last 1 hours"),
        ("note", 3, "the last 3 hours"),
    ],
)
def test_converted_and_otherwise_stated_numbers_pass(name: str, value: Any, user: str) -> None:
    assert "unit-slip" not in one({name: {"type": "number"}}, {name: value}, user)


def test_a_number_that_a_result_states_in_the_unit_is_no_slip() -> None:
    def slips(payload: str) -> bool:
        messages = [
            {"role": "user", "content": "refund my $64"},
            said(call({}, call_id="1", name="look")),
            {"role": "tool", "tool_call_id": "1", "content": payload},
            said(call({"amount_cents": 64}, call_id="2")),
        ]
        checks = judged(Trace.from_openai(messages, [tool({"amount_cents": {"type": "integer"}})]))
        return any(c.rule == "arguments/unit-slip" and c.fails for c in checks)

    assert not slips('{"lines": [{"fee_cents": 64}]}')
    assert slips('{"lines": [{"quantity": 64}]}')


def bound(description: str, value: Any) -> str:
    found = one({"n": {"type": "number", "description": description}}, {"n": value}).get("policy-bound")
    return found[1] if found else "none"


@pytest.mark.parametrize(
    ("description", "outside", "inside"),
    [
        ("How many, at most 25", 26, 25),
        ("Max. 100 rows", 101, 100),
        ("between 1 and 9", 10, 9),
        ("Chance in percent, 0-100", 101, 100),
        ("At least 5", 4, 5),
        ("up to 1,000", 1001, 1000),
        ("최대 10", 11, 10),
        ("10 이하", 11, 10),
        ("mindestens 2", 1, 2),
    ],
)
def test_a_bound_in_words_counts(description: str, outside: Any, inside: Any) -> None:
    assert bound(description, outside) == "likely"
    assert bound(description, inside) == "none"


@pytest.mark.parametrize(
    "description",
    ["at most 25 characters", "up to 3 decimals", "seasons 2019-2024", "max 5 requests", "at most 5, at most 9", "e.g. 1-800-555", "at least 9, at most 3"],
)  # fmt: skip
def test_words_about_something_else_are_no_bound(description: str) -> None:
    assert bound(description, 999) == "none"
    assert bound(description, float("1e300")) == "none"


# --- the user's words --------------------------------------------------------------------------------------------------

NOTE = 'Add a note with exactly this text: "Happy birthday Lena, enjoy every cup of tea"'


@pytest.mark.parametrize(
    ("user", "value", "grade"),
    [
        (NOTE, "Happy birthday Lena, enjoy every c", "proof"),
        (NOTE, "Happy birthday Lena, enjoy...", "proof"),
        (NOTE, "Happy birthday Lena, enjoy", "likely"),
        ('titled "Quarterly budget walkthrough"', "Quarterly budget walkthr", "likely"),
        ("word for word: Happy birthday Lena, enjoy every cup", "Happy birthday Lena, enjoy ev", "proof"),
        ("메모를 그대로 적어줘: 「생일 축하해요 레나, 차 한 잔 즐기세요」", "생일 축하해요 레나, 차 한", "likely"),
        ("note: 'Happy birthday Lena, it's your day today'", "Happy birthday Lena, it's your d", "likely"),
    ],
)
def test_dictated_text_cut_short_fails(user: str, value: str, grade: str) -> None:
    assert one({"text": TEXT}, {"text": value}, user) == {"truncated": ("text", grade)}


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "«»", "「」", "『』", "''"])
def test_text_is_dictated_in_quotes_of_any_kind(quotes: str) -> None:
    user = f"titled {quotes[0]}Quarterly budget walkthrough{quotes[1]}"
    assert one({"text": TEXT}, {"text": "Quarterly budget walkthr"}, user) == {"truncated": ("text", "likely")}


@pytest.mark.parametrize("colon", [":", "："])
def test_text_is_dictated_after_a_colon_of_any_width(colon: str) -> None:
    user = f"word for word{colon} Quarterly budget walkthrough"
    assert one({"text": TEXT}, {"text": "Quarterly budget walkthr"}, user) == {"truncated": ("text", "proof")}


@pytest.mark.parametrize(
    ("user", "value"),
    [
        (NOTE, "Happy birthday Lena, enjoy every cup of tea"),
        (NOTE, "happy birthday  lena, enjoy every cup of t."),
        (NOTE, "Congratulations"),
        (NOTE, "Happy"),
        ("no quotes here, Happy birthday", "Happy birth"),
        (
            "tell 'USR003' that 'Zeta has potential. What now?'in their inbox, I'm '1234'",
            "Zeta has potential. What now?",
        ),
    ],
)
def test_whole_and_other_texts_pass(user: str, value: str) -> None:
    assert "truncated" not in one({"text": TEXT}, {"text": value}, user)


def test_a_name_inside_a_quotation_is_not_cut_text() -> None:
    user = 'Log this: "Northgate Dental wants a demo next week"'
    assert one({"company": TEXT}, {"company": "Northgate Dental"}, user) == {}
    both = {"title": "Northgate Dental wa", "body": "Northgate Dental wants a demo next week"}
    assert one({"title": TEXT, "body": TEXT}, both, user) == {}


ROUTE = {"origin": TEXT, "destination": TEXT}


@pytest.mark.parametrize(
    ("user", "origin", "destination"),
    [
        ("fly from Austin to Miami", "Miami", "Austin"),
        ("Austin to Miami please", "MIA", "AUS"),
        ("von Berlin nach Bremen", "Bremen", "Berlin"),
        ("서울에서 부산으로 가는 기차", "부산", "서울"),
        ("从北京到上海", "上海", "北京"),
        ("a flight to Madrid from Oslo", "Madrid", "Oslo"),
        ("Flug nach Rom ab Köln", "Rom", "Köln"),
        ("東京から大阪まで", "大阪", "東京"),
    ],
)
def test_exchanged_places_fail(user: str, origin: str, destination: str) -> None:
    assert one(ROUTE, {"origin": origin, "destination": destination}, user) == {"swapped": ("origin", "likely")}
    assert one(ROUTE, {"origin": destination, "destination": origin}, user) == {}


@pytest.mark.parametrize("user", ["Austin to Miami and back", "somewhere warm", "from Austin to Dallas"])
def test_other_journeys_are_left_alone(user: str) -> None:
    assert one(ROUTE, {"origin": "Miami", "destination": "Austin"}, user) == {}
    assert one(ROUTE, {"origin": 5, "destination": "Austin"}, user).keys() <= {"wrong-type"}


@pytest.mark.parametrize(
    "user",
    [
        "We drive from Oslo to Rom and fly home tomorrow",
        "My train goes from Oslo to Rom; a flight in the opposite direction tomorrow",
        "I go from Oslo to Rom by car and fly the other way round",
        "mit dem Zug von Oslo nach Rom und will morgen zurückfliegen",
        "Fui de Oslo a Rom, quiero volver mañana",
    ],
)
def test_words_of_a_return_leave_the_order_of_a_route_open(user: str) -> None:
    assert one(ROUTE, {"origin": "Rom", "destination": "Oslo"}, user) == {}


def test_the_way_back_is_no_exchange() -> None:
    messages = [
        {"role": "user", "content": "fly from Austin to Miami"},
        said(
            call({"origin": "Austin", "destination": "Miami"}, call_id="1"),
            call({"origin": "Miami", "destination": "Austin"}, call_id="2"),
        ),
    ]
    assert final_failures(judged(Trace.from_openai(messages, [tool(ROUTE)]))) == []


@pytest.mark.parametrize(
    ("arguments", "fails"),
    [
        ({"start_date": "2026-05-04", "end_date": "2026-05-01"}, True),
        ({"start_date": "2026-05-01", "end_date": "2026-05-04"}, False),
        ({"start": "2026-05-04T10:00:00Z", "end": "2026-05-04T11:00:00+02:00"}, True),
        ({"min_price": 9, "max_price": 3}, True),
        ({"min_price": 3, "max_price": 9}, False),
        ({"start": 9, "end": 3}, False),
        ({"departure_date": "2026-05-04", "return_date": "2026-05-01"}, True),
        ({"start_date": "2026-05-04", "end_date": "2026-05-01T10:00:00Z"}, False),
    ],
)
def test_a_pair_out_of_order_fails(arguments: dict[str, Any], fails: bool) -> None:
    assert ("swapped" in one(None, arguments)) is fails


CONTACT = {"phone": {"type": ["string", "null"]}, "job_title": {"type": ["string", "null"]}}


def test_an_erasing_null_nobody_asked_for_fails() -> None:
    erases = "Left-out fields stay, null erases."
    sent = {"phone": "555", "job_title": None}
    user = "new phone 555, keep everything else"
    assert one(CONTACT, sent, user, description=erases) == {"null-erases": ("job_title", "likely")}
    assert one(CONTACT, sent, user) == {}
    asked = one(CONTACT, sent, "phone 555, and remove the title", description=erases)
    assert asked == {"null-erases": ("job_title", "unscored")}
    default = {**CONTACT, "job_title": {"type": ["string", "null"], "default": None}}
    assert one(default, sent, user, description=erases) == {}


# --- the rules as a whole -----------------------------------------------------------------------------------------------


def test_every_rule_that_is_named_is_documented() -> None:
    rules = catalogue(RULES)
    seen = {c.rule for row in FAULTS for c in of_row(row["trace"])}
    assert seen <= rules.keys()
    assert all(r.looks_at and r.why and r.fails and r.passes for r in rules.values())
    assert {"arguments/relative-date", "arguments/provenance", "arguments/enum-case"} <= rules.keys()


def test_judging_changes_nothing() -> None:
    row = FLIGHT["flight"]
    before = copy.deepcopy(row)
    of_row(row)
    assert row == before


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["next Friday", "<id>", "me", "2026-05-01T10:00:00Z"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=6), x, max_size=3),
    max_leaves=10,
)  # fmt: skip
names = st.sampled_from(["order_id", "start_date", "end_date", "amount_cents", "text", "origin", "destination", "x"])


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(names, json_values, max_size=4) | json_values,
    st.dictionaries(names, json_values, max_size=3),
    st.text(max_size=40) | st.sampled_from(["next Friday, $64 from A to B", 'exactly: "a very long dictated text"']),
)
def test_any_json_gives_checks_and_no_exception(arguments: Any, properties: Any, user: str) -> None:
    messages = [
        {"role": "user", "content": user},
        said({"id": "c", "function": {"name": "act", "arguments": arguments}}),
    ]
    trace = Trace.from_openai(messages, [tool(properties)], metadata={"reference_time": NOW})
    checks = judged(trace)
    assert all(c.unit.startswith("argument:") and c.layer == "arguments" for c in checks)
    assert all(c.message for c in checks)
