"""Arguments against what stood before them: whose identifier, which of a pair, which number. Every fault has its twin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.evidence.identities import alike, nearest, same_identifier
from rootcall.evidence.number_words import spelled_digits, spelled_numbers
from rootcall.judging import verdict
from rootcall.readers import read
from rootcall.trace import Trace

HERE = Path(__file__).parent
NUMBER = {"type": "number"}
TEXT = {"type": "string"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(name: str, arguments: Any, result: Any = "{}") -> list[dict[str, Any]]:
    """A call and what came back, as two messages."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    text = result if isinstance(result, str) else json.dumps(result)
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    ]


def tool(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


def found(messages: list[dict[str, Any]], *tools: dict[str, Any], hints: bool = False) -> dict[str, str]:
    """The failing argument checks, by rule, with the argument; without hints unless wanted."""
    trace = Trace.from_openai(messages, list(tools) or None, metadata={"reference_time": "2026-11-30T09:00:00Z"})
    checks = [c for c in verdict(trace).checks if c.layer == "arguments" and c.status == "fail"]
    return {c.rule.partition("/")[2]: c.argument or "" for c in checks if c.fails or hints}


def sent(text: str, schema: dict[str, Any], arguments: dict[str, Any], **kwargs: bool) -> dict[str, str]:
    return found([user(text), *call("act", arguments)], tool("act", schema), **kwargs)


# ---- real runs -----------------------------------------------------------------------------------------------------


def test_real_runs_draw_no_finding_but_the_identifiers_a_server_did_not_know(bundled: Path) -> None:
    traces = read(bundled / "tau-airline.jsonl.gz", "auto", bundled / "tau-airline-tools.json")
    failing = [c for t in traces for c in verdict(t).checks if c.layer == "arguments" and c.fails]
    assert not [c for c in failing if c.rule != "arguments/provenance"]
    assert all("the tool answered" in c.message for c in failing)


def test_a_gold_trajectory_without_its_state_is_not_accused() -> None:
    for trace in read(HERE / "data" / "traces" / "bfcl_multi_turn.jsonl"):
        assert not [c for c in verdict(trace).checks if c.layer == "arguments" and c.fails]


# ---- identifiers of one kind ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "wanted"),
    [
        ("PT-40817", "PT-40817, pt 50022 and VT-88120", ("PT-40817", "pt 50022")),
        ("#W1234567", "orders #W1234567 and #W7654321", ("#W1234567", "#W7654321")),
        ("K7PQ2Z", "codes M1ZS6D and HELLOO", ("M1ZS6D",)),
        ("5112345", "numbers 5112399, 51 and $5,112,345", ("5112399",)),
        ("ST-2041", "학생 ST-2041과 ST-2057의", ("ST-2041", "ST-2057")),
        ("latest", "latest and first", ()),
    ],
)
def test_identifiers_that_look_alike(value: str, text: str, wanted: tuple[str, ...]) -> None:
    assert alike(value, text) == wanted


def test_a_near_miss_is_one_character_or_two_neighbours() -> None:
    assert nearest("PT-40871", ["PT-40817", "PT-50022"]) == "PT-40817"
    assert nearest("PT-4087", ["PT-40817"]) == "PT-40817"
    assert nearest("PT-40817", ["PT-40818", "PT-40819"]) is None, "two are as near"
    assert nearest("PT-40817", ["PT-99999"]) is None
    assert same_identifier("fw-12", "FW 12")


@given(st.text(max_size=30), st.text(max_size=60))
def test_shapes_are_total(value: str, text: str) -> None:
    assert len(set(alike(value, text))) == len(alike(value, text))
    assert nearest(value, [value]) is None


# ---- invented values -----------------------------------------------------------------------------------------------


def test_a_finding_names_what_was_nearly_sent_and_where_that_stands() -> None:
    messages = [user("her labs"), *call("find", {"name": "?"}, {"patients": [{"patient_id": "PT-40817"}]}), *call("labs", {"patient_id": "PT-40871"})]  # fmt: skip
    trace = Trace.from_openai(messages, [tool("find", {"name": TEXT}), tool("labs", {"patient_id": TEXT})])
    failing = [c.message for c in verdict(trace).checks if c.rule == "arguments/provenance" and c.fails]
    wanted = "nearly PT-40817 (find result .patients[0].patient_id, messages[1])"
    assert failing == [
        f'patient_id is "PT-40871", which stands in no message, earlier result, schema or default; {wanted}'
    ]


