"""Conditions at a call: yes, no and unknown, each beside its twin."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootcall.conditions import Answer, At, argument_of, holds, values_at
from rootcall.policy import Policy
from rootcall.trace import Trace

ORDER = {
    "id": "A",
    "status": "open",
    "user": "u1",
    "made": "2026-05-01T10:00:00",
    "total": 30,
    "items": [{"id": "i1", "price": 10}, {"id": "i2", "price": 20}],
    "cards": {"c1": {"id": "c1", "kind": "gift", "good": True}, "c2": {"id": "c2", "kind": "credit", "good": False}},
}
RESULTS = {
    "order": {"of": "get_order", "same": {"id": "order_id"}},
    "user": {"of": "get_user", "same": {"id": "order.user"}},
}


def trace(arguments: dict[str, Any], *results: tuple[str, dict[str, Any], Any], takes: tuple[str, ...] = ()) -> Trace:
    """Earlier calls with their results, then the judged call `pay`; its schema names the arguments it `takes`."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Pay it."}]
    for i, (tool, sent, result) in enumerate([*results, ("pay", arguments, {"done": True})]):
        call = {"id": str(i), "function": {"name": tool, "arguments": json.dumps(sent)}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append(
            {
                "role": "tool",
                "tool_call_id": str(i),
                "content": result if isinstance(result, str) else json.dumps(result),
            }
        )
    schema = {"type": "object", "properties": {name: {} for name in takes}}
    tools = [{"type": "function", "function": {"name": "pay", "parameters": schema}}] if takes else None
    return Trace.from_openai(messages, tools=tools)


LOOKED_UP = ("get_order", {"order_id": "A"}, ORDER)


def at(
    arguments: dict[str, Any],
    *results: tuple[str, dict[str, Any], Any],
    names: dict[str, Any] = RESULTS,
    takes: tuple[str, ...] = (),
) -> At:
    t = trace(arguments, *results, takes=takes)
    return At(t, t.calls[-1], Policy.from_dict({"results": names, "rules": []}))


def asked(condition: dict[str, Any], place: At, *, every: bool = True) -> Answer:
    Policy.from_dict([{"tool": "pay", "bound": condition}])  # a condition that no file could hold proves nothing
    return holds(condition, place, every=every)


@pytest.mark.parametrize(
    ("condition", "yes", "no"),
    [
        ({"n": 3}, {"n": 3.0}, {"n": "3"}),
        ({"n": {"$not": 3}}, {"n": 4}, {"n": 3}),
        ({"n": {"$range": [1, 3]}}, {"n": 3}, {"n": 4}),
        ({"n": {"in": [1, 2]}}, {"n": 2}, {"n": 3}),
        ({"n": {"in": [1, {"$range": [5, 9]}]}}, {"n": 6}, {"n": 3}),
        ({"n": {"not_in": [1, 2]}}, {"n": 3}, {"n": 2}),
        ({"n": {"at_least": 2, "at_most": 4}}, {"n": 2}, {"n": 5}),
        ({"n": {"at_most": "m"}}, {"n": 2, "m": 2}, {"n": 3, "m": 2}),
        ({"n": {"same_as": "m"}}, {"n": 2, "m": 2}, {"n": 3, "m": 2}),
        ({"x": {"in": "order.items[*].id"}}, {"x": "i2"}, {"x": "i3"}),
        ({"x[*]": {"in": "order.items[*].id"}}, {"x": ["i1", "i2"]}, {"x": ["i1", "i3"]}),
        ({"x": {"in": "order.cards[*].id"}}, {"x": "c2"}, {"x": "c3"}),
        ({"x": {"in": "order.cards[good=true].id"}}, {"x": "c1"}, {"x": "c2"}),
        ({"x": {"in": "order.cards[kind=credit].id"}}, {"x": "c2"}, {"x": "c1"}),
        ({"x": {"not_in": "order.items[*].id"}}, {"x": "i3"}, {"x": "i1"}),
        ({"x": {"same_as": "order.items[0].id"}}, {"x": "i1"}, {"x": "i2"}),
        ({"x": {"same_as": "get_order.items[-1].id"}}, {"x": "i2"}, {"x": "i1"}),
        ({"x": {"same_as": "get_order[0].status"}}, {"x": "open"}, {"x": "shut"}),
        ({"n": {"at_most": "order.total"}}, {"n": 30}, {"n": 31}),
        ({"n": {"same_as": {"sum": "order.items[*].price"}}}, {"n": 30}, {"n": 20}),
        ({"n": {"same_as": {"count": "order.items[*]"}}}, {"n": 2}, {"n": 3}),
        ({"n": {"same_as": {"times": [5, {"count": "order.items[*]"}]}}}, {"n": 10}, {"n": 5}),
        ({"n": {"same_as": {"plus": ["order.total", 1]}}}, {"n": 31}, {"n": 30}),
        ({"n": {"same_as": {"minus": ["order.total", "m"]}}}, {"n": 28, "m": 2}, {"n": 28, "m": 3}),
        ({"n": {"same_as": {"larger": [0, {"minus": ["m", 5]}]}}}, {"n": 0, "m": 3}, {"n": -2, "m": 3}),
        ({"n": {"same_as": {"smaller": [3, "m"]}}}, {"n": 3, "m": 7}, {"n": 7, "m": 7}),
        ({"n": {"at_most": {"pick": "order.status", "of": {"open": 2, "shut": 0}}}}, {"n": 2}, {"n": 3}),
        ({"d": {"after": "2026-05-01"}}, {"d": "2026-05-02"}, {"d": "2026-05-01"}),
        ({"d": {"before": "2026-05-01T12:00:00"}}, {"d": "2026-05-01T11:59:00"}, {"d": "2026-05-01T12:00:00"}),
        ({"d": {"after": "order.made"}}, {"d": "2026-05-01T10:00:01"}, {"d": "2026-05-01T09:00:00"}),
        ({"d": {"after": "2026-05-01T10:00:00+00:00"}}, {"d": "2026-05-01T13:00:00+02:00"}, {"d": "2026-05-01T11:00:00+02:00"}),
        ({"x[*]": {"count": True, "at_most": 2}}, {"x": [1, 2]}, {"x": [1, 2, 3]}),
        ({"x[*]": {"count": {"$regex": "^c"}, "at_most": 1}}, {"x": ["c1", "g1", "g2"]}, {"x": ["c1", "c2"]}),
        ({"x[*]": {"count": True, "same_as": {"count": "order.items[*]"}}}, {"x": [1, 2]}, {"x": [1]}),
        ({"any": [{"n": 1}, {"m": 1}]}, {"n": 2, "m": 1}, {"n": 2, "m": 2}),
        ({"any": [{"n": 1, "m": 1}, {"n": 2, "m": 2}]}, {"n": 2, "m": 2}, {"n": 1, "m": 2}),
        ({"order.total": {"at_least": "n"}}, {"n": 30}, {"n": 31}),
        ({"x.y[0]": 1}, {"x": {"y": [1]}}, {"x": {"y": [2]}}),
    ],
)  # fmt: skip
def test_each_relation_has_its_yes_and_its_no(
    condition: dict[str, Any], yes: dict[str, Any], no: dict[str, Any]
) -> None:
    assert asked(condition, at({"order_id": "A", **yes}, LOOKED_UP)).result == "yes"
    answer = asked(condition, at({"order_id": "A", **no}, LOOKED_UP))
    assert answer.result == "no"
    assert answer.reason


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ({"order.status": "open"}, 'no result of get_order with id "A" came before it'),
        ({"x": {"in": "order.items[*].id"}}, "no result of get_order"),
        ({"x": {"not_in": "order.items[*].id"}}, "no result of get_order"),
        ({"n": {"at_most": "order.total"}}, "no result of get_order"),
        ({"n": {"same_as": {"count": "order.items[*]"}}}, "no result of get_order"),
        ({"user.name": "Ann"}, 'no result of get_order with id "A" came before it'),
    ],
)
def test_without_the_earlier_result_nothing_is_known(condition: dict[str, Any], told: str) -> None:
    answer = asked(condition, at({"order_id": "A", "x": "i1", "n": 3}))
    assert answer.result == "unknown"
    assert answer.reason.startswith(told)


