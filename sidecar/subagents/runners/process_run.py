"""The base class of runs that are processes. It keeps the result and stops all processes of the run."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable

from sidecar.subagents.runners.contract import RunResult
from sidecar.subagents.runners.process.child import ChildProcess

logger = logging.getLogger(__name__)

IDLE_SECONDS = 0.25
"""How long a pipe that an escaped process holds open must be idle before it counts as drained."""
LAST_SECONDS = 0.1
"""The minimum time for each step of a stop, even if earlier steps used up the limit."""


class ProcessRun(ABC):
    """A started process; see `RunHandle`. Owns the process and the task that follows it.

    A subclass implements `_follow`, which returns once all processes of the run are gone and may call
    `_settle` earlier. `_pumps` are the tasks that read the output; `stop` cancels them at its limit.
    """

    def __init__(self, process: ChildProcess) -> None:
        self._process = process
        self._pumps: list[asyncio.Task[None]] = []
        self._result: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        self._end: asyncio.Task[None]

    @property
    def pid(self) -> int:
        """The process ID of the direct child."""
        return self._process.pid

    async def result(self) -> RunResult:
        """Wait until the result is known."""
        return await asyncio.shield(self._result)

    async def stop(self, limit: float = 5.0) -> None:
        """End the run and its processes. Drops output that is not recorded within `limit` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        if self._end.done():
            return
        await self._ask_to_end(limit)
        await self._process.stop(max(LAST_SECONDS, deadline - loop.time() - IDLE_SECONDS))
        self._abandon()
        await asyncio.wait({self._end}, timeout=max(LAST_SECONDS, deadline - loop.time() - IDLE_SECONDS))
        if not self._end.done():
            logger.warning("stopped process %d before all of its output was recorded", self.pid)
        for pump in self._pumps:
            pump.cancel()
        await asyncio.wait({self._end}, timeout=max(LAST_SECONDS, deadline - loop.time()))

    def _begin(self) -> None:
        """Start to follow the process. Subclasses call this last in `__init__`."""
        self._end = asyncio.create_task(self._follow_to_end(), name=f"run of {self.pid}")

    def _settle(self, result: RunResult) -> None:
        """Set the result; later calls have no effect."""
        if not self._result.done():
            self._result.set_result(result)

    async def _follow_to_end(self) -> None:
        try:
            self._settle(await self._follow())
        except asyncio.CancelledError:
            self._result.cancel()
            raise
        except Exception as error:
            if not self._result.done():
                self._result.set_exception(error)
            raise

    async def _until_drained(self, pumps: Iterable[asyncio.Task[None]]) -> None:
        """Wait until `pumps` have read everything. Call it once every process that could write is dead."""
        self._process.stdout.drain(IDLE_SECONDS)
        self._process.stderr.drain(IDLE_SECONDS)
        await asyncio.wait(set(pumps))

    @abstractmethod
    async def _follow(self) -> RunResult:
        """Follow the process to its end, clean up its processes, and return the result."""

    async def _ask_to_end(self, limit: float) -> None:  # noqa: B027 (most programs end by signals alone)
        """Ask the program to exit, within a share of `limit` seconds, before it gets signals."""

    def _abandon(self) -> None:  # noqa: B027 (not every run waits for its process)
        """Cancel whatever waits for the process, which is dead or cannot be killed."""
