"""No text and no value raises or hangs: what cannot be a case is one line each, and what is one can be linted and judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootcall.casefile import read_case, read_case_file
from rootcall.errors import CaseError
from rootcall.judging import verdict
from rootcall.lint import lint_case, unusable
from rootcall.trace import Trace

SLOW = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)

# ---- values

finite = st.floats(allow_nan=False, allow_infinity=False)
numbers = st.integers(-5, 70) | finite | st.just(10**400)
words = st.sampled_from(["", "a", "some", "2026-12-04", "next friday", "t[0].x", "^a", "(", "9" * 400])
leaves = st.none() | st.booleans() | st.integers() | finite | words | st.text(max_size=4)
matchers = st.sampled_from(
    [
        "$one_of",
        "$regex",
        "$range",
        "$approx",
        "$casefold",
        "$unordered",
        "$contains",
        "$date",
        "$instant",
        "$from",
        "$any",
        "$absent",
        "$not",
        "$says",
        "$judge",
        "$literal",
    ]
)


def _wild(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=3)
    return lists | st.dictionaries(words, inner, max_size=3) | st.builds(lambda n, v: {n: v}, matchers, inner | lists)


values = st.recursive(leaves, _wild, max_leaves=8)


def _single(name: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(lambda v: {name: v}, inner)


def _sound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=3)
    return (
        lists
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
        | st.one_of(*(_single(name, lists) for name in ("$one_of", "$unordered")))
        | st.one_of(*(_single(name, inner) for name in ("$not", "$contains", "$literal")))
    )


gold = st.recursive(
    leaves
    | _single("$range", st.tuples(numbers, numbers | st.none()).map(list))
    | _single("$approx", st.tuples(numbers | st.just({"$from": "t[0].x"}), st.floats(0, 3)).map(list))
    | _single("$date", st.sampled_from(["next friday", "the 31st of February", "0001-01-01", {"$from": "t[0].x"}]))
    | _single("$instant", st.sampled_from(["0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-09:00", "noon"]))
    | st.sampled_from([{"$any": True}, {"$absent": True}, {"$judge": "q"}, {"$regex": "^a$"}, {"$casefold": "aB"}]),
    _sound,
    max_leaves=6,
)

# ---- cases and the tools they are linted with

parts = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["integer", "number", "string", "array", "object", ["integer", "null"], "objekt", 3]),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMaximum", "multipleOf"), numbers),
        **{k: st.integers(0, 5) | leaves for k in ("minLength", "maxLength", "default", "const")},
        "enum": st.lists(leaves, max_size=3) | leaves,
        "format": st.sampled_from(["date", "date-time", 3]),
        "pattern": st.sampled_from(["^a", "(", 3]),
        "items": st.just({"type": "string"}) | leaves,
        "properties": st.just({"a": {"type": "integer"}}) | leaves,
        "required": st.lists(leaves, max_size=2) | leaves,
        "$ref": st.sampled_from(["#", "#/x", "#/properties/a", 3]),
        "anyOf": st.just([{"type": "null"}, {"type": "integer"}]) | leaves,
        "prefixItems": st.just([{"type": "integer"}]),
        "uniqueItems": st.booleans(),
    },
)
tools = values | st.builds(
    lambda properties, rest: [{"name": "t", "parameters": {"type": "object", "properties": properties, **rest}}],
    st.dictionaries(st.sampled_from("ab"), parts, max_size=2) | values,
    parts,
)
calls = st.lists(
    st.fixed_dictionaries(
        {"tool": st.sampled_from("tuv")},
        optional={"arguments": st.dictionaries(st.sampled_from("abc"), gold, max_size=3), "optional": st.booleans()},
    ),
    max_size=2,
)
sound = st.fixed_dictionaries(
    {
        "expect": st.fixed_dictionaries(
            {"calls": calls | st.just("some")},
            optional={
                "answer": st.lists(gold, max_size=2),
                "alternatives": st.lists(calls, max_size=2),
                "order": st.sampled_from(["any", "in_order", "strict"]),
                "extra": st.sampled_from(["reads", "allow", "forbid"]),
                "forbid": st.lists(st.sampled_from("tu")),
                "errors": st.just({"t": {"*": "ask", "4xx": ["retry"], "": "ask"}}),
            },
        ),
        "tools": tools,
    },
    optional={"reference_time": st.just("2026-11-30T09:00:00+09:00")},
)
keys = st.sampled_from(["calls", "alternatives", "forbid", "errors", "answer", "order", "extra", "goal"])
odd = st.fixed_dictionaries(
    {"expect": st.dictionaries(keys, values, max_size=4)},
    optional=dict.fromkeys(("id", "input", "reference_time", "tags", "tools", "must_pass", "metadata", "x\ny"), values),
)


@SLOW
@given(sound | odd | values, st.dictionaries(st.sampled_from("abc"), values, max_size=3), values)
def test_any_value_is_a_case_or_has_faults(data: Any, sent: dict[str, Any], result: Any) -> None:
    case, faults = read_case(data)
    assert (case is None) == bool(faults)
    assert not any("\n" in fault for fault in faults)
    if case is None:
        return
    for fault in lint_case(case):
        json.dumps(fault.to_dict())
    unusable(case, None)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "next friday"}]
    for i, tool in enumerate("tu"):
        function = {"name": tool, "arguments": json.dumps(sent)}
        messages.append({"role": "assistant", "tool_calls": [{"id": str(i), "function": function}]})
        messages.append({"role": "tool", "tool_call_id": str(i), "content": json.dumps(result)})
    messages.append({"role": "assistant", "content": "It is 3, said a."})
    verdict(case.fill(Trace.from_openai(messages)), case)


pieces = st.sampled_from(
    [
        "- {id: a, expect: {calls: []}}\n",
        "id: b\n",
        "expect:\n",
        "  calls:\n",
        "    - tool: t\n",
        "&a ",
        "*a ",
        "<<: ",
        "!!int ",
        "!!set ",
        "!x ",
        "!<x>",
        "!%zz ",
        "? ",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "'",
        '"',
        "\\u",
        "\\ud800",
        "|\n",
        "\\UFFFFFFFF",
        "%YAML 99999.1\n",
        "%TAG ! x\n",
        "---\n",
        "...\n",
        "#",
        "\t",
        "  ",
        "\x00",
        "\ufeff",
        "1e999",
        "\n",
        "{'expect': {'calls': []}}\n".replace("'", '"'),
        "[" * 600,
        "9" * 5000,
        "\u2028",
        "\x85",
    ]
)


@SLOW
@given(st.lists(pieces | st.text(max_size=3), max_size=14).map("".join), st.sampled_from(["yaml", "json", "jsonl"]))
def test_any_text_is_cases_or_one_line_each(tmp_path: Path, text: str, kind: str) -> None:
    path = tmp_path / f"c.{kind}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        _, faults = read_case_file(path)
    except CaseError as error:
        faults = str(error).splitlines()[:1]
    assert not any("\n" in fault for fault in faults)
