"""Read an SQLite database of another program. Nothing next to it is created, written or locked."""

import contextlib
import errno
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.problems import problem
from sidecar.history.stores.sessions.databases.copied_file import Unsteady
from sidecar.history.stores.sessions.databases.private_copy import (
    FileStamp,
    Stamps,
    copies_folder,
    copy_of,
    distrust,
    has_journal,
    inode_of_log,
    stamps_of,
)

MAX_BYTES: Final = 2 * 1024**3
"""The largest database that is read, with its log."""
MAX_VALUE: Final = 128 * 1024**2
"""The largest value that is read, in bytes."""
SECONDS: Final = 15.0
"""How much time of a processor one reading may take: a foreign schema may hold anything."""
WAIT_SECONDS: Final = 60.0
"""How long one reading may take on a busy machine or a slow disk."""
_MOMENTARY: Final = frozenset(
    (
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
        *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM),
    )
)
"""What SQLite reports, without damage, while a copy is in use or a disk or the memory is full."""
_FULL_DISK: Final = (errno.ENOSPC, getattr(errno, "EDQUOT", None))
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OF_ONE_ROW: Final = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_IOERR))
_TRIES: Final = 40
_PAUSE_SECONDS: Final = 0.02
"""How long to wait for a writer before a database that changes is read again."""
_ORDINARY: Final = "CREATE TABLE "
"""How SQLite itself writes the start of what makes a table that is not virtual."""
_ALONE: Final = "mode=ro&vfs=unix-none" if os.name == "posix" else "mode=ro"
"""How a copy with a log is opened: with an index of its log of its own. Otherwise, the connections of a
process share an index by the file, and copies with different logs share their file.
"""
_STEPS: Final = 100_000
"""Instructions between two checks of the clock."""

T = TypeVar("T")


class Refused(Exception):
    """The database cannot be read; `problem` says why.

    `is_steady` is True if it did not change before the reading failed, so that what was read is right.
    """

    def __init__(self, code: str, message: str, is_steady: bool = False) -> None:
        super().__init__(message)
        self.problem: Problem = problem(code, message)
        self.is_steady = is_steady


class ForeignDatabase:
    """One database file. Without a log it is read in place as immutable, otherwise from a private copy."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._name = Path(path).name
        self._copied_at: Stamps | None = None
        """The stamps of the private copy that is being read."""
        self._remade_at: FileStamp = None
        """The stamp of the database whose copy was made again, because it seemed to be damaged."""

    def stamps(self) -> Stamps:
        """Return what changes whenever the content does. Raises Refused."""
        try:
            return stamps_of(self.path)
        except OSError as error:
            raise Refused("unreadable", f"{self._name} cannot be read: {error.strerror}") from None

    def read(self, work: Callable[[sqlite3.Connection], T]) -> tuple[Stamps, T]:
        """Return what `work` reads, and the stamps of that content. Raises Refused.

        A database that changes meanwhile is read again.
        """
        for left in reversed(range(_TRIES)):
            before = self.stamps()
            self._check(before)
            try:
                with self._opened(before) as connection:
                    found = work(connection)
                if not left or has_log(before) or self.stamps() == before:
                    return before, found
            except Unsteady:
                pass
            except (sqlite3.Error, OverflowError, UnicodeDecodeError, MemoryError) as error:
                is_same = self.stamps() == before
                if is_same or _is_interrupted(error) or (has_log(before) and not left):
                    raise self._unusable(error, is_same or has_log(before)) from None
            except OSError as error:
                if not left or not isinstance(error, FileNotFoundError):  # a log may be gone since
                    raise Refused("unreadable", self._why(error)) from None
            time.sleep(_PAUSE_SECONDS)
        raise Refused("unreadable", f"{self._name} changes too fast to be read")

    def _why(self, error: OSError) -> str:
        """Describe an error about the database, about a file next to it, or about the private copy."""
        path = error.filename
        if isinstance(path, str) and path.startswith(self.path):
            return f"{Path(path).name} cannot be read: {error.strerror}"
        if path is not None or error.errno in _FULL_DISK:
            place = f"{copies_folder()}: {error.strerror}"
            return f"{self._name} cannot be copied to {place}; make room there, or set SIDECAR_CACHE_DIR"
        return f"{self._name} cannot be read: {error.strerror}"

    def _check(self, stamps: Stamps) -> None:
        if stamps[0] is None:
            raise Refused("missing", f"{self._name} does not exist")
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(Path(self.path).lstat().st_mode):
                raise Refused("notRegular", f"{self._name} is not a regular file")
        size = sum(stamp[1] for stamp in stamps if stamp is not None)
        if size > MAX_BYTES:
            raise Refused("tooLarge", f"{self._name} has {size:,} bytes; at most {MAX_BYTES:,} are read")

    @contextlib.contextmanager
    def _opened(self, stamps: Stamps) -> Iterator[sqlite3.Connection]:
        if not has_log(stamps):
            with _connected(Path(self.path), "mode=ro&immutable=1") as connection:
                yield connection
            return
        with self._copied(stamps) as connection:
            yield connection

    @contextlib.contextmanager
    def _copied(self, stamps: Stamps) -> Iterator[sqlite3.Connection]:
        """Open a private copy. Raises Unsteady if it is gone, or once if it is damaged, to remake it."""
        copy, is_doubted = Path(), False
        self._copied_at = stamps
        try:
            with copy_of(self.path, stamps) as copy:
                try:
                    with self._connected_to(copy, stamps) as connection:
                        yield connection
                except sqlite3.Error as error:
                    if not copy.exists():
                        raise Unsteady from None
                    is_doubted = self._may_be_of_the_copy(error)
                    raise
        except sqlite3.Error:
            if is_doubted:
                self._remade_at = stamps[0]
                if distrust(copy):
                    raise Unsteady from None
            raise
        finally:
            self._copied_at = None

    @contextlib.contextmanager
    def _connected_to(self, copy: Path, stamps: Stamps) -> Iterator[sqlite3.Connection]:
        log = inode_of_log(copy, stamps)
        with _connected(copy, "mode=rw" if has_journal(stamps) else _ALONE) as connection:
            connection.execute("PRAGMA schema_version")  # which opens the log
            if inode_of_log(copy, stamps) != log:
                raise Unsteady
            yield connection
        if has_journal(stamps) and not copy.exists():  # the journal may have gone before the copy was opened
            raise Unsteady

    def _may_be_of_the_copy(self, error: sqlite3.Error) -> bool:
        """Return whether a private copy may be damaged instead of the database."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        stamps = self._copied_at
        if stamps is None or has_journal(stamps):
            return False
        return code in _DAMAGED and stamps[0] != self._remade_at

    def refused(self, error: sqlite3.Error) -> Refused:
        """Describe an error after which `work` continues; raise it if a private copy may be damaged."""
        if self._may_be_of_the_copy(error):
            raise error
        return self._unusable(error, is_steady=True)

    def _unusable(self, error: Exception, is_steady: bool) -> Refused:
        code = getattr(error, "sqlite_errorcode", 0)
        if _is_interrupted(error):
            message = f"{self._name} takes longer than {SECONDS:.0f} s to read"
            return Refused("unreadable", message, is_steady)
        if isinstance(error, MemoryError):  # which the module raises instead of SQLITE_NOMEM
            return Refused("unreadable", f"{self._name} cannot be read: not enough memory", is_steady)
        if code == sqlite3.SQLITE_TOOBIG:
            message = f"{self._name} holds a value of more than {MAX_VALUE:,} bytes"
            return Refused("tooLarge", message, is_steady)
        if code == sqlite3.SQLITE_CANTOPEN:
            message = f"{self._name} cannot be opened; check its permissions"
            return Refused("unreadable", message, is_steady)
        if code & 0xFF in _MOMENTARY:
            return Refused("unreadable", f"{self._name} cannot be read: {error}", is_steady)
        if isinstance(error, UnicodeDecodeError):  # the module cannot decode the message of its own error
            return Refused("malformed", f"{self._name} is damaged: a name in it is not UTF-8")
        return Refused("malformed", f"{self._name} is damaged: {error}")


