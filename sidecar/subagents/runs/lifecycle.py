"""The lifecycle of one run from launch to disposal, with its abort handle and clock."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from sidecar.api.errors import LaunchFailed
from sidecar.subagents.limits.timers import RunClock
from sidecar.subagents.tasks.launching import Abort, Launchable, StartedRun, StartRun
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import Outcome, RunFailed, failed, of_output, timed_out
from sidecar.subagents.tasks.signals import call_safely
from sidecar.subagents.tasks.timeouts import TimeoutChoice

log = logging.getLogger(__name__)
T = TypeVar("T")

CANCEL_SECONDS = 1.0
"""How long a cancelled asyncio task may take to end."""


class LaunchAborted(LaunchFailed):
    """The launch was stopped before it was complete. `data`: subagentName, reason."""


class LaunchTimedOut(LaunchAborted):
    """The run reached its time limit before its launch was complete. `data`: subagentName, reason."""


class Unresponsive(Exception):
    """A run did not end after its abort and was cancelled."""


@dataclass(frozen=True, kw_only=True)
class ShutdownTimeouts:
    """The seconds that a run may take after its abort and for its disposal, before it is cancelled."""

    wind_down: float = 1.0
    dispose: float = 5.0


@dataclass(frozen=True)
class RunEnd:
    """The end of a run; `returned` if it was neither stopped nor raised an exception."""

    outcome: Outcome
    output: Output | None = None
    """The output so far, even if the run was cancelled."""
    returned: bool = False


class RunTask:
    """Launch, run and dispose one subagent. Always call `aclose`, even after an error."""

    def __init__(self, launch: Launchable, start: StartRun, timeouts: ShutdownTimeouts) -> None:
        self.launch = launch
        self.abort = Abort()
        self.clock = RunClock(
            launch.timeout.effective, lambda: self.abort.reach_limit(timed_out(launch.timeout))
        )
        self.abort.clock = self.clock
        self._start = start
        self._timeouts = timeouts
        self._run: StartedRun | None = None
        self._disposing: StartedRun | None = None

    async def start(self) -> StartedRun:
        """Start the clock and launch. Raises LaunchTimedOut, LaunchAborted, or any error of the launch."""
        self.clock.resume()
        try:
            self._run = await self._until_settled(self._start(self.abort))
        except Exception as error:
            if self.abort.aborted:
                raise self._launch_stopped() from error
            raise
        if self.abort.aborted:
            raise self._launch_stopped()
        self._begin_updates(self._run)
        return self._run

    async def finish(self) -> RunEnd:
        """Execute the launched run to its end. Errors of the run are in the result."""
        assert self._run is not None, "finish follows start"
        error = None
        try:
            await self._until_settled(self._run.run())
        except Exception as raised:
            error = raised
            if not self.abort.aborted:
                log.info("subagent %s failed: %s", self.launch.subagent_name, error_text(error))
        return self.end(error)

    def end(self, error: Exception | None = None) -> RunEnd:
        """Return the end of the run as if it ended now, with its output so far."""
        output = self._run.output if self._run is not None else None
        return run_end(self.abort, output, error, self.launch.timeout)

    async def aclose(self) -> None:
        """Stop the clock and dispose the run in bounded time. Log errors."""
        self.clock.stop()
        self._disposing, self._run = self._run, None
        try:
            await self.dispose_now()
        finally:
            self._disposing = None

    async def dispose_now(self) -> None:
        """Call `dispose` again if it is under way, because a shorter deadline applies now."""
        if self._disposing is None:
            return
        try:
            async with asyncio.timeout(self._timeouts.dispose):
                await self._disposing.dispose()
        except Exception:
            log.exception("disposing subagent %s failed", self.launch.subagent_name)

    def _begin_updates(self, run: StartedRun) -> None:
        update = self.launch.update_output
        if update is not None:
            call_safely(update, f"Subagent '{self.launch.subagent_name}' is running (ID: {run.agent_id}).\n")
            run.on_message = partial(call_safely, update)

    def _launch_stopped(self) -> LaunchAborted:
        name, outcome = self.launch.subagent_name, self.abort.outcome
        reason = "aborted" if outcome is None else outcome.reason
        if reason == "timeout":
            return LaunchTimedOut(self.launch.timeout.text, subagentName=name, reason=reason)
        return LaunchAborted(
            f"The launch of subagent '{name}' was aborted.", subagentName=name, reason=reason
        )

    async def _until_settled(self, work: Awaitable[T]) -> T:
        """Wait until work ends; cancel it `wind_down` seconds after an abort."""
        inner = asyncio.ensure_future(work)
        aborted = asyncio.get_running_loop().create_future()
        unsubscribe = self.abort.on_abort(lambda: aborted.set_result(None))
        try:
            await asyncio.wait({inner, aborted}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({inner}, timeout=self._timeouts.wind_down)
        finally:
            unsubscribe()
            aborted.cancel()
            if not inner.done():
                await self._cancel(inner)
        if not inner.done() or inner.cancelled():
            raise Unresponsive("The run was cancelled.")
        return inner.result()

    async def _cancel(self, inner: "asyncio.Future[T]") -> None:
        inner.cancel()
        await asyncio.wait({inner}, timeout=CANCEL_SECONDS)
        if not inner.done():
            log.error("subagent %s does not end even though it was cancelled", self.launch.subagent_name)
            inner.add_done_callback(lambda future: future.cancelled() or future.exception())


def run_end(abort: Abort, output: Output | None, error: Exception | None, timeout: TimeoutChoice) -> RunEnd:
    """Return the end of a run with this output and this error, if any."""
    if abort.outcome is not None:
        return RunEnd(abort.outcome.with_output(output), output)
    if error is not None:
        return RunEnd(_failed(error, output), output)
    return RunEnd(of_output(output, timeout), output, returned=True)


def _failed(error: Exception, output: Output | None) -> Outcome:
    is_lost = isinstance(error, RunFailed) and error.is_lost
    outcome = failed("lost" if is_lost else "error", error_text(error), output)
    if not isinstance(error, RunFailed):
        return outcome
    return replace(outcome, error_kind=error.kind, retry_after_seconds=error.retry_after_seconds)


def error_text(error: BaseException) -> str:
    """Return the message of an error, or its type if it has no message."""
    return str(error) or type(error).__name__
