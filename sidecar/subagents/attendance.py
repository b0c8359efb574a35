"""Looking after one run: its start, signs of life and spending are limited, and its questions answered."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidecar.api.permissions import Policy
from sidecar.api.settings import Settings
from sidecar.subagents.budget import BudgetWatch, DaySpending
from sidecar.subagents.driving import BUDGET, INACTIVITY, MAX_TURNS, STARTUP
from sidecar.subagents.js_text import js_number
from sidecar.subagents.launching import Abort
from sidecar.subagents.permissions.desk import PermissionDesk
from sidecar.subagents.permissions.question import Answer, Question
from sidecar.subagents.records import RunRecord
from sidecar.subagents.runners.contract import Attendant
from sidecar.subagents.terms import Terms
from sidecar.subagents.turn_watch import TurnWatch
from sidecar.subagents.watchdog import SilenceWatch


@dataclass(frozen=True)
class Oversight:
    """What looking after runs takes.

    `pause` and `resume` are given a task's id and stop its time limit; `remember` has the journal keep a
    record as it is.
    """

    settings: Callable[[], Settings]
    spending: DaySpending
    desk: PermissionDesk
    pause: Callable[[str], None]
    resume: Callable[[str], None]
    remember: Callable[[RunRecord], None]


class RunAttendance(Attendant):
    """Attends one run from `begin` to `end`. The first limit it oversteps ends it, through `abort`."""

    def __init__(
        self,
        oversight: Oversight,
        record: RunRecord,
        policy: Policy | None,
        terms: Terms,
        abort: Abort,
        emit: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        self.record = record
        self.policy = policy
        self.error: str | None = None
        """Why a limit ended the run; None if none did."""
        settings = oversight.settings()
        limits = settings.async_tasks
        startup, silence = limits.startup_timeout_seconds, limits.inactivity_timeout_seconds
        self._tools = terms.tools
        self._oversight = oversight
        self._abort = abort
        self._emit = emit
        self._startup = SilenceWatch(_limit(startup), lambda: self._stop(STARTUP, _late(startup)))
        self._silence = SilenceWatch(_limit(silence), lambda: self._stop(INACTIVITY, _silent(silence)))
        self._budget = BudgetWatch(settings.budget, oversight.spending, lambda text: self._stop(BUDGET, text))
        self._turns = TurnWatch(terms.max_turns, lambda: self._wind_up(MAX_TURNS, _turns(terms.max_turns)))
        self._silence_counts = False
        self._open_questions = 0

    def begin(self) -> None:
        """Begin to wait for the start."""
        self._startup.start()

    def end(self) -> None:
        """Watch no longer."""
        self._startup.stop()
        self._silence.stop()
        self._silence_counts = False

    def ready(self, *, silence_counts: bool) -> None:
        """Note that the start is over."""
        self._startup.stop()
        self._silence_counts = silence_counts
        if silence_counts:
            self._silence.start()

    def in_session(self, session_id: str) -> None:
        """Have the journal keep the session: it is wanted after a crash, too."""
        self.record.session_id = session_id
        self._oversight.remember(self.record)

    def configured(self, *, mode: str | None, model: str | None) -> None:
        """Show the mode and the model of the agent's session with the run."""
        task = self.record.task
        task.mode, task.model = mode or task.mode, model or task.model
        self._oversight.remember(self.record)

    def take(self, event: dict[str, Any]) -> None:
        """Take in an event of the run; a request that is only repeated is not a sign of life."""
        if "retrying" not in event:
            self.active()
        self._budget.take(event)
        self._turns.take(event)

    def active(self) -> None:
        """Note a sign of life."""
        self._silence.touch()

    async def ask(self, question: Question) -> Answer:
        """Return what the agent may do: nothing with a tool it is not given, else as the desk decides."""
        workspace = Path(self.record.task.workspace_dir)
        tools = self._tools
        # In a thread: a long list of patterns takes a while for many files.
        if tools is not None and not await asyncio.to_thread(tools.allows, question, workspace):
            return await self._oversight.desk.refuse(self, question, _not_given(tools.names))
        return await self._oversight.desk.ask(self, question)

    async def emit(self, event: dict[str, Any]) -> None:
        """Log an event of the run."""
        await self._emit(event)

    def hold(self) -> None:
        """Stop the clocks at the first open question."""
        self._open_questions += 1
        if self._open_questions == 1:
            self._silence.stop()
            self._oversight.pause(self.record.task.id)

    def release(self) -> None:
        """Let the clocks go on after the last one."""
        self._open_questions -= 1
        if self._open_questions == 0:
            if self._silence_counts:
                self._silence.start()
            self._oversight.resume(self.record.task.id)

    def _stop(self, reason: str, error: str) -> None:
        if self._abort.limit is None and not self._abort.aborted:
            self.error = error
        self._abort.end_at_limit()
        self._abort.abort(reason)

    def _wind_up(self, reason: str, error: str) -> None:
        if self._abort.limit is None and not self._abort.aborted:
            self.error = error
        self._abort.reach_limit(reason)


def _limit(seconds: float) -> float | None:
    return None if seconds < 0 else seconds


def _turns(limit: int | None) -> str:
    return (
        f"The agent was stopped at its limit of {limit} turns. Raise max_turns of the launch or maxTurns of "
        "the definition to allow more."
    )


def _not_given(tools: list[str]) -> str:
    return f"this run may use only these tools: {', '.join(tools)}" if tools else "this run may use no tools"


def _late(seconds: float) -> str:
    return (
        f"The agent was not ready within {js_number(seconds)}s of its start, so it was stopped. "
        "Raise asyncTasks.startupTimeoutSeconds if it needs longer, or start it by hand to see why."
    )


def _silent(seconds: float) -> str:
    return (
        f"The agent showed no activity for {js_number(seconds)}s, so it was stopped. "
        "Raise asyncTasks.inactivityTimeoutSeconds if its work takes longer in silence."
    )
