"""Hold the folder of a run: its actor does, and after the actor's death whatever saves its changes."""

import fcntl
import os
import time
from pathlib import Path

_POLL_SECONDS = 0.1


class FolderInUse(Exception):
    """Another process holds the folder of a run."""


def hold(folder: Path) -> int | None:
    """Hold the folder until the returned descriptor is closed; return None while another process holds it."""
    descriptor = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    if os.fstat(descriptor).st_nlink == 0:  # the holder removed the folder meanwhile
        os.close(descriptor)
        return None
    return descriptor


def hold_new(folder: Path, seconds: float) -> int:
    """Make the folder of a new run and hold it, once the processes that a dead actor left have released it.

    Blocking, at most `seconds`; then raises FolderInUse.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            held = hold(folder)
        except (FileNotFoundError, FileExistsError):  # it was removed between two steps
            held = None
        if held is not None:
            return held
        if time.monotonic() >= until:
            raise FolderInUse(f"a former process of the run still uses {folder}")
        time.sleep(_POLL_SECONDS)


def is_held(folder: Path) -> bool:
    """Return whether a process holds the folder."""
    descriptor = hold(folder)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None
