"""Launches that have no record yet, so that cancelling everything reaches them too."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sidecar.subagents.runs.lifecycle import LaunchAborted


class PendingLaunch:
    """One launch that has no record yet."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self.task_id: str | None = None

    def enter(self, task_id: str, subagent_name: str) -> None:
        """Name the run that is about to be recorded.

        Raises LaunchAborted if everything was cancelled since the launch was requested.
        """
        if self.is_cancelled:
            raise LaunchAborted(
                f"The launch of subagent '{subagent_name}' was cancelled.",
                subagentName=subagent_name,
                reason="cancelled",
            )
        self.task_id = task_id


class LaunchGate:
    """Knows every pending launch. Use it in the event loop's thread."""

    def __init__(self) -> None:
        self._pending: set[PendingLaunch] = set()

    @contextmanager
    def open(self) -> Iterator[PendingLaunch]:
        """Hold a pending launch until its run can be cancelled like any other.

        Inside, call `enter` before the record is saved; afterwards cancel the run if `is_cancelled`.
        """
        launch = PendingLaunch()
        self._pending.add(launch)
        try:
            yield launch
        finally:
            self._pending.discard(launch)

    def cancel(self, is_recorded: Callable[[str], bool]) -> int:
        """Cancel what is pending; return how many of these launches are not recorded yet."""
        reached = [launch for launch in self._pending if not launch.is_cancelled]
        for launch in reached:
            launch.is_cancelled = True
        return sum(launch.task_id is None or not is_recorded(launch.task_id) for launch in reached)
