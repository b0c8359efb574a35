"""What every run that is a process shares: its result, and an end that leaves nothing."""

import asyncio
import logging
from collections.abc import Iterable

from sidecar.subagents.runners.contract import RunResult
from sidecar.subagents.runners.process.child import ChildProcess

logger = logging.getLogger(__name__)

IDLE_SECONDS = 0.25
"""How long a pipe may be silent before it counts as drained, when an escaped process holds it open."""
LAST_SECONDS = 0.1
"""The least that each step of a stop gets, when the steps before have used up its limit."""


class ProcessRun:
    """A started process; see `RunHandle`. It owns the process and the task that follows it.

    A subclass implements `_follow`, which returns once nothing of the process is left. It may call `_settle`
    before that. `_pumps` are the tasks that read the output: a stop cancels them when its limit is over.
    """

    def __init__(self, process: ChildProcess) -> None:
        self._process = process
        self._pumps: list[asyncio.Task[None]] = []
        self._result: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        self._end: asyncio.Task[None]

    @property
    def pid(self) -> int:
        """The process id of the direct child."""
        return self._process.pid

    async def result(self) -> RunResult:
        """Wait until the result is known."""
        return await asyncio.shield(self._result)

    async def stop(self, limit: float = 5.0) -> None:
        """End the run and its processes; output that nobody takes within `limit` seconds is dropped."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        if self._end.done():
            return
        await self._ask_to_end(limit)
        await self._process.stop(max(LAST_SECONDS, deadline - loop.time() - IDLE_SECONDS))
        self._abandon()
        await asyncio.wait({self._end}, timeout=max(LAST_SECONDS, deadline - loop.time() - IDLE_SECONDS))
        if not self._end.done():
            logger.warning("process %d is stopped before all of its output was recorded", self.pid)
        for pump in self._pumps:
            pump.cancel()
        await asyncio.wait({self._end}, timeout=max(LAST_SECONDS, deadline - loop.time()))

    def _begin(self) -> None:
        """Start to follow the process; the last step of a subclass's `__init__`."""
        self._end = asyncio.create_task(self._follow_to_end(), name=f"run of {self.pid}")

    def _settle(self, result: RunResult) -> None:
        """Set the result; only the first one counts."""
        if not self._result.done():
            self._result.set_result(result)

    async def _follow_to_end(self) -> None:
        try:
            self._settle(await self._follow())
        except asyncio.CancelledError:
            self._result.cancel()
            raise
        except Exception as fault:
            if not self._result.done():
                self._result.set_exception(fault)
            raise

    async def _until_drained(self, pumps: Iterable[asyncio.Task[None]]) -> None:
        """Wait until `pumps` have read all there is; every process that could write more is dead."""
        self._process.stdout.drain(IDLE_SECONDS)
        self._process.stderr.drain(IDLE_SECONDS)
        await asyncio.wait(set(pumps))

    async def _follow(self) -> RunResult:
        """Follow the process to its end, leave nothing of it, and return the result."""
        raise NotImplementedError

    async def _ask_to_end(self, limit: float) -> None:
        """Ask the program to end by itself, within a share of `limit` seconds, before signals follow."""

    def _abandon(self) -> None:
        """Give up what waits for the process, which is dead or cannot be killed."""
