"""Pairs of arguments exchanged, where something names each of the two: the user's labels, a result, a span, the globe.

Adds evidence to `arguments/swapped`, whose routes and orders are `rootcall.layers.arguments.wording`'s.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Grade, emits
from rootcall.config import Config
from rootcall.evidence.derivations import finite
from rootcall.evidence.provenance import user_texts
from rootcall.evidence.words import key_words
from rootcall.layers.arguments.common import Sent, sent, shown
from rootcall.trace import Trace

__all__ = ["swapped_labels"]

# The two words of a pair in the names of arguments, and how people call each of the two.
_LABELLED: Final[tuple[tuple[frozenset[str], frozenset[str], str, str], ...]] = (
    (
        frozenset({"lat", "latitude"}), frozenset({"lon", "lng", "long", "longitude"}),
        r"lat(?:itude|itud)?\b\.?|Breite(?:ngrad)?\b|위도|緯度|纬度", r"(?:lon(?:gitude|gitud)?|lng|long)\b\.?|Länge(?:ngrad)?\b|경도|経度|经度",
    ),
    (
        frozenset({"first", "given"}), frozenset({"last", "family", "surname"}),
        r"(?:first|given|fore)[- ]?names?\b|Vornamen?\b|nombre(?: de pila)?\b|prénom\b|이름", r"(?:last|sur|family)[- ]?names?\b|Nachnamen?\b|Familienname\b|apellidos?\b|nom de famille\b|성씨|姓",
    ),
    (
        frozenset({"sender", "from"}), frozenset({"recipient", "receiver", "to"}),
        r"sender\b|Absender(?:in)?\b|remitente\b|expéditeur\b|보내는 사람|发件人|送り主", r"recipient\b|receiver\b|Empfänger(?:in)?\b|destinatario\b|destinataire\b|받는 사람|收件人|受取人",
    ),
    (
        frozenset({"width"}), frozenset({"height"}),
        r"width\b|wide\b|breit\b|Breite\b|ancho\b|largeur\b|너비|가로|幅|宽", r"height\b|high\b|tall\b|hoch\b|Höhe\b|alto\b|hauteur\b|높이|세로|高さ|高",
    ),
)  # fmt: skip
_SPANS: Final[tuple[tuple[str, str], ...]] = (
    ("start", "end"), ("from", "to"), ("begin", "end"), ("since", "until"), ("departure", "arrival"), ("opens", "closes"),
)  # fmt: skip
# Without one of these words in the names of the arguments there is no pair.
_BEGINNING: Final = frozenset({first for first, _ in _SPANS}).union(*(first for first, *_ in _LABELLED))
_TO: Final = r"\s*(?:to|until|till|through|and|bis|und|a|hasta|y|à|et|부터|에서|から|[-–—~至到])\s*(?:the\s+|las\s+)?"


@emits("arguments/swapped")
def swapped_labels(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge pairs of top-level arguments whose two values something upstream names."""
    for s in sent(trace):
        if len(s.arguments) < 2:
            continue
        named = {name: frozenset(key_words(name)) for name in s.arguments}
        if all(_BEGINNING.isdisjoint(words) for words in named.values()):
            continue
        for first, second, one, two in _LABELLED:
            for a, b in _named_pairs(named, first, second):
                found = _turned(s, a, b, one, two, coordinates="latitude" in first)
                if found is not None:
                    yield found
        for first_word, second_word in _SPANS:
            for a, b in _named_pairs(named, frozenset({first_word}), frozenset({second_word})):
                found = _turned_span(s, a, b)
                if found is not None:
                    yield found


def _named_pairs(
    named: dict[str, frozenset[str]], first: frozenset[str], second: frozenset[str]
) -> Iterator[tuple[str, str]]:
    for a, words in named.items():
        if words & first:
            yield from ((a, b) for b, other in named.items() if other & second and words - first == other - second)


def _turned(s: Sent, a: str, b: str, one: str, two: str, *, coordinates: bool) -> Check | None:
    x, y = s.arguments[a], s.arguments[b]
    if x == y or not all(
        isinstance(v, str | int | float) and not isinstance(v, bool) and str(v).strip() for v in (x, y)
    ):
        return None
    number_x, number_y = finite(x), finite(y)
    if coordinates and number_x is not None and number_y is not None and abs(number_y) <= 90 < abs(number_x) <= 180:
        return _failing(s, a, b, f"{a} is {shown(x)}, beyond 90 degrees, and {b} is {shown(y)}", "proof")
    now, earlier = user_texts(s.trace, s.call)
    for text in (*reversed(now), *reversed(earlier)):
        if _says(text, one, x) or _says(text, two, y) or _lists_them(text, one, two, x, y):
            return None
        # The label may belong to another person or place; both together leave no doubt, one does where the other has none.
        if _lists_them(text, one, two, y, x) or (
            (_says(text, one, y) or _says(text, two, x))
            and not (len(_labelled(text, one)) > 1 or len(_labelled(text, two)) > 1)
        ):
            return _failing(
                s, a, b, f"the user named them the other way round; {a} is {shown(x)} and {b} is {shown(y)}"
            )
    place = _in_a_result(s, a, b, x, y)
    if place is not None:
        return _failing(s, a, b, f"{place} has them the other way round; {a} is {shown(x)} and {b} is {shown(y)}")
    return None


