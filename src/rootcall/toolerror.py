"""Is this tool result an error, and what does it say? Shapes of errors in the wild, as one structured record.

No common format flags tool errors reliably, so the decision always comes with its evidence: a flag of the format, a
status, the shape of the payload, or the form of a text. A payload that merely contains the word (`error_rate: 0`, a
log search, a page titled "Error handling") is no error: only the top of a payload is read, and a text must begin as an
error begins.

What an error means for the agent (who is to blame, what the right move is) is not decided here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from rootcall.error_words import (
    BAD_WORDS,
    CODE_KEYS,
    DETAIL,
    ERROR_KEYS,
    FIELD_KEYS,
    GRPC_STATUS,
    KINDS,
    MESSAGE_KEYS,
    PERMANENT,
    STATUS_KIND,
    SUCCESS_CODE,
    SUCCESS_MESSAGE,
    TEXT_ERROR,
    TRANSIENT,
    TRANSIENT_STATUS,
    WITHHELD,
    ErrorKind,
)
from rootcall.lazypattern import lazy

__all__ = ["ErrorKind", "ToolError", "detect_error"]


class ToolError(msgspec.Struct, frozen=True, gc=False):
    """What an error result says.

    `status` is the HTTP status, `code` whatever code the body itself carries (`"400"`, `"VALIDATION"`, an exception's
    class name), `fields` the arguments it names. `retryable` tells whether sending the same call again can help: True
    for 408, 425, 429, 5xx and timeouts, False for other client errors, None when the error does not say. `visible`
    tells whether the model saw the message, None when unknown. `evidence` names what made us call it an error.
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    code: str | None = None
    fields: tuple[str, ...] = ()
    retryable: bool | None = None
    visible: bool | None = True
    evidence: str = "payload"

    @property
    def label(self) -> str | None:
        """The code, else the HTTP status; None when there is neither."""
        return self.code or (None if self.status is None else str(self.status))


# An exception's class name must look like one: "ValueError:", never "error rate:".
_EXCEPTION_NAME = lazy(r"\s*((?:[A-Za-z_$][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Fault))\b")
_TRACEBACK_LAST = lazy(r"^((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?::\s*(.*))?$")
_STATUS_IN_TEXT = lazy(
    r"(?:\bHTTP(?:/[\d.]+)?[ :]+|\bstatus(?: code)?[ :=]+|\(|\[|^|error[ :]+)([45]\d\d)(?=\b)", re.IGNORECASE
)
_EXIT_TEXT = lazy(r"\b(?:process )?exited with (?:code|status) (\d+)|\bexit (?:code|status):? (\d+)", re.IGNORECASE)
_XML_FIELD = lazy(
    r"<(?:\w+:)?(code|faultcode|errorcode|status|message|faultstring|reason|detail)>([^<]*)<", re.IGNORECASE
)
_ENVELOPE = lazy(r"<(?:\w+:)?Envelope\b.*?<(?:\w+:)?Fault\b", re.IGNORECASE | re.DOTALL)
# Codes that are an HTTP status in disguise: E404, ERR-503.
_STATUS_CODE = lazy(r"(?:E|ERR|HTTP)[-_]?([45]\d\d)")
# An error page: a web server's, in place of the tool's answer.
_PAGE = lazy(r"<(?:title|h1)[^>]*>\s*((?:error\s*)?[45]\d\d\b[^<]{0,80})<", re.IGNORECASE)
_NAME = lazy(r"[^\W\d][\w.\-]*")

_ISSUES = lazy(r"\bError message: (\[\s*\{.*\}\s*\])\s*\Z", re.DOTALL)
_MOST_ISSUES: Final = 100_000
# What a longer message says is a program's output, in which any word may stand.
_TELLING: Final = 4_000
# A `detail` longer than this is prose.
_SHORT: Final = 200


def detect_error(
    text: str | None,
    payload: object,
    *,
    flagged: bool | None = None,
    status: int | None = None,
    names: Iterable[str] = (),
    evidence: str | None = None,
    shown: str | None = None,
) -> ToolError | None:
    """Return the error a tool result is, or None when it is none.

    Args:
        text: the result text as captured, None when it was not.
        payload: its decoded value, the text itself when it is not JSON.
        flagged: what the format says (`is_error`, a span status); False makes nothing ok, since several frameworks
            flag only what they did not handle themselves.
        status: an HTTP status the format carries beside the content.
        names: argument names of the call and its schema; those that the message names are reported in `fields`.
        evidence: how to name the flag, for example `exception`.
        shown: what the model saw of it, where that is not the text itself.
    """
    names = tuple(names)
    found = _from_payload(payload, names) if isinstance(payload, Mapping) else None
    if found is None and isinstance(payload, list):
        found = _from_list(payload, names)
    if found is None and isinstance(payload, str):
        found = _from_text(payload, names)
    if found is None and flagged and text is not None and (fields := _issues(text)):
        found = _as_validation(_make(text, names=names), fields)
    if flagged or (status is not None and status >= 400):
        seen = shown if shown is not None else text
        if found is None:
            inner = _message_of(payload) if isinstance(payload, Mapping) else None
            found = _make(inner or text or "", status=status, names=names)
        return msgspec.structs.replace(
            found,
            evidence=evidence or ("flag" if flagged else "status"),
            visible=None if seen is None else _visible(seen),
        )
    if found is not None and text is not None:
        found = msgspec.structs.replace(found, visible=_visible(text if shown is None else shown))
    return found