def test_an_identifier_from_nowhere_is_accused_with_and_without_a_list_of_tools() -> None:
    unseen = [user("send it to Catherine"), *call("send_message", {"receiver_id": "USR-0031"})]
    assert found(unseen) == {"provenance": "receiver_id"}
    with_system = [{"role": "system", "content": "You help."}, *unseen]
    assert found(with_system) == {"provenance": "receiver_id"}
    assert found(unseen, tool("send_message", {"receiver_id": TEXT})) == {"provenance": "receiver_id"}
    told = [{"role": "system", "content": "Catherine is USR-0031."}, *unseen]
    assert found(told) == {}


def test_a_system_message_that_was_not_captured_could_have_held_it_unless_the_tool_did_not_know_it() -> None:
    hidden = {"role": "system"}
    properties = {"payment_id": TEXT}
    quiet = [hidden, user("pay with my card"), *call("pay", {"payment_id": "card_7334"})]
    assert found(quiet, tool("pay", properties)) == {}
    refused = [hidden, user("pay with my card"), *call("pay", {"payment_id": "card_7334"}, "Error: payment not found")]
    assert found(refused, tool("pay", properties)) == {"provenance": "payment_id"}


@pytest.mark.parametrize("text", ["order forty-seven eleven", "order four seven one one", "vier sieben eins eins"])
def test_digits_read_aloud_are_a_source(text: str) -> None:
    schema = {"order_id": TEXT}
    assert sent(text, schema, {"order_id": "4711"}) == {}
    assert sent(text, schema, {"order_id": "4717"}) == {"provenance": "order_id"}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("email", "user@example.com", "my address is user@example.com"),
        ("email", "john.doe@company.com", "john.doe@company.com"),
        ("user_id", "USUARIO_ID", 'el usuario "USUARIO_ID"'),
        ("bestellnummer", "DEINE_BESTELLNUMMER", 'die Bestellung "DEINE_BESTELLNUMMER"'),
        ("order_id", "order_id_from_previous_step", "the order order_id_from_previous_step"),
        ("passenger_name", "John Doe", "I am John Doe"),
        ("kunde_name", "Max Mustermann", "für Max Mustermann"),
        ("name", "홍길동", "홍길동입니다"),
        ("card_number", "4111 1111 1111 1111", "my card is 4111 1111 1111 1111"),
    ],
)
def test_stand_ins_of_all_kinds_unless_the_user_stated_them(name: str, value: str, told: str) -> None:
    assert "placeholder" in sent("please do it for me", {name: TEXT}, {name: value})
    assert sent(told, {name: TEXT}, {name: value}) == {}


def test_who_asks_for_a_sample_gets_one_and_a_form_is_no_date() -> None:
    assert sent("create a test user", {"name": TEXT}, {"name": "John Doe"}) == {}
    assert sent("show my mail", {"date": TEXT}, {"date": "YYYY-MM-DD"}) == {"placeholder": "date"}
    assert sent("show my mail", {"date": TEXT}, {"date": "2026-05-01"}) == {}


def test_a_date_of_birth_is_told_and_never_chosen() -> None:
    schema = {"birth_date": {"type": "string", "format": "date"}, "start_date": {"type": "string", "format": "date"}}
    assert sent("add Ivo Marek", schema, {"birth_date": "1990-01-01"}) == {"provenance": "birth_date"}
    for told in ("born 1 January 1990", "geboren am 1.1.1990", "1990년 1월 1일생", "born on 1990-01-01"):
        assert sent(f"add Ivo Marek, {told}", schema, {"birth_date": "1990-01-01"}) == {}
    assert sent("add Ivo Marek", schema, {"start_date": "2027-01-01"}) == {}
    assert sent("add Ivo Marek", schema, {"start_date": "2027-01-01"}, hints=True) == {"provenance": "start_date"}


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("to", "E-mail address of the recipient"),
        ("an", "E-Mail-Adresse"),
        ("para", "Correo electrónico"),
        ("수신", "이메일"),
    ],
)
def test_an_address_is_known_by_the_words_of_its_argument(name: str, description: str) -> None:
    schema = {name: {"type": "string", "description": description}}
    assert sent("write to Lucía Ferrer", schema, {name: "lucia.ferrer@empresa.example"}) == {"provenance": name}
    assert sent("write to l.ferrer@nordia.example", schema, {name: "l.ferrer@nordia.example"}) == {}
    assert sent("Lucia Ferrer of nordia.example", schema, {name: "lucia.ferrer@nordia.example"}) == {}


