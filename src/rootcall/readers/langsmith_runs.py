"""One LangSmith run and what it says: what a model was given and gave, what a tool was given and said, what was offered.

Runs of many integrations are alike in their frame only; what stands in their inputs and outputs is in the words of the
library that was traced: LangChain messages in each encoding, OpenAI and Anthropic requests and responses, Python's text
of any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from rootcall.conversation import as_json, below, id_of, word_in
from rootcall.jsonvalue import MISSING
from rootcall.payload import decode_result
from rootcall.readers.entries import Entry, entries_of, items_entries
from rootcall.readers.replay import Heard, Ran
from rootcall.readers.reprs import exception_text, message_of
from rootcall.trace import Source

__all__ = ["Run", "answers", "given", "offered", "said_to_root", "tool_run"]

_ASKING: Final = ("input", "question", "query", "prompt", "text", "user_input", "message")
_TELLING: Final = ("output", "answer", "response", "result", "text", "content", "final_output")
# A run that a person must go on with ends so; nothing failed.
_PAUSED: Final = ("GraphInterrupt", "NodeInterrupt", "Interrupt(")
_SYSTEM: Final = "System: "
_DEEPEST: Final = 500


class Run(msgspec.Struct, eq=False):
    """A run. `places` says where each of its fields stands, since a batch may hold it in two parts."""

    id: str
    fields: dict[str, Any]
    places: dict[str, Source]
    number: int
    parent: Run | None = None

    @property
    def kind(self) -> str:
        """What kind of run it is, such as `llm`, `tool` or `chain`."""
        return word_in(self.fields, "run_type")

    @property
    def name(self) -> str:
        """The name of the run: of a tool run, the tool."""
        return word_in(self.fields, "name")

    @property
    def source(self) -> Source:
        """Where the run stands."""
        return self.place("id")

    def place(self, field: str, pointer: str = "") -> Source:
        """Where a field stands, and what is inside it."""
        where = self.places.get(field) or self.places[""]
        return below(where, pointer if field == "id" else f"/{field}{pointer}")

    def object(self, field: str) -> Mapping[str, Any]:
        """The object under a field, an empty one when there is none."""
        value = self.fields.get(field)
        return value if isinstance(value, Mapping) else {}

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What was said about the run when it was started."""
        inner = self.object("extra").get("metadata")
        return inner if isinstance(inner, Mapping) else {}

    @property
    def agent(self) -> str | None:
        """The name of the agent whose run this is, where its framework says so."""
        return word_in(self.metadata, "lc_agent_name") or None

    @property
    def error(self) -> str | None:
        """What was raised, None when nothing was. A pause for a person is no error."""
        error = self.fields.get("error")
        text = error if isinstance(error, str) else None if error is None else as_json(error)
        return None if not text or text.startswith(_PAUSED) else text

    @property
    def paused(self) -> bool:
        """Whether the run waits for a person."""
        return word_in(self.fields, "error").startswith(_PAUSED)

    @property
    def begun(self) -> tuple[float, int]:
        """When it began, to sort by."""
        return _seconds(self.fields.get("start_time")), self.number

    @property
    def ended(self) -> tuple[float, int]:
        """When it ended, to sort by."""
        ended = _seconds(self.fields.get("end_time"))
        return max(ended, self.begun[0]), self.number

    @property
    def at(self) -> str | None:
        """When it began, as ISO text in UTC."""
        seconds = self.begun[0]
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None

    def above(self) -> Iterator[Run]:
        """The runs this one lies in, the nearest first."""
        seen = {self.number}
        run = self.parent
        while run is not None and run.number not in seen and len(seen) < _DEEPEST:
            yield run
            seen.add(run.number)
            run = run.parent


