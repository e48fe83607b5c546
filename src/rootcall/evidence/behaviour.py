"""What an agent did where it called nothing: answered, asked, refused, escalated.

A reply is cut into clauses, and each is read as one act of speech: a question for what is needed, an offer, a polite
closing, an inability of the agent's own, a hand-over to a person, a statement. The acts, their order and what the user
had asked for decide. What stands in quotes or in code is somebody else's word and does not count. Only what was done is
told here, not whether it was right; how things went (admitted, claimed) is `rootcall.evidence.wording`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

import msgspec

from rootcall.evidence.behaviour_words import Script, pattern, script_of
from rootcall.evidence.wording import language_of, wording

__all__ = ["Act", "Behaviour", "Clause", "Speech", "behaviour", "clauses"]

Act = Literal["answered", "asked", "refused", "escalated"]
"""`answered` gives something or says that it is done; `asked` waits for something that is needed; `refused` does not do
it, whatever is advised instead; `escalated` gives the matter to a person."""

Speech = Literal[
    "statement", "ask", "question", "offer", "closing", "refusal", "impossible", "unfound", "handover", "redirect", "promise", "thanks",
    "filler",
]  # fmt: skip
"""What one clause does. `ask` wants what is needed, `question` is any other; `impossible` says that nobody can."""


class Behaviour(msgspec.Struct, frozen=True):
    """What a reply did, with the words that decided and where they stand in it.

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


class Clause(msgspec.Struct, frozen=True):
    """A part of a reply at `[start, end)` and what it does. `contrast` says that it follows a "but"."""

    speech: Speech
    text: str
    start: int
    end: int
    contrast: bool = False


