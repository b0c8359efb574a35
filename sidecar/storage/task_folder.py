"""One stored task's folder in the own root."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from sidecar.storage.atomic import is_temp, sync_directory, sync_file, temp_path, write_atomic, write_private
from sidecar.storage.layout import (
    API_FILE,
    DIR_MODE,
    HISTORY_FILE,
    METADATA_FILE,
    UI_FILE,
    OwnRoot,
    make_private_dirs,
)


class TaskFolder:
    """Writes the files of one stored task, each always whole. Every method may raise OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, root: OwnRoot, task_id: str, files: Mapping[str, bytes]) -> Self:
        """Make the folder with `files` in it at once; raises FileExistsError if there is one.

        It is put together under a temporary name, so that no reader meets it without its files.
        """
        target = root.task(task_id)
        if target.exists():
            raise FileExistsError(f"{target} already exists")
        make_private_dirs(root.tasks)
        staging = temp_path(target)
        try:
            staging.mkdir(mode=DIR_MODE)
            staging.chmod(DIR_MODE)
            for name, data in files.items():
                write_private(staging / name, data)
            staging.rename(target)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        return cls(target)

    @classmethod
    def existing(cls, root: OwnRoot, task_id: str) -> Self | None:
        """Return the task's folder if there is one."""
        path = root.task(task_id)
        return cls(path) if path.is_dir() else None

    def write_ui(self, data: bytes, *, durable: bool = False) -> None:
        """Replace what the user saw."""
        write_atomic(self.path / UI_FILE, data, durable=durable)

    def write_api(self, data: bytes, *, durable: bool = False) -> None:
        """Replace what the model saw."""
        write_atomic(self.path / API_FILE, data, durable=durable)

    def write_history_item(self, data: bytes, *, durable: bool = False) -> None:
        """Replace the list entry."""
        write_atomic(self.path / HISTORY_FILE, data, durable=durable)

    def write_metadata(self, data: bytes, *, durable: bool = False) -> None:
        """Replace the list of files in the task's context."""
        write_atomic(self.path / METADATA_FILE, data, durable=durable)

    def sync(self) -> None:
        """Make the folder and its files durable as they are."""
        for name in (UI_FILE, API_FILE, HISTORY_FILE, METADATA_FILE):
            if (self.path / name).exists():
                sync_file(self.path / name)
        sync_directory(self.path)

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it does not exist."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def sweep_temporary(self) -> None:
        """Remove what a crash in the middle of a write left; only under the root's lock."""
        for entry in self.path.iterdir():
            if is_temp(entry.name):
                entry.unlink(missing_ok=True)


def sweep_staging(root: OwnRoot) -> None:
    """Remove half-made task folders that a crash left; only under the root's lock."""
    if not root.tasks.is_dir():
        return
    for entry in root.tasks.iterdir():
        if is_temp(entry.name):
            shutil.rmtree(entry, ignore_errors=True)
