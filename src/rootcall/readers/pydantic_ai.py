"""pydantic-ai message histories: what `result.all_messages_json()` and a conversation store write.

    [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": …}]},
     {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": …, "args": …, "tool_call_id": …}]}, …]

A row may also hold the list under `messages`, `all_messages` or `message_history`. Spans of pydantic-ai are read by
`rootcall.readers.spans`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import builder_for, text_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import UnknownShape, share, trace_id, traces
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_KEYS: Final = ("messages", "all_messages", "message_history", "new_messages")
_CALLS: Final = frozenset({"tool-call", "builtin-tool-call", "native-tool-call"})
_RETURNS: Final = frozenset({"tool-return", "builtin-tool-return", "native-tool-return"})
_FAILED: Final = frozenset({"failed", "retried"})
_INSTRUCTIONS: Final = frozenset({"system-prompt", "instruction"})


def _is_message(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and value.get("kind") in ("request", "response")
        and isinstance(value.get("parts"), list)
    )


def _listed(value: object) -> tuple[list[Any], str] | None:
    """The messages of a value, and the pointer to them."""
    if isinstance(value, list):
        return (value, "") if any(map(_is_message, value)) else None
    if isinstance(value, Mapping):
        for key in _KEYS:
            inner = value.get(key)
            if isinstance(inner, list) and any(map(_is_message, inner)):
                return inner, f"/{key}"
    return None


def _detect(head: Head) -> float:
    if head.container == "array" and head.values and _is_message(head.values[0]):
        return 1.0
    return share(head, lambda value: 1.0 if _listed(value) is not None else 0.0)


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream.rows(_is_message), lambda record: _build(stream, record))


def _build(stream: Stream, record: Record) -> Trace:
    found = _listed(record.value)
    if found is None:
        raise UnknownShape("holds no list of pydantic-ai messages; it is left out")
    messages, pointer = found
    row = record.value if isinstance(record.value, Mapping) else {}
    first = next((m for m in messages if isinstance(m, Mapping)), {})
    rest = {k: v for k, v in row.items() if k not in (*_KEYS, "id", "metadata", "tools")}
    own = row.get("metadata")
    metadata = {**rest, **(own if isinstance(own, Mapping) else {})}
    model = next(
        (m["model_name"] for m in messages if isinstance(m, Mapping) and isinstance(m.get("model_name"), str)), None
    )
    if model is not None:
        metadata.setdefault("model", model)
    builder = builder_for(
        row.get("tools"),
        id=trace_id(row or {k: first[k] for k in ("run_id",) if k in first}, record.source),
        metadata=metadata,
        source=record.source,
        format="pydantic-ai",
        side_tools=stream.tools,
    )
    _Adding(builder, Source(record.source.file, record.source.line, record.source.pointer + pointer)).all(messages)
    return builder.build()


class _Adding:
    def __init__(self, builder: TraceBuilder, source: Source) -> None:
        self._builder, self._source = builder, source
        self._instructions: str | None = None
        self._asked: list[DraftCall] = []

    def all(self, messages: list[Any]) -> None:
        for i, m in enumerate(messages):
            where = Source(self._source.file, self._source.line, f"{self._source.pointer}/{i}")
            if not _is_message(m):
                what = f"messages[{i}] must be a request or a response with parts"
                self._builder.problem("message-unreadable", what, where, lost=_count_calls(m))
            elif m["kind"] == "request":
                self._request(m, i, where)
            else:
                self._response(m, i, where)

    def _request(self, m: Mapping[str, Any], i: int, where: Source) -> None:
        instructions = m.get("instructions")
        if isinstance(instructions, str) and instructions and instructions != self._instructions:
            self._instructions = instructions
            self._builder.message("system", instructions, index=i, source=where)
        for n, part in enumerate(m["parts"]):
            place = Source(where.file, where.line, f"{where.pointer}/parts/{n}")
            if isinstance(part, Mapping):
                self._part(part, m, i, place)
            else:
                self._unreadable(f"messages[{i}].parts[{n}]", part, place)

    def _part(self, part: Mapping[str, Any], m: Mapping[str, Any], i: int, place: Source) -> None:
        kind = word_in(part, "part_kind")
        if kind == "user-prompt":
            text = text_of(part.get("content"))
            stamp = word_in(part, "timestamp") or word_in(m, "timestamp") or None
            self._builder.message("user", text, index=i, source=place, timestamp=stamp, captured=text is not None)
        elif kind in _INSTRUCTIONS:
            text = text_of(part.get("content"))
            self._builder.message("system", text, index=i, source=place, captured=text is not None)
        elif kind in _RETURNS:
            self._returned(part, i, place)
        elif kind in ("retry-prompt", "retry-feedback"):
            text = _told(part.get("content"))
            if (part.get("tool_name") is None and part.get("tool_call_id") is None) or kind == "retry-feedback":
                self._builder.message("user", text, index=i, source=place, captured=text is not None)
            else:
                self._result(part, text, i, place, flagged=True, evidence="retry-prompt")
        elif kind in _CALLS:
            self._builder.problem("calls-misplaced", f"messages[{i}]: a request cannot call tools", place, lost=1)

    def _response(self, m: Mapping[str, Any], i: int, where: Source) -> None:
        texts: list[str] = []
        calls: list[DraftCall] = []
        returned: list[tuple[Mapping[str, Any], Source]] = []
        silent = True
        for n, part in enumerate(m["parts"]):
            place = Source(where.file, where.line, f"{where.pointer}/parts/{n}")
            kind = word_in(part, "part_kind") if isinstance(part, Mapping) else ""
            silent = silent and kind in ("thinking", "")
            if not isinstance(part, Mapping):
                self._unreadable(f"messages[{i}].parts[{n}]", part, place)
            elif kind in _CALLS:
                name = part.get("tool_name")
                if isinstance(name, str) and name:
                    calls.append(DraftCall(name, part.get("args", MISSING), _id(part), place))
                else:
                    self._builder.problem("call-unreadable", f"messages[{i}].parts[{n}] names no tool", place, lost=1)
            elif kind in _RETURNS:
                returned.append((part, place))
            elif kind == "text" and isinstance(part.get("content"), str):
                texts.append(part["content"])
        text = "\n".join(texts) if texts else None
        self._asked += calls
        self._builder.message(
            "assistant", text, index=i, calls=calls, source=where, timestamp=word_in(m, "timestamp") or None,
            captured=text is not None or bool(calls) or not silent,
        )  # fmt: skip
        for part, place in returned:  # tools that ran at the model's own provider answer in the same message
            self._returned(part, i, place)

    def _returned(self, part: Mapping[str, Any], i: int, place: Source) -> None:
        outcome = word_in(part, "outcome")
        if outcome == "interrupted":
            return
        if outcome == "denied":
            call_id = _id(part)
            denied = next((c for c in self._asked if c.id == call_id and not c.denied), None)
            if denied is not None:
                denied.denied = True
        flagged = True if outcome in (*_FAILED, "denied") else False if outcome == "success" else None
        self._result(part, _told(part.get("content")), i, place, flagged=flagged, evidence=outcome if flagged else None)

    def _result(
        self,
        part: Mapping[str, Any],
        text: str | None,
        i: int,
        place: Source,
        *,
        flagged: bool | None,
        evidence: str | None,
    ) -> None:
        name = part.get("tool_name")
        call_id = _id(part)
        self._builder.result(
            text, index=i, call_id=call_id, tool=name if isinstance(name, str) and call_id is None else None,
            flagged=flagged, evidence=evidence, source=place,
        )  # fmt: skip

    def _unreadable(self, at: str, part: object, place: Source) -> None:
        self._builder.problem("part-unreadable", f"{at} must be an object", place, lost=_count_calls(part))


def _told(content: object) -> str | None:
    """What a tool returned, as the model is told it: texts as they are, everything else as JSON."""
    if content is None or isinstance(content, str):
        return content
    try:
        return json.dumps(content, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return f"<{type(content).__name__} that cannot be written as JSON>"


def _id(part: Mapping[str, Any]) -> str | None:
    found = part.get("tool_call_id")
    return found if isinstance(found, str) and found else None


def _count_calls(value: object) -> int:
    parts = value.get("parts") if isinstance(value, Mapping) else value
    listed = parts if isinstance(parts, list) else []
    return sum(isinstance(p, Mapping) and p.get("part_kind") in _CALLS for p in listed)


READER = Reader(
    name="pydantic-ai",
    description="pydantic-ai message histories: all_messages_json() and rows that hold such a list",
    detect=_detect,
    read=_read,
    marks="objects with kind request or response and parts with part_kind",
    lacks=("the tools (give them with --tools)",),
)
