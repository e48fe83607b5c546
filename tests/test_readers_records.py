"""Lines to records: JSON, JSON Lines, arrays, concatenated values, and everything that is wrong with them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rootcall.readers import read
from rootcall.readers.content import Damaged
from rootcall.readers.records import Limits, Stream
from rootcall.trace import Problem

TRACES = Path(__file__).parent / "data" / "traces"


class Seen:
    def __init__(self, data: bytes | str, *, cut: bool = False, **options: Any) -> None:
        self.problems: list[Problem] = []

        def chunks() -> Any:
            yield data.encode() if isinstance(data, str) else data
            if cut:
                raise Damaged("truncated", "the compressed file ends before its end")

        self.stream = Stream(chunks(), "f", report=self.problems.append, **options)
        self.container = self.stream.head.container
        self.records = [(r.value, r.source.line, r.source.pointer) for r in self.stream]
        self.codes = [p.code for p in self.problems]
        self.places = [(p.code, p.source.line, p.source.pointer) for p in self.problems]


@pytest.mark.parametrize(
    ("data", "container", "records"),
    [
        ('{"a": 1}\n\n{"b": 2}\r\n', "lines", [({"a": 1}, 1, ""), ({"b": 2}, 3, "")]),
        ("[1]\n[2]", "lines", [([1], 1, ""), ([2], 2, "")]),
        ('{"a": 1}', "document", [({"a": 1}, None, "")]),
        ('{\n "a": [\n{"b": 2}\n]\n}', "document", [({"a": [{"b": 2}]}, None, "")]),
        ('[{"a": 1}, {"b": 2}]', "array", [({"a": 1}, None, "/0"), ({"b": 2}, None, "/1")]),
        ('[\n{"a": 1},\n{"b": 2}\n]\n', "array", [({"a": 1}, None, "/0"), ({"b": 2}, None, "/1")]),
        ('{"a": 1}{"b": 2} {"c": 3}', "document", [({"a": 1}, None, ""), ({"b": 2}, 1, ""), ({"c": 3}, 1, "")]),
        ('{\n"a": 1\n}\n{\n"b": 2\n}', "document", [({"a": 1}, None, ""), ({"b": 2}, 4, "")]),
        ('{"a": 1} {"b": 2}\n{"c": 3}', "lines", [({"a": 1}, 1, ""), ({"b": 2}, 1, ""), ({"c": 3}, 2, "")]),
        ("[]", "array", []),
        (" \n ", "empty", []),
        ("", "empty", []),
        ("PK\x03\x04\x00", "binary", []),
    ],
)
def test_containers_are_told_from_content(data: str, container: str, records: list[Any]) -> None:
    seen = Seen(data)
    assert (seen.container, seen.records, seen.codes) == (container, records, [])


def test_a_long_pretty_printed_document_is_no_json_lines() -> None:
    rows = [{"n": i, "deep": {"x": [i]}} for i in range(500)]
    assert [r[0] for r in Seen(json.dumps(rows, indent=1)).records] == rows
    assert [r[0] for r in Seen(json.dumps({"rows": rows}, indent=1)).records] == [{"rows": rows}]
    compact = "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]"
    assert [r[0] for r in Seen(compact).records] == rows


def test_the_head_shows_the_first_values_and_takes_none_away() -> None:
    seen = Seen("".join(f'{{"n": {i}}}\n' for i in range(100)))
    assert [v["n"] for v in seen.stream.head.values] == list(range(8))
    assert [r[0]["n"] for r in seen.records] == list(range(100))


def test_the_head_looks_past_bad_lines() -> None:
    seen = Seen("{bad\n" * 200 + '{"n": 1}')
    assert seen.stream.head.values == ({"n": 1},)
    assert seen.codes == ["not-json"] * 200


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("{bad", "not-json"),
        ('{"a": 1', "not-json"),
        ('{"a": 1} tail', "not-json"),
        ('{"a": NaN}', "not-a-number"),
        ('{"a": [-Infinity]}', "not-a-number"),
        ('{"a": 1e999}', "not-a-number"),
        ('{"a": ' + "9" * 5000 + "}", "not-json"),
        ("[" * 5000 + "]" * 5000, "nested-too-deeply"),
        ('{"a": ' * 5000 + "1" + "}" * 5000, "nested-too-deeply"),
        (b'{"a": "caf\xe9"}', "not-utf-8"),
        ('{"a": "\t"}', "not-json"),
        (b'{"a": "\0"}', "not-json"),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bad_line_is_one_named_problem_and_the_rest_is_read(bad: str | bytes, code: str, place: int) -> None:
    lines = [b'{"n": 1}', b'{"n": 2}']
    lines.insert(place, bad.encode() if isinstance(bad, str) else bad)
    seen = Seen(b"\n".join(lines))
    assert seen.places == [(code, place + 1, "")]
    kept = [r[0] for r in seen.records if "n" in r[0]]
    assert kept == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("element", "code"),
    [("NaN", "not-a-number"), ('{"a": 1e999}', "not-a-number"), ('{"a": 1, "a": 2}', "duplicate-keys")],
)
def test_a_bad_element_of_an_array_is_named_by_its_pointer(element: str, code: str) -> None:
    seen = Seen(f'[{{"n": 1}}, {element}, {{"n": 3}}]')
    assert seen.places == [(code, None, "/1")]
    assert [r[2] for r in seen.records if "n" in r[0]] == ["/0", "/2"]


def test_what_broke_is_said_in_plain_words() -> None:
    assert Seen('{"a": "b').problems[0].message == "not JSON: Unterminated string starting at column 7"


def test_an_array_that_breaks_keeps_the_elements_before() -> None:
    first, other = '{"function": {"arguments": "1"}}', '{"function": {"arguments": "2"}}'
    seen = Seen(f'[{{"n": 1}}, {{"n": 2}}, {{"calls": [{first}, {other}, {first}')
    assert [r[0]["n"] for r in seen.records] == [1, 2]
    assert [(p.code, p.source.pointer, p.lost) for p in seen.problems] == [("not-json", "/2", 2)]
    assert seen.problems[0].message.endswith("; 2 calls are lost with it, or more")
    assert Seen('[{"n": 1} {"n": 2}]').places == [("not-json", None, "/0")]
    assert Seen('[{"n": 1}] tail').places == [("not-json", None, "/0")]
    assert Seen("[] tail").codes == ["not-json"]


@pytest.mark.parametrize(("inner", "code"), [("9" * 5000, "not-json"), ("[" * 5000, "nested-too-deeply")])
def test_a_document_that_no_decoder_takes_is_one_problem(inner: str, code: str) -> None:
    seen = Seen(f"[\n1,\n{inner}\n]")
    assert ([r[0] for r in seen.records], seen.places) == ([1], [(code, None, "/1")])


def test_a_broken_document_does_not_hide_the_next() -> None:
    seen = Seen('{\n "a": 1\n}\n{\n "b": 2,\n}\n{\n "c": 3\n}')
    assert [r[0] for r in seen.records] == [{"a": 1}, {"c": 3}]
    assert seen.places == [("not-json", 4, "")]


def test_content_that_breaks_off_is_one_problem() -> None:
    whole = Seen('{"a": 1}\n{"b": 2}\n', cut=True)
    assert (len(whole.records), whole.places) == (2, [("truncated", None, "")])
    line = Seen('{"a": 1}\n{"b": 2', cut=True)
    assert (len(line.records), line.places) == (1, [("truncated", 2, "")])
    complete = Seen('{"a": 1}\n{"b": 2}', cut=True)
    assert (len(complete.records), complete.codes) == (2, ["truncated"])
    letter = Seen('{"a": 1}\n{"b": "é'.encode()[:-1], cut=True)
    assert (len(letter.records), letter.places) == (1, [("truncated", 2, "")])
    array = Seen('[{"a": 1}, {"b": "é'.encode()[:-1], cut=True)
    assert (len(array.records), array.places) == (1, [("truncated", None, "/1")])
    between = Seen('[{"a": 1}', cut=True)
    assert (len(between.records), between.codes) == (1, ["truncated"])
    nothing = Seen("", cut=True)
    assert (nothing.container, nothing.codes) == ("empty", ["truncated"])


def test_a_document_that_is_not_utf8_is_one_problem() -> None:
    seen = Seen(b'[\n{"arguments": "caf\xe9"},\n2]')
    assert (seen.records, [(p.code, p.lost) for p in seen.problems]) == ([], [("not-utf-8", 1)])


def test_caps_hold_for_lines_and_documents() -> None:
    limits = Limits(line=100, document=1000)
    seen = Seen('{"a": 1}\n{"b": "' + "x" * 200 + '"}\n{"c": 3}', limits=limits)
    assert [r[0] for r in seen.records] == [{"a": 1}, {"c": 3}]
    assert seen.places == [("line-too-long", 2, "")]
    assert Seen('{"b": "' + "x" * 200 + '"}\n{"c": 3}', limits=limits).places == [("line-too-long", 1, "")]
    large = Seen("[\n" + "1,\n" * 500 + "2]", limits=limits)
    assert (large.records, large.codes) == ([], ["too-large"])
    long = Seen("[\n1,\n" + "2" * 200 + "]", limits=limits)
    assert (long.records, long.codes) == ([], ["too-large"])


def test_numbers_keep_their_digits() -> None:
    seen = Seen('{"a": 9007199254740993, "b": 123456789012345678901234567890, "c": 0.1, "d": 1.0, "e": -0}')
    assert json.dumps(seen.records[0][0]) == (
        '{"a": 9007199254740993, "b": 123456789012345678901234567890, "c": 0.1, "d": 1.0, "e": 0}'
    )


def test_twice_named_keys_and_halves_of_characters_are_noted_and_the_record_kept() -> None:
    seen = Seen('{"a": 1, "a": {"b": 2, "b": 3}, "c": "\\ud83d\\ude00 \\ud83d"}')
    assert [r[0] for r in seen.records] == [{"a": {"b": 3}, "c": "😀 �"}]
    assert seen.codes == ["duplicate-keys", "lone-surrogate"]
    assert seen.problems[0].message == "'b', 'a' stands twice in one object; the last one counts"


def test_rows_keeps_an_array_together_when_its_elements_are_parts() -> None:
    problems: list[Problem] = []
    data = b'[{"part": 1}, {"part": 2, "x": 1, "x": 2}]'
    together = Stream([data], "f", report=problems.append)
    assert [r.value for r in together.rows(lambda v: "part" in v)] == [[{"part": 1}, {"part": 2, "x": 2}]]
    assert [p.code for p in problems] == ["duplicate-keys"], "a problem is said once"
    apart = Stream([data], "f")
    assert len(list(apart.rows(lambda v: "other" in v))) == 2


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_how_content_is_cut_into_chunks_does_not_matter(size: int) -> None:
    data = (TRACES / "flight.jsonl").read_bytes()
    stream = Stream((data[i : i + size] for i in range(0, len(data), size)), "f")
    assert [r.value["id"] for r in stream] == ["flight", "recovered", "clean", "misread", "greeting"]


def test_json_lines_are_read_line_by_line() -> None:
    served = 0

    def chunks() -> Any:
        nonlocal served
        for i in range(10_000):
            served += 1
            yield b'{"n": %d}\n' % i

    records = iter(Stream(chunks(), "f"))
    next(records)
    assert served < 100


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("form", ["lines", "array", "pretty", "concatenated", "json lines named .json"])
def test_the_same_runs_read_the_same_in_every_container(tmp_path: Path, form: str, packed: bool) -> None:
    rows = [json.loads(x) for x in (TRACES / "tau_airline.jsonl").read_text("utf-8").splitlines()]
    text = {
        "lines": lambda: "\n".join(json.dumps(r, ensure_ascii=False) for r in rows),
        "array": lambda: json.dumps(rows),
        "pretty": lambda: json.dumps(rows, indent=4, ensure_ascii=False),
        "concatenated": lambda: "\n".join(json.dumps(r, indent=2) for r in rows),
        "json lines named .json": lambda: "".join(json.dumps(r) + "\r\n" for r in rows),
    }[form]()
    file = tmp_path / "airline.json"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = [(t.id, t.metadata["reward"], [c.tool for c in t.calls], [m.text for m in t.messages]) for t in read(file)]
    expected = read(TRACES / "tau_airline.jsonl")
    assert found == [
        (t.id, t.metadata["reward"], [c.tool for c in t.calls], [m.text for m in t.messages]) for t in expected
    ]
