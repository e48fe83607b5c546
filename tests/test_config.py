"""Configuration: which rules run where, options, files, and words that cannot be meant."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rootcall.config import Config, DateConventions, ToolConfig, find_config, load_config
from rootcall.errors import ConfigError

TOML = """
[tool.rootcall]
select = ["arguments", "recovery/retry-loop"]
ignore = ["arguments/provenance"]
[tool.rootcall.rules."recovery/retry-cap"]
cap = 4
[tool.rootcall.tools.search]
ignore = ["arguments/relative-date"]
select = ["arguments/provenance"]
[tool.rootcall.tools.search.rules."recovery/retry-cap"]
cap = 2
[tool.rootcall.tools.search.arguments.day]
select = ["arguments/relative-date"]
ignore = ["arguments/enum-case"]
[tool.rootcall.tools.search.arguments.day.rules."recovery/retry-cap"]
cap = 1
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "pyproject.toml").write_text(TOML)
    return load_config(tmp_path / "pyproject.toml")


@pytest.mark.parametrize(
    ("rule", "tool", "argument", "runs"),
    [
        ("arguments/format", None, None, True),
        ("arguments/provenance", None, None, False),
        ("recovery/retry-loop", None, None, True),
        ("recovery/retry-cap", None, None, False),
        ("arguments/provenance", "search", None, True),
        ("arguments/relative-date", "search", None, False),
        ("arguments/relative-date", "search", "day", True),
        ("arguments/relative-date", "search", "day.from[0]", True),
        ("arguments/relative-date", "search", "other", False),
        ("arguments/enum-case", "search", "day[0]", False),
        ("arguments/enum-case", "search", None, True),
        ("arguments/relative-date", "other", "day", True),
    ],
)
def test_the_most_specific_word_wins(
    config: Config, rule: str, tool: str | None, argument: str | None, runs: bool
) -> None:
    assert config.runs(rule, tool, argument) is runs


def test_by_default_everything_runs() -> None:
    assert Config().runs("any/rule", "tool", "argument")
    assert not Config(ignore=("any",)).runs("any/rule")


def test_options_are_read_at_the_most_specific_level(config: Config) -> None:
    cap = "recovery/retry-cap"
    assert config.option(cap, "cap", 3) == 4
    assert config.option(cap, "cap", 3, "search") == 2
    assert config.option(cap, "cap", 3, "search", "day.x") == 1
    assert config.option(cap, "cap", 3, "search", "other") == 2
    assert config.option(cap, "other", "x") == "x"
    assert config.option(cap, "cap", 3.5) == 4
    assert config.option(cap, "cap", None) == 4


@pytest.mark.parametrize(
    ("value", "default", "wanted"),
    [("x", 3, "a whole number"), (True, 3, "a whole number"), (1, True, "true or false"), (3, "x", "a text"),
     ("x", 1.5, "a number"), (1, [1], "a list"), (1, {}, "dict")],
)  # fmt: skip
def test_an_option_of_another_type_is_an_error(value: Any, default: Any, wanted: str) -> None:
    config = Config(rules={"a/b": {"o": value}})
    with pytest.raises(ConfigError, match=f'rules."a/b".o: expected {wanted}, got'):
        config.option("a/b", "o", default)


def test_the_command_line_comes_on_top(config: Config) -> None:
    narrowed = config.narrowed(select=["recovery"], ignore=["recovery/retry-loop"])
    assert narrowed.select == ("recovery",)
    assert narrowed.ignore == ("arguments/provenance", "recovery/retry-loop")
    assert config.narrowed() == config


