"""Notice changes of sessions in files: opencode and Kilo write one for each message and each part."""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sidecar.history.stored.reading import Stamp, stamp_from
from sidecar.history.stores.index_row import condense
from sidecar.history.stores.sessions.folders import Folders

JSON: Final = ".json"
_QUIET_NS: Final = 600_000_000_000
"""After how long without a write only those files are compared that the next write of opencode changes."""
_TRUSTED_SECONDS: Final = 600
"""How long all others of a quiet session are taken as unchanged; another program may have edited them."""

_Stamps = list[Stamp]


class Layout(NamedTuple):
    """Where one generation keeps files: the folders of sessions, of messages and of parts.

    A message has a folder of parts; in the first generation that is in a folder of its session.
    """

    sessions: str
    messages: str
    parts: str
    by_session: bool

    def parts_of(self, session: str, message: str) -> str:
        """Return the folder of a message's parts."""
        folder = f"{self.parts}{os.sep}{session}" if self.by_session else self.parts
        return f"{folder}{os.sep}{message}"


class FileHead(NamedTuple):
    """A session's file, and where its messages are."""

    path: str
    layout: Layout


class _Mark(NamedTuple):
    """The fingerprint of a quiet session; `stamps` are those of the `paths` that are written next."""

    heads: Sequence[FileHead]
    paths: Sequence[str]
    stamps: _Stamps
    fingerprint: int
    until: float


class FileMarks:
    """The fingerprints of sessions. Thread-safe.

    A prompt or an answer writes the file of the session, or the last message and its parts, or adds a
    message, which changes the time of the folder. So a session that was not written for a while takes a few
    stats instead of one for each message and part.
    """

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._known: dict[str, _Mark] = {}

    def fingerprint(self, key: str, heads: Sequence[FileHead]) -> int:
        """Condense the stamps of all files of a session, found now or within `_TRUSTED_SECONDS`."""
        known, now = self._known.pop(key, None), time.monotonic()
        if known is None or not _holds(known, heads, now):
            listed = [self._files(key, head) for head in heads]
            paths = [path for files in listed for path in files.written_next()]
            before = _stamps(paths)
            stamps = _stamps([path for files in listed for path in files.all()])
            until = now + _TRUSTED_SECONDS * (1 + hash(key) % 100 / 100)  # so that not all end at once
            known = _Mark(heads, paths, before, condense(tuple(stamps)), until)
            # Of folders too: if one just changed, files may be missing in what was listed.
            newest = max((max(stamp[0], stamp[3]) for stamp in (*stamps, *before)), default=0)
            if time.time_ns() - newest <= _QUIET_NS or self._folders.missed():
                return known.fingerprint
        self._known[key] = known
        return known.fingerprint

    def _files(self, key: str, head: FileHead) -> "_Files":
        folder = f"{head.layout.messages}{os.sep}{key}"
        messages = {}
        for name in json_names(folder, self._folders):
            parts = head.layout.parts_of(key, name.removesuffix(JSON))
            names = json_names(parts, self._folders)
            messages[f"{folder}{os.sep}{name}"] = [parts, *(f"{parts}{os.sep}{part}" for part in names)]
        return _Files(head.path, folder, messages)


class _Files(NamedTuple):
    """The files of a session: its own, and for each message the folder of its parts and their files."""

    own: str
    folder: str
    messages: Mapping[str, Sequence[str]]

    def all(self) -> Iterator[str]:
        """Yield all files."""
        yield self.own
        for message, (_, *parts) in self.messages.items():
            yield message
            yield from parts

    def written_next(self) -> Iterator[str]:
        """Yield the files and folders of which opencode changes one when it continues the session."""
        yield from (self.own, self.folder)
        if self.messages:
            last = max(self.messages)
            yield from (last, *self.messages[last])


def json_names(folder: str, folders: Folders) -> list[str]:
    """List the JSON files of a folder by name unless it is a link."""
    return [entry.name for entry in folders.entries_by_name(folder) if entry.name.endswith(JSON)]


def _holds(known: _Mark, heads: Sequence[FileHead], now: float) -> bool:
    is_trusted = known.heads == heads and now < known.until
    return is_trusted and known.stamps == _stamps(known.paths)


def _stamps(paths: Iterable[str]) -> _Stamps:
    """Return the stamps of the files that exist."""
    found: _Stamps = []
    for path in paths:
        with contextlib.suppress(OSError):
            found.append(stamp_from(os.lstat(path)))
    return found
