"""The language a text is written in, by its script and by small words that are frequent in one language and rare in others."""

from __future__ import annotations

import re
from typing import Final

from rootcall.evidence.words import word_set

__all__ = ["language_of", "languages_of"]

# Small words that give a language away; they must be frequent in it and rare in the others.
_SMALL_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": word_set(
        """
    the is are was were has have had been you your i i'm i've it's that this for with and of to not on at it in
    done sorry all an there couldn't didn't can't
    """
    ),
    "de": word_set(
        """
    der die das ist sind wurde wurden nicht ich sie ihr ihre ihren und mit für auf ein eine einen habe hat
    leider zu zum dem den im
    """
    ),
    "es": word_set("el la los las es está están ha he han no se su sus que y con para por un una lo siento del al"),
    "fr": word_set("le la les est sont a été je vous votre vos et avec pour un une des du ne pas n'ai j'ai c'est au"),
    "pt": word_set("o os as é está estão foi não se seu sua que e com para por um uma do da no na ao"),
    "it": word_set("il lo gli è sono stato stata non si suo sua che e con per un una del della ho nel al"),
    "nl": word_set("de het een is zijn was werd niet ik u je uw en met voor op van heb heeft helaas te dat"),
}


# Letters and marks that hardly stand in another of these languages.
_OWN_LETTERS: Final = {"de": "[äöüßÄÖÜ]", "es": "[¿¡ñÑíóú]"}


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages whose words can stand in a text, as two-letter codes, the likeliest first.

    English goes with every script, since names and terms are often English. A text in a Latin script without two small
    words can be any; one in a script whose words are not known has none. A foreign name does not change a script.
    """
    own = _by_script(text)
    if own is not None:
        return (own, "en")
    words = _words(text)
    if not words or sum(1 for w in words if ord(w[0]) < 0x250) * 2 < len(words):
        return ()
    counts = {code: sum(1 for w in words if w in small) for code, small in _SMALL_WORDS.items()}
    for code, letters in _OWN_LETTERS.items():
        counts[code] += 2 if re.search(letters, text) else 0
    most = max(counts.values())
    enough = most / 2 if most > 1 else 0  # one small word alone may be a word of another language
    likely = sorted((c for c in counts if counts[c] >= enough), key=lambda c: -counts[c])
    return tuple(dict.fromkeys((*likely, "en")))


def _by_script(text: str) -> str | None:
    """Korean, Japanese or Chinese where most of a text is in their signs; one of them says as much as three letters."""
    hangul, kana, han = (len(re.findall(signs, text)) for signs in ("[가-힣]", "[ぁ-んァ-ヶー]", "[一-鿿]"))
    if not hangul + kana + han:
        return None
    latin = len(re.findall(r"[A-Za-zÀ-ɏ]", text))
    if 3 * hangul > latin and hangul >= kana:
        return "ko"
    if kana and 3 * (kana + han) > latin:
        return "ja"
    return "zh" if 3 * han > latin else None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.lower().replace("’", "'"))


def language_of(text: str) -> str | None:
    """Return the language of a text as a two-letter code, by script and small words; None when it is none we know."""
    if re.search(r"[가-힣]", text):
        return "ko"
    if re.search(r"[ぁ-んァ-ン]", text):
        return "ja"
    if re.search(r"[一-鿿]", text):
        return "zh"
    words = _words(text)
    if not words or sum(1 for w in words if ord(w[0]) < 0x250) * 2 < len(words):
        return None
    counts = {code: sum(1 for w in words if w in small) for code, small in _SMALL_WORDS.items()}
    best = max(counts, key=lambda code: counts[code])
    if counts[best] == 0:
        return None
    return best
