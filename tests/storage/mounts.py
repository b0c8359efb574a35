"""Small file systems of their own, for disks that are full or may only be read."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(path: Path, kibibytes: int) -> Iterator[Path]:
    """Mount a disk in memory of this size at `path`; it is gone at the end with all it held."""
    path.mkdir(parents=True)
    _mount("-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(path))
    try:
        yield path
    finally:
        # Lazily: a process that is still ending may hold a file in it.
        subprocess.run(["umount", "--lazy", str(path)], check=True, timeout=10)


@contextmanager
def read_only(path: Path) -> Iterator[Path]:
    """Mount an empty disk at `path` that can only be read."""
    with small_disk(path, 1024):
        freeze(path)
        yield path


def freeze(path: Path) -> None:
    """Make a mounted disk read-only."""
    _mount("-o", "remount,ro", str(path))


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, timeout=10)
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise RuntimeError(
            "these tests mount small disks and so need Linux and root, as in CI: " + done.stderr.strip()
        )
