"""Gemini contents into a `TraceBuilder`: what their parts mean, and which of them are one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.conversation import as_json, below, count_calls, id_of, shape_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.payload import decode_result
from rootcall.readers.gemini_tools import hosted_name
from rootcall.readers.spelling import either
from rootcall.trace import Source

__all__ = ["ROLES", "add_contents"]

ROLES: Final = ("user", "model", "function", "tool", "system")


def add_contents(builder: TraceBuilder, contents: Iterable[tuple[Any, Source]], hosted: tuple[str, ...]) -> None:
    """Add contents with their places. `hosted` are the names under which tools of the provider's own are declared."""
    adder = _Adder(builder, hosted)
    for i, (content, where) in enumerate(contents):
        adder.add(content, i, where)
    adder.close()


class _Adder:
    """Puts model contents in a row together: of a streamed answer they are pieces."""

    def __init__(self, builder: TraceBuilder, hosted: tuple[str, ...]) -> None:
        self._builder, self._hosted = builder, hosted
        self._first: tuple[int, Source] | None = None
        self._texts: list[str] = []
        self._calls: list[DraftCall] = []
        self._answered = False

    def close(self) -> None:
        """End the step."""
        if self._first is not None:
            text = "".join(self._texts) if self._texts else None
            index, source = self._first
            captured = text is not None or bool(self._calls) or self._answered
            self._builder.message("assistant", text, index=index, calls=self._calls, source=source, captured=captured)
        self._first, self._texts, self._calls, self._answered = None, [], [], False

    def add(self, content: Any, i: int, where: Source) -> None:
        if isinstance(content, str):
            content = {"role": "user", "parts": [{"text": content}]}
        parts = content.get("parts") if isinstance(content, Mapping) else None
        role = (content.get("role") or "user") if isinstance(content, Mapping) else ""
        if role not in ROLES or not isinstance(parts, list | None):
            what = f"role {as_json(role)[:60]}" if isinstance(content, Mapping) else shape_of(content)
            said = f"contents[{i}] is no content of a known role: {what}; it is left out"
            self._builder.problem("message-unreadable", said, where, lost=count_calls(content))
            return
        if role == "model":
            for n, part in enumerate(parts or ()):
                self._model_part(part, i, below(where, f"/parts/{n}"))
            self._first = self._first or (i, where)
            return
        self.close()
        texts: list[str] = []
        for n, part in enumerate(parts or ()):
            place = below(where, f"/parts/{n}")
            if self._result(part, i, place):
                continue
            lost = int(isinstance(part, Mapping) and isinstance(either(part, "functionCall"), Mapping))
            if lost:
                what = f"contents[{i}].parts[{n}]: a content of role {role} cannot call tools"
                self._builder.problem("calls-misplaced", what, place, lost=1)
            elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
                texts.append(part["text"])
        told = any(isinstance(p, Mapping) and either(p, "functionResponse") is not None for p in parts or ())
        if texts or not told:
            text = "".join(texts) if texts else None
            said_by = "system" if role == "system" else "user"
            self._builder.message(said_by, text, index=i, source=where, captured=text is not None)  # type: ignore[arg-type]

    def _model_part(self, part: object, i: int, place: Source) -> None:
        if not isinstance(part, Mapping):
            what = f"contents[{i}] has a part that is {shape_of(part)}; it is left out"
            self._builder.problem("part-unreadable", what, place, lost=count_calls(part))
            return
        if any(either(part, k) is not None for k in ("functionResponse", "codeExecutionResult", "toolResponse")):
            # What follows a result inside a model's content was written after it.
            self.close()
            self._answered = True
            self._result(part, i, place)
            return
        draft = self._call(part, place)
        if draft is not None:
            self._calls.append(draft) if draft.tool else self._builder.problem(
                "call-unreadable", f"contents[{i}] has a call that names no tool", place, lost=1
            )
            self._first = self._first or (i, place)
        elif isinstance(part.get("text"), str) and part.get("thought") is not True:
            self._texts.append(part["text"])
            self._first = self._first or (i, place)

    def _call(self, part: Mapping[str, Any], place: Source) -> DraftCall | None:
        """The call of a part, None when it has none; without a name its tool is empty."""
        call = either(part, "functionCall")
        if call is not None:
            if not isinstance(call, Mapping):
                return DraftCall("")
            args = call.get("args")
            return DraftCall(word_in(call, "name"), {} if args is None else args, id_of(call.get("id")), place)
        code = either(part, "executableCode")
        if isinstance(code, Mapping):
            args = {k: code[k] for k in ("code", "language") if code.get(k) is not None}
            return DraftCall(hosted_name("codeExecution", self._hosted), args, id_of(code.get("id")), place)
        run = either(part, "toolCall")
        if isinstance(run, Mapping):
            name = hosted_name(str(either(run, "toolType") or "tool"), self._hosted)
            return DraftCall(name, run.get("args") or {}, id_of(run.get("id")), place)
        return None

    def _result(self, part: object, i: int, place: Source) -> bool:
        """Add the result that a part holds; False when it holds none."""
        if not isinstance(part, Mapping):
            return False
        told = either(part, "functionResponse")
        if isinstance(told, Mapping):
            response = told.get("response")
            text = None if response is None else response if isinstance(response, str) else as_json(response)
            self._builder.result(
                text,
                index=i,
                call_id=id_of(told.get("id")),
                tool=word_in(told, "name") or None,
                payload=_unwrapped(response),
                source=place,
            )
            return True
        code = either(part, "codeExecutionResult")
        if isinstance(code, Mapping):
            failed = code.get("outcome") not in (None, "OUTCOME_OK", "OUTCOME_UNSPECIFIED")
            text = code["output"] if isinstance(code.get("output"), str) else ""
            name = hosted_name("codeExecution", self._hosted)
            self._builder.result(
                text, index=i, call_id=id_of(code.get("id")), tool=name, flagged=True if failed else None, source=place
            )
            return True
        run = either(part, "toolResponse")
        if isinstance(run, Mapping):
            name = hosted_name(str(either(run, "toolType") or "tool"), self._hosted)
            text = None if run.get("response") is None else as_json(run["response"])
            self._builder.result(text, index=i, call_id=id_of(run.get("id")), tool=name, source=place)
            return True
        return False


def _unwrapped(response: object) -> Any:
    """What the tool returned: a response must be an object, so that values are put under `result` or `output`."""
    if not isinstance(response, Mapping) or len(response) != 1:
        return MISSING
    key = next(iter(response))
    if key not in ("result", "output"):
        return MISSING
    inner = response[key]
    return decode_result(inner).value if isinstance(inner, str) and inner.strip() else inner
