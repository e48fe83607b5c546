"""Utilization: does the answer use what the tools returned?

`answers` collects what could be known when an answer was given, `binding` ties a claim to facts, `derived` knows
announced arithmetic, `claims` judges values, `prose` binds those of long texts by record and field, `attributes` flags and states, `absence` what is told from nothing, `identity` whose
result it was, `weekdays` what the calendar says of a weekday beside a date.
"""

from __future__ import annotations

from typing import Final

from rootcall.check import RuleFunction
from rootcall.layers.utilization.absence import missing_fact, told_without_result, unread_payload
from rootcall.layers.utilization.attributes import told_attributes
from rootcall.layers.utilization.claims import grounding
from rootcall.layers.utilization.identity import other_identity
from rootcall.layers.utilization.weekdays import weekdays_told

__all__ = ["RULES"]

RULES: Final[tuple[RuleFunction, ...]] = (
    grounding,
    weekdays_told,
    told_attributes,
    told_without_result,
    unread_payload,
    other_identity,
    missing_fact,
)
