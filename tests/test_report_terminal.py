"""The report of a run, as a person sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.console import Console

from rootcall.check import Check
from rootcall.diagnosis import diagnose
from rootcall.report.terminal import clean, print_run, rate, short, verdict_block
from rootcall.run import score
from rootcall.summary import Run, Tally
from rootcall.trace import Problem, Source, Trace

MakeTrace = Callable[..., Trace]
MakeCheck = Callable[..., Check]


def text_of(run: Run, width: int = 80, **options: object) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    print_run(run, console, **options)  # type: ignore[arg-type]
    console.file.close()
    return "\n".join(line.rstrip() for line in console.export_text().splitlines())


@pytest.fixture
def run(make_trace: MakeTrace, make_check: MakeCheck) -> Run:
    counted = Tally(cases=3)
    failing = [
        make_check("arguments/relative-date", "fail", argument="day", message="a relative date where a date is wanted"),
        make_check("recovery/retry-loop", "fail", message="sent 5 times unchanged"),
        make_check("utilization/unsupported", "unscored", unit="u"),
    ]
    for name in ("first", "second"):
        trace = make_trace(name, ('{"status": 400, "message": "day must be a date"}',))
        counted.add(trace, diagnose(trace, failing))
    fine = make_trace("fine")
    counted.add(fine, diagnose(fine, [make_check("arguments/relative-date", "pass")], case="c"))
    problem = Problem("not-json", "the line is cut", Source("t.jsonl", 7), lost=1)
    counted.not_read([problem], {"not-json": 1}, set_aside=1, lost=1)
    return counted.result()


def test_it_leads_with_counts_that_add_up(run: Run) -> None:
    text = text_of(run)
    assert text.startswith(
        "3 traces  1 pass  2 fail  read as openai-chat\n4 calls in = 3 scored + 1 set aside; 1 part of the input not read"
    )
    assert "3 cases: 1 traces matched, 2 judged without one" in text


def test_a_layer_has_score_interval_n_and_coverage(run: Run) -> None:
    line = next(line for line in text_of(run).splitlines() if line.startswith("arguments"))
    assert line.split() == ["arguments", "0.333", "0.061-0.792", "3", "100", "%", "0.333", "2"]


def test_a_layer_without_scored_units_has_no_number(run: Run) -> None:
    lines = {line.split()[0]: line.split() for line in text_of(run).splitlines() if line.strip()}
    assert lines["utilization"] == ["utilization", "unscored", "0", "0", "%"]
    assert lines["trajectory"] == ["trajectory", "n/a", "0"]


def test_root_causes_come_with_an_example_and_its_evidence(run: Run) -> None:
    text = text_of(run)
    assert "2 x  arguments · search.day · relative-date" in text
    assert "first: a relative date where a date is wanted" in text


def test_the_worst_traces_show_place_and_what_followed(run: Run) -> None:
    text = text_of(run)
    assert "messages[1].calls[0]" in text
    assert "contributing  recovery · search · retry-loop  sent 5 times unchanged" in text


def test_what_was_set_aside_is_named_with_its_place(run: Run) -> None:
    assert "t.jsonl:7: the line is cut" in text_of(run)


def test_the_last_line_is_a_command_that_can_be_pasted(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = Tally()
    trace = Trace.from_openai([], id="my trace")
    counted.add(trace, diagnose(trace, [make_check("arguments/format", "fail")]))
    stored = counted.result().worst[0]
    assert stored.source.file == "<memory>"
    assert text_of(counted.result()).splitlines()[-1] == "Next: rootcall explain arguments/format"


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_terminal(run: Run, width: int) -> None:
    *lines, command = text_of(run, width).splitlines()
    assert max(map(len, lines)) <= width
    assert command.startswith("Next: ")


def test_a_failure_that_no_layer_explains_says_what_failed(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = Tally()
    trace = make_trace("lost")
    counted.add(trace, diagnose(trace, [make_check("trajectory/goal-missed", "fail", tool=None, message="reward 0")]))
    text = text_of(counted.result())
    assert "lost  FAIL  no layer explains it\n  trajectory/goal-missed  reward 0" in text
    assert "1 x  failed, and no layer explains it" in text
    assert "(no tool)" not in text


def test_an_empty_run_says_that_nothing_was_scored() -> None:
    text = text_of(Tally().result())
    assert text.startswith("0 traces")
    assert "Nothing was scored" in text


def test_a_run_without_failures_says_so(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = Tally()
    trace = make_trace()
    counted.add(trace, diagnose(trace, [make_check("arguments/format", "pass")]))
    assert "No layer failed" in text_of(counted.result())


def test_long_lists_are_cut_and_say_so(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = Tally()
    for i in range(15):
        trace = make_trace(f"t{i}")
        counted.add(trace, diagnose(trace, [make_check("arguments/format", "fail", tool=f"tool_{i}")]))
    text = text_of(counted.result())
    assert "5 x  5 more causes, fewer traces each" in text
    assert "6 more" in text


def test_many_findings_are_cut_and_say_so(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    trace = make_trace()
    checks = [make_check("arguments/format", "fail", unit=f"u{i}", at=f"messages[{i}].calls[0]") for i in range(6)]
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(verdict_block(diagnose(trace, checks), 100, findings=2))
    console.file.close()
    assert "and " in console.export_text()


def test_text_of_a_trace_cannot_steer_the_terminal(make_trace: MakeTrace, make_check: MakeCheck) -> None:
    counted = Tally()
    trace = make_trace("evil\x1b[2J")
    counted.add(
        trace,
        diagnose(
            trace, [make_check("arguments/format", "fail", message="\x1b]0;owned\x07 \ud800", tool="[red]x[/red]")]
        ),
    )
    text = text_of(counted.result())
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[red]x[/red]" in text


@pytest.mark.parametrize(
    ("share", "said"), [(None, ""), (0.0, "0 %"), (0.001, "< 1 %"), (0.5, "50 %"), (0.9999, "> 99 %"), (1.0, "100 %")]
)
def test_a_rate_never_rounds_to_all_or_nothing(share: float | None, said: str) -> None:
    assert rate(share) == said


def test_short_keeps_one_line_and_shows_the_cut() -> None:
    assert short("a\n  b\tc", 80) == "a b c"
    assert short("x" * 100, 30) == "x" * 29 + "…"
    assert clean("tab\tand\nline stay") == "tab\tand\nline stay"


def test_a_run_of_several_formats_says_how_many_came_in_each() -> None:
    made = [Trace("a", format="mastra"), Trace("b", format="codex"), Trace("c", format="mastra")]
    assert "\nread as mastra 2, codex 1\n" in text_of(score(made))
    assert score(made).to_dict()["formats"] == {"mastra": 2, "codex": 1}
