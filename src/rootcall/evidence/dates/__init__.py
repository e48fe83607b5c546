"""Days that a text speaks of, each as a small set of readings against a reference day.

"Next Friday" is a convention: some mean the nearest Friday, some the Friday of the next calendar week (which begins on
Sunday or on Monday). Nobody asked which, so an expression has a set of readings and a value is wrong only when it lies
outside the whole set, or outside the part of it that a project's declared convention leaves. Words stand in `lexicon`,
`lexing` cuts a text into islands of them, `counting` tells numbers that count, `grammar` says how they go together, `calendar` what they mean as days,
`expressions` places them in a text, `fallback` asks dateparser about phrases in other languages; `sent` reads values and
clock times. The reference day comes from
`rootcall.evidence.clock`. Never reads the wall clock.
"""

from rootcall.evidence.dates.calendar import Reading
from rootcall.evidence.dates.expressions import ANY, Expression, Graded, grade, phrase, readings, relative_phrase
from rootcall.evidence.dates.sent import clock_times, instant, no_such_day, sent_days

__all__ = [
    "ANY",
    "Expression",
    "Graded",
    "Reading",
    "clock_times",
    "grade",
    "instant",
    "no_such_day",
    "phrase",
    "readings",
    "relative_phrase",
    "sent_days",
]
