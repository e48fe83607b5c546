"""BFCL in rootcall: its cases imported, its verdict reproduced as the floor it is, ours beside it.

    case = Case.from_dict(case_of(row))
    check(case, output)                          what the official checker says
    check(case, output, semantics="rootcall")    what we say

`checker` and `official_literals` are BFCL's rules with all their quirks, `literals` reads the same texts properly,
`importing` makes cases, `beside` counts where the two verdicts part. This module is the door: it gives both of them the
same response, be it a trace, decoded calls, or the text of calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rootcall.bfcl.checker import Result
from rootcall.bfcl.checker import check as official_check
from rootcall.bfcl.importing import Imported, case_of, import_files, import_rows
from rootcall.bfcl.literals import decode_arguments
from rootcall.calltext import parse_calls
from rootcall.case import Case
from rootcall.diagnosis import Verdict
from rootcall.errors import UsageError
from rootcall.jsonvalue import MISSING
from rootcall.judging import verdict
from rootcall.trace import Trace

__all__ = [
    "Imported",
    "Result",
    "case_of",
    "check",
    "from_bfcl",
    "import_files",
    "import_rows",
    "judged",
    "output_of",
    "trace_of",
]

Semantics = Literal["bfcl", "rootcall"]


def check(case: Case, response: object, semantics: Semantics = "bfcl") -> Result:
    """Judge one response to a case that was imported from BFCL.

    Args:
        case: see `case_of` and `import_files`.
        response: a `Trace`, the text of calls, or decoded calls `[{name: {param: value}}]`; None when they could not be
            decoded.
        semantics: `bfcl` is the official checker's verdict. Under `rootcall` a response is valid when no unit of the
            layers selection and arguments fails; the error type is then the rule of the first failing check.

    Raises:
        UsageError: the case is not BFCL's, or there are no such semantics.
    """
    kept = from_bfcl(case)
    if kept is None:
        raise UsageError(f"case {case.id!r} is not BFCL's: metadata.bfcl is wanted; see `rootcall cases import bfcl`")
    if semantics == "rootcall":
        return judged(verdict(trace_of(case, response), case))
    if semantics != "bfcl":
        raise UsageError(f"semantics must be bfcl or rootcall, got {semantics!r}")
    output = MISSING if response is None else response
    if isinstance(response, Trace):
        output = output_of(response)
    elif isinstance(response, str):
        output = _decoded(response)
    underscores = kept.get("dots_as_underscores") is True
    functions, answer = kept.get("function"), kept.get("possible_answer")
    return official_check(functions, answer, output, str(kept["category"]), dots_as_underscores=underscores)


def from_bfcl(case: Case) -> Mapping[str, Any] | None:
    """The row a case was imported from, as its metadata keeps it; None when it is not BFCL's."""
    kept = case.metadata.get("bfcl")
    return kept if isinstance(kept, Mapping) and isinstance(kept.get("category"), str) else None


def judged(found: Verdict) -> Result:
    """Our verdict on a trace in BFCL's terms: valid when neither selection nor arguments fail."""
    failing = [name for name in ("selection", "arguments") if found.layers[name].status == "fail"]
    if not failing:
        return Result(True)
    first = next(
        (c for c in found.checks if c.fails and c.layer == failing[0] and c.attempt in ("only", "final")), None
    )
    return Result(False, failing[0], None) if first is None else Result(False, first.rule, first.message)


def output_of(trace: Trace) -> Any:
    """The calls of a trace as the official decoder gives them: `[{name: arguments}]`, or `MISSING`.

    A call whose arguments could not be read, and a text that is no list of calls, cannot be decoded; to the official
    rules both are abstentions. A text that is one is read as calls. No call and no text are an empty list.
    """
    if trace.calls:
        if any(c.arguments is None for c in trace.calls):
            return MISSING
        return [{c.tool: dict(c.arguments or {})} for c in trace.calls]
    text = next((s.message.text for s in reversed(trace.steps) if s.message.text), None)
    return [] if text is None else _decoded(text)


def _decoded(text: str) -> Any:
    """The official decoder drops what was sent without a name."""
    found = parse_calls(text, tuples=True)
    return MISSING if found.problem is not None else [{c.name: dict(c.arguments)} for c in found.calls]


def trace_of(case: Case, response: object) -> Trace:
    """A response as a trace of one step that answers the case's question, with the case's tools.

    A trace comes back as it is, save for the texts of Java and JavaScript values, which are decoded. What is no call
    becomes text, what are no arguments stays unread: nothing is repaired.
    """
    kept = from_bfcl(case) or {}
    language = "java" in str(kept.get("category", ""))
    if isinstance(response, Trace) and not (language and response.calls):
        return response
    output = output_of(response) if isinstance(response, Trace) else response
    calls: list[dict[str, Any]] = []
    said: list[str] = []
    if isinstance(output, str):
        found = parse_calls(output)
        said += [] if found.problem is None else [output]
        calls += [{"name": c.name, "arguments": c.placed} for c in found.calls]
    for item in output if isinstance(output, list) else ():
        if not isinstance(item, Mapping):
            said.append(str(item))
            continue
        for name, sent in item.items():
            decoded = _sent(sent, str(name), kept) if language else _json(sent)
            calls.append({"name": str(name), "arguments": decoded})
    answer: dict[str, Any] = {"role": "assistant", "content": "\n".join(said) or None}
    if calls:
        answer["tool_calls"] = [{"id": f"c{i}", "function": c} for i, c in enumerate(calls)]
    messages = [*_asked(case, kept.get("question")), answer]
    return Trace.from_openai(messages, case.tools, id=case.id, metadata={"case_id": case.id})


def _asked(case: Case, question: object) -> list[dict[str, Any]]:
    turns = question if isinstance(question, list) else []
    listed = [m for turn in turns for m in (turn if isinstance(turn, list) else [turn]) if isinstance(m, Mapping)]
    return [dict(m) for m in listed] or [{"role": "user", "content": case.input or ""}]


def _sent(sent: object, name: str, kept: Mapping[str, Any]) -> Any:
    """The arguments of a Java or JavaScript call with their texts decoded."""
    if not isinstance(sent, Mapping):
        return _json(sent)
    specs = [f for f in kept.get("function", ()) if isinstance(f, Mapping)]
    spec = next((f for f in specs if name in (f.get("name"), str(f.get("name")).replace(".", "_"))), {})
    return _json(decode_arguments(sent, spec.get("parameters")))


def _json(value: Any) -> Any:
    """A value with lists for tuples."""
    if isinstance(value, Mapping):
        return {str(k): _json(v) for k, v in value.items()}
    return [_json(v) for v in value] if isinstance(value, list | tuple) else value
