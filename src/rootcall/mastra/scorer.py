"""Scorers as chains of steps: prepare, analyse, score, explain; each a function, or a prompt for a judge.

The same builder, the same steps and the same results as in Mastra, for scorers of one's own and for those of this package.
Owns the order of steps, what each is given, and what a failed one leaves; how a judge is asked belongs to
`rootcall.mastra.judge`.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import math
import time
import uuid
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, Final, Literal, NamedTuple, Self

import msgspec

from rootcall.errors import ScorerError, ScorerRunError, UsageError
from rootcall.jsonvalue import MISSING, Missing, describe
from rootcall.mastra.judge import AnswersPrompts, JudgeAnswerError, Model, ask

__all__ = [
    "Judge",
    "JudgeExecution",
    "NotScorable",
    "PromptStep",
    "Results",
    "Scorer",
    "ScorerResult",
    "StepContext",
    "create_scorer",
    "not_scorable",
]

StepName = Literal["preprocess", "analyze", "generate_score", "generate_reason"]

_SCORE_SCHEMA: Final = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
_ANY: Final = {"description": "any JSON value"}  # not empty, since `if schema:` tells a schema from None
_CAMEL: Final = {"preprocess": "preprocess", "analyze": "analyze", "generate_score": "generateScore", "generate_reason": "generateReason"}  # fmt: skip


class Judge(msgspec.Struct, frozen=True):
    """Who is asked, and what stands before every question."""

    model: Model
    instructions: str

    def __post_init__(self) -> None:
        """Refuse what cannot answer.

        Raises:
            UsageError: the model is neither callable nor has a method `answer`.
        """
        given: object = self.model
        if not callable(given) and not isinstance(given, AnswersPrompts):
            came = repr(given) if isinstance(given, str) else type(given).__name__
            raise UsageError(
                f"Judge: the model must be a callable (prompt, schema) or have a method answer, got {came}; bring your own client"
            )


class NotScorable(msgspec.Struct, frozen=True):
    """What a step returns to end a run without a score: `reason` says why. `step` is filled in by the scorer."""

    reason: str | None = None
    step: str | None = None


def not_scorable(reason: str | None = None) -> NotScorable:
    """Say from within a step that this run cannot be scored, which is not a score of 0."""
    return NotScorable(reason)


class Results(msgspec.Struct, frozen=True):
    """What the steps before found. MISSING for a step that the scorer has not, or that comes later."""

    preprocess_step_result: Any = MISSING
    analyze_step_result: Any = MISSING
    generate_score_step_result: Any = MISSING
    generate_reason_step_result: Any = MISSING


class StepContext(NamedTuple):
    """What a step is given: the run, what the steps before found, and, for the reason, the score."""

    run: Mapping[str, Any]
    results: Results
    score: Any = MISSING


class PromptStep(msgspec.Struct, frozen=True):
    """A step that a judge answers.

    `create_prompt` gets the context; `output_schema` is the JSON Schema of the answer, or a function that makes it from the
    context (a score is asked as `{"score": number}` and a reason as plain text, so both need none). `judge` stands in for the scorer's.
    """

    description: str
    create_prompt: Callable[[StepContext], str | Awaitable[str]]
    output_schema: Mapping[str, Any] | Callable[[StepContext], Mapping[str, Any]] | None = None
    judge: Judge | None = None


Step = Callable[[StepContext], Any] | PromptStep


class JudgeExecution(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How a judge was asked: the prompt, the answer, or the error with what was said last; and how often it was asked."""

    status: Literal["success", "failed"]
    prompt: str
    attempt_count: int
    duration_ms: int
    output: Any = MISSING
    raw_output: str | None = None
    error: str | None = None


class ScorerResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a scorer found in one run.

    `score` is MISSING where the run is not scorable, and `not_scorable` says why then. Of a step that is no part of the
    scorer, result and prompt are MISSING.
    """

    run: Mapping[str, Any]
    run_id: str
    score: Any = MISSING
    reason: Any = MISSING
    preprocess_step_result: Any = MISSING
    analyze_step_result: Any = MISSING
    preprocess_prompt: str | Missing = MISSING
    analyze_prompt: str | Missing = MISSING
    generate_score_prompt: str | Missing = MISSING
    generate_reason_prompt: str | Missing = MISSING
    not_scorable: NotScorable | None = None
    judge: Mapping[str, JudgeExecution] = {}

    def to_dict(self) -> dict[str, Any]:
        """The result in Mastra's own names: the run, then `runId`, `score`, `preprocessStepResult` and the rest.

        What does not exist is left out, as JSON leaves out what JavaScript calls undefined; NaN is null.

        Raises:
            ScorerError: something that a step found, or that stands in the run, is no JSON.
        """
        own: dict[str, Any] = {
            "runId": self.run_id,
            "score": self.score,
            "reason": self.reason,
            "preprocessStepResult": self.preprocess_step_result,
            "analyzeStepResult": self.analyze_step_result,
            "preprocessPrompt": self.preprocess_prompt,
            "analyzePrompt": self.analyze_prompt,
            "generateScorePrompt": self.generate_score_prompt,
            "generateReasonPrompt": self.generate_reason_prompt,
            "notScorable": MISSING,
            "judge": MISSING,
        }
        if self.not_scorable is not None:
            ended = {"reason": self.not_scorable.reason, "step": _CAMEL.get(self.not_scorable.step or "")}
            own["notScorable"] = {k: v for k, v in ended.items() if v is not None}
        if self.judge:
            own["judge"] = {_CAMEL[name]: {"executions": [done]} for name, done in self.judge.items()}
        # What an earlier scoring left in the run is not of this one.
        found = {
            **{k: v for k, v in self.run.items() if k not in own},
            **{k: v for k, v in own.items() if v is not MISSING},
        }
        try:
            return dict(json.loads(msgspec.json.encode(found)))
        except UnicodeEncodeError:  # halves of characters, which JavaScript's texts may hold
            return dict(msgspec.to_builtins(found))
        except RecursionError:
            raise ScorerError("the result is no JSON: it is nested too deep, or holds itself") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise ScorerError(f"the result is no JSON: {error}") from None


class _Named(NamedTuple):
    name: StepName
    step: Step


class Scorer:
    """A scorer, made by `create_scorer` and its steps.

    Each step gives a new scorer, so one may be built on another; a step that is there already is replaced.
    """

    def __init__(
        self,
        id: str,  # noqa: A002 -- the field's own name
        name: str,
        description: str,
        judge: Judge | None = None,
        steps: tuple[_Named, ...] = (),
    ) -> None:
        self.id, self.name, self.description, self.judge = id, name, description, judge
        self._steps = steps

    def preprocess(self, step: Step) -> Self:
        """Add the step that prepares: it picks out of the run what the others need."""
        return self._with("preprocess", step)

    def analyze(self, step: Step) -> Self:
        """Add the step that looks: its result is what is scored."""
        return self._with("analyze", step)

    def generate_score(self, step: Step) -> Self:
        """Add the step that gives the score, a number. Every scorer needs it."""
        return self._with("generate_score", step)

    def generate_reason(self, step: Step) -> Self:
        """Add the step that says why, in words. Its context has the score."""
        return self._with("generate_reason", step)

    def steps(self) -> list[dict[str, str]]:
        """The steps in order: name, and whether a `function` or a `prompt` answers."""
        return [
            {"name": s.name, "type": "prompt" if isinstance(s.step, PromptStep) else "function"} for s in self._steps
        ]

    async def run(self, run: Mapping[str, Any]) -> ScorerResult:
        """Score one run: an object with `input` and `output`, and perhaps `runId` and what else the steps look at.

        Raises:
            ScorerError: the scorer has no step that scores.
            ScorerRunError: a step failed; it names the step, and those before it.
        """
        work = self._work(run)
        try:
            waiting = next(work)
            while True:
                try:
                    value = await waiting
                except Exception as error:  # noqa: BLE001 -- the step that asked decides what it means
                    waiting = work.throw(error)
                else:
                    waiting = work.send(value)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def run_sync(self, run: Mapping[str, Any]) -> ScorerResult:
        """Score one run without an event loop of the caller; steps and judges may be async all the same.

        Raises:
            ScorerError: the scorer has no step that scores.
            ScorerRunError: a step failed; or an async step was met while an event loop runs: await `run` there.
        """
        work = self._work(run)
        try:
            waiting = next(work)
            while True:
                try:
                    value = _wait_for(waiting)
                except Exception as error:  # noqa: BLE001 -- the step that asked decides what it means
                    waiting = work.throw(error)
                else:
                    waiting = work.send(value)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def _with(self, name: StepName, step: Step) -> Self:
        if not callable(step) and not isinstance(step, PromptStep):
            raise UsageError(f"scorer {self.id!r}: {name} wants a function or a PromptStep, got {type(step).__name__}")
        longer = copy.copy(self)  # keeps what a kind of scorer of its own adds
        added = _Named(name, step)
        known = any(s.name == name for s in self._steps)
        longer._steps = (  # noqa: SLF001 -- one of us
            tuple(added if s.name == name else s for s in self._steps) if known else (*self._steps, added)
        )
        return longer

    def _work(self, run: Mapping[str, Any]) -> Generator[Awaitable[Any], Any, ScorerResult]:
        """Run the steps; what must be awaited is handed out, so that one implementation serves both ways of running."""
        if not any(s.name == "generate_score" for s in self._steps):
            raise ScorerError(f"scorer {self.id!r} cannot run: it has no generate_score step; add one")
        if not isinstance(run, Mapping):
            raise ScorerError(f"a run is an object with `input` and `output`, got {type(run).__name__}")
        state: dict[str, Any] = {}
        kept: dict[str, Any] = {"run": run, "run_id": str(run.get("runId") or uuid.uuid4()), "judge": {}}
        done: list[str] = []
        for name, step in self._steps:
            score = state.get("generate_score_step_result", MISSING) if name == "generate_reason" else MISSING
            context = StepContext(run, Results(**state), score)
            try:
                if isinstance(step, PromptStep):
                    value = yield from self._asked(name, step, context, kept)
                else:
                    value = step(context)
                    if inspect.isawaitable(value):
                        value = yield value
                if name == "generate_score":
                    value = _a_score(value)
            except Exception as error:
                raise ScorerRunError(self.id, name, done, error, _result(kept, state)) from error
            if isinstance(value, NotScorable):
                state.pop("generate_score_step_result", None)
                return _result({**kept, "not_scorable": NotScorable(value.reason, name)}, state)
            state[f"{name}_step_result"] = value
            done.append(name)
        return _result(kept, state)

    def _asked(
        self, name: StepName, step: PromptStep, context: StepContext, kept: dict[str, Any]
    ) -> Generator[Awaitable[Any], Any, Any]:
        prompt: Any = step.create_prompt(context)
        if inspect.isawaitable(prompt):
            prompt = yield prompt
        if not isinstance(prompt, str):
            raise ScorerError(f"the prompt of a step must be text, got {type(prompt).__name__}")
        judge = step.judge or self.judge
        if judge is None:
            raise ScorerError(
                "the step asks a judge, and there is none; give create_scorer(judge=Judge(model, instructions))"
            )
        kept[f"{name}_prompt"] = prompt
        began = time.perf_counter()
        try:
            answer = yield from ask(judge.model, f"{judge.instructions}\n\n{prompt}", _schema(name, step, context))
        except JudgeAnswerError as error:
            said = {"raw_output": str(error.raw)[:10_000], "error": str(error)}
            kept["judge"][name] = JudgeExecution("failed", prompt, error.attempts, _since(began), **said)
            raise
        value = answer.value["score"] if name == "generate_score" else answer.value
        kept["judge"][name] = JudgeExecution("success", prompt, answer.attempts, _since(began), output=value)
        return value


def _result(kept: Mapping[str, Any], state: Mapping[str, Any]) -> ScorerResult:
    return ScorerResult(
        **kept,
        score=state.get("generate_score_step_result", MISSING),
        reason=state.get("generate_reason_step_result", MISSING),
        preprocess_step_result=state.get("preprocess_step_result", MISSING),
        analyze_step_result=state.get("analyze_step_result", MISSING),
    )


def _a_score(value: Any) -> Any:
    """The value, which must be a score or say that there is none.

    Raises:
        ScorerError: it is neither.
    """
    if isinstance(value, NotScorable) or (isinstance(value, int | float) and math.isfinite(value)):
        return value
    raise ScorerError(
        f"a score must be a number, got {describe(value)}; return not_scorable(reason) where there is none"
    )


def _schema(name: StepName, step: PromptStep, context: StepContext) -> Mapping[str, Any] | None:
    """The schema of the answer to a step; None where plain text is wanted."""
    if name == "generate_reason":
        return None
    if name == "generate_score":
        return _SCORE_SCHEMA
    given = step.output_schema(context) if callable(step.output_schema) else step.output_schema
    return given or _ANY


def _since(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)


def _wait_for(waiting: Awaitable[Any]) -> Any:
    """Wait in an event loop of our own.

    Raises:
        ScorerError: one runs already in this thread, and would stand still.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_await(waiting))
    if inspect.iscoroutine(waiting):
        waiting.close()
    raise ScorerError("an event loop runs already and this step is async; await `run` instead of `run_sync`")


async def _await(waiting: Awaitable[Any]) -> Any:
    return await waiting


def create_scorer(
    id: str,  # noqa: A002 -- the field's own name
    description: str,
    judge: Judge | None = None,
    *,
    name: str | None = None,
) -> Scorer:
    """Begin a scorer of one's own; its steps follow.

        scorer = (create_scorer("polite", "Was the agent polite?")
                  .preprocess(lambda c: assistant_text(c.run["output"]))
                  .generate_score(lambda c: float("please" in c.results.preprocess_step_result)))
        scorer.run_sync(run).score

    Args:
        id: what results are known by; two scorers of one run want two ids.
        description: what it looks at, in a sentence.
        judge: who answers the steps that are prompts.
        name: for people; the id where none is given.

    Raises:
        UsageError: the id is empty, or the judge is no `Judge`.
    """
    if judge is not None and not isinstance(judge, Judge):
        raise UsageError(
            f"create_scorer: judge must be a Judge, got {type(judge).__name__}; write Judge(model, instructions)"
        )
    if not id:
        raise UsageError("create_scorer: the id is empty; a scorer needs one, results are known by it")
    return Scorer(id, name or id, description, judge)
