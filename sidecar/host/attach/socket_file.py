"""Keep a path for one process, until it ends, with a socket that listens there."""

import contextlib
import os
import socket
from typing import Final

_ATTEMPTS: Final = 5


def occupy(path: str) -> bool:
    """Listen at a path until this process ends; return False if another process does. Raises OSError.

    The socket gets its name only once it listens. One without a listener is thus always one that a killed
    process left, and one of many simultaneous calls succeeds where no file can be locked.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f"{name[:12]}.{os.getpid()}")  # not longer than the name
    with contextlib.suppress(FileNotFoundError):  # of a killed process with the same ID
        os.unlink(temporary)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(temporary)
        try:
            server.listen()
            is_named = _name(temporary, path)
        finally:
            os.unlink(temporary)
        if is_named:
            server.detach()  # open from now on
    return is_named


def is_listening(path: str) -> bool:
    """Return whether a process accepts connections at this path, even if it is suspended."""
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        wire.settimeout(0)
        wire.connect(path)
    except BlockingIOError:  # the queue of waiting connections is full
        return True
    except OSError:
        return False
    finally:
        wire.close()
    return True


def _name(temporary: str, path: str) -> bool:
    for _ in range(_ATTEMPTS):
        try:
            os.link(temporary, path)
        except FileExistsError:
            if is_listening(path):
                return False
            _remove(path, f"{temporary}.x")
        else:
            return True
    return False


def _remove(path: str, aside: str) -> None:
    """Remove a socket without a listener; restore another one that got its name in the meantime."""
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if is_listening(aside):
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    os.unlink(aside)
