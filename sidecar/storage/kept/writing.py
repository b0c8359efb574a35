"""Make and remove kept copies. Only for the owner of the root, in one thread at a time.

A session is listed once all of its files are copied and durable, so a kill leaves at most files that nothing
refers to, which `sweep` removes.
"""

import contextlib
import errno
import logging
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final, NamedTuple

from sidecar.storage.atomic import is_temp, sync_directory, write_atomic
from sidecar.storage.kept.blobs import Room, write_blob
from sidecar.storage.kept.copies import Copies
from sidecar.storage.kept.list_size import LOST, record_size, recorded_size
from sidecar.storage.kept.records import KeptFile, KeptSession, head_line, parse_list, session_line
from sidecar.storage.layout import FILE_MODE, make_private_dirs

_log = logging.getLogger(__name__)

_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
_READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not hold the reader
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_OUTDATED: Final = 64
"""How many outdated lines a list may have in addition to as many as it has sessions."""


class NoRoom(Exception):
    """The copy would exceed the limit."""


class Former(NamedTuple):
    """The former copy of a session: its blobs by path, their sizes, and those that no other session uses."""

    blobs: Mapping[str, str]
    sizes: Mapping[str, int]
    own: AbstractSet[str]


class CopyWriter(Copies):
    """Write the copies of one root; `is_stopped` is called often, and ends a copy in progress."""

    def __init__(self, folder: str, is_stopped: Callable[[], bool] = lambda: False) -> None:
        super().__init__(folder)
        self.grown = 0
        """How many bytes more than at first the copies use."""
        self._is_stopped = is_stopped
        self._known: dict[str, KeptSession] | None = None
        self._users: Counter[str] | None = None
        """How many sessions use a blob, once that is needed."""
        self._is_checked = False

    def add(self, root: str, product: str, key: str, paths: Sequence[str], room: int) -> int:
        """Copy the files of a session and list it; return how many bytes more than before that takes.

        The former copy makes room for the next one, except for files that other sessions share. Raises NoRoom
        beyond `room` bytes, Stopped, and OSError if a file cannot be copied; then nothing is listed.
        """
        blobs = Path(self.blobs)
        make_private_dirs(blobs)
        if not self._is_checked:
            self._check()
        former, before = self._former(key), self.grown
        made: list[str] = []
        try:
            session, grown = self._copied(root, paths, former, max(room, 0), made)
            gone = former.own - _blobs(session)
            freed = sum(former.sizes[name] for name in gone)
            if grown - freed > max(room, 0):
                raise NoRoom
            sync_directory(blobs)
        except BaseException:
            self._unlink(made)
            raise
        self.grown += sum(
            _size(f"{self.blobs}{os.sep}{name}") for name in made
        )  # even if they are not listed
        self._append(root, product, key, session)
        self._note(key, session)
        self.grown -= sum(former.sizes[name] for name in self._unlink(gone))
        return self.grown - before

    def _copied(
        self, root: str, paths: Sequence[str], former: Former, room: int, made: list[str]
    ) -> tuple[KeptSession, int]:
        """Copy files; return their session and how many bytes that takes. `made` gets the new blobs."""
        blobs = Path(self.blobs)
        files: list[KeptFile] = []
        grown, unused = 0, {*former.own}
        for path in paths:
            name = os.path.relpath(path, root).replace(os.sep, "/")
            before = former.blobs.get(name, "")
            size = former.sizes.get(before, 0)
            freed = size if before in unused else 0
            source = os.open(path, _READ)
            try:
                blob = write_blob(blobs, source, Room(max(room - grown, 0), size, freed), self._is_stopped)
            finally:
                os.close(source)
            if blob is None:
                raise NoRoom
            if blob.is_new:
                made.append(blob.name)
                unused.discard(before)
                room += freed
            else:
                self.grown += blob.grown
            grown += blob.grown
            files.append(KeptFile(name, blob.name, blob.size, blob.mtime_ns))
        return KeptSession(tuple(files)), grown

    def _former(self, key: str) -> Former:
        """Return the former copy of a session. Nothing is known to be its own if the list lost lines."""
        if self._known is None:
            self._known = {name: each for name, each in self.listed().sessions.items() if not each.deleted}
            self._is_certain = not (self.listed().damaged or recorded_size(self.folder) == LOST)
        session = self._known.get(key)
        if session is None:
            return Former({}, {}, frozenset())
        if self._users is None:
            self._users = Counter(name for each in self._known.values() for name in _blobs(each))
        names = _blobs(session)
        own = {name for name in names if self._is_certain and self._users[name] == 1}
        sizes = {name: _size(f"{self.blobs}{os.sep}{name}") for name in names}
        return Former({file.path: file.blob for file in session.files}, sizes, own)

    def _note(self, key: str, session: KeptSession) -> None:
        """Note that a session has another copy now."""
        assert self._known is not None
        before = self._known.get(key)
        self._known[key] = session
        if self._users is not None:
            self._users.subtract(_blobs(before) if before is not None else ())
            self._users.update(_blobs(session))

    def _unlink(self, names: Iterable[str]) -> list[str]:
        """Remove blobs; return those that could be removed. `sweep` tries the others again."""
        done = []
        for name in names:
            with contextlib.suppress(OSError):
                Path(self.blobs, name).unlink()
                done.append(name)
        return done

    def remove(self, keys: Collection[str]) -> bool:
        """Remove the copies of sessions; return whether there were any. Raises OSError."""
        listed, there = self.listed(), self.sessions()
        gone = {key: there[key] for key in keys if key in there}
        self._known = self._users = None
        self._check()
        for key, session in gone.items():
            self._append(listed.root, listed.product, key, session._replace(deleted=True))
        if gone:
            self.sweep()
            # Although the list lost lines: the user wants the content to be gone.
            self._unlink({name for session in gone.values() for name in _blobs(session)} - self.used())
        return bool(gone)

    def _check(self) -> bool:
        """Record whether the list lost lines, which later ones would hide; return that."""
        self._is_checked = True
        recorded = recorded_size(self.folder)
        is_lost = self.loss() is not None
        if is_lost and recorded != LOST:
            record_size(self.folder, LOST)
        elif not is_lost and recorded == LOST and self.version is not None:
            record_size(self.folder, self._look().size)  # everything is named again
        elif recorded is None and self.version is None and Path(self.blobs).is_dir():
            record_size(self.folder, 0)  # a list that was never written is not missing
        return is_lost

    def sweep(self) -> None:
        """Remove the files that no session refers to, and shorten a list with many outdated lines.

        Raises OSError. If the list or one of its lines cannot be read, or it lost lines, every file may be
        the only copy, and only unfinished ones are removed.
        """
        listed = self.listed() if self.version is None else parse_list(Path(self.list).read_bytes())
        if self._check() or listed.damaged or (self.version is not None and not listed.lines):
            _log.warning(
                "%s is damaged or lost lines; copies that it does not name are not removed", self.list
            )
            self._remove_entries(is_temp)
            return
        if listed.lines > 2 * len(listed.sessions) + _OUTDATED:
            lines = [session_line(key, session) for key, session in listed.sessions.items()]
            data = b"".join((head_line(listed.root, listed.product), *lines))
            record_size(self.folder, len(data))
            write_atomic(Path(self.list), data, durable=True)
        used = self.used()
        self._remove_entries(lambda name: name not in used)

    def _remove_entries(self, is_unused: Callable[[str], bool]) -> None:
        for entry in self.entries():
            if is_unused(entry.name):
                os.unlink(entry.path)  # noqa: PTH108

    def _append(self, root: str, product: str, key: str, session: KeptSession) -> None:
        is_first = self.version is None
        descriptor = os.open(self.list, _APPEND, FILE_MODE)
        try:
            size = os.fstat(descriptor).st_size
            is_cut = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            if is_cut and (torn := _torn(Path(self.list).read_bytes())):
                size, is_cut = size - torn, False
                os.ftruncate(descriptor, size)
            head = head_line(root, product) if is_first or not size else b"\n" * is_cut
            line = head + session_line(key, session)
            if os.write(descriptor, line) < len(line):
                os.ftruncate(descriptor, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(descriptor)
            recorded = recorded_size(self.folder)
            if recorded is not None and size < recorded:
                record_size(self.folder, LOST)  # the list was replaced by a shorter one
            elif recorded != LOST:
                with contextlib.suppress(OSError):  # a smaller size is right, too, and the disk may be full
                    record_size(self.folder, size + len(line))
        finally:
            os.close(descriptor)
        if is_first:
            sync_directory(Path(self.folder))


def _blobs(session: KeptSession) -> set[str]:
    return {file.blob for file in session.files}


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _torn(data: bytes) -> int:
    """Return the size of a last line that was not written to its end, which lists nothing."""
    last = data[data.rfind(b"\n") + 1 :]
    return len(last) if parse_list(last).damaged else 0
