"""Write files atomically: a reader sees either the old content or the new."""

import os
import secrets
import sys
import time
from pathlib import Path

from sidecar.storage.layout import FILE_MODE

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def temp_path(target: Path) -> Path:
    """Return a new name next to `target`, in a form that readers of this layout ignore."""
    stamp = time.time_ns() // 1_000_000
    return target.with_name(f".{target.name}.new_{stamp}_{secrets.token_hex(4)}.tmp")


def is_temp(name: str) -> bool:
    """Return whether a directory entry is one of `temp_path`'s."""
    return name.startswith(".") and ".new_" in name and name.endswith(".tmp")


def write_atomic(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Replace `path` by `data`, mode 0600; with `durable` it outlives a power cut. Raises OSError.

    On failure the old file is untouched and the temporary one is gone.
    """
    temp = temp_path(path)
    try:
        write_private(temp, data, durable=durable)
        temp.replace(path)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def write_private(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Make the file `path` (which must not exist) with `data`, mode 0600. Raises OSError."""
    with os.fdopen(os.open(path, _NEW, FILE_MODE), "wb") as file:
        path.chmod(FILE_MODE)  # a umask may have taken the owner's own bits
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def sync_file(path: Path) -> None:
    """Make the content of a file durable. Raises OSError."""
    handle = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))  # Windows flushes only what it may write
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_directory(path: Path) -> None:
    """Make renames in `path` durable, where the platform can open directories."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
