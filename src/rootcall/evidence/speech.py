"""What the clauses of a reply do: ask, offer, refuse, hand over, send away, tell, or only be polite.

A text is cut into sentences and these at a "but"; each clause gets the one act that says most about the whole. What
stands in quotes or in code is somebody else's word and is blotted out first. What the reply as a whole did is
`rootcall.evidence.behaviour`'s; the words are in `behaviour_words`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

import msgspec

from rootcall.evidence.behaviour_words import Kind, pattern
from rootcall.evidence.languages import languages_of
from rootcall.lazypattern import lazy

__all__ = ["Clause", "Speech", "clauses", "finds", "lowered"]

Speech = Literal[
    "statement", "ask", "instruction", "question", "offer", "closing", "refusal", "impossible", "unfound", "handover", "redirect", "promise", "thanks",
    "filler",
]  # fmt: skip
"""What one clause does. `ask` wants what is needed, `question` is any other; `refusal` is an inability of the agent's own,
`impossible` one of the world; `unfound` looked and found nothing; `redirect` sends the user elsewhere."""


class Clause(msgspec.Struct, frozen=True):
    """A part of a text at `[start, end)` and what it does; `text` is in lower case.

    `contrast` says that it follows a "but"; `asked` that it is a question.
    """

    speech: Speech
    text: str
    start: int
    end: int
    contrast: bool = False
    asked: bool = False


_HEAD: Final = 4000
_TAIL: Final = 2000
_BLOT: Final = "\u25a1"
_CODE: Final = lazy(r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_QUOTED: Final = lazy(
    r"\"[^\"\n]{1,600}\"|“[^”]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»]{1,600}»|「[^」]{1,600}」|『[^』]{1,600}』|"
    r"(?<!\w)'[^'\n]{1,300}'(?!\w)|‘[^’\n]{1,300}’(?!\w)"
)
_WRAPPED: Final = lazy(r"\A\s*([\"“„«「『])(.*)([\"”“»」』])\s*\Z", re.DOTALL)
_SENTENCE: Final = lazy(r"(?:[^.!?…。！？؟\n]|[.!?…](?![\s\"'”»)*_]|\Z))+[.!?…。！？؟]*[\"'”»)*_]*|[.!?…。！？؟]+")
_QUESTION_MARK: Final = lazy(r"[?？؟]\W*\Z|¿")
_LETTER: Final = lazy(r"[^\W_]")
_BREAK: Final = lazy(r"[,;:–]| (?:and|und|y|e) ")
_VERB_LAST: Final = ("ko", "ja")


def clauses(text: str) -> tuple[Clause, ...]:
    """Cut a text into clauses and say what each does; positions are those of the text itself.

    Of a text beyond 6,000 characters the first 4,000 and the last 2,000 are read. One in a script whose words are not
    known has no clauses.
    """
    languages = languages_of(text[:_HEAD])
    return _clauses(text, languages) if languages else ()


def finds(kind: Kind, text: str, languages: tuple[str, ...]) -> re.Match[str] | None:
    """Return the first words of a kind in a text in lower case."""
    return pattern(kind, languages).search(text)


def lowered(text: str) -> str:
    """A text in lower case at the same length."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


@lru_cache(maxsize=512)
def _clauses(text: str, languages: tuple[str, ...]) -> tuple[Clause, ...]:
    pieces = [(0, text)]
    if len(text) > _HEAD + _TAIL:
        pieces = [(0, text[:_HEAD]), (len(text) - _TAIL, text[-_TAIL:])]
    return tuple(c for offset, piece in pieces for c in _read(lowered(_blotted(piece)), offset, languages))


def _blotted(text: str) -> str:
    """A text with what is quoted blotted out, at the same length; quotes around the whole are none."""
    wrapped = _WRAPPED.match(text)
    if wrapped and wrapped.group(1) not in wrapped.group(2) and wrapped.group(3) not in wrapped.group(2):
        text = " " * wrapped.start(2) + wrapped.group(2) + " " * (len(text) - wrapped.end(2))
    return _QUOTED.sub(_blot, _CODE.sub(_blot, text))


def _blot(found: re.Match[str]) -> str:
    return "".join("\n" if c == "\n" else _BLOT for c in found.group(0))


def _read(piece: str, offset: int, languages: tuple[str, ...]) -> Iterator[Clause]:
    for sentence in _SENTENCE.finditer(piece):
        words = sentence.group(0)
        if not _LETTER.search(words) and _BLOT not in words:
            continue
        asked = _QUESTION_MARK.search(words) is not None or finds("question", words, languages) is not None
        cuts = [0, *_cuts(words, languages, asked=asked), len(words)]
        at = offset + sentence.start()
        for n, (start, end) in enumerate(itertools.pairwise(cuts)):
            part = words[start:end]
            if part.strip():
                question = asked and end == len(words)
                contrast = n > 0 or finds("contrast", part[:24], languages) is not None
                yield Clause(_speech(part, languages, asked=question), part, at + start, at + end, contrast, question)


