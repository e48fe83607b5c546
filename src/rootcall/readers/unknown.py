"""What a file is that no reader recognises: said in words, so that its owner knows what to do.

Formats are named here that look like traces and cannot be read as one, or cannot be read yet. Naming is all that
happens here; recognising what can be read belongs to the readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rootcall.readers.records import Head

__all__ = ["describe", "run_part"]

_MAGIC: Final = (
    (b"PK\x03\x04", "a zip archive (Inspect writes its .eval logs so)"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "an image"),
    (b"ARROW1", "an Arrow file"),
    (b"BZh9", "a bzip2 file; gzip and zstd can be read"),
    (b"\xfd7zXZ", "an xz file; gzip and zstd can be read"),
)
# What the folder of a run holds, and what `score --jsonl` writes.
_RUN_PARTS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("messages", "steps", "turns", "tools_known", "completeness"), "traces"),
    (("trace", "status", "layers", "root_cause"), "verdicts"),
    (("trace", "number", "check"), "checks"),
    (("schema_version", "rootcall", "summary"), "manifest"),
)
_FRAGMENTS: Final = "fragments of a streamed response, not the response; save the assembled messages instead"
_BEDROCK_EVENTS: Final = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop")
# A key, or keys that stand together, and the format they tell.
_KEYS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("messages_display",), "tau-bench's few-shot rows: transcripts as display text, in which the calls are left out"),
    (("resourceSpans",), "an OTLP trace export"),
    (("resourceLogs",), "an OTLP log export"),
    (("resource", "context", "parent_id"), "OpenTelemetry spans as an SDK prints them"),
    (("simulations", "tasks"), "tau2-bench results"),
    (("timestamp", "info", "tasks"), "tau2-bench results without their simulations, which stand in files beside it"),
    (("jsonrpc",), "a log of MCP messages"),
    (("eval", "samples"), "an Inspect log"),
    (("run_type",), "LangSmith runs"),
    (("span_attributes",), "Braintrust spans"),
    (("span_tree",), "a tree of Braintrust spans"),
    (("tasks_output",), "the output of a CrewAI crew"),
    (("task", "task_images"), "the memory of a smolagents agent"),
    (
        ("history", "mistake_agent"),
        "a row of Who&When: a conversation of agents in words, in which no call stands apart",
    ),
    (("projectHash",), "a Gemini CLI session"),
    (("events", "appName"), "a Google ADK session"),
    (("eval_set_id",), "a Google ADK eval set"),
    (("query", "expected_tool_use"), "a Google ADK eval set of the older kind"),
    (("events", "current_agent_name"), "a Google ADK session of the older kind"),
    (("agent", "steps", "schema_version"), "an ATIF trajectory"),
    (("role", "parts"), "Gemini contents, or AI SDK UI messages"),
    (("role", "contents"), "Agent Framework messages"),
    (("kind", "parts"), "pydantic-ai messages"),
    (("type", "source", "content"), "AutoGen messages"),
    (("conversations",), "ShareGPT rows"),
    (("traceEvents",), "a browser's performance trace"),
)


def describe(head: Head) -> str:
    """Say what stands in a file: the format where it can be told, and the type and keys that were seen."""
    magic = next((name for start, name in _MAGIC if head.start.startswith(start)), None)
    if magic is not None:
        return magic
    if head.start.lstrip().startswith((b"data:", b"event:")):
        return f"a server-sent event stream: {_FRAGMENTS}"
    if not head.values:
        text = head.start[:60].decode("utf-8", "replace").split("\n", 1)[0].strip()
        return f"text that is no JSON, beginning {text!r}" if text else "nothing"
    named = next(filter(None, (_named(v) for value in head.values for v in _flat(value))), None)
    seen = _seen(head.values[0])
    if head.container == "array":
        seen = f"an array of {seen.replace('an object', 'objects', 1)}"
    return f"{named} ({seen})" if named else seen


def run_part(head: Head) -> str | None:
    """Which part of a run that was scored a file is; None when it is none."""
    first = head.values[0] if head.values else None
    if not isinstance(first, Mapping):
        return None
    return next((part for keys, part in _RUN_PARTS if all(k in first for k in keys)), None)


def _flat(value: object) -> list[Any]:
    return value[:8] if isinstance(value, list) else [value]


def _seen(value: object, depth: int = 0) -> str:
    if isinstance(value, Mapping):
        keys = [str(k)[:40] for k in value]
        more = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
        return f"an object with the keys {', '.join(keys[:8])}{more}" if keys else "an object without keys"
    if isinstance(value, list):
        return f"a list of {len(value)}" + (f", first {_seen(value[0], depth + 1)}" if value and depth < 3 else "")
    return {str: "a text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")


def _named(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return None
    family = _stream_of(value)
    if family is not None:
        return f"{family}: {_FRAGMENTS}"
    kind = value.get("type")
    if value.get("object") == "response" or kind in ("function_call", "function_call_output"):
        return "OpenAI Responses items"
    if kind in ("human", "ai") or "lc" in value:
        return "LangChain messages"
    if value.get("object") in ("trace", "trace.span"):
        return "an OpenAI Agents SDK trace"
    for keys, name in _KEYS:
        if all(k in value for k in keys):
            return name
    listed = value.get("messages")
    inner = [m.get("content") for m in listed[:8] if isinstance(m, Mapping)] if isinstance(listed, list) else []
    return next(filter(None, map(_by_content, (value.get("content"), *inner))), None)


def _stream_of(value: Mapping[str, Any]) -> str | None:
    kind = value["type"] if isinstance(value.get("type"), str) else ""
    if any(k in value for k in _BEDROCK_EVENTS):
        return "Bedrock stream chunks"
    if kind.startswith("response."):
        return "OpenAI Responses stream events"
    return None


def _by_content(content: object) -> str | None:
    parts = content if isinstance(content, list) else []
    kinds = {p["type"] for p in parts if isinstance(p, Mapping) and isinstance(p.get("type"), str)}
    if kinds & {"output_text", "input_text"}:
        return "OpenAI Responses items"
    if any(isinstance(p, Mapping) and isinstance(p.get("value"), str) and "type" in p for p in parts):
        return "messages whose parts have a `value`, as in data sets of LLaMA-Factory"
    if any(isinstance(p, Mapping) and ("toolUse" in p or "toolResult" in p) for p in parts):
        return "Bedrock Converse messages"
    return None