def _seconds(value: object) -> float:
    """A time in seconds: ISO text, or milliseconds since 1970 as JavaScript writes them. 0 when it is none."""
    if isinstance(value, bool):
        return 0.0
    if isinstance(value, int | float):
        seconds = float(value) / (1000 if value > 1e11 else 1)
        return seconds if 0 <= seconds < 1e11 else 0.0
    if not isinstance(value, str):
        return 0.0
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _message(value: object, source: Source, agent: str | None = None) -> list[Entry]:
    """The entries of a message in any form, Python's text of one included."""
    if isinstance(value, str):
        fields = message_of(value)
        return [] if fields is None else entries_of({"type": _kind(fields), **fields}, source, agent=agent)
    found = entries_of(value, source, agent=agent)
    if not found and isinstance(value, Mapping) and isinstance(value.get("message"), Mapping | str):
        return _message(value["message"], below(source, "/message"), agent)
    return found


def _kind(fields: Mapping[str, Any]) -> str:
    """The kind of a message of which only the text is left: its class where that is named, else what it has."""
    named = word_in(fields, "kind")
    if named:
        return named
    if "tool_call_id" in fields:
        return "tool"
    return "ai" if "tool_calls" in fields else "human"


def _messages(values: object, source: Source, agent: str | None = None, memory: Heard | None = None) -> list[Entry]:
    """The entries of a list of messages; tracers wrap it in a list of batches."""
    if not isinstance(values, list):
        return _message(values, source, agent)
    if len(values) == 1 and isinstance(values[0], list) and not all(isinstance(v, str) for v in values[0]):
        values, source = values[0], below(source, "/0")
    where = source
    return (memory or Heard()).entries(values, lambda v, i: _message(v, below(where, f"/{i}"), agent))


def given(run: Run, memory: Heard) -> list[Entry]:
    """What a model was given. `memory` knows what earlier models were."""
    inputs = run.object("inputs")
    if isinstance(inputs.get("messages"), list):
        found = _messages(inputs["messages"], run.place("inputs", "/messages"), memory=memory)
        system = inputs.get("system", inputs.get("instructions"))
        return [*_told("system", system, run.place("inputs", "/system")), *found]
    asked = inputs.get("input")
    if isinstance(asked, list):
        system = _told("system", inputs.get("instructions"), run.place("inputs", "/instructions"))
        return [
            *system,
            *(items_entries(asked, run.place("inputs", "/input")) or _messages(asked, run.place("inputs", "/input"))),
        ]
    prompts = inputs.get("prompts")
    if isinstance(prompts, list) and prompts and isinstance(prompts[0], str) and prompts[0].startswith(_SYSTEM):
        # The prompt as one text: who said what can be told for its beginning only.
        text = prompts[0][len(_SYSTEM) :].partition("\nHuman: ")[0]
        return [Entry("system", text, run.place("inputs", "/prompts/0"))]
    return []


def _told(role: Any, content: object, source: Source) -> list[Entry]:
    return entries_of({"role": role, "content": content}, source) if content is not None else []


def answers(run: Run) -> list[Entry]:
    """What a model gave, whichever library called it; the first of several choices."""
    outputs = run.fields.get("outputs")
    place = run.place("outputs")
    found = _answers(outputs, place, run.agent)
    return [e for e in found if e.role in ("assistant", "tool")]


def _answers(outputs: object, place: Source, agent: str | None) -> list[Entry]:
    if not isinstance(outputs, Mapping):
        return _message(outputs, place, agent)
    generations = outputs.get("generations")
    if isinstance(generations, list) and generations:
        first, pointer = generations[0], "/generations/0"
        if isinstance(first, list) and first:
            first, pointer = first[0], f"{pointer}/0"
        if isinstance(first, Mapping):
            found = _message(first.get("message"), below(place, f"{pointer}/message"), agent)
            text = first.get("text")
            return found or (
                [Entry("assistant", text, below(place, pointer), agent=agent)] if isinstance(text, str) else []
            )
    choices = outputs.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        return _message(choices[0].get("message"), below(place, "/choices/0/message"), agent)
    if isinstance(outputs.get("output"), list):
        items = items_entries(outputs["output"], below(place, "/output"), agent=agent)
        return items or _messages(outputs["output"], below(place, "/output"), agent)
    for key in ("message", "output", "messages"):
        if key in outputs:
            return _messages(outputs[key], below(place, f"/{key}"), agent)
    return _message(outputs, place, agent)


