"""Open folders step by step without following links, so that a swapped folder cannot redirect an access.

A check of a path holds only until another process replaces one of its folders by a link. Opening each folder
in the one before and then working in the last one leaves no such gap.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_IS_SUPPORTED = {os.open, os.mkdir, os.stat, os.unlink, os.rename} <= os.supports_dir_fd
_FOLDER = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


@dataclass(frozen=True)
class Place:
    """A name in an open folder, as functions of `os` take it. Without `dir_fd`, names are whole paths."""

    name: str
    dir_fd: int | None

    def sibling(self, name: str) -> str:
        """Return the name of another file in the same folder."""
        return name if self.dir_fd is not None else str(Path(self.name).with_name(name))


@contextlib.contextmanager
def place_of(path: Path, *, create: bool = False) -> Iterator[Place]:
    """Open the folder of an absolute path without links. `create` makes missing folders.

    The last name may be a link. Raises OSError if a folder is missing, is not a folder or was replaced by a
    link.
    """
    if not _IS_SUPPORTED:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield Place(str(path), None)
        return
    folder = open_folder(path.parent, create=create)
    try:
        yield Place(path.name, folder)
    finally:
        os.close(folder)


def open_folder(path: Path, *, create: bool = False) -> int:
    """Open an absolute path without links and return its descriptor, which can only serve as `dir_fd`."""
    folder = os.open(path.anchor, _FOLDER)
    try:
        for name in path.parts[1:]:
            above = folder
            folder = _open_in(above, name, create=create)
            os.close(above)
    except BaseException:
        os.close(folder)
        raise
    return folder


def _open_in(folder: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def walk(folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Walk a folder like `os.walk`, without leaving it while other processes replace folders by links."""
    if not _IS_SUPPORTED:
        yield from ((Path(parent), folders, names) for parent, folders, names in os.walk(folder))
        return
    try:
        top = open_folder(folder)
    except OSError:
        return
    try:
        for parent, folders, names, _ in os.fwalk(".", dir_fd=top):
            yield folder / parent, folders, names
    finally:
        os.close(top)
