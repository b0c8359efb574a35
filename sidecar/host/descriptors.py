"""How many more files this process may open."""

import os
import resource
from typing import Final

SPARE: Final = 32
"""How many descriptors stay free for the runs and requests of the clients that are attached."""


def limit() -> int | None:
    """Return how many files this process may have open, None for any number."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def is_scarce() -> bool:
    """Return whether this process may open fewer than `SPARE` more files."""
    most = limit()
    if most is None:
        return False
    try:
        return len(os.listdir("/dev/fd")) + SPARE > most
    except OSError:
        return True
