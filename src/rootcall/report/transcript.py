"""One trace with its checks beside the messages, for a person to read.

Shows every message in order, each call with its arguments, where each came from and what came back, and the checks that
look at that very place: failing ones in full, passing ones as a dim line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from rootcall.check import Check, call_place, message_index
from rootcall.diagnosis import Verdict
from rootcall.evidence.origins import argument_origins
from rootcall.jsonvalue import Missing
from rootcall.report.terminal import STATUS_STYLE, clean, hanging, rate, short, verdict_block
from rootcall.trace import Call, Message, Trace

__all__ = ["print_transcript", "print_verdict"]

_ROLE_STYLE = {"system": "dim", "user": "bold cyan", "assistant": "bold", "tool": "dim"}
_OUTCOME_STYLE = {"ok": "green", "error": "red", "refused": "red", "no_result": "yellow", "unknown": "yellow"}
_TOOL_FAULTS = ("arguments/broken-schema", "arguments/validator")
_TEXT_LINES = 12
_SYSTEM_CHARACTERS = 200
_VALUE_CHARACTERS = 600
_ORIGIN_LINES = 8
_WIDEST_NAMES = 36


def print_transcript(trace: Trace, verdict: Verdict, console: Console, *, full: bool = False) -> None:
    """Print a trace with its checks. `full` shows texts, results and passing checks whole."""
    beside = _by_place(verdict)
    shown_results: set[str] = set()
    console.print(_head(trace), highlight=False)
    for message in trace.messages:
        if message.role == "tool" and not beside.get(message.at):
            continue  # results stand beside their calls
        console.print()
        for line in _message(message, full=full):
            console.print(line, highlight=False)
        for line in _checks(beside.pop(message.at, []), "  ", full=full):
            console.print(line, highlight=False)
        for call in message.calls:
            for line in _call(trace, call, full=full):
                console.print(line, highlight=False)
            for line in _checks(beside.pop(call.at, []), "      ", full=full):
                console.print(line, highlight=False)
            shown_results.add(call.at)
    rest = [check for checks in beside.values() for check in checks]
    if rest:
        console.print("\nThe trace as a whole", style="bold", highlight=False)
        for line in _checks(rest, "  ", full=full):
            console.print(line, highlight=False)
    faulty = (c for c in verdict.checks if c.status == "unscored" and c.rule in _TOOL_FAULTS)
    about_tools = dict.fromkeys(f"calls of {c.tool!r} are not judged by it: {c.message}" for c in faulty)
    for note in (*map(str, trace.problems), *about_tools):
        console.print(Text(f"\nnoted: {clean(note)}", "yellow"), highlight=False)
    console.print()
    print_verdict(verdict, console)


def print_verdict(verdict: Verdict, console: Console) -> None:
    """Print the layers of one verdict on a line, and its block."""
    console.print(_layer_line(verdict), highlight=False)
    console.print(verdict_block(verdict, console.width), highlight=False)


def _by_place(verdict: Verdict) -> dict[str, list[Check]]:
    """The checks by the message or call they point into; checks of grade `hint` come with the others."""
    found: dict[str, list[Check]] = {}
    for check in verdict.checks:
        place = call_place(check.at) or (f"messages[{message_index(check.at)}]" if message_index(check.at) >= 0 else "")
        found.setdefault(place, []).append(check)
    return found


def _head(trace: Trace) -> Text:
    text = Text(clean(trace.id), "bold")
    text.append(f"  {trace.source}  {trace.format}, {len(trace.messages)} messages, {len(trace.calls)} calls", "dim")
    if trace.tools_known == "unknown":
        text.append("\noffered tools not known; --tools FILE brings them", "yellow")
    for key in ("model", "reference_time", "case_id", "trial", "reward"):
        if trace.metadata.get(key) is not None:
            text.append(f"\n{key}: {short(str(trace.metadata[key]), 100)}", "dim")
    return text


def _message(message: Message, *, full: bool) -> Iterator[RenderableType]:
    line = Text(f"{message.at} ", "dim")
    line.append(message.role, _ROLE_STYLE.get(message.role, ""))
    if message.agent:
        line.append(f" {message.agent}", "dim")
    yield line
    if message.text:
        yield Padding(Text(_cut(message.text, message.role, full=full)), (0, 0, 0, 2))
    elif message.text is None and not message.calls:
        yield Text("  (content not captured)", "yellow")


def _cut(text: str, role: str, *, full: bool) -> str:
    text = clean(text)
    if full:
        return text
    if role == "system":
        return short(text, _SYSTEM_CHARACTERS)
    lines = text.strip().splitlines()
    more = len(lines) - _TEXT_LINES
    return "\n".join([*lines[:_TEXT_LINES], f"… {more} more lines (--full)"] if more > 0 else lines)


def _call(trace: Trace, call: Call, *, full: bool) -> Iterator[RenderableType]:
    limit = 1 << 40 if full else _VALUE_CHARACTERS
    sent = Text(clean(call.tool), "bold")
    if call.arguments is None:
        sent.append(f"({short(call.raw or '', limit)})", "not bold")
        sent.append(f"  {call.state}: {clean(call.problem or 'no arguments')}", "not bold yellow")
    else:
        arguments = ", ".join(f"{k}={_json(v)}" for k, v in call.arguments.items())
        sent.append(f"({short(arguments, limit)})", "not bold")
    yield hanging("  → ", sent)
    yield from _came_from(trace, call, full=full)
    back = Text(call.outcome, _OUTCOME_STYLE[call.outcome])
    error = call.error
    if error is not None and error.label:
        back.append(f" {error.label}")
    if call.result is not None and call.result.text is not None:
        back.append(f"  {short(call.result.text, limit)}", "default")
    elif call.result is not None:
        back.append("  (content not captured)", "yellow")
    yield hanging("  ← ", back)


def _came_from(trace: Trace, call: Call, *, full: bool) -> Iterator[RenderableType]:
    """Where the arguments came from, those of one origin on one line."""
    by_origin: dict[str, list[str]] = {}
    for path, origin in argument_origins(trace, call):
        by_origin.setdefault(str(origin), []).append(path)
    lines = [(", ".join(paths), said) for said, paths in by_origin.items()]
    more = 0 if full else len(lines) - _ORIGIN_LINES
    for names, said in lines[: len(lines) if more <= 1 else _ORIGIN_LINES]:
        mark, text = f"      {clean(names)} <- ", clean(said)
        if len(mark) > _WIDEST_NAMES:
            mark, text = "      ", mark.strip() + " " + text
        yield hanging(mark, Text(text, "dim"))
    if more > 1:
        yield hanging("      ", Text(f"… {more} more (--full)", "dim"))


def _checks(checks: list[Check], indent: str, *, full: bool) -> Iterator[RenderableType]:
    """Failing checks first and in full, then hints, then the passing ones on one dim line; unscored ones with `full`."""
    for check in checks:
        if check.fails:
            text = Text(check.rule, "bold red")
            again = f" ({check.attempt} attempt)" if check.attempt in ("first", "retry") else ""
            text.append(clean(f" {check.argument or ''}".rstrip() + again), "red")
            text.append(f"  {clean(check.message)}", "default not bold")
            if not isinstance(check.expected, Missing):
                text.append(f"; expected {short(_json(check.expected), _VALUE_CHARACTERS)}", "dim not bold")
            if (ends := _ends(check)) is not None:
                text.append(f"  {clean(ends)}", "dim not bold")
            yield hanging(f"{indent}✗ ", text, "bold red")
    for check in checks:
        if not check.fails and check.status != "pass" and (full or check.status == "fail"):
            mark = "hint" if check.status == "fail" else "unscored"
            yield hanging(f"{indent}? ", Text(f"{check.rule} ({mark})  {clean(check.message)}", "dim"))
    passed = [c for c in checks if c.status == "pass"]
    if full:
        yield from (hanging(f"{indent}✓ ", Text(f"{c.rule}  {clean(c.message)}", "dim")) for c in passed)
    elif passed:
        # What was done is the point of this one, not that it passed.
        told = {f"{c.rule} ({c.got})" if c.rule == "selection/behaviour" else c.rule for c in passed}
        yield hanging(f"{indent}✓ ", Text(", ".join(sorted(told)), "dim"))


def _ends(check: Check) -> str | None:
    """Both ends of a claim: its characters in the answer, and the place in the result it is held against."""
    told = "" if check.span is None else f"text[{check.span[0]}:{check.span[1]}]"
    held = "" if check.fact is None else f"{check.tool or 'result'}: {check.fact}"
    return " <- ".join(end for end in (told, held) if end) or None


def _layer_line(verdict: Verdict) -> Text:
    text = Text()
    for i, (name, layer) in enumerate(verdict.layers.items()):
        text.append("  " if i else "")
        text.append(f"{name} ")
        score = "" if layer.score is None else f" {rate(layer.score)}"
        text.append(f"{layer.status}{score}", STATUS_STYLE[layer.status])
    return text


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(a value that cannot be written as JSON)"
