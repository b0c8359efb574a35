"""The base of stores that keep each session in a few files."""

import os
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple

from sidecar.api.stored.tasks import Product, Rules
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import Stamp, stamp_of
from sidecar.history.stores.contract import (
    Evidence,
    Fingerprints,
    Keys,
    OpenedTask,
    Root,
    SharedProblem,
    Store,
)
from sidecar.history.stores.index_row import IndexRow, ReadRows, condense, make_row
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.byte_search import any_holds
from sidecar.history.stores.sessions.folders import Folders
from sidecar.history.stores.sessions.session import Session, opened_session, row_of_session

_MS: int = 1_000_000
_SEARCH_SHARE = 0.1
"""How much of the time for reading rows in batches may be spent on searching for their files again."""


class SessionFiles(NamedTuple):
    """The absolute paths of a session's files, and a number that changes with what else its row shows."""

    paths: tuple[str, ...]
    salt: int = 0


class FileSessionStore(Store):
    """Sessions in files; subclasses find them and read one.

    `find` is called for every scan, so it must be cheap: it lists folders and opens new files only.
    """

    product: Product
    below: ClassVar[Mapping[str, int] | None] = None
    """The folders of the root with everything that rows depend on, and how deep it is in them, if known."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self._found: Mapping[str, SessionFiles] | None = None
        self._lost: Mapping[str, SessionFiles] = {}
        """What earlier searches found, while folders cannot be listed."""
        self._current_until = 0.0
        self._folders = Folders()

    @abstractmethod
    def find(self) -> Mapping[str, SessionFiles]:
        """Find the files of each session by its key."""

    @abstractmethod
    def session(self, key: str, files: SessionFiles) -> Session | None:
        """Read one session; None if it has no message of a person or a model. Never raises."""

    def evidence(self) -> Sequence[Evidence] | None:
        """Return the folders with the sessions."""
        if self.below is None:
            return None
        return [(f"{self.root.path}{os.sep}{name}", levels) for name, levels in self.below.items()]

    def members(self) -> Keys:
        """List the sessions, including those without messages."""
        return [*self._search()]

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that `find` could not list."""
        return self._folders.unlistable()

    def is_incomplete(self) -> bool:
        """Return whether the last search missed a folder."""
        return bool(self._folders.missed())

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return the keys whose files are in a folder that was missed, or were never found."""
        if not self.is_incomplete():
            return ()
        lost = ((key, self._lost.get(key)) for key in keys)
        return [key for key, files in lost if self._folders.may_hold(files.paths if files else None)]

    def existing(self, keys: Collection[str]) -> Keys:
        """Return the keys that exist, after another search."""
        found = self._search()
        return [key for key in keys if key in found]

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense the stamps of each session's files."""
        meanwhile()
        found = self._known()
        return {key: _fingerprint(found.get(key))[0] for key in keys}

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions into rows, after another search for their files unless one has just ended."""
        found = self._known()
        if time.perf_counter() >= self._current_until or not found.keys() >= set(keys):
            found = self._search()
        return {key: self._row(key, found.get(key), now) if rules == "structural" else None for key in keys}

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a session whose reader crashed."""
        session = Session(id=key, product=self.product, end="open", source=self.location(key))
        session.problems = [problem("internal", "the sidecar failed to read the session")]
        fingerprint, touched = _fingerprint(self._known().get(key))
        return row_of_session(session, self.root.path, fingerprint, now, touched)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one session; None if it is gone or has no messages."""
        files = self._known().get(key)
        session = self.session(key, files) if files is not None else None
        return opened_session(session, self.root.path, now) if session is not None else None

    def size(self, key: str) -> int:
        """Return the size of the session's files."""
        files = self._known().get(key)
        return sum(stamp[1] for path in (files.paths if files else ()) if (stamp := stamp_of(path)))

    def location(self, key: str) -> str:
        """Return the newest file of the session."""
        files = self._known().get(key)
        return files.paths[-1] if files is not None and files.paths else self.root.path

    def message_version(self, key: str) -> str | None:
        """Return the files' condensed stamps; None without files."""
        files = self._known().get(key)
        return str(_fingerprint(files)[0]) if files is not None and self.size(key) else None

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether a file of the session contains one of the needles."""
        files = self._known().get(key)
        return files is not None and any_holds(files.paths, needles)

    def _known(self) -> Mapping[str, SessionFiles]:
        return self._search() if self._found is None else self._found

    def _search(self) -> Mapping[str, SessionFiles]:
        started = time.perf_counter()
        former, self._found = self._found or {}, self.find()
        found = self._found
        self._lost = {**self._lost, **former} if self.is_incomplete() else {}
        ended = time.perf_counter()
        self._current_until = ended + (ended - started) / _SEARCH_SHARE
        return found

    def _row(self, key: str, files: SessionFiles | None, now: int) -> IndexRow | None:
        if files is None:
            return None
        fingerprint, touched = _fingerprint(files)
        session = self.session(key, files)
        if session is None:
            return make_row(key, self.root.path, fingerprint, None, touched=touched)
        return row_of_session(session, self.root.path, fingerprint, now, touched)


def _fingerprint(files: SessionFiles | None) -> tuple[int, int]:
    """Condense the stamps of files; also return the newest time, in ms."""
    if files is None:
        return condense(()), 0
    stamps: list[Stamp | tuple[()]] = [stamp_of(path) or () for path in files.paths]
    newest = max((stamp[0] for stamp in stamps if stamp), default=0) // _MS
    return condense((*stamps, (files.salt,))), newest


def relative_folders(root: str, paths: Sequence[str]) -> list[str]:
    """Return folders below a root relative to it."""
    return [os.path.relpath(path, root) for path in paths]
