"""One run, driven from its launch to its disposal, with its abort handle and its clock."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from sidecar.api.errors import LaunchFailed
from sidecar.subagents.limits.run_clock import RunClock
from sidecar.subagents.tasks.launching import Abort, Launch, LaunchRequest, Orchestrator, SpeakingScope
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import Outcome, RunFailed, failed, of_output, timed_out
from sidecar.subagents.tasks.signals import call_safely
from sidecar.subagents.tasks.timeouts import TimeoutChoice

log = logging.getLogger(__name__)
T = TypeVar("T")

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
    """All that is needed to launch a run, now or from a queue.

    `update_output` gets the run's id as soon as there is one, then what the run says, piece by piece.
    """

    request: LaunchRequest
    goal_prompt: str
    context: dict[str, Any]
    timeout: TimeoutChoice
    update_output: Callable[[str], object] | None = None


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds given to a run after its abort, and to its disposal, before it is cancelled."""

    wind_down: float = 1.0
    dispose: float = 5.0


@dataclass(frozen=True)
class RunEnd:
    """How a driven run ended; `returned` means by itself, neither stopped nor with an exception."""

    outcome: Outcome
    output: Output | None = None
    """What the run had produced, also when it was cancelled."""
    returned: bool = False


class DrivenRun:
    """Launches, runs and disposes one subagent. `aclose` must follow, whatever happened."""

    def __init__(self, orchestrator: Orchestrator, plan: RunPlan, patience: Patience) -> None:
        self.plan = plan
        self.abort = Abort()
        self.clock = RunClock(plan.timeout.effective, lambda: self.abort.reach_limit(timed_out(plan.timeout)))
        self.abort.clock = self.clock
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
        self._begin_updates(self._launch)
        return self._launch

    async def finish(self) -> RunEnd:
        """Run what `start` launched to its natural or forced end; never raises for the run."""
        assert self._launch is not None, "finish follows start"
        error = None
        try:
            await self._until_settled(self._launch.scope.run_non_interactive(dict(self.plan.context)))
        except Exception as raised:
            error = raised
            if not self.abort.aborted:
                log.info("subagent %s failed: %s", self.plan.request.name, error_text(error))
        return self.end(error)

    def end(self, error: Exception | None = None) -> RunEnd:
        """Return how the run ends if it ends now, with what it has produced."""
        output = self._launch.scope.output if self._launch is not None else None
        return run_end(self.abort, output, error, self.plan.timeout)

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

    def _begin_updates(self, launch: Launch) -> None:
        update = self.plan.update_output
        if update is None:
            return
        call_safely(update, f"Subagent '{self.plan.request.name}' is running (ID: {launch.agent_id}).\n")
        if isinstance(launch.scope, SpeakingScope):
            launch.scope.on_message = partial(call_safely, update)

    def _launch_stopped(self) -> LaunchAborted:
        name, outcome = self.plan.request.name, self.abort.outcome
        reason = "aborted" if outcome is None else outcome.reason
        if reason == "timeout":
            return LaunchTimedOut(self.plan.timeout.text, subagentName=name, reason=reason)
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


def run_end(abort: Abort, output: Output | None, error: Exception | None, timeout: TimeoutChoice) -> RunEnd:
    """Return how a run ends that has this output and raised this error, if any."""
    if abort.outcome is not None:
        return RunEnd(abort.outcome.with_output(output), output)
    if error is not None:
        kind = error.kind if isinstance(error, RunFailed) else None
        return RunEnd(failed("error", error_text(error), output, kind), output)
    return RunEnd(of_output(output, timeout), output, returned=True)


def error_text(error: BaseException) -> str:
    """Return the message of an error, or its type where it has none."""
    return str(error) or type(error).__name__
