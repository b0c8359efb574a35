"""Classify errors of SQLite: the cache file is busy, unreachable, or damaged.

The exception class is not enough: undecodable text and lost tables are operational errors too.
"""

import sqlite3
from pathlib import Path
from typing import Final

from sidecar.history.catalog.cache_file import DamagedCache, is_writable

DATABASE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError, DamagedCache)
"""The exceptions that using a cache file can raise, besides OSError.

Python itself raises UnicodeDecodeError when the message of an SQLite error quotes damaged text.
"""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_OUT_OF_REACH: Final = (
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PROTOCOL,
)
_IN_DOUBT: Final = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)
"""Damaged headers and unexpected files next to the database also cause these errors."""
_DISK_ERRORS: Final = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_READONLY_DBMOVED,  # another process discarded the file
)
_PRIMARY: Final = 0xFF
"""The bits of the primary error code, without the extended ones."""


def is_busy(error: Exception) -> bool:
    """Return whether the file is only locked by another process."""
    return _code(error) & _PRIMARY in _BUSY


def is_damage(error: Exception, path: Path) -> bool:
    """Return whether the content of the file at `path` is the cause, so that it must be built again."""
    if not isinstance(error, sqlite3.Error):
        return isinstance(error, DATABASE_ERRORS)
    code = _code(error)
    if code in _DISK_ERRORS or code & _PRIMARY in (*_BUSY, *_OUT_OF_REACH):
        return False
    return code & _PRIMARY not in _IN_DOUBT or is_writable(path)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0)
