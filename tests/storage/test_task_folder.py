import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.layout import API_FILE, HISTORY_FILE, UI_FILE, OwnRoot, new_task_id
from sidecar.storage.task_folder import TaskFolder, sweep_staging

FILES = {UI_FILE: b"[]", API_FILE: b"[]"}


@pytest.mark.usefixtures("open_umask")
def test_a_folder_and_its_files_are_private(root: OwnRoot, mode_of: Callable[[Path], int]) -> None:
    folder = TaskFolder.create(root, new_task_id(), FILES)
    folder.write_history_item(b"{}")
    assert mode_of(folder.path) == 0o700
    assert {path.name: mode_of(path) for path in folder.path.iterdir()} == dict.fromkeys(
        (UI_FILE, API_FILE, HISTORY_FILE), 0o600
    )


def test_each_file_is_replaced_under_its_own_name(root: OwnRoot) -> None:
    folder = TaskFolder.create(root, new_task_id(), FILES)
    folder.write_ui(b"[1]")
    folder.write_api(b"[2]", durable=True)
    assert [folder.read(name) for name in (UI_FILE, API_FILE, HISTORY_FILE)] == [b"[1]", b"[2]", None]


def test_a_folder_is_not_made_twice(root: OwnRoot) -> None:
    task_id = new_task_id()
    TaskFolder.create(root, task_id, FILES).write_ui(b"[1]")
    with pytest.raises(FileExistsError):
        TaskFolder.create(root, task_id, FILES)
    existing = TaskFolder.existing(root, task_id)
    assert existing is not None
    assert existing.read(UI_FILE) == b"[1]"


def test_a_folder_that_cannot_be_filled_is_not_seen(root: OwnRoot) -> None:
    with pytest.raises(OSError, match="nowhere"):
        TaskFolder.create(root, new_task_id(), {"nowhere/file": b""})
    assert os.listdir(root.tasks) == []


def test_sweeping_removes_what_a_crash_left_and_nothing_else(root: OwnRoot) -> None:
    folder = TaskFolder.create(root, new_task_id(), FILES)
    (folder.path / ".ui_messages.json.new_1700000000000_ab.tmp").touch()
    (root.tasks / ".half.new_1700000000000_ab.tmp").mkdir()
    folder.sweep_temporary()
    sweep_staging(root)
    assert sorted(os.listdir(folder.path)) == sorted(FILES)
    assert os.listdir(root.tasks) == [folder.path.name]


def test_a_root_without_tasks_has_nothing_to_sweep(root: OwnRoot) -> None:
    sweep_staging(root)
    assert TaskFolder.existing(root, new_task_id()) is None
    assert not root.path.exists()
