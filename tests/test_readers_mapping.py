"""Mappings: paths, what stands where in a format of one's own, and one line for every mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.config import load_config
from rootcall.errors import ConfigError, UsageError
from rootcall.judging import verdict
from rootcall.readers import Reading, read
from rootcall.readers.mapping import load_mapping, read_mapping
from rootcall.readers.paths import Trail, Whole, follow, parse_path
from rootcall.trace import Source, Trace

ROOT = Path(__file__).parent.parent
TRACES = ROOT / "tests" / "data" / "traces"
EXAMPLES = ROOT / "examples" / "mapping"

VALUE = {
    "id": 7,
    "a.b": {"c'd": 1},
    "list": [{"type": "x", "n": 1}, {"type": "y", "n": 2}, {"type": "x", "n": 3, "in": {"deep": True}}, 4],
    "text": '{"k": [1, 2]}',
    "said": '"quoted"',
    "none": None,
}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (".", [VALUE]),
        ("$", [VALUE]),
        ("id", [7]),
        ("$.id", [7]),
        ("'a.b'.'c''d'", [1]),
        ("list.n", [1, 2, 3]),
        ("list[0].n", [1]),
        ("list[-2].n", [3]),
        ("list[9]", []),
        ("list[*]", VALUE["list"]),
        ("list[type=x].n", [1, 3]),
        ("list[type=x][-1].n", [3]),
        ("list[type!=x].n", [2]),
        ("list[in.deep=true].n", [3]),
        ("list[n=2].type", ["y"]),
        ("list[type='x'].n", [1, 3]),
        ("list[type=z]", []),
        ("text.k[1]", [2]),
        ("text::json", [{"k": [1, 2]}]),
        ("text", ['{"k": [1, 2]}']),
        ("said::json", ["quoted"]),
        ("none", [None]),
        ("none.a", []),
        ("id.a", []),
        ("missing", []),
    ],
)
def test_paths(path: str, values: list[Any]) -> None:
    at = Whole(VALUE, Source("f"), Trail())
    assert [f.value for f in follow(parse_path(path), at, at)] == values


def test_a_path_knows_the_place_it_leads_to() -> None:
    at = Whole(VALUE, Source("f", 3, "/x"), Trail())
    assert [str(f.source) for f in follow(parse_path("list[type=x].n"), at, at)] == [
        "f:3#/x/list/0/n",
        "f:3#/x/list/2/n",
    ]
    assert [f.source.pointer for f in follow(parse_path("'a.b'"), at, at)] == ["/x/a.b"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "got an empty text"),
        ("a..b", "a key is wanted at '.b'"),
        ("a.", "ends in a dot"),
        ("a b", "a dot or a bracket is wanted at ' b'"),
        ("a[0", "is opened and not closed"),
        ("a[x]", r"\[x\] is no number, no \* and no key=value"),
        ("a[]", r"\[\] is no number"),
        ("a]b", "is wanted at ']b'"),
    ],
)
def test_a_path_that_is_none_says_what_is_wanted_and_where(path: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_path(path)


ROLE = {"from": "log", "role": "who", "text": "body"}


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ([], "<mapping>: an object is wanted, got an empty list"),
        ({"messages": []}, "messages: a list is wanted that says where the messages are, got an empty list"),
        ({"messages": [{**ROLE, "optional": "yes"}]}, "messages[0].optional: true or false is wanted, got a text"),
        ({"messages": [{**ROLE, "text": "a::jso"}]}, "messages[0].text: 'a::jso': after a double colon json is wanted"),
        ({"messages": [{**ROLE, "text": "a[99999999999999]"}]}, "[99999999999999…] is no index that a list can have"),
        ({}, "messages: a list is wanted that says where the messages are, got nothing"),
        ({"messages": []}, "messages: a list is wanted"),
        ({"mesages": [ROLE]}, "no field is called 'mesages'; did you mean 'messages'?"),
        ({"messages": [ROLE], "zzz": 1}, "no field is called 'zzz'; there are name, trace"),
        ({"messages": [3]}, "messages[0]: an object is wanted, got a number"),
        ({"messages": [{**ROLE, "form": "x"}]}, "messages[0]: no field is called 'form'; did you mean 'from'?"),
        ({"messages": [{"role": "user"}]}, "messages[0]: from is wanted, a path or a list of paths"),
        (
            {"messages": [{"from": "log"}]},
            "messages[0]: role, call or result is wanted, to say what these elements are",
        ),
        ({"messages": [{**ROLE, "from": "a..b"}]}, "messages[0].from: 'a..b': a key is wanted at '.b'"),
        ({"messages": [{**ROLE, "text": 3}]}, "messages[0].text: a path is wanted, got a number"),
        ({"messages": [ROLE, {**ROLE, "take": "middle"}]}, "messages[1].take: first or last is wanted, got 'middle'"),
        ({"messages": [{**ROLE, "calls": "x"}]}, "messages[0]: calls is given and call is not"),
        (
            {"messages": [{"from": "x", "calls": "x", "call": {"tool": "t"}}]},
            "messages[0]: calls stand in a message; role is wanted",
        ),
        ({"messages": [{"from": "x", "call": {"id": "i"}}]}, "messages[0].call: tool is wanted, a path"),
        (
            {"messages": [{"from": "x", "call": {"tool": "t", "argument": "a"}}]},
            "messages[0].call: no field is called 'argument'; did you mean 'arguments'",
        ),
        (
            {"messages": [{"from": "x", "call": {"tool": "t", "without": 1}}]},
            "messages[0].call.without: a text or a list of texts",
        ),
        (
            {"messages": [{"from": "x", "call": {"tool": "t", "failed": "x"}}]},
            "messages[0].call.failed: an object is wanted, got a text",
        ),
        (
            {"messages": [{"from": "x", "call": {"tool": "t", "failed": {"a": {}}}}]},
            "messages[0].call.failed: a: a value or a list",
        ),
        ({"messages": [{"from": "x", "result": {"id": "i"}}]}, "messages[0].result: text is wanted"),
        (
            {"messages": [{**ROLE, "roles": {"human": "person"}}]},
            "messages[0].roles: human: one of user, assistant, system, tool is wanted",
        ),
        (
            {"messages": [ROLE], "group": "s", "trace": "x"},
            "group: records are grouped from the whole file; leave out trace",
        ),
        ({"messages": [ROLE], "name": 3}, "name: a text is wanted, got a number"),
        ({"messages": [ROLE], "tools": ["a", ["b", 3]]}, "tools: a path is wanted, got a number"),
        ({"messages": [ROLE], "metadata": {"a": 3}}, "metadata.a: a path is wanted, got a number"),
    ],
)
def test_every_mistake_in_a_mapping_is_one_line_with_its_place(mapping: Any, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_mapping(mapping)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("messages: [", "map.yaml:1: not YAML"),
        ("", "map.yaml: one object is wanted, got nothing"),
        ("# mine\n- a\n- b", "map.yaml: one object is wanted, got a list"),
        ("[{from: log}]", "map.yaml: one object is wanted, got a list"),
        ("name: a\n---\nname: b\n", "map.yaml: one object is wanted, got 2"),
        (
            "messages:\n  - from: log\n    rol: user\n",
            "map.yaml: messages[0]: no field is called 'rol'; did you mean 'role'?",
        ),
    ],
)
def test_a_mapping_file_that_is_none(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_mapping(file)
    assert said in str(raised.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_mapping(tmp_path / "absent.yaml")


CHAT = {
    "name": "chat",
    "id": "ref",
    "metadata": {"model": "engine.name", "reference_time": "at"},
    "tools": "offered",
    "messages": [
        {
            "from": "log",
            "role": "who",
            "roles": {"customer": "user", "bot": "assistant", "action": "tool"},
            "text": "body",
            "calls": "does",
            "call": {"tool": "do", "id": "nr", "arguments": "with"},
            "result": {"id": "nr", "text": "body", "failed": {"ok": False}},
        }
    ],
}
LOG = [
    {"who": "system", "body": "Be kind."},
    {"who": "customer", "body": "Weather?"},
    {
        "who": "bot",
        "body": None,
        "does": [{"do": "weather", "nr": 1, "with": '{"city": "Gimje"}'}, {"do": "news", "nr": 2, "with": {}}],
    },
    {"who": "action", "nr": 2, "ok": False, "body": "503"},
    {"who": "action", "nr": 1, "ok": True, "body": {"sky": "snow"}},
    {"who": "bot", "body": "Snow."},
]


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(mapping: Any, *values: Any) -> Reading:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(json.dumps(v) for v in values))
        return read(file, mapping=mapping)

    return write


def only(reading: Reading) -> Trace:
    (trace,) = reading
    assert [p for p in reading.problems if p.code != "mapping-path-unused"] == []
    return trace


def outcomes(trace: Trace) -> list[tuple[str, str | None, int, str]]:
    return [(c.tool, c.id, c.step, c.outcome) for c in trace.calls]


def test_a_log_of_messages(written: Any) -> None:
    row = {
        "ref": "r7",
        "engine": {"name": "m"},
        "at": "2026-11-30T09:00:00Z",
        "log": LOG,
        "offered": [{"name": "weather", "parameters": {}}],
    }
    trace = only(written(CHAT, row))
    assert (trace.id, trace.format, trace.tools_known) == ("r7", "chat", "declared")
    assert trace.metadata == {"model": "m", "reference_time": "2026-11-30T09:00:00Z"}
    assert [m.role for m in trace.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert outcomes(trace) == [("weather", "1", 0, "ok"), ("news", "2", 0, "error")]
    assert (trace.calls[0].state, trace.calls[0].source.pointer) == ("json_string", "/log/2/does/0")
    assert trace.calls[0].result is not None
    assert (trace.calls[0].result.payload, trace.calls[0].result.source.pointer) == ({"sky": "snow"}, "/log/4/body")
    assert trace.turns[-1].answer is not None
    assert trace.completeness.history == "full"
    assert trace.problems == ()


SPANS = {
    "id": "run",
    "messages": [
        {"from": "ask", "role": "user"},
        {"from": "spans[kind=model]", "optional": True, "time": "start", "role": "assistant", "text": "says", "calls": "wants",
         "call": {"tool": "fn", "arguments": "args"}},
        {"from": "spans[kind=tool]", "time": "start",
         "call": {"tool": "name", "without": ["tool: "], "arguments": "in", "result": "out", "error": "why", "failed": {"ok": False},
                  "status": "http", "denied": {"state": ["denied", "refused"]}, "step": "parent", "agent": "by"}},
    ],
}  # fmt: skip


def model(start: Any, *wants: Any, says: str | None = None) -> dict[str, Any]:
    return {"kind": "model", "start": start, "says": says, "wants": [{"fn": f, "args": a} for f, a in wants]}


def ran(start: Any, name: str, sent: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "tool", "start": start, "name": f"tool: {name}", "in": sent, **more}


def test_spans_in_any_order_and_calls_told_twice(written: Any) -> None:
    spans = [
        ran(4, "f", {"a": 1}, ok=False, why="400 a"),
        model(9, says="Done."),
        model(1, ("f", '{"a": 1}'), ("g", {"b": 2})),
        ran(3, "g", {"b": 2}, out="fine"),
        model(5, ("f", {"a": 2})),
        ran(6, "f", {"a": 2}, out={"x": 1}),
    ]
    trace = only(written(SPANS, {"run": "r", "ask": "Do.", "spans": spans}))
    assert outcomes(trace) == [("f", None, 0, "error"), ("g", None, 0, "ok"), ("f", None, 1, "ok")]
    assert trace.calls[0].result is not None
    assert trace.calls[0].result.text == "400 a"
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert trace.turns[-1].answer is not None


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"out": "fine"}, "ok"),
        ({"out": None}, "unknown"),
        ({}, "no_result"),
        ({"out": "x", "ok": False}, "error"),
        ({"ok": False, "why": "boom"}, "error"),
        ({"why": "a warning", "out": "fine"}, "ok"),
        ({"http": 503, "out": "later"}, "error"),
        ({"out": "no", "state": "refused"}, "refused"),
    ],
)
def test_what_became_of_a_span(written: Any, more: dict[str, Any], outcome: str) -> None:
    trace = only(written(SPANS, {"ask": "Do.", "spans": [ran(1, "f", {}, **more)]}))
    assert [c.outcome for c in trace.calls] == [outcome]


def test_spans_without_a_model_are_steps_of_their_own_or_by_their_parent(written: Any) -> None:
    apart = [ran(1, "f", {"a": 1}, out=1, by="x"), ran(2, "f", {"a": 1}, out=2)]
    trace = only(written(SPANS, {"ask": "Do.", "spans": apart}))
    assert [(c.step, c.agent, c.result.text if c.result else None) for c in trace.calls] == [
        (0, "x", "1"),
        (1, None, "2"),
    ]
    together = [
        ran(n, "f", {"a": n}, parent=p, **({} if n == 1 else {"out": str(n)}))
        for n, p in ((1, "p"), (2, "p"), (3, "q"))
    ]
    trace = only(written(SPANS, {"ask": "Do.", "spans": together}))
    assert [(c.step, c.result.text if c.result else None) for c in trace.calls] == [(0, None), (0, "2"), (1, "3")]


def test_records_fall_into_traces_by_group_by_path_or_all_together(written: Any) -> None:
    events = [
        {"session": s, "who": w, "body": b} for s, w, b in (("a", "user", "1"), ("b", "user", "2"), ("a", "bot", "3"))
    ]
    mapping = {"messages": [{"from": ".", "role": "who", "roles": {"bot": "assistant"}, "text": "body"}]}
    reading = written({**mapping, "group": "session"}, *events, {"who": "user"})
    a, b = reading
    assert [(t.id, [m.text for m in t.messages]) for t in (a, b)] == [("a", ["1", "3"]), ("b", ["2"])]
    assert (a.messages[1].source.line, b.source.line) == (3, 2)
    assert [(p.code, p.source.line) for p in reading.problems] == [("unknown-shape", 4)]
    assert [m.text for m in only(written({**mapping, "trace": "file"}, *events)).messages] == ["1", "2", "3"]
    nested = {"runs": [{"log": LOG}, {"log": LOG[:2]}]}
    one, two = written({**CHAT, "trace": "runs"}, nested)
    assert [len(t.calls) for t in (one, two)] == [2, 0]
    assert [t.source.pointer for t in (one, two)] == ["/runs/0", "/runs/1"]


def test_what_a_mapping_does_not_fit_is_named(written: Any) -> None:
    odd = [{"who": "ghost", "body": "?"}, {"body": "?"}, {"who": "bot", "does": [{"nr": 1}, {"do": "f", "nr": 2}]}]
    no_result = {**CHAT, "messages": [{k: v for k, v in CHAT["messages"][0].items() if k != "result"}]}  # type: ignore[index, attr-defined]
    reading = written(no_result, {"log": [*odd, {"who": "action", "body": "x"}]}, {"other": 1}, 3)
    (trace,) = reading
    assert [(p.code, p.lost) for p in trace.problems] == [
        ("role-unknown", 0),
        ("role-missing", 0),
        ("call-unreadable", 1),
        ("result-unmapped", 0),
    ]
    assert trace.completeness.history == "partial"
    assert [(p.code, p.source.line) for p in reading.problems[:2]] == [("unknown-shape", 2), ("unknown-shape", 3)]
    assert {p.code for p in reading.problems[2:]} == {"mapping-path-unused"}
    assert "log lead to nothing in an object with the keys other" in reading.problems[0].message
    assert reading.calls_in == 2


SHOP = {
    "id": "no",
    "tools": "offered",
    "metadata": {"tags": "labels"},
    "messages": [
        {"from": "turns", "time": "ts", "role": "who", "text": "says", "agent": "name", "calls": "asks",
         "call": {"tool": "op", "id": "key", "arguments": "in"}},
        {"from": "runs", "time": "ts",
         "call": {"tool": "op", "id": "key", "arguments": "in", "result": "out", "failed": {"rc": [17, 18]}}},
    ],
}  # fmt: skip
SHOPPED = {
    "no": 1,
    "labels": ["x"],
    "offered": [{"name": "get_order", "parameters": {}}],
    "turns": [
        {"who": "user", "says": "Order 1?", "ts": 1},
        {"who": "assistant", "name": "bot", "ts": 2, "asks": [{"op": "get_order", "key": "a", "in": {"n": 1}}]},
        {"who": "assistant", "name": "bot", "ts": 9, "says": "In Gimje."},
    ],
    "runs": [{"op": "get_order", "key": "a", "in": {"n": 1}, "rc": 0, "out": "Gimje", "ts": 3}],
}


def changed(mapping: Any, place: str, value: str) -> Any:
    """The mapping with another path at a place."""
    copy = json.loads(json.dumps(mapping))
    *inner, last = place.replace("[", ".").replace("]", "").split(".")
    at = copy
    for key in inner:
        at = at[int(key)] if key.isdigit() else at[key]
    at[last] = {value: 17} if last == "failed" else value
    return copy


@pytest.mark.parametrize("place", ["messages[0].from", "messages[1].from", "messages[0].calls"])
def test_a_path_to_messages_or_calls_that_never_leads_anywhere_is_a_problem(written: Any, place: str) -> None:
    assert list(written(SHOP, SHOPPED).problems) == []
    reading = written(changed(SHOP, place, "wrng"), SHOPPED, SHOPPED)
    assert len(list(reading)) == 2
    lost = [p for p in reading.problems if p.code == "mapping-path-lost"]
    told = f"{place}: wrng leads to nothing in any of 2 records; where that can be, optional: true in the entry says so"
    assert [str(p) for p in lost] == [f"<mapping>: mapping-path-lost: {told}"]
    assert reading.set_aside == 1


@pytest.mark.parametrize(
    "place",
    [
        "id", "tools", "metadata.tags", "messages[0].time", "messages[0].text", "messages[0].agent", "messages[0].call.id",
        "messages[1].call.result", "messages[1].call.failed",
    ],
)  # fmt: skip
def test_any_other_path_that_never_leads_anywhere_is_noted(written: Any, place: str) -> None:
    reading = written(changed(SHOP, place, "wrng"), SHOPPED, SHOPPED)
    assert len(list(reading)) == 2
    named = f"{place}.wrng" if place.endswith("failed") else place
    assert [(p.code, p.message) for p in reading.problems] == [
        ("mapping-path-unused", f"{named}: wrng leads to nothing in any of 2 records")
    ]
    assert reading.set_aside == 0


def test_what_leads_somewhere_in_one_record_or_by_one_alternative_is_not_noted(written: Any) -> None:
    some = {k: v for k, v in SHOPPED.items() if k not in ("runs", "labels")}
    mapping = changed(changed(SHOP, "messages[0].text", ["txt", "says"]), "id", ["nr", "no"])
    reading = written(mapping, some, SHOPPED)
    assert len(list(reading)) == 2
    assert reading.problems == []
    mapping["messages"][1]["optional"] = True
    reading = written(mapping, {**some, "labels": []})
    assert len(list(reading)) == 1
    assert reading.problems == []


def test_a_wrong_path_to_arguments_blames_nobody(written: Any) -> None:
    runs = {**SHOP, "messages": [{"from": "turns", "role": "who", "text": "says"}, SHOP["messages"][1]]}  # type: ignore[index]
    for mapping in (changed(runs, "messages[1].call.arguments", "wrng"), {**runs, "messages": [runs["messages"][0], {
        "from": "runs", "call": {"tool": "op", "result": "out"}}]}):  # fmt: skip
        traces = list(written(mapping, SHOPPED, SHOPPED))
        assert [c.state for t in traces for c in t.calls] == ["not_captured"] * 2
        assert all(verdict(t).root_cause is None for t in traces)


def test_a_call_without_arguments_among_others_that_have_some_sent_none(written: Any) -> None:
    runs = {**SHOP, "messages": [SHOP["messages"][1]]}  # type: ignore[index]
    bare = {"no": 2, "runs": [{"op": "now", "ts": 1, "out": "noon"}]}
    traces = list(written(runs, bare, {**bare, "runs": [*bare["runs"], *SHOPPED["runs"]]}, bare))  # type: ignore[misc]
    assert [[c.state for c in t.calls] for t in traces] == [["missing"], ["missing", "object"], ["missing"]]


def test_a_message_without_a_known_role_counts_as_left_out(written: Any) -> None:
    from rootcall.run import score

    odd = {**SHOPPED, "turns": [{"who": "CUST", "says": "Order 1?", "ts": 1}, *SHOPPED["turns"][1:]]}  # type: ignore[misc]
    run = score(written(SHOP, odd))
    assert run.problem_counts == {"role-unknown": 1}
    assert run.exit_code == 3
    assert score(written(SHOP, SHOPPED)).exit_code == 0


def test_a_record_without_messages_says_which_path_missed(written: Any) -> None:
    mapping = {"messages": [{"from": "steps", "take": "last", "each": "input.wrng", "role": "who"}]}
    reading = written(mapping, {"steps": [{"input": {"messages": LOG}}]}, {"steps": []}, {"other": 1})
    assert list(reading) == []
    assert [p.message.partition(" in an ")[0].removeprefix("the mapping finds no message in it: ") for p in reading.problems[:3]] == [
        "steps leads to something, but in it each, input.wrng, to nothing", "steps leads to an empty list", "steps lead to nothing",
    ]  # fmt: skip


def test_numbers_are_the_same_as_in_json(written: Any) -> None:
    for rc, told in ((17, [17.0]), (17.0, [17]), (17.0, ["17"]), (17, ["17"])):
        mapping = changed(SHOP, "messages[1].call.failed", "rc")
        mapping["messages"][1]["call"]["failed"] = {"rc": told}
        (trace,) = written(mapping, {**SHOPPED, "runs": [{**SHOPPED["runs"][0], "rc": rc}]})  # type: ignore[index, dict-item]
        assert [c.outcome for c in trace.calls] == ["error"], (rc, told)


def test_an_export_without_content_says_so(written: Any) -> None:
    bare = [observation("GENERATION", 1), observation("TOOL", 2, name="weather"), observation("GENERATION", 3)]
    trace = only(written(EXAMPLES / "langfuse.yaml", {"trace": {"id": "t"}, "observations": bare}))
    assert [p.code for p in trace.problems] == ["content-not-captured"]
    assert [c.outcome for c in trace.calls] == ["no_result"]


def test_one_source_stands_in_for_another(written: Any) -> None:
    mapping = {"messages": [{"from": ["asked.text", "asked"], "role": "user"}, {"from": "answer", "role": "assistant", "unless": "spans"},
                            {"from": "spans", "optional": True, "time": "t", "take": "last", "each": "history", "role": "role", "text": "text"}]}  # fmt: skip
    assert [m.text for m in only(written(mapping, {"asked": {"text": "Q"}, "answer": "A"})).messages] == ["Q", "A"]
    spans = [{"t": 2, "history": [{"role": "assistant", "text": "late"}]}, {"t": 1, "history": []}]
    assert [m.text for m in only(written(mapping, {"asked": "Q", "answer": "A", "spans": spans})).messages] == [
        "Q",
        "late",
    ]


def test_a_mapping_and_a_format_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UsageError, match="the format native and a mapping are given"):
        read(tmp_path / "x.json", "native", mapping=CHAT)


def test_the_configuration_names_a_mapping_beside_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.rootcall]\nmapping = "maps/own.yaml"\n')
    assert load_config(tmp_path / "pyproject.toml").mapping == str(tmp_path / "maps" / "own.yaml")
    (tmp_path / "rootcall.toml").write_text("mapping = 3\n")
    with pytest.raises(ConfigError, match="mapping"):
        load_config(tmp_path / "rootcall.toml")


# --- the mappings that are shipped, on files as the products wrote them; counted by hand


@pytest.mark.parametrize("name", ["langfuse", "mlflow"])
def test_a_shipped_mapping_is_a_format_too(name: str) -> None:
    example = (EXAMPLES / f"{name}.yaml").read_text("utf-8")
    assert (ROOT / "src" / "rootcall" / "data" / f"{name}-mapping.yaml").read_text("utf-8") == example
    for file in sorted(TRACES.glob(f"{name}_*.json")):
        told, mapped = only(read(file)), only(read(file, mapping=EXAMPLES / f"{name}.yaml"))
        assert told.format == name
        assert told == mapped


def test_langfuse_exports() -> None:
    trace = only(read(TRACES / "langfuse_agent_framework.json", mapping=EXAMPLES / "langfuse.yaml"))
    assert (trace.id, trace.format, [t.name for t in trace.tools]) == (
        "e3a407423619277a2dcef3c13dc89982",
        "langfuse",
        ["get_weather"],
    )
    assert outcomes(trace) == [("get_weather", None, 0, "ok")]
    (call,) = trace.calls
    assert call.arguments == {"location": "Portland"}
    assert call.result is not None
    assert (call.result.text or "").startswith("The weather in Portland is stormy")
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "assistant"]
    autogen = only(read(TRACES / "langfuse_autogen.json", mapping=EXAMPLES / "langfuse.yaml"))
    assert (autogen.calls, autogen.messages[-1].text) == ((), "Hello World!")
    tutor = only(read(TRACES / "langfuse_assistants.json", mapping=EXAMPLES / "langfuse.yaml"))
    assert [m.role for m in tutor.messages] == ["assistant", "user", "assistant"]


def observation(kind: str, start: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "startTime": f"2026-11-30T09:00:0{start}Z", "level": "DEFAULT", **more}


def test_langfuse_exports_of_other_frameworks(written: Any) -> None:
    asked = {"role": "user", "content": "Weather?"}
    wants = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Gimje"}'}}
    tool = observation(
        "TOOL", 2, name="weather", input={"city": "Gimje"}, output=None, level="ERROR", statusMessage="400 city"
    )
    openai = [
        tool,
        observation("GENERATION", 3, input=[asked], output={"choices": [{"message": {"content": "No luck."}}]}),
        observation(
            "GENERATION",
            1,
            input={"messages": [asked]},
            output={"choices": [{"message": {"content": None, "tool_calls": [wants]}}]},
        ),
    ]
    mapping = EXAMPLES / "langfuse.yaml"
    trace = only(written(mapping, {"trace": {"id": "t"}, "observations": openai}))
    assert outcomes(trace) == [("weather", "c1", 0, "error")]
    assert [m.text for m in trace.messages] == ["Weather?", None, "400 city", "No luck."]
    # Without a record of the model, the trace says what was asked and answered.
    plain = {
        "trace": {"id": "t", "input": json.dumps({"messages": [asked]}), "output": json.dumps("Snow.")},
        "observations": [tool],
    }
    trace = only(written(mapping, plain))
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "Weather?"),
        ("assistant", None),
        ("tool", "400 city"),
        ("assistant", "Snow."),
    ]


def test_the_tools_of_several_paths_are_taken_together_where_the_mapping_says_so(written: Any) -> None:
    record = {"say": [{"role": "user", "content": "Go."}], "a": [{"name": "one"}], "b": [{"name": "two"}]}
    for tools, names in ((["a", "b"], ["one"]), ([["a", "b"]], ["one", "two"]), ([["x"], ["b", "a"]], ["two", "one"])):
        mapping = {"tools": tools, "messages": [{"from": "say", "role": "role", "text": "content"}]}
        assert [t.name for t in only(written(mapping, record)).tools] == names


def test_a_langfuse_export_knows_the_tools_by_which_an_agent_gives_its_answer(written: Any) -> None:
    def asking(start: int, name: str, functions: list[str], outputs: list[str]) -> dict[str, Any]:
        given = {"function_tools": [{"name": n} for n in functions], "output_tools": [{"name": n} for n in outputs]}
        call = {"type": "tool_call", "id": f"c{start}", "name": name, "arguments": {}}
        metadata = {"attributes": {"model_request_parameters": json.dumps(given)}}
        return observation(
            "GENERATION", start, input=[{"role": "user", "content": "A joke."}],
            output={"role": "assistant", "parts": [call]}, metadata=metadata,
        )  # fmt: skip

    asks = [asking(1, "pun", ["pun"], []), asking(2, "final_result", [], ["final_result"])]
    trace = only(written(EXAMPLES / "langfuse.yaml", {"trace": {"id": "t"}, "observations": asks}))
    assert [c.tool for c in trace.calls] == ["pun", "final_result"]
    assert [t.name for t in trace.tools] == ["pun", "final_result"]
    assert [c.rule for c in verdict(trace).checks if c.layer == "selection" and c.fails] == []


def test_mlflow_traces(written: Any) -> None:
    mapping = EXAMPLES / "mlflow.yaml"
    trace = only(read(TRACES / "mlflow_nocall.json", mapping=mapping))
    assert (trace.id, trace.format, trace.calls) == ("tr-a6c71eedafb391860e65ffbc05f4c36c", "mlflow", ())
    assert [t.name for t in trace.tools] == ["search_flights", "get_weather"]
    assert [m.role for m in trace.messages] == ["system", "user", "assistant"]
    assert trace.problems == ()

    def span(kind: str, start: int, sent: Any, got: Any, **more: Any) -> dict[str, Any]:
        attributes = {
            f"mlflow.{k}": json.dumps(v) for k, v in (("spanType", kind), ("spanInputs", sent), ("spanOutputs", got))
        }
        return {
            "name": "search",
            "start_time_unix_nano": start * 10**18,
            "attributes": attributes,
            "status": {"code": "STATUS_CODE_OK"},
            **more,
        }

    failed = {
        "status": {"code": "STATUS_CODE_ERROR"},
        "events": [{"name": "exception", "attributes": {"exception.message": "400 q"}}],
    }
    wants = {"id": "c1", "function": {"name": "search", "arguments": '{"q": 1}'}}
    spans = [
        span(
            "CHAT_MODEL",
            1,
            {"messages": [{"role": "user", "content": "Find."}]},
            {"choices": [{"message": {"content": None, "tool_calls": [wants]}}]},
        ),
        span("CHAT_MODEL", 3, {"messages": []}, {"choices": [{"message": {"content": "None.", "tool_calls": None}}]}),
        span("TOOL", 2, {"q": 1}, None, **failed),
    ]
    trace = only(written(mapping, {"info": {"trace_id": "tr-1"}, "data": {"spans": spans}}))
    assert outcomes(trace) == [("search", "c1", 0, "error")]
    assert [m.text for m in trace.messages] == ["Find.", None, "400 q", "None."]
    # A wrapper that runs every tool names the tool in its input.
    wrapped = span("TOOL", 2, {"call": {"tool_name": "list", "args": {"q": "A"}}}, {"rows": []})
    inputs = {"mlflow.traceInputs": json.dumps({"q": "List."}), "mlflow.traceOutputs": json.dumps("None.")}
    trace = only(
        written(mapping, {"info": {"trace_id": "tr-2", "trace_metadata": inputs}, "data": {"spans": [wrapped]}})
    )
    assert [(c.tool, c.arguments) for c in trace.calls] == [("list", {"q": "A"})]
    assert [m.text for m in trace.messages] == ["List.", None, '{"rows": []}', "None."]
