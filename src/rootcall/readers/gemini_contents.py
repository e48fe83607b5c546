"""Gemini contents: requests, responses, both side by side, bare lists; in REST's spelling or that of Python's dumps.

Owns how such values are recognised and cut into traces, and which candidate is read; `rootcall.readers.gemini_parts` owns
the parts. Calls and results mostly have no ids: they are joined by name and order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from rootcall.assembly import TraceBuilder
from rootcall.conversation import below, count_calls, shape_of, word_in
from rootcall.readers.gemini_parts import ROLES, add_contents
from rootcall.readers.gemini_tools import plain_tools
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.readers.spelling import either, spelled
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_PARTS: Final = (
    "text", "functionCall", "functionResponse", "executableCode", "codeExecutionResult", "inlineData", "fileData",
    "toolCall", "toolResponse",
)  # fmt: skip
_REQUESTS: Final = ("request", "body", "full_request", "fullRequest", "input")
_RESPONSES: Final = ("response", "full_response", "fullResponse", "output")
_USED: Final = frozenset(
    {"contents", "systemInstruction", "system_instruction", "config", "tools", "candidates",
     "automaticFunctionCallingHistory", "automatic_function_calling_history", *_REQUESTS, *_RESPONSES}
)  # fmt: skip
_SYSTEM: Final = "systemInstruction"
_HISTORY: Final = "automaticFunctionCallingHistory"
# The model wrote a call that is none, or called where no tool was offered: its words stand in the finish message.
_BROKEN: Final = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")


class _Row(NamedTuple):
    """Request and response of one value, each with its pointer; either may be empty."""

    request: Mapping[str, Any]
    asked: str
    response: Mapping[str, Any]
    answered: str


def _is_content(value: object) -> bool:
    """Tell whether a value is one content, so that an array of them is one conversation."""
    if not isinstance(value, Mapping) or value.get("role") not in (*ROLES, None) or "kind" in value:
        return False
    parts = value.get("parts")
    if not isinstance(parts, list):
        return False
    named = [
        isinstance(p, Mapping) and "type" not in p and any(either(p, k) is not None for k in _PARTS) for p in parts
    ]
    return any(named) if parts else value.get("role") == "model"


def _has_contents(value: object) -> bool:
    contents = value.get("contents") if isinstance(value, Mapping) else None
    return _is_content(contents) or (isinstance(contents, list) and any(map(_is_content, contents)))


def _has_candidates(value: object) -> bool:
    candidates = value.get("candidates") if isinstance(value, Mapping) else None
    return isinstance(candidates, list) and any(
        isinstance(c, Mapping) and (isinstance(c.get("content"), Mapping) or either(c, "finishReason"))
        for c in candidates
    )


def _parse(value: object) -> _Row | None:
    if not isinstance(value, Mapping):
        return None
    request: Mapping[str, Any] = {}
    response: Mapping[str, Any] = {}
    asked = answered = ""
    for name in ("", *_REQUESTS):
        inner = value.get(name) if name else value
        if isinstance(inner, Mapping) and (_has_contents(inner) or (name and "contents" in inner)):
            request, asked = inner, f"/{name}" if name else ""
            break
    for name in ("", *_RESPONSES):
        inner = value.get(name) if name else value
        if isinstance(inner, Mapping) and _has_candidates(inner):
            response, answered = inner, f"/{name}" if name else ""
            break
    if not response and not _has_contents(request):
        return None
    return _Row(request, asked, response, answered)


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        return 0.95 if any(map(_is_content, value)) else 0.0
    return 0.95 if _parse(value) is not None else 0.0


def _detect(head: Head) -> float:
    if head.container == "array" and head.values and _is_content(head.values[0]):
        return 0.95
    return share(head, _confidence)


def _build(stream: Stream, records: list[Record]) -> Trace:
    value, source = records[0]
    if isinstance(value, list):
        if not any(map(_is_content, value)):
            raise UnknownShape("holds no Gemini contents; it is left out")
        builder = start_trace(stream, Row((), None, None, {}), source, "gemini-contents")
        add_contents(builder, [(v, below(source, f"/{i}")) for i, v in enumerate(value)], ())
        return builder.build()
    row = _parse(value)
    if row is None:
        raise UnknownShape("holds no Gemini contents; it is left out")
    return _build_row(stream, records, row)


def _build_row(stream: Stream, records: list[Record], row: _Row) -> Trace:
    value, source = records[0]
    config = row.request.get("config")
    config = config if isinstance(config, Mapping) else {}
    tools = next((plain_tools(d["tools"]) for d in (config, row.request, value) if d.get("tools") is not None), None)
    rest = {k: v for k, v in {**value, **row.response, **row.request}.items() if k not in _USED and v is not None}
    named = next((value[k] for k in ("id", "key") if isinstance(value.get(k), str)), None)
    named = named or either(row.response, "responseId")
    if isinstance(named, str):
        rest["id"] = named
    builder = start_trace(stream, Row((), tools, None, rest), source, "gemini-contents")
    for holder, pointer in ((config, f"{row.asked}/config"), (row.request, row.asked), (value, "")):
        told = either(holder, _SYSTEM)
        if told is not None:
            builder.message(
                "system", _text_in(told), index=-1, source=below(source, f"{pointer}/{spelled(holder, _SYSTEM)}")
            )
            break
    contents = [*_history(row, source)]
    for record in records:
        found = row if record is records[0] else _parse(record.value)
        contents += [] if found is None or not found.response else _answers(builder, found, record.source)
    add_contents(builder, contents, tuple(_hosted(tools)))
    return builder.build()


def _history(row: _Row, source: Source) -> Iterator[tuple[Any, Source]]:
    """What came before the answer: a response of the Python SDK may hold the calls that the SDK itself carried out."""
    kept = either(row.response, _HISTORY)
    if isinstance(kept, list) and kept:
        place = below(source, f"{row.answered}/{spelled(row.response, _HISTORY)}")
        yield from ((v, below(place, f"/{i}")) for i, v in enumerate(kept))
        return
    contents, place = row.request.get("contents"), below(source, f"{row.asked}/contents")
    if isinstance(contents, list):
        yield from ((v, below(place, f"/{i}")) for i, v in enumerate(contents))
    elif contents is not None:
        yield contents, place


def _answers(builder: TraceBuilder, row: _Row, source: Source) -> Iterator[tuple[Any, Source]]:
    """The content of the first candidate; the others are named, since they answer the same request."""
    candidates = row.response["candidates"]
    spare = count_calls(candidates[1:])
    if len(candidates) > 1:
        what = f"{len(candidates) - 1} more candidates answer the same request; the first one is read"
        builder.problem("choices-left-out", what, source, lost=spare)
    first, place = candidates[0], below(source, f"{row.answered}/candidates/0/content")
    if not isinstance(first, Mapping):
        builder.problem("message-unreadable", f"candidates[0] is {shape_of(first)}; it is left out", place)
        return
    content = first.get("content")
    reason = either(first, "finishReason")
    said = either(first, "finishMessage")
    if reason in _BROKEN and isinstance(said, str):
        content = {"role": "model", "parts": [{"text": said}]}
    if reason not in (None, "STOP", "FINISH_REASON_UNSPECIFIED"):
        builder.problem("response-incomplete", f"the response ended with {str(reason)[:60]}", place)
    if isinstance(content, Mapping) and (content.get("parts") or reason in (None, "STOP")):
        yield {"role": "model", **content}, place


def _hosted(tools: object) -> Iterator[str]:
    """The names under which tools that the provider runs are declared: `{"googleSearch": {}}`."""
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, Mapping) and len(tool) == 1 and "functionDeclarations" not in tool:
            yield from tool


def _text_in(content: object) -> str | None:
    """The text of an instruction: a text, a content, or parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text_in(content["parts"]) if "parts" in content else word_in(content, "text") or None
    texts = [t for p in content if (t := _text_in(p))] if isinstance(content, list) else []
    return "\n".join(texts) if texts else None


