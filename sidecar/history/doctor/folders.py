"""What only a look into the folders tells: locks, leftovers, names that are no tasks."""

import os
import re
import time
from collections.abc import Iterator
from typing import Final

from sidecar.api.insight import Finding
from sidecar.history.doctor.remedies import finding
from sidecar.history.leftovers import LOCK_STALE_SECONDS
from sidecar.history.products import is_task_id
from sidecar.history.reading import API_FILE, ITEM_FILE, UI_FILE
from sidecar.history.roots import Root, task_folder

_SAVED: Final = "|".join(re.escape(name) for name in (UI_FILE, API_FILE, ITEM_FILE))
_LEFTOVER: Final = re.compile(
    rf"\.(?:(?P<file>{_SAVED})\.)?(?:new|bak)_\d{{1,15}}_\w{{1,40}}\.tmp|(?P<swap>{_SAVED})\.tmp\.[\w.]{{1,60}}",
    re.ASCII,
)
_SHOWN: Final = 1_000
"""Entries of one folder looked at: checkpoints lie deeper."""


def strange_names(root: Root) -> Iterator[Finding]:
    """Report what lies among the tasks and is none; the products' own names start with `_` or `.`."""
    try:
        with os.scandir(root.tasks) as entries:
            for entry in entries:
                if entry.name.startswith(("_", ".")):
                    continue
                if not is_task_id(entry.name):
                    yield finding("strangeName", root.path, _quoted(entry.name), path=entry.path)
                elif not entry.is_dir(follow_symlinks=False):
                    yield finding("strangeName", root.path, "not a directory of its own", path=entry.path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield finding("unlistable", root.path, f"cannot be listed: {error.strerror}", path=root.tasks)


def locks_and_leftovers(root: Root, task_id: str) -> Iterator[Finding]:
    """Report locks and what a crashed save left in one task's folder."""
    folder = task_folder(root.path, task_id)
    try:
        with os.scandir(folder) as entries:
            listed = [entry for entry, _ in zip(entries, range(_SHOWN), strict=False)]
    except OSError:
        return
    names = {entry.name for entry in listed}
    for entry in listed:
        if entry.name.endswith(".lock") and entry.name.removesuffix(".lock") in (
            UI_FILE,
            API_FILE,
            ITEM_FILE,
        ):
            yield _lock(root, task_id, entry)
        elif (match := _LEFTOVER.fullmatch(entry.name)) is not None:
            file = match["file"] or match["swap"]
            if file is None or file in names:
                told = f"{entry.name} lies beside its file"
                yield finding("leftover", root.path, told, task_id, entry.path)


def _lock(root: Root, task_id: str, entry: "os.DirEntry[str]") -> Finding:
    try:
        age = time.time() - entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        age = 0.0
    if age < LOCK_STALE_SECONDS:
        return finding("locked", root.path, f"{entry.name} is held: a save is going on", task_id, entry.path)
    told = f"{entry.name} was last touched {round(age):,} s ago; a living one is touched every 10 s"
    return finding("staleLock", root.path, told, task_id, entry.path)


def _quoted(name: str) -> str:
    return f"{name!r} is no task id"