@pytest.mark.parametrize(
    ("arguments", "hinted"),
    [
        ({"summary": "refunded $45.20 on order FW-511361"}, False),
        ({"summary": "refunded $90.40 on two orders"}, False),
        ({"summary": "refunded $77.77"}, True),
        ({"summary": "order FW-999999 is fine"}, True),
        ({"summary": "write to ada@engine.example"}, True),
        ({"thought": "perhaps FW-999999"}, False),
        ({"total": 90.4}, False),
        ({"total": 77.77}, True),
        ({"first_name": "Ada"}, False),
        ({"first_name": "Grace"}, True),
    ],
)
def test_other_values_from_nowhere_are_hints_and_never_fail(arguments: dict[str, Any], hinted: bool) -> None:
    messages = [
        user("two times, for adalovelace9@engine.test"),
        *call("read", {}, {"order": "FW-511361", "price": 45.2}),
        *call("act", arguments),
    ]
    tools = tool("read", {}), tool("act", {k: {} for k in ("summary", "thought", "total", "first_name")})
    assert found(messages, *tools) == {}
    assert ("provenance" in found(messages, *tools, hints=True)) is hinted


# ---- another thing than the one spoken of --------------------------------------------------------------------------

LISTED = [
    user("which orders do I have?"),
    *call("list_orders", {}, {"orders": [{"order_id": "FW-10010"}, {"order_id": "FW-10012"}]}),
    assistant("FW-10010 and FW-10012."),
]
ORDERS = tool("list_orders", {}), tool("cancel", {"order_id": TEXT}), tool("read", {"order_id": TEXT})


@pytest.mark.parametrize(
    "text",
    [
        "cancel FW-10012", "Storniere bitte FW-10012", "Cancela el pedido FW-10012", "annule la commande FW-10012",
        "FW-10012 주문을 취소해 주세요", "FW-10012をキャンセルして", "取消 FW-10012",
    ],
)  # fmt: skip
def test_the_other_order_is_not_the_one_spoken_of(text: str) -> None:
    assert found([*LISTED, user(text), *call("cancel", {"order_id": "FW-10010"})], *ORDERS) == {
        "other-entity": "order_id"
    }
    assert found([*LISTED, user(text), *call("cancel", {"order_id": "FW-10012"})], *ORDERS) == {}


@pytest.mark.parametrize(
    "text",
    [
        "cancel FW-10012 and FW-10010", "cancel the other one instead of FW-10012", "keep FW-10012, cancel the rest",
        "not FW-10012!", "Storniere statt FW-10012 die andere", "cancela la otra, no la FW-10012", "FW-10012 말고 다른 걸 취소해 주세요",
        "cancel all but FW-10012, every one", "yes, but FW-10012 stays", "please cancel it", "compare it with FW-10012",
    ],
)  # fmt: skip
def test_words_that_leave_it_open_which_is_meant(text: str) -> None:
    assert found([*LISTED, user(text), *call("cancel", {"order_id": "FW-10010"})], *ORDERS) == {}


def test_what_follows_from_the_one_spoken_of_is_in_order() -> None:
    linked = [
        *LISTED,
        user("cancel what replaced FW-10012"),
        *call("read", {"order_id": "FW-10012"}, {"was": "FW-10010"}),
    ]
    assert found([*linked, *call("cancel", {"order_id": "FW-10010"})], *ORDERS) == {}
    came = [*LISTED, user("cancel the duplicate of FW-10012"), *call("list_orders", {}, {"orders": ["FW-10010"]})]
    assert found([*came, *call("cancel", {"order_id": "FW-10010"})], *ORDERS) == {}


CONTRACTS = {
    "contracts": [
        {"contract_id": "VT-88120", "kind": "power", "city": "Ulm"},
        {"contract_id": "VT-88155", "kind": "gas", "city": "Ulm"},
    ]
}
PAY = tool("list", {}), tool("pay", {"contract_id": TEXT, "amount": NUMBER})


@pytest.mark.parametrize(
    ("text", "sent_id", "fails"),
    [
        ("pay 50 on my gas contract", "VT-88120", True),
        ("pay 50 on my gas contract", "VT-88155", False),
        ("pay 50 on gas and power", "VT-88120", False),
        ("pay 50 on the contract in Ulm", "VT-88120", False),
        ("pay 50 on my contract, not the gas one", "VT-88120", False),
    ],
)
def test_a_word_that_only_one_record_has_tells_which_is_meant(text: str, sent_id: str, fails: bool) -> None:
    messages = [user(text), *call("list", {}, CONTRACTS), *call("pay", {"contract_id": sent_id, "amount": 50})]
    assert found(messages, *PAY) == ({"other-entity": "contract_id"} if fails else {})


