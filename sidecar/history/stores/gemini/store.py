"""A store of Gemini CLI: chats in the folders of projects, and several files for one session."""

import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import Product, Rules
from sidecar.changes.file_change import FileChange
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.contract import Evidence, Keys, Kind, Messages, Root, Touched
from sidecar.history.stores.gemini.chat import Chat
from sidecar.history.stores.gemini.facts import Fact, fact_of, usage_of
from sidecar.history.stores.gemini.growing import GrowingChats
from sidecar.history.stores.gemini.kept_chats import KeptChats
from sidecar.history.stores.gemini.layout import (
    CHATS,
    SUFFIXES,
    TMP,
    ChatPath,
    SessionIds,
    chat_paths,
    watched_folders,
)
from sidecar.history.stores.gemini.messages import stored_messages, touched_files
from sidecar.history.stores.gemini.projects import PROJECTS_FILE, ROOT_FILE, Projects
from sidecar.history.stores.gemini.records import Message, is_whole
from sidecar.history.stores.gemini.session import merged, ordered, session_of
from sidecar.history.stores.index_row import IndexRow, ReadRows
from sidecar.history.stores.sessions.file_store import FileSessionStore, SessionFiles
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.messages import MessageList
from sidecar.history.stores.sessions.saving import read_document, read_settled
from sidecar.history.stores.sessions.session import Session
from sidecar.storage.kept.blob_names import is_blob

T = TypeVar("T")
SUBAGENT: Final = "subagent"
"""The kind of a chat that a subagent wrote."""
_HAS_EMPTY: Final = b"empty"
_MAX_LINES: Final = 96 << 20
"""The largest chat of lines whose messages are shown, in bytes."""


