"""Every example script prints what its own text says."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent.parent / "examples").rglob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_an_example_prints_what_it_says(script: Path) -> None:
    text = ast.get_docstring(ast.parse(script.read_text("utf-8")))
    assert text is not None
    said = textwrap.dedent(text.partition("prints:\n")[2]).strip()
    assert said, "the example does not say what it prints"
    done = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said


def test_there_are_examples() -> None:
    assert len(SCRIPTS) >= 3