def _cuts(sentence: str, languages: tuple[str, ...], *, asked: bool) -> list[int]:
    """Where a sentence falls into clauses: at a "but", and at the mark that opens a Spanish question."""
    if asked:
        return [m.start() for m in re.finditer("¿", sentence) if _LETTER.search(sentence[: m.start()])][:1]
    # In Korean and Japanese the word closes the clause before it.
    found = pattern("contrast", languages).finditer(sentence)
    cuts = [m.end() if languages[0] in _VERB_LAST else m.start() for m in found]
    return [c for c in cuts if 0 < c < len(sentence)]


def _speech(part: str, languages: tuple[str, ...], *, asked: bool) -> Speech:
    """What a clause does. The order is that of how much a finding says about the whole."""
    if finds("closing", part, languages):
        return "closing"
    if asked:
        return _asked(part, languages)
    refused = finds("cannot", part, languages)
    if not refused and _is_filler(part, languages) and not finds("thanks", part, languages):
        return "filler"
    handed = list(pattern("handover", languages).finditer(part))
    if any(not _hangs(part, h, refused, languages) for h in handed):
        return "handover"
    if finds("confirm", part, languages):
        return "ask"
    if not refused and finds("if_liked", part, languages) and not finds("open_question", part, languages):
        return "offer"
    lacking = finds("without", part, languages) is not None
    if (lacking or not refused) and _needs(part, languages):
        return "ask"
    if finds("unfound", part, languages):
        return "unfound"
    if refused or finds("impossible", part, languages):
        return "ask" if lacking else "refusal" if refused else "impossible"
    return "offer" if handed else _told(part, languages)


def _told(part: str, languages: tuple[str, ...]) -> Speech:
    """A clause that neither wants nor denies anything."""
    sent, promised = finds("redirect", part, languages), finds("promise", part, languages)
    # Advice that follows something told is no sending away, and "hold on while I look" sends nobody anywhere.
    waits = promised is not None and sent is not None and promised.start() < sent.end()
    if sent and not waits and (languages[0] in _VERB_LAST or len(_LETTER.findall(part[: sent.start()])) < 25):
        return "redirect"
    if finds("thanks", part, languages):
        return "thanks"
    if promised and not re.search(r"\d", part):
        return "promise"
    return "instruction" if finds("instruction", part, languages) else "statement"


def _needs(part: str, languages: tuple[str, ...]) -> bool:
    """Whether something is wanted of the user; words within a "please check the website" want nothing."""
    needed = finds("need", part, languages)
    if needed is None:
        return False
    sent = finds("redirect", part, languages)
    return not (sent and sent.start() <= needed.start() and sent.end() >= needed.end())


def _asked(part: str, languages: tuple[str, ...]) -> Speech:
    """What a question does. A choice or an open question wants something, most others only offer."""
    needed = finds("need", part, languages)
    if not needed and finds("handover", part, languages):
        return "offer"
    if needed or finds("permission", part, languages):
        return "ask"
    if finds("open_question", part, languages):
        return "ask"
    if finds("offer", part, languages):
        return "offer"
    return "ask" if finds("polite_request", part, languages) else "question"


def _is_filler(part: str, languages: tuple[str, ...]) -> bool:
    """Whether hardly a letter is left when polite words are taken out."""
    if _BLOT in part:
        return False
    left = pattern("filler", languages).sub(" ", part)
    return len(_LETTER.findall(left)) < (2 if languages[0] in ("ko", "ja", "zh") else 3)


def _hangs(part: str, handed: re.Match[str], refused: re.Match[str] | None, languages: tuple[str, ...]) -> bool:
    """Whether a hand-over is denied, only possible, or has a condition.

    Korean and Japanese put both behind the verb. Elsewhere a denial reaches to the next comma or conjunction.
    """
    before, after = part[: handed.start()], part[handed.end() : handed.end() + 14]
    if languages[0] in _VERB_LAST:
        before = part[: handed.end()]
        if finds("pending", after, languages) or (refused and refused.end() > handed.end()):
            return True
    elif refused and handed.end() > refused.start():
        if not _BREAK.search(part[min(refused.end(), handed.start()) : handed.start() + 1]):
            return True
        before = before[refused.end() :]
    return finds("condition", before, languages) is not None
