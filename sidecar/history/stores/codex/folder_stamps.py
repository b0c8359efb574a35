"""Notice new and removed sessions of Codex, which has a folder for each day."""

import os
from typing import Final

from sidecar.history.stored.reading import Stamp, stamp_of
from sidecar.history.stores.codex.layout import is_day, session_folders
from sidecar.history.stores.sessions.folders import Folders

_NEWEST: Final = 7
"""How many of the newest days are compared each time: new sessions are in the folder of the day."""
_TURNS: Final = 8
"""In how many turns the other days are compared, of which sessions are only removed."""


class FolderStamps:
    """The stamps of the folders of sessions, of which there is one for each day. Not thread-safe."""

    def __init__(self, root: str, folders: Folders) -> None:
        self._root = root
        self._folders = folders
        self._turn = 0
        self._known: dict[str, Stamp | None] = {}

    def refresh(self) -> tuple[tuple[str, Stamp | None], ...]:
        """Return the stamp of each folder: those of old days are at most `_TURNS` calls old."""
        self._turn = turn = (self._turn + 1) % _TURNS
        known = self._known
        above = {folder: self._stamp(folder) for folder in known if not is_day(folder)}
        if turn == 0 or not known or any(known[folder] != stamp for folder, stamp in above.items()):
            found = {each: known[each] if each in known else self._stamp(each) for each in self._listed()}
        else:
            found = {**known}
        days = sorted(filter(is_day, found))
        due = {*days[-_NEWEST:], *days[turn::_TURNS]}
        self._known = found | above | {folder: self._stamp(folder) for folder in due}
        return tuple(self._known.items())

    def _listed(self) -> list[str]:
        return session_folders(self._root, self._folders)

    def _stamp(self, folder: str) -> Stamp | None:
        return stamp_of(f"{self._root}{os.sep}{folder}")
