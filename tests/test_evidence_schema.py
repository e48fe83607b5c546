"""What a schema says about arguments: a named fault per keyword, whatever the dialect of the schema."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.evidence.schema import compile_schema, numeric_text, path_text, shown
from rootcall.evidence.schema_forms import normalized, resolve


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


DRAFT_4, DRAFT_7 = "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}, {"a": "x"}, {"a": 1}),
        ({"properties": {"a": {"type": "string", "nullable": True, "enum": ["x"]}}}, {"a": None}, {"a": "y"}),
        ({"properties": {"a": {"type": "string", "nullable": True}}}, {"a": None}, {"a": 1}),
        (
            {"properties": {"a": {"$ref": "#/$defs/n", "nullable": True}}, "$defs": {"n": {"type": "integer"}}},
            {"a": None},
            {"a": "x"},
        ),
        ({"properties": {"a": {"type": "string", "nullable": False}}}, {"a": "x"}, {"a": None}),
        ({"properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}}, {"a": 2}, {"a": 1}),
        ({"properties": {"a": {"items": [{"type": "integer"}]}}}, {"a": [1, "x"]}, {"a": ["x"]}),
        ({"properties": {"a": {"items": [{"type": "integer"}], "additionalItems": False}}}, {"a": [1]}, {"a": [1, 2]}),
        ({"$schema": DRAFT_7, "properties": {"a": {"items": [{"type": "integer"}]}}}, {"a": [1, "x"]}, {"a": ["x"]}),
        ({"$schema": DRAFT_4, "required": [], "properties": {"a": {"maximum": 1, "exclusiveMaximum": True}}}, {}, {"a": 1}),
        ({"$schema": "https://example.com/own", "properties": {"a": {"type": "string"}}}, {"a": "x"}, {"a": 1}),
        # Beside `$ref`, draft 7 sees nothing, 2020-12 sees all.
        (
            {"$schema": DRAFT_7, "properties": {"a": {"$ref": "#/definitions/t", "maxLength": 1}}, "definitions": {"t": {"type": "string"}}},
            {"a": "xyz"},
            {"a": 1},
        ),
        (
            {"properties": {"a": {"$ref": "#/definitions/t", "maxLength": 1}}, "definitions": {"t": {"type": "string"}}},
            {"a": "x"},
            {"a": "xyz"},
        ),
        (True, {"a": 1}, None),
        (False, None, {"a": 1}),
    ],
)  # fmt: skip
def test_schemas_of_other_drafts_and_openapi_are_understood(schema: Any, good: Any, bad: Any) -> None:
    before = copy.deepcopy(schema)
    compiled = compile_schema(schema)
    assert compiled.problem is None
    assert good is None or compiled.faults(good) == ()
    assert bad is None or compiled.faults(bad)
    assert schema == before


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "dict"}, """BFCL.*: "dict" at type is no type of JSON Schema; write "object\"$"""),
        ({"properties": {"a": {"type": "float"}, "b": {"type": "any"}}}, 'properties.a.type.*write "number", and 1 more'),
        ({"properties": {"a": {"anyOf": [{"type": "any"}]}}}, r"anyOf\[0\].type.*leave `type` out"),
        ({"type": ["string", 5]}, "type is a value of type integer"),
        ({"properties": {"a": {"type": []}}}, "empty list"),
        ({"required": "a"}, 'broken at required: "a" is not of type "array"'),
        ({"properties": {"a": {"type": "string", "required": True}}}, "required at properties.a is true; it is a list"),
        ({"properties": {"a": {"pattern": "(["}}}, "broken at properties.a.pattern"),
        ({"properties": {"a": {"$ref": "#/$defs/x"}}}, "at properties.a leads nowhere"),
        ({"properties": {"a": {"$ref": "#/x"}}, "x": {"type": "dict"}}, "#/x.type"),
        ({"$ref": "https://nowhere.example/x"}, "leads out of the schema"),
        ({"$ref": "#anchor"}, "broken"),
        ({"$id": "https://own.example/", "$ref": "there"}, "broken"),
        ({"properties": 5}, "broken at properties"),
        ({"properties": {"a": {"anyOf": []}}}, "anyOf"),
        (5, "an object is wanted, integer came"),
        (None, "an object is wanted, null came"),
        ({"x": {1, 2}}, "not JSON"),
    ],
)  # fmt: skip
def test_a_broken_schema_is_named_and_judges_nothing(schema: Any, said: str) -> None:
    compiled = compile_schema(schema)
    assert compiled.problem is not None
    assert re.search(said, compiled.problem), compiled.problem
    assert compiled.faults({"a": 1}) is None


def test_what_is_broken_is_still_read_for_what_it_says() -> None:
    read = normalized({"type": "dict", "properties": {"a": {"type": "float", "required": True}, "b": {"type": "any"}}})
    assert (read["type"], read["required"], read["properties"]["a"]["type"]) == ("object", ["a"], "number")
    assert "type" not in read["properties"]["b"]