# ---- pairs ---------------------------------------------------------------------------------------------------------

POINT = {"latitude": NUMBER, "longitude": NUMBER}
PERSON = {"first_name": TEXT, "last_name": TEXT}
WINDOW = {"start_time": TEXT, "end_time": TEXT}


@pytest.mark.parametrize(
    ("text", "schema", "right"),
    [
        ("near 48.1372, 11.5756 (latitude, longitude)", POINT, (48.1372, 11.5756)),
        ("위도 37.5665, 경도 126.9780 근처", POINT, (37.5665, 126.978)),
        ("Breite 48,1372 und Länge 11,5756", POINT, (48.1372, 11.5756)),
        ("latitud: 40.4, longitud: -3.7", POINT, (40.4, -3.7)),
        ("lat=35.6 lon=139.7", POINT, (35.6, 139.7)),
        ("add Kovacs, Tamara (first name Tamara)", PERSON, ("Tamara", "Kovacs")),
        ("Vorname Tamara, Nachname Kovacs", PERSON, ("Tamara", "Kovacs")),
        ("nombre Tamara, apellido Kovacs", PERSON, ("Tamara", "Kovacs")),
        ("only from 01:00 to 05:30", WINDOW, ("01:00", "05:30")),
        ("nur von 01:00 bis 05:30 Uhr", WINDOW, ("01:00", "05:30")),
        ("de 01:00 a 05:30", WINDOW, ("01:00", "05:30")),
        ("01:00부터 05:30까지", WINDOW, ("01:00", "05:30")),
    ],
)
def test_pairs_that_the_user_named_are_not_exchanged(text: str, schema: dict[str, Any], right: tuple[Any, Any]) -> None:
    a, b = schema
    assert sent(text, schema, {a: right[0], b: right[1]}) == {}
    assert sent(text, schema, {a: right[1], b: right[0]}) == {"swapped": a}


@pytest.mark.parametrize(
    ("text", "schema", "arguments"),
    [
        ("near 48.1372, 11.5756", POINT, {"latitude": 11.5756, "longitude": 48.1372}),
        (
            "first name Tamara, and for Ivo the first name Kovacs",
            PERSON,
            {"first_name": "Kovacs", "last_name": "Tamara"},
        ),
        ("from 22:00 to 05:30", WINDOW, {"start_time": "22:00", "end_time": "05:30"}),
        ("01:00 to 05:30, then again 05:30 to 01:00", WINDOW, {"start_time": "05:30", "end_time": "01:00"}),
    ],
)
def test_pairs_that_nothing_names_are_left_alone(text: str, schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert sent(text, schema, arguments) == {}


def test_a_latitude_is_no_more_than_ninety() -> None:
    trace = Trace.from_openai(
        [user("Seoul"), *call("act", {"latitude": 126.98, "longitude": 37.57})], [tool("act", POINT)]
    )
    failing = [(c.rule, c.grade) for c in verdict(trace).checks if c.layer == "arguments" and c.fails]
    assert failing == [("arguments/swapped", "proof")]


def test_a_result_with_both_fields_tells_which_is_which() -> None:
    messages = [user("near the depot"), *call("read", {}, {"depot": {"latitude": 48.1, "longitude": 11.5}})]
    tools = tool("read", {}), tool("act", POINT)
    assert found([*messages, *call("act", {"latitude": 48.1, "longitude": 11.5})], *tools) == {}
    assert found([*messages, *call("act", {"latitude": 11.5, "longitude": 48.1})], *tools) == {"swapped": "latitude"}


# ---- numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "schema", "right", "wrong"),
    [
        ("überweise 1.250,00 Euro", {"betrag": NUMBER}, 1250, 1.25),
        ("überweise 1.234,50 €", {"amount": NUMBER}, 1234.5, 1.2345),
        ("pay $1,234.50 now", {"amount": NUMBER}, 1234.5, 1.2345),
        ("un peso de 72,5 kg", {"peso_kg": NUMBER}, 72.5, 725),
        ("setze es auf 54 Tsd. Euro", {"gehalt_eur": NUMBER}, 54000, 54),
        ("raise it to $54k", {"salary": NUMBER}, 54000, 54),
        ("raise the budget to 2.5 million", {"budget": NUMBER}, 2_500_000, 2.5),
        ("예산을 5만 4천으로", {"budget": NUMBER}, 54000, 54),
        ("thirteen boxes", {"quantity": {"type": "integer"}}, 13, 30),
        ("fifty boxes", {"quantity": {"type": "integer"}}, 50, 15),
        ("bitte einundzwanzig Stück", {"anzahl": {"type": "integer"}}, 21, 12),
        ("two dozen eggs", {"quantity": {"type": "integer"}}, 24, 2),
        ("zwei Dutzend Eier", {"anzahl": {"type": "integer"}}, 24, 20),
        ("una docena de huevos", {"cantidad": {"type": "integer"}}, 12, 1),
        ("달걀 열세 개요", {"quantity": {"type": "integer"}}, 13, 30),
    ],
)
def test_a_number_that_was_misread(text: str, schema: dict[str, Any], right: float, wrong: float) -> None:
    (name,) = schema
    assert sent(text, schema, {name: right}) == {}
    assert list(sent(text, schema, {name: wrong}).values()) == [name]


