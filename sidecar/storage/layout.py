"""The files and directories of a root, and their modes."""

import logging
import re
import stat
import uuid
from dataclasses import dataclass
from pathlib import Path

logger = logging.getLogger(__name__)

UI_FILE = "ui_messages.json"
API_FILE = "api_conversation_history.json"
HISTORY_FILE = "history_item.json"
METADATA_FILE = "task_metadata.json"

DIR_MODE = 0o700
FILE_MODE = 0o600
"""Transcripts hold what a person and a model wrote: private, whatever the umask."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO

_TASK_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True)
class OwnRoot:
    """The paths in the own root, the only one to which the sidecar writes."""

    path: Path

    @property
    def tasks(self) -> Path:
        """The folder with one folder for each stored task."""
        return self.path / "tasks"

    @property
    def database(self) -> Path:
        """The file with the journal of async tasks."""
        return self.path / "sidecar.db"

    @property
    def lock(self) -> Path:
        """The file whose lock shows which process owns the root."""
        return self.path / "sidecar.lock"

    @property
    def trash(self) -> Path:
        """The folder of deleted tasks, until they expire; the time of a folder is that of its deletion."""
        return self.path / "trash"

    @property
    def archive(self) -> Path:
        """The folder of tasks that are kept but not listed."""
        return self.path / "archive"

    @property
    def kept(self) -> Path:
        """The folder with copies of sessions that their products delete."""
        return self.path / "kept"

    def task(self, task_id: str) -> Path:
        """Return a task's folder; raises ValueError for an ID that is not a lower-case UUID."""
        if not _TASK_ID.fullmatch(task_id):
            raise ValueError(f"not a task id: {task_id[:64]!r}")
        return self.tasks / task_id


def new_task_id() -> str:
    """Return a random UUID (v4): its first 8 characters identify a task in every display."""
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


def make_private(root: OwnRoot) -> None:
    """Remove the rights of group and others from the root, its lock and journal, and the directories in it.

    For roots that somebody else made or an earlier release left. Logs what cannot be changed; links are
    left as they are.
    """
    entries = (root.path, root.lock, root.database, root.tasks, root.trash, root.archive, root.kept)
    for path in (*entries, *(root.database.with_name(root.database.name + end) for end in ("-wal", "-shm"))):
        try:
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & _OTHERS:
                path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
        except FileNotFoundError:
            continue
        except OSError as error:
            logger.warning("%s is open to other users and cannot be made private: %s", path, error.strerror)
