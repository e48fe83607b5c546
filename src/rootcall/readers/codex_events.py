"""The events of `codex exec --json`: items of work that start and complete, and what the agent says between them.

What was asked is not among them, nor are the names by which the model knows its tools: the kind of work stands in for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rootcall.conversation import below, word_in
from rootcall.jsonvalue import MISSING
from rootcall.readers.codex_session import End, Session, ended
from rootcall.readers.script import id_of, value_text
from rootcall.trace import Source

__all__ = ["Events"]

_WORK: Final = frozenset({"command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call"})
_UNDONE: Final = frozenset({"in_progress", "inProgress", "incomplete", "pending"})


class Events:
    """The events of one thread. A call that starts after another one came back belongs to the next model response."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._running: set[str] = set()
        self._settled = False

    def take(self, kind: str, value: Mapping[str, Any], at: Source) -> None:
        """Take one event."""
        session, item = self._session, value.get("item")
        if kind == "turn.completed":
            session.flush()
        elif kind in ("turn.failed", "error"):
            error = value.get("error")
            told = word_in(error if isinstance(error, Mapping) else value, "message")
            session.script.builder.problem("turn-failed", f"the turn failed: {told[:200]}", at)
        elif isinstance(item, Mapping) and kind.startswith("item."):
            session.items += 1
            self._item(kind, item, below(at, "/item"))

    def _item(self, kind: str, item: Mapping[str, Any], at: Source) -> None:
        """One item: a call when it starts, its result when it is completed; some are told once, when they are over."""
        session = self._session
        sort, name = word_in(item, "type"), id_of(item.get("id")) or f"{at.line}{at.pointer}"
        if sort == "agent_message" and kind == "item.completed":
            session.flush()
            session.part(word_in(item, "text"), at, None)
        elif sort == "error" and kind == "item.completed":
            session.script.builder.problem("harness-error", word_in(item, "message")[:200], at)
        elif sort in _WORK:
            if name not in self._running:
                if self._settled:
                    session.flush()
                self._settled = False
                tool, arguments = _requested(item)
                session.call(tool, arguments, name, at, None)
                self._running.add(name)
            if kind == "item.completed" and word_in(item, "status") not in _UNDONE:
                text, end, evidence = _came_back(item)
                session.answer(text, name, at, end, evidence=evidence)
                self._settled = True


def _requested(item: Mapping[str, Any]) -> tuple[str, Any]:
    """The tool and the arguments of a piece of work."""
    sort = word_in(item, "type")
    if sort == "mcp_tool_call":
        return word_in(item, "tool"), item.get("arguments", MISSING)
    if sort == "collab_tool_call":
        return word_in(item, "tool"), {"prompt": item["prompt"]} if item.get("prompt") is not None else {}
    key = {"command_execution": "command", "file_change": "changes", "web_search": "query"}[sort]
    return sort, {key: item[key]} if key in item else MISSING


def _came_back(item: Mapping[str, Any]) -> tuple[str | None, End, str | None]:
    """The text of a result, how the call ended, and by what that is told."""
    status, sort = word_in(item, "status"), word_in(item, "type")
    failed = True if status == "failed" else None
    if status == "declined":
        return value_text(item.get("aggregated_output") or "The user declined."), End(True, denied=True), "declined"
    if sort == "command_execution":
        output = value_text(item.get("aggregated_output", ""))
        end = ended(item.get("exit_code"), output) if isinstance(item.get("exit_code"), int) else End(failed)
        return output, end, "exit code" if end.failed else None
    if sort == "mcp_tool_call":
        error, result = item.get("error"), item.get("result")
        if isinstance(error, Mapping):
            return word_in(error, "message"), End(True), "error"
        content = result["content"] if isinstance(result, Mapping) and "content" in result else result
        return value_text(content), End(failed), None
    # The results of searches are not part of the events.
    return None if sort == "web_search" else status, End(failed), None
