"""Spans of one trace together, in bounded memory: a trace is given out when nothing more is to come for it.

Exporters write spans as they end, in batches, with other traces between them; the root ends last. A trace whose root
has come is given out when some records have passed without another span of it. Where too much is held at once, the
trace that was quiet for longest goes first. Spans that come for a trace already given out make a part of their own,
and that is said.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from rootcall.readers.spans.span import Span

__all__ = ["Gathered", "gather"]

_PATIENCE: Final = 2_000
_ROOTLESS: Final = 5
_MOST: Final = 256 << 20
_SWEEP: Final = 256
_SPAN_SIZE: Final = 2_000


class Gathered(msgspec.Struct, gc=False):
    """The spans of one trace. `part` counts from 0: a later part came after the earlier ones were given out.

    `size` is about how much memory they take, `touched` the place of the last of them in the stream.
    """

    trace: str
    spans: list[Span]
    part: int = 0
    rooted: bool = False
    touched: int = 0
    size: int = 0


def gather(spans: Iterable[Span], patience: int = _PATIENCE, most: int = _MOST) -> Iterator[Gathered]:
    """Yield the traces of a stream of spans.

    Args:
        spans: in the order of the file.
        patience: how many spans of other traces may come before a trace with its root counts as complete; one without
            a root (it may lie in another service) waits five times as long.
        most: how many bytes of spans are held at once, about.
    """
    held: OrderedDict[str, Gathered] = OrderedDict()
    parts: dict[str, int] = {}
    size = 0
    for count, span in enumerate(spans):
        span.order = count
        trace = held.get(span.trace)
        if trace is None:
            trace = held[span.trace] = Gathered(span.trace, [], parts.get(span.trace, 0))
        trace.spans.append(span)
        trace.touched = count
        trace.rooted = trace.rooted or (span.known and not span.parent)
        held.move_to_end(span.trace)
        weight = _weight(span)
        trace.size += weight
        size += weight
        if size > most or count % _SWEEP == 0:
            for ready in _ready(held, count, patience, size - most):
                size -= ready.size
                yield _given(held, ready, parts)
    for trace in list(held.values()):
        yield _given(held, trace, parts)


def _ready(held: Mapping[str, Gathered], count: int, patience: int, excess: int) -> list[Gathered]:
    """The traces for which nothing more is to come, and the quietest ones where too much is held."""
    found = []
    for trace in held.values():
        quiet = count - trace.touched
        if excess > 0 or quiet >= (patience if trace.rooted else _ROOTLESS * patience):
            found.append(trace)
            excess -= trace.size
        elif quiet < patience:
            break
    return found


def _weight(span: Span) -> int:
    texts = (v for v in span.attributes.values.values() if isinstance(v, str))
    return _SPAN_SIZE + sum(map(len, texts)) + _SPAN_SIZE * len(span.events)


def _given(held: OrderedDict[str, Gathered], trace: Gathered, parts: dict[str, int]) -> Gathered:
    del held[trace.trace]
    parts[trace.trace] = trace.part + 1
    trace.spans = merged(trace.spans)
    return trace


def merged(spans: list[Span]) -> list[Span]:
    """Each span once, with the log records that name it; a span exported twice counts once."""
    found: dict[str, Span] = {}
    nameless: list[Span] = []
    for span in spans:
        if not span.id:
            nameless.append(span)
            continue
        before = found.get(span.id)
        if before is None:
            found[span.id] = span
        elif before.known and span.known:
            # The one with more to say: some exporters write a span when it starts and again when it ends.
            if (span.end, len(span.attributes.values)) > (before.end, len(before.attributes.values)):
                found[span.id] = _joined(span, before)
        else:
            found[span.id] = _joined(span, before) if span.known else _joined(before, span)
    return sorted([*found.values(), *nameless], key=_order)


def _joined(span: Span, other: Span) -> Span:
    events = span.events
    if not (span.known and other.known):
        said = {(e.name, e.time) for e in events if e.time}
        events = [*events, *(e for e in other.events if (e.name, e.time) not in said)]
    return msgspec.structs.replace(span, events=events, order=min(span.order, other.order))


def _order(span: Span) -> int:
    return span.order
