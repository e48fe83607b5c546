"""What each rule about stated values looks at; `claims` names them, `numbers` and `moments` find them."""

from __future__ import annotations

from typing import Final

from rootcall.check import Grade, Rule

__all__ = ["CATALOGUE"]


def _rule(name: str, looks_at: str, why: str, fails: str, passes: str, grade: Grade = "likely") -> Rule:
    return Rule(name=f"utilization/{name}", looks_at=looks_at, why=why, fails=fails, passes=passes, grade=grade)


CATALOGUE: Final = (
    _rule(
        "supported",
        "A value in an answer that agrees with the field it is bound to, at the precision shown, or follows from facts by announced arithmetic.",
        "It is the pass beside the faults below, so that a share of supported claims exists.",
        "(never fails; its failures have the names below)",
        'amount_cents: 4500 told as "$45.00", "$45" or "4,500 cents"',
    ),
    _rule(
        "transposed-digits",
        "A number that has the digits of the bound field in another order.",
        "The commonest slip in copying; every digit is right, so a quick look passes it.",
        'amount_cents: 4500 told as "$54.00"',
        'amount_cents: 4500 told as "$45.00"',
    ),
    _rule(
        "scale-slip",
        "A number that differs from the bound field by a power of ten, or takes minor units for major ones.",
        "Cents told as dollars are a hundred times too much; a ratio told as a percentage without the factor a hundred times too little.",
        'amount_cents: 4500 told as "$4,500"',
        'amount: 4500 told as "$4,500.00"',
    ),
    _rule(
        "sibling-value",
        "A value that is in the payload, but in another field or record than the one the words name.",
        "It is why a search for the number in the payload finds almost no wrong numbers.",
        'high_c: 18, low_c: 12 told as "high 12 °C"',
        'high_c: 18, low_c: 12 told as "high 18 °C, low 12 °C"',
    ),
    _rule(
        "shifted-date",
        "A date a few days, or a year, away from the date of the bound field; and a weekday beside a date that falls on another.",
        "A booking told for the wrong day is missed.",
        'date: 2026-06-03 told as "4 June"',
        'date: 2026-06-03 told as "3 June"',
    ),
    _rule(
        "wrong-unit",
        "A number that is the field's, under a unit that is not.",
        "20 kg and 20 lb are two bags.",
        'max_kg: 20 told as "20 lb"',
        'max_kg: 20 told as "20 kg" or "about 44 lb"',
    ),
    _rule(
        "wrong-derivation",
        "A value that words announce as derived (total, difference, average …) and that no such arithmetic over the facts gives.",
        "Sums are where right parts become a wrong whole.",
        'change_fee 48 and fare_difference 55, "so $112.00 altogether"',
        '"so $103.00 altogether"',
    ),
    _rule(
        "unsupported",
        "A value bound to a field by its words or unit that neither this field nor anything said before holds.",
        "It is made up, whatever it looks like.",
        'total_paid 914.00 told as "the booking cost $1,887.00"',
        '"the booking cost $914.00"',
    ),
    _rule(
        "drift",
        "A value in a later turn that contradicts what an earlier result holds.",
        "Answers are right at first and wander when asked again.",
        'duration_minutes: 180, told rightly in turn 1, "225 minutes" in turn 2',
        '"180 minutes" in both turns',
    ),
    _rule(
        "empty-as-found",
        "Values told as found although the result was empty.",
        "An empty list is an answer; inventing entries is worse than saying so.",
        'deals: [] told as "there are two: Expansion and Data add-on"',
        '"there are no deals at that stage"',
    ),
    _rule(
        "absent-as-known",
        "Values told although the field is null, was left out, no result came back at all, or no tool ran in the whole trace.",
        "What is not there cannot be read.",
        'arr_cents: null told as "$19,610.00 a year"',
        '"the record has no revenue figure"',
    ),
)
