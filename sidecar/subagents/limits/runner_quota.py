"""How many background runs each runner may have at once."""

from sidecar.api.errors import LimitReached
from sidecar.api.settings import UNLIMITED, SettingsSource


class RunnerQuota:
    """Count runs by their runner against the setting asyncTasks.perRunnerMax.

    A runner that the setting does not name has no limit of its own. Take a place before a launch; release it
    when the launch fails or the run ends.
    """

    def __init__(self, settings: SettingsSource) -> None:
        self._settings = settings
        self._runners: dict[str, str] = {}

    def has(self, runner: str) -> bool:
        """Return whether the runner may have one more run."""
        limit = self._limit(runner)
        return limit == UNLIMITED or self._count(runner) < limit

    def check(self, runner: str) -> None:
        """Raise LimitReached unless the runner may have one more run."""
        if not self.has(runner):
            limit = self._limit(runner)
            raise LimitReached(
                f"Max async tasks of runner {runner!r} ({limit}) reached; asyncTasks.perRunnerMax sets it",
                running=self._count(runner),
                max=limit,
            )

    def take(self, runner: str, task_id: str) -> None:
        """Give a place to a launch."""
        self._runners[task_id] = runner

    def release(self, task_id: str) -> None:
        """Release the place of a run; ignore a run that has none."""
        self._runners.pop(task_id, None)

    def _limit(self, runner: str) -> int:
        return self._settings.current.async_tasks.per_runner_max.get(runner, UNLIMITED)

    def _count(self, runner: str) -> int:
        return sum(other == runner for other in self._runners.values())
