"""A project's own words for the fields and records of its tools' results, and reading them from YAML or JSON.

    fields:                                    # a field's name -> the words an answer uses for it
      PTS: points
      AST: [assists, dimes]
      amt: amount in cents                     # "in" and a unit at the end say what the number counts
      day: date as MM_DD_YY                    # "as" and a pattern of YYYY, YY, MM, DD say how a date is written
    names: [city]                              # further fields that name the record they stand in
    aliases:                                   # a name -> other names of the same thing
      76ers: [Sixers]
    pairs:                                     # two numbers of one record told together: "6-10 FG", "8-for-12 from the line"
      - {fields: [FGM, FGA], words: [FG, from the field]}
      - {fields: [WINS, LOSSES], alone: true}  # no word beside it: "(32-18)" behind a name
    scores:                                    # one field of two records told together: "A beat B, 113-107"
      - {field: PTS, words: [defeated, beat]}  # the words say that the first has the larger number
    sums:                                      # the words for a sum of fields
      - {fields: [Q1, Q2], words: [first half]}
    statements:                                # words that say something about a record's fields
      - {fields: [PTS, REB, AST], words: [double-double], at_least: 10, count: 2}
      - {fields: [POSITION], words: [off the bench], is: N/A}
      - {fields: [PTS], words: [game-high], most: all}
      - {fields: [PTS], words: [led the bench], most: group, where: {POSITION: N/A}}
      - {fields: [PTS], words: [second on the team], most: group, rank: 2}
      - {fields: [TEAM], words: [chipped in], same: true}
    slots:                                     # behind these words stands a name of a record that has these fields
      - {fields: [WINS], words: [against the, host the]}

What the words mean for an answer is `rootcall.layers.utilization`'s; here stands what may be written, and one line for
everything that cannot be meant.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from rootcall.config import Config
from rootcall.errors import ConfigError
from rootcall.jsonvalue import LISTS, OBJECTS, describe

__all__ = ["Glossary", "Pair", "Phrases", "Score", "Statement", "glossary_of", "load_glossary", "read_glossary"]

MAX_BYTES: Final = 500_000
"""How large a glossary may be: ten thousand fields with their words."""

_MOST_FAULTS: Final = 20


class Pair(msgspec.Struct, frozen=True):
    """Two fields of one record that are told together. `alone`: also without one of the words."""

    fields: tuple[str, str]
    words: tuple[str, ...] = ()
    alone: bool = False


class Score(msgspec.Struct, frozen=True):
    """A field that is told of two records together; the words say that the first of them has more of it."""

    field: str
    words: tuple[str, ...] = ()


class Phrases(msgspec.Struct, frozen=True):
    """Words for several fields: their sum, or the names of records that have them."""

    fields: tuple[str, ...]
    words: tuple[str, ...]


class Statement(msgspec.Struct, frozen=True):
    """What words say of a record.

    `count` of the fields are at least `at_least`, or the first field is (not) a text, or it is the largest of its record's
    group (`most` "group"; the second largest with `rank` 2), of those of its group not named before ("rest"), or of all records of its kind ("all").
    `same` says that it is of the group of the record named before. `where` keeps only records with these texts in these fields.
    """

    fields: tuple[str, ...]
    words: tuple[str, ...]
    at_least: float | None = None
    count: int = 1
    is_: str | None = None
    is_not: str | None = None
    most: Literal["group", "rest", "all"] | None = None
    rank: int = 1
    same: bool = False
    where: Mapping[str, str] = {}


class Glossary(msgspec.Struct, frozen=True):
    """A project's words. `fields` and `aliases` map a name to the words that are used for it."""

    fields: Mapping[str, tuple[str, ...]] = {}
    names: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = {}
    pairs: tuple[Pair, ...] = ()
    scores: tuple[Score, ...] = ()
    sums: tuple[Phrases, ...] = ()
    statements: tuple[Statement, ...] = ()
    slots: tuple[Phrases, ...] = ()


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "pairs": ("fields", "words", "alone"),
    "scores": ("field", "words"),
    "sums": ("fields", "words"),
    "statements": ("fields", "words", "at_least", "count", "is", "is_not", "most", "rank", "same", "where"),
    "slots": ("fields", "words"),
}
_TOP: Final = ("fields", "names", "aliases", *_KEYS)


