"""The folders of the projects that Gemini CLI keeps chats for.

A chat does not name its folder. The name of the project's folder in the store is the SHA-256 of the path or,
since January 2026, a short name that `projects.json` lists and `.project_root` explains.
"""

import os
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from sidecar.history.stored.parsing import clean, decode_leniently, is_json
from sidecar.history.stored.reading import UNREAD, Stamp, StoredFile, read_file, stamp_of
from sidecar.history.stores.sessions.saving import is_recent, read_settled

PROJECTS_FILE: Final = "projects.json"
ROOT_FILE: Final = ".project_root"
_MAX_LIST_BYTES: Final = 4 * 1024 * 1024
_MAX_PATH_BYTES: Final = 32 * 1024


class Projects:
    """The folders of a store's projects, read again when a file changes. Not thread-safe."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._roots: dict[str, tuple[Stamp | None, str | None]] = {}
        self._stamp: Stamp | None = None
        self._listed: dict[str, str] = {}
        self._hashes: dict[str, str] = {}

    def refresh(self, names: Iterable[str]) -> None:
        """Read what changed; `names` are the projects' folders in the store."""
        names = [*names]
        path = f"{self._root}{os.sep}{PROJECTS_FILE}"
        stamp = stamp_of(path)
        if stamp != self._stamp:
            self._read_list(path, stamp)
        self._roots = {name: self._read_root(name) for name in names}
        paths = {*self._listed.values(), *(path for _, path in self._roots.values() if path)}
        if set(self._hashes.values()) != paths:
            self._hashes = {_hash(path): path for path in paths}

    def _read_list(self, path: str, stamp: Stamp | None) -> None:
        """Read the list of projects; keep the former list while the file is half written or unreadable."""
        file = read_settled(path, PROJECTS_FILE, is_json, _read_bounded)
        if _is_unreadable(file):
            return
        if file.data is None or is_json(file.data) or not is_recent(path):
            self._stamp, self._listed = stamp, _listed(file.data)

    def folder_of(self, name: str) -> str | None:
        """Return the path of a project's folder, None if it is not known."""
        own = self._roots.get(name, (None, None))[1]
        return own or self._listed.get(name) or self._hashes.get(name)

    def _read_root(self, name: str) -> tuple[Stamp | None, str | None]:
        path = f"{self._root}{os.sep}tmp{os.sep}{name}{os.sep}{ROOT_FILE}"
        stamp = stamp_of(path)
        known = self._roots.get(name)
        if known is not None and known[0] == stamp:
            return known
        file = read_file(path, ROOT_FILE, _MAX_PATH_BYTES) if stamp else StoredFile(ROOT_FILE)
        if _is_unreadable(file):
            return UNREAD, known[1] if known is not None else None
        return stamp, (file.data or b"").decode("utf-8", "replace").strip("\0\r\n") or None


def _is_unreadable(file: StoredFile) -> bool:
    return any(each.code == "unreadable" for each in file.problems)


def _hash(path: str) -> str:
    import hashlib  # only where a Gemini store is read

    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()


def _read_bounded(path: str, name: str) -> StoredFile:
    return read_file(path, name, _MAX_LIST_BYTES)


def _listed(data: bytes | None) -> dict[str, str]:
    """Return the paths of the listed projects by their short names."""
    value: Any = decode_leniently(msgspec.json.decode, clean(data, PROJECTS_FILE)[0]) if data else None
    projects = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {name: path for path, name in projects.items() if isinstance(name, str) and path}
