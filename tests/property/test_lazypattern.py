"""A pattern with hints finds what it would find without them, in texts made to match it and in any other."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rootcall
from rootcall.lazypattern import Hinted, lazy


def hinted() -> dict[str, Hinted]:
    """Every hinted pattern of the package, by its place."""
    found = {}
    for module in pkgutil.walk_packages(rootcall.__path__, "rootcall."):
        if module.name.rpartition(".")[2] != "__main__":
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Hinted):
                    found[f"{module.name}.{name}"] = value
    return found


HINTED = hinted()
ASCII = st.characters(codec="ascii")


def test_there_are_some() -> None:
    assert len(HINTED) > 5


@pytest.mark.parametrize("place", HINTED)
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_whatever_matches_holds_a_piece(place: str, data: st.DataObject) -> None:
    pattern = HINTED[place]
    made = st.from_regex(re.compile(pattern.pattern.pattern, pattern.pattern.flags), alphabet=ASCII)
    text = data.draw(made | made.map(str.upper) | st.text(ASCII))
    bare, found = pattern.pattern.search(text), pattern.search(text)
    assert (bare is None) == (found is None)
    assert bare is None or found is None or bare.span() == found.span()


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
