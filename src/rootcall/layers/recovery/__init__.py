"""Recovery: what the agent did after a tool failed. One unit per error episode.

`catalogue` documents the rules, `reactions` judges what was done, `claims` what was said.
"""

from rootcall.layers.recovery.reactions import RULES

__all__ = ["RULES"]
