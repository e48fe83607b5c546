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
from rootcall.trace import Call, Message, Problem, Source, Step, Tool, Trace

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
    try:
        read = _decode(messages) if isinstance(messages, msgspec.Raw) else msgspec.convert(messages, _Messages)
    except (ValueError, RecursionError):  # not plain, or no JSON
        return None
    turn, ids, calls = -1, [], 0
    said: list[Message] = []
    steps: list[Step] = []
    users: dict[int, Message] = {}
    for i, m in enumerate(read):
        role, where = m.role, Source(source.file, source.line, f"{source.pointer}/messages/{i}")
        if m.content is None and not m.tool_calls:
            return None
        if role == "assistant":
            turn = max(turn, 0)
            made = _calls(m.tool_calls, i, len(steps), turn, where) if m.tool_calls else ()
            ids += [c.id for c in made if c.id]
            calls += len(made)
            message = Message(f"messages[{i}]", i, role, m.content, made, turn, None, None, where)
            steps.append(Step(len(steps), turn, message))
        elif m.tool_calls is not None:
            return None
        else:
            turn += role == "user"
            message = Message(f"messages[{i}]", i, role, m.content, (), max(turn, 0), None, None, where)
            if role == "user":
                users[turn] = message
        said.append(message)
    if len(set(ids)) < len(ids):
        return None
    known = "unknown" if tools is None else "declared"
    return Trace(
        id,
        tuple(said),
        tuple(steps),
        turns_of(users, steps),
        tools or (),
        known,
        dict(metadata or {}),
        completeness_of(known, tools or (), results="none" if calls else "full"),
        problems,
        format,
        source,
    )


def _calls(listed: list[_Call], message: int, step: int, turn: int, where: Source) -> tuple[Call, ...]:
    made = []
    for n, c in enumerate(listed):
        arguments, raw, state, problem = decode_arguments(c.function.arguments)
        made.append(
            Call(
                f"messages[{message}].calls[{n}]",
                message,
                n,
                c.function.name,
                arguments,
                state,
                raw,
                problem,
                c.id,
                False,  # noqa: FBT003 -- by their order: by name takes longer
                step,
                turn,
                "no_result",
                "no result follows",
                None,
                None,
                Source(where.file, where.line, f"{where.pointer}/tool_calls/{n}"),
            )
        )
    return tuple(made)
