"""OpenAI Responses items into a `TraceBuilder`: what responses, Agents SDK runs and their traces are made of.

Owns what each type of item means: which of them one response of the model is, which call a provider ran itself and
answered in the same item, and what stands in an item in place of content that was not asked for. How lists of items are
contained belongs to the readers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import as_json, count_calls, id_of, result_text, shape_of, text_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.trace import Role, Source

__all__ = ["Item", "add_items", "expanded_tools", "is_item", "kind_of"]

_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
}
_RUN_BY_CLIENT: Final = frozenset(
    {"function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"}
)
_OTHERS: Final = frozenset(
    {"reasoning", "item_reference", "program", "additional_tools", "mcp_list_tools", "mcp_approval_request",
     "mcp_approval_response", "compaction", "compaction_summary", "compaction_trigger", "context_compaction"}
)  # fmt: skip
_UNDER_WAY: Final = frozenset({"in_progress", "searching", "interpreting", "generating", "calling"})
# What the Agents SDK tells a model whose call a person refused.
_REFUSED: Final = "Tool execution was not approved."
# What to ask for so that the result of a hosted tool is in the response.
_INCLUDE: Final[Mapping[str, str]] = {
    "web_search_call": "web_search_call.action.sources",
    "file_search_call": "file_search_call.results",
    "code_interpreter_call": "code_interpreter_call.outputs",
}
# Keys of a call item that are no arguments.
_NO_ARGUMENTS: Final = frozenset(
    {"type", "id", "call_id", "status", "name", "result", "results", "output", "outputs", "error", "created_by",
     "container_id", "pending_safety_checks", "execution", "caller", "namespace", "server_label", "environment", "agent",
     "fingerprint", "approval_request_id"}
)  # fmt: skip


class Item(NamedTuple):
    """One item, where it stands, its number in the raw list, and the agent whose it is."""

    value: Any
    source: Source
    number: int
    agent: str | None = None


def kind_of(value: Mapping[str, Any]) -> str:
    """The type of an item; a bare `{role, content}` is a message."""
    return word_in(value, "type") or ("message" if "role" in value else "")


def is_item(value: object) -> bool:
    """Tell whether a value is an item that no other format has: a call, an output, or a message in parts of its own."""
    if not isinstance(value, Mapping):
        return False
    kind = word_in(value, "type")
    if kind in _OTHERS:
        return True
    if kind.endswith("tool_call") and kind != "custom_tool_call":
        return False  # a part of a message in other formats
    if kind.endswith(("_call", "_call_output")) or kind in ("tool_search_output", "program_output"):
        return "role" not in value and not isinstance(value.get("function"), Mapping)
    content = value.get("content")
    parts = content if kind in ("", "message") and "role" in value and isinstance(content, list) else []
    return any(isinstance(p, Mapping) and word_in(p, "type") in ("output_text", "input_text") for p in parts)


def expanded_tools(tools: object, items: Iterable[object]) -> Any:
    """The tools of a request one by one: those of namespaces, of the MCP servers named, and those found on the way.

    An MCP tool that was called without a list of its server's tools is known by its name alone.
    """
    if not isinstance(tools, list):
        return tools
    out: list[Any] = []
    for tool in tools:
        inner = tool.get("tools") if isinstance(tool, Mapping) and tool.get("type") == "namespace" else None
        if isinstance(inner, list):
            out += inner
        elif not (isinstance(tool, Mapping) and word_in(tool, "type") in ("mcp", "tool_search")):
            out.append(tool)
    names = {word_in(t, "name") for t in out if isinstance(t, Mapping)}
    for item in items:
        if not isinstance(item, Mapping):
            continue
        kind, found = word_in(item, "type"), item.get("tools")
        if kind in ("mcp_list_tools", "tool_search_output", "additional_tools") and isinstance(found, list):
            new = [t for t in expanded_tools(found, ()) if isinstance(t, Mapping) and word_in(t, "name") not in names]
        elif kind in ("mcp_call", "mcp_approval_request") and word_in(item, "name") not in names:
            new = [{"name": word_in(item, "name")}]
        else:
            continue
        new = [t for t in new if word_in(t, "name")]
        out += new
        names |= {word_in(t, "name") for t in new}
    return out


def add_items(
    builder: TraceBuilder,
    items: Sequence[Item],
    *,
    tools: object = None,
    denied: Collection[str] = (),
) -> None:
    """Add items in their order. `tools` are the specs, for the names of hosted tools; `denied` the ids of calls refused.

    Items of the model in a row are one step, until a hosted tool has answered: what follows was written after it.
    """
    adder = _Adder(builder, items, tools, denied)
    for item in items:
        adder.add(item)
    adder.close()


class _Adder:
    """The step that is being put together, and what is known about the items as a whole."""

    def __init__(self, builder: TraceBuilder, items: Sequence[Item], tools: object, denied: Collection[str]) -> None:
        self._builder = builder
        self._denied = set(denied)
        self._hosted_names = tuple(_hosted_names(tools))
        values = [i.value for i in items if isinstance(i.value, Mapping)]
        calls = [v for v in values if kind_of(v).endswith("_call")]
        self._call_ids = {v.get("call_id") for v in calls if isinstance(v.get("call_id"), str)}
        # Some exports keep the id of the item only, and local shell outputs name that one.
        self._by_item = {str(v["id"]): c for v in calls if isinstance(v.get("id"), str) and (c := _call_id(v))}
        self._answered = {_call_id(v) for v in values if kind_of(v).endswith("_output")}
        self._requested = {word_in(v, "id") for v in values if kind_of(v) == "mcp_approval_request"} - {""}
        for v in values:
            if kind_of(v) == "mcp_approval_response" and v.get("approve") is False:
                self._denied.add(str(v.get("approval_request_id")))
            elif v.get("output") == _REFUSED and (refused := _call_id(v)) is not None:
                self._denied.add(refused)
        self._texts: list[str] = []
        self._calls: list[DraftCall] = []
        self._results: list[tuple[Item, dict[str, Any]]] = []
        self._first: Item | None = None
        self._unasked: set[str] = set()

    def add(self, item: Item) -> None:
        v = item.value
        if not isinstance(v, Mapping):
            what = f"item {item.number} must be an object, got {shape_of(v)}"
            self._builder.problem("item-unreadable", what, item.source, lost=count_calls(v))
            return
        kind = kind_of(v)
        if kind == "message" or ("role" in v and kind in _ROLES):
            self._message(v, item)
        elif kind == "reasoning":
            self._open(item)
        elif kind.endswith("_output"):
            self._output(v, kind, item)
        elif kind.endswith("_call") or kind in ("program", "mcp_approval_request"):
            self._call(v, kind, item)
        elif kind in ("item_reference", "compaction", "compaction_summary", "context_compaction"):
            self.close()
            self._builder.partial_history()
            what = "only the id of an item" if kind == "item_reference" else "a summary in place of earlier items"
            self._builder.problem("history-elsewhere", f"item {item.number} is {what}", item.source)
        elif kind not in _OTHERS:
            self.close()
            named = f"type {kind[:60]!r}" if kind else "no type"
            self._builder.problem("item-unknown", f"item {item.number} has {named}; it is left out", item.source)

    def close(self) -> None:
        """End the step: its message, then what hosted tools answered in it."""
        first, calls, results = self._first, self._calls, self._results
        text = "\n".join(self._texts) if self._texts else None
        self._first, self._texts, self._calls, self._results = None, [], [], []
        if first is None or (text is None and not calls):
            return
        self._builder.message(
            "assistant", text, index=first.number, calls=calls, source=first.source, agent=first.agent
        )
        for item, result in results:
            self._builder.result(index=item.number, source=item.source, **result)

    def _open(self, item: Item, *, beside: bool = False) -> None:
        """Go on with the step, or begin one: when another agent speaks, or after a hosted tool answered.

        Hosted calls in a row stand `beside` each other, unless one failed: then the model read that first.
        """
        failed = any(result["flagged"] for _, result in self._results)
        if (self._results and not (beside and not failed)) or (
            self._first is not None and self._first.agent != item.agent
        ):
            self.close()
        self._first = self._first or item

    def _message(self, v: Mapping[str, Any], item: Item) -> None:
        role = _ROLES.get(word_in(v, "role").lower())
        text = text_of(v.get("content"))
        if role == "assistant":
            self._open(item)
            if self._first is not None and not self._texts and not self._calls:
                self._first = item  # the message is where a person looks, not the thoughts before it
            self._texts += [] if text is None else [text]
            return
        self.close()
        if role is None:
            what = f"item {item.number} has role {as_json(v.get('role'))[:60]}; it is left out"
            self._builder.problem("role-unknown", what, item.source, lost=count_calls(v))
            return
        self._builder.message(role, text, index=item.number, source=item.source, captured=text is not None)

    def _call(self, v: Mapping[str, Any], kind: str, item: Item) -> None:
        call_id = _call_id(v)
        asked_before = kind == "mcp_call" and word_in(v, "approval_request_id") in self._requested
        if asked_before:
            self.close()
            self._builder.result(
                index=item.number, source=item.source, call_id=str(v["approval_request_id"]), **_returned(v, kind)
            )
            return
        name = v.get("name") if kind != "program" else None
        if not isinstance(name, str) or not name:
            if kind in ("function_call", "custom_tool_call", "mcp_call", "mcp_approval_request"):
                what = f"item {item.number} of type {kind} names no tool"
                self._builder.problem("call-unreadable", what, item.source, lost=1)
                return
            name = self._hosted_name(kind)
        hosted = _is_hosted(kind, call_id, self._answered)
        self._open(item, beside=hosted)
        if not self._texts and not self._calls:
            self._first = item
        denied = call_id in self._denied or word_in(v, "id") in self._denied
        self._calls.append(DraftCall(name, _arguments(v, kind), call_id, item.source, item.agent, denied=denied))
        if hosted and word_in(v, "status") not in _UNDER_WAY:
            result = _returned(v, kind)
            self._results.append((item, {"call_id": call_id, "tool": name, **result}))
            if result["text"] is None and kind in _INCLUDE:
                self._say_unasked(kind, name, item)

    def _say_unasked(self, kind: str, name: str, item: Item) -> None:
        if kind not in self._unasked:
            self._unasked.add(kind)
            what = f"what {name} returned is not in the response; ask for it with include=[{_INCLUDE[kind]!r}]"
            self._builder.problem("content-not-captured", what, item.source)

    def _hosted_name(self, kind: str) -> str:
        """The name under which a hosted tool is declared: its type, of which there are dated variants."""
        plain = {"program": "programmatic_tool_calling"}.get(kind, kind.removesuffix("_call"))
        return next((n for n in self._hosted_names if n == plain), None) or next(
            (n for n in self._hosted_names if n.startswith(plain)), plain
        )

    def _output(self, v: Mapping[str, Any], kind: str, item: Item) -> None:
        self.close()
        call_id = _call_id(v)
        if call_id not in self._call_ids and call_id in self._by_item:
            call_id = self._by_item[call_id]
        self._builder.result(index=item.number, source=item.source, call_id=call_id, **_returned(v, kind))


def _hosted_names(tools: object) -> Iterator[str]:
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, Mapping) and isinstance(tool.get("type"), str) and "name" not in tool:
            yield tool["type"]


def _call_id(v: Mapping[str, Any]) -> str | None:
    return id_of(v.get("call_id")) or id_of(v.get("id"))


def _is_hosted(kind: str, call_id: str | None, answered: Collection[str | None]) -> bool:
    """Tell whether a call holds its own result: the provider ran it, and no output follows."""
    return kind not in _RUN_BY_CLIENT and kind not in ("program", "mcp_approval_request") and call_id not in answered


def _arguments(v: Mapping[str, Any], kind: str) -> Any:
    if kind == "custom_tool_call":
        return {"input": v["input"]} if "input" in v else MISSING
    if kind in ("function_call", "mcp_call", "mcp_approval_request") or "arguments" in v:
        return v.get("arguments", MISSING)
    action = next((v[k] for k in ("action", "operation") if isinstance(v.get(k), Mapping)), None)
    if action is not None:
        return {k: x for k, x in action.items() if k != "sources" and x is not None}
    return {k: x for k, x in v.items() if k not in _NO_ARGUMENTS and x is not None}


def _returned(v: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """What a result item, or a hosted call, says came back: text, flag and payload for `TraceBuilder.result`."""
    error = v.get("error")
    if kind == "mcp_call" and error is not None:
        return {
            "text": result_text(error.get("content", error) if isinstance(error, Mapping) else error),
            "flagged": True,
        }
    flagged = True if word_in(v, "status") == "failed" else None
    if kind == "web_search_call":
        action = v.get("action")
        sources = action.get("sources") if isinstance(action, Mapping) else None
        return {"text": None if sources is None else as_json({"sources": sources}), "flagged": flagged}
    if kind == "shell_call_output":
        return _shell_output(v)
    content = next((v[k] for k in ("output", "results", "outputs", "tools") if v.get(k) is not None), None)
    if kind == "code_interpreter_call" and isinstance(content, list):
        return {"text": "\n".join(_logs(content)), "flagged": flagged}
    if content is None and isinstance(v.get("result"), str):
        content = "<image>" if kind == "image_generation_call" else v["result"]
    if content is None and kind == "mcp_call":
        content = ""
    if isinstance(content, Mapping) and word_in(content, "type") in ("text", "input_text"):
        content = content.get("text")
    written = as_json(content) if kind == "file_search_call" and content is not None else result_text(content)
    return {"text": written, "flagged": flagged}


def _logs(outputs: list[Any]) -> Iterator[str]:
    for output in outputs:
        if isinstance(output, Mapping):
            yield output["logs"] if isinstance(output.get("logs"), str) else f"<{word_in(output, 'type') or 'output'}>"


def _shell_output(v: Mapping[str, Any]) -> dict[str, Any]:
    """A shell's output: of one command as an object, so that its exit code is read as such."""
    chunks = v.get("output")
    if not isinstance(chunks, list) or len(chunks) != 1 or not isinstance(chunks[0], Mapping):
        return {"text": result_text(chunks)}
    outcome = chunks[0].get("outcome")
    ended = outcome if isinstance(outcome, Mapping) else {}
    payload = {k: x for k, x in chunks[0].items() if k in ("stdout", "stderr")}
    if "exit_code" in ended:
        payload["exit_code"] = ended["exit_code"]
    return {
        "text": as_json(chunks),
        "payload": payload,
        "flagged": True if ended.get("type") == "timeout" else None,
    }
