"""The files that stored tasks touched."""

from typing import Literal

from sidecar.api.base import Params, Record
from sidecar.api.stored.tasks import Limit, TaskStatus

FileAction = Literal["read", "edited", "created", "deleted", "mentioned"]


class TouchedFile(Record, kw_only=True):
    """A file a task worked with; `path` as the task recorded it, with slashes.

    `additions` and `deletions` count the lines of all its known changes; they are absent where none is known,
    as in tasks of other products, binary files and deletions without a diff. A moved file counts as edited.
    """

    path: str
    """The path as the task recorded it, with forward slashes."""
    actions: list[FileAction]
    """What was done with the file."""
    additions: int | None = None
    """Added lines. Absent if unknown."""
    deletions: int | None = None
    """Deleted lines. Absent if unknown."""
    last_at: int | float | None = None
    """When the file was last used, in ms since the epoch."""


class FilesParams(Params, kw_only=True):
    """Parameters of `tasks/files`: an ID or a unique prefix, and the `root` as in `tasks/get`."""

    task_id: str
    root: str | None = None


class FilesResult(Record, kw_only=True):
    """The files a task touched, by path."""

    task_id: str
    """The full ID of the task."""
    files: list[TouchedFile]
    """The files, by path."""
    revision: int


class ByFileParams(Params, kw_only=True):
    """Parameters of `tasks/byFile`: a path, absolute or the end of one."""

    path: str
    """An absolute path, or the end of one."""
    limit: Limit = 200
    """The maximum number of tasks in the answer."""
    roots: list[str] | None = None
    work_done_token: str | int | None = None


class FileTask(Record, kw_only=True):
    """A task that touched the requested file."""

    task_id: str
    """The ID of the task."""
    root: str
    """The absolute path of its root."""
    title: str
    """Its title."""
    status: TaskStatus
    """Its status."""
    last_activity: int | float | None = None
    """Its newest message, in ms since the epoch."""
    file: TouchedFile
    """What it did with the file."""


class ByFileResult(Record, kw_only=True):
    """The tasks that touched a file, the last to do so first; `matched` counts them all."""

    items: list[FileTask]
    """Tasks that touched the file, most recent first."""
    matched: int
    """How many there are in all."""
    revision: int
