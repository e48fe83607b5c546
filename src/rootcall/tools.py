"""Tools from whatever a team has: `load_tools` takes spec files, specs, models, functions, and places in code.

Owns telling a file from a place in code (`package.module:NAME`, `path/file.py:NAME`) and getting at what stands there.
Reading specs is `rootcall.toolspec`'s, models and functions are `rootcall.toolcode`'s. A place in code is imported: that
runs the user's own code, and only where the user named it.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from rootcall.errors import InputError, RootcallError
from rootcall.jsonvalue import MISSING
from rootcall.readers.content import Opened
from rootcall.readers.records import Stream
from rootcall.readers.unknown import describe
from rootcall.toolspec import read_tools
from rootcall.trace import Problem, Source, Tool

__all__ = ["gather_tools", "load_tools", "with_validators"]

WANTED: Final = "OpenAI, Anthropic, MCP tools/list or Gemini shape is wanted"
_PLACE: Final = re.compile(r"(?P<where>[^:]+(?:\.py)?):(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)\Z")
_MODULE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")


def load_tools(source: Any) -> tuple[Tool, ...]:
    """Read tools.

    Args:
        source: one of these, or a list or an object by name of the last three.

            - a file (JSON or JSON Lines): one spec, a list, `{"tools": […]}`, an MCP `tools/list` response
            - a place in code, `package.module:NAME` or `path/file.py:NAME`, unless a file has that name. It is imported,
              which runs that code; the current folder is on the path then, as for `python -m`.
            - a spec in OpenAI (chat, Responses), Anthropic, MCP or Gemini shape, or `{"name", "parameters"}`
            - a Pydantic model, a TypeAdapter by its name, a dataclass: its own validators then judge calls
            - a function, by its signature, type hints and docstring; it is never called

    Returns:
        The tools in their order. Of two with one name the last counts. An empty list in memory gives none.

    Raises:
        InputError: a file or place that leads nowhere or holds no tools, or a spec without a name.
        UsageError: a model or a function that no schema can be made of, or pydantic is missing for it.
    """
    tools, problems = gather_tools(source)
    broken = next((p for p in problems if p.code != "tool-twice"), None)
    if broken is not None:
        raise InputError(str(broken))
    return tools


def gather_tools(source: Any) -> tuple[tuple[Tool, ...], list[Problem]]:
    """Read tools as `load_tools` does, and return the specs that could not be read as problems."""
    if not isinstance(source, str | Path):
        return read_tools(source)
    place = _PLACE.match(str(source))
    if place is not None and not Path(source).exists() and _is_place(place["where"]):
        return _from_code(str(source), place["where"], place["name"])
    return _from_file(Path(source))


def with_validators(declared: tuple[Tool, ...], given: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Give tools that a trace declares the validators of the tools of the same name; schema and words stay theirs."""
    validators = {t.name: t.validator for t in given if t.validator is not MISSING}
    if not any(t.name in validators for t in declared):
        return declared
    return tuple(
        msgspec.structs.replace(t, validator=validators[t.name]) if t.name in validators else t for t in declared
    )


def _from_file(path: Path) -> tuple[tuple[Tool, ...], list[Problem]]:
    problems: list[Problem] = []
    try:
        with Opened(path) as opened:
            stream = Stream(opened.chunks(), opened.name, path=path, report=problems.append)
            values = [r.value for r in stream]
    except OSError as error:
        raise InputError(f"{path}: the tools cannot be read: {error.strerror or error}") from None
    specs = values if stream.head.container == "array" or len(values) != 1 else values[0]
    tools, found = read_tools(specs, Source(str(path)))
    if not tools:
        seen = problems[0].message if problems else describe(stream.head)
        raise InputError(f"{path}: holds no tool specs: {seen}; {WANTED}")
    return tools, problems + found


# --- places in code --------------------------------------------------------------------------------------------------


def _is_place(where: str) -> bool:
    return where.endswith(".py") or _MODULE.match(where) is not None


def _from_code(source: str, where: str, name: str) -> tuple[tuple[Tool, ...], list[Problem]]:
    value: Any = _module(source, where)
    for part in name.split("."):
        if not hasattr(value, part):
            near = difflib.get_close_matches(part, [n for n in dir(value) if not n.startswith("_")], n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"{source}: {where} has no {name!r}{hint}")
        value = getattr(value, part)
    try:
        tools, problems = read_tools(value, Source(source))
    except RootcallError as error:
        raise type(error)(f"{source}: {error}") from None
    if not tools:
        said = next((p.message for p in problems if p.code == "tool-unreadable"), f"of type {type(value).__name__}")
        said = said if problems else "empty"
        raise InputError(f"{source}: no tools there: {said}; a list of specs, Pydantic models or functions is wanted")
    return tools, problems


def _module(source: str, where: str) -> ModuleType:
    try:
        return _run_file(source, Path(where)) if where.endswith(".py") else _import(where)
    except RootcallError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- the user's own code may raise anything
        if isinstance(error, ModuleNotFoundError) and error.name and f"{where}.".startswith(f"{error.name}."):
            advice = "run from the folder it lies in, install it, or give path/file.py:NAME"
            raise InputError(f"{source}: there is no module {error.name!r}; {advice}") from None
        frame = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"{source}: importing it failed: {said} ({Path(frame.filename).name}:{frame.lineno})"
        ) from None


def _import(name: str) -> ModuleType:
    _put_on_path(Path.cwd())
    return importlib.import_module(name)


def _run_file(source: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"{source}: there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"rootcall_tools_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{source}: {path} cannot be imported")
    _put_on_path(path.resolve().parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # models look their own module up to resolve their hints
    spec.loader.exec_module(module)
    return module


def _put_on_path(folder: Path) -> None:
    """Stays there, since validators may import their neighbours when they run."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
