"""Errors in the wild: recognised with their evidence, and payloads that merely contain the word left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootcall.payload import decode_result
from rootcall.toolerror import ToolError, detect_error

NAMES = ("day", "city", "departure_date")


def error_in(result: Any, **options: Any) -> ToolError | None:
    text = result if isinstance(result, str) else json.dumps(result)
    return detect_error(text, decode_result(text).value, names=NAMES, **options)


@pytest.mark.parametrize(
    ("result", "kind", "status", "code", "fields", "retryable"),
    [
        ({"status": 400, "error": "invalid_request", "message": "day must be ISO", "field": "day"}, "validation", 400, "400", ("day",), False),
        ({"error": {"code": 404, "message": "Order not found", "status": "NOT_FOUND"}}, "not_found", 404, "404", (), False),
        ({"error": {"code": "rate_limited", "message": "Too many requests"}}, "rate_limit", None, "rate_limited", (), True),
        ({"error": "bad", "message": "city is unknown"}, "other", None, None, ("city",), None),
        ({"errors": [{"message": "bad", "path": ["trip", "day"]}], "data": None}, "validation", None, None, ("trip", "day"), False),
        ({"errors": ["first", "second"]}, "validation", None, None, (), False),
        ({"type": "https://x/y", "title": "Out of credit", "status": 403, "detail": "no"}, "permission", 403, "403", (), False),
        ({"detail": [{"loc": ["body", "day"], "msg": "field required", "type": "missing"}]}, "validation", None, None, ("day",), False),
        ([{"loc": ["body", "day"], "msg": "field required"}], "validation", None, None, ("day",), False),
        ({"detail": "Not found."}, "not_found", None, None, (), False),
        ({"isError": True, "content": [{"type": "text", "text": "boom"}]}, "other", None, None, (), None),
        ({"isError": True, "content": "timed out"}, "timeout", None, None, (), True),
        ({"is_error": True, "message": "boom"}, "other", None, None, (), None),
        ([{"type": "text", "text": "Error: day is invalid"}], "validation", None, None, ("day",), False),
        ({"jsonrpc": "2.0", "error": {"code": -32602, "message": "Invalid params"}}, "validation", None, "-32602", (), False),
        ({"ok": False, "error": "channel_not_found"}, "not_found", None, None, (), False),
        ({"success": False, "message": "Card declined"}, "other", None, None, (), None),
        ({"success": False, "errors": ["a", {"message": "b"}]}, "other", None, None, (), None),
        ({"error": True, "validationErrors": {"_errors": [], "day": {"_errors": ["bad"]}}}, "validation", None, None, ("day",), False),
        ({"status": "error", "message": "boom"}, "other", None, None, (), None),
        ({"status": "failure"}, "other", None, None, (), None),
        ({"code": "INVALID_ARGUMENT", "message": "bad day"}, "validation", None, "INVALID_ARGUMENT", ("day",), False),
        ({"code": 500, "message": "exploded"}, "server", 500, "500", (), True),
        ({"statusCode": "429", "body": "slow down"}, "rate_limit", 429, "429", (), True),
        ({"statusCode": 504}, "timeout", 504, "504", (), True),
        ({"status": 500, "error": {"message": "request timed out"}}, "timeout", 500, "500", (), True),
        ({"status": 418, "errors": ["teapot"]}, "validation", 418, "418", (), False),
        ({"exit_code": 2, "stderr": "No such record"}, "not_found", None, "2", (), False),
        ({"resultCode": "E1001", "resultMessage": "wrong day"}, "other", None, "E1001", ("day",), None),
        ({"errorType": "ValueError", "errorMessage": "bad"}, "validation", None, "ValueError", (), False),
        ({"__type": "ns#ThrottlingException", "message": "Rate exceeded"}, "rate_limit", None, "ThrottlingException", (), True),
        ({"error": {"message": "boom", "type": "object", "code": "X1"}}, "other", None, "X1", (), None),
        ({"error": {"message": "boom", "type": "object"}}, "other", None, None, (), None),
        ({"fault": {"faultstring": "Rate limit quota violation"}}, "rate_limit", None, None, (), True),
        ({"error": {"message": "denied", "fieldViolations": [{"field": "trip.day"}]}}, "other", None, None, ("day",), None),
        ({"오류": "날짜 형식이 잘못되었습니다"}, "validation", None, None, (), False),
        ("Error: user not found", "not_found", None, None, (), False),
        ("Error [E-4012]: day is unsupported", "validation", None, "E-4012", ("day",), False),
        ("Error: departureDate is required", "validation", None, None, ("departure_date",), False),
        ("ValueError: bad day", "validation", None, "ValueError", ("day",), False),
        ("app.errors.NotFoundError: gone", "not_found", None, "NotFoundError", (), False),
        ("Invalid input for tool get_order: JSON parsing failed: Text: {1. Error message: x", "validation", None, None, (), False),
        ("Invalid arguments: day is required", "validation", None, None, ("day",), False),
        ("JSON parsing failed: Text: {", "validation", None, None, (), False),
        ("Model tried to call unavailable tool 'f'. Available tools: g.", "unknown_tool", None, None, (), False),
        ('Traceback (most recent call last):\n  File "x"\nmy.TimeoutError: slow', "timeout", None, "TimeoutError", (), True),
        ("Traceback (most recent call last):\n  cut off here:", "other", None, None, (), None),
        ("HTTP 503 Service Unavailable", "server", 503, "503", (), True),
        ("HTTP/1.1 409 Conflict", "conflict", 409, "409", (), False),
        ("404 Not Found: no such order", "not_found", 404, "404", (), False),
        ("400 Client Error: Bad Request for url", "validation", 400, "400", (), False),
        ("The request failed with status code 429", "rate_limit", 429, "429", (), True),
        ("Permission denied", "permission", None, None, (), False),
        ("Request timed out after 30 s", "timeout", None, None, (), True),
        ("Failed to connect to the host", "other", None, None, (), None),
        ("오류: 날짜 형식이 잘못되었습니다", "validation", None, None, (), False),
        ("Fehler: Datum ungültig", "validation", None, None, (), False),
        ("エラー：日付", "other", None, None, (), None),
        ("Unknown tool: find", "unknown_tool", None, None, (), False),
        ("Error: the tool find does not exist", "unknown_tool", None, None, (), False),
        ("Error: denied by the user", "refused", None, None, (), False),
        ("<error><code>E42</code><message>no day</message></error>", "other", None, "E42", ("day",), None),
        ("<soap:Fault><faultstring>invalid day</faultstring></soap:Fault>", "validation", None, None, ("day",), False),
        ("Process exited with code 2", "other", None, "2", (), None),
        ("exit status: 1", "other", None, "1", (), None),
    ],
)  # fmt: skip
def test_errors_are_recognised(
    result: Any, kind: str, status: int | None, code: str | None, fields: tuple[str, ...], retryable: bool | None
) -> None:
    error = error_in(result)
    assert error is not None
    assert (error.kind, error.status, error.code, error.fields, error.retryable) == (
        kind,
        status,
        code,
        fields,
        retryable,
    )
    assert error.evidence == (
        "text" if isinstance(decode_result(result if isinstance(result, str) else "").value, str) else "payload"
    ) or (isinstance(result, list))
    assert error.visible is True


@pytest.mark.parametrize(
    "result",
    [
        {"error": None, "data": 1},
        {"error": "", "data": 1},
        {"error": False, "ok": True},
        {"error": 0},
        {"error": 0.02, "model": "fit"},
        {"errors": [], "data": {}},
        {"errors": 3, "total": 10},
        {"errors": [{"message": "partial"}], "data": {"a": 1}},
        {"error_rate": 0},
        {"success": True, "message": "error log cleared"},
        {"status": "active"},
        {"status": 3},
        {"status": 200, "message": "ok"},
        {"status": "failed", "order": 1, "items": [1], "total": 3},
        {"status": "cancelled", "message": "cancelled as asked"},
        {"type": "invalid", "a": 1, "b": 2, "c": 3},
        {"code": 0, "message": "ok"},
        {"code": 404, "name": "Building 404"},
        {"code": "ABC", "message": "invalid day"},
        {"code": "HELLO", "message": "invalid day"},
        {"exit_code": 0, "stdout": "error: none"},
        {"exit_code": True},
        {"resultCode": "S0000", "data": 1},
        {"resultCode": "00", "resultMessage": "success"},
        {"resultCode": "INFO-1", "resultMessage": "정상"},
        {"errorCode": 0, "errorMessage": ""},
        {"message": "Error handling guide", "pages": 3},
        {"results": [{"level": "ERROR", "message": "disk"}]},
        {"detail": "Sea view, breakfast included"},
        {"detail": "Not found elsewhere", "room": 4},
        {"isError": False, "content": [{"type": "text", "text": "fine"}]},
        [],
        [1, {"msg": "a", "loc": []}],
        [{"type": "text", "text": "fine"}],
        [{"type": "text", "text": "Error: a"}, {"type": "text", "text": "Error: b"}],
        "",
        "Error handling is described in chapter 3",
        "error rate: 0.3 %",
        "Errors: 0",
        "No errors found",
        "There is an error in your bill",
        "404 rooms are free",
        "500 Main Street",
        "450 Results",
        "Process exited with code 0",
        "Timeouts are set to 3 s",
        "Forbidden City, Beijing",
        "Conflict resolution course",
        "Failed to impress critics: two stars",
        "typeerror: a blog about types",
        3,
        True,
        None,
    ],
)
def test_what_merely_contains_the_word_is_no_error(result: Any) -> None:
    assert error_in(result) is None


def test_a_flag_or_a_status_of_the_format_decides() -> None:
    flagged = error_in("busy", flagged=True)
    assert flagged is not None
    assert (flagged.evidence, flagged.message, flagged.kind) == ("flag", "busy", "other")
    named = error_in({"message": "day is required"}, flagged=True, evidence="exception")
    assert named is not None
    assert (named.evidence, named.kind, named.fields) == ("exception", "validation", ("day",))
    status = error_in("busy", status=503)
    assert status is not None
    assert (status.evidence, status.status, status.kind) == ("status", 503, "server")
    assert error_in("busy", status=200) is None
    assert error_in("busy", flagged=False) is None
    both = error_in("Error: bad", flagged=False)
    assert both is not None
    assert both.evidence == "text"
    silent = detect_error(None, None, flagged=True)
    assert silent is not None
    assert silent.message == ""
    payload_only = detect_error(None, {"error": "x"})
    assert payload_only is not None
    assert payload_only.visible is True


@pytest.mark.parametrize(
    "text",
    [
        "An error occurred while running the tool. Please try again.",
        "Error: Function failed.",
        "Error executing tool search_flights",
    ],
)
def test_an_error_the_harness_withheld_was_not_visible(text: str) -> None:
    for flagged in (None, True):
        error = error_in(text, flagged=flagged)
        assert error is not None
        assert error.visible is False


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("429 RESOURCE_EXHAUSTED", "rate_limit"), ("429 Resource exhausted", "rate_limit"), ("Error: ECONNRESET", "server"),
        ("Error: Permission_Denied", "permission"), ("Error: ValueError in the call", "validation"),
        ("Error: ZEITÜBERSCHREITUNG", "timeout"), ("Error: LOCKEDEXCEPTION", "conflict"),
    ],
)  # fmt: skip
def test_upper_and_lower_case_say_the_same(text: str, kind: str) -> None:
    error = error_in(text, flagged=True)
    assert error is not None
    assert error.kind == kind


def test_of_a_long_output_the_beginning_and_the_end_say_what_failed() -> None:
    noise = "a line of the program's output\n" * 20_000
    for text, kind in ((f"Command timed out\n{noise}", "timeout"), (f"{noise}\nTimeoutError: timed out", "timeout"),
                       (f"{noise}must\n{noise}", "other")):  # fmt: skip
        error = error_in(text, flagged=True)
        assert error is not None
        assert error.kind == kind


def test_long_messages_are_cut() -> None:
    error = error_in("Error: " + "x" * 5000)
    assert error is not None
    assert len(error.message) == 2000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
        lambda x: st.lists(x, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "errors", "status", "code", "message", "detail", "isError", "content", "type", "text", "loc",
                             "msg", "path", "fields", "exit_code", "ok", "fault", "jsonrpc", "resultCode"]), x, max_size=4,
        ),
        max_leaves=15,
    ),
    st.none() | st.booleans(),
)  # fmt: skip
def test_any_payload_gives_an_error_or_none(payload: Any, flagged: bool | None) -> None:
    before = json.dumps(payload)
    error = detect_error(before, payload, flagged=flagged, names=NAMES)
    assert (error is not None) or not flagged
    assert json.dumps(payload) == before
    if error is not None:
        assert error.evidence
        assert error.status is None or 400 <= error.status < 600


@given(st.text())
def test_any_text_gives_an_error_or_none(text: str) -> None:
    detect_error(text, text, names=NAMES)


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ('{"code": 14, "status": "UNAVAILABLE", "message": "try later", "details": []}', "server", None),
        ('{"erreur": {"code": "E429", "message": "trop de requêtes"}}', "rate_limit", 429),
        ('{"fehler": {"kennung": "E504", "text": "Zeitüberschreitung nach 20 s"}}', "timeout", 504),
        ("<html><head><title>502 Bad Gateway</title></head><body></body></html>", "server", 502),
        (
            '<soap:Envelope xmlns:soap="x"><soap:Body><soap:Fault><faultstring>rows may not exceed 60</faultstring></soap:Fault></soap:Body></soap:Envelope>',
            "validation",
            None,
        ),
    ],
)
def test_error_bodies_of_other_houses(text: str, kind: str, status: int | None) -> None:
    found = detect_error(text, decode_result(text).value)
    assert found is not None
    assert (found.kind, found.status) == (kind, status)


def test_a_page_or_an_envelope_without_a_fault_is_no_error() -> None:
    for text in (
        "<html><head><title>Room 404</title></head></html>",
        "<soap:Envelope><soap:Body><ok/></soap:Body></soap:Envelope>",
    ):
        assert detect_error(text, decode_result(text).value) is None
