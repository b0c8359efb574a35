"""Kill what is left of a run when the process of its actor is gone, and remove its folder.

Ray kills only the direct children of a worker, and no process that made a session of its own. This process
holds the read end of a pipe whose write end only the actor has: its end means that the actor is gone.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.process.module_command import module_command

SALVAGE_SECONDS = 20.0
"""How long the folder of a run stays after its actor died, so that the gateway can save its changes."""
_POLL_SECONDS = 0.2
_SWEEP_SECONDS = 5.0


def start(task_id: str, folder: Path) -> int:
    """Start the watcher of a run; return the descriptor that keeps it waiting, for `dismiss`.

    The watcher forks twice, so that it is not a child of the worker. Blocking, a fraction of a second.
    """
    read, write = os.pipe2(os.O_CLOEXEC)
    argv = [*module_command("sidecar.fleet.watcher"), str(read), task_id, str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    os.set_inheritable(read, True)
    first = os.posix_spawn(argv[0], argv, environment, setsid=True, setsigdef=[signal.SIGINT, signal.SIGTERM])
    os.close(read)
    os.waitpid(first, 0)
    return write


def dismiss(descriptor: int) -> None:
    """End a watcher after an orderly end of its run."""
    os.write(descriptor, b"x")
    os.close(descriptor)


def main(read: int, task_id: str, folder: Path) -> None:
    """Wait for the end of the actor. A byte means that the run ended in order."""
    if os.fork():
        os._exit(0)
    _let_go(read)
    if os.read(read, 1):
        return
    sweep([task_id], _SWEEP_SECONDS)
    deadline = time.monotonic() + SALVAGE_SECONDS
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    sweep([task_id], _SWEEP_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


def _let_go(kept: int) -> None:
    """Close what came from the worker: Ray notices the end of a worker by the end of its sockets."""
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
