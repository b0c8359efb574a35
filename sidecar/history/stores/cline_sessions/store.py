"""The store of a root of Cline 4: a folder for each session, with the files of its subagents."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import Rules
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import is_json
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile, stamp_of
from sidecar.history.stored.texts import is_encodable
from sidecar.history.stores.cline_sessions.processes import is_alive
from sidecar.history.stores.cline_sessions.records import read_object, read_transcript
from sidecar.history.stores.cline_sessions.rows import Files, session_of
from sidecar.history.stores.cline_sessions.transcript import files_of, messages_of
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
from sidecar.history.stores.index_row import IndexRow, ReadRows, condense
from sidecar.history.stores.parallel import Parallel, nothing, sequential
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.folders import Folders, why_unlistable
from sidecar.history.stores.sessions.messages import MessageList
from sidecar.history.stores.sessions.saving import read_settled
from sidecar.history.stores.sessions.session import Session, opened_session, row_of_session
from sidecar.history.stores.status_by_age import FOR_EVER

SESSIONS: Final = "sessions"
MESSAGES: Final = ".messages.json"
_MANIFEST: Final = ".json"
_ID: Final = re.compile(r"\d{10,15}_\w{1,40}?", re.ASCII)
_TEAM: Final = "__teamtask__"
_CHILD: Final = "__"
_ALIVE_MS: Final = 10_000
"""How long a session counts as running before its process is checked again."""
_NS_PER_MS: Final = 1_000_000


class ClineStore(Store):
    """The sessions of one root; see `Store`."""

    shared_folders = (SESSIONS,)
    has_children = True

    def __init__(self, root: Root) -> None:
        self.root = root
        self._base = f"{root.path}{os.sep}{SESSIONS}"
        self._folders = Folders()

    def members(self) -> Keys:
        """List the sessions with their subagents and team tasks."""
        found: Keys = []
        for session in self._sessions():
            entries = self._folders.entries(f"{self._base}{os.sep}{session}")
            files = (entry for entry in entries if entry.name.endswith(_MANIFEST))
            names = {entry.name for entry in files if self._folders.is_named(entry)}
            if {f"{session}{_MANIFEST}", f"{session}{MESSAGES}"} & names:
                found.append(session)
            stems = sorted(name.removesuffix(MESSAGES) for name in names if name.endswith(MESSAGES))
            found += [_child_key(session, stem) for stem in stems if stem != session]
        return found

    def unlistable(self) -> str | None:
        """Try to list the folder of the sessions."""
        return why_unlistable(self._base)

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that the last listing could not read."""
        return self._folders.unlistable()

    def is_incomplete(self) -> bool:
        """Return whether the last listing missed a folder."""
        return bool(self._folders.missed())

    def hidden(self, keys: Collection[str]) -> Collection[str]:
        """Return the keys whose files exist if a folder was missed."""
        return self.existing(keys) if self.is_incomplete() else ()

    def evidence(self) -> Sequence[Evidence]:
        """Return the folder of the sessions."""
        return [(self._base, 2)]

    def existing(self, keys: Collection[str]) -> Keys:
        """Return the keys whose files exist: the messages or, of a main session, the manifest."""
        return [key for key in keys if not all(map(_is_gone, self._paths(key)[_CHILD in key :]))]

    def fingerprints(
        self, keys: Keys, parallel: Parallel = sequential, meanwhile: Callable[[], None] = nothing
    ) -> Fingerprints:
        """Condense the stamps of a session's manifest and messages."""
        meanwhile()
        return {key: condense(tuple(stamp_of(path) or () for path in self._paths(key))) for key in keys}

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions into their rows; one without a message is not listed."""
        return {key: self._row(key, now) for key in keys}

    def damaged_row(self, key: str, rules: Rules, now: int) -> IndexRow:
        """Create the row of a session that ended or blocked its reader."""
        broken = problem("internal", "reading this session ended the process that read it")
        session = Session(id=key, product="cline", end="open", source=self.location(key), problems=[broken])
        return row_of_session(session, self.root.path, self.fingerprints([key])[key], now, now)

    def open(self, key: str, now: int) -> OpenedTask | None:
        """Read one session."""
        session = self._session(key)
        return None if session is None else opened_session(session, self.root.path, now)

    def size(self, key: str) -> int:
        """Return the size of a session's messages."""
        stamp = stamp_of(self._paths(key)[1])
        return stamp[1] if stamp is not None else 0

    def location(self, key: str) -> str:
        """Return the file of a session's messages."""
        return self._paths(key)[1]

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Read the messages of a session. Raises StorageError if their file cannot be read."""
        path = self.location(key)
        file = _read(path)
        if file.data is None and file.problems:
            why = file.problems[0].message
            raise StorageError(f"cannot read {path}: {why}", path=path, reason=why)
        yield MessageList(messages_of(read_transcript(file)))

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that tools of a session read and changed."""
        manifest, path = self._paths(key)
        workspace = read_object(_read(manifest))[0].get("cwd")
        found = files_of(read_transcript(_read(path)))
        return merged_files(found, workspace if isinstance(workspace, str) else None)

    def mentions(self, key: str, needles: Collection[bytes]) -> bool:
        """Return whether the messages hold one of the needles in any case."""
        path = self.location(key)
        data = (_read(path).data or b"").lower()
        return any(needle in data for needle in needles)

    def folder_of(self, key: str) -> str:
        """Return the folder of a session, relative to the root."""
        return f"{SESSIONS}{os.sep}{key.partition(_CHILD)[0]}"

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the meaning of a changed path."""
        match parts:
            case [folder, session] if folder == SESSIONS and _ID.fullmatch(session):
                return Touched(session, folder=True)
            case [folder, session, name] if folder == SESSIONS and _ID.fullmatch(session):
                stem = name.removesuffix(MESSAGES)
                if name in (f"{session}{_MANIFEST}", f"{session}{MESSAGES}"):
                    return Touched(session)
                return Touched(_child_key(session, stem)) if stem != name and is_encodable(stem) else None
        return None

    def _sessions(self) -> list[str]:
        found = [entry for entry in self._folders.entries(self._base) if _ID.fullmatch(entry.name)]
        return sorted(entry.name for entry in found if self._folders.is_folder(entry))

    def _row(self, key: str, now: int) -> IndexRow | None:
        fingerprint = self.fingerprints([key])[key]
        stamps = [stamp for path in self._paths(key) if (stamp := stamp_of(path)) is not None]
        touched = max((stamp[0] for stamp in stamps), default=0) // _NS_PER_MS
        session = self._session(key)
        if session is None and not stamps:
            return None
        if session is None:
            return IndexRow(key, fingerprint, b"", None, None, "unknown", touched, b"", root=self.root.path)
        until = now + _ALIVE_MS if session.end == "open" and session.parent_id is None else FOR_EVER
        return row_of_session(session, self.root.path, fingerprint, now, touched, until)

    def _session(self, key: str) -> Session | None:
        manifest_path, path = self._paths(key)
        session, mark, _ = key.partition(_CHILD)
        file = _read(path)
        manifest_file = _read(manifest_path)
        if file.absent and (mark or manifest_file.absent):
            return None
        manifest, problems = read_object(manifest_file)
        transcript = read_transcript(file)
        if file.absent and transcript.messages == () and manifest.get("prompt"):
            problems.append(problem("missing", f"{file.name} is missing"))
        size = sum(len(each.data or b"") for each in ((file,) if mark else (file, manifest_file)))
        parent = session if mark else None
        # A child shows the working directory of the manifest.
        own = [each for each in problems if each.code == "unreadable"] if mark else problems
        found = session_of(Files(key, manifest, transcript, size, file.name, parent, own), is_alive)
        if not (file.is_half_written or manifest_file.is_half_written):
            return found
        found = found or Session(id=key, product="cline", end="open", source=file.name)
        found.is_half_written = True
        return found

    def _paths(self, key: str) -> tuple[str, str]:
        """Return the paths of the manifest, the one of the main session, and of the messages."""
        session, _, stem = key.partition(_CHILD)
        folder = f"{self._base}{os.sep}{session}{os.sep}"
        stem = stem.removeprefix(_TEAM.removeprefix(_CHILD))
        return f"{folder}{session}{_MANIFEST}", f"{folder}{stem or session}{MESSAGES}"


def _child_key(session: str, stem: str) -> str:
    """Return the ID of a subagent, whose file is named after it, or of a team's task."""
    return f"{session}{_TEAM if _CHILD in stem else _CHILD}{stem}"


def _read(path: str) -> StoredFile:
    return read_settled(path, _name(path), is_json)


def _is_gone(path: str) -> bool:
    """Return whether a file does not exist; one in a folder that cannot be entered may exist."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _name(path: str) -> str:
    return path.rpartition(os.sep)[2]
