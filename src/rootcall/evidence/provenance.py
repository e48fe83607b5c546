"""Where a value could have come from: what stood before the model when it made a call.

Upstream of a call are the user's and the system's messages before it, the results of earlier steps (never of the same
step: parallel calls cannot know each other's results), the words and schemas of the offered tools, and identifiers an
earlier call was free to choose. The assistant's own text is no source, and neither is the echo of a value in the result
of a call that sent it. Owns the search; whether a missing source is a fault is decided by the arguments layer.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from rootcall.trace import Call, Trace, per_record, per_trace

__all__ = [
    "Upstream",
    "as_written",
    "complete_before",
    "in_text",
    "respelled",
    "sends",
    "tool_text",
    "upstream",
    "user_texts",
]


class _Source(msgspec.Struct, frozen=True):
    """A text the model had before it, from which message and step on, and the call it answers."""

    text: str
    message: int
    step: int
    call: Call | None = None


class Upstream:
    """All sources of a trace; `has` asks for one value before one call."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._sources = tuple(sorted(_sources(trace), key=lambda s: s.message))
        self._said = _Joined(self._sources)
        self._tools: tuple[_Source, ...] | None = None
        self._answers: dict[tuple[str, int, int], bool] = {}

    def has(self, value: str, call: Call) -> bool:
        """Tell whether a value stood somewhere upstream of a call.

        Case, separators and a letter prefix do not matter (`FW-123`, `fw123`, order 123456 for `FW-123456`); a part of a
        longer identifier is not the value.
        """
        key = (value, call.message, call.step)
        known = self._answers.get(key)
        if known is None:
            before = bisect.bisect_left(self._sources, call.message, key=lambda s: s.message)
            # As written first: looking for other spellings costs far more, and is seldom needed.
            known = self._answers[key] = (
                self._said.written(value, before, call.step)
                or self._said.respelled(value, before, call.step)
                or any(_holds(s, value, in_text) for s in self._offered(call))
            )
        return known

    def _offered(self, call: Call) -> Iterator[_Source]:
        """The words of the tools on offer, read only when the conversation did not hold the value."""
        if self._tools is None:
            self._tools = tuple(
                _Source(tool_text(t.description, t.schema), -2, t.first_step - 1) for t in self._trace.tools
            )
        return (s for s in self._tools if s.step < call.step)

    def has_literal(self, literal: str, call: Call) -> bool:
        """Tell whether a text stands upstream in quotes, as a value of its own (`"me"`, `'me'`)."""
        quoted = re.compile(rf"[\"'`“‘「]{re.escape(literal.casefold())}[\"'`”’」]")
        return any(
            quoted.search(s.text) is not None and not (s.call is not None and sends(literal, s.call))
            for s in (*self._sources, *self._offered(call))
            if s.message < call.message and s.step < call.step
        )


class _Joined:
    """The texts of many sources as one, so that a value is looked for in all of them at once.

    Every call of a long trace asks for its values, and asking thousands of texts one by one takes minutes.
    """

    def __init__(self, sources: tuple[_Source, ...]) -> None:
        self._sources = sources
        self._text, self._starts = _join(s.text for s in sources)
        self._squeezed: tuple[str, list[int]] | None = None
        # How many of the first sources are known to hold nothing of a value, however it is spelled there.
        self._clear: dict[str, int] = {}
        self._sending: dict[tuple[str, int], bool] = {}

    def written(self, value: str, before: int, step: int) -> bool:
        """Tell whether one of the first `before` sources, of an earlier step, holds a value as it is written."""
        wanted = value.casefold()
        if not wanted.strip():
            return False
        found = _places_from_behind(wanted, self._text, self._starts, before, self._clear.get(value, 0))
        return any(self._counts(n, value, step) and as_written(value, self._sources[n].text) for n in found)

    def respelled(self, value: str, before: int, step: int) -> bool:
        """Tell whether one of the first `before` sources, of an earlier step, holds a value in another spelling."""
        wanted = _squeezed(value.casefold())
        clear = self._clear.get(value, 0)
        if not wanted or len(wanted) > 80 or clear >= before:
            return False
        if self._squeezed is None:
            self._squeezed = _join(_squeezed(s.text) for s in self._sources)
        digits = _PREFIX.match(wanted)
        least = wanted if digits is None else digits.group(1)
        if digits is not None and len(least.lstrip("0")) >= 2:
            least = least.lstrip("0")
        touched = False
        for n in _places_from_behind(least, *self._squeezed, before, clear):
            touched = True
            if self._counts(n, value, step) and respelled(value, self._sources[n].text):
                return True
        if not touched:
            self._clear[value] = before
        return False

    def _counts(self, n: int, value: str, step: int) -> bool:
        """A source of an earlier step counts, unless its call sent the value and only gets its echo back."""
        source = self._sources[n]
        if source.step >= step:
            return False
        if source.call is None:
            return True
        if (value, n) not in self._sending:
            self._sending[value, n] = sends(value, source.call)
        return not self._sending[value, n]


