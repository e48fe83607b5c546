"""Writing a trace down from the elements that a mapping names: messages, calls, results.

Owns which calls belong to one model response, and that a call told twice is one call. The order of the elements is
`rootcall.readers.mapped`'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, cast

from rootcall.assembly import DraftCall
from rootcall.conversation import count_calls
from rootcall.jsonvalue import MISSING, equal
from rootcall.payload import decode_arguments
from rootcall.readers.mapping import CallFields, MessageSource, Paths, ResultFields
from rootcall.readers.paths import Found, Path, Whole, elements, follow, same_word
from rootcall.readers.script import Script, id_of, role_of, said_in, stamp, value_text
from rootcall.trace import Role, Source

__all__ = ["NO_TIME", "Entry", "Writer", "first_found", "scalar_at"]

NO_TIME: Final = (2, "")
"""The time of an element that has none: after all others."""


class Entry(NamedTuple):
    """One element with what is to be made of it, and when it was."""

    source: MessageSource
    element: Found
    when: tuple[int, Any]


class _Back(NamedTuple):
    """What came back from a call."""

    text: str | None
    failed: bool | None
    status: int | None
    source: Source


class _Asked:
    """A call that waits to be written down, with its result when that is known."""

    def __init__(self, draft: DraftCall, back: _Back | None, step: object) -> None:
        self.draft, self.back, self.step = draft, back, step

    def same(self, other: _Asked) -> bool:
        """Whether the other call is this one, told again by the run of the tool."""
        if self.back is not None or self.draft.tool != other.draft.tool:
            return False
        if self.draft.id is not None and other.draft.id is not None:
            return self.draft.id == other.draft.id
        mine, theirs = (decode_arguments(d.arguments)[0] for d in (self.draft, other.draft))
        return equal(mine, theirs)


class Writer:
    """Writes a trace from entries. Calls collect in the response they belong to until the next message."""

    def __init__(self, script: Script, top: Whole) -> None:
        self.script, self.top = script, top
        self.open: list[_Asked] | None = None
        self.wanted: list[_Asked] = []
        self.said: str | None = None
        self.led = self.heard = False
        self.at = Source()
        self.agent: str | None = None
        self.time: str | None = None

    def take(self, entry: Entry) -> None:
        """Take one entry."""
        source, element = entry.source, entry.element
        role = self._role(source, element)
        if source.role and role is None:
            return
        time = None if entry.when == NO_TIME else stamp(entry.when[1])
        agent = _word(source.agent, element, self.top)
        if role in ("user", "system"):
            self.flush()
            self.heard = self.heard or role == "user"
            self.script.say(cast("Role", role), self._text(source.text, element), source=element.source, timestamp=time)
        elif role == "assistant":
            self.flush()
            self.open, self.led, self.at, self.agent, self.time = [], True, element.source, agent, time
            self.said = self._text(source.text, element) if source.text or not source.calls else None
            for found in first_found(source.calls, element, self.top):
                for one in elements(found):
                    assert source.call is not None
                    self.call(source.call, one)
            self.wanted = [a for a in self.open if a.back is None]
        elif role == "tool" and source.result is None:
            what = "a tool message, but the mapping has no result for it; it is left out"
            self.script.builder.problem("result-unmapped", what, element.source)
        elif role is None and source.call is not None:
            self.call(source.call, element, agent=agent, time=time)
        elif source.result is not None:
            self.result(source.result, element)

    def _role(self, source: MessageSource, element: Found) -> str | None:
        for given in source.role:
            if isinstance(given, str):
                return given
            for found in follow(given, element, self.top):
                if isinstance(found.value, str):
                    role = source.roles.get(found.value) or role_of({"role": found.value})
                    if role is None:
                        what = f"role {found.value[:40]!r} is none that is known; name it under roles"
                        lost = count_calls(element.value)
                        self.script.builder.problem("role-unknown", what, found.source, lost=lost)
                    return role
        if source.role:
            what = f"no role: {', '.join(p.text for p in source.role if isinstance(p, Path))} leads to nothing"
            self.script.builder.problem("role-missing", what, element.source, lost=count_calls(element.value))
        return None

    def _text(self, paths: Paths, element: Found) -> str | None:
        if not paths:
            return said_in(element.value)
        for path in paths:
            texts = [t for f in follow(path, element, self.top) if (t := said_in(f.value)) is not None]
            if texts:
                return "\n".join(texts)
        return None

    def call(self, fields: CallFields, element: Found, *, agent: str | None = None, time: str | None = None) -> None:
        """Take a call: its own, or another telling of one that the open response has already."""
        tool = _word(fields.tool, element, self.top)
        if not tool:
            what = f"a call names no tool: {', '.join(p.text for p in fields.tool)} leads to no text; it is left out"
            self.script.builder.problem("call-unreadable", what, element.source, lost=1)
            return
        prefix = next((w for w in fields.without if w and tool.startswith(w)), "")
        sent = next((f.value for f in first_found(fields.arguments, element, self.top)), MISSING)
        draft = DraftCall(
            tool.removeprefix(prefix) or tool,
            sent,
            _id(fields.id, element, self.top),
            element.source,
            agent=_word(fields.agent, element, self.top) or agent,
            denied=_holds(fields.denied, element, self.top),
            # Where no call has arguments the mapping is wrong, or the log holds none: that says nothing of the agent.
            captured=sent is not MISSING or self.top.trail.ever(fields.arguments),
        )
        asked = _Asked(draft, self._back(fields, element), scalar_at(fields.step, element, self.top))
        if self.open is not None:
            told = next((a for a in self.wanted if a.same(asked)), None)
            if told is not None:
                self.wanted.remove(told)
                told.back, told.draft.denied = asked.back, told.draft.denied or draft.denied
                return
            last = self.open[-1].step if self.open else None
            if not self.led and (asked.step is None or asked.step != last):
                self.flush()
        if self.open is None:
            self.open, self.led, self.said = [], False, None
            self.at, self.agent, self.time = element.source, agent, time
        self.open.append(asked)

    def _back(self, fields: CallFields | ResultFields, element: Found) -> _Back | None:
        """The result that stands with a call, or that an element is; None when there is none."""
        paths = fields.result if isinstance(fields, CallFields) else fields.text
        found = first_found(paths, element, self.top)
        # Null in the place of a result says that there was one, whose content is not there.
        found = found or [f for path in paths for f in follow(path, element, self.top)]
        failed = _holds(fields.failed, element, self.top)
        error = self._text(fields.error, element) if fields.error else None
        failed = failed or bool(error and not fields.failed)
        number = scalar_at(fields.status, element, self.top)
        status = number if isinstance(number, int) and not isinstance(number, bool) else None
        if not (found or failed or status is not None or self._ended(fields, element)):
            return None
        text = next((value_text(f.value) for f in found if f.value is not None), error if failed else None)
        place = next((f.source for f in found), element.source)
        return _Back(text, True if failed else None, status, place)

    def _ended(self, fields: CallFields | ResultFields, element: Found) -> bool:
        """Tell whether a call was carried out to its end, although nothing says what it gave."""
        if isinstance(fields, ResultFields) or _holds(fields.denied, element, self.top):
            return False
        return bool(first_found(fields.ended, element, self.top))

    def result(self, fields: ResultFields, element: Found) -> None:
        """Take a result that stands apart from its call."""
        back = self._back(fields, element) or _Back(None, None, None, element.source)
        call_id, tool = _id(fields.id, element, self.top), _word(fields.tool, element, self.top)
        self.flush()
        self._answer(back, call_id, tool)

    def _answer(self, back: _Back, call_id: str | None, tool: str | None, to: DraftCall | None = None) -> None:
        self.script.answer(
            back.text, call_id=call_id, tool=tool, flagged=back.failed, status=back.status, source=back.source, to=to
        )

    def flush(self) -> None:
        """Write down the open response."""
        asked, self.open, self.wanted = self.open, None, []
        if asked is None:
            return
        calls = [a.draft for a in asked]
        self.script.say("assistant", self.said, calls, source=self.at, agent=self.agent, timestamp=self.time)
        for a in asked:
            if a.back is not None:
                self._answer(a.back, a.draft.id, None, a.draft)


def first_found(paths: Paths, element: Found | Whole, top: Whole) -> list[Found]:
    """What the first path that leads to something leads to; null is nothing."""
    for path in paths:
        found = [f for f in follow(path, element, top) if f.value is not None]
        if found:
            return found
    return []


def scalar_at(paths: Paths, element: Found | Whole, top: Whole) -> Any:
    """The first single value."""
    found = (f.value for path in paths for f in follow(path, element, top))
    return next((v for v in found if isinstance(v, str | int | float)), None)


def _word(paths: Paths, element: Found | Whole, top: Whole) -> str | None:
    value = scalar_at(paths, element, top)
    return value if isinstance(value, str) and value else None


def _id(paths: Paths, element: Found | Whole, top: Whole) -> str | None:
    return id_of(scalar_at(paths, element, top))


def _holds(conditions: Iterable[tuple[Path, tuple[str, ...]]], element: Found | Whole, top: Whole) -> bool:
    return any(same_word(f.value, w) for path, words in conditions for f in follow(path, element, top) for w in words)
