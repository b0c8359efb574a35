"""One run of a command: its output streamed as events, its end turned into a result."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from typing import Any

from sidecar.subagents.runners.command.output import CommandOutput
from sidecar.subagents.runners.contract import Emit, RunResult, missing_outputs
from sidecar.subagents.runners.output.stderr import StderrLog
from sidecar.subagents.runners.output.turns import Turns
from sidecar.subagents.runners.process.child import TERM_SECONDS, ChildProcess
from sidecar.subagents.runners.process.containment import SWEEP_SECONDS
from sidecar.subagents.runners.process.pipes import OutputPipe

logger = logging.getLogger(__name__)

_CLEAR_SECONDS = TERM_SECONDS + 2 * SWEEP_SECONDS
"""How long the end of all its processes may take after that of the first one."""
_IDLE_SECONDS = 0.25
"""How long a pipe is waited for that a process without the marker still holds; what was written is there."""
_LAST_SECONDS = 0.1
"""What a run whose processes are gone is given to end, when a stop has used up its limit."""


class CommandRun:
    """A started command; see `RunHandle`. It owns the process and the task that follows it."""

    talk = None

    def __init__(
        self,
        process: ChildProcess,
        output: CommandOutput,
        emit: Emit,
        turns: Turns,
        expected_outputs: Collection[str] = (),
    ) -> None:
        self._process = process
        self._expected = expected_outputs
        self._output = output
        self._log = StderrLog()
        self._emit = emit
        self._turns = turns
        self._fault: Exception | None = None
        self._pumps = [
            asyncio.create_task(self._pump(process.stdout, output), name=f"stdout of {process.pid}"),
            asyncio.create_task(self._pump(process.stderr, self._log), name=f"stderr of {process.pid}"),
        ]
        self._end = asyncio.create_task(self._follow(), name=f"run of {process.pid}")

    @property
    def pid(self) -> int:
        """The direct child's process id."""
        return self._process.pid

    async def result(self) -> RunResult:
        """Wait for the end of the run and of its output."""
        return await asyncio.shield(self._end)

    async def stop(self, limit: float = 5.0) -> None:
        """End the run; output that is not taken within `limit` seconds is dropped."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        if self._end.done():
            return
        await self._process.stop(limit)
        await asyncio.wait({self._end}, timeout=max(0.0, deadline - loop.time() - _IDLE_SECONDS))
        if not self._end.done():
            logger.warning("process %d is stopped before all of its output was recorded", self.pid)
        for pump in self._pumps:
            pump.cancel()
        await asyncio.wait({self._end}, timeout=max(_LAST_SECONDS, deadline - loop.time()))

    async def _follow(self) -> RunResult:
        try:
            status = await self._process.exited()
            await self._process.clear(_CLEAR_SECONDS)
            self._process.stdout.drain(_IDLE_SECONDS)
            self._process.stderr.drain(_IDLE_SECONDS)
            await asyncio.wait(self._pumps)
        except asyncio.CancelledError:
            self._process.kill()
            raise
        finally:
            for pump in self._pumps:
                pump.cancel()
            self._process.close()
        return self._outcome(status)

    async def _pump(self, pipe: OutputPipe, parser: "CommandOutput | StderrLog") -> None:
        while data := await pipe.read():
            await self._turns.next()
            await self._deliver(parser.feed(data))
        await self._deliver(parser.finish())

    async def _deliver(self, events: Iterable[dict[str, Any]]) -> None:
        """Hand on `events`; a run whose output cannot be kept is killed, and the rest of it dropped."""
        if self._fault:
            return
        try:
            await self._turns.deliver(events, self._emit)
        except Exception as fault:
            logger.exception("the output of process %d cannot be recorded; it is killed", self.pid)
            self._fault = fault
            self._process.kill()

    def _outcome(self, status: int) -> RunResult:
        error = f"the output could not be recorded: {self._fault}" if self._fault else None
        if status and error is None:
            error = self._log.tail() or describe_exit(status)
        emitted = dict(self._output.emitted_vars)
        if error is None:
            error = missing_outputs(self._expected, emitted)
        return RunResult("GOAL" if error is None else "ERROR", self._output.final_message(), emitted, error)


def describe_exit(status: int) -> str:
    """Name a status as `subprocess` gives it: -N is signal N."""
    return f"killed by signal {-status}" if status < 0 else f"exited with status {status}"
