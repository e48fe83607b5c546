"""The exceptions a user can meet, and the exit code each of them carries.

    RootcallError                2   anything below
    ├── UsageError               2   a command, an option or a configuration that cannot be meant
    │   └── ConfigError          2   a configuration file: what was wanted, what came, where
    ├── InputError               2   a file as a whole cannot be used
    │   ├── EmptyInputError      3   there is nothing in it: nothing was scored, and nothing is wrong with it
    │   └── UnknownFormatError   2   no reader recognises it, or two alike; names what was seen and what is supported
    ├── CaseError                2   a case that cannot be a case: every fault of the file at once
    ├── PolicyError              2   a policy that cannot be meant: every fault of the file at once
    └── ScorerError              2   a scorer that cannot be made or run
        └── ScorerRunError       2   a step of a scorer failed in a run; names the step, and those before it

Any other exception is a bug of ours, and leaves with 70: no finding, and no mistake of the user.

A single bad line is no exception: it becomes a `Problem` (see `rootcall.trace`), and the rest is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "BUG_EXIT",
    "CaseError",
    "ConfigError",
    "EmptyInputError",
    "InputError",
    "PolicyError",
    "RootcallError",
    "ScorerError",
    "ScorerRunError",
    "UnknownFormatError",
    "UsageError",
]

BUG_EXIT = 70
"""The exit code of a bug of ours, which is neither a finding (1) nor a mistake of the user (2)."""


class RootcallError(Exception):
    """Base of all our exceptions. Its text is one clear line: what was wanted, what came, where, what to do."""

    exit_code = 2


class UsageError(RootcallError):
    """A command or an option that cannot be meant."""


class ConfigError(UsageError):
    """A configuration file that cannot be meant."""


class InputError(RootcallError):
    """A file that as a whole cannot be used: missing, unreadable, empty of traces."""


class EmptyInputError(InputError):
    """Nothing is in the input. What wrote it had nothing to write: that is no mistake, and no result either."""

    exit_code = 3


class UnknownFormatError(InputError):
    """No reader recognises the content, or two do alike."""


class CaseError(RootcallError):
    """A case that cannot be a case."""


class PolicyError(RootcallError):
    """A policy that cannot be meant."""


class ScorerError(RootcallError):
    """A scorer that cannot be made or run."""


class ScorerRunError(ScorerError):
    """A step of a scorer failed. The exception of the step is its `__cause__`.

    `failed_step` is one of `preprocess analyze generate_score generate_reason`, `completed_steps` are those before it, and
    `result` is a `rootcall.mastra.ScorerResult` of what they found, with the prompts and answers of judges so far.
    """

    def __init__(
        self, scorer_id: str, failed_step: str, completed_steps: Sequence[str], cause: Exception, result: Any = None
    ) -> None:
        why = " ".join(str(cause).split()) or type(cause).__name__
        super().__init__(f"scorer {scorer_id}: {failed_step} failed: {why[:500]}")
        self.scorer_id = scorer_id
        self.failed_step = failed_step
        self.completed_steps = list(completed_steps)
        self.result = result
