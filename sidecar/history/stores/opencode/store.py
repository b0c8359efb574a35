"""The store of a root of opencode or Kilo."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import Rules
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.problems import problem
from sidecar.history.stores.contract import (
    Evidence,
    Fingerprints,
    Keys,
    Kind,
    Messages,
    OpenedTask,
    Root,
    SharedProblem,
    Store,
    Touched,
)
from sidecar.history.stores.index_row import FIRST_PAUSE, NOT_READ, IndexRow, ReadRows, condense
from sidecar.history.stores.opencode.content import Content
from sidecar.history.stores.opencode.copies import SessionCopies, changed_keys
from sidecar.history.stores.opencode.heads import Head
from sidecar.history.stores.opencode.names import DATABASE, LOG, product_of
from sidecar.history.stores.opencode.rows import session_of
from sidecar.history.stores.opencode.transcript import files_of, messages_of
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.messages import MessageList
from sidecar.history.stores.sessions.session import Session, opened_session, row_of_session

_SESSION: Final = re.compile(r"\w[\w-]{0,127}", re.ASCII)
_BYTES_EACH: Final = 4_000
"""The size of a message with its parts, roughly."""

_POSTPONED_MS: Final = 2_000
"""When a list reads more of the sessions that were left to the next reading, and names the reason again."""


class OpencodeStore(Store):
    """The sessions of one root; see `Store`."""

    shared_folders = (".", "storage/session", "storage/message")
    has_children = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self._copies = SessionCopies(root.path)
        self._entries: tuple[Sequence[Mapping[str, Head]], Mapping[str, bytes]] = ((), {})
        """What `shared` returned, and for which sessions of databases."""

    def members(self) -> Keys:
        """List the sessions of all generations."""
        return [key for key in self._copies.all() if _SESSION.fullmatch(key)]

    def unlistable(self) -> str | None:
        """Return why a database cannot be read."""
        return "; ".join(each.problem.message for each in self.problems()) or None

    def problems(self) -> Sequence[SharedProblem]:
        """Return what is wrong with databases."""
        with self._copies.lock:
            found = self._copies.databases().values()
            return [SharedProblem(each.path, each.problem) for each in found if each.problem is not None]

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the databases and the folders of session files that could not be read."""
        return [*self.problems(), *self._copies.files.unlisted()]

    def members_version(self) -> object:
        """Return the stamps of the databases, and of the folders of sessions."""
        with self._copies.lock:
            databases = [each.stamps() for each in self._copies.databases().values()]
        return (*databases, *(_mtime(f"{self.root.path}{os.sep}{name}") for name in self.shared_folders))

    def evidence(self) -> Sequence[Evidence]:
        """Return the folders of session files; the databases are in the root itself."""
        return [(f"{self.root.path}{os.sep}storage", 4), (f"{self.root.path}{os.sep}project", 7)]

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense what changes with the rows and files of each session."""
        meanwhile()
        return self._copies.fingerprints(keys)

    def shared(self) -> Mapping[str, bytes]:
        """Return the fingerprints of the sessions in databases, which one file holds for all."""
        with self._copies.lock:
            heads = [source.heads() for source in self._copies.databases().values()]
            known, entries = self._entries
            if len(known) != len(heads):
                entries = {key: _entry(each, key) for each in heads for key in each}
            elif changed := set[str]().union(*map(changed_keys, known, heads)):
                there = {key: _entry(each, key) for each in heads for key in changed if key in each}
                entries = {key: entry for key, entry in entries.items() if key not in changed} | there
            self._entries = heads, entries
            return entries

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions into their rows; one without a message is not listed."""
        with self._copies.lock:
            copies, entries = self._copies.all(), self.shared()
            marks = self._copies.fingerprints_at(copies, keys)
            read = self._copies.read(keys, self._described, patient=True)
            failed, refused, postponed = self._copies.failed, self._copies.refused, self._copies.postponed
            is_unread = self._copies.is_any_unread
            read = {**{key: self._described(each) for key, each in self._copies.unread.items()}, **read}
        found: ReadRows = dict.fromkeys(keys)
        for key in keys:
            session, touched = read.get(key, (None, 0))
            if key in copies or is_unread:
                row = self._row(key, session, marks[key], touched, now)
                row.entry = entries.get(key, b"")
                if key in failed or key not in copies:
                    row.pause = NOT_READ
                elif key in refused:  # which may be repaired without another change
                    row.pause = FIRST_PAUSE
                if key in postponed:
                    row.until = min(row.until, now + _POSTPONED_MS)
                if key in copies:
                    row.links = copies[key].links
                found[key] = row
        return found

    def unsure(self, rows: Mapping[str, IndexRow]) -> Collection[str]:
        """Return the sessions that may be in a database that cannot be read."""
        with self._copies.lock:
            if not self._copies.is_any_unread:
                return ()
            return [key for key, row in rows.items() if self._copies.is_unread(row.links)]

    def is_incomplete(self) -> bool:
        """Return whether a database or a folder could not be read for a moment."""
        with self._copies.lock:
            return self._copies.is_any_unread or self._copies.files.is_incomplete()

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return all keys if a folder of session files was missed."""
        return keys if self._copies.files.is_incomplete() else ()

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a session that ended or blocked its reader."""
        broken = problem("internal", "reading this session ended the process that read it")
        product = product_of(None, self.root.product)
        session = Session(id=key, product=product, end="open", source=self.root.path, problems=[broken])
        return self._row(key, session, self.fingerprints([key])[key], now, now)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one session."""
        with self._copies.lock:
            read = self._copies.read([key], self._described)
            unread = self._copies.unread.get(key)
        session, _ = read.get(key) or (self._described(unread) if unread is not None else (None, 0))
        return None if session is None else opened_session(session, self.root.path, now)

    def size(self, key: str) -> int:
        """Estimate the size of a session from the number of its messages."""
        copies = self._copies.all().get(key)
        return sum(head.messages for head in copies.rows.values()) * _BYTES_EACH if copies else 0

    def location(self, key: str) -> str:
        """Return the database or the file that holds a session."""
        copies = self._copies.all().get(key)
        if copies is None:
            return self.root.path
        return next(iter(copies.rows), None) or copies.files[0].path

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Read the messages of a session. Raises StorageError if its database cannot be read."""
        with self._copies.lock:
            read = self._copies.read([key], messages_of).get(key)
            refusal = self._copies.refusal
        why = refusal.message if refusal is not None else self.unlistable()
        if read is None and why is not None:
            raise StorageError(f"cannot read {self.root.path}: {why}", path=self.root.path, reason=why)
        yield MessageList(read or [])

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that tools of a session read and changed."""
        return self._copies.read([key], _changed_files).get(key, [])

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a session holds one of the needles; sessions in files are not searched."""
        with self._copies.lock:
            copies, sources = self._copies.copies_of(key), self._copies.databases()
        if copies is None:
            return False
        return bool(copies.files) or any(sources[path].mentions(key, needles) for path in copies.rows)

    def all_mentioning(self, needles: Collection[bytes]) -> Collection[str]:
        """Search each database once; each reading of one that is being written copies its log."""
        with self._copies.lock:
            found = {key for key, copies in self._copies.all().items() if copies.files}
            for source in self._copies.databases().values():
                found |= source.all_mentioning(needles)
        return found

    def message_versions(self, keys: Keys) -> Mapping[str, str]:
        """Return the fingerprints of the sessions as text."""
        return {key: str(mark) for key, mark in self.fingerprints(keys).items()}

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a session's message files, if it has any."""
        folder = f"storage{os.sep}message{os.sep}{key}"
        return folder if _mtime(f"{self.root.path}{os.sep}{folder}") else None

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path: all sessions of a database, or one of a file."""
        match parts:
            case [name] if DATABASE.fullmatch(name) or LOG.fullmatch(name):
                return Touched(None)
            case ["storage", "session", _, name] if name.endswith(".json"):
                return Touched(name.removesuffix(".json"))
            case ["storage", "message", key]:
                return Touched(key, folder=True)
            case ["storage", "message", key, _]:
                return Touched(key)
        return None

    def _described(self, content: Content) -> tuple[Session | None, int]:
        product = product_of(content, self.root.product)
        session, key = session_of(content, product), content.header.id
        if key in self._copies.half_written:
            session = session or Session(id=key, product=product, end="open", source=content.source)
            session.is_half_written = True
        return session, content.touched

    def _row(self, key: str, session: Session | None, fingerprint: int, touched: int, now: int) -> IndexRow:
        if session is None:
            return IndexRow(key, fingerprint, b"", None, None, "unknown", touched, b"", root=self.root.path)
        return row_of_session(session, self.root.path, fingerprint, now, touched)


def _entry(heads: Mapping[str, Head], key: str) -> bytes:
    return condense((heads[key].fingerprint,)).to_bytes(8, "big")


def _changed_files(content: Content) -> list[FileChange]:
    return merged_files(files_of(content), content.header.directory)


def _mtime(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0
