"""One run of an agent: hold the conversation, then end the agent, gracefully if possible."""

import asyncio
import logging
from typing import Any

from sidecar.api.runs.async_tasks import ErrorKind
from sidecar.subagents.runners.acp.conversation import Conversation, Handshake
from sidecar.subagents.runners.acp.results import Reason, end_of_run
from sidecar.subagents.runners.acp.start_gate import Entry
from sidecar.subagents.runners.acp.turn import AgentError
from sidecar.subagents.runners.acp.updates.events import SessionEvents
from sidecar.subagents.runners.acp.wire import AgentWire
from sidecar.subagents.runners.contract import Emit, RunResult, RunSpec, missing_outputs
from sidecar.subagents.runners.output.fair_scheduler import FairScheduler
from sidecar.subagents.runners.output.model_errors import ModelError
from sidecar.subagents.runners.output.stderr import StderrLog, meaningful
from sidecar.subagents.runners.process.child import ChildProcess, describe_exit
from sidecar.subagents.runners.process_run import IDLE_SECONDS, ProcessRun

logger = logging.getLogger(__name__)

_CANCEL_SHARE, _CANCEL_SECONDS = 0.4, 5.0
"""The share of a stop's limit that the agent gets to end its turn, and its maximum."""
_EOF_SHARE, _EOF_SECONDS = 0.25, 1.0
"""The same for its exit after the end of its input. Agents that take longer get SIGTERM."""
_KILL_SECONDS = 6.0
_EXIT_SECONDS = 1.0
"""How long to wait for the exit status of an agent that closed its output, to report it in the error."""
_QUIET_SECONDS = 0.25
"""How long an agent must be idle after its last turn and the end of its input before its run ends."""
_OVER = "the run has ended"


