"""The file of a kept answer: what it depends on, how long it holds, and the bytes that were printed."""

import os
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidecar.cli.answers.evidence import Place, Stamp

_MAGIC = b"subagent-sidecar answer 1\n"
_DIGEST_BYTES = 16
MOST_BYTES = 16 * 1024 * 1024
"""The longest answer that is kept."""
MOST_FILES = 4
"""How many answers are kept: each differs in its options, its directory or its environment."""


class Answer:
    """A kept answer. `newest` are the files that changed last, which are compared before all others.

    It is valid from `since` until just before `until`, in ms, while the files at its places match `digest`.
    """

    def __init__(
        self,
        places: "list[Place]",
        newest: "Sequence[tuple[str, Stamp]]",
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
    """Read an answer; None if there is none, or if this user's sidecar did not write it."""
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
    """Write an answer in place of an earlier one, and remove the oldest of the others. Raises OSError."""
    from pathlib import Path

    from sidecar.storage.layout import make_private_dirs

    folder = Path(path).parent
    make_private_dirs(folder)
    body = dumps((answer.places, [*answer.newest], answer.digest, answer.since, answer.until), 2)
    data = len(body).to_bytes(8, "big") + body + answer.printed
    temporary = f"{path}.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _condensed(data))
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    _forget_oldest(str(folder), path)


def _forget_oldest(folder: str, kept: str) -> None:
    with os.scandir(folder) as entries:
        others = [each for each in entries if each.path != kept and not each.is_dir(follow_symlinks=False)]
    others.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
    for entry in others[: max(0, len(others) + 1 - MOST_FILES)]:
        os.unlink(entry.path)


def _read_all(handle: int, size: int) -> bytes:
    data = b""
    while size and (chunk := os.read(handle, size)):
        data += chunk
        size -= len(chunk)
    return data


def _parse(data: bytes) -> Answer | None:
    start = len(_MAGIC) + _DIGEST_BYTES
    if not data.startswith(_MAGIC) or _condensed(memoryview(data)[start:]) != data[len(_MAGIC) : start]:
        return None  # damaged, which could crash the parser
    end = start + 8 + int.from_bytes(data[start : start + 8], "big")
    places, newest, digest, since, until = loads(data[start + 8 : end])  # noqa: S302 (own bytes)
    return Answer(places, newest, digest, since, until, data[end:])


def _condensed(data: "bytes | memoryview") -> bytes:
    from _blake2 import blake2b

    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
