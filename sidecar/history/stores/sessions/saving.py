"""Read a file that its writer may be saving as a whole at this moment."""

import time
from collections.abc import Callable
from typing import Final

import msgspec

from sidecar.history.stored.complexity import (
    MAX_TEXT,
    MAX_VALUES,
    char_bytes,
    is_too_complex,
    is_too_wide,
    values_in,
)
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile, read_file, stamp_of

RECENT_SECONDS: Final = 2.0
"""A file that is not whole is being saved only if it changed within this time."""
WAIT_SECONDS: Final = 0.25
"""How long to wait for the end of a save."""
_STEP_SECONDS: Final = 0.005
_LEAST_TRIES: Final = 10
"""On a busy machine this process may not run for longer than it wanted to wait."""
MAX_DOCUMENT: Final = 36 * 1024 * 1024
"""The largest document that is read as a whole, in bytes: parsing takes several times its size."""
wall_seconds = time.time


def read_document(path: str, name: str) -> StoredFile:
    """Read a file that is parsed as a whole; one that would take too much memory is refused."""
    file = read_file(path, name, MAX_DOCUMENT)
    message = _refusal(name, file.data) if file.data is not None else None
    return file if message is None else StoredFile(name, None, file.stamp, (problem("tooLarge", message),))


def _refusal(name: str, data: bytes) -> str | None:
    """Explain why a document would take too much memory; None if it would not."""
    if is_too_complex(data):
        return f"{name} holds {values_in(data):,} objects and arrays; at most {MAX_VALUES:,} are read"
    if is_too_wide(data):
        most = MAX_TEXT // char_bytes(data)
        return (
            f"{name} has {len(data):,} bytes with emoji or other wide characters; at most {most:,} are read"
        )
    return None


def read_settled(
    path: str,
    name: str,
    is_whole: Callable[[bytes], bool],
    read: Callable[[str, str], StoredFile] = read_document,
) -> StoredFile:
    """Read a file; if it changed just now and is not whole, read it again for up to `WAIT_SECONDS`.

    Writers that replace the content of a file first make it empty, so a reader may find any part of it. If it
    still is not whole then, as on a busy machine, `is_half_written` is True.
    """
    file = read(path, name)
    deadline, tries = time.monotonic() + WAIT_SECONDS, 1
    while _may_be_saving(file) and not is_whole(file.data or b""):
        if tries >= _LEAST_TRIES and time.monotonic() >= deadline:
            return msgspec.structs.replace(file, is_half_written=True)
        time.sleep(_STEP_SECONDS)
        file, tries = read(path, name), tries + 1
    return file


def is_recent(path: str) -> bool:
    """Return whether a file changed just now."""
    stamp = stamp_of(path)
    return stamp is not None and is_just_now(stamp[0] / 1e9)


def is_just_now(seconds: float) -> bool:
    """Return whether a time, in seconds since the epoch, is so near that a save may still be under way."""
    return abs(wall_seconds() - seconds) < RECENT_SECONDS


def _may_be_saving(file: StoredFile) -> bool:
    if file.stamp is None or file.problems:
        return False  # absent or refused
    return is_just_now(file.stamp[0] / 1e9)
