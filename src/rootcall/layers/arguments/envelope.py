"""Is there an arguments object at all? Text that is not JSON, an object encoded twice, keys that stand twice.

Arguments are never repaired before they are judged: a missing brace is a fault even where a server is lenient.
"""

from __future__ import annotations

from collections.abc import Iterator

from rootcall.case import Case
from rootcall.check import Check, Rule, emits
from rootcall.config import Config
from rootcall.jsonvalue import MISSING
from rootcall.layers.arguments.common import Sent, sent
from rootcall.trace import Trace

__all__ = ["envelope"]


@emits(
    Rule(
        name="arguments/not-json",
        looks_at="The argument text of each call, as it was sent: it must be the JSON text of one object.",
        why="A text that does not parse reaches no tool, or one that guesses. It is a call all the same, not an abstention, "
        "and nothing is repaired before it is judged.",
        fails="""{"order_id": "A-17",}   or   {'order_id': 'A-17'}   or   [1, 2]""",
        passes="""{"order_id": "A-17"}""",
    ),
    Rule(
        name="arguments/double-encoded",
        looks_at="Argument text that is a JSON string which itself holds the object.",
        why="One layer of quotes too many: a strict tool sees a text where an object is wanted.",
        fails=r'''"{\"order_id\": \"A-17\"}"''',
        passes="""{"order_id": "A-17"}""",
    ),
    Rule(
        name="arguments/duplicate-keys",
        looks_at="Keys that stand twice in one object of the argument text.",
        why="Parsers differ in which one they keep, so the tool may act on another value than the one shown.",
        fails="""{"amount": 5, "amount": 50}""",
        passes="""{"amount": 50}""",
    ),
)
def envelope(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge the arguments of each attempt as a whole.

    A sound object is no unit of its own unless it is empty, or an earlier attempt at the same thing was unreadable.
    """
    for s in sent(trace):
        yield from _judged(s)


def _judged(s: Sent) -> Iterator[Check]:
    call = s.call
    problem = call.problem or "arguments cannot be read"
    got = call.raw if call.raw is not None else MISSING
    if call.state in ("not_json", "not_an_object", "scalar"):
        yield s.check("not-json", "fail", problem, top=None, got=got)
    elif call.state == "double_encoded":
        yield s.check("double-encoded", "fail", problem, top=None, got=got)
    elif call.state == "duplicate_keys":
        yield s.check("duplicate-keys", "fail", problem, top=None, got=got)
    elif call.state == "missing":
        yield _missing(s)
    elif call.state == "not_captured":
        yield s.check("not-json", "unscored", problem, top=None)
    elif not call.arguments or any(c.state not in ("object", "json_string") for c in s.attempts):
        yield s.check("not-json", "pass", "the arguments are a JSON object", top=None)


def _missing(s: Sent) -> Check:
    if s.schema is not None and s.schema.problem is not None:
        return s.check("not-json", "unscored", f"no arguments were sent, and {s.schema.problem}", top=None)
    required = s.schema.schema.get("required") if s.schema is not None else None
    if required:
        message = f"no arguments were sent; {', '.join(map(str, required))} required"
        return s.check("not-json", "fail", message, top=None)
    if s.schema is None:
        return s.check(
            "not-json", "unscored", "no arguments were sent, and no schema says whether any are wanted", top=None
        )
    return s.check("not-json", "pass", "no arguments were sent and none are required", top=None)
