"""Selection: was the right tool called, or rightly none?

`calls` looks at calls against what was offered and what a case expects, `ordering` at tools that must come before
others, at limits and at what may not go together, `consent` at the user's yes, `without_call` at what was done instead of a call.
What a policy says goes before what words tell.
"""

from __future__ import annotations

from rootcall.check import RuleFunction
from rootcall.layers.selection.calls import against_case, responses, tool_not_offered
from rootcall.layers.selection.consent import policy_confirm
from rootcall.layers.selection.ordering import limits, policy_requires

__all__ = ["RULES"]

RULES: tuple[RuleFunction, ...] = (
    tool_not_offered,
    responses,
    policy_requires,
    limits,
    policy_confirm,
    against_case,
)
