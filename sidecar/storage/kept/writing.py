"""Make and remove kept copies. Only for the owner of the root, in one thread at a time.

A line of the list names the files of a copy before they exist under these names, and the former copy of its
session counts until all of them do. So a file is removed only if each line that names it was replaced, and
never if no line names it: then lines were lost, and it may be the only copy. A damaged line may be one of any
session, but a later copy of a session replaces it too.
"""

import contextlib
import errno
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Final

from sidecar.storage.atomic import is_temp, sync_directory
from sidecar.storage.kept import list_file
from sidecar.storage.kept.blob_names import is_blob
from sidecar.storage.kept.blobs import is_sound
from sidecar.storage.kept.copies import Copies, unnamed_blobs
from sidecar.storage.kept.counted import Counted
from sidecar.storage.kept.drafts import Draft, NoRoom, draft_blob
from sidecar.storage.kept.lost_content import is_cut, is_replaced, with_lost_files
from sidecar.storage.kept.records import KeptFile, KeptSession, Listed, head_line, parse_list, session_line
from sidecar.storage.kept.regular import read_regular
from sidecar.storage.layout import make_private_dirs

_log = logging.getLogger(__name__)

_OUTDATED: Final = 64
"""How many outdated lines a list may have in addition to as many as count."""
_NO_COPY: Final = KeptSession(())
_FORMER: Final = "list.size"
"""A file by which older versions notice lost lines."""


