"""Values an answer may derive from facts: sums, differences, averages, products, percentages, counts.

A derived value needs words that announce it (total, difference, average, per cent), in its sentence or in the user's
question. "Stands somewhere among all combinations" would ground almost anything, so each kind of word opens only its
own kind of arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from rootcall.evidence.facts import Fact
from rootcall.evidence.mention import Mention
from rootcall.evidence.values import mentions
from rootcall.layers.utilization.answers import Answer
from rootcall.layers.utilization.binding import agrees, reach, record_id, value_in_unit
from rootcall.lazypattern import lazy

__all__ = ["announced", "derivable", "derives"]

_KINDS: Final = {
    "sum": lazy(
        r"\btotal|\bsum\b|altogether|together|\bin all\b|combined|overall|add(?:s|ed)? up|\bcomes? to|amounts? to|\bplus\b|\bwith\b.*\bshipping|\bboth\b"
        r"|\ball\b|including|incl\.|insgesamt|zusammen|summe|gesamt|macht|합계|총|모두|합치|다 해서|더하|suma|en conjunto|au total|ensemble|somme|合計|合わせ|总|一共|共",
        re.IGNORECASE,
    ),
    "difference": lazy(
        r"differ|swing|\bgap\b|\bspread|\brange|\bless\b|\bmore\b|cheaper|dearer|pricier|expensive|higher|lower|faster|slower|longer|shorter|warmer|colder|cooler|hotter|heavier|lighter|older|younger|bigger|smaller|larger|taller|wider|earlier|later|above|below|ahead|behind"
        r"|\bover\b|\bunder\b|\bsav(?:e|es|ing|ings)\b|\bleft\b|remain|increase|decrease|growth|grew|\brose|\bfell|drop|\bup\b|\bdown\b|minus|change|between|compared|\bthan\b|refund|credit|\bow(?:e|es|ed)\b|\bdue\b|charged?|balance|discount"
        r"|differenz|unterschied|günstiger|teurer|wärmer|kälter|größer|kleiner|höher|niedriger|länger|kürzer|schneller|langsamer|älter|jünger|schwerer|leichter|mehr|weniger|übrig|차이|보다|더|남|싸|비싸|diferencia|menos|más|barat|différence|moins|plus|差|より|差额|便宜",
        re.IGNORECASE,
    ),
    "mean": lazy(r"average|\bmean\b|median|\bavg\b|typical|durchschnitt|im mittel|평균|promedio|media\b|moyenne|平均", re.IGNORECASE),
    "product": lazy(
        r"\bfor (?:all|both|everyone|\w+ (?:of (?:us|you|them)|people|persons?|guests?|nights?|days?|passengers?|travell?ers|adults|tickets|pieces))|\beach\b|\bper\b|\btimes\b|twice|double|triple|half|apiece|\bpeople\b|persons?\b|nights?\b|together"
        r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+) of\b|\btotal|comes? to|\bin all\b|x\s?\d|×|jeweils|pro\b|je\b|mal\b|hälfte|명|박|개|씩|배|절반|cada|por\b|chaque|par\b|人|泊",
        re.IGNORECASE,
    ),
    "percent": lazy(
        r"(?:%|per ?cent|prozent)\s+(?:of|von|des|der|del|de)\b|\bshare|portion|\bratio|increas|decreas|\brose|\bris(?:e|en)\b|\bfell|\bdrop|grew"
        r"|growth|chang|higher|lower|cheaper|\bmore\b|\bless\b|\bup\b|\bdown\b|discount|anteil|gestiegen|gesunken|mehr|weniger|비율|증가|감소|올랐|내렸"
        r"|\bmás\b|menos|\bplus\b|moins|割|占",
        re.IGNORECASE,
    ),
}  # fmt: skip
_MAX_BASIS: Final = 160
_MAX_SUBSET: Final = 9


def announced(answer: Answer, mention: Mention, text: str | None = None) -> frozenset[str]:
    """Return which kinds of arithmetic the words around a claim announce: its sentence and the question, or a text."""
    if text is None:
        kinds = _announced(answer.sentence_of(mention.start).text) | _announced(answer.question)
    else:
        kinds = _announced(text)
    return kinds if mention.percent else kinds - {"percent"}


@lru_cache(maxsize=4096)
def _announced(text: str) -> frozenset[str]:
    return frozenset(kind for kind, words in _KINDS.items() if words.search(text))


def derives(answer: Answer, mention: Mention) -> str | None:
    """Return how a claim follows from facts by announced arithmetic (`sum of 2 values` …), or None."""
    if mention.kind != "number":
        return None
    return _first(mention, _candidates(answer, mention, announced(answer, mention)))


def derivable(answer: Answer, mention: Mention) -> str | None:
    """Return how a claim would follow if any arithmetic were announced: enough to doubt a fault, not to ground a claim."""
    every = frozenset(("sum", "difference", "mean"))
    if mention.percent:
        shares = (v for f in (*answer.facts, *answer.older) for v, u in f.values if u == mention.unit)
        if any(agrees(mention, 100 - v) for v in shares):
            return "what is left of 100 %"
        every |= {"percent"}
    return _first(mention, _candidates(answer, mention, every))


def _first(mention: Mention, candidates: Iterator[tuple[str, float]]) -> str | None:
    low, high = reach(mention)
    return next((how for how, value in candidates if low <= value <= high and agrees(mention, value)), None)


def _candidates(answer: Answer, mention: Mention, kinds: frozenset[str]) -> Iterator[tuple[str, float]]:
    if not kinds:
        return
    groups = list(_groups(answer, mention))
    stated = _stated(answer, mention)
    basis = _basis(answer, mention, stated)
    if "sum" in kinds:
        yield from _sums(groups, stated, basis)
        yield from _bills(answer, mention)
    if "mean" in kinds:
        for values in (*groups, stated):
            if len(values) > 1:
                yield "mean", sum(values) / len(values)
                ordered = sorted(values)
                middle = len(ordered) // 2
                yield "median", ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    if "difference" in kinds:
        for a, b in combinations(basis, 2):
            yield "difference", abs(a - b)
            yield "difference", -abs(a - b)
    if "product" in kinds or "sum" in kinds:
        yield from _products(answer, mention, basis)
    if "percent" in kinds:
        yield from _percentages(answer)


def _in_unit(facts: Iterable[Fact], mention: Mention) -> Iterator[tuple[Fact, float]]:
    for f in facts:
        if f.transport or f.count:
            continue
        for value, unit in f.values:
            converted = value_in_unit(value, unit, mention)
            if converted is not None:
                yield f, converted
                break


def _groups(answer: Answer, mention: Mention) -> Iterator[list[float]]:
    """Values that belong together: one field over sibling records, one field over parallel calls, fields of one record."""
    by_field: dict[str, list[float]] = {}
    by_list: dict[tuple[str, str], list[float]] = {}
    by_record: dict[str, list[float]] = {}
    for f, value in _in_unit((*answer.facts, *answer.older), mention):
        by_field.setdefault(f"{f.call.tool}#{f.field}", []).append(value)
        by_list.setdefault((f.call.at, f.field), []).append(value)
        by_record.setdefault(record_id(f.record), []).append(value)
    yield from by_list.values()
    yield from by_field.values()
    yield from (v for v in by_record.values() if len(v) <= 12)


def _stated(answer: Answer, mention: Mention) -> list[float]:
    """Values of the same quantity that this answer and the ones before it state: a sum is a sum of what was said."""
    out: list[float] = []
    for m in (*answer.mentions, *answer.told[-40:]):
        if m is mention or m.kind != "number" or not m.readings or m.word:
            continue
        if (m.unit is None) == (mention.unit is None):
            value = value_in_unit(m.readings[0], m.unit, mention)
            if value is not None and value not in out:
                out.append(value)
    return out


def _basis(answer: Answer, mention: Mention, stated: Sequence[float]) -> list[float]:
    values = [
        *stated,
        *(v for _, v in _in_unit(answer.facts, mention)),
        *(v for _, v in _in_unit(answer.older, mention)),
    ]
    for m in answer.said[-200:]:
        if m.kind == "number" and m.readings and (m.unit is None) == (mention.unit is None):
            value = value_in_unit(m.readings[0], m.unit, mention)
            if value is not None:
                values.append(value)
    return list(dict.fromkeys(values))[:_MAX_BASIS]


def _sums(
    groups: Sequence[list[float]], stated: Sequence[float], basis: Sequence[float]
) -> Iterator[tuple[str, float]]:
    for values in groups:
        if len(values) > 1:
            yield f"sum of {len(values)} values", sum(values)
        if 2 < len(values) <= _MAX_SUBSET:
            yield from ((f"sum of {n} values", sum(c)) for n in range(2, len(values)) for c in combinations(values, n))
    chosen = list(stated)[:_MAX_SUBSET]
    for n in (2, 3, 4):  # "292.25, shipping 5.95, less a discount of 15.00"
        yield from ((f"sum of {n} values, one taken off", sum(c) - 2 * x) for c in combinations(chosen, n) for x in c)
    yield from ((f"sum of {n} values", sum(c)) for n in range(2, len(chosen) + 1) for c in combinations(chosen, n))
    yield from (("sum of 2 values", a + b) for a, b in combinations(basis, 2))
    for values in groups:
        if len(values) > 1:
            yield from (("sum and one more", sum(values) + extra) for extra in basis[:30])


def _bills(answer: Answer, mention: Mention) -> Iterator[tuple[str, float]]:
    """The sum of price times quantity over the members of a list, alone and with what is added or taken off beside it."""
    lists: dict[tuple[str, str], dict[str, list[float]]] = {}
    beside: list[float] = []
    for f, value in _in_unit((*answer.facts, *answer.older), mention):
        path = f.record.path
        if set(f.words[:1]) & _QUANTITY:
            continue
        if path.endswith("]"):
            lists.setdefault((f.call.at, path.rpartition("[")[0]), {}).setdefault(path, [1.0]).append(value)
        else:
            beside.append(value)
    for f in (*answer.facts, *answer.older):
        rows = lists.get((f.call.at, f.record.path.rpartition("[")[0]), {})
        if f.record.path in rows and set(f.words[:1]) & _QUANTITY and f.values:
            rows[f.record.path][0] = f.values[0][0]
    for rows in lists.values():
        # One price a member: of several it is open which is multiplied.
        if len(rows) > 1 and all(len(row) == 2 for row in rows.values()):
            yield from _with_extras(
                f"sum of {len(rows)} products", sum(n * price for n, price in rows.values()), beside
            )


def _with_extras(how: str, total: float, beside: Sequence[float]) -> Iterator[tuple[str, float]]:
    yield how, total
    others = beside[:_MAX_SUBSET]
    yield from ((f"{how} and one more", total + sign * x) for x in others for sign in (1, -1))
    for a, b in combinations(others, 2):
        yield from ((f"{how} and two more", total + p * a + q * b) for p in (1, -1) for q in (1, -1))


_PER: Final = lazy(
    r"\beach\b|\bper\b|\bhalf\b|apiece|split|jeweils|\bpro\b|hälfte|절반|씩|cada|\bpor\b|chaque|\bpar\b", re.IGNORECASE
)
_QUANTITY: Final = frozenset(
    {
        "qty",
        "quantity",
        "count",
        "nights",
        "people",
        "passengers",
        "guests",
        "pieces",
        "units",
        "days",
        "months",
        "menge",
        "anzahl",
        "수량",
        "인원",
    }
)


def _counts(m: Mention) -> bool:
    """Whether a number can say how many times: a bare one, or so many days, nights, months."""
    return m.unit is None or m.unit.dimension == "time"


def _products(answer: Answer, mention: Mention, basis: Sequence[float]) -> Iterator[tuple[str, float]]:
    """A price times a number of people, nights or pieces that was said; the difference of two such products; shares."""
    s = answer.sentence_of(mention.start)
    text = f"{s.text}\n{answer.question}"
    spoken = [m for m in answer.mentions if s.start <= m.start < s.end and m is not mention and _counts(m)]
    counts = {
        r for m in (*spoken, *mentions(answer.question)) if m.kind == "number" and _counts(m) for r in m.readings[:1]
    }
    counts |= {v for f in answer.facts if set(f.words[:1]) & _QUANTITY for v, _ in f.values[:1]}
    counts |= {m.readings[0] for m in answer.said if m.kind == "number" and m.end == 0 and _counts(m)}
    counts |= {float(f.value) for f in answer.facts if f.count}
    small = sorted(n for n in counts if 1 < n <= 1000 and float(n).is_integer())[:16]
    own = [v for _, v in _in_unit((*answer.facts, *answer.older), mention)][:40]
    per = _PER.search(text) is not None
    for n in small:
        for a in own:
            yield f"{n:g} times a value", n * a
            if per:
                yield f"a value over {n:g}", a / n
        for a, b in combinations(own[:16], 2):
            yield f"{n:g} times a difference", n * abs(a - b)
    if per:
        yield from (("half a value", a / 2) for a in basis)
        yield from (
            ("a value over another", max(a, b) / min(a, b)) for a, b in combinations(own[:12], 2) if min(a, b) > 0
        )


def _percentages(answer: Answer) -> Iterator[tuple[str, float]]:
    values = [v for f in (*answer.facts, *answer.older) if not f.transport for v, _ in f.values[:1] if v]
    for a, b in combinations(list(dict.fromkeys(values))[:40], 2):
        for x, y in ((a, b), (b, a)):
            yield "share", 100 * x / y
            if x + y:
                yield "share of both", 100 * x / (x + y)
            yield "change", 100 * (x - y) / y