def _visible(text: str) -> bool:
    """Three SDKs replace a tool's error by a fixed sentence before the model sees it; then it cannot have read it."""
    return WITHHELD.match(text) is None


def _from_list(payload: list[Any], names: tuple[str, ...]) -> ToolError | None:
    """MCP content blocks, and lists of validation errors."""
    items = [p for p in payload if isinstance(p, Mapping)]
    if not items or len(items) != len(payload):
        return None
    if all("msg" in p and "loc" in p for p in items):
        return _from_validation(items, names, None)
    if len(items) == 1 and items[0].get("type") == "text" and isinstance(items[0].get("text"), str):
        return _from_text(items[0]["text"], names)
    return None


def _from_payload(p: Mapping[str, Any], names: tuple[str, ...]) -> ToolError | None:
    if p.get("isError") is True or p.get("is_error") is True:
        inner = _content_text(p)
        return _make(inner, names=names, body=p)
    if "jsonrpc" in p and isinstance(p.get("error"), Mapping):
        return _make(_message_of(p["error"]) or "", names=names, body=p["error"])
    status = _status_of(p)
    if status is not None:
        return _make(_message_of(p) or _message_of_inner(p) or "", status=status, names=names, body=p)
    error = _error_value(p)
    if isinstance(error, Mapping):
        return _make(_message_of(error) or _message_of(p) or "", names=names, body={**p, **error})
    if isinstance(error, list):
        return _from_validation(error, names, p)
    if isinstance(error, str):
        return _make(_join(error, _message_of(p)), names=names, body=p)
    return _from_verdict(p, error, names)


def _from_verdict(p: Mapping[str, Any], error: object, names: tuple[str, ...]) -> ToolError | None:
    """Payloads that say it without an error value: `ok: false`, `error: true`, a code with a message, an exit code."""
    detail = p.get("detail")
    if isinstance(detail, list) and detail and all(isinstance(d, Mapping) and "msg" in d for d in detail):
        return _from_validation(detail, names, p)
    if isinstance(detail, str) and len(p) == 1 and len(detail) <= _SHORT and DETAIL.match(detail):
        return _make(detail, names=names, body=p)
    if error is True or any(p.get(k) is False for k in ("ok", "success", "succeeded", "successful")):
        invalid: Mapping[str, Any] = next(
            (p[k] for k in ("validationErrors", "validation_errors") if isinstance(p.get(k), Mapping)), {}
        )
        found = _make(_message_of(p) or _join_texts(p.get("errors")) or "", names=names, body=p)
        inner = invalid.get("fields")
        fields = [k for k in (inner if isinstance(inner, Mapping) else invalid) if not k.startswith("_")]
        return _as_validation(found, fields) if invalid else found
    word = next((p[k] for k in ("status", "result", "outcome", "type") if isinstance(p.get(k), str)), "")
    if word.lower() in BAD_WORDS and (_message_of(p) is not None or len(p) <= 3):
        return _make(_message_of(p) or word, names=names, body=p)
    code = next(
        (p[k] for k in ("grpcStatus", "resultCode", "errorCode", "error_code", "errorType", "__type") if p.get(k)), None
    )
    if code is not None and not SUCCESS_CODE.fullmatch(str(code)) and not _looks_successful(p, code):
        return _make(_message_of(p) or _message_of_inner(p) or str(code), names=names, body=p)
    exit_code = p.get("exit_code", p.get("exitCode", p.get("returncode")))
    # A command that leaves with 1 and says nothing answers "no": grep without a match, diff, test.
    silent = exit_code == 1 and not any(str(p.get(k) or "").strip() for k in ("stderr", "stdout", "output", "error"))
    if isinstance(exit_code, int) and not isinstance(exit_code, bool) and exit_code != 0 and not silent:
        return _make(str(p.get("stderr") or p.get("stdout") or ""), names=names, code=str(exit_code))
    word = p.get("status")
    if isinstance(word, str) and word in GRPC_STATUS and _message_of(p) is not None:
        return _make(_message_of(p) or word, names=names, body=p, code=word)
    named = p.get("code")
    if isinstance(named, str) and re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", named) and _message_of(p) and _kind_of(named):
        return _make(_message_of(p) or named, names=names, body=p)
    return None


