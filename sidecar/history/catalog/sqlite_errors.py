"""What an error of SQLite says about a cache file: it is busy, out of reach, or damaged.

The class of the error does not tell: undecodable text and lost tables are operational errors too.
"""

import sqlite3
from pathlib import Path
from typing import Final

from sidecar.history.catalog.cache_file import DamagedCache, is_writable

DATABASE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError, DamagedCache)
"""What the use of a cache file raises, an OSError aside.

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
"""Damaged headers and odd files next to the database cause these too."""
_DISK_ERRORS: Final = (
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_READONLY_DBMOVED,  # another process discarded the file
)
_PRIMARY: Final = 0xFF
"""The bits of an error code without those that give details."""


def is_busy(error: Exception) -> bool:
    """Return whether another process merely holds the file."""
    return _code(error) & _PRIMARY in _BUSY


def is_damage(error: Exception, path: Path) -> bool:
    """Return whether the content of the file at `path` is the cause, so that only building it again helps."""
    if not isinstance(error, sqlite3.Error):
        return isinstance(error, DATABASE_ERRORS)
    code = _code(error)
    if code in _DISK_ERRORS or code & _PRIMARY in (*_BUSY, *_OUT_OF_REACH):
        return False
    return code & _PRIMARY not in _IN_DOUBT or is_writable(path)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0)