def load_glossary(path: Path | str) -> Glossary:
    """Read a glossary file, YAML or JSON.

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be meant; the first twenty faults at once, each
            with its file and line.
    """
    from rootcall.casetext import json_items, lines_under, yaml_items  # only for those who have a glossary

    path = Path(path)
    text = _text(path)
    items = list((yaml_items if path.suffix.lower() in (".yaml", ".yml") else json_items)(text))
    broken = [f"{path}:{line}: {item}" for line, item in items if isinstance(item, ValueError)]
    if broken:
        raise ConfigError("\n".join(broken[:_MOST_FAULTS]))
    if len(items) != 1 or not isinstance(items[0][1], OBJECTS):
        came = "nothing" if not items else "a list" if len(items) > 1 else describe(items[0][1])
        raise ConfigError(f"{path}: a glossary is one object with {', '.join(_TOP)}; got {came}")
    found, faults = read_glossary(items[0][1])
    if faults:
        lines = lines_under(text, ())[0].keys
        told = [f"{path}:{f'{lines[key]}:' if (key := _top(fault)) in lines else ''} {fault}" for fault in faults]
        raise ConfigError("\n".join(told[:_MOST_FAULTS]))
    return found


def _top(fault: str) -> str:
    place = fault.removeprefix("unknown key ").partition(":")[0].partition(";")[0]
    return place.partition(".")[0].partition("[")[0]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(found) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES:,} bytes, which is more than a glossary may hold")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 (byte {error.start})") from None


def glossary_of(config: Config) -> Glossary | None:
    """The glossary of a configuration: itself, or what its file holds; None where there is none.

    Raises:
        ConfigError: the configuration names a file that is no glossary.
    """
    if config.glossary is None or isinstance(config.glossary, Glossary):
        return config.glossary
    return _loaded(str(config.glossary))


@functools.lru_cache(maxsize=8)  # a configuration names its file for every trace
def _loaded(path: str) -> Glossary:
    return load_glossary(path)


def read_glossary(data: Mapping[str, Any]) -> tuple[Glossary, list[str]]:
    """Build a glossary from its object, and every fault of it as `place: what was wanted, what came`."""
    reader = _Reader()
    reader.known("", data, _TOP)
    built: dict[str, Any] = {
        "fields": reader.table("fields", data.get("fields", {})),
        "names": reader.texts("names", data.get("names", [])),
        "aliases": reader.table("aliases", data.get("aliases", {})),
    }
    for key, read in (
        ("pairs", reader.pair), ("scores", reader.score), ("sums", reader.phrases),
        ("statements", reader.statement), ("slots", reader.phrases),
    ):  # fmt: skip
        built[key] = tuple(
            made for at, row in reader.rows(key, data.get(key, [])) if (made := read(at, row)) is not None
        )
    return Glossary(**built), reader.faults


