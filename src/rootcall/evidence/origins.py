"""Where a sent value came from, as a place a person can follow: the full answer behind the yes or no of provenance.

Owns the search for the places of one value: user and system messages, results of earlier steps by their path, schema,
tool text, what the caller may choose, and the order of several (the nearest message first). What a value was computed
from (a day, a sum, a unit) is `rootcall.evidence.derivations`'. It costs far more than `Upstream.has`, so rules ask for
it only where they have a finding, and `rootcall show` for the one trace it prints. Judges nothing.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import re
from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from rootcall.evidence.derivations import Made, below, finite, made, number_in
from rootcall.evidence.identities import alike
from rootcall.evidence.number_words import spelled_digits
from rootcall.evidence.parameters import Parameter, parameter_at, parameters
from rootcall.evidence.provenance import as_written, in_text, respelled, sends, tool_text
from rootcall.evidence.words import key_words
from rootcall.jsonvalue import describe, join_path, walk
from rootcall.trace import Call, Tool, Trace, per_trace

__all__ = ["Kind", "Origin", "alike_before", "argument_origins", "origin", "origins"]

Kind = Literal[
    "user", "system", "result", "default", "schema", "tool", "choice", "caller", "computed", "common", "written", "nowhere"
]  # fmt: skip
"""Where a value can come from.

