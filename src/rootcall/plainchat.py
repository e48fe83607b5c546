"""The plain chat: OpenAI messages of text and of calls that nothing came back from, read in one go.

This is what a model answers when it is asked for calls and they are compared with a case. A shorter way to what
`rootcall.conversation` makes of the same messages, and never another: whatever is not plain here (results, other keys,
content in parts, nothing said, an id used twice) is left to the reader there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from rootcall.assembly import completeness_of, turns_of
from rootcall.payload import decode_arguments
from rootcall.trace import Call, Message, Problem, Source, Step, Tool, ToolsKnown, Trace

__all__ = ["plain_trace"]


class _Function(msgspec.Struct, gc=False):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    arguments: str


class _Call(msgspec.Struct, gc=False):
    function: _Function
    id: str | None = None


class _Message(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    role: Literal["system", "user", "assistant"]
    content: str | None = None
    tool_calls: list[_Call] | None = None


_Messages: Final = list[_Message]
_decode: Final = msgspec.json.Decoder(_Messages).decode


def plain_trace(
    messages: Any,
    tools: tuple[Tool, ...] | None,
    problems: tuple[Problem, ...],
    *,
    id: str,  # noqa: A002 -- the field's own name
    metadata: Mapping[str, Any] | None,
    source: Source,
    format: str,  # noqa: A002 -- as above
) -> Trace | None:
    """Build a trace from messages or the JSON text of them, or return None where they are not plain.

    `tools` None: not known. `problems` are those of the tools.
    """
    read = _plain(messages)
    if read is None:
        return None
    turn, any_call = -1, False
    said: list[Message] = []
    steps: list[Step] = []
    users: dict[int, Message] = {}
    for i, m in enumerate(read):
        role = m.role
        where = Source(source.file, source.line, f"{source.pointer}/messages/{i}")
        if role == "user" or (turn < 0 and role == "assistant"):
            turn += 1
        made: tuple[Call, ...] = ()
        if m.tool_calls:
            any_call, made = True, _calls(m.tool_calls, i, len(steps), turn, where)
        message = Message(f"messages[{i}]", i, role, m.content, made, max(turn, 0), None, None, where)
        if role == "user":
            users[turn] = message
        elif role == "assistant":
            steps.append(Step(len(steps), turn, message))
        said.append(message)
    known: ToolsKnown = "unknown" if tools is None else "declared"
    offered = tools or ()
    return Trace(
        id=id,
        messages=tuple(said),
        steps=tuple(steps),
        turns=turns_of(users, steps),
        tools=offered,
        tools_known=known,
        metadata=dict(metadata or {}),
        completeness=completeness_of(known, offered, results="none" if any_call else "full"),
        problems=problems,
        format=format,
        source=source,
    )


def _plain(messages: Any) -> list[_Message] | None:
    """The messages as they were read, None unless all are plain."""
    try:
        read = _decode(messages) if isinstance(messages, msgspec.Raw) else msgspec.convert(messages, _Messages)
    except (ValueError, RecursionError):  # not plain, or no JSON
        return None
    ids: list[str] = []
    for m in read:
        calls = m.tool_calls
        if (m.content is None and not calls) or (calls is not None and m.role != "assistant"):
            return None
        if calls:
            ids += [c.id for c in calls if c.id]
    return read if len(set(ids)) == len(ids) else None


def _calls(listed: list[_Call], message: int, step: int, turn: int, where: Source) -> tuple[Call, ...]:
    made = []
    for n, c in enumerate(listed):
        arguments, raw, state, problem = decode_arguments(c.function.arguments)
        made.append(
            Call(
                at=f"messages[{message}].calls[{n}]",
                message=message,
                index=n,
                tool=c.function.name,
                arguments=arguments,
                state=state,
                raw=raw,
                problem=problem,
                id=c.id,
                step=step,
                turn=turn,
                outcome="no_result",
                evidence="no result follows",
                source=Source(where.file, where.line, f"{where.pointer}/tool_calls/{n}"),
            )
        )
    return tuple(made)
