"""OpenTelemetry spans and log records: GenAI conventions, OpenInference, OpenLLMetry, pydantic-ai and Logfire, Strands.

One engine reads them all. To follow it: `span` (one span from any container), `conventions` (attribute names as data),
`said` and `meaning` (what a span tells), `weaving` (one conversation out of many spans), `telling` (the `Trace`),
`gathering` (the spans of one trace together).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rootcall.readers.protobuf import Broken, looks_like_otlp, requests
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.rows import stem
from rootcall.readers.spans.conventions import conventions_of
from rootcall.readers.spans.gathering import Gathered, gather
from rootcall.readers.spans.span import Span, is_spans, spans_in
from rootcall.readers.spans.telling import tell
from rootcall.trace import Source, Trace

__all__ = ["READER"]


def _detect(head: Head) -> float:
    if head.container == "binary":
        return 1.0 if looks_like_otlp(head.start) else 0.0
    values = [v for v in head.values if is_spans(v)]
    if not values:
        return 0.0
    sure = 1.0 if any(map(_marked, values)) else 0.5 if any(map(_otlp, values)) else 0.0
    return float(sure * (len(values) / len(head.values)) ** 0.5)


def _marked(value: Any) -> bool:
    return any(conventions_of(s) for s in spans_in(Record(value, Source())))


def _otlp(value: Any) -> bool:
    """OTLP and an SDK's own JSON are nobody else's, although the first spans may be of a web server or a database."""
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    printed = isinstance(context, dict) and "trace_id" in context and "resource" in value
    return printed or any(k in value for k in ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs"))


def _read(stream: Stream) -> Iterator[Trace]:
    for gathered in gather(_spans(stream)):
        trace = _trace(stream, gathered)
        if trace is not None:
            yield trace


def _spans(stream: Stream) -> Iterator[Span]:
    for record in _records(stream):
        empty = True
        for span in spans_in(record):
            empty = False
            yield span
        if empty:
            stream.set_aside("unknown-shape", "holds no spans; it is left out", record.source)


def _records(stream: Stream) -> Iterator[Record]:
    """The values of the file; of one in protobuf, its groups of spans."""
    if stream.head.container != "binary":
        yield from stream
        return
    try:
        for n, value in enumerate(requests(stream.content())):
            yield Record(value, Source(stream.name, None, f"/{n}"))
    except Broken as error:
        stream.set_aside("not-protobuf", f"{error}; the spans before are kept")


def _trace(stream: Stream, gathered: Gathered) -> Trace | None:
    name = gathered.trace or stem(stream.name)
    if gathered.part:
        stream.set_aside(
            "trace-in-parts",
            f"spans of trace {name} came long after the others; they are read as a trace of their own",
            gathered.spans[0].source,
        )
        name = f"{name}-{gathered.part + 1}"
    return tell(name, gathered.spans, stream.tools)


READER = Reader(
    name="otel-spans",
    description="OpenTelemetry spans and log records (OTLP, SDK JSON, Phoenix): GenAI, OpenInference, OpenLLMetry, pydantic-ai, Strands",
    detect=_detect,
    read=_read,
    marks="spans with a trace id whose attributes begin with gen_ai., openinference., llm., traceloop. or pydantic_ai.",
    lacks=(
        "content, where the instrumentation is not told to capture it",
        "a flag for a tool error that the framework handled itself (OpenInference says OK)",
        "the tools, where an agent does not record their definitions",
    ),
)
