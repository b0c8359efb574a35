"""Private copies of SQLite databases of other programs, with their write-ahead logs.

To read such a log in place, SQLite would create or change files next to it. A copy is a folder in the user's
cache that is named by the stamps of the originals, so that processes share it; it may be deleted at any time.
When a database changes, the copy of its file that no one reads is brought up to date; see `copied_file`.
"""

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

from sidecar.history.stored.reading import OPEN_FLAGS
from sidecar.history.stores.sessions.databases.copied_file import (
    Unsteady,
    begin_equally,
    copy_file,
    kept_as_it_is,
    remove_unread,
    sync_file,
    take_over,
)
from sidecar.history.stores.sessions.databases.super_journals import forget_super_journal
from sidecar.storage.layout import make_private_dirs
from sidecar.user_dirs import cache_dir

_LOG: Final = "-wal"
_JOURNAL: Final = "-journal"
SUFFIXES: Final = ("", _LOG, _JOURNAL)
"""The files that make up a database, besides those that only coordinate its users."""
NAME: Final = "copy.db"
_NEW: Final = "new-"
"""How the names of unfinished copies start."""
_BASE: Final = "base-"
"""How the names of folders start that hold a copy from which only the next one starts."""
_LEFT_SECONDS: Final = 3_600
"""The age of an unfinished copy whose process is gone."""
_HEADER: Final = 32
"""The size of a log's header, with two salts."""

FileStamp = tuple[int, int, int, int] | None
"""mtime_ns, size, inode and ctime_ns of a file; None if it does not exist."""
Stamps = tuple[FileStamp, ...]
"""The stamps of a database and of the files in `SUFFIXES`."""


def stamps_of(path: str) -> Stamps:
    """Stat the files of a database without following links. Raises OSError except for missing files."""
    return tuple(_stamp(path + suffix) for suffix in SUFFIXES)


def copies_folder() -> Path:
    """Return the folder of all copies."""
    return Path(cache_dir(), "databases")


@contextlib.contextmanager
def copy_of(path: str, stamps: Stamps) -> Iterator[Path]:
    """Provide a copy of a database as it was at `stamps`, or with transactions that its log has got since.

    It stays as it is until the context ends. Raises Unsteady if anything else changed meanwhile, OSError if
    it cannot be copied.
    """
    home = copies_folder() / _short(os.fsencode(path))
    if has_journal(stamps):
        make_private_dirs(home)
        with tempfile.TemporaryDirectory(prefix=_NEW, dir=home, ignore_cleanup_errors=True) as made:
            _copy(path, stamps, Path(made))
            _remove_others(home, Path(made))
            yield Path(made, NAME)
        return
    main = (stamps[0], _boot())  # copies that were not synced may lack their content after the machine stops
    folder = home / f"{_short(repr(main).encode())}-{_short(repr(stamps[1:]).encode())}"
    if not _is_usable(folder / NAME, path, stamps):
        make_private_dirs(home)
        _make(path, stamps, home, folder)
        _remove_others(home, folder)
    with kept_as_it_is(folder / NAME):
        if stamps_of(path)[0] != stamps[0]:  # another process may have updated the copy before
            raise Unsteady
        yield folder / NAME


def has_journal(stamps: Stamps) -> bool:
    """Return whether there is a journal, which SQLite plays back: each reader needs a copy of its own."""
    return stamps[2] is not None and stamps[2][1] > 0


def inode_of_log(copy: Path, stamps: Stamps) -> int | None:
    """Stat the log of a copy, without which SQLite reads older content. Raises Unsteady if it is gone."""
    main, wanted, _ = stamps
    if main is not None and not main[1]:  # SQLite removes the log of an empty database
        return None
    found = _stamp(f"{copy}{_LOG}")
    if wanted is not None and wanted[1] and (found is None or found[1] < wanted[1]):
        raise Unsteady
    return found and found[2]


def distrust(copy: Path) -> bool:
    """Have a copy that seems to be damaged made again, starting from its file; return whether it will be."""
    try:
        copy.parent.rename(copy.parent.with_name(f"{_BASE}{time.time_ns()}-{copy.parent.name}"))
    except OSError:
        return False
    return True


def _is_usable(copy: Path, path: str, stamps: Stamps) -> bool:
    """Return whether a copy holds what its originals hold, judged by its size and by its whole log.

    Anybody may have deleted or damaged files in the user's cache.
    """
    log = stamps[1]
    try:
        return _has_size(copy, stamps) and (
            log is None or begin_equally(f"{copy}{_LOG}", f"{path}{_LOG}", log[1])
        )
    except OSError:
        return False