@pytest.mark.parametrize(
    "result",
    [
        ("get_order", {"order_id": "B"}, {**ORDER, "id": "B"}),
        ("get_order", {"order_id": "A"}, "Error: order not found"),
        ("find_order", {"order_id": "A"}, ORDER),
    ],
)
def test_results_of_other_things_and_errors_tell_nothing(result: Any) -> None:
    assert asked({"order.status": "open"}, at({"order_id": "A"}, result)).result == "unknown"


def test_the_latest_result_counts_and_all_or_the_first_can_be_named() -> None:
    shut = ("get_order", {"order_id": "A"}, {**ORDER, "status": "shut"})
    place = at({"order_id": "A"}, LOOKED_UP, shut)
    assert asked({"order.status": "shut"}, place).result == "yes"
    assert asked({"order[0].status": "open"}, place).result == "yes"
    assert asked({"order[*].status": "shut"}, place).result == "no"
    assert asked({"order[*].status": "shut"}, place, every=False).result == "yes"
    assert asked({"order[2].status": "shut"}, place).result == "unknown"


def test_a_result_is_about_the_call_by_what_it_holds_else_by_what_was_sent() -> None:
    bare = ("get_user", {"id": "u1"}, {"name": "Ann"})
    other = ("get_user", {"id": "u2"}, {"name": "Bob"})
    assert asked({"user.name": "Ann"}, at({"order_id": "A"}, LOOKED_UP, bare, other)).result == "yes"
    assert asked({"user.name": "Ann"}, at({"order_id": "A"}, LOOKED_UP, other)).result == "unknown"


