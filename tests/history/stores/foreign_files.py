"""What a store of another program looks like from the outside, to prove that reading changed nothing."""

import os
from pathlib import Path

Seen = dict[str, tuple[int, int, int, int, bytes | str | None]]


def seen(root: Path) -> Seen:
    """Return the mode, inode, size, time and content of everything below a folder, itself included."""
    found: Seen = {}
    for folder, names, files in os.walk(root):
        for name in (".", *names, *files):
            path = Path(folder, name)
            status = path.lstat()
            content: bytes | str | None = None
            if path.is_symlink():
                content = str(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            size = status.st_size if content is not None else 0
            found[str(path)] = (status.st_mode, status.st_ino, size, status.st_mtime_ns, content)
    return found
