"""What a policy finds: real runs first, then each key beside its twin, then what must hold whatever the policy says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rootcall
from rootcall.check import Check
from rootcall.config import ArgumentConfig, Config, ToolConfig
from rootcall.policy import Policy, load_policy
from rootcall.run import score
from rootcall.summary import Run
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"
RULES = (
    "selection/policy-requires",
    "selection/policy-confirm",
    "selection/policy-at-most",
    "selection/policy-never-with",
    "arguments/policy-bound",
)


def ran(policy: Policy, trace: Trace, status: str = "fail") -> list[Check]:
    checks = rootcall.verdict(trace, config=Config(policy=policy, select=RULES)).checks
    return [c for c in checks if c.status == status]


# ---- real runs -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs() -> dict[str, Trace]:
    return {f"{t.metadata['domain']} {t.id}": t for t in rootcall.read(DATA / "tau_policy.jsonl.gz")}


@pytest.mark.parametrize(
    ("run", "rule", "at", "told"),
    [
        ("airline 0-1", "arguments/policy-bound", "messages[20].calls[0].arguments.payment_methods",
         'that are {"$regex": "^certificate_"} is 2, more than 1'),
        ("airline 0-2", "arguments/policy-bound", "messages[20].calls[0].arguments.nonfree_baggages",
         "nonfree_baggages is 1, not 0 (read at messages[6].calls[0])"),
        ("airline 15-1", "arguments/policy-bound", "messages[22].calls[0].arguments.flights", "the number of flights[*] is 1, less than 2"),
        ("airline 22-0", "arguments/policy-bound", "messages[20].calls[0].arguments.flights[0].flight_number",
         'flights[0].flight_number is "HAT041", which is not among reservation.flights[*].flight_number: ["HAT202", "HAT232"]'),
        ("airline 25-0", "arguments/policy-bound", "messages[10].calls[0].arguments.reservation_id",
         'reservation.created_at is "2024-05-12T09:36:29", not after 2024-05-14T15:00:00'),
        ("airline 33-1", "arguments/policy-bound", "messages[24].calls[0].arguments.reservation_id", 'reservation.insurance is "no", not "yes"'),
        ("retail 27-0", "selection/policy-never-with", "messages[26].calls[0]",
         'exchange_delivered_order_items with order_id "#W7181492" was called after return_delivered_order_items (messages[22].calls[0])'),
        ("retail 74-74", "arguments/policy-bound", "messages[20].calls[0].arguments.order_id",
         'order.status is "pending", not "delivered" (read at messages[10].calls[0])'),
        ("retail 105-105", "arguments/policy-bound", "messages[42].calls[0].arguments.order_id",
         'order.status is "pending (item modified)", not "pending" (read at messages[38].calls[0])'),
        ("retail 105-105", "selection/policy-confirm", "messages[42].calls[0]", "without the user's yes since the last thing that was done"),
        ("retail 22-0", "selection/policy-confirm", "messages[10].calls[0]", "I’d like to change it to 101 Highway"),
    ],
)  # fmt: skip
def test_violations_in_real_runs_carry_their_place_their_sentence_and_what_was_read(
    bundled: Path, runs: dict[str, Trace], run: str, rule: str, at: str, told: str
) -> None:
    policy = load_policy(bundled / f"tau-{run.split(maxsplit=1)[0]}-policy.yaml")
    (check,) = [c for c in ran(policy, runs[run]) if c.rule == rule and c.at == at and told in c.message]
    said = next(r for r in policy.rules if f"({r.cited}): " in check.message)
    assert check.message.startswith(said.says)
    assert check.grade == ("likely" if rule == "selection/policy-confirm" else "proof")


@pytest.mark.parametrize(
    "run", ["airline 12-2", "airline 13-1", "airline 18-1", "airline 24-2", "retail 6-0", "retail 15-0", "retail 26-0"]
)
def test_rewarded_runs_are_not_accused_and_were_looked_at(bundled: Path, runs: dict[str, Trace], run: str) -> None:
    policy = load_policy(bundled / f"tau-{run.split(maxsplit=1)[0]}-policy.yaml")
    assert not ran(policy, runs[run])
    # An airline run is also rewarded for refusing: there is no call to look at.
    assert len(ran(policy, runs[run], "pass")) > (5 if run.startswith("retail") else -1)


def test_the_root_cause_of_a_run_is_the_argument_the_policy_bounds(bundled: Path, runs: dict[str, Trace]) -> None:
    config = Config(policy=load_policy(bundled / "tau-airline-policy.yaml"))
    cause = rootcall.verdict(runs["airline 25-0"], config=config).root_cause
    assert cause is not None
    assert (cause.rule, cause.tool, cause.argument) == (
        "arguments/policy-bound",
        "cancel_reservation",
        "reservation_id",
    )


# ---- hand-made -----------------------------------------------------------------------------------------------------

REFUSED = "Error: not possible"


def tool(name: str, description: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties},
        }
    }


def talk(*turns: Any, tools: list[dict[str, Any]] | None = None) -> Trace:
    """Texts of the user, `{"say": text}` of the agent, and calls `(tool, arguments[, result])`, each a step of its own."""
    messages: list[dict[str, Any]] = []
    for n, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append({"role": "user", "content": turn})
        elif isinstance(turn, dict):
            messages.append({"role": "assistant", "content": turn["say"]})
        else:
            name, sent, *result = turn
            messages.append(
                {
                    "role": "assistant",
                    "tool_calls": [{"id": str(n), "function": {"name": name, "arguments": json.dumps(sent)}}],
                }
            )
            given_back = result[0] if result else {"done": True}
            text = given_back if isinstance(given_back, str) else json.dumps(given_back)
            messages.append({"role": "tool", "tool_call_id": str(n), "content": text})
    return Trace.from_openai(messages, tools)


def failing(rule: dict[str, Any], *turns: Any, tools: list[dict[str, Any]] | None = None) -> list[tuple[str, str]]:
    """The rules that fail on deciding attempts, and where."""
    found = ran(Policy.from_dict([rule]), talk(*turns, tools=tools))
    return [(c.rule.partition("/")[2], c.at) for c in found if c.attempt in ("only", "final")]


LOOK, SHUT = ("look", {"id": "A"}), ("shut", {"id": "A"})


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        ({"tool": "shut", "requires": "look"}, [LOOK, SHUT], [SHUT]),
        ({"tool": "shut", "requires": "look"}, [LOOK, SHUT], [SHUT, LOOK]),
        ({"tool": "shut", "requires": "look"}, [LOOK, SHUT], [("look", {"id": "A"}, REFUSED), SHUT]),
        ({"tool": "shut", "requires": ["look", "ask"]}, [LOOK, ("ask", {}), SHUT], [LOOK, SHUT]),
        ({"tool": "shut", "requires": [{"any": ["look", "ask"]}]}, [("ask", {}), SHUT], [("other", {}), SHUT]),
        ({"tool": "shut", "requires": "look", "per": "id"}, [LOOK, SHUT], [("look", {"id": "B"}), SHUT]),
        ({"tool": "shut", "requires": "look", "when": {"hard": True}}, [SHUT], [("shut", {"id": "A", "hard": True})]),
        ({"tool": "shut", "at_most": 1}, [SHUT], [SHUT, ("shut", {"id": "B"})]),
        ({"tool": "shut", "at_most": 1, "per": "id"}, [SHUT, ("shut", {"id": "B"})], [SHUT, SHUT]),
        ({"tool": "shut", "at_most": 1}, [("shut", {"id": "B"}, REFUSED), ("look", {}), SHUT], [("shut", {"id": "B"}), SHUT]),
        ({"tool": ["shut", "lock"], "at_most": 1}, [SHUT], [SHUT, ("lock", {})]),
        ({"tool": "shut", "at_most": 0, "when": {"hard": True}}, [SHUT], [("shut", {"id": "A", "hard": True})]),
        ({"tool": "shut", "never_with": "open"}, [SHUT, LOOK], [("open", {}), SHUT]),
        ({"tool": "shut", "never_with": "open"}, [SHUT, LOOK], [SHUT, ("open", {})]),
        ({"tool": "shut", "never_with": "open", "per": "id"}, [("open", {"id": "B"}), SHUT], [("open", {"id": "A"}), SHUT]),
        ({"tool": "shut", "never_with": "open"}, [("open", {}, REFUSED), SHUT], [("open", {}), SHUT]),
        ({"tool": "shut", "never_with": "open", "when": {"hard": True}}, [("open", {}), SHUT], [("open", {}), ("shut", {"hard": True})]),
        ({"tool": "shut", "bound": {"id": {"in": "look.ids[*]"}}}, [("look", {}, {"ids": ["A"]}), SHUT], [("look", {}, {"ids": ["B"]}), SHUT]),
        ({"tool": "shut", "bound": {"id": {"$regex": "^[AB]$"}}}, [SHUT], [("shut", {"id": "C"})]),
        ({"tool": "shut", "bound": {"n": {"at_most": 3}}, "when": {"id": "A"}}, [("shut", {"id": "B", "n": 4})], [("shut", {"id": "A", "n": 4})]),
        ({"tool": "shut", "confirm": True}, ["Shut A.", {"say": "Shall I?"}, "Yes.", SHUT], ["Shut A.", {"say": "Which one?"}, "A", SHUT]),
        ({"tool": "shut", "confirm": "request"}, ["Shut A.", SHUT], ["Look at A.", SHUT]),
    ],
)  # fmt: skip
def test_each_key_has_a_call_that_breaks_it_and_one_that_keeps_it(
    rule: dict[str, Any], right: list[Any], wrong: list[Any]
) -> None:
    opening: list[Any] = [] if isinstance(right[0], str) else ["Please see to it."]
    assert failing(rule, *opening, *right) == []
    (found,) = failing(rule, *opening, *wrong)
    assert found[0] in ("policy-requires", "policy-at-most", "policy-never-with", "policy-bound", "policy-confirm")


@pytest.mark.parametrize(
    ("turns", "good"),
    [
        (["Shut A.", {"say": "I will shut A. Please confirm."}, "Go ahead.", SHUT], True),
        (["Shut A and B.", {"say": "Both?"}, "Yes, both.", SHUT, ("shut", {"id": "B"})], True),
        (
            [
                "Shut A.",
                {"say": "Shall I?"},
                "Yes.",
                SHUT,
                {"say": "Done. Anything else?"},
                "B too.",
                ("shut", {"id": "B"}),
            ],
            False,
        ),
        (
            [
                "Shut A.",
                {"say": "Shall I?"},
                "Yes.",
                ("shut", {"id": "A"}, REFUSED),
                {"say": "It failed."},
                "Try B.",
                ("shut", {"id": "B"}),
            ],
            True,
        ),
        (["Shut A.", {"say": "Shall I?"}, "No, that is not right.", SHUT], False),
        (["Shut some.", {"say": "Would you like to proceed with A and B?"}, "Shut A, leave B.", SHUT], True),
        (["Shut some.", {"say": "Would you like to proceed with A?"}, "Do not shut A.", SHUT], False),
        (["Yes, shut A.", SHUT], False),
        (["A를 닫아줘.", {"say": "A를 닫을까요?"}, "네, 진행해 주세요.", SHUT], True),
    ],
)
def test_the_users_yes_is_to_a_question_and_is_used_up_by_what_was_done(turns: list[Any], good: bool) -> None:
    assert (failing({"tool": "shut", "confirm": True}, *turns) == []) is good


@pytest.mark.parametrize(
    ("effect", "name", "hints", "covered"),
    [
        ("destructive", "delete_it", {}, True),
        ("destructive", "create_it", {}, False),
        ("destructive", "create_it", {"destructiveHint": True}, True),
        ("write", "create_it", {}, True),
        ("write", "get_it", {}, False),
        ("write", "get_it", {"readOnlyHint": False}, True),
    ],
)
def test_a_rule_may_be_about_all_tools_that_destroy_or_write(
    effect: str, name: str, hints: dict[str, bool], covered: bool
) -> None:
    offered = tool(name)
    offered["function"]["annotations"] = hints
    rule = {"tool": {"effect": effect}, "at_most": 0}
    assert (failing(rule, "See to it.", (name, {}), tools=[offered]) != []) is covered


def test_a_star_in_a_name_means_every_tool_of_that_kind() -> None:
    rule = {"tool": "shut_*", "requires": "look_*", "never_with": "open_*"}
    assert failing(rule, "See to it.", ("look_up", {}), ("shut_door", {})) == []
    found = failing(rule, "See to it.", ("open_door", {}), ("shut_door", {}))
    assert sorted(name for name, _ in found) == ["policy-never-with", "policy-requires"]


def test_words_that_were_not_captured_leave_consent_open() -> None:
    call = {"id": "1", "function": {"name": "shut", "arguments": "{}"}}
    trace = Trace.from_openai([{"role": "user", "content": None}, {"role": "assistant", "tool_calls": [call]}])
    (check,) = ran(Policy.from_dict([{"tool": "shut", "confirm": True}]), trace, "unscored")
    assert check.question == "was-consented"


def test_a_call_that_was_refused_was_attempted_and_its_right_retry_decides() -> None:
    rule = {"tool": "shut", "bound": {"id": {"in": ["A"]}}}
    wrong = ("shut", {"id": "B"}, REFUSED)
    assert failing(rule, "Shut it.", wrong) == [("policy-bound", "messages[1].calls[0].arguments.id")]
    assert failing(rule, "Shut it.", wrong, SHUT) == []


def test_what_no_earlier_result_tells_is_unscored_and_says_why() -> None:
    policy = Policy.from_dict(
        [
            {"tool": "shut", "bound": {"id": {"in": "look.ids[*]"}}},
            {"tool": "shut", "when": {"look.open": True}, "at_most": 0},
        ]
    )
    trace = talk("Shut it.", SHUT, tools=[tool("look"), tool("shut")])
    bound, limit = sorted(ran(policy, trace, "unscored"), key=lambda c: c.rule)
    assert bound.message == "no result of look came before it (<memory> rules[0])"
    assert (bound.argument, limit.rule) == ("id", "selection/policy-at-most")
    assert not ran(policy, trace)
    assert not ran(policy, trace, "pass")


def test_a_rule_sets_its_grade_and_a_hint_fails_no_trace() -> None:
    for grade, status in (("hint", "pass"), ("likely", "fail")):
        policy = Policy.from_dict([{"tool": "shut", "at_most": 0, "grade": grade}])
        verdict = rootcall.verdict(
            talk("Shut it.", SHUT, tools=[tool("shut")]), config=Config(policy=policy, select=("selection",))
        )
        assert ([c.grade for c in verdict.checks if c.status == "fail"], verdict.status) == ([grade], status)


def test_the_same_trace_is_judged_anew_by_every_policy() -> None:
    trace = talk("See to it.", SHUT, LOOK)
    for _ in range(20):
        assert [c.tool for c in ran(Policy.from_dict([{"tool": "shut", "at_most": 0}]), trace)] == ["shut"]
        assert [c.tool for c in ran(Policy.from_dict([{"tool": "look", "at_most": 0}]), trace)] == ["look"]


# ---- a policy and the words of tools -------------------------------------------------------------------------------


def test_what_a_policy_says_goes_before_the_words_of_tools() -> None:
    tools = [
        tool("look"),
        tool(
            "delete_it",
            "Deletes it. Must only be called after look.",
            count={"type": "integer", "description": "How many, at most 3"},
        ),
    ]
    trace = talk("Tidy up, keep everything.", ("delete_it", {"count": 5}), tools=tools)
    silent = Policy.from_dict([{"tool": "look", "confirm": False}])
    assert sorted(c.rule for c in ran(silent, trace)) == [
        "arguments/policy-bound",
        "selection/policy-confirm",
        "selection/policy-requires",
    ]
    allowed = Policy.from_dict(
        [{"tool": "delete_it", "requires": [], "confirm": False, "bound": {"count": {"at_most": 9}}}]
    )
    assert ran(allowed, trace) == []
    stricter = Policy.from_dict([{"tool": "delete_it", "bound": {"count": {"at_most": 2}}}])
    assert [c.grade for c in ran(stricter, trace) if c.rule == "arguments/policy-bound"] == ["proof"]


@pytest.mark.parametrize(
    "said",
    [
        "Could you reverse the transaction we just made?",
        "I might need to pull the plug on that order. Can you nix it?",
        "Would you mind taking the first one off my list?",
        "Please withdraw that order if it has not gone through.",
        "On second thought, let's scrap that order.",
        "Could you retract that message?",
        "Make sure it's no longer on my list.",
        "Let's call the whole thing off.",
    ],
)
def test_a_request_to_undo_is_consent_in_whatever_words(said: str) -> None:
    assert ran(Policy(), talk(said, ("cancel_order", {"id": 1}), tools=[tool("cancel_order")])) == []


@pytest.mark.parametrize(
    "said",
    [
        "Change her number, keep everything else.",
        "How is my order doing?",
        "I no longer live there; use the new address.",
    ],
)
def test_what_asks_for_something_else_is_none(said: str) -> None:
    (check,) = ran(Policy(), talk(said, ("cancel_order", {"id": 1}), tools=[tool("cancel_order")]))
    assert check.rule == "selection/policy-confirm"


# ---- cases and runs ------------------------------------------------------------------------------------------------


def test_the_policy_of_a_case_stands_beside_that_of_the_configuration() -> None:
    case = rootcall.Case.from_dict({"expect": {"calls": "some"}, "policy": [{"tool": "shut", "at_most": 0}]})
    config = Config(policy=Policy.from_dict([{"tool": "shut", "requires": "look"}]))
    verdict = rootcall.verdict(talk("Shut it.", SHUT), case, config)
    assert {c.rule for c in verdict.checks if c.status == "fail"} == {
        "selection/policy-at-most",
        "selection/policy-requires",
    }


ORDERED = {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}}}


def refunded(policy: Any, *, schema: Any = ORDERED, **config: Any) -> Run:
    """A run over one trace: an order is looked up and refunded, by tools of a known schema."""
    calls = [
        ("get_order", {"order_id": "A"}, {"id": "A", "total": 20}),
        ("refund", {"order_id": "A", "amount": 20}, {}),
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Refund order A."}]
    for name, arguments, result in calls:
        call = {"id": name, "function": {"name": name, "arguments": json.dumps(arguments)}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": name, "content": json.dumps(result)})
    tools = [{"type": "function", "function": {"name": n, "parameters": schema}} for n in ("get_order", "refund")]
    made = Config(policy=Policy.from_dict(policy), **config)
    return score([Trace.from_openai(messages, tools=tools)], config=made)


def statuses(run: Run) -> list[str]:
    return [c.status for v in run.verdicts for c in v.checks if "/policy-" in c.rule and "rules[" in c.message]


@pytest.mark.parametrize(
    ("rule", "code", "told"),
    [
        ({"requires": "get_order", "per": "ordr_id"}, "argument",
         "the policy names the argument 'ordr_id', which refund does not have; did you mean 'order_id'?"),
        ({"at_most": 1, "per": "ordr_id"}, "argument", "did you mean 'order_id'?"),
        ({"never_with": "get_order", "per": "ordr_id"}, "argument", "did you mean 'order_id'?"),
        ({"bound": {"amout": {"at_most": 10}}}, "argument", "which refund does not have; did you mean 'amount'?"),
        ({"bound": {"amout[*].x": {"count": True, "at_most": 10}}}, "argument", "did you mean 'amount'?"),
        ({"when": {"amout": 20}, "at_most": 0}, "argument", "did you mean 'amount'?"),
        ({"bound": {"amount": {"at_most": "ordr.total"}}}, "result",
         "the policy reads 'ordr', which is no name of a result, no tool and no argument of refund; did you mean 'order'?"),
        ({"bound": {"amount": {"at_most": "order.totl"}}}, "result",
         "the policy reads 'order.totl', but no result of get_order holds 'totl'; did you mean 'total'?"),
        ({"bound": {"any": [{"amount": {"at_most": {"plus": [1, "get_ordr.total"]}}}]}}, "result", "did you mean 'get_order'?"),
    ],
)  # fmt: skip
def test_a_name_that_nothing_has_is_noted_and_what_rests_on_it_neither_passes_nor_fails(
    rule: dict[str, Any], code: str, told: str
) -> None:
    run = refunded(
        {"results": {"order": {"of": "get_order", "same": "order_id"}}, "rules": [{"tool": "refund", **rule}]}
    )
    assert statuses(run) == ["unscored"]
    (problem,) = run.problems
    assert problem.code == f"policy-unknown-{code}"
    assert problem.message.endswith(told)
    assert problem.source.pointer == "rules[0]"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"requires": "get_order", "per": "order_id"}, "pass"),
        ({"at_most": 1, "per": "order_id"}, "pass"),
        ({"never_with": "get_order", "per": "order_id"}, "fail"),
        ({"bound": {"amount": {"at_most": 10}}}, "fail"),
        ({"bound": {"amount": {"at_most": "order.total"}}}, "pass"),
        ({"bound": {"amount": {"at_most": "get_order.total"}}}, "pass"),
        ({"bound": {"order.note": "x"}}, "unscored"),
    ],
)
def test_right_names_are_not_noted_nor_a_field_that_is_sometimes_there(rule: dict[str, Any], expected: str) -> None:
    run = refunded(
        {"results": {"order": {"of": "get_order", "same": "order_id"}}, "rules": [{"tool": "refund", **rule}]}
    )
    assert statuses(run) == [expected]
    assert run.problems == ()


@pytest.mark.parametrize("sent", ['{"order_id": "A", ', '{"order_id": %s}' % ("9" * 5000)])
@pytest.mark.parametrize("rule", [{"requires": "look", "per": "order_id"}, {"at_most": 1, "per": "order_id"}])
def test_arguments_that_could_not_be_read_decide_nothing(rule: dict[str, Any], sent: str) -> None:
    call = {"id": "1", "function": {"name": "refund", "arguments": sent}}
    messages = [{"role": "user", "content": "Refund it."}, {"role": "assistant", "tool_calls": [call]}]
    tools = [{"type": "function", "function": {"name": "refund", "parameters": ORDERED}}]
    policy = Policy.from_dict([{"tool": "refund", **rule}])
    (check,) = ran(policy, Trace.from_openai(messages, tools=tools), "unscored")[:1]
    assert "what refund was sent could not be read (<memory> rules[0])" in check.message
    assert ran(policy, Trace.from_openai(messages, tools=tools), "fail") == []


def test_an_argument_of_the_schema_that_was_not_sent_fulfils_no_requirement() -> None:
    call = {"id": "1", "function": {"name": "refund", "arguments": '{"amount": 3}'}}
    messages = [{"role": "user", "content": "Refund it."}, {"role": "assistant", "tool_calls": [call]}]
    tools = [{"type": "function", "function": {"name": "refund", "parameters": ORDERED}}]
    policy = Policy.from_dict([{"tool": "refund", "requires": "look", "per": "order_id"}])
    (check,) = ran(policy, Trace.from_openai(messages, tools=tools))
    assert check.message.startswith("refund: no look with its order_id, which was not sent, came before it")


def test_a_schema_that_takes_any_argument_makes_no_name_a_slip() -> None:
    run = refunded([{"tool": "refund", "bound": {"amout": 3}}], schema={**ORDERED, "additionalProperties": True})
    assert statuses(run) == ["pass"]
    assert run.problems == ()


def test_names_under_all_of_and_inner_references_are_the_tools_own() -> None:
    schema = {"allOf": [{"$ref": "#/$defs/more"}], "$defs": {"more": {"properties": {"note": {}}}}, "type": "object"}
    assert statuses(refunded([{"tool": "refund", "bound": {"note": "x"}}], schema=schema)) == ["pass"]


def test_what_earlier_calls_must_have_sent_and_results_that_hide_a_tool_are_looked_at_too() -> None:
    results = {"refund": {"of": "get_order", "sent": {"ordr_id": "A"}}}
    found = refunded({"results": results, "rules": [{"tool": "refund", "at_most": 1}]}).problems
    assert [p.code for p in found] == ["policy-result-hides-tool", "policy-unknown-argument"]
    assert "in results.refund.sent, which get_order does not have; did you mean 'order_id'?" in found[1].message


def test_tools_and_arguments_that_only_the_configuration_names_are_noted() -> None:
    slips = {
        "refnd": ToolConfig(),
        "refund": ToolConfig(arguments={"amout": ArgumentConfig(), "amount": ArgumentConfig()}),
    }
    found = {p.code: p.message for p in refunded([{"tool": "refund", "at_most": 1}], tools=slips).problems}
    assert found == {
        "config-unknown-tool": "the configuration names the tool 'refnd', which no trace offers or calls; did you mean 'refund'?",
        "config-unknown-argument": "the configuration names the argument 'amout', which refund does not have; did you mean 'amount'?",
    }


def test_tools_that_only_the_policy_names_are_noted_once_for_all_traces() -> None:
    config = Config(policy=Policy.from_dict([{"tool": "shutt", "requires": ["look"]}]))
    tools = [tool("look"), tool("shut")]
    run = score([talk("Shut it.", LOOK, SHUT, tools=tools)] * 2, config=config)
    (problem,) = [p for p in run.problems if p.code == "policy-unknown-tool"]
    assert problem.message == "the policy names 'shutt', which no trace offers; did you mean 'shut'?"
    assert run.exit_code == 0
    assert "policy-unknown-tool" not in score([talk("Shut it.", LOOK)], config=config).problem_counts


# ---- whatever the policy says --------------------------------------------------------------------------------------

SLOW = settings(max_examples=60, deadline=None)
NAMES = st.sampled_from(["look", "shut", "open"])
CALLS = st.lists(st.tuples(NAMES, st.dictionaries(st.sampled_from(["id", "n"]), st.integers(0, 2))), max_size=6)
ENTRY = st.fixed_dictionaries(
    {"tool": NAMES},
    optional={
        "requires": NAMES,
        "at_most": st.integers(0, 2),
        "never_with": NAMES,
        "bound": st.sampled_from([{"id": {"in": [0, 1]}}, {"n": {"at_most": "id"}}, {"look.done": True}]),
        "when": st.sampled_from([{"id": 1}, {"open.done": True}, {}]),
    },
).filter(
    lambda e: (
        len(e.keys() - {"tool", "when"}) > 0
        and (e.get("when") or e["tool"] not in (e.get("requires"), e.get("never_with")))
    )
)


def told(checks: list[Check]) -> list[tuple[str, str, str]]:
    return sorted((c.rule, c.status, c.at) for c in checks)


@SLOW
@given(CALLS)
def test_a_policy_without_rules_changes_nothing(calls: list[Any]) -> None:
    trace = talk("Do it.", *calls, tools=[tool("look"), tool("shut"), tool("open")])
    bare = rootcall.verdict(trace).to_dict()
    assert rootcall.verdict(trace, config=Config(policy=Policy())).to_dict() == bare


@SLOW
@given(
    st.lists(ENTRY, min_size=1, max_size=4).flatmap(
        lambda entries: st.tuples(st.just(entries), st.permutations(entries))
    ),
    CALLS,
)
def test_the_order_of_rules_never_matters(entries: tuple[list[Any], list[Any]], calls: list[Any]) -> None:
    trace = talk("Do it.", *calls)
    one, other = (rootcall.verdict(trace, config=Config(policy=Policy.from_dict(e), select=RULES)) for e in entries)
    assert told(list(one.checks)) == told(list(other.checks))
    assert one.status == other.status


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "ids", "done", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@SLOW
@given(JSON, JSON)
def test_no_payload_and_no_argument_makes_a_policy_raise(sent: Any, result: Any) -> None:
    policy = Policy.from_dict(
        {
            "results": {"seen": {"of": "look", "same": {"id": "id"}}},
            "rules": [
                {
                    "tool": "shut",
                    "bound": {
                        "id": {"in": "look[*].ids[*]"},
                        "ids[*]": {"count": {"$regex": "a"}, "at_most": "seen.a"},
                    },
                },
                {
                    "tool": "shut",
                    "bound": {
                        "a": {"at_most": {"sum": "seen.ids[*]"}, "after": "look.done"},
                        "seen.ids[a=1].done": True,
                    },
                },
                {
                    "tool": "shut",
                    "when": {"any": [{"a": {"at_least": 1}}, {"look.ids[0]": 3}]},
                    "at_most": 0,
                    "per": "id",
                },
            ],
        }
    )
    trace = talk(
        "Do it.", ("look", {"id": sent}, result), ("shut", sent if isinstance(sent, dict) else {"id": sent, "a": sent})
    )
    assert {c.rule for c in rootcall.verdict(trace, config=Config(policy=policy, select=RULES)).checks} <= set(RULES)
