"""Find and sweep marked processes with psutil, on systems without Linux's `/proc`; see `marker`."""

import time
from collections.abc import Collection, Iterator

import psutil


def find(marker: str, task_ids: Collection[str]) -> Iterator[psutil.Process]:
    """Yield the living processes, except this one, whose variable `marker` is one of `task_ids`."""
    own = psutil.Process().pid
    for process in psutil.process_iter():
        try:
            if process.pid != own and process.environ().get(marker) in task_ids:
                yield process
        except (psutil.Error, OSError):
            continue  # gone, or another user's


def sweep(marker: str, task_ids: Collection[str], deadline: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Kill until a pass finds none or `time.monotonic()` reaches `deadline`; return (killed, survivors)."""
    killed: dict[int, None] = {}
    while found := list(find(marker, task_ids)):
        if time.monotonic() >= deadline and killed:
            return tuple(killed), tuple(process.pid for process in found)
        for process in found:
            _kill(process)
        killed |= dict.fromkeys(process.pid for process in found)
        psutil.wait_procs(found, timeout=max(0.0, deadline - time.monotonic()))
    return tuple(killed), ()


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()  # psutil compares the start time first, so a process that reuses the number survives
    except psutil.Error:
        return
