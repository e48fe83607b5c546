"""The report of a run with cases: it leads with the worst, and says what stands behind the figure."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from rootcall.case import Case, Cases
from rootcall.cli.main import main
from rootcall.report.terminal import print_run
from rootcall.run import score
from rootcall.summary import Run
from rootcall.trace import Trace

Rows = list[tuple[list[str], list[str]]]
TOOLS = ["refund_order", "search", *(f"send_form_{i}" for i in range(26))]


def run_of(rows: Rows, *, extra_cases: int = 0, tools: list[str] | None = None, cased: bool = True) -> Run:
    """One trace a row of expected and called tools; the extra cases want a search and are met by nothing."""
    cases = [
        {"id": f"c{i}", "expect": {"calls": [{"tool": t} for t in w], "extra": "forbid"}}
        for i, (w, _) in enumerate(rows)
    ]
    cases += [{"id": f"idle{i}", "expect": {"calls": [{"tool": "search"}]}} for i in range(extra_cases)]
    traces = [trace_of(f"c{i}", made, tools or TOOLS) for i, (_, made) in enumerate(rows)]
    return score(traces, Cases([Case.from_dict(c) for c in cases]) if cased else None)


def trace_of(case: str, made: list[str], tools: list[str]) -> Trace:
    offered = [{"function": {"name": t, "parameters": {"type": "object"}}} for t in tools]
    return Trace.from_openai(messages_of(made), offered, id=case, metadata={"case_id": case})


def messages_of(made: list[str]) -> list[dict[str, Any]]:
    calls = [
        {"id": f"k{n}", "type": "function", "function": {"name": t, "arguments": "{}"}} for n, t in enumerate(made)
    ]
    steps = [{"role": "assistant", "tool_calls": calls}] if made else []
    results = [{"role": "tool", "tool_call_id": c["id"], "content": "done"} for c in calls]
    return [{"role": "user", "content": "Please."}, *steps, *results, {"role": "assistant", "content": "Well."}]


def text_of(run: Run, width: int = 80, **options: Any) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    print_run(run, console, **options)
    return "\n".join(line.rstrip() for line in console.export_text().splitlines())


def block(text: str, title: str) -> list[str]:
    """The lines of one block, without the title's own words."""
    start = text[text.index(f"\n{title}") + 1 :]
    return start.partition("\n\n")[0].splitlines()


FALLEN: Rows = [
    row
    for i, t in enumerate(TOOLS)
    if t != "refund_order"
    for row in [*[([t], [t])] * 38, ([t], [TOOLS[1:][i - 2]]), ([t], [])]
]
FALLEN += [*[(["refund_order"], ["refund_order"])] * 5, *[(["refund_order"], [])] * 15]


@pytest.fixture(scope="module")
def fallen() -> Run:
    return run_of(FALLEN, extra_cases=3, tools=[*TOOLS, "idle_tool"])


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_the_first_line_names_the_rare_tool_that_fell(fallen: Run, width: int) -> None:
    text = text_of(fallen, width)
    assert text.startswith("selection: refund_order is the worst of")
    said = " ".join(text.partition("\n\n")[0].split())
    assert "refund_order is the worst of 28 tools, F1 0.40 (20 expected, 5 called, 95 % 0.20-0.64); mean 0.9" in said


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_terminal(fallen: Run, width: int) -> None:
    *lines, _ = text_of(fallen, width).splitlines()
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines)


def test_the_tools_stand_worst_first_and_are_cut(fallen: Run) -> None:
    head, first, *others = block(text_of(fallen), "Tools by F1")
    assert head.split() == ["Tools", "by", "F1", "F1", "95", "%", "recall", "precision"]
    assert first.split() == ["refund_order", "0.40", "0.20-0.64", "5/20", "5/5"]
    assert others[-1] == "18 more"


def test_a_narrow_table_keeps_f1_and_recall(fallen: Run) -> None:
    assert block(text_of(fallen, 40), "Tools by F1")[1].split() == ["refund_order", "0.40", "5/20"]
    assert block(text_of(fallen, 40), "Layers")[0].split() == ["Layers", "score", "n", "failing"]


def test_confusions_stand_most_frequent_first_with_an_example(fallen: Run) -> None:
    lines = block(text_of(fallen), "Confusions")
    assert lines[1] == "15 x  nothing called where refund_order was expected  c1085"
    assert lines[-1].endswith("other pairs")


def test_cases_that_no_trace_met_are_counted_and_named(fallen: Run) -> None:
    text = text_of(fallen)
    assert "1,100 of 1,103 cases answered, 1,031 right (93 % of all); 3 met by no trace" in text
    assert "no trace      3 of 1,103 cases, with 3 expected calls: idle0, idle1, idle2" in text
    assert "untested      offered, never expected, never called: idle_tool" in text


def test_false_calls_lead_and_name_the_tool() -> None:
    rows: Rows = [*[([], ["search"])] * 31, *[([], [])] * 9, *[(["refund_order"], ["search"])] * 20]
    text = text_of(run_of(rows), 100)
    assert text.startswith("selection: false calls lead: 31 of 40 no-call traces called something, 31 times search\n")
    assert "false calls   31 of 40 no-call traces called something (0.78, 95 % 0.62-0.88): search 31" in text
    assert "unexpected    called and expected by no case: search 51" in text