`choice` is a flag, a null or one of an enum's values, which nobody stated; `caller` an identifier the caller may make up;
`common` a code anybody knows; `written` free text in the model's own words.
"""

_MOST: Final = 5
_LATEST: Final = 100
_MOST_SCALARS: Final = 20_000


class Origin(msgspec.Struct, frozen=True):
    """One place a value can have come from.

    `at` is its path (`messages[0]`, `messages[3].calls[0].result.flights[1].price`, `tools.search.cabin`), empty where
    there is none. `how` says what was done with it: empty as written, `other case`, `other spelling`, `part of it`, or in
    words what was computed. `by` names the tool whose result or text it is.
    """

    kind: Kind
    at: str = ""
    how: str = ""
    by: str = ""

    def __str__(self) -> str:
        """A few words for a line: `user, messages[0]`, `search_flights result .flights[0].id, messages[2]`."""
        said: str = self.kind
        if self.kind == "result":
            call, _, path = self.at.partition(".result")
            said = f"{self.by} result{' ' + path if path else ''}, {call.partition('.calls')[0]}"
        elif self.kind in ("user", "system") and self.at:
            said = f"{self.kind}, {self.at}"
        elif self.kind == "computed":
            return f"computed: {self.how}{', ' + self.at if self.at else ''}"
        elif self.kind == "default":
            return "schema default"
        elif self.kind == "tool":
            said = f"tool text of {self.by}"
        elif self.kind == "caller":
            said = f"the caller's choice{', ' + self.at if self.at else ''}"
        elif self.kind == "common":
            said = "a code anybody knows"
        elif self.kind == "written":
            said = "the model's own words"
        return f"{said} ({self.how})" if self.how else said


class _Text(msgspec.Struct, frozen=True):
    """A text that stood before the model: who said it, where, from which step on, and the call it answers."""

    kind: Literal["user", "system", "result"]
    raw: str
    folded: str
    at: str
    message: int
    step: int
    call: Call | None = None


@per_trace
def _texts(trace: Trace) -> tuple[_Text, ...]:
    """All texts in the order of messages."""
    answered = {c.result.message for c in trace.calls if c.result is not None}
    found: list[_Text] = []
    for m in trace.messages:
        if m.text and (m.role in ("user", "system") or (m.role == "tool" and m.index not in answered)):
            kind: Literal["user", "system", "result"] = "result" if m.role == "tool" else m.role
            found.append(_Text(kind, m.text, m.text.casefold(), m.at, m.index, -1))
    for call in trace.calls:
        text = (call.result.shown or call.result.text) if call.result is not None else None
        if call.result is not None and text:
            found.append(
                _Text("result", text, text.casefold(), f"{call.at}.result", call.result.message, call.step, call)
            )
    return tuple(sorted(found, key=lambda t: t.message))


def origin(trace: Trace, call: Call, parameter: Parameter, value: Any) -> Origin:
    """Return the nearest origin of a value; of kind `nowhere` when there is none."""
    return next(_candidates(trace, call, parameter, value), Origin("nowhere"))


def origins(trace: Trace, call: Call, parameter: Parameter, value: Any) -> tuple[Origin, ...]:
    """Return where a scalar sent in a call can have come from, at most five places, the likeliest first; never none.

    What stands as written goes before what was only computed, then the latest message before earlier ones. Any JSON
    value is taken: a list or an object is described as a whole (`argument_origins` goes into it).
    """
    found = [*_distinct(_candidates(trace, call, parameter, value))]
    return tuple(found) or (Origin("nowhere"),)


def alike_before(trace: Trace, call: Call, value: str) -> tuple[str, ...]:
    """Return the identifiers that look like a value and stood before a call, the latest first; not what calls only sent.

    Of a long trace the latest hundred messages and results are read.
    """
    texts = _texts(trace)
    last = bisect.bisect_left(texts, call.message, key=lambda t: t.message)
    # Looked for backwards, and not by cutting the list: thousands of calls would each copy what came before.
    before = itertools.islice((texts[i] for i in range(last - 1, -1, -1) if texts[i].step < call.step), _LATEST)
    found = (x for t in before for x in alike(value, t.raw) if t.call is None or not sends(x, t.call))
    return tuple(dict.fromkeys(found))


def argument_origins(trace: Trace, call: Call) -> tuple[tuple[str, Origin], ...]:
    """Return the nearest origin of each scalar that a call sends, by its path in the arguments, in their order."""
    offered = trace.offered(call.step, call.agent)
    tool = trace.tool(call.tool) if offered is None else offered.get(call.tool)
    table = parameters(tool)
    found = []
    for path, value in _places(call):
        name = re.split(r"[.\[]", re.sub(r"\[\d+\]", "", path))[-1] or path
        found.append((path, origin(trace, call, parameter_at(table, path, tool, name, call.tool), value)))
    return tuple(found)


def _places(call: Call) -> Iterator[tuple[str, Any]]:
    for n, (path, value) in enumerate(
        pair for key, v in (call.arguments or {}).items() for pair in walk(v, join_path("", str(key)))
    ):
        if n >= 400:
            return
        yield path, value


def _distinct(found: Iterator[Origin]) -> Iterator[Origin]:
    seen: set[Origin] = set()
    for o in found:
        if o not in seen:
            seen.add(o)
            yield o
        if len(seen) >= _MOST:
            return


def _candidates(trace: Trace, call: Call, p: Parameter, value: Any) -> Iterator[Origin]:
    if isinstance(value, dict | list) or value == "":
        yield Origin("choice", how="empty")
        return
    if value is None or isinstance(value, bool):
        yield from _flag(p, value)
        return
    before = [t for t in reversed(_texts(trace)) if t.message < call.message and t.step < call.step]
    told = False
    for text in before:
        for o in _in(text, p, value):
            told = True
            yield o
    for o in _offered(trace, call, p, value):
        told = told or o.kind != "tool"
        yield o
    if told:
        return
    yield from _computed(made(trace, call, p, value))
    yield from _unsourced(trace, call, p, value, before)


def _flag(p: Parameter, value: bool | None) -> Iterator[Origin]:
    if "default" in p.schema and p.schema["default"] is value:
        yield Origin("default", _schema_place(p))
    else:
        yield Origin("choice", how="null" if value is None else "true or false")


def _schema_place(p: Parameter) -> str:
    return f"tools.{p.tool}.{p.path}"


def _in(text: _Text, p: Parameter, value: Any) -> Iterator[Origin]:
    """The places of a value in one text, unless the call it answers sent the value: then it is an echo."""
    number = finite(value)
    written = str(value) if number is None or not number.is_integer() else str(int(value))
    # Most texts have nothing of it, which is quickly seen.
    if number is not None and text.kind == "result" and str(int(abs(number))) not in _digits(text.raw):
        return
    if number is None and text.kind == "result" and _written(written, text.raw, text.folded) is None:
        return
    if text.call is not None and sends(written, text.call):
        return
    result = text.call.result if text.call is not None else None
    payload = result.payload if result is not None else None
    if isinstance(payload, dict | list):
        yield from _in_payload(text, payload, p, value)
        return
    how = _written(written, text.raw, text.folded) if number is None else number_in(text.raw, number)
    if how is not None:
        yield Origin(text.kind, text.at, how, text.call.tool if text.call is not None else "")


_GROUPING: Final = re.compile(r"(?<=\d)[,.'\u00a0\u202f ](?=\d)")


@functools.lru_cache(maxsize=1024)
def _digits(raw: str) -> str:
    """A text whose numbers have lost their marks: 1,250.00 is 125000."""
    return _GROUPING.sub("", raw)


def _written(value: str, raw: str, folded: str) -> str | None:
    """How a text states a value: empty as written, `other case`, `other spelling`; None when it does not."""
    if as_written(value, folded):
        return "" if value in raw else "other case"
    if len(value) <= 80 and respelled(value, folded):
        # A particle joined to a word (제주에) is no other spelling of it.
        joined = not value[-1:].isascii() and re.search(rf"(?<![^\W\d_]){re.escape(value)}", raw) is not None
        return "" if joined else "other spelling"
    if value.isdecimal() and len(value) >= 3 and value in spelled_digits(raw):
        return "in words"
    return None


def _in_payload(text: _Text, payload: Any, p: Parameter, value: Any) -> Iterator[Origin]:
    """The best place of a value in a payload: a field that is the value before one that contains it, the same name first."""
    best: tuple[int, Origin] | None = None
    call = text.call
    if call is None:
        return
    own = set(p.tokens)
    # A key can be an identifier, never a number that is looked for.
    for n, (path, held) in enumerate(walk(payload) if finite(value) is not None else _with_keys(payload)):
        if n >= _MOST_SCALARS:
            break
        how = _held(value, held)
        if how is None:
            continue
        key = re.split(r"[.\[]", re.sub(r"\[\d+\]", "", path))[-1]
        rank = (0 if how == "" else 4 if how == "part of it" else 2) + (0 if own & set(key_words(key)) else 1)
        if best is None or rank < best[0]:
            best = rank, Origin("result", below(text.at, path), how, call.tool)
        if rank == 0:
            break
    if best is not None:
        yield best[1]


def _with_keys(payload: Any) -> Iterator[tuple[str, Any]]:
    """The scalars of a payload, and the keys that are ids themselves (`{"W100": {…}}`)."""
    seen: set[str] = set()
    for path, held in walk(payload):
        for m in re.finditer(r"\.([\w-]*\d[\w-]*)(?=[.\[]|\Z)|\[\"([^\"]+)\"\]", path):
            where = path[: m.end()]
            if where not in seen:
                seen.add(where)
                yield where, m.group(1) or m.group(2)
        yield path, held


def _held(value: Any, held: Any) -> str | None:
    """How a field of a result holds a value."""
    if isinstance(held, bool) or held is None or isinstance(held, dict | list):
        return None
    number, other = finite(value), finite(held)
    if number is not None:
        if other is not None:
            return "" if value == held or math.isclose(number, other, rel_tol=1e-9) else None
        return number_in(held, number) if isinstance(held, str) and len(held) <= 400 else None
    text = str(held)
    if text == str(value):
        return ""
    if text.casefold() == str(value).casefold():
        return "other case"
    return None if _written(str(value), text, text.casefold()) is None else "part of it"


def _offered(trace: Trace, call: Call, p: Parameter, value: Any) -> Iterator[Origin]:
    """What the tool itself offers: default, constant, enum, examples, the words of its tools."""
    schema = p.schema
    if "default" in schema and type(schema["default"]) is type(value) and schema["default"] == value:
        yield Origin("default", _schema_place(p))
    for word in ("const", "example"):
        if word in schema and schema[word] == value:
            yield Origin("schema", _schema_place(p), word)
    if isinstance(schema.get("examples"), list) and value in schema["examples"]:
        yield Origin("schema", _schema_place(p), "example")
    if isinstance(schema.get("enum"), list) and value in schema["enum"]:
        yield Origin("choice", _schema_place(p), f"one of {len(schema['enum'])} in the schema")
        return
    if p.common_code and isinstance(value, str):
        yield Origin("common")
        return
    if isinstance(value, str):
        for tool in _own_first(trace, call):
            if in_text(value, tool_text(tool.description, tool.schema)):
                yield Origin("tool", f"tools.{tool.name}", "", tool.name)


def _own_first(trace: Trace, call: Call) -> list[Tool]:
    offered = [
        t for t in trace.tools if t.first_step <= call.step and (t.last_step is None or call.step <= t.last_step)
    ]
    return sorted(offered, key=lambda t: t.name != call.tool)


def _computed(found: Iterator[Made]) -> Iterator[Origin]:
    yield from (Origin("computed", m.at, m.how) for m in found)


def _unsourced(trace: Trace, call: Call, p: Parameter, value: Any, before: list[_Text]) -> Iterator[Origin]:
    """What can be said of a value that nothing gave: chosen, known to all, written, or in the model's own earlier words."""
    if p.caller_chosen:
        yield Origin("caller")
        return
    chosen = _chosen_before(trace, call, str(value))
    if chosen is not None:
        yield chosen
        return
    if value == 0 and not p.identifier:
        yield Origin("choice", how="zero")
        return
    if isinstance(value, str) and not p.identifier and _is_prose(p, value):
        source = _mostly_from(value, before)
        yield Origin("written", "" if source is None else source.at, "" if source is None else f"after {source.at}")
        return
    if isinstance(value, str) and not any(c.isdigit() for c in value) and _other_script(value, before):
        yield Origin("written", how="another script than the conversation")
        return
    yield Origin("nowhere", how=_own_words(trace, call, value))


