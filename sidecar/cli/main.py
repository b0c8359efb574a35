"""The command line: the commands and their exit codes."""

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sidecar import __version__
from sidecar.api.errors import InvalidParams, SidecarError
from sidecar.cli import exits

if TYPE_CHECKING:
    from sidecar.cli.answers.question import Question

_COMMANDS = {
    "list": ("sidecar.cli.stored.listing", "list_tasks", "List stored tasks."),
    "search": ("sidecar.cli.stored.search", "search", "Search the messages of all tasks."),
    "stats": (
        "sidecar.cli.stored.stats",
        "stats",
        "Show total tokens and cost by workspace, mode, product and day.",
    ),
    "show": ("sidecar.cli.stored.showing", "show", "Show one stored task and its transcript."),
    "export": ("sidecar.cli.stored.insight", "export", "Print one stored task as Markdown or JSON."),
    "doctor": (
        "sidecar.cli.stored.insight",
        "doctor",
        "Diagnose damaged or orphaned tasks and suggest fixes.",
    ),
    "agents": ("sidecar.cli.agents", "agents", "List subagent definitions."),
    "launch": ("sidecar.cli.launching", "launch", "Run a subagent in the background."),
    "ps": ("sidecar.cli.runs", "ps", "List runs."),
    "logs": ("sidecar.cli.runs", "logs", "Show the output of a run."),
    "answer": ("sidecar.cli.questions.command", "answer", "Answer what a run is waiting for."),
    "send": ("sidecar.cli.control", "send", "Send a message to the agent of a run."),
    "cancel": ("sidecar.cli.control", "cancel", "Cancel a run."),
    "reorder": ("sidecar.cli.control", "reorder", "Move a queued run in the queue."),
    "start-now": ("sidecar.cli.control", "start_now", "Start a queued run even if the limit is reached."),
    "wait": ("sidecar.cli.control", "wait", "Wait until runs end."),
    "host": ("sidecar.cli.host", "host", "Show or stop the shared Host."),
    "fleet": ("sidecar.cli.fleet", "fleet", "Show or clean up the cluster for runs on other machines."),
    "mcp": ("sidecar.cli.mcp", "mcp", "Serve a model's tools over MCP, or connect an agent to them."),
    "corpus": (
        "sidecar.cli.stored.corpus",
        "corpus",
        "Write sample stores with known answers, to measure other tools.",
    ),
    "demo": (
        "sidecar.cli.demo.command",
        "demo",
        "Run a guided example, without a key or a network.",
    ),
}
_LABEL = 60
"""How many characters of a title an error shows."""


class _ReaderLeft(Exception):
    """The reader of stdout has closed it, as `| head` does."""


class _LazyGroup(click.Group):
    """A command whose module is imported when it is called, not when help is printed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; convert a closed pipe, which click treats as an error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderLeft from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["serve", *_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "serve":
            return click.Command("serve", short_help="Serve JSON-RPC on stdio.")
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [("serve", "Serve JSON-RPC on stdio.")]
        rows += [(name, help_text) for name, (_, _, help_text) in _COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="subagent-sidecar", message="%(prog)s %(version)s")
def group() -> None:
    """Browse the sessions of AI coding agents and run subagents in the background."""


def main(arguments: Sequence[str], question: "Question | None" = None) -> int:
    """Run one command and return its exit code; messages go to stderr.

    `question` is what `list` is asked for, if its answer is kept.
    """
    if sys.stdout is None or sys.stderr is None:
        # The next opened file would get the closed descriptor, and stdout would be written into it.
        return exits.FAILED
    try:
        outcome = group.main(
            list(arguments), prog_name="subagent-sidecar", standalone_mode=False, obj=question
        )
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _echo_error(shown.getvalue().removesuffix("\n"))
        return exits.WRONG_USE
    except (KeyboardInterrupt, click.Abort):
        return exits.INTERRUPTED
    except _ReaderLeft:
        return reader_left()
    except OSError as error:
        return failed(error)
    except SidecarError as error:
        _echo_error(f"subagent-sidecar: {error.message}")
        for candidate in error.data.get("candidates", ()):
            label = " ".join(candidate["label"][:_LABEL].splitlines())
            _echo_error(f"  {candidate['id']}  {label}")
        return exits.WRONG_USE if isinstance(error, InvalidParams) else exits.FAILED
    return outcome if isinstance(outcome, int) else exits.DONE


def reader_left() -> int:
    """Discard the buffered output, so that it cannot fail at exit; return the code. This is not an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return exits.DONE


def failed(error: OSError) -> int:
    """Print an error of the system and return the exit code."""
    from sidecar.working_directory import explained

    _echo_error(f"subagent-sidecar: {explained(error)}")
    return exits.FAILED


def _echo_error(text: str) -> None:
    from sidecar.cli import output  # here, because only errors need it

    output.echo(text, err=True)
