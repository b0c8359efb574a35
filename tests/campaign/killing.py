"""How and when a server is killed: by the clock, frozen first, or in the middle of a system call."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
from dataclasses import dataclass

CALLS = ("pwrite64", "fdatasync", "fsync", "rename", "mkdir", "unlink", "ftruncate")
"""What makes things durable; none of the programs that the servers run uses one of them."""
_LATEST = {"pwrite64": 60, "fdatasync": 25}
_ATTACH_SECONDS = 10.0


@dataclass(frozen=True)
class Kill:
    """One kill: `after` s at the latest; `frozen` s stopped before; at the `count`-th `call` of a thread."""

    after: float
    frozen: float = 0.0
    call: str | None = None
    count: int = 0

    @property
    def way(self) -> str:
        """Name the kind, for the table."""
        return "at a system call" if self.call else "frozen first" if self.frozen else "by the clock"


def plan_kill(dice: random.Random, latest: float) -> Kill:
    """Choose a kill within `latest` seconds."""
    if dice.random() < 0.25:
        call = dice.choice(CALLS)
        return Kill(latest, call=call, count=dice.randint(1, _LATEST.get(call, 8)))
    frozen = dice.uniform(0.01, 0.15) if dice.random() < 0.2 else 0.0
    return Kill(dice.uniform(0.0, latest), frozen=frozen)


class Killer:
    """Carries out one kill; entered before the server starts, so that no system call is missed."""

    def __init__(self, pid: int, kill: Kill) -> None:
        self._kill = kill
        self._pid = pid
        self._handle = os.pidfd_open(pid)
        self._strace: subprocess.Popen[bytes] | None = None

    async def __aenter__(self) -> "Killer":
        if self._kill.call is not None:
            await self._attach(self._kill.call)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._signal(signal.SIGKILL)
        await self._death(_ATTACH_SECONDS)
        os.close(self._handle)
        if self._strace is not None:
            self._strace.terminate()
            await asyncio.to_thread(self._strace.wait, _ATTACH_SECONDS)

    async def execute(self) -> None:
        """Kill when it is time; return when the server is dead, however that came."""
        if not await self._death(self._kill.after):
            if self._kill.frozen:
                self._signal(signal.SIGSTOP)
                await asyncio.sleep(self._kill.frozen)
            self._signal(signal.SIGKILL)
            if not await self._death(_ATTACH_SECONDS):
                raise RuntimeError(f"server {self._pid} does not die")

    async def _attach(self, call: str) -> None:
        program = shutil.which("strace")
        if program is None:
            raise RuntimeError("strace is needed to kill at system calls; on Debian: apt-get install strace")
        inject = f"inject={call}:signal=KILL:when={self._kill.count}"
        options = ("-f", "-qq", "-e", f"trace={call}", "-e", inject, "-o", os.devnull, "-p", str(self._pid))
        self._strace = subprocess.Popen([program, *options], stderr=subprocess.DEVNULL)
        async with asyncio.timeout(_ATTACH_SECONDS):
            while not _is_traced(self._pid):
                await asyncio.sleep(0.002)

    async def _death(self, seconds: float) -> bool:
        """Wait for the server's end; return whether it came."""
        loop, died = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._handle, died.set)
        try:
            async with asyncio.timeout(seconds):
                await died.wait()
        except TimeoutError:
            return False
        finally:
            loop.remove_reader(self._handle)
        return True

    def _signal(self, number: signal.Signals) -> None:
        try:
            signal.pidfd_send_signal(self._handle, number)
        except ProcessLookupError:
            return


def _is_traced(pid: int) -> bool:
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in file)
