"""Tasks whose folders were moved out of `tasks/`: removed, but still shown by their titles."""

from pathlib import Path

from sidecar.history.stores.task_folders.files import read_task
from sidecar.history.stores.task_folders.ids import is_epoch_id
from sidecar.history.stores.task_folders.rules import read_row
from sidecar.history.stores.task_folders.structural.view import TaskSource


def read_title(folder: Path, now: int) -> str:
    """Read a task's title as a list would show it; empty where its files tell none. Never raises."""
    files = read_task(str(folder), with_metadata=is_epoch_id(folder.name))
    source = TaskSource(folder.name, str(folder.parent), None, files, None, None, now)
    info = read_row(source, "structural").info
    return info.title if info is not None else ""
