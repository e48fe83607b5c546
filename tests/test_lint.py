"""Gold is linted: played against itself it is 1.0, it keeps the schemas, and no part of it contradicts another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rootcall
from rootcall.case import Case, Cases, load_cases
from rootcall.cli.main import main
from rootcall.config import Config
from rootcall.lint import RULES, GoldFault, lint, lint_case, unusable
from rootcall.trace import Source, Tool, Trace

MakeTrace = Callable[..., Trace]

WEATHER = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "day": {"type": "string", "format": "date"},
            "unit": {"type": "string", "enum": ["metric", "imperial"]},
            "hours": {"type": "integer", "minimum": 1, "maximum": 48},
            "detailed": {"type": "boolean"},
            "stations": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["city"],
    },
}
CLOSED = {
    "name": "delete_user",
    "parameters": {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
        "additionalProperties": False,
    },
}


def case(*given: dict[str, Any], tools: Any = (WEATHER, CLOSED), **rest: Any) -> Case:
    expect = {"calls": list(given), **{k: rest.pop(k) for k in list(rest) if k not in ("input", "reference_time")}}
    return Case.from_dict({"tools": None if tools is None else list(tools), "expect": expect, **rest})


def call(tool: str = "get_weather", **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}


def rules(faults: list[GoldFault]) -> list[str]:
    return [f.rule.removeprefix("gold/") for f in faults]


SOUND: list[Case] = [
    case(call(city="Bonn")),
    case(),
    case({"tool": "get_weather"}),
    case(call(city="Bonn", unit={"$one_of": ["metric", {"$absent": True}]})),
    case(call(city={"$casefold": "bonn"}, hours={"$range": [2, 5]})),
    case(call(city="Bonn", hours={"$approx": [24, 0.1]}, stations={"$unordered": ["a", "b"]})),
    case(call(city={"$regex": "^B"}, unit={"$not": "metric"}, detailed={"$not": True})),
    case(call(city="Bonn", day={"$date": "next friday"}), reference_time="2026-11-30T09:00:00+09:00"),
    case(call(city="Bonn", day={"$date": "2026-12-04"}, stations={"$contains": "a"})),
    case(call(city={"$judge": "Is it the user's home town?"}, unit={"$casefold": "METRIC"})),
    case(call(city="Bonn"), call("delete_user", id={"$from": "get_weather[0].id"}), order="strict"),
    case(call(city="Bonn"), call(city="Bonn"), order="in_order"),
    case(call(city="A"), alternatives=[[call(city="B")], []]),
    case(call(city="Bonn"), forbid=["delete_user"], answer=[{"$says": "mild"}, {"$not": {"$says": "cold"}}]),
    case({"tool": "get_weather", "optional": True}, extra="forbid"),
    case(call(city="Bonn"), tools=None),
]


@pytest.mark.parametrize("sound", SOUND)
def test_sound_gold_has_no_fault(sound: Case) -> None:
    assert lint_case(sound) == []
    assert unusable(sound, sound.tools) is None


CITY, UNIT, HOURS, STATIONS = (f"expect.calls[0].arguments.{name}" for name in ("city", "unit", "hours", "stations"))

# Each names one fault, at its place, by its rule.
FAULTY: list[tuple[Case, str, str, str]] = [
    (case(call("get.weather", city="B")), "unknown-tool", "expect.calls[0]", "did you mean 'get_weather'"),
    (case(call("Get_Weather", city="B")), "unknown-tool", "expect.calls[0]", "did you mean 'get_weather'"),
    (case(call(city="B"), forbid=["drop"]), "unknown-tool", "expect.forbid[0]", "offered are get_weather"),
    (case(call(city="B"), errors={"drop": {"*": "retry"}}), "unknown-tool", "expect.errors.drop", "'drop'"),
    (case(call(city={"$from": "find[0].city"})), "unknown-tool", "expect.calls[0].arguments.city", "'find'"),
    (case(call(city=5)), "schema-invalid", "expect.calls[0].arguments.city", "must be a string"),
    (case(call(city="B", hours={"$range": [90, 99]})), "schema-invalid", "expect.calls[0].arguments.hours", "48"),
    (case(call(city="B", unit={"$one_of": ["c", "f"]})), "schema-invalid", "expect.calls[0].arguments.unit", "c"),
    (case(call("delete_user", id="7", why="spam")), "schema-invalid", "expect.calls[0].arguments.why", "why"),
    (case(call(city="B", unit={"$one_of": ["metric", "c"]})), "unreachable", "expect.calls[0].arguments.unit", "c"),
    (
        case(call(city={"$one_of": ["B", {"$absent": True}]})),
        "unreachable",
        "expect.calls[0].arguments.city",
        "leaving it out is one way, but get_weather requires city",
    ),
    (case(call(city="B", unit={"$one_of": []})), "impossible", "expect.calls[0].arguments.unit", "one of none"),
    (
        case(call(city="B", hours={"$range": [9, 2]})),
        "impossible",
        "expect.calls[0].arguments.hours",
        "between 9 and 2",
    ),
    (case(call(city={"$not": {"$any": True}})), "impossible", "expect.calls[0].arguments.city", "$absent"),
    (case(call()), "impossible", "expect.calls[0].arguments", "requires city"),
    (case(call(city={"$absent": True})), "impossible", "expect.calls[0].arguments.city", "only leaving it out"),
    (
        case({"tool": "get_weather", "arguments": {"unit": "metric"}, "extra_arguments": "forbid"}),
        "impossible",
        "expect.calls[0].arguments",
        "requires city",
    ),
    (
        case(call("delete_user", id={"$from": "get_weather[0].id"}), call(city="B"), order="strict"),
        "impossible",
        "expect.calls[0].arguments.id",
        "no result number 0 of get_weather",
    ),
    (case(call(city="B", day={"$date": "soonish"})), "unreadable-date", "expect.calls[0].arguments.day", "soonish"),
    (case(call(city="B", day={"$instant": "noon"})), "unreadable-date", "expect.calls[0].arguments.day", "noon"),
    (case(call(city="B", day={"$date": "tomorrow"})), "needs-reference-time", "expect.calls[0].arguments.day", ""),
    (case(call(city="B", untis="metric")), "undeclared-argument", "expect.calls[0].arguments.untis", "mean 'unit'"),
    (case(call(city="B"), forbid=["get_weather"]), "contradiction", "expect.calls[0]", "stands in forbid"),
    (case(call(city="B"), order="strict", extra="allow"), "contradiction", "expect.extra", "strict"),
    (
        case(call(city="B"), answer=[{"$says": "mild"}, {"$not": {"$says": "mild"}}]),
        "contradiction",
        "expect.answer[1]",
        "must be said and must not",
    ),
    (case(call(city="B"), goal={"reward": 1}), "not-judged-yet", "expect.goal", "no rule reads goal"),
    (case(extra="allow"), "judges-nothing", "expect", "every run passes"),
    (case({"tool": "get_weather", "optional": True}, extra="allow"), "judges-nothing", "expect", "every run passes"),
    (case(call(city="A"), alternatives=[[call(city="A")]]), "unreachable", "expect.alternatives[0]", "expect.calls"),
    (
        case(call(city="B"), errors={"get_weather": {"4xx": "ask"}}),
        "unknown-error-code",
        'expect.errors.get_weather["4xx"]',
        "no error is '4xx'; a status (404), a code, *, or one of validation, not_found",
    ),
    (
        case(call(city="B"), errors={"get_weather": {"not-found": "ask"}}),
        "unknown-error-code",
        "expect.errors.get_weather.not-found",
        "did you mean 'not_found'?",
    ),
    (case(calls="some", forbid=["get_weather", "delete_user"]), "contradiction", "expect.calls", "every offered tool"),
    (case(call(city="B", stations=["a", {"$absent": True}])), "impossible", STATIONS, "never absent"),
    (case(call(city="B", stations={"$unordered": [{"$absent": True}]})), "impossible", STATIONS, "never absent"),
    (case(call(city="B", stations={"$contains": {"$absent": True}})), "impossible", STATIONS, "never absent"),
    (case(call(city="B", stations={"$contains": 3})), "schema-invalid", STATIONS, "must be a string"),
    (
        case(call(city="B", hours={"$regex": "45"})),
        "schema-invalid",
        HOURS,
        "met by a text only, the schema wants integer",
    ),
    (case(call(city="B", hours={"$contains": "3"})), "schema-invalid", HOURS, "met by a text or a list only"),
    (case(call(city={"$contains": {"a": 1}})), "schema-invalid", CITY, "met by a list only, the schema wants string"),
    (
        case(call(city={"$approx": [{"$from": "get_weather[0].n"}, 0.1]})),
        "schema-invalid",
        CITY,
        "met by a number only",
    ),
    (case(call(city="B", unit={"$regex": "^si$"})), "schema-invalid", UNIT, "none of the values that the schema lists"),
    (case(call(city="B", hours={"$range": [10.2, 10.8]})), "schema-invalid", HOURS, 'type "integer"'),
    (
        case(call(city="B", day={"$instant": "2026-12-04T09:00:00+09:00"}), reference_time="2026-11-30T09:00:00+09:00"),
        "schema-invalid",
        "expect.calls[0].arguments.day",
        "is a moment, the schema wants a day",
    ),
    (
        case(call(city="B", day={"$instant": "2026-12-04T09:00:00Z"})),
        "needs-reference-time",
        "expect.calls[0].arguments.day",
        "wants a day",
    ),
    (
        case(call(city="B", day={"$date": "the 31st of February"}), reference_time="2026-11-30T09:00:00+09:00"),
        "unreadable-date",
        "expect.calls[0].arguments.day",
        "cannot be read as one day",
    ),
    (
        case(call(city={"$from": "delete_user[0].city"}), call("delete_user", id="7"), order="in_order"),
        "impossible",
        CITY,
        "allows extra calls of read-only tools alone",
    ),
    (
        case(call("delete_user", id={"$from": "delete_user[0].next"})),
        "impossible",
        "expect.calls[0].arguments.id",
        "no result",
    ),
    (
        case(call("t"), tools=[{"name": "t", "parameters": {"type": "object", "properties": {"a": {"pattern": "("}}}}]),
        "tool-schema",
        "expect.calls[0]",
        "stay unscored",
    ),
]


@pytest.mark.parametrize(("faulty", "rule", "at", "said"), FAULTY)
def test_each_fault_is_named_at_its_place(faulty: Case, rule: str, at: str, said: str) -> None:
    found = lint_case(faulty)
    assert (rule, at) in [(f.rule.removeprefix("gold/"), f.at) for f in found]
    assert said in next(f.message for f in found if f.rule == f"gold/{rule}")
    assert len(found) == 1


NUMBERS = {
    "name": "set",
    "parameters": {
        "type": "object",
        "properties": {
            "least": {"type": "integer", "minimum": 5},
            "most": {"type": "number", "exclusiveMaximum": 1},
            "fives": {"type": "integer", "multipleOf": 5},
            "cents": {"type": "number", "multipleOf": 0.01, "minimum": 0.3},
            "between": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "any": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "string"}]},
            "ref": {"$ref": "#/$defs/few"},
            "either": {"type": ["integer", "null"], "maximum": 3},
            "code": {"type": "string", "maxLength": 5},
            "upper": {"type": "string", "pattern": "^[A-Z]+$"},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "flag": {"type": "boolean"},
        },
        "$defs": {"few": {"type": "integer", "minimum": 2, "maximum": 4}},
    },
}


@pytest.mark.parametrize(
    ("name", "gold", "sound"),
    [
        ("least", {"$range": [0, 60]}, True),
        ("least", {"$range": [None, 60]}, True),
        ("least", {"$range": [0, 4]}, False),
        ("least", {"$range": [10.5, 12]}, True),
        ("least", {"$range": [10.2, 10.8]}, False),
        ("least", {"$approx": [4, 0.5]}, True),
        ("least", {"$approx": [4, 0.1]}, False),
        ("least", {"$approx": [10.5, 0.1]}, True),
        ("least", {"$approx": [10**400, 0.1]}, True),
        ("least", {"$approx": [{"$from": "set[0].n"}, 0.1]}, True),
        ("most", {"$range": [0, 5]}, True),
        ("most", {"$range": [1, 5]}, False),
        ("most", {"$range": [1, None]}, False),
        ("fives", {"$range": [11, 19]}, True),
        ("fives", {"$range": [11, 14]}, False),
        ("fives", {"$approx": [13, 0.2]}, True),
        ("cents", {"$range": [0, 0.3]}, True),
        ("cents", {"$range": [0.301, 0.309]}, False),
        ("between", {"$range": [0, None]}, True),
        ("between", {"$range": [0.9, 7]}, True),
        ("between", {"$range": [1, 7]}, False),
        ("any", {"$range": [0, 9]}, True),
        ("any", {"$casefold": "a"}, True),
        ("ref", {"$range": [0, 2]}, True),
        ("ref", {"$range": [5, 9]}, False),
        ("either", {"$range": [2, 9]}, True),
        ("either", {"$one_of": [{"$range": [8, 9]}, None]}, True),
        ("code", {"$contains": "abcde"}, True),
        ("code", {"$contains": "abcdef"}, False),
        ("code", {"$casefold": "strasse"}, True),  # ß folds to ss, and ßß… may be shorter yet
        ("code", {"$casefold": "a" * 16}, False),
        ("code", {"$regex": "^.{9}$"}, True),  # it cannot be met, which nobody can tell of a pattern
        ("upper", {"$casefold": "abc"}, True),
        ("upper", {"$casefold": "a1"}, True),
        ("upper", {"$contains": "a"}, True),
        ("upper", "abc", False),
        ("tags", {"$contains": "a"}, True),
        ("tags", {"$contains": 3}, False),
        ("tags", {"$unordered": ["a", {"$casefold": "b"}]}, True),
        ("tags", {"$unordered": ["a"]}, False),
        ("tags", ["a", {"$range": [1, 2]}], False),
        ("tags", {"$not": ["a"]}, True),
        ("tags", ["a", {"$one_of": [1, 2]}], False),
        ("tags", ["a", {"$one_of": [1, "b"]}], True),
        ("flag", {"$not": True}, True),
        ("flag", {"$not": {"$one_of": [True, False]}}, True),  # left out
    ],
)
def test_gold_is_an_error_only_where_no_value_meets_it_and_the_schema(name: str, gold: Any, sound: bool) -> None:
    found = list(lint_case(case(call("set", **{name: gold}), tools=[NUMBERS], order="in_order", extra="allow")))
    errors = [f for f in found if f.severity == "error"]
    assert rules(errors) == ([] if sound else ["schema-invalid"])


@pytest.mark.parametrize(
    "code",
    [
        "*",
        "404",
        "validation",
        "RATE_LIMITED",
        "E404",
        "ENOENT",
        "card-declined",
        "a.b",
        "-32602",
        "ThrottlingException",
        "10042",
    ],
)
def test_codes_of_servers_stay_possible(code: str) -> None:
    assert lint_case(case(call(city="B"), errors={"get_weather": {code: "ask"}})) == []


@pytest.mark.parametrize("broken", [3, [1], "x", {"a": 3}, {"a": [1]}, {"a": {"properties": 3}}])
def test_a_broken_schema_is_named_and_nothing_breaks_over_it(broken: Any) -> None:
    tools = [{"name": "t", "parameters": {"type": "object", "properties": broken}}]
    own = case(call("t", a={"b": 1}, c={"$range": [1, 2]}), tools=tools)
    assert rules(lint_case(own)) == ["tool-schema"]
    messages = [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": '{"a": {"b": 1}, "c": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "{}"},
    ]
    found = rootcall.verdict(Trace.from_openai(messages, tools), own).checks
    assert [c.status for c in found if c.rule == "arguments/broken-schema"] == ["unscored"] * 2


def test_every_rule_has_a_case_that_breaks_it() -> None:
    tried = {rule for _, rule, _, _ in FAULTY} | {"duplicate", "not-itself"}
    assert tried == {r.name.removeprefix("gold/") for r in RULES}


def test_some_beside_alternatives_is_a_contradiction() -> None:
    some = Case.from_dict({"expect": {"calls": "some", "alternatives": [[{"tool": "a"}]]}})
    assert rules(lint_case(some)) == ["contradiction"]


def test_without_tools_neither_names_nor_schemas_are_looked_at() -> None:
    blind = case(call("anything", city=5), tools=None)
    assert lint_case(blind) == []
    assert rules(lint_case(blind, [Tool("get_weather")])) == ["unknown-tool"]
    assert rules(lint_case(blind, [])) == ["unknown-tool"]


def test_whatever_fails_when_the_gold_is_played_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No gold is known that fails itself and has no better name; so another rule is asked, one this gold does fail."""
    removal = case(call("delete_user", id="7"), input="hello")
    assert lint_case(removal) == []
    monkeypatch.setattr("rootcall.lint._GOLD_ONLY", Config(select=("selection/policy-confirm",)))
    (found,) = lint_case(removal)
    assert (found.rule, found.at) == ("gold/not-itself", "expect.calls")
    assert "played as a run it fails selection/policy-confirm" in found.message


