"""The quick checks: what was called, what was said, and messages of other shapes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.errors import ScorerError, ScorerRunError
from rootcall.mastra import Scorer, checks, create_test_message


def invocation(name: str, state: str = "result", **more: Any) -> dict[str, Any]:
    return {"type": "tool-invocation", "toolInvocation": {"toolName": name, "args": {}, "state": state, **more}}


def calls(*invocations: Any) -> list[dict[str, Any]]:
    return [create_test_message("", "assistant", parts=[*invocations])]


def named(names: str) -> list[dict[str, Any]]:
    return calls(*[invocation(name) for name in names])


def score(check: Scorer, output: Any) -> float:
    return float(check.run_sync({"output": output}).score)


def said(*texts: str) -> list[dict[str, Any]]:
    return [create_test_message("hello", "user"), *[create_test_message(text, "assistant") for text in texts]]


# --- what was called --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "names", "passes"),
    [
        (checks.called_tool("a"), "ba", True),
        (checks.called_tool("a"), "b", False),
        (checks.called_tool("a", times=2), "aba", True),
        (checks.called_tool("a", times=2), "ab", False),
        (checks.called_tool("a", times=0), "", True),
        (checks.did_not_call("a"), "b", True),
        (checks.did_not_call("a"), "ba", False),
        (checks.tool_order(["a", "b"]), "axb", True),
        (checks.tool_order(["a", "b"]), "bab", True),
        (checks.tool_order(["a", "a"]), "aba", True),
        (checks.tool_order(["a", "a"]), "ab", False),
        (checks.tool_order(["a", "b"]), "ba", False),
        (checks.tool_order([]), "", True),
        (checks.max_tool_calls(2), "ab", True),
        (checks.max_tool_calls(1), "ab", False),
        (checks.used_no_tools(), "", True),
        (checks.used_no_tools(), "a", False),
    ],
)
def test_checks_over_calls(check: Scorer, names: str, passes: bool) -> None:
    assert score(check, named(names)) == float(passes)


@pytest.mark.parametrize("state", ["approval-requested", "approval-responded", "output-denied", "partial-call", "new"])
def test_a_call_that_waits_or_was_refused_is_no_call(state: str) -> None:
    output = calls(invocation("pay", state))
    assert score(checks.called_tool("pay"), output) == 0.0
    assert [score(check, output) for check in (checks.did_not_call("pay"), checks.used_no_tools())] == [1.0, 1.0]
    found = checks.no_tool_errors().run_sync({"output": output})
    assert found.preprocess_step_result == {"errorCount": 0, "totalCalls": 1, "passed": True}


@pytest.mark.parametrize(
    ("call", "fails"),
    [
        (invocation("a", "call"), True),  # it never came back
        (invocation("a", "output-error", errorText="400"), True),
        (invocation("a", result="no", isError=True), True),
        (invocation("a", result="no", isError="true"), False),
        (invocation("a", result={"error": "no"}), True),
        (invocation("a", result={"error": ""}), False),
        (invocation("a", result={"error": None}), False),
        (invocation("a", result={"status": 400, "message": "bad date"}), False),
        (invocation("a", result=None), False),
        (invocation("a", result="error"), False),
        (invocation("a"), False),
    ],
)
def test_what_is_an_error(call: dict[str, Any], fails: bool) -> None:
    assert score(checks.no_tool_errors(), calls(call, invocation("b"))) == float(not fails)


def test_what_a_check_found_stands_in_its_result() -> None:
    output = named("aba")
    assert checks.called_tool("a", 2).run_sync({"output": output}).to_dict()["preprocessStepResult"] == {
        "toolName": "a", "expectedTimes": 2, "actualCount": 2, "passed": True,
    }  # fmt: skip
    assert checks.tool_order(["b"]).run_sync({"output": output}).preprocess_step_result == {
        "actualTools": ["a", "b", "a"], "expectedOrder": ["b"], "passed": True,
    }  # fmt: skip
    assert checks.similarity("x", 0.5).run_sync({"output": []}).preprocess_step_result == {
        "output": "", "target": "x", "score": 0.0, "threshold": 0.5,
    }  # fmt: skip


def test_the_ids_are_those_of_the_original() -> None:
    made = [
        checks.called_tool("a"), checks.did_not_call("a"), checks.tool_order(["a"]), checks.max_tool_calls(1),
        checks.used_no_tools(), checks.no_tool_errors(), checks.includes("a"), checks.excludes("a"), checks.equals("a"),
        checks.matches("a"), checks.similarity("a"),
    ]  # fmt: skip
    assert [check.id.removeprefix("check-") for check in made] == [
        "called-tool", "did-not-call", "tool-order", "max-tool-calls", "used-no-tools", "no-tool-errors", "includes",
        "excludes", "equals", "matches", "similarity",
    ]  # fmt: skip


# --- what was said ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "texts", "passes"),
    [
        (checks.includes("SUNNY"), ["It is sunny."], True),
        (checks.includes("SUNNY", ignore_case=False), ["It is sunny."], False),
        (checks.includes("a b"), ["a", "b"], True),  # messages are joined by a space
        (checks.includes("hello"), ["no"], False),  # what the user said is not looked at
        (checks.includes("É"), ["é"], True),
        (checks.includes("é"), ["e\u0301"], False),
        (checks.includes(""), [], True),
        (checks.excludes("error"), ["all well"], True),
        (checks.excludes("ERROR"), ["an error"], False),
        (checks.equals("ab"), ["a", "B"], True),  # joined by nothing
        (checks.equals("a b"), ["a", "b"], False),
        (checks.equals("ab", ignore_case=False), ["aB"], False),
        (checks.matches(r"\d+ °C"), ["it is 21 °C now"], True),
        (checks.matches(r"\d+ °C", exact=True), ["it is 21 °C now"], False),
        (checks.matches(r"\d+ °C", exact=True), ["21 °C"], True),
        (checks.matches("a", exact=True), ["a\n"], False),
        (checks.matches("a|b", exact=True), ["axx"], True),  # the original brackets nothing
        (checks.matches(re.compile("SUNNY", re.IGNORECASE)), ["sunny"], True),
        (checks.matches(re.compile("^b$", re.MULTILINE), exact=True), ["a\nb\nc"], True),
    ],
)
def test_checks_over_texts(check: Scorer, texts: list[str], passes: bool) -> None:
    assert score(check, said(*texts)) == float(passes)


def test_half_a_character_stands_in_the_whole() -> None:
    assert score(checks.includes("\ud83d"), said("😀")) == 1.0
    assert score(checks.equals("\ud83d\ude00"), said("😀")) == 1.0


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("a", "/a/"),
        (re.compile("a", re.IGNORECASE | re.DOTALL | re.MULTILINE), "/a/ims"),
        ("", "/(?:)/"),
        ("a/\\/[/]\n", r"/a\/\/[/]\n/"),
    ],
)
def test_a_pattern_is_shown_with_its_flags(pattern: Any, shown: str) -> None:
    assert checks.matches(pattern).run_sync({"output": []}).preprocess_step_result["pattern"] == shown


def test_a_pattern_that_is_none_is_named() -> None:
    with pytest.raises(ScorerError, match=r"'\(' is no regular expression"):
        checks.matches("(")


@pytest.mark.parametrize(
    ("expected", "text", "likeness"),
    [
        ("night", "nacht", 0.25),
        ("The quick", "the  QUICK", 1.0),
        ("a\u00a0b", "a\ufeffb", 1.0),
        ("aaaa", "aa", 0.5),
        ("a", "b", 0.0),
        ("a", "a", 1.0),
        ("", "", 1.0),
        ("", "ab", 0.0),
        ("😀", "😁", 0.0),
        ("😀a", "😀b", 0.5),
    ],
)
def test_likeness(expected: str, text: str, likeness: float) -> None:
    assert score(checks.similarity(expected), said(text)) == likeness
    assert score(checks.similarity(text), said(expected)) == likeness


def test_a_threshold_decides() -> None:
    assert score(checks.similarity("night", 0.25), said("nacht")) == 1.0
    assert score(checks.similarity("night", 0.26), said("nacht")) == 0.0
    assert score(checks.similarity("NIGHT", ignore_case=False), said("night")) == 0.0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ({"content": "kept", "parts": [{"type": "text", "text": "part"}]}, "kept"),
        ({"content": "", "text": "beside"}, "beside"),
        ({"parts": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}, "two"),
        ([{"type": "text", "text": "one"}, {"type": "image"}], "one"),
        ({"parts": [{"type": "text"}]}, ""),
        ({"parts": [{"type": "text", "text": 5}]}, "5"),
        ({"parts": "parts"}, ""),
        (None, ""),
        (5, ""),
    ],
)
def test_what_a_message_says(content: Any, text: str) -> None:
    output = [{"role": "assistant", "content": content}]
    assert checks.equals(text).run_sync({"output": output}).preprocess_step_result["output"] == text


# --- messages of other shapes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "over_calls", "errors", "over_texts"),
    [
        (None, False, False, False),
        ({}, True, False, False),
        ("text", True, True, False),
        (5, True, False, False),
        ([None], True, True, False),
        (["text", 5], True, True, True),
        ([{"role": "assistant", "content": {"parts": [None]}}], False, False, False),
        ([{"role": "assistant", "content": {"parts": {}}}], False, False, True),
        ([{"role": "user", "content": {"parts": "", "toolInvocations": 0}}], False, False, True),
    ],
)
def test_what_can_be_read(output: Any, over_calls: bool, errors: bool, over_texts: bool) -> None:
    for check, readable in (
        (checks.used_no_tools(), over_calls),
        (checks.no_tool_errors(), errors),
        (checks.includes("a"), over_texts),
    ):
        try:
            check.run_sync({"output": output})
        except ScorerRunError as error:
            failed = error
        else:
            assert readable
            continue
        assert not readable
        assert failed.failed_step == "preprocess"


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", "a", "text", "assistant", "tool-invocation", "call"]),
    lambda v: (
        st.lists(v, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "parts", "type", "text", "toolInvocations", "toolInvocation", "result"]
            ),
            v,
        )
    ),
    max_leaves=15,
)


@given(ODD)
def test_any_output_is_judged_or_named(output: Any) -> None:
    for check in (checks.called_tool("a"), checks.tool_order(["a"]), checks.no_tool_errors(), checks.includes("a")):
        try:
            found = check.run_sync({"output": output}).score
        except ScorerRunError as error:
            cause = error.__cause__
        else:
            assert found in (0.0, 1.0)
            continue
        assert isinstance(cause, ScorerError)


@given(st.text(), st.text())
def test_likeness_is_a_share_and_goes_both_ways(a: str, b: str) -> None:
    one, other = score(checks.similarity(a), said(b)), score(checks.similarity(b), said(a))
    assert 0.0 <= one <= 1.0
    assert one == pytest.approx(other)
    assert score(checks.similarity(a), said(a)) == 1.0
