from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.texts import structured, zipped
from rootcall.jsonvalue import MISSING


def test_lines_of_fields_are_an_object() -> None:
    text = "Abrechnung 2026-03\nBrutto: 5.302,18 €\nNetto: -\nStunden: 160\nStatus: fertig"
    assert structured(text) == {"Brutto": "5.302,18 €", "Netto": None, "Stunden": 160, "Status": "fertig"}


def test_simple_yaml_is_an_object_with_a_list() -> None:
    text = "policy: POL-4\nclaims:\n  - number: CLM-1\n    amountMinor: 243023\n  - number: CLM-2\n    amountMinor: 117940\nerrors: []"
    assert structured(text) == {
        "policy": "POL-4",
        "claims": [{"number": "CLM-1", "amountMinor": 243023}, {"number": "CLM-2", "amountMinor": 117940}],
        "errors": [],
    }
    assert structured("place:\n  city: Ulm\n  zip: 89073\nopen: yes") == {
        "place": {"city": "Ulm", "zip": 89073},
        "open": True,
    }


def test_tables_are_lists_of_objects_whatever_the_mark() -> None:
    wanted = [{"beleg": "BL-071", "betrag_cent": 12537, "satz": 1.5}]
    assert structured("beleg;betrag_cent;satz\nBL-071;12537;1.5") == wanted
    assert structured("beleg,betrag_cent,satz\nBL-071,12537,1.5") == wanted
    assert structured("| beleg | betrag_cent | satz |\n|---|---|---|\n| BL-071 | 12537 | 1.5 |") == wanted


def test_prose_logs_and_single_lines_stay_texts() -> None:
    for text in (
        "Balance: 3 EUR",
        "No errors found in main.py.\nAll good.",
        "2026-07-18 09:48 ring\n2026-07-18 10:35 motion",
        "",
        "a\nb\nc: d\ne",
    ):
        assert structured(text) is MISSING, text


def test_only_rows_that_fit_their_columns_are_zipped() -> None:
    table = {"rows": [[1, 2]], "columns": ["a", "b"], "total": 1}
    assert zipped(table) == {"rows": [{"a": 1, "b": 2}], "total": 1}
    for other in (
        {"rows": [[1, 2, 3]], "columns": ["a", "b"]},
        {"rows": [], "columns": ["a"]},
        {"fields": [1, 2], "rows": [[1, 2]]},
    ):
        assert zipped(dict(other)) == other


@given(st.text(max_size=300))
def test_any_text_gives_a_value_or_nothing(text: str) -> None:
    found = structured(text)
    assert found is MISSING or isinstance(found, dict | list)
