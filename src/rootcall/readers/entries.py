"""Messages of chat APIs and of LangChain, in any encoding, as `Entry`s: what run trees and traces hold as values.

Owns how one message is read where it stands alone, apart from any list: OpenAI chat, Anthropic blocks, and LangChain's
three encodings (`dumpd`, `message_to_dict`, `model_dump`). A message is one entry, or several where it holds results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import below, id_of, result_text, text_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.items import Item, add_items, is_item
from rootcall.trace import Role, Source

__all__ = ["Entry", "LangChain", "add_entry", "entries_of", "items_entries", "langchain_message"]

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_CLASSES: Final = ("Human", "AI", "System", "Tool", "Function", "Chat", "Remove")
_CALLS: Final = ("tool_use", "tool_call", "invalid_tool_call")
_RESULTS: Final = ("tool_result", "server_tool_result")


class Entry(NamedTuple):
    """A message as a model was given it or gave it; for the role `tool`, the result of a call.

    `lost` counts the calls in it that name no tool.
    """

    role: Role
    text: str | None
    source: Source
    calls: tuple[DraftCall, ...] = ()
    call_id: str | None = None
    tool: str | None = None
    flagged: bool | None = None
    agent: str | None = None
    timestamp: str | None = None
    captured: bool = True
    lost: int = 0


class LangChain(NamedTuple):
    """A LangChain message: its kind (`human`, `ai`, `tool`…), its fields, and the pointer that leads to them."""

    kind: str
    fields: Mapping[str, Any]
    pointer: str


def langchain_message(value: object) -> LangChain | None:
    """Recognise a LangChain message in any of its encodings; None when it is none.

    A bare `{type, content}` counts only beside a key that LangChain alone writes.
    """
    if not isinstance(value, Mapping):
        return None
    kwargs, path = value.get("kwargs"), value.get("id")
    if "lc" in value and isinstance(kwargs, Mapping) and isinstance(path, list) and path:
        kind = _class_kind(str(path[-1]))
        return LangChain(kind, kwargs, "/kwargs") if kind else None
    kind = word_in(value, "type")
    kind = _class_kind(kind) or kind
    if kind not in ("human", "ai", "system", "tool", "function", "chat", "remove"):
        return None
    data = value.get("data")
    if isinstance(data, Mapping) and "content" in data:
        return LangChain(kind, data, "/data")
    ours = ("additional_kwargs", "response_metadata", "tool_calls", "tool_call_id", "example", "usage_metadata")
    bare = "content" in value and ("role" not in value or kind == "chat")
    if bare and (kind in ("human", "ai") or any(k in value for k in ours)):
        return LangChain(kind, value, "")
    return None


def _class_kind(name: str) -> str:
    """The kind that a class name means: `AIMessageChunk` is `ai`."""
    stem = name.removesuffix("Chunk").removesuffix("Message")
    return stem.lower() if stem != name and stem in _CLASSES else ""


def entries_of(value: object, source: Source, *, agent: str | None = None) -> list[Entry]:
    """Read one message. What is none gives an empty list."""
    found = langchain_message(value)
    if found is not None:
        return _langchain_entries(found, below(source, found.pointer), agent)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value):
        role = _ROLES.get(value[0].lower())  # the short form of a message: a role and a text
        return [Entry(role, value[1], source, agent=agent)] if role is not None and role != "tool" else []
    if not isinstance(value, Mapping):
        return []
    role = _ROLES.get(word_in(value, "role").lower())
    if role is None:
        return []
    named = word_in(value, "name") or None
    if role == "tool":
        call_id = id_of(value.get("tool_call_id"))
        return [_told(value, source, call_id, named)]
    calls, lost = _chat_calls(value, source)
    return _said(role, value.get("content"), source, calls, lost, agent or (named if role == "assistant" else None))


def _langchain_entries(m: LangChain, source: Source, agent: str | None) -> list[Entry]:
    kind = word_in(m.fields, "role").lower() if m.kind == "chat" else m.kind
    role = _ROLES.get(kind)
    if role is None:
        return []
    named = word_in(m.fields, "name") or None
    if role == "tool":
        return [_told(m.fields, source, id_of(m.fields.get("tool_call_id")), named)]
    calls, lost = _langchain_calls(m.fields, source) if role == "assistant" else ([], 0)
    who = (named or agent) if role == "assistant" else None
    return _said(role, m.fields.get("content"), source, calls, lost, who)


def _told(fields: Mapping[str, Any], source: Source, call_id: str | None, tool: str | None) -> Entry:
    """A result. LangChain's status is `success` for all that raised nothing, so that only the other word tells."""
    bad = word_in(fields, "status") == "error" or any(fields.get(k) is True for k in ("is_error", "error"))
    text = result_text(fields.get("content"))
    return Entry("tool", text, source, call_id=call_id, tool=tool, flagged=True if bad else None)