class GeminiStore(FileSessionStore):
    """The sessions below one root; a session is in all files with its ID."""

    has_children = True
    below: ClassVar[Mapping[str, int]] = {TMP: 5}

    def __init__(self, root: Root, product: Product = "gemini") -> None:
        super().__init__(root)
        self.product = product
        self._ids = SessionIds()
        self._projects = Projects(root.path)
        self._kept = KeptChats(root.copies)
        self._growing = GrowingChats()
        self._chats: dict[str, ChatPath] = {}
        self._parents: dict[str, str] = {}
        self._with_empty: set[str] = set()
        """The sessions of which a file holds no conversation; see `deletes_next`."""

    def find(self) -> Mapping[str, SessionFiles]:
        """Find the files of each session."""
        chats = self._kept.without_destroyed(chat_paths(self.root.path, self._folders), self._key_of)
        files: defaultdict[str, list[ChatPath]] = defaultdict(list)
        for chat in chats:
            if key := self._ids.of(chat):
                files[key].append(chat)
        lost = self._kept.lost({self._key_of(chat) for chat in chats})
        for key, copies in lost.items():
            files[key] += copies
            chats += copies
        self._projects.refresh({chat.project for chat in chats})
        self._chats = {chat.path: chat for chat in chats}
        self._ids.keep({*self._chats})
        self._parents = {key: found for key, its in files.items() if (found := _parent(its)) is not None}
        return {key: self._files(key, its, files) for key, its in files.items()}

    def evidence(self) -> Sequence[Evidence] | None:
        """Return the folder of the projects, and those of the kept copies."""
        return [*(super().evidence() or ()), *self._kept.copies.places()]

    def deletes_after(self) -> int | None:
        """Return the time after which Gemini CLI deletes a chat, as its settings state."""
        from sidecar.history.stores.gemini.retention import deletes_after

        return deletes_after(self.root.path)

    def deletes_next(self, row: IndexRow) -> bool:
        """Return whether a file of a session holds no conversation: Gemini CLI deletes the others with it.

        Version 0.61 leaves such a file behind when it resumes a chat in a later minute.
        """
        return row.links == _HAS_EMPTY

    def rows(self, keys: Keys, rules: Rules, now: int) -> ReadRows:
        """Read sessions; a row keeps whether one of its files holds no conversation."""
        found = super().rows(keys, rules, now)
        for key in found.keys() & self._with_empty:
            if (row := found[key]) is not None:
                row.links = _HAS_EMPTY
        return found

    def files(self, key: str) -> Sequence[str]:
        """Return the chats of a session that Gemini CLI may delete."""
        files = self._known().get(key, SessionFiles(()))
        return [path for path in files.paths if not is_blob(path)]

    def session(self, key: str, files: SessionFiles) -> Session | None:
        """Read one session from all of its files."""
        chats, size, is_half_written = [], 0, False
        for path in files.paths:
            if (grown := self._growing.read(path, self._name(path))) is not None:
                chats.append(grown[0])
                size += grown[1]
                continue
            file = self._read(path)
            is_half_written = is_half_written or file.is_half_written
            if not file.absent:
                chats.append(_chat(file, fact_of))
                size += file.stamp[1] if file.stamp is not None else 0
        if not chats:
            return None
        self._note_empty(key, files, chats)
        workspaces = {self._name(path): folder for path in files.paths if (folder := self._folder_of(path))}
        session = session_of(key, self.product, chats, workspaces, size, self._child_of(key, chats))
        session.is_half_written, session.kept = is_half_written, key in self._kept.sessions()
        return session if session.message_count or session.problems or is_half_written else None

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages of a session, each once. Raises StorageError naming the path."""
        files = self._known().get(key, SessionFiles(()))
        yield MessageList(stored_messages(self._whole_messages(files)))

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that the session's tools touched."""
        files = self._known().get(key)
        if files is None:
            return []
        workspace = next(filter(None, map(self._folder_of, files.paths)), None)
        return merged_files(touched_files(self._whole_messages(files, strict=False)), workspace)

    @property
    def shared_folders(self) -> Sequence[str]:  # type: ignore[override]
        """Return the folders in which chats appear."""
        return watched_folders(self.root.path, self._folders)

    def folder_of(self, key: str) -> str | None:
        """Return the folder of a subagent's chat, which is not watched otherwise."""
        files = self._known().get(key)
        chat = self._chats.get(files.paths[-1]) if files is not None else None
        if chat is None or chat.parent is None or is_blob(chat.path):
            return None
        return os.path.join(TMP, chat.project, CHATS, chat.parent)  # noqa: PTH118

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the session whose chat a path is; the lists of projects are shared."""
        match parts:
            case [name] if name == PROJECTS_FILE:
                return Touched(None)
            case [tmp, _, name] if tmp == TMP and name == ROOT_FILE:
                return Touched(None)
            case [tmp, _, chats, *_, name] if tmp == TMP and chats == CHATS and name.endswith(SUFFIXES):
                return self._touched_chat(str(Path(self.root.path, *parts)), parts)
        return None

    def _files(self, key: str, chats: Sequence[ChatPath], found: Mapping[str, object]) -> SessionFiles:
        """Return a session's files; its row also shows the project's folder and depends on the parent."""
        shown = [self._projects.folder_of(chat.project) or "" for chat in chats]
        shown += [chat.parent for chat in chats if chat.parent is not None and chat.parent in found]
        salt = zlib.crc32("\0".join(shown).encode("utf-8", "surrogatepass"))
        salt += key in self._kept.sessions()  # which the row shows too
        return SessionFiles(tuple(chat.path for chat in chats), salt)

    def _note_empty(self, key: str, files: SessionFiles, chats: Sequence[Chat[Fact]]) -> None:
        """Note whether a file without a conversation is in the same folder as one with it."""
        names = {self._name(path) for path in files.paths if not is_blob(path)}
        folders: dict[bool, set[str]] = {True: set(), False: set()}
        for chat in chats:
            if chat.name in names:
                is_empty = not any(fact.counts for fact in chat.messages.values())
                folders[is_empty].add(chat.name.rpartition("/")[0])
        if folders[True] & folders[False]:
            self._with_empty.add(key)
        else:
            self._with_empty.discard(key)

    def _child_of(self, key: str, chats: Sequence[Chat[Fact]]) -> str | None:
        """Return the parent of a subagent's session, "" if it is not known; None for other sessions."""
        parent = self._parents.get(key)
        if parent is None and all(chat.metadata.get("kind") != SUBAGENT for chat in chats):
            return None
        return parent if parent in self._known() and parent != key else ""

    def _whole_messages(self, files: SessionFiles, *, strict: bool = True) -> Iterator[Message]:
        chats = []
        for path in files.paths:
            is_document = self._name(path).endswith(".json")
            file = self._read(path, read_document if is_document else _read_lines)
            if strict and file.data is None and file.problems:
                reason = file.problems[0].message
                raise StorageError(f"{path}: {reason}", path=path, reason=reason)
            chats.append(_chat(file, _itself))
        return iter(merged(ordered(chats), _output).values())

    def _touched_chat(self, path: str, parts: Sequence[str]) -> Touched | None:
        try:
            inode = os.lstat(path).st_ino
        except OSError:
            known = next((key for key, files in self._known().items() if path in files.paths), None)
            return Touched(known) if known is not None else None
        parent = parts[3] if len(parts) > 4 else None
        key = self._ids.of(ChatPath(path, parts[1], parent, inode))
        return Touched(key) if key is not None else None

    def _read(self, path: str, read: Callable[[str, str], StoredFile] = read_document) -> StoredFile:
        return read_settled(path, self._name(path), is_whole, read)

    def _name(self, path: str) -> str:
        """Return a file's path below the folder of all projects, with slashes."""
        return self._kept.names.get(path) or path[len(self.root.path) + len(TMP) + 2 :].replace(os.sep, "/")

    def _key_of(self, chat: ChatPath) -> str:
        """Return a chat's path below the root, with slashes."""
        return f"{TMP}/{self._name(chat.path)}"

    def _folder_of(self, path: str) -> str | None:
        chat = self._chats.get(path)
        return self._projects.folder_of(chat.project) if chat is not None else None


def _read_lines(path: str, name: str) -> StoredFile:
    return read_file(path, name, _MAX_LINES)


def _chat(file: StoredFile, keep: Callable[[Message], T]) -> Chat[T]:
    chat = Chat(file.name, keep)
    chat.problems += file.problems
    chat.read(file.data or b"")
    return chat


def _itself(message: Message) -> Message:
    return message


def _output(message: Message) -> int:
    used = usage_of(message.tokens)
    return used.output or 0 if used is not None else -1


def _parent(chats: Sequence[ChatPath]) -> str | None:
    return next((chat.parent for chat in chats if chat.parent is not None), None)
