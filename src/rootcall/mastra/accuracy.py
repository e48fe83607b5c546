"""The tool-call-accuracy scorers by name: either semantics, and `explain`, which says where the two part and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec

from rootcall.errors import RootcallError, UsageError
from rootcall.jsonvalue import MISSING, Missing
from rootcall.mastra.corrected import Expectation, corrected_code, corrected_llm
from rootcall.mastra.differences import Difference, Options, code_differences, judged_differences
from rootcall.mastra.judge import Model
from rootcall.mastra.prompts import INSTRUCTIONS
from rootcall.mastra.runs import TraceRun, run_of, trace_of
from rootcall.mastra.scorer import Judge, Scorer, ScorerResult
from rootcall.mastra.tool_calls import CODE_ID, LLM_ID, original_code, original_llm
from rootcall.trace import Trace

__all__ = [
    "SEMANTICS",
    "Explanation",
    "Semantics",
    "ToolCallScorer",
    "create_tool_call_accuracy_scorer_code",
    "create_tool_call_accuracy_scorer_llm",
]

Semantics = Literal["mastra-1.10.2", "rootcall"]
SEMANTICS: Final[tuple[Semantics, ...]] = ("mastra-1.10.2", "rootcall")


class Explanation(msgspec.Struct, frozen=True, rename="camel"):
    """Both semantics on one run. A score is None where there is none, and the error says why then."""

    original: float | None
    corrected: float | None
    differences: list[Difference]
    original_error: str | None = None
    corrected_error: str | None = None

    @property
    def agree(self) -> bool:
        """Whether both gave a score, and the same."""
        return self.original is not None and self.original == self.corrected

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON, in camelCase like results."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return {**found, "agree": self.agree}


class ToolCallScorer(Scorer):
    """A tool-call-accuracy scorer. Its runs may be traces too."""

    def __init__(self, semantics: Semantics, id: str, name: str, description: str, judge: Judge | None = None) -> None:  # noqa: A002 -- the field's own name
        super().__init__(id, name, description, judge)
        self.semantics = semantics
        self._expected: Options | None = None
        self._tools: Sequence[Mapping[str, Any]] = ()

    async def run(self, run: Mapping[str, Any] | Trace) -> ScorerResult:
        """Score one run, or one trace of any format; see `Scorer.run`."""
        return await super().run(_as_run(run))

    def run_sync(self, run: Mapping[str, Any] | Trace) -> ScorerResult:
        """Score one run, or one trace of any format, at once; see `Scorer.run_sync`."""
        return super().run_sync(_as_run(run))

    def explain(self, run: Mapping[str, Any] | Trace) -> Explanation:
        """Score a run with both semantics, whichever this scorer has, and say where they part and why.

        A judge-based scorer asks its judge for each. A run that one of them refuses has no score there: an error tells no
        more than that, so nothing is raised.
        """
        given = _read_once(_as_run(run))
        scored = {s: _attempt(self, s, given) for s in SEMANTICS}
        (was, was_error), (now, now_error) = scored["mastra-1.10.2"], scored["rootcall"]
        told = list(
            code_differences(given, self._expected, was, now) if self._expected else judged_differences(given, was, now)
        )
        refused = [] if was_error is None else [Difference("refused-by-original", was_error)]
        if now_error is not None:
            refused.append(Difference("refused-here", now_error))
        return Explanation(_score(was), _score(now), [*refused, *told], was_error, now_error)

    def _with_semantics(self, semantics: Semantics) -> ToolCallScorer:
        if semantics == self.semantics:
            return self
        if self._expected is not None:
            e = self._expected
            return create_tool_call_accuracy_scorer_code(e.tool, e.strict, e.order, semantics=semantics)
        assert self.judge is not None
        return create_tool_call_accuracy_scorer_llm(self.judge.model, self._tools, semantics=semantics)


def _as_run(run: Mapping[str, Any] | Trace) -> Mapping[str, Any]:
    return run_of(run) if isinstance(run, Trace) else run


def _read_once(run: Mapping[str, Any]) -> Mapping[str, Any]:
    """The run with its trace, which both the scorer and the differences look at; as it is where none can be read."""
    with suppress(RootcallError):
        if isinstance(run, Mapping):  # of anything else the scorers say that it is no run
            return TraceRun(trace_of(run), run)
    return run


def create_tool_call_accuracy_scorer_code(
    expected_tool: str | Missing | None = MISSING,
    strict_mode: bool | None = False,
    expected_tool_order: Sequence[str] | Missing | None = MISSING,
    *,
    semantics: Semantics = "mastra-1.10.2",
) -> ToolCallScorer:
    """Make a scorer of names: 1.0 where the agent called what was expected, else 0.0. Arguments are not looked at.

        scorer = create_tool_call_accuracy_scorer_code(expected_tool="weather-tool")
        scorer.run_sync(run).score

    Args:
        expected_tool: the tool that must be among the calls; with `strict_mode` the only call.
        strict_mode: nothing beside what is expected.
        expected_tool_order: tools that must be called one after the other, others between them allowed; with `strict_mode`
            exactly these. Where it is given and not empty it decides alone.
        semantics: `mastra-1.10.2` is what `@mastra/evals` 1.10.2 does, to the last case: no call scores 0 always, of an order
            only first occurrences count, calls awaiting approval or denied are none. `rootcall` corrects that, takes runs in
            any readable shape, takes `expected_tool_order=[]` for "no call is right", and runs may bring their own
            `expectedTool`, `expectedToolOrder`, `strictMode` and `availableTools`; a retry is one call.

    Raises:
        ScorerError: neither a tool nor an order is expected (under `rootcall` a run may bring one: it is raised there then).
        UsageError: there are no such semantics.
    """
    _require(semantics)
    ordered = expected_tool_order not in (None, MISSING)
    description = (
        f"Were the tools called in this order: {expected_tool_order}?" if ordered else f"Was {expected_tool} called?"
    )
    scorer = ToolCallScorer(semantics, CODE_ID, "Tool Call Accuracy Scorer", description)
    scorer._expected = Options(expected_tool, strict_mode, expected_tool_order)  # noqa: SLF001 -- one of us
    if semantics == "rootcall":
        return corrected_code(scorer, Expectation.of(expected_tool, expected_tool_order, strict=strict_mode))
    return original_code(scorer, expected_tool, strict_mode, expected_tool_order)


def create_tool_call_accuracy_scorer_llm(
    model: Model, available_tools: Sequence[Mapping[str, Any]] = (), *, semantics: Semantics = "mastra-1.10.2"
) -> ToolCallScorer:
    """Make a scorer that asks a judge whether each call was appropriate to what the user asked.

        scorer = create_tool_call_accuracy_scorer_llm(model, [{"name": "weather-tool", "description": "Current weather"}])
        result = scorer.run_sync(run)
        result.score, result.reason

    Args:
        model: any callable `(prompt, schema)`, or an object with `answer(prompt, schema)`; see `rootcall.mastra.judge`.
        available_tools: objects with `name` (or `id`) and `description`, as the judge is shown them.
        semantics: `mastra-1.10.2` scores the share of evaluations that say appropriate, rounded as JavaScript rounds; without
            evaluations 0.0 where tools are missing, else 1.0 (a clarification was right). `rootcall` asks about each call with its
            arguments and outcome, grades it right, useful or wrong (1, 0.5, 0), and lets each missing tool count as a wrong call.

    Raises:
        UsageError: there are no such semantics.
    """
    _require(semantics)
    what = "Was each tool that was called appropriate to what the user asked? Answered by a judge."
    scorer = ToolCallScorer(semantics, LLM_ID, "Tool Call Accuracy (LLM)", what, Judge(model, INSTRUCTIONS))
    scorer._tools = available_tools  # noqa: SLF001 -- one of us
    return corrected_llm(scorer, available_tools) if semantics == "rootcall" else original_llm(scorer, available_tools)


def _require(semantics: str) -> None:
    if semantics not in SEMANTICS:
        raise UsageError(f"semantics must be one of {', '.join(SEMANTICS)}, got {semantics!r}")


def _attempt(
    scorer: ToolCallScorer, semantics: Semantics, run: Mapping[str, Any]
) -> tuple[ScorerResult | None, str | None]:
    """The result by these semantics, or None and why there is no score; options may be such that only one of them takes them."""
    try:
        result = scorer._with_semantics(semantics).run_sync(run)  # noqa: SLF001 -- one of us
    except RootcallError as error:
        return None, str(error.__cause__ or error)
    if result.not_scorable is not None:
        return None, f"not scorable: {result.not_scorable.reason}"
    return result, None


def _score(result: ScorerResult | None) -> float | None:
    return result.score if result is not None and result.score is not MISSING else None
