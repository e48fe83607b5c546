"""The numbers of an answer with the fields that the words around them name.

A claim is a number, a pair of numbers or a share, bound to field words: right behind it ("18 points", "18-point"), before it
("points: 18"), or by the glossary's words for pairs and sums. A number without field words is no claim here. Which entity
it speaks of, and whether it is right, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from rootcall.evidence.words import word_set
from rootcall.layers.prose.reading import Token, words_of
from rootcall.layers.prose.world import ORDINALS, World

__all__ = ["Claim", "claims_in"]

Form = Literal["field", "pair", "score", "margin"]

_FILLERS: Final = word_set("total more big huge solid combined just only straight impressive crucial")
_PERCENT: Final = ("percent", "%")
_WINDOW: Final = 9
_END: Final = word_set(", . ; : ( ) while but whereas")
_MARGINS: Final = word_set("win victory loss defeat triumph rout blowout setback")
# What follows is counted over more than what was returned.
_WIDER: Final = word_set(
    "season year career last previous past straight average averaging averages averaged combined total streak row 시즌 평균 최근 지난 통산 합계"
)
_BOUNDS: Final = word_set("sub over under nearly almost about least than surpassed")
_MARKS: Final = word_set("mark plateau barrier threshold")
_SPLITS: Final = word_set("and while but whereas")
_SO_FAR: Final = word_set("end after through lead")
_RUNNING: Final = word_set("make making tie tied bring bringing lead leading regain take took taking pull level")
_LINKS: Final = word_set("in the during of for")
_LISTING: Final = word_set(", and included includes including")
_PAIRED: Final = word_set("for of")


class Claim(msgspec.Struct, frozen=True):
    """Numbers told about fields: tokens `[first, last)`, the numbers' own tokens, and the keys the words can mean.

    `keys` are fields, of which the subject decides; for a pair they are the two fields. `sums` holds the fields whose sum is
    told. `whole` tells that no words narrow the field down. `wider` tells that the words speak of more than one game, month or order, which a record does not hold.
    """

    first: int
    last: int
    at: tuple[int, ...]
    values: tuple[float, ...]
    form: Form
    keys: tuple[str, ...]
    sums: tuple[tuple[str, ...], ...] = ()
    wider: bool = False
    whole: bool = False


def claims_in(tokens: Sequence[Token], world: World, taken: set[int]) -> list[Claim]:
    """The claims of an answer in order. `taken` are tokens of names, which hold no numbers."""
    covered = set(taken) | _inside_phrases(tokens, world)
    out: list[Claim] = []
    i = 0
    while i < len(tokens):
        claim = None if i in covered else _claim_at(tokens, world, i, covered)
        if claim is None:
            i += 1
        else:
            out.append(claim)
            i = max(claim.at) + 1
    return out


def _inside_phrases(tokens: Sequence[Token], world: World) -> set[int]:
    """Numbers that are a part of field words: "three-point line"."""
    inside: set[int] = set()
    for book in (world.fields, world.pairs, world.sums):
        for first, last, _ in book.all(tokens):
            inside |= set(range(first, last)) if last - first > 1 else set()
    for phrases in world.glossary.fields.values():
        for phrase in phrases:
            words = words_of(phrase)
            if words[:1] == ("percent",) and len(words) > 1:
                inside |= _runs(tokens, words[1:])
    return inside


def _runs(tokens: Sequence[Token], words: Sequence[str]) -> set[int]:
    found: set[int] = set()
    numbers = [w for w in words if w in ("one", "two", "three", "four", "five")]
    if not numbers:
        return found
    for i, t in enumerate(tokens):
        if t.norm == words[0]:
            seen, j = [i], i
            for w in words[1:]:
                j += 1
                while j < len(tokens) and tokens[j].text in "-–":
                    j += 1
                if j >= len(tokens) or tokens[j].norm != w:
                    break
                seen.append(j)
            else:
                found |= set(seen)
    return found


def _claim_at(tokens: Sequence[Token], world: World, i: int, covered: set[int]) -> Claim | None:
    token = tokens[i]
    if token.value is None:
        return _implied(tokens, world, i)
    if _bounded(tokens, i):
        return None
    second = _second(tokens, i)
    if second is not None:
        return _pair(tokens, world, i, second)
    behind = _behind(tokens, i)
    if behind < len(tokens) and tokens[behind].norm in _PERCENT:
        return _share(tokens, world, i, behind)
    margin = _margin(tokens, world, i, behind)
    if margin is not None:
        return margin
    found = _field_behind(tokens, world, behind)
    if found is not None:
        last, keys = found
        if last < len(tokens) and tokens[last].norm in _MARKS:
            return None
        narrow = _narrowed(tokens, world, last)
        if narrow is not None:
            return Claim(i, narrow[0], (i,), (token.value,), "field", tuple(narrow[1]), sums=narrow[2])
        told = _earlier(tokens, world, i)
        if told is not None:
            return Claim(i, last, (i,), (token.value,), "field", tuple(told))
        return Claim(i, last, (i,), (token.value,), "field", tuple(keys), wider=_wider(tokens, i, last), whole=True)
    counted = _narrowed(tokens, world, i + 1) if i + 1 < len(tokens) and tokens[i + 1].norm in _LINKS else None
    if counted is not None:
        return Claim(i, counted[0], (i,), (token.value,), "field", tuple(counted[1]), sums=counted[2])
    return _labelled(tokens, world, i) or _over_time(tokens, world, i)


def _bounded(tokens: Sequence[Token], i: int) -> bool:
    """Whether the number is a bound and no value: "over 50 percent", "sub-40"."""
    j = i - 1
    while j >= 0 and (tokens[j].text in "-–" or tokens[j].norm in ("the", "a")):
        j -= 1
    return j >= 0 and tokens[j].norm in _BOUNDS


def _narrowed(
    tokens: Sequence[Token], world: World, j: int
) -> tuple[int, list[str], tuple[tuple[str, ...], ...]] | None:
    """Field words right behind field words: "a 38-point first quarter", "38 points in the first quarter"."""
    for k in range(j, min(j + 3, len(tokens))):
        if (total := world.sums.at(tokens, k)) is not None:
            return total[0], [], tuple(tuple(world.glossary.sums[s].fields) for s in total[1])
        field = world.fields.at(tokens, k)
        if field is not None and field[0] - k > 1:
            return field[0], field[1], ()
        if tokens[k].norm not in _LINKS:
            return None
    return None


def _earlier(tokens: Sequence[Token], world: World, i: int) -> list[str] | None:
    """Field words that narrow a number down from before, in its clause: "led in the first period with two goals"."""
    for j in range(i - 1, max(-1, i - 14), -1):
        if tokens[j].text in ",.;()" or tokens[j].value is not None or tokens[j].norm in _SPLITS:
            return None
        field = world.fields.at(tokens, j)
        if field is not None and field[0] - j > 1 and tokens[j].norm in ORDINALS:
            return field[1]
    return None


def _over_time(tokens: Sequence[Token], world: World, i: int) -> Claim | None:
    """Field words before a number that counts over time: "won four of their last five games", "lost two in a row"."""
    j = i - 1
    while j >= 0 and tokens[j].norm in ("just", "only", "now"):
        j -= 1
    found = world.fields.at(tokens, j) if j >= 0 else None
    value = tokens[i].value
    if found is None or value is None or found[0] != j + 1 or not _wider(tokens, i, i + 1):
        return None
    return Claim(j, i + 1, (i,), (value,), "field", tuple(found[1]), wider=True)


def _behind(tokens: Sequence[Token], i: int) -> int:
    """The index of the next word behind a number, hyphens passed over."""
    j = i + 1
    while j < len(tokens) and tokens[j].text in "-–" and tokens[j].glued:
        j += 1
    return j


def _field_behind(tokens: Sequence[Token], world: World, j: int) -> tuple[int, list[str]] | None:
    for skipped in range(2):
        if j + skipped >= len(tokens):
            return None
        if skipped and tokens[j].norm not in _FILLERS:
            return None
        found = world.fields.at(tokens, j + skipped)
        if found is not None:
            return found
    return None


def _labelled(tokens: Sequence[Token], world: World, i: int) -> Claim | None:
    """A field's words with a colon or "is", "of", "was" before the number: "points: 18", "a price of 40"."""
    if i < 2 or tokens[i - 1].norm not in (":", "is", "was", "of", "="):
        return None
    for length in (3, 2, 1):
        start = i - 1 - length
        if start >= 0 and (found := world.fields.at(tokens, start)) is not None and found[0] == i - 1:
            value = tokens[i].value
            assert value is not None
            return Claim(start, i + 1, (i,), (value,), "field", tuple(found[1]), wider=_wider(tokens, start, i + 1))
    return None


