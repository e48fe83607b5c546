"""One judge over prepared cases, in this process: the other half of rivals.py, run by the Python that has the library.

    PYTHON benchmarks/rival_judges.py NAME CASES

CASES is a JSONL file of `{"id", "messages", "reference", "tools", "case"}`; NAME is one of the judges below. Each gets the
text of a line and says whether the calls of `messages` are those of `reference`. The first line is judged before
the clock runs, since libraries load on first use; then all lines are judged once, as in one run: what a tool remembers from
one case to the next it has learnt in that time. Printed is one line of JSON: `seconds`, and `passed`, a digit per case: 1, 0,
or 2 where the judge gave no score.

The network is shut before a library is loaded.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Judge = Callable[[bytes], bool]

QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "RAGAS_DO_NOT_TRACK": "true",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "OPENAI_API_KEY": "none",  # one of them makes a client it never uses here
}
GOLD_RULES = (
    "selection/expected",
    "selection/missing",
    "selection/wrong-tool",
    "selection/surplus",
    "selection/forbidden",
    "selection/out-of-order",
    "arguments/value-mismatch",
)


def shut_the_network() -> None:
    def refuse(*_: object, **__: object) -> Any:
        raise OSError("no network in this benchmark")

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, refuse)


def calls(messages: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The names and decoded arguments of all calls."""
    for m in messages:
        for c in m.get("tool_calls") or ():
            yield c["function"]["name"], json.loads(c["function"]["arguments"])


def asked(messages: list[dict[str, Any]]) -> str:
    return next((m["content"] for m in messages if m["role"] == "user"), "")


def decoding() -> Judge:
    """No judge at all: the text is decoded as the other tools' users do it."""
    return lambda line: bool(json.loads(line))


def agentevals() -> Judge:
    match = importlib.import_module("agentevals.trajectory.match")
    judge = match.create_trajectory_match_evaluator(trajectory_match_mode="unordered", tool_args_match_mode="exact")

    def one(line: bytes) -> bool:
        row = json.loads(line)
        return bool(judge(outputs=row["messages"], reference_outputs=row["reference"])["score"])

    return one


def deepeval() -> Judge:
    metrics, cases = importlib.import_module("deepeval.metrics"), importlib.import_module("deepeval.test_case")
    wanted = [cases.ToolCallParams.INPUT_PARAMETERS]
    metric = metrics.ToolCorrectnessMetric(evaluation_params=wanted, async_mode=False, include_reason=True)

    def made(messages: list[dict[str, Any]]) -> list[Any]:
        return [cases.ToolCall(name=name, input_parameters=arguments) for name, arguments in calls(messages)]

    def one(line: bytes) -> bool:
        row = json.loads(line)
        case = cases.LLMTestCase(
            input=asked(row["messages"]), actual_output="", tools_called=made(row["messages"]),
            expected_tools=made(row["reference"]),
        )  # fmt: skip
        return bool(metric.measure(case, _show_indicator=False) == 1)

    return one


def ragas() -> Judge:
    metrics, said = importlib.import_module("ragas.metrics.collections"), importlib.import_module("ragas.messages")
    metric = metrics.ToolCallAccuracy(strict_order=False)

    def made(messages: list[dict[str, Any]]) -> list[Any]:
        return [said.ToolCall(name=name, args=arguments) for name, arguments in calls(messages)]

    def one(line: bytes) -> bool:
        row = json.loads(line)
        turn = [
            said.HumanMessage(content=asked(row["messages"])),
            said.AIMessage(content="", tool_calls=made(row["messages"])),
        ]
        # It never waits for anything, so it is driven by hand: no event loop could be cheaper.
        try:
            metric.ascore(user_input=turn, reference_tool_calls=made(row["reference"])).send(None)
        except StopIteration as done:
            return bool(done.value.value == 1)
        raise RuntimeError("the metric waits")

    return one


def adk() -> Judge:
    evaluation = importlib.import_module("google.adk.evaluation.trajectory_evaluator")
    cases, types = (
        importlib.import_module("google.adk.evaluation.eval_case"),
        importlib.import_module("google.genai.types"),
    )
    judge = evaluation.TrajectoryEvaluator(threshold=1.0)

    def made(messages: list[dict[str, Any]]) -> Any:
        uses = [types.FunctionCall(name=name, args=arguments) for name, arguments in calls(messages)]
        return cases.Invocation(
            user_content=types.Content(role="user", parts=[types.Part(text=asked(messages))]),
            intermediate_data=cases.IntermediateData(tool_uses=uses),
        )

    def one(line: bytes) -> bool:
        row = json.loads(line)
        return bool(judge.evaluate_invocations([made(row["messages"])], [made(row["reference"])]).overall_score == 1)

    return one


def rootcall(*rules: str) -> Judge:
    import msgspec

    from rootcall.case import Case
    from rootcall.config import Config
    from rootcall.judging import verdict
    from rootcall.trace import Trace

    # What the others need as objects, this one takes as text, or not at all.
    fields = [("id", str), ("messages", msgspec.Raw), ("tools", msgspec.Raw), ("case", msgspec.Raw)]
    decode = msgspec.json.Decoder(msgspec.defstruct("Line", fields)).decode
    config = Config(select=rules) if rules else None

    def one(line: bytes) -> bool:
        row: Any = decode(line)
        return (
            verdict(Trace.from_openai(row.messages, row.tools, id=row.id), Case.from_dict(row.case), config).status
            == "pass"
        )

    return one


JUDGES: dict[str, Callable[[], Judge]] = {
    "rootcall-gold": lambda: rootcall(*GOLD_RULES),
    "rootcall-full": rootcall,
    "agentevals": agentevals,
    "deepeval": deepeval,
    "ragas": ragas,
    "google-adk": adk,
    "decoding": decoding,
}


def digit(judge: Judge, line: bytes) -> str:
    try:
        return str(int(judge(line)))
    except Exception:  # noqa: BLE001 -- whatever a library raises: it gave no score, and that is counted
        return "2"


def main() -> int:
    os.environ.update(QUIET)
    shut_the_network()
    warnings.simplefilter("ignore")
    lines = Path(sys.argv[2]).read_bytes().splitlines()
    judge = JUDGES[sys.argv[1]]()
    digit(judge, lines[0])
    began = time.perf_counter()
    passed = "".join([digit(judge, line) for line in lines])
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "passed": passed}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
