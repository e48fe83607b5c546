"""Mastra's quick checks: small scorers of 1 or 0 over what an agent called and what it said.

A run's `output` is a list of stored messages. This module owns the checks; which calls count belongs to
`rootcall.mastra.extraction`. Ids, results and odd cases are those of `@mastra/evals` 1.10.2, but `matches` takes a pattern of
Python. All checks made by one function have the same id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET

from rootcall.errors import ScorerError
from rootcall.mastra.coercion import SPACE, absent, elements, field, joined, objects
from rootcall.mastra.extraction import extract_tool_calls, walkable
from rootcall.mastra.javascript import same, truthy, units
from rootcall.mastra.scorer import Scorer, StepContext, create_scorer
from rootcall.readers.invocations import merged_invocations

__all__ = [
    "called_tool",
    "did_not_call",
    "equals",
    "excludes",
    "includes",
    "matches",
    "max_tool_calls",
    "no_tool_errors",
    "similarity",
    "tool_order",
    "used_no_tools",
]

Found = dict[str, Any]

_SPACES: Final = re.compile(f"[{SPACE}]+")
_PATTERN_PARTS: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|/", re.DOTALL)
_FLAGS: Final = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}


def called_tool(name: str, times: int = 1) -> Scorer:
    """Make the check `check-called-tool`: 1 when the tool was called so many times or more."""

    def look(context: StepContext) -> Found:
        count = _count(context, name)
        return {"toolName": name, "expectedTimes": times, "actualCount": count, "passed": count >= times}

    often = f" {times} times" if times > 1 else ""
    return _check("check-called-tool", "Called Tool Check", f"Whether {name} was called{often}", look)


def did_not_call(name: str) -> Scorer:
    """Make the check `check-did-not-call`: 1 when the tool was not called."""

    def look(context: StepContext) -> Found:
        count = _count(context, name)
        return {"toolName": name, "count": count, "passed": count == 0}

    return _check("check-did-not-call", "Did Not Call Check", f"Whether {name} was left alone", look)


def tool_order(expected_order: Sequence[str]) -> Scorer:
    """Make the check `check-tool-order`: 1 when the tools were called one after the other, with any calls in between.

    No tools at all are in order.
    """
    wanted = list(expected_order)

    def look(context: StepContext) -> Found:
        tools = _tools(context)
        place = 0
        for tool in tools:
            place += place < len(wanted) and same(tool, wanted[place])
        return {"actualTools": tools, "expectedOrder": wanted, "passed": place == len(wanted)}

    return _check(
        "check-tool-order", "Tool Order Check", f"Whether calls come in the order {joined(wanted, ', ')}", look
    )


def max_tool_calls(maximum: int) -> Scorer:
    """Make the check `check-max-tool-calls`: 1 when there are no more calls than that."""

    def look(context: StepContext) -> Found:
        count = len(_tools(context))
        return {"count": count, "max": maximum, "passed": count <= maximum}

    return _check("check-max-tool-calls", "Max Tool Calls Check", f"Whether there are at most {maximum} calls", look)


def used_no_tools() -> Scorer:
    """Make the check `check-used-no-tools`: 1 when nothing was called."""

    def look(context: StepContext) -> Found:
        count = len(_tools(context))
        return {"count": count, "passed": count == 0}

    return _check("check-used-no-tools", "Used No Tools Check", "Whether nothing was called", look)


def no_tool_errors() -> Scorer:
    """Make the check `check-no-tool-errors`: 1 when no call failed.

    Failed has a call that never came back (state `call`), one that threw (`output-error`), one flagged by `isError`, and one
    whose result has an `error`. Calls in every other state count as calls here, those awaiting approval too.
    """

    def look(context: StepContext) -> Found:
        calls = []
        for index, message in enumerate(elements(context.run.get("output", UNSET), "output")):
            content = message.get("content") if isinstance(message, Mapping) else None
            fault = walkable(content) if isinstance(content, Mapping) else ""
            if fault:
                raise ScorerError(f"output[{index}].content.{fault}")
            calls += [invocation.value for invocation in merged_invocations(content)]
        errors = sum(_failed(call) for call in calls)
        return {"errorCount": errors, "totalCalls": len(calls), "passed": errors == 0}

    return _check("check-no-tool-errors", "No Tool Errors Check", "Whether no call failed", look)


def includes(expected: str, *, ignore_case: bool = True) -> Scorer:
    """Make the check `check-includes`: 1 when the text stands in what the assistant said, its messages joined by spaces."""

    def look(context: StepContext) -> Found:
        output, target = _folded(_said(context, " "), expected, ignore_case)
        return {"output": output, "target": target, "found": units(target) in units(output)}

    return _check("check-includes", "Includes Check", f"Whether the answer has {expected!r}", look, "found")


def excludes(unwanted: str, *, ignore_case: bool = True) -> Scorer:
    """Make the check `check-excludes`: 1 when the text does not stand in what the assistant said (see `includes`)."""

    def look(context: StepContext) -> Found:
        output, target = _folded(_said(context, " "), unwanted, ignore_case)
        return {"output": output, "target": target, "excluded": units(target) not in units(output)}

    return _check("check-excludes", "Excludes Check", f"Whether the answer is without {unwanted!r}", look, "excluded")


def equals(expected: str, *, ignore_case: bool = True) -> Scorer:
    """Make the check `check-equals`: 1 when the text is what the assistant said, its messages joined by nothing."""

    def look(context: StepContext) -> Found:
        output, target = _folded(_said(context, ""), expected, ignore_case)
        return {"output": output, "target": target, "isEqual": same(output, target)}

    return _check("check-equals", "Equals Check", f"Whether the answer is {expected!r}", look, "isEqual")


def matches(pattern: str | re.Pattern[str], *, exact: bool = False) -> Scorer:
    """Make the check `check-matches`: 1 when the pattern is found in what the assistant said, its messages joined by nothing.

    Args:
        pattern: a regular expression of Python's, with its own flags; there `$` also stands before a last line break, and
            digits are those of every script.
        exact: whether it must begin at the start and end at the end. As in the original it is not put in brackets for that, so
            in `a|b` the first alternative is held at the start and the second at the end.

    Raises:
        ScorerError: the pattern is no regular expression.
    """
    try:
        asked = re.compile(pattern)
        end = "$" if asked.flags & re.MULTILINE else r"\Z"
        used = re.compile(f"^{asked.pattern}{end}", asked.flags) if exact else asked
    except re.error as error:
        raise ScorerError(f"matches: {pattern!r} is no regular expression: {error}; correct it") from error
    shown = _shown(asked)

    def look(context: StepContext) -> Found:
        output = _said(context, "")
        return {"output": output, "pattern": shown, "matched": used.search(output) is not None}

    return _check("check-matches", "Matches Check", f"Whether the answer matches {shown}", look, "matched")


def similarity(expected: str, threshold: float | None = None, *, ignore_case: bool = True) -> Scorer:
    """Make the check `check-similarity`: how much of their pairs of characters the text and what was said have in common.

    Twice the pairs in common by all pairs (Dice), white space left out; 1 for the same text, 0 where one has fewer than two
    characters. The assistant's messages are joined by spaces. With a threshold the score is 1 from there on, else 0.
    """

    def look(context: StepContext) -> Found:
        output, target = _folded(_said(context, " "), expected, ignore_case)
        found: Found = {"output": output, "target": target, "score": _dice(output, target)}
        return found if threshold is None else {**found, "threshold": threshold}

    def score(context: StepContext) -> float:
        reached: float = context.results.preprocess_step_result["score"]
        return reached if threshold is None else float(reached >= threshold)

    scorer = create_scorer("check-similarity", f"How like {expected!r} the answer is", name="Similarity Check")
    return scorer.preprocess(look).generate_score(score)


def _check(
    id_: str, name: str, description: str, look: Callable[[StepContext], Found], verdict: str = "passed"
) -> Scorer:
    scorer = create_scorer(id_, description, name=name).preprocess(look)
    return scorer.generate_score(lambda context: float(context.results.preprocess_step_result[verdict]))


def _tools(context: StepContext) -> list[Any]:
    output = context.run.get("output", UNSET)
    if absent(output):
        raise ScorerError("the run has no output; give the list of its messages")
    return extract_tool_calls(output).tools


def _count(context: StepContext, name: str) -> int:
    return sum(same(tool, name) for tool in _tools(context))


def _failed(call: Mapping[str, Any]) -> bool:
    result = call.get("result")
    return (
        call.get("state") in ("call", "output-error")
        or call.get("isError") is True
        or (result is not None and truthy(field(result, "error")))
    )


def _said(context: StepContext, between: str) -> str:
    messages = objects(context.run.get("output", UNSET), "output")
    return joined((_text(m) for m in messages if same(field(m, "role"), "assistant")), between)


def _shown(pattern: re.Pattern[str]) -> str:
    """A pattern as JavaScript shows one: between slashes, with its flags behind them."""
    source = _PATTERN_PARTS.sub(lambda part: r"\/" if part[0] == "/" else part[0], pattern.pattern).replace("\n", r"\n")
    return f"/{source or '(?:)'}/{''.join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)}"


def _text(message: object) -> Any:
    """What a message says: its content where that is a text, else the text kept beside its parts, else the last part's."""
    content = field(message, "content")
    if isinstance(content, str) or absent(content):
        return content or ""
    if isinstance(content, list | tuple):
        return _last_text(content)
    for key in ("content", "text"):
        kept = field(content, key)
        if isinstance(kept, str) and kept:
            return kept
    parts = field(content, "parts")
    return _last_text(parts) if isinstance(parts, list | tuple) else ""


def _last_text(parts: object) -> Any:
    texts = [part for part in objects(parts, "parts") if same(field(part, "type"), "text")]
    last = field(texts[-1], "text") if texts else ""
    return last if truthy(last) else ""


def _folded(output: str, target: str, ignore_case: bool) -> tuple[str, str]:
    return (output.lower(), target.lower()) if ignore_case else (output, target)


def _dice(a: str, b: str) -> float:
    a, b = units(_SPACES.sub("", a)), units(_SPACES.sub("", b))
    if a == b:
        return 1.0
    if len(a) < 2 or len(b) < 2:
        return 0.0
    shared = Counter(_pairs(a)) & Counter(_pairs(b))
    return 2.0 * shared.total() / (len(a) + len(b) - 2)


def _pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(len(text) - 1)]