def _has_size(copy: Path, stamps: Stamps) -> bool:
    """Return whether the file of a copy is regular and as long as its original. Raises OSError."""
    status, main = copy.lstat(), stamps[0]
    return stat.S_ISREG(status.st_mode) and (main is None or status.st_size == main[1])


@cache
def _boot() -> str:
    """Return what differs after each start of the machine; empty where that is not known.

    After a power cut, files that were not synced may lack their content.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _make(path: str, stamps: Stamps, home: Path, folder: Path) -> None:
    made = Path(tempfile.mkdtemp(prefix=_NEW, dir=home))
    is_kept = False
    try:
        is_linked = _linked(folder, stamps, made / NAME)
        if not is_linked:
            take_over([*filter(_is_complete, home.glob(f"*/{NAME}"))], made / NAME)
        is_kept = not is_linked
        _copy(path, stamps, made, ("",) * is_linked)
        is_kept = False
        if not _is_usable(folder / NAME, path, stamps):
            _remove(folder)
            with contextlib.suppress(OSError):  # another process was faster
                made.rename(folder)
    except Unsteady:
        if is_kept:  # the next copy starts from this one
            (made / f"{NAME}{_LOG}").unlink(missing_ok=True)
            made.rename(home / f"{_BASE}{made.name}")
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _copy(path: str, stamps: Stamps, made: Path, done: Collection[str] = ()) -> None:
    """Copy the files of a database except those that are done. Raises Unsteady if they change meanwhile."""
    start = _start_of_log(path)
    for suffix, stamp in zip(SUFFIXES, stamps, strict=True):
        if stamp is None or suffix in done or (suffix and not stamp[1]):
            continue
        target = made / f"{NAME}{suffix}"
        copy_file(path + suffix, target)
        if suffix == _JOURNAL:
            forget_super_journal(target, os.path.dirname(path))  # noqa: PTH120
        elif not _boot():
            sync_file(target)
    if not _is_steady(stamps, stamps_of(path)) or _start_of_log(path) != start:
        raise Unsteady


def _linked(folder: Path, stamps: Stamps, target: Path) -> bool:
    """Share the database with a copy of the same one that has another log: reading never changes it."""
    for other in folder.parent.glob(f"{folder.name.partition('-')[0]}-*/{NAME}"):
        with contextlib.suppress(OSError):
            if _has_size(other, stamps):
                target.hardlink_to(other)
                return True
    return False


def _is_complete(copy: Path) -> bool:
    """Return whether no process is making a copy, nor reading one with a journal."""
    return not copy.parent.name.startswith(_NEW)


def _is_steady(before: Stamps, after: Stamps) -> bool:
    """Return whether the copied files belong together, if the log starts with the same salts as before.

    A log that starts again keeps its size until it is longer than before: its writer fills it from the start.
    What was being written fails its checksum, so that whole transactions count.
    """
    database, log, journal = before
    if (database, journal) != (after[0], after[2]):
        return False
    if log is None or after[1] is None:
        return log == after[1]
    return after[1][2] == log[2] and after[1][1] >= log[1]


def _start_of_log(path: str) -> bytes:
    """Read the header of a log, which changes whenever its writer begins it again. Raises OSError."""
    try:
        log = os.open(f"{path}{_LOG}", OPEN_FLAGS)
    except FileNotFoundError:
        return b""
    try:
        return os.read(log, _HEADER)
    finally:
        os.close(log)


def _stamp(path: str) -> FileStamp:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def _short(data: bytes) -> str:
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"


def _remove_others(home: Path, kept: Path) -> None:
    """Remove older copies that nobody reads, and what crashed processes left."""
    with contextlib.suppress(OSError):
        for entry in sorted(home.iterdir()):
            is_new = entry.name.startswith(_NEW) and time.time() - entry.stat().st_mtime < _LEFT_SECONDS
            if entry != kept and not is_new:
                _remove(entry)


def _remove(folder: Path) -> None:
    remove_unread(folder / NAME, folder.with_name(f"{_NEW}{folder.name}"))


def newest(stamps: Sequence[FileStamp]) -> int:
    """Return the newest time among stamps, in ms."""
    return max((stamp[0] for stamp in stamps if stamp is not None), default=0) // 1_000_000
