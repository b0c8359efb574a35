"""Who holds the folder of a run: its actor, or after the actor's death what saves its changes."""

import fcntl
import os
from pathlib import Path


def hold(folder: Path) -> int | None:
    """Hold the folder until the returned descriptor is closed; return None while another process holds it."""
    descriptor = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def is_held(folder: Path) -> bool:
    """Return whether a process holds the folder."""
    descriptor = hold(folder)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is None
