"""Supervise one run: limit its startup time, inactivity, turns and costs, and answer its requests."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sidecar.api.mcp_servers import OWN_SERVER
from sidecar.api.runs.async_tasks import Attention, Changes, Placement, PlacementState
from sidecar.api.runs.permissions import Policy
from sidecar.api.settings import SettingsSource
from sidecar.subagents.equipment.secret_values import SecretValues
from sidecar.subagents.journal.records import RunRecord
from sidecar.subagents.limits.budget import BudgetWatch, DaySpending
from sidecar.subagents.limits.constraints import RunConstraints
from sidecar.subagents.limits.explanations import late, not_given, only_retried, silent, too_many_turns
from sidecar.subagents.limits.timers import SilenceWatch
from sidecar.subagents.permissions.broker import PermissionBroker
from sidecar.subagents.permissions.policy import is_own_tool
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.questions.broker import QuestionBroker
from sidecar.subagents.questions.question import AgentQuestion, Reply
from sidecar.subagents.runners.contract import AgentStore, RunObserver
from sidecar.subagents.runners.output.model_errors import error_kind
from sidecar.subagents.runners.output.unmet import still_starting
from sidecar.subagents.runs.prepared import Delegation
from sidecar.subagents.runs.run import Run
from sidecar.subagents.runs.tool_notice import ToolNotice
from sidecar.subagents.tasks.outcome import Outcome, failed

SERVERS_SECONDS = 10.0
"""How long an agent may start before its MCP servers are named as a possible reason."""
SERVERS_FACTOR = 1.5
"""By how much longer an agent with MCP servers may start: some wait 30 s for one that never answers."""


@dataclass(frozen=True)
class MonitorServices:
    """Services that supervision uses.

    `remember` saves the record of a run in the journal, `show` also notifies of it, and `show_session` also
    logs its mode and model. `show_changes` shows what git counted, even after the end of the run, and
    `left_cluster` that nothing of it is left on its cluster. `keep` saves it durably before it returns.
    """

    spending: DaySpending
    broker: PermissionBroker
    questions: QuestionBroker
    now: Callable[[], int]
    remember: Callable[[Run], None]
    show: Callable[[Run], None]
    show_session: Callable[[Run], None]
    show_changes: Callable[[Run], None]
    left_cluster: Callable[[Run], None]
    keep: Callable[[Run], Awaitable[None]]


class RunMonitor(RunObserver):
    """Supervise one run from `begin` to `end`. The first exceeded limit ends the run."""

    def __init__(
        self,
        monitoring: MonitorServices,
        run: Run,
        settings: SettingsSource,
        policy: Policy | None,
        definition: str | None,
        constraints: RunConstraints,
        emit: Callable[[dict[str, Any]], Awaitable[None]],
        delegation: Delegation | None = None,
        secrets: SecretValues | None = None,
    ) -> None:
        """`settings` are those of the client that launched the run."""
        self.policy = policy
        self.definition = definition
        self.settings = settings
        self.store: AgentStore | None = None
        """The store of an agent that may keep its sessions, once one is open."""
        limits = settings.current.async_tasks
        self._run = run
        self._constraints = constraints
        self._services = monitoring
        self._emit = emit
        self._startup_seconds = limits.startup_timeout_seconds
        if self._awaited_servers():
            self._startup_seconds *= SERVERS_FACTOR
        self._startup = SilenceWatch(_limit(self._startup_seconds), self._is_late)
        self._servers = SilenceWatch(SERVERS_SECONDS, self._waits_for_servers)
        self._noticing: asyncio.Future[None] | None = None
        self._silence = SilenceWatch(_limit(limits.inactivity_timeout_seconds), self._is_silent)
        self._budget = BudgetWatch(settings.current.budget, monitoring.spending)
        self._tool = ToolNotice(run.fold.tools.current_name, lambda: monitoring.show(run))
        self._is_ready = False
        self._silence_counts = False
        self._open_questions = 0
        self._delegation = delegation
        self._secrets = secrets or SecretValues()
        self._waits = 0

    @property
    def record(self) -> RunRecord:
        """The record of the run."""
        return self._run.record

    def begin(self) -> None:
        """Start the startup timeout."""
        self._start_startup()

    def end(self) -> None:
        """Stop all timers permanently."""
        self._startup.end()
        self._servers.end()
        if self._noticing is not None:
            self._noticing.cancel()
        self._silence.end()
        self._tool.close()
        self._silence_counts = False

    def release(self) -> None:
        """Drop later events. Call this when the processes of the run have exited, so that it is freed."""
        self._emit = _drop

    def ready(self, *, silence_counts: bool) -> None:
        """Note that the agent is ready; if `silence_counts`, start the inactivity timeout."""
        self._is_ready = True
        self._stop_startup()
        if self._run.fold.awaited_servers:
            self._run.fold.awaited_servers = []
            self._services.show(self._run)
        self._silence_counts = silence_counts
        self._resume_silence()

    def in_session(self, session_id: str) -> None:
        """Save the ID of the agent's session, so that the run can be resumed after a crash."""
        self.record.session_id = session_id
        self._services.remember(self._run)

    def stored_as(self, session_id: str, store: AgentStore) -> None:
        """Show the session in the agent's own store on the run."""
        self.store = store
        if self.record.task.session_task_id != session_id:
            self.record.task.session_task_id = session_id
            self._services.show_session(self._run)

    def configured(self, *, mode: str | None, model: str | None, effort: str | None = None) -> None:
        """Show the configuration of the agent's session on the run."""
        task = self.record.task
        before = (task.mode, task.model, task.effort)
        after = (mode or task.mode, model or task.model, effort or task.effort)
        if after != before:
            task.mode, task.model, task.effort = after
            self._services.show_session(self._run)

    def sign_in_required(self) -> None:
        """Note why the run is about to fail."""
        self.record.task.reason = "authRequired"

    def take(self, event: dict[str, Any]) -> None:
        """Check the limits and the current tool after an event. A retry does not count as activity."""
        if "retrying" not in event:
            self.active()
        if event["type"] == "tool" and self._run.is_running:
            self._tool.check()
        if ("unmet" in event or "awaitedServers" in event) and self._run.is_running:
            self._services.show(self._run)
        fold, limit = self._run.fold, self._constraints.max_turns
        if event["type"] == "usage" and (text := self._budget.exceeded(fold.usage)) is not None:
            self._stop(failed("budget", text))
        if limit is not None and fold.turns.count > limit:
            self._run.abort.reach_limit(failed("maxTurns", too_many_turns(limit)))

    def active(self) -> None:
        """Note activity of the agent."""
        self._silence.touch()

    async def ask(self, question: Question) -> Answer:
        """Answer a permission request: refuse tools outside of the constraints, else ask the broker."""
        workspace = Path(self.record.task.workspace_dir)
        if self._delegation is not None and is_own_tool(question):
            return await self._services.broker.grant(self, question)
        tools = self._constraints.tools
        # In a thread, since matching many files with a long list of patterns takes a while.
        if tools is not None and not await asyncio.to_thread(tools.allows, question, workspace):
            return await self._services.broker.refuse(self, question, not_given(tools.names))
        return await self._services.broker.ask(self, question)

    async def ask_user(self, question: AgentQuestion) -> Reply:
        """Put a question of the agent to a person."""
        return await self._services.questions.ask(self, question)

    async def decline(self, question: AgentQuestion, reason: str) -> Reply:
        """Decline a question of the agent, and log the reason."""
        return await self._services.questions.decline(self, question, reason)

    def placed(self, node: str | None, state: PlacementState) -> None:
        """Show where a run on a cluster works; notify of a change."""
        if self._run.outcome is not None:
            return
        task = self.record.task
        before = task.placement
        known = Placement(kind="ray", state=state) if before is None else before
        heard_at = known.last_heard_at if state in ("reconnecting", "lost") else self._services.now()
        task.placement = msgspec.structs.replace(known, node=node, state=state, last_heard_at=heard_at)
        if not self._is_ready:  # the startup limit counts from the start of the agent
            if state == "running":
                self._start_startup()
            else:
                self._stop_startup()
        self._count_time(state, known.state)
        if before is None or (before.node, before.state) != (node, state):
            self._services.show(self._run)

    def _count_time(self, state: PlacementState, before: PlacementState) -> None:
        """Pause the time limit while the run waits for a slot of a node, as while it is queued."""
        clock = self._run.abort.clock
        if clock is None or self._run.abort.aborted:
            return
        if state == "waiting":
            clock.pause()
        elif before == "waiting" and not self._open_questions:
            clock.resume()

    async def keep(self, record: dict[str, Any]) -> None:
        """Save what a later process needs to find the run on its cluster."""
        self.record.remote = {**record, "definition": self.definition}
        await self._services.keep(self._run)

    def time_left(self, seconds: float) -> None:
        """Continue the time limit of a run that is found again."""
        if self._run.abort.clock is not None:
            self._run.abort.clock.set_left(seconds)

    def brought_back(self, changes: Changes) -> None:
        """Show what git counted, instead of what the events name."""
        self._run.counted_changes = changes
        self._services.show_changes(self._run)

    def left_cluster(self) -> None:
        """Record that the run needs no clean-up."""
        self._run.has_left = True
        self._services.left_cluster(self._run)

    async def next_report(self) -> str | None:
        """Wait for the end of a child, and return the reminder of it; None if nothing is left to report."""
        return None if self._delegation is None else await self._delegation.next_report()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Stop the inactivity timeout while the run waits for its children."""
        self._waits += 1
        self._silence.stop()
        try:
            yield
        finally:
            self._waits -= 1
            self._resume_silence()

    async def emit(self, event: dict[str, Any]) -> None:
        """Log an event of the run."""
        await self._emit(event)

    def redacted(self, attention: Attention) -> Attention:
        """Return what a client may see of a request: no secret values."""
        if not self._secrets:
            return attention
        plain = msgspec.to_builtins(attention)
        return msgspec.convert(self._secrets.removed_from(plain), Attention)

    def pause_timers(self) -> None:
        """Pause the timers when the first question opens."""
        self._open_questions += 1
        if self._open_questions == 1:
            self._stop_startup()
            self._silence.stop()
            if self._run.abort.clock is not None:
                self._run.abort.clock.pause()

    def resume_timers(self) -> None:
        """Resume the timers when the last open question closes."""
        self._open_questions -= 1
        if self._open_questions == 0:
            if not self._is_ready:
                self._start_startup()
            self._resume_silence()
            if self._run.abort.clock is not None and not self._run.abort.aborted:
                self._run.abort.clock.resume()

    def _resume_silence(self) -> None:
        if self._silence_counts and not self._open_questions and not self._waits:
            self._silence.start()

    def _start_startup(self) -> None:
        self._startup.start()
        if self._awaited_servers():
            self._servers.start()

    def _stop_startup(self) -> None:
        self._startup.stop()
        self._servers.stop()

    def _waits_for_servers(self) -> None:
        """Name the servers that may delay the start of the agent."""
        names = self._awaited_servers()
        if names:
            self._noticing = asyncio.ensure_future(self._emit(still_starting(names)))

    def _is_late(self) -> None:
        self._stop(failed("startupTimeout", late(self._startup_seconds, self._awaited_servers())))

    def _awaited_servers(self) -> list[str]:
        """Return the MCP servers of others that the agent has not reported as failed."""
        reported = {each.wanted for each in self._run.fold.unmet.known() or () if each.kind == "mcpServer"}
        return [
            name for name in self.record.task.mcp_servers or () if name != OWN_SERVER and name not in reported
        ]

    def _is_silent(self) -> None:
        retrying = self._run.fold.retrying
        seconds = self.settings.current.async_tasks.inactivity_timeout_seconds
        if retrying is None:
            self._stop(failed("inactivity", silent(seconds)))
        else:
            kind = error_kind(retrying.text, retrying.status)
            self._stop(failed("inactivity", only_retried(seconds, retrying.text), kind=kind))

    def _stop(self, outcome: Outcome) -> None:
        self._run.abort.end_at_limit()
        self._run.abort.abort(outcome)


async def _drop(_: dict[str, Any]) -> None:
    """Ignore an event of a run whose processes have exited."""


def _limit(seconds: float) -> float | None:
    return None if seconds < 0 else seconds