def test_a_run_without_a_fault_says_so_in_one_line() -> None:
    text = text_of(run_of([(["search"], ["search"]), ([], [])]))
    said = " ".join(text.partition("\n\n")[0].split())
    assert said == "selection: nothing wrong in 2 traces: 1 expected call of 1 tool, 1 right abstention"
    assert "Confusions" not in text


def test_without_cases_nothing_is_added() -> None:
    text = text_of(run_of([(["search"], ["search"])], cased=False))
    assert text.startswith("1 trace  1 pass  read as openai-chat\n")
    for word in ("selection:", "Tools by F1", "Confusions", "answered"):
        assert word not in text


def test_cases_that_judge_no_calls_leave_the_figures_out() -> None:
    cases = Cases([Case.from_dict({"id": "c0", "expect": {"answer": ["done"]}})])
    text = text_of(score([trace_of("c0", ["search"], TOOLS)], cases))
    assert text.startswith("1 trace")
    assert "Tools by F1" not in text


def test_arguments_stand_by_the_class_of_the_value_that_was_wanted() -> None:
    def trace(i: int, city: str) -> Trace:
        made = messages_of(["book"])
        made[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"city": city, "seats": 2})
        schema = {"type": "object", "properties": {"city": {"type": "string"}, "seats": {"type": "integer"}}}
        return Trace.from_openai(
            made, [{"function": {"name": "book", "parameters": schema}}], id=f"c{i}", metadata={"case_id": f"c{i}"}
        )

    gold = {"tool": "book", "arguments": {"city": "Busan", "seats": 2}}
    cases = Cases([Case.from_dict({"id": f"c{i}", "expect": {"calls": [gold]}}) for i in range(6)])
    lines = block(
        text_of(score([trace(i, "Busan" if i < 2 else "Pusan") for i in range(6)], cases)),
        "Arguments against the cases",
    )
    assert lines[1].split()[0] == "book.city"
    assert lines[1].split()[-2:] == ["2/6", "0.10-0.70"]
    assert lines[-1] == "6 others right"
    fine = text_of(score([trace(i, "Busan") for i in range(6)], cases))
    assert "All 12 arguments that the cases judge are right" in fine


def test_names_of_tools_cannot_steer_the_terminal() -> None:
    text = text_of(run_of([(["search"], ["\x1b[2Jsearch"]), ([], ["[red]x[/red]"])]))
    assert "\x1b" not in text
    assert "[red]x[/red]" in text


def test_the_command_leads_to_a_trace_of_the_worst_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traces, cases = tmp_path / "t.jsonl", tmp_path / "c.jsonl"
    rows: Rows = [(["search"], []), *[(["search"], ["search"])] * 20, *[(["refund_order"], [])] * 6]
    tools = [{"type": "function", "function": {"name": t, "parameters": {"type": "object"}}} for t in TOOLS]
    traces.write_text(
        "".join(
            json.dumps({"id": f"c{i}", "messages": messages_of(m), "tools": tools, "metadata": {"case_id": f"c{i}"}})
            + "\n"
            for i, (_, m) in enumerate(rows)
        )
    )
    cases.write_text(
        "".join(
            json.dumps({"id": f"c{i}", "expect": {"calls": [{"tool": t} for t in w]}}) + "\n"
            for i, (w, _) in enumerate(rows)
        )
    )
    said = printed(capsys, ["score", str(traces), "--cases", str(cases)])
    assert said.startswith("selection: refund_order is the worst of 2 tools, F1 0.00")
    command = said.splitlines()[-1].removeprefix("Next: rootcall ").split()
    assert command == ["show", str(traces), "c21", "--cases", str(cases)]
    assert "refund_order was expected and never called" in printed(capsys, command)


def printed(capsys: pytest.CaptureFixture[str], command: list[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(command)
    assert left.value.code == 0
    return capsys.readouterr().out


def talking(case: str, say: str) -> Trace:
    messages = [{"role": "user", "content": "Please find it."}, {"role": "assistant", "content": say}]
    return Trace.from_openai(messages, None, id=case, metadata={"case_id": case})


def test_what_was_done_without_a_call_stands_beside_the_rates() -> None:
    wanted = {"a": ["search"], "b": ["search"], "c": ["search"], "d": [], "e": []}
    says = {
        "a": "Where should I look?",
        "b": "Which one?",
        "c": "I can't search.",
        "d": "It is blue.",
        "e": "Ask what?",
    }
    cases = Cases(Case.from_dict({"id": i, "expect": {"calls": [{"tool": t} for t in w]}}) for i, w in wanted.items())
    run = score([talking(i, text) for i, text in says.items()], cases)
    assert run.selection.instead == {"asked": 2, "refused": 1}
    assert run.selection.abstained == {"answered": 1, "asked": 1}
    lines = " ".join(text_of(run).split())
    assert "that wanted a call made none (1.00, 95 % 0.44-1.00); instead asked 2, refused 1" in lines
    assert "without a call answered 1, asked 1" in lines
    found = run.to_dict()["selection"]
    assert found["missed_calls"]["instead"] == {"asked": 2, "refused": 1}
    assert found["false_calls"]["abstained"] == {"answered": 1, "asked": 1}
