"""A store of Qwen Code: one file of lines for each session, in the folders of projects."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Final

from sidecar.changes.file_change import FileChange
from sidecar.history.stored.parsing import text_of
from sidecar.history.stored.reading import stamp_of
from sidecar.history.stores.append_only.growing_file import Position, Unreadable, open_growing
from sidecar.history.stores.append_only.message_lines import MessagePlaces
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.contract import Kind, Messages, Root, Touched
from sidecar.history.stores.index_row import condense
from sidecar.history.stores.qwen.about import about_path, agent_of, model_of
from sidecar.history.stores.qwen.layout import (
    CHATS,
    PLACES,
    SUBAGENTS,
    SUFFIX,
    agent_paths,
    chat_paths,
)
from sidecar.history.stores.qwen.messages import render, stored_messages, touched_files
from sidecar.history.stores.qwen.records import RECORDS, ChatFold, Record
from sidecar.history.stores.qwen.session import session_of
from sidecar.history.stores.sessions.file_store import FileSessionStore, SessionFiles
from sidecar.history.stores.sessions.files import merged_files
from sidecar.history.stores.sessions.folders import (
    PADDING,
    head_behind_padding,
    head_of,
)
from sidecar.history.stores.sessions.folds import Folds
from sidecar.history.stores.sessions.messages import MessageList
from sidecar.history.stores.sessions.session import Session
from sidecar.history.stores.sessions.values import session_id
from sidecar.patterns import compiled

_ID: Final = compiled(rb'"sessionId"\s*+:\s*+("(?:[^"\\]|\\.)*+")')


class QwenStore(FileSessionStore):
    """The sessions below one root. A folder that was renamed may leave a copy of a session."""

    product = "qwen"
    below: ClassVar[Mapping[str, int]] = dict.fromkeys(PLACES, 4)
    has_children = True

    def __init__(self, root: Root) -> None:
        super().__init__(root)
        self._folds: Folds[Record, ChatFold] = Folds(RECORDS, ChatFold, ChatFold.take)
        self._places = MessagePlaces()
        self._keys: dict[str, tuple[int, str]] = {}
        self._parents: dict[str, str] = {}

    def find(self) -> Mapping[str, SessionFiles]:
        """Find the files of each session."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for entry in chat_paths(self.root.path, self._folders):
            if key := self._key_of(entry.path, entry.inode()):
                found[key].append(entry.path)
        parents: dict[str, str] = {}
        for session, entry in agent_paths(self.root.path, self._folders):
            if key := agent_of(entry.name):
                found[key].append(entry.path)
                parents[key] = session if session in found else ""
        self._parents = parents
        return {key: self._files(key, paths) for key, paths in found.items()}

    def _files(self, key: str, paths: Sequence[str]) -> SessionFiles:
        """Return a session's files; a subagent's row also depends on its parent and the file about it."""
        if key not in self._parents:
            return SessionFiles(tuple(paths))
        stamps = [stamp_of(about_path(path)) or () for path in paths]
        return SessionFiles(tuple(paths), condense(((bool(self._parents[key]),), *stamps)))

    def session(self, key: str, files: SessionFiles) -> Session | None:
        """Read what was appended to the session's files."""
        folded = (self._folds.read(path, self._name(path)) for path in files.paths)
        read = [each for each in folded if each is not None]
        problems = [problem for each in read for problem in each.problems]
        session = session_of(key, self._name(files.paths[-1]), [each.fold for each in read])
        session.size_bytes, session.problems = sum(each.size for each in read), problems
        if key in self._parents:
            self._complete_child(session, key, files)
        return session if session.message_count or problems else None

    def _complete_child(self, session: Session, key: str, files: SessionFiles) -> None:
        """Add what the records of a subagent do not say."""
        session.is_child, session.parent_id = True, self._parents[key] or None
        for path in files.paths:
            if session.model is None:
                session.model, problems = model_of(path, self._name(path))
                session.problems = [*session.problems, *problems]
                session.sources["model"] = f"model in {about_path(self._name(path))}"

    @contextmanager
    def open_messages(self, key: str, kind: Kind) -> Iterator[Messages]:
        """Open the messages; of a copied session each once. Raises StorageError naming the path."""
        files = self._known().get(key, SessionFiles(()))
        if len(files.paths) > 1:
            yield MessageList(stored_messages(_distinct(files.paths)))
            return
        with self._places.open(key, files.paths, lambda: render) as opened:
            yield opened

    def touched_files(self, key: str) -> list[FileChange]:
        """List the files that the session's tools touched."""
        files = self._known().get(key)
        if files is None:
            return []
        records = [*_distinct(files.paths)]
        workspace = next((each.cwd for each in records if isinstance(each.cwd, str)), None)
        return merged_files(touched_files(records), workspace)

    @property
    def shared_folders(self) -> Sequence[str]:  # type: ignore[override]
        """Return the folders in which chats appear."""
        found = []
        for place in PLACES:
            folders = self._folders.subfolders(f"{self.root.path}{os.sep}{place}")
            projects = [f"{place}{os.sep}{each.name}" for each in folders]
            found += [place, *projects, *(f"{project}{os.sep}{CHATS}" for project in projects)]
            for project in projects:
                below = f"{project}{os.sep}{SUBAGENTS}"
                sessions = self._folders.subfolders(f"{self.root.path}{os.sep}{below}")
                found += [below, *(f"{below}{os.sep}{each.name}" for each in sessions)]
        return found

    def touched(self, parts: Sequence[str]) -> Touched | None:
        """Return the session whose chat a path is."""
        match parts:
            case [place, _, chats, name] if place in PLACES and chats == CHATS and name.endswith(SUFFIX):
                path = str(Path(self.root.path, *parts))
                known = next((key for key, files in self._known().items() if path in files.paths), None)
                key = known or self._key_of(path, None)
                return Touched(key) if key else None
            case [place, _, folder, _, name] if place in PLACES and folder == SUBAGENTS:
                key = agent_of(name)
                return Touched(key) if key else None
        return None

    def _key_of(self, path: str, inode: int | None) -> str | None:
        """Return the ID of a file's session: its name, else the first ID in it; None for an empty file."""
        known = self._keys.get(path)
        if known is not None and known[0] == inode:
            return known[1]
        stem = session_id(Path(path).stem)
        head = head_of(path)
        if head is None:
            return stem
        if head and not head.strip(PADDING):
            head = head_behind_padding(path)
            if not head:
                return stem
        if not head:
            return None
        ids = [found for each in _ID.findall(head) if (found := session_id(text_of(each)))]
        key = stem if stem in ids or not ids else ids[0]
        if key is not None and inode is not None and ids:  # the first line may be half written
            self._keys[path] = inode, key
        return key

    def _name(self, path: str) -> str:
        """Return a file's path below the root, with slashes."""
        return path[len(self.root.path) + 1 :].replace(os.sep, "/")


def _distinct(paths: Sequence[str]) -> Iterator[Record]:
    """Yield the records of some files, each once."""
    seen: set[str] = set()
    for path in paths:
        try:
            with open_growing(path, path, Position()) as growth:
                for block in growth.blocks():
                    for record in RECORDS.decode(block, Damage()):
                        if not isinstance(record.uuid, str) or record.uuid not in seen:
                            seen.add(str(record.uuid))
                            yield record
        except (FileNotFoundError, Unreadable):
            continue
