"""One run, driven from its launch to its disposal, with its abort handle and its clock."""

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sidecar.api.errors import LaunchFailed
from sidecar.subagents.launching import Abort, Launch, LaunchRequest, Orchestrator
from sidecar.subagents.model import Output
from sidecar.subagents.run_clock import RunClock
from sidecar.subagents.timeouts import TimeoutChoice

log = logging.getLogger(__name__)
T = TypeVar("T")

TIMEOUT, CANCELLED, CALLER, HOST_EXIT = "timeout", "cancelled", "caller", "hostExit"
"""The reasons that the core gives to an `Abort`."""
INACTIVITY, STARTUP, BUDGET, MAX_TURNS = "inactivity", "startupTimeout", "budget", "maxTurns"
"""The reasons that other limits than its time give; the run has failed then, and its error says why."""
CANCEL_SECONDS = 1.0
"""How long something that was cancelled as an asyncio task may still take."""


class LaunchAborted(LaunchFailed):
    """The launch was stopped before it was done. `data`: subagentName, reason."""


class LaunchTimedOut(LaunchAborted):
    """The run's time was up before its launch was done. `data`: subagentName, reason."""


class Unresponsive(Exception):
    """What was to end after an abort had to be cancelled."""


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """All that is needed to launch a run, now or from a queue."""

    request: LaunchRequest
    goal_prompt: str
    context: dict[str, Any]
    timeout: TimeoutChoice


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds given to a run after its abort, and to its disposal, before it is cancelled."""

    wind_down: float = 1.0
    dispose: float = 5.0


@dataclass(frozen=True)
class RunEnd:
    """How a driven run ended; `reason` is the abort's, `error` the text of what it raised."""

    how: Literal["returned", "raised", "timeout", "aborted"]
    output: Output | None = None
    error: str | None = None
    reason: str | None = None


class DrivenRun:
    """Launches, runs and disposes one subagent. `aclose` must follow, whatever happened."""

    def __init__(self, orchestrator: Orchestrator, plan: RunPlan, patience: Patience) -> None:
        self.plan = plan
        self.abort = Abort()
        self.clock = RunClock(plan.timeout.effective, lambda: self.abort.reach_limit(TIMEOUT))
        self._orchestrator = orchestrator
        self._patience = patience
        self._launch: Launch | None = None
        self._disposing: Launch | None = None

    async def start(self) -> Launch:
        """Launch under the clock. Raises LaunchTimedOut, LaunchAborted, or what the launch raised."""
        self.clock.resume()
        try:
            self._launch = await self._until_settled(self._orchestrator.launch(self.plan.request, self.abort))
        except Exception as error:
            if self.abort.aborted:
                raise self._launch_stopped() from error
            raise
        if self.abort.aborted:
            raise self._launch_stopped()
        return self._launch

    async def finish(self) -> RunEnd:
        """Run what `start` launched to its natural or forced end; never raises for the run."""
        assert self._launch is not None, "finish follows start"
        error = None
        try:
            await self._until_settled(self._launch.scope.run_non_interactive(dict(self.plan.context)))
        except Exception as raised:
            error = error_text(raised)
            if not self.abort.aborted:
                log.info("subagent %s failed: %s", self.plan.request.name, error)
        return self.end(error)

    def end(self, error: str | None = None) -> RunEnd:
        """Tell how the run stands as ended now, with what it has produced."""
        return run_end(self.abort, self._launch.scope.output if self._launch is not None else None, error)

    async def aclose(self) -> None:
        """Stop the clock and dispose the launch, in bounded time; errors are logged."""
        self.clock.stop()
        self._disposing, self._launch = self._launch, None
        try:
            await self.hasten()
        finally:
            self._disposing = None

    async def hasten(self) -> None:
        """Dispose once more what is being disposed, since less time is left for that now."""
        if self._disposing is None:
            return
        try:
            async with asyncio.timeout(self._patience.dispose):
                await self._disposing.dispose()
        except Exception:
            log.exception("disposing subagent %s failed", self.plan.request.name)

    def _launch_stopped(self) -> LaunchAborted:
        name = self.plan.request.name
        if self.abort.reason == TIMEOUT:
            return LaunchTimedOut(self.plan.timeout.text, subagentName=name, reason=TIMEOUT)
        reason = self.abort.reason or "aborted"
        return LaunchAborted(
            f"The launch of subagent '{name}' was aborted.", subagentName=name, reason=reason
        )

    async def _until_settled(self, work: Awaitable[T]) -> T:
        """Wait for work to end; after the abort only so long, then cancel it."""
        inner = asyncio.ensure_future(work)
        aborted = asyncio.get_running_loop().create_future()
        unsubscribe = self.abort.on_abort(lambda: aborted.set_result(None))
        try:
            await asyncio.wait({inner, aborted}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({inner}, timeout=self._patience.wind_down)
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
            log.error("subagent %s does not end, not even cancelled", self.plan.request.name)
            inner.add_done_callback(lambda future: future.cancelled() or future.exception())


def run_end(abort: Abort, output: Output | None, error: str | None) -> RunEnd:
    """Tell how a run ended that has this output and error, whoever drives it."""
    if not abort.aborted:
        return RunEnd("returned" if error is None else "raised", output, error)
    if abort.reason in (INACTIVITY, STARTUP, BUDGET, MAX_TURNS):
        return RunEnd("raised", output, error, abort.reason)
    return RunEnd("timeout" if abort.reason == TIMEOUT else "aborted", output, error, abort.reason)


def error_text(error: BaseException) -> str:
    """Return the message of an error, or its type where it has none."""
    return str(error) or type(error).__name__
