"""The file of a kept answer: what it depends on, how long it holds, and the bytes that were printed."""

import os
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidecar.cli.answers.evidence import Place

_MAGIC = b"subagent-sidecar answer 1\n"
_DIGEST_BYTES = 16
MOST_BYTES = 16 * 1024 * 1024
"""The longest answer that is kept."""
MOST_FILES = 4
"""How many answers are kept: each differs in its options, its directory or its environment."""


class Answer:
    """A kept answer. `newest` are the files that changed last, which are compared before all others.

    It holds from `since` until before `until`, in ms, while the places look as `digest` condenses them.
    """

    def __init__(
        self,
        places: "list[Place]",
        newest: "Sequence[tuple[str, tuple[int, ...]]]",
        digest: bytes,
        since: int,
        until: int,
        printed: bytes,
    ) -> None:
        self.places = places
        self.newest = newest
        self.digest = digest
        self.since = since
        self.until = until
        self.printed = printed


def read(path: str) -> Answer | None:
    """Read an answer; None if there is none, or if it is not what this user's sidecar wrote."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & 0o170022 != 0o100000:
            return None  # others could have written it, or it is not a regular file
        data = _read_all(handle, found.st_size)
    except OSError:
        return None
    finally:
        os.close(handle)
    return _parse(data)


def write(path: str, answer: Answer) -> None:
    """Keep an answer instead of an earlier one, and forget the oldest of the others. Raises OSError."""
    from pathlib import Path

    from sidecar.storage.atomic import write_atomic
    from sidecar.storage.layout import make_private_dirs

    target = Path(path)
    make_private_dirs(target.parent)
    body = dumps((answer.places, answer.newest, answer.digest, answer.since, answer.until), 2)
    size = len(body).to_bytes(8, "big")
    data = size + body + answer.printed
    write_atomic(target, _MAGIC + _condensed(data) + data)
    _forget_oldest(target.parent.as_posix(), keep=target.name)


def _forget_oldest(folder: str, keep: str) -> None:
    with os.scandir(folder) as entries:
        others = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries
                  if entry.name != keep]
    for _, path in sorted(others)[: max(0, len(others) + 1 - MOST_FILES)]:
        os.unlink(path)


def _read_all(handle: int, size: int) -> bytes:
    data = b""
    while size and (chunk := os.read(handle, size)):
        data += chunk
        size -= len(chunk)
    return data


def _parse(data: bytes) -> Answer | None:
    start = len(_MAGIC) + _DIGEST_BYTES
    if not data.startswith(_MAGIC) or _condensed(memoryview(data)[start:]) != data[len(_MAGIC) : start]:
        return None  # damaged, which the parser might not survive
    end = start + 8 + int.from_bytes(data[start : start + 8], "big")
    return Answer(*loads(data[start + 8 : end]), data[end:])


def _condensed(data: "bytes | memoryview") -> bytes:
    from _blake2 import blake2b

    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