def _as_validation(error: ToolError, fields: Iterable[str]) -> ToolError:
    """An error that lists what is wrong: its words, which often repeat what was sent, say no more about it."""
    named = tuple(dict.fromkeys(fields)) or error.fields
    return msgspec.structs.replace(error, kind="validation", fields=named, retryable=False)


def _issues(text: str) -> list[str]:
    """The fields in a list of issues at the end of a text, as schema validators print them."""
    found = _ISSUES.search(text) if len(text) <= _MOST_ISSUES else None
    try:
        issues = json.loads(found.group(1)) if found else []
    except (ValueError, RecursionError):
        return []
    paths = [i.get("path") for i in issues if isinstance(i, Mapping)]
    return [str(p[0]) for p in paths if isinstance(p, list) and p]


def _looks_successful(p: Mapping[str, Any], code: object) -> bool:
    """A result code that does not read like a failure, beside data, is a state."""
    message = _message_of(p)
    if message is not None and SUCCESS_MESSAGE.match(message):
        return True
    return _kind_of(str(code)) is None and not re.match(r"E[-_]?\d+|ERR", str(code)) and message is None


def _content_text(p: Mapping[str, Any]) -> str:
    content = p.get("content")
    if isinstance(content, list):
        return "\n".join(str(c.get("text", "")) for c in content if isinstance(c, Mapping))
    return str(content) if content else (_message_of(p) or "")


def _status_of(p: Mapping[str, Any]) -> int | None:
    """An HTTP status of 400 or more at the top of a payload. `status: "active"` and `status: 3` are states."""
    for key in ("status", "statusCode", "status_code", "http_status", "httpStatus", "code"):
        value = p.get(key)
        if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            # A bare number under `code` is a status only beside something that reads like an error.
            if key == "code" and _message_of(p) is None:
                continue
            return value
    return None


def _error_value(p: Mapping[str, Any]) -> object:
    """What stands under an error key, when it says something; None otherwise (`error: null`, `errors: []`)."""
    for key in ERROR_KEYS:
        value = p.get(key)
        if value in (None, "", False, 0, [], {}) or (isinstance(value, int | float) and not isinstance(value, bool)):
            continue
        if key == "errors" and not (isinstance(value, list) and _errors_dominate(p)):
            continue
        return value
    return None


def _errors_dominate(p: Mapping[str, Any]) -> bool:
    """A list of errors is the outcome when there is no data beside it (GraphQL's partial results are results)."""
    data = p.get("data", p.get("result"))
    return data is None and all(k in {"errors", "data", "result", "extensions", "message", "title", "type", "detail",
                                      "instance", "traceId", "request_id"} for k in p)  # fmt: skip


def _from_validation(items: Iterable[Any], names: tuple[str, ...], p: Mapping[str, Any] | None) -> ToolError:
    messages, fields = [], []
    for item in items:
        if isinstance(item, Mapping):
            messages.append(_message_of(item) or str(dict(item))[:200])
            fields += _fields_in(item)
        else:
            messages.append(str(item))
    return _make("; ".join(messages), names=names, body=p or {}, fields=fields, default="validation")


def _message_of(p: Mapping[str, Any]) -> str | None:
    for key in MESSAGE_KEYS:
        value = p.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _message_of_inner(p: Mapping[str, Any]) -> str | None:
    for key in ("error", "errors", "detail", "body", "fault"):
        value = p.get(key)
        if isinstance(value, Mapping) and (found := _message_of(value)):
            return found
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value:
            return _join_texts(value)
    return None


def _join_texts(values: object) -> str | None:
    if not isinstance(values, list):
        return None
    texts = [_message_of(v) or "" if isinstance(v, Mapping) else str(v) for v in values]
    return "; ".join(t for t in texts if t) or None


def _join(a: str, b: str | None) -> str:
    return a if not b or b == a else f"{a}: {b}"


def _fields_in(p: Mapping[str, Any]) -> list[str]:
    out: list[str] = []
    for key in FIELD_KEYS:
        value = p.get(key)
        if isinstance(value, str) and value:
            out.append(re.split(r"[/.\[]", value.strip("/.$"))[-1] or value)
        elif isinstance(value, list):
            inner = [v for v in value if isinstance(v, str) and v not in ("body", "query", "path", "header")]
            out += inner[:1] if key == "loc" else inner
            for v in value:
                if isinstance(v, Mapping):
                    out += _fields_in(v)
    return out


