"""Choose the mode before anything heavy is imported: `serve` needs no command line, and the reverse."""

import contextlib
import gc
import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than all that attaches a client
if TYPE_CHECKING:
    from typing import NoReturn

    from sidecar.cli.answers.question import Question

DONE = 0
INTERRUPTED = 130
FAILED = 1


def main() -> int:
    """Run the command named by the process's arguments and return its exit code."""
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported, before anyone else looks out for it
        return INTERRUPTED
    except FileNotFoundError as error:
        from sidecar.working_directory import GONE, explained

        if explained(error) != GONE:
            raise
        sys.stderr.write(f"subagent-sidecar: {GONE}\n")
        return FAILED


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["serve"]:
        from sidecar.host.attach.relay import main as serve

        return serve(arguments[1:])
    if arguments[:1] == ["mcp"]:
        from sidecar.host.attach.mcp import main as mcp

        if (code := mcp(arguments[1:])) is not None:
            return code
    if arguments[:2] == ["host", "run"]:
        from sidecar.host.process import main as run_host

        return run_host(arguments[2:])
    question = None
    if arguments[:1] == ["list"]:
        from sidecar.cli.answers.question import question_of

        if (question := question_of(arguments)) is not None and (code := _known(question)) is not None:
            return code
    # A command ends before garbage matters: looking for cycles at every 700 objects is a tenth of a list.
    gc.set_threshold(50_000, 20, 20)
    from sidecar.cli.main import main as cli

    return cli(arguments, question)


def _known(question: "Question") -> int | None:
    """Print the kept answer to a question and return the exit code; None if a list must be made."""
    from sidecar.cli.answers.known import print_known

    try:
        return DONE if print_known(question) else None
    except BrokenPipeError:
        from sidecar.cli.main import reader_left

        return reader_left()
    except OSError as error:
        from sidecar.cli.main import failed

        return failed(error)


def run() -> "NoReturn":
    """Run the command and end the process, without taking its memory apart first: a tenth of a list, too.

    The entry point of the installed script. Commands have closed what they opened when they return.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):  # closed, or nobody reads it
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
