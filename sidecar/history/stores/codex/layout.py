"""Where Codex keeps its sessions below a root, and what a path there is.

`sessions/<year>/<month>/<day>/rollout-<local time>-<id>.jsonl`, in May 2025 without the folders and as one
JSON document; `archived_sessions/` holds those that the user archived. Old ones are compressed.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple

from sidecar.history.stores.sessions.folders import Folders
from sidecar.history.stores.sessions.kept_listings import KeptListings

SESSIONS: Final = "sessions"
ARCHIVED: Final = "archived_sessions"
NAMES: Final = "session_index.jsonl"
STATE: Final = re.compile(r"state_(\d+)\.sqlite")
COMPRESSED: Final = ".zst"
DOCUMENT: Final = ".json"
_ID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_FILE: Final = re.compile(rf"rollout-.*?({_ID})\.jsonl?(?:\.zst)?", re.IGNORECASE)
_KEY: Final = re.compile(_ID, re.IGNORECASE)
_DEEPEST: Final = 3
DEEPEST: Final = 1 + _DEEPEST
"""How many folders deep the files of sessions are."""


class SessionFile(NamedTuple):
    """One file of a session."""

    key: str
    path: str


def is_session(key: str) -> bool:
    """Return whether a key is the ID of a session."""
    return _KEY.fullmatch(key) is not None


def key_of(name: str) -> str | None:
    """Return the session whose file has this name; None for other files."""
    match = _FILE.fullmatch(name)
    return match[1].lower() if match else None


class Contents(NamedTuple):
    """The files of sessions in a folder, and the paths of its subfolders that may hold more."""

    files: Sequence[SessionFile]
    below: Sequence[str]


class SessionFileLists:
    """The files of all sessions by folder, without listing again those that did not change. Thread-safe."""

    def __init__(self, root: str, folders: Folders) -> None:
        self._root = root
        self._listings = KeptListings(folders, partial(_contents, folders=folders))

    def each(self) -> Iterator[Sequence[SessionFile]]:
        """Find the files of each folder, the same object as before if it did not change.

        Links and unreadable folders are skipped.
        """
        self._listings.start()
        for folder in (SESSIONS, ARCHIVED):
            yield from self._in(f"{self._root}{os.sep}{folder}", _DEEPEST)

    def _in(self, folder: str, levels: int) -> Iterator[Sequence[SessionFile]]:
        found = self._listings.of(folder)
        yield found.files
        for below in found.below if levels else ():
            yield from self._in(below, levels - 1)


def session_files(root: str, folders: Folders) -> Iterator[SessionFile]:
    """Find the files of all sessions; links and unreadable folders are skipped."""
    return chain.from_iterable(SessionFileLists(root, folders).each())


def session_folders(root: str, folders: Folders) -> list[str]:
    """Return the folders of sessions, relative to the root."""
    found: list[str] = []
    for folder in (SESSIONS, ARCHIVED):
        found += _below(root, folder, _DEEPEST, folders)
    return found


def is_day(folder: str) -> bool:
    """Return whether a folder that `session_folders` returned is one of a day."""
    return folder.count(os.sep) == _DEEPEST


def _contents(folder: str, folders: Folders) -> Contents:
    files: list[SessionFile] = []
    below: list[str] = []
    for entry in folders.entries(folder):
        if (key := key_of(entry.name)) is not None:
            if not entry.is_dir(follow_symlinks=False):
                files.append(SessionFile(key, entry.path))
        elif entry.name.isdigit() and folders.is_folder(entry):
            below.append(entry.path)
    return Contents(files, below)


def _below(root: str, folder: str, levels: int, folders: Folders) -> Iterator[str]:
    yield folder
    if levels:
        for entry in folders.entries(f"{root}{os.sep}{folder}"):
            if entry.name.isdigit() and entry.is_dir(follow_symlinks=False):
                yield from _below(root, f"{folder}{os.sep}{entry.name}", levels - 1, folders)
