"""The tasks whose messages could not be read for the index, and when to try them again."""

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.catalog.cache_file import DamagedCache
from sidecar.history.catalog.kept_rows import FIRST_PAUSE_MS, LONGEST_PAUSE_MS

# Files of earlier releases lack the table, and to build them again would take minutes.
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS refused (
    name TEXT PRIMARY KEY, version TEXT NOT NULL, reason TEXT NOT NULL, pause INTEGER NOT NULL,
    until INTEGER NOT NULL
)
"""


class Refusal(NamedTuple):
    """Why the messages of `version` were not read, and until when they rest; times in ms."""

    version: str
    reason: str
    pause: int
    until: int

    def rests(self, now: int) -> bool:
        """Return whether the next try is not due; a later time than possible is of a clock that went back."""
        return now < self.until <= now + self.pause


class Refusals:
    """Keep the refusals in the database of a search file. Raises `sqlite_errors.DATABASE_ERRORS`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def prepare(self) -> None:
        """Create the table."""
        self._database.execute(_TABLE)

    def all(self) -> dict[str, Refusal]:
        """Return each refusal by task."""
        return dict(self._found(""))

    def resting(self, now: int) -> dict[str, str]:
        """Return the versions that are not tried again yet, by task; `now` is in ms."""
        return {name: each.version for name, each in self.all().items() if each.rests(now)}

    def note(self, name: str, version: str, reason: str, now: int) -> None:
        """Note that a version could not be read at `now`, in ms; each time doubles the pause."""
        before = dict(self._found(" WHERE name = ?", name)).get(name)
        pause = FIRST_PAUSE_MS
        if before is not None and before.version == version:
            pause = min(2 * before.pause, LONGEST_PAUSE_MS)
        row = (name, version, reason, pause, now + pause)
        self._database.execute("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", row)

    def forget(self, name: str) -> None:
        """Forget the refusal of a task, if there is one."""
        self._database.execute("DELETE FROM refused WHERE name = ?", (name,))

    def _found(self, where: str, *values: str) -> Iterator[tuple[str, Refusal]]:
        query = f"SELECT name, version, reason, pause, until FROM refused{where}"  # noqa: S608 (own text)
        for name, version, reason, pause, until in self._database.execute(query, values):
            types = (type(name), type(version), type(reason), type(pause), type(until))
            if types != (str, str, str, int, int) or not FIRST_PAUSE_MS <= pause <= LONGEST_PAUSE_MS:
                raise DamagedCache(f"the refusal of task {name!r} is wrong")
            yield name, Refusal(version, reason, pause, until)
