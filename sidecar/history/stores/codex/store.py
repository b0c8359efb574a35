"""The store of a root of Codex."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from operator import is_
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sidecar.api.stored.tasks import Rules
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.codex.folder_stamps import FolderStamps
from sidecar.history.stores.codex.layout import (
    ARCHIVED,
    COMPRESSED,
    DEEPEST,
    NAMES,
    SESSIONS,
    STATE,
    SessionFile,
    SessionFileLists,
    is_session,
    key_of,
    session_folders,
)
from sidecar.history.stores.codex.names import SessionNames
from sidecar.history.stores.contract import Evidence, Keys, Kind, Messages, Root, SharedProblem, Touched
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.sessions.file_store import FileSessionStore, SessionFiles
from sidecar.history.stores.sessions.folders import folder_below
from sidecar.history.stores.sessions.parents import with_listed_parent
from sidecar.history.stores.sessions.session import Session

if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange
    from sidecar.history.stores.append_only.message_lines import MessagePlaces
    from sidecar.history.stores.codex.reader import SessionReader

# What reads sessions is imported when there is one to be read: mostly the index knows them all.


class _Found(NamedTuple):
    """The result of a search, and what it was made of: the lists of files by folder, and digests of names."""

    lists: Sequence[Sequence[SessionFile]]
    digests: Mapping[str, bytes]
    files: Mapping[str, SessionFiles]

    def is_of(self, lists: Sequence[Sequence[SessionFile]], digests: Mapping[str, bytes]) -> bool:
        """Return whether a search would find the same."""
        is_same = len(lists) == len(self.lists) and all(map(is_, lists, self.lists))
        return is_same and digests is self.digests


class CodexStore(FileSessionStore):
    """The sessions below `<root>/sessions` and `<root>/archived_sessions`; see `Store`."""

    product = "codex"
    below: ClassVar[Mapping[str, int]] = {SESSIONS: DEEPEST, ARCHIVED: DEEPEST}
    has_children = True
    relates = True

    def __init__(self, root: Root) -> None:
        super().__init__(root)
        self._names = SessionNames(root.path)
        self._stamps = FolderStamps(root.path, self._folders)
        self._lists = SessionFileLists(root.path, self._folders)
        self._last = _Found((), {}, {})

    @property
    def shared_folders(self) -> Sequence[str]:  # type: ignore[override]  # they are read when they are needed
        """The root with the names, and the folders of sessions."""
        return ["", *session_folders(self.root.path, self._folders)]

    def find(self) -> Mapping[str, SessionFiles]:
        """Find the file of each session: one that is not compressed, and not archived, comes first."""
        lists, digests = tuple(self._lists.each()), self._names.refresh()
        if self._last.is_of(lists, digests):
            return self._last.files
        found: dict[str, str] = {}
        for file in chain.from_iterable(lists):
            known = found.get(file.key)
            if known is None or (known.endswith(COMPRESSED) and not file.path.endswith(COMPRESSED)):
                found[file.key] = file.path
        files = {
            key: SessionFiles((path,), int.from_bytes(digests.get(key, b""), "big"))
            for key, path in found.items()
        }
        self._last = _Found(lists, digests, files)
        return files

    def evidence(self) -> Sequence[Evidence]:
        """Return the folders with the sessions, and those that may have the database of names."""
        return [*(super().evidence() or ()), *self._names.state_folders.places()]

    def problems(self) -> Sequence[SharedProblem]:
        """Return what is wrong with the database of names."""
        self._names.refresh()
        return [SharedProblem(path, found) for path, found in self._names.problems.items()]

    def members_version(self) -> object:
        """Stat the folders of sessions, those of old days in turns: watches mostly report their changes."""
        return self._stamps.refresh()

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether a key is the ID of a session."""
        return rules == "structural" and is_session(key)

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions; a row keeps the parent that its file names."""
        found = super().rows(keys, rules, now)
        for row in found.values():
            if row is not None and row.child_of:
                row.links = row.child_of.encode()
        return found

    def related(
        self,
        rows: Mapping[str, IndexRow],
        before: Mapping[str, IndexRow],
        changed: Collection[str],
        now: int,
    ) -> ReadRows:
        """Return the child sessions whose parent is listed now, or is not listed any more."""
        children = ((key, row, row.links.decode()) for key, row in rows.items() if row.links)
        fitted = ((key, row, with_listed_parent(row, parent, rows)) for key, row, parent in children)
        return {key: fit for key, row, fit in fitted if fit is not row}

    def session(self, key: str, files: SessionFiles) -> Session | None:
        """Read one session."""
        from sidecar.history.stores.codex.row import Place, session_of

        (path,) = files.paths
        read = self._reader.read(path)
        if read is None or not (read.fold.facts.is_task or (read.problems and not read.fold.facts.id)):
            return None
        known = self._names.of(key)
        size = stamp[1] if (stamp := stamp_of(path)) is not None else 0
        place = Place(PurePath(path).name, size, read.problems, known.name, known.source, known.parent)
        return session_of(key, read.fold.facts, place)

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages of a session. Raises StorageError naming the path."""
        from sidecar.history.stores.codex.messages import open_messages

        paths = self._known().get(key, SessionFiles(())).paths
        with open_messages(key, paths, self._places) as messages:
            yield messages

    def touched_files(self, key: str) -> "list[FileChange]":
        """List the files that the calls of a session name."""
        from sidecar.history.stores.codex.files import touched_files

        files = self._known().get(key)
        read = self._reader.read(files.paths[0]) if files is not None else None
        workspace = read.fold.facts.cwd if read is not None else None
        return touched_files(files.paths, workspace) if files is not None else []

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a session's file, relative to the root."""
        files = self._known().get(key)
        return folder_below(self.root.path, files.paths[0]) if files else None

    def is_always_watched(self, key: str) -> bool:
        """Return True: all folders of sessions are watched."""
        return True

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path; names are compared when sessions are listed."""
        if len(parts) == 1 and (parts[0] == NAMES or STATE.match(parts[0])):
            return Touched(None)
        if len(parts) > 1 and parts[0] in (SESSIONS, ARCHIVED) and (key := key_of(parts[-1])):
            return Touched(key)
        return None

    @cached_property
    def _reader(self) -> "SessionReader":
        from sidecar.history.stores.codex.reader import SessionReader

        return SessionReader()

    @cached_property
    def _places(self) -> "MessagePlaces":
        from sidecar.history.stores.append_only.message_lines import MessagePlaces

        return MessagePlaces()
