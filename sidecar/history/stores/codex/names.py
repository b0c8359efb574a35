"""The names of sessions, and the sessions that subagents belong to, as Codex keeps them in its other files.

`session_index.jsonl` holds names, the newest line of a session last; versions of August 2026 ceased to write
it. `state_<n>.sqlite`, which may be in another folder, holds the title of each session, which is its first
prompt until the user names it.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.records import Damage, LineDecoder
from sidecar.history.stores.codex.layout import NAMES, STATE
from sidecar.history.stores.codex.state_folders import StateFolders
from sidecar.history.stores.sessions.databases.foreign_database import ForeignDatabase, Refused, columns
from sidecar.history.stores.sessions.databases.private_copy import Stamps

_MAX_TITLE: Final = 10_000
"""The longest title that is read, in characters."""
_TITLES: Final = ("id", "title", "first_user_message")
_EDGES: Final = ("parent_thread_id", "child_thread_id")


class _Name(msgspec.Struct):
    id: str = ""
    thread_name: str | None = None


_NAMES: Final = LineDecoder(_Name)


class Known(NamedTuple):
    """What is known of a session besides its file."""

    name: str = ""
    source: str = ""
    parent: str = ""

    def digest(self) -> bytes:
        """Condense the values."""
        return crc32("\0".join(self).encode("utf-8", "replace")).to_bytes(4, "big")


class SessionNames:
    """The names of the sessions of one root, read again when they change. Not thread-safe."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.state_folders = StateFolders(root)
        self._position = Position()
        self._indexed: dict[str, str] = {}
        self._state: tuple[str, Stamps] | None = None
        self._titles: dict[str, str] = {}
        self._parents: dict[str, str] = {}
        self._digests: dict[str, bytes] = {}
        self.problems: dict[str, Problem] = {}
        """What is wrong with the database, by its path."""

    def refresh(self) -> Mapping[str, bytes]:
        """Read what changed, and return a digest of what is known of each session."""
        changed = self._read_index()
        if self._read_state() or changed:
            keys = self._indexed.keys() | self._titles.keys() | self._parents.keys()
            self._digests = {key: self.of(key).digest() for key in keys}
        return self._digests

    def of(self, key: str) -> Known:
        """Return what is known of a session."""
        parent = self._parents.get(key, "")
        if name := self._indexed.get(key):
            return Known(name, NAMES, parent)
        if title := self._titles.get(key):
            return Known(title, os.path.basename(self._state[0]) if self._state else "", parent)  # noqa: PTH119
        return Known(parent=parent)

    def _read_index(self) -> bool:
        changed = False
        try:
            with open_growing(f"{self._root}{os.sep}{NAMES}", NAMES, self._position) as growth:
                if growth.restarted:
                    changed, self._indexed = bool(self._indexed), {}
                for block in growth.blocks():
                    changed = True
                    named = _NAMES.decode(block, Damage())
                    named = growth.counted(named)
                    self._indexed |= {each.id: each.thread_name for each in named if each.thread_name}
        except (FileNotFoundError, Unreadable):
            changed, self._indexed = bool(self._indexed), {}
            self._position.reset()
        return changed

    def _read_state(self) -> bool:
        """Read the database with the highest number if it changed."""
        path = _newest_state(self.state_folders())
        if path is None:
            changed, self._state, self._titles, self._parents = self._state is not None, None, {}, {}
            self.problems = {}
            return changed
        database = ForeignDatabase(path)
        try:
            if self._state == (path, database.stamps()):
                return False
            stamps, (self._titles, self._parents) = database.read(_read)
            self._state, self.problems = (path, stamps), {}
        except Refused as refused:
            self.problems = {database.path: refused.problem}
            return False
        return True


def _newest_state(folders: Iterable[str]) -> str | None:
    """Return the database with the highest number in the first folder that has one."""
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                found = [match for entry in entries if (match := STATE.fullmatch(entry.name))]
        except (OSError, ValueError):
            continue
        if found:
            return f"{folder}{os.sep}{max(found, key=lambda match: int(match[1]))[0]}"
    return None


def _read(database: sqlite3.Connection) -> tuple[dict[str, str], dict[str, str]]:
    """Read the names that differ from the first prompt, and the parents of subagents. Raises Refused."""
    if not columns(database, "threads"):
        raise Refused("malformed", "the database does not have the tables of Codex's sessions")
    titles: dict[str, str] = {}
    if columns(database, "threads").issuperset(_TITLES):
        query = (
            f"SELECT id, substr(title, 1, {_MAX_TITLE}) FROM threads "  # noqa: S608 (own names)
            "WHERE title <> '' AND title <> first_user_message"
        )
        titles = {key: title for key, title in database.execute(query) if _are_texts(key, title)}
    parents: dict[str, str] = {}
    if columns(database, "thread_spawn_edges").issuperset(_EDGES):
        query = "SELECT child_thread_id, parent_thread_id FROM thread_spawn_edges"
        parents = {child: parent for child, parent in database.execute(query) if _are_texts(child, parent)}
    return titles, parents


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)
