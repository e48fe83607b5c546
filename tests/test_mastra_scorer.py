"""The chain of steps: order, results, judges that answer well, badly or later, and what a failure leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import pytest

from rootcall.errors import ScorerError, ScorerRunError, UsageError
from rootcall.jsonvalue import MISSING
from rootcall.mastra import Judge, PromptStep, StepContext, create_scorer, not_scorable
from rootcall.mastra.judge import JudgeAnswerError, read_json

RUN: dict[str, Any] = {"runId": "r1", "input": {}, "output": [], "groundTruth": 7}


def test_steps_run_in_order_and_see_what_came_before() -> None:
    scorer = (
        create_scorer("length", "How long is it?")
        .preprocess(lambda c: {"truth": c.run["groundTruth"]})
        .analyze(lambda c: c.results.preprocess_step_result["truth"] + 1)
        .generate_score(lambda c: c.results.analyze_step_result / 8)
        .generate_reason(lambda c: f"scored {c.score} after {c.results.generate_score_step_result}")
    )
    result = scorer.run_sync(RUN)
    assert (result.run_id, result.score, result.reason) == ("r1", 1.0, "scored 1.0 after 1.0")
    assert [s["name"] for s in scorer.steps()] == ["preprocess", "analyze", "generate_score", "generate_reason"]
    assert result.to_dict() == {
        **RUN,
        "score": 1.0,
        "reason": "scored 1.0 after 1.0",
        "preprocessStepResult": {"truth": 7},
        "analyzeStepResult": 8,
    }


def test_a_step_that_comes_later_is_not_there_yet() -> None:
    seen: list[StepContext] = []
    scorer = create_scorer("s", "").generate_score(lambda c: seen.append(c) or 1)
    scorer.run_sync(RUN)
    assert seen[0].results.preprocess_step_result is MISSING
    assert seen[0].score is MISSING


def test_a_run_without_an_id_gets_one() -> None:
    scorer = create_scorer("s", "").generate_score(lambda c: 1)
    ids = {scorer.run_sync({"output": []}).run_id for _ in range(3)}
    assert len(ids) == 3


def test_each_step_gives_a_new_scorer() -> None:
    base = create_scorer("s", "").preprocess(lambda c: 1)
    one, two = base.generate_score(lambda c: 1), base.generate_score(lambda c: 2)
    assert (one.run_sync(RUN).score, two.run_sync(RUN).score) == (1, 2)
    assert len(base.steps()) == 1


def test_a_step_given_again_is_replaced() -> None:
    scorer = create_scorer("s", "").preprocess(lambda c: 1).generate_score(lambda c: 1)
    other = scorer.preprocess(lambda c: 2).generate_score(lambda c: c.results.preprocess_step_result)
    assert (scorer.run_sync(RUN).score, other.run_sync(RUN).score) == (1, 2)
    assert len(other.steps()) == 2


@pytest.mark.parametrize("value", [None, "0.5", float("nan"), {"a": 1}, MISSING])
def test_a_score_is_a_number(value: Any) -> None:
    with pytest.raises(ScorerRunError, match="a score must be a number, got"):
        create_scorer("s", "").generate_score(lambda c: value).run_sync(RUN)


@pytest.mark.parametrize("run", [None, "abc", [1], 5, b"x"])
def test_a_run_is_an_object(run: Any) -> None:
    with pytest.raises(ScorerError, match="a run is an object with `input` and `output`, got"):
        create_scorer("s", "").generate_score(lambda c: 1).run_sync(run)


def test_what_an_earlier_scoring_left_is_not_of_this_one() -> None:
    first = create_scorer("s", "").preprocess(lambda c: 1).generate_score(lambda c: 1).generate_reason(lambda c: "old")
    again = create_scorer("s", "").generate_score(lambda c: 0).run_sync(first.run_sync(RUN).to_dict()).to_dict()
    assert again == {**RUN, "score": 0}


def test_results_that_are_no_json_are_said_to_be() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    for value, message in (
        (object(), "Encoding objects of type object"),
        (cycle, "holds itself"),
        ({(1, 2): 3}, "keys"),
    ):
        result = create_scorer("s", "").preprocess(lambda c, v=value: v).generate_score(lambda c: 1).run_sync(RUN)
        with pytest.raises(ScorerError, match=f"the result is no JSON: .*{message}"):
            result.to_dict()
    odd = create_scorer("s", "").preprocess(lambda c: float("nan")).generate_score(lambda c: 1).run_sync(RUN)
    assert odd.to_dict()["preprocessStepResult"] is None


def test_a_failed_run_keeps_what_was_found() -> None:
    scorer, _ = judged(["no", "idea"])
    scorer = scorer.preprocess(lambda c: 7)
    with pytest.raises(ScorerRunError) as raised:
        scorer.run_sync(RUN)
    found = raised.value.result.to_dict()
    assert found["judge"]["analyze"]["executions"][0]["rawOutput"] == "idea"
    assert found["judge"]["analyze"]["executions"][0]["attemptCount"] == 2
    assert found["analyzePrompt"] == "Is it ok?"
    assert "score" not in found

    def broken(_: StepContext) -> Any:
        raise ValueError("two\nlines")

    with pytest.raises(ScorerRunError, match=r"failed: two lines$") as raised:
        create_scorer("s", "").preprocess(lambda c: 7).generate_score(broken).run_sync(RUN)
    assert raised.value.result.preprocess_step_result == 7


def test_prompts_may_come_later_and_are_text() -> None:
    async def later(context: StepContext) -> str:
        return "Is it ok?"

    scorer, asked = judged([{"ok": True}], PromptStep("look", later, {"type": "object"}))
    assert scorer.run_sync(RUN).score == 1
    assert asked[0][0].endswith("Is it ok?")
    scorer, _ = judged([{"ok": True}], PromptStep("look", lambda c: None))  # type: ignore[arg-type, return-value]
    with pytest.raises(ScorerRunError, match="the prompt of a step must be text, got NoneType"):
        scorer.run_sync(RUN)


def test_a_step_without_a_schema_asks_for_any_json() -> None:
    scorer, asked = judged([{"ok": True}], PromptStep("look", lambda c: "?"))
    scorer.run_sync(RUN)
    assert asked[0][1]


def test_what_cannot_be_built_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="id is empty"):
        create_scorer("", "x")
    with pytest.raises(UsageError, match="judge must be a Judge, got function; write Judge"):
        create_scorer("s", "", lambda p, s: 1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="got 'openai/gpt'; bring your own client"):
        Judge("openai/gpt", "x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="wants a function or a PromptStep, got int"):
        create_scorer("s", "").analyze(3)  # type: ignore[arg-type]
    with pytest.raises(ScorerError, match="no generate_score step"):
        create_scorer("s", "").preprocess(lambda c: 1).run_sync(RUN)


@pytest.mark.parametrize("failing", ["preprocess", "analyze", "generate_score", "generate_reason"])
def test_a_failed_step_is_named_with_those_before_it(failing: str) -> None:
    def broken(_: StepContext) -> Any:
        raise KeyError("boom")

    scorer = create_scorer("s", "")
    names = ["preprocess", "analyze", "generate_score", "generate_reason"]
    for name in names:
        scorer = getattr(scorer, name)(broken if name == failing else lambda c: 1)
    with pytest.raises(ScorerRunError, match=f"scorer s: {failing} failed") as raised:
        scorer.run_sync(RUN)
    assert raised.value.failed_step == failing
    assert raised.value.completed_steps == names[: names.index(failing)]
    assert isinstance(raised.value.__cause__, KeyError)


def test_not_scorable_ends_the_run_without_a_score() -> None:
    called: list[int] = []
    scorer = (
        create_scorer("s", "").preprocess(lambda c: not_scorable("no text")).generate_score(lambda c: called.append(1))
    )
    result = scorer.run_sync(RUN)
    assert result.score is MISSING
    assert called == []
    assert result.to_dict()["notScorable"] == {"reason": "no text", "step": "preprocess"}
    ended = create_scorer("s", "").generate_score(lambda c: 1).generate_reason(lambda c: not_scorable()).run_sync(RUN)
    assert ended.to_dict() == {**RUN, "notScorable": {"step": "generateReason"}}


def judged(answers: list[Any], step: PromptStep | None = None) -> Any:
    asked: list[tuple[str, Any]] = []

    def model(prompt: str, schema: Any) -> Any:
        asked.append((prompt, schema))
        return answers[len(asked) - 1]

    schema = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
    scorer = (
        create_scorer("s", "", Judge(model, "Be strict."))
        .analyze(step or PromptStep("look", lambda c: "Is it ok?", schema))
        .generate_score(lambda c: float(c.results.analyze_step_result["ok"]))
    )
    return scorer, asked


def test_a_judge_answers_with_a_value_or_with_text() -> None:
    for answer in ({"ok": True}, '{"ok": true}', b'{"ok": true}', 'Sure:\n```json\n{"ok": true}\n```'):
        scorer, asked = judged([answer])
        result = scorer.run_sync(RUN)
        assert result.score == 1.0
        assert asked[0][0] == "Be strict.\n\nIs it ok?"
        assert result.analyze_prompt == "Is it ok?"
        execution = result.to_dict()["judge"]["analyze"]["executions"][0]
        assert (execution["status"], execution["attemptCount"], execution["output"]) == ("success", 1, {"ok": True})


def test_an_answer_that_does_not_fit_is_asked_for_once_more() -> None:
    scorer, asked = judged(["no idea", {"ok": False}])
    assert scorer.run_sync(RUN).score == 0.0
    assert "could not be used: JSON was wanted" in asked[1][0]
    scorer, asked = judged([{"ok": "yes"}, {"ok": 1}])
    with pytest.raises(ScorerRunError, match="twice: at ok: 1 is not of type") as raised:
        scorer.run_sync(RUN)
    assert isinstance(raised.value.__cause__, JudgeAnswerError)
    assert raised.value.__cause__.attempts == len(asked) == 2


def test_scores_and_reasons_may_be_asked_too() -> None:
    answers: list[Any] = [{"score": 0.25}, "because"]
    asked: list[Any] = []

    def model(prompt: str, schema: Any) -> Any:
        asked.append(schema)
        return answers[len(asked) - 1]

    scorer = (
        create_scorer("s", "", Judge(model, "x"))
        .generate_score(PromptStep("score", lambda c: "How good?"))
        .generate_reason(PromptStep("why", lambda c: f"Why {c.score}?"))
    )
    result = scorer.run_sync(RUN)
    assert (result.score, result.reason) == (0.25, "because")
    assert asked[0]["required"] == ["score"]
    assert asked[1] is None
    assert result.generate_reason_prompt == "Why 0.25?"


def test_a_reason_that_is_no_text_and_a_step_without_a_judge_fail_by_name() -> None:
    scorer = create_scorer("s", "", Judge(lambda p, s: 3, "x")).generate_score(lambda c: 1)
    with pytest.raises(ScorerRunError, match=r"generate_reason failed: .*text was wanted, int came"):
        scorer.generate_reason(PromptStep("why", lambda c: "Why?")).run_sync(RUN)
    with pytest.raises(ScorerRunError, match="asks a judge, and there is none"):
        create_scorer("s", "").generate_score(PromptStep("score", lambda c: "?")).run_sync(RUN)


def test_what_a_model_raises_is_the_cause() -> None:
    def model(prompt: str, schema: Any) -> Any:
        raise TimeoutError("too slow")

    scorer = create_scorer("s", "", Judge(model, "x")).generate_score(PromptStep("score", lambda c: "?"))
    with pytest.raises(ScorerRunError, match="too slow") as raised:
        scorer.run_sync(RUN)
    assert isinstance(raised.value.__cause__, TimeoutError)


class Later:
    """A judge as an object, which answers later."""

    def __init__(self) -> None:
        self.asked = 0

    async def answer(self, prompt: str, schema: Any) -> Any:
        await asyncio.sleep(0)
        self.asked += 1
        return {"score": 0.5} if self.asked > 1 else "?"


def test_async_steps_and_judges_run_both_ways() -> None:
    async def prepare(context: StepContext) -> int:
        await asyncio.sleep(0)
        return 3

    def scorer() -> Any:
        return (
            create_scorer("s", "", Judge(Later(), "x"))
            .preprocess(prepare)
            .generate_score(PromptStep("s", lambda c: "?"))
        )

    assert asyncio.run(scorer().run(RUN)).score == 0.5
    result = scorer().run_sync(RUN)
    assert (result.score, result.preprocess_step_result) == (0.5, 3)


def test_an_async_step_that_raises_fails_both_ways() -> None:
    async def broken(context: StepContext) -> Awaitable[int]:
        raise ValueError("later")

    scorer = create_scorer("s", "").generate_score(broken)
    with pytest.raises(ScorerRunError, match="later"):
        scorer.run_sync(RUN)
    with pytest.raises(ScorerRunError, match="later"):
        asyncio.run(scorer.run(RUN))


def test_run_sync_works_inside_a_loop_as_long_as_nothing_waits() -> None:
    async def inside(scorer: Any) -> Any:
        return scorer.run_sync(RUN)

    assert asyncio.run(inside(create_scorer("s", "").generate_score(lambda c: 1))).score == 1
    later = create_scorer("s", "", Judge(Later(), "x")).generate_score(PromptStep("s", lambda c: "?"))
    with pytest.raises(ScorerRunError, match=r"await .run"):
        asyncio.run(inside(later))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[1, 2", [1, 2]),
        ('{"a": [1, {"b": "x', {"a": [1, {"b": "x"}]}),
        ('{"a": [], "mis', {"a": []}),
        ('{"a": [1,], }', {"a": [1]}),
        ('<think>{"no": 1}</think> {"a": 1}', {"a": 1}),
        ('it is {"a": "}"} I think', {"a": "}"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('```\n{"a": 1}', {"a": 1}),
        ('{"a": "\\"[', {"a": '"['}),
    ],
)
def test_json_in_answers(text: str, value: Any) -> None:
    assert read_json(text) == value


def test_absurd_answers_are_read_in_time() -> None:
    for text in ("{" * 200_000, "[" * 200_000, '{"a":' * 50_000, "x" * 1_000_000, "{" + '"a":1,' * 50_000):
        with suppress(ValueError):
            read_json(text)


@pytest.mark.parametrize("text", ["", "no json", "{'a': 1}", "{"])
def test_no_json(text: str) -> None:
    if text == "{":
        assert read_json(text) == {}
    else:
        with pytest.raises(ValueError, match="no JSON"):
            read_json(text)
