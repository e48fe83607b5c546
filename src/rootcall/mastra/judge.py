"""How a scorer asks a judge: one question, one schema, one answer that fits it.

A judge is any callable `(prompt, schema)`, or an object with a method `answer(prompt, schema)`; both may be async. `schema`
is the JSON Schema of the answer, None where plain text is wanted. The answer is the value itself or JSON text. Owns how that
text is read and how often the judge is asked; what is asked belongs to the scorers.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from rootcall.errors import RootcallError

__all__ = ["Answer", "AnswersPrompts", "JudgeAnswerError", "Model", "ask", "read_json"]

Schema = Mapping[str, Any]

_FENCE: Final = re.compile(r"```[a-zA-Z]*\s*\n(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHTS: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING: Final = re.compile(r"[{\[]")
_CLOSING: Final = {"{": "}", "[": "]"}


@runtime_checkable
class AnswersPrompts(Protocol):
    """A judge as an object. `answer` may be async."""

    def answer(self, prompt: str, schema: Schema | None) -> object:
        """Answer a prompt with a value that fits the schema, or with text where there is none."""


Model = Callable[[str, Schema | None], object] | AnswersPrompts


class Answer(NamedTuple):
    """What a judge answered, and how often it was asked."""

    value: Any
    attempts: int


class JudgeAnswerError(RootcallError):
    """A judge did not answer as it was asked to: `attempts` times, the last time with `raw`."""

    def __init__(self, message: str, attempts: int, raw: object) -> None:
        super().__init__(message)
        self.attempts, self.raw = attempts, raw


def ask(model: Model, prompt: str, schema: Schema | None) -> Generator[Awaitable[Any], Any, Answer]:
    """Ask a judge, a second time where its answer does not fit; what must be awaited is handed out.

    Raises:
        JudgeAnswerError: neither answer fits. What the model itself raises is passed on.
    """
    question = prompt
    fault, given = "", None
    for attempt in (1, 2):
        given = model.answer(question, schema) if isinstance(model, AnswersPrompts) else model(question, schema)
        if inspect.isawaitable(given):
            given = yield given
        value, fault = _fitting(given, schema)
        if not fault:
            return Answer(value, attempt)
        question = _again(prompt, schema, fault)
    raise JudgeAnswerError(f"the judge did not answer as asked, twice: {fault}", 2, given)


def _again(prompt: str, schema: Schema | None, fault: str) -> str:
    if schema is None:
        return f"{prompt}\n\nAnswer in plain text."
    wanted = json.dumps(schema, ensure_ascii=False)
    return f"{prompt}\n\nYour last answer could not be used: {fault}. Answer with one JSON value alone that fits this JSON Schema:\n{wanted}"


def _fitting(given: object, schema: Schema | None) -> tuple[Any, str]:
    """The value of an answer and "", or None and what is wrong with it."""
    if schema is None:
        return (given, "") if isinstance(given, str) else (None, f"text was wanted, {type(given).__name__} came")
    value = given
    if isinstance(given, str | bytes):
        try:
            value = read_json(given if isinstance(given, str) else given.decode())
        except ValueError:
            return None, "JSON was wanted, and none could be read"
    return value, _misfit(value, schema)


def _misfit(value: Any, schema: Schema) -> str:
    import jsonschema_rs

    try:
        error = next(jsonschema_rs.validator_for(dict(schema)).iter_errors(value), None)
    except (ValueError, TypeError) as wrong:
        return f"not a JSON value, or the schema is none: {wrong}"
    if error is None:
        return ""
    path = "/".join(map(str, error.instance_path))
    return f"at {path or 'the top'}: {error.message}"


def read_json(text: str) -> Any:
    """Read the JSON in a judge's answer: alone, after thoughts, in a fence, between prose, or cut off.

    Commas before a closing bracket and line breaks inside a string are borne; of a text that ends early, what is whole is
    read. Only what a judge says is read so generously: the arguments of a call are never repaired.

    Raises:
        ValueError: no JSON stands in it.
    """
    said = _THOUGHTS.sub("", text)
    fenced = _FENCE.search(said)
    body = (fenced.group(1) if fenced else said).strip()
    with suppress(ValueError, RecursionError):
        return json.loads(body, strict=False)
    start = _OPENING.search(body)
    if start is None:
        raise ValueError("no JSON")
    whole, cut = _mended(body[start.start() :])
    for candidate in (whole, cut):
        with suppress(ValueError, RecursionError):
            return json.loads(candidate, strict=False)
    raise ValueError("no JSON")


def _mended(text: str) -> tuple[str, str]:
    """The first value of a text without commas too many and closed at its end; and the same, cut before what is not whole."""
    out: list[str] = []
    waiting: list[str] = []
    closed: list[str] = []  # the brackets closed since the last place where a cut leaves whole values
    quoted = escaped = False
    safe = 0
    for c in text:
        if quoted:
            quoted, escaped = escaped or c != '"', not escaped and c == "\\"
        elif c == '"':
            quoted = True
        elif c == ",":
            safe, closed = len(out), []
        elif c in _CLOSING:
            waiting.append(_CLOSING[c])
            safe, closed = len(out) + 1, []
        elif waiting and c == waiting[-1]:
            _drop_comma(out)
            closed.append(waiting.pop())
            out.append(c)
            if not waiting:
                return "".join(out), "".join(out)
            continue
        out.append(c)
    _drop_comma(out)
    whole = "".join(out) + '"' * quoted + "".join(reversed(waiting))
    return whole, "".join(out[:safe]) + "".join(closed) + "".join(reversed(waiting))


def _drop_comma(out: list[str]) -> None:
    """Take a comma off the end, with the space after it."""
    end = len(out)
    while end and out[end - 1].isspace():
        end -= 1
    if end and out[end - 1] == ",":
        del out[end - 1 :]