def _merged(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Chunks of one streamed response follow each other with the same id, or without any until one has the reason it ended."""
    pending: list[Record] = []
    last: tuple[object, bool] | None = None
    for record in records:
        row = _parse(record.value) if isinstance(record.value, Mapping) else None
        chunk = _chunk(row.response) if row is not None and not row.request else None
        goes_on = (
            chunk is not None and last is not None and chunk[0] == last[0] and (chunk[0] is not None or not last[1])
        )
        if pending and not goes_on:
            yield pending
            pending = []
        pending.append(record)
        last = chunk
    if pending:
        yield pending


def _chunk(response: Mapping[str, Any]) -> tuple[object, bool]:
    """The id of a response, and whether it says that it has ended."""
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    ended = isinstance(first, Mapping) and either(first, "finishReason") is not None
    return either(response, "responseId"), ended


def _read(stream: Stream) -> Iterator[Trace]:
    for records in _merged(stream.rows(_is_content)):
        yield from traces(stream, records[:1], lambda _, all_of=records: _build(stream, all_of))  # type: ignore[misc]


READER = Reader(
    name="gemini-contents",
    description="Gemini contents: requests with contents and tools, responses with candidates, lists of contents",
    detect=_detect,
    read=_read,
    marks="contents with role and parts: functionCall, functionResponse, in either spelling",
    lacks=(
        "ids of calls, mostly: results are joined by name and order",
        "a flag for a tool error: only its payload says so",
        "searches that the model made on its own (grounding)",
        "times",
    ),
)
