"""Handle saves in progress, during which a file is missing, and leftovers of crashed saves.

Roo, Zoo and Kilo save in six steps: `mkdir <file>.lock`, fill `.<file>.new_<ms>_<id>.tmp`, rename `<file>` to
`.<file>.bak_<ms>_<id>.tmp`, rename the new one in, unlink the old one, `rmdir` the lock. Between the
renames there is no file. Cline fills `<file>.tmp.<ms>.<id>.json` and renames it over the file.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.sessions.saving import is_just_now
from sidecar.history.stores.task_folders.files import TaskFiles
from sidecar.history.stores.task_folders.products import PRODUCTS

LOCK_STALE_SECONDS: Final = 31
"""Age at which the products treat a lock as orphaned; a lock in use is touched every 10 s."""
_AHEAD_SECONDS: Final = 5
"""How far the time of a save may be ahead of this machine's clock, as on a network disk; one further ahead
comes from a clock that was wrong, and such a save would seem to be under way forever."""
RETRY_SECONDS: Final = 1.0
"""How long a reader of a single task waits for a save to finish."""
wall_seconds = time.time
"""The clock that measures the age of locks and leftovers."""
_RETRY_STEP_SECONDS: Final = 0.002
_LAST_LOOKS: Final = 4
_LEFTOVER: Final = re.compile("|".join(it.leftovers for it in PRODUCTS if it.leftovers), re.ASCII)
_FORMER_NAMES: Final = {name: former for it in PRODUCTS for name, former in it.former_names.items()}
"""Earlier names of files, under which products still read them once."""


def is_unsettled(folder: str, files: TaskFiles) -> bool:
    """Return whether a message file is missing for a moment: it is locked or has a leftover next to it."""
    absent = [file.name for file in (files.ui, files.api) if file.absent]
    return any(_saving_until(folder, name) is not None for name in absent)


def settle(folder: str, files: TaskFiles, seconds: float = RETRY_SECONDS) -> TaskFiles:
    """Retry missing message files for up to `seconds`, then read leftovers instead.

    Other programs do not signal the end of a save, so this polls.
    """
    if not (files.ui.absent or files.api.absent):
        return files
    deadline = time.monotonic() + seconds
    while is_unsettled(folder, files) and time.monotonic() < deadline:
        time.sleep(_RETRY_STEP_SECONDS)
        files = reread(folder, files)
    # A program that saves repeatedly may end one save and begin another between two polls.
    for _ in range(_LAST_LOOKS):
        files = recover(folder, reread(folder, files))
        if not is_unsettled(folder, files):
            break
    return reread(folder, files)


def reread(folder: str, files: TaskFiles) -> TaskFiles:
    """Read missing message files once more."""
    return replace(files, ui=_again(folder, files.ui), api=_again(folder, files.api))


def recover(folder: str, files: TaskFiles) -> TaskFiles:
    """Replace missing message files by complete leftovers, newest first.

    Such a file says `recovered`, unless a save of it is under way: then it says until when it may be.
    """
    return replace(files, ui=_recovered(folder, files.ui), api=_recovered(folder, files.api))


def _again(folder: str, file: StoredFile) -> StoredFile:
    if not file.absent:
        return file
    found = read_file(f"{folder}{os.sep}{file.name}", file.name)
    return file if found.absent else found


def _saving_until(folder: str, name: str) -> int | None:
    """Return the time in ms until which a save may be under way; None for what a crash left.

    A save has a young lock, or a leftover that was recently written or renamed.
    """
    now = wall_seconds()
    times = [
        time for time in _times_of_saves(folder, name) if -_AHEAD_SECONDS < now - time < LOCK_STALE_SECONDS
    ]
    return int((max(times) + LOCK_STALE_SECONDS) * 1000) if times else None


def _times_of_saves(folder: str, name: str) -> Iterator[float]:
    """Yield the times in seconds when the lock of a file and its leftovers were last touched."""
    for path, clock in [
        (f"{name}.lock", "st_mtime"),
        *((leftover, "st_ctime") for leftover in _leftovers(folder, name)),
    ]:
        with contextlib.suppress(OSError):
            yield float(getattr(os.lstat(f"{folder}{os.sep}{path}"), clock))


def _leftovers(folder: str, name: str) -> list[str]:
    """Return the names of a file's leftovers, newest first, the new version before the old one."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                match = _LEFTOVER.fullmatch(entry.name)
                if match and name in (match["file"], match["target"]):
                    found.append((int(match["ms"] or match["at"]), match["kind"] != "bak", entry.name))
    except OSError:
        return []
    return [leftover for _, _, leftover in sorted(found, reverse=True)]


def _recovered(folder: str, file: StoredFile) -> StoredFile:
    if not file.absent:
        return file
    for name in [*_leftovers(folder, file.name), *filter(None, [_FORMER_NAMES.get(file.name)])]:
        leftover = read_file(f"{folder}{os.sep}{name}", name)
        if leftover.data is not None and _looks_whole(leftover.data):
            return _from_leftover(folder, file, leftover)
    return replace(file, saving_until=_saving_until(folder, file.name))


def _from_leftover(folder: str, file: StoredFile, leftover: StoredFile) -> StoredFile:
    """Give a file the content of a leftover, and add a problem if the file stays missing."""
    if (until := _saving_until(folder, file.name)) is not None:
        return StoredFile(file.name, leftover.data, None, (), until)
    if not (back := _again(folder, file)).absent:  # the save ended after the leftover was read
        return back
    recovered = problem("recovered", f"{file.name} is missing; its content was read from {leftover.name}")
    return StoredFile(file.name, leftover.data, None, (recovered,))


def is_half_written(file: StoredFile) -> bool:
    """Return whether a message file changed just now and has no end: older products save in place."""
    if file.stamp is None or file.data is None or not is_just_now(file.stamp[0] / 1e9):
        return False
    return not _looks_whole(file.data)


def _looks_whole(data: bytes) -> bool:
    """Return whether a leftover is complete: both of its shapes end in a bracket."""
    return data.rstrip().endswith((b"]", b"}]", b"]}")) and data.lstrip()[:1] in (b"[", b"{")
