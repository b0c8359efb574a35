"""Choose what to run before heavy imports: `serve` does not need the code of the commands, and vice versa."""

import contextlib
import gc
import os
import sys

TYPE_CHECKING = False  # importing `typing` takes longer than attaching a client
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
    except KeyboardInterrupt:  # during imports, before anything else handles it
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
    # A command ends before garbage matters; collecting every 700 objects takes a tenth of the time of a list.
    gc.set_threshold(50_000, 20, 20)
    from sidecar.cli.main import main as cli

    return cli(arguments, question)


def _known(question: "Question") -> int | None:
    """Print the kept answer to a question and return the exit code; None if the list must be computed."""
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
    """Run the command and exit without freeing memory, which would take a tenth of the time of a list.

    The entry point of the installed script. Commands close what they open before they return.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError, OSError):  # closed, or without a reader
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
