"""Whether a number counts what stands behind it, and so is no day: `30 people`, `두 명`, `2名`, `zwei Personen`.

What else a number may be is `rootcall.evidence.dates.lexing`'s.
"""

from __future__ import annotations

import re
from typing import Final

from rootcall.evidence.dates.lexicon import LATIN
from rootcall.evidence.words import folded, word_set
from rootcall.lazypattern import lazy

__all__ = ["COUNTERS", "counts"]

# What is counted in orders and bookings, where any noun may follow a day ("the December 10 flight").
COUNTERS: Final = lazy(
    r"\s?(?:명|인\b|분\b|분이|분께|사람|개|대\b|장|매\b|방|객실|마리|병|잔|권|건|회|번|층|호|살|세\b|원|시간|名|人|個|个|间|間|部屋|室|枚|台|冊|本|杯|匹|頭|回|階|階|位|张|張|辆|次|楼|歳|岁|円|元)"
    r"|\s(?:people|persons?|guests?|adults?|children|kids|friends|passengers?|travell?ers|visitors|attendees|participants|rooms?|tickets?|seats|tables?|beds?|pieces|items|"
    r"copies|units|bottles|boxes|hours?|minutes?|percent|dollars|euros|miles|stops?|bags?|stars?|players|tickets|"
    r"personen|leute|gäste|erwachsene\w*|kinder|freunde|zimmer|plätze|karten|tickets|stück|stunden|minuten|"
    r"personas?|adultos|niños|huéspedes|habitaci\w+|entradas|billetes|horas|minutos|amigos|"
    r"personnes?|adultes|enfants|invités|chambres?|places|billets|heures|minutes|amis)\b",
    re.IGNORECASE,
)
_BEHIND: Final = lazy(
    r"[ \t\u00a0]+(?P<word>[^\W\d_]+)|(?P<eastern>[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
)
# Words that go on with the sentence behind a day, and are nothing that could be counted.
_GO_ON: Final = word_set(
    "at for to in on of by and or but please thanks thank if from with without then i we you he she they is are was were will would can could should "
    "do does did the a an my our your this that it only both not so as until till through via around about before after during when where while because "
    "since be book find get show leaving returning staying arriving departing leave return stay arrive depart travelling traveling flying need want "
    "für mit und oder aber bitte ich wir um nach von bis im am zum zur ein eine einen der die das den dem nur ist sind war wird werden kann können möchte "
    "ab ohne wenn als auf bei uhr "
    "por para con sin y o pero si a al las los el la un una de del en es son quiero necesito desde hasta que "
    "pour avec sans et ou mais si à au aux le les l un une de du des en est sont je nous il on dans depuis jusqu jusque vers chez par s d "
    "am pm noon midnight uhr"
)


def counts(text: str, end: int, language: str) -> bool:
    """Tell whether the number that ends here stands before a noun it may count or name: "to 2 friends", "2. Gleis".

    A word of days and months, and one that goes on with the sentence, is no such noun; in German a noun has a capital.
    """
    if COUNTERS.match(text, end):
        return True
    m = _BEHIND.match(text, end)
    if m is None or m["eastern"]:
        return m is not None and language not in ("zh", "ja")
    word = folded(m["word"])
    if word in _GO_ON or word in LATIN.get(language, LATIN["en"]):
        return False
    return language != "de" or m["word"][0].isupper()