@pytest.mark.parametrize(
    ("schema", "bad", "good", "found"),
    [
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, {"a": 1, "b": 2}, ("missing-required", "b")),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, {"a": 1, "b": 2}, ("missing-required", "b")),
        (
            {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
            {"a": 1, "c": 1},
            {"a": 2, "c": 1},
            ("missing-required", "b"),
        ),
        ({"if": {"required": ["a"]}, "then": False}, {"a": 1}, {"b": 1}, ("schema", "")),
        (
            {"properties": {"a": {"prefixItems": [{"type": "string"}], "items": False}}},
            {"a": ["x", 1]},
            {"a": ["x"]},
            ("items", "a[1]"),
        ),
        ({"properties": {"a": {"prefixItems": [{"type": "integer"}]}}}, {"a": ["1"]}, {"a": [1]}, ("number-as-string", "a[0]")),
        ({"properties": {"a": {"unevaluatedItems": False}}}, {"a": [1]}, {"a": []}, ("items", "a")),
        ({"properties": {"a": {"contains": {"const": 1}}}}, {"a": [2]}, {"a": [2, 1]}, ("items", "a")),
        ({"properties": {"a": {"contains": {"const": 1}, "maxContains": 1}}}, {"a": [1, 1]}, {"a": [1]}, ("items", "a")),
        (
            {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
            {"a": 1, "b": 2},
            {"a": 1},
            ("unknown-argument", "b"),
        ),
        ({"additionalProperties": {"type": "integer"}}, {"b": "x"}, {"b": 1}, ("wrong-type", "b")),
        ({"additionalProperties": False}, {"b": 1}, {}, ("unknown-argument", "b")),
        ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, {"a": 1}, ("schema", "b")),
        ({"properties": {"a": {"minProperties": 1}}}, {"a": {}}, {"a": {"x": 1}}, ("schema", "a")),
        ({"not": {"required": ["a"]}}, {"a": 1}, {"b": 1}, ("schema", "")),
        ({"allOf": [{"properties": {"a": {"type": "boolean"}}}]}, {"a": "true"}, {"a": True}, ("boolean-as-string", "a")),
        ({"properties": {"a": {"multipleOf": 0.01}}}, {"a": 0.075}, {"a": 0.07}, ("range", "a")),
        (
            {"properties": {"a": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}}},
            {"a": {"next": {"next": {"v": "x"}}}},
            {"a": {"next": {"next": {"v": 1}}}},
            ("wrong-type", "a.next.next.v"),
        ),
    ],
)  # fmt: skip
def test_what_2020_12_can_say(schema: Any, bad: Any, good: Any, found: tuple[str, str]) -> None:
    assert faults(schema, bad) == [found]
    assert faults(schema, good) == []


def test_of_a_union_of_objects_the_branch_that_fits_best_is_reported() -> None:
    card = {"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]}
    cash = {"properties": {"kind": {"const": "cash"}, "till": {"type": "integer"}}, "required": ["kind", "till"]}
    schema = {"properties": {"pay": {"oneOf": [card, cash]}}}
    assert faults(schema, {"pay": {"kind": "card", "till": 3}}) == [("missing-required", "pay.number")]
    assert faults(schema, {"pay": {"kind": "cash", "till": "3"}}) == [("number-as-string", "pay.till")]
    assert faults(schema, {"pay": {"kind": "barter"}}) == [("schema", "pay")]


def test_the_message_of_a_slip_names_the_value_that_was_meant() -> None:
    (found,) = compile_schema({"properties": {"hours": {"type": "integer"}}}).faults({"hours": "2"}) or ()
    assert found.message == 'hours: expected 2, got "2": text where the schema wants an integer'
    (found,) = compile_schema({"properties": {"on": {"type": "boolean"}}}).faults({"on": "False"}) or ()
    assert found.message == 'on: expected false, got "False": text where the schema wants a boolean'
    (found,) = compile_schema({"properties": {"n": {"type": "integer"}}}).faults({"n": "two"}) or ()
    assert found.message == 'n must be an integer, got the string "two"'


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


_WORDS = [
    "type", "properties", "required", "items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs", "$id",
    "$schema", "nullable", "enum", "const", "minimum", "exclusiveMinimum", "multipleOf", "pattern", "format", "minItems", "uniqueItems",
    "contains", "additionalProperties", "unevaluatedProperties", "dependentRequired", "dependencies", "propertyNames", "additionalItems",
]  # fmt: skip
_SCALARS = st.sampled_from(
    ["string", "integer", "object", "array", "null", "dict", "#", "#/$defs/a", "#/x", "a", "(", "^a", "date", DRAFT_4, DRAFT_7, 0, -1, 0.5, True, False, None]
)  # fmt: skip
schemas = st.recursive(
    _SCALARS,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from([*_WORDS, "a", "b"]), x, max_size=4),
    max_leaves=20,
)


@settings(max_examples=400, deadline=None)
@given(schemas, st.dictionaries(st.sampled_from("ab"), json_values, max_size=2))
def test_any_mixture_of_keywords_gives_faults_or_a_problem(schema: Any, arguments: Any) -> None:
    before = copy.deepcopy(schema)
    compiled = compile_schema(schema)
    found = compiled.faults(arguments)
    assert (found is None) == (compiled.problem is not None)
    assert all(f.message and path_text(f.path) is not None for f in found or ())
    assert schema == before
    normalized(schema)
