"""Building traces: joins, outcomes, truncation, completeness, tool specs."""

from __future__ import annotations

import time
from typing import Any

import pytest

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.toolspec import read_tools
from rootcall.trace import Source, Tool, Trace


def built(*calls: DraftCall, results: list[dict[str, Any]] | None = None, **options: Any) -> Trace:
    builder = TraceBuilder("t", **options)
    builder.message("user", "go", index=0)
    builder.message("assistant", None, index=1, calls=calls)
    for n, result in enumerate(results or []):
        builder.result(index=2 + n, **result)
    return builder.build()


def test_a_result_takes_the_oldest_open_call_with_its_id() -> None:
    trace = built(
        DraftCall("a", {}, "x"),
        DraftCall("b", {}, "x"),
        results=[
            {"text": "first", "call_id": "x"},
            {"text": "second", "call_id": "x"},
            {"text": "third", "call_id": "x"},
        ],
    )
    assert [(c.tool, c.result and c.result.text, c.result and c.result.joined, c.id_reused) for c in trace.calls] == [
        ("a", "first", "id_order", True),
        ("b", "second", "id", True),
    ]
    assert [p.code for p in trace.problems] == ["orphan-result", "reused-call-id"]


def test_an_id_nobody_has_takes_no_call_that_has_another() -> None:
    trace = built(DraftCall("a", {}, "x"), results=[{"text": "t", "call_id": "y"}])
    assert trace.calls[0].outcome == "no_result"
    assert [p.code for p in trace.problems] == ["orphan-result"]
    assert "'y'" in trace.problems[0].message


def test_an_id_may_find_a_call_without_one_by_order() -> None:
    trace = built(DraftCall("a", {}), results=[{"text": "t", "call_id": "y"}])
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.joined == "order"


@pytest.mark.parametrize("known", [True, False], ids=["half are answered", "results of other calls"])
def test_calls_that_nobody_answered_do_not_slow_down_the_joining_of_the_others(known: bool) -> None:
    def seconds(number: int) -> float:
        began = time.process_time()
        builder = TraceBuilder("t")
        for n in range(number):
            builder.message("assistant", None, index=2 * n, calls=[DraftCall("a", {}, f"c{n}")])
            if n % 2:
                builder.result("x", index=2 * n + 1, call_id=f"c{n}" if known else f"d{n}")
        trace = builder.build()
        assert sum(c.result is not None for c in trace.calls) == (number // 2 if known else 0)
        return time.process_time() - began

    # Sixteen times as many calls take sixteen times as long, not 256 times; the rest is room for a busy machine.
    assert min(seconds(16_000) for _ in range(2)) < 90 * max(min(seconds(1_000) for _ in range(5)), 2e-3)


def test_the_very_call_is_answered_whatever_its_id_and_age() -> None:
    builder = TraceBuilder("t")
    calls = [DraftCall("a", {}, "x"), DraftCall("a", {}, "x"), DraftCall("a", {})]
    builder.message("assistant", None, index=0, calls=calls)
    builder.result("last", index=1, to=calls[2])
    builder.result("second", index=2, call_id="x", to=calls[1])
    builder.result("again", index=3, call_id="x", to=calls[1])
    builder.result("first", index=4, call_id="x")
    trace = builder.build()
    assert [(c.result and c.result.text, c.result and c.result.joined) for c in trace.calls] == [
        ("first", "id"),
        ("second", "id_order"),
        ("last", "name"),
    ]
    assert [p.code for p in trace.problems] == ["orphan-result", "reused-call-id"]


def test_without_ids_name_and_order_decide() -> None:
    calls = (DraftCall("a", {}), DraftCall("b", {}), DraftCall("a", {}))
    trace = built(
        *calls, results=[{"text": "for b", "tool": "b"}, {"text": "for a"}, {"text": "for a too", "tool": "a"}]
    )
    assert [(c.result and c.result.text, c.result and c.result.joined) for c in trace.calls] == [
        ("for a", "order"),
        ("for b", "name"),
        ("for a too", "name"),
    ]
    assert [p.code for p in built(*calls, results=[{"text": "x", "tool": "c"}]).problems] == ["orphan-result"]


@pytest.mark.parametrize(
    ("result", "outcome", "evidence"),
    [
        (None, "no_result", "no result follows"),
        ({"text": "fine"}, "ok", "text"),
        ({"text": '{"a": 1}'}, "ok", "payload"),
        ({"text": None}, "unknown", "content not captured"),
        ({"text": None, "payload": {"a": 1}}, "ok", "payload"),
        ({"text": "  "}, "unknown", "empty result"),
        ({"text": "Error: no"}, "error", "text"),
        ({"text": '{"error": "no"}'}, "error", "payload"),
        ({"text": "busy", "flagged": True}, "error", "flag"),
        ({"text": "busy", "flagged": True, "evidence": "exception"}, "error", "exception"),
        ({"text": "busy", "status": 503}, "error", "status"),
        ({"text": "fine", "status": 200, "flagged": False}, "ok", "text"),
        ({"text": "Error: denied by the user"}, "refused", "text"),
    ],
)
def test_outcomes_come_with_their_evidence(result: dict[str, Any] | None, outcome: str, evidence: str) -> None:
    (call,) = built(DraftCall("a", {}, "x"), results=[{"call_id": "x", **result}] if result else []).calls
    assert (call.outcome, call.evidence) == (outcome, evidence)


def test_a_denied_call_was_attempted_and_refused() -> None:
    (call,) = built(DraftCall("a", {}, denied=True)).calls
    assert (call.outcome, call.evidence) == ("refused", "flag")


def test_what_the_model_was_shown_may_differ() -> None:
    (call,) = built(
        DraftCall("a", {}), results=[{"text": "detail", "shown": "An error occurred", "flagged": True}]
    ).calls
    assert call.result is not None
    assert (call.result.text, call.result.shown) == ("detail", "An error occurred")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("all of it", False),
        ("it goes on...", True),
        ("it goes on… [truncated]", True),
        ("lines <truncated 300 more>", True),
        ("Wait... there is more.", False),
        ('{"a": [1, 2', True),
        ('{"a": "x\\"[', True),
        ('{"a": 1}', False),
        ('{"text": "and so on..."}', False),
        ("{'a': 1}", False),
        ("[note] plain text", False),
        ("", False),
        (None, False),
    ],
)
def test_truncation_is_told_from_the_end_of_a_text(text: str | None, cut: bool) -> None:
    (call,) = built(DraftCall("a", {}), results=[{"text": text}]).calls
    assert call.result is not None
    assert call.result.truncated is cut
    (said,) = built(DraftCall("a", {}), results=[{"text": text, "truncated": True}]).calls
    assert said.result is not None
    assert said.result.truncated


def test_errors_name_arguments_that_were_declared_or_sent() -> None:
    schema = {"type": "object", "properties": {"day": {}}}
    results = [{"text": "Error: day and city are wrong"}]
    (call,) = built(DraftCall("a", {"city": "x"}), results=results, tools=[Tool("a", schema=schema)]).calls
    assert call.error is not None
    assert call.error.fields == ("day", "city")
    (plain,) = built(DraftCall("a", '{"city": "x"}'), results=results, tools=[Tool("a", schema=True)]).calls
    assert plain.error is not None
    assert plain.error.fields == ("city",)


def test_one_step_may_stand_in_several_messages() -> None:
    builder = TraceBuilder("t")
    builder.message("assistant", "a", index=0, calls=[DraftCall("one", {})])
    builder.message("assistant", None, index=1, calls=[DraftCall("two", {})], same_step=True)
    builder.message("assistant", "b", index=2)
    trace = builder.build()
    assert [[c.tool for c in s.calls] for s in trace.steps] == [["one", "two"], []]
    assert [c.at for c in trace.calls] == ["messages[0].calls[0]", "messages[1].calls[0]"]
    assert [c.step for c in trace.calls] == [0, 0]


