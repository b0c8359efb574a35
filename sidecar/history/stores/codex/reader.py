"""Read the sessions of Codex: growing files, compressed ones, and the documents of its first versions."""

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import decode_object
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import MAX_FILE_BYTES, read_file
from sidecar.history.stores.append_only.growing_file import BLOCK
from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.codex.fold import FileFold
from sidecar.history.stores.codex.layout import COMPRESSED, DOCUMENT
from sidecar.history.stores.codex.records import LINES, NOTHING, Record
from sidecar.history.stores.sessions.folds import Folded, Folds
from sidecar.history.stores.sessions.saving import read_document

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of a zstd frame: RFC 8878, section 3.1.1."""
_PIECE: Final = 1 << 20


class _Document(msgspec.Struct):
    """The file of a session in May 2025."""

    session: msgspec.Raw = NOTHING
    items: list[msgspec.Raw] = []


class SessionReader:
    """Read sessions, and only what was appended to those that were read lately. Not thread-safe."""

    def __init__(self) -> None:
        self._folds: Folds[Record, FileFold] = Folds(LINES, FileFold, FileFold.take)

    def read(self, path: str) -> Folded[FileFold] | None:
        """Read one file; None if it does not exist. Never raises."""
        name = PurePath(path).name
        if name.endswith((COMPRESSED, DOCUMENT)):
            return _read_whole(path, name)
        return self._folds.read(path, name)


def lines_of(path: str) -> tuple[bytes | None, list[Problem]]:
    """Read a document or compressed file as JSON lines; None if it cannot be read."""
    name = PurePath(path).name
    file = (read_file if name.endswith(COMPRESSED) else read_document)(path, name)
    if file.data is None:
        return None, list(file.problems)
    if name.endswith(COMPRESSED):
        return _decompressed(file.data, name)
    document, problems = decode_object(msgspec.json.Decoder(_Document).decode, file.data, name)
    if document is None:
        return b"", [*problems, problem("malformed", f"{name} does not hold a session")]
    lines = (bytes(item).replace(b"\n", b" ") for item in (document.session, *document.items))
    return b"\n".join(lines), problems


def _read_whole(path: str, name: str) -> Folded[FileFold] | None:
    data, problems = lines_of(path)
    if data is None and not problems:
        return None
    read = Folded(FileFold(), problems=problems)
    if data is not None:
        damage = Damage()
        for start, block in _blocks(data):
            read.fold.take(LINES.decode(block, damage, start))
        read.problems = [*problems, *damage.problems(name)]
    return read


def _blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with its offset, so that few records are in memory at once."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK) + 1 or len(data)
        yield start, data[start:end]
        start = end


def _decompressed(data: bytes, name: str) -> tuple[bytes | None, list[Problem]]:
    decompress = _zstd()
    if not data.startswith(_MAGIC):
        return None, [problem("malformed", f"{name} is not compressed with zstd")]
    if decompress is None:
        message = f"{name} is compressed with zstd, which needs Python 3.14 or the package zstandard"
        return None, [problem("unreadable", message)]
    try:
        return decompress(data), []
    except Exception as error:  # each library has its own
        return None, [problem("malformed", f"{name} cannot be decompressed: {error}")]


def _zstd() -> Callable[[bytes], bytes] | None:
    """Return a function that decompresses zstd, in bounded memory, if this Python has one."""
    modules: Sequence[tuple[str, str]] = (("compression.zstd", "ZstdFile"), ("zstandard", "open"))
    for module, name in modules:
        try:
            opened: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)
        except ImportError:
            continue
        return lambda data, opened=opened: _bounded(opened(io.BytesIO(data), "rb"))  # type: ignore[misc]
    return None


def _bounded(file: Any) -> bytes:
    held = io.BytesIO()
    while piece := file.read(_PIECE):
        held.write(piece)
        if held.tell() > MAX_FILE_BYTES:
            raise ValueError(f"it holds more than {MAX_FILE_BYTES:,} bytes")
    return held.getvalue()
