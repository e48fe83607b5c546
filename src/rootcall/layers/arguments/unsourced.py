"""Values that are no identifiers and come from nowhere: dates, amounts, names, and what free text states.

Speaks under `arguments/provenance`, whose identifiers are `rootcall.layers.arguments.sources`'. Only a date of birth is a
finding: it can be told, never chosen. Everything else is a hint, since a model may pick a day or an amount by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootcall.case import Case
from rootcall.check import Check, Grade, emits
from rootcall.config import Config
from rootcall.evidence.dates import clock_times, readings, sent_days
from rootcall.evidence.derivations import finite, number_in
from rootcall.evidence.mention import Mention
from rootcall.evidence.origins import origin
from rootcall.evidence.parameters import Parameter
from rootcall.evidence.provenance import complete_before, upstream, user_texts
from rootcall.evidence.units import unit_of
from rootcall.evidence.values import mentions
from rootcall.evidence.words import word_set
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.trace import Trace

__all__ = ["unsourced"]

_BIRTH: Final = word_set(
    "birth birthday birthdate dob born geburtsdatum geburtstag nacimiento naissance 생년월일 生年月日"
)
_MONEY: Final = word_set(
    "price amount cost fee total budget salary balance payment refund deposit fare rent betrag importe monto 금액"
)
_NAMES: Final = word_set("first last given family full middle surname forename")
_THINKING: Final = word_set("thought thoughts reasoning thinking plan reflection")


# More of them tell nobody more, and each was a long search.
_MOST_HINTS: Final = 20


@emits("arguments/provenance")
def unsourced(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge what is no identifier, where all that stood before is known, tools included; at most twenty hints a trace."""
    if trace.tools_known == "unknown":
        return
    hints = 0
    for s in sent(trace):
        for p in s.places:
            if hints < _MOST_HINTS and not p.parameter.identifier and _judged(p):
                found = _of_text(s, p) if _is_free_text(p.parameter) else _of_value(s, p)
                # Asked last, since few values come so far.
                if found is not None and complete_before(trace, s.call) is None:
                    hints += found.grade == "hint"
                    yield found


def _judged(p: Place) -> bool:
    return _kind(p.parameter, p.value) != "" or (_is_free_text(p.parameter) and isinstance(p.value, str))


def _kind(parameter: Parameter, value: object) -> str:
    """What a value is, in a word for the message; empty for what is not judged here."""
    if parameter.schema.get("enum") or "const" in parameter.schema or parameter.common_code:
        return ""
    tokens = set(parameter.tokens)
    if parameter.day in ("date", "date-time"):
        return ("date of birth" if tokens & _BIRTH else "date") if sent_days(value) is not None else ""
    if finite(value) not in (None, 0.0):
        unit = unit_of(parameter)
        if (unit is not None and unit.dimension.startswith("money")) or tokens & _MONEY:
            return "amount"
    if isinstance(value, str) and "name" in tokens and tokens & _NAMES and re.search(r"[^\W\d_]{2}", value):
        return "name"
    return ""


def _of_value(s: Sent, p: Place) -> Check | None:
    kind = _kind(p.parameter, p.value)
    known = upstream(s.trace)
    # Most values stand there as they are, which is quickly seen.
    if known.has(f"{p.value:g}" if isinstance(p.value, float) else str(p.value), s.call):
        return None
    if kind == "date" and _days_were_spoken_of(s):
        return None
    if origin(s.trace, s.call, p.parameter, p.value).kind != "nowhere":
        return None
    grade: Grade = "likely" if kind == "date of birth" else "hint"
    message = f"{p.path} is {shown(p.value)}, {'an' if kind == 'amount' else 'a'} {kind} that stands nowhere before and follows from nothing there"
    return s.check("provenance", "fail", message, place=p, grade=grade)


def _days_were_spoken_of(s: Sent) -> bool:
    """The user named some day or time of day, and what it may mean other rules say better."""
    now, earlier = user_texts(s.trace, s.call)
    return any(readings(text) or clock_times(text) for text in (*now, *earlier))


def _is_free_text(parameter: Parameter) -> bool:
    return parameter.free_text and not set(parameter.tokens) & _THINKING


_ADDRESS: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def _of_text(s: Sent, p: Place) -> Check | None:
    """Identifiers, addresses and amounts of money that a free text states and nothing upstream does."""
    text = str(p.value)[:4000]
    known = upstream(s.trace)
    nowhere = [a for a in _ADDRESS.findall(text) if not known.has(a, s.call)]
    nowhere += [m.text for m in mentions(text) if _is_code(m) and not known.has(m.text.lstrip("#"), s.call)]
    nowhere += [m.text for m in mentions(text) if _is_money(m) and not _amount_is_known(s, p, m.readings[0])]
    if not nowhere:
        return None
    message = f"{p.path} states {', '.join(map(shown, nowhere[:3]))}, which stands nowhere before"
    return s.check("provenance", "fail", message, place=p, grade="hint")


def _is_code(m: Mention) -> bool:
    return m.kind == "code" and sum(c.isdigit() for c in m.text) >= 3


def _is_money(m: Mention) -> bool:
    return m.kind == "number" and m.unit is not None and m.unit.dimension.startswith("money") and not m.word


def _amount_is_known(s: Sent, p: Place, value: float) -> bool:
    texts = [m.text for m in s.trace.messages if m.text and m.index < s.call.message and m.role in ("user", "system")]
    if any(number_in(text, value) is not None for text in texts):
        return True
    plain = Parameter(name="amount", path=p.path)
    return origin(s.trace, s.call, plain, int(value) if value.is_integer() else value).kind != "nowhere"
