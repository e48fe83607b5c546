"""BFCL's multi-turn rows: questions by turn, the gold calls of each turn as texts, and what running them returned.

A row is read as the run its gold describes: `question` gives the user's turns, `ground_truth` the calls (executed one
after the other, so each is a step of its own), `ground_truth_results` their results. Which tools were offered is not in
the row. Calls are parsed by `rootcall.calltext` and never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rootcall.assembly import DraftCall, TraceBuilder
from rootcall.calltext import parse_calls
from rootcall.conversation import add_openai
from rootcall.jsonvalue import MISSING
from rootcall.payload import decode_result
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import Row, UnknownShape, share, start_trace, traces
from rootcall.trace import Source, Trace

__all__ = ["READER", "turns_of"]

_READ = ("question", "ground_truth", "ground_truth_results", "verdicts")


def turns_of(value: object) -> list[list[Any]] | None:
    """The gold calls of each turn of a row as texts, or None when the value is no multi-turn row."""
    if not isinstance(value, Mapping) or not isinstance(value.get("question"), list):
        return None
    turns = value.get("ground_truth")
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, list) for turn in turns):
        return None
    calls = [call for turn in turns for call in turn]
    return turns if all(isinstance(call, str) for call in calls) else None


def _confidence(value: Any) -> float:
    return 1.0 if turns_of(value) is not None else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _build(stream: Stream, record: Record) -> Trace:
    turns = turns_of(record.value)
    if turns is None:
        raise UnknownShape("is no multi-turn row: question, and ground_truth as call texts by turn, are wanted")
    value: Mapping[str, Any] = record.value
    rest = {k: v for k, v in value.items() if k not in _READ}
    builder = start_trace(stream, Row((), None, None, rest), record.source, "bfcl-multi-turn")
    # The gold was written by someone who knew the state of the world, which the row leaves out.
    builder.partial_history()
    _add_turns(builder, value, turns, record.source)
    return builder.build()


def _add_turns(builder: TraceBuilder, value: Mapping[str, Any], turns: list[list[Any]], source: Source) -> None:
    questions, results = value["question"], value.get("ground_truth_results")
    index = 0
    for t in range(max(len(questions), len(turns))):
        asked = _part(questions, t)
        add_openai(builder, asked, source, pointer=f"/question/{t}", first=index)
        index += len(asked)
        returned = _part(results, t)
        calls = _part(turns, t)
        for n, text in enumerate(calls):
            index = _add_call(builder, str(text), index, _place(source, f"/ground_truth/{t}/{n}"))
            if n < len(returned):
                _add_result(builder, returned[n], index, _place(source, f"/ground_truth_results/{t}/{n}"))
                index += 1
        if len(returned) > len(calls):
            message = f"turn {t} has {len(calls)} calls and {len(returned)} results; the last are left out"
            builder.problem("orphan-result", message, _place(source, f"/ground_truth_results/{t}"))


def _part(values: object, index: int) -> Sequence[Any]:
    """The list at an index; an empty one where there is none."""
    part = values[index] if isinstance(values, list) and index < len(values) else None
    return part if isinstance(part, list) else ()


def _place(source: Source, pointer: str) -> Source:
    return Source(source.file, source.line, source.pointer + pointer)


def _add_call(builder: TraceBuilder, text: str, index: int, place: Source) -> int:
    """Add a step of one call; a text that is none stays what the assistant said. Returns the next index."""
    found = parse_calls(text)
    if found.problem is not None or len(found.calls) != 1:
        why = found.problem or f"{len(found.calls)} calls where one is wanted"
        builder.problem("call-unreadable", f"{text[:80]!r}: {why}", place, lost=1)
        builder.message("assistant", text, index=index, source=place)
        return index + 1
    call = found.calls[0]
    if call.positional:
        message = f"{call.name}: {len(call.positional)} arguments without a name stand under their position"
        builder.problem("positional-arguments", message, place)
    builder.message("assistant", None, index=index, calls=[DraftCall(call.name, call.placed, f"c{index}", place)],
                    source=place, captured=True)  # fmt: skip
    return index + 1


def _add_result(builder: TraceBuilder, result: Any, index: int, place: Source) -> None:
    """Add what a call returned: the text `None` is ok and nothing, `{"error": …}` and `Error during execution` are errors."""
    text = result if isinstance(result, str) else ""
    value = decode_result(text).value
    failed = text.startswith("Error during execution") or (isinstance(value, Mapping) and "error" in value)
    nothing = None if text == "None" else MISSING
    builder.result(text, index=index, call_id=f"c{index - 1}", flagged=failed, payload=nothing, source=place)


def _read(stream: Stream) -> Iterator[Trace]:
    return traces(stream, stream, lambda record: _build(stream, record))


READER = Reader(
    name="bfcl-multi-turn",
    description="BFCL multi-turn rows: question and ground_truth by turn, with ground_truth_results",
    detect=_detect,
    read=_read,
    marks="rows with question, ground_truth and ground_truth_results",
    lacks=(
        "an answer after the last call",
        "the state of the world that its gold was written from",
        "the tool schemas (give them with --tools)",
    ),
)
