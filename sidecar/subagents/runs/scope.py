"""Execute one run with its runner, log its events and write its transcript."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sidecar.api.errors import StorageError
from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.subagents.equipment.secret_values import SecretFilter
from sidecar.subagents.fold.messages import LiveText
from sidecar.subagents.fold.replay import CONTINUE, replay_prompt
from sidecar.subagents.journal.event_log import EventLog
from sidecar.subagents.runners.contract import (
    FormerSession,
    MessageChannel,
    RunHandle,
    RunSpec,
    enqueue_message,
)
from sidecar.subagents.runs.holds import RunnerHolds
from sidecar.subagents.runs.lifecycle import run_end
from sidecar.subagents.runs.prepared import PreparedLaunch
from sidecar.subagents.runs.prompts import build_prompt
from sidecar.subagents.runs.registry.registry import RunRegistry
from sidecar.subagents.runs.run import MessageRejected, Run
from sidecar.subagents.runs.store_usage import StoreUsages
from sidecar.subagents.runs.supervision import MonitorServices, RunMonitor
from sidecar.subagents.tasks.launching import Resumption
from sidecar.subagents.tasks.model import Output
from sidecar.subagents.tasks.outcome import RunFailed
from sidecar.subagents.transcript.transcript import STORED_OUTCOMES, Transcript, TranscriptHead

logger = logging.getLogger(__name__)


@dataclass
class StopLimit:
    """How many seconds stopping a run may take. A Host that shuts down reduces it."""

    seconds: float


@dataclass(frozen=True)
class RunServices:
    """Services that all runs of a Host share."""

    root: Path
    registry: RunRegistry
    now: Callable[[], int]
    stop: StopLimit
    holds: RunnerHolds
    events: EventLog
    history_changed: Callable[[str, Literal["added", "changed"]], None]
    """Called with the ID of a run when its stored task is created or changed."""
    monitoring: MonitorServices
    store_usages: StoreUsages


class RunScope:
    """Execute one run. Call `open`, `run` and `dispose`, each once and in this order."""

    def __init__(self, services: RunServices, prepared: PreparedLaunch, run: Run) -> None:
        self.agent_id = run.id
        self.output: Output | None = None
        self.on_message: Callable[[str], object] | None = None
        self._live_text = LiveText()
        self._services = services
        self._prepared = prepared
        self._target = prepared.target
        self._constraints = prepared.constraints
        self._run = run
        self._secrets = prepared.equipment.secret_values
        self._filter = SecretFilter(self._secrets)
        self._transcript: Transcript | None = None
        self._handle: RunHandle | None = None
        self._early_messages: list[str] = []
        self._heard = 0
        self._is_open = asyncio.Event()
        self._unwatch: Callable[[], None] = lambda: None
        self._error: RunFailed | None = None
        self._last_turn: asyncio.Task[None] | None = None
        self._monitor = RunMonitor(
            services.monitoring,
            run,
            prepared.settings,
            self._target.definition.permissions,
            self._target.brought_by,
            self._constraints,
            self._emit,
            prepared.delegation,
            self._secrets,
        )

    async def open(self) -> None:
        """Create the folder of the run. Raises StorageError."""
        self._run.executor = self
        try:
            await self._open_transcript()
        finally:
            self._is_open.set()

    async def reopen(self) -> None:
        """Continue the folder of a run that an earlier process left, from its recorded events."""
        self._run.executor = self
        try:
            services = self._services
            transcript = await self._started_transcript(Transcript.reopen)
            self._transcript = transcript
            async for event in services.events.all_of(self.agent_id):
                self._run.take(event)
                transcript.record(event)
                self._heard = max(self._heard, event.get("nodeSeq", 0))
            services.registry.watch(self._run)
            self._unwatch = services.events.watch(self.agent_id, transcript.record)
        finally:
            self._is_open.set()

    async def _open_transcript(self) -> None:
        services = self._services
        transcript = await self._started_transcript(Transcript.start)
        self._transcript = transcript
        self._unwatch = services.events.watch(self.agent_id, transcript.record)
        services.history_changed(self.agent_id, "added")

    async def _started_transcript(self, start: Callable[..., Awaitable[Transcript]]) -> Transcript:
        services, task = self._services, self._run.record.task
        head = TranscriptHead(
            task_id=task.id,
            goal=task.goal_prompt,
            subagent_name=task.subagent_name,
            workspace_dir=task.workspace_dir,
            started_at=task.launched_at or services.now(),
            parent_task_id=task.parent_task_id,
        )
        return await start(
            services.root,
            head,
            services.now,
            lambda: len(services.registry.with_status("running")),
            self._run.fold.changes,
        )

    async def run(self) -> None:
        """Run to the end, or return soon after an abort; `dispose` then stops remaining processes.

        Raises RunFailed and any error of the runner's start.
        """
        spec = self._spec()
        for notice in self._target.notices:
            await self._emit({"type": "log", "stream": "stderr", "text": f"{notice}.\n"})
        resumption = self._prepared.resumption
        if resumption is not None:
            spec = _resuming(spec, resumption)
            await self._log_message(resumption.text)
        self._run.abort.on_soft_limit = self._begin_last_turn
        self._services.holds.enter(self.agent_id, self._prepared.account)
        self._monitor.begin()
        try:
            self._handle = await self._target.runner.start(spec, self._emit)
            self._send_early_messages(self._handle.channel)
            await self._race_end_and_abort(self._handle)
        finally:
            self._run.abort.on_soft_limit = None
            self._monitor.end()
            if self._prepared.delegation is not None:
                await self._prepared.delegation.aclose()

    def _spec(self) -> RunSpec:
        params, definition = self._prepared.params, self._target.definition
        prompt = build_prompt(
            definition.system_prompt, params.goal_prompt, params.behaviour_prompts or (), params.context
        )
        workspace = Path(self._run.record.task.workspace_dir)
        delegation = self._prepared.delegation
        own = () if delegation is None else (delegation.open(self._monitor),)
        return RunSpec(
            self.agent_id,
            prompt,
            workspace,
            model=definition.model,
            mode=definition.mode,
            effort=definition.effort,
            observer=self._monitor,
            constraints=self._constraints,
            policy=definition.permissions or self._prepared.settings.current.permissions.default,
            trusted=self._target.trusts(workspace),
            heard=self._heard,
            timeout_seconds=self._prepared.timeout.effective,
            servers=(*own, *self._prepared.equipment.servers),
            server_entries=self._prepared.equipment.entries,
            directories=self._prepared.equipment.directories,
            attachments=self._prepared.equipment.attachments,
        )

    def send(self, text: str) -> None:
        """Send a message to the agent. Raises MessageRejected, and Overloaded if too many wait."""
        if not self._target.runner.listens:
            raise MessageRejected(f"runner {self._target.runner.name!r} only accepts its initial prompt")
        if self._handle is None:
            enqueue_message(self._early_messages, text)
        elif self._handle.channel is None or not self._handle.channel.send(text):
            raise MessageRejected("the run is ending")

    async def steer(self, text: str) -> bool:
        """Give the agent a message during its current turn. Return False if it cannot take one now."""
        channel = None if self._handle is None else self._handle.channel
        return channel is not None and await channel.steer(text)

    async def finish(self, task: AsyncTask) -> None:
        """Write the end of the run into its stored task. Raises StorageError; may be called again."""
        await self._is_open.wait()
        message = (task.output or {}).get("final_message")
        if self._transcript is None:
            if task.launched_at is not None:  # the launch was cancelled while it created the folder
                outcome, at = STORED_OUTCOMES[task.status], task.completed_at or task.launched_at
                await Transcript.recover(self._services.root, task.id, outcome, task.error, at=at)
            return
        self._unwatch()
        await self._transcript.finish(
            STORED_OUTCOMES[task.status], at=task.completed_at, final_message=message, error=task.error
        )
        self._services.history_changed(task.id, "changed")

    async def sync(self) -> None:
        """Make the stored task durable. Raises StorageError; may be called again."""
        if self._transcript is not None:
            await self._transcript.sync()

    async def dispose(self) -> None:
        """Stop the processes of the run and record its end."""
        if self._last_turn is not None:
            self._last_turn.cancel()
        if self._run.outcome is None:  # its caller has this end already: no cancel may replace it now
            end = run_end(self._run.abort, self.output, self._error, self._prepared.timeout)
            self._services.registry.conclude(self.agent_id, end.outcome)
        if self._handle is not None:
            await self._handle.stop(self._services.stop.seconds)
        with contextlib.suppress(StorageError):  # the registry tries again
            await self._services.registry.recorded(self.agent_id)
            await self._services.registry.add_late_usage(self._run)
        self._services.store_usages.look(self._run, self._monitor.store)
        self._handle = None
        self._monitor.release()

    async def _race_end_and_abort(self, handle: RunHandle) -> None:
        aborted = asyncio.Event()
        abort = self._run.abort
        unsubscribe = abort.on_abort(aborted.set)
        ended = asyncio.ensure_future(handle.result())
        stopped = asyncio.ensure_future(aborted.wait())
        try:
            await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unsubscribe()
            stopped.cancel()
            if not ended.done():
                ended.cancel()
        for event in list(self._filter.finish()):
            await self._record(event)
        abort.end_at_limit()
        if abort.outcome is not None:
            partial = self._run.fold.partial()
            self.output = _output(abort.outcome.terminate_reason, partial.emitted_vars, partial.final_message)
            return
        result = ended.result()
        output = _output(result.terminate_reason, result.emitted_vars, result.final_message)
        self.output = self._secrets.removed_from(output)
        if result.terminate_reason == "ERROR":
            text = self._secrets.without(result.error or "Subagent ended with ERROR.")
            self._error = RunFailed(
                text, result.error_kind, result.retry_after_seconds, is_lost=result.is_lost
            )
            raise self._error

    def _begin_last_turn(self) -> bool:
        """Start the agent's last turn if it accepts messages and has a grace period."""
        channel = self._handle.channel if self._handle is not None else None
        if channel is None or not channel.listens or self._constraints.grace_seconds <= 0:
            return False
        self._run.fold.cut_short()
        self._last_turn = asyncio.create_task(
            self._give_last_turn(channel), name=f"last turn of {self.agent_id}"
        )
        return True

    async def _give_last_turn(self, channel: MessageChannel) -> None:
        emitted = self._run.fold.partial().emitted_vars
        missing = [name for name in self._constraints.expected_outputs if name not in emitted]
        try:
            async with asyncio.timeout(self._constraints.grace_seconds):
                await channel.last_turn(missing)
        except TimeoutError:
            logger.info("run %s did not end its last turn within its grace period", self.agent_id)
        finally:
            self._run.abort.end_at_limit()

    def _send_early_messages(self, channel: MessageChannel | None) -> None:
        if channel is not None:
            for text in self._early_messages:
                channel.send(text)

    async def _log_message(self, text: str | None) -> None:
        """Log the message with which a client resumes a run."""
        if text is not None:
            await self._emit({"type": "message", "messageId": "resume", "role": "user", "text": text})

    async def _emit(self, event: dict[str, Any]) -> None:
        for each in list(self._filter.feed(event)):
            await self._record(each)

    async def _record(self, event: dict[str, Any]) -> None:
        if self._run.accepts(event):
            await self._services.events.append(self.agent_id, event)
        if self.on_message is not None and (text := self._live_text.take(event)):
            self.on_message(text)
        self._monitor.take(event)
        self._services.holds.take(self.agent_id, event)
        self._services.history_changed(self.agent_id, "changed")


def _resuming(spec: RunSpec, resumption: Resumption) -> RunSpec:
    session, text, cost = resumption.session_id, resumption.text, resumption.session_cost
    return replace(
        spec,
        prompt=replay_prompt(spec.prompt, resumption.replay, text),
        former=None if session is None else FormerSession(session, text or CONTINUE, cost),
        resumes=resumption.runs,
    )


def _output(reason: str, emitted_vars: dict[str, Any], final_message: str | None) -> Output:
    output = {"terminate_reason": reason, "emitted_vars": emitted_vars}
    return output if final_message is None else {**output, "final_message": final_message}