def offered(run: Run) -> list[Any] | None:
    """The tools a model was offered, None when the run does not say."""
    params = run.object("extra").get("invocation_params")
    for holder in (params, run.object("inputs")):
        if isinstance(holder, Mapping):
            for key in ("tools", "functions"):
                if isinstance(holder.get(key), list):
                    return list(holder[key])
    return None


def tool_run(run: Run, *, captured: bool, own: bool) -> Ran:
    """What a tool was given and said. The framework may have told the model of an error in other words."""
    outputs, extra = run.fields.get("outputs"), run.object("extra")
    told = _tool_said(outputs, run.place("outputs"))
    call_id = id_of(extra.get("tool_call_id")) or (told.call_id if told is not None else None)
    text = told.text if told is not None else None
    shown = None
    error = run.error
    if error is not None:
        text = exception_text(error)
        heard = _shown(run, call_id)
        if heard is not None and heard != text:
            # What it said reached the model, be it in a sentence.
            text, shown = (heard, None) if text in heard else (text, heard)
    flagged = True if error is not None or (told is not None and told.flagged) else None
    return Ran(
        run.name or "tool",
        run.source,
        _arguments(run),
        text=text,
        shown=shown,
        call_id=call_id,
        flagged=flagged,
        evidence="run error" if error is not None else "status" if flagged else None,
        agent=run.agent,
        timestamp=run.at,
        captured=captured,
        own=own,
    )


def _arguments(run: Run) -> Any:
    """The arguments of a tool run: an object, or under `input` the text of one, in JSON or in Python's spelling."""
    inputs = run.fields.get("inputs")
    if not isinstance(inputs, Mapping):
        return MISSING if inputs is None else inputs
    alone = inputs.get("input")
    if len(inputs) == 1 and isinstance(alone, str):
        decoded = decode_result(alone)
        if isinstance(decoded.value, dict):
            inner = decoded.value
            whole = inner.get("type") == "tool_call" and isinstance(inner.get("args"), Mapping)
            return inner["args"] if whole else inner if decoded.how == "python_repr" else alone
    return dict(inputs)


def _tool_said(outputs: object, place: Source) -> Entry | None:
    """The result in a tool run's outputs: a tool message in any form, else the value itself as JSON."""
    value = outputs
    if isinstance(outputs, Mapping):
        if not outputs:
            return None
        value = outputs.get("output", outputs)
    if value is None:
        return None
    found = next((e for e in _message(value, place) if e.role == "tool"), None)
    if found is not None:
        return found
    return Entry("tool", value if isinstance(value, str) else as_json(value), place)


def _shown(run: Run, call_id: str | None) -> str | None:
    """What the framework gave the model for a tool run that raised, as the runs around it tell."""
    for outer in run.above():
        if outer.kind in ("llm", "tool"):
            return None
        outputs = outer.fields.get("outputs")
        listed = outputs.get("messages", outputs.get("output", outputs)) if isinstance(outputs, Mapping) else outputs
        for e in _messages(listed, outer.place("outputs")):
            if e.role == "tool" and e.call_id == call_id and call_id is not None:
                return e.text
    return None


def said_to_root(run: Run) -> tuple[list[Entry], list[Entry]]:
    """What a whole run was given and gave: messages, or the one text under a usual key."""
    inputs, outputs = run.object("inputs"), run.object("outputs")
    asked = _messages(inputs["messages"], run.place("inputs", "/messages")) if "messages" in inputs else []
    asked = asked or _one_text("user", inputs, _ASKING, run.place("inputs"))
    told = _messages(outputs["messages"], run.place("outputs", "/messages")) if "messages" in outputs else []
    told = told or _one_text("assistant", outputs, _TELLING, run.place("outputs"))
    return asked, told


def _one_text(role: Any, value: Mapping[str, Any], keys: tuple[str, ...], place: Source) -> list[Entry]:
    key = next((k for k in keys if k in value), None)
    if key is None:
        texts = [k for k, v in value.items() if isinstance(v, str)]
        key = texts[0] if len(texts) == 1 else None
    if key is None:
        return []
    if isinstance(value[key], str):
        return [Entry(role, value[key], below(place, f"/{key}"))]
    return [e for e in _messages(value[key], below(place, f"/{key}")) if e.role != "system"]
