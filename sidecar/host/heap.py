"""Linux with glibc: return memory that a long-lived process no longer uses to the system."""

import sys
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""From malloc.h; see mallopt(3)."""
_THRESHOLD_BYTES: Final = 128 << 10
"""The initial values of glibc. Setting them keeps it from raising them whenever a large block is freed."""
_ARENAS: Final = 2
"""How many heaps threads share. By default a thread may get its own, whose free memory others cannot use."""


def keep_heap_compact() -> None:
    """Keep the heap free of gaps; do nothing on other systems. Call this before threads start.

    Without this, a third of the heap of a Host is free memory after thousands of runs.
    """
    if sys.platform != "linux":
        return
    import ctypes

    mallopt = getattr(ctypes.PyDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return
    mallopt(_ARENA_MAX, _ARENAS)
    mallopt(_MMAP_THRESHOLD, _THRESHOLD_BYTES)
    mallopt(_TRIM_THRESHOLD, _THRESHOLD_BYTES)