def _said(
    role: Role, content: object, source: Source, calls: list[DraftCall], lost: int, agent: str | None
) -> list[Entry]:
    """A message of anyone but a tool. Blocks may hold calls (those of `calls` once more, or a server's) and results."""
    if not isinstance(content, list):
        text = text_of(content)
        captured = text is not None or bool(calls)
        return [Entry(role, text, source, tuple(calls), agent=agent, captured=captured, lost=lost)]
    out: list[Entry] = []
    texts: list[object] = []
    asked, results = list(calls), list[Entry]()

    def end(*, last: bool = False) -> None:
        text = text_of(texts)
        if role == "assistant" and (text is not None or asked or (last and not out)):
            captured = text is not None or bool(asked)
            out.append(Entry(role, text, source, tuple(asked), agent=agent, captured=captured, lost=lost))
        out.extend(results)
        if role != "assistant" and (text is not None or (last and not out)):
            out.append(Entry(role, text, source, agent=agent, captured=text is not None, lost=lost))
        texts.clear()
        asked.clear()
        results.clear()

    for n, part in enumerate(content):
        kind = word_in(part, "type") if isinstance(part, Mapping) else "text"
        place = below(source, f"/content/{n}")
        if isinstance(part, Mapping) and kind.endswith(_RESULTS):
            results.append(_block_result(part, place))
        elif isinstance(part, Mapping) and kind.endswith(_CALLS) and role == "assistant":
            call = _block_call(part, place)
            if call is not None and (not calls or kind.startswith(("server", "mcp"))):
                if results:
                    end()
                asked.append(call)
        else:
            if results and role == "assistant" and text_of([part]) is not None:
                end()
            texts.append(part)
    end(last=True)
    return [*out[:1], *(e._replace(lost=0) for e in out[1:])]


def _block_call(part: Mapping[str, Any], place: Source) -> DraftCall | None:
    name = word_in(part, "name")
    arguments = next((part[k] for k in ("input", "args", "arguments") if k in part), MISSING)
    return DraftCall(name, arguments, id_of(part.get("id")), place) if name else None


def _block_result(part: Mapping[str, Any], place: Source) -> Entry:
    content = next((part[k] for k in ("content", "output") if k in part), "")
    bad = part.get("is_error") is True or word_in(part, "status") == "error"
    bad = bad or (isinstance(content, Mapping) and word_in(content, "type").endswith("error"))
    call_id = id_of(part.get("tool_use_id")) or id_of(part.get("tool_call_id"))
    return Entry("tool", result_text(content), place, call_id=call_id, flagged=True if bad else None)


