"""An attached file is the one that was checked, or it is not sent."""

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.api.runs.launches import Attachment
from sidecar.subagents.equipment.attachments import AttachedFile, check_attachments

pytestmark = pytest.mark.timeout(30)


@pytest.fixture
def attached(tmp_path: Path) -> AttachedFile:
    (tmp_path / "ws" / "images").mkdir(parents=True)
    (tmp_path / "ws" / "images" / "img.png").write_bytes(b"inside")
    (tmp_path / "img.png").write_bytes(b"outside")
    (found,) = check_attachments([Attachment(path="images/img.png")], tmp_path / "ws")
    assert isinstance(found, AttachedFile)
    return found


def by_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parents[2] / "img.png")


def by_folder_link(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(path.parents[2])


def by_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("replace", [by_link, by_folder_link, by_fifo, by_folder])
def test_a_file_that_was_replaced_after_the_launch_is_refused(
    attached: AttachedFile, replace: Callable[[Path], None]
) -> None:
    replace(attached.path)
    with pytest.raises(ValueError, match=r"img\.png (is no longer a file of its own|cannot be read)"):
        attached.read()
    with pytest.raises(ValueError, match=r"img\.png (is no longer a file of its own|cannot be read)"):
        attached.check()


def test_a_file_that_was_saved_again_is_sent(attached: AttachedFile) -> None:
    attached.path.unlink()
    attached.path.write_bytes(b"new")
    attached.check()
    assert base64.b64decode(attached.read()) == b"new"
