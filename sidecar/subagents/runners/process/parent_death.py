"""Linux: let a child die with the process that started it, even when that is killed outright."""

import ctypes
import functools
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h. The kernel keeps it over exec and clears it over fork; see prctl(2)."""


def die_with_parent() -> Callable[[], None] | None:
    """Return what the child has to call between fork and exec, None where there is no such thing.

    For `preexec_fn`. A wrapper program would need no code there, but costs a start of its own and hides why
    the real one did not start. The hook is safe beside other threads because it takes no lock: libc is loaded
    and the function bound before the fork, prctl is a bare system call, `PyDLL` keeps the interpreter lock.

    The signal comes when the *thread* that forked ends, so a lasting thread starts them all: `spawner`.
    """
    if sys.platform != "linux":
        return None
    call, parent = prctl(), os.getpid()

    def hook() -> None:
        call(_PR_SET_PDEATHSIG, signal.SIGKILL.value)
        if os.getppid() != parent:
            os._exit(1)  # the parent died before the call: nobody is left to send the signal

    return hook


@functools.cache
def prctl() -> Callable[[int, int], int]:
    """Return the system call of that name, for one argument; 0 is success. Linux only."""
    call = ctypes.PyDLL(None).prctl
    call.argtypes = [ctypes.c_int, ctypes.c_ulong]
    return call
