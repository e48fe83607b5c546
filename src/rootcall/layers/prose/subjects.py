"""Which entity each word of an answer speaks of: the one whose name governs it.

A name at the beginning of a clause governs what follows. A name of the same kind further on in the clause is an object
("defeated the Lakers", "over the Magic") and takes nothing over, unless "who", a possessive or a bracket attaches
something to it. Pronouns and clauses without a name carry over from before. Where two names share a predicate, and where
a name means several entities, nobody governs: silence is better than a false accusation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from rootcall.evidence.words import word_set
from rootcall.layers.prose.reading import SUBJECT_PARTICLES, Token
from rootcall.layers.prose.world import Entity, World
from rootcall.layers.utilization.answers import Sentence

__all__ = ["Named", "Reading", "named_in", "read_subjects"]

_CLAUSE: Final = word_set("while but whereas when as though although because since and ; : — –")
_ATTACHED: Final = word_set(
    "other another for of to against over versus vs in from than at on around past into behind above below beyond"
)
_SKIPPED: Final = word_set(
    "the a both also host visiting home fellow teammate forward guard center rookie captain veteran star only"
)
_HOLDS: Final = word_set(
    "hold held holding limit limited limiting force forced forcing keep kept keeping restrict restricted restricting cap capped"
)
_THEY: Final = word_set("they their them it its")
_HE: Final = word_set("he she his her him")
_THEM: Final = word_set("them him her it")
_SHOWN: Final = word_set("by was were is are named")
_WHO: Final = word_set("who which whose that")
_ADDED: Final = word_set("with")


class Named(msgspec.Struct, frozen=True):
    """A name in an answer: tokens `[first, last)` and the entities it can mean."""

    first: int
    last: int
    entities: tuple[Entity, ...]

    @property
    def entity(self) -> Entity | None:
        """The entity it means, when it is one."""
        return self.entities[0] if len(self.entities) == 1 else None


class Reading(msgspec.Struct, frozen=True):
    """For every token the name that governs it, or None, and the names of each sentence in order."""

    governing: list[Named | None]
    sentence_of: list[int]
    names: list[list[Named]]
    objects: list[list[Named]]


def named_in(tokens: Sequence[Token], world: World) -> list[Named]:
    """The names that stand in an answer, in order. A part of a name that several share means the one named last."""
    out: list[Named] = []
    latest: dict[int, int] = {}
    for first, last, meant in world.names.all(tokens):
        best = min(rank for _, rank in meant)
        if best < 3 and not _like_a_name(tokens[first].text):
            continue
        opening = first == 0 or tokens[first - 1].text in ".!?:"
        if (
            best in (1, 2)
            and opening
            and not any(world.entities[i].person for i, _ in meant)
            and _part(meant, world, last - first)
        ):
            continue  # "Review" at the beginning of a sentence may be a verb
        ids = list(dict.fromkeys(i for i, rank in meant if rank == best))
        if len(ids) > 1:
            said = [i for i in ids if i in latest]
            ids = [max(said, key=lambda i: latest[i])] if said else ids
        if best == 2 and last < len(tokens) and tokens[last].text[:1].isupper() and tokens[last].text.isalpha():
            continue  # somebody else with this first name
        found = Named(first, last, tuple(world.entities[i] for i in ids))
        if len(ids) == 1:
            latest[ids[0]] = len(out)
        if out and out[-1].last == first and not tokens[first - 1].owning:
            found = _joined(out.pop(), found)
        out.append(found)
    return out


def _like_a_name(text: str) -> bool:
    """Whether a word is written as names are: with a capital, with digits, or in a script without capitals."""
    return not text[0].isascii() or text[0].isupper() or text[0].isdigit()


def _part(meant: Sequence[tuple[int, int]], world: World, length: int) -> bool:
    """Whether words are only a part of the names they mean."""
    names = (name for i, _ in meant for name in world.entities[i].names)
    return length == 1 and not any(" " not in name for name in names)


def _joined(a: Named, b: Named) -> Named:
    """Two names side by side are one: "Boston" and "Celtics"; what they have in common, else the second."""
    both = tuple(e for e in a.entities if any(e is o for o in b.entities))
    return Named(a.first, b.last, both or b.entities)


class _State:
    """What governs at a place of a sentence."""

    def __init__(self) -> None:
        self.subject: Named | None = None
        self.held: Named | None = None
        self.bracket: Named | None = None
        self.inside = False
        self.last: Named | None = None
        self.other: Named | None = None
        self.weak = False
        self.ended = 0
        self.carried: dict[str, Named] = {}

    def govern(self, named: Named) -> None:
        """Let a name govern from here on, and be what a pronoun means later."""
        self.held = None
        self.weak = False
        if self.subject is not None and self.subject.entities[0].kind == named.entities[0].kind:
            self.other = self.subject
        self.subject = named
        self.carried[_class(named.entities[0])] = named

    def current(self) -> Named | None:
        if self.inside and self.bracket is not None:
            return self.bracket
        return self.held or self.subject


def read_subjects(tokens: Sequence[Token], sentences: Sequence[Sentence], names: Sequence[Named]) -> Reading:
    """Walk once over the tokens and say of each which name governs it."""
    by_first = {n.first: n for n in names}
    governing: list[Named | None] = []
    sentence_of: list[int] = []
    by_sentence: list[list[Named]] = [[] for _ in sentences]
    objects: list[list[Named]] = [[] for _ in sentences]
    state, at = _State(), -1
    i = 0
    while i < len(tokens):
        now = at
        while now + 1 < len(sentences) and tokens[i].start >= sentences[now + 1].start:
            now += 1
        if now != at:
            _begin(state)
            at = now
        named = by_first.get(i)
        if named is not None:
            by_sentence[at].append(named)
            open_until = i if state.subject is None or state.weak else 0
            if not _name(state, tokens, named, sentences[at].start):
                objects[at].append(named)
            elif open_until and i and _after_comma(tokens, i):
                _fill(governing, sentence_of, at, named)
            state.ended = named.last
        else:
            _word(state, tokens, i)
        for _ in range((named.last - named.first) if named is not None else 1):
            governing.append(state.current())
            sentence_of.append(at)
            i += 1
    return Reading(governing, sentence_of, by_sentence, objects)


def _after_comma(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i - 1].text == "," or (i > 1 and tokens[i - 1].norm == "the" and tokens[i - 2].text == ",")


def _fill(governing: list[Named | None], sentence_of: Sequence[int], at: int, named: Named) -> None:
    """As in "Notching a double-double of his own, X …": the words before speak of the name that follows the comma."""
    i = len(governing) - 1
    while i >= 0 and sentence_of[i] == at:
        governing[i] = named
        i -= 1


def _begin(state: _State) -> None:
    state.subject = state.held = state.bracket = state.last = None
    state.weak = False
    state.inside = False


def _class(entity: Entity) -> str:
    return "person" if entity.person else "other"


def _name(state: _State, tokens: Sequence[Token], named: Named, begin: int) -> bool:
    """Take a name in; False where it is an object that governs nothing."""
    before = named.first - 1
    while before >= 0 and tokens[before].start >= begin and tokens[before].norm in _SKIPPED:
        before -= 1
    word = tokens[before].norm if before >= 0 and tokens[before].start >= begin else ""
    behind = tokens[named.last] if named.last < len(tokens) else None
    state.last = named
    if behind is not None and behind.text == "(":
        state.bracket = named
    elif not state.inside:
        state.bracket = None
    if state.inside:
        return False
    if state.subject is not None and state.subject.entities[0].kind == named.entities[0].kind:
        state.other = named
    if word in _HOLDS:
        state.held = named
        return True
    if state.subject is not None and word in ("and", "or", "&") and _ends_name(tokens, state.subject, before):
        # "A and B had": what follows is of both.
        state.govern(Named(state.subject.first, named.last, state.subject.entities + named.entities))
        return True
    if _takes_over(state, tokens, named, before, word):
        state.govern(named)
        return True
    return False


def _takes_over(state: _State, tokens: Sequence[Token], named: Named, before: int, word: str) -> bool:
    subject = state.subject
    particle = tokens[named.last - 1].particle
    if particle:
        return particle in SUBJECT_PARTICLES
    if subject is None:
        return word not in _ATTACHED
    counted = named.last < len(tokens) and tokens[named.last].value is not None
    if word in _CLAUSE or (word == "," and (state.weak or counted or _begins(tokens, named.last))):
        return True
    if tokens[named.last - 1].owning and named.last < len(tokens) and tokens[named.last].value is not None:
        return True
    if word in _ADDED and _does(tokens, named.last):
        return True
    if subject.entities[0].kind == named.entities[0].kind:
        return False
    beside = before >= 0 and state.ended == before + 1
    return word in _SHOWN or word in _ADDED or beside


def _begins(tokens: Sequence[Token], i: int) -> bool:
    """Whether a clause begins with the name before: a word that may be its verb follows."""
    if i >= len(tokens) or not tokens[i].text[0].islower() or tokens[i].value is not None:
        return False
    word = tokens[i].norm
    return word not in _ATTACHED and word not in _CLAUSE and word not in ("or", "with", "by")


def _ends_name(tokens: Sequence[Token], subject: Named, before: int) -> bool:
    return subject.last == before or (subject.last == before - 1 and tokens[before - 1].text == ",")


def _does(tokens: Sequence[Token], i: int) -> bool:
    return i < len(tokens) and (tokens[i].norm.endswith("ing") or tokens[i].value is not None or tokens[i].text == "(")


def _word(state: _State, tokens: Sequence[Token], i: int) -> None:
    word = tokens[i].norm
    if word == "(":
        state.inside = True
        if state.bracket is not None and state.bracket.last != i:
            state.bracket = None
    elif word == ")":
        state.inside = False
        state.bracket = None
    elif word in _CLAUSE and word not in ("and", ":"):
        state.held = None
    elif word in _THEM and i and tokens[i - 1].norm in _HOLDS:
        state.held = state.other
    elif word in _HE:
        _carry(state, "person")
    elif word in _THEY:
        _carry(state, "other")
    elif word in _WHO and state.last is not None and _right_behind(tokens, state.last, i):
        state.govern(state.last)
    if word == "team" and i and tokens[i - 1].norm == "the" and state.subject is None:
        _carry(state, "other")


def _carry(state: _State, sort: str) -> None:
    """A pronoun: the subject stays when it is of its sort; else the last of that sort governs."""
    if state.subject is not None and _class(state.subject.entities[0]) == sort:
        return
    if (
        state.last is not None
        and state.subject is None
        and _class(state.last.entities[0]) == sort
        and len(state.last.entities) == 1
    ):
        state.subject = state.last
        state.weak = True
        return
    if state.subject is None or state.subject.entities[0].person != (sort == "person"):
        state.subject = state.carried.get(sort) or state.subject
        state.weak = True


def _right_behind(tokens: Sequence[Token], named: Named, i: int) -> bool:
    return named.last == i or (named.last == i - 1 and tokens[i - 1].text == ",")
