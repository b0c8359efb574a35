"""Find problems in folders: locks, leftovers, names that are not task IDs, and folders that are not tasks."""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

import msgspec

from sidecar.api.stored.doctor import Finding
from sidecar.api.stored.tasks import Problem
from sidecar.history.doctor.remedies import finding
from sidecar.history.stores.contract import Root
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, UI_FILE, task_folder, tasks_path
from sidecar.history.stores.task_folders.ids import is_task_id
from sidecar.history.stores.task_folders.leftovers import LOCK_STALE_SECONDS
from sidecar.history.stores.task_folders.scan import task_names

_SAVED: Final = "|".join(re.escape(name) for name in (UI_FILE, API_FILE, ITEM_FILE))
_LEFTOVER: Final = re.compile(
    rf"\.(?:(?P<file>{_SAVED})\.)?(?:new|bak)_\d{{1,15}}_\w{{1,40}}\.tmp|(?P<swap>{_SAVED})\.tmp\.[\w.]{{1,60}}",
    re.ASCII,
)
_SHOWN: Final = 1_000
"""The most entries read in one folder; checkpoints are in subfolders."""


def strange_names(root: Root) -> Iterator[Finding]:
    """Report entries among the tasks that are not tasks; the products' own names start with `_` or `.`."""
    try:
        with os.scandir(tasks_path(root.path)) as entries:
            for entry in entries:
                if entry.name.startswith(("_", ".")):
                    continue
                if not is_task_id(entry.name):
                    yield finding("strangeName", root.path, _quoted(entry.name), path=entry.path)
                elif not entry.is_dir(follow_symlinks=False):
                    yield finding(
                        "strangeName", root.path, "it is a link or a file, not a directory", path=entry.path
                    )
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield finding(
            "unlistable", root.path, f"cannot be listed: {error.strerror}", path=tasks_path(root.path)
        )


def locks_and_leftovers(root: Root, task_id: str, problems: Sequence[Problem]) -> Iterator[Finding]:
    """Report locks and leftovers of crashed saves in one folder, but not those of a save in progress.

    `problems` are those of the task; they name files whose content was read from a leftover.
    """
    listed = _entries(root, task_id)
    names = {entry.name for entry in listed}
    saving = {name for entry in listed if (name := _locked_file(entry)) and _is_young(entry, "st_mtime")}
    for entry in listed:
        if _locked_file(entry) is not None:
            yield _lock(root, task_id, entry)
        elif (match := _LEFTOVER.fullmatch(entry.name)) is not None:
            file = match["file"] or match["swap"]
            if file not in saving and not _is_young(entry, "st_ctime"):
                missing = ({file} if file else {UI_FILE, API_FILE}) - names
                yield from _leftover(root, task_id, problems, entry, missing)


def not_missing(root: Root, task_id: str) -> set[str]:
    """Return the files of a task that exist, or that a save in progress will write."""
    listed = _entries(root, task_id)
    locked = {name for entry in listed if (name := _locked_file(entry)) and _is_young(entry, "st_mtime")}
    return locked | {entry.name for entry in listed if entry.name in (UI_FILE, API_FILE)}


def what_is_left(root: Root, task_id: str) -> list[str]:
    """Return the other contents of a task folder without messages."""
    names = (entry.name for entry in _entries(root, task_id) if _locked_file(entry) is None)
    return sorted(name for name in names if name not in (UI_FILE, API_FILE))


def _entries(root: Root, task_id: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(task_folder(root.path, task_id)) as entries:
            return [entry for entry, _ in zip(entries, range(_SHOWN), strict=False)]
    except OSError:
        return []


def _locked_file(entry: "os.DirEntry[str]") -> str | None:
    """Return the file that this lock protects."""
    name = entry.name.removesuffix(".lock")
    return name if name != entry.name and name in (UI_FILE, API_FILE, ITEM_FILE) else None


def _is_young(entry: "os.DirEntry[str]", clock: str) -> bool:
    return _age(entry, clock) < LOCK_STALE_SECONDS


def _age(entry: "os.DirEntry[str]", clock: str) -> float:
    try:
        return time.time() - float(getattr(entry.stat(follow_symlinks=False), clock))
    except OSError:
        return 0.0


def _leftover(
    root: Root, task_id: str, problems: Sequence[Problem], entry: "os.DirEntry[str]", missing: set[str]
) -> Iterator[Finding]:
    """Report a leftover of a missing file, unless the task was read from it."""
    if not missing:
        yield finding("leftover", root.path, f"{entry.name} is next to its file", task_id, entry.path)
    elif not any(entry.name in problem.message for problem in problems):
        message = f"{entry.name} may hold the missing part of {' or '.join(sorted(missing))}"
        yield finding("fragment", root.path, message, task_id, entry.path)


def _lock(root: Root, task_id: str, entry: "os.DirEntry[str]") -> Finding:
    age = _age(entry, "st_mtime")
    if age < LOCK_STALE_SECONDS:
        return finding(
            "locked", root.path, f"{entry.name} is held: a save is in progress", task_id, entry.path
        )
    message = f"{entry.name} was last touched {round(age):,} s ago; a lock in use is touched every 10 s"
    return finding("staleLock", root.path, message, task_id, entry.path)


def _quoted(name: str) -> str:
    return f"{name!r} is not a task ID"


class EmptyFolders(msgspec.Struct, frozen=True):
    """The names of such folders in one root, each with its other contents."""

    left: Mapping[str, list[str]]

    def __len__(self) -> int:
        return len(self.left)

    def findings(self, root: Root) -> Iterator[Finding]:
        """Report each folder. A folder with other contents has no task ID, since no request opens it."""
        for name, left in self.left.items():
            path = task_folder(root.path, name)
            if left:
                message = f"no messages and no list entry; the folder still holds {', '.join(left)}"
                yield finding("messagesGone", root.path, message, path=path)
            else:
                message = "no messages and no list entry; it is not a task and is not listed"
                yield finding("empty", root.path, message, name, path)
            for found in locks_and_leftovers(root, name, ()):
                yield msgspec.structs.replace(found, task_id=None)


def find_empty_folders(root: Root, listed: Set[str]) -> EmptyFolders:
    """Find the folders of a root that are named like tasks but appear in no list.

    Folders that have messages by now, or that a save in progress will give some, are left out.
    """
    names = sorted(name for name in task_names(root) if name not in listed)
    return EmptyFolders({name: what_is_left(root, name) for name in names if not not_missing(root, name)})
