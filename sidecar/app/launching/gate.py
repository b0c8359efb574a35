"""Track launches without a record, so that "cancel all" reaches them too."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sidecar.api.runs.async_tasks import Owner
from sidecar.app.launching.run_selection import EVERYTHING, RunSelection
from sidecar.subagents.runs.lifecycle import LaunchAborted


class PendingLaunch:
    """One launch that has no record yet."""

    def __init__(self, client_id: str = "", owner: Owner | None = None) -> None:
        self.client_id = client_id
        self.owner = owner
        self.is_cancelled = False
        self.task_id: str | None = None

    def enter(self, task_id: str, subagent_name: str) -> None:
        """Set the ID of the run before it is recorded.

        Raises LaunchAborted if all runs were cancelled since the launch was requested.
        """
        if self.is_cancelled:
            raise LaunchAborted(
                f"The launch of subagent '{subagent_name}' was cancelled.",
                subagentName=subagent_name,
                reason="cancelled",
            )
        self.task_id = task_id


class LaunchGate:
    """The set of pending launches. Use it in the thread of the event loop."""

    def __init__(self) -> None:
        self._pending: set[PendingLaunch] = set()

    @contextmanager
    def open(self, client_id: str = "", owner: Owner | None = None) -> Iterator[PendingLaunch]:
        """Track a launch of this client until its run can be cancelled like any other.

        Inside the context, call `enter` before the record is saved, and cancel the run afterwards if
        `is_cancelled`.
        """
        launch = PendingLaunch(client_id, owner)
        self._pending.add(launch)
        try:
            yield launch
        finally:
            self._pending.discard(launch)

    def cancel(self, is_recorded: Callable[[str], bool], selection: RunSelection = EVERYTHING) -> int:
        """Cancel the pending launches that are covered; return how many of them are not recorded yet."""
        reached = [
            launch
            for launch in self._pending
            if not launch.is_cancelled and selection.covers(launch.client_id, launch.owner)
        ]
        for launch in reached:
            launch.is_cancelled = True
        return sum(launch.task_id is None or not is_recorded(launch.task_id) for launch in reached)
