"""The store of a root of opencode or Kilo, over the generations of storage that exist there side by side."""

import os
import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import Product, Rules
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.problems import problem
from sidecar.history.stores.contract import (
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
from sidecar.history.stores.index_row import IndexRow, ReadRows, condense
from sidecar.history.stores.opencode.content import Content
from sidecar.history.stores.opencode.databases import DatabaseSource, Head
from sidecar.history.stores.opencode.files import FileHead, FileSource
from sidecar.history.stores.opencode.rows import session_of
from sidecar.history.stores.opencode.transcript import files_of, messages_of
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.messages import MessageList
from sidecar.history.stores.sessions.session import Session, opened_session, row_of_session

DATABASE: Final = re.compile(r"(?P<product>opencode|kilo)(?:-[\w.]+)?\.db")
"""The names of databases; the release channel follows the product."""
_LOG: Final = re.compile(rf"{DATABASE.pattern}-(?:wal|journal)")
_SESSION: Final = re.compile(r"\w[\w-]{0,127}", re.ASCII)
_KILO: Final = re.compile(r"(?:[5-9]|\d\d)\.")
"""The versions of Kilo, whose files have the same names as those of opencode."""
_BYTES_EACH: Final = 4_000
"""The size of a message with its parts, roughly."""

T = TypeVar("T")


class _Copies(NamedTuple):
    """The places that hold one session: heads by database, and files by generation."""

    rows: Mapping[str, Head]
    files: Sequence[FileHead]


class OpencodeStore(Store):
    """The sessions of one root; see `Store`."""

    shared_folders = (".", "storage/session", "storage/message")
    has_children = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self._databases: dict[str, DatabaseSource] = {}
        self._files = FileSource(root.path)
        self._lock = threading.RLock()
        self._known: tuple[object, object, dict[str, _Copies]] | None = None
        """The version of the last copies, the heads that it identifies, and the copies."""

    def members(self) -> Keys:
        """List the sessions of all generations."""
        with self._lock:
            return [key for key in self._copies() if _SESSION.fullmatch(key)]

    def unlistable(self) -> str | None:
        """Return why a database cannot be read."""
        with self._lock:
            found = [each.problem.message for each in self._sources().values() if each.problem is not None]
        return "; ".join(found) or None

    def problems(self) -> Sequence[SharedProblem]:
        """Return what is wrong with databases."""
        with self._lock:
            found = self._sources().values()
            return [SharedProblem(each.path, each.problem) for each in found if each.problem is not None]

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders of session files that could not be listed."""
        return self._files.unlisted()

    def members_version(self) -> object:
        """Return the stamps of the databases, and of the folders of sessions."""
        with self._lock:
            databases = [each.stamps() for each in self._sources().values()]
        return (*databases, *(_mtime(f"{self.root.path}{os.sep}{name}") for name in self.shared_folders))

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense what changes with the rows and files of each session."""
        meanwhile()
        with self._lock:
            copies = self._copies()
            return {key: self._fingerprint(key, copies.get(key)) for key in keys}

    def shared(self) -> Mapping[str, bytes]:
        """Return the fingerprints of the sessions in databases, which one file holds for all."""
        with self._lock:
            heads = [source.heads() for source in self._sources().values()]
            return {key: _entry(each, key) for each in heads for key in each}

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions into their rows; one without a message is not listed."""
        with self._lock:
            copies, entries, marks = self._copies(), self.shared(), self.fingerprints(keys)
            read = self._read({key: copies[key] for key in keys if key in copies}, self._described)
        found: ReadRows = dict.fromkeys(keys)
        for key in keys:
            session, touched = read.get(key, (None, 0))
            if key in copies:
                row = self._row(key, session, marks[key], touched, now)
                row.entry = entries.get(key, b"")
                found[key] = row
        return found

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a session that ended or blocked its reader."""
        broken = problem("internal", "reading this session ended the process that read it")
        session = Session(
            id=key, product=self._product(None), end="open", source=self.root.path, problems=[broken]
        )
        return self._row(key, session, self.fingerprints([key])[key], now, now)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one session."""
        session, _ = self._one(key, self._described) or (None, 0)
        return None if session is None else opened_session(session, self.root.path, now)

    def size(self, key: str) -> int:
        """Estimate the size of a session from the number of its messages."""
        with self._lock:
            copies = self._copies().get(key)
        return sum(head.messages for head in copies.rows.values()) * _BYTES_EACH if copies else 0

    def location(self, key: str) -> str:
        """Return the database or the file that holds a session."""
        with self._lock:
            copies = self._copies().get(key)
        if copies is None:
            return self.root.path
        return next(iter(copies.rows), None) or copies.files[0].path

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Read the messages of a session. Raises StorageError if its database cannot be read."""
        read = self._one(key, messages_of)
        if read is None and (why := self.unlistable()) is not None:
            raise StorageError(f"cannot read {self.root.path}: {why}", path=self.root.path, reason=why)
        yield MessageList(read or [])

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that tools of a session read and changed."""
        return self._one(key, _changed_files) or []

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a session holds one of the needles; sessions in files are not searched."""
        with self._lock:
            copies = self._copies().get(key)
            sources = self._sources()
        if copies is None:
            return False
        return bool(copies.files) or any(sources[path].mentions(key, needles) for path in copies.rows)

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a session's message files, if it has any."""
        folder = f"storage{os.sep}message{os.sep}{key}"
        return folder if _mtime(f"{self.root.path}{os.sep}{folder}") else None

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path: all sessions of a database, or one of a file."""
        match parts:
            case [name] if DATABASE.fullmatch(name) or _LOG.fullmatch(name):
                return Touched(None)
            case ["storage", "session", _, name] if name.endswith(".json"):
                return Touched(name.removesuffix(".json"))
            case ["storage", "message", key]:
                return Touched(key, folder=True)
            case ["storage", "message", key, _]:
                return Touched(key)
        return None

    def _sources(self) -> Mapping[str, DatabaseSource]:
        """Return the databases of the root by path."""
        found = {}
        for name in _database_names(self.root.path):
            path = f"{self.root.path}{os.sep}{name}"
            found[path] = self._databases.get(path) or DatabaseSource(path)
        self._databases = found
        return found

    def _copies(self) -> dict[str, _Copies]:
        """Return where each session is stored, listed again when that changes."""
        heads = {path: source.heads() for path, source in self._sources().items()}
        version = (*map(id, heads.values()), self._files.version())
        if self._known is not None and version[-1] is not None and self._known[0] == version:
            return self._known[2]
        files = self._files.heads()
        keys = dict.fromkeys([*(key for each in heads.values() for key in each), *files])
        found = {
            key: _Copies({path: each[key] for path, each in heads.items() if key in each}, files.get(key, ()))
            for key in keys
        }
        self._known = (version, heads, found)
        return found

    def _fingerprint(self, key: str, copies: _Copies | None) -> int:
        if copies is None:
            return condense(((),))
        marks = [head.fingerprint for head in copies.rows.values()]
        if copies.files:
            marks.append((self._files.fingerprint(key, copies.files),))
        return condense(tuple(marks))

    def _read(self, copies: Mapping[str, _Copies], make: Callable[[Content], T]) -> dict[str, T]:
        """Read the best copy of each session: the newest one with messages, of equal ones the latest kind."""
        found: dict[str, T] = {}
        for path, source in self._sources().items():
            keys = [key for key, each in copies.items() if _best_database(each) == path]
            in_files = {key for key in keys if copies[key].files and self._newer_in_files(key, copies[key])}
            found |= source.contents([key for key in keys if key not in in_files], make)
        for key, each in copies.items():
            if key not in found:
                contents = [self._files.content(key, head) for head in each.files]
                with_messages = [content for content in contents if content is not None]
                if with_messages:
                    found[key] = make(max(with_messages, key=_goodness))
        return found

    def _newer_in_files(self, key: str, copies: _Copies) -> bool:
        """Return whether a product of an earlier version continued a session after its migration."""
        migrated = max((head.header.updated or 0 for head in copies.rows.values()), default=0)
        contents = (self._files.content(key, head) for head in copies.files)
        return any(
            content is not None and content.messages and (content.header.updated or 0) > migrated
            for content in contents
        )

    def _one(self, key: str, make: Callable[[Content], T]) -> T | None:
        with self._lock:
            copies = self._copies().get(key)
            return self._read({key: copies}, make).get(key) if copies is not None else None

    def _described(self, content: Content) -> tuple[Session | None, int]:
        return session_of(content, self._product(content)), content.touched

    def _product(self, content: Content | None) -> Product:
        """Tell the product from the database's name, the version of a file, or the root's path."""
        named = DATABASE.fullmatch(content.source) if content is not None else None
        if named is not None:
            return "kilo" if named["product"] == "kilo" else "opencode"
        if content is not None and content.header.version is not None:
            return "kilo" if _KILO.match(content.header.version) else "opencode"
        return self.root.product or "opencode"

    def _row(self, key: str, session: Session | None, fingerprint: int, touched: int, now: int) -> IndexRow:
        if session is None:
            return IndexRow(key, fingerprint, b"", None, None, "unknown", touched, b"", root=self.root.path)
        return row_of_session(session, self.root.path, fingerprint, now, touched)


def _best_database(copies: _Copies) -> str | None:
    """Return the path of the database with the newest copy that has messages."""
    with_messages = {path: head for path, head in copies.rows.items() if head.messages or not copies.files}
    return max(with_messages, key=lambda path: with_messages[path].header.updated or 0, default=None)


def _goodness(content: Content) -> tuple[bool, int]:
    return bool(content.messages), content.header.updated or 0


def _entry(heads: Mapping[str, Head], key: str) -> bytes:
    return condense((heads[key].fingerprint,)).to_bytes(8, "big")


def _changed_files(content: Content) -> list[FileChange]:
    return merged_files(files_of(content), content.header.directory)


def _database_names(root: str) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if DATABASE.fullmatch(entry.name))
    except OSError:
        return []


def _mtime(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0
