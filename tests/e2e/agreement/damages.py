"""What can happen to the file of an index."""

import os
from collections.abc import Callable
from pathlib import Path


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def scratch(file: Path) -> None:
    with file.open("r+b") as stream:
        for at in range(100, file.stat().st_size, 5_000):
            stream.seek(at)
            stream.write(b"\xff\x00\xfe")


def scratch_late(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(-1_000, os.SEEK_END)
        stream.write(b"\xff" * 500)


def replace_by_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "of another program").touch()


def replace_by_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def add_a_journal(file: Path) -> None:
    file.with_name(file.name + "-journal").write_bytes(os.urandom(5_000))


def delete(file: Path) -> None:
    file.unlink()


def take_permission(file: Path) -> None:
    file.chmod(0)


DAMAGES: tuple[Callable[[Path], None], ...] = (
    cut,
    empty,
    scratch,
    scratch_late,
    replace_by_a_folder,
    replace_by_a_pipe,
    add_a_journal,
    delete,
    take_permission,
)
