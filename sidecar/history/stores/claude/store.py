"""The store of a root of Claude Code."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from sidecar.api.stored.tasks import Rules
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.claude.layout import (
    DEEPEST,
    PROJECTS,
    SUBAGENTS,
    SessionFile,
    copied_file,
    is_agent,
    is_session,
    key_of,
    project_folders,
)
from sidecar.history.stores.claude.project_files import ProjectFiles
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
from sidecar.history.stores.index_row import IndexRow, ReadRows, fingerprint_of
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.folders import Folders, folder_below, why_unlistable
from sidecar.history.stores.sessions.sound_files import SoundFiles
from sidecar.storage.kept.blob_names import is_blob
from sidecar.storage.kept.copies import copies_in

if TYPE_CHECKING:
    from sidecar.changes.file_change import FileChange
    from sidecar.history.stores.append_only.message_lines import MessagePlaces
    from sidecar.history.stores.claude.retention import SparedFiles
    from sidecar.history.stores.claude.rows import SessionRows
    from sidecar.storage.kept.records import KeptFile, KeptSession

# What reads sessions is imported when there is one to be read: mostly the index knows them all.

_SIDECHAIN = (b'"issidechain":true', b'"issidechain": true')
_Fingerprint = tuple[str, int]


class ClaudeStore(Store):
    """The sessions below `<root>/projects`, and their subagents; see `Store`."""

    has_children = True
    relates = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self._files: dict[str, list[SessionFile]] = {}
        self._lost_files: dict[str, list[SessionFile]] = {}
        """What earlier listings found, while folders cannot be listed."""
        self._folders = Folders()
        self._project_files = ProjectFiles(root.path, self._folders)
        self._held: dict[str, str] = {}
        self._copies = copies_in(root.copies)
        self._copies_seen: object = None
        self._sound = SoundFiles()

    @property
    def shared_folders(self) -> Sequence[str]:  # type: ignore[override]  # they are read when they are needed
        """The folders of projects, in which new sessions appear."""
        return [PROJECTS, *project_folders(self.root.path, self._folders)]

    def members(self) -> Keys:
        """List the sessions and subagents that have files with content, or kept copies of them."""
        found: dict[str, list[SessionFile]] = {}
        self._copies_seen = self._copies.version
        for file in self._project_files.each():
            found.setdefault(file.key, []).append(file)
        for key, session in self._copies.sessions().items():
            if files := self._with_copies(key, session, found.get(key, [])):
                found[key] = files
        self._lost_files = {**self._lost_files, **self._files} if self.is_incomplete() else {}
        self._files = found
        return list(found)

    def unlistable(self) -> str | None:
        """Try to list the projects."""
        return why_unlistable(f"{self.root.path}{os.sep}{PROJECTS}")

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that the last listing could not read."""
        return self._folders.unlistable()

    def is_incomplete(self) -> bool:
        """Return whether the last listing missed a folder."""
        return bool(self._folders.missed())

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return the keys whose files are in a folder that was missed, or were never found."""
        if not self.is_incomplete():
            return ()
        lost = ((key, self._lost_files.get(key)) for key in keys)
        return [
            key
            for key, files in lost
            if self._folders.may_hold([file.path for file in files] if files is not None else None)
        ]

    def is_member(self, key: str, rules: Rules) -> bool:
        """Return whether a key is that of a session or subagent."""
        return rules == "structural" and (is_agent(key) or is_session(key))

    def existing(self, keys: Collection[str]) -> Keys:
        """Return the keys that have files."""
        if any(key not in self._files for key in keys) or self._lost(keys):
            self.members()
        return [key for key in keys if self._is_there(key)]

    def holds(self, key: str, member: str) -> None:
        """Learn which file holds a subagent that has none."""
        self._held[key] = member

    def inside(self, key: str) -> Keys:
        """List the subagents whose records are in the file of a session."""
        from sidecar.history.stores.sessions.byte_search import any_holds

        if is_agent(key) or not any_holds(self._paths(key), _SIDECHAIN):
            return []
        rows = self._rows.rows([key], 0).values()
        found = [row.id for row in rows if row is not None and row.within == key]
        for name in found:
            self.holds(name, key)
        return found

    def members_version(self) -> object:
        """Stat the folders of projects, and the list of kept copies."""
        folders = [stamp_of(f"{self.root.path}{os.sep}{folder}") for folder in self.shared_folders]
        return (*folders, self._copies.version)

    def evidence(self) -> Sequence[Evidence]:
        """Return the folder of the projects, and those of the kept copies."""
        return [(f"{self.root.path}{os.sep}{PROJECTS}", DEEPEST), *self._copies.places()]

    def deletes_after(self) -> int | None:
        """Return the time after which Claude Code deletes a session, as its settings state."""
        from sidecar.history.stores.claude.retention import deletes_after

        return deletes_after(self.root.path)

    def spares(self, row: IndexRow) -> bool:
        """Return whether Claude's desktop app wrote a session, which Claude Code then does not delete."""
        return self._spared.has(self.files(row.within or row.id))

    def files(self, key: str) -> Sequence[str]:
        """Return the files of a session or subagent that Claude Code may delete."""
        self._known([key])
        return [path for path in self._paths(key) if not is_blob(path)]

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense the stamps of each session's files."""
        self._known(keys)
        kept = self._copies.sessions()  # once, because each look takes as long as the stat of a session

        def work(part: Keys) -> list[_Fingerprint]:
            return [(key, self._fingerprint(key, kept)) for key in part]

        return dict(parallel(work, keys, list[_Fingerprint], meanwhile))

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions, and the subagents inside of their files."""
        if rules != "structural":
            return dict.fromkeys(keys)
        self._known(keys)
        if self._lost(keys):
            self.members()
        return self._rows.rows(keys, now)

    def related(
        self,
        rows: Mapping[str, IndexRow],
        before: Mapping[str, IndexRow],
        changed: Collection[str],
        now: int,
    ) -> ReadRows:
        """Return the rows that differ because of copied records, names in other files, and parents."""
        self._known(rows.keys())
        return self._rows.related(rows, before, changed, now)

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Make the row of a session that ended or blocked its reader."""
        self._known([key])
        return self._rows.damaged_row(key)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one session or subagent."""
        member = self._member(key)
        return self._rows.open(key, member, now)

    def size(self, key: str) -> int:
        """Return the size of a session's files."""
        self._known([key])
        stamps = (stamp_of(path) for path in self._paths(key))
        return sum(stamp[1] for stamp in stamps if stamp is not None)

    def location(self, key: str) -> str:
        """Return the file that holds a session."""
        paths = self._paths(self._member(key))
        return paths[0] if paths else f"{self.root.path}{os.sep}{PROJECTS}"

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages of a session's files. Raises StorageError naming the path."""
        from sidecar.history.stores.claude.messages import Transcript, identity_of

        member = self._member(key)
        inside = key if key != member else None
        render = lambda: Transcript(is_agent(member), inside)  # noqa: E731
        with self._places.open(key, self._paths(member), render, identity_of) as messages:
            yield messages

    def message_version(self, key: str) -> str | None:
        """Return the fingerprint of the files as text; None without one."""
        member = self._member(key)
        if not self._paths(member):
            return None
        return str(self._fingerprint(member, self._copies.sessions()))

    def touched_files(self, key: str) -> "list[FileChange]":
        """List the files that the calls of a session name."""
        from sidecar.history.stores.claude.messages import touched_files

        member = self._member(key)
        inside = key if key != member else None
        return touched_files(self._paths(member), is_agent(member), inside)

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether the files of a session hold one of the needles."""
        from sidecar.history.stores.sessions.byte_search import any_holds

        return any_holds(self._paths(self._member(key)), needles)

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a session's file, relative to the root."""
        paths = self._paths(self._member(key))
        return folder_below(self.root.path, paths[0]) if paths else None

    def is_always_watched(self, key: str) -> bool:
        """Return whether a key is that of a session: subagents are in folders of their own."""
        return not is_agent(key)

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path."""
        match parts:
            case [folder, _, name] if folder == PROJECTS and (key := key_of(name)):
                return Touched(key)
            case [folder, _, session, sub, *_, name] if folder == PROJECTS and sub == SUBAGENTS:
                key = key_of(name)
                return Touched(key) if key and is_session(session) and is_agent(key) else None
        return None

    @cached_property
    def _rows(self) -> "SessionRows":
        from sidecar.history.stores.claude.rows import SessionRows

        return SessionRows(self.root.path, self._paths, self._parent, self._copies.sessions)

    @cached_property
    def _spared(self) -> "SparedFiles":
        from sidecar.history.stores.claude.retention import SparedFiles

        return SparedFiles(self.root.path)

    @cached_property
    def _places(self) -> "MessagePlaces":
        from sidecar.history.stores.append_only.message_lines import MessagePlaces

        return MessagePlaces()

    def _known(self, keys: Collection[str]) -> None:
        """Find the files again if one is not known, or if there are other kept copies."""
        is_unknown = any(key not in self._files and key not in self._held for key in keys)
        if is_unknown or self._copies_seen != self._copies.version:
            self.members()

    def _with_copies(self, key: str, session: "KeptSession", files: list[SessionFile]) -> list[SessionFile]:
        """Replace files that were destroyed by their copies, or all files if none has content."""
        originals = self._originals(session)
        there = {file.path for file in files if self._sound.has(file.path)}
        if not there and self._folders.may_hold([*originals]):
            return files  # the original may be there
        gone = [path for path in originals if not there or (path not in there and os.path.lexists(path))]
        left = [file for file in files if there and file.path not in gone]
        replaced = (originals[path] for path in gone)
        return [*left, *(copied_file(key, file.path, self._copies.blob(file)) for file in replaced)]

    def _is_there(self, key: str) -> bool:
        return any(stamp_of(file.path) for file in self._files.get(key, ()))

    def _lost(self, keys: Collection[str]) -> bool:
        """Return whether files of sessions with a kept copy were deleted or destroyed."""
        copies = self._copies.sessions()
        return any(not self._is_sound(key, copies[key]) for key in keys if key in copies)

    def _is_sound(self, key: str, session: "KeptSession") -> bool:
        """Return whether a session has content, and all files that have a copy have theirs."""
        paths, copied = self._paths(key), self._originals(session)
        return any(map(self._sound.has, paths)) and all(
            self._sound.has(each) for each in paths if each in copied
        )

    def _originals(self, session: "KeptSession") -> dict[str, "KeptFile"]:
        return {f"{self.root.path}{os.sep}{file.path.replace('/', os.sep)}": file for file in session.files}

    def _paths(self, key: str) -> Sequence[str]:
        return [file.path for file in self._files.get(key, ())]

    def _parent(self, key: str) -> str | None:
        return next((file.parent for file in self._files.get(key, ()) if file.parent), None)

    def _fingerprint(self, key: str, kept: Collection[str]) -> int:
        stamps = tuple([stamp_of(file.path) or () for file in self._files.get(key, ())])
        return fingerprint_of(stamps, key in kept)

    def _member(self, key: str) -> str:
        """Return the member that is or holds a session."""
        if key in self._files:
            return key
        if key not in self._held:
            self.members()
        return self._held.get(key, key)
