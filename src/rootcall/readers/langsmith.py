"""LangSmith runs: one a line, in arrays, in trees of child runs, or in the batches that tracers send.

Owns how runs are gathered into traces (the two parts of a run in a batch, parents and children, a trace spread over the
file) and in which order they are told; what a run says is `rootcall.readers.langsmith_runs`', what is new in each
model's input `rootcall.readers.replay`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rootcall.assembly import TraceBuilder
from rootcall.conversation import as_json, below, count_calls, shape_of, word_in
from rootcall.readers.entries import Entry
from rootcall.readers.langsmith_runs import Run, answers, given, offered, said_to_root, tool_run
from rootcall.readers.records import Head, Record, Stream
from rootcall.readers.registry import Reader
from rootcall.readers.replay import Heard, Replay
from rootcall.readers.reprs import exception_text
from rootcall.readers.rows import Row, share, start_trace
from rootcall.trace import Source, Trace

__all__ = ["READER"]

_HIDDEN: Final = (
    "inputs and outputs of the runs are empty; LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS must not be set for them "
    "to be captured"
)
_PARTS: Final = ("inputs", "outputs", "extra", "error")


def _is_run(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("run_type"), str):
        return False
    return any(k in value for k in ("dotted_order", "trace_id", "parent_run_id", "child_runs", "session_name"))


def _is_batch(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    lists = [value[k] for k in ("post", "patch") if isinstance(value.get(k), list)]
    return any(_run_id(r) for listed in lists for r in listed)


def _confidence(value: Any) -> float:
    if isinstance(value, list):
        return 1.0 if any(map(_is_run, value)) else 0.0
    listed = value.get("runs") if isinstance(value, Mapping) else None
    if isinstance(listed, list) and any(map(_is_run, listed)):
        return 1.0
    return 1.0 if _is_run(value) or _is_batch(value) else 0.0


def _detect(head: Head) -> float:
    return share(head, _confidence)


def _run_id(value: object) -> str:
    """The id of a run; the later part of one, as JavaScript sends it, has it at the end of its dotted order only."""
    if not isinstance(value, Mapping):
        return ""
    return word_in(value, "id") or _id_in(word_in(value, "dotted_order").rpartition(".")[2])


def _id_in(segment: str) -> str:
    return segment.partition("Z")[2]


def _parts(record: Record) -> Iterator[tuple[Any, Source]]:
    """The runs in a record, and the parts of runs, in the order in which they were sent."""
    value, source = record
    if isinstance(value, Mapping) and not _is_run(value):
        for key in ("post", "patch", "runs"):
            for i, v in enumerate(value[key] if isinstance(value.get(key), list) else ()):
                yield v, below(source, f"/{key}/{i}")
    elif isinstance(value, list):
        yield from ((v, below(source, f"/{i}")) for i, v in enumerate(value))
    else:
        yield value, source


class _Runs:
    """All runs of a file by their ids."""

    def __init__(self) -> None:
        self.by_id: dict[str, Run] = {}

    def add(self, value: Mapping[str, Any], source: Source, parent: str = "") -> None:
        """Add a run, or the part of one that was sent later, and its children."""
        stack = [(value, source, parent)]
        while stack:
            v, where, above = stack.pop()
            name = _run_id(v)
            run = self.by_id.get(name)
            if run is None:
                where = Source(where.file, where.line, where.pointer, name)
                run = self.by_id[name] = Run(name, {}, {"": where, "id": where}, len(self.by_id))
            for key, field in v.items():
                if key == "child_runs" or (key in run.fields and field in (None, {}, [], "")):
                    continue
                run.fields[key] = field
                if key in _PARTS:
                    run.places[key] = Source(where.file, where.line, where.pointer, name)
            if above and not run.fields.get("parent_run_id"):
                run.fields["parent_run_id"] = above
            children = v.get("child_runs")
            for i, child in enumerate(children if isinstance(children, list) else ()):
                if isinstance(child, Mapping) and _run_id(child):
                    stack.append((child, below(where, f"/child_runs/{i}"), name))

    def traces(self) -> Iterator[tuple[str, list[Run]]]:
        """The runs of each trace, parents before children."""
        for run in self.by_id.values():
            above = _parent_id(run)
            run.parent = self.by_id.get(above) if above != run.id else None
        groups: dict[str, list[Run]] = {}
        for run in self.by_id.values():
            root = next(iter([*run.above()][-1:]), run)
            named = word_in(run.fields, "trace_id") or _id_in(word_in(run.fields, "dotted_order").partition(".")[0])
            groups.setdefault(named or root.id, []).append(run)
        for name, runs in groups.items():
            runs.sort(key=lambda r: (word_in(r.fields, "dotted_order"), r.begun))
            for n, r in enumerate(runs):
                r.number = n
            yield name, runs


def _parent_id(run: Run) -> str:
    return word_in(run.fields, "parent_run_id") or _id_in(
        word_in(run.fields, "dotted_order").rpartition(".")[0].rpartition(".")[2]
    )


def _read(stream: Stream) -> Iterator[Trace]:
    runs = _Runs()
    for record in stream:
        found = False
        for value, source in _parts(record):
            found = True
            if isinstance(value, Mapping) and _run_id(value):
                runs.add(value, source)
            else:
                what = f"is no run but {shape_of(value)}; it is left out"
                stream.set_aside("unknown-shape", what, source, lost=count_calls(value))
        if not found:
            what = "holds no LangSmith runs; it is left out"
            stream.set_aside("unknown-shape", what, record.source, lost=count_calls(record.value))
    for name, group in runs.traces():
        try:
            yield _build(stream, name, group)
        except RecursionError:
            lost = count_calls([r.fields for r in group])
            stream.set_aside("nested-too-deeply", "nested too deeply to be read", group[0].source, lost=lost)


def _build(stream: Stream, name: str, runs: list[Run]) -> Trace:
    root = next((r for r in runs if r.parent is None), runs[0])
    # A run of one library's around that of another's tells the same model call twice; the inner one is the call.
    around = {outer.number for r in runs if r.kind == "llm" for outer in r.above()}
    models = [r for r in runs if r.kind == "llm" and r.number not in around]
    builder = start_trace(
        stream, Row((), _tools(models), None, _about(root, models)), root.source, "langsmith", id=name
    )
    replay, memory = Replay(builder), Heard()
    hidden = bool(models) and not any(r.object("inputs") or r.object("outputs") or r.error for r in models)
    asked, told = said_to_root(root)
    ordered = _in_order(runs)
    first = given(models[0], memory) if models else []
    # Where code ran tools before it asked a model, what the user said stands in the whole run's inputs alone.
    by_code = next((r.kind for r in ordered if r.kind in ("llm", "tool")), "llm") == "tool"
    if not models:
        replay.heard(told if any(e.role == "user" for e in told) else asked)
    elif by_code or not any(e.role == "user" for e in first):
        replay.heard([*[e for e in first if e.role == "system"], *asked])
    for r in ordered:
        if r.kind == "llm" and r.number not in around:
            _model(replay, memory, builder, r, hidden=hidden, prompted=by_code and bool(asked))
        elif r.kind == "tool" and not r.paused:
            within = any(outer.kind == "tool" for outer in r.above())
            replay.ran(tool_run(r, captured=not hidden, own=not within))
    replay.close()
    if not models and told and not any(e.role == "user" for e in told):
        for e in told:
            replay.said(e)
    if hidden:
        builder.problem("content-not-captured", _HIDDEN, root.source)
    if root.error is not None:
        builder.problem("run-failed", f"the run ended with an error: {exception_text(root.error)[:200]}", root.source)
    return builder.build()


def _in_order(runs: list[Run]) -> list[Run]:
    """Models where they began, tools where they ended."""
    return sorted(runs, key=lambda r: r.ended if r.kind == "tool" else r.begun)


def _model(replay: Replay, memory: Heard, builder: TraceBuilder, run: Run, *, hidden: bool, prompted: bool) -> None:
    """Tell of a model call. `prompted`: what it was told in the user's name is code's, the user has spoken already."""
    nested = prompted or any(outer.kind == "tool" for outer in run.above())
    replay.heard(given(run, memory), nested=nested)
    found = answers(run)
    if run.error is not None and not found:
        builder.problem("model-failed", f"{run.name}: {exception_text(run.error)[:200]}", run.source)
        return
    if not found:
        if not hidden and run.object("outputs"):
            keys = ", ".join(list(map(str, run.object("outputs")))[:6])
            what = f"{run.name}: what the model gave is in no known form (keys {keys}); it is left out"
            builder.problem(
                "message-unreadable", what, run.place("outputs"), lost=count_calls(run.fields.get("outputs"))
            )
        replay.said(Entry("assistant", None, run.source, agent=run.agent, timestamp=run.at, captured=False))
    for e in found:
        replay.said(e._replace(timestamp=run.at))


def _tools(models: list[Run]) -> list[Any] | None:
    """What was offered over the whole run. Agents of which each has a name and a list of its own keep them apart."""
    lists = [(r.agent, tools) for r in models if (tools := offered(r)) is not None]
    if not lists:
        return None
    agents = {agent for agent, _ in lists}
    differ = len({as_json(tools) for _, tools in lists}) > 1
    apart = differ and len(agents) > 1 and None not in agents
    out: dict[str, Any] = {}
    for agent, tools in lists:
        for t in tools:
            spec = {**t, "agent": agent} if apart and isinstance(t, Mapping) else t
            out.setdefault(as_json(spec), spec)
    return list(out.values())


def _about(root: Run, models: list[Run]) -> dict[str, Any]:
    rest = {k: root.fields[k] for k in ("name", "session_name", "tags") if root.fields.get(k)}
    params = [r.object("extra").get("invocation_params") for r in models]
    named = [word_in(r.metadata, "ls_model_name") for r in models]
    named += [word_in(p, "model") or word_in(p, "model_name") for p in params if isinstance(p, Mapping)]
    model = next((m for m in named if m), None)
    return {**rest, **({"model": model} if model else {}), "metadata": dict(root.metadata)}


READER = Reader(
    name="langsmith",
    description="LangSmith runs: one a line, arrays, trees of child runs, batches of post and patch",
    detect=_detect,
    read=_read,
    marks="run_type beside dotted_order or trace_id; lists under post and patch",
    lacks=("a flag for errors that the framework handled, unless the tool message has its status",),
)
