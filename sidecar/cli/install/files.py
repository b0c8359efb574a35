"""Read and replace configuration files; every failure is a sentence for the user."""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from sidecar.api.errors import StorageError
from sidecar.storage import lock_file

MAX_BYTES = 64 * 2**20
"""The largest configuration that is changed. Parsing takes about half a second for each MiB."""

_MARK = "subagent-sidecar"
"""Distinguishes unfinished files of this program from the user's files."""


def resolved(path: Path) -> Path:
    """Return the file that links lead to. Raises StorageError if they lead nowhere."""
    try:
        return path.resolve()
    except FileNotFoundError:  # the working directory is gone
        raise
    except (OSError, RuntimeError):  # a loop is a RuntimeError before Python 3.13
        raise StorageError(f"{path} cannot be read: its links form a loop") from None


def read(path: Path) -> str | None:
    """Return the text of a file; None if there is none. Raises StorageError."""
    try:
        if path.exists() and not path.is_file():
            raise StorageError(f"{path} cannot be read: it is not a regular file")
        if path.exists() and path.stat().st_size > MAX_BYTES:
            raise StorageError(
                f"{path} has more than {MAX_BYTES >> 20} MiB; "
                "make it smaller, or add the server to it by hand"
            )
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be read: {error}") from None


def check_writable(path: Path) -> None:
    """Raise StorageError if a file exists that its owner may not write."""
    with contextlib.suppress(FileNotFoundError):
        if not path.stat().st_mode & stat.S_IWUSR:
            raise StorageError(f"{path} is read-only; make it writable and run the command again")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other commands of this program from changing a file. Raises StorageError and OSError."""
    folder = lock_file.lock_directory(path.parent)  # None where folders have no locks
    if folder == lock_file.HELD:
        raise StorageError(f"another program is changing {path.parent}; run the command again")
    try:
        yield
    finally:
        if folder is not None:
            os.close(folder)


def remove_unfinished(path: Path) -> None:
    """Remove what processes that were killed while writing left behind."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.{_MARK}\.([1-9][0-9]{{0,9}})\.tmp")
    with contextlib.suppress(OSError):  # no folder, or not ours to change
        for each in path.parent.iterdir():
            found = ours.fullmatch(each.name)
            is_left = found and (int(found[1]) == os.getpid() or not lock_file.is_alive(int(found[1])))
            if is_left and stat.S_ISREG(each.lstat().st_mode):
                each.unlink(missing_ok=True)


def write(path: Path, text: str, like: Path) -> None:
    """Replace a file at once, with the mode of another one; a new file is private. Raises OSError."""
    try:
        mode = stat.S_IMODE(like.stat().st_mode)
    except FileNotFoundError:
        mode = 0o600
    temporary = path.with_name(f".{path.name}.{_MARK}.{os.getpid()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            temporary.chmod(mode)
            file.write(text.encode("utf-8"))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
