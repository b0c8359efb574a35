"""Read and cache the files that tasks touched."""

import os
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Final

from sidecar.changes.file_change import FileChange
from sidecar.history.stored.message_file import PIECE, ReadAt, iter_messages, open_messages
from sidecar.history.stored.reading import Stamp, read_file
from sidecar.history.stores.task_folders.files import (
    API_FILE,
    ITEM_FILE,
    METADATA_FILE,
    UI_FILE,
    stat_task,
)
from sidecar.history.stores.task_folders.lists import parse_entry
from sidecar.history.stores.task_folders.messages.touched import touched_files

_KEPT: Final = 2_000
"""The most tasks whose files are cached."""


class FolderFiles:
    """Read the files that tasks touched, and cache them until the tasks change. Thread-safe."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[Stamp | None, ...], list[FileChange]]] = OrderedDict()
        self._lock = threading.Lock()

    def files(self, folder: str) -> list[FileChange]:
        """List the files one task touched; what cannot be read names none."""
        stamps = stat_task(folder, with_metadata=True).stamps
        with self._lock:
            known = self._known.get(folder)
        if known is not None and known[0] == stamps:
            return known[1]
        found = touched_files(
            _messages(f"{folder}{os.sep}{UI_FILE}"),
            _messages(f"{folder}{os.sep}{API_FILE}"),
            read_file(f"{folder}{os.sep}{METADATA_FILE}", METADATA_FILE).data,
            _own_workspace(folder),
        )
        with self._lock:
            self._known[folder] = (stamps, found)
            self._known.move_to_end(folder)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found


def mentions(folder: str, needles: Collection[bytes]) -> bool:
    """Return whether a file of the folder, in lower case, holds one of the needles."""
    return any(_file_holds(f"{folder}{os.sep}{name}", needles) for name in (METADATA_FILE, UI_FILE, API_FILE))


def _file_holds(path: str, needles: Collection[bytes]) -> bool:
    overlap = max(map(len, needles)) - 1
    try:
        with open_messages(path) as (read_at, _):
            return any(needle in window for window in _windows(read_at, overlap) for needle in needles)
    except OSError:
        return False


def _windows(read_at: ReadAt, overlap: int) -> Iterator[bytes]:
    """Yield the file in lower case, in pieces that overlap by `overlap` bytes."""
    offset, kept = 0, b""
    while piece := read_at(offset, PIECE):
        offset += len(piece)
        window = kept + piece.lower()
        yield window
        kept = window[-overlap:] if overlap else b""


def _own_workspace(folder: str) -> str | None:
    """Return the workspace of a run of the sidecar; None for a task of another product."""
    item = read_file(f"{folder}{os.sep}{ITEM_FILE}", ITEM_FILE).data
    entry = parse_entry(item, ITEM_FILE)[0] if item else None
    if entry is None or entry.product != "sidecar":
        return None
    return entry.workspace if isinstance(entry.workspace, str) else ""


def _messages(path: str) -> Iterator[bytes]:
    try:
        with open_messages(path) as (read_at, _):
            yield from iter_messages(read_at)
    except OSError:
        return
