"""Names of months and number words in a few languages, for whoever reads values in texts.

The words of day expressions stand in `rootcall.evidence.dates.lexicon`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["MONTHS", "NUMBERS"]


def _index(groups: str) -> dict[str, int]:
    """`"monday montag,tuesday dienstag"` gives the index of the group for each word."""
    return {word.replace("_", " "): i for i, group in enumerate(groups.split(",")) for word in group.split()}


MONTHS: Final[Mapping[str, int]] = {
    w: i + 1
    for w, i in _index(
        "january jan januar jänner enero ene janvier janv,february feb februar febrero février févr fevrier,"
        "march mar märz maerz marzo mars,april apr abril abr avril avr,may mai mayo,june jun juni junio juin,"
        "july jul juli julio juil juillet,august aug agosto ago août aout,september sept sep septiembre septembre,"
        "october oct oktober okt octubre octobre,november nov noviembre novembre,"
        "december dec dezember dez diciembre dic décembre déc decembre"
    ).items()
}

NUMBERS: Final[Mapping[str, int]] = {
    **_index(
        "zero,a an one ein eine einem einer un una une uno,two zwei dos deux couple couple_of a_couple_of,"
        "three drei tres trois,four vier cuatro quatre,five fünf cinco cinq,six sechs seis,seven sieben siete sept,"
        "eight acht ocho huit,nine neun nueve neuf,ten zehn diez dix,eleven elf once onze,twelve zwölf doce douze"
    ),
    "fourteen": 14, "vierzehn": 14, "quince": 15, "quinze": 15, "fifteen": 15, "twenty": 20, "thirty": 30,
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9, "열흘": 10, "보름": 15,
    "한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "일": 1,
    **_index("〇,一 壱,二 两 兩,三,四,五,六,七,八,九,十"),
}  # fmt: skip
