"""The copies of each session in a root: generations of storage exist there side by side."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from sidecar.api.stored.tasks import Problem
from sidecar.history.stores.index_row import condense
from sidecar.history.stores.opencode.content import Content
from sidecar.history.stores.opencode.databases import DatabaseSource
from sidecar.history.stores.opencode.file_marks import FileHead
from sidecar.history.stores.opencode.files import FileSource
from sidecar.history.stores.opencode.heads import Head
from sidecar.history.stores.opencode.names import DATABASE

_LISTED_SECONDS: Final = 5.0
"""How long the folders of session files are not compared again for the fingerprints of sessions."""
T = TypeVar("T")
_Heads = Mapping[str, Mapping[str, Head]]
"""The sessions of each database, by its path."""


class Copies(NamedTuple):
    """The places that hold one session: heads by database, and files by generation."""

    rows: Mapping[str, Head]
    files: Sequence[FileHead]

    @property
    def links(self) -> bytes:
        """Return the names of the databases, which a row keeps."""
        return os.fsencode("/".join(os.path.basename(path) for path in self.rows))  # noqa: PTH119

    @property
    def best_database(self) -> str | None:
        """Return the path of the database with the newest copy that has messages."""
        heads = {path: head for path, head in self.rows.items() if head.messages or not self.files}
        return max(heads, key=lambda path: heads[path].header.updated or 0, default=None)


class SessionCopies:
    """Find the copies of each session, and read the best one. Hold `lock` over calls that belong together."""

    def __init__(self, root: str) -> None:
        self.lock = threading.RLock()
        self.files = FileSource(root)
        self.half_written: set[str] = set()
        """The sessions of which the last reading met a file in the middle of a save."""
        self.failed: set[str] = set()
        """The sessions whose database could not be read at the last patient reading."""
        self.refused: set[str] = set()
        """The sessions that could not be read from a database at the last reading, including damaged ones."""
        self.postponed: set[str] = set()
        """Those of them that were left to the next reading, as each takes a reading of all rows."""
        self.refusal: Problem | None = None
        """Why the last reading of a database failed; None if none did."""
        self.unread: dict[str, Content] = {}
        """What is known of those with messages, with the reason as their problem."""
        self._root = root
        self._databases: dict[str, DatabaseSource] = {}
        self._is_listed = True
        self._known: tuple[object, _Heads, Mapping[str, Copies]] | None = None
        """The version of the last copies, the heads that it identifies, and the copies."""
        self._files: tuple[object, Mapping[str, list[FileHead]]] | None = None
        """The version of the files that were listed last, and the files."""

    def databases(self) -> Mapping[str, DatabaseSource]:
        """Return the databases of the root by path."""
        with self.lock:
            names = _database_names(self._root)
            self._is_listed = names is not None
            if names is None:
                return self._databases
            paths = [f"{self._root}{os.sep}{name}" for name in names]
            self._databases = {path: self._databases.get(path) or DatabaseSource(path) for path in paths}
            return self._databases

    @property
    def is_any_unread(self) -> bool:
        """Return whether there may be sessions in a database that cannot be read."""
        return not self._is_listed or any(each.is_unread for each in self._databases.values())

    def is_unread(self, links: bytes) -> bool:
        """Return whether a session was in a database that cannot be read; `links` names its databases."""
        unread = {os.path.basename(path) for path, each in self._databases.items() if each.is_unread}  # noqa: PTH119
        named = os.fsdecode(links).split("/") if links else ()
        return bool(links) and (not self._is_listed or not unread.isdisjoint(named))

    def all(self, seconds: float = 0.0) -> Mapping[str, Copies]:
        """Return where each session is stored, listed again when that changes.

        The folders of session files may have been compared up to `seconds` ago.
        """
        with self.lock:
            heads = {path: source.heads() for path, source in self.databases().items()}
            version = (*map(id, heads.values()), self.files.version(seconds))
            if self._known is not None and version[-1] is not None and self._known[0] == version:
                return self._known[2]
            before, files = self._files, self._files_at(version[-1])
            if self._known is not None and self._files is not None and before is self._files:
                found = _again(self._known[2], self._known[1], heads, files)
            else:
                keys = dict.fromkeys([*(key for each in heads.values() for key in each), *files])
                found = {key: _copies(key, heads, files.get(key, ())) for key in keys}
            # What was missed for a moment is listed by the next call.
            self._known = (None if self.files.is_incomplete() else version, heads, found)
            return found

    def _files_at(self, version: object) -> Mapping[str, list[FileHead]]:
        """Return the files of each session, listed again unless none was added, removed or missed."""
        if version is not None and self._files is not None and self._files[0] == version:
            return self._files[1]
        found = self.files.heads()
        self._files = None if self.files.is_incomplete() else (version, found)
        return found

    def _listed(self, keys: Iterable[str]) -> Mapping[str, Copies]:
        """Return where some sessions were stored when all were listed last; list again for unknown ones.

        Listing counts every message, and a database that is being written changes all the time.
        """
        known = self._known[2] if self._known is not None else {}
        return known if all(key in known for key in keys) else self.all()

    def copies_of(self, key: str) -> Copies | None:
        """Return where a session was stored when all were listed last."""
        with self.lock:
            return self._listed([key]).get(key)

    def fingerprints(self, keys: Iterable[str]) -> dict[str, int]:
        """Condense what changes with the rows and files of each session."""
        with self.lock:
            return self.fingerprints_at(self.all(_LISTED_SECONDS), keys)

    def fingerprints_at(self, copies: Mapping[str, Copies], keys: Iterable[str]) -> dict[str, int]:
        """Condense what changes with the rows and files at `copies`, which `all` returned."""
        return {key: self._fingerprint(key, copies.get(key)) for key in keys}

    def read(self, keys: Sequence[str], make: Callable[[Content], T], patient: bool = False) -> dict[str, T]:
        """Call `make` with the best copy of each session: the newest with messages, or the latest kind.

        With `patient`, sessions whose database cannot be read are in `failed`, and not tried again at once.
        """
        with self.lock:
            self.half_written, self.failed, self.refused, self.postponed = set(), set(), set(), set()
            self.refusal, self.unread = None, {}
            everything = self._listed(keys)
            copies = {key: everything[key] for key in keys if key in everything}
            found: dict[str, T] = {}
            for path, source in self.databases().items():
                best = [
                    key
                    for key, each in copies.items()
                    if each.best_database == path and not self._is_continued(key, each)
                ]
                read = source.contents(best, make, patient)
                found |= read
                self.refusal = self.refusal or source.refusal
                self.postponed |= source.postponed
                for key, why in source.refused.items():
                    self.refused.add(key)
                    if patient and why.code == "unreadable":
                        self.failed.add(key)
                    if copies[key].rows[path].messages:
                        self.unread[key] = _unread(copies[key].rows[path], path, why)
            for key, each in copies.items():
                if key not in found and (contents := self._in_files(key, each)):
                    best_file = max(contents, key=_goodness)
                    if key in self.unread:  # what is newer in a database
                        best_file.problems = [*best_file.problems, *self.unread[key].problems]
                    found[key] = make(best_file)
            return found

    def _fingerprint(self, key: str, copies: Copies | None) -> int:
        if copies is None:
            return condense(((),))
        marks = [head.fingerprint for head in copies.rows.values()]
        if copies.files:
            marks.append((self.files.fingerprint(key, copies.files),))
        return condense(tuple(marks))

    def _is_continued(self, key: str, copies: Copies) -> bool:
        """Return whether a product of an earlier version continued a session after its migration."""
        migrated = max((head.header.updated or 0 for head in copies.rows.values()), default=0)
        return any(
            content.messages and (content.header.updated or 0) > migrated
            for content in self._in_files(key, copies)
        )

    def _in_files(self, key: str, copies: Copies) -> list[Content]:
        read = (self.files.content(key, head) for head in copies.files)
        contents = [content for content in read if content is not None]
        if any(content.is_half_written for content in contents):
            self.half_written.add(key)
        return contents


def changed_keys(before: Mapping[str, Head], after: Mapping[str, Head]) -> set[str]:
    """Return the sessions that were added, removed or read again between two readings of a database."""
    if before is after:
        return set()
    return {key for key, head in after.items() if before.get(key) is not head} | (
        before.keys() - after.keys()
    )


def _again(
    copies: Mapping[str, Copies], before: _Heads, after: _Heads, files: Mapping[str, Sequence[FileHead]]
) -> Mapping[str, Copies]:
    """Return the copies after a reading of the databases that found the same files."""
    keys: set[str] = set()
    for path in before.keys() | after.keys():
        keys |= changed_keys(before.get(path, {}), after.get(path, {}))
    there = {key for key in keys if key in files or any(key in each for each in after.values())}
    kept = {key: each for key, each in copies.items() if key not in keys} if keys - there else copies
    return {**kept, **{key: _copies(key, after, files.get(key, ())) for key in there}}


def _copies(key: str, heads: _Heads, files: Sequence[FileHead]) -> Copies:
    return Copies({path: each[key] for path, each in heads.items() if key in each}, files)


def _unread(head: Head, path: str, why: Problem) -> Content:
    name, touched = os.path.basename(path), head.header.updated or 0  # noqa: PTH119
    return Content(head.header, (), 0, name, path, touched, problems=[why])


def _goodness(content: Content) -> tuple[bool, int]:
    return bool(content.messages), content.header.updated or 0


def _database_names(root: str) -> list[str] | None:
    """List the databases of a root; None if it cannot be listed."""
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if DATABASE.fullmatch(entry.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return None
