"""What an error of SQLite says of a file that may be thrown away: busy, out of reach, or damaged.

The class of the error does not tell: undecodable text and lost tables are errors of operation too.
"""

import sqlite3
from typing import Final

_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_OUT_OF_REACH: Final = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
)
_PRIMARY: Final = 0xFF
"""The bits of an error code without those that say more of it."""


def is_busy(error: Exception) -> bool:
    """Tell whether another process merely holds the file."""
    return _code(error) in _BUSY


def is_damage(error: Exception) -> bool:
    """Tell whether the content of the file is at fault, so that only beginning anew helps."""
    return isinstance(error, sqlite3.Error) and _code(error) not in (*_BUSY, *_OUT_OF_REACH)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY
