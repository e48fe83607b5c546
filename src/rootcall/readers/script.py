"""Writing down a conversation that its container does not hold as one list of messages: stream chunks, log lines, parts.

`messages[i]` then counts the messages of the conversation as it was: one a model response, one a result. Where each of
them stands in the file is told by its source. Owns this counting and the small conversions every such reader needs;
joining results to calls belongs to `rootcall.assembly`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import as_json, below, count_calls, text_of
from rootcall.jsonvalue import MISSING
from rootcall.trace import Role, Source

__all__ = ["Script", "id_of", "readable", "role_of", "said_in", "stamp", "value_text"]

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system", "developer": "system", "user": "user", "human": "user",
    "assistant": "assistant", "model": "assistant", "tool": "tool",
}  # fmt: skip
# From which number on a time counts parts of a second: nanoseconds, microseconds, milliseconds.
_UNITS: Final = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3))
_LAST_SECOND: Final = 253_402_300_799


class Script:
    """A `TraceBuilder` with a running number: each message and each result gets the next one."""

    def __init__(self, builder: TraceBuilder, first: int = 0) -> None:
        self.builder = builder
        self.next = first
        self.asked: dict[str, DraftCall] = {}
        """The latest call of each id."""
        self.approvals: dict[str, DraftCall] = {}
        """Calls that wait for a person's word, by the id of the request."""

    def say(
        self,
        role: Role,
        text: str | None,
        calls: Sequence[DraftCall] = (),
        *,
        source: Source,
        agent: str | None = None,
        timestamp: str | None = None,
    ) -> None:
        """Add a message. Without text and calls its content was not captured."""
        self.builder.message(
            role,
            text,
            index=self.next,
            calls=calls,
            source=source,
            agent=agent,
            timestamp=timestamp,
            captured=text is not None or bool(calls),
        )
        self.next += 1

    def answer(self, text: str | None, **known: Any) -> None:
        """Add a result; `known` is what `TraceBuilder.result` takes."""
        self.builder.result(text, index=self.next, **known)
        self.next += 1


def role_of(value: Mapping[str, Any]) -> Role | None:
    """The role of a message, None when it has none that is known."""
    role = value.get("role")
    return _ROLES.get(role.lower()) if isinstance(role, str) else None


def id_of(value: object) -> str | None:
    """An id as a text; numbers are written out, an empty text is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def value_text(value: object) -> str:
    """The text of what a tool returned: a text as it stands, content parts joined, all else as JSON.

    Of a part that is an image or a file a short reference stays, not its bytes.
    """
    if value is MISSING:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(map(_is_content, value)):
        return "\n".join(_part_text(p) for p in value)
    return as_json(value)


def _is_content(part: object) -> bool:
    if isinstance(part, str) or not isinstance(part, Mapping):
        return isinstance(part, str)
    return isinstance(part.get("text"), str) or _media(part) is not None


def _part_text(part: str | Mapping[str, Any]) -> str:
    if isinstance(part, str):
        return part
    return part["text"] if isinstance(part.get("text"), str) else f"[{_media(part)}]"


def _media(part: Mapping[str, Any]) -> str | None:
    """What an image, a sound or a file is, None when a part is none."""
    kind = part.get("type")
    if kind not in ("image", "image-data", "input_image", "audio", "file", "file-data", "media", "document"):
        return None
    inner = part.get("source")
    told = [x.get(k) for x in (part, inner) if isinstance(x, Mapping) for k in ("media_type", "mediaType", "mimeType")]
    return next((f"{kind} {t}" for t in told if isinstance(t, str)), str(kind))


def said_in(content: object) -> str | None:
    """The text of a message's content; an empty list says nothing, which is another thing than content left out."""
    return "" if content == [] else text_of(content)


def stamp(value: object) -> str | None:
    """A time as a text: ISO texts as they stand; seconds since 1970, or thousandths to billionths of them, written out."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / next((unit for least, unit in _UNITS if value >= least), 1)
    if not 0 < seconds <= _LAST_SECOND:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def readable(
    builder: TraceBuilder, values: object, place: Source, what: str = "messages"
) -> Iterator[tuple[int, Mapping[str, Any], Source]]:
    """Yield `(index, object, place)` of a list; what is no object becomes a problem of the trace."""
    if not isinstance(values, list):
        builder.problem(f"{what}-not-a-list", f"{what} must be a list", place, lost=count_calls(values))
        return
    for i, value in enumerate(values):
        where = below(place, f"/{i}")
        if isinstance(value, Mapping):
            yield i, value, where
        else:
            builder.problem("message-unreadable", f"{what}[{i}] must be an object; it is left out", where,
                            lost=count_calls(value))  # fmt: skip
