"""`host run`: the process of a root's Host, detached from whoever started it.

The lock comes before every import that takes time, so that one of many simultaneous starts does the work.
"""

import os
import sys

from sidecar.host.attach import address

BUSY, READY = b"busy", b"ready"
_FAILED = 1


def main(arguments: list[str]) -> int:
    """Run the Host of a root until it is no longer needed. Started by `attaching.start` only."""
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    root, ready = os.path.realpath(options["--storage-root"]), int(options["--ready-fd"])
    if os.fork():
        os._exit(0)  # the starter waits for this process only
    os.setsid()
    ready = _keep_only(ready)
    if not _lock(root):
        os.write(ready, BUSY)
        return 0
    from sidecar.host.running import run

    return run(root, options.get("--config"), ready)


def _keep_only(ready: int) -> int:
    """Close every file that the starter left open except one, and return its new number."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    kept = 3
    if ready != kept:
        os.dup2(ready, kept)
    os.set_inheritable(kept, False)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    return kept


def _lock(root: str) -> bool:
    """Lock the root for this Host until the process ends; return False if another Host has locked it.

    One file that can be locked suffices, and a socket replaces it where none can. A folder of the root is
    locked too where possible: somebody may remove the file of a living Host, but not the folder without the
    runs in it.
    """
    for path in _lock_paths(root):
        is_locked = _lock_one(path, os.O_RDWR | os.O_CREAT)
        if is_locked is not None:
            break
    else:
        is_locked = _occupy(root)
    fence = os.path.join(root, address.FENCE)
    return is_locked and _lock_one(fence, os.O_RDONLY | os.O_DIRECTORY) is not False


def _occupy(root: str) -> bool:
    """Take the socket in place of a lock; return False if another Host of the root listens or is starting."""
    from sidecar.host.attach.socket_file import is_listening, occupy

    try:
        if any(is_listening(path) for path in address.known_sockets(root)):
            return False
        return occupy(address.claim_path(root))
    except OSError:  # `run` reports that no socket can be made
        return True


def _lock_one(path: str, flags: int) -> bool | None:
    """Return whether the lock was free, and keep it; None where nothing can be locked."""
    import fcntl

    from sidecar.storage.lock_file import excludes_others

    try:
        handle = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True if excludes_others(path, handle) else None
    except BlockingIOError:
        return False
    except OSError:
        return None


def _lock_paths(root: str) -> list[str]:
    """Make the root; return the files to lock, the best one first.

    Where the root cannot be written, or its file system has no locks, the file is next to the socket.
    """
    from pathlib import Path

    from sidecar.storage.layout import make_private_dirs

    paths = [os.path.join(root, address.LOCK)]
    try:
        make_private_dirs(Path(root, address.FENCE))
    except OSError:
        paths.clear()
    try:
        paths.append(f"{address.socket_path(root)}.lock")
    except address.NoAddress:
        return paths  # `run` reports it
    return paths


def fail(ready: int, text: str) -> int:
    """Report to the starter why the Host cannot run, and return the exit code."""
    try:
        os.write(ready, text.encode("utf-8", "replace")[:4000])
    except OSError:
        sys.stderr.write(text)
    return _FAILED