def test_a_declared_default_and_no_argument_are_one_to_the_lint_too() -> None:
    tool = {"name": "t", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}}
    assert lint_case(case(call("t", n={"$absent": True}), tools=[tool])) == []


def test_two_cases_that_a_trace_cannot_tell_apart_are_named() -> None:
    def booking(name: str, tool: str, **rest: Any) -> Case:
        return Case.from_dict({"id": name, "input": "Book  it", "expect": {"calls": [{"tool": tool}]}, **rest})

    same, other = booking("b", "book"), booking("c", "cancel")
    found = lint(Cases([booking("a", "book"), same, other]))
    assert [(f.case, f.rule) for f in found] == [("b", "gold/duplicate"), ("c", "gold/duplicate")]
    assert "the same gold" in found[0].message
    assert "another gold" in found[1].message
    apart = booking("d", "book", tools=[{"name": "book"}])
    assert lint(Cases([booking("a", "book"), apart])) == []


def test_errors_and_warnings_are_told_apart_and_carry_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    rows = [
        {"id": "a", "expect": {"calls": [{"tool": "t"}]}},
        {"id": "b", "expect": {"calls": [], "extra": "allow"}},
        {"id": "c", "expect": {"calls": [{"tool": "t", "arguments": {"d": {"$date": "tomorrow"}}}]}},
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    error, warning = lint(load_cases(path))
    assert (error.severity, error.source) == ("error", Source(str(path), 2))
    assert (warning.severity, warning.source) == ("warning", Source(str(path), 3))
    assert str(error).startswith(f"{path}:2: error: case 'b': expect: every run passes")
    assert error.to_dict()["severity"] == "error"


# ---- what a run does about it


def ran(make_trace: MakeTrace, expect: dict[str, Any], **tools: Any) -> rootcall.Run:
    cases = Cases([Case.from_dict({"id": "a", "expect": expect, **tools})])
    return rootcall.score([make_trace("t", case_id="a")], cases)


@pytest.mark.parametrize(("wanted", "offered"), [("math.factorial", "math_factorial"), ("a_b", "a.b"), ("X", "x")])
def test_gold_of_a_tool_that_is_not_offered_is_reported_and_fails_no_run(wanted: str, offered: str) -> None:
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": offered, "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        {"role": "assistant", "content": "1"},
    ]
    tools = [{"name": offered, "parameters": {"type": "object", "properties": {}}}]
    trace = Trace.from_openai(messages, tools, metadata={"case_id": "a"})
    run = rootcall.score([trace], Cases([Case.from_dict({"id": "a", "expect": {"calls": [{"tool": wanted}]}})]))
    assert run.problem_counts == {"gold-wrong": 1}
    assert f"did you mean {offered!r}" in run.problems[0].message
    assert run.traces["fail"] == 0
    assert (run.matched, run.unmatched, run.exit_code) == (0, 1, 3)


