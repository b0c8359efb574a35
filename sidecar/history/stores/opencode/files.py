"""The sessions in JSON files of opencode or Kilo, the first and the second generation of storage."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import clean, decode_leniently, is_json
from sidecar.history.stored.problems import problem
from sidecar.history.stores.contract import SharedProblem
from sidecar.history.stores.opencode.content import (
    Content,
    Header,
    Json,
    Message,
    Part,
    member,
    ordered,
    text,
)
from sidecar.history.stores.opencode.file_marks import JSON, FileHead, FileMarks, Layout, json_names
from sidecar.history.stores.sessions.folders import Folders
from sidecar.history.stores.sessions.saving import read_settled
from sidecar.history.stores.sessions.times import time_ms

_NS_PER_MS: Final = 1_000_000
_TIMER_NS: Final = 50_000_000
"""More than the step of the clock that stamps folders."""
_decode: Final = msgspec.json.Decoder().decode


def layouts(root: str, folders: Folders) -> Iterator[Layout]:
    """Yield the layouts that a root may have, newest generation first."""
    storage = f"{root}{os.sep}storage{os.sep}"
    for project in _subfolders(f"{storage}session", folders):
        yield Layout(project, f"{storage}message", f"{storage}part", by_session=False)
    for project in _subfolders(f"{root}{os.sep}project", folders):
        base = f"{project}{os.sep}storage{os.sep}session{os.sep}"
        yield Layout(f"{base}info", f"{base}message", f"{base}part", by_session=True)


class FileSource:
    """The session files of a root. No method raises."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folders = Folders()
        self._marks = FileMarks(self._folders)
        self._version: tuple[float, tuple[tuple[str, int], ...] | None] = 0.0, None
        """When the folders were compared last, by the monotonic clock, and the result."""

    def unlisted(self) -> Sequence[SharedProblem]:
        """Return the folders that could not be listed."""
        return self._folders.unlistable()

    def is_incomplete(self) -> bool:
        """Return whether the last listing missed a folder."""
        return bool(self._folders.missed())

    def heads(self) -> Mapping[str, list[FileHead]]:
        """Return the files of each session, newest generation first."""
        found: dict[str, list[FileHead]] = {}
        for layout in layouts(self._root, self._folders):
            for name in json_names(layout.sessions, self._folders):
                found.setdefault(name.removesuffix(JSON), []).append(
                    FileHead(f"{layout.sessions}{os.sep}{name}", layout)
                )
        return found

    def version(self, seconds: float = 0.0) -> tuple[tuple[str, int], ...] | None:
        """Return what changes when sessions are added or removed; None if one may just have been.

        Times of folders have the precision of the system's timer. The answer may be `seconds` old.
        """
        at, known = self._version
        if known is not None and time.monotonic() < at + seconds:
            return known
        folders = [f"{self._root}{os.sep}storage{os.sep}session", f"{self._root}{os.sep}project"]
        folders += [layout.sessions for layout in layouts(self._root, self._folders)]
        found = tuple((folder, _changed(folder)) for folder in folders)
        newest = max(at for _, at in found)
        current = found if time.time_ns() - newest > _TIMER_NS else None
        self._version = time.monotonic(), current
        return current

    def fingerprint(self, key: str, heads: Sequence[FileHead]) -> int:
        """Condense the stamps of all files of a session, or return what was condensed if no file is new."""
        return self._marks.fingerprint(key, heads)

    def content(self, key: str, head: FileHead) -> Content | None:
        """Read a session from its files; None if its own file does not exist."""
        reader = _Reader()
        data = reader.object(head.path)
        if data is None and not reader.problems:
            return None
        folder = f"{head.layout.messages}{os.sep}{key}"
        messages = []
        for name in json_names(folder, self._folders):
            value = reader.object(f"{folder}{os.sep}{name}")
            message_id = name.removesuffix(JSON)
            parts = head.layout.parts_of(key, message_id)
            read = (
                (part, reader.object(f"{parts}{os.sep}{part}")) for part in json_names(parts, self._folders)
            )
            found = [Part(part, held) for part, held in read if held is not None]
            messages.append(Message(message_id, value or {}, found))
        return Content(
            _header(key, data or {}),
            ordered(messages),
            reader.size,
            Path(head.path).name,
            head.path,
            reader.touched,
            problems=reader.problems[:_SHOWN],
            is_half_written=reader.is_half_written,
        )


_SHOWN: Final = 20
"""The most problems of one session."""


class _Reader:
    """Reads the files of one session, and adds up their size and problems."""

    def __init__(self) -> None:
        self.size = 0
        self.touched = 0
        self.problems: list[Problem] = []
        self.is_half_written = False

    def object(self, path: str) -> Json | None:
        """Return the JSON object in a file; None if there is none."""
        name = path.rpartition(os.sep)[2]
        file = read_settled(path, name, is_json)
        self.problems += file.problems
        self.is_half_written = self.is_half_written or file.is_half_written
        if file.stamp is not None:
            self.touched = max(self.touched, file.stamp[0] // _NS_PER_MS)
        if file.data is None:
            return None
        self.size += len(file.data)
        data, problems = clean(file.data, name)
        self.problems += problems
        value = decode_leniently(_decode, data)
        if value is None:
            code = "malformed" if data.strip() else "empty"
            self.problems.append(problem(code, f"{name} holds no JSON object"))
            return None
        return value if isinstance(value, dict) else None


def _header(key: str, data: Json) -> Header:
    times = member(data, "time")
    return Header(
        id=key,
        parent=text(data, "parentID"),
        directory=text(data, "directory"),
        title=text(data, "title"),
        version=text(data, "version"),
        created=time_ms(times.get("created")),
        updated=time_ms(times.get("updated")),
    )


def _subfolders(path: str, folders: Folders) -> list[str]:
    return sorted(entry.path for entry in folders.entries(path) if folders.is_folder(entry))


def _changed(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0
