"""Langfuse exports: a trace with its observations, read with the mapping that is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootcall.readers.shipped import shipped_reader

__all__ = ["READER"]


def _is_export(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("trace"), Mapping)
        and isinstance(value.get("observations"), list)
    )


READER = shipped_reader(
    name="langfuse",
    description="Langfuse exports: a trace and its observations, whatever framework was traced",
    is_ours=_is_export,
    marks="an object with trace and observations",
    lacks=(
        "a shape of its own for inputs and outputs: each framework has another; change examples/mapping/langfuse.yaml for yours",
    ),
)
