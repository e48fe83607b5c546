"""Runs the Python examples of README and docs as tests, in the folder of the bundled traces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

_DATA = Path(__file__).parent / "src" / "rootcall" / "data"


def _enter(namespace: dict[str, Any]) -> None:
    namespace["_came_from"] = Path.cwd()
    os.chdir(_DATA)


def _leave(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["_came_from"])


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()], patterns=["*.md"], setup=_enter, teardown=_leave
).pytest()