@contextlib.contextmanager
def _connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    address = f"{path.absolute().as_uri()}?{mode}"
    connection = sqlite3.connect(address, uri=True, timeout=1.0, check_same_thread=False)
    try:
        if mode == _ALONE:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        _protect(connection)
        yield connection
    finally:
        connection.close()


def concerns_one_row(error: sqlite3.Error) -> bool:
    """Return whether an error is about the row that was read: a damaged or bad place, or a huge value."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_ONE_ROW


def _is_interrupted(error: Exception) -> bool:
    """Return whether a reading took too long, and would again."""
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT


def has_log(stamps: Stamps) -> bool:
    """Return whether a database is read from a private copy."""
    return any(stamp is not None and stamp[1] for stamp in stamps[1:])


def _protect(connection: sqlite3.Connection) -> None:
    """Bound time and memory, and keep functions in the schema from being called."""
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    if _may_distrust_schemas():
        connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    if hasattr(connection, "setlimit"):
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    end, latest = time.thread_time() + SECONDS, time.monotonic() + WAIT_SECONDS
    connection.set_progress_handler(lambda: time.thread_time() > end or time.monotonic() > latest, _STEPS)


@cache
def _may_distrust_schemas() -> bool:
    """Return whether this SQLite knows that its functions of JSON are harmless.

    Version 3.40 does not: with the protection, it refuses a database with an index on a member of JSON, as
    Kilo's has. Without it, a schema can still call no function that has side effects.
    """
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        try:
            connection.execute("CREATE TABLE probe(data, kind AS (json_extract(data, '$.kind')))")
        except sqlite3.OperationalError:
            return False
    return True


@contextlib.contextmanager
def values_up_to(connection: sqlite3.Connection, size: int) -> Iterator[None]:
    """Let queries on larger values fail (sqlite3.DataError) before they are loaded; `size` is in bytes."""
    if not hasattr(connection, "setlimit"):
        yield
        return
    before = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size)
    try:
        yield
    finally:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, before)


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of an ordinary table; empty if there is none of this name."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
    sql = connection.execute(query, (table,)).fetchone()
    if sql is None or not isinstance(sql[0], str) or not sql[0].startswith(_ORDINARY):
        return set()
    quoted = table.replace('"', '""')
    return {str(row[1]) for row in connection.execute(f'PRAGMA table_info("{quoted}")')}