class AcpRun(ProcessRun):
    """A started agent; see `RunHandle`. Owns the session and the tasks that follow it.

    A run whose last turn succeeded ends when the agent becomes idle, without waiting for its exit, which can
    take seconds.
    """

    def __init__(
        self,
        process: ChildProcess,
        spec: RunSpec,
        handshake: Handshake,
        emit: Emit,
        scheduler: FairScheduler,
        entry: Entry,
    ) -> None:
        super().__init__(process)
        self._spec = spec
        self._handshake = handshake
        self._emit = emit
        self._scheduler = scheduler
        self._is_stopped = False
        self._retrying_at_stop: ModelError | None = None
        self._events = SessionEvents(
            takes_outputs=bool(spec.constraints.expected_outputs),
            servers=[server.name for server in spec.servers],
        )
        self._wire = AgentWire(process, self._events, self._take, spec.observer, scheduler)
        self._conversation = Conversation(self._wire, self._events, spec, emit, scheduler)
        self._conversation.opened = entry.opened_session
        self._entry = entry
        self._log = StderrLog()
        self._conversing = asyncio.create_task(self._converse(), name=f"conversation with {process.pid}")
        self._stderr = asyncio.create_task(self._pump_stderr(), name=f"stderr of {process.pid}")
        self._pumps.append(self._stderr)
        self._begin()

    @property
    def channel(self) -> Conversation:
        """The conversation with the agent."""
        return self._conversation

    @property
    def may_start_again(self) -> bool:
        """Whether the agent failed before its session was open, with an error that a restart may avoid."""
        if self._is_stopped or self._conversation.has_session or not self._conversing.done():
            return False
        error = self._error()
        return error is not None and error.may_pass

    async def _ask_to_end(self, limit: float) -> None:
        """Cancel the turn and close the input. Each step has its share of the limit."""
        if not self._is_stopped and not self._conversing.done():
            self._is_stopped, self._retrying_at_stop = True, self._events.retrying
        ended_turn = await self._cancel_turn(min(_CANCEL_SECONDS, limit * _CANCEL_SHARE))
        self._process.close_stdin()
        await self._process.exits_within(min(_EOF_SECONDS, limit * _EOF_SHARE))
        await self._spec.observer.before_kill(ended_turn=ended_turn)

    def _abandon(self) -> None:
        self._conversing.cancel()

    async def _take(self, event: dict[str, Any]) -> None:
        await self._emit(event)
        self._conversation.take(event)

    async def _cancel_turn(self, limit: float) -> bool:
        """Cancel the turn so that the agent itself can end tools that it started in their own sessions.

        Returns whether it ended in time.
        """
        try:
            async with asyncio.timeout(limit):
                await self._conversation.end()
        except (TimeoutError, ConnectionError) as error:
            logger.info("agent %d did not end its turn on request: %r", self.pid, error)
            return False
        return True

    async def _follow(self) -> RunResult:
        try:
            await self._wait_for_conversation()
            self._process.close_stdin()
            if self._is_final_before_exit():
                # The agent's input is closed, so no answer to a later question would reach it.
                self._wire.elicitations.close(_OVER)
                await self._wire.wait_until_idle(_QUIET_SECONDS, _EOF_SECONDS)
                self._conversation.permissions.close(_OVER)
                await self._emit_held_text()
                self._settle(self._outcome())
            await self._process.exits_within(_EOF_SECONDS)
            if not self._is_stopped:
                await self._spec.observer.before_kill(ended_turn=self._conversing.done())
            await self._process.stop(_KILL_SECONDS)
            await self._until_drained([self._stderr])
            await self._emit_held_text()
            return self._outcome()
        finally:
            self._entry.leave()
            self._process.kill()
            for task in (self._conversing, self._stderr):
                task.cancel()
            await self._conversation.aclose()
            self._process.close()

    def _is_final_before_exit(self) -> bool:
        """Return whether the result is final before the agent exits: its exit status would add nothing."""
        if self._is_stopped or self._conversing.cancelled() or not self._conversation.has_session:
            return False
        error = self._conversing.exception()
        return error is None or (isinstance(error, AgentError) and error.is_explained)

    def _error(self) -> AgentError | None:
        """Return the error of the conversation, or None."""
        error = None if self._conversing.cancelled() else self._conversing.exception()
        return error if isinstance(error, AgentError) else None

    async def _wait_for_conversation(self) -> None:
        """Wait for the end of the conversation or the process: tools can hold a dead agent's output open."""
        exit_ = asyncio.create_task(self._process.exited(), name=f"exit of {self.pid}")
        try:
            await asyncio.wait({self._conversing, exit_}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            exit_.cancel()
        if not self._conversing.done():
            await self._process.clear(_KILL_SECONDS)
            self._process.stdout.drain(IDLE_SECONDS)
            await asyncio.wait({self._conversing})

    async def _converse(self) -> str:
        """Hold the conversation and return its last stop reason. Raises AgentError."""
        try:
            return await self._conversation.hold(self._handshake)
        except ConnectionError as error:
            died = self._wire.error is None
            reason = await self._disconnect_reason()
            raise AgentError(reason, is_explained=False, may_pass=died) from error

    def _outcome(self) -> RunResult:
        if self._is_stopped:
            return self._stopped()
        try:
            stop_reason = self._conversing.result()
        except asyncio.CancelledError:
            return self._stopped()
        except AgentError as error:
            return self._ended("ERROR", self._explained(error), error.kind, error.retry_after_seconds)
        refused = self._events.refused
        emitted = self._events.emitted
        missing = missing_outputs(
            self._spec.constraints.expected_outputs,
            emitted.values,
            emitted.left_out,
            self._events.block_problem,
        )
        return self._ended(*end_of_run(stop_reason, None if refused is None else refused.title, missing))

    def _stopped(self) -> RunResult:
        retrying = self._retrying_at_stop
        if retrying is None:
            return self._ended("ERROR", "the run was stopped")
        error = f"the run was stopped while the agent repeated a failed request: {retrying.text}"
        return self._ended("ERROR", error, retrying.kind, retrying.retry_after_seconds)

    def _ended(
        self,
        reason: Reason,
        error: str | None,
        kind: ErrorKind | None = None,
        retry_after_seconds: float | None = None,
    ) -> RunResult:
        emitted = dict(self._events.emitted.values)
        return RunResult(reason, self._events.final_message(), emitted, error, kind, retry_after_seconds)

    async def _disconnect_reason(self) -> str:
        if self._wire.error is not None:
            return f"the sidecar could not record the output: {self._wire.error}"
        if not await self._process.exits_within(_EXIT_SECONDS):
            return "the agent closed its output before it answered"
        return f"the agent {describe_exit(await self._process.exited())} before it answered"

    def _explained(self, error: AgentError) -> str:
        """Return the text of an error, with the end of stderr if the text does not explain the cause."""
        tail = "" if error.is_explained else meaningful(self._log.tail())
        return f"{error}\n{tail}" if tail else str(error)

    async def _emit_held_text(self) -> None:
        """Record text that was held back as the start of an outputs block that never ended."""
        try:
            await self._scheduler.deliver(self._events.flush(), self._emit)
        except Exception as error:
            self._wire.error = self._wire.error or error

    async def _pump_stderr(self) -> None:
        try:
            while data := await self._process.stderr.read():
                await self._scheduler.next()
                await self._scheduler.deliver(self._events.stderr(self._log.feed(data)), self._emit)
            await self._scheduler.deliver(self._log.finish(), self._emit)
        except Exception as error:
            self._wire.error = error
            self._process.kill()