def test_earlier_calls_can_be_told_by_what_they_sent() -> None:
    names = {"closed": {"of": "set_status", "same": {"order_id": "order_id"}, "sent": {"to": {"$not": "open"}}}}
    condition = {"closed[*]": {"count": True, "at_most": 0}}
    opened = ("set_status", {"order_id": "A", "to": "open"}, {"ok": True})
    closed = ("set_status", {"order_id": "A", "to": "shut"}, {"ok": True})
    assert asked(condition, at({"order_id": "A"}, opened, names=names)).result == "yes"
    assert asked(condition, at({"order_id": "A"}, names=names)).result == "yes"
    assert asked(condition, at({"order_id": "A"}, opened, closed, names=names)).result == "no"
    assert asked(condition, at({"order_id": "B"}, closed, names=names)).result == "yes"


def test_results_about_something_else_can_be_named() -> None:
    names = {"others": {"of": "get_order", "other": {"id": "order_id"}}}
    condition = {"x": {"not_in": "others[*].items[*].id"}}
    assert asked(condition, at({"order_id": "A", "x": "i1"}, LOOKED_UP, names=names)).result == "unknown"
    assert asked(condition, at({"order_id": "B", "x": "i1"}, LOOKED_UP, names=names)).result == "no"
    assert asked(condition, at({"order_id": "B", "x": "i3"}, LOOKED_UP, names=names)).result == "yes"


def test_an_answer_tells_which_results_were_read_and_the_place_that_decided() -> None:
    place = at({"order_id": "A", "x": ["i1", "i9"]}, LOOKED_UP)
    answer = asked({"x[*]": {"in": "order.items[*].id"}}, place)
    assert (answer.path, answer.got) == ("x[1]", "i9")
    assert [c.at for c in answer.results] == [place.trace.calls[0].at]
    assert answer.reason == 'x[1] is "i9", which is not among order.items[*].id: ["i1", "i2"]'


def test_an_argument_that_was_not_sent_breaks_no_bound_and_fulfils_no_condition() -> None:
    place = at({"order_id": "A"}, LOOKED_UP, takes=("order_id", "n"))
    for test in (3, {"at_most": 2}, {"in": [1]}):
        assert asked({"n": test}, place).result == "yes"
        assert asked({"n": test}, place, every=False).result != "yes"
    assert asked({"n[*]": {"count": True, "at_least": 1}}, place).result == "yes"
    assert asked({"n": {"$absent": True}}, place, every=False).result == "yes"


