"""A scorer of one's own, over traces from a file: are errors that a tool tells within its result read and acted upon?

    python examples/mastra/own_scorer.py [FILE]

Mastra's scorers count such a call as successful. Without FILE the bundled flight traces are read. It prints:

    flight     0.00  5 of 5 calls failed, the last one too
    recovered  0.50  1 of 2 calls failed
    clean      1.00  0 of 1 calls failed
    misread    1.00  0 of 1 calls failed
    greeting   no score: no tool was called
"""

from __future__ import annotations

import sys
from pathlib import Path

import rootcall
from rootcall.mastra import Scorer, StepContext, create_scorer, not_scorable, run_of, trace_of

BUNDLED = Path(rootcall.__file__).parent / "data" / "flight.jsonl"


def outcomes(context: StepContext) -> object:
    """What became of each call, in order; rootcall reads errors out of results, too."""
    found = [call.outcome for call in trace_of(context.run).calls]
    return found or not_scorable("no tool was called")


def share_of_success(context: StepContext) -> float:
    """The share of calls that worked."""
    found: list[str] = context.results.preprocess_step_result
    return found.count("ok") / len(found)


def in_words(context: StepContext) -> str:
    """The share in words."""
    found: list[str] = context.results.preprocess_step_result
    told = f"{found.count('error')} of {len(found)} calls failed"
    return f"{told}, the last one too" if found[-1] == "error" else told


def errors_in_results() -> Scorer:
    """Make the scorer: three steps, each a plain function."""
    return (
        create_scorer("errors-in-results", "Did the calls of tools work?")
        .preprocess(outcomes)
        .generate_score(share_of_success)
        .generate_reason(in_words)
    )


def main(file: Path) -> None:
    """Score every trace of a file of any format."""
    scorer = errors_in_results()
    for trace in rootcall.read(file):
        result = scorer.run_sync(run_of(trace))
        if result.not_scorable is not None:
            print(f"{trace.id:9}  no score: {result.not_scorable.reason}")
        else:
            print(f"{trace.id:9}  {result.score:.2f}  {result.reason}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
