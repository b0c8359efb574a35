"""From a file to the tasks that touched it: the message files are searched for its name, then read."""

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sidecar.api.tasks import TaskInfo
from sidecar.changes.file_change import FileChange, comparable, is_absolute, tidy
from sidecar.history.messages.touched import touched_files
from sidecar.history.stored.lists import parse_entry
from sidecar.history.stored.message_file import PIECE, ReadAt, iter_messages, open_messages
from sidecar.history.stored.reading import (
    API_FILE,
    ITEM_FILE,
    METADATA_FILE,
    UI_FILE,
    Stamp,
    read_file,
    stat_task,
)
from sidecar.history.stored.roots import task_folder

_KEPT: Final = 2_000
"""Tasks whose files are remembered."""
_SEARCHABLE: Final = re.compile(r"[0-9a-z_. -]+")
"""Characters that JSON writes one way only, in whatever depth; a name's longest run of them is looked for."""

Fits = Callable[[FileChange, TaskInfo], bool]


class FileLookup:
    """Reads the files tasks touched and remembers them while the tasks do not change. Safe in any thread."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[tuple[Stamp | None, ...], list[FileChange]]] = OrderedDict()
        self._lock = threading.Lock()

    def files(self, folder: str) -> list[FileChange]:
        """List the files one task touched; what cannot be read tells of none."""
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

    def touching(self, parts: set[str], rows: Iterable[TaskInfo]) -> dict[str, set[tuple[str, str]]]:
        """Answer for each part of a path the root and id of the tasks that touched such a file."""
        found: dict[str, set[tuple[str, str]]] = {part: set() for part in parts}
        for row in self.candidates(parts, rows):
            files = self.files(task_folder(row.root, row.id))
            for part in parts:
                if any(fits_part(part)(file, row) for file in files):
                    found[part].add((row.root, row.id))
        return found

    def candidates(self, parts: Iterable[str], rows: Iterable[TaskInfo]) -> Iterator[TaskInfo]:
        """Keep the tasks whose files hold the name at the end of one of the paths, whatever its case."""
        needles = {_needle(part) for part in parts}
        for row in rows:
            if b"" in needles or _holds(task_folder(row.root, row.id), needles):
                yield row


def fits_path(path: str) -> Fits:
    """Tell whether a file is the one at `path`: an absolute path, or the end of one.

    What a task recorded relative to its workspace is joined to that.
    """
    wanted = comparable(tidy(path))

    def fits(file: FileChange, task: TaskInfo) -> bool:
        recorded = comparable(file.path)
        whole = comparable(_absolute(file.path, task))
        if is_absolute(wanted) and is_absolute(whole):
            return whole == wanted
        return recorded == wanted or whole.endswith(f"/{wanted}") or wanted.endswith(f"/{recorded}")

    return fits


def fits_part(part: str) -> Fits:
    """Tell whether a file's whole path holds `part`, whatever its case."""
    wanted = part.casefold()
    return lambda file, task: wanted in _absolute(file.path, task).casefold()


def _absolute(path: str, task: TaskInfo) -> str:
    if is_absolute(path) or not task.workspace_dir:
        return path
    return f"{tidy(task.workspace_dir).rstrip('/')}/{path}"


def _needle(part: str) -> bytes:
    """The longest piece of a path's last name that can be looked for in raw JSON."""
    name = tidy(part).rstrip("/").rpartition("/")[2].lower()
    return max(_SEARCHABLE.findall(name), key=len, default="").encode()


def _holds(folder: str, needles: set[bytes]) -> bool:
    return any(_file_holds(f"{folder}{os.sep}{name}", needles) for name in (METADATA_FILE, UI_FILE, API_FILE))


def _file_holds(path: str, needles: set[bytes]) -> bool:
    overlap = max(map(len, needles)) - 1
    try:
        with open_messages(path) as (read_at, _):
            return any(needle in window for window in _windows(read_at, overlap) for needle in needles)
    except OSError:
        return False


def _windows(read_at: ReadAt, overlap: int) -> Iterator[bytes]:
    """The file in lower case, in pieces that share `overlap` bytes."""
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
