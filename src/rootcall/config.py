"""What a project has chosen: which rules run, and their options, in general, per tool and per argument.

Configuration stands in `[tool.rootcall]` of pyproject.toml, or at the top of rootcall.toml:

    [tool.rootcall]
    policy = "policy.yaml"                       # what holds for your tools; see `rootcall.policy`
    glossary = "words.yaml"                      # the words of your fields; see `rootcall.glossary`
    mapping = "map.yaml"                         # how traces in a format of one's own are read
    select = ["selection", "arguments"]          # rules or whole layers; default: all
    ignore = ["arguments/provenance"]
    [tool.rootcall.rules."recovery/retry-cap"]
    cap = 4
    [tool.rootcall.tools.search_flights]
    ignore = ["arguments/relative-date"]
    [tool.rootcall.tools.search_flights.rules."recovery/retry-cap"]
    cap = 2
    [tool.rootcall.tools.search_flights.arguments.cabin]
    ignore = ["arguments/enum-case"]
    [tool.rootcall.dates]
    next = "nearest"                             # which Friday is next: nearest, next-week; default: any
    order = "dmy"                                # 03/04/2026: mdy, dmy; default: any

The most specific word wins: argument over tool over general.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_type_hints

import msgspec

from rootcall.errors import ConfigError

__all__ = ["Config", "DateConventions", "ToolConfig", "find_config", "load_config"]

LAYERS: Final = ("selection", "arguments", "utilization", "recovery", "trajectory")


class ArgumentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is set for one argument of one tool."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: Mapping[str, Mapping[str, Any]] = {}


class ToolConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is set for one tool."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: Mapping[str, Mapping[str, Any]] = {}
    arguments: Mapping[str, ArgumentConfig] = {}


class DateConventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a project's users mean days that have two meanings; `any` leaves both open.

    `next`: whether the next Friday is the nearest one or that of the next calendar week. `order`: whether 03/04/2026 is
    a day of March (`mdy`) or of April (`dmy`).
    """

    next: Literal["nearest", "next-week", "any"] = "any"
    order: Literal["mdy", "dmy", "any"] = "any"


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The choices of a project. The default runs every rule with its own defaults.

    `policy` is a `rootcall.policy.Policy`, or the path of a file that holds one; None: there is none. `mapping` is the file
    that says how traces in a format of the project's own are read. `glossary` is a `rootcall.glossary.Glossary`, or the
    path of a file that holds one.
    """

    policy: Any = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    rules: Mapping[str, Mapping[str, Any]] = {}
    tools: Mapping[str, ToolConfig] = {}
    dates: DateConventions = DateConventions()
    mapping: str | None = None
    glossary: Any = None

    def runs(self, rule: str, tool: str | None = None, argument: str | None = None) -> bool:
        """Tell whether a rule is on at a place. At each level, `ignore` beats `select`."""
        on = not self.select or _names(self.select, rule)
        on = on and not _names(self.ignore, rule)
        for level in self._levels(tool, argument):
            if _names(level.select, rule):
                on = True
            if _names(level.ignore, rule):
                on = False
        return on

    def anywhere(self, rule: str) -> bool:
        """Tell whether a rule is on at some place: in general, or because a tool or an argument selects it."""
        return self.runs(rule) or any(_names(level.select, rule) for level in self._all_levels())

    def everywhere(self, rule: str) -> bool:
        """Tell whether a rule is on at all places: in general, and no tool or argument ignores it."""
        return self.runs(rule) and not any(_names(level.ignore, rule) for level in self._all_levels())

    def option(self, rule: str, name: str, default: Any, tool: str | None = None, argument: str | None = None) -> Any:
        """Return an option of a rule at a place, or the default. A value of another type than the default's raises.

        Raises:
            ConfigError: the option is set to another type than the default's.
        """
        value = self.rules.get(rule, {}).get(name, default)
        for level in self._levels(tool, argument):
            value = level.rules.get(rule, {}).get(name, value)
        _require_type(rule, name, value, default)
        return value

    def _levels(self, tool: str | None, argument: str | None) -> Iterable[ToolConfig | ArgumentConfig]:
        at_tool = self.tools.get(tool) if tool is not None else None
        if at_tool is None:
            return
        yield at_tool
        at_argument = at_tool.arguments.get(_top(argument)) if argument else None
        if at_argument is not None:
            yield at_argument

    def narrowed(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Config:
        """Return this configuration with the selections of a command line on top."""
        select, ignore = tuple(select), tuple(ignore)
        return msgspec.structs.replace(self, select=select or self.select, ignore=self.ignore + ignore)

    def names(self) -> set[str]:
        """All rule and layer names this configuration speaks of."""
        found = {*self.select, *self.ignore, *self.rules}
        for tool in self.tools.values():
            found |= {*tool.select, *tool.ignore, *tool.rules}
            for argument in tool.arguments.values():
                found |= {*argument.select, *argument.ignore, *argument.rules}
        return found

    def require_known(self, rules: Mapping[str, Mapping[str, Any]]) -> None:
        """Raise unless every name is a known rule or layer, and every option one of its rule, of the right type.

        `rules` gives the options of every rule with their defaults.

        Raises:
            ConfigError: the first unknown name, with the nearest known one, or the first wrong value.
        """
        known = {*rules, *LAYERS}
        for name in sorted(self.names()):
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), n=1)
                hint = f"; did you mean {near[0]!r}?" if near else "; `rootcall explain` lists the rules"
                raise ConfigError(f"no rule or layer is called {name!r}{hint}")
        for level in self._all_levels():
            for rule, options in level.rules.items():
                _require_options(rule, options, rules.get(rule, {}))

    def _all_levels(self) -> Iterator[Config | ToolConfig | ArgumentConfig]:
        yield self
        for tool in self.tools.values():
            yield tool
            yield from tool.arguments.values()


def _require_options(rule: str, options: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known) or 'none'}"
            raise ConfigError(f'rules."{rule}": no option is called {name!r}; {hint}')
        _require_type(rule, name, value, known[name])


def _require_type(rule: str, name: str, value: Any, default: Any) -> None:
    wanted = (int, float) if isinstance(default, float) else type(default)
    if default is not None and (not isinstance(value, wanted) or isinstance(value, bool) != isinstance(default, bool)):
        raise ConfigError(
            f'rules."{rule}".{name}: expected {_type_name(default)}, got {value!r}; change it in the configuration'
        )
    if _is_number(default) and default >= 0 and not value >= 0:
        raise ConfigError(
            f'rules."{rule}".{name}: expected a number from 0, got {value!r}; change it in the configuration'
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(entries: Iterable[str], rule: str) -> bool:
    layer = rule.partition("/")[0]
    return any(entry in (rule, layer) for entry in entries)


def _top(argument: str) -> str:
    return argument.partition(".")[0].partition("[")[0]


def _type_name(value: object) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list"}.get(
        type(value), type(value).__name__
    )


_TABLES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "": Config, "dates": DateConventions, "tools.*": ToolConfig, "tools.*.arguments.*": ArgumentConfig,
}  # fmt: skip
_TYPES: Final = {"array": "a list", "object": "a table", "str": "a text", "int": "a whole number", "float": "a number",
                 "bool": "true or false"}  # fmt: skip
_PLACE: Final = re.compile(r" - at `(?:key in )?\$\.?(.*)`\Z")


def _told(error: str) -> str:
    """What msgspec found wrong, in the words of a configuration file: where, what came, and what may stand there."""
    place = _PLACE.search(error)
    at = place[1].replace("[...]", ".*") if place else ""
    what = _PLACE.sub("", error)
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    if unknown is not None and at in _TABLES:
        keys = tuple(field.name for field in msgspec.structs.fields(_TABLES[at]))
        return f"unknown key {unknown[1]!r}{f' in {at}' if at else ''}; {_choice(unknown[1], keys)}"
    value = re.fullmatch(r"Invalid enum value '(.*)'", what)
    table, _, key = at.rpartition(".")
    if value is not None and table in _TABLES:
        allowed = get_args(get_type_hints(_TABLES[table])[key])
        return f"{at}: {value[1]!r} is none of {', '.join(allowed)}{_did_you_mean(value[1], allowed)}"
    wrong = re.fullmatch(r"Expected `(\w+)`, got `(\w+)`", what)
    if wrong is not None:
        return f"{at}: expected {_TYPES.get(wrong[1], wrong[1])}, got {_TYPES.get(wrong[2], wrong[2])}"
    return f"{error}; see the configuration guide"


def _choice(name: str, known: Sequence[str]) -> str:
    return _did_you_mean(name, known)[2:] or f"the keys are {', '.join(known)}"


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def find_config(start: Path) -> Path | None:
    """Return the nearest rootcall.toml, or pyproject.toml with a [tool.rootcall], at or above a folder."""
    import tomllib

    for folder in (start, *start.parents):
        own = folder / "rootcall.toml"
        if own.is_file():
            return own
        shared = folder / "pyproject.toml"
        if shared.is_file():
            try:
                if "rootcall" in tomllib.loads(shared.read_text("utf-8")).get("tool", {}):
                    return shared
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ConfigError(f"{shared}: not TOML: {error}") from None
    return None


def load_config(path: Path | None = None) -> Config:
    """Read a configuration file; None looks upwards from the current folder and falls back to the default.

    Raises:
        ConfigError: the file cannot be read or says something unknown, with the place.
    """
    import tomllib

    found = path or find_config(Path.cwd())
    if found is None:
        return Config()
    try:
        data: Any = tomllib.loads(found.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{found}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{found}: not TOML: {error}") from None
    if found.name == "pyproject.toml":
        data = data.get("tool", {}).get("rootcall", {})
    try:
        config = msgspec.convert(data, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{found}: {_told(str(error))}") from None
    for name, given in (("policy", config.policy), ("mapping", config.mapping), ("glossary", config.glossary)):
        if given is not None and (not isinstance(given, str) or not given.strip()):
            raise ConfigError(f"{found}: {name} must be the path of a file, got {given!r}")
    # These files stand beside the configuration.
    beside = {"policy": config.policy, "mapping": config.mapping, "glossary": config.glossary}
    return msgspec.structs.replace(config, **{k: str(found.parent / v) for k, v in beside.items() if v is not None})
