"""One trace with its checks beside the messages."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from rich.console import Console

from rootcall.check import Check
from rootcall.diagnosis import diagnose
from rootcall.judging import verdict
from rootcall.report.transcript import print_transcript
from rootcall.trace import Trace

MakeTrace = Callable[..., Trace]
MakeCheck = Callable[..., Check]


def text_of(trace: Trace, checks: list[Check], *, full: bool = False, width: int = 80) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    print_transcript(trace, diagnose(trace, checks), console, full=full)
    console.file.close()
    return "\n".join(line.rstrip() for line in console.export_text().splitlines())


def test_a_failing_check_stands_right_below_its_call(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    text = text_of(
        make_trace(),
        [make_check("arguments/relative-date", "fail", argument="day", message="not a date", expected="a date")],
    )
    call, origin, result, check = text[text.index("→") :].splitlines()[:4]
    assert call == '→ search(day="2026-12-01")'
    assert origin == "      day <- nowhere"
    assert result == '  ← ok  {"found": 3}'
    assert check.strip() == '✗ arguments/relative-date day  not a date; expected "a date"'


def test_passing_checks_share_one_line_and_full_shows_each(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    checks = [
        make_check("arguments/format", "pass"),
        make_check("arguments/provenance", "pass", message="from the user"),
    ]
    assert "✓ arguments/format, arguments/provenance" in text_of(make_trace(), checks)
    assert "✓ arguments/provenance  from the user" in text_of(make_trace(), checks, full=True)


def test_hints_are_shown_and_unscored_ones_with_full(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    checks = [
        make_check("arguments/provenance", "fail", grade="hint"),
        make_check("utilization/unsupported", "unscored", unit="u"),
    ]
    text = text_of(make_trace(), checks)
    assert "? arguments/provenance (hint)" in text
    assert "utilization/unsupported" not in text
    assert "? utilization/unsupported (unscored)" in text_of(make_trace(), checks, full=True)


def test_a_check_about_an_answer_stands_below_the_answer(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    check = make_check("utilization/unsupported", "fail", at="messages[3]", unit="claim")
    lines = text_of(make_trace(), [check]).splitlines()
    answer = lines.index("  There are 3.")
    assert lines[answer + 1].startswith("  ✗ utilization/unsupported")


def test_a_check_without_a_place_stands_at_the_end(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    text = text_of(make_trace(), [make_check("trajectory/goal-missed", "fail", at="", unit="goal")])
    assert text.index("There are 3.") < text.index("The trace as a whole") < text.index("trajectory/goal-missed")


def test_it_ends_with_the_verdict(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    text = text_of(make_trace("mine"), [make_check("arguments/relative-date", "fail", argument="day")])
    assert "mine  FAIL  root cause: arguments · search.day · relative-date" in text
    assert "selection n/a  arguments fail 0 %" in text


def test_errors_missing_results_and_unreadable_arguments_are_told() -> None:
    def call(name: str, arguments: object) -> dict[str, object]:
        return {"id": name, "function": {"name": name, "arguments": arguments}}

    messages = [
        {"role": "system", "content": "be brief " * 100},
        {"role": "user", "content": "\n".join(map(str, range(40)))},
        {"role": "assistant", "tool_calls": [call("a", "{broken"), call("b", "{}"), call("c", "{}")]},
        {"role": "tool", "tool_call_id": "a", "content": '{"status": 503, "message": "down"}'},
        {"role": "tool", "tool_call_id": "b", "content": None},
        {"role": "tool", "tool_call_id": "nobody", "content": "lost"},
        {"role": "assistant", "content": None},
    ]
    trace = Trace.from_openai(messages, metadata={"model": "m-1", "reward": 0.0})
    text = text_of(trace, [])
    assert "not_json" in text
    assert "← error 503" in text
    assert "no_result" in text
    assert text.count("(content not captured)") == 2
    assert "28 more lines (--full)" in text
    assert "model: m-1" in text
    assert "offered tools not known" in text
    assert "noted:" in text
    assert "39" in text_of(trace, [], full=True)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_terminal(make_trace: MakeTrace, make_check: MakeCheck, width: int) -> None:
    checks = [make_check("arguments/relative-date", "fail", argument="day", message="word " * 60)]
    assert max(map(len, text_of(make_trace(), checks, width=width).splitlines())) <= width


def test_a_value_nested_too_deep_to_write_is_still_shown(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    assert "✗ arguments/format" in text_of(make_trace(), [make_check("arguments/format", "fail", expected=deep)])


def test_the_agent_of_a_message_is_told() -> None:
    trace = Trace.from_openai([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    spoken = msgspec.structs.replace(trace.messages[1], agent="planner")
    assert "assistant planner" in text_of(msgspec.structs.replace(trace, messages=(trace.messages[0], spoken)), [])


def test_attempts_are_named(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    assert "(first attempt)" in text_of(make_trace(), [make_check("arguments/format", "fail", attempt="first")])


def test_control_characters_are_not_passed_on(make_check: MakeCheck) -> None:
    trace = Trace.from_openai(
        [{"role": "user", "content": "\x1b[31mred \ud800"}, {"role": "assistant", "content": "ok"}], id="a\x07"
    )
    text = text_of(trace, [make_check("arguments/format", "fail", got=float("nan"))])
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_tool_with_a_broken_schema_is_noted_once() -> None:
    broken = [{"name": "act", "parameters": {"type": "dict", "properties": {"a": {"type": "int"}}}}]
    calls = [{"id": c, "function": {"name": "act", "arguments": '{"a": 1, "b": 2}'}} for c in "xy"]
    trace = Trace.from_openai(
        [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": calls}], tools=broken
    )
    text = text_of(trace, list(verdict(trace).checks), width=200)
    assert text.count("noted: calls of 'act' are not judged by it: the schema is broken") == 1
