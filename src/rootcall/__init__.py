"""rootcall tells you which layer of a tool-calling agent broke: selection, arguments, utilization or recovery.

    import rootcall
    for trace in rootcall.read("traces.jsonl"):
        print(rootcall.verdict(trace))

The names below are the public ones. Each is imported when it is first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rootcall.case import Case as Case
    from rootcall.case import Cases as Cases
    from rootcall.case import load_cases as load_cases
    from rootcall.check import Check as Check
    from rootcall.check import Rule as Rule
    from rootcall.check import emits as emits
    from rootcall.config import Config as Config
    from rootcall.config import load_config as load_config
    from rootcall.diagnosis import Verdict as Verdict
    from rootcall.errors import RootcallError as RootcallError
    from rootcall.judging import rules as rules
    from rootcall.judging import verdict as verdict
    from rootcall.policy import load_policy as load_policy
    from rootcall.readers import read as read
    from rootcall.run import load_run as load_run
    from rootcall.run import score as score
    from rootcall.summary import Run as Run
    from rootcall.tools import load_tools as load_tools
    from rootcall.trace import Call as Call
    from rootcall.trace import Tool as Tool
    from rootcall.trace import Trace as Trace

_HOME = {
    "Call": "trace",
    "Case": "case",
    "Cases": "case",
    "Check": "check",
    "Config": "config",
    "RootcallError": "errors",
    "Rule": "check",
    "Run": "summary",
    "Tool": "trace",
    "Trace": "trace",
    "Verdict": "diagnosis",
    "emits": "check",
    "load_cases": "case",
    "load_config": "config",
    "load_policy": "policy",
    "load_run": "run",
    "load_tools": "tools",
    "read": "readers",
    "rules": "judging",
    "score": "run",
    "verdict": "judging",
}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604 -- every name of the table is a text


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rootcall' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rootcall.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
