from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.facts import facts_of, payload_of, trace_facts
from rootcall.evidence.units import unit_of_key
from rootcall.jsonvalue import MISSING
from rootcall.trace import Trace


def trace(*calls: tuple[Any, str | None]) -> Trace:
    messages: list[dict[str, Any]] = []
    for n, (arguments, result) in enumerate(calls):
        call = {"id": f"c{n}", "function": {"name": "count_orders", "arguments": json.dumps(arguments)}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        if result is not None:
            messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    return Trace.from_openai(messages)


def facts(payload: Any, arguments: Any = None) -> dict[str, Any]:
    return {f.path: f for f in facts_of(trace((arguments or {}, json.dumps(payload))).calls[0])}


def test_minor_units_are_said_in_major_ones_and_in_their_own() -> None:
    f = facts({"price": {"amount_cents": 4500, "currency": "EUR"}})["price.amount_cents"]
    assert [(v, u.name if u else None) for v, u in f.values] == [(45.0, "EUR"), (4500.0, "cents")]
    assert f.record.path == "price"


def test_a_ratio_can_be_said_in_per_cent_and_a_plain_one_cannot() -> None:
    assert [v for v, _ in facts({"accuracy": 0.852})["accuracy"].values] == [0.852, 85.2]
    assert [v for v, _ in facts({"weight": 0.852})["weight"].values] == [0.852]


def test_units_stand_in_the_name_or_beside_the_number() -> None:
    by_name, beside = facts({"wind_kmh": 12})["wind_kmh"], facts({"value": 3, "unit": "kWh"})["value"]
    assert by_name.values[0][1] is not None
    assert by_name.values[0][1].dimension == "speed"
    assert beside.values[0][1] is not None
    assert beside.values[0][1].name == "kilowatt hours"


def test_lists_count_and_their_members_are_records_with_names() -> None:
    found = facts({"deals": [{"title": "Pilot", "stage": "won", "value": 3}]}, {"account": "AC-1"})
    assert found["deals"].count
    assert found["deals"].value == 1
    record = found["deals[0].value"].record
    assert (record.path, record.names) == ("deals[0]", ("Pilot",))
    assert found["deals[0].value"].field == "deals[].value"
    assert found["deals"].record.names == ("AC-1",)


def test_objects_keyed_by_ids_are_lists_in_disguise() -> None:
    found = facts({"variants": {"8722653925": {"price": 3}, "A-77X1": {"price": 4}}})
    assert {f.field for f in found.values() if not f.count} == {"variants[].price"}
    assert {n for f in found.values() for n in f.record.names} == {"8722653925", "A-77X1"}
    assert found["variants"].value == 2


def test_a_vague_field_takes_the_words_of_the_tool() -> None:
    assert set(facts({"count": 10})["count"].words) >= {"count", "orders"}


def test_transport_fields_are_marked() -> None:
    assert facts({"request_id": "r", "took_ms": 3, "price": 4})["took_ms"].transport
    assert not facts({"took_ms": 3, "price": 4})["price"].transport


def test_stamps_are_said_in_local_time_and_in_utc() -> None:
    f = facts({"start": "2026-11-22T14:30:00-06:00"})["start"]
    assert {r for t in f.times for r in t.readings} >= {870.0, 1230.0}
    assert f.dates[0].readings == (1122.0,)


def test_errors_and_missing_results_hold_no_facts_and_a_cut_one_what_was_kept() -> None:
    t = trace(({}, "Error: no"), ({}, None), ({}, '{"a": 1, "b": [1, 2], "c": "cut of'), ({}, "Balance: 1,204.33 EUR"))
    assert payload_of(t.calls[0]) is MISSING
    assert payload_of(t.calls[1]) is MISSING
    assert payload_of(t.calls[2]) == {"a": 1, "b": [1, 2]}
    assert [v for f in trace_facts(t)[t.calls[3].at] for v, _ in f.values] == [1204.33]


def test_an_id_sent_later_carries_the_names_found_with_it() -> None:
    t = trace(({}, '{"places": [{"name": "Duluth", "id": "ST11"}]}'), ({"id": "ST11"}, '{"temp_c": 4}'))
    assert "Duluth" in trace_facts(t)[t.calls[1].at][0].record.names


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_any_payload_gives_facts_with_their_own_paths(payload: Any) -> None:
    found = facts_of(trace(({}, json.dumps(payload))).calls[0])
    assert all(f.call.tool == "count_orders" for f in found)


def test_a_number_among_white_space_of_any_kind_is_one() -> None:
    assert facts({"size": "42\x1f"})["size"].values == facts({"size": "42"})["size"].values


def test_rows_take_the_names_of_their_columns() -> None:
    found = facts({"sensors": [["sn-1", 50], ["sn-2", 71]], "columns": ["id", "batteryPct"]})
    assert found["sensors[1].batteryPct"].value == 71
    assert found["sensors[1].batteryPct"].record.names == ("sn-2",)


def test_a_unit_beside_a_list_is_the_unit_of_its_members() -> None:
    f = facts({"dims": [56, 25], "dimsUnit": "cm"})["dims[1]"]
    assert f.values[0][1] is not None
    assert f.values[0][1].name == "centimetres"


@pytest.mark.parametrize("key", ["latency_std", "games_won", "price_tag"])
def test_a_word_that_ends_a_name_for_another_reason_is_no_unit(key: str) -> None:
    assert unit_of_key(key) is None
    assert unit_of_key("amount_krw") is not None


def test_a_long_number_in_quotes_is_an_id() -> None:
    assert facts({"order": "9523456873"})["order"].values == ()
    assert facts({"size": "42"})["size"].values != ()


def test_content_blocks_are_opened() -> None:
    inner = json.dumps({"pages": 87})
    t = trace(({}, json.dumps({"content": [{"type": "text", "text": inner}], "isError": False})))
    assert t.calls[0].result is not None
    assert t.calls[0].result.payload == {"pages": 87}


def test_texts_that_show_fields_hold_facts() -> None:
    t = trace(({}, "Saldo disponible: 7596,63 EUR\nBloqueada: no"))
    found = {f.path: f for f in trace_facts(t)[t.calls[0].at]}
    assert 7596.63 in [v for v, _ in found['["Saldo disponible"]'].values]
    assert found["Bloqueada"].value is False