def test_unknown_names_are_told_with_the_nearest(config: Config) -> None:
    known: dict[str, dict[str, Any]] = {
        "arguments/provenance": {},
        "arguments/relative-date": {},
        "arguments/enum-case": {},
        "recovery/retry-loop": {"cap": 3},
        "recovery/retry-cap": {"cap": 3, "limit": 3},
    }
    config.require_known(known)
    with pytest.raises(ConfigError, match="'arguments/relativ-date'; did you mean 'arguments/relative-date'"):
        config.narrowed(ignore=["arguments/relativ-date"]).require_known(known)
    with pytest.raises(ConfigError, match="'zzz'; `rootcall explain` lists"):
        config.narrowed(select=["zzz"]).require_known(known)
    assert "arguments/enum-case" in config.names()


def test_the_nearest_file_upwards_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(TOML)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert find_config(deep) == tmp_path / "pyproject.toml"
    monkeypatch.chdir(deep)
    assert load_config().ignore == ("arguments/provenance",)
    (tmp_path / "a" / "rootcall.toml").write_text('ignore = ["recovery"]\n')
    assert find_config(deep) == tmp_path / "a" / "rootcall.toml"
    assert load_config().ignore == ("recovery",)


def test_without_any_file_upwards_none_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_file", lambda _: False)
    assert find_config(tmp_path) is None


def test_no_file_gives_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rootcall.config.find_config", lambda _: None)
    assert load_config() == Config()
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    assert load_config(tmp_path / "pyproject.toml") == Config()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ignore = [", "not TOML"),
        (b"ignore = '\xff'", "not TOML"),
        ("ignored = []", "unknown key 'ignored'; did you mean 'ignore'"),
        ("ignore = 3", "ignore: expected a list, got a whole number"),
        ("ignore = [1]", r"ignore\[0\]: expected a text, got a whole number"),
        (
            "colour = 3",
            "unknown key 'colour'; the keys are policy, select, ignore, rules, tools, dates, mapping, glossary",
        ),
        ("[dates]\nnxt = 'nearest'", "unknown key 'nxt' in dates; did you mean 'next'"),
        (
            "[dates]\nnext = 'nearestt'",
            "dates.next: 'nearestt' is none of nearest, next-week, any; did you mean 'nearest'",
        ),
        ("[dates]\norder = 'DMY'", "dates.order: 'DMY' is none of mdy, dmy, any; did you mean 'dmy'"),
        ("[tools.t.arguments.a]\nignroe = []", r"in tools\.\*\.arguments\.\*; did you mean 'ignore'"),
        ("policy = ''", "policy must be the path of a file, got ''"),
        ("mapping = ''", "mapping must be the path of a file, got ''"),
        ("[tools.search]\nignroe = []", "unknown key 'ignroe' in tools\\.\\*; did you mean 'ignore'"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_error(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = tmp_path / "rootcall.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=said):
        load_config(file)


def test_a_missing_file_and_a_broken_pyproject_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path / "rootcall.toml")
    (tmp_path / "pyproject.toml").write_text("[")
    with pytest.raises(ConfigError, match="not TOML"):
        find_config(tmp_path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"capp": 3}, "no option is called 'capp'; did you mean 'cap'"),
        ({"cap": "x"}, "expected a whole number, got 'x'"),
        ({"cap": -4}, "expected a number from 0, got -4"),
    ],
)
def test_a_misspelt_option_is_refused_before_anything_is_read(options: dict[str, Any], said: str) -> None:
    known = {"recovery/retry-cap": {"cap": 3}}
    for config in (
        Config(rules={"recovery/retry-cap": options}),
        Config(tools={"t": ToolConfig(rules={"recovery/retry-cap": options})}),
    ):
        with pytest.raises(ConfigError, match=re.escape(said)):
            config.require_known(known)


def test_date_conventions_are_declared(tmp_path: Path) -> None:
    file = tmp_path / "rootcall.toml"
    file.write_text('[dates]\nnext = "nearest"\norder = "dmy"\n', "utf-8")
    assert load_config(file).dates == DateConventions(next="nearest", order="dmy")
    file.write_text('[dates]\nnext = "sunday"\n', "utf-8")
    with pytest.raises(ConfigError, match=r"dates\.next: 'sunday' is none of nearest, next-week, any$"):
        load_config(file)
