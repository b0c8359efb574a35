"""Linux: kill a child when the process that started it dies, even by SIGKILL."""

import ctypes
import functools
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h. Exec keeps the setting and fork clears it; see prctl(2)."""


def die_with_parent() -> Callable[[], None] | None:
    """Return the `preexec_fn` that the child calls between fork and exec; None on other systems.

    A wrapper program would need no such hook, but takes another start and hides why the real program did
    not start. The hook is safe in a process with other threads because it takes no lock: libc is loaded and
    the function bound before the fork, prctl is a bare system call, and `PyDLL` keeps the interpreter lock.

    The kernel sends the signal when the *thread* that forked ends, so the lasting thread of `spawner` starts
    all children.
    """
    if sys.platform != "linux":
        return None
    call, parent = prctl(), os.getpid()

    def hook() -> None:
        call(_PR_SET_PDEATHSIG, signal.SIGKILL.value)
        if os.getppid() != parent:
            os._exit(1)  # the parent died before the call, so the signal never comes

    return hook


@functools.cache
def prctl() -> Callable[[int, int], int]:
    """Return the `prctl` system call with one argument; it returns 0 for success. Linux only."""
    call = ctypes.PyDLL(None).prctl
    call.argtypes = [ctypes.c_int, ctypes.c_ulong]
    return call
