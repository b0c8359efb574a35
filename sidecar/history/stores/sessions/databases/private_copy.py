"""Private copies of SQLite databases of other programs, with their write-ahead logs.

To read such a log in place, SQLite would create or change files next to it. A copy is a folder in the user's
cache that is named by the stamps of the originals, so that processes share it; it may be deleted at any time.
"""

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

from sidecar.history.stored.reading import OPEN_FLAGS
from sidecar.storage.layout import FILE_MODE, make_private_dirs
from sidecar.user_dirs import cache_dir

_JOURNAL: Final = "-journal"
SUFFIXES: Final = ("", "-wal", _JOURNAL)
"""The files that make up a database, besides those that only coordinate its users."""
NAME: Final = "copy.db"
_NEW: Final = "new-"
"""How the names of unfinished copies start."""
_LEFT_SECONDS: Final = 3_600
"""The age of an unfinished copy whose process is gone."""
_PIECE: Final = 1 << 24
_HEADER: Final = 32
"""The size of a log's header, with two salts."""
_MAGIC: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The last bytes of a journal that names another file: https://www.sqlite.org/fileformat.html."""
_NAME_END: Final = 8 + len(_MAGIC)
"""The bytes behind the name: its length, its checksum and the magic bytes."""
_LONGEST_NAME: Final = 512 if os.name == "posix" else 4_096
"""SQLite takes no longer name for that of a super-journal."""
_SEPARATOR: Final = re.compile(rb"[/\\]")

FileStamp = tuple[int, int, int, int] | None
"""mtime_ns, size, inode and ctime_ns of a file; None if it does not exist."""
Stamps = tuple[FileStamp, ...]
"""The stamps of a database and of the files in `SUFFIXES`."""


class Unsteady(Exception):
    """The files changed while they were copied."""


def stamps_of(path: str) -> Stamps:
    """Stat the files of a database without following links. Raises OSError except for missing files."""
    return tuple(_stamp(path + suffix) for suffix in SUFFIXES)


def copies_folder() -> Path:
    """Return the folder of all copies."""
    return Path(cache_dir(), "databases")


def copy_of(path: str, stamps: Stamps) -> Path:
    """Return a copy of a database as it was at `stamps`, or with transactions that its log has got since.

    Raises Unsteady if anything else changed meanwhile, OSError if it cannot be copied.
    """
    home = copies_folder() / _short(os.fsencode(path))
    main = (stamps[0], stamps[2])  # a copy whose journal was played back is not what the main file holds
    folder = home / f"{_short(repr(main).encode())}-{_short(repr(stamps[1:]).encode())}"
    if not (folder / NAME).exists():
        make_private_dirs(home)
        _make(path, stamps, home, folder)
        _remove_others(home, folder)
    return folder / NAME


def _make(path: str, stamps: Stamps, home: Path, folder: Path) -> None:
    made = Path(tempfile.mkdtemp(prefix=_NEW, dir=home))
    start = _start_of_log(path)
    try:
        for suffix, stamp in zip(SUFFIXES, stamps, strict=True):
            target = made / f"{NAME}{suffix}"
            is_main = suffix == ""
            if (
                stamp is not None
                and (stamp[1] or is_main)
                and not (is_main and _linked(home, folder, target))
            ):
                _copy(path + suffix, target)
                if suffix == _JOURNAL:
                    _forget_super_journal(target, os.path.dirname(path))  # noqa: PTH120
        if not _is_steady(stamps, stamps_of(path)) or _start_of_log(path) != start:
            raise Unsteady
        with contextlib.suppress(OSError):  # another process was faster
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _linked(home: Path, folder: Path, target: Path) -> bool:
    """Share the database with a copy of the same one that has another log: reading never changes it."""
    for other in home.glob(f"{folder.name.partition('-')[0]}-*/{NAME}"):
        with contextlib.suppress(OSError):
            if not other.with_name(f"{NAME}{_JOURNAL}").exists():
                target.hardlink_to(other)
                return True
    return False


def _forget_super_journal(journal: Path, folder: str) -> None:
    """Make a copied journal independent of the super-journal that it names, which SQLite would delete.

    The super-journal belongs to a transaction of several databases, which is complete once it is deleted.
    Then the journal must not be played back, so its copy is removed. A name that SQLite does not take for one
    makes no difference to it.
    """
    with journal.open("r+b") as file:
        start = max(0, file.seek(0, os.SEEK_END) - _LONGEST_NAME - _NAME_END)
        file.seek(start)
        end = file.read()
        if len(end) < _NAME_END or not end.endswith(_MAGIC):
            return
        file.seek(-len(_MAGIC), os.SEEK_END)
        file.write(bytes(len(_MAGIC)))
    path = _super_journal(end)
    if path is None:
        return
    name = _SEPARATOR.split(path)[-1]
    if not os.path.lexists(os.path.join(os.fsencode(folder), name)):  # noqa: PTH118
        journal.unlink()


def _super_journal(end: bytes) -> bytes | None:
    """Return the super-journal that the end of a journal names; None if SQLite finds no name there."""
    length, checksum = (int.from_bytes(end[-_NAME_END + at :][:4], "big") for at in (0, 4))
    name = end[:-_NAME_END][-length:] if length else b""
    if len(name) < length or not name.partition(b"\0")[0]:
        return None
    signed = sum(byte - 256 * (byte > 127) for byte in name)  # as most compilers add characters
    if checksum not in (sum(name), signed % 2**32):
        return None
    return name.partition(b"\0")[0]


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
        log = os.open(f"{path}-wal", OPEN_FLAGS)
    except FileNotFoundError:
        return b""
    try:
        return os.read(log, _HEADER)
    finally:
        os.close(log)


def _copy(source: str, target: Path) -> None:
    """Copy a regular file; file systems that can share the blocks of two files do so."""
    given = os.open(source, OPEN_FLAGS)
    try:
        made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            _copy_blocks(given, made)
        finally:
            os.close(made)
    finally:
        os.close(given)


def _copy_blocks(given: int, made: int) -> None:
    if hasattr(os, "copy_file_range"):
        with contextlib.suppress(OSError):  # not on this file system
            while os.copy_file_range(given, made, _PIECE):
                pass
    while piece := os.read(given, _PIECE):
        os.write(made, piece)


def _stamp(path: str) -> FileStamp:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def _short(data: bytes) -> str:
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"


def _remove_others(home: Path, kept: Path) -> None:
    """Remove older copies, and what crashed processes left; a copy in use stays readable."""
    with contextlib.suppress(OSError):
        for entry in sorted(home.iterdir()):
            is_new = entry.name.startswith(_NEW) and time.time() - entry.stat().st_mtime < _LEFT_SECONDS
            if entry != kept and not is_new:
                shutil.rmtree(entry, ignore_errors=True)


def newest(stamps: Sequence[FileStamp]) -> int:
    """Return the newest time among stamps, in ms."""
    return max((stamp[0] for stamp in stamps if stamp is not None), default=0) // 1_000_000
