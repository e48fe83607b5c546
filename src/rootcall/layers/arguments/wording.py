"""Arguments against the user's very words: dictated text cut short, two values exchanged, a field erased unasked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from rootcall.case import Case
from rootcall.check import Check, Grade, Rule, emits
from rootcall.config import Config
from rootcall.evidence.dates import instant, sent_days
from rootcall.evidence.provenance import user_texts
from rootcall.evidence.words import key_words, word_set
from rootcall.layers.arguments.common import Place, Sent, sent, shown
from rootcall.lazypattern import lazy
from rootcall.trace import Trace, per_trace

__all__ = ["null_erases", "swapped", "truncated"]

_QUOTED: Final = lazy(
    r"\"([^\"]{12,4000})\"|“([^”]{12,4000})”|„([^“”]{12,4000})[“”]|«([^»]{12,4000})»|「([^」]{8,4000})」|『([^』]{8,4000})』"
)
_OPENING: Final = lazy('["“„«「『]')
# An apostrophe inside a word closes no single quote.
_SINGLE: Final = lazy(r"(?:(?<=[\s:(])|^)'((?:[^'\n]|(?<=\w)'(?=\w)){12,2000})'")
_VERBATIM: Final = lazy(
    r"\b(?:exact(?:ly)?|verbatim|word[- ]for[- ]word|as (?:is|given|written)|literally|wörtlich|genau so|textualmente|literalmente|"
    r"mot (?:à|pour) mot|textuellement)\b|그대로|똑같이|정확히|そのまま|一字一句|原样|原文",
    re.IGNORECASE,
)
_AFTER_COLON: Final = lazy(
    rf"(?:{_VERBATIM.pattern})[^:\n]{{0,40}}[:：]\s*(?![\"“„«「『'])(\S[^\n]{{11,}})", re.IGNORECASE
)
_TEXT_NAMES: Final = word_set(
    "text body message note notes content comment comments description title subject caption summary memo"
)


@emits(
    Rule(
        name="arguments/truncated",
        looks_at='Text arguments against what the user dictated, in quotes or after "exactly:" and the like: the sent text is the '
        "beginning of it, cut short, with or without an ellipsis.",
        why="The user gave the wording; half of it gets printed on the card. A cut inside a word is always a fault, one between "
        "words where the user asked for the exact text or the argument is a free text.",
        fails='user: add the note "Happy birthday Lena, enjoy every cup of tea"; sent "Happy birthday Lena, enjoy every c"',
        passes='sent "Happy birthday Lena, enjoy every cup of tea"',
        grade="likely",
        options={"least": (4, "how many characters must be missing")},
    )
)
def truncated(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge text arguments against the user's quotations before the call."""
    for s in sent(trace):
        texts = [
            p for p in s.places
            if isinstance(p.value, str) and len(p.value) >= 6 and not (p.parameter.identifier or p.parameter.day or p.parameter.schema.get("enum"))
        ]  # fmt: skip
        if not texts:
            continue
        now, earlier = user_texts(s.trace, s.call)
        known = _dictations(trace)
        for text in (*now, *earlier):
            if text not in known:
                known[text] = tuple(_dictated(text))
        dictated = [d for text in (*now, *earlier) for d in known[text]]
        for p in texts if dictated else ():
            found = _cut(s, p, dictated, config.option("arguments/truncated", "least", 4, s.call.tool, p.path))
            if found is not None:
                yield found


@per_trace
def _dictations(trace: Trace) -> dict[str, tuple[tuple[str, bool], ...]]:
    """What each text dictates, as it is asked for: every later call asks for all of them."""
    return {}


def _dictated(text: str) -> Iterator[tuple[str, bool]]:
    """The texts a message dictates, and whether it asks for the exact wording."""
    head = text[:20_000]
    quoted = [*_QUOTED.finditer(head)] if _OPENING.search(head) else []
    quoted += _SINGLE.finditer(head) if "'" in head else ()
    verbatim = bool(quoted) and _VERBATIM.search(text) is not None
    for m in quoted:
        yield next(g for g in m.groups() if g), verbatim
    if ":" in head or "：" in head:
        for m in _AFTER_COLON.finditer(head):
            yield m.group(1).strip(), True


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