def _chosen_before(trace: Trace, call: Call, value: str) -> Origin | None:
    """An identifier that an earlier call was free to choose is known from then on."""
    for earlier in reversed(trace.calls):
        if earlier.step >= call.step or not sends(value, earlier):
            continue
        table = parameters(trace.tool(earlier.tool))
        for path, held in _places(earlier):
            p = parameter_at(table, path, trace.tool(earlier.tool), path.rsplit(".", 1)[-1], earlier.tool)
            if str(held) == value and p.caller_chosen:
                return Origin("caller", f"{earlier.at}.arguments.{path}")
    return None


def _is_prose(p: Parameter, value: str) -> bool:
    return p.free_text or value.count(" ") >= 2 or len(value) > 60


_WORD: Final = re.compile(r"[^\W_]{3,}")


def _mostly_from(value: str, before: list[_Text]) -> _Text | None:
    """The text that has most of the words of a prose value, when it has the half of them."""
    words = set(_WORD.findall(value.casefold()))
    if not words:
        return None
    shares = [(len(words & set(_WORD.findall(t.folded[:20_000]))) / len(words), -n, t) for n, t in enumerate(before)]
    best = max(shares, default=None, key=lambda s: s[:2])
    return best[2] if best is not None and best[0] >= 0.5 else None


def _other_script(value: str, before: list[_Text]) -> bool:
    """A name in Latin letters where the users wrote in another script, or the other way round, may be the same name."""
    said = [t.raw for t in before if t.kind == "user"]
    return bool(said) and all(value.isascii() != text.isascii() for text in said)


def _own_words(trace: Trace, call: Call, value: Any) -> str:
    """The first place where the model itself said a value that nobody gave it; empty when it never did."""
    written = describe(value).strip('"').casefold()
    for m in trace.messages:
        if m.index >= call.message:
            return ""
        if m.role == "assistant" and m.text and as_written(written, m.text.casefold()):
            return f"first said by the model, {m.at}"
        for c in m.calls:
            if sends(written, c):
                return f"first sent by the model, {c.at}"
    return ""
