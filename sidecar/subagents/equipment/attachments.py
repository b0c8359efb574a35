"""Check the attachments of a launch, and read those that an agent gets as content."""

import base64
import binascii
import mimetypes
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final

from sidecar.api.runs.launches import Attachment
from sidecar.subagents.equipment.media_types import HEAD_BYTES, IMAGE_TYPES, image_type, is_media_type

MAX_COUNT: Final = 20
MAX_BYTES: Final = 10 * 1024 * 1024
"""The most bytes of one attachment whose content is sent. A reference to a file may be of any size."""
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True)
class AttachedFile:
    """A file that exists, by its real path. Its type is one of `IMAGE_TYPES` only if its content is."""

    path: Path
    mime_type: str | None
    size: int

    def read(self) -> str:
        """Return the content in Base64. Blocking. Raises ValueError if it is too large or cannot be read."""
        data = self._first(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"{self.path} is larger than {MAX_BYTES >> 20} MiB; attach a smaller version")
        return base64.b64encode(data).decode()

    def check(self) -> None:
        """Raise ValueError if another file has taken its place. Blocking."""
        self._first(0)

    def with_real_type(self) -> "AttachedFile":
        """Return the file with the type of its content. Blocking. Raises ValueError if it cannot be read."""
        found = image_type(self._first(HEAD_BYTES))
        # An image without a content that models support, such as a text of this name, has no known type.
        claimed = None if self.mime_type in IMAGE_TYPES else self.mime_type
        return replace(self, mime_type=found or claimed)

    def _first(self, size: int) -> bytes:
        try:
            with self._opened() as file:
                return file.read(size)
        except OSError as error:
            raise ValueError(f"{self.path} cannot be read ({error.strerror})") from error

    def _opened(self) -> BinaryIO:
        """Open the file; since the launch, a link or a FIFO may have taken its place."""
        file = os.fdopen(os.open(self.path, _FLAGS), "rb")
        try:
            self._require_same(os.fstat(file.fileno()))
        except BaseException:
            file.close()
            raise
        return file

    def _require_same(self, opened: os.stat_result) -> None:
        """Raise ValueError unless what was opened is the regular file at this path."""
        is_same = os.path.realpath(self.path) == str(self.path) and os.path.samestat(opened, self.path.stat())
        if not (is_same and stat.S_ISREG(opened.st_mode)):
            raise ValueError(f"{self.path} was replaced after it was attached; attach it again")


@dataclass(frozen=True)
class AttachedData:
    """Content that came with the launch, in Base64."""

    mime_type: str
    data: str = field(repr=False)


Attached = AttachedFile | AttachedData


def check_attachments(attachments: Sequence[Attachment], directory: Path) -> tuple[Attached, ...]:
    """Return the attachments of a launch in a working directory. Blocking.

    Raises ValueError, which names the attachment by its index, and the remedy.
    """
    if len(attachments) > MAX_COUNT:
        raise ValueError(f"{len(attachments)} are too many; attach at most {MAX_COUNT}")
    found = []
    for number, each in enumerate(attachments):
        try:
            found.append(_checked(each, directory))
        except ValueError as error:
            raise ValueError(f"[{number}]: {error}") from None
    return tuple(found)


def _checked(attachment: Attachment, directory: Path) -> Attached:
    if (attachment.path is None) == (attachment.data is None):
        raise ValueError("give exactly one of path and data")
    if attachment.mime_type and not is_media_type(attachment.mime_type):
        raise ValueError(f"mimeType {attachment.mime_type[:100]!r} is not a type, such as image/png")
    if attachment.path is not None:
        return _file(attachment.path, attachment.mime_type, directory)
    if not attachment.mime_type:
        raise ValueError("mimeType is missing; name the type of the data, such as image/png")
    return _data(attachment.data or "", attachment.mime_type)


def _data(data: str, mime_type: str) -> AttachedData:
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error:
        raise ValueError("data is not valid Base64") from None
    if len(content) > MAX_BYTES:
        raise ValueError(f"data is larger than {MAX_BYTES >> 20} MiB; attach a file by its path")
    if mime_type not in IMAGE_TYPES:
        return AttachedData(mime_type, data)
    found = image_type(content)
    if found is None:
        raise ValueError(f"data is not an image of type {mime_type}; check the file it was read from")
    return AttachedData(found, data)


def _file(path: str, mime_type: str | None, directory: Path) -> AttachedFile:
    try:
        real = Path(os.path.realpath(directory / path))
        details = real.stat()
    except (OSError, ValueError):
        raise ValueError(f"path {path!r} does not exist") from None
    if not stat.S_ISREG(details.st_mode):
        raise ValueError(f"path {path!r} is not a file")
    if not Path(path).is_absolute() and not real.is_relative_to(os.path.realpath(directory)):
        raise ValueError(f"path {path!r} leads out of the working directory; give the absolute path")
    guessed = mime_type or mimetypes.guess_type(real.name)[0]
    return AttachedFile(real, guessed, details.st_size).with_real_type()
