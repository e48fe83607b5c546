"""Histories that every model call repeats: what is new, which run belongs to which call, what the model was shown."""

from __future__ import annotations

from typing import Any

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.jsonvalue import MISSING
from rootcall.readers.entries import Entry
from rootcall.readers.replay import Heard, Ran, Replay
from rootcall.trace import Source, Trace

AT = Source()


def user(text: str) -> Entry:
    return Entry("user", text, AT)


def says(text: str | None, *calls: tuple[str, Any, str | None]) -> Entry:
    return Entry("assistant", text, AT, tuple(DraftCall(tool, sent, i) for tool, sent, i in calls))


def told(call_id: str | None, text: str, tool: str | None = None, *, flagged: bool | None = None) -> Entry:
    return Entry("tool", text, AT, call_id=call_id, tool=tool, flagged=flagged)


def replayed(*steps: Any) -> Trace:
    """A trace from steps: a list is what a model was given, an entry what it gave, a run a tool run."""
    builder = TraceBuilder("x")
    replay = Replay(builder)
    for step in steps:
        if isinstance(step, list):
            replay.heard(step)
        elif isinstance(step, Ran):
            replay.ran(step)
        else:
            replay.said(step)
    replay.close()
    return builder.build()


def texts(trace: Trace) -> list[str | None]:
    return [m.text for m in trace.messages]


GO, ONE, TWO = user("go"), says("one", ("f", {"n": 1}, "a")), says("two", ("f", {"n": 2}, "b"))


def test_an_input_adds_what_follows_the_known_history() -> None:
    end = says("done")
    trace = replayed(
        [GO], ONE, [GO, ONE, told("a", "1")], TWO, [GO, ONE, told("a", "1"), TWO, told("b", "2")], end, [GO]
    )
    assert texts(trace) == ["go", "one", "1", "two", "2", "done"]
    assert [c.result and c.result.text for c in trace.calls] == ["1", "2"]


def test_an_id_that_is_used_again_is_another_call() -> None:
    again = says("again", ("f", {"n": 2}, "a"))
    trace = replayed(
        [GO], ONE, [GO, ONE, told("a", "1")], again, [GO, ONE, told("a", "1"), again, told("a", "2")], says("done")
    )
    assert [(c.arguments, c.result and c.result.text) for c in trace.calls] == [({"n": 1}, "1"), ({"n": 2}, "2")]


def test_the_same_call_again_is_made_again() -> None:
    same = says("one", ("f", {"n": 1}, "b"))
    trace = replayed(
        [GO], ONE, [GO, ONE, told("a", "1")], same, [GO, ONE, told("a", "1"), same, told("b", "1")], says("done")
    )
    assert len(trace.calls) == 2


def test_a_history_whose_beginning_was_cut_off_goes_on() -> None:
    trace = replayed([GO], ONE, [GO, ONE, told("a", "1")], TWO, [TWO, told("b", "2")], says("done"))
    assert texts(trace) == ["go", "one", "1", "two", "2", "done"]


def test_a_history_with_a_summary_in_front_repeats_no_call() -> None:
    short = [user("summary"), TWO, told("b", "2")]
    trace = replayed([GO], ONE, [GO, ONE, told("a", "1")], TWO, short, says("done"))
    assert [c.id for c in trace.calls] == ["a", "b"]
    assert "summary" in texts(trace)


def test_what_was_said_beside_calls_may_be_written_another_way() -> None:
    other = says("One.", ("f", '{"n": 1}', "a"))
    trace = replayed([GO], ONE, [GO, other, told("a", "1")], says("done"))
    assert texts(trace) == ["go", "one", "1", "done"]


def test_two_agents_that_were_told_the_same_have_each_their_answer() -> None:
    trace = replayed([GO], says("left"), [GO], says("right"))
    assert texts(trace) == ["go", "left", "right"]


def test_users_who_say_the_same_twice_are_heard_twice() -> None:
    yes, ok = user("yes"), says("ok")
    trace = replayed([yes], ok, [yes, ok, yes], says("ok again"))
    assert texts(trace) == ["yes", "ok", "yes", "ok again"]
    assert len(trace.turns) == 2


def test_a_system_prompt_is_told_once_and_a_changed_one_again() -> None:
    system, other = Entry("system", "be brief", AT), Entry("system", "be long", AT)
    trace = replayed([system, GO], says("a"), [system, GO, says("a"), user("more")], says("b"), [other, GO], says("c"))
    assert texts(trace).count("be brief") == 1
    assert texts(trace).count("be long") == 1


