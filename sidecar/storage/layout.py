"""What lies where under a root, and how private it is."""

import re
import uuid
from dataclasses import dataclass
from pathlib import Path

UI_FILE = "ui_messages.json"
API_FILE = "api_conversation_history.json"
HISTORY_FILE = "history_item.json"
METADATA_FILE = "task_metadata.json"

DIR_MODE = 0o700
FILE_MODE = 0o600
"""Transcripts hold what a person and a model said: nobody else's business, whatever the umask."""

_TASK_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True)
class OwnRoot:
    """The names under the one root the sidecar may write."""

    path: Path

    @property
    def tasks(self) -> Path:
        """Hold one folder for each stored task."""
        return self.path / "tasks"

    @property
    def database(self) -> Path:
        """Hold the journal of async tasks."""
        return self.path / "sidecar.db"

    @property
    def lock(self) -> Path:
        """Say, by an OS lock, which process owns the root."""
        return self.path / "sidecar.lock"

    @property
    def trash(self) -> Path:
        """Hold deleted tasks until they are gone for good; a folder's own time is that of its deletion."""
        return self.path / "trash"

    @property
    def archive(self) -> Path:
        """Hold the folders of tasks that are kept but not listed."""
        return self.path / "archive"

    def task(self, task_id: str) -> Path:
        """Return a task's folder; raises ValueError for an id that is not a lower-case UUID."""
        if not _TASK_ID.fullmatch(task_id):
            raise ValueError(f"not a task id: {task_id[:64]!r}")
        return self.tasks / task_id


def new_task_id() -> str:
    """Return a random UUID (v4): its first 8 characters tell tasks apart in every display."""
    return str(uuid.uuid4())


def make_private_dirs(path: Path) -> None:
    """Make `path` and what is missing above it, each 0700; what exists keeps its mode. Raises OSError."""
    if path.is_dir():
        return
    if path.parent != path:
        make_private_dirs(path.parent)
    try:
        path.mkdir(mode=DIR_MODE)
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    path.chmod(DIR_MODE)
