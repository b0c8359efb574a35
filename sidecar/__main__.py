"""Choose the mode before anything heavy is imported: `serve` needs no command line, and the reverse."""

import gc
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command named by the process's arguments and return its exit code."""
    # What is imported and read stays: looking for cycles in it at every 700 objects is a tenth of a list.
    gc.set_threshold(50_000, 20, 20)
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported, before anyone else looks out for it
        return INTERRUPTED


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["serve"]:
        from sidecar.app.serve import main as serve

        return serve(arguments[1:])
    from sidecar.cli.main import main as cli

    return cli(arguments)


if __name__ == "__main__":
    sys.exit(main())