def _implied(tokens: Sequence[Token], world: World, i: int) -> Claim | None:
    """Counts without a number, for fields of the glossary only: "a block", "no blocks", "a pair of steals"."""
    word = tokens[i].norm
    if word not in ("a", "an", "no", "pair", "trio"):
        return None
    j = i + 2 if word in ("pair", "trio") and i + 1 < len(tokens) and tokens[i + 1].norm == "of" else i + 1
    if word in ("pair", "trio") and j == i + 1:
        return None
    if j >= len(tokens) or (found := world.fields.at(tokens, j)) is None:
        return None
    last, keys = found
    known = [k for k in keys if k in world.glossary.fields]
    if not known or tokens[j].norm in _MARGINS or (last < len(tokens) and tokens[last].text in ("-", "of")):
        return None
    if word in ("a", "an") and not _listed(tokens, i, last):
        return None
    value = {"a": 1.0, "an": 1.0, "no": 0.0, "pair": 2.0, "trio": 3.0}[word]
    return Claim(i, last, (i,), (value,), "field", tuple(known), wider=_wider(tokens, i, last))


def _listed(tokens: Sequence[Token], i: int, last: int) -> bool:
    """Whether "a block" stands in a list of such counts: beside a comma or "and", or with "also included" before it."""
    before, behind = tokens[i - 1].norm if i else "", tokens[last].norm if last < len(tokens) else ""
    return before in _LISTING or behind in (",", "and")


