"""How the journal's file is opened, and whether what was opened is still the journal."""

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
"""How often a file that is written meanwhile is copied again."""

_Stamp = tuple[tuple[int, int, int] | None, ...]


class Source(Protocol):
    """Opens one journal. Used in the journal's thread."""

    def connect(self) -> sqlite3.Connection:
        """Open it. Raises StorageError, with the remedy."""

    def is_current(self) -> bool:
        """Tell whether the last connection still shows the journal; a few system calls at most."""

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close a connection that `connect` made."""


class Writing:
    """The one process that writes: it goes on even if somebody removes the write-ahead log under it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: _Stamp = ()

    def connect(self) -> sqlite3.Connection:
        """Open or create the journal."""
        connection = connect(self._path)
        self._files = _identities(self._path)
        return connection

    def is_current(self) -> bool:
        """Tell whether the log is still the one that was opened.

        A journal that was replaced as a whole is not looked for: it belongs to somebody else.
        """
        found = _identities(self._path)
        if self._files[1] is None and found[0] == self._files[0]:
            self._files = found  # made by the first read or write
        return found[0] != self._files[0] or found[1] == self._files[1]

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close; what is in a log without a name would be lost with it, so that goes into the file first."""
        if not self.is_current():
            connection.execute("PRAGMA wal_checkpoint(FULL)")
        connection.close()


class Reading:
    """A process that only reads, also from a file system that nobody can write.

    With `may_be_missing` there is an empty journal where none is yet.
    """

    def __init__(self, path: Path, *, may_be_missing: bool = False) -> None:
        self._path = path
        self._may_be_missing = may_be_missing
        self._frozen: _Stamp | None = None
        """The state of the files that a connection shows which does not follow later changes."""

    def connect(self) -> sqlite3.Connection:
        """Open the journal as it is."""
        before = _stamps(self._path)
        self._frozen = None
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
        """Tell whether the connection follows changes, or there were none."""
        return self._frozen is None or self._frozen == _stamps(self._path)

    def disconnect(self, connection: sqlite3.Connection) -> None:
        """Close the connection."""
        connection.close()

    def _connect_unshared(self, error: StorageError) -> sqlite3.Connection:
        """Open without the memory that readers and writers share, which nobody can make here."""
        if getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CANTOPEN:
            raise error
        if not _can_be_read(self._path):
            raise error
        try:
            log = _stamps(self._path)[1]
            if log is None or log[1] == 0:
                return connect_to_read(self._path, immutable=True)
            return _connect_to_copy(self._path)
        except (sqlite3.Error, OSError) as fault:
            raise storage_error(self._path, fault) from fault


class _Copy(sqlite3.Connection):
    """A connection to a private copy, which ends with it."""

    folder: Path

    def close(self) -> None:
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _connect_to_copy(path: Path) -> sqlite3.Connection:
    """Open a copy of the journal with its write-ahead log, which an immutable one would leave out."""
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


def log_is_missing(path: Path) -> bool:
    """Tell whether there is a journal without its write-ahead log; in use it has one."""
    found = _stamps(path)
    return found[0] is not None and found[1] is None


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _stamps(path: Path) -> _Stamp:
    """Return what changes when the journal or its log is written; None for a file that is not there."""
    return tuple(_stamp(file) for file in (path, _log(path)))


def _identities(path: Path) -> _Stamp:
    return tuple(each and (each[0], 0, 0) for each in _stamps(path))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
