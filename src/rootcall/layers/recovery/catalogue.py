"""The documentation of the recovery rules, with their defaults. How they judge stands in `reactions` and `claims`."""

from __future__ import annotations

from typing import Final

from rootcall.check import Rule

LOOP_CAP: Final = 3
STORM_CAP: Final = 5

HANDLED = Rule(
    name="recovery/handled",
    looks_at="Every error episode in which nothing was done wrong; the message says how it ended.",
    why="Errors happen. An agent that corrects itself, takes another way, hands over or says so is working as it should.",
    fails="Never: the other rules of this layer say what was wrong.",
    passes="search(date='Friday') -> 400 'date must be ISO 8601', then search(date='2026-03-27') -> ok.",
)
ERROR_UNREAD = Rule(
    name="recovery/error-unread",
    looks_at="A call sent again unchanged after an error that trying again cannot mend, and whose text the model saw.",
    why="The body said what was wrong. Sending the same call shows that it was not read.",
    fails="search(date='Friday') -> 400 'date must be ISO 8601', then search(date='Friday') again.",
    passes="The date is put right, the user is asked, or the call is sent again after another call changed things. Where "
    "an error does not say whether it is permanent, one more try is fine.",
)
RETRY_LOOP = Rule(
    name="recovery/retry-loop",
    looks_at="Identical attempts in a row at a call that meets a permanent error, beyond a cap.",
    why="A loop burns time and money, and no attempt can succeed.",
    fails="mkdir('/srv/a') -> 403, five times.",
    passes="mkdir('/srv/a') -> 403, then another folder. Polling is no loop: there the calls succeed.",
    options={"cap": (LOOP_CAP, "identical attempts that are still no loop")},
)
RETRY_CAP = Rule(
    name="recovery/retry-cap",
    looks_at="Identical attempts in a row at a call that meets a transient error, beyond a cap.",
    why="Retrying an outage is right a few times; a storm makes the outage worse and keeps the user waiting.",
    fails="get_account('A1') -> 503, eight times.",
    passes="get_account('A1') -> 503, 503, then ok; or the agent stops and says so.",
    grade="likely",
    options={"cap": (STORM_CAP, "identical attempts that are still no storm")},
)
AUTH_RETRIED = Rule(
    name="recovery/auth-retried",
    looks_at="A call sent again unchanged after a refusal of access (401, 403, permission denied).",
    why="Rights do not come by asking again; repeated attempts look like an attack and may lock the account.",
    fails="reboot(node='n1') -> 403, then reboot(node='n1') again.",
    passes="The refusal is told or handed over, or a login stands between the two calls.",
)
REFUSED_RETRIED = Rule(
    name="recovery/refused-retried",
    looks_at="A call sent again unchanged after a person or policy refused it, or after a lock or conflict.",
    why="No means no. A lock may go by itself, but only where the message says so or the state was read in between.",
    fails="send_email(...) -> 'blocked by policy', then send_email(...) again.",
    passes="The refusal is told, or the message itself asks to try again later.",
)
ALTERNATING = Rule(
    name="recovery/alternating-loop",
    looks_at="Two or more calls tried in turn, each failing in the same permanent way: A, B, A, B.",
    why="Each call alone looks like a fallback for the other; together they go round in a circle.",
    fails="get_account -> 403, replica_account -> 404, get_account -> 403, replica_account -> 404.",
    passes="get_account -> 403, replica_account -> 404, then the agent says so.",
)
UNRELATED = Rule(
    name="recovery/unrelated-change",
    looks_at="A retry after an error that named an argument: it changed another one, not that, and met the same error.",
    why="Something was changed to look busy; the error said where to look.",
    fails="list(limit=500) -> 400 'limit must be at most 100', then list(limit=500, sort='new') -> the same 400.",
    passes="list(limit=100); or a change elsewhere that got further.",
)
DUPLICATE = Rule(
    name="recovery/duplicate-side-effect",
    looks_at="A write that makes another thing each time, sent again after a timeout without an idempotency key and "
    "without reading the state in between.",
    why="A timeout does not say that nothing happened. The second call may book, pay or send twice.",
    fails="create_order(...) -> 504, then create_order(...) -> ok. Now there may be two orders.",
    passes="list_orders() between the two; the same idempotency_key in both; a write that only sets a value.",
    grade="likely",
)
CLAIMED = Rule(
    name="recovery/success-claimed-after-error",
    looks_at="An answer that tells a thing as done, or a value as read, while the last attempt at it had failed.",
    why="The user believes it and acts on it: the costliest of all reactions.",
    fails="book_room(...) -> 503, answer: 'Your room is booked.'",
    passes="'The booking system is down, so the room is not booked yet. Shall I try again later?'",
    grade="likely",
)
GAVE_UP = Rule(
    name="recovery/gave-up",
    looks_at="A transient error that was neither retried, rerouted, handed over nor answered with a next step.",
    why="One more try would mostly have helped; the user is left with nothing.",
    fails="get_account('A1') -> 503, answer: 'That did not work.'",
    passes="Another try, another tool, a colleague, or 'I can try again in a few minutes.'",
    grade="likely",
)
STOPPED = Rule(
    name="recovery/stopped-after-error",
    looks_at="An error about an argument after which the agent neither corrected the call nor asked.",
    why="The error said what it wanted. Whether the argument was wrong is the arguments layer's to say.",
    fails="search(date='Friday') -> 400 'date must be ISO 8601', answer: 'I could not search.'",
    passes="The call is corrected, or the user is asked for what is missing.",
    grade="hint",
)
NOT_TOLD = Rule(
    name="recovery/error-not-told",
    looks_at="An answer after an unresolved error that says nothing of it.",
    why="Silence lets the user think all went well. Words can mislead a rule, so this is a hint.",
    fails="add_note(...) -> 500, answer: 'Anything else?'",
    passes="The failure is mentioned.",
    grade="hint",
)
UNEXPECTED = Rule(
    name="recovery/unexpected-reaction",
    looks_at="The reaction to an error against what the case expects for that tool and code (`errors` in the case).",
    why="For some errors there is one right reaction, and only the author of the case knows it.",
    fails="The case says {search: {'400': correct}} and the agent asks the user.",
    passes="The agent shows one of the reactions listed: correct, retry, fallback, escalate, ask, report.",
)
