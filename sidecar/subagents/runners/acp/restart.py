"""Restart an agent once if it fails before its session is open. This is safe: it has no prompt yet."""

import asyncio
from collections.abc import Awaitable, Callable

from sidecar.subagents.runners.acp.run import AcpRun
from sidecar.subagents.runners.contract import Emit, MessageChannel, RunnerUnavailable, RunResult

_AGAIN = "The agent failed before it opened a session. The sidecar starts it once more: {error}\n"
_STOP_SECONDS = 5.0


class RestartableRun:
    """A run that calls `again` once to restart its agent; see `RunHandle`."""

    def __init__(self, first: AcpRun, again: Callable[[], Awaitable[AcpRun]], emit: Emit) -> None:
        self._run = first
        self._again = again
        self._emit = emit
        self.is_stopped = False
        """Whether the run was stopped, so that no agent is started again."""
        self._end = asyncio.create_task(self._follow(), name=f"starts of {first.pid}")

    @property
    def pid(self) -> int:
        """The process ID of the most recently started agent."""
        return self._run.pid

    @property
    def channel(self) -> MessageChannel:
        """The conversation with the most recently started agent."""
        return self._run.channel

    async def result(self) -> RunResult:
        """Wait for the result of the last start."""
        return await asyncio.shield(self._end)

    async def stop(self, limit: float = _STOP_SECONDS) -> None:
        """Stop the agent and do not restart it."""
        deadline = asyncio.get_running_loop().time() + limit
        self.is_stopped = True
        await self._run.stop(limit)
        await asyncio.wait({self._end}, timeout=max(0.1, deadline - asyncio.get_running_loop().time()))

    async def _follow(self) -> RunResult:
        result = await self._run.result()
        if self.is_stopped or not self._run.may_start_again:
            return result
        await self._emit({"type": "log", "stream": "stderr", "text": _AGAIN.format(error=result.error)})
        if self.is_stopped:
            return result
        try:
            self._run = await self._again()
        except RunnerUnavailable:
            return result
        if self.is_stopped:
            await self._run.stop(_STOP_SECONDS)
        return await self._run.result()
