"""Every public bug report against an evaluator is a test of ours: the verdict must be the one that row asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugcases import faults, judge, load

ROWS = load(Path(__file__).parent / "data" / "bugcases.jsonl.gz")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_gets_the_verdict_it_should(row: dict[str, Any]) -> None:
    assert faults(row, judge(row)) == []
