"""The store of a root of task folders, built from the modules of this family."""

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sidecar.api.stored.tasks import Product, Rules
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.contract import (
    Evidence,
    Fingerprints,
    Keys,
    Kind,
    Messages,
    OpenedTask,
    Root,
    SharedProblem,
    Store,
    Touched,
)
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.folders import is_momentary, unlistable_folder, why_unlistable
from sidecar.history.stores.task_folders.files import (
    API_FILE,
    ITEM_FILE,
    METADATA_FILE,
    TASKS,
    UI_FILE,
    stat_task,
    task_folder,
    tasks_path,
)
from sidecar.history.stores.task_folders.ids import is_epoch_id, is_task_id, is_uuid
from sidecar.history.stores.task_folders.products import LISTS
from sidecar.history.stores.task_folders.scan import fingerprints, folder_names

if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange
    from sidecar.history.stores.task_folders.messages.folder_files import FolderFiles
    from sidecar.history.stores.task_folders.messages.reader import MessageIndexes
    from sidecar.history.stores.task_folders.reader import TaskReader

# What reads tasks is imported when there is one to be read: mostly the index knows them all.

_TASK_FILES: Final = (UI_FILE, API_FILE, ITEM_FILE)
"""Files that distinguish a task from an empty folder."""
_MANY_BYTES: Final = 64 * 1024
"""The size of a folder of about 1,000 tasks or more, depending on the file system."""
_READ: Final = frozenset({*_TASK_FILES, METADATA_FILE})
_LISTS: Final = frozenset(tuple(each.place.split("/")) for each in LISTS)


