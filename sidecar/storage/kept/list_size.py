"""The size of the list of kept copies when it was last written, which shows that lines of it were lost.

Without it, a file that a killed process left and the only copy of a session look alike: no line names either.
"""

import os
from pathlib import Path
from typing import Final

_FILE: Final = "list.size"
LOST: Final = -1
"""In place of a size: lines were lost, and copies that no line names may be the only ones."""


def size_file(folder: str) -> str:
    """Return the path of the file that holds the size."""
    return f"{folder}{os.sep}{_FILE}"


def recorded_size(folder: str) -> int | None:
    """Return the recorded size in bytes, or LOST; None after a power cut or an older version."""
    try:
        return int(Path(size_file(folder)).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    except OSError:
        return LOST


def record_size(folder: str, size: int) -> None:
    """Record the size of the list in bytes, or LOST. Raises OSError."""
    from sidecar.storage.atomic import write_atomic  # here, because lists of tasks only read the size

    write_atomic(Path(size_file(folder)), b"%d" % size)