def _langchain_calls(fields: Mapping[str, Any], source: Source) -> tuple[list[DraftCall], int]:
    """The calls of an AI message: those read, those whose arguments did not parse, else the provider's own copy."""
    calls: list[DraftCall] = []
    lost = 0
    for key in ("tool_calls", "invalid_tool_calls"):
        listed = fields.get(key)
        for n, c in enumerate(listed if isinstance(listed, list) else ()):
            name = word_in(c, "name") if isinstance(c, Mapping) else ""
            if not name and isinstance(c, Mapping) and isinstance(c.get("function"), Mapping):
                return _chat_calls(fields, source)
            if not name:
                lost += 1
                continue
            calls.append(DraftCall(name, c.get("args", MISSING), id_of(c.get("id")), below(source, f"/{key}/{n}")))
    extra = fields.get("additional_kwargs")
    if not calls and not lost and isinstance(extra, Mapping):
        return _chat_calls(extra, below(source, "/additional_kwargs"))
    return calls, lost


def _chat_calls(fields: Mapping[str, Any], source: Source) -> tuple[list[DraftCall], int]:
    return _split(_listed_calls(fields, source))


def _listed_calls(fields: Mapping[str, Any], source: Source) -> Iterator[DraftCall | None]:
    listed = fields.get("tool_calls")
    if not isinstance(listed, list):
        legacy = fields.get("function_call")
        listed = [{"function": legacy}] if isinstance(legacy, Mapping) else []
    for n, c in enumerate(listed):
        body: Mapping[str, Any] = c if isinstance(c, Mapping) else {}
        custom = isinstance(body.get("custom"), Mapping)
        inner = next((body[k] for k in ("function", "custom") if isinstance(body.get(k), Mapping)), body)
        name = word_in(inner, "name")
        arguments = next((inner[k] for k in ("arguments", "input", "args") if k in inner), MISSING)
        if custom and isinstance(arguments, str):
            arguments = {"input": arguments}
        place = below(source, f"/tool_calls/{n}")
        yield DraftCall(name, arguments, id_of(body.get("id")), place) if name else None


def _split(calls: Iterator[DraftCall | None]) -> tuple[list[DraftCall], int]:
    all_calls = list(calls)
    good = [c for c in all_calls if c is not None]
    return good, len(all_calls) - len(good)


def add_entry(builder: TraceBuilder, e: Entry, index: int) -> None:
    """Add an entry that no other one repeats."""
    if e.lost:
        builder.problem(
            "call-unreadable", f"messages[{index}] has {e.lost} calls that name no tool", e.source, lost=e.lost
        )
    if e.role == "tool":
        tool = e.tool if e.call_id is None else None
        builder.result(e.text, index=index, call_id=e.call_id, tool=tool, flagged=e.flagged, source=e.source)
        return
    builder.message(
        e.role,
        e.text,
        index=index,
        calls=e.calls,
        source=e.source,
        agent=e.agent,
        timestamp=e.timestamp,
        captured=e.captured,
    )


class _Recorder(TraceBuilder):
    """Takes messages and results as a builder does, and keeps them as entries."""

    def __init__(self) -> None:
        super().__init__("")
        self.entries: list[Entry] = []

    def message(
        self,
        role: Role,
        text: str | None,
        *,
        index: int,
        calls: Sequence[DraftCall] = (),
        source: Source | None = None,
        agent: str | None = None,
        timestamp: str | None = None,
        captured: bool = True,
        same_step: bool = False,
    ) -> None:
        self.entries.append(Entry(role, text, source or Source(), tuple(calls), agent=agent, captured=captured))

    def result(self, text: str | None, **told: Any) -> None:
        source, call_id = told.get("source") or Source(), told.get("call_id")
        self.entries.append(
            Entry("tool", text, source, call_id=call_id, tool=told.get("tool"), flagged=told.get("flagged"))
        )

    def problem(self, code: str, message: str, source: Source | None = None, *, lost: int = 0) -> None:
        if lost:
            self.entries.append(Entry("assistant", None, source or Source(), captured=False, lost=lost))


def items_entries(values: Sequence[Any], source: Source, *, agent: str | None = None) -> list[Entry]:
    """The entries of OpenAI Responses items; none when the values are no items."""
    if not any(map(is_item, values)):
        return []
    recorder = _Recorder()
    add_items(recorder, [Item(v, below(source, f"/{i}"), i, agent) for i, v in enumerate(values)])
    return recorder.entries
