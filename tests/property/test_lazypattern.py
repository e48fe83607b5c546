"""A pattern with hints finds what it would find without them, in texts made to match it and in any other."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rootcall
from rootcall.evidence import number_words
from rootcall.evidence.number_words import spelled_numbers
from rootcall.evidence.words import folded
from rootcall.lazypattern import Caseless, Hinted, _Lazy, lazy


def values() -> Iterator[tuple[str, Any]]:
    """Every value that stands in a module of the package, with its place; those in tuples and tables too."""
    for module in pkgutil.walk_packages(rootcall.__path__, "rootcall."):
        if module.name.rpartition(".")[2] != "__main__":
            for name, value in vars(importlib.import_module(module.name)).items():
                stack = [value]
                while stack:
                    v = stack.pop()
                    yield f"{module.name}.{name}", v
                    if type(v) in (tuple, list):
                        stack += v
                    elif type(v) is dict and not name.startswith("__"):
                        stack += v.values()


HINTED = {place: value for place, value in values() if isinstance(value, Hinted)}
CASELESS = {place: value for place, value in values() if isinstance(value, Caseless)}
ASCII = st.characters(codec="ascii")


def test_there_are_some() -> None:
    assert len(HINTED) > 5
    assert len(CASELESS) > 1


def test_every_pattern_put_off_can_be_compiled() -> None:
    found = [v for _, v in values() if isinstance(v, _Lazy)]
    assert len(found) > 100
    assert all(re.compile(v.pattern, v.flags & ~re.UNICODE) for v in found)


@functools.cache
def made_for(place: str) -> st.SearchStrategy[str]:
    pattern = HINTED[place].pattern
    return st.from_regex(re.compile(pattern.pattern, pattern.flags), alphabet=ASCII)


@pytest.mark.parametrize("place", HINTED)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_matches_holds_a_piece(place: str, data: st.DataObject) -> None:
    pattern = HINTED[place]
    text = data.draw(made_for(place) | made_for(place).map(str.upper) | st.text(ASCII))
    bare, found = pattern.pattern.search(text), pattern.search(text)
    assert (bare is None) == (found is None)
    assert bare is None or found is None or bare.span() == found.span()


TOLD = st.sampled_from(
    [
        "Half a",
        "TWO",
        "twenty-ONE",
        "a hundred",
        "6",
        "veinte",
        "Dozen",
        "Euros",
        "kg",
        "Hours",
        "bitte",
        "\N{KELVIN SIGN}g",
        "-",
        ".",
    ]
)


@pytest.mark.parametrize("place", CASELESS)
@given(text=st.lists(TOLD).map(" ".join) | st.lists(TOLD).map("".join) | st.text())
@settings(max_examples=100, deadline=None)
def test_a_caseless_pattern_finds_what_it_would_in_any_case(place: str, text: str) -> None:
    folding = CASELESS[place]._folding
    assert [m.span() for m in CASELESS[place].finditer(text)] == [m.span() for m in folding.finditer(text)]


@pytest.mark.parametrize("place", HINTED)
def test_the_pieces_are_lower_case_ascii(place: str) -> None:
    assert HINTED[place].pieces
    assert all(p and p.isascii() and p == p.lower() for p in HINTED[place].pieces)


def test_other_forms_of_a_letter_are_not_missed() -> None:
    pattern = Hinted("kilos", "kilo")
    assert pattern.search("5 \N{KELVIN SIGN}ilo\N{LATIN SMALL LETTER LONG S}") is not None
    assert pattern.search("5 pounds") is None


def test_a_lazy_pattern_is_what_re_makes_of_it() -> None:
    pattern, same = lazy(r"(\d+)-(\d+)", re.IGNORECASE), re.compile(r"(\d+)-(\d+)", re.IGNORECASE)
    text = "from 1-2 to 33-44"
    assert pattern.findall(text) == same.findall(text)
    assert [m.span() for m in pattern.finditer(text)] == [m.span() for m in same.finditer(text)]
    assert pattern.sub("x", text) == same.sub("x", text)
    assert pattern.split(text) == same.split(text)
    assert (pattern.match(text), pattern.fullmatch(text)) == (None, None)
    assert (pattern.pattern, pattern.flags) == (same.pattern, same.flags)


def test_a_fault_in_a_lazy_pattern_is_not_silent() -> None:
    with pytest.raises(re.error):
        lazy("(").search("x")
    with pytest.raises(AttributeError):
        lazy("x").groups  # noqa: B018 -- not among what it has


@given(text=st.text(st.sampled_from("a ty-fivehundozeSIX12")) | st.text())
@settings(max_examples=300, deadline=None)
def test_a_text_without_a_word_for_a_number_holds_none(text: str) -> None:
    found = spelled_numbers(text)
    asked = [
        m
        for m in number_words._LATIN.finditer(text)
        if m.group("dozen") or folded(m.group("word") or "") in number_words._WORDS
    ]
    assert [(s.start, s.end) for s in found if s.text.isascii()] == [
        m.span() for m in asked if text[m.start() : m.end()].isascii()
    ]


@pytest.mark.parametrize("word", sorted(w for w in number_words._WORDS if w.isascii()))
def test_every_number_word_is_told_by_one_of_its_words(word: str) -> None:
    assert [s.value for s in spelled_numbers(f"Give me {word.upper()} of them")] == [number_words._WORDS[word]]