def test_an_agent_below_a_tool_is_told_things_by_an_agent() -> None:
    builder = TraceBuilder("x")
    replay = Replay(builder)
    replay.heard([GO])
    replay.said(ONE)
    replay.heard([user("look it up")], nested=True)
    replay.said(says("found"))
    replay.close()
    assert [m.role for m in builder.build().messages] == ["user", "assistant", "system", "assistant"]


BOTH = says(None, ("f", {"n": 1}, "a"), ("f", {"n": 2}, "b"))


def test_runs_find_their_calls_by_id_or_by_arguments_in_any_order() -> None:
    by_id = replayed([GO], BOTH, Ran("f", AT, {"n": 2}, "2", call_id="b"), Ran("f", AT, {"n": 1}, "1", call_id="a"))
    by_arguments = replayed([GO], BOTH, Ran("f", AT, '{"n": 2}', "2"), Ran("f", AT, {"n": 1}, "1"))
    for trace in (by_id, by_arguments):
        assert [c.result and c.result.text for c in trace.calls] == ["1", "2"]
        assert len(trace.steps) == 1


def test_a_run_and_the_message_about_it_are_one_result() -> None:
    runs = [Ran("f", AT, {"n": 2}, "2", call_id="b"), Ran("f", AT, {"n": 1}, "1", call_id="a")]
    trace = replayed([GO], BOTH, *runs, [GO, BOTH, told("a", "1"), told("b", "2")], says("done"))
    assert texts(trace) == ["go", None, "1", "2", "done"]
    late = replayed([GO], BOTH, [GO, BOTH, told("a", "1"), told("b", "2")], *runs, says("done"))
    assert len(late.calls) == 2
    assert late.problems == ()


def test_what_a_tool_raised_and_what_the_model_saw() -> None:
    run = Ran("f", AT, {"n": 1}, "KeyError: 'Gimje'", call_id="a", flagged=True, evidence="run error")
    hidden = replayed([GO], ONE, run, [GO, ONE, told("a", "An error occurred.")], says("sorry")).calls[0]
    assert hidden.result is not None
    assert (hidden.result.text, hidden.result.shown, hidden.evidence) == (
        "KeyError: 'Gimje'",
        "An error occurred.",
        "run error",
    )
    passed_on = replayed([GO], ONE, run, [GO, ONE, told("a", "Error: KeyError: 'Gimje'")], says("sorry")).calls[0]
    assert passed_on.result is not None
    assert passed_on.result.text == passed_on.result.shown == "Error: KeyError: 'Gimje'"


def test_a_run_that_nobody_asked_for() -> None:
    trace = replayed([GO], says("thinking"), Ran("f", AT, {"n": 1}, "1"), says("done"))
    assert [(c.tool, c.outcome) for c in trace.calls] == [("f", "ok")]
    inner = replayed([GO], says("thinking"), Ran("f", AT, {"n": 1}, "1", own=False), says("done"))
    assert inner.calls == ()
    unknown = replayed([GO], says("thinking"), Ran("f", AT, MISSING, "gone", flagged=True))
    assert [(p.code, p.lost) for p in unknown.problems] == [("call-unreadable", 1)]


def test_calls_without_ids_take_results_by_name_and_order() -> None:
    both = says(None, ("f", {"n": 1}, None), ("g", {}, None), ("f", {"n": 2}, None))
    trace = replayed(
        [GO], both, [GO, both, told(None, "g", "g"), told(None, "1", "f"), told(None, "2", "f")], says("done")
    )
    assert [c.result and c.result.text for c in trace.calls] == ["1", "g", "2"]


def test_each_message_of_a_repeated_history_is_read_once() -> None:
    read: list[tuple[Any, int]] = []

    def make(value: Any, place: int) -> list[Entry]:
        read.append((value, place))
        return [user(value)]

    heard = Heard()
    for n in range(1, 5):
        assert [e.text for e in heard.entries(["a", "b", "c", "d"][:n], make)] == ["a", "b", "c", "d"][:n]
    assert heard.entries(["x"], make)[0].text == "x"
    assert [e.text for e in heard.entries(["a", "b", "z"], make)] == ["a", "b", "z"]
    assert read == [("a", 0), ("b", 1), ("c", 2), ("d", 3), ("x", 0), ("z", 2)]
