"""How many background runs each runner may have at once."""

from collections.abc import Callable, Mapping

from sidecar.api.errors import LimitReached
from sidecar.api.settings import UNLIMITED


class RunnerQuota:
    """Count runs by their runner against `limits()`, the setting asyncTasks.perRunnerMax.

    A runner that the setting does not name has no limit of its own. Places are taken before a launch and
    given back at its failure or its run's end.
    """

    def __init__(self, limits: Callable[[], Mapping[str, int]]) -> None:
        self._limits = limits
        self._runners: dict[str, str] = {}

    def has(self, runner: str) -> bool:
        """Tell whether the runner may have one run more."""
        limit = self._limits().get(runner, UNLIMITED)
        return limit == UNLIMITED or self._count(runner) < limit

    def check(self, runner: str) -> None:
        """Raise LimitReached unless the runner may have one run more."""
        if not self.has(runner):
            limit = self._limits()[runner]
            raise LimitReached(
                f"Max async tasks of runner {runner!r} ({limit}) reached; asyncTasks.perRunnerMax sets it",
                running=self._count(runner),
                max=limit,
            )

    def take(self, runner: str, task_id: str) -> None:
        """Give a place to a launch."""
        self._runners[task_id] = runner

    def release(self, task_id: str) -> None:
        """Take a place back; one that was not taken is no fault."""
        self._runners.pop(task_id, None)

    def _count(self, runner: str) -> int:
        return sum(other == runner for other in self._runners.values())
