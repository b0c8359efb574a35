"""When the process of a run's actor is gone, kill its other processes, and save and keep its changes.

Ray kills only the direct children of a worker, and no process that started a session of its own. This process
holds the read end of a pipe whose write end only the actor has: when that end closes, the actor is gone.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from sidecar.fleet.access import remove_tree
from sidecar.fleet.leftovers import run_lock
from sidecar.fleet.leftovers.left_run import LeftRun
from sidecar.subagents.runners.process.marker import sweep
from sidecar.subagents.runners.process.module_command import module_command

KEEP_SECONDS = 24 * 3600.0
"""How long the changes and the result of a run are kept for a sidecar to fetch."""
SALVAGE_SECONDS = 20.0
"""How long the folder of a run with neither stays, so that a sidecar can read its last events."""
AGAIN_SECONDS = 60.0
"""How long after a failure to try again to save the changes: the disk may have room by then."""
_POLL_SECONDS = 0.5
_SWEEP_SECONDS = 5.0
_HOLD_TRIES = 5


def start(run: LeftRun) -> int:
    """Start the watcher of a run; return the descriptor that keeps it waiting, for `dismiss`.

    The watcher forks twice, so that it is not a child of the worker. Blocking, a fraction of a second.
    """
    read, write = os.pipe2(os.O_CLOEXEC)
    named = [str(run.folder), run.repository, run.prefix, run.base]
    argv = [*module_command("sidecar.fleet.leftovers.watcher"), str(read), *named]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    os.set_inheritable(read, True)
    first = os.posix_spawn(argv[0], argv, environment, setsid=True, setsigdef=[signal.SIGINT, signal.SIGTERM])
    os.close(read)
    os.waitpid(first, 0)
    return write


def dismiss(descriptor: int) -> None:
    """End a watcher after its run ended normally."""
    os.write(descriptor, b"x")
    os.close(descriptor)


def main(read: int, run: LeftRun) -> None:
    """Wait for the end of the actor. A byte means that the run ended normally."""
    if os.fork():
        os._exit(0)
    _let_go(read)
    if os.read(read, 1) or not _is_held_here(run.folder):
        return
    sweep([run.task_id], _SWEEP_SECONDS)
    _kill_git(run.folder)
    if run.has_begun:
        _keep(run)
        sweep([run.task_id], _SWEEP_SECONDS)
    # Else the run may soon be placed here again: the next process waits until this one releases the folder.
    remove_tree(run.folder)


def _is_held_here(folder: Path) -> bool:
    """Hold the folder from now on; return False if it is gone, or another process saves the changes."""
    for _ in range(_HOLD_TRIES):
        if not folder.exists():
            return False
        if run_lock.hold(folder) is not None:
            return True
        time.sleep(_POLL_SECONDS)  # another process may be checking the lock
    return False


def _kill_git(folder: Path) -> None:
    """Kill the git processes of the dead actor, which have no marker of the run."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_git = (process / "comm").read_text() == "git\n"
            if is_git and (process / "cwd").readlink().is_relative_to(folder.resolve()):
                os.kill(int(process.name), signal.SIGKILL)


def _keep(run: LeftRun) -> None:
    """Save the changes of a run, and wait until its folder is removed or its time is over."""
    began = time.monotonic()
    while not run.save() and time.monotonic() < began + KEEP_SECONDS:
        time.sleep(AGAIN_SECONDS)
    end = began + (KEEP_SECONDS if run.has_changes or run.has_result else SALVAGE_SECONDS)
    while run.folder.exists() and time.monotonic() < end:
        time.sleep(_POLL_SECONDS)


def _let_go(kept: int) -> None:
    """Close the files inherited from the worker: Ray notices the end of a worker when its sockets close."""
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


if __name__ == "__main__":
    main(int(sys.argv[1]), LeftRun(Path(sys.argv[2]), *sys.argv[3:]))
