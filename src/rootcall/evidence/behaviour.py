"""What an agent did where it called nothing: answered, asked, refused, escalated.

The clauses of a reply (`rootcall.evidence.speech`), their order and what the user had asked for decide: an apology
before an answer is no refusal, advice after a refusal is no answer, a courtesy question after an answer asks nothing.
Only what was done is told here, not whether it was right; how things went (admitted, claimed) is
`rootcall.evidence.wording`'s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

import msgspec

from rootcall.evidence.behaviour_words import Kind, pattern
from rootcall.evidence.languages import language_of, languages_of
from rootcall.evidence.speech import Clause, Speech, clauses, finds, lowered
from rootcall.evidence.wording import wording
from rootcall.lazypattern import lazy

__all__ = ["ACTS", "Act", "Behaviour", "behaviour"]

Act = Literal["answered", "asked", "refused", "escalated"]
"""`answered` gives something or says that it is done; `asked` waits for something that is needed; `refused` does not do
it, whatever is advised instead; `escalated` gives the matter to a person."""

ACTS: Final[tuple[Act, ...]] = ("answered", "asked", "refused", "escalated")


class Behaviour(msgspec.Struct, frozen=True):
    """What a reply did, with the words that decided, which stand in it at `[start, end)`.

    `act` is the likeliest of the four, None where nothing points to one. `sure` is False where it is a guess: then
    `known` is None, and what rests on it stays unscored.
    """

    act: Act | None
    words: str = ""
    start: int = 0
    end: int = 0
    sure: bool = False

    @property
    def known(self) -> Act | None:
        """The act where it is sure, else None."""
        return self.act if self.sure else None


_Finding = tuple[Act, Clause, bool]


def behaviour(text: str, request: str = "") -> Behaviour:
    """Tell what a reply did. `request` is what the user had said; it decides where the reply alone does not.

    An empty text did nothing. Of long texts the beginning and the end are read, see `rootcall.evidence.speech.clauses`;
    of the request the first 2,000 characters.
    """
    return _behaviour(text, request[:2000]) if text.strip() else Behaviour(None)


@lru_cache(maxsize=2048)
def _behaviour(text: str, request: str) -> Behaviour:
    if _is_data(text):
        return Behaviour("answered", text.strip()[:200], 0, len(text), sure=True)
    wanted = _Request(request)
    read = clauses(text)
    if wanted.has("text_request"):
        read = _content(read, languages_of(text))
    elif wanted.has("way_request") or _MENU.search(text):
        read = _steps(read, languages_of(text))
    found = _decide(read, wanted)
    if found is None:
        return Behaviour(None)
    act, clause, sure = found
    if act == "answered" and clause.speech == "statement" and not _is_read(text):
        sure = False
    return Behaviour(act, text[clause.start : clause.end].strip(), clause.start, clause.end, sure)


_READ: Final = ("en", "de", "es", "ko", "ja")
_FIELD: Final = lazy(r"[\s*•–-]*[^\W\d_][^:：=|]{0,40}[:：=|].*[^\s:：]\s*\Z")


def _is_data(text: str) -> bool:
    """Whether a text is data: JSON, a list of fields, or hardly a letter but figures."""
    bare = text.strip()[:4000]
    if bare[0] in "{[" and text.rstrip()[-1] in "}]":
        return True
    lines = [line for line in bare.splitlines() if line.strip()]
    if len(lines) > 1 and all(_FIELD.match(line) and "?" not in line for line in lines):
        return True
    return len(re.findall(r"\d", bare)) > len(re.findall(r"[^\W\d_]", bare))


def _is_read(text: str) -> bool:
    """Whether it says something that no word of ours was found in a text: one of a language that is read in full.

    A "done" says enough, and so do a few words that give no language away with a figure among them.
    """
    likely = languages_of(text)
    if finds("done", lowered(text[:200]), likely):
        return True
    return likely[0] in _READ if language_of(text) is not None else re.search(r"\d", text) is not None


class _Request:
    """What the user had said, searched when it is needed."""

    def __init__(self, text: str) -> None:
        self.text = lowered(text)
        self.languages = languages_of(text)

    def has(self, kind: Kind) -> bool:
        """Whether words of a kind stand in it."""
        return bool(self.languages) and finds(kind, self.text, self.languages) is not None

    @property
    def wants_deed(self) -> bool:
        """Something is to be done. In European languages a question can hold the verb without wanting it done."""
        if self.has("favour") and not self.has("lookup_request") and not self.has("open_question"):
            return True
        as_question = self.has("fact_request") and self.languages[0] not in ("ko", "ja")
        return self.has("act_request") and not as_question

    @property
    def wants_fact(self) -> bool:
        """A question about how things are, which is answered with a no as well."""
        return self.has("fact_request") and not self.wants_deed

    @property
    def asks(self) -> bool:
        """Something is to be told or looked up, in a question or not."""
        if self.wants_deed:
            return False
        return re.search(r"[?？]", self.text) is not None or self.has("fact_request") or self.has("lookup_request")

    @property
    def expects_hand_over(self) -> bool:
        """Something is to be sent to somebody, or a person is asked about: telling of it is the answer then."""
        if self.has("human_request"):
            return False
        return self.has("send_request") or (self.wants_fact and self.has("human"))

    def shares_deed(self, clause: Clause) -> bool:
        """Whether a clause speaks of the deed that was asked for (book, cancel, send …)."""
        return not self.wants_fact and any(d.search(self.text) and d.search(clause.text) for d in _DEEDS)


_DEEDS: Final = tuple(
    lazy(words)
    for words in (
        r"\bbook|\breserv|\bbuch|reservier|예약|예매|予約",
        r"\bcancel|storn|kündig|\banul|취소|해지|キャンセル|取り消|解約",
        r"\border|\bbuy|\bpurchas|bestell|kauf|\bpid|\bpedid|\bcompr|주문|구매|구입|注文|購入",
        r"\bdelet|\bremov|\beras|lösch|entfern|\bborr|\belimin|삭제|지우|지워|削除|消",
        r"\bsend|\bforward|\be-?mail|schick|\benv[ií]|\bmand|보내|전송|발송|送",
        r"\bchang|\bupdat|\bmodif|änder|aktualisier|\bcambi|\bactualiz|변경|바꾸|바꿔|수정|変更|変え|更新",
        r"\btransfer|\bpay|überweis|zahl|\btransfier|\bpag|이체|송금|결제|振込|振り込|送金|支払",
        r"\brefund|\breturn|erstatt|rückgab|zurück|\breembols|\bdevol|\bdevuelv|환불|반품|返金|返品",
        r"\bschedul|\bappointment|termin|\bcita|일정|약속|予定|日程",
        r"\bexchang|tausch|\bcanje|교환|交換",
    )
)


def _content(read: Sequence[Clause], languages: tuple[str, ...]) -> tuple[Clause, ...]:
    """Clauses where a text was to be written: a question that does not speak of the writing is part of that text."""
    own: tuple[Kind, ...] = ("need", "permission", "offer")
    return tuple(
        msgspec.structs.replace(c, speech="statement")
        if c.speech in ("ask", "question") and not any(finds(kind, c.text, languages) for kind in own)
        else c
        for c in read
    )


# A path through menus: what follows is a way to do it.
_MENU: Final = lazy(r"[^\s→]\s*→\s*[^\s→]")


def _steps(read: Sequence[Clause], languages: tuple[str, ...]) -> tuple[Clause, ...]:
    """Clauses where a way was asked for: what is to be entered or needed there is the answer, unless it is for the agent."""
    return tuple(
        msgspec.structs.replace(c, speech="statement")
        if c.speech == "ask" and not c.asked and not finds("to_me", c.text, languages)
        else c
        for c in read
    )


# ---- the decision ----------------------------------------------------------------------------------------------


def _decide(read: Sequence[Clause], request: _Request) -> _Finding | None:
    """The act, the clause that decided, and whether that is sure."""
    handed = _first(read, "handover")
    if handed is not None and not request.expects_hand_over and not _is_past(read, handed, request):
        return "escalated", handed, True
    asked = _asked(read)
    refused = _first(read, "refusal") or (None if request.wants_fact else _first(read, "impossible"))
    if refused is not None:
        return _refused(read, refused, asked, request)
    if asked is not None:
        return "asked", asked, True
    told = _first(read, "statement", "unfound", "impossible") or handed
    instructed = _first(read, "instruction")
    if instructed is not None and told is None and not request.wants_fact and not request.has("way_request"):
        return "asked", instructed, True
    told = told or instructed
    denied = _denied(read, request)
    if denied is not None:
        return "refused", denied, True
    offered = _first(read, "question", "offer")
    if told is not None:
        if offered is not None and offered.speech == "question" and not _gives(read, request):
            return "asked", offered, True
        if offered is not None and offered.asked and request.shares_deed(offered) and not any(map(_is_own_deed, read)):
            return "asked", offered, True
        return "answered", told, True
    if offered is not None:
        return "asked", offered, offered.asked
    return _little(read, request)


def _is_past(read: Sequence[Clause], handed: Clause, request: _Request) -> bool:
    """Whether a hand-over is only part of how a matter went that was asked about: more is told after it."""
    return request.has("status_request") and any(c.speech == "statement" and c.start > handed.start for c in read)


def _gives(read: Sequence[Clause], request: _Request) -> bool:
    """Whether something is given before a question: a figure the user did not say, or a deed."""
    known = set(_FIGURE.findall(request.text))
    return any(
        _is_own_deed(c) or (c.speech == "statement" and not known.issuperset(_FIGURE.findall(c.text))) for c in read
    )


def _denied(read: Sequence[Clause], request: _Request) -> Clause | None:
    """A statement with a negation where something was to be done, and nothing is told as done or found.

    Such a reply refuses in whatever words ("The contract knows no exceptions."); one about a question does not.
    """
    # Where something was to be told, a denial with advice on where else to go gives nothing either.
    advised = _first(read, "redirect", "instruction") is not None
    sent = advised and not request.wants_fact and not re.search(r"[?？]", request.text)
    if not request.text or (request.asks and not sent) or _first(read, "unfound") is not None:
        return None
    if any(c.speech == "statement" and wording(c.text).claims for c in read):
        return None
    denying = [c for c in read if c.speech == "statement" and _denies(c)]
    known = set(_FIGURE.findall(request.text))
    told = any(len(set(_FIGURE.findall(c.text)) - known) > 1 for c in denying)  # one figure may be the reason
    if told or _gives([c for c in read if c not in denying], request):
        return None
    return next((c for c in denying if not _YET.search(c.text)), None)


def _denies(clause: Clause) -> bool:
    languages = languages_of(clause.text)
    return finds("negation", pattern("filler", languages).sub(" ", clause.text), languages) is not None


_YET: Final = lazy(
    r"\byet\b|\balready\b|\bbereits\b|\bschon\b|\bya\b|이미|すでに|既に|\bnoch nicht|\b(?:aún|todavía) no|아직|まだ|(?:았|었|였|했)(?:습니다|어요)|ませんでした"
)


def _first(read: Sequence[Clause], *kinds: Speech) -> Clause | None:
    return next((c for c in read if c.speech in kinds), None)


def _asked(read: Sequence[Clause]) -> Clause | None:
    """The last clause that asks for what is needed. A question that the text itself answers at length is a heading."""
    asks = [c for c in read if c.speech == "ask"]
    if not asks:
        return None
    after = sum(c.start > asks[-1].start and c.speech == "statement" for c in read)
    return None if after > 2 and len(asks) == 1 and asks[-1].asked and asks[-1] is read[0] else asks[-1]


def _refused(read: Sequence[Clause], refused: Clause, asked: Clause | None, request: _Request) -> _Finding:
    """A reply with an inability in it.

    A question for what is needed goes before it, and so does an answer: one after a "but", or one given before a limit
    was named. What is told before a deed is refused is the reason for that.
    """
    if asked is not None and asked.start >= refused.start:
        return "asked", asked, True
    known = set(_FIGURE.findall(request.text))
    for c in read:
        tells = c.speech == "statement" and not known.issuperset(_FIGURE.findall(c.text))
        if c.start > refused.start and c.contrast and tells:
            return "answered", c, False
        if c.start < refused.start and (_is_own_deed(c) or (tells and bool(request.text) and not request.wants_deed)):
            return "answered", c, True
    if asked is not None:
        return "asked", asked, True
    return "refused", refused, True


_FIGURE: Final = lazy(r"\d+(?:[.,:]\d+)*")
_OWN: Final = lazy(r"\b(?:i|we|ich|wir|he|hemos)\b|(?:했|드렸)(?:습니다|어요)|(?<!され)(?:しました|いたしました)")


def _is_own_deed(clause: Clause) -> bool:
    """Whether a clause tells something that the agent has done."""
    return clause.speech == "statement" and _OWN.search(clause.text) is not None and wording(clause.text).claims


def _little(read: Sequence[Clause], request: _Request) -> _Finding | None:
    """Replies that neither give nor deny: sent elsewhere, thanked, promised."""
    sent, thanked, closing = _first(read, "redirect"), _first(read, "thanks"), _first(read, "closing")
    if sent is not None:
        return "answered" if request.wants_fact else "refused", sent, bool(request.text)
    if thanked is not None:
        return "answered", thanked, True
    if closing is not None and _first(read, "promise") is None:
        return "answered", closing, request.has("thanks_request")
    return None
