"""Open the journal's file, and check that the open file is still the journal."""

import contextlib
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Protocol

from sidecar.api.errors import StorageError
from sidecar.subagents.journal.schema import (
    JournalMissing,
    connect,
    connect_empty,
    connect_to_read,
    storage_error,
)

_COPY_ATTEMPTS = 3
"""How often to copy a file again if it changes during the copy."""

_Stamp = tuple[tuple[int, int, int] | None, ...]


class Source(Protocol):
    """Open one journal. Use it in the journal's thread."""

    def connect(self) -> sqlite3.Connection:
        """Open the journal. Raises StorageError with the remedy."""

    def is_current(self) -> bool:
        """Return whether the last connection still shows the journal, in a few system calls."""

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close a connection that `connect` returned."""


class Writing:
    """Open the journal for the process that writes, which continues if its write-ahead log is removed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: _Stamp = ()

    def connect(self) -> sqlite3.Connection:
        """Open or create the journal."""
        connection = connect(self._path)
        self._files = _identities(self._path)
        return connection

    def is_current(self) -> bool:
        """Return whether the log is still the one that was opened.

        Ignore a journal file that was replaced, because it has another owner.
        """
        found = _identities(self._path)
        if self._files[1] is None and found[0] == self._files[0]:
            self._files = found  # the first read or write created the log
        return found[0] != self._files[0] or found[1] == self._files[1]

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close the connection. If the log was removed, write its content to the journal file first."""
        if not self.is_current():
            connection.execute("PRAGMA wal_checkpoint(FULL)")
        connection.close()


class Reading:
    """Open the journal for a process that only reads, even on a read-only file system.

    With `may_be_missing`, a missing journal reads as empty.
    """

    def __init__(self, path: Path, *, may_be_missing: bool = False) -> None:
        self._path = path
        self._may_be_missing = may_be_missing
        self._file: tuple[int, int, int] | None = None
        """The identity of the file that was opened."""
        self._frozen: _Stamp | None = None
        """The state of the files that a connection shows if it does not follow changes, else None."""

    def connect(self) -> sqlite3.Connection:
        """Open the journal in its current state."""
        before = _stamps(self._path)
        self._frozen = None
        self._file = _identities(self._path)[0]
        try:
            return connect_to_read(self._path)
        except JournalMissing:
            if not self._may_be_missing:
                raise
            self._frozen = before
            return connect_empty()
        except StorageError as error:
            connection = self._connect_unshared(error)
            self._frozen = before
            return connection

    def is_current(self) -> bool:
        """Return whether the connection follows changes, or there were no changes."""
        if self._frozen is not None:
            return self._frozen == _stamps(self._path)
        return _identities(self._path)[0] in (self._file, None)

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close the connection."""
        connection.close()

    def _connect_unshared(self, error: StorageError) -> sqlite3.Connection:
        """Open without the memory that readers and writers share, which cannot be created here."""
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CANTOPEN:
            raise error
        if not _can_be_read(self._path):
            raise error
        try:
            log = _stamps(self._path)[1]
            if log is None or log[1] == 0:
                return connect_to_read(self._path, immutable=True)
            return _connect_to_copy(self._path)
        except (sqlite3.Error, OSError) as cause:
            raise storage_error(self._path, cause) from cause


class _Copy(sqlite3.Connection):
    """A connection to a private copy. Closing it deletes the copy."""

    folder: Path

    def close(self) -> None:
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _connect_to_copy(path: Path) -> sqlite3.Connection:
    """Open a copy of the journal and its write-ahead log, which an immutable connection would ignore."""
    folder = Path(tempfile.mkdtemp(prefix="subagent-sidecar-"))
    try:
        for _ in range(_COPY_ATTEMPTS):
            before = _stamps(path)
            shutil.copyfile(path, folder / path.name)
            shutil.copyfile(_log(path), _log(folder / path.name))
            if _stamps(path) == before:
                break
        connection = connect_to_read(folder / path.name, factory=_Copy, named=path)
        assert isinstance(connection, _Copy)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    connection.folder = folder
    return connection


def _can_be_read(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def log_is_missing(path: Path, owner: int) -> bool:
    """Return whether the journal that the process `owner` uses has lost its write-ahead log.

    Its place may be empty, or taken by a log that another connection has made since: only Linux shows that.
    """
    found = _stamps(path)
    removed = f"{_log(path.resolve())} (deleted)"
    return found[0] is not None and (found[1] is None or _has_open(owner, removed))


def _has_open(process: int, target: str) -> bool:
    """Return whether a process has a file open that `/proc` shows with this name."""
    with contextlib.suppress(OSError):  # not Linux, or the process of another user
        return any(_target(file) == target for file in Path(f"/proc/{process}/fd").iterdir())
    return False


def _target(file: Path) -> str | None:
    with contextlib.suppress(OSError):  # closed in the meantime
        return str(file.readlink())
    return None


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _stamps(path: Path) -> _Stamp:
    """Return values that change when the journal or its log is written; None for a missing file."""
    return tuple(_stamp(file) for file in (path, _log(path)))


def _identities(path: Path) -> _Stamp:
    return tuple(each and (each[0], 0, 0) for each in _stamps(path))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
