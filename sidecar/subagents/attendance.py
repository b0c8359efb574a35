"""Looking after one run: its start, signs of life and spending are limited, and its questions answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sidecar.api.settings import Settings
from sidecar.subagents.budget import BudgetWatch, DaySpending
from sidecar.subagents.driving import BUDGET, INACTIVITY, STARTUP
from sidecar.subagents.js_text import js_number
from sidecar.subagents.launching import Abort
from sidecar.subagents.permission_desk import PermissionDesk
from sidecar.subagents.permission_policy import Answer, Policy, Question
from sidecar.subagents.records import RunRecord
from sidecar.subagents.runners.contract import Attendant
from sidecar.subagents.watchdog import SilenceWatch


@dataclass(frozen=True)
class Oversight:
    """What looking after runs takes; `pause` and `resume` are given a task's id and stop its time limit."""

    settings: Callable[[], Settings]
    spending: DaySpending
    desk: PermissionDesk
    pause: Callable[[str], None]
    resume: Callable[[str], None]


class RunAttendance(Attendant):
    """Attends one run from `begin` to `end`. The first limit it oversteps ends it, through `abort`."""

    def __init__(
        self,
        oversight: Oversight,
        record: RunRecord,
        policy: Policy | None,
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
        self._oversight = oversight
        self._abort = abort
        self._emit = emit
        self._startup = SilenceWatch(_limit(startup), lambda: self._stop(STARTUP, _late(startup)))
        self._silence = SilenceWatch(_limit(silence), lambda: self._stop(INACTIVITY, _silent(silence)))
        self._budget = BudgetWatch(settings.budget, oversight.spending, lambda text: self._stop(BUDGET, text))
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

    def take(self, event: dict[str, Any]) -> None:
        """Take in an event of the run, which is a sign of life and may tell what was spent."""
        self.active()
        self._budget.take(event)

    def active(self) -> None:
        """Note a sign of life."""
        self._silence.touch()

    async def ask(self, question: Question) -> Answer:
        """Return what the agent may do; see `PermissionDesk.ask`."""
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
        if not self._abort.aborted:
            self.error = error
            self._abort.abort(reason)


def _limit(seconds: float) -> float | None:
    return None if seconds < 0 else seconds


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
