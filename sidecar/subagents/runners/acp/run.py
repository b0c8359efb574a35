"""One run of an agent: its conversation, and an end that leaves nothing, politely first."""

import asyncio
import logging
from typing import Any

from sidecar.api.async_tasks import ErrorKind
from sidecar.subagents.runners.acp.conversation import Conversation, Handshake
from sidecar.subagents.runners.acp.ends import Reason, end_of_run
from sidecar.subagents.runners.acp.faults import AgentFault
from sidecar.subagents.runners.acp.start_gate import Entry
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
"""How much of a stop's limit the agent has to end its turn, and the most it gets."""
_EOF_SHARE, _EOF_SECONDS = 0.25, 1.0
"""The same for ending by itself once its input has ended; TERM follows, which those heed that take longer."""
_KILL_SECONDS = 6.0
_EXIT_SECONDS = 1.0
"""How long to wait for the status of an agent that closed its output, so that the error can name it."""
_QUIET_SECONDS = 0.25
"""How long an agent whose turn and input have ended must be silent before its run ends."""
_OVER = "the run has ended"


class AcpRun(ProcessRun):
    """A started agent; see `RunHandle`. It owns the session and the tasks that follow it.

    A run whose turn ended well ends once the agent has nothing more to say; that it takes seconds to exit
    delays nobody.
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
        self._events = SessionEvents(takes_outputs=bool(spec.constraints.expected_outputs))
        self._wire = AgentWire(process, self._events, self._take, spec.observer, scheduler)
        self._conversation = Conversation(self._wire, self._events, spec, emit, scheduler)
        self._conversation.opened = entry.stands
        self._entry = entry
        self._log = StderrLog()
        self._talk = asyncio.create_task(self._converse(), name=f"conversation with {process.pid}")
        self._stderr = asyncio.create_task(self._pump_stderr(), name=f"stderr of {process.pid}")
        self._pumps.append(self._stderr)
        self._begin()

    @property
    def channel(self) -> Conversation:
        """The conversation with the agent."""
        return self._conversation

    @property
    def may_start_again(self) -> bool:
        """Whether the agent failed before its session stood, in a way that another start may not."""
        if self._is_stopped or self._conversation.has_session or not self._talk.done():
            return False
        fault = self._fault()
        return fault is not None and fault.may_pass

    async def _ask_to_end(self, limit: float) -> None:
        """Cancel the turn and end the input; each step has its share of the limit."""
        if not self._is_stopped and not self._talk.done():
            self._is_stopped, self._retrying_at_stop = True, self._events.retrying
        await self._cancel_turn(min(_CANCEL_SECONDS, limit * _CANCEL_SHARE))
        self._process.close_stdin()
        await self._process.exits_within(min(_EOF_SECONDS, limit * _EOF_SHARE))

    def _abandon(self) -> None:
        self._talk.cancel()

    async def _take(self, event: dict[str, Any]) -> None:
        await self._emit(event)
        self._conversation.take(event)

    async def _cancel_turn(self, limit: float) -> None:
        """Have the agent end what it is at; tools it started in sessions of their own it ends best itself."""
        try:
            async with asyncio.timeout(limit):
                await self._conversation.end()
        except (TimeoutError, ConnectionError) as fault:
            logger.info("agent %d did not end its turn when asked to: %r", self.pid, fault)

    async def _follow(self) -> RunResult:
        try:
            await self._talk_ends()
            self._process.close_stdin()
            if self._needs_no_process():
                await self._wire.falls_silent(_QUIET_SECONDS, _EOF_SECONDS)
                self._conversation.permissions.close(_OVER)
                await self._emit_what_was_held_back()
                self._settle(self._outcome())
            await self._process.exits_within(_EOF_SECONDS)
            await self._process.stop(_KILL_SECONDS)
            await self._until_drained([self._stderr])
            await self._emit_what_was_held_back()
            return self._outcome()
        finally:
            self._entry.leave()
            self._process.kill()
            for task in (self._talk, self._stderr):
                task.cancel()
            await self._conversation.aclose()
            self._process.close()

    def _needs_no_process(self) -> bool:
        """Whether the result is known though the agent has not exited: its end would explain nothing."""
        if self._is_stopped or self._talk.cancelled() or not self._conversation.has_session:
            return False
        fault = self._talk.exception()
        return fault is None or (isinstance(fault, AgentFault) and fault.is_explained)

    def _fault(self) -> AgentFault | None:
        """Return why the conversation failed, None if it did not."""
        fault = None if self._talk.cancelled() else self._talk.exception()
        return fault if isinstance(fault, AgentFault) else None

    async def _talk_ends(self) -> None:
        """Wait for the end of the conversation; a tool of a dead agent may hold its output open for hours."""
        exit_ = asyncio.create_task(self._process.exited(), name=f"exit of {self.pid}")
        try:
            await asyncio.wait({self._talk, exit_}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            exit_.cancel()
        if not self._talk.done():
            await self._process.clear(_KILL_SECONDS)
            self._process.stdout.drain(IDLE_SECONDS)
            await asyncio.wait({self._talk})

    async def _converse(self) -> str:
        """Hold the conversation and return its last stop reason; raises AgentFault."""
        try:
            return await self._conversation.hold(self._handshake)
        except ConnectionError as error:
            died = self._wire.fault is None
            reason = await self._why_it_fell_silent()
            raise AgentFault(reason, is_explained=False, may_pass=died) from error

    def _outcome(self) -> RunResult:
        if self._is_stopped:
            return self._stopped()
        try:
            stop_reason = self._talk.result()
        except asyncio.CancelledError:
            return self._stopped()
        except AgentFault as fault:
            return self._ended("ERROR", self._explained(fault), fault.kind)
        refused = self._events.refused
        missing = missing_outputs(self._spec.constraints.expected_outputs, self._events.emitted.values)
        return self._ended(*end_of_run(stop_reason, None if refused is None else refused.title, missing))

    def _stopped(self) -> RunResult:
        retrying = self._retrying_at_stop
        if retrying is None:
            return self._ended("ERROR", "the run was stopped")
        error = f"the run was stopped while the agent repeated a failed request: {retrying.text}"
        return self._ended("ERROR", error, retrying.kind)

    def _ended(self, reason: Reason, error: str | None, kind: ErrorKind | None = None) -> RunResult:
        emitted = dict(self._events.emitted.values)
        return RunResult(reason, self._events.final_message(), emitted, error, kind)

    async def _why_it_fell_silent(self) -> str:
        if self._wire.fault is not None:
            return f"the output could not be recorded: {self._wire.fault}"
        if not await self._process.exits_within(_EXIT_SECONDS):
            return "the agent closed its output before its answer"
        return f"the agent ended before its answer: {describe_exit(await self._process.exited())}"

    def _explained(self, fault: AgentFault) -> str:
        """Return the text of a fault, with the end of stderr where that alone tells the reason."""
        tail = "" if fault.is_explained else meaningful(self._log.tail())
        return f"{fault}\n{tail}" if tail else str(fault)

    async def _emit_what_was_held_back(self) -> None:
        """Record the beginning of a block whose end never came, as the text that it is."""
        try:
            await self._scheduler.deliver(self._events.flush(), self._emit)
        except Exception as fault:
            self._wire.fault = self._wire.fault or fault

    async def _pump_stderr(self) -> None:
        try:
            while data := await self._process.stderr.read():
                await self._scheduler.next()
                await self._scheduler.deliver(self._events.stderr(self._log.feed(data)), self._emit)
            await self._scheduler.deliver(self._log.finish(), self._emit)
        except Exception as fault:
            self._wire.fault = fault
            self._process.kill()
