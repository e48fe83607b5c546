"""`rootcall`: finds the command, runs it, and turns every mistake of the user into one line and exit code 2.

Owns exit codes, did-you-mean and what happens on an interrupt or a closed pipe. A command's own file holds its options.
"""

from __future__ import annotations

import difflib
import os
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Final

import click

from rootcall import __version__
from rootcall.errors import BUG_EXIT, RootcallError

__all__ = ["cli", "main"]

# Name, then the line that help shows. The module of a command is imported when it is called.
COMMANDS: Final = {
    "demo": "Score traces that come with rootcall: see what it tells you.",
    "score": "Judge traces and report which layer broke, with evidence.",
    "show": "Print one trace with its checks beside the messages.",
    "cases": "Check the gold of case files, or make them from a benchmark.",
    "explain": "Print what a rule looks at and why, or list all rules.",
    "formats": "List the trace formats that can be read, or tell about one.",
    "convert": "Write traces of any format as native lines or as OpenAI chat.",
}


class _Commands(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"rootcall.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(COMMANDS)}"
            raise RootcallError(f"no command is called {name!r}; {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="rootcall", message="%(prog)s %(version)s")
def cli() -> None:
    """Tell which layer of a tool-calling agent broke: selection, arguments, utilization or recovery.

    \b
    rootcall demo                    see it work
    rootcall score traces.jsonl      judge your own traces
    rootcall show traces.jsonl 1     look at one of them
    """  # noqa: D301 -- click takes the very character as "do not wrap this"


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code: 2 for a mistake, 70 for a bug of ours, else what the command returns."""
    # Closed when we were started (`>&-`): nobody wants to read it, and that is no reason to stop.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 -- open as long as we run
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 -- as above
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character shows its number: never a traceback.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="rootcall", standalone_mode=False)
        sys.stdout.flush()
    except RootcallError as error:
        for line in str(error).splitlines():
            click.echo(f"rootcall: {line}", err=True)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        click.echo(f"rootcall: {_one_line(error)}", err=True)
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("rootcall: interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):
        # Who reads us has seen enough (`| head`); click makes a SystemExit of it, and of nothing else in this mode.
        # Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # Reading turns its own into messages: without a name this is a full disk or a closed output.
        place = "the output cannot be written" if error.filename is None else error.filename
        click.echo(f"rootcall: {place}: {error.strerror or error}", err=True)
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except Exception:  # noqa: BLE001 -- whatever it is, it must not leave with the 1 of a finding
        click.echo(
            "rootcall: this is a bug in rootcall; please report it with the command and the lines below", err=True
        )
        click.echo(traceback.format_exc(), err=True, nl=False)
        return BUG_EXIT
    return code if isinstance(code, int) else 0


def _one_line(error: click.ClickException) -> str:
    text = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text}; see `{context.command_path} --help`" if context is not None else text
