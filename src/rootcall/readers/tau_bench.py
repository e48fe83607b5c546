"""tau-bench results: the benchmark's own list of runs (`traj`), and rows with `messages`, `reward` and `task_id`.

Messages are OpenAI chat. Some rows carry `policy`, the key of a policy text, in place of the system prompt: its content
was not captured, and the trace says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.conversation import add_openai
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, Segment, UnknownShape, share, start_trace, traces
from rootcall.trace import Trace

__all__ = ["READER"]

_DOMAINS: Final = re.compile(r"airline|retail|telecom")


def _run_of(value: object) -> tuple[str, list[Any]] | None:
    """The messages of a run and their key."""
    if not isinstance(value, Mapping) or "task_id" not in value or not ("reward" in value or "info" in value):
        return None
    key = "traj" if "traj" in value else "messages"
    messages = value.get(key)
    return (key, messages) if isinstance(messages, list) else None


def _confidence(value: Any) -> float:
    return 1.0 if _run_of(value) is not None else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _build(stream: Stream, record: Record) -> Trace:
    found = _run_of(record.value)
    if found is None:
        raise UnknownShape("is no run: a list under traj or messages, task_id and reward are wanted; it is left out")
    key, messages = found
    value: Mapping[str, Any] = record.value
    task, trial = value["task_id"], value.get("trial", 0)
    domain = value.get("domain")
    if not isinstance(domain, str):
        named = _DOMAINS.search(record.source.file.rpartition("/")[2].lower())
        domain = named.group() if named else None
    rest = {k: v for k, v in value.items() if k not in (key, "tools", "id")}
    rest |= {"case_id": f"{domain}-{task}" if domain else str(task), "trial": trial}
    policy = next((m["policy"] for m in messages if isinstance(m, Mapping) and "policy" in m), None)
    if policy is not None:
        rest["policy"] = policy
    row = Row((Segment(f"/{key}", messages),), value.get("tools"), None, rest)
    builder = start_trace(stream, row, record.source, "tau-bench", id=f"{task}-{trial}")
    add_openai(builder, messages, record.source, pointer=f"/{key}")
    return builder.build()


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream, lambda record: _build(stream, record))


READER = Reader(
    name="tau-bench",
    description="tau-bench results: runs with traj (or messages), reward, task_id and trial",
    detect=_detect,
    read=_read,
    marks="rows with traj and reward",
    lacks=(
        "the tool schemas (give them with --tools)",
        "a flag for a tool error: only its text says so",
    ),
)
