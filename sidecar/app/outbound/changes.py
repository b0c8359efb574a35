"""Count the changes in a Host and notify its listeners."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from sidecar.api.runs.async_tasks import AsyncTask
from sidecar.app.outbound.change_batcher import Change, ChangeBatcher
from sidecar.history.task_history import Changes
from sidecar.subagents.journal.listed import listed


class Listener:
    """Receive the changes of a Host. All methods are called in the event loop and must not block."""

    answers_questions = False
    """Whether the listener can answer permission requests."""

    def run_changed(self, task: AsyncTask) -> None:
        """Receive the new state of an async task."""

    def runs_removed(self, task_ids: list[str]) -> None:
        """Receive the IDs of runs that the journal no longer contains."""

    def history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        """Receive the IDs of changed stored tasks."""

    def definitions_changed(self) -> None:
        """Note that subagent definitions may have changed."""

    def settings_changed(self, changes: dict[str, Any]) -> None:
        """Receive settings of the Host that another client has changed."""


class Attendance(Protocol):
    """Follows who can answer questions."""

    def keeps_questions(self) -> bool:
        """Return whether a client that can answer left so recently that questions wait for it."""

    async def unattended(self) -> None:
        """Wait until no listener can answer and questions wait for none."""

    def answerer_left(self) -> None:
        """Note that a listener that can answer has left."""

    def listeners_changed(self) -> None:
        """Note that a listener was added or removed."""


class NobodyLeft:
    """The attendance of a Host that ends with its only client."""

    def keeps_questions(self) -> bool:
        """Return False: no question waits for a client that has left."""
        return False

    async def unattended(self) -> None:
        """Wait forever: the Host ends before."""
        await asyncio.Event().wait()

    def answerer_left(self) -> None:
        """Do nothing."""

    def listeners_changed(self) -> None:
        """Do nothing."""


class ChangeHub:
    """Notify listeners of changes; `revision` counts them. Use it in the event loop."""

    def __init__(self) -> None:
        self.revision = 0
        self.attendance: Attendance = NobodyLeft()
        self._listeners: list[Listener] = []
        self._batcher = ChangeBatcher(self._history_changed)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Notify `listener` of changes until the returned function is called."""
        self._listeners.append(listener)
        self.attendance.listeners_changed()

        def stop() -> None:
            self._listeners.remove(listener)
            if listener.answers_questions:
                self.attendance.answerer_left()
            self.attendance.listeners_changed()

        return stop

    @property
    def answering(self) -> int:
        """The number of listeners that can answer permission requests."""
        return sum(each.answers_questions for each in self._listeners)

    @property
    def is_attended(self) -> bool:
        """Whether a listener can answer permission requests."""
        return self.answering > 0 or self.attendance.keeps_questions()

    async def unattended(self) -> None:
        """Wait until no listener can answer and none is expected back."""
        await self.attendance.unattended()

    def run_changed(self, task: AsyncTask) -> None:
        """Notify of the new state of an async task, as lists have it."""
        self.revision += 1
        short = listed(task)
        for listener in self._listeners:
            listener.run_changed(short)

    def runs_removed(self, task_ids: list[str]) -> None:
        """Notify of runs that the journal no longer contains."""
        self.revision += 1
        for listener in self._listeners:
            listener.runs_removed(task_ids)

    def definitions_changed(self) -> None:
        """Notify that subagent definitions may have changed."""
        self.revision += 1
        for listener in self._listeners:
            listener.definitions_changed()

    def settings_changed(self, changes: dict[str, Any], by: Listener) -> None:
        """Notify all but the sender of changed settings of the Host."""
        for listener in list(self._listeners):
            if listener is not by:
                listener.settings_changed(changes)

    def record(self, task_id: str, change: Change) -> None:
        """Notify of a change of a stored task in the next batch."""
        self._batcher.record(task_id, change)

    def record_all(self, task_ids: Iterable[str], change: Change) -> None:
        """Notify of the same change of several stored tasks."""
        for task_id in task_ids:
            self._batcher.record(task_id, change)

    def stored_changed(self, changes: Changes) -> None:
        """Notify of the changes that a scan of the stored tasks found."""
        self.record_all(changes.added, "added")
        self.record_all(changes.changed, "changed")
        self.record_all(changes.removed, "removed")

    def close_history(self) -> None:
        """Stop notifying of changes of stored tasks, and drop pending ones."""
        self._batcher.close()

    def _history_changed(self, added: list[str], changed: list[str], removed: list[str]) -> None:
        self.revision += 1
        for listener in self._listeners:
            listener.history_changed(added, changed, removed)
