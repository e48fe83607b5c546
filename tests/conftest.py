"""What several test files share: traces and verdicts small enough to check by eye."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rootcall.check import Check
from rootcall.readers import Reading, read
from rootcall.trace import Trace

DATA = Path(__file__).parent.parent / "src" / "rootcall" / "data"

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
    },
}


@pytest.fixture
def bundled() -> Path:
    """The folder of the traces that come with rootcall."""
    return DATA


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Reading]:
    """Write values as JSON Lines and begin to read them."""

    def write(*values: Any) -> Reading:
        file = tmp_path / "x.jsonl"
        file.write_text("\n".join(json.dumps(v) for v in values))
        return read(file)

    return write


@pytest.fixture
def make_trace() -> Callable[..., Trace]:
    """Build a trace of one user message, some calls of `search`, and an answer."""

    def build(name: str = "t", results: tuple[str | None, ...] = ('{"found": 3}',), **metadata: Any) -> Trace:
        messages: list[dict[str, Any]] = [{"role": "user", "content": f"Search for {name}."}]
        for i, result in enumerate(results):
            call = {"name": "search", "arguments": json.dumps({"day": f"2026-12-0{i + 1}"})}
            messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"c{i}", "function": call}]})
            if result is not None:
                messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": result})
        messages.append({"role": "assistant", "content": "There are 3."})
        return Trace.from_openai(messages, tools=[SEARCH], id=name, metadata=metadata)

    return build


@pytest.fixture
def make_check() -> Callable[..., Check]:
    """Build a check about the first call; `rule` gives the layer."""

    def build(rule: str, status: str, **fields: Any) -> Check:
        layer = rule.partition("/")[0]
        defaults: dict[str, Any] = {
            "unit": f"{layer}:messages[1].calls[0]",
            "at": "messages[1].calls[0]",
            "tool": "search",
            "message": f"{rule} says so",
        }
        return Check(layer=layer, rule=rule, status=status, **{**defaults, **fields})  # type: ignore[arg-type]

    return build
