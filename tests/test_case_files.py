"""Case files, and which case a trace meets: never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall.case import Case, Cases, load_cases, place_of
from rootcall.casefile import read_case_file
from rootcall.errors import CaseError
from rootcall.trace import Trace

MakeTrace = Callable[..., Trace]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


ONE = {"id": "a", "input": "Search for t.", "expect": {"calls": [{"tool": "search"}]}}
TWO = {"id": "b", "expect": {"calls": []}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.jsonl", f"{json.dumps(ONE)}\n\n{json.dumps(TWO)}\n"),
        ("c.json", json.dumps([ONE, TWO], indent=1)),
        (
            "c.yaml",
            "- id: a\n  input: Search for t.\n  expect: {calls: [{tool: search}]}\n- {id: b, expect: {calls: []}}\n",
        ),
        ("c.yml", "id: a\ninput: Search for t.\nexpect:\n  calls: [{tool: search}]\n---\nid: b\nexpect: {calls: []}\n"),
        ("bom.jsonl", f"\ufeff{json.dumps(ONE)}\n{json.dumps(TWO)}"),
    ],
)
def test_the_same_cases_come_from_every_kind_of_file(tmp_path: Path, name: str, text: str) -> None:
    cases = list(load_cases(write(tmp_path, name, text)))
    assert cases == [Case.from_dict(ONE), Case.from_dict(TWO)]


def test_a_single_case_is_a_file_too(tmp_path: Path) -> None:
    assert len(load_cases(write(tmp_path, "one.json", json.dumps(ONE)))) == 1


def test_yaml_words_and_dates_stay_what_they_look_like(tmp_path: Path) -> None:
    text = """
