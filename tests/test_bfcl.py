"""Both verdicts side by side: the door, the comparison over a run, and the commands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.bfcl import case_of, check, judged, output_of, trace_of
from rootcall.bfcl.beside import Beside
from rootcall.case import Case, Cases, load_cases
from rootcall.cli.main import main
from rootcall.errors import UsageError
from rootcall.jsonvalue import MISSING
from rootcall.judging import verdict
from rootcall.trace import Trace

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(line) for line in gzip.decompress((DATA / "bfcl_small.jsonl.gz").read_bytes()).splitlines()]


def case(gold: Any, category: str = "simple_python", **properties: Any) -> Case:
    function = {
        "name": "f", "description": "A tool.", "parameters": {"type": "dict", "properties": properties, "required": []}
    }  # fmt: skip
    question = [[{"role": "user", "content": "Do it with 5, 2024-05-01 or Paris."}]]
    return Case.from_dict(
        case_of(
            {"id": "q", "category": category, "question": question, "function": [function], "possible_answer": gold}
        )
    )


NUMBER = case([{"f": {"a": [5]}}], a={"type": "integer"})
TEXT = case([{"f": {"a": ["2024-05-01"]}}], a={"type": "string"})
NONE = case(None, "irrelevance", a={"type": "integer"})


def both(c: Case, response: object) -> tuple[bool, bool]:
    return check(c, response).valid, check(c, response, "rootcall").valid


def trace(content: str | None = None, *calls: tuple[str, str]) -> Trace:
    listed = [{"id": f"c{i}", "function": {"name": n, "arguments": a}} for i, (n, a) in enumerate(calls)]
    answer = {"role": "assistant", "content": content, **({"tool_calls": listed} if calls else {})}
    tools = NUMBER.tools
    return Trace.from_openai([{"role": "user", "content": "Do it with 5."}, answer], tools, id="t")


def test_the_two_verdicts_can_part_in_both_directions() -> None:
    assert both(NUMBER, [{"f": {"a": 5}}]) == (True, True)
    assert both(NUMBER, [{"f": {"a": 6}}]) == (False, False)
    assert both(NUMBER, [{"f": {"a": 5.0}}]) == (False, True)
    assert both(TEXT, [{"f": {"a": "2024/05/01"}}]) == (True, False)


def test_each_verdict_has_its_own_error_type_and_the_same_shape() -> None:
    official, ours = (check(NUMBER, [{"f": {"a": 6}}], s).to_dict() for s in ("bfcl", "rootcall"))  # type: ignore[arg-type]
    assert set(official) == set(ours) == {"valid", "error_type", "error"}
    assert official["error_type"] == "value_error:others"
    assert ours["error_type"] == "arguments/value-mismatch"
    assert "expected 5, got 6" in ours["error"]


def test_a_response_may_be_a_trace_a_text_or_decoded_calls() -> None:
    for response in (trace(None, ("f", '{"a": 5}')), "[f(a=5)]", "f(a=5)", [{"f": {"a": 5}}]):
        assert both(NUMBER, response) == (True, True), response
        assert both(NONE, response) == (False, False), response


def test_a_call_that_could_not_be_read_is_an_abstention_to_bfcl_and_a_call_to_us() -> None:
    unparsed = '<tool_call>{"name": "f", "arguments": {"a": 5}}</tool_call>'
    for response in (trace(unparsed), unparsed, trace(None, ("f", '{"a": 5'))):
        assert both(NONE, response) == (True, False), response
        assert check(NUMBER, response).error_type == "ast_decoder:decoder_failed"
        assert not check(NUMBER, response, "rootcall").valid
    assert check(NUMBER, None).error_type == "ast_decoder:decoder_failed"
    assert both(NONE, trace("I have no tool for that.")) == (True, True)
    assert both(NUMBER, trace("I have no tool for that.")) == (False, False)


def test_what_the_official_decoder_gives() -> None:
    assert output_of(trace(None, ("f", '{"a": 5}'), ("g", "{}"))) == [{"f": {"a": 5}}, {"g": {}}]
    assert output_of(trace("[f(5, a=(1, 2))]")) == [{"f": {"a": (1, 2)}}], "what has no name is dropped"
    assert output_of(trace("hello")) is MISSING
    assert output_of(trace(None)) == []
    assert output_of(trace(None, ("f", "not json"))) is MISSING


def test_our_verdict_sees_the_question_the_tools_and_what_is_no_call() -> None:
    made = trace_of(NUMBER, [{"f": {"a": (1, 2)}}, {"f": "a=5"}, "text"])
    assert [m.role for m in made.messages] == ["user", "assistant"]
    assert made.messages[1].text == "text"
    assert [c.arguments for c in made.calls] == [{"a": [1, 2]}, None]
    assert made.tool("f") is not None
    same = trace(None, ("f", '{"a": 5}'))
    assert trace_of(NUMBER, same) is same


def test_java_texts_are_decoded_for_our_verdict_only() -> None:
    java = case([{"f": {"a": [5], "b": [["x", "y"]]}}], "simple_java", a={"type": "long"}, b={"type": "Array", "items": {"type": "String"}})  # fmt: skip
    sent = {"a": "5", "b": 'new String[]{"x", "y"}'}
    assert both(java, [{"f": sent}]) == (False, True)
    assert both(java, trace(None, ("f", json.dumps(sent)))) == (False, True)
    assert both(java, [{"f": {**sent, "a": "6"}}]) == (False, False)


def test_a_declared_default_of_java_is_a_text_too() -> None:
    java = case([{"f": {"a": ["", "7L"]}}], "simple_java", a={"type": "long", "default": "5L"})
    assert [both(java, [{"f": a}]) for a in ({}, {"a": "5L"}, {"a": "7L"}, {"a": "6L"})] == [
        (True, True), (False, True), (False, True), (False, False)
    ]  # fmt: skip


def test_a_gold_of_another_type_is_met_by_its_text() -> None:
    java = case([{"f": {"a": [5]}}], "simple_java", a={"type": "String"})
    assert both(java, [{"f": {"a": "5"}}]) == (False, True)
    assert both(java, [{"f": {"a": "6"}}]) == (False, False)
    java = case([{"f": {"a": [2.5]}}], "simple_java", a={"type": "boolean"})
    assert check(java, [{"f": {"a": "2.5"}}], "rootcall").error_type == "arguments/wrong-type", (
        "the gold breaks its schema"
    )


def test_names_with_underscores_for_dots_are_met_by_both() -> None:
    row = {"id": "simple_python_0", "question": [], "function": [{"name": "m.f", "parameters": {"type": "dict", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}], "possible_answer": [{"m.f": {"a": [5]}}]}  # fmt: skip
    dotted, flat = (Case.from_dict(case_of({**row, "name_dots_as_underscores": u})) for u in (False, True))
    assert both(flat, [{"m_f": {"a": 5}}]) == both(dotted, [{"m.f": {"a": 5}}]) == (True, True)
    assert both(flat, [{"m.f": {"a": 5}}]) == both(dotted, [{"m_f": {"a": 5}}]) == (False, False)


def test_the_mark_for_leaving_out_means_that_and_nothing_else() -> None:
    c = case([{"f": {"a": ["cm", ""]}}], a={"type": "string", "default": "mm"})
    assert both(c, [{"f": {}}]) == (True, True)
    assert both(c, [{"f": {"a": "mm"}}]) == (False, True), "the declared default, sent"
    assert both(c, [{"f": {"a": "cm"}}]) == (True, True)
    assert both(c, [{"f": {"a": ""}}]) == (True, False)
    assert both(c, [{"f": {"a": None}}]) == (False, False)
    assert both(c, [{"f": {"a": "cm", "b": 1}}]) == (False, False)


def test_the_best_pairing_is_found_where_bfcl_takes_the_first_fit() -> None:
    c = case([{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}], "parallel", a={"type": "integer"})
    assert both(c, [{"f": {"a": 1}}, {"f": {"a": 2}}]) == (False, True)
    assert both(c, [{"f": {"a": 2}}, {"f": {"a": 1}}]) == (True, True)
    assert both(c, [{"f": {"a": 1}}]) == (False, False)


@pytest.mark.parametrize("row", [r for r in ROWS if r["mutation"].startswith("gold")], ids=lambda r: r["id"])
def test_a_gold_meets_itself(row: dict[str, Any]) -> None:
    c = Case.from_dict(case_of(row))
    found = verdict(trace_of(c, row["model_output"]), c)
    assert [x.message for x in found.checks if x.rule == "arguments/value-mismatch" and x.fails] == []
    assert found.layers["selection"].status == "pass"


@pytest.mark.parametrize("line", (DATA / "bfcl_impossible.jsonl").read_text().splitlines(), ids=lambda x: x[:28])
def test_no_call_meets_an_impossible_gold(line: str) -> None:
    row = json.loads(line)
    c = Case.from_dict(case_of(row))
    name, gold = next(iter(row["possible_answer"][0].items()))
    as_asked = {k: v[0] if v else "anything" for k, v in gold.items()}
    assert not check(c, [{name: as_asked}]).valid
    if row["id"] != "live_multiple_862-181-3":  # what the schema does not name is no fault where it allows anything
        assert not check(c, [{name: as_asked}], "rootcall").valid


def test_a_case_of_our_own_has_no_verdict_of_bfcls() -> None:
    with pytest.raises(UsageError, match=r"is not BFCL's: metadata\.bfcl is wanted"):
        check(Case(id="mine"), [])
    with pytest.raises(UsageError, match="semantics must be bfcl or rootcall, got 'other'"):
        check(NUMBER, [], "other")  # type: ignore[arg-type]


def test_where_the_verdicts_part_is_counted() -> None:
    beside = Beside(Cases([NUMBER]))
    for arguments in ("5", "5.0", "6", "5.0"):
        made = trace(None, ("f", f'{{"a": {arguments}}}'))
        assert beside.look(made, verdict(made, NUMBER)) is not None
    stranger = trace(None)
    assert beside.look(stranger, verdict(stranger)) is None
    assert beside.counts == {"both pass": 1, "both fail": 1, "only BFCL fails": 2, "only rootcall fails": 0}
    assert beside.without == 1
    assert [p.bfcl.error_type for p in beside.first["only BFCL fails"]] == ["type_error:simple"] * 2
    assert judged(verdict(stranger)).valid


# --- commands ---------------------------------------------------------------------------------------------------------


def run(capfd: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    out, err = capfd.readouterr()
    return int(left.value.code or 0), out, err


def test_bfcl_files_become_a_case_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "cases.jsonl"
    code, out, err = run(capfd, "cases", "import", "bfcl", DATA / "bfcl_small.jsonl.gz", "-o", target)
    assert (code, out, err) == (0, "", "298 cases, 0 rows left out\n")
    assert len(load_cases(target)) == 298
    code, out, _ = run(capfd, "cases", "import", "bfcl", DATA / "bfcl_impossible.jsonl", "--underscores")
    assert code == 0
    assert next(json.loads(line)["id"] for line in out.splitlines()) == "live_simple_106-63-0"


def test_what_cannot_be_imported_is_said(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    first = (DATA / "bfcl_impossible.jsonl").read_text().splitlines()[0]
    rows.write_text(first + '\n{"id": "lonely", "ground_truth": []}\n')
    code, _, err = run(capfd, "cases", "import", "bfcl", rows)
    assert code == 3
    assert "question-missing: lonely has an answer and no question" in err
    assert run(capfd, "cases", "import", "bfcl", rows, "-o", rows)[0] == 2
    assert run(capfd, "cases", "import", "bfcl", rows, "-o", tmp_path)[0] == 2
    assert run(capfd, "cases", "import", "bfcl", tmp_path / "nowhere")[0] == 2
    assert rows.read_text().startswith(first)


@pytest.fixture
def suite(tmp_path: Path) -> tuple[Path, Path]:
    """Traces of some rows, and the cases they meet."""
    chosen = [r for r in ROWS if r["mutation"] in ("gold", "date_slash", "float_eps", "missing_required", "no_call")]
    cases, traces = [case_of(r) for r in chosen], []
    for row, made in zip(chosen, cases, strict=True):
        calls = [
            {"id": f"c{i}", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, item in enumerate(row["model_output"]) for n, a in item.items()
        ]  # fmt: skip
        answer = {"role": "assistant", "content": None, **({"tool_calls": calls} if calls else {})}
        messages = [{"role": "user", "content": made.get("input", "")}, answer]
        traces.append(
            {"id": row["id"], "messages": messages, "tools": made["tools"], "metadata": {"case_id": made["id"]}}
        )
    files = tmp_path / "traces.jsonl", tmp_path / "cases.jsonl"
    for file, values in zip(files, (traces, cases), strict=True):
        file.write_text("".join(json.dumps(v) + "\n" for v in values))
    return files


def test_score_puts_bfcls_verdict_beside_ours(capfd: pytest.CaptureFixture[str], suite: tuple[Path, Path]) -> None:
    traces, cases = suite
    code, out, err = run(capfd, "score", traces, "--cases", cases, "--semantics", "bfcl", "--jsonl", "-")
    # Three of these golds break their own schema: our verdict does without them, BFCL's does not.
    assert code == 3
    assert "3 x  gold-wrong" in err
    official = {r["id"]: r for r in ROWS}
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) > 15
    for line in lines:
        row = official[line["trace"]]
        assert (line["bfcl"]["valid"], line["bfcl"]["error_type"]) == (
            row["official_valid"],
            row["official_error_type"],
        )
    table = err.partition("BFCL and rootcall")[2]
    for kind in ("both pass", "both fail", "only BFCL fails", "only rootcall fails"):
        assert kind in table
    assert "float_eps" in table.partition("only BFCL fails")[2].partition("only rootcall fails")[0]
    assert "date_slash" in table.partition("only rootcall fails")[2]


def test_score_without_semantics_says_nothing_of_bfcl(
    capfd: pytest.CaptureFixture[str], suite: tuple[Path, Path]
) -> None:
    traces, cases = suite
    _, out, err = run(capfd, "score", traces, "--cases", cases, "--jsonl", "-")
    assert "bfcl" not in json.loads(out.splitlines()[0])
    assert "BFCL and rootcall" not in err


def test_semantics_of_bfcl_need_cases_and_say_which_traces_have_none(
    capfd: pytest.CaptureFixture[str], suite: tuple[Path, Path], bundled: Path
) -> None:
    code, _, err = run(capfd, "score", suite[0], "--semantics", "bfcl")
    assert code == 2
    assert "--semantics bfcl needs --cases FILE" in err
    code, out, _ = run(capfd, "score", bundled / "flight.jsonl", "--cases", suite[1], "--semantics", "bfcl")
    assert "5  without a case of BFCL's; its verdict is not known" in out
