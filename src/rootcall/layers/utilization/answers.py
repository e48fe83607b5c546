"""The answers of a trace, each with what could be known when it was given.

An `Answer` is one assistant text that follows a tool call, with its sentences, its values, the facts of all results
before it (those of its own turn first), the holes of those results (nulls, empty lists, dropped parts), and the text
that stood upstream. Built once per trace; the rules of this package read it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

from rootcall.evidence.facts import TRANSPORT, Fact, payload_of, trace_facts
from rootcall.evidence.intents import call_keys
from rootcall.evidence.mention import Mention
from rootcall.evidence.units import Unit, unit_of_key
from rootcall.evidence.values import mentions
from rootcall.evidence.words import key_words
from rootcall.jsonvalue import MISSING, join_path, walk
from rootcall.lazypattern import lazy
from rootcall.trace import Call, Message, Trace, per_trace

__all__ = ["LIMIT", "MOST_VALUES", "Answer", "Hole", "Sentence", "answers", "is_hollow", "word_set"]


class Hole(msgspec.Struct, frozen=True, gc=False):
    """A place where a payload says that it has nothing: null, an empty list or object, a part left out for size."""

    call: Call
    path: str
    words: tuple[str, ...]
    unit: Unit | None
    empty_list: bool = False


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of an answer at `[start, end)`; `question` when it ends in a question mark."""

    text: str
    start: int
    end: int
    question: bool


class Upstream:
    """Everything that was said or returned before an answer, in lower case; shared by the answers of a trace."""

    __slots__ = ("_length", "_parts")

    def __init__(self, parts: list[str], length: int) -> None:
        self._parts, self._length = parts, length

    def holds(self, text: str) -> bool:
        """Whether a lower-case text stands somewhere upstream."""
        return any(text in part for part in self._parts[: self._length])

    def matches(self, pattern: str) -> bool:
        """Whether a pattern is found somewhere upstream."""
        return any(re.search(pattern, part) is not None for part in self._parts[: self._length])


# What is judged of one answer: an answer of book length would take minutes, and nobody reads its checks.
LIMIT: Final = 20_000
MOST_VALUES: Final = 400
# How many calls back an answer is compared with results: thousands of answers times thousands of results are millions.
MOST_CALLS: Final = 300


class Answer(msgspec.Struct, frozen=True):
    """One assistant text after at least one call, and what could be known then.

    `turn_calls` are the calls of its turn before it, `calls` all calls before it. `facts` are those of its own turn,
    `older` those of earlier turns; superseded repeats of the same call are among `older`. `upstream` is everything that
    was said or returned before. `captured` is False where a part of the conversation was left out, `complete` also where
    a result was, so that "stands nowhere" cannot be said. An answer is read to its `LIMIT`th character and judged on its
    first `MOST_VALUES` values; `more` tells whether that left anything out. `older` goes back `MOST_CALLS` calls; where
    there were more, `cut` is True as for a result that was cut, and nothing is said to stand nowhere.
    """

    message: Message
    question: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]
    calls: tuple[Call, ...]
    turn_calls: tuple[Call, ...]
    facts: tuple[Fact, ...]
    older: tuple[Fact, ...]
    holes: tuple[Hole, ...]
    said: tuple[Mention, ...]
    told: tuple[Mention, ...]
    upstream: Upstream
    captured: bool
    complete: bool
    cut: bool
    more: bool = False

    @property
    def text(self) -> str:
        """The text of the answer, as far as it is judged."""
        return (self.message.text or "")[:LIMIT]

    def sentence_of(self, start: int) -> Sentence:
        """The sentence that holds a place of the text."""
        return next((s for s in self.sentences if s.start <= start < s.end), self.sentences[-1])

    @property
    def unresolved(self) -> bool:
        """Whether the turn's last call failed: what is said then belongs to recovery."""
        return bool(self.turn_calls) and self.turn_calls[-1].outcome in ("error", "refused")