def _from_text(text: str, names: tuple[str, ...]) -> ToolError | None:
    exited = _EXIT_TEXT.search(text[:2000])
    if exited and int(exited.group(1) or exited.group(2)) != 0:
        return _make(text.strip(), names=names, code=exited.group(1) or exited.group(2), evidence="text")
    start = text[:1000]
    head = TEXT_ERROR.match(text)
    if head is None and not (start.lstrip().startswith("<") and (_PAGE.search(start) or _ENVELOPE.search(start))):
        return None
    name = _EXCEPTION_NAME.match(text)
    if name is None and _only_exception_branch(text):
        return None
    code = name.group(1).rsplit(".", 1)[-1] if name else None
    message = text.strip()
    if message.startswith("Traceback"):
        last = message.splitlines()[-1]
        if found := _TRACEBACK_LAST.match(last):
            code, message = found.group(1).rsplit(".", 1)[-1], last
    if message.startswith("<"):
        title = _PAGE.search(message)
        if title is not None:
            return _make(title.group(1).strip(), names=names, evidence="text")
        parts = {k.lower(): v.strip() for k, v in _XML_FIELD.findall(message)}
        code = parts.get("code") or parts.get("faultcode") or parts.get("errorcode")
        said = parts.get("message") or parts.get("faultstring") or parts.get("reason") or parts.get("detail")
        message = said or message
    return _make(message, names=names, code=code, evidence="text")


def _only_exception_branch(text: str) -> bool:
    """`re.IGNORECASE` lets a lower-case word ending in "error" pass as a class name; only a real one counts."""
    return bool(re.match(r"\s*[\w.$]*(error|exception|fault)\b", text)) and not re.match(
        r"\s*\W{0,3}(error|exception)\b", text
    )


def _kind_of(text: str) -> ErrorKind | None:
    """The kind that the words of a message or a code tell; of a long one its beginning and its end are read."""
    if len(text) > _TELLING:
        text = f"{text[: _TELLING // 2]}\n{text[-_TELLING // 2 :]}"
    ways = {text.lower(): None, text.lower().replace("_", " "): None}
    return next((kind for kind, words in KINDS if any(words.search(way) for way in ways)), None)


def _make(
    message: str,
    *,
    status: int | None = None,
    names: tuple[str, ...] = (),
    body: Mapping[str, Any] | None = None,
    code: str | None = None,
    fields: Iterable[str] = (),
    default: ErrorKind = "other",
    evidence: str = "payload",
) -> ToolError:
    body = body or {}
    if status is None:
        status = _status_of(body)
    if status is None and (found := _STATUS_IN_TEXT.search(message[:300])):
        status = int(found.group(1))
    if code is None:
        code = _code_in(body, status)
    if code is None and (found := re.search(r"\b(E[-_]?\d{3,5}|ERR_[A-Z_]+)\b|\[([A-Z]{2,}-\d{2,6})\]", message[:200])):
        code = found.group(1) or found.group(2)
    if status is None and code is not None and (found := _STATUS_CODE.fullmatch(code)):
        status = int(found.group(1))
    kind = _classify(status, code, message, default)
    named = list(dict.fromkeys([*fields, *_fields_in(body), *_named(message, names)]))
    return ToolError(
        kind=kind,
        message=message.strip()[:2000],
        status=status,
        code=code or (None if status is None else str(status)),
        fields=tuple(named),
        retryable=_retryable(kind, status),
        evidence=evidence,
    )


def _code_in(body: Mapping[str, Any], status: int | None) -> str | None:
    for key in CODE_KEYS:
        value = body.get(key)
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and key in ("code", "error_code", "errorCode", "errno")
        ):
            return str(value)
        if (
            isinstance(value, str)
            and value
            and len(value) <= 80
            and not value.startswith(("http:", "https:", "about:", "text"))
        ):
            if key in ("type", "name") and not re.search(
                r"error|exception|invalid|denied|exceeded|limit", value, re.IGNORECASE
            ):
                continue
            return value.rsplit("#", 1)[-1]
    return None if status is None else str(status)


def _classify(status: int | None, code: str | None, message: str, default: ErrorKind) -> ErrorKind:
    worded = _kind_of(message)
    if worded in ("refused", "unknown_tool"):
        return worded
    if status is not None:
        if status >= 500:
            return "timeout" if worded == "timeout" or status == 504 else "server"
        return STATUS_KIND.get(status, worded or "validation")
    coded = _kind_of(code) if code else None
    return coded or worded or default


def _retryable(kind: ErrorKind, status: int | None) -> bool | None:
    if status is not None:
        return status in TRANSIENT_STATUS
    if kind in TRANSIENT:
        return True
    return False if kind in PERMANENT else None


def _named(message: str, names: tuple[str, ...]) -> list[str]:
    """Argument names that stand in a message as whole words, in the order in which they stand."""
    if not names or not message:
        return []
    words = {w.strip(".-") for w in _NAME.findall(message[:2000])}
    loose = {w.lower().replace("_", "").replace("-", "") for w in words}
    hits = [n for n in names if n in words or (len(n) > 3 and n.lower().replace("_", "") in loose)]
    return sorted(hits, key=message.find)
