"""Deleting, archiving and restoring stored tasks."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.stored.tasks import Limit

Shelf = Literal["archive", "trash"]


class TaskIdsParams(Params, kw_only=True):
    """Parameters of `tasks/delete`, `tasks/restore` and `tasks/archive`: full IDs."""

    task_ids: list[str]
    """Full IDs of tasks in the own root."""


class ListRemovedParams(Params, kw_only=True):
    """Parameters of `tasks/listRemoved`."""

    limit: Limit = 200
    """The maximum number of tasks in the answer."""


class RemovedTask(Record, kw_only=True):
    """A task that `tasks/restore` would bring back.

    `at` is the time of its deletion or, in the archive, of the last change to its folder.
    """

    id: str
    """The ID of the task."""
    title: str
    """Its title."""
    shelf: Shelf
    """Where it is now."""
    at: int
    """When it was removed, in ms since the epoch."""


class ListRemovedResult(Record, kw_only=True):
    """The own root's tasks in the archive and in the trash, the newest first; `total` counts them all."""

    items: list[RemovedTask]
    """Removed tasks, newest first."""
    total: int
    """How many there are in all."""
    revision: int


class FailedTask(Record, kw_only=True):
    """A task that was left as it is, with the error code that says why."""

    id: str
    """The ID of the task."""
    code: int
    """An error code of this protocol."""
    message: str
    """Why it was not changed."""


class HousekeepingResult(Record, kw_only=True):
    """The result for each task."""

    done: list[str]
    """Ids that were changed."""
    failed: list[FailedTask]
    """Tasks that were not changed, and why."""
