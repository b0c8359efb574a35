"""Run a command: stream its output as events and turn its exit into a result."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from typing import Any

from sidecar.subagents.runners.command.output import CommandOutput
from sidecar.subagents.runners.contract import Emit, RunResult, missing_outputs
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.output.stderr import StderrLog
from sidecar.subagents.runners.process.child import TERM_SECONDS, ChildProcess, describe_exit
from sidecar.subagents.runners.process.containment import SWEEP_SECONDS
from sidecar.subagents.runners.process.pipes import OutputPipe
from sidecar.subagents.runners.process_run import ProcessRun

logger = logging.getLogger(__name__)

_CLEAR_SECONDS = TERM_SECONDS + 2 * SWEEP_SECONDS
"""How long it may take to end all other processes after the first one has exited."""


class CommandRun(ProcessRun):
    """A started command; see `RunHandle`."""

    channel = None

    def __init__(
        self,
        process: ChildProcess,
        output: CommandOutput,
        emit: Emit,
        scheduler: FairScheduler,
        expected_outputs: Collection[str] = (),
    ) -> None:
        super().__init__(process)
        self._expected = expected_outputs
        self._output = output
        self._log = StderrLog()
        self._emit = emit
        self._scheduler = scheduler
        self._record_error: Exception | None = None
        self._pumps += [
            asyncio.create_task(self._pump(process.stdout, output), name=f"stdout of {process.pid}"),
            asyncio.create_task(self._pump(process.stderr, self._log), name=f"stderr of {process.pid}"),
        ]
        self._begin()

    async def _follow(self) -> RunResult:
        try:
            status = await self._process.exited()
            await self._process.clear(_CLEAR_SECONDS)
            await self._until_drained(self._pumps)
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
            await self._scheduler.next()
            await self._deliver(parser.feed(data))
        await self._deliver(parser.finish())

    async def _deliver(self, events: Iterable[dict[str, Any]]) -> None:
        """Emit `events`. If they cannot be recorded, kill the run and drop the rest of its output."""
        if self._record_error:
            return
        try:
            await self._scheduler.deliver(events, self._emit)
        except Exception as error:
            logger.exception("killing process %d, because its output cannot be recorded", self.pid)
            self._record_error = error
            self._process.kill()

    def _outcome(self, status: int) -> RunResult:
        error = f"the output could not be recorded: {self._record_error}" if self._record_error else None
        if status and error is None:
            error = self._log.tail() or f"the program {describe_exit(status)}"
        emitted = dict(self._output.emitted_vars)
        if error is None:
            error = missing_outputs(self._expected, emitted, self._output.left_out)
        return RunResult("GOAL" if error is None else "ERROR", self._output.final_message(), emitted, error)
