"""Where the Host of a root listens: a socket in a private folder, and a file in the root that names it."""

import os
import stat
from collections.abc import Iterator

SUPPORTED = hasattr(os, "fork") and hasattr(os, "getuid")
"""Whether this platform has Unix domain sockets that pass file descriptors."""
POINTER = "host.address"
"""The file in the root that names the socket, for clients with other environments than the Host's."""
LOCK = "host.lock"
"""The file in the root that its Host locks."""
FENCE = "tasks"
"""The folder in the root that its Host locks too, since the file can be removed."""
LOG = "host.log"
"""The file in the root with the Host's log."""
_FOLDER = "subagent-sidecar"
_MAX_PATH_BYTES = 100
"""What fits every system's `sockaddr_un`: 104 bytes on macOS, 108 on Linux, each with a zero at the end."""
_POINTER_BYTES = 4096


class NoAddress(OSError):
    """No folder for the socket can be used; the text says why and what to do."""


def known_sockets(root: str) -> Iterator[str]:
    """Yield the paths where a Host of this root may listen: the one its file names, then the usual one."""
    named = _named(os.path.join(root, POINTER))
    if named is not None:
        yield named
    usual = socket_path(root)
    if usual != named:
        yield usual


def socket_path(root: str) -> str:
    """Return the path of a new socket for this root, whose folder exists and is private. Raises NoAddress."""
    name = f"{_digest(os.path.realpath(root))}.sock"
    problems: list[str] = []
    for folder in _folders():
        path = os.path.join(folder, name)
        if len(os.fsencode(path)) > _MAX_PATH_BYTES:
            problems.append(f"{folder}: the path is too long")
            continue
        try:
            _make_private(folder)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
            continue
        return path
    raise NoAddress(
        f"no folder for the Host's socket can be used ({'; '.join(problems)}); "
        "set XDG_RUNTIME_DIR to a private directory, or use --in-process"
    )


def claim_path(root: str) -> str:
    """Return the path that the Host of a root keeps where files cannot be locked. Raises NoAddress."""
    return f"{socket_path(root).removesuffix('.sock')}.host"


def write_pointer(root: str, socket: str) -> None:
    """Name the socket in the root, atomically. Raises OSError."""
    path = os.path.join(root, POINTER)
    temporary = f"{path}.tmp"  # always the same name, so the next Host replaces what a killed one left
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, os.fsencode(socket))
    finally:
        os.close(handle)
    try:
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _named(pointer: str) -> str | None:
    try:
        handle = os.open(pointer, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        path = os.fsdecode(os.read(handle, _POINTER_BYTES))
    except OSError:
        return None
    finally:
        os.close(handle)
    return path if os.path.isabs(path) and "\0" not in path else None


def _folders() -> Iterator[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        yield os.path.join(runtime, _FOLDER)
    for temporary in (os.environ.get("TMPDIR", ""), "/tmp"):  # noqa: S108 # in a folder that only the user can enter
        if os.path.isabs(temporary):
            yield os.path.join(temporary, f"{_FOLDER}-{os.getuid()}")


def _make_private(folder: str) -> None:
    """Make a folder that only this user can enter and write to. Raises OSError."""
    if not os.path.lexists(folder):
        _make_once(folder)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(1, "it belongs to another user or is not a directory")
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(folder, 0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, "it cannot be written")


def _make_once(folder: str) -> None:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return  # another process was faster


def _digest(text: str) -> str:
    from _blake2 import blake2b  # rather than from hashlib, which loads OpenSSL too

    return blake2b(os.fsencode(text), digest_size=16).hexdigest()