class _Reader:
    """Reads the parts of a glossary and collects what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def known(self, at: str, data: Mapping[str, Any], keys: Sequence[str]) -> None:
        for key in data:
            if key not in keys:
                near = difflib.get_close_matches(str(key), keys, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(keys)}"
                self.faults.append(f"unknown key {at}{key}; {hint}")

    def texts(self, at: str, value: object) -> tuple[str, ...]:
        """One text, or a list of texts."""
        found = [value] if isinstance(value, str) else value
        if isinstance(found, LISTS) and all(isinstance(x, str) and x.strip() for x in found):
            return tuple(str(x).strip() for x in found)
        self.faults.append(f"{at}: expected a text or a list of texts, got {describe(value)}")
        return ()

    def table(self, at: str, value: object) -> dict[str, tuple[str, ...]]:
        if not isinstance(value, OBJECTS):
            self.faults.append(f"{at}: expected names with their words, got {describe(value)}")
            return {}
        return {str(key): self.texts(f"{at}.{key}", words) for key, words in value.items()}

    def rows(self, at: str, value: object) -> list[tuple[str, Mapping[str, Any]]]:
        if not isinstance(value, LISTS):
            self.faults.append(f"{at}: expected a list, got {describe(value)}")
            return []
        rows = []
        for i, row in enumerate(value):
            if isinstance(row, OBJECTS):
                self.known(f"{at}[{i}].", row, _KEYS[at])
                rows.append((f"{at}[{i}]", row))
            else:
                self.faults.append(f"{at}[{i}]: expected an object with {', '.join(_KEYS[at])}, got {describe(row)}")
        return rows

    def pair(self, at: str, row: Mapping[str, Any]) -> Pair | None:
        fields = self.texts(f"{at}.fields", row.get("fields", []))
        alone = row.get("alone", False)
        if len(fields) != 2:
            self.faults.append(f"{at}.fields: expected two fields, got {len(fields)}")
            return None
        if not isinstance(alone, bool):
            self.faults.append(f"{at}.alone: expected true or false, got {describe(alone)}")
            return None
        return Pair((fields[0], fields[1]), self.texts(f"{at}.words", row.get("words", [])), alone)

    def score(self, at: str, row: Mapping[str, Any]) -> Score | None:
        field = row.get("field")
        if not isinstance(field, str):
            self.faults.append(f"{at}.field: expected a field's name, got {describe(field)}")
            return None
        return Score(field, self.texts(f"{at}.words", row.get("words", [])))

    def phrases(self, at: str, row: Mapping[str, Any]) -> Phrases | None:
        fields, words = (self.texts(f"{at}.{key}", row.get(key, [])) for key in ("fields", "words"))
        if fields and words:
            return Phrases(fields, words)
        self.faults.append(f"{at}: fields and words are both wanted")
        return None

    def statement(self, at: str, row: Mapping[str, Any]) -> Statement | None:
        base = self.phrases(at, {k: row[k] for k in ("fields", "words") if k in row})
        at_least, count, most = row.get("at_least"), row.get("count", 1), row.get("most")
        rank, same = row.get("rank", 1), row.get("same", False)
        says = [key for key in ("at_least", "is", "is_not", "most", "same") if row.get(key) is not None]
        if len(says) != 1:
            self.faults.append(
                f"{at}: expected one of at_least, is, is_not, most, same, got {' and '.join(says) or 'none'}"
            )
            return None
        if at_least is not None and (not isinstance(at_least, int | float) or isinstance(at_least, bool)):
            self.faults.append(f"{at}.at_least: expected a number, got {describe(at_least)}")
            return None
        for key, number in (("count", count), ("rank", rank)):
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                self.faults.append(f"{at}.{key}: expected a whole number from 1, got {describe(number)}")
                return None
        if not isinstance(same, bool):
            self.faults.append(f"{at}.same: expected true or false, got {describe(same)}")
            return None
        if most not in (None, "group", "rest", "all"):
            self.faults.append(f"{at}.most: expected group, rest or all, got {describe(most)}")
            return None
        texts = {key: row.get(key) for key in ("is", "is_not")}
        if any(t is not None and not isinstance(t, str) for t in texts.values()):
            self.faults.append(f"{at}.{says[0]}: expected a text, got {describe(row[says[0]])}")
            return None
        where = row.get("where", {})
        if not isinstance(where, OBJECTS) or not all(isinstance(v, str) for v in where.values()):
            self.faults.append(f"{at}.where: expected fields with their texts, got {describe(where)}")
            return None
        if base is None:
            return None
        return Statement(
            base.fields, base.words, at_least, count, texts["is"], texts["is_not"], most, rank, same, dict(where)
        )
