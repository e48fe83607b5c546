"""Are the arguments valid, and were they meant? The arguments layer from the trace, and against a case.

Rules that say most about a value come first: where several fail for one argument, the first names the cause
("next Friday" is a relative date before it is a text that breaks `format`).
"""

from __future__ import annotations

from rootcall.check import RuleFunction
from rootcall.layers.arguments.amounts import policy_bound, unit_slip
from rootcall.layers.arguments.days import described_form, relative_date, timezone_slip
from rootcall.layers.arguments.envelope import envelope
from rootcall.layers.arguments.gold import value_mismatch
from rootcall.layers.arguments.hours import wrong_time
from rootcall.layers.arguments.identity import other_entity
from rootcall.layers.arguments.keywords import keywords
from rootcall.layers.arguments.numerals import number_misread, unit_slip_of_result
from rootcall.layers.arguments.pairs import swapped_labels
from rootcall.layers.arguments.policy import bounds
from rootcall.layers.arguments.sources import placeholder, provenance
from rootcall.layers.arguments.spoken import wrong_date
from rootcall.layers.arguments.unsourced import unsourced
from rootcall.layers.arguments.validators import validators
from rootcall.layers.arguments.wording import null_erases, swapped, truncated

__all__ = ["RULES"]

RULES: tuple[RuleFunction, ...] = (
    envelope,
    relative_date,
    placeholder,
    keywords,
    validators,
    described_form,
    null_erases,
    truncated,
    unit_slip,
    unit_slip_of_result,
    number_misread,
    timezone_slip,
    swapped,
    swapped_labels,
    wrong_date,
    wrong_time,
    provenance,
    other_entity,
    unsourced,
    policy_bound,
    bounds,
    value_mismatch,
)
