"""Limit the concurrent background runs of each runner."""

from sidecar.api.errors import LimitReached
from sidecar.api.settings import UNLIMITED, SettingsSource


class RunnerQuota:
    """Count the runs of each runner and compare them with the setting asyncTasks.perRunnerMax.

    A runner that is missing from the setting has no limit of its own. Call `take` before a launch, and
    `release` when the launch fails or the run ends.
    """

    def __init__(self, settings: SettingsSource) -> None:
        self._settings = settings
        self._runners: dict[str, str] = {}

    def has(self, runner: str) -> bool:
        """Return whether the runner may start one more run."""
        limit = self._limit(runner)
        return limit == UNLIMITED or self._count(runner) < limit

    def check(self, runner: str) -> None:
        """Raise LimitReached unless the runner may start one more run."""
        if not self.has(runner):
            limit, running = self._limit(runner), self._count(runner)
            number = f"{running} run{'' if running == 1 else 's'}"
            reason = f"Runner {runner!r} has {number}, and asyncTasks.perRunnerMax allows {limit}"
            raise LimitReached(reason, running=running, max=limit)

    def take(self, runner: str, task_id: str) -> None:
        """Count a launch."""
        self._runners[task_id] = runner

    def release(self, task_id: str) -> None:
        """Stop counting a run; do nothing if it is not counted."""
        self._runners.pop(task_id, None)

    def runner_of(self, task_id: str) -> str | None:
        """Return the runner of a run that is counted."""
        return self._runners.get(task_id)

    def _limit(self, runner: str) -> int:
        return self._settings.current.async_tasks.per_runner_max.get(runner, UNLIMITED)

    def _count(self, runner: str) -> int:
        return sum(other == runner for other in self._runners.values())
