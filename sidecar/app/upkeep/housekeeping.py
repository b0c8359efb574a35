"""Delete, archive and restore tasks of the own root, and apply the retention settings."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, Protocol

from sidecar.api.errors import InvalidState, ReadOnlyStore, SidecarError, StorageError, TaskNotFound
from sidecar.api.settings import SettingsSource
from sidecar.api.stored.housekeeping import FailedTask, HousekeepingResult, ListRemovedResult, RemovedTask
from sidecar.api.stored.stats import DiskUse
from sidecar.api.stored.tasks import TaskInfo
from sidecar.app.upkeep.rounds import Rounds
from sidecar.history import TaskHistory
from sidecar.history.listing.selection import Selection
from sidecar.history.stores.contract import Root
from sidecar.storage import trash
from sidecar.storage.layout import OwnRoot

logger = logging.getLogger(__name__)

Action = Literal["delete", "archive", "restore"]
_DAY_MS: Final = 86_400_000


class HasHistory(Protocol):
    """Has the current history, which changes with the roots in the settings."""

    @property
    def history(self) -> TaskHistory:
        """The current history."""

    async def entered(self) -> None:
        """Wait until there is a history."""

    def touch(self, root: str, task_ids: list[str]) -> None:
        """Check tasks again."""


class LiveRuns(Protocol):
    """Finds runs that have not ended."""

    def live(self, task_id: str) -> object | None:
        """Return the run with this ID if it has not ended."""


class Housekeeping:
    """Move task folders of one own root. Requires the root's lock.

    Methods that are not coroutines block, so call them in a thread. `now` returns ms since the epoch.
    """

    def __init__(
        self,
        root: OwnRoot,
        stored: HasHistory,
        settings: SettingsSource,
        runs: LiveRuns,
        now: Callable[[], int],
        retired: Callable[[list[str]], Awaitable[None]],
        remove_copy: Callable[[Root, str], bool] = lambda root, task_id: False,
    ) -> None:
        """`retired` is awaited with the IDs of the tasks that a round of retention moved.

        `remove_copy` removes the kept copy of a session of a foreign root, and returns whether there was one.
        """
        self._remove_copy = remove_copy
        self._root = root
        self._stored = stored
        self._settings = settings
        self._runs = runs
        self._now = now
        self._retired = retired
        self.rounds = Rounds(self._round, "retention of tasks")

    def apply(self, action: Action, task_ids: list[str]) -> HousekeepingResult:
        """Apply an action to each task and return the results. A task that fails stays unchanged."""
        done: list[str] = []
        failed: list[FailedTask] = []
        for task_id in dict.fromkeys(task_ids):
            try:
                self._apply(action, task_id)
                done.append(task_id)
            except SidecarError as error:
                failed.append(FailedTask(id=task_id, code=error.code, message=error.message))
        self._stored.touch(str(self._root.path), done)
        return HousekeepingResult(done=done, failed=failed)

    def removed(self, limit: int) -> ListRemovedResult:
        """List the tasks that can be restored."""
        from sidecar.history.stores.task_folders.reader import read_title  # loaded only when it is needed

        found = trash.removed_tasks(self._root)
        items = [
            RemovedTask(
                id=each.path.name,
                title=read_title(each.path, self._now()),
                shelf=each.place,
                at=int(each.time * 1000),
            )
            for each in found[:limit]
        ]
        return ListRemovedResult(items=items, total=len(found), revision=self._stored.history.revision)

    def disk_use(self) -> DiskUse:
        """Measure the own root without following links."""
        rows = self._stored.history.select(Selection(), [str(self._root.path)])
        return DiskUse(
            root=str(self._root.path),
            task_bytes=trash.folder_bytes(self._root.tasks),
            message_bytes=sum(row.size_bytes for row in rows),
            archive_bytes=trash.folder_bytes(self._root.archive),
            trash_bytes=trash.folder_bytes(self._root.trash),
        )

    def retire(self) -> list[str]:
        """Move old tasks to the trash and delete expired ones from it, as the settings define."""
        settings = self._settings.current.history
        deleted: list[str] = []
        if settings.retention_days is not None or settings.max_bytes is not None:
            rows = [
                row
                for row in self._stored.history.select(Selection(), [str(self._root.path)])
                if not self._is_running(row.id)
            ]
            sizes = {row.id: trash.folder_bytes(self._root.tasks / row.id) for row in rows}
            gone = expired(rows, sizes, self._now(), settings.retention_days, settings.max_bytes)
            deleted = self.apply("delete", gone).done
        if settings.trash_days >= 0:
            trash.empty_trash(self._root, (self._now() - settings.trash_days * _DAY_MS) / 1000)
        return deleted

    async def _round(self) -> None:
        """Apply the retention settings. Each move is a single rename, so a cancel leaves none incomplete."""
        await self._stored.entered()
        try:
            await self._retired(await asyncio.to_thread(self.retire))
        except SidecarError as error:
            logger.warning("retention: %s", error.message)

    def _is_running(self, task_id: str) -> bool:
        return self._runs.live(task_id) is not None

    def _apply(self, action: Action, task_id: str) -> None:
        self._check(action, task_id)
        try:
            if action == "delete":
                trash.delete_task(self._root, task_id, self._now() / 1000)
            elif action == "archive":
                trash.archive_task(self._root, task_id)
            else:
                trash.restore_task(self._root, task_id)
        except trash.NotThere:
            if action != "delete" or not self._removed_copy(task_id):
                raise self._absent(action, task_id) from None
        except OSError as error:
            path, reason = str(self._root.path), error.strerror or str(error)
            raise StorageError(f"{task_id}: {reason}", path=path, reason=reason) from None

    def _removed_copy(self, task_id: str) -> bool:
        """Remove the kept copy of a session in the first root that has one."""
        return any(self._remove_copy(root, task_id) for root in self._stored.history.roots)

    def _check(self, action: Action, task_id: str) -> None:
        if self._is_running(task_id):
            raise InvalidState(f"{task_id} is running; cancel it first", taskId=task_id, status="running")
        if action == "restore" and trash.has_task(self._root, task_id):
            raise InvalidState(f"{task_id} is neither deleted nor archived", taskId=task_id, status="listed")

    def _absent(self, action: Action, task_id: str) -> SidecarError:
        """Return why a task cannot be moved: it belongs to another root, or does not exist."""
        try:
            root, name = self._stored.history.resolve(task_id)
        except SidecarError:
            name, root = "", None
        if name == task_id and root is not None and Path(root.path) != self._root.path:
            message = f"{task_id} is in {root.path}, which belongs to another program and is read-only"
            return ReadOnlyStore(message, taskId=task_id, root=root.path)
        where = "deleted or archived" if action == "restore" else "stored"
        return TaskNotFound(f"the own root has no {where} task {task_id!r}; use the whole id", taskId=task_id)


def expired(
    rows: Iterable[TaskInfo], sizes: Mapping[str, int], now: int, days: int | None, max_bytes: int | None
) -> list[str]:
    """Return the IDs of tasks older than `days`, then of the oldest until at most `max_bytes` remain.

    `sizes` has the size of each task's folder in bytes. Favorites and tasks of unknown age always stay.
    """
    aged = [row for row in rows if row.last_activity is not None and not row.favorite]
    aged.sort(key=lambda row: (row.last_activity or 0, row.id))
    limit = now - days * _DAY_MS if days is not None else None
    gone = [row.id for row in aged if limit is not None and (row.last_activity or 0) < limit]
    kept_bytes = sum(sizes.values()) - sum(sizes.get(task_id, 0) for task_id in gone)
    for row in aged[len(gone) :]:
        if max_bytes is None or kept_bytes <= max_bytes:
            break
        gone.append(row.id)
        kept_bytes -= sizes.get(row.id, 0)
    return gone