_SENTENCE_END: Final = lazy(
    r"(?<=[.!?。！？])(?<!\b[A-Z]\.)(?<!\d\.)\s+|(?<=\d\.)\s+(?=[A-Z가-힣])|(?<=[。！？])|\n+|;\s"
)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut a text into sentences; line breaks and semicolons end one too."""
    out, start = [], 0
    for m in [*_SENTENCE_END.finditer(text), None]:
        end = m.start() if m is not None else len(text)
        part = text[start:end]
        if part.strip():
            out.append(Sentence(part, start, end, part.rstrip().endswith(("?", "？"))))
        start = m.end() if m is not None else end
    return tuple(out) or (Sentence(text, 0, len(text), False),)


@per_trace
def answers(trace: Trace) -> tuple[Answer, ...]:
    """Return the assistant texts that follow a call, in order. A trace without calls has none."""
    later = itertools.dropwhile(lambda m: not m.calls, trace.messages)
    next(later, None)
    if not any(m.role == "assistant" and m.text for m in later):
        return ()  # where nothing is told, nothing needs reading
    return tuple(_answers(trace))


def _answers(trace: Trace) -> Iterator[Answer]:
    facts, keys = trace_facts(trace), call_keys(trace)
    said: list[Mention] = [m for t in trace.tools for m in mentions(t.description[:2000])]
    told: list[Mention] = []
    raw: list[str] = [f"{t.name} {t.description}".lower() for t in trace.tools]
    captured = trace.completeness.history == "full"
    calls: list[Call] = []
    question = ""
    for m in trace.messages:
        if m.role in ("user", "system"):
            captured = captured and m.text is not None
            text = m.text or ""
            said += mentions(text)
            raw.append(text.lower())
            question = text[:LIMIT] if m.role == "user" else question
        elif m.role == "tool":
            raw.append((m.text or "").lower())
        elif m.role == "assistant":
            # What a message says of the calls it makes itself is no claim about a result.
            own = [x for c in m.calls for x in _argument_mentions(c)]
            if m.text and calls:
                yield _answer(m, question, calls, facts, [*said, *own], told, Upstream(raw, len(raw)), captured, keys)
            if m.text:
                told += mentions(m.text)
            for c in m.calls:
                raw.append((c.raw or "").lower())
                raw += [str(v).lower() for _, v in walk(c.arguments)] if c.arguments else []
            said += own
            calls += m.calls


def _argument_mentions(call: Call) -> list[Mention]:
    if call.arguments is None:
        return []
    found: list[Mention] = []
    for path, value in walk(call.arguments):
        if isinstance(value, str):
            found += mentions(value[:2000])
        elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            unit = unit_of_key(path.rpartition(".")[2])
            if unit is not None and unit.dimension == "money:?":
                found.append(Mention("number", str(value), 0, 0, (value / 100,)))
            found.append(Mention("number", str(value), 0, 0, (float(value),), unit))
    return found


def _answer(
    m: Message, question: str, calls: Sequence[Call], facts: Mapping[str, tuple[Fact, ...]], said: Sequence[Mention], told: Sequence[Mention],
    upstream: Upstream, captured: bool, keys: Mapping[str, str],
) -> Answer:  # fmt: skip
    turn = [c for c in calls if c.turn == m.turn]
    last = {keys[c.at]: c for c in turn}
    current = [c for c in turn if last[keys[c.at]] is c]
    now = {c.at for c in current}
    text = (m.text or "")[:LIMIT]
    found = mentions(text)
    return Answer(
        message=m,
        question=question,
        sentences=sentences(text),
        mentions=found[:MOST_VALUES],
        calls=tuple(calls),
        turn_calls=tuple(turn),
        facts=tuple(f for c in reversed(current) for f in facts.get(c.at, ())),
        older=tuple(f for c in reversed(calls[-MOST_CALLS:]) if c.at not in now for f in facts.get(c.at, ())),
        holes=tuple(h for c in current for h in _holes(c)),
        said=tuple(said),
        told=tuple(told),
        upstream=upstream,
        captured=captured,
        complete=captured and all(c.result is None or c.result.text is not None for c in calls),
        cut=len(calls) > MOST_CALLS or any(c.result is not None and c.result.truncated for c in calls),
        more=len(m.text or "") > LIMIT or len(found) > MOST_VALUES,
    )


_DROPPED: Final = lazy(
    r"\s*[<\[(].{0,60}\b(?:omitted|dropped|truncated|too large|size limit|not available|redacted|cut)\b.{0,60}[>\])]\s*\Z",
    re.IGNORECASE,
)


_FULL: Final = (int, float)  # true and false are integers too


def _holes(call: Call) -> Iterator[Hole]:
    payload = payload_of(call)
    if payload is MISSING:
        return
    stack: list[tuple[str, tuple[str, ...], object]] = [("", (), payload)]
    while stack:
        path, words, value = stack.pop()
        empty = value is None or (isinstance(value, dict | list) and len(value) == 0)
        dropped = isinstance(value, str) and (not value.strip() or _DROPPED.match(value) is not None)
        if empty or dropped:
            yield Hole(call, path, words, unit_of_key(words[0]) if words else None, isinstance(value, list))
        elif isinstance(value, dict):
            stack += [
                (join_path(path, str(k)), (str(k), *words), v)
                for k, v in value.items()
                if not isinstance(v, _FULL) and str(k).lower() not in TRANSPORT
            ]
        elif isinstance(value, list):
            stack += [(join_path(path, i), words, v) for i, v in enumerate(value) if not isinstance(v, _FULL)]


def is_hollow(call: Call) -> bool:
    """Tell whether a result says that nothing was found: an empty list and no full one, or hardly anything but nulls.

    Transport fields and what merely repeats the call do not count. A payload without any hole is not hollow, however
    little it says; neither is an empty text, which tools return that only take notes.
    """
    payload = payload_of(call)
    if payload is MISSING or isinstance(payload, str):
        return False
    if payload in ({}, []):
        return True
    empty_list, full_list = _lists(payload)
    if full_list or not any(True for _ in _holes(call)):
        return False
    echoed = {str(v).lower() for _, v in walk(call.arguments)} if call.arguments else set()
    return empty_list or sum(1 for _ in _informative(payload, echoed)) <= 1


def _lists(payload: object) -> tuple[bool, bool]:
    """Whether a payload has an empty list, and whether it has one with members, transport fields apart."""
    empty = full = False
    stack = [payload]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += [v for k, v in value.items() if str(k).lower() not in TRANSPORT]
        elif isinstance(value, list):
            empty, full = (
                empty or not value,
                full or any(not isinstance(v, dict) or any(x is not None for x in v.values()) for v in value),
            )
            stack += value
    return empty, full


def _informative(payload: object, echoed: set[str]) -> Iterator[str]:
    stack: list[tuple[str, object]] = [("", payload)]
    while stack:
        key, value = stack.pop()
        if isinstance(value, dict):
            stack += [(str(k), v) for k, v in value.items() if str(k).lower() not in TRANSPORT]
        elif isinstance(value, list):
            stack += [(key, v) for v in value]
        elif _tells(key, value, echoed):
            yield key


def _tells(key: str, value: Any, echoed: set[str]) -> bool:
    """Counts of zero, false flags, names and what was asked for do not tell that something was found."""
    if (
        value is None
        or value is False
        or value == 0
        or (isinstance(value, str) and (not value.strip() or _DROPPED.match(value)))
    ):
        return False
    words = set(key_words(key))
    if words & {
        "id",
        "name",
        "currency",
        "unit",
        "units",
        "type",
        "kind",
        "code",
        "locator",
        "key",
        "tags",
        "points",
        "owner",
        "score",
    }:
        return False
    return str(value).lower() not in echoed and not (isinstance(value, str) and len(value) < 3)


_WORD: Final = lazy(r"[^\W_]+", re.UNICODE)
_FAMILIES: Final[Mapping[str, str]] = {
    word: family
    for family, words in {
        "price": "price prices priced cost costs costing fare fares worth charge charged paid pays rate preis kostet kosten precio cuesta prix coûte 가격 요금 값",
        "depart": "depart departs departing departure leave leaves leaving abflug salida départ 출발",
        "arrive": "arrive arrives arriving arrival lands landing ankunft llegada arrivée 도착",
        "start": "start starts starting begin begins beginning beginn inicio début 시작",
        "end": "end ends ending finish finishes ende fin 종료",
        "temperature": "temp temperature temperatures warm warmth temperatur temperatura température 기온 온도",
        "high": "high highs maximum max höchst máxima maximale 최고",
        "low": "low lows minimum min tiefst mínima minimale 최저",
        "quantity": "qty quantity menge cantidad quantité 수량",
        "duration": "duration lasts lasting long length dauer duración durée 기간",
        "revenue": "arr revenue revenues turnover umsatz ingresos 매출",
        "humidity": "humidity humid feuchtigkeit humedad humidité 습도",
        "size": "size large takes größe tamaño taille 크기",
        "total": "total totals sum overall gesamt summe insgesamt somme 합계 총",
        "seat": "seat seats sitz asiento siège 좌석",
        "stock": "stock units left available lager 재고 남",
        "count": "count number anzahl número nombre 개수",
        "delivery": "deliver delivery delivered arrives lieferung entrega livraison 배송",
        "weight": "weight weighs heavy gewicht peso poids 무게",
        "rain": "rain rainfall raining precipitation regen lluvia pluie 비 강수",
        "age": "age old alter edad âge 나이",
    }.items()
    for word in words.split()
}  # fmt: skip


def word_set(text: str | Iterable[str]) -> set[str]:
    """The words of a text, or of a field's name, reduced so that variants of one word meet: families, then stems."""
    words = _WORD.findall(text.lower()) if isinstance(text, str) else [w.lower() for w in text]
    return {stem(w) for w in words}


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without its commonest endings: `refundable` → `refund`, `departures` → `depart`."""
    family = _FAMILIES.get(word)
    if family is not None:
        return family
    for ending in (
        "ations",
        "ation",
        "ments",
        "ment",
        "ables",
        "able",
        "ings",
        "ing",
        "als",
        "al",
        "ies",
        "es",
        "ed",
        "s",
        "y",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: len(word) - len(ending)]
    return word
