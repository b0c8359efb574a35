"""List the files of all sessions again and again, without listing folders that did not change."""

import os
import time
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.stored.reading import UNREAD, Stamp, stamp_of
from sidecar.history.stores.claude.layout import PROJECTS, SessionFile, agents_in, sessions_in
from sidecar.history.stores.sessions.folders import Folders

_SETTLED_NS: Final = 3_000_000_000
"""How old the last change of a folder is if the time of the next one surely differs: FAT counts in 2 s."""
_TRUSTED_SECONDS: Final = 60.0
"""How long a listing is trusted, in case a file system does not note each change of a folder."""


class _Listing(NamedTuple):
    """What a folder held at a time of the monotonic clock; see `sessions_in`."""

    stamp: Stamp
    at: float
    files: list[SessionFile]
    agents: list[str]


class ProjectFiles:
    """The files of a root's sessions and subagents. Thread-safe."""

    def __init__(self, root: str, folders: Folders) -> None:
        self._root = root
        self._folders = folders
        self._listings: dict[str, _Listing] = {}

    def each(self) -> Iterator[SessionFile]:
        """Find all files; links and unreadable folders are skipped."""
        known, self._listings = self._listings, {}
        for project in self._folders.entries(f"{self._root}{os.sep}{PROJECTS}"):
            if self._folders.is_folder(project):
                listing = self._listing(project.path, known.get(project.path))
                yield from listing.files
                for folder in listing.agents:
                    yield from agents_in(folder, self._folders)

    def _listing(self, path: str, known: _Listing | None) -> _Listing:
        stamp, now = stamp_of(path) or UNREAD, time.monotonic()
        if known is None or known.stamp != stamp or now >= known.at + _TRUSTED_SECONDS:
            is_settled = time.time_ns() - max(stamp[0], stamp[3]) > _SETTLED_NS
            known = _Listing(stamp, now, *sessions_in(path, self._folders))
            if not (is_settled and self._folders.was_listed(path)):
                return known
        self._listings[path] = known
        return known
