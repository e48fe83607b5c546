"""The stream of an OpenAI chat response, put together again: chunks as JSON lines or as server-sent events.

Each response is a trace; streams that run side by side are told apart by their ids. Fragments of a call are joined by its
index. Servers that speak this protocol differ: some leave the index out, some give every call the same one and another id,
some begin with a chunk that says nothing. What was asked, and the results of the calls, are not part of a response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.assembly import DraftCall
from rootcall.conversation import count_calls, word_in
from rootcall.payload import decode_arguments
from rootcall.readers.records import Head, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, start_trace, sure_share, trace_id
from rootcall.readers.script import Script, id_of, said_in, stamp
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_KEPT: Final = ("id", "model", "usage", "service_tier", "system_fingerprint")
# So many responses may be under way at a time; then the oldest is given out as it is.
_MOST_OPEN: Final = 100


class _Call:
    """A call while its fragments come in."""

    def __init__(self, at: Source) -> None:
        self.at = at
        self.id: str | None = None
        self.name = ""
        self.custom = False
        self.sent: list[str] = []

    def take(self, fragment: Mapping[str, Any]) -> None:
        """Take one fragment."""
        inner = _body(fragment)
        self.id = self.id or id_of(fragment.get("id"))
        self.name = self.name or word_in(inner, "name")
        self.custom = self.custom or "custom" in fragment
        self.sent.append(word_in(inner, "arguments") or word_in(inner, "input"))

    def goes_on(self, fragment: Mapping[str, Any]) -> bool:
        """Tell whether a fragment may be of this call: it has no other id, and begins none after this one is whole."""
        call_id = id_of(fragment.get("id"))
        if call_id is not None and self.id is not None:
            return call_id == self.id
        sent = "".join(self.sent)
        begins = bool(self.name and word_in(_body(fragment), "name"))
        return not (begins and sent.strip() and decode_arguments(sent)[2] == "json_string")

    @property
    def arguments(self) -> Any:
        """The arguments as they were sent; a tool that takes plain text gets it under `input`."""
        return {"input": "".join(self.sent)} if self.custom else "".join(self.sent)


def _body(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((fragment[k] for k in ("function", "custom") if isinstance(fragment.get(k), Mapping)), fragment)


class _Choice:
    """One of the answers to a request while it comes in."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: list[_Call] = []
        self.places: dict[str, _Call] = {}
        self.finish: str | None = None

    def take(self, delta: Any, at: Source) -> bool:
        """Take what one chunk adds. Returns whether all of it could be read."""
        if not isinstance(delta, Mapping):
            return delta is None
        self.text += [t for k in ("content", "refusal") if (t := said_in(delta.get(k)))]
        listed = delta.get("tool_calls") or []
        fragments = [f for f in listed if isinstance(f, Mapping)] if isinstance(listed, list) else []
        for fragment in fragments:
            self._call(fragment, id_of(fragment.get("index")), at)
        if isinstance(delta.get("function_call"), Mapping):
            self._call(delta["function_call"], "function_call", at)
        return isinstance(listed, list) and len(fragments) == len(listed)

    def _call(self, fragment: Mapping[str, Any], index: str | None, at: Source) -> None:
        last = self.calls[-1] if self.calls else None
        call = last if index is None else self.places.get(index)
        if call is None or not call.goes_on(fragment):
            call = _Call(at)
            self.calls.append(call)
        if index is not None:
            self.places[index] = call
        call.take(fragment)


