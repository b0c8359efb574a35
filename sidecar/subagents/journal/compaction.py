"""Replace a journal by a compact copy: journals of the first versions cannot return single free pages.

The copy is written by a connection of its own, so the journal's thread serves requests meanwhile. It replaces
the journal only if nothing was written since, and no other process has the journal open.
"""

import contextlib
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from sidecar.subagents.journal import status
from sidecar.subagents.journal.journal_file import Writing

log = logging.getLogger(__name__)

SUFFIX = ".compact"
_STEPS = 1_000
"""How many steps of SQLite pass between two checks whether to continue."""
_SYNC_BYTES = 8 << 20
"""How much is written between two syncs, so that the sync of a commit never waits for the whole copy."""
_SPARE_BYTES = 64 << 20
"""How much space must remain free on the disk."""


class CompactCopy:
    """A complete and durable copy, with a connection that shows whether the journal was written since."""

    def __init__(self, path: Path, reader: sqlite3.Connection, version: int) -> None:
        self.path = _copy_of(path)
        self._original = path
        self._reader = reader
        self._version = version

    def replace(self) -> bool:
        """Put the copy in the place of the journal, which must be closed here; return False if it cannot."""
        try:
            if _data_version(self._reader) != self._version:
                return False
            self._reader.close()
            with contextlib.closing(_open(self._original, "rw")) as lock:
                # Both fail if another process has the journal open. Without the first one, the write-ahead
                # log of the journal would be applied to the copy.
                lock.execute("PRAGMA journal_mode = DELETE")
                lock.execute("BEGIN EXCLUSIVE")
                self.path.replace(self._original)
                _sync_directory(self._original.parent)
        except (sqlite3.Error, OSError) as error:
            log.info("the journal was not replaced by its compact copy: %s", error)
            return False
        finally:
            self.discard()
        return True

    def discard(self) -> None:
        """Close the connection and remove the copy."""
        self._reader.close()
        discard_copy(self._original)


class Replacing(Writing):
    """Open the journal for writing, and replace it by its copy first."""

    def __init__(self, path: Path, copy: CompactCopy, compared: status.Compared) -> None:
        """`compared` is what the journal's last connection knew, which is expensive to find again."""
        super().__init__(path)
        self._copy: CompactCopy | None = copy
        self._compared = compared

    def connect(self) -> sqlite3.Connection:
        """Replace the journal the first time, and open it."""
        copy, self._copy = self._copy, None
        is_replaced = copy is not None and copy.replace()
        connection = super().connect()
        if is_replaced:
            status.restore(connection, self._compared)
        return connection


def write_copy(path: Path, is_wanted: Callable[[], bool]) -> CompactCopy | None:
    """Write a compact copy of the journal; None if that fails, or once it is not wanted any more.

    Blocks for seconds, so call it in a thread.
    """
    discard_copy(path)
    reader: sqlite3.Connection | None = None
    try:
        if shutil.disk_usage(path.parent).free < path.stat().st_size + _SPARE_BYTES:
            return None
        reader = _open(path, "ro")
        version = _data_version(reader)
        _write(reader, _copy_of(path), is_wanted)
        if is_wanted():
            copy = CompactCopy(path, reader, version)
            reader = None
            return copy
    except (sqlite3.Error, OSError) as error:
        log.info("the journal was not compacted: %s", error)
    finally:
        if reader is not None:
            reader.close()
            discard_copy(path)
    return None


def discard_copy(path: Path) -> None:
    """Remove a copy of the journal, such as one that a killed process left."""
    for name in (_copy_of(path), _copy_of(path).with_name(f"{_copy_of(path).name}-journal")):
        with contextlib.suppress(OSError):
            name.unlink()


def _write(reader: sqlite3.Connection, target: Path, is_wanted: Callable[[], bool]) -> None:
    handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    synced = 0

    def check() -> int:
        nonlocal synced
        size = os.fstat(handle).st_size
        if size - synced >= _SYNC_BYTES:
            os.fsync(handle)
            synced = size
        return 0 if is_wanted() else 1

    try:
        reader.execute("PRAGMA auto_vacuum = INCREMENTAL")
        reader.set_progress_handler(check, _STEPS)
        reader.execute("VACUUM INTO ?", (os.fspath(target),))
        reader.set_progress_handler(None, 0)
        os.fsync(handle)
    finally:
        os.close(handle)


def _open(path: Path, mode: str) -> sqlite3.Connection:
    """Open the journal without waiting for locks, for use in two threads one after the other."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def _data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection writes."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def _copy_of(path: Path) -> Path:
    return path.with_name(f"{path.name}{SUFFIX}")


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
