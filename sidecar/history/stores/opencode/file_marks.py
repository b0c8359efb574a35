"""Notice changes of sessions in files: opencode and Kilo write one for each message and each part."""

import os
import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sidecar.history.stored.reading import stamp_from
from sidecar.history.stores.index_row import condense
from sidecar.history.stores.sessions.folders import Folders

JSON: Final = ".json"
_QUIET_NS: Final = 600_000_000_000
"""After how long without a write only those files are compared that the next write of opencode changes."""
_TRUSTED_SECONDS: Final = 600
"""How long all others of a quiet session are taken as unchanged; another program may have edited them."""

_Stamps = list[tuple[int, ...]]


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
    """The fingerprint of a quiet session: `recent` are the stamps of the files that are written next."""

    heads: Sequence[FileHead]
    last: Sequence[str]
    """The last message in the folders of each head; empty without one."""
    recent: _Stamps
    fingerprint: int
    until: float


class FileMarks:
    """The fingerprints of sessions. Thread-safe.

    A prompt or an answer writes the file of the session, or the last message and its parts, or adds a
    message, which changes the time of the folder. So a session that was not written for a while takes four
    stats instead of one for each message and part.
    """

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._known: dict[str, _Mark] = {}

    def fingerprint(self, key: str, heads: Sequence[FileHead]) -> int:
        """Condense the stamps of all files of a session, found now or within `_TRUSTED_SECONDS`."""
        known, now = self._known.pop(key, None), time.monotonic()
        if known is None or not _holds(known, key, heads, now):
            listed = [json_names(f"{head.layout.messages}{os.sep}{key}", self._folders) for head in heads]
            last = [names[-1] if names else "" for names in listed]
            recent = _recent(key, heads, last)
            stamps = tuple(
                stamp
                for head, names in zip(heads, listed, strict=True)
                for stamp in self._stamps(key, head, names)
            )
            until = now + _TRUSTED_SECONDS * (1 + hash(key) % 100 / 100)  # so that not all end at once
            known = _Mark(heads, last, recent, condense(stamps), until)
            newest = max((stamp[0] for stamp in stamps), default=0)
            if time.time_ns() - newest <= _QUIET_NS or self._folders.missed():
                return known.fingerprint
        self._known[key] = known
        return known.fingerprint

    def _stamps(self, key: str, head: FileHead, names: Sequence[str]) -> Iterator[tuple[int, ...]]:
        yield from _stamps(head.path)
        messages = f"{head.layout.messages}{os.sep}{key}"
        for name in names:
            yield from _stamps(f"{messages}{os.sep}{name}")
            parts = head.layout.parts_of(key, name.removesuffix(JSON))
            for part in json_names(parts, self._folders):
                yield from _stamps(f"{parts}{os.sep}{part}")


def json_names(folder: str, folders: Folders) -> list[str]:
    """List the JSON files of a folder by name unless it is a link."""
    return [entry.name for entry in folders.entries_by_name(folder) if entry.name.endswith(JSON)]


def _holds(known: _Mark, key: str, heads: Sequence[FileHead], now: float) -> bool:
    is_trusted = known.heads == heads and now < known.until
    return is_trusted and known.recent == _recent(key, heads, known.last)


def _recent(key: str, heads: Sequence[FileHead], last: Sequence[str]) -> _Stamps:
    """Return the stamps of what opencode changes when it continues a session."""
    found: _Stamps = []
    for head, name in zip(heads, last, strict=True):
        messages = f"{head.layout.messages}{os.sep}{key}"
        parts = head.layout.parts_of(key, name.removesuffix(JSON))
        for path in (head.path, messages, f"{messages}{os.sep}{name}", parts):
            found += _stamps(path)
    return found


def _stamps(path: str) -> _Stamps:
    try:
        return [stamp_from(os.lstat(path))]
    except OSError:
        return []
