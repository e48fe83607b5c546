"""Messages as spans carry them, in any of the shapes, as one record.

Read here: GenAI parts, OpenAI messages, OpenInference's nested ones, Bedrock and Anthropic blocks, and each of these
as JSON text. Which attribute holds them is `rootcall.readers.spans.conventions`'.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from rootcall.assembly import DraftCall
from rootcall.jsonvalue import MISSING, canonical
from rootcall.payload import decode_arguments, decode_prefix, decode_result, loads
from rootcall.readers.spans.conventions import REDACTED
from rootcall.trace import Role

__all__ = ["Came", "Said", "comparable", "decoded", "flat", "message_in", "result_text", "said_in", "whole_or_cut"]

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant",
    "model": "assistant", "ai": "assistant", "choice": "assistant", "tool": "tool", "function": "tool",
    "tool-response": "tool", "tool-call": "assistant",
}  # fmt: skip
_CALLS: Final = frozenset(
    {"tool_call", "tool_use", "function_call", "server_tool_call", "server_tool_use", "tool-call"}
)
_RESULTS: Final = frozenset(
    {"tool_call_response", "tool_result", "function_call_output", "server_tool_call_response", "tool-result"}
)
_RETOLD: Final = frozenset({"tool-call", "tool-response"})
_OBSERVED = re.compile(r"(?:Call id: (?P<id>\S+)\s+)?(?P<what>Observation|Error):\s*\n?(?P<text>.*)\Z", re.DOTALL)
_THOUGHTS: Final = ("reasoning", "thinking")
_TEXTS: Final = ("text", "content")
_DEEP: Final = 200


class Came(msgspec.Struct, gc=False):
    """A tool result inside a message. `text` is None when its content was not captured; `flagged` what the shape says."""

    text: str | None
    id: str | None = None
    tool: str | None = None
    flagged: bool | None = None


class Said(msgspec.Struct, gc=False):
    """One message. `captured` is False where its content was left out or redacted.

    `ended` says that it carries the reason for which it ended, `retold` that a framework tells in words of its own what
    was called and what came back; `lost` counts calls without a name.
    """

    role: Role
    text: str | None = None
    calls: list[DraftCall] = []
    results: list[Came] = []
    captured: bool = True
    ended: bool = False
    retold: bool = False
    lost: int = 0
    _key: tuple[Any, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """The same for the same message, however it is written; ids have no part in it, since they are reused."""
        if not self._key:
            calls = tuple([(c.tool, comparable(c.arguments)) for c in self.calls])
            results = tuple([_spaceless(r.text) for r in self.results])
            self._key = self.role, _spaceless(self.text), calls, results
        return self._key

    def take(self, other: Said) -> None:
        """Become another message: what was not captured where this one was said, a later history tells."""
        self.text, self.calls, self.captured, self.lost = other.text, other.calls, other.captured, other.lost
        self._key = other.key

    def copy(self) -> Said:
        """The same message with calls of its own."""
        return msgspec.structs.replace(self, calls=[msgspec.structs.replace(c) for c in self.calls])


def comparable(sent: object) -> str:
    """Arguments as a text that is the same for the same arguments, whether they came as an object or as its text."""
    value, raw, _, _ = decode_arguments(sent)
    return canonical(value) if value is not None else f"text {raw}" if raw is not None else ""


def _spaceless(text: str | None) -> str:
    return "" if text is None else "".join(text.split())


def decoded(value: Any) -> Any:
    """Return what a JSON text holds; anything else as it is. A text that is no JSON stays a text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{", '"'):
        try:
            return loads(value)[0]
        except ValueError:
            return value
    return value


def whole_or_cut(value: Any) -> tuple[Any, bool]:
    """Return what a JSON text holds, and whether it was cut: then the complete part of it (exporters cap attributes)."""
    found = decoded(value)
    if isinstance(found, str) and found is value and found.lstrip()[:1] in ("[", "{"):
        part = decode_prefix(found)
        if part is not MISSING:
            return part, True
    return found, False


def said_in(value: Any, role: str = "") -> list[Said]:
    """Read messages: a list of them, one, or the JSON text of either; `role` where the place says who spoke.

    Lists of lists (batches, of which a span has one) are read as one list. A text is one message.
    """
    value = decoded(value)
    if isinstance(value, list):
        if value and all(isinstance(v, list) for v in value):
            value = [m for inner in value for m in inner]
        if role and not any(isinstance(v, Mapping) and ("role" in v or "message" in v) for v in value):
            return [message_in({"content": value}, role)]
        return [message_in(v, role) for v in value if isinstance(v, Mapping | str)]
    if isinstance(value, Mapping):
        inner = value.get("messages")
        return said_in(inner, role) if isinstance(inner, list) else [message_in(value, role)]
    return [message_in({"content": value}, role)] if isinstance(value, str) and role else []


def message_in(value: Any, role: str) -> Said:
    """Read one message; `role` where it does not name its own."""
    if isinstance(value, str):
        value = {"content": value}
    inner = decoded(value.get("message"))
    if isinstance(inner, Mapping) and "role" not in value:
        value = {**value, **inner}
    named = value.get("role")
    said = Said(_ROLES.get(named.lower() if isinstance(named, str) else role, _ROLES.get(role, "user")))
    said.ended = isinstance(value.get("finish_reason"), str) and bool(value["finish_reason"])
    texts: list[str] = []
    bodies = [value.get(k) for k in ("parts", "contents", "content", "text")]
    if isinstance(inner, str | list):
        bodies.append(inner)
    for body in bodies:
        if body is not None:
            _body(said, body, texts, value)
            if texts or said.calls or said.results or not said.captured:
                break
    if texts:
        said.text = "\n".join(texts)
    listed = decoded(value.get("tool_calls"))
    for call in (
        (listed.values() if isinstance(listed, Mapping) else listed) if isinstance(listed, list | Mapping) else ()
    ):
        _add_call(said, call)
    if isinstance(value.get("function_call"), Mapping):
        _add_call(said, value["function_call"])
    if isinstance(value.get("function_call_name"), str):
        sent = value.get("function_call_arguments_json")
        _add_call(said, {"name": value["function_call_name"], **({} if sent is None else {"arguments": sent})})
    if isinstance(named, str) and named.lower() in _RETOLD:
        _retell(said)
    if said.role == "tool" and not said.results:
        name = value.get("name")
        said.results.append(Came(said.text, _id(value, "tool_call_id", "id"), name if isinstance(name, str) else None))
    if said.text is None and not said.calls and not said.results and said.captured:
        said.captured = any(isinstance(b, list) and b for b in bodies)
    return said


def _retell(said: Said) -> None:
    """Read smolagents' own words: `Calling tools:` before a printed list, `Call id: … Observation:` before a result."""
    said.retold = True
    text = said.text or ""
    if said.role == "assistant":
        listed = decode_result(text.partition("\n")[2])
        for call in listed.value if isinstance(listed.value, list) else ():
            _add_call(said, call)
        said.text = None if said.calls else said.text
        return
    found = _OBSERVED.match(text)
    if found is not None:
        said.text = found["text"]
        said.results.append(Came(found["text"], found["id"], None, True if found["what"] == "Error" else None))


def _body(said: Said, body: Any, texts: list[str], message: Mapping[str, Any]) -> None:
    """Read the content of a message: a text, a list of parts, or the JSON text of such a list."""
    if isinstance(body, str):
        inner = decoded(body) if body.lstrip()[:1] == "[" else body
        if not (isinstance(inner, list) and all(map(_is_result if said.role == "tool" else _is_part, inner))):
            _text(said, body, texts)
            return
        body = inner
    if isinstance(body, Mapping):
        body = [body]
    if said.role == "tool" and not (isinstance(body, list) and any(_is_result(p) for p in body)):
        _text(said, result_text(body), texts)
        return
    for part in body if isinstance(body, list) else ():
        _part(said, part, texts, message)


def _text(said: Said, text: str | None, texts: list[str]) -> None:
    if text in REDACTED:
        said.captured = False
    elif text is not None:
        texts.append(text)


def _is_part(part: Any) -> bool:
    return isinstance(part, Mapping) and any(
        k in part for k in ("type", "text", "toolUse", "toolResult", "message_content")
    )


def _is_result(part: Any) -> bool:
    if not isinstance(part, Mapping):
        return False
    kind = part.get("type")
    return (isinstance(kind, str) and kind in _RESULTS) or "toolResult" in part


def _part(said: Said, part: Any, texts: list[str], message: Mapping[str, Any]) -> None:
    if isinstance(part, str):
        _text(said, part, texts)
        return
    if not isinstance(part, Mapping):
        return
    inner = part.get("message_content")
    if isinstance(inner, Mapping):
        part = inner
    kind = part.get("type") if isinstance(part.get("type"), str) else ""
    if isinstance(part.get("toolUse"), Mapping):
        _add_call(said, part["toolUse"])
    elif isinstance(part.get("toolResult"), Mapping):
        said.results.append(_came(part["toolResult"]))
    elif kind in _CALLS:
        _add_call(said, part)
    elif kind in _RESULTS:
        said.results.append(_came(part))
    elif not str(kind).endswith(_THOUGHTS):
        words = next((part[k] for k in _TEXTS if isinstance(part.get(k), str)), None)
        if words is None and kind == "text":
            said.captured = False
        _text(said, words, texts)


def _add_call(said: Said, call: Any) -> None:
    body = call
    for key in ("tool_call", "function"):
        if isinstance(body, Mapping) and isinstance(body.get(key), Mapping):
            body = {**body, **body[key]}
    if isinstance(body, Mapping) and isinstance(inner := body.get("server_tool_call"), Mapping):
        # A tool of the provider has a shape of its own, which is what it was called with.
        body = {**body, "arguments": inner.get("arguments", {k: v for k, v in inner.items() if k != "type"})}
    name = (
        next((body[k] for k in ("name", "tool_name") if isinstance(body.get(k), str)), "")
        if isinstance(body, Mapping)
        else ""
    )
    if not name:
        said.lost += 1
        return
    keys = [k for k in ("arguments", "input", "args") if k in body]
    sent = body[keys[0]] if keys else MISSING
    redacted = sent is MISSING or (isinstance(sent, str) and sent in REDACTED)
    said.calls.append(
        DraftCall(
            name,
            MISSING if redacted else sent,
            _id(body, "id", "toolUseId", "tool_call_id", "call_id"),
            captured=not redacted,
        )
    )


def _came(body: Mapping[str, Any]) -> Came:
    keys = [k for k in ("response", "result", "content", "output", "server_tool_call_response") if k in body]
    status = body.get("status")
    flagged = True if status == "error" or body.get("is_error") is True else None
    if flagged is None and (status == "success" or body.get("is_error") is False):
        flagged = False
    name = body.get("name")
    text = result_text(body[keys[0]]) if keys else None
    return Came(None if text in REDACTED else text, _id(body, "id", "toolUseId", "tool_use_id", "tool_call_id", "call_id"),
                name if isinstance(name, str) else None, flagged)  # fmt: skip


def result_text(value: Any) -> str | None:
    """Return the text of a tool result. Blocks that hold nothing but texts are joined, other values kept as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        texts = list(_block_texts(value))
        if len(texts) == len(value):
            return "\n".join(texts)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return f"<{type(value).__name__} that cannot be written as JSON>"


def _block_texts(blocks: list[Any]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Mapping) and isinstance(block.get("message_content"), Mapping):
            block = block["message_content"]  # noqa: PLW2901
        if isinstance(block, Mapping) and set(block) <= {"text", "type"} and isinstance(block.get("text"), str):
            yield block["text"]
        elif isinstance(block, Mapping) and set(block) == {"json"}:
            yield json.dumps(block["json"], ensure_ascii=False)


def _id(value: Mapping[str, Any], *keys: str) -> str | None:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found:
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return None


def flat(messages: Iterable[Said]) -> list[Said]:
    """Messages with each tool result as one of its own: histories bundle them in different ways."""
    found: list[Said] = []
    for m in messages:
        if not m.results:
            found.append(m)
            continue
        results = [Said("tool", r.text, results=[r], captured=r.text is not None, retold=m.retold) for r in m.results]
        rest = m.role != "tool" and (m.text is not None or m.calls)
        own = [Said(m.role, m.text, m.calls, captured=m.captured, ended=m.ended, lost=m.lost)] if rest else []
        found += [*own, *results] if m.role == "assistant" else [*results, *own]
    return found