class _Response:
    """One response while it comes in."""

    def __init__(self, at: Source) -> None:
        self.at = at
        self.known: dict[str, Any] = {}
        self.created: Any = None
        self.choices: dict[str, _Choice] = {}
        self.faults: list[tuple[str, str, Source]] = []

    @property
    def ended(self) -> bool:
        """Whether all its choices have said why they ended."""
        return bool(self.choices) and all(c.finish is not None for c in self.choices.values())

    def take(self, chunk: Mapping[str, Any], at: Source) -> None:
        """Take one chunk."""
        self.known |= {k: chunk[k] for k in _KEPT if chunk.get(k)}
        self.created = self.created or chunk.get("created")
        whole = len(_choices(chunk)) == len(chunk["choices"])
        for value in _choices(chunk):
            choice = self.choices.setdefault(id_of(value.get("index")) or "0", _Choice())
            whole = choice.take(value.get("delta"), at) and whole
            choice.finish = choice.finish or id_of(value.get("finish_reason"))
        if not whole:
            self.faults.append(("fragment-unreadable", "a part of a chunk is no object; it is left out", at))

    def build(self, stream: Stream) -> Trace:
        """Return the response as a trace."""
        first = self.choices.get("0") or next(iter(self.choices.values()), _Choice())
        if first.finish is not None:
            self.known["finish_reason"] = first.finish
        row = Row((), None, None, self.known)
        script = Script(start_trace(stream, row, self.at, "openai-stream", id=trace_id(self.known, self.at)))
        script.builder.partial_history()
        calls = [DraftCall(c.name, c.arguments, c.id, c.at) for c in first.calls if c.name]
        text = "".join(first.text)
        script.say("assistant", text or (None if calls else text), calls, source=self.at, timestamp=stamp(self.created))
        for call in first.calls:
            if not call.name:
                script.builder.problem("call-unreadable", "a call names no tool; it is left out", call.at, lost=1)
        spare = [c for c in self.choices.values() if c is not first]
        if spare:
            message = f"{len(spare)} more choices answer the same request; the first one is read"
            script.builder.problem("choices-left-out", message, self.at, lost=sum(len(c.calls) for c in spare))
        for code, message, at in self.faults:
            script.builder.problem(code, message, at)
        if first.finish is None:
            script.builder.problem("stream-cut", "the stream ends before the response does", self.at)
        return script.builder.build()


def _choices(chunk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = chunk.get("choices")
    return [c for c in listed if isinstance(c, Mapping)] if isinstance(listed, list) else []


def _confidence(value: Any) -> float:
    if not isinstance(value, Mapping):
        return 0.0
    if isinstance(value.get("choices"), list):
        sure = value.get("object") == "chat.completion.chunk" or any("delta" in c for c in _choices(value))
        return 1.0 if sure else 0.5 if not value["choices"] and "role" not in value else 0.0
    return 0.5 if isinstance(value.get("error"), Mapping) else 0.0


def _detect(head: Head) -> float:
    return sure_share(head, _confidence)


def _read(stream: Stream) -> Iterator[Trace]:
    under_way: dict[str, _Response] = {}
    last = ""
    for chunk, at in stream:
        if _confidence(chunk) == 0.0:
            what = "is no chunk of a response; it is left out"
            stream.set_aside("unknown-shape", what, at, lost=count_calls(chunk))
            continue
        name = id_of(chunk.get("id")) or last
        response = under_way.get(name)
        if isinstance(chunk.get("error"), Mapping):
            response = under_way.setdefault(name, response or _Response(at))
            told = word_in(chunk["error"], "message")[:200]
            response.faults.append(("stream-error", f"the stream broke off with an error: {told}", at))
        elif _choices(chunk):
            for ended in [n for n, r in under_way.items() if r.ended and (n != name or _begins(chunk))]:
                yield under_way.pop(ended).build(stream)
            if name not in under_way and len(under_way) >= _MOST_OPEN:
                yield under_way.pop(next(iter(under_way))).build(stream)
            last = name
            under_way.setdefault(name, _Response(at)).take(chunk, at)
        elif response is not None:
            response.take(chunk, at)
    for response in under_way.values():
        yield response.build(stream)


def _begins(chunk: Mapping[str, Any]) -> bool:
    """Tell whether a chunk begins a response: who speaks stands in the first one."""
    return any(isinstance(c.get("delta"), Mapping) and c["delta"].get("role") for c in _choices(chunk))


READER = Reader(
    name="openai-stream",
    description="OpenAI chat stream chunks, put together: JSON lines or server-sent events; each response is a trace",
    detect=_detect,
    read=_read,
    marks='"object": "chat.completion.chunk", choices with a delta',
    lacks=(
        "what the user asked, and the results of the calls",
        "the tool schemas (give them with --tools)",
    ),
)