@pytest.mark.parametrize(
    ("text", "schema", "arguments"),
    [
        ("überweise 1.250 €", {"amount": NUMBER}, {"amount": 1.25}),  # an English reader's 1.250
        ("virement de 1 234,50 €", {"amount": NUMBER}, {"amount": 123450}),
        ("pay 64.00", {"amount": NUMBER}, {"amount": 64}),
        ("pay $64.00", {"amount": NUMBER}, {"amount": 6400}),  # perhaps in cents
        ("54 Tsd.", {"gehalt": {"type": "number", "description": "In thousands"}}, {"gehalt": 54}),
        ("thirteen boxes, no, thirty", {"quantity": NUMBER}, {"quantity": 30}),
        ("two dozen eggs in 2 boxes", {"boxes": NUMBER}, {"boxes": 2}),
        ("two dozen eggs for 24 people", {"eggs": NUMBER, "pages": NUMBER}, {"eggs": 24, "pages": 2}),
        ("air at 298K", {"temperature": NUMBER}, {"temperature": 298}),
        ("version 1.2 of it", {"limit": NUMBER}, {"limit": 12}),
        ("raise it to 72.5", {"limit": {"type": "number", "default": 725}}, {"limit": 725}),
    ],
)
def test_a_number_that_may_be_meant(text: str, schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    assert "number-misread" not in sent(text, schema, arguments)


@pytest.mark.parametrize(
    ("payload", "name", "right", "wrong"),
    [
        ({"monthly_eur": 64.0}, "amount_cents", 6400, 64),
        ({"price": 64.0, "currency": "USD"}, "amount_cents", 6400, 64),
        ({"duration_minutes": 90}, "timeout_seconds", 5400, 90),
        ({"length_km": 42.5}, "distance_m", 42500, 42.5),
    ],
)
def test_an_amount_of_a_result_is_converted(payload: Any, name: str, right: float, wrong: float) -> None:
    messages = [user("as it stands there"), *call("read", {}, payload)]
    tools = tool("read", {}), tool("act", {name: NUMBER})
    assert found([*messages, *call("act", {name: right})], *tools) == {}
    assert found([*messages, *call("act", {name: wrong})], *tools) == {"unit-slip": name}


def test_an_amount_that_stands_in_the_wanted_unit_or_without_one_is_left_alone() -> None:
    tools = tool("read", {}), tool("act", {"amount_cents": NUMBER})
    for payload in ({"monthly_eur": 64.0, "fee_cents": 64}, {"monthly_eur": 64.0, "pages": 64}):
        assert found([user("pay"), *call("read", {}, payload), *call("act", {"amount_cents": 64})], *tools) == {}
    said = [user("pay 64 cents"), *call("read", {}, {"monthly_eur": 64.0}), *call("act", {"amount_cents": 64})]
    assert found(said, *tools) == {}


@given(st.integers(min_value=2, max_value=99))
def test_every_number_word_is_read_in_english_and_german(n: int) -> None:
    ones = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    word = ones[n] if n < 20 else tens[n // 10 - 2] + (f"-{ones[n % 10]}" if n % 10 else "")
    assert [s.value for s in spelled_numbers(f"send {word} boxes")] == [n]


@given(st.text(max_size=80))
def test_number_words_are_total(text: str) -> None:
    assert all(0 <= s.start < s.end <= len(text) for s in spelled_numbers(text))
    assert all(d.isdigit() for d in spelled_digits(text))
