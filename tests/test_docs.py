"""The docs say what is so: generated pages are up to date, links lead somewhere. (Their Python examples run as tests.)"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_generated_pages_and_shown_output_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    for page in PAGES[2:]:
        name = str(page.relative_to(ROOT / "docs"))
        assert name == "index.md" or f"({name})" in index, name


def test_the_readme_is_one_screen_that_starts_with_a_full_use() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 60
    first = text.partition("```sh\n")[2].partition("```")[0]
    assert "make demo" in first
    assert "rootcall score" in first
