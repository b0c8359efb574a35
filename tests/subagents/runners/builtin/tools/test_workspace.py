import errno
import os
from pathlib import Path

import pytest

from sidecar.subagents.runners.builtin.tools.workspace import ToolError, Workspace


def test_names_are_relative_to_the_workspace(workspace: Workspace, root: Path) -> None:
    assert workspace.resolve("src/../new/a.py") == root / "new" / "a.py"
    assert workspace.resolve(str(root / "a.py")) == root / "a.py"
    assert workspace.resolve(".") == root


@pytest.mark.parametrize(
    "name", ["..", "../secret.txt", "/etc/passwd", "a/../../secret.txt", "../root-too/a"]
)
def test_a_path_outside_the_workspace_is_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(ToolError, match="leads out of the workspace"):
        workspace.resolve(name)


def test_links_are_resolved_before_the_check(workspace: Workspace, root: Path) -> None:
    (root / "out").symlink_to(root.parent)
    (root / "in").symlink_to("src")
    (root / "new").symlink_to(root.parent / "not there yet")
    assert workspace.resolve("in/a.py") == root / "src" / "a.py"
    for name in ("out", "out/secret.txt", "new"):
        with pytest.raises(ToolError, match="leads out of the workspace"):
            workspace.resolve(name)


def test_a_workspace_reached_by_a_link_is_its_real_folder(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert Workspace(link).resolve("a.py") == root / "a.py"


def test_an_invalid_file_name_is_refused(workspace: Workspace) -> None:
    with pytest.raises(ToolError, match="cannot be a file name"):
        workspace.resolve("a\0b")


def test_a_folder_that_changes_while_its_links_are_resolved_is_an_error(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def realpath(path: Path) -> str:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))

    monkeypatch.setattr(os.path, "realpath", realpath)
    with pytest.raises(ToolError, match="cannot resolve 'a/b': Invalid argument; try again"):
        workspace.resolve("a/b")
