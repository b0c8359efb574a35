"""Send the changes of a Host to one client."""

from collections.abc import Callable
from typing import Any

from sidecar.api.lifecycle import SettingsDidChange
from sidecar.api.runs.async_tasks import AsyncTask, AsyncTaskDidChange, AsyncTasksDidRemove
from sidecar.api.runs.subagents import SubagentsDidChange
from sidecar.api.stored.tasks import TasksDidChange
from sidecar.app.outbound.changes import ChangeHub, Listener
from sidecar.rpc.connection import Connection


class Notifications(Listener):
    """Notify a client of changes, each with the revision of the Host after it."""

    def __init__(
        self,
        hub: ChangeHub,
        connection: Connection,
        refresh_runners: Callable[[], None],
        *,
        answers_questions: bool,
    ) -> None:
        """Call `refresh_runners` before the client learns that another one changed settings."""
        self.answers_questions = answers_questions
        self._hub = hub
        self._connection = connection
        self._refresh_runners = refresh_runners

    def run_changed(self, task: AsyncTask) -> None:
        """Send `asyncTasks/didChange`. A slow client gets only the newest state of each task."""
        change = AsyncTaskDidChange(task=task, revision=self._hub.revision)
        self._connection.notify("asyncTasks/didChange", change, coalesce=task.id)

    def runs_removed(self, task_ids: list[str]) -> None:
        """Send `asyncTasks/didRemove`."""
        change = AsyncTasksDidRemove(task_ids=task_ids, revision=self._hub.revision)
        self._connection.notify("asyncTasks/didRemove", change)

    def history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        """Send `tasks/didChange`."""
        change = TasksDidChange(revision=self._hub.revision, added=added, changed=changed, removed=removed)
        self._connection.notify("tasks/didChange", change)

    def definitions_changed(self) -> None:
        """Send `subagents/didChange`."""
        change = SubagentsDidChange(revision=self._hub.revision)
        self._connection.notify("subagents/didChange", change, coalesce="definitions")

    def settings_changed(self, changes: dict[str, Any]) -> None:
        """Send `settings/didChange`, after another client has changed settings of the Host."""
        self._refresh_runners()
        self._connection.notify("settings/didChange", SettingsDidChange(settings=changes))
