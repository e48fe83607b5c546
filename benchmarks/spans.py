"""How fast are spans read, and in how much memory: an OTLP/JSON file of any size beside decoding its JSON alone.

    python benchmarks/spans.py PATH [--write MB]

`--write` first makes the file: one request a line with fifty spans, forty traces between one another, each of twelve
responses that repeat the history before them, with eleven tool spans and an agent's. Each measure runs in a process of
its own. The last line is JSON: megabytes, traces, calls, read_cpu_s, read_rss_mb, json_cpu_s, json_rss_mb.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rootcall.readers import read

START = 1_796_062_978 * 10**9
TOOLS = json.dumps(
    [
        {"type": "function", "name": n, "description": n * 8, "parameters": {"type": "object", "required": ["city"]}}
        for n in ("weather", "flights", "hotels", "book")
    ]
)


def made(trace: int, number: int, at: float, *, root: bool = False, attributes: dict[str, str]) -> dict[str, Any]:
    listed = [{"key": f"gen_ai.{k.replace('_', '.')}", "value": {"stringValue": v}} for k, v in attributes.items()]
    start = START + trace * 10**8 + int(at * 10**9)
    return {
        "traceId": f"{trace:032x}", "spanId": f"{(trace << 8) + number:016x}", "name": "s", "attributes": listed, "status": {},
        **({} if root else {"parentSpanId": f"{trace << 8:016x}"}),
        "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + 4 * 10**8),
    }  # fmt: skip


def said(role: str, **part: Any) -> dict[str, Any]:
    return {"role": role, "parts": [part]}


def spans_of(trace: int) -> Iterator[dict[str, Any]]:
    """One run: twelve responses, eleven calls of one tool, the agent's span last."""
    history = [said("user", type="text", content=f"Plan trip {trace}. " * 20)]
    for step in range(12):
        call_id, sent = f"call_{trace}_{step}", {"city": f"City{step}", "day": f"2026-12-{step + 1:02d}"}
        answer = said("assistant", type="tool_call", id=call_id, name="weather", arguments=sent)
        if step == 11:
            answer = said("assistant", type="text", content="Done. " * 20)
        texts = {"input_messages": json.dumps(history), "output_messages": json.dumps([answer])}
        texts |= {"operation_name": "chat", "tool_definitions": TOOLS}
        yield made(trace, 2 * step + 1, step, attributes=texts)
        if step < 11:
            back = json.dumps({"city": sent["city"], "temp_c": step, "note": "x" * 200})
            ids = {"tool_name": "weather", "tool_call_id": call_id, "tool_call_arguments": json.dumps(sent)}
            ids |= {"operation_name": "execute_tool", "tool_call_result": back}
            yield made(trace, 2 * step + 2, step + 0.5, attributes=ids)
            history += [answer, said("tool", type="tool_call_response", id=call_id, response=back)]
    yield made(trace, 0, 0, root=True, attributes={"operation_name": "invoke_agent", "agent_name": "a"})


def write(path: Path, megabytes: int) -> None:
    dice, written, trace = random.Random(1), 0, 0
    live: list[Iterator[dict[str, Any]]] = []
    with path.open("w") as out:
        while written < megabytes << 20 or live:
            while len(live) < 40 and written < megabytes << 20:
                trace += 1
                live.append(spans_of(trace))
            batch: list[dict[str, Any]] = []
            while len(batch) < 50 and live:
                run = dice.choice(live)
                span = next(run, None)
                if span is None:
                    live.remove(run)
                else:
                    batch.append(span)
            request = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": batch}]}]}
            written += out.write(json.dumps(request) + "\n")


def once(path: Path, what: str) -> dict[str, float]:
    traces = calls = 0
    if what == "json":
        with path.open("rb") as lines:
            for line in lines:
                json.loads(line)
    else:
        reading = read(path)
        traces = sum(1 for _ in reading)
        calls = reading.calls_kept
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"traces": traces, "calls": calls, "cpu_s": time.process_time(), "rss_mb": memory}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--write", type=int, metavar="MB", help="make the file first, of about that size")
    parser.add_argument("--once", choices=("read", "json"), help="one measure in this process; JSON only")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(once(options.path, options.once)))
        return 0
    if options.write:
        write(options.path, options.write)
    command = [sys.executable, __file__, str(options.path), "--once"]
    ours, alone = (
        json.loads(subprocess.run([*command, what], check=True, capture_output=True).stdout)
        for what in ("read", "json")
    )
    size = options.path.stat().st_size / (1 << 20)
    print(f"{size:.0f} MB, {ours['traces']} traces, {ours['calls']} calls")
    print(f"read         {ours['cpu_s']:7.1f} s of CPU  {ours['rss_mb']:6.0f} MB at most")
    print(f"json.loads   {alone['cpu_s']:7.1f} s of CPU  {alone['rss_mb']:6.0f} MB at most")
    found = {"megabytes": size, "traces": ours["traces"], "calls": ours["calls"]}
    found |= {f"{n}_{k}": m[k] for n, m in (("read", ours), ("json", alone)) for k in ("cpu_s", "rss_mb")}
    print(json.dumps({k: round(v, 1) for k, v in found.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
