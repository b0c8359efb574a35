import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.layout import OwnRoot, make_private_dirs, new_task_id


def test_a_new_task_id_is_random() -> None:
    ids = {new_task_id() for _ in range(50)}
    assert {uuid.UUID(task_id).version for task_id in ids} == {4}
    assert len({task_id[:8] for task_id in ids}) == 50


ID = "0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d"


@pytest.mark.parametrize("hostile", ["", "..", "../../etc", "/etc", "a" * 36, ID + "\n", "_x"])
def test_a_name_that_is_not_an_id_never_becomes_a_path(root: OwnRoot, hostile: str) -> None:
    with pytest.raises(ValueError, match="not a task id"):
        root.task(hostile)


@pytest.mark.usefixtures("open_umask")
def test_made_directories_are_private(root: OwnRoot, mode_of: Callable[[Path], int]) -> None:
    make_private_dirs(root.tasks)
    assert [mode_of(path) for path in (root.tasks, root.path, root.path.parent)] == [0o700] * 3


def test_a_directory_that_exists_keeps_its_mode(tmp_path: Path, mode_of: Callable[[Path], int]) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    make_private_dirs(shared / "root")
    assert mode_of(shared) == 0o755


def test_a_file_in_the_way_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        make_private_dirs(tmp_path / "file" / "root")