def test_completeness_says_what_is_missing() -> None:
    known = built(DraftCall("a", {}, "x"), DraftCall("a", {}, "y"), results=[{"text": "t", "call_id": "x"}])
    assert (known.completeness.results, known.completeness.tools, known.completeness.history) == (
        "partial",
        "none",
        "full",
    )
    assert built(DraftCall("a", {})).completeness.results == "none"
    assert built().completeness.results == "full"
    assert built(tools=[Tool("a", schema={})]).completeness.tools == "full"
    assert built(tools=[Tool("a")]).completeness.tools == "partial"
    assert built(tools=[Tool("a", schema={})], tools_known="inferred").completeness.tools == "partial"
    builder = TraceBuilder("t")
    builder.partial_history()
    builder.message("user", None, index=0, captured=False)
    builder.message("assistant", "x", index=1)
    assert (builder.build().completeness.history, builder.build().completeness.content) == ("partial", "partial")


def test_only_what_people_and_models_say_counts_as_content() -> None:
    builder = TraceBuilder("t")
    builder.message("system", None, index=0, captured=False)
    builder.message("user", "x", index=1)
    assert builder.build().completeness.content == "partial"


def test_a_problem_stands_at_its_place() -> None:
    builder = TraceBuilder("t", source=Source("f", 2))
    builder.problem("odd", "here")
    builder.problem("odd", "there", Source("f", 2, "/x"), lost=3)
    assert [(str(p.source), p.lost) for p in builder.build().problems] == [("f:2", 0), ("f:2#/x", 3)]


OPENAI = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
ANTHROPIC = {"name": "g", "description": "d", "input_schema": {"type": "object"}}
MCP = {
    "name": "h",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "array"},
    "annotations": {"readOnlyHint": True},
}


@pytest.mark.parametrize(
    ("specs", "names"),
    [
        ([OPENAI, ANTHROPIC, MCP], ["f", "g", "h"]),
        ({"tools": [MCP]}, ["h"]),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}}, ["h"]),
        ({"functions": [ANTHROPIC]}, ["g"]),
        (OPENAI, ["f"]),
        (ANTHROPIC, ["g"]),
        (["only_a_name"], ["only_a_name"]),
        ([], []),
        ({"tools": []}, []),
        ((), []),
    ],
)
def test_tool_specs_of_every_shape(specs: Any, names: list[str]) -> None:
    tools, problems = read_tools(specs)
    assert ([t.name for t in tools], problems) == (names, [])


def test_a_tool_keeps_its_schema_words_and_hints() -> None:
    (openai, anthropic, mcp), _ = read_tools([OPENAI, ANTHROPIC, MCP])
    assert openai == Tool("f", "d", {"type": "object"})
    assert anthropic.schema == {"type": "object"}
    assert (mcp.hints, mcp.output_schema) == ({"readOnlyHint": True}, {"type": "array"})
    (hinted,), _ = read_tools([{**OPENAI, "annotations": {"destructiveHint": True}}])
    assert hinted.hints == {"destructiveHint": True}
    (odd,), _ = read_tools([{"name": "x", "parameters": "none", "description": 3, "annotations": []}])
    assert odd == Tool("x", schema="none")  # kept, so that it is reported as broken where it is asked
    assert read_tools([{"name": "x", "parameters": None}])[0] == (Tool("x"),)


@pytest.mark.parametrize("specs", ["text", 3, None, True, {}, {"other": 1}])
def test_specs_that_are_no_list_are_a_problem(specs: Any) -> None:
    tools, problems = read_tools(specs)
    assert (tools, [p.code for p in problems]) == ((), ["tools-not-a-list"])


def test_broken_and_repeated_specs_are_named() -> None:
    tools, problems = read_tools(
        [{"name": ""}, "", 3, ANTHROPIC, ANTHROPIC, {**ANTHROPIC, "description": "new"}], Source("f")
    )
    assert [t.description for t in tools] == ["new"]
    assert [(p.code, p.source.file) for p in problems] == [("tool-unreadable", "f")] * 3 + [("tool-twice", "f")]
