from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rootcall.config import Config, load_config
from rootcall.errors import ConfigError
from rootcall.glossary import Glossary, glossary_of, load_glossary, read_glossary

WHOLE = """\
fields:
  PTS: points
  AST: [assists, dimes]
names: [city]
aliases: {76ers: [Sixers]}
pairs:
  - {fields: [FGM, FGA], words: [FG]}
  - {fields: [W, L], alone: true}
scores: [{field: PTS, words: [beat]}]
sums: [{fields: [Q1, Q2], words: [first half]}]
statements:
  - {fields: [PTS, REB], words: [double-double], at_least: 10, count: 2}
  - {fields: [POS], words: [off the bench], is: N/A}
  - {fields: [PTS], words: [led the bench], most: group, where: {POS: N/A}}
slots: [{fields: [PTS], words: [against the]}]
"""


def test_a_whole_glossary_is_read(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(WHOLE, "utf-8")
    found = load_glossary(path)
    assert found.fields == {"PTS": ("points",), "AST": ("assists", "dimes")}
    assert found.aliases == {"76ers": ("Sixers",)}
    assert [p.alone for p in found.pairs] == [False, True]
    assert [s.is_ for s in found.statements] == [None, "N/A", None]
    assert found.statements[2].where == {"POS": "N/A"}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"feilds": {}}, "unknown key feilds; did you mean 'fields'?"),
        ({"fields": {"PTS": 3}}, "fields.PTS: expected a text or a list of texts, got 3"),
        ({"fields": ["PTS"]}, "fields: expected names with their words, got ['PTS']"),
        ({"pairs": [{"fields": ["A"]}]}, "pairs[0].fields: expected two fields, got 1"),
        ({"pairs": [{"fields": ["A", "B"], "word": []}]}, "unknown key pairs[0].word; did you mean 'words'?"),
        ({"pairs": [{"fields": ["A", "B"], "alone": 1}]}, "pairs[0].alone: expected true or false, got 1"),
        ({"scores": [{}]}, "scores[0].field: expected a field's name, got None"),
        ({"sums": [{"fields": ["A"]}]}, "sums[0]: fields and words are both wanted"),
        ({"sums": [3]}, "sums[0]: expected an object with fields, words, got 3"),
        ({"slots": 3}, "slots: expected a list, got 3"),
        ({"statements": [{"fields": "A", "words": "b"}]}, "statements[0]: expected one of at_least, is, is_not, most, same, got none"),
        ({"statements": [{"fields": "A", "words": "b", "most": "x"}]}, "statements[0].most: expected group, rest or all, got 'x'"),
        ({"statements": [{"fields": "A", "words": "b", "at_least": "x"}]}, "statements[0].at_least: expected a number, got 'x'"),
        ({"statements": [{"fields": "A", "words": "b", "at_least": 1, "count": 0}]},
         "statements[0].count: expected a whole number from 1, got 0"),
        ({"statements": [{"fields": "A", "words": "b", "is": 3}]}, "statements[0].is: expected a text, got 3"),
        ({"statements": [{"fields": "A", "words": "b", "is": "x", "where": 3}]},
         "statements[0].where: expected fields with their texts, got 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_line(data: Any, fault: str) -> None:
    _, faults = read_glossary(data)
    assert [f.replace('"', "'") for f in faults] == [fault.replace("None", "null")]


def test_a_fault_of_a_file_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text("fields:\n  PTS: points\npears: []\n", "utf-8")
    with pytest.raises(ConfigError, match=r"words\.yaml:3: unknown key pears; did you mean 'pairs'\?"):
        load_glossary(path)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- a\n- b\n", "a glossary is one object with fields, names"),
        ("", "got nothing"),
        ("fields: [", "not YAML"),
        ("x: " + "a" * 600_000, "larger than 500,000 bytes"),
    ],
)
def test_a_file_that_is_no_glossary(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "words.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=fault):
        load_glossary(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_glossary(tmp_path / "none.yaml")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_glossary(path)


def test_a_configuration_names_its_glossary(tmp_path: Path) -> None:
    (tmp_path / "words.json").write_text('{"fields": {"PTS": "points"}}', "utf-8")
    file = tmp_path / "rootcall.toml"
    file.write_text('glossary = "words.json"\n', "utf-8")
    assert glossary_of(load_config(file)) == Glossary(fields={"PTS": ("points",)})
    assert glossary_of(Config()) is None
    file.write_text("glossary = 3\n", "utf-8")
    with pytest.raises(ConfigError, match="glossary must be the path of a file, got 3"):
        load_config(file)
