"""Read files of the repository of an agent, which may be anything and anywhere."""

import contextlib
import shutil
from pathlib import Path

_MOST_BYTES = 1 << 30
"""A larger file is not read."""
_POINTER = "gitdir: "
_MOST_POINTER_BYTES = 4096


def git_folder(top: Path) -> Path:
    """Return the folder of the repository of a tree, which may be elsewhere. Blocking."""
    own = top / ".git"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if own.is_file() and 0 < own.stat().st_size <= _MOST_POINTER_BYTES:
            content = own.read_text("utf-8")
            if content.startswith(_POINTER) and "\0" not in content:
                return top / content.removeprefix(_POINTER).strip()
    return own


def is_inside(top: Path, path: str) -> bool:
    """Return whether a path leads to a place in the tree without passing through a link. Blocking."""
    try:
        return (top / path).parent.resolve() == top.resolve() / Path(path).parent
    except (OSError, ValueError):
        return False


def copy(source: Path, target: Path) -> bool:
    """Copy a file; return False if that is not possible. Blocking."""
    try:
        if not source.is_file() or not 0 < source.stat().st_size <= _MOST_BYTES:
            return False  # special files report a size of 0 and may never end
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
    except OSError:
        return False
    return True
