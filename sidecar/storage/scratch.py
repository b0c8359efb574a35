"""Folders for work with git. One that a killed process left is removed when a later one is made."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "subagent-sidecar-git-"
_LEFT_SECONDS = 3600.0
"""The age of a folder whose process is gone: git gets ten minutes for each of its few steps."""


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a temporary folder, and remove it afterwards. Blocking."""
    remove_left()
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def remove_left() -> None:
    """Remove the folders that killed processes of this user left. Blocking."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another process was faster
            found = folder.lstat()
            if _is_own(found) and time.time() - found.st_mtime > _LEFT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _is_own(found: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or found.st_uid == os.getuid()
