"""Read and change files for a model: text only, within size limits, with atomic writes."""

import contextlib
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from sidecar.subagents.runners.builtin.tools.place import Place, place_of
from sidecar.subagents.runners.builtin.tools.workspace import ToolError

MAX_BYTES = 4 << 20
"""The largest file to edit, because an edit reads the whole file into memory."""
MAX_LINES = 2_000
MAX_SHOWN_BYTES = 100_000
"""The most of a file to read in one call."""
MAX_LINE_BYTES = 2_000
"""Cut longer lines, which are data or generated."""
MAX_SKIPPED_BYTES = 64 << 20
"""How far into a file to count its lines."""

_READ = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file by its path without links.

    Raises ToolError for anything else, such as a pipe that would block forever.
    """
    try:
        with (
            place_of(path) as place,
            os.fdopen(os.open(place.name, _READ, dir_fd=place.dir_fd), "rb") as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ToolError(f"{path.name!r} is not a regular file")
            yield file
    except OSError as error:
        raise _cannot("read", path, error) from error


def read_lines(path: Path, first: int, count: int) -> str:
    """Return up to `count` numbered lines from line `first`, counted from 1, and note if more follow."""
    if first < 1 or count < 1:
        raise ToolError("first_line and line_count must be at least 1")
    shown: list[str] = []
    size = 0
    with open_file(path) as file:
        lines = _numbered(file)
        for number, line in itertools.islice(lines, first - 1, None):
            if len(shown) == min(count, MAX_LINES) or size > MAX_SHOWN_BYTES:
                shown.append(f"[more follows: continue with first_line={number}]")
                break
            size += len(line)
            shown.append(f"{number:6}\t{line}")
    return "\n".join(shown) or f"[{path.name} has no line {first}]"


def read_text(path: Path) -> str:
    """Return a whole file with its line ends. Raises ToolError if it is too large or not UTF-8."""
    with open_file(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ToolError(f"{path.name!r} is larger than {MAX_BYTES >> 20} MiB; change it with a command")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ToolError(f"{path.name!r} is not UTF-8 text; change it with a command") from error


def write_text(path: Path, text: str) -> None:
    """Write a file atomically by its path without links; keep its permissions, create missing folders."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise ToolError("the text contains half a surrogate pair; use whole characters") from error
    try:
        with place_of(path, create=True) as place:
            _replace(place, data)
    except OSError as error:
        raise _cannot("write", path, error) from error


def replaced(text: str, old: str, new: str, *, everywhere: bool) -> str:
    """Replace `old` in `text`. Unless `everywhere`, `old` must occur exactly once."""
    if not old:
        raise ToolError("old_text is empty; to create a file use write_file")
    if "\r\n" in text and "\r" not in old:  # the model sees and writes plain line ends
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    found = text.count(old)
    if not found:
        raise ToolError("old_text is not in the file; read it again and copy the text exactly")
    if found > 1 and not everywhere:
        raise ToolError(
            f"old_text occurs {found} times; include more of the text around it, or set everywhere"
        )
    return text.replace(old, new)


def _replace(place: Place, data: bytes) -> None:
    folder, temporary = place.dir_fd, place.sibling(f".{uuid4().hex}.new")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            _take_over_mode(place, handle, temporary)
            file.write(data)
        os.replace(temporary, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _take_over_mode(place: Place, handle: int, temporary: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        status = os.stat(place.name, dir_fd=place.dir_fd, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            raise ToolError(f"{Path(place.name).name!r} is not a regular file")
        if hasattr(os, "fchmod"):
            os.fchmod(handle, stat.S_IMODE(status.st_mode))
        else:
            Path(temporary).chmod(stat.S_IMODE(status.st_mode))


def _numbered(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, and cut long ones. Hold at most one line in memory."""
    number, start, skipped = 1, b"", 0
    while piece := file.readline(MAX_LINE_BYTES):
        skipped += len(piece)
        if b"\0" in piece:
            raise ToolError("the file is not text")
        if skipped > MAX_SKIPPED_BYTES:
            raise ToolError(f"the line is beyond {MAX_SKIPPED_BYTES >> 20} MiB; read it with a command")
        start = start or piece
        if piece.endswith(b"\n"):
            yield number, _line(start)
            number, start = number + 1, b""
    if start:
        yield number, _line(start)


def _line(start: bytes) -> str:
    cut = "" if start.endswith(b"\n") or len(start) < MAX_LINE_BYTES else " [cut]"
    return start.decode("utf-8", "replace").rstrip("\r\n") + cut


def _cannot(what: str, path: Path, error: OSError) -> ToolError:
    return ToolError(f"cannot {what} {path.name!r}: {error.strerror}")