def test_gold_is_used_while_one_of_its_ways_can_be_met(make_trace: MakeTrace) -> None:
    tools = {"tools": [{"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]}
    wrong = {"tool": "nowhere"}
    assert ran(make_trace, {"calls": [wrong], "alternatives": [[{"tool": "search"}]]}, **tools).matched == 1
    assert ran(make_trace, {"calls": [wrong], "alternatives": [[wrong]]}, **tools).matched == 0


def test_a_case_that_judges_nothing_passes_no_run(make_trace: MakeTrace) -> None:
    run = ran(make_trace, {"calls": [], "extra": "allow"})
    assert run.matched == 0
    assert run.problem_counts["gold-wrong"] == 1


# ---- the command


def lint_command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(["cases", "lint", *map(str, arguments)])
    return int(left.value.code or 0)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps([WEATHER]), "utf-8")
    (tmp_path / "good.yaml").write_text("{id: a, tools: tools.json, expect: {calls: [{tool: get_weather}]}}", "utf-8")
    (tmp_path / "bad.yaml").write_text("- {id: a, expect: {calls: [{tool: get_wether}]}}", "utf-8")
    return tmp_path


def test_lint_says_how_many_cases_are_sound(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_command(files / "good.yaml") == 0
    assert capsys.readouterr().out == "1 case, 0 errors, 0 warnings\n"


def test_lint_leaves_with_1_when_gold_is_wrong(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_command(files / "bad.yaml", "--tools", files / "tools.json") == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{files}/bad.yaml:1: error: case 'a': expect.calls[0]: 'get_wether' is not among")
    assert last == "1 case, 1 error, 0 warnings"


def test_lint_says_what_it_could_not_look_at(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_command(files / "bad.yaml") == 0
    assert "1 without tools" in capsys.readouterr().out


def test_lint_in_json_keeps_stdout_for_the_faults(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_command(files / "bad.yaml", "--tools", files / "tools.json", "--json") == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["rule"] == "gold/unknown-tool"
    assert "1 error" in shown.err


def test_lint_reads_all_files_before_it_gives_up(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "broken.yaml").write_text("{id: a, expect: {order: up}}", "utf-8")
    assert lint_command(files / "broken.yaml", files / "good.yaml") == 2
    shown = capsys.readouterr()
    assert "1 case, 0 errors" in shown.out
    assert "order must be one of" in shown.err
    assert "expect says nothing to judge by" in shown.err


def test_a_refused_case_hides_no_fault_of_the_others(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "- {id: a, expect: {order: up, calls: []}}\n- {id: b, expect: {calls: [{tool: x, arguments: {y: {$one_of: []}}}]}}"
    (files / "half.yaml").write_text(text, "utf-8")
    assert lint_command(files / "half.yaml") == 2
    shown = capsys.readouterr()
    assert "case 'b': expect.calls[0].arguments.y: no value is one of none" in shown.out
    assert "1 case, 1 error, 0 warnings; 1 fault in cases that could not be read" in shown.out
    assert "order must be one of" in shown.err


def test_where_no_case_can_be_read_nothing_is_counted(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "half.yaml").write_text("- {id: a, expect: {order: up, calls: []}}", "utf-8")
    assert lint_command(files / "half.yaml") == 2
    assert capsys.readouterr().out == ""


def test_rules_of_gold_explain_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain", "gold/impossible"])
    assert not left.value.code
    assert "$one_of: []" in capsys.readouterr().out