_HEAD: Final = 4000
_TAIL: Final = 2000
_MASK: Final = "\u25a1"
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”]{1,600}”|„[^“”\n]{1,600}[“”]|«[^»]{1,600}»|「[^」]{1,600}」|『[^』]{1,600}』|(?<!\w)'[^'\n]{1,300}'(?!\w)|‘[^’\n]{1,300}’(?!\w)"
)
_WRAPPED: Final = re.compile(r"\A\s*([\"“„«「『])(.*)([\"”“»」』])\s*\Z", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?:[^.!?…。！？؟\n]|[.!?…](?![\s\"'”»)*_]|\Z))+[.!?…。！？؟]*[\"'”»)*_]*|[.!?…。！？؟]+")
_ASKS: Final = re.compile(r"[?？؟]\W*\Z")
_LETTER: Final = re.compile(r"[^\W_]")


def behaviour(text: str, request: str = "") -> Behaviour:
    """Tell what a reply did. `request` is what the user had said; it decides where the reply alone does not.

    An empty text did nothing. Of a text beyond 6,000 characters the first 4,000 and the last 2,000 are read.
    """
    return _behaviour(text, request[:2000]) if text.strip() else Behaviour(None)


@lru_cache(maxsize=2048)
def _behaviour(text: str, request: str) -> Behaviour:
    script = script_of(text)
    if script is None:
        return _structure(text)
    wanted = _Request(request)
    read = _content(clauses(text), script) if wanted.wants_text else clauses(text)
    found = _decide(read, wanted)
    if found is None:
        return Behaviour(None)
    act, decisive, sure = found
    if decisive.speech == "statement" and script == "latin" and not _is_read(text):
        sure = False
    if script == "han":
        sure = False
    return Behaviour(act, text[decisive.start : decisive.end].strip(), decisive.start, decisive.end, sure)


def _is_read(text: str) -> bool:
    """Whether it says something that no word of ours was found in a text: its language is read, or it is mere data."""
    language = language_of(text)
    return language in _READ or _plain(text) or (language is None and re.search(r"\d", text) is not None)


_READ: Final = ("en", "de", "es", "ko", "ja")


def _structure(text: str) -> Behaviour:
    """A text without words we know: figures or JSON alone are an answer, the rest is open."""
    if _plain(text):
        return Behaviour("answered", text.strip()[:200], 0, len(text), sure=True)
    return Behaviour(None)


_FIELD: Final = re.compile(r"[\s*•–-]*[^\W\d_][^:：=|]{0,40}[:：=|].*[^\s:：]\s*\Z")


def _plain(text: str) -> bool:
    """Whether a text is data: JSON, a list of fields, or hardly a letter but figures."""
    bare = text.strip()
    lines = [line for line in bare.splitlines() if line.strip()]
    if len(lines) > 1 and all(_FIELD.match(line) for line in lines):
        return True
    letters, figures = len(re.findall(r"[^\W\d_]", bare)), len(re.findall(r"\d", bare))
    return (bare[:1] in "{[" and bare[-1:] in "}]") or figures > letters


class _Request:
    """What the user had asked for, read when it is needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.script: Script = script_of(text) or "latin"

    def _has(self, kind: Literal["act_request", "fact_request", "text_request", "thanks_request", "send_request", "human_request", "human"]) -> bool:
        return pattern(kind, self.script).search(self.text) is not None

    @property
    def wants_fact(self) -> bool:
        """A question about how things are, which is answered with a no as well."""
        return bool(self.text) and self._has("fact_request") and not self.wants_deed

    @property
    def wants_deed(self) -> bool:
        """Something is to be done."""
        return self._has("act_request") and not (self._has("fact_request") and self.script == "latin")

    @property
    def wants_text(self) -> bool:
        """A text is to be written or translated: questions in the reply are its content."""
        return bool(self.text) and self._has("text_request")

    @property
    def thanks(self) -> bool:
        """The user thanks or takes leave."""
        return self._has("thanks_request")

    @property
    def expects_hand_over(self) -> bool:
        """Something is to be sent to somebody, or a person is asked about: telling of it is the answer then."""
        if not self.text:
            return False
        if self._has("send_request"):
            return not self._has("human_request")
        return self.wants_fact and self._has("human") and not self._has("human_request")

    def shares_deed(self, text: str) -> bool:
        """Whether a text speaks of the deed that was asked for (book, cancel, send …)."""
        return not self.wants_fact and any(d.search(self.text) and d.search(text) for d in _DEEDS)


_DEEDS: Final = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"\bbook|\breserv|\bbuch|reservier|예약|예매|予約",
        r"\bcancel|storn|kündig|\banul|취소|해지|キャンセル|取り消|解約",
        r"\border|\bbuy|\bpurchas|bestell|kauf|\bpid|\bpedid|\bcompr|주문|구매|구입|注文|購入",
        r"\bdelet|\bremov|\beras|lösch|entfern|\bborr|\belimin|삭제|지우|지워|削除|消",
        r"\bsend|\bforward|\be-?mail|\bsend|schick|\benv[ií]|\bmand|보내|전송|발송|送",
        r"\bchang|\bupdat|\bmodif|änder|aktualisier|\bcambi|\bactualiz|변경|바꾸|바꿔|수정|変更|変え|更新",
        r"\btransfer|\bpay|überweis|zahl|\btransfer|\btransfier|\bpag|이체|송금|결제|振込|振り込|送金|支払",
        r"\brefund|\breturn|erstatt|rückgab|zurück|\breembols|\bdevol|\bdevuelv|환불|반품|返金|返品",
        r"\bschedul|\bappointment|termin|\bcita|일정|약속|予定|日程",
        r"\bexchang|tausch|\bcanje|교환|交換",
    )
)


# ---- clauses ---------------------------------------------------------------------------------------------------


def clauses(text: str) -> tuple[Clause, ...]:
    """Cut a text into clauses and say what each does. Positions are those of the text itself."""
    script = script_of(text) or "latin"
    return _clauses(text, script)


@lru_cache(maxsize=512)
def _clauses(text: str, script: Script) -> tuple[Clause, ...]:
    masked = _masked(text)
    pieces = [(0, masked)] if len(masked) <= _HEAD + _TAIL else [(0, masked[:_HEAD]), (len(masked) - _TAIL, masked[-_TAIL:])]
    return tuple(c for offset, piece in pieces for c in _read(piece, offset, script))


def _masked(text: str) -> str:
    """A text with what is quoted blotted out, at the same length; quotes around the whole are none."""
    wrapped = _WRAPPED.match(text)
    if wrapped and wrapped.group(1) not in wrapped.group(2) and wrapped.group(3) not in wrapped.group(2):
        text = " " * wrapped.start(2) + wrapped.group(2) + " " * (len(text) - wrapped.end(2))
    text = _CODE.sub(_blot, text)
    return _QUOTED.sub(_blot, text)


def _blot(found: re.Match[str]) -> str:
    return "".join("\n" if c == "\n" else _MASK for c in found.group(0))


def _read(piece: str, offset: int, script: Script) -> Iterator[Clause]:
    for sentence in _SENTENCE.finditer(piece):
        words = sentence.group(0)
        if not _LETTER.search(words) and _MASK not in words:
            continue
        asked = _is_question(words, script)
        cuts = [0, *_cuts(words, script, asked=asked), len(words)]
        for n, (start, end) in enumerate(zip(cuts, cuts[1:], strict=False)):
            part = words[start:end]
            if not part.strip():
                continue
            speech = _speech(part, script, asked=asked and end == len(words))
            at = offset + sentence.start()
            yield Clause(speech, part, at + start, at + end, contrast=n > 0 or _opens_contrast(part, script))


def _cuts(sentence: str, script: Script, *, asked: bool) -> list[int]:
    """Where a sentence falls into clauses: at a "but", and at the mark that opens a Spanish question."""
    if asked:
        return [m.start() for m in re.finditer("¿", sentence) if _LETTER.search(sentence[: m.start()])][:1]
    # In Korean and Japanese the word closes the clause before it.
    found = pattern("contrast", script).finditer(sentence)
    cuts = [m.end() if script in ("hangul", "kana") else m.start() for m in found]
    return [c for c in cuts if 0 < c < len(sentence)]


def _opens_contrast(part: str, script: Script) -> bool:
    found = pattern("contrast", script).search(part[:24])
    return found is not None


def _is_question(sentence: str, script: Script) -> bool:
    return _ASKS.search(sentence) is not None or "¿" in sentence or pattern("question", script).search(sentence) is not None


def _speech(part: str, script: Script, *, asked: bool) -> Speech:
    """What a clause does. The order is that of how much a finding says about the whole."""

    def has(kind: str) -> re.Match[str] | None:
        return pattern(kind, script).search(part)  # type: ignore[arg-type] -- the names below are kinds

    if has("closing"):
        return "closing"
    if asked:
        return _asked(part, script)
    needed, refused = has("need"), has("cannot")
    if not refused and not has("thanks") and _is_filler(part, script):
        return "filler"
    handed = list(pattern("handover", script).finditer(part))
    if any(not _hangs(part, h, refused, script) for h in handed):
        return "handover"
    if has("permission"):
        return "ask"
    if has("if_liked") and not has("open_question") and not refused:
        return "offer"
    if needed and not (refused and not has("without")):
        sent = has("redirect")
        if not (sent and sent.start() <= needed.start() and sent.end() >= needed.end()):
            return "ask"
    if has("unfound"):
        return "unfound"
    if refused:
        return "ask" if has("without") else "refusal"
    if has("impossible"):
        return "ask" if has("without") else "impossible"
    if handed:
        return "offer"
    if has("redirect"):
        return "redirect"
    if has("offer"):
        return "offer"
    if has("thanks"):
        return "thanks"
    return _said(part, script)


def _said(part: str, script: Script) -> Speech:
    """A clause that asks nothing and denies nothing: a promise, or something said."""
    return "promise" if pattern("promise", script).search(part) and not re.search(r"\d", part) else "statement"


def _is_filler(part: str, script: Script) -> bool:
    """Whether hardly a letter is left when polite words are taken out."""
    if _MASK in part:
        return False
    left = pattern("filler", script).sub(" ", part)
    return len(_LETTER.findall(left)) < (3 if script == "latin" else 2)


def _asked(part: str, script: Script) -> Speech:
    if pattern("handover", script).search(part) and not pattern("need", script).search(part):
        return "offer"
    if pattern("permission", script).search(part) or pattern("need", script).search(part):
        return "ask"
    if pattern("offer", script).search(part) and not pattern("open_question", script).search(part):
        return "offer"
    return "ask" if pattern("open_question", script).search(part) else "question"


def _hangs(part: str, handed: re.Match[str], refused: re.Match[str] | None, script: Script) -> bool:
    """Whether a hand-over is denied, only possible, or has a condition.

    Korean and Japanese put both behind the verb. Elsewhere a denial reaches to the next comma or conjunction.
    """
    before, after = part[: handed.start()], part[handed.end() : handed.end() + 14]
    if script in ("hangul", "kana"):
        before = part[: handed.end()]
        if pattern("pending", script).search(after) or (refused and refused.end() > handed.end()):
            return True
    elif refused and handed.end() > refused.start():
        if not _BREAK.search(part[min(refused.end(), handed.start()) : handed.start() + 1]):
            return True
        before = before[refused.end() :]
    return pattern("condition", script).search(before) is not None


_BREAK: Final = re.compile(r"[,;:–]| (?:and|und|y|e) ")


# ---- the decision ----------------------------------------------------------------------------------------------


def _decide(read: Sequence[Clause], request: _Request) -> tuple[Act, Clause, bool] | None:
    """The act, the clause that decided, and whether that is sure."""

    def first(*kinds: Speech) -> Clause | None:
        return next((c for c in read if c.speech in kinds), None)

    handed = first("handover")
    if handed is not None and not request.expects_hand_over:
        return "escalated", handed, True
    asked = _needs(read, request)
    refused = first("refusal") or (None if request.wants_fact else first("impossible"))
    if refused is not None:
        return _refused(read, refused, asked, request)
    told = _told(read)
    if asked is not None:
        return "asked", asked, True
    offered = first("offer", "question")
    if told is not None or handed is not None:
        if offered is not None and request.shares_deed(offered.text) and not any(map(_is_own_deed, read)):
            return "asked", offered, True
        return "answered", told or handed or read[0], True
    if offered is not None:
        return "asked", offered, offered.speech == "question" or offered.text.rstrip()[-1:] in "?？"
    return _little(read, request)


def _content(read: Sequence[Clause], script: Script) -> tuple[Clause, ...]:
    """Clauses of a text that was to be written: a question that does not speak of the writing is part of it."""

    def is_own(c: Clause) -> bool:
        return any(pattern(kind, script).search(c.text) for kind in ("need", "permission", "offer"))  # type: ignore[arg-type]

    return tuple(
        msgspec.structs.replace(c, speech="statement") if c.speech in ("ask", "question") and not is_own(c) else c
        for c in read
    )


def _needs(read: Sequence[Clause], request: _Request) -> Clause | None:
    """The clause that asks for what is needed."""
    asks = [c for c in read if c.speech == "ask"]
    if not asks:
        return None
    # A question the text itself answers afterwards is a heading.
    last = asks[-1]
    after = [c for c in read if c.start > last.start and c.speech == "statement"]
    rhetorical = len(after) > 2 and pattern("need", request.script).search(last.text) is None
    return None if rhetorical else last


def _refused(
    read: Sequence[Clause], refused: Clause, asked: Clause | None, request: _Request
) -> tuple[Act, Clause, bool]:
    """A reply with an inability: a question for what is needed goes before it, an answer after it too."""
    if asked is not None and asked.start >= refused.start:
        return "asked", asked, True
    known = set(_FIGURE.findall(request.text))
    for c in read:
        tells = c.speech == "statement" and bool(set(_FIGURE.findall(c.text)) - known)
        if c.start > refused.start and c.contrast and tells:
            return "answered", c, False
        # What was given before is not taken back by a limit named after it; before a deed was refused it is the reason.
        if c.start < refused.start and (_is_own_deed(c) or (tells and bool(request.text) and not request.wants_deed)):
            return "answered", c, True
    if asked is not None:
        return "asked", asked, False
    return "refused", refused, True


_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*")


def _told(read: Sequence[Clause]) -> Clause | None:
    """The clause that gives something."""
    return next((c for c in read if c.speech in ("statement", "unfound", "impossible")), None)


def _is_own_deed(clause: Clause) -> bool:
    """Whether a clause tells something the agent has done."""
    return clause.speech == "statement" and _OWN.search(clause.text) is not None and wording(clause.text).claims


_OWN: Final = re.compile(
    r"\b(?:i|we|ich|wir|he|hemos)\b|(?:했|드렸)(?:습니다|어요)|(?<!され)(?:しました|いたしました)", re.IGNORECASE
)


def _little(read: Sequence[Clause], request: _Request) -> tuple[Act, Clause, bool] | None:
    """Replies that neither give nor deny: sent elsewhere, thanked, promised."""
    by_kind = {c.speech: c for c in reversed(read)}
    if "redirect" in by_kind:
        return ("answered" if request.wants_fact else "refused"), by_kind["redirect"], bool(request.text)
    if "thanks" in by_kind:
        return "answered", by_kind["thanks"], True
    if "closing" in by_kind and "promise" not in by_kind:
        return "answered", by_kind["closing"], request.thanks
    return None