def _wider(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether words of the same sentence speak of several games, a season, an average."""
    for step, begin in ((1, last), (-1, first - 1)):
        j = begin
        for _ in range(12):
            if not 0 <= j < len(tokens) or tokens[j].text in ".;()" or (step < 0 and tokens[j].text == ","):
                break
            if tokens[j].norm in _WIDER or tokens[j].stem in _WIDER:
                return True
            j += step
    return False


# ---- pairs -----------------------------------------------------------------------------------------------------


def _second(tokens: Sequence[Token], i: int) -> int | None:
    """The index of the second number of a pair: "6-10", "8-for-12", "8 of 12"."""
    j = i + 1
    if j + 1 < len(tokens) and tokens[j].text in "-–" and tokens[j].glued and tokens[j + 1].value is not None:
        return j + 1 if tokens[j + 1].text[0].isdigit() else None
    if (
        j + 3 < len(tokens) and tokens[j].text == "-" and tokens[j + 1].norm in _PAIRED and tokens[j + 2].text == "-"
        and tokens[j + 3].value is not None
    ):  # fmt: skip
        return j + 3
    if j + 1 < len(tokens) and tokens[j].norm in _PAIRED and tokens[j + 1].value is not None:
        return j + 1
    return None


def _pair(tokens: Sequence[Token], world: World, i: int, second: int) -> Claim | None:
    a, b = tokens[i].value, tokens[second].value
    assert a is not None
    assert b is not None
    at, values, j = (i, second), (a, b), second + 1
    plain = second == i + 2
    found = world.pairs.at(tokens, j) if j < len(tokens) else None
    if found is None and not plain:
        found = _pair_later(tokens, world, j)
    if found is not None:
        fields = world.glossary.pairs[found[1][0]].fields
        return Claim(i, found[0], at, values, "pair", fields)
    if not plain:
        return None
    alone = next((p for p in world.glossary.pairs if p.alone), None)
    bracketed = i > 0 and tokens[i - 1].text == "(" and j < len(tokens) and tokens[j].text in "),"
    if alone is not None and bracketed:
        return Claim(i, j, at, values, "pair", alone.fields)
    return _score(tokens, world, at, values, j)


def _pair_later(tokens: Sequence[Token], world: World, j: int) -> tuple[int, list[int]] | None:
    """The words of a pair a little further on, before the next number or mark."""
    for k in range(j, min(j + 4, len(tokens))):
        if tokens[k].text in _END or tokens[k].value is not None:
            return None
        if (found := world.pairs.at(tokens, k)) is not None:
            return found
    return None


def _score(
    tokens: Sequence[Token], world: World, at: tuple[int, ...], values: tuple[float, ...], j: int
) -> Claim | None:
    """A pair that sets two records against each other, in the field or the sum that the words name, else in the score."""
    if any(t.norm in _RUNNING for t in tokens[max(0, at[0] - 5) : at[0]]):
        return None  # how it stood at some time, which no result holds
    keys: list[str] = []
    sums: list[int] = []
    final = any(t.norm in _MARGINS for t in tokens[j : j + 2]) or any(
        t.norm == "final" for t in tokens[max(0, at[0] - 4) : at[0]]
    )
    k, seen = (len(tokens) if final else j), 0
    while k < len(tokens) and seen < _WINDOW and tokens[k].text not in ".;(" and tokens[k].value is None:
        if tokens[k].norm in _SO_FAR:
            return None
        if (total := world.sums.at(tokens, k)) is not None:
            sums += total[1]
            break
        if (field := world.fields.at(tokens, k)) is not None and field[0] - k > 1:
            keys += field[1]
            break
        k, seen = k + 1, seen + 1
    if not keys and not sums and not final:
        keys, sums = _before(tokens, world, at[0])
    if not keys and not sums:
        keys = [s.field for s in world.glossary.scores]
    if not keys and not sums:
        return None
    fields = tuple(tuple(world.glossary.sums[s].fields) for s in sums)
    return Claim(at[0], j, at, values, "score", tuple(keys), sums=fields)


def _before(tokens: Sequence[Token], world: World, i: int) -> tuple[list[str], list[int]]:
    """What a pair is about by words before it: "in the first half, where they led 59-42", "rebounding …, 46-34"."""
    for j in range(i - 1, max(-1, i - 24), -1):
        if tokens[j].text == "," and j < i - 1 and tokens[j + 1].norm not in ("where", "as", "with", "a"):
            break
        if tokens[j].text in ".;" or (tokens[j].value is not None and tokens[j].text[0].isdigit()):
            break
        if (total := world.sums.at(tokens, j)) is not None:
            return [], total[1]
        field = world.fields.at(tokens, j)
        if field is not None and (field[0] - j > 1 or tokens[j].norm.endswith("ing")):
            return field[1], []
    return [], []


# ---- shares and margins ----------------------------------------------------------------------------------------


def _share(tokens: Sequence[Token], world: World, i: int, percent: int) -> Claim | None:
    """A percentage: the field whose words stand nearest behind, else before it in the clause."""
    value = tokens[i].value
    assert value is not None
    closed = percent + 1 < len(tokens) and tokens[percent + 1].text == ")" and tokens[i - 1].text == "("
    right = _stretch(tokens, percent + (2 if closed else 1), 1)
    left = _stretch(tokens, i - 1, -1)
    best: tuple[int, list[str]] | None = None
    for words, keys in world.shares.items():
        rest = words[1:] if words[0] == "percent" else words[:-1]
        size = 0 if not rest else 2 * len(rest) if _holds(right, rest) else len(rest) if _holds(left, rest) else -1
        if size >= 0 and (best is None or size > best[0]):
            best = size, list(keys)
    if best is None:
        return None
    return Claim(i, percent + 1, (i,), (value,), "field", tuple(best[1]), wider=_wider(tokens, i, percent + 1))


def _stretch(tokens: Sequence[Token], j: int, step: int) -> list[str]:
    """The words from a place to the next number or the end of the clause, in the order of the text."""
    out: list[str] = []
    while 0 <= j < len(tokens) and len(out) < _WINDOW:
        t = tokens[j]
        if (
            t.text in ".;()"
            or (t.text in _END and step > 0)
            or (t.value is not None and tokens[j - step].text != "-" and not _hyphened(tokens, j))
        ):
            break
        if t.is_word:
            out.append(t.norm)
        j += step
    return out if step > 0 else out[::-1]


def _hyphened(tokens: Sequence[Token], j: int) -> bool:
    """Whether a number word is a part of a longer word: "three-point"."""
    return j + 1 < len(tokens) and tokens[j + 1].text == "-" and tokens[j + 1].glued and not tokens[j].text[0].isdigit()


def _holds(words: Sequence[str], phrase: Sequence[str]) -> bool:
    n = len(phrase)
    return any(tuple(words[k : k + n]) == tuple(phrase) for k in range(len(words) - n + 1))


def _margin(tokens: Sequence[Token], world: World, i: int, behind: int) -> Claim | None:
    """As in "a 30-point win": the difference of a field between two records."""
    found = world.fields.at(tokens, behind) if behind < len(tokens) else None
    if found is None or behind == i + 1:
        return None
    j = found[0]
    value = tokens[i].value
    assert value is not None
    for k in range(j, min(j + 2, len(tokens))):
        if tokens[k].norm in _MARGINS:
            return Claim(i, k + 1, (i,), (value,), "margin", tuple(found[1]))
    return None
