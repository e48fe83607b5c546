"""The public names of the package: few, loaded when used, all there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rootcall


def test_every_public_name_is_there_and_listed() -> None:
    assert len(rootcall.__all__) <= 25
    for name in rootcall.__all__:
        assert getattr(rootcall, name) is not None
        assert name in dir(rootcall)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'verdcit'"):
        rootcall.verdcit  # noqa: B018 -- the access is the test


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, rootcall; print(*sorted(m for m in sys.modules if m.split('.')[0] in ('rootcall', 'rich', 'click', 'msgspec', 'yaml')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["rootcall"]


def test_scoring_loads_no_report_and_no_yaml(bundled: Path) -> None:
    code = f"import sys, rootcall; rootcall.score(rootcall.read({str(bundled / 'flight.jsonl')!r})); print(*[m for m in ('rich', 'click', 'yaml') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "rootcall.__version__"}
