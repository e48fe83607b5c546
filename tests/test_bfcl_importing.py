"""BFCL's rows and files as cases: types, matchers, joins by id, and everything left out named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.bfcl import Imported, case_of, import_files, import_rows
from rootcall.case import Case, Cases
from rootcall.errors import InputError
from rootcall.evidence.schema import compile_schema
from rootcall.lint import lint
from rootcall.trace import Source

DATA = Path(__file__).parent / "data"
HERE = Source("x.jsonl", 1)


def row(gold: dict[str, Any] | None = None, category: str = "simple_python", **properties: Any) -> dict[str, Any]:
    return {
        "id": f"{category}_7",
        "question": [[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Do it."}]],
        "function": [
            {"name": "m.f", "description": "A tool.", "parameters": {"type": "dict", "properties": properties, "required": []}}
        ],
        "possible_answer": [{"m.f": gold or {}}],
    }  # fmt: skip


def argument(kind: str, gold: Any, category: str = "simple_python", **schema: Any) -> Any:
    case = case_of(row({"a": gold}, category, a={"type": kind, **schema}))
    return case["expect"]["calls"][0]["arguments"]["a"]


def test_a_row_becomes_a_case_with_its_tools_and_the_row_it_was() -> None:
    given_row = row({"a": [1]}, a={"type": "integer"})
    case = case_of(given_row)
    assert case["id"] == "simple_python_7"
    assert case["input"] == "Do it."
    assert case["tags"] == ["simple_python"]
    assert case["expect"] == {
        "extra": "forbid",
        "calls": [{"tool": "m.f", "arguments": {"a": 1}, "extra_arguments": "forbid"}],
    }
    assert case["metadata"]["bfcl"] == {
        "category": "simple_python",
        **{k: given_row[k] for k in ("question", "function", "possible_answer")},
    }
    built = Case.from_dict(case)
    assert built.extra == "forbid"
    assert built.metadata == case["metadata"]


def test_types_are_those_of_json_schema_at_every_depth() -> None:
    properties = {
        "d": {"type": "dict", "properties": {"f": {"type": "float", "default": 1.5}, "t": {"type": "tuple", "items": {"type": "any"}}}},
        "type": {"type": "string", "enum": ["dict", "float"], "description": "A parameter called type."},
        "l": {"type": "ArrayList", "items": {"type": "HashMap"}}, "n": {"type": "long"}, "c": {"type": "char"},
        "b": {"type": "Boolean"}, "g": {"type": "Bigint"}, "x": {"type": "any"}, "y": {"type": "tensor"},
    }  # fmt: skip
    tool = case_of(row(**properties))["tools"][0]
    assert tool["function"]["name"] == "m.f"
    schema = tool["function"]["parameters"]
    assert schema["type"] == "object"
    assert schema["properties"] == {
        "d": {"type": "object", "properties": {"f": {"type": "number", "default": 1.5}, "t": {"type": "array", "items": {}}}},
        "type": {"type": "string", "enum": ["dict", "float"], "description": "A parameter called type."},
        "l": {"type": "array", "items": {"type": "object"}}, "n": {"type": "integer"}, "c": {"type": "string"},
        "b": {"type": "boolean"}, "g": {"type": "integer"}, "x": {}, "y": {},
    }  # fmt: skip
    assert compile_schema(schema).problem is None


@pytest.mark.parametrize(
    ("kind", "gold", "matcher"),
    [
        ("integer", [5], 5),
        ("integer", [5, 6], {"$one_of": [5, 6]}),
        ("integer", [5, ""], {"$one_of": [{"$absent": True}, 5]}),
        ("integer", ["", 0], {"$one_of": [{"$absent": True}, 0]}),
        ("integer", [""], {"$absent": True}),
        ("integer", [], {"$one_of": []}),
        ("integer", [None], None),
        ("integer", ["page_size"], "page_size"),
        ("dict", [{"k": [1], "l": ["a", "b"], "m": [2, ""]}], {"k": 1, "l": {"$one_of": ["a", "b"]}, "m": {"$one_of": [{"$absent": True}, 2]}}),
        ("dict", [{"k": [1]}, {"k": [2]}], {"$one_of": [{"k": 1}, {"k": 2}]}),
        ("dict", [{"k": [{"deep": [1]}]}], {"k": {"deep": [1]}}),
        ("array", [[1, 2]], [1, 2]),
        ("array", [[1, 2], [2, 1]], {"$one_of": [[1, 2], [2, 1]]}),
        ("any", [{"k": [1]}], {"k": [1]}),
        ("dict", [{"$set": [1]}], {"$literal": {"$set": 1}}),
        ("any", [{"$set": {"k": 1}}], {"$literal": {"$set": {"k": 1}}}),
        ("any", [[{"$set": 1}]], [{"$literal": {"$set": 1}}]),
    ],
)  # fmt: skip
def test_accepted_values_are_matchers(kind: str, gold: Any, matcher: Any) -> None:
    assert argument(kind, gold) == matcher


def test_lists_of_objects_hold_options_too() -> None:
    gold = [[{"k": ["a", "b"]}, {"k": ["c", ""]}]]
    wanted = [{"k": {"$one_of": ["a", "b"]}}, {"k": {"$one_of": [{"$absent": True}, "c"]}}]
    assert argument("array", gold, items={"type": "dict"}) == wanted
    assert argument("array", gold, items={"type": "any"}) == gold[0]


def test_a_declared_default_says_the_same_as_leaving_out() -> None:
    assert argument("integer", ["", 5], default=10) == {"$one_of": [{"$absent": True}, 10, 5]}
    assert argument("integer", [5], default=10) == 5
    nested = {"type": "dict", "properties": {"k": {"type": "integer", "default": 3}}}
    assert argument("dict", [{"k": [1, ""]}], properties=nested["properties"]) == {
        "k": {"$one_of": [{"$absent": True}, 3, 1]}
    }


def test_literals_of_the_gold_are_decoded_for_java_and_javascript_only() -> None:
    assert argument("long", ["5L"], "simple_java") == 5
    assert argument("array", ["[1, 2]"], "simple_javascript", items={"type": "integer"}) == [1, 2]
    assert argument("any", [20.5, "20.5"], "simple_java") == 20.5
    assert argument("integer", ["5"], "simple_python") == "5"
    assert argument("HashMap", [{"k": [1]}], "simple_java") == {"k": 1}


def test_irrelevance_wants_no_call_and_relevance_any() -> None:
    bare = {k: v for k, v in row(a={"type": "integer"}).items() if k != "possible_answer"}
    assert case_of({**bare, "id": "live_irrelevance_3-0-1"})["expect"] == {"extra": "forbid", "calls": []}
    assert case_of({**bare, "id": "live_relevance_3-0-1"})["expect"] == {"calls": "some"}
    assert case_of({**bare, "id": "x", "category": "irrelevance", "possible_answer": None})["expect"]["calls"] == []


def test_dots_are_underscores_where_the_model_was_offered_them_so() -> None:
    case = case_of({**row({"a": [1]}, a={"type": "integer"}), "name_dots_as_underscores": True})
    assert case["tools"][0]["function"]["name"] == case["expect"]["calls"][0]["tool"] == "m_f"
    assert case["metadata"]["bfcl"]["dots_as_underscores"] is True


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"function": "f"}, "function must be a list"),
        ({"function": [1]}, "function must be a list"),
        ({"possible_answer": {"m.f": {}}}, "must be a list of calls"),
        ({"possible_answer": ["m.f()"]}, "call 0 of the possible answer"),
        ({"possible_answer": [{"m.f": {}}, {"a": {}, "b": {}}]}, "call 1 of the possible answer"),
        ({"id": "multi_turn_base_3"}, "'multi_turn_base' is not a single-turn one"),
        ({"id": "?"}, "category '' is not"),
    ],
)
def test_a_row_that_is_none_is_refused_by_what_is_missing(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        case_of({**row(), **change})


def split(n: int = 3) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    whole = [{**row({"a": [i]}, a={"type": "integer"}), "id": f"simple_python_{i}"} for i in range(n)]
    questions = [{k: v for k, v in r.items() if k != "possible_answer"} for r in whole]
    return questions, [{"id": r["id"], "ground_truth": r["possible_answer"]} for r in whole]


def imported(*rows: Any) -> Imported:
    return import_rows((r, HERE) for r in rows)


def test_questions_and_answers_are_joined_by_id_and_in_no_other_way() -> None:
    questions, answers = split()
    made = imported(*questions, *reversed(answers))
    assert [c["expect"]["calls"][0]["arguments"]["a"] for c in made.cases] == [0, 1, 2]
    assert made == imported(*answers, *questions)
    assert made.problems == ()


def test_what_has_no_other_half_is_listed() -> None:
    questions, answers = split()
    made = imported(*questions[:2], *answers[1:], answers[1], "row", {"question": "?"}, {"id": "x"})
    assert [c["id"] for c in made.cases] == ["simple_python_1"]
    assert sorted((p.code, p.message.split()[0]) for p in made.problems) == [
        ("answer-missing", "simple_python_0"),
        ("id-twice", "simple_python_1"),
        ("no-row", "a"),
        ("no-row", "a"),
        ("no-row", "x:"),
        ("question-missing", "simple_python_2"),
    ]


def test_questions_that_want_no_call_need_no_answers_file() -> None:
    bare = {k: v for k, v in row(a={"type": "integer"}).items() if k != "possible_answer"}
    questions = [{**bare, "id": f"irrelevance_{n}"} for n in range(240)]
    made = imported(*questions, {"id": "irrelevance_999", "ground_truth": [{"f": {}}]})
    assert [c["expect"]["calls"] for c in made.cases] == [[]] * 240
    assert [(p.code, p.message.split()[0]) for p in made.problems] == [("question-missing", "irrelevance_999")]


def test_files_are_read_in_pairs_plain_or_compressed(tmp_path: Path) -> None:
    questions, answers = split()
    (tmp_path / "possible_answer").mkdir()
    one, two = tmp_path / "BFCL_v4_simple_python.json", tmp_path / "possible_answer" / "BFCL_v4_simple_python.json"
    one.write_text("".join(json.dumps(q) + "\n" for q in questions))
    two.write_bytes(gzip.compress("".join(json.dumps(a) + "\n" for a in answers).encode()))
    made = import_files([one, two])
    assert len(made.cases) == 3
    assert made.problems == ()
    with two.open("wb") as file:
        file.write(b'{"id": "simple_python_1", "ground_truth": [{"m.f": {}}]}\n{"id": \n')
    made = import_files([one, two])
    assert [c["id"] for c in made.cases] == ["simple_python_1"]
    assert {p.code for p in made.problems} == {"answer-missing", "not-json"}
    assert any(str(two) in str(p) for p in made.problems)
    with pytest.raises(InputError, match="no BFCL case"):
        import_files([two])
    with pytest.raises(InputError, match="cannot be read"):
        import_files([tmp_path / "nowhere.json"])


def test_the_impossible_golds_are_visible_in_their_cases() -> None:
    made = import_files([DATA / "bfcl_impossible.jsonl"])
    assert made.problems == ()
    cases = {c["id"]: Case.from_dict(c) for c in made.cases}
    calls = {name: case.calls[0] for name, case in cases.items()}  # type: ignore[index, misc, union-attr]
    assert calls["live_simple_106-63-0"].arguments["sort_key"] == {"$one_of": []}
    assert calls["live_simple_112-68-0"].arguments["formats"] == {"$one_of": []}
    schema = cases["live_multiple_862-181-3"].tools[0].schema  # type: ignore[index]
    assert set(calls["live_multiple_862-181-3"].arguments) - set(schema["properties"]) == {"has_garage"}
    schema = cases["live_multiple_964-207-0"].tools[0].schema  # type: ignore[index]
    assert set(schema["required"]) - set(calls["live_multiple_964-207-0"].arguments) == {"size"}


def test_the_lint_names_the_impossible_golds() -> None:
    cases = [Case.from_dict(c) for c in import_files([DATA / "bfcl_impossible.jsonl"]).cases]
    found = {f.case: (f.rule, f.at.rpartition(".")[2]) for f in lint(Cases(cases))}
    assert found == {
        "live_simple_106-63-0": ("gold/impossible", "sort_key"),
        "live_simple_112-68-0": ("gold/impossible", "formats"),
        "live_multiple_862-181-3": ("gold/undeclared-argument", "has_garage"),
        "live_multiple_964-207-0": ("gold/impossible", "arguments"),
    }


def test_every_row_of_the_data_becomes_a_case() -> None:
    made = import_files([DATA / "bfcl_small.jsonl.gz"])
    assert (len(made.cases), made.problems) == (298, ())
    for case in made.cases:
        Case.from_dict(case)


def test_a_function_without_a_name_is_said_to_be_none() -> None:
    made = imported({"id": "irrelevance_1", "function": {}})
    assert not made.cases
    assert "each function must have a name" in made.problems[0].message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["", "irrelevance_1", "simple_java_1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "function", "possible_answer", "ground_truth", "question", "category", "name", "parameters", "properties", "f", "$x"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(JSON, max_size=4), JSON)
def test_no_rows_raise(rows: list[Any], gold: Any) -> None:
    made = imported(*rows, row(gold if isinstance(gold, dict) else {"a": gold}, a={"type": "dict"}))
    for case in made.cases:
        json.dumps(case)
        Case.from_dict(case)
