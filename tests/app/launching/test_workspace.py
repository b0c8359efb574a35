"""Where a run works, by what a client says of its workspace."""

from pathlib import Path

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.app.launching.workspace import Workspace


@pytest.mark.parametrize("name", ["/" + "x" * 5_000, "/a\0b", "/\ud800", "/nowhere"])
def test_a_directory_that_cannot_be_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidParams, match="workspaceDir: "):
        Workspace().working_directory(name)


def test_a_directory_that_is_named_comes_before_the_open_folder(tmp_path: Path) -> None:
    assert Workspace((Path("/"),)).working_directory(str(tmp_path)) == tmp_path


def test_a_folder_is_the_same_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    folders = (tmp_path / "link", tmp_path / "real")
    assert Workspace(folders).real_folders == {str((tmp_path / "real").resolve())}