def _failing(s: Sent, a: str, b: str, message: str, grade: Grade = "likely") -> Check:
    return s.check("swapped", "fail", message, top=a, grade=grade, expected=s.arguments[b], got=s.arguments[a])


_BETWEEN: Final = r"[\s:=\"'(]{0,3}(?:(?:is|ist|es|est|of|von|de|은|는|이|가)\s+)?[\"']?"
_NUMBER: Final = re.compile(r"-?\d{1,12}(?:[.,]\d{1,12})?(?![.,]?\d)")
_TWO: Final = rf"(?P<a>{_NUMBER.pattern})[\s,;/]{{1,3}}(?P<b>{_NUMBER.pattern})"


@functools.lru_cache(maxsize=1024)
def _labelled(text: str, label: str) -> tuple[str, ...]:
    """What follows a label wherever it stands in a text: "first name Tamara", "위도 37.5", "latitude: 48.1"."""
    return tuple(text[m.end() : m.end() + 80] for m in re.finditer(rf"(?:{label}){_BETWEEN}", text, re.IGNORECASE))


@functools.lru_cache(maxsize=1024)
def _listed(text: str, one: str, two: str) -> tuple[tuple[float, float], ...]:
    """Two numbers with the two labels beside them in the same order: "48.1, 11.5 (latitude, longitude)"."""
    labels = rf"(?:{one})[\s,;/]{{0,3}}(?:(?:and|und|y|et)\s)?(?:{two})"
    patterns = rf"{_TWO}[\s(\[]{{0,3}}{labels}", rf"{labels}[\s)\]:=]{{0,4}}{_TWO}"
    found = (m for pattern in patterns for m in re.finditer(pattern, text, re.IGNORECASE))
    return tuple((_decimal(m["a"]), _decimal(m["b"])) for m in found)


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


def _says(text: str, label: str, value: Any) -> bool:
    """The text gives a value under a label."""
    return any(_begins(following, value) for following in _labelled(text, label))


def _begins(following: str, value: Any) -> bool:
    number = finite(value)
    if number is not None:
        m = _NUMBER.match(following)
        return m is not None and math.isclose(_decimal(m.group()), number, rel_tol=1e-9)
    wanted = str(value).strip().casefold()
    rest = following[len(wanted) :]
    # A letter of another script may follow: 01:00부터.
    return following.casefold().startswith(wanted) and not re.match(r"[A-Za-z0-9_]", rest)


def _lists_them(text: str, one: str, two: str, first: Any, second: Any) -> bool:
    x, y = finite(first), finite(second)
    if x is None or y is None:
        return False
    pairs = _listed(text, one, two)
    return any(math.isclose(a, x, rel_tol=1e-9) and math.isclose(b, y, rel_tol=1e-9) for a, b in pairs)


_LATEST: Final = 50


def _index(s: Sent) -> int:
    """How many calls stand before the step of a call."""
    return bisect.bisect_left(s.trace.calls, s.call.step, key=lambda c: c.step)


def _in_a_result(s: Sent, a: str, b: str, x: Any, y: Any) -> str | None:
    """The latest result with a record that has both fields, when it has the two values exchanged."""
    words_a, words_b = key_words(a), key_words(b)
    # The latest results say enough; of thousands every call would otherwise ask all.
    before = (c for c in reversed(s.trace.calls[: _index(s)]) if c.step < s.call.step and c.result is not None)
    for call in itertools.islice(before, _LATEST):
        payload = call.result.payload if call.result is not None else None
        stack, seen = [payload], 0
        while stack and seen < 2000:
            v = stack.pop()
            seen += 1
            if isinstance(v, dict):
                keys = {key_words(str(k)): k for k in v}
                if words_a in keys and words_b in keys:
                    held = v[keys[words_a]], v[keys[words_b]]
                    if held == (x, y):
                        return None
                    if held == (y, x):
                        return f"the result of {call.tool}"
                stack.extend(i for i in v.values() if isinstance(i, dict | list))
            elif isinstance(v, list):
                stack.extend(i for i in v if isinstance(i, dict | list))
    return None


def _turned_span(s: Sent, a: str, b: str) -> Check | None:
    """Both values stand in the user's words, once each, as a span from the second to the first."""
    x, y = s.arguments[a], s.arguments[b]
    if x == y or not (isinstance(x, str) and isinstance(y, str)) or not (2 <= len(x) <= 40 and 2 <= len(y) <= 40):
        return None
    now, _ = user_texts(s.trace, s.call)
    said = "\n".join(now)
    if x not in said or y not in said:
        return None
    # A letter of another script may follow: 01:00부터.
    one, two = (rf"(?<![A-Za-z0-9_]){re.escape(v)}(?![A-Za-z0-9_])" for v in (x, y))
    if len(re.findall(one, said)) != 1 or len(re.findall(two, said)) != 1:
        return None
    if re.search(rf"{two}{_TO}{one}", said, re.IGNORECASE) is None:
        return None
    if any(o.call.tool == s.call.tool and (o.arguments.get(a), o.arguments.get(b)) == (y, x) for o in sent(s.trace)):
        return None
    return _failing(s, a, b, f"the user said {y} to {x}; {a} is {shown(x)} and {b} is {shown(y)}")
