"""List the files of all sessions again and again, without listing folders that did not change."""

import os
from collections.abc import Iterator

from sidecar.history.stores.claude.layout import PROJECTS, SessionFile, agents_in, sessions_in
from sidecar.history.stores.sessions.folders import Folders
from sidecar.history.stores.sessions.kept_listings import KeptListings


class ProjectFiles:
    """The files of a root's sessions and subagents. Thread-safe."""

    def __init__(self, root: str, folders: Folders) -> None:
        self._root = root
        self._folders = folders
        self._listings = KeptListings(folders, self._list)

    def each(self) -> Iterator[SessionFile]:
        """Find all files; links and unreadable folders are skipped."""
        self._listings.start()
        for project in self._folders.entries(f"{self._root}{os.sep}{PROJECTS}"):
            if self._folders.is_folder(project):
                files, folders_of_agents = self._listings.of(project.path)
                yield from files
                for folder in folders_of_agents:
                    yield from agents_in(folder, self._folders)

    def _list(self, path: str) -> tuple[list[SessionFile], list[str]]:
        return sessions_in(path, self._folders)
