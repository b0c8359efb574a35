"""The parent watchdog, which detects that a process, usually the editor, no longer exists."""

import asyncio
import contextlib
import os
from collections.abc import Callable

POLL_SECONDS = 2.0


class ParentWatchdog:
    """Owner of the task that waits for a process to end; `on_gone` is then called once, on the loop.

    Raises ValueError if `pid` is not a process ID.
    """

    def __init__(self, pid: int, on_gone: Callable[[], None], poll_seconds: float = POLL_SECONDS) -> None:
        self._pid = _checked(pid)
        self._on_gone = on_gone
        self._poll_seconds = poll_seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start watching, on the running loop. A process that has already exited counts as gone."""
        self._task = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stop watching. Idempotent."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1)

    async def _watch(self) -> None:
        await wait_until_gone(self._pid, self._poll_seconds)
        self._on_gone()


async def wait_until_gone(pid: int, poll_seconds: float = POLL_SECONDS) -> None:
    """Return when no process has this ID any more; a zombie counts as gone.

    Uses a pidfd on Linux; elsewhere polls the process every `poll_seconds`, by ID and start time, so that a
    new process with the old ID is not mistaken for it. Raises ValueError if `pid` is not a process ID.
    """
    try:
        pidfd = os.pidfd_open(_checked(pid))
    except (ProcessLookupError, OverflowError):
        return
    except (OSError, AttributeError):
        await _poll_until_gone(pid, poll_seconds)
        return
    try:
        await _readable(pidfd)
    finally:
        os.close(pidfd)


def _checked(pid: int) -> int:
    """Refuse 0 and negative numbers, which system calls take for groups of processes."""
    if pid <= 0:
        raise ValueError(f"{pid} is not a process ID")
    return pid


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fd)


async def _poll_until_gone(pid: int, poll_seconds: float) -> None:
    import psutil  # here, because it is not needed where there are pidfds

    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:  # noqa: ASYNC110 # there is no event
            await asyncio.sleep(poll_seconds)
