"""Every public bug report against an evaluator is a test of ours: the verdict must be the one that row asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bugcases import faults, judge, load

ROWS = load(Path(__file__).parent / "data" / "bugcases.jsonl.gz")

# Rows that are not met yet, with the reason. One that starts to pass must be moved out of here.
FORMAT_LATER = "its trace format gets a reader later"
NOT_YET: dict[str, str] = dict.fromkeys(
    [],
    FORMAT_LATER,
)


def _cases() -> list[Any]:
    return [
        pytest.param(
            row,
            id=row["id"],
            marks=[pytest.mark.xfail(reason=NOT_YET[row["id"]], strict=True)] if row["id"] in NOT_YET else [],
        )
        for row in ROWS
    ]


@pytest.mark.parametrize("row", _cases())
def test_gets_the_verdict_it_should(row: dict[str, Any]) -> None:
    assert faults(row, judge(row)) == []


def test_the_rows_not_yet_met_exist() -> None:
    assert set(NOT_YET) <= {row["id"] for row in ROWS}