class CopyWriter(Copies):
    """Write the copies of one root; `is_stopped` is called often, and ends a copy in progress."""

    def __init__(self, folder: str, is_stopped: Callable[[], bool] = lambda: False) -> None:
        super().__init__(folder)
        self.grown = 0
        """How many bytes more than at first the copies use."""
        self._is_stopped = is_stopped
        self._known: tuple[Listed, Counted] | None = None

    def add(self, root: str, product: str, key: str, paths: Sequence[str], room: int) -> int:
        """Copy the files of a session and list it; return how many bytes more than before that takes.

        The former copy makes room for the next one, except for files that other sessions share, or whose
        originals are gone or lost their content. Raises NoRoom beyond `room` bytes, Stopped, and OSError if a
        file cannot be copied, or if there is nothing to copy; then the former copy stays.
        """
        if not paths:
            raise FileNotFoundError(errno.ENOENT, "its files are gone", self.folder)
        make_private_dirs(Path(self.blobs))
        listed, counted = self._known = self._known or self._read()
        before, room = self.grown, max(room, 0)
        former = {name: self._size_of(name) for name in counted.named_by(key)}
        with ExitStack() as stack:
            whole = counted.whole.get(key, _NO_COPY)
            session, drafts = self._drafted(root, paths, room + sum(former.values()), whole, stack)
            session = with_lost_files(session, whole, root, paths)
            gone = counted.own(key) - session.blobs - listed.doubtful(key)
            grown = {name: draft.packed - self._size_of(name) for name, draft in drafts.items()}
            if sum(grown.values()) - sum(former[name] for name in gone) > room:
                raise NoRoom
            head = b"" if listed.root else head_line(root, product)
            list_file.append(Path(self.list), head + session_line(key, session, root, product))
            self._known = listed._replace(root=root, product=product), counted
            counted.begin(key, session)
            for name, draft in drafts.items():
                draft.temp.replace(self._path(name))
                self.grown += grown[name]
        sync_directory(Path(self.blobs))
        counted.replace(key, session)
        self._touch()
        self.grown -= sum(former[name] for name in self._unlink(gone))
        return self.grown - before

    def remove(self, keys: Sequence[str], touched: Mapping[str, int] = MappingProxyType({})) -> bool:
        """Remove the copies of sessions in this order, also incomplete ones; return whether there were any.

        `touched` says when a session changed last, in ns. Raises OSError if some stay.
        """
        self._known = None
        listed, counted = self._read()
        gone = {key: copy for key in keys if (copy := counted.latest(key)) is not None}
        names: set[str] = set()
        try:
            for key, session in gone.items():
                deleted = _deleted(session, listed.root, touched.get(key, 0))
                list_file.append(Path(self.list), session_line(key, deleted, listed.root, listed.product))
                counted.replace(key, deleted)
                # Although lines were lost: the user wants the content to be gone.
                names |= counted.own(key) - listed.doubtful(key)
        finally:
            self._unlink(names)
        if gone:
            self.sweep()
        left = [path for path in map(self._path, names) if os.path.lexists(path)]
        if left:
            raise OSError(errno.EBUSY, "copied content could not be removed", min(left))
        return bool(gone)

    def entries(self) -> list["os.DirEntry[str]"]:
        """List the copied files. Raises OSError: what is not seen would count as lost."""
        try:
            with os.scandir(self.blobs) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def sweep(self) -> Counted:
        """Remove what no session uses, and shorten a list with many outdated lines; return what counts.

        Raises OSError. If lines were lost, they may have named any file: only unfinished files are removed.
        """
        self._remove_unfinished()
        listed, counted = self._known = self._read()
        there, used = {entry.name for entry in self.entries()}, counted.used()
        if unnamed_blobs(listed, there):
            _log.warning("%s is damaged or lost lines; no copy is removed", self.list)
            return counted
        Path(self.folder, _FORMER).unlink(missing_ok=True)
        gone = there & (_replaced(listed, counted) if listed.damaged else listed.named) - used
        gone = {*self._unlink(gone)}
        is_long = len(listed.lines) > 2 * sum(map(len, counted.lines.values())) + _OUTDATED
        # Nothing is lost with damaged or outdated lines if the others use all that there is.
        is_enough = used.issuperset(name for name in there - gone if is_blob(name))
        if listed.root and (listed.damaged or is_long) and is_enough:
            self._shorten(listed, counted)
        return counted

    def _shorten(self, listed: Listed, counted: Counted) -> None:
        """Replace the list by one with the lines that count."""
        sync_directory(Path(self.blobs))  # a file that returns after a power cut would have no name
        lines = [(key, session) for key, each in counted.lines.items() for session in each]
        list_file.rewrite(Path(self.list), listed.root, listed.product, lines)
        self._known = listed._replace(damaged=()), counted

    def _drafted(
        self, root: str, paths: Sequence[str], most: int, whole: KeptSession, stack: ExitStack
    ) -> tuple[KeptSession, dict[str, Draft]]:
        """Copy files; return their session, and the drafts of copies that do not exist, by name.

        A file that lost content is left out if a copy has it. Raises OSError if nothing else changed.
        """
        files: list[KeptFile] = []
        drafts: dict[str, Draft] = {}
        lost: list[str] = []
        before = {file.path: file for file in whole.files}
        for path in paths:
            name = os.path.relpath(path, root).replace(os.sep, "/")
            if name in before and is_replaced(path):
                lost.append(path)
                continue
            draft = draft_blob(Path(self.blobs), path, most, self._is_stopped)
            stack.callback(draft.temp.unlink, missing_ok=True)
            if name in before and before[name].blob != draft.name and self._lacks(draft, before[name]):
                lost.append(path)
                continue
            if draft.name in drafts or is_sound(self._path(draft.name), self._is_stopped):
                draft.temp.unlink()
            else:
                drafts[draft.name] = draft
                most -= draft.packed
            files.append(KeptFile(name, draft.name, draft.size, draft.mtime_ns))
        if lost and not drafts and whole.blobs.issuperset(file.blob for file in files):
            raise OSError(errno.EIO, "it lost content that its copy has", lost[0])
        return KeptSession(tuple(files)), drafts

    def _lacks(self, draft: Draft, former: KeptFile) -> bool:
        """Return whether a file lost the content, or the end of the content, that its former copy has."""
        return draft.content.size <= former.size and is_cut(draft.content, self.blob(former))

    def _read(self) -> tuple[Listed, Counted]:
        """Return what is in the list, and what of it counts. Raises OSError if the list cannot be read."""
        data = read_regular(self.list) if self.version is not None else b""
        listed = parse_list(data)
        return listed, Counted(listed.lines, {entry.name for entry in self.entries()})

    def _touch(self) -> None:
        """Change the version of the list: who read it before its last copy was whole reads it again."""
        now = time.time_ns()
        with contextlib.suppress(OSError):
            os.utime(self.list, ns=(now, now))

    def _remove_unfinished(self) -> None:
        for folder in (self.folder, self.blobs):
            with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
                for entry in entries:
                    if is_temp(entry.name):
                        os.unlink(entry.path)  # noqa: PTH108

    def _unlink(self, names: Iterable[str]) -> list[str]:
        """Remove blobs; return those that could be removed. `sweep` tries the others again."""
        done = []
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(self._path(name))  # noqa: PTH108
                done.append(name)
        return done

    def _path(self, name: str) -> str:
        return f"{self.blobs}{os.sep}{name}"

    def _size_of(self, name: str) -> int:
        try:
            return os.lstat(self._path(name)).st_size
        except OSError:
            return 0


def _deleted(session: KeptSession, root: str, touched: int) -> KeptSession:
    """Mark a copy as deleted as of the present files, also those that came or changed since the copy."""
    times = ((file, _time_of(f"{root}{os.sep}{file.path}", file)) for file in session.files)
    files = (file._replace(mtime_ns=max(time_ns, touched)) for file, time_ns in times)
    return KeptSession(tuple(files), deleted=True)


def _time_of(path: str, file: KeptFile) -> int:
    try:
        return max(file.mtime_ns, os.lstat(path).st_mtime_ns)
    except OSError:
        return file.mtime_ns


def _replaced(listed: Listed, counted: Counted) -> set[str]:
    """Return what is outdated though lines are damaged: only lines before the session's last one named it."""
    named = {name for key in listed.recent for name in counted.named_by(key)}
    return named - listed.doubtful()
