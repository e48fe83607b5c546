"""BFCL's checker reproduced: every quirk in both directions, and the rows with the official verdict beside them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.bfcl.checker import STOPPED, Result, check
from rootcall.jsonvalue import MISSING

DATA = Path(__file__).parent / "data"
ROWS = [json.loads(line) for line in gzip.decompress((DATA / "bfcl_small.jsonl.gz").read_bytes()).splitlines()]


def function(name: str = "f", required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"name": name, "parameters": {"type": "dict", "properties": properties, "required": list(required)}}


def one(kind: str, gold: list[Any], sent: Any, category: str = "simple_python", **schema: Any) -> str | None:
    """The error type for one argument `a`; None when it is valid."""
    specs = [function(a={"type": kind, **schema})]
    return check(specs, [{"f": {"a": gold}}], [{"f": {"a": sent}}], category).error_type


def members(kind: str) -> dict[str, Any]:
    return {"items": {"type": kind}}


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r["id"])
def test_the_official_verdict_and_error_type(row: dict[str, Any]) -> None:
    underscores = row["name_dots_as_underscores"]
    found = check(
        row["function"], row["possible_answer"], row["model_output"], row["category"], dots_as_underscores=underscores
    )
    assert (found.valid, found.error_type) == (row["official_valid"], row["official_error_type"])
    assert (found.message is None) == found.valid


# --- which rules ------------------------------------------------------------------------------------------------------

TWO = [function(a={"type": "integer"}), function("g", a={"type": "integer"})]
F1, G1 = {"f": {"a": 1}}, {"g": {"a": 1}}
GOLD = [{"f": {"a": [1]}}, {"g": {"a": [1]}}]


@pytest.mark.parametrize(
    ("category", "gold", "output", "error"),
    [
        ("simple_python", GOLD[:1], [F1], None),
        ("live_simple", GOLD[:1], [F1, F1], "simple_function_checker:wrong_count"),
        ("simple_python", GOLD[:1], [], "simple_function_checker:wrong_count"),
        ("live_multiple", GOLD[1:], [G1], None),
        ("multiple", GOLD[1:], [G1, G1], "multiple_function_checker:wrong_count"),
        ("multiple", GOLD[1:], [F1], "simple_function_checker:wrong_func_name"),
        ("parallel_multiple", GOLD, [G1, F1], None),
        ("parallel_multiple", GOLD, [G1], "parallel_function_checker_no_order:wrong_count"),
        ("live_parallel", GOLD, [G1, G1], "parallel_function_checker_no_order:cannot_find_match"),
        ("irrelevance", None, [], None),
        ("irrelevance", None, [{}], None),
        ("live_irrelevance", None, ["I cannot."], None),
        ("live_irrelevance", None, MISSING, None),
        ("irrelevance", None, [{"f": "a=1"}], None),
        ("irrelevance", None, [F1], "irrelevance_error:decoder_success"),
        ("live_relevance", None, [{"h": {"anything": "goes"}}], None),
        ("live_relevance", None, [], "relevance_error:decoder_failed"),
        ("live_relevance", None, MISSING, "relevance_error:decoder_failed"),
    ],
)
def test_the_category_tells_the_rules_by_what_it_contains(
    category: str, gold: Any, output: Any, error: str | None
) -> None:
    assert check(TWO, gold, output, category).error_type == error


@pytest.mark.parametrize(
    "output",
    ["f(a=1)", None, {"f": {"a": 1}}, [["f", {}]], ["f(a=1)"], [{"f": '{"a": 1}'}], [{"f": {}, "g": {}}], [{}]],
)
def test_what_is_not_call_shaped_is_of_the_wrong_format(output: Any) -> None:
    assert check(TWO, GOLD[:1], output, "simple_python").error_type == "ast_decoder:decoder_wrong_output_format"


def test_what_could_not_be_decoded_is_said() -> None:
    assert check(TWO, GOLD[:1], MISSING, "simple_python").error_type == "ast_decoder:decoder_failed"


def test_dots_are_underscores_only_for_models_that_are_offered_them_so() -> None:
    specs, gold = [function("m.f.g", a={"type": "integer"})], [{"m.f.g": {"a": [1]}}]
    for name, underscores, error in (
        ("m.f.g", False, None),
        ("m_f_g", True, None),
        ("m_f_g", False, "simple_function_checker:wrong_func_name"),
        ("m.f.g", True, "simple_function_checker:wrong_func_name"),
    ):
        found = check(specs, gold, [{name: {"a": 1}}], "parallel" if error is None else "simple", dots_as_underscores=underscores)  # fmt: skip
        assert found.error_type == error, name


def test_the_first_error_of_a_call_ends_it() -> None:
    specs = [
        function("f", ("a", "b"), a={"type": "integer"}, b={"type": "string"}, c={"type": "string"}, d={"type": "any"})
    ]
    gold = [{"f": {"a": [1], "b": ["x"], "c": ["y", ""]}}]

    def error(name: str = "f", **sent: Any) -> str | None:
        return check(specs, gold, [{name: sent}], "simple").error_type

    assert error("g", a="?") == "simple_function_checker:wrong_func_name"
    assert error(a="?", zz=1) == "simple_function_checker:missing_required"
    assert error(zz=1, a="?", b="x") == "simple_function_checker:unexpected_param"
    assert error(a="?", b="x", zz=1) == "type_error:simple"
    assert error(a=1, b="z", zz=1) == "value_error:string"
    assert error(a=1, b="x", d="in the schema, not in the gold") == "simple_function_checker:unexpected_param"
    assert error(a=1, b="x") is None


def test_a_parameter_may_be_left_out_where_an_empty_text_is_among_its_values() -> None:
    specs = [function(a={"type": "integer"}, b={"type": "string", "default": "cm"})]
    assert check(specs, [{"f": {"a": [1, ""], "b": ["m", ""]}}], [{"f": {}}], "simple").valid
    found = check(specs, [{"f": {"a": [1], "b": ["m", ""]}}], [{"f": {}}], "simple")
    assert found.error_type == "simple_function_checker:missing_optional"


def test_the_mark_for_leaving_out_is_a_value_of_texts_too() -> None:
    assert one("string", ["cm", ""], "") is None
    assert one("string", ["cm", ""], " . ") is None, "nothing is left of it"
    assert one("string", ["cm"], "") == "value_error:string"
    assert one("integer", [5, ""], "") == "type_error:simple"
    assert one("array", [[1], ""], [], **members("integer")) is None
    assert one("array", [[1]], [], **members("integer")) == "value_error:list/tuple"


def test_a_declared_default_is_refused_unless_the_gold_lists_it() -> None:
    assert one("integer", [""], 10, default=10) == "value_error:others"
    assert one("integer", [10, ""], 10, default=10) is None


def test_null_is_right_only_where_the_gold_lists_it() -> None:
    assert one("integer", [5, ""], None) == "type_error:simple"
    assert one("integer", [None, 5], None) is None
    assert one("string", ["x", None], None) == "type_error:simple", "only the first option tells another type"


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "gold", "sent", "error"),
    [
        ("integer", [5], 5, None),
        ("integer", [5], 5.0, "type_error:simple"),
        ("integer", [5], "5", "type_error:simple"),
        ("integer", [1], True, "type_error:simple"),
        ("boolean", [True], 1, "type_error:simple"),
        ("boolean", [True], "true", "type_error:simple"),
        ("float", [5.0], 5, None),
        ("float", [5], 5, None),
        ("float", [5.0], "5.0", "type_error:simple"),
        ("float", [0.3], 0.1 + 0.2, "value_error:others"),
        ("any", ["x"], "X", None),
        ("any", [5], 5, None),
        ("any", [5], "5", "value_error:others"),
        ("any", ["x"], 5, "type_error:simple"),
        ("number", [5], 5, STOPPED),
        ("object", [{}], {}, STOPPED),
    ],
)
def test_types_are_exact(kind: str, gold: list[Any], sent: Any, error: str | None) -> None:
    assert one(kind, gold, sent) == error


def test_an_int_is_a_float_at_the_top_level_only() -> None:
    assert one("array", [[1.0, 2.0]], [1, 2], **members("float")) == "type_error:nested"
    assert one("array", [[1, 2]], [1, 2], **members("float")) is None, "the type of the gold's first member will do"
    assert one("array", [[[1.0]]], [[1]], **members("array")) is None, "what is deeper is compared by =="
    assert one("dict", [{"k": [1.0]}], {"k": 1}) is None
    assert one("dict", [{"k": [1]}], {"k": True}) is None
    assert one("dict", [{"k": [1]}], {"k": 2}) == "value_error:dict_value"


def test_a_gold_of_another_type_than_the_schema_is_a_variable_compared_exactly() -> None:
    assert one("integer", ["page_size"], "page_size") is None
    assert one("integer", ["page_size"], "Page_Size") == "value_error:others"
    assert one("integer", ["page_size"], 5) == "value_error:others"
    assert one("array", ["durations"], "durations", **members("any")) is None
    assert one("array", ["durations"], ["x"], **members("any")) == "value_error:others"
    assert one("dict", ["options"], "options") is None
    assert one("dict", ["options"], "OPTIONS") == "value_error:others"


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "sent", "valid"),
    [
        ("San Francisco, CA", "san francisco ca", True),
        ("1.5", "15", True),
        ("-5", "5", True),
        ("2023-1-11", "2023-11-1", True),
        ("2024-05-01", "2024/05/01", True),
        ("a_b*c^d", "ABCD", True),
        ("it's", 'IT"S', True),
        ("2024-05-01", "May 1, 2024", False),
        ("2024-05-01", "2024-05-01T00:00:00", False),
        ("a b", "a\tb", False),
        ("a b", "a\nb", False),
        ("hi", "hi!", False),
        ("café", "cafe", False),
        ("caf\u00e9", "cafe\u0301", False),
        ("a:b", "ab", False),
    ],
)
def test_texts_lose_case_space_and_some_marks_and_no_others(gold: str, sent: str, valid: bool) -> None:
    assert one("string", [gold], sent) == (None if valid else "value_error:string")
    assert one("array", [[gold]], [sent], **members("string")) == (None if valid else "value_error:list/tuple")
    assert one("dict", [{"k": [gold]}], {"k": sent}) == (None if valid else "value_error:dict_value")


def test_lists_keep_their_order_and_are_folded_one_level_deep() -> None:
    assert one("array", [["a", "b"]], ["A", "B."], **members("string")) is None
    assert one("array", [["a", "b"]], ["b", "a"], **members("string")) == "value_error:list/tuple"
    assert one("array", [["a", "b"], ["b", "a"]], ["b", "a"], **members("string")) is None
    assert one("array", [["a", "b"]], ["a"], **members("string")) == "value_error:list/tuple"
    assert one("array", [[["a"]]], [["A"]], **members("array")) == "value_error:list/tuple"
    assert one("array", [[["a"]]], [["a"]], **members("array")) is None
    assert one("array", [["a"]], "a", **members("string")) == "type_error:simple"


def test_a_tuple_is_no_list_and_a_list_is_a_tuple() -> None:
    assert one("array", [[1, 2]], (1, 2), **members("integer")) == "type_error:simple"
    assert one("tuple", [[1, 2]], (1, 2), **members("integer")) is None
    assert one("tuple", [[1, 2]], [1, 2], **members("integer")) is None


def test_objects_are_checked_one_level_deep() -> None:
    gold = [{"city": ["Paris"], "size": [5, ""], "in": [{"k": "v"}, ""]}]
    assert one("dict", gold, {"city": "PARIS"}) is None
    assert one("dict", gold, {"city": "Paris", "size": 5, "in": {"k": "v"}}) is None
    assert one("dict", gold, {"city": "Paris", "in": {"k": "V"}}) == "value_error:dict_value", "deeper is as it is"
    assert one("dict", gold, {"city": "Paris", "zz": 1}) == "value_error:dict_key"
    assert one("dict", gold, {"size": 5}) == "value_error:dict_key"
    assert one("dict", gold, {"city": "Rome"}) == "value_error:dict_value"
    assert one("dict", gold, {"size": 6}) == "value_error:dict_key", "what is missing is told last"
    assert one("dict", [{"k": [1]}, {"l": [1]}], {"k": 1}) is None
    assert one("dict", [{"k": [1]}, {"l": [1]}], {"k": 2}) == "value_error:dict_key", "the last option tells the error"


def test_an_empty_object_where_nothing_is_expected_is_unclear() -> None:
    assert one("dict", [""], {}) == "dict_checker:unclear"
    assert one("dict", [{"k": ["", 1]}, ""], {}) is None


def test_lists_of_objects_pair_by_position() -> None:
    gold = [[{"k": ["a"]}, {"k": ["b"]}]]
    assert one("array", gold, [{"k": "A"}, {"k": "B"}], **members("dict")) is None
    assert one("array", gold, [{"k": "b"}, {"k": "a"}], **members("dict")) == "value_error:dict_value"
    assert one("array", gold, [{"k": "a"}], **members("dict")) == "value_error:list_dict_count"
    assert one("array", gold, [{"k": "a"}, {}], **members("dict")) == "value_error:dict_key"
    assert one("array", gold, ["a", "b"], **members("dict")) == "type_error:nested"
    assert one("array", [*gold, ""], [], **members("dict")) is None


def test_parallel_calls_take_the_first_fit_and_not_the_best() -> None:
    specs = [function(a={"type": "integer"})]
    gold = [{"f": {"a": [1, 2]}}, {"f": {"a": [1]}}]
    first, second = {"f": {"a": 1}}, {"f": {"a": 2}}
    assert check(specs, gold, [second, first], "parallel").valid
    wrong = check(specs, gold, [first, second], "parallel")
    assert wrong.error_type == "parallel_function_checker_no_order:cannot_find_match"


# --- Java and JavaScript ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "gold", "sent", "error", "more"),
    [
        ("integer", [5], "5", None, {}),
        ("integer", [5], 5, "type_error:java", {}),
        ("integer", [5], "5L", "type_error:simple", {}),
        ("long", [5], "5L", None, {}),
        ("long", [5], "5", "type_error:simple", {}),
        ("float", [2.5], "2.5f", None, {}),
        ("float", [2.5], "2.5", "type_error:simple", {}),
        ("double", [2.5], "2.5", None, {}),
        ("double", [2.5], "2.5f", "type_error:simple", {}),
        ("boolean", [True], "true", None, {}),
        ("boolean", [True], "True", "type_error:simple", {}),
        ("char", ["'c'"], "'c'", None, {}),
        ("String", ["x"], "X", None, {}),
        ("String", ['"x"'], "x", "value_error:string", {}),
        ("any", ["5"], "5", None, {}),
        ("any", [5], "5", "value_error:others", {}),
        ("Array", [[1, 2]], "new int[]{1, 2}", None, members("integer")),
        ("Array", [[1, 2]], "[1, 2]", "type_error:simple", members("integer")),
        ("Array", [["a"]], 'new String[]{"a"}', "value_error:list/tuple", members("String")),
        ("ArrayList", [["a", "b"]], 'new ArrayList<>(Arrays.asList("a", "b"))', None, members("String")),
        ("ArrayList", [[1]], "new ArrayList<Integer>() {{ add(1); }}", None, members("integer")),
        ("HashMap", [{"k": [1]}], 'new HashMap<String, Object>() {{ put("k", 1); }}', None, {}),
        ("HashMap", [{"k": [1]}], '{"k": 1}', "type_error:simple", {}),
        ("HashMap", ["params"], "params", None, {}),
        ("integer", ["Level.HIGH"], "Level.HIGH", None, {}),
        ("integer", ["Level.HIGH"], "level.high", "value_error:others", {}),
        ("Set", [[1]], "new HashSet<>()", STOPPED, members("integer")),
        ("Hashtable", [{}], "new Hashtable<>()", STOPPED, {}),
        ("Queue", [[]], "x", STOPPED, {}),
        ("Stack", [[]], "x", STOPPED, {}),
    ],
)
def test_java_values_come_as_texts(kind: str, gold: Any, sent: Any, error: str | None, more: dict[str, Any]) -> None:
    assert one(kind, gold, sent, "simple_java", **more) == error


@pytest.mark.parametrize(
    ("kind", "gold", "sent", "error", "more"),
    [
        ("integer", [5], "5", None, {}),
        ("integer", [5], 5, "type_error:js", {}),
        ("float", [2.5], "2.5", None, {}),
        ("float", [2.0], "2e0", "type_error:simple", {}),
        ("Bigint", [5], "5n", None, {}),
        ("Bigint", [5], "5", "type_error:simple", {}),
        ("Boolean", [False], "false", None, {}),
        ("Boolean", [False], "False", "type_error:simple", {}),
        ("String", ["x"], "'x'", None, {}),
        ("String", ["x"], "x", None, {}),
        ("any", ["x"], "'x'", "value_error:string", {}),
        ("array", [[1, 2]], "[1, 2]", None, members("integer")),
        ("array", [["a", "b"]], "['a', \"b\"]", None, members("String")),
        ("array", [[1, 2]], "new Array(1, 2)", None, members("integer")),
        ("array", [[[1], [2]]], "[[1], [2]]", None, members("array")),
        ("array", [[1, 2]], "1, 2", "type_error:simple", members("integer")),
        ("dict", [{"a": [1], "b": ["x"]}], "{a: 1, 'b': \"x\"}", None, {}),
        ("dict", [{"a": [[1, 2]]}], "{a: [1, 2]}", None, {}),
        ("dict", [{"a": [1]}], "a: 1", "type_error:simple", {}),
        ("array", ["items"], "items", None, members("String")),
    ],
)
def test_javascript_values_come_as_texts(
    kind: str, gold: Any, sent: Any, error: str | None, more: dict[str, Any]
) -> None:
    assert one(kind, gold, sent, "simple_javascript", **more) == error


# --- golds that nothing meets, and input of any kind ------------------------------------------------------------------


@pytest.mark.parametrize("index", range(4))
def test_the_impossible_golds_refuse_what_they_seem_to_ask_for(index: int) -> None:
    row = json.loads((DATA / "bfcl_impossible.jsonl").read_text().splitlines()[index])
    name, gold = next(iter(row["possible_answer"][0].items()))
    sent = {k: v[0] if v else ("x" if k == "sort_key" else ["pdf"]) for k, v in gold.items()}
    wanted = (
        "value_error:string", "type_error:simple", "simple_function_checker:unexpected_param",
        "simple_function_checker:missing_required",
    )  # fmt: skip
    assert check(row["function"], row["possible_answer"], [{name: sent}], row["category"]).error_type == wanted[index]
    if index >= 2:
        schema = next(f for f in row["function"] if f["name"] == name)["parameters"]
        legal = {k: sent.get(k, 5) for k in schema["properties"]}
        assert not check(row["function"], row["possible_answer"], [{name: legal}], row["category"]).valid


@pytest.mark.parametrize(
    ("functions", "gold"),
    [
        ([], [{"f": {}}]), (None, [{"f": {}}]), ([{}], [{"f": {}}]), ([function()], None), ([function()], [None]),
        ([function()], [{}]), ([function()], [{"f": []}]), ([{"name": "f", "parameters": {"properties": {}}}], [{"f": {}}]),
        ([function(a={})], [{"f": {"a": [1]}}]), ([function(a=5)], [{"f": {"a": [1]}}]),
        ([function(a={"type": "array"})], [{"f": {"a": [[1]]}}]), ([function(a={"type": "integer"})], [{"f": {"a": 1}}]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("category", ["simple", "multiple", "parallel"])
def test_where_the_official_checker_stops_that_is_the_error(functions: Any, gold: Any, category: str) -> None:
    found = check(functions, gold, [{"f": {"a": 1}}], category)
    assert found.error_type == STOPPED
    assert found.message is not None
    assert found.message.startswith("the official checker stops: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["", "f", "a", "integer"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["f", "a", "type", "items", "name", "parameters", "properties", "required"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
CATEGORIES = st.sampled_from(
    [
        "simple_python",
        "simple_java",
        "simple_javascript",
        "multiple",
        "live_parallel",
        "irrelevance",
        "live_relevance",
        "?",
    ]
)
KINDS = st.sampled_from(
    ["integer", "float", "array", "tuple", "dict", "any", "Array", "ArrayList", "HashMap", "Bigint", "long", "Set"]
)


@given(JSON, JSON, JSON, CATEGORIES, st.booleans())
def test_no_json_raises(functions: Any, gold: Any, output: Any, category: str, underscores: bool) -> None:
    found = check(functions, gold, output, category, dots_as_underscores=underscores)
    assert isinstance(found, Result)
    assert found.valid == (found.error_type is None)


@given(KINDS, KINDS, st.lists(JSON, max_size=3), JSON | st.text("[]{}()'\",:;1aLfn newArayLisHpadput<>\n"), CATEGORIES)
def test_no_value_raises(kind: str, inner: str, gold: list[Any], sent: Any, category: str) -> None:
    specs = [function(a={"type": kind, "items": {"type": inner}})]
    check(specs, [{"f": {"a": gold}}], [{"f": {"a": sent}}], category)


@pytest.mark.parametrize("text", ["[[" + "1],[" * 3000, "[[" + "],[" * 3000 + "x", "{" + "a:" * 4000, "new HashMap<" * 700, "new ArrayList<>(Arrays.asList(" * 300, " " * 9000])  # fmt: skip
def test_a_long_text_takes_no_time(text: str) -> None:
    for category, kind in (("simple_javascript", "array"), ("simple_javascript", "dict"), ("simple_java", "HashMap"), ("simple_java", "ArrayList")):  # fmt: skip
        assert one(kind, ["x"], text, category, **members("any")) is not None


def test_a_value_nested_too_deeply_is_said() -> None:
    deep: Any = []
    other: Any = []
    for _ in range(100_000):
        deep, other = [deep], [other]
    assert one("array", [other], deep, **members("array")) == STOPPED
