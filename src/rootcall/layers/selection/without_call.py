"""What the agent did where it called nothing; part of the selection layer.

The reading of a reply is `rootcall.evidence.behaviour`'s, whether a call was right there is `selection`'s. A reply that
holds the text of a call is no reply without one and is left to `selection/unparsed-call`.
"""

from __future__ import annotations

from typing import Any

from rootcall.check import Check, Rule
from rootcall.evidence.behaviour import Behaviour, behaviour
from rootcall.jsonvalue import MISSING
from rootcall.trace import Message, Turn

__all__ = ["BEHAVIOUR", "done_instead", "reply_check", "told"]

BEHAVIOUR = Rule(
    name="selection/behaviour",
    looks_at="What the agent did in a trace without any call: answered, asked, refused, or escalated (handed over to a person), reply by "
    "reply. It is read from the reply and the user's words; `got` holds it, and a reply that cannot be read surely is unscored.",
    why="A call that was not made can be a question, a refusal or a made-up answer, and each wants another repair.",
    fails="(never fails; whether a call was due is what `missing` says)",
    passes='"Which day would you like to travel?" is told as asked',
    grade="hint",
)


def reply_check(turn: Turn, message: Message) -> Check:
    """The check of a reply that ended a turn without calls."""
    found = _read(turn, message)
    fields: dict[str, Any] = {
        "unit": f"response:{message.at}",
        "at": message.at,
        "source": message.source,
        "agent": message.agent,
    }
    if found.known is None:
        return Check(layer="selection", rule=BEHAVIOUR.name, status="unscored", grade="hint", question="behaviour",
                     message="what the reply does cannot be read surely", **fields)  # fmt: skip
    return Check(
        layer="selection",
        rule=BEHAVIOUR.name,
        status="pass",
        grade="hint",
        got=found.known,
        message=told(found),
        **fields,
    )


def done_instead(turn: Turn | None) -> tuple[Any, str]:
    """What the agent did at the end of a turn instead of calling: the behaviour and its words.

    `(MISSING, "")` where the turn ends in calls, without words, or in a reply that cannot be read surely.
    """
    message = turn.answer if turn is not None else None
    if turn is None or message is None:
        return MISSING, ""
    found = _read(turn, message)
    return (MISSING, "") if found.known is None else (found.known, told(found))


def told(found: Behaviour) -> str:
    """A behaviour with the words that show it: `asked: 'Which day?'`."""
    words = " ".join(found.words.split())
    return f"{found.act}: {words if len(words) <= 120 else words[:117] + '...'!r}"


def _read(turn: Turn, message: Message) -> Behaviour:
    request = turn.user.text if turn.user is not None and turn.user.text else ""
    return behaviour(message.text or "", request)
