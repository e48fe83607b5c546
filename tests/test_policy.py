"""Policy files: what can be meant, and every fault with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.case import Case, load_cases
from rootcall.config import Config, load_config
from rootcall.errors import CaseError, ConfigError, PolicyError
from rootcall.policy import EVERY, Earlier, Place, Policy, Where, load_policy, named_in, place_named, policies
from rootcall.policyfile import MAX_BYTES

AIRLINE, RETAIL = "tau-airline-policy.yaml", "tau-retail-policy.yaml"


def faults(data: object) -> list[str]:
    with pytest.raises(PolicyError) as raised:
        Policy.from_dict(data)
    return str(raised.value).splitlines()


@pytest.mark.parametrize("name", [AIRLINE, RETAIL])
def test_the_policies_of_tau_bench_are_read_each_rule_with_its_line(bundled: Path, name: str) -> None:
    policy = load_policy(bundled / name)
    text = (bundled / name).read_text("utf-8").splitlines()
    assert len(policy.rules) > 12
    for rule in policy.rules:
        assert rule.source.line is not None
        assert text[rule.source.line - 1].startswith("  - tool: ")
        assert rule.says
        assert rule.cited == f"{name}:{rule.source.line}"


def test_every_tool_that_the_airline_policy_names_is_one_of_its_domain(bundled: Path) -> None:
    import rootcall

    offered = {t.name for t in rootcall.load_tools(bundled / "tau-airline-tools.json")}
    for name in load_policy(bundled / AIRLINE).tools():
        assert any(named_in((name,), tool) for tool in offered), name


@pytest.mark.parametrize(
    ("name", "tool", "meant"),
    [("shut", "shut", True), ("shut*", "shut_door", True), ("*_door", "shut_door", True), ("s*_d*", "shut_door", True),
     ("shut", "shut_door", False), ("*_door", "shut_doors", False), ("shut?", "shuts", False), ("s.ut", "shut", False)],
)  # fmt: skip
def test_a_star_stands_for_any_part_of_a_name_and_nothing_else_does(name: str, tool: str, meant: bool) -> None:
    assert named_in((name,), tool) is meant


@pytest.mark.parametrize(
    "data",
    [
        [{"tool": "a", "requires": "b"}],
        {"rules": [{"tool": "a", "requires": ["b"]}]},
        {"results": {}, "rules": [{"tool": ["a"], "requires": [{"any": ["b"]}]}]},
    ],
)
def test_the_ways_to_write_a_policy_mean_the_same(data: object) -> None:
    (rule,) = Policy.from_dict(data).rules
    assert (rule.tools, rule.requires) == (("a",), (("b",),))


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize("wrapped", ["[%s]", '{"rules": [%s]}', '{"policy": [%s]}', '{"policy": {"rules": [%s]}}'])
def test_a_file_may_hold_rules_alone_under_rules_or_under_policy(tmp_path: Path, suffix: str, wrapped: str) -> None:
    path = tmp_path / f"policy{suffix}"
    path.write_text(wrapped % '\n{"tool": "a", "at_most": 1},\n{"tool": "b", "confirm": false}\n')
    first, second = load_policy(path).rules
    assert (first.source.line, first.at_most) == (2, 1)
    assert (second.source.line, second.confirm) == (3, False)


def test_yaml_keeps_its_words() -> None:
    (rule,) = Policy.from_dict([{"tool": "a", "bound": {"insurance": "yes"}}]).rules
    assert rule.bound == {"insurance": "yes"}


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"tool": "a"}, "rules[0] asks for nothing; give one of requires, confirm, at_most, never_with, bound"),
        ({"requires": "b"}, "rules[0].tool must be the name of a tool, or a list of them, got nothing"),
        ({"tool": "a", "requries": ["b"], "confirm": True}, "unknown key rules[0].requries; did you mean 'requires'?"),
        ({"tool": "a", "requires": [{"all": ["b"]}]}, "rules[0].requires must be a tool, a list of them, or {any: [one, another]}"),
        ({"tool": "a", "confirm": "yes"}, 'rules[0].confirm must be one of true, false, request, got "yes"'),
        ({"tool": "a", "confirm": 1}, "rules[0].confirm must be one of true, false, request, got 1"),
        ({"tool": "a", "at_most": -1}, "rules[0].at_most must be a whole number from 0, got -1"),
        ({"tool": "a", "at_most": True}, "rules[0].at_most must be a whole number from 0, got true"),
        ({"tool": "a", "never_with": []}, "rules[0].never_with must be the name of a tool"),
        ({"tool": "a", "confirm": True, "per": "x"}, "rules[0].per says nothing without requires, at_most, never_with"),
        ({"tool": "a", "bound": {}}, "rules[0].bound must be an object of paths and what they must be, got {}"),
        ({"tool": "a", "bound": {"x[": 1}}, 'rules[0].bound: "x[" is no path'),
        ({"tool": "a", "bound": {"x": {"at_mots": 3}}}, "unknown key rules[0].bound.x.at_mots; did you mean 'at_most'?"),
        ({"tool": "a", "bound": {"x": {}}}, "rules[0].bound.x: {} says nothing"),
        ({"tool": "a", "bound": {"x": {"$regexp": "a"}}}, "rules[0].bound.x: unknown matcher $regexp; did you mean $regex?"),
        ({"tool": "a", "bound": {"x": {"$says": "a"}}}, "rules[0].bound.x: $says is for what an answer says"),
        ({"tool": "a", "bound": {"x": {"in": 3}}}, "rules[0].bound.x.in must be a list, or the path to values, got 3"),
        ({"tool": "a", "bound": {"x": {"after": "soon["}}}, "rules[0].bound.x.after must be a day, a moment or the path to one"),
        ({"tool": "a", "bound": {"x": {"count": True}}}, "rules[0].bound.x.count says nothing without at_least, at_most or same_as"),
        ({"tool": "a", "bound": {"x": {"at_most": [1]}}}, "rules[0].bound.x.at_most must be a number, a path, or one of count, sum"),
        ({"tool": "a", "bound": {"x": {"at_most": {"times": []}}}}, "rules[0].bound.x.at_most.times must be a list of numbers or paths"),
        ({"tool": "a", "bound": {"x": {"at_most": {"minus": [1]}}}}, "rules[0].bound.x.at_most.minus must be two numbers or paths"),
        ({"tool": "a", "bound": {"x": {"at_most": {"pick": "y"}}}}, "rules[0].bound.x.at_most.of must be a table of values"),
        ({"tool": "a", "bound": {"x": {"at_most": {"sum": "y", "count": "z"}}}}, "rules[0].bound.x.at_most must hold exactly one of count"),
        ({"tool": "a", "bound": {"any": []}}, "rules[0].bound.any must be a list of conditions, got []"),
        ({"tool": "a", "when": [], "confirm": True}, "rules[0].when must be an object of paths and what they must be, got []"),
        ({"tool": "a", "grade": "sure", "confirm": True}, "rules[0].grade must be one of proof, likely, hint, got \"sure\""),
        ({"tool": {"effect": "deadly"}, "confirm": True}, 'rules[0].tool.effect must be one of destructive, write, got "deadly"'),
        ({"tool": {"efect": "write"}, "confirm": True}, "unknown key rules[0].tool.efect; did you mean 'effect'?"),
        ({"tool": "a", "says": 3, "confirm": True}, "rules[0].says must be a text, got 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_clear_line(rule: object, told: str) -> None:
    line = faults([rule])[0]
    assert line.startswith(told)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (3, "a policy must be a list of rules, or an object with rules, got 3"),
        ({"rule": []}, "unknown key rule; did you mean 'rules'?"),
        ({"results": [], "rules": []}, "results must be an object of names, got []"),
        ({"results": {"a.b": "t"}, "rules": []}, 'results.a.b: a name is a word of letters, digits and _, got "a.b"'),
        ({"results": {"a": {"off": "t"}}, "rules": []}, "unknown key results.a.off; did you mean 'of'?"),
        ({"results": {"a": {"of": "t", "same": 3}}, "rules": []}, "results.a.same must be an argument, several, or an object"),
        ({"results": {"a": {"of": "t", "sent": []}}, "rules": []}, "results.a.sent must be an object of arguments"),
        ({"results": {"a": {"of": "t", "same": {"x": "b.x"}}, "b": {"of": "t", "same": {"x": "a.x"}}}, "rules": []},
         "results.a: it is looked up by itself"),
        ([{"tool": "a", "confirm": True}, {"tool": ["b", "a"], "confirm": False}], "confirm for a is said twice"),
    ],
)  # fmt: skip
def test_what_a_policy_as_a_whole_cannot_mean(data: object, told: str) -> None:
    assert faults(data)[0].startswith(told)


def test_all_faults_of_a_file_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "rules:\n  - tool: a\n    confrm: true\n  - tool: b\n    at_most: x\n  - tool: c\n    confirm: true\n"
    )
    with pytest.raises(PolicyError) as raised:
        load_policy(path)
    first, third = str(raised.value).splitlines()
    assert first == f"{path}:2: unknown key confrm; did you mean 'confirm'?"
    assert third == f'{path}:4: at_most must be a whole number from 0, got "x"'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no policy"),
        ("rules: [", "not YAML"),
        ("- tool: a\n  tool: b\n", "key 'tool' stands twice in one object"),
        ("a: &x [*x]\n", "an anchor holds itself"),
        ("- !!python/object:os.system {}\n", "makes no value of JSON"),
    ],
)
def test_a_file_that_is_no_policy_says_why(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=told):
        load_policy(path)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("p.yaml", "rule:\n  - tool: a\n    confirm: true\n", ":1: unknown key rule; did you mean 'rules'?"),
        ("p.yaml", "rules:\n- tool: a\n  at_most: 1\n---\nrules: []\n", ":4: a second document begins; a policy file holds one, with all its rules"),
        ("p.yaml", "- tool: a\n  at_most: 1\n---\n- tool: b\n  at_most: 1\n", ":3: a second document begins; a policy file holds one, with all its rules"),
        ("p.json", '{"rules": [{"tool": "a", "at_most": %s}]}' % ("9" * 5000),
         ":1: cannot be read: an integer of more than 4,300 digits stands in it"),
        ("p.json", "[" * 100_000 + "]" * 100_000, ":1: cannot be read: it is nested too deeply"),
        ("p.yaml", "rules: &r\n- tool: a\n  bound: {b: *r}\n", ":1: an anchor holds itself, so it has no end"),
        ("p.yaml", "results:\n  a: {of: t, same: {x: b.x}}\n  b: {of: t, same: {x: a.x}}\nrules: []\n", ":2: results.a: it is looked up by itself"),
        ("p.yaml", "results:\n  a: t\n  b: {off: t}\nrules: []\n", ":3: unknown key results.b.off; did you mean 'of'?"),
        ("p.yaml", "rules:\n- tool: a\n  at_most: 1\n- tool: b\n  1: 2\n", ":4: the keys of rules[1] must be texts, got 1; put it in quotes"),
        ("p.yaml", "- tool: a\n  bound: {a: {at_most: 1e999}}\n", ":1: [0].bound.a.at_most is inf, which is no number of JSON"),
        ("p.yaml", "rules: 3\n", ":1: rules must be a list, got 3"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_first_by_its_line(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(PolicyError) as raised:
        load_policy(path)
    assert str(raised.value).splitlines()[0] == f"{path}{told}"
    if "off" not in text:
        assert len(str(raised.value).splitlines()) == 1


def test_after_twenty_faults_only_their_number_is_told(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("rules:\n" + "- tool: a\n  at_mst: 1\n" * 1500)
    with pytest.raises(PolicyError) as raised:
        load_policy(path)
    lines = str(raised.value).splitlines()
    assert (len(lines), lines[-1]) == (21, "and 1,480 more faults in the policy")


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_file_larger_than_a_policy_is_refused_before_it_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"p{suffix}"
    path.write_text(" " * (MAX_BYTES + 1))
    with pytest.raises(PolicyError, match="larger than 500,000 bytes"):
        load_policy(path)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"requires": ["b", "a"]}, "rules[0].requires: a would have to come before itself, so its first call could never be right"),
        ({"never_with": "a"}, "rules[0].never_with: a cannot be kept apart from itself; how often it may be called says at_most"),
        ({"bound": {"x": {"at_least": 5, "at_most": 1}}}, "rules[0].bound.x: nothing is at least 5 and at most 1"),
        ({"bound": {"x": {"after": "2026-05-02", "before": "2026-05-02"}}},
         "rules[0].bound.x: nothing is after 2026-05-02 and before 2026-05-02"),
    ],
)  # fmt: skip
def test_what_no_call_could_ever_meet_is_refused(rule: dict[str, Any], told: str) -> None:
    assert faults([{"tool": "a", **rule}]) == [told]


@pytest.mark.parametrize(
    "rule",
    [
        {"requires": [{"any": ["a", "b"]}]},
        {"requires": "a", "when": {"kind": "second"}},
        {"never_with": "a", "when": {"kind": "last"}},
        {"bound": {"x": {"at_least": 5, "at_most": 5}}},
        {"bound": {"x": {"after": "2026-05-02", "before": "2026-05-03"}}},
        {"bound": {"x": {"after": "2026-05-02T10:00:00Z", "before": "2026-05-02"}}},
    ],
)
def test_what_some_call_can_meet_is_let_through(rule: dict[str, Any]) -> None:
    assert len(Policy.from_dict([{"tool": "a", **rule}]).rules) == 1


def test_another_kind_of_file_is_one_line(bundled: Path) -> None:
    for name in ("flight.jsonl", "flight-cases.yaml"):
        with pytest.raises(PolicyError) as raised:
            load_policy(bundled / name)
        (line,) = str(raised.value).splitlines()
        assert "a rule must be an object with a tool and what it asks for, got {" in line


def test_one_odd_rule_among_others_is_named_where_it_stands() -> None:
    assert faults([{"tool": "a", "confirm": True}, "b"]) == ['rules[1] must be an object with a tool, got "b"']


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"none.yaml: cannot be read: No such file or directory"):
        load_policy(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"- tool: \xff")
    with pytest.raises(PolicyError, match="not UTF-8"):
        load_policy(tmp_path / "latin.yaml")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a", Place("a", ())),
        ("a.b[0].c", Place("a", (("b",), 0, ("c",)))),
        ("order.items[*].item_id", Place("order", (("items",), EVERY, ("item_id",)))),
        ("a[-1]", Place("a", (-1,))),
        ('a["*"]', Place("a", (("*",),))),
        ("a[open=true].x", Place("a", (Where("open", True), ("x",)))),
        ("a[kind=gift card]", Place("a", (Where("kind", "gift card"),))),
        ('a[kind="3"]', Place("a", (Where("kind", "3"),))),
    ],
)
def test_paths_are_read(text: str, place: Place) -> None:
    assert place_named(text) == place


@pytest.mark.parametrize("text", ["", "3", "a.", "a[", "a[x]", "a b", ".a", "a..b", "$from"])
def test_what_is_no_path_is_none(text: str) -> None:
    assert place_named(text) is None


# ---- where a policy comes from ------------------------------------------------------------------------------------


CASE = {"id": "c", "expect": {"calls": []}}


def written(folder: Path, text: str) -> Path:
    path = folder / "cases.yaml"
    path.write_text(text)
    return path


def test_a_case_has_a_policy_of_its_own(tmp_path: Path) -> None:
    (case,) = load_cases(written(tmp_path, "id: c\nexpect: {calls: []}\npolicy:\n  - {tool: a, confirm: false}\n"))
    (policy,) = policies(case, Config())
    (rule,) = policy.rules
    assert (rule.tools, rule.confirm, rule.cited) == (("a",), False, "cases.yaml:1 rules[0]")


def test_what_stands_among_the_cases_holds_for_all_of_them(tmp_path: Path) -> None:
    text = "- policy: [{tool: a, at_most: 1}]\n- {id: c, expect: {calls: []}}\n- {id: d, expect: {calls: []}, policy: [{tool: b, at_most: 2}]}\n"
    c, d = load_cases(written(tmp_path, text))
    assert [[r.tools for r in p.rules] for p in c.policies] == [[("a",)]]
    assert [[r.tools for r in p.rules] for p in d.policies] == [[("a",)], [("b",)]]


def test_a_case_may_name_a_policy_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("- {tool: a, at_most: 1}\n")
    (case,) = load_cases(written(tmp_path, "id: c\nexpect: {calls: []}\npolicy: p.yaml\n"))
    assert case.policies[0].rules[0].cited == "p.yaml:1"


def test_faults_of_a_policy_among_cases_have_file_and_line(tmp_path: Path) -> None:
    path = written(tmp_path, "- policy: [{tool: a}]\n- {id: c, expect: {calls: []}, policy: nowhere.yaml}\n")
    with pytest.raises(CaseError) as raised:
        load_cases(path)
    first, second = str(raised.value).splitlines()
    assert first.startswith(f"{path}:1: policy: rules[0] asks for nothing")
    assert (
        second == f"{path}:2: case 'c': policy: {tmp_path / 'nowhere.yaml'}: cannot be read: No such file or directory"
    )


def test_a_configuration_names_a_policy_beside_itself(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("- {tool: a, at_most: 1}\n")
    (tmp_path / "rootcall.toml").write_text('policy = "p.yaml"\n')
    (policy,) = policies(None, load_config(tmp_path / "rootcall.toml"))
    assert policy.rules[0].tools == ("a",)


def test_a_configuration_whose_policy_is_no_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rootcall.toml").write_text("policy = 3\n")
    with pytest.raises(ConfigError, match="policy must be the path of a file, got 3"):
        load_config(tmp_path / "rootcall.toml")


def test_a_policy_may_be_given_as_it_is() -> None:
    policy = Policy.from_dict([{"tool": "a", "at_most": 1}])
    assert policies(None, Config(policy=policy)) == (policy,)
    assert policies(None, Config()) == ()


@pytest.mark.parametrize("name", ["9" * 300, "a\0b"])
@pytest.mark.parametrize("key", ["policy", "tools"])
def test_a_name_that_no_file_can_have_is_a_fault(key: str, name: str) -> None:
    with pytest.raises(CaseError, match=f"case 'case': {key}: "):
        Case.from_dict({"expect": {"calls": []}, key: name})


def test_names_stand_for_earlier_results() -> None:
    data: dict[str, Any] = {"results": {"o": {"of": "get", "same": "id"}, "u": "who"}, "rules": []}
    found = Policy.from_dict(data).results
    assert found == {"o": Earlier(("get",), {"id": "id"}), "u": Earlier(("who",))}


def test_the_policy_that_the_guide_begins_with_is_one(tmp_path: Path) -> None:
    guide = Path(__file__).parent.parent / "docs" / "guides" / "policy.md"
    (tmp_path / "policy.yaml").write_text(guide.read_text("utf-8").partition("```yaml\n")[2].partition("```")[0])
    assert len(load_policy(tmp_path / "policy.yaml").rules) == 2