_APART: Final = "\x00"


def _join(texts: Iterable[str]) -> tuple[str, list[int]]:
    """Many texts as one, and where each of them begins there, and the end of all."""
    parts, starts, at = [], [], 0
    for text in texts:
        starts.append(at)
        parts.append(text)
        at += len(text) + 1
    return _APART.join(parts), [*starts, at]


def _places_from_behind(wanted: str, text: str, starts: list[int], before: int, first: int) -> Iterator[int]:
    """Which of the joined texts from `first` to `before` hold some characters, the latest first, each once."""
    while before > first:
        at = text.rfind(wanted, starts[first], max(starts[before] - 1, 0))
        if at < 0:
            return
        before = bisect.bisect_right(starts, at) - 1
        yield before


def _holds(source: _Source, value: str, look: Callable[[str, str], bool]) -> bool:
    """A call that sent the value, not from anywhere else, only gets its echo back."""
    return look(value, source.text) and not (source.call is not None and sends(value, source.call))


@per_trace
def upstream(trace: Trace) -> Upstream:
    """Return the sources of a trace, built once."""
    return Upstream(trace)


def _sources(trace: Trace) -> Iterator[_Source]:
    answered = {c.result.message for c in trace.calls if c.result is not None}
    for m in trace.messages:
        # A tool message is listed too; what answers a call comes below, with its call.
        if m.text and (m.role in ("user", "system") or (m.role == "tool" and m.index not in answered)):
            yield _Source(m.text.casefold(), m.index, -1)
    for call in trace.calls:
        result = call.result
        if result is not None:
            text = result.shown or result.text
            if text:
                yield _Source(text.casefold(), result.message, call.step, call)


_SAID: Final = frozenset({"description", "title", "enum", "default", "const", "examples", "example"})


def tool_text(description: str | None, schema: object) -> str:
    """What a tool says in words and values; the vocabulary of JSON Schema itself (`"string"`) is no value."""
    said = [description or ""]
    stack: list[tuple[object, bool, int]] = [(schema, False, 0)]
    while stack:
        value, words, depth = stack.pop()
        if isinstance(value, dict) and depth < 40:
            stack += [
                (v, words or (k in _SAID and isinstance(v, str | int | float | list)), depth + 1)
                for k, v in value.items()
            ]
        elif isinstance(value, list) and depth < 40:
            stack += [(v, words, depth + 1) for v in value]
        elif words and isinstance(value, str):
            said.append(value if " " in value else f'"{value}"')
        elif words and isinstance(value, int | float):
            said.append(str(value))
    return "\n".join(said).casefold()


def sends(value: str, call: Call) -> bool:
    """Tell whether a call sent a value: what its result says of it is an echo then."""
    return in_text(value, _arguments_text(call))


@per_record
def _arguments_text(call: Call) -> str:
    if call.arguments is None:
        return (call.raw or "").casefold()
    try:
        return json.dumps(call.arguments, ensure_ascii=False, default=str).casefold()
    except (TypeError, ValueError, RecursionError):
        return ""


_RUN: Final = re.compile(r"[^\W_]+")
_PREFIX: Final = re.compile(r"[a-z]{1,8}(\d{4,})\Z")


def in_text(value: str, folded: str) -> bool:
    """Tell whether an identifier stands in a case-folded text, whole and in any usual spelling."""
    return as_written(value, folded) or respelled(value, folded)


def as_written(value: str, folded: str) -> bool:
    """Tell whether a value stands in a case-folded text, whole and written as it is."""
    wanted = value.casefold()
    at = folded.find(wanted) if wanted.strip() else -1
    while at >= 0:
        if _bounded(folded, at, at + len(wanted)):
            return True
        at = folded.find(wanted, at + 1)
    return False


