"""MLflow traces as `Trace.to_json()` writes them, read with the mapping that is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rootcall.readers.shipped import shipped_reader

__all__ = ["READER"]


def _is_trace(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    info, data = value.get("info"), value.get("data")
    return (
        isinstance(info, Mapping)
        and "trace_id" in info
        and isinstance(data, Mapping)
        and isinstance(data.get("spans"), list)
    )


READER = shipped_reader(
    name="mlflow",
    description="MLflow traces as JSON: info, and spans of models and tools",
    is_ours=_is_trace,
    marks="an object with info.trace_id and data.spans",
    lacks=(
        "ids that lead from a tool's span to the call: they are told by tool and arguments",
        "a shape of its own for inputs and outputs; change examples/mapping/mlflow.yaml for yours",
    ),
)
