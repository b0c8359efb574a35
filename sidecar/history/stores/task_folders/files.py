"""The files of one task folder: their names, their stamps, and their bytes."""

import os
from typing import Final

import msgspec

from sidecar.history.stored.reading import Stamp, StoredFile, is_there, read_file, stamp_of

TASKS: Final = "tasks"
"""The folder of a root that holds the task folders."""
UI_FILE: Final = "ui_messages.json"
API_FILE: Final = "api_conversation_history.json"
ITEM_FILE: Final = "history_item.json"
METADATA_FILE: Final = "task_metadata.json"


def tasks_path(root: str) -> str:
    """Return the folder of the tasks of the root at this path; it need not exist."""
    return f"{root}{os.sep}{TASKS}"


def task_folder(root: str, task_id: str) -> str:
    """Return the folder of one task of the root at this path; it need not exist."""
    return f"{root}{os.sep}{TASKS}{os.sep}{task_id}"


_NO_ITEM: Final = StoredFile(ITEM_FILE)
_NO_METADATA: Final = StoredFile(METADATA_FILE)


class TaskFiles(msgspec.Struct, frozen=True, gc=False):
    """The files of one task folder. Each is read through one descriptor, so a rename cannot mix versions."""

    ui: StoredFile = StoredFile(UI_FILE)
    api: StoredFile = StoredFile(API_FILE)
    item: StoredFile = _NO_ITEM
    metadata: StoredFile = _NO_METADATA
    folder: Stamp | None = None
    """The stamp of the folder itself, taken before its files were read, if it is part of the stamps."""

    @property
    def stamps(self) -> tuple[Stamp | None, ...]:
        """The files' stamps: UI, API, list entry, metadata; and the folder's while a message file is away.

        A missing file may be read from a leftover, and the folder's stamp changes with leftovers.
        """
        ui, api = self.ui.stamp, self.api.stamp
        stamps = (ui, api, self.item.stamp, self.metadata.stamp)
        return (*stamps, self.folder) if ui is None or api is None else stamps

    @property
    def saving_until(self) -> int | None:
        """Return the time in ms until which a missing file may be in the middle of a save."""
        ui, api = self.ui.saving_until, self.api.saving_until
        return api if ui is None else ui if api is None else min(ui, api)

    @property
    def size(self) -> int:
        """Return the size of the messages in bytes."""
        return len(self.ui.data or b"") + len(self.api.data or b"")


def stat_task(folder: str, with_metadata: bool) -> TaskFiles:
    """Stat the files that `read_task` reads, and read none."""
    own = stamp_of(folder)
    prefix = folder + os.sep
    return TaskFiles(
        _unread(prefix, UI_FILE),
        _unread(prefix, API_FILE),
        _unread(prefix, ITEM_FILE),
        _unread(prefix, METADATA_FILE) if with_metadata else _NO_METADATA,
        own,
    )


def _unread(prefix: str, name: str) -> StoredFile:
    return StoredFile(name, None, stamp_of(prefix + name))


def read_task(folder: str, with_metadata: bool) -> TaskFiles:
    """Read the files of a task folder. Never raises; problems name what cannot be read.

    Only Cline's metadata is useful, so the caller decides whether to read it.
    """
    prefix, own = folder + os.sep, None
    ui, api = read_file(prefix + UI_FILE, UI_FILE), read_file(prefix + API_FILE, API_FILE)
    if ui.stamp is None or api.stamp is None:  # now the folder's stamp counts, which must be older
        own = stamp_of(folder)
        ui, api = read_file(prefix + UI_FILE, UI_FILE), read_file(prefix + API_FILE, API_FILE)
    searchable = ui.data is not None or api.data is not None
    item = _read_rare(prefix + ITEM_FILE, _NO_ITEM, searchable)
    metadata = _NO_METADATA
    if with_metadata:
        metadata = _read_rare(prefix + METADATA_FILE, metadata, searchable)
    return TaskFiles(ui, api, item, metadata, own)


def _read_rare(path: str, absent: StoredFile, searchable: bool) -> StoredFile:
    """Read a file that most folders do not have; in one that is not `searchable` only reading shows why."""
    return read_file(path, absent.name) if is_there(path) or not searchable else absent
