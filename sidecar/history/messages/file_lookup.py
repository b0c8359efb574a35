"""Find the tasks that touched a file: search their bytes for its name, then read them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from sidecar.api.stored.tasks import TaskInfo
from sidecar.changes.file_change import FileChange, comparable, is_absolute, tidy
from sidecar.history.stores.contract import Store

_SEARCHABLE: Final = re.compile(r"[0-9a-z_. -]+")
"""Characters with one spelling in JSON at any depth; the longest run of them in a name is searched for."""

Fits = Callable[[FileChange, TaskInfo], bool]


class FileLookup:
    """Find the tasks that touched a file; `store_of` returns the store of the root at a path."""

    def __init__(self, store_of: Callable[[str], Store]) -> None:
        self._store_of = store_of

    def files(self, task: TaskInfo) -> list[FileChange]:
        """List the files a task touched; unreadable files are skipped."""
        return self._store_of(task.root).touched_files(task.id)

    def touching(self, parts: set[str], rows: Iterable[TaskInfo]) -> dict[str, set[tuple[str, str]]]:
        """Return for each part of a path the root and ID of the tasks that touched such a file."""
        found: dict[str, set[tuple[str, str]]] = {part: set() for part in parts}
        for row in self.candidates(parts, rows):
            files = self.files(row)
            for part in parts:
                if any(fits_part(part)(file, row) for file in files):
                    found[part].add((row.root, row.id))
        return found

    def candidates(self, parts: Iterable[str], rows: Iterable[TaskInfo]) -> Iterator[TaskInfo]:
        """Yield the tasks whose files contain the last name of one of the paths in any case."""
        needles = {_needle(part) for part in parts}
        known: dict[str, Collection[str] | None] = {}
        for row in rows:
            store = self._store_of(row.root)
            if b"" not in needles and row.root not in known:
                known[row.root] = store.all_mentioning(needles)
            found = known.get(row.root)
            if b"" in needles or (row.id in found if found is not None else store.mentions(row.id, needles)):
                yield row


def fits_path(path: str) -> Fits:
    """Return a function that tests whether a file is the one at `path`: an absolute path, or the end of one.

    Relative paths of a task are resolved against its workspace.
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
    """Return a function that tests whether a file's absolute path contains `part` in any case."""
    wanted = part.casefold()
    return lambda file, task: wanted in _absolute(file.path, task).casefold()


def _absolute(path: str, task: TaskInfo) -> str:
    if is_absolute(path) or not task.workspace_dir:
        return path
    return f"{tidy(task.workspace_dir).rstrip('/')}/{path}"


def _needle(part: str) -> bytes:
    """Return the longest piece of a path's last name that can be searched for in raw JSON."""
    name = tidy(part).rstrip("/").rpartition("/")[2].lower()
    return max(_SEARCHABLE.findall(name), key=len, default="").encode()
