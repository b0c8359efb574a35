import os
from pathlib import Path

import pytest

from sidecar.storage.layout import OwnRoot
from sidecar.storage.trash import (
    NotThere,
    archive_task,
    delete_task,
    empty_trash,
    folder_bytes,
    has_task,
    removed_tasks,
    restore_task,
)

TASK_ID = "3f2b8c1e-5d4a-4f6b-9c7d-8e9f0a1b2c3d"
NOW = 1_776_254_400.0


@pytest.fixture
def root(tmp_path: Path) -> OwnRoot:
    folder = tmp_path / "tasks" / TASK_ID
    folder.mkdir(parents=True)
    (folder / "ui_messages.json").write_bytes(b"[]")
    return OwnRoot(tmp_path)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_deleted_task_is_in_the_trash_with_the_time_of_its_deletion(root: OwnRoot) -> None:
    delete_task(root, TASK_ID, NOW)
    assert not has_task(root, TASK_ID) and content(root.trash / TASK_ID) == {"ui_messages.json": b"[]"}
    assert (root.trash / TASK_ID).stat().st_mtime == NOW
    assert root.trash.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["trash", "archive"])
def test_a_removed_task_comes_back_as_it_was(root: OwnRoot, place: str) -> None:
    if place == "trash":
        delete_task(root, TASK_ID, NOW)
    else:
        archive_task(root, TASK_ID)
    assert (root.path / place / TASK_ID).is_dir() and not has_task(root, TASK_ID)
    restore_task(root, TASK_ID)
    assert content(root.tasks / TASK_ID) == {"ui_messages.json": b"[]"}
    assert not (root.path / place / TASK_ID).exists()


def test_an_archived_task_can_be_deleted(root: OwnRoot) -> None:
    archive_task(root, TASK_ID)
    delete_task(root, TASK_ID, NOW)
    assert (root.trash / TASK_ID).is_dir() and not (root.archive / TASK_ID).exists()


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "_index.json", "x" * 80, "1770000000000"])
def test_what_is_not_a_task_is_not_there(root: OwnRoot, name: str) -> None:
    with pytest.raises(NotThere):
        delete_task(root, name, NOW)
    assert has_task(root, TASK_ID)


def test_a_link_is_not_a_task(root: OwnRoot, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root.tasks / "1770000000000").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotThere):
        delete_task(root, "1770000000000", NOW)


def test_nothing_in_the_trash_is_replaced(root: OwnRoot) -> None:
    (root.trash / TASK_ID).mkdir(parents=True)
    with pytest.raises(FileExistsError):
        delete_task(root, TASK_ID, NOW)
    assert has_task(root, TASK_ID)


def test_the_trash_is_emptied_of_what_is_old(root: OwnRoot) -> None:
    delete_task(root, TASK_ID, NOW)
    assert empty_trash(root, NOW) == [] and empty_trash(root, NOW + 1) == [TASK_ID]
    assert not (root.trash / TASK_ID).exists() and empty_trash(root, NOW + 9) == []


def test_emptying_follows_no_link(root: OwnRoot, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    root.trash.mkdir()
    (root.trash / "1770000000000").symlink_to(tmp_path / "precious")
    os.utime(root.trash / "1770000000000", (0, 0), follow_symlinks=False)
    assert empty_trash(root, NOW) == [] and (tmp_path / "precious").is_dir()


def test_bytes_are_counted_without_following_links(root: OwnRoot) -> None:
    (root.tasks / TASK_ID / "loop").symlink_to(root.tasks)
    assert 2 <= folder_bytes(root.tasks) < 4_096 and folder_bytes(root.path / "nowhere") == 0


@pytest.mark.parametrize("place", ["trash", "archive"])
def test_a_trash_or_archive_that_is_a_link_is_neither_listed_nor_filled(
    root: OwnRoot, tmp_path: Path, place: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "1770000000000").mkdir(parents=True)
    os.utime(elsewhere / "1770000000000", (0, 0))
    (root.path / place).symlink_to(elsewhere)
    assert removed_tasks(root) == [] and empty_trash(root, NOW) == []
    with pytest.raises(NotADirectoryError, match="is a link"):
        delete_task(root, TASK_ID, NOW) if place == "trash" else archive_task(root, TASK_ID)
    with pytest.raises(NotADirectoryError, match="is a link"):
        restore_task(root, "1770000000000")
    assert os.listdir(elsewhere) == ["1770000000000"] and has_task(root, TASK_ID)
