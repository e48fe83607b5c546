"""What several commands share: options, consoles, reading with a progress bar."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import click
import msgspec
from rich.console import Console

from rootcall.config import Config, find_config, load_config
from rootcall.errors import ConfigError, UsageError
from rootcall.glossary import load_glossary
from rootcall.jsonline import encode_line
from rootcall.judging import options
from rootcall.policy import load_policy
from rootcall.readers import Reading
from rootcall.readers.files import expand
from rootcall.runfolder import is_run
from rootcall.trace import Trace

__all__ = [
    "FileName",
    "configuration",
    "console",
    "keep_inputs",
    "lines_to",
    "mapping_of",
    "mapping_option",
    "opened",
    "reading_options",
    "refuse_runs",
    "rule_options",
    "with_progress",
]

_TRAILING = re.compile(r" +(?=\n)")

F = TypeVar("F", bound=Callable[..., Any])


class _Trimmed(io.TextIOBase):
    """A stream without the spaces that fill the lines of tables: in a pipe they are only noise."""

    def __init__(self, inner: IO[str]) -> None:
        self._inner = inner

    def write(self, text: str) -> int:
        return self._inner.write(_TRAILING.sub("", text))

    def flush(self) -> None:
        self._inner.flush()


class _Console(Console):
    """A console that leaves a closed pipe to `main`, which knows the exit code."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class FileName(click.Path):
    """The name of a file or folder, which is never empty: an empty one would leave out in silence what was asked for."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as it stands.

        Raises:
            click.BadParameter: it is empty.
        """
        if isinstance(value, str) and not value.strip():
            self.fail("the name is empty, as a variable of the shell is that was not set", param, ctx)
        return super().convert(value, param, ctx)


def console(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr that knows its width and whether colours are wanted (NO_COLOR, pipes)."""
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty():
        return _Console(file=stream, highlight=False)
    return _Console(file=cast("IO[str]", _Trimmed(stream)), highlight=False)


def reading_options(command: F) -> F:
    """Add the options that say how a file is read."""
    for option in (
        click.option(
            "--format", "format_", metavar="NAME", default="auto", help="The format; default: from the content."
        ),
        click.option(
            "--tools",
            metavar="FILE",
            type=FileName(),
            help="Tools: a file of specs (OpenAI, Anthropic, MCP, Gemini), or package.module:NAME, which is imported.",
        ),
    ):
        command = option(command)
    return command


def mapping_option(command: F) -> F:
    """Add the option that names a mapping; `mapping_of` then says which one counts."""
    text = "Where everything is in a format of your own: YAML."
    return click.option("--mapping", metavar="FILE", type=FileName(), help=text)(command)


def rule_options(command: F) -> F:
    """Add the options that say which rules run, by which policy, and in which words."""
    for option in (
        click.option("--glossary", metavar="FILE", type=FileName(), help="The words of your fields: YAML or JSON."),
        click.option("--policy", metavar="FILE", type=FileName(), help="What holds for your tools: YAML or JSON."),
        click.option(
            "--config", metavar="FILE", type=FileName(), help="Configuration; default: rootcall.toml or pyproject."
        ),
        click.option("--ignore", metavar="RULE", multiple=True, help="Leave out a rule or a layer; may be repeated."),
        click.option("--select", metavar="RULE", multiple=True, help="Run only this rule or layer; may be repeated."),
    ):
        command = option(command)
    return command


def configuration(
    config: str | None,
    select: Iterable[str],
    ignore: Iterable[str],
    policy: str | None = None,
    glossary: str | None = None,
) -> Config:
    """The configuration of a command: file, then command line. Unknown names, a policy or a glossary that cannot be meant raise before anything is read."""
    names = [[n.strip() for entry in entries for n in entry.split(",") if n.strip()] for entries in (select, ignore)]
    file = Path(config) if config else find_config(Path.cwd())
    loaded = load_config(file)
    try:
        loaded.require_known(options())
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    chosen = loaded.narrowed(*names)
    chosen.require_known(options())
    named, words = policy or chosen.policy, glossary or chosen.glossary
    if named is not None:
        chosen = msgspec.structs.replace(chosen, policy=load_policy(named))
    return chosen if words is None else msgspec.structs.replace(chosen, glossary=load_glossary(words))


def keep_inputs(option: str, output: str | None, inputs: Sequence[str], beside: Iterable[str | None] = ()) -> None:
    """Refuse to write an output over something that is read, be it named or found in a folder or by a pattern.

    Args:
        option: the name of the option that says where to write.
        output: a file, or the folder of a run; one that is not there yet can overwrite nothing.
        inputs: what is read: files, folders, patterns.
        beside: other files that are read.

    Raises:
        UsageError: the output is one of the inputs, or a folder that one of them stands in.
        InputError: an input leads nowhere.
    """
    target = Path(output) if output not in (None, "-") else None
    if target is None or not os.path.exists(target):  # noqa: PTH110 -- Path.exists raises where a folder may not be looked into
        return
    given = [(g.path, g.named) for g in expand(inputs) if g.path is not None] if inputs else []
    for name, named in (*given, *((Path(b), True) for b in beside if b)):
        if not os.path.exists(name):  # noqa: PTH110 -- as above
            continue
        if name.samefile(target):
            other = "name another file" if named else "it is read with its folder, so name a file outside of that"
            raise UsageError(f"{option} {output}: would overwrite the input {name}; {other}")
        if target.is_dir() and target.resolve() in name.resolve().parents:
            raise UsageError(f"{option} {output}: the input {name} stands in it; name another folder")


def refuse_runs(files: Iterable[str], instead: str) -> None:
    """Refuse the folders of runs, which hold verdicts beside the traces. `instead` says what to do.

    Raises:
        UsageError: one of the files is the folder of a run.
    """
    for name in files:
        if is_run(Path(name)):
            raise UsageError(f"{name}: a run that was scored; {instead}")


def mapping_of(mapping: str | None, format_: str, config: Config) -> str | None:
    """The mapping a command reads with: its own, else that of the configuration unless a format is named."""
    return mapping or (config.mapping if format_ == "auto" else None)


def lines_to(stack: ExitStack, jsonl: str | None) -> Callable[[Mapping[str, Any]], object] | None:
    """What writes one JSON object a line to a file or, for `-`, to stdout; None when nobody asked.

    Raises:
        UsageError: the file cannot be written.
    """
    if jsonl is None:
        return None
    file = opened(stack, "--jsonl", jsonl)
    return lambda row: file.write(encode_line(row))


def opened(stack: ExitStack, option: str, name: str) -> IO[bytes]:
    """Open a file for writing, or stdout for `-`.

    Raises:
        UsageError: it cannot be written; `option` is what named it.
    """
    if name == "-":
        if getattr(sys.stdout, "name", None) == os.devnull:
            raise UsageError(f"{option} -: standard output is closed; name a file")
        stack.callback(sys.stdout.buffer.flush)
        return sys.stdout.buffer
    try:
        return stack.enter_context(Path(name).open("wb"))
    except OSError as error:
        raise UsageError(f"{option} {name}: cannot be written: {error.strerror}") from None


@contextmanager
def with_progress(reading: Reading, *, quiet: bool = False) -> Iterator[Iterable[Trace]]:
    """Show how much was read, on a terminal only and on stderr; in a pipe nothing is shown."""
    if quiet or not sys.stderr.isatty():
        yield reading
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.fields[traces]:,} traces"), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("scoring", total=reading.bytes_total, traces=0)

        def counted() -> Iterator[Trace]:
            for trace in reading:
                yield trace
                bar.update(task, completed=reading.bytes_read, traces=reading.traces)

        yield counted()
