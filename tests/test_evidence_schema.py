"""What a schema says about arguments: a named fault per keyword, whatever the dialect of the schema."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.schema import compile_schema, normalized, numeric_text, path_text, resolve, shown


def faults(schema: Any, arguments: Any) -> list[tuple[str, str]]:
    found = compile_schema(schema).faults(arguments)
    assert found is not None
    return [(f.rule, path_text(f.path)) for f in found]


def one(schema: Any, value: Any) -> list[str]:
    return [rule for rule, _ in faults({"type": "object", "properties": {"x": schema}}, {"x": value})]


@pytest.mark.parametrize(
    ("schema", "bad", "good", "rule"),
    [
        ({"type": "integer"}, "2", 2, "number-as-string"),
        ({"type": "number"}, "two", 2.5, "number-as-string"),
        ({"type": "integer"}, "many", 2.0, "wrong-type"),
        ({"type": "integer"}, True, 0, "wrong-type"),
        ({"type": "boolean"}, "False", False, "boolean-as-string"),
        ({"type": "string"}, 5, "5", "wrong-type"),
        ({"type": "string"}, None, "", "null-not-allowed"),
        ({"enum": ["a b", "c"]}, "A_B", "a b", "enum-case"),
        ({"enum": ["a", "b"]}, "z", "a", "enum-unknown"),
        ({"enum": ["a", "b"]}, None, "b", "null-not-allowed"),
        ({"enum": [1, 2]}, "1", 1, "number-as-string"),
        ({"const": "a"}, "b", "a", "enum-unknown"),
        ({"type": "string", "format": "date"}, "2026-2-3", "2026-02-03", "format"),
        ({"type": "string", "format": "email"}, "nobody", "a@b.example", "format"),
        ({"type": "string", "format": "uuid"}, "12", "123e4567-e89b-12d3-a456-426614174000", "format"),
        ({"type": "integer", "minimum": 1}, 0, 1, "range"),
        ({"type": "number", "exclusiveMaximum": 1}, 1, 0.9, "range"),
        ({"type": "integer", "multipleOf": 5}, 7, 10, "range"),
        ({"type": "string", "pattern": "^A-[0-9]+$"}, "A1", "A-1", "pattern"),
        ({"type": "string", "maxLength": 2}, "abc", "ab", "length"),
        ({"type": "array", "minItems": 1}, [], [1], "items"),
        ({"type": "array", "uniqueItems": True}, [1, 1], [1, 2], "items"),
        ({"not": {"type": "string"}}, "a", 1, "schema"),
    ],
)
def test_each_keyword_has_its_rule(schema: Any, bad: Any, good: Any, rule: str) -> None:
    assert one(schema, bad) == [rule]
    assert one(schema, good) == []


def test_a_nested_fault_is_reported_at_its_path() -> None:
    schema = {
        "type": "object",
        "properties": {
            "where": {"$ref": "#/$defs/place"},
            "legs": {"type": "array", "items": {"type": "object", "required": ["day"], "additionalProperties": False}},
        },
        "$defs": {"place": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["city"]}},
        "additionalProperties": False,
    }
    assert set(faults(schema, {"where": {"age": "2"}, "legs": [{"odd key": 1}], "z": 1})) == {
        ("missing-required", "where.city"),
        ("number-as-string", "where.age"),
        ("missing-required", "legs[0].day"),
        ("unknown-argument", 'legs[0]["odd key"]'),
        ("unknown-argument", "z"),
    }


def test_a_tool_without_arguments_takes_none() -> None:
    assert faults({"type": "object", "additionalProperties": False}, {"a": 1, "b": 2}) == [
        ("unknown-argument", "a"),
        ("unknown-argument", "b"),
    ]
    assert faults({"properties": {"a": False}}, {"a": 1}) == [("unknown-argument", "a")]


def test_a_union_is_reported_as_its_fitting_branch() -> None:
    nullable = {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]}
    assert one(nullable, None) == []
    assert one(nullable, "X") == ["enum-case"]
    assert one({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "4") == ["number-as-string"]
    assert one({"oneOf": [{"type": "string"}, {"type": "array"}]}, 4) == ["wrong-type"]
    assert one({"oneOf": [{"minimum": 1}, {"maximum": 9}]}, 4) == ["schema"]
    assert one({"anyOf": [{"enum": ["a"]}, {"const": "b"}]}, "c") == ["enum-unknown"]
    assert one({"anyOf": [{"minLength": 9}, {"pattern": "^z"}]}, "c") == ["schema"]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "dict", "properties": {"a": {"type": "float"}}}, {"a": 1.5}, {"a": "x"}),
        ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}, {"a": "x"}, {"a": 1}),
        ({"type": "object", "properties": {"a": {"type": "any"}}}, {"a": [1]}, None),
        ({"properties": {"a": {"type": "string", "nullable": True, "enum": ["x"]}}}, {"a": None}, {"a": "y"}),
        ({"properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}}, {"a": 2}, {"a": 1}),
        ({"properties": {"a": {"type": "tuple", "items": [{"type": "integer"}]}}}, {"a": [1]}, {"a": ["x"]}),
        ({"properties": {"a": {"type": "string", "required": True}}}, {"a": "x"}, {}),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "required": "a", "properties": 5}, {}, None),
        ({"properties": {"a": {"enum": [], "anyOf": [], "type": []}}}, {"a": 1}, None),
    ],
)
def test_schemas_of_other_dialects_are_understood(schema: Any, good: Any, bad: Any) -> None:
    before = copy.deepcopy(schema)
    compiled = compile_schema(schema)
    assert compiled.problem is None
    assert compiled.faults(good) == ()
    assert bad is None or compiled.faults(bad)
    assert schema == before


def test_an_unusable_schema_is_a_problem_of_the_schema() -> None:
    for schema in ({"properties": {"a": {"pattern": "(["}}}, {"$ref": "https://nowhere.example/x"}, 5, {"x": {1, 2}}):
        compiled = compile_schema(schema)
        assert compiled.problem
        assert compiled.faults({"a": 1}) is None


def test_arguments_that_cannot_be_checked_are_unknown() -> None:
    compiled = compile_schema({"type": "object", "required": ["z"]})
    deep: dict[str, Any] = {}
    at = deep
    for _ in range(3000):
        at["a"] = {}
        at = at["a"]
    assert compiled.faults(deep) is None
    assert compiled.faults({"a": "\ud800"}) is None


def test_a_date_time_without_offset_is_less_than_proof() -> None:
    compiled = compile_schema({"properties": {"a": {"type": "string", "format": "date-time"}}})
    grades = {v: compiled.faults({"a": v})[0].grade for v in ("2026-01-01T10:00:00", "noon")}  # type: ignore[index]
    assert grades == {"2026-01-01T10:00:00": "likely", "noon": "proof"}


def test_a_pattern_too_costly_to_try_is_no_fault() -> None:
    compiled = compile_schema({"properties": {"a": {"pattern": r"^(?=(a+)+$)(a+)+\1b$"}}})
    found = compiled.faults({"a": "a" * 60 + "!"})
    assert found is None or all(f.rule == "pattern" for f in found)


def test_resolve_follows_local_references_and_nullable_unions() -> None:
    root = {"$defs": {"a/b": {"type": "string"}}}
    assert resolve({"$ref": "#/$defs/a~1b", "description": "d"}, root) == {"type": "string", "description": "d"}
    assert resolve({"anyOf": [{"type": "integer"}, {"type": "null"}]}, root) == {"type": "integer"}
    assert resolve({"$ref": "#/$defs/none"}, root) == {}
    loop: dict[str, Any] = {"$ref": "#"}
    assert resolve({"$ref": "#/$defs/x"}, {"$defs": {"x": {"$ref": "#/$defs/x"}}}) == {}
    assert resolve(loop, loop) == loop
    assert resolve("text", root) == {}


def test_numbers_in_text() -> None:
    assert all(map(numeric_text, ["12", "-1.5", "1,200", " 7 ", "five", "1e3", "20%"]))
    assert not any(map(numeric_text, ["", "A1", "12 apples", "-", "2026-01-01"]))


def test_shown_values_are_short() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown("a" * 100, 10) == '"aaaaaaaa…'
    assert "deeply" in shown(deep)


def test_normalizing_stops_at_a_depth() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        schema = {"type": "object", "properties": {"a": schema}}
    assert compile_schema(schema).problem is None
    assert normalized(True) is True


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=5), x, max_size=3),
    max_leaves=8,
)


@given(json_values, st.dictionaries(st.text(max_size=3), json_values, max_size=3))
def test_any_schema_and_arguments_give_faults_or_a_problem(schema: Any, arguments: Any) -> None:
    compiled = compile_schema(schema)
    found = compiled.faults(arguments)
    assert (found is None) or all(f.message for f in found)


@given(st.integers())
def test_a_number_as_text_is_never_the_number(n: int) -> None:
    assert one({"type": "integer"}, str(n)) == ["number-as-string"]
    assert one({"type": "integer"}, n) == []
