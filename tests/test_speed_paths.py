"""What is left out to be fast changes no verdict: functions not called, tools read once, evidence asked for once."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rootcall.case import Case
from rootcall.check import Check, Rule, emits, emitted
from rootcall.config import Config, ToolConfig
from rootcall.judging import rule_functions, verdict
from rootcall.pairing import pair
from rootcall.trace import Tool, Trace, per_record

DATA = Path(__file__).parent / "data"
WEATHER: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}},
        },
    }
]


def asked(arguments: dict[str, Any], tools: Any = WEATHER) -> Trace:
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": json.dumps(arguments)}}
    messages = [
        {"role": "user", "content": "The weather in Busan, please."},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": '{"sky": "clear"}'},
        {"role": "assistant", "content": "It is clear."},
    ]
    return Trace.from_openai(messages, tools)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the users' rule functions that were called; one says what it names, the other does not."""
    found: list[str] = []

    @emits(Rule(name="selection/too-chatty", looks_at="answers", why="because", fails="long", passes="short"))
    def chatty(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
        found.append("chatty")
        yield Check(
            layer="selection",
            rule="selection/too-chatty",
            status="fail",
            unit="chat",
            at="messages[0]",
            tool="get_weather",
        )

    def silent(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
        found.append("silent")
        yield Check(layer="selection", rule="selection/unheard-of", status="fail", unit="chat", at="messages[0]")

    functions = {"chatty": chatty, "silent": silent}
    monkeypatch.setattr(EntryPoint, "load", lambda self: functions[self.name])
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [EntryPoint(n, f"my.rules:{n}", group) for n in functions]
    )
    rule_functions.cache_clear()
    yield found
    rule_functions.cache_clear()


def rules_of(config: Config | None) -> set[str]:
    return {c.rule for c in verdict(asked({"city": "Busan"}), config=config).checks}


def test_a_function_is_called_when_one_of_its_rules_is_on_somewhere(called: list[str]) -> None:
    assert "selection/too-chatty" in rules_of(None)
    assert called == ["chatty", "silent"]
    called.clear()
    assert "selection/too-chatty" in rules_of(Config(select=("selection",)))
    assert "chatty" in called
    called.clear()
    at_tool = Config(select=("arguments",), tools={"get_weather": ToolConfig(select=("selection/too-chatty",))})
    assert "selection/too-chatty" in rules_of(at_tool)
    assert "chatty" in called


def test_a_function_none_of_whose_rules_is_on_is_not_called(called: list[str]) -> None:
    for config in (
        Config(select=("arguments",)),
        Config(ignore=("selection/too-chatty",)),
        Config(ignore=("selection",)),
    ):
        called.clear()
        assert "selection/too-chatty" not in rules_of(config)
        assert "chatty" not in called


def test_a_function_that_does_not_say_what_it_names_is_called_and_heard_where_its_rule_is_on(called: list[str]) -> None:
    assert "selection/unheard-of" not in rules_of(Config(select=("arguments",)))
    assert called == ["silent"]
    assert "selection/unheard-of" in rules_of(None)


def test_a_rule_that_a_tool_ignores_is_heard_elsewhere_only(called: list[str]) -> None:
    ignored = Config(tools={"get_weather": ToolConfig(ignore=("selection/too-chatty",))})
    assert "selection/too-chatty" not in rules_of(ignored)
    assert "chatty" in called
    elsewhere = Config(tools={"get_time": ToolConfig(ignore=("selection/too-chatty",))})
    assert "selection/too-chatty" in rules_of(elsewhere)


def test_one_configuration_after_another_each_counts() -> None:
    for config, layers in (
        (Config(select=("arguments",)), {"arguments"}),
        (Config(select=("selection",)), {"selection"}),
    ):
        for _ in range(2):
            assert {c.layer for c in verdict(asked({"city": "Busan"}), config=config).checks} == layers


def test_every_function_says_all_the_rules_it_names() -> None:
    for name in ("faults_small.jsonl.gz", "faults_arguments.jsonl.gz", "wrong_runs.jsonl.gz", "right_answers.jsonl.gz"):
        for line in gzip.decompress((DATA / name).read_bytes()).decode("utf-8").splitlines():
            row = json.loads(line)
            t = row.get("trace", row)
            trace = Trace.from_openai(t["messages"], t.get("tools"), metadata=t.get("metadata"))
            case = Case.from_dict(row["case"], id=row["id"]) if row.get("case") else None
            for function in rule_functions():
                said = emitted(function)
                assert said is not None, function
                assert {c.rule for c in function(trace, case, Config())} <= said, function


def test_what_rules_are_off_changes_no_check_of_the_others() -> None:
    for line in gzip.decompress((DATA / "faults_small.jsonl.gz").read_bytes()).decode("utf-8").splitlines()[::5]:
        row = json.loads(line)
        t = row["trace"]
        trace = Trace.from_openai(t["messages"], t.get("tools"), metadata=t.get("metadata"))
        every = verdict(trace).checks
        for rule in {c.rule for c in every}:
            assert verdict(trace, config=Config(select=(rule,))).checks == tuple(c for c in every if c.rule == rule)


def test_tools_are_shared_by_traces_and_stay_as_they_were_read() -> None:
    tools = copy.deepcopy(WEATHER)
    before = asked({"city": "Busan"}, tools)
    assert asked({"city": "Seoul"}, tools).tools is before.tools
    tools[0]["function"]["parameters"]["required"] = ["n"]
    assert [c.rule for c in verdict(before).checks if c.fails] == []
    assert [c.rule for c in verdict(asked({"city": "Busan"}, tools)).checks if c.fails] == [
        "arguments/missing-required"
    ]
    assert [c.rule for c in verdict(asked({"city": "Busan"})).checks if c.fails] == []


def test_tools_can_come_as_their_text() -> None:
    text = json.dumps(WEATHER, indent=1)
    row = msgspec.json.decode(f'{{"tools": {text}}}', type=dict[str, msgspec.Raw])
    assert asked({"city": "Busan"}, row["tools"]).tools == asked({"city": "Busan"}).tools
    broken = asked({"city": "Busan"}, msgspec.Raw(b"[{]"))
    assert (broken.tools, [p.code for p in broken.problems]) == ((), ["tools-not-a-list"])


def test_tools_that_are_no_json_are_read_as_they_are() -> None:
    odd = [{"name": "get_weather", "parameters": {"type": "object", "default": object()}}]
    assert [t.name for t in asked({"city": "Busan"}, odd).tools] == ["get_weather"]


def test_results_are_kept_for_a_record_and_not_for_its_equal() -> None:
    asked_about: list[str] = []

    @per_record
    def name(tool: Tool) -> str:
        asked_about.append(tool.name)
        return tool.name

    one, other = Tool("a"), Tool("a")
    assert [name(one), name(one), name(other)] == ["a", "a", "a"]
    assert asked_about == ["a", "a"]


def test_a_trace_is_paired_with_each_of_two_cases() -> None:
    trace = asked({"city": "Busan"})
    right, wrong = (
        Case.from_dict({"expect": {"calls": [{"tool": tool, "arguments": {"city": "Busan"}}]}})
        for tool in ("get_weather", "get_time")
    )
    for _ in range(2):
        met, unmet = pair(trace, right), pair(trace, wrong)
        assert met is not None
        assert unmet is not None
        assert (len(met.pairs), len(unmet.pairs)) == (1, 0)
        assert met is pair(trace, right)


@pytest.mark.parametrize("text", [' {"city": "Busan"}', '{"city": "Busan"}\n', '\t{"city": "Busan"} '])
def test_white_space_around_arguments_is_nothing(text: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": text}}
    trace = Trace.from_openai([{"role": "assistant", "tool_calls": [call]}])
    assert trace.calls[0].arguments == {"city": "Busan"}
    assert trace.calls[0].state == "json_string"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1} {"a": 2}', "Extra data"),
        ('{"a": ', "Expecting value"),
        ("\ufeff{}", "BOM"),
        ('{"a": 1, "a": NaN}', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_still_said(text: str, reason: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": text}}
    made = Trace.from_openai([{"role": "assistant", "tool_calls": [call]}]).calls[0]
    assert made.state == "not_json"
    assert reason in (made.problem or "")


def test_keys_that_stand_twice_are_named_at_any_depth() -> None:
    text = '{"a": {"b": 1, "b": 2}, "c": 1, "c": 2}'
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": text}}
    made = Trace.from_openai([{"role": "assistant", "tool_calls": [call]}]).calls[0]
    assert (made.state, made.problem) == ("duplicate_keys", "arguments name 'b', 'c' twice")
    assert made.arguments == {"a": {"b": 2}, "c": 2}