class TaskFolderStore(Store):
    """The tasks below `<root>/tasks`; see `Store`."""

    kinds = ("ui", "api")
    shared_folders = (TASKS, *sorted({place[0] for place in _LISTS if len(place) > 1} - {TASKS}))

    def __init__(self, root: Root) -> None:
        self.root = root
        self._missed: str | None = None
        """Why the last listing failed, if the next one may not."""

    def members(self) -> Keys:
        """List the folders below `tasks`, whether tasks or not."""
        return [*self.each_member()]

    def each_member(self) -> Iterator[str]:
        """Yield what `members` lists."""
        self._missed = None
        return folder_names(self.root, self._miss)

    def unlistable(self) -> str | None:
        """Try to list `tasks/`."""
        return why_unlistable(tasks_path(self.root.path))

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return `tasks/` if it cannot be listed."""
        path = tasks_path(self.root.path)
        why = self._missed or why_unlistable(path)
        return [unlistable_folder(path, why)] if why is not None else []

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether a folder's name is an ID; the guide knows UUIDs only."""
        return is_uuid(key) if rules == "guide" else is_task_id(key)

    def existing(self, keys: Collection[str]) -> Keys:
        """Return those of the keys that are folders."""
        return [key for key in keys if self._is_folder(key)]

    def is_incomplete(self) -> bool:
        """Return whether the last listing failed for a moment."""
        return self._missed is not None

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return the keys that are folders if the last listing failed for a moment."""
        return self.existing(keys) if self.is_incomplete() else ()

    def is_surely_task(self, key: str) -> bool:
        """Return whether a folder is certainly a task, usually without opening a file."""
        folder = self.location(key)
        return any(os.path.lexists(f"{folder}{os.sep}{file}") for file in _TASK_FILES)

    def _miss(self, error: OSError) -> None:
        if is_momentary(error):
            self._missed = error.strerror or str(error)

    def members_version(self) -> object:
        """Stat the folder of the tasks: device, inode, mode and mtime_ns; None without one."""
        try:
            found = os.stat(tasks_path(self.root.path))  # noqa: PTH116 (roots keep texts)
        except (OSError, ValueError):
            return None
        return found.st_dev, found.st_ino, found.st_mode, found.st_mtime_ns

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense the stamps of each task's files."""
        return fingerprints(self.root, keys, parallel, meanwhile)

    def shared(self) -> Mapping[str, bytes]:
        """Return a digest of what the root's lists hold about each task; nothing while there are no lists."""
        if "_reader" in self.__dict__ or any(map(os.path.lexists, self._lists)):
            return self._reader.refresh_lists()
        return {}

    def evidence(self) -> Sequence[Evidence] | None:
        """Return the folders of the tasks, and the lists; None if there are many tasks.

        Two processes that scan them are faster than one that looks into each folder.
        """
        status = stamp_of(tasks_path(self.root.path))
        if status is not None and status[1] > _MANY_BYTES:
            return None
        return [(tasks_path(self.root.path), 2), *((path, 0) for path in self._lists)]

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read tasks into their rows; a save in progress is waited for."""
        return self._reader.rows(keys, rules, now)

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Make the row of a task that ended or blocked its reader."""
        return self._reader.damaged_row(key, rules, now)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one task from disk, waiting a moment for a save to finish."""
        opened = self._reader.open(key, now)
        row = opened[1] if opened is not None else None
        return None if row is None or row.info is None else OpenedTask(row.info, row.provenance)

    def size(self, key: str) -> int:
        """Return the size of both message files."""
        folder = self.location(key)
        stamps = (stamp_of(f"{folder}{os.sep}{file}") for file in (UI_FILE, API_FILE))
        return sum(stamp[1] for stamp in stamps if stamp is not None)

    def location(self, key: str) -> str:
        """Return the task's folder."""
        return task_folder(self.root.path, key)

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open a message file, or what a save left of it. Raises StorageError naming the path."""
        from sidecar.history.stores.task_folders.messages.reader import FolderMessages, open_file

        folder = self.location(key)
        with open_file(folder, kind) as opened:
            yield FolderMessages(kind, self._writer_of(key), f"{folder}/{kind}", opened, self._indexes)

    def message_version(self, key: str) -> str | None:
        """Return the message files' and the folder's stamps as text; None for an empty folder."""
        folder = self.location(key)
        ui, api, _, _, *own = stat_task(folder, with_metadata=False).stamps
        return repr((ui, api, *own)) if ui or api or _holds_files(folder) else None

    def touched_files(self, key: str) -> "list[FileChange]":
        """List the files a task touched, as its metadata and messages name them."""
        return self._files.files(self.location(key))

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a file of the task holds one of the needles."""
        from sidecar.history.stores.task_folders.messages.folder_files import mentions

        return mentions(self.location(key), needles)

    def folder_of(self, key: str) -> str:
        """Return the task's folder, relative to the root."""
        return f"{TASKS}{os.sep}{key}"

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path; temporary files of products are ignored."""
        if tuple(parts) in _LISTS:
            return Touched(None)
        match parts:
            case [folder, key] if folder == TASKS and is_task_id(key):
                return Touched(key, folder=True)
            case [folder, key, file] if folder == TASKS and is_task_id(key) and file in _READ:
                return Touched(key)
        return None

    @cached_property
    def _reader(self) -> "TaskReader":
        from sidecar.history.stores.task_folders.reader import TaskReader

        return TaskReader(self.root)

    @cached_property
    def _lists(self) -> Sequence[str]:
        return [f"{self.root.path}{os.sep}{each.place.replace('/', os.sep)}" for each in LISTS]

    @cached_property
    def _indexes(self) -> "MessageIndexes":
        from sidecar.history.stores.task_folders.messages.reader import MessageIndexes

        return MessageIndexes()

    @cached_property
    def _files(self) -> "FolderFiles":
        from sidecar.history.stores.task_folders.messages.folder_files import FolderFiles

        return FolderFiles()

    def _writer_of(self, key: str) -> Product | None:
        """Name the product that wrote a task without opening it, where the root or the ID's form tells."""
        return self.root.product or ("cline" if is_epoch_id(key) else None)

    def _is_folder(self, key: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.location(key)).st_mode)
        except OSError:
            return False


def _holds_files(folder: str) -> bool:
    """A folder without message files may be a task: leftovers and list entries are files."""
    try:
        with os.scandir(folder) as entries:
            return any(it.is_file(follow_symlinks=False) for it in entries if it.name != METADATA_FILE)
    except OSError:
        return False