def respelled(value: str, folded: str) -> bool:
    """Tell whether an identifier stands in a case-folded text with other separators, or without its letter prefix."""
    squeezed = _squeezed(value.casefold())
    if not squeezed or len(squeezed) > 80:
        return False
    if squeezed in _squeezed(folded) and re.search(_spelled(squeezed), folded):
        return True
    digits = _PREFIX.match(squeezed)
    return digits is not None and any(n in folded and re.search(p, folded) for n, p in _unprefixed(digits.group(1)))


@functools.lru_cache(maxsize=4096)
def _squeezed(text: str) -> str:
    return "".join(_RUN.findall(text))


def _bounded(text: str, start: int, end: int) -> bool:
    return not (_joins(text, start - 1, start) or _joins(text, end, end - 1))


def _joins(text: str, outside: int, inside: int) -> bool:
    """Two neighbouring characters belong to one word when both are letters or digits of one script."""
    if not 0 <= outside < len(text):
        return False
    a, b = text[outside], text[inside]
    return a.isalnum() and b.isalnum() and a.isascii() == b.isascii()


def _spelled(squeezed: str) -> str:
    """A pattern for an identifier written with other separators."""
    latin = squeezed[0].isascii() and not squeezed[0].isdigit()
    start = r"(?<![a-z])(?<!\d)(?<!\d[.,])" if latin else r"(?<!\d)(?<!\d[.,])"
    end = r"(?![a-z0-9])" if squeezed[-1].isascii() else ""
    return start + r"[\W_]{0,2}".join(re.escape(c) for c in squeezed) + end


def _unprefixed(digits: str) -> Iterator[tuple[str, str]]:
    """The digits of an identifier without its letter prefix, then without padding: what to look for, and as a pattern."""
    yield digits, rf"(?<![a-z0-9]){digits}(?![a-z0-9])"
    bare = digits.lstrip("0")
    if len(bare) >= 2 and bare != digits:
        yield bare, rf"(?<![a-z0-9.,$€£]){bare}(?![a-z0-9]|[.,]\d)"


def complete_before(trace: Trace, call: Call) -> str | None:
    """Return why what stood before a call is not fully known (content, history or a result missing), or None."""
    if trace.completeness.content != "full":
        return "part of the conversation was not captured"
    if trace.completeness.history != "full":
        return "the history before the trace was not captured"
    gap = _first_gap(trace)
    return gap[1] if gap is not None and gap[0] < call.step else None


@per_trace
def _first_gap(trace: Trace) -> tuple[int, str] | None:
    """The step of the first call whose result is not whole, and why it is not."""
    for call in trace.calls:
        if call.result is None or (call.result.text is None and call.result.shown is None):
            return call.step, f"the result of {call.tool} at {call.at} was not captured"
        if call.result.truncated:
            return call.step, f"the result of {call.tool} at {call.at} was cut"
    return None


class _Spoken(NamedTuple):
    """The user's texts of a trace with their messages and turns; `ordered`: neither of the two ever goes back."""

    texts: tuple[str, ...]
    messages: tuple[int, ...]
    turns: tuple[int, ...]
    ordered: bool


@per_trace
def _spoken(trace: Trace) -> _Spoken:
    said = [m for m in trace.messages if m.role == "user" and m.text]
    messages, turns = tuple(m.index for m in said), tuple(m.turn for m in said)
    ordered = all(a <= b for held in (messages, turns) for a, b in itertools.pairwise(held))
    return _Spoken(tuple(m.text or "" for m in said), messages, turns, ordered)


def user_texts(trace: Trace, call: Call) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the user said before a call: in the call's turn, and in all earlier turns, oldest first."""
    texts, messages, turns, ordered = _spoken(trace)
    if ordered:
        end = bisect.bisect_left(messages, call.message)
        first, last = bisect.bisect_left(turns, call.turn, 0, end), bisect.bisect_right(turns, call.turn, 0, end)
        return texts[first:last], texts[:first] + texts[last:end]
    said = [(text, turn) for text, index, turn in zip(texts, messages, turns, strict=True) if index < call.message]
    return tuple(x for x, turn in said if turn == call.turn), tuple(x for x, turn in said if turn != call.turn)
