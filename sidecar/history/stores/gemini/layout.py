"""The files of Gemini CLI's chats, and the session that each holds."""

import os
from collections.abc import Iterator
from typing import Final, NamedTuple

from sidecar.history.stored.parsing import is_json, text_of
from sidecar.history.stores.gemini.records import is_document, is_whole, parse_document
from sidecar.history.stores.sessions.folders import (
    HEAD_BYTES,
    PADDING,
    Folders,
    head_behind_padding,
    head_of,
)
from sidecar.history.stores.sessions.saving import is_recent, read_settled
from sidecar.history.stores.sessions.values import session_id
from sidecar.patterns import compiled

CHATS: Final = "chats"
TMP: Final = "tmp"
SUFFIXES: Final = (".json", ".jsonl")
_ID: Final = compiled(rb'"sessionId"\s*+:\s*+("(?:[^"\\]|\\.)*+")')
_MESSAGES: Final = compiled(rb'"messages"\s*+:')


class ChatPath(NamedTuple):
    """A chat file: the name of its project's folder, and of the folder between for a subagent's."""

    path: str
    project: str
    parent: str | None
    inode: int


def chat_paths(root: str, folders: Folders) -> Iterator[ChatPath]:
    """Find the chat files of a store, `tmp/<project>/chats/`; links are not followed."""
    for project in folders.subfolders(f"{root}{os.sep}{TMP}"):
        yield from _chats_in(folders, project.path + os.sep + CHATS, project.name)


def watched_folders(root: str, folders: Folders) -> list[str]:
    """Return the folders in which chats appear, relative to the root."""
    found = [TMP]
    for project in folders.subfolders(f"{root}{os.sep}{TMP}"):
        found += [os.path.join(TMP, project.name), os.path.join(TMP, project.name, CHATS)]  # noqa: PTH118
    return found


def _chats_in(folders: Folders, folder: str, project: str, parent: str | None = None) -> Iterator[ChatPath]:
    for entry in folders.entries_by_name(folder):
        if folders.is_folder(entry):
            if parent is None:
                yield from _chats_in(folders, entry.path, project, entry.name)
        elif entry.name.endswith(SUFFIXES):
            yield ChatPath(entry.path, project, parent, entry.inode())


class SessionIds:
    """Read the session's ID in the head of each chat file once. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}

    def of(self, chat: ChatPath) -> str | None:
        """Return the ID of the session that a file holds; None for an empty file.

        A subagent's file whose ID is its parent's is known by its name, like a file without an ID.
        """
        known = self._known.get(chat.path)
        if known is not None and known[0] == chat.inode:
            return known[1]
        stem = os.path.basename(chat.path).rpartition(".")[0]  # noqa: PTH119
        data = head_of(chat.path)
        if data == b"" and is_recent(chat.path):  # its writer may be replacing the content
            data = (read_settled(chat.path, stem, bool).data or b"")[:HEAD_BYTES]
        if data is None:
            return session_id(stem)
        if data and not data.strip(PADDING):
            data = head_behind_padding(chat.path)
            if not data:
                return session_id(stem)
        if not data:
            return None
        found = _id_in(data)
        is_final = True
        if found is None:
            whole = read_settled(chat.path, stem, _is_begun)
            is_final = whole.data is None or _is_begun(whole.data)
            if not is_final and is_recent(chat.path):
                return None  # the ID is in what is not written yet
            found = _id_in_whole(whole.data, stem)
        key = found if found is not None and found != chat.parent else session_id(stem)
        if key is not None and is_final:
            self._known[chat.path] = chat.inode, key
        return key

    def keep(self, paths: set[str]) -> None:
        """Forget files that are gone."""
        if len(self._known) > len(paths):
            self._known = {path: known for path, known in self._known.items() if path in paths}


def _is_begun(data: bytes) -> bool:
    """Return whether a document, or the first of some lines, is complete."""
    return is_whole(data) and (is_document(data) or b"\n" in data.lstrip() or is_json(data))


def _id_in(data: bytes) -> str | None:
    messages = _MESSAGES.search(data)
    found = _ID.search(data, 0, messages.start() if messages else len(data))
    return session_id(text_of(found[1])) if found else None


def _id_in_whole(data: bytes | None, name: str) -> str | None:
    """Find the ID in a document whose metadata comes last."""
    if not data or not is_document(data):
        return None
    return session_id(parse_document(data, name)[0].session_id)