@pytest.mark.parametrize(
    ("takes", "told"),
    [
        (("order_id",), "pay has no argument m"),
        ((), "no call of pay sends m, and no schema tells whether it is an argument"),
    ],
)
def test_nothing_is_told_of_an_argument_that_the_tool_is_not_known_to_have(takes: tuple[str, ...], told: str) -> None:
    place = at({"order_id": "A"}, LOOKED_UP, takes=takes)
    for test in (3, {"at_most": 2}, {"in": [1]}, {"count": True, "at_most": 2}, {"$not": 3}):
        for every in (True, False):
            answer = asked({"m": test}, place, every=every)
            assert (answer.result, answer.reason) == ("unknown", told)
    assert asked({"order_id": {"same_as": "m.x"}}, place).result == "unknown"
    # That nothing was sent is seen without a schema; of a name that the tool does not have it says nothing.
    assert asked({"m": {"$absent": True}}, place).result == ("unknown" if takes else "yes")


def test_a_field_that_no_result_has_is_not_known() -> None:
    place = at({"order_id": "A", "x": "i1"}, LOOKED_UP)
    assert asked({"order.nothing": "open"}, place).result == "unknown"
    assert asked({"order.nothing": {"at_most": 3}}, place).result == "unknown"
    assert asked({"order.nothing": {"$absent": True}}, place).result == "yes"


@pytest.mark.parametrize(
    ("condition", "sent"),
    [
        ({"n": {"at_most": 3}}, {"n": "3"}),
        ({"n": {"at_most": "order.status"}}, {"n": 3}),
        ({"n": {"at_most": {"sum": "order.items[*].id"}}}, {"n": 3}),
        ({"n": {"at_most": {"pick": "order.status", "of": {"shut": 3}}}}, {"n": 3}),
        ({"n": {"after": "2026-05-01"}}, {"n": "soon"}),
        ({"n": {"$judge": "Is it right?"}}, {"n": 3}),
    ],
)
def test_what_cannot_be_compared_is_not_known(condition: dict[str, Any], sent: dict[str, Any]) -> None:
    assert asked(condition, at({"order_id": "A", **sent}, LOOKED_UP)).result == "unknown"


def test_no_beats_unknown_and_an_empty_condition_holds() -> None:
    place = at({"order_id": "A", "n": 3})
    assert asked({"order.status": "open", "n": 4}, place).result == "no"
    assert asked({"any": [{"order.status": "open"}, {"n": 4}]}, place).result == "unknown"
    assert holds({}, place, every=True).result == "yes"


def test_a_name_of_the_policy_goes_before_an_argument_and_an_argument_before_a_tool() -> None:
    place = at({"order_id": "A", "order": 5, "get_order": 6}, LOOKED_UP)
    assert values_at("order.total", place).found == (("order.total", 30),)
    assert values_at("get_order", place).found == (("get_order", 6),)
    assert values_at("get_order.total", at({}, LOOKED_UP)).found == (("get_order.total", 30),)


def test_the_argument_that_a_path_is_about() -> None:
    policy = Policy.from_dict({"results": RESULTS, "rules": []})
    assert argument_of("x[*].y", policy) == "x"
    assert argument_of("order.status", policy) == "order_id"
    assert argument_of("user.name", policy) == "order_id"


def test_text_results_are_values_too() -> None:
    names = {"who": {"of": "find_user"}}
    place = at({"user": "u1"}, ("find_user", {"name": "Ann"}, "u1"), names=names)
    assert asked({"user": {"in": "who[*]"}}, place).result == "yes"
    assert asked({"user": {"same_as": "who"}}, place).result == "yes"
    assert asked({"user": {"in": "who[*]"}}, at({"user": "u2"}, ("find_user", {}, "u1"), names=names)).result == "no"