def _cut(s: Sent, p: Place, dictated: list[tuple[str, bool]], least: int) -> Check | None:
    value = _plain(p.value)
    bare = re.sub(r"\s*(?:…|\.{3})\Z", "", value)
    ellipsis = bare != value
    if any(value == _plain(full) for full, _ in dictated):
        return s.check("truncated", "pass", f"{p.path} is the dictated text", place=p)
    for full, verbatim in dictated:
        whole = _plain(full)
        if not (whole.startswith(bare) and len(bare) >= 6 and len(whole) - len(bare) >= least):
            continue
        if any(isinstance(q.value, str) and _plain(q.value) == whole for q in s.places):
            return None
        inside_word = whole[len(bare)].isalnum() and bare[-1].isalnum()
        long_text = bool(_TEXT_NAMES & set(p.parameter.tokens)) and 3 * len(bare) >= len(whole)
        if not (inside_word or ellipsis or verbatim or long_text) or (not p.parameter.free_text and not inside_word):
            continue
        grade: Grade = "proof" if verbatim and (inside_word or ellipsis) else "likely"
        message = f"{p.path} stops after {len(bare)} of the {len(whole)} characters the user dictated: {shown(p.value)}"
        return s.check("truncated", "fail", message, place=p, grade=grade, expected=full)
    return None