id: a
reference_time: 2026-11-30T09:00:00+09:00
expect: {calls: [{tool: t, arguments: {country: NO, day: 2026-12-04, at: 12:30, on: yes, really: true, n: 3, x: -1.5e3, none: null, empty: , id: 007}}]}
"""
    case = next(iter(load_cases(write(tmp_path, "c.yaml", text))))
    assert case.reference_time == "2026-11-30T09:00:00+09:00"
    assert case.calls[0].arguments == {  # type: ignore[index, union-attr]
        "country": "NO", "day": "2026-12-04", "at": "12:30", "on": "yes", "really": True, "n": 3, "x": -1500.0,
        "none": None, "empty": None, "id": "007",
    }  # fmt: skip


def test_yaml_never_builds_objects(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="makes no value of JSON"):
        load_cases(write(tmp_path, "c.yaml", "!!python/object/apply:os.getcwd []"))


def test_all_faults_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "c.jsonl",
        '{"id": "a", "expect": {"calls": []}}\n{broken\n[]\n{"id": "d", "expect": {"calls": 1, "order": "sideways"}}\n',
    )
    with pytest.raises(CaseError) as caught:
        load_cases(path)
    lines = str(caught.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [f"{path}:2", f"{path}:3", f"{path}:4", f"{path}:4"]
    assert "order must be one of" in lines[2]
    assert "expect.calls must be a list" in lines[3]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.jsonl", "", "holds no case"),
        ("c.yaml", "a: [", "not YAML"),
        (
            "c.jsonl",
            '{"id": "a", "expect": {"calls": []}}\n{"id": "a", "expect": {"calls": []}}',
            r"c.jsonl:2: two cases are called 'a' \(the other in line 1\)",
        ),
    ],
)
def test_a_file_that_cannot_be_meant_says_why(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(CaseError, match=said):
        load_cases(write(tmp_path, name, text))


def test_a_file_that_is_not_there_or_not_text_says_so(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read"):
        load_cases(tmp_path / "none.jsonl")
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CaseError, match="not UTF-8"):
        load_cases(tmp_path / "b.jsonl")


def test_a_trace_meets_the_case_it_names_else_that_of_its_first_words(make_trace: MakeTrace) -> None:
    cases = Cases([Case("a", input="Search  for t."), Case("b")])
    assert cases.find(make_trace("t", case_id="b"))[0] == Case("b")
    assert cases.find(make_trace("t"))[0] == Case("a", input="Search  for t.")


def test_a_named_case_decides_alone(make_trace: MakeTrace) -> None:
    case, problem = Cases([Case("a", input="Search for t.")]).find(make_trace("t", case_id="gone"))
    assert case is None
    assert problem is not None
    assert problem.code == "case-unknown"


def test_a_trace_that_two_cases_claim_gets_none(make_trace: MakeTrace) -> None:
    case, problem = Cases([Case("a", input="Search for t."), Case("b", input="Search for t.")]).find(make_trace("t"))
    assert case is None
    assert problem is not None
    assert problem.code == "case-ambiguous"
    assert "a, b" in problem.message


def test_a_trace_that_meets_none_is_named(make_trace: MakeTrace) -> None:
    for trace in (make_trace("other"), Trace("empty")):
        case, problem = Cases([Case("a", input="Search for t.")]).find(trace)
        assert case is None
        assert problem is not None
        assert problem.code == "case-none"


def test_cases_that_no_trace_met_are_listed(make_trace: MakeTrace) -> None:
    cases = Cases([Case("a", input="Search for t."), Case("b")])
    cases.find(make_trace("t"))
    assert [p.message for p in cases.unused()] == ["case 'b' was met by no trace"]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"expects": {"calls": []}}, "unknown key expects; did you mean 'expect'"),
        ({"expect": {"call": []}}, "unknown key expect.call; did you mean 'calls'"),
        (
            {"expect": {"calls": [{"tool": "t", "argumets": {}}]}},
            "unknown key expect.calls[0].argumets; did you mean 'arguments'",
        ),
        ({"zzzz": 1}, "the keys are id, input"),
    ],
)
def test_a_misspelt_key_is_refused_rather_than_passed_in_silence(case: dict[str, Any], said: str) -> None:
    with pytest.raises(CaseError, match=re.escape(said)):
        Case.from_dict(case)


def faults(expect: dict[str, Any] | None = None, **rest: Any) -> list[str]:
    with pytest.raises(CaseError) as caught:
        Case.from_dict({"id": "a", "expect": {"calls": []} if expect is None else expect, **rest})
    return [line.removeprefix("case 'a': ") for line in str(caught.value).splitlines()]


def gold(value: Any) -> dict[str, Any]:
    return {"calls": [{"tool": "t", "arguments": {"x": value}}]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"$oneof": [1]}, "unknown matcher $oneof; did you mean $one_of?"),
        ({"$schema": "x"}, "Write {$literal: …}"),
        ({"$one_of": 3}, "$one_of wants a list of values, got 3"),
        ({"$regex": "("}, '$regex "(": no regular expression of JSON Schema'),
        ({"$regex": "a\\Z"}, "no regular expression of JSON Schema: it has no \\Z; write $"),
        ({"$regex": 3}, "$regex wants a regular expression, got 3"),
        ({"$range": [1]}, "$range wants two numbers [low, high], one of which may be null, got [1]"),
        ({"$range": [None, None]}, "$range wants"),
        ({"$range": [True, 3]}, "$range wants"),
        ({"$approx": [1, -0.1]}, "$approx wants a number and a relative tolerance"),
        ({"$casefold": 3}, "$casefold wants a text"),
        ({"$unordered": "ab"}, "$unordered wants a list"),
        ({"$date": ""}, "$date wants a day"),
        ({"$instant": 3}, "$instant wants a moment"),
        ({"$from": "search.price"}, "$from wants the place of an earlier result, like search_flights[0]"),
        ({"$any": False}, "$any wants true, got false"),
        ({"$absent": 1}, "$absent wants true"),
        ({"$judge": ""}, "$judge wants a question"),
        ({"$says": "x"}, "$says is for expect.answer"),
        ({"$range": [1, 2], "$not": 1}, "$range must stand alone in its object to be a matcher"),
        ([{"a": {"$not": {"$regex": "["}}}], "expect.calls[0].arguments.x[0].a.$not: $regex"),
    ],
)
def test_a_matcher_that_cannot_be_meant_is_refused(value: Any, said: str) -> None:
    (fault,) = faults(gold(value))
    assert said in fault
    assert fault.startswith("expect.calls[0].arguments.x")


@pytest.mark.parametrize(
    "value",
    [
        {"$literal": {"$schema": "x"}},
        {"$literal": {"$range": 1, "$not": 2}},
        {"$approx": [{"$from": "quote[0].price"}, 0.01]},
        {"$range": [{"$from": "quote[0].low"}, None]},
        {"$date": {"$from": "find_slot[1].days[0]"}},
        {"$not": None},
        {"$one_of": []},
        {"$contains": {"a": {"$any": True}}},
    ],
)
def test_what_can_be_meant_is_taken(value: Any) -> None:
    Case.from_dict({"expect": gold(value)})


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({}, "expect says nothing to judge by; give one of calls, alternatives, forbid, errors, answer"),
        ({"answer": [["Ann"]]}, 'expect.answer[0] must be a text, a number or a matcher, got ["Ann"]'),
        ({"answer": ["Ann", True]}, "expect.answer[1] must be a text, a number or a matcher, got true"),
        ({"answer": [{"$says": ""}]}, "$says wants what the answer says"),
        ({"answer": []}, "expect says nothing to judge by; answer must not be empty"),
        ({"forbid": [], "alternatives": []}, "alternatives, forbid must not be empty"),
        ({"errors": {"search": {}}}, "errors must not be empty"),
        ({"goal": {"reward": 1}}, "expect says nothing to judge by"),
        ({"order": "any", "extra": "reads"}, "expect says nothing to judge by"),
        ({"calls": None}, 'expect.calls must be a list ([] is the no-call bucket), "some", or left out, got null'),
        ({"calls": "none"}, "expect.calls must be a list"),
        ({"calls": ["t"]}, 'expect.calls[0] must be an object with a tool, got "t"'),
        ({"calls": [{"tool": "t", "arguments": None}]}, "expect.calls[0].arguments must be an object"),
        ({"calls": [{"tool": "t", "arguments": {"$any": True}}]}, "a matcher stands for the value of one"),
        ({"calls": [{"tool": "t", "optional": "no"}]}, "expect.calls[0].optional must be true or false"),
        ({"calls": [{"tool": "t", "extra_arguments": "no"}]}, "expect.calls[0].extra_arguments must be one of"),
        ({"alternatives": [{"tool": "t"}]}, "expect.alternatives[0] must be a list of calls"),
        ({"alternatives": {}}, "expect.alternatives must be a list"),
        ({"calls": [], "extra": "some"}, "expect.extra must be one of reads, allow, forbid"),
        ({"forbid": "t"}, "expect.forbid must be a list of texts"),
        ({"errors": {"t": "retry"}}, "expect.errors.t must be an object of error codes"),
        ({"errors": {"t": {"503": ["pray"]}}}, "expect.errors.t.503 must be one or more of correct, retry"),
        ({"answer": "x"}, "expect.answer must be a list"),
        ({"answer": [{"$says": None}]}, "expect.answer[0]: $says wants what the answer says"),
    ],
)
def test_an_expectation_that_cannot_be_meant_is_refused(case: dict[str, Any], said: str) -> None:
    assert any(said in fault for fault in faults(case))


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ({"input": 3}, "input must be a text, got 3"),
        ({"tags": "a"}, "tags must be a list of texts"),
        ({"must_pass": 1}, "must_pass must be true or false"),
        ({"reference_time": "tomorrow"}, "reference_time must be a time like"),
        ({"metadata": []}, "metadata must be an object"),
        ({"tools": "gone.json"}, "tools: gone.json: there is no such file"),
        ({"tools": [{"description": "no name"}]}, "tools: tools[0] has no name"),
        ({"tools": "os:environ"}, "tools: os:environ: there is no such file"),
        ({"tools": 3}, "tools: tools must be a list of tool specs"),
        ({"id": " "}, "id must be a text"),
    ],
)
def test_a_field_of_the_wrong_kind_is_refused(rest: dict[str, Any], said: str) -> None:
    with pytest.raises(CaseError, match=re.escape(said)):
        Case.from_dict({"id": "a", "expect": {"calls": []}, **rest})


def test_a_case_that_is_no_object_is_refused() -> None:
    with pytest.raises(CaseError, match="a case must be an object"):
        Case.from_dict([])  # type: ignore[arg-type]


def test_every_case_of_a_file_knows_its_line(tmp_path: Path) -> None:
    text = "[\n " + ",\n\n ".join(json.dumps(c, indent=1) for c in (ONE, TWO)) + "\n]"
    for name, content, lines in (
        ("c.json", text, [2, text[: text.index('"b"')].count("\n")]),
        ("c.jsonl", f"\n{json.dumps(ONE)}\n\n{json.dumps(TWO)}\n", [2, 4]),
        ("c.yaml", "# cases\n- id: a\n  expect: {calls: []}\n\n- id: b\n  expect: {calls: []}\n", [2, 5]),
        ("d.yaml", "id: a\nexpect: {calls: []}\n---\n\nid: b\nexpect: {calls: []}\n", [1, 5]),
    ):
        cases = load_cases(write(tmp_path, name, content))
        assert [cases.source_of(c).line for c in cases] == lines


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("c.jsonl", '{"id": "a", "id": "b", "expect": {"calls": []}}', 1),
        ("c.jsonl", '{"id": "a", "expect": {"calls": []}}\n{"id": "b", "expect": {"calls": [], "calls": []}}', 2),
        ("c.yaml", "id: a\nexpect:\n  calls: []\n  calls: []\n", 3),
        ("c.yaml", "- id: a\n  expect: {calls: [}\n", 2),
        ("c.json", '[{"id": "a"},\n{"id": }\n]', 2),
    ],
)
def test_a_key_that_stands_twice_and_broken_text_are_named_with_their_line(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    with pytest.raises(CaseError) as caught:
        load_cases(write(tmp_path, name, text))
    assert str(caught.value).startswith(f"{tmp_path / name}:{line}: ")


def test_a_case_that_cannot_be_built_does_not_hide_the_next(tmp_path: Path) -> None:
    text = "- {id: a, expect: {calls: [], calls: []}}\n- {id: b, expect: {order: up}}\n"
    with pytest.raises(CaseError) as caught:
        load_cases(write(tmp_path, "c.yaml", text))
    said = [line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()]
    assert said[0] == "c.yaml:1: key 'calls' stands twice in one object"
    assert said[1].startswith("c.yaml:2: case 'b': ")


def test_yaml_anchors_and_merges_work(tmp_path: Path) -> None:
    text = "- &base {id: a, input: x, expect: {calls: []}}\n- {<<: *base, id: b}\n"
    assert [c.input for c in load_cases(write(tmp_path, "c.yaml", text))] == ["x", "x"]


SEARCH = {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}


def test_the_tools_of_a_case_may_stand_in_a_file_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "tools.json", json.dumps([SEARCH]))
    (tmp_path / "cases").mkdir()
    path = write(tmp_path / "cases", "c.yaml", "{id: a, tools: ../tools.json, expect: {calls: []}}")
    (case,) = load_cases(path)
    assert case.tools is not None
    assert [t.name for t in case.tools] == ["search"]


def test_a_case_lends_its_tools_and_reference_time_where_the_trace_has_none() -> None:
    case = Case.from_dict({"tools": [SEARCH], "reference_time": "2026-11-30T09:00:00Z", "expect": {"calls": []}})
    filled = case.fill(Trace.from_openai([{"role": "user", "content": "hi"}]))
    assert [t.name for t in filled.tools] == ["search"]
    assert filled.tools_known == "side_file"
    assert filled.metadata["reference_time"] == "2026-11-30T09:00:00Z"
    own = Trace.from_openai([], [], metadata={"reference_time": "2026-01-01"})
    assert case.fill(own) is own


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("search[0]", ("search", 0, ())),
        ("math.add[12].sum", ("math.add", 12, ("sum",))),
        ("s[0].flights[1].price", ("s", 0, ("flights", 1, "price"))),
        ('s[0]["odd key"].x', ("s", 0, ("odd key", "x"))),
        ('s[0]["a\\"b"]', ("s", 0, ('a"b',))),
        ("s[0][1][2]", ("s", 0, (1, 2))),
        ("search", None),
        ("search[x]", None),
        ("[0]", None),
        ("s[0]..a", None),
        (3, None),
    ],
)
def test_the_place_of_an_earlier_result_is_read(text: Any, place: Any) -> None:
    assert place_of(text) == place


def refused(folder: Path, text: str, name: str = "c.yaml") -> list[str]:
    """The faults of a file whose other case is sound and must still come."""
    found, faults = read_case_file(write(folder, name, text))
    assert [case.id for case, _ in found] == ["b"]
    return [f.partition(f"{name}:")[2] for f in faults]


SOUND = "- {id: b, expect: {calls: []}}\n"


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ("&x {y: *x}", "1: an anchor holds itself, so it has no end"),
        ("&x [*x]", "1: an anchor holds itself, so it has no end"),
        ("!!set {a, b}", "1: !!set makes no value of JSON"),
        ("!!binary aGk=", "1: !!binary makes no value of JSON"),
        ("!!timestamp 2026-12-04", "1: !!timestamp makes no value of JSON"),
        ("!!int 0x10", "1: '0x10' is no int as JSON writes it"),
        ("!!float .nan", "1: '.nan' is no float as JSON writes it"),
        ("!!bool maybe", "1: 'maybe' is no bool as JSON writes it"),
        ("{1: 2}", "1: case 'case-1': the keys of expect.calls[0].arguments.x must be texts, got 1; put it in quotes"),
        ("{null: 2}", "1: case 'case-1': the keys of expect.calls[0].arguments.x must be texts"),
        ("{[a]: 2}", "1: a key must be a text"),
        ("1" * 5000, "1: an integer of 5,000 digits cannot be read"),
        ("1e999", "1: case 'case-1': expect.calls[0].arguments.x is inf, which is no number of JSON"),
        ("[" * 150 + "]" * 150, "1: nested more than 100 deep"),
        ("[" * 400 + "]" * 400, "1: nested more than 100 deep"),
        ("{<<: 3}", "1: expected a mapping or list of mappings for merging"),
        ('"\\ud800"', "1: case 'case-1': expect.calls[0].arguments.x is no Unicode text"),
    ],
)
def test_yaml_gives_values_of_json_only_and_the_other_cases_are_read(tmp_path: Path, x: str, said: str) -> None:
    (fault,) = refused(tmp_path, f"- {{expect: {{calls: [{{tool: t, arguments: {{x: {x}}}}}]}}}}\n{SOUND}")
    assert fault.startswith(said)


def test_yaml_that_unfolds_without_measure_is_refused_before_it_is_built(tmp_path: Path) -> None:
    lists = [f"    l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 30)]
    merges = [f"    m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 10)}]}}" for i in range(1, 30)]
    for first, lines in (("    l0: &l0 [x, x]", lists), ("    m0: &m0 {x: y}", merges)):
        text = "\n".join(["- expect: {calls: []}", "  metadata:", first, *lines, SOUND])
        (fault,) = refused(tmp_path, text)
        assert "holds more than 200,000 values once its aliases are followed" in fault


@pytest.mark.parametrize("text", ["[" * 20_000 + "]" * 20_000, "- " * 5_000 + "x", "{a: " * 20_000])
def test_yaml_far_beyond_measure_is_one_line_at_once(tmp_path: Path, text: str) -> None:
    with pytest.raises(CaseError, match=r"c\.yaml:1: (not YAML: nested too deeply|nested more than 100 deep)$"):
        load_cases(write(tmp_path, "c.yaml", text))


def test_an_anchor_of_one_case_serves_the_next(tmp_path: Path) -> None:
    text = "- {id: a, expect: &e {<<: {order: any}, calls: []}}\n- {id: b, expect: *e}\n- {id: c, expect: {<<: *e, order: strict}}"
    cases = {case.id: case for case in load_cases(write(tmp_path, "c.yaml", text))}
    assert [cases[i].order for i in "abc"] == ["any", "any", "strict"]


def test_a_character_that_yaml_forbids_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r"c\.yaml:2: not YAML: the character U\+0000 may not stand in it"):
        load_cases(write(tmp_path, "c.yaml", f"{SOUND}# \0"))


@pytest.mark.parametrize("deep", ['{"$one_of": [' * 60 + "1" + "]}" * 60, '{"a": ' * 500 + "1" + "}" * 500])
def test_a_case_nested_beyond_measure_is_refused(tmp_path: Path, deep: str) -> None:
    text = f'{{"expect": {{"calls": [{{"tool": "t", "arguments": {{"x": {deep}}}}}]}}}}\n{json.dumps(TWO)}'
    (fault,) = refused(tmp_path, text, "c.jsonl")
    assert fault.startswith("1: case 'case-1': nested more than 100 deep at expect.calls[0].arguments.x")


def test_a_case_given_in_python_holds_values_of_json_only() -> None:
    loop: dict[str, Any] = {}
    loop["x"] = loop
    for x, said in [
        ({1, 2}, "is a set, which is no value of JSON"),
        (float("nan"), "is nan, which is no number of JSON"),
        (10**5000, "is an integer of more than 4,300 digits"),
        ({2: 1}, "must be texts, got 2"),
        (loop, "nested more than 100 deep"),
        ("\ud800", "is no Unicode text"),
        ({"\ud800": 1}, "is no Unicode text"),
    ]:
        with pytest.raises(CaseError, match=said):
            Case.from_dict({"expect": {"calls": [{"tool": "t", "arguments": {"x": x}}]}})
    with pytest.raises(CaseError, match="nested more than 100 deep"):
        Case.from_dict({"tools": [loop], "expect": {"calls": []}})


def test_error_codes_may_be_written_as_numbers(tmp_path: Path) -> None:
    text = "expect: {errors: {search: {503: [retry, ask], not_found: report}}}"
    (case,) = load_cases(write(tmp_path, "c.yaml", text))
    assert case.errors == {"search": {"503": ["retry", "ask"], "not_found": "report"}}
