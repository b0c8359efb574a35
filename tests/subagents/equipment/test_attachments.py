"""An attached file is the one that was checked, or it is not sent."""

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.api.runs.launches import Attachment
from sidecar.subagents.equipment.attachments import AttachedData, AttachedFile, check_attachments

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
    with pytest.raises(ValueError, match=r"img\.png (was replaced after it was attached|cannot be read)"):
        attached.read()
    with pytest.raises(ValueError, match=r"img\.png (was replaced after it was attached|cannot be read)"):
        attached.check()


def test_a_file_that_was_saved_again_is_sent(attached: AttachedFile) -> None:
    attached.path.unlink()
    attached.path.write_bytes(b"new")
    attached.check()
    assert base64.b64decode(attached.read()) == b"new"


PNG, JPEG, WEBP = b"\x89PNG\r\n\x1a\n...", b"\xff\xd8\xff\xe0...", b"RIFF\0\0\0\0WEBPVP8 "


@pytest.mark.parametrize(
    ("name", "content", "type_"),
    [
        ("shot.png", PNG, "image/png"),
        ("shot.png", JPEG, "image/jpeg"),
        ("shot", WEBP, "image/webp"),
        ("shot.gif", b"GIF89a...", "image/gif"),
        ("shot.png", b"no image", None),
        ("shot.png", b"", None),
        ("sound.png", b"RIFF\0\0\0\0WAVEfmt ", None),
        ("logo.svg", b"<svg/>", "image/svg+xml"),
        ("notes.txt", b"notes", "text/plain"),
    ],
)
def test_the_content_of_a_file_decides_whether_it_is_an_image(
    tmp_path: Path, name: str, content: bytes, type_: str | None
) -> None:
    (tmp_path / name).write_bytes(content)
    (found,) = check_attachments([Attachment(path=name)], tmp_path)
    assert found.mime_type == type_


def data(content: bytes, mime_type: str) -> Attachment:
    return Attachment(data=base64.b64encode(content).decode(), mime_type=mime_type)


def test_the_content_of_data_decides_the_type_of_an_image(tmp_path: Path) -> None:
    (found,) = check_attachments([data(JPEG, "image/png")], tmp_path)
    assert isinstance(found, AttachedData)
    assert found.mime_type == "image/jpeg"


@pytest.mark.parametrize("content", [b"no image", b""])
def test_data_that_is_not_the_image_it_claims_to_be_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\[1\]: data is not an image of type image/png"):
        check_attachments([data(b"a", "text/plain"), data(content, "image/png")], tmp_path)


@pytest.mark.parametrize("mime_type", ["png", "a/b\nc", "image/png\x1b[31m", "a/" + "b" * 1000])
def test_a_type_that_is_none_is_refused_by_name(tmp_path: Path, mime_type: str) -> None:
    with pytest.raises(ValueError, match=r"\[0\]: mimeType .* is not a type, such as image/png"):
        check_attachments([data(b"a", mime_type)], tmp_path)
