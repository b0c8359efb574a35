"""What changes in a Host, counted and told to whoever listens."""

from collections.abc import Callable, Iterable

from sidecar.api.async_tasks import AsyncTask
from sidecar.app.outbound.announcer import Change, ChangeAnnouncer
from sidecar.history.task_history import Changes


class Listener:
    """What a Host tells a Session; each call is made in the event loop and must not wait."""

    answers_questions = False
    """Whether there is a person behind it, who can answer the questions of runs."""

    def run_changed(self, task: AsyncTask) -> None:
        """Take the new state of an async task."""

    def history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        """Take the ids of stored tasks that changed."""

    def definitions_changed(self) -> None:
        """Take that subagent definitions may have changed."""


class News:
    """Tells listeners of changes; `revision` counts them. All of it in the event loop."""

    def __init__(self) -> None:
        self.revision = 0
        self._listeners: list[Listener] = []
        self._announcer = ChangeAnnouncer(self._history_changed)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of changes; the callable returned ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def is_attended(self) -> bool:
        """Whether anybody listens who can answer the questions of runs."""
        return any(listener.answers_questions for listener in self._listeners)

    def run_changed(self, task: AsyncTask) -> None:
        """Tell the new state of an async task."""
        self.revision += 1
        for listener in self._listeners:
            listener.run_changed(task)

    def definitions_changed(self) -> None:
        """Tell that subagent definitions may have changed."""
        self.revision += 1
        for listener in self._listeners:
            listener.definitions_changed()

    def note(self, task_id: str, change: Change) -> None:
        """Tell of a change of a stored task, soon and together with others."""
        self._announcer.note(task_id, change)

    def note_all(self, task_ids: Iterable[str], change: Change) -> None:
        """Tell of one change of several stored tasks."""
        for task_id in task_ids:
            self._announcer.note(task_id, change)

    def stored_changed(self, changes: Changes) -> None:
        """Tell what a look at the stored tasks has found."""
        self.note_all(changes.added, "added")
        self.note_all(changes.changed, "changed")
        self.note_all(changes.removed, "removed")

    def close_history(self) -> None:
        """Tell of no more changes of stored tasks, whatever is still noted."""
        self._announcer.close()

    def _history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        self.revision += 1
        for listener in self._listeners:
            listener.history_changed(added, changed, removed)
