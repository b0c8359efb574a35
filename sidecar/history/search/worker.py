"""The process that builds search files: reading all messages would block the sidecar."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import sidecar
from sidecar.history.catalog.sqlite_errors import DATABASE_ERRORS
from sidecar.history.search.build import update
from sidecar.private_memory import close_memory

_WRONG = 1


def start(directory: Path, roots: list[str], kept: str = "") -> "subprocess.Popen[bytes]":
    """Start a worker for these roots; it ends when its stdin does, and with that when its parent dies.

    `kept` is the folder of all kept copies, empty for none.
    """
    package = str(Path(sidecar.__file__).parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    # -P: modules in the working directory are not trusted.
    command = [sys.executable, "-P", "-m", "sidecar.history.search.worker", str(directory), kept, *roots]
    return subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main(arguments: list[str]) -> int:
    """Update the given roots at low priority."""
    close_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)
    directory, kept, *roots = arguments
    try:
        for root in roots:
            update(Path(directory), root, kept)
    except (*DATABASE_ERRORS, OSError):
        return _WRONG  # locked or full: the next search starts another worker
    return 0


def _end_with_parent() -> None:
    # Not through the buffer of `sys.stdin`: Python aborts if a thread holds its lock when it exits.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(_WRONG)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
