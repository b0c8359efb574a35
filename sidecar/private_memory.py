"""Linux: hide the environment and the memory of this process from other processes of the same user."""

import sys

_PR_SET_DUMPABLE = 4
"""From linux/prctl.h; see prctl(2)."""


def close_memory() -> None:
    """Make `/proc/<pid>/environ`, `mem` and the like of this process readable for root only.

    The programs that it starts are not affected: exec resets the setting. Debuggers of the same user cannot
    attach, and no core file is written.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.PyDLL(None).prctl(ctypes.c_int(_PR_SET_DUMPABLE), ctypes.c_ulong(0))
