"""A store of Copilot CLI: a folder for each session, with its events."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import ClassVar, Final

from sidecar.changes.file_change import FileChange
from sidecar.history.stored.reading import is_there
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.message_lines import MessagePlaces
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.contract import Kind, Messages, Root, Touched
from sidecar.history.stores.copilot.events import EVENTS, Event, EventFold, ends_copy
from sidecar.history.stores.copilot.layout import SESSIONS
from sidecar.history.stores.copilot.messages import render, touched_files
from sidecar.history.stores.copilot.names import EDITOR_FILE, WORKSPACE_FILE, read_names
from sidecar.history.stores.sessions.file_store import FileSessionStore, SessionFiles
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.folds import Folds
from sidecar.history.stores.sessions.session import Session
from sidecar.history.stores.sessions.values import session_id

EVENTS_FILE: Final = "events.jsonl"
_READ: Final = (WORKSPACE_FILE, EDITOR_FILE, EVENTS_FILE)


class CopilotStore(FileSessionStore):
    """The sessions below one root. A folder without events was opened, but never used."""

    product = "copilot"
    below: ClassVar[Mapping[str, int]] = {SESSIONS: 2}
    shared_folders = (SESSIONS,)

    def __init__(self, root: Root) -> None:
        super().__init__(root)
        self._folds: Folds[Event, EventFold] = Folds(EVENTS, EventFold, EventFold.take)
        self._places = MessagePlaces()

    def find(self) -> Mapping[str, SessionFiles]:
        """Find the folders with events; links are not followed."""
        folders = self._folders.subfolders(f"{self.root.path}{os.sep}{SESSIONS}")
        return {
            entry.name: SessionFiles(tuple(f"{entry.path}{os.sep}{name}" for name in _READ))
            for entry in folders
            if session_id(entry.name) and self._has_events(entry.path)
        }

    def _has_events(self, folder: str) -> bool:
        there = is_there(f"{folder}{os.sep}{EVENTS_FILE}")
        return there or any(entry.name == EVENTS_FILE for entry in self._folders.entries(folder))

    def session(self, key: str, files: SessionFiles) -> Session | None:
        """Read what was appended to the events, and the names next to them."""
        events = files.paths[-1]
        folded = self._folds.read(events, EVENTS_FILE)
        if folded is None or not (folded.fold.message_count or folded.problems):
            return None
        names, fold = read_names(os.path.dirname(events)), folded.fold  # noqa: PTH120
        return Session(
            id=key,
            product="copilot",
            end=fold.end,
            source=EVENTS_FILE,
            title=names.title or fold.prompt,
            workspace_dir=fold.workspace or names.workspace,
            model=fold.model,
            created_at=fold.started if fold.started is not None else fold.first,
            last_activity=fold.last,
            message_count=fold.message_count,
            usage=fold.usage(),
            size_bytes=self.size(key),
            problems=[*folded.problems, *names.problems],
            sources={"title": names.source or "the first prompt"},
        )

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages, one event in memory at a time. Raises StorageError naming the path."""
        with self._places.open(key, [f"{self._folder(key)}{os.sep}{EVENTS_FILE}"], lambda: render) as opened:
            yield opened

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that the session's tools touched."""
        files = self._known().get(key)
        if files is None:
            return []
        fold = EventFold()
        fold.take(event for event in _events(files.paths[-1]) if event.type == "session.start")
        ends = [place for place, event in enumerate(_events(files.paths[-1])) if ends_copy(event)]
        own = islice(_events(files.paths[-1]), max(ends, default=0), None)
        return merged_files(touched_files(own), fold.workspace)

    def folder_of(self, key: str) -> str:
        """Return the session's folder, relative to the root."""
        return f"{SESSIONS}{os.sep}{key}"

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the session that a path belongs to."""
        match parts:
            case [sessions, key] if sessions == SESSIONS and session_id(key):
                return Touched(key, folder=True)
            case [sessions, key, file] if sessions == SESSIONS and session_id(key) and file in _READ:
                return Touched(key)
        return None

    def _folder(self, key: str) -> str:
        return f"{self.root.path}{os.sep}{SESSIONS}{os.sep}{key}"


def _events(path: str) -> Iterator[Event]:
    try:
        with open_growing(path, EVENTS_FILE, Position()) as growth:
            for block in growth.blocks():
                yield from EVENTS.decode(block, Damage())
    except (FileNotFoundError, Unreadable):
        return
