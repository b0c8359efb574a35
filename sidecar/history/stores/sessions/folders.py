"""List folders and read the heads of files of other programs, without following links."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from sidecar.history.stored.reading import open_stored

HEAD_BYTES: Final = 4_096
_MOST_OPENED: Final = 5_000
"""How many files are opened to find some that are not empty."""
PADDING: Final = b"\0 \t\r\n"
_MOST_PADDING: Final = 64 << 20
"""How many bytes of padding at the start of a file are skipped at most."""


def entries_of(folder: str) -> Sequence[os.DirEntry[str]]:
    """List a folder by name; one that is missing, unreadable or a link has no entries."""
    try:
        if os.path.islink(folder):  # noqa: PTH114 (roots keep texts)
            return ()
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return ()


def folders_of(folder: str) -> list[os.DirEntry[str]]:
    """List the folders in a folder, without links."""
    return [entry for entry in entries_of(folder) if entry.is_dir(follow_symlinks=False)]


def head_of(path: str) -> bytes | None:
    """Read the first bytes of a regular file; None if that is not possible."""
    try:
        descriptor = open_stored(path)
    except (OSError, ValueError):
        return None
    try:
        return os.read(descriptor, HEAD_BYTES) if _is_regular(descriptor) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _is_regular(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)


def head_behind_padding(path: str) -> bytes:
    """Read the first bytes of a file behind the zero bytes that a power loss left; empty without any."""
    try:
        descriptor = open_stored(path)
    except (OSError, ValueError):
        return b""
    try:
        skipped = 0
        while skipped < _MOST_PADDING and (piece := os.read(descriptor, 1 << 20)):
            if rest := piece.lstrip(PADDING):
                return rest[:HEAD_BYTES] + os.read(descriptor, max(HEAD_BYTES - len(rest), 0))
            skipped += len(piece)
        return b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def first_heads(paths: Iterable[str], most: int) -> Iterator[bytes]:
    """Yield the first bytes of files that are not empty, of `most` files."""
    found = filter(None, (head_of(path) for path in islice(paths, _MOST_OPENED)))
    return islice(found, most)
