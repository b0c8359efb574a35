"""Search files for byte strings in any case of ASCII letters, in bounded memory."""

import os
import stat
from collections.abc import Collection, Iterable
from typing import Final

from sidecar.history.stored.reading import open_stored

_PIECE: Final = 1 << 18
"""Bytes read at a time."""


def any_holds(paths: Iterable[str], needles: Collection[bytes]) -> bool:
    """Return whether a file contains one of the lower-case needles; unreadable files contain none."""
    return any(_holds(path, needles) for path in paths)


def _holds(path: str, needles: Collection[bytes]) -> bool:
    overlap = max(map(len, needles), default=1) - 1
    kept = b""
    try:
        descriptor = open_stored(path)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # a device may have no end
            return False
        while piece := os.read(descriptor, _PIECE):
            window = kept + piece.lower()
            if any(needle in window for needle in needles):
                return True
            kept = window[-overlap:] if overlap else b""
            if not piece.strip(b"\0"):
                _skip_hole(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _skip_hole(descriptor: int) -> None:
    """Move on to where a sparse file has data again, if the platform can tell. Raises OSError at the end."""
    if hasattr(os, "SEEK_DATA"):
        os.lseek(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_DATA)
