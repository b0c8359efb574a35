"""Check the attachments of a launch, and read those that an agent gets as content."""

import base64
import binascii
import mimetypes
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from sidecar.api.runs.launches import Attachment

MAX_COUNT: Final = 20
MAX_BYTES: Final = 10 * 1024 * 1024
"""The most bytes of one attachment whose content is sent. A reference to a file may be of any size."""
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True)
class AttachedFile:
    """A file that exists, by its real path."""

    path: Path
    mime_type: str | None
    size: int

    def read(self) -> str:
        """Return the content in Base64. Blocking. Raises ValueError if it is too large or cannot be read."""
        try:
            with self._opened() as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise ValueError(f"{self.path} cannot be read ({error.strerror})") from error
        if len(data) > MAX_BYTES:
            raise ValueError(f"{self.path} is larger than {MAX_BYTES >> 20} MiB")
        return base64.b64encode(data).decode()

    def check(self) -> None:
        """Raise ValueError if it is no longer the file that was attached. Blocking."""
        try:
            self._opened().close()
        except OSError as error:
            raise ValueError(f"{self.path} cannot be read ({error.strerror})") from error

    def _opened(self) -> BinaryIO:
        """Open the file; since the launch, a link or a FIFO may have taken its place."""
        file = os.fdopen(os.open(self.path, _FLAGS), "rb")
        details = os.fstat(file.fileno())
        is_same = os.path.realpath(self.path) == str(self.path) and os.path.samestat(
            details, self.path.stat()
        )
        if is_same and stat.S_ISREG(details.st_mode):
            return file
        file.close()
        raise ValueError(f"{self.path} is no longer a file of its own; attach it again")


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
    if attachment.path is not None:
        return _file(attachment.path, attachment.mime_type, directory)
    if not attachment.mime_type:
        raise ValueError("mimeType is missing; name the type of the data, such as image/png")
    data = attachment.data or ""
    try:
        size = len(base64.b64decode(data, validate=True))
    except binascii.Error:
        raise ValueError("data is not valid Base64") from None
    if size > MAX_BYTES:
        raise ValueError(f"data is larger than {MAX_BYTES >> 20} MiB; attach a file by its path")
    return AttachedData(attachment.mime_type, data)


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
    return AttachedFile(real, mime_type or mimetypes.guess_type(real.name)[0], details.st_size)