_PAIRS: Final[tuple[tuple[str, str], ...]] = (
    ("origin", "destination"), ("from", "to"), ("source", "target"), ("source", "destination"), ("departure", "arrival"),
    ("sender", "recipient"), ("sender", "receiver"), ("pickup", "dropoff"), ("start", "end"), ("src", "dst"),
)  # fmt: skip
_ORDERED: Final[tuple[tuple[str, str], ...]] = (
    ("start", "end"), ("begin", "end"), ("from", "to"), ("min", "max"), ("minimum", "maximum"), ("lower", "upper"),
    ("since", "until"), ("checkin", "checkout"), ("in", "out"), ("departure", "return"), ("outbound", "inbound"),
    ("after", "before"), ("earliest", "latest"), ("first", "last"), ("depart", "return"),
)  # fmt: skip
# Without one of these words in the names of the arguments there is no pair.
_BEGINNING: Final = frozenset(first for first, _ in (*_PAIRS, *_ORDERED))
_BOUNDS: Final = frozenset({"min", "minimum", "lower"})
_PLACE: Final = r"([A-ZÀ-Ý][\w.'’-]*(?:[ ](?:[A-ZÀ-Ý][\w.'’-]*|de|la|del|São|San))*|[A-Z]{3})"
_ROUTES: Final = (
    lazy(rf"\b(?:from|From|de|De|desde|von|Von)\s+{_PLACE}\s+(?:to|a|à|hasta|nach|zu)\s+{_PLACE}"),
    lazy(rf"\b{_PLACE}\s+(?:to|nach|→|->)\s+{_PLACE}"),
    lazy(r"([가-힣A-Za-z]{2,12})에서\s*([가-힣A-Za-z]{2,12}?)(?:으로|로|까지|행|에\s)"),
    lazy(r"从\s*([一-鿿A-Za-z]{2,8})\s*[到至去飞]\s*([一-鿿A-Za-z]{2,8})"),
    lazy(r"([一-鿿ァ-ヶーA-Za-z]{2,12})から\s*([一-鿿ァ-ヶーA-Za-z]{2,12})(?:まで|へ|に|行)"),
)
# The destination said first: "to Madrid from Oslo", "nach Rom ab Köln".
_TURNED_ROUTES: Final = (
    lazy(
        rf"\b(?:to|To|nach|Nach|a|A|à|À|hasta|Hasta|para|Para)\s+{_PLACE}\s+(?:from|ab|von|aus|desde|depuis|de)\s+{_PLACE}"
    ),
)
# Any word of a way back in the user's words leaves open which of the two directions a call is for.
_BOTH_WAYS: Final = lazy(
    r"\b(?:return\w*|back|homew\w*|home|round[- ]?trip|both (?:ways|directions)|vice[- ]versa|and from|(?:opposite|other|reverse|inverse) (?:direction|way)|"
    r"(?:other|opposite) way (?:a)?round|inbound|revers\w*|zurück\w*|rück\w*|heim\w*|nach Hause|hin und|umgekehrt\w*|Gegenrichtung|andere\w* Richtung|beide Richtungen|"
    r"ida y vuelta|vuelta|volver|vuelv\w+|de regreso|regres\w+|sentido contrario|a casa|retour\w*|aller-retour|rentr\w+|reven\w+|sens inverse|volta\w*|ritorn\w*)\b|"
    r"왕복|돌아|귀국|귀가|복귀|반대|되돌|오는\s*편|집으로|집에|往復|往返|返程|帰|戻|復路|逆|反対|回程|回来|回家|返回|相反|反方向",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="arguments/swapped",
        looks_at='Pairs of arguments (origin and destination, from and to, start and end, minimum and maximum): against the user\'s "from A to B", '
        "and, for dates and bounds, against each other.",
        why="Both values are valid and in the conversation, so only their order can be wrong. Return journeys are left alone.",
        fails='user: "Austin to Miami"; search(origin="Miami", destination="Austin")',
        passes='search(origin="Austin", destination="Miami")',
        grade="likely",
    )
)
def swapped(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge pairs of top-level arguments."""
    for s in sent(trace):
        if len(s.arguments) < 2:
            continue
        tokens = {name: key_words(name) for name in s.arguments}
        if all(_BEGINNING.isdisjoint(words) for words in tokens.values()):
            continue
        for a, b in _paired(tokens, _PAIRS):
            found = _exchanged(s, a, b)
            if found is not None:
                yield found
        for a, b in _paired(tokens, _ORDERED):
            found = _reversed(s, a, b, bounds=bool(_BOUNDS & set(tokens[a])))
            if found is not None:
                yield found


def _paired(tokens: dict[str, tuple[str, ...]], pairs: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    """Names that are the same but for the two words of a pair (`from_city`, `to_city`)."""
    named = {w for words in tokens.values() for w in words}
    for first, second in pairs:
        if first not in named or second not in named:
            continue
        for a, words in tokens.items():
            if first in words:
                wanted = tuple(second if w == first else w for w in words)
                yield from ((a, b) for b, other in tokens.items() if other == wanted)


def _exchanged(s: Sent, a: str, b: str) -> Check | None:
    x, y = s.arguments[a], s.arguments[b]
    if not (isinstance(x, str) and isinstance(y, str)) or not x.strip() or not y.strip() or x == y:
        return None
    now, earlier = user_texts(s.trace, s.call)
    said = "\n".join(now)
    routes = {m.groups() for pattern in _ROUTES for m in pattern.finditer(said)}
    routes |= {m.groups()[::-1] for pattern in _TURNED_ROUTES for m in pattern.finditer(said)}
    if len({(_plain(o), _plain(d)) for o, d in routes}) == 0 or _BOTH_WAYS.search(said):
        return None
    if any(_is_place(x, origin) and _is_place(y, target) for origin, target in routes):
        return s.check("swapped", "pass", f"{a} and {b} stand as the user said", top=a)
    turned = [(o, d) for o, d in routes if _is_place(x, d) and _is_place(y, o)]
    other = [t for text in earlier for t in (text,) if _BOTH_WAYS.search(t)]
    if len(turned) != 1 or other or _also_straight(s, a, b):
        return None
    origin, target = turned[0]
    message = f"the user said {origin} to {target}; {a} is {shown(x)} and {b} is {shown(y)}"
    return s.check("swapped", "fail", message, top=a, grade="likely", expected=y, got=x)


def _is_place(value: str, said: str) -> bool:
    """`MIA` or `Miami, FL` is Miami: the same beginning, or a three-letter code that begins it."""
    v, t = _plain(value), _plain(said)
    if v == t or t.startswith(v + " ") or v.startswith((t + ",", t + " ")):
        return True
    return len(v) == 3 and value.isupper() and re.sub(r"\W", "", t).startswith(v)


def _also_straight(s: Sent, a: str, b: str) -> bool:
    """The other direction was asked too: this call is the way back."""
    x, y = s.arguments[a], s.arguments[b]
    return any(
        o.call.tool == s.call.tool and o.arguments.get(a) == y and o.arguments.get(b) == x for o in sent(s.trace)
    )


def _reversed(s: Sent, a: str, b: str, *, bounds: bool) -> Check | None:
    x, y = _rank(s.arguments[a], numbers=bounds), _rank(s.arguments[b], numbers=bounds)
    if x is None or y is None or type(x) is not type(y):
        return None
    if x <= y:
        return s.check("swapped", "pass", f"{a} is not beyond {b}", top=a)
    message = f"{a} is {shown(s.arguments[a])}, beyond {b}, which is {shown(s.arguments[b])}"
    return s.check("swapped", "fail", message, top=a, grade="likely", got=s.arguments[a])


def _rank(value: object, *, numbers: bool) -> Any:
    """A value that can be put in order: a moment, a calendar day, or, for bounds, a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if numbers and abs(value) < 1e300 else None
    return instant(value) or (sent_days(value) if isinstance(value, str) and len(value.strip()) <= 10 else None)


_ERASES: Final = lazy(
    r"\bnull\b[^.;]{0,40}?\b(?:clear|eras|remov|delet|unset|reset|empt|blank|wip|overwrit|drop)(?:e?s|e?d|ies|ed|e|y|t?ing)?\b|\b(?:clear|erase|remove|delete|unset|reset|wipe)s?\b"
    r"[^.;]{0,40}?\bnull\b|null[^.;]{0,20}(?:삭제|지우|지운|지워|초기화|비우|비워)|null\s+(?:löscht|leert|entfernt)|null\s+(?:borra|elimina)|null\s+(?:efface|supprime)",
    re.IGNORECASE,
)
_ASKS_TO_ERASE: Final = lazy(
    r"\b(?:clear|erase|remove|delete|unset|reset|blank|empty|wipe|drop|get rid of|no longer|without|strip|take (?:off|out|away)|lösch\w*|entfern\w*|leer\w*|"
    r"borra\w*|elimina\w*|quita\w*|supprim\w*|efface\w*|enlev\w*)\b|지워|삭제|없애|비워|제거|削除|消し|消去|删除|清空|去掉|移除",
    re.IGNORECASE,
)


@emits(
    Rule(
        name="arguments/null-erases",
        looks_at="Explicit null in an optional argument of a tool whose words say that null clears the field, while the user asked for "
        "no such thing in this turn.",
        why="Left out keeps the value, null destroys it, and the schema allows both.",
        fails='update_contact: "null erases"; user: "new phone, keep everything else"; sent {"phone": …, "job_title": null}',
        passes='sent {"phone": …}',
        grade="likely",
    )
)
def null_erases(trace: Trace, case: Case | None, config: Config) -> Iterator[Check]:
    """Judge nulls where the tool says what null does."""
    for s in sent(trace):
        for p in s.places:
            if p.value is not None or not p.parameter.declared or p.parameter.schema.get("default", 0) is None:
                continue
            if not _ERASES.search(p.parameter.words):
                continue
            now, _ = user_texts(s.trace, s.call)
            if not now or any(_ASKS_TO_ERASE.search(text) for text in now):
                message = f"{p.path} is null; whether it was to be erased is not decided"
                yield s.check("null-erases", "unscored", message, place=p, question="argument-meant")
                continue
            message = f"{p.path} is null, which erases it; the user asked for nothing of the kind"
            yield s.check("null-erases", "fail", message, place=p, grade="likely")
